// Schedule plans (concurrency, 13.2): which items a plan may hold, their ranges, and that the function has the regions
// they speak of. Whether regions may be joined, vectorized or staged is judged where lanes are.
#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <unordered_set>

#include "frontend/check/checker.hpp"
#include "frontend/check/chunks.hpp"
#include "frontend/check/fusion.hpp"
#include "frontend/check/judgement_state.hpp"
#include "frontend/check/tree_walk.hpp"

namespace cairn {

namespace {

enum class On : std::uint8_t { Host, Device, Either };

struct ItemForm {
  std::string_view name;
  On on;
  std::uint64_t least;
  std::uint64_t most;
  std::uint64_t multiple = 1;
  bool power_of_two = false;
};
constexpr std::array kItems = {
    ItemForm{"grain", On::Host, 1, (std::uint64_t{1} << 63) - 1},
    ItemForm{"lanes", On::Host, 1, 1024},
    ItemForm{"block", On::Device, 32, 1024, 32},
    ItemForm{"per_lane", On::Device, 1, 65536},
    ItemForm{"unroll", On::Device, 1, 32},
    ItemForm{"vector", On::Device, 2, 16, 1, true},
    ItemForm{"stage", On::Device, 1, 32},
    ItemForm{"fuse", On::Either, 2, 16},
};

struct Regions {
  bool host = false;
  bool device = false;
};

void add_region(const checked::ParallelStmt& region, Regions& regions) {
  (region.device ? regions.device : regions.host) = true;
}

/// The `parallel` regions of a checked body, spawned ones included.
void find_regions(const checked::Function& function, Regions& regions) {
  if (function.body == nullptr) return;
  const auto expression = [&](const auto& self, const checked::Expr& root) -> void {
    if (root.kind == checked::ExprKind::Spawn && root.as<checked::SpawnExpr>().region != nullptr) {
      add_region(*root.as<checked::SpawnExpr>().region, regions);
    }
    if (root.kind == checked::ExprKind::Binary || root.kind == checked::ExprKind::Logical) return;
    checked::for_each_operand(root, [&](const checked::Expr& operand) { self(self, operand); });
  };
  checked::for_each_statement(*function.body, [&](const checked::Stmt& statement) {
    if (statement.kind == checked::StmtKind::Parallel) add_region(statement.as<checked::ParallelStmt>(), regions);
    checked::for_each_part(
        statement, [&](const checked::Expr& value) { expression(expression, value); }, [](const checked::Block&) {},
        [](const checked::Function&) {});
  });
}

/// Whether a body as written holds a `parallel` statement: what a template without instances is judged by.
bool has_parallel(const syntax::Block* block) {
  if (block == nullptr) return false;
  using syntax::StmtKind;
  return std::ranges::any_of(block->statements, [](const syntax::Stmt* statement) {
    switch (statement->kind) {
      case StmtKind::Parallel:
        return true;
      case StmtKind::Let: {
        const syntax::Expr* value = statement->as<syntax::LetStmt>().value;
        return value != nullptr && value->kind == syntax::ExprKind::Spawn &&
               value->as<syntax::SpawnExpr>().operand == nullptr;
      }
      case StmtKind::If:
        return has_parallel(statement->as<syntax::IfStmt>().then) ||
               has_parallel(statement->as<syntax::IfStmt>().otherwise);
      case StmtKind::While:
        return has_parallel(statement->as<syntax::WhileStmt>().body);
      case StmtKind::ForRange:
        return has_parallel(statement->as<syntax::ForRangeStmt>().body);
      case StmtKind::ForEach:
        return has_parallel(statement->as<syntax::ForEachStmt>().body);
      case StmtKind::Block:
        return has_parallel(statement->as<syntax::BlockStmt>().body);
      case StmtKind::Unsafe:
        return has_parallel(statement->as<syntax::UnsafeStmt>().body);
      case StmtKind::Match:
        return std::ranges::any_of(statement->as<syntax::MatchStmt>().arms,
                                   [](const syntax::MatchArm& arm) { return has_parallel(arm.body); });
      default:
        return false;
    }
  });
}

class SchedulePlan {
 public:
  SchedulePlan(Checker& checker, const syntax::PlanDecl& plan) : checker_(checker), plan_(plan) {}

  void judge(std::unordered_set<const syntax::Decl*>& planned) {
    for (const syntax::PlanItem& item : plan_.items) item_is_known(item);
    const syntax::FunctionDecl* function = planned_function();
    if (function == nullptr || !has_parallel(function->body)) {
      refuse_plan(written() + " is no function with a parallel region.");
    }
    if (!planned.insert(function).second) refuse_plan(written() + " has a plan already.");
    items_have_regions(*function);
  }

 private:
  [[noreturn]] void refuse_plan(std::string message) const { refuse(Code::Plan, plan_.position, std::move(message)); }

  std::string written() const {
    std::string text;
    for (const syntax::Identifier& segment : plan_.function.segments) {
      text += (text.empty() ? "" : ".") + std::string(checker_.text(segment.name));
    }
    return text;
  }

  const ItemForm* form_of(const syntax::PlanItem& item) const {
    const auto* found = std::ranges::find(kItems, checker_.text(item.name.name), &ItemForm::name);
    return found == kItems.end() ? nullptr : found;
  }

  void item_is_known(const syntax::PlanItem& item) const {
    const ItemForm* form = form_of(item);
    if (form == nullptr) {
      std::string known;
      for (const ItemForm& each : kItems) known += (known.empty() ? "" : ", ") + std::string(each.name);
      refuse_plan(std::string(checker_.text(item.name.name)) + " is no item of a plan; the items are " + known + ".");
    }
    const std::uint64_t value = item.value.value;
    const bool fits = item.value.fits && value >= form->least && value <= form->most && value % form->multiple == 0 &&
                      (!form->power_of_two || std::has_single_bit(value));
    if (fits) return;
    std::string range = std::to_string(form->least) + " to " + std::to_string(form->most);
    if (form->multiple > 1) range += ", a multiple of " + std::to_string(form->multiple);
    if (form->power_of_two) range += ", a power of two";
    refuse_plan(std::string(form->name) + " is " + range + "; the plan says " + std::string(item.value.digits) + ".");
  }

  const syntax::FunctionDecl* planned_function() const {
    std::vector<Name> path;
    for (const syntax::Identifier& segment : plan_.function.segments) path.push_back(segment.name);
    const Symbol symbol = checker_.resolve(path, plan_.module, kWantFunction, plan_.function.position());
    return symbol.kind == Symbol::Kind::Function ? &symbol.declaration->as<syntax::FunctionDecl>() : nullptr;
  }

  void items_have_regions(const syntax::FunctionDecl& function) const {
    Regions regions;
    bool is_known = false;
    for (const auto& each : checker_.program().functions) {
      if (each->declaration != &function) continue;
      is_known = true;
      find_regions(*each, regions);
    }
    if (!is_known) return;
    for (const syntax::PlanItem& item : plan_.items) {
      const ItemForm& form = *form_of(item);
      if (form.on == On::Host && !regions.host)
        refuse_plan(std::string(form.name) + " needs a host region, and there is none.");
      if (form.on == On::Device && !regions.device) {
        refuse_plan(std::string(form.name) + " needs a device region, and there is none.");
      }
    }
    if (item("vector") == nullptr && item("stage") == nullptr) return;
    for (const auto& each : checker_.program().functions) {
      if (each->declaration == &function) arrays_fit(chunked_arrays(*each));
    }
  }

  const syntax::PlanItem* item(std::string_view name) const {
    const auto is_named = [&](const syntax::PlanItem& each) { return checker_.text(each.name.name) == name; };
    const auto found = std::ranges::find_if(plan_.items, is_named);
    return found == plan_.items.end() ? nullptr : &*found;
  }

  /// `vector` and `stage` need arrays that lanes touch where these say.
  void arrays_fit(const ChunkedArrays& arrays) const {
    const syntax::PlanItem* vector = item("vector");
    const syntax::PlanItem* stage = item("stage");
    if (vector != nullptr) {
      if (item("fuse") != nullptr) refuse_plan("vector and fuse do not go together.");
      for (const std::uint64_t bytes : arrays.element_bytes) {
        if (bytes * vector->value.value <= 16) continue;
        refuse_plan("vector " + std::to_string(vector->value.value) + " of elements of " + std::to_string(bytes) +
                    " bytes is wider than the 16 bytes one load or store moves.");
      }
      if (arrays.element_bytes.empty()) {
        refuse_plan("vector needs an array that lanes touch at their own index alone, with no guard left there.");
      }
    }
    if (stage != nullptr) {
      if (item("fuse") != nullptr) refuse_plan("stage and fuse do not go together.");
      if (vector != nullptr) refuse_plan("stage and vector do not go together.");
      if (arrays.least_reach == 0 || arrays.least_reach > stage->value.value) {
        refuse_plan("stage " + std::to_string(stage->value.value) +
                    " needs an array that lanes only read, at their own index and at most that far beside it, with no "
                    "guard left there.");
      }
    }
  }

  Checker& checker_;
  const syntax::PlanDecl& plan_;
};

}  // namespace

std::optional<Diagnostic> judge_fusion(Checker& checker, const syntax::PlanDecl& plan,
                                       const std::function<bool(const checked::Function&)>& may_judge) {
  const auto is_fuse = [&](const syntax::PlanItem& item) { return checker.text(item.name.name) == "fuse"; };
  if (plan.selects || std::ranges::none_of(plan.items, is_fuse)) return std::nullopt;
  std::vector<Name> path;
  for (const syntax::Identifier& segment : plan.function.segments) path.push_back(segment.name);
  const Symbol symbol = checker.peek(path, plan.module, kWantFunction);
  if (!symbol) return std::nullopt;
  bool is_known = false;
  for (const auto& each : checker.program().functions) {
    if (each->declaration != symbol.declaration) continue;
    if (!may_judge(*each) || has_fusible_regions(*each)) return std::nullopt;
    is_known = true;
  }
  if (!is_known) return std::nullopt;
  Diagnostic diagnostic;
  diagnostic.code = Code::Plan;
  diagnostic.position = plan.position;
  diagnostic.message =
      "fuse joins adjacent regions of one count whose bodies cannot trap and that share own elements alone; no two "
      "regions here may join.";
  return diagnostic;
}

void judge_schedule_plans(Checker& checker) {
  std::unordered_set<const syntax::Decl*> planned;
  for (const syntax::Decl* declaration : checker.declarations()) {
    if (declaration->kind != syntax::DeclKind::Plan) continue;
    const auto& plan = declaration->as<syntax::PlanDecl>();
    if (!plan.selects) SchedulePlan(checker, plan).judge(planned);
  }
}

}  // namespace cairn
