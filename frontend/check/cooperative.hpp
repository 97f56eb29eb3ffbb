// Cooperative regions as the checker leaves them (devices, 10). A region's body and its finish are each a Function of
// kind Lane whose parameters are the block names, then the thread names (a finish has thread names alone); what it
// names from outside it captures. Both bodies of a region capture the same locals, so that one environment serves them.
#pragma once

#include <cstdint>

#include "frontend/check/program.hpp"

namespace cairn::checked {

/// `shared name:T[length];`, directly in a body.
struct SharedStmt : Stmt {
  Local* local = nullptr;  // of kind Shared, its type rw<T>[length] on the region's side
  std::uint64_t length = 0;
  std::uint32_t element_bytes = 0;
  bool zeroed = false;
  std::uint32_t offset = 0;  // in the block's shared memory
};

/// `pipeline name:T[size] depth D;`, directly in a body.
struct PipelineStmt : Stmt {
  Local* local = nullptr;  // of kind Pipeline, its type ro<T>[size] on the region's side: the readable stage
  std::uint64_t size = 0;
  std::uint32_t element_bytes = 0;
  std::uint32_t depth = 0;
  std::uint32_t offset = 0;  // in the block's shared memory; stages follow each other, 16 bytes apart
};

/// More than a block has, and small enough to add up without overflow.
inline constexpr std::uint64_t kManySharedBytes = std::uint64_t{1} << 32;

[[nodiscard]] constexpr std::uint64_t bytes_of(std::uint64_t elements, std::uint32_t element_bytes) {
  return elements > kManySharedBytes / element_bytes ? kManySharedBytes : elements * element_bytes;
}
[[nodiscard]] constexpr std::uint64_t bytes_of(const SharedStmt& array) {
  return bytes_of(array.length, array.element_bytes);
}
/// Each stage takes whole 16 bytes.
[[nodiscard]] constexpr std::uint64_t bytes_of(const PipelineStmt& pipeline) {
  return (bytes_of(pipeline.size, pipeline.element_bytes) + 15) / 16 * 16 * pipeline.depth;
}

/// A wait, and the fewest fills that are left in flight after it whenever it is reached.
struct PipelineWait {
  const Expr* operation = nullptr;
  std::uint32_t in_flight = 0;
};

/// A body and the block of threads that runs it.
struct ThreadBody {
  Function* body = nullptr;
  std::size_t block_names = 0;        // of the body's parameters; the rest are thread names
  List<const std::uint64_t> extents;  // of the thread names; their product is a multiple of 32 in 32 .. 1024
  std::uint32_t threads = 0;
  std::uint32_t shared_bytes = 0;
  List<const SharedStmt* const> arrays;  // in declaration order, as are the pipelines
  List<const PipelineStmt* const> pipelines;
  List<const PipelineWait> waits;  // in the order they are first reached
};

struct CooperativeStmt : Stmt {
  bool device = false;
  /// The grid's extents, evaluated in order into hidden locals of the enclosing function, which the bodies capture.
  List<const LetStmt* const> grid;
  ThreadBody blocks;
  bool has_finish = false;
  ThreadBody finish;  // its body has the thread names alone
};

}  // namespace cairn::checked
