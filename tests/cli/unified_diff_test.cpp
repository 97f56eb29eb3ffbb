#include <catch2/catch.hpp>

#include "vm/cli/unified_diff.hpp"

namespace cairn::cli {

TEST_CASE("equal texts have no difference", "[cli]") { CHECK(unified_diff("a\nb\n", "a\nb\n", "x", "y").empty()); }

TEST_CASE("a hunk has three lines of context and counts its lines", "[cli]") {
  CHECK(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "p", "p (formatted)") ==
        "--- p\n+++ p (formatted)\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
}

TEST_CASE("changes apart are hunks apart, and a new file starts at line 0", "[cli]") {
  const std::string old_text = "a\n1\n2\n3\n4\n5\n6\n7\n8\n9\nz\n";
  const std::string diff = unified_diff(old_text, "b\n1\n2\n3\n4\n5\n6\n7\n8\n9\ny\n", "p", "q");
  CHECK(diff.contains("@@ -1,4 +1,4 @@\n-a\n+b\n"));
  CHECK(diff.contains("@@ -8,4 +8,4 @@\n"));
  CHECK(unified_diff("", "new\n", "p", "q").contains("@@ -0,0 +1 @@\n+new\n"));
  CHECK(unified_diff("old\n", "", "p", "q").contains("@@ -1 +0,0 @@\n-old\n"));
}

TEST_CASE("a last line without its newline is another line, and is said to be", "[cli]") {
  CHECK(unified_diff("x", "x\n", "p", "q") == "--- p\n+++ q\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+x\n");
}

}  // namespace cairn::cli
