// The writer of random programs: what is in scope, and lines as they come. Expressions are made in expressions.cpp,
// statements in statements.cpp, loops.cpp and owners.cpp, functions in program.cpp.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/random/types.hpp"

namespace cairn::tests::random {

/// A name in scope. A view (a parameter, `stack`, `buffer`) has elements of `type`; any other name is of `type`.
struct Name {
  std::string text;
  const Type* type = nullptr;
  bool is_view = false;
  bool is_mutable = false;
  std::string length = {};      // of a view, as a program writes it
  std::uint64_t count = 0;      // elements there probably are; 0: not known
  std::uint64_t below = 0;      // of a usize: what it is below, when that is known
  std::string below_name = {};  // the same as a length's text
};

struct Parameter {
  enum class How : std::uint8_t { Value, Ro, Rw, Extent, View, RwView };
  How how = How::Value;
  const Type* type = nullptr;
  std::string name;
};

struct Callee {
  std::string name;
  std::vector<Parameter> parameters = {};
  const Type* result = nullptr;
  bool is_pure = false;   // neither writes nor allocates nor prints: may stand anywhere
  bool recurses = false;  // its first parameter says how often it may still call itself
  std::uint64_t cost = 1;
};

/// A place in a program's text.
struct Place {
  std::string text;
  std::string root;
  const Type* type = nullptr;
  bool is_mutable = false;
};

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}
  std::string program();

 private:
  // ------------------------------------------------------------------------------------------------------- chance
  std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  bool likely(std::uint32_t percent) { return below(100) < percent; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }
  std::string one_of(std::initializer_list<const char*> all) { return all.begin()[below(all.size())]; }
  std::string fresh(const char* stem) { return stem + std::to_string(++names_); }

  // ------------------------------------------------------------------------------------------------------- lines
  void line(const std::string& text);
  /// Lines that `body` writes between `head` and `tail`, in a scope of their own; no tail: another block follows.
  void block(const std::string& head, const std::function<void()>& body, const std::string& tail = "}");

  // ------------------------------------------------------------------------------------------------------- scope
  void declare(Name name) { scope_.push_back(std::move(name)); }
  /// Whether a program may write this name here.
  [[nodiscard]] bool may_write(std::size_t index) const { return scope_[index].is_mutable && index >= writable_from_; }
  std::optional<Place> place(const std::function<bool(const Place&)>& wanted, unsigned tries = 14);
  std::optional<Place> readable(const Type& type);
  std::optional<Place> writable(const Type& type);
  Place descend(std::size_t index);
  std::string index_in(const std::string& length, std::uint64_t count);
  std::optional<std::size_t> view_or_owner(const std::function<bool(const Type&)>& element, bool writable);
  const Type& scalar();
  const Type& copyable();

  // ------------------------------------------------------------------------------------------------------- expressions
  /// An expression of the type; one that needs nothing around it to have that type.
  std::string value(const Type& type, unsigned depth = 0);
  std::string typed(const Type& type, unsigned depth = 0);
  std::string literal(const Type& type);
  std::string integer(const Type& type, unsigned depth);
  std::string floating(const Type& type, unsigned depth);
  std::string condition(unsigned depth = 0);
  std::string made(const Type& type, unsigned depth);
  std::string small_usize();
  std::optional<std::string> pure_call(const Type& type, unsigned depth);

  // ------------------------------------------------------------------------------------------------------- statements
  void statements(std::uint32_t count);
  void statement();
  void let();
  void let(const Type& type);
  void assignment();
  void compound();
  void branch();
  void leave();
  void match();
  void match_on(const std::string& subject, const Type& type);
  void call();
  void call(const Callee& callee, bool itself = false);
  void print();
  void check();
  void closure();
  void function_value();
  void dispatch();
  void deferred();
  void outcome();
  void text();
  void pairs();
  void rounding();
  void task();
  void generic();
  void fold_in(const std::string& name, const Type& type);
  // loops
  void for_loop();
  void while_loop();
  void element_loop();
  void array_loop();
  void nest();
  void region();
  void body(std::uint64_t turns, const std::function<void()>& inside);
  // owners
  void owner();
  void vector_step();
  void tree();
  void linear();
  void storage();

  // ------------------------------------------------------------------------------------------------------- functions
  void make_types();
  void make_traits();
  void function(std::uint32_t number);
  void entry();
  void fold_scope(std::size_t from);

  std::mt19937_64 random_;
  Types types_;
  std::string text_;
  unsigned indent_ = 0;
  std::uint32_t names_ = 0;

  std::vector<Name> scope_;
  std::size_t writable_from_ = 0;    // names before this one are outside a region or deferred
  std::vector<std::string> hidden_;  // roots that may not be named just now
  unsigned depth_ = 0, loops_ = 0;
  std::uint64_t weight_ = 1, cost_ = 0;  // how often the next statement runs; what was written costs
  bool pure_ = false;                    // of the function being written
  bool in_lane_ = false, in_closure_ = false, in_entry_ = false;
  bool leaves_allowed_ = true;
  const Type* result_ = nullptr;
  std::string accumulator_;  // a u64 that everything is folded into
  std::vector<Callee> callees_;
  bool risky_ = false;  // of the program: guards fail more often
  bool uses_pairs_ = false, uses_tasks_ = false;
};

}  // namespace cairn::tests::random
