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

/// Whether a function updates something atomically in host code, itself or in what its host code calls.
bool updates_on_host(const Function& start) {
  std::unordered_set<const Function*> seen{&start};
  std::vector<const Function*> pending{&start};
  bool found = false;
  while (!pending.empty() && !found) {
    const Function& function = *pending.back();
    pending.pop_back();
    if (function.body == nullptr) continue;
    std::vector<const checked::Block*> blocks{function.body};
    std::vector<const Expr*> expressions;
    while ((!blocks.empty() || !expressions.empty()) && !found) {
      if (!expressions.empty()) {
        const Expr& root = *expressions.back();
        expressions.pop_back();
        if (root.kind == ExprKind::Concurrent) {
          const checked::ConcurrentOp op = root.as<checked::ConcurrentExpr>().op;
          found = checked::is_atomic(op) || checked::is_element_update(op);
        }
        if (root.kind == ExprKind::Call && seen.insert(root.as<checked::CallExpr>().callee).second) {
          pending.push_back(root.as<checked::CallExpr>().callee);
        }
        if (root.kind == ExprKind::Closure) pending.push_back(root.as<checked::ClosureExpr>().body);
        checked::for_each_operand(root, [&](const Expr& operand) { expressions.push_back(&operand); });
        continue;
      }
      const checked::Block& block = *blocks.back();
      blocks.pop_back();
      for (const checked::Stmt* statement : block.statements) {
        const bool on_device = checked::is_device_region(*statement);
        checked::for_each_part(
            *statement, [&](const Expr& value) { expressions.push_back(&value); },
            [&](const checked::Block& nested) { blocks.push_back(&nested); },
            [&](const Function& lane) {
              if (!on_device && lane.body != nullptr) blocks.push_back(lane.body);
            });
      }
    }
  }
  return found;
}

}  // namespace

std::string reason_not_to_enqueue(const Function& function, const NameTable& names) {
  const checked::Row& row = *function.row;
  for (const Reason& reason : kReasons) {
    if (row.has_any(reason.labels)) return reason.text;
  }
  const auto is_foreign = [&](Name label) { return names.text(label).starts_with("ffi:"); };
  if (std::ranges::any_of(row.others, is_foreign)) return "it calls foreign code";
  if (row.has(Label::Atomic) && updates_on_host(function)) return "it updates host memory atomically";
  for (const checked::Local* parameter : function.parameters) {
    const Type* type = parameter->type;
    if (type->is(TypeKind::View) && type->placement == Placement::Unified) {
      return "it is lent unified memory, which the host may read at any time";
    }
  }
  return {};
}

}  // namespace cairn
