#include "frontend/syntax/dump.hpp"

#include <array>
#include <vector>

#include "frontend/syntax/lexer.hpp"
#include "frontend/syntax/printer.hpp"

namespace cairn::syntax {

namespace {

std::string place(const SourceMap& sources, Position position) {
  const Location at = sources.locate(position);
  return std::to_string(at.line) + ":" + std::to_string(at.column);
}

class TreeDump {
 public:
  TreeDump(const SourceMap* sources, const NameTable& names, std::string& out)
      : sources_(sources), names_(names), out_(out) {}

  void declaration(const Decl& decl);
  void expression(const Expr& expr);

 private:
  // ------------------------------------------------------------------------------------------------------ lines
  void line(Position position, std::string_view word) {
    if (!out_.empty()) out_.push_back('\n');
    out_.append(static_cast<std::size_t>(depth_) * 2, ' ');
    if (sources_ != nullptr && position) out_.append(place(*sources_, position)).push_back(' ');
    out_.append(word);
  }
  void word(std::string_view text) { out_.append(" ").append(text); }
  void word(const Identifier& name) { word(names_.text(name.name)); }
  void word(const Expr* expr) {
    out_.push_back(' ');
    expression(*expr);
  }
  void words(List<const Identifier> list) {
    for (const Identifier& one : list) word(one);
  }
  void words(List<const Expr* const> list) {
    for (const Expr* one : list) word(one);
  }
  void type(const TypeExpr* written) {
    if (written != nullptr) out_.append(" : ").append(print(*written, names_));
  }
  template <class Function>
  void inside(Function function) {
    ++depth_;
    function();
    --depth_;
  }
  void body(const Block& block) {
    inside([&] {
      for (const Stmt* one : block.statements) statement(*one);
    });
  }
  void clause(std::string_view name, const Block& block) {
    inside([&] {
      line({}, name);
      body(block);
    });
  }

  // ------------------------------------------------------------------------------------------------------ nodes
  void statement(const Stmt& stmt);
  void if_chain(const IfStmt& first);
  void matching(const MatchStmt& match);
  void simple(const Stmt& stmt, std::string_view word);
  void signature(const Signature& signature);
  void recipe_item(const RecipeItem& item);
  void prefix_chain(const Expr& expr);
  void each(const EachHead& head);

  const SourceMap* sources_;
  const NameTable& names_;
  std::string& out_;
  int depth_ = 0;
};

// ----------------------------------------------------------------------------------------------------------
// expressions

const Expr* left_of(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Binary:
      return expr.as<BinaryExpr>().left;
    case ExprKind::Call:
      return expr.as<CallExpr>().callee;
    case ExprKind::Bracket:
      return expr.as<BracketExpr>().base;
    case ExprKind::Part:
      return expr.as<PartExpr>().base;
    case ExprKind::Member:
      return expr.as<MemberExpr>().base;
    default:
      return nullptr;
  }
}

std::string_view head_of(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Binary:
      return operator_text(expr.as<BinaryExpr>().op);
    case ExprKind::Call:
      return "call";
    case ExprKind::Bracket:
      return "index";
    case ExprKind::Part:
      return "part";
    default:
      return ".";
  }
}

/// Nodes whose first operand stands leftmost: such a chain may be of any length, so it is walked in a loop.
void TreeDump::prefix_chain(const Expr& expr) {
  std::vector<const Expr*> chain;
  const Expr* leftmost = &expr;
  for (const Expr* next = left_of(expr); next != nullptr; next = left_of(*next)) {
    chain.push_back(leftmost);
    out_.append("(").append(head_of(*leftmost)).push_back(' ');
    leftmost = next;
  }
  expression(*leftmost);
  for (; !chain.empty(); chain.pop_back()) {
    const Expr& node = *chain.back();
    switch (node.kind) {
      case ExprKind::Binary:
        word(node.as<BinaryExpr>().right);
        break;
      case ExprKind::Call:
        words(node.as<CallExpr>().arguments);
        break;
      case ExprKind::Bracket:
        words(node.as<BracketExpr>().arguments);
        break;
      case ExprKind::Part:
        word(node.as<PartExpr>().lo);
        word(node.as<PartExpr>().hi);
        break;
      default:
        word(node.as<MemberExpr>().member);
    }
    out_.push_back(')');
  }
}

void TreeDump::each(const EachHead& head) {
  word(head.binder);
  word(head.lo);
  if (head.hi != nullptr) word(head.hi);
  for (const StaticBinding& binding : head.wheres) {
    out_.append(" (where");
    word(binding.name);
    word(binding.value);
    out_.push_back(')');
  }
}

void TreeDump::expression(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::Unary:
      out_.append("(").append(operator_text(expr.as<UnaryExpr>().op));
      word(expr.as<UnaryExpr>().operand);
      break;
    case ExprKind::Try:
      out_.append("(try");
      word(expr.as<TryExpr>().operand);
      break;
    case ExprKind::Spawn: {
      const auto& spawn = expr.as<SpawnExpr>();
      out_.append(spawn.operand != nullptr ? "(spawn" : "(spawn-parallel");
      if (spawn.operand != nullptr) {
        word(spawn.operand);
      } else {
        word(spawn.binder);
        word(spawn.extent);
      }
      if (!spawn.after.empty()) word("after");
      words(spawn.after);
      if (spawn.body != nullptr) body(*spawn.body);
      break;
    }
    case ExprKind::Closure: {
      const auto& closure = expr.as<ClosureExpr>();
      out_.append("(closure");
      for (const Parameter& parameter : closure.parameters) {
        word(parameter.name);
        type(parameter.type);
      }
      if (closure.result != nullptr) word("->");
      type(closure.result);
      body(*closure.body);
      break;
    }
    case ExprKind::Each:
      out_.append("(each");
      each(expr.as<EachExpr>().head);
      out_.append(" {");
      words(expr.as<EachExpr>().values);
      out_.append(" }");
      break;
    case ExprKind::Fold: {
      const auto& fold = expr.as<FoldExpr>();
      out_.append("(fold");
      word(fold.is_operator ? std::string(operator_text(fold.op)) : print(fold.function, names_));
      word(fold.each);
      break;
    }
    case ExprKind::Binary:
    case ExprKind::Call:
    case ExprKind::Bracket:
    case ExprKind::Part:
    case ExprKind::Member:
      return prefix_chain(expr);
    default:  // one token
      out_.append(print(expr, names_));
      return;
  }
  out_.push_back(')');
}

// ---------------------------------------------------------------------------------------------------------- statements

void TreeDump::if_chain(const IfStmt& first) {
  std::string_view head = "if";
  for (const IfStmt* branch = &first; branch != nullptr;) {
    line(branch->position, head);
    word(branch->condition);
    body(*branch->then);
    const Block* otherwise = branch->otherwise;
    branch = nullptr;
    if (otherwise == nullptr) return;
    if (otherwise->statements.size() == 1 && otherwise->statements.front()->kind == StmtKind::If) {
      branch = &otherwise->statements.front()->as<IfStmt>();
      head = "else-if";
    } else {
      line({}, "else");
      body(*otherwise);
    }
  }
}

void TreeDump::matching(const MatchStmt& match) {
  line(match.position, "match");
  word(match.subject);
  inside([&] {
    for (const MatchArm& arm : match.arms) {
      line(arm.position, "arm");
      word(print(arm.variant, names_));
      if (arm.has_binder) word(arm.binder);
      body(*arm.body);
    }
  });
}

/// A statement without a body: its source form on one line.
void TreeDump::simple(const Stmt& stmt, std::string_view word) {
  line(stmt.position, word);
  std::string source = print(stmt, names_);
  source.erase(0, source.find_first_of(" ;"));  // the statement's own word
  if (source.ends_with(';')) source.pop_back();
  out_.append(source);
}

void TreeDump::statement(const Stmt& stmt) {
  switch (stmt.kind) {
    case StmtKind::Let: {
      const auto& let = stmt.as<LetStmt>();
      line(stmt.position, let.is_mutable ? "let-mut" : "let");
      word(let.name);
      type(let.type);
      if (let.value != nullptr) {
        word("=");
        return word(let.value);
      }
      return inside([&] { statement(*let.contracted); });
    }
    case StmtKind::Unpack: {
      const auto& unpack = stmt.as<UnpackStmt>();
      line(stmt.position, unpack.is_mutable ? "unpack-mut" : "unpack");
      word(print(unpack.record, names_));
      words(unpack.names);
      word("=");
      return word(unpack.value);
    }
    case StmtKind::Assign:
      line(stmt.position, "assign");
      word(stmt.as<AssignStmt>().place);
      return word(stmt.as<AssignStmt>().value);
    case StmtKind::Compound:
      line(stmt.position, "assign");
      word(std::string(operator_text(stmt.as<CompoundStmt>().op)) + "=");
      word(stmt.as<CompoundStmt>().place);
      return word(stmt.as<CompoundStmt>().value);
    case StmtKind::If:
      return if_chain(stmt.as<IfStmt>());
    case StmtKind::While:
      line(stmt.position, "while");
      word(stmt.as<WhileStmt>().condition);
      return body(*stmt.as<WhileStmt>().body);
    case StmtKind::ForRange: {
      const auto& loop = stmt.as<ForRangeStmt>();
      line(stmt.position, "for");
      word(loop.binder);
      if (loop.lo == nullptr) {
        word("0");
      } else {
        word(loop.lo);
      }
      word(loop.hi);
      return body(*loop.body);
    }
    case StmtKind::ForEach: {
      const auto& loop = stmt.as<ForEachStmt>();
      line(stmt.position, "for-each");
      if (loop.has_index) word(loop.index);
      word(loop.binder);
      word("in");
      word(loop.subject);
      return body(*loop.body);
    }
    case StmtKind::Match:
      return matching(stmt.as<MatchStmt>());
    case StmtKind::Return:
      line(stmt.position, "return");
      if (stmt.as<ReturnStmt>().value != nullptr) word(stmt.as<ReturnStmt>().value);
      return;
    case StmtKind::Break:
      return line(stmt.position, "break");
    case StmtKind::Continue:
      return line(stmt.position, "continue");
    case StmtKind::Defer:
      line(stmt.position, "defer");
      return inside([&] { statement(*stmt.as<DeferStmt>().deferred); });
    case StmtKind::Unsafe:
      line(stmt.position, "unsafe");
      return body(*stmt.as<UnsafeStmt>().body);
    case StmtKind::Block:
      line(stmt.position, "block");
      return body(*stmt.as<BlockStmt>().body);
    case StmtKind::Storage:
      return simple(stmt, stmt.as<StorageStmt>().stack ? "stack" : "buffer");
    case StmtKind::Parallel: {
      const auto& region = stmt.as<ParallelStmt>();
      line(stmt.position, "parallel");
      word(region.binder);
      word(region.extent);
      if (!region.after.empty()) word("after");
      words(region.after);
      return body(*region.body);
    }
    case StmtKind::Compact:
      return simple(stmt, "compact");
    case StmtKind::Reduce:
      return simple(stmt, "reduce");
    case StmtKind::Scan:
      return simple(stmt, "scan");
    case StmtKind::Into:
      line(stmt.position, "into");
      word(stmt.as<IntoStmt>().group);
      return word(stmt.as<IntoStmt>().spawn);
    case StmtKind::Expression:
      line(stmt.position, "do");
      return word(stmt.as<ExpressionStmt>().value);
    case StmtKind::Blocks: {
      const auto& region = stmt.as<BlocksStmt>();
      line(stmt.position, "blocks");
      words(region.block_names);
      word("in");
      words(region.block_extents);
      word("threads");
      words(region.thread_names);
      word("in");
      words(region.thread_extents);
      body(*region.body);
      if (!region.has_then) return;
      line({}, "then threads");
      words(region.then_names);
      word("in");
      words(region.then_extents);
      return body(*region.then_body);
    }
    case StmtKind::Shared:
      return simple(stmt, "shared");
    case StmtKind::Pipeline:
      return simple(stmt, "pipeline");
    case StmtKind::Barrier:
      return line(stmt.position, "barrier");
    case StmtKind::Asm:
      return simple(stmt, "asm");
    case StmtKind::Each:
      line(stmt.position, "each");
      each(stmt.as<EachStmt>().head);
      return body(*stmt.as<EachStmt>().body);
    case StmtKind::Require:
      line(stmt.position, "require");
      word(stmt.as<RequireStmt>().condition);
      return word(quoted_literal(stmt.as<RequireStmt>().message));
  }
}

// ----------------------------------------------------------------------------------------------------------
// declarations

void TreeDump::recipe_item(const RecipeItem& item) {
  switch (item.kind) {
    case RecipeItemKind::Each:
      line(item.position, "each");
      each(item.each);
      return inside([&] {
        for (const RecipeItem& inner : item.items) recipe_item(inner);
      });
    case RecipeItemKind::Require:
      return statement(*item.require);
    case RecipeItemKind::Record:
      line(item.position, "struct");
      return word(item.record);
    case RecipeItemKind::Impl:
      return declaration(*item.impl);
    case RecipeItemKind::Function:
      return declaration(*item.function);
  }
}

void TreeDump::declaration(const Decl& decl) {
  switch (decl.kind) {
    case DeclKind::Function: {
      const auto& function = decl.as<FunctionDecl>();
      line(decl.position, print_head(function, names_));
      return body(*function.body);
    }
    case DeclKind::Impl: {
      const auto& impl = decl.as<ImplDecl>();
      line(decl.position, "impl");
      word(print(impl.trait, names_));
      word("for");
      word(print(*impl.type, names_));
      return inside([&] {
        for (const FunctionDecl* member : impl.members) declaration(*member);
      });
    }
    case DeclKind::Test:
      line(decl.position, "test");
      word(decl.name);
      return body(*decl.as<TestDecl>().body);
    case DeclKind::Recipe:
      line(decl.position, decl.is_public ? "pub recipe" : "recipe");
      word(decl.name);
      return inside([&] {
        for (const RecipeItem& item : decl.as<RecipeDecl>().items) recipe_item(item);
      });
    case DeclKind::Const:
      line(decl.position, decl.is_public ? "pub const" : "const");
      word(decl.name);
      type(decl.as<ConstDecl>().type);
      word("=");
      return word(decl.as<ConstDecl>().value);
    default:
      return line(decl.position, print(decl, names_));
  }
}

}  // namespace

std::string dump_tokens(const SourceMap& sources, std::uint32_t first, std::uint32_t count, NameTable& names) {
  const Words words(names);
  const TokenStream stream = lex(sources, first, count, names, words, Comments::Keep);
  std::string out;
  auto comment = stream.comments.begin();
  const auto row = [&](Position position, Position end, std::string_view kind) {
    out.append(place(sources, position)).append(" ").append(kind);
    if (end != position) out.append(" ").append(sources.text({position, end}));
    out.push_back('\n');
  };
  for (const Token& token : stream.tokens) {
    for (; comment != stream.comments.end() && comment->position < token.position; ++comment) {
      row(comment->position, {comment->position.offset + comment->length}, "Comment");
    }
    row(token.position, token.end(), kind_name(token.kind()));
  }
  return out;
}

std::string dump_tree(const SourceMap& sources, const NameTable& names, const Program& program) {
  std::string out;
  TreeDump dump(&sources, names, out);
  for (const Decl* decl : program.declarations) dump.declaration(*decl);
  if (!out.empty()) out.push_back('\n');
  return out;
}

std::string dump_expression(const NameTable& names, const Expr& expr) {
  std::string out;
  TreeDump(nullptr, names, out).expression(expr);
  return out;
}

}  // namespace cairn::syntax
