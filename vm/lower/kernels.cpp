// Cooperative regions (devices, 10 to 14 and 16): the statement, the bodies of their threads, and what those share.
//
// A body is a kernel of (block, thread), both linear, and the environment that it and its finish have in common. Its
// names are made from those two at its start.
#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/cooperative.hpp"
#include "vm/lower/function_lowering.hpp"

namespace cairn::lower {

using bytecode::kNone;
using bytecode::RegisterKind;
using bytecode::ScalarKind;
using checked::ConcurrentExpr;
using checked::ConcurrentOp;

namespace {

/// Scalars stand in one order among registers and elements; storage floats follow.
ScalarKind element_of(const Type& type, TypeLowering& types, const bytecode::ModuleBuilder& builder) {
  return builder.type(types.memory(type)).scalar;
}

}  // namespace

/// A kernel of the module, told what its blocks have.
std::uint32_t FunctionLowering::kernel(const checked::ThreadBody& body, std::span<const checked::LetStmt* const> grid,
                                       bool device, const checked::Function& owner) {
  LaneForm form;
  form.kind = LaneForm::Kind::Kernel;
  form.device = device;
  form.threads = &body;
  form.grid = grid;
  module_.set_lane_form(*body.body, form);
  if (body.body != &owner) module_.share_environment(*body.body, owner);
  const std::uint32_t index = module_.inner_function(*body.body, index_);
  bytecode::KernelInfo info;
  info.threads = body.threads;
  info.shared_bytes = body.shared_bytes;
  for (const checked::SharedStmt* each : body.arrays) {
    const Type& element = *each->local->type->element;
    info.arrays.push_back({each->offset, element_of(element, types(), module_.builder()),
                           static_cast<std::uint32_t>(each->length), each->zeroed,
                           std::string(module_.text(each->local->name))});
  }
  for (const checked::PipelineStmt* each : body.pipelines) {
    const Type& element = *each->local->type->element;
    info.pipelines.push_back({element_of(element, types(), module_.builder()), static_cast<std::uint32_t>(each->size),
                              each->depth, each->offset});
  }
  module_.builder().module().functions[index].kernel = std::move(info);
  return index;
}

void FunctionLowering::cooperative(const checked::CooperativeStmt& s) {
  Register blocks;
  for (const checked::LetStmt* extent : s.grid) {
    const Place place = declare(*extent->local);
    evaluate(*extent->value, place);
    if (!blocks) {
      blocks = load(place, extent->position);
      continue;
    }
    const Register product = f_.add_register(kIndexRegister, "blocks");
    emit(s.position, Op::MulU64, product, blocks, load(place, extent->position));
    blocks = product;
  }
  const Mark mark = this->mark();
  const checked::Function& owner = *s.blocks.body;
  const std::uint32_t index = kernel(s.blocks, s.grid, s.device, owner);
  if (s.has_finish) {
    const std::uint32_t finish = kernel(s.finish, {}, s.device, owner);
    module_.builder().module().functions[index].kernel.finish = finish;
  }
  const Register environment = environment_for(owner, s.position);
  emit(s.position, Op::Cooperative, environment, blocks, s.device ? 1 : 0, index);
  release(mark);
}

/// The numbers of a body's names: fastest first, each the rest of what is left by its extent.
void FunctionLowering::bind_numbers(Register linear, std::span<Local* const> names, const auto& divide) {
  Register left = linear;
  for (std::size_t k = 0; k < names.size(); ++k) {
    Place place;
    place.type = names[k]->type;
    place.reg = left;
    const bool is_last = k + 1 == names.size();
    if (!is_last) {
      place.reg = f_.add_register(kIndexRegister, std::string(module_.text(names[k]->name)));
      const Register rest = f_.add_register(kIndexRegister);
      divide(k, place.reg, rest, left);
      left = rest;
    }
    set_home(*names[k], place);
  }
}

void FunctionLowering::run_kernel() {
  const LaneForm& form = module_.lane_form(function_);
  const checked::ThreadBody& threads = *form.threads;
  const Register block_number = f_.parameter(0);
  const Register thread_number = f_.parameter(1);
  f_.name(block_number, "block");
  f_.name(thread_number, "thread");
  bind_captures();
  const auto names = function_.parameters;
  bind_numbers(block_number, names.first(threads.block_names),
               [&](std::size_t k, Register number, Register rest, Register left) {
                 const Register extent = load(home(*form.grid[k]->local), function_.position);
                 emit(function_.position, Op::RemU64, number, left, extent);
                 emit(function_.position, Op::DivU64, rest, left, extent);
               });
  bind_numbers(thread_number, names.subspan(threads.block_names),
               [&](std::size_t k, Register number, Register rest, Register left) {
                 emit(function_.position, Op::RemU64Imm, number, left, threads.extents[k]);
                 emit(function_.position, Op::DivU64Imm, rest, left, threads.extents[k]);
               });
  block(*function_.body);
  if (!function_.body->leaves) f_.emit(Op::Return);
}

void FunctionLowering::shared_array(const checked::SharedStmt& s) {
  const Place place = declare(*s.local);
  emit(s.position, Op::SharedView, place.reg, s.offset, s.length);
}

void FunctionLowering::warp_reduce(const checked::ReduceStmt& s) {
  const Type& type = *s.warp_value->type;
  const Mark mark = this->mark();
  const Register total = temporary(type);
  const Register given = value(*s.warp_value);
  emit(s.position, Op::WarpReduce, total, given, fold_of(s.reducer, scalar_register(type)));
  store(declare(*s.result), total, s.position);
  release(mark);
}

Register FunctionLowering::exchange(const ConcurrentExpr& e, Register into) {
  const auto operation = [&] {
    switch (e.op) {
      case ConcurrentOp::WarpShuffle:
        return Op::WarpShuffle;
      case ConcurrentOp::WarpShuffleXor:
        return Op::WarpShuffleXor;
      case ConcurrentOp::WarpShuffleDown:
        return Op::WarpShuffleDown;
      case ConcurrentOp::WarpShuffleUp:
        return Op::WarpShuffleUp;
      case ConcurrentOp::WarpBallot:
        return Op::WarpBallot;
      case ConcurrentOp::WarpAny:
        return Op::WarpAny;
      case ConcurrentOp::WarpAll:
        return Op::WarpAll;
      default:
        return Op::WarpMatch;
    }
  };
  const Register to = target(into, *e.type);
  const Mark mark = this->mark();
  const Register given = value(*e.arguments[0]);
  if (checked::is_shuffle(e.op)) {
    const Register lane = value(*e.arguments[1]);
    release(mark);
    emit(e.position, operation(), to, given, lane);
  } else {
    release(mark);
    emit(e.position, operation(), to, given);
  }
  return to;
}

std::uint32_t FunctionLowering::pipeline_number(const Local& local) const {
  const checked::ThreadBody& threads = *module_.lane_form(function_).threads;
  std::uint32_t number = 0;
  while (threads.pipelines[number]->local != &local) ++number;
  return number;
}

void FunctionLowering::pipeline_operation(const ConcurrentExpr& e) {
  const std::uint32_t number = pipeline_number(*e.receiver->as<checked::LocalExpr>().local);
  switch (e.op) {
    case ConcurrentOp::PipelineFill: {
      const Mark mark = this->mark();
      const Register source = view(*e.arguments[0]);
      const Register start = value(*e.arguments[1]);
      const Register count = value(*e.arguments[2]);
      emit(e.position, Op::PipelineFill, source, start, count, number);
      return release(mark);
    }
    case ConcurrentOp::PipelineWait:
      return emit(e.position, Op::PipelineWait, number);
    default:
      return emit(e.position, Op::PipelineRelease, number);
  }
}

/// The stage that the last wait made readable: asked for at each use.
Place FunctionLowering::readable_stage(const Local& pipeline) {
  Place stage;
  stage.type = pipeline.type;
  stage.reg = temporary({RegisterKind::View, false, types().memory(*pipeline.type->element)});
  f_.emit(Op::PipelineView, stage.reg, pipeline_number(pipeline));
  return stage;
}

}  // namespace cairn::lower
