#include <algorithm>
#include <ranges>
#include <vector>

#include "tests/random/run.hpp"

namespace cairn::tests::random {

namespace {

using Lines = std::vector<std::string>;

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// How much deeper in blocks a line's end is than its start, and how far below its start it goes.
std::pair<int, int> nesting(const std::string& line) {
  int depth = 0;
  int least = 0;
  for (const char c : line) {
    if (c == '{') ++depth;
    if (c == '}') least = std::min(least, --depth);
  }
  return {depth, least};
}

/// Whether lines [from, to) are whole blocks and statements.
bool is_whole(const Lines& lines, std::size_t from, std::size_t to) {
  int depth = 0;
  for (std::size_t k = from; k < to; ++k) {
    const auto [change, least] = nesting(lines[k]);
    if (depth + least < 0) return false;
    depth += change;
  }
  return depth == 0;
}

/// The line that closes what the line opens; it may open something else.
std::size_t closing(const Lines& lines, std::size_t from) {
  int depth = nesting(lines[from]).first;
  for (std::size_t k = from + 1; k < lines.size(); ++k) {
    const auto [change, least] = nesting(lines[k]);
    if (depth + least <= 0) return k;
    depth += change;
  }
  return lines.size();
}

}  // namespace

std::string reduced(const std::string& text, const std::function<bool(const std::string&)>& fails, unsigned attempts) {
  Lines lines;
  for (const auto line : std::views::split(text, '\n')) {
    if (!std::string_view(line).empty()) lines.emplace_back(std::string_view(line));
  }
  const auto holds_for = [&](const Lines& candidate) {
    if (attempts == 0) return false;
    --attempts;
    if (!fails(joined(candidate))) return false;
    lines = candidate;
    return true;
  };
  const auto without = [&](std::size_t from, std::size_t to) {
    Lines left = lines;
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(from), left.begin() + static_cast<std::ptrdiff_t>(to));
    return left;
  };
  for (bool changed = true; changed && attempts != 0;) {
    changed = false;
    for (std::size_t size = lines.size() / 2; size != 0; size = size > 8 ? size / 2 : size - 1) {
      for (std::size_t from = lines.size(); from-- > 0;) {
        if (from + size > lines.size() || !is_whole(lines, from, from + size)) continue;
        changed |= holds_for(without(from, from + size));
      }
    }
    // A block as one piece, then its lines without its head.
    for (std::size_t from = lines.size(); from-- > 0;) {
      if (from >= lines.size() || nesting(lines[from]).first <= 0) continue;
      // An `else` closes and opens: its block goes with the first, or stays alone.
      const std::size_t first = closing(lines, from);
      std::size_t last = first;
      while (last < lines.size() && lines[last].ends_with('{')) last = closing(lines, last);
      if (last >= lines.size()) continue;
      if (is_whole(lines, from, last + 1) && holds_for(without(from, last + 1))) {
        changed = true;
        continue;
      }
      Lines opened = without(first, last + 1);
      opened.erase(opened.begin() + static_cast<std::ptrdiff_t>(from));
      if (holds_for(opened)) {
        changed = true;
        continue;
      }
      if (last == first) continue;
      Lines other = without(last, last + 1);
      other.erase(other.begin() + static_cast<std::ptrdiff_t>(from),
                  other.begin() + static_cast<std::ptrdiff_t>(first) + 1);
      changed |= holds_for(other);
    }
  }
  return joined(lines);
}

}  // namespace cairn::tests::random
