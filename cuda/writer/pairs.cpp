// The natives of std.pair as calls of runtime/semantics/pair: a native's name is its function's, with the level and the
// limb after it ("pair.mul_high.f32"), and its signature says how the operands lie.
#include <algorithm>
#include <array>

#include "cuda/writer/function_writer.hpp"

namespace cairn::cuda::writer {

namespace {

/// Kernels that come at three levels; the plain name is the middle one (pair floats, 2.4).
constexpr std::array<std::string_view, 13> kLevelled{"add",      "sub",      "mul",      "div",      "sqr",
                                                     "fma",      "mad",      "add_limb", "sub_limb", "rsub_limb",
                                                     "mul_limb", "div_limb", "rdiv_limb"};
/// Functions of the limb alone: constants, and values made of an integer.
constexpr std::array<std::string_view, 20> kOfLimb{"digits",   "epsilon", "max_value", "min_normal", "min_subnormal",
                                                   "infinity", "nan",     "pi",        "tau",        "half_pi",
                                                   "inv_pi",   "e",       "ln2",       "ln10",       "log2_e",
                                                   "log10_e",  "sqrt2",   "egamma",    "icdf_u32",   "icdf_u64"};
/// Texts are the host's, and so are the counters of std.pair.stat.
constexpr std::array<std::string_view, 5> kHostOnly{"write_decimal", "read_decimal", "count", "counts", "reset"};

/// The function a native stands for, as C++ spells it.
std::string function_of(std::string_view name, std::string_view limb) {
  std::string level = "Mid";
  std::string_view plain = name;
  if (name.ends_with("_low") || name.ends_with("_high")) {
    const bool is_low = name.ends_with("_low");
    plain.remove_suffix(is_low ? 4 : 5);
    level = is_low ? "Low" : "High";
  }
  if (std::ranges::find(kLevelled, plain) != kLevelled.end()) return cat("pair::", plain, "<pair::Level::", level, ">");
  if (std::ranges::find(kOfLimb, name) != kOfLimb.end()) {
    return cat("pair::", name == "nan" ? "nan_value" : name, "<", limb, ">");
  }
  return cat("pair::", name);
}

}  // namespace

bool FunctionWriter::write_pair(std::string_view name, std::uint32_t window, const bytecode::Signature& signature) {
  if (!name.starts_with("pair.")) return false;
  name.remove_prefix(5);
  std::string_view plain = name.substr(0, name.find('.'));
  if (std::ranges::find(kHostOnly, plain) != kHostOnly.end()) return false;
  unit_.need("pairs");

  std::string_view limb = "float";
  std::string function;
  if (plain == "to_int") {  // to_int.INTEGER.LIMB
    limb = name.ends_with(".f64") ? "double" : "float";
  } else if (plain == "from_int") {  // from_int.LIMB.INTEGER
    limb = name.starts_with("from_int.f64") ? "double" : "float";
    function = cat("pair::from_int<", limb, ">");
  } else if (plain != name) {
    limb = name.ends_with(".f64") ? "double" : "float";
  }
  if (function.empty()) function = function_of(plain, limb);

  std::string arguments;
  std::uint32_t slot = window;
  for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
    const bytecode::RegisterType& parameter = signature.parameters[k];
    const bool is_result = k == 0 && signature.result_reference;
    std::string argument;
    if (!is_result && (parameter.kind == RegisterKind::Ref || parameter.kind == RegisterKind::View)) {
      const bytecode::Type& type = module_.types[parameter.type];
      const std::string element = type.kind == bytecode::TypeKind::Record
                                      ? cat("pair::Pair<", type.size == 16 ? "double" : "float", ">")
                                      : std::string(type_of(bytecode::register_kind(type.scalar)));
      argument = cat(parameter.kind == RegisterKind::Ref ? "record<" : "elements<", element, ">(", pointer(slot), ")");
    } else if (!is_result) {
      argument = value(slot, parameter.kind);
    }
    if (!is_result) arguments += cat(arguments.empty() ? "" : ", ", argument);
    slot += parameter.slots();
  }
  if (plain == "to_int") {
    const RegisterKind kind = signature.result.kind;
    line(cat(
        "{ ", type_of(kind), " out; if (!pair::to_int<", type_of(kind), ">(", arguments, ", out)) ",
        fail_call(TrapKind::Conversion, "the pair is no finite number, or the integer type does not hold it", {"0ULL"}),
        ";"));
    assign(window, kind, "out");
    line("}");
    return true;
  }
  const std::string call = cat(function, "(", arguments, ")");
  if (signature.result_reference) {
    line(cat("keep_record(", pointer(window), ", ", call, ");"));
  } else if (signature.result.kind == RegisterKind::None) {
    line(cat(call, ";"));
  } else {
    assign(window, signature.result.kind, cat("static_cast<", type_of(signature.result.kind), ">(", call, ")"));
  }
  return true;
}

}  // namespace cairn::cuda::writer
