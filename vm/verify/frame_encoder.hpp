// One call of a function, worked off word by word: the encoder's own.
#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "vm/bytecode/operation.hpp"
#include "vm/verify/encoder.hpp"

namespace cairn::verify {

/// An operation's text name in parts that the encoder branches on.
struct Verb {
  std::string_view name;  // without type and ".imm"
  bytecode::RegisterKind type = bytecode::RegisterKind::None;
  bool immediate = false;
};

class FrameEncoder {
 public:
  FrameEncoder(Encoder& encoder, std::uint32_t function, State start);
  /// The state behind the call; nothing when no path returns.
  std::optional<State> run();

 private:
  using Position = std::vector<std::uint32_t>;  // begin and turn of every loop around, then the word

  // flow
  [[nodiscard]] Position position_of(std::uint32_t from, std::uint32_t to) const;
  void go(std::uint32_t to, Term condition);
  void leave();
  void merge_into(State& known, State&& more);
  void step();  // the instruction at word_; sets word_ on, or ends the run of straight code

  // families of operations; false when the verb is none of theirs
  bool moves(const Verb& verb);
  bool arithmetic(const Verb& verb);
  bool comparisons(const Verb& verb);
  bool conversions(const Verb& verb);
  bool jumps(const Verb& verb);
  bool accesses(const Verb& verb);
  bool places(const Verb& verb);
  bool owners(const Verb& verb);
  bool calls(const Verb& verb);
  [[noreturn]] void refuse(const Verb& verb) const;

  void integer_arithmetic(const Verb& verb, Term left, Term right);
  void reduce();
  void call_function(std::uint32_t function, std::uint32_t window, const Value* environment);

  // operands of the instruction at word_
  [[nodiscard]] std::uint64_t bits(bytecode::Place place) const;
  [[nodiscard]] std::uint32_t slot(bytecode::Place place) const { return static_cast<std::uint32_t>(bits(place)); }
  [[nodiscard]] std::int32_t offset(bytecode::Place place) const;
  Value& value(std::uint32_t slot_index);
  Term term(std::uint32_t slot_index, Sort otherwise = kIndex);
  Term length(std::uint32_t view_slot) { return term(view_slot + 1); }
  void set(std::uint32_t slot_index, Term result);
  void set(std::uint32_t slot_index, Value result);
  void trap_if(Term failed) { encoder_.trap(state_.reached, failed); }
  [[nodiscard]] Value frame_pointer(std::uint64_t bytes) const;
  /// Element `index` of a view, as a place.
  Value element(const Value& view, Term index);
  /// Settles a pointer that goes into a register (or parameter) of a known type.
  Value typed(Value pointer, const bytecode::RegisterType& type) const;
  Term as_bits(Term term);
  Term resized(Term term, unsigned width);

  Encoder& encoder_;
  Terms& terms_;
  Memory& memory_;
  const bytecode::Module& module_;
  const bytecode::Function& function_;
  const Flow& flow_;
  std::vector<std::uint32_t> objects_;  // of the frame's memory, in its order
  std::map<Position, State> open_;
  std::optional<State> returned_;
  State state_;
  Position here_;
  std::uint32_t word_ = 0;
  bool running_ = false;  // the straight code at word_ goes on
};

[[nodiscard]] Verb verb_of(bytecode::Op op);

}  // namespace cairn::verify
