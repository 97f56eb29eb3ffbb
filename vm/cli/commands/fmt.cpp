// cairn fmt: lays sources out (tools, 3.5).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include <nlohmann/json.hpp>

#include "frontend/project/files.hpp"
#include "frontend/project/project.hpp"
#include "frontend/syntax/formatter.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/unified_diff.hpp"

namespace cairn::cli {

namespace fs = std::filesystem;

namespace {

/// The files an operand means: itself, or the .cairn files below it in sorted order.
std::expected<std::vector<std::string>, Diagnostic> files_of(std::string_view operand) {
  std::error_code error;
  const fs::file_status status = fs::status(operand, error);
  if (!fs::exists(status)) return std::unexpected(no_verdict(std::string(operand) + " does not exist."));
  if (!fs::is_directory(status)) return std::vector{std::string(operand)};
  std::vector<std::string> files;
  for (auto entry = fs::recursive_directory_iterator(operand, fs::directory_options::skip_permission_denied, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->path().extension() == ".cairn" && entry->is_regular_file(ignored)) {
      files.push_back(entry->path().lexically_normal().generic_string());
    }
  }
  if (error) return std::unexpected(no_verdict(std::string(operand) + " cannot be searched: " + error.message() + "."));
  std::ranges::sort(files);
  return files;
}

bool replace_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return !file.fail();
}

class Formatting {
 public:
  explicit Formatting(const Invocation& invocation)
      : writes_(!invocation.has(Option::FormatCheck) && !invocation.has(Option::Diff)),
        shows_diff_(invocation.has(Option::Diff)) {}

  void format(const std::string& path) {
    if (!seen_.insert(path).second) return;
    const auto text = read_file(path, kMostSourceBytes);
    if (!text) return fail(path, "it cannot be read: " + text.error());
    const auto formatted = syntax::format(*text);
    if (!formatted) return fail(path, formatted.error());
    if (*formatted == *text) return;
    if (writes_ && !replace_file(path, *formatted)) return fail(path, "it cannot be written");
    changed_.push_back(path);
    if (shows_diff_) write_out(unified_diff(*text, *formatted, path, path + " (formatted)"));
  }

  int report(const Output& output, bool checks) const {
    if (!shows_diff_) {
      const char* status = !checks && failed_.empty() ? "formatted" : !changed_.empty() ? "would-change" : "clean";
      output.record({{"status", status},
                     {"mode", checks ? "check" : "rewrite"},
                     {"changed", changed_},
                     {"not_formatted", failed_}});
    }
    return !failed_.empty() || (!writes_ && !changed_.empty()) ? kRefused : kGood;
  }

 private:
  void fail(const std::string& path, const std::string& reason) {
    failed_.push_back({{"file", path}, {"reason", reason}});
    if (shows_diff_) write_error(path + ": " + reason + "\n");
  }

  bool writes_;
  bool shows_diff_;
  std::set<std::string> seen_;
  nlohmann::ordered_json changed_ = nlohmann::ordered_json::array();
  nlohmann::ordered_json failed_ = nlohmann::ordered_json::array();
};

}  // namespace

int fmt_command(const Invocation& invocation) {
  const Output output(invocation);
  std::vector<std::string> files;
  for (const std::string_view operand : invocation.operands()) {
    auto found = files_of(operand);
    if (!found) return output.refuse(std::move(found.error()));
    files.insert(files.end(), found->begin(), found->end());
  }
  Formatting formatting(invocation);
  for (const std::string& file : files) formatting.format(file);
  return formatting.report(output, invocation.has(Option::FormatCheck));
}

}  // namespace cairn::cli
