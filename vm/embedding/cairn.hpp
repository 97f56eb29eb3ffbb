// The embedding API for C++20: cairn.h with owners, spans and exceptions. Header only.
//
//   cairn::embed::Machine machine;
//   auto program = machine.load_source("filters.cairn", text);
//   auto blur = program.find("blur");
//   blur.call<void>(std::span<float>(out), std::span<const float>(in), 0.5f);
//
// Views are std::span (const elements for ro), single borrows pointers, records structs that are trivially copyable and
// laid out as CAIRN lays out the record. Whatever goes wrong is thrown as Refused, Trapped or BadArgument.
#pragma once

#include <cairn.h>

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace cairn::embed {

/// The program is refused, or cannot be read.
class Refused : public std::runtime_error {
 public:
  struct Diagnostic {
    std::string code, message, help, file;
    std::uint32_t line, column;
  };
  explicit Refused(cairn_diagnostics* diagnostics) : std::runtime_error(cairn_diagnostics_text(diagnostics)) {
    for (std::size_t k = 0; k < cairn_diagnostics_count(diagnostics); ++k) {
      const cairn_diagnostic one = cairn_diagnostics_at(diagnostics, k);
      all.push_back({one.code, one.message, one.help, one.file, one.line, one.column});
    }
    json = cairn_diagnostics_json(diagnostics);
    cairn_diagnostics_free(diagnostics);
  }
  std::vector<Diagnostic> all;
  std::string json;
};

/// A guard failed; the program is dead until it restarts.
class Trapped : public std::runtime_error {
 public:
  explicit Trapped(const cairn_trap& trap)
      : std::runtime_error(trap.message),
        kind(trap.kind),
        file(trap.file),
        text(trap.text),
        line(trap.line),
        column(trap.column) {}
  std::string kind, file, text;
  std::uint32_t line, column;
};

/// The host's own call does not fit.
class BadArgument : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

namespace detail {

template <class T>
constexpr cairn_kind kind_of() {
  if constexpr (std::is_void_v<T>)
    return CAIRN_VOID;
  else if constexpr (std::is_same_v<T, bool>)
    return CAIRN_BOOL;
  else if constexpr (std::is_same_v<T, float>)
    return CAIRN_F32;
  else if constexpr (std::is_same_v<T, double>)
    return CAIRN_F64;
  else if constexpr (std::is_enum_v<T>)
    return CAIRN_ENUM;
  else if constexpr (std::is_integral_v<T>) {
    constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<cairn_kind>((std::is_signed_v<T> ? CAIRN_I8 : CAIRN_U8) + width);
  } else {
    static_assert(std::is_trivially_copyable_v<T>, "a record that crosses is trivially copyable");
    return CAIRN_RECORD;
  }
}

template <class T>
cairn_value value_of(const T& argument) {
  cairn_value value{};
  value.kind = kind_of<T>();
  if constexpr (std::is_same_v<T, bool>)
    value.as.boolean = argument;
  else if constexpr (std::is_same_v<T, float>)
    value.as.f32 = argument;
  else if constexpr (std::is_same_v<T, double>)
    value.as.f64 = argument;
  else if constexpr (std::is_enum_v<T>)
    value.as.u64 = static_cast<std::uint64_t>(argument);
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    value.as.i64 = argument;
  else if constexpr (std::is_integral_v<T>)
    value.as.u64 = argument;
  else
    value.as.memory = {const_cast<T*>(&argument), sizeof(T)};
  return value;
}

template <class T, std::size_t N>
cairn_value value_of(const std::span<T, N>& argument) {
  cairn_value value{};
  value.kind = CAIRN_VIEW;
  value.element = kind_of<std::remove_const_t<T>>();
  value.as.memory = {const_cast<std::remove_const_t<T>*>(argument.data()), argument.size()};
  return value;
}

template <class T>
cairn_value value_of(T* const& argument) {
  cairn_value value{};
  value.kind = CAIRN_BORROW;
  value.element = kind_of<std::remove_const_t<T>>();
  value.as.memory = {const_cast<std::remove_const_t<T>*>(argument), 1};
  return value;
}

template <class T>
T taken(const cairn_value& value) {
  if constexpr (std::is_same_v<T, bool>)
    return value.as.boolean;
  else if constexpr (std::is_same_v<T, float>)
    return value.as.f32;
  else if constexpr (std::is_same_v<T, double>)
    return value.as.f64;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    return static_cast<T>(value.as.i64);
  else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
    return static_cast<T>(value.as.u64);
  else if constexpr (std::is_pointer_v<T>)
    return static_cast<T>(value.as.memory.data);
  else {
    T record;
    std::memcpy(&record, value.as.memory.data, sizeof(T));
    return record;
  }
}

template <class T>
struct Taker {
  static T take(const cairn_value& value) { return taken<T>(value); }
};
template <class T>
struct Taker<std::span<T>> {
  static std::span<T> take(const cairn_value& value) {
    return {static_cast<T*>(value.as.memory.data), value.as.memory.count};
  }
};

}  // namespace detail

/// A function of a program; lives as long as the program.
class Function {
 public:
  explicit Function(cairn_module* module, cairn_function* function) : module_(module), function_(function) {}

  [[nodiscard]] std::string_view name() const { return cairn_function_name(function_); }
  [[nodiscard]] std::string_view signature() const { return cairn_function_signature(function_); }
  [[nodiscard]] std::string_view effects() const { return cairn_function_effects(function_); }

  /// Lengths of views may be left out, all of them or none.
  template <class R = void, class... Arguments>
  R call(const Arguments&... arguments) {
    const std::array<cairn_value, sizeof...(Arguments)> values{detail::value_of(arguments)...};
    cairn_value result{};
    cairn_trap trap{};
    if constexpr (std::is_void_v<R>) {
      check(cairn_call(function_, values.data(), values.size(), nullptr, &trap), trap);
    } else if constexpr (detail::kind_of<R>() == CAIRN_RECORD) {
      R record{};
      result.kind = CAIRN_RECORD;
      result.as.memory = {&record, sizeof(R)};
      check(cairn_call(function_, values.data(), values.size(), &result, &trap), trap);
      return record;
    } else {
      check(cairn_call(function_, values.data(), values.size(), &result, &trap), trap);
      return detail::taken<R>(result);
    }
  }

 private:
  void check(cairn_status status, const cairn_trap& trap) const {
    if (status == CAIRN_TRAPPED || status == CAIRN_DEAD) throw Trapped(trap);
    if (status != CAIRN_OK) throw BadArgument(cairn_problem(module_));
  }

  cairn_module* module_;
  cairn_function* function_;
};

/// One program, checked and running; used on the thread that loaded it.
class Program {
 public:
  explicit Program(cairn_module* module) : module_(module, cairn_module_free) {}

  /// Throws std::out_of_range when no function of that name can be called.
  [[nodiscard]] Function find(const std::string& name) const {
    cairn_function* function = cairn_find(module_.get(), name.c_str());
    if (function == nullptr) throw std::out_of_range("no function that can be called is named " + name);
    return Function(module_.get(), function);
  }
  [[nodiscard]] std::vector<Function> functions() const {
    std::vector<Function> all;
    for (std::size_t k = 0; k < cairn_function_count(module_.get()); ++k) {
      all.emplace_back(module_.get(), cairn_function_at(module_.get(), k));
    }
    return all;
  }
  std::int32_t run_main() {
    std::int32_t result = 0;
    const cairn_status status = cairn_run_main(module_.get(), &result);
    if (status == CAIRN_TRAPPED || status == CAIRN_DEAD) {
      cairn_trap trap{};
      cairn_last_trap(module_.get(), &trap);
      throw Trapped(trap);
    }
    if (status != CAIRN_OK) throw BadArgument(cairn_problem(module_.get()));
    return result;
  }
  /// A fresh instance, after a trap or to start over.
  void restart() {
    if (cairn_restart(module_.get()) != CAIRN_OK) throw BadArgument(cairn_problem(module_.get()));
  }
  /// Stops the running call; from any thread.
  void interrupt() { cairn_interrupt(module_.get()); }
  [[nodiscard]] bool is_dead() const { return cairn_last_trap(module_.get(), nullptr); }
  [[nodiscard]] cairn_module* handle() const { return module_.get(); }

 private:
  std::unique_ptr<cairn_module, void (*)(cairn_module*)> module_;
};

/// What programs may do, and the functions the host gives them. Outlives its programs.
class Machine {
 public:
  Machine() : Machine(cairn_default_options()) {}
  explicit Machine(const cairn_options& options) : vm_(cairn_vm_new(&options), cairn_vm_free) {
    if (vm_ == nullptr) throw BadArgument("an option is out of range");
  }

  [[nodiscard]] Program load(const std::string& path) {
    cairn_diagnostics* diagnostics = nullptr;
    cairn_module* module = cairn_load(vm_.get(), path.c_str(), &diagnostics);
    if (module == nullptr) throw Refused(diagnostics);
    return Program(module);
  }
  [[nodiscard]] Program load_source(const std::string& name, std::string_view source) {
    cairn_diagnostics* diagnostics = nullptr;
    cairn_module* module = cairn_load_source(vm_.get(), name.c_str(), source.data(), source.size(), &diagnostics);
    if (module == nullptr) throw Refused(diagnostics);
    return Program(module);
  }

  /// A host function as a program sees it: "fn price(symbol:u32) -> f64 effects(io)". An exception it throws becomes a
  /// trap of the program that called it. Lengths are parameters of their own, as the declaration writes them.
  /// machine.add<double(std::uint32_t)>("fn price(symbol:u32) -> f64 effects(io)", [](std::uint32_t) { ... });
  template <class Signature>
  void add(const std::string& declaration, std::function<Signature> function) {
    auto kept = std::make_unique<Kept<Signature>>();
    kept->function = std::move(function);
    if (cairn_register(vm_.get(), declaration.c_str(), &Kept<Signature>::enter, kept.get()) != CAIRN_OK) {
      throw BadArgument("this is no declaration of a function, or its name is taken: " + declaration);
    }
    kept_.push_back(std::move(kept));
  }

  [[nodiscard]] cairn_vm* handle() const { return vm_.get(); }

 private:
  struct Base {
    virtual ~Base() = default;
  };
  template <class Signature>
  struct Kept;
  template <class R, class... Parameters>
  struct Kept<R(Parameters...)> final : Base {
    std::function<R(Parameters...)> function;

    static const char* enter(void* context, const cairn_value* arguments, std::size_t count, cairn_value* result) {
      thread_local std::string problem;
      if (count != sizeof...(Parameters)) return "the host's function takes another number of arguments";
      try {
        static_cast<Kept*>(context)->apply(arguments, result, std::index_sequence_for<Parameters...>());
        return nullptr;
      } catch (const std::exception& fault) {
        problem = fault.what();
      } catch (...) {
        problem = "the host's function threw";
      }
      return problem.c_str();
    }

    template <std::size_t... K>
    void apply([[maybe_unused]] const cairn_value* arguments, cairn_value* result, std::index_sequence<K...>) {
      if constexpr (std::is_void_v<R>) {
        function(detail::Taker<Parameters>::take(arguments[K])...);
      } else {
        const R value = function(detail::Taker<Parameters>::take(arguments[K])...);
        if constexpr (detail::kind_of<R>() == CAIRN_RECORD) {
          if (result->as.memory.count != sizeof(R)) throw std::invalid_argument("the record has another size");
          std::memcpy(result->as.memory.data, &value, sizeof(R));
        } else {
          *result = detail::value_of(value);
        }
      }
    }
  };

  std::unique_ptr<cairn_vm, void (*)(cairn_vm*)> vm_;
  std::vector<std::unique_ptr<Base>> kept_;
};

/// A program that grows by what is entered, as in `cairn repl`; used on the thread that made it. Its machine outlives
/// it.
class Session {
 public:
  struct Entered {
    bool good = false;
    bool trapped = false;
    std::optional<std::string> value;  // of the last expression
    std::string type;
    std::vector<unsigned char> png;  // the value as a picture, when it is one
    std::string code;                // of the refusal, or the kind of the trap
    std::string problem;             // why it is not good, as the command line shows it
    std::string notes;
  };

  /// With the declarations of the program at `path` in scope, where given.
  explicit Session(Machine& machine, const std::string& path = {}) : session_(nullptr, cairn_session_free) {
    cairn_diagnostics* diagnostics = nullptr;
    session_.reset(cairn_session_new(machine.handle(), path.empty() ? nullptr : path.c_str(), &diagnostics));
    if (session_ == nullptr) throw Refused(diagnostics);
  }

  Entered enter(std::string_view text) {
    cairn_entry entry{};
    const cairn_status status = cairn_session_enter(session_.get(), text.data(), text.size(), &entry);
    if (status == CAIRN_BAD_ARGUMENT) throw BadArgument("an entry does not enter another");
    Entered entered;
    entered.good = status == CAIRN_OK;
    entered.trapped = status == CAIRN_TRAPPED;
    if (entry.value != nullptr) entered.value = entry.value;
    if (entry.type != nullptr) entered.type = entry.type;
    const auto* png = static_cast<const unsigned char*>(entry.png);
    if (png != nullptr) entered.png.assign(png, png + entry.png_bytes);
    entered.code = entry.code;
    entered.problem = entry.problem;
    entered.notes = entry.notes;
    return entered;
  }
  /// Stops what runs, or what is entered next; from any thread.
  void interrupt() { cairn_session_interrupt(session_.get()); }

 private:
  std::unique_ptr<cairn_session, void (*)(cairn_session*)> session_;
};

}  // namespace cairn::embed
