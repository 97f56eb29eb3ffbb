// Any bytes as numbers, spellings, vector files and array folders: they are read or refused. What is read prints as a
// text that reads the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "runtime/reference/algorithm.hpp"
#include "runtime/reference/value.hpp"
#include "runtime/reference/vectors.hpp"
#include "vm/audit/operands.hpp"

namespace {

namespace ref = cairn::reference;

void numbers(std::string_view text) {
  if (const auto value = ref::parse(text)) {
    const auto again = ref::parse(ref::text(*value));  // refused where the exponent of the odd significand is too large
    if (again && !(*again == *value)) std::abort();
  }
  if (const auto rational = ref::parse_rational(text)) {
    if (!(*ref::parse_rational(ref::text(*rational)) == *rational)) std::abort();
  }
}

void spellings(std::string_view text) {
  const auto algorithm = ref::parse_algorithm(text);
  if (!algorithm) return;
  const std::string written = (*algorithm)->spelling();
  const auto again = ref::parse_algorithm(written);
  if (!again || (*again)->spelling() != written || (*algorithm)->description().empty()) std::abort();
}

void folders(std::string_view text) {
  static const std::filesystem::path folder = [] {
    std::string name = (std::filesystem::temp_directory_path() / "cairn-fuzz-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    return std::filesystem::path(name);
  }();
  std::ofstream(folder / "audit.json", std::ios::binary) << text;
  std::ofstream(folder / "a.bin", std::ios::binary) << "12345678";
  static_cast<void>(cairn::audit::read_folder(folder));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      numbers(text);
      break;
    case 1:
      spellings(text);
      break;
    case 2:
      static_cast<void>(ref::check_vectors(text, [](std::size_t, const std::string&) {}, nullptr));
      break;
    default:
      folders(text);
      break;
  }
  return 0;
}
