#include "cuda/writer/call_frames.hpp"

#include <algorithm>
#include <set>

namespace cairn::cuda::writer {

std::vector<std::uint32_t> CallFrames::callees_of(std::uint32_t function) const {
  const std::vector<bytecode::Word>& code = module_.functions[function].code;
  std::set<std::uint32_t> callees;
  for (std::uint32_t at = 0; at < code.size(); at += bytecode::instruction_words(code.data() + at)) {
    if (bytecode::op_of(code[at]) == bytecode::Op::Call) callees.insert(bytecode::n_of(code[at]));
  }
  return {callees.begin(), callees.end()};
}

/// Functions that all reach each other, or one; what they call besides is known.
void CallFrames::finish(const std::vector<std::uint32_t>& component) {
  const std::set<std::uint32_t> members(component.begin(), component.end());
  Calls all;  // of any of them
  std::map<std::uint32_t, std::uint64_t> below;
  for (const std::uint32_t function : component) {
    for (const std::uint32_t callee : callees_of(function)) {
      if (members.contains(callee)) {
        all.is_recursive = true;
        continue;
      }
      const Calls& calls = known_.at(callee);
      all.reaches_recursive |= calls.reaches_recursive;
      all.fixed = std::max(all.fixed, calls.fixed + (calls.is_recursive ? 0 : calls.frame));
      if (!calls.is_recursive) below[function] = std::max(below[function], calls.frame + calls.below);
    }
  }
  all.reaches_recursive |= all.is_recursive;
  for (const std::uint32_t function : component) {
    const bytecode::Function& code = module_.functions[function];
    Calls& calls = known_[function] = all;
    calls.below = below[function];
    // Its objects on their boundaries, its registers, what it keeps for its caller.
    calls.frame = 8 * code.registers.size() + 64;
    for (const bytecode::MemoryObject& object : code.objects) {
      calls.frame += (module_.types[object.type].size + 15) / 16 * 16;
    }
  }
}

/// Tarjan's strongly connected components (1972), without recursion of its own.
const CallFrames::Calls& CallFrames::of(std::uint32_t function) {
  if (const auto found = known_.find(function); found != known_.end()) return found->second;
  std::vector<Visit> path;
  std::vector<std::uint32_t> open;  // met, and in no component yet
  std::map<std::uint32_t, std::uint32_t> order;
  const auto enter = [&](std::uint32_t met) {
    const auto at = static_cast<std::uint32_t>(order.size());
    order.emplace(met, at);
    open.push_back(met);
    path.push_back({met, at, at, 0, callees_of(met)});
  };
  enter(function);
  while (!path.empty()) {
    Visit& visit = path.back();
    if (visit.next < visit.callees.size()) {
      const std::uint32_t callee = visit.callees[visit.next++];
      if (known_.contains(callee)) continue;
      if (const auto met = order.find(callee); met != order.end()) {
        visit.lowest = std::min(visit.lowest, met->second);
      } else {
        enter(callee);
      }
      continue;
    }
    const Visit left = std::move(path.back());
    path.pop_back();
    if (!path.empty()) path.back().lowest = std::min(path.back().lowest, left.lowest);
    if (left.lowest != left.order) continue;
    const auto first = std::ranges::find(open, left.function);
    finish({first, open.end()});
    open.erase(first, open.end());
  }
  return known_.at(function);
}

}  // namespace cairn::cuda::writer
