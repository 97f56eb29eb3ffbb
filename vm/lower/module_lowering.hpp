// What is shared by the functions of one module while they are lowered: the tables, and the queue of functions met but
// not lowered yet.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frontend/check/cooperative.hpp"
#include "frontend/check/discharge.hpp"
#include "frontend/check/program.hpp"
#include "frontend/check/schedule_plans.hpp"
#include "frontend/check/traits.hpp"
#include "frontend/support/arena.hpp"
#include "vm/bytecode/builder.hpp"
#include "vm/lower/lower.hpp"
#include "vm/lower/types.hpp"

namespace cairn::lower {

/// How a closure or lane reaches one outer local: a copy of what never changes while it may run, else a reference. What
/// runs on the device has copies of everything, made where the region starts.
struct Capture {
  const checked::Local* local = nullptr;
  bool by_reference = false;
  bool embedded = false;        // the object itself lies in the environment
  std::uint64_t offset = 0;     // in the environment
  bytecode::RegisterType form;  // of the field, as a register holds it
};

struct Environment {
  std::uint32_t type = bytecode::kNone;
  std::vector<Capture> captures;
};

/// How the lanes of one statement run: a region, a fold to a total, terms for an exact sum, prefixes, a selection, or
/// the threads of a cooperative body.
struct LaneForm {
  enum class Kind : std::uint8_t { Region, Fold, Terms, Scan, Compact, Kernel };
  Kind kind = Kind::Region;
  bool device = false;
  syntax::Reducer reducer{};
  bool exclusive = false;
  const checked::Expr* output = nullptr;          // Scan
  const checked::Function* yield = nullptr;       // Compact: what is stored for a kept index; the lane is the condition
  const checked::ThreadBody* threads = nullptr;   // Kernel
  std::span<const checked::LetStmt* const> grid;  // Kernel: the extents of its block names
  Position position;                              // of the statement: of the guards its own work has
};

class ModuleLowering {
 public:
  ModuleLowering(const Compilation& compilation, const Options& options);

  Lowered run();

  [[nodiscard]] bytecode::ModuleBuilder& builder() { return builder_; }
  [[nodiscard]] TypeLowering& types() { return types_; }
  [[nodiscard]] const Options& options() const { return options_; }
  /// Guards that cannot fail, of the functions lowered so far and those in them.
  [[nodiscard]] const DischargedGuards& discharged() const { return discharged_; }
  [[nodiscard]] std::string_view text(Name name) const { return compilation_.names.text(name); }
  [[nodiscard]] const NameTable& names() const { return compilation_.names; }
  [[nodiscard]] bytecode::SourcePosition position(Position position);

  /// The index of a function with a body; lowers it later when this is its first mention.
  std::uint32_t function(const checked::Function& function);
  /// The same for a closure or lane body of function `parent`.
  std::uint32_t inner_function(const checked::Function& body, std::uint32_t parent);
  /// What the body of a closure or lane is given. The same for every mention.
  const Environment& environment(const checked::Function& body);
  /// A finish is given what its region's body is. Said before either is mentioned.
  void share_environment(const checked::Function& body, const checked::Function& owner) { owners_[&body] = &owner; }
  /// Set before the lane's function is first mentioned.
  void set_lane_form(const checked::Function& lane, const LaneForm& form) { lanes_.insert_or_assign(&lane, form); }
  [[nodiscard]] const LaneForm& lane_form(const checked::Function& lane) { return lanes_[&lane]; }
  /// What a task that calls this runs: the function itself, or one made to call a foreign one.
  const checked::Function& task_body(const checked::Function& callee);
  std::uint32_t foreign(const checked::Function& function);
  std::uint32_t native(const checked::Function& function);
  std::uint32_t table(const DispatchTable& table);

  void fail(Position position, std::string why);
  /// The same for assembly that cannot be run here.
  void fail_assembly(Position position, std::string why);
  std::uint32_t foreign(bytecode::Foreign foreign);

 private:
  std::uint32_t signature(const checked::Function& function);
  std::uint32_t lane_signature(const checked::Function& lane);
  std::uint32_t enqueue(const checked::Function& function, bytecode::FunctionKind kind, std::uint32_t environment,
                        std::uint32_t parent);
  /// A row for what a plan says of the regions of the function that a lane stands in.
  void keep_plan(const checked::Function& lane);
  std::uint32_t receiver_thunk(const checked::Function& member, const TraitMember& declared, std::uint32_t signature);

  const Compilation& compilation_;
  const Options& options_;
  bytecode::ModuleBuilder builder_;
  TypeLowering types_;
  DischargedGuards discharged_;
  std::unordered_map<const checked::Function*, std::uint32_t> functions_;
  std::unordered_map<const checked::Function*, std::uint32_t> foreigns_;
  std::optional<checked::SchedulePlans> plans_;  // once there is a device lane
  Arena arena_;                                  // of task bodies
  std::unordered_map<const checked::Function*, checked::Function> foreign_tasks_;
  std::unordered_map<const checked::Function*, Environment> environments_;
  std::unordered_map<const checked::Function*, const checked::Function*> owners_;  // of environments that are shared
  std::unordered_map<const DispatchTable*, std::uint32_t> tables_;
  std::unordered_map<const checked::Function*, LaneForm> lanes_;
  std::deque<const checked::Function*> queue_;
  std::unordered_map<const SourceFile*, std::uint32_t> files_;
  Position last_asked_;
  bytecode::SourcePosition last_position_;
  std::string failure_;
  bool assembly_failed_ = false;
  Position failed_at_;
};

}  // namespace cairn::lower
