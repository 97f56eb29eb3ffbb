#!/usr/bin/env python3
"""derive grad against difference quotients of the function itself, over functions of every form."""
import pathlib, subprocess, sys

from checking import check, finish
from gradient_functions import VALUES, WRITES, program, quotient, records

CAIRN = sys.argv[1]
pathlib.Path("gradients.cairn").write_text(program(5))
for tier in ("interpreter", "auto"):
    done = subprocess.run([CAIRN, "run", f"--tier={tier}", "gradients.cairn"], capture_output=True, text=True, timeout=300)
    if not check(f"functions and gradients run [{tier}]", done.returncode == 0, f"status {done.returncode}: {done.stderr[:2000]}"):
        continue
    told = {}
    for name, value, slope, around in records(done.stdout):
        for k, (got, values) in enumerate(zip(slope, around)):
            wanted = quotient(values)
            size = max(1.0, abs(wanted), abs(value))
            if abs(got - wanted) > 1e-8 * size:
                told.setdefault(name, f"along {k} it is {got}, the quotient {wanted}")
    for name in [*VALUES, *WRITES]:
        check(f"the gradient of {name} is its difference quotient [{tier}]", name not in told, told.get(name, ""))
finish()
