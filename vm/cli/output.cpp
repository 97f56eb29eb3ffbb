#include "vm/cli/output.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <unistd.h>
#include <nlohmann/json.hpp>

#include "frontend/diagnostics/render.hpp"

namespace cairn::cli {

std::string counted(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

namespace {

int output_fault = 0;  // the errno of the first write to stdout that failed

bool is_coloured(int descriptor) { return ::isatty(descriptor) == 1 && std::getenv("NO_COLOR") == nullptr; }

}  // namespace

void write_out(std::string_view text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if ((std::fflush(stdout) != 0 || !whole) && output_fault == 0) output_fault = errno;
}

int checked_output(int status) {
  if (output_fault == 0) return status;
  write_error("cairn: what it had to say could not be written: " + std::string(std::strerror(output_fault)) + "\n");
  return status == kGood ? kNoVerdict : status;
}

void write_error(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

Output::Output(const Invocation& invocation) {
  const char* variable = std::getenv("CAIRN_FORMAT");
  json_ = invocation.text(Option::Format, variable == nullptr ? "" : variable) == "json";
}

void Output::record(const nlohmann::ordered_json& record) const {
  write_out(text_of(record, ::isatty(STDOUT_FILENO) == 1) + "\n");
}

void Output::record_line(const nlohmann::ordered_json& record) const { write_out(text_of(record, false) + "\n"); }

void Output::say(std::string_view text) const { write_out(text); }

void Output::note(std::string_view sentence) const {
  if (!json_) write_error("note: " + std::string(sentence) + "\n");
}

int Output::refuse(const Verdict& verdict, const SourceMap& sources) const {
  if (json_) {
    record(record_of(verdict, sources));
  } else {
    write_error(render_human(verdict, sources, is_coloured(STDERR_FILENO)));
  }
  return is_rejection(verdict.refusals.front()) ? kRefused : kNoVerdict;
}

int Output::refuse(Diagnostic diagnostic, const SourceMap& sources) const {
  Verdict verdict;
  verdict.refusals.push_back(std::move(diagnostic));
  return refuse(verdict, sources);
}

int Output::refuse(Diagnostic diagnostic) const { return refuse(std::move(diagnostic), SourceMap{}); }

}  // namespace cairn::cli
