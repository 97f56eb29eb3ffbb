#include "vm/repl/picture.hpp"

#include <cstring>
#include <string_view>

#include <zlib.h>

namespace cairn::repl {

namespace {

constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 28U;

void put_u32(std::vector<std::uint8_t>& out, std::uint32_t value) {
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out.push_back(static_cast<std::uint8_t>(value >> shift));
}

void put_chunk(std::vector<std::uint8_t>& out, std::string_view kind, const std::vector<std::uint8_t>& data) {
  put_u32(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t begin = out.size();
  out.insert(out.end(), kind.begin(), kind.end());
  out.insert(out.end(), data.begin(), data.end());
  put_u32(out, static_cast<std::uint32_t>(::crc32_z(0, out.data() + begin, out.size() - begin)));
}

}  // namespace

std::vector<std::uint8_t> png_of(std::uint64_t width, std::uint64_t height, const std::uint32_t* pixels) {
  if (width == 0 || height == 0 || width > kMostPixels / height) return {};
  std::vector<std::uint8_t> lines;
  lines.reserve(height * (4 * width + 1));
  for (std::uint64_t y = 0; y < height; ++y) {
    lines.push_back(0);  // no filter
    for (std::uint64_t x = 0; x < width; ++x) put_u32(lines, pixels[y * width + x]);
  }
  std::vector<std::uint8_t> packed(::compressBound(lines.size()));
  uLongf size = packed.size();
  if (::compress2(packed.data(), &size, lines.data(), lines.size(), 6) != Z_OK) return {};
  packed.resize(size);
  std::vector<std::uint8_t> header;
  put_u32(header, static_cast<std::uint32_t>(width));
  put_u32(header, static_cast<std::uint32_t>(height));
  header.insert(header.end(),
                {8, 6, 0, 0, 0});  // 8 bits a channel, with alpha; deflate, no filters of its own, in order
  std::vector<std::uint8_t> out = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  put_chunk(out, "IHDR", header);
  put_chunk(out, "IDAT", packed);
  put_chunk(out, "IEND", {});
  return out;
}

std::vector<std::uint8_t> picture_of(const Type& type, const bytecode::Module& module, std::uint32_t index,
                                     const std::uint8_t* bytes, const NameTable& names) {
  if (!type.is(TypeKind::Record) || type.record->declaration == nullptr) return {};
  const syntax::RecordDecl& declared = *type.record->declaration;
  if (names.text(declared.module) != "std.image" || names.text(declared.name.name) != "Image") return {};
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  std::uint64_t buffer[2] = {};
  for (const bytecode::Field& field : module.types[index].fields) {
    if (field.name == "w") std::memcpy(&width, bytes + field.offset, sizeof(width));
    if (field.name == "h") std::memcpy(&height, bytes + field.offset, sizeof(height));
    if (field.name == "px") std::memcpy(buffer, bytes + field.offset, sizeof(buffer));
  }
  if (height == 0 || width > buffer[1] / height) return {};  // moved out of
  return png_of(width, height, reinterpret_cast<const std::uint32_t*>(buffer[0]));
}

}  // namespace cairn::repl
