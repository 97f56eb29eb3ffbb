// The places of a function's source that need a guard, by kind (tools, 6.2), and its allocations: what receipts count
// and `cairn explain` lists by line.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/check/program.hpp"

namespace cairn {

struct GuardSite {
  std::string_view kind;  // "bounds"
  Position position;
  bool discharged = false;  // proved unable to fail
};

/// Every site of a function, its closures and lane bodies included, and those of its entry.
[[nodiscard]] std::vector<GuardSite> guard_sites(const checked::Function& function);
/// Kind -> how many; of those alone that are discharged when asked.
[[nodiscard]] std::map<std::string_view, std::size_t> count_by_kind(const std::vector<GuardSite>& sites,
                                                                    bool discharged = false);

struct StorageSite {
  std::string name;
  std::string_view kind;  // "buffer" or "stack"
  std::string type;       // the element type
  std::string placement;  // of a buffer that is not the host's; else empty
  std::string capacity;   // a number, or the name its extent has; empty when it is neither
  Position position;
};
[[nodiscard]] std::vector<StorageSite> storage_sites(const checked::Function& function, const NameTable& names);

/// Names of the functions a body calls by name, sorted, each once.
[[nodiscard]] std::vector<std::string_view> direct_calls(const checked::Function& function);

}  // namespace cairn
