#!/usr/bin/env python3
"""Every kernel of the device cases and examples, for three architectures: NVRTC compiles its text, ptxas assembles the
PTX, and nothing spills. kernels_compile_test.py CAIRN [CASE...]; the last line is `N passed, N failed`.

Where NVRTC or ptxas is missing nothing is compiled, and a line says so. Compiled kernels are kept beside the binary, so
that a second run compiles what changed."""
import concurrent.futures, json, os, pathlib, re, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ARCHITECTURES = ("sm_80", "sm_90", "sm_120")
# Programs whose source asks for what registers cannot hold, with why.
EXPLAINED_SPILLS = {"recursion_in_lanes.cairn": "a function that calls itself keeps its caller's registers on the stack"}

RESOURCES = re.compile(r"^// (\w+): (\d+) registers, (\d+) shared bytes, (\d+) stack bytes, (\d+) bytes of spill stores "
                       r"and (\d+) of spill loads$", re.M)
KERNEL = re.compile(r"^// kernel .*, for sm_\w+$", re.M)


def programs():
    """Accepted programs with device work: conformance cases and examples."""
    cases = ROOT / "tests" / "conformance"
    for folder in ("devices", "numerics", "pairs", "concurrency", "library"):
        for path in sorted((cases / folder).glob("*.cairn")):
            text = path.read_text(encoding="utf-8")
            if "@device" in text and not re.search(r"^//! expect: refuse", text, re.M):
                yield path
    for folder, pattern in (("examples", "*/*.cairn"), ("tests/cuda/programs", "*.cairn")):
        yield from sorted(path for path in (ROOT / folder).glob(pattern) if "@device" in path.read_text(encoding="utf-8"))


def attempt(cairn, environment, path, target):
    """How many kernels were made, and what is wrong."""
    done = subprocess.run([cairn, "emit", path, "--as", "device", "--device-target", target], capture_output=True,
                          text=True, timeout=600, env=environment)
    if done.returncode != 0:
        return 0, done.stderr.strip()[-2000:] or f"status {done.returncode}"
    kernels = len(KERNEL.findall(done.stdout))
    entries = RESOURCES.findall(done.stdout)
    if kernels and not entries:
        return kernels, "no kernel was assembled: " + done.stdout.strip().splitlines()[-1][:400]
    if done.stdout.count("\n// PTX of ") != kernels:
        return kernels, "a kernel has no PTX"
    spills = [entry for entry in entries if int(entry[4]) or int(entry[5])]
    if spills and path.name not in EXPLAINED_SPILLS:
        return kernels, "; ".join(f"{entry[0]} spills {entry[4]} bytes" for entry in spills)
    # A plan's vector is one access an array.
    if path.name == "planned_regions.cairn" and not all(
            re.search(rf"\b{word}\.global\.v[24]\.", done.stdout) for word in ("ld", "st")):
        return kernels, "no access is a vector"
    # A compiler that loses the end of a loop leaves out what follows it: each kernel here has a barrier before its first
    # loop, one after it, and one at the end of the block.
    lost = [kernel for kernel in done.stdout.split("\n// PTX of ")[1:] if kernel.count("bar.sync") < 3]
    if path.name == "loops_keep_their_end.cairn" and lost:
        return kernels, f"{len(lost)} kernels have lost what follows a loop"
    return kernels, None


def main():
    cairn = str(pathlib.Path(sys.argv[1]).resolve())
    tools = json.loads(subprocess.run([cairn, "doctor", "--format", "json"], capture_output=True, text=True).stdout)
    missing = [name for name in ("nvrtc", "ptxas") if not tools[name]]
    if missing:
        print(f"{' and '.join(missing)} not found: no kernel is compiled")
        print("0 passed, 0 failed")
        return 0
    environment = {**os.environ, "CAIRN_CACHE_DIR": str(pathlib.Path(cairn).parent / "kernel-cache")}
    chosen = [pathlib.Path(name).resolve() for name in sys.argv[2:]] or list(programs())
    work = [(path, target) for path in chosen for target in ARCHITECTURES]
    passed = failed = kernels = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (path, target), (made, why) in zip(work, pool.map(lambda item: attempt(cairn, environment, *item), work)):
            kernels += made
            if why:
                print(f"FAIL {path.relative_to(ROOT)} for {target}: {why}")
            passed, failed = passed + (why is None), failed + (why is not None)
    print(f"{kernels} kernels of {len(chosen)} programs for {', '.join(ARCHITECTURES)}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
