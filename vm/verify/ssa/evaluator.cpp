#include "vm/verify/ssa/evaluator.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>

#include "jit/ssa/fold.hpp"
#include "runtime/pair/functions.hpp"
#include "runtime/semantics/pair/kernels.hpp"
#include "vm/interpreter/interpreter.hpp"
#include "vm/interpreter/machine.hpp"
#include "vm/tiers/steps.hpp"

namespace cairn::verify {

using jit::Kind;
using jit::Relation;
using jit::ssa::BlockId;
using jit::ssa::fits;
using jit::ssa::Function;
using jit::ssa::Instruction;
using jit::ssa::kNoValue;
using jit::ssa::Mode;
using jit::ssa::number_of;
using jit::ssa::Opcode;
using jit::ssa::Use;
using ValueId = jit::ssa::Value;
using Int = jit::ssa::Number;

namespace {

constexpr std::uint32_t kMostLanes = 64;
struct Cell {
  std::uint64_t lane[kMostLanes] = {};
};

double f64_of(std::uint64_t bits) { return std::bit_cast<double>(bits); }
float f32_of(std::uint64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
std::uint64_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

// Relations and operations are written anew here, and not folding's, which this holds to them.
template <class T>
bool holds_of(Relation relation, T a, T b) {
  switch (relation) {
    case Relation::Eq:
      return a == b;
    case Relation::Ne:
      return a != b;
    case Relation::Lt:
      return a < b;
    case Relation::Le:
      return a <= b;
    case Relation::Gt:
      return a > b;
    case Relation::Ge:
      return a >= b;
    case Relation::NotLt:
      return !(a < b);
    default:
      return !(a <= b);
  }
}
bool holds(Relation relation, Kind kind, std::uint64_t a, std::uint64_t b) {
  if (kind == Kind::F64) return holds_of(relation, f64_of(a), f64_of(b));
  if (kind == Kind::F32) return holds_of(relation, f32_of(a), f32_of(b));
  return holds_of(relation, number_of(a, kind), number_of(b, kind));
}

template <class F>
F float_result(Opcode op, F a, F b, F c) {
  switch (op) {
    case Opcode::Add:
      return a + b;
    case Opcode::Sub:
      return a - b;
    case Opcode::Mul:
      return a * b;
    case Opcode::Div:
      return a / b;
    case Opcode::Neg:
      return -a;
    case Opcode::Abs:
      return std::fabs(a);
    case Opcode::Fma:
      return std::fma(a, b, c);
    case Opcode::Fms:
      return std::fma(a, b, -c);
    case Opcode::Fnma:
      return std::fma(-a, b, c);
    case Opcode::Sqrt:
      return std::sqrt(a);
    case Opcode::Floor:
      return std::floor(a);
    case Opcode::Ceil:
      return std::ceil(a);
    default:
      return std::trunc(a);
  }
}

/// The limbs of a function of one pair, or of two.
template <class T>
std::array<std::uint64_t, 2> pair_result_of(const PairFunction& function, const PairCode& code,
                                            T (*limb)(std::uint64_t), const std::uint64_t (&x)[2],
                                            const std::uint64_t (&y)[2]) {
  using Pair = semantics::pair::Pair<T>;
  const Pair first{limb(x[0]), limb(x[1])};
  const Pair second{limb(y[0]), limb(y[1])};
  const Pair result = function.operands == 1 ? reinterpret_cast<Pair (*)(Pair)>(code.one)(first)
                                             : reinterpret_cast<Pair (*)(Pair, Pair)>(code.one)(first, second);
  return {bits_of(result.hi), bits_of(result.lo)};
}
std::array<std::uint64_t, 2> pair_result(const Instruction& i, const std::uint64_t (&x)[2],
                                         const std::uint64_t (&y)[2]) {
  const PairFunction& function = pair_functions_portable()[static_cast<std::size_t>(i.immediate)];
  return i.kind == Kind::F32 ? pair_result_of(function, function.f32, f32_of, x, y)
                             : pair_result_of(function, function.f64, f64_of, x, y);
}

/// The value of an integer operation; `kind` is what it traps with when it does.
std::uint64_t integer_result(const Instruction& i, std::uint64_t x, std::uint64_t y, TrapKind& kind,
                             std::string_view& fault) {
  const auto wrong = [&](std::string_view why) {
    fault = why;
    return std::uint64_t{0};
  };
  const Int a = number_of(x, i.kind);
  const Int b = number_of(y, i.kind);
  Int value = 0;
  switch (i.op) {
    case Opcode::Add:
      value = a + b;
      break;
    case Opcode::Sub:
      value = a - b;
      break;
    case Opcode::Mul:
      if (i.mode == Mode::Wrap)
        return jit::ssa::bits_of(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b), i.kind);
      if (i.kind == Kind::U64) {
        std::uint64_t product = 0;
        if (__builtin_mul_overflow(x, y, &product)) {
          if (i.mode == Mode::Checked) kind = TrapKind::Overflow;
          if (i.mode == Mode::Exact) wrong("an exact product that is not");
        }
        return product;
      }
      value = a * b;
      break;
    case Opcode::Div:
    case Opcode::Rem:
      if (b == 0 || !fits(a / b, i.kind)) {
        if (i.mode != Mode::Checked) return wrong("a division that is known to be good and is not");
        kind = TrapKind::Division;
        return 0;
      }
      return jit::ssa::bits_of(i.op == Opcode::Div ? a / b : a % b, i.kind);
    case Opcode::Neg:
      value = -a;
      break;
    case Opcode::Abs:
      value = a < 0 ? -a : a;
      break;
    case Opcode::Shl:
      if (y >= jit::ssa::width_of(i.kind)) return wrong("a shift past the width");
      return jit::ssa::bits_of(x << y, i.kind);
    case Opcode::Shr:
      if (y >= jit::ssa::width_of(i.kind)) return wrong("a shift past the width");
      return jit::ssa::bits_of(a >> static_cast<int>(y), i.kind);
    case Opcode::And:
      return x & y;
    case Opcode::Or:
      return x | y;
    case Opcode::Xor:
      return x ^ y;
    case Opcode::Min:
      return a < b ? x : y;
    default:
      return a > b ? x : y;
  }
  if (fits(value, i.kind)) return jit::ssa::bits_of(value, i.kind);
  if (i.mode == Mode::Checked) kind = i.op == Opcode::Abs ? TrapKind::Abs : TrapKind::Overflow;
  if (i.mode == Mode::Exact) wrong("an exact result that is not");
  return jit::ssa::bits_of(value, i.kind);
}

std::uint64_t converted(const Instruction& i, std::uint64_t x, TrapKind& kind, std::string_view& fault) {
  const auto wrong = [&](std::string_view why) {
    fault = why;
    return std::uint64_t{0};
  };
  const bool from_float = jit::is_float(i.source);
  if (jit::is_float(i.kind)) {
    if (i.source == Kind::F32) return i.kind == Kind::F32 ? x : bits_of(static_cast<double>(f32_of(x)));
    if (i.source == Kind::F64) return i.kind == Kind::F64 ? x : bits_of(static_cast<float>(f64_of(x)));
    const bool is_signed = jit::is_signed(i.source);
    if (i.kind == Kind::F64)
      return bits_of(is_signed ? static_cast<double>(static_cast<std::int64_t>(x)) : static_cast<double>(x));
    return bits_of(is_signed ? static_cast<float>(static_cast<std::int64_t>(x)) : static_cast<float>(x));
  }
  Int value = 0;
  if (from_float) {
    const double number = std::trunc(i.source == Kind::F32 ? static_cast<double>(f32_of(x)) : f64_of(x));
    if (!(number > -0x1p65 && number < 0x1p65)) {
      if (i.mode == Mode::Exact) wrong("an exact conversion that is not");
      kind = TrapKind::Conversion;
      return 0;
    }
    value = static_cast<Int>(number);
  } else {
    value = number_of(x, i.source);
  }
  if (fits(value, i.kind)) return jit::ssa::bits_of(value, i.kind);
  if (i.mode == Mode::Checked) kind = TrapKind::Conversion;
  if (i.mode == Mode::Exact) wrong("an exact conversion that is not");
  return jit::ssa::bits_of(value, i.kind);
}

std::uint64_t load(const std::uint8_t* at, Kind kind) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, at, jit::size_of(kind));
  return jit::is_float(kind) || kind == Kind::Bool ? bits : jit::ssa::bits_of(static_cast<Int>(bits), kind);
}

bool is_nan(std::uint64_t bits, Kind kind) {
  return kind == Kind::F32 ? std::isnan(f32_of(bits)) : std::isnan(f64_of(bits));
}

}  // namespace

std::optional<std::uint64_t> float_number(Opcode op, Kind kind, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const bool has = (op >= Opcode::Add && op <= Opcode::Div) || op == Opcode::Neg || op == Opcode::Abs ||
                   (op >= Opcode::Fma && op <= Opcode::Trunc);
  if (!has) return std::nullopt;
  const std::uint64_t result = kind == Kind::F32 ? bits_of(float_result(op, f32_of(a), f32_of(b), f32_of(c)))
                                                 : bits_of(float_result(op, f64_of(a), f64_of(b), f64_of(c)));
  return is_nan(result, kind) ? std::nullopt : std::optional(result);
}

std::optional<std::uint64_t> converted_float(Kind kind, Kind source, std::uint64_t bits) {
  if (jit::is_float(source) && is_nan(bits, source)) return std::nullopt;
  Instruction i;
  i.op = Opcode::Convert;
  i.kind = kind;
  i.source = source;
  i.mode = Mode::Checked;
  TrapKind failed = TrapKind::None;
  std::string_view fault;
  const std::uint64_t result = converted(i, bits, failed, fault);
  return failed == TrapKind::None ? std::optional(result) : std::nullopt;
}

bool float_relation_holds(Relation relation, Kind kind, std::uint64_t a, std::uint64_t b) {
  return holds(relation, kind, a, b);
}

SsaEvaluator::SsaEvaluator(const Image& image, const std::vector<std::optional<Function>>& functions,
                           OutputSink& output, const Limits& limits)
    : image_(image),
      functions_(functions),
      instance_(image, output, limits, Tier::Interpreter),
      thread_(instance_),
      stack_(limits.stack_bytes / 8 + 2) {}

SsaEvaluator::~SsaEvaluator() = default;

SsaEvaluator::Ending SsaEvaluator::call(std::uint32_t function, std::span<const std::uint64_t> arguments) {
  fault_ = {};
  auto* first = stack_.data();
  if (reinterpret_cast<std::uintptr_t>(first) % 16 != 0) ++first;
  std::uint64_t* const window = first + bytecode::kLinkSlots;
  auto* const memory = reinterpret_cast<std::uint8_t*>(first + (stack_.size() - 2) / 2 * 2);
  window[-1] = reinterpret_cast<std::uint64_t>(interpreter::kExit);
  window[-2] = 0;
  window[-3] = reinterpret_cast<std::uint64_t>(memory);
  std::ranges::copy(arguments, window);
  const bytecode::Module& module = image_.module();
  Ending ending;
  bool fine = false;
  if (reinterpret_cast<std::uint8_t*>(window) + image_.functions()[function].frame_bytes > memory) {
    fine = trap(TrapKind::Stack, function, 0, window);
  } else {
    fine = run(function, window, memory);
  }
  if (fine) {
    const std::uint32_t slots = module.signatures[module.functions[function].signature].result.slots();
    if (slots > 0) ending.value = window[0];
    if (slots > 1) ending.second = window[1];
    return ending;
  }
  if (!fault_.empty()) return ending;
  ending.trap =
      thread_.trap.message + " at " + std::to_string(thread_.trap.line) + ":" + std::to_string(thread_.trap.column);
  thread_.trapped = false;
  thread_.trap = {};
  thread_.pending = {};
  return ending;
}

bool SsaEvaluator::trap(TrapKind kind, std::uint32_t function, std::uint32_t word, std::uint64_t* base) {
  thread_.trap = {};
  const std::uint64_t link[] = {base[-1], base[-2]};
  base[-1] = reinterpret_cast<std::uint64_t>(interpreter::kExit);
  base[-2] = 0;
  thread_.record_trap(kind, image_.functions()[function].body + word, base);
  base[-1] = link[0];
  base[-2] = link[1];
  return false;
}

bool SsaEvaluator::interpret(std::uint32_t function, std::uint32_t word, std::uint64_t* base, std::uint8_t* memory) {
  const std::uint64_t link[] = {base[-1], base[-2], base[-3]};
  base[-1] = reinterpret_cast<std::uint64_t>(interpreter::kExit);
  base[-2] = 0;
  base[-3] = reinterpret_cast<std::uint64_t>(memory);
  interpreter::run(thread_, image_.functions()[function].body + word, base, memory);
  std::ranges::copy(link, std::reverse_iterator(base));
  return !thread_.trapped;
}

bool SsaEvaluator::call_function(std::uint64_t function, std::uint64_t* window, std::uint8_t* memory,
                                 std::uint32_t caller, std::uint32_t word, std::uint64_t* caller_base) {
  const CodeEntry& entry = image_.functions()[function];
  if (reinterpret_cast<std::uint8_t*>(window) + entry.frame_bytes > memory) {
    return trap(TrapKind::Stack, caller, word, caller_base);
  }
  window[-1] = reinterpret_cast<std::uint64_t>(interpreter::kExit);
  window[-2] = 0;
  window[-3] = reinterpret_cast<std::uint64_t>(memory);
  return run(static_cast<std::uint32_t>(function), window, memory);
}

bool SsaEvaluator::run(std::uint32_t index, std::uint64_t* base, std::uint8_t* memory) {
  const CodeEntry& entry = image_.functions()[index];
  if (!functions_[index]) {
    interpreter::run(thread_, entry.code, base, memory);
    return !thread_.trapped;
  }
  if (entry.memory_bytes != 0) {
    const std::uint64_t needed = std::uint64_t{entry.frame_bytes} + entry.memory_bytes + entry.memory_align;
    if (reinterpret_cast<std::uint8_t*>(base) + needed > memory) {
      // The interpreter's prologue says what there is to say.
      interpreter::run(thread_, entry.code, base, memory);
      return !thread_.trapped;
    }
    memory -= entry.memory_bytes;
    memory = reinterpret_cast<std::uint8_t*>(reinterpret_cast<std::uintptr_t>(memory) &
                                             ~std::uintptr_t{entry.memory_align - 1});
    for (std::uint32_t k = 0; k < entry.zero_count; ++k)
      std::memset(memory + entry.zeros[k].offset, 0, entry.zeros[k].bytes);
  }
  const Function& f = *functions_[index];
  const bytecode::Module& module = image_.module();
  std::vector<Cell> values(f.code.size());
  const auto scalar = [&](ValueId value) { return values[value].lane[0]; };
  const auto store_uses = [&](const Instruction& i) {
    for (const Use& use : f.uses_of(i)) base[use.slot] = scalar(use.value);
  };
  const auto frame_base = [&](std::uint32_t frame) { return base + f.frames[frame].base; };
  const auto leave = [&](const Instruction& i) {
    ++exits_;
    store_uses(i);
    // Inlined frames get the links their calls would have written.
    for (std::uint32_t frame = i.frame; frame != 0; frame = f.frames[frame].parent) {
      const jit::ssa::Frame& inlined = f.frames[frame];
      const bytecode::Word* call = image_.functions()[f.frames[inlined.parent].function].body + inlined.call_word;
      std::uint64_t* const slots = base + inlined.base;
      slots[-1] = reinterpret_cast<std::uint64_t>(call + bytecode::instruction_words(call));
      slots[-2] = reinterpret_cast<std::uint64_t>(frame_base(inlined.parent));
      slots[-3] = reinterpret_cast<std::uint64_t>(memory);
    }
    if (i.frame == 0) return interpret(index, i.word, base, memory);
    interpreter::run(thread_, image_.functions()[f.frames[i.frame].function].body + i.word, frame_base(i.frame),
                     memory);
    return !thread_.trapped;
  };
  const auto fail = [&](TrapKind kind, const Instruction& i) {
    if (i.leaves) return leave(i);
    store_uses(i);
    return trap(kind, f.frames[i.frame].function, i.word, frame_base(i.frame));
  };
  BlockId from = 0;
  BlockId at = 0;
  while (true) {
    const jit::ssa::Block& block = f.blocks[at];
    std::vector<std::pair<ValueId, Cell>> phis;
    for (const ValueId value : block.code) {
      const Instruction& i = f.at(value);
      if (i.op != Opcode::Phi) break;
      for (const Use& use : f.uses_of(i)) {
        if (use.slot == from) phis.emplace_back(value, values[use.value]);
      }
    }
    for (const auto& [value, cell] : phis) values[value] = cell;
    BlockId next = 0;
    for (const ValueId value : block.code) {
      const Instruction& i = f.at(value);
      ++steps_;
      Cell& out = values[value];
      const auto address = [&] {
        std::uint64_t where = scalar(i.a) + static_cast<std::uint64_t>(i.immediate);
        if (i.b != kNoValue) where += scalar(i.b) * i.scale;
        return reinterpret_cast<std::uint8_t*>(where);
      };
      TrapKind failed = TrapKind::None;
      switch (i.op) {
        case Opcode::Nop:
        case Opcode::Phi:
        case Opcode::Point:
        case Opcode::Poll:
          break;
        case Opcode::Const:
          out.lane[0] = static_cast<std::uint64_t>(i.immediate);
          break;
        case Opcode::Slot:
          out.lane[0] = base[i.immediate];
          break;
        case Opcode::FrameAddress:
          out.lane[0] = reinterpret_cast<std::uint64_t>(memory) + static_cast<std::uint64_t>(i.immediate);
          break;
        case Opcode::Text:
          out.lane[0] = reinterpret_cast<std::uint64_t>(module.texts[static_cast<std::size_t>(i.immediate)].data());
          break;
        case Opcode::Compare:
          for (std::uint32_t k = 0; k < i.lanes; ++k)
            out.lane[k] = holds(i.relation, i.source, values[i.a].lane[k], values[i.b].lane[k]) ? 1 : 0;
          break;
        case Opcode::Select:
          for (std::uint32_t k = 0; k < i.lanes; ++k)
            out.lane[k] = values[i.a].lane[k] != 0 ? values[i.b].lane[k] : values[i.c].lane[k];
          break;
        case Opcode::Convert:
          for (std::uint32_t k = 0; k < i.lanes; ++k) out.lane[k] = converted(i, values[i.a].lane[k], failed, fault_);
          break;
        case Opcode::Bits:
          for (std::uint32_t k = 0; k < i.lanes; ++k) {
            out.lane[k] = values[i.a].lane[k];
            if (jit::size_of(i.kind) == 4)
              out.lane[k] = jit::ssa::bits_of(static_cast<Int>(out.lane[k]), i.kind == Kind::F32 ? Kind::U32 : i.kind);
          }
          break;
        case Opcode::Splat:
          for (std::uint32_t k = 0; k < i.lanes; ++k) out.lane[k] = scalar(i.a);
          break;
        case Opcode::Unzip:
        case Opcode::Zip: {
          const std::uint32_t per = 16 / jit::size_of(i.kind);
          const auto which = static_cast<std::uint32_t>(i.immediate);
          for (std::uint32_t k = 0; k < i.lanes; ++k) {
            const std::uint32_t in = k % per;
            const bool second = i.op == Opcode::Zip ? in % 2 != 0 : in >= per / 2;
            const std::uint32_t element = i.op == Opcode::Zip ? in / 2 + which * (per / 2) : in % (per / 2) * 2 + which;
            out.lane[k] = values[second ? i.b : i.a].lane[k - in + element];
          }
          break;
        }
        case Opcode::Iota:
          for (std::uint32_t k = 0; k < i.lanes; ++k) out.lane[k] = k;
          break;
        case Opcode::Mask:
          out.lane[0] = 0;
          for (std::uint32_t k = 0; k < f.at(i.a).lanes; ++k) {
            if (holds(i.relation, i.source, values[i.a].lane[k], values[i.b].lane[k]))
              out.lane[0] |= std::uint64_t{1} << k;
          }
          break;
        case Opcode::Ones:
          out.lane[0] = static_cast<std::uint64_t>(std::popcount(scalar(i.a)));
          break;
        case Opcode::Compress: {
          const Cell whole = values[i.a];
          std::uint32_t kept = 0;
          for (std::uint32_t k = 0; k < i.lanes; ++k) {
            if ((scalar(i.b) >> k & 1) != 0) out.lane[kept++] = whole.lane[k];
          }
          while (kept < i.lanes) out.lane[kept++] = 0;
          break;
        }
        case Opcode::Lane:
          out.lane[0] = values[i.a].lane[i.immediate];
          break;
        case Opcode::Address:
          out.lane[0] = reinterpret_cast<std::uint64_t>(address());
          break;
        case Opcode::Load:
          for (std::uint32_t k = 0; k < i.lanes; ++k)
            out.lane[k] = load(address() + std::size_t{k} * jit::size_of(i.kind), i.kind);
          break;
        case Opcode::Store:
          for (std::uint32_t k = 0; k < (i.use_count == 0 ? i.lanes : scalar(f.uses_of(i)[0].value)); ++k)
            std::memcpy(address() + std::size_t{k} * jit::size_of(i.kind), &values[i.c].lane[k], jit::size_of(i.kind));
          break;
        case Opcode::Copy:
          std::memmove(reinterpret_cast<void*>(scalar(i.a)), reinterpret_cast<const void*>(scalar(i.b)),
                       static_cast<std::size_t>(i.immediate));
          break;
        case Opcode::Zero:
          std::memset(reinterpret_cast<void*>(scalar(i.a)), 0, static_cast<std::size_t>(i.immediate));
          break;
        case Opcode::Guard:
          if (!holds(i.relation, i.kind, scalar(i.a), scalar(i.b))) return fail(i.trap, i);
          break;
        case Opcode::StackGuard:
          if (reinterpret_cast<std::uint8_t*>(base) + i.immediate > memory) {
            ++exits_;
            return interpret(f.frames[i.frame].function, i.word, frame_base(i.frame), memory);
          }
          break;
        case Opcode::Call:
        case Opcode::CallValue:
        case Opcode::CallDyn: {
          store_uses(i);
          std::uint64_t callee = static_cast<std::uint64_t>(i.immediate);
          if (i.op == Opcode::CallValue) {
            callee = scalar(i.a) - 1;
            if (callee >= module.functions.size() ||
                module.functions[callee].signature != static_cast<std::uint64_t>(i.immediate)) {
              return fail(TrapKind::Callable, i);
            }
          } else if (i.op == Opcode::CallDyn) {
            callee = module.tables[scalar(i.a)].functions[static_cast<std::size_t>(i.immediate)];
          }
          if (!call_function(callee, base + i.scale, memory, f.frames[i.frame].function, i.word, frame_base(i.frame)))
            return false;
          break;
        }
        case Opcode::Step: {
          store_uses(i);
          const std::uint32_t function = f.frames[i.frame].function;
          const bytecode::Word* pc = image_.functions()[function].body + i.word;
          const bytecode::Word* end =
              interpreter::out_of_line_steps()[pc[0] & 0xffff](pc, frame_base(i.frame), memory, &thread_);
          if (end != nullptr) {
            if (thread_.trapped) return false;
            return trap(static_cast<TrapKind>(bytecode::a_of(end[0])), function, i.word, frame_base(i.frame));
          }
          break;
        }
        case Opcode::Result:
          out.lane[0] = base[i.immediate];
          if (i.kind == Kind::F32) out.lane[0] &= 0xffffffff;
          break;
        case Opcode::PairFunction:
          for (std::uint32_t k = 0; k < i.lanes; ++k) {
            const std::uint64_t x[] = {values[i.a].lane[k], values[i.b].lane[k]};
            std::uint64_t y[] = {0, 0};
            for (const Use& use : f.uses_of(i)) {
              y[0] = values[i.c].lane[k];
              y[1] = values[use.value].lane[k];
            }
            const auto limbs = pair_result(i, x, y);
            out.lane[k] = limbs[0];
            out.lane[kMostLanes / 2 + k] = limbs[1];
          }
          break;
        case Opcode::Limb:
          for (std::uint32_t k = 0; k < i.lanes; ++k)
            out.lane[k] = values[i.a].lane[(i.immediate == 0 ? 0 : kMostLanes / 2) + k];
          break;
        case Opcode::Jump:
          next = block.successors[0];
          break;
        case Opcode::Branch:
          next = block.successors[holds(i.relation, i.kind, scalar(i.a), scalar(i.b)) ? 0 : 1];
          break;
        case Opcode::Switch:
          next = block.successors[std::min<std::uint64_t>(scalar(i.a), block.successors.size() - 1)];
          break;
        case Opcode::Return: {
          const std::uint64_t first = i.a == kNoValue ? 0 : scalar(i.a);
          const std::uint64_t second = i.b == kNoValue ? 0 : scalar(i.b);
          if (i.a != kNoValue) base[0] = first;
          if (i.b != kNoValue) base[1] = second;
          return true;
        }
        case Opcode::Trap:
          return fail(i.trap, i);
        case Opcode::Exit:
          return leave(i);
        default: {
          for (std::uint32_t k = 0; k < i.lanes; ++k) {
            // One number for all lanes: how far vectors are shifted.
            const auto operand = [&](ValueId v) {
              return v == kNoValue ? 0 : values[v].lane[f.at(v).lanes == 1 ? 0 : k];
            };
            if (i.kind == Kind::F64) {
              out.lane[k] =
                  bits_of(float_result(i.op, f64_of(operand(i.a)), f64_of(operand(i.b)), f64_of(operand(i.c))));
            } else if (i.kind == Kind::F32) {
              out.lane[k] =
                  bits_of(float_result(i.op, f32_of(operand(i.a)), f32_of(operand(i.b)), f32_of(operand(i.c))));
            } else {
              out.lane[k] = integer_result(i, operand(i.a), operand(i.b), failed, fault_);
            }
          }
        }
      }
      if (!fault_.empty()) return false;
      if (failed != TrapKind::None) return fail(failed, i);
    }
    from = at;
    at = next;
  }
}

}  // namespace cairn::verify
