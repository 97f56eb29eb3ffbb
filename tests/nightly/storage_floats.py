#!/usr/bin/env python3
"""Storage floats as a program sees them, on many inputs: storage_floats.py [--cairn FILE] [--inputs N] [--tier T].

N (10^7) random f64, f32 and pairs of f32 and scale go through every conversion, `quantize` and `quantize_stochastic` of
storage_floats.cairn. Before them come every tie of every format with its neighbours, every value with its neighbours, and
special values. Each result is judged by an exact model: the table of a format's values, compared with exact products in
f64. The model and every pattern's widening are held against NumPy and ml_dtypes where those define the same thing: all
but NaN patterns, values past f8e4m3's range (a NaN there, a trap here), and f64 into ml_dtypes' formats, which it rounds
through f32 first.
"""
import argparse, pathlib, subprocess, sys

try:
    import numpy as np
except ImportError:
    print("skipped: this needs NumPy (pip install numpy ml_dtypes)")
    sys.exit(0)
try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
    print("without ml_dtypes only f16 is compared with a peer (pip install ml_dtypes)")

HERE = pathlib.Path(__file__).resolve().parent
BLOCK = 65536
np.seterr(all="ignore")


class Format:
    def __init__(self, name, exponent, fraction, infinity):
        self.name, self.exponent, self.fraction = name, exponent, fraction
        self.bias = 2 ** (exponent - 1) - 1
        self.sign = 1 << (exponent + fraction)
        top = self.sign - (1 << fraction)
        self.infinity = top if infinity else None
        self.largest = top - 1 if infinity else self.sign - 2
        self.nan = top | 1 << (fraction - 1) if infinity else self.sign - 1
        patterns = np.arange(self.largest + 2)  # and one step past the largest
        field, low = patterns >> fraction, patterns & ((1 << fraction) - 1)
        units = np.where(field == 0, low, low + (1 << fraction)).astype(np.float64)
        self.steps = np.ldexp(units, np.maximum(field, 1) - self.bias - fraction)
        self.middles = (self.steps[:-1] + self.steps[1:]) / 2  # exact: one bit more
        self.pattern_type = np.uint16 if self.sign > 0x80 else np.uint8
        self.peer = (np.float16 if name == "f16" else None if ml_dtypes is None else
                     {"bf16": ml_dtypes.bfloat16, "f8e4m3": ml_dtypes.float8_e4m3fn, "f8e5m2": ml_dtypes.float8_e5m2}[name])

    def value(self, pattern):
        """Of every pattern, as f64."""
        low = pattern & (self.sign - 1)
        value = np.where(low <= self.largest, self.steps[np.minimum(low, self.largest)], np.nan)
        if self.infinity is not None:
            value = np.where(low == self.infinity, np.inf, value)
        return np.where(pattern & self.sign, -value, value)

    def nearest(self, magnitude, scale=1.0):
        """The pattern nearest to magnitude / scale, one past the largest when it is past; middle * scale is exact."""
        n = np.clip(np.searchsorted(self.middles, magnitude / scale), 0, len(self.middles))
        for _ in range(2):  # the quotient is rounded, so the place it finds may be one off
            below = self.middles[np.maximum(n - 1, 0)] * scale
            n = np.where((n > 0) & ((magnitude < below) | ((magnitude == below) & (n % 2 == 1))), n - 1, n)
            above = self.middles[np.minimum(n, len(self.middles) - 1)] * scale
            n = np.where((n < len(self.middles)) & ((magnitude > above) | ((magnitude == above) & (n % 2 == 1))), n + 1, n)
        return n

    def narrowed(self, x):
        """T(x); 0 where it traps."""
        magnitude = np.abs(x)
        n = self.nearest(np.where(np.isnan(x), 0.0, magnitude))
        past = n > self.largest
        n = np.where(past, self.nan if self.infinity is None else self.infinity, n)
        n = np.where(np.isnan(x), self.nan, n) | np.where(np.signbit(x), self.sign, 0)
        return np.where(past & ~np.isnan(x), 0, n) if self.infinity is None else n

    def quantized(self, x, scale):
        n = np.minimum(self.nearest(np.where(np.isnan(x), 0.0, np.abs(x)), scale), self.largest)
        return np.where(np.isnan(x), self.nan, n) | np.where(np.signbit(x), self.sign, 0)

    def quantized_stochastic(self, x, scale, noise):
        quotient = np.abs(np.where(np.isnan(x), 0.0, x) / scale)
        low = np.clip(np.searchsorted(self.steps, quotient, side="right") - 1, 0, self.largest)
        step = self.steps[low + 1] - self.steps[low]
        rest = np.where(quotient >= self.steps[-1], 0.0, (quotient - self.steps[low]) / step)  # steps are powers of two
        moved = np.floor(np.clip(rest, 0, 1 - 2.0**-53) * 2.0**32).astype(np.uint64) > noise
        n = np.minimum(low + moved, self.largest)
        return np.where(np.isnan(x), self.nan, n) | np.where(np.signbit(x), self.sign, 0)


FORMATS = [Format("f16", 5, 10, True), Format("bf16", 8, 7, True), Format("f8e4m3", 4, 3, False), Format("f8e5m2", 5, 2, True)]
INTEGERS = {"u8": (0, 255), "u16": (0, 65535), "i8": (-128, 127), "i16": (-32768, 32767)}


def integer_quantized(low, high, x, scale):
    whole = np.clip(np.floor(np.abs(x) / scale), 0, 1e6)
    for _ in range(2):
        whole = np.where(np.abs(x) < whole * scale, whole - 1, whole)
        whole = np.where((np.abs(x) >= (whole + 1) * scale) & (whole < 1e6), whole + 1, whole)
    middle = (whole + 0.5) * scale
    up = (np.abs(x) > middle) | ((np.abs(x) == middle) & (whole % 2 == 1))
    return np.clip(np.where(np.signbit(x), -1.0, 1.0) * (whole + up), low, high).astype(np.int64)


def integer_stochastic(low, high, x, scale, noise):
    quotient = x / scale
    inside = np.clip(quotient, low, high)
    whole = np.trunc(inside)
    moved = np.floor(np.abs(inside - whole) * 2.0**32).astype(np.uint64) > noise
    rounded = whole + np.where(moved & (quotient > low) & (quotient < high), np.sign(inside), 0.0)
    return np.clip(rounded, low, high).astype(np.int64)


def special_inputs():
    values = [0.0, np.inf, np.nan, 5e-324, 2.0**-1022, 1.7976931348623157e308, 1e-40, 1e-45, 464.0, 465.0, 65519.99, 65520.0]
    for form in FORMATS:
        values += list(form.steps) + list(form.middles)
    values = np.array(values)
    single = values.astype(np.float32)
    near = [values, np.nextafter(values, 0), np.nextafter(values, np.inf), np.nextafter(single, np.float32(0)).astype(float),
            np.nextafter(single, np.float32(np.inf)).astype(float)]
    both = np.concatenate(near)
    return np.concatenate([both, -both])


def spread(random, count, low, high):
    """Signed numbers with exponents of low .. high, and any bits of fraction."""
    return np.ldexp(1 + random.random(count), random.integers(low, high, count)) * random.choice([-1.0, 1.0], count)


def inputs(count):
    """Blocks of (f64, f32, scale, noise)."""
    random = np.random.default_rng(20240611)
    special = special_inputs()
    for start in range(0, len(special) + count, BLOCK):
        wide = np.where(random.random(BLOCK) < 0.8, spread(random, BLOCK, -30, 20), spread(random, BLOCK, -1070, 1020))
        kind = random.random(BLOCK)
        single = np.where(kind < 0.6, spread(random, BLOCK, -30, 20), spread(random, BLOCK, -149, 128)).astype(np.float32)
        some = special[start:start + BLOCK]
        wide[:len(some)] = some
        single[:len(some)] = some.astype(np.float32)
        scale = np.abs(spread(random, BLOCK, -12, 13)).astype(np.float32)
        scale[random.random(BLOCK) < 0.3] = 1
        scale[random.random(BLOCK) < 0.02] = np.float32(1e-45)
        ties = random.random(BLOCK) < 0.1  # quotients half way, where the product is exact
        scale[ties] = np.ldexp(np.float32(1), random.integers(-10, 10, BLOCK)[ties])
        single[ties] = (random.integers(-600, 600, BLOCK)[ties] / np.float32(2)) * scale[ties]
        noise = random.integers(0, 2**32, BLOCK, dtype=np.uint64)
        noise[random.random(BLOCK) < 0.1] = 0
        noise[random.random(BLOCK) < 0.1] = 2**32 - 1
        yield wide, single, scale, noise.astype(np.uint32)


class Judge:
    def __init__(self):
        self.wrong, self.compared = {}, {}

    def compare(self, what, got, wanted, inputs, where=True):
        bad = (got != wanted) & where
        self.compared[what] = self.compared.get(what, 0) + int(np.count_nonzero(np.broadcast_to(where, got.shape)))
        if not bad.any():
            return
        self.wrong[what] = self.wrong.get(what, 0) + int(bad.sum())
        at = int(np.argmax(bad))
        if self.wrong[what] < 1000:
            print(f"WRONG {what}: of {[float(i[at]).hex() for i in inputs]} got {got[at]:#x}, wanted {wanted[at]:#x}")


def judge_block(judge, wide, single, scale, noise, results):
    rows = iter(results)
    exact, scales = single.astype(np.float64), scale.astype(np.float64)
    for name, x in (("f32", exact), ("f64", wide)):
        for form in FORMATS:
            got = next(rows).astype(np.int64)
            wanted = form.narrowed(x)
            judge.compare(f"{form.name}({name})", got, wanted, [x])
            if form.peer is not None and (name == "f32" or form.name == "f16"):
                peer = (single if name == "f32" else x).astype(form.peer).view(form.pattern_type).astype(np.int64)
                same = ~np.isnan(x) & ((form.infinity is not None) | (form.nearest(np.abs(x)) <= form.largest))
                judge.compare(f"{form.name}({name}) by its peer", got, peer, [x], same)
    for form in FORMATS:
        judge.compare(f"quantize[{form.name}]", next(rows).astype(np.int64), form.quantized(exact, scales), [exact, scales])
    for form in FORMATS:
        judge.compare(f"quantize_stochastic[{form.name}]", next(rows).astype(np.int64),
                      form.quantized_stochastic(exact, scales, noise), [exact, scales, noise])
    number = np.where(np.isnan(exact), 1.0, exact)
    for name, (low, high) in INTEGERS.items():
        judge.compare(f"quantize[{name}]", next(rows).astype(np.int64) + low, integer_quantized(low, high, number, scales),
                      [number, scales])
    for name, (low, high) in INTEGERS.items():
        judge.compare(f"quantize_stochastic[{name}]", next(rows).astype(np.int64) + low,
                      integer_stochastic(low, high, number, scales, noise), [number, scales, noise])


def judge_patterns(judge, command):
    """Every pattern of every format, widened to f32 and f64."""
    program = HERE / "storage_patterns.cairn"
    told = subprocess.run([*command, str(program)], capture_output=True, check=True).stdout
    at = 0
    for form in FORMATS:
        patterns = np.arange(2 * form.sign)
        singles = np.frombuffer(told, np.uint32, len(patterns), at).view(np.float32)
        doubles = np.frombuffer(told, np.uint64, len(patterns), at + 4 * len(patterns)).view(np.float64)
        at += 12 * len(patterns)
        peers = [form.value(patterns)]
        if form.peer is not None:
            peers.append(patterns.astype(form.pattern_type).view(form.peer).astype(np.float64))
        for name, values in (("f32", singles.astype(np.float64)), ("f64", doubles)):
            for who, wanted in zip(("", " by its peer"), peers):
                same = (values == wanted) | (np.isnan(values) & np.isnan(wanted))
                same &= np.signbit(values) == np.where(patterns & form.sign, True, False)
                judge.compare(f"{name} of {form.name}{who}", (~same).astype(np.int64), 0 * patterns, [patterns])
    if at != len(told):
        raise RuntimeError("storage_patterns.cairn wrote another amount")


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--cairn", default=str(HERE.parents[1] / "build" / "cairn"))
    options.add_argument("--inputs", type=int, default=10**7)
    options.add_argument("--tier", default="auto")
    options = options.parse_args()
    command = [options.cairn, "run", f"--tier={options.tier}"]
    judge = Judge()
    judge_patterns(judge, command)
    group = []  # one process for some blocks at a time: what it reads and writes stays small

    def flush():
        if not group:
            return
        sent = b"".join(part.tobytes() for block in group for part in block)
        got = subprocess.run([*command, str(HERE / "storage_floats.cairn")], input=sent, capture_output=True)
        if got.returncode != 0:
            raise RuntimeError(f"the program ended with status {got.returncode}: {got.stderr.decode()[:500]}")
        results = np.frombuffer(got.stdout, np.uint16).reshape(len(group), 24, BLOCK)
        for block, result in zip(group, results):
            judge_block(judge, *block, result)
        group.clear()

    for block in inputs(options.inputs):
        group.append(block)
        if len(group) == 32:
            flush()
    flush()
    for what, count in judge.compared.items():
        print(f"{what:36}{count:12,} compared, {judge.wrong.get(what, 0):,} wrong")
    sys.exit(1 if judge.wrong else 0)


main()
