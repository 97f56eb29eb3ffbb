// Builds modules. ModuleBuilder keeps the tables and gives equal entries one index; FunctionBuilder gives registers,
// objects and labels, and encodes. Neither judges types: the verifier does. What cannot be encoded (more than kMaxSlots
// slots, offsets past 32 bits) is remembered and told by `failed()`.
//
//   FunctionBuilder f(module, module.declare("fib", signature));
//   Register n = f.parameter(0);
//   Label recurse = f.label();
//   f.emit(Op::JumpGeUImm, n, 2, recurse);       // operands in the order of the table's row
//   f.emit(Op::ReturnValue, n);
//   f.bind(recurse);
//   Register window = f.outgoing(0);              // argument and result slots above the registers
//   f.emit(Op::SubU64Imm, window, n, 1);
//   f.emit(Op::Call, window, fib);
//   ...
//   f.finish();
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "vm/bytecode/module.hpp"

namespace cairn::bytecode {

/// A slot of the function being built: a register, or the k-th outgoing slot.
struct Register {
  std::uint32_t index = kNone;
  [[nodiscard]] bool is_outgoing() const { return index != kNone && index >= kOutgoing; }
  /// The next slot: the length of a view or buf pair; the following argument slot.
  [[nodiscard]] Register second() const { return {index + 1}; }
  [[nodiscard]] Register plus(std::uint32_t slots) const { return {index + slots}; }
  explicit operator bool() const { return index != kNone; }
  friend bool operator==(Register, Register) = default;
  static constexpr std::uint32_t kOutgoing = 0x10000;
};

struct Label {
  std::uint32_t index = kNone;
};

class ModuleBuilder {
 public:
  explicit ModuleBuilder(std::string name);

  std::uint32_t file(std::string_view path);
  std::uint32_t text(std::string_view bytes);
  std::uint32_t signature(const Signature& signature);
  std::uint32_t native(std::string_view name, std::uint32_t signature);
  std::uint32_t foreign(Foreign foreign);
  std::uint32_t trait(Trait trait);          // always a new entry
  std::uint32_t table(DispatchTable table);  // one per (trait, type)

  // Types. Structural ones are interned; records and sums are new at each call (the caller keeps one per checked type).
  std::uint32_t scalar(ScalarKind kind);
  std::uint32_t array(std::uint32_t element, std::uint64_t count);
  std::uint32_t buf(std::uint32_t element);
  std::uint32_t dyn(std::uint32_t trait);
  std::uint32_t function_value(std::uint32_t signature);
  std::uint32_t mutex(std::uint32_t element);
  /// Of a ticket or group (with its signature), or a ring.
  std::uint32_t handle(RegisterKind kind, std::uint32_t signature);
  std::uint32_t reference(std::uint32_t type, bool writable);  // for environments
  std::uint32_t view(std::uint32_t element, bool writable);
  std::uint32_t callable(std::uint32_t signature);
  std::uint32_t dyn_reference(std::uint32_t trait, bool writable);
  /// A record whose fields are given later, so that it may reach itself through a Buf.
  std::uint32_t declare_record(std::string name);
  /// Lays the fields out in order (natural alignment; `packed`: none; `align`: at least that).
  void define_record(std::uint32_t type, std::vector<Field> fields, bool packed = false, std::uint32_t align = 1);
  std::uint32_t declare_sum(std::string name);
  /// Lays the payloads out: `overlapping` for copyable sums, one after another when some payload is an owner or linear.
  void define_sum(std::uint32_t type, std::vector<Variant> variants, bool overlapping);
  std::uint32_t environment(std::string name, std::vector<Field> fields);
  /// An array or mutex of a record or sum that was defined after it.
  void lay_out_again(std::uint32_t type);

  /// A new function without code; its FunctionBuilder fills it.
  std::uint32_t declare(std::string name, std::uint32_t signature, FunctionKind kind = FunctionKind::Plain,
                        std::uint32_t environment = kNone, std::uint32_t parent = kNone);

  [[nodiscard]] const Type& type(std::uint32_t index) const { return module_.types[index]; }
  [[nodiscard]] Module& module() { return module_; }
  [[nodiscard]] const Module& module() const { return module_; }
  Module take() { return std::move(module_); }

 private:
  std::uint32_t intern(Type type);
  std::uint32_t add_type(Type type);

  Module module_;
  std::unordered_map<std::string, std::uint32_t> files_, texts_, natives_;
  std::map<std::string, std::uint32_t> structural_;
  std::unordered_map<std::string, std::uint32_t> signatures_;  // by its bytes
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> tables_;
};

/// An operand of `emit`: a register, a label, or an immediate's bits.
class Argument {
 public:
  Argument(Register reg) : bits_(reg.index), kind_(Kind::Register) {}  // NOLINT
  Argument(Label label) : bits_(label.index), kind_(Kind::Label) {}    // NOLINT
  template <std::integral T>
  Argument(T value) : bits_(static_cast<std::uint64_t>(value)) {}       // sign-extended  // NOLINT
  Argument(TrapKind kind) : bits_(static_cast<std::uint64_t>(kind)) {}  // NOLINT

  enum class Kind : std::uint8_t { Immediate, Register, Label };
  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_;
  Kind kind_ = Kind::Immediate;
};

struct PrintItem {
  PrintAs as{};
  Register value;
};

class FunctionBuilder {
 public:
  /// Registers for the signature's parameters (and the environment) exist from the start.
  FunctionBuilder(ModuleBuilder& module, std::uint32_t function);

  [[nodiscard]] Register parameter(std::size_t index) const;  // its first slot
  [[nodiscard]] Register environment() const;                 // the hidden last parameter

  /// A register that keeps its value while it is not written; two slots for a pair.
  Register add_register(RegisterType type, std::string name = {});
  /// The same, taken from those released before when one of this type is free.
  Register temporary(RegisterType type);
  void release(Register temporary);
  [[nodiscard]] RegisterType type_of(Register reg) const;  // of a register, not of an outgoing slot
  void name(Register reg, std::string name);

  /// The k-th outgoing slot. A call's window is `outgoing(k)`; the kLinkSlots slots below it must not hold anything
  /// live, so a window inside the arguments of another starts kLinkSlots above the last argument placed.
  Register outgoing(std::uint32_t k);

  /// An object of the frame's memory; its offset is the operand of frame.* operations.
  std::uint64_t add_object(std::uint32_t type, std::string name = {});

  Label label();
  void bind(Label label);
  [[nodiscard]] bool is_bound(Label label) const;

  /// The position of the instructions that follow.
  void at(SourcePosition position);
  [[nodiscard]] SourcePosition position() const { return current_; }

  /// Appends an instruction, operands in the order of its row in operations.def.
  void emit(Op op, std::initializer_list<Argument> operands);
  template <class... Arguments>
  void emit(Op op, Arguments... arguments) {
    emit(op, std::initializer_list<Argument>{Argument(arguments)...});
  }
  /// The guard of the instruction emitted last was proved unable to fail.
  void mark_proved() { proved_.push_back(last_); }
  /// switch a, targets: past the list when out of range.
  void emit_switch(Register subject, const std::vector<Label>& targets);
  void emit_print(bool to_error, bool newline, const std::vector<PrintItem>& items);
  void emit_format(Register target, std::uint32_t buffer_offset, std::uint32_t length_offset,
                   const std::vector<PrintItem>& items);

  /// spawn (into a ticket) and spawn.into (a group); `copied`: argument slots whose references' values travel along.
  void emit_spawn(Op op, Register handle, Register window, std::uint32_t function,
                  const std::vector<std::uint32_t>& copied);

  // Constants in the slot form of their type.
  void constant(Register to, std::uint64_t bits) { emit(Op::Const, to, bits); }
  /// The same before the function's first instruction, for a register that nothing else writes: a constant a loop
  /// needs.
  void constant_at_entry(Register to, std::uint64_t bits);
  /// move or move.pair, by the type of whichever is a register; nothing when both are the same.
  void move(Register to, Register from);

  /// Resolves labels and outgoing slots and stores the function in the module. Every label used must be bound.
  void finish();
  /// What could not be encoded, or empty.
  [[nodiscard]] const std::string& failed() const { return failed_; }
  [[nodiscard]] std::size_t words() const { return code_.size(); }
  [[nodiscard]] std::size_t register_slots() const { return registers_.size(); }
  [[nodiscard]] std::uint64_t memory_bytes() const { return memory_bytes_; }
  static constexpr std::uint64_t kMaxMemoryBytes = 0x7fffffff;

 private:
  struct Fixup {
    std::uint32_t instruction = 0;  // word of its start
    std::uint32_t word = 0;         // where the target lies
    bool high = false;              // in the upper 32 bits
    std::uint32_t label = 0;
  };
  struct OutgoingUse {
    std::uint32_t word = 0;
    std::uint8_t shift = 0;
    std::uint32_t slot = 0;
  };

  void put_register(std::size_t word, unsigned shift, std::uint64_t index);
  void put_target(std::uint32_t instruction, std::size_t word, bool high, std::uint64_t label);
  void note_position();
  void put_entry_code_first();
  void emit_items(const std::vector<PrintItem>& items);
  void fail(std::string why);

  ModuleBuilder& module_;
  std::uint32_t function_;
  std::vector<RegisterInfo> registers_;
  std::vector<std::uint32_t> parameter_slots_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Register>> free_;  // by (kind and mode, type)
  std::uint32_t outgoing_count_ = 0;
  std::vector<MemoryObject> objects_;
  std::uint64_t memory_bytes_ = 0;
  std::uint32_t memory_align_ = 16;
  std::vector<Word> code_;
  std::vector<PositionEntry> positions_;
  std::vector<std::uint32_t> proved_;
  std::uint32_t last_ = 0;  // where the last instruction starts
  SourcePosition current_;
  std::vector<std::uint32_t> labels_;  // word, or kNone
  std::vector<Fixup> fixups_;
  std::vector<OutgoingUse> outgoing_uses_;
  std::vector<Word> entry_code_;  // stands before `code_` in the end
  std::string failed_;
};

}  // namespace cairn::bytecode
