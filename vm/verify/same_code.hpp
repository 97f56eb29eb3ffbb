// Whether two functions of two modules are the same code: instruction by instruction, with everything they call, up to
// names of functions, parameters, locals, and positions. Tables are compared by what their entries are, not by index.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "vm/bytecode/module.hpp"

namespace cairn::verify {

class SameCode {
 public:
  SameCode(const bytecode::Module& left, const bytecode::Module& right) : left_(left), right_(right) {}

  [[nodiscard]] bool functions(std::uint32_t left, std::uint32_t right);

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  bool types(std::uint32_t left, std::uint32_t right);
  bool registers(const bytecode::RegisterType& left, const bytecode::RegisterType& right);
  bool signatures(std::uint32_t left, std::uint32_t right);
  bool tables(std::uint32_t left, std::uint32_t right);
  bool code(const bytecode::Function& left, const bytecode::Function& right);
  bool operands(const bytecode::Word* left, const bytecode::Word* right);

  const bytecode::Module& left_;
  const bytecode::Module& right_;
  // Pairs that are equal, or assumed to be while their parts are compared: recursive ones are when nothing refutes it.
  std::set<Pair> functions_;
  std::set<Pair> types_;
  std::set<Pair> signatures_;
};

}  // namespace cairn::verify
