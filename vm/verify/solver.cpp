#include "vm/verify/solver.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>

#include <dlfcn.h>
#include <z3.h>

#include "vm/verify/processor_clock.hpp"

namespace cairn::verify {

namespace {

constexpr unsigned kWallTimes = 60;  // of a limit of processor time: one of the wall

// What is used of libz3. A row is a function of its C API.
// clang-format off
#define CAIRN_Z3_FUNCTIONS(X) \
  X(Z3_get_full_version) X(Z3_mk_config) X(Z3_del_config) X(Z3_mk_context) X(Z3_del_context) \
  X(Z3_set_error_handler) X(Z3_get_error_code) X(Z3_mk_string_symbol) X(Z3_mk_bool_sort) X(Z3_mk_bv_sort) \
  X(Z3_mk_fpa_sort_single) X(Z3_mk_fpa_sort_double) X(Z3_mk_array_sort) X(Z3_mk_const) X(Z3_mk_true) X(Z3_mk_false) \
  X(Z3_mk_not) X(Z3_mk_and) X(Z3_mk_or) X(Z3_mk_ite) X(Z3_mk_eq) X(Z3_mk_unsigned_int64) X(Z3_mk_bvadd) \
  X(Z3_mk_bvsub) X(Z3_mk_bvmul) X(Z3_mk_bvudiv) X(Z3_mk_bvurem) X(Z3_mk_bvsdiv) X(Z3_mk_bvsrem) X(Z3_mk_bvand) \
  X(Z3_mk_bvor) X(Z3_mk_bvxor) X(Z3_mk_bvshl) X(Z3_mk_bvlshr) X(Z3_mk_bvashr) X(Z3_mk_bvult) X(Z3_mk_bvule) \
  X(Z3_mk_bvslt) X(Z3_mk_bvsle) X(Z3_mk_zero_ext) X(Z3_mk_sign_ext) X(Z3_mk_extract) X(Z3_mk_bvmul_no_overflow) \
  X(Z3_mk_bvmul_no_underflow) X(Z3_mk_select) X(Z3_mk_store) X(Z3_mk_const_array) \
  X(Z3_mk_fpa_round_nearest_ties_to_even) X(Z3_mk_fpa_round_toward_zero) X(Z3_mk_fpa_add) X(Z3_mk_fpa_sub) \
  X(Z3_mk_fpa_mul) X(Z3_mk_fpa_div) X(Z3_mk_fpa_neg) X(Z3_mk_fpa_eq) X(Z3_mk_fpa_lt) X(Z3_mk_fpa_leq) \
  X(Z3_mk_fpa_is_nan) X(Z3_mk_fpa_to_fp_bv) X(Z3_mk_fpa_to_fp_float) X(Z3_mk_fpa_to_fp_signed) \
  X(Z3_mk_fpa_to_fp_unsigned) X(Z3_mk_fpa_to_ubv) X(Z3_mk_fpa_to_sbv) X(Z3_mk_fpa_to_ieee_bv) \
  X(Z3_mk_solver_for_logic) X(Z3_mk_solver) X(Z3_solver_inc_ref) X(Z3_solver_dec_ref) X(Z3_mk_params) \
  X(Z3_params_inc_ref) X(Z3_params_dec_ref) X(Z3_params_set_uint) X(Z3_solver_set_params) X(Z3_solver_assert) \
  X(Z3_solver_check) X(Z3_solver_get_reason_unknown) X(Z3_solver_get_model) X(Z3_model_inc_ref) X(Z3_model_dec_ref) \
  X(Z3_model_eval) X(Z3_get_bool_value) X(Z3_get_numeral_uint64) X(Z3_mk_func_decl) X(Z3_mk_app) \
  X(Z3_interrupt)
// clang-format on

struct Api {
#define CAIRN_Z3_MEMBER(name) decltype(&::name) name = nullptr;
  CAIRN_Z3_FUNCTIONS(CAIRN_Z3_MEMBER)
#undef CAIRN_Z3_MEMBER
};

/// The error is empty when every function was found.
std::string load(Api& z3) {
  void* library = nullptr;
  for (const char* name : {"libz3.so", "libz3.so.4"}) {
    library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
  }
  if (library == nullptr) {
    return "the solver is missing: libz3.so.4 is not installed here (Debian's package libz3-4 holds it)";
  }
  std::string missing;
#define CAIRN_Z3_LOAD(name)                                               \
  z3.name = reinterpret_cast<decltype(&::name)>(::dlsym(library, #name)); \
  if (z3.name == nullptr) missing = #name;
  CAIRN_Z3_FUNCTIONS(CAIRN_Z3_LOAD)
#undef CAIRN_Z3_LOAD
  return missing.empty() ? "" : "the solver cannot be used: libz3 has no " + missing;
}

/// Calls `over` once this process has used so many milliseconds of the processor from here on, unless it is gone by
/// then.
class ProcessorLimit {
 public:
  ProcessorLimit(unsigned ms, std::function<void()> over)
      : watch_([this, end = ProcessorClock::now() + std::chrono::milliseconds(ms),
                over = std::move(over)](const std::stop_token& stopped) {
          std::unique_lock lock(mutex_);
          while (!stopped.stop_requested()) {
            const auto left = end - ProcessorClock::now();
            if (left <= left.zero()) return over();
            woken_.wait_for(lock, stopped, left, [&] { return stopped.stop_requested(); });
          }
        }) {}

 private:
  std::mutex mutex_;
  std::condition_variable_any woken_;
  std::jthread watch_;  // the first to go
};

}  // namespace

std::string_view text(SolverAnswer said) {
  return said == SolverAnswer::Sat ? "sat" : said == SolverAnswer::Unsat ? "unsat" : "unknown";
}

struct Solver::Engine {
  Api z3;
  Z3_context context = nullptr;
  std::string version;
  std::string reason;
  /// Terms as they are told with one detail: questions go to and fro between details.
  struct Told {
    std::unordered_map<Term, Z3_ast> translated;
    bool uses_arrays = false;
    bool uses_floats = false;
    bool uses_functions = false;
  };
  std::array<Told, 3> by_detail;
  Z3_solver solver = nullptr;
  Z3_model model = nullptr;
  Detail detail = Detail::Exact;
  bool counts_processor_time = false;

  [[nodiscard]] const Told& told() const { return by_detail[static_cast<std::size_t>(detail)]; }
  [[nodiscard]] Told& told() { return by_detail[static_cast<std::size_t>(detail)]; }

  void forget_answer() {
    if (model != nullptr) z3.Z3_model_dec_ref(context, model);
    if (solver != nullptr) z3.Z3_solver_dec_ref(context, solver);
    model = nullptr;
    solver = nullptr;
  }

  Z3_sort sort_of(Sort sort) const {
    if (sort.array) return z3.Z3_mk_array_sort(context, z3.Z3_mk_bv_sort(context, 64), sort_of(element_of(sort)));
    if (sort.kind == SortKind::Bool) return z3.Z3_mk_bool_sort(context);
    if (sort.kind == SortKind::Bits) return z3.Z3_mk_bv_sort(context, sort.width);
    return sort.width == 32 ? z3.Z3_mk_fpa_sort_single(context) : z3.Z3_mk_fpa_sort_double(context);
  }

  Z3_ast make(const Terms& terms, Term term, std::span<const Z3_ast> of) const;
  Z3_ast any_function(const Terms& terms, Term term, const char* name, std::span<const Z3_ast> of) const;
  Z3_ast translate(const Terms& terms, Term root);
  Z3_solver new_solver() const;
};

namespace {

/// The name of the function that a term is of its two operands where both are unknown; null for every other term.
const char* product_name(const Terms& terms, Term term) {
  const Terms::Node& node = terms.node(term);
  if (node.count != 2 || terms.is_constant(terms.operand(term, 1)) || terms.is_constant(terms.operand(term, 0))) {
    return nullptr;
  }
  switch (node.op) {
    case TermOp::Mul:
      return "product";
    case TermOp::MulFitsU:
      return "product_fits_unsigned";
    case TermOp::MulFitsS:
      return "product_fits_signed";
    case TermOp::DivU:
      return "quotient_unsigned";
    case TermOp::DivS:
      return "quotient_signed";
    case TermOp::RemU:
      return "remainder_unsigned";
    case TermOp::RemS:
      return "remainder_signed";
    default:
      return nullptr;
  }
}

}  // namespace

/// An application, or a product, quotient or remainder that is told as one.
Z3_ast Solver::Engine::any_function(const Terms& terms, Term term, const char* name, std::span<const Z3_ast> of) const {
  std::string full(name);
  if (detail == Detail::Free) {
    full += "#" + std::to_string(term);
    return z3.Z3_mk_const(context, z3.Z3_mk_string_symbol(context, full.c_str()), sort_of(terms.sort(term)));
  }
  const TermOp op = terms.node(term).op;
  std::vector<Z3_ast> operands(of.begin(), of.end());
  const bool commutes = op == TermOp::Mul || op == TermOp::MulFitsU || op == TermOp::MulFitsS;
  if (commutes && terms.operand(term, 0) > terms.operand(term, 1)) std::swap(operands[0], operands[1]);
  std::vector<Z3_sort> domain;
  for (const Term operand : terms.operands(term)) {
    const Sort sort = terms.sort(operand);
    domain.push_back(sort_of(sort));
    full += (sort.array ? ".a" : ".") + std::to_string(sort.width);
  }
  const auto count = static_cast<unsigned>(operands.size());
  const Z3_func_decl function = z3.Z3_mk_func_decl(context, z3.Z3_mk_string_symbol(context, full.c_str()), count,
                                                   domain.data(), sort_of(terms.sort(term)));
  return z3.Z3_mk_app(context, function, count, operands.data());
}

/// The term from its translated operands.
Z3_ast Solver::Engine::make(const Terms& terms, Term term, std::span<const Z3_ast> of) const {
  const Terms::Node& node = terms.node(term);
  const auto c = context;
  const auto count = static_cast<unsigned>(of.size());
  const unsigned width = node.sort.width;
  const auto nearest = [&] { return z3.Z3_mk_fpa_round_nearest_ties_to_even(c); };
  const auto operand_width = [&] { return static_cast<unsigned>(terms.sort(terms.operand(term, 0)).width); };
  switch (node.op) {
    case TermOp::Constant:
      if (node.sort.kind == SortKind::Bool) return node.value != 0 ? z3.Z3_mk_true(c) : z3.Z3_mk_false(c);
      if (node.sort.kind == SortKind::Bits) return z3.Z3_mk_unsigned_int64(c, node.value, sort_of(node.sort));
      return z3.Z3_mk_fpa_to_fp_bv(c, z3.Z3_mk_unsigned_int64(c, node.value, z3.Z3_mk_bv_sort(c, width)),
                                   sort_of(node.sort));
    case TermOp::Apply:  // told as a function, by whoever asks
      return nullptr;
    case TermOp::Variable:
      return z3.Z3_mk_const(c, z3.Z3_mk_string_symbol(c, terms.name(term).c_str()), sort_of(node.sort));
    case TermOp::Not:
      return z3.Z3_mk_not(c, of[0]);
    case TermOp::And:
      return z3.Z3_mk_and(c, count, of.data());
    case TermOp::Or:
      return z3.Z3_mk_or(c, count, of.data());
    case TermOp::Ite:
      return z3.Z3_mk_ite(c, of[0], of[1], of[2]);
    case TermOp::MinU:
    case TermOp::MaxU:
    case TermOp::MinS:
    case TermOp::MaxS: {
      const bool is_signed = node.op == TermOp::MinS || node.op == TermOp::MaxS;
      const bool is_least = node.op == TermOp::MinU || node.op == TermOp::MinS;
      Z3_ast best = of[0];
      for (const Z3_ast each : of.subspan(1)) {
        const Z3_ast is_less = is_signed ? z3.Z3_mk_bvslt(c, best, each) : z3.Z3_mk_bvult(c, best, each);
        best = is_least ? z3.Z3_mk_ite(c, is_less, best, each) : z3.Z3_mk_ite(c, is_less, each, best);
      }
      return best;
    }
    case TermOp::Equal:
      return z3.Z3_mk_eq(c, of[0], of[1]);
    case TermOp::Add: {
      Z3_ast sum = of[0];
      for (const Z3_ast each : of.subspan(1)) sum = z3.Z3_mk_bvadd(c, sum, each);
      return sum;
    }
    case TermOp::Sub:
      return z3.Z3_mk_bvsub(c, of[0], of[1]);
    case TermOp::Mul:
      return z3.Z3_mk_bvmul(c, of[0], of[1]);
    case TermOp::DivU:
      return z3.Z3_mk_bvudiv(c, of[0], of[1]);
    case TermOp::RemU:
      return z3.Z3_mk_bvurem(c, of[0], of[1]);
    case TermOp::DivS:
      return z3.Z3_mk_bvsdiv(c, of[0], of[1]);
    case TermOp::RemS:
      return z3.Z3_mk_bvsrem(c, of[0], of[1]);
    case TermOp::BitAnd:
      return z3.Z3_mk_bvand(c, of[0], of[1]);
    case TermOp::BitOr:
      return z3.Z3_mk_bvor(c, of[0], of[1]);
    case TermOp::BitXor:
      return z3.Z3_mk_bvxor(c, of[0], of[1]);
    case TermOp::ShiftLeft:
      return z3.Z3_mk_bvshl(c, of[0], of[1]);
    case TermOp::ShiftRightU:
      return z3.Z3_mk_bvlshr(c, of[0], of[1]);
    case TermOp::ShiftRightS:
      return z3.Z3_mk_bvashr(c, of[0], of[1]);
    case TermOp::LessU:
      return z3.Z3_mk_bvult(c, of[0], of[1]);
    case TermOp::LessEqualU:
      return z3.Z3_mk_bvule(c, of[0], of[1]);
    case TermOp::LessS:
      return z3.Z3_mk_bvslt(c, of[0], of[1]);
    case TermOp::LessEqualS:
      return z3.Z3_mk_bvsle(c, of[0], of[1]);
    case TermOp::ZeroExtend:
      return z3.Z3_mk_zero_ext(c, width - operand_width(), of[0]);
    case TermOp::SignExtend:
      return z3.Z3_mk_sign_ext(c, width - operand_width(), of[0]);
    case TermOp::Truncate:
      return z3.Z3_mk_extract(c, width - 1, 0, of[0]);
    case TermOp::MulFitsU:
      return z3.Z3_mk_bvmul_no_overflow(c, of[0], of[1], false);
    case TermOp::MulFitsS: {
      const std::array both{z3.Z3_mk_bvmul_no_overflow(c, of[0], of[1], true),
                            z3.Z3_mk_bvmul_no_underflow(c, of[0], of[1])};
      return z3.Z3_mk_and(c, 2, both.data());
    }
    case TermOp::Select:
      return z3.Z3_mk_select(c, of[0], of[1]);
    case TermOp::Store:
      return z3.Z3_mk_store(c, of[0], of[1], of[2]);
    case TermOp::Filled:
      return z3.Z3_mk_const_array(c, z3.Z3_mk_bv_sort(c, 64), of[0]);
    case TermOp::FloatAdd:
      return z3.Z3_mk_fpa_add(c, nearest(), of[0], of[1]);
    case TermOp::FloatSub:
      return z3.Z3_mk_fpa_sub(c, nearest(), of[0], of[1]);
    case TermOp::FloatMul:
      return z3.Z3_mk_fpa_mul(c, nearest(), of[0], of[1]);
    case TermOp::FloatDiv:
      return z3.Z3_mk_fpa_div(c, nearest(), of[0], of[1]);
    case TermOp::FloatNegate:
      return z3.Z3_mk_fpa_neg(c, of[0]);
    case TermOp::FloatEqual:
      return z3.Z3_mk_fpa_eq(c, of[0], of[1]);
    case TermOp::FloatLess:
      return z3.Z3_mk_fpa_lt(c, of[0], of[1]);
    case TermOp::FloatLessEqual:
      return z3.Z3_mk_fpa_leq(c, of[0], of[1]);
    case TermOp::FloatIsNan:
      return z3.Z3_mk_fpa_is_nan(c, of[0]);
    case TermOp::FloatFromU:
      return z3.Z3_mk_fpa_to_fp_unsigned(c, nearest(), of[0], sort_of(node.sort));
    case TermOp::FloatFromS:
      return z3.Z3_mk_fpa_to_fp_signed(c, nearest(), of[0], sort_of(node.sort));
    case TermOp::FloatFromFloat:
      return z3.Z3_mk_fpa_to_fp_float(c, nearest(), of[0], sort_of(node.sort));
    case TermOp::FloatToU:
      return z3.Z3_mk_fpa_to_ubv(c, z3.Z3_mk_fpa_round_toward_zero(c), of[0], width);
    case TermOp::FloatToS:
      return z3.Z3_mk_fpa_to_sbv(c, z3.Z3_mk_fpa_round_toward_zero(c), of[0], width);
  }
  return nullptr;
}

/// Operands before what they are operands of, without recursion: a chain of stores may be thousands deep.
Z3_ast Solver::Engine::translate(const Terms& terms, Term root) {
  auto& [translated, uses_arrays, uses_floats, uses_functions] = told();
  std::vector<Term> open{root};
  while (!open.empty()) {
    const Term term = open.back();
    if (translated.contains(term)) {
      open.pop_back();
      continue;
    }
    std::vector<Z3_ast> of;
    for (const Term operand : terms.operands(term)) {
      const auto known = translated.find(operand);
      if (known == translated.end()) {
        open.push_back(operand);
      } else {
        of.push_back(known->second);
      }
    }
    if (of.size() < terms.operands(term).size()) continue;
    const Sort sort = terms.sort(term);
    uses_arrays = uses_arrays || sort.array;
    uses_floats = uses_floats || sort.kind == SortKind::Float;
    const bool is_applied = terms.node(term).op == TermOp::Apply;
    const char* const name = is_applied                ? terms.name(term).c_str()
                             : detail == Detail::Exact ? nullptr
                                                       : product_name(terms, term);
    uses_functions = uses_functions || (name != nullptr && detail != Detail::Free);
    translated.emplace(term, name == nullptr ? make(terms, term, of) : any_function(terms, term, name, of));
    open.pop_back();
  }
  return translated.at(root);
}

/// The procedure for the theories that are in play: the special ones are several times faster than the general one.
Z3_solver Solver::Engine::new_solver() const {
  const auto& [translated, uses_arrays, uses_floats, uses_functions] = told();
  if (uses_functions) return z3.Z3_mk_solver(context);
  const char* logic = uses_floats ? (uses_arrays ? nullptr : "QF_FPBV") : uses_arrays ? "QF_ABV" : "QF_BV";
  if (logic == nullptr) return z3.Z3_mk_solver(context);
  return z3.Z3_mk_solver_for_logic(context, z3.Z3_mk_string_symbol(context, logic));
}

Solver::Solver() : engine_(std::make_unique<Engine>()) {}

Solver::~Solver() {
  if (engine_->context == nullptr) return;
  engine_->forget_answer();
  engine_->z3.Z3_del_context(engine_->context);
}

std::expected<std::unique_ptr<Solver>, std::string> Solver::open() {
  std::unique_ptr<Solver> solver(new Solver());
  Engine& engine = *solver->engine_;
  if (std::string fault = load(engine.z3); !fault.empty()) return std::unexpected(std::move(fault));
  const Z3_config config = engine.z3.Z3_mk_config();
  engine.context = engine.z3.Z3_mk_context(config);  // terms live as long as it does
  engine.z3.Z3_del_config(config);
  engine.z3.Z3_set_error_handler(engine.context, [](Z3_context, Z3_error_code) {});
  engine.version = engine.z3.Z3_get_full_version();
  return solver;
}

void Solver::count_processor_time() { engine_->counts_processor_time = true; }

const std::string& Solver::version() const { return engine_->version; }
const std::string& Solver::reason() const { return engine_->reason; }

Solver::Detail Solver::needed(const Terms& terms, const std::vector<Term>& conditions) {
  Detail most = Detail::Free;
  std::vector<Term> open = conditions;
  std::vector<bool> met(terms.size());
  while (!open.empty()) {
    const Term term = open.back();
    open.pop_back();
    if (met[term]) continue;
    met[term] = true;
    if (product_name(terms, term) != nullptr) return Detail::Exact;
    if (terms.node(term).op == TermOp::Apply) most = Detail::Functions;
    const auto operands = terms.operands(term);
    open.insert(open.end(), operands.begin(), operands.end());
  }
  return most;
}

SolverAnswer Solver::ask(const Terms& terms, const std::vector<Term>& conditions, unsigned timeout_ms, Detail detail) {
  Engine& engine = *engine_;
  engine.detail = detail;
  engine.forget_answer();
  engine.reason.clear();
  std::vector<Z3_ast> asserted;
  for (const Term condition : conditions) {
    if (condition == kFalse) return SolverAnswer::Unsat;
    asserted.push_back(engine.translate(terms, condition));
  }
  engine.solver = engine.new_solver();
  engine.z3.Z3_solver_inc_ref(engine.context, engine.solver);
  const Z3_params params = engine.z3.Z3_mk_params(engine.context);
  engine.z3.Z3_params_inc_ref(engine.context, params);
  const unsigned wall_ms = engine.counts_processor_time ? kWallTimes * timeout_ms : timeout_ms;
  engine.z3.Z3_params_set_uint(engine.context, params, engine.z3.Z3_mk_string_symbol(engine.context, "timeout"),
                               wall_ms);
  engine.z3.Z3_solver_set_params(engine.context, engine.solver, params);
  engine.z3.Z3_params_dec_ref(engine.context, params);
  for (const Z3_ast condition : asserted) engine.z3.Z3_solver_assert(engine.context, engine.solver, condition);
  Z3_lbool answer = Z3_L_UNDEF;
  {
    std::optional<ProcessorLimit> limit;
    if (engine.counts_processor_time) limit.emplace(timeout_ms, [&] { engine.z3.Z3_interrupt(engine.context); });
    answer = engine.z3.Z3_solver_check(engine.context, engine.solver);
  }
  if (engine.z3.Z3_get_error_code(engine.context) != Z3_OK) {
    engine.reason = "the solver failed";
    return SolverAnswer::Unknown;
  }
  if (answer == Z3_L_FALSE) return SolverAnswer::Unsat;
  if (answer == Z3_L_UNDEF) {
    engine.reason = engine.z3.Z3_solver_get_reason_unknown(engine.context, engine.solver);
    if (engine.reason == "canceled") engine.reason = "timeout";
    return SolverAnswer::Unknown;
  }
  engine.model = engine.z3.Z3_solver_get_model(engine.context, engine.solver);
  if (engine.model == nullptr) {
    engine.reason = "the solver gives no model";
    return SolverAnswer::Unknown;
  }
  engine.z3.Z3_model_inc_ref(engine.context, engine.model);
  return SolverAnswer::Sat;
}

ModelValue Solver::value(const Terms& terms, Term term) {
  Engine& engine = *engine_;
  const auto evaluated = [&](Z3_ast ast) {
    Z3_ast result = nullptr;
    return engine.z3.Z3_model_eval(engine.context, engine.model, ast, true, &result) ? result : nullptr;
  };
  const auto holds = [&](Z3_ast ast) {
    const Z3_ast result = evaluated(ast);
    return result != nullptr && engine.z3.Z3_get_bool_value(engine.context, result) == Z3_L_TRUE;
  };
  ModelValue value;
  if (engine.model == nullptr) return value;
  Z3_ast ast = engine.translate(terms, term);
  const Sort sort = terms.sort(term);
  if (sort.kind == SortKind::Bool) {
    value.bits = holds(ast) ? 1 : 0;
    return value;
  }
  if (sort.kind == SortKind::Float) {
    if (holds(engine.z3.Z3_mk_fpa_is_nan(engine.context, ast))) {
      return {sort.width == 32 ? std::uint64_t{0x7fc00000} : std::uint64_t{0x7ff8} << 48U, true};
    }
    ast = engine.z3.Z3_mk_fpa_to_ieee_bv(engine.context, ast);
  }
  const Z3_ast result = evaluated(ast);
  if (result != nullptr) engine.z3.Z3_get_numeral_uint64(engine.context, result, &value.bits);
  return value;
}

}  // namespace cairn::verify
