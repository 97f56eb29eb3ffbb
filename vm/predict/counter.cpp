#include <algorithm>
#include <array>
#include <optional>

#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/cooperative.hpp"
#include "frontend/check/discharge.hpp"
#include "frontend/check/fragments.hpp"
#include "frontend/check/tree_walk.hpp"
#include "vm/predict/cost.hpp"
#include "vm/predict/known_sizes.hpp"

namespace cairn::predict {

using namespace checked;
using checked::Function;

namespace {

constexpr double kWarp = 32;
constexpr double kBankBytes = 4;  // of a thread in one wavefront of shared memory

}  // namespace

/// Counts one function. `code_` is where counts go: the function's, or a region's per index.
class BodyCounter {
 public:
  BodyCounter(Counter& counter, const Function& function, Cost& cost)
      : counter_(counter),
        names_(counter.compilation_.names),
        function_(function),
        cost_(cost),
        sizes_(function, cost.approximate),
        code_(&cost.sequential) {
    discharged_.add(function);
  }

  void run() {
    for (const Local* parameter : function_.parameters) {
      if (parameter->type->is(TypeKind::Usize)) sizes_.set_value(*parameter, Polynomial::variable(name(*parameter)));
    }
    block(*function_.body);
  }

 private:
  enum class Moves : std::uint8_t { Fixed, WithBinder, WithData };
  struct Loop {
    const Local* binder = nullptr;
    Polynomial trips;
    std::size_t id = 0;    // from 1
    std::size_t body = 0;  // its number in Code
  };

  [[nodiscard]] std::string name(const Local& local) const {
    return local.name ? std::string(names_.text(local.name)) : "_" + std::to_string(local.index);
  }

  [[nodiscard]] Polynomial trips(std::size_t depth) const {
    Polynomial product(1.0);
    for (std::size_t k = 0; k < depth; ++k) product = product * loops_[k].trips;
    return product;
  }
  [[nodiscard]] Polynomial trips() const { return trips(loops_.size()); }

  [[nodiscard]] std::size_t body() const { return loops_.empty() ? 0 : loops_.back().body; }
  [[nodiscard]] Work& here() { return code_->bodies[body()]; }

  void count(const std::string& kind, double times = 1) { here().ops[kind] += trips() * Polynomial(times); }
  void guess(std::string why) { cost_.guessed.insert(std::move(why)); }
  void approximate(std::string why) { cost_.approximate.insert(std::move(why)); }

  // ---------------------------------------------------------------------------------------------------------- accesses

  /// How the value of an index moves, and with which loop it does (the innermost).
  Moves motion(const Expr& of, std::size_t& depth) {
    switch (of.kind) {
      case ExprKind::Integer:
      case ExprKind::Length:
        return Moves::Fixed;
      case ExprKind::Local: {
        const Local* local = of.as<LocalExpr>().local;
        for (std::size_t k = loops_.size(); k-- > 0;) {
          if (loops_[k].binder == local) {
            depth = std::max(depth, k + 1);
            return Moves::WithBinder;
          }
        }
        if (const auto known = motions_.find(local); known != motions_.end()) {
          depth = std::max(depth, known->second.second);
          return known->second.first;
        }
        // A variable that a loop steps moves with that loop.
        if (local->is_mutable && local->type->is_integer() && !loops_.empty()) {
          depth = loops_.size();
          return Moves::WithBinder;
        }
        return Moves::Fixed;
      }
      case ExprKind::Element:
      case ExprKind::Call:
      case ExprKind::CallValue:
      case ExprKind::CallDyn:
        return loops_.empty() ? Moves::Fixed : Moves::WithData;
      default: {
        Moves found = Moves::Fixed;
        const Expr* at = &of;
        for (; at->kind == ExprKind::Binary; at = at->as<BinaryExpr>().left) {  // of any length
          found = std::max(found, motion(*at->as<BinaryExpr>().right, depth));
        }
        if (at != &of) return std::max(found, motion(*at, depth));
        for_each_operand(of, [&](const Expr& operand) { found = std::max(found, motion(operand, depth)); });
        return found;
      }
    }
  }

  /// How many elements an index moves by with a turn of the innermost loop; nothing when that is not told.
  std::optional<std::int64_t> step(const Expr& of) {
    switch (of.kind) {
      case ExprKind::Integer:
      case ExprKind::Length:
        return 0;
      case ExprKind::Load:
        return step(*of.as<LoadExpr>().place);
      case ExprKind::Convert:
        return step(*of.as<ConvertExpr>().operand);
      case ExprKind::Local: {
        const Local* local = of.as<LocalExpr>().local;
        if (local == loops_.back().binder) return 1;
        if (const auto known = steps_.find(local); known != steps_.end()) {
          return known->second.first == loops_.back().id ? known->second.second : 0;
        }
        return local->is_mutable ? std::nullopt : std::optional<std::int64_t>(0);
      }
      case ExprKind::Binary: {
        const std::vector<const Expr*> operations = checked::left_chain(of);
        std::optional<std::int64_t> sum = step(checked::left_of(*operations.front()));
        for (const Expr* operation : operations) {
          const auto right = step(checked::right_of(*operation));
          if (!sum || !right) return std::nullopt;
          const BinaryOp op = operation->as<BinaryExpr>().op;
          if (op == BinaryOp::Add) {
            *sum += *right;
          } else if (op == BinaryOp::Subtract) {
            *sum -= *right;
          } else if (*sum != 0 || *right != 0) {
            return std::nullopt;
          }
        }
        return sum;
      }
      default: {
        bool is_fixed = true;
        for_each_operand(of, [&](const Expr& operand) { is_fixed = is_fixed && step(operand) == 0; });
        return is_fixed && of.kind == ExprKind::LayoutQuery ? std::optional<std::int64_t>(0) : std::nullopt;
      }
    }
  }

  /// The local an access path begins with, or null.
  static const Local* root_of(const Expr& of) {
    switch (of.kind) {
      case ExprKind::Local:
        return of.as<LocalExpr>().local;
      case ExprKind::Field:
        return root_of(*of.as<FieldExpr>().base);
      case ExprKind::Element:
        return root_of(*of.as<ElementExpr>().base);
      case ExprKind::ViewOf:
        return root_of(*of.as<ViewOfExpr>().place);
      case ExprKind::Part:
        return root_of(*of.as<PartExpr>().base);
      case ExprKind::Load:
        return root_of(*of.as<LoadExpr>().place);
      default:
        return nullptr;
    }
  }

  /// Whether an index differs from thread to thread of the block that is counted.
  [[nodiscard]] bool is_a_threads(const Expr& of) const {
    return checked::any_expression(of, [&](const Expr& each) {
      return each.kind == ExprKind::Local && of_thread_.contains(each.as<LocalExpr>().local);
    });
  }

  static bool is_block_memory(const Local* local) {
    return local != nullptr && (local->kind == LocalKind::Shared || local->kind == LocalKind::Pipeline);
  }

  /// So many elements of a block's memory, read or written by each of its threads.
  void share(double elements, const Type& type) {
    const double wide = std::max(1.0, static_cast<double>(size_of(type)) / kBankBytes);
    if (cooperation_ != nullptr) {
      cooperation_->wavefronts += trips() * Polynomial(elements * wide * cooperation_->threads / kWarp);
    }
  }

  void element(const ElementExpr& access, bool reads, bool writes) {
    const Local* root = root_of(*access.base);
    if (reads) count("load");
    if (writes) count("store");
    if (!discharged_.contains(access)) count("bounds_guard");
    if (is_block_memory(root)) return share((reads ? 1 : 0) + (writes ? 1 : 0), *access.type);
    if (!loops_.empty()) {
      const auto moved = step(*access.index);
      if (!moved || *moved < 0 || *moved > 1 || (writes && *moved == 0)) here().strides = true;
    }
    std::size_t depth = 0;
    const Moves moves = motion(*access.index, depth);
    const std::string array = root == nullptr ? "_" : name(*root);
    double bytes = static_cast<double>(size_of(*access.type));
    Traffic& traffic = here().traffic[array];
    if (root != nullptr && traffic.size.is_zero()) {
      if (const auto whole = sizes_.length(*root)) traffic.size = *whole * Polynomial(bytes);
    }
    if (moves == Moves::Fixed) return;
    if (moves == Moves::WithData) {
      traffic.irregular += trips();
      return;
    }
    if (cooperation_ != nullptr && !is_a_threads(*access.index)) bytes /= cooperation_->threads;  // all read the same
    // One pass over the array: a second access in the same pass finds what the first brought.
    const std::size_t pass = depth == 0 ? 0 : loops_[depth - 1].id;
    const Polynomial once = trips(depth) * Polynomial(bytes);
    if (reads && streamed_.emplace(array, pass, false).second) traffic.read += once;
    if (writes && streamed_.emplace(array, pass, true).second) traffic.written += once;
  }

  void place(const Expr& of, bool reads, bool writes) {
    if (of.kind == ExprKind::Element) {
      const auto& access = of.as<ElementExpr>();
      if (access.base->kind != ExprKind::Local) value(*access.base);
      value(*access.index);
      element(access, reads, writes);
      return;
    }
    if (of.kind == ExprKind::Field) return place(*of.as<FieldExpr>().base, reads, writes);
    if (of.kind == ExprKind::Local) return;
    value(of);
  }

  // ------------------------------------------------------------------------------------------------------------ values

  static std::string float_kind(const Type& type, const char* suffix) {
    return std::string(type.is(TypeKind::F32) ? "f32" : "f64") + suffix;
  }

  void arithmetic(BinaryOp op, const Type& type, bool is_proved) {
    if (type.is_float()) return count(op == BinaryOp::Divide ? float_kind(type, "_div") : float_kind(type, ""));
    switch (op) {
      case BinaryOp::Add:
      case BinaryOp::Subtract:
        return count(type.is(TypeKind::Usize) ? "index_checked" : is_proved ? "int" : "int_checked");
      case BinaryOp::Multiply:
        return count(type.is(TypeKind::Usize) ? "index_checked" : is_proved ? "mul" : "mul_checked");
      case BinaryOp::Divide:
      case BinaryOp::Remainder:
        return count("div");
      case BinaryOp::And:
      case BinaryOp::Or:
      case BinaryOp::Xor:
        return count("int");
      default:
        return count("compare");
    }
  }

  void value(const Expr& of) {
    switch (of.kind) {
      case ExprKind::Load:
        return place(*of.as<LoadExpr>().place, true, false);
      case ExprKind::Element:
      case ExprKind::Field:
        return place(of, true, false);
      case ExprKind::Binary:
      case ExprKind::Logical:
        return chain(of);
      case ExprKind::Unary:
        value(*of.as<UnaryExpr>().operand);
        if (of.type->is_float()) return count(float_kind(*of.type, ""));
        return count(of.as<UnaryExpr>().op == UnaryOp::Negate ? "int_checked" : "int");
      case ExprKind::Convert: {
        const Type& from = *of.as<ConvertExpr>().operand->type;
        value(*of.as<ConvertExpr>().operand);
        const bool widens = from.is_integer() && of.type->is_integer() &&
                            from.is_unsigned() == of.type->is_unsigned() &&
                            bit_width(from.kind) <= bit_width(of.type->kind);
        const bool may_trap = of.type->is_integer() && !widens && !discharged_.contains(of);
        return count(may_trap ? "convert_guard" : "convert");
      }
      case ExprKind::Builtin:
        return builtin(of.as<BuiltinExpr>());
      case ExprKind::Call:
        return call(of.as<CallExpr>());
      case ExprKind::CallValue:
      case ExprKind::CallDyn:
        for_each_operand(of, [&](const Expr& operand) { value(operand); });
        count("indirect");
        return guess("it calls a function value");
      case ExprKind::BufNew:
        value(*of.as<BufNewExpr>().count);
        return allocate(sizes_.value(*of.as<BufNewExpr>().count), *of.type->element);
      case ExprKind::DynNew:
        value(*of.as<DynNewExpr>().value);
        here().allocations += trips();
        return;
      case ExprKind::Print:
      case ExprKind::Format:
        for_each_operand(of, [&](const Expr& operand) { value(operand); });
        count("io");
        return guess("it does input or output");
      case ExprKind::Machine:
        for_each_operand(of, [&](const Expr& operand) { value(operand); });
        count("io");
        return guess("it reaches the machine");
      case ExprKind::Try:
        value(*of.as<TryExpr>().operand);
        return count("branch");
      case ExprKind::Assert:
      case ExprKind::AssertEqual:
        for_each_operand(of, [&](const Expr& operand) { value(operand); });
        return count("branch");
      case ExprKind::Transfer:
        return transfer(of.as<TransferExpr>());
      case ExprKind::Spawn:
        return spawn(of.as<SpawnExpr>());
      case ExprKind::Concurrent:
        return concurrent(of.as<ConcurrentExpr>());
      case ExprKind::LayoutQuery: {
        const auto& query = of.as<LayoutQueryExpr>();
        for (const Expr* argument : query.arguments) {
          value(*argument);
          count("index_checked", 2);  // times the stride, and added
          count("bounds_guard");
        }
        if (query.op != LayoutQueryOp::At) count("div");
        return;
      }
      case ExprKind::Lend:
        return place(*of.as<LendExpr>().place, false, false);
      case ExprKind::Closure:
        return guess("it has a closure");
      default:
        for_each_operand(of, [&](const Expr& operand) { value(operand); });
        return;
    }
  }

  void chain(const Expr& of) {
    const std::vector<const Expr*> operations = checked::left_chain(of);
    value(checked::left_of(*operations.front()));
    for (const Expr* operation : operations) {
      value(checked::right_of(*operation));
      if (of.kind == ExprKind::Logical) {
        count("compare");
      } else {
        arithmetic(operation->as<BinaryExpr>().op, *checked::left_of(*operation).type,
                   discharged_.contains(*operation));
      }
    }
  }

  void builtin(const BuiltinExpr& of) {
    for (const Expr* argument : of.arguments) value(*argument);
    switch (of.builtin) {
      case Builtin::AddWrap:
      case Builtin::SubWrap:
        return count("int");
      case Builtin::MulWrap:
        return count("mul");
      case Builtin::ShlWrap:
      case Builtin::Shr:
        count("int");
        if (of.arguments[1]->kind != ExprKind::Integer && !discharged_.contains(of)) count("shift_guard");
        return;
      case Builtin::Min:
      case Builtin::Max:
        return count("compare");
      case Builtin::Abs:
        return count(of.type->is_float() ? float_kind(*of.type, "") : "int_checked");
      case Builtin::Sqrt:
        return count(float_kind(*of.type, "_div"));
      case Builtin::Floor:
      case Builtin::Ceil:
      case Builtin::Trunc:
        return count(float_kind(*of.type, ""));
      case Builtin::ToBits:
      case Builtin::FromBits:
        return;
      case Builtin::Quantize:
      case Builtin::QuantizeStochastic:
        count("f32_div");
        return count("convert_guard");
    }
  }

  /// The caller's sizes for the callee's extents.
  std::map<std::string, Polynomial> sizes_for(const CallExpr& call, const Cost& callee) {
    std::map<std::string, Polynomial> by;
    for (std::size_t k = 0; k < call.arguments.size() && k < call.callee->parameters.size(); ++k) {
      const Local& parameter = *call.callee->parameters[k];
      if (!parameter.type->is(TypeKind::Usize)) continue;
      const std::string extent = name(parameter);
      std::optional<Polynomial> given;
      if (call.arguments[k]->kind == ExprKind::PartExtent) {
        const PartExpr& part = *call.arguments[k]->as<PartExtentExpr>().part;
        const auto lo = sizes_.value(*part.lo);
        const auto hi = sizes_.value(*part.hi);
        if (lo && hi) given = *hi - *lo;
      } else {
        given = sizes_.value(*call.arguments[k]);
      }
      if (!given && std::ranges::find(callee.extents, extent) != callee.extents.end()) {
        guess("the size of a call of " + std::string(call.callee->name) + " is not known");
        given = Polynomial(1.0);
      }
      if (given) by[extent] = *given;
    }
    return by;
  }

  void call(const CallExpr& of) {
    for (const Expr* argument : of.arguments) {
      if (argument != nullptr && argument->kind != ExprKind::PartExtent) value(*argument);
    }
    count("call");
    if (of.callee->kind == FunctionKind::Extern || of.callee->body == nullptr) {
      return guess("it calls " + std::string(of.callee->name) + ", which is foreign");
    }
    if (counter_.active_.contains(of.callee)) return guess("it recurses");
    const Cost& callee = counter_.cost_of(*of.callee);
    if (code_ != &cost_.sequential) {  // inside a lane
      code_->add(callee.sequential, sizes_for(of, callee), trips(), body());
      cost_.approximate.insert(callee.approximate.begin(), callee.approximate.end());
      cost_.guessed.insert(callee.guessed.begin(), callee.guessed.end());
      return;
    }
    cost_.add_call(callee, sizes_for(of, callee), trips(), body());
  }

  void allocate(const std::optional<Polynomial>& count_of, const Type& element) {
    here().allocations += trips();
    if (!count_of) return guess("the size of an allocation is not known");
    here().zeroed_bytes += trips() * *count_of * Polynomial(static_cast<double>(size_of(element)));
  }

  static bool on_device(const Expr& view) {
    return view.type->is(TypeKind::View) && view.type->placement == Placement::Device;
  }

  void transfer(const TransferExpr& of) {
    const bool to_device = on_device(*of.destination);
    const bool from_device = on_device(*of.source);
    const std::string direction = std::string(from_device ? "d" : "h") + "2" + (to_device ? "d" : "h");
    auto elements = sizes_.length(*of.destination);
    if (!elements) elements = sizes_.length(*of.source);
    if (!elements) return guess("the size of a transfer is not known");
    cost_.transfers.push_back(
        {direction, *elements * Polynomial(static_cast<double>(size_of(*of.destination->type->element))), trips()});
  }

  void spawn(const SpawnExpr& of) {
    if (of.region != nullptr) return region(RegionKind::Device, of.region->extent, of.region->lane, of.position);
    cost_.tasks += trips();
    if (of.call != nullptr && of.call->kind == ExprKind::Call) {
      const auto& call = of.call->as<CallExpr>();
      for (const Expr* argument : call.arguments) {
        if (argument != nullptr && argument->kind != ExprKind::PartExtent) value(*argument);
      }
      if (call.callee->body != nullptr && !counter_.active_.contains(call.callee)) {
        const Cost& callee = counter_.cost_of(*call.callee);
        cost_.add_call(callee, sizes_for(call, callee), trips(), body());
      }
    }
    approximate("tasks run beside each other");
  }

  // -------------------------------------------------------------------------------------------------------- statements

  void block(const Block& of) {
    for (const Stmt* each : of.statements) statement(*each);
  }

  void looped(const Local* binder, Polynomial trips_of, const auto& turn) {
    loops_.push_back({binder, std::move(trips_of), ++last_loop_, counter_.new_loop()});
    turn();
    loops_.pop_back();
  }

  Polynomial known_trips(const std::optional<Polynomial>& lo, const std::optional<Polynomial>& hi) {
    if (lo && hi) return *hi - *lo;
    guess("a loop's bound is no polynomial of sizes");
    return Polynomial(1.0);
  }

  /// A bound that names the binder of a loop around counts at its largest.
  std::optional<Polynomial> bound(const Expr& of, bool is_upper) {
    for (const Loop& loop : loops_) {
      if (loop.binder == nullptr || !mentions(of, *loop.binder)) continue;
      approximate("a loop's bound is the index of a loop around it");
      const KnownSizes::Values saved = sizes_.values();
      for (const Loop& each : loops_) {
        if (each.binder != nullptr) sizes_.set_value(*each.binder, is_upper ? each.trips : Polynomial());
      }
      const auto found = sizes_.value(of);
      sizes_.put_back(saved);
      return found;
    }
    return sizes_.value(of);
  }

  static bool mentions(const Expr& of, const Local& local) {
    return checked::any_expression(
        of, [&](const Expr& each) { return each.kind == ExprKind::Local && each.as<LocalExpr>().local == &local; });
  }

  /// Whether `place op= value` or `place = place op value` gathers into one scalar, so that each step waits.
  void update(const Expr& target, BinaryOp op, const Type& type, bool is_proved) {
    const bool gathers = op == BinaryOp::Add && target.kind == ExprKind::Local && !loops_.empty();
    if (gathers && type.is_float()) return count(float_kind(type, "_fold"));
    if (gathers && !type.is(TypeKind::Usize)) return count("int_fold");
    arithmetic(op, type, is_proved);
  }

  void assign(const AssignStmt& of) {
    if (of.value->kind == ExprKind::Binary && of.place->kind == ExprKind::Local) {
      const auto& sum = of.value->as<BinaryExpr>();
      const auto is_target = [&](const Expr* side) {
        return side->kind == ExprKind::Load && side->as<LoadExpr>().place->kind == ExprKind::Local &&
               side->as<LoadExpr>().place->as<LocalExpr>().local == of.place->as<LocalExpr>().local;
      };
      if (is_target(sum.left) || is_target(sum.right)) {
        value(is_target(sum.left) ? *sum.right : *sum.left);
        return update(*of.place, sum.op, *sum.left->type, discharged_.contains(sum));
      }
    }
    value(*of.value);
    place(*of.place, false, true);
  }

  /// Two ways of which one is taken: per kind the dearer.
  void alternatives(const std::vector<const Block*>& arms) {
    count("branch");
    const Code before = *code_;
    const auto streamed_before = streamed_;
    Code dearest = before;
    for (const Block* arm : arms) {
      *code_ = before;
      streamed_ = streamed_before;
      if (arm != nullptr) block(*arm);
      for (const auto& [loop, work] : code_->bodies) keep_dearer(dearest.bodies[loop], work);
    }
    *code_ = std::move(dearest);
  }

  static void keep_dearer(Work& dearest, const Work& work) {
    for (const auto& [kind, times] : work.ops) dearest.ops[kind] = Polynomial::larger(dearest.ops[kind], times);
    for (const auto& [array, bytes] : work.traffic) {
      Traffic& kept = dearest.traffic[array];
      kept.read = Polynomial::larger(kept.read, bytes.read);
      kept.written = Polynomial::larger(kept.written, bytes.written);
      kept.irregular = Polynomial::larger(kept.irregular, bytes.irregular);
      if (kept.size.is_zero()) kept.size = bytes.size;
    }
    dearest.strides = dearest.strides || work.strides;
    dearest.allocations = Polynomial::larger(dearest.allocations, work.allocations);
    dearest.zeroed_bytes = Polynomial::larger(dearest.zeroed_bytes, work.zeroed_bytes);
  }

  Region region_at(RegionKind kind, bool device, Position position) {
    Region made;
    made.kind = kind;
    made.device = device;
    made.line = counter_.compilation_.sources.locate(position).line;
    made.runs = trips();
    made.plan = counter_.plan_of(function_);
    if (device) guess("it runs on a device");
    if (!device) approximate("a region runs on the lanes of the pool");
    return made;
  }

  /// A body that runs apart at one index: its loops count from there, and its names move as a loop's does.
  void apart(Code& into, checked::List<Local* const> names, const Block& code) {
    std::vector<Loop> outer;
    std::swap(outer, loops_);
    Code* const saved = code_;
    const auto streamed_before = std::move(streamed_);
    streamed_.clear();
    code_ = &into;
    loops_.push_back({nullptr, Polynomial(1.0), ++last_loop_, 0});
    for (const Local* each : names) loops_.push_back({each, Polynomial(1.0), last_loop_, 0});
    block(code);
    code_ = saved;
    streamed_ = streamed_before;
    std::swap(outer, loops_);
  }

  void region(RegionKind kind, const Expr* extent, const Function* lane, Position position) {
    value(*extent);
    Region made = region_at(kind, kind == RegionKind::Device, position);
    const auto counted = sizes_.value(*extent);
    if (!counted) guess("the number of indices of a region is not known");
    made.count = counted.value_or(Polynomial(1.0));
    if (lane != nullptr && lane->body != nullptr) apart(made.per_index, lane->parameters, *lane->body);
    cost_.regions.push_back(std::move(made));
  }

  // ------------------------------------------------------------------------------------------------------- cooperative

  void thread_body(const ThreadBody& of, Region made, bool is_finish) {
    Cooperation& cooperation = made.cooperation.emplace();
    cooperation.threads = of.threads;
    cooperation.shared_bytes = of.shared_bytes;
    cooperation.is_finish = is_finish;
    for (const PipelineStmt* pipeline : of.pipelines) {
      std::uint32_t in_flight = pipeline->depth;
      for (const PipelineWait& wait : of.waits) {
        if (wait.operation->as<ConcurrentExpr>().receiver->as<LocalExpr>().local == pipeline->local) {
          in_flight = std::min(in_flight, wait.in_flight);
        }
      }
      const double stage = static_cast<double>(bytes_of(pipeline->size, pipeline->element_bytes));
      cooperation.bytes_in_flight += (std::min(in_flight, pipeline->depth - 1) + 1.0) * stage;
    }
    Cooperation* const outer = cooperation_;
    cooperation_ = &cooperation;
    const auto names = of.body->parameters;
    for (std::size_t k = of.block_names; k < names.size(); ++k) of_thread_.insert(names[k]);
    apart(made.per_index, names, *of.body->body);
    cooperation_ = outer;
    cost_.regions.push_back(std::move(made));
  }

  void cooperative(const CooperativeStmt& of) {
    Region made = region_at(RegionKind::Cooperative, of.device, of.position);
    made.count = Polynomial(1.0);
    for (const LetStmt* extent : of.grid) {
      statement(*extent);
      const auto counted = sizes_.value(*extent->value);
      if (!counted) guess("the number of blocks of a region is not known");
      made.count = made.count * counted.value_or(Polynomial(1.0));
    }
    Region finish = made;
    thread_body(of.blocks, std::move(made), false);
    if (!of.has_finish) return;
    finish.count = Polynomial(1.0);
    thread_body(of.finish, std::move(finish), true);
  }

  /// `c += a * b` of whole matrices: m n k products, each matrix moved once, c twice.
  void multiply(const ConcurrentExpr& of) {
    std::array<Polynomial, 3> extents;
    for (std::size_t k = 0; k < extents.size(); ++k) {
      const auto known = sizes_.value(*of.arguments[k]);
      if (!known) return guess("the sizes of a matrix product are not known");
      extents[k] = *known;
    }
    const auto& [m, n, k] = extents;
    const Polynomial products = m * n * k;
    const std::array<Polynomial, 3> cells = {m * n, m * k, k * n};
    const bool device = on_device(*of.arguments[3]);
    Region made = region_at(RegionKind::Tensor, device, of.position);
    made.count = Polynomial(1.0);
    made.multiply_adds = products;
    Work& work = made.per_index.bodies[0];
    for (std::size_t each = 0; each < cells.size(); ++each) {
      const Expr& matrix = *of.arguments[3 + each];
      const double bytes = static_cast<double>(size_of(*value_type(matrix.type)->element));
      const Local* root = root_of(matrix);
      Traffic& traffic = work.traffic[root == nullptr ? "_" : name(*root)];
      traffic.read += cells[each] * Polynomial(bytes);
      if (each == 0) traffic.written += cells[each] * Polynomial(bytes);
      traffic.size = cells[each] * Polynomial(bytes);
    }
    if (!device) {  // the host adds product by product
      work.ops["f32"] += products;
      work.ops["f32_fold"] += products;
    }
    cost_.regions.push_back(std::move(made));
  }

  void fragment(const FragmentExpr& of) {
    const Type* shaped = nullptr;
    const auto seen = [&](const Expr* each) {
      const Type* type = each == nullptr ? nullptr : value_type(each->type);
      if (shaped == nullptr && type != nullptr && type->is(TypeKind::Fragment)) shaped = type;
    };
    seen(&of);
    for (const Expr* argument : of.arguments) seen(argument);
    if (shaped == nullptr || fragment_family(names_.text(shaped->full_name)) == nullptr) return count("int");
    const FragmentShape shape = fragment_shape(*shaped, names_);
    const double of_a_thread = static_cast<double>(shape.rows * shape.columns) / kWarp;
    switch (of.op) {
      case ConcurrentOp::FragmentMultiply: {
        const FragmentShape left = fragment_shape(*value_type(of.arguments[1]->type), names_);
        const double products = static_cast<double>(shape.rows * shape.columns * left.columns);
        count("int");
        if (cooperation_ != nullptr) {
          cooperation_->multiply_adds += trips() * Polynomial(products * cooperation_->threads / kWarp);
        }
        return;
      }
      case ConcurrentOp::FragmentLoad:
      case ConcurrentOp::FragmentStore: {
        const bool writes = of.op == ConcurrentOp::FragmentStore;
        count(writes ? "store" : "load", of_a_thread);
        const Local* root = root_of(*of.receiver);
        const Type& element = *value_type(of.receiver->type)->element;
        if (is_block_memory(root)) return share(of_a_thread, element);
        Traffic& traffic = here().traffic[root == nullptr ? "_" : name(*root)];
        (writes ? traffic.written : traffic.read) +=
            trips() * Polynomial(of_a_thread * static_cast<double>(size_of(element)));
        return;
      }
      case ConcurrentOp::FragmentFill:
        return count("int", of_a_thread);
      default:
        return count("int");
    }
  }

  void wide_access(const ConcurrentExpr& of) {
    const bool writes = of.op == ConcurrentOp::StoreWide;
    const Type& moved = writes ? *value_type(of.arguments[1]->type) : *of.type;
    count(writes ? "store" : "load");
    count("bounds_guard");
    const Local* root = root_of(*of.receiver);
    if (is_block_memory(root)) return share(static_cast<double>(moved.count), *moved.element);
    Traffic& traffic = here().traffic[root == nullptr ? "_" : name(*root)];
    (writes ? traffic.written : traffic.read) += trips() * Polynomial(static_cast<double>(size_of(moved)));
  }

  void pipeline(const ConcurrentExpr& of) {
    if (cooperation_ == nullptr) return;
    if (of.op == ConcurrentOp::PipelineWait) cooperation_->barriers += trips();
    if (of.op != ConcurrentOp::PipelineFill) return;
    const Type& element = *value_type(of.arguments[0]->type)->element;
    const Type& stage = *value_type(of.receiver->type);
    auto copied = sizes_.value(*of.arguments[2]);
    if (!copied) {  // at most a stage
      approximate("a copy into a stage counts as a whole one");
      copied = Polynomial(stage.extent.kind == Extent::Kind::Literal ? static_cast<double>(stage.extent.literal) : 1.0);
    }
    cooperation_->copied_bytes += trips() * *copied * Polynomial(static_cast<double>(size_of(element)));
  }

  void concurrent(const ConcurrentExpr& of) {
    for (const Expr* argument : of.arguments) {
      if (argument != nullptr) value(*argument);
    }
    if (of.op == ConcurrentOp::MatrixMultiply) return multiply(of);
    if (is_fragment(of.op)) return fragment(static_cast<const FragmentExpr&>(of));
    if (is_wide_access(of.op)) return wide_access(of);
    if (is_pipeline_operation(of.op)) return pipeline(of);
    if (is_warp_exchange(of.op)) return count("int");
    if (is_wait(of.op)) return count("wait");
    count("atomic");
    approximate("it uses atomics, locks or tickets");
  }

  void reduce(const ReduceStmt& of) {
    if (of.warp) {
      if (of.warp_value != nullptr) value(*of.warp_value);
      return count("int", 5);
    }
    const Type& type = *of.lane->result;
    const std::string fold = type.is_float() ? float_kind(type, "_fold") : "int_fold";
    if (of.device || of.parallel) {
      region(of.device ? RegionKind::Device : RegionKind::Pooled, of.extent, of.lane, of.position);
      cost_.regions.back().per_index.bodies[0].ops[fold] += Polynomial(1.0);
    } else {
      value(*of.extent);
      looped(of.lane->parameters.front(), known_trips(Polynomial(), sizes_.value(*of.extent)), [&] {
        block(*of.lane->body);
        count(fold);
      });
    }
    if (of.target != nullptr) place(*of.target, false, true);
  }

  void scan(const ScanStmt& of) {
    const Type& type = *of.lane->result;
    const std::string fold = type.is_float() ? float_kind(type, "_fold") : "int_fold";
    const double bytes = static_cast<double>(size_of(type));
    const Local* root = root_of(*of.output);
    const std::string array = root == nullptr ? "_" : name(*root);
    if (of.device || of.parallel) {
      region(of.device ? RegionKind::Device : RegionKind::Pooled, of.extent, of.lane, of.position);
      Work& work = cost_.regions.back().per_index.bodies[0];
      work.ops[fold] += Polynomial(2.0);  // two passes
      work.ops["store"] += Polynomial(2.0);
      work.traffic[array].written += Polynomial(2 * bytes);
      work.traffic[array].read += Polynomial(bytes);
      return;
    }
    value(*of.extent);
    looped(of.lane->parameters.front(), known_trips(Polynomial(), sizes_.value(*of.extent)), [&] {
      block(*of.lane->body);
      count(fold);
      count("store");
      Traffic& traffic = here().traffic[array];
      traffic.written += trips() * Polynomial(bytes);
      if (const auto length = sizes_.length(*of.output)) traffic.size = *length * Polynomial(bytes);
    });
  }

  void compact(const CompactStmt& of) {
    if (of.device) {
      region(RegionKind::Device, of.extent, of.condition, of.position);
      return;
    }
    value(*of.extent);
    const Local* root = root_of(*of.output);
    looped(of.binder, known_trips(Polynomial(), sizes_.value(*of.extent)), [&] {
      count("collect");
      value(*of.predicate);
      value(*of.projected);
      const double bytes = static_cast<double>(size_of(*of.projected->type));
      Traffic& traffic = here().traffic[root == nullptr ? "_" : name(*root)];
      traffic.written += trips() * Polynomial(bytes);
      if (const auto length = sizes_.length(*of.output)) traffic.size = *length * Polynomial(bytes);
    });
  }

  void statement(const Stmt& of) {
    switch (of.kind) {
      case StmtKind::Let: {
        const auto& let = of.as<LetStmt>();
        if (let.value == nullptr) return;
        value(*let.value);
        if (let.local == nullptr) return;
        if (!let.local->is_mutable && let.local->type->is_integer()) {
          if (const auto known = sizes_.value(*let.value)) sizes_.set_value(*let.local, *known);
          std::size_t depth = 0;
          const Moves moves = motion(*let.value, depth);
          motions_[let.local] = {moves, depth};
          if (!loops_.empty()) steps_[let.local] = {loops_.back().id, step(*let.value)};
        }
        if (cooperation_ != nullptr && (let.local->is_mutable || is_a_threads(*let.value)))
          of_thread_.insert(let.local);
        if (let.value->kind == ExprKind::BufNew) {
          if (const auto known = sizes_.value(*let.value->as<BufNewExpr>().count))
            sizes_.set_length(*let.local, *known);
        } else if (const auto known = let.local->type->is(TypeKind::View) ? sizes_.length(*let.value) : std::nullopt) {
          sizes_.set_length(*let.local, *known);
        }
        return;
      }
      case StmtKind::Assign:
        return assign(of.as<AssignStmt>());
      case StmtKind::Compound: {
        const auto& compound = of.as<CompoundStmt>();
        place(*compound.place, true, true);
        value(*compound.value);
        return update(*compound.place, compound.op, *compound.place->type, discharged_.contains(compound));
      }
      case StmtKind::If:
        value(*of.as<IfStmt>().condition);
        return alternatives({of.as<IfStmt>().then, of.as<IfStmt>().otherwise});
      case StmtKind::Match: {
        value(*of.as<MatchStmt>().subject);
        std::vector<const Block*> arms;
        for (const MatchArm& arm : of.as<MatchStmt>().arms) arms.push_back(arm.body);
        return alternatives(arms);
      }
      case StmtKind::While:
        guess("a while loop's turns are not known: its body counts once");
        return looped(nullptr, Polynomial(1.0), [&] {
          value(*of.as<WhileStmt>().condition);
          block(*of.as<WhileStmt>().body);
        });
      case StmtKind::For: {
        const auto& loop = of.as<ForStmt>();
        if (loop.lo != nullptr) value(*loop.lo);
        value(*loop.hi);
        const auto lo = loop.lo == nullptr ? std::optional<Polynomial>(Polynomial()) : bound(*loop.lo, false);
        return looped(loop.binder, known_trips(lo, bound(*loop.hi, true)), [&] { block(*loop.body); });
      }
      case StmtKind::Storage: {
        const auto& storage = of.as<StorageStmt>();
        if (storage.count != nullptr) value(*storage.count);
        const auto elements = storage.count == nullptr ? std::nullopt : sizes_.value(*storage.count);
        if (elements) sizes_.set_length(*storage.local, *elements);
        if (storage.local->kind == LocalKind::Buffer) allocate(elements, *storage.local->type->element);
        return;
      }
      case StmtKind::Parallel:
        return region(of.as<ParallelStmt>().device ? RegionKind::Device : RegionKind::Host,
                      of.as<ParallelStmt>().extent, of.as<ParallelStmt>().lane, of.position);
      case StmtKind::Reduce:
        return reduce(of.as<ReduceStmt>());
      case StmtKind::Scan:
        return scan(of.as<ScanStmt>());
      case StmtKind::Compact:
        return compact(of.as<CompactStmt>());
      case StmtKind::Block:
        return block(*of.as<BlockStmt>().body);
      case StmtKind::Asm:
        count("io");
        return guess("it has assembly");
      case StmtKind::Cooperative:
        return cooperative(of.as<CooperativeStmt>());
      case StmtKind::Shared:
        return sizes_.set_length(*of.as<SharedStmt>().local,
                                 Polynomial(static_cast<double>(of.as<SharedStmt>().length)));
      case StmtKind::Pipeline:
        return sizes_.set_length(*of.as<PipelineStmt>().local,
                                 Polynomial(static_cast<double>(of.as<PipelineStmt>().size)));
      case StmtKind::Barrier:
        if (cooperation_ != nullptr) cooperation_->barriers += trips();
        return;
      default:
        for_each_part(
            of, [&](const Expr& each) { value(each); }, [&](const Block& nested) { block(nested); },
            [](const Function&) {});
        return;
    }
  }

  Counter& counter_;
  const NameTable& names_;
  const Function& function_;
  Cost& cost_;
  KnownSizes sizes_;
  Code* code_;
  Cooperation* cooperation_ = nullptr;  // of the block that is counted
  std::set<const Local*> of_thread_;    // what differs from thread to thread of a block
  DischargedGuards discharged_;
  std::vector<Loop> loops_;
  std::map<const Local*, std::pair<Moves, std::size_t>> motions_;
  std::map<const Local*, std::pair<std::size_t, std::optional<std::int64_t>>> steps_;  // in a turn of the loop
  std::set<std::tuple<std::string, std::size_t, bool>> streamed_;  // array, loop of the pass, written
  std::size_t last_loop_ = 0;
};

Counter::Counter(const Compilation& compilation) : compilation_(compilation) {
  for (const syntax::Decl* declaration : compilation.tree.declarations) {
    if (declaration->kind != syntax::DeclKind::Plan) continue;
    const auto& plan = declaration->as<syntax::PlanDecl>();
    if (plan.selects || plan.function.segments.empty()) continue;
    const Name wanted = plan.function.segments.back().name;
    for (const syntax::Decl* other : compilation.tree.declarations) {
      if (other->kind != syntax::DeclKind::Function || other->name.name != wanted || other->module != plan.module)
        continue;
      for (const syntax::PlanItem& item : plan.items) {
        plans_[other].items[std::string(compilation.names.text(item.name.name))] = item.value.value;
      }
    }
  }
}

const Plan& Counter::plan_of(const Function& function) const {
  const auto found = plans_.find(function.declaration);
  return found == plans_.end() ? none_ : found->second;
}

const Cost& Counter::cost_of(const Function& function) {
  if (const auto known = costs_.find(&function); known != costs_.end()) return known->second;
  active_.insert(&function);
  Cost cost;
  cost.line = compilation_.sources.locate(function.position).line;
  BodyCounter(*this, function, cost).run();
  active_.erase(&function);
  std::set<std::string> used;
  const auto note = [&](const Polynomial& of) {
    for (const std::string& variable : of.variables()) used.insert(variable);
  };
  const auto note_work = [&](const Work& work) {
    for (const auto& [kind, times] : work.ops) note(times);
    for (const auto& [array, bytes] : work.traffic) {
      note(bytes.read);
      note(bytes.written);
      note(bytes.irregular);
    }
    note(work.allocations);
    note(work.zeroed_bytes);
  };
  note_work(cost.sequential.total());
  for (const Region& region : cost.regions) {
    note(region.count);
    note(region.runs);
    note_work(region.per_index.total());
    note(region.multiply_adds);
    if (!region.cooperation) continue;
    note(region.cooperation->wavefronts);
    note(region.cooperation->copied_bytes);
    note(region.cooperation->multiply_adds);
  }
  for (const Transfer& each : cost.transfers) note(each.bytes);
  note(cost.tasks);
  for (const Local* parameter : function.parameters) {
    const std::string name(compilation_.names.text(parameter->name));
    if (parameter->type->is(TypeKind::Usize) && used.contains(name)) cost.extents.push_back(name);
  }
  return costs_.emplace(&function, std::move(cost)).first->second;
}

}  // namespace cairn::predict
