// What a loop's test is known to say behind a latch is not asked there.
#include "tests/jit/ssa/text_form.hpp"

namespace cairn::tests {
namespace {

std::string threaded(std::string_view blocks) { return after(ssa::thread_jumps, blocks); }

}  // namespace

TEST_CASE("a test of what only one arm of its loop changes is asked behind that arm alone", "[jit]") {
  const std::string_view loop = R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = const.u64 #0
  v4 = const.u64 #1
  jump -> b1
b1 @1:
  v5 = phi.u64 [b0=v1 b3=v5 b4=v8]
  v6 = phi.u64 [b0=v3 b3=v9 b4=v3]
  branch.gt.u64 v5 v3 @1 -> b2 b5
b2 @2:
  branch.lt.u64 v6 v2 @2 -> b3 b4
b3 @3:
  v9 = add.u64 v6 v4 @3
  jump -> b1
b4 @4:
  v8 = sub.u64 v5 v4 @4
  jump -> b1
b5 @5:
  v10 = xor.u64 v5 v6 @5
  return v10
)";
  CHECK(threaded(loop) == R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = const.u64 #0
  v4 = const.u64 #1
  jump -> b1
b1 @1:
  v5 = phi.u64 [b0=v1 b4=v8]
  branch.gt.u64 v5 v3 @1 -> b2 b5
b2 @2:
  v18 = phi.u64 [b1=v3 b3=v9]
  branch.lt.u64 v18 v2 @2 -> b3 b4
b3 @3:
  v9 = add.u64 v18 v4 @3
  jump -> b2
b4 @4:
  v8 = sub.u64 v5 v4 @4
  jump -> b1
b5 @5:
  v10 = xor.u64 v5 v3 @5
  return v10
)");
  // An arm that changes it asks; where both do nothing is known.
  std::string both(loop);
  both.replace(both.find("b3=v5"), 5, "b3=v9");
  CHECK(threaded(both).contains("b3=v9 b4=v8"));
}

TEST_CASE("a flag that becomes false leaves its loop, one that is computed is asked", "[jit]") {
  const auto loop = [](std::string_view flag) {
    return threaded(with(R"(b0 @0:
  v1 = slot.u64 #0
  v2 = const.u64 #0
  v3 = const.u64 #1
  v4 = const.bool #1
  v5 = const.bool #0
  jump -> b1
b1 @1:
  v6 = phi.u64 [b0=v2 b3=v9 b4=v9]
  v7 = phi.bool [b0=v4 b3=v4 b4=$]
  branch.ne.bool v7 v5 @1 -> b2 b5
b2 @2:
  v8 = compare.gt.bool.from.u64 v6 v1 @2
  v9 = add.u64 v6 v3 @2
  branch.lt.u64 v9 v1 @2 -> b3 b4
b3 @3:
  jump -> b1
b4 @4:
  jump -> b1
b5 @5:
  return v6
)",
                         flag));
  };
  // Neither of the two latches asks any more.
  const std::string known = loop("v5");
  CHECK(known.contains("branch.lt.u64"));
  CHECK_FALSE(known.contains("phi.bool"));
  const std::string asked = loop("v8");
  CHECK(asked.contains("branch.ne.bool"));
}

TEST_CASE("a value that meets another behind the loop's test keeps the test where it is", "[jit]") {
  // b5 is reached from the test and from within the loop, and takes the counter from either.
  const std::string text = threaded(R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = const.u64 #0
  v4 = const.u64 #1
  jump -> b1
b1 @1:
  v5 = phi.u64 [b0=v1 b3=v5 b4=v8]
  v6 = phi.u64 [b0=v3 b3=v9 b4=v3]
  branch.gt.u64 v5 v3 @1 -> b2 b5
b2 @2:
  branch.lt.u64 v6 v2 @2 -> b3 b6
b3 @3:
  v9 = add.u64 v6 v4 @3
  jump -> b1
b4 @4:
  v8 = sub.u64 v5 v4 @4
  jump -> b1
b5 @5:
  return v6
b6 @6:
  branch.eq.u64 v6 v1 @6 -> b5 b4
)");
  CHECK(text.contains("b3=v9"));
  CHECK(text.contains("phi.u64 [b0=v1 b3=v5 b4=v8]"));
}

}  // namespace cairn::tests
