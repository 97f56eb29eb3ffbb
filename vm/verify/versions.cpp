#include "vm/verify/versions.hpp"

#include <algorithm>

namespace cairn::verify {

const checked::Function* function_named(const Session& session, std::string_view name) {
  const auto functions = session.own_functions();
  const auto found = std::ranges::find(functions, name, &checked::Function::name);
  return found == functions.end() ? nullptr : *found;
}

Insertion function_beside(const Session& session, const checked::Function& function, std::string_view name,
                          std::string_view result, std::string_view body) {
  const syntax::Decl& declaration = *function.declaration;
  const SourceFile* file = session.sources().file_at(declaration.position);
  Insertion insertion;
  for (std::uint32_t index = 0; index < session.sources().size(); ++index) {
    if (&session.sources().file(index) == file) insertion.source = index;
  }
  insertion.offset = declaration.span.end.offset - file->begin;
  // The parameters as they are written: from the parenthesis behind the name to the one that closes it.
  const std::string_view text = session.sources().text(declaration.span);
  std::size_t at = text.find('(');
  const std::size_t begin = at;
  int depth = 0;
  for (; at < text.size(); ++at) {
    if (text.substr(at).starts_with("//")) at = std::min(text.find('\n', at), text.size() - 1);
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) break;
  }
  const std::string parameters =
      begin == std::string_view::npos ? "()" : std::string(text.substr(begin, at + 1 - begin));
  insertion.text =
      "\nfn " + std::string(name) + parameters + " -> " + std::string(result) + " " + std::string(body) + "\n";
  return insertion;
}

std::unique_ptr<Session> with_precondition(const Session& session, const SessionOptions& options,
                                           const checked::Function& function, std::string_view expression) {
  SessionOptions changed = options;
  changed.insertions.push_back(
      function_beside(session, function, kPreconditionName, "bool", "= " + std::string(expression) + ";"));
  return Session::open(session.project()->operand, changed);
}

Answer compare_versions(const Session& reference, const checked::Function& function, const Session& candidate,
                        const checked::Function& other, const checked::Function* precondition, Question question) {
  Answer answer;
  const auto lower = [&](const Session& session, std::vector<const checked::Function*> roots) {
    lower::Options options;
    options.entry = false;
    options.roots = std::move(roots);
    return session.lower(options);
  };
  std::vector<const checked::Function*> roots{&function};
  if (precondition != nullptr) roots.push_back(precondition);
  const auto before = lower(reference, std::move(roots));
  const auto after = lower(candidate, {&other});
  if (!before || !after) {
    answer.reason = before ? after.error().message : before.error().message;
    return answer;
  }
  question.reference = {&reference.compilation(), &function, &before->module, before->roots[0]};
  question.candidate = {&candidate.compilation(), &other, &after->module, after->roots[0]};
  if (precondition != nullptr) question.precondition = before->roots[1];
  return compare(question);
}

}  // namespace cairn::verify
