// The state of the vectorizer (vectorize.cpp): what it finds of a loop, and what it makes of it.
#pragma once

#include <array>

#include "jit/ssa/alias.hpp"
#include "jit/ssa/flow.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/prover.hpp"
#include "jit/ssa/strip.hpp"

namespace cairn::jit::ssa {

/// What a conversion to floats is made of on lanes as wide as the result: its source, or what is converted as if it
/// were wider. None: there is no such kind.
[[nodiscard]] Kind lanes_converted(const Function& function, const Instruction& instruction);
/// Whether the operation has a form on vectors of its kind.
[[nodiscard]] bool has_vectors(const Function& function, const Instruction& instruction);

class Vectorizer {
 public:
  Vectorizer(Function& function, const Context& context)
      : f_(function),
        context_(context),
        dominators_(function),
        loops_(function, dominators_),
        aliases_(function, context.module),
        prover_(function, dominators_) {}

  bool run();
  /// Whether the innermost loop around the block would be done as vectors.
  bool takes_loop_around(BlockId block);

 private:
  enum class Class : std::uint8_t { Outside, Linear, Vector, Mask, Address, Unfit };

  /// What a load or store reaches: `offset` bytes behind base + index * stride. A stride of two elements is that of
  /// records of two.
  struct Place {
    Value base = kNoValue, index = kNoValue;
    std::uint32_t stride = 0;
    std::int64_t offset = 0;
  };

  // ---- what the loop is (vectorize.cpp)
  bool loop(std::uint32_t index);
  bool is_fit(std::uint32_t index);
  bool find_blocks(const Loop& loop);
  bool find_counter();
  bool find_carried();
  bool find_kept(Value phi, Value next);
  bool find_sum(Value phi, Value next);
  bool classify();
  bool classify(Value value);
  bool classify_access(Value value);
  bool classify_condition();
  bool takes(std::uint32_t size) {
    if (size_ == 0) size_ = size;
    return size_ == size;
  }
  [[nodiscard]] bool is_outside(Value value) const {
    const BlockId block = f_.at(value).block;
    return block != body_ && block != keep_ && block != latch_;
  }
  [[nodiscard]] Class class_of(Value value) const { return is_outside(value) ? Class::Outside : classes_[value]; }
  /// Whether the value is the counter and something that does not change: one more in each iteration.
  [[nodiscard]] bool is_linear(Value value) const { return class_of(value) == Class::Linear; }
  bool is_operand(Value value);
  /// An index as what does not change and a number, without the counter.
  struct Index {
    std::vector<Value> added, taken;
    Number number = 0;
  };
  void index_of(Value value, Index& index) const;
  [[nodiscard]] Index whole_index_of(const Place& place) const;
  bool find_place(const Instruction& i, Place& place);
  /// Of records: which of the two elements.
  [[nodiscard]] std::size_t element_of(const Place& place) const {
    return static_cast<std::size_t>(place.offset % stride_) / size_;
  }
  bool independent();
  bool independent(Value store);

  // ---- what becomes of it (vectorize_make.cpp)
  /// Records of two elements, two vectors of them: each element apart. The order of lanes is Unzip's, everywhere in the
  /// loop the same.
  struct Records {
    Place place;
    Value address = kNoValue;
    std::array<Value, 2> loaded{}, elements{};
  };
  void make();
  void copy(Value value);
  void copy_access(Value value);
  Records& records_at(Place place);
  Value load_element(Instruction i);
  void store_element(Instruction i, Value vector);
  void keep();
  Value put(BlockId block, Instruction i);
  Value number(std::int64_t immediate);
  Value binary(BlockId block, Opcode op, Kind kind, Value a, Value b, std::uint8_t lanes = 1);
  Value operand(Value value, Kind kind);

  /// A phi of the loop's start that is no counter, what the vectors have of it, and what comes next.
  struct Carried {
    Value phi = kNoValue, next = kNoValue;
    Value copy = kNoValue, behind = kNoValue;
  };

  Function& f_;
  const Context& context_;
  const Dominators dominators_;
  const Loops loops_;
  const Aliases aliases_;
  Prover prover_;
  BlockId before_ = 0;
  // One block, or one that leads to another or past it, and where they meet.
  BlockId body_ = 0, keep_ = 0, latch_ = 0;
  CountedLoop counted_;
  std::vector<Carried> sums_;  // of floats, in the order of the elements
  Carried kept_;               // how many elements were stored on condition; `step`: one more
  Value kept_step_ = kNoValue, kept_store_ = kNoValue;
  Kind condition_ = Kind::None;  // of the lanes that are compared
  std::vector<Class> classes_;
  std::vector<Value> accesses_;
  std::uint32_t size_ = 0;    // of an element
  std::uint32_t stride_ = 0;  // from one index to the next
  std::uint32_t bytes_ = 0;   // of a vector
  bool is_narrow_ = false;    // some operation has no form for 64 bytes
  bool has_counts_ = false;   // some operand is the counter of each lane
  bool is_dear_ = false;      // some operation takes longer than putting lanes in order
  // While it is made.
  BlockId vectors_ = 0;
  std::uint8_t lanes_ = 0;
  std::vector<Value> copies_, lifted_;  // by value: its copy, as a vector's lanes
  std::vector<Records> records_;
  Value iota_ = kNoValue;
};

}  // namespace cairn::jit::ssa
