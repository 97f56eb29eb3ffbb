#include "tests/verify/support.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "stdlib/embedded.hpp"

namespace cairn::test {

namespace {

const std::string* packaged(std::string_view name) {
  static std::map<std::string, std::string, std::less<>> texts;
  for (const EmbeddedModule& module : embedded_modules()) {
    if (module.name == name) return &texts.emplace(name, module.text).first->second;
  }
  return nullptr;
}

}  // namespace

Program::Program(std::string_view text, std::string_view function)
    : text_(text), compilation_(std::make_unique<Compilation>()) {
  compilation_->sources.add("p.cairn", text_);
  CheckOptions options;
  options.packaged = packaged;
  check_program(*compilation_, options);
  INFO(text_);
  if (!compilation_->verdict.accepted()) FAIL(compilation_->verdict.refusals.front().message);
  lower::Options lowering;
  lowering.entry = false;
  const auto root = [&](std::string_view name) {
    const auto& functions = compilation_->program.functions;
    const auto found = std::ranges::find_if(functions, [&](const auto& each) { return each->name == name; });
    return found == functions.end() ? nullptr : found->get();
  };
  function_ = root(function);
  REQUIRE(function_ != nullptr);
  lowering.roots = {function_};
  if (const checked::Function* precondition = root("cairn_precondition")) lowering.roots.push_back(precondition);
  lowered_ = lower::lower_program(*compilation_, lowering);
  REQUIRE(lowered_.failure.empty());
}

std::optional<std::uint32_t> Program::second() const {
  if (lowered_.roots.size() < 2) return std::nullopt;
  return lowered_.roots[1];
}

verify::Answer compare(const Program& before, const Program& after, verify::Question question,
                       std::string_view assumed) {
  if (assumed.empty()) {
    question.reference = before.subject();
    question.candidate = after.subject();
    return verify::compare(question);
  }
  // The precondition takes the parameters of f as they are written.
  const std::string& text = before.text();
  const std::size_t begin = text.find("fn f(") + 4;
  const std::string parameters = text.substr(begin, text.find(')', begin) + 1 - begin);
  const Program with(text + "fn cairn_precondition" + parameters + " -> bool = " + std::string(assumed) + ";\n");
  question.reference = with.subject();
  question.candidate = after.subject();
  question.precondition = with.second();
  return verify::compare(question);
}

std::string answer(std::string_view before, std::string_view after, std::string_view assumed) {
  const verify::Answer given = compare(Program(before), Program(after), {}, assumed);
  std::string text(verify::text(given.status));
  if (given.status == verify::Status::Unknown) text += ": " + given.reason;
  return text;
}

}  // namespace cairn::test
