// Any bytes as a file to format: it is left alone with a reason, or laid out so that formatting it again changes
// nothing. That tokens and comments are kept is what the formatter verifies itself; here it must never have to refuse
// for it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "frontend/syntax/formatter.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto once = cairn::syntax::format(text);
  if (!once) {
    if (once.error().starts_with("Its layout")) std::abort();
    return 0;
  }
  const auto again = cairn::syntax::format(*once);
  if (!again || *again != *once) std::abort();
  return 0;
}
