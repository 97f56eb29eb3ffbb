// The form every spelling has: `name(argument, key=value, ...)`, or a bare name. Spaces are free.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/reference/formats.hpp"
#include "runtime/reference/rounding.hpp"

namespace cairn::reference {

/// The arguments of one spelling. Each is taken at most once; what nobody took is refused at the end.
class Spelling {
 public:
  [[nodiscard]] static std::expected<Spelling, Refusal> read(std::string_view text);

  [[nodiscard]] const std::string& name() const { return name_; }

  /// The next argument without a key; nothing when there is none left.
  std::optional<std::string> positional();
  /// The value of `key=value`.
  std::optional<std::string> keyed(std::string_view key);
  /// `key`, `key=true` or `key=false`; `otherwise` when it is absent.
  bool flag(std::string_view key, bool otherwise);
  /// `key=FORMAT`.
  std::optional<Format> format(std::string_view key);
  Rounding rounding();
  std::optional<std::size_t> count(const std::optional<std::string>& written, std::string_view what);
  std::optional<Format> format_of(const std::optional<std::string>& written, std::string_view what);

  /// The first thing that was wrong, or an argument nobody took.
  [[nodiscard]] std::optional<Refusal> fault();
  void refuse(std::string why);

 private:
  struct Argument {
    std::string key;  // empty: positional
    std::string value;
    bool taken = false;
  };
  std::string name_;
  std::vector<Argument> arguments_;
  std::optional<Refusal> fault_;
};

}  // namespace cairn::reference
