// Every operation on scalars as a function of its own, read from the table's rows, and operands at which operations
// change their minds.
#pragma once

#include <random>
#include <vector>

#include "vm/bytecode/builder.hpp"

namespace cairn::tests {

/// An operation with a choice of types for its operands, in the order of its row.
struct ScalarForm {
  bytecode::Op op{};
  std::vector<bytecode::RegisterKind> kinds;
};

/// The scalar kinds a register class admits.
[[nodiscard]] std::vector<bytecode::RegisterKind> kinds_of(bytecode::Class type);

/// Every choice of types of every operation that reads and gives scalars alone.
[[nodiscard]] std::vector<ScalarForm> scalar_forms();

/// A function of the operation; the result register is also an operand when `over`.
std::uint32_t declare_scalar(bytecode::ModuleBuilder& module, const ScalarForm& form, std::uint64_t immediate,
                             bool over);

/// Values of a kind at which operations change their minds, and some others.
[[nodiscard]] std::vector<std::uint64_t> operands_of(bytecode::RegisterKind kind, std::mt19937_64& random);

/// Immediates to make functions of: one value where the form has none.
[[nodiscard]] std::vector<std::uint64_t> immediates_of(const ScalarForm& form, std::mt19937_64& random);

/// Lists of values for the form's registers: all of them together while they are few, some of them where they are many.
[[nodiscard]] std::vector<std::vector<std::uint64_t>> operand_lists(const ScalarForm& form, std::mt19937_64& random);

}  // namespace cairn::tests
