// A host for the tests of the embedding API: loads a text, calls with values.
#pragma once

#include <catch2/catch.hpp>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "vm/embedding/cairn.h"

namespace cairn::test {

struct VmFree {
  void operator()(cairn_vm* vm) const { cairn_vm_free(vm); }
};

class Host {
 public:
  explicit Host(cairn_options options = cairn_default_options()) {
    if (options.output == nullptr) {
      options.output = [](void* context, bool, const char* bytes, size_t count) {
        static_cast<Host*>(context)->printed.append(bytes, count);
      };
      options.output_context = this;
    }
    vm.reset(cairn_vm_new(&options));
    REQUIRE(vm != nullptr);
  }

  /// The program, or null with the code of its first refusal in `refused`.
  cairn_module* load(std::string_view text) {
    cairn_diagnostics* diagnostics = nullptr;
    cairn_module* module = cairn_load_source(vm.get(), "test.cairn", text.data(), text.size(), &diagnostics);
    if (module == nullptr) {
      refused = cairn_diagnostics_at(diagnostics, 0).code;
      message = cairn_diagnostics_at(diagnostics, 0).message;
    }
    cairn_diagnostics_free(diagnostics);
    return module;
  }

  std::unique_ptr<cairn_vm, VmFree> vm;
  std::string printed;
  std::string refused;
  std::string message;
};

inline cairn_value u64(std::uint64_t value) {
  cairn_value made{};
  made.kind = CAIRN_U64;
  made.as.u64 = value;
  return made;
}
inline cairn_value i64(std::int64_t value) {
  cairn_value made{};
  made.kind = CAIRN_I64;
  made.as.i64 = value;
  return made;
}
inline cairn_value view(cairn_kind element, void* data, std::size_t count) {
  cairn_value made{};
  made.kind = CAIRN_VIEW;
  made.element = element;
  made.as.memory = {data, count};
  return made;
}
inline cairn_value borrow(cairn_kind element, void* data) {
  cairn_value made{};
  made.kind = CAIRN_BORROW;
  made.element = element;
  made.as.memory = {data, 1};
  return made;
}

struct Called {
  cairn_status status{};
  cairn_value result{};
  std::string trap;  // its kind
  std::string message;
};

inline Called call(cairn_module* module, const char* name, std::initializer_list<cairn_value> arguments = {}) {
  Called called;
  cairn_trap trap{"", "", "", 0, 0, ""};
  cairn_function* function = cairn_find(module, name);
  REQUIRE(function != nullptr);
  called.status = cairn_call(function, arguments.begin(), arguments.size(), &called.result, &trap);
  if (called.status == CAIRN_TRAPPED) {
    called.trap = trap.kind;
    called.message = trap.message;
  }
  return called;
}

}  // namespace cairn::test
