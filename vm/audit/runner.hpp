// The audited function, run on each case in a process of its own.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "vm/audit/form.hpp"
#include "vm/audit/operands.hpp"

namespace cairn::audit {

/// Where a case's arrays stand in memory that the caller and the process share, and what the function is called with.
class SharedCases {
 public:
  /// Copies the operands; outputs begin as zeros, or as the old values. Fails when the sizes do not fit the function's
  /// parameters or the memory cannot be had.
  [[nodiscard]] static std::expected<SharedCases, std::string> of(const Binding& binding, const Problem& problem,
                                                                  const std::vector<Case>& cases);
  SharedCases(SharedCases&& other) noexcept;
  SharedCases(const SharedCases&) = delete;
  SharedCases& operator=(const SharedCases&) = delete;
  ~SharedCases();

  /// The slots of one call.
  [[nodiscard]] const std::vector<std::uint64_t>& arguments(std::size_t index) const { return arguments_[index]; }
  /// Adds what the function wrote to the cases.
  void collect(const Binding& binding, const Problem& problem, std::vector<Case>& cases) const;

 private:
  SharedCases() = default;

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::vector<std::vector<std::uint64_t>> arguments_;
  std::vector<std::vector<std::size_t>> offsets_;  // by case, then by parameter
};

}  // namespace cairn::audit
