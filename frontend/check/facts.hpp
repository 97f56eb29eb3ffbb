// Facts about usize values (concurrency, 7.3): differences `x - y <= k` between atoms, learned from binders, immutable
// lets and conditions of the checked tree. They place indices in blocks and tell which guards cannot fail.
//
// What is learned is only noted: it is turned into facts when something asks, so bodies without lanes pay a push per
// binder. `mark` and `drop` bracket a block; what is learned later never changes what was derived before.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "frontend/check/program.hpp"

namespace cairn {

class Facts {
 public:
  using Node = const checked::Expr*;

  /// `edges` of facts may be followed: past them every question is answered no.
  explicit Facts(std::size_t edges = std::numeric_limits<std::size_t>::max()) : edges_left_(edges) {}

  [[nodiscard]] std::size_t mark() const { return learned_.size(); }
  void drop(std::size_t mark);

  /// lo <= binder < hi; no `lo` is 0.
  void binds(const checked::Local& binder, Node lo, Node hi);
  /// An immutable local is a value.
  void equals(const checked::Local& local, Node value);
  /// local <= value.
  void at_most(const checked::Local& local, Node value);
  /// A condition is known to hold, or not to.
  void holds(Node condition, bool truth);

  /// The stride of the block of lane `binder` that an index lies in; none when it cannot be placed.
  [[nodiscard]] std::optional<std::uint64_t> stride_of(Node index, const checked::Local& binder);
  /// The same of a part.
  [[nodiscard]] std::optional<std::uint64_t> stride_of(Node lo, Node hi, const checked::Local& binder);

  /// Whether an index is known to be below the length of an array, so that its guard cannot fail.
  [[nodiscard]] bool below_length(Node index, Node array);
  /// Whether left + right is known to fit, and left - right not to be negative.
  [[nodiscard]] bool sum_fits(Node left, Node right);
  [[nodiscard]] bool difference_fits(Node left, Node right);
  /// The largest value an unsigned expression can have by its width, literals, &, %, /, min and conversions.
  [[nodiscard]] static std::uint64_t largest_value(Node value, unsigned depth = 0);

 private:
  __extension__ using Wide = __int128;

  enum class AtomKind : std::uint8_t { Zero, Path, Length, Product };
  struct Atom {
    AtomKind kind{};
    const checked::Local* root = nullptr;
    std::vector<std::uint32_t> fields;
    std::uint32_t base = 0;    // Product
    std::uint64_t stride = 0;  // Product
    friend auto operator<=>(const Atom&, const Atom&) = default;
  };
  struct Term {  // an atom and a constant
    std::uint32_t atom = 0;
    Wide constant = 0;
    friend bool operator==(const Term&, const Term&) = default;
  };
  struct Fact {  // left - right <= bound
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    Wide bound = 0;
  };
  struct Learned {
    enum class Kind : std::uint8_t { Binds, Equals, AtMost, Holds } kind{};
    bool truth = false;
    const checked::Local* local = nullptr;
    Node first = nullptr;
    Node second = nullptr;
  };
  /// At most four terms, no two alike.
  class Terms {
   public:
    void add(const Term& term);
    [[nodiscard]] const Term* begin() const { return terms_; }
    [[nodiscard]] const Term* end() const { return terms_ + count_; }

   private:
    Term terms_[4];
    std::uint8_t count_ = 0;
  };

  void derive();
  void derive(const Learned& learned);
  void derive_binder(const Learned& learned);
  void derive_condition(Node condition, bool truth);
  void derive_comparison(checked::BinaryOp op, Node left, Node right);
  void below(Node left, Node right, Wide by);
  void add_fact(std::uint32_t left, std::uint32_t right, Wide bound);

  std::uint32_t intern(const Atom& atom);
  std::optional<std::uint32_t> path_atom(Node place);
  std::uint32_t local_atom(const checked::Local& local);
  std::uint32_t product_atom(std::uint32_t base, std::uint64_t stride);
  std::optional<Term> length_term(Node array);
  std::optional<Term> exact(Node value, unsigned depth = 0);
  std::optional<Term> exact_of_operation(const checked::BinaryExpr& operation, unsigned depth);
  Terms upper(Node value, unsigned depth = 0);
  Terms lower(Node value, unsigned depth = 0);
  void upper_of_sum(const checked::BinaryExpr& sum, Terms& terms, unsigned depth);

  /// The least k known with left <= right + k.
  std::optional<Wide> distance(std::uint32_t left, std::uint32_t right);
  struct Edge {  // to <= from + bound, or backwards from <= to + bound
    std::uint32_t to = 0;
    Wide bound = 0;
  };
  enum class Way : std::uint8_t { Forward, Backward };
  using Distances = std::unordered_map<std::uint32_t, Wide>;
  /// The shortest ways from an atom, or to it; none when they lie on a negative cycle.
  std::optional<Distances> search(std::uint32_t start, Way way, std::uint64_t stride);
  void edges_of(std::uint32_t atom, Way way, std::uint64_t stride, std::vector<Edge>& edges);
  void note_stride(std::uint32_t atom, std::int32_t by);
  [[nodiscard]] bool at_most(std::uint32_t left, std::uint32_t right, Wide by);
  [[nodiscard]] bool at_most(const Term& left, const Term& right, Wide by = 0);
  std::vector<std::uint64_t> candidates(std::uint32_t binder, std::span<const Node> values);
  bool starts_in_block(Node lo, std::uint32_t block);
  bool ends_in_block(Node hi, std::uint32_t block, Wide room);

  std::size_t edges_left_;
  std::vector<Learned> learned_;
  std::vector<std::size_t> fact_marks_;  // by derived entry of learned_: facts before it
  std::vector<Fact> facts_;
  std::vector<std::vector<Edge>> leaving_;         // by atom: what facts say of atoms against it
  std::vector<std::vector<Edge>> entering_;        // the same backwards
  std::map<std::uint64_t, std::int32_t> strides_;  // of products in facts, with how often each occurs
  std::vector<Atom> atoms_;
  std::map<Atom, std::uint32_t> atom_numbers_;
};

/// An expression that is a name: its local; null otherwise.
[[nodiscard]] const checked::Local* named_local(const checked::Expr* value);

}  // namespace cairn
