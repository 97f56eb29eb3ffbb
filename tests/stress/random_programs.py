#!/usr/bin/env python3
"""Random programs over regions, collectors, tasks, groups, atomics and mutexes.

Whatever the checker accepts must print the same on 1 and on 16 lanes and in every tier, and a thread-sanitizer build must stay silent about
it. With --broken RULE (a build with CAIRN_BREAKABLE_RULES) one rule of the checker refuses nothing: then the sanitizer, or
a difference of output, must catch some program within the same generator, or the rule's test proves nothing.

    random_programs.py --cairn build-tsan/cairn [--seconds 30] [--programs N] [--seed S] [--broken leases|lanes]

Prints what it did; the last line is `N passed, N failed`, a program each (with --broken: one test)."""
import argparse, collections, concurrent.futures, os, pathlib, random, subprocess, sys, tempfile, time

HELPERS = """const S:usize = 8;

fn fill(n:usize, out:rw<u64>[n], v:u64) { for i in 0..n { out[i] = add_wrap(mul_wrap(out[i], 3), mul_wrap(u64(i) + 1, v)); } }
fn total(n:usize, xs:ro<u64>[n]) -> u64 {
  let mut t:u64 = 0;
  for x in xs { t = add_wrap(mul_wrap(t, 31), x); }
  return t;
}
fn blend(n:usize, out:rw<u64>[n], xs:ro<u64>[n]) { for i in 0..n { out[i] = out[i] ^ mul_wrap(xs[i], 5); } }
fn tally(n:usize, xs:ro<u64>[n], hits:ro<Atomic[u64]>) { for x in xs { if x % 3 == 0 { hits.fetch_add(1, Order.relaxed); } } }
fn post(k:u64, book:ro<Mutex[u64]>) { for j in 0..20 { book.with(|v:rw<u64>| { v = add_wrap(v, k); }); } }
"""


class Writer:
    """Writes one program. Every access is in bounds; whether it may stand beside the others is the checker's to say."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.size = self.random.choice([64, 256, 2048, 40_000])
        self.arrays = ["a", "b", "c"][: self.random.randint(2, 3)]
        self.lines, self.names = [], 0
        self.tickets, self.groups = [], []

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def array(self):
        return self.random.choice(self.arrays)

    def part(self):
        """A part of an array: by constants, mostly halves and quarters, so that parts often meet and often do not."""
        cuts = [0, self.size // 4, self.size // 2, 3 * self.size // 4, self.size]
        low, high = sorted(self.random.sample(range(5), 2))
        return f"{self.array()}[{cuts[low]}..{cuts[high]}]"

    def index(self, binder, count):
        """An index below the size, for a binder below count: the lane's own element mostly, or another's."""
        size, block = self.size, self.size // count
        pick = self.random.random()
        if block > 1:
            own = [f"{binder} * S + {self.random.randrange(8)}", f"{binder} * S"]
            return self.random.choice(own) if pick < 0.8 else f"({binder} * S + 8) % {size}"
        if pick < 0.75:
            return binder
        return self.random.choice([f"{size - 1} - {binder}", f"{binder} / 2", f"({binder} + 1) % {size}", "0", f"{binder} % 4"])

    def value(self, binder, count):
        kind = self.random.random()
        if kind < 0.3:
            return f"u64({binder})"
        read = f"{self.array()}[{self.index(binder, count)}]"
        if kind < 0.6:
            return f"add_wrap({read}, {self.random.randrange(100)})"
        if kind < 0.8:
            return f"{read} ^ {self.array()}[{self.index(binder, count)}]"
        return f"mul_wrap({read}, 7)"

    def region(self):
        i = self.name("i")
        count = self.random.choice([self.size, self.size, self.size // 8])
        body = []
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.random()
            line = f"{self.array()}[{self.index(i, count)}] = {self.value(i, count)};"
            if kind < 0.2:
                line = f"if {i} % {self.random.randint(2, 5)} == 0 {{ {line} }}"
            elif kind < 0.3:
                line = f"hits.fetch_add(u64({i} % 7), Order.relaxed);"
            elif kind < 0.36:
                line = f"atomic_add_wrap({self.array()}[{i} % 16], u64({i}));"
            elif kind < 0.4:
                line = f"book.with(|v:rw<u64>| {{ v = add_wrap(v, u64({i})); }});"
            elif kind < 0.5 and count < self.size:
                low = self.name("low")
                line = f"let {low} = {i} * S; fill({self.array()}[{low}..{low} + 8], {self.random.randrange(9)});"
            body.append(line)
        shown = str(count) if count == self.size else f"{self.size // 8}"
        self.lines.append(f"parallel {i} in {shown} {{ {' '.join(body)} }}")

    def collector(self):
        i, kept = self.name("i"), self.name("r")
        kind = self.random.random()
        if kind < 0.6:
            op = self.random.choice(["add_wrap", "mul_wrap", "&", "|", "^", "min", "max"])
            how = self.random.choice(["for", "parallel", "parallel"])
            self.lines.append(f"let {kept} = reduce {op} {how} {i} in {self.size} yield {self.value(i, self.size)};")
            self.lines.append(f"x = add_wrap(x, {kept});")
        elif kind < 0.85:
            op = self.random.choice(["add_wrap", "^", "max"])
            exclusive = self.random.choice(["", "exclusive "])
            self.lines.append(f"scan {op} {exclusive}{self.array()} parallel {i} in {self.size} yield {self.value(i, self.size)};")
        else:
            self.lines.append(f"let {kept} = compact {self.array()} for {i} in {self.size} where {self.array()}[{i}] % 2 == 0 yield {self.value(i, self.size)};")
            self.lines.append(f"x = add_wrap(x, u64({kept}));")

    def call(self):
        kind = self.random.random()
        if kind < 0.45:
            return f"fill({self.part()}, {self.random.randrange(50)})", "void"
        if kind < 0.6:
            part = self.part()
            other = self.array() + part[part.index("["):]
            return f"blend({part}, {other})", "void"
        if kind < 0.8:
            return f"total({self.part()})", "u64"
        if kind < 0.9:
            return f"tally({self.part()}, hits)", "void"
        return f"post({self.random.randrange(99)}, book)", "void"

    def spawn(self):
        call, result = self.call()
        ticket = self.name("t")
        self.lines.append(f"let {ticket} = spawn {call};")
        self.tickets.append((ticket, result))

    def wait(self):
        if not self.tickets:
            return self.read()
        ticket, result = self.tickets.pop(self.random.randrange(len(self.tickets)))
        self.lines.append(f"x = add_wrap(x, wait({ticket}));" if result == "u64" else f"wait({ticket});")

    def group(self):
        g, k = self.name("g"), self.name("k")
        tasks = self.random.randint(2, 6)
        self.lines.append(f"let {g} = Group[u64]({tasks});")
        for _ in range(tasks):
            self.lines.append(f"spawn total({self.part()}) into {g};")
        if self.random.random() < 0.3:
            self.touch()
        self.lines.append(f"for {k} in 0..{tasks} {{ let got{k} = collect({g}); x = add_wrap(x, got{k}); }}")
        self.lines.append(f"wait({g});")

    def read(self):
        self.lines.append(f"x = add_wrap(mul_wrap(x, 13), {self.array()}[{self.random.randrange(self.size)}]);")

    def touch(self):
        self.lines.append(self.random.choice([
            f"{self.array()}[{self.random.randrange(self.size)}] = x;",
            f"x = add_wrap(x, total({self.part()}));",
            f"fill({self.part()}, {self.random.randrange(20)});"]))

    def program(self):
        for _ in range(self.random.randint(3, 9)):
            steps = [self.region] * 3 + [self.collector] * 2 + [self.spawn] * 4 + [self.wait] * 2 + [self.group, self.read, self.touch]
            self.random.choice(steps)()
        while self.tickets:
            self.wait()
        head = [f"buffer {array}:u64[{self.size}] = zeroed;" for array in self.arrays]
        head += [f"for i in 0..{self.size} {{ {array}[i] = mul_wrap(u64(i) + {k + 1}, 2654435761); }}" for k, array in enumerate(self.arrays)]
        head += ["let hits = Atomic[u64](0);", "let book = Mutex[u64](0);", "let mut x:u64 = 1;"]
        tail = ["println(x);", "let seen = hits.load(Order.seq_cst);", "println(seen);", "let sum = book.with(|v:rw<u64>| -> u64 { return v; });", "println(sum);"]
        tail += [f"println(total({array}));" for array in self.arrays]
        return HELPERS + "\nfn main() -> i32 {\n" + "".join(f"  {line}\n" for line in head + self.lines + tail) + "  return 0;\n}\n"


def run(command, limit, **environment):
    try:
        done = subprocess.run(command, capture_output=True, timeout=limit, env={**os.environ, **environment}, stdin=subprocess.DEVNULL)
        return done.returncode, done.stdout, done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None, b"", "no answer in time"


def judge(cairn, folder, seed, broken):
    """(outcome, what it said): refused, held, raced, differs, broke."""
    path = pathlib.Path(folder) / f"random_{seed}.cairn"
    path.write_text(Writer(seed).program())
    settings = {"TSAN_OPTIONS": "exitcode=66 halt_on_error=1"}
    if broken:
        settings["CAIRN_BREAK_RULE"] = broken
    results = []
    # The sanitizer sees what the interpreter does; machine code has to agree with it.
    for lanes, tier in (("16", "interpreter"), ("1", "interpreter"), ("16", "auto")):
        status, out, said = run([cairn, "run", path], 120, CAIRN_LANES=lanes, CAIRN_TIER=tier, **settings)
        if said.startswith("error[E-"):
            path.unlink()
            return "refused", said
        if "ThreadSanitizer" in said:
            return "raced", f"{path}: on {lanes} lanes\n{said[:3000]}"
        if status is None or status < 0 or status not in (0, 134):
            return "broke", f"{path}: on {lanes} lanes: status {status}\n{said[:3000]}"
        results.append((status, out))
    if results[0] != results[1]:
        return "differs", f"{path}: {results[0]} on 16 lanes, {results[1]} on 1"
    if results[0] != results[2]:
        return "differs", f"{path}: {results[0]} interpreted, {results[2]} in machine code"
    path.unlink()
    return "held", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cairn", default="build/cairn")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--programs", type=int, default=10**9, help="stop after so many")
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--broken", choices=["leases", "lanes"], help="the rule of the checker to switch off")
    parser.add_argument("--print", action="store_true", help="print the program of --seed and stop")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    options = parser.parse_args()
    if options.print:
        print(Writer(options.seed).program(), end="")
        return 0
    counts, codes = collections.Counter(), collections.Counter()
    end = time.monotonic() + options.seconds
    folder = tempfile.mkdtemp(prefix="cairn-random-")
    cairn = str(pathlib.Path(options.cairn).resolve())

    def one(seed):
        return judge(cairn, folder, seed, options.broken) if time.monotonic() < end else None

    caught = None
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seeds = iter(range(options.seed, options.seed + options.programs))
        while time.monotonic() < end and not caught:
            batch = [seed for _, seed in zip(range(options.jobs * 8), seeds)]
            if not batch:
                break
            for outcome in pool.map(one, batch):
                if outcome is None:
                    continue
                kind, said = outcome
                counts[kind] += 1
                if kind == "refused":
                    codes[said[len("error["):said.index("]")]] += 1
                elif kind != "held":
                    if options.broken and kind in ("raced", "differs"):
                        caught = caught or said
                    else:
                        print(f"FAIL {kind}: {said}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()) + "; refused with " + ", ".join(f"{code} {count}" for code, count in codes.most_common()))
    if options.broken:
        passed, failed = (1, 0) if caught else (0, 1)
        print(f"caught without {options.broken}: {caught[:600]}" if caught else f"FAIL nothing was caught without {options.broken}")
    else:
        passed, failed = counts["held"] + counts["refused"], counts["raced"] + counts["differs"] + counts["broke"]
        if counts["held"] == 0:
            failed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
