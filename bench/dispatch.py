#!/usr/bin/env python3
"""Measures how the interpreter dispatches: dispatch.py [--rounds N] [BUILD].

BUILD (default: build) is a release build by Clang. Its interpreter is compiled twice more, with computed gotos by Clang
and by GCC, and linked with the rest unchanged; the three programs run each benchmark in turn. Printed are the least
processor time of a run and, where `perf` can count, instructions. docs/interpreter.md keeps a record."""
import argparse, os, pathlib, re, resource, shlex, shutil, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
SOURCE = "vm/interpreter/interpreter.cpp"
PROGRAMS = ["fib", "sieve", "mix"]
KEPT = re.compile(r"-(D|I|O|f(?!pch)|m)\S*|-std=\S+")


def commands(build):
    return subprocess.run(["ninja", "-C", str(build), "-t", "commands", "cairn"], check=True, capture_output=True, text=True).stdout.splitlines()


def variant(build, work, lines, name, compiler, defines):
    """The program with another interpreter.cpp in place of its own."""
    compile_line = next(line for line in lines if line.endswith(SOURCE))
    flags = [word for word in shlex.split(compile_line) if KEPT.fullmatch(word)]
    target = work / f"{name}.o"
    subprocess.run([compiler, *flags, *defines, "-w", "-c", str(ROOT / SOURCE), "-o", str(target)], check=True, cwd=build)
    archive = work / f"{name}.a"
    shutil.copyfile(build / "libcairn_vm.a", archive)
    subprocess.run(["ar", "d", str(archive), "interpreter.cpp.o"], check=True)
    link = lines[-1].removeprefix(": && ").removesuffix(" && :")
    program = work / f"cairn-{name}"
    link = link.replace("libcairn_vm.a", f"{target} {archive}", 1).replace("-o cairn ", f"-o {program} ", 1)
    subprocess.run(link, shell=True, check=True, cwd=build)
    return program


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


def instructions(command):
    if not shutil.which("perf"):
        return None
    done = subprocess.run(["perf", "stat", "-x,", "-e", "instructions:u", *command], capture_output=True, text=True)
    counted = re.search(r"^(\d+),,instructions", done.stderr, re.M)
    return int(counted[1]) if counted else None


def main():
    parser = argparse.ArgumentParser(description="Measure the interpreter's dispatch.")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("build", nargs="?", default=str(ROOT / "build"))
    args = parser.parse_args()
    build = pathlib.Path(args.build).resolve()
    lines = commands(build)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        ways = {"clang, tail calls": build / "cairn",
                "clang, computed goto": variant(build, work, lines, "clang-goto", "clang++-19", ["-DCAIRN_COMPUTED_GOTO"]),
                "gcc, computed goto": variant(build, work, lines, "gcc-goto", "g++", [])}
        for name in PROGRAMS:
            command = {way: [str(program), "run", "--tier", "interpreter", str(HERE / "programs" / f"{name}.cairn")]
                       for way, program in ways.items()}
            least = {way: float("inf") for way in ways}
            for _ in range(args.rounds):
                for way in ways:
                    least[way] = min(least[way], processor_seconds(command[way]))
            for way in ways:
                count = instructions(command[way])
                print(f"{name:8}{way:24}{least[way] * 1e3:9.1f} ms" + (f"{count / 1e6:12.1f} M instructions" if count else ""), flush=True)


if __name__ == "__main__":
    main()
