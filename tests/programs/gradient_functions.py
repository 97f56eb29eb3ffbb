"""Functions to differentiate, each in CAIRN: name -> (helpers, text). A function of values takes x:ro<f64>[8] and gives
an f64; one that writes also takes out:rw<f64>[8]. Every one is smooth about the points of `points`."""

SIZE = 8

# Helpers that other functions call; each has its own gradient.
HELPERS = """
fn squashed(v:f64) -> f64 { let e = math.exp(2.0 * v); return 1.0 - 2.0 / (e + 1.0); }
derive grad for squashed;
fn logistic(v:f64) -> f64 { let e = math.exp(-v); return 1.0 / (1.0 + e); }
derive grad for logistic;
fn softened(v:f64) -> f64 { let e = math.exp(v); return math.log(1.0 + e); }
derive grad for softened;
fn leaky(v:f64) -> f64 { if v < 0.0 { return 0.01 * v; } return v; }
derive grad for leaky;
fn length_of(n:usize, v:ro<f64>[n]) -> f64 { let s = reduce + for i in n yield v[i] * v[i]; return sqrt(s); }
derive grad for length_of;
fn dot_of(n:usize, a:ro<f64>[n], b:ro<f64>[n]) -> f64 { let s = reduce + for i in n yield a[i] * b[i]; return s; }
derive grad for dot_of;
fn unit(w:ro<f64>[3], a:f64, b:f64) -> f64 { let out = squashed(w[0] * a + w[1] * b + w[2]); return out; }
derive grad[w] for unit;
"""

VALUES = {
    "polynomial": "return x[0] * x[0] * x[1] - 3.0 * x[2] * x[3] + x[4];",
    "quotient": "return (x[0] + x[1] * x[2]) / (1.0 + x[3] * x[3]) - x[4] / x[5];",
    "hypotenuse": "return sqrt(x[0] * x[0] + x[1] * x[1] + 1.0);",
    "magnitudes": "return abs(x[0] - 3.0) * x[1] + abs(x[2] + 1.0);",
    "exponential": "let e = math.exp(-x[0] * x[1]); return e + x[2];",
    "logarithm": "let l = math.log(x[0] + x[1] * x[1]); return l * x[2];",
    "power": "let l = math.log(x[0]); let p = math.exp(x[1] * l); return p;",
    "entropy_term": "let p = math.log(x[0]); let q = math.log(2.0 - x[0]); return -x[0] * p - (2.0 - x[0]) * q;",
    "gaussian": "let z = (x[0] - x[1]) / x[2]; let l = math.log(x[2]); return -0.5 * z * z - l;",
    "roundings": "return x[0] * x[1] + floor(x[2]) * trunc(x[3]) - ceil(x[4]);",
    "shared_subterm": "let a = x[0] * x[1]; let b = a + x[2]; let c = a * b; return c * b - a;",
    "sum": "let s = reduce + for i in 8 yield x[i]; return s * s;",
    "exact_sum": "let s = reduce + parallel i in 8 yield x[i] * x[i]; return sqrt(s);",
    "mean_square": "let mut s:f64 = 0.0; for i in 0..8 { s += x[i] * x[i]; } return s / 8.0;",
    "variance": "let m = reduce + for i in 8 yield x[i] / 8.0; let mut v:f64 = 0.0; for i in 0..8 { let d = x[i] - m; v += d * d; } return v / 7.0;",
    "descending_sum": "let mut s:f64 = 0.0; for i in 0..8 { s -= x[i] / f64(i + 1); } return s * x[0];",
    "neighbours": "let mut s:f64 = 0.0; for i in 0..7 { let d = x[i + 1] - x[i]; s += d * d; } return s;",
    "log_sum_exp": "let mut s:f64 = 0.0; for i in 0..8 { let t = math.exp(x[i]); s += t; } return math.log(s);",
    "softmax": "let mut s:f64 = 0.0; for i in 0..8 { let t = math.exp(x[i]); s += t; } let e = math.exp(x[2]); return e / s;",
    "cross_entropy": "let mut s:f64 = 0.0; for i in 0..8 { let t = math.exp(x[i]); s += t; } let l = math.log(s); return l - x[5];",
    "logistic_loss": "let z = x[0] * x[4] + x[1] * x[5] + x[2]; let l = softened(z); return l - z;",
    "squared_loss": "let z = x[0] * x[4] + x[1] * x[5] + x[2]; let off = z - x[3]; return off * off;",
    "huber_near": "let off = x[0] - x[1]; if abs(off) < 9.0 { return 0.5 * off * off; } return 9.0 * (abs(off) - 4.5);",
    "huber_far": "let off = x[0] * 9.0 + x[1] + 3.0; if abs(off) < 1.0 { return 0.5 * off * off; } return abs(off) - 0.5;",
    "hinge": "let margin = 1.0 + x[0] * x[1]; if margin > 0.0 { return margin * margin; } else { return 0.0 * x[0]; }",
    "branches": "if x[0] > 99.0 { return x[1]; } else if x[1] > 0.0 { let a = x[0] * x[2]; return a * a; } else { return x[3]; }",
    "leaky_units": "let mut s:f64 = 0.0; for i in 0..8 { let a = x[i] - 5.0; let u = leaky(a); s += u * x[i]; } return s;",
    "dense_unit": "let z = dot_of(4, x[0..4], x[4..8]); let out = squashed(z); return out;",
    "dense_layers": "let a = unit(x[0..3], 0.3, -0.7); let b = unit(x[3..6], 0.3, -0.7); let out = logistic(x[6] * a + x[7] * b); return out;",
    "cosine": "let s = dot_of(4, x[0..4], x[4..8]); let p = length_of(4, x[0..4]); let q = length_of(4, x[4..8]); return s / (p * q);",
    "divergence": "let p = reduce + for i in 4 yield x[i]; let q = reduce + for i in 4 yield x[i + 4]; let mut s:f64 = 0.0; for i in 0..4 { let a = x[i] / p; let l = math.log(a); let m = math.log(x[i + 4] / q); s += a * (l - m); } return s;",
    "call_chain": "let a = squashed(x[0]); let b = logistic(a * x[1]); let c = softened(b + x[2]); return c;",
    "across_types": "let s = f64(f32(x[0])) * 2.0; return x[1] * x[2] + 0.0 * s;",
}

WRITES = {
    "scaled": "parallel i in 8 { out[i] = x[i] * 3.0; }",
    "curved": "parallel i in 8 { let lit = x[i] * x[i]; out[i] = lit / (1.0 + lit) + sqrt(x[i]); }",
    "activated": "for i in 0..8 { let e = math.exp(-x[i]); out[i] = e * x[i]; }",
    "normalized": "let s = reduce + for i in 8 yield x[i] * x[i]; let r = sqrt(s / 8.0); for i in 0..8 { out[i] = x[i] / r; }",
    "softmax_layer": "let mut s:f64 = 0.0; for i in 0..8 { let t = math.exp(x[i]); s += t; } for i in 0..8 { let e = math.exp(x[i]); out[i] = e / s; }",
    "layer_of_calls": "for i in 0..8 { let a = squashed(x[i]); out[i] = a * x[i]; }",
    "lit_by_one": "let k = x[0] * x[1]; parallel i in 8 { out[i] = x[i] * k; }",
}


def points(count):
    """Points with coordinates of 0.25 to 1.75."""
    state = 88172645
    for _ in range(count):
        point = []
        for _ in range(SIZE):
            state = (state * 1664525 + 1013904223) % 2**32
            point.append(0.25 + 1.5 * state / 2**32)
        yield point


WEIGHTS = [0.5, -1.25, 2.0, 0.75, -0.5, 1.5, -2.0, 1.0]  # the adjoints of what a function writes
STEP = 1e-3  # of the difference quotients


def program(point_count):
    """A program that prints, for every function and point, a line of its name, its value, its derivative and its values
    at one and two steps to both sides along every coordinate."""
    lines = ["import std.math;", HELPERS]
    for name, body in VALUES.items():
        lines += [f"fn {name}(x:ro<f64>[8]) -> f64 {{ {body} }}", f"derive grad for {name};",
                  f"fn value_of_{name}(x:ro<f64>[8]) -> f64 {{ let v = {name}(x); return v; }}",
                  f"fn slope_of_{name}(x:ro<f64>[8], d:rw<f64>[8]) {{ {name}_grad(x, 1.0, d); }}"]
    weights = " ".join(f"w[{i}] = {w};" for i, w in enumerate(WEIGHTS))
    for name, body in WRITES.items():
        lines += [f"fn {name}(x:ro<f64>[8], out:rw<f64>[8]) {{ {body} }}", f"derive grad for {name};",
                  f"fn value_of_{name}(x:ro<f64>[8]) -> f64 {{ stack w:f64[8] = zeroed; {weights} stack out:f64[8] = zeroed; {name}(x, out);"
                  " let s = reduce + for i in 8 yield w[i] * out[i]; return s; }",
                  f"fn slope_of_{name}(x:ro<f64>[8], d:rw<f64>[8]) {{ stack w:f64[8] = zeroed; {weights} stack out:f64[8] = zeroed;"
                  f" {name}_grad(x, out, d, w); }}"]
    for name in [*VALUES, *WRITES]:
        lines.append(f"""fn tell_{name}(x:ro<f64>[8]) {{
  stack d:f64[8] = zeroed;
  slope_of_{name}(x, d);
  print("{name} ", value_of_{name}(x));
  for k in 0..8 {{ print(' ', d[k]); }}
  stack y:f64[8] = zeroed;
  for k in 0..8 {{
    for at in 0..5 {{
      for i in 0..8 {{ y[i] = x[i]; }}
      y[k] += (f64(at) - 2.0) * {STEP};
      if at != 2 {{ print(' ', value_of_{name}(y)); }}
    }}
  }}
  println("");
}}""")
    lines.append("fn main() -> i32 {\n  stack x:f64[8] = zeroed;")
    for point in points(point_count):
        lines += [f"  x[{i}] = {v!r};" for i, v in enumerate(point)]
        lines += [f"  tell_{name}(x);" for name in [*VALUES, *WRITES]]
    return "\n".join([*lines, "  return 0;", "}", ""])


def records(text):
    """(name, value, derivative, [the four values along each coordinate]) of every line."""
    for line in text.splitlines():
        name, *numbers = line.split()
        numbers = [float(number) for number in numbers]
        yield name, numbers[0], numbers[1:9], [numbers[9 + 4 * k:13 + 4 * k] for k in range(8)]


def quotient(values):
    """Of two steps to either side: off by the fourth power of the step."""
    far_below, below, above, far_above = values
    return (8 * (above - below) - (far_above - far_below)) / (12 * STEP)
