#include "frontend/check/effect_ceilings.hpp"

#include <algorithm>
#include <string_view>

#include "frontend/check/row_labels.hpp"

namespace cairn {

namespace {

struct Allowed {
  checked::LabelSet fixed = 0;
  bool every_read = false;
  std::vector<std::string_view> others;
};

Allowed allowed_by(const syntax::Ceiling& ceiling) {
  Allowed allowed;
  const auto add_pure = [&] {
    allowed.fixed |= checked::kPureLabels;
    allowed.every_read = true;
  };
  if (ceiling.pure_alone) add_pure();
  for (const syntax::EffectLabel& label : ceiling.labels) {
    if (label.text == "pure") {
      add_pure();
    } else if (const auto fixed = checked::label_of(label.text)) {
      allowed.fixed |= checked::bit(*fixed);
    } else {
      allowed.others.push_back(label.text);
    }
  }
  return allowed;
}

}  // namespace

std::vector<std::string> labels_beyond(const checked::Row& row, const checked::Function& function,
                                       const syntax::Ceiling& ceiling, const NameTable& names) {
  const Allowed allowed = allowed_by(ceiling);
  // Most rows fit, and then no text is made.
  const bool has_places =
      checked::any(row.writes) || checked::any(row.lanes) || (!allowed.every_read && checked::any(row.reads));
  if ((row.fixed & ~allowed.fixed) == 0 && !has_places && row.others.empty()) return {};
  std::vector<std::string> beyond;
  for (std::string& label : checked::texts(row, function, names)) {
    const auto fixed = checked::label_of(label);
    const bool is_allowed = fixed ? (allowed.fixed & checked::bit(*fixed)) != 0
                            : allowed.every_read && label.starts_with("read:")
                                ? true
                                : std::ranges::find(allowed.others, label) != allowed.others.end();
    if (!is_allowed) beyond.push_back(std::move(label));
  }
  return beyond;
}

}  // namespace cairn
