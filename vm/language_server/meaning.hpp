// What the words of a checked program stand for: the target of a name, its description, the type of an expression.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vm/language_server/analysis.hpp"

namespace cairn::lsp {

/// What a name stands for. Two are the same when they are declared at the same place.
struct Target {
  Position declared;        // the name itself
  std::string description;  // one or more lines of the language
  std::string comment;
};

class Meaning {
 public:
  /// The analysis was accepted and outlives this.
  explicit Meaning(const Analysis& analysis) : analysis_(analysis), compilation_(analysis.session().compilation()) {}

  [[nodiscard]] std::optional<Target> target(const SourceFile& file, const Word& word) const;
  /// "TYPE" of the smallest expression at a word that is no name of a target.
  [[nodiscard]] std::optional<std::string> type_at(const SourceFile& file, const Word& word) const;
  /// What a word stands for, as Markdown; empty when nobody knows.
  [[nodiscard]] std::string description(const SourceFile& file, const Word& word) const;
  /// Every place of the project that means the target.
  struct Use {
    std::uint32_t file = 0;
    Word word;
  };
  [[nodiscard]] std::vector<Use> uses(const Target& target, std::string_view name) const;

  /// Outline of a file.
  [[nodiscard]] nlohmann::json symbols(std::uint32_t file) const;
  /// What may stand at an offset: after a dot the fields, variants or module members; else locals, declarations, words.
  [[nodiscard]] nlohmann::json completions(const SourceFile& file, std::size_t offset) const;
  /// The function whose call the offset stands in, and which argument; null outside of calls.
  [[nodiscard]] nlohmann::json signature(const SourceFile& file, std::size_t offset) const;

 private:
  [[nodiscard]] Position position_in(const SourceFile& file, std::size_t offset) const {
    return {file.begin + static_cast<std::uint32_t>(offset)};
  }
  [[nodiscard]] const checked::Local* local_named(Position at, std::string_view name) const;
  [[nodiscard]] const syntax::Decl* declaration_named(std::string_view module, std::string_view name) const;
  [[nodiscard]] std::string module_at(Position at) const;
  [[nodiscard]] std::string module_behind(std::string_view alias, std::string_view importer) const;
  [[nodiscard]] std::optional<Target> member_of(const Type& type, std::string_view name) const;
  [[nodiscard]] Target describe(const syntax::Decl& declaration) const;
  [[nodiscard]] const Type* type_of_expression_at(Position at) const;
  [[nodiscard]] std::string text(Name name) const { return std::string(compilation_.names.text(name)); }

  const Analysis& analysis_;
  Compilation& compilation_;
};

}  // namespace cairn::lsp
