// Whether a form of a function does what the form does that it was made of (tools, 9, for the optimizing tier).
//
// Refines: no input tells them apart, loops followed as far as `turns` say. What is observed: which trap ends the
// function, where, and with which operands; its results; what lies in everything its parameters lead to; every call and
// step with what it is given, in their order. Refuted: an input does, and both forms were evaluated on it. Left out of
// the model: the stack's depth, fuel, and how long anything takes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jit/ssa/ir.hpp"
#include "vm/interpreter/image.hpp"

namespace cairn::verify {

struct RefinementOptions {
  std::uint32_t turns = 6;         // of every loop
  unsigned timeout_ms = 3000;      // of each query, as all of these of this process's processor time
  unsigned budget_ms = 0;          // of all passes over a function; 0: none
  bool from_loops = true;          // forms that a frame is taken up in too
  std::uint32_t vector_bytes = 0;  // of the vectors passes may make; 0: the processor's
};

struct Refinement {
  enum class Status : std::uint8_t { Refines, Refuted, Unknown };
  Status status = Status::Unknown;
  bool bounded = false;  // some loop may go on past the turns that were followed
  std::string reason;    // of Unknown
  std::string input;     // of Refuted: "n = 3, xs = [1, 2]"
  std::string expected, actual;
};

/// `before` and `after` are forms of one function of the image's module. The solver is opened where their terms differ.
[[nodiscard]] Refinement refine(const Image& image, const jit::ssa::Function& before, const jit::ssa::Function& after,
                                const RefinementOptions& options);

/// What a pass made of a function, when it changed it.
struct PassRefinement {
  std::string pass;
  std::uint32_t line = 0;  // of the loop whose start a running frame is taken up at; 0: the function from its beginning
  Refinement answer;
  std::string before, after;  // texts
};

/// Every pass that changes the function, in their order: over its form, then over the form of each of its loops that a
/// running frame may be taken up at. Nothing for a function that has no form.
[[nodiscard]] std::optional<std::vector<PassRefinement>> refine_passes(const Image& image, std::uint32_t function,
                                                                       const RefinementOptions& options);

}  // namespace cairn::verify
