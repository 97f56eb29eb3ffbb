/* Of the shared library alone. Debian's asmjit is no position-independent code and names `stderr` where a shared library
 * may not; the linker's --wrap=stderr gives it this variable of the library's own instead. */
#include <stdio.h>

extern FILE *__real_stderr;
__attribute__((visibility("hidden"))) FILE *__wrap_stderr;

__attribute__((constructor)) static void take_standard_error(void) { __wrap_stderr = __real_stderr; }
