// Loops over elements as vectors, for every length around a few vectors: the same elements as the interpreter's.
#include <array>

#include "jit/ssa/build.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/text.hpp"
#include "tests/jit/ssa/evaluator.hpp"

namespace cairn::tests {
namespace {

namespace ssa = jit::ssa;

constexpr std::uint32_t kLongest = 150;

struct Element {
  std::string_view name;
  std::uint32_t bytes;
};

/// A function (n, x, y) whose loop body is `body` over element i in r5, up to the bound in r6; r7 .. r9 are elements
/// and r10 .. r12 indices. The views are x (r1) and y (r3).
/// `around` is done before the loop and behind it.
Module looping(const Element& element, std::string_view body, std::uint64_t first, std::uint64_t less,
               const std::array<std::string, 2>& around = {}) {
  const std::string e(element.name);
  std::string text =
      "module \"loops\"\nfile 0 \"loops.cairn\"\ntype 0 " + e +
      "\nsignature 0 (u64, view 0, view mut 0)\nfunction 0 \"f\" signature 0 kind plain environment none "
      "parent none at 0:1:1 slots 16 memory 0 align 16\n  r0 u64\n  r1 view 0\n  r3 view mut 0\n  r5 u64\n"
      "  r6 u64\n  r7 " +
      e + "\n  r8 " + e + "\n  r9 " + e + "\n  r10 u64\n  r11 u64\n  r12 u64\n";
  text += "  : const r5 " + std::to_string(first) + "\n  : const r10 0\n  : jump.lt.u.imm r0 " +
          std::to_string(first + less + 1) + " L1\n";
  text += "  : sub.u64.imm r6 r0 " + std::to_string(less) + "\n" + around[0] + "  L0:\n";
  text += body;
  text += "  : loop.next r5 r6 L0\n" + around[1] + "  L1:\n  : return\nend\n";
  auto module = read_text(text);
  if (!module) FAIL(module.error() << "\n" << text);
  return verified(std::move(*module));
}

struct Arrays {
  std::vector<std::uint8_t> x, y;
  Ending ending;
};

template <class Runner>
Arrays run(Runner& runner, std::uint32_t bytes, std::uint64_t n, bool same) {
  Arrays a;
  for (std::uint32_t k = 0; k < kLongest * bytes; ++k) {
    // The least and the largest elements of every kind among them.
    const std::uint32_t element = k / bytes % 9;
    const bool is_top = k % bytes == bytes - 1;
    const auto edge = [&](std::uint32_t of) -> std::uint32_t {
      return of == 0 ? 0xff : of == 1 ? 0 : of == 2 ? (is_top ? 0x80 : 0) : (is_top ? 0x7f : 0xff);
    };
    a.x.push_back(static_cast<std::uint8_t>(element < 4 ? edge(element) : k * 37 + k / 7));
    a.y.push_back(static_cast<std::uint8_t>(element < 2 ? edge(3 - element) : k * 11 + k / 3));
  }
  auto* const x = same ? a.y.data() : a.x.data();
  const std::uint64_t arguments[] = {n, reinterpret_cast<std::uint64_t>(x), n,
                                     reinterpret_cast<std::uint64_t>(a.y.data()), n};
  a.ending = runner.call(0, arguments);
  a.ending.trap = a.ending.trap.substr(0, a.ending.trap.find("; "));
  return a;
}

/// Whether the module's loop became vectors. What it does is held to the interpreter, as SSA and in machine code, for
/// every length below `longest`.
bool check(const Element& element, Module module, bool same = false, std::uint64_t longest = kLongest) {
  const Image image(std::move(module), {});
  Limits limits;
  limits.stack_bytes = 1 << 16;
  std::uint32_t widths = 0;  // of vectors, in which the loop is done
  const CodeFromSsa from_ssa(true);
  Engine machine(image, Tier::Optimizing, limits);
  for (const std::uint32_t vector_bytes : {0U, 32U, 64U}) {
    std::vector<std::optional<ssa::Function>> functions{ssa::build(image.module(), 0, {})};
    REQUIRE(functions[0]);
    ssa::optimize(*functions[0], {image.module(), false, vector_bytes});
    const std::string fault = ssa::verify(*functions[0]);
    if (!fault.empty()) FAIL(fault << "\n" << ssa::write(*functions[0]));
    widths += std::ranges::any_of(functions[0]->code, [](const ssa::Instruction& i) { return i.lanes > 1; }) ? 1 : 0;
    for (std::uint64_t n = 0; n < longest; ++n) {
      Engine engine(image, Tier::Interpreter, limits);
      SsaEvaluator evaluator(image, functions, limits);
      const Arrays expected = run(engine, element.bytes, n, same);
      const Arrays got = run(evaluator, element.bytes, n, same);
      INFO(element.name << " " << vector_bytes << " bytes, n " << n << "\n" << ssa::write(*functions[0]));
      REQUIRE(expected.ending.trap == got.ending.trap);
      REQUIRE(expected.x == got.x);
      REQUIRE(expected.y == got.y);
      if (vector_bytes != 64) continue;
      const Arrays made = run(machine, element.bytes, n, same);
      REQUIRE(expected.ending.trap == made.ending.trap);
      REQUIRE(expected.x == made.x);
      REQUIRE(expected.y == made.y);
    }
  }
  CHECK((widths == 0 || widths == 2));
  return widths != 0;
}

bool check(const Element& element, const std::string& body, std::uint64_t first, std::uint64_t less, bool same = false,
           const std::array<std::string, 2>& around = {}) {
  return check(element, looping(element, body, first, less, around), same);
}

/// A function (n, x, y): y[i] = x[i] as a float, for each i.
Module converted(const std::string& from, const std::string& to) {
  auto module =
      read_text("module \"loops\"\nfile 0 \"loops.cairn\"\ntype 0 " + from + "\ntype 1 " + to +
                "\nsignature 0 (u64, view 0, view mut 1)\nfunction 0 \"f\" signature 0 kind plain environment none "
                "parent none at 0:1:1 slots 16 memory 0 align 16\n  r0 u64\n  r1 view 0\n  r3 view mut 1\n"
                "  r5 u64\n  r6 " +
                from + "\n  r7 " + to + "\n  : const r5 0\n  : jump.lt.u.imm r0 1 L1\n  L0:\n  : load.at." + from +
                " r6 r1 r5\n  : to." + to + (from[0] == 'u' ? ".u" : ".s") + " r7 r6\n  : store.at." + to +
                " r3 r5 r7\n  : loop.next r5 r0 L0\n  L1:\n  : return\nend\n");
  if (!module) FAIL(module.error());
  return verified(std::move(*module));
}

/// A function (n, x, y): for each i in r5, r7 starts with x[i], `body` is done for each j in r6, and y[i] = r7.
Module nest(std::string_view body) {
  auto module = read_text(
      "module \"loops\"\nfile 0 \"loops.cairn\"\ntype 0 f64\nsignature 0 (u64, view 0, view mut 0)\n"
      "function 0 \"f\" signature 0 kind plain environment none parent none at 0:1:1 slots 16 memory 0 align 16\n"
      "  r0 u64\n  r1 view 0\n  r3 view mut 0\n  r5 u64\n  r6 u64\n  r7 f64\n  r8 f64\n  r9 f64\n  r10 u64\n"
      "  : const r5 0\n  : jump.lt.u.imm r0 1 L2\n  L0:\n  : load.at.f64 r7 r1 r5\n  : const r6 0\n  L1:\n" +
      std::string(body) +
      "  : loop.next r6 r0 L1\n  : store.at.f64 r3 r5 r7\n  : loop.next r5 r0 L0\n  L2:\n  : return\nend\n");
  if (!module) FAIL(module.error());
  return verified(std::move(*module));
}

}  // namespace

TEST_CASE("sums of floats, element by element, are done as vectors", "[jit]") {
  for (const Element& e : {Element{"f32", 4}, Element{"f64", 8}}) {
    const std::string t(e.name);
    CHECK(check(e,
                "  : load.at." + t + " r7 r1 r5\n  : load.at." + t + " r8 r3 r5\n  : mul." + t + " r7 r7 r8\n  : add." +
                    t + " r8 r8 r7\n  : store.at." + t + " r3 r5 r8\n",
                0, 0));
  }
}

TEST_CASE("wrapping arithmetic of every width is done as vectors", "[jit]") {
  for (const Element& e : {Element{"u8", 1}, Element{"u16", 2}, Element{"u32", 4}, Element{"u64", 8}}) {
    const std::string t(e.name);
    CHECK(check(e,
                "  : load.at." + t + " r7 r1 r5\n  : add.wrap." + t + ".imm r7 r7 7\n  : xor r8 r7 r7\n  : sub.wrap." +
                    t + " r8 r8 r7\n  : store.at." + t + " r3 r5 r8\n",
                0, 0));
  }
}

TEST_CASE("64-bit integers, and integers as floats, are done as vectors whatever the processor has", "[jit]") {
  const auto one = [](std::string_view from, std::string_view operation, std::string_view to) {
    return "  : load.at." + std::string(from) + " r7 r1 r5\n  : load.at." + std::string(from) +
           " r8 r3 r5\n  : " + std::string(operation) + "\n  : store.at." + std::string(to) + " r3 r5 r9\n";
  };
  for (const std::string_view operation : {"mul.wrap.u64 r9 r7 r8", "min.u r9 r7 r8", "max.u r9 r7 r8"}) {
    CHECK(check({"u64", 8}, one("u64", operation, "u64"), 0, 0));
  }
  for (const std::string_view operation : {"min.s r9 r7 r8", "max.s r9 r8 r7"}) {
    CHECK(check({"i64", 8}, one("i64", operation, "i64"), 0, 0));
  }
  CHECK(check({"u64", 8}, converted("u64", "f64")));
  CHECK(check({"i64", 8}, converted("i64", "f64")));
  CHECK(check({"u32", 4}, converted("u32", "f32")));
  CHECK(check({"i32", 4}, converted("i32", "f32")));
  // Twice as wide, or half.
  CHECK_FALSE(check({"u64", 8}, converted("u64", "f32")));
  CHECK_FALSE(check({"u64", 8}, converted("u32", "f64")));
}

TEST_CASE("a stencil reads its neighbours and writes another array as vectors", "[jit]") {
  CHECK(check({"f32", 4},
              "  : sub.u64.imm r10 r5 1\n  : load.at.f32 r7 r1 r10\n  : load.at.f32 r8 r1 r5\n  : add.f32 r7 r7 r8\n"
              "  : add.u64.imm r11 r5 1\n  : load.at.f32 r8 r1 r11\n  : add.f32 r7 r7 r8\n  : store.at.f32 r3 r5 r7\n",
              1, 1));
}

TEST_CASE("an index that is counted from the counter's successor is the vectors' too", "[jit]") {
  CHECK(check({"f32", 4},
              "  : add.u64.imm r10 r5 1\n  : add.u64.imm r11 r10 1\n  : load.at.f32 r7 r1 r11\n"
              "  : store.at.f32 r3 r5 r7\n",
              0, 2));
}

TEST_CASE("an array that is shifted down in place may be vectors, one that is shifted up may not", "[jit]") {
  CHECK(check({"f32", 4}, "  : add.u64.imm r10 r5 1\n  : load.at.f32 r7 r3 r10\n  : store.at.f32 r3 r5 r7\n", 0, 1));
  CHECK_FALSE(
      check({"f32", 4}, "  : sub.u64.imm r10 r5 1\n  : load.at.f32 r7 r3 r10\n  : store.at.f32 r3 r5 r7\n", 1, 0));
}

TEST_CASE("a loop whose guard fails in the middle traps there with what came before done", "[jit]") {
  // Element i + 2 of x is past its end two iterations before the last.
  check({"f32", 4}, "  : add.u64.imm r10 r5 2\n  : load.at.f32 r7 r1 r10\n  : store.at.f32 r3 r5 r7\n", 0, 0);
  check({"u32", 4}, "  : load.at.u32 r7 r1 r5\n  : add.u32 r7 r7 r7\n  : store.at.u32 r3 r5 r7\n", 0, 0);
}

TEST_CASE("elements that are kept on condition are put together as vectors", "[jit]") {
  const auto kept = [](std::string_view type, const std::string& condition) {
    const std::string t(type);
    return "  : load.at." + t + " r7 r1 r5\n  : add.u64.imm r12 r5 1\n  : load.at." + t + " r8 r1 r12\n" + condition +
           "  : store.at." + t + " r3 r10 r7\n  : add.u64.imm r10 r10 1\n  L2:\n";
  };
  for (const std::string_view condition : {"jump.lt.u r7 r8", "jump.le.u r7 r8", "jump.eq r7 r8", "jump.ne.imm r7 77",
                                           "jump.gt.u.imm r7 2000000000", "jump.ge.u.imm r8 4000000000"}) {
    CHECK(check({"u32", 4}, kept("u32", "  : " + std::string(condition) + " L2\n"), 0, 1));
    CHECK(check({"u64", 8}, kept("u64", "  : " + std::string(condition) + " L2\n"), 0, 1));
  }
  for (const std::string_view condition : {"jump.lt.s r7 r8", "jump.le.s.imm r7 -5", "jump.gt.s.imm r8 99"}) {
    CHECK(check({"i32", 4}, kept("i32", "  : " + std::string(condition) + " L2\n"), 0, 1));
    CHECK(check({"i64", 8}, kept("i64", "  : " + std::string(condition) + " L2\n"), 0, 1));
  }
  for (const std::string t : {"f32", "f64"}) {
    for (const std::string_view relation : {"lt", "le", "not.lt", "not.le", "eq", "ne"}) {
      const std::string condition = "  : jump." + std::string(relation) + "." + t + " r7 r8 L2\n";
      CHECK(check({t, t == "f32" ? 4U : 8U}, kept(t, condition), 0, 1));
    }
  }
  // The view that is written may be the one that is read; an element may be kept twice.
  check({"u32", 4}, kept("u32", "  : jump.lt.u r7 r8 L2\n"), 0, 1, true);
  std::string twice = kept("u32", "  : jump.lt.u r7 r8 L2\n");
  twice.replace(twice.find("r10 r10 1"), 9, "r10 r10 2");
  CHECK_FALSE(check({"u32", 4}, twice, 0, 1));
}

TEST_CASE("a sum in the order of its elements has terms made as vectors where they divide", "[jit]") {
  for (const std::string t : {"f32", "f64"}) {
    const auto summed = [&](std::string_view operation, std::string_view term) {
      return "  : load.at." + t + " r7 r1 r5\n  : " + std::string(term) + "." + t +
             " r7 r8 r7\n  : " + std::string(operation) + "." + t + " r9 r9 r7\n";
    };
    const auto whole = [&](const std::string& body) {
      const Element e{t, t == "f32" ? 4U : 8U};
      return check(
          e, body, 0, 0, false,
          {"  : load.at." + t + " r8 r1 r10\n  : load.at." + t + " r9 r1 r10\n", "  : store.at." + t + " r3 r10 r9\n"});
    };
    CHECK(whole(summed("add", "div")));
    CHECK(whole(summed("mul", "div")));
    CHECK_FALSE(whole(summed("add", "mul")));
  }
}

TEST_CASE("rows of a nest whose sums are in order are done a lane a row", "[jit]") {
  constexpr std::uint64_t kMostRows = 36;
  const Element f64{"f64", 8};
  const std::string sum = "  : mul.f64 r8 r8 r9\n  : add.f64 r7 r7 r8\n";
  CHECK(check(f64, nest("  : load.at.f64 r8 r1 r6\n  : load.at.f64 r9 r1 r5\n" + sum), false, kMostRows));
  // A row's number and the column's make a term.
  CHECK(check(f64,
              nest("  : load.at.f64 r8 r1 r6\n  : add.u64 r10 r5 r6\n  : mul.u64 r10 r10 r10\n"
                   "  : to.f64.u r9 r10\n" +
                   sum),
              false, kMostRows));
  // What is carried that is no sum of floats, and what is the same in every row.
  CHECK(check(f64,
              nest("  : load.at.f64 r8 r1 r6\n  : load.at.f64 r9 r1 r5\n  : mul.f64 r8 r8 r8\n"
                   "  : div.f64 r8 r8 r9\n  : sub.f64 r7 r8 r7\n"),
              false, kMostRows));
  // What is stored may be what another row reads.
  CHECK_FALSE(check(f64, nest("  : load.at.f64 r8 r3 r6\n  : load.at.f64 r9 r1 r5\n" + sum), false, kMostRows));
  // The element of another row's column is nowhere near.
  CHECK_FALSE(check(f64, nest("  : load.at.f64 r8 r1 r6\n  : mul.u64 r10 r5 r6\n  : load.at.f64 r9 r1 r10\n" + sum),
                    false, kMostRows));
}

TEST_CASE("a running sum that is stored overflows in the turn it did, unrolled or not", "[jit]") {
  check({"u32", 4}, "  : load.at.u32 r7 r1 r5\n  : add.u32 r8 r8 r7\n  : store.at.u32 r3 r5 r8\n", 0, 0);
  check({"u8", 1}, "  : load.at.u8 r7 r1 r5\n  : add.wrap.u8 r8 r8 r7\n  : store.at.u8 r3 r5 r8\n", 0, 0);
}

TEST_CASE("ways through an iteration that differ in operations on floats are done together, and one is selected",
          "[jit]") {
  for (const std::string t : {"f32", "f64"}) {
    const Element e{t, t == "f32" ? 4U : 8U};
    const std::string load = "  : load.at." + t + " r7 r1 r5\n  : load.at." + t + " r8 r3 r5\n";
    const std::string store = "  : store.at." + t + " r3 r5 r9\n";
    const auto op = [&](std::string_view name, std::string_view operands) {
      return "  : " + std::string(name) + "." + t + " " + std::string(operands) + "\n";
    };
    // Every relation, NaN included: the elements are any bits.
    for (const std::string_view relation : {"eq", "ne", "lt", "le", "not.lt", "not.le"}) {
      INFO(relation);
      const std::string test = op("jump." + std::string(relation), "r7 r8 L2");
      const std::string two = op("sub", "r9 r7 r8") + "  : jump L3\n  L2:\n" + op("mul", "r9 r7 r7") + "  L3:\n";
      CHECK(check(e, load + test + two + store, 0, 0));
      // Straight on where the relation holds.
      CHECK(check(e, load + "  : move r9 r8\n" + test + op("neg", "r9 r7") + "  L2:\n" + store, 0, 0));
    }
    // One branch in a way of another.
    const std::string nested = op("jump.lt", "r7 r8 L2") + op("div", "r9 r7 r8") + "  : jump L4\n  L2:\n" +
                               op("jump.lt", "r8 r7 L3") + op("add", "r9 r7 r8") + "  : jump L4\n  L3:\n" +
                               op("sqrt", "r9 r8") + "  L4:\n";
    CHECK(check(e, load + nested + store, 0, 0));
    // What only one way stores or loads, or what a way adds to a sum, is done behind its branch.
    CHECK_FALSE(check(e, load + op("jump.lt", "r7 r8 L2") + op("neg", "r9 r7") + store + "  L2:\n", 0, 0));
    CHECK_FALSE(check(
        e, load + "  : move r9 r8\n" + op("jump.lt", "r7 r8 L2") + "  : load.at." + t + " r9 r1 r10\n  L2:\n" + store,
        0, 0));
    CHECK_FALSE(check(e, load + op("jump.lt", "r7 r8 L2") + op("add", "r9 r9 r7") + "  L2:\n", 0, 0, false,
                      {"  : load.at." + t + " r9 r1 r10\n", "  : store.at." + t + " r3 r10 r9\n"}));
  }
}

}  // namespace cairn::tests
