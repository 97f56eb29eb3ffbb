#include "runtime/memory/mimalloc_library.hpp"

#include <dlfcn.h>

#include <cstdio>

namespace cairn {

namespace {

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

MimallocLibrary load(bool& complete) {
  MimallocLibrary table;
  void* library = ::dlopen("libmimalloc.so.2", RTLD_NOW | RTLD_LOCAL);
  complete = library != nullptr && find(library, "mi_heap_new", table.heap_new) &&
             find(library, "mi_heap_zalloc", table.heap_zalloc) &&
             find(library, "mi_heap_zalloc_aligned", table.heap_zalloc_aligned) &&
             find(library, "mi_heap_destroy", table.heap_destroy) && find(library, "mi_free", table.free);
  if (!complete) {
    const char* reason = ::dlerror();
    std::fprintf(stderr, "cairn: no memory can be allocated without libmimalloc.so.2: %s\n",
                 reason != nullptr ? reason : "it lacks a function");
  }
  return table;
}

}  // namespace

const MimallocLibrary* MimallocLibrary::open() {
  static bool complete = false;
  static const MimallocLibrary table = load(complete);
  return complete ? &table : nullptr;
}

}  // namespace cairn
