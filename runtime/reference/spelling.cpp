#include "runtime/reference/spelling.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace cairn::reference {

namespace {

std::string without_spaces(std::string_view text) {
  std::string made;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) made += c;
  }
  return made;
}

bool is_word(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; });
}

}  // namespace

std::expected<Spelling, Refusal> Spelling::read(std::string_view text) {
  const auto malformed = [&] {
    return std::unexpected(
        Refusal{"'" + std::string(text.substr(0, 120)) + "' is no algorithm: name(argument, key=value, ...)"});
  };
  std::string packed = without_spaces(text);
  std::string_view rest = packed;
  Spelling made;
  const std::size_t open = rest.find('(');
  made.name_ = rest.substr(0, open);
  if (!is_word(made.name_)) return malformed();
  if (open == std::string_view::npos) return made;
  if (!rest.ends_with(')')) return malformed();
  rest = rest.substr(open + 1, rest.size() - open - 2);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    const std::string_view argument = rest.substr(0, comma);
    const std::size_t equals = argument.find('=');
    Argument each;
    if (equals == std::string_view::npos) {
      each.value = argument;
    } else {
      each.key = argument.substr(0, equals);
      each.value = argument.substr(equals + 1);
    }
    if (!is_word(each.value) || (equals != std::string_view::npos && !is_word(each.key))) return malformed();
    made.arguments_.push_back(std::move(each));
    if (comma == std::string_view::npos) break;
    rest = rest.substr(comma + 1);
    if (rest.empty()) return malformed();
  }
  return made;
}

std::optional<std::string> Spelling::positional() {
  for (Argument& each : arguments_) {
    if (each.taken || !each.key.empty()) continue;
    each.taken = true;
    return each.value;
  }
  return std::nullopt;
}

std::optional<std::string> Spelling::keyed(std::string_view key) {
  for (Argument& each : arguments_) {
    if (each.taken || each.key != key) continue;
    each.taken = true;
    return each.value;
  }
  return std::nullopt;
}

bool Spelling::flag(std::string_view key, bool otherwise) {
  for (Argument& each : arguments_) {
    if (each.taken || !each.key.empty() || each.value != key) continue;
    each.taken = true;
    return true;
  }
  const auto written = keyed(key);
  if (!written) return otherwise;
  if (*written != "true" && *written != "false") refuse(std::string(key) + " is true or false, not " + *written);
  return *written == "true";
}

std::optional<Format> Spelling::format(std::string_view key) { return format_of(keyed(key), key); }

std::optional<Format> Spelling::format_of(const std::optional<std::string>& written, std::string_view what) {
  if (!written) return std::nullopt;
  const auto known = format_named(*written);
  if (!known) refuse(std::string(what) + " is one of f16 bf16 f8e4m3 f8e5m2 f32 f64, not " + *written);
  return known;
}

Rounding Spelling::rounding() {
  const auto written = keyed("rounding");
  if (written && *written != "even" && *written != "away") refuse("rounding is even or away, not " + *written);
  return written == "away" ? Rounding::NearestAway : Rounding::NearestEven;
}

std::optional<std::size_t> Spelling::count(const std::optional<std::string>& written, std::string_view what) {
  if (!written) return std::nullopt;
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(written->data(), written->data() + written->size(), value);
  if (error != std::errc() || end != written->data() + written->size() || value == 0) {
    refuse(std::string(what) + " is a whole number from 1, not " + *written);
    return std::nullopt;
  }
  return value;
}

void Spelling::refuse(std::string why) {
  if (!fault_) fault_ = Refusal{name_ + ": " + std::move(why)};
}

std::optional<Refusal> Spelling::fault() {
  for (const Argument& each : arguments_) {
    if (each.taken) continue;
    refuse("there is no argument " + each.key + (each.key.empty() ? "" : "=") + each.value + " here");
  }
  return fault_;
}

}  // namespace cairn::reference
