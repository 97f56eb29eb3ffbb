// Loops and match (syntax and values, 1.9.3, 1.11.3 and 1.11.4; ownership and memory, 5.6 and 5.7).
#include <algorithm>

#include "frontend/check/body_checker.hpp"
#include "frontend/check/flow_join.hpp"
#include "frontend/check/syntax_paths.hpp"

namespace cairn {

using checked::ExprKind;
using checked::Local;
using checked::LocalKind;
using checked::StmtKind;

/// The body of a loop in the scope of its binder, and what it may not do to names from outside.
const checked::Block* BodyChecker::loop_body(const syntax::Block& body, std::span<const checked::Stmt* const> prelude,
                                             const ScopeMarks& marks, const OwnerSet& before, std::uint32_t outer_slots,
                                             Position loop) {
  const std::size_t outer_linear = frame_->loop_linear;
  frame_->loop_linear = marks.linear;
  ++frame_->loops;
  // What the body lends a group from outside is compared with all that the body touches.
  const std::size_t leases = leases_.size();
  std::vector<PlaceTouch> touches;
  std::vector<PlaceTouch>* const outer_touches = loop_touches_;
  const bool has_group =
      std::ranges::any_of(linear_, [](const Local* local) { return local->type->is(TypeKind::Group); });
  if (has_group) loop_touches_ = &touches;
  Flow flow = Flow::Falls;
  const checked::Block* made = scoped_block(body, prelude, marks, flow);
  loop_touches_ = outer_touches;
  if (outer_touches != nullptr) outer_touches->insert(outer_touches->end(), touches.begin(), touches.end());
  require_loop_leases(leases, touches);
  --frame_->loops;
  frame_->loop_linear = outer_linear;
  if (flow == Flow::Returns) {
    dead_ = before;
  } else {
    require_no_outer_moved(before, outer_slots, loop, "loop");
  }
  return made;
}

const checked::Stmt* BodyChecker::while_loop(const syntax::WhileStmt& statement) {
  const OwnerSet before = dead_;
  const std::uint32_t outer = next_slot_;
  auto& made = make<checked::WhileStmt>(StmtKind::While, statement.position);
  made.condition = value_of(*statement.condition, types().bool_type());
  const OwnerSet tested = dead_;
  made.body = loop_body(*statement.body, {}, scope_marks(), tested, outer, statement.position);
  require_no_outer_moved(before, outer, statement.position, "loop");
  return &made;
}

const checked::Stmt* BodyChecker::index_loop(const syntax::ForRangeStmt& statement) {
  const Position at = statement.position;
  auto& made = make<checked::ForStmt>(StmtKind::For, at);
  if (statement.lo != nullptr) made.lo = value_of(*statement.lo, types().usize());
  made.hi = value_of(*statement.hi, types().usize());
  const ScopeMarks marks = scope_marks();
  const OwnerSet before = dead_;
  const std::uint32_t outer = next_slot_;
  made.binder = declare(statement.binder.name, types().usize(), LocalKind::LoopBinder, false, at);
  facts_.binds(*made.binder, made.lo, made.hi);
  made.body = loop_body(*statement.body, {}, marks, before, outer, at);
  return &made;
}

const checked::Stmt* BodyChecker::element_loop(const syntax::ForEachStmt& statement) {
  const Position at = statement.position;
  const syntax::Expr& subject = *statement.subject;
  const auto refuse_subject = [&](std::string message) {
    refuse(Code::ElementLoop, subject.position, std::move(message));
  };
  if (subject.kind == syntax::ExprKind::Part) {
    refuse_subject("An element loop does not walk a part: write for i in lo..hi and index inside it.");
  }
  Node walked = walk(subject, nullptr);
  bool is_chain = walked->is_place();
  for (Node node = walked; is_chain && node->kind != ExprKind::Local; node = node->as<checked::FieldExpr>().base) {
    is_chain = node->kind == ExprKind::Field;
  }
  const bool lends = walked->type->is(TypeKind::Record) && walked->type->record->lends.carrier >= 0;
  const Type* element = element_type(walked->type);
  if (element == nullptr && !lends) {
    refuse_subject(walked->type->is_integer() ? "A count has no elements: write 0..n for an index loop."
                                              : "A " + std::string(walked->type->name) + " has no elements to walk.");
  }
  if (!is_chain) {
    refuse_subject(walked->is_place()
                       ? "An element loop walks a name or a field path: write the index loop for this place."
                       : "An element loop walks a name or a field path: bind this to a name with let first.");
  }
  Node array = walked;
  Node start = nullptr;
  auto& made = make<checked::ForStmt>(StmtKind::For, at);
  if (lends) {
    require_fields_accessible(walked->type, subject.position);
    const Lends& lent = walked->type->record->lends;
    const auto bound = [&](const LendBound& each) -> Node {
      if (each.field < 0) return integer_node(each.literal, types().usize(), subject.position);
      return as_value(field_at(walked, static_cast<std::uint32_t>(each.field), subject.position));
    };
    array = field_at(walked, static_cast<std::uint32_t>(lent.carrier), subject.position);
    element = array->type->element;
    made.hi = bound(lent.hi);
    if (lent.lo.field >= 0 || lent.lo.literal != 0) {
      auto& count = make<checked::BinaryExpr>(ExprKind::Binary, types().usize(), subject.position);
      count.op = syntax::BinaryOp::Subtract;
      count.left = made.hi;
      count.right = bound(lent.lo);
      made.hi = &count;
      start = bound(lent.lo);
    }
  } else {
    made.hi = length_of(array, subject.position);
  }
  if (!element->is_copy()) {
    refuse_subject("Elements of type " + std::string(element->name) + " cannot be copied: write the index loop.");
  }
  require_side(array->type, array, subject.position);

  const ScopeMarks marks = scope_marks();
  const OwnerSet before = dead_;
  const std::uint32_t outer = next_slot_;
  const Name index = statement.has_index ? statement.index.name : shared_.blank;
  made.binder = declare(index, types().usize(), LocalKind::LoopBinder, false, at);
  facts_.binds(*made.binder, nullptr, made.hi);
  auto& position = make<checked::LocalExpr>(ExprKind::Local, types().usize(), subject.position);
  position.local = made.binder;
  auto& read = make<checked::LoadExpr>(ExprKind::Load, types().usize(), subject.position);
  read.place = &position;
  auto& place = make<checked::ElementExpr>(ExprKind::Element, element, subject.position);
  place.base = array;
  place.index = &read;
  if (start != nullptr) {
    auto& sum = make<checked::BinaryExpr>(ExprKind::Binary, types().usize(), subject.position);
    sum.op = syntax::BinaryOp::Add;
    sum.left = start;
    sum.right = &read;
    place.index = &sum;
  }
  auto& let = make<checked::LetStmt>(StmtKind::Let, at);
  let.value = as_value(&place);
  let.local = declare(statement.binder.name, element, LocalKind::LoopBinder, false, at);
  const checked::Stmt* prelude[] = {&let};
  made.body = loop_body(*statement.body, prelude, marks, before, outer, at);
  return &made;
}

// -------------------------------------------------------------------------------------------------------------- match

const checked::Stmt* BodyChecker::match(const syntax::MatchStmt& statement, Flow& flow) {
  const Position at = statement.position;
  Node subject = walk(*statement.subject, nullptr);
  require_not_only_computed(subject, at);
  const Type* type = subject->type;
  if (!type->is(TypeKind::Sum)) {
    refuse(Code::MatchType, at, "match needs a sum, and this is " + std::string(type->name) + ".");
  }
  auto& made = make<checked::MatchStmt>(StmtKind::Match, at);
  made.subject = as_value(subject);

  const auto variants = type->sum->variants;
  const auto variant_of = [&](const syntax::MatchArm& arm) {
    std::uint32_t index = 0;
    while (index < variants.size() && variants[index].name != arm.variant.last()) ++index;
    return index;
  };
  for (const syntax::MatchArm& arm : statement.arms) require_qualifier(arm, type, at);
  std::vector<bool> covered(variants.size());
  std::string unknown;
  for (const syntax::MatchArm& arm : statement.arms) {
    const std::uint32_t index = variant_of(arm);
    if (index == variants.size()) {
      unknown += (unknown.empty() ? "" : ", ") + std::string(checker_.text(arm.variant.last()));
      continue;
    }
    if (covered[index]) refuse(Code::MatchDuplicate, at, "Variant " + quoted(arm.variant.last()) + " has two arms.");
    covered[index] = true;
  }
  std::string missing;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    if (!covered[i]) missing += (missing.empty() ? "" : ", ") + std::string(checker_.text(variants[i].name));
  }
  if (!missing.empty() || !unknown.empty()) {
    std::string message = "The arms must name the variants of " + std::string(type->name) + " once each.";
    if (!missing.empty()) message += " Missing: " + missing + ".";
    if (!unknown.empty()) message += " Unknown: " + unknown + ".";
    refuse(Code::MatchCoverage, at, std::move(message));
  }

  std::vector<checked::MatchArm> arms;
  FlowJoin join(*this);
  for (const syntax::MatchArm& arm : statement.arms) {
    join.begin();
    Flow each = Flow::Falls;
    arms.push_back(match_arm(arm, variant_of(arm), variants[variant_of(arm)].payload, each));
    join.end(each);
  }
  flow = join.finish(at);
  made.arms = checker_.arena().copy(std::span<const checked::MatchArm>(arms));
  return &made;
}

/// A qualified arm names the sum: a qualifier that is no visible type is E-UNBOUND at the arm.
void BodyChecker::require_qualifier(const syntax::MatchArm& arm, const Type* type, Position match) {
  if (!arm.variant.dotted()) {
    if (!checker_.accessible(*type->sum->declaration, scope_.module)) {
      checker_.refuse_private(*type->sum->declaration, arm.position, "; so are its variants");
    }
    return;
  }
  std::vector<Name> qualifier;
  for (const syntax::Identifier& segment : arm.variant.segments) qualifier.push_back(segment.name);
  qualifier.pop_back();
  const StaticArgument* argument = qualifier.size() == 1 ? scope_.find(qualifier.front()) : nullptr;
  if (argument != nullptr && argument->type == type) return;
  const Symbol symbol = checker_.resolve(qualifier, scope_.module, kWantType, arm.position);
  if (symbol.kind == Symbol::Kind::Sum && symbol.declaration == type->sum->declaration) return;
  if (!symbol) {
    refuse(Code::Unbound, arm.position,
           "No type is called " + quoted(qualifier.back()) + "; the sum here is " + std::string(type->name) + ".");
  }
  refuse(Code::MatchCoverage, match,
         quoted(qualifier.back()) + " is not the sum matched here, " + std::string(type->name) + ".");
}

checked::MatchArm BodyChecker::match_arm(const syntax::MatchArm& arm, std::uint32_t variant, const Type* payload,
                                         Flow& flow) {
  if (arm.has_binder != (payload != nullptr)) {
    refuse(Code::MatchBinding, arm.position,
           quoted(arm.variant.last()) + (payload != nullptr ? " carries a value: bind it to one name."
                                                            : " carries no value, so it binds no name."));
  }
  checked::MatchArm made;
  made.variant = variant;
  const ScopeMarks marks = scope_marks();
  if (arm.has_binder) {
    if (is_blank(arm.binder.name)) {
      require_not_lost(payload, arm.position);
      made.drops_payload = true;
    } else {
      made.binder = declare(arm.binder.name, payload, LocalKind::PayloadBinder, false, arm.position);
    }
  }
  const Local* binder = made.binder;
  made.body = scoped_block(*arm.body, {}, marks, flow);
  if (binder != nullptr && flow == Flow::Falls && payload->ownership == Ownership::Linear &&
      !dead_.contains(binder->slot)) {
    refuse(Code::LinearLeak, arm.position, quoted(binder->name) + " is linear and its arm ends without consuming it.");
  }
  return made;
}

}  // namespace cairn
