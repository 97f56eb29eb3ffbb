// What a profile says: numbers by function, and the samples in the forms other tools read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "vm/profile/sampler.hpp"

namespace cairn::profile {

/// A function, native or foreign function, by the name and place people know.
struct Frame {
  std::string name;
  std::string file;  // empty for what the host has
  std::uint32_t line = 0;
};

/// One line of the table. Shares are of the processor time of all samples.
struct FunctionShare {
  std::string name;
  double time = 0;                      // with the function on the stack
  double self = 0;                      // with it on top
  Engine engine = Engine::Interpreter;  // where most of its self time went
  std::size_t emitted = 0;              // guard sites that engine's code still evaluates
  std::size_t sites = 0;                // that the source needs
};

struct Report {
  /// A stack of a thread, by number of the frame and of the rest of the stack.
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t frame = 0;
    std::uint32_t count = 0;
    std::uint64_t nanoseconds = 0;
  };
  struct OneThread {
    std::string name;
    std::vector<Node> nodes;  // node 0 is the empty stack
    std::vector<Samples::Event> events;
  };
  std::uint64_t elapsed = 0;  // ns of the wall clock
  std::uint64_t samples = 0;
  std::uint64_t nanoseconds = 0;  // of processor time that samples stand for
  std::vector<Frame> frames;
  std::vector<OneThread> threads;
  std::vector<FunctionShare> functions;  // most self time first
};

/// Of a sampler that was stopped.
[[nodiscard]] Report report_of(const Sampler& sampler);

/// The lines for people (tools, 3.14).
[[nodiscard]] std::string table(const Report& report);
/// The `profile` object of `run`'s record.
[[nodiscard]] nlohmann::ordered_json record(const Report& report);
/// One line a stack, root first, and how many samples found it.
[[nodiscard]] std::string folded(const Report& report);
/// The speedscope file format: https://www.speedscope.app/file-format-schema.json
[[nodiscard]] std::string speedscope(const Report& report);
/// A flame graph in one page that loads nothing else.
[[nodiscard]] std::string flame_graph(const Report& report);

[[nodiscard]] std::string_view engine_name(Engine engine);

}  // namespace cairn::profile
