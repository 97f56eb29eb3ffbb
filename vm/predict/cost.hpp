// What a function does, counted (tools, 12.1): operations by kind, bytes that stream, accesses that do not,
// allocations, regions, tasks and transfers, each a polynomial over the function's extents.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "frontend/frontend.hpp"
#include "vm/predict/polynomial.hpp"

namespace cairn::predict {

/// Bytes of one array, or what its irregular accesses are.
struct Traffic {
  Polynomial read;
  Polynomial written;
  Polynomial irregular;  // accesses
  Polynomial size;       // bytes of the whole array; zero when it is not known
};

/// Counts of straight or looping code without regions.
struct Work {
  std::map<std::string, Polynomial> ops;   // kind -> how many
  std::map<std::string, Traffic> traffic;  // array -> bytes
  Polynomial allocations;
  Polynomial zeroed_bytes;

  [[nodiscard]] Polynomial bytes_read() const;
  [[nodiscard]] Polynomial bytes_written() const;
  [[nodiscard]] Polynomial irregular() const;
  void add(const Work& other, const Polynomial& times);
};

/// The same with sizes put in for extents.
[[nodiscard]] Work substituted(const Work& work, const std::map<std::string, Polynomial>& sizes);

struct Plan {
  std::map<std::string, std::uint64_t> items;
  [[nodiscard]] std::uint64_t item(const std::string& name, std::uint64_t otherwise) const {
    const auto found = items.find(name);
    return found == items.end() ? otherwise : found->second;
  }
};

enum class RegionKind : std::uint8_t { Host, Pooled, Device, Cooperative, Tensor };
[[nodiscard]] std::string_view text(RegionKind kind);

struct Region {
  RegionKind kind{};
  std::uint32_t line = 0;
  Polynomial count;  // indices
  Polynomial runs;   // how often the region is run
  Work per_index;
  Plan plan;
};

struct Transfer {
  std::string direction;  // h2d, d2h, d2d, h2h
  Polynomial bytes;
  Polynomial runs;
};

struct Cost {
  Work sequential;
  std::vector<Region> regions;
  std::vector<Transfer> transfers;
  Polynomial tasks;                                           // started
  std::vector<std::pair<std::string, Polynomial>> task_work;  // function started, how often
  std::set<std::string> approximate;                          // reasons for `medium`
  std::set<std::string> guessed;                              // reasons for `low`
  std::vector<std::string> extents;  // the usize parameters some count depends on, in their order
  std::uint32_t line = 0;

  void add_call(const Cost& callee, const std::map<std::string, Polynomial>& sizes, const Polynomial& times);
};

/// Costs of the functions of one checked program; each is counted once.
class Counter {
 public:
  explicit Counter(const Compilation& compilation);
  const Cost& cost_of(const checked::Function& function);
  [[nodiscard]] const Plan& plan_of(const checked::Function& function) const;

 private:
  friend class BodyCounter;
  const Compilation& compilation_;
  std::map<const checked::Function*, Cost> costs_;
  std::set<const checked::Function*> active_;
  std::map<const syntax::Decl*, Plan> plans_;
  Plan none_;
};

/// Bytes a value of the type takes in memory.
[[nodiscard]] std::uint64_t size_of(const Type& type);

}  // namespace cairn::predict
