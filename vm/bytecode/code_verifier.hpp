// The verifier's second half: the instructions of one function, of a module whose tables are accepted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "vm/bytecode/flow_state.hpp"
#include "vm/bytecode/verifier.hpp"

namespace cairn::bytecode {

class CodeVerifier {
 public:
  CodeVerifier(const Module& module, std::uint32_t function);
  [[nodiscard]] std::optional<Fault> run();

 private:
  // Decoding (code_verifier.cpp).
  void decode();
  void check_targets(std::uint32_t at);
  void check_indices(std::uint32_t at, const OperationInfo& row);
  std::vector<std::uint32_t> targets_of(std::uint32_t at) const;
  void flow();
  void flow_block(std::uint32_t start);
  void reach(std::uint32_t word);

  // One instruction (code_verifier.cpp): operands by class, then its own rule, then what it writes.
  void check_instruction();
  void check_register(const Operand& operand);
  [[nodiscard]] static bool accepts(Class wanted, const FlowType& given);
  [[nodiscard]] static RegisterType class_type(Class type);

  // Rules of their own: they set `result_` where the class does not say what is written (operation_rules.cpp).
  void check_rule();
  void check_immediate(const Operand& operand);
  void rule_same_types();
  void rule_move();
  void rule_cell(std::string_view verb, RegisterKind kind, std::uint32_t size);
  void rule_word(std::string_view verb, bool pair);
  void rule_reference();
  void rule_part();
  void rule_bytes();
  void rule_convert_each();
  void require_copy(Place to, Place from);
  void rule_owner();
  void rule_atomic(RegisterKind kind, std::uint32_t size);
  void rule_return();
  void rule_output();

  // Calls, regions, tasks, kernels (call_rules.cpp).
  struct Passing {
    std::uint32_t filled = kNone;  // the argument slot the operation itself fills
    bool skips_result = false;     // the reference for the result is not given
  };
  void rule_call();
  void rule_callable();
  void rule_region();
  void rule_task();
  void rule_device();
  void rule_collector(const Signature& lane);
  void rule_kernel();
  void check_window(std::uint64_t window, const Signature& signature, const Passing& passing);
  void finish_call(std::uint64_t window, const Signature& signature);
  void check_environment(const Function& callee, Place place);
  void check_spawned(std::uint32_t handle_signature);
  [[nodiscard]] bool fold_fits(std::uint64_t fold, const RegisterType& type) const;

  // Slots.
  [[nodiscard]] FlowType slot_type(std::uint64_t slot);
  void write_slot(std::uint64_t slot, const FlowType& type);
  /// A register of type `wanted` may take what is given.
  [[nodiscard]] bool fits(const RegisterType& wanted, const FlowType& given) const;
  [[nodiscard]] static bool converts(const RegisterType& wanted, const FlowType& given);  // but for Inside
  [[nodiscard]] static bool normalized(const RegisterType& type, std::uint64_t bits);
  /// What `const` gives.
  [[nodiscard]] static FlowType constant(std::uint64_t bits);
  [[nodiscard]] FlowType read(Place place) { return slot_type(operand(place)); }
  [[nodiscard]] std::uint64_t operand(Place place) const { return operand_bits(code_ + at_, place); }
  [[nodiscard]] bool is_declared(std::uint64_t slot) const { return slot < self_.registers.size(); }
  /// The declared type of a register; none for an outgoing slot.
  [[nodiscard]] RegisterType declared(std::uint64_t slot) const;

  /// Where a reference leads: into a value of type `whole`.
  struct Spot {
    std::uint32_t whole = kNone;
    std::uint64_t offset = 0;
    bool writable = false;
  };
  [[nodiscard]] Spot spot(Place place);
  [[nodiscard]] Spot frame_spot();  // of operand n
  [[nodiscard]] bool is_buffer_element(std::uint32_t type) const;

  void fail(std::string why);
  [[nodiscard]] bool failed() const { return fault_.has_value(); }
  void require(bool holds, const char* otherwise) {
    if (!holds) fail(otherwise);
  }

  const Module& module_;
  const std::uint32_t index_;
  const Function& self_;
  const Word* code_;
  std::vector<std::uint32_t> pointer_index_;  // of each register: which pointer register it is, or kNone
  std::uint32_t pointer_count_ = 0;
  std::vector<bool> starts_;             // words where an instruction begins
  std::vector<std::uint32_t> block_at_;  // word -> block number, or kNone
  std::vector<std::uint32_t> block_starts_;
  std::vector<FlowState> states_;  // by block: on entry
  std::vector<bool> reached_;
  std::vector<std::uint32_t> work_;

  // The instruction being judged.
  std::uint32_t at_ = 0;
  Op op_{};
  const OperationInfo* row_ = nullptr;
  FlowState now_;
  FlowType result_;  // what its written operand becomes, when a rule says
  std::optional<Fault> fault_;
};

}  // namespace cairn::bytecode
