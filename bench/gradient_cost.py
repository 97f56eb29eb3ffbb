#!/usr/bin/env python3
"""What a derivative costs beside its function: gradient_cost.py [--tier T] [--rounds N]. For straight-line code (called
for each element of two arrays, so that little else is done beside it) and for reductions, a program that calls the
function and one that calls its gradient as often, interleaved; processor time of whole processes less that of a program
that calls neither, the median of the ratios. The bar is 5 for straight-line code and reductions; what is above it is told."""
import argparse, pathlib, statistics, tempfile

from measure import CAIRN, run

SIZE = 4096

EACH = "for i in 0..SIZE {{ {} }}"
GRADIENT = "let mut da:f64 = 0.0; let mut db:f64 = 0.0; let v = f_grad(x[i], y[i], 1.0, da, db); total += v; slopes += da + db;"

# name -> the function, how it is called and how its gradient is; x and y are views of SIZE elements, a and b numbers.
CASES = {
    "straight line": (
        "fn f(a:f64, b:f64) -> f64 { let p = a * b + 0.5; let q = p / (1.0 + a * a); let r = sqrt(q * q + 1.0); return r * p - b; }",
        EACH.format("total += f(x[i], y[i]);"), EACH.format(GRADIENT), 40000),
    "straight line, calls": (
        "fn g(v:f64) -> f64 { return v / (1.0 + v * v); }\nderive grad for g;\n"
        "fn f(a:f64, b:f64) -> f64 { let p = g(a * b); let q = g(p + b); return p * q; }",
        EACH.format("total += f(x[i], y[i]);"), EACH.format(GRADIENT), 40000),
    "dot product": (
        "fn f(x:ro<f64>[SIZE], y:ro<f64>[SIZE]) -> f64 { let s = reduce + for i in SIZE yield x[i] * y[i]; return s; }",
        "total += f(x, y);", "let v = f_grad(x, y, 1.0, dx, dy); total += v;", 20000),
    "exact sum of squares": (
        "fn f(x:ro<f64>[SIZE]) -> f64 { let s = reduce + parallel i in SIZE yield x[i] * x[i]; return s; }",
        "total += f(x);", "let v = f_grad(x, 1.0, dx); total += v;", 20000),
    "variance": (
        "fn f(x:ro<f64>[SIZE]) -> f64 { let m = reduce + for i in SIZE yield x[i]; let mut s:f64 = 0.0; for i in 0..SIZE "
        "{ let d = x[i] - m / 4096.0; s += d * d; } return s / 4096.0; }",
        "total += f(x);", "let v = f_grad(x, 1.0, dx); total += v;", 20000),
    "squared error": (
        "fn f(x:ro<f64>[SIZE], y:ro<f64>[SIZE], a:f64, b:f64) -> f64 { let mut s:f64 = 0.0; for i in 0..SIZE { let off = a * x[i] + b - y[i]; "
        "s += off * off; } return s; }",
        "total += f(x, y, a, b);", "let mut da:f64 = 0.0; let mut db:f64 = 0.0; let v = f_grad(x, y, a, b, 1.0, dx, dy, da, db); total += v; slopes += da + db;", 20000),
    "log sum exp": (
        "fn f(x:ro<f64>[SIZE]) -> f64 { let mut s:f64 = 0.0; for i in 0..SIZE { let e = math.exp(x[i]); s += e; } let l = math.log(s); return l; }",
        "total += f(x);", "let v = f_grad(x, 1.0, dx); total += v;", 1000),
    "polynomial": (
        "fn f(a:f64, b:f64) -> f64 { let p = ((((0.1 * a + 0.2) * a - 0.3) * a + b) * a - 0.7) * a + 1.5; return p * p - b; }",
        EACH.format("total += f(x[i], y[i]);"), EACH.format(GRADIENT), 40000),
    "branch": (  # Huber's loss: which way is taken changes with the element
        "fn f(a:f64, b:f64) -> f64 { let off = a - b; if abs(off) < 0.25 { return 0.5 * off * off; } return 0.25 * (abs(off) - 0.125); }",
        EACH.format("total += f(x[i], y[i]);"), EACH.format(GRADIENT), 40000),
    "branch in a chain": (
        "fn g(v:f64) -> f64 { if v < 0.5 { return v * v; } else if v < 0.75 { return v - 0.25; } return 0.5 * v + 0.125; }\nderive grad for g;\n"
        "fn f(a:f64, b:f64) -> f64 { let p = g(a) * b; return g(p) + a; }",
        EACH.format("total += f(x[i], y[i]);"), EACH.format(GRADIENT), 40000),
    "calls of calls": (
        "fn h(v:f64) -> f64 { return v / (1.0 + abs(v)); }\nderive grad for h;\n"
        "fn g(v:f64, w:f64) -> f64 { let t = h(v * w); return t * w + v; }\nderive grad for g;\n"
        "fn f(a:f64, b:f64) -> f64 { let p = g(a, b); let q = g(p, a); return p * q - b; }",
        EACH.format("total += f(x[i], y[i]);"), EACH.format(GRADIENT), 20000),
    "sigmoid": (
        "fn f(a:f64, b:f64) -> f64 { let s = 1.0 / (1.0 + math.exp(-a)); return s * b; }",
        EACH.format("total += f(x[i], y[i]);"), EACH.format(GRADIENT), 1000),
    "logistic loss": (
        "fn f(x:ro<f64>[SIZE], y:ro<f64>[SIZE], a:f64, b:f64) -> f64 { let mut s:f64 = 0.0; for i in 0..SIZE { let z = a * x[i] + b; let e = math.exp(z); let l = math.log(1.0 + e); "
        "s += l - y[i] * z; } return s; }",
        "total += f(x, y, a, b);", "let mut da:f64 = 0.0; let mut db:f64 = 0.0; let v = f_grad(x, y, a, b, 1.0, dx, dy, da, db); total += v; slopes += da + db;", 500),
    "softmax": (
        "fn f(x:ro<f64>[SIZE], out:rw<f64>[SIZE]) { let mut s:f64 = 0.0; for i in 0..SIZE { let e = math.exp(x[i]); s += e; } for i in 0..SIZE { let t = math.exp(x[i]); out[i] = t / s; } }",
        "f(x, out); total += out[3];", "f_grad(x, out, dx, y); total += out[3];", 500),
    "cross entropy": (
        "fn f(x:ro<f64>[SIZE], k:usize) -> f64 { let mut s:f64 = 0.0; for i in 0..SIZE { let e = math.exp(x[i]); s += e; } let l = math.log(s); return l - x[k]; }",
        "total += f(x, k % SIZE);", "let v = f_grad(x, k % SIZE, 1.0, dx); total += v;", 500),
    "dense layer": (  # of 64 outputs and 64 inputs; y's last elements are the offsets
        "fn unit(w:ro<f64>[64], x:ro<f64>[64], c:f64) -> f64 { let s = reduce + for i in 64 yield w[i] * x[i]; let z = s + c; return z / (1.0 + abs(z)); }\n"
        "derive grad for unit;\n"
        "fn f(w:ro<f64>[SIZE], x:ro<f64>[64], y:ro<f64>[64], out:rw<f64>[64]) { for j in 0..64 { out[j] = unit(w[j * 64..j * 64 + 64], x, y[j]); } }",
        "f(x, y[0..64], y[64..128], out[0..64]); total += out[3];",
        "f_grad(x, y[0..64], y[64..128], out[0..64], dx, dy[0..64], dy[64..128], y[128..192]); total += out[3];", 20000),
    # Maps, which the bar does not speak of: adjoints of numbers are sums in the order of the elements.
    "convolution": (
        "fn f(x:ro<f64>[SIZE], a:f64, b:f64, out:rw<f64>[SIZE]) { for i in 0..SIZE - 2 { out[i] = a * x[i] + b * x[i + 1] + a * x[i + 2]; } }",
        "f(x, a, b, out); total += out[3];", "let mut da:f64 = 0.0; let mut db:f64 = 0.0; f_grad(x, a, b, out, dx, da, db, y); total += out[3]; slopes += da + db;", 20000),
    "lanes": (
        "fn f(x:ro<f64>[SIZE], a:f64, out:rw<f64>[SIZE]) { parallel i in SIZE { out[i] = x[i] * a / (1.0 + x[i] * x[i]); } }",
        "f(x, a, out); total += out[3];", "let mut da:f64 = 0.0; f_grad(x, a, out, dx, da, y); total += out[3]; slopes += da;", 10000),
}


def program(function, call, count):
    return f"""import std.math;
const SIZE:usize = {SIZE};
{function}
derive grad for f;
fn main() -> i32 {{
  buffer x:f64[SIZE] = zeroed;
  buffer y:f64[SIZE] = zeroed;
  buffer dx:f64[SIZE] = zeroed;
  buffer dy:f64[SIZE] = zeroed;
  buffer out:f64[SIZE] = zeroed;
  for i in 0..SIZE {{ x[i] = f64(i % 61) / 61.0; y[i] = f64(i % 53) / 53.0; }}
  let mut slopes:f64 = 0.0;
  let mut a:f64 = 0.25;
  let mut b:f64 = 0.75;
  let mut total:f64 = 0.0;
  for k in 0..{count} {{
    {call}
    a = f64(k % 17) / 16.0;
    b = f64(k % 13) / 16.0;
    x[k % SIZE] = a;
  }}
  println(total + slopes + dx[7] + dy[9] + out[5]);
  return 0;
}}
"""


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--cairn", default=str(CAIRN))
    options.add_argument("--tier", default="auto")
    options.add_argument("--rounds", type=int, default=7)
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, (function, call, gradient, count) in CASES.items():
            commands = []
            for which, text in (("neither", ""), ("function", call), ("gradient", gradient)):
                path = pathlib.Path(folder) / f"{which}.cairn"
                path.write_text(program(function, text, count))
                commands.append([options.cairn, "run", f"--tier={options.tier}", str(path)])
            ratios = []
            for _ in range(options.rounds):
                empty, plain, derived = (run(command, cpu=True) for command in commands)
                ratios.append((derived - empty) / (plain - empty))
            ratio = statistics.median(ratios)
            print(f"{name:22} gradient / function {ratio:5.2f}   (function {plain - empty:.3f} s){' above 5' if ratio > 5 else ''}", flush=True)


main()
