#include "runtime/trap/trap.hpp"

namespace cairn {

std::string_view trap_kind_name(TrapKind kind) {
  switch (kind) {
    case TrapKind::None:
      return "none";
    case TrapKind::Bounds:
      return "bounds";
    case TrapKind::Overflow:
      return "overflow";
    case TrapKind::Division:
      return "division";
    case TrapKind::Conversion:
      return "conversion";
    case TrapKind::Shift:
      return "shift";
    case TrapKind::ViewEntry:
      return "view_entry";
    case TrapKind::Disjointness:
      return "disjointness";
    case TrapKind::EnumEntry:
      return "enum_entry";
    case TrapKind::Tag:
      return "tag";
    case TrapKind::Callable:
      return "callable";
    case TrapKind::Assert:
      return "assert";
    case TrapKind::Layout:
      return "layout";
    case TrapKind::Fragment:
      return "fragment";
    case TrapKind::Wide:
      return "wide";
    case TrapKind::Reference:
      return "reference";
    case TrapKind::Allocation:
      return "allocation";
    case TrapKind::Group:
      return "group";
    case TrapKind::Ring:
      return "ring";
    case TrapKind::Order:
      return "order";
    case TrapKind::Mutex:
      return "mutex";
    case TrapKind::Lanes:
      return "lanes";
    case TrapKind::Quantize:
      return "quantize";
    case TrapKind::Matrix:
      return "matrix";
    case TrapKind::Abs:
      return "abs";
    case TrapKind::Shuffle:
      return "shuffle";
    case TrapKind::Pipeline:
      return "pipeline";
    case TrapKind::Stack:
      return "stack";
    case TrapKind::Thread:
      return "thread";
    case TrapKind::Foreign:
      return "foreign";
    case TrapKind::Device:
      return "device";
    case TrapKind::Limit:
      return "limit";
    case TrapKind::Interrupt:
      return "interrupt";
  }
  return "none";
}

}  // namespace cairn
