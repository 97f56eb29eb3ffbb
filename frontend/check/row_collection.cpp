#include "frontend/check/row_collection.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "frontend/check/checker.hpp"
#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/row_labels.hpp"
#include "frontend/check/tree_walk.hpp"

namespace cairn::checked {

// ---------------------------------------------------------------------------------------------------------------
// places

bool Places::insert(std::size_t place) {
  const std::uint64_t mask = std::uint64_t{1} << (place % 64);
  if (place < 64) {
    if ((first_ & mask) != 0) return false;
    first_ |= mask;
    if (!rest_.empty()) rest_[0] = first_;
    return true;
  }
  if (rest_.size() <= place / 64) rest_.resize(place / 64 + 1, 0);
  rest_[0] = first_;
  if ((rest_[place / 64] & mask) != 0) return false;
  rest_[place / 64] |= mask;
  return true;
}

PlaceSet Places::view() const {
  if (!rest_.empty()) return rest_;
  return first_ == 0 ? PlaceSet() : PlaceSet(&first_, 1);
}

namespace {

bool is_borrow(const Type* type) { return type->is(TypeKind::Borrow) || type->is(TypeKind::View); }

/// Whether an integer value of `from` can lie outside `to`.
bool narrows(const Type* from, const Type* to) {
  const unsigned wide = bit_width(from->kind);
  const unsigned target = bit_width(to->kind);
  if (from->is_unsigned()) return target < wide || (target == wide && to->is_signed());
  return to->is_unsigned() || target < wide;
}

bool conversion_may_trap(const Type* from, const Type* to) {
  if (from->is_integer()) return to->is_integer() && narrows(from, to);
  return (from->is_float() && to->is_integer()) || to->is(TypeKind::F8E4M3);
}

bool is_checked_arithmetic(BinaryOp op, const Type* type) {
  if (!type->is_integer()) return false;
  return op == BinaryOp::Add || op == BinaryOp::Subtract || op == BinaryOp::Multiply || op == BinaryOp::Divide ||
         op == BinaryOp::Remainder;
}

class Collector {
 public:
  Collector(Checker& checker, const Function& function, HeapTypes& types)
      : checker_(checker), function_(function), types_(types) {
    for (const Function* at = &function; at != nullptr; at = at->parent) {
      in_lane_ = in_lane_ || at->kind == FunctionKind::Lane;
    }
  }

  OwnRow run() {
    for (const Local* parameter : function_.parameters) {
      if (parameter->type->is(TypeKind::View)) add(Label::FfiPrecondition, Label::Trap);
    }
    if (function_.kind == FunctionKind::Extern) {
      declared_row();
    } else if (function_.info != nullptr && function_.info->witness != nullptr) {
      promised_row();
    } else if (function_.body != nullptr) {
      block(*function_.body);
      const bool releases = (row_.fixed & bit(Label::Free)) != 0 || releases_a_local(function_, types_);
      if (releases) add(Label::Free);
    }
    return std::move(row_);
  }

 private:
  template <class... Labels>
  void add(Labels... each) {
    row_.fixed |= labels(each...);
  }

  // ---------------------------------------------------------------------------------------------------------------
  // roots

  /// The place a local is here; kLocalRoot for the function's own.
  std::int32_t place_of(const Local& local) const {
    if (local.owner == &function_) {
      const bool is_place = is_borrow(local.type) || local.type->is(TypeKind::Function);
      return local.kind == LocalKind::Parameter && is_place ? static_cast<std::int32_t>(local.index) : kLocalRoot;
    }
    const auto found = std::ranges::find(function_.captures, &local);
    if (found == function_.captures.end()) return kNoRoot;
    return static_cast<std::int32_t>(function_.parameters.size() +
                                     static_cast<std::size_t>(found - function_.captures.begin()));
  }

  struct Root {
    const Local* local = nullptr;  // null: a temporary, text
    bool through_element = false;
  };
  static Root root_of(const Expr& expression) {
    const Expr* at = &expression;
    Root root;
    for (;;) {
      switch (at->kind) {
        case ExprKind::Local:
          root.local = at->as<LocalExpr>().local;
          return root;
        case ExprKind::Field:
          at = at->as<FieldExpr>().base;
          break;
        case ExprKind::Element:
          root.through_element = true;
          at = at->as<ElementExpr>().base;
          break;
        case ExprKind::ViewOf:
          at = at->as<ViewOfExpr>().place;
          break;
        case ExprKind::Part:
          at = at->as<PartExpr>().base;
          break;
        case ExprKind::Lend:
          at = at->as<LendExpr>().place;
          break;
        case ExprKind::LendDyn:
          at = at->as<LendDynExpr>().place;
          break;
        default:
          return root;
      }
    }
  }

  /// Whether touching the local is touching storage others see: a borrowed parameter, here or further out.
  static bool is_borrowed(const Local& local) { return local.kind == LocalKind::Parameter && is_borrow(local.type); }

  /// A read of a place. Scalars and records of the function's own are no footprint; its arrays and owners' elements
  /// are.
  void read(const Expr& place) {
    const Root root = root_of(place);
    if (root.local == nullptr || !(is_borrowed(*root.local) || root.through_element)) return;
    const std::int32_t at = place_of(*root.local);
    if (at >= 0) row_.reads.insert(static_cast<std::size_t>(at));
    if (at == kLocalRoot) add(Label::LocalRead);
  }
  void write(const Expr& place) {
    const Root root = root_of(place);
    if (root.local == nullptr) return;
    const std::int32_t at = place_of(*root.local);
    if (at >= 0) row_.writes.insert(static_cast<std::size_t>(at));
    if (at == kLocalRoot && root.through_element) add(Label::LocalWrite);
  }
  /// All of an array or owner is touched, as a callee that is lent it would.
  void read_whole(const Expr& lent) { touch_whole(lent, row_.reads, Label::LocalRead); }
  void write_whole(const Expr& lent) { touch_whole(lent, row_.writes, Label::LocalWrite); }
  void touch_whole(const Expr& lent, Places& places, Label local) {
    const Root root = root_of(lent);
    if (root.local == nullptr) return;
    const std::int32_t at = place_of(*root.local);
    if (at >= 0) places.insert(static_cast<std::size_t>(at));
    if (at == kLocalRoot) add(local);
  }

  /// What a callee's place is here, for the argument given for it.
  std::int32_t argument_root(const Expr& argument) const {
    const bool is_function = argument.kind == ExprKind::Load && argument.type->is(TypeKind::Function);
    const Root root = root_of(is_function ? *argument.as<LoadExpr>().place : argument);
    return root.local == nullptr ? kNoRoot : place_of(*root.local);
  }

  // ---------------------------------------------------------------------------------------------------------------
  // edges

  RowEdge& begin_edge(std::size_t places) {
    RowEdge& edge = row_.edges.emplace_back();
    edge.first_root = static_cast<std::uint32_t>(row_.roots.size());
    edge.root_count = static_cast<std::uint32_t>(places);
    return edge;
  }

  void call(const Function& callee, List<const Expr* const> arguments) {
    begin_edge(arguments.size()).function = &callee;
    for (const Expr* argument : arguments) {
      row_.roots.push_back(argument == nullptr ? kNoRoot : argument_root(*argument));
      hand_on(argument);
    }
  }

  /// A closure or lane body counts where it is written: its captures are this function's places or locals.
  void inner(const Function& body) {
    const std::size_t parameters = body.parameters.size();
    begin_edge(parameters + body.captures.size()).function = &body;
    row_.roots.insert(row_.roots.end(), parameters, kNoRoot);
    for (const Local* captured : body.captures) row_.roots.push_back(place_of(*captured));
  }

  /// In a lane, a fn parameter of the enclosing function that is called or handed on leaves lane:f.
  void hand_on(const Expr* callable) {
    if (!in_lane_ || callable == nullptr) return;
    if (callable->kind == ExprKind::Load) callable = callable->as<LoadExpr>().place;
    if (callable->kind != ExprKind::Local) return;
    const Local& local = *callable->as<LocalExpr>().local;
    if (!local.type->is_borrowed_callable() && !local.type->is(TypeKind::Function)) return;
    if (const std::int32_t at = place_of(local); at >= 0) row_.lanes.insert(static_cast<std::size_t>(at));
  }

  void call_value(const CallValueExpr& expression) {
    add(Label::IndirectCall);
    if (!expression.borrowed) add(Label::Trap);
    row_.calls_values = true;
    hand_on(expression.callee);
    for (const Expr* argument : expression.arguments) {
      if (argument->kind != ExprKind::Lend) continue;
      if (argument->as<LendExpr>().mode == BorrowMode::Rw) {
        write_whole(*argument);
      } else {
        read_whole(*argument);
      }
    }
  }

  void call_dynamic(const CallDynExpr& expression) {
    add(Label::Dispatch);
    if (expression.receiver->type != nullptr && expression.receiver->type->is(TypeKind::Dyn)) add(Label::Trap);
    begin_edge(expression.arguments.size()).dynamic = {expression.trait, expression.member};
    for (std::size_t k = 0; k < expression.arguments.size(); ++k) {
      row_.roots.push_back(k == expression.receiver_index ? argument_root(*expression.receiver) : kNoRoot);
    }
  }

  /// The symbol a foreign function is known by. A packaged module's symbol with a dot is a native of the machine: its
  /// label is what stands before the dot when that is `cairn_...`, and others have none (library, 26).
  std::string_view foreign_label() const {
    const std::string_view symbol = function_.symbol;
    const std::size_t dot = symbol.find('.');
    if (!function_.library || dot == std::string_view::npos) return symbol;
    return symbol.starts_with("cairn_") ? symbol.substr(0, dot) : std::string_view();
  }

  /// A foreign function: its symbol, what it declares, and the reads and writes of what it is lent.
  void declared_row() {
    const auto& declaration = function_.declaration->as<syntax::ExternDecl>();
    NameTable& names = checker_.names();
    if (const std::string_view label = foreign_label(); !label.empty()) {
      row_.others.push_back(names.intern("ffi:" + std::string(label)));
    }
    if (declaration.has_launch) add(Label::ParDevice, Label::Trap);
    for (std::size_t k = 0; k < function_.parameters.size(); ++k) {
      const Type* type = function_.parameters[k]->type;
      if (!is_borrow(type)) continue;
      (type->mode == BorrowMode::Rw ? row_.writes : row_.reads).insert(k);
    }
    for (const syntax::EffectLabel& label : declaration.signature.ceiling.labels) {
      if (label.text == "pure" || label.text.starts_with("read:") || label.text.starts_with("write:")) continue;
      if (const auto fixed = label_of(label.text)) {
        add(*fixed);
      } else {
        row_.others.push_back(names.intern(label.text));
      }
    }
  }

  /// What a trait's member may do at a witness: what its ceiling allows, or a label nothing admits (abstractions, 3.7).
  void promised_row() {
    NameTable& names = checker_.names();
    if (function_.ceiling == nullptr) {
      row_.others.push_back(names.intern("bound:" + std::string(function_.name)));
      return;
    }
    bool pure = function_.ceiling->pure_alone;
    for (const syntax::EffectLabel& label : function_.ceiling->labels) {
      if (label.text == "pure") {
        pure = true;
      } else if (const auto fixed = label_of(label.text)) {
        add(*fixed);
      } else if (!promised_footprint(label.text)) {
        row_.others.push_back(names.intern(label.text));
      }
    }
    if (!pure) return;
    row_.fixed |= kPureLabels;
    for (std::size_t k = 0; k < function_.parameters.size(); ++k)
      if (is_borrow(function_.parameters[k]->type)) row_.reads.insert(k);
  }

  bool promised_footprint(std::string_view label) {
    const bool reads = label.starts_with("read:");
    if (!reads && !label.starts_with("write:")) return false;
    const std::string_view name = label.substr(label.find(':') + 1);
    for (std::size_t k = 0; k < function_.parameters.size(); ++k)
      if (checker_.text(function_.parameters[k]->name) == name) (reads ? row_.reads : row_.writes).insert(k);
    return true;
  }

  // ----------------------------------------------------------------------------------------------------------
  // expressions

  void operands(const Expr& root) {
    for_each_operand(root, [&](const Expr& operand) { expression(operand); });
  }

  void expression(const Expr& root) {
    if (root.kind == ExprKind::Binary) {
      // A chain of left operands may be of any length.
      const Expr* at = &root;
      for (; at->kind == ExprKind::Binary; at = at->as<BinaryExpr>().left) {
        const auto& binary = at->as<BinaryExpr>();
        if (is_checked_arithmetic(binary.op, binary.left->type)) add(Label::Trap);
        expression(*binary.right);
      }
      return expression(*at);
    }
    own_labels(root);
    operands(root);
  }

  void own_labels(const Expr& root) {
    switch (root.kind) {
      case ExprKind::FunctionValue:
        row_.taken.push_back(root.as<FunctionValueExpr>().function);
        break;
      case ExprKind::Element:
        add(Label::Trap);
        break;
      case ExprKind::Part:
        add(Label::Trap);
        break;
      case ExprKind::Load:
        read(*root.as<LoadExpr>().place);
        break;
      case ExprKind::Take:
        read(*root.as<TakeExpr>().place);
        write(*root.as<TakeExpr>().place);
        break;
      case ExprKind::Swap:
        for (const Expr* place : {root.as<SwapExpr>().left, root.as<SwapExpr>().right}) {
          read(*place);
          write(*place);
        }
        break;
      case ExprKind::Length:
        length(*root.as<LengthExpr>().of);
        break;
      case ExprKind::Unary:
        if (root.as<UnaryExpr>().op == UnaryOp::Negate && root.type->is_integer()) add(Label::Trap);
        break;
      case ExprKind::Convert:
        if (conversion_may_trap(root.as<ConvertExpr>().operand->type, root.type)) add(Label::Trap);
        break;
      case ExprKind::Builtin:
        builtin(root.as<BuiltinExpr>());
        break;
      case ExprKind::Zero:
        if (root.type->is(TypeKind::Array)) add(Label::ZeroInit);
        break;
      case ExprKind::Field:
        // The rest of a temporary record is dropped.
        if (!root.as<FieldExpr>().base->is_place()) drop(*root.as<FieldExpr>().base);
        break;
      case ExprKind::LendTemporary:
        drop(*root.as<LendTemporaryExpr>().value);
        break;
      case ExprKind::LendDyn:
        if (root.as<LendDynExpr>().place->type->is(TypeKind::Dyn)) add(Label::Trap);
        break;
      case ExprKind::Call:
        call(*root.as<CallExpr>().callee, root.as<CallExpr>().arguments);
        break;
      case ExprKind::CallValue:
        call_value(root.as<CallValueExpr>());
        break;
      case ExprKind::CallDyn:
        call_dynamic(root.as<CallDynExpr>());
        break;
      case ExprKind::BufNew:
        add(Label::ZeroInit, Label::Trap, Label::Alloc, Label::Free);
        break;
      case ExprKind::DynNew:
        add(Label::Trap, Label::Alloc, Label::Free);
        break;
      case ExprKind::Closure:
        inner(*root.as<ClosureExpr>().body);
        break;
      case ExprKind::Print:
        print(root.as<PrintExpr>().arguments, true);
        break;
      case ExprKind::Format:
        print(root.as<FormatExpr>().arguments, false);
        add(Label::Alloc, Label::Free, Label::Trap);
        read_whole(*root.as<FormatExpr>().target);
        write_whole(*root.as<FormatExpr>().target);
        break;
      case ExprKind::Assert:
      case ExprKind::AssertEqual:
      case ExprKind::LayoutQuery:
        add(Label::Trap);
        break;
      case ExprKind::Transfer:
        transfer(root.as<TransferExpr>());
        break;
      case ExprKind::Machine:
        add(root.as<MachineExpr>().op == MachineOp::Asm ? Label::Asm : Label::Mmio);
        break;
      case ExprKind::Spawn:
        spawn(root.as<SpawnExpr>());
        break;
      case ExprKind::Concurrent:
        concurrent(root.as<ConcurrentExpr>());
        break;
      default:
        break;
    }
  }

  /// len(x) of an owner behind a borrow reads it; a view's length is a number of the caller's.
  void length(const Expr& of) {
    if (of.is_place() && (of.type->is(TypeKind::Buf) || of.type->is(TypeKind::Array))) read(of);
  }

  void builtin(const BuiltinExpr& expression) {
    switch (expression.builtin) {
      case Builtin::ShlWrap:
      case Builtin::Shr:
      case Builtin::Quantize:
      case Builtin::QuantizeStochastic:
        add(Label::Trap);
        break;
      case Builtin::Abs:
        if (expression.type->is_signed()) add(Label::Trap);
        break;
      default:
        break;
    }
  }

  void print(List<const PrintArgument> arguments, bool writes_out) {
    if (writes_out) {
      add(Label::Io);
      row_.others.push_back(checker_.names().intern("ffi:write"));
    }
    for (const PrintArgument& argument : arguments) {
      if (argument.as == PrintAs::Bytes) read_whole(*argument.value);
    }
  }

  void transfer(const TransferExpr& expression) {
    read_whole(*expression.source);
    write_whole(*expression.destination);
    add(transfer_label(expression.source->type->placement, expression.destination->type->placement));
  }

  void matrix_multiply(const ConcurrentExpr& expression) {
    add(Label::Trap);
    write_whole(*expression.arguments[3]);
    read_whole(*expression.arguments[4]);
    read_whole(*expression.arguments[5]);
    if (expression.arguments[3]->type->placement == Placement::Device) add(Label::ParDevice);
  }

  void spawn(const SpawnExpr& expression) {
    add(Label::Spawn);
    if (expression.region != nullptr) parallel(*expression.region);
  }

  void concurrent(const ConcurrentExpr& expression) {
    switch (expression.op) {
      case ConcurrentOp::WaitTicket:
      case ConcurrentOp::WaitGroup:
        return add(Label::Join);
      case ConcurrentOp::WaitRing:
        return add(Label::Io, Label::Free);
      case ConcurrentOp::Collect:
        return add(Label::Join, Label::Trap);
      case ConcurrentOp::GroupNew:
        return add(Label::Alloc, Label::Free, Label::Trap);
      case ConcurrentOp::RingNew:
        return add(Label::Alloc, Label::Free, Label::Io, Label::Trap);
      case ConcurrentOp::AtomicNew:
      case ConcurrentOp::MutexNew:
        return;
      case ConcurrentOp::MutexWith:
        add(Label::Lock);
        return read(*expression.receiver);
      case ConcurrentOp::MatrixMultiply:
        return matrix_multiply(expression);
      case ConcurrentOp::FragmentFill:
      case ConcurrentOp::FragmentMultiply:
        return;
      case ConcurrentOp::FragmentGet:
      case ConcurrentOp::FragmentSet:
        return add(Label::Trap);
      case ConcurrentOp::FragmentLoad:
        add(Label::Trap);
        return read_whole(*expression.receiver);
      case ConcurrentOp::FragmentStore:
        add(Label::Trap);
        return write_whole(*expression.receiver);
      case ConcurrentOp::CompareExchange:
        write(*expression.arguments.front()->as<LendExpr>().place);
        break;
      case ConcurrentOp::RingNext:
        for (const Expr* result : expression.arguments) write(*result->as<LendExpr>().place);
        break;
      default:
        break;
    }
    if (is_warp_exchange(expression.op)) {
      if (is_shuffle(expression.op)) add(Label::Trap);
    } else if (is_pipeline_operation(expression.op)) {
      if (expression.op != ConcurrentOp::PipelineFill) return;
      add(Label::Trap);
      read_whole(*expression.arguments.front());
    } else if (is_atomic(expression.op)) {
      add(Label::Atomic);
      read(*expression.receiver);
    } else if (is_element_update(expression.op)) {
      add(Label::Atomic, Label::Trap);
      read(*expression.receiver);
      write(*expression.receiver);
    } else if (is_wide_access(expression.op)) {
      add(Label::Trap);
      expression.op == ConcurrentOp::StoreWide ? write_whole(*expression.receiver) : read_whole(*expression.receiver);
    } else if (is_ring_request(expression.op)) {
      add(Label::Io);
      if (expression.op != ConcurrentOp::RingCancel) add(Label::Trap);
      write_whole(*expression.receiver);
    } else {
      read_whole(*expression.receiver);
    }
  }

  /// A value nobody keeps is released.
  void drop(const Expr& value) {
    if (value.type != nullptr && types_.holds_heap(value.type)) add(Label::Free);
  }

  // -----------------------------------------------------------------------------------------------------------
  // statements

  void block(const Block& body) {
    for (const Stmt* each : body.statements) statement(*each);
  }

  void statement(const Stmt& root) {
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

  /// What the statement says of itself, and which machine it is for (abstractions, 14.5).
  void assembly(const AsmStmt& assembly) {
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

  void match(const MatchStmt& match) {
    if (!match.subject->type->is(TypeKind::Sum)) return;
    for (const MatchArm& arm : match.arms) {
      const Type* payload = match.subject->type->sum->variants[arm.variant].payload;
      if (arm.drops_payload && payload != nullptr && types_.holds_heap(payload)) add(Label::Free);
    }
  }

  void storage(const Local& local) {
    add(Label::ZeroInit);
    if (local.kind == LocalKind::Stack) return add(Label::StackStorage);
    add(Label::Trap);
    if (local.type->placement == Placement::Host) return add(Label::Alloc, Label::Free);
    add(Label::GpuAlloc, Label::GpuFree);
  }

  void cooperative(const CooperativeStmt& region) {
    add(region.device ? Label::ParDevice : Label::ParHost, Label::Trap);
    for (const ThreadBody* body : {&region.blocks, &region.finish}) {
      const bool zeroes = !body->pipelines.empty() || std::ranges::any_of(body->arrays, &SharedStmt::zeroed);
      if (zeroes) add(Label::ZeroInit);
    }
  }

  void region(bool device) { add(device ? Label::ParDevice : Label::ParHost); }

  void parallel(const ParallelStmt& parallel) {
    expression(*parallel.extent);
    inner(*parallel.lane);
    region(parallel.device);
  }

  void collector(bool device, bool pooled) {
    if (device) {
      add(Label::ParDevice, Label::GpuAlloc, Label::GpuFree);
    } else if (pooled) {
      add(Label::ParHost);
    }
  }

  /// The element type of what a collector fills, or of a bound total.
  void checked_total(const Type* type) {
    if (type->element != nullptr && !type->is_scalar()) type = type->element;
    if (type->is_integer()) add(Label::Trap);
  }

  void reduce(const ReduceStmt& reduce) {
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

  Checker& checker_;
  const Function& function_;
  bool in_lane_ = false;
  OwnRow row_;
  HeapTypes& types_;
};

}  // namespace

OwnRow collect_own_row(Checker& checker, const Function& function, HeapTypes& types) {
  return Collector(checker, function, types).run();
}

}  // namespace cairn::checked
