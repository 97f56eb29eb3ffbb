// The meaning of operations on scalars as terms: the same as runtime/semantics, in the solver's logic.
#include <array>
#include <bit>
#include <string>

#include "vm/verify/frame_encoder.hpp"

namespace cairn::verify {

using bytecode::Op;
using bytecode::Place;
using bytecode::RegisterKind;

namespace {

RegisterKind kind_named(std::string_view name) {
  constexpr std::array<std::string_view, 11> kNames = {"bool", "u8",  "u16", "u32", "u64", "i8",
                                                       "i16",  "i32", "i64", "f32", "f64"};
  for (std::size_t k = 0; k < kNames.size(); ++k) {
    if (kNames[k] == name) return static_cast<RegisterKind>(static_cast<std::size_t>(RegisterKind::Bool) + k);
  }
  return RegisterKind::None;
}

bool is_signed(RegisterKind kind) { return kind >= RegisterKind::I8 && kind <= RegisterKind::I64; }
bool is_float(RegisterKind kind) { return kind == RegisterKind::F32 || kind == RegisterKind::F64; }
unsigned width_of(RegisterKind kind) { return Memory::sort_of(static_cast<std::uint8_t>(kind)).width; }

}  // namespace

Verb verb_of(Op op) {
  static const auto kVerbs = [] {
    std::array<Verb, bytecode::kOperationCount> verbs;
    for (std::uint32_t k = 0; k < bytecode::kOperationCount; ++k) {
      const bytecode::OpName name = bytecode::split_name(bytecode::info(static_cast<Op>(k)).text);
      verbs[k] = {name.verb, kind_named(name.type), name.immediate};
      // A storage float is no register kind: such operations keep their whole name, which nothing models.
      if (!name.type.empty() && verbs[k].type == RegisterKind::None) {
        verbs[k].name = bytecode::info(static_cast<Op>(k)).text;
      }
    }
    return verbs;
  }();
  return kVerbs[static_cast<std::size_t>(op)];
}

void FrameEncoder::refuse(const Verb& verb) const {
  struct Row {
    std::string_view start;
    std::string_view why;
  };
  constexpr Row kRows[] = {
      {"fail.assert", "it asserts"},
      {"fail.equal", "it asserts"},
      {"parallel", "it runs lanes"},
      {"scan", "it scans"},
      {"sum.exact", "it reduces floats"},
      {"spawn", "it starts tasks"},
      {"wait", "it waits for tasks"},
      {"group", "it starts tasks"},
      {"collect", "it starts tasks"},
      {"mutex", "it locks"},
      {"atomic", "it uses atomics"},
      {"mmio", "it reaches the machine"},
      {"placed", "it places data on a device"},
      {"transfer", "it places data on a device"},
      {"cooperative", "it has a cooperative region"},
      {"barrier", "it has a cooperative region"},
      {"shared", "it has a cooperative region"},
      {"warp", "it has a cooperative region"},
      {"pipeline", "it has a cooperative region"},
      {"print", "it does input or output"},
      {"format", "it formats text"},
      {"call.native", "it does input or output"},
      {"call.foreign", "it crosses the foreign boundary"},
      {"call.dyn", "it calls through dyn"},
      {"dyn", "it uses dyn"},
      {"drop.dyn", "it uses dyn"},
      {"call.", "it calls a function value"},
      {"callable", "it uses a function value"},
      {"function", "it uses a function value"},
      {"quantize", "it quantizes"},
      {"sqrt", "it takes a square root"},
      {"floor", "it rounds a float to a whole number"},
      {"ceil", "it rounds a float to a whole number"},
      {"trunc", "it rounds a float to a whole number"},
      {"abs", "it takes the absolute value of a float"},
      {"fma", "it uses a fused operation"},
      {"bits", "it reads the bits of a float"},
      {"from.bits", "it makes a float from bits"},
      {"ref.wide", "it makes wide accesses"},
      {"to.", "it uses a storage float"},
  };
  for (const Row& row : kRows) {
    if (verb.name.starts_with(row.start)) throw Unsupported{std::string(row.why)};
  }
  throw Unsupported{"it uses " + std::string(verb.name) + ", which is not modelled"};
}

Term FrameEncoder::as_bits(Term term) {
  if (terms_.sort(term) != kBool) return term;
  return terms_.choose(term, terms_.bits(8, 1), terms_.bits(8, 0));
}

/// A term of an unsigned number in another width in which it fits.
Term FrameEncoder::resized(Term term, unsigned width) {
  const unsigned own = terms_.sort(term).width;
  return terms_.convert(own < width ? TermOp::ZeroExtend : TermOp::Truncate, bits_sort(width), term);
}

// ------------------------------------------------------------------------------------------------------------
// arithmetic

bool FrameEncoder::arithmetic(const Verb& verb) {
  const Sort sort = Memory::sort_of(static_cast<std::uint8_t>(verb.type));
  const auto second = [&](Sort of) {
    return verb.immediate ? terms_.constant(of, bits(Place::I)) : term(slot(Place::C), of);
  };
  if (is_float(verb.type)) {
    struct Row {
      std::string_view name;
      TermOp op;
    };
    constexpr Row kRows[] = {
        {"add", TermOp::FloatAdd}, {"sub", TermOp::FloatSub}, {"mul", TermOp::FloatMul}, {"div", TermOp::FloatDiv}};
    for (const Row& row : kRows) {
      if (verb.name != row.name) continue;
      set(slot(Place::A), terms_.binary(row.op, term(slot(Place::B), sort), term(slot(Place::C), sort)));
      return true;
    }
    if (verb.name != "neg") return false;
    set(slot(Place::A), terms_.unary(TermOp::FloatNegate, term(slot(Place::B), sort)));
    return true;
  }
  if (verb.type != RegisterKind::None &&
      (verb.name == "add" || verb.name == "sub" || verb.name == "mul" || verb.name == "div" || verb.name == "rem")) {
    integer_arithmetic(verb, term(slot(Place::B), sort), second(sort));
    return true;
  }
  if (verb.name == "neg" || verb.name == "abs") {
    const Term operand = term(slot(Place::B), sort);
    trap_if(terms_.equal(operand, terms_.bits(sort.width, std::uint64_t{1} << (sort.width - 1U))));
    const Term negated = terms_.binary(TermOp::Sub, terms_.bits(sort.width, 0), operand);
    const Term is_negative = terms_.binary(TermOp::LessS, operand, terms_.bits(sort.width, 0));
    set(slot(Place::A), verb.name == "neg" ? negated : terms_.choose(is_negative, negated, operand));
    return true;
  }
  if (verb.name == "add.wrap" || verb.name == "sub.wrap" || verb.name == "mul.wrap") {
    const TermOp op = verb.name == "add.wrap" ? TermOp::Add : verb.name == "sub.wrap" ? TermOp::Sub : TermOp::Mul;
    set(slot(Place::A), terms_.binary(op, term(slot(Place::B), sort), second(sort)));
    return true;
  }
  if (verb.name == "shl.wrap" || verb.name == "shr") {
    const Term count = second(bits_sort(64));
    trap_if(terms_.negate(terms_.binary(TermOp::LessU, count, terms_.bits(64, sort.width))));
    const TermOp op = verb.name == "shr" ? TermOp::ShiftRightU : TermOp::ShiftLeft;
    set(slot(Place::A), terms_.binary(op, term(slot(Place::B), sort), resized(count, sort.width)));
    return true;
  }
  if (verb.name == "and" || verb.name == "or" || verb.name == "xor") {
    const Term left = term(slot(Place::B));
    const TermOp op = verb.name == "and" ? TermOp::BitAnd : verb.name == "or" ? TermOp::BitOr : TermOp::BitXor;
    set(slot(Place::A), terms_.binary(op, left, second(terms_.sort(left))));
    return true;
  }
  if (verb.name == "not") {
    set(slot(Place::A), terms_.negate(term(slot(Place::B), kBool)));
    return true;
  }
  if (verb.name == "min.u" || verb.name == "max.u" || verb.name == "min.s" || verb.name == "max.s") {
    const Term left = term(slot(Place::B));
    const Term right = term(slot(Place::C), terms_.sort(left));
    const Term is_less = terms_.binary(verb.name.ends_with("u") ? TermOp::LessU : TermOp::LessS, left, right);
    set(slot(Place::A),
        verb.name.starts_with("min") ? terms_.choose(is_less, left, right) : terms_.choose(is_less, right, left));
    return true;
  }
  return false;
}

/// Checked + - * / %, with the condition under which each traps.
void FrameEncoder::integer_arithmetic(const Verb& verb, Term left, Term right) {
  const unsigned width = width_of(verb.type);
  const bool with_sign = is_signed(verb.type);
  const Term zero = terms_.bits(width, 0);
  const auto less = [&](Term a, Term b) { return terms_.binary(with_sign ? TermOp::LessS : TermOp::LessU, a, b); };
  if (verb.name == "div" || verb.name == "rem") {
    Term failed = terms_.equal(right, zero);
    if (with_sign) {
      const Term least = terms_.equal(left, terms_.bits(width, std::uint64_t{1} << (width - 1)));
      failed = terms_.either(failed, terms_.both(least, terms_.equal(right, terms_.bits(width, ~std::uint64_t{0}))));
    }
    trap_if(failed);
    const TermOp op =
        verb.name == "div" ? (with_sign ? TermOp::DivS : TermOp::DivU) : (with_sign ? TermOp::RemS : TermOp::RemU);
    set(slot(Place::A), terms_.binary(op, left, right));
    return;
  }
  if (verb.name == "mul") {
    trap_if(terms_.negate(terms_.binary(with_sign ? TermOp::MulFitsS : TermOp::MulFitsU, left, right)));
    set(slot(Place::A), terms_.binary(TermOp::Mul, left, right));
    return;
  }
  const bool adds = verb.name == "add";
  const Term result = terms_.binary(adds ? TermOp::Add : TermOp::Sub, left, right);
  Term failed = kFalse;
  if (!with_sign && adds) {
    // A constant's form is a bound on the other operand, which needs no adder.
    failed = terms_.is_constant(right) ? terms_.binary(TermOp::LessU, terms_.bits(width, ~terms_.value(right)), left)
                                       : terms_.binary(TermOp::LessU, result, left);
  } else if (!with_sign) {
    failed = less(left, right);
  } else if (terms_.is_constant(right)) {
    const std::uint64_t k = terms_.value(right);
    const std::uint64_t most = mask_of(width) >> 1U;
    const std::uint64_t least = std::uint64_t{1} << (width - 1);
    // left + k leaves the range above when k > 0, below when k < 0; left - k the other way round.
    if (k != 0 && (signed_of(k, width) > 0) == adds) {
      failed = less(terms_.bits(width, adds ? most - k : most + k), left);
    } else if (k != 0) {
      failed = less(left, terms_.bits(width, adds ? least - k : least + k));
    }
  } else {
    const Term right_negative = less(right, zero);
    const Term grows = less(left, result);
    const Term falls = less(result, left);
    failed = adds ? terms_.choose(right_negative, grows, falls) : terms_.choose(right_negative, falls, grows);
  }
  trap_if(failed);
  set(slot(Place::A), result);
}

// ----------------------------------------------------------------------------------------------------------- comparing

bool FrameEncoder::comparisons(const Verb& verb) {
  if (verb.name == "select") {
    const Value chosen = memory_.merge(term(slot(Place::B), kBool), value(slot(Place::C)), value(slot(Place::D)));
    set(slot(Place::A), chosen);
    return true;
  }
  struct Row {
    std::string_view name;
    TermOp op;
    bool swapped;
  };
  constexpr Row kRows[] = {{"lt.u", TermOp::LessU, false}, {"le.u", TermOp::LessEqualU, false},
                           {"lt.s", TermOp::LessS, false}, {"le.s", TermOp::LessEqualS, false},
                           {"gt.u", TermOp::LessU, true},  {"ge.u", TermOp::LessEqualU, true},
                           {"gt.s", TermOp::LessS, true},  {"ge.s", TermOp::LessEqualS, true}};
  if (is_float(verb.type)) {
    const Sort sort = Memory::sort_of(static_cast<std::uint8_t>(verb.type));
    const Term left = term(slot(Place::B), sort);
    const Term right = term(slot(Place::C), sort);
    if (verb.name == "eq")
      set(slot(Place::A), terms_.binary(TermOp::FloatEqual, left, right));
    else if (verb.name == "ne")
      set(slot(Place::A), terms_.negate(terms_.binary(TermOp::FloatEqual, left, right)));
    else if (verb.name == "lt")
      set(slot(Place::A), terms_.binary(TermOp::FloatLess, left, right));
    else if (verb.name == "le")
      set(slot(Place::A), terms_.binary(TermOp::FloatLessEqual, left, right));
    else
      return false;
    return true;
  }
  const bool is_equality = verb.name == "eq" || verb.name == "ne";
  const Row* row = nullptr;
  for (const Row& each : kRows) {
    if (each.name == verb.name) row = &each;
  }
  if (!is_equality && row == nullptr) return false;
  Term left = term(slot(Place::B));
  Term right =
      verb.immediate ? terms_.constant(terms_.sort(left), bits(Place::I)) : term(slot(Place::C), terms_.sort(left));
  if (is_equality) {
    const Term same = terms_.equal(left, right);
    set(slot(Place::A), verb.name == "eq" ? same : terms_.negate(same));
    return true;
  }
  left = as_bits(left);
  right = as_bits(right);
  if (row->swapped) std::swap(left, right);
  set(slot(Place::A), terms_.binary(row->op, left, right));
  return true;
}

// -----------------------------------------------------------------------------------------------------------
// conversions

bool FrameEncoder::conversions(const Verb& verb) {
  if (!verb.name.starts_with("to.")) return false;
  // "to.u8.u", "to.u8.s" and "to.u8" of a float type; likewise "to.f32.u", "to.f64" of f32.
  std::string_view target = verb.name.substr(3);
  char from = 'f';
  if (target.ends_with(".u") || target.ends_with(".s")) {
    from = target.back();
    target.remove_suffix(2);
  }
  const RegisterKind kind = kind_named(target);
  if (kind == RegisterKind::None || (from == 'f' && !is_float(verb.type))) return false;
  const Sort to = Memory::sort_of(static_cast<std::uint8_t>(kind));
  if (from == 'f') {
    const Sort own = Memory::sort_of(static_cast<std::uint8_t>(verb.type));
    const Term operand = term(slot(Place::B), own);
    if (is_float(kind)) {
      set(slot(Place::A), terms_.convert(TermOp::FloatFromFloat, to, operand));
      return true;
    }
    // In range: strictly between the neighbours of the range, which both formats hold up to one unit; NaN is not.
    const auto number = [&](double x) {
      return terms_.constant(
          own, own.width == 32 ? std::bit_cast<std::uint32_t>(static_cast<float>(x)) : std::bit_cast<std::uint64_t>(x));
    };
    const bool with_sign = is_signed(kind);
    const double limit = static_cast<double>(std::uint64_t{1} << (to.width - 1U)) * (with_sign ? 1 : 2);
    // -limit itself fits; limit - 1 below it may have no float between, so the bound below is -limit - 1 where that is
    // a number of the format, else >= -limit.
    const bool has_below = to.width < (own.width == 32 ? 24U : 53U);
    Term above = kTrue;
    if (!with_sign) {
      above = terms_.binary(TermOp::FloatLess, number(-1.0), operand);
    } else if (has_below) {
      above = terms_.binary(TermOp::FloatLess, number(-limit - 1.0), operand);
    } else {
      above = terms_.binary(TermOp::FloatLessEqual, number(-limit), operand);
    }
    trap_if(terms_.negate(terms_.both(above, terms_.binary(TermOp::FloatLess, operand, number(limit)))));
    set(slot(Place::A), terms_.convert(with_sign ? TermOp::FloatToS : TermOp::FloatToU, to, operand));
    return true;
  }
  const Term operand = as_bits(term(slot(Place::B)));
  if (is_float(kind)) {
    set(slot(Place::A), terms_.convert(from == 'u' ? TermOp::FloatFromU : TermOp::FloatFromS, to, operand));
    return true;
  }
  const unsigned own = terms_.sort(operand).width;
  const bool to_signed = is_signed(kind);
  if (from == 'u') {
    // The most that fits; it needs no guard when every value of the source does.
    const std::uint64_t most = to_signed ? mask_of(to.width) >> 1U : mask_of(to.width);
    if (most < mask_of(own)) trap_if(terms_.binary(TermOp::LessU, terms_.bits(own, most), operand));
    set(slot(Place::A), resized(operand, to.width));
    return true;
  }
  const Term zero = terms_.bits(own, 0);
  if (!to_signed) trap_if(terms_.binary(TermOp::LessS, operand, zero));
  const unsigned magnitude = to_signed ? to.width - 1 : to.width;  // bits of the largest value
  if (magnitude < own - 1) {
    trap_if(terms_.binary(TermOp::LessS, terms_.bits(own, mask_of(magnitude)), operand));
    if (to_signed) trap_if(terms_.binary(TermOp::LessS, operand, terms_.bits(own, ~mask_of(magnitude))));
  }
  set(slot(Place::A), terms_.convert(own < to.width ? TermOp::SignExtend : TermOp::Truncate, to, operand));
  return true;
}

}  // namespace cairn::verify
