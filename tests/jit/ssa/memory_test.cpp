// Memory that is followed as values, beside what the instructions the engine does read and write of it.
#include "jit/ssa/build.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/text.hpp"
#include "tests/jit/both_tiers.hpp"
#include "tests/jit/ssa/evaluator.hpp"

namespace cairn::tests {
namespace {

namespace ssa = jit::ssa;

/// The sum of what `d` is after each element of x was added to it; `d` is lent to the function that adds. BEFORE and
/// IN_LOOP: what is done with `d` before the loop and where an iteration begins; REFERENCE: what is lent.
std::string lending(std::string_view before, std::string_view in_loop, std::string_view reference) {
  std::string text = R"(module "lent"
file 0 "lent.cairn"
type 0 f64
signature 0 (ref mut 0, f64)
signature 1 (u64, view 0) -> f64
function 0 "grow" signature 0 kind plain environment none parent none at 0:1:1 slots 6 memory 0 align 16
  r0 ref mut 0 "k"
  r1 f64 "by"
  r2 f64
  : load.f64 r2 r0 0
  : add.f64 r2 r2 r1
  : store.f64 r0 r2 0
  : return
end
function 1 "f" signature 1 kind plain environment none parent none at 0:2:1 slots 13 memory 8 align 16
  r0 u64 "n"
  r1 view 0 "x"
  r3 f64 "s"
  r4 u64 "i"
  r5 f64
  r6 f64
  r7 ref mut 0
  @0 0 "d"
  : const r3 0
  : const r5 0x3ff0000000000000
  BEFORE
  : const r4 0
  L0:
  IN_LOOP
  REFERENCE
  : load.at.f64 o1 r1 r4 at 0:2:3
  : call o0 0 at 0:2:4
  : frame.load.f64 r6 0
  : add.f64 r3 r3 r6
  : loop.next r4 r0 L0
  : return.value r3
end
)";
  const std::pair<std::string_view, std::string_view> parts[] = {
      {"BEFORE", before}, {"IN_LOOP", in_loop}, {"REFERENCE", reference}};
  for (const auto& [name, part] : parts) text.replace(text.find(name), name.size(), part);
  return text;
}
constexpr std::string_view kStore = ": frame.store.f64 r5 0";
constexpr std::string_view kNothing = ": move r5 r5";
constexpr std::string_view kLend = ": frame.ref o0 0";

struct Lending {
  std::string_view name, before, in_loop, reference;
};
constexpr Lending kMadeAnew{"made anew", kNothing, kStore, kLend};
constexpr Lending kCarried{"carried", kStore, kNothing, kLend};
constexpr Lending kReferredTo{"referred to", ": frame.store.f64 r5 0\n  : frame.ref r7 0", kNothing, ": move o0 r7"};

Module module_of(const Lending& which) {
  auto module = read_text(lending(which.before, which.in_loop, which.reference));
  if (!module) FAIL(module.error());
  return verified(std::move(*module));
}

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// The word at which the loop of function 1 begins.
std::uint32_t loop_of(const Module& module) {
  const std::vector<bytecode::Word>& code = module.functions[1].code;
  for (std::uint32_t word = 0; word < code.size(); word += bytecode::instruction_words(code.data() + word)) {
    if (bytecode::op_of(code[word]) == Op::LoopNext) {
      return static_cast<std::uint32_t>(word + std::int64_t{bytecode::t_of(code[word + 1])});
    }
  }
  FAIL("no loop");
  return 0;
}

}  // namespace

TEST_CASE("a store that is overwritten before baseline code would read it goes, one that it would read stays",
          "[jit]") {
  for (const Lending& which : {kMadeAnew, kCarried, kReferredTo}) {
    INFO(which.name);
    const Module module = module_of(which);
    auto form = ssa::build(module, 1, {});
    REQUIRE(form);
    // Up to the pass that follows the frame's memory: points, at which versions may leave, are still there.
    for (const ssa::Pass& pass : ssa::passes()) {
      pass.run(*form, {module});
      if (pass.name == "memory") break;
    }
    const std::string text = ssa::write(*form);
    INFO(text);
    CHECK(count_of(text, "  store.f64 ") == (which.name == kMadeAnew.name ? 0 : 2));
  }
}

TEST_CASE("what lies in a frame that is taken up is values, unless a slot that is alive refers to it", "[jit]") {
  for (const Lending& which : {kMadeAnew, kCarried, kReferredTo}) {
    INFO(which.name);
    const Module module = module_of(which);
    auto form = ssa::build(module, 1, {loop_of(module), false});
    REQUIRE(form);
    ssa::optimize(*form, {module});
    const std::string text = ssa::write(*form);
    INFO(text);
    CHECK(text.contains("  store.f64 ") == (which.name == kReferredTo.name));
    // What was put there is read where it is used.
    CHECK(text.contains("frame.address") == (which.name != kMadeAnew.name));
  }
}

TEST_CASE("a lent number is what the interpreter makes it wherever a loop is left or taken up", "[jit]") {
  const CodeFromSsa from_ssa(true);
  for (const Lending& which : {kMadeAnew, kCarried, kReferredTo}) {
    INFO(which.name);
    const Image image(module_of(which), {});
    std::vector<double> x(1 << 16);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<double>(k % 17) - 7.5;
    for (const std::uint64_t length : {std::uint64_t{1}, std::uint64_t{9}, std::uint64_t{1000}, x.size()}) {
      for (const std::uint64_t more : {0U, 1U}) {
        // One more than there are elements traps behind the last.
        const std::uint64_t arguments[] = {length + more, reinterpret_cast<std::uint64_t>(x.data()), length};
        const Ending expected = Engine(image, Tier::Interpreter).call(1, arguments);
        CHECK(expected.trap.empty() == (more == 0));
        for (const Tier tier : {Tier::Optimizing, Tier::Auto, Tier::Baseline}) {
          CHECK(Engine(image, tier).call(1, arguments) == expected);
        }
      }
    }
  }
}

TEST_CASE("an object whose place in the frame a step names holds what the step left there", "[jit]") {
  for (const bool part : {false, true}) {
    INFO((part ? "a field" : "the whole object"));
    constexpr RegisterType kLength{RegisterKind::U64};
    ModuleBuilder builder("owner");
    const std::uint32_t byte = builder.scalar(ScalarKind::U8);
    const std::uint32_t buffer = builder.buf(byte);
    const std::uint32_t holder = builder.declare_record("Holder");
    builder.define_record(holder, {{"before", builder.scalar(ScalarKind::U64), 0}, {"owner", buffer, 0}});
    const std::uint64_t owner = builder.type(holder).fields[1].offset;
    FunctionBuilder f(builder, builder.declare("f", builder.signature({{}, kLength, false})));
    const std::uint64_t object = f.add_object(holder);
    const Register n = f.add_register(kLength);
    const Register fresh = f.add_register({RegisterKind::Buf, false, byte});
    f.emit(Op::Const, n, 5);
    f.emit(Op::BufNew, fresh, n, byte);
    f.emit(Op::FrameStorePair, fresh, object + owner);
    f.emit(Op::FrameDrop, part ? object + owner : object, part ? buffer : holder);
    f.emit(Op::FrameLoadPair, fresh, object + owner);
    f.emit(Op::ReturnValue, fresh.second());
    f.finish();
    const Image image(verified(builder.take()), {});
    std::vector<std::optional<jit::ssa::Function>> functions{jit::ssa::build(image.module(), 0, {})};
    REQUIRE(functions[0]);
    jit::ssa::optimize(*functions[0], {image.module()});
    Limits limits;
    limits.stack_bytes = 1 << 16;
    SsaEvaluator evaluator(image, functions, limits);
    const Ending ending = evaluator.call(0, {});
    CHECK(ending.trap.empty());
    CHECK(ending.value == 0);
  }
}

}  // namespace cairn::tests
