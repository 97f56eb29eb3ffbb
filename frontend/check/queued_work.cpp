// Queued device work (devices, 5; concurrency, 5.4): transfers and regions that a ticket stands for. What the tickets
// it comes after hold, it may touch.
#include <algorithm>

#include "frontend/check/body_checker.hpp"
#include "frontend/check/row_labels.hpp"

namespace cairn {

using checked::ExprKind;
using checked::Local;

bool BodyChecker::is_queued_form(const syntax::SpawnExpr& expression) const {
  if (expression.operand == nullptr) return true;
  if (expression.operand->kind != syntax::ExprKind::Call) return false;
  const syntax::Expr& callee = *expression.operand->as<syntax::CallExpr>().callee;
  if (callee.kind != syntax::ExprKind::Name) return false;
  const Name name = callee.as<syntax::NameExpr>().name;
  return checker_.text(name) == "transfer" && !checker_.peek({&name, 1}, scope_.module, kWantFunction);
}

const checked::SpawnExpr& BodyChecker::queued_work(const syntax::SpawnExpr& expression) {
  const Position at = expression.position;
  std::vector<Local*> after;
  std::vector<const Local*> ordered;
  const auto add = [&](const Local* ticket) {
    if (std::ranges::find(ordered, ticket) == ordered.end()) ordered.push_back(ticket);
  };
  for (const syntax::Identifier& name : expression.after) {
    after.push_back(find_local(name.name));
    add(after.back());
    for (const Local* earlier : queued_after_[after.back()]) add(earlier);
  }
  const std::vector<Lease> held = leases_.take(ordered);
  const Type* ticket = types().intrinsic(TypeKind::Ticket, types().void_type(), Placement::Device);
  auto& spawn = make<checked::SpawnExpr>(ExprKind::Spawn, ticket, at);
  spawn.after = checker_.arena().copy(std::span<Local* const>(after));
  if (expression.operand == nullptr) {
    spawn.region = &region(expression.binder, *expression.extent, *expression.body, at);
    if (!spawn.region->device) {
      refuse(Code::Spawn, at, "A host region runs where it stands: put it in a function and spawn that.");
    }
  } else {
    spawn.call = walk(*expression.operand, nullptr);
    const auto& transfer = spawn.call->as<checked::TransferExpr>();
    const auto label = checked::transfer_label(transfer.source->type->placement, transfer.destination->type->placement);
    if (label == checked::Label::TransferH2H) {
      refuse(Code::Spawn, at, "A host transfer is no queued work: put it in a function and spawn that.");
    }
  }
  leases_.add(held);
  return spawn;
}

/// A transfer leases its two ends, a region every array that its lanes touch.
void BodyChecker::lend_queued(const Local& ticket, const checked::SpawnExpr& work) {
  std::vector<const Local*>& ordered = queued_after_[&ticket];
  for (const Local* each : work.after) {
    ordered.push_back(each);
    if (const auto earlier = queued_after_.find(each); earlier != queued_after_.end()) {
      const std::vector<const Local*> through = earlier->second;
      ordered.insert(ordered.end(), through.begin(), through.end());
    }
  }
  if (work.call != nullptr) {
    const auto& transfer = work.call->as<checked::TransferExpr>();
    for (const bool writes : {true, false}) {
      LentPlace place = place_path(writes ? transfer.destination : transfer.source, writes);
      if (place.base == nullptr) continue;
      if (place.rest == LentPlace::Rest::Whole) place.rest = LentPlace::Rest::Elements;
      leases_.lend(ticket, place);
    }
    return;
  }
  for (const checked::RegionAccess& access : work.region->accesses) {
    auto& root = make<checked::LocalExpr>(ExprKind::Local, access.root->type, work.position);
    root.local = const_cast<Local*>(access.root);
    LentPlace place;
    place.base = &root;
    place.rest = LentPlace::Rest::Elements;
    place.writes = access.writes;
    leases_.lend(ticket, place);
  }
}

}  // namespace cairn
