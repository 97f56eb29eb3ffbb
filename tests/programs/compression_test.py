#!/usr/bin/env python3
"""std.zlib against the zlib of Python, in both directions and at every level."""
import pathlib, random, subprocess, sys, zlib

from checking import check, finish

CAIRN, HERE = sys.argv[1], pathlib.Path(__file__).resolve().parent


def run(*arguments):
    return subprocess.run([CAIRN, "run", HERE / "compression.cairn", "--", *map(str, arguments)], capture_output=True, timeout=300).returncode


rng = random.Random(3)
texts = {"empty": b"", "one": b"x", "words": b"the quick brown fox " * 5000, "noise": rng.randbytes(100_000), "zeros": bytes(300_000)}
for name, data in texts.items():
    pathlib.Path(name).write_bytes(data)
    for level in range(-1, 10):
        status = run("pack", level, name)
        stream = pathlib.Path(f"{name}.z").read_bytes() if status == 0 else b""
        held = status == 0 and zlib.decompress(stream) == data
        check(f"what std.zlib packs at level {level} Python unpacks ({name})", held, f"status {status}, {len(stream)} bytes")
    for level in (0, 1, 6, 9):
        pathlib.Path(f"{name}.packed").write_bytes(zlib.compress(data, level))
        status = run("unpack", len(data), f"{name}.packed")
        held = status == 0 and pathlib.Path(f"{name}.packed.out").read_bytes() == data
        check(f"what Python packs at level {level} unpacks ({name})", held, f"status {status}")
check("a level that is none is an error with zlib's code", run("pack", 10, "one") == 102)
pathlib.Path("damaged").write_bytes(zlib.compress(texts["words"])[:-4] + b"xxxx")
check("a damaged stream is an error with zlib's code", run("unpack", 100_000, "damaged") == 103)
finish()
