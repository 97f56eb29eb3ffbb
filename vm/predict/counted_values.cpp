#include <algorithm>
#include <array>

#include "vm/predict/body_counter.hpp"

namespace cairn::predict {

namespace {

constexpr double kBankBytes = 4;  // of a thread in one wavefront of shared memory

}  // namespace

BodyCounter::Moves BodyCounter::motion(const Expr& of, std::size_t& depth) {
  switch (of.kind) {
    case ExprKind::Integer:
    case ExprKind::Length:
      return Moves::Fixed;
    case ExprKind::Local: {
      const Local* local = of.as<LocalExpr>().local;
      for (std::size_t k = loops_.size(); k-- > 0;) {
        if (loops_[k].binder == local) {
          depth = std::max(depth, k + 1);
          return Moves::WithBinder;
        }
      }
      if (const auto known = motions_.find(local); known != motions_.end()) {
        depth = std::max(depth, known->second.second);
        return known->second.first;
      }
      // A variable that a loop steps moves with that loop.
      if (local->is_mutable && local->type->is_integer() && !loops_.empty()) {
        depth = loops_.size();
        return Moves::WithBinder;
      }
      return Moves::Fixed;
    }
    case ExprKind::Element:
    case ExprKind::Call:
    case ExprKind::CallValue:
    case ExprKind::CallDyn:
      return loops_.empty() ? Moves::Fixed : Moves::WithData;
    default: {
      Moves found = Moves::Fixed;
      const Expr* at = &of;
      for (; at->kind == ExprKind::Binary; at = at->as<BinaryExpr>().left) {  // of any length
        found = std::max(found, motion(*at->as<BinaryExpr>().right, depth));
      }
      if (at != &of) return std::max(found, motion(*at, depth));
      for_each_operand(of, [&](const Expr& operand) { found = std::max(found, motion(operand, depth)); });
      return found;
    }
  }
}

std::optional<std::int64_t> BodyCounter::step(const Expr& of) {
  switch (of.kind) {
    case ExprKind::Integer:
    case ExprKind::Length:
      return 0;
    case ExprKind::Load:
      return step(*of.as<LoadExpr>().place);
    case ExprKind::Convert:
      return step(*of.as<ConvertExpr>().operand);
    case ExprKind::Local: {
      const Local* local = of.as<LocalExpr>().local;
      if (local == loops_.back().binder) return 1;
      if (const auto known = steps_.find(local); known != steps_.end()) {
        return known->second.first == loops_.back().id ? known->second.second : 0;
      }
      return local->is_mutable ? std::nullopt : std::optional<std::int64_t>(0);
    }
    case ExprKind::Binary: {
      const std::vector<const Expr*> operations = checked::left_chain(of);
      std::optional<std::int64_t> sum = step(checked::left_of(*operations.front()));
      for (const Expr* operation : operations) {
        const auto right = step(checked::right_of(*operation));
        if (!sum || !right) return std::nullopt;
        const BinaryOp op = operation->as<BinaryExpr>().op;
        if (op == BinaryOp::Add) {
          *sum += *right;
        } else if (op == BinaryOp::Subtract) {
          *sum -= *right;
        } else if (*sum != 0 || *right != 0) {
          return std::nullopt;
        }
      }
      return sum;
    }
    default: {
      bool is_fixed = true;
      for_each_operand(of, [&](const Expr& operand) { is_fixed = is_fixed && step(operand) == 0; });
      return is_fixed && of.kind == ExprKind::LayoutQuery ? std::optional<std::int64_t>(0) : std::nullopt;
    }
  }
}

const Local* BodyCounter::root_of(const Expr& of) {
  switch (of.kind) {
    case ExprKind::Local:
      return of.as<LocalExpr>().local;
    case ExprKind::Field:
      return root_of(*of.as<FieldExpr>().base);
    case ExprKind::Element:
      return root_of(*of.as<ElementExpr>().base);
    case ExprKind::ViewOf:
      return root_of(*of.as<ViewOfExpr>().place);
    case ExprKind::Part:
      return root_of(*of.as<PartExpr>().base);
    case ExprKind::Load:
      return root_of(*of.as<LoadExpr>().place);
    default:
      return nullptr;
  }
}

bool BodyCounter::is_a_threads(const Expr& of) const {
  return checked::any_expression(of, [&](const Expr& each) {
    return each.kind == ExprKind::Local && of_thread_.contains(each.as<LocalExpr>().local);
  });
}

bool BodyCounter::is_block_memory(const Local* local) {
  return local != nullptr && (local->kind == LocalKind::Shared || local->kind == LocalKind::Pipeline);
}

void BodyCounter::share(double elements, const Type& type) {
  const double wide = std::max(1.0, static_cast<double>(size_of(type)) / kBankBytes);
  if (cooperation_ != nullptr) {
    cooperation_->wavefronts += trips() * Polynomial(elements * wide * cooperation_->threads / kWarp);
  }
}

std::set<const Local*> BodyCounter::binders_of(const Expr& of) const {
  std::set<const Local*> found;
  static_cast<void>(checked::any_expression(of, [&](const Expr& each) {
    if (each.kind != ExprKind::Local) return false;
    const Local* local = each.as<LocalExpr>().local;
    const bool varies = local->is_mutable && local->type->is_integer();  // nobody knows with which loops
    for (const Loop& loop : loops_) {
      if (loop.binder != nullptr && (varies || loop.binder == local)) found.insert(loop.binder);
    }
    if (const auto known = binders_.find(local); known != binders_.end()) {
      found.insert(known->second.begin(), known->second.end());
    }
    return false;
  }));
  return found;
}

Polynomial BodyCounter::reused(const Expr& index, const Polynomial& size, double bytes) const {
  const std::set<const Local*> binders = binders_of(index);
  Polynomial inner(bytes);
  bool moves = false;
  for (std::size_t k = loops_.size(); k-- > 0;) {
    if (loops_[k].binder == nullptr) continue;
    if (binders.contains(loops_[k].binder)) {
      inner = inner * loops_[k].trips;
      moves = true;
    } else if (moves) {
      return inner;
    }
  }
  return size.is_zero() ? inner : size;
}

void BodyCounter::element(const ElementExpr& access, bool reads, bool writes) {
  const Local* root = root_of(*access.base);
  if (reads) count("load");
  if (writes) count("store");
  if (!discharged_.contains(access)) count("bounds_guard");
  if (is_block_memory(root)) return share((reads ? 1 : 0) + (writes ? 1 : 0), *access.type);
  if (!loops_.empty()) {
    const auto moved = step(*access.index);
    if (!moved || *moved < 0 || *moved > 1 || (writes && *moved == 0)) here().strides = true;
  }
  std::size_t depth = 0;
  const Moves moves = motion(*access.index, depth);
  const std::string array = root == nullptr ? "_" : name(*root);
  double bytes = static_cast<double>(size_of(*access.type));
  Traffic& traffic = here().traffic[array];
  if (root != nullptr && traffic.size.is_zero()) {
    if (const auto whole = sizes_.length(*root)) traffic.size = *whole * Polynomial(bytes);
  }
  if (moves == Moves::Fixed) return;
  if (moves == Moves::WithData) {
    traffic.irregular += trips();
    return;
  }
  if (cooperation_ != nullptr && !is_a_threads(*access.index)) bytes /= cooperation_->threads;  // all read the same
  traffic.reused = Polynomial::larger(traffic.reused, reused(*access.index, traffic.size, bytes));
  // One pass over the array: a second access in the same pass finds what the first brought.
  const std::size_t pass = depth == 0 ? 0 : loops_[depth - 1].id;
  const Polynomial once = trips(depth) * Polynomial(bytes);
  if (reads && streamed_.emplace(array, pass, false).second) traffic.read += once;
  if (writes && streamed_.emplace(array, pass, true).second) traffic.written += once;
}

void BodyCounter::place(const Expr& of, bool reads, bool writes) {
  if (of.kind == ExprKind::Element) {
    const auto& access = of.as<ElementExpr>();
    if (access.base->kind != ExprKind::Local) value(*access.base);
    value(*access.index);
    element(access, reads, writes);
    return;
  }
  if (of.kind == ExprKind::Field) return place(*of.as<FieldExpr>().base, reads, writes);
  if (of.kind == ExprKind::Local) return;
  value(of);
}

std::string BodyCounter::float_kind(const Type& type, const char* suffix) {
  return std::string(type.is(TypeKind::F32) ? "f32" : "f64") + suffix;
}

void BodyCounter::arithmetic(BinaryOp op, const Type& type, bool is_proved) {
  if (type.is_float()) return count(op == BinaryOp::Divide ? float_kind(type, "_div") : float_kind(type, ""));
  switch (op) {
    case BinaryOp::Add:
    case BinaryOp::Subtract:
      return count(type.is(TypeKind::Usize) ? "index_checked" : is_proved ? "int" : "int_checked");
    case BinaryOp::Multiply:
      return count(type.is(TypeKind::Usize) ? "index_checked" : is_proved ? "mul" : "mul_checked");
    case BinaryOp::Divide:
    case BinaryOp::Remainder:
      return count("div");
    case BinaryOp::And:
    case BinaryOp::Or:
    case BinaryOp::Xor:
      return count("int");
    default:
      return count("compare");
  }
}

void BodyCounter::value(const Expr& of) {
  switch (of.kind) {
    case ExprKind::Load:
      return place(*of.as<LoadExpr>().place, true, false);
    case ExprKind::Element:
    case ExprKind::Field:
      return place(of, true, false);
    case ExprKind::Binary:
    case ExprKind::Logical:
      return chain(of);
    case ExprKind::Unary:
      value(*of.as<UnaryExpr>().operand);
      if (of.type->is_float()) return count(float_kind(*of.type, ""));
      return count(of.as<UnaryExpr>().op == UnaryOp::Negate ? "int_checked" : "int");
    case ExprKind::Convert: {
      const Type& from = *of.as<ConvertExpr>().operand->type;
      value(*of.as<ConvertExpr>().operand);
      const bool widens = from.is_integer() && of.type->is_integer() && from.is_unsigned() == of.type->is_unsigned() &&
                          bit_width(from.kind) <= bit_width(of.type->kind);
      const bool may_trap = of.type->is_integer() && !widens && !discharged_.contains(of);
      return count(may_trap ? "convert_guard" : "convert");
    }
    case ExprKind::Builtin:
      return builtin(of.as<BuiltinExpr>());
    case ExprKind::Call:
      return call(of.as<CallExpr>());
    case ExprKind::CallValue:
    case ExprKind::CallDyn:
      for_each_operand(of, [&](const Expr& operand) { value(operand); });
      count("indirect");
      return guess("it calls a function value");
    case ExprKind::BufNew:
      value(*of.as<BufNewExpr>().count);
      return allocate(sizes_.value(*of.as<BufNewExpr>().count), *of.type->element);
    case ExprKind::DynNew:
      value(*of.as<DynNewExpr>().value);
      here().allocations += trips();
      return;
    case ExprKind::Print:
    case ExprKind::Format:
      for_each_operand(of, [&](const Expr& operand) { value(operand); });
      count("io");
      return guess("it does input or output");
    case ExprKind::Machine:
      for_each_operand(of, [&](const Expr& operand) { value(operand); });
      count("io");
      return guess("it reaches the machine");
    case ExprKind::Try:
      value(*of.as<TryExpr>().operand);
      return count("branch");
    case ExprKind::Assert:
    case ExprKind::AssertEqual:
      for_each_operand(of, [&](const Expr& operand) { value(operand); });
      return count("branch");
    case ExprKind::Transfer:
      return transfer(of.as<TransferExpr>());
    case ExprKind::Spawn:
      return spawn(of.as<SpawnExpr>());
    case ExprKind::Concurrent:
      return concurrent(of.as<ConcurrentExpr>());
    case ExprKind::LayoutQuery: {
      const auto& query = of.as<LayoutQueryExpr>();
      for (const Expr* argument : query.arguments) {
        value(*argument);
        count("index_checked", 2);  // times the stride, and added
        count("bounds_guard");
      }
      if (query.op != LayoutQueryOp::At) count("div");
      return;
    }
    case ExprKind::Lend:
      return place(*of.as<LendExpr>().place, false, false);
    case ExprKind::Closure:
      return guess("it has a closure");
    default:
      for_each_operand(of, [&](const Expr& operand) { value(operand); });
      return;
  }
}

void BodyCounter::chain(const Expr& of) {
  const std::vector<const Expr*> operations = checked::left_chain(of);
  value(checked::left_of(*operations.front()));
  for (const Expr* operation : operations) {
    value(checked::right_of(*operation));
    if (of.kind == ExprKind::Logical) {
      count("compare");
    } else {
      arithmetic(operation->as<BinaryExpr>().op, *checked::left_of(*operation).type, discharged_.contains(*operation));
    }
  }
}

void BodyCounter::builtin(const BuiltinExpr& of) {
  for (const Expr* argument : of.arguments) value(*argument);
  switch (of.builtin) {
    case Builtin::AddWrap:
    case Builtin::SubWrap:
      return count("int");
    case Builtin::MulWrap:
      return count("mul");
    case Builtin::ShlWrap:
    case Builtin::Shr:
      count("int");
      if (of.arguments[1]->kind != ExprKind::Integer && !discharged_.contains(of)) count("shift_guard");
      return;
    case Builtin::Min:
    case Builtin::Max:
      return count("compare");
    case Builtin::Abs:
      return count(of.type->is_float() ? float_kind(*of.type, "") : "int_checked");
    case Builtin::Sqrt:
      return count(float_kind(*of.type, "_div"));
    case Builtin::Floor:
    case Builtin::Ceil:
    case Builtin::Trunc:
      return count(float_kind(*of.type, ""));
    case Builtin::ToBits:
    case Builtin::FromBits:
      return;
    case Builtin::Quantize:
    case Builtin::QuantizeStochastic:
      count("f32_div");
      return count("convert_guard");
  }
}

std::map<std::string, Polynomial> BodyCounter::sizes_for(const CallExpr& call, const Cost& callee) {
  std::map<std::string, Polynomial> by;
  for (std::size_t k = 0; k < call.arguments.size() && k < call.callee->parameters.size(); ++k) {
    const Local& parameter = *call.callee->parameters[k];
    if (!parameter.type->is_integer()) continue;
    const std::string extent = name(parameter);
    std::optional<Polynomial> given;
    if (call.arguments[k]->kind == ExprKind::PartExtent) {
      const PartExpr& part = *call.arguments[k]->as<PartExtentExpr>().part;
      const auto lo = sizes_.value(*part.lo);
      const auto hi = sizes_.value(*part.hi);
      if (lo && hi) given = *hi - *lo;
    } else {
      given = sizes_.value(*call.arguments[k]);
    }
    if (!given && std::ranges::find(callee.extents, extent) != callee.extents.end()) {
      guess("the size of a call of " + std::string(call.callee->name) + " is not known");
      given = Polynomial(1.0);
    }
    if (!given && callee.numbers.contains(extent)) {
      guess("what a call of " + std::string(call.callee->name) + " is given is not known");
      given = Polynomial(kGuessedTurns);
    }
    if (given) by[extent] = *given;
  }
  return by;
}

void BodyCounter::call(const CallExpr& of) {
  for (const Expr* argument : of.arguments) {
    if (argument != nullptr && argument->kind != ExprKind::PartExtent) value(*argument);
  }
  count("call");
  if (of.callee->kind == FunctionKind::Extern || of.callee->body == nullptr) {
    return guess("it calls " + std::string(of.callee->name) + ", which is foreign");
  }
  if (of.callee == &function_ || counter_.active_.contains(of.callee)) count("frame");
  if (of.callee == &function_ && code_ == &cost_.sequential) return self_call(of);
  if (counter_.active_.contains(of.callee)) return guess("it recurses");
  const Cost& callee = counter_.cost_of(*of.callee);
  if (code_ != &cost_.sequential) {  // inside a lane
    code_->add(callee.sequential, sizes_for(of, callee), trips(), body());
    cost_.approximate.insert(callee.approximate.begin(), callee.approximate.end());
    cost_.guessed.insert(callee.guessed.begin(), callee.guessed.end());
    return;
  }
  cost_.add_call(callee, sizes_for(of, callee), trips(), body());
}

void BodyCounter::self_call(const CallExpr& of) {
  SelfCall made;
  made.times = trips();
  for (std::size_t k = 0; k < of.arguments.size() && k < function_.parameters.size(); ++k) {
    const Local& parameter = *function_.parameters[k];
    if (!parameter.type->is_integer()) continue;
    std::optional<Polynomial>& given = made.given[name(parameter)];
    if (of.arguments[k]->kind != ExprKind::PartExtent) {
      given = sizes_.value(*of.arguments[k]);
      continue;
    }
    made.shares.insert(name(parameter));
    const PartExpr& part = *of.arguments[k]->as<PartExtentExpr>().part;
    const auto lo = sizes_.value(*part.lo);
    const auto hi = sizes_.value(*part.hi);
    if (lo && hi) given = *hi - *lo;
  }
  self_calls_.push_back(std::move(made));
}

void BodyCounter::allocate(const std::optional<Polynomial>& count_of, const Type& element) {
  here().allocations += trips();
  if (!count_of) return guess("the size of an allocation is not known");
  here().zeroed_bytes += trips() * *count_of * Polynomial(static_cast<double>(size_of(element)));
}

bool BodyCounter::on_device(const Expr& view) {
  return view.type->is(TypeKind::View) && view.type->placement == Placement::Device;
}

void BodyCounter::transfer(const TransferExpr& of) {
  const bool to_device = on_device(*of.destination);
  const bool from_device = on_device(*of.source);
  const std::string direction = std::string(from_device ? "d" : "h") + "2" + (to_device ? "d" : "h");
  auto elements = sizes_.length(*of.destination);
  if (!elements) elements = sizes_.length(*of.source);
  if (!elements) return guess("the size of a transfer is not known");
  cost_.transfers.push_back(
      {direction, *elements * Polynomial(static_cast<double>(size_of(*of.destination->type->element))), trips()});
}

void BodyCounter::spawn(const SpawnExpr& of) {
  if (of.region != nullptr) return region(RegionKind::Device, of.region->extent, of.region->lane, of.position);
  cost_.tasks += trips();
  if (of.call != nullptr && of.call->kind == ExprKind::Call) {
    const auto& call = of.call->as<CallExpr>();
    for (const Expr* argument : call.arguments) {
      if (argument != nullptr && argument->kind != ExprKind::PartExtent) value(*argument);
    }
    if (call.callee->body != nullptr && !counter_.active_.contains(call.callee)) {
      const Cost& callee = counter_.cost_of(*call.callee);
      cost_.add_call(callee, sizes_for(call, callee), trips(), body());
    }
  }
  approximate("tasks run beside each other");
}
}  // namespace cairn::predict
