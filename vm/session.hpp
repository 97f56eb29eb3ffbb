// One program as every command of the command line sees it: loaded from a path, checked, and described in records.
//
// A session is opened whatever the path holds. A project that cannot be loaded, a refused program and an accepted one
// differ in `verdict()` alone; `project()` is there once loading got that far, and the checked program is complete only
// when the verdict accepts.
#pragma once

#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "frontend/frontend.hpp"
#include "frontend/project/project.hpp"
#include "vm/lower/lower.hpp"

namespace cairn::cuda {
struct Gpus;
}

namespace cairn {

/// Text put into a source before it is checked: declarations a tool adds beside the program's own, or takes away.
struct Insertion {
  std::uint32_t source = 0;  // in the SourceMap the project is loaded into
  std::size_t offset = 0;    // bytes into its text
  std::string text;
  std::size_t replaced = 0;  // bytes of the text that it stands for
};

struct SessionOptions {
  bool wants_main = false;    // the entry point is judged right after parsing (run, and build of an executable)
  bool generics = false;      // certify every generic function against its bounds
  bool first_only = false;    // stop at the first refusal, as everything but check, emit and lsp does
  std::string device_target;  // of the command line; else the manifest's is taken
  std::string host_module;    // text of a module `host` that every program may import; empty: there is none
  bool emulate = false;
  std::vector<Insertion> insertions;
  std::map<std::filesystem::path, std::string> buffers;  // texts that stand for files, by their canonical paths
  /// A source before the project's own, so in its root module; none when the name is empty.
  std::string leading_name;
  std::string leading_text;
  /// The GPUs that are there. Asked when the program has device work that is not emulated, for its target where nothing
  /// names one, and for whether it can run; none: nobody knows of any.
  std::function<cuda::Gpus()> gpus;
};

class Session {
 public:
  static std::unique_ptr<Session> open(const std::filesystem::path& operand, const SessionOptions& options);
  /// The same of one source that is no file; `name` is what positions call it.
  static std::unique_ptr<Session> open_text(std::string name, std::string text, const SessionOptions& options);
  /// A program that imports every packaged module and declares nothing.
  static std::unique_ptr<Session> open_library();

  [[nodiscard]] bool accepted() const { return compilation_.verdict.accepted(); }
  [[nodiscard]] const Verdict& verdict() const { return compilation_.verdict; }
  [[nodiscard]] const SourceMap& sources() const { return compilation_.sources; }
  [[nodiscard]] const std::optional<Project>& project() const { return project_; }
  [[nodiscard]] Compilation& compilation() { return compilation_; }
  [[nodiscard]] const Compilation& compilation() const { return compilation_; }
  [[nodiscard]] const checked::Program& program() const { return compilation_.program; }

  /// `functions` and `library_functions` of records: concrete functions, instances and tests, no templates.
  struct Counts {
    std::size_t functions = 0;
    std::size_t library = 0;
  };
  [[nodiscard]] Counts counts() const;

  /// The project's own concrete functions, main among them; no tests, externs, kernels or templates.
  [[nodiscard]] std::vector<const checked::Function*> own_functions() const;

  /// What a library gives a host: public functions of the project's own modules (all, in the root module) that are
  /// neither generic nor main (tools, 13.1).
  [[nodiscard]] std::vector<const checked::Function*> exported_functions() const;

  /// What a freestanding target does not admit of an accepted program (abstractions, 13.6): test blocks (E-TEST), and
  /// functions that allocate, do I/O or need lanes, devices or foreign code. Nothing for a hosted one.
  [[nodiscard]] std::optional<Diagnostic> judge_board() const;

  /// Whether the accepted program has device work, and all of it runs on host threads.
  [[nodiscard]] bool is_emulated() const;
  /// E-TARGET when the accepted program has device work and no device target is known.
  [[nodiscard]] std::optional<Diagnostic> judge_device_target() const;
  /// What stands in the way of running an accepted program's device work here: that, or no device of the target is
  /// there. Nothing when there is none, or when it is emulated.
  [[nodiscard]] std::optional<Diagnostic> judge_device() const;
  /// The device target the command or the manifest names; empty when neither does.
  [[nodiscard]] const std::string& device_target() const { return device_target_; }

  /// The accepted program as bytecode. A program that holds what this build cannot express is refused without a
  /// verdict.
  [[nodiscard]] std::expected<lower::Lowered, Diagnostic> lower(const lower::Options& options) const;

  /// The project's source texts as checked, in order, and their digest.
  [[nodiscard]] std::string source_text() const;
  [[nodiscard]] std::string source_digest() const;

  /// The `project` object of records: name, kind, sources and vendored sources with their digests.
  [[nodiscard]] nlohmann::ordered_json project_record() const;

 private:
  Session() = default;
  static std::unique_ptr<Session> open_as(const std::filesystem::path& operand, const SessionOptions& options);
  /// Whether a device target is needed and nothing names one.
  [[nodiscard]] bool lacks_target() const;
  void check(const SessionOptions& options);
  void judge_foreign_symbols();
  void judge_foreign_emulation();

  Compilation compilation_;
  std::optional<Project> project_;
  std::string device_target_;  // empty: none is known
  bool emulate_ = false;
  std::function<cuda::Gpus()> gpus_;
};

}  // namespace cairn
