// A kernel's form while its phases become machine code (docs/jit.md, "Phases of kernels"): the bytecode's instructions
// in nodes, small counted loops unrolled, in static single assignment over the slots of a thread's frame.
//
// One run of the code does what kLanes consecutive threads do, a *group*. A value is known by its class: a constant,
// the same in all threads of a group (Uniform), a start plus a stride from thread to thread (Linear), an address in the
// thread's own memory (Frame), or anything (Varying). Only Varying values, and floats, are in vector registers.
//
// Threads of a group that go different ways are handled by masks: the node that stands first in the order runs first,
// for the threads that are there, and the others wait at theirs (Diamos et al., SIMD Re-Convergence At Thread
// Frontiers, 2011). A node that may run for some of its group's threads alone is `divergent`.
//
// Nothing here knows what a trap says. A guard that fails leaves at a site, which tells for each live slot where its
// value is; the interpreter then goes on in frames of its own, thread by thread, and finds the trap its order finds.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "jit/baseline/shape.hpp"
#include "vm/bytecode/module.hpp"

namespace cairn::jit::phases {

using bytecode::Op;
using bytecode::Word;

inline constexpr std::uint32_t kLanes = 8;
inline constexpr std::uint32_t kNone = bytecode::kNone;

/// Of an unsigned type; all bits of a word for any other.
constexpr std::uint64_t greatest(Kind kind) {
  switch (kind) {
    case Kind::Bool:
      return 1;
    case Kind::U8:
      return 0xff;
    case Kind::U16:
      return 0xffff;
    case Kind::U32:
      return 0xffffffff;
    default:
      return ~std::uint64_t{0};
  }
}

using ValueId = std::uint32_t;
using NodeId = std::uint32_t;

enum class Class : std::uint8_t { Unknown, Constant, Uniform, Linear, Frame, Varying };
enum class Type : std::uint8_t { Bits, F32, F64 };

struct Value {
  NodeId node = 0;
  std::uint32_t slot = 0;  // of a phi
  bool is_phi = false;
  Type type = Type::Bits;
  Class kind = Class::Unknown;
  std::uint64_t number = 0;  // Constant: the slot's bits; Linear: the stride; Frame: bytes into the frame's memory
  bool aligned = false;      // Linear: the first thread's value is a multiple of kLanes, the stride 1
  bool of_block = false;     // a Uniform word, the same in all groups that make it between two barriers
  std::uint64_t low = 0, high = ~std::uint64_t{0};  // bounds, unsigned

  [[nodiscard]] bool is_uniform() const { return kind == Class::Constant || kind == Class::Uniform; }
  [[nodiscard]] bool in_vector() const { return type != Type::Bits || kind == Class::Varying; }
};

struct Instruction {
  const Word* code = nullptr;
  std::uint32_t word = 0;
  Op op{};
  const Shape* shape = nullptr;
  bool counts_only = false;       // a loop.next of an unrolled loop: no jump
  std::uint32_t element = kNone;  // the slot of the array element that is loaded or stored, when it has one
  // By place, a to e; a pair's second slot.
  std::array<ValueId, 5> use{kNone, kNone, kNone, kNone, kNone}, use2{kNone, kNone, kNone, kNone, kNone};
  ValueId def = kNone, def2 = kNone;
};

struct Node {
  std::vector<Instruction> code;
  std::vector<NodeId> next;  // of a conditional jump: the target, then what follows
  std::vector<NodeId> from;
  std::uint32_t word = 0;  // where it begins
  bool ends_in_sync = false;
  bool is_failure = false;  // ends in a trap
  // Per slot: the value at the start and at the end; kNone where it is dead.
  std::vector<ValueId> in, out;
  std::vector<ValueId> phis;
  bool divergent = false;
  bool joins = false;           // waited at: its mask is cleared where it starts
  bool of_some = false;         // between two barriers not all groups need come to it
  bool is_fresh = false;        // nothing that a group does itself stands between the last barrier and its end
  std::vector<NodeId> waiting;  // nodes at which other threads may wait when this one ends
};

/// An object of the frame's memory whose elements became slots of their own, or which lies thread by thread.
struct Object {
  std::uint32_t offset = 0, bytes = 0, element = 0;  // element: bytes of one
  Type type = Type::Bits;                            // of an element
  bool is_slots = false;
  std::uint32_t first_slot = 0;
};

class Graph {
 public:
  Graph(const bytecode::Module& module, const bytecode::Function& function);

  /// False where the kernel has a form that is not translated here.
  [[nodiscard]] bool usable() const { return usable_; }
  /// Whether the function is a device lane: its indices are the threads, and none waits for another.
  [[nodiscard]] bool is_lane() const { return function_.kind == bytecode::FunctionKind::DeviceLane; }

  std::vector<Node> nodes;  // in the order in which threads that went apart run; 0 is the entry
  std::vector<Value> values;
  std::vector<Object> objects;
  std::uint32_t slots = 0;  // of the frame, then of promoted objects

  /// Calls visit(instruction, state) before each instruction of a node, where state is slot -> value.
  template <class Visit>
  void walk(NodeId node, Visit visit) const {
    std::vector<ValueId> state = nodes[node].in;
    for (const Instruction& each : nodes[node].code) {
      visit(each, state);
      step(each, state);
    }
  }
  void step(const Instruction& each, std::vector<ValueId>& state) const;
  [[nodiscard]] const std::vector<std::uint64_t>& live_in(NodeId node) const { return live_in_[node]; }
  [[nodiscard]] const std::vector<std::uint64_t>& live_out(NodeId node) const { return live_out_[node]; }
  /// The slots an instruction reads and writes, array elements included.
  template <class Visit>
  void each_slot_of(const Instruction& each, Visit visit) const;
  /// Slots alive before each instruction of a node, then after the last.
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> live_within(NodeId node) const;
  [[nodiscard]] bool in_loop_of(NodeId header, NodeId node) const {
    return !loop_[header].empty() && loop_[header][node];
  }
  [[nodiscard]] const Object* object_at(std::uint64_t offset) const;
  [[nodiscard]] bool dominates(NodeId a, NodeId b) const;
  [[nodiscard]] bool is_loop_header(NodeId node) const { return loop_of_header_[node]; }

  bool refuse() {
    usable_ = false;
    return false;
  }

 private:
  void cut();
  bool end_lanes();
  bool unroll_one();
  void merge_chains();
  void connect();
  bool find_objects();
  void find_live();
  bool find_dominators();
  void find_loops();
  bool name_values();
  bool promote();

  void make_values();
  [[nodiscard]] bool leaves_loop(NodeId from, NodeId to, ValueId value) const;
  bool name_start(NodeId node);
  void name_uses(NodeId node);
  ValueId new_value(NodeId node, Type type);
  [[nodiscard]] Type type_of_slot(std::uint32_t slot) const;

  const bytecode::Module& module_;
  const bytecode::Function& function_;
  bool usable_ = true;
  std::vector<std::vector<std::uint64_t>> live_in_, live_out_;
  std::vector<NodeId> dominator_;
  std::vector<std::vector<bool>> loop_;  // by header: its nodes, else empty
  std::vector<bool> loop_of_header_;
  std::vector<std::vector<ValueId>> made_;  // by node, then instruction: its own value
  std::array<ValueId, 3> zero_{};           // by type
  std::vector<ValueId> at_entry_;
};

/// classes.cpp: what is known of each value, and which nodes are divergent. False where threads of a group could stop
/// at a barrier apart, or meet where the order does not bring them together.
[[nodiscard]] bool classify(Graph& graph, const bytecode::Function& function);

}  // namespace cairn::jit::phases
