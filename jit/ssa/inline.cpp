// Calls of small functions become the functions' code; recursion is followed a few levels. A function with loops is
// taken in where it is called in a loop, unless it counts: its loops have no points there, and no versions. One whose
// frame has memory is taken in where, with the calls in it, that memory becomes values (what it lends to functions that
// are taken in themselves). The frame an inlined call would have made stays reserved: where it would not fit, the
// function leaves to the baseline where it is entered, so that the depth at which the stack overflows is the
// interpreter's.
#include <algorithm>
#include <map>
#include <optional>
#include <ranges>

#include "jit/ssa/build.hpp"
#include "jit/ssa/flow.hpp"
#include "jit/ssa/passes.hpp"

namespace cairn::jit::ssa {
namespace {

constexpr std::size_t kMostCallee = 60;      // instructions of an inlined function
constexpr std::size_t kMostLeaf = 200;       // of one that calls nothing and has no loops, called in a loop
constexpr std::size_t kMostTotal = 700;      // of a function that has taken others in
constexpr std::size_t kMostTiny = 14;        // taken in although the function is large
constexpr std::uint32_t kMostDepth = 7;      // of frames
constexpr std::uint32_t kMostRecursion = 4;  // of one function within itself

/// A function as it is taken in.
struct Callee {
  std::optional<Function> form;  // none: it stays a call
  bool has_loops = false;
  bool calls = false;
  std::int64_t bytes = 0;  // of the stack, above its frame's base
};
using Callees = std::map<std::uint32_t, Callee>;

class Inliner {
 public:
  /// `is_within`: the function is itself to be taken in, where it is called in a loop or not.
  Inliner(Function& function, const Context& context, Callees& callees, bool is_within)
      : f_(function), context_(context), callees_(callees), is_within_(is_within), size_(count(function)) {
    Loops(f_, Dominators(f_));  // the depths of blocks
  }

  bool run() {
    bool any = false;
    // Calls nearest to the function's own code first.
    for (std::uint32_t depth = 0; depth < kMostDepth; ++depth) {
      for (BlockId b = 0; b < f_.blocks.size(); ++b) {
        for (std::size_t k = 0; k < f_.blocks[b].code.size(); ++k) {
          const Instruction& i = f_.at(f_.blocks[b].code[k]);
          if (i.op != Opcode::Call || depth_of(i.frame) != depth) continue;
          const Callee* callee = worth(i, f_.blocks[b].depth != 0);
          if (callee == nullptr) continue;
          take_in(b, k, *callee);
          any = true;
          break;  // the rest of the block is a new one
        }
      }
    }
    if (!any) return false;
    remove_unreachable(f_);
    guard_stack();
    clean(f_, context_);
    return true;
  }

 private:
  static std::size_t count(const Function& function) {
    std::size_t size = 0;
    for (const Block& block : function.blocks) size += block.code.size();
    return size;
  }

  std::uint32_t depth_of(std::uint32_t frame) const {
    std::uint32_t depth = 0;
    for (; frame != 0; frame = f_.frames[frame].parent) ++depth;
    return depth;
  }

  /// The function the call is worth taking in, or null.
  const Callee* worth(const Instruction& call, bool in_loop) {
    const auto index = static_cast<std::uint32_t>(call.immediate);
    const bytecode::Function& source = context_.module.functions[index];
    if (source.code.size() > 4 * kMostLeaf) return nullptr;
    if (source.kind != bytecode::FunctionKind::Plain && source.kind != bytecode::FunctionKind::Closure) return nullptr;
    std::uint32_t recursion = 0;
    for (std::uint32_t frame = call.frame;; frame = f_.frames[frame].parent) {
      recursion += f_.frames[frame].function == index ? 1 : 0;
      if (frame == 0) break;
    }
    if (recursion > kMostRecursion) return nullptr;
    // While it is made, a call of it within is one that stays.
    const auto [at, is_new] = callees_.try_emplace(index);
    if (is_new) at->second = callee(index);
    if (!at->second.form || (at->second.has_loops && !in_loop)) return nullptr;
    const std::size_t size = count(*at->second.form);
    const bool is_leaf = !at->second.calls && !at->second.has_loops && (in_loop || is_within_);
    if (size > (is_leaf ? kMostLeaf : kMostCallee) || (size_ + size > kMostTotal && size > kMostTiny) ||
        size_ + size > 4 * kMostTotal) {
      return nullptr;
    }
    return &at->second;
  }

  Callee callee(std::uint32_t index) {
    const std::vector<bytecode::Word>& code = context_.module.functions[index].code;
    for (std::size_t word = 0; word < code.size(); word += bytecode::instruction_words(code.data() + word)) {
      if (bytecode::op_of(code[word]) == bytecode::Op::LoopNext) return {};
    }
    const bytecode::Function& source = context_.module.functions[index];
    Callee made{build(context_.module, index, {}), false, false, std::int64_t{8} * source.slots};
    if (!made.form) return made;
    Function& form = *made.form;
    clean(form, context_);
    propagate_constants(form, context_);
    number_values(form, context_);
    clean(form, context_);
    for (Block& block : form.blocks) {
      made.has_loops |= std::erase_if(block.code, [&](Value v) { return form.at(v).op == Opcode::Point; }) != 0;
    }
    if (source.memory_bytes != 0 && !lose_memory(made)) return {};
    for (const Block& block : form.blocks) {
      made.calls |= std::ranges::any_of(block.code, [&](Value v) { return is_call(form.at(v).op); });
    }
    return made;
  }

  /// The function without memory of its own; false where some stays, or something may see how much is left of it.
  bool lose_memory(Callee& made) {
    Function& form = *made.form;
    Inliner(form, context_, callees_, true).run();
    propagate_constants(form, context_);
    number_values(form, context_);
    promote_memory(form, context_);
    clean(form, context_);
    for (Block& block : form.blocks) {
      for (const Value value : block.code) {
        const Instruction& i = form.at(value);
        if (i.op == Opcode::StackGuard) made.bytes = std::max(made.bytes, i.immediate);
        if (i.op == Opcode::FrameAddress || is_call(i.op)) return false;
        if (i.op == Opcode::Step && !calls_nobody(form, i)) return false;
      }
      std::erase_if(block.code, [&](Value value) { return form.at(value).op == Opcode::StackGuard; });
    }
    const bytecode::Function& source = context_.module.functions[form.index];
    made.bytes += static_cast<std::int64_t>(source.memory_bytes + source.memory_align);
    return true;
  }

  /// Whether the step is of a native of numbers, which runs nothing on the stack.
  [[nodiscard]] bool calls_nobody(const Function& form, const Instruction& step) const {
    const bytecode::Module& module = context_.module;
    const bytecode::Word* const code = module.functions[form.frames[step.frame].function].code.data() + step.word;
    if (bytecode::op_of(code[0]) != bytecode::Op::CallNative) return false;
    const bytecode::Signature& signature = module.signatures[module.natives[bytecode::n_of(code[0])].signature];
    return std::ranges::all_of(signature.parameters, [](const auto& type) { return type.is_scalar(); });
  }

  /// The value's bits as that kind, where floats and integers stand for each other (a constant, an argument's bits).
  Value as(Kind kind, Value value, BlockId block) {
    if (value == kNoValue || is_float(kind) == is_float(f_.at(value).kind)) return value;
    const Kind from = f_.at(value).kind;
    const bool narrow = kind == Kind::F32 || from == Kind::F32;
    Instruction i = f_.at(value);
    if (i.op == Opcode::Const) {
      i.kind = narrow && is_float(kind) ? Kind::F32 : kind;
      if (narrow) i.immediate &= 0xffffffff;
    } else {
      i = {};
      i.op = Opcode::Bits;
      i.kind = is_float(kind) ? kind : narrow ? Kind::U32 : Kind::U64;
      i.source = is_float(kind) ? (narrow ? Kind::U32 : Kind::U64) : from;
      i.a = value;
    }
    return f_.append(block, i);
  }

  void take_in(BlockId at, std::size_t position, const Callee& made) {
    const Function& callee = *made.form;
    const Value call_value = f_.blocks[at].code[position];
    const Instruction call = f_.at(call_value);
    const auto index = static_cast<std::uint32_t>(call.immediate);
    const bytecode::Function& source = context_.module.functions[index];
    // Frame k of the callee is this function's frame + k.
    const auto frame = static_cast<std::uint32_t>(f_.frames.size());
    f_.frames.push_back({index, call.frame, call.word, call.scale});
    for (const Frame& each : callee.frames | std::views::drop(1)) {
      f_.frames.push_back({each.function, frame + each.parent, each.call_word, each.base + call.scale});
    }
    size_ += count(callee);
    needed_ = std::max(needed_, std::int64_t{8} * call.scale + made.bytes);

    // What stands behind the call becomes a block of its own.
    std::vector<Value> results;
    std::size_t behind = position + 1;
    for (; behind < f_.blocks[at].code.size() && f_.at(f_.blocks[at].code[behind]).op == Opcode::Result; ++behind) {
      results.push_back(f_.blocks[at].code[behind]);
    }
    const BlockId rest = f_.add_block(f_.blocks[at].word);
    f_.blocks[rest].depth = f_.blocks[at].depth;
    Block& before = f_.blocks[at];
    f_.blocks[rest].code.assign(before.code.begin() + static_cast<std::ptrdiff_t>(behind), before.code.end());
    before.code.resize(position);
    f_.blocks[rest].successors = std::move(before.successors);
    before.successors.clear();
    for (const Value value : f_.blocks[rest].code) f_.at(value).block = rest;
    for (const BlockId next : f_.blocks[rest].successors) {
      std::ranges::replace(f_.blocks[next].predecessors, at, rest);
      for (const Value value : f_.blocks[next].code) {
        if (f_.at(value).op != Opcode::Phi) break;
        for (Use& use : f_.uses_of(f_.at(value))) {
          if (use.slot == at) use.slot = rest;
        }
      }
    }

    // Where a lane is, is told wherever the callee traps.
    std::vector<Use> told;
    std::vector<Value> arguments(source.slots, kNoValue);
    for (const Use& use : f_.uses_of(call)) {
      if (use.slot < call.scale) {
        told.push_back(use);
      } else {
        arguments[use.slot - call.scale] = use.value;
      }
    }

    std::vector<BlockId> blocks;
    for (const Block& block : callee.blocks) {
      blocks.push_back(f_.add_block(block.word));
      f_.blocks.back().is_cold = block.is_cold;
      f_.blocks.back().depth = f_.blocks[at].depth;
    }
    std::vector<Value> values(callee.code.size(), kNoValue);
    for (BlockId b = 0; b < callee.blocks.size(); ++b) {
      for (const Value value : callee.blocks[b].code) {
        const Instruction& i = callee.at(value);
        if (i.op == Opcode::Slot) {
          values[value] = as(i.kind, arguments[static_cast<std::size_t>(i.immediate)], at);
          continue;
        }
        Instruction copy = i;
        copy.block = blocks[b];
        copy.frame = frame + i.frame;
        copy.first_use = copy.use_count = 0;
        if (is_call(i.op) || (i.op == Opcode::Step && i.scale != 1)) copy.scale += call.scale;
        if (i.op == Opcode::Result) copy.immediate += call.scale;
        values[value] = f_.make(copy);
      }
    }
    std::vector<std::pair<BlockId, Value>> returned;  // blocks that return, and their ends
    std::vector<Use> list;
    for (BlockId b = 0; b < callee.blocks.size(); ++b) {
      for (const Value value : callee.blocks[b].code) {
        const Instruction& original = callee.at(value);
        if (original.op == Opcode::Slot) continue;
        const Value copied = values[value];
        Instruction& i = f_.at(copied);
        if (i.a != kNoValue) i.a = values[i.a];
        if (i.b != kNoValue) i.b = values[i.b];
        if (i.c != kNoValue) i.c = values[i.c];
        list.clear();
        for (const Use& use : callee.uses_of(original)) {
          list.push_back({i.op == Opcode::Phi ? blocks[use.slot] : use.slot + call.scale, values[use.value]});
        }
        if (may_trap(i) && !i.leaves) list.insert(list.end(), told.begin(), told.end());
        f_.set_uses(i, list);
        f_.blocks[blocks[b]].code.push_back(copied);
        if (i.op == Opcode::Return) returned.emplace_back(blocks[b], copied);
      }
      for (const BlockId next : callee.blocks[b].successors) f_.blocks[blocks[b]].successors.push_back(blocks[next]);
      for (const BlockId from : callee.blocks[b].predecessors)
        f_.blocks[blocks[b]].predecessors.push_back(blocks[from]);
    }
    Instruction jump;
    jump.op = Opcode::Jump;
    jump.word = call.word;
    jump.frame = call.frame;
    f_.append(at, jump);
    f_.blocks[at].successors = {blocks[0]};
    f_.blocks[blocks[0]].predecessors = {at};

    // Results: what the returns give.
    std::vector<Value> phis;
    for (const Value result : results) {
      const bool second = f_.at(result).immediate != call.scale;
      for (const auto& [block, end] : returned) {
        std::vector<Value>& code = f_.blocks[block].code;
        code.pop_back();
        const Value given = as(f_.at(result).kind, second ? f_.at(end).b : f_.at(end).a, block);
        (second ? f_.at(end).b : f_.at(end).a) = given;
        code.push_back(end);
      }
    }
    for (const Value result : results) {
      const Instruction& i = f_.at(result);
      const bool second = static_cast<std::uint32_t>(i.immediate) != call.scale;
      list.clear();
      for (const auto& [block, end] : returned) list.push_back({block, second ? f_.at(end).b : f_.at(end).a});
      Instruction phi = i;
      phi.op = Opcode::Phi;
      phi.a = kNoValue;
      phi.immediate = 0;
      phi.block = rest;
      phi.first_use = phi.use_count = 0;
      f_.set_uses(phi, list);
      f_.at(result) = phi;
      phis.push_back(result);
    }
    f_.blocks[rest].code.insert(f_.blocks[rest].code.begin(), phis.begin(), phis.end());
    for (const auto& [block, end] : returned) {
      jump.word = f_.at(end).word;
      jump.frame = frame;
      jump.block = block;
      f_.at(end) = jump;
      f_.blocks[block].successors = {rest};
      f_.blocks[rest].predecessors.push_back(block);
    }
    f_.at(call_value) = {};
  }

  void guard_stack() {
    std::vector<Value>& code = f_.blocks[0].code;
    for (const Value value : code) {
      Instruction& i = f_.at(value);
      if (i.op != Opcode::StackGuard) continue;
      i.immediate = std::max(i.immediate, needed_);
      return;
    }
    Instruction guard;
    guard.op = Opcode::StackGuard;
    guard.immediate = needed_;
    guard.word = f_.entry_word;
    guard.block = 0;
    const Value value = f_.make(guard);
    auto at = f_.blocks[0].code.begin();
    while (f_.at(*at).op == Opcode::Slot || f_.at(*at).op == Opcode::Const) ++at;
    f_.blocks[0].code.insert(at, value);
  }

  Function& f_;
  const Context& context_;
  Callees& callees_;
  const bool is_within_;
  std::size_t size_ = 0;
  std::int64_t needed_ = 0;
};

}  // namespace

bool inline_calls(Function& function, const Context& context) {
  if (context.counts) return false;
  Callees callees;
  return Inliner(function, context, callees, false).run();
}

}  // namespace cairn::jit::ssa
