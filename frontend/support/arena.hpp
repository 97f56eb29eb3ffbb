// A bump allocator for one phase's trees. Everything allocated lives until the arena dies; destructors are not run,
// so only trivially destructible types may be made here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cairn {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) noexcept = default;
  Arena& operator=(Arena&&) noexcept = default;

  template <class T, class... Args>
  T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "an arena never runs destructors");
    return ::new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  /// Copies a list into the arena; the result is never null-backed unless empty.
  template <class T>
  std::span<T> copy(const std::vector<T>& list) {
    return copy(std::span<const T>(list));
  }
  template <class T>
  std::span<T> copy(std::span<const T> list) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (list.empty()) return {};
    auto* data = static_cast<T*>(allocate(list.size_bytes(), alignof(T)));
    std::memcpy(static_cast<void*>(data), list.data(), list.size_bytes());
    return {data, list.size()};
  }

  std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    auto* data = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(data, text.data(), text.size());
    return {data, text.size()};
  }

  void* allocate(std::size_t size, std::size_t alignment) {
    auto at = (next_ + alignment - 1) & ~(static_cast<std::uintptr_t>(alignment) - 1);
    if (at + size > end_) [[unlikely]] {
      grow(size + alignment);
      at = (next_ + alignment - 1) & ~(static_cast<std::uintptr_t>(alignment) - 1);
    }
    next_ = at + size;
    return reinterpret_cast<void*>(at);  // NOLINT(performance-no-int-to-ptr): a bump pointer is an address
  }

 private:
  void grow(std::size_t least) {
    const std::size_t size = least > kBlock ? least : kBlock;
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    next_ = reinterpret_cast<std::uintptr_t>(blocks_.back().get());
    end_ = next_ + size;
  }

  static constexpr std::size_t kBlock = std::size_t{1} << 18;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::uintptr_t next_ = 0;
  std::uintptr_t end_ = 0;
};

}  // namespace cairn
