// Contract files on their way through a child process (tools, 8.3).
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "vm/cli/running.hpp"

namespace cairn::cli {

/// Holds the program to one contract file. The result record; its `status` is passed-finite-tests when all cases
/// agreed. `shown` names the file in the record.
[[nodiscard]] nlohmann::ordered_json hold_to_contract(Session& session, const std::filesystem::path& file,
                                                      const std::string& shown, const ExecutionOptions& options);

}  // namespace cairn::cli
