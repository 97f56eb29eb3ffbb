// Fragment operations (numerics, 9): natives named FAMILY.OPERATION.ROLE.FORMAT.MxNxK, each written as the instruction
// it is named after.
#include <cstdlib>
#include <optional>

#include "cuda/writer/function_writer.hpp"
#include "runtime/matrices/fragment.hpp"

namespace cairn::cuda::writer {

namespace {

enum class Operation { LoadA, LoadB, LoadAccumulator, Store, Fill, Step, Get, Set };

/// The parts of a fragment native's name.
struct FragmentName {
  bool is_wmma = false;
  Operation operation{};
  bool is_bf16 = false;
  unsigned m = 16, n = 8, k = 16;
};

std::optional<FragmentName> fragment_name(std::string_view name) {
  FragmentName found;
  found.is_wmma = name.starts_with("wmma.");
  if (!found.is_wmma && !name.starts_with("mma.")) return std::nullopt;
  name.remove_prefix(found.is_wmma ? 5 : 4);
  const auto take = [&](std::string_view prefix, Operation operation) {
    if (!name.starts_with(prefix)) return false;
    name.remove_prefix(prefix.size());
    found.operation = operation;
    return true;
  };
  if (name == "get" || name == "set") {
    found.operation = name == "get" ? Operation::Get : Operation::Set;
    return found;
  }
  const bool is_known = take("load.acc.", Operation::LoadAccumulator) || take("load.a.", Operation::LoadA) ||
                        take("load.b.", Operation::LoadB) || take("store.", Operation::Store) ||
                        take("fill.", Operation::Fill) || take("step.", Operation::Step);
  if (!is_known) return std::nullopt;
  found.is_bf16 = name.starts_with("bf16.");
  if (found.is_bf16) name.remove_prefix(5);
  if (name.starts_with("f16.")) name.remove_prefix(4);
  const std::string shape(name);
  char* rest = nullptr;
  found.m = static_cast<unsigned>(std::strtoul(shape.c_str(), &rest, 10));
  if (*rest != 'x') return std::nullopt;
  found.n = static_cast<unsigned>(std::strtoul(rest + 1, &rest, 10));
  if (*rest != 'x') return std::nullopt;
  found.k = static_cast<unsigned>(std::strtoul(rest + 1, &rest, 10));
  return found;
}

/// How many 32-bit registers of a lane a WMMA operand takes (PTX ISA, wmma.load).
unsigned operand_registers(const FragmentName& f, bool is_a) {
  if (!f.is_bf16) return 8;
  const unsigned extent = is_a ? f.m : f.n;
  return extent / 4;
}

/// "%4, %5, %6, %7" of an asm statement.
std::string places(unsigned first, unsigned count) {
  std::string all;
  for (unsigned k = 0; k < count; ++k) all += cat(k == 0 ? "%" : ", %", first + k);
  return all;
}
std::string operands(std::string_view constraint, std::string_view array, unsigned count) {
  std::string all;
  for (unsigned k = 0; k < count; ++k) all += cat(k == 0 ? "\"" : ", \"", constraint, "\"(", array, "[", k, "])");
  return all;
}

/// A WMMA instruction as a function of the text's own, with the plain form that the host has for it. Gives its name.
std::string wmma_function(Unit& unit, const std::string& name, const std::string& parameters,
                          const std::string& on_device, const std::string& on_host) {
  unit.helper(name, cat("static __device__ __forceinline__ void ", name, "(", parameters,
                        ") {\n#if defined(__CUDA_ARCH__)\n", on_device, "#else\n  ", on_host, "\n#endif\n}\n"));
  return name;
}

std::string shape_of(const FragmentName& f) { return cat("m", f.m, "n", f.n, "k", f.k); }

std::string wmma_step(Unit& unit, const FragmentName& f) {
  const std::string_view format = f.is_bf16 ? "bf16" : "f16";
  const unsigned a = operand_registers(f, true);
  const unsigned b = operand_registers(f, false);
  const std::string instruction =
      cat("wmma.mma.sync.aligned.row.row.", shape_of(f), f.is_bf16 ? ".f32.bf16.bf16.f32" : ".f32.f32");
  return wmma_function(
      unit, cat("wmma_step_", format, "_", shape_of(f)),
      "Bytes acc, const unsigned char* left, const unsigned char* right",
      cat("  auto c = fragment<Accumulator<8>>(acc);\n  const auto a = fragment<Registers<", a,
          ">>(left);\n  const auto b = fragment<Registers<", b, ">>(right);\n  asm volatile(\"", instruction, " {",
          places(0, 8), "}, {", places(8, a), "}, {", places(8 + a, b), "}, {", places(0, 8),
          "};\" : ", operands("+f", "c.c", 8), " : ", operands("r", "a.r", a), ", ", operands("r", "b.r", b),
          ");\n  keep_fragment(acc, c);\n"),
      cat("wmma_step_plain<", f.m, ", ", f.n, ", ", f.k, ", ", f.is_bf16 ? "true" : "false", ">(acc, left, right);"));
}

/// A load or store of a tile whose rows (or columns) lie `leading` elements apart.
std::string wmma_transfer(Unit& unit, const FragmentName& f, bool by_rows) {
  const std::string_view major = by_rows ? "row" : "col";
  const std::string rows = by_rows ? "true" : "false";
  const std::string accumulator = cat(f.m, ", ", f.n, ", ", rows);
  if (f.operation == Operation::Store) {
    return wmma_function(
        unit, cat("wmma_store_", major, "_", shape_of(f)), "const unsigned char* from, Bytes tile, U32 leading",
        cat("  const auto c = fragment<Accumulator<8>>(from);\n  asm volatile(\"wmma.store.d.sync.aligned.", major, ".",
            shape_of(f), ".f32 [%8], {", places(0, 8), "}, %9;\" :: ", operands("f", "c.c", 8),
            ", \"l\"(tile), \"r\"(leading) : \"memory\");\n"),
        cat("wmma_store_plain<", accumulator, ">(from, tile, leading);"));
  }
  if (f.operation == Operation::LoadAccumulator) {
    return wmma_function(unit, cat("wmma_load_accumulator_", major, "_", shape_of(f)),
                         "Bytes to, const unsigned char* tile, U32 leading",
                         cat("  Accumulator<8> c;\n  asm volatile(\"wmma.load.c.sync.aligned.", major, ".", shape_of(f),
                             ".f32 {", places(0, 8), "}, [%8], %9;\" : ", operands("=f", "c.c", 8),
                             " : \"l\"(tile), \"r\"(leading) : \"memory\");\n  keep_fragment(to, c);\n"),
                         cat("wmma_load_plain<float, ", accumulator, ">(to, tile, leading);"));
  }
  const bool is_a = f.operation == Operation::LoadA;
  const std::string_view role = is_a ? "a" : "b";
  const std::string_view format = f.is_bf16 ? "bf16" : "f16";
  const unsigned count = operand_registers(f, is_a);
  return wmma_function(
      unit, cat("wmma_load_", role, "_", format, "_", major, "_", shape_of(f)),
      "Bytes to, const unsigned char* tile, U32 leading",
      cat("  Registers<", count, "> held;\n  asm volatile(\"wmma.load.", role, ".sync.aligned.", major, ".",
          shape_of(f), ".", format, " {", places(0, count), "}, [%", count, "], %", count + 1,
          ";\" : ", operands("=r", "held.r", count),
          " : \"l\"(tile), \"r\"(leading) : \"memory\");\n  keep_fragment(to, held);\n"),
      cat("wmma_load_plain<U16, ", is_a ? f.m : f.k, ", ", is_a ? f.k : f.n, ", ", rows, ">(to, tile, leading);"));
}

}  // namespace

bool FunctionWriter::write_fragment(std::string_view name, std::uint32_t window) {
  const auto known = fragment_name(name);
  if (!known) return false;
  const FragmentName& f = *known;
  unit_.need("fragments");
  const std::string held = f.is_wmma ? "8" : "4";  // values of an accumulator
  const std::string own = pointer(window);
  const auto u64 = [&](std::uint32_t slot) { return value(slot, RegisterKind::U64); };

  switch (f.operation) {
    case Operation::Fill:
      line(cat("fill_fragment<", held, ">(", own, ", ", value(window + 1, RegisterKind::F32), ");"));
      return true;
    case Operation::Get:
    case Operation::Set: {
      const std::string v = u64(window + 1);
      guard(cat(v, " >= 4"), TrapKind::Fragment, "value {0} of 4", {v});
      if (f.operation == Operation::Get) {
        assign(window, RegisterKind::F32, cat("mma_get(", own, ", ", v, ")"));
      } else {
        line(cat("mma_set(", own, ", ", v, ", ", value(window + 2, RegisterKind::F32), ");"));
      }
      return true;
    }
    case Operation::Step: {
      const std::string operands_of_step = cat("(", own, ", ", pointer(window + 1), ", ", pointer(window + 2), ");");
      line(f.is_wmma ? cat(wmma_step(unit_, f), operands_of_step)
                     : cat("mma_step<", f.is_bf16 ? "true" : "false", ">", operands_of_step));
      return true;
    }
    default:
      break;
  }

  // Loads and stores: the fragment, the tile, i, j, the layout.
  const auto text = texts_.find(window + 5);
  const std::string layout = text == texts_.end() ? std::string() : unit_.layout(text->second);
  if (layout.empty()) {
    host_only("follow the layout of this tile");
    return true;
  }
  const std::string& bytes = module_.texts[text->second];
  const auto tile_layout = runtime::TileLayout::of({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  const bool is_a = f.operation == Operation::LoadA;
  const bool is_b = f.operation == Operation::LoadB;
  const unsigned rows = is_b ? f.k : f.m;
  const unsigned columns = is_a ? f.k : f.n;
  const unsigned size = is_a || is_b ? 2 : 4;
  const std::string i = u64(window + 3);
  const std::string j = u64(window + 4);
  const std::string tile = pointer(window + 1);
  const std::uint64_t down = tile_layout->rows() / rows;
  const std::uint64_t across = tile_layout->columns() / columns;
  guard(cat(i, " >= ", down, " || ", j, " >= ", across), TrapKind::Fragment,
        cat("fragment ({0}, {1}) of ", down, " x ", across), {i, j});
  guard(cat(u64(window + 2), " < ", layout, "::cosize"), TrapKind::Fragment,
        cat("the tile has {0} elements, its layout reaches ", tile_layout->cosize()), {u64(window + 2)});
  const std::string at = cat(i, " * ", rows, ", ", j, " * ", columns);
  if (!f.is_wmma) {
    const std::string_view operation = is_a                                        ? "mma_load_a"
                                       : is_b                                      ? "mma_load_b"
                                       : f.operation == Operation::LoadAccumulator ? "mma_load_accumulator"
                                                                                   : "mma_store";
    line(cat(operation, "<", layout, ">(", own, ", ", tile, ", ", at, ");"));
    return true;
  }
  const bool by_rows = tile_layout->offset(0, 1) == 1;
  const std::uint64_t leading = by_rows ? tile_layout->offset(1, 0) : tile_layout->offset(0, 1);
  line(cat("{ Bytes const tile = ", tile, " + ", size, " * ", layout, "::offset(", at, ");"));
  guard("reinterpret_cast<U64>(tile) % 32 != 0", TrapKind::Fragment, "the tile is not on 32 bytes", {"0ULL"});
  line(cat(wmma_transfer(unit_, f, by_rows), "(", own, ", tile, ", leading, "); }"));
  return true;
}

}  // namespace cairn::cuda::writer
