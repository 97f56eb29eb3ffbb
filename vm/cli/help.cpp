#include "vm/cli/help.hpp"

#include <algorithm>
#include <vector>

namespace cairn::cli {

namespace {

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  result.resize(std::max(width, text.size()), ' ');
  return result;
}

/// An option as help shows it: "--format FORM".
std::string spelled(const OptionRow& row) {
  std::string text(row.name);
  if (!row.placeholder.empty()) text += " " + std::string(row.placeholder);
  return text;
}

/// Whether the text says every one of these words, which spaces separate.
bool says_each(std::string_view text, std::string_view words) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (!text.contains(words.substr(0, end))) return false;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return true;
}

/// The option's line of help: what it does and, where it does not say them itself, the words it admits.
std::string described(const OptionRow& row) {
  std::string text(row.about);
  const bool lists_words = (row.takes == Takes::Word || row.takes == Takes::Words) && !row.words.empty();
  if (!lists_words || says_each(row.about, row.words)) return text;
  std::string words(row.words);
  std::ranges::replace(words, ' ', '|');
  return text + " (" + words + ")";
}

/// All option names of a command, separated by spaces.
std::string option_names(const CommandRow& command) {
  std::string names;
  for (const Option option : command.options) names += (names.empty() ? "" : " ") + std::string(row_of(option).name);
  return names;
}

std::string command_names() {
  std::string names;
  for (const CommandRow& command : commands()) names += (names.empty() ? "" : " ") + std::string(command.name);
  return names;
}

/// The options, of all commands, whose values the filter admits; each name once.
template <typename Filter>
std::vector<const OptionRow*> options_where(const CommandRow& command, Filter filter) {
  std::vector<const OptionRow*> rows;
  for (const Option option : command.options) {
    if (filter(row_of(option))) rows.push_back(&row_of(option));
  }
  return rows;
}

/// Text with what troff reads as a command made harmless.
std::string troff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  if (escaped.starts_with('.') || escaped.starts_with('\'')) escaped.insert(0, "\\&");
  return escaped;
}

/// Text inside single quotes of a shell.
std::string shell_quoted(std::string_view text) {
  std::string quoted;
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted;
}

}  // namespace

std::string usage_line(const CommandRow* command) {
  if (command == nullptr) return "usage: cairn COMMAND [OPTIONS] [OPERANDS]\n";
  std::string line = "usage: cairn " + std::string(command->name) + " [OPTIONS]";
  if (!command->operands.empty()) line += " " + std::string(command->operands);
  return line + "\n";
}

std::string help_text() {
  std::string text = usage_line(nullptr) + "       cairn --version | --help\n\nCommands:\n";
  for (const CommandRow& command : commands()) {
    text += "  " + padded(command.name, 13) + std::string(command.about) + "\n";
  }
  return text + "\n`cairn COMMAND --help` lists the options of a command.\n";
}

std::string help_text(const CommandRow& command) {
  std::string about(command.about);
  about.front() = static_cast<char>(about.front() - 'a' + 'A');
  std::string text = usage_line(&command) + "\n" + about + ".\n\nOptions:\n";
  std::size_t width = 0;
  for (const Option option : command.options) width = std::max(width, spelled(row_of(option)).size());
  for (const Option option : command.options) {
    const OptionRow& row = row_of(option);
    text += "  " + padded(spelled(row), width + 2) + described(row) + (row.repeats ? "; repeatable" : "") + "\n";
  }
  return text;
}

std::string bash_completions() {
  std::string text =
      "# bash completion of cairn, made from its command table.\n"
      "_cairn() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
      "  COMPREPLY=()\n"
      "  # --option=value comes as three words.\n"
      "  if [ \"$current\" = = ]; then\n"
      "    current=''\n"
      "  elif [ \"$previous\" = = ]; then\n"
      "    previous=${COMP_WORDS[COMP_CWORD-2]}\n"
      "  fi\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W '" +
      command_names() +
      " --version --help' -- \"$current\"))\n"
      "    return\n"
      "  fi\n"
      "  case \"${COMP_WORDS[1]} $previous\" in\n";
  for (const CommandRow& command : commands()) {
    for (const OptionRow* row : options_where(command, [](const OptionRow& each) { return !each.words.empty(); })) {
      text += "    '" + std::string(command.name) + " " + std::string(row->name) + "') COMPREPLY=($(compgen -W '" +
              std::string(row->words) + "' -- \"$current\")); return ;;\n";
    }
    for (const OptionRow* row : options_where(command, [](const OptionRow& each) {
           return each.takes == Takes::Text || each.takes == Takes::Number || each.takes == Takes::Target;
         })) {
      text += "    '" + std::string(command.name) + " " + std::string(row->name) + "') return ;;\n";
    }
  }
  text += "  esac\n  local words=''\n  case \"${COMP_WORDS[1]}\" in\n";
  for (const CommandRow& command : commands()) {
    text += "    " + std::string(command.name) + ") words='" + option_names(command) + "' ;;\n";
  }
  text += "  esac\n  case \"$current\" in\n    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$current\")) ;;\n    *)\n";
  text += "      case \"${COMP_WORDS[1]}\" in\n";
  for (const CommandRow& command : commands()) {
    if (command.words.empty()) continue;
    text += "        " + std::string(command.name) + ") COMPREPLY=($(compgen -W '" + std::string(command.words) +
            "' -- \"$current\")); return ;;\n";
  }
  return text +
         "      esac\n      compopt -o filenames 2>/dev/null\n      COMPREPLY=($(compgen -f -- \"$current\"))\n      "
         ";;\n"
         "  esac\n}\ncomplete -F _cairn cairn\n";
}

std::string zsh_completions() {
  std::string text =
      "#compdef cairn\n"
      "# zsh completion of cairn, made from its command table.\n"
      "_cairn() {\n"
      "  if (( CURRENT == 2 )); then\n"
      "    local -a names=(\n";
  for (const CommandRow& command : commands()) {
    text += "      '" + std::string(command.name) + ":" + shell_quoted(command.about) + "'\n";
  }
  text +=
      "      '--version:print the version'\n"
      "      '--help:list the commands'\n"
      "    )\n"
      "    _describe command names\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words; (( CURRENT-- ))\n"
      "  case $command in\n";
  for (const CommandRow& command : commands()) {
    text += "    " + std::string(command.name) + ")\n      _arguments \\\n";
    for (const Option option : command.options) {
      const OptionRow& row = row_of(option);
      std::string about;
      for (const char c : shell_quoted(row.about)) {
        if (c == '[' || c == ']' || c == ':') about += '\\';
        about += c;
      }
      text += std::string("        '") + (row.repeats ? "*" : "") + std::string(row.name) +
              (row.takes == Takes::Nothing ? "" : "=") + "[" + about + "]";
      if (row.takes == Takes::Path) {
        text += ":" + std::string(row.placeholder) + ":_files";
      } else if (!row.words.empty()) {
        text += ":" + std::string(row.placeholder) + ":(" + std::string(row.words) + ")";
      } else if (row.takes != Takes::Nothing) {
        text += ":" + std::string(row.placeholder) + ": ";
      }
      text += "' \\\n";
    }
    text +=
        command.words.empty() ? "        '*:path:_files'\n" : "        '*:word:(" + std::string(command.words) + ")'\n";
    text += "      ;;\n";
  }
  return text + "  esac\n}\n_cairn \"$@\"\n";
}

std::string manual_page() {
  std::string text =
      ".TH CAIRN 1 \"\" \"cairn " + std::string(kVersion) +
      "\" \"User Commands\"\n.SH NAME\ncairn \\- check, run and build CAIRN programs\n.SH SYNOPSIS\n"
      ".B cairn\n.I COMMAND\n[OPTIONS] [OPERANDS] [\\-\\- ARGUMENTS]\n.br\n.B cairn\n\\-\\-version | \\-\\-help\n"
      ".SH DESCRIPTION\n"
      "A program is a .cairn file, a folder with a cairn.toml, or a .toml manifest; a command that takes one "
      "reads the current folder when none is named.\n.B cairn run\nalso takes a .cbc file, a bundle that\n.B cairn "
      "build\nwrote. Options and operands may come in any order, and\n"
      ".B \\-\\-opt value\nand\n.B \\-\\-opt=value\nare the same. What follows the first bare\n.B \\-\\-\n"
      "belongs to the program.\n.SH COMMANDS\n";
  for (const CommandRow& command : commands()) {
    text += ".SS \"cairn " + troff(command.name) + (command.operands.empty() ? "" : " " + troff(command.operands)) +
            "\"\n" + troff(command.about) + ".\n";
    for (const Option option : command.options) {
      if (option == Option::Help || option == Option::Format) continue;
      const OptionRow& row = row_of(option);
      text +=
          ".TP\n.B " + troff(spelled(row)) + "\n" + troff(described(row)) + (row.repeats ? "; repeatable" : "") + ".\n";
    }
  }
  text += ".SH COMMON OPTIONS\n";
  for (const Option option : {Option::Format, Option::Help}) {
    const OptionRow& row = row_of(option);
    text += ".TP\n.B " + troff(spelled(row)) + "\n" + troff(row.about) + ".\n";
  }
  return text +
         ".SH EXIT STATUS\n"
         ".TP\n.B 0\nthe good answer: accepted, built, passed, equivalent, nothing to change.\n"
         ".TP\n.B 1\na refusal, a failed test, a counterexample, a failed validation, a formatting change under "
         "\\-\\-check, an audit that nothing explains.\n"
         ".TP\n.B 2\nno verdict: a bad path, manifest, option value or machine; an undecided answer; a usage error.\n"
         ".TP\n.B other\n.B cairn run\nends as the program does; a failed guard ends it as abort does (134 in a "
         "shell).\n"
         ".SH ENVIRONMENT\n"
         ".TP\n.B CAIRN_FORMAT\nhuman or json; \\-\\-format wins.\n"
         ".TP\n.B NO_COLOR\nno colour, whatever it is set to.\n"
         ".TP\n.B CAIRN_TIER\nthe execution tier; \\-\\-tier wins.\n"
         ".TP\n.B CAIRN_BACKGROUND\n0: optimized code is made where it is asked for; 1: always on a thread of its own, "
         "while the program goes on.\n"
         ".TP\n.B CAIRN_PERF_MAP\nset to 1: machine code is named in /tmp/perf-PID.map for perf.\n"
         ".TP\n.B CAIRN_JITDUMP\na folder, or 1 for this one: machine code and its lines go to jit-PID.dump for perf "
         "inject.\n"
         ".TP\n.B CAIRN_GDB\nset to 1: machine code is made known to GDB.\n"
         ".TP\n.B CAIRN_LANES\nhow many host lanes there are, 1 to 1024.\n"
         ".TP\n.B CAIRN_PROFILE\nthe host profile predict and tune use; \\-\\-profile wins.\n"
         ".TP\n.B CAIRN_SHOT\na folder for the frames that std.draw.capture writes.\n"
         ".TP\n.B CAIRN_CACHE_DIR\nthe folder of compiled kernels, in place of cairn/device below XDG_CACHE_HOME or "
         "~/.cache.\n"
         ".TP\n.B CAIRN_CUDA\nthe folder of a CUDA toolkit, looked into before CUDA_HOME, CUDA_PATH and the usual "
         "places.\n";
}

}  // namespace cairn::cli
