#!/usr/bin/env python3
"""A library's header and entries compile as C and as C++ and, against libcairn where it is built, do what the functions
do: views, borrows, records, enums, device work emulated on a caller's stream, traps, texts of two interfaces."""
import json, os, pathlib, shutil, subprocess, sys

from checking import check, finish

CAIRN, ROOT = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).resolve().parent.parent.parent
COMPILER = shutil.which("clang-19") or shutil.which("cc")
if COMPILER is None:
    finish("there is no C compiler here: C entries are not checked")
PROGRAM = """enum Way { Up; Down; }
struct Point { x:f32; y:f32; tag:u8; }
enum Found { Nothing; At(u64); }
fn area(p:Point) -> f32 = p.x * p.y;
fn moved(p:ro<Point>, by:f32) -> Point = Point(p.x + by, p.y, p.tag);
fn turn(way:Way) -> Way { match way { Up => { return Way.Down; } Down => { return Way.Up; } } }
fn raise(x:rw<u32>) { x = x + 1; }
fn look(x:u64) -> Found { if x > 3 { return Found.At(x); } return Found.Nothing; }
fn total(n:usize, xs:ro<u64>[n]) -> u64 { let s = reduce + for i in n yield xs[i]; return s; }
fn scale(n:usize, k:f32, y:rw<f32>[n]@device) { parallel i in n { y[i] = k * y[i]; } }
fn sum(n:usize, y:ro<f32>[n]@device) -> f32 { let s = reduce + for i in n yield y[i]; return s; }
struct Range { default:u32; long_:u32; }
fn named(result:u32, call:Range, die:ro<Range>) -> u32 = result + call.default + call.long_ + die.default;
fn moved_by(stream:usize, arguments:f32, returned:rw<f32>[stream]@device) {
  parallel i in stream { returned[i] = returned[i] + arguments; }
}
fn each(n:u64, f:fn(u64) -> u64) -> u64 { return f(n); }
"""
HOST = r"""#include <stdio.h>
#include "lib.h"
int main(int argc, char **argv) {
  (void)argv;
  const uint64_t xs[4] = {1, 2, 3, 4};
  struct Point p = {1.5f, 2.0f, 7};
  uint32_t up = 41;
  float y[3] = {1, 2, 3};
  cf_raise(&up);
  const struct Point q = cf_moved(&p, 1.0f);
  const struct Found found = cf_look(5);
  printf("%u %llu\n", found.tag, (unsigned long long)found.as.At);
  printf("%g %g %u %u %u %llu\n", cf_area(p), q.x, q.tag, cf_turn(0), up, (unsigned long long)cf_total(4, xs));
  cairn_lib_device_stream(NULL);
  cq_scale(NULL, 3, 2.0f, y);
  cf_scale(3, 2.0f, y);
  const struct Range range = {.default_ = 10, .long__ = 20};
  cq_moved_by(NULL, 3, 1.0f, y);
  printf("%u\n", cf_named(1, range, &range));
  printf("%g\n", cf_sum(3, y));
  fflush(stdout);
  if (argc > 1) cf_turn(2);
  const uint64_t more[2] = {UINT64_MAX, 1};
  cf_total(2, more);
}
"""


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **options)


def build(program, folder):
    pathlib.Path(folder).mkdir()
    pathlib.Path(folder, "lib.cairn").write_text(program)
    pathlib.Path(folder, "cairn.toml").write_text('[project]\nname = "lib"\nsources = ["lib.cairn"]\n[build]\nkind = "library"\n')
    done = run(CAIRN, "build", "--header", "--emulate", "--device-target", "sm_90", "--format", "json", folder)
    if done.returncode != 0:
        check("the library builds", False, done.stdout + done.stderr)
        finish()
    return pathlib.Path(json.loads(done.stdout)["directory"])


folder = build(PROGRAM, "first")
header = (folder / "lib.h").read_text()
check("a function that takes a function is listed as one that cannot cross", " *   each: " in header, header)
check("a region is queued, a total is not, and the header says why", "void cq_scale(void *stream, " in header
      and "/* E-ENQUEUE: no cq_sum: it allocates device memory. */" in header and "cq_total" not in header, header)
emitted = run(CAIRN, "emit", "--header", "--device-target", "sm_90", "first")
check("emit --header prints the same header", emitted.stdout == header, emitted.stdout + emitted.stderr)
refused = run(CAIRN, "build", "--header", "--kind", "exe", "first")
check("an executable has no header", refused.returncode == 2, refused.stderr)
pathlib.Path("user.cpp").write_text('#include "lib.h"\n')
cxx = shutil.which("clang++-19") or shutil.which("c++")
done = run(cxx, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{folder}", "user.cpp")
check("the header is C++ too", done.returncode == 0, done.stderr)
include = [f"-I{folder}", f"-I{ROOT / 'vm' / 'embedding'}"]
pathlib.Path("host.c").write_text(HOST)
for source in (folder / "lib.c", "host.c"):
    done = run(COMPILER, "-std=c11", "-Wall", "-Wextra", "-Werror", *include, "-c", source, "-o", pathlib.Path(source).stem + ".o")
    check(f"{pathlib.Path(source).name} compiles without a warning", done.returncode == 0, done.stderr)
library = CAIRN.parent / "lib" / "libcairn.so"
if not library.exists():
    finish("libcairn is not built (ninja libcairn): C entries are compiled, and not run")
done = run(COMPILER, "host.o", "lib.o", library, "-lpthread", "-o", "host")
if not check("the host links", done.returncode == 0, done.stderr):
    finish()
environment = {**os.environ, "LD_LIBRARY_PATH": str(library.parent)}
ran = run("./host", env=environment)
check("entries do what the functions do", ran.stdout == "1 5\n3 2.5 7 1 42 10\n41\n27\n", ran)
check("a failed guard prints its message and aborts", ran.returncode == -6 and ran.stderr.startswith("trap: overflow: "), ran)
ran = run("./host", "more", env=environment)
check("a tag that is none aborts", ran.returncode == -6 and ran.stderr.startswith("trap: enum_entry: "), ran)
other = build(PROGRAM.replace("k:f32", "k:f64").replace("y[i] = k * y[i]", "y[i] = f32(k) * y[i]"), "second")
run(COMPILER, "-std=c11", *include[1:], f"-I{other}", "-c", other / "lib.c", "-o", "other.o")
done = run(COMPILER, "host.o", "other.o", library, "-lpthread", "-o", "mixed")
check("a library of another interface does not link", done.returncode != 0 and "interface" in done.stderr, done.stderr)
finish()
