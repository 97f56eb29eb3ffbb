// What a function that jumps into machine code made here is marked with: clang's function sanitizer reads the type of a
// callee from the bytes before it, and machine code has none.
#pragma once

#ifdef __clang__
#define CAIRN_CALLS_MACHINE_CODE __attribute__((no_sanitize("function")))
#else
#define CAIRN_CALLS_MACHINE_CODE
#endif
