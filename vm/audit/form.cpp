#include "vm/audit/form.hpp"

#include <algorithm>
#include <array>

#include "frontend/check/program.hpp"
#include "frontend/check/types.hpp"
#include "frontend/project/manifest.hpp"

namespace cairn::audit {

namespace {

constexpr std::array<std::string_view, 3> kMatmulSizes = {"m", "n", "k"};
constexpr std::array<std::size_t, 3> kMatmulDefaults = {16, 16, 16};
constexpr std::array<std::string_view, 7> kAttentionSizes = {"batch", "query_heads", "key_heads",  "queries",
                                                             "keys",  "width",       "value_width"};
constexpr std::array<std::size_t, 7> kAttentionDefaults = {1, 2, 2, 8, 8, 8, 8};

constexpr Role kMatmulViews[] = {{"a"}, {"b"}, {"c", true}};
constexpr Role kAttentionViews[] = {{"query"},     {"key"},
                                    {"value"},     {"mask", false, false, true},
                                    {"out", true}, {"logsumexp", true, false, false, true}};
constexpr Role kBackwardViews[] = {{"query"},
                                   {"key"},
                                   {"value"},
                                   {"grad"},
                                   {"mask", false, false, true},
                                   {"out", false, false},
                                   {"logsumexp", false, false, false, true},
                                   {"grad_query", true, false},
                                   {"grad_key", true, false},
                                   {"grad_value", true, false}};

constexpr FormRow kForms[] = {
    {Form::Matmul, "matmul", kMatmulSizes, kMatmulDefaults, kMatmulViews},
    {Form::AttentionBackward, "attention-backward", kAttentionSizes, kAttentionDefaults, kBackwardViews},
    {Form::Attention, "attention", kAttentionSizes, kAttentionDefaults, kAttentionViews},
};

std::optional<reference::Format> format_of(const Type& type) {
  switch (type.kind) {
    case TypeKind::F16:
      return reference::Format::F16;
    case TypeKind::BF16:
      return reference::Format::Bf16;
    case TypeKind::F8E4M3:
      return reference::Format::F8E4M3;
    case TypeKind::F8E5M2:
      return reference::Format::F8E5M2;
    case TypeKind::F32:
      return reference::Format::F32;
    case TypeKind::F64:
      return reference::Format::F64;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::span<const FormRow> forms() { return kForms; }

const FormRow& row_of(Form form) { return *std::ranges::find(kForms, form, &FormRow::form); }

reference::Shape Problem::shape(std::string_view role) const {
  const auto at = [&](std::string_view name) { return size(name); };
  if (role == "a") return {at("m"), at("k")};
  if (role == "b") return {at("k"), at("n")};
  if (role == "c" || role == "old") return {at("m"), at("n")};
  if (role == "key" || role == "grad_key") return {at("batch"), at("key_heads"), at("keys"), at("width")};
  if (role == "value" || role == "grad_value") return {at("batch"), at("key_heads"), at("keys"), at("value_width")};
  if (role == "query" || role == "grad_query") return {at("batch"), at("query_heads"), at("queries"), at("width")};
  if (role == "logsumexp") return {at("batch"), at("query_heads"), at("queries")};
  if (role == "mask") return {at("batch"), at("query_heads"), at("queries"), at("keys")};
  return {at("batch"), at("query_heads"), at("queries"), at("value_width")};
}

const Binding::Parameter* Binding::view(std::string_view role) const {
  const auto found = std::ranges::find_if(
      parameters, [&](const Parameter& each) { return each.kind == Kind::View && each.role == role; });
  return found == parameters.end() ? nullptr : &*found;
}

bool Binding::has_size(std::string_view role) const {
  return std::ranges::any_of(parameters,
                             [&](const Parameter& each) { return each.kind == Kind::Size && each.role == role; });
}

const checked::Function* function_named(const Compilation& compilation, std::string_view name) {
  const auto& functions = compilation.program.functions;
  const auto found = std::ranges::find_if(functions, [&](const auto& each) {
    return each->name == name && each->kind == checked::FunctionKind::Function && each->arguments.empty() &&
           each->self == nullptr && !each->library;
  });
  return found == functions.end() ? nullptr : found->get();
}

namespace {

class Binder {
 public:
  Binder(const checked::Function& function, const NameTable& names, const FormRow& form,
         const std::map<std::string, std::string>& roles)
      : function_(function), form_(form), roles_(roles) {
    made_.function = &function;
    made_.form = form.form;
    for (const checked::Local* parameter : function.parameters) {
      const std::string name(names.text(parameter->name));
      made_.names.push_back(name);
      if (parameter->type->is(TypeKind::View) && parameter->type->extent.kind == Extent::Kind::Symbol) {
        extents_.emplace(names.text(parameter->type->extent.symbol), name);
      }
    }
    names_ = &names;
  }

  std::expected<Binding, Diagnostic> run() {
    for (const auto& [role, parameter] : roles_) {
      if (!is_role(role))
        return std::unexpected(no_verdict("--role: the form " + form() + " has no role " + role + "."));
      if (std::ranges::find(made_.names, parameter) == made_.names.end()) {
        return std::unexpected(no_verdict("--role: " + shown() + " has no parameter " + parameter + "."));
      }
    }
    for (std::size_t at = 0; at < made_.names.size(); ++at) {
      auto bound = parameter(at);
      if (!bound) return std::unexpected(std::move(bound.error()));
      made_.parameters.push_back(std::move(*bound));
    }
    for (const Role& role : form_.views) {
      if (role.required && made_.view(role.name) == nullptr) {
        return refused("The form " + form() + " needs a view " + std::string(role.name) + ", and " + shown() +
                       " has no parameter for it.");
      }
    }
    if (form_.form == Form::AttentionBackward) {
      if ((made_.view("out") == nullptr) != (made_.view("logsumexp") == nullptr)) {
        return refused("out and logsumexp of an attention-backward come together.");
      }
      const bool writes = made_.view("grad_query") != nullptr || made_.view("grad_key") != nullptr ||
                          made_.view("grad_value") != nullptr;
      if (!writes) {
        return refused("The form attention-backward needs grad_query, grad_key or grad_value to write, and " + shown() +
                       " has none.");
      }
    }
    if (!function_.result->is(TypeKind::Void) && !function_.result->is_scalar()) {
      return refused(shown() + " returns something else than a scalar.");
    }
    return std::move(made_);
  }

 private:
  [[nodiscard]] std::string shown() const { return std::string(function_.name); }
  [[nodiscard]] std::string form() const { return std::string(form_.name); }

  [[nodiscard]] std::unexpected<Diagnostic> refused(std::string why) const {
    Diagnostic diagnostic;
    diagnostic.code = Code::Audit;
    diagnostic.message = std::move(why);
    diagnostic.position = function_.position;
    return std::unexpected(std::move(diagnostic));
  }

  [[nodiscard]] bool is_size(std::string_view role) const {
    return std::ranges::find(form_.sizes, role) != form_.sizes.end();
  }
  [[nodiscard]] const Role* view_role(std::string_view role) const {
    const auto found = std::ranges::find(form_.views, role, &Role::name);
    return found == form_.views.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool is_role(std::string_view role) const {
    return is_size(role) || view_role(role) != nullptr || (role == "scale" && form_.form != Form::Matmul);
  }

  /// What --role says, else the parameter's own name unless another parameter was given that role.
  [[nodiscard]] std::string role_of(const std::string& parameter) const {
    for (const auto& [role, name] : roles_) {
      if (name == parameter) return role;
    }
    return roles_.contains(parameter) ? std::string() : parameter;
  }

  std::expected<Binding::Parameter, Diagnostic> parameter(std::size_t at) const {
    const std::string& name = made_.names[at];
    const Type& type = *function_.parameters[at]->type;
    const std::string role = role_of(name);
    Binding::Parameter made;
    made.role = role;
    if (is_size(role)) {
      made.kind = Binding::Kind::Size;
      if (type.is(TypeKind::Usize)) return made;
      return refused(name + " has the role " + role + ", which is a usize, and is " + std::string(type.name) + ".");
    }
    if (role == "scale" && form_.form != Form::Matmul) {
      made.kind = Binding::Kind::Scale;
      made.format = format_of(type);
      if (type.is(TypeKind::F32) || type.is(TypeKind::F64)) return made;
      return refused(name + " has the role scale, which is an f32 or f64, and is " + std::string(type.name) + ".");
    }
    if (const Role* view = view_role(role)) return as_view(*view, name, type, std::move(made));
    if (type.is(TypeKind::Usize)) {
      if (const auto found = extents_.find(name); found != extents_.end()) {
        made.kind = Binding::Kind::Length;
        made.role = found->second;
        return made;
      }
    }
    return refused(name + " plays no role of the form " + form() + "; --role ROLE=" + name + " gives it one.");
  }

  std::expected<Binding::Parameter, Diagnostic> as_view(const Role& role, const std::string& name, const Type& type,
                                                        Binding::Parameter made) const {
    const std::string what = name + " has the role " + std::string(role.name);
    if (!type.is(TypeKind::View)) return refused(what + ", which is a view, and is " + std::string(type.name) + ".");
    if ((type.mode == BorrowMode::Rw) != role.written) {
      return refused(what + ", which is " + (role.written ? "written (rw)" : "only read (ro)") + ", and is " +
                     std::string(type.name) + ".");
    }
    made.format = format_of(*type.element);
    const bool boolean = role.may_be_boolean && type.element->is(TypeKind::Bool);
    const bool wide = made.format == reference::Format::F32 || made.format == reference::Format::F64;
    if (!boolean && (!made.format || (role.wide && !wide))) {
      return refused(what + ", whose elements are " + (role.wide ? "f32 or f64" : "floats") + ", and is " +
                     std::string(type.name) + ".");
    }
    if (type.extent.kind == Extent::Kind::Literal) made.literal = type.extent.literal;
    if (type.extent.kind == Extent::Kind::Symbol) made.extent = names_->text(type.extent.symbol);
    made.device = type.placement != Placement::Host;
    return made;
  }

  const checked::Function& function_;
  const FormRow& form_;
  const std::map<std::string, std::string>& roles_;
  const NameTable* names_ = nullptr;
  std::map<std::string, std::string> extents_;  // an extent's name to a view's
  Binding made_;
};

/// The form whose required views all have a parameter; the first that fits.
const FormRow* form_of(const checked::Function& function, const NameTable& names,
                       const std::map<std::string, std::string>& roles) {
  const auto has = [&](std::string_view role) {
    return roles.contains(std::string(role)) ||
           std::ranges::any_of(function.parameters,
                               [&](const checked::Local* each) { return names.text(each->name) == role; });
  };
  for (const FormRow& form : kForms) {
    if (std::ranges::all_of(form.views, [&](const Role& role) { return !role.required || has(role.name); }))
      return &form;
  }
  return nullptr;
}

}  // namespace

std::expected<Binding, Diagnostic> bind(const checked::Function& function, const NameTable& names,
                                        std::optional<Form> form, const std::map<std::string, std::string>& roles) {
  const FormRow* row = form ? &row_of(*form) : form_of(function, names, roles);
  if (row == nullptr) {
    Diagnostic diagnostic;
    diagnostic.code = Code::Audit;
    diagnostic.message = std::string(function.name) +
                         " has the views of no form: a matmul needs a, b and c; attention query, key, value and out; "
                         "attention-backward query, key, value, grad and a gradient to write.";
    diagnostic.position = function.position;
    return std::unexpected(std::move(diagnostic));
  }
  return Binder(function, names, *row, roles).run();
}

}  // namespace cairn::audit
