// What is said about accepted programs: receipts, doc, graph, explain, find, layouts (tools, 3.9 to 3.12 and 7;
// memory, 11.6).
#include <catch2/catch.hpp>

#include <string>

#include <nlohmann/json.hpp>

#include "frontend/check/layout_algebra.hpp"
#include "frontend/report/doc.hpp"
#include "frontend/report/explain.hpp"
#include "frontend/report/find.hpp"
#include "frontend/report/layout_report.hpp"
#include "frontend/report/module_graph.hpp"
#include "frontend/report/receipt.hpp"
#include "frontend/report/word_match.hpp"
#include "tests/check/checked_source.hpp"

using namespace cairn;
using Json = nlohmann::ordered_json;

TEST_CASE("a function's record lists its row, its calls and the sites that need a guard", "[report]") {
  CheckedSource program(R"(
fn mix(a:u64, b:u64) -> u64 = shr(a ^ b, 3) + (a & b);
fn first(n:usize, xs:ro<u32>[n]) -> u32 = xs[0];
fn half(x:f32) -> f32 = f32(f16(x));
fn main() -> i32 {
  let n:usize = 4;
  buffer xs:u32[n] = zeroed;
  let f = first(n, xs);
  let m = mix(6, 3);
  return 0;
}
)");
  REQUIRE(program.verdict() == "accepted");
  const Json receipt = frontend_receipt(program.compilation, {"0", "s", "g", "r"});
  CHECK(receipt["function_count"] == 4);
  CHECK(receipt["formal_status"] == "not-verified");
  const Json& functions = receipt["functions"];
  CHECK(functions["mix"]["effects"] == Json({"trap"}));
  CHECK(functions["mix"]["syntactic_check_sites"].dump() == R"({"overflow":1,"shift":1})");
  CHECK(functions["first"]["effects"].dump() == R"(["ffi_precondition","read:xs","trap"])");
  CHECK(functions["first"]["syntactic_check_sites"]["view_entry"] == 1);
  CHECK(functions["main"]["calls"].dump() == R"(["first","mix"])");
  CHECK(functions["main"]["heap_allocations"] == 1);
  CHECK(functions["main"]["local_storage"][0]["capacity"] == "n");
  CHECK(
      functions["half"]["numerics"][0].dump() ==
      R"({"line":4,"op":"convert","from":"f32","to":"f16","rounding":"nearest-even","overflow":"infinity","nan":"nan"})");
  CHECK_FALSE(functions["mix"].contains("numerics"));
}

TEST_CASE("an interface's digest changes with a signature or a row, not with a body", "[report]") {
  const auto digest = [](const std::string& body) {
    CheckedSource program("module m;\npub fn f(x:u64) -> u64 " + body + "\n");
    REQUIRE(program.verdict() == "accepted");
    return module_interfaces(program.compilation)["m"]["interface_sha256"].get<std::string>();
  };
  CHECK(digest("= x + 1;") == digest("= x + 2;"));
  CHECK(digest("= x + 1;") != digest("= x;"));
}

TEST_CASE("implementations and derivations are recorded", "[report]") {
  CheckedSource program(R"(
struct Pin { port:u8; }
derive wire for Pin;
fn f(n:usize) -> usize = 0;
fn g[K:nat](n:usize) -> usize implements f when n % K == 0 tune K in [2, 4] = K;
plan f use g[4];
fn unused[T](x:T) -> T = x;
)");
  REQUIRE(program.verdict() == "accepted");
  const Json receipt = frontend_receipt(program.compilation, {});
  CHECK(receipt["wire_derivations"].dump() == R"(["Pin"])");
  CHECK(receipt["derivations"][0].dump() == R"({"module":"","recipe":"wire","naturals":[],"for":"Pin"})");
  CHECK(receipt["uninstantiated_templates"].dump() == R"(["unused"])");
  CHECK(receipt["functions"]["g[4]"]["implements"] == "f");
  CHECK(receipt["functions"]["g[4]"]["instance_of"] == "g");
  CHECK(receipt["functions"]["f"]["implementations"]["selected"] == "g[4]");
}

TEST_CASE("doc shows exported declarations with their comments and rows", "[report]") {
  CheckedSource program(R"(// Measures of floors.
module floors;

// Floor area in whole cells.
pub fn cells(w:u32, h:u32) -> u32 = w * h;
fn hidden() -> bool = true;
pub struct Plan { w:u32; h:u32; }
)");
  REQUIRE(program.verdict() == "accepted");
  const auto pages = doc_pages(program.compilation, {});
  REQUIRE(pages.size() == 1);
  CHECK(pages[0].markdown == R"(# floors

Measures of floors.

```cairn
// Floor area in whole cells.
pub fn cells(w:u32, h:u32) -> u32  // effects: trap
```

```cairn
pub struct Plan { w:u32; h:u32; }
```
)");
}

TEST_CASE("the module graph orders a module after what it imports", "[report]") {
  CheckedSource program(
      "module app;\nimport lib;\npub fn f() -> u64 = lib.g();\nmodule lib;\npub fn g() -> u64 = 3;\n");
  REQUIRE(program.verdict() == "accepted");
  const Json graph = module_graph(program.compilation, true);
  CHECK(graph["order"].dump() == R"(["lib","app"])");
  CHECK(graph["modules"]["app"]["imports"].dump() == R"(["lib"])");
  CHECK(graph["modules"]["lib"]["dependents"].dump() == R"(["app"])");
  CHECK(graph["modules"]["lib"]["exports"].dump() == R"(["g"])");
  CHECK(graph["modules"]["lib"].contains("interface_sha256"));
  CHECK(graph["files"][0]["modules"].dump() == R"(["app","lib"])");
}

TEST_CASE("explain counts guards by line and names what allocates and costs", "[report]") {
  CheckedSource program(
      "fn f(n:usize) -> u64 {\n  let b = Buf[u64](n);\n  say(b[0] + 1);\n  return 0;\n}\nfn say(x:u64) { println(x); "
      "}\n");
  REQUIRE(program.verdict() == "accepted");
  const Json f = explanation(program.compilation)["functions"]["f"];
  CHECK(f["guards"]["sites"].dump() == R"({"allocation":1,"bounds":1,"overflow":1})");
  CHECK(f["guards"]["by_line"]["3"].dump() == R"({"bounds":1,"overflow":1})");
  CHECK(f["allocations"][0].dump() == R"({"what":"Buf","type":"Buf[u64]","line":2,"owner":"b"})");
  CHECK(f["costly_calls"][0].dump() == R"({"call":"say","line":3,"costs":["io"]})");
}

namespace {

/// How many guards of `fn f` are proved unable to fail, by kind.
std::string discharged(const std::string& text) {
  CheckedSource program(text);
  REQUIRE(program.verdict() == "accepted");
  const Json receipt = frontend_receipt(program.compilation, {"0", "s", "g", "r"});
  return receipt["functions"]["f"]["discharged_check_sites"].dump();
}

}  // namespace

TEST_CASE("a guard is discharged where the facts prove it, and not where they nearly do", "[report]") {
  const std::string head = "fn f(n:usize, a:rw<u64>[n]) { ";
  CHECK(discharged(head + "for i in 0..n { a[i] = 1; } }") == R"({"bounds":1})");
  CHECK(discharged(head + "for i in 0..n { let j = i + 1; a[j] = 1; } }") == R"({"overflow":1})");
  CHECK(discharged(head + "for i in 1..n { a[i - 1] = 1; } }") == R"({"bounds":1,"overflow":1})");
  CHECK(discharged(head + "for i in 0..n { a[i - 1] = 1; } }") == R"({"bounds":1})");
  CHECK(discharged(head + "for i in 0..n { a[i + 1] = 1; } }") == R"({"overflow":1})");
  CHECK(discharged(head + "if n > 3 { a[3] = 1; } }") == R"({"bounds":1})");
  CHECK(discharged(head + "if n > 3 || n == 2 { a[3] = 1; } }") == "{}");
  CHECK(discharged(head + "if n > 3 && a[3] == 0 { a[2] += 1; } }") == R"({"bounds":2})");
  CHECK(discharged(head + "let mut i:usize = 0; while i < n { a[i] = 1; i += 1; } }") == "{}");
  CHECK(discharged("fn f(n:usize, a:rw<u64>[n]) { parallel i in n { a[i] = 1; } }") == R"({"bounds":1})");
  CHECK(discharged("fn f(x:u64) -> u64 = x / 3;") == R"({"division":1})");
  CHECK(discharged("fn f(x:u64, y:u64) -> u64 = x / y;") == "{}");
  CHECK(discharged("fn f(x:i64) -> i64 = x % 3;") == R"({"division":1})");
  CHECK(discharged("fn f(x:i64) -> i64 = x / -1;") == "{}");
  CHECK(discharged("fn f(x:u64) -> u8 = u8(x & 255);") == R"({"conversion":1})");
  CHECK(discharged("fn f(x:u64) -> u8 = u8(x & 256);") == "{}");
  CHECK(discharged("fn f(x:u32, k:usize) -> u32 = shr(x, k & 31);") == R"({"shift":1})");
  CHECK(discharged("fn f(x:u32, k:usize) -> u32 = shr(x, k & 32);") == "{}");
}

TEST_CASE("a guard stays where what its proof rests on may have changed since, or is said of something else",
          "[report]") {
  // Each pair: the proof holds at the access, and does not quite.
  const auto bounds = [](const std::string& text) { return discharged(text) == R"({"bounds":1})"; };
  const std::string on_view = "fn f(n:usize, a:ro<u64>[n], i:usize) -> u64 { ";
  CHECK(bounds(on_view + "if i < n { return a[i]; } return 0; }"));
  CHECK_FALSE(bounds(on_view + "let mut k = i; if k < n { return a[k]; } return 0; }"));
  CHECK(bounds(on_view + "if i >= n { return 1; } return a[i]; }"));
  CHECK_FALSE(bounds(on_view + "if i >= n { println(i); } return a[i]; }"));
  CHECK(bounds(on_view + "while true { if i >= n { break; } return a[i]; } return 0; }"));
  CHECK_FALSE(bounds(on_view + "while true { if i >= n { break; } } return a[i]; }"));
  CHECK(bounds(on_view + "if !(i >= n || n == 3) { return a[i]; } return 0; }"));
  CHECK_FALSE(bounds(on_view + "if !(i >= n && n == 3) { return a[i]; } return 0; }"));
  CHECK(bounds(on_view + "if i >= n || a[i] == 0 { return 1; } return 0; }"));
  CHECK_FALSE(bounds(on_view + "if i < n || a[i] == 0 { return 1; } return 0; }"));
  CHECK_FALSE(bounds(on_view + "if sub_wrap(i, 1) < n { return a[i]; } return 0; }"));
  CHECK_FALSE(bounds(on_view + "for k in 0..add_wrap(n, 1) { if a[k] == 1 { return 1; } } return 0; }"));

  const std::string on_buf = "fn f(i:usize) -> u64 { ";
  CHECK(bounds(on_buf + "let b = Buf[u64](8); if i < len(b) { return b[i]; } return 0; }"));
  CHECK_FALSE(bounds(on_buf + "let mut b = Buf[u64](8); if i < len(b) { b = Buf[u64](1); return b[i]; } return 0; }"));
  CHECK_FALSE(bounds(on_buf + "let mut b = Buf[u64](8); if i < len(b) { let c = take(b); return b[i]; } return 0; }"));

  const std::string pair = "struct P { k:usize; } ";
  CHECK(bounds(pair + "fn f(n:usize, a:ro<u64>[n], p:ro<P>) -> u64 { if p.k < n { return a[p.k]; } return 0; }"));
  CHECK_FALSE(bounds(pair + "fn f(n:usize, a:ro<u64>[n], p:rw<P>) -> u64 { if p.k < n { return a[p.k]; } return 0; }"));

  // A closure may run when what was known where it stands no longer holds.
  const std::string later = "fn g(r:ro<fn() -> u64>) -> u64 { return r(); } ";
  CHECK_FALSE(bounds(later + on_view + "if i < n { let x = g(|| -> u64 { return a[i]; }); return x; } return 0; }"));

  // An element that is read in a lane is that of the lane's extent, not of another array.
  CHECK(bounds("fn f(n:usize, a:ro<u64>[n]) -> u64 { let s = reduce ^ for i in n yield a[i]; return s; }"));
  CHECK_FALSE(
      bounds("fn f(n:usize, m:usize, a:ro<u64>[n]) -> u64 { let s = reduce ^ for i in m yield a[i]; return s; }"));

  CHECK(discharged("fn f(x:i64, k:usize) -> i64 { if k > 0 { return x / 3; } return 0; }") == R"({"division":1})");
  CHECK(discharged("fn f(x:u64, k:u64) -> u64 { if k > 0 { return x / k; } return 0; }") == "{}");
  CHECK(discharged("fn f(x:i64) -> u8 { return u8(min(x, 200)); }") == "{}");
  CHECK(discharged("fn f(x:u64) -> u8 { return u8(min(x, 200)); }") == R"({"conversion":1})");
  CHECK(discharged("fn f(x:i8) -> i8 = x / -1;") == "{}");
}

TEST_CASE("what is searched for proofs in one body is bounded", "[report]") {
  std::string body = "fn f(n:usize, a:rw<u64>[n]) -> usize {\n  let x0 = n % 7;\n  let x1 = n % 5;\n";
  constexpr int kSums = 3000;
  for (int i = 2; i < kSums; ++i) {
    body +=
        "  let x" + std::to_string(i) + " = x" + std::to_string(i - 1) + " / 2 + x" + std::to_string(i - 2) + " / 2;\n";
  }
  CheckedSource program(body + "  return x9;\n}\nfn g(n:usize) -> usize {\n  let x = n % 7;\n  return x + 1;\n}\n");
  REQUIRE(program.verdict() == "accepted");
  const Json functions = frontend_receipt(program.compilation, {"0", "s", "g", "r"})["functions"];
  const int proved = functions["f"]["discharged_check_sites"]["overflow"].get<int>();
  CHECK(proved > 0);
  CHECK(proved < kSums - 2);
  CHECK(functions["g"]["discharged_check_sites"]["overflow"].get<int>() == 1);
}

TEST_CASE("unsafe blocks are counted wherever they stand", "[report]") {
  CheckedSource program(
      "extern \"abs\" fn magnitude(x:i32) -> i32 effects();\n"
      "fn call(g:ro<fn(i32) -> i32>) -> i32 = g(3);\n"
      "fn f(n:usize) -> i32 {\n  if n > 1 { unsafe { unsafe { } } }\n"
      "  return call(|x:i32| -> i32 { unsafe { return magnitude(x); } });\n}\n");
  REQUIRE(program.verdict() == "accepted");
  const Json receipt = frontend_receipt(program.compilation, {"0", "s", "g", "r"});
  CHECK(receipt["functions"]["f"]["syntactic_check_sites"]["unsafe_blocks"] == 3);
}

TEST_CASE("find matches words after stemming, types of a call, and effects", "[report]") {
  CHECK(stemmed_words("runLengths of_words") == std::vector<std::string>{"run", "length", "of", "word"});
  CHECK(stemmed_words("running runs run") == std::vector<std::string>{"run", "run", "run"});
  CheckedSource program(R"(
// Sums the parcels of a view.
fn parcel_total(n:usize, xs:ro<u64>[n]) -> u64 { let mut s:u64 = 0; for x in xs { s += x; } return s; }
// Prints a parcel.
fn show(x:u64) { println(x); }
fn same_of[T:copy](x:T) -> T = x;
fn parsed(n:usize, s:ro<u8>[n]) -> Outcome[u64] = Outcome.Bad;
enum Outcome[T] { Good(T); Bad; }
)");
  REQUIRE(program.verdict() == "accepted");
  const auto names = [&](const FindQuery& query) {
    std::string all;
    for (const FindHit& hit : find_declarations(program.compilation, query).hits) all += hit.name + " ";
    return all;
  };
  CHECK(names({.words = {"parcels"}, .takes = {}, .returns = {}, .effects = {}}) == "parcel_total show ");
  CHECK(names({.words = {"total"}, .takes = {}, .returns = {}, .effects = {}}) == "parcel_total ");
  CHECK(names({.words = {}, .takes = {"Buf[u64]"}, .returns = {"u64"}, .effects = {}}) == "parcel_total ");
  CHECK(names({.words = {}, .takes = {"u16"}, .returns = {"u16"}, .effects = {}}) == "same_of ");
  CHECK(names({.words = {"parcel"}, .takes = {}, .returns = {}, .effects = {"pure"}}) == "parcel_total ");
  CHECK_THROWS_AS(names({.words = {}, .takes = {"Buf["}, .returns = {}, .effects = {}}), Refusal);
}

TEST_CASE("a receipt lists typed assembly and what it needs of a machine", "[report]") {
  CheckedSource program(R"(
fn next(x:u64) -> u64 {
  unsafe {
    asm volatile x86_64 "incq %0" (out y:u64 = x) clobbers(rax) effects(fence);
    return y;
  }
}
)");
  REQUIRE(program.verdict() == "accepted");
  const Json record = frontend_receipt(program.compilation, {});
  CHECK(record["requires"].dump() == R"(["asm:x86_64"])");
  CHECK(record["functions"]["next"]["assembly"].dump() ==
        R"([{"target":"x86_64","line":4,"volatile":true,"effects":["fence"],"clobbers":["rax"]}])");
}

TEST_CASE("a spread's runs and bank ways are those of its storage", "[report][layouts]") {
  Arena arena;
  const auto column = [&](const layout_algebra::Result& tile) {
    return *layout_algebra::spread(arena, *tile, 32, 1, 1, 1);
  };
  CHECK(bank_ways(column(layout_algebra::rows(arena, 32, 32)), 4) == 32);
  CHECK(bank_ways(column(layout_algebra::pad(arena, *layout_algebra::rows(arena, 32, 32), 1)), 4) == 1);
  CHECK(bank_ways(column(layout_algebra::swizzle(*layout_algebra::rows(arena, 32, 32), 5, 0, 5)), 4) == 1);
  const auto wide = *layout_algebra::spread(arena, *layout_algebra::rows(arena, 8, 32), 8, 4, 1, 8);
  CHECK(run_length(wide, 2) == 8);
  CHECK(run_length(wide, 4) == 4);
  CHECK(run_length(wide, 8) == 2);
  const Json record = layout_record(*layout_algebra::rows(arena, 6, 8));
  CHECK(
      record.dump() ==
      R"({"kind":"storage","shape":[6,8],"cosize":48,"modes":[[[6,8]],[[8,1]]],"swizzle":null,"injective":true,"affine":"row-major, leading dimension 8"})");
}

TEST_CASE("explain says what converting one spread to another takes", "[report][layouts]") {
  CheckedSource program(R"(
layout T = rows(32, 32);
layout A = spread(T, 32, 1, 1, 1);
layout B = spread(T, 1, 32, 1, 1);
layout C = spread(T, 32, 1, 1, 2);
)");
  REQUIRE(program.verdict() == "accepted");
  const Json layouts = explanation(program.compilation)["layouts"];
  CHECK(layouts["A"]["conversions"]["B"] == "shuffle");
  CHECK(layouts["A"]["conversions"]["C"] == "none");
  CHECK(layouts["A"]["owners"].size() == 32);
}
