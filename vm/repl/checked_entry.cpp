#include "vm/repl/checked_entry.hpp"

#include <algorithm>
#include <set>

#include "frontend/check/tree_walk.hpp"
#include "vm/lower/lower.hpp"
#include "vm/lower_for_use.hpp"

namespace cairn::repl {

using checked::Expr;
using checked::ExprKind;
using checked::Local;
using checked::LocalKind;
using checked::Stmt;
using checked::StmtKind;

namespace {

bool holds_functions(const Type& type, std::set<const Type*>& seen) {
  if (!seen.insert(&type).second) return false;
  const auto inside = [&](const Type* part) { return part != nullptr && holds_functions(*part, seen); };
  switch (type.kind) {
    case TypeKind::Function:
    case TypeKind::Dyn:
      return true;
    case TypeKind::Record:
      return std::ranges::any_of(type.record->fields, inside, &RecordField::type);
    case TypeKind::Sum:
      return std::ranges::any_of(type.sum->variants, inside, &SumVariant::payload);
    default:
      return inside(type.element);
  }
}

}  // namespace

bool holds_functions(const Type& type) {
  std::set<const Type*> seen;
  return holds_functions(type, seen);
}

std::string type_text(const Type& type) {
  std::string text(type.name);
  if (text.ends_with("@host")) text.resize(text.size() - 5);
  return text;
}

std::vector<Local*> bound_by(const Stmt& statement) {
  std::vector<Local*> bound;
  const auto add = [&](Local* local) {
    if (local != nullptr && local->name) bound.push_back(local);
  };
  switch (statement.kind) {
    case StmtKind::Let:
      add(statement.as<checked::LetStmt>().local);
      break;
    case StmtKind::Unpack:
      std::ranges::for_each(statement.as<checked::UnpackStmt>().locals, add);
      break;
    case StmtKind::Storage:
      add(statement.as<checked::StorageStmt>().local);
      break;
    case StmtKind::Reduce:
      add(statement.as<checked::ReduceStmt>().result);
      break;
    case StmtKind::Scan:
      add(statement.as<checked::ScanStmt>().total);
      break;
    case StmtKind::Compact:
      add(statement.as<checked::CompactStmt>().count);
      break;
    default:
      break;
  }
  return bound;
}

bool touches(const Stmt& statement, const Local& local) {
  const auto captures = [&](const checked::Function& body) {
    return std::ranges::find(body.captures, &local) != body.captures.end();
  };
  bool found = statement.kind == StmtKind::Into && statement.as<checked::IntoStmt>().group == &local;
  checked::for_each_part(
      statement,
      [&](const Expr& value) {
        found = found || checked::any_expression(value, [&](const Expr& each) {
                  if (each.kind == ExprKind::Closure) return captures(*each.as<checked::ClosureExpr>().body);
                  return each.kind == ExprKind::Local && each.as<checked::LocalExpr>().local == &local;
                });
      },
      [&](const checked::Block& nested) {
        found =
            found || std::ranges::any_of(nested.statements, [&](const Stmt* each) { return touches(*each, local); });
      },
      [&](const checked::Function& lane) { found = found || captures(lane); });
  return found;
}

namespace {

std::unique_ptr<Session> opened(std::string text, const std::string& program, SessionOptions options) {
  if (program.empty()) return Session::open_text(std::string(kFile), std::move(text), options);
  options.leading_name = kFile;
  options.leading_text = std::move(text);
  return Session::open(program, options);
}

class LayoutWriter {
 public:
  explicit LayoutWriter(const NameTable& names) : names_(names) {}

  std::string text;

  void write(const Type& type) {
    if (type.is(TypeKind::View)) {  // its extent is no part of what lies there
      text += "view<";
      write(*type.element);
      text += ">";
      return;
    }
    text += type.name;
    if (std::ranges::find(open_, &type) != open_.end()) return;
    open_.push_back(&type);
    if (type.is(TypeKind::Record)) {
      const RecordInfo& record = *type.record;
      text += "(" + std::to_string(record.align) + (record.packed ? "p" : "") + (record.linear ? "l" : "");
      for (const RecordField& field : record.fields) part(field.name, field.type);
      text += ")";
    } else if (type.is(TypeKind::Sum)) {
      text += "{";
      for (const SumVariant& variant : type.sum->variants) part(variant.name, variant.payload);
      text += "}";
    } else if (type.element != nullptr) {
      text += "<";
      write(*type.element);
      text += ">";
    }
    open_.pop_back();
  }

 private:
  void part(Name name, const Type* type) {
    text += " ";
    text += names_.text(name);
    text += ":";
    if (type != nullptr) write(*type);
  }

  const NameTable& names_;
  std::vector<const Type*> open_;
};

}  // namespace

std::string layout_text(const Type& type, const NameTable& names) {
  LayoutWriter writer(names);
  writer.write(type);
  return std::move(writer.text);
}

CheckedEntry::CheckedEntry(std::string text, std::size_t begin, std::size_t entry, std::size_t size,
                           const std::string& program, SessionOptions options)
    : begin_(begin), entry_(entry), size_(size), entry_text_(text.substr(entry, size)) {
  session_ = opened(std::move(text), program, std::move(options));
  if (!accepted()) return;
  for (const auto& each : session_->program().functions) {
    if (each->kind == checked::FunctionKind::Function && each->name == kSessionFunction) function_ = each.get();
  }
}

Position CheckedEntry::at(std::size_t offset) const {
  const SourceMap& sources = session_->sources();
  if (sources.size() == 0) return {};  // the program's project is gone
  return {sources.file(0).begin + static_cast<std::uint32_t>(offset)};
}

Position CheckedEntry::in_entry(Position position, const SourceMap& alone) const {
  if (!position || position < at(entry_) || position > at(entry_ + size_)) return {};
  return {alone.file(0).begin + position.offset - at(entry_).offset};
}

std::vector<const Stmt*> CheckedEntry::statements() const {
  std::vector<const Stmt*> found;
  for (const Stmt* each : function_->body->statements) {
    if (each->position >= at(begin_) && each->position <= at(entry_ + size_)) found.push_back(each);
  }
  return found;
}

// ------------------------------------------------------------------------------------------------- nodes

template <class T>
T* CheckedEntry::make(ExprKind kind, const Type* type) {
  T* node = compilation().arena.make<T>();
  node->kind = kind;
  node->type = type;
  node->position = at(entry_);
  return node;
}

const Expr* CheckedEntry::local(Local* which, const Type* type) {
  auto* node = make<checked::LocalExpr>(ExprKind::Local, type);
  node->local = which;
  return node;
}

checked::LoadExpr* CheckedEntry::load(const Expr* place) {
  auto* node = make<checked::LoadExpr>(ExprKind::Load, place->type);
  node->place = place;
  return node;
}

const Stmt* CheckedEntry::assignment(Local* to, const Type* type, const Expr* value) {
  auto* statement = compilation().arena.make<checked::AssignStmt>();
  statement->kind = StmtKind::Assign;
  statement->position = at(entry_);
  statement->place = local(to, type);
  statement->value = value;
  return statement;
}

/// A local of the growing function that no text declares.
Local* CheckedEntry::hidden(const Type* type, Name name) {
  Local* made = compilation().arena.make<Local>();
  made->name = name;
  made->type = type;
  made->kind = LocalKind::Let;
  made->owner = function_;
  made->position = at(entry_);
  made->index = static_cast<std::uint32_t>(function_->locals.size());
  function_->locals.push_back(made);
  return made;
}

// ------------------------------------------------------------------------------------------------- statements

/// A local that is a parameter already was made one for an earlier statement of the entry.
void CheckedEntry::add_parameter(RunnableStatement& made, Local* local) {
  RunnableStatement::Parameter parameter;
  parameter.local = local;
  parameter.name = compilation().names.text(local->name);
  parameter.is_mutable = local->is_mutable;
  const bool is_view = local->type->is(TypeKind::View);
  if (local->kind == LocalKind::Parameter) {
    parameter.type = is_view ? local->type : local->type->element;
  } else {
    parameter.type = local->type;
    if (!is_view) local->type = compilation().types->borrow(BorrowMode::Rw, local->type);
    local->kind = LocalKind::Parameter;
    local->extent = nullptr;
  }
  made.parameters.push_back(std::move(parameter));
}

RunnableStatement CheckedEntry::runnable(const Stmt& statement) {
  RunnableStatement made;
  for (const Stmt* each : function_->body->statements) {
    if (each == &statement) break;
    for (Local* local : bound_by(*each)) add_parameter(made, local);
  }
  const std::size_t old = made.parameters.size();
  const std::vector<Local*> bound = bound_by(statement);
  switch (statement.kind) {
    case StmtKind::Let: {
      if (bound.empty()) {
        made.body = {&statement};
        break;
      }
      const Type* type = bound.front()->type;
      add_parameter(made, bound.front());
      made.body = {assignment(bound.front(), type, statement.as<checked::LetStmt>().value)};
      break;
    }
    case StmtKind::Storage: {  // elements on the heap, which a later statement is given as a view
      const Type* type = compilation().types->buf(bound.front()->type->element);
      auto* value = make<checked::BufNewExpr>(ExprKind::BufNew, type);
      value->count = statement.as<checked::StorageStmt>().count;
      Local* storage = hidden(type, bound.front()->name);
      add_parameter(made, storage);
      made.parameters.back().is_buffer = true;
      made.body = {assignment(storage, type, value)};
      break;
    }
    case StmtKind::Unpack:
    case StmtKind::Reduce:
    case StmtKind::Scan:
    case StmtKind::Compact:  // bound as written, under locals of their own, and then kept
      made.body = {&statement};
      for (Local* local : bound) {
        const Type* type = local->type;
        checked::LoadExpr* value = load(this->local(local, type));
        value->moves = !type->is_copy();
        local->moved = local->moved || value->moves;
        Local* kept = hidden(type, local->name);
        kept->is_mutable = local->is_mutable;
        add_parameter(made, kept);
        made.body.push_back(assignment(kept, type, value));
      }
      break;
    case StmtKind::Expression: {
      const Expr& value = *statement.as<checked::ExpressionStmt>().value;
      const std::string_view callee =
          value.kind == ExprKind::Call ? value.as<checked::CallExpr>().callee->name : std::string_view();
      if (callee.starts_with(kLookAtView)) {
        made.viewed = value.as<checked::CallExpr>().arguments[1];
      } else if (callee.starts_with(kLook)) {
        show(made, value.as<checked::CallExpr>());
      } else {
        made.body = {&statement};
      }
      break;
    }
    default:
      made.body = {&statement};
      break;
  }
  for (std::size_t k = old; k < made.parameters.size(); ++k) made.parameters[k].is_new = true;
  return made;
}

/// What stands in repl__look(..): the value itself, or a copy of what is lent, for as long as it is shown.
void CheckedEntry::show(RunnableStatement& made, const checked::CallExpr& look) {
  const Expr* value = look.arguments[0];
  if (value->kind == ExprKind::LendTemporary) {
    value = value->as<checked::LendTemporaryExpr>().value;
  } else if (value->kind == ExprKind::Lend) {
    value = load(value->as<checked::LendExpr>().place);
  }
  Local* shown = hidden(value->type, compilation().names.intern("repl__value"));
  const Type* type = value->type;
  add_parameter(made, shown);
  made.shown = shown;
  made.body = {assignment(shown, type, value)};
}

std::expected<lower::Lowered, Diagnostic> CheckedEntry::lower(const RunnableStatement& statement) {
  Arena& arena = compilation().arena;
  std::vector<Local*> parameters;
  for (const RunnableStatement::Parameter& parameter : statement.parameters) parameters.push_back(parameter.local);
  auto* block = arena.make<checked::Block>();
  block->statements = arena.copy(statement.body);
  const checked::Block* whole = function_->body;
  function_->parameters = arena.copy(parameters);
  function_->body = block;
  lower::Options options;
  options.entry = false;
  options.roots.push_back(function_);
  auto lowered = lower_for_use(*session_, options);
  function_->body = whole;
  return lowered;
}

}  // namespace cairn::repl
