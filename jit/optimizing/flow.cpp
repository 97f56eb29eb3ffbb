#include "jit/optimizing/flow.hpp"

#include <algorithm>

namespace cairn::jit {

using bytecode::Op;
using bytecode::Word;

bool is_pair(const bytecode::OperationInfo& row, const bytecode::Operand& operand) {
  using bytecode::Class;
  switch (operand.type == Class::SameAsA ? row.operands[0].type : operand.type) {
    case Class::Two:
    case Class::View:
    case Class::ViewMut:
    case Class::Buf:
    case Class::Callable:
    case Class::Dyn:
    case Class::DynRef:
      return true;
    default:
      return false;
  }
}

std::uint32_t window_end(const bytecode::Module& module, const Word* code, std::uint32_t slots) {
  const std::uint32_t window = bytecode::a_of(code[0]);
  const auto after = [&](std::uint32_t signature, std::uint32_t hidden) {
    return window + module.signatures[signature].parameter_slots() + hidden;
  };
  switch (bytecode::op_of(code[0])) {
    case Op::Call:
      return after(module.functions[bytecode::n_of(code[0])].signature, 0);
    case Op::CallClosure:
      return after(module.functions[bytecode::m_of(code[1])].signature, 1);
    case Op::CallValue:
    case Op::CallDyn:
      return after(bytecode::m_of(code[1]), 0);
    case Op::CallCallable:
      return after(bytecode::m_of(code[1]), 1);
    case Op::CallNative:
      return after(module.natives[bytecode::n_of(code[0])].signature, 0);
    case Op::CallForeign:
      return after(module.foreigns[bytecode::n_of(code[0])].signature, 0);
    default:
      return slots;
  }
}

Flow::Flow(const bytecode::Function& function, const bytecode::Module* module)
    : function_(function),
      module_(module),
      block_at_(function.code.size() + 1, bytecode::kNone),
      words_(function.slots / 64 + 1) {
  find_blocks();
  find_live();
}

void Flow::find_blocks() {
  const auto size = static_cast<std::uint32_t>(function_.code.size());
  std::vector<std::uint8_t> begins(size + 1, 0);
  begins[0] = 1;
  for (std::uint32_t word = 0; word < size;) {
    const Word* code = function_.code.data() + word;
    bool jumps = false;
    each_target(code, word, [&](std::int64_t to) {
      begins[static_cast<std::size_t>(to)] = 1;
      jumps = true;
    });
    const Op op = bytecode::op_of(code[0]);
    const bool suspends =
        op == Op::Barrier || op == Op::PipelineWait || (op >= Op::WarpShuffle && op <= Op::WarpReduce);
    const bool ends = jumps || suspends || bytecode::info(bytecode::op_of(code[0])).ends_block ||
                      bytecode::op_of(code[0]) == Op::Switch;
    word += bytecode::instruction_words(code);
    if (ends) begins[word] = 1;
  }
  for (std::uint32_t word = 0; word < size; ++word) {
    if (begins[word] == 0) continue;
    if (!blocks_.empty()) blocks_.back().end = word;
    block_at_[word] = static_cast<std::uint32_t>(blocks_.size());
    blocks_.push_back({word, size, {}, false});
  }
  for (Block& block : blocks_) {
    std::uint32_t last = block.begin;
    for (std::uint32_t word = block.begin; word < block.end;) {
      last = word;
      word += bytecode::instruction_words(function_.code.data() + word);
    }
    const Word* code = function_.code.data() + last;
    if (!bytecode::info(bytecode::op_of(code[0])).ends_block && block.end < size) {
      block.falls = true;
      block.next.push_back(block_at_[block.end]);
    }
    each_target(code, last, [&](std::int64_t to) { block.next.push_back(block_at_[static_cast<std::size_t>(to)]); });
  }
}

void Flow::find_live() {
  // Per block: slots read before they are written, and slots written.
  std::vector<std::uint64_t> read(blocks_.size() * words_), written(blocks_.size() * words_);
  const auto bit = [](std::uint32_t slot) { return std::uint64_t{1} << (slot % 64); };
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    std::uint64_t* const reads = read.data() + b * words_;
    std::uint64_t* const writes = written.data() + b * words_;
    for (std::uint32_t word = blocks_[b].begin; word < blocks_[b].end;) {
      const Word* code = function_.code.data() + word;
      // All operands are read before any is written.
      const std::uint32_t end =
          module_ == nullptr ? function_.slots : std::min(window_end(*module_, code, function_.slots), function_.slots);
      each_slot(code, end, [&](std::uint32_t slot, bool is_read, bool) {
        if (is_read && (writes[slot / 64] & bit(slot)) == 0) reads[slot / 64] |= bit(slot);
      });
      each_slot(code, function_.slots, [&](std::uint32_t slot, bool, bool is_written) {
        if (is_written) writes[slot / 64] |= bit(slot);
      });
      word += bytecode::instruction_words(code);
    }
    // A trap of a lane or kernel tells where it was from its first slots.
    const bool tells =
        function_.kind == bytecode::FunctionKind::Lane || function_.kind == bytecode::FunctionKind::Kernel;
    if (tells) reads[0] |= 3 & ~writes[0];
  }
  live_ = read;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = blocks_.size(); b-- > 0;) {
      for (std::size_t k = 0; k < words_; ++k) {
        std::uint64_t out = 0;
        for (const std::uint32_t next : blocks_[b].next) out |= live_[next * words_ + k];
        const std::uint64_t in = read[b * words_ + k] | (out & ~written[b * words_ + k]);
        if (in == live_[b * words_ + k]) continue;
        live_[b * words_ + k] = in;
        changed = true;
      }
    }
  }
}

}  // namespace cairn::jit
