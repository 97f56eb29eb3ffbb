// Memory that this process and a child share: what the child answers outlives it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::cli {

class SharedAnswer {
 public:
  SharedAnswer();
  ~SharedAnswer();
  SharedAnswer(const SharedAnswer&) = delete;
  SharedAnswer& operator=(const SharedAnswer&) = delete;

  [[nodiscard]] bool ready() const { return file_ >= 0 && counter_ != nullptr; }
  /// A number that the child may change at any time.
  [[nodiscard]] std::uint64_t* counter() const { return counter_; }

  /// In the child: adds to the answer.
  [[nodiscard]] bool store(std::string_view text) const;
  /// The whole answer.
  [[nodiscard]] std::string load() const;

 private:
  int file_ = -1;
  std::uint64_t* counter_ = nullptr;
};

}  // namespace cairn::cli
