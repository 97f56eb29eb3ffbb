// Each pass on a small function, text to text; and beside it a function that looks alike and has to stay as it is.
#include "tests/jit/ssa/text_form.hpp"

namespace cairn::tests {

TEST_CASE("the text form of every kind of instruction reads as it was written", "[jit]") {
  constexpr std::string_view kText = R"(function 7 entry 12
frame 1 function 9 parent 0 call 30 base 20
b0 @12:
  v1 = const.u64 #-1
  v2 = slot.f64 #3
  stack.guard #256 @12
  jump @12 -> b1
b1 @12:
  v3 = phi.u64 @12 [b0=v1 b2=v5]
  point @12 [r0=v3 r3=v2]
  v4 = load.f64x8 v3 v3 *8 #16 @13
  v5 = add.leaves.checked.u64 v3 v1 @14/1 [r20=v3]
  v6 = compare.notlt.bool.from.f64 v2 v2 @15
  guard.lt.u64 v3 v5 !bounds @16 [r1=v3 r2=v5]
  v7 = call *24 #9 @18 [r24=v5]
  v8 = result.u64 v7 #24 @18
  branch.ne.bool v6 v8 @20 -> b2 b3 likely
b2 @22 cold:
  switch v8 @22 -> b1 b1 b3
b3 @24:
  return v8 @24
)";
  const ssa::Function function = parsed(kText);
  CHECK(written(function) == kText);
}

TEST_CASE("a text that says what cannot be is refused with its line", "[jit]") {
  const auto refusal = [](std::string_view text) {
    ssa::Function function;
    std::string error;
    return ssa::read(text, function, error) ? ssa::verify(function) : error;
  };
  CHECK(refusal("function 0 entry 0\nb0 @0:\n  v1 = const.u64 #0\n  return v1\n").empty());
  CHECK(refusal("function 0 entry 0\nb0 @0:\n  v1 = konst.u64 #0\n  return v1\n").starts_with("line 3"));
  CHECK(refusal("function 0 entry 0\nb0 @0:\n  return v1\n").contains("v1"));
  CHECK(refusal("function 0 entry 0\nb0 @0:\n  v1 = const.u64 #0\n").contains("does not end"));
  CHECK(
      refusal("function 0 entry 0\nb0 @0:\n  v1 = const.f64 #0\n  v2 = add.u64 v1 v1\n  return v2\n").contains("kind"));
  CHECK(refusal("function 0 entry 0\nb0 @0:\n  jump -> b4\n").contains("b4"));
}

TEST_CASE("constants go through a branch that is always gone one way", "[jit]") {
  CHECK(after(ssa::propagate_constants, R"(b0 @0:
  v1 = const.u32 #3
  v2 = const.u32 #4
  branch.lt.u32 v1 v2 -> b1 b2
b1 @1:
  v3 = add.checked.u32 v1 v2 @1 [r0=v1 r1=v2]
  jump -> b3
b2 @2:
  v4 = mul.checked.u32 v1 v2 @2 [r0=v1 r1=v2]
  jump -> b3
b3 @3:
  v5 = phi.u32 [b1=v3 b2=v4]
  return v5
)") == R"(b0 @0:
  jump -> b1
b1 @1:
  v5 = const.u32 #7
  return v5
)");
}

TEST_CASE("a sum that does not fit is not folded: it traps", "[jit]") {
  CHECK(after(ssa::propagate_constants, R"(b0 @0:
  v1 = const.u8 #200
  v2 = add.checked.u8 v1 v1 @1 [r0=v1 r1=v1]
  return v2
)")
            .contains("add.checked.u8"));
}

TEST_CASE("what computes the same is computed once, and a sum modulo 2^32 proves nothing of a checked one", "[jit]") {
  CHECK(after(ssa::number_values, R"(b0 @0:
  v1 = slot.u32 #0
  v2 = slot.u32 #1
  v3 = add.checked.u32 v1 v2 @1 [r0=v1 r1=v2]
  v4 = add.checked.u32 v2 v1 @2 [r0=v2 r1=v1]
  v5 = xor.u32 v3 v4 @3
  return v5
)") == R"(b0 @0:
  v1 = slot.u32 #0
  v2 = slot.u32 #1
  v3 = add.checked.u32 v1 v2 @1 [r0=v1 r1=v2]
  v5 = xor.u32 v3 v3 @3
  return v5
)");
  const std::string kept = after(ssa::number_values, R"(b0 @0:
  v1 = slot.u32 #0
  v3 = add.u32 v1 v1 @1
  v4 = add.checked.u32 v1 v1 @2 [r0=v1]
  v5 = xor.u32 v3 v4 @3
  return v5
)");
  CHECK(kept.contains("add.checked.u32"));
}

TEST_CASE("an index that is a number is part of the address while its offset fits an instruction", "[jit]") {
  const auto loaded = [](std::string_view index) {
    return after(ssa::number_values, "b0 @0:\n  v1 = slot.u64 #0\n  v2 = const.u64 #" + std::string(index) +
                                         "\n  v3 = load.u64 v1 v2 *8 #8 @1\n  return v3\n");
  };
  CHECK(loaded("5").contains("load.u64 v1 #48"));
  CHECK(loaded("536870912").contains("load.u64 v1 v2 *8 #8"));            // 4 GiB
  CHECK(loaded("2305843009213693952").contains("load.u64 v1 v2 *8 #8"));  // 2^64 bytes
}

TEST_CASE("a counter below a length needs no guard, one that may be the length does", "[jit]") {
  const auto loop = [](std::string_view bound) {
    return with(R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = const.u64 #0
  v4 = const.u64 #1
  jump -> b1
b1 @1:
  v5 = phi.u64 [b0=v3 b2=v8]
  branch.$.u64 v5 v1 @1 -> b2 b3
b2 @2:
  guard.lt.u64 v5 v1 !bounds @2 [r2=v5 r0=v1]
  v7 = load.u8 v2 v5 @2
  v8 = add.checked.u64 v5 v4 @3 [r2=v5]
  jump -> b1
b3 @4:
  return
)",
                bound);
  };
  const std::string below = after(ssa::remove_guards, loop("lt"));
  CHECK_FALSE(below.contains("guard"));
  CHECK(below.contains("add.exact.u64"));
  const std::string up_to = after(ssa::remove_guards, loop("le"));
  CHECK(up_to.contains("guard.lt"));
}

TEST_CASE("an index made by sums and products modulo 2^64 is below a number where the counters' bounds say so",
          "[jit]") {
  const auto loop = [](std::string_view length) {
    return with(R"(b0 @0:
  v1 = slot.u64 #0
  v2 = const.u64 #32
  v3 = const.u64 #33
  v4 = const.u64 #0
  v9 = const.u64 #1
  v10 = const.u64 #$
  jump -> b1
b1 @1:
  v5 = phi.u64 [b0=v4 b3=v8]
  jump -> b2
b2 @2:
  v6 = phi.u64 [b1=v4 b2=v7]
  v11 = mul.u64 v5 v3 @2
  v12 = add.u64 v11 v6 @2
  guard.lt.u64 v12 v10 !bounds @2 [r0=v12]
  store.u64 v1 v12 v6 *8 @3
  v7 = add.exact.u64 v6 v9 @4
  branch.lt.u64 v7 v2 -> b2 b3 likely
b3 @5:
  v8 = add.exact.u64 v5 v9 @5
  branch.lt.u64 v8 v2 -> b1 b4 likely
b4 @6:
  return
)",
                length);
  };
  const std::string fits = after(ssa::remove_guards, loop("1055"));
  CHECK_FALSE(fits.contains("guard"));
  CHECK(fits.contains("add.exact.u64 v11"));
  CHECK(after(ssa::remove_guards, loop("1054")).contains("guard"));
}

TEST_CASE("what is kept of the elements seen stays below the bound of those seen, unless two are kept at once",
          "[jit]") {
  const auto loop = [](std::string_view more) {
    return with(R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v4 = const.u64 #0
  v9 = const.u64 #1
  v10 = const.u64 #$
  branch.eq.u64 v2 v4 -> b5 b1
b1 @1:
  jump -> b2
b2 @2:
  v5 = phi.u64 [b1=v4 b4=v8]
  v6 = phi.u64 [b1=v4 b4=v11]
  v7 = load.u64 v1 v5 *8 @2
  branch.ne.u64 v7 v4 -> b4 b3
b3 @3:
  guard.lt.u64 v6 v2 !bounds @3 [r0=v6]
  store.u64 v1 v6 v7 *8 @3
  v12 = add.exact.u64 v6 v10 @3
  jump -> b4
b4 @4:
  v11 = phi.u64 [b2=v6 b3=v12]
  v8 = add.exact.u64 v5 v9 @4
  branch.lt.u64 v8 v2 -> b2 b5 likely
b5 @5:
  return
)",
                more);
  };
  CHECK_FALSE(after(ssa::remove_guards, loop("1")).contains("guard"));
  CHECK(after(ssa::remove_guards, loop("2")).contains("guard"));
}

TEST_CASE("a guard of a counted loop is asked of its last iteration before the loop", "[jit]") {
  const std::string text = after(ssa::version_loops, R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = slot.u64 #2
  v4 = const.u64 #0
  v9 = const.u64 #1
  branch.eq.u64 v1 v4 -> b3 b1
b1 @1:
  jump -> b2
b2 @2:
  v5 = phi.u64 [b1=v4 b2=v8]
  point @2 [r0=v1 r1=v2 r2=v3 r3=v5]
  guard.lt.u64 v5 v3 !bounds @3 [r3=v5 r2=v3]
  store.u64 v2 v5 v5 *8 @3
  v8 = add.exact.u64 v5 v9 @4
  branch.lt.u64 v8 v1 @4 -> b2 b3 likely
b3 @5:
  return
)");
  CHECK(text.contains("sub.exact.u64 v1"));
  CHECK(text.contains("guard.leaves.lt.u64"));
  CHECK(text.contains("v3 !bounds @2 [r0=v1 r1=v2 r2=v3 r3=v4]"));
  CHECK_FALSE(text.contains("guard.lt"));
}

TEST_CASE(
    "a guard of a counter that falls is asked of the first iteration before the loop, of one that wraps it is not",
    "[jit]") {
  const auto asked = [](std::string_view step) {
    return after(ssa::version_loops, R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = slot.u64 #2
  v4 = const.u64 #0
  v9 = const.u64 #1
  branch.eq.u64 v1 v4 -> b3 b1
b1 @1:
  jump -> b2
b2 @2:
  v5 = phi.u64 [b1=v1 b2=v8]
  point @2 [r0=v1 r1=v2 r2=v3 r3=v5]
  guard.lt.u64 v5 v3 !bounds @3 [r3=v5 r2=v3]
  store.u64 v2 v5 v5 *8 @3
  v8 = )" + std::string(step) +
                                         R"(.u64 v5 v9 @4
  branch.ne.u64 v8 v4 @4 -> b2 b3 likely
b3 @5:
  return
)");
  };
  const std::string falls = asked("sub.exact");
  CHECK(falls.contains("guard.leaves.lt.u64 v1 v3 !bounds @2 [r0=v1 r1=v2 r2=v3 r3=v1]"));
  CHECK_FALSE(falls.contains("guard.lt"));
  CHECK(asked("sub").contains("guard.lt.u64 v5 v3"));
}

TEST_CASE("a counter whose start is not known to be below its bound is asked for it", "[jit]") {
  const auto asked = [](std::string_view relation) {
    return after(ssa::version_loops, R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = slot.u64 #2
  v4 = slot.u64 #3
  v9 = const.u64 #1
  jump -> b1
b1 @2:
  v5 = phi.u64 [b0=v4 b1=v8]
  point @2 [r0=v1 r1=v2 r2=v3 r3=v5]
  guard.lt.u64 v5 v3 !bounds @3 [r3=v5 r2=v3]
  store.u64 v2 v5 v5 *8 @3
  v8 = add.exact.u64 v5 v9 @4
  branch.)" + std::string(relation) +
                                         R"(.u64 v8 v1 @4 -> b1 b2 likely
b2 @5:
  return
)");
  };
  const std::string text = asked("lt");
  CHECK(text.contains("guard.leaves.lt.u64 v4 v1 !bounds @2 [r0=v1 r1=v2 r2=v3 r3=v4]"));
  CHECK(text.contains("sub.exact.u64 v1"));
  CHECK_FALSE(text.contains("guard.lt"));
  // A loop that ends elsewhere may go past it.
  CHECK(asked("ne").contains("guard.lt.u64 v5 v3"));
}

TEST_CASE("what does not change in a loop is computed before it, a load that a store may change is not", "[jit]") {
  const auto loop = [](std::string_view from) {
    return with(R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = frame.address.u64 #0
  v4 = const.u64 #0
  v9 = const.u64 #1
  jump -> b1
b1 @1:
  v5 = phi.u64 [b0=v4 b1=v8]
  v6 = load.u64 $ #8 @1
  v7 = mul.u64 v6 v2 @2
  store.u64 v1 v5 v7 *8 @3
  v8 = add.exact.u64 v5 v9 @4
  branch.lt.u64 v8 v2 @4 -> b1 b2 likely
b2 @5:
  return
)",
                from);
  };
  const std::string other = after(ssa::hoist_invariants, loop("v3"));
  CHECK(other.find("load.u64") < other.find("b1 @1"));
  CHECK(other.find("mul.u64") < other.find("b1 @1"));
  const std::string same = after(ssa::hoist_invariants, loop("v1"));
  CHECK(same.find("load.u64") > same.find("b1 @1"));
}

TEST_CASE("what is defined of some operands only is not done where its guard was not asked", "[jit]") {
  const auto is_hoisted = [](std::string_view operation, std::string_view by) {
    const std::string text = after(ssa::hoist_invariants, with(with(R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = slot.f64 #2
  v4 = const.u64 #0
  v9 = const.u64 #1
  v10 = const.u64 #$
  jump -> b1
b1 @1:
  v5 = phi.u64 [b0=v4 b1=v8]
  guard.lt.u64 v5 v2 !bounds @1 [r0=v5]
  v7 = $ @2
  store.u64 v1 v5 v7 *8 @3
  v8 = add.exact.u64 v5 v9 @4
  branch.lt.u64 v8 v2 @4 -> b1 b2 likely
b2 @5:
  return
)",
                                                                    by),
                                                               operation));
    return text.find("v7 = ") < text.find("b1 @1");
  };
  CHECK(is_hoisted("shl.u32 v2 v10", "31"));
  CHECK_FALSE(is_hoisted("shl.u32 v2 v10", "32"));
  CHECK_FALSE(is_hoisted("shr.u32 v10 v2", "31"));
  CHECK(is_hoisted("rem.exact.u64 v2 v10", "7"));
  CHECK_FALSE(is_hoisted("rem.exact.u64 v2 v10", "0"));
  CHECK_FALSE(is_hoisted("div.exact.i64 v2 v10", "-1"));
  CHECK_FALSE(is_hoisted("div.exact.u64 v10 v2", "7"));
  CHECK(is_hoisted("convert.u32.from.u64 v2", "0"));
  CHECK_FALSE(is_hoisted("convert.exact.u32.from.f64 v3", "0"));
}

TEST_CASE("a trap that would come before another is not hoisted above it", "[jit]") {
  const std::string text = after(ssa::hoist_invariants, R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v4 = const.u64 #0
  v9 = const.u64 #1
  jump -> b1
b1 @1:
  v5 = phi.u64 [b0=v4 b1=v8]
  guard.lt.u64 v5 v2 !bounds @1 [r0=v5]
  guard.lt.u64 v1 v2 !bounds @2 [r0=v1]
  v8 = add.exact.u64 v5 v9 @4
  branch.lt.u64 v8 v2 @4 -> b1 b2 likely
b2 @5:
  return
)");
  CHECK(text.find("guard.lt.u64 v1 v2") > text.find("b1 @1"));
}

TEST_CASE("a record of the frame that nothing else reaches is its fields' values", "[jit]") {
  CHECK(after(ssa::promote_memory, R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = frame.address.u64 #0
  store.u64 v3 _ v1 @1
  branch.lt.u64 v1 v2 -> b1 b2
b1 @2:
  store.u64 v3 _ v2 @2
  jump -> b2
b2 @3:
  v4 = load.u64 v3 @3
  return v4
)") == R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  branch.lt.u64 v1 v2 -> b1 b2
b1 @2:
  jump -> b2
b2 @3:
  v10 = phi.u64 @3 [b0=v1 b1=v2]
  return v10
)");
}

TEST_CASE("a record whose address a call is given stays in memory", "[jit]") {
  const std::string text = after(ssa::promote_memory, R"(b0 @0:
  v1 = slot.u64 #0
  v3 = frame.address.u64 #0
  store.u64 v3 _ v1 @1
  v5 = call *8 #0 @2 [r8=v3]
  v4 = load.u64 v3 @3
  return v4
)");
  CHECK(text.contains("store.u64"));
  CHECK(text.contains("load.u64"));
}

TEST_CASE("a record of a frame that is taken up holds what was put there, one of a frame that is entered nothing",
          "[jit]") {
  const auto loaded = [](std::string_view entry) {
    return after(ssa::promote_memory, "b0 @0:\n  v1 = frame.address.u64 #0\n  v2 = load.u64 v1 #8 @1\n  return v2\n", 0,
                 entry);
  };
  CHECK(loaded("0").contains("const.u64 #0"));
  CHECK(loaded("7").contains("load.u64"));
}

TEST_CASE("an element loop becomes vectors and the loop it was", "[jit]") {
  constexpr std::string_view kLoop = R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v4 = const.u64 #0
  v9 = const.u64 #1
  branch.eq.u64 v1 v4 -> b3 b1
b1 @1:
  jump -> b2
b2 @2:
  v5 = phi.u64 [b1=v4 b2=v8]
  v6 = load.f32 v2 v5 *4 @2
  v7 = mul.f32 v6 v6 @3
  store.f32 v2 v5 v7 *4 @4
  v8 = add.exact.u64 v5 v9 @5
  branch.lt.u64 v8 v1 @5 -> b2 b3 likely
b3 @6:
  return
)";
  const std::string text = after(ssa::vectorize_loops, kLoop, 64);
  CHECK(text.contains("load.f32x16"));
  CHECK(text.contains("mul.f32x16"));
  CHECK(text.contains("store.f32x16"));
  CHECK(text.contains("mul.f32 v6 v6"));
  CHECK_FALSE(after(ssa::vectorize_loops, kLoop, 0).contains("f32x"));
  // Nothing has to be left for the loop it was, but where its last iteration's values are wanted.
  CHECK(text.contains("branch.le.u64"));
  std::string wanted(kLoop);
  wanted.replace(wanted.find("b3 @6:\n  return"), 15, "b3 @6:\n  v10 = phi.u64 [b0=v4 b2=v8]\n  return v10");
  const std::string leaves = after(ssa::vectorize_loops, wanted, 64);
  CHECK(leaves.contains("load.f32x16"));
  CHECK_FALSE(leaves.contains("branch.le.u64"));
}

TEST_CASE("a loop whose ways differ in operations on floats is vectors and selections, without vectors it is as it was",
          "[jit]") {
  constexpr std::string_view kLoop = R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = const.u64 #0
  v4 = const.u64 #1
  v5 = const.f64 #0
  branch.eq.u64 v1 v3 -> b6 b1
b1 @1:
  jump -> b2
b2 @2:
  v6 = phi.u64 [b1=v3 b5=v12]
  v7 = load.f64 v2 v6 *8 @2
  v8 = mul.f64 v7 v7 @3
  branch.lt.f64 v7 v5 @3 -> b3 b4
b3 @4:
  v9 = neg.f64 v8 @4
  jump -> b5
b4 @5:
  v10 = sqrt.f64 v8 @5
  jump -> b5
b5 @6:
  v11 = phi.f64 [b3=v9 b4=v10]
  store.f64 v2 v6 v11 *8 @6
  v12 = add.exact.u64 v6 v4 @7
  branch.lt.u64 v12 v1 @7 -> b2 b6 likely
b6 @8:
  return
)";
  const std::string text = after(ssa::vectorize_loops, kLoop, 32);
  INFO(text);
  CHECK(text.contains("compare.lt.u64.from.f64x4"));
  CHECK(text.contains("select.f64x4"));
  CHECK(text.contains("sqrt.f64x4"));
  const std::string same = after(ssa::vectorize_loops, kLoop, 0);
  CHECK(same.contains("branch.lt.f64"));
  CHECK_FALSE(same.contains("select"));
  // A way with an operation on integers stays behind its branch.
  std::string counted(kLoop);
  const std::string_view kCount = "  v13 = mul.exact.u64 v6 v6 @4\n  v14 = convert.f64.from.u64 v13 @4\n";
  counted.insert(counted.find("  v9 = neg.f64 v8"), kCount);
  counted.replace(counted.find("neg.f64 v8"), 10, "neg.f64 v14");
  CHECK_FALSE(after(ssa::vectorize_loops, counted, 32).contains("f64x4"));
}

TEST_CASE("twice a float is a sum, three times is not", "[jit]") {
  const auto times = [](std::string_view kind, std::string_view bits) {
    const std::string k(kind);
    return after(ssa::reduce_strength, "b0 @0:\n  v1 = slot." + k + " #0\n  v2 = const." + k + " #" +
                                           std::string(bits) + "\n  v3 = mul." + k + " v2 v1 @1\n  return v3\n");
  };
  CHECK(times("f64", "4611686018427387904").contains("add.f64 v1 v1"));
  CHECK(times("f32", "1073741824").contains("add.f32 v1 v1"));
  CHECK(times("f64", "4613937818241073152").contains("mul.f64"));
}

TEST_CASE("what a loop adds to one place is in a register while it runs, unless the loop may read it otherwise",
          "[jit]") {
  const auto kept = [](std::string_view added) {
    return after(ssa::keep_accumulators, with(R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = const.u64 #0
  v4 = const.u64 #1
  jump -> b1
b1 @1:
  v5 = phi.u64 [b0=v3 b1=v10]
  v6 = load.f64 v1 @1
  v7 = load.f64 $ @2
  v8 = add.f64 v6 v7 @3
  store.f64 v1 _ v8 @4
  v10 = add.exact.u64 v5 v4 @5
  branch.lt.u64 v10 v2 @5 -> b1 b2 likely
b2 @6:
  return
)",
                                              added));
  };
  // The second element beside the first, and one that moves, which may be the first.
  const std::string once = kept("v1 #8");
  CHECK(once.find("load.f64 v1 @") < once.find("b1 @1"));
  CHECK(once.find("store.f64 v1") > once.find("branch"));
  const std::string always = kept("v1 v5 *8");
  CHECK(always.find("load.f64 v1 @") > always.find("b1 @1"));
  CHECK(always.find("store.f64 v1") < always.find("branch"));
}

TEST_CASE("division by a number is a shift, a mask or a multiplication", "[jit]") {
  const auto divided = [](std::string_view operation, std::string_view kind, std::string_view by) {
    const std::string k(kind);
    return after(ssa::reduce_strength, "b0 @0:\n  v1 = slot." + k + " #0\n  v2 = const." + k + " #" + std::string(by) +
                                           "\n  v3 = " + std::string(operation) + ".exact." + k +
                                           " v1 v2 @1\n  return v3\n");
  };
  CHECK(divided("div", "u64", "8").contains("shr.u64 v1"));
  CHECK(divided("rem", "u64", "8").contains("and.u64 v1"));
  CHECK(divided("div", "u32", "10").contains("mul.exact.u64 v1"));
  CHECK_FALSE(divided("div", "u32", "10").contains("div"));
  CHECK(divided("div", "i32", "8").contains("div.exact.i32"));
}

TEST_CASE("a guarded count adds its condition, and what is not cheap stays behind its branch", "[jit]") {
  const auto guarded = [](std::string_view operation) {
    return after(ssa::convert_conditions, with(R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = const.u64 #1
  branch.lt.u64 v1 v2 @1 -> b1 b2
b1 @2:
  v4 = $ v1 v3 @2 [r0=v1]
  jump -> b2
b2 @3:
  v5 = phi.u64 [b0=v1 b1=v4]
  return v5
)",
                                               operation));
  };
  const std::string counted = guarded("add.checked.u64");
  CHECK(counted.contains("compare.lt.bool.from.u64 v1 v2"));
  CHECK(counted.contains("v4 = add.checked.u64 v1 v"));
  CHECK_FALSE(counted.contains("add.checked.u64 v1 v3"));
  CHECK_FALSE(counted.contains("branch"));
  CHECK(guarded("mul.checked.u64").contains("branch"));
  const auto shifted = [&](std::string_view count) {
    return after(ssa::convert_conditions, with(R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = const.u64 #$
  branch.lt.u64 v1 v2 @1 -> b1 b2
b1 @2:
  v4 = shl.u64 v1 v3 @2
  jump -> b2
b2 @3:
  v5 = phi.u64 [b0=v1 b1=v4]
  return v5
)",
                                               count));
  };
  CHECK_FALSE(shifted("63").contains("branch"));
  CHECK(shifted("64").contains("branch"));
}

TEST_CASE("division by every number gives what division gives", "[jit]") {
  bytecode::Module module;
  const ssa::Context context{module};
  const auto check = [&](std::string_view kind, std::uint64_t x, std::uint64_t divisor) {
    for (const std::string_view operation : {"div", "rem"}) {
      const std::string k(kind);
      ssa::Function function = parsed(
          "function 0 entry 0\nb0 @0:\n  v1 = const." + k + " #" + std::to_string(x) + "\n  v2 = const." + k + " #" +
          std::to_string(divisor) + "\n  v3 = " + std::string(operation) + ".exact." + k + " v1 v2 @1\n  return v3\n");
      ssa::reduce_strength(function, context);
      ssa::propagate_constants(function, context);
      const ssa::Instruction& result = function.at(function.end_of(0).a);
      INFO(x << " " << operation << " " << divisor << " of " << kind);
      REQUIRE(result.op == ssa::Opcode::Const);
      REQUIRE(static_cast<std::uint64_t>(result.immediate) == (operation == "div" ? x / divisor : x % divisor));
    }
  };
  for (std::uint64_t divisor = 1; divisor < 256; ++divisor) {
    for (std::uint64_t x = 0; x < 256; x += divisor < 16 ? 1 : 5) check("u8", x, divisor);
    check("u8", 255, divisor);
  }
  for (const std::uint64_t divisor :
       {3U, 5U, 6U, 7U, 9U, 10U, 11U, 13U, 100U, 641U, 1000U, 65537U, 1000003U, 4294967295U}) {
    for (const std::uint64_t near :
         {std::uint64_t{0}, std::uint64_t{divisor}, std::uint64_t{2} * divisor, std::uint64_t{1} << 31,
          std::uint64_t{0xffffffff}, 0xffffffff / divisor * divisor, std::uint64_t{0x12345678}}) {
      for (std::uint64_t x = near < 3 ? 0 : near - 3; x <= near + 3; ++x) {
        if (x <= 0xffffffff) check("u32", x, divisor);
        if (x <= 0xffff && divisor <= 0xffff) check("u16", x, divisor);
      }
    }
  }
}

}  // namespace cairn::tests
