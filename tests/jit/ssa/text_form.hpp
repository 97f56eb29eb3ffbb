// Functions in their text form, and what a pass makes of one.
#pragma once

#include <catch2/catch.hpp>

#include "jit/ssa/passes.hpp"
#include "jit/ssa/text.hpp"

namespace cairn::tests {

namespace ssa = jit::ssa;

inline ssa::Function parsed(std::string_view text) {
  ssa::Function function;
  std::string error;
  if (!ssa::read(text, function, error)) FAIL(error << "\n" << text);
  const std::string fault = ssa::verify(function);
  if (!fault.empty()) FAIL(fault << "\n" << text);
  return function;
}

/// A function's text without remarks.
inline std::string written(const ssa::Function& function) {
  std::string text = ssa::write(function);
  for (std::size_t at = text.find("  ; from"); at != std::string::npos; at = text.find("  ; from")) {
    text.erase(at, text.find('\n', at) - at);
  }
  return text;
}

/// The blocks after the pass and a cleaning, without remarks and without the function's line. The frame's memory is one
/// object of 64 bytes, which no bytecode names.
inline std::string after(bool (*pass)(ssa::Function&, const ssa::Context&), std::string_view blocks,
                         std::uint32_t vector_bytes = 0, std::string_view entry = "0") {
  bytecode::Module module;
  module.functions.resize(1);
  module.signatures.resize(1);
  module.functions[0].signature = 0;
  module.types.resize(1);
  module.types[0].size = 64;
  module.functions[0].memory_bytes = 64;
  module.functions[0].objects = {{0, 0, "object"}};
  ssa::Function function = parsed("function 0 entry " + std::string(entry) + "\n" + std::string(blocks));
  const ssa::Context context{module, false, vector_bytes};
  pass(function, context);
  ssa::clean(function, context);
  const std::string fault = ssa::verify(function);
  if (!fault.empty()) FAIL(fault << "\n" << ssa::write(function));
  std::string text = written(function);
  text.erase(0, text.find('\n') + 1);
  return text;
}

/// `text` with `by` in place of its first `$`.
inline std::string with(std::string_view text, std::string_view by) {
  std::string made(text);
  return made.replace(made.find('$'), 1, by);
}

}  // namespace cairn::tests
