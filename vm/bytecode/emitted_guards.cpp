#include "vm/bytecode/emitted_guards.hpp"

#include <algorithm>

#include "vm/bytecode/operation.hpp"

namespace cairn::bytecode {

namespace {

bool is_within(const Module& module, std::uint32_t function, std::uint32_t owner) {
  while (function != kNone && function != owner) function = module.functions[function].parent;
  return function == owner;
}

}  // namespace

std::map<std::string_view, std::size_t> emitted_guards(const Module& module, std::uint32_t index) {
  std::map<std::string_view, std::size_t> counts;
  for (std::uint32_t each = 0; each < module.functions.size(); ++each) {
    if (!is_within(module, each, index)) continue;
    const Function& function = module.functions[each];
    for (std::uint32_t at = 0; at < function.code.size(); at += instruction_words(&function.code[at])) {
      const std::uint64_t traps = info(op_of(function.code[at])).traps;
      if (traps == ~std::uint64_t{0} || std::ranges::binary_search(function.proved, at)) continue;
      for (unsigned kind = 1; kind < 64; ++kind) {
        if ((traps >> kind & 1U) != 0) ++counts[trap_kind_name(static_cast<TrapKind>(kind))];
      }
    }
  }
  counts.erase("stack");
  counts.erase("allocation");
  return counts;
}

}  // namespace cairn::bytecode
