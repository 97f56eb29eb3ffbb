#include "frontend/check/leases.hpp"

#include <algorithm>
#include <iterator>

#include "frontend/check/body_checker.hpp"
#include "frontend/check/breakable_rule.hpp"

namespace cairn {

using checked::ExprKind;
using checked::Local;

namespace {

bool same_base(const LentPlace& left, const LentPlace& right) {
  return left.base != nullptr && right.base != nullptr && same_chain(left.base, right.base);
}

bool same_place(const Lease& left, const Lease& right) {
  return left.holder == right.holder && left.place.rest == right.place.rest &&
         left.place.writes == right.place.writes && left.place.lo == right.place.lo &&
         left.place.hi == right.place.hi && same_base(left.place, right.place);
}

void forget_bounds(Lease& lease) {
  lease.place.lo = {};
  lease.place.hi = {};
}

}  // namespace

void LeaseTable::lend(const Local& holder, const LentPlace& place) {
  const Lease lease{&holder, place};
  if (std::ranges::none_of(leases_, [&](const Lease& each) { return same_place(each, lease); })) {
    leases_.push_back(lease);
  }
}

void LeaseTable::end(const Local& holder) {
  std::erase_if(leases_, [&](const Lease& lease) { return lease.holder == &holder; });
}

std::vector<Lease> LeaseTable::take(std::span<const Local* const> holders) {
  const auto is_held = [&](const Lease& lease) { return std::ranges::find(holders, lease.holder) != holders.end(); };
  std::vector<Lease> taken;
  std::ranges::copy_if(leases_, std::back_inserter(taken), is_held);
  std::erase_if(leases_, is_held);
  return taken;
}

const Lease* LeaseTable::conflict(const PlaceTouch& touch, std::size_t first) const {
  if (touch.place.base == nullptr || first >= leases_.size()) return nullptr;
  std::vector<LentPlace> lent;
  if (touch.place.rest == LentPlace::Rest::Part) {
    lent.reserve(leases_.size() + 1);
    for (const Lease& lease : leases_) lent.push_back(lease.place);
    lent.push_back(touch.place);
  }
  Overlap overlap(touch.place, lent);
  for (std::size_t i = first; i < leases_.size(); ++i) {
    const Lease& lease = leases_[i];
    if (!lease.place.writes && !touch.place.writes) continue;
    if (touch.header && lease.place.rest != LentPlace::Rest::Whole) continue;
    if (overlap.with(lease.place)) return &lease;
  }
  return nullptr;
}

void LeaseTable::join(const LeaseTable& other) {
  const auto has = [](const std::vector<Lease>& list, const Lease& lease) {
    return std::ranges::any_of(list, [&](const Lease& each) { return same_place(each, lease); });
  };
  std::vector<Lease> joined;
  const auto take = [&](const std::vector<Lease>& from, const std::vector<Lease>& against) {
    for (Lease lease : from) {
      if (lease.place.rest == LentPlace::Rest::Part && !has(against, lease)) forget_bounds(lease);
      if (!has(joined, lease)) joined.push_back(lease);
    }
  };
  take(leases_, other.leases_);
  take(other.leases_, leases_);
  leases_ = std::move(joined);
}

void LeaseTable::leave_loop(std::size_t first) {
  for (std::size_t i = first; i < leases_.size(); ++i) forget_bounds(leases_[i]);
}

// ------------------------------------------------------------------------------------------------- touches of a body

/// E-LEASED when a running task holds what is touched.
void BodyChecker::require_not_leased(const PlaceTouch& touch) {
  if (loop_touches_ != nullptr) loop_touches_->push_back(touch);
  if (leases_.empty() || is_broken("leases")) return;
  if (const Lease* lease = leases_.conflict(touch)) refuse_leased(*lease, touch.at, "");
}

void BodyChecker::refuse_leased(const Lease& lease, Position at, std::string_view more) {
  const std::string holder(checker_.text(lease.holder->name));
  refuse(Code::Leased, at,
         place_text(lease.place.base) + " is lent to " + holder + " until wait(" + holder + ")." + std::string(more));
}

namespace {

/// Whether a value of the type holds the elements of an array by value, so that reading it reads them.
bool holds_elements(const Type* type) {
  if (type->is(TypeKind::Array)) return true;
  if (!type->is(TypeKind::Record)) return false;
  return std::ranges::any_of(type->record->fields, [](const RecordField& field) { return holds_elements(field.type); });
}

}  // namespace

/// A touch of a place, as leases see it (4.1).
PlaceTouch BodyChecker::lease_touch(Node place, Touch touch, Position at) {
  PlaceTouch made{place_path(place, touch == Touch::Write || touch == Touch::Move), touch == Touch::Header, at};
  if (touch == Touch::Move) made.place.rest = LentPlace::Rest::Whole;
  // A field read as a value is no more than its header, unless it holds elements itself.
  if (touch == Touch::Read && place->kind == ExprKind::Field && made.place.rest == LentPlace::Rest::Whole) {
    made.header = !holds_elements(place->type);
  }
  return made;
}

/// The places that the arguments of a call lend, owners that move into it among them.
std::vector<LentPlace> BodyChecker::borrowed_places(const checked::CallExpr& call) {
  std::vector<LentPlace> places;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    Node argument = call.arguments[i];
    const Type* type = call.callee->parameters[i]->type;
    if (type->is(TypeKind::View)) {
      LentPlace place = place_path(argument, type->mode == BorrowMode::Rw);
      if (place.rest == LentPlace::Rest::Whole) place.rest = LentPlace::Rest::Elements;
      places.push_back(place);
    } else if (argument->kind == ExprKind::Lend) {
      places.push_back(place_path(argument, argument->as<checked::LendExpr>().mode == BorrowMode::Rw));
    } else if (argument->kind == ExprKind::LendDyn) {
      places.push_back(place_path(argument, argument->as<checked::LendDynExpr>().mode == BorrowMode::Rw));
    } else if (argument->kind == ExprKind::Load && argument->as<checked::LoadExpr>().moves) {
      LentPlace place = place_path(argument, true);
      place.moved = true;
      places.push_back(place);
    }
  }
  std::erase_if(places, [](const LentPlace& place) { return place.base == nullptr; });
  return places;
}

}  // namespace cairn
