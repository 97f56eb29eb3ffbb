// A Jupyter kernel on the session of the read-evaluate-print loop (tools, 14.1).
#pragma once

#include <string>

#include "vm/repl/session_state.hpp"

namespace cairn::kernel {

/// Serves the sockets the connection file names until it is shut down. Gives why it could not, or nothing. The `check`,
/// `execution` of `options` are the sessions'.
[[nodiscard]] std::string serve(const std::string& connection_file, repl::ReplOptions options);

/// Before any thread exists: this process starts again with CAIRN_SHOT naming a fresh folder when it names none, for a
/// program sees the environment its process began with.
void take_frames_from_the_start();
/// Removes that folder with what is in it.
void forget_frames();

/// Writes the kernel specification below `prefix`, or into the user's Jupyter data folder when it is empty; the program
/// is this one, found where it lies now. The folder it is in, or why it is not.
struct Installed {
  std::string folder;
  std::string fault;
};
[[nodiscard]] Installed install(const std::string& prefix);

}  // namespace cairn::kernel
