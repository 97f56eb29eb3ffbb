// Which regions a plan may fuse (concurrency, 13.3).
#include <catch2/catch.hpp>

#include "tests/check/body_verdict.hpp"

using cairn::tests::verdict;

TEST_CASE("fuse needs two adjacent regions that may join", "[fusion]") {
  CHECK(verdict("fn norm(n:usize, out:rw<f32>[n], x:ro<f32>[n], lo:f32, s:f32) { buffer m:f32[n] = zeroed; "
                "parallel i in n { m[i] = x[i] - lo; } parallel j in n { out[j] = m[j] * s; } } plan norm { fuse "
                "2; }") == "ok");
  CHECK(verdict("fn norm(n:usize, out:rw<f32>[n], x:ro<f32>[n], lo:f32, s:f32) { buffer m:f32[n] = zeroed; "
                "parallel i in n { m[i] = x[i] - lo; } let t = reduce + parallel j in n yield m[j] * s; } plan "
                "norm { fuse 2; }") == "ok");
  CHECK(verdict("fn norm(n:usize, out:rw<f32>[n], x:ro<f32>[n], lo:f32, s:f32) { buffer m:f32[n] = zeroed; "
                "parallel i in n { m[i] = x[i] - lo; } parallel j in n { out[j] = m[n - 1 - j] * s; } } plan "
                "norm { fuse 2; }") == "E-PLAN 1:178");
  CHECK(verdict("fn norm(n:usize, out:rw<f32>[n], x:ro<f32>[n], lo:f32, s:f32) { buffer m:f32[n] = zeroed; "
                "parallel i in n { m[i] = x[i] - lo; } let k = n; parallel j in k { out[j] = m[j] * s; } } plan "
                "norm { fuse 2; }") == "E-PLAN 1:181");
  CHECK(verdict("fn norm(n:usize, out:rw<f32>[n], x:ro<f32>[n], lo:f32, s:f32) { buffer m:f32[n] = zeroed; "
                "parallel i in n { m[i] = x[i] - lo; } parallel j in n { if out[j] > 0.0 { while false { } } } } "
                "plan norm { fuse 2; }") == "E-PLAN 1:187");
  CHECK(verdict("fn tag(n:usize, out:rw<u32>[n], x:ro<u32>[n]) { parallel i in n { out[i] = x[i] + 1; } parallel "
                "j in n { out[j] = out[j] ^ 7; } } plan tag { fuse 2; }") == "E-PLAN 1:131");
  CHECK(verdict("fn tag(n:usize, out:rw<u32>[n], x:ro<u32>[n]) { parallel i in n { out[i] = add_wrap(x[i], 1); } "
                "parallel j in n { out[j] = out[j] ^ 7; } } plan tag { fuse 2; }") == "ok");
  CHECK(verdict("fn tag(n:usize, k:usize, out:rw<u32>[n], x:ro<u32>[k]) { parallel i in n { out[i] = x[i]; } "
                "parallel j in n { out[j] = out[j] ^ 7; } } plan tag { fuse 2; }") == "E-PLAN 1:136");
  CHECK(verdict("fn half(x:f32) -> f32 = x * 0.5; fn f(n:usize, out:rw<f32>[n]) { parallel i in n { out[i] = "
                "half(out[i]); } parallel j in n { out[j] = half(out[j]); } } plan f { fuse 2; }") == "ok");
  CHECK(verdict("fn half(x:u32) -> u32 = x + 1; fn f(n:usize, out:rw<u32>[n]) { parallel i in n { out[i] = "
                "half(out[i]); } parallel j in n { out[j] = half(out[j]); } } plan f { fuse 2; }") == "E-PLAN 1:152");
}

namespace {

/// The verdict on a function with one device region over `body` and a plan.
std::string planned(std::string_view body, std::string_view plan) {
  return verdict("fn f(n:usize, out:rw<f32>[n]@device, x:ro<f32>[n]@device, y:rw<f64>[n]@device) { parallel i in n { " +
                 std::string(body) + " } }\nplan f { " + std::string(plan) + " }");
}

}  // namespace

TEST_CASE("vector needs an array touched at the lane's own index alone, and chunks of at most 16 bytes", "[fusion]") {
  CHECK(planned("out[i] = x[i] * 2.0;", "vector 4;") == "ok");
  CHECK(planned("out[i] = x[i] * 2.0;", "vector 8;") == "E-PLAN 2:1");
  CHECK(planned("y[i] = y[i] + 1.0;", "vector 2;") == "ok");
  CHECK(planned("y[i] = y[i] + 1.0;", "vector 4;") == "E-PLAN 2:1");
  CHECK(planned("if i > 0 { out[i] = x[i - 1]; }", "vector 4;") == "ok");
  CHECK(planned("let j = i; atomic_add_unordered(out[j], x[n - 1 - i]);", "vector 4;") == "E-PLAN 2:1");
  CHECK(planned("out[i] = x[i];", "vector 4; fuse 2;") == "E-PLAN 2:1");
}

TEST_CASE("stage needs an array that is only read, near the lane's own index", "[fusion]") {
  const std::string stencil = "if i > 0 && i + 1 < n { out[i] = x[i - 1] + x[i] + x[1 + i]; }";
  CHECK(planned(stencil, "stage 1;") == "ok");
  CHECK(planned("if i > 1 { out[i] = x[i - 2] + x[i]; }", "stage 2;") == "ok");
  CHECK(planned("if i > 1 { out[i] = x[i - 2] + x[i]; }", "stage 1;") == "E-PLAN 2:1");
  CHECK(planned("out[i] = x[i];", "stage 1;") == "E-PLAN 2:1");             // nothing beside its own
  CHECK(planned("out[i] = x[i + 1] + x[i];", "stage 1;") == "E-PLAN 2:1");  // a guard stays
  CHECK(planned("if i > 0 { out[i] = x[i] + x[i - 1] + x[n - 1]; }", "stage 1;") == "E-PLAN 2:1");
  CHECK(planned(stencil, "stage 1; vector 2;") == "E-PLAN 2:1");
  CHECK(planned(stencil, "stage 1; fuse 2;") == "E-PLAN 2:1");
}

TEST_CASE("adjacent regions of the device may be fused as those of the host", "[fusion]") {
  const auto two = [](std::string_view second) {
    return verdict(
        "fn f(n:usize, a:rw<f32>[n]@device, b:rw<f32>[n]@device) { parallel i in n { a[i] = b[i] * 2.0; } "
        "parallel j in n { " +
        std::string(second) + " } }\nplan f { fuse 2; }");
  };
  CHECK(two("b[j] = a[j] + 1.0;") == "ok");
  CHECK(two("b[j] = a[n - 1 - j] + 1.0;") == "E-PLAN 2:1");
}
