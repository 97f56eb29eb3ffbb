// What is known of a frame's slots at one point of a function: which pointer registers have been written, and the types
// of the outgoing slots. Only the code verifier uses it.
#pragma once

#include <cstdint>
#include <vector>

#include "vm/bytecode/module.hpp"

namespace cairn::bytecode {

/// The type of an outgoing slot. A constant may be read as any type its bits are a value of, one of two constants as
/// any type that both are; a reference into the middle of a value as one to whatever lies there.
struct FlowType {
  enum class Kind : std::uint8_t { Unknown, Typed, Constant, ZeroPair, Inside };
  Kind kind = Kind::Unknown;
  RegisterType type;       // Typed: Second for the second slot of a pair. Inside: a Ref to the whole value
  std::uint64_t bits = 0;  // Constant: bit k: may be of RegisterKind k. Inside: the offset
  friend bool operator==(const FlowType&, const FlowType&) = default;

  [[nodiscard]] static FlowType typed(RegisterKind kind, bool writable, std::uint32_t type) {
    return {Kind::Typed, {kind, writable, type}, 0};
  }

  [[nodiscard]] bool may_be(RegisterKind wanted) const {
    return kind == Kind::Constant && (bits >> static_cast<unsigned>(wanted) & 1) != 0;
  }
  /// What is known of a slot that holds one of the two.
  [[nodiscard]] static FlowType either(const FlowType& x, const FlowType& y) {
    if (x == y) return x;
    if (x.kind == Kind::Constant && y.kind == Kind::Constant && (x.bits & y.bits) != 0) {
      return {Kind::Constant, {}, x.bits & y.bits};
    }
    if (x.kind == Kind::Typed && y.may_be(x.type.kind)) return x;
    if (y.kind == Kind::Typed && x.may_be(y.type.kind)) return y;
    return {};
  }
};

class FlowState {
 public:
  FlowState() = default;
  FlowState(std::size_t pointer_registers, std::size_t outgoing) : written_(pointer_registers), outgoing_(outgoing) {}

  [[nodiscard]] bool written(std::size_t pointer) const { return written_[pointer]; }
  void set_written(std::size_t pointer) { written_[pointer] = true; }

  [[nodiscard]] const FlowType& outgoing(std::size_t k) const { return outgoing_[k]; }
  [[nodiscard]] std::size_t outgoing_count() const { return outgoing_.size(); }
  /// Writes a slot, or two for a pair; what else was half overwritten is unknown from here on.
  void put(std::size_t k, const FlowType& type) {
    forget(k);
    const bool pair =
        type.kind == FlowType::Kind::ZeroPair || (type.kind == FlowType::Kind::Typed && type.type.is_pair());
    if (pair) forget(k + 1);
    outgoing_[k] = type;
    if (pair) outgoing_[k + 1] = {FlowType::Kind::Typed, {RegisterKind::Second, false, kNone}, 0};
  }
  /// Everything from slot k up is unknown: a call used it.
  void forget_from(std::size_t k) {
    if (k < outgoing_.size()) forget(k);
    for (; k < outgoing_.size(); ++k) outgoing_[k] = {};
  }

  /// What holds on both ways here; true when that is less than before.
  bool meet(const FlowState& other) {
    bool changed = false;
    for (std::size_t i = 0; i < written_.size(); ++i) {
      if (written_[i] && !other.written_[i]) {
        written_[i] = false;
        changed = true;
      }
    }
    for (std::size_t k = 0; k < outgoing_.size(); ++k) {
      const FlowType met = FlowType::either(outgoing_[k], other.outgoing_[k]);
      if (met == outgoing_[k]) continue;
      if (met.kind == FlowType::Kind::Unknown) {
        forget(k);
      } else {
        outgoing_[k] = met;
      }
      changed = true;
    }
    return changed;
  }

 private:
  void forget(std::size_t k) {
    const auto second = [&](std::size_t slot) {
      return slot < outgoing_.size() && outgoing_[slot].kind == FlowType::Kind::Typed &&
             outgoing_[slot].type.kind == RegisterKind::Second;
    };
    if (second(k)) outgoing_[k - 1] = {};
    if (second(k + 1)) outgoing_[k + 1] = {};
    outgoing_[k] = {};
  }

  std::vector<bool> written_;
  std::vector<FlowType> outgoing_;
};

}  // namespace cairn::bytecode
