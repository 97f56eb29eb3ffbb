#!/usr/bin/env python3
"""What the optimizing tier's passes make of programs, proved: tier_proofs.py [--cairn FILE] [--sample] [--jobs N]
[--random N] [--timeout-ms N] [--list] [SECTION...].

`cairn verify --tier optimizing` over the standard library (every module as a program, and the programs of tests/stdlib,
which make instances of what is generic), the examples, the programs of bench/, the accepted conformance cases that need
no device, and random programs. Printed: functions by answer and section, passes by answer, and the reasons of what is
unknown, the commonest first; every refutation in full. A function of the library counts once, by its best proved
program. Exits 1 when anything is refuted.

--sample takes a few of each section."""
import argparse, collections, concurrent.futures, json, os, pathlib, random, re, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "stress"))
sys.path.insert(0, str(ROOT / "tests" / "nightly"))

LIMIT = 1800  # seconds for one program


def library(folder):
    """The library's modules as programs: under another name, since std is the packaged library's."""
    paths = []
    for path in sorted((ROOT / "stdlib").rglob("*.cairn")):
        copy = pathlib.Path(folder) / path.name
        copy.write_text(re.sub(r"^module std\.", "module own.", path.read_text(), flags=re.M))
        paths.append(copy)
    return paths


def instances():
    return sorted((ROOT / "tests" / "stdlib").glob("*.cairn"))


def examples():
    folders = [path.parent for path in sorted((ROOT / "examples").rglob("cairn.toml"))]
    single = [path for path in sorted((ROOT / "examples").rglob("*.cairn")) if not any(folder in path.parents for folder in folders)]
    return [*folders, *single]


def bench():
    return sorted((ROOT / "bench" / "programs").glob("*.cairn"))


def conformance():
    """Cases of the host's own rules that a program runs in: those that are refused, or need a device, have nothing to prove."""
    chosen = []
    for path in sorted((ROOT / "tests" / "conformance").rglob("*.cairn")):
        head = path.read_text(errors="replace").split("\n\n")[0]
        if re.search(r"^//! expect: (exit|trap)", head, re.M) and not re.search(r"^//! flags: .*(device|emulate)", head, re.M):
            chosen.append(path)
    return chosen


def scalar_program(seed):
    """Functions over integers and views, with loops, guards and calls of each other."""
    pick = random.Random(seed)
    kinds = ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64"]
    kind = pick.choice(kinds)
    lines, made = [], []

    def value(names, depth):
        if depth == 0 or pick.random() < 0.25:
            return pick.choice([*names, str(pick.randrange(1, 100))])
        a, b = value(names, depth - 1), value(names, depth - 1)
        a = pick.choice(names) if a.isdigit() else a  # a number alone has no type
        form = pick.randrange(9)
        form = 6 if form == 7 and not made else form
        form = form if kind[0] == "u" or form not in (4, 5, 8) else 0  # bits and wrapping are of unsigned integers
        if form < 3:
            return f"({a} {pick.choice('+-*')} {b})"
        if form == 3:
            return f"({a} {pick.choice('/%')} {pick.randrange(2, 60)})"
        if form == 4:
            return f"({a} {pick.choice('&|^')} {b})"
        if form == 5:
            return f"{pick.choice(['add_wrap', 'sub_wrap', 'mul_wrap'])}({a}, {b})"
        if form == 6:
            return f"{pick.choice(['min', 'max'])}({a}, {b})"
        if form == 7 and made:
            return f"{pick.choice(made)}({a}, {b})"
        return f"shr({a}, {pick.randrange(0, int(kind[1:]))})"

    def condition(names):
        return f"{value(names, 1)} {pick.choice(['<', '<=', '>', '>=', '==', '!='])} {value(names, 1)}"

    for number in range(3):
        lines.append(f"fn f{number}(a:{kind}, b:{kind}) -> {kind} {{")
        lines.append("  let mut t = a;")
        for _ in range(pick.randrange(1, 4)):
            form = pick.randrange(3)
            if form == 0:
                lines.append(f"  if {condition(['a', 'b', 't'])} {{ t = {value(['a', 'b', 't'], 2)}; }}")
            elif form == 1:
                lines.append(f"  for i in 0..{pick.randrange(1, 9)} {{ t = {value(['a', 'b', 't'], 2)}; }}")
            else:
                lines.append(f"  t = {value(['a', 'b', 't'], 2)};")
        lines += [f"  return {value(['a', 'b', 't'], 2)};", "}"]
        made.append(f"f{number}")
    for number in range(3):
        lines.append(f"fn v{number}(n:usize, xs:ro<{kind}>[n], out:rw<{kind}>[n], m:usize, k:{kind}) {{")
        body = []
        for _ in range(pick.randrange(1, 3)):
            form = pick.randrange(4)
            if form == 0:
                body.append(f"out[i] = {value(['xs[i]', 'k', 'out[i]'], 2)};")
            elif form == 1:
                body.append(f"if xs[i] {pick.choice('<>')} k {{ out[i] = {value(['xs[i]', 'k'], 1)}; }}")
            elif form == 2:
                body.append(f"out[{pick.choice(['0', 'n - 1 - i', 'i'])}] = {value(['xs[i]', 'k'], 1)};")
            else:
                body.append(f"if i > {pick.randrange(1, 4)} {{ out[i] = {value(['out[i - 1]', 'xs[i]'], 1)}; }}")
        lines.append(f"  for i in 0..{pick.choice(['n', 'm', 'min(n, m)'])} {{ {' '.join(body)} }}")
        lines.append("}")
    return "\n".join(lines) + "\n"


def random_programs(count, folder):
    from random_programs import Writer  # regions, tasks, groups and collectors
    paths = []
    for seed in range(count):
        path = pathlib.Path(folder) / f"random{seed}.cairn"
        path.write_text(Writer(seed).program() if seed % 4 == 3 else scalar_program(seed))
        paths.append(path)
    return paths


def prove(cairn, path, timeout_ms):
    """The record of one program, or why there is none."""
    try:
        done = subprocess.run([cairn, "verify", "--tier", "optimizing", str(path), "--format", "json", "--timeout-ms", str(timeout_ms)],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT, cwd=ROOT)
    except subprocess.TimeoutExpired:
        return None, "no answer in time"
    try:
        record = json.loads(done.stdout)
    except json.JSONDecodeError:
        return None, f"status {done.returncode}: {(done.stdout + done.stderr).strip()[:200]}"
    return (record, "") if record.get("protocol") == "cairn.refinement/1" else (None, record.get("code") or record.get("status"))


class Tally:
    def __init__(self):
        self.functions = {}  # (section, name) -> (record, path): the best proved of a library function's
        self.refused = collections.Counter()

    def add(self, section, path, record, why):
        if record is None:
            self.refused[why] += 1
            return
        for name, function in record["functions"].items():
            name = re.sub(r"^own\.", "std.", name)
            shared = name.startswith("std.")
            key = ("library" if shared else section, name if shared else f"{path}:{name}")
            known = self.functions.get(key)
            if known is None or function["status"] == "refuted" or (known[0]["status"] == "unknown" and function["status"] == "refines"):
                self.functions[key] = (function, path)

    def count(self):
        self.passes, self.reasons, self.by_pass = collections.Counter(), collections.Counter(), collections.Counter()
        self.where, self.refuted = {}, []
        for (_, name), (function, path) in sorted(self.functions.items()):
            if function["status"] == "unknown" and "passes" not in function:
                self.reasons[function["reason"]] += 1
                self.where.setdefault(function["reason"], name)
            for each in function.get("passes", []):
                self.passes[each["status"]] += 1
                if each["status"] == "unknown":
                    reason = re.sub(r"\b\d+\b", "N", each["reason"])
                    reason += ", from a loop's start" if "from_loop_at_line" in each else ""
                    self.reasons[reason] += 1
                    self.by_pass[each["pass"]] += 1
                    self.where.setdefault(reason, f"{path} {name} {each['pass']}")
                if each["status"] == "refuted":
                    self.refuted.append(f"{path} {name} {each['pass']} at {each['input']}: the form before it {each['expected']}, the form "
                                        f"behind it {each['actual']}\n{each['before']}\n{each['after']}")
        return collections.Counter(function["status"] for function, _ in self.functions.values())

    def print(self, lists):
        self.count()
        sections = sorted({section for section, _ in self.functions})
        print(f"{'functions':16}{'refines':>9}{'unknown':>9}{'refuted':>9}{'no form':>9}")
        for section in [*sections, "all"]:
            counts = collections.Counter(function["status"] for (own, _), (function, _) in self.functions.items() if section in (own, "all"))
            print(f"{section:16}" + "".join(f"{counts[status]:9}" for status in ("refines", "unknown", "refuted", "none")))
        begins = sum(all(each["status"] == "refines" for each in function["passes"] if "from_loop_at_line" not in each)
                     for function, _ in self.functions.values() if "passes" in function)
        print(f"{begins} functions refine from their beginning; the others, or their loops' starts, have a pass that is not proved")
        print(f"passes that changed something: {self.passes['refines']} refine, {self.passes['unknown']} unknown, {self.passes['refuted']} refuted")
        for reason, count in self.reasons.most_common():
            print(f"  {count:5}  {reason}  (first: {self.where[reason]})")
        print("unknown by pass: " + ", ".join(f"{name} {count}" for name, count in self.by_pass.most_common()))
        for why, count in self.refused.most_common():
            print(f"  {count:5} programs not proved: {why}")
        for each in self.refuted:
            print(f"REFUTED {each}")
        if lists:
            for (section, name), (function, _) in sorted(self.functions.items()):
                print(f"{function['status']:9}{section:14}{name}")


def run(cairn, sections, timeout_ms=1000, jobs=1, sample=False, random_count=100):
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        all_sections = {"library": lambda: library(folder), "instances": instances, "examples": examples, "bench": bench, "conformance": conformance,
                        "random": lambda: random_programs(8 if sample else random_count, folder)}
        work = []
        for name, listed in all_sections.items():
            if sections and name not in sections:
                continue
            paths = listed()
            if sample and name != "random":
                paths = paths[:: max(1, len(paths) // 4)][:4]
            work += [(name, path) for path in paths]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            answers = pool.map(lambda item: prove(cairn, item[1], timeout_ms), work)
            for number, ((name, path), (record, why)) in enumerate(zip(work, answers), 1):
                shown = path.relative_to(ROOT) if ROOT in path.parents else path.name
                tally.add(name, shown, record, why)
                if sys.stderr.isatty():
                    print(f"\r{number} of {len(work)}\033[K", end="", file=sys.stderr, flush=True)
    return tally


def main():
    parser = argparse.ArgumentParser(description="Prove what the optimizing tier makes of programs.")
    parser.add_argument("sections", nargs="*", help="library, instances, examples, bench, conformance, random; none: all")
    parser.add_argument("--cairn", default=str(ROOT / "build" / "cairn"))
    parser.add_argument("--sample", action="store_true", help="a few programs of each section")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time; each uses every core")
    parser.add_argument("--random", type=int, default=100, help="random programs")
    parser.add_argument("--timeout-ms", type=int, default=1000, help="of each question to the solver")
    parser.add_argument("--list", action="store_true", help="every function with its answer")
    options = parser.parse_args()
    tally = run(options.cairn, options.sections, options.timeout_ms, options.jobs, options.sample, options.random)
    tally.print(options.list)
    return 1 if tally.refuted else 0


if __name__ == "__main__":
    sys.exit(main())
