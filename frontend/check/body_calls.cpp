// How a callee is found (abstractions, section 4), and omitted extents (ownership and memory, 5.3).
#include "frontend/check/body_checker.hpp"
#include "frontend/check/call_arguments.hpp"
#include "frontend/check/judgement.hpp"
#include "frontend/check/syntax_paths.hpp"
#include "frontend/diagnostics/fixes.hpp"

namespace cairn {

using checked::ExprKind;
using checked::Local;

namespace {

/// A local that is called: a function value or a borrowed callable.
bool is_callable(const Local& local) {
  const Type* type = local.type->is(TypeKind::Borrow) ? local.type->element : local.type;
  return type->is(TypeKind::Function);
}

}  // namespace

std::vector<Operand> BodyChecker::operands_of(std::span<const syntax::Expr* const> written) {
  std::vector<Operand> operands(written.size());
  for (std::size_t i = 0; i < written.size(); ++i) operands[i].written = written[i];
  return operands;
}

std::vector<StaticArgument> BodyChecker::statics_of(std::span<const syntax::Expr* const> statics, Position at) {
  std::vector<StaticArgument> arguments;
  arguments.reserve(statics.size());
  for (const syntax::Expr* each : statics) arguments.push_back(checker_.resolve_static(*each, scope_, at));
  return arguments;
}

void BodyChecker::refuse_stored_callee(Name name, Position at) {
  refuse(Code::Callee, at,
         quoted(name) + " is a stored value here, not a function: bind it to a name with let and call that.");
}

void BodyChecker::refuse_callee(std::span<const Name> path, Position at) {
  std::string text;
  for (const Name name : path) text += (text.empty() ? "" : ".") + std::string(checker_.text(name));
  std::string message = "Nothing callable is named `" + text + "`.";
  const auto sums =
      path.size() == 1 ? checker_.sums_with_variant(path.front(), scope_.module) : std::vector<std::string>{};
  if (!sums.empty()) {
    message = "Nothing here expects " + sums.front() + ", so its variant `" + text + "` must be written " +
              sums.front() + "." + text + ".";
  }
  if (!checker_.may_be_listed(at)) refuse(Code::Callee, at, std::move(message));
  std::vector<std::string> available = checker_.visible_names(scope_.module, kWantFunction | kWantType);
  for (const std::string_view builtin : BuiltinNames::functions()) available.emplace_back(builtin);
  const std::vector<std::string_view> candidates(available.begin(), available.end());
  refuse(Diagnostic{Code::Callee, std::move(message), at, did_you_mean(text, candidates), {}, {}, {}});
}

Node BodyChecker::call(const syntax::CallExpr& expression, const Type* expected) {
  const Position at = expression.position;
  const syntax::Expr* callee = expression.callee;
  std::span<const syntax::Expr* const> statics;
  bool has_brackets = false;
  if (callee->kind == syntax::ExprKind::Bracket) {
    const auto& bracket = callee->as<syntax::BracketExpr>();
    statics = bracket.arguments;
    has_brackets = true;
    callee = bracket.base;
  }
  if (callee->kind != syntax::ExprKind::Name && callee->kind != syntax::ExprKind::Member) {
    refuse(Code::Call, callee->position,
           "Only a named function, a method or a constructor is called; bind this to a name first.");
  }
  std::vector<Operand> arguments = operands_of(expression.arguments);
  if (callee->kind == syntax::ExprKind::Name) {
    return call_name(callee->as<syntax::NameExpr>().name, statics, has_brackets, arguments, expected, at);
  }
  const auto& member = callee->as<syntax::MemberExpr>();
  const Name name = member.member.name;
  const WrittenPath path = written_path(member);
  if (!path.empty() && find_local(path.front()) == nullptr) {
    return call_path(path.names(), statics, has_brackets, arguments, expected, at, *member.base);
  }
  // Sum[T].Variant(e)
  if (member.base->kind == syntax::ExprKind::Bracket) {
    const auto& base = member.base->as<syntax::BracketExpr>();
    const WrittenPath prefix = written_path(*base.base);
    if (!prefix.empty() && find_local(prefix.front()) == nullptr) {
      if (const Symbol symbol = checker_.resolve(prefix.names(), scope_.module, kWantType, at);
          symbol.kind == Symbol::Kind::Sum) {
        return variant(symbol.declaration->as<syntax::SumDecl>(), name, statics_of(base.arguments, at), true, arguments,
                       expected, at);
      }
    }
  }
  Operand receiver;
  receiver.written = member.base;
  receiver.node = walk_view(receiver);
  arguments.insert(arguments.begin(), receiver);
  return call_method(name, statics, has_brackets, arguments, expected, at);
}

Node BodyChecker::call_method(Name name, std::span<const syntax::Expr* const> statics, bool has_brackets,
                              std::vector<Operand>& arguments, const Type* expected, Position at) {
  Node receiver = arguments.front().node;
  const checked::Local* named = receiver->kind == ExprKind::Local ? receiver->as<checked::LocalExpr>().local : nullptr;
  if (named != nullptr && named->kind == checked::LocalKind::Pipeline) {
    return pipeline_operation(receiver, name, arguments, at);
  }
  switch (receiver->type->kind) {
    case TypeKind::Atomic:
      return atomic_operation(receiver, name, arguments, at);
    case TypeKind::Mutex:
      return mutex_operation(receiver, name, arguments, at);
    case TypeKind::IoRing:
      return ring_operation(receiver, name, arguments, at);
    default:
      break;
  }
  if (FunctionInfo* method = checker_.method(name, receiver->type, scope_.module, at)) {
    return call_function(*method, statics_of(statics, at), arguments, expected, at);
  }
  return call_plain(name, statics, has_brackets, arguments, expected, at, receiver->type);
}

Node BodyChecker::call_name(Name name, std::span<const syntax::Expr* const> statics, bool has_brackets,
                            std::vector<Operand>& arguments, const Type* expected, Position at) {
  if (!has_brackets && expected != nullptr && expected->is(TypeKind::Sum)) {
    if (const auto index = bare_variant(name, expected, at)) {
      if (expected->is_plain_enum()) refuse_callee({&name, 1}, at);
      return build_variant(expected, *index, arguments, at);
    }
  }
  if (const StaticArgument* argument = scope_.find(name); argument != nullptr && find_local(name) == nullptr) {
    if (argument->type != nullptr && !has_brackets) return construct_type(argument->type, arguments, at);
    refuse_callee({&name, 1}, at);
  }
  return call_plain(name, statics, has_brackets, arguments, expected, at);
}

/// Steps 7 to 13: what a plain name may be, for calls and for methods nothing else gave a meaning.
Node BodyChecker::call_plain(Name name, std::span<const syntax::Expr* const> statics, bool has_brackets,
                             std::vector<Operand>& arguments, const Type* expected, Position at, const Type* receiver) {
  if (Local* local = find_local(name); local != nullptr && is_callable(*local)) {
    if (has_brackets) refuse(Code::GenericArity, at, "A function value takes no type arguments.");
    return call_value(*local, arguments, at);
  }
  const BuiltinClass builtin = checker_.builtins().class_of(name);
  if (builtin != BuiltinClass::None) {
    const bool yields = builtin == BuiltinClass::Soft;
    if (!yields || !checker_.peek({&name, 1}, scope_.module, kWantFunction)) {
      return call_builtin(name, statics, has_brackets, arguments, expected, at);
    }
  }
  const Symbol symbol = checker_.resolve({&name, 1}, scope_.module, kWantFunction | kWantType, at);
  if (symbol) {
    if (Node node = call_symbol(symbol, statics, arguments, expected, at)) return node;
  }
  const std::vector<StaticArgument> own = statics_of(statics, at);
  if (Node node = call_member({&name, 1}, own, arguments, expected, at)) return node;
  if (receiver != nullptr && receiver->is(TypeKind::Record)) {
    for (const RecordField& field : receiver->record->fields) {
      if (field.name == name) refuse_stored_callee(name, at);
    }
  }
  if (has_brackets && find_local(name) != nullptr) refuse_stored_callee(name, at);
  refuse_callee({&name, 1}, at);
}

Node BodyChecker::call_builtin(Name name, std::span<const syntax::Expr* const> statics, bool has_brackets,
                               std::vector<Operand>& arguments, const Type* expected, Position at) {
  const BuiltinRow* row = shared_.builtin(name);
  if (row != nullptr) {
    BuiltinCall call{name, arguments, statics, has_brackets, expected, at};
    return (this->*row->judge)(call);
  }
  if (const Type* scalar = types().scalar_named(name);
      scalar != nullptr && (scalar->is_numeric() || scalar->is_storage_float())) {
    return convert(scalar, arguments, at);
  }
  if (checker_.builtins().is_function(name)) {
    // No judge exists for it yet: a fault of the checker, which no command takes for an acceptance.
    refuse(Code::Internal, at, "This checker does not judge " + std::string(checker_.text(name)) + ".");
  }
  refuse_callee({&name, 1}, at);
}

Node BodyChecker::call_path(std::span<const Name> path, std::span<const syntax::Expr* const> statics, bool has_brackets,
                            std::vector<Operand>& arguments, const Type* expected, Position at,
                            const syntax::Expr& base) {
  const auto prefix = path.first(path.size() - 1);
  if (prefix.size() == 1) {
    if (const StaticArgument* argument = scope_.find(prefix.front())) {
      if (argument->type == nullptr) {
        // A method on a static natural.
        arguments.insert(arguments.begin(), Operand{&base, walk(base, nullptr), -1});
        return call_method(path.back(), statics, has_brackets, arguments, expected, at);
      }
      if (argument->type->is(TypeKind::Sum)) {
        const SumInfo& sum = *argument->type->sum;
        return variant(*sum.declaration, path.back(), sum.arguments, true, arguments, expected, at);
      }
    }
  }
  const Symbol owner = checker_.peek(prefix, scope_.module, kWantType | kWantLayout | kWantTrait | kWantConst);
  switch (owner.kind) {
    case Symbol::Kind::Sum:
      checker_.resolve(prefix, scope_.module, kWantType, at);
      return variant(owner.declaration->as<syntax::SumDecl>(), path.back(), statics_of(statics, at), true, arguments,
                     expected, at);
    case Symbol::Kind::Layout:
      checker_.resolve(prefix, scope_.module, kWantLayout, at);
      return layout_query(owner.declaration->as<syntax::LayoutDecl>(), path.back(), arguments, at);
    case Symbol::Kind::Trait: {
      checker_.resolve(prefix, scope_.module, kWantTrait, at);
      const std::vector<StaticArgument> own = statics_of(statics, at);
      if (Node node = call_member(path, own, arguments, expected, at)) return node;
      refuse_callee(path, at);
    }
    case Symbol::Kind::Const:
      // A method on a constant.
      arguments.insert(arguments.begin(), Operand{&base, walk(base, nullptr), -1});
      return call_method(path.back(), statics, has_brackets, arguments, expected, at);
    default:
      break;
  }
  const Symbol symbol = checker_.resolve(path, scope_.module, kWantFunction | kWantType, at);
  if (symbol) {
    if (Node node = call_symbol(symbol, statics, arguments, expected, at)) return node;
  }
  refuse_callee(path, at);
}

Node BodyChecker::call_symbol(const Symbol& symbol, std::span<const syntax::Expr* const> statics,
                              std::vector<Operand>& arguments, const Type* expected, Position at) {
  switch (symbol.kind) {
    case Symbol::Kind::Function:
    case Symbol::Kind::Extern:
      return call_function(*symbol.function, statics_of(statics, at), arguments, expected, at);
    case Symbol::Kind::Record:
      return construct(symbol.declaration->as<syntax::RecordDecl>(), statics_of(statics, at), arguments, expected, at);
    case Symbol::Kind::Alias: {
      if (!statics.empty()) refuse(Code::GenericArity, at, "A type alias takes no type arguments.");
      return construct_type(checker_.alias_type(symbol.declaration->as<syntax::AliasDecl>()), arguments, at);
    }
    default:
      return nullptr;
  }
}

void BodyChecker::require_count(std::size_t wanted, std::size_t given, std::string_view callee, Position at) {
  if (wanted == given) return;
  refuse(Code::Arity, at,
         std::string(callee) + " takes " + std::to_string(wanted) + (wanted == 1 ? " argument" : " arguments") +
             ", and this call gives " + std::to_string(given) + ".");
}

/// E-ARITY for a declared function, with the count without the extents that may be left out.
void BodyChecker::refuse_count(const FunctionInfo& info, std::size_t given, Position at) {
  const auto parameters = info.signature->parameters;
  if (info.implied_count == 0) require_count(parameters.size(), given, info.full_name, at);
  std::string extents;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (info.implied[i]) extents += (extents.empty() ? "" : ", ") + std::string(checker_.text(parameters[i].name.name));
  }
  refuse(Code::Arity, at,
         std::string(info.full_name) + " takes " + std::to_string(parameters.size()) + " arguments, or " +
             std::to_string(parameters.size() - info.implied_count) + " without its extents " + extents +
             " where each array is named, a part or text; this call gives " + std::to_string(given) + ".");
}

bool BodyChecker::may_leave_extent_out(Operand& operand) {
  switch (operand.written->kind) {
    case syntax::ExprKind::Name:
    case syntax::ExprKind::Member:
    case syntax::ExprKind::Part:
    case syntax::ExprKind::String:
      return true;
    case syntax::ExprKind::Bracket: {
      // An element that lends a view is the part it lends.
      const Type* type = walk_operand(operand, nullptr)->type;
      return type->is(TypeKind::Record) && type->record->lends.carrier >= 0;
    }
    default:
      return false;
  }
}

void BodyChecker::write_extents_out(const FunctionInfo& info, std::vector<Operand>& arguments, Position at) {
  const std::size_t parameters = info.signature->parameters.size();
  const auto extent_of = info.extent_of;
  const auto implied = info.implied;
  const std::uint32_t implied_count = info.implied_count;
  if (arguments.size() == parameters) return;
  bool fits = implied_count > 0 && arguments.size() + implied_count == parameters;
  if (fits) {
    for (std::size_t parameter = 0, next = 0; fits && parameter < parameters; ++parameter) {
      if (implied[parameter]) continue;
      Operand& operand = arguments[next++];
      fits = extent_of[parameter] < 0 || !implied[static_cast<std::size_t>(extent_of[parameter])] ||
             may_leave_extent_out(operand);
    }
  }
  if (!fits) refuse_count(info, arguments.size(), at);
  std::vector<Operand> full(parameters);
  for (std::size_t parameter = 0, next = 0; parameter < parameters; ++parameter) {
    if (!implied[parameter]) full[parameter] = arguments[next++];
  }
  for (std::size_t parameter = parameters; parameter-- > 0;) {
    if (extent_of[parameter] < 0) continue;
    const auto extent = static_cast<std::size_t>(extent_of[parameter]);
    if (implied[extent]) full[extent].extent_of = static_cast<std::int32_t>(parameter);
  }
  arguments = std::move(full);
}

Node BodyChecker::call_function(FunctionInfo& info, std::span<const StaticArgument> leading,
                                std::vector<Operand>& arguments, const Type* expected, Position at) {
  require_not_implementation(info, at);
  write_extents_out(info, arguments, at);
  if (info.is_extern() && unsafe_depth_ == 0) {
    refuse(Code::Unsafe, at, std::string(info.full_name) + " is foreign: call it inside unsafe { }.");
  }
  if (info.is_kernel() && !on_device()) {
    refuse(Code::Placement, at,
           std::string(info.full_name) +
               " is a kernel fn: only device code calls it, which is another kernel fn, or a "
               "region whose own body indexes @device memory.");
  }
  std::span<const StaticArgument> statics;
  if (info.is_template()) {
    BodyArguments seen(*this, arguments);
    statics = checker_.infer_call(info, leading, expected, seen, at);
    if (info.is_implementation() && !is_listed_instance(*info.function(), statics)) {
      refuse(Code::ImplParam, at,
             std::string(info.full_name) + " has no instance for these values: see its tune lists.");
    }
  } else if (!leading.empty()) {
    refuse(Code::GenericArity, at, std::string(info.full_name) + " takes no type arguments.");
  }
  checked::Function& callee = *checker_.function(info, statics, at);
  const std::size_t mark = parameter_types_.size();
  for (const Local* parameter : callee.parameters) parameter_types_.push_back(parameter->type);
  auto& node = make<checked::CallExpr>(ExprKind::Call, callee.result, at);
  node.callee = &callee;
  node.arguments = lend_arguments(mark, info.extent_of, arguments, at);
  parameter_types_.resize(mark);
  return &node;
}

Node BodyChecker::call_member(std::span<const Name> path, std::span<const StaticArgument> own,
                              std::vector<Operand>& arguments, const Type* expected, Position at) {
  BodyArguments seen(*this, arguments);
  const MemberChoice choice = checker_.find_member(path, scope_.module, seen, at);
  if (!choice) return nullptr;
  if (choice.dynamic) return call_dynamic(choice, arguments, at);
  const MemberFunction member = checker_.member_function(*choice.trait, choice.member, choice.self, at);
  std::vector<StaticArgument> leading(member.impl_arguments.begin(), member.impl_arguments.end());
  leading.insert(leading.end(), own.begin(), own.end());
  return call_function(*member.function, leading, arguments, expected, at);
}

Node BodyChecker::call_dynamic(const MemberChoice& choice, std::vector<Operand>& arguments, Position at) {
  const TraitMember& member = choice.trait->members[choice.member];
  const std::string name =
      std::string(choice.trait->full_name) + "." + std::string(checker_.text(member.signature->name.name));
  if (on_device()) refuse(Code::Placement, at, name + " is called through a dyn, which device code cannot do.");
  if (member.dyn_result == nullptr) {
    refuse(Code::Dyn, at, name + " gives a Self, which is unknown behind a dyn.");
  }
  require_count(member.signature->parameters.size(), arguments.size(), name, at);
  Node receiver = arguments[choice.receiver].node;
  const bool writes = member.receiver_mode == BorrowMode::Rw;
  if (writes && (root_local(receiver) == nullptr || !is_writable(receiver))) {
    refuse(Code::WriteLease, at, name + " writes its receiver, which is not writable here.");
  }
  note_lent(receiver, writes, receiver->position);
  auto& node = make<checked::CallDynExpr>(ExprKind::CallDyn, member.dyn_result, at);
  node.trait = choice.trait;
  node.member = choice.member;
  node.receiver = receiver;
  node.receiver_index = static_cast<std::uint32_t>(member.receiver);
  const std::size_t mark = parameter_types_.size();
  for (std::size_t i = 0; i < member.dyn_parameters.size(); ++i) {
    const bool is_receiver = static_cast<std::int32_t>(i) == member.receiver;
    if (!is_receiver && member.dyn_parameters[i] == nullptr) {
      refuse(Code::Dyn, at, name + " takes another Self, which is unknown behind a dyn.");
    }
    parameter_types_.push_back(is_receiver ? nullptr : member.dyn_parameters[i]);
  }
  node.arguments = lend_arguments(mark, {}, arguments, at, writes);
  parameter_types_.resize(mark);
  return &node;
}

Node BodyChecker::call_value(Local& local, std::vector<Operand>& arguments, Position at) {
  if (on_device()) refuse(Code::Placement, at, "Device code cannot call through a function value.");
  Node place = local_place(local, at);
  const Type* type = place->type;
  require_count(type->parameters.size(), arguments.size(), checker_.text(local.name), at);
  auto& node = make<checked::CallValueExpr>(ExprKind::CallValue, type->result, at);
  node.borrowed = local.type->is_borrowed_callable();
  touch(place, Touch::Read, at);
  if (node.borrowed) {
    node.callee = place;
  } else {
    auto& load = make<checked::LoadExpr>(ExprKind::Load, type, at);
    load.place = place;
    node.callee = &load;
  }
  const std::size_t mark = parameter_types_.size();
  parameter_types_.insert(parameter_types_.end(), type->parameters.begin(), type->parameters.end());
  node.arguments = lend_arguments(mark, {}, arguments, at);
  parameter_types_.resize(mark);
  return &node;
}

}  // namespace cairn
