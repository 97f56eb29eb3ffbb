#!/usr/bin/env python3
"""Pictures of std.image are opened by other programs: netpbm reads the PNG and the PPM to the same pixels."""
import pathlib, shutil, subprocess, sys

from checking import check, finish

CAIRN, HERE = sys.argv[1], pathlib.Path(__file__).resolve().parent


if not shutil.which("pngtopnm"):
    finish("netpbm is not installed: pictures are not checked")
for width, height in ((1, 1), (64, 48), (333, 257)):
    status = subprocess.run([CAIRN, "run", HERE / "pictures.cairn", "--", str(width), str(height)], timeout=300).returncode
    opened = subprocess.run(["pngtopnm", "picture.png"], capture_output=True)
    check(f"netpbm reads a PNG of {width} x {height} to the pixels of the PPM",
          status == 0 and opened.returncode == 0 and opened.stdout == pathlib.Path("picture.ppm").read_bytes(), f"status {status}; {opened.stderr.decode()}")
    scaled = subprocess.run(["pamscale", "2", "picture.ppm"], capture_output=True)
    check(f"netpbm reads a PPM of {width} x {height}", scaled.returncode == 0, scaled.stderr.decode())
finish()
