// A kernel's floats, which are always in vectors; bits and conversions.
#include "jit/phases/kernel_code.hpp"

namespace cairn::jit::phases {

void Emitter::floating(const Instruction& each) {
  const bool wide = each.shape->type == Kind::F64;
  const Type type = wide ? Type::F64 : Type::F32;
  const Vec l = vec(each.use[1]), made = fresh_vec(type);
  const auto right = [&] { return vec(each.use[2]); };
  switch (each.shape->verb) {
    case Verb::Add:
      wide ? cc_.vaddpd(made, l, right()) : cc_.vaddps(made, l, right());
      break;
    case Verb::Sub:
      wide ? cc_.vsubpd(made, l, right()) : cc_.vsubps(made, l, right());
      break;
    case Verb::Mul:
      wide ? cc_.vmulpd(made, l, right()) : cc_.vmulps(made, l, right());
      break;
    case Verb::Div:
      wide ? cc_.vdivpd(made, l, right()) : cc_.vdivps(made, l, right());
      break;
    case Verb::Fma:
      cc_.vmovaps(made, l);
      wide ? cc_.vfmadd213pd(made, right(), vec(each.use[3])) : cc_.vfmadd213ps(made, right(), vec(each.use[3]));
      break;
    case Verb::Sqrt:
      wide ? cc_.vsqrtpd(made, l) : cc_.vsqrtps(made, l);
      break;
    case Verb::Neg: {
      const Vec sign = constant_vec(wide ? std::uint64_t{1} << 63 : std::uint64_t{1} << 31, type);
      wide ? cc_.vpxorq(made, l, sign) : cc_.vpxord(made, l, sign);
      break;
    }
    case Verb::Abs: {
      const Vec rest = constant_vec(wide ? ~(std::uint64_t{1} << 63) : 0x7fffffff, type);
      wide ? cc_.vpandq(made, l, rest) : cc_.vpandd(made, l, rest);
      break;
    }
    case Verb::Floor:
    case Verb::Ceil:
    case Verb::Trunc: {
      const std::uint32_t way = each.shape->verb == Verb::Floor ? 9 : each.shape->verb == Verb::Ceil ? 10 : 11;
      wide ? cc_.vrndscalepd(made, l, way) : cc_.vrndscaleps(made, l, way);
      break;
    }
    default:
      return refuse();
  }
  define(each.def, made);
}

void Emitter::bits(const Instruction& each) {
  const Vec from = vec(each.use[1]);
  switch (each.op) {
    case Op::BitsF32: {
      const Vec made = cc_.newZmm();
      cc_.vpmovzxdq(made, from);
      return define(each.def, made);
    }
    case Op::FromBitsF32: {
      const Vec made = cc_.newYmm();
      cc_.vpmovqd(made, from);
      return define(each.def, made);
    }
    default: {
      const Vec made = cc_.newZmm();
      cc_.vmovaps(made, from);
      return define(each.def, made);
    }
  }
}

void Emitter::convert(const Instruction& each) {
  const Kind to = each.shape->type, from = each.shape->source;
  const Value& v = value(each.use[1]);
  if (is_float(to) && !is_float(from)) {
    const Vec made = fresh_vec(to == Kind::F64 ? Type::F64 : Type::F32), whole = vec(each.use[1]);
    if (to == Kind::F64) {
      is_signed(from) ? cc_.vcvtqq2pd(made, whole) : cc_.vcvtuqq2pd(made, whole);
    } else {
      is_signed(from) ? cc_.vcvtqq2ps(made, whole) : cc_.vcvtuqq2ps(made, whole);
    }
    return define(each.def, made);
  }
  if (is_float(to)) {
    const Vec made = fresh_vec(to == Kind::F64 ? Type::F64 : Type::F32);
    to == Kind::F64 ? cc_.vcvtps2pd(made, vec(each.use[1])) : cc_.vcvtpd2ps(made, vec(each.use[1]));
    return define(each.def, made);
  }
  const bool to_signed = is_signed(to);
  const K bad = cc_.newKw();
  if (is_float(from)) {
    // What has no integer gives the one pattern that no float of the range gives.
    const Vec made = cc_.newZmm(), given = vec(each.use[1]);
    if (from == Kind::F32) {
      to_signed ? cc_.vcvttps2qq(made, given) : cc_.vcvttps2uqq(made, given);
    } else {
      to_signed ? cc_.vcvttpd2qq(made, given) : cc_.vcvttpd2uqq(made, given);
    }
    if (size_of(to) < 8) {
      leave_unless_fits(made, to);
    } else {
      masked().vpcmpuq(bad, made, constants(to_signed ? std::uint64_t{1} << 63 : ~std::uint64_t{0}, 0), 0);
      leave_if_any(bad);
    }
    return define(each.def, made);
  }
  // Integer to integer. A sign on one side alone asks for a look at the top bit.
  const bool from_signed = is_signed(from);
  const bool safe =
      !from_signed && v.high <= (to_signed ? (std::uint64_t{1} << (8 * size_of(to) - 1)) - 1 : greatest(to));
  if (value(each.def).in_vector()) {
    const Vec made = cc_.newZmm(), given = vec(each.use[1]);
    cc_.vmovaps(made, given);
    if (!safe) {
      if (size_of(to) < 8) leave_unless_fits(made, to);
      if (from_signed != to_signed && (size_of(to) == 8 || (to_signed && !from_signed))) {
        masked().vpcmpq(bad, made, constants(0, 0), 1);
        leave_if_any(bad);
      }
    }
    return define(each.def, made);
  }
  const Gp made = fresh_gp();
  cc_.mov(made, gp(each.use[1]));
  if (!safe) {
    if (value(each.def).kind == Class::Linear) {
      if (to != Kind::U64) check_top(made, v.number, greatest(to));
    } else {
      if (size_of(to) < 8) check_uniform(each, made);
      if (from_signed != to_signed && (size_of(to) == 8 || (to_signed && !from_signed))) {
        cc_.test(made, made);
        cc_.js(leave());
      }
    }
  }
  define(each.def, made);
}

}  // namespace cairn::jit::phases
