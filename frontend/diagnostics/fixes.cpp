#include "frontend/diagnostics/fixes.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "frontend/source/token_scan.hpp"

namespace cairn {

namespace {

constexpr double kLeastSimilarity = 0.6;

/// Characters matched by the longest common block of the two texts and, recursively, on both of its sides.
std::size_t matched_characters(std::string_view left, std::string_view right) {
  std::size_t longest = 0;
  std::size_t left_at = 0;
  std::size_t right_at = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    for (std::size_t j = 0; j < right.size(); ++j) {
      std::size_t length = 0;
      while (i + length < left.size() && j + length < right.size() && left[i + length] == right[j + length]) ++length;
      if (length > longest) {
        longest = length;
        left_at = i;
        right_at = j;
      }
    }
  }
  if (longest == 0) return 0;
  return longest + matched_characters(left.substr(0, left_at), right.substr(0, right_at)) +
         matched_characters(left.substr(left_at + longest), right.substr(right_at + longest));
}

// Fixes that hold whatever the program is, by code.
constexpr std::array kStandingFixes = {
    std::pair{Code::Unbound, "Declare it with let before this, or as a parameter or constant."},
    std::pair{Code::Immutable, "Copy it into a let mut local and change that."},
    std::pair{Code::WriteLease, "Write through an rw borrow or a let mut local."},
    std::pair{Code::Shadow, "Choose a fresh name."},
    std::pair{Code::Return, "End every path with a return that fits the function's result."},
    std::pair{Code::Parse, "Blocks stand in braces and statements end with a semicolon; the base card has the forms."},
    std::pair{Code::Moved, "Use it before it moves, or lend it instead of moving it."},
    std::pair{Code::Leased, "Touch it after the wait, or lend the task a part that does not meet what is used here."},
    std::pair{Code::Alias, "Pass parts that meet at one boundary, such as x[0..k] and x[k..n], or read through ro."},
    std::pair{Code::StackLimit, "Declare less stack storage here, or use a buffer."},
    std::pair{Code::CoopGlobal, "Index outside arrays as block * width + thread."},
    std::pair{Code::CoopBarrier, "Move the barrier out from under the condition on the thread."},
    std::pair{Code::StageUnready, "Wait for the stage before reading it, and read before releasing it."},
};

enum class Kind : std::uint8_t { Other, Bool, Integer, Float, CheckedFloat };

Kind kind_of(std::string_view type) {
  constexpr std::array<std::string_view, 9> integers = {"u8", "u16", "u32", "u64", "usize", "i8", "i16", "i32", "i64"};
  constexpr std::array<std::string_view, 5> floats = {"f32", "f64", "f16", "bf16", "f8e5m2"};
  if (type == "bool") return Kind::Bool;
  if (type == "f8e4m3") return Kind::CheckedFloat;  // has no infinity: converting out of range traps
  if (std::ranges::find(integers, type) != integers.end()) return Kind::Integer;
  if (std::ranges::find(floats, type) != floats.end()) return Kind::Float;
  return Kind::Other;
}

std::string_view text_detail(const Diagnostic& diagnostic, std::string_view key) {
  for (const auto& [name, value] : diagnostic.details) {
    if (name == key) {
      if (const auto* text = std::get_if<std::string>(&value)) return *text;
    }
  }
  return {};
}

/// The refused expression when it is a single token, else "x".
std::string_view operand_text(const Diagnostic& diagnostic, const SourceMap& sources) {
  constexpr std::string_view fallback = "x";
  const SourceFile* file = sources.file_at(diagnostic.position);
  if (file == nullptr) return fallback;
  std::string_view rest = std::string_view(file->text).substr(diagnostic.position.offset - file->begin);
  rest = rest.substr(0, rest.find('\n'));
  const std::size_t width = token_width(rest);
  const std::size_t next = rest.find_first_not_of(" \t\r", width);
  const bool is_alone = next != std::string_view::npos && std::string_view(";,)]").contains(rest[next]);
  return width > 0 && is_alone ? rest.substr(0, width) : fallback;
}

std::string mismatch_fix(const Diagnostic& diagnostic, const SourceMap& sources) {
  const std::string expected(text_detail(diagnostic, "expected_type"));
  const Kind wanted = kind_of(expected);
  const Kind given = kind_of(text_detail(diagnostic, "actual_type"));
  const std::string operand(operand_text(diagnostic, sources));
  const bool given_number = given != Kind::Other && given != Kind::Bool;
  if (wanted == Kind::Bool && given_number) return "Compare it, " + operand + " != 0.";
  const std::string conversion = "Convert it, " + expected + "(" + operand + "), which ";
  if (given_number && (wanted == Kind::Integer || wanted == Kind::CheckedFloat)) {
    return conversion + "traps when it does not fit.";
  }
  if (given_number && wanted == Kind::Float) return conversion + "rounds and is not range checked.";
  return "Nothing converts by itself: make the two types the same, or build the expected one from this value.";
}

}  // namespace

double similarity(std::string_view left, std::string_view right) {
  const std::size_t total = left.size() + right.size();
  if (total == 0) return 1.0;
  return 2.0 * static_cast<double>(matched_characters(left, right)) / static_cast<double>(total);
}

std::vector<std::string_view> close_names(std::string_view wanted, std::span<const std::string_view> candidates) {
  std::vector<std::pair<double, std::string_view>> close;
  for (const std::string_view candidate : candidates) {
    // An upper bound first: every character of the shorter text matched.
    const auto shorter = static_cast<double>(std::min(wanted.size(), candidate.size()));
    if (candidate == wanted ||
        2.0 * shorter < kLeastSimilarity * static_cast<double>(wanted.size() + candidate.size())) {
      continue;
    }
    const double ratio = similarity(wanted, candidate);
    if (ratio >= kLeastSimilarity) close.emplace_back(ratio, candidate);
  }
  std::ranges::sort(
      close, [](const auto& a, const auto& b) { return a.first != b.first ? a.first > b.first : a.second < b.second; });
  std::vector<std::string_view> names;
  for (const auto& [ratio, name] : close) {
    if (names.size() < 2 && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> candidates) {
  const auto names = close_names(wanted, candidates);
  if (names.empty()) return {};
  std::string text = "Did you mean " + std::string(names.front());
  if (names.size() == 2) text += " or " + std::string(names.back());
  return text + "?";
}

std::string fix_of(const Diagnostic& diagnostic, const SourceMap& sources) {
  if (!diagnostic.fix.empty()) return diagnostic.fix;
  if (!diagnostic.custom_code.empty()) return {};
  if (diagnostic.code == Code::TypeMismatch) return mismatch_fix(diagnostic, sources);
  const auto* found = std::ranges::find(kStandingFixes, diagnostic.code, &std::pair<Code, const char*>::first);
  return found == kStandingFixes.end() ? std::string() : std::string(found->second);
}

}  // namespace cairn
