// Selections and branches on comparisons, and on bits: made from the comparison itself, they choose as the interpreter
// does.
#include "tests/jit/both_tiers.hpp"
#include "tests/lower/support.hpp"
#include "vm/natives/c_library.hpp"

namespace cairn::tests {
namespace {

struct Type {
  std::string_view name;
  unsigned bits;
  bool is_signed;
};
constexpr Type kTypes[] = {{"u8", 8, false}, {"u16", 16, false}, {"u32", 32, false}, {"u64", 64, false},
                           {"i8", 8, true},  {"i32", 32, true},  {"i64", 64, true}};
constexpr std::string_view kConditions[] = {
    "(x & $) == 0", "(x & $) != 0", "(x & $) == $", "(x & $) != $", "(add_wrap(x, x) & $) == 0",
    "x < $",        "x != $",       "(x ^ $) >= x", "(x & $) == 2"};

std::string with_mask(std::string_view text, const std::string& mask) {
  std::string made;
  for (const char c : text) c == '$' ? made += mask : made += c;
  return made;
}

/// A slot's word of the type.
std::uint64_t word(const Type& type, std::uint64_t bits) {
  const unsigned above = 64 - type.bits;
  return type.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << above) >> above)
                        : bits << above >> above;
}

}  // namespace

TEST_CASE("selections and branches on comparisons and on bits choose as the interpreter does", "[jit]") {
  const CodeFromSsa from_ssa(true);
  std::string text;
  std::vector<Type> types;
  for (const Type& type : kTypes) {
    for (const unsigned mask : {1U, 2U, 3U, 64U, 127U}) {
      for (const std::string_view condition : kConditions) {
        if (type.is_signed && condition.find_first_of("&^") != std::string_view::npos) continue;  // of unsigned ones
        const std::string asked = with_mask(condition, std::to_string(mask));
        const std::string t(type.name);
        const std::string n = std::to_string(types.size() / 2);
        text += "fn s" + n + "(x:" + t + ", a:u64, b:u64) -> u64 { let mut k = a; if " + asked +
                " { k = b; } return k; }\n";
        text += "fn b" + n + "(x:" + t + ", a:u64, b:u64) -> u64 { if " + asked +
                " { return mul_wrap(a, 3); } return b; }\n";
        types.insert(types.end(), 2, type);
      }
    }
  }
  const Image image(verified(test::lowered(text)), c_library_natives());
  Engine interpreter(image, Tier::Interpreter);
  Engine optimized(image, Tier::Optimizing);
  std::size_t chosen = 0;
  std::size_t calls = 0;
  for (std::uint32_t f = 0; f < image.module().functions.size(); ++f) {
    const std::string& name = image.module().functions[f].name;
    if (name.size() < 2 || (name[0] != 's' && name[0] != 'b') ||
        name.find_first_not_of("0123456789", 1) != std::string::npos)
      continue;
    const Type& type = types[2 * std::stoul(name.substr(1))];
    for (const std::uint64_t x : {0UL, 1UL, 2UL, 3UL, 63UL, 64UL, 65UL, 126UL, 127UL, 128UL, 0xffUL, 0x7fffffffUL,
                                  0x80000000UL, 0xffffffffUL, 0x100000000UL, 0x8000000000000001UL, ~0UL}) {
      const std::uint64_t arguments[] = {word(type, x), 7, 11};
      const Ending want = interpreter.call(f, arguments);
      INFO(name << " of " << type.name << " " << x);
      REQUIRE(want == optimized.call(f, arguments));
      chosen += want.value == 11 ? 1 : 0;
      ++calls;
    }
    CHECK(optimized.instance().tiers()->has_optimized_code(f));
  }
  CHECK(calls == types.size() * 17);
  CHECK(chosen > calls / 8);
  CHECK(chosen < calls - calls / 8);
}

TEST_CASE("a selection takes the flags of its own comparison, and a comparison that is used twice is a value",
          "[jit]") {
  const CodeFromSsa from_ssa(true);
  const auto listing = [](std::string_view text) {
    const Image image(verified(test::lowered(text)), c_library_natives());
    Engine engine(image, Tier::Optimizing);
    return engine.listing();
  };
  const std::string one =
      listing("fn f(x:u64, a:u64) -> u64 { let mut k = a; if (x & 4) == 4 { k = x; } return k; }\n");
  CHECK(one.contains("cmovn"));
  CHECK_FALSE(one.contains("set"));
  CHECK_FALSE(one.contains("and "));
  const std::string twice = listing(
      "fn f(x:u64, a:u64) -> u64 { let mut k = a; if x < a { k = 5; } let mut m = x; if x < a { m = 9; } return k ^ m; "
      "}\n");
  CHECK(twice.contains("set"));
}

}  // namespace cairn::tests
