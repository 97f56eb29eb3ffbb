// What the bytecode says of the memory of a function's frame where a loop starts, at which control leaves SSA code and
// frames are taken up: which bytes are read from there on before they are written, and which objects may be reached by
// what was made before.
//
// A reference that a callee is lent ends with the call (ownership, chapter 02): only what a task, a region or an
// environment is given may be held for longer.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jit/optimizing/flow.hpp"

namespace cairn::jit::ssa {

class FrameMemory {
 public:
  FrameMemory(const bytecode::Module& module, const bytecode::Function& function);

  /// Whether some of the bytes may be read by what names them from the word on, before it writes them. What holds a
  /// reference to their object reads them as well.
  [[nodiscard]] bool is_read(std::uint32_t word, std::uint64_t offset, std::uint64_t bytes) const;
  /// Whether a slot that is alive at the word, or memory, may hold a reference to the object at that offset.
  [[nodiscard]] bool is_referred_to(std::uint32_t word, std::uint64_t object) const;

 private:
  using Set = std::vector<std::uint64_t>;

  void find_read();
  void find_referred();
  bool refer(const bytecode::Word* code);
  template <class Visit>
  void each_reference(const bytecode::Word* code, Visit visit) const;
  [[nodiscard]] bool begins_block(std::uint32_t word) const {
    return word < function_.code.size() && flow_.block_at(word) != bytecode::kNone;
  }
  [[nodiscard]] std::size_t index_of(std::uint64_t offset) const;
  [[nodiscard]] std::span<std::uint64_t> objects_in(std::uint32_t slot) {
    return {referred_.data() + slot * object_words_, object_words_};
  }

  const bytecode::Module& module_;
  const bytecode::Function& function_;
  const Flow flow_;
  std::size_t byte_words_ = 0;    // of a set of bytes; 0: too many to follow
  std::size_t object_words_ = 0;  // of a set of objects; 0: too many to follow
  Set read_;                      // by block of the flow: the bytes read from its start on
  Set referred_;                  // by slot: the objects it may ever refer to
  Set held_;                      // objects that memory may refer to
};

}  // namespace cairn::jit::ssa
