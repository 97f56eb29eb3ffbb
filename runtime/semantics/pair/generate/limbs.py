"""Numbers as sums of floats, for the generators of this folder."""
from mpmath import mp, mpf

# Precision, least exponent of a bit, largest exponent, suffix of a literal.
FORMATS = {"f32": (24, -149, 127, "F"), "f64": (53, -1074, 1023, "")}


def rounded(x, form):
    """The limb nearest to x, ties to even, as an exact mpf."""
    precision, least, most, _ = FORMATS[form]
    x = mpf(x)
    if x == 0:
        return mpf(0)
    top = mp.frexp(x)[1] - 1
    last = max(top - precision + 1, least)
    with mp.workprec(mp.prec + 2200):
        scaled = mp.ldexp(x, -last)
        whole = mp.floor(scaled)
        part = scaled - whole
        if part > 0.5 or (part == 0.5 and int(whole) % 2 == 1):
            whole += 1
        return mp.ldexp(whole, last)


def limbs(x, count, form):
    """x as a sum of `count` limbs, each nearest to what is left."""
    out = []
    for _ in range(count):
        limb = rounded(x, form)
        out.append(limb)
        x = mpf(x) - limb
    return out


def hexadecimal(x, form):
    """A limb as an exact C++ literal."""
    sign, mantissa, exponent, _ = mpf(x)._mpf_
    suffix = FORMATS[form][3]
    if mantissa == 0:
        return f"0.0{suffix}"
    return f"{'-' if sign else ''}0x{int(mantissa):x}p{exponent}{suffix}"
