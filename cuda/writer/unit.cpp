#include "cuda/writer/unit.hpp"

#include <algorithm>
#include <span>

#include "cuda/writer/function_writer.hpp"
#include "runtime/matrices/fragment.hpp"

namespace cairn::cuda::writer {

namespace {

constexpr std::uint32_t kStackReserve = 4096;  // for what the text's headers and the compiler call

}  // namespace

std::string identifier(std::string_view name) {
  std::string text;
  for (const char c : name) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    text += fits ? c : '_';
  }
  return text;
}

std::string Unit::function(std::uint32_t index) {
  const auto found = names_.find(index);
  if (found != names_.end()) return found->second;
  wanted_.push_back(index);
  return names_.emplace(index, cat("f", index, "_", identifier(module_.functions[index].name))).first->second;
}

std::uint64_t Unit::stack_limit() {
  bool recurses = false;
  std::uint64_t fixed = 0;
  for (const std::uint32_t root : roots_) {
    const CallFrames::Calls& calls = frames_.of(root);
    recurses |= calls.reaches_recursive;
    fixed = std::max(fixed, calls.fixed);
  }
  return recurses ? kDeviceStack - kStackReserve + fixed : 0;
}

std::uint32_t Unit::stack_bytes() {
  const std::uint64_t limit = stack_limit();
  if (limit == 0) return 0;
  std::uint64_t root_frame = 0;
  for (const std::uint32_t root : roots_) root_frame = std::max(root_frame, frames_.of(root).frame);
  const std::uint64_t bytes = (limit + kStackReserve + root_frame + 15) / 16 * 16;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
}

std::uint32_t Unit::site(Site site) {
  sites.push_back(std::move(site));
  return static_cast<std::uint32_t>(sites.size() - 1);
}

std::string Unit::planned(std::uint32_t index, PlannedArrays arrays) {
  planned_.emplace_back(index, std::move(arrays));
  return function(index) + "_planned";
}

void Unit::write_functions() {
  roots_ = wanted_;
  for (auto& [index, arrays] : planned_) {
    FunctionWriter(*this, index, names_.at(index) + "_planned", std::move(arrays)).write();
  }
  for (std::size_t k = 0; k < wanted_.size() && error_.empty(); ++k) {
    const std::uint32_t index = wanted_[k];
    FunctionWriter(*this, index, names_.at(index)).write();
  }
}

std::string Unit::layout(std::uint32_t text) {
  const auto found = layout_names_.find(text);
  if (found != layout_names_.end()) return found->second;
  const std::string& bytes = module_.texts[text];
  const auto layout = runtime::TileLayout::of({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  if (!layout) return {};
  // No address past the tile: the checker made it so, a module from outside need not have.
  for (std::uint64_t r = 0; r < layout->rows(); ++r) {
    for (std::uint64_t c = 0; c < layout->columns(); ++c) {
      if (layout->offset(r, c) >= layout->cosize()) return {};
    }
  }
  const std::vector<std::uint64_t> words = layout->words();
  const std::string name = cat("Layout", text);
  const auto along = [&](std::string_view coordinate, std::size_t first, std::uint64_t modes) {
    std::string sum;
    std::uint64_t below = 1;
    for (std::uint64_t k = 0; k < modes; ++k) {
      const std::uint64_t extent = words[first + 2 * k];
      const std::uint64_t stride = words[first + 2 * k + 1];
      sum += cat(sum.empty() ? "" : " + ", coordinate, " / ", below, "ULL % ", extent, "ULL * ", stride, "ULL");
      below *= extent;
    }
    return sum.empty() ? std::string("0ULL") : sum;
  };
  constexpr std::size_t kHead = 6;
  const std::string rows = along("row", kHead, words[4]);
  const std::string columns = along("column", kHead + 2 * words[4], words[5]);
  layouts += cat("struct ", name, " {\n  static constexpr U64 rows = ", layout->rows(),
                 ", columns = ", layout->columns(), ", cosize = ", layout->cosize(), ";\n");
  layouts += cat("  static __forceinline__ U64 offset(U64 row, U64 column) {\n    const U64 sum = ", rows, " + ",
                 columns, ";\n    return ");
  if (words[1] == 0) {
    layouts += "sum;\n";
  } else {
    const std::uint64_t mask = ((std::uint64_t{1} << words[1]) - 1) << words[2];
    layouts += cat("sum ^ (sum >> ", words[3], " & ", mask, "ULL);\n");
  }
  layouts += "  }\n};\n";
  return layout_names_.emplace(text, name).first->second;
}

}  // namespace cairn::cuda::writer
