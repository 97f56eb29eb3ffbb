// How a command answers: for people or as one JSON record (tools, 1.2 and 1.3). Results go to stdout; refusals to
// stderr for people and, as the record, to stdout.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "frontend/diagnostics/diagnostic.hpp"
#include "vm/cli/arguments.hpp"

namespace cairn::cli {

inline constexpr int kGood = 0;
inline constexpr int kRefused = 1;
inline constexpr int kNoVerdict = 2;

/// "1 test", "3 tests".
[[nodiscard]] std::string counted(std::size_t count, std::string_view what);

class Output {
 public:
  /// `--format`, else CAIRN_FORMAT, else for people.
  explicit Output(const Invocation& invocation);

  [[nodiscard]] bool json() const { return json_; }

  /// One JSON value: a compact line, or indented on a terminal.
  void record(const nlohmann::ordered_json& record) const;
  /// The same on one line whatever stdout is (JSON Lines of --watch).
  void record_line(const nlohmann::ordered_json& record) const;
  /// Text for people, to stdout. Ends as given.
  void say(std::string_view text) const;
  /// `note: ` and a sentence for people, to stderr; nothing in a record.
  void note(std::string_view sentence) const;

  /// Every refusal of the verdict. The status: kNoVerdict when the first says nothing about the program, else kRefused.
  int refuse(const Verdict& verdict, const SourceMap& sources) const;
  int refuse(Diagnostic diagnostic, const SourceMap& sources) const;
  /// A refusal without a place.
  int refuse(Diagnostic diagnostic) const;

 private:
  bool json_ = false;
};

/// Writes all of `text` to a stream of this process; a closed stream ends nothing.
void write_out(std::string_view text);
/// The exit status of a command that ended with `status`: kNoVerdict, said on stderr, when stdout could not take it
/// all.
[[nodiscard]] int checked_output(int status);
void write_error(std::string_view text);

}  // namespace cairn::cli
