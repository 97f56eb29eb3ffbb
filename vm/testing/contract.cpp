#include "vm/testing/contract.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "vm/testing/values.hpp"

namespace cairn {

using namespace testing;

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "cairn.task/1";

}  // namespace

std::expected<Json, std::string> parse_strict_json(std::string_view text) {
  std::vector<std::set<std::string>> open;  // the keys of every object that is being read
  std::string repeated;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second) {
      repeated = parsed.get<std::string>();
    }
    return true;
  };
  Json value = Json::parse(text, watch, false);
  if (value.is_discarded()) return std::unexpected("the file is no JSON");
  if (!repeated.empty()) return std::unexpected("the key " + repeated + " stands twice in one object");
  return value;
}

namespace {

/// Why a contract is invalid: thrown while it is bound and caught in bind.
struct Invalid {
  std::string why;
};

[[noreturn]] void invalid(std::string why) { throw Invalid{std::move(why)}; }

Json member(const Json& object, const char* key) { return object.contains(key) ? object[key] : Json(); }

void only_keys(const Json& object, std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(known, key) == known.end()) invalid("unknown key " + key);
  }
}

}  // namespace

std::expected<Contract, std::string> Contract::bind(std::string_view text, const Compilation& compilation) {
  const auto document = parse_strict_json(text);
  if (!document) return std::unexpected(document.error());
  Contract contract;
  try {
    if (!document->is_object()) invalid("a contract is an object");
    only_keys(*document, {"schema", "symbol", "cases"});
    if (member(*document, "schema") != kSchema) invalid("schema must be " + std::string(kSchema));
    contract.bind_function(member(*document, "symbol"), compilation);
    const Json cases = member(*document, "cases");
    if (!cases.is_array() || cases.empty() || cases.size() > kMostContractCases) {
      invalid("cases must list 1 to " + std::to_string(kMostContractCases) + " cases");
    }
    for (const Json& written : cases) contract.bind_case(written);
  } catch (const Invalid& fault) {
    const bool in_case = contract.function_ != nullptr && !contract.cases_.empty();
    return std::unexpected((in_case ? "behind case " + std::to_string(contract.cases_.size() - 1) + ": " : "") +
                           fault.why);
  }
  return contract;
}

void Contract::bind_function(const Json& symbol, const Compilation& compilation) {
  if (!symbol.is_string()) invalid("symbol must name a function");
  const std::string name = symbol.get<std::string>();
  const auto& functions = compilation.program.functions;
  const auto found = std::ranges::find_if(functions, [&](const auto& each) {
    return each->name == name && each->kind == checked::FunctionKind::Function && each->arguments.empty() &&
           !each->library;
  });
  if (found == functions.end()) invalid(name + " is no ordinary function of the program");
  function_ = found->get();
  for (const checked::Local* parameter : function_->parameters) {
    names_.emplace_back(compilation.names.text(parameter->name));
    const Type& taken = *parameter->type;
    if (!taken.is_scalar() && !(taken.is(TypeKind::View) && taken.element->is_scalar())) {
      invalid(name + " takes something else than scalars and views of scalars");
    }
  }
  if (!function_->result->is(TypeKind::Void) && !function_->result->is_scalar()) {
    invalid(name + " returns something else than a scalar");
  }
}

bool Contract::is_written(std::size_t parameter) const {
  return type(parameter).is(TypeKind::View) && type(parameter).mode == BorrowMode::Rw;
}

void Contract::judge_view(const Json& list, std::size_t parameter, const Json& arguments) const {
  const Type& view = type(parameter);
  if (!list.is_array()) invalid(names_[parameter] + " is a view, so its value is a list");
  std::uint64_t extent = view.extent.literal;
  for (std::size_t at = 0; view.extent.kind == Extent::Kind::Symbol && at < names_.size(); ++at) {
    if (function_->parameters[at]->name == view.extent.symbol) extent = arguments[at].get<std::uint64_t>();
  }
  if (list.size() != extent) {
    invalid(names_[parameter] + " lists " + std::to_string(list.size()) + " elements and its extent is " +
            std::to_string(extent));
  }
  if (list.size() > kMostContractElements) {
    invalid(names_[parameter] + " lists more than " + std::to_string(kMostContractElements) + " elements");
  }
  for (const Json& element : list) {
    if (const std::string fault = misfit(element, *view.element); !fault.empty())
      invalid(names_[parameter] + ": " + fault);
  }
}

void Contract::bind_case(const Json& written) {
  if (!written.is_object()) invalid("a case is an object");
  only_keys(written, {"args", "return", "after"});
  const Json given = member(written, "args");
  if (!given.is_object()) invalid("args must give every parameter");
  const std::size_t count = names_.size();
  Case bound{Json::array(), member(written, "return"), Json::array()};
  for (const std::string& name : names_) {
    if (!given.contains(name)) invalid("args does not give " + name);
    bound.arguments.push_back(given[name]);
  }
  if (given.size() != count) invalid("args gives something that is no parameter");
  for (std::size_t at = 0; at < count; ++at) {
    if (type(at).is(TypeKind::View)) continue;
    if (const std::string fault = misfit(bound.arguments[at], type(at)); !fault.empty())
      invalid(names_[at] + ": " + fault);
  }
  const Json after = member(written, "after");
  if (!after.is_null() && !after.is_object()) invalid("after gives the contents of views");
  std::size_t expected_views = 0;
  for (std::size_t at = 0; at < count; ++at) {
    if (type(at).is(TypeKind::View)) judge_view(bound.arguments[at], at, bound.arguments);
    bound.after.push_back(nullptr);
    if (!is_written(at)) continue;
    if (!after.is_object() || !after.contains(names_[at]))
      invalid("after does not give " + names_[at] + ", which may be written");
    judge_view(after[names_[at]], at, bound.arguments);
    bound.after.back() = after[names_[at]];
    ++expected_views;
  }
  if (after.is_object() && after.size() != expected_views) invalid("after gives something that is no rw view");
  if (function_->result->is(TypeKind::Void)) {
    if (!bound.result.is_null()) invalid("the function returns nothing");
  } else if (bound.result.is_null()) {
    invalid("return is missing");
  } else if (const std::string fault = misfit(bound.result, *function_->result); !fault.empty()) {
    invalid("return: " + fault);
  }
  cases_.push_back(std::move(bound));
}

Json Contract::by_name(const Json& values) const {
  Json object = Json::object();
  for (std::size_t at = 0; at < names_.size(); ++at) {
    if (!values[at].is_null()) object[names_[at]] = values[at];
  }
  return object;
}

Json Contract::run(Execution& execution, std::uint32_t code, std::uint64_t* started) const {
  const bool returns = !function_->result->is(TypeKind::Void);
  for (std::size_t index = 0; index < cases_.size(); ++index) {
    *started = index;
    const Case& each = cases_[index];
    std::vector<ViewStorage> views(names_.size());
    std::vector<std::uint64_t> slots;
    for (std::size_t at = 0; at < names_.size(); ++at) {
      if (type(at).is(TypeKind::View)) {
        views[at] = storage_of(each.arguments[at], *type(at).element);
        slots.push_back(reinterpret_cast<std::uint64_t>(views[at].first));
        slots.push_back(views[at].count);
      } else {
        slots.push_back(slot_of(each.arguments[at], type(at)));
      }
    }
    std::uint64_t result = 0;
    execution.die_of_traps();
    if (const auto trap = execution.call(code, slots, std::span(&result, returns ? 1 : 0))) die_of(*trap);
    const Json expected = returns ? rounded(each.result, *function_->result) : Json();
    const Json actual = returns ? value_of(result, *function_->result) : Json();
    Json expected_after = Json::array();
    Json actual_after = Json::array();
    for (std::size_t at = 0; at < names_.size(); ++at) {
      const bool written = is_written(at);
      actual_after.push_back(written ? list_of(views[at], *type(at).element) : Json());
      expected_after.push_back(written ? list_of(storage_of(each.after[at], *type(at).element), *type(at).element)
                                       : Json());
    }
    if (actual == expected && actual_after == expected_after) continue;
    return {{"status", "failed-tests"},
            {"cases", cases_.size()},
            {"case", index},
            {"args", by_name(each.arguments)},
            {"expected_return", expected},
            {"actual_return", actual},
            {"expected_after", by_name(expected_after)},
            {"actual_after", by_name(actual_after)}};
  }
  return {{"status", "passed-finite-tests"}, {"cases", cases_.size()}};
}

}  // namespace cairn
