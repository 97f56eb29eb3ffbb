#include "jit/assembly/template_parser.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace cairn::jit {

namespace {

using namespace asmjit;

constexpr std::string_view kNames64[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi"};
constexpr std::string_view kNames32[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};

x86::Gp general(std::uint32_t id, unsigned bytes) {
  switch (bytes) {
    case 1:
      return x86::gpb_lo(id);
    case 2:
      return x86::gpw(id);
    case 4:
      return x86::gpd(id);
    default:
      return x86::gpq(id);
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Splits at a separator outside parentheses.
std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '(') ++depth;
    if (i < text.size() && text[i] == ')') --depth;
    if (i == text.size() || (depth == 0 && separators.contains(text[i]))) {
      parts.push_back(trimmed(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  return parts;
}

std::optional<std::int64_t> number(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return static_cast<std::int64_t>(negative ? ~value + 1 : value);
}

class Parser {
 public:
  explicit Parser(std::span<const AsmHome> homes) : homes_(homes) {}

  std::expected<AsmInstruction, std::string> instruction(std::string_view text) {
    const std::size_t space = text.find_first_of(" \t");
    const std::string_view mnemonic = text.substr(0, space);
    AsmInstruction parsed;
    if (space != std::string_view::npos) {
      for (const std::string_view written : split(trimmed(text.substr(space)), ",")) {
        auto operand = this->operand(written);
        if (!operand) return std::unexpected(std::move(operand.error()));
        parsed.operands.push_back(*operand);
      }
    }
    std::ranges::reverse(parsed.operands);  // AT&T names the destination last
    unsigned memory_bytes = 0;
    parsed.id = named(mnemonic, parsed.operands, memory_bytes);
    if (parsed.id == 0) return std::unexpected("the instruction " + std::string(mnemonic) + " is none it knows");
    for (Operand& operand : parsed.operands) {
      if (operand.isMem() && memory_bytes != 0) operand.as<x86::Mem>().setSize(memory_bytes);
    }
    return parsed;
  }

 private:
  static InstId id_of(std::string_view name) { return InstAPI::stringToInstId(Arch::kX64, name.data(), name.size()); }

  /// The instruction of an AT&T mnemonic: a name with the suffix of its width taken off, or as it stands.
  static InstId named(std::string_view mnemonic, std::span<const Operand> operands, unsigned& memory_bytes) {
    const bool vectors = std::ranges::any_of(operands, [](const Operand& o) { return x86::Reg::isXmm(o); });
    const auto width = [](char suffix) {
      return suffix == 'b' ? 1U : suffix == 'w' ? 2U : suffix == 'l' ? 4U : suffix == 'q' ? 8U : 0U;
    };
    const std::string_view head = mnemonic.substr(0, 4);
    if (mnemonic.size() == 6 && (head == "movz" || head == "movs") && width(mnemonic[4]) != 0 && !vectors) {
      memory_bytes = width(mnemonic[4]);
      if (head == "movs" && memory_bytes == 4) return id_of("movsxd");
      return id_of(head == "movz" ? "movzx" : "movsx");
    }
    if (!vectors && mnemonic.size() > 1 && width(mnemonic.back()) != 0) {
      if (const InstId id = id_of(mnemonic.substr(0, mnemonic.size() - 1)); id != 0) {
        memory_bytes = width(mnemonic.back());
        return id;
      }
    }
    return id_of(mnemonic);
  }

  /// `%N`, `%kN`, `%%rax`.
  std::expected<Operand, std::string> a_register(std::string_view text) {
    const std::string shown(text);
    if (text.starts_with("%%")) {
      const std::string_view name = text.substr(2);
      for (std::uint32_t id = 0; id < 8; ++id) {
        if (name == kNames64[id]) return general(id, 8);
        if (name == kNames32[id]) return general(id, 4);
      }
      unsigned id = 0;
      const bool vector = name.starts_with("xmm");
      const std::size_t skip = vector ? 3 : 1;
      if (name.size() > skip && (vector || name[0] == 'r')) {
        const char* last = name.data() + name.size();
        const auto [end, error] = std::from_chars(name.data() + skip, last, id);
        const bool half = !vector && end + 1 == last && *end == 'd';
        if (error == std::errc{} && (end == last || half) && id < 16) {
          if (vector) return x86::xmm(id);
          return general(id, half ? 4 : 8);
        }
      }
      return std::unexpected("the register " + shown + " is none it knows");
    }
    text.remove_prefix(1);
    unsigned bytes = 0;
    if (!text.empty() && (text[0] < '0' || text[0] > '9')) {
      bytes = text[0] == 'b' ? 1 : text[0] == 'w' ? 2 : text[0] == 'k' ? 4 : text[0] == 'q' ? 8 : 0;
      if (bytes == 0) return std::unexpected("the letter in " + shown + " names no width: b, w, k and q do");
      text.remove_prefix(1);
    }
    const auto which = number(text);
    if (!which || *which < 0 || static_cast<std::size_t>(*which) >= homes_.size()) {
      return std::unexpected(shown + " names no operand");
    }
    const AsmHome& home = homes_[static_cast<std::size_t>(*which)];
    if (home.vector) return x86::xmm(home.id);
    return general(home.id, bytes != 0 ? bytes : home.bytes);
  }

  /// `disp(base, index, scale)`, with any of them left out but the parentheses.
  std::expected<Operand, std::string> memory(std::string_view text) {
    const std::size_t open = text.find('(');
    std::int64_t displacement = 0;
    if (open > 0) {
      const auto given = number(trimmed(text.substr(0, open)));
      if (!given || *given != static_cast<std::int32_t>(*given)) {
        return std::unexpected(std::string(text) + " has a displacement that is no number");
      }
      displacement = *given;
    }
    const auto parts = split(text.substr(open + 1, text.size() - open - 2), ",");
    std::vector<x86::Gp> registers;
    unsigned shift = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i == 2) {
        const auto scale = number(parts[i]);
        if (!scale || (*scale != 1 && *scale != 2 && *scale != 4 && *scale != 8)) {
          return std::unexpected(std::string(text) + " has a scale other than 1, 2, 4 and 8");
        }
        while ((std::int64_t{1} << shift) < *scale) ++shift;
        continue;
      }
      auto part =
          parts[i].starts_with('%') ? a_register(parts[i]) : std::unexpected(std::string(text) + " is no address");
      if (!part) return part;
      if (!x86::Reg::isGp(*part)) return std::unexpected(std::string(text) + " has an address in a vector register");
      registers.push_back(general(part->id(), 8));
    }
    if (registers.empty() || parts.size() > 3) return std::unexpected(std::string(text) + " is no address");
    const auto offset = static_cast<std::int32_t>(displacement);
    if (registers.size() == 1) return x86::ptr(registers[0], offset);
    return x86::ptr(registers[0], registers[1], shift, offset);
  }

  std::expected<Operand, std::string> operand(std::string_view text) {
    if (text.starts_with('$')) {
      const auto value = number(text.substr(1));
      if (!value) return std::unexpected(std::string(text) + " is no number");
      return imm(*value);
    }
    if (text.ends_with(')')) return memory(text);
    if (text.starts_with('%')) return a_register(text);
    return std::unexpected(text.empty() ? "an operand is missing"
                                        : std::string(text) + " is no operand it knows (labels are none)");
  }

  std::span<const AsmHome> homes_;
};

}  // namespace

std::expected<std::vector<AsmInstruction>, std::string> parse_template(std::string_view text,
                                                                       std::span<const AsmHome> homes) {
  std::vector<AsmInstruction> instructions;
  Parser parser(homes);
  for (const std::string_view line : split(text, ";\n")) {
    if (line.empty()) continue;
    auto instruction = parser.instruction(line);
    if (!instruction) return std::unexpected(std::move(instruction.error()));
    instructions.push_back(std::move(*instruction));
  }
  return instructions;
}

}  // namespace cairn::jit
