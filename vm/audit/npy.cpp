#include "vm/audit/npy.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

namespace cairn::audit {

namespace {

using reference::Format;

constexpr std::string_view kMagic = "\x93NUMPY";

struct Header {
  std::optional<std::string_view> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
};

/// The header's text: a Python dictionary of three keys.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : rest_(text) {}

  /// Nothing when the text is no such dictionary.
  std::optional<Header> header() {
    Header made;
    if (!takes('{')) return std::nullopt;
    while (!takes('}')) {
      const auto key = text();
      if (!key || !takes(':') || !member(*key, made)) return std::nullopt;
      if (!takes(',') && !ahead('}')) return std::nullopt;
    }
    spaces();
    if (!rest_.empty() || !made.descr || !made.fortran_order || !made.shape) return std::nullopt;
    return made;
  }

 private:
  bool member(std::string_view key, Header& into) {
    if (key == "descr" && !into.descr) return (into.descr = text()).has_value();
    if (key == "fortran_order" && !into.fortran_order) return (into.fortran_order = truth()).has_value();
    if (key == "shape" && !into.shape) return (into.shape = numbers()).has_value();
    return false;
  }

  void spaces() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) rest_.remove_prefix(1);
  }
  bool ahead(char c) {
    spaces();
    return rest_.starts_with(c);
  }
  bool takes(char c) {
    if (!ahead(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool takes(std::string_view word) {
    spaces();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::optional<std::string_view> text() {
    const char quote = ahead('\'') ? '\'' : '"';
    if (!takes(quote)) return std::nullopt;
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view inside = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return inside;
  }

  std::optional<bool> truth() {
    if (takes("True")) return true;
    if (takes("False")) return false;
    return std::nullopt;
  }

  std::optional<std::vector<std::uint64_t>> numbers() {
    std::vector<std::uint64_t> made;
    if (!takes('(')) return std::nullopt;
    while (!takes(')')) {
      spaces();
      std::uint64_t number = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc()) return std::nullopt;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      made.push_back(number);
      if (!takes(',') && !(ahead(')') && made.size() > 1)) return std::nullopt;  // (3) is no tuple
    }
    return made;
  }

  std::string_view rest_;
};

std::vector<std::string_view> types_of(Format format, bool boolean) {
  if (boolean) return {"|b1"};
  switch (format) {
    case Format::F16:
      return {"<f2"};
    case Format::F32:
      return {"<f4"};
    case Format::F64:
      return {"<f8"};
    case Format::Bf16:
      return {"<V2", "|V2", "<u2"};
    case Format::F8E4M3:
    case Format::F8E5M2:
      return {"|V1", "|u1", "<V1"};
  }
  return {};
}

std::string shown(const auto& numbers) {
  std::string text;
  for (const auto number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "(" + text + ")";
}

/// Text of a file as a refusal may show it.
std::string printable(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string made;
  for (const char c : text.substr(0, kMost)) made += c >= ' ' && c <= '~' ? c : '?';
  return made + (text.size() > kMost ? "..." : "");
}

}  // namespace

std::expected<std::string_view, std::string> npy_elements(std::string_view file, Format format, bool boolean,
                                                          const reference::Shape& shape) {
  const auto byte = [&](std::size_t at) { return static_cast<std::size_t>(static_cast<unsigned char>(file[at])); };
  constexpr std::size_t kVersion = 8;  // bytes up to the header's length
  if (!file.starts_with(kMagic) || file.size() < kVersion) return std::unexpected("is no file of NumPy");
  const std::size_t major = byte(6);
  if (major < 1 || major > 3 || byte(7) != 0) {
    return std::unexpected("has version " + std::to_string(major) + "." + std::to_string(byte(7)) +
                           " of NumPy's format, and 1.0 to 3.0 are read");
  }
  const std::size_t begin = kVersion + (major == 1 ? 2 : 4);
  if (file.size() < begin) return std::unexpected("ends in its header");
  std::size_t length = 0;
  for (std::size_t at = begin; at-- > kVersion;) length = length << 8U | byte(at);
  if (length > file.size() - begin) return std::unexpected("ends in its header");
  const auto header = HeaderReader(file.substr(begin, length)).header();
  if (!header) {
    return std::unexpected(
        "has a header that is no dictionary of descr, fortran_order and shape, a text, a truth and "
        "a tuple of sizes");
  }
  const auto types = types_of(format, boolean);
  if (std::ranges::find(types, *header->descr) == types.end()) {
    return std::unexpected("has elements of type '" + printable(*header->descr) + "', and " +
                           (boolean ? "bool" : std::string(reference::info(format).name)) + " is '" +
                           std::string(types.front()) + "'");
  }
  if (*header->fortran_order) return std::unexpected("is in Fortran order, and C order is read");
  if (!std::ranges::equal(*header->shape, shape)) {
    return std::unexpected("has shape " + shown(*header->shape) + ", and the sizes make it " + shown(shape));
  }
  const std::size_t width = boolean ? 1 : static_cast<std::size_t>(reference::info(format).bits / 8);
  const std::size_t wanted = reference::element_count(shape) * width;
  const std::string_view elements = file.substr(begin + length);
  if (elements.size() != wanted) {
    return std::unexpected("has " + std::to_string(elements.size()) + " bytes of elements, and its shape takes " +
                           std::to_string(wanted));
  }
  return elements;
}

}  // namespace cairn::audit
