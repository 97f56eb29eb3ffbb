// Functions and their instances (abstractions, 3.4): each is made once for its arguments, with its bounds held, and its
// body is judged at its first use, inside the judgement of whoever uses it.
#include <algorithm>
#include <string>

#include "frontend/check/body.hpp"
#include "frontend/check/checker.hpp"
#include "frontend/check/keys.hpp"

namespace cairn {

namespace {

/// The native an instance of a packaged extern template is: pair.add.f32.
std::string native_symbol(std::string_view symbol, std::span<const StaticArgument> arguments) {
  std::string full(symbol);
  for (const StaticArgument& argument : arguments) {
    full += '.';
    full += argument.type != nullptr ? std::string(argument.type->name) : std::to_string(argument.natural);
  }
  return full;
}

}  // namespace

FunctionInfo& Checker::info(const syntax::Decl& declaration) { return **infos_.find(pointer_key(&declaration)); }

checked::Function* Checker::new_function(checked::FunctionKind kind) {
  auto& functions = program().functions;
  auto& made = functions.emplace_back(std::make_unique<checked::Function>());
  made->kind = kind;
  made->index = static_cast<std::uint32_t>(functions.size() - 1);
  made->result = types().void_type();
  return made.get();
}

Scope Checker::scope_of(const checked::Function& function) const {
  const checked::Function* outer = &function;
  while (outer->parent != nullptr) outer = outer->parent;
  Scope scope;
  scope.module = outer->module;
  if (outer->info != nullptr) scope.parameters = outer->info->parameter_names;
  scope.arguments = outer->arguments;
  scope.self = outer->self;
  return scope;
}

checked::Function* Checker::make_function(FunctionInfo& info, std::span<const StaticArgument> arguments, Position use) {
  if (functions_.size() + instances_.size() > kFunctionLimit)
    refuse(Code::ExpansionLimit, use, "The program has more than " + std::to_string(kFunctionLimit) + " functions.");
  checked::Function& function = *new_function(checked::FunctionKind::Function);
  function.declaration = info.declaration;
  function.info = &info;
  function.module = info.module;
  function.arguments = arguments;
  function.position = info.declaration->position;
  function.library = info.library;
  function.name = info.full_name;
  if (info.is_template()) {
    const std::string shown = shown_instance(info.full_name, arguments);
    hold_name_length(shown, use);
    function.name = arena().copy(shown);
  }
  if (info.is_extern()) {
    function.kind = checked::FunctionKind::Extern;
    const auto& declaration = info.declaration->as<syntax::ExternDecl>();
    function.symbol = declaration.has_symbol ? declaration.symbol : text(declaration.name.name);
    if (info.is_template()) function.symbol = arena().copy(native_symbol(function.symbol, arguments));
  } else if (info.is_kernel()) {
    function.kind = checked::FunctionKind::Kernel;
  }

  Scope scope;
  scope.module = info.module;
  scope.parameters = info.parameter_names;
  scope.arguments = arguments;
  if (info.witness != nullptr) {
    function.self = info.witness;
    scope.self = info.witness;
    function.body = arena().make<checked::Block>();  // none but what its trait promises
  } else if (info.impl != nullptr) {
    function.self = resolve_type(*info.impl->type, scope, info.impl->position);
    scope.self = function.self;
  }
  if (info.signature->ceiling.present) {
    function.ceiling = &info.signature->ceiling;
  } else if (info.impl != nullptr) {
    function.ceiling = trait_ceiling(info);
  }
  make_signature(function, info, scope);
  return &function;
}

/// The signature of a concrete function, extern or impl member. A packaged module's extern may be a template: each
/// instance is a native of its own.
void Checker::judge_signature(FunctionInfo& info) {
  if (info.is_extern() && !info.generics.empty() && !info.library)
    refuse(Code::Extern, info.declaration->position, "An extern has no generic parameters: C has none.");
  if (info.is_template()) return;
  checked::Function* made = make_function(info, info.fixed, info.declaration->position);
  if (info.is_extern()) hold_extern(*made, info.declaration->as<syntax::ExternDecl>());
  if (const auto* written = info.function(); written != nullptr && written->copy_of != nullptr) {
    if (FunctionInfo** copied = infos_.find(pointer_key(written->copy_of))) (*copied)->instantiated = true;
  }
  info.concrete = made;
}

checked::Function* Checker::function(FunctionInfo& info, std::span<const StaticArgument> arguments, Position use) {
  if (!info.is_template()) return info.concrete;
  const std::uint64_t key = instance_key(&info, arguments);
  const std::uint32_t* newest = instance_chains_.find(key);
  for (std::uint32_t at = newest == nullptr ? 0 : *newest; at != 0; at = instance_next_[at - 1]) {
    const Instance& known = instances_[at - 1];
    if (known.info == &info && std::ranges::equal(known.arguments, arguments)) return known.function;
  }

  hold_bounds(info.generics, arguments, info.full_name, info.module, use);
  hold_depth(use);
  const std::span<const StaticArgument> kept = arena().copy(arguments);
  checked::Function* made = make_function(info, kept, use);
  const auto [chain, fresh] = instance_chains_.insert(key);
  instance_next_.push_back(*chain);
  instances_.push_back({&info, kept, made});
  *chain = static_cast<std::uint32_t>(instances_.size());
  info.instantiated = true;
  if (info.witness == nullptr && !info.is_extern()) check_body(*this, *made, scope_of(*made));
  return made;
}

FunctionInfo* Checker::method(Name name, const Type* receiver, Name module, Position call) {
  receiver = value_type(receiver);
  if (receiver->record == nullptr && receiver->sum == nullptr) return nullptr;
  if (!receiver->module) return nullptr;
  const Symbol symbol = table_.lookup(std::span(&name, 1), receiver->module, kWantFunction);
  if (!symbol) return nullptr;
  if (!accessible(*symbol.declaration, module)) refuse_private(*symbol.declaration, call);
  return symbol.function;
}

// ------------------------------------------------------------------------------------------------------------------
// undo

Checker::Mark Checker::mark() const {
  return {compilation_.program.functions.size(),
          instances_.size(),
          nominals_.size(),
          compilation_.types->size(),
          dispatch_tables_.size(),
          decisions_.size(),
          described_.size()};
}

void Checker::undo(const Mark& mark) {
  while (instances_.size() > mark.instances) {
    const Instance& last = instances_.back();
    *instance_chains_.find(instance_key(last.info, last.arguments)) = instance_next_.back();
    instances_.pop_back();
    instance_next_.pop_back();
  }
  while (nominals_.size() > mark.nominals) {
    const Nominal& last = nominals_.back();
    *nominal_chains_.find(instance_key(last.declaration, last.arguments)) = nominal_next_.back();
    nominals_.pop_back();
    nominal_next_.pop_back();
  }
  while (decisions_.size() > mark.decisions) {
    *decided_.find(decision_keys_.back()) = 0;
    decision_keys_.pop_back();
    decisions_.pop_back();
  }
  while (described_.size() > mark.described) {
    described_.back()->described = false;
    described_.pop_back();
  }
  for (Impl& impl : impls_)
    if (impl.self != nullptr && impl.self->id >= mark.types) impl.self = nullptr;
  while (!witness_members_.empty() && witness_members_.back().function >= mark.functions) witness_members_.pop_back();
  dispatch_tables_.resize(mark.tables);
  program().functions.resize(mark.functions);
  pending_bounds_.clear();
  pending_storage_.clear();
  resolving_ = 0;
  deciding_ = 0;
}

// ----------------------------------------------------------------------------------------------------------------
// limits

void Checker::visited_too_much(Position position) {
  refuse(Code::AstLimit, position,
         "Checking visits more than " + std::to_string(kVisitLimit) + " expressions, instances included.");
}

void Checker::hold_depth(Position use) {
  const char here = 0;
  if (stack_end_ == 0 || reinterpret_cast<std::uintptr_t>(&here) > stack_end_) [[likely]]
    return;
  refuse(Code::ExpansionLimit, use, "Instances need each other without end, or nest too deep to be made.");
}

void Checker::hold_name_length(std::string_view shown, Position use) {
  if (shown.size() <= kShownNameLimit) [[likely]]
    return;
  refuse(Code::ExpansionLimit, use,
         "An instance's name exceeds " + std::to_string(kShownNameLimit) +
             " characters: instances make ever new ones. It begins " + std::string(shown.substr(0, 80)) + "...");
}

}  // namespace cairn
