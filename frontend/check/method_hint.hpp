// What to write where a builtin or an operator does not take a record: the method of that meaning its home module has.
#pragma once

#include <string>
#include <string_view>

#include "frontend/check/checker.hpp"

namespace cairn {

/// Whether `x.name(..)` is a function of the home of x's type that this module may call.
inline bool has_method(Checker& checker, std::string_view name, const Type* type, Name module, Position at) {
  const Type* value = value_type(type);
  if (!value->is(TypeKind::Record)) return false;
  const FunctionInfo* method = checker.method(checker.names().intern(name), value, module, at);
  return method != nullptr && !method->signature->parameters.empty();
}

/// " Call the method: x.add(y)." where there is one; else nothing.
inline std::string method_hint(Checker& checker, std::string_view name, std::string_view arguments, const Type* type,
                               Name module, Position at) {
  if (name.empty() || !has_method(checker, name, type, module, at)) return {};
  return " Call the method: x." + std::string(name) + "(" + std::string(arguments) + ").";
}

}  // namespace cairn
