#include "frontend/report/enqueue.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/rows.hpp"
#include "frontend/check/tree_walk.hpp"

namespace cairn {

namespace {

using checked::Expr;
using checked::ExprKind;
using checked::Function;
using checked::Label;
using checked::LabelSet;

struct Reason {
  LabelSet labels;
  const char* text;
};
/// What makes the host wait, or lets it see what the device did (devices, 6).
constexpr Reason kReasons[] = {
    {checked::labels(Label::GpuAlloc, Label::GpuFree), "it allocates device memory"},
    {checked::labels(Label::TransferD2H), "it transfers to host memory, which the host reads when it returns"},
    {checked::labels(Label::TransferH2D), "it transfers from host memory, which is the caller's again when it returns"},
    {checked::labels(Label::Spawn, Label::Join), "it queues work of its own or starts a task"},
    {checked::labels(Label::Io), "it does I/O"},
    {checked::labels(Label::Mmio), "it reaches the machine's memory"},
    {checked::labels(Label::Asm, Label::AsmX86_64, Label::AsmAarch64), "it runs assembly of the host"},
    {checked::labels(Label::IndirectCall, Label::Dispatch), "it calls through a value"},
    {checked::labels(Label::Lock), "it locks a mutex"},
};

/// Looks for atomic updates in the host code of a function and of what that calls.
class HostUpdates {
 public:
  bool found_from(const Function& start) {
    reach(start);
    while (!pending_.empty() && !found_) {
      const Function& function = *pending_.back();
      pending_.pop_back();
      if (function.body != nullptr) block(*function.body);
    }
    return found_;
  }

 private:
  void reach(const Function& function) {
    if (seen_.insert(&function).second) pending_.push_back(&function);
  }

  void block(const checked::Block& body) {
    checked::for_each_statement(body, [&](const checked::Stmt& statement) {
      const bool on_device = checked::is_device_region(statement);
      checked::for_each_part(
          statement, [&](const Expr& value) { expression(value); }, [](const checked::Block&) {},
          [&](const Function& lane) {
            if (!on_device) reach(lane);
          });
    });
  }

  void expression(const Expr& root) {
    std::vector<const Expr*> operands{&root};  // chains may be of any length
    while (!operands.empty()) {
      const Expr& at = *operands.back();
      operands.pop_back();
      if (at.kind == ExprKind::Call) reach(*at.as<checked::CallExpr>().callee);
      if (at.kind == ExprKind::Closure) reach(*at.as<checked::ClosureExpr>().body);
      if (at.kind == ExprKind::Concurrent) {
        const checked::ConcurrentOp op = at.as<checked::ConcurrentExpr>().op;
        found_ = found_ || checked::is_atomic(op) || checked::is_element_update(op);
      }
      checked::for_each_operand(at, [&](const Expr& operand) { operands.push_back(&operand); });
    }
  }

  std::unordered_set<const Function*> seen_;
  std::vector<const Function*> pending_;
  bool found_ = false;
};

}  // namespace

std::string reason_not_to_enqueue(const Function& function, const NameTable& names) {
  const checked::Row& row = *function.row;
  for (const Reason& reason : kReasons) {
    if (row.has_any(reason.labels)) return reason.text;
  }
  const auto is_foreign = [&](Name label) { return names.text(label).starts_with("ffi:"); };
  if (std::ranges::any_of(row.others, is_foreign)) return "it calls foreign code";
  if (row.has(Label::Atomic) && HostUpdates().found_from(function)) return "it updates host memory atomically";
  for (const checked::Local* parameter : function.parameters) {
    const Type* type = parameter->type;
    if (type->is(TypeKind::View) && type->placement == Placement::Unified) {
      return "it is lent unified memory, which the host may read at any time";
    }
  }
  return {};
}

}  // namespace cairn
