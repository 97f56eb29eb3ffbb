// Random programs as SSA, after every pass: the form holds, reads as it was written, and does what the bytecode does.
#include <cstdlib>

#include "jit/ssa/build.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/text.hpp"
#include "tests/jit/random_module.hpp"
#include "tests/jit/ssa/evaluator.hpp"

namespace cairn::tests {
namespace {

namespace ssa = jit::ssa;

struct Outcome {
  Ending ending;
  std::string output;
  std::vector<std::uint64_t> host;
};

template <class Runner>
Outcome outcome_of(Runner& runner) {
  Outcome done;
  for (std::uint64_t k = 0; k < kHostWords; ++k) done.host.push_back(k * 0x9e3779b97f4a7c15 >> (k % 9 * 7));
  const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(done.host.data()), kHostWords};
  done.ending = runner.call(0, arguments);
  done.ending.trap = done.ending.trap.substr(0, done.ending.trap.find("; "));
  done.output = runner.output();
  return done;
}

std::uint64_t set_number(const char* name, std::uint64_t usual) {
  const char* const set = std::getenv(name);
  return set == nullptr ? usual : std::strtoull(set, nullptr, 10);
}

void check_form(const ssa::Function& function) {
  const std::string text = ssa::write(function);
  const std::string fault = ssa::verify(function);
  if (!fault.empty()) FAIL(fault << "\n" << text);
  ssa::Function again;
  std::string error;
  if (!ssa::read(text, again, error)) FAIL(error << "\n" << text);
  REQUIRE(ssa::write(again) == text);
}

}  // namespace

TEST_CASE("random programs as SSA end as their bytecode does, before the passes and after each", "[jit]") {
  const std::uint64_t count = set_number("CAIRN_RANDOM_PROGRAMS", 1500);
  const std::uint64_t first = set_number("CAIRN_RANDOM_PROGRAMS_FROM", 0);
  Limits limits;
  limits.stack_bytes = 1 << 18;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    INFO("seed " << seed);
    const Image image(verified(random_module(seed)), {});
    Engine engine(image, Tier::Interpreter, limits);
    const Outcome expected = outcome_of(engine);
    const std::size_t passes = ssa::passes().size();
    // Nothing run, then everything; one seed in eight each pass on its own way.
    const bool each = seed % 8 == 0;
    for (std::size_t done = 0; done <= passes + 1; done = each ? done + 1 : done == 0 ? passes + 1 : done + 1) {
      INFO("after " << (done == 0 ? "building" : done > passes ? "all" : std::string(ssa::passes()[done - 1].name)));
      std::vector<std::optional<ssa::Function>> functions;
      for (std::uint32_t i = 0; i < image.module().functions.size(); ++i) {
        functions.push_back(ssa::build(image.module(), i, {}));
        if (!functions.back()) continue;
        const ssa::Context context{image.module(), false, static_cast<std::uint32_t>(seed % 3 * 32)};
        if (done > passes) {
          ssa::optimize(*functions.back(), context);
        } else {
          for (std::size_t k = 0; k < done; ++k) ssa::passes()[k].run(*functions.back(), context);
        }
        check_form(*functions.back());
      }
      SsaEvaluator evaluator(image, functions, limits);
      const Outcome got = outcome_of(evaluator);
      REQUIRE(expected.ending.trap == got.ending.trap);
      REQUIRE(expected.ending.value == got.ending.value);
      REQUIRE(expected.output == got.output);
      REQUIRE(expected.host == got.host);
    }
  }
}

}  // namespace cairn::tests
