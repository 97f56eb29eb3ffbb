#include "vm/language_server/analysis.hpp"

#include <algorithm>

#include "frontend/diagnostics/render.hpp"

namespace cairn::lsp {

namespace fs = std::filesystem;

namespace {

fs::path plain(const fs::path& path) {
  std::error_code fault;
  fs::path absolute = fs::weakly_canonical(path, fault);
  return fault ? path.lexically_normal() : absolute;
}

/// The manifest that lists the document among its sources, looking upwards from where it lies.
std::optional<fs::path> manifest_of(const fs::path& document) {
  for (fs::path folder = document.parent_path(); !folder.empty(); folder = folder.parent_path()) {
    std::error_code fault;
    if (fs::exists(folder / "cairn.toml", fault)) {
      SourceMap sources;
      const auto project = load_project(folder / "cairn.toml", sources);
      const auto is_document = [&](const ProjectFile& file) { return plain(file.path) == document; };
      if (project && std::ranges::any_of(project->files, is_document)) return folder / "cairn.toml";
      return std::nullopt;
    }
    if (folder == folder.parent_path()) break;
  }
  return std::nullopt;
}

}  // namespace

Analysis::Analysis(const fs::path& path, const Buffers& buffers) : document_(plain(path)) {
  SessionOptions options;
  options.emulate = true;
  for (const auto& [each, text] : buffers) options.buffers[plain(each)] = text;
  if (const auto manifest = manifest_of(document_)) {
    session_ = Session::open(*manifest, options);
  } else {
    const auto open = options.buffers.find(document_);
    session_ = Session::open_text(document_.filename().string(), open == options.buffers.end() ? "" : open->second, {});
  }
  if (session_->project()) {
    for (const ProjectFile& file : session_->project()->files) {
      files_[file.source] = file.path.empty() ? document_ : plain(file.path);
    }
  }
}

std::optional<std::uint32_t> Analysis::file_number(const fs::path& path) const {
  const fs::path wanted = plain(path);
  for (const auto& [number, each] : files_) {
    if (each == wanted) return number;
  }
  return std::nullopt;
}

std::optional<Analysis::Place> Analysis::place_of(Position position) const {
  if (!position) return std::nullopt;
  for (std::uint32_t number = 0; number < sources().size(); ++number) {
    const SourceFile& file = sources().file(number);
    if (position.offset < file.begin || position.offset > file.begin + file.text.size()) continue;
    Place place{&file, std::nullopt, position.offset - file.begin};
    if (const auto known = files_.find(number); known != files_.end()) place.path = known->second;
    return place;
  }
  return std::nullopt;
}

std::map<fs::path, nlohmann::json> Analysis::diagnostics() const {
  std::map<fs::path, nlohmann::json> all;
  for (const auto& [number, path] : files_) all[path] = nlohmann::json::array();
  all[document_];
  if (all[document_].is_null()) all[document_] = nlohmann::json::array();
  for (const Diagnostic& refusal : session_->verdict().refusals) {
    const std::string code(code_text(refusal));
    nlohmann::json one = {{"severity", 1}, {"source", "cairn"}, {"code", code}};
    one["message"] = refusal.message + (refusal.fix.empty() ? "" : "\n" + refusal.fix);
    one["codeDescription"] = {{"href", "cairn:rules/" + std::string(info(refusal.code).card)}};
    fs::path path = document_;
    one["range"] = range_of("", 0, 0);
    if (const auto place = place_of(refusal.position); place && place->path) {
      path = *place->path;
      one["range"] = range_of(place->file->text, place->offset, token_end(place->file->text, place->offset));
    }
    all[path].push_back(std::move(one));
  }
  return all;
}

}  // namespace cairn::lsp
