// The parts of `cairn audit`: roles, operands, folders, verdicts.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/cli/scratch.hpp"
#include "vm/audit/judge.hpp"
#include "vm/audit/npy.hpp"
#include "vm/audit/operands.hpp"

namespace cairn::audit {
namespace {

namespace ref = reference;

/// The binding of function `f` of a program, or why it has none.
std::expected<Binding, Diagnostic> bound(std::string_view program, std::optional<Form> form = {},
                                         const std::map<std::string, std::string>& roles = {}) {
  static Scratch scratch;
  static std::vector<std::unique_ptr<Session>> sessions;  // what a binding points to
  sessions.push_back(scratch.open(program));
  Session& session = *sessions.back();
  REQUIRE(session.accepted());
  const checked::Function* function = function_named(session.compilation(), "f");
  REQUIRE(function != nullptr);
  return audit::bind(*function, session.compilation().names, form, roles);
}

bool is_audit_refusal(const std::expected<Binding, Diagnostic>& binding) {
  return !binding && binding.error().code == Code::Audit;
}

Problem product(std::size_t m, std::size_t n, std::size_t k) {
  Problem made;
  made.sizes = {{"m", m}, {"n", n}, {"k", k}};
  return made;
}

}  // namespace

TEST_CASE("parameters play their roles by name, and lengths are extents", "[audit]") {
  const auto binding = bound(
      "fn f(m:usize, k:usize, an:usize, a:ro<f16>[an], bn:usize, b:ro<bf16>[bn], cn:usize, c:rw<f32>[cn]) { c[0] = "
      "1.0; }\n");
  REQUIRE(binding.has_value());
  CHECK(binding->form == Form::Matmul);
  CHECK(binding->has_size("m"));
  CHECK_FALSE(binding->has_size("n"));
  CHECK(binding->view("a")->format == ref::Format::F16);
  CHECK(binding->view("b")->format == ref::Format::Bf16);
  CHECK(binding->parameters[2].kind == Binding::Kind::Length);
  CHECK(binding->parameters[2].role == "a");
}

TEST_CASE("the form is the one whose views the function has", "[audit]") {
  const std::string views = "qn:usize, query:ro<f32>[qn], kn:usize, key:ro<f32>[kn], vn:usize, value:ro<f32>[vn]";
  CHECK(bound("fn f(" + views + ", on:usize, out:rw<f32>[on]) { out[0] = 1.0; }\n")->form == Form::Attention);
  CHECK(
      bound("fn f(" + views + ", gn:usize, grad:ro<f32>[gn], on:usize, grad_key:rw<f32>[on]) { grad_key[0] = 1.0; }\n")
          ->form == Form::AttentionBackward);
  CHECK(is_audit_refusal(bound("fn f(" + views + ") {}\n")));
  CHECK(is_audit_refusal(bound("fn f(" + views + ", gn:usize, grad:ro<f32>[gn]) {}\n")));  // it writes nothing
}

TEST_CASE("a role can be given to any parameter", "[audit]") {
  const std::string program =
      "fn f(rows:usize, xn:usize, x:ro<f32>[xn], yn:usize, y:ro<f32>[yn], on:usize, out:rw<f32>[on]) { out[0] = 1.0; "
      "}\n";
  CHECK(is_audit_refusal(bound(program)));
  const std::map<std::string, std::string> roles = {{"m", "rows"}, {"a", "x"}, {"b", "y"}, {"c", "out"}};
  CHECK(bound(program, {}, roles).has_value());
  auto wrong = roles;
  wrong["q"] = "x";
  CHECK(bound(program, Form::Matmul, wrong).error().code != Code::Audit);  // there is no such role
  auto fewer = roles;
  fewer.erase("m");
  CHECK(is_audit_refusal(bound(program, {}, fewer)));  // rows plays none
}

TEST_CASE("what cannot play a role is refused beside what can", "[audit]") {
  const auto with = [](const std::string& a, const std::string& c) {
    return bound("fn f(an:usize, a:" + a + "[an], bn:usize, b:ro<f32>[bn], cn:usize, c:" + c + "[cn]) {}\n");
  };
  CHECK(with("ro<f32>", "rw<f32>").has_value());
  CHECK(is_audit_refusal(with("ro<u32>", "rw<f32>")));
  CHECK(is_audit_refusal(with("rw<f32>", "rw<f32>")));
  CHECK(is_audit_refusal(with("ro<f32>", "ro<f32>")));
  CHECK(is_audit_refusal(bound("fn f(a:f32, bn:usize, b:ro<f32>[bn], cn:usize, c:rw<f32>[cn]) {}\n")));
}

TEST_CASE("operands come of splitmix64, one word an element", "[audit]") {
  // The first words of seed 0, as the generator's authors give them.
  const std::uint64_t words[] = {0xe220a8397b1dcdafULL, 0x6e789e6aa1b965f4ULL, 0x06c45d188009454fULL};
  const Case uniform =
      generated(product(1, 1, 2), {{"a", ref::Format::F64}, {"b", ref::Format::F64}, {"c", ref::Format::F64}},
                Inputs::Uniform, 0);
  const auto u = [&](int i) { return static_cast<double>(words[i] >> 11) * 0x1p-53; };
  CHECK(uniform.arrays.at("a").at(0) == ref::Value::of(2 * u(0) - 1));
  CHECK(uniform.arrays.at("a").at(1) == ref::Value::of(2 * u(1) - 1));
  CHECK(uniform.arrays.at("b").at(0) == ref::Value::of(2 * u(2) - 1));
  CHECK_FALSE(uniform.arrays.contains("c"));
  CHECK_FALSE(uniform.arrays.contains("old"));
  const Case wide = generated(product(1, 1, 1), {{"a", ref::Format::F64}, {"b", ref::Format::F64}}, Inputs::Wide, 0);
  const int q = static_cast<int>((words[0] >> 1) % 21) - 10;
  CHECK(wide.arrays.at("a").at(0) == ref::Value::of(-(1 + u(0))).scaled(q));
  Problem onto = product(1, 1, 1);
  onto.onto = true;
  const Case old =
      generated(onto, {{"a", ref::Format::F16}, {"b", ref::Format::F16}, {"c", ref::Format::F32}}, Inputs::Positive, 0);
  CHECK(old.arrays.at("old").at(0) ==
        ref::round(ref::Value::of(u(2)), ref::Format::F32, ref::Rounding::NearestEven, ref::Overflow::Saturate, false));
}

TEST_CASE("cancelling products come in pairs of opposite signs", "[audit]") {
  const Case made =
      generated(product(2, 2, 4), {{"a", ref::Format::F32}, {"b", ref::Format::F32}}, Inputs::Cancelling, 3);
  const ref::Array& a = made.arrays.at("a");
  const ref::Array& b = made.arrays.at("b");
  CHECK(a.at(1) == a.at(0).negated());
  CHECK(a.at(7) == a.at(6).negated());
  CHECK(b.at(2) == b.at(0));
  const auto exact = ref::matmul({&a, &b}, {});
  CHECK(exact->rounded().at(3).is_zero());
}

TEST_CASE("a folder holds what was written, and a part that is missing is told", "[audit]") {
  Scratch scratch;
  Problem problem = product(1, 2, 3);
  problem.onto = true;
  Case arrays = generated(problem, {{"a", ref::Format::F16}, {"b", ref::Format::F8E4M3}, {"c", ref::Format::F32}},
                          Inputs::Uniform, 1);
  arrays.arrays.emplace("c", ref::Array(ref::Format::F32, {1, 2}));
  REQUIRE_FALSE(write_folder(scratch.path() / "saved", problem, arrays).has_value());
  const auto back = read_folder(scratch.path() / "saved");
  REQUIRE(back.has_value());
  CHECK(back->problem.onto);
  CHECK(back->arrays.arrays.at("b").at(5) == arrays.arrays.at("b").at(5));
  CHECK(back->arrays.arrays.at("old").at(1) == arrays.arrays.at("old").at(1));
  std::filesystem::resize_file(scratch.path() / "saved" / "a.bin", 5);
  CHECK_FALSE(read_folder(scratch.path() / "saved").has_value());
  std::filesystem::remove(scratch.path() / "saved" / "a.bin");
  CHECK_FALSE(read_folder(scratch.path() / "saved").has_value());
  for (
      const char* text :
      {"", "{}", R"({"schema":"cairn.audit-arrays/1","form":"sum"})",
       R"({"schema":"cairn.audit-arrays/1","form":"matmul","sizes":{"m":1,"n":1},"arrays":{}})",
       R"({"schema":"cairn.audit-arrays/1","form":"matmul","sizes":{"m":1,"n":1,"k":1},"arrays":{"a":{"format":"f32","file":"../a.bin"}}})"}) {
    scratch.write("bad/audit.json", text);
    CHECK_FALSE(read_folder(scratch.path() / "bad").has_value());
  }
}

namespace {

/// A file of NumPy: its header as written, padded as NumPy does, and so many bytes of elements.
std::string npy(const std::string& header, std::size_t bytes, char major = 1) {
  std::string text = header;
  while ((10 + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string made = std::string("\x93NUMPY") + major + '\0';
  for (std::size_t k = 0; k < (major == 1 ? 2U : 4U); ++k) made += static_cast<char>(text.size() >> (8 * k) & 255U);
  return made + text + std::string(bytes, '\0');
}

std::string described(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}

}  // namespace

TEST_CASE("a file of NumPy is read in C order, of the shape and type it is asked for", "[audit]") {
  using ref::Format;
  const auto read = [](const std::string& file, Format format, const ref::Shape& shape, bool boolean = false) {
    return npy_elements(file, format, boolean, shape).has_value();
  };
  CHECK(read(npy(described("'<f4'", "False", "(2, 3)"), 24), Format::F32, {2, 3}));
  CHECK(read(npy(described("'<f4'", "False", "(2, 3)"), 24, 2), Format::F32, {2, 3}));
  CHECK(read(npy(described("'<f4'", "False", "(2, 3)"), 24, 3), Format::F32, {2, 3}));
  CHECK(read(npy("{\"shape\":(2,3),\"fortran_order\":False,\"descr\":\"<f4\"}", 24), Format::F32, {2, 3}));
  CHECK(read(npy(described("'<f2'", "False", "(4, 1)"), 8), Format::F16, {4, 1}));
  CHECK(read(npy(described("'<f8'", "False", "(0, 3)"), 0), Format::F64, {0, 3}));
  CHECK(read(npy(described("'<V2'", "False", "(1, 2)"), 4), Format::Bf16, {1, 2}));
  CHECK(read(npy(described("'|V1'", "False", "(1, 2)"), 2), Format::F8E5M2, {1, 2}));
  CHECK(read(npy(described("'|b1'", "False", "(1, 2)"), 2), Format::F32, {1, 2}, true));
  const std::string whole = npy(described("'<f4'", "False", "(2, 3)"), 24);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    CHECK_FALSE(read(whole.substr(0, size), Format::F32, {2, 3}));
  }
  CHECK_FALSE(read(whole + '\0', Format::F32, {2, 3}));
  CHECK_FALSE(read(whole, Format::F32, {3, 2}));
  CHECK_FALSE(read(whole, Format::F32, {6}));
  CHECK_FALSE(read(npy(described("'>f4'", "False", "(2, 3)"), 24), Format::F32, {2, 3}));
  CHECK_FALSE(read(npy(described("'<i4'", "False", "(2, 3)"), 24), Format::F32, {2, 3}));
  CHECK_FALSE(read(npy(described("'<f8'", "False", "(2, 3)"), 48), Format::F32, {2, 3}));
  CHECK_FALSE(read(npy(described("'|b1'", "False", "(2, 3)"), 6), Format::F32, {2, 3}));
  CHECK_FALSE(read(npy(described("[('x', '<f4')]", "False", "(2, 3)"), 24), Format::F32, {2, 3}));
  CHECK_FALSE(read(npy(described("'<f4'", "True", "(2, 3)"), 24), Format::F32, {2, 3}));
  CHECK_FALSE(read(npy(described("'<f4'", "0", "(2, 3)"), 24), Format::F32, {2, 3}));
  for (const char* shape : {"(2 3)", "(2, -3)", "(2, 3.0)", "(2, 99999999999999999999)", "[2, 3]", "(6)", "()", "2, 3",
                            "(2, 3", "(,)", "(2,, 3)", "(2, 3L)", "(18446744073709551615, 18446744073709551615)"}) {
    INFO(shape);
    CHECK_FALSE(read(npy(described("'<f4'", "False", shape), 24), Format::F32, {2, 3}));
  }
  for (const char* header : {"", "{}", "{'descr': '<f4', 'fortran_order': False}", "{'descr: '<f4'",
                             "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'more': 1}",
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)} {}"}) {
    INFO(header);
    CHECK_FALSE(read(npy(header, 24), Format::F32, {2, 3}));
  }
  CHECK_FALSE(read(npy(described("'<f4'", "False", "(2, 3)"), 24, 4), Format::F32, {2, 3}));
  std::string long_header = whole;
  long_header[9] = '\x7f';  // more than the file has
  CHECK_FALSE(read(long_header, Format::F32, {2, 3}));
}

TEST_CASE("a folder's array may be a file of NumPy", "[audit]") {
  Scratch scratch;
  const Problem problem = product(1, 2, 3);
  Case arrays = generated(problem, {{"a", ref::Format::F32}, {"b", ref::Format::F32}, {"c", ref::Format::F32}},
                          Inputs::Uniform, 1);
  arrays.arrays.emplace("c", ref::Array(ref::Format::F32, {1, 2}));
  const std::filesystem::path folder = scratch.path() / "saved";
  REQUIRE_FALSE(write_folder(folder, problem, arrays).has_value());
  const std::span<const std::byte> bits = arrays.arrays.at("b").storage();
  const std::string header = npy(described("'<f4'", "False", "(3, 2)"), 0);
  std::ofstream(folder / "b.npy", std::ios::binary)
      << header << std::string(reinterpret_cast<const char*>(bits.data()), bits.size());
  std::ifstream kept(folder / "audit.json");
  std::string text{std::istreambuf_iterator<char>(kept), {}};
  text.replace(text.find("b.bin"), 5, "b.npy");
  std::ofstream(folder / "audit.json") << text;
  const auto back = read_folder(folder);
  REQUIRE(back.has_value());
  CHECK(back->arrays.arrays.at("b").at(5) == arrays.arrays.at("b").at(5));
  std::ofstream(folder / "b.npy", std::ios::binary) << header;
  CHECK_FALSE(read_folder(folder).has_value());
}

TEST_CASE("a verdict is equals, covers, refutes or void", "[audit]") {
  const auto verdict = [](const ref::Array& a, const ref::Array& b, double c, const char* row) {
    Case one;
    one.arrays = {{"a", a}, {"b", b}, {"c", ref::Array(ref::Format::F32, {1, 1})}};
    one.arrays.at("c").set(0, c);
    Rows rows;
    rows.push_back(std::move(*ref::parse_algorithm(row)));
    const auto judged = judge(product(1, 1, a.size()), {one}, rows, {}, {});
    REQUIRE(judged.has_value());
    return judged->front().verdict;
  };
  ref::Array a(ref::Format::Bf16, {1, 3});
  ref::Array b(ref::Format::Bf16, {3, 1});
  for (std::size_t i = 0; i < 3; ++i) {
    a.set(i, i == 0 ? 1.0 : 0x1p-24);
    b.set(i, 1.0);
  }
  CHECK(verdict(a, b, 1.0, "matmul_sequential(f32)") == Verdict::Equals);
  CHECK(verdict(a, b, 1 + 0x1p-23, "matmul_sequential(f32)") == Verdict::Covers);
  CHECK(verdict(a, b, 1 + 0x1p-23, "matmul_exact_accumulation(f32)") == Verdict::Equals);
  CHECK(verdict(a, b, 1.0, "matmul_exact_accumulation(f32)") == Verdict::Refutes);
  CHECK(verdict(a, b, 1.0, "mma_unordered") == Verdict::Covers);
  a.set(0, 0x1p-133);
  b.set(0, 0x1p-100);
  CHECK(verdict(a, b, 7.0, "mma_unordered") == Verdict::Void);
}

TEST_CASE("the default rows are those of the formats", "[audit]") {
  const auto rows_of = [](ref::Format a, ref::Format c) {
    Case one;
    one.arrays = {{"a", ref::Array(a, {1, 1})}, {"b", ref::Array(a, {1, 1})}, {"c", ref::Array(c, {1, 1})}};
    std::string made;
    for (const auto& row : default_rows(Form::Matmul, one, {})) made += row->spelling() + ";";
    return made;
  };
  CHECK(rows_of(ref::Format::F32, ref::Format::F64)
            .starts_with("matmul_sequential(f64);matmul_sequential(f64, fma=false);"));
  CHECK(rows_of(ref::Format::F16, ref::Format::F32).ends_with("matmul(f32);mma_unordered;"));
  CHECK(rows_of(ref::Format::F32, ref::Format::F32).ends_with("matmul_slots16(f32);matmul(f32);"));
  CHECK(rows_of(ref::Format::F64, ref::Format::F32).ends_with("matmul_slots16(f32);"));  // f32 does not hold f64
}

}  // namespace cairn::audit
