#include "vm/natives/ring_natives.hpp"

#include <string>

#include "runtime/rings/io_ring.hpp"
#include "vm/interpreter/thread.hpp"

namespace cairn {

namespace {

using runtime::IoRing;
using Operation = IoRing::Operation;

/// A ring may be waited for in another instance than the one that made it and keeps it.
struct KeptRing : IoRing {
  KeptRing(Instance& by, std::uint64_t entries) : IoRing(entries), instance(by) {}
  Instance& instance;
};

IoRing& ring_of(const NativeCall& call) { return *call.pointer<IoRing>(0); }

void native_new(NativeCall& call) {
  const auto entries = call.get<std::uint64_t>(0);
  if (entries < 1 || entries > IoRing::kMostEntries) {
    return call.trap(TrapKind::Ring, std::to_string(entries) + " entries, of 1 to 4096");
  }
  IoRing* const ring = new KeptRing(call.thread().instance(), entries);
  // Where the program ends without waiting, closing the ring ends what is in flight before any buffer goes.
  call.thread().instance().keep(ring, [](void* kept) { delete static_cast<KeptRing*>(static_cast<IoRing*>(kept)); });
  call.result(reinterpret_cast<std::uint64_t>(ring));
}

/// What ends next, or nothing when the program is to stop.
std::optional<IoRing::Completion> next_of(const NativeCall& call) {
  const Instance& instance = call.thread().instance();
  if (!instance.watched()) return ring_of(call).next();
  const auto stopping = [](const void* waiting) { return static_cast<const Instance*>(waiting)->stopping(); };
  return ring_of(call).next(stopping, &instance);
}

/// False when the ring is full: the call traps.
bool has_room(NativeCall& call) {
  if (ring_of(call).room() != 0) return true;
  call.trap(TrapKind::Ring, "full: " + std::to_string(ring_of(call).pending()) + " operations are in flight");
  return false;
}

/// Operations on a buffer: (ring, descriptor, data, count, [offset,] tag).
template <Operation operation>
void native_transfer(NativeCall& call) {
  constexpr bool kHasOffset = operation == Operation::Read || operation == Operation::Write;
  if (!has_room(call)) return;
  IoRing::Request request;
  request.operation = operation;
  request.descriptor = call.get<std::int32_t>(1);
  request.data = call.pointer<void>(2);
  request.length = call.get<std::uint64_t>(3);
  request.count = call.get<std::uint64_t>(4);
  if (kHasOffset) request.offset = call.get<std::uint64_t>(5);
  request.tag = call.get<std::uint64_t>(kHasOffset ? 6 : 5);
  if (request.count > request.length) {
    return call.trap(TrapKind::Ring,
                     "count " + std::to_string(request.count) + ", length " + std::to_string(request.length));
  }
  ring_of(call).submit(request);
}

void native_accept(NativeCall& call) {
  if (!has_room(call)) return;
  IoRing::Request request;
  request.operation = Operation::Accept;
  request.descriptor = call.get<std::int32_t>(1);
  request.tag = call.get<std::uint64_t>(2);
  ring_of(call).submit(request);
}

void native_timeout(NativeCall& call) {
  if (!has_room(call)) return;
  IoRing::Request request;
  request.operation = Operation::Timeout;
  request.nanoseconds = call.get<std::uint64_t>(1);
  request.tag = call.get<std::uint64_t>(2);
  ring_of(call).submit(request);
}

void native_cancel(NativeCall& call) { ring_of(call).cancel(call.get<std::uint64_t>(1)); }

void native_next(NativeCall& call) {
  IoRing& ring = ring_of(call);
  if (ring.pending() == 0) return call.trap(TrapKind::Ring, "nothing is in flight");
  auto* tag = call.pointer<std::uint64_t>(1);
  auto* result = call.pointer<std::int64_t>(2);
  const auto completion = next_of(call);
  if (!completion) return call.trap(TrapKind::Interrupt, "stopped while it waited for a ring");
  *tag = completion->tag;
  *result = completion->result;
  call.slots()[0] = reinterpret_cast<std::uint64_t>(completion->data);
  call.slots()[1] = completion->length;
}

void native_status(NativeCall& call) { call.result(ring_of(call).status()); }
void native_room(NativeCall& call) { call.result(ring_of(call).room()); }
void native_pending(NativeCall& call) { call.result(ring_of(call).pending()); }

/// Lets every operation finish, then releases what nobody collected.
void native_wait(NativeCall& call) {
  IoRing& ring = ring_of(call);
  while (ring.pending() != 0) {
    const auto completion = next_of(call);
    if (!completion) return call.trap(TrapKind::Interrupt, "stopped while it waited for a ring");
    if (completion->data != nullptr) call.thread().heap().release(completion->data, completion->length);
  }
  auto* const kept = static_cast<KeptRing*>(&ring);
  kept->instance.forget(&ring);
  delete kept;
}

constexpr NativeEntry kRingNatives[] = {
    {"ring.new", "(u64) -> ring", Capability::Rings, native_new},
    {"ring.read", "(ring, i32, buf u8, u64, u64, u64)", Capability::Rings, native_transfer<Operation::Read>},
    {"ring.write", "(ring, i32, buf u8, u64, u64, u64)", Capability::Rings, native_transfer<Operation::Write>},
    {"ring.recv", "(ring, i32, buf u8, u64, u64)", Capability::Rings, native_transfer<Operation::Receive>},
    {"ring.send", "(ring, i32, buf u8, u64, u64)", Capability::Rings, native_transfer<Operation::Send>},
    {"ring.accept", "(ring, i32, u64)", Capability::Rings, native_accept},
    {"ring.timeout", "(ring, u64, u64)", Capability::Rings, native_timeout},
    {"ring.cancel", "(ring, u64)", Capability::Rings, native_cancel},
    {"ring.next", "(ring, ref mut u64, ref mut i64) -> buf u8", Capability::Rings, native_next},
    {"ring.status", "(ring) -> i64", Capability::Rings, native_status},
    {"ring.room", "(ring) -> u64", Capability::Rings, native_room},
    {"ring.pending", "(ring) -> u64", Capability::Rings, native_pending},
    {"ring.wait", "(ring)", Capability::Rings, native_wait},
};

}  // namespace

std::span<const NativeEntry> ring_natives() { return kRingNatives; }

}  // namespace cairn
