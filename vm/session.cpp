#include "vm/session.hpp"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "cuda/gpus.hpp"
#include "frontend/check/device_needs.hpp"
#include "frontend/check/rows.hpp"
#include "frontend/report/receipt.hpp"
#include "frontend/support/sha256.hpp"
#include "stdlib/embedded.hpp"
#include "vm/device_choice.hpp"

namespace cairn {

namespace {

/// The text of a packaged module, made when it is first asked for.
const std::string* packaged_module(std::string_view name) {
  static std::map<std::string_view, std::string> texts;
  if (const auto known = texts.find(name); known != texts.end()) return &known->second;
  for (const EmbeddedModule& module : embedded_modules()) {
    if (module.name == name) return &texts.emplace(module.name, module.text).first->second;
  }
  return nullptr;
}

/// The same files, in the same order, each with the text that `text_of(number, file)` gives it.
template <class TextOf>
SourceMap rewritten(const SourceMap& sources, const TextOf& text_of) {
  SourceMap changed;
  for (std::uint32_t number = 0; number < sources.size(); ++number) {
    const SourceFile& file = sources.file(number);
    changed.add(file.path, text_of(number, file), file.library, file.own);
  }
  return changed;
}

SourceMap with(std::vector<Insertion> insertions, const SourceMap& sources) {
  std::ranges::sort(insertions, std::greater<>{}, &Insertion::offset);  // from the end, so that offsets hold
  return rewritten(sources, [&](std::uint32_t number, const SourceFile& file) {
    std::string text = file.text;
    for (const Insertion& each : insertions) {
      if (each.source == number) text.replace(std::min(each.offset, text.size()), each.replaced, each.text);
    }
    return text;
  });
}

/// An editor's unsaved texts stand for the project's files.
SourceMap with(const std::map<std::filesystem::path, std::string>& buffers, const SourceMap& sources,
               const Project& project) {
  return rewritten(sources, [&](std::uint32_t number, const SourceFile& file) {
    const auto known = std::ranges::find(project.files, number, &ProjectFile::source);
    if (known == project.files.end()) return file.text;
    std::error_code fault;
    const auto buffer = buffers.find(std::filesystem::weakly_canonical(known->path, fault));
    return fault || buffer == buffers.end() ? file.text : buffer->second;
  });
}

/// The leading source, then the project's files, whose numbers grow by one.
SourceMap led_by(const std::string& name, const std::string& text, const SourceMap& sources, Project& project) {
  SourceMap changed;
  const std::uint32_t leading = changed.add(name, text);
  for (std::uint32_t number = 0; number < sources.size(); ++number) {
    const SourceFile& file = sources.file(number);
    changed.add(file.path, file.text, file.library, file.own);
  }
  for (ProjectFile& file : project.files) ++file.source;
  project.files.insert(project.files.begin(), {leading, project.own_package(), {}});
  return changed;
}

void refuse_whole(Verdict& verdict, Diagnostic diagnostic) {
  verdict = Verdict{};
  verdict.refusals.push_back(std::move(diagnostic));
}

}  // namespace

std::unique_ptr<Session> Session::open(const std::filesystem::path& operand, const SessionOptions& options) {
  std::unique_ptr<Session> session = open_as(operand, options);
  if (!options.gpus || !session->lacks_target()) return session;
  std::vector<std::string> found;  // one for each kind of GPU
  for (const cuda::Gpu& gpu : options.gpus().found) {
    std::string target = gpu.target();
    if (std::ranges::find(found, target) == found.end()) found.push_back(std::move(target));
  }
  if (found.empty()) return session;
  if (found.size() > 1) {
    std::string kinds;
    for (const std::string& each : found) kinds += (kinds.empty() ? "" : ", ") + each;
    Diagnostic refusal;
    refusal.code = Code::Target;
    refusal.message = "There are GPUs of several kinds, " + kinds + ": name the one to run on with --device-target.";
    refuse_whole(session->compilation_.verdict, std::move(refusal));
    return session;
  }
  SessionOptions named = options;
  named.device_target = found.front();
  return open_as(operand, named);
}

bool Session::lacks_target() const {
  if (!device_target_.empty()) return false;
  if (accepted()) return checked::has_device_work(program());
  return verdict().refusals.front().code == Code::Target;
}

std::unique_ptr<Session> Session::open_as(const std::filesystem::path& operand, const SessionOptions& options) {
  std::unique_ptr<Session> session(new Session());
  Verdict& verdict = session->compilation_.verdict;
  auto project = load_project(operand, session->compilation_.sources);
  if (!project) {
    refuse_whole(verdict, std::move(project.error()));
    return session;
  }
  session->project_ = std::move(*project);
  if (!options.insertions.empty()) session->compilation_.sources = with(options.insertions, session->sources());
  if (!options.buffers.empty()) {
    session->compilation_.sources = with(options.buffers, session->sources(), *session->project_);
  }
  if (!options.leading_name.empty()) {
    session->compilation_.sources =
        led_by(options.leading_name, options.leading_text, session->sources(), *session->project_);
  }
  session->check(options);
  return session;
}

std::unique_ptr<Session> Session::open_text(std::string name, std::string text, const SessionOptions& options) {
  std::unique_ptr<Session> session(new Session());
  SourceMap& sources = session->compilation_.sources;
  Project& project = session->project_.emplace();
  project.manifest.name = name;
  project.packages.emplace_back();
  project.files.push_back({sources.add(std::move(name), std::move(text)), project.own_package(), {}});
  session->check(options);
  return session;
}

void Session::check(const SessionOptions& options) {
  Verdict& verdict = compilation_.verdict;
  if (!options.host_module.empty()) compilation_.sources.add("host.cairn", options.host_module, false, false);
  CheckOptions check;
  check.want_main = options.wants_main;
  check.generics = options.generics;
  check.emulate = options.emulate;
  check.packaged = packaged_module;
  check.device_target = options.device_target.empty() ? project_->manifest.device_target : options.device_target;
  device_target_ = check.device_target;
  emulate_ = options.emulate;
  gpus_ = options.gpus;
  check_program(compilation_, check);
  if (verdict.accepted()) judge_foreign_symbols();
  if (verdict.accepted() && options.emulate) judge_foreign_emulation();
  if (options.first_only && verdict.refusals.size() > 1) verdict.refusals.resize(1);
  if (options.first_only) {
    verdict.not_judged = 0;
    verdict.stopped_by.clear();
  }
}

std::unique_ptr<Session> Session::open_library() {
  std::unique_ptr<Session> session(new Session());
  std::string imports;
  for (const EmbeddedModule& module : embedded_modules()) imports += "import " + std::string(module.name) + ";\n";
  session->compilation_.sources.add("library.cairn", std::move(imports));
  CheckOptions check;
  check.packaged = packaged_module;
  check_program(session->compilation_, check);
  return session;
}

/// Every symbol a vendored source is said to define is declared by an extern of the project (abstractions, 14.3).
void Session::judge_foreign_symbols() {
  for (const ForeignSource& source : project_->manifest.foreign) {
    for (const std::string& symbol : source.symbols) {
      const bool is_declared = std::ranges::any_of(program().functions, [&](const auto& function) {
        return function->kind == checked::FunctionKind::Extern && function->symbol == symbol;
      });
      if (is_declared) continue;
      refuse_whole(compilation_.verdict, no_verdict(source.path + " is said to define " + symbol +
                                                    ", which no extern of this project declares."));
      return;
    }
  }
}

/// Vendored CUDA has no meaning on the host (devices, 19).
void Session::judge_foreign_emulation() {
  for (const ForeignSource& source : project_->manifest.foreign) {
    if (!source.path.ends_with(".cu")) continue;
    Diagnostic refusal;
    refusal.code = Code::Emulate;
    refusal.message =
        source.path +
        " is vendored CUDA. Emulation refuses what the host cannot run as the device would: build for the "
        "device to run it.";
    refuse_whole(compilation_.verdict, std::move(refusal));
    return;
  }
}

bool Session::is_emulated() const { return emulate_ && checked::has_device_work(program()); }

std::optional<Diagnostic> Session::judge_device_target() const {
  if (!device_target_.empty() || !checked::has_device_work(program())) return std::nullopt;
  Diagnostic refusal;
  refusal.code = Code::Target;
  refusal.message =
      "This program has device work, and no device target is known: name one with --device-target sm_90, or as "
      "device_target in the manifest's [build]; --emulate then runs its device work on host threads.";
  return refusal;
}

std::optional<Diagnostic> Session::judge_device() const {
  if (emulate_ || !checked::has_device_work(program())) return std::nullopt;
  if (auto refusal = judge_device_target()) return refusal;
  const auto why = why_not_run_on_device(gpus_ ? gpus_() : cuda::Gpus{}, device_target_);
  if (!why) return std::nullopt;
  return no_verdict("This program has device work, and " + *why +
                    ". Run it where there is one, or with --emulate on host threads.");
}

std::optional<Diagnostic> Session::judge_board() const {
  const std::string& board = project_->manifest.target;
  if (board == "hosted") return std::nullopt;
  for (const checked::Function* test : program().tests) {
    Diagnostic refusal;
    refusal.code = Code::Test;
    refusal.message = "Tests need a host to run on, and the project's target is " + board + ".";
    refusal.position = test->declaration->as<syntax::TestDecl>().body->span.begin;
    return refusal;
  }
  for (const auto& function : program().functions) {
    if (function->row == nullptr || !is_listed(*function)) continue;
    for (const std::string& label : checked::texts(*function->row, *function, compilation_.names)) {
      const bool needs_host = label == "alloc" || label == "free" || label == "io" || label.starts_with("gpu_") ||
                              label.starts_with("transfer:") || label.starts_with("par:") || label.starts_with("ffi:");
      if (!needs_host) continue;
      return no_verdict("The target " + board + " has no host, and " + std::string(function->name) +
                        " has the effect " + label + ".");
    }
  }
  return std::nullopt;
}

Session::Counts Session::counts() const {
  Counts counts;
  for (const auto& function : program().functions) {
    if (!is_listed(*function)) continue;
    ++counts.functions;
    if (function->library) ++counts.library;
  }
  return counts;
}

std::expected<lower::Lowered, Diagnostic> Session::lower(const lower::Options& options) const {
  lower::Lowered lowered = lower::lower_program(compilation_, options);
  if (checked::has_device_work(program())) {
    (emulate_ ? lowered.module.emulated_for : lowered.module.built_for) = device_target_;
  }
  if (lowered.failure.empty()) return lowered;
  Diagnostic refusal = no_verdict("This build cannot run the program: " + lowered.failure + ".");
  if (lowered.assembly_failed) {
    refusal.code = Code::AsmTarget;
    refusal.message = "The program cannot start: " + lowered.failure + ".";
  }
  refusal.position = lowered.failed_at;
  return std::unexpected(std::move(refusal));
}

std::vector<const checked::Function*> Session::own_functions() const {
  std::vector<const checked::Function*> functions;
  for (const auto& function : program().functions) {
    const SourceFile* file = sources().file_at(function->position);
    const bool is_own = file != nullptr && file->own && function->kind == checked::FunctionKind::Function;
    if (is_own) functions.push_back(function.get());
  }
  return functions;
}

std::vector<const checked::Function*> Session::exported_functions() const {
  std::vector<const checked::Function*> exported;
  for (const checked::Function* function : own_functions()) {
    const bool is_main = function->name == "main" || function->name.ends_with(".main");
    if (function->arguments.empty() && is_exported(*function->declaration) && !is_main) exported.push_back(function);
  }
  return exported;
}

std::string Session::source_text() const {
  std::string all;
  for (const ProjectFile& each : project_->files) all += sources().file(each.source).text + "\n";
  return all;
}

std::string Session::source_digest() const { return sha256_hex(source_text()); }

nlohmann::ordered_json Session::project_record() const {
  nlohmann::ordered_json record;
  record["name"] = project_->manifest.name;
  record["kind"] = text(project_->manifest.kind);
  nlohmann::ordered_json own = nlohmann::ordered_json::array();
  nlohmann::ordered_json vendored = nlohmann::ordered_json::array();
  for (const ProjectFile& each : project_->files) {
    const SourceFile& file = sources().file(each.source);
    (file.own ? own : vendored).push_back({{"path", file.path}, {"sha256", sha256_hex(file.text)}});
  }
  record["sources"] = std::move(own);
  if (!vendored.empty()) record["dependencies"] = std::move(vendored);
  return record;
}

}  // namespace cairn
