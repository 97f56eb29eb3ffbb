// What a function of the optimizing tier's form computes, as terms over its parameters and the memory it is given:
// every path at once, with loops unrolled, as vm/verify/encoder does it for bytecode. Two forms of one function share
// the terms, so that what they compute alike is one node.
//
// Values are slots of 64 bits. What the solver's logic does not say (operations on floats, what a call or a step gives,
// what lies in memory after one) is a variable named by what it depends on: the same in both forms where that is.
//
// Memory is a set of places that never overlap: the objects of the frame, what each parameter that leads somewhere
// leads to, the module's texts, and all the rest. Of each there is one array for each size of access; what a write of
// another size, or one that lies at no multiple of its size, makes of an array is only known by what it depends on. An
// address keeps the place it leads to, or the places, each under its condition; what is computed from it in any other
// way than as an address lets it out, and so does a store of it. A place whose address got out may be met through an
// address that was found elsewhere: what lies there, and what is written to one of both, changes what is found at the
// other in a way of which only is known what it depends on.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "jit/ssa/flow.hpp"
#include "vm/verify/memory.hpp"
#include "vm/verify/terms.hpp"

namespace cairn::verify {

/// What an address leads to.
struct Place {
  enum class Kind : std::uint8_t { Elsewhere, Object, Parameter, Text, Several };
  Kind kind = Kind::Elsewhere;
  std::uint64_t id = 0;  // the frame << 32 | the object's offset in it, the parameter's slot, the text's index
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// What calls and steps change, where the function is entered.
inline constexpr std::string_view kWorld = "world";

/// An address that was found elsewhere counts as a multiple of this.
inline constexpr std::uint32_t kMostUnit = 16;

/// Where an address leads, each under its condition.
using SsaWays = std::vector<std::pair<Term, Place>>;

struct SsaValue {
  Term bits = kFalse;  // a slot; kFalse: there is no value yet
  Place place;
  std::shared_ptr<const SsaWays> ways;  // of an address that leads to several places
  std::uint32_t unit = kMostUnit;       // of an address: what its way from the place's start is a multiple of
  std::shared_ptr<const std::vector<Term>> lanes;  // of a vector
};

/// The arrays of each place, by the size of the access.
using SsaMemory = std::map<std::pair<Place, std::uint32_t>, Term>;

struct SsaState {
  Term reached = kTrue;
  std::vector<SsaValue> values;
  SsaMemory memory;
  Term world = kFalse;     // stands for what calls and steps have changed so far
  std::set<Place> leaked;  // places whose address got out
};

/// A return, or a trap of one kind at one place.
struct SsaEnd {
  Term reached = kFalse;
  std::map<std::uint32_t, Term> told;  // by slot of the frame; of a return, its values by number
  SsaMemory memory;
  Term world = kFalse;
};
struct SsaEndKey {
  bool returns = false;
  std::uint32_t frame = 0, word = 0;
  TrapKind trap = TrapKind::None;
  friend auto operator<=>(const SsaEndKey&, const SsaEndKey&) = default;
};

struct SsaOutcome {
  std::map<SsaEndKey, SsaEnd> ends;
  std::map<Term, Term> calls;  // by what the call leaves of the world: whether it is made
  Term broken = kFalse;        // something the form promises is not so: an exact sum does not fit, a store goes past
                               // its object
  Term exceeded = kFalse;      // some loop goes on past the bound
};

class SsaEncoder {
 public:
  /// `sizes`: of the accesses of both forms and of what they call and leave for; one at least. `frames`: calls that are
  /// followed, as the later form's table has them.
  SsaEncoder(Terms& terms, const bytecode::Module& module, std::set<std::uint32_t> sizes,
             const std::vector<jit::ssa::Frame>& frames, std::uint32_t turns)
      : terms_(terms), module_(module), sizes_(std::move(sizes)), frames_(frames), turns_(turns) {}

  /// Throws Unsupported.
  SsaOutcome run(const jit::ssa::Function& function);

  /// What `later` does not ask any more is looked into where it is asked: when `is_never` says that it never fails
  /// there, the form goes on as the later one does.
  void compare_with(const jit::ssa::Function& later, std::function<bool(Term)> is_never);
  /// What holds of every frame that is taken up at the loop's start of the form.
  [[nodiscard]] Term assumed() const { return assumed_; }

  /// The array a place has where the function is entered.
  Term initial(const Place& place, std::uint32_t size, Term world);
  /// What the function finds in a slot of its parameters.
  SsaValue parameter(std::uint32_t function, std::uint32_t slot, jit::Kind kind);
  /// Where the place's first byte lies.
  Term base_of(const Place& place);

 private:
  class Run;

  Term opaque(const std::string& what, Sort sort, const std::vector<Term>& of);
  [[nodiscard]] std::uint64_t most_of(Term term, std::uint32_t depth = 4) const;
  Term reciprocal(Term product, Term by);
  Term normal(Term bits, jit::Kind kind);
  Term opaque_value(const std::string& what, jit::Kind kind, const std::vector<Term>& of);
  Term holds(jit::Relation relation, jit::Kind kind, Term a, Term b);
  Term float_operation(const jit::ssa::Instruction& i, std::vector<Term> of);
  /// The result; `fails`: where it traps or, of an exact one, is none.
  Term integer_operation(const jit::ssa::Instruction& i, Term a, Term b, Term& fails);
  Term conversion(const jit::ssa::Instruction& i, Term a, Term& fails);
  Term from_bool(Term condition) { return terms_.choose(condition, terms_.bits(64, 1), terms_.bits(64, 0)); }

  [[nodiscard]] bool is_gone(bool branches, std::uint32_t frame, std::uint32_t word) const {
    return is_never_ && !asked_later_.contains({branches, frame, word});
  }
  bool is_never(bool branches, std::uint32_t frame, std::uint32_t word, Term condition);
  void find_assumed(const jit::ssa::Function& function);
  void find_written(const bytecode::Function& source);

  Term& array(SsaState& state, const Place& place, std::uint32_t size);
  static SsaWays ways_of(const SsaValue& address);
  void join_places(SsaValue& into, Term condition, const SsaValue& from);
  void leak(SsaState& state, const Place& place);
  void leak(SsaState& state, const SsaValue& address);
  [[nodiscard]] std::uint32_t unit_of(Term way, std::uint32_t depth = 6) const;
  [[nodiscard]] const bytecode::MemoryObject* object_at(const Place& place) const;
  [[nodiscard]] std::uint64_t bytes_of(const Place& place) const;
  Term is_within(const Place& place, Term index, std::uint64_t bytes);
  void stays_within(Term reached, Term within);
  Term load(SsaState& state, const SsaValue& base, Term address, std::uint32_t size);
  template <class Written>
  void write(SsaState& state, const SsaValue& base, Term address, const std::vector<Term>& what,
             const Written& written);
  void store(SsaState& state, const SsaValue& base, Term address, std::uint32_t size, Term value,
             Term condition = kTrue);
  void copy(SsaState& state, const SsaValue& to, const SsaValue* from, std::uint64_t bytes);
  void merge(SsaState& known, SsaState&& more);
  void materialize(SsaState& state);
  std::vector<Place> places_of(const SsaState& state) const;
  void end(const SsaEndKey& key, SsaEnd&& more);

  Terms& terms_;
  const bytecode::Module& module_;
  const std::set<std::uint32_t> sizes_;
  const std::vector<jit::ssa::Frame>& frames_;
  const std::uint32_t turns_;
  std::uint32_t function_ = 0;
  bool taken_up_ = false;            // a frame that runs already: its slots and its memory may hold anything
  std::set<std::uint32_t> written_;  // slots that the bytecode of such a frame writes
  Term assumed_ = kTrue;
  using Question = std::tuple<bool, std::uint32_t, std::uint32_t>;  // a branch's or not, frame, word
  std::function<bool(Term)> is_never_;
  std::set<Question> asked_later_;
  std::set<Question> needed_;  // questions that were found to matter
  std::map<Term, bool> never_;
  std::vector<Place> parameters_;  // those that lead somewhere
  SsaOutcome outcome_;
  std::vector<Term> broken_, exceeded_;
  std::uint64_t steps_ = 0;
  std::uint32_t depth_ = 0;
};

}  // namespace cairn::verify
