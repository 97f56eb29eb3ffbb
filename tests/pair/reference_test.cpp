// The functions on the reference files beside the conformance cases (pair floats, 8.1): operands as bits, the value as
// three f64 whose exact sum it is.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/pair/dyadic.hpp"
#include "tests/pair/function_cases.hpp"

using namespace cairn::tests;
using pair::Pair;

namespace {

template <class T>
T limb(const std::string& bits) {
  return bits == "-" ? T(0) : pair::limb_of<T>(static_cast<pair::Bits<T>>(std::stoull(bits, nullptr, 16)));
}

}  // namespace

TEMPLATE_TEST_CASE("functions meet their bounds on the reference files", "[pair]", float, double) {
  std::ifstream file(std::string(CAIRN_SOURCE_DIR) + "/tests/conformance/pairs/data/reference_f" +
                     std::to_string(sizeof(TestType) * 8) + "x2.tsv");
  REQUIRE(file);
  int points = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream stream(line);
    std::string name, word[4], part[3];
    stream >> name >> word[0] >> word[1] >> word[2] >> word[3] >> part[0] >> part[1] >> part[2];
    const FunctionCase* found = nullptr;
    for (const FunctionCase& each : function_cases()) {
      if (each.name == name) found = &each;
    }
    INFO(line);
    REQUIRE(found != nullptr);
    const Pair<TestType> x{limb<TestType>(word[0]), limb<TestType>(word[1])};
    const Pair<TestType> y{limb<TestType>(word[2]), limb<TestType>(word[3])};
    Pair<TestType> r{};
    if constexpr (sizeof(TestType) == 4)
      r = found->f32(x, y);
    else
      r = found->f64(x, y);
    const Dyadic exact = Dyadic(limb<double>(part[0])) + Dyadic(limb<double>(part[1])) + Dyadic(limb<double>(part[2]));
    const Dyadic error = (Dyadic(r) - exact).magnitude();
    CHECK(error <= exact.magnitude() * Dyadic(found->bound).times_power_of_two(-2 * pair::kPrecision<TestType>));
    ++points;
  }
  CHECK(points > 1600);
}
