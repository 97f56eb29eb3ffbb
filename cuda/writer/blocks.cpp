// What only kernels of cooperative regions do: barriers, shared arrays, warp operations, pipelines.
#include "cuda/writer/fold_names.hpp"
#include "cuda/writer/function_writer.hpp"

namespace cairn::cuda::writer {

bool FunctionWriter::write_kernel_operation() {
  switch (op_) {
    case Op::Barrier:
      line("__syncthreads();");
      return true;
    case Op::SharedView: {
      const std::uint32_t a = operand(Place::A);
      assign_pointer(a, cat("shared + ", operand(Place::N)));
      assign(a + 1, RegisterKind::U64, cat(operand(Place::M), "ULL"));
      aligns_[a] = operand(Place::N) % 16 == 0 ? 16 : 1;
      return true;
    }
    default:
      return write_pipeline() || write_warp_operation();
  }
}

bool FunctionWriter::write_warp_operation() {
  if (!op_name_.verb.starts_with("warp.")) return false;
  const std::uint32_t a = operand(Place::A);
  const std::uint32_t b = operand(Place::B);
  const RegisterKind kind = is_declared(a) ? kind_of(a) : kind_of(b);
  const RegisterKind given = is_declared(b) ? kind_of(b) : kind;
  const auto exchange = [&](std::string_view name) {
    const std::string lane = value(Place::C, RegisterKind::U64);
    guard(cat(lane, " >= 32"), TrapKind::Shuffle);
    assign(a, kind, cat(name, "<", type_of(kind), ">(", value(b, kind), ", ", lane, ")"));
    return true;
  };
  switch (op_) {
    case Op::WarpShuffle:
      return exchange("shuffle");
    case Op::WarpShuffleXor:
      return exchange("shuffle_xor");
    case Op::WarpShuffleDown:
      return exchange("shuffle_down");
    case Op::WarpShuffleUp:
      return exchange("shuffle_up");
    case Op::WarpBallot:
      assign(a, RegisterKind::U32, cat("__ballot_sync(kWholeWarp, ", value(b, RegisterKind::Bool), ")"));
      return true;
    case Op::WarpAny:
      assign(a, RegisterKind::Bool, cat("__any_sync(kWholeWarp, ", value(b, RegisterKind::Bool), ") != 0"));
      return true;
    case Op::WarpAll:
      assign(a, RegisterKind::Bool, cat("__all_sync(kWholeWarp, ", value(b, RegisterKind::Bool), ") != 0"));
      return true;
    case Op::WarpMatch:
      assign(a, RegisterKind::U32, cat("warp_match<", type_of(given), ">(", value(b, given), ")"));
      return true;
    case Op::WarpReduce: {
      const std::string fold = fold_type(operand(Place::C));
      const RegisterKind element = fold_kind(operand(Place::C));
      line(cat("{ ", type_of(element), " out; if (!warp_fold<", fold, ">(", value(b, element), ", out)) ",
               fail_call(TrapKind::Overflow, {}, {}), ";"));
      assign(a, element, "out");
      line("}");
      return true;
    }
    default:
      return false;
  }
}

/// Which stage comes next is counted, the same in every thread. A wait may leave in flight what its own pipeline filled
/// after the stage it waits for; groups of other pipelines only make it wait for more.
bool FunctionWriter::write_pipeline() {
  if (!op_name_.verb.starts_with("pipeline.")) return false;
  const std::uint32_t n = op_ == Op::PipelineFill ? operand(Place::M) : operand(Place::N);
  if (n >= function_.kernel.pipelines.size()) return false;
  const bytecode::Pipeline& pipeline = function_.kernel.pipelines[n];
  const std::uint32_t size = bytecode::scalar_size(pipeline.element);
  const std::uint32_t stage_bytes = (pipeline.size * size + 15) / 16 * 16;
  const auto stage = [&](const std::string& number) {
    return cat("shared + ", pipeline.offset, " + ", number, " % ", pipeline.depth, " * ", stage_bytes);
  };
  const std::string fills = cat("fills_", n);
  const std::string waits = cat("waits_", n);
  switch (op_) {
    case Op::PipelineFill: {
      const std::string start = value(Place::B, RegisterKind::U64);
      const std::string count = value(Place::C, RegisterKind::U64);
      const std::string all = length(Place::A);
      guard(cat(count, " > ", pipeline.size, " || ", start, " > ", all, " || ", count, " > ", all, " - ", start),
            TrapKind::Pipeline);
      line(cat("fill_stage<", pipeline.size, ", ", size, ">(", stage(fills), ", ", pointer(Place::A), ", ", start, ", ",
               count, ");"));
      line(cat(fills, " = ", fills, " + 1;"));
      return true;
    }
    case Op::PipelineWait:
      line(cat("wait_stage(", fills, " - ", waits, " - 1);"));
      line(cat(waits, " = ", waits, " + 1;"));
      return true;
    case Op::PipelineView: {
      const std::uint32_t a = operand(Place::A);
      assign_pointer(a, stage(cat("(", waits, " == 0 ? 0 : ", waits, " - 1)")));
      assign(a + 1, RegisterKind::U64, cat(pipeline.size, "ULL"));
      return true;
    }
    default:
      return op_ == Op::PipelineRelease;  // which stages are free is the checker's business
  }
}

}  // namespace cairn::cuda::writer
