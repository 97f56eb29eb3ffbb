// Any bytes as a bundle: they load or are refused, and what loads writes back and prints. The digests are made to fit,
// so that the sections and the verifier are reached.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "vm/bytecode/bundle.hpp"
#include "vm/bytecode/bundle_sections.hpp"
#include "vm/bytecode/text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn::bytecode;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.size() >= kHeaderBytes) {
    const std::uint32_t header[2] = {kBundleVersion, kSectionCount};
    std::memcpy(bytes.data(), "CAIRNCBC", 8);
    std::memcpy(bytes.data() + 8, header, sizeof(header));
    seal_bundle(std::as_writable_bytes(std::span(bytes)));
  }
  const auto bundle = read_bundle(std::as_bytes(std::span(bytes)));
  if (!bundle) return 0;
  const auto again = read_text(write_text(bundle->module));
  if (!again) __builtin_trap();
  const std::string written = write_bundle(bundle->module, bundle->source, bundle->interface);
  if (!read_bundle(std::as_bytes(std::span(written)))) __builtin_trap();
  return 0;
}
