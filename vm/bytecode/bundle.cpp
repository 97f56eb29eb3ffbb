#include "vm/bytecode/bundle.hpp"

#include <xxhash.h>

#include <cstdio>
#include <cstring>

#include "vm/bytecode/bundle_sections.hpp"
#include "vm/bytecode/verifier.hpp"

namespace cairn::bytecode {
namespace {

constexpr std::string_view kMagic = "CAIRNCBC";
// The magic, format version and count of sections, then the digests: of the sources, of what stands behind the header,
// and of the header before it.
constexpr std::size_t kSourceAt = 16;
constexpr std::size_t kBodyAt = 32;
constexpr std::size_t kHeaderAt = 48;
constexpr std::size_t kSectionHeaderBytes = 12;

template <class T>
void append(std::string& bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  bytes.append(raw, sizeof(T));
}

template <class T>
T read_at(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string write_body(const Module& module, const std::string& interface) {
  std::string body;
  for (std::uint32_t kind = 1; kind <= kSectionCount; ++kind) {
    SectionWriter writer;
    write_section(static_cast<Section>(kind), module, interface, writer);
    const std::string section = writer.take();
    append(body, kind);
    append(body, std::uint64_t{section.size()});
    body += section;
  }
  return body;
}

void store_digest(std::span<std::byte> at, const Digest& digest) {
  std::memcpy(at.data(), &digest.low, sizeof(digest.low));
  std::memcpy(at.data() + sizeof(digest.low), &digest.high, sizeof(digest.high));
}

Digest read_digest(std::string_view bytes, std::size_t offset) {
  return {read_at<std::uint64_t>(bytes, offset), read_at<std::uint64_t>(bytes, offset + sizeof(std::uint64_t))};
}

std::unexpected<BundleError> damaged(std::string why) {
  return std::unexpected(BundleError{BundleError::Kind::Damaged, std::move(why)});
}

}  // namespace

Digest digest_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

std::string hex(const Digest& digest) {
  char text[33];
  std::snprintf(text, sizeof(text), "%016llx%016llx", static_cast<unsigned long long>(digest.high),
                static_cast<unsigned long long>(digest.low));
  return text;
}

bool is_bundle(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

std::string write_bundle(const Module& module, const Digest& source, const std::string& interface) {
  std::string bytes(kMagic);
  append(bytes, kBundleVersion);
  append(bytes, kSectionCount);
  bytes.resize(kHeaderBytes);
  bytes += write_body(module, interface);
  const auto raw = std::as_writable_bytes(std::span(bytes));
  store_digest(raw.subspan(kSourceAt), source);
  seal_bundle(raw);
  return bytes;
}

void seal_bundle(std::span<std::byte> bundle) {
  store_digest(bundle.subspan(kBodyAt), digest_of(bundle.subspan(kHeaderBytes)));
  store_digest(bundle.subspan(kHeaderAt), digest_of(bundle.first(kHeaderAt)));
}

Digest bytecode_digest(const Module& module) {
  const std::string body = write_body(module, {});
  return digest_of(std::as_bytes(std::span(body)));
}

std::expected<Bundle, BundleError> read_bundle(std::span<const std::byte> file) {
  if (!is_bundle(file)) return std::unexpected(BundleError{BundleError::Kind::NotABundle, "not a bytecode bundle"});
  std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  if (bytes.size() < kHeaderBytes) return damaged("the bundle is cut short");
  const auto version = read_at<std::uint32_t>(bytes, 8);
  if (version != kBundleVersion) {
    return std::unexpected(
        BundleError{BundleError::Kind::OtherVersion, "the bundle has format version " + std::to_string(version) +
                                                         ", this program reads " + std::to_string(kBundleVersion)});
  }
  Bundle bundle;
  bundle.source = read_digest(bytes, kSourceAt);
  bundle.bytecode = read_digest(bytes, kBodyAt);
  if (digest_of(file.first(kHeaderAt)) != read_digest(bytes, kHeaderAt) ||
      digest_of(file.subspan(kHeaderBytes)) != bundle.bytecode)
    return damaged("the bundle's bytes are not those it was written with");
  if (read_at<std::uint32_t>(bytes, 12) != kSectionCount) return damaged("the bundle has other sections");
  bytes.remove_prefix(kHeaderBytes);
  for (std::uint32_t kind = 1; kind <= kSectionCount; ++kind) {
    if (bytes.size() < kSectionHeaderBytes || read_at<std::uint32_t>(bytes, 0) != kind)
      return damaged("a section is missing");
    const auto size = read_at<std::uint64_t>(bytes, 4);
    bytes.remove_prefix(kSectionHeaderBytes);
    if (size > bytes.size()) return damaged("a section is cut short");
    SectionReader reader(bytes.substr(0, size));
    read_section(static_cast<Section>(kind), bundle.module, bundle.interface, reader);
    if (!reader.done()) return damaged("section " + std::to_string(kind) + " does not read");
    bytes.remove_prefix(size);
  }
  if (!bytes.empty()) return damaged("the bundle has bytes past its end");
  if (const auto fault = verify(bundle.module)) return damaged(describe(*fault, bundle.module));
  return bundle;
}

}  // namespace cairn::bytecode
