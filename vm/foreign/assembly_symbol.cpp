#include "vm/foreign/assembly_symbol.hpp"

namespace cairn {

namespace {

constexpr std::string_view kMark = "asm x86_64\n";

/// The text up to the next of `separator`, which is taken off as well.
std::string_view next(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

}  // namespace

std::string encode(const AssemblySymbol& symbol) {
  std::string text(kMark);
  for (const jit::AsmRegister& operand : symbol.operands) {
    text += operand.kind == jit::AsmClass::Integer ? 'i' : 'f';
    text += static_cast<char>('0' + operand.bytes);
    text += ' ';
  }
  text += '\n';
  for (const std::string_view clobber : symbol.clobbers) {
    text += clobber;
    text += ' ';
  }
  text += '\n';
  text += symbol.text;
  return text;
}

std::optional<AssemblySymbol> decode_assembly(std::string_view symbol) {
  if (!symbol.starts_with(kMark)) return std::nullopt;
  symbol.remove_prefix(kMark.size());
  AssemblySymbol decoded;
  for (std::string_view line = next(symbol, '\n'); !line.empty();) {
    const std::string_view part = next(line, ' ');
    if (part.size() != 2 || (part[0] != 'i' && part[0] != 'f')) return std::nullopt;
    const auto bytes = static_cast<std::uint8_t>(part[1] - '0');
    const bool fits = bytes == 8 || bytes == 4 || (part[0] == 'i' && (bytes == 2 || bytes == 1));
    if (!fits) return std::nullopt;
    const auto floating = bytes == 4 ? jit::AsmClass::F32 : jit::AsmClass::F64;
    decoded.operands.push_back({part[0] == 'i' ? jit::AsmClass::Integer : floating, bytes});
  }
  for (std::string_view line = next(symbol, '\n'); !line.empty();) decoded.clobbers.push_back(next(line, ' '));
  decoded.text = symbol;
  return decoded;
}

}  // namespace cairn
