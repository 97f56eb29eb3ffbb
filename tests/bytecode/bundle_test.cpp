#include "vm/bytecode/bundle.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "vm/bytecode/text.hpp"

namespace cairn::bytecode {
namespace {

Module small_module() {
  auto module = read_text(R"(
module "small"
file 0 "a.cairn"
text 0 "hello\n"
type 0 u64
type 1 record "R" size 16 align 8 ("a" 0 @0, "b" 0 @8)
type 2 buf 1
signature 0 () -> i32
signature 1 (u64, view 0) -> u64
entry 0
test 2
signature 2 ()
function 0 "main" signature 0 kind plain environment none parent none at 0:1:1 slots 9 memory 16 align 16
  r0 i32 "status"
  @0 1 "object"
  : const r0 -1 at 0:2:10
  : frame.zero 0 16 at 0:1:3
  : return.value r0 at 0:2:3
end
function 1 "sum" signature 1 kind plain environment none parent none at 0:4:1 slots 9 memory 0 align 16
  r0 u64
  r1 view 0
  r3 u64
  : const r3 0
  : jump.le.u r2 r3 L1
  L0:
  : add.u64 r0 r0 r2
  : loop.next r3 r2 L0
  L1:
  : return.value r0
end
function 2 "test" signature 2 kind test environment none parent none at 0:9:1 slots 4 memory 0 align 16
  : return
end
)");
  if (!module) FAIL(module.error());
  return std::move(*module);
}

std::expected<Bundle, BundleError> load(const std::string& bytes) {
  return read_bundle(std::as_bytes(std::span(bytes)));
}

/// The same bytes with the digests they now have.
std::string sealed(std::string bytes) {
  seal_bundle(std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

}  // namespace

TEST_CASE("a bundle gives back its module, source digest and interface", "[bundle]") {
  const Module module = small_module();
  const std::string bytes = write_bundle(module, {1, 2}, "{}");
  const auto bundle = load(bytes);
  if (!bundle) FAIL(bundle.error().message);
  CHECK(bundle->source == Digest{1, 2});
  CHECK(bundle->interface == "{}");
  CHECK(write_text(bundle->module) == write_text(module));
  CHECK(write_bundle(bundle->module, {1, 2}, "{}") == bytes);
  CHECK(bytecode_digest(bundle->module) == bytecode_digest(module));
}

TEST_CASE("a damaged byte anywhere is noticed", "[bundle]") {
  const std::string bytes = write_bundle(small_module(), {1, 2});
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x40);
    const auto bundle = load(damaged);
    INFO(at);
    CHECK_FALSE(bundle);
  }
  for (std::size_t size = 0; size < bytes.size(); size += 7) CHECK_FALSE(load(bytes.substr(0, size)));
  CHECK_FALSE(load(bytes + "x"));
}

TEST_CASE("another version and another file are told apart from damage", "[bundle]") {
  std::string bytes = write_bundle(small_module(), {});
  CHECK(load("plain text").error().kind == BundleError::Kind::NotABundle);
  CHECK(load("").error().kind == BundleError::Kind::NotABundle);
  bytes[8] = static_cast<char>(kBundleVersion + 1);
  const auto other = load(bytes);
  CHECK(other.error().kind == BundleError::Kind::OtherVersion);
  CHECK(other.error().message == "the bundle has format version " + std::to_string(kBundleVersion + 1) +
                                     ", this program reads " + std::to_string(kBundleVersion));
  CHECK(is_bundle(std::as_bytes(std::span(bytes))));
}

TEST_CASE("a bundle whose digest is right and whose content is not does not load, or is accepted whole", "[bundle]") {
  const std::string bytes = write_bundle(small_module(), {});
  std::mt19937 random(29);
  std::size_t accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string changed = bytes;
    for (unsigned k = random() % 4 + 1; k != 0; --k) {
      changed[kHeaderBytes + random() % (changed.size() - kHeaderBytes)] = static_cast<char>(random());
    }
    const auto bundle = load(sealed(std::move(changed)));
    accepted += bundle.has_value();
    if (!bundle) CHECK(bundle.error().kind == BundleError::Kind::Damaged);
  }
  CHECK(accepted < 20000);
}

TEST_CASE("a module the verifier refuses does not load", "[bundle]") {
  Module module = small_module();
  module.functions[1].code[0] = kOperationCount;
  const auto bundle = load(write_bundle(module, {}));
  REQUIRE_FALSE(bundle);
  CHECK(bundle.error().message == "function sum, word 0: no operation");
}

}  // namespace cairn::bytecode
