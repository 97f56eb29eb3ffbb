// What each instruction of bytecode becomes.
#include <algorithm>

#include "jit/ssa/builder.hpp"

namespace cairn::jit::ssa {

using bytecode::Class;
using bytecode::Op;
using bytecode::RegisterKind;
using bytecode::Role;
using bytecode::Word;

namespace {

/// What a verb of arithmetic, of integers or of floats, does; whether it checks or wraps is its mode.
Opcode operation_of(Verb verb) {
  switch (verb) {
    case Verb::Add:
    case Verb::AddWrap:
      return Opcode::Add;
    case Verb::Sub:
    case Verb::SubWrap:
      return Opcode::Sub;
    case Verb::Mul:
    case Verb::MulWrap:
      return Opcode::Mul;
    case Verb::Div:
      return Opcode::Div;
    case Verb::Rem:
      return Opcode::Rem;
    case Verb::Neg:
      return Opcode::Neg;
    case Verb::Abs:
      return Opcode::Abs;
    case Verb::ShlWrap:
      return Opcode::Shl;
    case Verb::Shr:
      return Opcode::Shr;
    case Verb::And:
      return Opcode::And;
    case Verb::Or:
      return Opcode::Or;
    case Verb::Xor:
      return Opcode::Xor;
    case Verb::Min:
      return Opcode::Min;
    case Verb::Max:
      return Opcode::Max;
    case Verb::Fma:
      return Opcode::Fma;
    case Verb::Sqrt:
      return Opcode::Sqrt;
    case Verb::Floor:
      return Opcode::Floor;
    case Verb::Ceil:
      return Opcode::Ceil;
    case Verb::Trunc:
      return Opcode::Trunc;
    default:
      return Opcode::Nop;
  }
}

}  // namespace

void Builder::block(std::uint32_t flow_block) {
  const jit::Block& source = flow_.blocks()[flow_block];
  at_block_ = block_of_[flow_block];
  at_ = source.begin;
  if (is_left_[flow_block] != 0) {
    // Where the function begins, its memory would be taken once more.
    if (at_ == 0 && source_.memory_bytes != 0) failed_ = true;
    Instruction exit;
    exit.op = Opcode::Exit;
    list_.clear();
    live_uses(at_);
    f_.set_uses(exit, list_);
    return end(exit, {});
  }
  if (open_[at_block_] != 0) {
    Instruction point;
    point.op = Opcode::Point;
    list_.clear();
    live_uses(at_);
    f_.set_uses(point, list_);
    add(point);
  }
  for (std::uint32_t word = source.begin; word < source.end;) {
    at_ = word;
    pc_ = source_.code.data() + word;
    word += bytecode::instruction_words(pc_);
    if (!instruction()) failed_ = true;
    if (failed_) return;
    const std::vector<Value>& code = f_.blocks[at_block_].code;
    if (!code.empty() && is_end(f_.at(code.back()).op)) return;
  }
  Instruction jump;
  jump.op = Opcode::Jump;
  if (source.next.empty()) {
    failed_ = true;
    return;
  }
  end(jump, {block_of_[source.next[0]]});
}

void Builder::end(Instruction instruction, std::vector<BlockId> successors) {
  add(instruction);
  f_.blocks[at_block_].successors = std::move(successors);
}

bool Builder::instruction() {
  const Op op = bytecode::op_of(pc_[0]);
  const Shape& shape = shape_of(op);
  switch (shape.verb) {
    case Verb::Other:
      break;
    case Verb::JumpOn:
      leave_by(shape);
      return true;
    case Verb::Compare: {
      Instruction i;
      i.op = Opcode::Compare;
      i.kind = Kind::Bool;
      i.source = shape.type;
      i.relation = shape.relation;
      i.a = as(shape.type, read(b()));
      i.b = shape.immediate ? constant(shape.type, pc_[1]) : as(shape.type, read(c()));
      define(a(), add(i));
      return true;
    }
    case Verb::Convert:
      convert(shape);
      return true;
    case Verb::Load:
    case Verb::Store:
    case Verb::FrameLoad:
    case Verb::FrameStore:
    case Verb::LoadAt:
    case Verb::StoreAt:
      memory(shape);
      return true;
    default:
      is_float(shape.type) ? floating(shape) : arithmetic(shape);
      return true;
  }
  if (op <= Op::Select) {
    moves();
    return true;
  }
  if (op == Op::Not) {
    const Value source = integer(b());
    define(a(), binary(Opcode::Xor, Kind::Bool, source, constant(Kind::Bool, 1), Mode::Wrap));
    return true;
  }
  if (op >= Op::BitsF32 && op <= Op::FromBitsF64) {
    constexpr Kind kFrom[] = {Kind::F32, Kind::F64, Kind::U32, Kind::U64};
    constexpr Kind kTo[] = {Kind::U32, Kind::U64, Kind::F32, Kind::F64};
    const auto k = static_cast<std::size_t>(op) - static_cast<std::size_t>(Op::BitsF32);
    Instruction i;
    i.op = Opcode::Bits;
    i.kind = kTo[k];
    i.source = kFrom[k];
    i.a = as(i.source, read(b()));
    define(a(), add(i));
    return true;
  }
  const auto block_at = [&](std::int64_t word) { return block_of_[flow_.block_at(static_cast<std::uint32_t>(word))]; };
  const auto following = [&] { return block_at(at_ + std::int64_t{bytecode::instruction_words(pc_)}); };
  if (op == Op::Jump) {
    Instruction i;
    i.op = Opcode::Jump;
    end(i, {block_at(at_ + std::int64_t{static_cast<std::int32_t>(n())})});
    return true;
  }
  if (op == Op::JumpIf || op == Op::JumpIfNot) {
    Instruction i;
    i.op = Opcode::Branch;
    i.kind = Kind::Bool;
    i.relation = op == Op::JumpIf ? Relation::Ne : Relation::Eq;
    i.a = integer(a());
    i.b = constant(Kind::Bool, 0);
    end(i, {block_at(at_ + std::int64_t{static_cast<std::int32_t>(n())}), following()});
    return true;
  }
  if (op == Op::Switch) {
    Instruction i;
    i.op = Opcode::Switch;
    i.a = integer(a());
    std::vector<BlockId> successors;
    for (std::uint32_t k = 0; k < n(); ++k) {
      successors.push_back(block_at(at_ + std::int64_t{static_cast<std::int32_t>(pc_[1 + k / 2] >> (k % 2 * 32))}));
    }
    successors.push_back(following());
    end(i, std::move(successors));
    return true;
  }
  if (op == Op::LoopNext) {
    const Value one = constant(Kind::U64, 1);
    const Value next = binary(Opcode::Add, Kind::U64, integer(a()), one, Mode::Exact);
    const Value bound = integer(b());
    define(a(), next);
    Instruction i;
    i.op = Opcode::Branch;
    i.kind = Kind::U64;
    i.relation = Relation::Lt;
    i.a = next;
    i.b = bound;
    i.likely = Likely::First;
    end(i, {block_at(at_ + std::int64_t{bytecode::t_of(pc_[1])}), following()});
    return true;
  }
  if ((op >= Op::FrameRef && op <= Op::PartExact && op != Op::RefWide) || op == Op::GuardIndex ||
      op == Op::GuardEqual || op == Op::DynLend || op == Op::DynOf || op == Op::GuardLayout || op == Op::Copy ||
      op == Op::Zero || op == Op::FrameZero) {
    references();
    return true;
  }
  if (op >= Op::Call && op <= Op::ReturnPair && op != Op::CallNative && op != Op::CallForeign) {
    call();
    return true;
  }
  if (op == Op::FailAssert || op == Op::FailEqual || op == Op::Fail) {
    Instruction i;
    i.op = Opcode::Trap;
    i.trap = op == Op::Fail ? static_cast<TrapKind>(a()) : TrapKind::Assert;
    told_uses();
    f_.set_uses(i, list_);
    end(i, {});
    return true;
  }
  step();
  return true;
}

void Builder::arithmetic(const Shape& shape) {
  const Value left = integer(b());
  Kind kind = shape.type;
  const bool is_any = shape.type == Kind::None || shape.verb == Verb::Min || shape.verb == Verb::Max;
  if (is_any) {
    // Of whole slots: as narrow as what is written.
    const Kind wide = is_signed(shape.type) ? Kind::I64 : Kind::U64;
    kind = a() < source_.registers.size() ? kind_of(a()) : f_.at(left).kind;
    if (is_float(kind) || kind == Kind::Bool || is_signed(kind) != is_signed(wide)) kind = wide;
  }
  if (shape.verb == Verb::Neg || shape.verb == Verb::Abs) {
    Instruction i;
    i.op = operation_of(shape.verb);
    i.kind = kind;
    i.a = left;
    return define(a(), add_checked(i));
  }
  const bool shifts = shape.verb == Verb::ShlWrap || shape.verb == Verb::Shr;
  const Value right = shape.immediate ? constant(shifts ? Kind::U64 : kind, pc_[1]) : integer(c());
  const bool checked = shape.verb >= Verb::Add && shape.verb <= Verb::Rem;
  if (shifts) guard(TrapKind::Shift, Relation::Lt, right, constant(Kind::U64, width_of(kind)));
  define(a(), binary(operation_of(shape.verb), kind, left, right, checked ? Mode::Checked : Mode::Wrap));
}

void Builder::floating(const Shape& shape) {
  Instruction i;
  i.kind = shape.type;
  const auto operand = [&](std::uint32_t slot) { return as(shape.type, read(slot)); };
  i.op = operation_of(shape.verb);
  i.a = operand(b());
  if (i.op <= Opcode::Div || i.op == Opcode::Fma) i.b = operand(c());
  if (i.op == Opcode::Fma) i.c = operand(d());
  define(a(), add(i));
}

void Builder::convert(const Shape& shape) {
  Instruction i;
  i.op = Opcode::Convert;
  i.kind = shape.type;
  i.source = shape.source;
  i.a = as(shape.source, read(b()));
  if (!is_float(shape.type)) {
    // Every unsigned number fits a u64, every signed one an i64: the slot is the same.
    if (shape.type == shape.source) return define(a(), i.a);
    return define(a(), add_checked(i));
  }
  define(a(), add(i));
}

Value Builder::load(Kind kind, Value base, Value index, std::uint32_t scale, std::int64_t offset) {
  Instruction i;
  i.op = Opcode::Load;
  i.kind = kind;
  i.a = base;
  i.b = index;
  i.scale = scale;
  i.immediate = offset;
  return add(i);
}

void Builder::store(Kind kind, Value base, Value index, std::uint32_t scale, std::int64_t offset, Value value) {
  Instruction i;
  i.op = Opcode::Store;
  i.kind = kind;
  i.a = base;
  i.b = index;
  i.scale = scale;
  i.immediate = offset;
  i.c = as(kind, value);
  add(i);
}

void Builder::memory(const Shape& shape) {
  Value base = kNoValue;
  Value index = kNoValue;
  std::int64_t offset = 0;
  std::uint32_t scale = 1;
  std::uint32_t slot = a();  // the value's
  const bool pair = shape.type == Kind::Pair;
  const auto element = [&](std::uint32_t view, std::uint32_t at) {
    index = integer(at);
    guard(TrapKind::Bounds, Relation::Lt, index, integer(view + 1));
    base = integer(view);
    scale = size_of(shape.type);
    if (!pair) return;
    Instruction i;
    i.op = Opcode::Address;
    i.kind = Kind::U64;
    i.a = base;
    i.b = index;
    i.scale = scale;
    base = add(i);
    index = kNoValue;
    scale = 1;
  };
  bool stores = false;
  switch (shape.verb) {
    case Verb::Load:
      base = integer(b());
      offset = c();
      break;
    case Verb::Store:
      base = integer(a());
      offset = c();
      slot = b();
      stores = true;
      break;
    case Verb::FrameLoad:
      base = frame_address(n(), offset);
      break;
    case Verb::FrameStore:
      base = frame_address(n(), offset);
      stores = true;
      break;
    case Verb::LoadAt:
      element(b(), c());
      break;
    default:
      element(a(), b());
      slot = c();
      stores = true;
      break;
  }
  if (index == kNoValue) scale = 1;
  if (pair) {
    if (stores) {
      store(Kind::U64, base, index, scale, offset, read(slot));
      return store(Kind::U64, base, index, scale, offset + 8, read(slot + 1));
    }
    const Value first = load(Kind::U64, base, index, scale, offset);
    const Value second = load(Kind::U64, base, index, scale, offset + 8);
    define(slot, first);
    return define(slot + 1, second);
  }
  if (stores) return store(shape.type, base, index, scale, offset, read(slot));
  define(slot, load(shape.type, base, index, scale, offset));
}

void Builder::moves() {
  const auto pair = [&](Value first, Value second) {
    define(a(), first);
    define(a() + 1, second);
  };
  switch (bytecode::op_of(pc_[0])) {
    case Op::Move:
      return define(a(), read(b()));
    case Op::MovePair:
      return pair(read(b()), read(b() + 1));
    case Op::Const:
      return define(a(), constant(kind_of(a()), pc_[1]));
    case Op::ZeroPair:
      return pair(constant(Kind::U64, 0), constant(Kind::U64, 0));
    case Op::Text: {
      Instruction i;
      i.op = Opcode::Text;
      i.kind = Kind::U64;
      i.immediate = n();
      return pair(add(i), constant(Kind::U64, module_.texts[n()].size()));
    }
    case Op::FunctionOf:
      return define(a(), constant(Kind::U64, std::uint64_t{n()} + 1));
    default: {  // select
      Instruction i;
      i.op = Opcode::Select;
      i.a = integer(b());
      i.b = read(c());
      i.kind = f_.at(i.b).kind;
      i.c = as(i.kind, read(d()));
      return define(a(), add(i));
    }
  }
}

void Builder::references() {
  const auto pair = [&](Value first, Value second) {
    define(a(), first);
    define(a() + 1, second);
  };
  const auto address = [&](Value base, Value index, std::uint32_t scale, std::int64_t offset) {
    if (index == kNoValue && offset == 0) return base;
    Instruction i;
    i.op = Opcode::Address;
    i.kind = Kind::U64;
    i.a = base;
    i.b = index;
    i.scale = scale;
    i.immediate = offset;
    return add(i);
  };
  const auto frame_place = [&] {
    std::int64_t rest = 0;
    const Value base = frame_address(n(), rest);
    return address(base, kNoValue, 1, rest);
  };
  switch (bytecode::op_of(pc_[0])) {
    case Op::FrameRef:
      return define(a(), frame_place());
    case Op::FrameView:
      return pair(frame_place(), constant(Kind::U64, m()));
    case Op::RefOffset:
      return define(a(), address(integer(b()), kNoValue, 1, m()));
    case Op::RefAt: {
      const Value index = integer(c());
      guard(TrapKind::Bounds, Relation::Lt, index, integer(b() + 1));
      return define(a(), address(integer(b()), index, m(), 0));
    }
    case Op::ViewArray:
      return pair(integer(b()), constant(Kind::U64, m()));
    case Op::ViewOne:
      return pair(integer(b()), constant(Kind::U64, 1));
    case Op::Part:
    case Op::PartExact: {
      const Value lo = integer(c());
      const Value hi = integer(d());
      guard(TrapKind::Bounds, Relation::Le, lo, hi);
      guard(TrapKind::Bounds, Relation::Le, hi, integer(b() + 1));
      const Value count = binary(Opcode::Sub, Kind::U64, hi, lo, Mode::Exact);
      if (bytecode::op_of(pc_[0]) == Op::PartExact) guard(TrapKind::Bounds, Relation::Eq, count, integer(e()));
      return pair(address(integer(b()), lo, m(), 0), count);
    }
    case Op::GuardIndex:
      return guard(TrapKind::Bounds, Relation::Lt, integer(b()), integer(a() + 1));
    case Op::GuardEqual:
      return guard(TrapKind::Bounds, Relation::Eq, integer(a()), integer(b()));
    case Op::GuardLayout:
      return guard(TrapKind::Layout, Relation::Lt, integer(a()), constant(Kind::U64, pc_[1]));
    case Op::DynLend:
      return pair(integer(b()), constant(Kind::U64, m()));
    case Op::DynOf:
      guard(TrapKind::Callable, Relation::Ne, integer(b()), constant(Kind::U64, 0));
      return pair(integer(b()), integer(b() + 1));
    case Op::Copy: {
      Instruction i;
      i.op = Opcode::Copy;
      i.a = integer(a());
      i.b = integer(b());
      i.immediate = m();
      add(i);
      return;
    }
    default: {  // zero, frame.zero
      Instruction i;
      i.op = Opcode::Zero;
      i.a = bytecode::op_of(pc_[0]) == Op::Zero ? integer(a()) : frame_place();
      i.immediate = m();
      add(i);
      return;
    }
  }
}

/// What the jump at pc_ asks.
Instruction Builder::condition(const Shape& shape) {
  Instruction i;
  i.op = Opcode::Branch;
  i.kind = shape.type;
  i.relation = shape.relation;
  i.a = as(shape.type, read(a()));
  if (shape.immediate) {
    const bool sign_extended =
        is_signed(shape.type) || shape.relation == Relation::Eq || shape.relation == Relation::Ne;
    const auto number = sign_extended ? static_cast<std::int64_t>(static_cast<std::int32_t>(m())) : std::int64_t{m()};
    i.b = constant(shape.type, static_cast<std::uint64_t>(number));
  } else {
    i.b = as(shape.type, read(b()));
  }
  return i;
}

void Builder::leave_by(const Shape& shape) {
  Instruction i = condition(shape);
  const auto target = static_cast<std::uint32_t>(at_ + std::int64_t{bytecode::t_of(pc_[1])});
  const std::uint32_t next = at_ + bytecode::instruction_words(pc_);
  if (target <= at_) i.likely = Likely::First;
  end(i, {block_of_[flow_.block_at(target)], block_of_[flow_.block_at(next)]});
}

}  // namespace cairn::jit::ssa
