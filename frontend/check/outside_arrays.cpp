#include "frontend/check/outside_arrays.hpp"

#include <algorithm>

#include "frontend/check/outside_sites.hpp"

namespace cairn {

namespace {

using outside::Digit;
using outside::Fact;
using outside::OutsideArray;
using outside::Site;
using outside::Sites;

constexpr std::size_t kMostBounds = 4;
constexpr std::size_t kMostRenamed = 6;

class OneWriter {
 public:
  OneWriter(const Sites& sites, const OutsideArray& array, const CooperativeText& text)
      : sites_(sites), array_(array), text_(text) {
    for (const Site& site : array.sites) {
      if (site.writes && !site.atomic) writes_.push_back(&site);
    }
  }

  void judge() {
    require_not_mixed();
    if (writes_.empty()) return;
    require_one_writer();
    for (const Site& site : array_.sites) {
      if (!site.writes && !is_own_element(site)) refuse_read(site);
    }
  }

 private:
  // ---------------------------------------------------------------------------------------------------------- atomics

  void require_not_mixed() const {
    const auto update = std::ranges::find(array_.sites, true, &Site::atomic);
    const auto plain = std::ranges::find(array_.sites, false, &Site::atomic);
    if (update == array_.sites.end() || plain == array_.sites.end()) return;
    refuse(Code::AtomicMixed, plain->at,
           name() + " is updated atomically at " + text_.line(update->at) + " and touched plainly at " +
               text_.line(plain->at) +
               " of one region, and no barrier orders two blocks: keep it atomic throughout, "
               "and read it afterwards.");
  }

  [[nodiscard]] std::string name() const { return text_.name(*array_.root); }

  // ------------------------------------------------------------------------------------------------------- one writer

  [[noreturn]] void refuse_writes(std::string reason) const {
    refuse(Code::CoopGlobal, writes_.front()->at,
           name() + " is written at " + text_.line(writes_.front()->at) +
               " by the threads of every block, and the checker cannot show that no two of them write one element: " +
               std::move(reason) + ".");
  }

  struct Placed {
    std::string name;
    Polynomial weight;
    Polynomial span;
    Polynomial low;
    std::optional<std::uint32_t> atom;  // none: the constants between the writes
    bool down = false;
  };

  [[nodiscard]] bool mentions_digit(const Polynomial& polynomial) const {
    return std::ranges::any_of(sites_.digits, [&](const Digit& each) { return polynomial.mentions(each.atom); });
  }

  void require_one_writer() {
    for (const Site* write : writes_) {
      if (!write->index) {
        refuse_writes("the index at " + text_.line(write->at) +
                      " is not a sum of the region's block, thread and loop names times values the region cannot "
                      "change");
      }
    }
    const Polynomial& first = *writes_.front()->index;
    Polynomial::Wide least = 0;
    Polynomial::Wide most = 0;
    for (const Site* write : writes_) {
      const auto apart = (*write->index - first).constant();
      if (!apart) {
        refuse_writes("the writes at lines " + std::to_string(text_.line_number(writes_.front()->at)) + " and " +
                      std::to_string(text_.line_number(write->at)) + " differ by more than a constant");
      }
      least = std::min(least, *apart);
      most = std::max(most, *apart);
    }
    const Polynomial base = first + Polynomial(least);
    common_facts();
    for (const auto& [monomial, coefficient] : base.terms()) require_linear(monomial);
    std::vector<Placed> digits;
    for (const Digit& digit : sites_.digits) {
      const Polynomial weight = base.weight(digit.atom);
      if (weight.is_zero()) {
        if (digit.agent) require_pinned(digit);
      } else {
        digits.push_back(placed(digit, weight));
      }
    }
    if (most != least) {
      digits.push_back(
          {"the distance between the writes", Polynomial(1), Polynomial(most - least), Polynomial(0), {}, false});
    }
    require_radix(std::move(digits));
  }

  /// The facts that stand at every write.
  void common_facts() {
    common_ = writes_.front()->facts;
    std::erase_if(common_, [&](const Fact& fact) {
      return !std::ranges::all_of(writes_, [&](const Site* write) { return stands(fact, write->facts); });
    });
  }

  static bool stands(const Fact& fact, const std::vector<Fact>& facts) {
    const Polynomial room = fact.right - fact.left;
    return std::ranges::any_of(facts, [&](const Fact& each) { return each.right - each.left == room; });
  }

  void require_linear(const Polynomial::Monomial& monomial) const {
    const Digit* found = nullptr;
    for (const std::uint32_t atom : monomial) {
      const Digit* digit = sites_.digit(atom);
      if (digit == nullptr) continue;
      if (found != nullptr) {
        refuse_writes(sites_.names[found->atom] + " * " + sites_.names[atom] + " multiplies two of the region's names");
      }
      found = digit;
    }
  }

  struct Range {
    std::vector<Polynomial> upper;
    std::vector<Polynomial> lower;
  };
  /// What is known of a digit: its range, and the facts in which it stands alone on one side.
  [[nodiscard]] Range range_of(const Digit& digit) const {
    Range range;
    if (digit.hi) range.upper.push_back(*digit.hi - Polynomial(1));
    if (digit.lo) range.lower.push_back(*digit.lo);
    const Polynomial self = Polynomial::atom(digit.atom);
    for (const Fact& fact : common_) {
      const auto left = (fact.left - self).constant();
      const auto right = (fact.right - self).constant();
      if (left && !mentions_digit(fact.right)) range.upper.push_back(fact.right - Polynomial(*left));
      if (right && !mentions_digit(fact.left)) range.lower.push_back(fact.left - Polynomial(*right));
    }
    return range;
  }

  void require_pinned(const Digit& digit) const {
    const Range range = range_of(digit);
    for (const Polynomial& upper : range.upper) {
      for (const Polynomial& lower : range.lower) {
        const auto room = (upper - lower).constant();
        if (room && *room <= 0) return;
      }
    }
    const std::string& name = sites_.names[digit.atom];
    refuse_writes("the index does not depend on " + name + ", so every " + name + " writes the same element");
  }

  Placed placed(const Digit& digit, const Polynomial& weight) const {
    Placed made;
    made.name = sites_.names[digit.atom];
    made.atom = digit.atom;
    if (weight.has_positive() && weight.has_negative()) refuse_writes(made.name + " is both added and taken away");
    made.down = weight.has_negative();
    made.weight = made.down ? Polynomial() - weight : weight;
    if (!digit.lo) refuse_writes("the checker cannot bound " + made.name + " where it is written");
    if (mentions_digit(*digit.lo) || (digit.hi && mentions_digit(*digit.hi))) {
      refuse_writes("the range of " + made.name + " moves with " + moved_with(digit));
    }
    made.low = *digit.lo;
    std::optional<Polynomial> least;
    for (const Polynomial& upper : range_of(digit).upper) {
      if (!least || (!(*least - upper).has_negative() && !(*least - upper).is_zero())) least = upper;
    }
    if (!least) refuse_writes("the checker cannot bound " + made.name + " where it is written");
    made.span = *least - made.low;
    return made;
  }

  [[nodiscard]] std::string moved_with(const Digit& digit) const {
    for (const Digit& other : sites_.digits) {
      if (digit.lo->mentions(other.atom) || (digit.hi && digit.hi->mentions(other.atom))) {
        return sites_.names[other.atom];
      }
    }
    return "another name";
  }

  /// Every non-constant coefficient at least 0, and above 0 where every atom is at its least.
  [[nodiscard]] bool is_positive(const Polynomial& value) const {
    Polynomial::Wide at_least = 0;
    for (const auto& [monomial, coefficient] : value.terms()) {
      if (monomial.empty()) {
        at_least += coefficient;
        continue;
      }
      if (coefficient < 0) return false;
      const bool counts =
          std::ranges::all_of(monomial, [&](std::uint32_t atom) { return sites_.least.contains(atom); });
      if (counts) at_least += coefficient;
    }
    return at_least > 0;
  }

  [[nodiscard]] bool is_heavier(const Polynomial& left, const Polynomial& right) const {
    const Polynomial more = left - right;
    return is_positive(more) || (!more.is_zero() && !more.has_negative());
  }

  /// Places digits lightest first, each heavier than all that the lighter ones can add up to.
  void require_radix(std::vector<Placed> digits) const {
    std::vector<Polynomial> bounds{Polynomial(0)};
    Polynomial prefix;
    Polynomial lows;    // what the low ends of the placed digits add up to
    Polynomial spread;  // of the constants between the writes, once placed
    std::optional<bool> down;
    bool alike = true;
    const auto lightest = [&](const auto& fits) {
      std::optional<std::size_t> found;
      for (std::size_t k = 0; k < digits.size(); ++k) {
        if (!fits(digits[k])) continue;
        if (!found || is_heavier(digits[*found].weight, digits[k].weight)) found = k;
      }
      return found;
    };
    while (!digits.empty()) {
      const auto next = lightest([&](const Placed& digit) {
        return std::ranges::any_of(bounds, [&](const Polynomial& bound) { return is_positive(digit.weight - bound); });
      });
      if (!next) {
        const Placed& first = digits[*lightest([](const Placed&) { return true; })];
        refuse_writes("the weight of " + first.name + ", " + sites_.text(first.weight) +
                      ", is not shown to exceed what the lighter terms add up to");
      }
      const Placed digit = digits[*next];
      digits.erase(digits.begin() + static_cast<std::ptrdiff_t>(*next));
      const auto added = Polynomial::product(digit.weight, digit.span);
      const auto low = Polynomial::product(digit.weight, digit.low);
      if (!added || !low) refuse_writes("the checker cannot bound " + digit.name + " where it is written");
      for (Polynomial& bound : bounds) bound = bound + *added;
      if (!digit.atom) {
        spread = *added;
      } else {
        alike = alike && (!down || *down == digit.down);
        down = digit.down;
        prefix = prefix + *Polynomial::product(digit.weight, Polynomial::atom(*digit.atom));
        lows = lows + *low;
      }
      if (!alike || !down) continue;
      for (const Fact& fact : common_) {
        const auto shift = (fact.left - prefix).constant();
        if (!shift || mentions_digit(fact.right)) continue;
        bounds.push_back(fact.right - Polynomial(*shift) - lows + spread);
      }
      if (bounds.size() > kMostBounds) bounds.erase(bounds.begin(), bounds.end() - kMostBounds);
    }
  }

  // ------------------------------------------------------------------------------------------------------------ reads

  [[noreturn]] void refuse_read(const Site& read) const {
    refuse(Code::CoopGlobal, read.at,
           name() +
               " is written by the threads of this region, so a thread reads it only at the element it writes "
               "itself; the read at " +
               text_.line(read.at) + " may reach an element another thread writes, and no barrier orders two blocks.");
  }

  [[nodiscard]] bool is_own_element(const Site& read) const {
    if (!read.index) return false;
    return std::ranges::any_of(writes_, [&](const Site* write) { return is_element_of(read, *write); });
  }

  /// Whether a read is at the element of a write of the same thread, its loops' names renamed to the write's.
  [[nodiscard]] bool is_element_of(const Site& read, const Site& write) const {
    for (const Digit& digit : sites_.digits) {
      if (digit.agent && !digit.is_single() && !write.index->mentions(digit.atom)) return false;
    }
    const auto loops_of = [&](const Site& site) {
      std::vector<const Digit*> loops;
      for (const Digit& digit : sites_.digits) {
        if (digit.agent) continue;
        const bool is_named =
            site.index->mentions(digit.atom) || std::ranges::any_of(site.facts, [&](const Fact& fact) {
              return fact.left.mentions(digit.atom) || fact.right.mentions(digit.atom);
            });
        if (is_named) loops.push_back(&digit);
      }
      return loops;
    };
    const auto from = loops_of(read);
    const auto to = loops_of(write);
    if (from.size() > kMostRenamed || to.size() > kMostRenamed) return false;
    std::map<std::uint32_t, std::uint32_t> names;
    return renames(read, write, from, to, 0, names);
  }

  [[nodiscard]] bool renames(const Site& read, const Site& write, const std::vector<const Digit*>& from,
                             const std::vector<const Digit*>& to, std::size_t next,
                             std::map<std::uint32_t, std::uint32_t>& names) const {
    if (next == from.size()) return agrees(read, write, names);
    const Digit& digit = *from[next];
    const auto same_range = [&](const Digit& other) {
      if (digit.atom == other.atom) return true;
      return digit.lo && digit.hi && other.lo && other.hi && digit.lo->renamed(names) == *other.lo &&
             digit.hi->renamed(names) == *other.hi;
    };
    for (const Digit* other : to) {
      const bool is_taken = std::ranges::any_of(names, [&](const auto& each) { return each.second == other->atom; });
      if (is_taken || !same_range(*other)) continue;
      names[digit.atom] = other->atom;
      if (renames(read, write, from, to, next + 1, names)) return true;
      names.erase(digit.atom);
    }
    // A name only its facts mention may stay as it is.
    return !read.index->mentions(digit.atom) && renames(read, write, from, to, next + 1, names);
  }

  static bool agrees(const Site& read, const Site& write, const std::map<std::uint32_t, std::uint32_t>& names) {
    if (!(read.index->renamed(names) == *write.index)) return false;
    std::vector<Fact> facts;
    for (const Fact& fact : read.facts) facts.push_back({fact.left.renamed(names), fact.right.renamed(names)});
    return std::ranges::all_of(write.facts, [&](const Fact& fact) { return stands(fact, facts); });
  }

  const Sites& sites_;
  const OutsideArray& array_;
  const CooperativeText& text_;
  std::vector<const Site*> writes_;
  std::vector<Fact> common_;
};

}  // namespace

void require_single_writers(const checked::ThreadBody& body, std::span<const checked::LetStmt* const> grid,
                            const CooperativeText& text) {
  const Sites sites = outside::collect_sites(body, grid, text);
  for (const OutsideArray& array : sites.arrays) OneWriter(sites, array, text).judge();
}

}  // namespace cairn
