// From a kernel of the module to code a device loads: the text the writer makes of its bytecode, NVRTC, and the cache
// of what NVRTC gave. Who loads and launches the code is told here what to launch, with which arguments, and what a
// failed guard leaves behind.
//
// Invariants.
// - A kernel is compiled by itself, when it is first wanted. Equal texts for one target give the same code.
// - Sites, entries and arguments follow from the text, never from the cache.
// - Every entry takes its arguments in the order of Entry::arguments: the environment by value, everything else as 8
//   bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/nvrtc/includes.hpp"
#include "runtime/trap/trap.hpp"
#include "vm/bytecode/module.hpp"
#include "vm/bytecode/vendored_source.hpp"

namespace cairn::cuda {

/// What a kernel function of the module is launched for.
enum class Use : std::uint8_t { Region, Reduce, Scan, Compact, Cooperative, Multiply };

/// Rows and columns of the part of a product that one block of a Multiply computes; Count is how many there are.
inline constexpr std::uint64_t kProductTile = 128;

struct KernelUse {
  std::uint32_t function = 0;  // a device lane function, the kernel of a cooperative region, or of a Multiply kNone
  Use use = Use::Region;
  std::uint32_t fold = 0;  // Reduce, Scan: a ReduceKind + 256 * a ScalarKind; Multiply: the ScalarKind of its factors
  friend bool operator==(const KernelUse&, const KernelUse&) = default;
};

/// Every kernel the module launches on a device, in the order of its code, each once.
[[nodiscard]] std::vector<KernelUse> kernels_of(const bytecode::Module& module);

// ------------------------------------------------------------------------------------------------ launching

enum class Argument : std::uint8_t {
  Environment,  // Code::environment_bytes bytes, on a boundary of Code::environment_align
  Count,        // u64: indices of the region; of a cooperative region its blocks
  Output,       // address of element 0 of a scan's or selection's output
  Staging,      // address of room for `count` elements of a selection's output and, right after them, `count` bytes
  Scratch,      // address of 8 bytes for each tile (or, of a Reduce, for each block of its first entry)
  Tiles,        // u64: how many of those there are
  Total,        // address of the total, of the fold's scalar type, or the u64 of a selection; 0: nobody wants it
  Counter,      // address of a u32 that is 0 between launches, one for each stream
  Trap,         // address of a TrapRecord
};

/// How many blocks an entry is launched with.
enum class Grid : std::uint8_t {
  Stride,    // count / (threads * Entry::per_thread) rounded up, at most 65535
  Partials,  // count / threads rounded up, at most kMostPartials; Scratch has a word for each
  Tiles,     // count / Code::tile rounded up, at most 2^31 - 1
  One,       // one
  Blocks,    // the blocks of a cooperative region, at most 65535, and at least 1 where it has a finish
};
inline constexpr std::uint32_t kMostBlocks = 65535;
inline constexpr std::uint32_t kMostPartials = 1024;

/// Bytes that calls of recursive functions may take of a thread's stack, beside those of all others. A call that may go
/// past them traps as a spent call depth.
inline constexpr std::uint32_t kDeviceStack = 32768;

/// One kernel of the code. The entries of a Code are launched in order, on one stream. With a count of 0 nothing is
/// launched, but for a region that has a finish: a total is then the fold's identity, or 0.
struct Entry {
  std::string name;
  Grid grid = Grid::Stride;
  std::uint32_t threads = 0;       // of a block
  std::uint32_t shared_bytes = 0;  // static, of a block: nothing to pass, for people
  std::vector<Argument> arguments;
  std::uint32_t per_thread = 1;  // Stride: how many indices the grid is sized to give a thread
};

// --------------------------------------------------------------------------------------------- failed guards

/// What a failed guard leaves in memory that outlives the context (host memory the device can write). All zero before.
/// The first thread to fail fills it and then sets `state` to 2; every thread that fails ends the kernel after that.
struct TrapRecord {
  std::uint32_t state = 0;   // 0 nothing failed, 1 being written, 2 written
  std::uint32_t site = 0;    // which of Code::sites
  std::uint64_t lane = 0;    // the index, or the block of a cooperative region
  std::uint64_t thread = 0;  // of the block, of a cooperative region
  std::uint64_t values[6] = {};
};

/// A guard of the code: where it stands in the bytecode, and which slots of its frame the record's values are.
struct Site {
  std::uint32_t function = 0;
  std::uint32_t word = 0;
  TrapKind kind = TrapKind::None;
  std::vector<std::uint32_t> slots;
  std::string detail;  // of a fragment's guards: a message with {0}, {1} for the values
};

/// A failed guard as the interpreter would have found it.
struct DeviceTrap {
  TrapKind kind = TrapKind::None;
  std::uint32_t function = 0;
  std::uint32_t word = 0;            // of the instruction in the function's code
  std::vector<std::uint64_t> frame;  // its slots: those the message reads hold their values, the rest are 0
  std::string detail;                // replaces what would be said of the operands when it is not empty
  std::string where;                 // "lane 17", or "block 3, thread 8"
};

// -------------------------------------------------------------------------------------------------- the code

/// What the writer makes of a kernel: a translation unit for NVRTC, and how it is used.
struct KernelText {
  std::string name;  // the function's, for people
  std::string text;
  std::vector<Entry> entries;
  std::vector<Site> sites;
  std::uint32_t environment_bytes = 0;
  std::uint32_t environment_align = 8;
  std::uint32_t tile = 0;           // Scan, Compact: indices of one tile
  std::uint32_t element_bytes = 0;  // Compact: of one element of the output
  std::uint32_t stack_bytes = 0;    // of a thread, where a function may call itself; else the compiler knows
};

struct Code : KernelText {
  std::vector<std::uint8_t> image;  // a cubin for the target; nul-terminated PTX where NVRTC gives none
  std::string ptx;
  std::string log;  // what NVRTC said, with CAIRN positions
};

/// A vendored source as code a device loads (devices, 17).
struct VendoredCode {
  struct Kernel {
    std::string symbol;  // as the program declares it
    std::string entry;   // its name in the code
  };
  std::vector<std::uint8_t> image;
  std::string ptx;
  std::string log;
  std::vector<Kernel> kernels;
};

/// What the record says, or nothing when no guard of this code wrote it.
[[nodiscard]] DeviceTrap read_trap(const TrapRecord& record, const KernelText& code, const bytecode::Module& module);

/// The text of a kernel. An error names what device code cannot do.
[[nodiscard]] std::expected<KernelText, std::string> write_kernel(const bytecode::Module& module, const KernelUse& use);

/// NVRTC and the cache, for one target. May be shared by threads.
class Compiler {
 public:
  /// `target` as chapter 05, 18 spells it: "sm_90a". An error names what is missing and where it was looked for.
  [[nodiscard]] static std::expected<std::unique_ptr<Compiler>, std::string> open(std::string_view target);
  virtual ~Compiler() = default;
  /// The code of a kernel, from the cache where it is there. An error holds NVRTC's log with CAIRN positions.
  [[nodiscard]] virtual std::expected<Code, std::string> compile(const bytecode::Module& module,
                                                                 const KernelUse& use) = 0;
  /// The same of a vendored source of the module, and of the toolkit's headers it includes. An error
  /// holds NVRTC's log, with positions in the source; or says which kernel is not there, or takes something else than
  /// its declaration passes.
  [[nodiscard]] virtual std::expected<VendoredCode, std::string> compile_vendored(
      const bytecode::Module& module, const bytecode::VendoredSource& source) = 0;
  /// What makes the code, for messages: "NVRTC 13.0 (/usr/local/cuda/lib64/libnvrtc.so)".
  [[nodiscard]] virtual std::string made_by() const { return {}; }
};

}  // namespace cairn::cuda
