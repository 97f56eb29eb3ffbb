// The natives behind IoRing (concurrency, 14). A ring is the handle that `ring.new` gives; the Bufs a program submits
// are the ring's until `next` gives them back.
#pragma once

#include <span>

#include "vm/interpreter/native.hpp"

namespace cairn {

[[nodiscard]] std::span<const NativeEntry> ring_natives();

}  // namespace cairn
