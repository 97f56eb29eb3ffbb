#include "frontend/check/row_labels.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "frontend/check/program.hpp"

namespace cairn::checked {

namespace {

// In the order of Label, which is alphabetical.
constexpr std::array<std::string_view, kLabelCount> kTexts = {
    "alloc",         "asm",      "asm:aarch64", "asm:ptx",          "asm:x86_64",   "atomic",       "barrier",
    "dispatch",      "diverge",  "fence",       "ffi_precondition", "free",         "gpu_alloc",    "gpu_free",
    "indirect_call", "io",       "join",        "local_read",       "local_write",  "lock",         "mmio",
    "par:device",    "par:host", "spawn",       "stack_storage",    "transfer:d2d", "transfer:d2h", "transfer:h2d",
    "transfer:h2h",  "trap",     "zero_init"};
static_assert(std::ranges::is_sorted(kTexts));

}  // namespace

std::string_view text(Label label) { return kTexts[static_cast<std::size_t>(label)]; }

std::optional<Label> label_of(std::string_view text) {
  const auto found = std::ranges::lower_bound(kTexts, text);
  if (found == kTexts.end() || *found != text) return std::nullopt;
  return static_cast<Label>(found - kTexts.begin());
}

Label transfer_label(Placement from, Placement to) {
  if (from == Placement::Device) return to == Placement::Device ? Label::TransferD2D : Label::TransferD2H;
  return to == Placement::Device ? Label::TransferH2D : Label::TransferH2H;
}

bool any(PlaceSet set) {
  return std::ranges::any_of(set, [](std::uint64_t word) { return word != 0; });
}

std::vector<std::string> texts(const Row& row, const Function& function, const NameTable& names) {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < kLabelCount; ++k) {
    if (row.has(static_cast<Label>(k))) all.emplace_back(kTexts[k]);
  }
  const auto places = [&](PlaceSet set, std::string_view prefix) {
    const std::size_t parameters = function.parameters.size();
    for (std::size_t place = 0; place < parameters + function.captures.size(); ++place) {
      if (!contains(set, place)) continue;
      const Local* local = place < parameters ? function.parameters[place] : function.captures[place - parameters];
      all.push_back(std::string(prefix) + std::string(names.text(local->name)));
    }
  };
  places(row.reads, "read:");
  places(row.writes, "write:");
  places(row.lanes, "lane:");
  for (const Name other : row.others) all.emplace_back(names.text(other));
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

bool is_observable(const Row& row, const NameTable& names) {
  if (row.has_any(kObservableLabels)) return true;
  return std::ranges::any_of(row.others, [&](Name other) {
    const std::string_view text = names.text(other);
    return text.starts_with("ffi:") || text.starts_with("transfer:") || text.starts_with("par:") ||
           text.starts_with("asm:");
  });
}

}  // namespace cairn::checked
