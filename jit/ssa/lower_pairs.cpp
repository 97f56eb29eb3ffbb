// Calls of std.pair's arithmetic become its rounded operations: the templates of runtime/semantics/pair, their limb a
// value of the function being built. So a pair is two values to every pass (pair floats, 7.2). The functions of one and
// of two pairs become calls of runtime/pair.
#include <algorithm>
#include <array>
#include <bit>
#include <initializer_list>
#include <string_view>

#include "jit/ssa/builder.hpp"
#include "jit/ssa/host.hpp"
#include "runtime/pair/functions.hpp"
#include "runtime/semantics/pair/arithmetic.hpp"

namespace cairn::jit::ssa {

/// A limb: a value, or a number that no value stands for yet.
class PairLimb {
 public:
  explicit PairLimb(float number) : number_(number) {}
  PairLimb(Builder& builder, Kind kind, Value value) : builder_(&builder), kind_(kind), value_(value) {}

  [[nodiscard]] Value value(Builder& builder, Kind kind) const {
    if (builder_ != nullptr) return value_;
    const auto wide = static_cast<double>(number_);
    return builder.constant(
        kind, kind == Kind::F32 ? std::bit_cast<std::uint32_t>(number_) : std::bit_cast<std::uint64_t>(wide));
  }

  friend PairLimb operator+(PairLimb a, PairLimb b) { return done(Opcode::Add, {a, b}); }
  friend PairLimb operator-(PairLimb a, PairLimb b) { return done(Opcode::Sub, {a, b}); }
  friend PairLimb operator*(PairLimb a, PairLimb b) { return done(Opcode::Mul, {a, b}); }
  friend PairLimb operator/(PairLimb a, PairLimb b) { return done(Opcode::Div, {a, b}); }
  friend PairLimb operator-(PairLimb a) { return done(Opcode::Neg, {a}); }
  friend PairLimb fused(PairLimb a, PairLimb b, PairLimb c) { return done(Opcode::Fma, {a, b, c}); }
  friend PairLimb square_root(PairLimb a) { return done(Opcode::Sqrt, {a}); }
  /// A bool: neither NaN nor zero.
  friend PairLimb is_nonzero_number(PairLimb a) {
    Instruction i;
    i.op = Opcode::Compare;
    i.kind = Kind::Bool;
    i.source = a.kind_;
    i.relation = Relation::Gt;
    i.a = done(Opcode::Abs, {a}).value_;
    i.b = PairLimb(0).value(*a.builder_, a.kind_);
    return made(*a.builder_, Kind::Bool, i);
  }
  friend PairLimb either(PairLimb condition, PairLimb a, PairLimb b) {
    Builder& builder = *condition.builder_;
    const Kind kind = a.kind_;
    Instruction i;
    i.op = Opcode::Select;
    i.kind = kind;
    i.a = condition.value_;
    i.b = a.value_;
    i.c = b.value(builder, kind);
    return made(builder, kind, i);
  }

 private:
  // Members may use the builder's own, friends defined here not everywhere (GCC 12).
  static PairLimb made(Builder& builder, Kind kind, const Instruction& i) { return {builder, kind, builder.add(i)}; }

  static PairLimb done(Opcode op, std::initializer_list<PairLimb> operands);

  Builder* builder_ = nullptr;
  Kind kind_ = Kind::None;
  Value value_ = kNoValue;
  float number_ = 0;
};

PairLimb PairLimb::done(Opcode op, std::initializer_list<PairLimb> operands) {
  const auto* const known =
      std::ranges::find_if(operands, [](const PairLimb& each) { return each.builder_ != nullptr; });
  Builder& builder = *known->builder_;
  Instruction i;
  i.op = op;
  i.kind = known->kind_;
  Value* const places[] = {&i.a, &i.b, &i.c};
  for (std::size_t k = 0; k < operands.size(); ++k) *places[k] = operands.begin()[k].value(builder, i.kind);
  return {builder, i.kind, builder.add(i)};
}

namespace {

namespace pair = semantics::pair;
using pair::Level;
using Limbs = pair::Pair<PairLimb>;

/// x, y and z as far as the function has them; a scalar is the high limb of its place.
struct Operands {
  std::array<Limbs, 3> pairs;
  [[nodiscard]] const Limbs& x() const { return pairs[0]; }
  [[nodiscard]] const Limbs& y() const { return pairs[1]; }
  [[nodiscard]] const Limbs& z() const { return pairs[2]; }
  [[nodiscard]] PairLimb c() const { return pairs[1].hi; }
};

struct Expansion {
  std::string_view name;
  Limbs (*of)(const Operands&);
};

#define CAIRN_LEVELS(name, ...)                                                           \
  {#name "_low", [](const Operands& o) { return pair::name<Level::Low>(__VA_ARGS__); }},  \
      {#name, [](const Operands& o) { return pair::name<Level::Mid>(__VA_ARGS__); }}, {   \
    #name "_high", [](const Operands& o) { return pair::name<Level::High>(__VA_ARGS__); } \
  }
constexpr Expansion kExpansions[] = {
    CAIRN_LEVELS(add, o.x(), o.y()),
    CAIRN_LEVELS(sub, o.x(), o.y()),
    CAIRN_LEVELS(mul, o.x(), o.y()),
    CAIRN_LEVELS(div, o.x(), o.y()),
    CAIRN_LEVELS(sqr, o.x()),
    CAIRN_LEVELS(fma, o.x(), o.y(), o.z()),
    CAIRN_LEVELS(mad, o.x(), o.y(), o.z()),
    CAIRN_LEVELS(add_limb, o.x(), o.c()),
    CAIRN_LEVELS(sub_limb, o.x(), o.c()),
    CAIRN_LEVELS(rsub_limb, o.x(), o.c()),
    CAIRN_LEVELS(mul_limb, o.x(), o.c()),
    CAIRN_LEVELS(div_limb, o.x(), o.c()),
    CAIRN_LEVELS(rdiv_limb, o.x(), o.c()),
    {"sqrt", [](const Operands& o) { return pair::sqrt(o.x()); }},
    {"rsqrt", [](const Operands& o) { return pair::rsqrt(o.x()); }},
    {"recip", [](const Operands& o) { return pair::recip(o.x()); }},
    {"neg", [](const Operands& o) { return pair::neg(o.x()); }},
    {"renorm", [](const Operands& o) { return pair::renorm(o.x()); }},
    {"of", [](const Operands& o) { return pair::of(o.x().hi); }},
    {"two_sum", [](const Operands& o) { return pair::two_sum(o.x().hi, o.c()); }},
    {"fast_two_sum", [](const Operands& o) { return pair::fast_two_sum(o.x().hi, o.c()); }},
    {"two_prod", [](const Operands& o) { return pair::two_prod(o.x().hi, o.c()); }},
};
#undef CAIRN_LEVELS

}  // namespace

/// Whether the native called at pc_ is one of these, which is expanded, or a function of one or two pairs. Its operands
/// are references to pairs, or scalars; the first slot leads to where the result goes.
bool Builder::pair_operation(std::string_view native, const bytecode::Signature& signature, std::uint32_t window) {
  constexpr std::string_view kModule = "pair.";
  if (!native.starts_with(kModule)) return false;
  native.remove_prefix(kModule.size());
  const Kind kind = native.ends_with(".f32") ? Kind::F32 : Kind::F64;
  const std::int64_t size = size_of(kind);
  native.remove_suffix(4);
  const auto* const found = std::ranges::find(kExpansions, native, &Expansion::name);
  const bool expands = found != std::end(kExpansions) && host_has_fused();
  const auto functions = pair_functions();
  const auto function = std::ranges::find(functions, native, &PairFunction::name);
  if (!expands && function == functions.end()) return false;

  const PairLimb none(0);
  Operands operands{{Limbs{none, none}, Limbs{none, none}, Limbs{none, none}}};
  for (std::size_t k = 1; k < signature.parameters.size(); ++k) {
    const auto slot = window + static_cast<std::uint32_t>(k);
    Limbs& operand = operands.pairs[k - 1];
    if (signature.parameters[k].kind == bytecode::RegisterKind::Ref) {
      const Value at = integer(slot);
      operand = {PairLimb(*this, kind, load(kind, at, kNoValue, 1, 0)),
                 PairLimb(*this, kind, load(kind, at, kNoValue, 1, size))};
    } else {
      operand.hi = PairLimb(*this, kind, as(kind, read(slot)));
    }
  }
  const Limbs result = expands ? found->of(operands)
                               : pair_function(kind, static_cast<std::uint32_t>(function - functions.begin()),
                                               function->operands, operands.pairs[0], operands.pairs[1]);
  const Value to = integer(window);
  store(kind, to, kNoValue, 1, 0, result.hi.value(*this, kind));
  store(kind, to, kNoValue, 1, size, result.lo.value(*this, kind));
  return true;
}

/// Number `index` of pair_functions() of x, or of x and y.
pair::Pair<PairLimb> Builder::pair_function(Kind kind, std::uint32_t index, std::uint32_t operands,
                                            const pair::Pair<PairLimb>& x, const pair::Pair<PairLimb>& y) {
  Instruction i;
  i.op = Opcode::PairFunction;
  i.kind = kind;
  i.immediate = index;
  i.a = x.hi.value(*this, kind);
  i.b = x.lo.value(*this, kind);
  if (operands == 2) {
    i.c = y.hi.value(*this, kind);
    const Use low[] = {{0, y.lo.value(*this, kind)}};
    f_.set_uses(i, low);
  }
  Instruction limb;
  limb.op = Opcode::Limb;
  limb.kind = kind;
  limb.a = add(i);
  const PairLimb high(*this, kind, add(limb));
  limb.immediate = 1;
  return {high, PairLimb(*this, kind, add(limb))};
}

}  // namespace cairn::jit::ssa
