// Every operation on scalars and every load and store, on grids of operands, as the interpreter does it and as machine
// code. What an operation takes is read from its row of the table.
#include "tests/jit/both_tiers.hpp"
#include "tests/jit/scalar_operations.hpp"

namespace cairn::tests {
namespace {

struct Maker {
  Tier tier{};
  bool from_ssa = false;
};
constexpr Maker kMakers[] = {{Tier::Baseline, false}, {Tier::Optimizing, false}, {Tier::Optimizing, true}};

}  // namespace

TEST_CASE("machine code does every operation on scalars as the interpreter does, traps and their words included",
          "[jit]") {
  const Maker maker = kMakers[GENERATE(0, 1, 2)];
  const CodeFromSsa from_ssa(maker.from_ssa);
  std::mt19937_64 random(7);
  struct Case {
    ScalarForm form;
    std::uint32_t function = 0;
  };
  ModuleBuilder builder("operations");
  std::vector<Case> cases;
  for (const ScalarForm& form : scalar_forms()) {
    for (const std::uint64_t immediate : immediates_of(form, random))
      cases.push_back({form, declare_scalar(builder, form, immediate, random() % 2 == 0)});
  }
  const Image image(verified(builder.take()), {});
  Engine interpreter(image, Tier::Interpreter);
  Engine machine(image, maker.tier);
  std::size_t wrong = 0;
  std::size_t calls = 0;
  for (const Case& each : cases) {
    const OperationInfo& row = info(each.form.op);
    for (const auto& list : operand_lists(each.form, random)) {
      ++calls;
      Ending expected = interpreter.call(each.function, list);
      Ending got = machine.call(each.function, list);
      expected.value = without_nan_bits(expected.value, each.form.kinds[0]);
      got.value = without_nan_bits(got.value, each.form.kinds[0]);
      if (expected == got) continue;
      if (++wrong > 20) continue;
      std::string shown;
      for (const std::uint64_t value : list) shown += " " + std::to_string(value);
      UNSCOPED_INFO(row.text << shown << ": " << expected.value << " " << expected.trap << " is " << got.value << " "
                             << got.trap);
    }
  }
  CHECK(wrong == 0);
  CHECK(calls > 300'000);
}

TEST_CASE("machine code jumps where the interpreter jumps", "[jit]") {
  const Maker maker = kMakers[GENERATE(0, 1, 2)];
  const CodeFromSsa from_ssa(maker.from_ssa);
  std::mt19937_64 random(11);
  ModuleBuilder builder("jumps");
  struct Case {
    Op op{};
    RegisterKind kind{};
    bool two = false;
    std::uint32_t function = 0;
  };
  std::vector<Case> cases;
  for (std::uint32_t i = static_cast<std::uint32_t>(Op::JumpEq); i <= static_cast<std::uint32_t>(Op::JumpNotLeF64);
       ++i) {
    const Op op = static_cast<Op>(i);
    const OperationInfo& row = info(op);
    const bool two = row.operands[1].is_register();
    for (const RegisterKind kind : kinds_of(row.operands[0].type)) {
      for (int k = 0; k < (two ? 1 : 12); ++k) {
        Signature signature;
        signature.parameters.assign(two ? 2 : 1, RegisterType{kind});
        signature.result = {RegisterKind::U32};
        const std::uint32_t index = builder.declare(std::string(row.text), builder.signature(signature));
        FunctionBuilder f(builder, index);
        const Register result = f.add_register({RegisterKind::U32});
        const auto taken = f.label();
        const std::uint64_t values[] = {0,          1,          127,        128,        255, 0x7fffffff,
                                        0x80000000, 0xffffffff, 0xffffff80, 0xfffffffe, 42,  7};
        two ? f.emit(op, f.parameter(0), f.parameter(1), taken)
            : f.emit(op, f.parameter(0), static_cast<std::uint32_t>(values[k]), taken);
        f.emit(Op::Const, result, 1);
        f.emit(Op::ReturnValue, result);
        f.bind(taken);
        f.emit(Op::Const, result, 2);
        f.emit(Op::ReturnValue, result);
        f.finish();
        cases.push_back({op, kind, two, index});
      }
    }
  }
  const Image image(verified(builder.take()), {});
  Engine interpreter(image, Tier::Interpreter);
  Engine machine(image, maker.tier);
  std::size_t wrong = 0;
  for (const Case& each : cases) {
    const std::vector<std::uint64_t> lefts = operands_of(each.kind, random);
    std::vector<std::uint64_t> rights{0};
    if (each.two) rights = operands_of(each.kind, random);
    for (const std::uint64_t left : lefts) {
      for (const std::uint64_t right : rights) {
        const std::uint64_t list[] = {left, right};
        const std::span<const std::uint64_t> arguments(list, each.two ? 2 : 1);
        wrong += interpreter.call(each.function, arguments) != machine.call(each.function, arguments);
      }
    }
  }
  CHECK(wrong == 0);
}

}  // namespace cairn::tests
