#include "jit/phases/graph.hpp"

#include <algorithm>

#include "jit/jit.hpp"
#include "jit/optimizing/flow.hpp"

namespace cairn::jit::phases {
namespace {

using bytecode::a_of;
using bytecode::b_of;
using bytecode::n_of;
using bytecode::RegisterKind;

constexpr std::size_t kMostTrips = 16, kMostUnrolled = 640, kMostCode = 4000;
constexpr std::uint32_t kMostElements = 32;

bool is_jump(Op op) { return op >= Op::Jump && op <= Op::JumpNotLeF64; }
bool is_return(Op op) { return op >= Op::Return && op <= Op::ReturnPair; }
bool is_sync(Op op) { return op == Op::Barrier || (op >= Op::WarpShuffle && op <= Op::WarpReduce); }

void set(std::vector<std::uint64_t>& bits, std::uint32_t k) { bits[k / 64] |= std::uint64_t{1} << k % 64; }
void clear(std::vector<std::uint64_t>& bits, std::uint32_t k) { bits[k / 64] &= ~(std::uint64_t{1} << k % 64); }

}  // namespace

template <class Visit>
void Graph::each_slot_of(const Instruction& each, Visit visit) const {
  each_slot(each.code, function_.slots, visit);
  if (each.op == Op::FrameZero) {
    const std::uint32_t first = n_of(each.code[0]), bytes = bytecode::m_of(each.code[1]);
    for (const Object& object : objects) {
      if (!object.is_slots || object.offset < first || object.offset >= first + bytes) continue;
      for (std::uint32_t k = 0; k < object.bytes / object.element; ++k) visit(object.first_slot + k, false, true);
    }
  } else if (each.element != kNone) {
    const bool stores = each.shape->verb == Verb::StoreAt || each.shape->verb == Verb::FrameStore;
    visit(each.element, !stores, stores);
  }
}

Graph::Graph(const bytecode::Module& module, const bytecode::Function& function)
    : module_(module), function_(function) {
  slots = function.slots;
  if (!find_objects()) return;
  cut();
  if (!usable_ || (is_lane() && !end_lanes())) return;
  connect();
  merge_chains();
  while (unroll_one()) merge_chains();
  std::size_t count = 0;
  for (const Node& node : nodes) count += node.code.size();
  if (count > kMostCode || !nodes[0].from.empty() || !find_dominators() || !name_values() ||
      !classify(*this, function_)) {
    usable_ = false;
    return;
  }
  if (promote()) {
    usable_ = name_values() && classify(*this, function_);
  }
}

bool Graph::find_objects() {
  for (const bytecode::MemoryObject& each : function_.objects) {
    const bytecode::Type& type = module_.types[each.type];
    const bytecode::Type& element = type.kind == bytecode::TypeKind::Array ? module_.types[type.element] : type;
    if (element.kind != bytecode::TypeKind::Scalar) return refuse();
    const std::uint32_t size = bytecode::scalar_size(element.scalar);
    if (size < 4 || type.size > 4096 || type.size == 0) return refuse();
    Object object;
    object.offset = static_cast<std::uint32_t>(each.offset);
    object.bytes = static_cast<std::uint32_t>(type.size);
    object.element = size;
    if (element.scalar == bytecode::ScalarKind::F32) object.type = Type::F32;
    if (element.scalar == bytecode::ScalarKind::F64) object.type = Type::F64;
    objects.push_back(object);
  }
  return true;
}

const Object* Graph::object_at(std::uint64_t offset) const {
  for (const Object& each : objects) {
    if (offset >= each.offset && offset < each.offset + each.bytes) return &each;
  }
  return nullptr;
}

/// The bytecode in nodes: each ends where control may go elsewhere, or where threads wait for each other.
void Graph::cut() {
  const std::vector<Word>& code = function_.code;
  std::vector<bool> leads(code.size() + 1);
  leads[0] = true;
  for (std::uint32_t at = 0; at < code.size();) {
    const std::uint32_t words = bytecode::instruction_words(&code[at]);
    const Op op = bytecode::op_of(code[at]);
    if (op == Op::Switch) {
      refuse();
      return;
    }
    each_target(&code[at], at, [&](std::int64_t target) { leads[static_cast<std::size_t>(target)] = true; });
    if (is_jump(op) || is_sync(op) || bytecode::info(op).ends_block) leads[at + words] = true;
    at += words;
  }
  std::vector<NodeId> at_word(code.size() + 1, kNone);
  for (std::uint32_t at = 0; at < code.size();) {
    if (leads[at]) {
      at_word[at] = static_cast<NodeId>(nodes.size());
      nodes.emplace_back().word = at;
    }
    Instruction each;
    each.code = &code[at];
    each.word = at;
    each.op = bytecode::op_of(code[at]);
    each.shape = &shape_of(each.op);
    nodes.back().code.push_back(each);
    at += bytecode::instruction_words(&code[at]);
  }
  for (NodeId k = 0; k < nodes.size(); ++k) {
    Node& node = nodes[k];
    const Instruction& last = node.code.back();
    each_target(last.code, last.word,
                [&](std::int64_t target) { node.next.push_back(at_word[static_cast<std::size_t>(target)]); });
    node.ends_in_sync = is_sync(last.op);
    const bool ends = bytecode::info(last.op).ends_block;
    node.is_failure = ends && !is_jump(last.op) && !is_return(last.op);
    if (!ends) {
      if (k + 1 == nodes.size()) {
        refuse();
        return;
      }
      node.next.push_back(k + 1);
    }
    if (node.next.size() == 2 && node.next[0] == node.next[1]) node.next.pop_back();
  }
}

/// A lane function does its indices one after the other; here each is a thread, which ends where the next would begin.
bool Graph::end_lanes() {
  if (module_.signatures[function_.signature].parameter_slots() != 2 || nodes.size() < 2) return refuse();
  const auto last = static_cast<NodeId>(nodes.size() - 1);
  const Instruction end = nodes[last].code.front();
  Node& latch = nodes[last - 1];
  Instruction& next = latch.code.back();
  if (end.op != Op::Return || next.op != Op::LoopNext || a_of(next.code[0]) != 0 || b_of(next.code[0]) != 1) {
    return refuse();
  }
  latch.next.clear();
  next = end;
  nodes.pop_back();
  for (const Node& node : nodes) {
    if (std::ranges::find(node.next, last) != node.next.end()) return refuse();
    for (const Instruction& each : node.code) {
      each_slot(each.code, function_.slots, [&](std::uint32_t slot, bool reads, bool writes) {
        if ((writes && slot < 3) || (reads && slot == 1)) refuse();
      });
    }
  }
  return usable_;
}

void Graph::connect() {
  for (Node& node : nodes) node.from.clear();
  for (NodeId k = 0; k < nodes.size(); ++k) {
    for (const NodeId to : nodes[k].next) nodes[to].from.push_back(k);
  }
}

/// Nodes that follow each other alone become one.
void Graph::merge_chains() {
  std::vector<NodeId> becomes(nodes.size());
  std::vector<Node> merged;
  for (NodeId k = 0; k < nodes.size(); ++k) {
    Node& node = nodes[k];
    const bool follows = k != 0 && node.from.size() == 1 && node.from[0] == k - 1 && nodes[k - 1].next.size() == 1 &&
                         !nodes[k - 1].ends_in_sync;
    if (follows) {
      Node& before = merged.back();
      if (before.code.back().op == Op::Jump) before.code.pop_back();
      before.code.insert(before.code.end(), node.code.begin(), node.code.end());
      before.ends_in_sync = node.ends_in_sync;
      before.is_failure = node.is_failure;
      before.next = node.next;
    } else {
      merged.push_back(node);
    }
    becomes[k] = static_cast<NodeId>(merged.size() - 1);
  }
  for (Node& node : merged) {
    for (NodeId& to : node.next) to = becomes[to];
  }
  nodes = std::move(merged);
  connect();
}

/// Unrolls the first innermost loop that counts between two constants, if it is small.
bool Graph::unroll_one() {
  for (NodeId latch = 0; latch < nodes.size(); ++latch) {
    const Instruction end = nodes[latch].code.back();
    if (end.op != Op::LoopNext || end.counts_only || nodes[latch].next.size() != 2) continue;
    const NodeId header = nodes[latch].next[0];
    if (header > latch || header == 0) continue;
    const std::uint32_t counter = a_of(end.code[0]), bound = b_of(end.code[0]);
    bool fits = nodes[header - 1].next == std::vector<NodeId>{header} && !nodes[header - 1].ends_in_sync;
    std::size_t count = 0;
    for (NodeId k = header; fits && k <= latch; ++k) {
      const Node& node = nodes[k];
      count += node.code.size();
      fits = !node.ends_in_sync;
      for (const NodeId from : node.from) {
        const bool inside = from >= header && from <= latch;
        fits = fits && (k == header ? (from == header - 1 || from == latch) : inside);
        fits = fits && (k == header || from < k);
      }
      for (const Instruction& each : node.code) {
        if (&each == &nodes[latch].code.back()) continue;
        each_slot(each.code, function_.slots, [&](std::uint32_t slot, bool, bool writes) {
          if (writes && (slot == counter || slot == bound)) fits = false;
        });
      }
    }
    if (!fits) continue;
    std::optional<std::uint64_t> first, last;
    const std::vector<Instruction>& before = nodes[header - 1].code;
    const auto constant_of = [&](std::uint32_t wanted) -> std::optional<std::uint64_t> {
      for (std::size_t k = before.size(); k-- > 0;) {
        bool found = false;
        each_slot(before[k].code, function_.slots,
                  [&](std::uint32_t slot, bool, bool writes) { found |= writes && slot == wanted; });
        if (!found) continue;
        if (before[k].op != Op::Const) return std::nullopt;
        return before[k].code[1];
      }
      return std::nullopt;
    };
    first = constant_of(counter);
    last = constant_of(bound);
    if (!first || !last || *first >= *last || *last - *first > kMostTrips) continue;
    const std::size_t trips = *last - *first;
    if (count * trips > kMostUnrolled) continue;

    const auto length = static_cast<NodeId>(latch + 1 - header);
    const auto grown = static_cast<NodeId>(length * (trips - 1));
    std::vector<Node> unrolled(nodes.begin(), nodes.begin() + header);
    const auto moved = [&](NodeId to) { return to > latch ? to + grown : to; };
    for (Node& node : unrolled) {
      for (NodeId& to : node.next) to = moved(to);
    }
    for (std::size_t trip = 0; trip < trips; ++trip) {
      const auto start = static_cast<NodeId>(header + trip * length);
      for (NodeId k = header; k <= latch; ++k) {
        Node node = nodes[k];
        if (k == latch) {
          node.code.back().counts_only = true;
          node.next = {trip + 1 < trips ? start + length : moved(node.next[1])};
        } else {
          for (NodeId& to : node.next) to = to > latch || to < header ? moved(to) : to - header + start;
        }
        unrolled.push_back(std::move(node));
      }
    }
    for (NodeId k = latch + 1; k < nodes.size(); ++k) {
      Node node = nodes[k];
      for (NodeId& to : node.next) to = moved(to);
      unrolled.push_back(std::move(node));
    }
    nodes = std::move(unrolled);
    connect();
    return true;
  }
  return false;
}

// ------------------------------------------------------------------------------------------- who is alive

std::vector<std::vector<std::uint64_t>> Graph::live_within(NodeId node) const {
  const std::vector<Instruction>& code = nodes[node].code;
  std::vector<std::vector<std::uint64_t>> live(code.size() + 1);
  live.back() = live_out_[node];
  for (std::size_t k = code.size(); k-- > 0;) {
    std::vector<std::uint64_t> now = live[k + 1];
    each_slot_of(code[k], [&](std::uint32_t slot, bool, bool writes) {
      if (writes) clear(now, slot);
    });
    each_slot_of(code[k], [&](std::uint32_t slot, bool reads, bool) {
      if (reads) set(now, slot);
    });
    live[k] = std::move(now);
  }
  return live;
}

void Graph::find_live() {
  const std::size_t words = (slots + 63) / 64;
  live_in_.assign(nodes.size(), std::vector<std::uint64_t>(words));
  live_out_ = live_in_;
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId k = static_cast<NodeId>(nodes.size()); k-- > 0;) {
      for (const NodeId to : nodes[k].next) {
        for (std::size_t w = 0; w < words; ++w) live_out_[k][w] |= live_in_[to][w];
      }
      std::vector<std::uint64_t> now = live_out_[k];
      const std::vector<Instruction>& code = nodes[k].code;
      for (std::size_t i = code.size(); i-- > 0;) {
        each_slot_of(code[i], [&](std::uint32_t slot, bool, bool writes) {
          if (writes) clear(now, slot);
        });
        each_slot_of(code[i], [&](std::uint32_t slot, bool reads, bool) {
          if (reads) set(now, slot);
        });
      }
      if (now != live_in_[k]) {
        live_in_[k] = std::move(now);
        changed = true;
      }
    }
  }
}

// --------------------------------------------------------------------------------------- dominators and loops

/// Cooper, Harvey, Kennedy, A Simple, Fast Dominance Algorithm. False when control enters a loop in two places.
bool Graph::find_dominators() {
  std::vector<NodeId> order;
  std::vector<std::uint32_t> number(nodes.size(), kNone);
  std::vector<std::pair<NodeId, std::size_t>> stack{{0, 0}};
  std::vector<bool> seen(nodes.size());
  seen[0] = true;
  while (!stack.empty()) {
    auto& [node, k] = stack.back();
    if (k < nodes[node].next.size()) {
      const NodeId to = nodes[node].next[k++];
      if (!seen[to]) {
        seen[to] = true;
        stack.emplace_back(to, 0);
      }
      continue;
    }
    order.push_back(node);
    stack.pop_back();
  }
  std::ranges::reverse(order);
  if (order.size() != nodes.size()) return refuse();  // code nothing leads to
  for (std::uint32_t k = 0; k < order.size(); ++k) number[order[k]] = k;
  dominator_.assign(nodes.size(), kNone);
  dominator_[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const NodeId node : order) {
      if (node == 0) continue;
      NodeId best = kNone;
      for (const NodeId from : nodes[node].from) {
        if (dominator_[from] == kNone) continue;
        NodeId x = from;
        if (best != kNone) {
          NodeId y = best;
          while (x != y) {
            while (number[x] > number[y]) x = dominator_[x];
            while (number[y] > number[x]) y = dominator_[y];
          }
        }
        best = x;
      }
      if (best != dominator_[node]) {
        dominator_[node] = best;
        changed = true;
      }
    }
  }
  for (NodeId node = 0; node < nodes.size(); ++node) {
    for (const NodeId to : nodes[node].next) {
      if (number[to] <= number[node] && !dominates(to, node)) return refuse();
    }
  }
  find_loops();
  return true;
}

bool Graph::dominates(NodeId a, NodeId b) const {
  while (b != a && b != 0) b = dominator_[b];
  return a == b;
}

void Graph::find_loops() {
  loop_.assign(nodes.size(), {});
  loop_of_header_.assign(nodes.size(), false);
  for (NodeId node = 0; node < nodes.size(); ++node) {
    for (const NodeId header : nodes[node].next) {
      if (!dominates(header, node)) continue;
      loop_of_header_[header] = true;
      std::vector<bool>& members = loop_[header];
      if (members.empty()) members.assign(nodes.size(), false);
      members[header] = true;
      std::vector<NodeId> work{node};
      while (!work.empty()) {
        const NodeId each = work.back();
        work.pop_back();
        if (members[each]) continue;
        members[each] = true;
        for (const NodeId from : nodes[each].from) work.push_back(from);
      }
    }
  }
}

// ----------------------------------------------------------------------------------------------- values

Type Graph::type_of_slot(std::uint32_t slot) const {
  if (slot >= function_.slots) {
    for (const Object& each : objects) {
      if (each.is_slots && slot >= each.first_slot && slot < each.first_slot + each.bytes / each.element)
        return each.type;
    }
    return Type::Bits;
  }
  if (slot >= function_.registers.size()) return Type::Bits;
  switch (function_.registers[slot].type.kind) {
    case RegisterKind::F32:
      return Type::F32;
    case RegisterKind::F64:
      return Type::F64;
    default:
      return Type::Bits;
  }
}

ValueId Graph::new_value(NodeId node, Type type) {
  Value value;
  value.node = node;
  value.type = type;
  values.push_back(value);
  return static_cast<ValueId>(values.size() - 1);
}

/// A value for what each instruction makes; moves make none, and loads of array elements that are slots.
void Graph::make_values() {
  values.clear();
  for (const Type type : {Type::Bits, Type::F32, Type::F64}) {
    zero_[static_cast<std::size_t>(type)] = new_value(0, type);
    values.back().kind = Class::Constant;
    values.back().low = values.back().high = 0;
  }
  at_entry_.assign(slots, kNone);
  for (std::uint32_t k = 0; k < 3; ++k) at_entry_[k] = new_value(0, Type::Bits);
  values[at_entry_[is_lane() ? 1 : 0]].kind = values[at_entry_[2]].kind = Class::Uniform;
  Value& thread = values[at_entry_[is_lane() ? 0 : 1]];
  thread.kind = Class::Linear;
  thread.number = 1;
  thread.aligned = true;
  thread.low = 0;
  thread.high = (is_lane() ? KernelCode::kMostIndices : function_.kernel.threads) - 1;
  made_.assign(nodes.size(), {});
  for (NodeId k = 0; k < nodes.size(); ++k) {
    Node& node = nodes[k];
    node.in.assign(slots, kNone);
    node.out.assign(slots, kNone);
    node.phis.clear();
    for (Instruction& each : node.code) {
      each.def = each.def2 = kNone;
      made_[k].push_back(kNone);
      if (each.op == Op::Move || each.op == Op::MovePair || each.element != kNone) continue;
      each_slot(each.code, function_.slots, [&](std::uint32_t slot, bool, bool writes) {
        if (!writes) return;
        const ValueId made = new_value(k, type_of_slot(slot));
        (slot == a_of(each.code[0]) ? each.def : each.def2) = made;
      });
      made_[k].back() = each.def;
    }
  }
}

bool Graph::leaves_loop(NodeId from, NodeId to, ValueId value) const {
  for (NodeId header = 0; header < nodes.size(); ++header) {
    if (in_loop_of(header, from) && !loop_[header][to] && loop_[header][values[value].node]) return true;
  }
  return false;
}

/// The values at a node's start: those of the nodes before it where they agree, else a phi. A value that leaves the
/// loop it is made in always gets one (loop-closed form): threads may leave in different turns.
bool Graph::name_start(NodeId k) {
  bool changed = false;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    if (!contains(live_in_[k], slot)) continue;
    Node& node = nodes[k];
    if (node.in[slot] != kNone && values[node.in[slot]].is_phi && values[node.in[slot]].node == k &&
        values[node.in[slot]].slot == slot) {
      continue;
    }
    ValueId agreed = kNone;
    bool differs = false;
    if (k == 0)
      agreed = at_entry_[slot] == kNone ? zero_[static_cast<std::size_t>(type_of_slot(slot))] : at_entry_[slot];
    for (const NodeId from : node.from) {
      const ValueId given = nodes[from].out[slot];
      if (given == kNone) continue;
      differs |= (agreed != kNone && agreed != given) || leaves_loop(from, k, given);
      agreed = given;
    }
    if (agreed == kNone) continue;
    if (differs) {
      agreed = new_value(k, type_of_slot(slot));
      values[agreed].is_phi = true;
      values[agreed].slot = slot;
      nodes[k].phis.push_back(agreed);
    }
    if (nodes[k].in[slot] != agreed) {
      nodes[k].in[slot] = agreed;
      changed = true;
    }
  }
  return changed;
}

void Graph::step(const Instruction& each, std::vector<ValueId>& state) const {
  const std::uint32_t a = a_of(each.code[0]);
  if (each.op == Op::FrameZero) {
    each_slot_of(each, [&](std::uint32_t slot, bool, bool writes) {
      if (writes) state[slot] = zero_[static_cast<std::size_t>(type_of_slot(slot))];
    });
  } else if (each.element != kNone && (each.shape->verb == Verb::StoreAt || each.shape->verb == Verb::FrameStore)) {
    state[each.element] = each.use[each.shape->verb == Verb::StoreAt ? 2 : 0];
  } else {
    if (each.def != kNone) state[a] = each.def;
    if (each.def2 != kNone) state[a + 1] = each.def2;
  }
}

void Graph::name_uses(NodeId k) {
  Node& node = nodes[k];
  std::vector<ValueId> state = node.in;
  for (Instruction& each : node.code) {
    for (const bytecode::Operand& operand : bytecode::info(each.op).all()) {
      if (!operand.is_register() || operand.role == bytecode::Role::Write || operand.place > bytecode::Place::E)
        continue;
      const auto slot = static_cast<std::uint32_t>(bytecode::operand_bits(each.code, operand.place));
      const auto place = static_cast<std::size_t>(operand.place);
      each.use[place] = state[slot];
      if (slot + 1 < slots) each.use2[place] = state[slot + 1];
    }
    if (each.op == Op::Move || each.op == Op::MovePair) {
      each.def = each.use[1];
      if (each.op == Op::MovePair) each.def2 = each.use2[1];
    } else if (each.element != kNone && (each.shape->verb == Verb::LoadAt || each.shape->verb == Verb::FrameLoad)) {
      each.def = state[each.element];
    }
    step(each, state);
  }
  node.out = std::move(state);
}

bool Graph::name_values() {
  find_live();
  make_values();
  for (bool changed = true; changed;) {
    changed = false;
    for (NodeId k = 0; k < nodes.size(); ++k) {
      changed |= name_start(k);
      const std::vector<ValueId> before = nodes[k].out;
      name_uses(k);
      changed |= before != nodes[k].out;
    }
  }
  return true;
}

/// Arrays of the frame whose every element is named by a constant become slots. True when there is one.
bool Graph::promote() {
  std::vector<bool> fits(objects.size());
  for (std::size_t k = 0; k < objects.size(); ++k) fits[k] = objects[k].bytes / objects[k].element <= kMostElements;
  // Where an access of an object goes; kNone: it is no such access, or cannot be told.
  const auto element_of = [&](const Instruction& each, std::size_t& object) -> std::uint32_t {
    std::uint64_t at = 0;
    bool known = true;
    switch (each.shape->verb) {
      case Verb::LoadAt:
      case Verb::StoreAt: {
        const bool loads = each.shape->verb == Verb::LoadAt;
        const Value& view = values[each.use[loads ? 1 : 0]];
        const Value& index = values[each.use[loads ? 2 : 1]];
        if (view.kind != Class::Frame) return kNone;
        at = view.number;
        const Value& length = values[each.use2[loads ? 1 : 0]];
        known = index.kind == Class::Constant && length.kind == Class::Constant && index.number < length.number;
        if (known) at += index.number * size_of(each.shape->type);
        break;
      }
      case Verb::FrameLoad:
      case Verb::FrameStore:
        at = n_of(each.code[0]);
        break;
      default:
        return kNone;
    }
    for (object = 0; object < objects.size(); ++object) {
      const Object& one = objects[object];
      if (at < one.offset || at >= one.offset + one.bytes) continue;
      if (known && size_of(each.shape->type) == one.element && (at - one.offset) % one.element == 0) {
        return static_cast<std::uint32_t>((at - one.offset) / one.element);
      }
      fits[object] = false;
    }
    return kNone;
  };
  const auto each_access = [&](auto visit) {
    for (Node& node : nodes) {
      for (Instruction& each : node.code) {
        std::size_t object = 0;
        const std::uint32_t element = element_of(each, object);
        if (element != kNone) visit(each, object, element);
      }
    }
  };
  each_access([](Instruction&, std::size_t, std::uint32_t) {});
  // An access at an index that is not known may go past its object only by a trap: its view is of that object alone.
  bool any = false;
  for (std::size_t k = 0; k < objects.size(); ++k) {
    if (!fits[k]) continue;
    any = objects[k].is_slots = true;
    objects[k].first_slot = slots;
    slots += objects[k].bytes / objects[k].element;
  }
  if (!any) return false;
  each_access([&](Instruction& each, std::size_t object, std::uint32_t element) {
    if (objects[object].is_slots) each.element = objects[object].first_slot + element;
  });
  return true;
}

}  // namespace cairn::jit::phases
