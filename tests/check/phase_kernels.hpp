// Random cooperative kernels, and what brute force says of them: every thread is run on its own, every pair of accesses
// of one phase is compared. It shares nothing with the checker but the text of the kernel.
//
// What a program cannot know is tried: symbols have several values; a condition on them goes either way, the whole
// block together; a condition on data goes both ways in each thread.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cairn::tests {

/// What a kernel may be made of.
struct KernelMix {
  bool symbols = false;   // the block name and a parameter in indexes
  bool unknown = false;   // conditions on symbols and data, indexes from data
  bool endless = false;   // loops of unknown count
  bool unzeroed = false;  // arrays nobody zeroes
};

class PhaseKernel {
 public:
  PhaseKernel(std::uint64_t seed, KernelMix mix);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Whether some index, or some loop's count, is not a number.
  [[nodiscard]] bool has_limits() const { return has_limits_; }
  /// Whether the block may go more ways than the rule keeps apart: of several ways judged as one it finds more pairs,
  /// never fewer.
  [[nodiscard]] bool merges_ways() const { return merges_ways_; }

  struct Race {
    unsigned line = 0;  // of either access
    bool both_write = false;
    bool mixed = false;
    friend auto operator<=>(const Race&, const Race&) = default;
  };
  struct Verdict {
    std::set<Race> races;          // both lines of every pair
    std::set<unsigned> unwritten;  // lines of reads of what nobody surely wrote
    bool is_real = false;          // some of it is at an element that the array has
    bool is_sampled = false;       // not every choice of what is unknown was tried
  };
  [[nodiscard]] Verdict brute_force() const;

  static constexpr unsigned kThreads = 32;

 private:
  friend class KernelMaker;
  friend class BlockRun;

  struct Index {
    enum class Kind : std::uint8_t { Constant, Column, Row, Loop, Name, Block, Parameter, Count, Data, Binary };
    Kind kind = Kind::Constant;
    std::uint64_t value = 0;  // Constant; Loop, Name and Count (of a loop's turns): which
    char op = 0;              // Binary: + - * / % m (min) M (max) ^
    std::vector<Index> operands;
  };
  struct Condition {
    enum class Kind : std::uint8_t { Compare, Symbol, Data, And, Or };
    Kind kind = Kind::Compare;
    std::string op;
    std::vector<Index> operands;
    std::vector<Condition> parts;
  };
  struct Step {
    enum class Kind : std::uint8_t { Write, Read, Update, Look, Poke, Barrier, If, For, Let, Break, Continue };
    Kind kind = Kind::Barrier;
    unsigned line = 0;
    unsigned array = 0;
    unsigned name = 0;  // Let: which; For: which loop
    Index index;        // For, Look and Poke (parts lent ro and rw): where it ends
    Index lo;
    Condition condition;
    std::vector<Step> body;
    std::vector<Step> otherwise;
  };

  std::string text_;
  bool has_limits_ = false;
  bool merges_ways_ = false;
  bool has_symbols_ = false;
  unsigned arrays_ = 1;
  std::vector<std::uint64_t> lengths_;
  std::vector<bool> zeroed_;
  unsigned columns_ = kThreads;  // the first thread extent
  unsigned names_ = 0;
  unsigned loops_ = 0;
  std::vector<Step> steps_;
};

}  // namespace cairn::tests
