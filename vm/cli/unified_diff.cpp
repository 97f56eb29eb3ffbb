#include "vm/cli/unified_diff.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <vector>

namespace cairn::cli {

namespace {

constexpr std::size_t kContext = 3;

struct Edit {
  char sign;  // ' ', '-' or '+'
  std::string_view line;
};

/// Each with its newline, which the last may lack.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    lines.push_back(text.substr(0, newline == std::string_view::npos ? newline : newline + 1));
    text.remove_prefix(lines.back().size());
  }
  return lines;
}

using Lines = std::span<const std::string_view>;

/// Beyond so many edits the texts have little in common, and one stands for the other as a whole.
constexpr std::ptrdiff_t kMostEdits = 2000;

std::vector<Edit> replacement(Lines a, Lines b) {
  std::vector<Edit> script;
  for (const std::string_view line : a) script.push_back({'-', line});
  for (const std::string_view line : b) script.push_back({'+', line});
  return script;
}

/// The shortest edit script (Myers, "An O(ND) Difference Algorithm", 1986). `trace[d]` holds, for the diagonals -d to
/// d, the furthest line of `a` that d edits reach.
std::vector<Edit> shortest_script(Lines a, Lines b) {
  const std::ptrdiff_t n = std::ssize(a);
  const std::ptrdiff_t m = std::ssize(b);
  std::vector<std::vector<std::ptrdiff_t>> trace;
  /// The furthest line on diagonal k before the edit that reaches distance d.
  const auto reached = [&](std::ptrdiff_t d, std::ptrdiff_t k) {
    const auto& row = trace[static_cast<std::size_t>(d - 1)];
    const std::ptrdiff_t index = k + d - 1;
    return index >= 0 && index < std::ssize(row) ? row[static_cast<std::size_t>(index)] : -1;
  };
  const auto goes_down = [&](std::ptrdiff_t d, std::ptrdiff_t k) {
    return k == -d || (k != d && reached(d, k - 1) < reached(d, k + 1));
  };
  for (std::ptrdiff_t d = 0;; ++d) {
    if (d > kMostEdits) return replacement(a, b);
    std::vector<std::ptrdiff_t> row(static_cast<std::size_t>(2 * d + 1), -1);
    bool done = false;
    for (std::ptrdiff_t k = -d; k <= d && !done; k += 2) {
      std::ptrdiff_t x = d == 0 ? 0 : goes_down(d, k) ? reached(d, k + 1) : reached(d, k - 1) + 1;
      while (x < n && x - k < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)]) ++x;
      row[static_cast<std::size_t>(k + d)] = x;
      done = x >= n && x - k >= m;
    }
    trace.push_back(std::move(row));
    if (done) break;
  }
  std::vector<Edit> script;
  std::ptrdiff_t x = n;
  std::ptrdiff_t y = m;
  for (std::ptrdiff_t d = std::ssize(trace) - 1; d >= 0; --d) {
    const std::ptrdiff_t k = x - y;
    const bool down = d > 0 && goes_down(d, k);
    const std::ptrdiff_t from_x = d == 0 ? 0 : down ? reached(d, k + 1) : reached(d, k - 1) + 1;
    for (; x > from_x; --x, --y) script.push_back({' ', a[static_cast<std::size_t>(x - 1)]});
    if (d == 0) break;
    if (down) {
      script.push_back({'+', b[static_cast<std::size_t>(--y)]});
    } else {
      script.push_back({'-', a[static_cast<std::size_t>(--x)]});
    }
  }
  std::ranges::reverse(script);
  return script;
}

/// Lines both texts begin and end with are no part of the search.
std::vector<Edit> script_of(Lines a, Lines b) {
  std::size_t front = 0;
  while (front < std::min(a.size(), b.size()) && a[front] == b[front]) ++front;
  std::size_t back = 0;
  while (back < std::min(a.size(), b.size()) - front && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
  std::vector<Edit> script;
  for (const std::string_view line : a.first(front)) script.push_back({' ', line});
  const auto middle =
      shortest_script(a.subspan(front, a.size() - front - back), b.subspan(front, b.size() - front - back));
  script.insert(script.end(), middle.begin(), middle.end());
  for (const std::string_view line : a.last(back)) script.push_back({' ', line});
  return script;
}

std::string range_of(std::size_t first, std::size_t count) {
  const std::size_t start = count == 0 ? first : first + 1;
  return std::to_string(start) + (count == 1 ? "" : "," + std::to_string(count));
}

}  // namespace

std::string unified_diff(std::string_view old_text, std::string_view new_text, std::string_view old_name,
                         std::string_view new_name) {
  if (old_text == new_text) return {};
  const std::vector<std::string_view> old_lines = lines_of(old_text);
  const std::vector<std::string_view> new_lines = lines_of(new_text);
  const std::vector<Edit> script = script_of(old_lines, new_lines);
  std::string diff = "--- " + std::string(old_name) + "\n+++ " + std::string(new_name) + "\n";
  const auto changes = [&](std::size_t at) { return script[at].sign != ' '; };
  std::size_t old_line = 0;
  std::size_t new_line = 0;
  std::size_t written = 0;  // edits that are behind us
  for (std::size_t at = 0; at < script.size(); ++at) {
    if (!changes(at)) continue;
    const std::size_t from = at > written + kContext ? at - kContext : written;
    std::size_t last = at;  // the last change of the hunk: the next one is too far for its context to touch
    for (std::size_t next = at; next < script.size() && next <= last + 2 * kContext; ++next) {
      if (changes(next)) last = next;
    }
    const std::size_t to = std::min(script.size(), last + 1 + kContext);
    for (; written < from; ++written) {
      ++old_line;
      ++new_line;
    }
    std::size_t old_count = 0;
    std::size_t new_count = 0;
    std::string body;
    for (; written < to; ++written) {
      const Edit& edit = script[written];
      if (edit.sign != '+') ++old_count;
      if (edit.sign != '-') ++new_count;
      body += edit.sign + std::string(edit.line);
      if (!edit.line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
    }
    diff += "@@ -" + range_of(old_line, old_count) + " +" + range_of(new_line, new_count) + " @@\n" + body;
    old_line += old_count;
    new_line += new_count;
    at = to - 1;
  }
  return diff;
}

}  // namespace cairn::cli
