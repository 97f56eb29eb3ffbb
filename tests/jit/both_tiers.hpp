// One module on the interpreter and as machine code, and the comparison of what they do.
#pragma once

#include <bit>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "vm/bytecode/builder.hpp"
#include "vm/bytecode/text.hpp"
#include "vm/bytecode/verifier.hpp"
#include "vm/interpreter/thread.hpp"
#include "vm/tiers/tiers.hpp"

namespace cairn::tests {

using namespace bytecode;  // NOLINT: tests speak of little else

class CollectedOutput final : public OutputSink {
 public:
  bool write(bool, std::span<const char> bytes) override {
    text.append(bytes.data(), bytes.size());
    return true;
  }
  std::string text;
};

/// How a call ended.
struct Ending {
  std::uint64_t value = 0;
  std::uint64_t second = 0;
  std::string trap;  // its words, position and notes; empty: none
  friend bool operator==(const Ending&, const Ending&) = default;
};

/// An instance in which a trap does not end everything: only for modules that own nothing.
class Engine {
 public:
  Engine(const Image& image, Tier tier, const Limits& limits = {})
      : instance_(image, output_, limits, tier), thread_(instance_) {}

  Ending call(std::uint32_t function, std::span<const std::uint64_t> arguments) {
    std::uint64_t result[2] = {0, 0};
    const Module& module = instance_.image().module();
    const std::uint32_t slots = module.signatures[module.functions[function].signature].result.slots();
    const auto trap = thread_.call(function, arguments, std::span(result, slots));
    Ending ending{result[0], result[1], {}};
    if (!trap) return ending;
    ending = {};
    ending.trap = trap->message + " at " + std::to_string(trap->line) + ":" + std::to_string(trap->column);
    for (const std::string& note : trap->notes) ending.trap += "; " + note;
    thread_.trapped = false;
    thread_.trap = {};
    thread_.pending = {};
    return ending;
  }
  [[nodiscard]] const std::string& output() const { return output_.text; }
  [[nodiscard]] Instance& instance() { return instance_; }
  /// The next call looks up, and goes on in better code, after so many back edges and calls.
  void set_fuel(std::uint64_t fuel) {
    thread_.fuel = static_cast<std::int64_t>(fuel);
    thread_.fuel_given = true;
  }
  [[nodiscard]] std::string listing() { return instance_.tiers()->listing(thread_); }
  [[nodiscard]] const Word* hot_code(const Word* next) { return instance_.tiers()->hot_code(next, thread_); }

 private:
  CollectedOutput output_;
  Instance instance_;
  Thread thread_;
};

/// While it lives, a variable of the environment is set.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  ~Setting() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* const name_;
  std::optional<std::string> before_;
};

/// While it lives, optimized code is made of SSA, or is not.
class CodeFromSsa {
 public:
  explicit CodeFromSsa(bool asked) : set_("CAIRN_SSA", asked ? "1" : "0") {}

 private:
  Setting set_;
};

/// While it lives, instances that are made have all optimized code made in the background, or none.
class InBackground {
 public:
  explicit InBackground(bool asked) : set_("CAIRN_BACKGROUND", asked ? "1" : "0") {}

 private:
  Setting set_;
};

inline Module verified(Module module) {
  if (const auto fault = verify(module)) {
    const bool known = fault->function != kNone;
    FAIL(describe(*fault, module) << "\n" << (known ? write_function_text(module, fault->function) : std::string()));
  }
  return module;
}

/// The slot with every NaN made one: which NaN arithmetic gives is not fixed (numerics, 1.3).
inline std::uint64_t without_nan_bits(std::uint64_t value, RegisterKind kind) {
  if (kind == RegisterKind::F32) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(value));
    return x != x ? (value >> 32 << 32) | 0x7fc00000 : value;
  }
  if (kind == RegisterKind::F64) {
    const auto x = std::bit_cast<double>(value);
    return x != x ? 0x7ff8000000000000 : value;
  }
  return value;
}

}  // namespace cairn::tests
