#include "runtime/trap/trap_record.hpp"

namespace cairn {

std::string render(const TrapRecord& record) {
  std::string text = record.message + "\n";
  if (!record.file.empty()) {
    text += "  --> " + record.file + ":" + std::to_string(record.line) + ":" + std::to_string(record.column) + "\n";
  }
  for (const std::string& note : record.notes) text += "  = note: " + note + "\n";
  return text;
}

}  // namespace cairn
