#include "vm/testing/validation_cases.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "frontend/check/schedule_plans.hpp"
#include "frontend/check/tree_walk.hpp"
#include "vm/testing/values.hpp"

namespace cairn::testing {

using namespace checked;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kLeastTile = 2;
constexpr std::uint64_t kMostTile = std::uint64_t{1} << 20U;
constexpr std::uint64_t kHostCutoff = 16384;  // indices from which a host region uses the pool
constexpr std::uint64_t kMostCrossed = 4;     // times the budget: more combinations are sampled

double float_limit(const Type& type) { return type.is(TypeKind::F32) ? 3.0e38 : 1.0e300; }

/// The least and largest values of an integer type, as JSON holds them.
Json least(const Type& type) {
  if (type.is(TypeKind::Bool)) return false;
  if (type.is_float()) return -float_limit(type);
  if (type.is_unsigned()) return std::uint64_t{0};
  return std::numeric_limits<std::int64_t>::min() >> (64 - bit_width(type.kind));
}
Json largest(const Type& type) {
  if (type.is(TypeKind::Bool)) return true;
  if (type.is_float()) return float_limit(type);
  const unsigned width = bit_width(type.kind);
  if (type.is_unsigned()) return ~std::uint64_t{0} >> (64 - width);
  return std::numeric_limits<std::int64_t>::max() >> (64 - width);
}

/// An integer of the type with these bits (modulo its width), or a float of that value.
Json number(const Type& type, std::int64_t value) {
  if (type.is(TypeKind::Bool)) return value != 0;
  if (type.is_float()) return static_cast<double>(value);
  return value_of(static_cast<std::uint64_t>(value), type);
}

double as_double(const Json& value) { return value.is_boolean() ? (value.get<bool>() ? 1 : 0) : value.get<double>(); }

class Generator {
 public:
  Generator(const Function& function, const NameTable& names, const Policy& policy,
            const std::vector<std::uint64_t>& tiles)
      : function_(function), names_(names), policy_(policy), random_(policy.seed) {
    for (const Local* parameter : function.parameters) {
      if (parameter->type->is(TypeKind::View)) {
        views_.push_back(parameter);
        if (const Local* extent = extent_of(function, *parameter);
            extent != nullptr && std::ranges::find(extents_, extent) == extents_.end()) {
          extents_.push_back(extent);
        }
      }
    }
    for (const Local* parameter : function.parameters) {
      const bool is_extent = std::ranges::find(extents_, parameter) != extents_.end();
      if (!parameter->type->is(TypeKind::View) && !is_extent) scalars_.push_back(parameter);
    }
    for (const Local* extent : extents_) sizes_.push_back(sizes_for(*extent, tiles));
  }

  std::vector<ValidationCase> run() {
    const std::vector<std::vector<std::uint64_t>> sizes = extent_choices();
    const std::vector<std::vector<Json>> scalars = scalar_choices();
    const auto first = scalars.empty() ? std::vector<Json>() : scalars.front();
    for (const auto& size : sizes) {
      for (const char* pattern : {"zeros", "ones"}) add(size, first, pattern, 0);
    }
    const std::size_t half = found_.size() + policy_.budget / 2;
    const auto& middle = sizes[sizes.size() / 2];
    for (std::size_t k = 0; k < scalars.size() && found_.size() < half; ++k) add(middle, scalars[k], "ascending", 0);
    for (const auto& size : sizes) {
      for (const char* pattern : {"ascending", "largest", "alternating", "random"}) {
        add(size, scalars[random_() % scalars.size()], pattern, 0);
      }
    }
    if (!views_.empty()) {
      for (const auto& size : sizes) add(size, scalars[random_() % scalars.size()], "random", 1);
    }
    for (std::size_t tries = 0; found_.size() < policy_.budget && tries < 4 * policy_.budget; ++tries) {
      std::vector<std::uint64_t> size;
      for (const auto& choices : sizes_) size.push_back(choices[random_() % choices.size()]);
      std::vector<Json> values;
      for (const Local* scalar : scalars_) values.push_back(random_value(*scalar->type, name(*scalar)));
      add(size, values, "random", 0);
    }
    return std::move(found_);
  }

 private:
  [[nodiscard]] std::string name(const Local& local) const { return std::string(names_.text(local.name)); }

  [[nodiscard]] std::vector<std::uint64_t> sizes_for(const Local& extent,
                                                     const std::vector<std::uint64_t>& tiles) const {
    double lo = 0;
    double hi = static_cast<double>(policy_.largest_extent);
    if (const auto given = policy_.extents.find(name(extent)); given != policy_.extents.end()) {
      lo = given->second.first;
      hi = given->second.second;
    }
    std::set<std::uint64_t> all{0, 1, 2, 3, static_cast<std::uint64_t>(lo), static_cast<std::uint64_t>(hi)};
    for (const std::uint64_t t : tiles) all.insert({t - 1, t, t + 1, 2 * t - 1, 2 * t, 3 * t + 1});
    std::vector<std::uint64_t> admitted;
    for (const std::uint64_t size : all) {
      if (static_cast<double>(size) >= lo && static_cast<double>(size) <= hi) admitted.push_back(size);
    }
    return admitted;
  }

  /// Combinations of extents: all of them when they are few, else a sample that has each size of each.
  std::vector<std::vector<std::uint64_t>> extent_choices() {
    std::vector<std::vector<std::uint64_t>> all{{}};
    double combinations = 1;
    for (const auto& sizes : sizes_) combinations *= static_cast<double>(sizes.size());
    if (combinations <= static_cast<double>(kMostCrossed * policy_.budget)) {
      for (const auto& sizes : sizes_) {
        std::vector<std::vector<std::uint64_t>> longer;
        for (const auto& begin : all) {
          for (const std::uint64_t size : sizes) {
            longer.push_back(begin);
            longer.back().push_back(size);
          }
        }
        all = std::move(longer);
      }
      return all;
    }
    all.clear();
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      for (const std::uint64_t size : sizes_[k]) {
        std::vector<std::uint64_t> one;
        for (const auto& sizes : sizes_) one.push_back(sizes[random_() % sizes.size()]);
        one[k] = size;
        all.push_back(std::move(one));
      }
    }
    return all;
  }

  [[nodiscard]] bool in_domain(const std::string& parameter, const Json& value) const {
    const auto given = policy_.values.find(parameter);
    if (given == policy_.values.end()) return true;
    const double number_of = as_double(value);
    return number_of >= given->second.first && number_of <= given->second.second;
  }

  [[nodiscard]] std::vector<Json> values_for(const Local& scalar) const {
    const Type& type = *scalar.type;
    std::vector<Json> all;
    if (type.is(TypeKind::Bool)) {
      all = {false, true};
    } else if (type.is_float()) {
      all = {0.0, 1.0, -1.0, 0.5, -0.0, least(type), largest(type), 1.0e-30, 3.0, 1.0e7};
      for (Json& value : all) value = rounded(value, type);
    } else {
      const std::uint64_t most = slot_of(largest(type), type);
      const std::uint64_t low = slot_of(least(type), type);
      for (const std::uint64_t bits :
           {std::uint64_t{0}, std::uint64_t{1}, low, most, most - 1, low + 1, std::uint64_t{2}}) {
        all.push_back(value_of(bits, type));
      }
      if (type.is_signed()) all.emplace_back(-1);
      all.push_back(value_of(most / 2, type));
    }
    if (const auto given = policy_.values.find(name(scalar)); given != policy_.values.end()) {
      for (const double edge : {given->second.first, given->second.second}) {
        all.push_back(type.is_float() ? Json(edge) : number(type, static_cast<std::int64_t>(edge)));
      }
    }
    std::vector<Json> kept;
    for (const Json& value : all) {
      const bool is_new = std::ranges::none_of(kept, [&](const Json& other) { return other.dump() == value.dump(); });
      if (is_new && in_domain(name(scalar), value)) kept.push_back(value);
    }
    return kept;
  }

  std::vector<std::vector<Json>> scalar_choices() {
    std::vector<std::vector<Json>> each;
    double combinations = 1;
    for (const Local* scalar : scalars_) {
      each.push_back(values_for(*scalar));
      combinations *= static_cast<double>(std::max<std::size_t>(each.back().size(), 1));
    }
    std::vector<std::vector<Json>> all{{}};
    if (combinations <= static_cast<double>(kMostCrossed * policy_.budget)) {
      for (const auto& values : each) {
        std::vector<std::vector<Json>> longer;
        for (const auto& begin : all) {
          for (const Json& value : values) {
            longer.push_back(begin);
            longer.back().push_back(value);
          }
        }
        all = std::move(longer);
      }
      return all;
    }
    all.clear();
    for (std::uint64_t k = 0; k < policy_.budget; ++k) {
      std::vector<Json> one;
      for (const auto& values : each) one.push_back(values[random_() % values.size()]);
      all.push_back(std::move(one));
    }
    return all;
  }

  Json random_value(const Type& type, const std::string& parameter) {
    double lo = -1000;
    double hi = 1000;
    const auto given = policy_.values.find(parameter);
    if (given != policy_.values.end()) std::tie(lo, hi) = given->second;
    if (type.is(TypeKind::Bool)) return random_() % 2 == 0;
    if (type.is_float()) {
      const double unit = static_cast<double>(random_() >> 11U) * 0x1.0p-53;
      return rounded(lo + (hi - lo) * unit, type);
    }
    if (given != policy_.values.end()) {
      return number(type, static_cast<std::int64_t>(lo) +
                              static_cast<std::int64_t>(random_() % (static_cast<std::uint64_t>(hi - lo) + 1)));
    }
    return value_of(random_() >> (random_() % bit_width(type.kind)), type);
  }

  Json element(const std::string& pattern, const Type& type, std::uint64_t index, const std::string& parameter) {
    if (pattern == "zeros") return number(type, 0);
    if (pattern == "ones") return number(type, 1);
    if (pattern == "ascending") return number(type, static_cast<std::int64_t>(index));
    if (pattern == "largest") return largest(type);
    if (pattern == "alternating") return index % 2 == 0 ? largest(type) : least(type);
    return random_value(type, parameter);
  }

  void add(const std::vector<std::uint64_t>& sizes, const std::vector<Json>& scalars, const std::string& pattern,
           std::size_t offset) {
    if (found_.size() >= policy_.budget) return;
    ValidationCase made;
    made.origin = pattern;
    std::map<const Local*, std::uint64_t> length;
    for (std::size_t k = 0; k < extents_.size(); ++k) length[extents_[k]] = sizes[k];
    for (const Local* parameter : function_.parameters) {
      const std::string own = name(*parameter);
      if (const auto extent = length.find(parameter); extent != length.end()) {
        made.arguments[own] = extent->second;
      } else if (parameter->type->is(TypeKind::View)) {
        const Local* extent_local = extent_of(function_, *parameter);
        const std::uint64_t count = extent_local == nullptr ? parameter->type->extent.literal : length[extent_local];
        Json list = Json::array();
        for (std::uint64_t k = 0; k < count; ++k) {
          Json value = element(pattern, *parameter->type->element, k, own);
          if (!in_domain(own, value)) value = random_value(*parameter->type->element, own);
          list.push_back(std::move(value));
        }
        made.arguments[own] = std::move(list);
        if (offset > 0) made.offsets[own] = offset;
      } else {
        const auto at = std::ranges::find(scalars_, parameter) - scalars_.begin();
        made.arguments[own] = scalars[static_cast<std::size_t>(at)];
      }
    }
    std::string key = made.arguments.dump() + std::to_string(offset);
    if (seen_.insert(std::move(key)).second) found_.push_back(std::move(made));
  }

  const Function& function_;
  const NameTable& names_;
  const Policy& policy_;
  std::mt19937_64 random_;
  std::vector<const Local*> extents_;
  std::vector<const Local*> views_;
  std::vector<const Local*> scalars_;
  std::vector<std::vector<std::uint64_t>> sizes_;  // of each extent
  std::set<std::string> seen_;
  std::vector<ValidationCase> found_;
};

/// Numbers a body is written around.
class TileFinder {
 public:
  std::set<std::uint64_t> found;

  void add(std::uint64_t size) {
    if (size >= kLeastTile && size <= kMostTile) found.insert(size);
  }

  /// Every literal of a condition.
  void literals(const Expr& of) {
    if (of.kind == ExprKind::Integer) add(of.as<IntegerExpr>().bits);
    for_each_operand(of, [&](const Expr& operand) { literals(operand); });
  }

  void block(const Block& of) {
    for (const Stmt* statement : of.statements) {
      if (statement->kind == StmtKind::Parallel) add(statement->as<ParallelStmt>().block);
      const bool is_host_region = (statement->kind == StmtKind::Parallel && !statement->as<ParallelStmt>().device) ||
                                  (statement->kind == StmtKind::Reduce && statement->as<ReduceStmt>().parallel) ||
                                  (statement->kind == StmtKind::Scan && statement->as<ScanStmt>().parallel);
      if (is_host_region) add(kHostCutoff);
      for_each_part(
          *statement, [&](const Expr& value) { expression(value); }, [&](const Block& nested) { block(nested); },
          [&](const Function& lane) {
            if (lane.body != nullptr) block(*lane.body);
          });
    }
  }

 private:
  void expression(const Expr& of) {
    if (of.kind == ExprKind::Binary) {
      const auto& binary = of.as<BinaryExpr>();
      const bool scales =
          binary.op == BinaryOp::Multiply || binary.op == BinaryOp::Divide || binary.op == BinaryOp::Remainder;
      for (const Expr* side : {binary.left, binary.right}) {
        if (scales && side->kind == ExprKind::Integer) add(side->as<IntegerExpr>().bits);
      }
    }
    for_each_operand(of, [&](const Expr& operand) { expression(operand); });
  }
};

}  // namespace

const Local* extent_of(const Function& function, const Local& view) {
  if (!view.type->is(TypeKind::View) || view.type->extent.kind != Extent::Kind::Symbol) return nullptr;
  for (const Local* parameter : function.parameters) {
    if (parameter->name == view.type->extent.symbol && parameter->type->is(TypeKind::Usize)) return parameter;
  }
  return nullptr;
}

std::string unfeedable(const Function& function) {
  for (const Local* parameter : function.parameters) {
    const Type& type = *parameter->type;
    if (type.is_scalar()) continue;
    if (!type.is(TypeKind::View) || !type.element->is_scalar() || type.placement != Placement::Host) {
      return "only scalars and views of scalars on the host can be fed to it";
    }
    if (extent_of(function, *parameter) == nullptr && type.extent.kind != Extent::Kind::Literal) {
      return "the length of a view it takes is no parameter";
    }
  }
  if (!function.result->is(TypeKind::Void) && !function.result->is_scalar()) return "its result is no scalar";
  return {};
}

std::vector<std::uint64_t> tiles_of(const Function& implementation, const Function* condition,
                                    const Compilation& compilation) {
  TileFinder finder;
  if (condition != nullptr && condition->body != nullptr) {
    for (const Stmt* statement : condition->body->statements) {
      for_each_part(
          *statement, [&](const Expr& value) { finder.literals(value); }, [](const Block&) {}, [](const Function&) {});
    }
  }
  if (implementation.body != nullptr) finder.block(*implementation.body);
  for (const StaticArgument& argument : implementation.arguments) {
    if (argument.type == nullptr) finder.add(argument.natural);
  }
  constexpr std::array<std::string_view, 6> kItems = {"vector", "block", "grain", "stage", "fuse", "per_lane"};
  if (const syntax::PlanDecl* plan = SchedulePlans(compilation.tree.declarations).of(implementation)) {
    for (const syntax::PlanItem& item : plan->items) {
      if (std::ranges::find(kItems, compilation.names.text(item.name.name)) != kItems.end())
        finder.add(item.value.value);
    }
  }
  return {finder.found.begin(), finder.found.end()};
}

std::vector<ValidationCase> generate_cases(const Function& function, const NameTable& names, const Policy& policy,
                                           const std::vector<std::uint64_t>& tiles) {
  return Generator(function, names, policy, tiles).run();
}

bool admits(const Policy& policy, const Function& function, const NameTable& names, const ValidationCase& input) {
  for (const Local* parameter : function.parameters) {
    const std::string name(names.text(parameter->name));
    const Json& value = input.arguments[name];
    const bool is_extent = std::ranges::any_of(
        function.parameters, [&](const Local* view) { return extent_of(function, *view) == parameter; });
    if (is_extent) {
      const auto given = policy.extents.find(name);
      const double lo = given == policy.extents.end() ? 0 : given->second.first;
      const double hi =
          given == policy.extents.end() ? static_cast<double>(policy.largest_extent) : given->second.second;
      if (as_double(value) < lo || as_double(value) > hi) return false;
      continue;
    }
    const auto given = policy.values.find(name);
    if (given == policy.values.end()) continue;
    const Json list = value.is_array() ? value : Json::array({value});
    for (const Json& each : list) {
      if (as_double(each) < given->second.first || as_double(each) > given->second.second) return false;
    }
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------
// agreement

namespace {

bool values_agree(const Json& reference, const Json& candidate, const Policy& policy) {
  if (reference.is_array()) {
    if (!candidate.is_array() || reference.size() != candidate.size()) return false;
    for (std::size_t k = 0; k < reference.size(); ++k) {
      if (!values_agree(reference[k], candidate[k], policy)) return false;
    }
    return true;
  }
  // Not finite: NaN agrees with NaN, an infinity with itself.
  if (reference.is_object() || candidate.is_object()) return reference == candidate;
  if (!reference.is_number_float() || !candidate.is_number_float()) return reference == candidate;
  const double r = reference.get<double>();
  const double c = candidate.get<double>();
  if (r == c) return std::signbit(r) == std::signbit(c) || policy.absolute > 0 || policy.relative > 0;
  return std::abs(r - c) <= policy.absolute + policy.relative * std::abs(r);
}

}  // namespace

bool agree(const Json& reference, const Json& candidate, const Policy& policy) {
  if (reference["outcome"] != candidate["outcome"]) return false;
  if (reference["outcome"] != "return") return reference["outcome"] == "trap";
  if (!values_agree(reference["return"], candidate["return"], policy)) return false;
  for (const auto& [name, contents] : reference["after"].items()) {
    if (!candidate["after"].contains(name) || !values_agree(contents, candidate["after"][name], policy)) return false;
  }
  return true;
}

// ------------------------------------------------------------------------------------------------------------------
// policy

std::expected<Policy, std::string> policy_from(const Json& record) {
  Policy policy;
  std::string fault;
  const auto fail = [&](std::string why) {
    if (fault.empty()) fault = std::move(why);
  };
  if (!record.is_object()) return std::unexpected("a policy is an object");
  const auto keys = [&](const Json& object, std::initializer_list<std::string_view> known, const std::string& where) {
    if (!object.is_object()) return fail(where + " is no object");
    for (const auto& [key, value] : object.items()) {
      if (std::ranges::find(known, key) == known.end()) fail(where + " has the unknown key " + key);
    }
  };
  const auto number_at = [&](const Json& object, const char* key, double otherwise, double lo, double hi) {
    if (!object.is_object() || !object.contains(key)) return otherwise;
    const Json& value = object[key];
    if (value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= lo &&
        value.get<double>() <= hi) {
      return value.get<double>();
    }
    fail(std::string(key) + " is a number from " + Json(lo).dump() + " to " + Json(hi).dump());
    return otherwise;
  };
  const auto whole_at = [&](const char* key, std::uint64_t otherwise, std::uint64_t lo, std::uint64_t hi) {
    if (!record.contains(key)) return otherwise;
    const Json& value = record[key];
    if (value.is_number_unsigned() && value.get<std::uint64_t>() >= lo && value.get<std::uint64_t>() <= hi) {
      return value.get<std::uint64_t>();
    }
    fail(std::string(key) + " is a whole number from " + std::to_string(lo) + " to " + std::to_string(hi));
    return otherwise;
  };
  const auto ranges_of = [&](const Json& object, const char* key,
                             std::map<std::string, std::pair<double, double>>& into) {
    if (!object.is_object() || !object.contains(key)) return;
    if (!object[key].is_object()) return fail(std::string(key) + " is no object");
    for (const auto& [name, range] : object[key].items()) {
      const bool is_range = range.is_array() && range.size() == 2 && range[0].is_number() && range[1].is_number() &&
                            range[0].get<double>() <= range[1].get<double>();
      if (!is_range) return fail("the range of " + name + " is two numbers, the smaller first");
      into[name] = {range[0].get<double>(), range[1].get<double>()};
    }
  };
  keys(record, {"tolerance", "domain", "budget", "seed", "probes", "seconds"}, "the policy");
  constexpr double kMost = std::numeric_limits<double>::max();
  if (record.contains("tolerance")) {
    keys(record["tolerance"], {"absolute", "relative"}, "tolerance");
    policy.absolute = number_at(record["tolerance"], "absolute", 0, 0, kMost);
    policy.relative = number_at(record["tolerance"], "relative", 0, 0, kMost);
  }
  if (record.contains("domain")) {
    const Json& domain = record["domain"];
    keys(domain, {"largest_extent", "extents", "values"}, "domain");
    policy.largest_extent = static_cast<std::uint64_t>(number_at(domain, "largest_extent", 4096, 0, 1e8));
    ranges_of(domain, "extents", policy.extents);
    ranges_of(domain, "values", policy.values);
    for (const auto& [name, range] : policy.extents) {
      if (range.first < 0) fail("the range of " + name + " begins below 0");
    }
  }
  policy.budget = whole_at("budget", policy.budget, 1, 4096);
  policy.seed = whole_at("seed", policy.seed, 0, ~std::uint64_t{0});
  policy.probes = whole_at("probes", policy.probes, 0, 4096);
  policy.seconds = whole_at("seconds", policy.seconds, 1, 60);
  if (!fault.empty()) return std::unexpected(fault);
  return policy;
}

Json record_of(const Policy& policy) {
  const auto exact = [](double value) {
    return value == std::floor(value) && std::abs(value) < 1e15 ? Json(static_cast<std::int64_t>(value)) : Json(value);
  };
  const auto ranges = [&](const std::map<std::string, std::pair<double, double>>& of) {
    Json record = Json::object();
    for (const auto& [name, range] : of) record[name] = {exact(range.first), exact(range.second)};
    return record;
  };
  return {{"tolerance", {{"absolute", exact(policy.absolute)}, {"relative", exact(policy.relative)}}},
          {"domain",
           {{"largest_extent", policy.largest_extent},
            {"extents", ranges(policy.extents)},
            {"values", ranges(policy.values)}}},
          {"budget", policy.budget},
          {"seed", policy.seed},
          {"probes", policy.probes},
          {"seconds", policy.seconds}};
}

}  // namespace cairn::testing
