// cairn doc: an API reference in Markdown (tools, 3.9).
#include "frontend/report/doc.hpp"

#include <filesystem>
#include <fstream>

#include "vm/cli/commands/commands.hpp"
#include "vm/cli/running.hpp"

namespace cairn::cli {

namespace fs = std::filesystem;

namespace {

int write_pages(const Output& output, const std::vector<ModulePage>& pages, const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return output.refuse(no_verdict(folder.generic_string() + " cannot be made: " + error.message() + "."));
  for (const ModulePage& page : pages) {
    const fs::path path = folder / ((page.module.empty() ? "root" : page.module) + ".md");
    std::ofstream file(path, std::ios::binary);
    file << page.markdown;
    file.close();
    if (file.fail()) return output.refuse(no_verdict(path.generic_string() + " cannot be written."));
  }
  return kGood;
}

}  // namespace

int doc_command(const Invocation& invocation) {
  const Output output(invocation);
  DocOptions options;
  options.library = invocation.has(Option::Std);
  for (const std::string_view module : invocation.texts(Option::Module)) options.modules.emplace_back(module);
  const bool own = !options.library || !invocation.operands().empty();
  const auto session = own ? Session::open(invocation.path(), session_options(invocation)) : Session::open_library();
  if (!session->accepted()) return output.refuse(session->verdict(), session->sources());
  const std::vector<ModulePage> pages = doc_pages(session->compilation(), options);
  for (const std::string& module : options.modules) {
    bool found = false;
    for (const ModulePage& page : pages) found = found || page.module == module;
    if (!found) return output.refuse(no_verdict("The program has no module " + module + "."));
  }
  if (invocation.has(Option::Pages)) return write_pages(output, pages, fs::path(invocation.text(Option::Pages)));
  std::string text;
  for (const ModulePage& page : pages) text += (text.empty() ? "" : "\n") + page.markdown;
  output.say(text);
  return kGood;
}

}  // namespace cairn::cli
