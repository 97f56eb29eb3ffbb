// What an operation demands beyond its operands' classes: types that must agree, memory that must hold what is
// accessed.
#include "vm/bytecode/code_verifier.hpp"
#include "vm/bytecode/memory_parts.hpp"

namespace cairn::bytecode {
namespace {

bool within(Op op, Op first, Op last) { return op >= first && op <= last; }

RegisterKind kind_named(std::string_view type) {
  constexpr std::string_view kNames[] = {"bool", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == type) return static_cast<RegisterKind>(static_cast<std::size_t>(RegisterKind::Bool) + i);
  }
  return RegisterKind::None;
}

std::uint32_t size_named(std::string_view type) {
  if (type == "bool" || type.ends_with('8')) return 1;
  if (type.ends_with("16")) return 2;
  return type.ends_with("32") ? 4 : 8;
}

bool is_cell(std::string_view verb) {
  return verb == "load" || verb == "store" || verb == "frame.load" || verb == "frame.store" || verb == "load.at" ||
         verb == "store.at";
}

}  // namespace

/// A value's place in memory: a reference's type and an offset into it.
CodeVerifier::Spot CodeVerifier::spot(Place place) {
  const FlowType given = read(place);
  return {given.type.type, given.kind == FlowType::Kind::Inside ? given.bits : 0, given.type.writable};
}

CodeVerifier::Spot CodeVerifier::frame_spot() {
  const std::uint64_t offset = operand(Place::N);
  const MemoryObject* object = object_at(self_.objects, module_, offset);
  if (object == nullptr) {
    fail("no object there in the frame's memory");
    return {};
  }
  return {object->type, offset - object->offset, true};
}

void CodeVerifier::check_rule() {
  const OpName name = split_name(row_->text);
  for (const Operand& operand : row_->all()) check_immediate(operand);
  if (failed()) return;
  if (within(op_, Op::Move, Op::FunctionOf)) return rule_move();
  if (is_cell(name.verb) && !name.type.empty()) {
    return rule_cell(name.verb, kind_named(name.type), size_named(name.type));
  }
  if (within(op_, Op::LoadWord, Op::StoreAtWord)) return rule_word(name.verb.substr(0, name.verb.size() - 5), false);
  if (within(op_, Op::LoadPair, Op::StoreAtPair)) return rule_word(name.verb.substr(0, name.verb.size() - 5), true);
  if (within(op_, Op::FrameRef, Op::FrameView)) return rule_reference();
  if (within(op_, Op::Part, Op::PartExact)) return rule_part();
  if (within(op_, Op::Copy, Op::ViewCopy) || op_ == Op::Transfer) return rule_bytes();
  if (op_ == Op::ConvertEach) return rule_convert_each();
  if (within(op_, Op::BufNew, Op::DynOf) || op_ == Op::PlacedNew || op_ == Op::PlacedDrop) return rule_owner();
  if (within(op_, Op::Call, Op::CallForeign)) return rule_call();
  if (within(op_, Op::CallableFunction, Op::CallableValue)) return rule_callable();
  if (within(op_, Op::Return, Op::ReturnPair)) return rule_return();
  if (within(op_, Op::FailEqual, Op::FailEqual) || within(op_, Op::Print, Op::Format)) return rule_output();
  if (within(op_, Op::Parallel, Op::Scan)) return rule_region();
  if (within(op_, Op::Spawn, Op::MutexUnlock)) return rule_task();
  if (name.verb.starts_with("atomic.")) return rule_atomic(kind_named(name.type), size_named(name.type));
  if (within(op_, Op::DeviceParallel, Op::QueueWait)) return rule_device();
  if (within(op_, Op::Cooperative, Op::PipelineRelease)) return rule_kernel();
  rule_same_types();
}

void CodeVerifier::check_immediate(const Operand& operand) {
  const std::uint64_t bits = this->operand(operand.place);
  if (operand.type >= Class::ImmBool && operand.type <= Class::ImmF64) {
    const auto index = static_cast<unsigned>(operand.type) - static_cast<unsigned>(Class::ImmBool);
    require(normalized(class_type(static_cast<Class>(index)), bits), "an immediate out of its type's range");
  }
}

/// Operands whose class is the type of operand a or b; and a's own type, where those say it.
void CodeVerifier::rule_same_types() {
  FlowType a;
  FlowType b;
  for (const Operand& operand : row_->all()) {
    if (operand.place == Place::A && operand.role == Role::Read) a = read(Place::A);
    if (operand.place == Place::B && operand.role == Role::Read) b = read(Place::B);
    if (failed()) return;
    if (operand.type == Class::SameAsA && operand.is_register()) {
      const FlowType given = read(operand.place);
      if (a.kind == FlowType::Kind::Unknown) a = given;
      require(given == a, "operands of different types");
    } else if (operand.type == Class::SameAsB) {
      require(read(operand.place) == b, "operands of different types");
    } else if (operand.type == Class::ImmA || operand.type == Class::ImmB) {
      const FlowType& of = operand.type == Class::ImmA ? a : b;
      require(of.kind == FlowType::Kind::Typed && normalized(of.type, this->operand(operand.place)),
              "an immediate out of its type's range");
    }
  }
  if (failed() || row_->operand_count == 0 || row_->operands[0].role != Role::Write) return;
  if (row_->operands[0].type <= Class::F64) return;
  // a takes the type its operands have, which must be of a's class.
  require(accepts(row_->operands[0].type, a), "an operand of another type");
  result_ = a;
}

void CodeVerifier::rule_move() {
  const std::uint64_t to = operand(Place::A);
  switch (op_) {
    case Op::Move:
    case Op::MovePair:
      result_ = read(Place::B);
      require(accepts(op_ == Op::Move ? Class::One : Class::Two, result_), "a move of another size");
      break;
    case Op::Const:
      result_ = constant(operand(Place::I));
      break;
    case Op::ZeroPair:
      result_ = {FlowType::Kind::ZeroPair, {}, 0};
      break;
    case Op::Text: {
      // Of whatever u8 type the register names; an outgoing slot takes the module's first.
      std::uint32_t byte = declared(to).type;
      for (std::uint32_t i = 0; byte == kNone && i < module_.types.size(); ++i) {
        if (module_.types[i].kind == TypeKind::Scalar && module_.types[i].scalar == ScalarKind::U8) byte = i;
      }
      require(byte < module_.types.size() && module_.types[byte].kind == TypeKind::Scalar &&
                  module_.types[byte].scalar == ScalarKind::U8,
              "a text that is no view of u8");
      result_ = FlowType::typed(RegisterKind::View, false, byte);
      break;
    }
    case Op::Select:
      rule_same_types();
      break;
    default: {
      const Function& callee = module_.functions[operand(Place::N)];
      require(callee.environment == kNone && callee.kind == FunctionKind::Plain, "no plain function");
      result_ = FlowType::typed(RegisterKind::Function, false, callee.signature);
      break;
    }
  }
}

void CodeVerifier::rule_cell(std::string_view verb, RegisterKind kind, std::uint32_t size) {
  if (verb.ends_with(".at")) {
    const std::uint32_t element = read(verb == "load.at" ? Place::B : Place::A).type.type;
    require(module_.types[element].size == size && has_scalar(module_, element, 0, kind, size),
            "elements of another type");
    return;
  }
  Spot at = verb.starts_with("frame.") ? frame_spot() : spot(verb == "load" ? Place::B : Place::A);
  if (failed()) return;
  if (!verb.starts_with("frame.")) at.offset += operand(Place::C);
  require(has_scalar(module_, at.whole, at.offset, kind, size), "no such scalar lies there");
}

void CodeVerifier::rule_word(std::string_view verb, bool pair) {
  const bool loads = verb.find("load") != std::string_view::npos;
  Spot at;
  if (verb.ends_with(".at")) {
    at.whole = read(loads ? Place::B : Place::A).type.type;
    require(module_.types[at.whole].size == (pair ? 16U : 8U), "elements of another type");
  } else if (verb.starts_with("frame.")) {
    at = frame_spot();
  } else {
    at = spot(loads ? Place::B : Place::A);
    at.offset += operand(Place::C);
  }
  if (failed()) return;
  const std::uint32_t found = pair ? pair_at(module_, at.whole, at.offset) : word_at(module_, at.whole, at.offset);
  if (found == kNone) return fail("no such value lies there");
  const RegisterType type = register_type(module_, found);
  if (loads) {
    result_ = {FlowType::Kind::Typed, type, 0};
  } else {
    const Place from = verb == "store" ? Place::B : verb == "frame.store" ? Place::A : Place::C;
    require(fits(type, read(from)), "a value of another type is stored");
  }
}

void CodeVerifier::rule_reference() {
  const RegisterType to = declared(operand(Place::A));
  const auto inside = [&](const Spot& at) {
    return FlowType{FlowType::Kind::Inside, {RegisterKind::Ref, at.writable, at.whole}, at.offset};
  };
  switch (op_) {
    case Op::FrameRef:
      result_ = inside(frame_spot());
      break;
    case Op::RefOffset: {
      Spot at = spot(Place::B);
      at.offset += operand(Place::M);
      require(at.offset <= module_.types[at.whole].size, "an offset past the value");
      result_ = inside(at);
      break;
    }
    case Op::RefAt:
    case Op::RefWide: {
      const RegisterType view = read(Place::B).type;
      const bool writable = view.writable || view.kind == RegisterKind::Buf;
      require(operand(Place::M) == module_.types[view.type].size, "a stride that is not the elements' size");
      if (op_ == Op::RefAt) {
        result_ = FlowType::typed(RegisterKind::Ref, writable, view.type);
        break;
      }
      require(operand(Place::D) != 0 && operand(Place::M) != 0, "a wide access of nothing");
      const bool array = to.kind == RegisterKind::Ref && module_.types[to.type].kind == TypeKind::Array &&
                         module_.types[to.type].element == view.type &&
                         module_.types[to.type].count == operand(Place::D);
      require(array, "a wide access that is no Array");
      if (!failed()) result_ = FlowType::typed(RegisterKind::Ref, writable, to.type);
      break;
    }
    case Op::ViewOne: {
      const Spot at = spot(Place::B);
      const std::uint32_t element = to.kind == RegisterKind::View ? to.type : at.offset == 0 ? at.whole : kNone;
      require(element != kNone && has_part(module_, at.whole, at.offset, element), "no such value lies there");
      result_ = FlowType::typed(RegisterKind::View, at.writable, element);
      break;
    }
    case Op::ViewArray:
    case Op::FrameView: {
      const Spot at = op_ == Op::FrameView ? frame_spot() : spot(Place::B);
      if (failed()) return;
      const std::uint32_t element = to.kind == RegisterKind::View ? to.type : kNone;
      const std::uint32_t array = array_at(module_, at.whole, at.offset, operand(Place::M), element);
      if (array == kNone) return fail("no such Array lies there");
      result_ = FlowType::typed(RegisterKind::View, at.writable, module_.types[array].element);
      break;
    }
    default:
      break;
  }
}

void CodeVerifier::rule_part() {
  const RegisterType view = read(Place::B).type;
  require(operand(Place::M) == module_.types[view.type].size, "a stride that is not the elements' size");
  result_ = FlowType::typed(RegisterKind::View, view.writable || view.kind == RegisterKind::Buf, view.type);
}

void CodeVerifier::rule_bytes() {
  const std::uint64_t bytes = operand(Place::M);
  switch (op_) {
    case Op::Zero: {
      const Spot at = spot(Place::A);
      return require(has_extent(module_, at.whole, at.offset, bytes), "no value of that size lies there");
    }
    case Op::FrameZero: {
      const Spot at = frame_spot();
      return require(failed() || has_extent(module_, at.whole, at.offset, bytes), "no value of that size lies there");
    }
    case Op::Copy:
    case Op::Swap: {
      const Spot left = spot(Place::A);
      const Spot right = spot(Place::B);
      const std::uint32_t one = part_of_size(module_, left.whole, left.offset, bytes);
      const std::uint32_t other = part_of_size(module_, right.whole, right.offset, bytes);
      require(
          one != kNone && other != kNone &&
              (has_part(module_, right.whole, right.offset, one) || has_part(module_, left.whole, left.offset, other)),
          "values of different types");
      return;
    }
    default:  // view.copy, transfer
      return require_copy(Place::A, Place::B);
  }
}

/// Storage floats are patterns: u16, or u8.
void CodeVerifier::rule_convert_each() {
  const std::uint64_t conversion = operand(Place::M);
  if (conversion >= 16) return fail("no such conversion");
  const bool narrows = conversion >= 8;
  const auto holds = [&](Place view, RegisterKind kind, std::uint32_t size) {
    const std::uint32_t element = read(view).type.type;
    return module_.types[element].size == size && has_scalar(module_, element, 0, kind, size);
  };
  const bool is_byte = conversion % 4 >= 2;
  const bool is_wide = conversion % 8 >= 4;
  require(holds(narrows ? Place::C : Place::D, is_byte ? RegisterKind::U8 : RegisterKind::U16, is_byte ? 1 : 2) &&
              holds(narrows ? Place::D : Place::C, is_wide ? RegisterKind::F64 : RegisterKind::F32, is_wide ? 8 : 4),
          "elements of another type");
}

/// Every element of one view is to become that of another.
void CodeVerifier::require_copy(Place to, Place from) {
  const std::uint32_t element = read(to).type.type;
  require(read(from).type.type == element && module_.types[element].size == operand(Place::M),
          "elements of different types");
  require(!module_.types[element].pointers, "owners are copied");
}

void CodeVerifier::rule_owner() {
  const std::uint64_t m = op_ == Op::DropDyn || op_ == Op::DynOf ? 0 : operand(Place::M);
  switch (op_) {
    case Op::BufNew:
    case Op::PlacedNew:
      result_ = FlowType::typed(RegisterKind::Buf, false, static_cast<std::uint32_t>(m));
      require(is_buffer_element(static_cast<std::uint32_t>(m)), "no element of a Buf");
      break;
    case Op::DropBuf:
    case Op::PlacedDrop:
      result_ = read(Place::A);
      require(result_.type.type == m, "a Buf of another type");
      break;
    case Op::DropDyn:
      result_ = read(Place::A);
      break;
    case Op::Drop: {
      const Spot at = spot(Place::A);
      return require(has_part(module_, at.whole, at.offset, static_cast<std::uint32_t>(m)), "no such value lies there");
    }
    case Op::FrameDrop: {
      const Spot at = frame_spot();
      return require(failed() || has_part(module_, at.whole, at.offset, static_cast<std::uint32_t>(m)),
                     "no such value lies there");
    }
    case Op::DynNew:
    case Op::DynLend: {
      const DispatchTable& table = module_.tables[m];
      const Spot at = spot(Place::B);
      require(has_part(module_, at.whole, at.offset, table.type), "a value the table is not for");
      if (op_ == Op::DynNew) require(at.writable, "an object that may not be moved");
      result_ = op_ == Op::DynNew ? FlowType::typed(RegisterKind::Dyn, false, table.trait)
                                  : FlowType::typed(RegisterKind::DynRef, at.writable, table.trait);
      break;
    }
    default:
      result_ = FlowType::typed(RegisterKind::DynRef, true, read(Place::B).type.type);
      break;  // dyn.of
  }
}

void CodeVerifier::rule_atomic(RegisterKind kind, std::uint32_t size) {
  const auto holds = [&](Place place) {
    const Spot at = spot(place);
    require(has_scalar(module_, at.whole, at.offset, kind, size), "no such scalar lies there");
  };
  const bool stores = split_name(row_->text).verb == "atomic.store";
  holds(stores ? Place::A : Place::B);
  if (split_name(row_->text).verb == "atomic.compare") holds(Place::C);
}

void CodeVerifier::rule_return() {
  const Signature& signature = module_.signatures[self_.signature];
  if (op_ == Op::Return) return require(signature.result.kind == RegisterKind::None, "a return without the result");
  require(signature.result.is_pair() == (op_ == Op::ReturnPair) && signature.result.kind != RegisterKind::None &&
              fits(signature.result, read(Place::A)),
          "a result of another type");
}

void CodeVerifier::rule_output() {
  const auto check = [&](PrintAs as, std::uint64_t slot) {
    if (as > PrintAs::Bytes) return fail("no way to print");
    const FlowType given = slot_type(slot);
    if (failed()) return;
    const RegisterType& type = given.type;
    const bool known = given.kind == FlowType::Kind::Typed;
    const bool bytes = known && (type.kind == RegisterKind::View || type.kind == RegisterKind::Buf) &&
                       module_.types[type.type].kind == TypeKind::Scalar &&
                       module_.types[type.type].scalar == ScalarKind::U8;
    switch (as) {
      case PrintAs::Byte:
        return require(accepts(Class::U8, given), "no byte to print");
      case PrintAs::Bool:
        return require(accepts(Class::Bool, given), "no bool to print");
      case PrintAs::F32:
        return require(accepts(Class::F32, given), "no f32 to print");
      case PrintAs::F64:
        return require(accepts(Class::F64, given), "no f64 to print");
      case PrintAs::Bytes:
        return require(bytes, "no bytes to print");
      case PrintAs::Unsigned:
      case PrintAs::Signed:
        return require(
            given.kind == FlowType::Kind::Constant || (as == PrintAs::Signed ? type.is_signed() : type.is_unsigned()),
            "no integer to print");
    }
  };
  if (op_ == Op::FailEqual) {
    rule_same_types();
    if (!failed()) check(static_cast<PrintAs>(operand(Place::C)), operand(Place::A));
    return;
  }
  const Word* list = code_ + at_ + row_->words;
  for (std::uint32_t k = 0; k < list_items(code_ + at_) && !failed(); ++k) {
    const auto item = static_cast<std::uint32_t>(list[k / 2] >> (k % 2 * 32));
    check(static_cast<PrintAs>(item & 0xffff), item >> 16);
  }
  if (failed() || op_ == Op::Print) return;
  const Spot record = spot(Place::A);
  const std::uint32_t buffer = pair_at(module_, record.whole, record.offset + operand(Place::D));
  const bool bytes = buffer != kNone && module_.types[buffer].kind == TypeKind::Buf &&
                     has_scalar(module_, module_.types[buffer].element, 0, RegisterKind::U8, 1) &&
                     module_.types[module_.types[buffer].element].size == 1;
  require(bytes && has_scalar(module_, record.whole, record.offset + operand(Place::E), RegisterKind::U64, 8),
          "no byte record to format into");
}

}  // namespace cairn::bytecode
