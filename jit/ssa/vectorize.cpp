// Vectorization of element loops: a counted loop of one block in which every iteration reads and writes elements at its
// own index, or records of two of them, and nothing is carried from one to the next. Vectors are done while more than
// one vector of elements is left; the loop as it was does the rest, so that it is what control leaves by with values of
// its last iteration. A loop that leaves no values ends behind its vectors when nothing is left. No operation on floats
// changes its operands or its order.
#include <algorithm>

#include "jit/ssa/alias.hpp"
#include "jit/ssa/flow.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/prover.hpp"

namespace cairn::jit::ssa {
namespace {

/// Whether machine code has the operation on lanes of the kind.
bool has_vectors(const Instruction& i) {
  if (i.mode == Mode::Checked) return false;
  const std::uint32_t size = size_of(i.kind);
  if (is_float(i.kind)) {
    return (i.op >= Opcode::Add && i.op <= Opcode::Div) || i.op == Opcode::Neg || i.op == Opcode::Abs ||
           (i.op >= Opcode::Fma && i.op <= Opcode::Sqrt) || i.op == Opcode::Floor || i.op == Opcode::Ceil ||
           i.op == Opcode::Trunc;
  }
  if (i.kind < Kind::U8 || i.kind > Kind::I64) return false;
  switch (i.op) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::And:
    case Opcode::Or:
    case Opcode::Xor:
      return true;
    case Opcode::Mul:
      return size == 2 || size == 4;
    case Opcode::Min:
    case Opcode::Max:
      return size < 8;
    default:
      return false;
  }
}

class Vectorizer {
 public:
  Vectorizer(Function& function, const Context& context)
      : f_(function),
        context_(context),
        dominators_(function),
        loops_(function, dominators_),
        aliases_(function, context.module),
        prover_(function, dominators_) {}

  bool run() {
    bool any = false;
    const auto count = static_cast<std::uint32_t>(loops_.loops.size());
    for (std::uint32_t k = 0; k < count; ++k) {
      if (loops_.loops[k].blocks.size() == 1) any |= loop(k);
    }
    return any;
  }

 private:
  enum class Class : std::uint8_t { Outside, Linear, Vector, Mask, Address, Unfit };

  /// What a load or store reaches: `offset` bytes behind base + index * stride. A stride of two elements is that of
  /// records of two.
  struct Place {
    Value base = kNoValue, index = kNoValue;
    std::uint32_t stride = 0;
    std::int64_t offset = 0;
  };

  bool loop(std::uint32_t index) {
    body_ = loops_.loops[index].header;
    before_ = find_preheader(f_, loops_, index);
    if (before_ == kNone || f_.blocks[body_].is_cold || !find_counter() || !classify() || !independent()) return false;
    make();
    return true;
  }

  [[nodiscard]] bool is_outside(Value value) const { return f_.at(value).block != body_; }

  bool find_counter() {
    const Instruction& end = f_.end_of(body_);
    if (end.op != Opcode::Branch || end.relation != Relation::Lt || end.kind != Kind::U64) return false;
    if (f_.blocks[body_].successors[0] != body_ || !is_outside(end.b) || is_outside(end.a)) return false;
    next_ = end.a;
    bound_ = end.b;
    const Instruction& step = f_.at(next_);
    if (step.op != Opcode::Add || step.mode != Mode::Exact || f_.at(step.b).op != Opcode::Const ||
        f_.at(step.b).immediate != 1) {
      return false;
    }
    counter_ = step.a;
    const Instruction& phi = f_.at(counter_);
    if (phi.op != Opcode::Phi || phi.block != body_) return false;
    for (const Use& use : f_.uses_of(phi)) {
      if (use.slot == before_) start_ = use.value;
      if (use.slot == body_ && use.value != next_) return false;
    }
    return prover_.at_most(start_, bound_, -1, {before_, kNone}, false);
  }

  [[nodiscard]] Class class_of(Value value) const { return is_outside(value) ? Class::Outside : classes_[value]; }

  /// Whether the value is the counter and something that does not change: one more in each iteration.
  [[nodiscard]] bool is_linear(Value value) const { return class_of(value) == Class::Linear; }

  bool classify() {
    classes_.assign(f_.code.size(), Class::Unfit);
    accesses_.clear();
    size_ = 0;
    stride_ = 0;
    bool stores = false;
    for (const Value value : f_.blocks[body_].code) {
      const Instruction& i = f_.at(value);
      switch (i.op) {
        case Opcode::Phi:
          if (value != counter_) return false;
          classes_[value] = Class::Linear;
          continue;
        case Opcode::Point:
        case Opcode::Branch:
          continue;
        case Opcode::Load:
        case Opcode::Store: {
          Place place;
          if (i.kind == Kind::Bool || !takes(size_of(i.kind)) || !find_place(i, place)) return false;
          accesses_.push_back(value);
          if (i.op == Opcode::Store) {
            stores = true;
            if (!is_operand(i.c)) return false;
          } else {
            classes_[value] = Class::Vector;
          }
          continue;
        }
        case Opcode::Address:
          if (!is_outside(i.a) || i.b == kNoValue || !is_linear(i.b)) return false;
          classes_[value] = Class::Address;
          continue;
        case Opcode::Compare:
          if (!is_float(i.source) || !takes(size_of(i.source)) || !is_operand(i.a) || !is_operand(i.b)) return false;
          classes_[value] = Class::Mask;
          continue;
        case Opcode::Select:
          if (!is_float(i.kind) || !takes(size_of(i.kind)) || class_of(i.a) != Class::Mask) return false;
          if (!is_operand(i.b) || !is_operand(i.c)) return false;
          classes_[value] = Class::Vector;
          continue;
        default:
          break;
      }
      if (value == next_) {
        classes_[value] = Class::Linear;
        continue;
      }
      const bool from_counter = (i.a != kNoValue && is_linear(i.a)) || (i.b != kNoValue && is_linear(i.b));
      if (from_counter) {
        const bool sums = i.op == Opcode::Add && i.mode == Mode::Exact && i.kind == Kind::U64 &&
                          class_of(i.a) != class_of(i.b) && class_of(i.a) <= Class::Linear &&
                          class_of(i.b) <= Class::Linear;
        const bool less =
            i.op == Opcode::Sub && i.mode == Mode::Exact && i.kind == Kind::U64 && is_linear(i.a) && is_outside(i.b);
        if (!sums && !less) return false;
        classes_[value] = Class::Linear;
        continue;
      }
      const bool counts = (i.op == Opcode::Shl || i.op == Opcode::Shr) && size_of(i.kind) >= 4 && !is_float(i.kind) &&
                          f_.at(i.b).op == Opcode::Const && (size_of(i.kind) == 4 || !is_signed(i.kind));
      if (!has_vectors(i) && !counts) return false;
      if (!takes(size_of(i.kind)) || !is_operand(i.a)) return false;
      if (!counts && i.b != kNoValue && !is_operand(i.b)) return false;
      if (i.c != kNoValue && !is_operand(i.c)) return false;
      classes_[value] = Class::Vector;
    }
    if (!stores) return false;
    // What the loop leaves behind is what its last iteration made, which stays as it was.
    return true;
  }

  /// The place of a load or store of this loop, whose accesses are all of elements or all of records of two.
  bool find_place(const Instruction& i, Place& place) {
    place = {i.a, i.b, i.scale, i.immediate};
    const Instruction& at = f_.at(i.a);
    if (i.b == kNoValue && at.op == Opcode::Address) place = {at.a, at.b, at.scale, at.immediate + i.immediate};
    if (!is_outside(place.base) || place.index == kNoValue || !is_linear(place.index)) return false;
    if (stride_ == 0) stride_ = place.stride;
    if (place.stride != stride_) return false;
    if (stride_ == size_) return i.b != kNoValue;
    return stride_ == 2 * size_ && size_ >= 4 && place.offset >= 0 && place.offset % size_ == 0;
  }
  /// Of records: which of the two elements.
  [[nodiscard]] std::size_t element_of(const Place& place) const {
    return static_cast<std::size_t>(place.offset % stride_) / size_;
  }

  bool takes(std::uint32_t size) {
    if (size_ == 0) size_ = size;
    return size_ == size;
  }
  [[nodiscard]] bool is_operand(Value value) const {
    const Class of = class_of(value);
    return of == Class::Outside || of == Class::Vector;
  }

  /// An index as what does not change and a number, without the counter.
  struct Index {
    std::vector<Value> added, taken;
    Number number = 0;
  };
  void index_of(Value value, Index& index) const {
    if (value == counter_) return;
    if (value == next_) {
      ++index.number;
      return;
    }
    const Instruction& i = f_.at(value);
    for (const Value part : {i.a, i.b}) {
      if (!is_outside(part)) {
        index_of(part, index);
      } else if (f_.at(part).op == Opcode::Const) {
        const Number number = static_cast<std::uint64_t>(f_.at(part).immediate);
        index.number += i.op == Opcode::Sub ? -number : number;
      } else {
        (i.op == Opcode::Sub ? index.taken : index.added).push_back(part);
      }
    }
  }

  /// The index of a place in elements or records, its offset added.
  Index whole_index_of(const Place& place) const {
    Index index;
    index_of(place.index, index);
    index.number += place.offset / stride_;
    std::ranges::sort(index.added);
    std::ranges::sort(index.taken);
    return index;
  }

  /// Whether each store may be done for many iterations at once beside every other access. Of a record both elements
  /// are stored, and what reads them stands before.
  bool independent() {
    for (const Value store : accesses_) {
      if (f_.at(store).op != Opcode::Store) continue;
      Place mine;
      find_place(f_.at(store), mine);
      bool is_behind = false;  // the other access is, within an iteration
      bool is_whole = stride_ == size_;
      for (const Value other : accesses_) {
        if (other == store) {
          is_behind = true;
          continue;
        }
        const Instruction& o = f_.at(other);
        Place its;
        find_place(o, its);
        if (mine.base != its.base) {
          if (aliases_.may_meet(mine.base, its.base)) return false;
          continue;
        }
        const Index at = whole_index_of(mine);
        const Index there = whole_index_of(its);
        if (at.added != there.added || at.taken != there.taken) return false;
        if (stride_ != size_) {
          const bool is_other = o.op == Opcode::Store && element_of(mine) != element_of(its);
          if (at.number != there.number || !(is_other || (o.op == Opcode::Load && !is_behind))) return false;
          is_whole = is_whole || is_other;
          continue;
        }
        if (mine.offset % size_ != 0 || its.offset % size_ != 0) return false;
        if (at.number == there.number) continue;
        // A load that comes first may be of what later iterations write.
        if (o.op != Opcode::Load || is_behind || there.number < at.number) return false;
      }
      if (!is_whole) return false;
    }
    return true;
  }

  Value put(BlockId block, Instruction i) {
    i.block = block;
    i.word = f_.blocks[body_].word;
    i.frame = f_.end_of(before_).frame;
    const Value value = f_.make(i);
    std::vector<Value>& code = f_.blocks[block].code;
    const bool has_end = !code.empty() && is_end(f_.at(code.back()).op);
    code.insert(code.end() - (has_end ? 1 : 0), value);
    return value;
  }

  Value number(std::int64_t immediate) {
    Instruction i;
    i.op = Opcode::Const;
    i.kind = Kind::U64;
    i.immediate = immediate;
    return put(before_, i);
  }

  Value difference(Value a, Value b) {
    Instruction i;
    i.op = Opcode::Sub;
    i.kind = Kind::U64;
    i.a = a;
    i.b = b;
    return put(before_, i);
  }

  void branch(BlockId block, Relation relation, Value a, Value b, BlockId yes, BlockId no,
              Likely likely = Likely::First) {
    Instruction i;
    i.op = Opcode::Branch;
    i.kind = Kind::U64;
    i.relation = relation;
    i.likely = likely;
    i.a = a;
    i.b = b;
    put(block, i);
    f_.blocks[block].successors = {yes, no};
  }

  /// Whether something behind the loop is made of what its iterations made.
  [[nodiscard]] bool leaves_values() {
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      if (b == body_) continue;
      for (const Value value : f_.blocks[b].code) {
        bool found = false;
        each_operand(f_, f_.at(value), [&](Value operand) { found = found || !is_outside(operand); });
        if (found) return true;
      }
    }
    return false;
  }

  /// Records of two elements, two vectors of them: each element apart. The order of lanes is Unzip's, everywhere in the
  /// loop the same.
  struct Records {
    Place place;
    Value address = kNoValue;
    Value loaded[2] = {}, elements[2] = {};
  };
  Records& records_at(Place place, BlockId block, const std::vector<Value>& copies) {
    place.offset -= place.offset % stride_;
    for (Records& each : records_) {
      const Place& known = each.place;
      if (known.base == place.base && known.index == place.index && known.offset == place.offset) return each;
    }
    Instruction address;
    address.op = Opcode::Address;
    address.kind = Kind::U64;
    address.a = place.base;
    address.b = copies[place.index];
    address.scale = stride_;
    address.immediate = place.offset;
    records_.push_back({place, put(block, address)});
    return records_.back();
  }
  Value both(Opcode op, Kind kind, std::uint32_t lanes, Value a, Value b, std::size_t which, BlockId block) {
    Instruction i;
    i.op = op;
    i.kind = kind;
    i.lanes = static_cast<std::uint8_t>(lanes);
    i.a = a;
    i.b = b;
    i.immediate = static_cast<std::int64_t>(which);
    return put(block, i);
  }
  Value load_element(Instruction i, BlockId block, std::uint32_t lanes, const std::vector<Value>& copies) {
    Place place;
    find_place(i, place);
    Records& records = records_at(place, block, copies);
    i.lanes = static_cast<std::uint8_t>(lanes);
    i.a = records.address;
    i.b = kNoValue;
    i.scale = 1;
    for (const std::size_t half : {0U, 1U}) {
      if (records.loaded[half] != kNoValue) continue;
      i.immediate = half == 0 ? 0 : context_.vector_bytes;
      records.loaded[half] = put(block, i);
    }
    return both(Opcode::Unzip, i.kind, lanes, records.loaded[0], records.loaded[1], element_of(place), block);
  }
  /// Both elements are stored behind the second.
  void store_element(Instruction i, BlockId block, std::uint32_t lanes, const std::vector<Value>& copies,
                     Value vector) {
    Place place;
    find_place(i, place);
    Records& records = records_at(place, block, copies);
    records.elements[element_of(place)] = vector;
    if (records.elements[0] == kNoValue || records.elements[1] == kNoValue) return;
    i.lanes = static_cast<std::uint8_t>(lanes);
    i.a = records.address;
    i.b = kNoValue;
    i.scale = 1;
    for (const std::size_t half : {0U, 1U}) {
      i.c = both(Opcode::Zip, i.kind, lanes, records.elements[0], records.elements[1], half, block);
      i.immediate = half == 0 ? 0 : context_.vector_bytes;
      put(block, i);
    }
  }

  /// before: enough? -> vectors -> rest -> body. Where the loop leaves no values, vectors do all that fills them and
  /// nothing may be left.
  void make() {
    const bool all = !leaves_values();
    const Relation more = all ? Relation::Le : Relation::Lt;
    const std::uint32_t lanes = context_.vector_bytes / size_;
    const std::uint32_t word = f_.blocks[body_].word;
    const BlockId vectors = f_.add_block(word);
    const BlockId rest = f_.add_block(word);
    const Value step = number(lanes);
    const Value left = difference(bound_, start_);
    const Value limit = difference(bound_, step);

    std::vector<Value> copies(f_.code.size(), kNoValue);
    std::vector<Value> splats(f_.code.size(), kNoValue);
    records_.clear();
    Instruction phi;
    phi.op = Opcode::Phi;
    phi.kind = Kind::U64;
    const Value counter = put(vectors, phi);
    copies[counter_] = counter;
    const auto operand = [&](Value value, Kind kind) {
      if (!is_outside(value)) return copies[value];
      if (splats[value] == kNoValue) {
        Instruction splat;
        splat.op = Opcode::Splat;
        splat.kind = kind;
        splat.lanes = static_cast<std::uint8_t>(lanes);
        splat.a = value;
        splats[value] = put(before_, splat);
      }
      return splats[value];
    };
    const std::vector<Value> code = f_.blocks[body_].code;
    for (const Value value : code) {
      Instruction i = f_.at(value);
      if (i.op == Opcode::Phi || i.op == Opcode::Point || i.op == Opcode::Branch) continue;
      i.first_use = i.use_count = 0;
      if (classes_[value] == Class::Linear) {
        if (!is_outside(i.a)) i.a = copies[i.a];
        if (!is_outside(i.b)) i.b = copies[i.b];
      } else if (classes_[value] == Class::Address) {
        continue;
      } else if (stride_ != size_ && (i.op == Opcode::Load || i.op == Opcode::Store)) {
        if (i.op == Opcode::Load) {
          copies[value] = load_element(i, vectors, lanes, copies);
        } else {
          store_element(i, vectors, lanes, copies, operand(i.c, i.kind));
        }
        continue;
      } else if (i.op == Opcode::Load || i.op == Opcode::Store) {
        i.lanes = static_cast<std::uint8_t>(lanes);
        // The counter's successor as an index is the counter and an offset.
        if (i.b == next_) {
          i.b = counter;
          i.immediate += size_;
        } else {
          i.b = copies[i.b];
        }
        if (i.op == Opcode::Store) i.c = operand(i.c, i.kind);
      } else {
        const bool shifts = i.op == Opcode::Shl || i.op == Opcode::Shr;
        i.lanes = static_cast<std::uint8_t>(lanes);
        i.mode = Mode::Wrap;
        const Kind kind = i.op == Opcode::Compare ? i.source : i.kind;
        if (i.op == Opcode::Compare) i.kind = size_ == 4 ? Kind::U32 : Kind::U64;
        i.a = operand(i.a, kind);
        if (i.b != kNoValue && !shifts) i.b = operand(i.b, kind);
        if (i.c != kNoValue) i.c = operand(i.c, kind);
      }
      i.block = vectors;
      const Value copy = f_.make(i);
      f_.blocks[vectors].code.push_back(copy);
      copies[value] = copy;
    }
    Instruction add;
    add.op = Opcode::Add;
    add.kind = Kind::U64;
    add.mode = Mode::Exact;
    add.a = counter;
    add.b = step;
    const Value behind = put(vectors, add);
    const Use ways[] = {{before_, start_}, {vectors, behind}};
    f_.set_uses(f_.at(counter), ways);
    branch(vectors, more, behind, limit, vectors, rest);
    f_.at(f_.blocks[before_].code.back()) = {};
    f_.blocks[before_].code.pop_back();
    branch(before_, more, step, left, vectors, rest);
    // The loop as it was goes on where the vectors end.
    Instruction both;
    both.op = Opcode::Phi;
    both.kind = Kind::U64;
    both.block = rest;
    both.word = word;
    const Value from = f_.make(both);
    const Use ends[] = {{before_, start_}, {vectors, behind}};
    f_.set_uses(f_.at(from), ends);
    f_.blocks[rest].code.insert(f_.blocks[rest].code.begin(), from);
    if (all) {
      const BlockId done = f_.blocks[body_].successors[1];
      branch(rest, Relation::Lt, from, bound_, body_, done, Likely::Unknown);
      f_.blocks[done].predecessors.push_back(rest);
      for (const Value value : f_.blocks[done].code) {
        if (f_.at(value).op != Opcode::Phi) break;
        std::vector<Use> list(f_.uses_of(f_.at(value)).begin(), f_.uses_of(f_.at(value)).end());
        list.push_back({rest, std::ranges::find(list, body_, &Use::slot)->value});
        f_.set_uses(f_.at(value), list);
      }
    } else {
      Instruction jump;
      jump.op = Opcode::Jump;
      put(rest, jump);
      f_.blocks[rest].successors = {body_};
    }
    for (Use& use : f_.uses_of(f_.at(counter_))) {
      if (use.slot == before_) use = {rest, from};
    }
    f_.blocks[body_].predecessors = {body_, rest};
    f_.blocks[vectors].predecessors = {before_, vectors};
    f_.blocks[rest].predecessors = {before_, vectors};
  }

  Function& f_;
  const Context& context_;
  const Dominators dominators_;
  const Loops loops_;
  const Aliases aliases_;
  Prover prover_;
  BlockId body_ = 0, before_ = 0;
  Value counter_ = kNoValue, next_ = kNoValue, start_ = kNoValue, bound_ = kNoValue;
  std::vector<Class> classes_;
  std::vector<Value> accesses_;
  std::vector<Records> records_;
  std::uint32_t size_ = 0;    // of an element
  std::uint32_t stride_ = 0;  // from one index to the next
};

}  // namespace

bool vectorize_loops(Function& function, const Context& context) {
  if (context.vector_bytes < 16) return false;
  const bool made = make_preheaders(function);
  return Vectorizer(function, context).run() || made;
}

}  // namespace cairn::jit::ssa
