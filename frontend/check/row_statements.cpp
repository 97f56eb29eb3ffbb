// What statements add to the row.
#include "frontend/check/row_collector.hpp"
#include "frontend/check/tree_walk.hpp"

namespace cairn::checked {

void RowCollector::block(const Block& body) {
  for (const Stmt* each : body.statements) statement(*each);
}

void RowCollector::statement(const Stmt& root) {
  for_each_part(
      root, [&](const Expr& value) { expression(value); }, [&](const Block& nested) { block(nested); },
      [&](const Function& lane) { inner(lane); });
  switch (root.kind) {
    case StmtKind::Assign:
      write(*root.as<AssignStmt>().place);
      break;
    case StmtKind::Compound: {
      const auto& compound = root.as<CompoundStmt>();
      read(*compound.place);
      write(*compound.place);
      if (is_checked_arithmetic(compound.op, compound.place->type)) add(Label::Trap);
      break;
    }
    case StmtKind::While:
      add(Label::Diverge);
      break;
    case StmtKind::Unpack: {
      const auto& unpack = root.as<UnpackStmt>();
      const auto fields = unpack.value->type->record->fields;
      for (std::size_t k = 0; k < unpack.locals.size() && k < fields.size(); ++k) {
        if (unpack.locals[k] == nullptr && types_.holds_heap(fields[k].type)) add(Label::Free);
      }
      break;
    }
    case StmtKind::Match:
      match(root.as<MatchStmt>());
      break;
    case StmtKind::Expression:
      drop(*root.as<ExpressionStmt>().value);
      break;
    case StmtKind::Storage:
      storage(*root.as<StorageStmt>().local);
      break;
    case StmtKind::Parallel:
      region(root.as<ParallelStmt>().device);
      break;
    case StmtKind::Reduce:
      reduce(root.as<ReduceStmt>());
      break;
    case StmtKind::Scan: {
      const auto& scan = root.as<ScanStmt>();
      collector(scan.device, scan.parallel);
      write_whole(*scan.output);
      if (scan.reducer == Reducer::Add) checked_total(scan.output->type);
      break;
    }
    case StmtKind::Into:
      add(Label::Trap);
      break;
    case StmtKind::Compact:
      collector(root.as<CompactStmt>().device, false);
      write_whole(*root.as<CompactStmt>().output);
      break;
    case StmtKind::Cooperative:
      cooperative(root.as<CooperativeStmt>());
      break;
    case StmtKind::Asm:
      assembly(root.as<AsmStmt>());
      break;
    default:
      break;
  }
}

void RowCollector::assembly(const AsmStmt& assembly) {
  constexpr Label kTargets[] = {Label::AsmPtx, Label::AsmX86_64, Label::AsmAarch64};
  add(kTargets[static_cast<std::size_t>(assembly.target)]);
  for (const std::string_view label : assembly.effects) {
    if (label == "fence") add(Label::Fence);
    if (label == "barrier") add(Label::Barrier);
    if (label == "atomic") add(Label::Atomic);
    if (label == "io") add(Label::Io);
    if (label == "mmio") add(Label::Mmio);
    const std::size_t colon = label.find(':');
    if (colon == std::string_view::npos) continue;
    for (const AsmOperand& operand : assembly.operands) {
      if (!operand.address || checker_.text(root_of(*operand.value).local->name) != label.substr(colon + 1)) continue;
      label.starts_with("write") ? write_whole(*operand.value) : read_whole(*operand.value);
    }
  }
}

void RowCollector::match(const MatchStmt& match) {
  if (!match.subject->type->is(TypeKind::Sum)) return;
  for (const MatchArm& arm : match.arms) {
    const Type* payload = match.subject->type->sum->variants[arm.variant].payload;
    if (arm.drops_payload && payload != nullptr && types_.holds_heap(payload)) add(Label::Free);
  }
}

void RowCollector::storage(const Local& local) {
  add(Label::ZeroInit);
  if (local.kind == LocalKind::Stack) return add(Label::StackStorage);
  add(Label::Trap);
  if (local.type->placement == Placement::Host) return add(Label::Alloc, Label::Free);
  add(Label::GpuAlloc, Label::GpuFree);
}

void RowCollector::cooperative(const CooperativeStmt& region) {
  add(region.device ? Label::ParDevice : Label::ParHost, Label::Trap);
  for (const ThreadBody* body : {&region.blocks, &region.finish}) {
    const bool zeroes = !body->pipelines.empty() || std::ranges::any_of(body->arrays, &SharedStmt::zeroed);
    if (zeroes) add(Label::ZeroInit);
  }
}

void RowCollector::parallel(const ParallelStmt& parallel) {
  expression(*parallel.extent);
  inner(*parallel.lane);
  region(parallel.device);
}

void RowCollector::collector(bool device, bool pooled) {
  if (device) {
    add(Label::ParDevice, Label::GpuAlloc, Label::GpuFree);
  } else if (pooled) {
    add(Label::ParHost);
  }
}

void RowCollector::checked_total(const Type* type) {
  if (type->element != nullptr && !type->is_scalar()) type = type->element;
  if (type->is_integer()) add(Label::Trap);
}

void RowCollector::reduce(const ReduceStmt& reduce) {
  if (reduce.warp) {
    if (reduce.reducer == Reducer::Add) checked_total(reduce.warp_value->type);
    return;
  }
  collector(reduce.device, reduce.parallel);
  if (reduce.reducer == Reducer::Add && reduce.lane != nullptr && reduce.lane->result != nullptr) {
    checked_total(reduce.lane->result);
  }
  if (reduce.target != nullptr) write(*reduce.target);
}

}  // namespace cairn::checked
