// cairn cache: the compiled kernels kept on disk, shown or cleared.
#include <nlohmann/json.hpp>

#include "cuda/tools.hpp"
#include "vm/cli/commands/commands.hpp"

namespace cairn::cli {

int cache_command(const Invocation& invocation) {
  const Output output(invocation);
  const bool clears = !invocation.operands().empty();
  const std::uint64_t cleared = clears ? cuda::clear_code_cache() : 0;
  const cuda::CodeCacheState state = cuda::code_cache_state();
  if (output.json()) {
    nlohmann::ordered_json record;
    record["folder"] = state.folder.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(state.folder);
    record["entries"] = state.entries;
    record["bytes"] = state.bytes;
    record["limit_bytes"] = state.limit;
    if (clears) record["cleared"] = cleared;
    output.record(record);
    return kGood;
  }
  std::string text = "folder " + (state.folder.empty() ? std::string("missing") : state.folder) + "\n";
  text += "entries " + std::to_string(state.entries) + "\n";
  text += "bytes " + std::to_string(state.bytes) + " of " + std::to_string(state.limit) + "\n";
  if (clears) text += "cleared " + std::to_string(cleared) + "\n";
  output.say(text);
  return kGood;
}

}  // namespace cairn::cli
