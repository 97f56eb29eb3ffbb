#include "runtime/rings/io_ring.hpp"

#include <liburing.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <vector>

namespace cairn::runtime {

namespace {

/// What the kernel gives back for requests of the ring's own: cancellations, and entries that were taken back.
constexpr std::uint64_t kOwnRequest = ~std::uint64_t{0};
/// One system call transfers no more.
constexpr std::uint64_t kMostBytes = 0x7ffff000;

}  // namespace

struct IoRing::State {
  struct Slot {
    Completion completion;
    __kernel_timespec time{};
    bool in_flight = false;
  };

  io_uring ring{};
  std::int64_t status = 0;
  std::vector<Slot> slots;
  std::vector<std::uint32_t> free;
  std::deque<std::uint32_t> finished;  // slots whose completion `next` still owes

  void finish(std::uint32_t slot, std::int64_t result) {
    slots[slot].completion.result = result;
    slots[slot].in_flight = false;
    finished.push_back(slot);
  }

  void take(const io_uring_cqe& entry) {
    const std::uint64_t slot = entry.user_data;
    if (slot == kOwnRequest || slot >= slots.size() || !slots[slot].in_flight) return;
    finish(static_cast<std::uint32_t>(slot), entry.res);
  }

  /// Takes whatever has ended, without waiting.
  void take_ended() {
    io_uring_cqe* entry = nullptr;
    while (io_uring_peek_cqe(&ring, &entry) == 0 && entry != nullptr) {
      take(*entry);
      io_uring_cqe_seen(&ring, entry);
    }
  }

  /// A free submission entry; the queue was emptied by the submission before, so there is one.
  io_uring_sqe* entry() {
    io_uring_sqe* sqe = io_uring_get_sqe(&ring);
    if (sqe == nullptr) {
      io_uring_submit(&ring);
      sqe = io_uring_get_sqe(&ring);
    }
    return sqe;
  }

  /// Hands what was prepared to the kernel: 0, or the negative errno it insists on.
  int hand_over() {
    for (int tries = 0; tries < 64; ++tries) {
      const int handed = io_uring_submit(&ring);
      if (handed >= 0) return 0;
      if (handed == -EBUSY) take_ended();
      if (handed != -EINTR && handed != -EBUSY) return handed;
    }
    return -EAGAIN;
  }

  void prepare(io_uring_sqe* sqe, const Request& request, Slot& slot) {
    const auto count = static_cast<unsigned>(std::min(request.count, kMostBytes));
    switch (request.operation) {
      case Operation::Read:
        return io_uring_prep_read(sqe, request.descriptor, request.data, count, request.offset);
      case Operation::Write:
        return io_uring_prep_write(sqe, request.descriptor, request.data, count, request.offset);
      case Operation::Receive:
        return io_uring_prep_recv(sqe, request.descriptor, request.data, count, 0);
      case Operation::Send:
        return io_uring_prep_send(sqe, request.descriptor, request.data, count, MSG_NOSIGNAL);
      case Operation::Accept:
        return io_uring_prep_accept(sqe, request.descriptor, nullptr, nullptr, SOCK_CLOEXEC);
      case Operation::Timeout:
        constexpr std::uint64_t kSecond = 1000000000;
        slot.time.tv_sec = static_cast<std::int64_t>(request.nanoseconds / kSecond);
        slot.time.tv_nsec = static_cast<long long>(request.nanoseconds % kSecond);
        return io_uring_prep_timeout(sqe, &slot.time, 0, 0);
    }
  }
};

IoRing::IoRing(std::uint64_t entries) : state_(std::make_unique<State>()) {
  state_->slots.resize(entries);
  for (std::uint64_t slot = entries; slot-- > 0;) state_->free.push_back(static_cast<std::uint32_t>(slot));
  state_->status = io_uring_queue_init(static_cast<unsigned>(entries), &state_->ring, 0);
}

IoRing::~IoRing() {
  if (state_->status >= 0) io_uring_queue_exit(&state_->ring);
}

std::int64_t IoRing::status() const { return state_->status; }
std::uint64_t IoRing::room() const { return state_->free.size(); }
std::uint64_t IoRing::pending() const { return state_->slots.size() - state_->free.size(); }

void IoRing::submit(const Request& request) {
  State& state = *state_;
  const std::uint32_t number = state.free.back();
  state.free.pop_back();
  State::Slot& slot = state.slots[number];
  slot.completion = {request.tag, 0, request.data, request.length};
  if (state.status < 0) return state.finish(number, state.status);
  io_uring_sqe* sqe = state.entry();
  if (sqe == nullptr) return state.finish(number, -EAGAIN);
  state.prepare(sqe, request, slot);
  sqe->user_data = number;
  slot.in_flight = true;
  const int refused = state.hand_over();
  if (refused == 0) return;
  // The entry stays in the queue: it becomes one that does nothing.
  io_uring_prep_nop(sqe);
  sqe->user_data = kOwnRequest;
  state.finish(number, refused);
}

void IoRing::cancel(std::uint64_t tag) {
  State& state = *state_;
  if (state.status < 0) return;
  for (std::uint32_t number = 0; number < state.slots.size(); ++number) {
    const State::Slot& slot = state.slots[number];
    if (!slot.in_flight || slot.completion.tag != tag) continue;
    io_uring_sqe* sqe = state.entry();
    if (sqe == nullptr) return;
    io_uring_prep_cancel64(sqe, number, 0);
    sqe->user_data = kOwnRequest;
    state.hand_over();
  }
}

std::optional<IoRing::Completion> IoRing::next(bool (*stopping)(const void* context), const void* context) {
  State& state = *state_;
  if (state.status >= 0) state.take_ended();
  while (state.finished.empty()) {
    io_uring_cqe* entry = nullptr;
    __kernel_timespec look{0, 5'000'000};
    const int waited = stopping == nullptr ? io_uring_wait_cqe(&state.ring, &entry)
                                           : io_uring_wait_cqe_timeout(&state.ring, &entry, &look);
    if (stopping != nullptr && stopping(context)) return std::nullopt;
    if (waited < 0 || entry == nullptr) continue;  // interrupted, or only time to look
    state.take(*entry);
    io_uring_cqe_seen(&state.ring, entry);
  }
  const std::uint32_t number = state.finished.front();
  state.finished.pop_front();
  state.free.push_back(number);
  return state.slots[number].completion;
}

}  // namespace cairn::runtime
