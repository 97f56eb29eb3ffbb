// Moves, jumps, calls, and everything that reaches memory.
#include <utility>

#include "vm/verify/frame_encoder.hpp"

namespace cairn::verify {

using bytecode::Op;
using bytecode::Place;
using bytecode::ReduceKind;
using bytecode::RegisterKind;
using bytecode::RegisterType;
using bytecode::ScalarKind;
using bytecode::Word;

namespace {

constexpr auto kWord = static_cast<std::uint8_t>(CellKind::Word);
constexpr auto kFirst = static_cast<std::uint8_t>(CellKind::First);
constexpr auto kSecond = static_cast<std::uint8_t>(CellKind::Second);

}  // namespace

// --------------------------------------------------------------------------------------------------------------
// operands

std::uint64_t FrameEncoder::bits(Place place) const { return bytecode::operand_bits(&function_.code[word_], place); }

std::int32_t FrameEncoder::offset(Place place) const {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(bits(place)));
}

Value& FrameEncoder::value(std::uint32_t slot_index) { return state_.slots[slot_index]; }

/// The number in a slot; one that was never written may be anything, and is zero.
Term FrameEncoder::term(std::uint32_t slot_index, Sort otherwise) {
  const Value& held = state_.slots[slot_index];
  if (held.kind == Value::Kind::Scalar) return held.term;
  if (held.kind == Value::Kind::Pointer) throw Unsupported{"it uses a pointer as a number"};
  return terms_.constant(otherwise, 0);
}

void FrameEncoder::set(std::uint32_t slot_index, Term result) { state_.slots[slot_index] = Value::scalar(result); }

void FrameEncoder::set(std::uint32_t slot_index, Value result) {
  const bool is_register = slot_index < function_.registers.size();
  state_.slots[slot_index] =
      is_register ? typed(std::move(result), function_.registers[slot_index].type) : std::move(result);
}

Value FrameEncoder::typed(Value pointer, const RegisterType& type) const {
  if (type.kind != RegisterKind::Ref || type.type == bytecode::kNone || pointer.kind != Value::Kind::Pointer) {
    return pointer;
  }
  auto settled = std::make_shared<std::vector<GuardedTarget>>(*pointer.targets);
  for (GuardedTarget& each : *settled) each.target = memory_.settled(each.target, type.type);
  pointer.targets = std::move(settled);
  return pointer;
}

Value FrameEncoder::frame_pointer(std::uint64_t bytes) const {
  for (std::size_t k = function_.objects.size(); k-- > 0;) {
    if (function_.objects[k].offset > bytes) continue;
    Target target = memory_.whole(objects_[k]);
    target.rest = bytes - function_.objects[k].offset;
    return Value::pointer(std::move(target));
  }
  throw Unsupported{"it reaches memory that is not there"};
}

Value FrameEncoder::element(const Value& view, Term index) {
  if (view.kind != Value::Kind::Pointer) return Value::null();
  auto moved = std::make_shared<std::vector<GuardedTarget>>(*view.targets);
  for (GuardedTarget& each : *moved) {
    if (!each.target.single && !each.target.steps.empty()) {
      Step& last = each.target.steps.back();
      last.index = terms_.binary(TermOp::Add, last.index, index);
    }
  }
  Value result;
  result.kind = Value::Kind::Pointer;
  result.targets = std::move(moved);
  return result;
}

// -----------------------------------------------------------------------------------------------------------------
// moves

bool FrameEncoder::moves(const Verb& verb) {
  if (verb.name == "move") {
    set(slot(Place::A), value(slot(Place::B)));
  } else if (verb.name == "move.pair") {
    Value first = value(slot(Place::B));
    Value second = value(slot(Place::B) + 1);
    set(slot(Place::A), std::move(first));
    set(slot(Place::A) + 1, std::move(second));
  } else if (verb.name == "const") {
    const std::uint32_t to = slot(Place::A);
    // An outgoing slot has no type of its own: the callee's parameter says what the bits are.
    if (to >= function_.registers.size()) {
      set(to, terms_.bits(64, bits(Place::I)));
    } else if (function_.registers[to].type.is_scalar()) {
      set(to, terms_.constant(Memory::sort_of(static_cast<std::uint8_t>(function_.registers[to].type.kind)),
                              bits(Place::I)));
    } else {
      throw Unsupported{"it uses a function value"};
    }
  } else if (verb.name == "zero.pair") {
    set(slot(Place::A), Value::null());
    set(slot(Place::A) + 1, terms_.bits(64, 0));
  } else {
    return false;
  }
  return true;
}

// -----------------------------------------------------------------------------------------------------------------
// jumps

bool FrameEncoder::jumps(const Verb& verb) {
  const auto branch = [&](std::int32_t by, Term condition) {
    go(static_cast<std::uint32_t>(static_cast<std::int64_t>(word_) + by), condition);
    state_.reached = terms_.both(state_.reached, terms_.negate(condition));
    const std::uint32_t next = word_ + bytecode::instruction_words(&function_.code[word_]);
    running_ = state_.reached != kFalse;
    if (running_ && flow_.is_target[next]) {
      go(next, kTrue);
      running_ = false;
    }
    word_ = next;
  };
  if (verb.name == "jump") {
    go(static_cast<std::uint32_t>(static_cast<std::int64_t>(word_) + offset(Place::N)), kTrue);
    running_ = false;
    return true;
  }
  if (verb.name == "jump.if" || verb.name == "jump.if.not") {
    const Term condition = term(slot(Place::A), kBool);
    branch(offset(Place::N), verb.name == "jump.if" ? condition : terms_.negate(condition));
    return true;
  }
  if (verb.name == "loop.next") {
    const Term next = terms_.binary(TermOp::Add, term(slot(Place::A)), terms_.bits(64, 1));
    set(slot(Place::A), next);
    branch(offset(Place::T), terms_.binary(TermOp::LessU, next, term(slot(Place::B))));
    return true;
  }
  if (verb.name == "switch") {
    const Word* code = &function_.code[word_];
    const std::uint32_t count = bytecode::list_items(code);
    const Term subject = term(slot(Place::A));
    const unsigned width = terms_.sort(subject).width;
    // An undeclared tag traps; the code behind the switch is the first arm's, not its answer.
    trap_if(terms_.negate(terms_.binary(TermOp::LessU, subject, terms_.bits(width, count))));
    Term others = kTrue;  // tags before
    for (std::uint32_t k = 0; k < count; ++k) {
      const Word pair = code[1 + k / 2];
      const auto by = static_cast<std::int32_t>(static_cast<std::uint32_t>(k % 2 == 0 ? pair : pair >> 32U));
      const Term is_tag = terms_.equal(subject, terms_.bits(width, k));
      go(static_cast<std::uint32_t>(static_cast<std::int64_t>(word_) + by),
         k + 1 == count ? others : terms_.both(others, is_tag));
      others = terms_.both(others, terms_.negate(is_tag));
    }
    running_ = false;
    return true;
  }
  if (verb.name == "return") {
    leave();
    return true;
  }
  if (verb.name == "return.value" || verb.name == "return.pair") {
    Value first = value(slot(Place::A));
    Value second = verb.name == "return.pair" ? value(slot(Place::A) + 1) : Value{};
    if (state_.slots.size() < 2) state_.slots.resize(2);
    state_.slots[0] = std::move(first);
    state_.slots[1] = std::move(second);
    leave();
    return true;
  }
  if (verb.name == "fail") {
    trap_if(kTrue);
    running_ = false;
    return true;
  }
  if (!verb.name.starts_with("jump.")) return false;

  // jump.eq .. jump.ge.s, with a register or an immediate; jump.not.lt and the like of floats.
  std::string_view name = verb.name.substr(5);
  Term condition = kFalse;
  if (verb.type == RegisterKind::F32 || verb.type == RegisterKind::F64) {
    const Sort sort = Memory::sort_of(static_cast<std::uint8_t>(verb.type));
    const bool is_negated = name.starts_with("not.") || name == "ne";
    if (name.starts_with("not.")) name.remove_prefix(4);
    const TermOp op = name == "lt" ? TermOp::FloatLess : name == "le" ? TermOp::FloatLessEqual : TermOp::FloatEqual;
    condition = terms_.binary(op, term(slot(Place::A), sort), term(slot(Place::B), sort));
    if (is_negated) condition = terms_.negate(condition);
  } else {
    Term left = term(slot(Place::A));
    const Sort sort = terms_.sort(left);
    Term right = kFalse;
    if (verb.immediate) {
      const std::uint64_t narrow = bits(Place::M);
      const bool extends = name.ends_with(".s") || name == "eq" || name == "ne";
      right = terms_.constant(sort, extends ? static_cast<std::uint64_t>(signed_of(narrow, 32)) : narrow);
    } else {
      right = term(slot(Place::B), sort);
    }
    if (name == "eq" || name == "ne") {
      condition = terms_.equal(left, right);
      if (name == "ne") condition = terms_.negate(condition);
    } else {
      left = as_bits(left);
      right = as_bits(right);
      if (name.starts_with("g")) std::swap(left, right);
      const bool is_strict = name[1] == 't';
      const TermOp op = name.ends_with(".s") ? (is_strict ? TermOp::LessS : TermOp::LessEqualS)
                                             : (is_strict ? TermOp::LessU : TermOp::LessEqualU);
      condition = terms_.binary(op, left, right);
    }
  }
  branch(offset(Place::T), condition);
  return true;
}

// --------------------------------------------------------------------------------------------------------------
// accesses

bool FrameEncoder::accesses(const Verb& verb) {
  std::string_view name = verb.name;
  auto kind = static_cast<std::uint8_t>(verb.type);
  bool pair = false;
  if (name.ends_with(".word")) {
    kind = kWord;
    name.remove_suffix(5);
  } else if (name.ends_with(".pair")) {
    kind = kFirst;
    pair = true;
    name.remove_suffix(5);
  } else if (verb.type == RegisterKind::None) {
    return false;
  }
  const auto load = [&](const Value& pointer, std::uint64_t bytes) {
    Value first = memory_.load(state_.memory, pointer, bytes, kind);
    Value second = pair ? memory_.load(state_.memory, pointer, bytes, kSecond) : Value{};
    set(slot(Place::A), std::move(first));
    if (pair) set(slot(Place::A) + 1, std::move(second));
  };
  const auto store = [&](const Value& pointer, std::uint64_t bytes, std::uint32_t from) {
    Value stored = value(from);
    if (stored.kind == Value::Kind::Empty) stored = memory_.zero_of(kind);
    memory_.store(state_.memory, kTrue, pointer, bytes, kind, stored);
    if (pair) memory_.store(state_.memory, kTrue, pointer, bytes, kSecond, Value::scalar(length(from)));
  };
  const auto guarded = [&](std::uint32_t view, Term index) {
    trap_if(terms_.negate(terms_.binary(TermOp::LessU, index, length(view))));
    return element(value(view), index);
  };
  if (name == "load") {
    load(value(slot(Place::B)), bits(Place::C));
  } else if (name == "store") {
    store(value(slot(Place::A)), bits(Place::C), slot(Place::B));
  } else if (name == "frame.load") {
    load(frame_pointer(bits(Place::N)), 0);
  } else if (name == "frame.store") {
    store(frame_pointer(bits(Place::N)), 0, slot(Place::A));
  } else if (name == "load.at") {
    load(guarded(slot(Place::B), term(slot(Place::C))), 0);
  } else if (name == "store.at") {
    store(guarded(slot(Place::A), term(slot(Place::B))), 0, slot(Place::C));
  } else {
    return false;
  }
  return true;
}

// ----------------------------------------------------------------------------------------------------------------
// places

bool FrameEncoder::places(const Verb& verb) {
  const auto view_array = [&](const Value& pointer, std::uint64_t count) {
    auto targets = std::make_shared<std::vector<GuardedTarget>>(*pointer.targets);
    for (GuardedTarget& each : *targets) {
      each.target = memory_.settled_array(each.target, count);
      each.target.type = memory_.type(each.target.type).element;
      each.target.steps.push_back({terms_.bits(64, 0), count});
    }
    Value view;
    view.kind = Value::Kind::Pointer;
    view.targets = std::move(targets);
    set(slot(Place::A), std::move(view));
    set(slot(Place::A) + 1, terms_.bits(64, count));
  };
  const auto pointer_in = [&](Place place) -> const Value& {
    const Value& held = value(slot(place));
    if (held.kind != Value::Kind::Pointer) throw Unsupported{"it follows a pointer that is not there"};
    return held;
  };
  if (verb.name == "frame.ref") {
    set(slot(Place::A), frame_pointer(bits(Place::N)));
  } else if (verb.name == "ref.offset") {
    auto targets = std::make_shared<std::vector<GuardedTarget>>(*pointer_in(Place::B).targets);
    for (GuardedTarget& each : *targets) each.target.rest += bits(Place::M);
    Value moved;
    moved.kind = Value::Kind::Pointer;
    moved.targets = std::move(targets);
    set(slot(Place::A), std::move(moved));
  } else if (verb.name == "ref.at") {
    const Term index = term(slot(Place::C));
    trap_if(terms_.negate(terms_.binary(TermOp::LessU, index, length(slot(Place::B)))));
    auto targets = std::make_shared<std::vector<GuardedTarget>>(*element(value(slot(Place::B)), index).targets);
    for (GuardedTarget& each : *targets) each.target.single = false;
    Value place;
    place.kind = Value::Kind::Pointer;
    place.targets = std::move(targets);
    set(slot(Place::A), std::move(place));
  } else if (verb.name == "view.array") {
    view_array(pointer_in(Place::B), bits(Place::M));
  } else if (verb.name == "frame.view") {
    view_array(frame_pointer(bits(Place::N)), bits(Place::M));
  } else if (verb.name == "view.one") {
    auto targets = std::make_shared<std::vector<GuardedTarget>>(*pointer_in(Place::B).targets);
    for (GuardedTarget& each : *targets) each.target.single = true;
    Value view;
    view.kind = Value::Kind::Pointer;
    view.targets = std::move(targets);
    set(slot(Place::A), std::move(view));
    set(slot(Place::A) + 1, terms_.bits(64, 1));
  } else if (verb.name == "part" || verb.name == "part.exact") {
    const Term lo = term(slot(Place::C));
    const Term hi = term(slot(Place::D));
    const Term size = terms_.binary(TermOp::Sub, hi, lo);
    trap_if(terms_.binary(TermOp::LessU, hi, lo));
    trap_if(terms_.binary(TermOp::LessU, length(slot(Place::B)), hi));
    if (verb.name == "part.exact") trap_if(terms_.differ(size, term(slot(Place::E))));
    Value part = element(value(slot(Place::B)), lo);
    set(slot(Place::A), std::move(part));
    set(slot(Place::A) + 1, size);
  } else if (verb.name == "guard.index") {
    trap_if(terms_.negate(terms_.binary(TermOp::LessU, term(slot(Place::B)), length(slot(Place::A)))));
  } else if (verb.name == "guard.equal") {
    trap_if(terms_.differ(term(slot(Place::A)), term(slot(Place::B))));
  } else if (verb.name == "guard.layout") {
    trap_if(terms_.negate(terms_.binary(TermOp::LessU, term(slot(Place::A)), terms_.bits(64, bits(Place::I)))));
  } else if (verb.name == "copy") {
    memory_.copy(state_.memory, value(slot(Place::A)), value(slot(Place::B)), bits(Place::M));
  } else if (verb.name == "swap") {
    memory_.exchange(state_.memory, value(slot(Place::A)), value(slot(Place::B)), bits(Place::M));
  } else if (verb.name == "zero" || verb.name == "frame.zero") {
    const Value at = verb.name == "zero" ? value(slot(Place::A)) : frame_pointer(bits(Place::N));
    if (at.kind != Value::Kind::Pointer || at.targets->size() != 1)
      throw Unsupported{"it clears one of several places"};
    memory_.zero(state_.memory, at.targets->front().target, bits(Place::M));
  } else if (verb.name == "text") {
    const std::string& bytes = module_.texts[bits(Place::N)];
    if (function_.registers.size() <= slot(Place::A)) throw Unsupported{"it passes a text"};
    const std::uint32_t object = memory_.add(function_.registers[slot(Place::A)].type.type, true);
    const Value text = Value::pointer(memory_.whole(object));
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      memory_.store(state_.memory, kTrue, element(text, terms_.bits(64, k)), 0,
                    static_cast<std::uint8_t>(RegisterKind::U8),
                    Value::scalar(terms_.bits(8, static_cast<unsigned char>(bytes[k]))));
    }
    set(slot(Place::A), text);
    set(slot(Place::A) + 1, terms_.bits(64, bytes.size()));
  } else {
    return false;
  }
  return true;
}

// ----------------------------------------------------------------------------------------------------------------
// owners

bool FrameEncoder::owners(const Verb& verb) {
  if (verb.name == "buf.new") {
    // A failed allocation is the machine's, not the program's: it is left out of the model.
    const std::uint32_t object = memory_.add(static_cast<std::uint32_t>(bits(Place::M)), true);
    const Term count = term(slot(Place::B));
    set(slot(Place::A), Value::pointer(memory_.whole(object)));
    set(slot(Place::A) + 1, count);
  } else if (verb.name == "drop.buf") {
    set(slot(Place::A), Value::null());
    set(slot(Place::A) + 1, terms_.bits(64, 0));
  } else if (verb.name == "drop" || verb.name == "frame.drop") {
    // What is released is not read again.
  } else {
    return false;
  }
  return true;
}

// -----------------------------------------------------------------------------------------------------------------
// calls

bool FrameEncoder::calls(const Verb& verb) {
  if (verb.name == "call") {
    call_function(static_cast<std::uint32_t>(bits(Place::N)), slot(Place::A), nullptr);
  } else if (verb.name == "call.closure") {
    const auto function = static_cast<std::uint32_t>(bits(Place::M));
    if (module_.functions[function].kind == bytecode::FunctionKind::Closure) throw Unsupported{"it has a closure"};
    const Value environment = value(slot(Place::B));
    call_function(function, slot(Place::A), &environment);
  } else if (verb.name == "reduce") {
    reduce();
  } else {
    return false;
  }
  return true;
}

void FrameEncoder::call_function(std::uint32_t function, std::uint32_t window, const Value* environment) {
  const bytecode::Signature& signature = module_.signatures[module_.functions[function].signature];
  State start;
  start.reached = state_.reached;
  start.memory = state_.memory;
  std::uint32_t at = window;
  for (const RegisterType& parameter : signature.parameters) {
    for (std::uint32_t part = 0; part < parameter.slots(); ++part, ++at) {
      Value given = value(at);
      const RegisterKind kind = part == 0 ? parameter.kind : RegisterKind::U64;
      if (given.kind == Value::Kind::Scalar && kind >= RegisterKind::Bool && kind <= RegisterKind::F64) {
        const Sort sort = Memory::sort_of(static_cast<std::uint8_t>(kind));
        if (terms_.sort(given.term) != sort) {  // a constant put into the window
          if (!terms_.is_constant(given.term)) throw Unsupported{"an argument is not what its parameter takes"};
          given.term = terms_.constant(sort, terms_.value(given.term));
        }
      }
      start.slots.push_back(std::move(given));
    }
  }
  if (environment != nullptr) start.slots.push_back(*environment);
  std::optional<State> after = encoder_.call(function, std::move(start));
  if (!after) {
    running_ = false;  // it traps on every path
    return;
  }
  state_.memory = std::move(after->memory);
  for (std::uint32_t part = 0; part < signature.result.slots(); ++part)
    set(window + part, std::move(after->slots[part]));
}

/// `reduce` on the pool: the lane function folds all indices, as it does for one block; none give the identity.
void FrameEncoder::reduce() {
  const auto fold = static_cast<std::uint32_t>(bits(Place::D));
  const auto kind = static_cast<ReduceKind>(fold % 256);
  const auto scalar = static_cast<ScalarKind>(fold / 256);
  if (scalar == ScalarKind::F32 || scalar == ScalarKind::F64) throw Unsupported{"it reduces floats"};
  const Sort sort = Memory::sort_of(static_cast<std::uint8_t>(bytecode::register_kind(scalar)));
  const bool with_sign = scalar >= ScalarKind::I8 && scalar <= ScalarKind::I64;
  const std::uint64_t ones = mask_of(sort.width);
  std::uint64_t identity = 0;
  if (kind == ReduceKind::Mul || kind == ReduceKind::MulWrap) identity = 1;
  if (kind == ReduceKind::And) identity = ones;
  if (kind == ReduceKind::Min) identity = with_sign ? ones >> 1U : ones;
  if (kind == ReduceKind::Max) identity = with_sign ? (ones >> 1U) + 1 : 0;
  const auto function = static_cast<std::uint32_t>(bits(Place::M));
  const Term count = term(slot(Place::C));
  const Term is_empty = terms_.equal(count, terms_.bits(64, 0));
  State start;
  start.reached = terms_.both(state_.reached, terms_.negate(is_empty));
  start.memory = state_.memory;
  start.slots = {Value::scalar(terms_.bits(64, 0)), Value::scalar(count), value(slot(Place::B))};
  Value total = Value::scalar(terms_.constant(sort, identity));
  if (start.reached != kFalse) {
    std::optional<State> after = encoder_.call(function, std::move(start));
    if (after) total = memory_.merge(is_empty, total, after->slots[0]);
  }
  set(slot(Place::A), std::move(total));
}

}  // namespace cairn::verify
