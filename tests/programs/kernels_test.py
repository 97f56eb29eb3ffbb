#!/usr/bin/env python3
"""Random cooperative kernels and emulated device lanes do the same on every tier: output, trap message and position.
Machine code runs threads in groups (docs/jit.md, "Phases of kernels"); the interpreter runs them one after the other.

    kernels_test.py CAIRN [COUNT [SEED]]     COUNT programs (150) from SEED (1) on; a program that differs is kept
"""
import os, pathlib, random, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

KEPT = (20147,)  # seeds of kernels that once differed
TYPES = ("usize", "i64", "u32", "i32", "f32", "f64")


class Kernel:
    """One program whose kernel the checker accepts. Values stay mostly small; some programs trap."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.threads = self.draw.choice((32, 64, 64, 128, 256))
        self.blocks = self.draw.randint(1, 4)
        self.depth = 0
        self.next = 0
        self.scope = {kind: [] for kind in TYPES}
        self.fixed = ["t", "b", "m"]  # usize names that are not assigned
        self.risky = self.draw.random() < 0.35
        self.lanes = 40 if self.risky and seed % 4 == 0 else 32
        self.endless = seed % 4 == 2  # its whiles are `while true`
        self.has_lanes = seed % 3 == 1  # a region of device lanes, whose indices are its threads

    def one_of(self, *ways):
        return self.draw.choice(ways)()

    def literal(self, kind):
        if kind[0] == "f":
            return self.draw.choice(("0.5", "1.0", "3.25", "0.0625", "7.0"))
        return str(self.draw.choice((0, 1, 1, 2, 3, 5, 7, 8, 16, 31, 33)))

    def name(self, kind):
        names = self.scope[kind] + (self.fixed if kind == "usize" else [])
        return self.draw.choice(names) if names else self.converted(kind, 0)

    def condition(self, depth=1):
        kind = self.draw.choice(TYPES)
        relation = self.draw.choice(("<", "<=", "==", "!=", ">", ">="))
        text = f"{self.value(kind, depth)} {relation} {self.value(kind, 0)}"
        if depth and self.draw.random() < 0.25:
            return f"({text}) {self.draw.choice(('&&', '||'))} ({self.condition(0)})"
        return text

    def index(self, size):
        if self.draw.random() < 0.15 and self.risky:
            return self.value("usize", 1)
        return self.draw.choice((f"({self.value('usize', 1)}) % {size}", f"t % {size}", f"(t + {self.draw.randint(0, 9)}) % {size}"))

    def converted(self, kind, depth):
        if kind == "usize":
            return self.draw.choice(self.fixed)
        if kind == "u32":
            return f"u32(({self.value('usize', depth)}) % 1000)"
        if kind == "i64":
            return f"(i64(({self.value('usize', depth)}) % 100) - {self.draw.randint(0, 50)})"
        if kind == "i32":
            return f"(i32(({self.value('usize', depth)}) % 100) - {self.draw.randint(0, 50)})"
        return f"{kind}({self.value(self.draw.choice(('usize', 'i64', 'u32', 'i32')), depth)})"

    def value(self, kind, depth):
        if depth <= 0:
            return self.literal(kind) if self.draw.random() < 0.3 else self.name(kind)
        if kind[0] == "f":
            way = self.draw.randrange(7)
            if way < 3:
                return f"({self.value(kind, depth - 1)} {self.draw.choice('+-*/')} {self.name(kind)})"
            if way == 3:
                return f"{self.draw.choice(('abs', 'floor', 'ceil', 'trunc', 'sqrt'))}({self.name(kind)})"
            if way == 4:
                return self.converted(kind, depth - 1)
            if way == 5 and kind == "f32":
                return f"x[{self.index('n')}]"
            return f"{'f64(x[0])' if kind == 'f64' else 'own[' + self.index(6) + ']'}"
        way = self.draw.randrange(9)
        if way < 2:
            unsafe = self.risky and self.draw.random() < 0.4
            if unsafe:
                return f"({self.value(kind, depth - 1)} {self.draw.choice('+-*/%')} {self.value(kind, 0)})"
            if kind[0] == "u":
                op = self.draw.choice(("add_wrap", "sub_wrap", "mul_wrap"))
                return f"({op}({self.value(kind, depth - 1)}, {self.name(kind)}) % {self.draw.choice((7, 64, 100, 1000))})"
            return f"({self.value(kind, depth - 1)} % 50 {self.draw.choice('+-')} {self.literal(kind)})"
        if way == 2:
            return f"{self.draw.choice(('min', 'max'))}({self.name(kind)}, {self.value(kind, depth - 1)})"
        if way == 3 and kind[0] == "u":
            op = self.draw.choice(("shr", "shl_wrap"))
            by = self.draw.choice(("1", "3", "t % 8", "(t + b) % 16"))
            text = f"{op}({self.name(kind)}, {by})"
            return f"({text} % 4096)" if op == "shl_wrap" else text
        if way == 4 and kind[0] == "u":
            return f"({self.name(kind)} {self.draw.choice('&|^')} {self.value(kind, 0)})"
        if way == 5:
            return self.converted(kind, depth - 1)
        if way == 6 and kind == "usize":
            return f"a[{self.index('n')}]"
        if way == 7 and kind == "usize":
            return f"local[{self.index(8)}]"
        if way == 8 and kind == "usize":
            return f"(({self.value(kind, depth - 1)}) {self.draw.choice('/%')} {self.draw.choice((2, 3, 8, 10, 32))})"
        return self.name(kind)

    def assign(self):
        kind = self.draw.choice(TYPES)
        if self.scope[kind] and self.draw.random() < 0.7:
            return [f"{self.draw.choice(self.scope[kind])} = {self.value(kind, 2)};"]
        if self.draw.random() < 0.5:
            return [f"local[{self.index(8)}] = {self.value('usize', 2)};"]
        return [f"own[{self.draw.choice((self.index(6), str(self.draw.randrange(6))))}] = {self.value('f32', 2)};"]

    def body(self, count):
        kept = {kind: list(names) for kind, names in self.scope.items()}
        fixed = list(self.fixed)
        lines = []
        for _ in range(count):
            lines += self.statement()
        self.scope, self.fixed = kept, fixed
        return ["  " + line for line in lines]

    def statement(self):
        self.depth += 1
        try:
            way = self.draw.randrange(8 if self.depth < 4 else 3)
            if way < 3:
                return self.assign()
            if way < 6:
                lines = [f"if {self.condition()} {{", *self.body(self.draw.randint(1, 3))]
                if self.draw.random() < 0.5:
                    lines += ["} else {", *self.body(self.draw.randint(1, 2))]
                return [*lines, "}"]
            self.next += 1
            k = f"k{self.next}"
            if way == 6:
                bound = self.draw.choice(("3", "4", "m", "7", "(t % 4)", "(b + 2)"))
                self.fixed.append(k)
                lines = [f"for {k} in 0..{bound} {{", *self.body(self.draw.randint(1, 2))]
                if self.draw.random() < 0.3:
                    lines.append(f"  if {self.condition(0)} {{ {self.draw.choice(('break', 'continue'))}; }}")
                    lines += self.body(1)
                self.fixed.remove(k)
                return [*lines, "}"]
            self.fixed.append(k)
            bound = self.draw.choice(("t % 5", "t % 3 + b", "m", f"({self.value('usize', 1)}) % 6"))
            head = f"while true {{ if {k} >= {bound} {{ break; }}" if self.endless else f"while {k} < {bound} {{"
            lines = [f"let mut {k}:usize = 0;", head, *self.body(self.draw.randint(1, 2)), f"  {k} += 1;"]
            if self.endless:
                lines += [f"  if {self.condition(0)} {{ continue; }}", *self.body(1)]
            if self.endless or self.draw.random() < 0.3:
                lines.append(f"  if {self.condition(0)} {{ break; }}")
            self.fixed.remove(k)
            return [*lines, "}"]
        finally:
            self.depth -= 1

    def phase(self):
        """Statements of the whole block: every thread writes its element, then all read any."""
        self.next += 1
        word, number = f"w{self.next}", f"f{self.next}"
        lines = [f"tile[t] = {self.value('usize', 2)};", f"cells[t] = {self.value('f32', 2)};", "barrier;",
                 f"let mut {word} = tile[({self.value('usize', 1)}) % {self.threads}];",
                 f"let mut {number} = cells[({self.value('usize', 1)}) % {self.threads}];"]
        self.scope["usize"].append(word)
        self.scope["f32"].append(number)
        lines += [line[2:] for line in self.body(self.draw.randint(1, 3))]
        return [*lines, "barrier;"]

    def warp(self):
        self.next += 1
        kind = self.draw.choice(("usize", "u32", "f32", "i64"))
        mine = f"v{self.next}"
        lines = [f"let mut {mine} = {self.name(kind) if self.scope[kind] else self.converted(kind, 0)};"]
        how = self.draw.randrange(4)
        if how == 0:
            lines.append(f"{mine} = shuffle_xor({mine}, {self.draw.choice(('1', '3', '16', 't % 32'))});")
        elif how == 1:
            lines.append(f"{mine} = shuffle({mine}, ({self.value('usize', 1)}) % {self.lanes});")
        elif how == 2 and kind == "usize":
            lines += [f"let s{self.next} = reduce add_wrap warp yield {mine};", f"{mine} = s{self.next} % 1000;"]
        elif kind == "f32":
            lines += [f"let s{self.next} = reduce + warp yield {mine};", f"{mine} = s{self.next};"]
        elif kind == "u32":
            lines.append(f"{mine} = warp_ballot({self.condition(0)}) % 1000;")
        self.scope[kind].append(mine)
        return lines

    def text(self):
        size = self.threads * self.blocks
        lines = []
        for kind in TYPES:
            for k in range(2):
                start = {"usize": "t", "i64": "i64(t) - 9", "u32": "u32(b) + 3", "i32": "4 - i32(t % 8)", "f32": "f32(t) * 0.5",
                         "f64": "f64(b) + 0.25"}[kind] if k == 0 else self.literal(kind)
                lines.append(f"let mut {kind}_{k}:{kind} = {start};")
                self.scope[kind].append(f"{kind}_{k}")
        for _ in range(self.draw.randint(2, 5)):
            lines += self.draw.choice((self.statement, *(() if self.has_lanes else (self.statement, self.phase, self.warp))))()
        if not self.has_lanes and self.draw.random() < 0.4:
            lines += ["let mut round:usize = 0;", f"while round < {self.draw.choice(('m', '3', 'b + 1'))} {{"]
            kept = {kind: list(names) for kind, names in self.scope.items()}
            lines += ["  " + line for line in self.phase()]
            self.scope = kept
            lines += ["  round += 1;", "}"]
        words = "0"
        for k, name in enumerate([*self.scope["usize"], "local[t % 8]"]):
            words = f"add_wrap({words}, mul_wrap({name}, {3 + 2 * k}))"
        sums = [f"if {name} == {name} && abs({name}) < 1000000.0 {{ total = total + {name}; }}"
                for name in [*self.scope["f32"], "own[t % 6]"]]
        sums += [f"if f64({name}) == f64({name}) && abs(f64({name})) < 1000000.0 {{ total = total + f32({name}); }}"
                 for kind in ("i64", "u32", "i32") for name in self.scope[kind]]
        sums += [f"if {name} == {name} && abs({name}) < 1000000.0 {{ total = total + f32({name}); }}" for name in self.scope["f64"]]
        body = "\n".join("    " + line for line in lines)
        if self.has_lanes:
            return self.region(body, words, sums)
        return f"""fn step(n:usize, a:ro<usize>[n], x:ro<f32>[n], m:usize, words:rw<usize>[n], numbers:rw<f32>[n], g:usize) {{
  blocks b in g threads t in {self.threads} {{
    shared tile:usize[{self.threads}] = zeroed;
    shared cells:f32[{self.threads}];
    let mut local = Array[usize, 8]();
    let mut own = Array[f32, 6]();
{body}
    words[b * {self.threads} + t] = {words};
    let mut total:f32 = 0.0;
{chr(10).join("    " + line for line in sums)}
    numbers[b * {self.threads} + t] = total;
  }}
}}

fn main() -> i32 {{
  let n:usize = {size};
  buffer a:usize[n] = zeroed;
  buffer x:f32[n] = zeroed;
  buffer words:usize[n] = zeroed;
  buffer numbers:f32[n] = zeroed;
  for i in 0..n {{
    a[i] = i * 7919 % 101;
    x[i] = f32(i % 13) * 0.75 - 3.0;
  }}
  step(n, a, x, {self.draw.randint(1, 4)}, words, numbers, {self.blocks});
  for i in 0..n {{ println(words[i], " ", numbers[i]); }}
  return 0;
}}
"""


    def region(self, body, words, sums):
        device = "@device"
        return f"""fn step(n:usize, a:ro<usize>[n]{device}, x:ro<f32>[n]{device}, m:usize, words:rw<usize>[n]{device}, numbers:rw<f32>[n]{device}) {{
  parallel t in n {{
    let b = t / 8 % 4;
    let mut local = Array[usize, 8]();
    let mut own = Array[f32, 6]();
{body}
    words[t] = {words};
    let mut total:f32 = 0.0;
{chr(10).join("    " + line for line in sums)}
    numbers[t] = total;
  }}
}}

fn main() -> i32 {{
  let n:usize = {self.threads * self.blocks + self.draw.randrange(9)};
  buffer a:usize[n] = zeroed;
  buffer x:f32[n] = zeroed;
  buffer words:usize[n] = zeroed;
  buffer numbers:f32[n] = zeroed;
  buffer da:usize[n]@device = zeroed;
  buffer dx:f32[n]@device = zeroed;
  buffer dwords:usize[n]@device = zeroed;
  buffer dnumbers:f32[n]@device = zeroed;
  for i in 0..n {{
    a[i] = i * 7919 % 101;
    x[i] = f32(i % 13) * 0.75 - 3.0;
  }}
  transfer(da, a);
  transfer(dx, x);
  step(n, da, dx, {self.draw.randint(1, 4)}, dwords, dnumbers);
  transfer(words, dwords);
  transfer(numbers, dnumbers);
  for i in 0..n {{ println(words[i], " ", numbers[i]); }}
  return 0;
}}
"""


def outcome(cairn, path, tier):
    # On one host thread blocks run in order, so that the first that traps is the same.
    done = subprocess.run([cairn, "run", "--emulate", "--device-target", "sm_80", "--tier", tier, path], capture_output=True, timeout=120, env={**os.environ, "CAIRN_LANES": "1"})
    return done.returncode, done.stdout, done.stderr


def attempt(cairn, seed):
    """What differs, and whether the kernel was accepted and trapped."""
    path = pathlib.Path(f"kernel-{seed}.cairn")
    path.write_text(Kernel(seed).text())
    wanted = outcome(cairn, path, "interpreter")
    if wanted[0] == 1:
        path.unlink()
        return None, wanted[2].decode().splitlines()[0][:120]
    for tier in ("optimizing", "baseline"):
        if outcome(cairn, path, tier) != wanted:
            return f"FAIL {path.resolve()} [{tier}]", None
    path.unlink()
    return None, "trapped" if wanted[0] else "ran"


def main():
    cairn = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 150
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    kinds, failed = {}, 0
    with ThreadPoolExecutor(2) as pool:
        for fault, kind in pool.map(lambda seed: attempt(cairn, seed), [*range(first, first + count), *KEPT]):
            if fault:
                failed += 1
                print(fault, flush=True)
            else:
                kinds[kind] = kinds.get(kind, 0) + 1
    for kind, times in sorted(kinds.items(), key=lambda each: -each[1])[:12]:
        print(f"  {times:6} {kind}")
    ran = kinds.get("ran", 0) + kinds.get("trapped", 0)
    if ran < count // 2:
        failed += 1
        print(f"only {ran} of {count} kernels were accepted")
    print(f"{ran} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
