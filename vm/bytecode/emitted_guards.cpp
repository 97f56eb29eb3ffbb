#include "vm/bytecode/emitted_guards.hpp"

#include <algorithm>

#include "vm/bytecode/operation.hpp"
#include "vm/bytecode/owners.hpp"

namespace cairn::bytecode {

namespace {

/// Calls with each kind of guard that an instruction holds.
void each_guard(const Word& word, auto&& found) {
  const std::uint64_t traps = info(op_of(word)).traps;
  if (traps == ~std::uint64_t{0}) return;
  for (unsigned kind = 1; kind < 64; ++kind) {
    const auto trap = static_cast<TrapKind>(kind);
    if ((traps >> kind & 1U) != 0 && trap != TrapKind::Stack && trap != TrapKind::Allocation) found(trap);
  }
}

}  // namespace

std::size_t guards_at(const Function& function, std::span<const std::uint32_t> words) {
  std::size_t count = 0;
  for (const std::uint32_t word : words) each_guard(function.code[word], [&](TrapKind) { ++count; });
  return count;
}

std::size_t guard_sites(const Function& function) {
  std::size_t count = 0;
  for (std::uint32_t at = 0; at < function.code.size(); at += instruction_words(&function.code[at])) {
    each_guard(function.code[at], [&](TrapKind) { ++count; });
  }
  return count;
}

std::map<std::string_view, std::size_t> emitted_guards(const Module& module, std::uint32_t index) {
  std::map<std::string_view, std::size_t> counts;
  for (std::uint32_t each = 0; each < module.functions.size(); ++each) {
    if (!is_within(module, each, index)) continue;
    const Function& function = module.functions[each];
    for (std::uint32_t at = 0; at < function.code.size(); at += instruction_words(&function.code[at])) {
      if (std::ranges::binary_search(function.proved, at)) continue;
      each_guard(function.code[at], [&](TrapKind kind) { ++counts[trap_kind_name(kind)]; });
    }
  }
  return counts;
}

}  // namespace cairn::bytecode
