// Moves along paths, linear values, and what a pending `defer` holds (ownership and memory, 7).
#include "frontend/check/body_checker.hpp"
#include "frontend/check/flow_join.hpp"

namespace cairn {

using checked::ExprKind;
using checked::Local;

void BodyChecker::mention(Local& local, Position at) {
  if (local.slot != 0 && dead_.contains(local.slot)) {
    refuse(Code::Moved, at, quoted(local.name) + " was moved before this.");
  }
  if (local.owner != frame_->function) {
    // A closure or lane names an outer local: every body between captures it.
    local.captured = true;
    for (Frame* frame = frame_; frame->function != local.owner; frame = frame->outer) {
      auto& captures = frame->function->captures;
      bool known = false;
      for (const Local* each : captures) known = known || each == &local;
      if (known) break;
      captures.push_back(&local);
    }
    const Type* held = local.type->is(TypeKind::Borrow) ? local.type->element : local.type;
    if (on_device() && !held->is_copy()) {
      refuse(Code::Placement, at, quoted(local.name) + " is a host owner: device code cannot capture it.");
    }
  }
  if (deferring_ != nullptr) deferring_->push_back(&local);
  if (&local == watched_.output) {
    refuse(Code::CollectSelfRead, watched_.compact,
           quoted(local.name) + " is what this compact fills, so its operands cannot name it: read another array.");
  }
}

Node BodyChecker::consume(Node node) {
  const Position at = node->position;
  if (node->kind != ExprKind::Local) {
    refuse(Code::PartialMove, at,
           "A " + std::string(node->type->name) + " cannot be moved out of a field or an element: take or swap it.");
  }
  Local& local = *node->as<checked::LocalExpr>().local;
  const Type* type = node->type;
  if (local.slot != 0 && dead_.contains(local.slot))
    refuse(Code::Moved, at, quoted(local.name) + " was moved before this.");
  switch (type->kind) {
    case TypeKind::Ticket:
    case TypeKind::Group:
    case TypeKind::IoRing:
    case TypeKind::Atomic:
    case TypeKind::Mutex:
      refuse(Code::Pinned, at, std::string(type->name) + " stays where it was declared: lend it, or wait for it.");
    default:
      break;
  }
  return consume_local(local, node);
}

/// The tests of 7.1 that follow the one for pinned types, then the move.
Node BodyChecker::consume_local(Local& local, Node node) {
  const Position at = node->position;
  touch(node, Touch::Move, at);
  for (const Local* each : scheduled_) {
    if (each == &local) {
      refuse(Code::Moved, at, "A pending defer consumes " + quoted(local.name) + " when its block ends.");
    }
  }
  if (local.type->is(TypeKind::Borrow)) {
    refuse(Code::MoveBorrow, at,
           quoted(local.name) + " is borrowed, so it cannot be moved: take or swap its contents.");
  }
  for (const Hold& hold : holds_) {
    if (hold.local != &local) continue;
    const auto line = checker_.compilation().sources.locate(hold.defer).line;
    refuse(Code::Leased, at,
           quoted(local.name) + " is named by the defer of line " + std::to_string(line) +
               ", which runs when its block ends: call before the move, or bind what it reads.");
  }
  if (local.owner != frame_->function) {
    for (Frame* frame = frame_; frame->function != local.owner; frame = frame->outer) {
      if (frame->moved_outer == nullptr) frame->moved_outer = &local;
    }
  }
  local.moved = true;
  if (deferring_ != nullptr && local.slot < deferring_slots_) {
    newly_scheduled_.push_back(&local);
  } else {
    dead_.insert(local.slot);
  }
  auto& load = make<checked::LoadExpr>(ExprKind::Load, node->type, at);
  load.place = node;
  load.moves = true;
  return &load;
}

void BodyChecker::touch(Node place, Touch touch, Position at) {
  if (!leases_.empty() || loop_touches_ != nullptr) require_not_leased(lease_touch(place, touch, at));
  if (lane_ != nullptr) record_lane_touch(place, touch, at);
  if (frame_->outer == nullptr) return;
  const Local* root = root_local(place);
  if (root == nullptr || root->owner == frame_->function) return;
  LentPlace path = place_path(place, touch == Touch::Write || touch == Touch::Move);
  if (touch == Touch::Header && path.rest == LentPlace::Rest::Elements) path.rest = LentPlace::Rest::Whole;
  note_touched(path, *root);
}

void BodyChecker::note_touched(const LentPlace& path, const Local& root) {
  for (Frame* frame = frame_; frame != nullptr && frame->function != root.owner; frame = frame->outer) {
    if (frame->touched == nullptr) continue;
    bool known = false;
    for (const LentPlace& each : *frame->touched) {
      known = known || (each.writes == path.writes && each.rest == path.rest && each.lo == path.lo &&
                        each.hi == path.hi && same_chain(each.base, path.base));
    }
    if (!known) frame->touched->push_back(path);
  }
}

void BodyChecker::note_lent(Node view_or_place, bool writes, Position at, bool is_view) {
  if (!leases_.empty() || loop_touches_ != nullptr) {
    PlaceTouch touch{place_path(view_or_place, writes), false, at};
    // An owner that is lent as a view stands for its elements.
    if (is_view && touch.place.rest == LentPlace::Rest::Whole) touch.place.rest = LentPlace::Rest::Elements;
    require_not_leased(touch);
  }
  if (lane_ != nullptr) record_lane_lend(view_or_place, writes, at);
  Local* root = root_local(view_or_place);
  if (root == nullptr) return;
  if (writes) root->lent_rw = true;
  if (frame_->outer == nullptr || root->owner == frame_->function) return;
  note_touched(place_path(view_or_place, writes), *root);
}

bool BodyChecker::is_consumed(const Local& local) const {
  if (dead_.contains(local.slot)) return true;
  for (const Local* each : scheduled_) {
    if (each == &local) return true;
  }
  return false;
}

void BodyChecker::require_no_live_linear(std::size_t from, Position at) {
  for (std::size_t i = from; i < linear_.size(); ++i) {
    const Local& local = *linear_[i];
    if (local.owner != frame_->function || is_consumed(local)) continue;
    refuse(Code::LinearLeak, at,
           quoted(local.name) + " is linear and would be lost here: consume it, or defer its consumer, on every path.");
  }
}

void BodyChecker::require_no_outer_moved(const OwnerSet& before, std::uint32_t outer_slots, Position at,
                                         std::string_view what) {
  const std::uint32_t slot = dead_.first_beyond(before, outer_slots);
  if (slot == 0) return;
  refuse(
      Code::MoveInLoop, at,
      quoted(owners_[slot]->name) + " comes from outside this " + std::string(what) + " and would move once per run.");
}

// ------------------------------------------------------------------------------------------------------ alternatives

FlowJoin::FlowJoin(BodyChecker& body) : body_(body), before_(body.dead_), leases_before_(body.leases_) {}

void FlowJoin::begin() {
  body_.dead_ = before_;
  body_.leases_ = leases_before_;
}

void FlowJoin::end(Flow flow) {
  if (flow != Flow::Returns) {
    joined_.unite(body_.dead_);
    if (joined_any_) {
      leases_joined_.join(body_.leases_);
    } else {
      leases_joined_ = body_.leases_;
    }
    joined_any_ = true;
  }
  if (flow == Flow::Falls) {
    for (std::size_t i = 0; i < body_.linear_.size(); ++i) {
      const Local& local = *body_.linear_[i];
      const bool consumed = body_.dead_.contains(local.slot);
      if (falls_ && consumed != fallen_.contains(local.slot) && disagreed_ == nullptr) disagreed_ = &local;
    }
    fallen_ = body_.dead_;
    falls_ = true;
  }
  flow_ = first_                                          ? flow
          : flow == flow_                                 ? flow
          : (flow == Flow::Falls || flow_ == Flow::Falls) ? Flow::Falls
                                                          : Flow::Jumps;
  first_ = false;
}

Flow FlowJoin::finish(Position at) {
  body_.dead_ = joined_any_ ? joined_ : before_;
  body_.leases_ = joined_any_ ? std::move(leases_joined_) : std::move(leases_before_);
  if (disagreed_ != nullptr) {
    refuse(Code::LinearBranch, at,
           body_.quoted(disagreed_->name) + " is linear and is consumed on some of these paths only.");
  }
  return flow_;
}

}  // namespace cairn
