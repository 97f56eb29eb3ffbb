// The stack of device code that calls itself: what a call may take counts the frames of every function on the way.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "cuda/compiler.hpp"
#include "cuda/writer/call_frames.hpp"
#include "tests/lower/support.hpp"

namespace {

using namespace cairn;  // NOLINT
using Catch::Contains;
using cuda::writer::CallFrames;

/// big: 8 KiB that end by themselves; deep: calls itself, and big at its end; near: big, then deep.
const std::string kProgram =
    "fn big(n:u64) -> u64 { stack a:u64[1024] = zeroed; let k = usize(n % 1024); a[k] = n; return a[(k + 1) % 1024] + "
    "a[k]; }\n"
    "fn deep(n:u64) -> u64 { if n == 0 { return big(n); } return deep(n - 1) + 1; }\n"
    "fn near(n:u64) -> u64 { stack a:u64[512] = zeroed; a[usize(n % 512)] = n; let s = deep(n); return s + a[usize(s % "
    "512)]; }\n"
    "fn plain(n:u64) -> u64 { return big(n) + 1; }\n";

std::string with_lane(const std::string& value) {
  return kProgram +
         "fn main() -> i32 { let n:usize = 8; buffer d:u64[n]@device = zeroed; parallel i in n { d[i] = " + value +
         "; } return 0; }\n";
}

std::uint32_t function_named(const bytecode::Module& module, std::string_view name) {
  const auto found = std::ranges::find(module.functions, name, &bytecode::Function::name);
  REQUIRE(found != module.functions.end());
  return static_cast<std::uint32_t>(found - module.functions.begin());
}

cuda::KernelText text_of(const bytecode::Module& module) {
  const std::vector<cuda::KernelUse> uses = cuda::kernels_of(module);
  REQUIRE(uses.size() == 1);
  auto text = cuda::write_kernel(module, uses.front());
  REQUIRE(text);
  return std::move(*text);
}

}  // namespace

TEST_CASE("the frame of a function holds its objects", "[cuda][recursion]") {
  const bytecode::Module module = test::lowered(with_lane("plain(u64(i))"));
  CallFrames frames(module);
  const CallFrames::Calls& big = frames.of(function_named(module, "big"));
  CHECK(big.frame >= 8192);
  CHECK(big.frame < 8192 + 1024);
  CHECK(big.below == 0);
  CHECK_FALSE(big.reaches_recursive);
  const CallFrames::Calls& plain = frames.of(function_named(module, "plain"));
  CHECK(plain.below == big.frame);
  CHECK(plain.fixed == big.frame);
  CHECK_FALSE(plain.reaches_recursive);
}

TEST_CASE("a call of a function that calls itself counts what its helpers take", "[cuda][recursion]") {
  const bytecode::Module module = test::lowered(with_lane("near(u64(i))"));
  CallFrames frames(module);
  const CallFrames::Calls& deep = frames.of(function_named(module, "deep"));
  CHECK(deep.is_recursive);
  CHECK(deep.below >= 8192);
  const CallFrames::Calls& near = frames.of(function_named(module, "near"));
  CHECK_FALSE(near.is_recursive);
  CHECK(near.reaches_recursive);
  CHECK(near.frame >= 4096);
  CHECK(near.below == 0);  // deep asks for itself
  CHECK(near.fixed >= 8192);
  CHECK(near.fixed < 8192 + 1024);

  const cuda::KernelText text = text_of(module);
  // 32 KiB for calls of deep, 4 for near, 8 for big, and the lane's own.
  CHECK(text.stack_bytes >= 32768 + 4096 + 8192);
  CHECK(text.stack_bytes < 32768 + 4096 + 8192 + 2048);
  // near's frame is on the stack when deep is called, and so is big's below it.
  CHECK_THAT(text.text, Contains("deeper(at, " + std::to_string(near.frame) + ")"));
  CHECK_THAT(text.text, Contains("if (at.stack + " + std::to_string(deep.frame + deep.below) + "U > "));
}

TEST_CASE("functions that call each other are one recursion, with every frame of it counted", "[cuda][recursion]") {
  const std::string program =
      "fn even(n:u64) -> bool { stack a:u64[64] = zeroed; a[usize(n % 64)] = n; if n == 0 { return a[0] == 0; } return "
      "odd(n - 1); }\n"
      "fn odd(n:u64) -> bool { if n == 0 { return false; } return even(n - 1); }\n"
      "fn main() -> i32 { let n:usize = 8; buffer d:bool[n]@device = zeroed; parallel i in n { d[i] = even(u64(i)); } "
      "return 0; }\n";
  const bytecode::Module module = test::lowered(program);
  CallFrames frames(module);
  const CallFrames::Calls even = frames.of(function_named(module, "even"));
  const CallFrames::Calls odd = frames.of(function_named(module, "odd"));
  CHECK(even.is_recursive);
  CHECK(odd.is_recursive);
  CHECK(even.frame >= 512);
  CHECK(odd.frame < even.frame);
  const std::string text = text_of(module).text;
  CHECK_THAT(text, Contains("deeper(at, " + std::to_string(even.frame) + ")") &&
                       Contains("deeper(at, " + std::to_string(odd.frame) + ")"));
}

TEST_CASE("a kernel in which nothing calls itself counts nothing", "[cuda][recursion]") {
  const cuda::KernelText text = text_of(test::lowered(with_lane("plain(u64(i))")));
  CHECK(text.stack_bytes == 0);
  CHECK_THAT(text.text, !Contains("deeper(") && !Contains("at.stack"));
}
