// Frames, scopes and locals of a body.
#include "frontend/check/body.hpp"

#include "frontend/check/body_checker.hpp"
#include "frontend/diagnostics/fixes.hpp"

namespace cairn {

using checked::Local;
using checked::LocalKind;

void check_body(Checker& checker, checked::Function& function, const Scope& scope) {
  BodyChecker(checker, function, scope).run();
}

BodyShared& Checker::body_shared() {
  if (body_shared_ == nullptr) body_shared_ = std::make_shared<BodyShared>(names());
  return *body_shared_;
}

BodyChecker::BodyChecker(Checker& checker, checked::Function& function, const Scope& scope)
    : checker_(checker),
      root_(function),
      scope_(scope),
      shared_(checker.body_shared()),
      stack_marks_(shared_.stacks.marks()),
      statements_(shared_.stacks.statements),
      chain_(shared_.stacks.chain),
      parameter_types_(shared_.stacks.parameter_types),
      made_(shared_.stacks.made),
      lent_(shared_.stacks.lent) {}

void BodyChecker::run() {
  Frame frame;
  frame.function = &root_;
  frame.result = root_.result;
  frame_ = &frame;
  const bool is_kernel = root_.kind == checked::FunctionKind::Kernel;
  if (is_kernel) {
    ++device_depth_;
    require_device_parameters();
  }
  enter_parameters(root_);
  const syntax::Decl& declaration = *root_.declaration;
  const syntax::Block& body = declaration.kind == syntax::DeclKind::Test ? *declaration.as<syntax::TestDecl>().body
                                                                         : *declaration.as<syntax::FunctionDecl>().body;
  root_.body = function_body(body, root_.position);
  if (is_kernel) require_lane_effects(root_, true, root_.position);
}

/// E-PLACEMENT at a kernel fn that is lent host memory.
void BodyChecker::require_device_parameters() {
  for (const Local* parameter : root_.parameters) {
    const Type* type = parameter->type;
    const Type* held = type->is(TypeKind::Borrow) ? type->element : type;
    const bool is_device_view = type->placement == Placement::Device || type->placement == Placement::Unified;
    const bool is_host = held->is(TypeKind::View) ? !is_device_view : !held->is_copy();
    if (!is_host) continue;
    refuse(Code::Placement, root_.position,
           "A kernel fn runs on the device, and " + quoted(parameter->name) + " is " + std::string(type->name) +
               ", which is host memory: take a @device or @unified view.");
  }
}

void BodyChecker::enter_parameters(checked::Function& function) {
  if (function.locals.empty()) function.locals.assign(function.parameters.begin(), function.parameters.end());
  for (Local* parameter : function.parameters) {
    if (parameter->type->is(TypeKind::View) && parameter->type->extent.kind == Extent::Kind::Symbol) {
      parameter->extent = find_local(parameter->type->extent.symbol);
    }
    bring_into_scope(parameter);
  }
}

const checked::Block* BodyChecker::function_body(const syntax::Block& body, Position function) {
  Flow flow = Flow::Falls;
  const checked::Block* made = block(body, flow);
  if (flow == Flow::Falls && !frame_->result->is(TypeKind::Void)) {
    refuse(Code::Return, function,
           "A path reaches the end without returning a " + std::string(frame_->result->name) + ".");
  }
  return made;
}

Local* BodyChecker::new_local(Name name, const Type* type, LocalKind kind, bool is_mutable, Position at) {
  Local* local = checker_.arena().make<Local>();
  local->name = is_blank(name) ? Name{} : name;
  local->type = type;
  local->kind = kind;
  local->is_mutable = is_mutable;
  local->owner = frame_->function;
  local->position = at;
  local->index = static_cast<std::uint32_t>(frame_->function->locals.size());
  frame_->function->locals.push_back(local);
  return local;
}

void BodyChecker::bring_into_scope(Local* local) {
  if (!local->type->is_copy()) {
    local->slot = next_slot_++;
    owners_.resize(local->slot);
    owners_.push_back(local);
    if (local->type->ownership == Ownership::Linear) linear_.push_back(local);
  }
  if (local->name && !is_blank(local->name)) visible_.push_back(local);
}

void BodyChecker::require_fresh(Name name, Position at) {
  if (!is_blank(name) && find_local(name) != nullptr) {
    refuse(Code::Shadow, at, quoted(name) + " is already the name of a local in scope; nothing may hide it.");
  }
}

Local* BodyChecker::declare(Name name, const Type* type, LocalKind kind, bool is_mutable, Position at) {
  require_fresh(name, at);
  Local* local = new_local(name, type, kind, is_mutable, at);
  bring_into_scope(local);
  return local;
}

std::string BodyChecker::quoted(Name name) const { return "`" + std::string(checker_.text(name)) + "`"; }

void BodyChecker::refuse_unbound(Name name, Position at) {
  if (is_blank(name)) {
    refuse(Diagnostic{
        Code::Unbound, "`_` binds nothing, so it cannot be read.", at, "Give the value a name.", {}, {}, {}});
  }
  std::string message = "Nothing in scope is called " + quoted(name) + ".";
  const auto sums = checker_.sums_with_variant(name, scope_.module);
  if (!sums.empty()) {
    message = "Nothing here expects " + sums.front() + ", so its variant " + quoted(name) + " must be written " +
              sums.front() + "." + std::string(checker_.text(name)) + ".";
  } else if (const Symbol symbol = checker_.peek({&name, 1}, scope_.module, kWantAny)) {
    message = quoted(name) + (symbol.is_function() ? " is a function, and nothing here expects a function value."
                                                   : " is a declaration, not a value.");
  }
  if (!checker_.may_be_listed(at)) refuse(Code::Unbound, at, std::move(message));
  std::vector<std::string> available = checker_.visible_names(scope_.module, kWantConst | kWantFunction);
  visible_.for_each([&](const Local& local) { available.emplace_back(checker_.text(local.name)); });
  for (const Name parameter : scope_.parameters) available.emplace_back(checker_.text(parameter));
  const std::vector<std::string_view> candidates(available.begin(), available.end());
  refuse(Diagnostic{Code::Unbound, std::move(message), at, did_you_mean(checker_.text(name), candidates), {}, {}, {}}
             .detail("available_names", std::move(available)));
}

void BodyChecker::refuse_mismatch(const Type* expected, const Type* actual, Position at) {
  refuse_mismatch(expected->name, actual->name, at);
}

void BodyChecker::refuse_mismatch(std::string_view expected, std::string_view actual, Position at) {
  std::string message = std::string(expected) + " is expected here and this is " + std::string(actual) + ".";
  refuse(Diagnostic{Code::TypeMismatch, std::move(message), at, {}, {}, {}, {}}
             .detail("expected_type", std::string(expected))
             .detail("actual_type", std::string(actual)));
}

}  // namespace cairn
