// Every operation on scalars as kernels' text has it, compiled for the host, against the interpreter: results bit for
// bit, traps and their words included. And no operation is forgotten: each is written, or named as the host's alone.
#include <catch2/catch.hpp>

#include <dlfcn.h>

#include "cuda/writer/function_writer.hpp"
#include "cuda/writer/unit.hpp"
#include "tests/cuda/host_device.hpp"
#include "tests/jit/both_tiers.hpp"
#include "tests/jit/scalar_operations.hpp"
#include "vm/interpreter/trap_message.hpp"

namespace cairn::tests {
namespace {

using cuda::writer::cat;

/// A table of calls: arguments and results as slots.
std::string table_of(const Module& module, cuda::writer::Unit& unit) {
  std::string rows;
  for (std::uint32_t f = 0; f < module.functions.size(); ++f) {
    const Signature& signature = module.signatures[module.functions[f].signature];
    std::string arguments = "At{record, 0, 0}";
    for (std::size_t k = 0; k < signature.parameters.size(); ++k) {
      arguments += cat(", from_slot<", cuda::writer::type_of(signature.parameters[k].kind), ">(a[", k, "])");
    }
    rows += cat("    [](kernel::TrapRecord* record, const U64* a, U64* r) { *r = to_slot(", unit.function(f), "(",
                arguments, ")); },\n");
  }
  return cat("using Call = void (*)(kernel::TrapRecord*, const U64*, U64*);\nstatic const Call calls[] = {\n", rows,
             "};\nextern \"C\" bool call(unsigned f, const U64* a, U64* r, kernel::TrapRecord* record) {\n"
             "  return host_grid_launch(1, 1, [&] { calls[f](record, a, r); });\n}\n");
}

using Call = bool (*)(unsigned, const std::uint64_t*, std::uint64_t*, cuda::TrapRecord*);

}  // namespace

TEST_CASE("kernels' text does every operation on scalars as the interpreter does", "[cuda][text]") {
  if (test::host_compiler().empty()) {
    WARN("no C++ compiler: the texts of operations are not run");
    return;
  }
  std::mt19937_64 random(7);
  struct Case {
    ScalarForm form;
    std::uint32_t function = 0;
  };
  ModuleBuilder builder("operations");
  std::vector<Case> cases;
  for (const ScalarForm& form : scalar_forms()) {
    std::vector<std::uint64_t> immediates = immediates_of(form, random);
    std::ranges::shuffle(immediates, random);
    if (immediates.size() > 3) immediates.resize(3);
    for (const std::uint64_t immediate : immediates) {
      cases.push_back({form, declare_scalar(builder, form, immediate, random() % 2 == 0)});
    }
  }
  const Image image(verified(builder.take()), {});
  const Module& module = image.module();
  cuda::writer::Unit unit(module);
  const std::string table = table_of(module, unit);
  unit.write_functions();
  REQUIRE(unit.error().empty());
  std::string text =
      "#include \"cuda/kernel/blocks.hpp\"\n#include \"cuda/kernel/storage_floats.hpp\"\n"
      "using namespace cairn;\nusing namespace cairn::kernel;\n";
  text += unit.declarations + unit.definitions + "\n#line 1 \"calls\"\n" + table;
  std::string said;
  void* const library = test::host_library(text, said);
  INFO(said.substr(0, 4000));
  REQUIRE(library != nullptr);
  const auto call = reinterpret_cast<Call>(::dlsym(library, "call"));

  Engine interpreter(image, Tier::Interpreter);
  std::size_t wrong = 0;
  std::size_t calls = 0;
  for (const Case& each : cases) {
    const OperationInfo& row = info(each.form.op);
    std::size_t lists = 0;
    for (const auto& list : operand_lists(each.form, random)) {
      if (++lists > 300) break;
      ++calls;
      const Ending expected = interpreter.call(each.function, list);
      std::uint64_t value = 0;
      cuda::TrapRecord record;
      std::string trap;
      if (!call(each.function, list.data(), &value, &record)) {
        const cuda::Site& site = unit.sites[record.site];
        std::vector<std::uint64_t> frame(module.functions[site.function].slots, 0);
        for (std::size_t k = 0; k < site.slots.size(); ++k) frame[site.slots[k]] = record.values[k];
        trap = interpreter::trap_message(site.kind, module, module.functions[site.function].code.data() + site.word,
                                         frame.data(), {}, site.detail);
      }
      const bool is_same = trap.empty() == expected.trap.empty() && expected.trap.starts_with(trap) &&
                           (!trap.empty() || without_nan_bits(value, each.form.kinds[0]) ==
                                                 without_nan_bits(expected.value, each.form.kinds[0]));
      if (is_same) continue;
      if (++wrong > 20) continue;
      std::string shown;
      for (const std::uint64_t operand : list) shown += " " + std::to_string(operand);
      UNSCOPED_INFO(row.text << shown << ": " << expected.value << " " << expected.trap << " is " << value << " "
                             << trap);
    }
  }
  CHECK(wrong == 0);
  CHECK(calls > 50'000);
}

}  // namespace cairn::tests
