"""What the measuring scripts share: building twins, running whole processes, interleaving them, comparing what they print."""
import os, pathlib, shutil, statistics, subprocess, time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
CAIRN = ROOT / "build" / "cairn"
WORK = ROOT / "build" / "bench"
NULL = os.open(os.devnull, os.O_RDWR)
CXX_FLAGS = ["-std=c++20", "-O3", "-march=native", "-ffp-contract=off", "-w"]
COMPILERS = ("g++", "clang++-19")


def run(command, cpu=False):
    """Seconds of one process, of the wall or (cpu) of its threads together; it must end with status 0."""
    actions = [(os.POSIX_SPAWN_DUP2, NULL, fd) for fd in (0, 1)]
    start = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    _, status, used = os.wait4(pid, 0)
    taken = time.perf_counter() - start
    if status != 0:
        raise RuntimeError(f"{' '.join(command)} ended with status {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime if cpu else taken


def newer(target, *sources):
    return target.exists() and all(target.stat().st_mtime > source.stat().st_mtime for source in sources)


def compiled(source, unguarded=False):
    """The twin built by each compiler at hand: name -> command. `unguarded` leaves its guards out."""
    WORK.mkdir(parents=True, exist_ok=True)
    programs = {}
    for compiler in COMPILERS:
        if not shutil.which(compiler):
            continue
        target = WORK / f"{source.stem}-{compiler}{'-unguarded' if unguarded else ''}"
        language = ["-x", "c", "-std=c11", "-O2"] if source.suffix == ".c" else CXX_FLAGS
        if "#pragma omp" in source.read_text():
            if compiler != "g++":  # clang's OpenMP library is a package of its own
                continue
            language = [*language, "-fopenmp"]
        if unguarded:
            language = [*language, "-DUNGUARDED"]
        if not newer(target, source, HERE / "twins" / "guards.hpp"):
            subprocess.run([compiler, *language, str(source), "-o", str(target)], check=True)
        programs[compiler] = [str(target)]
    return programs


def java(source):
    """The command that runs a Java twin, compiled once."""
    classes = WORK / "java" / source.stem
    if not newer(classes / "Main.class", source):
        subprocess.run(["javac", "-d", str(classes), str(source)], check=True)
    return ["java", "-cp", str(classes), "Main"]


# Languages that twins may be written in beside C++: label, suffix, programs needed, the command of a source.
OTHER_LANGUAGES = (
    ("luajit", ".lua", ("luajit",), lambda source: ["luajit", str(source)]),
    ("node", ".js", ("node",), lambda source: ["node", str(source)]),
    ("java", ".java", ("java", "javac"), java),
)


def other_twins(name):
    """The twins of `name` in other languages (label -> command), and for each that cannot run one line that says why."""
    ways, skipped = {}, []
    for label, suffix, needed, command in OTHER_LANGUAGES:
        source = HERE / "twins" / f"{name}{suffix}"
        missing = [program for program in needed if not shutil.which(program)]
        if not source.exists():
            skipped.append(f"{label}: no twin of {name}")
        elif missing:
            skipped.append(f"{label}: {missing[0]} is not installed")
        else:
            ways[label] = command(source)
    return ways, skipped


def same_output(ways):
    """Refuses measurements of programs that do not print the same."""
    printed = {label: subprocess.run(command, capture_output=True).stdout for label, command in ways.items()}
    expected = next(iter(printed.values()))
    for label, text in printed.items():
        if text != expected:
            raise RuntimeError(f"{label} printed {text[:80]!r}, {next(iter(printed))} printed {expected[:80]!r}")


def interleaved(ways, rounds, cpu=False):
    """Seconds of every way in every round: label -> list."""
    times = {label: [] for label in ways}
    for _ in range(rounds):
        for label, command in ways.items():
            times[label].append(run(command, cpu))
    return times


def ratio(mine, theirs):
    """The median over the rounds of (mine / theirs)."""
    return statistics.median(a / b for a, b in zip(mine, theirs))
