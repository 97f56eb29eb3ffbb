#include "tests/jit/random_module.hpp"

#include <bit>
#include <map>
#include <random>

#include "vm/bytecode/builder.hpp"

namespace cairn::tests {

using namespace bytecode;  // NOLINT

namespace {

constexpr RegisterKind kScalars[] = {RegisterKind::Bool, RegisterKind::U8,  RegisterKind::U16, RegisterKind::U32,
                                     RegisterKind::U64,  RegisterKind::I8,  RegisterKind::I16, RegisterKind::I32,
                                     RegisterKind::I64,  RegisterKind::F32, RegisterKind::F64};
constexpr ScalarKind scalar_of(RegisterKind kind) {
  return static_cast<ScalarKind>(static_cast<int>(kind) - static_cast<int>(RegisterKind::Bool));
}

/// An operation whose operands are scalars, and how likely its guard fails.
struct ScalarOp {
  Op op{};
  bool guarded = false;
};

/// Operations on scalars by the kind they give, but for those that show which NaN arithmetic gave.
const std::vector<ScalarOp>& scalar_operations() {
  static const std::vector<ScalarOp> found = [] {
    std::vector<ScalarOp> all;
    for (std::uint32_t i = 0; i < kOperationCount; ++i) {
      const Op op = static_cast<Op>(i);
      const OperationInfo& row = info(op);
      bool fits = row.operand_count > 1 && row.operands[0].role == Role::Write && !row.has_list;
      for (const Operand& operand : row.all()) {
        const bool is_register = operand.role == Role::Read || operand.role == Role::Write;
        const bool is_scalar =
            operand.type <= Class::One || operand.type == Class::SameAsA || operand.type == Class::SameAsB;
        const bool is_number =
            operand.role == Role::Immediate && operand.type >= Class::ImmBool && operand.type <= Class::ImmB;
        fits &= (is_register && is_scalar) || is_number;
      }
      const bool of_kernels = op >= Op::WarpShuffle && op <= Op::WarpReduce;
      const bool shows_nan = row.text.starts_with("bits.") || row.text.starts_with("quantize") ||
                             op == Op::FunctionOf || row.text.starts_with("to.f16") ||
                             row.text.starts_with("to.bf16") || row.text.starts_with("to.f8");
      if (!fits || of_kernels || shows_nan || row.text.starts_with("mmio.")) continue;
      all.push_back({op, row.traps != 0});
    }
    return all;
  }();
  return found;
}

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed), module_("random") {}

  Module make() {
    file_ = module_.file("random.cairn");
    std::vector<Field> fields;
    for (const RegisterKind kind : kScalars) fields.push_back({"f", module_.scalar(scalar_of(kind)), 0});
    record_ = module_.declare_record("Record");
    module_.define_record(record_, fields);
    const std::uint32_t word = module_.scalar(ScalarKind::U64);
    host_view_ = {RegisterKind::View, true, word};
    for (const RegisterKind kind : {RegisterKind::U8, RegisterKind::U32, RegisterKind::U64, RegisterKind::I16,
                                    RegisterKind::I64, RegisterKind::F32, RegisterKind::F64}) {
      arrays_.push_back({kind, module_.array(module_.scalar(scalar_of(kind)), kElements)});
    }
    const std::size_t count = 1 + below(4);
    for (std::size_t i = 0; i < count; ++i) {
      Signature signature;
      signature.parameters.push_back(host_view_);
      if (i != 0) {
        for (std::size_t k = below(4); k-- > 0;) signature.parameters.push_back({kScalars[below(std::size(kScalars))]});
        if (below(3) == 0) signature.parameters.push_back({RegisterKind::Ref, true, record_});
        signature.parameters.push_back({RegisterKind::U64});  // how often it may still call itself
      }
      signature.result = {i == 0 ? RegisterKind::U64 : kScalars[below(std::size(kScalars))]};
      const std::uint32_t index = module_.signature(signature);
      functions_.push_back({module_.declare("f" + std::to_string(i), index), index, signature});
    }
    for (std::size_t i = 0; i < count; ++i) function(i);
    return module_.take();
  }

 private:
  static constexpr std::uint64_t kElements = 40;
  static constexpr std::uint64_t kMask = 31;
  struct Declared {
    std::uint32_t index = 0;
    std::uint32_t signature = 0;
    Signature types;
  };
  struct ArrayType {
    RegisterKind kind{};
    std::uint32_t type = 0;
  };
  struct View {
    Register pair;
    RegisterKind element{};
  };

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }

  std::uint64_t number(RegisterKind kind) {
    const std::uint64_t bits = one_in(3) ? random_() >> below(64) : below(9);
    switch (kind) {
      case RegisterKind::Bool:
        return bits & 1;
      case RegisterKind::F32:
        return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<double>(bits) - 3) / 2);
      case RegisterKind::F64:
        return std::bit_cast<std::uint64_t>((static_cast<double>(bits) - 3) / 2);
      default: {
        const unsigned order = static_cast<unsigned>(kind) - static_cast<unsigned>(RegisterKind::U8);
        const unsigned shift = 64 - (8U << (order % 4));
        if (order < 4) return bits << shift >> shift;
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << shift) >> shift);
      }
    }
  }

  Register any(RegisterKind kind) {
    const auto& pool = registers_[kind];
    return pool[below(pool.size())];
  }

  void function(std::size_t which) {
    own_ = which;
    const Declared& declared = functions_[which];
    FunctionBuilder f(module_, declared.index);
    f_ = &f;
    line_ = static_cast<std::uint32_t>(100 * which);
    next_line();
    registers_.clear();
    views_.clear();
    references_.clear();
    for (const RegisterKind kind : kScalars) {
      for (int k = 0; k < 2; ++k) {
        const Register made = f.add_register({kind});
        f.constant(made, number(kind));
        registers_[kind].push_back(made);
      }
    }
    const std::size_t parameters = declared.types.parameters.size();
    calls_itself_ = which != 0 && one_in(3);
    left_ = which == 0 ? f.add_register({RegisterKind::U64}) : f.parameter(parameters - 1);
    if (which == 0) f.constant(left_, below(6));
    for (std::size_t k = 0; k < parameters - (which == 0 ? 0 : 1); ++k) {
      const RegisterType& type = declared.types.parameters[k];
      if (type.kind == RegisterKind::View) {
        views_.push_back({f.parameter(k), RegisterKind::U64});
        host_ = f.parameter(k);
      } else if (type.kind == RegisterKind::Ref) {
        references_.push_back(f.parameter(k));
      } else {
        registers_[type.kind].push_back(f.parameter(k));
      }
    }
    record_at_ = f.add_object(record_);
    f.emit(Op::FrameZero, record_at_, static_cast<std::uint32_t>(module_.type(record_).size));
    if (one_in(2)) {
      const Register reference = f.add_register({RegisterKind::Ref, true, record_});
      f.emit(Op::FrameRef, reference, record_at_);
      references_.push_back(reference);
    }
    for (std::size_t k = below(6); k-- > 0;) {
      const ArrayType& array = arrays_[one_in(2) ? arrays_.size() - 1 - below(2) : below(arrays_.size())];
      const std::uint64_t at = f.add_object(array.type);
      f.emit(Op::FrameZero, at, static_cast<std::uint32_t>(module_.type(array.type).size));
      const Register view = f.add_register({RegisterKind::View, true, module_.type(array.type).element});
      f.emit(Op::FrameView, view, at, static_cast<std::uint32_t>(kElements));
      views_.push_back({view, array.kind});
    }
    depth_ = 0;
    statements(4 + below(12));
    // What was computed shows in the host's words.
    for (std::uint64_t k = 0; k < kHostWords; ++k) {
      if (!one_in(3)) continue;
      const Register index = f.temporary({RegisterKind::U64});
      f.constant(index, k);
      f.emit(Op::StoreAtU64, host_, index, any(RegisterKind::U64));
      f.release(index);
    }
    f.emit(Op::ReturnValue, any(declared.types.result.kind));
    f.finish();
  }

  void next_line() { f_->at({file_, ++line_, 1}); }

  void statements(std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) statement();
  }

  void statement() {
    next_line();
    switch (below(20)) {
      case 0:
      case 1:
        return depth_ < 3 ? branch() : arithmetic();
      case 2:
        if (one_in(4)) return array_loop();
        return depth_ < 2 ? loop() : arithmetic();
      case 3:
      case 4:
        return element();
      case 5:
        return frame_field();
      case 6:
        return referenced_field();
      case 7:
      case 8:
        return call();
      case 9:
        return part();
      case 10:
        return depth_ < 3 && one_in(2) ? choose() : arithmetic();
      case 11:
        return one_in(3) ? print() : move();
      case 12:
        return one_in(8) ? copy() : arithmetic();
      default:
        return arithmetic();
    }
  }

  void arithmetic() {
    const auto& operations = scalar_operations();
    ScalarOp chosen = operations[below(operations.size())];
    for (int k = 0; k < 8 && chosen.guarded && !one_in(6); ++k) chosen = operations[below(operations.size())];
    const OperationInfo& row = info(chosen.op);
    std::vector<RegisterKind> kinds;
    std::vector<Argument> arguments;
    for (const Operand& operand : row.all()) {
      RegisterKind kind{};
      if (operand.type <= Class::F64) {
        kind = static_cast<RegisterKind>(static_cast<int>(RegisterKind::Bool) + static_cast<int>(operand.type));
      } else if (operand.type == Class::UInt) {
        kind = kScalars[1 + below(4)];
      } else if (operand.type == Class::SInt) {
        kind = kScalars[5 + below(4)];
      } else if (operand.type == Class::Int) {
        kind = kScalars[1 + below(8)];
      } else if (operand.type == Class::Whole) {
        kind = kScalars[below(9)];
      } else if (operand.type == Class::One) {
        kind = kScalars[below(std::size(kScalars))];
      } else if (operand.type == Class::SameAsA || operand.type == Class::ImmA) {
        kind = kinds[0];
      } else if (operand.type == Class::SameAsB || operand.type == Class::ImmB) {
        kind = kinds[1];
      } else {
        kind = static_cast<RegisterKind>(static_cast<int>(RegisterKind::Bool) + static_cast<int>(operand.type) -
                                         static_cast<int>(Class::ImmBool));
      }
      kinds.push_back(kind);
      if (operand.is_register()) {
        arguments.emplace_back(any(kind));
      } else {
        const bool shifts = row.text.starts_with("sh");
        arguments.emplace_back(shifts ? below(one_in(9) ? 70 : 8) : number(kind));
      }
    }
    switch (arguments.size()) {
      case 2:
        return f_->emit(chosen.op, arguments[0], arguments[1]);
      case 3:
        return f_->emit(chosen.op, arguments[0], arguments[1], arguments[2]);
      default:
        return f_->emit(chosen.op, arguments[0], arguments[1], arguments[2], arguments[3]);
    }
  }

  void jump_somewhere(Label label) {
    switch (below(4)) {
      case 0:
        return f_->emit(one_in(2) ? Op::JumpIf : Op::JumpIfNot, any(RegisterKind::Bool), label);
      case 1: {
        const bool wide = one_in(2);
        const auto first = static_cast<std::uint32_t>(wide ? Op::JumpEqF64 : Op::JumpEqF32);
        const RegisterKind kind = wide ? RegisterKind::F64 : RegisterKind::F32;
        return f_->emit(static_cast<Op>(first + below(6)), any(kind), any(kind), label);
      }
      case 2: {
        const bool is_signed = one_in(2);
        constexpr Op kUnsignedJumps[] = {Op::JumpEq, Op::JumpNe, Op::JumpLtU, Op::JumpLeU};
        constexpr Op kSignedJumps[] = {Op::JumpEq, Op::JumpNe, Op::JumpLtS, Op::JumpLeS};
        const RegisterKind kind = kScalars[(is_signed ? 5 : 1) + below(4)];
        return f_->emit(is_signed ? kSignedJumps[below(4)] : kUnsignedJumps[below(4)], any(kind), any(kind), label);
      }
      default: {
        const bool is_signed = one_in(2);
        constexpr Op kUnsignedJumps[] = {Op::JumpEqImm,  Op::JumpNeImm,  Op::JumpLtUImm,
                                         Op::JumpLeUImm, Op::JumpGtUImm, Op::JumpGeUImm};
        constexpr Op kSignedJumps[] = {Op::JumpEqImm,  Op::JumpNeImm,  Op::JumpLtSImm,
                                       Op::JumpLeSImm, Op::JumpGtSImm, Op::JumpGeSImm};
        // The smallest types admit the fewest numbers.
        const RegisterKind kind = is_signed ? RegisterKind::I64 : RegisterKind::U64;
        return f_->emit(is_signed ? kSignedJumps[below(6)] : kUnsignedJumps[below(6)], any(kind),
                        static_cast<std::uint32_t>(below(12)), label);
      }
    }
  }

  void branch() {
    ++depth_;
    const Label other = f_->label();
    jump_somewhere(other);
    statements(1 + below(4));
    if (one_in(2)) {
      const Label end = f_->label();
      f_->emit(Op::Jump, end);
      f_->bind(other);
      statements(1 + below(3));
      f_->bind(end);
    } else {
      f_->bind(other);
    }
    --depth_;
  }

  void loop() {
    ++depth_;
    // Registers of the loop's own: nothing in it writes them.
    const Register index = f_->add_register({RegisterKind::U64});
    const Register end = f_->add_register({RegisterKind::U64});
    f_->constant(index, 0);
    f_->constant(end, 1 + below(one_in(6) ? kElements + 3 : 6));
    const Label top = f_->label();
    const Label out = f_->label();
    const bool tests_first = one_in(3);
    const Label test = f_->label();
    if (tests_first) f_->emit(Op::Jump, test);
    f_->bind(top);
    const bool counts_last = one_in(2);
    if (counts_last) counters_.push_back(index);
    statements(1 + below(5));
    if (counts_last) counters_.pop_back();
    if (one_in(3)) jump_somewhere(out);
    if (!tests_first) f_->bind(test);
    if (tests_first) {
      f_->emit(Op::AddU64Imm, index, index, 1);
      f_->bind(test);
      if (one_in(2)) jump_somewhere(out);
      f_->emit(Op::JumpLtU, index, end, top);
    } else if (!one_in(4)) {
      f_->emit(Op::LoopNext, index, end, top);
    } else {
      f_->emit(Op::AddU64Imm, index, index, 1);
      f_->emit(Op::JumpLtU, index, end, top);
    }
    f_->bind(out);
    --depth_;
  }

  void choose() {
    ++depth_;
    std::vector<Label> cases;
    const std::size_t count = 1 + below(7);
    for (std::size_t k = 0; k < count; ++k) cases.push_back(f_->label());
    const Label end = f_->label();
    f_->emit_switch(any(RegisterKind::U8), cases);
    statements(1 + below(2));
    for (const Label each : cases) {
      if (one_in(3)) f_->emit(Op::Jump, end);
      f_->bind(each);
      statements(1);
    }
    f_->bind(end);
    --depth_;
  }

  /// Mostly within the arrays; often the counter of a loop around it, or not far from it.
  Register bounded_index() {
    if (!counters_.empty() && one_in(2)) return near_counter();
    const Register index = f_->add_register({RegisterKind::U64});
    if (one_in(12)) {
      f_->emit(Op::Move, index, any(RegisterKind::U64));
    } else {
      f_->emit(Op::AndImm, index, any(RegisterKind::U64), kMask);
    }
    return index;
  }

  Register near_counter() {
    const Register counter = counters_[below(counters_.size())];
    if (one_in(2)) return counter;
    const Register index = f_->add_register({RegisterKind::U64});
    switch (below(4)) {
      case 0:
        f_->emit(Op::AddU64Imm, index, counter, below(3));
        break;
      case 1:
        f_->emit(Op::SubU64Imm, index, counter, below(2));
        break;
      case 2: {
        const Register factor = f_->add_register({RegisterKind::U64});
        f_->emit(Op::MulU64, factor, any(RegisterKind::U64), any(RegisterKind::U64));
        f_->emit(Op::AddU64, index, factor, counter);
        break;
      }
      default:
        f_->emit(Op::AddU64, index, counter, any(RegisterKind::U64));
        break;
    }
    return index;
  }

  /// A loop over arrays of one kind as programs write them: loads, arithmetic, stores, near the counter.
  void array_loop() {
    const RegisterKind kind = arrays_[below(arrays_.size())].kind;
    const bool floats = kind == RegisterKind::F32 || kind == RegisterKind::F64;
    const auto operation = integer_operations(kind);
    std::vector<Register> arrays;
    for (const View& view : views_) {
      if (view.element == kind) arrays.push_back(view.pair);
    }
    if (arrays.empty()) return arithmetic();
    const Register counter = f_->add_register({RegisterKind::U64});
    const Register end = f_->add_register({RegisterKind::U64});
    const std::uint64_t first = below(3);
    f_->constant(counter, first);
    f_->constant(end, first + 1 + below(kElements - 1));
    const Register shift = f_->add_register({RegisterKind::U64});
    f_->constant(shift, below(3));
    std::vector<Register> values;
    for (int k = 0; k < 3; ++k) values.push_back(f_->add_register({kind}));
    for (const Register value : values) f_->constant(value, number(kind));
    const auto value = [&] { return values[below(values.size())]; };
    const Label top = f_->label();
    f_->bind(top);
    const Register index = f_->add_register({RegisterKind::U64});
    const auto place = [&] {
      switch (below(9)) {
        case 0:
          f_->emit(Op::AddU64Imm, index, counter, 1);
          return index;
        case 1:
          f_->emit(Op::SubU64Imm, index, counter, 1);
          return index;
        case 2:
          f_->emit(Op::AddU64, index, counter, shift);
          return index;
        case 3:
          f_->emit(Op::AddU64Imm, index, counter, 1);
          f_->emit(Op::AddU64, index, index, shift);
          return index;
        default:
          return counter;
      }
    };
    const auto first_op = static_cast<std::uint32_t>(kind == RegisterKind::F32 ? Op::AddF32 : Op::AddF64);
    for (std::size_t k = 2 + below(6); k-- > 0;) {
      next_line();
      const Register array = arrays[below(arrays.size())];
      switch (below(4)) {
        case 0:
          f_->emit(at_operation(kind, true), array, place(), value());
          break;
        case 1:
          if (one_in(3) || (operation.empty() && !floats)) {
            f_->emit(Op::Move, value(), value());
          } else if (floats) {
            f_->emit(static_cast<Op>(first_op + below(4)), value(), value(), value());
          } else {
            const ScalarOp& chosen = operation[below(operation.size())];
            const bool takes_number = info(chosen.op).operands[2].role == Role::Immediate;
            const bool shifts = info(chosen.op).text.starts_with("sh");
            if (takes_number) {
              f_->emit(chosen.op, value(), value(), shifts ? below(8) : number(kind));
            } else {
              f_->emit(chosen.op, value(), value(), value());
            }
          }
          break;
        default:
          f_->emit(at_operation(kind, false), value(), array, place());
          break;
      }
    }
    f_->emit(Op::LoopNext, counter, end, top);
    if (floats) {
      f_->emit(kind == RegisterKind::F32 ? Op::LtF32 : Op::LtF64, any(RegisterKind::Bool), value(), value());
    } else {
      f_->emit(Op::Move, any(kind), value());
    }
  }

  /// Operations of two operands of the kind that seldom trap.
  static std::vector<ScalarOp> integer_operations(RegisterKind kind) {
    std::vector<ScalarOp> found;
    for (const ScalarOp& each : scalar_operations()) {
      const OperationInfo& row = info(each.op);
      if (row.operand_count != 3) continue;
      const bool takes_number = row.operands[2].role == Role::Immediate;
      if (each.guarded && !(takes_number && row.text.starts_with("sh"))) continue;
      const auto of_kind = static_cast<Class>(static_cast<int>(kind) - static_cast<int>(RegisterKind::Bool));
      const auto fits = [&](const Operand& operand) {
        return operand.type == of_kind || operand.type == Class::SameAsA || operand.type == Class::ImmA ||
               (operand.type >= Class::ImmBool && operand.role == Role::Immediate);
      };
      const bool is_signed = kind >= RegisterKind::I8;
      const Class type = row.operands[0].type;
      const bool any_width =
          type == Class::Whole || type == Class::Int || type == (is_signed ? Class::SInt : Class::UInt);
      if ((type == of_kind || any_width) && fits(row.operands[1]) && fits(row.operands[2])) {
        found.push_back(each);
      }
    }
    return found;
  }

  Op at_operation(RegisterKind kind, bool store) {
    const auto first = static_cast<std::uint32_t>(store ? Op::StoreAtBool : Op::LoadAtBool);
    constexpr auto kStride = static_cast<std::uint32_t>(Op::LoadAtU8) - static_cast<std::uint32_t>(Op::LoadAtBool);
    return static_cast<Op>(first + kStride * static_cast<std::uint32_t>(scalar_of(kind)));
  }
  Op field_operation(Op of_bool, RegisterKind kind) {
    constexpr auto kStride = static_cast<std::uint32_t>(Op::LoadU8) - static_cast<std::uint32_t>(Op::LoadBool);
    return static_cast<Op>(static_cast<std::uint32_t>(of_bool) + kStride * static_cast<std::uint32_t>(scalar_of(kind)));
  }

  void element() {
    const View view = views_[below(views_.size())];
    const Register index = bounded_index();
    if (one_in(2)) {
      f_->emit(at_operation(view.element, true), view.pair, index, any(view.element));
    } else {
      f_->emit(at_operation(view.element, false), any(view.element), view.pair, index);
    }
  }

  void frame_field() {
    const std::size_t k = below(std::size(kScalars));
    const std::uint64_t at = record_at_ + module_.type(record_).fields[k].offset;
    const bool store = one_in(2);
    f_->emit(field_operation(store ? Op::FrameStoreBool : Op::FrameLoadBool, kScalars[k]), any(kScalars[k]), at);
  }

  void referenced_field() {
    if (references_.empty()) return frame_field();
    const Register reference = references_[below(references_.size())];
    const std::size_t k = below(std::size(kScalars));
    const std::uint64_t at = module_.type(record_).fields[k].offset;
    if (one_in(2)) {
      f_->emit(field_operation(Op::StoreBool, kScalars[k]), reference, any(kScalars[k]), at);
    } else {
      f_->emit(field_operation(Op::LoadBool, kScalars[k]), any(kScalars[k]), reference, at);
    }
  }

  void part() {
    const View whole = views_[below(views_.size())];
    const Register view = f_->add_register(f_->type_of(whole.pair));
    if (one_in(4)) {
      const Register lo = bounded_index();
      const Register hi = bounded_index();
      f_->emit(Op::Part, view, whole.pair, lo, hi, static_cast<std::uint32_t>(size_of(whole.element)));
    } else {
      const Register lo = f_->add_register({RegisterKind::U64});
      const Register hi = f_->add_register({RegisterKind::U64});
      f_->constant(lo, below(4));
      f_->constant(hi, 4 + below(4));
      f_->emit(Op::Part, view, whole.pair, lo, hi, static_cast<std::uint32_t>(size_of(whole.element)));
      const Register index = f_->add_register({RegisterKind::U64});
      f_->constant(index, below(5));
      f_->emit(at_operation(whole.element, false), any(whole.element), view, index);
    }
  }
  static std::uint32_t size_of(RegisterKind kind) { return scalar_size(scalar_of(kind)); }

  void move() {
    const RegisterKind kind = kScalars[below(std::size(kScalars))];
    f_->emit(Op::Move, any(kind), any(kind));
  }

  void copy() {
    if (references_.size() < 2) return;
    const auto bytes = static_cast<std::uint32_t>(module_.type(record_).size);
    f_->emit(one_in(2) ? Op::Copy : Op::Swap, references_[below(references_.size())],
             references_[below(references_.size())], bytes);
  }

  void print() {
    std::vector<PrintItem> items{{PrintAs::Unsigned, any(RegisterKind::U32)},
                                 {PrintAs::Signed, any(RegisterKind::I64)},
                                 {PrintAs::Bool, any(RegisterKind::Bool)}};
    f_->emit_print(false, true, items);
  }

  /// Calls a later function, or once itself.
  void call() {
    if (calls_itself_ && depth_ == 0) {
      calls_itself_ = false;
      const Label last = f_->label();
      f_->emit(Op::JumpEqImm, left_, 0, last);
      f_->emit(Op::SubU64Imm, left_, left_, 1);
      call(functions_[own_]);
      f_->bind(last);
      return;
    }
    if (own_ + 1 >= functions_.size()) return arithmetic();
    call(functions_[own_ + 1 + below(functions_.size() - own_ - 1)]);
  }

  void call(const Declared& callee) {
    bool needs_reference = false;
    for (const RegisterType& type : callee.types.parameters) needs_reference |= type.kind == RegisterKind::Ref;
    if (needs_reference && references_.empty()) return arithmetic();
    const std::size_t way = below(3);
    Register value;
    if (way == 1) {
      value = f_->add_register({RegisterKind::Function, false, callee.signature});
      f_->emit(Op::FunctionOf, value, callee.index);
    } else if (way == 2) {
      value = f_->add_register({RegisterKind::Callable, false, callee.signature});
      f_->emit(Op::CallableFunction, value, callee.index);
    }
    const Register window = f_->outgoing(0);
    std::uint32_t slot = 0;
    const std::uint32_t last = callee.types.parameter_slots() - 1;
    for (const RegisterType& type : callee.types.parameters) {
      const Register to = window.plus(slot);
      if (slot == last) {
        f_->emit(Op::Move, to, left_);
      } else if (type.kind == RegisterKind::View) {
        f_->emit(Op::MovePair, to, host_);
      } else if (type.kind == RegisterKind::Ref) {
        f_->emit(Op::Move, to, references_[below(references_.size())]);
      } else {
        f_->emit(Op::Move, to, any(type.kind));
      }
      slot += type.slots();
    }
    if (way == 0) f_->emit(Op::Call, window, callee.index);
    if (way == 1) f_->emit(Op::CallValue, window, value, callee.signature);
    if (way == 2) f_->emit(Op::CallCallable, window, value, callee.signature);
    f_->emit(Op::Move, any(callee.types.result.kind), window);
  }

  std::mt19937_64 random_;
  ModuleBuilder module_;
  std::uint32_t file_ = 0, record_ = 0, line_ = 0;
  RegisterType host_view_;
  std::vector<ArrayType> arrays_;
  std::vector<Declared> functions_;
  // Of the function being made.
  FunctionBuilder* f_ = nullptr;
  std::size_t own_ = 0;
  int depth_ = 0;
  std::map<RegisterKind, std::vector<Register>> registers_;
  std::vector<View> views_;
  std::vector<Register> references_;
  std::vector<Register> counters_;  // of the loops around, which nothing in them writes
  Register host_, left_;
  bool calls_itself_ = false;
  std::uint64_t record_at_ = 0;
};

}  // namespace

Module random_module(std::uint64_t seed) { return Generator(seed).make(); }

}  // namespace cairn::tests
