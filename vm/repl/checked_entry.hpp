// One check of the session's whole program with an entry at its end, and the entry's statements made ready to run.
#pragma once

#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/check/program.hpp"
#include "vm/lower/lower.hpp"
#include "vm/session.hpp"

namespace cairn::repl {

inline constexpr std::string_view kFile = "repl";
inline constexpr std::string_view kSessionFunction = "repl__session";
/// Templates whose call stands around an expression: what they are given is the value to show.
inline constexpr std::string_view kLook = "repl__look";
inline constexpr std::string_view kLookAtView = "repl__view";
/// What a value is bound to that can only be shown so: an owner that a call gives.
inline constexpr std::string_view kBoundValue = "repl__bound";

/// A type as the language writes it.
[[nodiscard]] std::string type_text(const Type& type);

/// The locals a statement of the session binds.
[[nodiscard]] std::vector<checked::Local*> bound_by(const checked::Stmt& statement);
/// Whether a statement names a local, in its closures and lanes too.
[[nodiscard]] bool touches(const checked::Stmt& statement, const checked::Local& local);
/// Whether values of a type hold functions or tables of one module, which another numbers anew.
[[nodiscard]] bool holds_functions(const Type& type);
/// What the bytes of a value hold: its type with records and sums taken apart. Two types of one name and one layout lie
/// in memory alike.
[[nodiscard]] std::string layout_text(const Type& type, const NameTable& names);

/// A statement as the body of a function whose parameters are the bindings of the session, lent rw: a local that is
/// lent stands for what lies behind it, so the statement's own nodes need no change.
struct RunnableStatement {
  struct Parameter {
    checked::Local* local = nullptr;
    std::string name;            // of the binding
    const Type* type = nullptr;  // of the binding; of a buffer its Buf, or its view when it was bound before
    bool is_new = false;         // this statement binds it
    bool is_mutable = false;
    bool is_buffer = false;
  };
  std::vector<Parameter> parameters;
  std::vector<const checked::Stmt*> body;
  const checked::Local* shown = nullptr;  // the parameter that receives a value to show
  const checked::Expr* viewed = nullptr;  // or the view to show, for which nothing runs
};

class CheckedEntry {
 public:
  /// `text` is the program; the entry stands at `entry`, and the statements made of it begin at `begin`.
  /// `program` is a path whose declarations are in scope, or empty.
  CheckedEntry(std::string text, std::size_t begin, std::size_t entry, std::size_t size, const std::string& program,
               SessionOptions options);

  [[nodiscard]] bool accepted() const { return session_->accepted(); }
  [[nodiscard]] const Session& session() const { return *session_; }
  [[nodiscard]] const Diagnostic& refusal() const { return session_->verdict().refusals.front(); }
  [[nodiscard]] std::unique_ptr<Session> take_session() { return std::move(session_); }
  [[nodiscard]] const std::string& entry_text() const { return entry_text_; }
  /// Bytes of the program before the entry.
  [[nodiscard]] std::size_t entry_offset() const { return entry_; }
  /// Where the entry begins, in the program.
  [[nodiscard]] Position entry_begin() const { return at(entry_); }
  /// A position of the program as one of the entry alone; none for what stands elsewhere.
  [[nodiscard]] Position in_entry(Position position, const SourceMap& alone) const;

  /// The growing function; the program is accepted.
  [[nodiscard]] checked::Function& function() const { return *function_; }
  /// The statements of the entry.
  [[nodiscard]] std::vector<const checked::Stmt*> statements() const;
  [[nodiscard]] RunnableStatement runnable(const checked::Stmt& statement);
  /// The module whose one root runs it; why there is none.
  [[nodiscard]] std::expected<lower::Lowered, Diagnostic> lower(const RunnableStatement& statement);

 private:
  void add_parameter(RunnableStatement& made, checked::Local* local);
  checked::Local* hidden(const Type* type, Name name);
  const checked::Expr* local(checked::Local* which, const Type* type);
  const checked::Stmt* assignment(checked::Local* to, const Type* type, const checked::Expr* value);
  checked::LoadExpr* load(const checked::Expr* place);
  void show(RunnableStatement& made, const checked::CallExpr& look);
  template <class T>
  T* make(checked::ExprKind kind, const Type* type);

  [[nodiscard]] Compilation& compilation() const { return session_->compilation(); }
  [[nodiscard]] Position at(std::size_t offset) const;

  std::unique_ptr<Session> session_;
  std::size_t begin_;
  std::size_t entry_;
  std::size_t size_;
  std::string entry_text_;
  checked::Function* function_ = nullptr;
};

}  // namespace cairn::repl
