#!/usr/bin/env python3
"""Writes a program of many small functions, to measure the front end: generate_program.py cairn|lua [LINES]."""
import sys

CAIRN = """\
struct Point{k} {{ x:i64; y:i64; }}
fn length{k}(p:Point{k}) -> i64 {{
  let dx = p.x * {a};
  let dy = p.y - {b};
  if dx > dy {{ return dx - dy; }}
  return dy + 1;
}}
fn fill{k}(n:usize, out:rw<u32>[n], seed:u32) {{
  let mut h = seed;
  for i in 0..n {{
    h = mul_wrap(h ^ u32(i), 16777619);
    out[i] = h % {c};
  }}
}}
fn total{k}(n:usize, items:ro<u32>[n]) -> u64 {{
  let mut sum = 0;
  for item in items {{
    if item > {b} {{ sum += u64(item); }} else {{ sum += length_or_zero(u64(item), {a}); }}
  }}
  return sum;
}}
"""
CAIRN_END = """\
fn length_or_zero(n:u64, most:u64) -> u64 { if n > most { return 0; } return n; }
fn main() -> i32 {
  let p = Point0(3, 4);
  println(length0(p));
  return 0;
}
"""
LUA = """\
local function point{k}(x, y) return {{ x = x, y = y }} end
function length{k}(p)
  local dx = p.x * {a}
  local dy = p.y - {b}
  if dx > dy then return dx - dy end
  return dy + 1
end
function fill{k}(n, out, seed)
  local h = seed
  for i = 0, n - 1 do
    h = mul_wrap(bxor(h, i), 16777619)
    out[i] = h % {c}
  end
end
function total{k}(n, items)
  local sum = 0
  for i = 0, n - 1 do
    if items[i] > {b} then sum = sum + items[i] else sum = sum + length_or_zero(items[i], {a}) end
  end
  return sum
end
"""


def program(language, lines):
    text, end = (CAIRN, CAIRN_END) if language == "cairn" else (LUA, "")
    count = lines // text.count("\n")
    parts = [text.replace("{k}", str(k)).format(a=k % 7 + 2, b=k % 11 + 1, c=k % 97 + 3) for k in range(count)]
    return ("do\n" + "end do\n".join(parts) + "end\n" if language == "lua" else "".join(parts)) + end


if __name__ == "__main__":
    sys.stdout.write(program(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20000))
