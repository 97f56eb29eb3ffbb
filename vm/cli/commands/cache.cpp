// cairn cache: the compiled kernels kept on disk, shown or cleared.
#include <nlohmann/json.hpp>

#include "cuda/tools.hpp"
#include "frontend/project/manifest.hpp"
#include "vm/cli/commands/commands.hpp"

namespace cairn::cli {

int cache_command(const Invocation& invocation) {
  const Output output(invocation);
  const bool clears = !invocation.operands().empty();
  const cuda::ClearedCodeCache cleared = clears ? cuda::clear_code_cache() : cuda::ClearedCodeCache{};
  if (cleared.left != 0) {
    return output.refuse(no_verdict(std::to_string(cleared.left) + " of the " +
                                    std::to_string(cleared.left + cleared.removed) + " entries in " +
                                    cuda::code_cache_state().folder + " cannot be removed: " + cleared.why + "."));
  }
  const cuda::CodeCacheState state = cuda::code_cache_state();
  if (output.json()) {
    nlohmann::ordered_json record;
    record["folder"] = state.folder.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(state.folder);
    record["entries"] = state.entries;
    record["bytes"] = state.bytes;
    record["limit_bytes"] = state.limit;
    record["problem"] = state.problem.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(state.problem);
    if (clears) record["cleared"] = cleared.removed;
    output.record(record);
    return kGood;
  }
  std::string text = "folder " + (state.folder.empty() ? std::string("missing") : state.folder) + "\n";
  text += "entries " + std::to_string(state.entries) + "\n";
  text += "bytes " + std::to_string(state.bytes) + " of " + std::to_string(state.limit) + "\n";
  if (!state.problem.empty()) text += "problem " + state.problem + "\n";
  if (clears) text += "cleared " + std::to_string(cleared.removed) + "\n";
  output.say(text);
  return kGood;
}

}  // namespace cairn::cli
