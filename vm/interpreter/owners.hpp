// Making and releasing owners. Release is iterative: a chain of a million nodes takes no native stack.
#pragma once

#include <cstdint>

#include "vm/interpreter/thread.hpp"

namespace cairn::interpreter {

/// buf.new: the pair becomes a new Buf. False when the guard fails.
bool new_buffer(Thread& thread, std::uint64_t* pair, std::uint64_t count, std::uint32_t element);
/// drop.buf and drop.dyn: release what a pair holds; it becomes zero.
void drop_buffer(Thread& thread, std::uint64_t* pair, std::uint32_t element);
void drop_dyn(Thread& thread, std::uint64_t* pair);
/// Releases every owner inside the value; the bytes of owners become zero.
void drop_value(Thread& thread, std::uint8_t* value, std::uint32_t type);
/// The same of values of another image's types, whose owners the thread has.
void drop_buffer(Thread& thread, const Image& image, std::uint64_t* pair, std::uint32_t element);
void drop_dyn(Thread& thread, const Image& image, std::uint64_t* pair);
void drop_value(Thread& thread, const Image& image, std::uint8_t* value, std::uint32_t type);
/// dyn.new: moves the value into a new box. False when there is no memory.
bool new_dyn(Thread& thread, std::uint64_t* pair, std::uint8_t* value, std::uint32_t table);

}  // namespace cairn::interpreter
