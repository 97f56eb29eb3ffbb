// What crosses between a host and a program, and what is refused at the border.
#include <array>

#include "tests/embedding/host.hpp"

using namespace cairn::test;

TEST_CASE("scalars of every width cross both ways", "[embedding]") {
  Host host;
  cairn_module* module = host.load(R"(
fn a(x:u8) -> u8 = x + 1;
fn b(x:i16) -> i16 = x - 1;
fn c(x:f32) -> f32 = x * 0.5;
fn d(x:bool) -> bool = !x;
fn e(x:i32, y:u64) -> i64 = i64(x) + i64(y);
fn f(x:f64) -> f64 = sqrt(x);
fn g(x:f16) -> f32 = f32(x);
enum Colour { Red; Green; Blue; }
fn h(x:Colour) -> u32 { match x { Red => return 10; Green => return 20; Blue => return 30; } }
fn k() {}
)");
  REQUIRE(module != nullptr);
  CHECK(call(module, "a", {u64(254)}).result.as.u64 == 255);
  CHECK(call(module, "b", {i64(-7)}).result.as.i64 == -8);
  cairn_value half{};
  half.kind = CAIRN_F32;
  half.as.f32 = 3.0F;
  CHECK(call(module, "c", {half}).result.as.f32 == 1.5F);
  cairn_value yes{};
  yes.kind = CAIRN_BOOL;
  yes.as.boolean = true;
  CHECK_FALSE(call(module, "d", {yes}).result.as.boolean);
  CHECK(call(module, "e", {i64(-3), u64(10)}).result.as.i64 == 7);
  cairn_value nine{};
  nine.kind = CAIRN_F64;
  nine.as.f64 = 9;
  CHECK(call(module, "f", {nine}).result.as.f64 == 3.0);
  cairn_value bits{};
  bits.kind = CAIRN_F16;
  bits.as.u64 = 0x4200;
  CHECK(call(module, "g", {bits}).result.as.f32 == 3.0F);
  CHECK(call(module, "h", {u64(2)}).result.as.u64 == 30);
  CHECK(call(module, "k").status == CAIRN_OK);
}

TEST_CASE("a value that does not fit its parameter is the host's mistake and harms nothing", "[embedding]") {
  Host host;
  cairn_module* module = host.load("fn a(x:u8) -> u8 = x;\nfn b(x:i8) -> i8 = x;\nfn c(x:f64) -> f64 = x;\n");
  REQUIRE(module != nullptr);
  CHECK(call(module, "a", {u64(256)}).status == CAIRN_BAD_ARGUMENT);
  CHECK(std::string(cairn_problem(module)) == "x 256 does not fit u8");
  CHECK(call(module, "a", {i64(-1)}).status == CAIRN_BAD_ARGUMENT);
  CHECK(call(module, "b", {i64(-129)}).status == CAIRN_BAD_ARGUMENT);
  CHECK(call(module, "b", {u64(128)}).status == CAIRN_BAD_ARGUMENT);
  CHECK(call(module, "c", {u64(1)}).status == CAIRN_BAD_ARGUMENT);
  CHECK(call(module, "a", {}).status == CAIRN_BAD_ARGUMENT);
  CHECK(call(module, "a", {u64(1), u64(2)}).status == CAIRN_BAD_ARGUMENT);
  CHECK(call(module, "b", {i64(-128)}).result.as.i64 == -128);
}

TEST_CASE("views are the host's own memory, with their lengths or without", "[embedding]") {
  Host host;
  cairn_module* module = host.load(R"(
fn fill(n:usize, out:rw<u32>[n], v:u32) { for i in 0..n { out[i] = v + u32(i); } }
fn dot(n:usize, x:ro<f64>[n], y:ro<f64>[n]) -> f64 { let s = reduce + for i in n yield x[i] * y[i]; return s; }
)");
  REQUIRE(module != nullptr);
  std::array<std::uint32_t, 4> out{};
  CHECK(call(module, "fill", {view(CAIRN_U32, out.data(), 4), u64(7)}).status == CAIRN_OK);
  CHECK(out == std::array<std::uint32_t, 4>{7, 8, 9, 10});
  CHECK(call(module, "fill", {u64(3), view(CAIRN_U32, out.data(), 3), u64(1)}).status == CAIRN_OK);
  CHECK(out == std::array<std::uint32_t, 4>{1, 2, 3, 10});
  CHECK(call(module, "fill", {u64(2), view(CAIRN_U32, out.data(), 3), u64(1)}).status == CAIRN_BAD_ARGUMENT);
  CHECK(call(module, "fill", {view(CAIRN_F32, out.data(), 4), u64(1)}).status == CAIRN_BAD_ARGUMENT);
  std::array<double, 3> x = {1, 2, 3};
  CHECK(call(module, "dot", {view(CAIRN_F64, x.data(), 3), view(CAIRN_F64, x.data(), 3)}).result.as.f64 == 14.0);
  std::array<double, 2> y = {1, 2};
  CHECK(call(module, "dot", {view(CAIRN_F64, x.data(), 3), view(CAIRN_F64, y.data(), 2)}).status == CAIRN_BAD_ARGUMENT);
  CHECK(call(module, "dot", {view(CAIRN_F64, nullptr, 0), view(CAIRN_F64, nullptr, 0)}).result.as.f64 == 0.0);
}

TEST_CASE("what is lent is guarded at entry: null, alignment, overlap, tags", "[embedding]") {
  Host host;
  cairn_module* module = host.load(R"(
enum Colour { Red; Green; }
fn one(c:Colour) -> u32 { match c { Red => return 1; Green => return 2; } }
fn copy(n:usize, out:rw<u64>[n], x:ro<u64>[n]) { for i in 0..n { out[i] = x[i]; } }
fn sum(n:usize, x:ro<u64>[n], y:ro<u64>[n]) -> u64 { let s = reduce add_wrap for i in n yield x[i] + y[i]; return s; }
)");
  REQUIRE(module != nullptr);
  alignas(8) std::array<std::uint64_t, 8> memory{};
  const auto trap_of = [&](const char* name, std::initializer_list<cairn_value> arguments) {
    const Called called = call(module, name, arguments);
    if (called.status == CAIRN_TRAPPED) REQUIRE(cairn_restart(module) == CAIRN_OK);
    return called.trap;
  };
  CHECK(trap_of("copy", {view(CAIRN_U64, nullptr, 2), view(CAIRN_U64, memory.data(), 2)}) == "view_entry");
  CHECK(trap_of("copy", {view(CAIRN_U64, reinterpret_cast<char*>(memory.data()) + 4, 2),
                         view(CAIRN_U64, memory.data() + 4, 2)}) == "view_entry");
  CHECK(trap_of("copy", {view(CAIRN_U64, memory.data(), ~std::size_t{0} / 4),
                         view(CAIRN_U64, memory.data(), ~std::size_t{0} / 4)}) == "view_entry");
  CHECK(trap_of("copy", {view(CAIRN_U64, memory.data(), 3), view(CAIRN_U64, memory.data() + 2, 3)}) == "disjointness");
  CHECK(trap_of("copy", {view(CAIRN_U64, memory.data(), 3), view(CAIRN_U64, memory.data() + 3, 3)}).empty());
  CHECK(trap_of("sum", {view(CAIRN_U64, memory.data(), 3), view(CAIRN_U64, memory.data() + 1, 3)}).empty());
  CHECK(trap_of("one", {u64(2)}) == "enum_entry");
  CHECK(trap_of("one", {u64(1)}).empty());
}

TEST_CASE("records and single borrows cross as C structs and pointers", "[embedding]") {
  struct Reading {
    std::uint8_t sensor;
    double value;
    std::uint16_t flags;
  };
  Host host;
  cairn_module* module = host.load(R"(
struct Reading { sensor:u8; value:f64; flags:u16; }
fn next(r:Reading) -> Reading = Reading(r.sensor + 1, r.value * 2.0, r.flags);
fn raise(r:rw<Reading>, by:ro<f64>) { r.value += by; r.flags = 9; }
fn count(k:rw<i16>) { k -= 300; }
fn flags(n:usize, all:ro<Reading>[n]) -> u64 { let s = reduce add_wrap for i in n yield u64(all[i].flags); return s; }
)");
  REQUIRE(module != nullptr);
  Reading reading{1, 1.25, 4};
  Reading after{};
  cairn_value argument{};
  argument.kind = CAIRN_RECORD;
  argument.as.memory = {&reading, sizeof(reading)};
  cairn_value result{};
  result.kind = CAIRN_RECORD;
  result.as.memory = {&after, sizeof(after)};
  REQUIRE(cairn_call(cairn_find(module, "next"), &argument, 1, &result, nullptr) == CAIRN_OK);
  CHECK(after.sensor == 2);
  CHECK(after.value == 2.5);
  CHECK(after.flags == 4);
  double by = 0.5;
  REQUIRE(call(module, "raise", {borrow(CAIRN_RECORD, &after), borrow(CAIRN_F64, &by)}).status == CAIRN_OK);
  CHECK(after.value == 3.0);
  CHECK(after.flags == 9);
  std::int16_t k = 5;
  REQUIRE(call(module, "count", {borrow(CAIRN_I16, &k)}).status == CAIRN_OK);
  CHECK(k == -295);
  std::array<Reading, 3> many = {Reading{0, 0, 1}, Reading{0, 0, 2}, Reading{0, 0, 3}};
  CHECK(call(module, "flags", {view(CAIRN_RECORD, many.data(), 3)}).result.as.u64 == 6);
  CHECK(cairn_parameter_at(cairn_find(module, "next"), 0).size == sizeof(Reading));
}

TEST_CASE("functions tell their signatures, rows and parameters; what cannot cross is not there", "[embedding]") {
  Host host;
  cairn_module* module = host.load(R"(
fn area(w:u64, h:u64) -> u64 = w * h;
fn scale(n:usize, out:rw<f32>[n], k:f32) { for i in 0..n { out[i] = out[i] * k; } }
fn owner(b:Buf[u8]) -> usize = len(b);
fn generic[T:copy](x:T) -> T = x;
fn twice[T:copy](x:T) -> T = generic(x);
fn main() -> i32 { return i32(twice(3)) - 3; }
)");
  REQUIRE(module != nullptr);
  CHECK(cairn_find(module, "owner") == nullptr);
  CHECK(cairn_find(module, "main") == nullptr);
  CHECK(cairn_find(module, "nothing") == nullptr);
  cairn_function* scale = cairn_find(module, "scale");
  REQUIRE(scale != nullptr);
  CHECK(std::string(cairn_function_signature(scale)) == "(n:usize, out:rw<f32>[n], k:f32)");
  CHECK(std::string(cairn_function_effects(scale)).find("write:out") != std::string::npos);
  const cairn_parameter out = cairn_parameter_at(scale, 1);
  CHECK(out.kind == CAIRN_VIEW);
  CHECK(out.element == CAIRN_F32);
  CHECK(out.writable);
  CHECK(out.extent_of == 0);
  CHECK(std::string(cairn_function_signature(cairn_find(module, "area"))) == "(w:u64, h:u64) -> u64");
  std::int32_t status = -1;
  CHECK(cairn_run_main(module, &status) == CAIRN_OK);
  CHECK(status == 0);
}

TEST_CASE("a refused program gives its diagnostics as data", "[embedding]") {
  Host host;
  cairn_diagnostics* diagnostics = nullptr;
  const std::string text = "fn f() -> u64 = true;\nfn g() { let x = y; }\n";
  CHECK(cairn_load_source(host.vm.get(), "wrong.cairn", text.data(), text.size(), &diagnostics) == nullptr);
  REQUIRE(cairn_diagnostics_count(diagnostics) == 2);
  const cairn_diagnostic first = cairn_diagnostics_at(diagnostics, 0);
  CHECK(std::string(first.code) == "E-TYPE-MISMATCH");
  CHECK(std::string(first.file) == "wrong.cairn");
  CHECK(first.line == 1);
  CHECK(std::string(cairn_diagnostics_text(diagnostics)).find("error[E-TYPE-MISMATCH]") == 0);
  CHECK(std::string(cairn_diagnostics_json(diagnostics)).find("\"E-UNBOUND\"") != std::string::npos);
  cairn_diagnostics_free(diagnostics);
  CHECK(host.load("fn main() -> i32 { return 0; }\xff") == nullptr);
  CHECK(host.refused == "E-PROJECT-OR-ENVIRONMENT");
}
