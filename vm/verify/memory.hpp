// Memory as the model sees it: objects that never overlap, each a set of cells. A cell is one scalar part of an
// object's type (or a pair or word that an owner, view or reference lies in). A part that lies in arrays is one array
// term, by the flat index of all of them; so is every part of what a view or Buf holds. What lies at the same offset in
// two payloads of a sum is one cell only when it has one kind: reading a payload that is not the active one is never
// observed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vm/bytecode/module.hpp"
#include "vm/verify/terms.hpp"

namespace cairn::verify {

/// Thrown where the model ends: the answer is `unknown`, with this reason.
struct Unsupported {
  std::string why;
};

/// One array that a place lies in: which element, of how many (0: not known; only the outermost).
struct Step {
  Term index = 0;
  std::uint64_t count = 0;
  friend bool operator==(const Step&, const Step&) = default;
};

/// A place in an object. `rest` bytes into it are not walked yet, since only the access tells what lies there.
struct Target {
  std::uint32_t object = bytecode::kNone;
  std::uint64_t offset = 0;  // in an element 0 of every array around
  std::uint32_t type = bytecode::kNone;
  std::uint64_t rest = 0;
  bool single = false;  // a view of one value that lies in no array
  std::vector<Step> steps;
};

struct GuardedTarget {
  Term guard = kTrue;
  Target target;
};

/// What a slot or cell holds.
struct Value {
  enum class Kind : std::uint8_t { Empty, Scalar, Pointer };
  Kind kind = Kind::Empty;
  Term term = 0;
  std::shared_ptr<const std::vector<GuardedTarget>> targets;  // Pointer: guards exclude each other; none: null

  static Value scalar(Term term) { return {Kind::Scalar, term, nullptr}; }
  static Value pointer(Target target) {
    return {Kind::Pointer, 0, std::make_shared<std::vector<GuardedTarget>>(1, GuardedTarget{kTrue, std::move(target)})};
  }
  static Value null() { return {Kind::Pointer, 0, std::make_shared<std::vector<GuardedTarget>>()}; }
};

/// What a cell is: a register kind, or a word or pair.
enum class CellKind : std::uint8_t { Word = 100, First = 101, Second = 102 };

struct CellKey {
  std::uint64_t offset = 0;
  std::uint8_t kind = 0;
  std::uint8_t steps = 0;
  friend auto operator<=>(const CellKey&, const CellKey&) = default;
};
using Cells = std::map<CellKey, Value>;

/// The contents of every object at one point of the program; shared until written.
using Contents = std::vector<std::shared_ptr<const Cells>>;

class Memory {
 public:
  Memory(Terms& terms, const bytecode::Module& module) : terms_(terms), module_(module) {}

  /// A new zeroed object; `outer`: any number of elements of the type, not one.
  std::uint32_t add(std::uint32_t type, bool outer);
  /// The same with unknown contents: variables whose names begin with `name`.
  std::uint32_t add_input(std::uint32_t type, bool outer, std::string name);
  [[nodiscard]] Target whole(std::uint32_t object) const;
  [[nodiscard]] const bytecode::Type& type(std::uint32_t index) const { return module_.types[index]; }

  /// The scalar of that kind `bytes` into the place; Second of a pair stands beside its First.
  Value load(const Contents& contents, const Value& pointer, std::uint64_t bytes, std::uint8_t kind);
  void store(Contents& contents, Term condition, const Value& pointer, std::uint64_t bytes, std::uint8_t kind,
             const Value& value);
  /// The place itself, of exactly that type.
  [[nodiscard]] Target settled(const Target& target, std::uint32_t type) const;
  /// The outermost part at the place that takes so many bytes.
  [[nodiscard]] Target settled_by_size(const Target& target, std::uint64_t bytes) const;
  [[nodiscard]] Target settled_array(const Target& target, std::uint64_t count) const;

  /// Value of the type at `to` = that at `from`; the type is one place's own.
  void copy(Contents& contents, const Value& to, const Value& from, std::uint64_t bytes);
  void zero(Contents& contents, const Target& at, std::uint64_t bytes);
  void exchange(Contents& contents, const Value& left, const Value& right, std::uint64_t bytes);

  /// Where `choose` holds `left`, else `right`.
  Value merge(Term choose, const Value& left, const Value& right);
  Contents merge(Term choose, const Contents& left, const Contents& right);

  [[nodiscard]] static Sort sort_of(std::uint8_t kind);
  Value zero_of(std::uint8_t kind);
  Term flat_index(const Target& target);

 private:
  struct Object {
    std::uint32_t type = bytecode::kNone;
    bool outer = false;
    std::string input;  // empty: starts zeroed
  };
  struct Leaf {
    std::uint64_t offset = 0;
    std::uint8_t kind = 0;
    std::vector<std::uint64_t> counts;  // of the arrays inside the type it was looked for in
  };

  [[nodiscard]] bool walk(Target& at, const auto& is_there) const;
  [[nodiscard]] bool find_leaf(Target& at, std::uint8_t kind) const;
  void leaves(std::uint32_t type, std::uint64_t offset, std::vector<std::uint64_t>& counts,
              std::vector<Leaf>& found) const;
  [[nodiscard]] std::vector<Leaf> leaves_of(std::uint32_t type) const;
  Value cell(const Contents& contents, std::uint32_t object, const CellKey& key);
  Value initial(std::uint32_t object, const CellKey& key);
  Value load_leaf(const Contents& contents, const Target& at, std::uint8_t kind);
  void store_leaf(Contents& contents, Term condition, const Target& at, std::uint8_t kind, const Value& value);
  void set_cell(Contents& contents, std::uint32_t object, const CellKey& key, Value value);
  void for_each_place(const Target& at, const Leaf& leaf, const auto& visit);

  Terms& terms_;
  const bytecode::Module& module_;
  std::vector<Object> objects_;
};

}  // namespace cairn::verify
