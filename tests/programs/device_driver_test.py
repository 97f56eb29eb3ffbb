#!/usr/bin/env python3
"""Programs with device work on a machine whose GPU is the stub driver's: they run as they run emulated, traps and all,
and every failure of the driver is one clear message. No device runs any of it."""
import json, os, pathlib, subprocess, sys, tempfile

from checking import check, finish

CAIRN, ROOT = pathlib.Path(sys.argv[1]), pathlib.Path(__file__).resolve().parent.parent.parent
STUB = CAIRN.parent / "tests" / "cuda_stub"
if not (STUB / "lib64" / "libcuda.so.1").exists() or not (STUB / "lib64" / "libnvrtc.so").exists():
    finish("the stub driver is not built (ninja tests_cuda): device runs are not checked")
CACHE = tempfile.TemporaryDirectory()
PROGRAM = pathlib.Path("p.cairn")
PROGRAM.write_text("""fn fill(n:usize, d:rw<u64>[n]@device, more:u64) { parallel i in n { d[i] = u64(i) + more; } }
fn main() -> i32 {
  let n:usize = 3000;
  buffer d:u64[n]@device = zeroed;
  println("start");
  fill(d, 2);
  let s = reduce + for i in n yield d[i];
  println(s);
  return 0;
}
test fills {
  let n:usize = 3;
  buffer d:u64[n]@device = zeroed;
  fill(d, 1);
  let s = reduce + for i in n yield d[i];
  assert_eq(s, 6);
}
""")


def cairn(*words, **variables):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(STUB / "lib64"), "CAIRN_CUDA": str(STUB),
                   "XDG_CACHE_HOME": CACHE.name, **variables}
    done = subprocess.run([str(CAIRN), *words], capture_output=True, text=True, timeout=600, env=environment)
    return done.returncode, done.stdout, done.stderr


run = cairn("run", "p.cairn")
check("a program runs on the GPU there is", run == (0, "start\n4504500\n", ""), run)
run = cairn("run", "--device-target", "sm_90", "--format", "json", "p.cairn")
record = json.loads(run[1])
check("its record has no emulation", run[0] == 0 and record["stdout"] == "start\n4504500\n" and "emulation" not in record, run)
run = cairn("test", "p.cairn")
check("test blocks run on it, each in a process of its own", run[0] == 0, run)
record = json.loads(cairn("doctor", "--format", "json")[1])
check("doctor lists it", record["devices"][0]["compute_capability"] == "9.0" and record["cuda_driver"] == "13.0", record)
built = json.loads(cairn("build", "--kind", "exe", "--format", "json", "p.cairn")[1])
check("a build says what compiles its kernels", built["vm"]["device"]["backend"] == "nvrtc", built)
run = cairn("run", built["artifact"])
check("a bundle runs on it", run == (0, "start\n4504500\n", ""), run)

broken = pathlib.Path("broken", "lib64")
broken.mkdir(parents=True)
(broken / "libnvrtc.so").write_text("no library")
for named, toolkits in ((STUB, 1), (broken.parent.resolve(), 0)):
    own = {"CAIRN_CUDA": str(named), "CUDA_HOME": str(STUB), "CAIRN_CACHE_DIR": str(pathlib.Path(f"kept{toolkits}").resolve())}
    run, kept = cairn("run", "p.cairn", **own), json.loads(cairn("cache", "--format", "json", **own)[1])
    check(f"the cache keeps two kernels and the version of {toolkits} toolkits",
          run == (0, "start\n4504500\n", "") and kept["entries"] == 2 + toolkits, (run, kept))

run = cairn("run", "p.cairn", CAIRN_STUB_DEVICES="")
check("a driver without a device gives no target", run[0] == 1 and run[2].startswith("error[E-TARGET]: "), run)
run = cairn("run", "--device-target", "sm_90", "p.cairn", CAIRN_STUB_DEVICES="")
check("and no run, and the message names --emulate", run[0] == 2 and run[1] == "" and run[2].startswith(
    "unknown[E-PROJECT-OR-ENVIRONMENT]: This program has device work, and no device here runs code for sm_90: the CUDA "
    "driver finds no device.") and "--emulate" in run[2], run)
run = cairn("run", "--device-target", "sm_90", "p.cairn", CAIRN_STUB_DEVICES="8.0,12.0")
check("a GPU of another kind is named", run[0] == 2 and "there is No GPU at all (sm_80), No GPU at all (sm_120)" in run[2], run)
run = cairn("run", "p.cairn", CAIRN_STUB_DEVICES="8.0,12.0")
check("GPUs of several kinds need a target", run[0] == 1 and run[2].startswith("error[E-TARGET]: "), run)
run = cairn("run", "--device-target", "sm_80", "p.cairn", CAIRN_STUB_DEVICES="9.0,8.6")
check("the first GPU that runs the target is taken", run == (0, "start\n4504500\n", ""), run)

for fault, status, words in (
        ("kernel:0:700", -6, "trap: device: a region gives CUDA_ERROR_ILLEGAL_ADDRESS (as the driver says it)\n"),
        ("kernel:0:716", -6, "trap: device: a region gives CUDA_ERROR_MISALIGNED_ADDRESS (as the driver says it)\n"),
        ("cuLaunchKernel:0:719", -6, "trap: device: a launch gives CUDA_ERROR_LAUNCH_FAILED (unspecified launch failure)\n"),
        ("cuMemAllocFromPoolAsync:0:2", -6, "trap: allocation: "),
        ("cuModuleLoadDataEx:0:218", -6, "trap: device: the driver does not load the code of fill")):
    run = cairn("run", "p.cairn", CAIRN_STUB_FAIL=fault)
    check(f"{fault} ends the program with its trap", run[0] == status and run[2].startswith(words), run)
run = cairn("run", "p.cairn", CAIRN_STUB_FAIL="cuCtxCreate_v2:0:2")
check("a GPU without a context is told before main starts", run[0] == 2 and run[1] == "" and "making a context" in run[2], run)

trapping = pathlib.Path("t.cairn")
trapping.write_text("""fn fill(n:usize, d:rw<u8>[n]@device) { parallel i in n { d[i] = u8(i); } }
fn main() -> i32 {
  let n:usize = 257;
  buffer d:u8[n]@device = zeroed;
  println("before");
  fill(d);
  println("after");
  return 0;
}
""")
run, emulated = cairn("run", "t.cairn"), cairn("run", "--emulate", "--device-target", "sm_90", "t.cairn")
check("a failed guard says what it says emulated", run[:2] == (-6, "before\n") and run[2] == emulated[2].split("\n", 1)[1], (run, emulated))

pathlib.Path("audited.cairn").write_text("""fn product(m:usize, n:usize, k:usize, mk:usize, a:ro<f32>[mk]@device, kn:usize, b:ro<f32>[kn]@device,
           mn:usize, c:rw<f32>[mn]@device) {
  parallel e in mn {
    let mut sum = c[e];
    for p in 0..k { sum += a[e / n * k + p] * b[p * n + e % n]; }
    c[e] = sum;
  }
}
fn on_host_views(n:usize) -> usize { return n; }
""")
words = ("audit", "audited.cairn", "--symbol", "product", "--at", "m=3,n=5,k=9", "--cases", "2", "--onto", "--device-target", "sm_90")
run, emulated = cairn(*words, "--require", "matmul_sequential(f32, fma=false)"), cairn(*words, "--emulate")
check("an audit of device views copies them, and its verdicts are emulation's",
      run[0] == 0 and run[1] == emulated[1] and "  equals   matmul_sequential(f32, fma=false)  30 of 30" in run[1], (run, emulated))
run = cairn(*words, CAIRN_STUB_DEVICES="")
check("an audit without a device has no verdict", run[:2] == (2, "") and "--emulate" in run[2], run)
run = cairn(*words, CAIRN_STUB_FAIL="kernel:0:700")
check("nor has one whose kernel fails", run[:2] == (2, "") and "product did not return" in run[2], run)

# The hand-written twins that programs are timed against: three rounds over 2560 elements, a matrix of 64 by 64.
def rounds_of_stencil(n=2560):
    x = [float(i % 64) for i in range(n)]
    for _ in range(3):  # every value is a multiple of 1/64 below 64: exact
        x = [(x[i - 1] + x[i] + x[i + 1]) * 0.25 if 0 < i < n - 1 else x[i] for i in range(n)]
    return [int(x[k] * 1000.0) for k in (0, n // 2, n - 2)]


for name, count, expected in (("saxpy", 2560, [int(3 * 2.5 * (k % 64)) for k in (1, 1287, 2559)]),
                              ("reduction", 2560, [sum(i % 257 for i in range(256 * b, 256 * b + 256)) for b in (0, 5, 9)]),
                              ("stencil", 2560, rounds_of_stencil()),
                              ("transpose", 64, [k % 64 * 64 + k // 64 for k in (1, 632018 % 4096, 4094)])):
    done = subprocess.run([sys.executable, ROOT / "bench" / "cuda" / "twins.py", name, "--count", str(count), "--rounds", "3", "--by", "nvrtc"],
                          capture_output=True, text=True, timeout=300,
                          env={**os.environ, "LD_LIBRARY_PATH": str(STUB / "lib64"), "CAIRN_CUDA": str(STUB)})
    check(f"the twin of {name} runs through the driver and does its work",
          done.returncode == 0 and done.stdout.split() == [str(value) for value in expected] and "\nby nvrtc" in done.stderr,
          (done.stdout, done.stderr, expected))

done = subprocess.run([sys.executable, ROOT / "tests" / "gpu" / "check", "--cairn", CAIRN, "--stub", STUB, "--jobs", "2"],
                      capture_output=True, text=True, timeout=900)
lines = done.stdout.splitlines()
check("device cases and examples give emulation's bits on the stub driver", done.returncode == 0,
      "\n".join(line for line in lines if line.startswith("FAIL")) + "\n".join(lines[-2:]) + done.stderr)
print(f"tests/gpu/check on the stub driver: {lines[-1] if lines else done.stderr}")
CACHE.cleanup()
finish()
