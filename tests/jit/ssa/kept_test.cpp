// What passes keep (docs/jit.md): each rule on a function in which breaking it would show, beside the nearest one in
// which the same is allowed.
#include "tests/jit/ssa/text_form.hpp"

namespace cairn::tests {
namespace {

bool is_before(const std::string& text, std::string_view what, std::string_view other) {
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return at < text.find(other);
}

}  // namespace

// ------------------------------------------------------------------------------------------------------------- exact

TEST_CASE("what is exact where it stands wraps where it is moved to, unless it is done there all the same", "[jit]") {
  constexpr std::string_view kLoop = R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v4 = const.u64 #0
  v9 = const.u64 #1
  jump -> b1
b1 @1:
  v5 = phi.u64 [b0=v4 b1=v8]
$  v7 = add.exact.u64 v1 v2 @2
  store.u64 v1 v5 v7 *8 @3
  v8 = add.exact.u64 v5 v9 @4
  branch.lt.u64 v8 v2 @4 -> b1 b2 likely
b2 @5:
  return
)";
  const std::string behind = after(ssa::hoist_invariants, with(kLoop, "  guard.lt.u64 v5 v2 !bounds @1 [r0=v5]\n"));
  CHECK(is_before(behind, "v7 = add.u64 v1 v2", "b1 @1"));
  const std::string first = after(ssa::hoist_invariants, with(kLoop, ""));
  CHECK(is_before(first, "v7 = add.exact.u64 v1 v2", "b1 @1"));
}

TEST_CASE("what is exact behind a branch wraps where it is done without it", "[jit]") {
  const std::string text = after(ssa::convert_conditions, R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  branch.lt.u64 v2 v1 @1 -> b1 b2
b1 @2:
  v4 = sub.exact.u64 v1 v2 @2
  jump -> b2
b2 @3:
  v5 = phi.u64 [b0=v2 b1=v4]
  return v5
)");
  CHECK(text.contains("v4 = sub.u64 v1 v2"));
  CHECK_FALSE(text.contains("branch"));
}

// --------------------------------------------------------------------------------------------------- order of what
// shows

TEST_CASE("a guard stays behind a store of its loop, and moves out where the store stands behind it", "[jit]") {
  const auto guarded = [](std::string_view before, std::string_view behind) {
    return after(ssa::hoist_invariants, with(with(R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v4 = const.u64 #0
  v9 = const.u64 #1
  jump -> b1
b1 @1:
  v5 = phi.u64 [b0=v4 b1=v8]
$  guard.lt.u64 v1 v2 !bounds @2 [r0=v1]
$  v8 = add.exact.u64 v5 v9 @4
  branch.lt.u64 v8 v2 @4 -> b1 b2 likely
b2 @5:
  return
)",
                                                  before),
                                             behind));
  };
  constexpr std::string_view kStore = "  store.u64 v2 v5 v5 *8 @3\n";
  CHECK(is_before(guarded("", kStore), "guard.lt.u64 v1 v2", "b1 @1"));
  CHECK_FALSE(is_before(guarded(kStore, ""), "guard.lt.u64 v1 v2", "b1 @1"));
}

TEST_CASE("a load is done before its loop only where nothing before it in the loop may trap", "[jit]") {
  const auto loaded = [](std::string_view before) {
    return after(ssa::hoist_invariants, with(R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v4 = const.u64 #0
  v9 = const.u64 #1
  jump -> b1
b1 @1:
  v5 = phi.u64 [b0=v4 b1=v8]
$  v6 = load.u64 v1 #8 @2
  v8 = add.exact.u64 v5 v9 @4
  branch.lt.u64 v8 v6 @4 -> b1 b2 likely
b2 @5:
  return
)",
                                             before));
  };
  CHECK(is_before(loaded(""), "load.u64", "b1 @1"));
  CHECK_FALSE(is_before(loaded("  guard.lt.u64 v5 v2 !bounds @1 [r0=v5]\n"), "load.u64", "b1 @1"));
}

// ------------------------------------------------------------------------------------------------------------- leaving

namespace {

/// A counted loop over v5 below v1 with a guard that `index` is below v3.
std::string versioned(std::string_view point, std::string_view made, std::string_view index) {
  return after(ssa::version_loops, with(with(with(R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = slot.u64 #2
  v4 = const.u64 #0
  v9 = const.u64 #1
  v10 = const.u64 #3
  branch.eq.u64 v1 v4 -> b3 b1
b1 @1:
  jump -> b2
b2 @2:
  v5 = phi.u64 [b1=v4 b2=v8]
$$  guard.lt.u64 $ v3 !bounds @3 [r3=v5 r2=v3]
  store.u64 v2 v5 v5 *8 @3
  v8 = add.exact.u64 v5 v9 @4
  branch.lt.u64 v8 v1 @4 -> b2 b3 likely
b3 @5:
  return
)",
                                                  point),
                                             made),
                                        index));
}
constexpr std::string_view kPoint = "  point @2 [r0=v1 r1=v2 r2=v3 r3=v5]\n";

}  // namespace

TEST_CASE("a question of a loop is put before it as one that leaves, and only where a point says what lives there",
          "[jit]") {
  const std::string asked = versioned(kPoint, "", "v5");
  CHECK(is_before(asked, "guard.leaves.lt.u64", "b2 @2"));
  CHECK_FALSE(asked.contains("guard.lt.u64"));
  const std::string unasked = versioned("", "", "v5");
  CHECK_FALSE(unasked.contains("leaves"));
  CHECK(unasked.contains("guard.lt.u64 v5 v3"));
}

TEST_CASE("an index that is a counter divided or shifted by a number is asked of the last iteration", "[jit]") {
  // Neither may fail before the loop, where it may be done in vain, and neither needs a question of its own.
  for (const std::string_view made : {"  v7 = div.u64 v5 v10 @3\n", "  v7 = shr.u64 v5 v10 @3\n"}) {
    INFO(made);
    const std::string asked = versioned(kPoint, made, "v7");
    CHECK(asked.contains("guard.leaves.lt.u64"));
    CHECK_FALSE(asked.contains("guard.lt.u64"));
    CHECK_FALSE(asked.contains("leaves.checked"));
  }
}

TEST_CASE("an index divided by what is no number, shifted up or of a signed counter stays guarded in its loop",
          "[jit]") {
  for (const std::string_view made :
       {"  v7 = div.exact.u64 v5 v3 @3\n", "  v7 = div.u64 v5 v4 @3\n", "  v7 = shl.u64 v5 v10 @3\n",
        "  v7 = rem.u64 v5 v10 @3\n", "  v7 = div.checked.u64 v5 v10 @3 [r3=v5]\n", "  v7 = add.u64 v5 v10 @3\n"}) {
    INFO(made);
    const std::string kept = versioned(kPoint, made, "v7");
    CHECK(kept.contains("guard.lt.u64 v7 v3"));
  }
}

TEST_CASE("a checked sum in an index is asked of the last iteration before the guard that uses it", "[jit]") {
  const std::string asked = versioned(kPoint, "  v7 = add.checked.u64 v5 v10 @3 [r3=v5]\n", "v7");
  CHECK(asked.contains("add.leaves.checked.u64"));
  CHECK(is_before(asked, "add.leaves.checked.u64", "guard.leaves.lt.u64"));
  CHECK_FALSE(asked.contains("add.checked.u64 v5"));
}

TEST_CASE("points go when every question that leaves was put, before loops are made others and stores are left out",
          "[jit]") {
  const auto place = [](std::string_view name, bool last) {
    std::size_t found = 0;
    for (std::size_t k = 0; k < ssa::passes().size(); ++k) {
      if (ssa::passes()[k].name == name && (last || found == 0)) found = k + 1;
    }
    REQUIRE(found != 0);
    return found;
  };
  CHECK(place("versions", true) < place("points", false));
  CHECK(place("points", true) < place("memory", true));
  CHECK(place("points", true) < place("vectors", false));
  CHECK_FALSE(after(ssa::remove_points,
                    "b0 @0:\n  v1 = slot.u64 #0\n  jump -> b1\nb1 @1:\n  point @1 [r0=v1]\n  branch.eq.u64 "
                    "v1 v1 @2 -> b1 b2\nb2 @3:\n  return\n")
                  .contains("point"));
}

// ------------------------------------------------------------------------------------------------------ the frame's
// memory

namespace {

/// Two loops, one within the other, that add up a field of a record of the frame. `asked` stands in the inner one.
std::string summed(std::string_view asked, std::string_view behind = "") {
  return after(ssa::promote_memory, with(with(R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = frame.address.u64 #0
  v4 = const.u64 #0
  v9 = const.u64 #1
  store.u64 v3 _ v4 @0
  jump -> b1
b1 @1:
  v5 = phi.u64 [b0=v4 b3=v8]
  jump -> b2
b2 @2:
  v6 = phi.u64 [b1=v4 b2=v11]
$  v7 = load.u64 v3 @3
  v10 = add.u64 v7 v6 @3
  store.u64 v3 _ v10 @4
  v11 = add.exact.u64 v6 v9 @5
  branch.lt.u64 v11 v1 @5 -> b2 b3 likely
b3 @6:
  v8 = add.exact.u64 v5 v9 @6
  branch.lt.u64 v8 v2 @6 -> b1 b4 likely
b4 @7:
$  v12 = load.u64 v3 @8
  return v12
)",
                                              asked),
                                         behind));
}

std::size_t count_of(const std::string& text, std::string_view what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a field that nested loops add up is a value in both, and in memory only where a guard may leave", "[jit]") {
  const std::string free = summed("");
  CHECK(count_of(free, "load.u64") == 0);
  CHECK(count_of(free, "store.u64") == 0);
  CHECK(count_of(free, "phi.u64") == 4);  // the counters, and the field in each loop
  const std::string leaving = summed("  guard.leaves.lt.u64 v6 v2 !bounds @2 [r0=v1 r1=v2]\n");
  CHECK(count_of(leaving, "load.u64") == 0);
  CHECK(count_of(leaving, "store.u64") == 2);
  // A guard that traps tells nothing of what lies in the frame.
  const std::string trapping = summed("  guard.lt.u64 v6 v2 !bounds @2 [r0=v1 r1=v2]\n");
  CHECK(count_of(trapping, "store.u64") == 0);
}

TEST_CASE("a guard that leaves behind both loops keeps the loop's store before it, a point and a poll do so too",
          "[jit]") {
  const auto keeps = [](const std::string& text) { return text.contains("store.u64 v3 _ v10"); };
  CHECK(keeps(summed("", "  guard.leaves.lt.u64 v1 v2 !bounds @7 [r0=v1 r1=v2]\n")));
  CHECK(keeps(summed("", "  poll @7 [r0=v1 r1=v2]\n")));
  CHECK(keeps(summed("  point @2 [r0=v1 r1=v2 r2=v6]\n")));
  CHECK_FALSE(keeps(summed("", "  guard.lt.u64 v1 v2 !bounds @7 [r0=v1 r1=v2]\n")));
}

TEST_CASE("a store behind the last place where control may leave goes", "[jit]") {
  const std::string apart = after(ssa::promote_memory, R"(b0 @0:
  v1 = slot.u64 #0
  v2 = slot.u64 #1
  v3 = frame.address.u64 #0
  store.u64 v3 _ v1 @1
  guard.leaves.lt.u64 v1 v2 !bounds @2 [r0=v1 r1=v2]
  branch.lt.u64 v1 v2 @2 -> b1 b2
b1 @3:
  store.u64 v3 _ v2 @3
  jump -> b2
b2 @4:
  v4 = load.u64 v3 @4
  return v4
)");
  CHECK(apart.contains("store.u64 v3 _ v1"));
  CHECK_FALSE(apart.contains("store.u64 v3 _ v2"));
  CHECK_FALSE(apart.contains("load.u64"));
}

// -------------------------------------------------------------------------------------------------------------- facts

TEST_CASE("a guard that went because another says the same still says it", "[jit]") {
  const std::string text = after(ssa::remove_guards, R"(b0 @0:
  v1 = slot.u64 #0
  v2 = const.u64 #100
  v3 = const.u64 #7
  guard.lt.u64 v1 v2 !bounds @1 [r0=v1]
  guard.lt.u64 v1 v2 !bounds @2 [r0=v1]
  v4 = add.checked.u64 v1 v3 @3 [r0=v1]
  return v4
)");
  CHECK(count_of(text, "guard") == 1);
  CHECK(text.contains("add.exact.u64"));
}

// ---------------------------------------------------------------------------------------------------------- jumps on
// floats

TEST_CASE("a jump on floats that are numbers is decided, with a NaN it goes where the relation fails", "[jit]") {
  const auto gone = [](std::string_view relation, std::string_view a) {
    return after(ssa::propagate_constants, with(with(R"(b0 @0:
  v1 = const.f64 #$
  v2 = const.f64 #4607182418800017408
  v3 = const.u64 #1
  v4 = const.u64 #2
  branch.$.f64 v1 v2 -> b1 b2
b1 @1:
  return v3
b2 @2:
  return v4
)",
                                                     a),
                                                relation));
  };
  constexpr std::string_view kHalf = "4602678819172646912";
  constexpr std::string_view kNan = "9221120237041090560";
  CHECK(gone("lt", kHalf).contains("return v3"));
  CHECK(gone("notlt", kHalf).contains("return v4"));
  CHECK(gone("lt", kNan).contains("return v4"));
  CHECK(gone("le", kNan).contains("return v4"));
  CHECK(gone("eq", kNan).contains("return v4"));
  CHECK(gone("ne", kNan).contains("return v3"));
  CHECK(gone("notlt", kNan).contains("return v3"));
  CHECK(gone("notle", kNan).contains("return v3"));
}

TEST_CASE("a jump on integers decides another behind it, one on floats does not: a NaN is neither below nor above",
          "[jit]") {
  const auto both = [](std::string_view kind) {
    const std::string k(kind);
    return after(ssa::remove_guards, "b0 @0:\n  v1 = slot." + k + " #0\n  v2 = slot." + k + " #1\n  branch.lt." + k +
                                         " v1 v2 @1 -> b1 b2\nb1 @2:\n  return v1\nb2 @3:\n  branch.ge." + k +
                                         " v1 v2 @3 -> b3 b4\nb3 @4:\n  return v2\nb4 @5:\n  return v1\n");
  };
  CHECK(count_of(both("u64"), "branch") == 1);
  CHECK(count_of(both("i32"), "branch") == 1);
  CHECK(count_of(both("f64"), "branch") == 2);
}

TEST_CASE("what a jump on floats guards stays behind it", "[jit]") {
  const auto guarded = [](std::string_view kind) {
    const std::string k(kind);
    return after(ssa::convert_conditions, "b0 @0:\n  v1 = slot." + k + " #0\n  v2 = slot." + k +
                                              " #1\n  v3 = slot.u64 #2\n  v6 = const.u64 #7\n  branch.lt." + k +
                                              " v1 v2 @1 -> b1 b2\nb1 @2:\n  v4 = xor.u64 v3 v6 @2\n  jump -> b2\n"
                                              "b2 @3:\n  v5 = phi.u64 [b0=v3 b1=v4]\n  return v5\n");
  };
  CHECK_FALSE(guarded("i64").contains("branch"));
  CHECK(guarded("f64").contains("branch.lt.f64"));
}

}  // namespace cairn::tests
