// Arithmetic, comparisons, conversions and atomics: each a call of runtime/semantics, or the operator that C++ has.
#include <array>

#include "cuda/writer/function_writer.hpp"

namespace cairn::cuda::writer {

namespace {

bool is_float(RegisterKind kind) { return kind == RegisterKind::F32 || kind == RegisterKind::F64; }

struct Named {
  std::string_view verb;
  std::string_view text;
};

template <std::size_t size>
std::string_view find(const std::array<Named, size>& rows, std::string_view verb) {
  for (const Named& row : rows) {
    if (row.verb == verb) return row.text;
  }
  return {};
}

constexpr std::array<Named, 5> kChecked{
    {{"add", "add"}, {"sub", "sub"}, {"mul", "mul"}, {"div", "div"}, {"rem", "rem"}}};
constexpr std::array<Named, 3> kWrapping{
    {{"add.wrap", "kernel::add_wrap"}, {"sub.wrap", "sem::sub_wrap"}, {"mul.wrap", "sem::mul_wrap"}}};
constexpr std::array<Named, 4> kFloatOperators{{{"add", "+"}, {"sub", "-"}, {"mul", "*"}, {"div", "/"}}};
constexpr std::array<Named, 6> kFloatFunctions{{{"neg", "neg_float"},
                                                {"abs", "abs_float"},
                                                {"sqrt", "square_root"},
                                                {"floor", "round_down"},
                                                {"ceil", "round_up"},
                                                {"trunc", "round_to_zero"}}};
constexpr std::array<Named, 12> kComparisons{{{"eq", "=="},
                                              {"ne", "!="},
                                              {"lt", "<"},
                                              {"le", "<="},
                                              {"lt.u", "<"},
                                              {"le.u", "<="},
                                              {"gt.u", ">"},
                                              {"ge.u", ">="},
                                              {"lt.s", "<"},
                                              {"le.s", "<="},
                                              {"gt.s", ">"},
                                              {"ge.s", ">="}}};
constexpr std::array<Named, 3> kBits{{{"and", "&"}, {"or", "|"}, {"xor", "^"}}};
constexpr std::array<Named, 4> kExtremes{{{"min.u", "min"}, {"max.u", "max"}, {"min.s", "min"}, {"max.s", "max"}}};
constexpr std::array<Named, 4> kStorageFormats{
    {{"f16", "F16"}, {"bf16", "BF16"}, {"f8e4m3", "F8E4M3"}, {"f8e5m2", "F8E5M2"}}};

}  // namespace

bool FunctionWriter::write_arithmetic() {
  const std::string_view verb = op_name_.verb;
  const RegisterKind kind = kind_named(op_name_.type);
  const std::string_view type = type_of(kind);
  const auto checked = [&](std::string_view call, TrapKind trap) {
    line(cat("{ ", type, " out; if (!sem::", call, ") ", fail_call(trap, {}, {}), ";"));
    assign(Place::A, kind, "out");
    line("}");
    return true;
  };
  if (is_float(kind)) {
    if (const auto sign = find(kFloatOperators, verb); !sign.empty()) {
      assign(Place::A, kind, cat(value(Place::B, kind), " ", sign, " ", value(Place::C, kind)));
      return true;
    }
    if (const auto name = find(kFloatFunctions, verb); !name.empty()) {
      assign(Place::A, kind, cat("sem::", name, "(", value(Place::B, kind), ")"));
      return true;
    }
    if (verb != "fma") return false;
    assign(Place::A, kind,
           cat("sem::fused(", value(Place::B, kind), ", ", value(Place::C, kind), ", ", value(Place::D, kind), ")"));
    return true;
  }
  if (kind != RegisterKind::None && kind != RegisterKind::Bool) {
    if (const auto name = find(kChecked, verb); !name.empty()) {
      const TrapKind trap = verb == "div" || verb == "rem" ? TrapKind::Division : TrapKind::Overflow;
      return checked(cat(name, "(", value(Place::B, kind), ", ", right(Place::C, kind), ", out)"), trap);
    }
    if (verb == "neg" || verb == "abs") {
      return checked(cat(verb, "(", value(Place::B, kind), ", out)"),
                     verb == "neg" ? TrapKind::Overflow : TrapKind::Abs);
    }
    if (const auto name = find(kWrapping, verb); !name.empty()) {
      assign(Place::A, kind, cat(name, "(", value(Place::B, kind), ", ", right(Place::C, kind), ")"));
      return true;
    }
    if (verb == "shl.wrap" || verb == "shr") {
      const std::string_view name = verb == "shr" ? "shr" : "shl_wrap";
      return checked(cat(name, "(", value(Place::B, kind), ", ", right(Place::C, RegisterKind::U64), ", out)"),
                     TrapKind::Shift);
    }
    return false;
  }
  if (verb == "not") {
    assign(Place::A, RegisterKind::Bool, cat("!", value(Place::B, RegisterKind::Bool)));
    return true;
  }
  const RegisterKind own = is_declared(operand(Place::A)) ? kind_of(operand(Place::A)) : RegisterKind::U64;
  if (const auto sign = find(kBits, verb); !sign.empty()) {
    assign(Place::A, own,
           cat("static_cast<", type_of(own), ">(", value(Place::B, own), " ", sign, " ", right(Place::C, own), ")"));
    return true;
  }
  if (const auto name = find(kExtremes, verb); !name.empty()) {
    // An outgoing slot holds a signed number sign-extended.
    const bool widened = verb.ends_with(".s") && !is_declared(operand(Place::A));
    const RegisterKind wide = widened ? RegisterKind::I64 : own;
    assign(Place::A, wide, cat("sem::", name, "(", value(Place::B, wide), ", ", value(Place::C, wide), ")"));
    return true;
  }
  return false;
}

bool FunctionWriter::write_comparison() {
  const std::string_view sign = find(kComparisons, op_name_.verb);
  if (sign.empty()) return false;
  RegisterKind kind = kind_named(op_name_.type);
  if (kind == RegisterKind::None) {
    const std::uint32_t b = operand(Place::B);
    kind = common_kind(b, op_name_.immediate ? b : operand(Place::C), order_of(op_name_.verb));
  }
  assign(Place::A, RegisterKind::Bool, cat(value(Place::B, kind), " ", sign, " ", right(Place::C, kind)));
  return true;
}

bool FunctionWriter::write_conversion() {
  const std::string_view text = bytecode::info(op_).text;
  if (text.starts_with("quantize.")) {
    const std::string_view target = op_name_.type;
    const std::string_view format = find(kStorageFormats, target);
    const RegisterKind kind = format.empty()       ? kind_named(target)
                              : target.size() <= 4 ? RegisterKind::U16
                                                   : RegisterKind::U8;
    const std::string rounds =
        format.empty() ? cat("IntegerTarget<", type_of(kind), ">") : cat("StorageTarget<sem::", format, ">");
    const bool is_stochastic = op_name_.verb == "quantize.stochastic";
    const std::string noise = is_stochastic ? cat(", ", value(Place::D, RegisterKind::U32)) : "";
    line(cat("{ ", type_of(kind), " out; if (sem::", rounds, is_stochastic ? "::stochastic(" : "::nearest(",
             value(Place::B, RegisterKind::F32), ", ", value(Place::C, RegisterKind::F32), noise,
             ", out) != sem::QuantizeFault::None) ", fail_call(TrapKind::Quantize, {}, {}), ";"));
    assign(Place::A, kind, "out");
    line("}");
    return true;
  }
  if (text.starts_with("bits.") || text.starts_with("from.bits.")) {
    const bool is_wide = text.ends_with("f64");
    const RegisterKind number = is_wide ? RegisterKind::F64 : RegisterKind::F32;
    const RegisterKind bits = is_wide ? RegisterKind::U64 : RegisterKind::U32;
    const bool to_number = text.starts_with("from.");
    const RegisterKind to = to_number ? number : bits;
    assign(Place::A, to, cat("bit_cast<", type_of(to), ">(", value(Place::B, to_number ? bits : number), ")"));
    return true;
  }
  if (!text.starts_with("to.")) return false;
  const std::string_view target = text.substr(3, text.find('.', 3) - 3);
  const std::string_view source = text.substr(text.rfind('.') + 1);
  if (const auto format = find(kStorageFormats, target); !format.empty()) {
    const RegisterKind from = kind_named(source);
    const RegisterKind to = target.size() <= 4 ? RegisterKind::U16 : RegisterKind::U8;
    unit_.need("storage_floats");
    line(cat("{ ", type_of(to), " out; if (!narrow_", target, "(", value(Place::B, from), ", out)) ",
             fail_call(TrapKind::Conversion, {}, {}), ";"));
    assign(Place::A, to, "out");
    line("}");
    return true;
  }
  if (const auto format = find(kStorageFormats, source); !format.empty()) {
    const RegisterKind from = source.size() <= 4 ? RegisterKind::U16 : RegisterKind::U8;
    const RegisterKind to = kind_named(target);
    unit_.need("storage_floats");
    assign(Place::A, to, cat("widen_", source, "<", type_of(to), ">(", value(Place::B, from), ")"));
    return true;
  }
  const RegisterKind to = kind_named(target);
  const bool from_integer = source == "u" || source == "s";
  RegisterKind from = kind_named(source);
  if (from_integer) {
    from = is_declared(operand(Place::B)) ? kind_of(operand(Place::B))
           : source == "s"                ? RegisterKind::I64
                                          : RegisterKind::U64;
  }
  if (is_float(to)) {
    const std::string conversion =
        from_integer ? cat("sem::integer_to_float<", type_of(to), ">(") : cat("static_cast<", type_of(to), ">(");
    assign(Place::A, to, cat(conversion, value(Place::B, from), ")"));
    return true;
  }
  const std::string_view name = is_float(from) ? "float_to_integer" : "integer_to_integer";
  line(cat("{ ", type_of(to), " out; if (!sem::", name, "(", value(Place::B, from), ", out)) ",
           fail_call(TrapKind::Conversion, {}, {}), ";"));
  assign(Place::A, to, "out");
  line("}");
  return true;
}

/// Updates of elements: relaxed, whatever order the operand names (an Atomic object is host memory).
bool FunctionWriter::write_atomic() {
  const std::string_view verb = op_name_.verb;
  if (!verb.starts_with("atomic.")) return false;
  const RegisterKind kind = kind_named(op_name_.type);
  const std::string_view update = verb.substr(7);
  const std::string at = pointer(Place::B);
  if (update == "cas") {
    assign(Place::A, kind,
           cat("atomic_cas<", type_of(kind), ">(", at, ", ", value(Place::C, kind), ", ", value(Place::D, kind), ")"));
    return true;
  }
  for (const std::string_view known : {"add", "min", "max", "and", "or", "xor", "swap"}) {
    if (update != known) continue;
    assign(Place::A, kind, cat("atomic_", known, "<", type_of(kind), ">(", at, ", ", value(Place::C, kind), ")"));
    return true;
  }
  return false;
}

}  // namespace cairn::cuda::writer
