// What the model of a form's memory must not take for unchanged: memory that got out, that another width writes over,
// that lies beside what is meant. Each wrong pair of forms stands beside the right one nearest to it.
#include <algorithm>

#include <catch2/catch.hpp>

#include "jit/ssa/build.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/text.hpp"
#include "tests/jit/ssa/text_form.hpp"
#include "tests/verify/support.hpp"
#include "vm/interpreter/native.hpp"
#include "vm/verify/ssa/refinement.hpp"

using namespace cairn;
namespace ssa = jit::ssa;
using verify::Refinement;

namespace {

using Status = Refinement::Status;

verify::RefinementOptions options() {
  verify::RefinementOptions options;
  options.timeout_ms = 20000;  // a loaded machine's
  options.turns = 4;
  return options;
}

/// A function with two objects of two u64 each in its frame, whose forms are written out: `{p}` and `{q}` are where
/// they start, a and i its parameters.
class Forms {
 public:
  Forms()
      : program_(
            "struct P { x:u64; y:u64; }\nfn set(p:rw<P>, i:u64) { p.x = i; }\n"
            "fn f(a:u64, i:u64) -> u64 { let mut p = P(a, 1); let mut q = P(i, 3); set(p, i); set(q, a); "
            "return p.x ^ q.y; }\n"),
        image_(program_.module(), NativeTable{}) {
    const auto& objects = image_.module().functions[program_.code()].objects;
    REQUIRE(objects.size() >= 2);
    p_ = objects[0].offset;
    q_ = objects[1].offset;
    REQUIRE(q_ == p_ + 16);
  }
  [[nodiscard]] Status of(std::string_view before, std::string_view after) const {
    const Refinement answer = verify::refine(image_, form(before), form(after), options());
    UNSCOPED_INFO(answer.reason << answer.input << ": " << answer.expected << " / " << answer.actual);
    return answer.status;
  }

 private:
  [[nodiscard]] ssa::Function form(std::string_view body) const {
    std::string text =
        "function " + std::to_string(program_.code()) + " entry 0\nb0 @0:\n  v1 = slot.u64 #0\n  v2 = slot.u64 #1\n";
    for (std::size_t k = 0; k < body.size(); ++k) {
      const std::string_view rest = body.substr(k, 3);
      if (rest == "{p}" || rest == "{q}") {
        text += std::to_string(rest == "{p}" ? p_ : q_);
        k += 2;
      } else {
        text += body[k];
      }
    }
    ssa::Function made;
    std::string error;
    INFO(text);
    if (!ssa::read(text, made, error)) FAIL(error);
    CHECK(ssa::verify(made) == "");
    return made;
  }

  test::Program program_;
  Image image_;
  std::uint64_t p_ = 0, q_ = 0;
};

/// f's form as it is built and passes have worked on it, up to the first of that name; then with a change.
struct Changed {
  Status same, changed;
};
template <class Change>
Changed changed(std::string_view text, std::string_view pass, Change change) {
  const test::Program program(text);
  const Image image(program.module(), NativeTable{});
  auto form = ssa::build(image.module(), program.code(), {});
  REQUIRE(form);
  const ssa::Context context{image.module(), false, 16};
  for (const ssa::Pass& each : ssa::passes()) {
    const ssa::Function before = *form;
    each.run(*form, context);
    if (each.name != pass) continue;
    INFO(ssa::write(before) << "\n" << ssa::write(*form));
    const Status same = verify::refine(image, before, *form, options()).status;
    REQUIRE(change(*form));
    CHECK(ssa::verify(*form) == "");
    const Refinement wrong = verify::refine(image, before, *form, options());
    UNSCOPED_INFO(wrong.reason << wrong.input << ": " << wrong.expected << " / " << wrong.actual);
    return {same, wrong.status};
  }
  FAIL("there is no such pass");
  return {};
}

/// Takes the first instruction of a kind out.
bool take_out(ssa::Function& f, ssa::Opcode op) {
  for (ssa::Block& block : f.blocks) {
    const auto found = std::ranges::find_if(block.code, [&](ssa::Value value) { return f.at(value).op == op; });
    if (found == block.code.end()) continue;
    f.at(*found) = {};
    block.code.erase(found);
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("what lay in an object before its address got out is found through that address", "[ssa][places]") {
  const auto stored = [](std::string_view value) {
    return "  v3 = frame.address.u64 #{p}\n  v4 = frame.address.u64 #{q}\n  store.u64 v3 _ " + std::string(value) +
           "\n  store.u64 v4 _ v3\n  v5 = load.u64 v4\n  v6 = load.u64 v5\n  return v6\n";
  };
  const Forms forms;
  CHECK(forms.of(stored("v1"), stored("v1")) == Status::Refines);
  CHECK(forms.of(stored("v1"), stored("v2")) == Status::Refuted);
}

TEST_CASE("an address that got out on one of two ways alone is followed on both", "[ssa][places]") {
  const auto stored = [](std::string_view value) {
    return "  v3 = frame.address.u64 #{p}\n  v4 = frame.address.u64 #{q}\n  store.u64 v3 _ " + std::string(value) +
           "\n  v7 = const.u64 #3\n  branch.lt.u64 v1 v7 -> b1 b2\nb1 @0:\n  store.u64 v4 _ v3\n  jump -> b2\nb2 @0:\n"
           "  store.u64 v4 _ v3\n  v5 = load.u64 v4\n  v6 = load.u64 v5\n  return v6\n";
  };
  const Forms forms;
  CHECK(forms.of(stored("v1"), stored("v1")) == Status::Refines);
  CHECK(forms.of(stored("v1"), stored("v2")) == Status::Refuted);
}

TEST_CASE("an address in the lanes of a vector that is stored got out", "[ssa][places]") {
  const auto ended = [](std::string_view value) {
    return "  v3 = frame.address.u64 #{p}\n  v4 = frame.address.u64 #{q}\n  store.u64 v3 _ v1\n  v5 = splat.u64x2 v3\n"
           "  store.u64x2 v4 _ v5\n  v6 = load.u64 v4\n  store.u64 v6 _ v2\n  v7 = load.u64 v3\n  return " +
           std::string(value) + "\n";
  };
  const Forms forms;
  CHECK(forms.of(ended("v7"), ended("v7")) == Status::Refines);
  CHECK(forms.of(ended("v7"), ended("v1")) == Status::Refuted);
}

TEST_CASE("a number that is computed from an address may lead where it does", "[ssa][places]") {
  const auto ended = [](std::string_view value) {
    return "  v3 = frame.address.u64 #{p}\n  store.u64 v3 _ v1\n  v5 = const.u64 #0\n  v6 = or.u64 v3 v5\n"
           "  store.u64 v6 _ v2\n  v7 = load.u64 v3\n  return " +
           std::string(value) + "\n";
  };
  const Forms forms;
  CHECK(forms.of(ended("v7"), ended("v7")) == Status::Refines);
  CHECK(forms.of(ended("v7"), ended("v1")) == Status::Refuted);
}

TEST_CASE("an object that the function has not written holds anything", "[ssa][places]") {
  const std::string_view zeroed = "  v3 = frame.address.u64 #{p}\n  zero v3 #16\n  v4 = load.u64 v3 #8\n  return v4\n";
  const Forms forms;
  CHECK(forms.of(zeroed, "  v4 = const.u64 #0\n  return v4\n") == Status::Refines);
  CHECK(forms.of(zeroed, "  v3 = frame.address.u64 #{p}\n  v4 = load.u64 v3 #8\n  return v4\n") != Status::Refines);
}

TEST_CASE("a store that lies across two elements changes both", "[ssa][places]") {
  const auto stored = [](std::string_view way) {
    return "  v3 = frame.address.u64 #{p}\n  store.u64 v3 _ v1\n  store.u64 v3 _ v2 #" + std::string(way) +
           "\n  v4 = load.u64 v3\n  return v4\n";
  };
  const Forms forms;
  CHECK(forms.of(stored("8"), "  return v1\n") == Status::Refines);
  CHECK(forms.of(stored("4"), "  return v1\n") != Status::Refines);
  CHECK(forms.of("  return v1\n", stored("4")) != Status::Refines);
}

TEST_CASE("a store of another width changes what it lies over", "[ssa][places]") {
  const auto stored = [](std::string_view rest) {
    return "  v3 = frame.address.u64 #{p}\n  store.u64 v3 _ v1\n  store.u8 v3 _ v2 #3\n  v4 = load.u64 v3\n" +
           std::string(rest);
  };
  const Forms forms;
  CHECK(forms.of(stored("  return v4\n"), stored("  return v4\n")) == Status::Refines);
  CHECK(forms.of(stored("  return v4\n"), stored("  return v1\n")) != Status::Refines);
}

TEST_CASE("a store past an object's end is one to its neighbour", "[ssa][places]") {
  const auto stored = [](std::string_view way) {
    return "  v3 = frame.address.u64 #{p}\n  v4 = frame.address.u64 #{q}\n  store.u64 v4 _ v1\n  store.u64 v3 _ v2 #" +
           std::string(way) + "\n  v5 = load.u64 v4\n  return v5\n";
  };
  const Forms forms;
  CHECK(forms.of("  return v1\n", stored("8")) == Status::Refines);
  CHECK(forms.of("  return v1\n", stored("16")) != Status::Refines);
  const auto indexed = [](std::string_view least) {
    return "  v3 = frame.address.u64 #{p}\n  v4 = frame.address.u64 #{q}\n  v6 = const.u64 #" + std::string(least) +
           "\n  v7 = min.u64 v2 v6\n  store.u64 v4 _ v1\n  store.u64 v3 v7 v2 *8\n  v5 = load.u64 v4\n  return v5\n";
  };
  CHECK(forms.of("  return v1\n", indexed("1")) == Status::Refines);
  CHECK(forms.of("  return v1\n", indexed("2")) == Status::Refuted);
}

TEST_CASE("an address within an object leads to that object", "[ssa][places]") {
  const auto stored = [](std::string_view within) {
    return "  v3 = frame.address.u64 #{p}\n  v4 = address.u64 v3 #8\n  store.u64 v4 _ v1\n" + std::string(within) +
           "  v6 = load.u64 v3 #8\n  return v6\n";
  };
  const Forms forms;
  CHECK(forms.of(stored(""), "  return v1\n") == Status::Refines);
  CHECK(forms.of("  return v1\n", stored("  v5 = address.u64 v3 #8\n  store.u64 v5 _ v2\n")) == Status::Refuted);
}

TEST_CASE("a store that the callee alone makes is missed where the call is taken in", "[ssa][places]") {
  const Changed store = changed("fn g(x:rw<u16>) { x = 7; }\nfn f(x:rw<u16>) { g(x); }\n", "inlining",
                                [](ssa::Function& f) { return take_out(f, ssa::Opcode::Store); });
  CHECK(store.same == Status::Refines);
  CHECK(store.changed == Status::Refuted);
}

TEST_CASE("a copy is missed in a form that neither loads nor stores", "[ssa][places]") {
  const Changed copy = changed("struct P { a:u64; b:u64; c:u64; d:u64; e:u64; }\nfn f(a:rw<P>, b:ro<P>) { a = b; }\n",
                               "clean", [](ssa::Function& f) { return take_out(f, ssa::Opcode::Copy); });
  CHECK(copy.same == Status::Refines);
  CHECK(copy.changed == Status::Refuted);
}

TEST_CASE("a loop that never ends does not refine one that does", "[ssa][places]") {
  constexpr std::string_view kText =
      "fn f(n:usize, xs:ro<u32>[n]) -> u32 { let mut t:u32 = 0; for i in 0..n { t = add_wrap(t, xs[0]); } return t; "
      "}\n";
  const Changed loop = changed(kText, "clean", [](ssa::Function& f) {
    for (ssa::Block& block : f.blocks) {
      for (const ssa::Value value : block.code) {
        const ssa::Instruction& i = f.at(value);
        if (i.op != ssa::Opcode::Add || i.kind != jit::Kind::U64) continue;
        ssa::Instruction zero;
        zero.op = ssa::Opcode::Const;
        zero.kind = jit::Kind::U64;
        zero.block = 0;
        const ssa::Value never = f.make(zero);
        f.at(value).b = never;
        f.blocks[0].code.insert(f.blocks[0].code.begin(), never);
        return true;
      }
    }
    return false;
  });
  CHECK(loop.same == Status::Refines);
  CHECK(loop.changed == Status::Refuted);
}
