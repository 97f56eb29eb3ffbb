// Machine code for x86-64, the one header other parts see.
//
// Typed assembly (abstractions, 14.5): a template in AT&T order becomes code through asmjit. The code takes the
// operands' values in one array, puts each in a register of its own, runs the instructions and stores every operand
// back.
//
// Functions (docs/jit.md): a function of bytecode becomes machine code that works on the interpreter's own frames. At
// every instruction boundary the frame is what the interpreter would have made of it, so that code of either kind can
// take it up from the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vm/bytecode/code_entry.hpp"

namespace cairn::jit {

enum class AsmClass : std::uint8_t { Integer, F32, F64 };

struct AsmRegister {
  AsmClass kind = AsmClass::Integer;
  std::uint8_t bytes = 8;  // an integer's width; 8 for an address
};

/// Executable code of one assembly statement.
class AssembledCode {
 public:
  virtual ~AssembledCode() = default;
  /// `values` holds one word an operand, an f32 in its low four bytes; each is what its register holds afterwards.
  virtual void run(std::uint64_t* values) const = 0;
};

/// Assembles a template for x86-64. What it cannot assemble is said: an unknown instruction or operand, a label or
/// jump, too few registers beside those that are clobbered.
[[nodiscard]] std::expected<std::unique_ptr<AssembledCode>, std::string> assemble_x86_64(
    std::string_view text, std::span<const AsmRegister> operands, std::span<const std::string_view> clobbers);

// ------------------------------------------------------------------------------------------- functions

/// The registers of the machine bytecode runs on, where one engine hands over to another.
struct MachineState {
  std::uint64_t* base = nullptr;   // slot 0 of the frame
  std::uint8_t* memory = nullptr;  // the frame's memory
  void* thread = nullptr;
};

/// Does one operation as the interpreter does. Null when the next instruction follows, else where the interpreter goes
/// on: a failure, or the end of the run.
using Step = const bytecode::Word* (*)(const bytecode::Word* pc, std::uint64_t* base, std::uint8_t* memory,
                                       void* thread);
/// Called when a back edge or call finds the fuel spent. Null to go on at `next`.
using Refuel = const bytecode::Word* (*)(const bytecode::Word* next, const bytecode::Word* pc, std::uint64_t* base,
                                         std::uint8_t* memory, void* thread);

/// Bytes a thread has for what machine code keeps between calls.
inline constexpr std::uint32_t kThreadSpillBytes = 4352;

/// What machine code needs of the engine it belongs to.
struct Engine {
  std::span<const Step> steps;  // by operation; null for jumps, calls and returns
  Refuel refuel_jump = nullptr;
  Refuel refuel_call = nullptr;
  Refuel go_on = nullptr;  // where a frame whose inner loop has ended goes on; null: in the baseline's code
  /// Called when baseline code has been entered `entries_until_hot` times: where the call goes on, or null. No calls
  /// are counted where it is null.
  Refuel hot_entry = nullptr;
  std::uint32_t entries_until_hot = 0;
  const bytecode::Word* failures = nullptr;     // by TrapKind: where the interpreter goes on after a failed guard
  const bytecode::Word* enter_words = nullptr;  // by function: where it goes on to call one without machine code
  std::span<const CodeEntry> functions;         // `code` is where the interpreter starts the function
  std::uint16_t resume = 0;                     // the `op` of resume points
  // Offsets in the thread object: the instruction whose guard failed (a pointer), and the back edges and calls left
  // until the next call of refuel (a signed 64-bit count).
  std::uint32_t thread_failed = 0;
  std::uint32_t thread_fuel = 0;
  std::uint32_t thread_spills = 0;  // kThreadSpillBytes of the thread's own, aligned to 64
};

struct CodeOptions {
  std::size_t most_bytes = std::size_t{256} << 20;  // of machine code; what does not fit stays with the interpreter
  bool always_counts = false;                       // optimized code counts the fuel too
  bool from_ssa = true;                             // optimized code is made of SSA where that is possible
  bool perf_map = false;                            // write /tmp/perf-PID.map
  bool jitdump = false;                             // write jit-PID.dump, for perf inject
  bool debugger = false;                            // tell GDB of each function
};

/// How much is made of a function: an instruction at a time, or with what is known of the whole.
enum class Level : std::uint8_t { Baseline, Optimized };

/// Whose code an address lies in.
struct CodePlace {
  std::uint32_t function = 0;
  Level level{};
  std::span<const std::uint32_t> inlined;  // functions taken in there, the innermost first; of the code's own lifetime
};

/// The text form of a function in the optimizing tier, after its passes; with `every_pass` before them and behind each.
[[nodiscard]] std::string ssa_text(const bytecode::Module& module, std::uint32_t function, bool every_pass);

/// The machine code of one module in one instance. Released with it. Safe to use from several threads.
class MachineCode {
 public:
  /// Null when this processor is none that code can be made for. The module outlives the code.
  [[nodiscard]] static std::unique_ptr<MachineCode> create(const bytecode::Module& module, const Engine& engine,
                                                           const CodeOptions& options);
  virtual ~MachineCode() = default;

  /// Where the function's code begins, or null: none was made.
  [[nodiscard]] virtual const void* entry(std::uint32_t function) const = 0;
  /// Makes the function's code unless it is there. False when there is no more room for it.
  virtual bool compile(std::uint32_t function, Level level) = 0;
  [[nodiscard]] virtual bool has(std::uint32_t function, Level level) const = 0;
  /// The point at which the function's best code takes up a frame that stands at `word`, which a back edge leads to;
  /// null without code.
  [[nodiscard]] virtual const ResumePoint* resume_point(std::uint32_t function, std::uint32_t word) const = 0;
  /// The same, of the best code that can be made, which is made unless it is there.
  [[nodiscard]] virtual const ResumePoint* loop_point(std::uint32_t function, std::uint32_t word) = 0;
  /// What loop_point would answer without making anything: none where it would have to.
  [[nodiscard]] virtual std::optional<const ResumePoint*> known_loop_point(std::uint32_t function,
                                                                           std::uint32_t word) const = 0;
  /// Entries of the function's baseline code ask for no better code from here on: another thread makes it.
  virtual void count_no_entries(std::uint32_t function) = 0;
  /// Optimized code that is being made is given up soon, and none is made from here on: the instance ends.
  virtual void give_up() = 0;
  /// Runs code at `address`, an entry or a resume point's, until the interpreter has to go on: where.
  virtual const bytecode::Word* run(const void* address, MachineState& state) const = 0;
  /// Makes the function's code and shows it: each instruction of bytecode, then the machine's.
  [[nodiscard]] virtual std::string listing(std::uint32_t function, Level level) = 0;
  /// Whose code an address lies in; none for what belongs to no function. Takes no lock: signal handlers ask. While
  /// control is there, rbx holds the frame's base, whose links lead to the callers.
  [[nodiscard]] virtual std::optional<CodePlace> place_of(const void* address) const = 0;
  /// The instructions of bytecode, ascending by word, that the function's code of that level may still trap at.
  [[nodiscard]] virtual std::vector<std::uint32_t> guarded_words(std::uint32_t function, Level level) const = 0;
  /// Bytes of machine code in use.
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

// --------------------------------------------------------------------------------------------- kernels

/// Where a thread's value of a slot, or of bytes of its frame's memory, is found when its group left machine code.
struct KernelValue {
  enum class Form : std::uint8_t { Constant, Word, Linear, Words, Floats, Frame };
  std::uint32_t slot = 0;  // or of memory, when `memory_bytes` is not 0: the first byte
  std::uint32_t memory_bytes = 0;
  enum class Where : std::uint8_t { Spilled, Group, Block };
  Form form = Form::Constant;
  Where where = Where::Spilled;  // at `at` of what was spilled, of the group's frame, or of the block's words
  std::uint32_t at = 0;
  std::uint64_t number = 0;  // Constant: the bits; Linear: from thread to thread; Frame: bytes into the memory
};
/// An instruction at which threads stand, with what they need to go on there.
struct KernelPoint {
  std::uint32_t word = 0;
  std::vector<KernelValue> values;
};
/// Where a group left: some of its threads at `here`, others at places of their own.
struct KernelLeave {
  KernelPoint here;
  struct Waiting {
    std::uint32_t mask = 0;  // in KernelBlock::masks
    KernelPoint point;
  };
  std::vector<Waiting> waiting;
};
/// An object of each thread's own memory that lies in its group's frame: elements of one index side by side.
struct KernelObject {
  std::uint32_t offset = 0, bytes = 0, element = 0;
};
struct KernelLayout {
  std::uint32_t group_bytes = 0, spill_bytes = 0;  // multiples of 64
  std::uint32_t memory_at = 0;                     // in a group's frame: byte b of an object is at memory_at + 8 * b
  std::uint32_t masks = 0;
  std::uint32_t block_bytes = 0;  // of words of the block: where groups stood last, then where they come to
  bool is_phased = false;         // groups wait at barriers alone: where they stand is said once for all
  std::vector<KernelObject> objects;
  std::vector<KernelLeave> leaves;
  std::vector<KernelPoint> waits;  // barriers and warp operations; number k is resumed as k + 1
};

/// A block being run by machine code, or groups of a device lane's indices.
struct KernelBlock {
  std::uint64_t block = 0;  // of lanes: the group to stop before
  std::uint8_t* environment = nullptr;
  std::uint8_t* shared = nullptr;
  std::uint8_t* groups = nullptr;  // group_bytes for each eight threads; on a boundary of 64. Each begins with 0, then
                                   // the number of its first thread
  std::uint8_t* end = nullptr;     // of the groups
  std::uint8_t* spilled = nullptr;
  std::uint8_t* masks = nullptr;   // zero
  std::uint64_t* given = nullptr;  // by thread: what it brought to a warp operation, and its second operand
  std::uint64_t* given2 = nullptr;
  std::uint64_t* results = nullptr;  // by thread
  std::uint8_t* words = nullptr;     // block_bytes
  std::uint64_t phase = 0;           // of a phased kernel: where all groups stood last, as in `waits`; 0 at the start
  std::uint64_t next = 0;            // where those that went on have come to: kReturned when they have ended
  void* owner = nullptr;
  std::uint64_t group_bytes = 0;  // of the layout
  std::uint64_t returned = 0;     // groups; 0 at the start
  std::uint64_t group = 0;        // the one that left; of lanes, at the start, the first
  std::uint64_t mask = 0;         // its threads that stand where it left
};
/// Does the warp operation of a point for the 32 threads from `first` on, of `given` into `results`. 0 when it trapped.
using KernelExchange = std::uint64_t (*)(KernelBlock* block, std::uint64_t first, std::uint64_t point);

/// The machine code of a kernel: its phases with the loop over a block's threads inside, eight threads at a time
/// (docs/jit.md, "Phases of kernels"). Or of a device lane: eight indices at a time, all below kMostIndices.
class KernelCode {
 public:
  /// Null when the processor has not the vectors, or the kernel has a form that is not translated. `listing`: gets the
  /// machine's instructions, or why there are none.
  [[nodiscard]] static std::unique_ptr<KernelCode> create(const bytecode::Module& module, std::uint32_t function,
                                                          KernelExchange exchange, const CodeOptions& options,
                                                          std::string* listing = nullptr);
  virtual ~KernelCode() = default;
  static constexpr std::uint64_t kTrapped = ~std::uint64_t{0};
  static constexpr std::uint64_t kReturned = ~std::uint64_t{0};
  static constexpr std::uint64_t kMostIndices = std::uint64_t{1} << 47;
  /// 0: the block has ended. kTrapped: an exchange has. Else 1 + the number of the leave at which a group stopped.
  virtual std::uint64_t run(KernelBlock& block) const = 0;
  [[nodiscard]] virtual const KernelLayout& layout() const = 0;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

}  // namespace cairn::jit
