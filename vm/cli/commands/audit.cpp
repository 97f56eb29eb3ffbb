// cairn audit: which named algorithms explain what a function returned (reference algorithms, 17).
#include <cstdlib>
#include <expected>
#include <string>

#include <nlohmann/json.hpp>

#include "frontend/project/files.hpp"
#include "runtime/pool/lane_pool.hpp"
#include "runtime/reference/vectors.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/progress.hpp"
#include "vm/cli/running.hpp"

namespace cairn::cli {

namespace {

constexpr std::size_t kMostVectorBytes = std::size_t{1} << 30U;

std::expected<std::size_t, std::string> lanes() {
  const char* setting = std::getenv("CAIRN_LANES");
  return runtime::lane_count(setting == nullptr ? "" : setting);
}

/// --vectors: the library held to every vector of the files.
int check_vector_files(const Invocation& invocation, const Output& output) {
  const auto count = lanes();
  if (!count) return output.refuse(no_verdict(count.error() + "."));
  runtime::LanePool pool(*count);
  reference::VectorCounts total;
  nlohmann::ordered_json failures = nlohmann::ordered_json::array();
  for (const std::string_view path : invocation.texts(Option::Vectors)) {
    const std::string shown(path);
    const auto text = read_file(path, kMostVectorBytes);
    if (!text) return output.refuse(no_verdict(shown + " cannot be read: " + text.error() + "."));
    Progress progress("checking " + shown);
    reference::Work work;
    work.pool = &pool;
    work.progress = [&](std::size_t done, std::size_t all) {
      progress.tell(done, all);
      return true;
    };
    const auto fail = [&](std::size_t index, const std::string& what) {
      if (output.json()) {
        failures.push_back({{"file", shown}, {"index", index}, {"message", what}});
      } else {
        output.say("FAIL " + shown + ":" + std::to_string(index) + ": " + what + "\n");
      }
    };
    const auto counts = reference::check_vectors(*text, fail, &work);
    if (!counts) return output.refuse(no_verdict(shown + ": " + counts.error().message + "."));
    total.passed += counts->passed;
    total.failed += counts->failed;
  }
  if (output.json()) {
    output.record({{"status", total.failed == 0 ? "passed" : "failed"},
                   {"passed", total.passed},
                   {"failed", total.failed},
                   {"failures", std::move(failures)}});
  } else {
    output.say(std::to_string(total.passed) + " passed, " + std::to_string(total.failed) + " failed\n");
  }
  return total.failed == 0 ? kGood : kRefused;
}

}  // namespace

int audit_command(const Invocation& invocation) {
  const Output output(invocation);
  if (invocation.has(Option::Vectors)) return check_vector_files(invocation, output);
  return output.refuse(no_verdict("cairn audit of a function is not available in this build."));
}

}  // namespace cairn::cli
