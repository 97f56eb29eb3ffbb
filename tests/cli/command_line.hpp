// Whole command lines in a folder of their own, each in a child: what they print and how they end.
#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/cli/scratch.hpp"
#include "vm/cli/child_process.hpp"
#include "vm/cli/command_line.hpp"

namespace cairn::cli {

class CommandLine : public Scratch {
 public:
  ChildResult operator()(std::vector<const char*> words) const {
    words.insert(words.begin(), "cairn");
    const auto body = [&] { return run_command_line(static_cast<int>(words.size()), words.data()); };
    const auto result = run_child(body, {.timeout_seconds = 60, .without_input = true, .folder = path()});
    REQUIRE(result);
    return *result;
  }

  nlohmann::json record(std::vector<const char*> words) const {
    words.insert(words.end(), {"--format", "json"});
    return nlohmann::json::parse((*this)(words).out);
  }
};

}  // namespace cairn::cli
