// A module of bytecode: everything an engine needs to run, prove, print or store one program. Tables refer to each
// other by index. A module is made by the builder or read from a bundle or from text; the verifier accepts it before
// anything runs.
//
// Frames. A function's frame on the register stack is `slots` 8-byte slots: `registers` typed slots (the parameters
// first, a pair takes two), then kLinkSlots, then outgoing slots whose types follow control flow (arguments and results
// of calls). A call's window (operand `&a`) starts at least kLinkSlots above the registers; the callee's slot 0 is that
// slot. Its memory, `memory_bytes` aligned to `memory_align`, lies on the thread's memory stack and holds typed
// objects: records, sums, arrays, and locals that are lent.
//
// A pointer register is written before it is read on every path; other registers may be read unwritten (any value).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vm/bytecode/operation.hpp"
#include "vm/bytecode/types.hpp"

namespace cairn::bytecode {

/// Slots below a call window that the call itself uses: return address, caller's frame, caller's memory.
inline constexpr std::uint32_t kLinkSlots = 3;
inline constexpr std::uint32_t kMaxSlots = 65535;

/// A place in the program's text; file 0xffffffff is "no position".
struct SourcePosition {
  std::uint32_t file = kNone;  // index into Module::files
  std::uint32_t line = 0;      // from 1
  std::uint32_t column = 0;    // from 1, in code points
  friend bool operator==(const SourcePosition&, const SourcePosition&) = default;
};

/// The instructions from `word` on, up to the next entry, come from `position`.
struct PositionEntry {
  std::uint32_t word = 0;
  SourcePosition position;
  friend bool operator==(const PositionEntry&, const PositionEntry&) = default;
};

/// An object of a frame's memory.
struct MemoryObject {
  std::uint64_t offset = 0;  // aligned for its type
  std::uint32_t type = kNone;
  std::string name;  // of the local it holds; for people
};

struct RegisterInfo {
  RegisterType type;  // Second for the second slot of a pair
  std::string name;   // of the local it holds, or empty; for people and debuggers
};

/// Storage of a cooperative region's blocks.
struct Pipeline {
  ScalarKind element{};
  std::uint32_t size = 0;    // elements a stage
  std::uint32_t depth = 0;   // stages
  std::uint32_t offset = 0;  // in shared memory
};
struct SharedArray {
  std::uint32_t offset = 0;  // in shared memory
  ScalarKind element{};
  std::uint32_t count = 0;
  bool zeroed = false;  // else filled with 0x7f bytes where a block starts
  std::string name;
};
struct KernelInfo {
  std::uint32_t threads = 0;  // of a block: 32 to 1024, a multiple of 32
  std::uint32_t shared_bytes = 0;
  std::vector<SharedArray> arrays;
  std::vector<Pipeline> pipelines;
  std::uint32_t finish = kNone;  // a kernel of its own with as many threads, run as one block after every block
};

/// What reductions and scans fold with, in operands as kind + 256 * ScalarKind. Add is checked on integers; Add and Mul
/// of floats round each step.
enum class ReduceKind : std::uint8_t { AddWrap, MulWrap, And, Or, Xor, Min, Max, Add, Mul };

/// A DeviceLane is a lane function whose environment holds values and views alone, so that it can be handed to a device
/// whole. A Kernel is the body of a cooperative region.
enum class FunctionKind : std::uint8_t { Plain, Closure, Lane, DeviceLane, Kernel, Test };

struct Function {
  std::string name;  // qualified, with instance arguments: "lib.rising[u64]"
  FunctionKind kind = FunctionKind::Plain;
  std::uint32_t signature = kNone;
  std::uint32_t environment = kNone;  // closures and lanes: the record type their last, hidden parameter refers to
  std::uint32_t parent = kNone;       // closures and lanes: the function they stand in
  std::vector<RegisterInfo> registers;
  std::uint32_t slots = 0;  // registers + kLinkSlots + outgoing slots
  std::uint64_t memory_bytes = 0;
  std::uint32_t memory_align = 16;
  std::vector<MemoryObject> objects;  // ascending by offset, disjoint
  std::vector<Word> code;
  std::vector<PositionEntry> positions;  // ascending by word
  /// Ascending words of instructions whose guard the checker proved unable to fail: machine code leaves it out. Known
  /// only of a module lowered by this process, never read from a file.
  std::vector<std::uint32_t> proved;
  SourcePosition position;  // of the declaration
  KernelInfo kernel;        // of a kernel

  /// The position of the instruction at `word`.
  [[nodiscard]] SourcePosition position_at(std::uint32_t word) const;
};

/// What a dyn calls on values of one type: a function per member of the trait, in declaration order.
struct DispatchTable {
  std::uint32_t trait = kNone;
  std::uint32_t type = kNone;  // of the object
  std::vector<std::uint32_t> functions;
};

struct TraitMember {
  std::string name;
  std::uint32_t signature = kNone;  // the receiver's parameter is a Ref of type kNone
  std::uint32_t receiver = 0;       // which parameter it is
};
struct Trait {
  std::string name;
  std::vector<TraitMember> members;
};

/// A function of the host's table of natives, found by name when the module is loaded (vm/natives).
struct Native {
  std::string name;  // "std.fs.open"
  std::uint32_t signature = kNone;
};

/// An `extern` declaration: found among the host's registered functions, then by symbol (vm/foreign).
struct Foreign {
  std::string name;  // as the program writes it
  std::string symbol;
  std::uint32_t signature = kNone;
  std::string
      passing;  // how C takes each parameter: 'v' a value, 'p' a pointer (to a view's elements, or to one value)
  SourcePosition position;
  bool launched = false;  // a CUDA kernel: device.launch runs it, and nothing calls it
};

/// What print and format write of an argument.
enum class PrintAs : std::uint16_t {
  Byte,      // a u8 register: the byte itself
  Unsigned,  // any unsigned register
  Signed,    // any signed register
  Bool,
  F32,
  F64,
  Bytes,  // a view of u8
};

struct Module {
  std::string name;                // the root module's, or the file's
  std::vector<std::string> files;  // paths as diagnostics show them
  std::vector<std::string> texts;  // static bytes
  std::vector<Type> types;
  std::vector<Signature> signatures;
  std::vector<Trait> traits;
  std::vector<DispatchTable> tables;
  std::vector<Native> natives;
  std::vector<Foreign> foreigns;
  std::vector<Function> functions;
  std::uint32_t entry = kNone;       // main: no parameters, result i32
  std::vector<std::uint32_t> tests;  // functions, in declaration order
  std::string emulated_for;          // built with --emulate: the device target it was judged against; else empty
  std::string built_for;             // its device work runs on a GPU, and this is the target; else empty
};

/// Whether anything of the module needs a device: memory of one, a region or product on it, queued work.
[[nodiscard]] bool has_device_work(const Module& module);

}  // namespace cairn::bytecode
