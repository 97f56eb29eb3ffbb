#!/usr/bin/env python3
"""The hosts of examples/embedding are built against an installed CAIRN, and nothing else, by CMake and by pkg-config,
shared and static; each prints what its expected file says. The NumPy example runs where NumPy is."""
import importlib.util, os, pathlib, shutil, subprocess, sys

from checking import check, finish

CAIRN, ROOT = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples" / "embedding"
PREFIX = pathlib.Path("installed").resolve()


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, **options)


build = CAIRN.parent
if not (build / "lib" / "libcairn.so").exists():
    finish("libcairn is not built (ninja libcairn libcairn_static): the embedding examples are not checked")
done = run("cmake", "--install", build, "--prefix", PREFIX)
if not check("the library installs", done.returncode == 0, done.stderr):
    finish()
libraries = next(path.parent for path in PREFIX.rglob("libcairn.so"))
environment = {**os.environ, "LD_LIBRARY_PATH": str(libraries), "PKG_CONFIG_PATH": str(libraries / "pkgconfig")}
environment.pop("CAIRN_LANES", None)
compilers = [f"-DCMAKE_CXX_COMPILER={shutil.which('clang++-19')}", f"-DCMAKE_C_COMPILER={shutil.which('clang-19')}"] if shutil.which("clang++-19") else []
done = run("cmake", "-S", EXAMPLES, "-B", "hosts", f"-DCMAKE_PREFIX_PATH={PREFIX}", *compilers)
built = done.returncode == 0 and (done := run("cmake", "--build", "hosts")).returncode == 0
if check("the hosts build with find_package(cairn)", built, done.stdout + done.stderr):
    for name in ("filters", "recover", "console", "host"):
        ran = run(f"hosts/{name}", env=environment)
        wanted = (EXAMPLES / f"{name}.expected.txt").read_text()
        check(f"{name} prints what it should", (ran.returncode, ran.stdout) == (0, wanted), f"status {ran.returncode}: {ran.stdout}{ran.stderr}")
if shutil.which("pkg-config"):
    compiler = shutil.which("clang-19") or "cc"
    flags = run("pkg-config", "--cflags", "--libs", "cairn", env=environment)
    done = run(compiler, EXAMPLES / "host.c", "-o", "host_shared", *flags.stdout.split())
    if check("the C host builds with pkg-config", done.returncode == 0, done.stderr):
        ran = run("./host_shared", env=environment)
        check("the C host built with pkg-config runs", (ran.returncode, ran.stdout) == (0, (EXAMPLES / "host.expected.txt").read_text()), ran.stderr)
    flags = run("pkg-config", "--cflags", "--libs", "--static", "cairn", env=environment)
    words = [str(libraries / "libcairn.a") if word == "-lcairn" else word for word in flags.stdout.split()]
    done = run(compiler, EXAMPLES / "host.c", "-o", "host_static", *words)
    if check("the C host builds against the static library", done.returncode == 0, done.stderr[-2000:]):
        ran = run("./host_static")
        check("the C host built statically runs", (ran.returncode, ran.stdout) == (0, (EXAMPLES / "host.expected.txt").read_text()), ran.stderr)
if importlib.util.find_spec("numpy"):
    ran = run(sys.executable, EXAMPLES / "arrays.py", libraries / "libcairn.so")
    check("NumPy arrays are lent without a copy", (ran.returncode, ran.stdout) == (0, (EXAMPLES / "arrays.expected.txt").read_text()), ran.stdout + ran.stderr)
else:
    print("NumPy is not installed: examples/embedding/arrays.py is not checked")
finish()
