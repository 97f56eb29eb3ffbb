#include "tests/jit/scalar_operations.hpp"

#include <bit>
#include <cmath>

namespace cairn::tests {

using namespace bytecode;  // NOLINT: tests speak of little else

std::vector<std::uint64_t> operands_of(RegisterKind kind, std::mt19937_64& random) {
  std::vector<std::uint64_t> values;
  const auto integers = [&](unsigned width, bool is_signed) {
    const auto add = [&](std::uint64_t v) {
      if (is_signed) {
        v = static_cast<std::uint64_t>(static_cast<std::int64_t>(v << (64 - width)) >> (64 - width));
      } else if (width < 64) {
        v &= (std::uint64_t{1} << width) - 1;
      }
      values.push_back(v);
    };
    for (const unsigned bit : {0U, 1U, 3U, 5U, 6U, 7U, 8U, 15U, 16U, 31U, 32U, 53U, 62U, 63U}) {
      if (bit >= width) break;
      for (const std::uint64_t d : {~0ULL, 0ULL, 1ULL}) {
        add((1ULL << bit) + d);
        add(0 - (1ULL << bit) - d);
      }
    }
    for (int k = 0; k < 6; ++k) add(random() >> (random() % 64));
  };
  const auto floats = [&](auto as_bits) {
    for (const double x : {0.0,
                           0.5,
                           1.0,
                           1.5,
                           2.5,
                           127.0,
                           127.6,
                           128.0,
                           255.9,
                           256.0,
                           32767.9,
                           65504.0,
                           65536.0,
                           2147483647.0,
                           2147483648.0,
                           4294967295.0,
                           4294967296.0,
                           9007199254740993.0,
                           0x1p63,
                           0x1p64,
                           0x1.fffffffffffffp62,
                           0x1.fffffep+63,
                           1e-40,
                           1e-310,
                           3.4e38,
                           1.7e308,
                           static_cast<double>(HUGE_VAL),
                           static_cast<double>(NAN)}) {
      values.push_back(as_bits(x));
      values.push_back(as_bits(-x));
    }
    for (int k = 0; k < 4; ++k)
      values.push_back(as_bits(std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 160) - 110)));
  };
  switch (kind) {
    case RegisterKind::Bool:
      values = {0, 1};
      break;
    case RegisterKind::F32:
      floats([](double x) { return std::uint64_t{std::bit_cast<std::uint32_t>(static_cast<float>(x))}; });
      break;
    case RegisterKind::F64:
      floats([](double x) { return std::bit_cast<std::uint64_t>(x); });
      break;
    default: {
      const auto order = static_cast<unsigned>(kind) - static_cast<unsigned>(RegisterKind::U8);
      integers(8U << (order % 4), order >= 4);
      break;
    }
  }
  return values;
}

namespace {

using Kinds = std::vector<RegisterKind>;
constexpr RegisterKind kUnsigned[] = {RegisterKind::U8, RegisterKind::U16, RegisterKind::U32, RegisterKind::U64};
constexpr RegisterKind kSigned[] = {RegisterKind::I8, RegisterKind::I16, RegisterKind::I32, RegisterKind::I64};

bool is_scalar_operand(const Operand& operand) {
  if (operand.role == Role::Read || operand.role == Role::Write) {
    return operand.type <= Class::One || operand.type == Class::SameAsA || operand.type == Class::SameAsB;
  }
  return operand.role == Role::Immediate && ((operand.type >= Class::ImmBool && operand.type <= Class::ImmB));
}

}  // namespace

Kinds kinds_of(Class type) {
  if (type <= Class::F64)
    return {static_cast<RegisterKind>(static_cast<int>(RegisterKind::Bool) + static_cast<int>(type))};
  Kinds kinds;
  const bool any = type == Class::One || type == Class::Whole || type == Class::Int;
  if (type == Class::UInt || any) kinds.insert(kinds.end(), std::begin(kUnsigned), std::end(kUnsigned));
  if (type == Class::SInt || any) kinds.insert(kinds.end(), std::begin(kSigned), std::end(kSigned));
  if (type == Class::Whole || type == Class::One) kinds.push_back(RegisterKind::Bool);
  if (type == Class::One) kinds.insert(kinds.end(), {RegisterKind::F32, RegisterKind::F64});
  return kinds;
}

std::vector<ScalarForm> scalar_forms() {
  std::vector<ScalarForm> all;
  for (std::uint32_t i = 0; i < kOperationCount; ++i) {
    const Op op = static_cast<Op>(i);
    const OperationInfo& row = info(op);
    bool fits = row.operand_count != 0 && row.operands[0].role == Role::Write && !row.has_list && op != Op::FunctionOf;
    for (const Operand& operand : row.all()) fits &= is_scalar_operand(operand);
    const bool of_kernels = op >= Op::WarpShuffle && op <= Op::WarpReduce;
    if (!fits || of_kernels || row.text.starts_with("mmio.")) continue;
    std::vector<ScalarForm> made{{op, {}}};
    for (std::size_t k = 0; k < row.operand_count; ++k) {
      std::vector<ScalarForm> next;
      for (const ScalarForm& form : made) {
        const Class type = row.operands[k].type;
        Kinds kinds;
        if (type == Class::SameAsA || type == Class::ImmA) {
          kinds = {form.kinds[0]};
        } else if (type == Class::SameAsB || type == Class::ImmB) {
          kinds = {form.kinds[1]};
        } else if (type >= Class::ImmBool && type <= Class::ImmF64) {
          kinds = {static_cast<RegisterKind>(static_cast<int>(RegisterKind::Bool) + static_cast<int>(type) -
                                             static_cast<int>(Class::ImmBool))};
        } else {
          kinds = kinds_of(type);
        }
        for (const RegisterKind kind : kinds) {
          next.push_back(form);
          next.back().kinds.push_back(kind);
        }
      }
      made = std::move(next);
    }
    all.insert(all.end(), made.begin(), made.end());
  }
  return all;
}

std::uint32_t declare_scalar(ModuleBuilder& module, const ScalarForm& form, std::uint64_t immediate, bool over) {
  const OperationInfo& row = info(form.op);
  Signature signature;
  for (std::size_t k = 1; k < row.operand_count; ++k) {
    if (row.operands[k].is_register()) signature.parameters.push_back({form.kinds[k]});
  }
  signature.result = {form.kinds[0]};
  const std::uint32_t index = module.declare(std::string(row.text), module.signature(signature));
  FunctionBuilder f(module, index);
  Register result = f.add_register({form.kinds[0]});
  if (over && !signature.parameters.empty() && signature.parameters[0].kind == form.kinds[0]) result = f.parameter(0);
  std::vector<Argument> arguments{result};
  std::size_t parameter = 0;
  for (std::size_t k = 1; k < row.operand_count; ++k) {
    if (row.operands[k].is_register()) {
      arguments.emplace_back(f.parameter(parameter++));
    } else {
      arguments.emplace_back(immediate);
    }
  }
  switch (arguments.size()) {
    case 1:
      f.emit(form.op, arguments[0]);
      break;
    case 2:
      f.emit(form.op, arguments[0], arguments[1]);
      break;
    case 3:
      f.emit(form.op, arguments[0], arguments[1], arguments[2]);
      break;
    default:
      f.emit(form.op, arguments[0], arguments[1], arguments[2], arguments[3]);
      break;
  }
  f.emit(Op::ReturnValue, result);
  f.finish();
  return index;
}

std::vector<std::uint64_t> immediates_of(const ScalarForm& form, std::mt19937_64& random) {
  const OperationInfo& row = info(form.op);
  if (row.operands[row.operand_count - 1].is_register()) return {0};
  if (row.text.starts_with("sh")) return {0, 1, 7, 8, 15, 16, 31, 32, 63, 64, 1ULL << 40};
  return operands_of(form.kinds.back(), random);
}

std::vector<std::vector<std::uint64_t>> operand_lists(const ScalarForm& form, std::mt19937_64& random) {
  const OperationInfo& row = info(form.op);
  std::vector<std::vector<std::uint64_t>> lists{{}};
  for (std::size_t k = 1; k < row.operand_count; ++k) {
    if (!row.operands[k].is_register()) continue;
    std::vector<std::uint64_t> values = operands_of(form.kinds[k], random);
    if (row.text.starts_with("sh") && k == 2) values = {0, 1, 7, 8, 15, 16, 31, 32, 63, 64, 1ULL << 40};
    std::vector<std::vector<std::uint64_t>> longer;
    for (const auto& list : lists) {
      for (const std::uint64_t value : values) {
        if (lists.size() > 200 && random() % 16 != 0) continue;
        longer.push_back(list);
        longer.back().push_back(value);
      }
    }
    lists = std::move(longer);
  }
  return lists;
}

}  // namespace cairn::tests
