#include "vm/bytecode/types.hpp"

namespace cairn::bytecode {

std::uint32_t scalar_size(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::Bool:
    case ScalarKind::U8:
    case ScalarKind::I8:
    case ScalarKind::F8E4M3:
    case ScalarKind::F8E5M2:
      return 1;
    case ScalarKind::U16:
    case ScalarKind::I16:
    case ScalarKind::F16:
    case ScalarKind::BF16:
      return 2;
    case ScalarKind::U32:
    case ScalarKind::I32:
    case ScalarKind::F32:
      return 4;
    case ScalarKind::U64:
    case ScalarKind::I64:
    case ScalarKind::F64:
      return 8;
  }
  return 0;
}

RegisterKind register_kind(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::F16:
    case ScalarKind::BF16:
      return RegisterKind::U16;
    case ScalarKind::F8E4M3:
    case ScalarKind::F8E5M2:
      return RegisterKind::U8;
    default:
      return static_cast<RegisterKind>(static_cast<unsigned>(RegisterKind::Bool) + static_cast<unsigned>(kind));
  }
}

}  // namespace cairn::bytecode
