// Lowering: a checked program becomes a module of bytecode. Only what the roots reach is lowered, every instance once,
// in the order in which it is first met, so that equal programs give equal modules.
#pragma once

#include <string>
#include <vector>

#include "frontend/frontend.hpp"
#include "vm/bytecode/module.hpp"

namespace cairn::lower {

struct Options {
  bool entry = true;                            // Program::main is a root, and the module's entry
  bool tests = false;                           // every test is a root
  bool keep_guards = false;                     // of those proved unable to fail too (Function::proved stays empty)
  std::vector<const checked::Function*> roots;  // further ones: what an embedding host may call
};

struct Lowered {
  bytecode::Module module;
  /// Why some function could not be expressed, and where; empty when all was.
  std::string failure;
  bool assembly_failed = false;  // the failure is E-ASM-TARGET: instructions this machine cannot be given
  Position failed_at;
  /// Index in the module of each of Options::roots.
  std::vector<std::uint32_t> roots;
};

[[nodiscard]] Lowered lower_program(const Compilation& compilation, const Options& options);

}  // namespace cairn::lower
