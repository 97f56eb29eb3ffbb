// SHA-256 (FIPS 180-4), for the digests that records and receipts name. Nothing secret is hashed with it.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

/// The digest of the bytes as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string sha256_hex(std::string_view bytes);

}  // namespace cairn
