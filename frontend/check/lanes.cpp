// What lanes may do (concurrency, 7.1 to 7.4 and 11.3).
#include "frontend/check/lanes.hpp"

#include <algorithm>
#include <unordered_map>

#include "frontend/check/body_checker.hpp"
#include "frontend/check/breakable_rule.hpp"
#include "frontend/check/lane_effects.hpp"

namespace cairn {

using checked::ExprKind;
using checked::Local;

bool BodyChecker::is_outside_lane(const Local& local) const {
  for (const Frame* frame = frame_; frame != nullptr; frame = frame->outer) {
    if (frame->function == local.owner) return false;
    if (frame->is_lane) return true;
  }
  return true;
}

namespace {

/// The element step of a place that is nearest to its root; null when there is none.
const checked::ElementExpr* first_element(Node place) {
  const checked::ElementExpr* found = nullptr;
  for (; place != nullptr; place = place_base(place)) {
    if (place->kind == ExprKind::Element) found = &place->as<checked::ElementExpr>();
  }
  return found;
}

/// The name a place starts from, as written.
Position root_position(Node place) {
  while (const Node base = place_base(place)) place = base;
  return place->position;
}

/// Whether a place is reached through a field.
bool has_field(Node place) {
  while (place != nullptr && place->kind != ExprKind::Field) place = place_base(place);
  return place != nullptr;
}

}  // namespace

/// The stride at which an element lies in the lane's block.
std::optional<std::uint64_t> BodyChecker::lane_stride(Node element) {
  return facts_.stride_of(element->as<checked::ElementExpr>().index, *lane_->binder);
}

/// E-PARALLEL-WRITE: what is no element is one place for all lanes.
void BodyChecker::require_lane_may_write(Node place) {
  const Local* root = root_local(place);
  if (lane_ == nullptr || root == nullptr || !is_outside_lane(*root) || first_element(place) != nullptr) return;
  refuse(Code::ParallelWrite, root_position(place),
         quoted(root->name) + " is one place for all lanes, so a lane cannot assign it: write an element, or reduce.");
}

void BodyChecker::record_lane_touch(Node place, Touch touch, Position at) {
  const Local* root = root_local(place);
  if (root == nullptr || touch == Touch::Header || touch == Touch::Move || !is_outside_lane(*root)) return;
  const checked::ElementExpr* element = first_element(place);
  if (element == nullptr) {
    if (touch == Touch::Write) require_lane_may_write(place);
    return;
  }
  if (lane_->binder == nullptr) return;
  lane_->accesses.push_back({root, lane_stride(element), touch == Touch::Write, at});
}

void BodyChecker::record_lane_lend(Node lent, bool writes, Position at) {
  const Local* root = root_local(lent);
  if (root == nullptr || !is_outside_lane(*root)) return;
  LaneAccess access{root, std::nullopt, writes, at};
  if (lane_->binder == nullptr) {
    const bool is_value = lent->is_place() && lent->type->is_copy() && element_type(lent->type) == nullptr;
    if (writes && is_value && first_element(lent) == nullptr) require_lane_may_write(lent);
    return;
  }
  if (lent->kind == ExprKind::Part) {
    const auto& part = lent->as<checked::PartExpr>();
    const bool is_plain =
        part.base->kind != ExprKind::Part && !has_field(part.base) && first_element(part.base) == nullptr;
    if (is_plain) access.stride = facts_.stride_of(part.lo, part.hi, *lane_->binder);
  } else if (const checked::ElementExpr* element = first_element(lent)) {
    if (!has_field(element->base)) access.stride = lane_stride(element);
  } else if (writes && lent->is_place() && lent->type->is_copy() && element_type(lent->type) == nullptr) {
    return require_lane_may_write(lent);
  }
  lane_->accesses.push_back(access);
}

void BodyChecker::record_atomic_update(Node element) {
  const Local* root = root_local(element);
  if (root == nullptr || !is_outside_lane(*root) || lane_->binder == nullptr) return;
  lane_->atomics.push_back({root, std::nullopt, true, element->position});
}

// ------------------------------------------------------------------------------------------------- the complete body

void BodyChecker::judge_lane(LaneRecord& lane, Position region) {
  require_lane_effects(*lane.function, lane.device, region);
  require_not_mixed(lane);
  require_own_elements(lane);
}

/// E-PARALLEL-CALL at the region: what its body does itself; callees are judged when every row is known.
void BodyChecker::require_lane_effects(const checked::Function& lane, bool device, Position region) {
  const std::string effects = checked::effects_no_lane_has(checker_, lane, device);
  if (effects.empty()) return;
  refuse(Code::ParallelCall, region, std::string(device ? "A device lane" : "A lane") + " cannot " + effects + ".");
}

void BodyChecker::require_not_mixed(const LaneRecord& lane) {
  for (const LaneAccess& access : lane.accesses) {
    const auto update = std::ranges::find(lane.atomics, access.root, &LaneAccess::root);
    if (update == lane.atomics.end()) continue;
    const auto line = checker_.compilation().sources.locate(update->at).line;
    const auto here = checker_.compilation().sources.locate(access.at).line;
    refuse(Code::AtomicMixed, access.at,
           quoted(access.root->name) + " is updated atomically on line " + std::to_string(line) +
               " and touched plainly on line " + std::to_string(here) +
               " of one region: keep it atomic there, and read it afterwards.");
  }
}

/// E-PARALLEL-RACE: lanes touch what any of them writes only at elements of their own, all at one stride.
void BodyChecker::require_own_elements(const LaneRecord& lane) {
  if (is_broken("lanes")) return;
  std::unordered_map<const Local*, const LaneAccess*> first;  // of each written root, once it is met
  for (const auto* list : {&lane.accesses, &lane.atomics}) {
    for (const LaneAccess& access : *list) {
      if (access.writes) first.emplace(access.root, nullptr);
    }
  }
  for (const LaneAccess& access : lane.accesses) {
    const auto seen = first.find(access.root);
    if (seen == first.end()) continue;
    const LaneAccess*& met = seen->second;
    if (access.stride && met == nullptr) met = &access;
    if (access.stride && access.stride == met->stride) continue;
    const std::string name(checker_.text(access.root->name));
    const std::string binder(checker_.text(lane.binder->name));
    std::string message = "Lanes write " + name + ", and this may be another lane's element";
    if (access.stride) {
      message = "Lanes own elements of " + name + " in blocks of " + std::to_string(*met->stride) +
                " elsewhere, and here in blocks of " + std::to_string(*access.stride);
    }
    refuse(Code::ParallelRace, access.at,
           message + ": touch only " + name + "[" + binder + "], or " + name + "[" + binder +
               " * S + j] with j below one constant S.");
  }
}

}  // namespace cairn
