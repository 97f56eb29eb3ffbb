#include "frontend/diagnostics/render.hpp"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "frontend/diagnostics/fixes.hpp"
#include "frontend/source/token_scan.hpp"

namespace cairn {

namespace {

constexpr std::string_view kProtocol = "cairn.diagnostic/2";
constexpr std::string_view kTrust = "checker";  // what every refusal rests on

/// Fields a record may have that are never shown as details for people.
constexpr std::array<std::string_view, 19> kNotDetails = {"protocol",
                                                          "status",
                                                          "code",
                                                          "message",
                                                          "line",
                                                          "column",
                                                          "trust",
                                                          "file",
                                                          "module",
                                                          "further",
                                                          "further_omitted",
                                                          "not_judged",
                                                          "further_stopped",
                                                          "repair_hint",
                                                          "card",
                                                          "source_line",
                                                          "available_names",
                                                          "available_variants",
                                                          "available_fields"};

/// Details every reader may look for, in the order records list them; others follow as their rule gave them.
constexpr std::array<std::string_view, 7> kKnownDetails = {"derived",         "expected_type",    "actual_type",
                                                           "available_names", "available_fields", "available_variants",
                                                           "added_effects"};

using Detail = std::pair<std::string, DetailValue>;

std::vector<const Detail*> details_in_order(const Diagnostic& diagnostic) {
  std::vector<const Detail*> details;
  for (const std::string_view key : kKnownDetails) {
    for (const Detail& detail : diagnostic.details) {
      if (detail.first == key) details.push_back(&detail);
    }
  }
  for (const Detail& detail : diagnostic.details) {
    if (std::ranges::find(kKnownDetails, detail.first) == kKnownDetails.end()) details.push_back(&detail);
  }
  return details;
}

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return !is_continuation(byte); }));
}

std::string_view trimmed_right(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n\f\v");
  return last == std::string_view::npos ? std::string_view() : text.substr(0, last + 1);
}

std::string lower_first(std::string text) {
  if (!text.empty() && text.front() >= 'A' && text.front() <= 'Z') text.front() = static_cast<char>(text.front() + 32);
  return text;
}

std::string joined(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    if (!text.empty()) text += ", ";
    text += item;
  }
  return text;
}

std::string shown(const DetailValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* items = std::get_if<std::vector<std::string>>(&value)) return joined(*items);
  return std::to_string(std::get<std::int64_t>(value));
}

std::string_view card_of(const Diagnostic& diagnostic) {
  return diagnostic.custom_code.empty() ? info(diagnostic.code).card : std::string_view();
}

/// Terminal escapes of the human form: all empty when colour is off.
struct Palette {
  std::string_view fault, accent, strong, plain;
};
constexpr Palette kPlain = {};
constexpr Palette kColoured = {"\x1b[1;31m", "\x1b[1;34m", "\x1b[1m", "\x1b[0m"};

class HumanWriter {
 public:
  HumanWriter(const SourceMap& sources, const Palette& palette) : sources_(sources), palette_(palette) {}

  void write(const Diagnostic& diagnostic) {
    header(diagnostic);
    const Location location = sources_.locate(diagnostic.position);
    if (location.file != nullptr) {
      place(location.file->path, ":" + std::to_string(location.line) + ":" + std::to_string(location.column));
      excerpt(diagnostic.position, location);
    } else if (!diagnostic.file.empty()) {
      place(diagnostic.file, "");
    }
    for (const Detail* each : details_in_order(diagnostic)) detail(diagnostic, each->first, shown(each->second));
    if (const std::string fix = fix_of(diagnostic, sources_); !fix.empty()) note("help", lower_first(fix));
    if (const std::string_view card = card_of(diagnostic); !card.empty()) {
      note("note",
           "the " + std::string(card) + " card states this rule: cairn rules " + std::string(code_text(diagnostic)));
    }
  }

  void tally(const Verdict& verdict) {
    const std::size_t refusals = verdict.refusals.size();
    if (refusals == 1 && verdict.not_judged == 0 && verdict.stopped_by.empty()) return;
    const auto counted = [](std::size_t count, std::string_view what) {
      return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
    };
    std::string line = ": " + counted(refusals, "refusal");
    if (refusals > 1 + kMostFurtherRefusals) {
      line += ", " + std::to_string(refusals - 1 - kMostFurtherRefusals) + " not shown";
    }
    if (verdict.not_judged > 0) {
      line += "; " + counted(static_cast<std::size_t>(verdict.not_judged), "function") + " not judged because of " +
              (refusals == 1 ? "it" : "them");
    }
    if (!verdict.stopped_by.empty()) {
      line += "; the check stopped early on " + verdict.stopped_by + ", so later functions were not judged";
    }
    paint(palette_.fault, "error");
    text_ += line + '\n';
  }

  void separate() { text_ += '\n'; }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void paint(std::string_view colour, std::string_view text) {
    text_ += colour;
    text_ += text;
    if (!colour.empty()) text_ += palette_.plain;
  }

  void header(const Diagnostic& diagnostic) {
    const std::string word = is_rejection(diagnostic) ? "error[" : "unknown[";
    paint(palette_.fault, word + std::string(code_text(diagnostic)) + "]");
    text_ += ": ";
    paint(palette_.strong, diagnostic.message);
    text_ += '\n';
  }

  void place(std::string_view file, const std::string& at) {
    text_ += "  ";
    paint(palette_.accent, "-->");
    text_ += " " + std::string(file) + at + '\n';
  }

  void excerpt(Position position, const Location& location) {
    const std::string number = std::to_string(location.line);
    const std::string gutter(number.size(), ' ');
    const std::string_view line = sources_.line_text(position);
    paint(palette_.accent, gutter + " |");
    text_ += '\n';
    paint(palette_.accent, number + " |");
    const std::string_view source = trimmed_right(line);
    if (!source.empty()) text_ += " " + std::string(source);
    text_ += '\n';
    paint(palette_.accent, gutter + " |");
    std::size_t byte = 0;  // of the column in the line
    for (std::size_t column = 1; column < location.column && byte < line.size(); ++column) {
      ++byte;
      while (byte < line.size() && is_continuation(line[byte])) ++byte;
    }
    const std::string_view rest = line.substr(byte);
    const std::size_t carets = std::max<std::size_t>(1, characters(rest.substr(0, token_width(rest))));
    text_ += " " + std::string(location.column - 1, ' ');
    paint(palette_.fault, std::string(carets, '^'));
    text_ += '\n';
  }

  void detail(const Diagnostic& diagnostic, std::string key, const std::string& value) {
    if (std::ranges::find(kNotDetails, key) != kNotDetails.end()) return;
    if (value.empty() || diagnostic.message.contains(value)) return;
    std::ranges::replace(key, '_', ' ');
    note("note", key + ": " + value);
  }

  void note(std::string_view kind, const std::string& text) {
    text_ += "  ";
    paint(palette_.accent, "=");
    text_ += " ";
    paint(palette_.strong, kind);
    text_ += ": " + text + '\n';
  }

  const SourceMap& sources_;
  const Palette& palette_;
  std::string text_;
};

nlohmann::ordered_json detail_record(const DetailValue& value) {
  return std::visit([](const auto& held) { return nlohmann::ordered_json(held); }, value);
}

nlohmann::ordered_json single_record(const Diagnostic& diagnostic, const SourceMap& sources) {
  nlohmann::ordered_json record;
  const bool rejected = is_rejection(diagnostic);
  if (rejected) record["protocol"] = kProtocol;
  record["status"] = rejected ? "rejected" : "unknown";
  record["code"] = code_text(diagnostic);
  record["message"] = diagnostic.message;
  const Location location = sources.locate(diagnostic.position);
  if (location.file != nullptr) {
    record["line"] = location.line;
    record["column"] = location.column;
    record["file"] = location.file->path;
    if (location.file->library) record["module"] = location.file->path;
  } else if (!diagnostic.file.empty()) {
    record["file"] = diagnostic.file;
  }
  if (rejected) record["trust"] = kTrust;
  if (const std::string_view card = card_of(diagnostic); !card.empty()) record["card"] = card;
  if (std::string fix = fix_of(diagnostic, sources); !fix.empty()) record["repair_hint"] = std::move(fix);
  for (const Detail* each : details_in_order(diagnostic)) record[each->first] = detail_record(each->second);
  return record;
}

}  // namespace

std::string_view code_text(const Diagnostic& diagnostic) {
  return diagnostic.custom_code.empty() ? text(diagnostic.code) : std::string_view(diagnostic.custom_code);
}

bool is_rejection(const Diagnostic& diagnostic) {
  return diagnostic.code != Code::ProjectOrEnvironment || !diagnostic.custom_code.empty();
}

std::string render_human(const Verdict& verdict, const SourceMap& sources, bool coloured) {
  HumanWriter writer(sources, coloured ? kColoured : kPlain);
  if (verdict.refusals.empty()) return {};
  const std::size_t listed = std::min(verdict.refusals.size(), 1 + kMostFurtherRefusals);
  for (std::size_t index = 0; index < listed; ++index) {
    if (index > 0) writer.separate();
    writer.write(verdict.refusals[index]);
  }
  writer.tally(verdict);
  return writer.take();
}

nlohmann::ordered_json record_of(const Verdict& verdict, const SourceMap& sources) {
  if (verdict.refusals.empty()) return nlohmann::ordered_json::object();
  nlohmann::ordered_json record = single_record(verdict.refusals.front(), sources);
  const std::size_t further = verdict.refusals.size() - 1;
  if (further == 0 && verdict.stopped_by.empty()) return record;  // a reader of one refusal sees exactly that
  if (further > 0) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (std::size_t index = 0; index < std::min(further, kMostFurtherRefusals); ++index) {
      list.push_back(single_record(verdict.refusals[index + 1], sources));
    }
    record["further"] = std::move(list);
  }
  if (further > kMostFurtherRefusals) record["further_omitted"] = further - kMostFurtherRefusals;
  if (verdict.not_judged > 0) record["not_judged"] = verdict.not_judged;
  if (!verdict.stopped_by.empty()) record["further_stopped"] = verdict.stopped_by;
  return record;
}

std::string text_of(const nlohmann::ordered_json& record, bool indented) {
  return record.dump(indented ? 2 : -1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace cairn
