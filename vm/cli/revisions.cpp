#include "vm/cli/revisions.hpp"

#include <system_error>
#include <vector>

#include <unistd.h>

#include "frontend/project/manifest.hpp"
#include "vm/cli/child_process.hpp"
#include "vm/cli/machine.hpp"

namespace cairn::cli {

namespace fs = std::filesystem;

namespace {

constexpr double kToolSeconds = 60;

struct Ran {
  bool succeeded = false;
  std::string out;
  std::string err;
};

/// A program of PATH with plain arguments; no shell is between.
Ran run(const std::string& program, std::vector<std::string> arguments, const fs::path& folder) {
  const auto path = program_in_path(program);
  if (!path) return {false, "", program + " is not installed here"};
  ChildOptions options;
  options.timeout_seconds = kToolSeconds;
  options.without_input = true;
  options.folder = folder;
  arguments.insert(arguments.begin(), program);
  const auto ended = run_child(
      [&] {
        std::vector<char*> words;
        for (std::string& argument : arguments) words.push_back(argument.data());
        words.push_back(nullptr);
        ::execv(path->c_str(), words.data());
        return 127;
      },
      options);
  if (!ended) return {false, "", "the system gives no further process"};
  const auto trimmed = [](std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
  };
  return {ended->exit_code == 0 && !ended->timed_out, trimmed(ended->out), trimmed(ended->err)};
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::error_code error;
  std::string pattern = (fs::temp_directory_path(error) / "cairn-revision-XXXXXX").string();
  if (error || ::mkdtemp(pattern.data()) == nullptr) return;
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::expected<VersionSide, Diagnostic> find_version(const std::string& word, const std::string& inside) {
  VersionSide side;
  side.named = word;
  std::error_code error;
  if (fs::exists(word, error)) {
    side.kind = "path";
    side.operand = word;
    return side;
  }
  const auto fail = [&](const std::string& why) {
    return std::unexpected(no_verdict(word + " is neither a path nor a revision that can be read: " + why + "."));
  };
  // A word that begins with a dash would be an option of git.
  if (word.starts_with("-")) return fail("it begins with a dash");
  const Ran top = run("git", {"rev-parse", "--show-toplevel"}, {});
  if (!top.succeeded) return fail(top.err.empty() ? "no repository is around the working folder" : top.err);
  const Ran commit = run("git", {"rev-parse", "--verify", "--quiet", word + "^{commit}"}, {});
  if (!commit.succeeded) return fail("the repository has no such commit");
  side.kind = "revision";
  side.commit = commit.out;
  side.scratch = std::make_unique<ScratchFolder>();
  if (side.scratch->path().empty()) return fail("no scratch folder can be made");
  // Without --in the project is the working folder's place in the repository, which is what git archives there.
  const fs::path folder = inside.empty() ? fs::path() : fs::path(top.out);
  const std::string archive = (side.scratch->path() / "revision.tar").string();
  const std::string tree = (side.scratch->path() / "tree").string();
  fs::create_directory(tree, error);
  const Ran archived = run("git", {"archive", "--format=tar", "--output=" + archive, side.commit}, folder);
  if (!archived.succeeded) return fail(archived.err);
  const Ran unpacked = run("tar", {"-xf", archive, "-C", tree}, {});
  if (!unpacked.succeeded) return fail(unpacked.err);
  side.operand = inside.empty() ? fs::path(tree) : fs::path(tree) / inside;
  return side;
}

}  // namespace cairn::cli
