#!/usr/bin/env python3
"""Races, looked for with the thread sanitizer (./dev stress [SECONDS]): the stress program over tasks, groups, rings,
mutexes, atomics and regions for SECONDS (60), code that is made in the background while tasks run it, the conformance cases
of concurrency and devices, and those of numerics with regions, on 1, 2 and 16 lanes, random programs for SECONDS / 2, and
both rules of the checker broken, which the random programs must notice.
`run.py SECONDS background` runs the second of these alone.
The last line is `N passed, N failed`."""
import os, pathlib, re, subprocess, sys, time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "tests" / "stress"
CAIRN = ROOT / "build-tsan" / "cairn"
SANITIZER = {"TSAN_OPTIONS": "exitcode=66 halt_on_error=1", "CAIRN_TIER": "interpreter"}  # which it can see into
CASES = ["concurrency", "devices", "numerics"]  # folders of conformance cases
REGION = re.compile(r"\b(blocks|parallel)\b")  # of numerics, those whose threads meet


def run(command, limit, **environment):
    try:
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=limit, env={**os.environ, **SANITIZER, **environment}, cwd=ROOT)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired as late:
        return None, (late.stdout or b"").decode(errors="replace") + "\nno answer in time"


def shared_values(seconds):
    """The stress program over and over; one test."""
    end, runs = time.monotonic() + seconds, 0
    while time.monotonic() < end or runs == 0:
        lanes = ("2", "16", "3")[runs % 3]
        status, said = run([CAIRN, "run", HERE / "shared_values.cairn"], 300, CAIRN_LANES=lanes)
        if status != 0:
            print(f"FAIL shared_values on {lanes} lanes: status {status}\n{said[-4000:]}", flush=True)
            return 0, 1
        runs += 1
    print(f"   shared_values: {runs} runs of 20 rounds", flush=True)
    return 1, 0


def background(seconds):
    """Optimized code made on a thread of its own while tasks and lanes ask for it and enter it: on the automatic tier, where
    the sanitizer sees all that is not machine code. One test."""
    program = HERE / "background.cairn"
    status, expected = run([CAIRN, "run", program], 300)
    if status != 0:
        print(f"FAIL background on the interpreter: status {status}\n{expected[-4000:]}", flush=True)
        return 0, 1
    end, runs = time.monotonic() + seconds / 4, 0
    while time.monotonic() < end or runs == 0:
        lanes = ("2", "16", "3")[runs % 3]
        status, said = run([CAIRN, "run", program], 300, CAIRN_TIER="auto", CAIRN_BACKGROUND="1", CAIRN_LANES=lanes)
        if status != 0 or said != expected:
            print(f"FAIL background on {lanes} lanes: status {status}\n{said[-4000:]}", flush=True)
            return 0, 1
        runs += 1
    print(f"   background: {runs} runs", flush=True)
    return 1, 0


def cases(_):
    """Every case that runs a program; a case fails when the sanitizer speaks, whatever else it expects."""
    passed = failed = 0
    programs = [path for folder in CASES for path in sorted((ROOT / "tests" / "conformance" / folder).glob("*.cairn"))]
    for path in programs:
        text = path.read_text()
        if path.parent.name == "numerics" and not REGION.search(text):
            continue
        # Without its own flags a device program is refused before it runs.
        flags = re.search(r"^//! flags: (.*)$", text, re.M)
        for lanes in ("1", "2", "16"):
            status, said = run([CAIRN, "run", *(flags[1].split() if flags else []), path], 300, CAIRN_LANES=lanes)
            if status is None or "ThreadSanitizer" in said:
                failed += 1
                print(f"FAIL {path.relative_to(ROOT)} on {lanes} lanes: status {status}\n{said[-4000:]}", flush=True)
                break
        else:
            passed += 1
    return passed, failed


def random_programs(seconds, *more):
    status, said = run([sys.executable, HERE / "random_programs.py", "--cairn", CAIRN, "--seconds", seconds, *more], seconds + 600)
    lines = said.rstrip().splitlines()
    counts = re.fullmatch(r"(\d+) passed, (\d+) failed", lines[-1]) if lines else None
    print("\n".join("   " + line for line in (lines[:-1] if counts else lines)[-40:]), flush=True)
    return (int(counts[1]), int(counts[2])) if counts else (0, 1)


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    parts = {
        "shared values": lambda: shared_values(seconds),
        "code made in the background": lambda: background(seconds),
        "conformance cases": lambda: cases(seconds),
        "random programs": lambda: random_programs(max(1, seconds // 2), "--seed", time.time_ns() // 10**9 % 10**9 * 10**6),
        "random programs without the rule of leases": lambda: random_programs(max(60, seconds), "--broken", "leases"),
        "random programs without the rule of lanes": lambda: random_programs(max(60, seconds), "--broken", "lanes"),
    }
    if "background" in sys.argv[2:]:
        parts = {name: part for name, part in parts.items() if "background" in name}
    total = [0, 0]
    for name, part in parts.items():
        print(f"-- {name}", flush=True)
        good, bad = part()
        print(f"   {good} passed, {bad} failed", flush=True)
        total = [total[0] + good, total[1] + bad]
    print(f"{total[0]} passed, {total[1]} failed")
    return 1 if total[1] else 0


if __name__ == "__main__":
    sys.exit(main())
