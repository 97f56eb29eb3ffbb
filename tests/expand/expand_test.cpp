// Recipes, derivations and families (abstractions, 3.5 and 10), from text to expanded trees.
#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "frontend/expand/expand.hpp"
#include "frontend/syntax/parser.hpp"
#include "tests/expand/packaged.hpp"

using namespace cairn;

namespace {

const std::string kCore =
    "module std.core;\npub trait Ord { fn less(a:ro<Self>, b:ro<Self>) -> bool pure; }\n"
    "pub trait Eq { fn same(a:ro<Self>, b:ro<Self>) -> bool pure; }\n"
    "pub trait Hash { fn hash(value:ro<Self>) -> u64 pure; }\n";

/// Parses the text with the packaged recipes it needs, and expands it.
struct Expanded {
  Compilation compilation;
  Diagnostic refusal;
  bool refused = false;

  explicit Expanded(std::string text) {
    compilation.sources.add("test.cairn", std::move(text));
    compilation.tree = syntax::parse(compilation.sources, 0, 1, compilation.names, compilation.arena);
    const auto modules = recipe_modules(compilation, tests::packaged);
    for (const std::string& module : modules) link(module, *tests::packaged(module));
    if (!modules.empty()) link("std.core", kCore);
    try {
      expand(compilation);
    } catch (Refusal& found) {
      refused = true;
      refusal = std::move(found.diagnostic);
    }
  }

  void link(const std::string& module, const std::string& text) {
    const auto file = compilation.sources.add(module, text, true, false);
    const auto library = syntax::parse(compilation.sources, file, 1, compilation.names, compilation.arena);
    std::vector<const syntax::Decl*> all(compilation.tree.declarations.begin(), compilation.tree.declarations.end());
    all.insert(all.end(), library.declarations.begin(), library.declarations.end());
    compilation.tree.declarations = compilation.arena.copy(all);
  }

  [[nodiscard]] std::string code() const {
    if (!refused) return "accepted";
    return refusal.custom_code.empty() ? std::string(text(refusal.code)) : refusal.custom_code;
  }
  [[nodiscard]] std::uint32_t line() const { return compilation.sources.locate(refusal.position).line; }

  /// Names of generated declarations in order; an impl is its trait's written name.
  [[nodiscard]] std::vector<std::string> generated() const {
    std::vector<std::string> names;
    for (const syntax::Decl* each : compilation.tree.declarations) {
      if (each->derived.empty()) continue;
      if (each->kind != syntax::DeclKind::Impl) {
        names.emplace_back(compilation.names.text(each->name.name));
        continue;
      }
      std::string trait;
      for (const auto& segment : each->as<syntax::ImplDecl>().trait.segments) {
        trait += (trait.empty() ? "" : ".") + std::string(compilation.names.text(segment.name));
      }
      names.push_back(trait);
    }
    return names;
  }
};

using Names = std::vector<std::string>;

/// What `cairn expand` prints of the text.
std::string printed(const std::string& text) {
  Expanded program(text);
  REQUIRE(program.code() == "accepted");
  return expansion_text(program.compilation);
}

}  // namespace

TEST_CASE("derive wire makes an encoder, a decoder and a size", "[expand]") {
  const Expanded program("struct Pin { port:u8; level:u16; }\nderive wire for Pin;\n");
  REQUIRE(program.code() == "accepted");
  CHECK(program.generated() == Names{"encode_Pin", "decode_Pin", "wire_size_Pin"});
}

TEST_CASE("derive wire refuses a signed field with the recipe's own code", "[expand]") {
  CHECK(Expanded("struct R { at:u32; v:i16; }\nderive wire for R;\n").code() == "E-DERIVE-FIELD");
  CHECK(Expanded("struct R { at:u32; v:u16; }\nderive wire for R;\n").code() == "accepted");
}

TEST_CASE("packaged recipes write impls of the core traits in full", "[expand]") {
  const Expanded program("struct P { a:u8; b:u8; }\nderive eq for P;\nderive ord for P;\nderive hash for P;\n");
  REQUIRE(program.code() == "accepted");
  CHECK(program.generated() == Names{"std.core.Eq", "std.core.Ord", "std.core.Hash"});
}

TEST_CASE("a packaged recipe on a sum is the derive's mistake", "[expand]") {
  const Expanded program("enum E { A(u8); B; }\n\nderive eq for E;\n");
  CHECK(program.code() == "E-DERIVE-TYPE");
  CHECK(program.line() == 3);
}

TEST_CASE("a derivation waits for the record another one generates, in any order", "[expand]") {
  const std::string recipe = "recipe paired for R { struct $R_pair { left:R; right:R; } }\nstruct Pin { p:u8; }\n";
  const Expanded late(recipe + "derive wire for Pin;\nderive paired for Pin;\n");
  CHECK(late.generated() == Names{"encode_Pin", "decode_Pin", "wire_size_Pin", "Pin_pair"});
  const Expanded early(recipe + "derive paired for Pin_pair;\nderive paired for Pin;\n");
  REQUIRE(early.code() == "accepted");
  CHECK(early.generated() == Names{"Pin_pair", "Pin_pair_pair"});
  const Expanded never(recipe + "derive paired for Pin_pairs;\nderive paired for Pin;\n");
  CHECK(never.code() == "E-DERIVE-TYPE");
  CHECK(never.line() == 3);
}

TEST_CASE("a name spliced of several statics takes the longest one", "[expand]") {
  const Expanded program(
      "recipe t[N:nat, NM:nat] { fn f_$NM_$N() -> usize = $NM; fn g_$Nx() -> usize = $N; }\nderive t[1, 2];\n");
  REQUIRE(program.code() == "accepted");
  CHECK(program.generated() == Names{"f_2_1", "g_1x"});
}

TEST_CASE("statics that have no value are refused where they stand", "[expand]") {
  const Expanded negative("recipe g[A:nat, B:nat]\n  where d = A - B {\n  fn f() -> usize = $d;\n}\nderive g[3, 8];\n");
  CHECK(negative.code() == "E-RECIPE-STATIC");
  CHECK(negative.line() == 2);
  CHECK(Expanded("recipe g[A:nat] where d = A / 0 { fn f() -> usize = $d; }\nderive g[3];\n").code() ==
        "E-RECIPE-STATIC");
  CHECK(Expanded("recipe g[A:nat] where d = d + 1 { fn f() -> usize = $d; }\nderive g[3];\n").code() ==
        "E-RECIPE-STATIC");
  CHECK(Expanded("recipe g[A:nat] { fn f() -> usize = $B; }\nderive g[3];\n").code() == "E-RECIPE-STATIC");
  CHECK(Expanded("recipe g[A:nat] where d = A / 2 { fn f() -> usize = $d; }\nderive g[3];\n").code() == "accepted");
}

TEST_CASE("a require can name its own code, and is measured before what follows", "[expand]") {
  const std::string recipe =
      "recipe r for R where size = bytes(R) {\n  each f in R { require scalar(f), \"E-MINE: no\"; }\n"
      "  fn $R_size() -> usize = $size;\n}\nstruct A { x:Buf[u8]; }\nstruct B { x:u8; }\n";
  const Expanded own(recipe + "derive r for A;\n");
  CHECK(own.code() == "E-MINE");
  CHECK(own.refusal.message == "no");
  CHECK(own.line() == 2);
  CHECK(Expanded(recipe + "derive r for B;\n").code() == "accepted");
  CHECK(Expanded("recipe r for R { require count(R) > 1, \"two at least\"; }\nstruct A { x:u8; }\nderive r for A;\n")
            .code() == "E-DERIVE-DOMAIN");
}

TEST_CASE("derives that fit no recipe are refused at the derive", "[expand]") {
  const std::string recipe = "recipe r[N:nat] for R { fn $R_$N() -> usize = $N; }\nstruct A { x:u8; }\n";
  CHECK(Expanded(recipe + "derive r[1] for A;\n").code() == "accepted");
  for (const char* derive :
       {"derive r for A;", "derive r[A] for A;", "derive r[1];", "derive r[1, 2] for A;", "derive s[1] for A;"}) {
    const Expanded program(recipe + derive);
    CHECK(program.code() == "E-DERIVE-RECIPE");
    CHECK(program.line() == 3);
  }
}

TEST_CASE("generated names must be new", "[expand]") {
  const std::string recipe = "recipe r for R { fn $R_f() -> bool = true; }\nstruct A { x:u8; }\n";
  CHECK(Expanded(recipe + "derive r for A;\nfn A_f() -> bool = true;\n").code() == "E-DERIVE-COLLISION");
  CHECK(Expanded(recipe + "derive r for A;\nderive r for A;\n").line() == 4);
  CHECK(Expanded(
            "recipe r for R { struct $R_x { each f in R { same:u8; } } }\nstruct A { x:u8; y:u8; }\nderive r for A;\n")
            .code() == "E-DERIVE-COLLISION");
}

TEST_CASE("private recipes and types of another module cannot be derived", "[expand]") {
  const std::string text =
      "module lib;\nrecipe r for R { fn $R_f() -> bool = true; }\n"
      "pub recipe s for R { fn $R_f() -> bool = true; }\nstruct A { x:u8; }\nmodule app;\nimport lib;\n"
      "struct B { x:u8; }\n";
  CHECK(Expanded(text + "derive lib.r for B;\n").code() == "E-PRIVATE");
  CHECK(Expanded(text + "derive lib.s for lib.A;\n").code() == "E-PRIVATE");
  CHECK(Expanded(text + "derive lib.s for B;\n").code() == "accepted");
}

TEST_CASE("an each is bounded", "[expand]") {
  CHECK(Expanded("recipe r[N:nat] { each k in 0..N { fn f_$k() -> bool = true; } }\nderive r[1024];\n").code() ==
        "accepted");
  CHECK(Expanded("recipe r[N:nat] { each k in 0..N { fn f_$k() -> bool = true; } }\nderive r[1025];\n").code() ==
        "E-EXPANSION-LIMIT");
  CHECK(Expanded(
            "recipe r[N:nat] { each j in 0..3 { each k in 0..N { fn f_$j_$k() -> bool = true; } } }\nderive r[1000];\n")
            .code() == "E-EXPANSION-LIMIT");
  CHECK(Expanded(
            "recipe r[N:nat] where n = fold + each a in 0..N { fold + each b in 0..N { fold + each c in 0..N { 1 } } } "
            "{ fn f() -> usize = $n; }\nderive r[1000];\n")
            .code() == "E-EXPANSION-LIMIT");
}

TEST_CASE("families make the functions of a half-open range", "[expand]") {
  const std::string text =
      "fn f[K:nat](x:u64) -> u64 = x;\nfn g[T](x:T) -> T = x;\nfn h[A:nat, B:nat]() -> bool = true;\n";
  const Expanded program(text + "family p = f[2..5];\n");
  REQUIRE(program.code() == "accepted");
  std::vector<std::uint64_t> values;
  for (const syntax::Decl* each : program.compilation.tree.declarations) {
    if (each->kind != syntax::DeclKind::Function) continue;
    const auto& function = each->as<syntax::FunctionDecl>();
    if (function.copy_of == nullptr) continue;
    CHECK(function.signature.generics.empty());
    values.push_back(function.copy_value);
  }
  CHECK(values == std::vector<std::uint64_t>{2, 3, 4});
  CHECK(Expanded(text + "family p = f[5..5];\n").code() == "E-FAMILY-LIMIT");
  CHECK(Expanded(text + "family p = f[0..1025];\n").code() == "E-FAMILY-LIMIT");
  CHECK(Expanded(text + "family p = f[0..1024];\n").code() == "accepted");
  CHECK(Expanded(text + "family p = f[4294967290..4294967297];\n").code() == "E-FAMILY-LIMIT");
  CHECK(Expanded(text + "family p = g[0..2];\n").code() == "E-FAMILY-TARGET");
  CHECK(Expanded(text + "family p = h[0..2];\n").code() == "E-FAMILY-TARGET");
  CHECK(Expanded(text + "family p = none[0..2];\n").code() == "E-FAMILY-TARGET");
  CHECK(Expanded(text + "fn p_1() -> bool = true;\nfamily p = f[0..2];\n").code() == "E-DUPLICATE");
  CHECK(Expanded(text + "family p = f[0..1000];\nfamily q = f[0..1000];\nfamily r = f[0..100];\n").code() ==
        "E-EXPANSION-LIMIT");
}

TEST_CASE("the expansion prints records first, then functions, with statics folded", "[expand]") {
  CHECK(printed("fn f() -> bool = true;\n").empty());
  CHECK(printed("struct Pin { port:u8; level:u16; }\nrecipe paired for R { struct $R_pair { left:R; right:R; } }\n"
                "derive wire for Pin;\nderive paired for Pin;\n") ==
        R"(struct Pin_pair { left:Pin; right:Pin; }

pub fn encode_Pin(out:rw<u8>[3]@host, value:Pin) {
  out[0] = u8((shr(value.port, 0) & 255));
  out[1] = u8((shr(value.level, 0) & 255));
  out[2] = u8((shr(value.level, 8) & 255));
}

pub fn decode_Pin(input:ro<u8>[3]@host) -> Pin {
  return Pin(shl_wrap(u8(input[0]), 0), (shl_wrap(u16(input[1]), 0) | shl_wrap(u16(input[2]), 8)));
}

pub fn wire_size_Pin() -> usize {
  return 3;
}
)");
}

TEST_CASE("an expansion in modules opens each where its first name was generated", "[expand]") {
  CHECK(printed("module lib;\nconst BASE:u64 = 3;\npub fn f[K:nat](x:ro<u64>[K]) -> u64 { let y = BASE; return y + "
                "u64(K); }\n"
                "family g = f[2..3];\nmodule app;\nimport lib;\npub family h = lib.f[4..5];\n") ==
        R"(module lib;

fn g_2(x:ro<u64>[2]@host) -> u64 {
  let y = BASE;
  return (y + u64(2));
}

module app;

pub fn h_4(x:ro<u64>[4]@host) -> u64 {
  let y = lib.BASE;
  return (y + u64(4));
}
)");
}

TEST_CASE("an impl a recipe generates is printed with the trait spelled in full", "[expand]") {
  CHECK(printed("struct P { a:u8; b:u8; }\nderive eq for P;\n") ==
        R"(impl std.core.Eq for P {
  fn same(a:ro<P>, b:ro<P>) -> bool {
    return (std.core.Eq.same(a.a, b.a) && std.core.Eq.same(a.b, b.b));
  }
}
)");
}
