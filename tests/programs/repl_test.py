#!/usr/bin/env python3
"""Sessions of the read-evaluate-print loop: scripted through a pipe, and on a terminal with Ctrl-C."""
import os, pathlib, pty, select, signal, subprocess, sys, time

from checking import check, finish

CAIRN = sys.argv[1]


def session(name, script, out, *errors):
    done = subprocess.run([CAIRN, "repl"], input=script, capture_output=True, text=True, timeout=120)
    missing = [error for error in errors if error not in done.stderr]
    check(name, (done.returncode, done.stdout) == (0, out) and not missing and (errors or not done.stderr), f"status {done.returncode}\n{done.stdout}{done.stderr}\nmissing {missing}")


session("bindings persist and values are shown with their type", "let mut k = 5;\nk += 2;\nk\nk as\nlet t = k * 2;\nt == 14\n", "7 : u64\ntrue : bool\n", "error[")
session("every kind of value has a text", "struct P { a:u8; b:f32; }\nP(3, 0.5)\nenum C { Red; Mixed(u16); }\nC.Mixed(7)\nC.Red\n-3\n2.5\n'a'\nArray[u8, 3]()\n",
        "P(3, 0.5) : P\nC.Mixed(7) : C\nC.Red : C\n-3 : i64\n2.5 : f64\n97 : u64\n[0, 0, 0] : Array[u8, 3]\n")
session("owners are kept, moved and released by the language's rules",
        "import std.vec (Vec);\nlet mut v = vec.new[u64]();\nfor i in 0..3 { vec.push(v, u64(i)); }\nv.len\nlet w = v;\nv.len\nw.len\n:forget w\nlet w = 1;\nw\n",
        "3 : usize\n3 : usize\n1 : u64\n", "error[E-MOVED]")
session("leases hold across entries",
        "fn fill(n:usize, out:rw<u64>[n], v:u64) { for i in 0..n { out[i] = v; } }\nbuffer xs:u64[4] = zeroed;\nlet t = spawn fill(xs, 7);\nxs[0]\nwait(t);\nxs[3]\nxs\n",
        "7 : u64\n[7, 7, 7, 7] : rw<u64>[4]\n", "error[E-LEASED]")
session("a trap leaves copyable bindings as they were and forgets owners it touched",
        "import std.vec (Vec);\nlet mut k:u8 = 250;\nlet mut v = vec.new[u8]();\n{ k = 251; vec.push(v, k); k += 10; }\nk\nv.len\nk + 1\n",
        "250 : u8\n251 : u8\n", "trap: overflow:", "v was touched", "error[E-UNBOUND]")
session("a declaration replaces the earlier one of its name when everything still checks",
        "fn f(x:u64) -> u64 = x + 1;\nf(1)\nfn f(x:u64) -> u64 = x * 10;\nf(1)\nfn g() -> u64 = f(4);\nfn f(x:f32) -> f32 = x;\ng()\n",
        "2 : u64\n10 : u64\n40 : u64\n", "error[E-TYPE-MISMATCH]")
session("an entry may have several lines, and an empty line gives it up", "fn h(x:u64) -> u64 {\n  return x;\n}\nh(\n3)\nlet q =\n\nh(4)\n", "3 : u64\n4 : u64\n")
session("positions are the entry's own", "let a = 1;\nlet b = a +\n  gone;\n", "", "--> repl:2:3")
session("an expression that consumes counts: what it moved is moved, what it waited for is waited for",
        "fn len_of(b:Buf[u8]) -> usize = len(b);\nfn twice(v:u64) -> u64 = v * 2;\nlet b = Buf[u8](5);\nlen_of(b)\nlen(b)\nlet t = spawn twice(4);\nwait(t)\nwait(t)\n",
        "5 : usize\n8 : u64\n", "error[E-MOVED]")
session("a ticket is forgotten when its task has ended, and others live on",
        "fn add(n:usize, out:rw<u64>[n], v:u64) { for i in 0..n { out[i] += v; } }\nbuffer a:u64[2] = zeroed;\nlet c = Atomic[u64](3);\nlet t = spawn add(a, 5);\n:forget t\na\nc.load(Order.seq_cst)\nlet t = 1;\nt\n",
        "[5, 5] : rw<u64>[2]\n3 : u64\n1 : u64\n")
session("what only resembles a name is not touched by a trap",
        "import std.vec (Vec);\nlet mut v = vec.new[u8]();\nvec.push(v, 7);\nlet value:u8 = 255;\nvalue + 1\nv.len\n", "1 : usize\n", "trap: overflow:")
session("text that would reach out of the session's function is refused", "} fn evil() {\nlet x = 1;\nx\n", "1 : u64\n", "closes none that is open")
session("commands", "fn f(n:usize, x:rw<u8>[n]) { x[0] = 1; }\n:type 1 + 2\n:effects f\n:nothing\n:reset\nf\n:quit\n1\n", "u64\nffi_precondition, trap, write:x\n", ":nothing is no command", "error[E-UNBOUND]")
session("the end of input ends a session, refused entries and all", "let x = ;\n", "", "error[E-NAME]")
session("regions and reductions run over what the session holds", "buffer xs:f64[1000] = zeroed;\nparallel i in 1000 { xs[i] = 0.1; }\nlet s = reduce + parallel i in 1000 yield xs[i];\ns\n", "100 : f64\n")


def terminal():
    """A prompt, an endless loop that Ctrl-C stops, and a session that goes on."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(CAIRN, [CAIRN, "repl"])
    seen = b""

    def until(text, limit=60):
        nonlocal seen
        end = time.monotonic() + limit
        while text not in seen and time.monotonic() < end:
            if select.select([fd], [], [], 0.2)[0]:
                try:
                    seen += os.read(fd, 65536)
                except OSError:
                    break
        return text in seen

    good = until(b"> ")
    os.write(fd, b"let mut k = 1;\n")
    os.write(fd, b"while true { k = add_wrap(k, 1); }\n")
    time.sleep(0.5)
    os.kill(pid, signal.SIGINT)
    good = good and until(b"trap: interrupt")
    os.write(fd, b"k\n")
    good = good and until(b"1 : u64")
    os.write(fd, b":quit\n")
    _, status = os.waitpid(pid, 0)
    return good and os.waitstatus_to_exitcode(status) == 0, seen.decode(errors="replace")


check("on a terminal Ctrl-C stops what runs and the session goes on", *terminal())
pathlib.Path("start.cairn").write_text("fn area(w:u64, h:u64) -> u64 {\n  return w * h;\n}\nconst SIDE:u64 = 6;\n")
done = subprocess.run([CAIRN, "repl", "start.cairn"], input="area(SIDE, 7)\n", capture_output=True, text=True, timeout=60)
check("a path's declarations are in scope", done.stdout == "42 : u64\n", done.stdout + done.stderr)
finish()
