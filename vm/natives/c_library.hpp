// The natives behind the standard library's `extern` declarations: functions of the C library, the mathematics library
// and zlib, each with the capability that names what it lets a program do.
//
// After every call the thread's errno is kept, and the address `__errno_location` gives is that of the kept one, so
// nothing the machine itself does between a call and the question can change the answer (library, section 27).
#pragma once

#include "vm/interpreter/native.hpp"

namespace cairn {

/// Every native of the packaged library. The table lives as long as the process.
[[nodiscard]] const NativeTable& c_library_natives();

}  // namespace cairn
