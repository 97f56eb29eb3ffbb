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
