// Memory in registers. Objects of the frame that nothing else can reach are followed as values (scalar replacement: a
// record's fields, an array's elements at fixed places), by the same construction as slots are. Elsewhere a load of
// what was just stored or loaded is that value; `ro`, `rw` and ownership say what cannot have changed between
// (alias.hpp). Stores to the frame stay where baseline code may take the frame up behind them and read what they left;
// every store elsewhere stays.
#include <algorithm>
#include <map>
#include <ranges>

#include "jit/ssa/alias.hpp"
#include "jit/ssa/flow.hpp"
#include "jit/ssa/frame_memory.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/rewrite.hpp"

namespace cairn::jit::ssa {
namespace {

constexpr std::size_t kMostFields = std::size_t{1} << 22;

// ------------------------------------------------------------------------------------------- copies

/// A copy of a record of the frame becomes its fields' loads, then their stores.
class Copies {
 public:
  Copies(Function& function, const Context& context) : f_(function), module_(context.module) {}

  bool run() {
    bool any = false;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) {
      for (std::size_t k = 0; k < f_.blocks[b].code.size(); ++k) {
        const Instruction copy = f_.at(f_.blocks[b].code[k]);
        if (copy.op != Opcode::Copy || !parts_of(copy)) continue;
        std::vector<Value> code;
        Instruction i;
        i.block = b;
        i.word = copy.word;
        i.frame = copy.frame;
        for (const Part& part : parts_) {
          i.op = Opcode::Load;
          i.kind = part.kind;
          i.a = copy.b;
          i.immediate = part.offset;
          code.push_back(f_.make(i));
        }
        for (std::size_t p = 0; p < parts_.size(); ++p) {
          i.op = Opcode::Store;
          i.kind = parts_[p].kind;
          i.a = copy.a;
          i.immediate = parts_[p].offset;
          i.c = code[p];
          code.push_back(f_.make(i));
        }
        std::vector<Value>& all = f_.blocks[b].code;
        f_.at(all[k]) = {};
        all.erase(all.begin() + static_cast<std::ptrdiff_t>(k));
        all.insert(all.begin() + static_cast<std::ptrdiff_t>(k), code.begin(), code.end());
        k += code.size() - 1;
        any = true;
      }
    }
    return any;
  }

 private:
  static constexpr std::size_t kMostParts = 12;
  struct Part {
    std::int64_t offset = 0;
    Kind kind{};
  };

  bool parts_of(const Instruction& copy) {
    for (const Value side : {copy.a, copy.b}) {
      const Instruction& base = f_.at(side);
      if (base.op != Opcode::FrameAddress) continue;
      const bytecode::Function& source = module_.functions[f_.index];
      const auto object = std::ranges::find(source.objects, static_cast<std::uint64_t>(base.immediate),
                                            &bytecode::MemoryObject::offset);
      if (object == source.objects.end() ||
          module_.types[object->type].size != static_cast<std::uint64_t>(copy.immediate)) {
        continue;
      }
      parts_.clear();
      std::int64_t bytes = 0;
      if (!flatten(object->type, 0)) continue;
      for (const Part& part : parts_) bytes += size_of(part.kind);
      if (bytes == copy.immediate) return true;  // else it has holes, which a copy copies
    }
    return false;
  }

  bool flatten(std::uint32_t index, std::int64_t offset) {
    using bytecode::ScalarKind;
    using bytecode::TypeKind;
    const bytecode::Type& type = module_.types[index];
    const auto add = [&](std::int64_t at, Kind kind) {
      parts_.push_back({at, kind});
      return parts_.size() <= kMostParts;
    };
    switch (type.kind) {
      case TypeKind::Scalar:
        if (type.scalar <= ScalarKind::F64) {
          return add(offset, static_cast<Kind>(static_cast<int>(type.scalar) + static_cast<int>(Kind::Bool)));
        }
        return add(offset, bytecode::scalar_size(type.scalar) == 2 ? Kind::U16 : Kind::U8);
      case TypeKind::Record:
        return std::ranges::all_of(type.fields, [&](const bytecode::Field& field) {
          return flatten(field.type, offset + static_cast<std::int64_t>(field.offset));
        });
      case TypeKind::Array:
        if (type.count > kMostParts) return false;
        for (std::uint64_t k = 0; k < type.count; ++k) {
          if (!flatten(type.element, offset + static_cast<std::int64_t>(k * module_.types[type.element].size))) {
            return false;
          }
        }
        return true;
      case TypeKind::Buf:
      case TypeKind::Dyn:
        return add(offset, Kind::U64) && add(offset + 8, Kind::U64);
      case TypeKind::Function:
        return add(offset, Kind::U64);
      default:
        return false;
    }
  }

  Function& f_;
  const bytecode::Module& module_;
  std::vector<Part> parts_;
};

// ------------------------------------------------------------------------------------------- the frame's objects

class Promotion {
 public:
  Promotion(Function& function, const Context& context)
      : f_(function), module_(context.module), aliases_(function, context.module), forward_(function) {}

  bool run() {
    collect();
    if (fields_.empty() || fields_.size() * f_.blocks.size() > kMostFields) return false;
    variables_.assign(fields_.size() * f_.blocks.size(), kNoValue);
    find_kept();
    const Dominators dominators(f_);
    bool any = false;
    for (const BlockId b : dominators.order()) {
      // What a block leaves in each field; loads are answered in a second walk.
      for (const Value value : f_.blocks[b].code) note(value, b);
    }
    for (const BlockId b : dominators.order()) {
      current_.assign(fields_.size(), kNoValue);
      std::vector<Value> code = f_.blocks[b].code;
      for (const Value value : code) {
        const Instruction i = f_.at(value);
        if (i.op == Opcode::Load) {
          const std::uint32_t field = field_of(i);
          if (field == kNone) continue;
          if (current_[field] == kNoValue) current_[field] = at_start(field, b);
          forward_.replace(value, current_[field]);
          any = true;
        } else if (i.op == Opcode::Store) {
          const std::uint32_t field = field_of(i);
          if (field == kNone) continue;
          current_[field] = i.c;
          if (kept_[value] != 0) continue;
          f_.at(value) = {};
          any = true;
        } else if (i.op == Opcode::Zero) {
          each_zeroed(i, [&](std::uint32_t field) { current_[field] = zero(fields_[field].kind); });
          if (kept_[value] != 0 || !is_promoted(i.a)) continue;
          f_.at(value) = {};
          any = true;
        }
      }
      std::erase_if(f_.blocks[b].code, [&](Value value) { return f_.at(value).op == Opcode::Nop; });
    }
    fill();
    forward_.apply();
    return any;
  }

 private:
  struct Field {
    std::uint64_t object = 0;
    std::int64_t offset = 0;
    Kind kind{};
  };

  /// The object an access names alone, and where in it; false for any other address.
  bool place_of(Value address, std::int64_t offset, std::uint64_t& object, std::int64_t& at) const {
    const Instruction& base = f_.at(address);
    if (base.op == Opcode::FrameAddress) {
      object = static_cast<std::uint64_t>(base.immediate);
      at = offset;
      return true;
    }
    return base.op == Opcode::Address && base.b == kNoValue && place_of(base.a, offset + base.immediate, object, at);
  }

  /// How many bytes the object has.
  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t object) const {
    const std::vector<bytecode::MemoryObject>& objects = module_.functions[f_.index].objects;
    const auto at = std::ranges::find(objects, object, &bytecode::MemoryObject::offset);
    return at == objects.end() ? 0 : module_.types[at->type].size;
  }

  void collect() {
    // Objects whose every use is a load, a store or a zeroing at a fixed place.
    std::map<std::uint64_t, bool> fits;
    std::vector<Field> fields;
    const auto refuse = [&](Value value) {
      std::uint64_t object = 0;
      std::int64_t at = 0;
      if (place_of(value, 0, object, at)) fits[object] = false;
    };
    for (const Block& block : f_.blocks) {
      for (const Value value : block.code) {
        const Instruction& i = f_.at(value);
        if (i.op == Opcode::FrameAddress) fits.try_emplace(static_cast<std::uint64_t>(i.immediate), true);
        std::uint64_t object = 0;
        std::int64_t at = 0;
        switch (i.op) {
          case Opcode::Load:
          case Opcode::Store:
            if (i.op == Opcode::Store) refuse(i.c);
            if (!place_of(i.a, i.immediate, object, at)) break;
            if (i.b != kNoValue || i.lanes != 1) {
              fits[object] = false;
            } else {
              fields.push_back({object, at, i.kind});
            }
            break;
          case Opcode::Zero:
          case Opcode::Address:
            if (i.op == Opcode::Address && i.b != kNoValue) refuse(i.a);
            break;
          case Opcode::Point:
            break;
          default:
            // What a trap tells of an address is not what lies there; baseline code finds the stores that were kept.
            if (i.op == Opcode::Guard || i.mode == Mode::Checked || i.op == Opcode::Trap || i.op == Opcode::Exit ||
                i.op == Opcode::Poll) {
              for (const Value operand : {i.a, i.b, i.c}) {
                if (operand != kNoValue) refuse(operand);
              }
              break;
            }
            each_operand(f_, i, refuse);
            break;
        }
      }
    }
    std::ranges::sort(fields, [](const Field& x, const Field& y) {
      return std::tie(x.object, x.offset, x.kind) < std::tie(y.object, y.offset, y.kind);
    });
    for (std::size_t k = 0; k < fields.size(); ++k) {
      const Field& field = fields[k];
      if (k > 0 && fields[k - 1].object == field.object) {
        const Field& before = fields[k - 1];
        if (before.offset == field.offset && before.kind == field.kind) continue;
        // Two views of the same bytes: a sum's payloads.
        if (field.offset < before.offset + size_of(before.kind)) fits[field.object] = false;
      }
      fields_.push_back(field);
    }
    // What lies outside is never reached.
    for (const Field& field : fields_) {
      const auto end = field.offset + static_cast<std::int64_t>(size_of(field.kind));
      if (field.offset < 0 || static_cast<std::uint64_t>(end) > bytes_of(field.object)) fits[field.object] = false;
    }
    std::erase_if(fields_,
                  [&](const Field& field) { return !fits[field.object] || !aliases_.is_private(field.object); });
  }

  [[nodiscard]] std::uint32_t find(std::uint64_t object, std::int64_t offset) const {
    const auto at = std::ranges::lower_bound(fields_, std::pair(object, offset), {},
                                             [](const Field& field) { return std::pair(field.object, field.offset); });
    if (at == fields_.end() || at->object != object || at->offset != offset) return kNone;
    return static_cast<std::uint32_t>(at - fields_.begin());
  }
  std::uint32_t field_of(const Instruction& i) const {
    std::uint64_t object = 0;
    std::int64_t at = 0;
    return place_of(i.a, i.immediate, object, at) ? find(object, at) : kNone;
  }
  /// Whether the object the address leads to is followed.
  bool is_promoted(Value address) const {
    std::uint64_t object = 0;
    std::int64_t at = 0;
    if (!place_of(address, 0, object, at)) return false;
    return std::ranges::any_of(fields_, [&](const Field& field) { return field.object == object; });
  }
  template <class Visit>
  void each_zeroed(const Instruction& i, Visit visit) const {
    std::uint64_t object = 0;
    std::int64_t at = 0;
    if (!place_of(i.a, 0, object, at)) return;
    for (std::uint32_t k = 0; k < fields_.size(); ++k) {
      const Field& field = fields_[k];
      if (field.object == object && field.offset >= at && field.offset < at + i.immediate) visit(k);
    }
  }

  // ---- stores that baseline code may read

  /// What followed objects hold, in bits: of each field, then, by object, of what lies between its fields.
  using Parts = std::vector<std::uint64_t>;
  static bool has(const Parts& parts, std::size_t part) { return (parts[part / 64] >> (part % 64) & 1) != 0; }
  static void put(Parts& parts, std::size_t part, bool value) {
    const std::uint64_t bit = std::uint64_t{1} << (part % 64);
    parts[part / 64] = value ? parts[part / 64] | bit : parts[part / 64] & ~bit;
  }
  [[nodiscard]] std::size_t rest_of(std::uint64_t object) const {
    return fields_.size() + static_cast<std::size_t>(std::ranges::find(objects_, object) - objects_.begin());
  }

  /// Every store and zeroing behind which control may leave to where its bytes are read (a backward walk: what is
  /// read at the ways out, without what is written before them).
  void find_kept() {
    for (const Field& field : fields_) {
      if (objects_.empty() || objects_.back() != field.object) objects_.push_back(field.object);
    }
    const FrameMemory memory(module_, module_.functions[f_.index]);
    const std::size_t words = (fields_.size() + objects_.size() - 1) / 64 + 1;
    std::vector<Parts> at_start(f_.blocks.size(), Parts(words));
    kept_.assign(f_.code.size(), 0);
    std::map<Value, Parts> read;  // by instruction that leaves
    bool marks = false;
    const auto walk = [&](BlockId b) {
      Parts parts(words);
      for (const BlockId next : f_.blocks[b].successors) {
        for (std::size_t k = 0; k < words; ++k) parts[k] |= at_start[next][k];
      }
      for (const Value value : std::views::reverse(f_.blocks[b].code)) {
        const Instruction& i = f_.at(value);
        if (i.leaves || i.op == Opcode::Point || i.op == Opcode::Poll || i.op == Opcode::Exit) {
          const auto [at, is_new] = read.try_emplace(value);
          if (is_new) at->second = read_behind(i, memory, words);
          for (std::size_t k = 0; k < words; ++k) parts[k] |= at->second[k];
        } else if (i.op == Opcode::Store) {
          const std::uint32_t field = field_of(i);
          if (field == kNone) continue;
          if (marks) kept_[value] = has(parts, field) ? 1 : 0;
          put(parts, field, false);
        } else if (i.op == Opcode::Zero && is_promoted(i.a)) {
          std::uint64_t object = 0;
          std::int64_t at = 0;
          place_of(i.a, 0, object, at);
          if (marks) kept_[value] = has(parts, rest_of(object)) ? 1 : 0;
          each_zeroed(i, [&](std::uint32_t field) {
            if (marks && has(parts, field)) kept_[value] = 1;
            if (fields_[field].offset + size_of(fields_[field].kind) <= at + i.immediate) put(parts, field, false);
          });
          if (at == 0 && static_cast<std::uint64_t>(i.immediate) >= bytes_of(object)) {
            put(parts, rest_of(object), false);
          }
        }
      }
      return parts;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (BlockId b = static_cast<BlockId>(f_.blocks.size()); b-- > 0;) {
        Parts parts = walk(b);
        changed = changed || parts != at_start[b];
        at_start[b] = std::move(parts);
      }
    }
    marks = true;
    for (BlockId b = 0; b < f_.blocks.size(); ++b) walk(b);
  }

  /// What is read where control goes on when it leaves there.
  Parts read_behind(const Instruction& i, const FrameMemory& memory, std::size_t words) const {
    Parts parts(words);
    const auto word = i.op == Opcode::Poll ? static_cast<std::uint32_t>(i.immediate) : i.word;
    for (const std::uint64_t object : objects_) {
      bool is_referred_to = i.frame != 0;  // nothing is known of an inlined function's slots
      for (const Use& use : f_.uses_of(i)) {
        const Aliases::Root& root = aliases_.root(use.value);
        if (root == Aliases::Root{Aliases::Root::Kind::Frame, 0, object}) is_referred_to = true;
      }
      std::uint64_t from = 0;  // of what lies between fields
      const auto between = [&](std::uint64_t to) {
        if (is_referred_to || (from < to && memory.is_read(word, object + from, to - from))) {
          put(parts, rest_of(object), true);
        }
      };
      for (std::uint32_t k = 0; k < fields_.size(); ++k) {
        const Field& field = fields_[k];
        if (field.object != object) continue;
        const auto at = static_cast<std::uint64_t>(field.offset);
        if (is_referred_to || memory.is_read(word, object + at, size_of(field.kind))) put(parts, k, true);
        between(at);
        from = at + size_of(field.kind);
      }
      between(bytes_of(object));
    }
    return parts;
  }

  // ---- values of fields

  Value zero(Kind kind) {
    Value& known = zeros_[kind];
    if (known == kNoValue) {
      Instruction i;
      i.op = Opcode::Const;
      i.kind = kind;
      known = f_.make(i);
      f_.blocks[0].code.insert(f_.blocks[0].code.begin(), known);
    }
    return known;
  }

  /// The field as it is where the frame is taken up.
  Value first_load(const Field& field) {
    Instruction i;
    i.op = Opcode::FrameAddress;
    i.kind = Kind::U64;
    i.immediate = static_cast<std::int64_t>(field.object);
    const Value address = f_.make(i);
    i.op = Opcode::Load;
    i.kind = field.kind;
    i.a = address;
    i.immediate = field.offset;
    const Value load = f_.make(i);
    std::vector<Value>& code = f_.blocks[0].code;
    auto at = code.begin();
    while (f_.at(*at).op == Opcode::Slot || f_.at(*at).op == Opcode::Const) ++at;
    const Value both[] = {address, load};
    code.insert(at, std::begin(both), std::end(both));
    return load;
  }

  Value& variable(std::uint32_t field, BlockId block) {
    return variables_[std::size_t{block} * fields_.size() + field];
  }

  void note(Value value, BlockId block) {
    const Instruction i = f_.at(value);
    if (i.op == Opcode::Store) {
      const std::uint32_t field = field_of(i);
      if (field != kNone) variable(field, block) = i.c;
    } else if (i.op == Opcode::Zero) {
      each_zeroed(i, [&](std::uint32_t field) { variable(field, block) = zero(fields_[field].kind); });
    }
  }

  /// The field where the block starts: what its one predecessor leaves, or a phi, filled when all is known.
  Value at_start(std::uint32_t field, BlockId block) {
    const auto known = starts_.find({field, block});
    if (known != starts_.end()) return known->second;
    if (block == 0) {
      // Nothing was put there yet; in a frame that is taken up, what its code put there.
      const Value first = f_.entry_word == 0 ? zero(fields_[field].kind) : first_load(fields_[field]);
      starts_.emplace(std::pair(field, block), first);
      return first;
    }
    const std::vector<BlockId>& before = f_.blocks[block].predecessors;
    Value value = kNoValue;
    if (before.size() == 1) {
      // Up through blocks that leave the field alone.
      BlockId at = before[0];
      while (at != 0 && variable(field, at) == kNoValue && f_.blocks[at].predecessors.size() == 1) {
        at = f_.blocks[at].predecessors[0];
      }
      value = at_end(field, at);
    } else {
      Instruction phi;
      phi.op = Opcode::Phi;
      phi.kind = fields_[field].kind;
      phi.block = block;
      phi.word = f_.blocks[block].word;
      value = f_.make(phi);
      phis_.push_back({field, value});
    }
    starts_.emplace(std::pair(field, block), value);
    return value;
  }
  Value at_end(std::uint32_t field, BlockId block) {
    const Value value = variable(field, block);
    return value != kNoValue ? value : at_start(field, block);
  }

  void fill() {
    for (std::size_t k = 0; k < phis_.size(); ++k) {
      const auto [field, phi] = phis_[k];
      const BlockId block = f_.at(phi).block;
      std::vector<Use> list;
      for (const BlockId before : f_.blocks[block].predecessors) list.push_back({before, at_end(field, before)});
      f_.set_uses(f_.at(phi), list);
      f_.blocks[block].code.insert(f_.blocks[block].code.begin(), phi);
    }
  }

  Function& f_;
  const bytecode::Module& module_;
  const Aliases aliases_;
  Forward forward_;
  std::vector<Field> fields_;
  std::vector<std::uint64_t> objects_;  // of the fields
  std::vector<std::uint8_t> kept_;      // by value: a store that baseline code may read
  std::vector<Value> variables_;        // by block and field: the value at its end
  std::vector<Value> current_;
  std::map<std::pair<std::uint32_t, BlockId>, Value> starts_;
  std::vector<std::pair<std::uint32_t, Value>> phis_;
  std::map<Kind, Value> zeros_;
};

// ------------------------------------------------------------------------------------------- loads of what is known

class Forwarding {
 public:
  Forwarding(Function& function, const Context& context)
      : f_(function), dominators_(function), aliases_(function, context.module), forward_(function) {}

  bool run() {
    std::vector<std::vector<Value>> at_end(f_.blocks.size());
    for (const BlockId b : dominators_.order()) {
      known_.clear();
      const std::vector<BlockId>& before = f_.blocks[b].predecessors;
      if (b != 0 && before.size() == 1) known_ = at_end[before[0]];
      for (const Value value : f_.blocks[b].code) visit(value);
      at_end[b] = known_;
    }
    return forward_.apply();
  }

 private:
  static constexpr std::size_t kMostKnown = 32;

  static bool same_place(const Instruction& i, const Instruction& j) {
    return i.a == j.a && i.b == j.b && i.immediate == j.immediate && (i.b == kNoValue || i.scale == j.scale) &&
           i.kind == j.kind && i.lanes == j.lanes;
  }

  void visit(Value value) {
    Instruction& i = f_.at(value);
    each_operand(f_, i, [&](Value& operand) { operand = forward_(operand); });
    if (i.op == Opcode::Load) {
      for (const Value known : known_) {
        const Instruction& other = f_.at(known);
        if (!same_place(i, other)) continue;
        return forward_.replace(value, other.op == Opcode::Store ? other.c : known);
      }
      return keep(value);
    }
    const bool calls = is_call(i.op) || i.op == Opcode::Step;
    const bool writes = i.op == Opcode::Store || i.op == Opcode::Copy || i.op == Opcode::Zero;
    if (!calls && !writes) return;
    std::erase_if(known_, [&](Value known) {
      return calls ? aliases_.may_write(i, f_.at(known)) : aliases_.may_overlap(i, f_.at(known));
    });
    if (i.op == Opcode::Store && i.use_count == 0) keep(value);
  }

  void keep(Value value) {
    if (known_.size() == kMostKnown) known_.erase(known_.begin());
    known_.push_back(value);
  }

  Function& f_;
  const Dominators dominators_;
  const Aliases aliases_;
  Forward forward_;
  std::vector<Value> known_;  // loads and stores whose places hold their values
};

}  // namespace

bool promote_memory(Function& function, const Context& context) {
  const bool expanded = Copies(function, context).run();
  const bool promoted = Promotion(function, context).run();
  const bool forwarded = Forwarding(function, context).run();
  return expanded || promoted || forwarded;
}

}  // namespace cairn::jit::ssa
