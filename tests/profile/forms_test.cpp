// The forms a profile is written in, from samples that are known.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "vm/profile/report.hpp"

namespace cairn::profile {
namespace {

constexpr FrameKey kMain{FrameKey::Kind::Function, 0};
constexpr FrameKey kStep{FrameKey::Kind::Function, 1};
constexpr FrameKey kWrite{FrameKey::Kind::Native, 0};

/// main calls step, which calls a native; main does some work of its own.
Report sample() {
  Report report;
  report.elapsed = 1'840'000'000;
  report.samples = 4;
  report.nanoseconds = 4'000'000;
  report.frames = {{"main", "a.cairn", 9}, {"lib.step[u64]", "lib.cairn", 3}, {"write</script>", "", 0}};
  Report::OneThread thread;
  thread.name = "main";
  thread.nodes = {{0, 0, 0, 0}, {0, 0, 1, 1'000'000}, {1, 1, 2, 2'000'000}, {2, 2, 1, 1'000'000}};
  thread.events = {{2, 1000}, {3, 1000}, {1, 1000}, {2, 1000}};
  report.threads.push_back(std::move(thread));
  report.functions = {{"lib.step[u64]", 0.75, 0.5, Engine::Optimizing, 0, 17},
                      {"main", 1, 0.25, Engine::Interpreter, 2, 2},
                      {"write", 0.25, 0.25, Engine::Native, 0, 0}};
  return report;
}

}  // namespace

TEST_CASE("stacks are found again as one node each, with the time of each engine", "[profile]") {
  Samples samples;
  REQUIRE(samples.usable());
  const FrameKey deep[] = {kWrite, kStep, kMain};
  const FrameKey shallow[] = {kMain};
  const FrameKey other[] = {kStep, kMain};
  samples.add(deep, Engine::Native, 1000);
  samples.add(shallow, Engine::Interpreter, 2000);
  samples.add(deep, Engine::Native, 3000);
  samples.add(other, Engine::Baseline, 5000);
  samples.add(other, Engine::Optimizing, 6000);
  REQUIRE(samples.nodes().size() == 4);
  const auto find = [&](FrameKey frame) {
    for (std::size_t i = 1; i < samples.nodes().size(); ++i) {
      if (samples.nodes()[i].frame == frame) return samples.nodes()[i];
    }
    FAIL("a frame is missing");
    return Samples::Node{};
  };
  CHECK(find(kMain).parent == Samples::kRoot);
  CHECK(find(kMain).count == 1);
  CHECK(samples.nodes()[find(kStep).parent].frame == kMain);
  CHECK(find(kStep).count == 2);
  CHECK(find(kStep).nanoseconds[static_cast<std::size_t>(Engine::Baseline)] == 5000);
  CHECK(find(kStep).nanoseconds[static_cast<std::size_t>(Engine::Optimizing)] == 6000);
  CHECK(samples.nodes()[find(kWrite).parent].frame == kStep);
  CHECK(find(kWrite).nanoseconds[static_cast<std::size_t>(Engine::Native)] == 4000);
  REQUIRE(samples.events().size() == 5);
  CHECK(samples.events()[3].microseconds == 5);
}

TEST_CASE("the table lists time, self time, tier and guards of each function", "[profile]") {
  CHECK(table(sample()) ==
        "profile: 1.84 s, 4 samples\n"
        "  time   self    tier          guards  function\n"
        "  75.0%  50.0%   optimizing      0/17  lib.step[u64]\n"
        " 100.0%  25.0%   interpreter      2/2  main\n"
        "  25.0%  25.0%   native             -  write\n");
}

TEST_CASE("the record holds shares as fractions", "[profile]") {
  const auto told = record(sample());
  CHECK(told["elapsed_ns"] == 1'840'000'000);
  CHECK(told["samples"] == 4);
  REQUIRE(told["functions"].size() == 3);
  CHECK(told["functions"][0] ==
        nlohmann::ordered_json::parse(R"({"name":"lib.step[u64]","time":0.75,"self":0.5,"tier":"optimizing",)"
                                      R"("guards":{"emitted":0,"sites":17}})"));
}

TEST_CASE("folded stacks begin at the root and end in a count", "[profile]") {
  CHECK(folded(sample()) ==
        "main 1\n"
        "main;lib.step[u64] 2\n"
        "main;lib.step[u64];write</script> 1\n");
}

TEST_CASE("speedscope is given one sampled profile a thread, frames with file and line", "[profile]") {
  const auto file = nlohmann::ordered_json::parse(speedscope(sample()));
  CHECK(file["$schema"] == "https://www.speedscope.app/file-format-schema.json");
  CHECK(file["shared"]["frames"][1] ==
        nlohmann::ordered_json({{"name", "lib.step[u64]"}, {"file", "lib.cairn"}, {"line", 3}}));
  REQUIRE(file["profiles"].size() == 1);
  const auto& profile = file["profiles"][0];
  CHECK(profile["type"] == "sampled");
  CHECK(profile["unit"] == "nanoseconds");
  CHECK(profile["samples"] == nlohmann::ordered_json::parse("[[0,1],[0,1,2],[0],[0,1]]"));
  CHECK(profile["weights"] == nlohmann::ordered_json::parse("[1000000,1000000,1000000,1000000]"));
  CHECK(profile["endValue"] == 4'000'000);
}

TEST_CASE("the page of a flame graph loads nothing and no name ends its script", "[profile]") {
  const std::string page = flame_graph(sample());
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK_FALSE(page.contains("http"));
  CHECK_FALSE(page.contains("src="));
  CHECK(page.find("</script>") == page.rfind("</script>"));
  const std::string begin = "const profile = ";
  const std::size_t at = page.find(begin) + begin.size();
  const auto tree = nlohmann::ordered_json::parse(page.substr(at, page.find(";\n", at) - at));
  CHECK(tree["v"] == 4000);
  REQUIRE(tree["c"].size() == 1);
  CHECK(tree["c"][0]["n"] == "main");
  CHECK(tree["c"][0]["c"][0]["v"] == 3000);
  CHECK(tree["c"][0]["c"][0]["c"][0]["n"] == "write</script>");
}

}  // namespace cairn::profile
