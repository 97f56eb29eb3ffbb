#include "jit/code/debug_object.hpp"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <string>
#include <string_view>

namespace cairn::jit {
namespace {

/// Bytes of a section being written.
class Bytes {
 public:
  template <typename T>
  void put(T value) {
    const auto* first = reinterpret_cast<const char*>(&value);
    bytes_.insert(bytes_.end(), first, first + sizeof(T));
  }
  void byte(unsigned value) { bytes_.push_back(static_cast<char>(value)); }
  void text(std::string_view words) {
    bytes_.insert(bytes_.end(), words.begin(), words.end());
    bytes_.push_back('\0');
  }
  void uleb(std::uint64_t value) {
    do {
      const auto low = static_cast<unsigned>(value & 0x7f);
      value >>= 7;
      byte(low | (value != 0 ? 0x80U : 0U));
    } while (value != 0);
  }
  void sleb(std::int64_t value) {
    bool more = true;
    while (more) {
      const auto low = static_cast<unsigned>(value & 0x7f);
      value >>= 7;
      more = !((value == 0 && (low & 0x40) == 0) || (value == -1 && (low & 0x40) != 0));
      byte(low | (more ? 0x80U : 0U));
    }
  }
  /// Fills in a length of four bytes at `at`: what follows it up to here.
  void close_length(std::size_t at) {
    const auto length = static_cast<std::uint32_t>(bytes_.size() - at - sizeof(std::uint32_t));
    std::memcpy(bytes_.data() + at, &length, sizeof(length));
  }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] const char* data() const { return bytes_.data(); }

 private:
  std::vector<char> bytes_;
};

// Numbers of DWARF 4, section 7.
constexpr unsigned kCompileUnit = 0x11, kSubprogram = 0x2e;
constexpr unsigned kName = 0x03, kStatements = 0x10, kLowPc = 0x11, kHighPc = 0x12, kFolder = 0x1b;
constexpr unsigned kDeclaredFile = 0x3a, kDeclaredLine = 0x3b, kExternal = 0x3f;
constexpr unsigned kAddress = 0x01, kData8 = 0x07, kString = 0x08, kUdata = 0x0f, kSectionOffset = 0x17,
                   kPresent = 0x19;

Bytes abbreviations() {
  Bytes out;
  const auto entry = [&](unsigned code, unsigned tag, bool children, std::initializer_list<unsigned> pairs) {
    out.uleb(code);
    out.uleb(tag);
    out.byte(children ? 1 : 0);
    for (const unsigned each : pairs) out.uleb(each);
    out.byte(0);
    out.byte(0);
  };
  entry(1, kCompileUnit, true,
        {kName, kString, kFolder, kString, kStatements, kSectionOffset, kLowPc, kAddress, kHighPc, kData8});
  entry(2, kSubprogram, false,
        {kName, kString, kLowPc, kAddress, kHighPc, kData8, kDeclaredFile, kUdata, kDeclaredLine, kUdata, kExternal,
         kPresent});
  out.byte(0);
  return out;
}

std::string working_folder() {
  std::array<char, PATH_MAX> folder{};
  return ::getcwd(folder.data(), folder.size()) == nullptr ? "." : folder.data();
}

Bytes unit(const RegisteredCode& code) {
  const auto address = reinterpret_cast<std::uint64_t>(code.address);
  Bytes out;
  out.put<std::uint32_t>(0);
  out.put<std::uint16_t>(4);
  out.put<std::uint32_t>(0);  // of the abbreviations
  out.byte(8);                // bytes of an address
  out.uleb(1);
  out.text(code.lines.empty() ? "cairn" : code.lines.front().file);
  out.text(working_folder());
  out.put<std::uint32_t>(0);  // of the line table
  out.put(address);
  out.put<std::uint64_t>(code.bytes);
  out.uleb(2);
  out.text(code.name);
  out.put(address);
  out.put<std::uint64_t>(code.bytes);
  out.uleb(1);
  out.uleb(code.lines.empty() ? 0 : code.lines.front().line);
  out.byte(0);  // no more entries in the unit
  out.close_length(0);
  return out;
}

/// The line table: header, then the program of its state machine (DWARF 4, 6.2.4 and 6.2.5).
Bytes line_table(const RegisteredCode& code) {
  std::vector<std::string_view> files;
  const auto number_of = [&](std::string_view file) {
    const auto found = std::ranges::find(files, file);
    if (found != files.end()) return static_cast<std::size_t>(found - files.begin()) + 1;
    files.push_back(file);
    return files.size();
  };
  for (const RegisteredCode::Line& line : code.lines) number_of(line.file);
  if (files.empty()) files.push_back("cairn");

  Bytes out;
  out.put<std::uint32_t>(0);
  out.put<std::uint16_t>(4);
  const std::size_t header_at = out.size();
  out.put<std::uint32_t>(0);
  for (const unsigned each : {1U, 1U, 1U}) out.byte(each);  // instruction length, operations in one, is a statement
  out.put<std::int8_t>(-5);                                 // line base
  out.byte(14);                                             // line range
  out.byte(13);                                             // first special opcode
  for (const unsigned operands : {0U, 1U, 1U, 1U, 1U, 0U, 0U, 0U, 1U, 0U, 0U, 1U}) out.byte(operands);
  out.byte(0);  // no folders but the unit's own
  for (const std::string_view file : files) {
    out.text(file);
    for (int each = 0; each < 3; ++each) out.uleb(0);  // folder, time, length
  }
  out.byte(0);
  out.close_length(header_at);

  constexpr unsigned kCopy = 1, kAdvancePc = 2, kAdvanceLine = 3, kSetFile = 4, kSetColumn = 5, kExtended = 0;
  out.byte(kExtended);
  out.uleb(9);
  out.byte(2);  // set the address
  out.put(reinterpret_cast<std::uint64_t>(code.address));
  std::uint64_t offset = 0, file = 1, column = 0;
  std::int64_t line = 1;
  for (const RegisteredCode::Line& each : code.lines) {
    if (const std::uint64_t next = number_of(each.file); next != file) {
      out.byte(kSetFile);
      out.uleb(file = next);
    }
    if (each.column != column) {
      out.byte(kSetColumn);
      out.uleb(column = each.column);
    }
    out.byte(kAdvanceLine);
    out.sleb(static_cast<std::int64_t>(each.line) - line);
    line = each.line;
    out.byte(kAdvancePc);
    out.uleb(each.offset - offset);
    offset = each.offset;
    out.byte(kCopy);
  }
  out.byte(kAdvancePc);
  out.uleb(code.bytes - offset);
  out.byte(kExtended);
  out.uleb(1);
  out.byte(1);  // the end
  out.close_length(0);
  return out;
}

}  // namespace

std::vector<char> debug_object(const RegisteredCode& code) {
  enum Section : std::uint16_t { Null, Text, Symbols, Strings, Abbreviations, Info, Lines, Count };
  constexpr std::string_view kNames[Count] = {
      "", ".text", ".symtab", ".strtab", ".debug_abbrev", ".debug_info", ".debug_line"};
  Bytes strings, symbols;
  std::uint32_t names_at[Count]{};
  for (std::size_t i = 0; i < Count; ++i) {
    names_at[i] = static_cast<std::uint32_t>(strings.size());
    strings.text(kNames[i]);
  }
  Elf64_Sym symbol{};
  symbols.put(symbol);
  symbol.st_name = static_cast<Elf64_Word>(strings.size());
  strings.text(code.name);
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_shndx = Text;
  symbol.st_value = reinterpret_cast<std::uint64_t>(code.address);
  symbol.st_size = code.bytes;
  symbols.put(symbol);

  const Bytes abbreviation_bytes = abbreviations(), info_bytes = unit(code), line_bytes = line_table(code);
  const Bytes* contents[Count] = {nullptr, nullptr, &symbols, &strings, &abbreviation_bytes, &info_bytes, &line_bytes};
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_EXEC;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_shoff = sizeof(header);
  header.e_ehsize = sizeof(header);
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = Count;
  header.e_shstrndx = Strings;

  Elf64_Shdr sections[Count]{};
  std::size_t end = sizeof(header) + sizeof(sections);
  for (std::size_t i = 1; i < Count; ++i) {
    Elf64_Shdr& section = sections[i];
    section.sh_name = names_at[i];
    section.sh_addralign = 1;
    if (i == Text) {
      section.sh_type = SHT_NOBITS;
      section.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
      section.sh_addr = reinterpret_cast<std::uint64_t>(code.address);
      section.sh_size = code.bytes;
      section.sh_addralign = 16;
      continue;
    }
    section.sh_type = i == Symbols ? SHT_SYMTAB : i == Strings ? SHT_STRTAB : SHT_PROGBITS;
    section.sh_offset = end;
    section.sh_size = contents[i]->size();
    end += contents[i]->size();
  }
  sections[Symbols].sh_link = Strings;
  sections[Symbols].sh_info = 1;
  sections[Symbols].sh_entsize = sizeof(Elf64_Sym);

  std::vector<char> file(end);
  std::memcpy(file.data(), &header, sizeof(header));
  std::memcpy(file.data() + sizeof(header), sections, sizeof(sections));
  for (std::size_t i = 1; i < Count; ++i) {
    if (contents[i] != nullptr)
      std::memcpy(file.data() + sections[i].sh_offset, contents[i]->data(), contents[i]->size());
  }
  return file;
}

}  // namespace cairn::jit
