// What the run records: accesses of shared arrays, the ways an open phase may have gone, and what was surely written of
// arrays nobody zeroes (devices, 12.6 and 13).
#include <algorithm>

#include "frontend/check/phase_rule.hpp"
#include "frontend/check/phase_run.hpp"

namespace cairn {

void require_ordered_phases(const checked::ThreadBody& body, Position region, const CooperativeText& text) {
  if (!body.arrays.empty()) phase::PhaseRun(body, region, text).run();
}

namespace phase {

namespace {

using Kind = Value::Kind;

constexpr std::uint64_t kMostSteps = 6'000'000;
constexpr std::size_t kMostWays = 16;

}  // namespace

// ------------------------------------------------------------------------------------------------------------ the run

PhaseRun::PhaseRun(const checked::ThreadBody& body, Position region, const CooperativeText& text)
    : body_(body), region_(region), text_(text), threads_(body.threads) {
  for (const checked::SharedStmt* each : body.arrays) {
    array_numbers_.emplace(each->local, static_cast<std::uint32_t>(arrays_.size()));
    arrays_.push_back({each});
    has_unzeroed_ = has_unzeroed_ || !each->zeroed;
  }
  env_.resize(body.body->locals.size());
  const auto names = body.body->parameters;
  for (std::size_t k = 0; k < body.block_names; ++k) env_[names[k]->index] = Vec(polynomials_.name(*names[k]));
  std::uint64_t stride = 1;
  for (std::size_t k = body.block_names; k < names.size(); ++k) {
    const std::uint64_t extent = body.extents[k - body.block_names];
    std::vector<Value> each(threads_);
    for (std::size_t t = 0; t < threads_; ++t) each[t] = number(t / stride % extent);
    env_[names[k]->index] = Vec(std::move(each));
    stride *= extent;
  }
  if (has_unzeroed_) done_.resize(arrays_.size());
  open_ = {fresh_way()};
}

void PhaseRun::run() {
  run(*body_.body->body, Mask());
  wait();
}

void PhaseRun::steps(std::uint64_t count) {
  steps_ += count;
  if (steps_ <= kMostSteps) return;
  refuse(Code::CoopUndecided, region_,
         "Following the threads of one block takes more than 6000000 steps: split the region, or let its loops run "
         "fewer times.");
}

std::optional<std::uint32_t> PhaseRun::array_of(const Local& local) const {
  const auto found = array_numbers_.find(&local);
  return found == array_numbers_.end() ? std::nullopt : std::optional(found->second);
}

// ---------------------------------------------------------------------------------------------------------------- ways

Alternative PhaseRun::fresh_way() const {
  Alternative way;
  if (has_unzeroed_) way.written = std::make_shared<std::vector<Writers>>(arrays_.size());
  return way;
}

void PhaseRun::record(Event event) {
  steps(event.lo.is_single() && event.hi.is_single() && event.mask.is_together() ? 1 : threads_);
  event.serial = static_cast<std::uint32_t>(events_.size());
  events_.push_back(std::move(event));
  const Event& kept = events_.back();
  const bool is_unzeroed = !arrays_[kept.array].statement->zeroed;
  if (is_unzeroed && !(kept.writes && kept.sure && !kept.atomic)) require_written(kept);
  for (Alternative& way : open_) {
    links_.push_back({&kept, way.last});
    way.last = &links_.back();
    if (is_unzeroed) note_written(way, kept);
  }
}

/// More ways than are kept apart become one, in which all that any of them did may meet.
void PhaseRun::merge_if_many() {
  if (open_.size() <= kMostWays) return;
  std::vector<const Event*> events;
  std::unordered_set<const Link*> seen;
  Alternative merged = fresh_way();
  for (const Alternative& way : open_) {
    for (const Link* link = way.last; link != nullptr && seen.insert(link).second; link = link->before) {
      events.push_back(link->event);
    }
  }
  // What the ways share is one link; an access of a loop's body run in several ways is one event each time.
  std::ranges::sort(events, {}, &Event::serial);
  const auto repeated = std::ranges::unique(events);
  events.erase(repeated.begin(), repeated.end());
  steps(events.size());
  for (const Event* event : events) {
    links_.push_back({event, merged.last});
    merged.last = &links_.back();
  }
  if (has_unzeroed_) {
    *merged.written = *open_.front().written;
    for (std::size_t way = 1; way < open_.size(); ++way) {
      for (std::size_t k = 0; k < arrays_.size(); ++k) (*merged.written)[k].intersect((*open_[way].written)[k]);
    }
  }
  open_ = {std::move(merged)};
}

/// The block waits: the open phase is judged, in each way it may have gone, and another begins.
void PhaseRun::wait() {
  for (const Alternative& way : open_) judge(way);
  if (has_unzeroed_) {
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      if (arrays_[k].statement->zeroed) continue;
      (*open_.front().written)[k].for_each_element([&](const Value& element) {
        const auto wrote = [&](const Alternative& way) { return (*way.written)[k].contains(element); };
        if (std::ranges::all_of(open_, wrote)) done_[k].insert(element, arrays_[k].length());
      });
    }
  }
  open_ = {fresh_way()};
}

// --------------------------------------------------------------------------------------------- arrays nobody zeroes

void ElementSet::insert(const Value& element, std::uint64_t length) {
  if (!element.is(Kind::Number)) {
    symbols_.insert(element);
    return;
  }
  if (numbers_.empty()) numbers_.resize(length);
  if (!numbers_[element.bits]) ++count_;
  numbers_[element.bits] = true;
}

void ElementSet::intersect(const ElementSet& other) {
  for (std::size_t k = 0; k < numbers_.size(); ++k) {
    if (!numbers_[k] || other.contains(number(k))) continue;
    numbers_[k] = false;
    --count_;
  }
  std::erase_if(symbols_, [&](const Value& element) { return !other.contains(element); });
}

void Writers::add(const Value& element, std::uint32_t thread, std::uint64_t length) {
  std::uint32_t first = kNobody;
  if (element.is(Kind::Number)) {
    if (numbers_.empty()) numbers_.assign(length, kNobody);
    if (numbers_[element.bits] == kNobody) numbers_[element.bits] = thread;
    first = numbers_[element.bits];
  } else {
    first = symbols_.try_emplace(element, thread).first->second;
  }
  if (first != thread) more_[element].push_back(thread);
}

bool Writers::has(const Value& element, std::uint32_t thread) const {
  if (element.is(Kind::Number)) {
    if (element.bits < numbers_.size() && numbers_[element.bits] == thread) return true;
  } else if (const auto found = symbols_.find(element); found != symbols_.end() && found->second == thread) {
    return true;
  }
  const auto others = more_.find(element);
  return others != more_.end() && std::ranges::find(others->second, thread) != others->second.end();
}

void Writers::intersect(const Writers& other) {
  std::vector<std::pair<Value, std::uint32_t>> kept;
  const auto keep = [&](const Value& element, std::uint32_t thread) {
    if (other.has(element, thread)) kept.emplace_back(element, thread);
  };
  for (std::size_t k = 0; k < numbers_.size(); ++k) {
    if (numbers_[k] != kNobody) keep(number(k), numbers_[k]);
  }
  for (const auto& [element, thread] : symbols_) keep(element, thread);
  for (const auto& [element, threads] : more_) {
    for (const std::uint32_t thread : threads) keep(element, thread);
  }
  const std::uint64_t length = numbers_.size();
  *this = {};
  for (const auto& [element, thread] : kept) add(element, thread, length);
}

void PhaseRun::note_written(Alternative& way, const Event& event) {
  if (!event.writes || !event.sure || event.atomic) return;
  if (way.written.use_count() > 1) way.written = std::make_shared<std::vector<Writers>>(*way.written);
  Writers& writers = (*way.written)[event.array];
  const std::uint64_t length = arrays_[event.array].length();
  for (std::uint32_t t = 0; t < threads_; ++t) {
    if (event.mask[t] != kSurely) continue;
    for_each_element(event, t, [&](const Value& element) {
      if (!element.is(Kind::Unknown)) writers.add(element, t, length);
    });
  }
}

/// E-COOP-UNWRITTEN at an access that takes an element for written which no thread surely wrote.
void PhaseRun::require_written(const Event& event) {
  const ElementSet& done = done_[event.array];
  const std::uint64_t length = arrays_[event.array].length();
  if (done.is_all(length)) return;
  const std::string name = text_.name(*arrays_[event.array].statement->local);
  const auto refuse_read = [&](std::uint32_t thread, const Value& element) {
    const std::string what = event.atomic    ? " updates "
                             : event.of_warp ? " stores a fragment over "
                             : event.writes  ? " lends "
                                             : " reads ";
    const bool is_unknown = element.is(Kind::Unknown);
    refuse(Code::CoopUnwritten, event.at,
           name + " is declared without `= zeroed`, and " + thread_text(thread) + what +
               element_text(event.array, element) + " at " + text_.line(event.at) +
               (is_unknown ? ", an index the checker cannot follow, so every element must have been written, and some "
                             "was not"
                           : ", and no thread surely wrote that element first") +
               ". Write it first, in this thread or in another before a barrier, or declare the array `= zeroed`.");
  };
  if (is_alike(event)) {
    bool all_done = true;
    for_each_element(event, 0, [&](const Value& element) { all_done = all_done && done.contains(element); });
    if (all_done) return;
  }
  for (const Alternative& way : open_) {
    for (std::uint32_t t = 0; t < threads_; ++t) {
      if (event.mask[t] == kNo) continue;
      for_each_element(event, t, [&](const Value& element) {
        if (element.is(Kind::Unknown)) refuse_read(t, element);
        if (!done.contains(element) && !(*way.written)[event.array].has(element, t)) refuse_read(t, element);
      });
    }
  }
}

}  // namespace phase
}  // namespace cairn
