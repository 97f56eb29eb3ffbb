#include "frontend/project/manifest.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>

// toml++ 3.3 asserts, and in release builds assumes, things of its input that a malformed manifest breaks; the code
// behind those assertions reports the fault as it should. So they are left out: the macro is replaced once its header
// has defined it.
#include <toml++/impl/preprocessor.h>
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(expression) static_assert(true)
#include <toml++/toml.h>

#include "frontend/project/device_target.hpp"
#include "frontend/project/files.hpp"
#include "frontend/support/ascii.hpp"

namespace cairn {

namespace {

bool is_c_identifier(std::string_view text) {
  return !text.empty() && (is_letter(text.front()) || text.front() == '_') &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

constexpr std::array<std::string_view, 8> kArchitectures = {"baseline",  "x86-64",  "x86-64-v2", "x86-64-v3",
                                                            "x86-64-v4", "armv8-a", "armv8.2-a", "armv9-a"};
constexpr std::array<std::string_view, 2> kTargets = {"hosted", "aarch64-virt"};
constexpr std::array<std::string_view, 2> kKinds = {"library", "exe"};
constexpr std::array<std::string_view, 1> kLibraries = {"z"};

std::string listed(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

/// Reads one manifest. The first fault ends the reading: it is thrown as a Refusal and caught in parse_manifest.
class ManifestReader {
 public:
  ManifestReader(const toml::table& root, std::string_view shown) : root_(root), shown_(shown) {}

  Manifest read() {
    only_keys(root_, {"project", "build", "dependencies", "foreign"}, "");
    project(required_table("project"));
    if (const toml::table* build = optional_table("build")) read_build(*build);
    if (const toml::table* dependencies = optional_table("dependencies")) read_dependencies(*dependencies);
    if (const toml::table* foreign = optional_table("foreign")) read_foreign(*foreign);
    return std::move(manifest_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) { refuse(no_verdict(std::string(shown_) + ": " + what)); }

  const toml::table* optional_table(std::string_view name) {
    const toml::node* node = root_.get(name);
    if (node == nullptr) return nullptr;
    if (!node->is_table()) fail("[" + std::string(name) + "] must be a table.");
    return node->as_table();
  }

  const toml::table& required_table(std::string_view name) {
    const toml::table* table = optional_table(name);
    if (table == nullptr) fail("a manifest needs a [" + std::string(name) + "] table.");
    return *table;
  }

  /// `table` empty: the top level, whose keys are tables.
  void only_keys(const toml::table& in, std::initializer_list<std::string_view> known, const std::string& table) {
    for (const auto& [key, node] : in) {
      if (std::ranges::find(known, key.str()) != known.end()) continue;
      if (table.empty()) {
        fail("unknown manifest table or key " + std::string(key.str()) +
             "; the tables are project, build, dependencies and foreign, and hooks are not supported.");
      }
      fail("unknown manifest option " + table + "." + std::string(key.str()) + ".");
    }
  }

  std::string text_at(const toml::table& table, std::string_view key, const std::string& named) {
    const toml::node* node = table.get(key);
    if (node == nullptr) fail(named + " is required.");
    const auto text = node->value_exact<std::string>();
    if (!text) fail(named + " must be a string.");
    return *text;
  }

  std::string text_or(const toml::table& table, std::string_view key, const std::string& named, std::string otherwise) {
    return table.contains(key) ? text_at(table, key, named) : std::move(otherwise);
  }

  /// A list of distinct strings, `least` to `most` of them.
  std::vector<std::string> list_of(const toml::node& node, const std::string& named, std::size_t least,
                                   std::size_t most) {
    const toml::array* array = node.as_array();
    if (array == nullptr) fail(named + " must be a list of strings.");
    if (array->size() < least || array->size() > most) {
      fail(named + " must list " + std::to_string(least) + " to " + std::to_string(most) + " entries and lists " +
           std::to_string(array->size()) + ".");
    }
    std::vector<std::string> items;
    std::set<std::string> seen;
    for (const toml::node& item : *array) {
      const auto text = item.value_exact<std::string>();
      if (!text) fail(named + " must be a list of strings.");
      if (!seen.insert(*text).second) fail(named + " lists " + *text + " twice.");
      items.push_back(*text);
    }
    return items;
  }

  void check_path(const std::string& path, const std::string& named) {
    if (is_project_path(path)) return;
    fail(named + ": " + path +
         " is no path inside the project: relative, with / between parts of letters, digits, _, . and -, and no part "
         "empty, . or .. .");
  }

  std::vector<std::string> paths_at(const toml::table& table, std::string_view key, const std::string& named,
                                    std::string_view suffix, std::size_t least, std::size_t most) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      if (least > 0) fail(named + " is required.");
      return {};
    }
    std::vector<std::string> paths = list_of(*node, named, least, most);
    for (const std::string& path : paths) {
      check_path(path, named);
      if (!path.ends_with(suffix)) fail(named + ": " + path + " must end in " + std::string(suffix) + ".");
    }
    return paths;
  }

  std::string word_of(std::string word, std::span<const std::string_view> known, const std::string& named) {
    if (std::ranges::find(known, word) == known.end())
      fail(named + " is " + word + "; known are " + listed(known) + ".");
    return word;
  }

  void project(const toml::table& table) {
    only_keys(table, {"name", "sources", "tests"}, "project");
    manifest_.name = text_at(table, "name", "project.name");
    if (!is_project_name(manifest_.name)) {
      fail("project.name is " + manifest_.name + "; a name is a letter, then at most 63 letters, digits, _ and -.");
    }
    manifest_.sources = paths_at(table, "sources", "project.sources", ".cairn", 1, kMostSources);
    manifest_.tests = paths_at(table, "tests", "project.tests", ".json", 0, kMostTests);
  }

  void read_build(const toml::table& table) {
    only_keys(table, {"kind", "arch", "target", "libraries", "device_target"}, "build");
    const std::string kind = word_of(text_or(table, "kind", "build.kind", "library"), kKinds, "build.kind");
    manifest_.kind = kind == "exe" ? ProjectKind::Executable : ProjectKind::Library;
    manifest_.arch = word_of(text_or(table, "arch", "build.arch", "baseline"), kArchitectures, "build.arch");
    manifest_.target = word_of(text_or(table, "target", "build.target", "hosted"), kTargets, "build.target");
    if (const toml::node* libraries = table.get("libraries")) {
      manifest_.libraries = list_of(*libraries, "build.libraries", 0, kMostLibraries);
      for (const std::string& library : manifest_.libraries) word_of(library, kLibraries, "a name in build.libraries");
    }
    if (!manifest_.libraries.empty() && manifest_.target != "hosted") {
      fail("build.libraries needs build.target = \"hosted\".");
    }
    if (manifest_.target != "hosted" && manifest_.kind != ProjectKind::Executable) {
      fail("build.target = \"" + manifest_.target + "\" needs build.kind = \"exe\".");
    }
    if (!table.contains("device_target")) return;
    manifest_.device_target = text_at(table, "device_target", "build.device_target");
    if (!is_device_target(manifest_.device_target)) refuse(bad_device_target(manifest_.device_target));
  }

  /// The entries of a table in the order they were written: a table itself is sorted by key.
  static std::vector<std::pair<std::string, const toml::node*>> as_written(const toml::table& table) {
    struct Entry {
      toml::source_position at;
      std::string key;
      const toml::node* node;
    };
    std::vector<Entry> entries;
    for (const auto& [key, node] : table) entries.push_back({key.source().begin, std::string(key.str()), &node});
    std::ranges::sort(entries, [](const Entry& a, const Entry& b) {
      return a.at.line != b.at.line ? a.at.line < b.at.line : a.at.column < b.at.column;
    });
    std::vector<std::pair<std::string, const toml::node*>> ordered;
    for (Entry& entry : entries) ordered.emplace_back(std::move(entry.key), entry.node);
    return ordered;
  }

  void read_dependencies(const toml::table& table) {
    if (table.size() > kMostDependencies) {
      fail("[dependencies] lists " + std::to_string(table.size()) + " projects; at most " +
           std::to_string(kMostDependencies) + " are admitted.");
    }
    for (const auto& [name, node] : as_written(table)) {
      const auto directory = node->value_exact<std::string>();
      if (!directory) fail("dependencies." + name + " must be the directory of a project, a string.");
      if (!is_project_name(name)) fail("dependencies." + name + " is no project name.");
      check_path(*directory, "dependencies." + name);
      manifest_.dependencies.emplace_back(name, *directory);
    }
  }

  void read_foreign(const toml::table& table) {
    if (table.size() > kMostForeignSources) {
      fail("[foreign] lists " + std::to_string(table.size()) + " sources; at most " +
           std::to_string(kMostForeignSources) + " are admitted.");
    }
    for (const auto& [path, node] : as_written(table)) {
      const std::string named = "foreign.\"" + path + "\"";
      check_path(path, named);
      if (!path.ends_with(".cpp") && !path.ends_with(".cc") && !path.ends_with(".cu")) {
        fail(named + ": a vendored source ends in .cpp, .cc or .cu.");
      }
      ForeignSource source{path, list_of(*node, named, 0, kMostForeignSymbols)};
      for (const std::string& symbol : source.symbols) {
        if (!is_c_identifier(symbol)) fail(named + ": " + symbol + " is no C identifier.");
      }
      manifest_.foreign.push_back(std::move(source));
    }
  }

  const toml::table& root_;
  std::string_view shown_;
  Manifest manifest_;
};

}  // namespace

std::expected<Manifest, Diagnostic> parse_manifest(std::string_view text, std::string_view shown) {
  if (text.size() > kMostManifestBytes) {
    return std::unexpected(no_verdict(std::string(shown) + " has " + std::to_string(text.size()) +
                                      " bytes; a manifest has at most " + std::to_string(kMostManifestBytes) + "."));
  }
  if (!is_utf8(text)) return std::unexpected(no_verdict(std::string(shown) + " is not UTF-8 text."));
  // Nothing a manifest admits is beyond ASCII but comments, and toml++ 3.3 trips over some such keys: what is left of
  // them is no name and no path either.
  std::string ascii(text);
  std::ranges::replace_if(ascii, [](char c) { return c < 0 || c > 126; }, '?');
  try {
    const toml::table root = toml::parse(ascii, shown);
    return ManifestReader(root, shown).read();
  } catch (const toml::parse_error& fault) {
    const toml::source_position at = fault.source().begin;
    return std::unexpected(no_verdict(std::string(shown) + " is no TOML: line " + std::to_string(at.line) +
                                      ", column " + std::to_string(at.column) + ": " +
                                      std::string(fault.description()) + "."));
  } catch (Refusal& refusal) {
    return std::unexpected(std::move(refusal.diagnostic));
  }
}

bool is_project_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && is_letter(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; });
}

bool is_project_path(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    for (const char c : part) {
      if (!is_letter(c) && !is_digit(c) && c != '_' && c != '.' && c != '-') return false;
    }
    if (slash == std::string_view::npos) return true;
    path.remove_prefix(slash + 1);
  }
}

bool is_device_target(std::string_view target) { return device_target(target).has_value(); }

Diagnostic bad_device_target(std::string_view target) {
  Diagnostic diagnostic;
  diagnostic.code = Code::Target;
  diagnostic.message =
      "\"" + std::string(target) +
      "\" is no device target. A target is sm_ and a compute capability, with a from sm_90 on or f from "
      "sm_100 on: sm_90, sm_90a, sm_120f.";
  return diagnostic;
}

Diagnostic no_verdict(std::string message) {
  Diagnostic diagnostic;
  diagnostic.code = Code::ProjectOrEnvironment;
  diagnostic.message = std::move(message);
  return diagnostic;
}

}  // namespace cairn
