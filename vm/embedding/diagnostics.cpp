// Diagnostics as data.
#include <nlohmann/json.hpp>

#include "frontend/diagnostics/render.hpp"
#include "vm/embedding/loading.hpp"

namespace cairn::embedding {

std::unique_ptr<cairn_diagnostics> diagnostics_of(const Verdict& verdict, const SourceMap& sources) {
  auto diagnostics = std::make_unique<cairn_diagnostics>();
  for (const Diagnostic& refusal : verdict.refusals) {
    cairn_diagnostics::One one;
    one.code = code_text(refusal);
    one.message = refusal.message;
    one.help = refusal.fix;
    one.file = refusal.file;
    if (const Location at = sources.locate(refusal.position); refusal.position && at.file != nullptr) {
      one.file = at.file->path;
      one.line = at.line;
      one.column = at.column;
    }
    diagnostics->all.push_back(std::move(one));
  }
  diagnostics->text = render_human(verdict, sources, false);
  diagnostics->json = text_of(record_of(verdict, sources), true);
  return diagnostics;
}

}  // namespace cairn::embedding

size_t cairn_diagnostics_count(const cairn_diagnostics* diagnostics) {
  return diagnostics == nullptr ? 0 : diagnostics->all.size();
}

cairn_diagnostic cairn_diagnostics_at(const cairn_diagnostics* diagnostics, size_t index) {
  if (diagnostics == nullptr || index >= diagnostics->all.size()) return {"", "", "", "", 0, 0};
  const auto& one = diagnostics->all[index];
  return {one.code.c_str(), one.message.c_str(), one.help.c_str(), one.file.c_str(), one.line, one.column};
}

const char* cairn_diagnostics_text(const cairn_diagnostics* diagnostics) {
  return diagnostics == nullptr ? "" : diagnostics->text.c_str();
}

const char* cairn_diagnostics_json(const cairn_diagnostics* diagnostics) {
  return diagnostics == nullptr ? "{}" : diagnostics->json.c_str();
}

void cairn_diagnostics_free(cairn_diagnostics* diagnostics) { delete diagnostics; }
