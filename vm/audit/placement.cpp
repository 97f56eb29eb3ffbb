#include "vm/audit/placement.hpp"

#include <algorithm>

namespace cairn::audit {

std::string host_function(const Binding& binding, const std::string& name) {
  const auto placed = [&](std::size_t at) {  // a name that no parameter has
    std::string made = binding.names[at] + "_placed";
    while (std::ranges::find(binding.names, made) != binding.names.end()) made += "_";
    return made;
  };
  std::string parameters;
  std::string before;
  std::string arguments;
  std::string behind;
  const auto append = [](std::string& list, const std::string& one) { list += (list.empty() ? "" : ", ") + one; };
  for (std::size_t at = 0; at < binding.parameters.size(); ++at) {
    const Binding::Parameter& each = binding.parameters[at];
    const std::string& own = binding.names[at];
    const Type& type = *binding.function->parameters[at]->type;
    if (each.kind != Binding::Kind::View) {
      append(parameters, own + ":" + std::string(type.name));
      const bool is_extent = std::ranges::find(binding.parameters, own, &Binding::Parameter::extent) !=
                             binding.parameters.end();  // what a view's length tells is no argument
      if (!is_extent) append(arguments, own);
      continue;
    }
    const bool written = type.mode == BorrowMode::Rw;
    const std::string element(type.element->name);
    const std::string extent = each.literal ? std::to_string(*each.literal) : each.extent;
    append(parameters, own + ":" + (written ? "rw<" : "ro<") + element + ">[" + extent + "]");
    if (!each.device) {
      append(arguments, own);
      continue;
    }
    const std::string there = placed(at);
    const std::string where = type.placement == Placement::Unified ? "@unified" : "@device";
    before += "  buffer " + there + ":" + element + "[" + extent + "]" + where + " = zeroed;\n  transfer(" + there +
              ", " + own + ");\n";
    append(arguments, there);
    if (written) behind += "  transfer(" + own + ", " + there + ");\n";
  }
  const std::string function(binding.function->name);
  const std::string call = function.substr(function.rfind('.') + 1) + "(" + arguments + ");\n";
  return "\nfn " + name + "(" + parameters + ") {\n" + before + "  " +
         (binding.function->result->is(TypeKind::Void) ? "" : "let _ = ") + call + behind + "}\n";
}

}  // namespace cairn::audit
