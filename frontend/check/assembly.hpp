// Typed assembly as the checker leaves it (abstractions, 14.5). Operands are numbered in written order, outputs first.
#pragma once

#include "frontend/check/program.hpp"

namespace cairn::checked {

enum class AsmTarget : std::uint8_t { Ptx, X86_64, Aarch64 };

struct AsmOperand {
  Local* output = nullptr;      // an output: the local it binds
  const Expr* value = nullptr;  // an input, or what an output starts as (null: nothing)
  bool address = false;         // an array, passed by address; `value` is its view
};

struct AsmStmt : Stmt {
  AsmTarget target{};
  bool is_volatile = false;
  std::string_view capability;  // PTX: sm_N
  std::string_view text;        // the template
  List<const AsmOperand> operands;
  List<const std::string_view> clobbers;
  List<const std::string_view> effects;  // labels as written
};

}  // namespace cairn::checked
