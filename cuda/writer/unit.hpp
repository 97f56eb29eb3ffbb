// One kernel's translation unit while it is written: the functions it reaches, the guards it holds, the layouts of its
// tiles.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/compiler.hpp"
#include "cuda/writer/call_frames.hpp"
#include "cuda/writer/lane_arrays.hpp"
#include "vm/bytecode/module.hpp"

namespace cairn::cuda::writer {

/// Pieces of text as one.
template <class... Pieces>
std::string cat(const Pieces&... pieces) {
  std::string all;
  const auto add = [&](const auto& piece) {
    if constexpr (requires { std::to_string(piece); }) {
      all += std::to_string(piece);
    } else {
      all += piece;
    }
  };
  (add(pieces), ...);
  return all;
}

/// A name of the program as part of an identifier: letters, digits and `_` of it.
[[nodiscard]] std::string identifier(std::string_view name);

class Unit {
 public:
  explicit Unit(const bytecode::Module& module) : module_(module) {}

  [[nodiscard]] const bytecode::Module& module() const { return module_; }

  /// The name of a function in the text; the function is written if it was not asked for before.
  std::string function(std::uint32_t index);
  /// The same function as a plan has it, under a name of its own.
  std::string planned(std::uint32_t index, PlannedArrays arrays);
  /// What calls take of a thread's stack.
  CallFrames& frames() { return frames_; }
  /// What calls may take in all below the functions that entries call: those asked for before any is written. Where
  /// nothing calls itself, 0.
  std::uint64_t stack_limit();
  /// Bytes of stack a thread needs, so that calls may take that much; 0: what the compiler finds.
  std::uint32_t stack_bytes();
  /// A guard's number.
  std::uint32_t site(Site site);
  /// The name of the struct that computes a tile's layout, from the bytes a text of the module holds; empty when they
  /// are no layout.
  std::string layout(std::uint32_t text);

  /// A function of the text's own that functions call by that name: its definition is added once.
  void helper(const std::string& name, const std::string& definition) {
    if (!helpers_.emplace(name, true).second) return;
    layouts += definition;
  }

  /// The first thing that device code cannot do.
  void fail(std::string why) {
    if (error_.empty()) error_ = std::move(why);
  }
  [[nodiscard]] const std::string& error() const { return error_; }

  /// Headers that functions ask for: "fragments", "pairs".
  void need(std::string_view header) { headers_[std::string(header)] = true; }

  // What was written, in order.
  std::string declarations;
  std::string definitions;
  std::string layouts;
  std::vector<Site> sites;
  [[nodiscard]] const std::map<std::string, bool>& headers() const { return headers_; }

  /// Writes every function asked for so far and all that those ask for.
  void write_functions();

 private:
  const bytecode::Module& module_;
  std::vector<std::uint32_t> wanted_;  // in the order they were asked for
  std::vector<std::pair<std::uint32_t, PlannedArrays>> planned_;
  std::map<std::uint32_t, std::string> names_;
  std::map<std::uint32_t, std::string> layout_names_;
  CallFrames frames_{module_};
  std::vector<std::uint32_t> roots_;  // what entries call
  std::map<std::string, bool> headers_;
  std::map<std::string, bool> helpers_;
  std::string error_;
};

}  // namespace cairn::cuda::writer
