#include "vm/natives/pair_function_table.hpp"
#include "vm/natives/pair_natives.hpp"

namespace cairn {

void add_pair_functions_portable(NativeTable& table) { add_pair_functions(table); }

}  // namespace cairn
