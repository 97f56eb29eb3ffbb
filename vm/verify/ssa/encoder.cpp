#include "vm/verify/ssa/encoder.hpp"

#include <algorithm>
#include <bit>

#include "jit/optimizing/flow.hpp"
#include "jit/ssa/build.hpp"
#include "vm/verify/ssa/evaluator.hpp"
#include "vm/verify/ssa/run.hpp"

namespace cairn::verify {

using jit::Kind;
using jit::Relation;
using jit::ssa::Instruction;
using jit::ssa::Mode;
using jit::ssa::Opcode;

// ------------------------------------------------------------------------------------------- values

Term SsaEncoder::opaque(const std::string& what, Sort sort, const std::vector<Term>& of) {
  return of.empty() ? terms_.variable(what, sort) : terms_.apply(what, sort, of);
}

/// What a term of 64 bits does not exceed, by what it is made of.
std::uint64_t SsaEncoder::most_of(Term term, std::uint32_t depth) const {
  const Terms::Node& node = terms_.node(term);
  const std::uint64_t known = terms_.most_of(term);
  if (depth == 0) return known;
  const auto most = [&](std::size_t operand) { return most_of(terms_.operand(term, operand), depth - 1); };
  const auto number = [&](std::size_t operand) -> std::uint64_t {
    return terms_.is_constant(terms_.operand(term, operand)) ? terms_.value(terms_.operand(term, operand)) : 0;
  };
  switch (node.op) {
    case TermOp::ZeroExtend:
      return std::min(known, mask_of(terms_.sort(terms_.operand(term, 0)).width));
    case TermOp::Ite:
      return std::min(known, std::max(most(1), most(2)));
    case TermOp::BitAnd:
      return std::min({known, most(0), most(1)});
    case TermOp::DivU:
      return std::min(known, number(1) == 0 ? known : most(0) / number(1));
    case TermOp::RemU:
      return std::min(known, number(1) == 0 ? known : number(1) - 1);
    case TermOp::ShiftRightU:
      return std::min(known, number(1) >= 64 ? known : most(0) >> number(1));
    default:
      return known;
  }
}

/// `x * factor >> shift` where that is x divided by a number: for x below 2^N, when factor * divisor exceeds 2^shift by
/// at most 2^(shift - N) and the product fits (Granlund and Montgomery, "Division by invariant integers using
/// multiplication", 1994, theorem 4.2). kFalse when it is none.
Term SsaEncoder::reciprocal(Term product, Term by) {
  if (terms_.node(product).op != TermOp::Mul || !terms_.is_constant(by)) return kFalse;
  const bool first = terms_.is_constant(terms_.operand(product, 0));
  const Term number = terms_.operand(product, first ? 0 : 1);
  const Term x = terms_.operand(product, first ? 1 : 0);
  const std::uint64_t shift = terms_.value(by);
  if (!terms_.is_constant(number) || shift == 0 || shift >= 64) return kFalse;
  const std::uint64_t factor = terms_.value(number);
  const auto bits = static_cast<std::uint64_t>(std::bit_width(most_of(x)));
  if (factor < 3 || bits == 0 || bits > shift || bits + static_cast<std::uint64_t>(std::bit_width(factor)) > 64) {
    return kFalse;
  }
  const std::uint64_t power = std::uint64_t{1} << shift;
  const std::uint64_t divisor = power / factor + 1;
  const unsigned __int128 excess = static_cast<unsigned __int128>(factor) * divisor - power;
  if (divisor < 2 || excess > std::uint64_t{1} << (shift - bits)) return kFalse;
  return terms_.binary(TermOp::DivU, x, terms_.bits(64, divisor));
}

/// The low bits as a slot of the kind holds them.
Term SsaEncoder::normal(Term bits, Kind kind) {
  const std::uint32_t width = kind == Kind::F32 ? 32 : jit::is_float(kind) ? 64 : jit::ssa::width_of(kind);
  if (width >= 64 || most_of(bits) <= mask_of(jit::is_signed(kind) ? width - 1 : width)) return bits;
  const Term low = terms_.convert(TermOp::Truncate, bits_sort(width), bits);
  return terms_.convert(jit::is_signed(kind) ? TermOp::SignExtend : TermOp::ZeroExtend, kIndex, low);
}

Term SsaEncoder::opaque_value(const std::string& what, Kind kind, const std::vector<Term>& of) {
  return normal(opaque(what, kIndex, of), kind);
}

Term SsaEncoder::holds(Relation relation, Kind kind, Term a, Term b) {
  if (jit::is_float(kind)) {
    if (terms_.is_constant(a) && terms_.is_constant(b)) {
      return Terms::boolean(float_relation_holds(relation, kind, terms_.value(a), terms_.value(b)));
    }
    const std::string type = kind == Kind::F32 ? "f32" : "f64";
    switch (relation) {
      case Relation::Eq:
        return opaque("eq." + type, kBool, {std::min(a, b), std::max(a, b)});
      case Relation::Ne:
        return terms_.negate(holds(Relation::Eq, kind, a, b));
      case Relation::Lt:
        return opaque("lt." + type, kBool, {a, b});
      case Relation::Le:
        return opaque("le." + type, kBool, {a, b});
      case Relation::Gt:
        return holds(Relation::Lt, kind, b, a);
      case Relation::Ge:
        return holds(Relation::Le, kind, b, a);
      case Relation::NotLt:
        return terms_.negate(holds(Relation::Lt, kind, a, b));
      case Relation::NotLe:
        return terms_.negate(holds(Relation::Le, kind, a, b));
    }
  }
  const bool is_signed = jit::is_signed(kind);
  const TermOp less = is_signed ? TermOp::LessS : TermOp::LessU;
  const TermOp less_equal = is_signed ? TermOp::LessEqualS : TermOp::LessEqualU;
  switch (relation) {
    case Relation::Eq:
      return terms_.equal(a, b);
    case Relation::Ne:
      return terms_.differ(a, b);
    case Relation::Lt:
      return terms_.binary(less, a, b);
    case Relation::Le:
      return terms_.binary(less_equal, a, b);
    case Relation::Gt:
      return terms_.binary(less, b, a);
    case Relation::Ge:
      return terms_.binary(less_equal, b, a);
    case Relation::NotLt:
      return terms_.binary(less_equal, b, a);
    default:
      return terms_.binary(less, b, a);
  }
}

Term SsaEncoder::float_operation(const Instruction& i, std::vector<Term> of) {
  std::vector<std::uint64_t> numbers;
  for (const Term term : of) {
    if (terms_.is_constant(term)) numbers.push_back(terms_.value(term));
  }
  if (numbers.size() == of.size()) {
    numbers.resize(3);
    if (const auto value = float_number(i.op, i.kind, numbers[0], numbers[1], numbers[2])) {
      return terms_.bits(64, *value);
    }
  }
  if (i.op == Opcode::Mul) {
    const Term one = terms_.bits(64, i.kind == Kind::F32 ? 0x3f800000U : 0x3ff0000000000000U);
    if (of[0] == one) return of[1];
    if (of[1] == one) return of[0];
    const Term two = terms_.bits(64, i.kind == Kind::F32 ? 0x40000000U : 0x4000000000000000U);
    if (of[0] == two) std::swap(of[0], of[1]);
    if (of[1] == two) {  // a sum: exact but for an overflow, which is the same
      Instruction sum = i;
      sum.op = Opcode::Add;
      return float_operation(sum, {of[0], of[0]});
    }
  }
  const Term sign = terms_.bits(64, i.kind == Kind::F32 ? 0x80000000U : std::uint64_t{1} << 63);
  const auto is_negative = [&](Term term) {
    return terms_.node(term).op == TermOp::BitXor &&
           (terms_.operand(term, 0) == sign || terms_.operand(term, 1) == sign);
  };
  const auto negative = [&](Term term) {
    if (!is_negative(term)) return terms_.binary(TermOp::BitXor, term, sign);
    return terms_.operand(term, terms_.operand(term, 0) == sign ? 1 : 0);
  };
  if (i.op == Opcode::Neg) return negative(of[0]);
  // A difference is the sum with the sign changed, the three fused operations are one.
  Opcode op = i.op;
  if (op == Opcode::Sub) of[1] = negative(of[1]);
  if (op == Opcode::Fms) of[2] = negative(of[2]);
  if (op == Opcode::Fnma) of[0] = negative(of[0]);
  if (op == Opcode::Sub) op = Opcode::Add;
  if (op == Opcode::Fms || op == Opcode::Fnma) op = Opcode::Fma;
  if (op == Opcode::Fma) {
    bool flips = false;
    for (Term* const factor : {&of[0], &of[1]}) {
      const bool is_changed = is_negative(*factor);
      if (is_changed) *factor = negative(*factor);
      flips = flips != is_changed;
    }
    if (of[0] > of[1]) std::swap(of[0], of[1]);
    if (flips) of[0] = negative(of[0]);
  }
  const bool commutes = op == Opcode::Add || op == Opcode::Mul;
  if (commutes && of[0] > of[1]) std::swap(of[0], of[1]);
  const std::string what = "float" + std::to_string(static_cast<int>(op)) + (i.kind == Kind::F32 ? ".f32" : ".f64");
  return opaque_value(what, i.kind, of);
}

Term SsaEncoder::integer_operation(const Instruction& i, Term a, Term b, Term& fails) {
  const Kind kind = i.kind;
  const bool is_signed = jit::is_signed(kind);
  const std::uint32_t width = jit::ssa::width_of(kind);
  const auto number = [&](std::int64_t value) { return terms_.bits(64, static_cast<std::uint64_t>(value)); };
  const Term least = number(is_signed && width == 64 ? INT64_MIN : is_signed ? -(std::int64_t{1} << (width - 1)) : 0);
  const auto narrow = [&](Term wide) {  // exact in 64 bits
    fails = terms_.differ(normal(wide, kind), wide);
    return normal(wide, kind);
  };
  const auto sign = [&](Term term) { return terms_.binary(TermOp::LessS, term, number(0)); };
  switch (i.op) {
    case Opcode::Add: {
      const Term sum = terms_.binary(TermOp::Add, a, b);
      if (width < 64) return narrow(sum);
      fails = !is_signed ? terms_.binary(TermOp::LessU, sum, a)
                         : terms_.both(terms_.equal(sign(a), sign(b)), terms_.differ(sign(sum), sign(a)));
      return sum;
    }
    case Opcode::Sub: {
      const Term difference = terms_.binary(TermOp::Sub, a, b);
      if (width < 64 && is_signed) return narrow(difference);
      fails = !is_signed ? terms_.binary(TermOp::LessU, a, b)
                         : terms_.both(terms_.differ(sign(a), sign(b)), terms_.differ(sign(difference), sign(a)));
      return normal(difference, kind);
    }
    case Opcode::Mul: {
      const Term product = terms_.binary(TermOp::Mul, a, b);
      if (width <= 32) return narrow(product);
      fails = terms_.negate(terms_.binary(is_signed ? TermOp::MulFitsS : TermOp::MulFitsU, a, b));
      return product;
    }
    case Opcode::Div:
    case Opcode::Rem: {
      fails = terms_.equal(b, number(0));
      if (is_signed) {
        fails = terms_.either(fails, terms_.both(terms_.equal(b, number(-1)), terms_.equal(a, least)));
      }
      const bool divides = i.op == Opcode::Div;
      const TermOp op = is_signed ? (divides ? TermOp::DivS : TermOp::RemS) : (divides ? TermOp::DivU : TermOp::RemU);
      return normal(terms_.binary(op, a, b), kind);
    }
    case Opcode::Neg:
    case Opcode::Abs: {
      fails = terms_.equal(a, least);
      const Term negative = normal(terms_.binary(TermOp::Sub, number(0), a), kind);
      return i.op == Opcode::Neg ? negative : terms_.choose(sign(a), negative, a);
    }
    case Opcode::Shl:
    case Opcode::Shr: {
      fails = terms_.negate(terms_.binary(TermOp::LessU, b, number(width)));
      if (i.op == Opcode::Shr && !is_signed) {
        if (const Term quotient = reciprocal(a, b); quotient != kFalse) return normal(quotient, kind);
      }
      if (i.op == Opcode::Shl) return normal(terms_.binary(TermOp::ShiftLeft, a, b), kind);
      return normal(terms_.binary(is_signed ? TermOp::ShiftRightS : TermOp::ShiftRightU, a, b), kind);
    }
    case Opcode::And:
      return terms_.binary(TermOp::BitAnd, a, b);
    case Opcode::Or:
      return terms_.binary(TermOp::BitOr, a, b);
    case Opcode::Xor:
      return terms_.binary(TermOp::BitXor, a, b);
    case Opcode::Min:
      return terms_.choose(holds(Relation::Lt, kind, a, b), a, b);
    case Opcode::Max:
      return terms_.choose(holds(Relation::Gt, kind, a, b), a, b);
    default:
      throw Unsupported{"an operation the model does not have"};
  }
}

Term SsaEncoder::conversion(const Instruction& i, Term a, Term& fails) {
  if (jit::is_float(i.kind) || jit::is_float(i.source)) {
    if (i.kind == i.source) return a;
    const std::string what =
        "convert" + std::to_string(static_cast<int>(i.source)) + "." + std::to_string(static_cast<int>(i.kind));
    if (terms_.is_constant(a)) {
      if (const auto value = converted_float(i.kind, i.source, terms_.value(a))) return terms_.bits(64, *value);
    }
    if (!jit::is_float(i.kind)) fails = opaque(what + ".fails", kBool, {a});
    return opaque_value(what, i.kind, {a});
  }
  const Term result = normal(a, i.kind);
  const std::uint32_t width = jit::ssa::width_of(i.kind);
  if (width < 64) {
    fails = terms_.differ(result, a);
    // The same bits, and another number: what is signed on one side alone must not be negative.
    if (jit::is_signed(i.kind) && !jit::is_signed(i.source)) {
      fails = terms_.either(fails, terms_.binary(TermOp::LessS, a, terms_.bits(64, 0)));
    }
  } else if (jit::is_signed(i.kind) != jit::is_signed(i.source)) {
    fails = terms_.binary(TermOp::LessS, a, terms_.bits(64, 0));
  }
  return result;
}

void SsaEncoder::end(const SsaEndKey& key, SsaEnd&& more) {
  if (more.reached == kFalse) return;
  const auto [at, is_new] = outcome_.ends.try_emplace(key, std::move(more));
  if (is_new) return;
  SsaEnd& known = at->second;
  const Term choose = terms_.distinguish(more.reached, known.reached);
  for (auto& [slot, from] : more.told) {
    const auto [told, first] = known.told.try_emplace(slot, from);
    if (!first) told->second = terms_.choose(choose, from, told->second);
  }
  SsaState into, from;
  into.memory = std::move(known.memory);
  into.world = known.world;
  from.memory = std::move(more.memory);
  from.world = more.world;
  into.reached = known.reached;
  from.reached = more.reached;
  merge(into, std::move(from));
  known.memory = std::move(into.memory);
  known.world = into.world;
  known.reached = into.reached;
}

void SsaEncoder::compare_with(const jit::ssa::Function& later, std::function<bool(Term)> is_never) {
  is_never_ = std::move(is_never);
  asked_later_.clear();
  for (const jit::ssa::Block& block : later.blocks) {
    for (const jit::ssa::Value value : block.code) {
      const Instruction& i = later.at(value);
      const bool branches = i.op == Opcode::Branch;
      const bool asks = branches || i.op == Opcode::Guard || i.op == Opcode::Trap || i.mode == Mode::Checked;
      if (asks) asked_later_.insert({branches, i.frame, i.word});
    }
  }
}

/// Whether a condition under which the form does what the later one has no word of never holds.
bool SsaEncoder::is_never(bool branches, std::uint32_t frame, std::uint32_t word, Term condition) {
  if (condition == kFalse) return true;
  if (const auto known = never_.find(condition); known != never_.end()) return known->second;
  if (!is_gone(branches, frame, word) || needed_.contains({branches, frame, word})) return false;
  const bool never = is_never_(condition);
  never_.emplace(condition, never);
  if (!never && !branches) needed_.insert({branches, frame, word});
  return never;
}

/// The question a frame that is taken up has been asked: the first that leaves, in the form as it is built.
void SsaEncoder::find_assumed(const jit::ssa::Function& function) {
  assumed_ = kTrue;
  if (function.entry_word == 0) return;
  const auto built = jit::ssa::build(module_, function.index, {function.entry_word, false});
  if (!built) return;
  const auto value = [&](jit::ssa::Value of) -> std::optional<Term> {
    const Instruction& i = built->at(of);
    if (i.op == Opcode::Const) return terms_.bits(64, static_cast<std::uint64_t>(i.immediate));
    if (i.op != Opcode::Slot) return std::nullopt;
    return parameter(function.index, static_cast<std::uint32_t>(i.immediate), i.kind).bits;
  };
  for (const jit::ssa::Value each : built->blocks[0].code) {
    const Instruction& i = built->at(each);
    if (i.op != Opcode::Guard || !i.leaves) continue;
    const auto a = value(i.a);
    const auto b = value(i.b);
    if (a && b) assumed_ = holds(i.relation, i.kind, *a, *b);
    return;
  }
}

/// Slots of a frame that is taken up which need not hold any more what the function was given there.
void SsaEncoder::find_written(const bytecode::Function& source) {
  written_.clear();
  if (!taken_up_) return;
  for (std::uint32_t word = 0; word < source.code.size();) {
    const bytecode::Word* const code = source.code.data() + word;
    jit::each_slot(code, source.slots, [&](std::uint32_t slot, bool, bool writes) {
      if (writes) written_.insert(slot);
    });
    word += bytecode::instruction_words(code);
  }
}

SsaOutcome SsaEncoder::run(const jit::ssa::Function& function) {
  outcome_ = {};
  broken_.clear();
  exceeded_.clear();
  steps_ = 0;
  depth_ = 0;
  function_ = function.index;
  taken_up_ = function.entry_word != 0;
  parameters_.clear();
  const bytecode::Function& source = module_.functions[function.index];
  find_written(source);
  const std::uint32_t slots = module_.signatures[source.signature].parameter_slots();
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const Place place = parameter(function.index, slot, Kind::U64).place;
    if (place.kind == Place::Kind::Parameter) parameters_.push_back(place);
  }
  SsaState start;
  start.world = terms_.variable(kWorld, kIndex);
  find_assumed(function);
  if (taken_up_) {  // any slot may lead to an object or to what a parameter leads to
    start.leaked.insert(parameters_.begin(), parameters_.end());
    for (const bytecode::MemoryObject& object : source.objects) {
      start.leaked.insert({Place::Kind::Object, object.offset});
    }
  }
  Run run(*this, function, 0, {}, true);
  run.go(std::move(start));
  outcome_.broken = terms_.any(broken_);
  outcome_.exceeded = terms_.any(exceeded_);
  return std::move(outcome_);
}

}  // namespace cairn::verify
