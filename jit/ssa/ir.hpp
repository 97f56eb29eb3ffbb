// The optimizing tier's form of a function: static single assignment over the slots of its frame.
//
// A value is 64 bits as the interpreter's slots hold it: a narrow integer is zero- or sign-extended, a bool is 0 or 1,
// a pointer is a U64; floats are in vector registers. An instruction says its own kind, so that `add` of u8 and of u32
// are told apart by `kind` alone. `lanes` above 1 makes it the same operation on a vector of that many elements.
//
// Guards. An operation in Mode::Checked traps with its operation's trap kind where the exact result does not fit; a
// pass that knows it fits makes it Mode::Exact, which also says that nothing has to be normalized. Mode::Wrap is modulo
// 2^width. A `guard` traps unless its relation holds. What may trap carries `uses`: the slots the interpreter's failure
// handler reads, and the values they have to hold there. Nothing else is needed: after a trap the instance is dead.
//
// Calls and steps. Before a call or a step the slots in `uses` are stored, and nothing is in registers after it. A
// `step` runs the instruction of bytecode at `word` through the engine's definition of it. What a call or a step wrote
// is read by the `result` instructions that stand directly behind it, each from its slot of the frame.
//
// Inlined functions. `frames` are the calls that were inlined. Slot k of an inlined function is slot base + k of the
// function's own frame, where the call would have put it; `uses` name slots of the function's own frame. Whoever walks
// the frames (a trap's notes, an exit, a callee) finds the inlined ones: their links are written, or told by the return
// point.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "jit/baseline/shape.hpp"
#include "vm/bytecode/module.hpp"

namespace cairn::jit::ssa {

using Value = std::uint32_t;    // an instruction's index; 0 is no value
using BlockId = std::uint32_t;  // index into Function::blocks; 0 is the entry
inline constexpr Value kNoValue = 0;
inline constexpr std::uint32_t kNone = bytecode::kNone;

enum class Opcode : std::uint8_t {
  // ---- values
  Nop,           // nothing: an instruction that was taken out
  Const,         // immediate: the slot's 64 bits (an f32 in the low four bytes)
  Slot,          // the value of frame slot `immediate` where the function is entered; only in the entry block
  FrameAddress,  // the address of byte `immediate` of the frame's memory, where an object starts
  Text,          // the address of text `immediate` of the module
  Phi,           // uses: a value for each predecessor, whose id is the use's slot
  // ---- arithmetic on `kind`; integers by `mode`
  Add,
  Sub,
  Mul,
  Div,  // integers: Checked traps with Division; else the divisor is known to be good
  Rem,
  Neg,
  Abs,
  Shl,  // the count b is below the width
  Shr,
  And,
  Or,
  Xor,
  Min,
  Max,
  Fma,   // a * b + c, rounded once
  Fms,   // a * b - c, rounded once
  Fnma,  // c - a * b, rounded once
  Sqrt,
  Floor,
  Ceil,
  Trunc,
  Compare,   // a bool: whether `relation` holds of a and b, which are of `source`; a lane is an integer of that size
  Select,    // a ? b : c; the lanes of a are of a comparison
  Convert,   // a, of `source`, as `kind`; Checked traps with Conversion; Wrap of integers keeps the low bits
  Bits,      // the bits of a, of `source`, as `kind`; an f32 and a u32, an f64 and a u64
  Splat,     // every lane is a
  Iota,      // lane k is k
  Lane,      // lane `immediate` of the vector a
  Mask,      // a U64: bit k says whether `relation` holds of lane k of a and b, whose lanes are of `source`
  Ones,      // how many bits of a are set
  Compress,  // the lanes of a whose bits of b are set, next to each other; lanes above are zero
  Unzip,     // in each 16 bytes: the elements of a, then of b, that are even (immediate 0) or odd (1)
  Zip,       // in each 16 bytes: elements of a and b in turn, of the first half (immediate 0) or the second (1)
  // ---- memory. An address is a + b * scale + immediate; without b, a + immediate
  Address,  // the address itself; any scale
  Load,     // of `kind`; scale 1, 2, 4 or 8
  Store,    // c; of a vector with a use, only as many lanes of it as the use's value says
  Copy,     // `immediate` bytes from address b to address a; they may overlap
  Zero,     // `immediate` bytes at address a
  // ---- guards
  Guard,       // traps with `trap` unless `relation` holds of a and b, which are of `kind`
  StackGuard,  // leaves to the baseline's entry of `word` unless `immediate` bytes above the frame's base are free;
               // nothing is stored: only where every live slot is still in the frame
  Poll,        // counts a back edge to `word`; may leave there with every slot in `uses` stored
  Point,       // a loop's start, where versions may leave to `word`: `uses` are the live slots. Nothing is done here
  // ---- calls: the window is slot `scale`, absolute; `uses` are stored before
  Call,       // function `immediate`
  CallValue,  // the function value a, of signature `immediate`; traps with Callable when it is none
  CallDyn,    // member `immediate` of dispatch table a
  Step,       // the instruction at `word`, through the engine
  Result,     // slot `immediate` after the call or step a, as `kind`
  // ---- a function of pair floats: number `immediate` of pair_functions(), of the pair (a, b) or, where there is a
  // use,
  // of (a, b) and (c, the use). It reads and writes nothing. Of each lane
  PairFunction,
  Limb,  // the high limb (immediate 0) or the low one of pair function a, directly behind it
  // ---- ends of blocks
  Jump,    // to successor 0
  Branch,  // to successor 0 when `relation` holds of a and b, of `kind`; else to successor 1
  Switch,  // to successor a; past the last, to the last
  Return,  // a and b, as many as there are
  Trap,    // with `trap`; uses are stored
  Exit,    // goes on at `word` of the frame's function (a loop's start or 0), in code made for that loop when there
           // is some, else in baseline code; uses are stored
  Count,
};

enum class Mode : std::uint8_t { Wrap, Checked, Exact };

/// Which way a branch mostly goes.
enum class Likely : std::uint8_t { Unknown, First, Second };

/// A slot of the function's own frame (of a phi: a predecessor) and its value.
struct Use {
  std::uint32_t slot = 0;
  Value value = kNoValue;
  friend bool operator==(const Use&, const Use&) = default;
};

struct Instruction {
  Opcode op = Opcode::Nop;
  Kind kind = Kind::None;    // of the result; of what is compared or stored where there is none
  Kind source = Kind::None;  // Convert, Bits, Compare: of the operands
  Relation relation = Relation::Eq;
  Mode mode = Mode::Wrap;
  TrapKind trap = TrapKind::None;  // Guard, Trap
  Likely likely = Likely::Unknown;
  std::uint8_t lanes = 1;
  /// Guard, Mode::Checked: where it fails, control goes on at `word` of the frame's function in baseline code, as with
  /// an exit, instead of a trap; `uses` are the live slots.
  bool leaves = false;
  Value a = kNoValue, b = kNoValue, c = kNoValue;
  std::uint32_t scale = 1;
  std::int64_t immediate = 0;
  std::uint32_t word = 0;   // of bytecode, in the function of `frame`
  std::uint32_t frame = 0;  // index into Function::frames
  BlockId block = 0;
  std::uint32_t first_use = 0, use_count = 0;  // in Function::uses
};

struct Block {
  std::vector<Value> code;            // phis first, the end last
  std::vector<BlockId> predecessors;  // each once
  std::vector<BlockId> successors;    // as the end says; one may be there twice
  std::uint32_t word = 0;             // where the block stands in the bytecode
  std::uint8_t depth = 0;             // of loops (find_loops)
  bool is_cold = false;
};

/// A function whose code is part of this one.
struct Frame {
  std::uint32_t function = 0;
  std::uint32_t parent = 0;     // index of the frame that calls it
  std::uint32_t call_word = 0;  // of the call, in the parent's function
  std::uint32_t base = 0;       // its slot 0, in slots of the outermost frame
};

struct Function {
  std::uint32_t index = 0;           // in the module
  std::uint32_t entry_word = 0;      // 0, or the loop start at which a running frame is taken up
  std::vector<Instruction> code{1};  // by Value; 0 is no instruction
  std::vector<Block> blocks;
  std::vector<Use> uses;
  std::vector<Frame> frames;  // 0: the function itself

  [[nodiscard]] Instruction& at(Value value) { return code[value]; }
  [[nodiscard]] const Instruction& at(Value value) const { return code[value]; }
  [[nodiscard]] std::span<Use> uses_of(const Instruction& i) { return {uses.data() + i.first_use, i.use_count}; }
  [[nodiscard]] std::span<const Use> uses_of(const Instruction& i) const {
    return {uses.data() + i.first_use, i.use_count};
  }
  /// A new instruction, in no block's code yet.
  Value make(const Instruction& instruction);
  /// A new instruction at the end of the block.
  Value append(BlockId block, Instruction instruction);
  void set_uses(Instruction& instruction, std::span<const Use> list);
  BlockId add_block(std::uint32_t word);
  [[nodiscard]] const Instruction& end_of(BlockId block) const { return code[blocks[block].code.back()]; }
  [[nodiscard]] Instruction& end_of(BlockId block) { return code[blocks[block].code.back()]; }
};

[[nodiscard]] constexpr bool is_end(Opcode op) { return op >= Opcode::Jump && op < Opcode::Count; }
[[nodiscard]] constexpr bool is_call(Opcode op) { return op >= Opcode::Call && op <= Opcode::CallDyn; }
/// Whether the instruction gives a value.
[[nodiscard]] constexpr bool has_value(Opcode op) {
  return (op >= Opcode::Const && op <= Opcode::Load) || (op >= Opcode::Result && op <= Opcode::Limb);
}
/// Whether the instruction may end with a trap of its own or leave (not within a callee).
[[nodiscard]] constexpr bool may_trap(const Instruction& i) {
  return i.mode == Mode::Checked || i.op == Opcode::Guard || i.op == Opcode::Trap || is_call(i.op) ||
         i.op == Opcode::Step;
}
/// Whether the value depends on the operands alone and the instruction does nothing else.
[[nodiscard]] constexpr bool is_pure(const Instruction& i) {
  return (i.op == Opcode::Const || i.op == Opcode::FrameAddress || i.op == Opcode::Text ||
          (i.op >= Opcode::Add && i.op <= Opcode::Address)) &&
         i.mode != Mode::Checked;
}
/// Whether a pure instruction may be done where its guards have not been asked: it gives something whatever its
/// operands are. What is Exact has to become Wrap there.
[[nodiscard]] bool is_speculatable(const Function& function, const Instruction& instruction);
/// Whether the instruction has to stay although nothing uses its value.
[[nodiscard]] constexpr bool has_effect(const Instruction& i) {
  return i.mode == Mode::Checked || (i.op >= Opcode::Store && i.op <= Opcode::Step) || is_end(i.op);
}
[[nodiscard]] constexpr bool is_integer(Kind kind) { return kind >= Kind::Bool && kind <= Kind::I64; }
/// How many bits an integer kind has.
[[nodiscard]] constexpr std::uint32_t width_of(Kind kind) { return kind == Kind::Bool ? 1 : size_of(kind) * 8; }

/// Where the object of the function's frame memory that the byte belongs to starts.
[[nodiscard]] std::uint64_t frame_object(const bytecode::Function& function, std::uint64_t offset);

/// Calls visit(Value&) for every operand, those in uses included.
template <class F, class I, class Visit>
void each_operand(F& function, I& instruction, Visit visit) {
  if (instruction.a != kNoValue) visit(instruction.a);
  if (instruction.b != kNoValue) visit(instruction.b);
  if (instruction.c != kNoValue) visit(instruction.c);
  for (auto& use : function.uses_of(instruction)) visit(use.value);
}

}  // namespace cairn::jit::ssa
