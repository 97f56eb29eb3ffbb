// reduce, scan and compact (concurrency, 8 to 10).
#include <catch2/catch.hpp>

#include "tests/check/body_verdict.hpp"

using cairn::tests::body;
using cairn::tests::verdict;

namespace {

constexpr auto kHelp =
    "const S:usize = 16; fn put(p:rw<u32>) { p = 1; } fn fill(n:usize, p:rw<u32>[n]) { for i in 0..n "
    "{ p[i] = 1; } } fn all(n:usize, p:ro<u32>[n]) -> u32 = 1; fn say() { println(1); } fn "
    "eat(b:Buf[u32]) { } fn noisy() -> u32 { println(1); return 1; } fn leave() { }";

}  // namespace

TEST_CASE("a reduction has an operator for its type", "[collectors]") {
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet s "
             "= reduce add_wrap for i in n yield x[i]; let t = reduce max parallel i in n yield x[i]; let u = "
             "reduce + for i in n yield 1;",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet s "
             "= reduce + for i in n yield i32(x[i]);",
             kHelp) == "E-REDUCE-OP 3:1");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet s "
             "= reduce * for i in n yield x[i];",
             kHelp) == "E-REDUCE-OP 3:1");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet s "
             "= reduce min parallel i in n yield f32(x[i]);",
             kHelp) == "E-REDUCE-OP 3:1");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet s "
             "= reduce * for i in n yield f32(x[i]); let t = reduce + parallel i in n yield f32(x[i]);",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet s "
             "= reduce * parallel i in n yield f32(x[i]);",
             kHelp) == "E-REDUCE-ORDER 3:1");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet "
             "s:u64 = reduce + for i in n yield x[i];",
             kHelp) == "E-TYPE-MISMATCH 3:39");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet "
             "mut s = reduce + for i in n yield x[i];",
             kHelp) == "E-COLLECT-BINDING 3:1");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet i "
             "= reduce + for i in n yield x[i];",
             kHelp) == "E-SHADOW 3:1");
}

TEST_CASE("a total goes into an element that no yield touches", "[collectors]") {
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nreduce + out[0] for i in n yield x[i];",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nreduce + out[0] for i in n yield out[i];",
             kHelp) == "E-PARALLEL-RACE 3:34");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nreduce + out[0] for i in n yield all(out);",
             kHelp) == "E-PARALLEL-RACE 3:34");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nreduce + out[i] for i in n yield x[i];",
             kHelp) == "E-UNBOUND 3:14");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet q "
             "= Buf[u32](2); reduce + q[0] for i in n yield x[i];",
             kHelp) == "E-REDUCE-TARGET 3:31");
  CHECK(verdict("fn f(n:usize, x:ro<u32>[n]) { reduce + x[0] for i in n yield x[i]; }") == "E-REDUCE-TARGET 1:40");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = "
             "zeroed;\nreduce + out[0] for i in n yield u64(x[i]);",
             kHelp) == "E-TYPE-MISMATCH 3:34");
}

TEST_CASE("a scan fills all of its output", "[collectors]") {
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet t "
             "= scan + out for i in n yield x[i]; scan + exclusive out parallel i in n yield out[i];",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nscan "
             "+ out for i in n yield out[0];",
             kHelp) == "E-PARALLEL-RACE 3:29");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nscan "
             "+ out for i in k yield x[0];",
             kHelp) == "E-SCAN-EXTENT 3:21");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nscan "
             "+ out for i in len(out) yield x[0];",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet q "
             "= Buf[u32](2); scan + q for i in len(q) yield 1;",
             kHelp) == "E-SCAN-TARGET 3:22");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nscan "
             "+ out for i in n yield 1.0;",
             kHelp) == "E-TYPE-MISMATCH 3:29");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet "
             "t:u64 = scan + out for i in n yield x[i];",
             kHelp) == "E-TYPE-MISMATCH 3:1");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nscan "
             "* out for i in n yield x[i];",
             kHelp) == "E-SCAN-OP 3:1");
  CHECK(verdict("fn f(n:usize, o:rw<f32>[n]) { scan + o for i in n yield 1.0; }") == "ok");
  CHECK(verdict("fn f(n:usize, o:rw<f32>[n]) { scan + o parallel i in n yield 1.0; }") == "E-SCAN-ORDER 1:31");
}

TEST_CASE("a compact keeps what it may, in order", "[collectors]") {
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet "
             "q:usize = compact out for i in n where x[i] > 0 yield x[i];",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet q "
             "= compact out for i in n where noisy() > 0 yield x[i];",
             kHelp) == "ok");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet "
             "q:u64 = compact out for i in n where x[i] > 0 yield x[i];",
             kHelp) == "E-COLLECT-BINDING 3:1");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet q "
             "= compact out for i in k where x[i] > 0 yield x[i];",
             kHelp) == "E-COLLECT-CAPACITY 3:30");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet q "
             "= compact out for i in n where out[i] > 0 yield x[i];",
             kHelp) == "E-COLLECT-SELF-READ 3:1");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet q "
             "= compact out for i in n where 1 yield x[i];",
             kHelp) == "E-TYPE-MISMATCH 3:38");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet q "
             "= compact out for i in n where true yield u64(x[i]);",
             kHelp) == "E-TYPE-MISMATCH 3:49");
  CHECK(body("let n:usize = 64; let k:usize = 4; buffer out:u32[n] = zeroed; buffer x:u32[n] = zeroed;\nlet i "
             "= compact out for i in n where true yield x[i];",
             kHelp) == "E-SHADOW 3:1");
  CHECK(verdict("fn f(n:usize, x:ro<u32>[n]) { let q = compact x for i in n where true yield 1; }") ==
        "E-WRITE-LEASE 1:31");
}
