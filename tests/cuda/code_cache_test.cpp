// The cache of compiled kernels: what it keeps, what damage does, and how far it grows.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <sys/stat.h>

#include "cuda/cache/code_cache.hpp"
#include "cuda/nvrtc/places.hpp"
#include "cuda/tools.hpp"

namespace {

namespace fs = std::filesystem;
using namespace cairn::cuda;  // NOLINT

class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "cairn-cache-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  fs::path path;
};

CacheKey key_of(std::string_view text) {
  const std::string_view parts[] = {text};
  return cache_key(parts);
}
std::vector<std::uint8_t> bytes_of(std::size_t size, std::uint8_t value) {
  return std::vector<std::uint8_t>(size, value);
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& each : fs::directory_iterator(folder)) {
    if (each.path().extension() == ".code") all.push_back(each.path());
  }
  return all;
}

}  // namespace

TEST_CASE("an entry is found under its key alone, with the bytes it was stored with", "[cache]") {
  const Folder folder;
  const CodeCache cache(folder.path / "made" / "when needed");
  CHECK_FALSE(cache.find(key_of("a")));
  REQUIRE(cache.store(key_of("a"), bytes_of(1000, 7)));
  CHECK(cache.find(key_of("a")) == bytes_of(1000, 7));
  CHECK_FALSE(cache.find(key_of("b")));
  REQUIRE(cache.store(key_of("a"), bytes_of(3, 8)));
  CHECK(cache.find(key_of("a")) == bytes_of(3, 8));
  CHECK(cache.state().entries == 1);
  CHECK(cache.state().problem.empty());
  CHECK(cache.clear().removed == 1);
  CHECK_FALSE(cache.find(key_of("a")));
}

TEST_CASE("parts of a key are told apart by where they end", "[cache]") {
  const std::string_view one[] = {"ab", "c"};
  const std::string_view other[] = {"a", "bc"};
  CHECK(cache_key(one) != cache_key(other));
}

TEST_CASE("an entry that was cut short, changed or swapped is removed and not used", "[cache]") {
  const Folder folder;
  const CodeCache cache(folder.path);
  const auto damaged = [&](auto damage) {
    REQUIRE(cache.store(key_of("a"), bytes_of(500, 7)));
    damage(entries(folder.path).at(0));
    const bool is_used = cache.find(key_of("a")).has_value();
    return !is_used && entries(folder.path).empty();
  };
  for (const std::uint64_t size : {0ULL, 10ULL, 47ULL, 48ULL, 547ULL}) {
    CHECK(damaged([&](const fs::path& path) { fs::resize_file(path, size); }));
  }
  for (const std::streamoff at : {0, 9, 30, 33, 100, 547}) {
    CHECK(damaged([&](const fs::path& path) {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(at);
      const int byte = file.get();
      file.seekp(at);
      file.put(static_cast<char>(byte ^ 1));
    }));
  }
  CHECK(damaged([&](const fs::path& path) { std::ofstream(path, std::ios::app) << 'x'; }));
  REQUIRE(cache.store(key_of("b"), bytes_of(500, 7)));
  const fs::path of_b = entries(folder.path).at(0);
  CHECK(damaged([&](const fs::path& path) {
    const fs::path of_a = path == of_b ? entries(folder.path).at(1) : path;
    fs::rename(of_b, of_a);
  }));
}

TEST_CASE("past its limit the cache gives up what was unused longest", "[cache]") {
  const Folder folder;
  const CodeCache cache(folder.path, 10'000);
  for (int k = 0; k < 30; ++k) {
    REQUIRE(cache.store(key_of(std::to_string(k)), bytes_of(900, 1)));
    CHECK(cache.state().bytes <= 10'000);
    CHECK(cache.find(key_of("0")));  // used again and again
  }
  CHECK(cache.find(key_of("29")));
  CHECK(cache.find(key_of("0")));
  CHECK_FALSE(cache.find(key_of("1")));
  CHECK_FALSE(cache.store(key_of("too large"), bytes_of(20'000, 1)));
}

TEST_CASE("what the cache did not make stays, in whatever folder it is", "[cache]") {
  const Folder folder;
  const fs::path others[] = {folder.path / "notes.code", folder.path / "0123456789abcdef.code",
                             folder.path / "film.part"};
  for (const fs::path& other : others) {
    std::ofstream(other) << std::string(3000, 'x');
    fs::last_write_time(other, fs::file_time_type::clock::now() - std::chrono::hours(48));
  }
  const CodeCache cache(folder.path, 2000);
  for (int k = 0; k < 4; ++k) REQUIRE(cache.store(key_of(std::to_string(k)), bytes_of(900, 1)));
  const CacheState held = cache.state();
  CHECK(held.bytes <= 2000);
  CHECK(cache.clear().removed == held.entries);
  for (const fs::path& other : others) CHECK(fs::exists(other));
}

TEST_CASE("an entry nobody finished goes when an hour has passed", "[cache]") {
  const Folder folder;
  const CodeCache cache(folder.path);
  const std::string stem(32, 'a');
  const fs::path old = folder.path / (stem + ".1.0.part");
  const fs::path young = folder.path / (stem + ".1.1.part");
  for (const fs::path& each : {old, young}) std::ofstream(each) << "x";
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  REQUIRE(cache.store(key_of("a"), bytes_of(10, 1)));
  CHECK_FALSE(fs::exists(old));
  CHECK(fs::exists(young));
}

TEST_CASE("writers and readers of one entry never see half of it", "[cache]") {
  const Folder folder;
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const CodeCache cache(folder.path);
      for (int k = 0; k < 50; ++k) {
        if (t % 2 == 0) cache.store(key_of("a"), bytes_of(4000, static_cast<std::uint8_t>(k)));
        const auto found = cache.find(key_of("a"));
        if (found && *found != bytes_of(4000, found->at(0))) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(entries(folder.path).size() == 1);
}

TEST_CASE("a folder that cannot be made is no cache, and no error", "[cache]") {
  const CodeCache cache("/proc/no such folder");
  CHECK_FALSE(cache.store(key_of("a"), bytes_of(10, 1)));
  CHECK_FALSE(cache.find(key_of("a")));
  CHECK(cache.clear().removed == 0);
  CHECK(cache.clear().left == 0);
}

TEST_CASE("what stands in the way of keeping anything is told", "[cache]") {
  const Folder folder;
  CHECK(CodeCache(folder.path / "made" / "later").state().problem.empty());
  std::ofstream(folder.path / "file") << "x";
  CHECK(CodeCache(folder.path / "file").state().problem == "nothing can be kept there: Not a directory");
  CHECK(CodeCache(folder.path / "file" / "below").state().problem == "nothing can be kept there: Not a directory");
  CHECK(CodeCache({}).state().problem == "neither CAIRN_CACHE_DIR, XDG_CACHE_HOME nor HOME names a folder");
}

TEST_CASE("what lies in an entry's place and is no file is not waited for", "[cache]") {
  const Folder folder;
  const CodeCache cache(folder.path);
  REQUIRE(cache.store(key_of("a"), bytes_of(10, 1)));
  const fs::path entry = entries(folder.path).at(0);
  fs::remove(entry);
  REQUIRE(::mkfifo(entry.c_str(), 0600) == 0);
  CHECK_FALSE(cache.find(key_of("a")));
  REQUIRE(cache.store(key_of("a"), bytes_of(10, 2)));
  CHECK(cache.find(key_of("a")) == bytes_of(10, 2));
  fs::remove(entry);
  fs::create_directory(entry);
  CHECK_FALSE(cache.find(key_of("a")));
  CHECK_FALSE(cache.store(key_of("a"), bytes_of(10, 3)));
  CHECK(cache.clear().left == 0);  // a folder is no entry
}

TEST_CASE("ptxas that says nothing, or cannot run, is told with its place", "[cache]") {
  const Folder folder;
  fs::create_directories(folder.path / "bin");
  const fs::path ptxas = folder.path / "bin" / "ptxas";
  const auto said = [&](const std::string& script) {
    std::ofstream(ptxas) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(ptxas, fs::perms::owner_all);
    ::setenv("CAIRN_CUDA", folder.path.c_str(), 1);
    const auto resources = resources_of("// nothing", "sm_90");
    ::unsetenv("CAIRN_CUDA");
    REQUIRE_FALSE(resources);
    return resources.error();
  };
  const std::string shown = "ptxas (" + ptxas.string() + ")";
  CHECK(said("exit 3") == shown + " ended with status 3 and said nothing");
  CHECK(said("kill -9 $$") == shown + " does not run, or was ended by a signal");
  CHECK(said("exit 0") == shown + " does not say what the kernel takes");
  CHECK(said("echo 'no such option' >&2; exit 1") == shown + " refuses the kernel:\nno such option\n");
}

TEST_CASE("a toolkit that the user names comes before every other", "[cache]") {
  const Folder folder;
  fs::create_directories(folder.path / "lib64");
  std::ofstream(folder.path / "lib64" / "libnvrtc.so") << "x";
  ::setenv("CAIRN_CUDA", folder.path.c_str(), 1);
  const auto places = library_places({"libnvrtc.so"}, {});
  ::unsetenv("CAIRN_CUDA");
  CHECK(places.at(0) == (folder.path / "lib64" / "libnvrtc.so").string());
  CHECK(std::ranges::count(places, "libnvrtc.so") == 1);  // what the loader finds by itself
}

TEST_CASE("what ptxas prints of an entry and of what it calls is taken apart", "[cache]") {
  const auto read = read_resources(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'region' for 'sm_90'\n"
      "ptxas info    : Function properties for region\n"
      "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 18 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem\n"
      "ptxas info    : Function properties for helper\n"
      "    0 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n");
  REQUIRE(read.size() == 1);
  CHECK(read[0].entry == "region");
  CHECK(read[0].registers == 18);
  CHECK(read[0].shared_bytes == 1024);
  CHECK(read[0].stack_bytes == 16);
  CHECK(read[0].spill_stores == 12);
  CHECK(read[0].spill_loads == 16);
}
