// The walk over one body that makes its own row: what it reads, writes and may do, and the edges to what it calls.
#pragma once

#include "frontend/check/assembly.hpp"
#include "frontend/check/checker.hpp"
#include "frontend/check/cooperative.hpp"
#include "frontend/check/row_collection.hpp"
#include "frontend/check/row_labels.hpp"

namespace cairn::checked {

[[nodiscard]] inline bool is_borrow(const Type* type) { return type->is(TypeKind::Borrow) || type->is(TypeKind::View); }

[[nodiscard]] inline bool is_checked_arithmetic(BinaryOp op, const Type* type) {
  if (!type->is_integer()) return false;
  return op == BinaryOp::Add || op == BinaryOp::Subtract || op == BinaryOp::Multiply || op == BinaryOp::Divide ||
         op == BinaryOp::Remainder;
}

class RowCollector {
 public:
  RowCollector(Checker& checker, const Function& function, HeapTypes& types);
  OwnRow run();

 private:
  template <class... Labels>
  void add(Labels... each) {
    row_.fixed |= labels(each...);
  }

  // roots

  /// The place a local is here; kLocalRoot for the function's own.
  std::int32_t place_of(const Local& local) const;

  struct Root {
    const Local* local = nullptr;  // null: a temporary, text
    bool through_element = false;
  };
  static Root root_of(const Expr& expression);
  /// Whether touching the local is touching storage others see: a borrowed parameter, here or further out.
  static bool is_borrowed(const Local& local) { return local.kind == LocalKind::Parameter && is_borrow(local.type); }

  /// A read of a place. Scalars and records of the function's own are no footprint; its arrays and owners' elements
  /// are.
  void read(const Expr& place);
  void write(const Expr& place);
  /// All of an array or owner is touched, as a callee that is lent it would.
  void read_whole(const Expr& lent) { touch_whole(lent, row_.reads, Label::LocalRead); }
  void write_whole(const Expr& lent) { touch_whole(lent, row_.writes, Label::LocalWrite); }
  void touch_whole(const Expr& lent, Places& places, Label local);
  /// What a callee's place is here, for the argument given for it.
  std::int32_t argument_root(const Expr& argument) const;

  // edges

  RowEdge& begin_edge(std::size_t places);
  void call(const Function& callee, List<const Expr* const> arguments);
  /// A closure or lane body counts where it is written: its captures are this function's places or locals.
  void inner(const Function& body);
  /// In a lane, a fn parameter of the enclosing function that is called or handed on leaves lane:f.
  void hand_on(const Expr* callable);
  void call_value(const CallValueExpr& expression);
  void call_dynamic(const CallDynExpr& expression);
  /// The symbol a foreign function is known by. A packaged module's symbol with a dot is a native of the machine: its
  /// label is what stands before the dot when that is `cairn_...`, and others have none (library, 26).
  std::string_view foreign_label() const;
  /// A foreign function: its symbol, what it declares, and the reads and writes of what it is lent.
  void declared_row();
  /// What a trait's member may do at a witness: what its ceiling allows, or a label nothing admits (abstractions, 3.7).
  void promised_row();
  bool promised_footprint(std::string_view label);

  // expressions

  void operands(const Expr& root);
  void expression(const Expr& root);
  void own_labels(const Expr& root);
  /// len(x) of an owner behind a borrow reads it; a view's length is a number of the caller's.
  void length(const Expr& of);
  void builtin(const BuiltinExpr& expression);
  void print(List<const PrintArgument> arguments, bool writes_out);
  void transfer(const TransferExpr& expression);
  void matrix_multiply(const ConcurrentExpr& expression);
  void spawn(const SpawnExpr& expression);
  void concurrent(const ConcurrentExpr& expression);
  /// A value nobody keeps is released.
  void drop(const Expr& value);

  // statements

  void block(const Block& body);
  void statement(const Stmt& root);
  /// What the statement says of itself, and which machine it is for (abstractions, 14.5).
  void assembly(const AsmStmt& assembly);
  void match(const MatchStmt& match);
  void storage(const Local& local);
  void cooperative(const CooperativeStmt& region);
  void region(bool device) { add(device ? Label::ParDevice : Label::ParHost); }

  void parallel(const ParallelStmt& parallel);
  void collector(bool device, bool pooled);
  /// The element type of what a collector fills, or of a bound total.
  void checked_total(const Type* type);
  void reduce(const ReduceStmt& reduce);

  Checker& checker_;
  const Function& function_;
  bool in_lane_ = false;
  OwnRow row_;
  HeapTypes& types_;
};

}  // namespace cairn::checked
