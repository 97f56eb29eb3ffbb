// Foreign functions: a program's own `extern` declarations, found among the process's symbols and the system's
// libraries and called through libffi with the platform's calling convention (abstractions, 14.1). Scalars travel as
// the C type of their width, `ro` and `rw` as pointers, records by value as the C struct of their fields.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "vm/bytecode/module.hpp"
#include "vm/interpreter/thread.hpp"

namespace cairn {

class ForeignLibrary final : public ForeignCaller {
 public:
  /// Looks every foreign function of the module up; the module outlives the library.
  explicit ForeignLibrary(const bytecode::Module& module);
  ~ForeignLibrary() override;

  /// Why some foreign function cannot be called; nothing when all can.
  [[nodiscard]] std::optional<std::string> missing() const { return missing_; }

  void call(std::uint32_t foreign, std::uint64_t* window) override;

 private:
  struct Prepared;
  void prepare(std::uint32_t foreign);
  static void run_assembly(const Prepared& prepared, std::uint64_t* window);

  const bytecode::Module& module_;
  std::vector<std::unique_ptr<Prepared>> prepared_;  // one for each foreign function
  std::optional<std::string> missing_;
};

}  // namespace cairn
