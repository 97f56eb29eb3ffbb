#include "frontend/syntax/printer_internal.hpp"

namespace cairn::syntax {

void Printer::block(const Block& block) {
  if (block.statements.empty()) return text("{}");
  text("{");
  ++indent_;
  for (const Stmt* one : block.statements) {
    line();
    statement(*one);
  }
  --indent_;
  line();
  text("}");
}

void Printer::statement(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::Let:
      return let(stmt.as<LetStmt>());
    case StmtKind::Unpack: {
      const auto& unpack = stmt.as<UnpackStmt>();
      text(unpack.is_mutable ? "let mut " : "let ");
      path(unpack.record);
      text("(");
      names(unpack.names);
      text(") = ");
      expression(*unpack.value);
      return text(";");
    }
    case StmtKind::Assign:
      expression(*stmt.as<AssignStmt>().place);
      text(" = ");
      expression(*stmt.as<AssignStmt>().value);
      return text(";");
    case StmtKind::Compound: {
      const auto& compound = stmt.as<CompoundStmt>();
      expression(*compound.place);
      text(" = (");
      expression(*compound.place);
      text(" ");
      text(operator_text(compound.op));
      text(" ");
      expression(*compound.value);
      return text(");");
    }
    case StmtKind::If:
      return if_chain(stmt.as<IfStmt>());
    case StmtKind::While:
      text("while ");
      expression(*stmt.as<WhileStmt>().condition);
      text(" ");
      return block(*stmt.as<WhileStmt>().body);
    case StmtKind::ForRange: {
      const auto& loop = stmt.as<ForRangeStmt>();
      text("for ");
      name(loop.binder);
      text(" in ");
      if (loop.lo == nullptr) {
        text("0");
      } else {
        expression(*loop.lo);
      }
      text("..");
      expression(*loop.hi);
      text(" ");
      return block(*loop.body);
    }
    case StmtKind::ForEach: {
      const auto& loop = stmt.as<ForEachStmt>();
      text("for ");
      if (loop.has_index) {
        name(loop.index);
        text(", ");
      }
      name(loop.binder);
      text(" in ");
      expression(*loop.subject);
      text(" ");
      return block(*loop.body);
    }
    case StmtKind::Match:
      return match(stmt.as<MatchStmt>());
    case StmtKind::Return:
      text("return");
      if (stmt.as<ReturnStmt>().value != nullptr) {
        text(" ");
        expression(*stmt.as<ReturnStmt>().value);
      }
      return text(";");
    case StmtKind::Break:
      return text("break;");
    case StmtKind::Continue:
      return text("continue;");
    case StmtKind::Defer:
      text("defer ");
      return statement(*stmt.as<DeferStmt>().deferred);
    case StmtKind::Unsafe:
      text("unsafe ");
      return block(*stmt.as<UnsafeStmt>().body);
    case StmtKind::Block:
      return block(*stmt.as<BlockStmt>().body);
    case StmtKind::Storage:
      return storage(stmt.as<StorageStmt>());
    case StmtKind::Parallel: {
      const auto& region = stmt.as<ParallelStmt>();
      text("parallel ");
      name(region.binder);
      text(" in ");
      expression(*region.extent);
      after(region.after);
      text(" ");
      return block(*region.body);
    }
    case StmtKind::Compact:
      return compact(stmt.as<CompactStmt>());
    case StmtKind::Reduce:
      return reduce(stmt.as<ReduceStmt>());
    case StmtKind::Scan:
      return scan(stmt.as<ScanStmt>());
    case StmtKind::Into:
      expression(*stmt.as<IntoStmt>().spawn);
      text(" into ");
      name(stmt.as<IntoStmt>().group);
      return text(";");
    case StmtKind::Expression:
      expression(*stmt.as<ExpressionStmt>().value);
      return text(";");
    case StmtKind::Blocks:
      return blocks(stmt.as<BlocksStmt>());
    case StmtKind::Shared: {
      const auto& shared = stmt.as<SharedStmt>();
      text("shared ");
      name(shared.name);
      text(":");
      path(shared.element);
      text("[");
      expression(*shared.extent);
      return text(shared.zeroed ? "] = zeroed;" : "];");
    }
    case StmtKind::Pipeline: {
      const auto& pipeline = stmt.as<PipelineStmt>();
      text("pipeline ");
      name(pipeline.name);
      text(":");
      path(pipeline.element);
      text("[");
      expression(*pipeline.extent);
      text("] depth ");
      expression(*pipeline.depth);
      return text(";");
    }
    case StmtKind::Barrier:
      return text("barrier;");
    case StmtKind::Asm:
      return assembly(stmt.as<AsmStmt>());
    case StmtKind::Each:
      text("each ");
      each_head(stmt.as<EachStmt>().head);
      text(" ");
      return block(*stmt.as<EachStmt>().body);
    case StmtKind::Require:
      text("require ");
      expression(*stmt.as<RequireStmt>().condition);
      text(", ");
      text(quoted_literal(stmt.as<RequireStmt>().message));
      return text(";");
  }
}

void Printer::let(const LetStmt& let) {
  text(let.is_mutable ? "let mut " : "let ");
  name(let.name);
  if (let.type != nullptr) {
    text(":");
    type(*let.type);
  }
  text(" = ");
  if (let.contracted != nullptr) return statement(*let.contracted);
  expression(*let.value);
  text(";");
}

/// `else if` chains are walked in a loop: a block of one `if` behind `else` prints as one.
void Printer::if_chain(const IfStmt& first) {
  const IfStmt* branch = &first;
  while (true) {
    text("if ");
    expression(*branch->condition);
    text(" ");
    block(*branch->then);
    if (branch->otherwise == nullptr) return;
    text(" else ");
    const auto inner = branch->otherwise->statements;
    if (inner.size() != 1 || inner.front()->kind != StmtKind::If) return block(*branch->otherwise);
    branch = &inner.front()->as<IfStmt>();
  }
}

void Printer::match(const MatchStmt& match) {
  text("match ");
  expression(*match.subject);
  text(" {");
  ++indent_;
  for (const MatchArm& arm : match.arms) {
    line();
    path(arm.variant);
    if (arm.has_binder) {
      text("(");
      name(arm.binder);
      text(")");
    }
    text(" => ");
    block(*arm.body);
  }
  --indent_;
  if (!match.arms.empty()) line();
  text("}");
}

void Printer::storage(const StorageStmt& storage) {
  text(storage.stack ? "stack " : "buffer ");
  name(storage.name);
  text(":");
  type(*storage.element);
  text("[");
  expression(*storage.capacity);
  text("]");
  if (storage.has_placement) {
    text("@");
    text(placement_text(storage.placement));
  }
  text(" = zeroed;");
}

// ------------------------------------------------------------------------------------------------------------ regions

void Printer::compact(const CompactStmt& compact) {
  text("compact ");
  name(compact.output);
  text(" for ");
  name(compact.binder);
  text(" in ");
  expression(*compact.extent);
  text(" where ");
  expression(*compact.condition);
  text(" yield ");
  expression(*compact.yield);
  text(";");
}

void Printer::reduce(const ReduceStmt& reduce) {
  text("reduce ");
  text(reducer_text(reduce.reducer));
  if (reduce.has_target) {
    text(" ");
    name(reduce.target);
    text("[");
    expression(*reduce.target_index);
    text("]");
  }
  if (reduce.warp) {
    text(" warp");
  } else {
    text(reduce.parallel ? " parallel " : " for ");
    name(reduce.binder);
    text(" in ");
    expression(*reduce.extent);
  }
  text(" yield ");
  expression(*reduce.yield);
  text(";");
}

void Printer::scan(const ScanStmt& scan) {
  text("scan ");
  text(reducer_text(scan.reducer));
  text(scan.exclusive ? " exclusive " : " ");
  name(scan.output);
  text(scan.parallel ? " parallel " : " for ");
  name(scan.binder);
  text(" in ");
  expression(*scan.extent);
  text(" yield ");
  expression(*scan.yield);
  text(";");
}

void Printer::blocks(const BlocksStmt& region) {
  text("blocks ");
  names(region.block_names);
  text(" in ");
  expressions(region.block_extents);
  text(" threads ");
  names(region.thread_names);
  text(" in ");
  expressions(region.thread_extents);
  text(" ");
  block(*region.body);
  if (!region.has_then) return;
  text(" then threads ");
  names(region.then_names);
  text(" in ");
  expressions(region.then_extents);
  text(" ");
  block(*region.then_body);
}

void Printer::assembly(const AsmStmt& assembly) {
  text(assembly.is_volatile ? "asm volatile " : "asm ");
  name(assembly.target);
  text(" ");
  if (assembly.has_second) {
    name(assembly.second);
    text(" ");
  }
  text(quoted_literal(assembly.text));
  if (!assembly.operands.empty()) {
    text(" (");
    list(assembly.operands, ", ", [this](const AsmOperand& operand) {
      if (!operand.output) return expression(*operand.value);
      text("out ");
      name(operand.name);
      text(":");
      type(*operand.type);
      if (operand.value == nullptr) return;
      text(" = ");
      expression(*operand.value);
    });
    text(")");
  }
  if (!assembly.clobbers.empty()) {
    text(" clobbers(");
    names(assembly.clobbers);
    text(")");
  }
  if (assembly.has_effects) {
    text(" effects(");
    labels(assembly.effects);
    text(")");
  }
  text(";");
}

}  // namespace cairn::syntax
