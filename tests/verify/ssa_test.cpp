// The optimizing tier's passes against the model: what a pass makes of a function refines what it was, and a wrong
// rewrite of each pass is refuted by an input on which both forms were evaluated.
#include <algorithm>
#include <functional>

#include <catch2/catch.hpp>

#include "jit/ssa/build.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/text.hpp"
#include "tests/jit/random_module.hpp"
#include "tests/verify/support.hpp"
#include "vm/interpreter/native.hpp"
#include "vm/verify/ssa/refinement.hpp"

using namespace cairn;
namespace ssa = jit::ssa;
using verify::Refinement;

namespace {

constexpr std::uint32_t kVectorBytes = 16;  // a vector of two or four elements, which few turns fill

verify::RefinementOptions options() {
  verify::RefinementOptions options;
  options.timeout_ms = 20000;  // a loaded machine's
  options.vector_bytes = kVectorBytes;
  options.turns = 4;
  return options;
}

ssa::Instruction* find_if(ssa::Function& f, const std::function<bool(const ssa::Instruction&)>& fits) {
  for (const ssa::Block& block : f.blocks) {
    for (const ssa::Value value : block.code) {
      if (fits(f.at(value))) return &f.at(value);
    }
  }
  return nullptr;
}

/// The number-th run of the pass over f's form, and what becomes of it when `spoil` goes over what the pass made.
Refinement spoiled(std::string_view text, std::string_view pass, std::uint32_t number,
                   const std::function<bool(ssa::Function&)>& spoil) {
  const test::Program program(text);
  const Image image(program.module(), NativeTable{});
  auto form = ssa::build(image.module(), program.code(), {});
  REQUIRE(form);
  const ssa::Context context{image.module(), false, kVectorBytes};
  for (const ssa::Pass& each : ssa::passes()) {
    const ssa::Function before = *form;
    each.run(*form, context);
    if (each.name != pass || number-- != 0) continue;
    INFO(ssa::write(before) << "\n" << ssa::write(*form));
    const Refinement right = verify::refine(image, before, *form, options());
    INFO(right.reason << right.input << right.expected << right.actual);
    CHECK(right.status == Refinement::Status::Refines);
    REQUIRE(spoil(*form));
    CHECK(ssa::verify(*form).empty());
    return verify::refine(image, before, *form, options());
  }
  FAIL("there is no such pass");
  return {};
}

void check_refuted(const Refinement& answer) {
  INFO(answer.reason);
  CHECK(answer.status == Refinement::Status::Refuted);
  CHECK(answer.expected != answer.actual);
}

constexpr std::string_view kSum =
    "fn f(n:usize, xs:ro<u32>[n]) -> u32 { let mut t:u32 = 0; for i in 0..n { t = add_wrap(t, xs[i]); } return t; }\n";

}  // namespace

TEST_CASE("a phi that takes the other way's value is refuted", "[ssa]") {
  check_refuted(spoiled("fn f(a:u32, b:u32) -> u32 { let mut r:u32 = a; if a < b { r = b; } return r; }\n", "clean", 0,
                        [](ssa::Function& f) {
                          ssa::Instruction* const phi =
                              find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Phi && i.use_count == 2; });
                          if (phi == nullptr) return false;
                          std::swap(f.uses_of(*phi)[0].slot, f.uses_of(*phi)[1].slot);
                          return true;
                        }));
}

TEST_CASE("an inlined call that is given its arguments in another order is refuted", "[ssa]") {
  check_refuted(spoiled("fn less(a:u32, b:u32) -> u32 = a - b;\nfn f(a:u32, b:u32) -> u32 = less(a, b);\n", "inlining",
                        0, [](ssa::Function& f) {
                          ssa::Instruction* const less =
                              find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Sub && i.frame != 0; });
                          if (less == nullptr) return false;
                          std::swap(less->a, less->b);
                          return true;
                        }));
}

TEST_CASE("a number one too large is refuted", "[ssa]") {
  check_refuted(spoiled("fn f(a:u32) -> u32 { let k:u32 = 3 * 5; return add_wrap(a, k); }\n", "constants", 0,
                        [](ssa::Function& f) {
                          ssa::Instruction* const number =
                              find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Const && i.immediate == 15; });
                          if (number == nullptr) return false;
                          ++number->immediate;
                          return true;
                        }));
}

TEST_CASE("a value that is taken for another one is refuted", "[ssa]") {
  check_refuted(spoiled("fn f(a:u32, b:u32) -> u32 = (a ^ b) + (a ^ b);\n", "numbering", 0, [](ssa::Function& f) {
    ssa::Instruction* const sum = find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Add; });
    if (sum == nullptr) return false;
    sum->b = f.at(sum->b).a;
    return true;
  }));
}

TEST_CASE("a guard that is left out without a proof is refuted", "[ssa]") {
  constexpr std::string_view kText =
      "fn f(n:usize, xs:ro<u32>[n], i:usize) -> u32 { if n > 4 { return xs[3]; } "
      "return xs[i]; }\n";
  check_refuted(spoiled(kText, "guards", 0, [](ssa::Function& f) {
    ssa::Instruction* const guard = find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Guard; });
    if (guard == nullptr) return false;
    *guard = {};
    for (ssa::Block& block : f.blocks) {
      std::erase_if(block.code, [&](ssa::Value value) { return f.at(value).op == ssa::Opcode::Nop; });
    }
    return true;
  }));
}

TEST_CASE("a checked sum that is taken for an exact one is refuted", "[ssa]") {
  check_refuted(spoiled("fn f(a:u8, b:u8) -> u8 = a + b;\n", "guards", 0, [](ssa::Function& f) {
    ssa::Instruction* const sum =
        find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Add && i.mode == ssa::Mode::Checked; });
    if (sum == nullptr) return false;
    sum->mode = ssa::Mode::Exact;
    sum->use_count = 0;
    return true;
  }));
}

TEST_CASE("a load that is given what was stored somewhere else is refuted", "[ssa]") {
  constexpr std::string_view kText =
      "fn f(n:usize, xs:rw<u32>[n], i:usize, j:usize) -> u32 { xs[i] = 7; xs[j] = 9; return xs[i]; }\n";
  check_refuted(spoiled(kText, "memory", 0, [](ssa::Function& f) {
    ssa::Instruction* const load = find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Load; });
    const ssa::Instruction* const store = find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Store; });
    ssa::Instruction* const end = find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Return; });
    if (load == nullptr || store == nullptr || end == nullptr) return false;
    end->a = store->c;
    return true;
  }));
}

TEST_CASE("a loop version that asks one element too few is refuted", "[ssa]") {
  constexpr std::string_view kText =
      "fn f(n:usize, m:usize, xs:ro<u32>[n]) -> u32 { let mut t:u32 = 0; for i in 0..m { t = add_wrap(t, xs[i]); } "
      "return t; }\n";
  check_refuted(spoiled(kText, "versions", 0, [](ssa::Function& f) {
    ssa::Instruction* const guard = find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Guard && i.leaves; });
    if (guard == nullptr) return false;
    guard->relation = jit::Relation::Le;
    return true;
  }));
}

TEST_CASE("a load that is moved before a loop which stores there is refuted", "[ssa]") {
  constexpr std::string_view kText =
      "fn f(n:usize, xs:rw<u32>[n]) -> u32 { let mut t:u32 = 0; if n < 3 { return 0; } "
      "for i in 0..n { t = add_wrap(t, xs[2]); xs[i] = 5; } return t; }\n";
  check_refuted(spoiled(kText, "hoisting", 0, [](ssa::Function& f) {
    // The load of the element that does not change goes to the block before the loop.
    for (ssa::BlockId b = 0; b < f.blocks.size(); ++b) {
      auto& code = f.blocks[b].code;
      for (std::size_t k = 0; k < code.size(); ++k) {
        ssa::Instruction& i = f.at(code[k]);
        if (i.op != ssa::Opcode::Load || std::ranges::find(f.blocks[b].successors, b) == f.blocks[b].successors.end())
          continue;
        for (const ssa::BlockId before : f.blocks[b].predecessors) {
          if (before == b) continue;
          const ssa::Value value = code[k];
          i.block = before;
          code.erase(code.begin() + static_cast<std::ptrdiff_t>(k));
          auto& to = f.blocks[before].code;
          to.insert(to.end() - 1, value);
          return true;
        }
      }
    }
    return false;
  }));
}

TEST_CASE("a vector that is stored one element on is refuted", "[ssa]") {
  constexpr std::string_view kText =
      "fn f(n:usize, xs:ro<u64>[n], ys:rw<u64>[n]) { for i in 0..n { ys[i] = add_wrap(xs[i], 1); } }\n";
  check_refuted(spoiled(kText, "vectors", 0, [](ssa::Function& f) {
    ssa::Instruction* const store = find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Store && i.lanes > 1; });
    if (store == nullptr) return false;
    store->immediate += 8;
    return true;
  }));
}

TEST_CASE("a question about a counter that falls which asks for one element too few is refuted", "[ssa]") {
  constexpr std::string_view kText =
      "fn f(n:usize, m:usize, xs:ro<u32>[n]) -> u32 { let mut t:u32 = 0; let mut k = m; "
      "while k > 0 { k -= 1; t = add_wrap(t, xs[k]); } return t; }\n";
  check_refuted(spoiled(kText, "versions", 0, [](ssa::Function& f) {
    ssa::Instruction* const guard = find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Guard && i.leaves; });
    if (guard == nullptr) return false;
    guard->relation = jit::Relation::Le;
    return true;
  }));
}

TEST_CASE("a turn of an unrolled loop that reads the element of the turn before is refuted", "[ssa]") {
  constexpr std::string_view kText = "fn f(n:usize, xs:rw<u8>[n]) { for i in 0..n { xs[i] = xs[i] + 1; } }\n";
  check_refuted(spoiled(kText, "unrolling", 0, [](ssa::Function& f) {
    ssa::Instruction* const load =
        find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Load && i.immediate == 2; });
    if (load == nullptr) return false;
    load->immediate = 1;
    return true;
  }));
}

TEST_CASE("rows whose results are stored one row on are refuted", "[ssa]") {
  constexpr std::string_view kText =
      "fn f(n:usize, v:ro<u64>[2], w:ro<u64>[n], out:rw<u64>[n]) { for i in 0..n { let mut s:u64 = 0; "
      "for j in 0..2 { s = add_wrap(s, v[j] ^ w[i]); } out[i] = s; } }\n";
  check_refuted(spoiled(kText, "rows", 0, [](ssa::Function& f) {
    ssa::Instruction* const store = find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Store && i.lanes > 1; });
    if (store == nullptr) return false;
    store->immediate += 8;
    return true;
  }));
}

TEST_CASE("a sum kept in a register that is stored one turn early is refuted", "[ssa]") {
  constexpr std::string_view kText =
      "fn f(n:usize, xs:ro<u64>[n], out:rw<u64>) { for i in 0..n { out = out ^ xs[i]; } }\n";
  check_refuted(spoiled(kText, "accumulators", 0, [](ssa::Function& f) {
    ssa::Instruction* const store = find_if(f, [&](const ssa::Instruction& i) {
      return i.op == ssa::Opcode::Store && f.at(i.c).op == ssa::Opcode::Xor && f.at(i.c).block != i.block;
    });
    if (store == nullptr) return false;
    const ssa::Instruction& sum = f.at(store->c);
    store->c = f.at(sum.a).op == ssa::Opcode::Phi ? sum.a : sum.b;
    return true;
  }));
}

TEST_CASE("a selection with its sides exchanged is refuted", "[ssa]") {
  check_refuted(spoiled("fn f(a:u32, b:u32) -> u32 { let mut r:u32 = a; if a < b { r = a ^ b; } return r; }\n",
                        "conditions", 0, [](ssa::Function& f) {
                          ssa::Instruction* const chosen =
                              find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Select; });
                          if (chosen == nullptr) return false;
                          std::swap(chosen->b, chosen->c);
                          return true;
                        }));
}

TEST_CASE("a way past a loop's test that takes the bound for the count is refuted", "[ssa]") {
  constexpr std::string_view kText =
      "fn f(a:u8, n:u8) -> u8 { let mut k:u8 = a; let mut t:u8 = 0; let mut s:u8 = 0; while k > 0 { "
      "if t < n { t = add_wrap(t, 1); s = add_wrap(s, 3); } else { k = sub_wrap(k, 1); t = 0; } } return s; }\n";
  check_refuted(spoiled(kText, "threading", 0, [](ssa::Function& f) {
    const ssa::Instruction* const test = find_if(f, [&](const ssa::Instruction& i) {
      return i.op == ssa::Opcode::Branch && f.at(i.a).op == ssa::Opcode::Slot && f.at(i.b).op == ssa::Opcode::Phi;
    });
    if (test == nullptr) return false;
    std::vector<ssa::Use> ways(f.uses_of(f.at(test->b)).begin(), f.uses_of(f.at(test->b)).end());
    const auto counted =
        std::ranges::find_if(ways, [&](const ssa::Use& use) { return f.at(use.value).op == ssa::Opcode::Add; });
    if (counted == ways.end()) return false;
    counted->value = test->a;
    f.set_uses(f.at(test->b), ways);
    return true;
  }));
}

TEST_CASE("a reciprocal that is shifted too far is refuted", "[ssa]") {
  check_refuted(spoiled("fn f(a:u8) -> u8 = a / 7;\n", "strength", 0, [](ssa::Function& f) {
    ssa::Instruction* const shift = find_if(f, [](const auto& i) { return i.op == ssa::Opcode::Shr; });
    if (shift == nullptr) return false;
    f.at(shift->b).immediate += 1;
    return true;
  }));
}

TEST_CASE("a store that goes with the point beside it is refuted", "[ssa]") {
  constexpr std::string_view kText =
      "fn f(n:usize, xs:rw<u32>[n]) -> u32 { let mut t:u32 = 0; for i in 0..n { t = add_wrap(t, xs[i]); xs[i] = t; } "
      "return t; }\n";
  check_refuted(spoiled(kText, "points", 0, [](ssa::Function& f) {
    for (ssa::Block& block : f.blocks) {
      const auto store =
          std::ranges::find_if(block.code, [&](ssa::Value value) { return f.at(value).op == ssa::Opcode::Store; });
      if (store == block.code.end()) continue;
      f.at(*store) = {};
      block.code.erase(store);
      return true;
    }
    return false;
  }));
}

TEST_CASE("every pass over small functions refines what it was given", "[ssa]") {
  constexpr std::string_view kTexts[] = {
      kSum,
      "fn f(a:i32, b:i32) -> i32 { if b == 0 { return 0; } return a / b + a % b; }\n",
      "fn f(n:usize, xs:rw<i64>[n], k:i64) { for i in 0..n { if xs[i] > k { xs[i] = xs[i] - k; } } }\n",
      "struct P { x:u32; y:u32; }\nfn f(a:u32, b:u32) -> u32 { let mut p = P(a, b); p.x = p.x + p.y; "
      "return p.x * 2; }\n",
      "fn f(a:u64) -> u64 { let mut v = a; let mut n:u64 = 0; while v != 0 { v = shr(v, 1); n = n + 1; } return n; }\n",
      "fn g(a:u8) -> u8 = a + 1;\nfn f(a:u8) -> u8 = g(g(a));\n",
      "fn f(a:f64, b:f64) -> f64 { if a < b { return a * b + 1.0; } return a / b; }\n",
      "fn f(n:usize, xs:rw<u8>[n], k:u8) { for i in 0..n { xs[i] = xs[i] + k; } }\n",
      "fn f(n:usize, xs:rw<u32>[n]) { if n == 0 { return; } let mut a:usize = 0; let mut b = n - 1; "
      "while a < b { let kept = xs[a]; xs[a] = xs[b]; xs[b] = kept; a += 1; b -= 1; } }\n",
      "fn f(n:usize, v:ro<u64>[2], w:ro<u64>[n], out:rw<u64>[n]) { for i in 0..n { let mut s:u64 = 0; "
      "for j in 0..2 { s = add_wrap(s, v[j] ^ w[i]); } out[i] = s; } }\n",
  };
  verify::RefinementOptions whole = options();
  whole.from_loops = false;
  for (const std::string_view text : kTexts) {
    const test::Program program(text);
    const Image image(program.module(), NativeTable{});
    INFO(text);
    const auto answers = verify::refine_passes(image, program.code(), whole);
    REQUIRE(answers);
    for (const auto& each : *answers) {
      INFO(each.pass << ": " << each.answer.reason << each.answer.input << " " << each.answer.expected << " / "
                     << each.answer.actual << "\n"
                     << each.before << "\n"
                     << each.after);
      CHECK(each.answer.status == Refinement::Status::Refines);
    }
  }
}

TEST_CASE("passes over a form in which a running frame is taken up refine what they were given", "[ssa]") {
  const test::Program program(kSum);
  const Image image(program.module(), NativeTable{});
  verify::RefinementOptions few = options();
  few.timeout_ms = 1000;
  const auto answers = verify::refine_passes(image, program.code(), few);
  REQUIRE(answers);
  std::size_t proved = 0;
  for (const auto& each : *answers) {
    INFO(each.pass << each.answer.input);
    CHECK(each.answer.status != Refinement::Status::Refuted);
    proved += each.line != 0 && each.answer.status == Refinement::Status::Refines ? 1 : 0;
  }
  CHECK(proved > 2);
}

TEST_CASE("no pass over random programs is refuted", "[ssa]") {
  verify::RefinementOptions few = options();
  few.turns = 3;
  few.timeout_ms = 100;
  std::size_t proved = 0, asked = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Image image(tests::random_module(seed), NativeTable{});
    for (std::uint32_t function = 0; function < image.module().functions.size(); ++function) {
      const auto answers = verify::refine_passes(image, function, few);
      if (!answers) continue;
      for (const auto& each : *answers) {
        INFO("seed " << seed << ", function " << function << ", " << each.pass << " at " << each.answer.input << ": "
                     << each.answer.expected << " / " << each.answer.actual << "\n"
                     << each.before << "\n"
                     << each.after);
        CHECK(each.answer.status != Refinement::Status::Refuted);
        proved += each.answer.status == Refinement::Status::Refines ? 1 : 0;
        ++asked;
      }
    }
  }
  CHECK(proved > asked / 4);
}
