#include "vm/cli/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "frontend/project/manifest.hpp"

namespace cairn::cli {

namespace {

/// Calls `each` with every word of a list, until it gives false; true when it never did.
template <typename Function>
bool all_words(std::string_view list, char separator, Function each) {
  while (true) {
    const std::size_t end = list.find(separator);
    if (!each(list.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    list.remove_prefix(end + 1);
  }
}

bool is_word_of(std::string_view words, std::string_view word) {
  return !word.empty() && !all_words(words, ' ', [&](std::string_view known) { return known != word; });
}

std::string listed(std::string_view words) {
  std::string text;
  all_words(words, ' ', [&](std::string_view word) {
    text += (text.empty() ? "" : ", ") + std::string(word);
    return true;
  });
  return text;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool Invocation::has(Option option) const {
  return std::ranges::any_of(options_, [&](const auto& given) { return given.first == option; });
}

std::string_view Invocation::text(Option option, std::string_view otherwise) const {
  for (auto given = options_.rbegin(); given != options_.rend(); ++given) {
    if (given->first == option) return given->second;
  }
  return otherwise;
}

std::vector<std::string_view> Invocation::texts(Option option) const {
  std::vector<std::string_view> values;
  for (const auto& [given, value] : options_) {
    if (given == option) values.push_back(value);
  }
  return values;
}

std::optional<std::int64_t> Invocation::number(Option option) const {
  return has(option) ? whole_number(text(option)) : std::nullopt;
}

class ArgumentParser {
 public:
  ArgumentParser(const CommandRow& command, std::span<const char* const> words) : words_(words), result_(command) {}

  std::expected<Invocation, UsageError> parse() {
    for (at_ = 0; at_ < words_.size() && error_.empty(); ++at_) {
      const std::string_view word = words_[at_];
      if (word == "--") {
        program_arguments();
        break;
      }
      if (word.size() > 1 && word.starts_with('-')) {
        option(word);
      } else {
        result_.operands_.push_back(word);
      }
    }
    if (error_.empty() && !result_.has(Option::Help)) {
      operands();
      tier_of_the_environment();
    }
    if (!error_.empty()) return std::unexpected(UsageError{std::move(error_)});
    return std::move(result_);
  }

 private:
  [[nodiscard]] const CommandRow& command() const { return result_.command(); }

  void program_arguments() {
    if (!command().takes_program_arguments) {
      error_ = "cairn " + std::string(command().name) + " takes no program arguments; only cairn run does.";
    }
    for (const char* word : words_.subspan(at_ + 1)) result_.program_arguments_.emplace_back(word);
  }

  void option(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto found = std::ranges::find(command().options, name, [](Option option) { return row_of(option).name; });
    if (found == command().options.end()) {
      error_ = "cairn " + std::string(command().name) + " has no option " + std::string(name) + ".";
      return;
    }
    const OptionRow& row = row_of(*found);
    if (row.takes == Takes::Nothing) {
      if (equals != std::string_view::npos) error_ = std::string(name) + " takes no value.";
      result_.options_.emplace_back(*found, std::string_view());
      return;
    }
    std::string_view value;
    if (equals != std::string_view::npos) {
      value = word.substr(equals + 1);
    } else if (at_ + 1 < words_.size()) {
      value = words_[++at_];
    } else {
      error_ = std::string(name) + " needs a value, " + std::string(row.placeholder) + ".";
      return;
    }
    judge_words(row, value);
    result_.options_.emplace_back(*found, value);
  }

  void judge_words(const OptionRow& row, std::string_view value) {
    std::string_view wrong;
    const bool known =
        row.takes == Takes::Word ? is_word_of(row.words, wrong = value)
        : row.takes == Takes::Words
            ? all_words(value, ',', [&](std::string_view word) { return is_word_of(row.words, wrong = word); })
            : true;
    if (!known) {
      error_ = std::string(row.name) + " is one of " + listed(row.words) +
               (wrong.empty() ? ", and one is missing." : ", not " + std::string(wrong) + ".");
    } else if (&row == &row_of(Option::ProfileOut) && !value.ends_with(".folded") && !value.ends_with(".json") &&
               !value.ends_with(".html")) {
      error_ = "--profile-out needs a file that ends in .folded, .json or .html.";
    }
  }

  void operands() {
    const auto given = static_cast<int>(result_.operands_.size());
    if (given < command().least_operands) {
      error_ = "cairn " + std::string(command().name) + " needs " + std::string(command().operands) + ".";
    } else if (given > command().most_operands) {
      error_ = "unexpected operand " +
               std::string(result_.operands_[static_cast<std::size_t>(command().most_operands)]) + ".";
    } else if (!command().words.empty()) {
      for (const std::string_view operand : result_.operands_) {
        if (!is_word_of(command().words, operand)) {
          error_ = "the operand is one of " + listed(command().words) + ", not " + std::string(operand) + ".";
        }
      }
    }
  }

  /// CAIRN_TIER is judged as --tier is, where the command has one and it was not given.
  void tier_of_the_environment() {
    if (!error_.empty() || result_.has(Option::Tier)) return;
    // verify proves a tier; it runs nothing on one.
    if (command().name == "verify" || std::ranges::find(command().options, Option::Tier) == command().options.end())
      return;
    const char* tier = std::getenv("CAIRN_TIER");
    if (tier == nullptr || *tier == '\0') return;
    if (!is_word_of(row_of(Option::Tier).words, tier)) {
      error_ = "CAIRN_TIER is one of " + listed(row_of(Option::Tier).words) + ", not " + std::string(tier) + ".";
    }
    result_.options_.emplace_back(Option::Tier, tier);
  }

  std::span<const char* const> words_;
  std::size_t at_ = 0;
  Invocation result_;
  std::string error_;
};

std::expected<Invocation, UsageError> parse_arguments(const CommandRow& command, std::span<const char* const> words) {
  return ArgumentParser(command, words).parse();
}

std::optional<Diagnostic> value_out_of_range(const Invocation& invocation) {
  for (const Option option : invocation.command().options) {
    const OptionRow& row = row_of(option);
    for (const std::string_view value : invocation.texts(option)) {
      if (row.takes == Takes::Target && !is_device_target(value)) return bad_device_target(value);
      if (row.takes != Takes::Number) continue;
      const std::optional<std::int64_t> number = whole_number(value);
      if (number && *number >= row.least && *number <= row.most) continue;
      return no_verdict(std::string(row.name) + " is " + std::string(value) + "; it is a whole number from " +
                        std::to_string(row.least) + " to " + std::to_string(row.most) + ".");
    }
  }
  return std::nullopt;
}

}  // namespace cairn::cli
