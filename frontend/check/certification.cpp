// `check --generics`: each template is judged at witnesses of its parameters and gets a verdict of its own
// (abstractions, 3.7). A round judges the program anew with every undecided template at its witnesses; templates that a
// round decides against leave, and another round follows, so that no verdict rests on another template's fault.
#include <algorithm>
#include <map>
#include <string>

#include "frontend/check/checker.hpp"
#include "frontend/check/judgement.hpp"

namespace cairn {

namespace {

constexpr std::size_t kMostCases = 128;
constexpr std::string_view kNoNatural = "no family gives its natural a witness";
constexpr TypeKind kScalarKinds[] = {TypeKind::Bool, TypeKind::U8,    TypeKind::U16, TypeKind::U32,
                                     TypeKind::U64,  TypeKind::Usize, TypeKind::I8,  TypeKind::I16,
                                     TypeKind::I32,  TypeKind::I64,   TypeKind::F32, TypeKind::F64};
constexpr std::string_view kScalarClasses[] = {"integer", "unsigned", "signed", "float", "numeric", "scalar"};

bool is_natural(const syntax::GenericParameter& parameter) { return parameter.bound == syntax::BoundKind::Nat; }

bool bounded_by(const syntax::GenericParameter& parameter, std::string_view name, const NameTable& names) {
  return std::ranges::any_of(
      parameter.traits, [&](const syntax::Path& bound) { return !bound.dotted() && names.text(bound.last()) == name; });
}

}  // namespace

/// One opaque type, displayed ?f.T, that implements exactly the traits its parameter names.
const Type* Checker::opaque_witness(const FunctionInfo& info, const syntax::GenericParameter& parameter) {
  Ownership ownership = Ownership::Linear;
  if (bounded_by(parameter, "affine", names())) ownership = Ownership::Affine;
  if (bounded_by(parameter, "copy", names())) ownership = Ownership::Copy;
  std::string shown("?");
  shown.append(info.full_name).append(".").append(text(parameter.name.name));
  const Type* witness = types().new_witness(shown, ownership);
  for (const syntax::Path& bound : parameter.traits) {
    const Symbol symbol = resolve(bound, info.module, kWantTrait, info.declaration->position);
    if (symbol) witness_traits_.emplace_back(witness, trait_of(symbol.declaration->as<syntax::TraitDecl>()));
  }
  return witness;
}

/// The types a type parameter is judged at: every scalar that keeps its bounds when it names a scalar class, else one
/// opaque type.
std::vector<StaticArgument> Checker::witnesses(const FunctionInfo& info, std::size_t index) {
  const syntax::GenericParameter& parameter = info.generics[index];
  const bool scalar =
      std::ranges::any_of(kScalarClasses, [&](std::string_view name) { return bounded_by(parameter, name, names()); });
  if (!scalar) return {{opaque_witness(info, parameter), 0}};
  std::vector<StaticArgument> kept;
  for (const TypeKind kind : kScalarKinds) {
    const StaticArgument argument{types().scalar(kind), 0};
    if (bounds_hold(info.generics.subspan(index, 1), std::span(&argument, 1), info.module, info.declaration->position))
      kept.push_back(argument);
  }
  return kept;
}

/// The function of a trait's member at a witness: it does what its trait's ceiling allows.
FunctionInfo* Checker::witness_member(const TraitInfo& trait, std::uint32_t member, const Type* witness) {
  for (const WitnessMember& known : witness_members_)
    if (known.trait == &trait && known.member == member && known.info->witness == witness) return known.info;
  const syntax::Signature& signature = *trait.members[member].signature;
  auto* declaration = arena().make<syntax::FunctionDecl>();
  declaration->kind = syntax::DeclKind::Function;
  declaration->is_public = true;
  declaration->module = trait.module;
  declaration->name = signature.name;
  declaration->position = trait.declaration->position;
  declaration->signature = signature;
  declaration->body = arena().make<syntax::Block>();
  auto* info = arena().make<FunctionInfo>();
  info->declaration = declaration;
  info->signature = &declaration->signature;
  info->module = trait.module;
  info->full_name = arena().copy(std::string(trait.full_name).append(".").append(text(signature.name.name)));
  info->library = true;
  info->witness = witness;
  info->generics = signature.generics;
  std::vector<Name> parameters;
  for (const auto& parameter : signature.generics) parameters.push_back(parameter.name.name);
  info->parameter_names = arena().copy(parameters);
  describe_parameters(*info);
  const std::size_t before = program().functions.size();
  if (!info->is_template()) info->concrete = make_function(*info, {}, declaration->position);
  witness_members_.push_back({&trait, member, info, before});
  return info;
}

/// Judges a template at every combination of its witnesses; its verdict when it does not stand, else empty.
std::string Checker::judge_at_witnesses(FunctionInfo& info) {
  const bool any_natural = std::ranges::any_of(info.generics, is_natural);
  const bool all_natural = std::ranges::all_of(info.generics, is_natural);
  if (any_natural) {
    // The instances of its families, or of its tune clause, were judged with the program.
    const bool judged = info.is_implementation() || (all_natural && has_family(info));
    return judged ? std::string() : std::string(kNoNatural);
  }
  std::vector<std::vector<StaticArgument>> choices;
  std::size_t cases = 1;
  for (std::size_t i = 0; i < info.generics.size(); ++i) {
    choices.push_back(witnesses(info, i));
    cases *= choices.back().size();
    if (cases > kMostCases) return "too many scalar cases";
  }
  std::vector<StaticArgument> arguments(choices.size());
  for (std::size_t each = 0; each < cases; ++each) {
    std::size_t rest = each;
    for (std::size_t i = choices.size(); i-- > 0; rest /= choices[i].size())
      arguments[i] = choices[i][rest % choices[i].size()];
    const Mark before = mark();
    try {
      function(info, arguments, info.declaration->position);
    } catch (const Refusal& refusal) {
      undo(before);
      return verdict_of(info, refusal.diagnostic);
    }
  }
  return {};
}

bool Checker::has_family(const FunctionInfo& info) const {
  return std::ranges::any_of(functions_, [&](const FunctionInfo* each) {
    const syntax::FunctionDecl* function = each->function();
    return function != nullptr && function->copy_of != nullptr && function->copy_of == info.declaration;
  });
}

std::string Checker::verdict_of(const FunctionInfo& info, const Diagnostic& diagnostic) const {
  const std::string_view code =
      diagnostic.custom_code.empty() ? cairn::text(diagnostic.code) : std::string_view(diagnostic.custom_code);
  std::string verdict(code);
  verdict.append(": ").append(diagnostic.message);
  const bool about_moves =
      code.starts_with("E-LINEAR") || code.starts_with("E-MOVE") || code == cairn::text(Code::PartialMove);
  for (const syntax::GenericParameter& parameter : info.generics) {
    const bool may_be_linear = !is_natural(parameter) && !bounded_by(parameter, "affine", compilation_.names) &&
                               !bounded_by(parameter, "copy", compilation_.names);
    if (!about_moves || !may_be_linear) continue;
    const std::string name(text(parameter.name.name));
    verdict.append(" ").append(name).append(" may be linear here; [");
    verdict.append(name).append(":affine] or [").append(name).append(":copy] promises more.");
    break;
  }
  if (verdict.find("bound:") != std::string::npos)
    verdict += " Give the trait's member a ceiling: without one it may do anything.";
  return verdict;
}

bool Checker::certify(std::uintptr_t lowest_stack, std::map<std::string, std::string, std::less<>>& verdicts) {
  stack_end_ = lowest_stack;
  if (!judge_before_bodies()) return false;
  judge_bodies();
  struct Root {
    FunctionInfo* info;
    std::size_t first;  // its instances and what they need stand from here on
  };
  std::vector<Root> roots;
  RowJudgement rows;
  try {
    ProgramJudgement judgement(*this);
    judgement.judge_implementations();
    const std::vector<FunctionInfo*> declared = functions_;
    for (FunctionInfo* info : declared) {
      if (!info->is_template() || verdicts.contains(info->full_name)) continue;
      roots.push_back({info, program().functions.size()});
      std::string verdict = judge_at_witnesses(*info);
      if (!verdict.empty()) verdicts.emplace(info->full_name, std::move(verdict));
    }
    rows = judgement.judge_rows(false);
  } catch (const Refusal&) {
    return false;  // the program itself was accepted before: only a limit can end a round, with what it decided
  }
  bool decided = false;
  for (std::size_t i = 0; i < rows.refusals.size(); ++i) {
    const checked::Function* about = rows.about[i];
    // The template whose instance it is; when that one is decided, the one whose witnesses needed the instance.
    const FunctionInfo* owner = about->info;
    if (owner == nullptr || !owner->is_template() || verdicts.contains(owner->full_name)) {
      owner = nullptr;
      for (const Root& root : roots)
        if (root.first <= about->index) owner = root.info;
    }
    if (owner == nullptr) continue;
    decided = verdicts.emplace(owner->full_name, verdict_of(*owner, rows.refusals[i])).second || decided;
  }
  return decided;
}

std::vector<std::string_view> Checker::templates() const {
  std::vector<std::string_view> all;
  for (const FunctionInfo* info : functions_)
    if (info->is_template()) all.push_back(info->full_name);
  return all;
}

void certify_templates(Compilation& compilation, const CheckOptions& options, std::uintptr_t lowest_stack,
                       std::span<const std::string_view> templates) {
  std::map<std::string, std::string, std::less<>> verdicts;
  const Verdict& verdict = compilation.verdict;
  for (bool again = verdict.accepted(); again;) {
    Compilation round;
    for (std::uint32_t i = 0; i < compilation.sources.size(); ++i) {
      const SourceFile& file = compilation.sources.file(i);
      if (!file.library) round.sources.add(file.path, file.text, false, file.own);
    }
    round.types = std::make_unique<TypeTable>(round.arena, round.names);
    Checker checker(round, options);
    again = checker.certify(lowest_stack, verdicts);
  }
  for (const std::string_view name : templates) {
    std::string answer = "ok";
    if (!verdict.accepted()) {
      answer = "unknown: the program does not check (" + std::string(text(verdict.refusals.front().code)) + ")";
    } else if (const auto found = verdicts.find(name); found != verdicts.end()) {
      answer = found->second;
    }
    compilation.generics.emplace_back(std::string(name), std::move(answer));
  }
}

}  // namespace cairn
