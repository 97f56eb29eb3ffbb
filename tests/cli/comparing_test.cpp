// diff, validate, tune and predict as whole commands; the answers they share with verify are tested in tests/verify.
#include "cuda/tools.hpp"
#include "tests/cli/command_line.hpp"

namespace cairn::cli {

namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

constexpr std::string_view kManifest = R"([project]
name = "sums"
sources = ["src/main.cairn"]

[build]
kind = "exe"
)";

/// A reference, an implementation that agrees with it and one that forgets the first element.
constexpr std::string_view kSums = R"(fn total(n:usize, xs:ro<u32>[n]) -> u32 {
  let mut sum:u32 = 0;
  for i in 0..n { sum = add_wrap(sum, xs[i]); }
  return sum;
}

fn backwards(n:usize, xs:ro<u32>[n]) -> u32 implements total {
  let mut sum:u32 = 0;
  for i in 0..n { sum = add_wrap(sum, xs[n - 1 - i]); }
  return sum;
}

fn forgetful(n:usize, xs:ro<u32>[n]) -> u32 implements total when n > 1 {
  let mut sum:u32 = 0;
  for i in 1..n { sum = add_wrap(sum, xs[i]); }
  return sum;
}

fn main() -> i32 = 0;
)";

}  // namespace

TEST_CASE("diff names the class of each function and the version that follows", "[cli]") {
  CommandLine cairn;
  cairn.write("old.cairn", "fn same(x:u32) -> u32 = add_wrap(x, 1);\nfn twice(x:u32) -> u32 = add_wrap(x, x);\n");
  const auto classes = [&](std::string_view text) {
    cairn.write("new.cairn", text);
    return cairn.record({"diff", "old.cairn", "new.cairn", "--no-predict"});
  };
  SECTION("renamed locals are identical code and no new version") {
    const auto told = classes("fn same(y:u32) -> u32 = add_wrap(y, 1);\nfn twice(x:u32) -> u32 = add_wrap(x, x);\n");
    CHECK(told["functions"]["same"]["class"] == "identical-code");
    CHECK(told["semver"].dump().contains("\"none\""));
  }
  SECTION("an equal function of other code is a patch") {
    const auto told = classes("fn same(x:u32) -> u32 = add_wrap(x, 1);\nfn twice(x:u32) -> u32 = mul_wrap(x, 2);\n");
    CHECK(told["functions"]["twice"]["class"] == "smt-equivalent");
    CHECK(told["semver"].dump().contains("\"patch\""));
  }
  SECTION("a function that is new is a minor version") {
    const auto told = classes(
        "fn same(x:u32) -> u32 = add_wrap(x, 1);\nfn twice(x:u32) -> u32 = add_wrap(x, x);\nfn more(x:u32) -> u32 = x "
        "^ 7;\n");
    CHECK(told["functions"]["more"]["class"] == "added");
    CHECK(told["semver"].dump().contains("\"minor\""));
  }
  SECTION("another result is a major version with the input that shows it") {
    const auto told = classes("fn same(x:u32) -> u32 = add_wrap(x, 2);\nfn twice(x:u32) -> u32 = add_wrap(x, x);\n");
    CHECK(told["functions"]["same"]["class"] == "behavior-changed");
    CHECK(told["functions"]["same"].contains("witness"));
    CHECK(told["semver"].dump().contains("\"major\""));
  }
  SECTION("a guard that is gained is a changed behaviour") {
    const auto told = classes("fn same(x:u32) -> u32 = x + 1;\nfn twice(x:u32) -> u32 = add_wrap(x, x);\n");
    CHECK(told["functions"]["same"]["class"] == "behavior-changed");
  }
  SECTION("another signature is a major version, and a function that is gone too") {
    const auto told = classes("fn same(x:u64) -> u64 = add_wrap(x, 1);\n");
    CHECK(told["functions"]["same"]["class"] == "signature-changed");
    CHECK(told["functions"]["twice"]["class"] == "removed");
    CHECK(told["semver"].dump().contains("\"major\""));
  }
}

TEST_CASE("verify compares every function of two sources, and one that differs makes the module differ", "[cli]") {
  CommandLine cairn;
  std::string old_text, new_text;
  for (int k = 0; k < 6; ++k) {
    const std::string number = std::to_string(k);
    old_text += "fn f" + number + "(x:u32) -> u32 = add_wrap(x, x) ^ " + number + ";\n";
    new_text += "fn f" + number + "(x:u32) -> u32 = shl_wrap(x, 1) ^ " + number + ";\n";
  }
  cairn.write("old.cairn", old_text);
  cairn.write("new.cairn", new_text);
  CHECK(cairn({"verify", "old.cairn", "new.cairn", "--all"}).exit_code == 0);
  cairn.write("new.cairn", new_text + "fn g(x:u32) -> u32 = x;\n");
  CHECK(cairn({"verify", "old.cairn", "new.cairn", "--all"}).exit_code != 0);
  cairn.write("new.cairn", new_text.replace(new_text.find("^ 3"), 3, "^ 2"));
  CHECK(cairn({"verify", "old.cairn", "new.cairn", "--all"}).exit_code != 0);
}

TEST_CASE("verify proves what the optimizing tier's passes make of each function of one program", "[cli]") {
  CommandLine cairn;
  cairn.write("p.cairn",
              "fn less(a:u32, b:u32) -> u32 = a - b;\nfn f(a:u32, b:u32) -> u32 { if a < b { return 0; } "
              "return less(a, b) / 4; }\n");
  const auto told = cairn.record({"verify", "--tier", "optimizing", "p.cairn"});
  CHECK(told["status"] == "refines");
  CHECK(told["functions"]["f"]["status"] == "refines");
  CHECK(told["functions"]["f"]["passes"].size() > 1);
  CHECK(cairn({"verify", "--tier", "optimizing", "p.cairn", "--symbol", "f"}).exit_code == 0);
  CHECK(cairn({"verify", "--tier", "optimizing", "p.cairn", "--symbol", "g"}).exit_code == 2);
  CHECK(cairn({"verify", "p.cairn"}).exit_code == 2);
}

TEST_CASE("validate passes a right implementation, shrinks what fails and keeps it for the next run", "[cli]") {
  CommandLine cairn;
  cairn.write("cairn.toml", kManifest);
  cairn.write("src/main.cairn", kSums);
  CHECK(cairn.record({"validate", ".", "--symbol", "backwards"})["status"] == "passed");
  const auto failed = cairn({"validate", ".", "--symbol", "forgetful", "--format", "json"});
  CHECK(failed.exit_code == 1);
  const auto told = nlohmann::json::parse(failed.out);
  CHECK(told["status"] == "failed");
  const auto& inputs = told["finite"]["failed"]["inputs"];
  CHECK(inputs["n"] == 2);  // the least that the implementation is chosen for
  CHECK(inputs["xs"] == nlohmann::json({1, 0}));
  const auto kept = nlohmann::json::parse(read(cairn.path() / "regressions" / "total.json"));
  CHECK(kept["schema"] == "cairn.regressions/1");
  CHECK(kept["reference"] == "total");
  REQUIRE(kept["cases"].size() == 1);
  CHECK(kept["cases"][0]["args"]["xs"] == nlohmann::json({1, 0}));
  // It is run first the next time, and `test` replays it where the manifest lists it.
  std::string manifest(kManifest);
  manifest.insert(manifest.find("\n[build]"), "tests = [\"regressions/total.json\"]\n");
  cairn.write("cairn.toml", manifest);
  CHECK(nlohmann::json::parse(cairn({"validate", ".", "--symbol", "forgetful", "--format", "json"}).out)["status"] ==
        "failed");
  CHECK(cairn({"test", "."}).exit_code == 1);
  std::string mended(kSums);
  mended.replace(mended.find("for i in 1..n"), 13, "for i in 0..n");
  cairn.write("src/main.cairn", mended);
  CHECK(cairn.record({"validate", ".", "--symbol", "forgetful"})["status"] == "passed");
  CHECK(cairn({"test", "."}).exit_code == 0);
}

TEST_CASE("a policy is read strictly", "[cli]") {
  CommandLine cairn;
  cairn.write("cairn.toml", kManifest);
  cairn.write("src/main.cairn", kSums);
  const auto validate = [&](std::string_view policy) {
    cairn.write("policy.json", policy);
    return cairn({"validate", ".", "--symbol", "backwards", "--policy", "policy.json"});
  };
  CHECK(validate(R"({"budget":16,"seed":3})").exit_code == 0);
  CHECK(validate(R"({"budget":0})").exit_code == 2);
  CHECK(validate(R"({"seconds":61})").exit_code == 2);
  CHECK(validate(R"({"tolerance":{"absolute":-1,"relative":0}})").exit_code == 2);
  CHECK(validate(R"({"bugdet":16})").exit_code == 2);
  CHECK(validate(R"({"domain":{"extents":{"n":[0,16]}}})").exit_code == 0);
  CHECK(validate(R"({"domain":{"extents":{"m":[0,16]}}})").exit_code == 2);  // no such parameter
}

TEST_CASE("tune leaves the source alone without --write and counts no implementation that fails validation", "[cli]") {
  CommandLine cairn;
  cairn.write("cairn.toml", kManifest);
  cairn.write("src/main.cairn", kSums);
  const auto tuned = cairn({"tune", ".", "--symbol", "total", "--at", "n=10000", "--format", "json"});
  INFO(tuned.out << tuned.err);
  CHECK(tuned.exit_code == 0);
  CHECK(read(cairn.path() / "src" / "main.cairn") == kSums);
  const auto told = nlohmann::json::parse(tuned.out);
  bool refused = false;
  const auto search = [&](const auto& self, const nlohmann::json& value) -> void {
    if (value.is_object() && value.dump().contains("forgetful") && value.dump().contains("validation")) refused = true;
    if (value.is_structured()) {
      for (const auto& part : value) self(self, part);
    }
  };
  search(search, told);
  CHECK(refused);
  const auto written = cairn({"tune", ".", "--symbol", "total", "--at", "n=10000", "--write"});
  CHECK(written.exit_code == 0);
  CHECK_FALSE(read(cairn.path() / "src" / "main.cairn").contains("use forgetful"));
  CHECK(cairn({"check", "."}).exit_code == 0);
}

TEST_CASE("predictions are drawn into a file, of one version on one card", "[cli]") {
  CommandLine cairn;
  cairn.write("p.cairn",
              "fn twice(n:usize, x:ro<f64>[n], y:rw<f64>[n]) {\n  for i in 0..n { y[i] = 2.0 * x[i]; }\n}\n");
  CHECK(cairn({"predict", "p.cairn", "--plot", "roof.svg"}).exit_code == 0);
  const std::string svg = read(cairn.path() / "roof.svg");
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.contains("twice n=1000"));
  CHECK(svg.contains("not measured"));
  CHECK(cairn({"predict", "p.cairn", "--plot", "no/such/folder.svg"}).exit_code == 2);
  CHECK(cairn({"predict", "p.cairn", "--plot", "roof.svg", "--card", "all"}).exit_code == 2);
  CHECK(cairn({"predict", "p.cairn", "--plot", "roof.svg", "--against", "p.cairn"}).exit_code == 2);
  const auto delta = cairn.record({"predict", "p.cairn", "--against", "p.cairn", "--at", "n=1000"});
  CHECK(delta["schema"] == "cairn.predict.delta/1");
  REQUIRE(delta["functions"]["twice"].size() == 1);
  CHECK(delta["functions"]["twice"][0]["ratio"] == 1.0);
  CHECK(delta["only_before"].empty());
}

TEST_CASE("a measured profile is read back, and prices code with more confidence than the built-in one", "[cli]") {
  CommandLine cairn;
  cairn.write("p.cairn", "fn f(n:usize, x:rw<f64>[n]) {\n  for i in 0..n { x[i] = 2.0 * x[i]; }\n}\n");
  REQUIRE(cairn({"doctor", "--calibrate", "machine.json"}).exit_code == 0);
  const auto profile = nlohmann::json::parse(read(cairn.path() / "machine.json"));
  CHECK(profile["origin"] == "measured");
  for (const auto& [arch, table] : profile["host"]["ops"].items()) {
    CHECK(table["scalar"]["f64_fold"] > 0);
    CHECK(table["scalar"]["div"] > 0);
    for (const auto& kind : table["keeps_scalar"]) CHECK_FALSE(table["vector"].contains(kind.get<std::string>()));
  }
  const auto priced = [&](std::vector<const char*> words) {
    words.insert(words.begin(), {"predict", "p.cairn", "--at", "n=100000"});
    return cairn.record(words)["functions"]["f"]["predictions"][0];
  };
  CHECK(priced({"--profile", "machine.json"})["confidence"] == "high");
  CHECK(priced({"--profile", "machine.json"})["ns"] > 0);
  CHECK(priced({})["confidence"] == "medium");
}

TEST_CASE("sizes are whole numbers, decimal or with an exponent, each given once", "[cli]") {
  CommandLine cairn;
  cairn.write("p.cairn", "fn f(n:usize, x:rw<f64>[n]) {\n  for i in 0..n { x[i] = 2.0 * x[i]; }\n}\n");
  for (const char* good : {"n=0", "n=1000", "n=1e6", "n=1.5e3"}) {
    INFO(good);
    CHECK(cairn({"predict", "p.cairn", "--at", good}).exit_code == 0);
  }
  for (const char* bad : {"n=", "n", "=3", "n=-1", "n=1.5", "n=0x10", "n= 5", "n=5 ", "n=nan", "n=inf", "n=1e400",
                          "n=1,n=2", "n=1,", "m=1"}) {
    INFO(bad);
    CHECK(cairn({"predict", "p.cairn", "--at", bad}).exit_code == 2);
  }
}

TEST_CASE("a cooperative region and a product of matrices are counted, on the device and on the host", "[cli]") {
  CommandLine cairn;
  const auto program = [](const std::string& place) {
    return "fn turn(n:usize, x:ro<f32>[n]" + place + ", out:rw<f32>[n]" + place +
           ") {\n  blocks b in n / 64 threads t in 64 {\n    shared s:f32[64];\n    s[t] = x[b * 64 + t];\n    "
           "barrier;\n"
           "    out[b * 64 + t] = s[63 - t];\n  }\n}\n"
           "fn product(m:usize, n:usize, k:usize, mn:usize, mk:usize, kn:usize, c:rw<f32>[mn]" +
           place + ", a:ro<f16>[mk]" + place + ", b:ro<f16>[kn]" + place +
           ") {\n  mma_unordered(m, n, k, c, a, b);\n}\n";
  };
  cairn.write("device.cairn", program("@device"));
  cairn.write("host.cairn", program(""));
  for (const char* file : {"device.cairn", "host.cairn"}) {
    const auto record = cairn.record({"predict", file, "--at", "n=65536,m=64,k=32", "--card", "h100"});
    const auto& turn = record["functions"]["turn"];
    REQUIRE(turn["regions"].size() == 1);
    const auto& region = turn["regions"][0];
    CHECK(region["kind"] == "cooperative");
    CHECK(region["count"] == "0.015625*n");
    CHECK(region["per_index"]["bytes_read"] == "4");
    CHECK(region["per_index"]["bytes_written"] == "4");
    CHECK(region["cooperative"]["threads"] == 64);
    CHECK(region["cooperative"]["shared_bytes"] == 256);
    CHECK(region["cooperative"]["barriers"] == "1");
    CHECK(region["cooperative"]["wavefronts"] == "4");
    CHECK(turn["predictions"][0]["ns"] > 0);
    const auto& product = record["functions"]["product"];
    REQUIRE(product["regions"].size() == 1);
    CHECK(product["regions"][0]["kind"] == "tensor");
    CHECK(product["regions"][0]["multiply_adds"] == "k*m*n");
    CHECK(product["regions"][0]["per_index"]["bytes_written"] == "4*m*n");
  }
  const std::string text = cairn({"predict", "device.cairn", "--symbol", "turn", "--at", "n=65536"}).out;
  for (const char* label : {"[checked]", "[specification limits]", "[model]", "[assumed]"}) CHECK(text.contains(label));
}

TEST_CASE("registers of device code are read where its tools are installed", "[cli]") {
  CommandLine cairn;
  cairn.write("p.cairn", R"(fn halve(n:usize, out:rw<f32>[n]@device, x:ro<f32>[n]@device) {
  parallel i in n { out[i] = 0.5 * x[i]; }
}
fn turn(n:usize, x:ro<f32>[n]@device, out:rw<f32>[n]@device) {
  blocks b in n / 64 threads t in 64 {
    shared s:f32[64];
    s[t] = x[b * 64 + t];
    barrier;
    out[b * 64 + t] = s[63 - t];
  }
}
)");
  const std::vector<const char*> words = {"predict", "p.cairn", "--inspect", "--at", "n=65536", "--card", "h100"};
  const cuda::Toolchain tools = cuda::find_toolchain();
  if (!tools.nvrtc || !tools.ptxas) {
    const auto refused = cairn(words);
    CHECK(refused.exit_code == 2);
    CHECK(refused.err.contains("--inspect"));
    return;
  }
  const auto record = cairn.record(words);
  CHECK(record["inspection"]["target"] == "sm_90a");
  REQUIRE(record["inspection"]["kernels"].size() == 2);
  for (const char* name : {"halve", "turn"}) {
    const auto& figures = record["functions"][name]["predictions"][0]["parts"].back()["figures"];
    CHECK(figures["registers a thread"]["source"] == "ptxas");
    CHECK(figures["registers a thread"]["value"] > 0);
  }
  CHECK(cairn({"predict", "p.cairn", "--inspect", "--card", "all"}).exit_code == 2);
  CHECK_FALSE(cairn.record({"predict", "p.cairn", "--at", "n=65536"}).contains("inspection"));
}

TEST_CASE("a profiled run has the streams and the status of one that is not", "[cli]") {
  CommandLine cairn;
  cairn.write("p.cairn", R"(fn spin(n:u64) -> u64 {
  let mut h:u64 = 1;
  let mut k:u64 = 0;
  while k < n {
    h = mul_wrap(h ^ k, 1099511628211);
    k += 1;
  }
  return h;
}

fn main() -> i32 {
  println(spin(20000000));
  let mut left:u8 = 3;
  for _ in 0..4 { left -= 1; }
  return 0;
}
)");
  const auto plain = cairn({"run", "p.cairn"});
  const auto profiled =
      cairn({"run", "p.cairn", "--profile-out", "p.folded", "--profile-out", "p.json", "--profile-out", "p.html"});
  CHECK(profiled.out == plain.out);
  CHECK(profiled.exit_code == plain.exit_code);
  CHECK(plain.exit_code == -6);
  // At a trap the table stands behind its message.
  REQUIRE(profiled.err.starts_with(plain.err));
  CHECK(profiled.err.substr(plain.err.size()).starts_with("profile: "));
  CHECK(profiled.err.contains("spin"));
  CHECK(read(cairn.path() / "p.folded").contains("main;spin "));
  CHECK(nlohmann::json::parse(read(cairn.path() / "p.json"))["exporter"] == "cairn");
  CHECK(read(cairn.path() / "p.html").starts_with("<!DOCTYPE html>"));
  const auto record = cairn.record({"run", "p.cairn", "--profile"});
  CHECK(record["stderr"] == plain.err);
  CHECK(record["profile"]["samples"].get<int>() > 0);
  CHECK(record["profile"]["functions"].dump().contains("spin"));
  CHECK_FALSE(cairn.record({"run", "p.cairn"}).contains("profile"));
  CHECK(cairn({"run", "p.cairn", "--profile-out", "p.txt"}).exit_code == 2);
  const auto unwritable = cairn({"run", "p.cairn", "--profile-out", "no/such/p.json"});
  CHECK(unwritable.exit_code == 2);
  CHECK(unwritable.out.empty());
}

}  // namespace cairn::cli
