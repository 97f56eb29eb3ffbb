// A host that runs untrusted filters over its own buffers: nothing is allowed to them, memory and time are limited, and
// what they are lent is what they can touch. Build: see CMakeLists.txt.
#include <cairn.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace {

struct Filter {
  const char* name;
  const char* text;
};

constexpr Filter kFilters[] = {
    {"brighten",
     "fn apply(n:usize, out:rw<u8>[n], pixels:ro<u8>[n]) {\n"
     "  for i in 0..n { out[i] = u8(min(u64(pixels[i]) * 2, 255)); }\n}\n"},
    {"edges",
     "fn apply(n:usize, out:rw<u8>[n], pixels:ro<u8>[n]) {\n"
     "  for i in 1..n { out[i] = max(pixels[i], pixels[i - 1]) - min(pixels[i], pixels[i - 1]); }\n}\n"},
    {"careless",
     "fn apply(n:usize, out:rw<u8>[n], pixels:ro<u8>[n]) {\n"
     "  for i in 0..n { out[i] = pixels[i + 1]; }\n}\n"},
    {"endless",
     "fn apply(n:usize, out:rw<u8>[n], pixels:ro<u8>[n]) {\n"
     "  let mut turns:u64 = 0;\n  while turns < 1 { out[0] = 1; }\n}\n"},
    {"greedy",
     "fn apply(n:usize, out:rw<u8>[n], pixels:ro<u8>[n]) {\n"
     "  let room = Buf[u64](1000000000);\n  out[0] = u8(len(room) % 7);\n}\n"},
    {"nosy",
     "import std.fs;\nfn apply(n:usize, out:rw<u8>[n], pixels:ro<u8>[n]) {\n"
     "  if fs.exists(\"/etc/passwd\") { out[0] = 1; }\n}\n"},
    {"racing",
     "fn apply(n:usize, out:rw<u8>[n], pixels:ro<u8>[n]) {\n"
     "  parallel i in n { out[0] = pixels[i]; }\n}\n"},
};

}  // namespace

int main() {
  cairn_options limits = cairn_default_options();
  limits.memory_bytes = 64 << 20;
  limits.wall_ms = 300;
  cairn::embed::Machine machine(limits);

  const std::vector<std::uint8_t> pixels = {10, 20, 40, 80, 160, 200};
  for (const Filter& filter : kFilters) {
    std::vector<std::uint8_t> out(pixels.size());
    try {
      auto program = machine.load_source(std::string(filter.name) + ".cairn", filter.text);
      program.find("apply").call(std::span<std::uint8_t>(out), std::span<const std::uint8_t>(pixels));
      std::printf("%s:", filter.name);
      for (const std::uint8_t pixel : out) std::printf(" %d", pixel);
      std::printf("\n");
    } catch (const cairn::embed::Refused& refused) {
      std::printf("%s is refused: %s at %s:%u\n", filter.name, refused.all[0].code.c_str(), refused.all[0].file.c_str(),
                  refused.all[0].line);
    } catch (const cairn::embed::Trapped& trapped) {
      std::printf("%s was stopped: %s\n", filter.name, trapped.what());
    }
  }
  return 0;
}
