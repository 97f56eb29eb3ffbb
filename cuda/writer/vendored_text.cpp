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

}  // namespace

VendoredText vendored_text(const bytecode::Module& module, const bytecode::VendoredSource& source) {
  VendoredText written;
  written.text = source.text + "\n#include \"" + std::string(kDeclarations) + "\"\n";
  for (const bytecode::Foreign& foreign : module.foreigns) {
    const bool is_here = foreign.launched && std::ranges::find(source.symbols, foreign.symbol) != source.symbols.end();
    if (!is_here || std::ranges::find(written.kernels, foreign.symbol) != written.kernels.end()) continue;
    written.kernels.push_back(foreign.symbol);
    // Messages name the declaration.
    std::string position;
    if (foreign.position.file < module.files.size()) {
      std::string path = module.files[foreign.position.file];
      std::erase_if(path, [](char c) { return c == '"' || c == '\\' || c == '\n'; });
      position = cat("#line ", foreign.position.line, " \"", path, "\"\n");
    }
    const std::string kernel = cat("cairn_declared::Kernel<decltype(::", foreign.symbol, ")>");
    const auto require = [&](std::string_view holds, std::string_view otherwise) {
      written.text += cat(position, "static_assert(", kernel, "::", holds, ", \"", otherwise, "\");\n");
    };
    const std::vector<bytecode::RegisterType>& parameters = module.signatures[foreign.signature].parameters;
    require(
        cat("count == ", parameters.size()),
        cat(foreign.symbol, " takes another number of parameters than its declaration passes: ", parameters.size()));
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      const bytecode::RegisterType& parameter = parameters[k];
      const std::string which =
          cat("parameter ", k + 1, " of ", foreign.symbol, " is not what its declaration passes: ");
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
