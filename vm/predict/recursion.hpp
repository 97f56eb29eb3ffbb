// What a function that calls itself is guessed to cost: its own counts, summed over the calls that the sizes it hands
// on lead to. Sizes that fall by a number: as many calls as fit, or, where each call makes several, as the recurrence
// grows. Sizes that are divided: the master theorem (Bentley, Haken and Saxe, "A general method for solving
// divide-and-conquer recurrences", 1980); a part of a view whose length nobody knows is taken for an even share of it.
// Else `kGuessedTurns` calls.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "vm/predict/cost.hpp"

namespace cairn::predict {

struct SelfCall {
  std::map<std::string, std::optional<Polynomial>> given;  // parameter -> what it is handed; nothing: not known
  std::set<std::string> shares;                            // parameters that are the length of a part of a view
  Polynomial times;                                        // in one call
};

/// `cost`, of one call without those it makes of itself, becomes that of all.
void add_recursion(Cost& cost, const std::vector<SelfCall>& calls);

}  // namespace cairn::predict
