// What tools outside are told of machine code.
#include <catch2/catch.hpp>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <asmjit/x86.h>
#include <unistd.h>

#include "jit/code/code_memory.hpp"
#include "jit/code/debug_object.hpp"
#include "jit/code/jitdump.hpp"
#include "tests/jit/both_tiers.hpp"

namespace cairn::tests {
namespace {

const unsigned char kCode[] = {0x90, 0x90, 0x90, 0x90, 0xc3};

jit::RegisteredCode sample() {
  return {"lib.rising[u64]", kCode, sizeof(kCode), {{0, "src/lib.cairn", 7, 4}, {3, "src/other.cairn", 210, 1}}};
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::filesystem::path scratch_folder() {
  const auto folder = std::filesystem::temp_directory_path() / ("cairn-registration-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  return folder;
}

/// What a command prints; nothing when there is no such program.
std::string output_of(const std::string& command) {
  std::string text;
  if (std::FILE* pipe = ::popen((command + " 2>/dev/null").c_str(), "r")) {
    char buffer[512];
    while (const std::size_t count = std::fread(buffer, 1, sizeof(buffer), pipe)) text.append(buffer, count);
    ::pclose(pipe);
  }
  return text;
}

template <typename T>
T take(const std::string& bytes, std::size_t& at) {
  T value{};
  REQUIRE(at + sizeof(T) <= bytes.size());
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  at += sizeof(T);
  return value;
}

std::string take_text(const std::string& bytes, std::size_t& at) {
  const std::string text(bytes.c_str() + at);
  at += text.size() + 1;
  return text;
}

}  // namespace

TEST_CASE("binutils read the name, the address and the lines of code a debugger is told of", "[jit]") {
  const auto folder = scratch_folder();
  const auto object = jit::debug_object(sample());
  std::ofstream(folder / "code.o", std::ios::binary).write(object.data(), static_cast<std::streamsize>(object.size()));
  const std::string told = output_of("readelf -W -s --debug-dump=info,decodedline " + (folder / "code.o").string());
  std::filesystem::remove_all(folder);
  if (told.empty()) {
    WARN("readelf is not installed");
    return;
  }
  char address[32];
  std::snprintf(address, sizeof(address), "%llx",
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(kCode)));
  CHECK(told.contains("lib.rising[u64]"));
  CHECK(told.contains(address));
  CHECK(told.contains("src/lib.cairn"));
  std::snprintf(address, sizeof(address), "%llx",
                static_cast<unsigned long long>(reinterpret_cast<std::uintptr_t>(kCode + 3)));
  std::istringstream lines(told);
  bool first = false, second = false;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string file, number, at;
    words >> file >> number >> at;
    first = first || (file.ends_with("lib.cairn") && number == "7");
    second = second || (file.ends_with("other.cairn") && number == "210" && at == std::string("0x") + address);
  }
  CHECK(first);
  CHECK(second);
}

TEST_CASE("a jitdump holds the lines, the name and the bytes of each piece of code", "[jit]") {
  const auto folder = scratch_folder();
  {
    jit::Jitdump dump(folder.string());
    dump.add(sample());
  }
  const std::string bytes = read(folder / ("jit-" + std::to_string(::getpid()) + ".dump"));
  std::filesystem::remove_all(folder);
  std::size_t at = 0;
  CHECK(take<std::uint32_t>(bytes, at) == 0x4A695444);
  CHECK(take<std::uint32_t>(bytes, at) == 1);
  CHECK(take<std::uint32_t>(bytes, at) == 40);
  CHECK(take<std::uint32_t>(bytes, at) == 62);
  at = 40;
  const auto code = reinterpret_cast<std::uint64_t>(kCode);

  const std::size_t info = at;
  CHECK(take<std::uint32_t>(bytes, at) == 2);
  const auto info_size = take<std::uint32_t>(bytes, at);
  take<std::uint64_t>(bytes, at);
  CHECK(take<std::uint64_t>(bytes, at) == code);
  REQUIRE(take<std::uint64_t>(bytes, at) == 2);
  CHECK(take<std::uint64_t>(bytes, at) == code);
  CHECK(take<std::uint32_t>(bytes, at) == 7);
  take<std::uint32_t>(bytes, at);
  CHECK(take_text(bytes, at) == "src/lib.cairn");
  CHECK(take<std::uint64_t>(bytes, at) == code + 3);
  CHECK(take<std::uint32_t>(bytes, at) == 210);
  take<std::uint32_t>(bytes, at);
  CHECK(take_text(bytes, at) == "src/other.cairn");
  CHECK(at == info + info_size);

  const std::size_t load = at;
  CHECK(take<std::uint32_t>(bytes, at) == 0);
  const auto load_size = take<std::uint32_t>(bytes, at);
  take<std::uint64_t>(bytes, at);
  CHECK(take<std::uint32_t>(bytes, at) == static_cast<std::uint32_t>(::getpid()));
  take<std::uint32_t>(bytes, at);
  CHECK(take<std::uint64_t>(bytes, at) == code);
  CHECK(take<std::uint64_t>(bytes, at) == code);
  CHECK(take<std::uint64_t>(bytes, at) == sizeof(kCode));
  CHECK(take<std::uint64_t>(bytes, at) == 0);
  CHECK(take_text(bytes, at) == "lib.rising[u64]");
  CHECK(bytes.substr(at) == std::string(reinterpret_cast<const char*>(kCode), sizeof(kCode)));
  CHECK(bytes.size() == load + load_size);
}

TEST_CASE("code lies where it may be run and not be written, for a debugger too", "[jit]") {
  for (const bool for_debugger : {false, true}) {
    jit::CodeMemory memory(for_debugger);
    std::uintptr_t before = 0;
    for (int round = 0; round < 40; ++round) {
      asmjit::CodeHolder holder;
      holder.init(asmjit::Environment::host());
      asmjit::x86::Assembler a(&holder);
      a.mov(asmjit::x86::eax, round);
      a.ret();
      void* const placed = memory.place(holder);
      REQUIRE(placed != nullptr);
      CHECK(reinterpret_cast<int (*)()>(placed)() == round);
      const auto page = reinterpret_cast<std::uintptr_t>(placed) / 4096;
      if (for_debugger) CHECK(page != before);
      before = page;
      std::ifstream maps("/proc/self/maps");
      for (std::string line; std::getline(maps, line);) {
        std::uintptr_t begin = 0, end = 0;
        char rights[5] = {};
        if (std::sscanf(line.c_str(), "%lx-%lx %4s", &begin, &end, rights) != 3) continue;
        const auto address = reinterpret_cast<std::uintptr_t>(placed);
        if (begin <= address && address < end) CHECK(std::string(rights).starts_with("r-x"));
      }
    }
  }
}

}  // namespace cairn::tests
