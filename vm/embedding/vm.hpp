// What stands behind the handles of cairn.h.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "vm/embedding/cairn.h"
#include "vm/embedding/forms.hpp"
#include "vm/execution.hpp"
#include "vm/foreign/foreign_library.hpp"
#include "vm/interpreter/native.hpp"
#include "vm/interpreter/thread.hpp"
#include "vm/repl/shell.hpp"

namespace cairn::embedding {

/// A function of the host, as a program sees it.
struct HostFunction {
  std::string name;
  std::string declaration;  // "fn price(symbol:u32) -> f64 effects(io)"
  cairn_host_function function = nullptr;
  void* context = nullptr;
};

/// The host functions one module's foreign functions are bound to.
class BoundHostFunctions final : public HostSymbols {
 public:
  BoundHostFunctions(std::vector<HostFunction> functions, std::uint32_t capabilities)
      : functions_(std::move(functions)), capabilities_(capabilities) {}

  [[nodiscard]] std::expected<std::optional<std::uint32_t>, std::string> find(
      const bytecode::Module& module, const bytecode::Foreign& foreign) override;
  void call(Thread& thread, std::uint32_t number, std::uint64_t* window) override;
  [[nodiscard]] bool allows_system() const override { return (capabilities_ & CAIRN_FOREIGN) != 0; }
  [[nodiscard]] bool allows_assembly() const override { return (capabilities_ & CAIRN_MACHINE) != 0; }

 private:
  struct Bound {
    const HostFunction* function = nullptr;
    Shape shape;
  };
  std::vector<HostFunction> functions_;
  std::uint32_t capabilities_;
  std::vector<Bound> bound_;
};

/// Hands what a program prints to the host.
class HostOutput final : public OutputSink {
 public:
  HostOutput(cairn_output output, void* context) : output_(output), context_(context) {}
  bool write(bool to_error, std::span<const char> bytes) override {
    output_(context_, to_error, bytes.data(), bytes.size());
    return true;
  }

 private:
  cairn_output output_;
  void* context_;
};

/// The natives that these capabilities allow.
[[nodiscard]] NativeTable allowed_natives(std::uint32_t capabilities);

}  // namespace cairn::embedding

struct cairn_diagnostics {
  struct One {
    std::string code;
    std::string message;
    std::string help;
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
  };
  std::vector<One> all;
  std::string text;
  std::string json;
};

struct cairn_function {
  cairn_module* module = nullptr;
  std::uint32_t index = 0;  // in the module of bytecode
  std::string name;
  std::string signature;
  std::string effects;
  cairn::embedding::Shape shape;
};

struct cairn_module {
  cairn_vm* vm = nullptr;
  cairn::bytecode::Module program;  // what every instance starts from
  std::unique_ptr<cairn::embedding::BoundHostFunctions> host;
  std::unique_ptr<cairn::Execution> execution;
  std::mutex execution_mutex;  // guards the pointer: an interrupt may come while the module restarts
  std::thread::id thread;
  std::vector<std::unique_ptr<cairn_function>> functions;
  std::unordered_map<std::string, cairn_function*> by_name;
  std::uint32_t main = cairn::bytecode::kNone;
  bool main_has_result = false;

  void* stream = nullptr;  // of the host, that device work runs on; null: its own

  int running = 0;  // calls in progress: one, or more where a host function calls back
  bool dead = false;
  cairn::TrapRecord trap;
  std::string trap_kind;
  std::string trap_text;
  std::string problem;
};

struct cairn_session {
  cairn_vm* vm = nullptr;
  std::unique_ptr<cairn::embedding::BoundHostFunctions> host;
  std::unique_ptr<cairn::repl::Shell> shell;
  bool running = false;

  // What the entry gave.
  cairn::repl::Shown shown;
  cairn::repl::Failure failure;
  std::string notes;
};

struct cairn_vm {
  cairn_options options{};
  std::string device_target;
  std::unique_ptr<cairn::embedding::HostOutput> output;
  cairn::NativeTable natives;
  std::vector<cairn::embedding::HostFunction> host_functions;
  std::vector<std::unique_ptr<cairn_module>> modules;
  std::vector<std::unique_ptr<cairn_session>> sessions;

  /// The text of module `host`; empty when there are no host functions.
  [[nodiscard]] std::string host_module() const;
};
