// Signatures: parameters, results, externs (syntax and values, 1.10.1; memory, 5.1; abstractions, 14.1 and 14.2).
#include <algorithm>
#include <string>

#include "frontend/check/checker.hpp"
#include "frontend/check/keys.hpp"

namespace cairn {

namespace {

constexpr std::uint64_t kLaunchWarp = 32;
constexpr std::uint64_t kLaunchMost = 1024;

bool is_cpp_identifier(std::string_view symbol) {
  return !symbol.empty() && symbol.find_first_of("$.@") == std::string_view::npos;
}

std::string shown_signature(const checked::Function& function) {
  std::string shown = "(";
  for (std::size_t i = 0; i < function.parameters.size(); ++i)
    shown.append(i == 0 ? "" : ", ").append(function.parameters[i]->type->name);
  shown += ')';
  if (!function.result->is(TypeKind::Void)) shown.append(" -> ").append(function.result->name);
  return shown;
}

}  // namespace

const Type* Checker::resolve_parameter(const syntax::Signature& signature, std::size_t index, const Scope& scope,
                                       Position use, bool is_extern) {
  const syntax::Parameter& parameter = signature.parameters[index];
  const syntax::TypeExpr& written = *parameter.type;
  Name extent;
  if (written.kind == syntax::TypeKind::Borrow && written.has_extent && written.extent_is_name) {
    for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
      if (signature.parameters[k].name.name != written.extent_name.name) continue;
      const syntax::TypeExpr& type = *signature.parameters[k].type;
      const bool names_usize = type.kind == syntax::TypeKind::Named && type.arguments.empty() &&
                               type.path.segments.size() == 1 &&
                               types().scalar_named(type.path.last()) == types().usize();
      if (!names_usize || (k >= index && !is_extern)) {
        refuse(Code::Extent, use,
               "The extent " + quoted(text(written.extent_name.name)) + " of " + quoted(text(parameter.name.name)) +
                   (names_usize ? " is a later parameter." : " is no usize parameter passed by value."));
      }
      extent = written.extent_name.name;
      break;
    }
  }
  const Type* type =
      extent ? resolve_type(written, scope, use, std::span(&extent, 1)) : resolve_type(written, scope, use);
  if (type->is(TypeKind::Void))
    refuse(Code::Param, use, "Parameter " + quoted(text(parameter.name.name)) + " is void.");
  const Type* value = value_type(type);
  if (is_pinned(value)) {
    const bool borrowed = type != value;
    if (!borrowed || value->is(TypeKind::Ticket) || value->is(TypeKind::Group)) {
      refuse(Code::Pinned, use,
             "Parameter " + quoted(text(parameter.name.name)) + " is a " + std::string(type->name) +
                 (borrowed ? ", whose lease would end in the callee." : ", which never moves: borrow it."));
    }
  }
  return type;
}

const Type* Checker::resolve_result(const syntax::Signature& signature, const Scope& scope, Position use) {
  if (signature.result == nullptr) return types().void_type();
  if (signature.result->kind == syntax::TypeKind::Borrow)
    refuse(Code::Escape, use, "A function returns a value, never a borrow.");
  const Type* result = resolve_type(*signature.result, scope, use);
  if (is_pinned(result))
    refuse(Code::Pinned, use, "A " + std::string(result->name) + " never moves, so no function returns one.");
  return result;
}

void Checker::make_signature(checked::Function& function, const FunctionInfo& info, const Scope& scope) {
  const syntax::Signature& signature = *info.signature;
  const Position at = info.declaration->position;
  const std::size_t count = signature.parameters.size();
  auto* parameters = static_cast<checked::Local**>(arena().allocate(count * sizeof(checked::Local*), alignof(void*)));
  function.locals.reserve(count + 4);
  for (std::size_t i = 0; i < count; ++i) {
    const syntax::Identifier name = signature.parameters[i].name;
    const bool named = text(name.name) != "_";
    for (std::size_t k = 0; named && k < i; ++k) {
      if (signature.parameters[k].name.name == name.name)
        refuse(Code::Param, at, "Two parameters are called " + quoted(text(name.name)) + ".");
    }
    if (named && !scope.parameters.empty()) {
      const StaticArgument* bound = scope.find(name.name);
      if (bound != nullptr && bound->type == nullptr)
        refuse(Code::Duplicate, at, quoted(text(name.name)) + " is a natural parameter and a parameter.");
    }
    auto* local = arena().make<checked::Local>();
    local->name = named ? name.name : Name{};
    local->type = resolve_parameter(signature, i, scope, at, info.is_extern());
    local->kind = checked::LocalKind::Parameter;
    local->index = static_cast<std::uint32_t>(i);
    local->owner = &function;
    local->position = name.position;
    parameters[i] = local;
    function.locals.push_back(local);
  }
  function.parameters = std::span<checked::Local* const>(parameters, count);
  for (std::size_t i = 0; i < count; ++i) {
    if (info.extent_of[i] >= 0) parameters[i]->extent = parameters[info.extent_of[i]];
  }
  function.result = resolve_result(signature, scope, at);
}

// ------------------------------------------------------------------------------------------------------------------
// externs

void Checker::hold_launch(const checked::Function& function, const syntax::ExternDecl& declaration) {
  const Position at = declaration.position;
  if (!function.result->is(TypeKind::Void)) refuse(Code::Launch, at, "A launched kernel has no result.");
  const syntax::Natural& block = declaration.launch_block;
  if (!block.fits || block.value < kLaunchWarp || block.value > kLaunchMost || block.value % kLaunchWarp != 0)
    refuse(Code::Launch, at,
           "A launch's block is a multiple of 32 from 32 to 1024, not " + std::string(block.digits) + ".");
  if (declaration.launch_is_name) {
    const bool known = std::ranges::any_of(function.parameters, [&](const checked::Local* parameter) {
      return parameter->name == declaration.launch_name.name && parameter->type->is(TypeKind::Usize);
    });
    if (!known) {
      refuse(Code::Launch, at,
             "A launch's threads are a literal or a usize parameter, and " +
                 quoted(text(declaration.launch_name.name)) + " is neither.");
    }
  }
  for (const checked::Local* parameter : function.parameters) {
    if (!parameter->type->is_scalar() && !parameter->type->is(TypeKind::View)) {
      refuse(Code::Launch, at,
             "A launched kernel takes scalars and views, and " + quoted(text(parameter->name)) + " is a " +
                 std::string(parameter->type->name) + ".");
    }
  }
  if (!is_cpp_identifier(function.symbol))
    refuse(Code::Launch, at,
           "The symbol of a launched kernel is a C++ identifier, and " + quoted(function.symbol) + " is none.");
  for (const checked::Local* parameter : function.parameters) {
    const Type* type = parameter->type;
    if (type->is(TypeKind::View) && type->placement != Placement::Device && type->placement != Placement::Unified) {
      refuse(Code::Placement, at,
             "A launched kernel reads device or unified memory, and " + quoted(text(parameter->name)) + " is a " +
                 std::string(type->name) + ".");
    }
  }
}

void Checker::hold_extern(const checked::Function& function, const syntax::ExternDecl& declaration) {
  if (!declaration.signature.ceiling.present) {
    refuse(Code::ExternEffects, declaration.position,
           "The extern " + std::string(function.name) + " states no effects: write effects(...) or pure.");
  }
  if (declaration.has_launch) hold_launch(function, declaration);
  const auto [known, fresh] = symbols_.insert(std::uint64_t{names().intern(function.symbol).id} + 1);
  if (fresh) {
    *known = &function;
    return;
  }
  const checked::Function& first = **known;
  const bool agree = first.result == function.result && first.parameters.size() == function.parameters.size() &&
                     std::ranges::equal(first.parameters, function.parameters, [](const auto* a, const auto* b) {
                       if (!a->type->is(TypeKind::View) || !b->type->is(TypeKind::View)) return a->type == b->type;
                       // C sees a pointer; what the extents are called is each declaration's own affair.
                       return a->type->mode == b->type->mode && a->type->element == b->type->element &&
                              a->type->placement == b->type->placement;
                     });
  if (!agree) {
    refuse(Code::Mangle, declaration.position,
           std::string(function.name) + " and " + std::string(first.name) + " are both the symbol " +
               quoted(function.symbol) + ", as " + shown_signature(function) + " and as " + shown_signature(first) +
               ".");
  }
}

}  // namespace cairn
