// The types of a random program: their texts, their declarations, and a function for each that folds a value into a
// number, so that what a program ends with can be compared.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cairn::tests::random {

struct Type;

/// A field of a record, a variant of a sum (`type` null: without payload), or, without a name, an element, a parameter.
struct Part {
  std::string name;
  const Type* type = nullptr;
};

struct Type {
  enum class Kind : std::uint8_t { Bool, Integer, Float, Storage, Enum, Record, Sum, Array, Buf, Vec, Dyn, Function };
  Kind kind = Kind::Bool;
  std::string text = {};  // as a program writes it
  unsigned bits = 8;
  bool is_signed = false;
  bool is_copy = true;
  bool is_linear = false;
  std::vector<Part> parts = {};  // of a function the parameters, then the result
  std::uint64_t count = 0;       // elements of an Array

  [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
  [[nodiscard]] bool is_number() const { return kind == Kind::Integer || kind == Kind::Float; }
  [[nodiscard]] bool is_unsigned() const { return kind == Kind::Integer && !is_signed; }
  [[nodiscard]] bool is_scalar() const { return is_number() || kind == Kind::Bool; }
  [[nodiscard]] bool is_sequence() const { return kind == Kind::Array || kind == Kind::Buf || kind == Kind::Vec; }
  [[nodiscard]] const Type* element() const { return parts[0].type; }
  /// What `try` accepts, and what a statement may not drop silently.
  [[nodiscard]] bool is_outcome() const { return kind == Kind::Sum && parts.size() == 2; }
};

class Types {
 public:
  Types();

  const Type* boolean = nullptr;
  const Type* usize = nullptr;
  std::vector<const Type*> integers, floats, storage, scalars;
  std::vector<const Type*> enums, records, sums, owners, dyns;  // of the program

  [[nodiscard]] const Type* named(const std::string& text) const { return known_.at(text); }
  const Type* array(const Type* element, std::uint64_t count);
  const Type* buf(const Type* element);
  const Type* vec(const Type* element);
  const Type* option(const Type* some);
  const Type* result(const Type* good, const Type* bad);
  const Type* function(const std::vector<const Type*>& parameters, const Type* result);
  const Type* dyn(const std::string& trait);
  const Type* enumeration(const std::string& name, unsigned variants);
  const Type* record(const std::string& name, std::vector<Part> fields, const std::string& form = "");
  const Type* sum(const std::string& name, std::vector<Part> variants);
  /// A record that owns a tree of itself: `kids` is a Buf of them.
  const Type* tree(const std::string& name, const Type* value);

  /// Declarations of records and sums, in the order they were made.
  [[nodiscard]] const std::string& declarations() const { return declarations_; }
  /// `x` of this type folded into the number `h`, as an expression. A value that is no copy is consumed.
  std::string folded(const Type& type, const std::string& h, const std::string& x);
  /// The functions that `folded` named.
  [[nodiscard]] const std::string& folding() const { return folding_; }
  /// `std.NAME` that the program has to import, with the names it uses plainly.
  [[nodiscard]] std::string imports() const;
  void use(const std::string& module, std::vector<std::string> names = {}) { used_[module] = std::move(names); }

 private:
  const Type* add(Type type);
  static bool all_copy(const std::vector<Part>& parts);
  std::string fold_function(const Type& type);

  std::vector<std::unique_ptr<Type>> all_;
  std::map<std::string, const Type*> known_;
  std::map<std::string, std::string> fold_names_;
  std::map<std::string, std::vector<std::string>> used_;
  std::string declarations_, folding_;
};

}  // namespace cairn::tests::random
