#!/usr/bin/env python3
"""Loops and regions that convert every element: the values of single conversions, and the guards of the loop as written."""
import pathlib, subprocess, sys

from checking import check, finish

CAIRN = sys.argv[1]
TIERS = ("interpreter", "baseline", "optimizing", "auto")
FORMATS = {"f16": "u16", "bf16": "u16", "f8e4m3": "u8", "f8e5m2": "u8"}


def run(text, tier):
    pathlib.Path("program.cairn").write_text(text)
    return subprocess.run([CAIRN, "run", f"--tier={tier}", "program.cairn"], capture_output=True, text=True, timeout=300)


def same_values(storage, wide):
    """Ranges that begin and end anywhere, in a loop and in lanes, there and back."""
    return f"""
fn one(x:{wide}) -> {storage} = {storage}(x);
fn back(h:{storage}) -> {wide} = {wide}(h);
fn main() -> i32 {{
  let n:usize = 40000;
  buffer x:{wide}[n] = zeroed;
  buffer to:{storage}[n] = zeroed;
  buffer lanes:{storage}[n] = zeroed;
  buffer y:{wide}[n] = zeroed;
  for i in 0..n {{ x[i] = (f{wide[1:]}(i % 2003) - 1001.0) * 0.37 / f{wide[1:]}(1 + i % 7919); }}
  for lo in 0..40 {{
    let hi = n - lo * 31;
    for i in lo..hi {{ to[i] = {storage}(x[i]); }}
    for i in hi..lo {{ to[i] = {storage}(x[i + n]); }}
  }}
  parallel i in n {{ lanes[i] = {storage}(x[i]); }}
  for i in 0..n {{ y[i] = {wide}(to[i]); }}
  for i in 0..n {{
    if to_bits(to[i]) != to_bits(one(x[i])) {{ return 1; }}
    if to_bits(lanes[i]) != to_bits(to[i]) {{ return 2; }}
    if y[i] != back(to[i]) {{ return 3; }}
  }}
  return 0;
}}
"""


TRAPS = {
    "an index past the target": ("for i in 0..200 { to[i] = f8e4m3(x[i]); }", 100, 300, "1.5"),
    "an index past the source": ("for i in 0..200 { to[i] = f8e4m3(x[i]); }", 300, 100, "1.5"),
    "a value that has no place": ("for i in 0..50 { to[i] = f8e4m3(x[i]); }", 100, 100, "f32(i) * 20.0"),
    "a value that has no place, in lanes": ("parallel i in 50 { to[i] = f8e4m3(x[i]); }", 100, 100, "f32(i) * 20.0"),
}

first_told = {}  # what the interpreter says of each trap
for tier in TIERS:
    for storage in FORMATS:
        for wide in ("f32", "f64"):
            done = run(same_values(storage, wide), tier)
            check(f"an array of {wide} and one of {storage} convert as their elements do [{tier}]", done.returncode == 0,
                  f"status {done.returncode} {done.stderr}")
    for what, (loop, targets, sources, value) in TRAPS.items():
        text = f"""
fn main() -> i32 {{
  let mut x = Buf[f32]({sources});
  for i in 0..{sources} {{ x[i] = {value}; }}
  let mut to = Buf[f8e4m3]({targets});
  println("before");
  {loop}
  println("after");
  return 0;
}}
"""
        done = run(text, tier)
        told = done.stderr.splitlines()[0] if done.stderr else ""
        check(f"{what} traps [{tier}]", done.returncode == -6 and done.stdout == "before\n" and "trap" in told,
              f"status {done.returncode}, {done.stdout!r}, {done.stderr!r}")
        wanted = first_told.setdefault(what, done.stderr)
        check(f"{what} is told alike on every tier [{tier}]", done.stderr == wanted, f"{done.stderr!r}, not {wanted!r}")
finish()
