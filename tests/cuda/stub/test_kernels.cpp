// Kernels for tests of the driver's part, as NVRTC would make them of a module: each Use with its arguments in the
// order of cuda/compiler.hpp.
#include <cstdint>

#include "tests/cuda/stub/host_entry.hpp"

using std::uint32_t;
using std::uint64_t;

namespace {

/// cuda/compiler.hpp, TrapRecord.
struct Record {
  uint32_t state, site;
  uint64_t lane, thread, values[6];
};

/// What the region's lanes are given: they add `more` to elements of x, and fail at index `fails_at`.
struct Given {
  uint64_t* x;
  uint64_t more;
  uint64_t fails_at;
};

uint64_t first() { return uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; }
uint64_t stride() { return uint64_t{gridDim.x} * blockDim.x; }

void fail(Record* record, uint64_t lane, uint64_t value) {
  record->site = 1;
  record->lane = lane;
  record->values[0] = value;
  record->values[1] = 7;
  record->state = 2;
  __trap();
}

}  // namespace

void add(Given given, uint64_t count, Record* record) {
  for (uint64_t i = first(); i < count; i += stride()) {
    if (i == given.fails_at) fail(record, i, given.x[i]);
    given.x[i] += given.more;
  }
}

void partials(Given given, uint64_t count, uint64_t* scratch, Record*) {
  static uint64_t sum;
  if (threadIdx.x == 0) sum = 0;
  for (uint64_t i = first(); i < count; i += stride()) sum += given.x[i];
  if (threadIdx.x == blockDim.x - 1) {
    scratch[blockIdx.x] = sum;
  }
}
/// The total as a u32: of its element's size.
void total(uint64_t* scratch, uint64_t parts, uint32_t* to, Record* record) {
  uint64_t sum = 0;
  for (uint64_t k = 0; k < parts; ++k) sum += scratch[k];
  if (sum > UINT32_MAX) fail(record, 0, sum);
  if (to != nullptr) *to = static_cast<uint32_t>(sum);
}

/// A tile is one index. Prefixes of x to the output.
void scan(Given given, uint64_t count, uint64_t* output, uint64_t* scratch, uint64_t tiles, int32_t* to, Record*) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) output[i] = sum += given.x[i];
  scratch[tiles - 1] = sum;
  if (to != nullptr) *to = -static_cast<int32_t>(sum);
}

/// Keeps the odd elements.
void select(Given given, uint64_t count, uint64_t* output, uint64_t* staging, uint64_t* scratch, uint64_t tiles,
            uint64_t* kept, Record*) {
  uint64_t found = 0;
  for (uint64_t i = 0; i < count; ++i) {
    if (given.x[i] % 2 == 1) staging[found++] = given.x[i];
  }
  for (uint64_t i = 0; i < found; ++i) output[i] = staging[i];
  scratch[tiles - 1] = found;
  *kept = found;
}

/// Counts its blocks in x[0]; the last one to come, or the only one, doubles it.
void blocks(Given given, uint64_t count, uint32_t* counter, Record*) {
  if (threadIdx.x != 0) return;
  for (uint64_t b = blockIdx.x; b < count; b += gridDim.x) ++given.x[0];
  if (++*counter != gridDim.x) return;
  *counter = 0;
  given.x[0] *= 2;
}

struct Matrices {
  uint64_t rows, columns, depth;
  float* c;
  const void* a;
  const void* b;
};
/// c[0] = how many tiles there are.
void product(Matrices given, uint64_t count) {
  if (blockIdx.x == 0 && threadIdx.x == 0) given.c[0] = static_cast<float>(count);
}

/// A vendored kernel, launched over at least n threads.
void scaled(uint64_t n, float* out, const float* x, float by) {
  if (first() < n) out[first()] = x[first()] * by;
}

CAIRN_STUB_ENTRY(scaled)
CAIRN_STUB_ENTRY(product)
CAIRN_STUB_ENTRY(add)
CAIRN_STUB_ENTRY(partials)
CAIRN_STUB_ENTRY(total)
CAIRN_STUB_ENTRY(scan)
CAIRN_STUB_ENTRY(select)
CAIRN_STUB_ENTRY(blocks)
