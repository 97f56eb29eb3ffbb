// Compiled kernels on disk, by content: an entry's name is the XXH3-128 of everything its code follows from. Processes
// share the folder without waiting for each other: an entry is written under a name of its own and renamed into place,
// so that a reader sees a whole entry or none, and its digest is compared before it is used. The folder is a
// convenience: without one, or when it cannot be written, kernels are compiled each time.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cairn::cuda {

/// 16 bytes, as XXH3-128 writes them canonically.
using CacheKey = std::array<std::uint8_t, 16>;
/// Of several texts, each with its length.
[[nodiscard]] CacheKey cache_key(std::span<const std::string_view> parts);

struct CacheState {
  std::filesystem::path folder;
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t limit = 0;
  std::string problem;  // why nothing is kept; empty when something can be
};

struct ClearedCache {
  std::uint64_t removed = 0;
  std::uint64_t left = 0;  // entries that could not be removed
  std::string why;         // the system's reason
};

class CodeCache {
 public:
  static constexpr std::uint64_t kDefaultLimit = std::uint64_t{256} << 20;

  /// In `folder`, which need not be there; none when it is empty.
  explicit CodeCache(std::filesystem::path folder, std::uint64_t limit = kDefaultLimit)
      : folder_(std::move(folder)), limit_(limit) {}

  /// CAIRN_CACHE_DIR, else cairn/device below XDG_CACHE_HOME or ~/.cache; empty when there is none of them.
  [[nodiscard]] static std::filesystem::path default_folder();

  /// The entry's bytes; a damaged one is removed and not there.
  [[nodiscard]] std::optional<std::vector<std::uint8_t>> find(const CacheKey& key) const;
  /// Adds the entry; when the folder grows past its limit, those longest unused go first. False when it was not kept.
  bool store(const CacheKey& key, std::span<const std::uint8_t> bytes) const;

  [[nodiscard]] CacheState state() const;
  /// Removes every entry.
  ClearedCache clear() const;

 private:
  [[nodiscard]] std::filesystem::path path_of(const CacheKey& key) const;
  void trim() const;

  std::filesystem::path folder_;
  std::uint64_t limit_;
};

}  // namespace cairn::cuda
