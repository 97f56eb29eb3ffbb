#!/usr/bin/env python3
"""Commands that answer at their end say so when they are interrupted, end as the signal does, and leave no process behind."""
import os, pathlib, signal, subprocess, sys, time

from checking import check, finish

CAIRN = sys.argv[1]
pathlib.Path("spins.cairn").write_text("""fn spins(m:usize, n:usize, k:usize, mk:usize, a:ro<f32>[mk], kn:usize, b:ro<f32>[kn], mn:usize, c:rw<f32>[mn]) {
  let mut t:u64 = 0;
  while true { t = add_wrap(t, 1); }
}
""")
pathlib.Path("hard.cairn").write_text("fn f(a:u64, b:u64) -> u64 { if b == 0 { return 0; } return a / b; }\n")
pathlib.Path("harder.cairn").write_text("fn f(a:u64, b:u64) -> u64 { if b == 0 { return 0; } return (a - a % b) / b; }\n")


def children(process):
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process)], capture_output=True, text=True).stdout.split()
    return [int(each) for each in found]


def interrupted(*words):
    """How the command ended once it had a child, and whether the child is gone."""
    process = subprocess.Popen([CAIRN, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (found := children(process.pid)) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    while any(os.path.exists(f"/proc/{each}") for each in found) and time.monotonic() < deadline:
        time.sleep(0.02)
    gone = bool(found) and not any(os.path.exists(f"/proc/{each}") for each in found)
    return process.returncode, out, err, gone


for words in (("audit", "spins.cairn", "--symbol", "spins"),
              ("verify", "hard.cairn", "harder.cairn", "--symbol", "f", "--timeout-ms", "60000")):
    ended = interrupted(*words)
    check(f"{words[0]} tells that it was interrupted", ended == (-signal.SIGINT, "", "interrupted: there is no verdict\n", True), ended)
finish()
