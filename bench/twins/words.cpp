#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include "guards.hpp"

static bool is_space(char c) { return c == ' ' || (c >= 9 && c <= 13); }

int main() {
  std::unordered_map<std::string, std::uint64_t> counts;
  std::uint64_t words = 0;
  std::vector<char> chunk(1048576);
  std::size_t kept = 0;
  bool open = true;
  while (open) {
    const ssize_t got = read(0, chunk.data() + kept, chunk.size() - kept);
    open = got > 0;
    const std::size_t filled = kept + static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    std::size_t whole = filled;
    if (open) {
      while (whole > 0 && !is_space(chunk[whole - 1])) --whole;
    }
    for (std::size_t at = 0; at < whole;) {
      while (at < whole && is_space(chunk[at])) ++at;
      const std::size_t begin = at;
      while (at < whole && !is_space(chunk[at])) ++at;
      if (at == begin) break;
      std::uint64_t& count = counts[std::string(chunk.data() + begin, at - begin)];
      count = add<std::uint64_t>(count, 1);
      words = add<std::uint64_t>(words, 1);
    }
    kept = filled - whole;
    std::memmove(chunk.data(), chunk.data() + whole, kept);
  }
  std::uint64_t most = 0;
  for (const auto& entry : counts) most = std::max(most, entry.second);
  std::printf("%" PRIu64 " %zu %" PRIu64 "\n", words, counts.size(), most);
}
