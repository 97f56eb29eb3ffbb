#include "vm/cli/program_diff.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "frontend/check/rows.hpp"
#include "frontend/check/tree_walk.hpp"
#include "frontend/report/receipt.hpp"
#include "frontend/source/token_scan.hpp"
#include "vm/bytecode/emitted_guards.hpp"
#include "vm/cli/comparisons.hpp"
#include "vm/verify/fragment.hpp"
#include "vm/verify/same_code.hpp"
#include "vm/verify/versions.hpp"

namespace cairn::cli {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kBoundedBy = 16;  // where the answer hinges on the loop bound
constexpr std::array<std::string_view, 9> kClasses = {"identical-code",   "identical-source",  "smt-equivalent",
                                                      "behavior-changed", "signature-changed", "added",
                                                      "removed",          "renamed",           "unknown"};

/// One version, with what every function of it is asked for.
struct Side {
  const Session* session = nullptr;
  std::map<std::string, const checked::Function*> functions;
  std::map<std::string, std::string> templates;  // uninstantiated: name -> its tokens
  Json receipt;
  std::map<std::string, std::string> public_types;
};

/// A function lowered alone.
struct Code {
  bytecode::Module module;
  std::uint32_t function = 0;
};

std::optional<Code> lower_alone(const Session& session, const checked::Function& function) {
  lower::Options options;
  options.entry = false;
  options.roots = {&function};
  auto lowered = session.lower(options);
  if (!lowered) return std::nullopt;
  return Code{std::move(lowered->module), lowered->roots.front()};
}

std::string tokens_of(std::string_view text) {
  std::string all;
  TokenScan scan(text);
  for (std::string_view token = scan.next(); !token.empty(); token = scan.next()) all += std::string(token) + " ";
  return all;
}

Side describe(const Session& session, bool with_library) {
  Side side;
  side.session = &session;
  for (const auto& function : session.program().functions) {
    const bool is_plain =
        function->kind == checked::FunctionKind::Function || function->kind == checked::FunctionKind::Kernel;
    if (!is_plain) continue;
    const SourceFile* file = session.sources().file_at(function->position);
    if (with_library || (file != nullptr && file->own)) side.functions.emplace(function->name, function.get());
  }
  side.receipt = frontend_receipt(const_cast<Session&>(session).compilation(), ReceiptContext{});
  for (const syntax::Decl* declaration : session.compilation().tree.declarations) {
    if (declaration->kind != syntax::DeclKind::Function || !declaration->name.name) continue;
    const SourceFile* file = session.sources().file_at(declaration->position);
    if (file == nullptr || !file->own) continue;
    std::string name(session.compilation().names.text(declaration->name.name));
    if (declaration->module) name = std::string(session.compilation().names.text(declaration->module)) + "." + name;
    const Json& unused = side.receipt["uninstantiated_templates"];
    if (std::ranges::find(unused, Json(name)) == unused.end()) continue;
    side.templates.emplace(name, tokens_of(session.sources().text(declaration->span)));
  }
  const Compilation& compilation = session.compilation();
  for (std::size_t id = 0; id < compilation.types->size(); ++id) {
    const Type& type = *compilation.types->at(id);
    const syntax::Decl* declaration = type.is(TypeKind::Record) ? type.record->declaration
                                      : type.is(TypeKind::Sum) ? static_cast<const syntax::Decl*>(type.sum->declaration)
                                                               : nullptr;
    if (declaration == nullptr || !is_exported(*declaration)) continue;
    const SourceFile* file = session.sources().file_at(declaration->position);
    if (file != nullptr && file->own) side.public_types.emplace(type.name, verify::described(type, compilation.names));
  }
  return side;
}

// ----------------------------------------------------------------------------------------------------------------
// deltas

/// Effect labels with parameters by position, so that renaming one changes nothing.
std::set<std::string> effects_of(const Side& side, const checked::Function& function) {
  const NameTable& names = side.session->compilation().names;
  std::set<std::string> labels;
  if (function.row == nullptr) return labels;
  for (std::string label : checked::texts(*function.row, function, names)) {
    const std::size_t colon = label.find(':');
    for (std::size_t k = 0; colon != std::string::npos && k < function.parameters.size(); ++k) {
      if (label.substr(colon + 1) == names.text(function.parameters[k]->name)) {
        label = label.substr(0, colon + 1) + "#" + std::to_string(k);
        break;
      }
    }
    labels.insert(std::move(label));
  }
  return labels;
}

/// Back from positions to the names one version uses.
std::string shown_effect(std::string label, const Side& side, const checked::Function& function) {
  const std::size_t hash = label.find(":#");
  if (hash == std::string::npos) return label;
  const std::size_t index = std::stoul(label.substr(hash + 2));
  return label.substr(0, hash + 1) +
         std::string(side.session->compilation().names.text(function.parameters[index]->name));
}

void count_spawns(const checked::Expr& expression, std::size_t& count) {
  if (expression.kind == checked::ExprKind::Spawn) ++count;
  checked::for_each_operand(expression, [&](const checked::Expr& operand) { count_spawns(operand, count); });
}

std::size_t tasks_started(const checked::Function& function) {
  std::size_t count = 0;
  if (function.body == nullptr) return count;
  checked::for_each_statement(*function.body, [&](const checked::Stmt& statement) {
    checked::for_each_part(
        statement, [&](const checked::Expr& value) { count_spawns(value, count); }, [](const checked::Block&) {},
        [](const checked::Function&) {});
  });
  return count;
}

Json guards_of(const Code& code) {
  Json counts = Json::object();
  for (const auto& [kind, count] : bytecode::emitted_guards(code.module, code.function)) {
    counts[std::string(kind)] = count;
  }
  return counts;
}

Json deltas_of(const Side& before, const checked::Function& left, const Code* left_code, const Side& after,
               const checked::Function& right, const Code* right_code) {
  Json deltas = Json::object();
  const auto changed = [&](const char* key, Json one, Json other) {
    if (one != other) deltas[key] = {{"before", std::move(one)}, {"after", std::move(other)}};
  };
  const std::string shape = verify::signature_difference(left, before.session->compilation().names, right,
                                                         after.session->compilation().names, false);
  if (!shape.empty()) {
    changed("signature", verify::signature_text(left, before.session->compilation().names),
            verify::signature_text(right, after.session->compilation().names));
  }
  const std::set<std::string> had = effects_of(before, left);
  const std::set<std::string> has = effects_of(after, right);
  Json added = Json::array();
  Json removed = Json::array();
  for (const std::string& label : has) {
    if (!had.contains(label)) added.push_back(shown_effect(label, after, right));
  }
  for (const std::string& label : had) {
    if (!has.contains(label)) removed.push_back(shown_effect(label, before, left));
  }
  if (!added.empty() || !removed.empty()) deltas["effects"] = {{"added", added}, {"removed", removed}};
  const auto row = [](const Side& side, const checked::Function& function) {
    const Json& rows = side.receipt["functions"];
    return rows.contains(function.name) ? rows[std::string(function.name)] : Json::object();
  };
  const Json one = row(before, left);
  const Json other = row(after, right);
  const auto part = [](const Json& of, const char* key, const Json& otherwise) {
    return of.contains(key) ? of[key] : otherwise;
  };
  for (const char* key : {"syntactic_check_sites", "discharged_check_sites"}) {
    changed(key, part(one, key, Json::object()), part(other, key, Json::object()));
  }
  changed("heap_allocations", part(one, "heap_allocations", 0), part(other, "heap_allocations", 0));
  const auto storage = [&](const Json& of) {  // without lines, which move with any edit above
    Json list = part(of, "local_storage", Json::array());
    for (Json& each : list) each.erase("line");
    return list;
  };
  changed("local_storage", storage(one), storage(other));
  const auto census = [&](const Json& of, const checked::Function& function) {
    return Json{{"tasks", tasks_started(function)},
                {"unsafe_blocks", part(of, "unsafe_blocks",
                                       part(part(of, "syntactic_check_sites", Json::object()), "unsafe_blocks", 0))}};
  };
  changed("census", census(one, left), census(other, right));
  if (left_code != nullptr && right_code != nullptr) {
    changed("emitted_guards", guards_of(*left_code), guards_of(*right_code));
  }
  return deltas;
}

// ---------------------------------------------------------------------------------------------------------------
// classes

/// The reference's code and shape under a name of its own.
bool is_same(const Side& before, const checked::Function& left, const Code& left_code, const Side& after,
             const checked::Function& right, const Code& right_code) {
  return verify::signature_difference(left, before.session->compilation().names, right,
                                      after.session->compilation().names, false)
             .empty() &&
         verify::SameCode(left_code.module, right_code.module).functions(left_code.function, right_code.function);
}

std::string outcome_text(const verify::Answer& answer, bool before) {
  // "at x: before returns 1" without its front: the witness text has one place that words outcomes.
  verify::Answer one = answer;
  one.counterexample = Json::object();
  one.expected = before ? answer.expected : answer.actual;
  one.actual = nullptr;
  return witness_text(one, "", "").substr(1);
}

bool is_public(const Side& side, const std::string& name) {
  const auto found = side.functions.find(name);
  if (found == side.functions.end()) return true;
  bool has_modules = false;
  for (const auto& [other, function] : side.functions) has_modules = has_modules || static_cast<bool>(function->module);
  if (!has_modules) return true;
  const syntax::Decl* declaration = found->second->declaration;
  return declaration != nullptr && found->second->module && is_exported(*declaration);
}

void find_renamed(ProgramDiff& diff, const Side& before, const std::map<std::string, Code>& old_code, const Side& after,
                  const std::map<std::string, Code>& new_code) {
  const auto matches = [&](const std::string& old_name, const std::string& new_name) {
    return old_code.contains(old_name) && new_code.contains(new_name) &&
           is_same(before, *before.functions.at(old_name), old_code.at(old_name), after, *after.functions.at(new_name),
                   new_code.at(new_name));
  };
  std::map<std::string, std::vector<std::string>> forward;
  std::map<std::string, std::size_t> backward;
  for (const auto& [old_name, change] : diff.functions) {
    if (change.change != ChangeClass::Removed) continue;
    for (const auto& [new_name, other] : diff.functions) {
      if (other.change != ChangeClass::Added || !matches(old_name, new_name)) continue;
      forward[old_name].push_back(new_name);
      ++backward[new_name];
    }
  }
  for (const auto& [old_name, candidates] : forward) {
    if (candidates.size() != 1 || backward[candidates.front()] != 1) continue;
    FunctionChange& change = diff.functions[old_name];
    change.change = ChangeClass::Renamed;
    change.reason = "is " + candidates.front() + " now";
    change.witness = {{"to", candidates.front()}};
    diff.functions.erase(candidates.front());
  }
}

/// The level of a change, and why.
void judge_version(ProgramDiff& diff, const Side& before, const Side& after) {
  std::vector<std::string> major;
  std::vector<std::string> minor;
  std::vector<std::string> patch;
  std::vector<std::string> open;
  // What breaks a caller's results is told before what breaks its text.
  constexpr ChangeClass kOrder[] = {ChangeClass::BehaviorChanged, ChangeClass::SignatureChanged,
                                    ChangeClass::Removed,         ChangeClass::Renamed,
                                    ChangeClass::Added,           ChangeClass::Unknown,
                                    ChangeClass::SmtEquivalent,   ChangeClass::IdenticalCode,
                                    ChangeClass::IdenticalSource};
  std::vector<std::pair<std::string, const FunctionChange*>> ordered;
  for (const ChangeClass each : kOrder) {
    for (const auto& [name, change] : diff.functions) {
      if (change.change == each) ordered.emplace_back(name, &change);
    }
  }
  for (const auto& [name, pointer] : ordered) {
    const FunctionChange& change = *pointer;
    if (!change.is_public) {
      if (change.change != ChangeClass::IdenticalCode && change.change != ChangeClass::IdenticalSource)
        patch.push_back(name + " changed");
      continue;
    }
    const bool gained = change.deltas.contains("effects") && !change.deltas["effects"]["added"].empty();
    switch (change.change) {
      case ChangeClass::BehaviorChanged:
        major.push_back(name + " behaves differently" + (change.at.empty() ? "" : " at " + change.at));
        break;
      case ChangeClass::SignatureChanged:
        major.push_back(name + " has another signature");
        break;
      case ChangeClass::Removed:
        major.push_back(name + " is gone");
        break;
      case ChangeClass::Renamed:
        major.push_back(name + " " + change.reason);
        break;
      case ChangeClass::Added:
        minor.push_back(name + " is new");
        break;
      case ChangeClass::Unknown:
        open.push_back(name + " may behave differently");
        break;
      case ChangeClass::SmtEquivalent:
        patch.push_back(name + " is written differently");
        break;
      default:
        break;
    }
    if (gained)
      major.push_back(name + " gained the effect " + change.deltas["effects"]["added"].front().get<std::string>());
  }
  for (const auto& [name, definition] : before.public_types) {
    const auto now = after.public_types.find(name);
    if (now == after.public_types.end()) {
      major.push_back("the type " + name + " is gone");
    } else if (now->second != definition) {
      major.push_back("the type " + name + " is defined differently");
    }
  }
  for (const auto& [name, definition] : after.public_types) {
    if (!before.public_types.contains(name)) minor.push_back("the type " + name + " is new");
  }
  const std::pair<const char*, const std::vector<std::string>*> levels[] = {
      {"major", &major}, {"minor", &minor}, {"patch", &patch}};
  std::string certain = "none";
  std::string because = "nothing changed";
  for (const auto& [level, reasons] : levels) {
    if (reasons->empty()) continue;
    certain = level;
    because = reasons->front();
    break;
  }
  if (certain != "major" && !open.empty()) {
    diff.level = "unknown";
    diff.at_least = certain;
    diff.because = open.front();
    return;
  }
  diff.level = certain;
  diff.because = because;
}

}  // namespace

std::string_view text(ChangeClass change) { return kClasses[static_cast<std::size_t>(change)]; }

ProgramDiff compare_programs(const Session& old_session, const Session& new_session, const DiffOptions& options) {
  const Side before = describe(old_session, options.with_library);
  const Side after = describe(new_session, options.with_library);
  ProgramDiff diff;
  std::map<std::string, Code> old_code;
  std::map<std::string, Code> new_code;
  for (const auto& [name, function] : before.functions) {
    if (auto code = lower_alone(old_session, *function)) old_code.emplace(name, std::move(*code));
  }
  for (const auto& [name, function] : after.functions) {
    if (auto code = lower_alone(new_session, *function)) new_code.emplace(name, std::move(*code));
  }
  const auto code_of = [](const std::map<std::string, Code>& all, const std::string& name) -> const Code* {
    const auto found = all.find(name);
    return found == all.end() ? nullptr : &found->second;
  };

  std::vector<std::string> asked;
  std::vector<ComparisonJob> jobs;
  for (const auto& [name, function] : before.functions) {
    FunctionChange& change = diff.functions[name];
    change.is_public = is_public(before, name);
    const auto other = after.functions.find(name);
    if (other == after.functions.end()) {
      change.change = ChangeClass::Removed;
      continue;
    }
    const Code* left = code_of(old_code, name);
    const Code* right = code_of(new_code, name);
    change.is_public = change.is_public || is_public(after, name);
    change.deltas = deltas_of(before, *function, left, after, *other->second, right);
    if (change.deltas.contains("signature")) {
      change.change = ChangeClass::SignatureChanged;
      change.reason = verify::signature_difference(*function, old_session.compilation().names, *other->second,
                                                   new_session.compilation().names, false);
      continue;
    }
    if (left == nullptr || right == nullptr) {
      change.reason = "this build cannot lower it";
      continue;
    }
    if (is_same(before, *function, *left, after, *other->second, *right)) {
      change.change = ChangeClass::IdenticalCode;
      continue;
    }
    asked.push_back(name);
    jobs.push_back(
        [&, left_function = function, right_function = other->second, left, right](const auto& before_query) {
          verify::Question question;
          question.reference = {&old_session.compilation(), left_function, &left->module, left->function};
          question.candidate = {&new_session.compilation(), right_function, &right->module, right->function};
          question.allow_reference_traps = true;
          question.names_count = false;
          question.timeout_ms = options.timeout_ms;
          question.before_query = before_query;
          verify::Answer answer = verify::compare(question);
          if (!answer.hinges_on_bound) return answer;
          question.bounded_by = kBoundedBy;
          verify::Answer bounded = verify::compare(question);
          return bounded.status == verify::Status::Counterexample ? bounded : answer;
        });
  }
  for (const auto& [name, function] : after.functions) {
    if (before.functions.contains(name)) continue;
    FunctionChange& change = diff.functions[name];
    change.change = ChangeClass::Added;
    change.is_public = is_public(after, name);
  }
  for (const auto& [name, tokens] : before.templates) {
    FunctionChange& change = diff.functions[name];
    const auto now = after.templates.find(name);
    change.change = now == after.templates.end() ? ChangeClass::Removed : ChangeClass::IdenticalSource;
    if (now != after.templates.end() && now->second != tokens) {
      change.change = ChangeClass::Unknown;
      change.reason = "nothing instantiates the template, and its text changed";
    }
  }
  for (const auto& [name, tokens] : after.templates) {
    if (!before.templates.contains(name)) diff.functions[name].change = ChangeClass::Added;
  }

  const auto answers = run_comparisons(jobs, {options.timeout_ms, options.budget_seconds}, [](std::size_t) {});
  for (std::size_t k = 0; k < asked.size(); ++k) {
    FunctionChange& change = diff.functions[asked[k]];
    const verify::Answer& answer = answers[k];
    if (answer.status == verify::Status::Equivalent) {
      change.change = ChangeClass::SmtEquivalent;
      change.reason = answer.reason;
    } else if (answer.status == verify::Status::Counterexample) {
      change.change = ChangeClass::BehaviorChanged;
      change.at = inputs_text(answer.counterexample);
      change.before_text = outcome_text(answer, true);
      change.after_text = outcome_text(answer, false);
      change.witness = {{"inputs", answer.counterexample},
                        {"before", answer.expected},
                        {"after", answer.actual},
                        {"replayed", answer.replayed}};
      const bool was_bounded =
          std::ranges::any_of(answer.queries, [](const Json& query) { return query.contains("bounded_by"); });
      if (was_bounded) change.witness["found_where"] = "unsigned inputs are at most " + std::to_string(kBoundedBy);
    } else {
      change.reason = answer.reason.empty() ? std::string(verify::text(answer.status)) : answer.reason;
    }
  }
  find_renamed(diff, before, old_code, after, new_code);
  judge_version(diff, before, after);
  return diff;
}

}  // namespace cairn::cli
