// Cooperative regions: each refusal beside its nearest accepted program (devices, 10 to 15).
#include <catch2/catch.hpp>

#include "tests/check/checked_source.hpp"

using cairn::CheckedSource;

namespace {

/// A region of `blocks b in g threads t in 64 { body }` over a few arrays from outside; the body begins on line 3.
std::string region(const std::string& body, const std::string& threads = "t in 64") {
  return "fn f(n:usize, x:ro<u32>[n], out:rw<u32>[n], g:usize, d:ro<u32>[n]@device) {\n"
         "blocks b in g threads " +
         threads + " {\n" + body + "\n}\n}\n";
}

std::string judged(const std::string& body, const std::string& threads = "t in 64") {
  return CheckedSource(region(body, threads)).verdict();
}
std::string program(const std::string& text) { return CheckedSource(text).verdict(); }

/// The code and line alone.
std::string at(const std::string& verdict) { return verdict.substr(0, verdict.find(':')); }

std::string message(const std::string& body, const std::string& threads = "t in 64") {
  const CheckedSource checked(region(body, threads));
  return checked.compilation.verdict.accepted() ? "accepted" : checked.first().message;
}

}  // namespace

TEST_CASE("a block's shape is fixed when the program is compiled, whole warps of 32 to 1024 threads", "[cooperative]") {
  CHECK(judged("let v = t;") == "accepted");
  CHECK(judged("let v = t;", "t in 1024") == "accepted");
  CHECK(at(judged("let v = t;", "t in 1056")) == "E-COOP-SHAPE 2");
  CHECK(at(judged("let v = t;", "t in 48")) == "E-COOP-SHAPE 2");
  CHECK(at(judged("let v = t;", "t in 0")) == "E-COOP-SHAPE 2");
  CHECK(at(judged("let v = t;", "t in n")) == "E-COOP-SHAPE 2");
  CHECK(judged("let v = t + r;", "t, r in 16, 4") == "accepted");
  CHECK(judged("let v = t + r + q;", "t, r, q in 4, 4, 2 * 1") == "accepted");
  CHECK(at(judged("let v = t;", "t, t in 16, 4")) == "E-COOP-SHAPE 2");
  CHECK(at(judged("let v = t;", "t, b in 16, 4")) == "E-COOP-SHAPE 2");
  CHECK(at(judged("let v = p;", "p, q, r, s in 2, 2, 2, 8")) == "E-COOP-SHAPE 2");
  CHECK(at(judged("let v = n;", "n in 32")) == "E-SHADOW 2");
  CHECK(judged("let v = t;", "t in 40 - 8") == "accepted");
  CHECK(at(judged("let v = t;", "t in 8 - 40")) == "E-COOP-SHAPE 2");
}

TEST_CASE("a region starts in no lane, no thread and no kernel fn", "[cooperative]") {
  CHECK(at(judged("blocks c in g threads u in 32 { let v = u; }")) == "E-PARALLEL-NEST 3");
  CHECK(at(judged("parallel i in n { let v = i; }")) == "E-PARALLEL-NEST 3");
  CHECK(program("kernel fn k(g:usize) {\nblocks c in g threads u in 32 { let v = u; }\n}") == "E-PARALLEL-NEST 2:1");
}

TEST_CASE("a shared array stands directly in a body, holds scalars, and fits the block", "[cooperative]") {
  CHECK(judged("shared s:u64[6144] = zeroed;\ns[t] = 1;") == "accepted");
  CHECK(at(judged("shared s:u64[6145] = zeroed;\ns[t] = 1;")) == "E-COOP-SHARED 3");
  CHECK(at(judged("shared s:u64[6144] = zeroed;\nshared q:u8[1] = zeroed;\ns[t] = 1;")) == "E-COOP-SHARED 4");
  CHECK(at(judged("if b > 0 {\nshared s:u32[32] = zeroed;\n}")) == "E-COOP-SHARED 4");
  CHECK(at(judged("shared s:u32[0] = zeroed;")) == "E-COOP-SHARED 3");
  CHECK(at(judged("shared s:u32[n] = zeroed;")) == "E-COOP-SHARED 3");
  CHECK(judged("shared s:bf16[64] = zeroed;\nshared q:bool[64] = zeroed;\nq[t] = true;") == "accepted");
  CHECK(program("struct P { a:u32; b:u32; }\nfn f(g:usize) { blocks b in g threads t in 32 {\nshared s:P[32];\n} }") ==
        "E-COOP-SHARED 3:1");
  CHECK(program("fn f() {\nshared s:u32[32];\n}") == "E-COOP-SHARED 2:1");
  CHECK(program("fn f(g:usize) { blocks b in g threads t in 32 { shared s:u32[64]; s[t] = 1; } then threads t in 32 { "
                "shared s:u64[6144]; s[t] = 1; } }") == "accepted");
}

TEST_CASE("a barrier is reached by the whole block", "[cooperative][reach]") {
  CHECK(judged("barrier;") == "accepted");
  CHECK(judged("if b > 3 { barrier; }") == "accepted");
  CHECK(judged("if n > 3 && x[b] == 1 { barrier; }") == "accepted");
  CHECK(at(judged("if t > 3 { barrier; }")) == "E-COOP-BARRIER 3");
  CHECK(at(judged("if t < 32 { barrier; }")) == "E-COOP-BARRIER 3");
  CHECK(at(judged("if b > 3 || x[t] == 1 { barrier; }")) == "E-COOP-BARRIER 3");
  CHECK(judged("for k in 0..n { barrier; }") == "accepted");
  CHECK(at(judged("for k in 0..t { barrier; }")) == "E-COOP-BARRIER 3");
  CHECK(judged("let mut k:usize = 0;\nwhile k < n { barrier;\nk = k + 1; }") == "accepted");
  CHECK(at(judged("let mut k:usize = 0;\nwhile k < n { barrier;\nk = k + t; }")) == "E-COOP-BARRIER 4");
  CHECK(at(judged("let mut k:usize = 0;\nif t == 3 { k = 1; }\nif k == 1 { barrier; }")) == "E-COOP-BARRIER 5");
  CHECK(judged("let mut k:usize = t;\nk = 0;\nfor j in 0..2 { barrier; }") == "accepted");
  CHECK(at(judged("for k in 0..8 {\nif k == n { break; }\nbarrier;\n}")) == "E-COOP-BARRIER 4");
  CHECK(
      at(judged("for k in 0..8 {\nfor j in 0..4 { if j == t { continue; } }\nif k == n { continue; }\nbarrier;\n}")) ==
      "E-COOP-BARRIER 5");
  CHECK(judged("for k in 0..8 {\nfor j in 0..4 { if j == t { break; } }\nbarrier;\n}") == "accepted");
  CHECK(program("fn f() {\nbarrier;\n}") == "E-COOP-BARRIER 2:1");
  CHECK(at(judged("stack a:u32[4] = zeroed;\na[0] = u32(t);\nif a[0] == 1 { barrier; }")) == "E-COOP-BARRIER 5");
  CHECK(at(judged("let v = shuffle(x[b], 0);\nif v == 1 { barrier; }")) == "E-COOP-BARRIER 4");
  CHECK(at(judged("let v = warp_any(x[t] == 1);\nif v { barrier; }")) == "E-COOP-BARRIER 4");
  CHECK(judged("let v = warp_any(x[b] == 1);\nif v { barrier; }") == "accepted");
  CHECK(message("if t > 3 {\nbarrier;\n}")
            .starts_with("barrier must be reached by every thread of the block together, and the condition at line 3 "
                         "differs from thread "
                         "to thread: a thread that skips it leaves the others waiting."));
  CHECK(message("if t / 32 == 1 {\nbarrier;\n}").find("differs from warp to warp") != std::string::npos);
}

TEST_CASE("a loop's second turn is seen with what its first one left", "[cooperative][reach]") {
  CHECK(at(judged("let mut k:usize = 0;\nfor j in 0..2 {\nif k == 1 { barrier; }\nk = t;\n}")) == "E-COOP-BARRIER 5");
  CHECK(judged("let mut k:usize = 0;\nfor j in 0..2 {\nif k == 1 { barrier; }\nk = j;\n}") == "accepted");
  CHECK(at(judged("for j in 0..4 {\nlet w = warp_any(j == 1);\nif x[t] == 1 { break; }\n}")) == "E-COOP-WARP 4");
  CHECK(judged("for j in 0..4 {\nlet w = warp_any(j == 1);\nif x[b] == 1 { break; }\n}") == "accepted");
}

TEST_CASE("a warp operation is reached by whole warps", "[cooperative][reach]") {
  CHECK(judged("if t < 32 { let v = shuffle(t, 1); }") == "accepted");
  CHECK(judged("if t >= 32 { let v = shuffle(t, 1); }") == "accepted");
  CHECK(judged("if t <= 31 { let v = shuffle(t, 1); }") == "accepted");
  CHECK(judged("if 31 < t { let v = shuffle(t, 1); }") == "accepted");
  CHECK(judged("if t / 32 == n { let v = reduce add_wrap warp yield x[t]; }") == "accepted");
  CHECK(at(judged("if t < 33 { let v = shuffle(t, 1); }")) == "E-COOP-WARP 3");
  CHECK(at(judged("if t > 32 { let v = shuffle(t, 1); }")) == "E-COOP-WARP 3");
  CHECK(at(judged("if x[t] == 1 && warp_any(t == 1) { let v = t; }")) == "E-COOP-WARP 3");
  CHECK(judged("if warp_any(t == 1) && x[t] == 1 { let v = t; }") == "accepted");
  CHECK(at(judged("if x[t] == 1 {\nlet v = reduce max warp yield x[t];\n}")) == "E-COOP-WARP 4");
  CHECK(judged("if r == 1 { let v = shuffle(t, 1); }", "t, r in 32, 2") == "accepted");
  CHECK(at(judged("if r == 1 { let v = shuffle(t, 1); }", "t, r in 16, 4")) == "E-COOP-WARP 3");
  CHECK(program("fn f(v:u32) {\nlet w = shuffle(v, 1);\n}") == "E-COOP-WARP 2:9");
  CHECK(program("fn f(v:u32) {\nlet w = reduce max warp yield v;\n}") == "E-COOP-WARP 2:1");
}

TEST_CASE("warp operations take the types they exchange", "[cooperative]") {
  CHECK(judged("let v:bool = shuffle(x[t] == 1, 3);") == "accepted");
  CHECK(judged("let v = shuffle_xor(f32(t), 1);") == "accepted");
  CHECK(at(judged("let v = shuffle(x[t], x[t]);")) == "E-TYPE-MISMATCH 3");
  CHECK(at(judged("let v = shuffle(x[t]);")) == "E-ARITY 3");
  CHECK(at(judged("let v = warp_any(x[t]);")) == "E-TYPE-MISMATCH 3");
  CHECK(at(judged("let v = warp_match(x[t] == 1);")) == "E-TYPE-MISMATCH 3");
  CHECK(at(judged("let v = reduce + warp yield i32(t);")) == "E-REDUCE-OP 3");
  CHECK(judged("let v = reduce min warp yield i32(t);") == "accepted");
  CHECK(at(judged("let v = reduce min warp yield f32(t);")) == "E-REDUCE-OP 3");
  CHECK(program("fn shuffle(a:u32, b:u32) -> u32 = a;\nfn f(v:u32) -> u32 = shuffle(v, v);") == "accepted");
}

TEST_CASE("in one phase no two threads touch one element where either writes", "[cooperative][phase-rule]") {
  const std::string s = "shared s:u32[64] = zeroed;\n";
  CHECK(judged(s + "s[t] = 1;") == "accepted");
  CHECK(at(judged(s + "s[t / 2] = 1;")) == "E-COOP-CONFLICT 4");
  CHECK(judged(s + "s[t] = 1;\nbarrier;\nlet v = s[63 - t];") == "accepted");
  CHECK(at(judged(s + "s[t] = 1;\nlet v = s[63 - t];")) == "E-COOP-UNORDERED 5");
  CHECK(at(judged(s + "let v = s[63 - t];\ns[t] = 1;")) == "E-COOP-REUSE 5");
  CHECK(judged(s + "let v = s[63 - t];\nbarrier;\ns[t] = 1;") == "accepted");
  CHECK(at(judged(s + "s[usize(x[t] % 64)] = 1;")) == "E-COOP-UNDECIDED 4");
  CHECK(judged(s + "if t == 5 { s[usize(x[t] % 64)] = 1; }") == "accepted");
  CHECK(judged(s + "atomic_add_wrap(s[usize(x[t] % 64)], 1);") == "accepted");
  CHECK(at(judged(s + "atomic_add_wrap(s[0], 1);\nlet v = s[0];")) == "E-ATOMIC-MIXED 5");
  CHECK(judged(s + "atomic_add_wrap(s[0], 1);\nbarrier;\nlet v = s[0];") == "accepted");
  CHECK(judged(s + "if t < 32 { s[t] = 1; } else { s[t] = 2; }") == "accepted");
  CHECK(at(judged(s + "if t < 32 { s[t] = 1; } else { s[t - 32] = 2; }")) == "E-COOP-CONFLICT 4");
  CHECK(judged(s + "if n > 3 { s[t] = 1; } else { s[63 - t] = 2; }") == "accepted");
  CHECK(at(judged(s + "if x[t] > 3 {\ns[t] = 1;\n} else {\ns[63 - t] = 2;\n}")) == "E-COOP-CONFLICT 7");
  CHECK(judged("shared q:u32[256] = zeroed;\nq[b + t] = 1;\nlet v = q[b + t];") == "accepted");
  CHECK(at(judged("shared q:u32[256] = zeroed;\nq[b + t] = 1;\nlet v = q[t];")) == "E-COOP-UNDECIDED 5");
  CHECK(at(judged("shared q:u32[256] = zeroed;\nq[b + t] = 1;\nlet v = q[b + t + 1];")) == "E-COOP-UNORDERED 5");
  CHECK(message(s + "s[t] = 1;\nlet v = s[63 - t];") ==
        "thread t = 63 reads s[0] at line 5, which thread t = 0 writes at line 4, and no barrier stands between. Put a "
        "barrier after line 4 and before line 5 runs.");
}

TEST_CASE("a loop's turns meet where no barrier parts them", "[cooperative][phase-rule]") {
  const std::string s = "shared s:u32[64] = zeroed;\n";
  CHECK(judged(s + "for k in 0..n {\ns[t] = 1;\nbarrier;\nlet v = s[63 - t];\nbarrier;\n}") == "accepted");
  CHECK(at(judged(s + "for k in 0..n {\ns[t] = 1;\nbarrier;\nlet v = s[63 - t];\n}")) == "E-COOP-REUSE 5");
  CHECK(at(judged(s + "for k in 0..3 {\ns[t] = 1;\nbarrier;\nlet v = s[63 - t];\n}")) == "E-COOP-REUSE 5");
  CHECK(judged(s + "for k in 0..1 {\ns[t] = 1;\nbarrier;\nlet v = s[63 - t];\n}") == "accepted");
  CHECK(
      at(judged(s + "let mut k:usize = 1;\nwhile k < 64 {\ns[t] = s[t] + s[(t + k) % 64];\nbarrier;\nk = k * 2;\n}")) ==
      "E-COOP-REUSE 6");
  CHECK(judged(s +
               "let mut k:usize = 32;\nwhile k > 0 {\nif t < k { s[t] = s[t] + s[t + k]; }\nbarrier;\nk = k / 2;\n}") ==
        "accepted");
  CHECK(judged(s + "for k in 0..t % 4 { s[t] = u32(k); }") == "accepted");
  CHECK(at(judged(s + "for k in 0..t % 4 { s[t ^ k] = 1; }")) == "E-COOP-CONFLICT 4");
  CHECK(at(judged(
            "shared s:u32[1024] = zeroed;\nfor i in 0..4000 { for j in 0..4000 { s[(t + i) % 1024] = 1;\nbarrier; } }",
            "t in 1024")) == "E-COOP-UNDECIDED 2");
}

TEST_CASE("arms that the block takes together never meet, in a match as in an if", "[cooperative][phase-rule]") {
  const auto with = [](const std::string& body) {
    return program(
        "enum Way { Up; Down; }\nfn f(way:Way, g:usize) {\nblocks b in g threads t in 64 {\nshared s:u32[64] "
        "= zeroed;\n" +
        body + "\n}\n}");
  };
  CHECK(with("match way {\nUp => { s[t] = 1; }\nDown => { s[t] = 2; }\n}") == "accepted");
  CHECK(at(with("match way {\nUp => { s[t] = 1; }\nDown => { s[63 - t] = 2; }\n}")) == "E-COOP-CONFLICT 7");
  // What stands before a match whose arm waits meets what every other arm does.
  CHECK(at(with("s[t] = 1;\nmatch way {\nUp => { barrier; }\nDown => { let v = s[63 - t]; }\n}")) ==
        "E-COOP-UNORDERED 8");
  CHECK(with("s[t] = 1;\nmatch way {\nUp => { barrier; let v = s[63 - t]; }\nDown => { let v = s[t]; }\n}") ==
        "accepted");
}

TEST_CASE("what a part or a wide access touches is a range of elements", "[cooperative][phase-rule]") {
  const std::string helper = "fn sum(n:usize, v:ro<u32>[n]) -> u32 { return 0; }\nfn fill(n:usize, v:rw<u32>[n]) { }\n";
  const auto with = [&](const std::string& body) {
    return program(helper + "fn f(g:usize) { blocks b in g threads t in 32 {\nshared s:u32[128] = zeroed;\n" + body +
                   "\n} }");
  };
  CHECK(with("fill(s[t * 4..t * 4 + 4]);") == "accepted");
  CHECK(at(with("fill(s[t * 4..t * 4 + 5]);")) == "E-COOP-CONFLICT 5");
  CHECK(with("s[t] = 1;\nbarrier;\nlet v = sum(s);") == "accepted");
  CHECK(at(with("s[t] = 1;\nlet v = sum(s);")) == "E-COOP-UNORDERED 6");
  CHECK(with("let v = load_wide[4](s, t * 4);\nstore_wide(s, t * 4, v);") == "accepted");
  CHECK(at(with("let v = load_wide[4](s, t * 4);\nstore_wide(s, t * 2, v);")) == "E-COOP-CONFLICT 6");
}

TEST_CASE("nothing is read of an unzeroed array that was not surely written", "[cooperative][phase-rule]") {
  const std::string s = "shared s:u32[64];\n";
  CHECK(judged(s + "s[t] = 1;\nlet v = s[t];") == "accepted");
  CHECK(at(judged(s + "let v = s[t];")) == "E-COOP-UNWRITTEN 4");
  CHECK(judged(s + "s[t] = 1;\nbarrier;\nlet v = s[63 - t];") == "accepted");
  CHECK(at(judged(s + "if t < 63 { s[t] = 1; }\nbarrier;\nlet v = s[63 - t];")) == "E-COOP-UNWRITTEN 6");
  CHECK(at(judged(s + "if x[t] == 1 { s[t] = 1; }\nlet v = s[t];")) == "E-COOP-UNWRITTEN 5");
  CHECK(judged(s + "if n == 1 { s[t] = 1; } else { s[t] = 2; }\nbarrier;\nlet v = s[63 - t];") == "accepted");
  CHECK(at(judged(s + "if n == 1 { s[t] = 1; }\nbarrier;\nlet v = s[63 - t];")) == "E-COOP-UNWRITTEN 6");
  CHECK(at(judged(s + "for k in 0..n { s[t] = 1; }\nlet v = s[t];")) == "E-COOP-UNWRITTEN 5");
  CHECK(judged(s + "for k in 0..2 { s[t] = 1; }\nlet v = s[t];") == "accepted");
  CHECK(judged(s + "s[t] = 1;\nbarrier;\nif t == 0 { let v = s[usize(x[t] % 64)]; }") == "accepted");
  CHECK(at(judged(s + "if t < 63 { s[t] = 1; }\nbarrier;\nif t == 0 { let v = s[usize(x[t] % 64)]; }")) ==
        "E-COOP-UNWRITTEN 6");
  CHECK(at(judged(s + "atomic_add_wrap(s[t], 1);")) == "E-COOP-UNWRITTEN 4");
  CHECK(
      message(s + "if t == 0 { s[0] = 1; }\nbarrier;\nif t == 1 { let v = s[1]; }") ==
      "s is declared without `= zeroed`, and thread t = 1 reads s[1] at line 6, and no thread surely wrote that "
      "element first. Write it first, in this thread or in another before a barrier, or declare the array `= zeroed`.");
}

TEST_CASE("an array from outside has one writer an element", "[cooperative][outside]") {
  CHECK(judged("out[b * 64 + t] = 1;") == "accepted");
  CHECK(at(judged("out[b * 63 + t] = 1;")) == "E-COOP-GLOBAL 3");
  CHECK(at(judged("out[t] = 1;")) == "E-COOP-GLOBAL 3");
  CHECK(judged("if b == 0 { out[t] = 1; }") == "accepted");
  CHECK(at(judged("out[b] = 1;")) == "E-COOP-GLOBAL 3");
  CHECK(judged("if t == n { out[b] = 1; }") == "accepted");
  CHECK(at(judged("if t >= 62 { out[b] = 1; }")) == "E-COOP-GLOBAL 3");
  CHECK(judged("if t >= 63 { out[b] = 1; }") == "accepted");
  CHECK(judged("out[b * 64 + (63 - t)] = 1;") == "accepted");
  CHECK(at(judged("out[b * 64 + t * t] = 1;")) == "E-COOP-GLOBAL 3");
  CHECK(judged("for k in 0..4 { out[(b * 64 + t) * 4 + k] = 1; }") == "accepted");
  CHECK(at(judged("for k in 0..5 { out[(b * 64 + t) * 4 + k] = 1; }")) == "E-COOP-GLOBAL 3");
  CHECK(at(judged("for k in 0..t { out[(b * 64 + t) * 64 + k] = 1; }")) == "E-COOP-GLOBAL 3");
  CHECK(judged("out[(b * 64 + t) * 2] = 1;\nout[(b * 64 + t) * 2 + 1] = 1;") == "accepted");
  CHECK(at(judged("out[b * 64 + t] = 1;\nout[b * 64 + t + 1] = 1;")) == "E-COOP-GLOBAL 3");
  CHECK(at(judged("out[usize(x[t])] = 1;")) == "E-COOP-GLOBAL 3");
  CHECK(judged("let i = b * 64 + t;\nif i < n { out[i] = out[i] + 1; }") == "accepted");
  CHECK(at(judged("let i = b * 64 + t;\nif i < n { out[i] = 1; }\nlet v = out[i];")) == "E-COOP-GLOBAL 5");
  CHECK(at(judged("atomic_add_wrap(out[0], 1);\nlet v = out[b * 64 + t];")) == "E-ATOMIC-MIXED 4");
  CHECK(judged("atomic_add_wrap(out[usize(x[t])], 1);\natomic_add_wrap(out[0], 1);") == "accepted");
  CHECK(at(judged("let mut i = b * 64 + t;\nwhile i < n { out[i] = 1;\ni += g * 64; }")) == "E-COOP-GLOBAL 4");
}

TEST_CASE("a finish has the region's threads, its own names, and sees what the blocks wrote", "[cooperative]") {
  const auto with = [](const std::string& finish) {
    return program(
        "fn f(g:usize, part:rw<u32>[g], out:rw<u32>[1]) {\nblocks b in g threads t in 64 {\nif t == 0 { "
        "part[b] = 1; }\n} " +
        finish + "\n}");
  };
  CHECK(with("then threads t in 64 { if t == 0 { out[0] = part[g - 1]; } }") == "accepted");
  CHECK(with("then threads x, y in 8, 8 { if x == 0 && y == 0 { out[0] = part[0]; } }") == "accepted");
  CHECK(at(with("then threads t in 32 { let v = t; }")) == "E-COOP-SHAPE 4");
  CHECK(at(with("then threads t in 64 {\nlet v = b;\n}")) == "E-UNBOUND 5");
  CHECK(at(with("then threads t in 64 {\nout[0] = 1;\n}")) == "E-COOP-GLOBAL 5");
  CHECK(program("fn f(g:usize, part:rw<u32>[g], d:rw<u32>[1]@device) {\nblocks b in g threads t in 64 {\nif t == 0 { "
                "part[b] = 1; }\n} then threads t in 64 { if t == 0 { d[0] = 1; } }\n}") == "E-PLACEMENT 4:3");
}

TEST_CASE("a pipeline's stages are filled, waited for, read and released in turn", "[cooperative][stages]") {
  const std::string p = "pipeline p:u32[64] depth 2;\n";
  const std::string fill = "p.fill(x, 0, 64);\n";
  CHECK(judged(p + fill + "p.wait();\nlet v = p[t];\np.release();") == "accepted");
  CHECK(at(judged(p + fill + "let v = p[t];\np.wait();\np.release();")) == "E-STAGE-UNREADY 5");
  CHECK(at(judged(p + "p.wait();")) == "E-STAGE-UNREADY 4");
  CHECK(at(judged(p + fill + "p.release();")) == "E-STAGE-UNREADY 5");
  CHECK(at(judged(p + fill + fill + fill)) == "E-STAGE-BUSY 6");
  CHECK(at(judged(p + fill + fill + "p.wait();\np.wait();")) == "E-STAGE-BUSY 7");
  CHECK(judged(p + fill + fill + "p.wait();\np.release();\nbarrier;\n" + fill) == "accepted");
  CHECK(at(judged(p + fill + fill + "p.wait();\np.release();\n" + fill)) == "E-STAGE-BUSY 8");
  CHECK(at(judged(p + "if n > 1 { p.fill(x, 0, 0); }")) == "E-STAGE-LOOP 4");
  CHECK(judged(p + "if n > 1 { p.fill(x, 0, 0); } else { p.fill(x, 0, 1); }") == "accepted");
  CHECK(at(judged(p + "for k in 0..n { p.fill(x, 0, 0); }")) == "E-STAGE-LOOP 4");
  CHECK(judged(p + "for k in 0..2 { p.fill(x, 0, 0); }") == "accepted");
  CHECK(at(judged(p + "for k in 0..3 {\np.fill(x, 0, 0);\n}")) == "E-STAGE-BUSY 5");
  CHECK(judged(p + "for k in 0..n { p.fill(x, 0, 0);\np.wait();\np.release();\nbarrier; }") == "accepted");
  CHECK(at(judged(p + "for k in 0..n { p.fill(x, 0, 0);\np.wait();\np.release(); }")) == "E-STAGE-LOOP 4");
  CHECK(at(judged(p + "for k in 0..2 {\np.fill(x, 0, 0);\nif n == k { break; }\n}")) == "E-STAGE-LOOP 6");
  CHECK(at(judged(p + "if t < 3 { p.fill(x, 0, 0); }")) == "E-COOP-BARRIER 4");
}

TEST_CASE("a pipeline's shape and operations", "[cooperative][stages]") {
  const std::string p = "pipeline p:u32[64] depth 2;\n";
  CHECK(at(judged("pipeline p:u16[64] depth 2;")) == "E-COOP-SHARED 3");
  CHECK(at(judged("pipeline p:u32[0] depth 2;")) == "E-COOP-SHARED 3");
  CHECK(at(judged("pipeline p:u32[64] depth 9;")) == "E-COOP-SHARED 3");
  CHECK(at(judged("pipeline p:u64[6144] depth 2;")) == "E-COOP-SHARED 3");
  CHECK(at(judged(p + "p.drain();")) == "E-CALLEE 4");
  CHECK(at(judged(p + "p.fill(x, 0);")) == "E-ARITY 4");
  CHECK(at(judged(p + "p.wait(1);")) == "E-ARITY 4");
  CHECK(at(judged("shared s:u32[64] = zeroed;\n" + p + "p.fill(s, 0, 64);")) == "E-PLACEMENT 5");
  CHECK(program("fn f(n:usize, x:ro<u64>[n], g:usize) { blocks b in g threads t in 32 { pipeline p:u32[32] depth "
                "1;\np.fill(x, 0, 0);\n} }") == "E-TYPE-MISMATCH 2:8");
  // A fill reads all of its source.
  CHECK(at(judged(p + "p.fill(out, 0, 64);\nout[b * 64 + t] = 1;")) == "E-COOP-GLOBAL 4");
}

TEST_CASE("a thread is a lane, and its closures name no array", "[cooperative]") {
  CHECK(program("fn f(g:usize) {\nlet mut seen:u64 = 0;\nblocks b in g threads t in 32 {\nseen = 1;\n}\n}") ==
        "E-PARALLEL-WRITE 4:1");
  CHECK(at(judged("return;")) == "E-PARALLEL-CONTROL 3");
  CHECK(at(judged("println(t);")) == "E-PARALLEL-CALL 2");
  CHECK(at(judged("break;")) == "E-LOOP-CONTROL 3");
  const auto with = [](const std::string& body) {
    return program(
        "fn call(job:ro<fn()>) { job(); }\nfn f(n:usize, x:ro<u32>[n], g:usize) {\nblocks b in g threads t "
        "in 32 {\nshared s:u64[32] = zeroed;\n" +
        body + "\n}\n}");
  };
  CHECK(with("call(|| { let v = t + b; });") == "accepted");
  CHECK(at(with("call(|| { s[t] = 1; });")) == "E-COOP-UNDECIDED 5");
  CHECK(at(with("call(|| { let v = x[t]; });")) == "E-COOP-UNDECIDED 5");
  CHECK(at(judged("let v = d[0];\nlet w = x[0];")) == "E-PLACEMENT 4");
}
