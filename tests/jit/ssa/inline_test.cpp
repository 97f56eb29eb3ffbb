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

}  // namespace cairn::tests
