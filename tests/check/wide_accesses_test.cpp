// Wide accesses: their shapes, their hints, and the part that every other rule sees (devices, 9).
#include <catch2/catch.hpp>

#include "tests/check/body_verdict.hpp"

using cairn::tests::verdict;

namespace {

std::string wide(std::string_view statements) {
  return verdict(
      "fn f(n:usize, m:usize, x:ro<u32>[n], y:rw<u32>[n], z:ro<f64>[n], d:ro<u32>[n]@device, e:rw<u32>[n]@device) {\n" +
      std::string(statements) + "\n}");
}

}  // namespace

TEST_CASE("a wide access moves a power of two of elements, 16 bytes at most", "[wide]") {
  for (const std::string_view width : {"1", "2", "4"}) {
    CHECK(wide("let v = load_wide[" + std::string(width) + "](x, 0);") == "ok");
  }
  for (const std::string_view width : {"0", "3", "8"}) {
    CHECK(wide("let v = load_wide[" + std::string(width) + "](x, 0);") == "E-WIDE 2:9");
  }
  CHECK(wide("let v = load_wide[2](z, 0);") == "ok");
  CHECK(wide("let v = load_wide[4](z, 0);") == "E-WIDE 2:9");
  CHECK(wide("let v = load_wide(x, 0);") == "E-WIDE 2:9");
  CHECK(wide("let v = load_wide[u32](x, 0);") == "E-WIDE 2:9");
  CHECK(wide("let v = load_wide[2](m, 0);") == "E-WIDE 2:22");
  CHECK(wide("let v = load_wide[2](x);") == "E-ARITY 2:9");
  CHECK(verdict("struct P { a:u32; } fn f(n:usize, x:ro<P>[n]) { let v = load_wide[2](x, 0); }") == "E-WIDE 1:70");
  CHECK(verdict("fn f(n:usize, x:ro<f16>[n]) { let v = load_wide[8](x, 0); }") == "ok");
}

TEST_CASE("a store takes its width from its value", "[wide]") {
  CHECK(wide("let v = load_wide[2](x, 0); store_wide(y, 0, v);") == "ok");
  CHECK(wide("let v = load_wide[2](x, 0); store_wide[2](y, 0, v);") == "E-WIDE 2:29");
  CHECK(wide("store_wide(y, 0, 1);") == "E-WIDE 2:18");
  CHECK(wide("let v = load_wide[2](z, 0); store_wide(y, 0, v);") == "E-TYPE-MISMATCH 2:46");
  CHECK(wide("let v = load_wide[2](x, 0); store_wide(x, 0, v);") == "E-WRITE-LEASE 2:40");
  CHECK(wide("let v = Array[u32, 8](); store_wide(y, 0, v);") == "E-WIDE 2:26");
}

TEST_CASE("hints are written by name where the memory has such caches", "[wide]") {
  CHECK(wide("let v = load_wide[2](x, 0, Cache.last_use); store_wide(y, 0, v, Cache.streaming);") == "ok");
  CHECK(wide("let c = Cache.l2; let v = load_wide[2](x, 0, c);") == "E-WIDE 2:46");
  CHECK(wide("let v = load_wide[2](x, 0, Order.relaxed);") == "E-WIDE 2:28");
  CHECK(wide("let v = load_wide[2](x, 0, Cache.read_only);") == "E-WIDE 2:28");
  CHECK(wide("let v = load_wide[2](x, 0); store_wide(y, 0, v, Cache.last_use);") == "E-WIDE 2:49");
  CHECK(wide("parallel i in m { let v = load_wide[2](d, 2 * i, Cache.read_only); store_wide(e, 2 * i, v); }") == "ok");
  CHECK(wide("parallel i in m { let v = load_wide[2](e, 2 * i, Cache.read_only); store_wide(e, 2 * i, v); }") ==
        "E-WIDE 2:50");
}

TEST_CASE("a wide access is an index for placement and a part for lanes", "[wide]") {
  CHECK(wide("let v = load_wide[2](d, 0);") == "E-PLACEMENT 2:22");
  CHECK(wide("parallel i in m { let v = load_wide[2](d, 2 * i); y[i] = v[0]; }") == "E-PLACEMENT 2:51");
  CHECK(wide("parallel i in m { let v = load_wide[4](x, i); store_wide(y, 4 * i, v); }") == "ok");
  CHECK(wide("parallel i in m { let v = load_wide[4](x, i); store_wide(y, 2 * i, v); }") == "E-PARALLEL-RACE 2:58");
  CHECK(wide("parallel i in m { let v = load_wide[2](y, i); y[i] = v[0]; }") == "E-PARALLEL-RACE 2:40");
}

TEST_CASE("a store is a statement of its own", "[wide]") {
  CHECK(wide("store_wide(y, 0, load_wide[2](x, 0));") == "ok");
  CHECK(wide("let v = load_wide[2](x, 0)[1] + load_wide[2](x, 2)[0];") == "ok");
}
