// Expressions of a cooperative body, evaluated for all threads at once (devices, 12.2).
#include "frontend/check/layouts.hpp"
#include "frontend/check/phase_run.hpp"
#include "frontend/check/place_paths.hpp"
#include "frontend/check/tree_walk.hpp"

namespace cairn::phase {

using checked::Builtin;
using checked::ConcurrentOp;
using checked::ExprKind;
using checked::LocalKind;
using syntax::BinaryOp;

namespace {

using Kind = Value::Kind;

bool is_symbolic(const Value& value) { return value.is(Kind::Number) || value.is(Kind::Symbol); }

std::string_view spelling(BinaryOp op) {
  switch (op) {
    case BinaryOp::Divide:
      return "/";
    case BinaryOp::Remainder:
      return "%";
    case BinaryOp::And:
      return "&";
    case BinaryOp::Or:
      return "|";
    default:
      return "^";
  }
}

struct BuiltinRow {
  Builtin builtin;
  std::string_view name;
  Value (*of)(std::uint64_t left, std::uint64_t right);
};
constexpr BuiltinRow kBuiltins[] = {
    {Builtin::Min, "min", [](std::uint64_t a, std::uint64_t b) { return number(a < b ? a : b); }},
    {Builtin::Max, "max", [](std::uint64_t a, std::uint64_t b) { return number(a < b ? b : a); }},
    {Builtin::AddWrap, "add_wrap", [](std::uint64_t a, std::uint64_t b) { return number(a + b); }},
    {Builtin::SubWrap, "sub_wrap", [](std::uint64_t a, std::uint64_t b) { return number(a - b); }},
    {Builtin::MulWrap, "mul_wrap", [](std::uint64_t a, std::uint64_t b) { return number(a * b); }},
    {Builtin::Shr, "shr", [](std::uint64_t a, std::uint64_t b) { return b > 63 ? kTrap : number(a >> b); }},
    {Builtin::ShlWrap, "shl_wrap", [](std::uint64_t a, std::uint64_t b) { return b > 63 ? kTrap : number(a << b); }},
};

}  // namespace

template <class Operation>
Vec PhaseRun::map(const Vec& left, const Vec& right, Operation operation) {
  if (left.is_single() && right.is_single()) {
    steps(1);
    return Vec(operation(left.single(), right.single()), left.uniform() && right.uniform());
  }
  steps(threads_);
  std::vector<Value> each(threads_);
  for (std::size_t t = 0; t < threads_; ++t) each[t] = operation(left[t], right[t]);
  return Vec(std::move(each));
}

template <class Operation>
Vec PhaseRun::map(const Vec& operand, Operation operation) {
  return map(operand, operand, [&](const Value& value, const Value&) { return operation(value); });
}

// ---------------------------------------------------------------------------------------------------------- operators

Value PhaseRun::arithmetic(BinaryOp op, const Value& left, const Value& right) {
  if (left.is(Kind::Trap) || right.is(Kind::Trap)) return kTrap;
  if (!is_symbolic(left) || !is_symbolic(right)) return kUnknown;
  switch (op) {
    case BinaryOp::Add:
      return polynomials_.add(left, right);
    case BinaryOp::Subtract:
      return polynomials_.subtract(left, right);
    case BinaryOp::Multiply:
      return polynomials_.multiply(left, right);
    default:
      break;
  }
  if (left.is(Kind::Symbol) || right.is(Kind::Symbol)) return polynomials_.opaque(spelling(op), left, right);
  switch (op) {
    case BinaryOp::Divide:
      return right.bits == 0 ? kTrap : number(left.bits / right.bits);
    case BinaryOp::Remainder:
      return right.bits == 0 ? kTrap : number(left.bits % right.bits);
    case BinaryOp::And:
      return number(left.bits & right.bits);
    case BinaryOp::Or:
      return number(left.bits | right.bits);
    case BinaryOp::Xor:
      return number(left.bits ^ right.bits);
    default:
      return kUnknown;
  }
}

Value PhaseRun::compare(BinaryOp op, const Value& left, const Value& right) {
  if (left.is(Kind::Trap) || right.is(Kind::Trap)) return kTrap;
  const bool is_equality = op == BinaryOp::Equal || op == BinaryOp::NotEqual;
  if (left.is(Kind::Bool) && right.is(Kind::Bool) && is_equality) {
    return truth((left.bits == right.bits) == (op == BinaryOp::Equal));
  }
  if (!is_symbolic(left) || !is_symbolic(right)) return kUnknown;
  int order = 0;  // of left against right
  if (left.is(Kind::Number) && right.is(Kind::Number)) {
    order = left.bits < right.bits ? -1 : left.bits > right.bits ? 1 : 0;
  } else {
    if (left.kind != right.kind || left.key != right.key) return kUnknown;
    order = left.offset() < right.offset() ? -1 : left.offset() > right.offset() ? 1 : 0;
  }
  switch (op) {
    case BinaryOp::Equal:
      return truth(order == 0);
    case BinaryOp::NotEqual:
      return truth(order != 0);
    case BinaryOp::Less:
      return truth(order < 0);
    case BinaryOp::LessEqual:
      return truth(order <= 0);
    case BinaryOp::Greater:
      return truth(order > 0);
    case BinaryOp::GreaterEqual:
      return truth(order >= 0);
    default:
      return kUnknown;
  }
}

Vec PhaseRun::apply(BinaryOp op, const Type* type, const Vec& left, const Vec& right) {
  const bool is_comparison = op >= BinaryOp::Equal;
  const bool is_followed = type->is(TypeKind::Usize) || (is_comparison && type->is(TypeKind::Bool));
  if (!is_followed) {
    steps(1);
    return unknown(left.uniform() && right.uniform());
  }
  return map(left, right,
             [&](const Value& a, const Value& b) { return is_comparison ? compare(op, a, b) : arithmetic(op, a, b); });
}

Vec PhaseRun::eval_binary(const Expr& e, const Mask& mask) {
  // A chain of left operands may be of any length.
  std::vector<const checked::BinaryExpr*> chain;
  const Expr* first = &e;
  for (; first->kind == ExprKind::Binary; first = first->as<checked::BinaryExpr>().left) {
    chain.push_back(&first->as<checked::BinaryExpr>());
  }
  Vec value = eval(*first, mask);
  for (; !chain.empty(); chain.pop_back()) {
    const checked::BinaryExpr& binary = *chain.back();
    const Vec right = eval(*binary.right, mask);
    value = apply(binary.op, binary.left->type, value, right);
  }
  return value;
}

/// `a && b`: false where a is false, b where a is true; unknown a: false where b is false or traps. `||` dually.
Vec PhaseRun::eval_logical(const checked::LogicalExpr& e, const Mask& mask) {
  std::vector<const checked::LogicalExpr*> chain;
  const Expr* first = &e;
  for (; first->kind == ExprKind::Logical; first = first->as<checked::LogicalExpr>().left) {
    chain.push_back(&first->as<checked::LogicalExpr>());
  }
  Vec left = eval(*first, mask);
  for (; !chain.empty(); chain.pop_back()) {
    const bool is_and = chain.back()->is_and;
    // A right operand that no thread evaluates reads nothing.
    const Mask goes_on = restrict(mask, left, is_and);
    const Vec right = goes_on.is_nobody() ? unknown(true) : eval(*chain.back()->right, goes_on);
    left = map(left, right, [is_and](const Value& a, const Value& b) {
      const Value settled = truth(!is_and);
      if (a.is(Kind::Trap)) return kTrap;
      if (a.is(Kind::Bool)) return a == settled ? settled : b;
      return b == settled || b.is(Kind::Trap) ? settled : kUnknown;
    });
  }
  return left;
}

// -------------------------------------------------------------------------------------------------------- expressions

Vec PhaseRun::eval_operands(const Expr& e, const Mask& mask) {
  bool uniform = true;
  checked::for_each_operand(e, [&](const Expr& operand) { uniform = eval(operand, mask).uniform() && uniform; });
  return unknown(uniform);
}

Vec PhaseRun::eval(const Expr& e, const Mask& mask) {
  steps(1);
  switch (e.kind) {
    case ExprKind::Integer:
      return e.type->is(TypeKind::Usize) ? Vec(number(e.as<checked::IntegerExpr>().bits)) : unknown(true);
    case ExprKind::Bool:
      return Vec(truth(e.as<checked::BoolExpr>().value));
    case ExprKind::Load:
      return eval(*e.as<checked::LoadExpr>().place, mask);
    case ExprKind::Local: {
      const Local& local = *e.as<checked::LocalExpr>().local;
      if (local.owner == body_.body) return env_[local.index];
      return e.type->is(TypeKind::Usize) ? Vec(polynomials_.name(local)) : unknown(true);
    }
    case ExprKind::Element:
      return eval_element(e.as<checked::ElementExpr>(), mask);
    case ExprKind::Unary: {
      const Vec operand = eval(*e.as<checked::UnaryExpr>().operand, mask);
      if (e.as<checked::UnaryExpr>().op != checked::UnaryOp::Not) return unknown(operand.uniform());
      return map(operand, [](const Value& value) {
        return value.is(Kind::Bool) ? truth(value.bits == 0) : value.is(Kind::Trap) ? kTrap : kUnknown;
      });
    }
    case ExprKind::Binary:
      return eval_binary(e, mask);
    case ExprKind::Logical:
      return eval_logical(e.as<checked::LogicalExpr>(), mask);
    case ExprKind::Convert: {
      const Expr& operand = *e.as<checked::ConvertExpr>().operand;
      const Vec value = eval(operand, mask);
      const bool is_same = e.type->is(TypeKind::Usize) && operand.type->is(TypeKind::Usize);
      return is_same ? value : unknown(value.uniform());
    }
    case ExprKind::Builtin: {
      const auto& call = e.as<checked::BuiltinExpr>();
      for (const BuiltinRow& row : kBuiltins) {
        if (row.builtin != call.builtin || !e.type->is(TypeKind::Usize)) continue;
        const Vec left = eval(*call.arguments[0], mask);
        const Vec right = eval(*call.arguments[1], mask);
        return map(left, right, [&](const Value& a, const Value& b) {
          if (a.is(Kind::Trap) || b.is(Kind::Trap)) return kTrap;
          if (!is_symbolic(a) || !is_symbolic(b)) return kUnknown;
          if (a.is(Kind::Number) && b.is(Kind::Number)) return row.of(a.bits, b.bits);
          return polynomials_.opaque(row.name, a, b);
        });
      }
      return eval_operands(e, mask);
    }
    case ExprKind::Length:
      return length_of(*e.as<checked::LengthExpr>().of, mask);
    case ExprKind::LayoutQuery:
      return eval_layout(e.as<checked::LayoutQueryExpr>(), mask);
    case ExprKind::Call:
      return eval_call(e.as<checked::CallExpr>(), mask);
    case ExprKind::CallValue: {
      const auto& call = e.as<checked::CallValueExpr>();
      for (const Expr* argument : call.arguments) lend(*argument, false, mask);
      return unknown(false);
    }
    case ExprKind::CallDyn: {
      const auto& call = e.as<checked::CallDynExpr>();
      for (std::size_t k = 0; k < call.arguments.size(); ++k) {
        const Expr& argument = k == call.receiver_index ? *call.receiver : *call.arguments[k];
        lend(argument, argument.type->is(TypeKind::View) && argument.type->mode == BorrowMode::Rw, mask);
      }
      return unknown(false);
    }
    case ExprKind::Concurrent:
      return eval_concurrent(e.as<checked::ConcurrentExpr>(), mask);
    case ExprKind::Take: {
      const Vec value = lend(*e.as<checked::TakeExpr>().place, true, mask);
      return unknown(value.uniform());
    }
    case ExprKind::Swap:
      lend(*e.as<checked::SwapExpr>().left, true, mask);
      lend(*e.as<checked::SwapExpr>().right, true, mask);
      return unknown(true);
    case ExprKind::Lend:
    case ExprKind::LendDyn:
    case ExprKind::ViewOf:
    case ExprKind::Part:
    case ExprKind::Closure:
      return lend(e, false, mask);
    default:
      return eval_operands(e, mask);
  }
}

Vec PhaseRun::eval_element(const checked::ElementExpr& e, const Mask& mask) {
  const Local* root = root_local(&e);
  const auto array = root == nullptr ? std::nullopt : array_of(*root);
  if (!array) {
    const bool base = eval(*e.base, mask).uniform();
    const bool index = eval(*e.index, mask).uniform();
    return unknown(base && index);
  }
  Event event;
  event.lo = eval(*e.index, mask);
  event.array = *array;
  event.at = e.position;
  event.time = now_;
  event.mask = mask;
  const bool uniform = event.lo.uniform();
  record(std::move(event));
  return unknown(uniform);
}

Vec PhaseRun::length_of(const Expr& array, const Mask& mask) {
  const Type& type = *array.type;
  if (type.is(TypeKind::Array)) return Vec(number(type.count));
  if (type.is(TypeKind::View) && type.extent.kind == Extent::Kind::Literal) return Vec(number(type.extent.literal));
  if (array.kind == ExprKind::Local) {
    const Local& local = *array.as<checked::LocalExpr>().local;
    if (local.extent != nullptr) {
      return local.extent->owner == body_.body ? env_[local.extent->index] : Vec(polynomials_.name(*local.extent));
    }
    if (local.owner != body_.body) return Vec(polynomials_.length(local));
    return unknown(false);
  }
  return unknown(eval_operands(array, mask).uniform());
}

Vec PhaseRun::eval_layout(const checked::LayoutQueryExpr& e, const Mask& mask) {
  std::vector<Vec> arguments;
  bool uniform = true;
  bool single = true;
  for (const Expr* each : e.arguments) {
    arguments.push_back(eval(*each, mask));
    uniform = uniform && arguments.back().uniform();
    single = single && arguments.back().is_single();
  }
  const checked::LayoutValue& layout = *e.layout;
  const auto of = [&](std::size_t thread) -> Value {
    std::vector<std::uint64_t> given;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const Value& value = arguments[k][thread];
      if (!value.is(Kind::Number)) return value.is(Kind::Trap) ? kTrap : kUnknown;
      const std::uint64_t extent = e.op == checked::LayoutQueryOp::At ? layout.extent(k)
                                   : k == 0                           ? layout.participants()
                                                                      : layout.values();
      if (value.bits >= extent) return kTrap;
      given.push_back(value.bits);
    }
    if (e.op == checked::LayoutQueryOp::At) return number(layout.offset(given));
    const auto [row, column] = layout.coordinate(given[0], given[1]);
    return number(e.op == checked::LayoutQueryOp::Row ? row : column);
  };
  if (single) return Vec(of(0), uniform);
  steps(threads_);
  std::vector<Value> each(threads_);
  for (std::size_t t = 0; t < threads_; ++t) each[t] = of(t);
  return Vec(std::move(each));
}

// -------------------------------------------------------------------------------------------------------------- calls

Vec PhaseRun::eval_call(const checked::CallExpr& e, const Mask& mask) {
  bool uniform = true;
  for (std::size_t k = 0; k < e.arguments.size(); ++k) {
    const Type& type = *e.callee->parameters[k]->type;
    const bool writes = (type.is(TypeKind::View) || type.is(TypeKind::Borrow)) && type.mode == BorrowMode::Rw;
    const bool is_shared_value =
        type.is(TypeKind::Borrow) && (type.element->is(TypeKind::Atomic) || type.element->is(TypeKind::Mutex));
    uniform = lend(*e.arguments[k], writes, mask).uniform() && !is_shared_value && uniform;
  }
  return unknown(uniform);
}

/// Fragments of shared tiles; those of outside views are read freely (numerics, 9.8).
Vec PhaseRun::eval_fragment(const checked::FragmentExpr& e, const Mask& mask) {
  std::vector<Vec> arguments;
  bool uniform = e.op != ConcurrentOp::FragmentGet;
  for (const Expr* argument : e.arguments) {
    arguments.push_back(eval(*argument, mask));
    uniform = arguments.back().uniform() && uniform;
  }
  if (e.receiver == nullptr) return unknown(uniform);
  Event event;
  event.base = Vec(number(0));
  if (e.receiver->kind == ExprKind::Part) {
    Vec end;
    lend_part(e.receiver->as<checked::PartExpr>(), mask, event.base, end);
  }
  const Local* root = root_local(e.receiver);
  const auto array = root == nullptr ? std::nullopt : array_of(*root);
  if (!array) return unknown(uniform);
  event.fragment = &e;
  event.lo = arguments[0];
  event.hi = arguments[1];
  event.array = *array;
  event.writes = e.op == ConcurrentOp::FragmentStore;
  event.of_warp = event.writes && fragment_shape(*e.arguments[2]->type, text_.names).family->is_wmma;
  event.sure = event.writes && !event.of_warp;
  event.at = e.position;
  event.time = event.writes ? now_ + 1 : now_;
  event.mask = mask;
  record(std::move(event));
  return unknown(uniform);
}

Vec PhaseRun::eval_concurrent(const checked::ConcurrentExpr& e, const Mask& mask) {
  if (checked::is_fragment(e.op)) return eval_fragment(e.as<checked::FragmentExpr>(), mask);
  if (checked::is_pipeline_operation(e.op) || checked::is_warp_exchange(e.op)) {
    bool uniform = true;
    for (const Expr* argument : e.arguments) uniform = lend(*argument, false, mask).uniform() && uniform;
    return unknown(uniform);
  }
  if (checked::is_wide_access(e.op)) return eval_wide(e, mask);
  if (!checked::is_element_update(e.op)) {
    for (const Expr* argument : e.arguments) lend(*argument, argument->kind == ExprKind::Lend, mask);
    return unknown(false);
  }
  const auto& element = e.receiver->as<checked::ElementExpr>();
  const Local* root = root_local(&element);
  const auto array = root == nullptr ? std::nullopt : array_of(*root);
  Event event;
  event.lo = eval(*element.index, mask);
  for (const Expr* argument : e.arguments) eval(*argument, mask);
  if (array) {
    event.array = *array;
    event.writes = event.atomic = event.sure = true;
    event.at = element.position;
    event.time = now_ + 1;
    event.mask = mask;
    record(std::move(event));
  }
  return unknown(false);
}

/// A wide access touches the part `x[i .. i + K]`; a store of it is sure.
Vec PhaseRun::eval_wide(const checked::ConcurrentExpr& e, const Mask& mask) {
  const bool stores = e.op == ConcurrentOp::StoreWide;
  Event event;
  event.part = true;
  event.lo = eval(*e.arguments[0], mask);
  const bool uniform = !stores || eval(*e.arguments[1], mask).uniform();
  const std::uint64_t count = stores ? e.arguments[1]->type->count : e.type->count;
  const auto shifted = [&](const Vec& by) {
    return map(event.lo, by, [&](const Value& a, const Value& b) { return arithmetic(BinaryOp::Add, a, b); });
  };
  event.hi = shifted(Vec(number(count)));
  const Local* root = root_local(e.receiver);
  const auto array = root == nullptr ? std::nullopt : array_of(*root);
  if (!array) {
    const Vec base = lend(*e.receiver, stores, mask);
    return unknown(uniform && event.lo.uniform() && base.uniform());
  }
  if (e.receiver->kind == ExprKind::Part) {
    Vec lo;
    Vec hi;
    lend_part(e.receiver->as<checked::PartExpr>(), mask, lo, hi);
    event.lo = shifted(lo);
    event.hi = map(event.lo, Vec(number(count)),
                   [&](const Value& a, const Value& b) { return arithmetic(BinaryOp::Add, a, b); });
  }
  event.array = *array;
  event.writes = event.sure = stores;
  event.at = e.receiver->position;
  event.time = stores ? now_ + 1 : now_;
  event.mask = mask;
  const bool given = uniform && event.lo.uniform();
  record(std::move(event));
  return unknown(given);
}

void PhaseRun::forget(const Expr& place, const Mask& mask) {
  if (const Local* root = root_local(&place)) forget(*root, mask);
}

void PhaseRun::forget(const Local& local, const Mask& mask) {
  if (local.owner != body_.body) return;
  Vec& value = env_[local.index];
  if (mask.is_together()) {
    value = unknown(false);
    return;
  }
  std::vector<Value> each(threads_);
  for (std::size_t t = 0; t < threads_; ++t) each[t] = mask[t] == kNo ? value[t] : kUnknown;
  value = Vec(std::move(each));
}

/// The bounds of a part, in elements of the array it is part of.
void PhaseRun::lend_part(const checked::PartExpr& part, const Mask& mask, Vec& lo, Vec& hi) {
  const auto add = [&](const Vec& left, const Vec& right) {
    return map(left, right, [&](const Value& a, const Value& b) { return arithmetic(BinaryOp::Add, a, b); });
  };
  if (part.base->kind == ExprKind::Part) {
    Vec outer_lo;
    Vec outer_hi;
    lend_part(part.base->as<checked::PartExpr>(), mask, outer_lo, outer_hi);
    lo = add(outer_lo, eval(*part.lo, mask));
    hi = add(outer_lo, eval(*part.hi, mask));
    return;
  }
  lo = eval(*part.lo, mask);
  hi = eval(*part.hi, mask);
}

Vec PhaseRun::lend(const Expr& argument, bool writes, const Mask& mask) {
  if (argument.kind == ExprKind::Lend) {
    const auto& lent = argument.as<checked::LendExpr>();
    return lend(*lent.place, lent.mode == BorrowMode::Rw, mask);
  }
  if (argument.kind == ExprKind::Load || argument.kind == ExprKind::LendTemporary) return eval_operands(argument, mask);
  if (argument.kind == ExprKind::LendDyn) {
    return lend(*argument.as<checked::LendDynExpr>().place, argument.as<checked::LendDynExpr>().mode == BorrowMode::Rw,
                mask);
  }
  if (argument.kind == ExprKind::Closure) {
    for (const Local* captured : argument.as<checked::ClosureExpr>().body->captures) {
      if (captured->is_mutable) forget(*captured, mask);
    }
    return unknown(false);
  }
  const Local* root = argument.kind == ExprKind::Local || argument.kind == ExprKind::Element ||
                              argument.kind == ExprKind::Field || argument.kind == ExprKind::ViewOf ||
                              argument.kind == ExprKind::Part
                          ? root_local(&argument)
                          : nullptr;
  if (root == nullptr) return eval(argument, mask);

  const auto array = array_of(*root);
  if (argument.kind == ExprKind::Element && array) {
    Event event;
    event.lo = eval(*argument.as<checked::ElementExpr>().index, mask);
    event.array = *array;
    event.at = argument.position;
    event.time = now_;
    event.mask = mask;
    const Vec given = unknown(event.lo.uniform());
    Event write = event;
    record(std::move(event));
    if (writes) {
      write.writes = true;
      write.time = now_ + 1;
      record(std::move(write));
    }
    return given;
  }
  bool uniform = true;
  Event event;
  event.part = true;
  if (argument.kind == ExprKind::Part) {
    lend_part(argument.as<checked::PartExpr>(), mask, event.lo, event.hi);
    uniform = event.lo.uniform() && event.hi.uniform();
  } else if (argument.kind == ExprKind::Element || argument.kind == ExprKind::Field) {
    uniform = eval_operands(argument, mask).uniform();
  }
  if (array) {
    if (argument.kind != ExprKind::Part) {
      event.lo = Vec(number(0));
      event.hi = Vec(number(arrays_[*array].length()));
    }
    event.array = *array;
    event.writes = writes;
    event.at = argument.position;
    event.time = writes ? now_ + 1 : now_;
    event.mask = mask;
    record(std::move(event));
    return unknown(uniform);
  }
  if (root->owner == body_.body) uniform = uniform && env_[root->index].uniform();
  if (writes) forget(argument, mask);
  if (argument.kind == ExprKind::Local && !argument.type->is(TypeKind::View)) return eval(argument, mask);
  return unknown(uniform);
}

}  // namespace cairn::phase
