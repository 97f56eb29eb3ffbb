// Random loops over elements, of the kinds that become vectors: element by element, with conversions, of elements kept
// on condition, and nests with a sum a row. What they do as SSA, with vectors of 32 and 64 bytes, and in machine code
// is held to the interpreter.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <sstream>

#include "jit/ssa/build.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/text.hpp"
#include "tests/jit/ssa/evaluator.hpp"

namespace cairn::tests {
namespace {

namespace ssa = jit::ssa;

constexpr std::uint32_t kElements = 72;

/// Writes one function (n, x, y, z) over n elements: x and y are of one type, z of another.
class LoopWriter {
 public:
  explicit LoopWriter(std::uint64_t seed) : random_(seed), a_(pick(kTypes)), b_(one_in(2) ? a_ : pick(kTypes)) {}

  std::string text() {
    std::string out = "module \"loops\"\nfile 0 \"loops.cairn\"\ntype 0 " + a_ + "\n" +
                      (a_ == b_ ? "" : "type 1 " + b_ + "\n") + "signature 0 (u64, view 0, view mut 0, view mut " +
                      (a_ == b_ ? "0" : "1") +
                      ")\nfunction 0 \"f\" signature 0 kind plain environment none parent none at 0:1:1 slots 40 "
                      "memory 0 align 16\n  r0 u64\n  r1 view 0\n  r3 view mut 0\n  r5 view mut " +
                      (a_ == b_ ? "0" : "1") + "\n  r7 u64\n  r8 u64\n  r9 u64\n  r10 u64\n";
    for (const char* const value : {"r11", "r12", "r13"}) out += "  " + std::string(value) + " " + a_ + "\n";
    for (const char* const value : {"r14", "r15", "r16"}) out += "  " + std::string(value) + " " + b_ + "\n";
    emit("const r7 0");
    emit("const r8 0");
    emit("jump.lt.u.imm r0 2 L9");
    emit("sub.u64.imm r10 r0 1");
    for (const char* const value : {"r11", "r12", "r13"}) emit("const " + std::string(value) + " " + number(a_));
    for (const char* const value : {"r14", "r15", "r16"}) emit("const " + std::string(value) + " " + number(b_));
    switch (below(4)) {
      case 0:
        kept();
        break;
      case 1:
        nest();
        break;
      default:
        elements();
        break;
    }
    return out + code_ + "  L9:\n  : return\nend\n";
  }
  [[nodiscard]] const std::string& first() const { return a_; }
  [[nodiscard]] const std::string& second() const { return b_; }
  static std::uint32_t bytes(const std::string& type) {
    return static_cast<std::uint32_t>(std::atoi(type.c_str() + 1)) / 8;
  }

 private:
  static constexpr std::array<std::string_view, 10> kTypes = {"u8",  "u16", "u32", "u64", "i8",
                                                              "i16", "i32", "i64", "f32", "f64"};

  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  template <std::size_t N>
  std::string pick(const std::array<std::string_view, N>& from) {
    return std::string(from[below(N)]);
  }
  static bool is_float(const std::string& type) { return type[0] == 'f'; }
  void emit(const std::string& line) { code_ += "  : " + line + "\n"; }
  std::string number(const std::string& type) { return is_float(type) ? "0" : std::to_string(1 + below(100)); }
  std::string first_value() { return "r" + std::to_string(11 + below(3)); }
  std::string second_value() { return "r" + std::to_string(14 + below(3)); }

  void arithmetic(const std::string& type, const std::string& to, const std::string& x, const std::string& y) {
    const std::string operands = " " + to + " " + x + " " + y;
    if (is_float(type)) {
      emit(pick<4>({"add.", "sub.", "mul.", "div."}) + type + operands);
    } else if (one_in(12)) {
      emit(pick<2>({"add.", "sub."}) + type + operands);  // may trap in the middle
    } else if (one_in(6)) {
      emit("div." + type + ".imm " + to + " " + x + " " + std::to_string(2 + below(9)));
    } else if (type[0] == 'u' && one_in(2)) {
      emit(pick<3>({"add.wrap.", "sub.wrap.", "mul.wrap."}) + type + operands);
    } else if (type[0] == 'i' || one_in(2)) {
      emit((one_in(2) ? "min." : "max.") + std::string(type[0] == 'u' ? "u" : "s") + operands);
    } else {
      emit(pick<3>({"and", "or", "xor"}) + operands);
    }
  }
  void first_arithmetic() { arithmetic(a_, first_value(), first_value(), first_value()); }
  void second_arithmetic() { arithmetic(b_, second_value(), second_value(), second_value()); }
  void load(const std::string& at) { emit("load.at." + a_ + " " + first_value() + (one_in(3) ? " r3 " : " r1 ") + at); }
  void convert() {
    if (is_float(b_) && !is_float(a_)) {
      emit("to." + b_ + (a_[0] == 'u' ? ".u " : ".s ") + second_value() + " " + first_value());
    }
  }

  /// Up to the last element but one, so that the next one is there.
  void elements() {
    code_ += "  L0:\n";
    load("r7");
    for (std::uint64_t k = 1 + below(5); k-- > 0;) {
      switch (below(5)) {
        case 0:
          if (one_in(2)) {
            emit("add.u64.imm r9 r7 1");
            load("r9");
          } else {
            load("r7");
          }
          break;
        case 1:
          convert();
          break;
        case 2:
          emit("load.at." + b_ + " " + second_value() + " r5 r7");
          second_arithmetic();
          break;
        default:
          first_arithmetic();
          break;
      }
    }
    if (one_in(2)) convert();
    if (one_in(2)) emit("store.at." + a_ + " r3 r7 " + first_value());
    emit("store.at." + b_ + " r5 r7 " + second_value());
    emit("loop.next r7 r10 L0");
  }

  void kept() {
    code_ += "  L0:\n";
    load("r7");
    if (one_in(2)) first_arithmetic();
    if (is_float(a_)) {
      emit("jump." + pick<6>({"lt", "le", "not.lt", "not.le", "eq", "ne"}) + "." + a_ + " " + first_value() + " " +
           first_value() + " L2");
    } else {
      const std::string sign = a_[0] == 'u' ? "u" : "s";
      if (one_in(2)) {
        emit("jump." + pick<4>({"lt.", "le.", "gt.", "ge."}) + sign + ".imm " + first_value() + " " + number(a_) +
             " L2");
      } else if (one_in(3)) {
        emit("jump." + pick<2>({"eq", "ne"}) + " " + first_value() + " " + first_value() + " L2");
      } else {
        emit("jump." + pick<2>({"lt.", "le."}) + sign + " " + first_value() + " " + first_value() + " L2");
      }
    }
    emit("store.at." + a_ + " r3 r8 " + first_value());
    emit("add.u64.imm r8 r8 1");
    code_ += "  L2:\n";
    emit("loop.next r7 r10 L0");
    if (b_ == "u64") emit("store.at.u64 r5 r10 r8");
  }

  void nest() {
    const std::string sum = "r11";
    code_ += "  L0:\n";
    emit("load.at." + a_ + " r11 r1 r7");
    emit("const r8 0");
    code_ += "  L1:\n";
    emit("load.at." + a_ + " r12 r1 " + (one_in(3) ? "r7" : "r8"));
    for (std::uint64_t k = below(3); k-- > 0;) {
      if (one_in(2) && is_float(a_)) {
        emit("add.u64 r9 r7 r8");
        if (one_in(2)) emit("mul.u64 r9 r9 r9");
        if (one_in(3)) emit("div.u64.imm r9 r9 2");
        emit("to." + a_ + ".u r13 r9");
      }
      arithmetic(a_, "r12", "r12", "r13");
    }
    arithmetic(a_, sum, sum, "r12");
    emit("loop.next r8 r10 L1");
    emit("store.at." + a_ + " r3 r7 r11");
    emit("loop.next r7 r10 L0");
  }

  std::mt19937_64 random_;
  std::string a_, b_;
  std::string code_;
};

/// Every NaN made the same one: which one arithmetic gives is not fixed.
template <class Float>
void settle_nans(std::vector<std::uint8_t>& array) {
  for (std::size_t at = 0; at < array.size(); at += sizeof(Float)) {
    Float value = 0;
    std::memcpy(&value, &array[at], sizeof(Float));
    if (value != value) std::fill_n(&array[at], sizeof(Float), std::uint8_t{0xff});
  }
}

struct Outcome {
  std::vector<std::uint8_t> x, y, z;
  Ending ending;
};

template <class Runner>
Outcome run(Runner& runner, const LoopWriter& writer, std::uint64_t n, std::uint64_t seed) {
  // Bytes of edges among random ones.
  std::mt19937_64 random(seed);
  const auto filled = [&](std::uint32_t bytes) {
    std::vector<std::uint8_t> made;
    for (std::uint32_t k = 0; k < kElements; ++k) {
      const std::uint64_t form = random() % 8;
      const std::uint64_t value = form == 0   ? 0
                                  : form == 1 ? ~std::uint64_t{0}
                                  : form == 2 ? std::uint64_t{1} << (8 * bytes - 1)
                                  : form == 3 ? ~std::uint64_t{0} >> (65 - 8 * bytes) % 64
                                  : form < 6  ? random() % 200
                                              : random();
      for (std::uint32_t byte = 0; byte < bytes; ++byte) made.push_back(static_cast<std::uint8_t>(value >> (8 * byte)));
    }
    return made;
  };
  Outcome o{filled(writer.bytes(writer.first())),
            filled(writer.bytes(writer.first())),
            filled(writer.bytes(writer.second())),
            {}};
  const auto address = [](std::vector<std::uint8_t>& array) { return reinterpret_cast<std::uint64_t>(array.data()); };
  const std::uint64_t arguments[] = {n, address(o.x), n, address(o.y), n, address(o.z), n};
  o.ending = runner.call(0, arguments);
  o.ending.trap = o.ending.trap.substr(0, o.ending.trap.find("; "));
  const auto settle = [](std::vector<std::uint8_t>& array, const std::string& type) {
    if (type == "f32") settle_nans<float>(array);
    if (type == "f64") settle_nans<double>(array);
  };
  settle(o.x, writer.first());
  settle(o.y, writer.first());
  settle(o.z, writer.second());
  return o;
}

/// Where two arrays differ: the first element and what it is in each; empty when they do not.
std::string difference(const std::vector<std::uint8_t>& expected, const std::vector<std::uint8_t>& got,
                       std::size_t bytes) {
  for (std::size_t at = 0; at < expected.size(); at += bytes) {
    std::uint64_t one = 0;
    std::uint64_t other = 0;
    std::memcpy(&one, &expected[at], bytes);
    std::memcpy(&other, &got[at], bytes);
    if (one == other) continue;
    std::ostringstream told;
    told << "element " << at / bytes << " is " << std::hex << one << ", not " << other;
    return told.str();
  }
  return "";
}

std::uint64_t set_number(const char* name, std::uint64_t usual) {
  const char* const set = std::getenv(name);
  return set == nullptr ? usual : std::strtoull(set, nullptr, 10);
}

}  // namespace

TEST_CASE("random loops over elements end alike as SSA and in machine code", "[jit]") {
  const std::uint64_t count = set_number("CAIRN_RANDOM_LOOPS", 2000);
  const std::uint64_t first = set_number("CAIRN_RANDOM_LOOPS_FROM", 0);
  Limits limits;
  limits.stack_bytes = 1 << 16;
  std::uint64_t vectors = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    LoopWriter writer(seed);
    const std::string text = writer.text();
    INFO("seed " << seed << "\n" << text);
    auto module = read_text(text);
    if (!module) FAIL(module.error());
    const Image image(verified(std::move(*module)), {});
    const CodeFromSsa from_ssa(true);
    Engine machine(image, Tier::Optimizing, limits);
    std::vector<std::optional<ssa::Function>> functions{ssa::build(image.module(), 0, {})};
    REQUIRE(functions[0]);
    ssa::optimize(*functions[0], {image.module(), false, seed % 2 == 0 ? 32U : 64U});
    const std::string fault = ssa::verify(*functions[0]);
    if (!fault.empty()) FAIL(fault << "\n" << ssa::write(*functions[0]));
    vectors += std::ranges::any_of(functions[0]->code, [](const ssa::Instruction& i) { return i.lanes > 1; }) ? 1U : 0U;
    for (const std::uint64_t n : {0U, 1U, 2U, 5U, 9U, 17U, 33U, 40U, 71U}) {
      INFO("n " << n);
      Engine engine(image, Tier::Interpreter, limits);
      SsaEvaluator evaluator(image, functions, limits);
      const Outcome expected = run(engine, writer, n, seed);
      const auto check = [&](std::string_view by, const Outcome& got) {
        INFO(by << "\n" << ssa::write(*functions[0]));
        REQUIRE(expected.ending.trap == got.ending.trap);
        const std::size_t first_bytes = LoopWriter::bytes(writer.first());
        REQUIRE(difference(expected.x, got.x, first_bytes) == "");
        REQUIRE(difference(expected.y, got.y, first_bytes) == "");
        REQUIRE(difference(expected.z, got.z, LoopWriter::bytes(writer.second())) == "");
      };
      check("as SSA", run(evaluator, writer, n, seed));
      check("in machine code", run(machine, writer, n, seed));
    }
  }
  // A third of them are vectors at least.
  CHECK(3 * vectors > count);
}

}  // namespace cairn::tests
