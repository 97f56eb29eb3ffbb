#!/usr/bin/env python3
"""Runs every fuzz target that was built in build-fuzz (./dev fuzz): run.py [SECONDS] [TARGET...].

A target is tests/fuzz/NAME.cpp; inputs that once mattered stand in tests/fuzz/corpus/NAME/, NAME.seeds names further
files or folders to start from, one a line, and NAME.dict is its dictionary. What a run finds new stays in
build-fuzz/corpus/NAME. The last line is `N passed, N failed`, a target each."""
import concurrent.futures, os, pathlib, shutil, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests" / "fuzz"
BUILD = ROOT / "build-fuzz"


def corpus(name):
    """The folder a target starts from: what earlier runs found, and the seeds, flat and by a name that tells them apart."""
    found = BUILD / "corpus" / name
    found.mkdir(parents=True, exist_ok=True)
    seeds = BUILD / "seeds" / name
    shutil.rmtree(seeds, ignore_errors=True)
    seeds.mkdir(parents=True)
    listing = HERE / f"{name}.seeds"
    roots = [HERE / "corpus" / name] + [ROOT / line for line in (listing.read_text().split() if listing.exists() else [])]
    for root in roots:
        files = [root] if root.is_file() else sorted(path for path in root.rglob("*") if path.is_file())
        for path in files:
            shutil.copyfile(path, seeds / str(path.relative_to(ROOT)).replace("/", "-"))
    return [found, seeds]


def run(program, seconds):
    """None when the target held, else the end of what it said."""
    name = program.name.removeprefix("fuzz_")
    crashes = BUILD / "crashes" / name
    crashes.mkdir(parents=True, exist_ok=True)
    dictionary = HERE / f"{name}.dict"
    command = [program, f"-max_total_time={seconds}", "-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1",
               f"-artifact_prefix={crashes}/", *([f"-dict={dictionary}"] if dictionary.exists() else []), *corpus(name)]
    try:
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=seconds + 300, cwd=BUILD)
    except subprocess.TimeoutExpired:
        return name, "did not stop in time"
    said = done.stdout.decode(errors="replace").splitlines()
    runs = next((line.rsplit(":", 1)[1].strip() for line in said if "number_of_executed_units" in line), "?")
    if done.returncode == 0:
        print(f"  {name}: {runs} inputs", flush=True)
        return name, None
    return name, "\n".join(said[-60:])


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    programs = sorted((BUILD / "fuzz").glob("fuzz_*"))
    if len(sys.argv) > 2:
        programs = [program for program in programs if program.name.removeprefix("fuzz_") in sys.argv[2:]]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        for name, why in pool.map(lambda program: run(program, seconds), programs):
            if why:
                failed += 1
                print(f"FAIL fuzz target {name} (inputs are in build-fuzz/crashes/{name}):\n{why}", flush=True)
    print(f"{len(programs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
