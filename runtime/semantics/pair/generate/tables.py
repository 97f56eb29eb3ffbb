"""Writes ../tables/*.hpp: the tables and coefficients of the functions of pair floats (pair floats, 5). Needs mpmath.

Every polynomial carries a certificate, which this program computes and the header repeats: the sum of what truncation leaves
out, of what rounding its coefficients changes, and of what one rounding of each limb step may add, relative to the
function's result. Each is held below LIMIT u^2 here, or nothing is written.
"""
import pathlib
import sys

from mpmath import mp, mpf

from limbs import FORMATS, hexadecimal, limbs

mp.prec = 600
FOLDER = pathlib.Path(__file__).parent.parent / "tables"
LIMIT = mpf(2) ** -5  # of u^2
TYPES = {"f32": "float", "f64": "double"}


def u2(form):
    return mpf(2) ** (-2 * FORMATS[form][0])


class Polynomial:
    """q(v) = sum q_k v^k for |v| <= h, which a result of magnitude 1 takes with the factor `weight`. Coefficients from
    `first_limb` on are limbs, those before are pairs."""

    def __init__(self, coefficient, h, weight, form, shape=None, limit=LIMIT):
        self.form, self.h = form, mpf(h)
        u = mpf(2) ** -FORMATS[form][0]
        exact = [mpf(coefficient(k)) for k in range(90)]
        size = [abs(c) * self.h**k * weight for k, c in enumerate(exact)]
        goal = limit / 2 * u2(form)
        if shape is None:
            count = next(n for n in range(2, 80) if sum(size[n:]) <= goal / 4)
            first = next(k for k in range(1, count + 1) if sum(size[k:]) * 2 * u <= goal / 2)
            shape = (count, min(first, count - 1))
        self.count, self.first = shape
        self.stored = [limbs(c, 2 if k < self.first else 1, form) for k, c in enumerate(exact[: self.count])]
        truncation = sum(size[self.count :])
        changed = sum(abs(sum(s) - c) * self.h**k * weight for k, (s, c) in enumerate(zip(self.stored, exact)))
        steps = sum(size[self.first : self.count]) * 2 * u
        self.error = (truncation + changed + steps) / u2(form)
        if self.error > limit:
            sys.exit(f"a polynomial errs by {mp.nstr(self.error, 3)} u^2")

    @property
    def shape(self):
        return (self.count, self.first)

    def numbers(self):
        """The coefficients from the first on: pairs, then limbs."""
        return [hexadecimal(x, self.form) for s in self.stored for x in s]


def needed(make, form, *parts):
    """The largest shape of several polynomials, so that one loop serves them all."""
    shapes = [make(p, form).shape for p in parts]
    return max(s[0] for s in shapes), max(s[1] for s in shapes)


def wrapped(numbers, indent="    "):
    lines, line = [], indent
    for number in numbers:
        if len(line) + len(number) > 116:
            lines.append(line.rstrip())
            line = indent
        line += number + ", "
    lines.append(line.rstrip())
    return "\n".join(lines)


def array(name, numbers, type_name, size=None):
    return f"  static constexpr {type_name} {name}[] = {{\n{wrapped(numbers)}\n  }};\n"


class Header:
    def __init__(self, name, comment):
        self.path = FOLDER / f"{name}.hpp"
        self.text = f"""// {comment} Written by generate/tables.py, which says how and how exact.
#pragma once

#include "runtime/semantics/pair/limb.hpp"

// clang-format off

namespace cairn::semantics::pair {{
inline namespace CAIRN_PAIR_BUILD {{
"""

    def table(self, name, comment, body):
        """A template with a member for each limb type; body(form) gives its members and its error in u^2 or None."""
        self.text += f"\n/// {comment}\ntemplate <class T>\nstruct {name};\n"
        for form in FORMATS:
            members, error = body(form)
            if error is not None:
                self.text += f"// Error at most {mp.nstr(error, 2)} u^2.\n"
            self.text += f"template <>\nstruct {name}<{TYPES[form]}> {{\n{members}}};\n"

    def polynomial(self, name, comment, coefficient, h, weight, limit=LIMIT):
        def body(form):
            p = Polynomial(coefficient, h, weight, form, limit=limit)
            text = f"  static constexpr int count = {p.count};\n  static constexpr int first = {p.first};\n"
            return text + array("coefficients", p.numbers(), TYPES[form]), p.error

        self.table(name, comment, body)

    def triples(self, name, comment, values):
        def body(form):
            numbers = [hexadecimal(x, form) for v in values for x in limbs(v, 3, form)]
            return array("limbs", numbers, TYPES[form]), None

        self.table(name, comment, body)

    def write(self):
        self.text += "\n}  // namespace CAIRN_PAIR_BUILD\n}  // namespace cairn::semantics::pair\n"
        self.path.write_text(self.text)


def exponential():
    steps = 64
    h = mp.log(2) / steps / 2 * (1 + mpf(2) ** -10)
    out = Header("exponential", "Of the exponential function.")
    out.triples("PowersOfTwo", "2^(j/64), in three limbs each.", [mpf(2) ** (mpf(j) / steps) for j in range(steps)])
    out.triples("ExponentialStep", "(ln 2)/64, ln 10 and ln 2.", [mp.log(2) / steps, mp.log(10), mp.log(2)])
    out.table(
        "ExponentialScale",
        "64/(ln 2).",
        lambda form: (f"  static constexpr {TYPES[form]} value = {hexadecimal(limbs(steps / mp.log(2), 1, form)[0], form)};\n", None),
    )
    # expm1(r) = r + r^2 q(r); the second term counts against r.
    out.polynomial("ExponentialTail", "(expm1(r) - r)/r^2.", lambda k: 1 / mp.factorial(k + 2), h, h)
    out.write()


def logarithm():
    out = Header("logarithm", "Of the logarithm.")
    bits = 7
    entries = []
    for i in range(1 << bits):
        low, high = 1 + mpf(i) / 2**bits, 1 + mpf(i + 1) / 2**bits
        if low * low >= 2:  # such significands are halved
            low, high = low / 2, high / 2
        if i in (0, (1 << bits) - 1):
            c = mpf(1)
        else:
            c = mp.floor(2 / (low + high) * 512 + 0.5) / 512
        entries.append((low, high, c))
    h = max(max(abs(low * c - 1), abs(high * c - 1)) for low, high, c in entries)
    first_halved = next(i for i, (low, _, _) in enumerate(entries) if low < 1)

    def reciprocals(form):
        text = f"  static constexpr unsigned first_halved = {first_halved};\n"
        return text + array("limbs", [hexadecimal(c, form) for _, _, c in entries], TYPES[form]), None

    out.table("Reciprocals", "Short reciprocals of significands, by their first 7 bits; the later ones are for halves.", reciprocals)
    out.triples("LogarithmsOfReciprocals", "Minus their logarithms, in three limbs each.", [-mp.log(c) for _, _, c in entries])
    out.triples(
        "LogarithmScales",
        "ln 2, 1/(ln 2), log10 2 and 1/(ln 10).",
        [mp.log(2), 1 / mp.log(2), mp.log(2) / mp.log(10), 1 / mp.log(10)],
    )
    # log1p(z) = z - z^2/2 + z^3 q(z); the third term counts against z.
    out.polynomial("LogarithmTail", "(log1p(z) - z + z^2/2)/z^3.", lambda k: mpf((-1) ** k) / (k + 3), h, h * h)
    out.write()


def trigonometry():
    out = Header("trigonometry", "Of the trigonometric functions.")
    parts = 32  # of a quarter turn
    step = mp.pi / 2 / parts
    quarter = [mp.sin(k * step) for k in range(parts + 1)]
    quarter[0], quarter[parts] = mpf(0), mpf(1)

    def sine(k):
        """Of k steps: the limbs of equal sines are equal."""
        k %= 4 * parts
        return quarter[k if k <= parts else 2 * parts - k] if k <= 2 * parts else -sine(k - 2 * parts)

    out.triples("Circle", "sin(k pi/64) and cos(k pi/64) for k from 0 to 127, in three limbs each.",
                [sine(k + quadrant * parts) for k in range(4 * parts) for quadrant in (0, 1)])
    h = step / 2 * (1 + mpf(2) ** -10)
    # The sine and cosine of a multiple are at most twice what is made of them.
    out.polynomial("SineTail", "(sin(t) - t)/t^3, by t^2.", lambda k: mpf((-1) ** (k + 1)) / mp.factorial(2 * k + 3), h * h, h * h)
    out.polynomial("CosineTail", "(cos(t) - 1)/t^2, by t^2.", lambda k: mpf((-1) ** (k + 1)) / mp.factorial(2 * k + 2), h * h, 2 * h * h, mpf(1) / 2)
    out.triples("CircleStep", "pi/64, in three limbs.", [step])
    out.table("CircleSteps", "64/pi.", lambda form: (f"  static constexpr {TYPES[form]} value = {hexadecimal(limbs(1 / step, 1, form)[0], form)};\n", None))
    steps = 32
    h = mpf(1) / 64 * (1 + mpf(2) ** -10)
    out.triples("ArcTangents", "atan(j/32), in three limbs each.", [mp.atan(mpf(j) / steps) for j in range(steps + 1)])
    out.polynomial("ArcTangentTail", "(atan(t) - t)/t^3, by t^2.", lambda k: mpf((-1) ** (k + 1)) / (2 * k + 3), h * h, h * h)
    out.triples("Angles", "pi, pi/2, pi/4, 3 pi/4, in three limbs each.", [mp.pi, mp.pi / 2, mp.pi / 4, mp.pi * 3 / 4])
    words = []
    with mp.workprec(2400):
        bits = int(mp.floor(mp.ldexp(2 / mp.pi, 2080)))
    for k in range(65):
        words.append(f"0x{(bits >> (2080 - 32 * (k + 1))) & 0xffffffff:08x}U")
    out.text += "\n/// The bits of 2/pi after the point, 32 a word, the first ones first.\n"
    out.text += f"inline constexpr U32 kTwoOverPi[] = {{\n{wrapped(words)}\n}};\n"
    out.write()


def erfcx_series(c, count):
    """Taylor coefficients of erfcx at c: w' = 2xw - 2/sqrt(pi), so (k+1) a_{k+1} = 2 c a_k + 2 a_{k-1}."""
    with mp.workprec(mp.prec + 40 * count):
        a = [mp.erfc(c) * mp.exp(mpf(c) ** 2)]
        a.append(2 * mpf(c) * a[0] - 2 / mp.sqrt(mp.pi))
        for k in range(1, count - 1):
            a.append((2 * mpf(c) * a[k] + 2 * a[k - 1]) / (k + 1))
    return a


def rows(header, name, comment, series, pieces, weight_of):
    """Local polynomials f(c + t) = a0 + t q(t) of equal shape, one for each (c, h) of `pieces`: a0 in three limbs, then q."""
    memo = {}

    def at(piece):
        if piece not in memo:
            memo[piece] = series(piece[0], 92)
        return memo[piece]

    def make(piece, form, shape=None):
        a = at(piece)
        return Polynomial(lambda k: a[k + 1], piece[1], abs(piece[1] / a[0]) * weight_of, form, shape)

    def body(form):
        shape = needed(make, form, *pieces)
        numbers, worst = [], mpf(0)
        for piece in pieces:
            p = make(piece, form, shape)
            worst = max(worst, p.error)
            numbers += [hexadecimal(x, form) for x in limbs(at(piece)[0], 3, form)] + p.numbers()
        count, first = shape
        text = f"  static constexpr int count = {count};\n  static constexpr int first = {first};\n"
        text += f"  static constexpr int stride = {3 + count + first};\n"
        return text + array("rows", numbers, TYPES[form]), worst

    header.table(name, comment, body)


def errors():
    out = Header("errors", "Of the error functions.")
    # erf(x) = 2/sqrt(pi) x (1 + w q(w)), w = x^2 <= 1/4; the Boys function is 1 + w q(w) itself.
    h = mpf(1) / 4 * (1 + mpf(2) ** -10)
    out.polynomial("ErrorTail", "(sqrt(pi)/2 erf(x)/x - 1)/x^2, by x^2.", lambda k: mpf((-1) ** (k + 1)) / (mp.factorial(k + 1) * (2 * k + 3)), h, h)
    out.triples("ErrorScales", "2/sqrt(pi), 1/sqrt(pi), sqrt(pi)/2, 1/sqrt(2), sqrt(2).", [2 / mp.sqrt(mp.pi), 1 / mp.sqrt(mp.pi), mp.sqrt(mp.pi) / 2, 1 / mp.sqrt(2), mp.sqrt(2)])
    pieces = []
    for binade in range(-2, 4):
        for k in range(16):
            low = mpf(2) ** binade * (1 + mpf(k) / 16)
            half = mpf(2) ** binade / 32
            pieces.append((low + half, half * (1 + mpf(2) ** -10)))
    rows(out, "ScaledComplement", "erfcx around the middles of 16 parts of each binade from 1/4 to 16.", erfcx_series, pieces, 1)
    h = mpf(1) / 256 * (1 + mpf(2) ** -10)

    # The asymptotic series: its terms alternate, so that the first one left out bounds the rest.
    def term(k):
        return mpf((-1) ** (k + 1)) * mp.fac2(2 * k + 1) / mpf(2) ** (k + 1) if k < 32 else mpf(0)

    out.polynomial("ScaledComplementFar", "(sqrt(pi) x erfcx(x) - 1) x^2 from 16 on, by 1/x^2.", term, h, h)
    starts(out)
    out.write()


def inverse_complement(q):
    """z with erfc(z) = q, to full precision."""
    z = mpf(0) if q > 0.9 else mp.sqrt(-mp.log(q)) * mpf("0.9")
    for _ in range(200):
        g = 2 / mp.sqrt(mp.pi) * mp.exp(-z * z)
        u = (mp.erfc(z) - q) / g
        step = u / (1 - z * u)
        z += step
        if abs(step) <= abs(z) * mpf(2) ** (-mp.prec + 30):
            return z
    return z


def chebyshev(f, a, b, count):
    """Coefficients, by powers of v - (a + b)/2, of the polynomial that interpolates f at Chebyshev points."""
    middle, half = (a + b) / 2, (b - a) / 2
    points = [half * mp.cos(mp.pi * (2 * i + 1) / (2 * count)) for i in range(count)]
    values = [f(middle + p) for p in points]
    divided = list(values)
    for level in range(1, count):
        for i in range(count - 1, level - 1, -1):
            divided[i] = (divided[i] - divided[i - 1]) / (points[i] - points[i - level])
    powers = [mpf(0)]
    for i in range(count - 1, -1, -1):
        powers = [mpf(0)] + powers
        for k in range(len(powers) - 1):
            powers[k] -= points[i] * powers[k + 1]
        powers[0] += divided[i]
    return powers[:count]


def starts(out):
    """First guesses of the inverse error functions in limbs; a step of third order follows, so 2^-24 (f32), 2^-40 (f64)."""
    with mp.workprec(160):
        width = mpf(1) / 2
        count = {"f32": 7, "f64": 13}
        least = mpf(3) / 4  # sqrt(-log q) at q = 0.57
        ends = {"f32": mpf(11), "f64": mpf(28)}
        cache = {}

        def piece(a, n):
            if (a, n) not in cache:
                cache[(a, n)] = chebyshev(lambda v: inverse_complement(mp.exp(-v * v)), a, a + width, n)
            return cache[(a, n)]

        def tails(form):
            n = count[form]
            numbers, worst = [], mpf(0)
            a = least
            while a < ends[form]:
                c = piece(a, n)
                for k in range(5):
                    t = width * (mpf(k) / 4 - mpf(1) / 2) * mpf("0.97")
                    z = inverse_complement(mp.exp(-((a + width / 2 + t) ** 2)))
                    worst = max(worst, abs(mp.polyval(c[::-1], t) - z) / z)
                numbers += [hexadecimal(x[0], form) for x in (limbs(y, 1, form) for y in c)]
                a += width
            if worst > mpf(2) ** {"f32": -22, "f64": -39}[form]:
                sys.exit(f"a start errs by {mp.nstr(worst, 3)}")
            text = f"  static constexpr int count = {n};\n"
            return text + array("rows", numbers, TYPES[form]), None

        out.table("InverseStart", "z with erfc(z) = exp(-v^2), around the middles of parts of 1/2 from v = 3/4 on.", tails)

        def middle(form):
            n = {"f32": 8, "f64": 15}[form]

            def f(w):
                s = mp.sqrt(w) if w > 0 else mpf(0)
                return mp.sqrt(mp.pi) / 2 if s == 0 else inverse_complement(1 - s) / s

            c = chebyshev(f, mpf(0), mpf(1) / 4, n)
            worst = max(abs(mp.polyval(c[::-1], mpf(k) / 40 - mpf(1) / 8) - f(mpf(k) / 40)) for k in range(1, 11))
            if worst > mpf(2) ** {"f32": -22, "f64": -39}[form]:
                sys.exit(f"the middle start errs by {mp.nstr(worst, 3)}")
            text = f"  static constexpr int count = {n};\n"
            return text + array("coefficients", [hexadecimal(limbs(x, 1, form)[0], form) for x in c], TYPES[form]), None

        out.table("InverseMiddle", "erfinv(s)/s by s^2 - 1/8, for |s| <= 1/2.", middle)


FOLDER.mkdir(exist_ok=True)
exponential()
logarithm()
trigonometry()
errors()
