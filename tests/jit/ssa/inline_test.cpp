// Inlined calls still spend depth: the stack overflows at the call where the interpreter's does.
#include "jit/ssa/build.hpp"
#include "jit/ssa/passes.hpp"
#include "tests/jit/ssa/evaluator.hpp"

namespace cairn::tests {
namespace {

constexpr std::string_view kDown = R"(module "down"
file 0 "down.cairn"
signature 0 (u64) -> u64
function 0 "down" signature 0 kind plain environment none parent none at 0:1:1 slots 7 memory 0 align 16
  r0 u64 "n"
  r1 u64
  : jump.ge.u.imm r0 1 L0 at 0:2:3
  : return.value r0
  L0:
  : sub.u64.imm o0 r0 1 at 0:3:7
  : call o0 0 at 0:3:3
  : add.u64.imm r1 o0 1 at 0:3:12
  : return.value r1
end
)";

}  // namespace

TEST_CASE("recursion that is inlined overflows the stack at the depth of the interpreter", "[jit]") {
  auto module = read_text(kDown);
  if (!module) FAIL(module.error());
  const Image image(verified(std::move(*module)), {});
  Limits limits;
  limits.stack_bytes = 1 << 16;
  std::vector<std::optional<jit::ssa::Function>> functions{jit::ssa::build(image.module(), 0, {})};
  REQUIRE(functions[0]);
  jit::ssa::optimize(*functions[0], {image.module()});
  REQUIRE(functions[0]->frames.size() > 1);  // calls were taken in
  bool overflows = false;
  bool returns = false;
  for (std::uint64_t n = 1560; n < 1680; ++n) {
    INFO("depth " << n);
    Engine interpreter(image, Tier::Interpreter, limits);
    const Ending expected = interpreter.call(0, std::span(&n, 1));
    (expected.trap.empty() ? returns : overflows) = true;
    Engine machine(image, Tier::Optimizing, limits);
    REQUIRE(expected == machine.call(0, std::span(&n, 1)));
    SsaEvaluator evaluator(image, functions, limits);
    const Ending got = evaluator.call(0, std::span(&n, 1));
    REQUIRE(expected.value == got.value);
    REQUIRE(expected.trap.substr(0, expected.trap.find("; ")) == got.trap.substr(0, got.trap.find("; ")));
  }
  CHECK(overflows);
  CHECK(returns);
}

TEST_CASE("a function with a loop that does not count is taken in where it is called in a loop", "[jit]") {
  // Function 0 calls function 1 once, and function 2 or 3 in a loop: 1 and 2 halve a number until it is odd, 3 counts.
  const auto calls = [](std::string_view in_loop) {
    std::string text = R"(module "halves"
file 0 "halves.cairn"
signature 0 (u64) -> u64
function 0 "f" signature 0 kind plain environment none parent none at 0:1:1 slots 8 memory 0 align 16
  r0 u64
  r1 u64
  r2 u64
  : move o0 r0
  : call o0 1 at 0:2:3
  : move r2 o0
  : const r1 0
  L0:
  : move o0 r1
  : call o0 FUNCTION at 0:3:3
  : add.wrap.u64 r2 r2 o0
  : loop.next r1 r0 L0
  : return.value r2
end
)";
    text.replace(text.find("FUNCTION"), 8, in_loop);
    for (const int own : {1, 2}) {
      text += "function " + std::to_string(own) +
              R"( "halve" signature 0 kind plain environment none parent none at 0:4:1 slots 5 memory 0 align 16
  r0 u64
  r1 u64
  : or.imm r0 r0 1024
  L0:
  : and.imm r1 r0 1
  : jump.ne.imm r1 0 L1
  : shr.u64.imm r0 r0 1
  : jump L0
  L1:
  : return.value r0
end
)";
    }
    text += R"(function 3 "sum" signature 0 kind plain environment none parent none at 0:5:1 slots 6 memory 0 align 16
  r0 u64
  r1 u64
  r2 u64
  : const r1 0
  : const r2 0
  L0:
  : add.wrap.u64 r2 r2 r1
  : loop.next r1 r0 L0
  : return.value r2
end
)";
    return text;
  };
  for (const std::string_view in_loop : {"2", "3"}) {
    auto module = read_text(calls(in_loop));
    if (!module) FAIL(module.error());
    const Image image(verified(std::move(*module)), {});
    auto form = jit::ssa::build(image.module(), 0, {});
    REQUIRE(form);
    jit::ssa::optimize(*form, {image.module()});
    const bool is_taken_in = in_loop == "2";
    CHECK(form->frames.size() == (is_taken_in ? 2 : 1));
    if (is_taken_in) CHECK(form->frames[1].function == 2);
    for (const std::uint64_t n : {1U, 5U, 3000U}) {
      const std::uint64_t arguments[] = {n};
      CHECK(Engine(image, Tier::Interpreter).call(0, arguments) == Engine(image, Tier::Optimizing).call(0, arguments));
    }
  }
}

}  // namespace cairn::tests
