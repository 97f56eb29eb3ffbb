// Foreign functions: a program's own `extern` declarations, found among the process's symbols and the system's
// libraries and called through libffi with the platform's calling convention (abstractions, 14.1). Scalars travel as
// the C type of their width, `ro` and `rw` as pointers, records by value as the C struct of their fields.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "vm/bytecode/module.hpp"
#include "vm/interpreter/thread.hpp"

namespace cairn {

/// What an embedding host has for foreign symbols (abstractions, 18.12): its own functions come before the system's.
class HostSymbols {
 public:
  virtual ~HostSymbols() = default;
  /// Whether the host has a function for this one: its number in `call`, or nothing; or why it cannot be called.
  [[nodiscard]] virtual std::expected<std::optional<std::uint32_t>, std::string> find(
      const bytecode::Module& module, const bytecode::Foreign& foreign) = 0;
  /// A call that fails leaves what to trap with in `thread.pending`.
  virtual void call(Thread& thread, std::uint32_t number, std::uint64_t* window) = 0;
  /// Whether the system's symbols, and typed assembly, may be run.
  [[nodiscard]] virtual bool allows_system() const = 0;
  [[nodiscard]] virtual bool allows_assembly() const = 0;
};

class ForeignLibrary final : public ForeignCaller {
 public:
  /// Looks every foreign function of the module up; the module and the host outlive the library.
  explicit ForeignLibrary(const bytecode::Module& module, HostSymbols* host = nullptr);
  ~ForeignLibrary() override;

  /// Why some foreign function cannot be called; nothing when all can.
  [[nodiscard]] std::optional<std::string> missing() const { return missing_; }

  void call(Thread& thread, std::uint32_t foreign, std::uint64_t* window) override;

 private:
  struct Prepared;
  void prepare(std::uint32_t foreign);
  static void run_assembly(const Prepared& prepared, std::uint64_t* window);

  const bytecode::Module& module_;
  HostSymbols* host_;
  std::vector<std::unique_ptr<Prepared>> prepared_;  // one for each foreign function
  std::optional<std::string> missing_;
  std::optional<std::set<std::string, std::less<>>> vendored_symbols_;  // once a launched one asked
};

}  // namespace cairn
