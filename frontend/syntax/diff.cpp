// The unified diff of `cairn fmt --diff`: Myers' greedy algorithm on lines (An O(ND) Difference Algorithm, 1986),
// bounded so that texts with little in common end in one replacement instead of a long search.
#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/syntax/formatter.hpp"

namespace cairn::syntax {

namespace {

constexpr std::size_t kContext = 3;
constexpr std::ptrdiff_t kMaxEdits = 2000;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const std::size_t size = newline == std::string_view::npos ? text.size() : newline + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

enum class Edit : char { Keep = ' ', Remove = '-', Add = '+' };

using Lines = std::span<const std::string_view>;

/// Edits that turn one list of lines into the other.
std::vector<Edit> edits_between(Lines a, Lines b) {
  const auto n = static_cast<std::ptrdiff_t>(a.size());
  const auto m = static_cast<std::ptrdiff_t>(b.size());
  const std::ptrdiff_t limit = std::min(n + m, kMaxEdits);
  // furthest[d][k + d]: how far in `a` a path of d edits reaches on diagonal k.
  std::vector<std::vector<std::ptrdiff_t>> furthest;
  const auto reach = [&](std::ptrdiff_t d, std::ptrdiff_t k) {
    return k < -d || k > d ? -1 : furthest[static_cast<std::size_t>(d)][static_cast<std::size_t>(k + d)];
  };
  std::ptrdiff_t last = -1;
  for (std::ptrdiff_t d = 0; d <= limit && last < 0; ++d) {
    furthest.emplace_back(static_cast<std::size_t>(2 * d + 1), -1);
    for (std::ptrdiff_t k = -d; k <= d; k += 2) {
      const bool down = d > 0 && (k == -d || (k != d && reach(d - 1, k - 1) < reach(d - 1, k + 1)));
      std::ptrdiff_t x = d == 0 ? 0 : down ? reach(d - 1, k + 1) : reach(d - 1, k - 1) + 1;
      while (x < n && x - k < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(x - k)]) ++x;
      furthest.back()[static_cast<std::size_t>(k + d)] = x;
      if (x >= n && x - k >= m) last = d;
    }
  }
  std::vector<Edit> edits;
  if (last < 0) {
    edits.assign(a.size(), Edit::Remove);
    edits.insert(edits.end(), b.size(), Edit::Add);
    return edits;
  }
  std::ptrdiff_t x = n;
  std::ptrdiff_t y = m;
  for (std::ptrdiff_t d = last; d > 0; --d) {
    const std::ptrdiff_t k = x - y;
    const bool down = k == -d || (k != d && reach(d - 1, k - 1) < reach(d - 1, k + 1));
    const std::ptrdiff_t start = down ? reach(d - 1, k + 1) : reach(d - 1, k - 1) + 1;
    for (; x > start; --x, --y) edits.push_back(Edit::Keep);
    edits.push_back(down ? Edit::Add : Edit::Remove);
    if (down) {
      --y;
    } else {
      --x;
    }
  }
  edits.insert(edits.end(), static_cast<std::size_t>(x), Edit::Keep);
  std::ranges::reverse(edits);
  return edits;
}

void append_line(std::string& out, Edit edit, std::string_view line) {
  out.push_back(static_cast<char>(edit));
  out.append(line);
  if (!line.ends_with('\n')) out.append("\n\\ No newline at end of file\n");
}

std::string hunk_range(std::size_t first, std::size_t count) {
  const std::string line = std::to_string(count == 0 ? first : first + 1);
  return count == 1 ? line : line + "," + std::to_string(count);
}

}  // namespace

std::string unified_diff(std::string_view path, std::string_view before, std::string_view after) {
  if (before == after) return {};
  const std::vector<std::string_view> a = lines_of(before);
  const std::vector<std::string_view> b = lines_of(after);
  const std::vector<Edit> edits = edits_between(a, b);
  std::string out = "--- " + std::string(path) + "\n+++ " + std::string(path) + " (formatted)\n";
  std::size_t in_a = 0;
  std::size_t in_b = 0;
  for (std::size_t at = 0; at < edits.size();) {
    if (edits[at] == Edit::Keep) {
      ++at, ++in_a, ++in_b;
      continue;
    }
    // A hunk runs from three lines before this edit until six kept lines in a row, or the end, follow an edit.
    const std::size_t lead = std::min(kContext, std::min(in_a, in_b));
    const std::size_t begin = at - lead;
    std::size_t end = at;
    for (std::size_t probe = at, kept = 0; probe < edits.size() && kept <= 2 * kContext; ++probe) {
      kept = edits[probe] == Edit::Keep ? kept + 1 : 0;
      if (kept == 0) end = probe + 1;
    }
    end = std::min(edits.size(), end + kContext);
    const std::size_t from_a = in_a - lead;
    const std::size_t from_b = in_b - lead;
    const auto count = [&](Edit other) {
      return static_cast<std::size_t>(std::count_if(edits.begin() + static_cast<std::ptrdiff_t>(begin),
                                                    edits.begin() + static_cast<std::ptrdiff_t>(end),
                                                    [other](Edit edit) { return edit != other; }));
    };
    out += "@@ -" + hunk_range(from_a, count(Edit::Add)) + " +" + hunk_range(from_b, count(Edit::Remove)) + " @@\n";
    in_a = from_a;
    in_b = from_b;
    for (at = begin; at < end; ++at) {
      append_line(out, edits[at], edits[at] == Edit::Add ? b[in_b] : a[in_a]);
      if (edits[at] != Edit::Add) ++in_a;
      if (edits[at] != Edit::Remove) ++in_b;
    }
  }
  return out;
}

}  // namespace cairn::syntax
