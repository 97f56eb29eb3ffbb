#include "frontend/project/project.hpp"

#include <map>
#include <system_error>

#include "frontend/project/files.hpp"
#include "frontend/project/module_scan.hpp"

namespace cairn {

namespace fs = std::filesystem;

namespace {

Diagnostic failure(Code code, std::string message, std::string file) {
  Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = std::move(message);
  diagnostic.file = std::move(file);
  return diagnostic;
}

bool is_standard_module(std::string_view name) { return name == "std" || name.starts_with("std."); }

/// Loads one project and what it depends on. A fault is thrown as a Refusal and caught in load_project.
class Loader {
 public:
  explicit Loader(SourceMap& sources) : sources_(sources) {}

  Project single_file(const fs::path& file) {
    project_.operand = file;
    project_.root = parent_of(file);
    project_.manifest.name = file.stem().string();
    project_.manifest.sources = {file.filename().string()};
    project_.manifest.kind = ProjectKind::Executable;
    project_.packages.push_back({project_.manifest.name, project_.root, ""});
    add_source(file, file.filename().string(), true);
    return std::move(project_);
  }

  Project from_manifest(const fs::path& manifest) {
    project_.operand = manifest;
    project_.root = parent_of(manifest);
    project_.has_manifest = true;
    project_.manifest = read_manifest(manifest, manifest.filename().string());
    check_inputs(project_.manifest);
    directories_[project_.manifest.name] = "";
    for (const auto& [name, directory] : project_.manifest.dependencies) dependency(name, directory, 1);
    compose({project_.manifest.name, project_.root, ""}, project_.manifest, true);
    return std::move(project_);
  }

 private:
  static fs::path parent_of(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
  }

  [[noreturn]] static void fail(std::string message) { refuse(no_verdict(std::move(message))); }

  static Manifest read_manifest(const fs::path& path, const std::string& shown) {
    const auto text = read_file(path, kMostManifestBytes);
    if (!text) fail(shown + " cannot be read: " + text.error() + ".");
    auto manifest = parse_manifest(*text, shown);
    if (!manifest) refuse(std::move(manifest.error()));
    return std::move(*manifest);
  }

  /// Contract files and vendored sources are read later, by those who need them; here they only have to exist.
  void check_inputs(const Manifest& manifest) {
    for (const std::string& path : manifest.tests) inside(path, "project.tests");
    for (const ForeignSource& source : manifest.foreign) inside(source.path, "foreign");
  }

  void inside(const std::string& path, std::string_view key) {
    const std::string why = not_inside(project_.root, path, false);
    if (!why.empty()) fail(std::string(key) + ": " + path + " " + why + ".");
  }

  /// Loads the project in `directory` (relative to the root project) after those it depends on; once.
  void dependency(const std::string& name, const std::string& directory, int depth) {
    const std::string named = "dependency " + name + " (" + directory + ")";
    if (depth > kDeepestDependency) {
      fail(named + " is more than " + std::to_string(kDeepestDependency) + " dependencies deep.");
    }
    const std::string why = not_inside(project_.root, directory, true);
    if (!why.empty()) fail(named + " " + why + ".");
    const auto [known, fresh] = directories_.try_emplace(name, directory);
    if (!fresh && known->second == directory) return;
    if (!fresh) {
      fail(named + ": the build already has a project " + name + ", " +
           (known->second.empty() ? std::string("the root project") : "in " + known->second) +
           "; one name is one directory.");
    }
    const fs::path folder = project_.root / directory;
    const std::string shown = directory + "/cairn.toml";
    const std::string no_manifest = not_inside(project_.root, shown, false);
    if (!no_manifest.empty()) fail(named + ": " + shown + " " + no_manifest + ".");
    const Manifest manifest = read_manifest(folder / "cairn.toml", shown);
    if (manifest.name != name) fail(named + " calls itself " + manifest.name + "; both names must be the same.");
    if (!manifest.foreign.empty()) fail(named + " has a [foreign] table, which only the root project may have.");
    for (const std::string& path : manifest.tests) {
      const std::string missing = not_inside(folder, path, false);
      if (!missing.empty()) fail(shown + ": project.tests: " + path + " " + missing + ".");
    }
    for (const auto& [inner, path] : manifest.dependencies) dependency(inner, directory + "/" + path, depth + 1);
    compose({name, folder, directory}, manifest, false);
  }

  void compose(Package package, const Manifest& manifest, bool own) {
    project_.packages.push_back(std::move(package));
    const Package& owner = project_.packages.back();
    for (const std::string& path : manifest.sources) {
      const std::string shown = owner.shown.empty() ? path : owner.shown + "/" + path;
      const std::string why = not_inside(owner.directory, path, false);
      if (!why.empty()) fail("source " + shown + " " + why + ".");
      add_source(owner.directory / path, shown, own);
    }
  }

  void add_source(const fs::path& path, const std::string& shown, bool own) {
    auto text = read_file(path, kMostSourceBytes);
    if (!text) {
      std::error_code ignored;
      if (fs::file_size(path, ignored) > kMostSourceBytes && !ignored) refuse(too_much_source());
      refuse(failure(Code::ResourceOrIo, shown + " cannot be read: " + text.error() + ".", shown));
    }
    total_bytes_ += text->size();
    if (total_bytes_ > kMostSourceBytes) refuse(too_much_source());
    if (!is_utf8(*text)) refuse(failure(Code::ResourceOrIo, shown + " is not UTF-8 text.", shown));
    judge_modules(*text, shown, own);
    const std::uint32_t source = sources_.add(shown, std::move(*text), false, own);
    project_.files.push_back({source, project_.own_package(), path});
  }

  static Diagnostic too_much_source() {
    return failure(Code::SourceLimit,
                   "All sources together have more than " + std::to_string(kMostSourceBytes) +
                       " bytes, the most a program may have. Split the program.",
                   "");
  }

  /// Whose module each declaration of the file falls into (13.3): nobody declares `std`, and a module belongs to one
  /// project.
  void judge_modules(std::string_view text, const std::string& shown, bool own) {
    if (own && project_.packages.size() == 1 && !text.contains("module")) return;  // the common file: nothing to find
    const ModuleScan scan = scan_modules(text);
    const std::uint32_t package = project_.own_package();
    if (scan.declares_before_header) {
      if (!own) {
        fail(shown +
             " declares something outside a module; a library is modules only, so each of its files starts with "
             "a module header.");
      }
      if (open_module_owner_ != package && !open_module_.empty()) refuse_reopened(open_module_, package, shown);
      if (open_module_.empty()) claim("", package, shown);
    }
    for (const std::string& name : scan.modules) {
      if (is_standard_module(name)) {
        fail(shown + " opens module " + name + "; std and std.* are the packaged library's.");
      }
      claim(name, package, shown);
      open_module_ = name;
      open_module_owner_ = package;
    }
  }

  void claim(const std::string& module, std::uint32_t package, const std::string& shown) {
    const auto [owner, fresh] = owners_.try_emplace(module, package);
    if (!fresh && owner->second != package) refuse_reopened(module, package, shown);
  }

  [[noreturn]] void refuse_reopened(const std::string& module, std::uint32_t package, const std::string& shown) {
    fail("module " + module + " belongs to " + project_.packages[owners_.at(module)].name + "; " +
         project_.packages[package].name + " may not reopen it (" + shown + ").");
  }

  SourceMap& sources_;
  Project project_;
  std::map<std::string, std::string> directories_;  // project name to its directory below the root
  std::map<std::string, std::uint32_t> owners_;     // module to the package it belongs to
  std::string open_module_;                         // the module the last file ended in
  std::uint32_t open_module_owner_ = 0;
  std::size_t total_bytes_ = 0;
};

/// The manifest or source file an operand names, or why it names none.
fs::path resolve(const fs::path& operand) {
  std::error_code error;
  const fs::file_status status = fs::status(operand, error);
  const std::string shown = operand.generic_string();
  if (!fs::exists(status)) refuse(no_verdict(shown + " does not exist."));
  if (fs::is_directory(status)) {
    const fs::path manifest = operand / "cairn.toml";
    if (!fs::exists(manifest, error))
      refuse(no_verdict(shown + " holds no cairn.toml; a folder is a project only with one."));
    return manifest;
  }
  if (operand.extension() != ".cairn" && operand.extension() != ".toml") {
    refuse(no_verdict(shown + " is no program: pass a .cairn file, a folder with a cairn.toml, or a .toml manifest."));
  }
  return operand;
}

}  // namespace

std::expected<Project, Diagnostic> load_project(const fs::path& operand, SourceMap& sources) {
  try {
    const fs::path file = resolve(operand);
    Loader loader(sources);
    return file.extension() == ".toml" ? loader.from_manifest(file) : loader.single_file(file);
  } catch (Refusal& refusal) {
    return std::unexpected(std::move(refusal.diagnostic));
  }
}

std::vector<fs::path> watched_files(const fs::path& operand) {
  std::error_code error;
  const fs::path start = fs::is_directory(operand, error) ? operand / "cairn.toml" : operand;
  std::vector<fs::path> files = {start};
  if (start.extension() != ".toml") return files;
  // Dependencies are added to the list while it is walked.
  std::vector<std::pair<fs::path, int>> manifests = {{start, 0}};
  for (std::size_t index = 0; index < manifests.size() && index < 4096; ++index) {
    const auto [path, depth] = manifests[index];
    const auto text = read_file(path, kMostManifestBytes);
    if (!text) continue;
    const auto manifest = parse_manifest(*text, "cairn.toml");
    if (!manifest) continue;
    const fs::path folder = path.parent_path();
    for (const std::string& source : manifest->sources) files.push_back(folder / source);
    if (depth == kDeepestDependency) continue;
    for (const auto& [name, directory] : manifest->dependencies) {
      files.push_back(folder / directory / "cairn.toml");
      manifests.emplace_back(files.back(), depth + 1);
    }
  }
  return files;
}

}  // namespace cairn
