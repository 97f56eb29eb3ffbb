#include <catch2/catch.hpp>

#include <csignal>
#include <cstdlib>

#include <unistd.h>

#include "vm/cli/child_process.hpp"

namespace cairn::cli {

namespace {

void put(int descriptor, std::string_view text) {
  static_cast<void>(::write(descriptor, text.data(), text.size()) < 0);
}

}  // namespace

TEST_CASE("a child gives its status and what it wrote to each stream", "[cli]") {
  const auto result = run_child(
      [] {
        put(1, "to stdout");
        put(2, "to stderr");
        return 7;
      },
      {});
  REQUIRE(result);
  CHECK(result->exit_code == 7);
  CHECK(result->out == "to stdout");
  CHECK(result->err == "to stderr");
  CHECK_FALSE(result->timed_out);
}

TEST_CASE("a child that is stopped by a signal ends with its negative number", "[cli]") {
  const auto result = run_child([]() -> int { std::abort(); }, {});
  REQUIRE(result);
  CHECK(result->exit_code == -SIGABRT);
}

TEST_CASE("a child is killed at its time limit, also when it closed its streams", "[cli]") {
  const auto result = run_child(
      [] {
        put(1, "before");
        ::close(1);
        ::close(2);
        while (true) ::pause();
        return 0;
      },
      {.timeout_seconds = 0.1});
  REQUIRE(result);
  CHECK(result->timed_out);
  CHECK(result->exit_code == -SIGKILL);
  CHECK(result->out == "before");
  CHECK(result->seconds < 5);
}

TEST_CASE("a child has a folder of its own and no input when asked", "[cli]") {
  const auto result = run_child(
      [] {
        char folder[64] = {};
        char byte = 0;
        const bool empty = ::read(0, &byte, 1) == 0;
        put(1, ::getcwd(folder, sizeof folder));
        return empty ? 0 : 1;
      },
      {.without_input = true, .folder = "/"});
  REQUIRE(result);
  CHECK(result->exit_code == 0);
  CHECK(result->out == "/");
}

TEST_CASE("of a long stream the beginning and the end are kept", "[cli]") {
  const auto result = run_child(
      [] {
        put(1, "first");
        for (int i = 0; i < 1000; ++i) put(1, std::string(100, '.'));
        put(1, "last");
        return 0;
      },
      {.captured_bytes = 50});
  REQUIRE(result);
  CHECK(result->out.starts_with("first"));
  CHECK(result->out.ends_with("last"));
  CHECK(result->out.size() <= 200);
}

TEST_CASE("several children run at a time and each is told by its key", "[cli]") {
  ChildPool pool;
  for (std::size_t key = 0; key < 5; ++key) {
    REQUIRE(pool.start(key, [key] { return static_cast<int>(key) + 10; }, {}));
  }
  int seen = 0;
  while (pool.running() > 0) {
    const auto [key, result] = pool.wait_any();
    CHECK(result.exit_code == static_cast<int>(key) + 10);
    ++seen;
  }
  CHECK(seen == 5);
}

TEST_CASE("recorded text keeps UTF-8 and names every other byte", "[cli]") {
  CHECK(recorded_text("caf\xC3\xA9") == "caf\xC3\xA9");
  CHECK(recorded_text("a\xFF"
                      "b\xC3") == "a\\xffb\\xc3");
  CHECK(recorded_text("\xFF\xC3\xA9") == "\\xff\xC3\xA9");
}

}  // namespace cairn::cli
