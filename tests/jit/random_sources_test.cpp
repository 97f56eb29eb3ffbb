// Random texts against the proofs that leave guards out: the interpreter, which keeps every guard, and machine code end
// alike. CAIRN_RANDOM_SOURCES says how many, CAIRN_RANDOM_SOURCES_FROM the first seed.
#include <cstdlib>

#include "tests/jit/both_tiers.hpp"
#include "tests/jit/random_source.hpp"
#include "tests/lower/support.hpp"
#include "vm/natives/c_library.hpp"

namespace cairn::tests {
namespace {

std::uint64_t set_number(const char* name, std::uint64_t usual) {
  const char* const set = std::getenv(name);
  return set == nullptr ? usual : std::strtoull(set, nullptr, 10);
}

using Arguments = std::array<std::uint64_t, 4>;

std::vector<Arguments> arguments_of(std::uint64_t seed) {
  constexpr std::uint64_t kSizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 16, 31, 63, 64, 255, 256, 1000, ~std::uint64_t{0}};
  constexpr std::uint64_t kWords[] = {0, 1, 2, 5, 63, 255, 256, 65535, 0xffffffff, 0x100000000, ~std::uint64_t{0}};
  std::mt19937_64 random(seed);
  std::vector<Arguments> all;
  for (int k = 0; k < 10; ++k) {
    const std::uint64_t most = k < 7 ? 11 : std::size(kSizes);
    const std::uint64_t sign = random() % 2 == 0 ? 0 : ~std::uint64_t{0};
    all.push_back({kSizes[random() % most], kSizes[random() % most], kWords[random() % std::size(kWords)],
                   kWords[random() % std::size(kWords)] ^ sign});
  }
  return all;
}

std::vector<Ending> run(const Image& image, Tier tier, std::span<const Arguments> calls, std::uint32_t entry) {
  std::vector<Ending> endings;
  Limits limits;
  limits.stack_bytes = 1 << 18;
  limits.steps = 20000;
  for (const Arguments& arguments : calls) {
    Engine engine(image, tier, limits);
    endings.push_back(engine.call(entry, arguments));
  }
  return endings;
}

}  // namespace

TEST_CASE("random texts end alike with every guard and with those that machine code keeps", "[jit]") {
  const std::uint64_t count = set_number("CAIRN_RANDOM_SOURCES", 300);
  const std::uint64_t first = set_number("CAIRN_RANDOM_SOURCES_FROM", 0);
  std::uint64_t accepted = 0;
  std::uint64_t calls = 0;
  std::uint64_t trapped = 0;
  std::uint64_t proved = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const std::string text = random_source(seed);
    std::string refusal;
    auto module = test::lowered_if_accepted(text, refusal);
    if (!module) {
      UNSCOPED_INFO("seed " << seed << " is refused:\n" << refusal);
      continue;
    }
    ++accepted;
    for (const Function& function : module->functions) proved += function.proved.size();
    const auto found = std::ranges::find(module->functions, "entry", &Function::name);
    const auto entry = static_cast<std::uint32_t>(found - module->functions.begin());
    const Image image(verified(std::move(*module)), c_library_natives());
    const std::vector<Arguments> arguments = arguments_of(seed);
    const std::vector<Ending> expected = run(image, Tier::Interpreter, arguments, entry);
    for (const Ending& ending : expected) trapped += !ending.trap.empty();
    calls += expected.size();
    for (const bool ssa : {false, true}) {
      const CodeFromSsa way(ssa);
      for (const Tier tier : {Tier::Baseline, Tier::Optimizing}) {
        if (ssa && tier == Tier::Baseline) continue;
        const std::vector<Ending> got = run(image, tier, arguments, entry);
        for (std::size_t k = 0; k < got.size(); ++k) {
          INFO("seed " << seed << ", tier " << static_cast<int>(tier) << (ssa ? " from SSA" : "") << ", arguments "
                       << arguments[k][0] << " " << arguments[k][1] << " " << arguments[k][2] << " " << arguments[k][3]
                       << "\n"
                       << text);
          REQUIRE(expected[k].trap == got[k].trap);
          REQUIRE(expected[k].value == got[k].value);
        }
      }
    }
  }
  INFO(accepted << " of " << count << " accepted; " << trapped << " of " << calls << " calls trapped; " << proved
                << " guards proved");
  CHECK(accepted > count / 3);
  CHECK(proved > accepted);
  CHECK(trapped > calls / 10);
  CHECK(trapped < calls - calls / 10);
}

}  // namespace cairn::tests
