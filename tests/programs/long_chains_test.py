#!/usr/bin/env python3
"""`a + b + c ..` may be of any length: every command that reads a program answers about chains of 150,000 operands."""
import pathlib, subprocess, sys

from checking import check, finish

CAIRN = sys.argv[1]
N = 150_000
PROGRAMS = {
    "integers": f"fn f(x:u64) -> u64 = {' ^ '.join(['x'] * N)};\nfn main() -> i32 {{ println(f(3)); return 0; }}\n",
    "narrowed": f"fn f(x:u64) -> u8 = u8({' & '.join(['x'] * N)});\nfn main() -> i32 {{ println(f(3)); return 0; }}\n",
    "conditions": f"fn f(x:bool) -> bool = {' && '.join(['x'] * N)};\nfn main() -> i32 {{ println(f(true)); return 0; }}\n",
    "lanes": f"fn g(n:usize, out:rw<f32>[n], x:ro<f32>[n]) {{\n  parallel i in n {{ out[i] = {' + '.join(['x[i]'] * N)}; }}\n  parallel j in n {{ out[j] = out[j] * 2.0; }}\n}}\nplan g {{ fuse 2; }}\nfn main() -> i32 {{ return 0; }}\n",
    "device_lanes": f"fn g(n:usize, out:rw<f32>[n]@device, x:ro<f32>[n]@device) {{\n  parallel i in n {{ out[i] = {' + '.join(['x[i]'] * N)}; }}\n}}\nplan g {{ vector 4; }}\nfn main() -> i32 {{ return 0; }}\n",
}
for name, text in PROGRAMS.items():
    path = pathlib.Path(f"{name}.cairn")
    path.write_text(text)
    device = ["--emulate", "--device-target", "sm_90"] if name == "device_lanes" else []
    for command in (["check", *device], ["run", *device, "--tier", "interpreter"], ["run", *device], ["explain"], ["doc"], ["emit"], ["predict"], ["expand"], ["find", "f"], ["build", *device]):
        done = subprocess.run([CAIRN, command[0], str(path), *command[1:]] if command[0] != "find" else [CAIRN, "find", "f"], capture_output=True, timeout=300)
        answers = done.returncode == 0 if command[0] in ("check", "run", "explain") and (device or name != "device_lanes") else done.returncode in (0, 1, 2)
        check(f"{command[0]} answers about a chain of {name}", answers, f"status {done.returncode}: {done.stderr[-300:]}")
finish()
