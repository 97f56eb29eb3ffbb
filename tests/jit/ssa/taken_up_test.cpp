// Frames taken up in the middle of a loop: which loops their code has, and that hot code is reached from wherever the
// fuel runs out.
#include "jit/ssa/build.hpp"
#include "jit/ssa/flow.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/text.hpp"
#include "tests/jit/both_tiers.hpp"

namespace cairn::tests {
namespace {

namespace ssa = jit::ssa;

Module from_text(std::string_view text) {
  auto module = read_text(text);
  if (!module) FAIL(module.error() << "\n" << text);
  return verified(std::move(*module));
}

/// y[k] = y[k] + x[k] for all k, `rounds` times: one loop in another.
constexpr std::string_view kNest = R"(module "nest"
file 0 "nest.cairn"
type 0 u64
signature 0 (u64, view 0, view mut 0)
function 0 "f" signature 0 kind plain environment none parent none at 0:1:1 slots 12 memory 0 align 16
  r0 u64 "rounds"
  r1 view 0 "x"
  r3 view mut 0 "y"
  r5 u64
  r6 u64
  r7 u64
  r8 u64
  : const r5 0
  L0:
  : const r6 0
  L1:
  : load.at.u64 r7 r1 r6
  : load.at.u64 r8 r3 r6
  : add.wrap.u64 r8 r8 r7
  : store.at.u64 r3 r6 r8
  : loop.next r6 r2 L1
  : loop.next r5 r0 L0
  : return
end
)";

std::uint32_t word_of_target(const bytecode::Function& function, std::uint32_t nth) {
  for (std::uint32_t word = 0; word < function.code.size();) {
    const bytecode::Word* const code = function.code.data() + word;
    if (bytecode::op_of(code[0]) == Op::LoopNext && nth-- == 0) {
      return static_cast<std::uint32_t>(word + std::int64_t{bytecode::t_of(code[1])});
    }
    word += bytecode::instruction_words(code);
  }
  FAIL("no such loop");
  return 0;
}

}  // namespace

TEST_CASE("a loop that is taken up leaves where the loop around it begins again, and is optimized as any other",
          "[jit]") {
  const Module module = from_text(kNest);
  const std::uint32_t inner = word_of_target(module.functions[0], 0);
  const std::uint32_t outer = word_of_target(module.functions[0], 1);
  auto form = ssa::build(module, 0, {inner, false});
  REQUIRE(form);
  CHECK(ssa::verify(*form).empty());
  CHECK(ssa::write(*form).contains("exit @" + std::to_string(outer)));
  const ssa::Loops loops(*form, ssa::Dominators(*form));
  REQUIRE(loops.loops.size() == 1);
  CHECK(loops.loops[0].blocks.size() == 1);
  ssa::optimize(*form, {module, false, 64});
  const std::string text = ssa::write(*form);
  CHECK(text.contains("add.u64x8"));  // the parameters are still what they were
  auto around = ssa::build(module, 0, {outer, false});
  REQUIRE(around);
  CHECK_FALSE(ssa::write(*around).contains("exit @"));
  CHECK(ssa::Loops(*around, ssa::Dominators(*around)).loops.size() == 2);
}

TEST_CASE("a view whose slot the function writes is no parameter when a loop is taken up", "[jit]") {
  std::string text(kNest);
  text.replace(text.find("  : const r5 0\n"), 15, "  : const r5 0\n  : move.pair r3 r1\n");
  for (const std::string_view reads : {"view 0, view", "r1 view 0"}) {
    const std::size_t at = text.find(reads) + reads.find("view 0");
    text.replace(at, 6, "view mut 0");
  }
  const Module module = from_text(text);
  auto form = ssa::build(module, 0, {word_of_target(module.functions[0], 0), false});
  REQUIRE(form);
  ssa::optimize(*form, {module, false, 64});
  CHECK_FALSE(ssa::write(*form).contains("add.u64x8"));
}

TEST_CASE("a nest of loops that turns hot within does what the interpreter does", "[jit]") {
  const CodeFromSsa from_ssa(true);
  const Image image(from_text(kNest), {});
  const auto run = [&](Tier tier, std::uint64_t rounds, std::uint64_t length, std::uint64_t written) {
    std::vector<std::uint64_t> x(300), y(300, 5);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = k * 7 + 1;
    Engine engine(image, tier);
    const std::uint64_t arguments[] = {rounds, reinterpret_cast<std::uint64_t>(x.data()), length,
                                       reinterpret_cast<std::uint64_t>(y.data()), written};
    const Ending ending = engine.call(0, arguments);
    CHECK(ending.trap.empty() == (written >= length));
    return std::pair(ending, y);
  };
  for (const std::uint64_t length : {300U, 64U, 8U, 1U}) {
    INFO("length " << length);
    const std::uint64_t rounds = 1'000'000 / length;
    CHECK(run(Tier::Interpreter, rounds, length, 300) == run(Tier::Auto, rounds, length, 300));
    CHECK(run(Tier::Interpreter, rounds, length, length - 1) == run(Tier::Auto, rounds, length, length - 1));
  }
}

TEST_CASE("a function without loops that is called often gets better code, and so does the loop that calls it",
          "[jit]") {
  const CodeFromSsa from_ssa(true);
  const InBackground asked(false);
  const Image image(from_text(R"(module "calls"
file 0 "calls.cairn"
signature 0 (u64) -> u64
function 0 "f" signature 0 kind plain environment none parent none at 0:1:1 slots 8 memory 0 align 16
  r0 u64
  r1 u64
  r2 u64
  : const r1 0
  : const r2 0
  L0:
  : move o0 r1
  : call o0 1 at 0:3:3
  : add.wrap.u64 r2 r2 o0
  : loop.next r1 r0 L0
  : return.value r2
end
function 1 "g" signature 0 kind plain environment none parent none at 0:2:1 slots 4 memory 0 align 16
  r0 u64
  : mul.wrap.u64 r0 r0 r0
  : return.value r0
end
)"),
                    {});
  Engine engine(image, Tier::Auto);
  const std::uint64_t few[] = {100};
  engine.call(0, few);
  CHECK_FALSE(engine.instance().tiers()->has_optimized_code(0));
  const std::uint64_t many[] = {1'000'000};
  const Ending ending = engine.call(0, many);
  CHECK(ending == Engine(image, Tier::Interpreter).call(0, many));
  CHECK(engine.instance().tiers()->has_optimized_code(0));
  Engine other(image, Tier::Auto);
  for (int call = 0; call < 100; ++call) CHECK(other.call(1, few).value == 10'000);
  CHECK_FALSE(other.instance().tiers()->has_optimized_code(1));
  for (int call = 0; call < 10'000; ++call) CHECK(other.call(1, few).value == 10'000);
  CHECK(other.instance().tiers()->has_optimized_code(1));
}

}  // namespace cairn::tests
