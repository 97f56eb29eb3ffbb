#!/usr/bin/env python3
"""Projects with vendored CUDA: kernels of a .cu source launched by a program. On the stub driver they run, as a project
and as a bundle, and every way in which source and declaration disagree is told with its place; with NVRTC they compile for
three architectures. No device runs any of it."""
import json, os, pathlib, subprocess, sys, tempfile

from checking import check, finish

CAIRN = pathlib.Path(sys.argv[1])
STUB = CAIRN.parent / "tests" / "cuda_stub"
CACHE = tempfile.TemporaryDirectory()
EXTERN = "extern fn scale(n:usize, out:rw<f32>[n]@device, x:ro<f32>[n]@device, by:f32) launch(n, 128) effects(read:x, write:out);\n"
MAIN = """fn main() -> i32 {
  let n:usize = 1000;
  buffer h:f32[n] = zeroed;
  for i in 0..n { h[i] = f32(i); }
  buffer x:f32[n]@device = zeroed;
  buffer y:f32[n]@device = zeroed;
  transfer(x, h);
  println("start");
  unsafe { scale(n, y, x, 2.5); }
  transfer(h, y);
  println(h[1], " ", h[999]);
  return 0;
}
"""
SOURCE = """#include "factor.cuh"
#include <cstdint>

__global__ void scale(size_t n, float* out, const float* __restrict__ x, float by) {
  size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i < n) out[i] = twice(x[i]) * by;
}
"""


def project(name, main=EXTERN + MAIN, source=SOURCE, factor="2", symbols=("scale",)):
    folder = pathlib.Path(name)
    (folder / "kernels").mkdir(parents=True, exist_ok=True)
    (folder / "cairn.toml").write_text(f'[project]\nname = "{name}"\nsources = ["main.cairn"]\n\n[build]\nkind = "exe"\n'
                                       f'device_target = "sm_90"\n\n[foreign]\n"kernels/scale.cu" = {json.dumps(list(symbols))}\n')
    (folder / "main.cairn").write_text(main)
    (folder / "kernels" / "scale.cu").write_text(source)
    (folder / "kernels" / "factor.cuh").write_text(f"#pragma once\n__device__ inline float twice(float x) {{ return {factor} * x; }}\n")
    return name


def cairn(*words, **variables):
    environment = {**os.environ, **variables}
    done = subprocess.run([str(CAIRN), *words], capture_output=True, text=True, timeout=600, env=environment)
    return done.returncode, done.stdout, done.stderr


STUBBED = {"LD_LIBRARY_PATH": str(STUB / "lib64"), "CAIRN_CUDA": str(STUB), "XDG_CACHE_HOME": CACHE.name}
# The launch of the declaration, what is refused about the source, and part of what is said.
WRONG = [
    ("a kernel that takes another element", SOURCE.replace("float* out", "double* out"), "E-FOREIGN",
     "parameter 2 of scale is not what its declaration passes: float*"),
    ("a kernel that writes through what is only lent to read", SOURCE.replace("const float* __restrict__ x", "float* x"),
     "E-FOREIGN", "parameter 3 of scale is not what its declaration passes: const float*"),
    ("a kernel that takes a narrower count", SOURCE.replace("size_t n", "int n"), "E-FOREIGN",
     "parameter 1 of scale is not what its declaration passes: std::uint64_t"),
    ("a kernel that takes one more", SOURCE.replace("float by", "float by, int more"), "E-FOREIGN",
     "scale takes another number of parameters than its declaration passes: 4"),
    ("a source without the kernel", SOURCE.replace("void scale", "void scaled"), "E-FOREIGN",
     "kernels/scale.cu lacks a kernel that is declared"),
    ("a source that has the name in a namespace", "namespace inner {\n" + SOURCE.replace('#include "factor.cuh"', "").replace("twice(x[i])", "x[i]") + "}\n",
     "E-FOREIGN", "kernels/scale.cu has no function scale"),
    ("a source with an error of its own and no such kernel", SOURCE.replace("void scale", "void scaled").replace("out[i] =", "out[i] = oops +"),
     "E-FOREIGN", "kernels/scale.cu does not compile:"),
    ("a kernel that takes another element and nothing else", SOURCE.replace("float* out", "double* out"), "E-FOREIGN",
     "kernels/scale.cu defines a kernel otherwise than it is declared:"),
    ("a header that is nowhere", SOURCE.replace("factor.cuh", "nowhere.cuh"), "E-FOREIGN", "kernels/scale.cu does not compile:"),
    ("a header outside the project", SOURCE.replace("factor.cuh", "../../beside.cuh"), "E-FOREIGN",
     "../beside.cuh lies outside the project, and nothing of it is compiled"),
]


def put(path, what):
    """In place of what lies there: a text, bytes, a link, a folder, a named pipe, a file of that many bytes."""
    path = pathlib.Path(path)
    path.unlink(missing_ok=True)
    if what is os.mkfifo: os.mkfifo(path)
    elif what is os.mkdir: path.mkdir()
    elif isinstance(what, int):
        with open(path, "wb") as file: file.truncate(what)
    elif isinstance(what, pathlib.Path): path.symlink_to(what)
    else: path.write_bytes(what)


# What lies where the source or its header should, and what is said.
UNREADABLE = [
    ("kernels/scale.cu", "a folder", os.mkdir, "kernels/scale.cu is no regular file"),
    ("kernels/scale.cu", "a named pipe", os.mkfifo, "kernels/scale.cu is no regular file"),
    ("kernels/scale.cu", "a link", pathlib.Path("../main.cairn"), "kernels/scale.cu lies behind a symbolic link, kernels/scale.cu"),
    ("kernels/scale.cu", "too long a file", 16_000_001, "kernels/scale.cu cannot be read: it has more than 16000000 bytes"),
    ("kernels/scale.cu", "a text with a NUL", SOURCE.encode() + b"/* \0 */\n",
     f"kernels/scale.cu holds a NUL, at byte {len(SOURCE) + 3}, and is no text"),
    ("kernels/factor.cuh", "a folder", os.mkdir, "kernels/factor.cuh, which kernels/scale.cu includes, is no regular file"),
    ("kernels/factor.cuh", "a named pipe", os.mkfifo, "kernels/factor.cuh, which kernels/scale.cu includes, is no regular file"),
    ("kernels/factor.cuh", "a link", pathlib.Path("/etc/passwd"),
     "kernels/factor.cuh, which kernels/scale.cu includes, lies behind a symbolic link, kernels/factor.cuh"),
    ("kernels/factor.cuh", "too long a file", 16_000_001,
     "kernels/factor.cuh, which kernels/scale.cu includes, cannot be read: it has more than 16000000 bytes"),
    ("kernels/factor.cuh", "a text with a NUL", b"#pragma once\n\0",
     "kernels/factor.cuh, which kernels/scale.cu includes, holds a NUL, at byte 13, and is no text"),
]


def on_the_stub():
    run = cairn("run", project("p"), **STUBBED)
    check("a program launches a vendored kernel", run == (0, "start\n5 4995\n", ""), run)
    project("p", factor="3")
    run = cairn("run", "p", **STUBBED)
    check("a header that changed makes another kernel", run == (0, "start\n7.5 7492.5\n", ""), run)
    built = json.loads(cairn("build", "--format", "json", "p", **STUBBED)[1])
    (pathlib.Path("p") / "kernels" / "scale.cu").unlink()
    run = cairn("run", built["artifact"], **STUBBED)
    check("a bundle holds the source and its headers", run == (0, "start\n7.5 7492.5\n", ""), run)

    project("p")
    run = cairn("check", "p", "--emulate", **STUBBED)
    check("emulation refuses it", run[0] == 1 and run[2].startswith("error[E-EMULATE]: "), run)
    for what, source, code, words in WRONG:
        run = cairn("run", project("wrong", source=source), **STUBBED)
        check(f"{what} is refused before main starts", run[:2] == (1, "") and f"error[{code}]: kernels/scale.cu" in run[2]
              and words in run[2], run)
    pathlib.Path("beside.cuh").write_text("__device__ inline float twice(float x) { return x; }\n")
    for number, (path, what, there, words) in enumerate(UNREADABLE):
        put(pathlib.Path(project(f"unreadable{number}")) / path, there)
        run = cairn("run", f"unreadable{number}", **STUBBED)
        check(f"{what} for {path} is told", run[:2] == (2, "") and words in run[2], run)
    (pathlib.Path(project("gone")) / "kernels" / "scale.cu").unlink()
    run = cairn("run", "gone", **STUBBED)
    check("a source that is not there is told", run[:2] == (2, "") and "kernels/scale.cu does not exist" in run[2], run)
    hidden = '#ifndef __CUDACC_RTC__\n#include "../../of the host.hpp"\n#endif\n' + SOURCE
    run = cairn("run", project("hidden", source=hidden), **STUBBED)
    check("an include outside the project that is not compiled is nothing to refuse", run == (0, "start\n5 4995\n", ""), run)

    # Without a cache every compilation is NVRTC's.
    told = pathlib.Path("compiled")
    tested = EXTERN + MAIN + """test one { let s = main(); assert_eq(s, 0); }
test two { let s = main(); assert_eq(s, 0); }
"""
    for words in (("run",), ("test", "--jobs", "2"), ("build",), ("emit", "--as", "device")):
        told.write_text("")
        run = cairn(*words, project("once", main=tested), **STUBBED, CAIRN_CACHE_DIR="/dev/null/none", CAIRN_STUB_COMPILED=str(told.resolve()))
        lines = told.read_text().split()
        check(f"{words[0]} compiles a vendored source once", run[0] == 0 and lines.count("/vendored/kernels/scale.cu") == 1, (lines, run))

    run = cairn("run", project("broken", source=SOURCE.replace("out[i] =", "out[i] = oops +")), **STUBBED)
    check("an error of the source is told with its file and line",
          run[:2] == (1, "") and "kernels/scale.cu:6:" in run[2] and "oops" in run[2], run)

    single = pathlib.Path("single.cairn")
    single.write_text(EXTERN + MAIN)
    run = cairn("run", "--device-target", "sm_90", "single.cairn", **STUBBED)
    check("a kernel that no source defines is refused before main starts",
          run[:2] == (2, "") and "no .cu source of the manifest's [foreign] table defines scale" in run[2], run)
    for fault, words in (("kernel:0:700", "trap: device: scale gives CUDA_ERROR_ILLEGAL_ADDRESS"),
                         ("cuLaunchKernel:0:701", "trap: device: the launch of scale gives CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES")):
        run = cairn("run", "p", CAIRN_STUB_FAIL=fault, **STUBBED)
        check(f"{fault} ends the program with its trap", run[:2] == (-6, "start\n") and run[2].startswith(words), run)
    run = cairn("run", "p", CAIRN_STUB_FAIL="cuModuleLoadDataEx:0:209", **STUBBED)
    check("code the driver does not load is told before main starts",
          run[:2] == (2, "") and "the driver does not load the code of kernels/scale.cu" in run[2], run)


def by_nvrtc():
    """With the toolkit's own headers, and what a registers listing says."""
    tensor = SOURCE.replace("#include <cstdint>", "#include <cooperative_groups.h>\n#include <cstdint>\n#include <cuda_fp16.h>\n#include <mma.h>")
    project("n", source=tensor)
    for target in ("sm_80", "sm_90", "sm_120"):
        run = cairn("emit", "--as", "device", "--device-target", target, "n")
        check(f"a vendored source compiles for {target} and does not spill",
              run[0] == 0 and ".entry _Z5scalemPfPKff(" in run[1] and " 0 bytes of spill stores and 0 of spill loads" in run[1], run[1][-600:] + run[2])
    for what, source, code, words in WRONG:
        run = cairn("emit", "--as", "device", project("wrong", source=source))
        check(f"NVRTC: {what} is refused", run[:2] == (1, "") and f"error[{code}]: kernels/scale.cu" in run[2] and words in run[2], run)
    run = cairn("emit", "--as", "device", project("wrong", source=SOURCE.replace("float* out", "double* out")))
    check("its message names the declaration's line", "main.cairn(1): error: static assertion failed" in run[2], run)
    run = cairn("emit", "--as", "device", project("broken", source=SOURCE.replace("out[i] =", "out[i] = oops +")))
    check("NVRTC: an error of the source is told with its file and line", run[0] == 1 and "kernels/scale.cu(6): error:" in run[2], run)
    pathlib.Path("beside.cuh").write_text("__device__ inline float twice(float x) { return x; }\n")
    os.chdir(project("inside", source=SOURCE.replace("factor.cuh", "../beside.cuh")))
    pathlib.Path("beside.cuh").write_text("__device__ inline float twice(float x) { return x; }\n")
    run = cairn("emit", "--as", "device", ".")
    check("NVRTC: a header of another folder of the project is found", run[0] == 0, run[2])
    put("kernels/scale.cu", SOURCE.replace("factor.cuh", "../../beside.cuh").encode())
    run = cairn("emit", "--as", "device", ".")
    check("NVRTC reads no header outside the project, wherever it is run", run[0] == 1 and "E-FOREIGN" in run[2], run[2])
    os.chdir("..")
    run = cairn("emit", "--as", "device", project("side", source=SOURCE.replace("__global__ void", "__device__ void")))
    check("NVRTC: a function that is no kernel is refused", run[:2] == (1, "") and "E-FOREIGN" in run[2] and "scale" in run[2], run)


if (STUB / "lib64" / "libnvrtc.so").exists():
    on_the_stub()
tools = json.loads(cairn("doctor", "--format", "json")[1])
if tools["nvrtc"] and tools["ptxas"]:
    by_nvrtc()
CACHE.cleanup()
finish("" if (STUB / "lib64" / "libnvrtc.so").exists() else "the stub driver is not built (ninja tests_cuda): nothing was launched")
