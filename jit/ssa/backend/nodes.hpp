// What the register allocator sees of a function: its blocks in the order of the code, a node for each instruction with
// what it asks of registers, and, when the allocator is done, where every value is at every place.
//
// Places. Node n covers four places: 4n, the gap before it, where values move; 4n + 1, where its early operands are
// read; 4n + 2, where its late operands are still there and its result is written; 4n + 3, behind it. Ranges are half
// open.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "jit/ssa/ir.hpp"

namespace cairn::jit::ssa {

using Reg = std::uint8_t;  // 0 .. 15 general by their number, 16 .. 31 vector
using RegSet = std::uint32_t;
inline constexpr Reg kNoReg = 255;
inline constexpr Reg kFirstVector = 16;
constexpr RegSet bit(Reg reg) { return RegSet{1} << reg; }
constexpr bool is_vector(Reg reg) { return reg >= kFirstVector && reg != kNoReg; }

namespace reg {
inline constexpr Reg rax = 0, rcx = 1, rdx = 2, rsi = 6, rdi = 7, r8 = 8, r9 = 9, r10 = 10, r11 = 11, r14 = 14,
                     r15 = 15, xmm0 = 16, xmm1 = 17;
inline constexpr Reg kScratch = 31;  // xmm15: of moves alone
}  // namespace reg

/// Every register but those of the machine (machine.hpp), the stack pointer and the moves' own.
inline constexpr RegSet kGeneral = bit(reg::rax) | bit(reg::rcx) | bit(reg::rdx) | bit(reg::rsi) | bit(reg::rdi) |
                                   bit(reg::r8) | bit(reg::r9) | bit(reg::r10) | bit(reg::r11) | bit(reg::r14) |
                                   bit(reg::r15);
inline constexpr RegSet kVectors = 0x7fff0000U;
inline constexpr RegSet kAllocatable = kGeneral | kVectors;

enum class Bank : std::uint8_t { General, Vector };
constexpr RegSet registers_of(Bank bank) { return bank == Bank::General ? kGeneral : kVectors; }

using Place = std::uint32_t;
inline constexpr Place kNever = 0xffffffff;
constexpr Place gap_of(std::uint32_t node) { return 4 * node; }
constexpr std::uint32_t node_of(Place place) { return place / 4; }

/// An operand of a node.
struct Input {
  enum class Needs : std::uint8_t {
    Nothing,   // a number: of the value's own
    Anywhere,  // a register or memory
    Register,
    Fixed,  // `reg`
    Tied,   // the register of the node's result
  };
  Value value = kNoValue;
  Needs needs = Needs::Anywhere;
  bool late = false;  // still there when the result is written
  Reg reg = kNoReg;
};

/// A result of a node.
struct Output {
  Value value = kNoValue;
  Reg reg = kNoReg;        // where the node leaves it, or any
  bool in_memory = false;  // it is in frame slot `slot` already, or a number
  std::uint32_t slot = kNone;
  bool early = false;  // written while the early operands are read
};

/// A register of the node's own.
struct Temporary {
  Bank bank = Bank::General;
  Reg reg = kNoReg;  // a certain one; its value is lost, and no early operand is in it
};

enum class NodeKind : std::uint8_t { Label, Instruction };

/// A comparison of an And with zero, or of one bit with that bit, which asks the opposite of zero.
enum class Bits : std::uint8_t { None, WithZero, WithItself };

struct Node {
  NodeKind kind = NodeKind::Instruction;
  Value value = kNoValue;  // the instruction; of a label, none
  Value fused = kNoValue;  // the comparison that a Select, whose inputs begin with that one's, is made with
  Bits bits = Bits::None;  // what is compared is what an And gives, of whose operands the inputs are
  std::uint32_t first_input = 0, inputs = 0;
  std::uint32_t first_exit_input = 0;  // in the inputs: of the instruction's `uses`, in their order
  std::uint32_t first_output = 0, outputs = 0;
  std::uint32_t first_temporary = 0, temporaries = 0;
  RegSet lost = 0;          // registers with other values behind it
  bool loses_all = false;   // a call or a step: nothing is in registers behind it
  bool early_uses = false;  // values of `uses` may be in the result's register: the stub takes the operation back
};

struct MachineBlock {
  BlockId block = kNone;                                // kNone: made for an edge
  std::uint32_t first = 0, end = 0;                     // nodes
  std::vector<std::uint32_t> predecessors, successors;  // in the order of the code
  std::uint32_t depth = 0;
  bool is_cold = false;
  bool is_loop_start = false;
  [[nodiscard]] Place from() const { return gap_of(first); }
  [[nodiscard]] Place to() const { return gap_of(end); }
};

/// What phis take along an edge.
struct PhiMove {
  Value phi = kNoValue, from = kNoValue;
};

struct Nodes {
  std::vector<MachineBlock> blocks;
  std::vector<std::vector<PhiMove>> phi_moves;  // by block: along its one way out
  std::vector<Node> nodes;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::vector<Temporary> temporaries;
  std::vector<std::uint8_t> is_dirty;  // by value: the bits above an i32 are not its sign

  [[nodiscard]] std::span<const Input> inputs_of(const Node& n) const {
    return {inputs.data() + n.first_input, n.inputs};
  }
  [[nodiscard]] std::span<const Output> outputs_of(const Node& n) const {
    return {outputs.data() + n.first_output, n.outputs};
  }
  [[nodiscard]] std::span<const Temporary> temporaries_of(const Node& n) const {
    return {temporaries.data() + n.first_temporary, n.temporaries};
  }
};

/// Where a value is.
struct Location {
  enum class Is : std::uint8_t { Nowhere, Register, Frame, Spill, Number };
  Is is = Is::Nowhere;
  Reg reg = kNoReg;
  std::uint32_t at = 0;  // a slot of the frame; a byte of the thread's spill area
  Value value = kNoValue;
  [[nodiscard]] bool in_register() const { return is == Is::Register; }
  [[nodiscard]] bool in_memory() const { return is == Is::Frame || is == Is::Spill; }
  friend bool operator==(const Location& a, const Location& b) {
    if (a.is != b.is) return false;
    return a.is == Is::Register ? a.reg == b.reg : a.is == Is::Number ? a.value == b.value : a.at == b.at;
  }
};
inline Location in(Reg reg) { return {Location::Is::Register, reg, 0, kNoValue}; }

struct Move {
  Location from, to;
  Value value = kNoValue;
};

inline Bank bank_of(const Instruction& i) { return is_float(i.kind) || i.lanes > 1 ? Bank::Vector : Bank::General; }
/// Bytes a value takes in memory.
inline std::uint32_t bytes_of(const Instruction& i) { return i.lanes > 1 ? size_of(i.kind) * i.lanes : 8; }

}  // namespace cairn::jit::ssa
