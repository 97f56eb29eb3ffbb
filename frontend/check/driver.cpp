// The phases in their order, and what is reported when one of them refuses (tools, 4.3 and 4.4).
#include <algorithm>
#include <exception>
#include <functional>
#include <string>

#include "frontend/check/body.hpp"
#include "frontend/check/checker.hpp"
#include "frontend/check/judgement.hpp"
#include "frontend/diagnostics/render.hpp"
#include "frontend/expand/expand.hpp"
#include "frontend/support/deep_stack.hpp"

namespace cairn {

namespace {

constexpr std::size_t kStack = std::size_t{256} << 20;

/// A limit met after the first refusal ends the check and is named, not listed.
bool is_limit(Code code) {
  return code == Code::AstLimit || code == Code::ExpansionLimit || code == Code::EffectLimit || code == Code::Internal;
}

bool is_plain(const syntax::SumDecl& sum) {
  return std::ranges::all_of(sum.variants, [](const auto& variant) { return variant.payload == nullptr; });
}

}  // namespace

Checker::Checker(Compilation& compilation, const CheckOptions& options)
    : compilation_(compilation),
      options_(options),
      builtins_(compilation.names),
      table_(compilation.names),
      self_name_(compilation.names.intern("Self")) {}

Checker::~Checker() = default;

// --------------------------------------------------------------------------------------------------------------
// refusals

/// Takes a refusal into the verdict; false when it repeats one that is already there.
bool Checker::take(Diagnostic diagnostic, bool while_deciding) {
  Verdict& verdict = compilation_.verdict;
  if (is_limit(diagnostic.code)) {
    stopped_ = true;
    if (!verdict.refusals.empty()) {
      verdict.stopped_by = std::string(cairn::text(diagnostic.code));
      return false;
    }
  }
  const std::size_t hash = std::hash<std::string>{}(diagnostic.message) ^ static_cast<std::size_t>(diagnostic.code);
  for (auto [known, end] = known_refusals_.equal_range(hash); known != end; ++known) {
    const Diagnostic& earlier = verdict.refusals[known->second];
    const bool same = earlier.code == diagnostic.code && earlier.message == diagnostic.message;
    if (same && (while_deciding || earlier.position == diagnostic.position)) return false;
  }
  known_refusals_.emplace(hash, verdict.refusals.size());
  const SourceFile* file = compilation_.sources.file_at(diagnostic.position);
  if (!verdict.refusals.empty() && (file == nullptr || !file->library)) {
    listed_.insert(std::ranges::upper_bound(listed_, diagnostic.position), diagnostic.position);
    if (listed_.size() > kMostFurtherRefusals) listed_.pop_back();
  }
  verdict.refusals.push_back(std::move(diagnostic));
  return true;
}

bool Checker::may_be_listed(Position at) const {
  if (listed_.size() < kMostFurtherRefusals) return true;
  const SourceFile* file = compilation_.sources.file_at(at);
  return (file == nullptr || !file->library) && at < listed_.back();
}

/// Runs one judgement; a refusal is undone and taken into the verdict. `derived` is what generated the declaration.
template <class Work>
Checker::Outcome Checker::attempt(std::string_view derived, Work work) {
  const Mark before = mark();
  const auto refused = [&](Diagnostic diagnostic) {
    const bool while_deciding = deciding_ > 0;
    undo(before);
    if (!derived.empty()) diagnostic.detail("derived", std::string(derived));
    return take(std::move(diagnostic), while_deciding) ? Outcome::Refused : Outcome::Repeated;
  };
  try {
    work();
    return Outcome::Accepted;
  } catch (Refusal& refusal) {
    return refused(std::move(refusal.diagnostic));
  } catch (const std::exception& fault) {
    return refused(
        Diagnostic{Code::Internal, std::string("The checker failed: ") + fault.what() + ".", {}, {}, {}, {}, {}});
  }
}

/// Runs a phase whose first refusal ends the check.
template <class Work>
bool Checker::passes(Work work) {
  return attempt({}, work) == Outcome::Accepted;
}

/// Puts what follows the first refusal into source order: the program's own positions, then each library module's.
void Checker::order_refusals() {
  auto& refusals = compilation_.verdict.refusals;
  if (refusals.size() < 3) return;
  const SourceMap& sources = compilation_.sources;
  const auto file_of = [&](const Diagnostic& each) { return sources.file_at(each.position); };
  std::stable_sort(refusals.begin() + 1, refusals.end(), [&](const Diagnostic& a, const Diagnostic& b) {
    const SourceFile* in_a = file_of(a);
    const SourceFile* in_b = file_of(b);
    const bool library_a = in_a != nullptr && in_a->library;
    const bool library_b = in_b != nullptr && in_b->library;
    if (library_a != library_b) return library_b;
    if (library_a && in_a != in_b) return in_a->path < in_b->path;
    return a.position < b.position;
  });
}

bool Checker::is_counted(const checked::Function& function) {
  return !function.library && function.kind != checked::FunctionKind::Closure &&
         function.kind != checked::FunctionKind::Lane && function.kind != checked::FunctionKind::Extern;
}

/// Declared functions that are concrete: all of them go unjudged when a phase before the bodies ends the check.
void Checker::count_unjudged_declarations(std::size_t refused) {
  std::size_t concrete = 0;
  for (const syntax::Decl* declaration : declarations_) {
    if (declaration->kind == syntax::DeclKind::Test && !table_.open(declaration->module, false).library) ++concrete;
  }
  for (const FunctionInfo* each : functions_)
    if (!each->library && !each->is_extern() && !each->is_template()) ++concrete;
  compilation_.verdict.not_judged = static_cast<std::int64_t>(concrete - std::min(refused, concrete));
}

// ----------------------------------------------------------------------------------------------------------------
// phases

bool Checker::judge_types() {
  const auto judge = [&](auto wanted) {
    for (const syntax::Decl* declaration : declarations_) {
      if (stopped_ || !wanted(*declaration)) continue;
      attempt(declaration->derived, [&] {
        if (declaration->kind == syntax::DeclKind::Record) {
          record_instance(declaration->as<syntax::RecordDecl>(), {}, declaration->position);
        } else {
          sum_instance(declaration->as<syntax::SumDecl>(), {}, declaration->position);
        }
      });
    }
  };
  const auto is_sum = [](const syntax::Decl& declaration, bool plain) {
    if (declaration.kind != syntax::DeclKind::Sum) return false;
    const auto& sum = declaration.as<syntax::SumDecl>();
    return sum.generics.empty() && is_plain(sum) == plain;
  };
  judge([](const syntax::Decl& declaration) {
    return declaration.kind == syntax::DeclKind::Record && declaration.as<syntax::RecordDecl>().generics.empty();
  });
  judge([&](const syntax::Decl& declaration) { return is_sum(declaration, true); });
  judge([&](const syntax::Decl& declaration) { return is_sum(declaration, false); });
  return compilation_.verdict.accepted();
}

bool Checker::judge_constants() {
  for (const syntax::Decl* declaration : declarations_) {
    if (declaration->kind != syntax::DeclKind::Const) continue;
    const auto judged = attempt(declaration->derived, [&] { constant(declaration->as<syntax::ConstDecl>()); });
    if (judged != Outcome::Accepted) return false;
  }
  return true;
}

/// Every concrete function's signature, in declaration order, tests included; `concrete_` lists them then.
bool Checker::judge_signatures(std::size_t& refused) {
  const auto judge = [&](FunctionInfo& info) {
    if (stopped_) return;
    const auto judged = attempt(info.declaration->derived, [&] { judge_signature(info); });
    if (judged == Outcome::Accepted) {
      if (info.concrete != nullptr) concrete_.push_back(info.concrete);
    } else if (judged == Outcome::Refused && !info.library && !info.is_extern()) {
      ++refused;
    }
  };
  concrete_.reserve(functions_.size());
  for (const syntax::Decl* declaration : declarations_) {
    switch (declaration->kind) {
      case syntax::DeclKind::Function:
      case syntax::DeclKind::Extern:
        judge(info(*declaration));
        break;
      case syntax::DeclKind::Impl:
        for (const syntax::FunctionDecl* member : declaration->as<syntax::ImplDecl>().members) judge(info(*member));
        break;
      case syntax::DeclKind::Test:
        concrete_.push_back(new_test(*declaration));
        break;
      default:
        break;
    }
  }
  return compilation_.verdict.accepted();
}

checked::Function* Checker::new_test(const syntax::Decl& declaration) {
  checked::Function* test = new_function(checked::FunctionKind::Test);
  test->declaration = &declaration;
  test->module = declaration.module;
  test->position = declaration.position;
  test->library = table_.open(declaration.module, false).library;
  std::string full(text(declaration.module));
  if (declaration.module) full += '.';
  test->name = arena().copy(full.append("test$").append(text(declaration.name.name)));
  program().tests.push_back(test);
  return test;
}

void Checker::judge_bodies() {
  for (checked::Function* function : concrete_) {
    if (stopped_) return;
    if (function->kind == checked::FunctionKind::Extern) continue;
    const auto judged =
        attempt(function->declaration->derived, [&] { check_body(*this, *function, scope_of(*function)); });
    if (judged == Outcome::Accepted) continue;
    function->body = nullptr;
    if (judged == Outcome::Repeated && !stopped_ && is_counted(*function)) ++compilation_.verdict.not_judged;
  }
}

// ------------------------------------------------------------------------------------------------------------- the
// driver

void Checker::run(std::uintptr_t lowest_stack) {
  stack_end_ = lowest_stack;
  judge();
  if (!compilation_.verdict.accepted()) order_refusals();
}

bool Checker::judge_before_bodies() {
  const bool linked = passes([&] {
    parse_program();
    if (options_.want_main) judge_entry();
    link();
    expand(compilation_);
    collect_declarations();
    judge_builtin_names();
    judge_import_collisions();
    collect_impls();
  });
  if (!linked) return false;
  std::size_t refused = 0;
  if (!judge_types() || !judge_constants() || !judge_signatures(refused) || !passes([&] { judge_impls(); })) {
    count_unjudged_declarations(refused);
    return false;
  }
  if (entry_ != nullptr) program().main = info(*entry_).concrete;
  return true;
}

void Checker::judge() {
  if (!judge_before_bodies()) return;
  judge_bodies();
  if (!stopped_) judge_whole_program();
}

/// Phases 10 and 11: what needs every body.
void Checker::judge_whole_program() {
  Verdict& verdict = compilation_.verdict;
  ProgramJudgement judgement(*this);
  const bool refused_before = !verdict.accepted();
  // Lowering asks for the members of every trait whose values may be owned or lent, whether or not one is called so.
  const auto describe_dyn_types = [&] {
    for (std::size_t id = 0; id < types().size(); ++id) {  // describing may make more
      const Type& type = *types().at(id);
      if (!type.is(TypeKind::Dyn) && !type.is(TypeKind::DynRef)) continue;
      if (type.trait->dyn_compatible()) describe_dyn(*traits_[type.trait->index]);
    }
  };
  if (!refused_before) {
    if (!passes(describe_dyn_types)) return;
    if (!passes([&] { judgement.judge_implementations(); })) return;
    if (!passes([&] { judgement.judge_uninstantiated(); })) return;
  }
  RowJudgement rows;
  if (!passes([&] { rows = judgement.judge_rows(refused_before); })) return;
  for (Diagnostic& refusal : rows.refusals) take(std::move(refusal), false);
  verdict.not_judged += std::ranges::count_if(rows.not_judged, [&](const checked::Function* function) {
    return is_counted(*function) && !rows.refused.contains(function);
  });
  if (!verdict.accepted()) return;
  const bool stands = passes([&] {
    judgement.judge_layouts();
    judgement.judge_target();
  });
  if (stands) judgement.dispatch_selected();
}

void check_program(Compilation& compilation, const CheckOptions& options) {
  run_on_deep_stack(kStack, [&](std::uintptr_t lowest) {
    compilation.types = std::make_unique<TypeTable>(compilation.arena, compilation.names);
    Checker checker(compilation, options);
    checker.run(lowest);
    if (options.generics) certify_templates(compilation, options, lowest, checker.templates());
  });
}

}  // namespace cairn
