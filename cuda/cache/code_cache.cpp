#include "cuda/cache/code_cache.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace cairn::cuda {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kSuffix = ".code";
constexpr std::string_view kUnfinished = ".part";
constexpr std::time_t kAbandoned = 3600;  // seconds after which an unfinished entry is nobody's any more

/// Before an entry's bytes.
struct Head {
  std::array<char, 8> magic{'C', 'A', 'I', 'R', 'N', 'D', 'C', '1'};
  CacheKey key{};
  std::uint64_t size = 0;
  CacheKey digest{};
};
static_assert(sizeof(Head) == 48);

CacheKey canonical(XXH128_hash_t hash) {
  XXH128_canonical_t text;
  XXH128_canonicalFromHash(&text, hash);
  CacheKey key;
  std::memcpy(key.data(), text.digest, key.size());
  return key;
}

/// A file that is closed again.
class File {
 public:
  File(const fs::path& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  explicit operator bool() const { return descriptor_ >= 0; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

  [[nodiscard]] bool read(void* to, std::size_t bytes) const {
    auto* at = static_cast<std::uint8_t*>(to);
    while (bytes != 0) {
      const ::ssize_t got = ::read(descriptor_, at, bytes);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      bytes -= static_cast<std::size_t>(got);
    }
    return true;
  }
  [[nodiscard]] bool write(const void* from, std::size_t bytes) const {
    const auto* at = static_cast<const std::uint8_t*>(from);
    while (bytes != 0) {
      const ::ssize_t put = ::write(descriptor_, at, bytes);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return false;
      at += put;
      bytes -= static_cast<std::size_t>(put);
    }
    return true;
  }

 private:
  int descriptor_;
};

constexpr std::string_view kDigits = "0123456789abcdef";

/// Whether the cache made a file of that name: a folder that the user names may hold others.
bool is_own(std::string_view name, std::string_view suffix) {
  return name.find_first_not_of(kDigits) == 2 * sizeof(CacheKey) && name.ends_with(suffix);
}

struct EntryFile {
  fs::path path;
  std::uint64_t bytes = 0;
  std::int64_t used = 0;  // nanoseconds
};

/// The folder's entries, and unfinished ones that nobody writes any more.
struct Listing {
  std::vector<EntryFile> entries;
  std::vector<fs::path> abandoned;
};
Listing list(const fs::path& folder) {
  Listing listing;
  const std::time_t now = std::time(nullptr);
  std::error_code error;
  for (fs::directory_iterator each(folder, error); !error && each != fs::directory_iterator(); each.increment(error)) {
    struct ::stat status{};
    if (::lstat(each->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    const std::string name = each->path().filename().string();
    if (is_own(name, kSuffix)) {
      listing.entries.push_back({each->path(), static_cast<std::uint64_t>(status.st_size),
                                 std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec});
    } else if (is_own(name, kUnfinished) && now - status.st_mtim.tv_sec > kAbandoned) {
      listing.abandoned.push_back(each->path());
    }
  }
  return listing;
}

/// The system's reason why nothing can be written below a folder that may not be there yet.
std::string why_not_written(const fs::path& folder) {
  std::error_code error;
  fs::path at = fs::absolute(folder, error).lexically_normal();
  while (!fs::exists(at, error) && at.has_parent_path() && at != at.parent_path()) {
    if (error && error != std::errc::no_such_file_or_directory) return error.message();
    at = at.parent_path();
  }
  if (!fs::is_directory(at, error)) return std::strerror(ENOTDIR);
  return ::access(at.c_str(), W_OK | X_OK) == 0 ? std::string() : std::strerror(errno);
}

}  // namespace

CacheKey cache_key(std::span<const std::string_view> parts) {
  XXH3_state_t* const state = XXH3_createState();
  XXH3_128bits_reset(state);
  for (const std::string_view part : parts) {
    const std::uint64_t size = part.size();
    XXH3_128bits_update(state, &size, sizeof(size));
    XXH3_128bits_update(state, part.data(), part.size());
  }
  const CacheKey key = canonical(XXH3_128bits_digest(state));
  XXH3_freeState(state);
  return key;
}

fs::path CodeCache::default_folder() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  if (const fs::path named = variable("CAIRN_CACHE_DIR"); !named.empty()) return named;
  if (const fs::path base = variable("XDG_CACHE_HOME"); base.is_absolute()) return base / "cairn" / "device";
  if (const fs::path home = variable("HOME"); home.is_absolute()) return home / ".cache" / "cairn" / "device";
  return {};
}

fs::path CodeCache::path_of(const CacheKey& key) const {
  std::string name;
  for (const std::uint8_t byte : key) {
    name += kDigits[byte >> 4];
    name += kDigits[byte & 15];
  }
  return folder_ / (name + std::string(kSuffix));
}

std::optional<std::vector<std::uint8_t>> CodeCache::find(const CacheKey& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path path = path_of(key);
  const File file(path, O_RDONLY | O_NONBLOCK);  // what lies there may be a named pipe
  if (!file) return std::nullopt;
  struct ::stat status{};
  Head head;
  std::vector<std::uint8_t> bytes;
  const bool is_whole = [&] {
    if (::fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
    if (status.st_size < static_cast<::off_t>(sizeof(Head))) return false;
    if (!file.read(&head, sizeof(head)) || head.magic != Head{}.magic || head.key != key) return false;
    if (head.size != static_cast<std::uint64_t>(status.st_size) - sizeof(Head)) return false;
    bytes.resize(head.size);
    if (!file.read(bytes.data(), bytes.size())) return false;
    return canonical(XXH3_128bits(bytes.data(), bytes.size())) == head.digest;
  }();
  if (!is_whole) {
    ::unlink(path.c_str());
    return std::nullopt;
  }
  ::futimens(file.descriptor(), nullptr);  // it was used now
  return bytes;
}

bool CodeCache::store(const CacheKey& key, std::span<const std::uint8_t> bytes) const {
  if (folder_.empty() || bytes.size() + sizeof(Head) > limit_) return false;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return false;
  static std::atomic<std::uint64_t> counter{0};
  const fs::path path = path_of(key);
  const fs::path part = folder_ / (path.stem().string() + "." + std::to_string(::getpid()) + "." +
                                   std::to_string(counter.fetch_add(1)) + std::string(kUnfinished));
  Head head;
  head.key = key;
  head.size = bytes.size();
  head.digest = canonical(XXH3_128bits(bytes.data(), bytes.size()));
  bool written = false;
  {
    const File file(part, O_WRONLY | O_CREAT | O_EXCL);
    if (!file) return false;
    // The rename must not reach the disk before the bytes do.
    written = file.write(&head, sizeof(head)) && file.write(bytes.data(), bytes.size()) &&
              ::fdatasync(file.descriptor()) == 0;
  }
  if (!written || ::rename(part.c_str(), path.c_str()) != 0) {
    ::unlink(part.c_str());
    return false;
  }
  trim();
  return true;
}

void CodeCache::trim() const {
  Listing listing = list(folder_);
  std::uint64_t bytes = 0;
  for (const EntryFile& entry : listing.entries) bytes += entry.bytes;
  if (bytes <= limit_ && listing.abandoned.empty()) return;
  const File lock(folder_ / "lock", O_RDWR | O_CREAT);
  if (!lock || ::flock(lock.descriptor(), LOCK_EX | LOCK_NB) != 0) return;  // another process does it
  for (const fs::path& path : listing.abandoned) ::unlink(path.c_str());
  if (bytes <= limit_) return;
  std::ranges::sort(listing.entries, {}, &EntryFile::used);
  for (const EntryFile& entry : listing.entries) {
    if (bytes <= limit_ / 4 * 3) break;
    ::unlink(entry.path.c_str());
    bytes -= entry.bytes;
  }
}

CacheState CodeCache::state() const {
  CacheState state{folder_, 0, 0, limit_, {}};
  if (folder_.empty()) {
    state.problem = "neither CAIRN_CACHE_DIR, XDG_CACHE_HOME nor HOME names a folder";
    return state;
  }
  if (const std::string why = why_not_written(folder_); !why.empty())
    state.problem = "nothing can be kept there: " + why;
  for (const EntryFile& entry : list(folder_).entries) {
    ++state.entries;
    state.bytes += entry.bytes;
  }
  return state;
}

ClearedCache CodeCache::clear() const {
  ClearedCache cleared;
  if (folder_.empty()) return cleared;
  const Listing listing = list(folder_);
  for (const EntryFile& entry : listing.entries) {
    if (::unlink(entry.path.c_str()) == 0) {
      ++cleared.removed;
    } else if (errno != ENOENT) {  // another process was first
      ++cleared.left;
      cleared.why = std::strerror(errno);
    }
  }
  for (const fs::path& path : listing.abandoned) ::unlink(path.c_str());
  return cleared;
}

}  // namespace cairn::cuda
