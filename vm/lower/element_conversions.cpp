// Loops and regions whose body is `to[i] = T(from[i])`, from a storage float or to one (numerics, 2.3): the elements
// that lie inside both views are converted by one instruction, and the loop does what it left, so that a guard fails
// where and as it would have.
#include <optional>

#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

namespace {

using checked::ConvertExpr;
using checked::ElementExpr;
using checked::Expr;
using checked::ExprKind;
using checked::LoadExpr;
using checked::LocalExpr;
using checked::StmtKind;

const Expr& loaded(const Expr& e) {
  return e.kind == ExprKind::Load && !e.as<LoadExpr>().moves ? *e.as<LoadExpr>().place : e;
}

bool is_local(const Expr& e, const checked::Local& local) {
  const Expr& place = loaded(e);
  return place.kind == ExprKind::Local && place.as<LocalExpr>().local == &local;
}

/// An element at `index` of something that a local holds or names.
bool is_element(const Expr& e, const checked::Local& index) {
  if (e.kind != ExprKind::Element || !is_local(*e.as<ElementExpr>().index, index)) return false;
  const Expr* base = &loaded(*e.as<ElementExpr>().base);
  if (base->kind == ExprKind::ViewOf) base = base->as<checked::ViewOfExpr>().place;
  return base->kind == ExprKind::Local;
}

std::uint64_t storage_number(const Type& type) {
  return static_cast<std::uint64_t>(type.kind) - static_cast<std::uint64_t>(TypeKind::F16);
}

/// The operand of convert.each, when there is such a conversion between two types.
std::optional<std::uint64_t> conversion_number(const Type& to, const Type& from) {
  const bool narrows = to.is_storage_float();
  const Type& storage = narrows ? to : from;
  const Type& other = narrows ? from : to;
  const bool wide = other.is(TypeKind::F64);
  if (!storage.is_storage_float() || !(wide || other.is(TypeKind::F32))) return std::nullopt;
  return storage_number(storage) + (wide ? 4U : 0U) + (narrows ? 8U : 0U);
}

}  // namespace

/// Before the loop over index .. limit, when its body is such a conversion: `index` goes on to the first element that
/// is left, and control to `done` when none is. Device code, which has threads enough, keeps its loops.
void FunctionLowering::convert_each(const checked::Block& body, const checked::Local& binder, Register index,
                                    Register limit, Label done) {
  if (function_.kind == checked::FunctionKind::Lane) {
    const LaneForm& form = module_.lane_form(function_);
    if (form.device || form.kind == LaneForm::Kind::Kernel) return;
  }
  if (body.statements.size() != 1 || body.statements.front()->kind != StmtKind::Assign) return;
  const auto& assignment = body.statements.front()->as<checked::AssignStmt>();
  if (assignment.value->kind != ExprKind::Convert || !is_element(*assignment.place, binder)) return;
  const Expr& operand = loaded(*assignment.value->as<ConvertExpr>().operand);
  if (!is_element(operand, binder)) return;
  const auto number = conversion_number(*assignment.place->type, *operand.type);
  if (!number) return;
  const Mark mark = this->mark();
  const Register to = elements(*assignment.place->as<ElementExpr>().base);
  const Register from = elements(*operand.as<ElementExpr>().base);
  emit(assignment.position, Op::ConvertEach, index, limit, to, from, *number);
  release(mark);
  emit(assignment.position, Op::JumpLeU, limit, index, done);
}

}  // namespace cairn::lower
