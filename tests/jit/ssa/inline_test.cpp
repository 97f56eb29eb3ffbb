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

namespace {

/// down(n) calls twice(n), whose frame has memory, and itself. `twice` lends `d` to a function that adds to it; INDEXED
/// reads what is lent by an index that is no number, so that it stays memory.
std::string through_memory(bool indexed) {
  std::string text = R"(module "down"
file 0 "down.cairn"
type 0 u64
type 1 array 0 x 300
signature 0 (u64) -> u64
signature 1 (ref mut 0, u64)
function 0 "down" signature 0 kind plain environment none parent none at 0:1:1 slots 7 memory 0 align 16
  r0 u64 "n"
  r1 u64
  : jump.ge.u.imm r0 1 L0 at 0:2:3
  : return.value r0
  L0:
  : move o0 r0
  : call o0 1 at 0:3:2
  : move r1 o0
  : sub.u64.imm o0 r0 1 at 0:3:7
  : call o0 0 at 0:3:3
  : add.wrap.u64 r1 r1 o0
  : return.value r1
end
function 1 "twice" signature 0 kind plain environment none parent none at 0:4:1 slots 10 memory 2400 align 16
  r0 u64 "n"
  r1 u64
  r2 view mut 0
  r4 u64
  @0 1 "d"
  : frame.store.u64 r0 8
  : frame.ref o0 8
  : move o1 r0
  : call o0 2 at 0:4:5
  : frame.load.u64 r1 8
  INDEXED
  : return.value r1
end
function 2 "grow" signature 1 kind plain environment none parent none at 0:5:1 slots 6 memory 0 align 16
  r0 ref mut 0
  r1 u64
  r2 u64
  : load.u64 r2 r0 0
  : add.u64 r2 r2 r1 at 0:5:5
  : store.u64 r0 r2 0
  : return
end
)";
  const std::string_view reads =
      indexed
          ? ": frame.view r2 0 300\n  : and.imm r4 r0 1\n  : load.at.u64 r4 r2 r4 at 0:4:6\n  : add.wrap.u64 r1 r1 r4"
          : ": move r4 r1";
  text.replace(text.find("INDEXED"), 7, reads);
  return text;
}

}  // namespace

TEST_CASE("a function whose memory becomes values is taken in, one whose memory is indexed is called", "[jit]") {
  for (const bool indexed : {false, true}) {
    INFO((indexed ? "indexed" : "values"));
    auto module = read_text(through_memory(indexed));
    if (!module) FAIL(module.error());
    const Image image(verified(std::move(*module)), {});
    std::vector<std::optional<jit::ssa::Function>> functions;
    for (std::uint32_t k = 0; k < 3; ++k) {
      functions.push_back(jit::ssa::build(image.module(), k, {}));
      REQUIRE(functions.back());
      jit::ssa::optimize(*functions.back(), {image.module()});
    }
    const auto takes_in = [&](std::uint32_t function) {
      return std::ranges::any_of(functions[0]->frames, [&](const auto& frame) { return frame.function == function; });
    };
    CHECK(takes_in(1) == !indexed);
    CHECK(takes_in(2) == !indexed);
    // The memory that an inlined call would take counts: the stack overflows where the interpreter's does.
    Limits limits;
    limits.stack_bytes = 1 << 16;
    bool overflows = false;
    bool returns = false;
    for (std::uint64_t n = 1100; n < 1700; ++n) {
      INFO("depth " << n);
      const Ending expected = Engine(image, Tier::Interpreter, limits).call(0, std::span(&n, 1));
      (expected.trap.empty() ? returns : overflows) = true;
      REQUIRE(expected == Engine(image, Tier::Optimizing, limits).call(0, std::span(&n, 1)));
      // The evaluator tells another place where a callee's memory does not fit.
      if (indexed) continue;
      SsaEvaluator evaluator(image, functions, limits);
      const Ending got = evaluator.call(0, std::span(&n, 1));
      REQUIRE(expected.value == got.value);
      REQUIRE(expected.trap.substr(0, expected.trap.find("; ")) == got.trap.substr(0, got.trap.find("; ")));
    }
    CHECK(overflows);
    CHECK(returns);
    // An overflow of what is lent is told in the function that adds.
    const std::uint64_t most = ~std::uint64_t{0};
    const Ending expected = Engine(image, Tier::Interpreter).call(0, std::span(&most, 1));
    CHECK_FALSE(expected.trap.empty());
    CHECK(expected == Engine(image, Tier::Optimizing).call(0, std::span(&most, 1)));
  }
}

}  // namespace cairn::tests
