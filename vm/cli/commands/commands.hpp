// The commands this build answers: each does what it was asked, prints, and gives the exit status.
#pragma once

#include "vm/cli/arguments.hpp"
#include "vm/cli/output.hpp"

namespace cairn::cli {

int check_command(const Invocation& invocation);
int run_command(const Invocation& invocation);
int test_command(const Invocation& invocation);
int build_command(const Invocation& invocation);
int fmt_command(const Invocation& invocation);
int rules_command(const Invocation& invocation);
int new_command(const Invocation& invocation);
int expand_command(const Invocation& invocation);
int doc_command(const Invocation& invocation);
int explain_command(const Invocation& invocation);
int emit_command(const Invocation& invocation);
int graph_command(const Invocation& invocation);
int find_command(const Invocation& invocation);
int audit_command(const Invocation& invocation);
int verify_command(const Invocation& invocation);
int diff_command(const Invocation& invocation);
int validate_command(const Invocation& invocation);
int predict_command(const Invocation& invocation);
int tune_command(const Invocation& invocation);
int cards_command(const Invocation& invocation);
int cache_command(const Invocation& invocation);
int doctor_command(const Invocation& invocation);
int lsp_command(const Invocation& invocation);
int repl_command(const Invocation& invocation);
int kernel_command(const Invocation& invocation);
int completions_command(const Invocation& invocation);

}  // namespace cairn::cli
