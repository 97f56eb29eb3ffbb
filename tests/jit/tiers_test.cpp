// Going from one tier to another, and what machine code may not do to the process.
#include <fstream>

#include "tests/jit/both_tiers.hpp"
#include "tests/jit/random_module.hpp"
#include "vm/tiers/tiers.hpp"

namespace cairn::tests {
namespace {

Module from_text(std::string_view text) {
  auto module = read_text(text);
  if (!module) FAIL(module.error());
  return verified(std::move(*module));
}

/// Mappings of this process with these rights, "rwx" for instance.
std::size_t mappings(std::string_view rights) {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);) {
    const std::size_t space = line.find(' ');
    count += line.compare(space + 1, rights.size(), rights) == 0;
  }
  return count;
}

constexpr std::string_view kCounting = R"(module "counting"
file 0 "counting.cairn"
signature 0 (u64) -> u64
function 0 "count" signature 0 kind plain environment none parent none at 0:1:1 slots 6 memory 0 align 16
  r0 u64 "n"
  r1 u64 "i"
  r2 u64 "sum"
  : const r1 0
  : const r2 0
  L0:
  : add.u64 r2 r2 r1 at 0:3:5
  : loop.next r1 r0 L0
  : return.value r2
end
)";

/// A function that calls itself until the stack is spent; its frame has `memory` bytes on `align`.
Module endless(std::uint64_t elements, std::uint32_t align) {
  ModuleBuilder builder("endless");
  const std::uint32_t file = builder.file("endless.cairn");
  Signature signature;
  signature.parameters = {{RegisterKind::U64}};
  signature.result = {RegisterKind::U64};
  const std::uint32_t index = builder.signature(signature);
  const std::uint32_t even = builder.declare("even", index);
  const std::uint32_t odd = builder.declare("odd", index);
  for (const std::uint32_t own : {even, odd}) {
    FunctionBuilder f(builder, own);
    f.at({file, own + 1, 3});
    if (elements != 0 && own == even) {
      const std::uint32_t record = builder.declare_record("Wide");
      builder.define_record(record, {{"words", builder.array(builder.scalar(ScalarKind::U64), elements), 0}}, false,
                            align);
      f.add_object(record);
    }
    const Register window = f.outgoing(0);
    f.emit(Op::AddU64Imm, window, f.parameter(0), 1);
    f.emit(Op::Call, window, own == even ? odd : even);
    f.emit(Op::ReturnValue, window);
    f.finish();
  }
  return verified(builder.take());
}

}  // namespace

TEST_CASE("a loop that turns hot in the interpreter goes on in machine code", "[jit]") {
  const Image image(from_text(kCounting), {});
  Engine engine(image, Tier::Auto);
  const std::uint64_t few[] = {3};
  CHECK(engine.call(0, few).value == 3);
  CHECK_FALSE(engine.instance().tiers()->has_code(0));
  const std::uint64_t many[] = {1'000'000};
  CHECK(engine.call(0, many).value == 499'999'500'000);
  CHECK(engine.instance().tiers()->has_code(0));
}

TEST_CASE("an i32 where ways meet in an i64 has its sign there, and the other way's number keeps its high half",
          "[jit]") {
  const Image image(from_text(R"(module "widths"
file 0 "widths.cairn"
signature 0 (i32, i64, u64) -> i64
function 0 "either" signature 0 kind plain environment none parent none at 0:1:1 slots 8 memory 0 align 16
  r0 i32 "a"
  r1 i64 "b"
  r2 u64 "k"
  r3 i64 "v"
  r4 i32
  : jump.ne.imm r2 0 L0 at 0:3:6
  : rem.i32.imm r4 r0 100 at 0:3:23
  : to.i64.s r3 r4 at 0:3:19
  : jump L1
  L0:
  : move r3 r1 at 0:3:46
  L1:
  : return.value r3 at 0:4:3
end
)"),
                    {});
  const auto whole = [](std::int64_t number) { return static_cast<std::uint64_t>(number); };
  for (const Tier tier : {Tier::Interpreter, Tier::Baseline, Tier::Optimizing}) {
    Engine engine(image, tier);
    for (const std::int64_t a : {-107, 7, 2147483647}) {
      for (const std::int64_t b : {1015449905209213, -1015449905209213, -1L, 3000000000L}) {
        INFO("tier " << static_cast<int>(tier) << ", " << a << ", " << b);
        const std::uint64_t first[] = {whole(a), whole(b), 0};
        CHECK(engine.call(0, first).value == whole(a % 100));
        const std::uint64_t second[] = {whole(a), whole(b), 1};
        CHECK(engine.call(0, second).value == whole(b));
      }
    }
  }
}

TEST_CASE("control that goes through many blocks that only jump comes where they lead", "[jit]") {
  // Each level tests its number and goes on to the next; all lead to one return, by one jump more a level.
  for (const std::uint32_t levels : {3U, 8U, 9U, 10U, 20U, 60U}) {
    ModuleBuilder builder("levels");
    Signature signature;
    signature.parameters = {{RegisterKind::U64}};
    signature.result = {RegisterKind::U64};
    FunctionBuilder f(builder, builder.declare("levels", builder.signature(signature)));
    std::vector<decltype(f.label())> ends;
    for (std::uint32_t k = 0; k <= levels; ++k) ends.push_back(f.label());
    for (std::uint32_t k = 0; k < levels; ++k) f.emit(Op::JumpEqImm, f.parameter(0), k, ends[k]);
    f.emit(Op::AddU64Imm, f.parameter(0), f.parameter(0), 1);
    f.emit(Op::ReturnValue, f.parameter(0));
    for (std::uint32_t k = levels; k-- > 0;) {
      f.bind(ends[k]);
      f.emit(Op::Jump, k == 0 ? ends[levels] : ends[k - 1]);
    }
    f.bind(ends[levels]);
    f.emit(Op::Const, f.parameter(0), 777);
    f.emit(Op::ReturnValue, f.parameter(0));
    f.finish();
    const Image image(verified(builder.take()), {});
    for (const Tier tier : {Tier::Interpreter, Tier::Baseline, Tier::Optimizing}) {
      Engine engine(image, tier);
      for (std::uint64_t n = 0; n <= levels; ++n) {
        INFO("levels " << levels << ", tier " << static_cast<int>(tier) << ", " << n);
        const std::uint64_t arguments[] = {n};
        CHECK(engine.call(0, arguments).value == (n < levels ? 777 : levels + 1));
      }
    }
  }
}

TEST_CASE("a loop that begins where its function does goes on in code from SSA, its frame's memory kept", "[jit]") {
  const InBackground asked(false);
  const CodeFromSsa from_ssa(true);
  for (const bool has_memory : {false, true}) {
    ModuleBuilder builder("down");
    Signature signature;
    signature.parameters = {{RegisterKind::U64}};
    signature.result = {RegisterKind::U64};
    FunctionBuilder f(builder, builder.declare("down", builder.signature(signature)));
    const std::uint32_t record = builder.declare_record("Word");
    builder.define_record(record, {{"word", builder.scalar(ScalarKind::U64), 0}});
    const std::uint64_t object = has_memory ? f.add_object(record) : 0;
    const auto start = f.label();
    f.bind(start);
    if (has_memory) f.emit(Op::FrameStoreU64, f.parameter(0), object);
    f.emit(Op::SubU64Imm, f.parameter(0), f.parameter(0), 1);
    f.emit(Op::JumpNeImm, f.parameter(0), 0, start);
    if (has_memory) f.emit(Op::FrameLoadU64, f.parameter(0), object);
    f.emit(Op::ReturnValue, f.parameter(0));
    f.finish();
    const Image image(verified(builder.take()), {});
    const std::uint64_t many[] = {1'000'000};
    for (const std::uint64_t steps : {0U, 10'000'000U, 300'000U}) {
      INFO("memory " << has_memory << ", steps " << steps);
      Limits limits;
      limits.steps = steps;
      Engine interpreter(image, Tier::Interpreter, limits);
      Engine automatic(image, Tier::Auto, limits);
      const Ending ending = automatic.call(0, many);
      CHECK(ending == interpreter.call(0, many));
      CHECK(ending.trap.empty() == (steps != 300'000U));
      CHECK(automatic.instance().tiers()->has_optimized_code(0));
    }
  }
}

TEST_CASE("an overflow in a loop that was entered from the interpreter names its place", "[jit]") {
  const Image image(from_text(kCounting), {});
  Engine interpreter(image, Tier::Interpreter);
  Engine automatic(image, Tier::Auto);
  const std::uint64_t huge[] = {6'100'000'000};  // never reached: the sum does not fit before
  Module module = from_text(kCounting);
  module.functions[0].code[1] = 0x7fffffffffff0000;  // the first constant: i starts high
  const Image high(verified(std::move(module)), {});
  Engine slow(high, Tier::Interpreter);
  Engine fast(high, Tier::Auto);
  const Ending expected = slow.call(0, huge);
  CHECK(expected == fast.call(0, huge));
}

TEST_CASE("the call depth is spent at the same call on every tier, whatever the frames hold", "[jit]") {
  for (const std::uint64_t elements : {0U, 1U, 3U, 40U, 1000U}) {
    for (const std::uint32_t align : {8U, 16U, 64U, 256U}) {
      const Image image(endless(elements, align), {});
      Limits limits;
      limits.stack_bytes = 1 << 18;
      const std::uint64_t zero[] = {0};
      const Ending expected = Engine(image, Tier::Interpreter, limits).call(0, zero);
      CHECK(expected.trap.contains("the call depth is spent"));
      CHECK(expected == Engine(image, Tier::Baseline, limits).call(0, zero));
      CHECK(expected == Engine(image, Tier::Auto, limits).call(0, zero));
      CHECK(expected == Engine(image, Tier::Optimizing, limits).call(0, zero));
    }
  }
}

TEST_CASE("programs in which functions turn into machine code one after another end as the interpreter's", "[jit]") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Image image(verified(random_module(seed)), {});
    Engine interpreter(image, Tier::Interpreter);
    Engine automatic(image, Tier::Auto);
    std::vector<std::uint64_t> host(kHostWords, seed);
    std::vector<std::uint64_t> other(kHostWords, seed);
    const std::uint64_t arguments[] = {reinterpret_cast<std::uint64_t>(host.data()), kHostWords};
    const std::uint64_t others[] = {reinterpret_cast<std::uint64_t>(other.data()), kHostWords};
    INFO("seed " << seed);
    for (int call = 0; call < 50; ++call) {
      REQUIRE(interpreter.call(0, arguments) == automatic.call(0, others));
      REQUIRE(host == other);
    }
    REQUIRE(interpreter.output() == automatic.output());
  }
}

TEST_CASE("no machine code may be written where it may be run, and it goes with its instance", "[jit]") {
  const Image image(from_text(kCounting), {});
  const std::size_t before = mappings("r-x");
  {
    Engine engine(image, Tier::Baseline);
    const std::uint64_t few[] = {3};
    CHECK(engine.call(0, few).value == 3);
    CHECK(engine.instance().tiers()->has_code(0));
    CHECK(mappings("r-x") + mappings("r-xs") > before);
    CHECK(mappings("rwx") == 0);
  }
  CHECK(mappings("r-x") == before);
}

TEST_CASE("what does not fit the bound of machine code stays with the interpreter", "[jit]") {
  const Image image(from_text(kCounting), {});
  Limits limits;
  limits.code_bytes = 1;
  Engine engine(image, Tier::Baseline, limits);
  const std::uint64_t many[] = {100'000};
  CHECK(engine.call(0, many).value == 4'999'950'000);
  CHECK_FALSE(engine.instance().tiers()->has_code(0));
}

TEST_CASE("a listing shows each instruction of bytecode and the machine's", "[jit]") {
  const Image image(from_text(kCounting), {});
  Engine engine(image, Tier::Baseline);
  const std::string text = engine.listing();
  CHECK(text.contains("function 0 \"count\""));
  CHECK(text.contains("add.u64 r2 r2 r1"));
  CHECK(text.contains("jb "));
}

}  // namespace cairn::tests
