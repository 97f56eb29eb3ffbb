#!/usr/bin/env python3
"""What a derivative costs beside its function: gradient_cost.py [--tier T] [--rounds N]. For straight-line code (called
for each element of two arrays, so that little else is done beside it) and for reductions, a program that calls the
function and one that calls its gradient as often, interleaved; processor time of whole processes less that of a program
that calls neither, the median of the ratios."""
import argparse, pathlib, statistics, tempfile

from measure import CAIRN, run

SIZE = 4096

EACH = "for i in 0..SIZE {{ {} }}"
GRADIENT = "let mut da:f64 = 0.0; let mut db:f64 = 0.0; let v = f_grad(x[i], y[i], 1.0, da, db); total += v; slopes += da + db;"

# name -> the function, how it is called and how its gradient is; x and y are views of SIZE elements, a and b numbers.
CASES = {
    "straight line": (
        "fn f(a:f64, b:f64) -> f64 { let p = a * b + 0.5; let q = p / (1.0 + a * a); let r = sqrt(q * q + 1.0); return r * p - b; }",
        EACH.format("total += f(x[i], y[i]);"), EACH.format(GRADIENT), 4000),
    "straight line, calls": (
        "fn g(v:f64) -> f64 { return v / (1.0 + v * v); }\nderive grad for g;\n"
        "fn f(a:f64, b:f64) -> f64 { let p = g(a * b); let q = g(p + b); return p * q; }",
        EACH.format("total += f(x[i], y[i]);"), EACH.format(GRADIENT), 4000),
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
  println(total + slopes + dx[7] + dy[9]);
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
            print(f"{name:22} gradient / function {statistics.median(ratios):5.2f}   (function {plain - empty:.3f} s)", flush=True)


main()
