// Moves, constants, loads, stores, references and views.
#include <algorithm>

#include "cuda/writer/function_writer.hpp"

namespace cairn::cuda::writer {

using bytecode::kNone;

bool FunctionWriter::write_move() {
  const std::uint32_t a = operand(Place::A);
  const auto is_pointer = [&](std::uint32_t slot) { return is_declared(slot) && type_of(kind_of(slot)) == "Bytes"; };
  /// One slot of any type: what is not known to be a pointer or a scalar moves as both.
  const auto move = [&](std::uint32_t to, std::uint32_t from) {
    const auto align = aligns_.find(from);
    const std::uint32_t known = align == aligns_.end() ? 0 : align->second;
    const auto text = texts_.find(from);
    const std::uint32_t held = text == texts_.end() ? kNone : text->second;
    if (is_pointer(to) || is_pointer(from)) {
      assign_pointer(to, pointer(from));
    } else if (is_declared(to) || is_declared(from)) {
      const RegisterKind kind = kind_of(is_declared(to) ? to : from);
      assign(to, kind, value(from, kind));
    } else {
      assign(to, RegisterKind::U64, value(from, RegisterKind::U64));
      assign_pointer(to, pointer(from));
    }
    if (known != 0) aligns_[to] = known;
    if (held != kNone) texts_[to] = held;
  };
  switch (op_) {
    case Op::Move:
      move(a, operand(Place::B));
      return true;
    case Op::MovePair: {
      const std::uint32_t b = operand(Place::B);
      if (a == b) return true;
      const auto second = [&] { assign(a + 1, RegisterKind::U64, value(b + 1, RegisterKind::U64)); };
      if (b == a + 1) host_only("move a pair over itself");
      if (a == b + 1) second();
      move(a, b);
      if (a != b + 1) second();
      return true;
    }
    case Op::Const:
      if (is_pointer(a)) {
        assign_pointer(a, "nullptr");
      } else {
        assign(a, kind_of(a), literal(kind_of(a), code()[1]));
      }
      return true;
    case Op::ZeroPair:
      assign_pointer(a, "nullptr");
      if (!is_declared(a)) assign(a, RegisterKind::U64, "0");
      assign(a + 1, RegisterKind::U64, "0");
      return true;
    case Op::Text: {
      const std::uint32_t text = operand(Place::N);
      assign_pointer(a, "nullptr");  // read at compile time alone: layouts of tiles
      assign(a + 1, RegisterKind::U64, cat(module_.texts[text].size(), "ULL"));
      texts_[a] = text;
      return true;
    }
    case Op::FunctionOf:
      host_only("make a function value");
      return true;
    case Op::Select: {
      const std::string condition = value(Place::B, RegisterKind::Bool);
      const std::uint32_t c = operand(Place::C);
      const std::uint32_t d = operand(Place::D);
      if (is_pointer(a) || is_pointer(c) || is_pointer(d)) {
        assign_pointer(a, cat(condition, " ? ", pointer(c), " : ", pointer(d)));
      } else {
        RegisterKind kind = RegisterKind::U64;
        for (const std::uint32_t slot : {d, c, a}) {
          if (is_declared(slot)) kind = kind_of(slot);
        }
        assign(a, kind, cat(condition, " ? ", value(c, kind), " : ", value(d, kind)));
      }
      return true;
    }
    default:
      return false;
  }
}

/// load, store, frame.load, frame.store, load.at, store.at of a scalar, a word or a pair.
bool FunctionWriter::write_cell() {
  std::string_view verb = op_name_.verb;
  RegisterKind kind = kind_named(op_name_.type);
  bool is_pair = false;
  if (verb.ends_with(".word") || verb.ends_with(".pair")) {
    is_pair = verb.ends_with(".pair");
    kind = RegisterKind::Ref;
    verb.remove_suffix(5);
  }
  std::uint32_t slot = operand(Place::A);
  std::string address;
  const std::uint64_t size = is_pair ? 16
                             : kind == RegisterKind::Ref
                                 ? 8
                                 : bytecode::scalar_size(static_cast<bytecode::ScalarKind>(
                                       static_cast<unsigned>(kind) - static_cast<unsigned>(RegisterKind::Bool)));
  const auto element = [&](Place view, Place index) {
    const std::string i = value(index, RegisterKind::U64);
    guard(cat(i, " >= ", length(view)), TrapKind::Bounds);
    return cat(pointer(view), " + ", i, " * ", size);
  };
  const auto offset = [&](Place ref) {
    const std::uint32_t c = operand(Place::C);
    return c == 0 ? pointer(ref) : cat(pointer(ref), " + ", c);
  };
  const bool loads = verb.starts_with("load") || verb == "frame.load";
  if (verb == "load.at" || verb == "store.at") {
    const std::uint32_t view = operand(loads ? Place::B : Place::A);
    if (planned(view) != nullptr) {
      const std::string i = value(loads ? Place::C : Place::B, RegisterKind::U64);
      guard(cat(i, " >= ", length(view)), TrapKind::Bounds);
      const std::string own = cat("own_", view);
      if (!loads) {
        line(cat(own, " = ", value(Place::C, kind), ";"));
      } else {
        assign(slot, kind,
               planned_.staged
                   ? cat("staged_element<", type_of(kind), ">(staged_", view, ", ", pointer(view), ", ", i, ")")
                   : own);
      }
      return true;
    }
  }
  if (verb == "load") {
    address = offset(Place::B);
  } else if (verb == "store") {
    slot = operand(Place::B);
    address = offset(Place::A);
  } else if (verb == "frame.load" || verb == "frame.store") {
    address = frame_address(operand(Place::N));
  } else if (verb == "load.at") {
    address = element(Place::B, Place::C);
  } else if (verb == "store.at") {
    slot = operand(Place::C);
    address = element(Place::A, Place::B);
  } else {
    return false;
  }
  // A word is a function value, reference or handle; of the first no more than the bits are known.
  const bool is_bits = kind == RegisterKind::Ref && !is_pair && is_declared(slot) && type_of(kind_of(slot)) == "U64";
  if (is_bits) kind = RegisterKind::U64;
  if (is_pair && loads) {
    line(cat("{ const Pair pair = load_pair(", address, ");"));
    assign_pointer(slot, "pair.first");
    assign(slot + 1, RegisterKind::U64, "pair.second");
    line("}");
  } else if (is_pair) {
    line(cat("store_pair(", address, ", ", pointer(slot), ", ", length(slot), ");"));
  } else if (kind == RegisterKind::Ref) {
    if (loads) {
      assign_pointer(slot, cat("load<Bytes>(", address, ")"));
    } else {
      line(cat("store<Bytes>(", address, ", ", pointer(slot), ");"));
    }
  } else if (loads) {
    assign(slot, kind, cat("load<", type_of(kind), ">(", address, ")"));
  } else {
    line(cat("store<", type_of(kind), ">(", address, ", ", value(slot, kind), ");"));
  }
  return true;
}

bool FunctionWriter::write_reference() {
  const std::uint32_t a = operand(Place::A);
  const auto u64 = [&](Place place) { return value(place, RegisterKind::U64); };
  const auto view = [&](const std::string& address, const std::string& count) {
    assign_pointer(a, address);
    assign(a + 1, RegisterKind::U64, count);
  };
  const bool has_m = bytecode::info(op_).words > 1;
  const std::uint32_t m = has_m ? operand(Place::M) : 0;
  switch (op_) {
    case Op::FrameRef:
      assign_pointer(a, frame_address(operand(Place::N)));
      aligns_[a] = frame_align(operand(Place::N));
      return true;
    case Op::FrameView:
      view(frame_address(operand(Place::N)), cat(m, "ULL"));
      aligns_[a] = frame_align(operand(Place::N));
      return true;
    case Op::RefOffset:
      assign_pointer(a, cat(pointer(Place::B), " + ", m));
      return true;
    case Op::RefAt:
      guard(cat(u64(Place::C), " >= ", length(Place::B)), TrapKind::Bounds);
      assign_pointer(a, cat(pointer(Place::B), " + ", u64(Place::C), " * ", m));
      return true;
    case Op::RefWide: {
      const std::uint32_t count = operand(Place::D);
      const std::string address = cat(pointer(Place::B), " + ", u64(Place::C), " * ", m);
      guard(cat(u64(Place::C), " > ", length(Place::B), " || ", count, " > ", length(Place::B), " - ", u64(Place::C)),
            TrapKind::Wide);
      guard(cat("reinterpret_cast<U64>(", address, ") % ", count * m, " != 0"), TrapKind::Wide);
      assign_pointer(a, address);
      aligns_[a] = std::min<std::uint32_t>(count * m, 16);
      return true;
    }
    case Op::ViewArray:
      view(pointer(Place::B), cat(m, "ULL"));
      return true;
    case Op::ViewOne:
      view(pointer(Place::B), "1ULL");
      return true;
    case Op::Part:
    case Op::PartExact: {
      const std::string lo = u64(Place::C);
      const std::string hi = u64(Place::D);
      guard(cat(lo, " > ", hi, " || ", hi, " > ", length(Place::B)), TrapKind::Bounds);
      if (op_ == Op::PartExact) guard(cat(hi, " - ", lo, " != ", u64(Place::E)), TrapKind::Bounds);
      // Both are made of operands that the result may replace.
      line(cat("{ Bytes const part = ", pointer(Place::B), " + ", lo, " * ", m, "; const U64 count = ", hi, " - ", lo,
               ";"));
      view("part", "count");
      line("}");
      return true;
    }
    case Op::GuardIndex:
      guard(cat(u64(Place::B), " >= ", length(Place::A)), TrapKind::Bounds);
      return true;
    case Op::GuardEqual:
      guard(cat(u64(Place::A), " != ", u64(Place::B)), TrapKind::Bounds);
      return true;
    default:
      return false;
  }
}

bool FunctionWriter::write_bytes() {
  const bool has_m = bytecode::info(op_).words > 1;
  const std::uint32_t m = has_m ? operand(Place::M) : 0;
  switch (op_) {
    case Op::Copy: {
      constexpr std::uint32_t kFragmentBytes = 32;  // what a lane holds of the largest
      if (fragment_copies_.contains(at_)) {
        line(cat("copy<", kFragmentBytes, ", 16>(", pointer(Place::A), ", ", pointer(Place::B), ");"));
        return true;
      }
      // Both hold one type: what is known of either register's type holds for both, what is known of one address not.
      const auto typed = [&](Place place) {
        const std::uint32_t slot = operand(place);
        const bool known = is_declared(slot) && function_.registers[slot].type.type < module_.types.size();
        return known ? module_.types[function_.registers[slot].type.type].align : 1;
      };
      const std::uint32_t both = std::max(typed(Place::A), typed(Place::B));
      const std::uint32_t align =
          std::min(std::max(align_of(operand(Place::A)), both), std::max(align_of(operand(Place::B)), both));
      line(cat("copy<", m, ", ", std::min(align, 16U), ">(", pointer(Place::A), ", ", pointer(Place::B), ");"));
      return true;
    }
    case Op::Zero:
      line(cat("zero<", m, ">(", pointer(Place::A), ");"));
      return true;
    case Op::FrameZero:
      line(cat("zero<", m, ">(", frame_address(operand(Place::N)), ");"));
      return true;
    case Op::Swap:
      line(cat("kernel::swap<", m, ">(", pointer(Place::A), ", ", pointer(Place::B), ");"));
      return true;
    case Op::ViewCopy: {
      const std::uint32_t align = std::max(align_of(operand(Place::A)), align_of(operand(Place::B)));
      guard(cat(length(Place::A), " != ", length(Place::B)), TrapKind::Bounds);
      line(cat("copy_elements<", m, ", ", align, ">(", pointer(Place::A), ", ", pointer(Place::B), ", ",
               length(Place::A), ");"));
      return true;
    }
    case Op::ConvertEach:  // takes no step: the loop behind it does all elements
      return true;
    default:
      return false;
  }
}

}  // namespace cairn::cuda::writer
