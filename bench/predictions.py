#!/usr/bin/env python3
"""Holds `cairn predict` to measured times: predictions.py [--profile FILE] [--rounds N] [--scales N] [--cpu].

Every program of the list is priced as it stands (`predict --symbol main`) and run as a whole process with `--tier auto`;
so are versions of it with the constants below scaled down, so that times spread over some orders of magnitude. Measured
is processor time less that of an empty program; of programs with lanes it is time of the wall, which a busy machine
spoils: with --cpu those run on one lane, are priced on one, and processor time counts. Printed: for each version
predicted over measured time, and why it was guessed where it was (docs/predict.md, "Guesses"); Spearman's rank correlation of predicted and measured
time, over the versions whose counts are sizes, over whole programs of those, and over all; where ranks are furthest off.

Without --profile a host profile is measured first (`cairn doctor --calibrate`).
"""
import argparse, json, math, os, pathlib, re, subprocess, sys

from measure import CAIRN, HERE, WORK, run
from jit import PROGRAMS

# The number that a program's work is proportional to: what stands before it in the source.
SCALED = {
    "sieve": r"for _ in 0\.\.(\d+)", "matmul": r"N:usize = (\d+)", "nbody": r"STEPS:usize = (\d+)",
    "spectral": r"N:usize = (\d+)", "histogram": r"for _ in 0\.\.(\d+)", "stencil": r"for _ in 0\.\.(\d+)",
    "saxpy": r"for _ in 0\.\.(\d+)", "evens": r"for _ in 0\.\.(\d+)", "prefix": r"for round in 0\.\.(\d+)",
    "transpose": r"for round in 0\.\.(\d+)", "table": r"ROUNDS:usize = (\d+)", "mandelbrot": r"SIDE:usize = (\d+)",
    "decimal": r"for round in 0\.\.(\d+)", "quicksort": r"N:usize = (\d+)", "fannkuch": r"for _ in 0\.\.(\d+)",
    "mix": r"mixed\((\d+)\)", "dispatch": r"code, (\d+)\)", "fib": r"println\(fib\((\d+)\)",
    "parallel_reduce": r"n:usize = (\d+)", "parallel_saxpy": r"n:usize = (\d+)", "parallel_scan": r"n:usize = (\d+)",
    "parallel_stencil": r"n:usize = (\d+)",
}
CELLS = {"matmul", "spectral", "mandelbrot"}  # the work grows faster than the number: it is scaled by less


def versions(name, scales):
    """The program and smaller ones: (label, path)."""
    source = (HERE / "programs" / f"{name}.cairn").read_text()
    yield name, HERE / "programs" / f"{name}.cairn"
    found = re.search(SCALED[name], source)
    if not found:
        return
    for k in range(1, scales):
        whole = int(found[1])
        number = whole - 4 * k if name == "fib" else int(whole / (2 if name in CELLS else 4) ** k)
        if number < 2:
            return
        path = WORK / f"{name}-{k}.cairn"
        scaled = source[: found.start(1)] + str(number) + source[found.end(1):]
        path.write_text(re.sub(rf"\b{whole}\.0\b", f"{number}.0", scaled))  # the same picture, in fewer points
        yield f"{name} ({number})", path


LONG = 0.25  # seconds: a run this long is not repeated


def measured(path, rounds, wide):
    """Seconds of the quickest run of a few: noise only adds."""
    best = math.inf
    for _ in range(rounds):
        best = min(best, run([str(CAIRN), "run", "--tier=auto", str(path)], cpu=not wide))
        if best > LONG:
            break
    return best


def predicted(path, profile):
    """ns, the bound, the reasons for the confidence."""
    told = subprocess.run([str(CAIRN), "predict", "--symbol", "main", "--profile", str(profile), "--format", "json", str(path)],
                          capture_output=True, text=True)
    if told.returncode != 0:
        raise RuntimeError(f"predict {path}: {told.stdout}{told.stderr}")
    prediction = json.loads(told.stdout)["functions"]["main"]["predictions"][0]
    return prediction["ns"], prediction["bound"], prediction["why"]


def ranks(numbers):
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    rank = [0.0] * len(numbers)
    at = 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and numbers[order[end + 1]] == numbers[order[at]]:
            end += 1
        for k in range(at, end + 1):
            rank[order[k]] = (at + end) / 2
        at = end + 1
    return rank


def spearman(left, right):
    a, b = ranks(left), ranks(right)
    mean = (len(a) - 1) / 2
    over = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    return over / math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))


def is_counted(why):
    """Whether the counts are sizes: printing the result alone is no guess of the work."""
    guesses = ("while loop", "recurses", "no polynomial", "not known", "function value", "foreign")
    return not any(guess in reason for reason in why for guess in guesses)


def main():
    parser = argparse.ArgumentParser(description="Hold predictions to measured times.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--profile", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scales", type=int, default=3, help="versions of each program, the program itself among them")
    parser.add_argument("--cpu", action="store_true", help="one lane, and processor time alone")
    args = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    profile = args.profile or WORK / "machine.json"
    if args.profile is None:
        subprocess.run([str(CAIRN), "doctor", "--calibrate", str(profile)], check=True, stdout=subprocess.DEVNULL)
    if args.cpu:
        os.environ["CAIRN_LANES"] = "1"
        record = json.loads(profile.read_text())
        record["host"]["lanes"] = record["host"]["cores"] = 1
        profile = WORK / "one_lane.json"
        profile.write_text(json.dumps(record))
    empty = {wide: measured(HERE / "programs" / "hello.cairn", 5, wide) for wide in (False, True)}
    rows = []
    print(f"{'':28}{'predicted ms':>14}{'measured ms':>14}{'ratio':>10}  bound")
    for name in args.names or [*PROGRAMS, *(each for each in SCALED if each.startswith("parallel"))]:
        for label, path in versions(name, args.scales):
            ns, bound, why = predicted(path, profile)
            wide = name.startswith("parallel") and not args.cpu
            taken = max(measured(path, args.rounds, wide) - empty[wide], 1e-6)
            rows.append({"label": label, "predicted": ns * 1e-9, "measured": taken, "bound": bound, "why": why})
            print(f"{label:28}{ns * 1e-6:14.2f}{taken * 1e3:14.2f}{ns * 1e-9 / taken:10.2g}  {bound:15}"
                  f"{'' if is_counted(why) else 'guessed: ' + '; '.join(why)}", flush=True)
    counted = [row for row in rows if is_counted(row["why"])]
    whole = [row for row in counted if "(" not in row["label"]]
    for title, chosen in (("versions whose counts are sizes", counted), ("whole programs of those", whole), ("all versions", rows)):
        if len(chosen) > 2:
            print(f"Spearman {spearman([r['predicted'] for r in chosen], [r['measured'] for r in chosen]):.3f} over {len(chosen)} {title}")
    for title, chosen in (("those", counted), ("all", rows)):
        for row, a, b in zip(chosen, ranks([r["predicted"] for r in chosen]), ranks([r["measured"] for r in chosen])):
            row["off"] = a - b
        for row in sorted(chosen, key=lambda r: -abs(r["off"]))[:8]:
            print(f"furthest off among {title}: {row['label']}, {row['off']:+.0f} ranks, bound {row['bound']}, "
                  f"predicted {row['predicted'] / row['measured']:.2g} of measured")
    return 0


if __name__ == "__main__":
    sys.exit(main())
