// A function's bytecode as a C++ function: a register is a variable of its type, an object of the frame's memory an
// array of bytes, a jump a goto, a guard a test and a call of `fail`.
//
// An outgoing slot takes values of many types, so it is two variables: `s20` for the bits of a scalar, `p20` for a
// pointer.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/writer/lane_arrays.hpp"
#include "cuda/writer/unit.hpp"
#include "vm/bytecode/operation.hpp"

namespace cairn::cuda::writer {

using bytecode::Op;
using bytecode::Place;
using bytecode::RegisterKind;
using bytecode::Word;

/// How a kind of register is spelled: "U64", "float", "Bytes" for pointers.
[[nodiscard]] std::string_view type_of(RegisterKind kind);
/// The kind a type name stands for: "u8" .. "f64", "bool".
[[nodiscard]] RegisterKind kind_named(std::string_view type);
/// A constant of that kind from its slot.
[[nodiscard]] std::string literal(RegisterKind kind, std::uint64_t bits);

class FunctionWriter {
 public:
  FunctionWriter(Unit& unit, std::uint32_t index, std::string name, PlannedArrays planned = {});

  /// Adds the declaration and the definition to the unit.
  void write();

  /// What the operation cannot do on a device, or nothing: "prints".
  [[nodiscard]] static std::string_view why_host_only(Op op);

 private:
  // The frame (function_writer.cpp).
  [[nodiscard]] std::string parameter_list() const;
  [[nodiscard]] std::string_view result_type() const;
  void declare_frame();
  void find_targets();
  void find_fragment_copies();  // fragment_objects.cpp

  // One instruction: each family knows its own operations and answers whether this was one.
  void instruction();
  bool write_arithmetic();
  bool write_conversion();
  bool write_comparison();
  bool write_jump();
  bool write_move();
  bool write_cell();
  bool write_reference();
  bool write_bytes();
  bool write_call();
  bool write_failure();
  bool write_kernel_operation();
  bool write_warp_operation();
  bool write_pipeline();
  bool write_atomic();
  bool write_fragment(std::string_view name, std::uint32_t window);
  bool write_pair(std::string_view name, std::uint32_t window, const bytecode::Signature& signature);

  // Operands.
  [[nodiscard]] const Word* code() const { return function_.code.data() + at_; }
  [[nodiscard]] std::uint32_t operand(Place place) const {
    return static_cast<std::uint32_t>(bytecode::operand_bits(code(), place));
  }
  [[nodiscard]] bool is_declared(std::uint32_t slot) const { return slot < function_.registers.size(); }
  /// The kind of a declared register; U64 for the length of a pair and for outgoing slots.
  [[nodiscard]] RegisterKind kind_of(std::uint32_t slot) const;
  [[nodiscard]] std::string variable(std::uint32_t slot) const;
  /// A slot's value as a value of that kind.
  [[nodiscard]] std::string value(std::uint32_t slot, RegisterKind kind) const;
  [[nodiscard]] std::string value(Place place, RegisterKind kind) const { return value(operand(place), kind); }
  [[nodiscard]] std::string pointer(std::uint32_t slot) const;
  [[nodiscard]] std::string pointer(Place place) const { return pointer(operand(place)); }
  [[nodiscard]] std::string length(std::uint32_t slot) const { return value(slot + 1, RegisterKind::U64); }
  [[nodiscard]] std::string length(Place place) const { return length(operand(place)); }
  /// `slot = expression;` of a scalar of that kind.
  void assign(std::uint32_t slot, RegisterKind kind, std::string_view expression);
  void assign(Place place, RegisterKind kind, std::string_view expression) { assign(operand(place), kind, expression); }
  void assign_pointer(std::uint32_t slot, std::string_view expression);
  /// The last operand of an operation: register `place`, or the immediate.
  [[nodiscard]] std::string right(Place place, RegisterKind kind) const;
  /// Both operands of a comparison as one kind.
  enum class Order : std::uint8_t { None, Signed, Unsigned };
  [[nodiscard]] static Order order_of(std::string_view verb) {
    return verb.ends_with(".u") ? Order::Unsigned : verb.ends_with(".s") ? Order::Signed : Order::None;
  }
  [[nodiscard]] RegisterKind common_kind(std::uint32_t a, std::uint32_t b, Order order) const;

  /// The array of the lane's plan whose view that slot holds, or null.
  [[nodiscard]] const LaneArray* planned(std::uint32_t slot) const;

  // Memory of the frame.
  [[nodiscard]] std::string frame_address(std::uint64_t offset) const;
  [[nodiscard]] std::uint32_t frame_align(std::uint64_t offset) const;
  /// What is known of the address a reference or view holds.
  [[nodiscard]] std::uint32_t align_of(std::uint32_t slot) const;

  // Lines.
  void line(std::string_view text);
  void position();
  /// `if (condition) fail(...)` with the operands that the trap's message reads.
  void guard(std::string_view condition, TrapKind kind, std::string detail = {},
             const std::vector<std::string>& values = {});
  [[nodiscard]] std::string fail_call(TrapKind kind, std::string detail, const std::vector<std::string>& values);
  void host_only(std::string_view what);

  Unit& unit_;
  const bytecode::Module& module_;
  const bytecode::Function& function_;
  std::uint32_t index_;
  std::string name_;
  PlannedArrays planned_;

  std::uint32_t at_ = 0;  // the instruction being written
  Op op_{};
  bytecode::OpName op_name_;
  std::vector<bool> is_target_;              // by word
  std::vector<bool> is_used_;                // slots that code names
  std::set<std::uint32_t> fragment_copies_;  // words of copies that move a fragment
  std::string body_;
  bytecode::SourcePosition shown_;

  // What is known since the last label.
  std::map<std::uint32_t, std::uint32_t> texts_;   // slot -> the text whose bytes it holds
  std::map<std::uint32_t, std::uint32_t> aligns_;  // slot -> bytes on whose boundary its address lies
};

}  // namespace cairn::cuda::writer
