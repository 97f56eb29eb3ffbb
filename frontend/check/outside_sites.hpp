// The accesses a cooperative body makes to arrays from outside it (devices, 15.1): each with its index as a polynomial
// over names, and what the conditions around it say. One walk stands for all threads of all blocks.
//
// An agent is a name that tells pairs of (block, thread) apart. It and every loop's name is a digit: an atom with a
// range. Names the body binds to what is no polynomial are not followed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/check/cooperative.hpp"
#include "frontend/check/cooperative_text.hpp"
#include "frontend/check/outside_polynomials.hpp"

namespace cairn::outside {

/// lo <= digit < hi, where known.
struct Digit {
  std::uint32_t atom = 0;
  std::optional<Polynomial> lo;
  std::optional<Polynomial> hi;
  bool agent = false;
  /// Whether it has one value alone.
  [[nodiscard]] bool is_single() const {
    return lo && hi && (*hi - *lo).constant() == std::optional(Polynomial::Wide{1});
  }
};

struct Fact {  // left <= right
  Polynomial left;
  Polynomial right;
};

struct Site {
  std::optional<Polynomial> index;
  bool writes = false;
  bool atomic = false;
  std::vector<Fact> facts;
  Position at;
};

struct OutsideArray {
  const checked::Local* root = nullptr;
  std::vector<Site> sites;  // in the order of the text
};

struct Sites {
  std::vector<OutsideArray> arrays;  // in the order of their first site
  std::vector<Digit> digits;
  std::map<std::uint32_t, Polynomial::Wide> least;  // of atoms that are at least 1
  std::vector<std::string> names;                   // of atoms

  [[nodiscard]] const Digit* digit(std::uint32_t atom) const;
  [[nodiscard]] std::string text(const Polynomial& polynomial) const;
};

[[nodiscard]] Sites collect_sites(const checked::ThreadBody& body, std::span<const checked::LetStmt* const> grid,
                                  const CooperativeText& text);

}  // namespace cairn::outside
