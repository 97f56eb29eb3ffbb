#include "jit/optimizing/plan.hpp"

#include <algorithm>
#include <map>

namespace cairn::jit {
namespace {

using bytecode::FunctionKind;
using bytecode::Op;
using bytecode::RegisterKind;
using bytecode::Word;

constexpr std::size_t kMostVectors = 10;

struct Loop {
  std::uint32_t begin = 0, end = 0;
  std::uint32_t entry = 0;
  bool fits = true;  // may be a region
  std::vector<std::size_t> children;
  bool inner = false;        // of another loop
  Region version;            // of an innermost loop
  bool has_version = false;  // it or a loop in it
};

struct Candidate {
  std::uint32_t slot = 0;
  double weight = 0;
  bool live_at_entry = false;
  bool written = false;
};

class Planner {
 public:
  Planner(const bytecode::Function& function, Plan& plan, std::size_t most_held)
      : function_(function), plan_(plan), most_held_(most_held) {}

  void run() {
    if (most_held_ == 0) return;
    find_loops();
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      if (!loops_[i].inner) choose(i);
    }
    std::ranges::sort(plan_.regions, {}, &Region::begin);
  }

 private:
  void find_loops() {
    std::map<std::uint32_t, std::uint32_t> ends;  // by first word
    for (const Block& block : plan_.flow.blocks()) {
      for (const std::uint32_t next : block.next) {
        const std::uint32_t begin = plan_.flow.blocks()[next].begin;
        if (begin <= block.begin) ends[begin] = std::max(ends[begin], block.end);
      }
    }
    for (const auto& [begin, end] : ends) loops_.push_back({begin, end, begin, true, {}, false, {}, false});
    for (Loop& loop : loops_) loop.fits = is_region(loop);
    for (Loop& loop : loops_) {
      if (!loop.fits) continue;
      if (loop.entry != loop.begin) continue;
      loop.version.begin = loop.begin;
      loop.version.end = loop.end;
      loop.version.versioned = find_version(function_, plan_.flow, loop.version);
    }
    // Ascending by begin: the innermost loop around another is the last before it that reaches over it.
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      for (std::size_t k = i; k-- > 0;) {
        if (loops_[k].end < loops_[i].end) continue;
        loops_[k].children.push_back(i);
        loops_[i].inner = true;
        break;
      }
    }
    for (std::size_t i = loops_.size(); i-- > 0;) {
      Loop& loop = loops_[i];
      if (!loop.children.empty()) loop.version = {};
      loop.has_version = loop.version.versioned;
      for (const std::size_t child : loop.children) {
        loop.has_version |= loops_[child].has_version;
      }
    }
  }

  /// Finds the loop's entry, too.
  [[nodiscard]] bool is_region(Loop& loop) const {
    loop.entry = loop.begin == 0 ? 0 : bytecode::kNone;  // the function's own start enters there
    for (const Block& block : plan_.flow.blocks()) {
      const bool inside = block.begin >= loop.begin && block.begin < loop.end;
      if (inside && block.end > loop.end) return false;
      for (const std::uint32_t next : block.next) {
        const std::uint32_t to = plan_.flow.blocks()[next].begin;
        if (inside || to < loop.begin || to >= loop.end) continue;
        if (loop.entry != bytecode::kNone && loop.entry != to) return false;
        loop.entry = to;
      }
    }
    if (loop.entry == bytecode::kNone) loop.entry = loop.begin;  // never entered
    for (std::uint32_t word = loop.begin; word < loop.end;) {
      const Op op = bytecode::op_of(function_.code[word]);
      if (op >= Op::Call && op <= Op::CallDyn) return false;
      if (op >= Op::Barrier && op <= Op::PipelineRelease) return false;
      word += bytecode::instruction_words(function_.code.data() + word);
    }
    return true;
  }

  [[nodiscard]] double weight_at(std::uint32_t word) const {
    double weight = 1;
    for (const Loop& loop : loops_) {
      if (word >= loop.begin && word < loop.end) weight *= 8;
    }
    return weight;
  }

  [[nodiscard]] bool is_vector(std::uint32_t slot) const {
    const RegisterKind kind = function_.registers[slot].type.kind;
    return kind == RegisterKind::F32 || kind == RegisterKind::F64;
  }

  std::vector<Candidate> candidates(const Loop& loop, bool vector) {
    std::map<std::uint32_t, Candidate> found;
    const auto registers = static_cast<std::uint32_t>(function_.registers.size());
    for (const Block& block : plan_.flow.blocks()) {
      if (block.begin < loop.begin || block.begin >= loop.end) continue;
      const auto live = plan_.flow.live_at(block.begin);
      for (std::uint32_t word = block.begin; word < block.end;) {
        const double weight = weight_at(word);
        each_slot(function_.code.data() + word, registers, [&](std::uint32_t slot, bool, bool writes) {
          if (slot >= registers || is_vector(slot) != vector) return;
          Candidate& candidate = found[slot];
          candidate.slot = slot;
          candidate.weight += weight;
          candidate.written |= writes;
        });
        word += bytecode::instruction_words(function_.code.data() + word);
      }
      for (auto& [slot, candidate] : found) candidate.live_at_entry |= contains(live, slot);
    }
    std::vector<Candidate> kept;
    for (const auto& [slot, candidate] : found) {
      bool crosses = false;  // some block of the loop is entered with it alive
      for (const Block& block : plan_.flow.blocks()) {
        if (block.begin < loop.begin || block.begin >= loop.end) continue;
        crosses |= contains(plan_.flow.live_at(block.begin), slot);
      }
      if (crosses) kept.push_back(candidate);
    }
    std::ranges::sort(kept, std::greater{}, &Candidate::weight);
    return kept;
  }

  void choose(std::size_t index) {
    const Loop& loop = loops_[index];
    if (loop.fits) {
      std::vector<Candidate> general = candidates(loop, false);
      std::vector<Candidate> vectors = candidates(loop, true);
      const bool all_fit = general.size() <= most_held_ && vectors.size() <= kMostVectors && !loop.has_version;
      if (all_fit || loop.children.empty()) {
        general.resize(std::min(general.size(), most_held_));
        vectors.resize(std::min(vectors.size(), kMostVectors));
        Region region = loop.version;
        region.begin = loop.begin;
        region.entry = loop.entry;
        region.end = loop.end;
        for (std::size_t k = 0; k < general.size(); ++k) {
          region.held.push_back({general[k].slot, general_registers()[k], false, true, general[k].written});
        }
        for (std::size_t k = 0; k < vectors.size(); ++k) {
          const std::uint32_t slot = vectors[k].slot;
          region.held.push_back({slot, static_cast<std::uint8_t>(kFirstVector + k), true,
                                 function_.registers[slot].type.kind == RegisterKind::F64, vectors[k].written});
        }
        if (region.versioned) {
          const auto holds = [&](std::uint32_t slot) {
            return std::ranges::any_of(region.held, [&](const HeldSlot& held) { return held.slot == slot; });
          };
          if (!holds(region.induction)) region.accesses.clear();
          for (const std::uint32_t word : region.hoisted) plan_.is_hoisted[word] = 1;
          for (const std::uint32_t word : region.decided) plan_.needs_no_guard[word] = 1;
        }
        if (!region.held.empty() || region.versioned) plan_.regions.push_back(std::move(region));
        return;
      }
    }
    for (const std::size_t child : loop.children) choose(child);
  }

  const bytecode::Function& function_;
  Plan& plan_;
  const std::size_t most_held_;
  std::vector<Loop> loops_;
};

}  // namespace

std::unique_ptr<Plan> make_plan(const bytecode::Function& function, std::size_t most_held, bool counts) {
  auto plan = std::make_unique<Plan>(function);
  plan->counts = counts;
  plan->needs_no_guard.assign(function.code.size(), 0);
  for (const std::uint32_t word : function.proved) plan->needs_no_guard[word] = 1;
  plan->is_hoisted.assign(function.code.size(), 0);
  find_decided_guards(function, *plan);
  Planner(function, *plan, most_held).run();
  return plan;
}

}  // namespace cairn::jit
