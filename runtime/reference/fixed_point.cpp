#include "runtime/reference/fixed_point.hpp"

#include <algorithm>

namespace cairn::reference {

void FixedPoint::settle() {
  adds_ = 0;
  if (low_ >= end_) return;
  std::int64_t carry = 0;
  for (std::size_t i = low_; i < end_ || carry != 0; ++i) {
    const std::int64_t total = limbs_[i] + carry;
    if (i + 1 >= end_ && total >= INT32_MIN && total <= INT32_MAX) {
      limbs_[i] = total;
      end_ = std::max(end_, i + 1);
      return;
    }
    limbs_[i] = total & 0xffffffff;
    carry = total >> 32;
    end_ = std::max(end_, i + 1);
  }
}

Value FixedPoint::value() {
  settle();
  while (low_ < end_ && limbs_[low_] == 0) ++low_;
  while (low_ < end_ && limbs_[end_ - 1] == 0) --end_;
  if (low_ >= end_) return {};
  // All limbs but the highest are in [0, 2^32): two's complement with a sign limb.
  std::array<std::uint32_t, kLimbs> words;
  for (std::size_t i = low_; i < end_; ++i) words[i] = static_cast<std::uint32_t>(limbs_[i]);
  mpz_class significand;
  mpz_import(significand.get_mpz_t(), end_ - low_, -1, sizeof(std::uint32_t), 0, 0, words.data() + low_);
  if (limbs_[end_ - 1] < 0) {
    mpz_class modulus;
    mpz_setbit(modulus.get_mpz_t(), 32 * (end_ - low_));
    significand -= modulus;
  }
  return {std::move(significand), kLeast + 32 * static_cast<std::int64_t>(low_)};
}

void FixedPoint::clear() {
  if (low_ < end_)
    std::fill(limbs_.begin() + static_cast<std::ptrdiff_t>(low_), limbs_.begin() + static_cast<std::ptrdiff_t>(end_),
              0);
  low_ = kLimbs;
  end_ = 0;
  adds_ = 0;
}

}  // namespace cairn::reference
