#include "vm/bytecode/operation.hpp"

#include <algorithm>
#include <array>

#include "vm/bytecode/operation_table.hpp"

namespace cairn::bytecode {
namespace {

using table::kRows;

/// Operation indices in the order of their text names.
consteval std::array<std::uint16_t, kOperationCount> sorted_by_text() {
  std::array<std::uint16_t, kOperationCount> order{};
  for (std::uint16_t i = 0; i < kOperationCount; ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [](std::uint16_t x, std::uint16_t y) { return kRows[x].text < kRows[y].text; });
  return order;
}
constexpr std::array<std::uint16_t, kOperationCount> kByText = sorted_by_text();

consteval bool texts_are_distinct() {
  for (std::size_t i = 1; i < kByText.size(); ++i) {
    if (kRows[kByText[i - 1]].text == kRows[kByText[i]].text) return false;
  }
  return true;
}
static_assert(texts_are_distinct());

}  // namespace

const OperationInfo& info(Op op) { return kRows[static_cast<std::size_t>(op)]; }

Op find_operation(std::string_view text) {
  const auto found = std::ranges::lower_bound(kByText, text, {}, [](std::uint16_t i) { return kRows[i].text; });
  if (found == kByText.end() || kRows[*found].text != text) return Op::Count;
  return static_cast<Op>(*found);
}

std::uint64_t operand_bits(const Word* code, Place place) {
  switch (place) {
    case Place::A:
      return a_of(code[0]);
    case Place::B:
      return b_of(code[0]);
    case Place::C:
      return c_of(code[0]);
    case Place::N:
      return n_of(code[0]);
    case Place::D:
      return d_of(code[1]);
    case Place::E:
      return e_of(code[1]);
    case Place::M:
      return m_of(code[1]);
    case Place::T:
      return code[1] & 0xffffffff;
    case Place::I:
      return code[1];
    case Place::List:
      return 0;
  }
  return 0;
}

std::uint32_t list_items(const Word* code) {
  switch (op_of(code[0])) {
    case Op::Switch:
      return n_of(code[0]);
    case Op::Spawn:
    case Op::SpawnInto:
      return c_of(code[0]);
    default:
      return b_of(code[0]);  // print, format
  }
}

std::uint32_t instruction_words(const Word* code) {
  const OperationInfo& row = info(op_of(code[0]));
  std::uint32_t words = row.words;
  if (row.has_list) {
    words += static_cast<std::uint32_t>((std::uint64_t{list_items(code)} + 1) / 2);
  }
  return words;
}

}  // namespace cairn::bytecode
