#!/usr/bin/env python3
"""What compiling in the background gains: background.py [--rounds N] [--programs] [NAME...].

Whole processes with CAIRN_BACKGROUND=0 (all optimized code is made where it is asked for), as it is by default, and
with CAIRN_BACKGROUND=1 (all is made in the background), interleaved. A ratio is the median over the rounds of (time / the time
with 0): below 1 is faster.

    many       a generated program of 300 functions with loops
    large      one function of 8,000 operations in a loop
    recursive  100 functions that call each other

`--programs` takes the list of jit.py instead, whose functions are few and small.
"""
import argparse, os, statistics, sys

import jit
from measure import CAIRN, HERE, WORK, interleaved, ratio, same_output

MANY = """\
fn step{k}(n:u64, seed:u64) -> u64 {{
  let mut a = seed;
  let mut b = seed ^ {x};
  let mut i = u64(0);
  while i < n {{
    a = add_wrap(mul_wrap(a, 6364136223846793005), {x});
    if shr(a, {s}) % {m} == 0 {{ b = b ^ shr(a, 17); }} else {{ b = add_wrap(b, i % {m}); }}
    if b > a {{ a = a ^ shr(b, {s}); }}
    i += 1;
  }}
  return a ^ b;
}}
"""
RECURSIVE = """\
fn walk{k}(depth:u64, seed:u64) -> u64 {{
  if depth == 0 {{ return seed ^ {x}; }}
  let left = walk{next}(depth - 1, add_wrap(mul_wrap(seed, {x}), depth));
  if left % {m} == 0 {{ return left; }}
  return add_wrap(left, walk{next}(depth - 1, shr(left, {s})));
}}
"""


def numbers(k):
    return {"k": k, "x": 0x9E3779B97F4A7C15 * (k + 1) % 2**63, "s": 11 + k % 29, "m": 3 + k % 13}


def many(functions=300, rounds=60, turns=400):
    calls = "".join(f"    total = total ^ step{k}({turns}, add_wrap(round, {k}));\n" for k in range(functions))
    return ("".join(MANY.format(**numbers(k)) for k in range(functions)) +
            f"fn main() -> i32 {{\n  let mut total = u64(0);\n  let mut round = u64(0);\n  while round < {rounds} {{\n{calls}"
            "    round += 1;\n  }\n  println(total);\n  return 0;\n}\n")


def large(operations=8000, turns=20000):
    lines = []
    for k in range(operations // 4):
        n = numbers(k)
        lines.append(f"    a{k % 8} = add_wrap(mul_wrap(a{(k + 3) % 8}, {n['x']}), a{k % 8} ^ shr(a{(k + 5) % 8}, {n['s']}));\n")
    return ("fn main() -> i32 {\n" + "".join(f"  let mut a{j} = u64({j});\n" for j in range(8)) +
            f"  let mut i = u64(0);\n  while i < {turns} {{\n{''.join(lines)}    i += 1;\n  }}\n"
            "  println(a0 ^ a1 ^ a2 ^ a3 ^ a4 ^ a5 ^ a6 ^ a7);\n  return 0;\n}\n")


def recursive(functions=100, depth=17):
    texts = [RECURSIVE.format(**numbers(k), next=(k + 1) % functions) for k in range(functions)]
    calls = "".join(f"  total = total ^ walk{k}({depth}, {k});\n" for k in range(0, functions, 5))
    return "".join(texts) + f"fn main() -> i32 {{\n  let mut total = u64(0);\n{calls}  println(total);\n  return 0;\n}}\n"


GENERATED = {"many": many, "large": large, "recursive": recursive}


def main():
    parser = argparse.ArgumentParser(description="Measure compiling in the background.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--programs", action="store_true", help="the list of jit.py")
    args = parser.parse_args()
    known = jit.PROGRAMS if args.programs else tuple(GENERATED)
    for name in args.names:
        if name not in known:
            sys.exit(f"{name} is not in the list: {', '.join(known)}")
    if (os.cpu_count() or 1) < 2:
        sys.exit("one processor: nothing is made in the background")
    WORK.mkdir(parents=True, exist_ok=True)
    print(f"{'':12}{'ms with 0':>11}{'default':>10}{'with 1':>10}")
    rows = []
    for name in args.names or known:
        path = HERE / "programs" / f"{name}.cairn"
        if not args.programs:
            path = WORK / f"background_{name}.cairn"
            path.write_text(GENERATED[name]())
        command = [str(CAIRN), "run", str(path)]
        ways = {"0": ["env", "CAIRN_BACKGROUND=0", *command], "default": ["env", "CAIRN_BACKGROUND=", *command],
                "1": ["env", "CAIRN_BACKGROUND=1", *command]}
        same_output(ways)
        times = interleaved(ways, args.rounds)
        rows.append([ratio(times[way], times["0"]) for way in ("default", "1")])
        print(f"{name:12}{statistics.median(times['0']) * 1e3:11.1f}{rows[-1][0]:10.2f}{rows[-1][1]:10.2f}", flush=True)
    print(f"{'geomean':12}{'':11}" + "".join(f"{jit.geometric_mean(column):10.2f}" for column in zip(*rows)))


if __name__ == "__main__":
    main()
