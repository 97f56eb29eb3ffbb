#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cuda/gpus.hpp"
#include "frontend/report/receipt.hpp"
#include "tests/cli/scratch.hpp"
#include "vm/cli/test_blocks.hpp"

namespace cairn {

namespace {

nlohmann::ordered_json receipt_of(std::string_view program, const std::string& function) {
  Scratch scratch;
  const auto session = scratch.open(program);
  REQUIRE(session->accepted());
  return frontend_receipt(session->compilation(), {})["functions"][function];
}

}  // namespace

TEST_CASE("concrete functions, instances and tests are counted, templates and lanes are not", "[cli]") {
  Scratch scratch;
  const auto session = scratch.open(R"(
fn same[T:copy](x:T) -> T = x;
fn use_both() { let a = same[u8](1); let b = same[u64](2); assert(u64(a) < b); }
test works { use_both(); }
fn main() -> i32 { return 0; }
)");
  REQUIRE(session->accepted());
  CHECK(session->counts().functions == 5);
  CHECK(session->counts().library == 0);
}

TEST_CASE("an entry is asked for only by those who run", "[cli]") {
  Scratch scratch;
  CHECK(scratch.open("fn half(x:u64) -> u64 = x / 2;\n")->accepted());
  SessionOptions running;
  running.wants_main = true;
  const auto session = scratch.open("fn half(x:u64) -> u64 = x / 2;\n", running);
  REQUIRE_FALSE(session->accepted());
  CHECK(session->verdict().refusals.front().code == Code::ProjectOrEnvironment);
}

TEST_CASE("all refusals are given, or only the first", "[cli]") {
  Scratch scratch;
  constexpr std::string_view program = "fn a() -> u64 = lost;\nfn b() -> u64 = gone;\n";
  CHECK(scratch.open(program)->verdict().refusals.size() == 2);
  SessionOptions first;
  first.first_only = true;
  CHECK(scratch.open(program, first)->verdict().refusals.size() == 1);
}

TEST_CASE("test blocks are told by module and name, the project's own alone", "[cli]") {
  Scratch scratch;
  scratch.write("cairn.toml",
                "[project]\nname = \"site\"\nsources = [\"main.cairn\"]\n[dependencies]\nplots = \"plots\"\n");
  scratch.write("plots/cairn.toml", "[project]\nname = \"plots\"\nsources = [\"p.cairn\"]\n");
  scratch.write("plots/p.cairn", "module plots;\ntest theirs { assert(true); }\n");
  scratch.write("main.cairn", "module site;\ntest ours {\n  assert(true);\n}\n");
  const auto session = Session::open(scratch.path(), {});
  REQUIRE(session->accepted());
  const auto blocks = cli::own_test_blocks(*session);
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].label == "site.ours");
  CHECK(blocks[0].file == "main.cairn");
  CHECK(blocks[0].line == 2);
}

TEST_CASE("a freestanding target admits no tests and no host effects", "[cli]") {
  Scratch scratch;
  scratch.write(
      "cairn.toml",
      "[project]\nname = \"board\"\nsources = [\"p.cairn\"]\n[build]\nkind = \"exe\"\ntarget = \"aarch64-virt\"\n");
  scratch.write("p.cairn", "fn add(a:u64, b:u64) -> u64 = a + b;\nfn main() -> i32 { return 0; }\n");
  CHECK_FALSE(Session::open(scratch.path(), {})->judge_board());
  scratch.write("p.cairn", "fn say() { println(1); }\nfn main() -> i32 { return 0; }\n");
  CHECK(Session::open(scratch.path(), {})->judge_board()->message.contains("say has the effect ffi:write"));
  scratch.write("p.cairn", "test adds { assert(true); }\nfn main() -> i32 { return 0; }\n");
  CHECK(Session::open(scratch.path(), {})->judge_board()->code == Code::Test);
}

TEST_CASE("a vendored source's symbols are declared by externs of the project", "[cli]") {
  Scratch scratch;
  scratch.write("cairn.toml",
                "[project]\nname = \"v\"\nsources = [\"p.cairn\"]\n[foreign]\n\"fast.cpp\" = [\"fast_sum\"]\n");
  scratch.write("fast.cpp", "");
  scratch.write("p.cairn", "extern fn fast_sum(a:u64) -> u64 pure;\n");
  CHECK(Session::open(scratch.path(), {})->accepted());
  scratch.write("p.cairn", "extern fn slow_sum(a:u64) -> u64 pure;\n");
  const auto session = Session::open(scratch.path(), {});
  REQUIRE_FALSE(session->accepted());
  CHECK(session->verdict().refusals.front().message.contains("fast_sum, which no extern"));
}

TEST_CASE("a receipt counts where the source needs a guard, by kind", "[cli]") {
  constexpr std::string_view program = R"(
fn mix(a:u64, b:u64) -> u64 = shr(a ^ b, 3) + (a & b);
fn first(n:usize, xs:ro<u32>[n]) -> u32 = xs[0];
fn swap_ends(n:usize, xs:rw<u32>[n], m:usize, ys:ro<u32>[m]) { xs[0] = ys[m - 1]; }
fn narrow(x:u64) -> u8 = u8(x);
fn widen(x:u8) -> u64 = u64(x);
fn caller() -> u64 { return mix(1, 2) / 3; }
)";
  const auto mix = receipt_of(program, "mix");
  CHECK(mix["effects"] == nlohmann::ordered_json{"trap"});
  CHECK(mix["syntactic_check_sites"] == nlohmann::ordered_json({{"overflow", 1}, {"shift", 1}}));
  CHECK(receipt_of(program, "first")["syntactic_check_sites"]["view_entry"] == 1);
  CHECK(receipt_of(program, "swap_ends")["syntactic_check_sites"] ==
        nlohmann::ordered_json({{"bounds", 2}, {"disjointness", 1}, {"overflow", 1}, {"view_entry", 2}}));
  CHECK(receipt_of(program, "narrow")["syntactic_check_sites"]["conversion"] == 1);
  CHECK(receipt_of(program, "widen")["syntactic_check_sites"].empty());
  CHECK(receipt_of(program, "caller")["calls"] == nlohmann::ordered_json{"mix"});
}

TEST_CASE("a receipt lists local storage and what implements what", "[cli]") {
  constexpr std::string_view program = R"(
fn total(n:usize) -> usize {
  buffer xs:u64[n] = zeroed;
  stack ys:u8[4] = zeroed;
  return len(xs) + len(ys);
}
fn total_fast(n:usize) -> usize implements total when n > 3 = n + 4;
plan total use total_fast;
)";
  const auto total = receipt_of(program, "total");
  CHECK(total["heap_allocations"] == 1);
  CHECK(total["local_storage"][0]["name"] == "xs");
  CHECK(total["local_storage"][0]["capacity"] == "n");
  CHECK(total["local_storage"][1]["kind"] == "stack");
  CHECK(total["implementations"].contains("total_fast"));
  CHECK(total["implementations"]["selected"] == "total_fast");
  CHECK(receipt_of(program, "total_fast")["implements"] == "total");
}

TEST_CASE("the device target nobody names is that of the one kind of GPU there is", "[cli][devices]") {
  constexpr std::string_view kDevice = "fn f(n:usize, d:rw<u64>[n]@device) { parallel i in n { d[i] = 1; } }\n";
  Scratch scratch;
  int asked = 0;
  using Gpus = std::vector<cuda::Gpu>;
  Gpus found{{0, "a GPU", 9, 0, 0}, {1, "another", 9, 0, 0}};
  SessionOptions options;
  options.gpus = [&] {
    ++asked;
    cuda::Gpus gpus;
    gpus.found = found;
    return gpus;
  };
  CHECK(scratch.open(kDevice, options)->device_target() == "sm_90");
  options.emulate = true;
  const auto emulated = scratch.open(kDevice, options);
  CHECK(emulated->accepted());
  CHECK(emulated->is_emulated());
  found = Gpus{{0, "a GPU", 7, 0, 0}};
  CHECK(scratch.open(kDevice, options)->verdict().refusals.front().code == Code::TargetFeature);
  found = Gpus{{0, "a GPU", 9, 0, 0}, {1, "another", 12, 0, 0}};
  CHECK(scratch.open(kDevice, options)->verdict().refusals.front().code == Code::Target);
  found = {};
  CHECK(scratch.open(kDevice, options)->verdict().refusals.front().code == Code::Target);
  CHECK(asked == 5);
  options.device_target = "sm_80";
  CHECK(scratch.open(kDevice, options)->device_target() == "sm_80");
  options.device_target.clear();
  CHECK(scratch.open("fn main() -> i32 { return 0; }\n", options)->accepted());
  CHECK(asked == 5);
}

}  // namespace cairn
