// Regions and collectors (concurrency, 7 to 10): the statements, and the bodies of lanes.
//
// A lane body is a function of (lo, hi), of the view its terms go to when an exact sum asks for them, and of its
// environment: it does the indices lo .. hi itself. A collector in order runs it once over all indices, on the calling
// thread, as a closure.
#include <limits>

#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::kNone;
using bytecode::ReduceKind;
using bytecode::RegisterKind;
using bytecode::ScalarKind;
using checked::ExprKind;
using checked::StmtKind;
using syntax::Reducer;

namespace {

ReduceKind reduce_kind(Reducer reducer) {
  switch (reducer) {
    case Reducer::Add:
      return ReduceKind::Add;
    case Reducer::Multiply:
      return ReduceKind::Mul;
    case Reducer::And:
      return ReduceKind::And;
    case Reducer::Or:
      return ReduceKind::Or;
    case Reducer::Xor:
      return ReduceKind::Xor;
    case Reducer::AddWrap:
      return ReduceKind::AddWrap;
    case Reducer::MulWrap:
      return ReduceKind::MulWrap;
    case Reducer::Min:
      return ReduceKind::Min;
    case Reducer::Max:
      return ReduceKind::Max;
  }
  return ReduceKind::Add;
}

}  // namespace

/// Scalars stand in one order in both enumerations.
std::uint64_t fold_of(Reducer reducer, RegisterKind kind) {
  const unsigned scalar = static_cast<unsigned>(kind) - static_cast<unsigned>(RegisterKind::Bool);
  return static_cast<std::uint64_t>(reduce_kind(reducer)) + 256 * std::uint64_t{scalar};
}
static_assert(static_cast<unsigned>(ScalarKind::F64) - static_cast<unsigned>(ScalarKind::Bool) ==
              static_cast<unsigned>(RegisterKind::F64) - static_cast<unsigned>(RegisterKind::Bool));

namespace {

/// The total of no yields, in slot form.
std::uint64_t identity_of(Reducer reducer, RegisterKind kind) {
  const unsigned width = width_of(kind);
  const std::uint64_t ones = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  switch (reducer) {
    case Reducer::And:
      return ones;
    case Reducer::MulWrap:
      return 1;
    case Reducer::Multiply:
      return kind == RegisterKind::F32 ? 0x3f800000U : 0x3ff0000000000000U;
    case Reducer::Min:
      return is_signed(kind) ? ones >> 1 : ones;
    case Reducer::Max:
      return is_signed(kind) ? ~(ones >> 1) : 0;
    default:
      return 0;
  }
}

Op fold_operation(Reducer reducer, RegisterKind kind) {
  switch (reducer) {
    case Reducer::Add:
      return is_floating(kind) ? float_operation(Op::AddF32, kind) : checked_operation(Op::AddU8, kind);
    case Reducer::Multiply:
      return float_operation(Op::MulF32, kind);
    case Reducer::And:
      return Op::And;
    case Reducer::Or:
      return Op::Or;
    case Reducer::Xor:
      return Op::Xor;
    case Reducer::AddWrap:
      return wrapping_operation(Op::AddWrapU8, kind);
    case Reducer::MulWrap:
      return wrapping_operation(Op::MulWrapU8, kind);
    case Reducer::Min:
      return is_signed(kind) ? Op::MinS : Op::MinU;
    case Reducer::Max:
      return is_signed(kind) ? Op::MaxS : Op::MaxU;
  }
  return Op::And;
}

}  // namespace

void FunctionLowering::concurrent_statement(const checked::Stmt& s) {
  switch (s.kind) {
    case StmtKind::Parallel:
      return parallel(s.as<checked::ParallelStmt>());
    case StmtKind::Reduce:
      return reduce(s.as<checked::ReduceStmt>());
    case StmtKind::Scan:
      return scan(s.as<checked::ScanStmt>());
    case StmtKind::Compact:
      return compact(s.as<checked::CompactStmt>());
    case StmtKind::Into:
      return into_group(s.as<checked::IntoStmt>());
    case StmtKind::Cooperative:
      return cooperative(s.as<checked::CooperativeStmt>());
    case StmtKind::Shared:
      return shared_array(s.as<checked::SharedStmt>());
    case StmtKind::Barrier:
      return emit(s.position, Op::Barrier);
    default:
      return;  // a pipeline begins with its kernel
  }
}

/// The lane function of a statement, told how its lanes run.
std::uint32_t FunctionLowering::lane_function(const checked::Function& lane, const LaneForm& form) {
  module_.set_lane_form(lane, form);
  return module_.inner_function(lane, index_);
}

void FunctionLowering::parallel(const checked::ParallelStmt& s) {
  if (s.device) return device_parallel(s);
  const Mark mark = this->mark();
  const Register count = value(*s.extent);
  const std::uint32_t lane = lane_function(*s.lane, {});
  const Register environment = environment_for(*s.lane, s.position);
  const std::uint64_t block = std::min<std::uint64_t>(s.block, 0xffff);
  emit(s.position, Op::Parallel, environment, count, block, 0, lane);
  release(mark);
}

/// Runs a lane body that folds over 0 .. count in index order; `total` holds the identity before.
void FunctionLowering::fold_in_order(std::uint32_t lane, Register environment, Register count, Register total,
                                     Position position) {
  const Label none = f_.label();
  emit(position, Op::JumpEqImm, count, 0, none);
  const Mark mark = this->mark();
  Window window = open_window();
  at(position);
  constant(next_slot(window), 0);
  placed(window, 1);
  move(next_slot(window), count, Shape::One);
  placed(window, 1);
  emit(position, Op::CallClosure, f_.outgoing(window.base), environment, lane);
  move(total, f_.outgoing(window.base), Shape::One);
  release(mark);
  f_.bind(none);
}

/// The element is found and guarded before the lanes start.
Place FunctionLowering::total_place(const Expr& target) {
  Place to = place(target);
  to.reg = reference(to, target.position);
  to.kind = Place::Kind::Reference;
  to.referent = to.type;
  to.offset = 0;
  return to;
}

void FunctionLowering::reduce(const checked::ReduceStmt& s) {
  if (s.device) return device_reduce(s);
  if (s.warp) return warp_reduce(s);
  const Type& type = *s.lane->result;
  const RegisterKind kind = scalar_register(type);
  const Mark mark = this->mark();
  Place to;
  if (s.target != nullptr) to = total_place(*s.target);
  const Register total = temporary(type);
  const Register count = value(*s.extent);
  const bool is_exact = s.parallel && s.reducer == Reducer::Add && is_floating(kind);
  LaneForm form;
  form.kind = is_exact ? LaneForm::Kind::Terms : LaneForm::Kind::Fold;
  form.reducer = s.reducer;
  form.position = s.position;
  const std::uint32_t lane = lane_function(*s.lane, form);
  const Register environment = environment_for(*s.lane, s.position);
  if (is_exact) {
    emit(s.position, kind == RegisterKind::F32 ? Op::SumExactF32 : Op::SumExactF64, total, environment, count, lane);
  } else if (s.parallel) {
    emit(s.position, Op::Reduce, total, environment, count, fold_of(s.reducer, kind), lane);
  } else {
    at(s.position);
    constant(total, identity_of(s.reducer, kind));
    fold_in_order(lane, environment, count, total, s.position);
  }
  if (s.target != nullptr) {
    store(to, total, s.position);
  } else {
    store(declare(*s.result), total, s.position);
  }
  release(mark);
}

void FunctionLowering::scan(const checked::ScanStmt& s) {
  if (s.device) return device_scan(s);
  const Type& type = *s.lane->result;
  const RegisterKind kind = scalar_register(type);
  const Mark mark = this->mark();
  const Register total = temporary(type);
  const Register count = value(*s.extent);
  LaneForm form;
  form.kind = LaneForm::Kind::Scan;
  form.reducer = s.reducer;
  form.exclusive = s.exclusive;
  form.output = s.output;
  form.position = s.position;
  const std::uint32_t lane = lane_function(*s.lane, form);
  const Register environment = environment_for(*s.lane, s.position);
  if (s.parallel) {
    emit(s.position, Op::Scan, total, environment, count, fold_of(s.reducer, kind), view(*s.output), lane);
  } else {
    at(s.position);
    constant(total, identity_of(s.reducer, kind));
    fold_in_order(lane, environment, count, total, s.position);
  }
  if (s.total != nullptr) store(declare(*s.total), total, s.position);
  release(mark);
}

/// Stores what is yielded at the next place of an output.
void FunctionLowering::keep(const Expr& yielded, Register output, Register kept, Position position) {
  const Type& element = *yielded.type;
  const Mark mark = this->mark();
  Place to;
  to.kind = Place::Kind::Element;
  to.type = &element;
  to.reg = output;
  to.index = kept;
  if (shape_of(element) == Shape::Memory || types().owns(element)) {
    const Place fresh = temporary_object(element);
    evaluate(yielded, fresh);
    to.reg = reference(to, position);
    to.kind = Place::Kind::Reference;
    to.referent = &element;
    if (types().owns(element)) drop(to);
    copy(to, fresh, position);
  } else {
    store(to, value(yielded), position);
  }
  release(mark);
  emit(position, Op::AddU64Imm, kept, kept, 1);
}

/// A loop in this function: the predicate, and for a kept index the projection and its store at the next place.
void FunctionLowering::compact(const checked::CompactStmt& s) {
  if (s.device) return device_compact(s);
  const Mark mark = this->mark();
  const Register output = view(*s.output);
  const Register limit = temporary(kIndexRegister);
  value(*s.extent, limit);
  const Register kept = temporary(kIndexRegister);
  const Place binder = declare_counter(*s.binder);
  at(s.position);
  constant(kept, 0);
  constant(binder.reg, 0);
  const Label exit = f_.label();
  const Label body = f_.label();
  const Label next = f_.label();
  emit(s.position, Op::JumpEqImm, limit, 0, exit);
  f_.bind(body);
  const Lives before = lives();
  ++depth_;
  branch(*s.predicate, false, next);
  keep(*s.projected, output, kept, s.position);
  --depth_;
  restore(before);
  f_.bind(next);
  emit(s.position, Op::LoopNext, binder.reg, limit, body);
  f_.bind(exit);
  if (s.count != nullptr) store(declare(*s.count), kept, s.position);
  release(mark);
}

// -------------------------------------------------------------------------------------------------------- lane bodies

/// The value a yield gives.
const checked::Expr& FunctionLowering::yielded(const checked::Function& lane) {
  return *lane.body->statements.front()->as<checked::ReturnStmt>().value;
}

void FunctionLowering::run_lane() {
  const LaneForm form = module_.lane_form(function_);
  if (form.kind == LaneForm::Kind::Kernel) return run_kernel();
  const bool gives_terms = form.kind == LaneForm::Kind::Terms;
  const Register first = f_.parameter(0);
  const Register index = gives_terms ? f_.add_register(kIndexRegister) : first;
  const Register limit = gives_terms ? f_.add_register(kIndexRegister) : f_.parameter(1);
  const Local& binder = *function_.parameters.front();
  f_.name(index, std::string(module_.text(binder.name)));
  Place home_of_index;
  home_of_index.type = binder.type;
  home_of_index.reg = index;
  set_home(binder, home_of_index);
  bind_captures();

  const bool folds = form.kind == LaneForm::Kind::Fold || form.kind == LaneForm::Kind::Scan;
  RegisterKind kind = RegisterKind::None;
  Register total;    // folds
  Register written;  // terms and selections: how many were written
  if (form.kind != LaneForm::Kind::Region) kind = scalar_register(*function_.result);
  if (folds) {
    total = f_.add_register(this->form(*function_.result), "total");
    constant(total, identity_of(form.reducer, kind));
  } else if (form.kind != LaneForm::Kind::Region) {
    written = f_.add_register(kIndexRegister);
    constant(written, 0);
  }
  if (form.kind == LaneForm::Kind::Compact) set_home(*form.yield->parameters.front(), home_of_index);
  // Terms are counted, so that the loop has one counter: its index is `first` and that.
  if (gives_terms) f_.emit(Op::SubU64, limit, f_.parameter(1), first);
  const Label body = f_.label();
  const Label next = f_.label();
  const Label done = f_.label();
  if (form.kind == LaneForm::Kind::Region && !form.device) {
    convert_each(*function_.body, binder, index, limit, done);
  }
  f_.bind(body);
  if (gives_terms) f_.emit(Op::AddU64, index, first, written);
  ++depth_;
  const Mark mark = this->mark();
  switch (form.kind) {
    case LaneForm::Kind::Kernel:  // run_kernel
    case LaneForm::Kind::Region:
      block(*function_.body);
      break;
    case LaneForm::Kind::Fold:
      emit(form.position, fold_operation(form.reducer, kind), total, total, value(yielded(function_)));
      break;
    case LaneForm::Kind::Terms: {
      const Register given = value(yielded(function_));
      emit(form.position, memory_operation(Op::StoreAtBool, kind), f_.parameter(2), written, given);
      break;
    }
    case LaneForm::Kind::Scan: {
      const Register given = value(yielded(function_));
      const Register output = view(*form.output);
      const Op store_element = memory_operation(Op::StoreAtBool, kind);
      if (form.exclusive) emit(form.position, store_element, output, index, total);
      emit(form.position, fold_operation(form.reducer, kind), total, total, given);
      if (!form.exclusive) emit(form.position, store_element, output, index, total);
      break;
    }
    case LaneForm::Kind::Compact:
      branch(yielded(function_), false, next);
      keep(yielded(*form.yield), f_.parameter(2), written, form.position);
      break;
  }
  release(mark);
  --depth_;
  const bool is_endless = form.kind == LaneForm::Kind::Region && function_.body->leaves;
  if (is_endless) return f_.bind(done);
  f_.bind(next);
  emit(function_.position, Op::LoopNext, gives_terms ? written : index, limit, body);
  f_.bind(done);
  if (folds || form.kind == LaneForm::Kind::Compact) {
    f_.emit(Op::ReturnValue, folds ? total : written);
  } else {
    f_.emit(Op::Return);
  }
}

}  // namespace cairn::lower
