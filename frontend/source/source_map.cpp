#include "frontend/source/source_map.hpp"

#include <algorithm>

namespace cairn {

std::uint32_t SourceMap::add(std::string path, std::string text, bool library, bool own) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  const std::uint32_t begin =
      files_.empty() ? 1 : files_.back()->begin + static_cast<std::uint32_t>(files_.back()->text.size()) + 1;
  files_.push_back(std::make_unique<SourceFile>(SourceFile{std::move(path), std::move(text), library, own, begin}));
  line_starts_.emplace_back();
  code_points_.emplace_back();
  return static_cast<std::uint32_t>(files_.size() - 1);
}

const SourceFile* SourceMap::file_at(Position position) const {
  if (!position || files_.empty()) return nullptr;
  const auto after = std::upper_bound(files_.begin(), files_.end(), position.offset,
                                      [](std::uint32_t at, const auto& file) { return at < file->begin; });
  return after == files_.begin() ? nullptr : std::prev(after)->get();
}

namespace {

constexpr std::uint32_t kBlock = 256;  // bytes between two counts of a file's code points

/// Bytes in [from, to) that begin a code point.
std::uint32_t code_points(std::string_view text, std::uint32_t from, std::uint32_t to) {
  const std::string_view bytes = text.substr(from, to - from);
  return static_cast<std::uint32_t>(
      std::ranges::count_if(bytes, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

}  // namespace

/// The code points before an offset. Counted from the last block that was counted once, however long its line is.
std::uint32_t SourceMap::code_points_before(std::size_t index, std::uint32_t at) const {
  const std::string_view text = files_[index]->text;
  std::vector<std::uint32_t>& counted = code_points_[index];
  if (counted.empty()) {
    counted.push_back(0);
    for (std::uint32_t from = 0; from + kBlock <= text.size(); from += kBlock) {
      counted.push_back(counted.back() + code_points(text, from, from + kBlock));
    }
  }
  return counted[at / kBlock] + code_points(text, at / kBlock * kBlock, at);
}

Location SourceMap::locate(Position position) const {
  const auto after = std::upper_bound(files_.begin(), files_.end(), position.offset,
                                      [](std::uint32_t at, const auto& file) { return at < file->begin; });
  if (!position || after == files_.begin()) return {};
  const auto index = static_cast<std::size_t>(after - files_.begin()) - 1;
  const SourceFile& file = *files_[index];
  auto& starts = line_starts_[index];
  if (starts.empty()) {
    starts.push_back(0);
    for (std::uint32_t at = 0; at < file.text.size(); ++at) {
      if (file.text[at] == '\n') starts.push_back(at + 1);
    }
  }
  const std::uint32_t at = std::min(position.offset - file.begin, static_cast<std::uint32_t>(file.text.size()));
  const auto line = std::upper_bound(starts.begin(), starts.end(), at) - starts.begin();
  const std::uint32_t start = starts[static_cast<std::size_t>(line) - 1];
  const std::uint32_t before = at - start <= kBlock ? code_points(file.text, start, at)
                                                    : code_points_before(index, at) - code_points_before(index, start);
  // Where a line begins inside a code point (in text that is no UTF-8), that counts as one.
  const bool begins_inside = at > start && (static_cast<unsigned char>(file.text[start]) & 0xC0U) == 0x80U;
  return {&file, static_cast<std::uint32_t>(line), 1 + before + (begins_inside ? 1U : 0U)};
}

std::string_view SourceMap::line_text(Position position) const {
  const SourceFile* file = file_at(position);
  if (file == nullptr) return {};
  const std::string_view text = file->text;
  const std::size_t at = std::min<std::size_t>(position.offset - file->begin, text.size());
  const std::size_t newline_before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = newline_before == std::string_view::npos ? 0 : newline_before + 1;
  const std::size_t end = text.find('\n', at);
  return text.substr(begin, end == std::string_view::npos ? std::string_view::npos : end - begin);
}

std::string_view SourceMap::text(Span span) const {
  const SourceFile* file = file_at(span.begin);
  if (file == nullptr || span.end < span.begin) return {};
  return std::string_view(file->text).substr(span.begin.offset - file->begin, span.end.offset - span.begin.offset);
}

}  // namespace cairn
