// Programs as text, lowered: the bytecode of one function as lines, or what the program does when it runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "vm/bytecode/module.hpp"

namespace cairn::cuda {
class Device;
}

namespace cairn::test {

/// The text of a packaged module; null when there is none.
const std::string* packaged(std::string_view name);

/// The module of an accepted program; fails the test that asks when it is refused, cannot be lowered or does not
/// verify.
bytecode::Module lowered(std::string_view program, bool keep_guards = false);
/// The same; none when the program is refused, and `refusal` then says why.
std::optional<bytecode::Module> lowered_if_accepted(std::string_view program, std::string& refusal,
                                                    bool keep_guards = false);
/// The same; where an accepted program cannot be lowered or does not verify, `fault` says why.
std::optional<bytecode::Module> lowered_if_accepted(std::string_view program, std::string& refusal, bool keep_guards,
                                                    std::string& fault);

/// A function's instructions, one a line, without positions and comments; `name` as the module has it.
std::string code_of(const bytecode::Module& module, std::string_view name);

struct Outcome {
  std::int32_t status = 0;
  std::string output;      // standard output and error, in the order written
  std::string trap;        // first line of the trap message, or empty
  std::uint32_t line = 0;  // of the trap
  std::uint32_t column = 0;
  std::uint64_t bytes_held = 0;  // by owners when main has returned
};

/// Runs main on the reference interpreter, its device work emulated.
Outcome run(std::string_view program);
/// On a device made for the module, which lives as long as the run.
using MakeDevice = std::function<std::unique_ptr<cuda::Device>(const bytecode::Module&)>;
Outcome run(std::string_view program, const MakeDevice& make_device);

}  // namespace cairn::test
