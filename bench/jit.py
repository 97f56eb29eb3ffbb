#!/usr/bin/env python3
"""Holds machine code to checked C++: jit.py [--rounds N] [--tier T] [--cpu] [--no-peers] [NAME...].

Every program of the list runs as a whole process, compile time included, interleaved with its C++ twins (guarded and
plain, by g++ and clang) and with LuaJIT, Node and Java where those are installed. All must print the same. A ratio is
the median over the rounds of (cairn's time / the twin's): below 1 is faster.

    bar       the better of the two guarded C++ twins
    plain     the better of the two unguarded ones
    luajit, node, java

On a loaded machine `--cpu` compares processor time of all threads instead of wall time.
"""
import argparse, math, statistics, subprocess, sys

from measure import CAIRN, HERE, compiled, interleaved, other_twins, ratio, same_output

PROGRAMS = ("fib", "sieve", "matmul", "mix", "nbody", "mandelbrot", "spectral", "fannkuch", "quicksort", "histogram",
            "stencil", "saxpy", "evens", "prefix", "decimal", "table", "dispatch", "transpose")
COLUMNS = ("bar", "plain", "luajit", "node", "java")


def measure(name, args):
    """One row: cairn's median seconds and its ratio to each column; what had to be skipped."""
    source = HERE / "twins" / f"{name}.cpp"
    guarded = {f"{compiler} guarded": command for compiler, command in compiled(source).items()}
    plain = {f"{compiler} plain": command for compiler, command in compiled(source, unguarded=True).items()}
    if not guarded:
        raise RuntimeError("neither g++ nor clang++-19 is installed: there is no bar")
    others, skipped = ({}, []) if args.no_peers else other_twins(name)
    own = [str(CAIRN), "run", f"--tier={args.tier}", str(HERE / "programs" / f"{name}.cairn")]
    ways = {"cairn": own, **guarded, **plain, **others}
    same_output(ways)
    times = interleaved(ways, args.rounds, args.cpu)
    best = lambda labels: min(labels, key=lambda label: statistics.median(times[label]))
    row = {"bar": ratio(times["cairn"], times[best(guarded)]), "plain": ratio(times["cairn"], times[best(plain)])}
    row |= {label: ratio(times["cairn"], times[label]) for label in others}
    return statistics.median(times["cairn"]), statistics.median(times[best(guarded)]), best(guarded).split()[0], row, skipped


def geometric_mean(numbers):
    return math.exp(sum(map(math.log, numbers)) / len(numbers))


def line(name, own, bar, compiler, row):
    cells = "".join(f"{row[column]:9.2f}" if column in row else f"{'-':>9}" for column in COLUMNS)
    print(f"{name:12}{own:>9}{bar:>9}  {compiler:11}{cells}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Measure machine code against checked C++.")
    parser.add_argument("names", nargs="*", help="programs of the list; all when none is named")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tier", default="auto")
    parser.add_argument("--cpu", action="store_true", help="compare processor time")
    parser.add_argument("--no-peers", action="store_true", help="C++ twins alone")
    args = parser.parse_args()
    for name in args.names:
        if name not in PROGRAMS:
            sys.exit(f"{name} is not in the list: {', '.join(PROGRAMS)}")
    print(f"{'':12}{'cairn ms':>9}{'bar ms':>9}  {'bar by':11}" + "".join(f"{'/' + column:>9}" for column in COLUMNS))
    rows, skipped, failed = {}, set(), False
    for name in args.names or PROGRAMS:
        try:
            own, bar, compiler, row, left_out = measure(name, args)
        except (RuntimeError, subprocess.CalledProcessError) as fault:
            failed = True
            print(f"{name}: {fault}", flush=True)
            continue
        rows[name] = row
        skipped.update(left_out)
        line(name, f"{own * 1e3:.1f}", f"{bar * 1e3:.1f}", compiler, row)
    columns = {column: {name: row[column] for name, row in rows.items() if column in row} for column in COLUMNS}
    if rows:
        line("geomean", "", "", "", {column: geometric_mean(known.values()) for column, known in columns.items() if known})
        line("worst", "", "", "", {column: max(known.values()) for column, known in columns.items() if known})
        for column, known in columns.items():
            if known:
                print(f"worst of /{column}: {max(known, key=known.get)}")
    for reason in sorted(skipped):
        print(f"skipped: {reason}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
