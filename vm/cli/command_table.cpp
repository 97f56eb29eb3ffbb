#include "vm/cli/command_table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "vm/cli/commands/commands.hpp"

namespace cairn::cli {

namespace {

constexpr std::array kOptions = {
#define OPTION(Enumerator, name, takes, ...) OptionRow{name, Takes::takes, __VA_ARGS__},
#include "vm/cli/options.def"
#undef OPTION
};

// The options of each command, as help lists them.
using enum Option;
constexpr std::array kCheck = {Generics, Watch, DeviceTarget, Emulate, CheckDump, Format, Help};
constexpr std::array kRun = {Tier,       Emulate,  DeviceTarget, Timeout, MemoryMib, Profile, ProfileOut,
                             KeepGuards, Sanitize, Debug,        Dump,    Out,       Format,  Help};
constexpr std::array kTest = {TestName, Filter,       ContractFile, Jobs,   Timeout, MemoryMib,
                              Emulate,  DeviceTarget, Tier,         Format, Help};
constexpr std::array kBuild = {Out,     Kind,       Header,   Debug,  Emulate, DeviceTarget,
                               Timeout, KeepGuards, Sanitize, Format, Help};
constexpr std::array kFmt = {FormatCheck, Diff, Help};
constexpr std::array kRules = {List, Format, Help};
constexpr std::array kExpand = {Format, Help};
constexpr std::array kDoc = {Module, Std, Pages, Format, Help};
constexpr std::array kNew = {Template, Format, Help};
constexpr std::array kVerify = {Symbol, All, Assume, TimeoutMs, Tier, Format, Help};
constexpr std::array kValidate = {Symbol, Policy, Regressions, History, Emulate, DeviceTarget, Format, Help};
constexpr std::array kAudit = {Symbol,   From,      Vectors,  AuditAs,     Role,         At,        Inputs,
                               Seed,     Cases,     Onto,     Causal,      Scale,        Algorithm, RequireAlgorithm,
                               Rounding, Overflow,  Standard, FlushToZero, Compute,      Ulps,      Save,
                               Timeout,  MemoryMib, Tier,     Emulate,     DeviceTarget, Format,    Help};
constexpr std::array kDiff = {In, Std, TimeoutMs, BudgetS, Replays, Require, Markdown, NoPredict, Format, Help};
constexpr std::array kPredict = {Symbols, At,   Against, HostProfile, Card, DeviceTarget,
                                 Inspect, Arch, Plot,    Format,      Help};
constexpr std::array kCards = {Format, Help};
constexpr std::array kDoctor = {Calibrate, Format, Help};
constexpr std::array kLsp = {Help};
constexpr std::array kRepl = {Tier, Emulate, DeviceTarget, Help};
constexpr std::array kKernel = {Connection, Install, Prefix, Tier, Emulate, DeviceTarget, Help};
constexpr std::array kExplain = {Symbols, Format, Help};
constexpr std::array kEmit = {EmitAs, Symbols, KeepGuards, Header, DeviceTarget, Format, Help};
constexpr std::array kFind = {TakesType, Returns, Effects, Limit, In, Format, Help};
constexpr std::array kGraph = {Interfaces, Format, Help};
constexpr std::array kCache = {Format, Help};
constexpr std::array kTune = {Symbol, At, HostProfile, DeviceTarget, Measure, Write, Format, Help};
constexpr std::array kCompletions = {Help};

constexpr int kAnyNumber = 1 << 20;

// A command whose last member is null has its place and its options already, and answers that this build has no engine
// for it: see `run_command_line`.
constexpr std::array kCommands = {
    CommandRow{"check", "[PATH]", 0, 1, "", false, "accept or refuse a program, with every independent refusal", kCheck,
               check_command},
    CommandRow{"run", "[PATH] [-- ARGS]", 0, 1, "", true, "execute a program", kRun, run_command},
    CommandRow{"test", "[PATH]", 0, 1, "", false, "run test blocks and task contracts", kTest, test_command},
    CommandRow{"build", "[PATH]", 0, 1, "", false, "write a bytecode bundle and its receipt", kBuild, build_command},
    CommandRow{"fmt", "PATHS", 1, kAnyNumber, "", false, "format sources", kFmt, fmt_command},
    CommandRow{"rules", "[CODE|CARD|PATH]", 0, 1, "", false, "print a rule card", kRules, rules_command},
    CommandRow{"new", "DIR", 1, 1, "", false, "make a project from a template", kNew, new_command},
    CommandRow{"repl", "[PATH]", 0, 1, "", false, "evaluate interactively", kRepl, repl_command},
    CommandRow{"kernel", "", 0, 0, "", false, "serve a Jupyter front end", kKernel, kernel_command},
    CommandRow{"expand", "[PATH]", 0, 1, "", false, "print the source that derive and families generated", kExpand,
               expand_command},
    CommandRow{"doc", "[PATH]", 0, 1, "", false, "print an API reference in Markdown", kDoc, doc_command},
    CommandRow{"explain", "[PATH]", 0, 1, "", false, "show where each function pays", kExplain, explain_command},
    CommandRow{"emit", "[PATH]", 0, 1, "", false, "print the lowered program", kEmit, emit_command},
    CommandRow{"graph", "[PATH]", 0, 1, "", false, "print the module graph", kGraph, graph_command},
    CommandRow{"find", "[WORDS]", 0, kAnyNumber, "", false, "find functions by words or by types", kFind, find_command},
    CommandRow{"verify", "REF CAND", 1, 2, "", false, "ask a solver whether two sources can differ", kVerify,
               verify_command},
    CommandRow{"diff", "OLD NEW", 2, 2, "", false, "say what changed between two versions", kDiff, diff_command},
    CommandRow{"validate", "[PATH]", 0, 1, "", false, "test an implementation against its reference", kValidate,
               validate_command},
    CommandRow{"audit", "[PATH]", 0, 1, "", false, "say which named algorithms explain a function's results", kAudit,
               audit_command},
    CommandRow{"predict", "[PATH]", 0, 1, "", false, "predict the time of each function", kPredict, predict_command},
    CommandRow{"tune", "[PATH]", 0, 1, "", false, "search plans and implementations", kTune, tune_command},
    CommandRow{"cards", "", 0, 0, "", false, "list the GPUs predict can price", kCards, cards_command},
    CommandRow{"doctor", "", 0, 0, "", false, "say what this machine has", kDoctor, doctor_command},
    CommandRow{"cache", "[clear]", 0, 1, "clear", false, "show or clear the cache of compiled kernels", kCache,
               cache_command},
    CommandRow{"lsp", "", 0, 0, "", false, "serve an editor over stdin and stdout", kLsp, lsp_command},
    CommandRow{"completions", "bash|zsh", 1, 1, "bash zsh", false, "print a shell completion script", kCompletions,
               completions_command},
};

}  // namespace

const OptionRow& row_of(Option option) { return kOptions[static_cast<std::size_t>(option)]; }

std::span<const CommandRow> commands() { return kCommands; }

const CommandRow* command_named(std::string_view name) {
  const auto* found = std::ranges::find(kCommands, name, &CommandRow::name);
  return found == kCommands.end() ? nullptr : found;
}

}  // namespace cairn::cli
