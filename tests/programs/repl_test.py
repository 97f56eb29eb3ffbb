#!/usr/bin/env python3
"""Sessions of the read-evaluate-print loop: scripted through a pipe, and on a terminal with Ctrl-C."""
import os, pathlib, pty, re, select, signal, subprocess, sys, time

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


session("function values and dyn owners are kept, and go on meaning what they were made from",
        "fn f(x:u64) -> u64 = x + 1;\nlet mut g:fn(u64) -> u64 = f;\nfn f(x:u64) -> u64 = x * 100;\nf(1)\ng(1)\ng = f;\ng(2)\ntrait Area { fn area(s:ro<Self>) -> u64; }\nstruct Sq { a:u64; }\nimpl Area for Sq { fn area(s:ro<Sq>) -> u64 { return s.a * s.a; } }\nlet d = Dyn[Area](Sq(5));\nd.area()\nfn call(h:ro<fn(u64) -> u64>, x:u64) -> u64 = h(x);\ncall(g, 7)\nstruct H { f:fn(u64) -> u64; n:u64; }\nimport std.vec (Vec);\nlet mut hs = vec.new[H]();\nvec.push(hs, H(g, 3));\nlet h = hs.data[0].f;\nh(4)\ng(18446744073709551615)\nd.area()\n",
        "100 : u64\n2 : u64\n200 : u64\n25 : u64\n700 : u64\n400 : u64\n25 : u64\n", "trap: overflow: 18446744073709551615 * 100")
session("a binding keeps its value and type when what made it is declared again",
        "fn f() -> u64 = 7;\nlet x = f();\nfn f() -> u8 = 9;\nx\nf()\nlet y = f();\ny\n", "7 : u64\n9 : u8\n9 : u8\n")
session("a type that a binding has a value of is not declared otherwise",
        "struct P { a:u8; b:u8; }\nlet p = P(1, 2);\nstruct P { a:u64; b:u64; }\np\n:forget p\nstruct P { a:u64; b:u64; }\nP(3, 4)\nenum C { Red; Blue; }\nlet c = C.Red;\nenum C { Blue; Red; }\nc\n",
        "P(1, 2) : P\nP(3, 4) : P\nC.Red : C\n", "p holds a value of what P was before", "c holds a value of what C was before")
session("nothing is concluded from text that would make something else today",
        "const N:usize = 9;\nlet n = N;\nbuffer xs:u64[4] = zeroed;\nconst N:usize = 2;\nn\nxs[N]\nxs[n]\n", "9 : usize\n0 : u64\n", "trap: bounds: index 9, length 4")
session("an owner of many megabytes is released by a later entry than the one that made it",
        "let mut b = Buf[u64](4000000);\nb[3999999] = 7;\nb[3999999]\nb = Buf[u64](1);\nlen(b)\nfn count(x:Buf[u64]) -> usize = len(x);\nlet c = Buf[u64](4000000);\ncount(c)\n",
        "7 : u64\n1 : usize\n4000000 : usize\n")
session("an owner that a call gives is shown and released",
        "import std.vec;\nvec.from(\"ab\")\nlet mut v = vec.from(\"xyz\");\nvec.pop(v)\n:type vec.from(\"ab\")\nv.len\n",
        "std.vec.Vec[u8]([97, 98], 2) : std.vec.Vec[u8]\nstd.core.Option[u8].Some(122) : std.core.Option[u8]\nstd.vec.Vec[u8]\n2 : usize\n")
session("a long entry is read line by line, and an expression of many lines is one entry", "let xs = [" + "\n" if False else "fn big() -> u64 {\n" + "  let mut t:u64 = 0;\n" + "  t += 1;\n" * 20000 + "  return t;\n}\nbig()\n(1 +\n 2)\n", "20000 : u64\n3 : u64\n")
done = subprocess.run([CAIRN, "repl"], input=b"let x = 4;\nx \xff\n\x00\nx\n", capture_output=True, timeout=60)
check("bytes that are no text are refused, and the session goes on", (done.returncode, done.stdout) == (0, b"4 : u64\n") and b"no UTF-8" in done.stderr, done)
done = subprocess.run([CAIRN, "repl"], input="fn f(x:u64) -> u64 = x + 1;\n:bytecode f\n:asm f\n:time f(1)\n:help\n:bytecode g\n:help me\n:type\n", capture_output=True, text=True, timeout=60)
check("bytecode, machine code, times and help", all(word in done.stdout for word in ("add.u64.imm r1 r0 1", "mov ", "2 : u64", ":forget NAME")) and " ms\n" in done.stderr and done.stderr.count("error: ") == 3, done)


ESCAPES = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")


class Terminal:
    """A session on a pseudo-terminal."""

    def __init__(self, home):
        environment = {**os.environ, "HOME": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        environment.pop("XDG_STATE_HOME", None)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.execve(CAIRN, [CAIRN], environment)
        self.seen = b""

    def until(self, text, limit=60):
        """Whether the text came; everything up to its end is forgotten then."""
        end = time.monotonic() + limit
        while time.monotonic() < end:
            plain = ESCAPES.sub(b"", self.seen)
            if text in plain:
                self.seen = plain[plain.index(text) + len(text) :]
                return True
            if select.select([self.fd], [], [], 0.2)[0]:
                try:
                    self.seen += os.read(self.fd, 65536)
                except OSError:
                    break
        return False

    def type(self, keys, text):
        os.write(self.fd, keys)
        return self.until(text)

    def end(self, keys=b":quit\r", limit=60):
        """Whether the keys end the session with status 0. What it still writes is read: it waits until that is gone. Keys
        that come while the terminal changes its mode can be lost, and are typed again."""
        end = time.monotonic() + limit
        typed = 0.0
        pid, status = 0, 0
        while pid == 0 and time.monotonic() < end:
            if time.monotonic() - typed > 5:
                os.write(self.fd, keys)
                typed = time.monotonic()
            if select.select([self.fd], [], [], 0.05)[0]:
                try:
                    os.read(self.fd, 65536)
                except OSError:  # it has closed its side
                    time.sleep(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)
        self.ended = "not in time" if pid == 0 else f"status {os.waitstatus_to_exitcode(status)}"
        return self.ended == "status 0"


home = pathlib.Path("home").resolve()
home.mkdir(exist_ok=True)
terminal = Terminal(home)
check("cairn alone on a terminal is the session", terminal.until(b"> "), terminal.seen)
terminal.type(b"let mut k = 1;\r", b"\n> ")
os.write(terminal.fd, b"while true { k = add_wrap(k, 1); }\r")
time.sleep(0.5)
check("Ctrl-C stops what runs", terminal.type(b"\x03", b"trap: interrupt"), terminal.seen)
check("and the session goes on, bindings as they were", terminal.type(b"k\r", b"1 : u64\r\n> "), terminal.seen)
check("Ctrl-C gives a line up", terminal.type(b"let unfinished = ", b"= ") and terminal.type(b"\x03", b"^C\r\n> "), terminal.seen)
check("names of the library are completed", terminal.type(b"import std.im\t", b"age") and terminal.type(b";\r", b"> "), terminal.seen)
terminal.type(b"struct Pair { left:u64; right:u64; }\r", b"> ")
terminal.type(b"let p = Pair(1, 2);\r", b"> ")
check("fields are listed when several fit, and completed when one does", terminal.type(b"p.\t\t", b"left   right") and terminal.type(b"ri\t\r", b"2 : u64"), terminal.seen)
check("commands are completed", terminal.type(b":ty\t p.left\r", b"u64\r\n> "), terminal.seen)
check("an entry may have several lines", terminal.type(b"fn twice(x:u64) -> u64 {\r", b"\r\n    ") and terminal.type(b"return x * 2;\r", b"    ") and terminal.type(b"}\r", b"> ") and terminal.type(b"twice(21)\r", b"42 : u64"), terminal.seen)
check("a refusal is coloured", terminal.type(b"gone\r", b"error[E-UNBOUND]") and terminal.until(b"> "), terminal.seen)
check("letters beyond ASCII are edited as letters", terminal.type("let u = 1; // h\u00e9\u00e9\x7f\x7f!\r".encode(), b"\n> ") and terminal.type(b"\x1b[A", b"let u = 1; // h!") and terminal.type(b"\x03", b"> "), terminal.seen)
check("the arrow brings the last entry back", terminal.type(b"twice(4)\r", b"8 : u64") and terminal.type(b"\x1b[A\r", b"8 : u64"), terminal.seen)
check("the status is 0 at :quit", terminal.end())
remembered = home / ".local" / "state" / "cairn" / "repl_history"
check("history is on disk, for its owner alone", remembered.exists() and remembered.stat().st_mode & 0o077 == 0, remembered)
terminal = Terminal(home)
terminal.until(b"> ")
check("the next session remembers it", terminal.type(b"\x1b[A\x1b[A", b"twice(4)"), terminal.seen)
terminal.type(b"\x03", b"> ")
check("the end of input ends a session on a terminal, whatever the kernel made of one typed too early", terminal.end(b"\x00\x04"), terminal.ended)

pathlib.Path("start.cairn").write_text("fn area(w:u64, h:u64) -> u64 {\n  return w * h;\n}\nconst SIDE:u64 = 6;\ntest area_holds { assert_eq(area(2, 3), 6); }\n")
done = subprocess.run([CAIRN, "repl", "start.cairn"], input="area(SIDE, 7)\nfn area(w:u64, h:u64) -> u64 = 0;\narea(1, 1)\n", capture_output=True, text=True, timeout=60)
check("a path's declarations are in scope, and may be declared again", done.stdout == "42 : u64\n0 : u64\n", done.stdout + done.stderr)
project = pathlib.Path("project")
project.mkdir(exist_ok=True)
(project / "cairn.toml").write_text('[project]\nname = "demo"\nsources = ["main.cairn", "geo.cairn"]\n')
(project / "main.cairn").write_text("import geo;\nfn main() -> i32 { println(geo.twice(2)); return 0; }\n")
(project / "geo.cairn").write_text("module geo;\npub fn twice(x:u64) -> u64 = x * 2;\npub fn fails(x:u8) -> u8 = x + 255;\n")
done = subprocess.run([CAIRN, "repl", "project"], input="import geo;\nlet k = geo.twice(4);\nk\nmain()\ngeo.fails(1)\nk\n", capture_output=True, text=True, timeout=60)
check("a project's modules can be imported", done.stdout == "8 : u64\n4\n0 : i32\n8 : u64\n" and "  --> geo.cairn:3:28" in done.stderr, done.stdout + done.stderr)
(project / "geo.cairn").write_text("module geo;\npub fn twice(x:u64) -> u64 = gone;\n")
done = subprocess.run([CAIRN, "repl", "project"], input="1\n", capture_output=True, text=True, timeout=60)
check("a program that is refused is no session", (done.returncode, done.stdout) == (1, "") and "  --> geo.cairn:2:30" in done.stderr, done)
done = subprocess.run([CAIRN, "repl", "nowhere"], input="1\n", capture_output=True, text=True, timeout=60)
check("a path that is none is told with status 2", done.returncode == 2 and "E-PROJECT-OR-ENVIRONMENT" in done.stderr, done)
finish()
