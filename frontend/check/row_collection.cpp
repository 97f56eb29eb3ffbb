#include "frontend/check/row_collection.hpp"

#include "frontend/check/row_collector.hpp"

namespace cairn::checked {

bool Places::insert(std::size_t place) {
  const std::uint64_t mask = std::uint64_t{1} << (place % 64);
  if (place < 64) {
    if ((first_ & mask) != 0) return false;
    first_ |= mask;
    if (!rest_.empty()) rest_[0] = first_;
    return true;
  }
  if (rest_.size() <= place / 64) rest_.resize(place / 64 + 1, 0);
  rest_[0] = first_;
  if ((rest_[place / 64] & mask) != 0) return false;
  rest_[place / 64] |= mask;
  return true;
}

PlaceSet Places::view() const {
  if (!rest_.empty()) return rest_;
  return first_ == 0 ? PlaceSet() : PlaceSet(&first_, 1);
}

RowCollector::RowCollector(Checker& checker, const Function& function, HeapTypes& types)
    : checker_(checker), function_(function), types_(types) {
  for (const Function* at = &function; at != nullptr; at = at->parent) {
    in_lane_ = in_lane_ || at->kind == FunctionKind::Lane;
  }
}

OwnRow RowCollector::run() {
  for (const Local* parameter : function_.parameters) {
    if (parameter->type->is(TypeKind::View)) add(Label::FfiPrecondition, Label::Trap);
  }
  if (function_.kind == FunctionKind::Extern) {
    declared_row();
  } else if (function_.info != nullptr && function_.info->witness != nullptr) {
    promised_row();
  } else if (function_.body != nullptr) {
    block(*function_.body);
    const bool releases = (row_.fixed & bit(Label::Free)) != 0 || releases_a_local(function_, types_);
    if (releases) add(Label::Free);
  }
  return std::move(row_);
}

OwnRow collect_own_row(Checker& checker, const Function& function, HeapTypes& types) {
  return RowCollector(checker, function, types).run();
}

}  // namespace cairn::checked
