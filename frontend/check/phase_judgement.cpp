// Judging one phase (devices, 12.6). That nothing clashes is found out from a summary of each element, in one pass over
// the touches; only when something does are all touches listed, to name the pair the specification names.
#include <algorithm>
#include <map>

#include "frontend/check/phase_run.hpp"

namespace cairn::phase {

namespace {

using Kind = Value::Kind;

/// Different threads, one of them writing, and not both atomic, when both are single or many.
bool differ(std::int32_t left, std::int32_t right) {
  constexpr std::int32_t kNobody = -1;
  constexpr std::int32_t kMany = -2;
  if (left == kNobody || right == kNobody) return false;
  return left == kMany || right == kMany || left != right;
}

}  // namespace

void PhaseRun::Seen::add(std::int32_t thread, const Event& event) {
  // A write of a warp is by nobody else: not by its own threads, and not by its warp at another time.
  constexpr std::int32_t kWarp = 32;
  constexpr std::int32_t kMostThreads = 1024;
  if (event.of_warp) thread = kMostThreads + static_cast<std::int32_t>(event.serial) * kWarp + thread / kWarp;
  std::int32_t& of = event.atomic ? updates : event.writes ? writes : reads;
  of = of == kNobody || of == thread ? thread : kMany;
}

void PhaseRun::Seen::add(const Seen& other) {
  const auto join = [](std::int32_t& into, std::int32_t from) {
    if (from == kNobody) return;
    into = into == kNobody || into == from ? from : kMany;
  };
  join(reads, other.reads);
  join(writes, other.writes);
  join(updates, other.updates);
}

bool PhaseRun::Seen::clashes_with(const Seen& other) const {
  return differ(writes, other.writes) || differ(writes, other.reads) || differ(writes, other.updates) ||
         differ(reads, other.writes) || differ(reads, other.updates) || differ(updates, other.reads) ||
         differ(updates, other.writes);
}

bool PhaseRun::clash(const Touch& left, const Touch& right) {
  constexpr std::uint32_t kWarp = 32;
  if (left.event->of_warp || right.event->of_warp) {
    return left.event != right.event || left.thread / kWarp != right.thread / kWarp;
  }
  return left.thread != right.thread && !(left.event->atomic && right.event->atomic);
}

void PhaseRun::judge(const Alternative& way) {
  std::vector<std::vector<const Event*>> events(arrays_.size());
  std::vector<std::uint32_t> order;
  std::vector<bool> is_written(arrays_.size());
  std::vector<const Event*> all;
  for (const Link* link = way.last; link != nullptr; link = link->before) all.push_back(link->event);
  for (auto each = all.rbegin(); each != all.rend(); ++each) {
    const Event& event = **each;
    if (events[event.array].empty()) order.push_back(event.array);
    events[event.array].push_back(&event);
    is_written[event.array] = is_written[event.array] || event.writes;
  }
  for (const std::uint32_t array : order) {
    if (is_written[array] && may_clash(array, events[array])) judge(array, events[array]);
  }
}

/// Whether some pair of touches clashes, by summaries alone.
bool PhaseRun::may_clash(std::uint32_t array, const std::vector<const Event*>& events) {
  seen_.assign(arrays_[array].length(), Seen());
  std::unordered_map<Value, Seen, ValueHash> symbols;
  Seen vague;
  Seen numbers;
  for (const Event* event : events) {
    // Where all threads touch the same elements, two of them tell as much as all.
    const std::uint32_t telling = is_alike(*event) ? 2 : threads_;
    for (std::uint32_t t = 0; t < telling; ++t) {
      if (event->mask[t] == kNo) continue;
      const auto thread = static_cast<std::int32_t>(t);
      for_each_element(*event, t, [&](const Value& element) {
        switch (element.kind) {
          case Kind::Number:
            numbers.add(thread, *event);
            return seen_[element.bits].add(thread, *event);
          case Kind::Symbol:
            return symbols[element].add(thread, *event);
          default:
            return vague.add(thread, *event);
        }
      });
    }
  }
  for (const Seen& each : seen_) {
    if (each.clashes()) return true;
  }
  Seen total = numbers;
  std::unordered_map<std::uint32_t, Seen> groups;
  for (const auto& [element, each] : symbols) {
    if (each.clashes()) return true;
    groups[element.key].add(each);
    total.add(each);
  }
  total.add(vague);
  if (vague.clashes_with(total)) return true;
  if (groups.empty()) return false;
  // Cells of two keys may be one element.
  std::vector<Seen> all;
  all.reserve(groups.size() + 1);
  for (const auto& [key, each] : groups) all.push_back(each);
  all.push_back(numbers);
  if (!total.clashes()) return false;
  for (std::size_t k = 0; k < all.size(); ++k) {
    steps(k / 64 + 1);
    for (std::size_t m = 0; m < k; ++m) {
      if (all[k].clashes_with(all[m])) return true;
    }
  }
  return false;
}

// ------------------------------------------------------------------------------------------------------ the pair named

/// Whether a thread touches an element by an event that names its elements.
bool PhaseRun::touches(const Event& event, std::uint32_t thread, const Value& element) const {
  if (event.mask[thread] == kNo) return false;
  if (event.fragment == nullptr && !event.part) return event.lo[thread] == element;
  if (event.fragment == nullptr) {
    const Value& lo = event.lo[thread];
    const Value& hi = event.hi[thread];
    const bool is_near =
        lo.is(Kind::Number) && hi.is(Kind::Number) && lo.bits <= element.bits && element.bits < hi.bits;
    if (!is_near || !element.is(Kind::Number)) return false;
  }
  bool found = false;
  for_each_element(event, thread, [&](const Value& each) { found = found || each == element; });
  return found;
}

/// Refuses the first pair of one cell, when two of its touches clash.
void PhaseRun::judge_cell(std::uint32_t array, const std::vector<const Event*>& events, const Value& element) {
  std::vector<Touch> cell;
  for (const Event* event : events) {
    for (std::uint32_t t = 0; t < threads_; ++t) {
      if (touches(*event, t, element)) cell.push_back({t, event});
    }
  }
  for (const Touch& w : cell) {
    if (!w.event->writes) continue;
    const Touch* other = nullptr;
    for (const Touch& x : cell) {
      if (!clash(w, x)) continue;
      if (other == nullptr) other = &x;
      if (!x.event->writes) continue;
      other = &x;
      break;
    }
    if (other != nullptr) refuse_pair(w, *other, array, element);
  }
}

/// Called after may_clash, which left a summary of each number. Cells in order: numbers, then symbols by key and
/// offset.
void PhaseRun::judge(std::uint32_t array, const std::vector<const Event*>& events) {
  for (std::size_t k = 0; k < seen_.size(); ++k) {
    if (seen_[k].clashes()) judge_cell(array, events, number(k));
  }
  // Each thread of an event stands once in a group, however many of its elements do.
  std::map<std::pair<std::uint32_t, std::int64_t>, Seen> symbols;
  std::vector<Touch> vague;
  std::vector<std::vector<Touch>> groups;  // by key, in order of appearance
  std::unordered_map<std::uint32_t, std::size_t> group_numbers;
  std::vector<Touch> all;
  for (const Event* event : events) {
    for (std::uint32_t t = 0; t < threads_; ++t) {
      if (event->mask[t] == kNo) continue;
      const Touch touch{t, event};
      const auto add = [&](std::vector<Touch>& touches) {
        const bool is_there = !touches.empty() && touches.back().event == event && touches.back().thread == t;
        if (!is_there) touches.push_back(touch);
      };
      for_each_element(*event, t, [&](const Value& element) {
        add(all);
        if (element.is(Kind::Unknown)) return add(vague);
        if (element.is(Kind::Symbol)) {
          symbols[{element.key, element.offset()}].add(static_cast<std::int32_t>(t), *event);
        }
        const auto [at, added] = group_numbers.try_emplace(element.key, groups.size());
        if (added) groups.emplace_back();
        add(groups[at->second]);
      });
    }
  }
  for (const auto& [cell, seen] : symbols) {
    if (!seen.clashes()) continue;
    judge_cell(array, events, {Kind::Symbol, cell.first, static_cast<std::uint64_t>(cell.second)});
  }
  const auto summary = [](const std::vector<Touch>& touches) {
    Seen seen;
    for (const Touch& each : touches) seen.add(static_cast<std::int32_t>(each.thread), *each.event);
    return seen;
  };
  const auto judge_apart = [&](const std::vector<Touch>& left, const std::vector<Touch>& right) {
    if (!summary(left).clashes_with(summary(right))) return;
    for (const Touch& x : left) {
      for (const Touch& y : right) {
        if ((x.event->writes || y.event->writes) && clash(x, y)) refuse_undecided(x, y, array);
      }
    }
  };
  for (std::size_t k = 0; k < groups.size(); ++k) {
    for (std::size_t m = k + 1; m < groups.size(); ++m) judge_apart(groups[k], groups[m]);
  }
  judge_apart(vague, all);
}

std::string PhaseRun::thread_text(std::uint32_t thread) const {
  const auto names = body_.body->parameters;
  std::string text = "thread ";
  std::uint64_t stride = 1;
  for (std::size_t k = body_.block_names; k < names.size(); ++k) {
    const std::uint64_t extent = body_.extents[k - body_.block_names];
    if (k > body_.block_names) text += ", ";
    if (names[k]->name) text += text_.name(*names[k]) + " = ";
    text += std::to_string(thread / stride % extent);
    stride *= extent;
  }
  return text;
}

std::string PhaseRun::element_text(std::uint32_t array, const Value& element) const {
  return text_.name(*arrays_[array].statement->local) + "[" + polynomials_.text(element, text_.names) + "]";
}

std::string PhaseRun::barrier_text(const Touch& earlier, const Touch& later) const {
  const std::uint32_t first = text_.line_number(earlier.event->at);
  const std::uint32_t second = text_.line_number(later.event->at);
  if (first == second) return "Put a barrier after line " + std::to_string(first) + ", before it runs again.";
  return "Put a barrier after line " + std::to_string(first) + " and before line " + std::to_string(second) + " runs.";
}

void PhaseRun::refuse_mixed(const Touch& earlier, const Touch& later, const std::string& element) {
  const auto what = [](const Touch& touch) {
    return std::string(touch.event->atomic ? "updates it atomically" : touch.event->writes ? "writes it" : "reads it");
  };
  refuse(Code::AtomicMixed, later.event->at,
         "In one phase " + thread_text(earlier.thread) + " touches " + element + " at " +
             text_.line(earlier.event->at) + " (" + what(earlier) + ") and " + thread_text(later.thread) + " at " +
             text_.line(later.event->at) + " (" + what(later) +
             "): keep it atomic throughout, or put a barrier between " + "lines " +
             std::to_string(text_.line_number(earlier.event->at)) + " and " +
             std::to_string(text_.line_number(later.event->at)) + ".");
}

void PhaseRun::refuse_pair(const Touch& first, const Touch& second, std::uint32_t array, const Value& element) {
  const bool swapped = second.event->time < first.event->time;
  const Touch& a = swapped ? second : first;
  const Touch& b = swapped ? first : second;
  const std::string what = element_text(array, element);
  if (a.event->atomic || b.event->atomic) refuse_mixed(a, b, what);
  const std::string at_a = " at " + text_.line(a.event->at);
  const std::string at_b = " at " + text_.line(b.event->at);
  if (a.event->writes && b.event->writes) {
    refuse(Code::CoopConflict, b.event->at,
           "Both " + thread_text(a.thread) + at_a + " and " + thread_text(b.thread) + at_b + " write " + what +
               ", and no barrier stands between. Give each thread its own element.");
  }
  if (a.event->writes) {
    refuse(Code::CoopUnordered, b.event->at,
           thread_text(b.thread) + " reads " + what + at_b + ", which " + thread_text(a.thread) + " writes" + at_a +
               ", and no barrier stands between. " + barrier_text(a, b));
  }
  refuse(Code::CoopReuse, b.event->at,
         thread_text(b.thread) + " writes " + what + at_b + ", which " + thread_text(a.thread) +
             " may still be reading" + at_a + ", and no barrier stands between. " + barrier_text(a, b));
}

void PhaseRun::refuse_undecided(const Touch& first, const Touch& second, std::uint32_t array) {
  const bool swapped = second.event->time < first.event->time;
  const Touch& a = swapped ? second : first;
  const Touch& b = swapped ? first : second;
  const auto element = [&](const Touch& touch) {
    const Value& index = touch.event->lo[touch.thread];
    if (touch.event->fragment != nullptr) return "a fragment of " + text_.name(*arrays_[array].statement->local);
    if (touch.event->part) return "a part of " + text_.name(*arrays_[array].statement->local);
    return index.is(Kind::Unknown) ? text_.name(*arrays_[array].statement->local) + " at an index it cannot follow"
                                   : element_text(array, index);
  };
  if (a.event->atomic || b.event->atomic) refuse_mixed(a, b, element(b));
  const auto verb = [](const Touch& touch) { return touch.event->writes ? " writes " : " reads "; };
  refuse(Code::CoopUndecided, b.event->at,
         "The checker cannot tell apart what " + thread_text(a.thread) + verb(a) + "at " + text_.line(a.event->at) +
             ", " + element(a) + ", and what " + thread_text(b.thread) + verb(b) + "at " + text_.line(b.event->at) +
             ", " + element(b) +
             ". Index shared arrays by the thread and loop names and constants, or put a barrier between the two.");
}

}  // namespace cairn::phase
