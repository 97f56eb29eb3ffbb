#include <catch2/catch.hpp>

#include "tests/cli/scratch.hpp"
#include "vm/testing/contract.hpp"

namespace cairn {

namespace {

constexpr std::string_view kProgram = R"(
fn fee(cents:u64) -> u64 = cents / 20;
fn half(x:f32) -> f32 = x / 2.0;
fn signed(x:i8) -> bool = x < 0;
fn clear_odd(n:usize, xs:rw<u32>[n]) {
  for i in 0..n { if xs[i] % 2 == 1 { xs[i] = 0; } }
}
fn largest(n:usize, xs:ro<i16>[n]) -> i16 {
  let mut top:i16 = xs[0];
  for x in xs { top = max(top, x); }
  return top;
}
fn twice[T:Ord](x:u64) -> u64 = x;
fn whole(xs:ro<u64>[2]) -> u64 = xs[0] + xs[1];
struct P { x:u64; }
fn record(p:P) -> u64 = p.x;
)";

std::string contract_of(std::string_view symbol, std::string_view cases) {
  return R"({"schema":"cairn.task/1","symbol":")" + std::string(symbol) + R"(","cases":[)" + std::string(cases) + "]}";
}

/// Why the contract is invalid; empty when it binds.
std::string fault(const std::string& text) {
  Scratch scratch;
  const auto session = scratch.open(kProgram);
  REQUIRE(session->accepted());
  const auto contract = Contract::bind(text, session->compilation());
  return contract ? "" : contract.error();
}

nlohmann::ordered_json result_of(const std::string& text) {
  Scratch scratch;
  const auto session = scratch.open(kProgram);
  REQUIRE(session->accepted());
  const auto contract = Contract::bind(text, session->compilation());
  REQUIRE(contract);
  lower::Options options;
  options.entry = false;
  options.roots = {&contract->function()};
  auto lowered = session->lower(options);
  REQUIRE(lowered);
  const std::uint32_t code = lowered->roots.front();
  Execution execution(std::move(lowered->module), {});
  std::uint64_t started = 0;
  return contract->run(execution, code, &started);
}

}  // namespace

TEST_CASE("a contract passes when every case agrees exactly", "[cli]") {
  CHECK(result_of(contract_of("fee", R"({"args":{"cents":199},"return":9},
                                        {"args":{"cents":18446744073709551615},"return":922337203685477580})")) ==
        nlohmann::ordered_json{{"status", "passed-finite-tests"}, {"cases", 2}});
  CHECK(result_of(
            contract_of("clear_odd", R"({"args":{"n":3,"xs":[7,2,4294967295]},"after":{"xs":[0,2,0]}})"))["status"] ==
        "passed-finite-tests");
  CHECK(result_of(contract_of("largest", R"({"args":{"n":3,"xs":[-7,-2,-32768]},"return":-2})"))["status"] ==
        "passed-finite-tests");
  CHECK(result_of(contract_of("half", R"({"args":{"x":0.1},"return":0.05})"))["status"] == "passed-finite-tests");
  CHECK(result_of(contract_of("signed", R"({"args":{"x":-128},"return":true})"))["status"] == "passed-finite-tests");
  CHECK(result_of(contract_of("whole", R"({"args":{"xs":[1,2]},"return":3})"))["status"] == "passed-finite-tests");
}

TEST_CASE("the first case that differs is told with what was expected and what came", "[cli]") {
  const auto result =
      result_of(contract_of("fee", R"({"args":{"cents":40},"return":2},{"args":{"cents":41},"return":3})"));
  CHECK(result["status"] == "failed-tests");
  CHECK(result["case"] == 1);
  CHECK(result["args"]["cents"] == 41);
  CHECK(result["expected_return"] == 3);
  CHECK(result["actual_return"] == 2);
  const auto view = result_of(contract_of("clear_odd", R"({"args":{"n":1,"xs":[2]},"after":{"xs":[0]}})"));
  CHECK(view["expected_after"]["xs"] == nlohmann::ordered_json{0});
  CHECK(view["actual_after"]["xs"] == nlohmann::ordered_json{2});
}

TEST_CASE("a value that is no JSON number is shown by its name", "[cli]") {
  const auto result = result_of(contract_of("half", R"({"args":{"x":1e30},"return":0})"));
  CHECK(result["status"] == "failed-tests");
  CHECK(result["actual_return"].is_number());
}

TEST_CASE("a contract is read strictly", "[cli]") {
  CHECK(fault("{").contains("no JSON"));
  CHECK(fault(R"({"schema":"cairn.task/1","schema":"cairn.task/1"})").contains("stands twice"));
  CHECK(fault(R"({"schema":"other","symbol":"fee","cases":[]})").contains("schema must be"));
  CHECK(fault(R"({"schema":"cairn.task/1","symbol":"fee","cases":[],"more":1})").contains("unknown key more"));
  CHECK(fault(contract_of("fee", "")).contains("1 to 10000"));
  CHECK(fault(contract_of("fee", R"({"args":{"cents":NaN},"return":1})")).contains("no JSON"));
}

TEST_CASE("a contract names an ordinary function of scalars and views of scalars", "[cli]") {
  CHECK(fault(contract_of("gone", R"({"args":{}})")).contains("no ordinary function"));
  CHECK(fault(contract_of("twice", R"({"args":{"x":1},"return":1})")).contains("no ordinary function"));
  CHECK(fault(contract_of("record", R"({"args":{"p":1},"return":1})")).contains("something else than scalars"));
}

TEST_CASE("arguments, results and views must be complete and fit", "[cli]") {
  CHECK(fault(contract_of("fee", R"({"args":{},"return":1})")).contains("does not give cents"));
  CHECK(fault(contract_of("fee", R"({"args":{"cents":1,"more":2},"return":1})")).contains("no parameter"));
  CHECK(fault(contract_of("fee", R"({"args":{"cents":-1},"return":1})")).contains("does not fit u64"));
  CHECK(fault(contract_of("fee", R"({"args":{"cents":1.0},"return":1})")).contains("whole number"));
  CHECK(fault(contract_of("fee", R"({"args":{"cents":18446744073709551616},"return":1})")).contains("whole number"));
  CHECK(fault(contract_of("fee", R"({"args":{"cents":1}})")).contains("return is missing"));
  CHECK(fault(contract_of("signed", R"({"args":{"x":128},"return":true})")).contains("does not fit i8"));
  CHECK(fault(contract_of("signed", R"({"args":{"x":1},"return":1})")).contains("true or false"));
  CHECK(fault(contract_of("half", R"({"args":{"x":1e39},"return":1})")).contains("not finite in f32"));
  CHECK(fault(contract_of("clear_odd", R"({"args":{"n":2,"xs":[1,2]}})")).contains("after does not give xs"));
  CHECK(fault(contract_of("clear_odd", R"({"args":{"n":3,"xs":[1,2]},"after":{"xs":[0,2]}})")).contains("extent is 3"));
  CHECK(fault(contract_of("clear_odd", R"({"args":{"n":2,"xs":[1,2]},"after":{"xs":[0]}})")).contains("extent is 2"));
  CHECK(fault(contract_of("clear_odd", R"({"args":{"n":0,"xs":[]},"after":{"xs":[]},"return":1})"))
            .contains("returns nothing"));
  CHECK(fault(contract_of("clear_odd", R"({"args":{"n":0,"xs":[]},"after":{"xs":[]},"return":null})")).empty());
  CHECK(fault(contract_of("whole", R"({"args":{"xs":[1]},"return":1})")).contains("extent is 2"));
}

}  // namespace cairn
