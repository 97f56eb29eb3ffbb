// What can be audited (reference algorithms, 17.1): the forms, and a function's parameters in their roles.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/frontend.hpp"
#include "runtime/reference/array.hpp"

namespace cairn::audit {

enum class Form : std::uint8_t { Matmul, Attention, AttentionBackward };

/// A view that plays a part in the operation.
struct Role {
  std::string_view name;  // "logsumexp"
  bool written = false;   // an output: rw
  bool required = true;
  bool may_be_boolean = false;
  bool wide = false;  // f32 or f64 alone
};

struct FormRow {
  Form form;
  std::string_view name;
  std::span<const std::string_view> sizes;
  std::span<const std::size_t> defaults;  // of the sizes
  std::span<const Role> views;            // operands first, in the order they are generated
};
[[nodiscard]] const FormRow& row_of(Form form);
[[nodiscard]] std::span<const FormRow> forms();

/// One problem of a form: what the operands are, without their elements.
struct Problem {
  Form form = Form::Matmul;
  std::map<std::string, std::size_t, std::less<>> sizes;
  bool onto = false;
  bool causal = false;
  std::optional<double> scale;

  [[nodiscard]] std::size_t size(std::string_view name) const { return sizes.find(name)->second; }
  /// The shape of a role's array; SIZE_MAX elements when it cannot be counted.
  [[nodiscard]] reference::Shape shape(std::string_view role) const;
};

/// A function's parameters in their roles.
struct Binding {
  enum class Kind : std::uint8_t { Size, Length, Scale, View };
  struct Parameter {
    Kind kind = Kind::View;
    std::string role;                         // of a size or view; of a length: the view it is the extent of
    std::optional<reference::Format> format;  // of a view or a scale; none: bool
    std::optional<std::size_t> literal;       // a view's extent when it is a number
    std::string extent;                       // of a view: its extent's parameter
    bool device = false;
  };
  const checked::Function* function = nullptr;
  Form form = Form::Matmul;
  std::vector<std::string> names;
  std::vector<Parameter> parameters;

  [[nodiscard]] const Parameter* view(std::string_view role) const;
  [[nodiscard]] bool has_size(std::string_view role) const;
};

/// `roles` is what --role says: role to parameter. The refusal is E-AUDIT at the function, or says that a role or
/// parameter does not exist.
[[nodiscard]] std::expected<Binding, Diagnostic> bind(const checked::Function& function, const NameTable& names,
                                                      std::optional<Form> form,
                                                      const std::map<std::string, std::string>& roles);

/// The function of that name; null when the program has no such ordinary function.
[[nodiscard]] const checked::Function* function_named(const Compilation& compilation, std::string_view name);

}  // namespace cairn::audit
