#include "vm/interpreter/output.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "runtime/print/number_text.hpp"

namespace cairn::interpreter {
namespace {

using bytecode::PrintAs;
using bytecode::Word;

/// The k-th listed argument: how it is written, and its register.
struct Item {
  PrintAs as{};
  std::uint32_t slot = 0;
};
Item item_at(const Word* list, std::uint32_t k) {
  const auto half = static_cast<std::uint32_t>(list[k / 2] >> (k % 2 * 32));
  return {static_cast<PrintAs>(half & 0xffff), half >> 16};
}

using Scratch = std::array<char, kNumberText>;

/// The bytes of one argument: its own for a view, else written to `scratch`.
std::span<const char> text_of(const Item& item, const std::uint64_t* base, Scratch& scratch) {
  const std::uint64_t bits = base[item.slot];
  const std::span<char, kNumberText> out(scratch);
  std::size_t size = 0;
  switch (item.as) {
    case PrintAs::Bytes:
      return {reinterpret_cast<const char*>(bits), base[item.slot + 1]};
    case PrintAs::Byte:
      scratch[0] = static_cast<char>(bits);
      size = 1;
      break;
    case PrintAs::Bool:
      return bits != 0 ? std::span<const char>("true", 4) : std::span<const char>("false", 5);
    case PrintAs::Unsigned:
      size = write_unsigned(bits, out);
      break;
    case PrintAs::Signed:
      size = write_signed(static_cast<std::int64_t>(bits), out);
      break;
    case PrintAs::F32:
      size = write_float(std::bit_cast<float>(static_cast<std::uint32_t>(bits)), out);
      break;
    case PrintAs::F64:
      size = write_float(std::bit_cast<double>(bits), out);
      break;
  }
  return {scratch.data(), size};
}

/// Collects up to 4096 bytes; more goes out as it comes.
class PrintBuffer {
 public:
  PrintBuffer(OutputSink& sink, bool to_error) : sink_(sink), to_error_(to_error) {}

  void add(std::span<const char> bytes) {
    if (size_ + bytes.size() > buffer_.size()) flush();
    if (bytes.size() > buffer_.size()) {
      if (!failed_) failed_ = !sink_.write(to_error_, bytes);
      return;
    }
    if (bytes.empty()) return;
    std::memcpy(buffer_.data() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  /// Nothing is written after a write that failed.
  void flush() {
    if (size_ != 0 && !failed_) failed_ = !sink_.write(to_error_, {buffer_.data(), size_});
    size_ = 0;
  }

 private:
  OutputSink& sink_;
  bool to_error_;
  bool failed_ = false;
  std::size_t size_ = 0;
  std::array<char, 4096> buffer_;
};

}  // namespace

void print(Thread& thread, const std::uint64_t* base, const Word* pc) {
  const std::uint32_t flags = bytecode::a_of(pc[0]);
  const std::uint32_t count = bytecode::b_of(pc[0]);
  PrintBuffer buffer(thread.instance().output(), (flags & 1) != 0);
  Scratch scratch;
  for (std::uint32_t k = 0; k < count; ++k) buffer.add(text_of(item_at(pc + 1, k), base, scratch));
  if ((flags & 2) != 0) buffer.add({"\n", 1});
  buffer.flush();
}

bool format(Thread& thread, const std::uint64_t* base, const Word* pc) {
  const std::uint32_t count = bytecode::b_of(pc[0]);
  const Word* list = pc + 2;
  auto* record = reinterpret_cast<std::uint8_t*>(base[bytecode::a_of(pc[0])]);
  std::uint8_t* const buffer_at = record + bytecode::d_of(pc[1]);
  std::uint8_t* const length_at = record + bytecode::e_of(pc[1]);
  std::uint64_t buffer[2];  // pointer, capacity
  std::uint64_t length;
  std::memcpy(buffer, buffer_at, sizeof(buffer));
  std::memcpy(&length, length_at, sizeof(length));

  Scratch scratch;
  std::uint64_t added = 0;
  for (std::uint32_t k = 0; k < count; ++k) added += text_of(item_at(list, k), base, scratch).size();
  const std::uint64_t needed = length + added;
  if (needed < length || !ThreadHeap::representable(needed, 1)) return false;
  if (needed > buffer[1]) {
    const std::uint64_t capacity = std::max({needed, buffer[1] * 2, std::uint64_t{4}});
    void* grown = thread.heap().allocate(capacity, 1, 1);
    if (grown == nullptr) return false;
    auto* old = reinterpret_cast<std::uint8_t*>(buffer[0]);
    if (old != nullptr) std::memcpy(grown, old, std::min(length, buffer[1]));
    thread.heap().release(old, buffer[1]);
    buffer[0] = reinterpret_cast<std::uint64_t>(grown);
    buffer[1] = capacity;
    std::memcpy(buffer_at, buffer, sizeof(buffer));
  }
  auto* to = reinterpret_cast<char*>(buffer[0]) + length;
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::span<const char> bytes = text_of(item_at(list, k), base, scratch);
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    to += bytes.size();
  }
  std::memcpy(length_at, &needed, sizeof(needed));
  return true;
}

}  // namespace cairn::interpreter
