// The way to a switch stands again at the end of each arm that leads back to it, and does the same there.
#include "jit/ssa/host.hpp"
#include "tests/jit/both_tiers.hpp"

namespace cairn::tests {
namespace {

/// A function (n, x): for each i below n goes by x[i] to one of `arms` ways, which change r5 and r6; r5 ^ r6. One arm
/// traps where r5 does not fit in 16 bits, and an element that names no arm takes the last.
Module machine(std::uint32_t arms, bool in_loop) {
  std::string text =
      "module \"m\"\nfile 0 \"m.cairn\"\ntype 0 u64\nsignature 0 (u64, view 0) -> u64\nfunction 0 \"f\" signature 0 "
      "kind "
      "plain environment none parent none at 0:1:1 slots 12 memory 0 align 16\n  r0 u64\n  r1 view 0\n  r3 u64\n"
      "  r4 u64\n  r5 u64\n  r6 u64\n  r7 u16\n  : const r3 0\n  : const r5 1\n  : const r6 2\n"
      "  : jump.lt.u.imm r0 1 L100\n  L0:\n  : load.at.u64 r4 r1 r3\n  : switch r4 " +
      std::to_string(arms) + " [";
  for (std::uint32_t k = 0; k < arms; ++k) text += (k == 0 ? "L" : " L") + std::to_string(k + 1);
  text += "]\n";
  for (std::uint32_t k = 0; k < arms; ++k) {
    const std::string n = std::to_string(k + 3);
    text += "  L" + std::to_string(k + 1) + ":\n";
    text += k % 4 == 0   ? "  : add.wrap.u64.imm r5 r5 " + n + "\n"
            : k % 4 == 1 ? "  : xor r6 r6 r5\n  : mul.wrap.u64.imm r6 r6 " + n + "\n"
            : k % 4 == 2 ? "  : to.u16.u r7 r5\n  : add.wrap.u64.imm r6 r6 " + n + "\n"
                         : "  : move r4 r5\n  : move r5 r6\n  : move r6 r4\n";
    text += "  : jump L99\n";
  }
  text += "  L99:\n";
  text += in_loop ? "  : loop.next r3 r0 L0\n" : "";
  text += "  L100:\n  : xor r5 r5 r6\n  : return.value r5\nend\n";
  auto module = read_text(text);
  if (!module) FAIL(module.error() << "\n" << text);
  return verified(std::move(*module));
}

std::size_t switches(Engine& engine) {
  const std::string text = engine.listing();
  const std::size_t optimized = text.find("; v");
  std::size_t found = 0;
  for (std::size_t at = text.find(" switch v", optimized); at != std::string::npos;
       at = text.find(" switch v", at + 1)) {
    ++found;
  }
  return found;
}

}  // namespace

TEST_CASE("each arm of a loop's switch ends with a dispatch of its own and does what the interpreter does", "[jit]") {
  const CodeFromSsa from_ssa(true);
  Limits limits;
  limits.stack_bytes = 1 << 16;
  for (const std::uint32_t arms : {4U, 5U, 9U}) {
    const Image image(machine(arms, true), {});
    Engine expected(image, Tier::Interpreter, limits);
    Engine made(image, Tier::Optimizing, limits);
    std::size_t trapped = 0;
    for (std::uint64_t seed = 1; seed < 400; ++seed) {
      std::vector<std::uint64_t> x;
      std::uint64_t state = seed * 0x9e3779b97f4a7c15;
      for (std::uint64_t k = 0; k < seed % 90; ++k) {
        state = state * 6364136223846793005 + 1442695040888963407;
        x.push_back((state >> 33) % (arms + 1));
      }
      const std::uint64_t arguments[] = {x.size(), reinterpret_cast<std::uint64_t>(x.data()), x.size()};
      const Ending want = expected.call(0, arguments);
      const Ending got = made.call(0, arguments);
      INFO(arms << " arms, seed " << seed);
      REQUIRE(want.trap == got.trap);
      REQUIRE(want.value == got.value);
      trapped += want.trap.empty() ? 0 : 1;
    }
    CHECK(trapped > 0);
    CHECK(trapped < 399);
    REQUIRE(made.instance().tiers()->has_optimized_code(0));
    CHECK(switches(made) >= arms - 1);
  }
}

TEST_CASE("a switch outside loops, or of few ways, stands once", "[jit]") {
  const CodeFromSsa from_ssa(true);
  for (const auto& [arms, in_loop] : {std::pair{9U, false}, std::pair{2U, true}}) {
    const Image image(machine(arms, in_loop), {});
    Engine made(image, Tier::Optimizing);
    const std::uint64_t x[] = {1, 0, 1};
    const std::uint64_t arguments[] = {3, reinterpret_cast<std::uint64_t>(x), 3};
    CHECK(made.call(0, arguments).trap.empty());
    REQUIRE(made.instance().tiers()->has_optimized_code(0));
    CHECK(switches(made) == 1);
  }
}

}  // namespace cairn::tests
