#!/usr/bin/env python3
"""Natives of the library report what the system refuses as the values the reference names, and never hang or crash."""
import os, pathlib, subprocess, sys, time

from checking import check, finish

CAIRN, HERE = sys.argv[1], pathlib.Path(__file__).resolve().parent
PROGRAM = [CAIRN, "run", HERE / "failures.cairn", "--"]


def run(*arguments, **options):
    return subprocess.run([*PROGRAM, *map(str, arguments)], capture_output=True, timeout=120, **options)


def status(name, wanted, *arguments, **options):
    done = run(*arguments, **options)
    check(name, done.returncode == wanted, f"status {done.returncode}: {done.stderr[-300:]}")


status("a missing file is errno 2", 2, "read", "no such file")
status("a directory is errno 21", 21, "read", ".")
status("a file under a file is errno 20", 20, "read", f"{CAIRN}/inside")
status("a name longer than the system takes is errno 36", 36, "read", "x" * 300)
status("a path of 4096 bytes is errno 36", 36, "read", "x" * 4096)
status("a full disk is errno 28", 28, "fill", "/dev/full")
if os.geteuid() != 0:
    pathlib.Path("closed").write_bytes(b"x")
    os.chmod("closed", 0)
    status("a file that may not be read is errno 13", 13, "read", "closed")
done = run("read", "/proc/self/status")
check("a file without a size is read to its end", done.returncode == 0 and int(done.stdout) > 100, f"status {done.returncode}")
os.mkfifo("pipe")
feeder = subprocess.Popen(["sh", "-c", "for k in 1 2 3 4 5; do printf 0123456789; sleep 0.05; done > pipe"])
done = run("read", "pipe")
feeder.wait()
check("a pipe that gives a little at a time is read to its end", (done.returncode, done.stdout) == (0, b"50\n"), f"{done}")
data = bytes(range(256)) * 4000
done = run("echo", input=data)
check("bytes that are no UTF-8 pass through", done.returncode == 0 and done.stdout == data, f"status {done.returncode}")
slow = subprocess.Popen([*PROGRAM, "echo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for piece in (b"short ", b"reads ", b"add up"):
    slow.stdin.write(piece)
    slow.stdin.flush()
    time.sleep(0.05)
out, _ = slow.communicate(timeout=60)
check("short reads of stdin add up", (slow.returncode, out) == (0, b"short reads add up"), f"status {slow.returncode}")
done = subprocess.run([*PROGRAM, "echo"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
check("an empty stdin is read", (done.returncode, done.stdout) == (0, b""))
done = subprocess.run("exec 0<&-; exec " + " ".join(f"'{part}'" for part in [*PROGRAM, "echo"]), shell=True, capture_output=True, timeout=60)
check("a closed stdin is errno 9", done.returncode == 9, f"status {done.returncode}")
flood = subprocess.Popen([*PROGRAM, "flood"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
flood.stdout.read(100)
flood.stdout.close()
check("a pipe nobody reads any more ends the program", flood.wait(60) in (-13, 141), f"status {flood.returncode}")
done = run("deep")
check("a capacity past all memory is a trap, with its message", done.returncode == -6 and b"alloc" in done.stderr, f"status {done.returncode}: {done.stderr}")
finish()
