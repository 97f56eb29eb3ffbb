#include "vm/bytecode/vendored_source.hpp"

#include <charconv>

namespace cairn::bytecode {

namespace {

constexpr std::string_view kSourceMark = "cuda source\n";

void put(std::string& to, std::string_view part) {
  to += std::to_string(part.size());
  to += '\n';
  to += part;
}

/// The next part, taken off; nothing when there is none that is whole.
std::optional<std::string> take(std::string_view& from) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(from.data(), from.data() + from.size(), size);
  if (error != std::errc() || end == from.data() + from.size() || *end != '\n') return std::nullopt;
  from.remove_prefix(static_cast<std::size_t>(end - from.data()) + 1);
  if (size > from.size()) return std::nullopt;
  std::string part(from.substr(0, size));
  from.remove_prefix(size);
  return part;
}

}  // namespace

Foreign foreign_of(const VendoredSource& source, std::uint32_t signature) {
  std::string all(kSourceMark);
  put(all, source.path);
  put(all, source.text);
  put(all, std::to_string(source.symbols.size()));
  for (const std::string& symbol : source.symbols) put(all, symbol);
  for (const auto& [name, text] : source.headers) {
    put(all, name);
    put(all, text);
  }
  return {source.path, std::move(all), signature, {}, {}, true};
}

std::optional<VendoredSource> vendored_source(const Foreign& row) {
  std::string_view rest = row.symbol;
  if (!row.launched || !rest.starts_with(kSourceMark)) return std::nullopt;
  rest.remove_prefix(kSourceMark.size());
  auto path = take(rest);
  auto text = take(rest);
  const auto count = take(rest);
  if (!path || !text || !count) return std::nullopt;
  std::size_t symbols = 0;
  if (std::from_chars(count->data(), count->data() + count->size(), symbols).ec != std::errc()) return std::nullopt;
  VendoredSource source{std::move(*path), std::move(*text), {}, {}};
  for (; symbols != 0; --symbols) {
    auto symbol = take(rest);
    if (!symbol) return std::nullopt;
    source.symbols.push_back(std::move(*symbol));
  }
  while (!rest.empty()) {
    auto name = take(rest);
    auto header = take(rest);
    if (!name || !header) return std::nullopt;
    source.headers.push_back({std::move(*name), std::move(*header)});
  }
  return source;
}

std::vector<VendoredSource> vendored_sources(const Module& module) {
  std::vector<VendoredSource> all;
  for (const Foreign& row : module.foreigns) {
    if (auto source = vendored_source(row)) all.push_back(std::move(*source));
  }
  return all;
}

std::set<std::string, std::less<>> vendored_symbols(const Module& module) {
  std::set<std::string, std::less<>> all;
  for (VendoredSource& source : vendored_sources(module)) {
    all.insert(std::make_move_iterator(source.symbols.begin()), std::make_move_iterator(source.symbols.end()));
  }
  return all;
}

}  // namespace cairn::bytecode
