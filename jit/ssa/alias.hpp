// Which memory an address leads to. `ro` and `rw` and ownership say most of it: what a parameter that may be written
// through leads to is reached through no other parameter, and what a Buf owns lies in no object that holds the Buf.
#pragma once

#include "jit/ssa/ir.hpp"

namespace cairn::jit::ssa {

class Aliases {
 public:
  Aliases(const Function& function, const bytecode::Module& module);

  /// Where an address comes from: a territory, and by how many loads it was found there.
  struct Root {
    enum class Kind : std::uint8_t { Unknown, Parameter, Frame, New, Text };
    Kind kind = Kind::Unknown;
    std::uint32_t depth = 0;
    std::uint64_t id = 0;  // the slot, the frame's object, the step that made it
    friend bool operator==(const Root&, const Root&) = default;
  };
  [[nodiscard]] const Root& root(Value address) const { return roots_[address]; }

  /// Whether what `i` reads or writes may be what `j` reads or writes; loads, stores, copies and zeroings.
  [[nodiscard]] bool may_overlap(const Instruction& i, const Instruction& j) const;
  /// Whether what two addresses lead to may be the same, wherever in it.
  [[nodiscard]] bool may_meet(Value a, Value b) const { return a == b || may_meet(roots_[a], roots_[b]); }
  /// Whether a call or a step may write what the load or store `i` accesses.
  [[nodiscard]] bool may_write(const Instruction& effect, const Instruction& i) const;
  /// Whether the frame's object at that offset is reached by nothing but accesses here.
  [[nodiscard]] bool is_private(std::uint64_t object) const;

 private:
  enum class Written : std::uint8_t { Never, ByBufNew, Otherwise };

  void find_written();
  void find_roots();
  void find_escapes();
  [[nodiscard]] Root root_of(const Instruction& i) const;
  [[nodiscard]] bool may_meet(const Root& a, const Root& b) const;
  [[nodiscard]] bytecode::Op step_of(const Instruction& i) const;

  const Function& f_;
  const bytecode::Module& module_;
  std::vector<Written> written_;            // by slot, where a frame is taken up: by which instructions
  std::vector<Root> roots_;                 // by value
  std::vector<std::uint64_t> escaped_;      // frame objects, ascending
  std::vector<std::uint8_t> made_escaped_;  // by value: what a step made is stored or handed on
};

}  // namespace cairn::jit::ssa
