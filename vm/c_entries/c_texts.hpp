// Pieces that the header and the source of a library share.
#pragma once

#include <string>

#include "vm/c_entries/c_entries.hpp"

namespace cairn {

/// "void cf_saxpy(size_t n, float a, float *y, const float *x)", or that of the queued form.
[[nodiscard]] std::string entry_declaration(const CEntry& entry, bool queued);
/// The symbol that stands for the interface.
[[nodiscard]] std::string interface_symbol(const CLibrary& library);

}  // namespace cairn
