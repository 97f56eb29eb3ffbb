#include "frontend/report/numerics.hpp"

#include <algorithm>
#include <array>

#include "frontend/check/body_walk.hpp"
#include "frontend/check/concurrent_ops.hpp"

namespace cairn {

namespace {

using namespace checked;

NumericsEntry conversion(const ConvertExpr& expression) {
  const bool saturates_not = expression.type->is(TypeKind::F8E4M3);
  return {expression.position,
          {{"op", "convert"},
           {"from", std::string(expression.operand->type->name)},
           {"to", std::string(expression.type->name)},
           {"rounding", "nearest-even"},
           {"overflow", saturates_not ? "trap" : "infinity"},
           {"nan", "nan"}}};
}

NumericsEntry quantization(const BuiltinExpr& expression) {
  const bool is_stochastic = expression.builtin == Builtin::QuantizeStochastic;
  return {expression.position,
          {{"op", is_stochastic ? "quantize_stochastic" : "quantize"},
           {"from", "f32"},
           {"to", std::string(expression.type->name)},
           {"rounding", is_stochastic ? "stochastic-u32" : "nearest-even"},
           {"scale", "positive-finite"},
           {"overflow", "saturate"},
           {"nan", expression.type->is_storage_float() ? "nan" : "trap"}}};
}

/// mma_unordered of matrices, or one step of fragments, whose K the entry names.
NumericsEntry multiplication(const ConcurrentExpr& expression) {
  const bool is_step = expression.op == ConcurrentOp::FragmentMultiply;
  const Expr& factor = *expression.arguments[is_step ? 1 : 4];
  NumericsEntry entry{expression.position,
                      {{"op", "mma"},
                       {"from", std::string(factor.type->element->name)},
                       {"to", "f32"},
                       {"rounding", "unordered-f32"},
                       {"products", "exact-in-f32"},
                       {"bound", "(k + 1) * 2^-22 * (|c| + sum |a * b|)"}}};
  if (is_step) entry.fields.emplace_back("k", std::to_string(factor.type->arguments[3].natural));
  return entry;
}

constexpr const char* kAtomicBound =
    "over k adds, k * 2^-23 * (|old| + sum |v|) + k * 2^-125 for f32 while k < 2^22, and k * 2^-52 * (|old| + sum |v|) "
    "for f64 while k < 2^51";

NumericsEntry atomic_addition(const ConcurrentExpr& expression) {
  const std::string type(expression.receiver->type->name);
  const bool is_f32 = expression.receiver->type->is(TypeKind::F32);
  return {expression.position,
          {{"op", "atomic_add"},
           {"from", type},
           {"to", type},
           {"rounding", is_f32 ? "unordered-f32" : "unordered-f64"},
           {"bound", kAtomicBound},
           {"subnormals", is_f32 ? "flushed-on-device" : "kept"}}};
}

// ----------------------------------------------------------------------------------------------------------------
// pairs

constexpr std::array<std::string_view, 13> kRoundedLevelled = {
    "add",      "sub",      "mul",       "div",      "sqr",      "fma",      "mad",
    "add_limb", "sub_limb", "rsub_limb", "mul_limb", "div_limb", "rdiv_limb"};
constexpr std::array<std::string_view, 68> kRoundedPlain = {"fused",
                                                            "sqrt",
                                                            "rsqrt",
                                                            "recip",
                                                            "sum",
                                                            "sum_limbs",
                                                            "dot",
                                                            "dot_limbs",
                                                            "polynomial",
                                                            "sum_lanes",
                                                            "sum_limbs_lanes",
                                                            "dot_lanes",
                                                            "dot_limbs_lanes",
                                                            "exp",
                                                            "exp2",
                                                            "exp10",
                                                            "expm1",
                                                            "log",
                                                            "log2",
                                                            "log10",
                                                            "log1p",
                                                            "cbrt",
                                                            "rcbrt",
                                                            "sin",
                                                            "cos",
                                                            "tan",
                                                            "sinpi",
                                                            "cospi",
                                                            "asin",
                                                            "acos",
                                                            "atan",
                                                            "sinh",
                                                            "cosh",
                                                            "tanh",
                                                            "asinh",
                                                            "acosh",
                                                            "atanh",
                                                            "erf",
                                                            "erfc",
                                                            "erfcx",
                                                            "erfinv",
                                                            "erfcinv",
                                                            "normcdf",
                                                            "normcdfinv",
                                                            "boys_f0",
                                                            "pow",
                                                            "atan2",
                                                            "hypot",
                                                            "rhypot",
                                                            "norm3",
                                                            "rnorm3",
                                                            "norm4",
                                                            "rnorm4",
                                                            "sincos",
                                                            "sincospi",
                                                            "icdf_u32",
                                                            "icdf_u64",
                                                            "from_f64",
                                                            "narrow",
                                                            "from_int",
                                                            "to_f64",
                                                            "to_f32",
                                                            "fdim",
                                                            "ldexp",
                                                            "fmod",
                                                            "remainder",
                                                            "remquo",
                                                            "parse"};

/// The function a pair call computes: an `_at` form at its level, an updating form as its plain one; empty when it
/// rounds no float.
std::string rounded_pair_function(std::string_view name, std::span<const StaticArgument> arguments) {
  std::string plain(name);
  if (const std::size_t to = plain.find("_to"); to != std::string::npos && !plain.starts_with("to_")) {
    const bool is_suffix = to + 3 == plain.size() || plain[to + 3] == '_';
    if (is_suffix) plain.erase(to, 3);
  }
  std::string level;
  for (const std::string_view suffix : {"_low", "_high", "_at"}) {
    if (!plain.ends_with(suffix)) continue;
    plain.resize(plain.size() - suffix.size());
    level = suffix;
    break;
  }
  if (level == "_at") {
    const std::uint64_t value = arguments.empty() ? 1 : arguments.front().natural;
    level = value == 0 ? "_low" : value == 1 ? "" : "_high";
  }
  const auto in = [&](const auto& table) { return std::ranges::find(table, plain) != table.end(); };
  if (in(kRoundedLevelled)) return plain + level;
  if (level.empty() && in(kRoundedPlain)) return plain;
  return {};
}

/// f32x2 for Pair[f32]; for a view its elements', for a record of pairs its pairs'.
std::string pair_type_name(const Type* type, const NameTable& names) {
  if (type->is(TypeKind::View) || type->is(TypeKind::Borrow)) return pair_type_name(type->element, names);
  if (!type->is(TypeKind::Record)) return std::string(type->name);
  const std::string_view full = names.text(type->full_name);
  const bool is_pair = full == "std.pair.Pair" || full == "std.pair.stat.Stat";
  if (is_pair && !type->record->arguments.empty())
    return std::string(type->record->arguments.front().type->name) + "x2";
  if (!type->record->fields.empty()) return pair_type_name(type->record->fields.front().type, names);
  return std::string(type->name);
}

bool is_pair_call(const CallExpr& call, const NameTable& names) {
  const std::string_view module = names.text(call.callee->module);
  return module == "std.pair" || module == "std.pair.stat";
}

}  // namespace

std::string NumericsEntry::key() const {
  std::string text;
  for (const auto& [name, value] : fields) text += std::string(name) + "=" + value + ";";
  return text;
}

std::vector<NumericsEntry> numerics_of(const checked::Function& function, const NameTable& names) {
  std::vector<NumericsEntry> entries;
  const std::string_view home = names.text(function.module);
  if (home == "std.pair" || home == "std.pair.stat") return entries;  // the library's functions have none of their own
  const auto on_expression = [&](const Expr& root) {
    if (root.kind == ExprKind::Convert && root.type->is_storage_float()) {
      entries.push_back(conversion(root.as<ConvertExpr>()));
    }
    if (root.kind == ExprKind::Builtin && root.as<BuiltinExpr>().builtin >= Builtin::Quantize) {
      entries.push_back(quantization(root.as<BuiltinExpr>()));
    }
    if (root.kind == ExprKind::Concurrent) {
      const auto& operation = root.as<ConcurrentExpr>();
      const bool multiplies =
          operation.op == ConcurrentOp::MatrixMultiply || operation.op == ConcurrentOp::FragmentMultiply;
      if (multiplies) entries.push_back(multiplication(operation));
      if (operation.op == ConcurrentOp::ElementAddUnordered) entries.push_back(atomic_addition(operation));
    }
    if (root.kind != ExprKind::Call || !is_pair_call(root.as<CallExpr>(), names)) return;
    const auto& call = root.as<CallExpr>();
    const std::string name =
        rounded_pair_function(names.text(call.callee->declaration->name.name), call.callee->arguments);
    if (name.empty() || call.callee->parameters.empty()) return;
    const Type* from = call.callee->parameters.front()->type;
    const Type* to = call.callee->result;
    if (to == nullptr || to->is(TypeKind::Void)) to = from;
    const bool is_one_rounding = name == "fused" || name == "to_f64" || name == "to_f32";
    entries.push_back({root.position,
                       {{"op", "pair"},
                        {"from", pair_type_name(from, names)},
                        {"to", pair_type_name(to, names)},
                        {"rounding", is_one_rounding ? "nearest-even" : "kernel"},
                        {"function", name}}});
  };
  const auto on_statement = [&](const Stmt& root) {
    if (root.kind != StmtKind::Reduce) return;
    const auto& reduce = root.as<ReduceStmt>();
    const bool is_sum = reduce.parallel && !reduce.device && !reduce.warp && reduce.reducer == Reducer::Add;
    if (!is_sum || reduce.lane == nullptr || reduce.lane->result == nullptr || !reduce.lane->result->is_float()) return;
    const std::string type(reduce.lane->result->name);
    entries.push_back(
        {root.position, {{"op", "sum"}, {"from", type}, {"to", type}, {"rounding", "nearest-even"}, {"sum", "exact"}}});
  };
  walk_body(function, on_expression, on_statement);
  return entries;
}

std::vector<NumericsEntry> device_folds_of(const checked::Function& function) {
  std::vector<NumericsEntry> entries;
  const auto on_statement = [&](const Stmt& root) {
    const Function* lane = nullptr;
    if (root.kind == StmtKind::Reduce && root.as<ReduceStmt>().device) lane = root.as<ReduceStmt>().lane;
    if (root.kind == StmtKind::Scan && root.as<ScanStmt>().device) lane = root.as<ScanStmt>().lane;
    if (lane == nullptr || lane->result == nullptr || !lane->result->is_float()) return;
    const std::string type(lane->result->name);
    entries.push_back({root.position, {{"op", "device-fold"}, {"from", type}, {"to", type}}});
  };
  walk_body(function, [](const Expr&) {}, on_statement);
  return entries;
}

}  // namespace cairn
