// Small counted loops done four turns at a time.
#include "tests/jit/ssa/text_form.hpp"

namespace cairn::tests {
namespace {

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// A loop over a counter of the kind, which steps by v9 up to below v1 and does `body` with v5, the counter.
std::string unrolled(std::string_view body, std::string_view behind = "  return\n", std::string_view step = "1",
                     std::string_view relation = "lt", std::string_view kind = "u64") {
  const std::string k(kind);
  return after(ssa::unroll_loops, "b0 @0:\n  v1 = slot." + k + " #0\n  v2 = slot.u64 #1\n  v4 = const." + k +
                                      " #0\n  v9 = const." + k + " #" + std::string(step) + "\n  branch.lt." + k +
                                      " v4 v1 -> b1 b3\nb1 @1:\n  jump -> b2\n" + "b2 @2:\n  v5 = phi." + k +
                                      " [b1=v4 b2=v8]\n" + std::string(body) + "  v8 = add.exact." + k +
                                      " v5 v9 @5\n  branch." + std::string(relation) + "." + k +
                                      " v8 v1 @5 -> b2 b3 likely\nb3 @6:\n" + std::string(behind));
}

constexpr std::string_view kSum =
    "  v6 = phi.u64 [b1=v2 b2=v10]\n"
    "  v7 = load.u64 v2 v5 *8 @3\n"
    "  v10 = add.checked.u64 v6 v7 @3 [r0=v6 r1=v7]\n"
    "  store.u64 v2 v5 v10 *8 @4\n";

}  // namespace

TEST_CASE("a small counted loop is done four turns at a time, and what is left by the loop it was", "[jit]") {
  CHECK(unrolled(kSum) == R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v4 = const.u64 #0
  v9 = const.u64 #1
  branch.lt.u64 v4 v1 -> b1 b3
b1 @1:
  v16 = const.u64 #4 @2
  v17 = sub.u64 v1 v4 @2
  v18 = sub.u64 v1 v16 @2
  branch.le.u64 v16 v17 @2 -> b4 b5 likely
b2 @2:
  v5 = phi.u64 [b5=v44 b2=v8]
  v6 = phi.u64 [b5=v45 b2=v10]
  v7 = load.u64 v2 v5 *8 @3
  v10 = add.checked.u64 v6 v7 @3 [r0=v6 r1=v7]
  store.u64 v2 v5 v10 *8 @4
  v8 = add.exact.u64 v5 v9 @5
  branch.lt.u64 v8 v1 @5 -> b2 b3 likely
b3 @6:
  return
b4 @2:
  v19 = phi.u64 @2 [b1=v4 b4=v41]
  v20 = phi.u64 @2 [b1=v2 b4=v37]
  v21 = load.u64 v2 v19 *8 @3
  v22 = add.checked.u64 v20 v21 @3 [r0=v20 r1=v21]
  store.u64 v2 v19 v22 *8 @4
  v26 = load.u64 v2 v19 *8 #8 @3
  v27 = add.checked.u64 v22 v26 @3 [r0=v22 r1=v26]
  store.u64 v2 v19 v27 *8 #8 @4
  v31 = load.u64 v2 v19 *8 #16 @3
  v32 = add.checked.u64 v27 v31 @3 [r0=v27 r1=v31]
  store.u64 v2 v19 v32 *8 #16 @4
  v36 = load.u64 v2 v19 *8 #24 @3
  v37 = add.checked.u64 v32 v36 @3 [r0=v32 r1=v36]
  store.u64 v2 v19 v37 *8 #24 @4
  v41 = add.exact.u64 v19 v16 @2
  branch.le.u64 v41 v18 @2 -> b4 b5 likely
b5 @2:
  v44 = phi.u64 @2 [b1=v4 b4=v41]
  v45 = phi.u64 @2 [b1=v2 b4=v37]
  branch.lt.u64 v44 v1 @2 -> b2 b3
)");
}

TEST_CASE("where a loop's values are wanted its last turn is its own, unrolled or not", "[jit]") {
  const std::string text = unrolled(kSum, "  v20 = phi.u64 [b0=v2 b2=v10]\n  return v20\n");
  CHECK(count(text, "add.checked.u64") == 5);
  CHECK(count(text, "branch.le.u64") == 0);
  CHECK(text.contains("v20 = phi.u64 [b0=v2 b2=v10]"));
}

TEST_CASE("a counter of another kind or step is counted as it was", "[jit]") {
  const std::string signed_counter = unrolled(kSum, "  return\n", "3", "lt", "i64");
  // Distances are without a sign, as large as they may be.
  CHECK(signed_counter.contains("branch.le.u64"));
  CHECK(signed_counter.contains("branch.le.i64"));
  CHECK(signed_counter.contains("const.i64 #12"));
  CHECK(signed_counter.contains("#72 @"));
  CHECK(unrolled(kSum, "  return\n", "3", "lt", "u32").contains("branch.le.u32"));
  // Four turns of so large a step, or of so small a kind, may be more than there is.
  CHECK(count(unrolled(kSum, "  return\n", "4000", "lt"), "add.checked.u64") == 1);
  CHECK(count(unrolled(kSum, "  return\n", "1", "lt", "u8"), "add.checked.u64") == 1);
}

TEST_CASE("a loop that does not count up to a bound, is long or slow stays as it is", "[jit]") {
  const auto turns = [](std::string_view body, std::string_view relation = "lt") {
    return count(unrolled(body, "  return\n", "1", relation), "store.u64");
  };
  constexpr std::string_view kStore = "  store.u64 v2 v5 v5 *8 @4\n";
  CHECK(turns(kStore) == 5);
  CHECK(turns(kStore, "ne") == 1);
  const std::string store(kStore);
  CHECK(turns("  v7 = div.checked.u64 v5 v2 @3 [r0=v5 r1=v2]\n" + store) == 1);
  CHECK(turns("  v7 = call *20 #0 @3 [r20=v5]\n" + store) == 1);
  CHECK(turns("  poll @2 [r0=v5]\n" + store) == 1);
  std::string thirteen;
  for (int k = 0; k < 13; ++k) thirteen += kStore;
  CHECK(turns(thirteen) == 13);
  CHECK(turns(thirteen.substr(kStore.size())) == 12 * 5);
}

}  // namespace cairn::tests
