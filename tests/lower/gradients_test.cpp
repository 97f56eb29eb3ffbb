// Derived gradients against central differences: every adjoint of every function below, at three points, is held to
// (f(v + h) - f(v - h)) / 2h. The functions have nothing to do with the rules that differentiate them.
#include <catch2/catch.hpp>

#include <sstream>
#include <string>
#include <vector>

#include "frontend/expand/expand.hpp"
#include "frontend/frontend.hpp"
#include "tests/lower/support.hpp"

using namespace cairn;

namespace {

struct Differentiated {
  const char* name;
  const char* text;  // declares `f`, with what it needs, and derives its gradient
};

// f(n, x, w, k, c) -> f64: views x and w, scalars k and c.
const std::vector<Differentiated> kScalar = {
    {"a polynomial", "fn f(PARAMETERS) -> f64 = 3.0 * k * k * k - 2.0 * k * c + c * c - k + 7.0;"},
    {"a quotient", "fn f(PARAMETERS) -> f64 = (k + 2.0 * c) / (1.0 + k * k + c * c);"},
    {"a quotient of quotients", "fn f(PARAMETERS) -> f64 = (k / (c + 3.0)) / (x[0] / (x[1] + 4.0) + 2.0);"},
    {"a root", "fn f(PARAMETERS) -> f64 = sqrt(k * k + c * c + 1.0) * c;"},
    {"nested roots", "fn f(PARAMETERS) -> f64 = sqrt(1.0 + sqrt(2.0 + k * k) * sqrt(3.0 + c * c));"},
    {"magnitudes", "fn f(PARAMETERS) -> f64 = abs(k - 9.0) * c + abs(c + 9.0 - k) - abs(-k - 20.0) * k;"},
    {"steps beside a slope", "fn f(PARAMETERS) -> f64 = floor(k) * c + ceil(c) * k + trunc(k * c) + k;"},
    {"the euclidean norm",
     "fn f(PARAMETERS) -> f64 { let s = reduce + for i in n yield x[i] * x[i]; return sqrt(s + 0.5); }"},
    {"a dot product over the exact sum",
     "fn f(PARAMETERS) -> f64 { let s = reduce + parallel i in n yield x[i] * w[i] * k; return s * s + c; }"},
    {"a mean squared error", R"(
fn f(PARAMETERS) -> f64 {
  let mut total:f64 = 0.0;
  for i in 0..n { let off = k * x[i] + c - w[i]; total += off * off; }
  return total / f64(n);
})"},
    {"a mean absolute error", R"(
fn f(PARAMETERS) -> f64 {
  let mut total:f64 = 0.0;
  for i in 0..n { total += abs(k * x[i] + c - w[i] - 30.0); }
  return total / f64(n);
})"},
    {"a huber loss", R"(
fn huber(v:f64, d:f64) -> f64 {
  if v < -d { return d * (-v - 0.5 * d); }
  if v > d { return d * (v - 0.5 * d); }
  return 0.5 * v * v;
}
derive grad for huber;
fn f(PARAMETERS) -> f64 {
  let mut total:f64 = 0.0;
  for i in 0..n { let off = x[i] - w[i]; let one = huber(off, 0.75); total += one; }
  return total * k + c;
})"},
    {"softmax, the chance of one", R"(
fn f(PARAMETERS) -> f64 {
  let mut total:f64 = 0.0;
  for i in 0..n { let e = math.exp(x[i] * k); total += e; }
  let first = math.exp(x[0] * k);
  return first / total + c;
})"},
    {"log of a sum of exponentials", R"(
fn f(PARAMETERS) -> f64 {
  let mut s:f64 = 0.0;
  for i in 0..n { let e = math.exp(x[i] - c); s += e; }
  let l = math.log(s);
  return l + c * k;
})"},
    {"cross entropy of a softmax", R"(
fn f(PARAMETERS) -> f64 {
  let mut s:f64 = 0.0;
  for i in 0..n { let e = math.exp(x[i]); s += e; }
  let l = math.log(s);
  let hit = reduce + for i in n yield w[i] * x[i];
  let weight = reduce + for i in n yield w[i];
  return weight * l - hit + k * c;
})"},
    {"a temperature softmax mean", R"(
fn f(PARAMETERS) -> f64 {
  let t = 1.0 + k * k;
  let mut s:f64 = 0.0;
  for i in 0..n { let z = math.exp(x[i] / t); s += z; }
  let mut mean:f64 = 0.0;
  for i in 0..n { let e = math.exp(x[i] / t); mean += e * w[i] / s; }
  return mean + c;
})"},
    {"a logistic", R"(
fn logistic(v:f64) -> f64 { let e = math.exp(-v); return 1.0 / (1.0 + e); }
derive grad for logistic;
fn f(PARAMETERS) -> f64 { let p = logistic(k * c); let q = logistic(x[0] + p); return p * q; }
)"},
    {"binary cross entropy", R"(
fn f(PARAMETERS) -> f64 {
  let mut total:f64 = 0.0;
  for i in 0..n {
    let e = math.exp(-(x[i] * k + c));
    let p = 1.0 / (1.0 + e);
    let a = math.log(p);
    let b = math.log(1.0 - p);
    total -= 0.25 * a + 0.75 * b;
  }
  return total;
})"},
    {"a softplus by branches", R"(
fn f(PARAMETERS) -> f64 {
  if k > 20.0 { return k * c; }
  let e = math.exp(k);
  let l = math.log(1.0 + e);
  return l * c + x[1];
})"},
    {"a branch on an input, else if", R"(
fn f(PARAMETERS) -> f64 {
  if k < -1.0 { return k * k * c; } else if k < 1.0 { let t = k * c; return t * t; } else { return c / k + x[2]; }
})"},
    {"a branch that only looks", R"(
fn f(PARAMETERS) -> f64 {
  let a = k * x[0];
  if a > 0.0 { let b = a * a; if b > 100.0 { return b; } }
  return a * c;
})"},
    {"a variance", R"(
fn f(PARAMETERS) -> f64 {
  let s = reduce + for i in n yield x[i];
  let mean = s / f64(n);
  let v = reduce + for i in n yield (x[i] - mean) * (x[i] - mean);
  return v / f64(n) * k + c;
})"},
    {"a layer normalization, one element", R"(
fn f(PARAMETERS) -> f64 {
  let s = reduce + for i in n yield x[i];
  let mean = s / f64(n);
  let v = reduce + for i in n yield (x[i] - mean) * (x[i] - mean);
  return (x[1] - mean) / sqrt(v / f64(n) + 0.01) * k + c;
})"},
    {"neighbours in a loop", R"(
fn f(PARAMETERS) -> f64 {
  let mut s:f64 = k;
  for i in 1..n { s += (x[i] - x[i - 1]) * (x[i] - x[i - 1]) * c; s -= w[n - i] * x[0]; }
  return s;
})"},
    {"a reduction within a loop", R"(
fn f(PARAMETERS) -> f64 {
  let mut s:f64 = 0.0;
  for i in 0..n { let r = reduce + for j in n yield x[j] * w[i] * k; s += r * r; }
  return s + c;
})"},
    {"a call chain", R"(
fn inner(a:f64, b:f64) -> f64 = a * b / (a + b);
fn middle(a:f64, b:f64) -> f64 { let p = inner(a * a, b + 5.0); return p * b; }
derive grad for middle;
derive grad for inner;
fn f(PARAMETERS) -> f64 { let p = middle(k, c); let q = middle(c, p + 1.0); return q - p; }
)"},
    {"parts of views through calls", R"(
fn norm(m:usize, v:ro<f64>[m], s:f64) -> f64 { let t = reduce + for i in m yield v[i] * v[i] * s; return t; }
derive grad for norm;
fn f(PARAMETERS) -> f64 {
  let a = norm(2, x[0..2], k);
  let b = norm(n - 2, x[2..n], c);
  let d = norm(n, w, 2.0);
  return a - 2.0 * b + d;
})"},
    {"a dense layer and a loss, called per row", R"(
fn row(m:usize, v:ro<f64>[m], u:ro<f64>[m], bias:f64) -> f64 {
  let s = reduce + for i in m yield v[i] * u[i];
  let e = math.exp(-(s + bias));
  return 1.0 / (1.0 + e);
}
derive grad for row;
fn f(PARAMETERS) -> f64 {
  let a = row(n, x, w, k);
  let b = row(n - 1, x[1..n], w[0..n - 1], c);
  return (a - 0.25) * (a - 0.25) + (b - 0.75) * (b - 0.75);
})"},
    {"conversions to f32 and back", "fn f(PARAMETERS) -> f64 = f64(f32(k * 0.5)) * 0.0 + f64(f32(2.0)) * k * c;"},
    {"data between", R"(
fn pick(v:f64) -> usize { if v > 0.0 { return 1; } return 0; }
fn f(PARAMETERS) -> f64 = x[pick(k)] * f64(pick(c) + 2) * k + f64(u32(abs(k))) * c;
)"},
    {"powers by repeated products", "fn f(PARAMETERS) -> f64 = k * k * k * k * c * c * c * x[0] * x[0] / 16.0;"},
    {"negations", "fn f(PARAMETERS) -> f64 = -(-(k - -c) * -(k + 2.0 * -x[0])) - -k;"},
    {"a determinant", R"(
fn f(PARAMETERS) -> f64 = x[0] * (w[1] * k - w[2] * c) - x[1] * (w[0] * k - w[2] * x[2]) + x[2] * (w[0] * c - w[1] * x[2]);
)"},
    {"a polynomial by Horner, unrolled",
     "fn f(PARAMETERS) -> f64 = (((x[0] * k + x[1]) * k + x[2]) * k + x[3]) * k + c;"},
};

// f(n, x, w, k, c, out) writes a view; what is differentiated is sum of out[i] * g[i].
const std::vector<Differentiated> kWriting = {
    {"a region that scales", "fn f(PARAMETERS, out:rw<f64>[n]) { parallel i in n { out[i] = x[i] * k + c; } }"},
    {"a region with lets", R"(
fn f(PARAMETERS, out:rw<f64>[n]) {
  let both = k * c;
  parallel i in n { let a = x[i] * both; let b = a * a + w[i]; out[i] = b / (1.0 + a * a); }
})"},
    {"a region with a magnitude and a root", R"(
fn f(PARAMETERS, out:rw<f64>[n]) {
  parallel i in n { out[i] = abs(x[i] * k - 40.0) * sqrt(w[i] * w[i] + c * c + 0.5); }
})"},
    {"a loop that reads neighbours", R"(
fn f(PARAMETERS, out:rw<f64>[n]) { for i in 0..n { out[i] = x[(i + 1) % n] * k - w[n - 1 - i] * x[i] * c; } }
)"},
    {"a softmax", R"(
fn f(PARAMETERS, out:rw<f64>[n]) {
  let mut s:f64 = 0.0;
  for i in 0..n { let z = math.exp(x[i] * k); s += z; }
  for i in 0..n { let e = math.exp(x[i] * k); out[i] = e / s + c * w[i]; }
})"},
    {"a dense layer", R"(
fn f(PARAMETERS, out:rw<f64>[n]) {
  for i in 0..n { let s = reduce + for j in n yield x[(i + j) % n] * w[j]; out[i] = s * k + c; }
})"},
    {"a branch that writes by another formula", R"(
fn f(PARAMETERS, out:rw<f64>[n]) {
  let p = k * c;
  if p < -1000.0 { return; }
  parallel i in n { out[i] = p * x[i] - w[i]; }
})"},
};

const char* const kDriver = R"(
import std.math;
TEXT
derive grad for f;
fn value(n:usize, x:ro<f64>[n], w:ro<f64>[n], k:f64, c:f64, g:ro<f64>[n]) -> f64 {
VALUE
}
fn near(a:f64, b:f64) -> bool = abs(a - b) <= 0.0000005 * (1.0 + abs(a) + abs(b));
fn main() -> i32 {
  let n:usize = 4;
  let h = 0.00001;
  buffer x:f64[n] = zeroed;
  buffer w:f64[n] = zeroed;
  buffer g:f64[n] = zeroed;
  buffer dx:f64[n] = zeroed;
  buffer dw:f64[n] = zeroed;
  buffer out:f64[n] = zeroed;
  for point in 0..3 {
    let p = f64(point);
    for i in 0..n {
      x[i] = 0.3 + 0.45 * f64(i) - 0.37 * p * f64(i % 2);
      w[i] = 1.1 - 0.6 * f64(i) + 0.21 * p;
      g[i] = 1.0 + 0.5 * f64(i) - 0.125 * p;
      dx[i] = 0.5;
      dw[i] = -0.25;
    }
    let k = 0.7 + 0.9 * p - 0.3 * p * p * p;
    let c = 1.3 - 0.8 * p;
    let mut dk:f64 = 2.0;
    let mut dc:f64 = 4.0;
    CALL
    let up_k = value(n, x, w, k + h, c, g);
    let down_k = value(n, x, w, k - h, c, g);
    if !near(dk - 2.0, (up_k - down_k) / (2.0 * h)) { println("k at ", point, ": ", dk - 2.0); return 1; }
    let up_c = value(n, x, w, k, c + h, g);
    let down_c = value(n, x, w, k, c - h, g);
    if !near(dc - 4.0, (up_c - down_c) / (2.0 * h)) { println("c at ", point, ": ", dc - 4.0); return 2; }
    for i in 0..n {
      let x_at = x[i];
      x[i] = x_at + h;
      let up_x = value(n, x, w, k, c, g);
      x[i] = x_at - h;
      let down_x = value(n, x, w, k, c, g);
      x[i] = x_at;
      if !near(dx[i] - 0.5, (up_x - down_x) / (2.0 * h)) { println("x[", i, "] at ", point, ": ", dx[i] - 0.5); return 3; }
      let w_at = w[i];
      w[i] = w_at + h;
      let up_w = value(n, x, w, k, c, g);
      w[i] = w_at - h;
      let down_w = value(n, x, w, k, c, g);
      w[i] = w_at;
      if !near(dw[i] + 0.25, (up_w - down_w) / (2.0 * h)) { println("w[", i, "] at ", point, ": ", dw[i]); return 4; }
    }
  }
  return 0;
}
)";

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
  return text;
}

/// The program with what its derives print in their place: an ordinary program of the same meaning (8.9).
std::string pasted(const std::string& program) {
  Compilation compilation;
  compilation.sources.add("p.cairn", program);
  CheckOptions options;
  options.packaged = cairn::test::packaged;
  check_program(compilation, options);
  std::string text;
  std::istringstream lines(program);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("derive ")) text += line + "\n";
  }
  return text + expansion_text(compilation);
}

void holds(const Differentiated& each, const std::string& value, const std::string& call) {
  INFO(each.name);
  std::string text = replaced(kDriver, "TEXT", each.text);
  text = replaced(text, "PARAMETERS", "n:usize, x:ro<f64>[n], w:ro<f64>[n], k:f64, c:f64");
  text = replaced(replaced(text, "VALUE", value), "CALL", call);
  const cairn::test::Outcome outcome = cairn::test::run(text);
  CHECK(outcome.trap.empty());
  CHECK(outcome.output.empty());
  CHECK(outcome.status == 0);
  const cairn::test::Outcome again = cairn::test::run(pasted(text));
  CHECK(again.output.empty());
  CHECK(again.status == 0);
}

}  // namespace

TEST_CASE("a gradient is what central differences of its function are", "[gradients]") {
  for (const Differentiated& each : kScalar) {
    holds(each, "let value = f(n, x, w, k, c);\nreturn value * g[1];", "f_grad(n, x, w, k, c, g[1], dx, dw, dk, dc);");
  }
}

TEST_CASE("a gradient of a function that writes a view is what central differences of what it writes are",
          "[gradients]") {
  const std::string value =
      "buffer made:f64[n] = zeroed;\nf(n, x, w, k, c, made);\nlet mut s:f64 = 0.0;\n"
      "for i in 0..n { s += made[i] * g[i]; }\nreturn s;";
  for (const Differentiated& each : kWriting) holds(each, value, "f_grad(n, x, w, k, c, out, dx, dw, dk, dc, g);");
}
