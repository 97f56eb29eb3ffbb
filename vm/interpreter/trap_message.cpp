#include "vm/interpreter/trap_message.hpp"

#include <array>
#include <bit>

#include "runtime/print/number_text.hpp"
#include "vm/interpreter/machine.hpp"

namespace cairn::interpreter {
namespace {

using bytecode::a_of;
using bytecode::b_of;
using bytecode::c_of;
using bytecode::d_of;
using bytecode::e_of;
using bytecode::m_of;
using bytecode::n_of;
using bytecode::PrintAs;

template <class Write, class T>
std::string written(Write write, T value) {
  std::array<char, kNumberText> text{};
  return {text.data(), write(value, std::span<char, kNumberText>(text))};
}
std::string decimal(std::uint64_t value) { return written(write_unsigned, value); }
std::string decimal(std::int64_t value) { return written(write_signed, value); }

std::string float_text(std::uint64_t bits, bool wide) {
  if (wide) return written([](double x, auto out) { return write_float(x, out); }, std::bit_cast<double>(bits));
  return written([](float x, auto out) { return write_float(x, out); },
                 std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
}

/// A slot's value as a type of that name.
std::string shown(std::uint64_t bits, std::string_view type) {
  if (type == "f32" || type == "f64") return float_text(bits, type == "f64");
  if (type.starts_with('i') || type == "s") return decimal(static_cast<std::int64_t>(bits));
  return decimal(bits);
}

/// As assert_eq shows an operand (syntax and values, 1.13).
std::string asserted(std::uint64_t bits, PrintAs as) {
  switch (as) {
    case PrintAs::Bool:
      return bits != 0 ? "true" : "false";
    case PrintAs::Signed:
      return decimal(static_cast<std::int64_t>(bits));
    case PrintAs::F32:
      return written([](float x, auto out) { return write_assert_float(x, out); },
                     std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    case PrintAs::F64:
      return written([](double x, auto out) { return write_assert_float(x, out); }, std::bit_cast<double>(bits));
    default:
      return decimal(bits);
  }
}

class Message {
 public:
  Message(const bytecode::Module& module, const Word* pc, const std::uint64_t* base)
      : module_(module), pc_(pc), base_(base), op_(bytecode::op_of(pc[0])), name_(name_of(op_)) {}

  std::string detail(TrapKind kind) const {
    switch (kind) {
      case TrapKind::Bounds:
        return bounds();
      case TrapKind::Overflow:
        return arithmetic();
      case TrapKind::Division:
        return division();
      case TrapKind::Conversion:
        return conversion();
      case TrapKind::Shift:
        return "count " + decimal(right()) + ", width " + std::string(name_.type.substr(1));
      case TrapKind::Callable:
        return op_ == Op::DynOf ? "an empty Dyn" : "an empty function value";
      case TrapKind::Layout:
        return "coordinate " + decimal(a()) + ", extent " + decimal(pc_[1]);
      case TrapKind::Wide:
        return wide();
      case TrapKind::Allocation:
        return allocation();
      case TrapKind::Quantize:
        return quantize();
      case TrapKind::Abs:
        return "abs(" + shown(b(), name_.type) + ") does not fit " + std::string(name_.type);
      case TrapKind::Stack:
        return "the call depth is spent";
      case TrapKind::Limit:
        return "the step limit is spent";
      case TrapKind::Interrupt:
        return "stopped by the host";
      default:
        return {};
    }
  }

  std::string assertion(const bytecode::SourcePosition& position) const {
    std::string line = "assertion failed at ";
    if (position.file != bytecode::kNone)
      line += module_.files[position.file] + ":" + decimal(std::uint64_t{position.line});
    const std::uint32_t text = op_ == Op::FailAssert ? n_of(pc_[0]) : m_of(pc_[1]);
    if (text != bytecode::kNone) line += ": " + module_.texts[text];
    if (op_ == Op::FailEqual) {
      const auto as = static_cast<PrintAs>(c_of(pc_[0]));
      line += ": left " + asserted(a(), as) + ", right " + asserted(b(), as);
    }
    return line;
  }

  /// The text of a `fail`.
  std::string failure() const {
    return op_ == Op::Fail && n_of(pc_[0]) != bytecode::kNone ? module_.texts[n_of(pc_[0])] : std::string();
  }

 private:
  std::uint64_t a() const { return base_[a_of(pc_[0])]; }
  std::uint64_t b() const { return base_[b_of(pc_[0])]; }
  std::uint64_t c() const { return base_[c_of(pc_[0])]; }
  std::uint64_t right() const { return name_.immediate ? pc_[1] : c(); }
  std::uint64_t length_of(std::uint32_t view) const { return base_[view + 1]; }

  std::string bounds() const {
    const Word w = pc_[0];
    const auto indexed = [&](std::uint64_t index, std::uint32_t view) {
      return "index " + decimal(index) + ", length " + decimal(length_of(view));
    };
    switch (op_) {
      case Op::Part:
      case Op::PartExact: {
        const std::uint64_t lo = c();
        const std::uint64_t hi = base_[d_of(pc_[1])];
        const std::string part = "part " + decimal(lo) + ".." + decimal(hi);
        if (lo > hi || hi > length_of(b_of(w))) return part + ", length " + decimal(length_of(b_of(w)));
        return part + ", " + decimal(base_[e_of(pc_[1])]) + " elements wanted";
      }
      case Op::GuardIndex:
        return indexed(b(), a_of(w));
      case Op::GuardEqual:
        return "lengths " + decimal(a()) + " and " + decimal(b());
      case Op::ViewCopy:
      case Op::Transfer:
        return "lengths " + decimal(length_of(a_of(w))) + " and " + decimal(length_of(b_of(w)));
      case Op::QueueTransfer:
        return "lengths " + decimal(length_of(b_of(w))) + " and " + decimal(length_of(c_of(w)));
      case Op::DeviceCompact:
        return decimal(c()) + " elements, length " + decimal(length_of(e_of(pc_[1])));
      default:
        return name_.verb.starts_with("store.at") ? indexed(b(), a_of(w)) : indexed(c(), b_of(w));
    }
  }

  std::string arithmetic() const {
    const std::string type(name_.type);
    if (name_.verb == "neg") return "-(" + shown(b(), type) + ") does not fit " + type;
    const std::string_view sign = name_.verb == "add"   ? " + "
                                  : name_.verb == "sub" ? " - "
                                  : name_.verb == "mul" ? " * "
                                                        : "";
    if (sign.empty()) return {};  // a fold, which has many operands
    return shown(b(), type) + std::string(sign) + shown(right(), type) + " does not fit " + type;
  }

  std::string division() const {
    const std::string type(name_.type);
    const std::string text = shown(b(), type) + (name_.verb == "div" ? " / " : " % ") + shown(right(), type);
    return right() == 0 ? text : text + " does not fit " + type;
  }

  std::string conversion() const {
    const std::string_view text = bytecode::info(op_).text;  // to.TARGET.SOURCE
    const std::size_t dot = text.find('.', 3);
    return shown(b(), text.substr(dot + 1)) + " does not fit " + std::string(text.substr(3, dot - 3));
  }

  std::string wide() const {
    const std::uint64_t count = d_of(pc_[1]);
    const std::uint64_t length = length_of(b_of(pc_[0]));
    const std::string text = decimal(count) + " elements at index " + decimal(c());
    if (c() > length || count > length - c()) return text + ", length " + decimal(length);
    return text + " are not aligned to " + decimal(count * m_of(pc_[1])) + " bytes";
  }

  std::string allocation() const {
    if (op_ != Op::BufNew) return "no memory";
    return decimal(b()) + " elements of " + decimal(module_.types[m_of(pc_[1])].size) + " bytes";
  }

  std::string quantize() const {
    const float scale = read<float>(base_, c_of(pc_[0]));
    if (!(scale > 0.0F) || scale - scale != 0.0F) return "scale " + float_text(c(), false);
    return float_text(b(), false) + " does not fit " + std::string(name_.type);
  }

  const bytecode::Module& module_;
  const Word* pc_;
  const std::uint64_t* base_;
  Op op_;
  OpName name_;
};

}  // namespace

std::string trap_message(TrapKind kind, const bytecode::Module& module, const Word* pc, const std::uint64_t* base,
                         const bytecode::SourcePosition& position, const std::string& detail) {
  const Message message(module, pc, base);
  if (kind == TrapKind::Assert) return message.assertion(position);
  std::string line = "trap: " + std::string(trap_kind_name(kind));
  std::string why = detail;
  if (why.empty()) why = bytecode::op_of(pc[0]) == Op::Fail ? message.failure() : message.detail(kind);
  return why.empty() ? line : line + ": " + why;
}

}  // namespace cairn::interpreter
