#include "vm/foreign/foreign_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "jit/jit.hpp"
#include "vm/bytecode/device_plans.hpp"
#include "vm/bytecode/vendored_source.hpp"
#include "vm/foreign/assembly_symbol.hpp"
#include "vm/foreign/c_types.hpp"

namespace cairn {

using bytecode::Foreign;
using bytecode::RegisterKind;
using bytecode::RegisterType;
using bytecode::Signature;

namespace {

/// Where C symbols are looked for after the process itself: what the language's known libraries are on Linux.
constexpr const char* kLibraries[] = {"libm.so.6", "libz.so.1"};

void* find_symbol(const char* symbol) {
  if (void* found = ::dlsym(RTLD_DEFAULT, symbol)) return found;
  for (const char* library : kLibraries) {
    void* opened = ::dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    if (opened == nullptr) continue;
    if (void* found = ::dlsym(opened, symbol)) return found;
    ::dlclose(opened);
  }
  return nullptr;
}

}  // namespace

struct ForeignLibrary::Prepared {
  struct Argument {
    enum class From : std::uint8_t {
      Slot,
      SlotAddress,
      Memory
    } from{};  // the slot holds it; C wants the slot's address;
               // the slot points to it
    std::uint32_t slot = 0;
  };
  void* symbol = nullptr;
  std::uint32_t host_number = bytecode::kNone;  // in place of the symbol
  ffi_cif cif{};
  StructTypes structs;
  std::vector<ffi_type*> types;
  std::vector<Argument> arguments;
  RegisterKind result = RegisterKind::None;
  bool result_in_memory = false;

  /// Assembly in place of a symbol: an operand's word is its slot (a value, an address), or what its slot refers to.
  std::unique_ptr<jit::AssembledCode> assembly;
  struct Word {
    std::uint32_t slot = 0;
    std::uint8_t stored_bytes = 0;  // an output's; else 0
  };
  std::vector<Word> words;
};

ForeignLibrary::ForeignLibrary(const bytecode::Module& module, HostSymbols* host) : module_(module), host_(host) {
  prepared_.resize(module.foreigns.size());
  for (std::uint32_t i = 0; i < module.foreigns.size() && !missing_; ++i) prepare(i);
}

ForeignLibrary::~ForeignLibrary() = default;

void ForeignLibrary::prepare(std::uint32_t index) {
  const Foreign& foreign = module_.foreigns[index];
  const Signature& signature = module_.signatures[foreign.signature];
  auto prepared = std::make_unique<Prepared>();
  const auto refuse = [&](const std::string& why) { missing_ = foreign.name + " " + why; };
  if (foreign.launched) {  // the device's to load
    if (bytecode::vendored_source(foreign) || bytecode::lane_plan(foreign)) return;
    if (!vendored_symbols_) vendored_symbols_ = bytecode::vendored_symbols(module_);
    if (!vendored_symbols_->contains(foreign.symbol)) {
      refuse("is launched, and no .cu source of the manifest's [foreign] table defines " + foreign.symbol + ".");
    }
    return;
  }
  if (const auto assembly = decode_assembly(foreign.symbol)) {
    if (host_ != nullptr && !host_->allows_assembly()) return refuse("is assembly, which the host does not allow.");
    auto code = jit::assemble_x86_64(assembly->text, assembly->operands, assembly->clobbers);
    if (!code) return refuse("cannot be run here: " + code.error());
    if (assembly->operands.size() != foreign.passing.size() || signature.result_reference) {
      return refuse("has other operands than its template.");
    }
    prepared->assembly = std::move(*code);
    std::uint32_t slot = 0;
    for (std::size_t i = 0; i < foreign.passing.size(); ++i) {
      const RegisterType& type = signature.parameters[i];
      const bool output = type.kind == RegisterKind::Ref;
      prepared->words.push_back({slot, output ? assembly->operands[i].bytes : std::uint8_t{0}});
      slot += type.slots();
    }
    prepared_[index] = std::move(prepared);
    return;
  }
  if (host_ != nullptr) {
    const auto found = host_->find(module_, foreign);
    if (!found) return refuse(found.error());
    if (*found) {
      prepared->host_number = **found;
      prepared_[index] = std::move(prepared);
      return;
    }
    if (!host_->allows_system()) return refuse("is foreign, and the host has no function " + foreign.symbol + ".");
  }
  prepared->symbol = find_symbol(foreign.symbol.c_str());
  if (prepared->symbol == nullptr) {
    return refuse("is foreign, and neither the host nor a system library has the symbol " + foreign.symbol + ".");
  }
  std::uint32_t slot = 0;
  std::size_t parameter = 0;
  ffi_type* result = c_register(signature.result.kind);
  if (signature.result_reference) {
    prepared->result_in_memory = true;
    result = c_type(module_, signature.parameters[0].type, Direction::Result, prepared->structs);
    slot = 1;
    parameter = 1;
  }
  if (result == nullptr) return refuse("returns a value that C's calling convention cannot carry.");
  for (const char way : foreign.passing) {
    using From = Prepared::Argument::From;
    const RegisterType& type = signature.parameters[parameter++];
    const bool reference = type.kind == RegisterKind::View || type.kind == RegisterKind::Ref;
    ffi_type* passed = nullptr;
    Prepared::Argument argument{From::Slot, slot};
    if (way == 'p') {
      passed = &ffi_type_pointer;
      if (!reference) argument.from = From::SlotAddress;
    } else if (type.kind == RegisterKind::Ref) {
      passed = c_type(module_, type.type, Direction::Argument, prepared->structs);
      argument.from = From::Memory;
    } else if (type.kind == RegisterKind::Buf) {
      passed = c_buffer(prepared->structs);
    } else {
      passed = c_register(type.kind);
    }
    if (passed == nullptr) return refuse("takes a value that C's calling convention cannot carry.");
    prepared->types.push_back(passed);
    prepared->arguments.push_back(argument);
    slot += type.slots();
  }
  if (::ffi_prep_cif(&prepared->cif, FFI_DEFAULT_ABI, static_cast<unsigned>(prepared->types.size()), result,
                     prepared->types.data()) != FFI_OK) {
    return refuse("has parameters that cannot be passed to C.");
  }
  prepared->result = signature.result.kind;
  prepared_[index] = std::move(prepared);
}

void ForeignLibrary::run_assembly(const Prepared& prepared, std::uint64_t* window) {
  std::vector<std::uint64_t> values(prepared.words.size());
  const auto place_of = [&](const Prepared::Word& word) {
    void* place = nullptr;
    std::memcpy(static_cast<void*>(&place), window + word.slot, sizeof(void*));
    return place;
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Prepared::Word& word = prepared.words[i];
    if (word.stored_bytes == 0) {
      values[i] = window[word.slot];
    } else {
      std::memcpy(&values[i], place_of(word), word.stored_bytes);
    }
  }
  prepared.assembly->run(values.data());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Prepared::Word& word = prepared.words[i];
    if (word.stored_bytes != 0) std::memcpy(place_of(word), &values[i], word.stored_bytes);
  }
}

void ForeignLibrary::call(Thread& thread, std::uint32_t foreign, std::uint64_t* window) {
  using From = Prepared::Argument::From;
  Prepared& prepared = *prepared_[foreign];
  if (prepared.host_number != bytecode::kNone) return host_->call(thread, prepared.host_number, window);
  if (prepared.assembly) return run_assembly(prepared, window);
  std::vector<void*> values(prepared.arguments.size());
  std::vector<void*> addresses(prepared.arguments.size());
  for (std::size_t i = 0; i < prepared.arguments.size(); ++i) {
    const Prepared::Argument& argument = prepared.arguments[i];
    std::uint64_t* slot = window + argument.slot;
    switch (argument.from) {
      case From::Slot:
        values[i] = slot;
        break;
      case From::SlotAddress:
        addresses[i] = slot;
        values[i] = &addresses[i];
        break;
      case From::Memory:
        std::memcpy(static_cast<void*>(&values[i]), slot, sizeof(void*));
        break;
    }
  }
  if (prepared.result_in_memory) {
    void* into = nullptr;
    std::memcpy(static_cast<void*>(&into), window, sizeof(void*));
    ::ffi_call(&prepared.cif, FFI_FN(prepared.symbol), into, values.data());
    return;
  }
  // libffi widens an integer result to a register of its own; narrower than that, the value's extension is ours.
  union {
    ffi_arg integer;
    std::uint64_t slot;
    float single;
    double real;
  } result{};
  ::ffi_call(&prepared.cif, FFI_FN(prepared.symbol), &result, values.data());
  switch (prepared.result) {
    case RegisterKind::None:
      return;
    case RegisterKind::Bool:
    case RegisterKind::U8:
      window[0] = static_cast<std::uint8_t>(result.slot);
      return;
    case RegisterKind::U16:
      window[0] = static_cast<std::uint16_t>(result.slot);
      return;
    case RegisterKind::U32:
      window[0] = static_cast<std::uint32_t>(result.slot);
      return;
    case RegisterKind::I8:
      window[0] = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int8_t>(result.slot)));
      return;
    case RegisterKind::I16:
      window[0] = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int16_t>(result.slot)));
      return;
    case RegisterKind::I32:
      window[0] = static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(result.slot)));
      return;
    default:
      window[0] = result.slot;
      return;
  }
}

}  // namespace cairn
