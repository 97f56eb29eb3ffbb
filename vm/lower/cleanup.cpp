// What leaving a scope means: its owners are released and its defers run, last first (ownership and memory, 7.6
// and 7.7).
#include <algorithm>

#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

void FunctionLowering::own(const Local& local, const Place& place) {
  if (place.type == nullptr || !types().owns(*place.type)) return;
  cleanups_.push_back({&local, nullptr, place, bytecode::kNone, Life::Live, depth_});
}

/// Storage without a name, or whose name is a view: dropped as an entry of the type table.
void FunctionLowering::own_storage(const Place& place, std::uint32_t type) {
  cleanups_.push_back({nullptr, nullptr, place, type, Life::Live, depth_});
}

FunctionLowering::Cleanup* FunctionLowering::cleanup_of(const Local& local) {
  const auto found = std::find_if(cleanups_.rbegin(), cleanups_.rend(),
                                  [&](const Cleanup& cleanup) { return cleanup.local == &local; });
  return found == cleanups_.rend() ? nullptr : &*found;
}

bool FunctionLowering::must_zero_when_moved(const Local& local) {
  const Cleanup* cleanup = cleanup_of(local);
  if (cleanup == nullptr || depth_ == cleanup->depth) return false;
  return !(leaving_at_ == depth_ || reviving_ == &local);
}

bool FunctionLowering::moved(const Local& local) {
  const bool must_zero = must_zero_when_moved(local);
  if (Cleanup* cleanup = cleanup_of(local)) cleanup->life = Life::Dead;
  return must_zero;
}

void FunctionLowering::revive(const Local& local) {
  if (Cleanup* cleanup = cleanup_of(local)) cleanup->life = Life::Live;
}

void FunctionLowering::run_cleanups(std::size_t floor, Position position) {
  const std::size_t before = running_;
  std::size_t top = std::min(running_, cleanups_.size());
  while (top > floor) {
    --top;
    running_ = top;  // what a deferred call leaves by itself runs only what is below it
    const Cleanup cleanup = cleanups_[top];
    if (cleanup.defer != nullptr) {
      const Mark mark = this->mark();
      discard(*cleanup.defer->call);
      release(mark);
    } else if (cleanup.life != Life::Dead) {
      at(position);
      if (cleanup.type == bytecode::kNone) {
        drop(cleanup.place);
      } else {
        drop_storage(cleanup.place, cleanup.type);
      }
    }
  }
  running_ = before;
}

void FunctionLowering::close_scope(std::size_t floor, bool reachable, Position position) {
  if (reachable) run_cleanups(floor, position);
  cleanups_.resize(floor);
}

FunctionLowering::Lives FunctionLowering::lives() const {
  Lives lives;
  lives.reserve(cleanups_.size());
  for (const Cleanup& cleanup : cleanups_) lives.push_back(cleanup.life);
  return lives;
}

void FunctionLowering::restore(const Lives& lives) {
  const std::size_t count = std::min(lives.size(), cleanups_.size());
  for (std::size_t i = 0; i < count; ++i) cleanups_[i].life = lives[i];
}

void FunctionLowering::merge(std::optional<Lives>& into, const Lives& lives) {
  if (!into) {
    into = lives;
    return;
  }
  into->resize(std::min(into->size(), lives.size()));
  for (std::size_t i = 0; i < into->size(); ++i) {
    if ((*into)[i] != lives[i]) (*into)[i] = Life::Maybe;
  }
}

}  // namespace cairn::lower
