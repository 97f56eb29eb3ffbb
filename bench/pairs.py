#!/usr/bin/env python3
"""f64x2 beside a plain C++ loop of the same kernels and libqd (Debian: libqd-dev): pairs.py [--tier T] [--rounds N]
[--operations add,exp] [--shapes array,one].
Nanoseconds an operation over arrays of 1024 pairs and one at a time, and the ratios. Each is the processor time of a
process that does three times the work less that of one that does it once; the medians of interleaved rounds."""
import argparse, pathlib, shutil, statistics, subprocess, tempfile

from measure import CAIRN, COMPILERS, HERE, ROOT, WORK, interleaved

SIZE = 1024
# operation -> its element of z, the next s, and repeats of 1024.
CASES = {
    "add": ("x[i].add(y[i])", "s.add(y[i])", 20000),
    "mul": ("x[i].mul(y[i])", "s.mul(y[i])", 20000),
    "div": ("x[i].div(y[i])", "s.div(y[i])", 10000),
    "sqrt": ("x[i].sqrt()", "s.add(y[i]).sqrt()", 10000),
    "exp": ("x[i].exp()", "s.add(x[i].exp())", 300),
    "sin": ("x[i].sin()", "s.add(x[i].sin())", 300),
}


def program(shape, element, following, repeats):
    views = "n:usize, x:ro<f64x2>[n], y:ro<f64x2>[n]"
    if shape == "array":
        loop = f"fn go({views}, z:rw<f64x2>[n]) {{ for i in 0..n {{ z[i] = {element}; }} }}"
        call = f"go({SIZE}, x, y, z);"
    else:
        loop = f"fn go({views}, from:f64x2) -> f64x2 {{ let mut s = from; for i in 0..n {{ s = {following}; }} return s; }}"
        call = f"s = go({SIZE}, x, y, s);"
    return f"""import std.pair;
import std.pair (f64x2);
{loop}
fn main() -> i32 {{
  buffer x:f64x2[{SIZE}] = zeroed;
  buffer y:f64x2[{SIZE}] = zeroed;
  buffer z:f64x2[{SIZE}] = zeroed;
  for i in 0..{SIZE} {{
    x[i] = pair.of(f64(i + 1) / 61.0).mul(f64x2(1.1, {2.0**-60!r}));
    y[i] = f64x2(1.0 + f64(i) / 1048576.0 * (1.0 - 2.0 * f64(i % 2)), {2.0**-60!r});
  }}
  let mut s = pair.of(1.0);
  for k in 0..{repeats} {{ {call} }}
  println(s.hi + z[7].hi);
  return 0;
}}
"""


def twins():
    """Compiler -> the twin built by it, and whether it has libqd."""
    WORK.mkdir(parents=True, exist_ok=True)
    has_qd = pathlib.Path("/usr/include/qd/dd_real.h").exists()
    made = {}
    for compiler in COMPILERS:
        if not shutil.which(compiler):
            continue
        made[compiler] = WORK / f"pairs-{compiler}"
        subprocess.run([compiler, "-std=c++23", "-O3", "-march=native", "-ffp-contract=off", "-w", f"-I{ROOT}", str(HERE / "pairs" / "twin.cpp"),
                        "-o", str(made[compiler])] + (["-lqd"] if has_qd else []), check=True)
    return made, has_qd


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--cairn", default=str(CAIRN))
    options.add_argument("--tier", default="optimizing")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--operations", default=",".join(CASES))
    options.add_argument("--shapes", default="array,one")
    options = options.parse_args()
    made, has_qd = twins()
    with tempfile.TemporaryDirectory() as folder:
        for shape in options.shapes.split(","):
            for name in options.operations.split(","):
                element, following, repeats = CASES[name]
                commands = {}
                for times in (1, 3):
                    path = pathlib.Path(folder) / f"{shape}-{name}-{times}.cairn"
                    path.write_text(program(shape, element, following, times * repeats))
                    commands["cairn", times] = [options.cairn, "run", f"--tier={options.tier}", str(path)]
                    for compiler, twin in made.items():
                        commands[compiler, times] = [str(twin), "plain", shape, name, str(times * repeats)]
                    if has_qd:
                        commands["libqd", times] = [str(next(iter(made.values()))), "qd", shape, name, str(times * repeats)]
                seconds = interleaved(commands, options.rounds, cpu=True)
                taken = {kind: statistics.median((thrice - once) / (2 * repeats * SIZE) * 1e9
                                                 for once, thrice in zip(seconds[kind, 1], seconds[kind, 3]))
                         for kind, times in commands if times == 1}
                cairn = taken["cairn"]
                text = "   ".join(f"{kind} {taken[kind]:8.3f} ({cairn / taken[kind]:.2f}x)" for kind in taken if kind != "cairn")
                print(f"{shape:5} {name:4} cairn {cairn:8.3f} ns   {text}", flush=True)


main()
