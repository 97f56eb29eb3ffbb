#!/usr/bin/env python3
"""Runs the tests of a built tree (./dev test): run.py [--build FOLDER] [SECTION...]. The last line is `N passed, N failed`."""
import argparse, concurrent.futures, os, pathlib, re, shlex, shutil, signal, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
BUILD = ROOT / "build"
JOBS = os.cpu_count() or 2
TIERED = ("tests_interpreter", "tests_lower")
LONGEST = ("tests_jit", "tests_verify", "tests_random", "tests_embedding")


def listed(path):
    """The lines of a list file, less comments."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]


def tiers():
    return listed(TESTS / "tiers")


def execute(command, limit=120, **options):
    """Runs a command; a time-out reads as status None."""
    try:
        return subprocess.run([str(word) for word in command], capture_output=True, timeout=limit, cwd=options.pop("cwd", ROOT),
                              **{"stdin": subprocess.DEVNULL, **options} if "input" not in options else options)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, None, late.stdout or b"", late.stderr or b"")


def shown(raw, most=3000):
    text = raw.decode(errors="replace").strip()
    return text if len(text) <= most else "..." + text[-most:]


def fail(what, why=""):
    print(f"FAIL {what}" + (f": {why}" if why else ""), flush=True)


def units():
    """Every Catch2 program that was built from a folder of tests/; those that run bytecode on the tier they are given, once
    a tier."""
    runs = []
    programs = sorted((BUILD / "tests").glob("tests_*"))
    for program in sorted(programs, key=lambda program: program.name not in LONGEST):  # these begin at once
        runs += [(program, tier) for tier in (tiers() if program.name in TIERED else tiers()[:1])]

    def attempt(program, tier):
        done = execute([program], limit=1200, env={**os.environ, "CAIRN_TIER": tier})
        text = done.stdout.decode(errors="replace")
        if clean := re.search(r"All tests passed \(.* in (\d+) test cases?\)", text):
            good, bad = int(clean[1]), 0
        elif mixed := re.search(r"test cases:\s*(\d+) \|(?:\s*(\d+) passed \|)?\s*(\d+) failed", text):
            good, bad = int(mixed[2] or 0), int(mixed[3])
        else:
            good, bad = 0, 0
        if done.returncode != 0 and bad == 0:
            bad = 1
        if bad:
            status = "no answer in time" if done.returncode is None else f"status {done.returncode}"
            fail(f"{program.name} [{tier}]", f"{status}\n{shown(done.stdout, 12000)}\n{shown(done.stderr)}")
        return good, bad

    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        counts = list(pool.map(lambda run: attempt(*run), runs))
    return sum(good for good, _ in counts), sum(bad for _, bad in counts)


def stdlib():
    """Test blocks of the standard library, written in the language: each file of tests/stdlib counts once a tier."""
    passed = failed = 0

    def attempt(path, tier):
        done = execute([BUILD / "cairn", "test", path], limit=300, env={**os.environ, "CAIRN_TIER": tier})
        if done.returncode != 0:
            fail(f"tests/stdlib/{path.name} [{tier}]", f"status {done.returncode}\n{shown(done.stdout)}\n{shown(done.stderr)}")
        return done.returncode == 0

    for tier in tiers():  # one after another: the tests of a file write files beside it
        good, bad = tally(attempt, [(path, tier) for path in sorted((TESTS / "stdlib").glob("*.cairn"))])
        passed, failed = passed + good, failed + bad
    return passed, failed


def tally(attempt, work):
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(lambda item: attempt(*item), work))
    return sum(results), len(results) - sum(results)


def conformance():
    """The conformance cases on every tier. Cases outside the required folders are counted when they hold, and only named
    in a sum when they do not, unless a sanitizer reports something: under the address sanitizer that is also an owner
    the program did not release, or released twice."""
    required = set(listed(TESTS / "conformance" / "required"))
    passed = failed = later = 0
    for tier in tiers():
        done = execute([sys.executable, TESTS / "conformance" / "run.py", "--cairn", BUILD / "cairn", "--limit", "30",
                        f"--flags=--tier={tier}"], limit=3600, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=1:exitcode=99", "CAIRN_KEEP_LEAKS": "1"})
        lines = done.stdout.decode(errors="replace").splitlines()
        closing = re.fullmatch(r"(\d+) passed, (\d+) failed, \d+ skipped", lines[-1]) if lines else None
        if not closing:
            fail(f"tests/conformance [{tier}]", f"{shown(done.stdout)}\n{shown(done.stderr)}")
            failed += 1
            continue
        bad = 0
        failing = None  # the FAIL line whose output is read, while it is not counted
        for line in lines:
            if line.startswith("FAIL "):
                failing = line
                if line[5:].split("/")[0] in required:
                    bad, failing = bad + 1, None
                    print(f"{line} [{tier}]")
            elif failing and re.search(r"Sanitizer|runtime error:", line):
                bad += 1
                print(f"{failing} [{tier}]\n  {line}")
                failing = None
            elif re.fullmatch(r"\S+ +\d+ of \d+", line):
                print(f"  {line}")
        passed, failed, later = passed + int(closing[1]), failed + bad, later + int(closing[2]) - bad
    if later:
        print(f"  {later} cases of folders not yet listed in tests/conformance/required do not hold")
    return passed, failed


def example_fault(folder, tier):
    """None when an example prints what it should, else why not."""
    read = lambda name: (folder / name).read_text(encoding="utf-8") if (folder / name).exists() else ""
    source = folder if (folder / "cairn.toml").exists() else folder / f"{folder.name}.cairn"
    arguments = shlex.split(read("args"))
    flags = ["--tier", tier, *shlex.split(read("flags"))]
    done = execute([BUILD / "cairn", "run", *flags, source, *(["--", *arguments] if arguments else [])], cwd=folder,
                   input=read("stdin").encode())
    wanted = int(read("status") or 0)
    if done.returncode != (-signal.SIGABRT if wanted == 134 else wanted):
        return f"ended with status {done.returncode}, wanted {wanted}\n{shown(done.stderr)}"
    if done.stdout != (folder / "expected.txt").read_bytes():
        return f"printed\n{shown(done.stdout)}\nwanted\n{shown((folder / 'expected.txt').read_bytes())}"
    return None


def examples():
    """Every folder under examples/ with an expected.txt, on every tier. Beside NAME.cairn (or cairn.toml) there may be args,
    stdin, flags and status."""
    work = [(path.parent, tier) for path in sorted((ROOT / "examples").rglob("expected.txt")) for tier in tiers()]

    def attempt(folder, tier):
        why = example_fault(folder, tier)
        if why:
            fail(f"{folder.relative_to(ROOT)} [{tier}]", why)
        return why is None

    return tally(attempt, work)


def programs():
    """tests/programs/NAME_test.py and tests/cuda/NAME_test.py: real programs against the rest of the system, each in an empty
    folder of its own; the last line each prints is `N passed, N failed`."""
    passed = failed = 0
    for path in sorted([*(TESTS / "programs").glob("*_test.py"), *(TESTS / "cuda").glob("*_test.py")]):
        with tempfile.TemporaryDirectory() as folder:
            done = execute([sys.executable, path, (BUILD / "cairn").resolve()], limit=900, cwd=folder)
        lines = done.stdout.decode(errors="replace").splitlines()
        counts = re.fullmatch(r"(\d+) passed, (\d+) failed", lines[-1]) if lines else None
        if not counts or (done.returncode != 0) != (int(counts[2]) > 0):
            fail(f"tests/{path.parent.name}/{path.name}", f"status {done.returncode}\n{shown(done.stdout)}\n{shown(done.stderr)}")
            failed += 1
            continue
        for line in lines[:-1]:
            print(f"  {line}" if not line.startswith("FAIL") else line)
        passed, failed = passed + int(counts[1]), failed + int(counts[2])
    return passed, failed


def includes():
    """No folder includes what its row of cmake/include_rules.cmake does not list."""
    done = execute(["cmake", "-P", ROOT / "cmake" / "include_rules.cmake"])
    if done.returncode != 0:
        fail("includes", shown(done.stderr))
    return (1, 0) if done.returncode == 0 else (0, 1)


def layout():
    """Every source is laid out as .clang-format says, every example and the library as `cairn fmt` does."""
    programs = sorted(path for name in ("stdlib", "examples") for path in (ROOT / name).rglob("*.cairn"))
    unlike = [path for path in programs if execute([BUILD / "cairn", "fmt", "--check", path]).returncode != 0]
    for path in unlike:
        fail(f"layout of {path.relative_to(ROOT)}", "run cairn fmt on it")
    good, bad = len(programs) - len(unlike), len(unlike)
    formatter = shutil.which("clang-format-19")
    if not formatter:
        print("  clang-format-19 is not installed: C++ is not checked")
        return good, bad
    folders = ["runtime", "frontend", "vm", "jit", "cuda", "stdlib", "tests", "bench", "examples"]
    files = sorted(str(path.relative_to(ROOT)) for name in folders for path in (ROOT / name).rglob("*.[ch]pp"))
    done = execute([formatter, "--dry-run", *files])
    wrong = sorted({match[1] for match in re.finditer(r"^(\S+?):\d+:\d+: (?:warning|error):", done.stderr.decode(), re.M)})
    for name in wrong:
        fail(f"layout of {name}", "run ./dev format")
    return good + len(files) - len(wrong), bad + len(wrong)


def hosts():
    """The embedding tests alone, ten thousand hostile programs in one process among them; for the sanitizers, which report
    what a program or the machine did not release. Their store of call stacks is kept short: stacks that lead through machine
    code differ from program to program, and it forgets none, which the test takes for growth of the host."""
    options = "detect_leaks=1:exitcode=99:quarantine_size_mb=16:malloc_context_size=2"
    done = execute([BUILD / "tests" / "tests_embedding"], limit=1800, env={**os.environ, "ASAN_OPTIONS": options})
    if done.returncode != 0:
        fail("tests_embedding", f"{shown(done.stdout, 12000)}\n{shown(done.stderr, 12000)}")
    return (1, 0) if done.returncode == 0 else (0, 1)


SECTIONS = {"includes": includes, "layout": layout, "units": units, "stdlib": stdlib, "programs": programs, "conformance": conformance, "examples": examples}

EXTRA = {"hosts": hosts}  # part of units, and run when it is named


def main():
    global BUILD
    parser = argparse.ArgumentParser(description="Run the tests of a built tree.")
    parser.add_argument("--build", default="build", help="the build folder")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"of {', '.join(SECTIONS)}; none, or all: every one")
    args = parser.parse_args()
    BUILD = ROOT / args.build
    wanted = [name for name in args.sections if name != "all"] or list(SECTIONS)
    if unknown := [name for name in wanted if name not in SECTIONS | EXTRA]:
        parser.error(f"no section is called {unknown[0]}; there are: {', '.join(SECTIONS | EXTRA)}")
    total = [0, 0]
    for name in wanted:
        print(f"-- {name}", flush=True)
        start = time.monotonic()
        good, bad = (SECTIONS | EXTRA)[name]()
        print(f"   {good} passed, {bad} failed in {time.monotonic() - start:.1f} s", flush=True)
        total = [total[0] + good, total[1] + bad]
    print(f"{total[0]} passed, {total[1]} failed")
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main())
