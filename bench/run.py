#!/usr/bin/env python3
"""Measures the built program against its peers: run.py [--rounds N] [NAME...]. Whole processes, peers interleaved so
that what disturbs one disturbs all; a ratio is the median over the rounds of (cairn's time / the peer's), so below 1 is
faster. Every program must print what its twins print.

    startup    hello world, start to end; the least of fifty
    frontend   `cairn check` of a generated program of 20,000 lines of small functions; the least of ten
    project    `cairn check` of generated projects of 200 modules and 50,000 to 200,000 lines; time and memory
    emulation  kernels of bench/emulation/programs with --emulate against plain two-thread loops, and against OpenCL on a
               CPU device (PoCL) where its headers and a device are installed: the time of the kernel alone, which each
               tells on stderr
    others     bench/programs/NAME.cairn on every tier against bench/twins/NAME.cpp (same guards; OpenMP where the
               program uses the lane pool), NAME.lua, NAME.js and NAME.java

`jit.py` holds the programs of its list to a bar: the better guarded C++ twin.
"""
import argparse, os, random, re, statistics, subprocess, sys, time

import jit
from measure import CAIRN, CXX_FLAGS, HERE, NULL, ROOT, WORK, compiled, interleaved, other_twins, ratio, run, same_output


def tiers():
    lines = (ROOT / "tests" / "tiers").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def peers(name):
    """Every way to run the benchmark: label -> command, the tiers of cairn first."""
    program = str(HERE / "programs" / f"{name}.cairn")
    long = name in jit.PROGRAMS  # sized for machine code: the interpreter would take minutes
    ways = {f"cairn {tier}": [str(CAIRN), "run", "--tier", tier, program] for tier in tiers() if not (long and tier == "interpreter")}
    for suffix in (".cpp", ".c"):
        if (source := HERE / "twins" / f"{name}{suffix}").exists():
            ways.update(compiled(source))
    others, _ = other_twins(name)
    if "luajit" in others:
        ways["luajit -joff"] = ["luajit", "-joff", *others["luajit"][1:]]
    return {**ways, **others}


def table(title, ways, times, summary, rounds):
    print(f"\n{title} ({rounds} rounds)")
    own = [label for label in ways if label.startswith("cairn")]
    print(f"  {'':24}{'ms':>10}" + "".join(f"{label + ' /':>24}" for label in own))
    for label in ways:
        ratios = [ratio(times[mine], times[label]) if summary is statistics.median
                  else summary(times[mine]) / summary(times[label]) for mine in own]
        print(f"  {label:24}{summary(times[label]) * 1e3:10.2f}" + "".join(f"{each:24.2f}" for each in ratios), flush=True)


def startup(rounds):
    ways = {"cairn": [str(CAIRN), "run", str(HERE / "programs" / "hello.cairn")], **compiled(HERE / "twins" / "hello.c"),
            "luajit": ["luajit", str(HERE / "twins" / "hello.lua")]}
    same_output(ways)
    table("startup: hello world, least time", ways, interleaved(ways, rounds or 50), min, rounds or 50)


def frontend(rounds):
    sys.path.insert(0, str(HERE))
    from generate_program import program
    WORK.mkdir(parents=True, exist_ok=True)
    ways = {}
    for language, command in (("cairn", [str(CAIRN), "check"]), ("lua", ["luajit", "-b"])):
        path = WORK / f"generated.{language}"
        path.write_text(program(language, 20000))
        ways["cairn check" if language == "cairn" else "luajit -b"] = [*command, str(path), *(["/dev/null"] if language == "lua" else [])]
    times = interleaved(ways, rounds or 10)
    table("frontend: 20,000 lines of small functions, least time", ways, times, min, rounds or 10)
    start = min(run([str(CAIRN), "--version"]) for _ in range(10))
    print(f"  cairn check reads {20000 / (min(times['cairn check']) - start) / 1e6:.2f} million lines a second")


def words_file():
    """100 MB of words, some far more frequent than others (1/rank), which `words` reads from stdin."""
    path = WORK / "words.txt"
    if not path.exists():
        WORK.mkdir(parents=True, exist_ok=True)
        draw = random.Random(1)
        letters = "etaoinshrdlucmfwypvbgkjqxz"
        known = ["".join(draw.choices(letters, k=draw.randint(1, 12))) for _ in range(50_000)]
        weights = [1 / (rank + 1) for rank in range(len(known))]
        page = "".join(word + (" " if draw.random() < 0.9 else "\n") for word in draw.choices(known, weights, k=1_000_000))
        with path.open("w") as out:
            while out.tell() < 100_000_000:
                out.write(page)
    return path


def project(rounds):
    sys.path.insert(0, str(HERE))
    from generate_project import write
    print(f"\nproject: 200 modules, least time and peak memory ({rounds or 5} rounds)")
    for size in (50_000, 100_000, 200_000):
        folder = WORK / f"project-{size}"
        lines = write(folder, 200, size)
        least, peak = float("inf"), 0
        for _ in range(rounds or 5):
            start = time.perf_counter()
            pid = os.posix_spawn(str(CAIRN), [str(CAIRN), "check", str(folder)], os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, NULL, 1)])
            _, status, used = os.wait4(pid, 0)
            if status != 0:
                raise RuntimeError(f"cairn check {folder} ended with status {os.waitstatus_to_exitcode(status)}")
            least, peak = min(least, time.perf_counter() - start), max(peak, used.ru_maxrss)
        print(f"  {lines:8} lines{least:8.3f} s{peak / 1024:10.1f} MiB{peak * 1024 / lines:10.0f} bytes a line", flush=True)


def opencl_twin():
    """The command of the kernels in OpenCL, or None with a message."""
    target = WORK / "emulation-opencl"
    built = subprocess.run(["g++", *CXX_FLAGS, str(HERE / "emulation" / "twins" / "opencl.cpp"), "-o", str(target), "-lOpenCL"], capture_output=True)
    if built.returncode == 0 and subprocess.run([str(target), "saxpy"], capture_output=True).returncode == 0:
        return [str(target)]
    print("\nemulation: no OpenCL (pocl-opencl-icd, ocl-icd-opencl-dev), so it is no peer")
    return None


def emulation(rounds):
    WORK.mkdir(parents=True, exist_ok=True)
    opencl = opencl_twin()
    for source in sorted((HERE / "emulation" / "programs").glob("*.cairn")):
        twin = WORK / f"emulation-{source.stem}"
        subprocess.run(["g++", *CXX_FLAGS, "-fopenmp", str(HERE / "emulation" / "twins" / f"{source.stem}.cpp"), "-o", str(twin)], check=True)
        ways = {"cairn": [str(CAIRN), "run", "--emulate", "--device-target", "sm_90", str(source)], "two-thread loop": [str(twin)]}
        if opencl:
            ways["OpenCL"] = [*opencl, source.stem]
        same_output(ways)
        times = {label: [] for label in ways}
        for _ in range(rounds or 5):
            for label, command in ways.items():
                told = subprocess.run(command, capture_output=True, check=True, text=True).stderr
                times[label].append(int(re.search(r"^ns (\d+)$", told, re.M)[1]) * 1e-9)
        table(f"emulation: {source.stem}, the kernel alone", ways, times, statistics.median, rounds or 5)
        if opencl:
            print(f"  OpenCL / two-thread loop {ratio(times['OpenCL'], times['two-thread loop']):.2f}")


def program_bench(name, rounds):
    ways = peers(name)
    if name == "words":
        ways = {label: ["sh", "-c", 'exec "$@" < ' + str(words_file()), "sh", *command] for label, command in ways.items()}
    same_output(ways)
    table(name, ways, interleaved(ways, rounds or 5), statistics.median, rounds or 5)


def main():
    parser = argparse.ArgumentParser(description="Measure cairn against its peers.")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rounds", type=int, default=0)
    args = parser.parse_args()
    special = {"startup": startup, "frontend": frontend, "project": project, "emulation": emulation}
    programs = sorted(path.stem for path in (HERE / "programs").glob("*.cairn") if path.stem != "hello")
    failed = False
    for name in args.names or [*special, *programs]:
        if name not in special and name not in programs:
            sys.exit(f"no benchmark is called {name}; there are: {', '.join([*special, *programs])}")
        try:
            special[name](args.rounds) if name in special else program_bench(name, args.rounds)
        except (RuntimeError, subprocess.CalledProcessError) as fault:
            failed = True
            print(f"\n{name}: {fault}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
