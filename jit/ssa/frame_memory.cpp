#include "jit/ssa/frame_memory.hpp"

#include <algorithm>

#include "jit/baseline/shape.hpp"
#include "jit/ssa/ir.hpp"

namespace cairn::jit::ssa {

using bytecode::Class;
using bytecode::Op;
using bytecode::Word;

namespace {

constexpr std::size_t kMostWords = std::size_t{1} << 18;  // of all sets of one kind

struct Bytes {
  std::uint64_t begin = 0, end = 0;
};

void set_bits(std::uint64_t* set, Bytes bytes, bool value) {
  for (std::uint64_t at = bytes.begin; at < bytes.end;) {
    const std::uint64_t first = at % 64;
    const std::uint64_t count = std::min(bytes.end - at, 64 - first);
    const std::uint64_t mask = (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
    set[at / 64] = value ? set[at / 64] | mask : set[at / 64] & ~mask;
    at += count;
  }
}

/// Whether the instruction gives what it reads on as another reference: to the same object, or to a part of it.
bool makes_reference(Op op) {
  return op == Op::Move || op == Op::MovePair || op == Op::Select || op == Op::FrameRef || op == Op::FrameView ||
         (op >= Op::RefOffset && op <= Op::PartExact) || (op >= Op::CallableFunction && op <= Op::CallableValue) ||
         op == Op::DynLend || op == Op::DynOf;
}

/// Whether the instruction uses references for itself alone.
bool only_accesses(Op op) {
  const Verb verb = shape_of(op).verb;
  return verb == Verb::Load || verb == Verb::Store || verb == Verb::LoadAt || verb == Verb::StoreAt ||
         (op >= Op::GuardIndex && op <= Op::ConvertEach) || op == Op::LoadWord || op == Op::LoadPair ||
         op == Op::LoadAtWord || op == Op::LoadAtPair || op == Op::Drop || op == Op::Print || op == Op::Format ||
         (op >= Op::Call && op <= Op::CallDyn);
}

/// The operand that the instruction puts into memory, which may be a reference.
const bytecode::Operand* stored_reference(Op op) {
  const bytecode::OperationInfo& row = bytecode::info(op);
  switch (op) {
    case Op::FrameStoreWord:
    case Op::FrameStorePair:
      return &row.operands[0];
    case Op::StoreWord:
    case Op::StorePair:
      return &row.operands[1];
    case Op::StoreAtWord:
    case Op::StoreAtPair:
      return &row.operands[2];
    default:
      return nullptr;
  }
}

}  // namespace

FrameMemory::FrameMemory(const bytecode::Module& module, const bytecode::Function& function)
    : module_(module), function_(function), flow_(function, &module) {
  find_read();
  find_referred();
}

std::size_t FrameMemory::index_of(std::uint64_t offset) const {
  const auto after = std::ranges::upper_bound(function_.objects, offset, {}, &bytecode::MemoryObject::offset);
  return static_cast<std::size_t>(after - function_.objects.begin()) - 1;
}

// ------------------------------------------------------------------------------------------- bytes that are read

void FrameMemory::find_read() {
  const auto blocks = flow_.blocks();
  const std::uint64_t words = function_.memory_bytes / 64 + 1;
  if (words * blocks.size() > kMostWords) return;
  byte_words_ = static_cast<std::size_t>(words);
  Set written(blocks.size() * byte_words_);
  read_.assign(blocks.size() * byte_words_, 0);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    std::uint64_t* const reads = read_.data() + b * byte_words_;
    std::uint64_t* const writes = written.data() + b * byte_words_;
    const auto read = [&](Bytes bytes) {
      for (std::uint64_t at = bytes.begin; at < bytes.end; ++at) {
        if ((writes[at / 64] >> (at % 64) & 1) == 0) set_bits(reads, {at, at + 1}, true);
      }
    };
    for (std::uint32_t word = blocks[b].begin; word < blocks[b].end;) {
      const Word* const code = function_.code.data() + word;
      word += bytecode::instruction_words(code);
      const Op op = bytecode::op_of(code[0]);
      const Shape& shape = shape_of(op);
      for (const bytecode::Operand& operand : bytecode::info(op).all()) {
        if (operand.type != Class::Frame) continue;
        const std::uint64_t at = bytecode::operand_bits(code, operand.place);
        if (shape.verb == Verb::FrameStore) {
          set_bits(writes, {at, at + size_of(shape.type)}, true);
        } else if (op == Op::FrameStoreWord || op == Op::FrameStorePair) {
          set_bits(writes, {at, at + (op == Op::FrameStorePair ? 16 : 8)}, true);
        } else if (op == Op::FrameZero) {
          set_bits(writes, {at, at + bytecode::m_of(code[1])}, true);
        } else if (shape.verb == Verb::FrameLoad) {
          read({at, at + size_of(shape.type)});
        } else {
          const bytecode::MemoryObject& object = function_.objects[index_of(at)];
          read({object.offset, object.offset + module_.types[object.type].size});
        }
      }
    }
  }
  const Set own = read_;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      for (std::size_t k = 0; k < byte_words_; ++k) {
        std::uint64_t out = 0;
        for (const std::uint32_t next : blocks[b].next) out |= read_[next * byte_words_ + k];
        std::uint64_t& in = read_[b * byte_words_ + k];
        const std::uint64_t now = own[b * byte_words_ + k] | (out & ~written[b * byte_words_ + k]);
        changed = changed || now != in;
        in = now;
      }
    }
  }
}

bool FrameMemory::is_read(std::uint32_t word, std::uint64_t offset, std::uint64_t bytes) const {
  if (byte_words_ == 0 || !begins_block(word)) return true;
  const std::uint64_t* const reads = read_.data() + flow_.block_at(word) * byte_words_;
  for (std::uint64_t at = offset; at < offset + bytes; ++at) {
    if ((reads[at / 64] >> (at % 64) & 1) != 0) return true;
  }
  return false;
}

// ------------------------------------------------------------------------------------------- what refers to objects

void FrameMemory::find_referred() {
  const std::size_t words = function_.objects.size() / 64 + 1;
  if (words * function_.slots > kMostWords) return;
  object_words_ = words;
  referred_.assign(object_words_ * function_.slots, 0);
  held_.assign(object_words_, 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t word = 0; word < function_.code.size();) {
      const Word* const code = function_.code.data() + word;
      changed |= refer(code);
      word += bytecode::instruction_words(code);
    }
  }
}

/// Calls visit(slot, operand) for each slot named that may hold a reference.
template <class Visit>
void FrameMemory::each_reference(const Word* code, Visit visit) const {
  const bytecode::OperationInfo& row = bytecode::info(bytecode::op_of(code[0]));
  for (const bytecode::Operand& operand : row.all()) {
    if (!operand.is_register()) continue;
    const Class type = operand.type == Class::SameAsA   ? row.operands[0].type
                       : operand.type == Class::SameAsB ? row.operands[1].type
                                                        : operand.type;
    if (type <= Class::Whole) continue;  // a number
    const auto first = static_cast<std::uint32_t>(bytecode::operand_bits(code, operand.place));
    const std::uint32_t end = operand.role == bytecode::Role::Window ? window_end(module_, code, function_.slots)
                                                                     : first + (is_pair(row, operand) ? 2 : 1);
    for (std::uint32_t slot = first; slot < std::min(end, function_.slots); ++slot) {
      const bool is_number = slot < function_.registers.size() && function_.registers[slot].type.is_scalar();
      if (!is_number) visit(slot, operand);
    }
  }
}

/// What the instruction gives on of the references it reads. True when something new was found.
bool FrameMemory::refer(const Word* code) {
  const Op op = bytecode::op_of(code[0]);
  const auto add = [](std::span<std::uint64_t> to, std::span<const std::uint64_t> from) {
    bool any = false;
    for (std::size_t k = 0; k < to.size(); ++k) {
      any = any || (from[k] & ~to[k]) != 0;
      to[k] |= from[k];
    }
    return any;
  };
  const bytecode::OperationInfo& row = bytecode::info(op);
  Set read(object_words_);
  each_reference(code, [&](std::uint32_t slot, const bytecode::Operand& operand) {
    if (operand.role != bytecode::Role::Write) add(read, objects_in(slot));
  });
  for (const bytecode::Operand& operand : row.all()) {
    if (operand.type != Class::Frame || (op != Op::FrameRef && op != Op::FrameView)) continue;
    const std::size_t object = index_of(bytecode::operand_bits(code, operand.place));
    read[object / 64] |= std::uint64_t{1} << (object % 64);
  }
  if (makes_reference(op)) {
    bool any = false;
    each_reference(code, [&](std::uint32_t slot, const bytecode::Operand& operand) {
      if (operand.role == bytecode::Role::Write) any |= add(objects_in(slot), read);
    });
    return any;
  }
  if (const bytecode::Operand* const stored = stored_reference(op)) {
    bool any = false;
    each_reference(code, [&](std::uint32_t slot, const bytecode::Operand& operand) {
      if (&operand == stored) any |= add(held_, objects_in(slot));
    });
    return any;
  }
  // A call's result is of what it was given, at most.
  if (op >= Op::Call && op <= Op::CallDyn) {
    bool any = false;
    const std::uint32_t window = bytecode::a_of(code[0]);
    for (std::uint32_t slot = window; slot < window + 2 && slot < function_.slots; ++slot) {
      any |= add(objects_in(slot), read);
    }
    return any;
  }
  return !only_accesses(op) && add(held_, read);
}

bool FrameMemory::is_referred_to(std::uint32_t word, std::uint64_t object) const {
  if (object_words_ == 0) return true;
  const std::size_t index = index_of(object);
  const auto refers = [&](std::span<const std::uint64_t> set) { return (set[index / 64] >> (index % 64) & 1) != 0; };
  if (refers(held_) || !begins_block(word)) return true;
  const auto alive = flow_.live_at(word);
  for (std::uint32_t slot = 0; slot < function_.slots; ++slot) {
    if (contains(alive, slot) && refers({referred_.data() + slot * object_words_, object_words_})) return true;
  }
  return false;
}

}  // namespace cairn::jit::ssa
