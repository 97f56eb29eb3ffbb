// Every operation on numbers, found in the table by its name, against a model of its own: exact integers of 128 bits,
// and the float semantics of C++.
#include <cmath>
#include <limits>
#include <random>

#include "tests/interpreter/program.hpp"

namespace cairn::tests {
namespace {

using Wide = __int128;

struct NumberType {
  std::string_view name;
  RegisterKind kind;
  unsigned width;
  bool is_signed;
};
constexpr NumberType kIntegers[] = {{"u8", RegisterKind::U8, 8, false},    {"u16", RegisterKind::U16, 16, false},
                                    {"u32", RegisterKind::U32, 32, false}, {"u64", RegisterKind::U64, 64, false},
                                    {"i8", RegisterKind::I8, 8, true},     {"i16", RegisterKind::I16, 16, true},
                                    {"i32", RegisterKind::I32, 32, true},  {"i64", RegisterKind::I64, 64, true}};

const NumberType* integer_named(std::string_view name) {
  for (const NumberType& type : kIntegers) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

Wide low_of(const NumberType& type) { return type.is_signed ? -(Wide{1} << (type.width - 1)) : 0; }
Wide high_of(const NumberType& type) { return (Wide{1} << (type.is_signed ? type.width - 1 : type.width)) - 1; }
bool fits(const NumberType& type, Wide value) { return value >= low_of(type) && value <= high_of(type); }
Wide value_of(const NumberType& type, std::uint64_t slot) {
  return type.is_signed ? static_cast<Wide>(static_cast<std::int64_t>(slot)) : static_cast<Wide>(slot);
}

std::vector<std::uint64_t> edges(const NumberType& type) {
  std::vector<std::uint64_t> values;
  const auto add = [&](Wide v) {
    if (fits(type, v)) values.push_back(static_cast<std::uint64_t>(v));
  };
  for (const Wide v : {low_of(type), high_of(type), Wide{0}}) {
    for (int d = -2; d <= 2; ++d) add(v + d);
  }
  for (unsigned bit = 2; bit < type.width; bit += 3) {
    for (int d = -1; d <= 1; ++d) {
      add((Wide{1} << bit) + d);
      add(-(Wide{1} << bit) + d);
    }
  }
  return values;
}

/// A function of one operation, made once and run on many operands.
class OneOperation {
 public:
  /// Operands of registers of these kinds; `immediate` takes the place of the last one.
  OneOperation(Op op, RegisterKind result, const std::vector<RegisterKind>& operands,
               std::optional<std::uint64_t> immediate = {})
      : running_(module(op, result, operands, immediate)) {}

  Outcome operator()(const std::vector<std::uint64_t>& operands) { return running_.call(0, operands); }

 private:
  static Module module(Op op, RegisterKind result, const std::vector<RegisterKind>& operands,
                       std::optional<std::uint64_t> immediate) {
    ModuleBuilder builder("operations");
    Signature signature;
    for (const RegisterKind kind : operands) signature.parameters.push_back({kind});
    signature.result = {result};
    FunctionBuilder f(builder, builder.declare(std::string(info(op).text), builder.signature(signature)));
    const Register to = f.add_register({result});
    switch (operands.size()) {
      case 1:
        immediate ? f.emit(op, to, f.parameter(0), *immediate) : f.emit(op, to, f.parameter(0));
        break;
      case 2:
        f.emit(op, to, f.parameter(0), f.parameter(1));
        break;
      default:
        f.emit(op, to, f.parameter(0), f.parameter(1), f.parameter(2));
        break;
    }
    f.emit(Op::ReturnValue, to);
    f.finish();
    return builder.take();
  }

  Running running_;
};

/// What an integer operation gives, or none where its guard fails.
std::optional<Wide> integer_model(std::string_view verb, const NumberType& type, Wide a, Wide b) {
  const auto guarded = [&](Wide v) { return fits(type, v) ? std::optional(v) : std::nullopt; };
  const auto wrapped = [&](Wide v) { return std::optional(v & high_of(type)); };
  if (verb == "add") return guarded(a + b);
  if (verb == "sub") return guarded(a - b);
  if (verb == "mul") return guarded(a * b);
  if (verb == "div") return b == 0 ? std::nullopt : guarded(a / b);
  if (verb == "rem") return b == 0 || !fits(type, a / b) ? std::nullopt : guarded(a % b);
  if (verb == "neg") return guarded(-a);
  if (verb == "abs") return guarded(a < 0 ? -a : a);
  if (verb == "add.wrap") return wrapped(a + b);
  if (verb == "sub.wrap") return wrapped(a - b);
  if (verb == "mul.wrap")
    return wrapped(static_cast<Wide>(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)));
  if (verb == "shl.wrap") return b >= type.width ? std::nullopt : wrapped(a << static_cast<unsigned>(b));
  if (verb == "shr") return b >= type.width ? std::nullopt : std::optional(a >> static_cast<unsigned>(b));
  FAIL("no model of " << verb);
  return std::nullopt;
}

TrapKind trap_of(std::string_view verb) {
  if (verb == "div" || verb == "rem") return TrapKind::Division;
  if (verb == "shl.wrap" || verb == "shr") return TrapKind::Shift;
  return verb == "abs" ? TrapKind::Abs : TrapKind::Overflow;
}

bool is_integer_verb(std::string_view verb) {
  for (const std::string_view known :
       {"add", "sub", "mul", "div", "rem", "neg", "abs", "add.wrap", "sub.wrap", "mul.wrap", "shl.wrap", "shr"}) {
    if (known == verb) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("integer operations give the exact result or trap, in registers and immediates", "[interpreter]") {
  std::size_t operations = 0;
  for (std::uint32_t i = 0; i < kOperationCount; ++i) {
    const Op op = static_cast<Op>(i);
    const OpName name = split_name(info(op).text);
    const NumberType* type = integer_named(name.type);
    if (type == nullptr || !is_integer_verb(name.verb)) continue;
    ++operations;
    const bool shifts = name.verb == "shl.wrap" || name.verb == "shr";
    const NumberType& right = shifts ? kIntegers[3] : *type;
    const bool alone = name.verb == "neg" || name.verb == "abs";
    std::vector<std::uint64_t> seconds = edges(right);
    if (shifts) seconds = {0, 1, 7, 8, 15, 16, 31, 32, 63, 64, 65, ~0ULL};
    if (alone) seconds = {0};
    std::vector<RegisterKind> kinds{type->kind};
    if (!name.immediate && !alone) kinds.push_back(right.kind);
    std::optional<OneOperation> operation;
    if (!name.immediate) operation.emplace(op, type->kind, kinds);
    INFO(info(op).text);
    std::size_t wrong = 0;
    for (const std::uint64_t b : seconds) {
      if (name.immediate) operation.emplace(op, type->kind, kinds, b);
      for (const std::uint64_t a : edges(*type)) {
        const auto expected = integer_model(name.verb, *type, value_of(*type, a), value_of(right, b));
        std::vector<std::uint64_t> operands{a};
        if (kinds.size() == 2) operands.push_back(b);
        // A trap ends an instance, so each trapping call gets its own.
        std::optional<OneOperation> fresh;
        if (!expected) fresh.emplace(op, type->kind, kinds, name.immediate ? std::optional(b) : std::nullopt);
        const Outcome outcome = (expected ? *operation : *fresh)(operands);
        wrong += outcome.trap.has_value() == expected.has_value();
        if (expected) wrong += outcome.value != static_cast<std::uint64_t>(*expected);
        if (!expected && outcome.trap) wrong += outcome.trap->kind != trap_of(name.verb);
      }
    }
    CHECK(wrong == 0);
  }
  CHECK(operations == 128);
}

TEST_CASE("bit operations, minimum and maximum serve every width", "[interpreter]") {
  for (const NumberType& type : kIntegers) {
    for (const std::uint64_t a : edges(type)) {
      for (const std::uint64_t b : edges(type)) {
        const Wide x = value_of(type, a);
        const Wide y = value_of(type, b);
        static std::map<std::pair<Op, RegisterKind>, std::unique_ptr<OneOperation>> made;
        const auto run = [&](Op op) {
          auto& operation = made[{op, type.kind}];
          if (!operation) {
            operation = std::make_unique<OneOperation>(op, type.kind, std::vector<RegisterKind>{type.kind, type.kind});
          }
          return (*operation)({a, b}).value;
        };
        if (!type.is_signed) {
          REQUIRE(run(Op::And) == (a & b));
          REQUIRE(run(Op::Or) == (a | b));
          REQUIRE(run(Op::Xor) == (a ^ b));
        }
        REQUIRE(run(type.is_signed ? Op::MinS : Op::MinU) == (x < y ? a : b));
        REQUIRE(run(type.is_signed ? Op::MaxS : Op::MaxU) == (x < y ? b : a));
      }
    }
  }
}

namespace {

/// True for tests that an operation name ends in: eq, lt.u, ge.s, not.lt, ...
bool holds(std::string_view test, long double a, long double b) {
  if (test.starts_with("not.lt")) return !(a < b);
  if (test.starts_with("not.le")) return !(a <= b);
  if (test.starts_with("eq")) return a == b;
  if (test.starts_with("ne")) return a != b;
  if (test.starts_with("lt")) return a < b;
  if (test.starts_with("le")) return a <= b;
  if (test.starts_with("gt")) return a > b;
  return a >= b;
}

bool is_test(std::string_view verb) {
  const std::string_view test = verb.starts_with("jump.") ? verb.substr(5) : verb;
  for (const std::string_view known :
       {"eq", "ne", "lt.u", "le.u", "gt.u", "ge.u", "lt.s", "le.s", "gt.s", "ge.s", "lt", "le", "not.lt", "not.le"}) {
    if (test == known) return true;
  }
  return false;
}

/// A function that returns whether a comparison holds: as a value, or by the way a jump goes.
Module comparison(Op op, RegisterKind kind, std::optional<std::uint64_t> immediate) {
  ModuleBuilder builder("comparisons");
  const auto signature = builder.signature({{{kind}, {kind}}, kBool, false});
  FunctionBuilder f(builder, builder.declare("test", signature));
  const Register result = f.add_register(kBool);
  const bool jumps = info(op).text.starts_with("jump.");
  if (!jumps) {
    immediate ? f.emit(op, result, f.parameter(0), *immediate) : f.emit(op, result, f.parameter(0), f.parameter(1));
  } else {
    const Label taken = f.label();
    const Label end = f.label();
    immediate ? f.emit(op, f.parameter(0), *immediate, taken) : f.emit(op, f.parameter(0), f.parameter(1), taken);
    f.emit(Op::Const, result, 0);
    f.emit(Op::Jump, end);
    f.bind(taken);
    f.emit(Op::Const, result, 1);
    f.bind(end);
  }
  f.emit(Op::ReturnValue, result);
  f.finish();
  return builder.take();
}

}  // namespace

TEST_CASE("comparisons hold as values and as jumps", "[interpreter]") {
  const double doubles[] = {0.0,
                            -0.0,
                            1.0,
                            -1.0,
                            1.5,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::denorm_min()};
  for (std::uint32_t i = 0; i < kOperationCount; ++i) {
    const Op op = static_cast<Op>(i);
    const OpName name = split_name(info(op).text);
    if (!is_test(name.verb)) continue;
    INFO(info(op).text);
    const bool jumps = name.verb.starts_with("jump.");
    const std::string_view test = jumps ? name.verb.substr(5) : name.verb;
    if (name.type == "f32" || name.type == "f64") {
      const bool wide = name.type == "f64";
      Running running(comparison(op, wide ? RegisterKind::F64 : RegisterKind::F32, {}));
      for (const double a : doubles) {
        for (const double b : doubles) {
          const auto slot = [&](double v) { return wide ? bits(v) : bits(static_cast<float>(v)); };
          const auto shown = [&](double v) { return wide ? v : static_cast<double>(static_cast<float>(v)); };
          REQUIRE(running.call(0, {slot(a), slot(b)}).value == (holds(test, shown(a), shown(b)) ? 1 : 0));
        }
      }
      continue;
    }
    for (const NumberType& type : kIntegers) {
      if ((test.ends_with(".u") && type.is_signed) || (test.ends_with(".s") && !type.is_signed)) continue;
      std::optional<Running> registers;
      if (!name.immediate) registers.emplace(comparison(op, type.kind, {}));
      for (const std::uint64_t b : edges(type)) {
        // Jumps hold 32 bits of immediate: sign-extended, but zero-extended for unsigned order.
        const bool reaches =
            test.ends_with(".u") ? b <= 0xffffffff : static_cast<std::int64_t>(b) == static_cast<std::int32_t>(b);
        if (name.immediate && jumps && !reaches) continue;
        std::optional<Running> immediate;
        if (name.immediate) immediate.emplace(comparison(op, type.kind, b));
        for (const std::uint64_t a : edges(type)) {
          Running& running = name.immediate ? *immediate : *registers;
          const auto x = static_cast<long double>(value_of(type, a));
          const auto y = static_cast<long double>(value_of(type, b));
          REQUIRE(running.call(0, {a, b}).value == (holds(test, x, y) ? 1 : 0));
        }
      }
    }
  }
}

TEST_CASE("float operations round each result to their type", "[interpreter]") {
  std::mt19937_64 random(23);
  std::vector<double> values{0.0, -0.0, 1.0, -1.0, 0.1, 1e308, -1e-310, 3.5, std::numeric_limits<double>::infinity()};
  for (int i = 0; i < 40; ++i)
    values.push_back(std::ldexp(static_cast<double>(random() >> 11), static_cast<int>(random() % 60) - 80));
  const auto check = [&](auto zero, Op first, RegisterKind kind) {
    using F = decltype(zero);
    const auto same = [&](Op op, std::vector<F> operands, F expected) {
      static std::map<Op, std::unique_ptr<OneOperation>> made;
      auto& operation = made[op];
      if (!operation)
        operation = std::make_unique<OneOperation>(op, kind, std::vector<RegisterKind>(operands.size(), kind));
      std::vector<std::uint64_t> slots;
      for (const F v : operands) slots.push_back(bits(v));
      const std::uint64_t got = (*operation)(slots).value;
      INFO(info(op).text);
      REQUIRE((std::isnan(expected) || got == bits(expected)));
    };
    const auto at = [&](int k) { return static_cast<Op>(static_cast<int>(first) + k); };
    for (const double wide_a : values) {
      const auto a = static_cast<F>(wide_a);
      for (const double wide_b : values) {
        const auto b = static_cast<F>(wide_b);
        same(at(0), {a, b}, a + b);
        same(at(1), {a, b}, a - b);
        same(at(2), {a, b}, a * b);
        same(at(3), {a, b}, a / b);
        same(at(4), {a, b, F{1.25}}, std::fma(a, b, F{1.25}));
      }
      same(at(5), {a}, -a);
      same(at(6), {a}, std::fabs(a));
      same(at(7), {a}, std::sqrt(a));
      same(at(8), {a}, std::floor(a));
      same(at(9), {a}, std::ceil(a));
      same(at(10), {a}, std::trunc(a));
    }
  };
  check(0.0F, Op::AddF32, RegisterKind::F32);
  check(0.0, Op::AddF64, RegisterKind::F64);
}

TEST_CASE("integers convert to integers, exactly or with a trap", "[interpreter]") {
  for (const NumberType& to : kIntegers) {
    for (const NumberType& from : kIntegers) {
      const std::string text = "to." + std::string(to.name) + (from.is_signed ? ".s" : ".u");
      const Op op = find_operation(text);
      REQUIRE(op != Op::Count);
      OneOperation operation(op, to.kind, {from.kind});
      for (const std::uint64_t x : edges(from)) {
        const bool fine = fits(to, value_of(from, x));
        std::optional<OneOperation> fresh;
        if (!fine) fresh.emplace(op, to.kind, std::vector<RegisterKind>{from.kind});
        const Outcome outcome = (fine ? operation : *fresh)({x});
        REQUIRE(outcome.trap.has_value() == !fine);
        if (fine) REQUIRE(value_of(to, outcome.value) == value_of(from, x));
        if (!fine) REQUIRE(outcome.trap->kind == TrapKind::Conversion);
      }
    }
  }
}

TEST_CASE("floats, integers and storage floats convert into each other", "[interpreter]") {
  const auto one = [](std::string_view text, RegisterKind to, RegisterKind from, std::uint64_t x) {
    const Op op = find_operation(text);
    REQUIRE(op != Op::Count);
    return OneOperation(op, to, {from})({x});
  };
  CHECK(one("to.u8.f64", RegisterKind::U8, RegisterKind::F64, bits(255.9)).value == 255);
  CHECK(one("to.u8.f64", RegisterKind::U8, RegisterKind::F64, bits(256.0)).trap->kind == TrapKind::Conversion);
  CHECK(one("to.i64.f32", RegisterKind::I64, RegisterKind::F32, bits(-1.5F)).value == ~0ULL);
  CHECK(one("to.f32.u", RegisterKind::F32, RegisterKind::U64, 16777217).value == bits(16777216.0F));
  CHECK(one("to.f64.s", RegisterKind::F64, RegisterKind::I8, static_cast<std::uint64_t>(-3)).value == bits(-3.0));
  CHECK(one("to.f64.f32", RegisterKind::F64, RegisterKind::F32, bits(0.1F)).value == bits(static_cast<double>(0.1F)));
  CHECK(one("to.f32.f64", RegisterKind::F32, RegisterKind::F64, bits(1e300)).value ==
        bits(std::numeric_limits<float>::infinity()));
  CHECK(one("bits.f32", RegisterKind::U32, RegisterKind::F32, bits(1.0F)).value == 0x3f800000);
  CHECK(one("from.bits.f64", RegisterKind::F64, RegisterKind::U64, bits(2.5)).value == bits(2.5));
  CHECK(one("to.f16.f64", RegisterKind::U16, RegisterKind::F64, bits(1.0 / 3)).value == 0x3555);
  CHECK(one("to.bf16.f32", RegisterKind::U16, RegisterKind::F32, bits(0.1F)).value == 0x3dcd);
  CHECK(one("to.f8e4m3.f64", RegisterKind::U8, RegisterKind::F64, bits(464.0)).value == 0x7e);
  CHECK(one("to.f8e4m3.f64", RegisterKind::U8, RegisterKind::F64, bits(465.0)).trap->kind == TrapKind::Conversion);
  CHECK(one("to.f8e5m2.f32", RegisterKind::U8, RegisterKind::F32, bits(-3.14159F)).value == 0xc2);
  CHECK(one("to.f32.f16", RegisterKind::F32, RegisterKind::U16, 0x7bff).value == bits(65504.0F));
  CHECK(one("to.f64.f8e4m3", RegisterKind::F64, RegisterKind::U8, 0x01).value == bits(0x1p-9));
  CHECK(one("to.f64.bf16", RegisterKind::F64, RegisterKind::U16, 0x0001).value == bits(0x1p-133));
  CHECK(one("to.f32.f8e5m2", RegisterKind::F32, RegisterKind::U8, 0xfc).value ==
        bits(-std::numeric_limits<float>::infinity()));
}

TEST_CASE("quantize and its stochastic form reach every target", "[interpreter]") {
  const auto nearest = [](std::string_view target, RegisterKind to, float x, float scale) {
    return OneOperation(find_operation("quantize." + std::string(target)), to,
                        {RegisterKind::F32, RegisterKind::F32})({bits(x), bits(scale)});
  };
  CHECK(nearest("i8", RegisterKind::I8, -2.5F, 1.0F).value == static_cast<std::uint64_t>(-2));
  CHECK(nearest("u8", RegisterKind::U8, -0.3F, 1.0F).value == 0);
  CHECK(nearest("i16", RegisterKind::I16, 1e9F, 1.0F).value == 32767);
  CHECK(nearest("u16", RegisterKind::U16, 2.5F, 1.0F).value == 2);
  CHECK(nearest("f16", RegisterKind::U16, 65520.0F, 1.0F).value == 0x7bff);
  CHECK(nearest("bf16", RegisterKind::U16, 1.0F, 3.0F).value == 0x3eab);
  CHECK(nearest("f8e4m3", RegisterKind::U8, 0.1F, 0.3F).value == 0x2b);
  CHECK(nearest("f8e5m2", RegisterKind::U8, -2.3F, 0.7F).value == 0xc3);
  CHECK(nearest("i8", RegisterKind::I8, 1.0F, 0.0F).trap->message == "trap: quantize: scale 0");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(nearest("u8", RegisterKind::U8, nan, 1.0F).trap->message == "trap: quantize: nan does not fit u8");
  OneOperation stochastic(Op::QuantizeStochasticI8, RegisterKind::I8,
                          {RegisterKind::F32, RegisterKind::F32, RegisterKind::U32});
  CHECK(stochastic({bits(-1.25F), bits(1.0F), 0x3fffffff}).value == static_cast<std::uint64_t>(-2));
  CHECK(stochastic({bits(-1.25F), bits(1.0F), 0x40000000}).value == static_cast<std::uint64_t>(-1));
}

}  // namespace cairn::tests
