// What a function does, counted (tools, 12.1): operations by kind, bytes that stream, accesses that do not,
// allocations, regions, tasks and transfers, each a polynomial over the function's extents.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/check/schedule_plans.hpp"
#include "frontend/frontend.hpp"
#include "vm/predict/polynomial.hpp"

namespace cairn::predict {

/// Bytes of one array, or what its irregular accesses are.
struct Traffic {
  Polynomial read;
  Polynomial written;
  Polynomial irregular;  // accesses
  Polynomial size;       // bytes of the whole array; zero when it is not known
  Polynomial reused;     // bytes of it that loops go over before they come back to one; zero: not told
};

/// Counts of one body: what stands in a loop itself, or in none.
struct Work {
  std::map<std::string, Polynomial> ops;   // kind -> how many
  std::map<std::string, Traffic> traffic;  // array -> bytes
  bool strides = false;  // some access does not go to the next element, or the same, with each turn: no vector code
  Polynomial allocations;
  Polynomial zeroed_bytes;

  [[nodiscard]] Polynomial bytes_read() const;
  [[nodiscard]] Polynomial bytes_written() const;
  [[nodiscard]] Polynomial irregular() const;
  void add(const Work& other, const Polynomial& times);
};

/// The same with sizes put in for extents.
[[nodiscard]] Work substituted(const Work& work, const std::map<std::string, Polynomial>& sizes);

/// Code without regions, body by body: each is priced as vector or scalar code, in a cache of its own (12.2).
struct Code {
  std::map<std::size_t, Work> bodies;  // by the number of the loop, from 1; 0: what stands in no loop

  [[nodiscard]] Work total() const;
  /// What stands in no loop joins the body of number `at`.
  void add(const Code& other, const std::map<std::string, Polynomial>& sizes, const Polynomial& times, std::size_t at);
};

struct Plan {
  std::map<std::string, std::uint64_t> items;
  [[nodiscard]] std::uint64_t item(const std::string& name, std::uint64_t otherwise) const {
    const auto found = items.find(name);
    return found == items.end() ? otherwise : found->second;
  }
};

enum class RegionKind : std::uint8_t { Host, Pooled, Device, Cooperative, Tensor };
[[nodiscard]] std::string_view text(RegionKind kind);

/// What a block of a cooperative region, or its finish, does beside the work of its threads.
struct Cooperation {
  double threads = 0;          // of a block
  double shared_bytes = 0;     // of a block
  Polynomial wavefronts;       // a block's accesses of shared memory, a warp's at a time
  Polynomial copied_bytes;     // into the stages of pipelines, a block
  Polynomial barriers;         // waits of pipelines among them
  Polynomial multiply_adds;    // of fragments, a block
  double bytes_in_flight = 0;  // (N + 1) stages, N the copies a wait leaves in flight; 0: no pipeline
  bool is_finish = false;      // one block, in the region's own launch
};

struct Region {
  RegionKind kind{};
  bool device = false;
  std::uint32_t line = 0;
  Polynomial count;  // indices; blocks; 1 of a multiply of whole matrices
  Polynomial runs;   // how often the region is run
  Code per_index;    // of a thread in a cooperative region
  Plan plan;
  int registers = 0;  // a thread's, read from compiled code; 0: not read
  std::optional<Cooperation> cooperation;
  Polynomial multiply_adds;  // of whole matrices
};

struct Transfer {
  std::string direction;  // h2d, d2h, d2d, h2h
  Polynomial bytes;
  Polynomial runs;
};

struct Cost {
  Code sequential;
  std::vector<Region> regions;
  std::vector<Transfer> transfers;
  Polynomial tasks;                                           // started
  std::vector<std::pair<std::string, Polynomial>> task_work;  // function started, how often
  std::set<std::string> approximate;                          // reasons for `medium`
  std::set<std::string> guessed;                              // reasons for `low`
  std::vector<std::string> extents;  // the usize parameters some count depends on, in their order
  std::set<std::string> numbers;     // parameters of other integer types that a guess depends on
  std::uint32_t line = 0;

  /// The call stands in the body of number `at`.
  void add_call(const Cost& callee, const std::map<std::string, Polynomial>& sizes, const Polynomial& times,
                std::size_t at);
};

/// Costs of the functions of one checked program; each is counted once.
class Counter {
 public:
  explicit Counter(const Compilation& compilation);
  const Cost& cost_of(const checked::Function& function);
  [[nodiscard]] const Plan& plan_of(const checked::Function& function) const;
  [[nodiscard]] std::size_t new_loop() { return ++loops_; }
  /// What a thread of the device region at that line of a function takes, told before that is counted.
  void set_registers(const std::string& function, std::uint32_t line, int registers) {
    int& most = registers_[{function, line}];
    most = std::max(most, registers);
  }
  [[nodiscard]] int registers_of(const std::string& function, std::uint32_t line) const {
    const auto found = registers_.find({function, line});
    return found == registers_.end() ? 0 : found->second;
  }

 private:
  friend class BodyCounter;
  const Compilation& compilation_;
  std::map<const checked::Function*, Cost> costs_;
  std::set<const checked::Function*> active_;
  const checked::SchedulePlans written_;
  std::map<const syntax::PlanDecl*, Plan> plans_;
  Plan none_;
  std::map<std::pair<std::string, std::uint32_t>, int> registers_;
  std::size_t loops_ = 0;
};

/// Bytes a value of the type takes in memory.
[[nodiscard]] std::uint64_t size_of(const Type& type);

}  // namespace cairn::predict
