// What the commands that run programs share: their options, and a program on its way from a path to an Execution.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "vm/cli/arguments.hpp"
#include "vm/cli/output.hpp"
#include "vm/execution.hpp"
#include "vm/session.hpp"

namespace cairn::cli {

/// --device-target, --emulate; everything but check, emit and lsp stops at the first refusal.
[[nodiscard]] SessionOptions session_options(const Invocation& invocation);

/// --tier, --memory-mib (`default_mib` without one; 0: no cap), and the program's arguments.
[[nodiscard]] ExecutionOptions execution_options(const Invocation& invocation, std::int64_t default_mib);

/// What a run on host threads is: never a device run.
[[nodiscard]] std::string emulation_claim(const std::string& target);
/// The `emulation` object of records (tools, 7.4).
[[nodiscard]] nlohmann::ordered_json emulation_record(const std::string& target);

/// Ends the process with status 2 and a diagnostic for people when so many seconds have passed.
void end_after(std::int64_t seconds);

/// What is said when a time limit passed.
[[nodiscard]] Diagnostic time_limit_passed(std::int64_t seconds);

}  // namespace cairn::cli
