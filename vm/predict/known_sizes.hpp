// What is known of the values of integers and the lengths of arrays in one body: polynomials over the function's
// extents.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "frontend/check/program.hpp"
#include "vm/predict/polynomial.hpp"

namespace cairn::predict {

class KnownSizes {
 public:
  using Values = std::map<const checked::Local*, Polynomial>;

  /// `approximate` is given the reasons why a size is near only.
  KnownSizes(const checked::Function& function, std::set<std::string>& approximate)
      : function_(function), approximate_(approximate) {}

  /// The value as a polynomial; nothing when it is none.
  [[nodiscard]] std::optional<Polynomial> value(const checked::Expr& of);
  /// The number of elements of an array, view or owner.
  [[nodiscard]] std::optional<Polynomial> length(const checked::Expr& of);
  [[nodiscard]] std::optional<Polynomial> length(const checked::Local& local);

  void set_value(const checked::Local& local, Polynomial value) { values_[&local] = std::move(value); }
  void forget(const checked::Local& local) { values_.erase(&local); }
  void set_length(const checked::Local& local, Polynomial length) { lengths_[&local] = std::move(length); }
  [[nodiscard]] const Values& values() const { return values_; }
  void put_back(Values values) { values_ = std::move(values); }

 private:
  const checked::Function& function_;
  std::set<std::string>& approximate_;
  Values values_;
  Values lengths_;  // of views and owners
};

}  // namespace cairn::predict
