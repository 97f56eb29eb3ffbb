#include "cuda/writer/vendored_text.hpp"

#include <algorithm>

#include "cuda/writer/unit.hpp"

namespace cairn::cuda::writer {

namespace {

using bytecode::RegisterKind;
using bytecode::ScalarKind;

struct Declared {
  std::string_view kind;  // of declarations.hpp
  std::uint64_t size = 0;
  std::string c;  // as C writes it, for people
};

Declared declared(RegisterKind kind) {
  switch (kind) {
    case RegisterKind::Bool:
      return {"Bool", 1, "bool"};
    case RegisterKind::U8:
      return {"Unsigned", 1, "std::uint8_t"};
    case RegisterKind::U16:
      return {"Unsigned", 2, "std::uint16_t"};
    case RegisterKind::U32:
      return {"Unsigned", 4, "std::uint32_t"};
    case RegisterKind::I8:
      return {"Signed", 1, "std::int8_t"};
    case RegisterKind::I16:
      return {"Signed", 2, "std::int16_t"};
    case RegisterKind::I32:
      return {"Signed", 4, "std::int32_t"};
    case RegisterKind::I64:
      return {"Signed", 8, "std::int64_t"};
    case RegisterKind::F32:
      return {"Float", 4, "float"};
    case RegisterKind::F64:
      return {"Float", 8, "double"};
    default:
      return {"Unsigned", 8, "std::uint64_t"};
  }
}

Declared element_of(const bytecode::Type& type) {
  const bool is_plain = type.kind == bytecode::TypeKind::Scalar && type.scalar <= ScalarKind::F64;
  if (is_plain) return declared(bytecode::register_kind(type.scalar));
  return {"Any", type.size, cat("a type of ", type.size, " bytes")};
}

/// What assertions say, between the names.
constexpr std::string_view kLacks = " has no function ";
constexpr std::string_view kTakesAnotherNumber = " takes another number of parameters than its declaration passes: ";
constexpr std::string_view kTakesAnother = " is not what its declaration passes: ";

/// A path as a string of C++ holds it.
std::string quotable(std::string path) {
  std::erase_if(path, [](char c) { return c == '"' || c == '\\' || c == '\n'; });
  return path;
}

}  // namespace

std::string why_not_compiled(const std::string& path, std::string_view log) {
  // An error of the source itself comes before one of its declarations, which may follow from it.
  bool lacks = false;
  bool differs = false;
  for (std::string_view rest = log; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    // NVRTC's own table of names follows from what stands before it.
    if (!line.contains("error: ") || line.starts_with("__nv_name_map")) continue;
    const bool is_ours = line.contains("static assertion failed") &&
                         (line.contains(kLacks) || line.contains(kTakesAnotherNumber) || line.contains(kTakesAnother));
    if (!is_ours) return path + " does not compile";
    (line.contains(kLacks) ? lacks : differs) = true;
  }
  if (lacks) return path + " lacks a kernel that is declared";
  return path + (differs ? " defines a kernel otherwise than it is declared" : " does not compile");
}

VendoredText vendored_text(const bytecode::Module& module, const bytecode::VendoredSource& source) {
  VendoredText written;
  written.text = cat("#line 1 \"", quotable(source.path), "\"\n", source.text, "\n#include \"", kDeclarations, "\"\n");
  for (const bytecode::Foreign& foreign : module.foreigns) {
    const bool is_here = foreign.launched && std::ranges::find(source.symbols, foreign.symbol) != source.symbols.end();
    if (!is_here || std::ranges::find(written.kernels, foreign.symbol) != written.kernels.end()) continue;
    written.kernels.push_back(foreign.symbol);
    // A name that the global namespace itself has comes before one it only takes from another.
    written.text += cat("namespace cairn_declared::absent { extern ::cairn_declared::Absent ", foreign.symbol, "; }\n");
    if (written.kernels.size() == 1) written.text += "using namespace cairn_declared::absent;\n";
    // Messages name the declaration.
    std::string position;
    if (foreign.position.file < module.files.size()) {
      const std::string path = quotable(module.files[foreign.position.file]);
      position = cat("#line ", foreign.position.line, " \"", path, "\"\n");
    }
    const std::string kernel = cat("cairn_declared::Kernel<decltype(::", foreign.symbol, ")>");
    const auto require = [&](std::string_view holds, std::string_view otherwise) {
      written.text += cat(position, "static_assert(", kernel, "::", holds, ", \"", otherwise, "\");\n");
    };
    const std::vector<bytecode::RegisterType>& parameters = module.signatures[foreign.signature].parameters;
    require("is_there", cat(quotable(source.path), kLacks, foreign.symbol));
    require(cat("takes_count(", parameters.size(), ")"), cat(foreign.symbol, kTakesAnotherNumber, parameters.size()));
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const bytecode::RegisterType& parameter = parameters[k];
      const std::string which = cat("parameter ", k + 1, " of ", foreign.symbol, kTakesAnother);
      if (!parameter.is_pair()) {
        const Declared value = declared(parameter.kind);
        require(cat("Takes<", k, ">::takes_value(cairn_declared::Kind::", value.kind, ", ", value.size, ")"),
                which + value.c);
        continue;
      }
      const Declared element = element_of(module.types[parameter.type]);
      require(cat("Takes<", k, ">::takes_array(cairn_declared::Kind::", element.kind, ", ", element.size, ", ",
                  parameter.writable ? "true" : "false", ")"),
              cat(which, parameter.writable ? "" : "const ", element.c, "*"));
    }
  }
  return written;
}

}  // namespace cairn::cuda::writer
