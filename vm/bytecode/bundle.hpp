// Bundles: a module as a file (.cbc), which `cairn build` writes and `cairn run` and embedding hosts load.
//
//   0   "CAIRNCBC"
//   8   format version, u32
//   12  number of sections, u32
//   16  XXH3-128 of the program's sources, low then high
//   32  XXH3-128 of everything from byte 48 on
//   48  sections: kind u32, length u64, then that many bytes
//
// All integers are little-endian; inside sections counts, indices and sizes are LEB128 and code words are 8 bytes each.
// A bundle of another version, a damaged one, or one whose module the verifier refuses does not load.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>

#include "vm/bytecode/module.hpp"

namespace cairn::bytecode {

inline constexpr std::uint32_t kBundleVersion = 4;
/// Where the sections begin.
inline constexpr std::size_t kHeaderBytes = 64;

/// An XXH3-128 digest.
struct Digest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  friend bool operator==(const Digest&, const Digest&) = default;
};
[[nodiscard]] Digest digest_of(std::span<const std::byte> bytes);
/// 32 hexadecimal digits, the high half first.
[[nodiscard]] std::string hex(const Digest& digest);

struct Bundle {
  Module module;
  Digest source;
  Digest bytecode;
  std::string interface;  // what else its writer wants a loader to know (tools, 13): opaque here
};

struct BundleError {
  enum class Kind : std::uint8_t { NotABundle, OtherVersion, Damaged };
  Kind kind{};
  std::string message;
};

/// True when the bytes begin as a bundle does, whatever its version.
[[nodiscard]] bool is_bundle(std::span<const std::byte> bytes);
/// The file's bytes. Equal modules give equal bytes.
[[nodiscard]] std::string write_bundle(const Module& module, const Digest& source, const std::string& interface = {});
/// Writes the digests that the bytes of a bundle of at least `kHeaderBytes` ask for: they tell of damage, they prove
/// nothing.
void seal_bundle(std::span<std::byte> bundle);
/// A verified module, or why it does not load.
[[nodiscard]] std::expected<Bundle, BundleError> read_bundle(std::span<const std::byte> bytes);
/// The digest `write_bundle` would write: of the module alone, without an interface.
[[nodiscard]] Digest bytecode_digest(const Module& module);

}  // namespace cairn::bytecode
