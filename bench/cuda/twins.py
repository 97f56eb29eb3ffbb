#!/usr/bin/env python3
"""The hand-written twins of the programs here, run through the driver alone: kernels by nvcc where there is one, else by
NVRTC; the product by cuBLAS. All three libraries are opened where toolkits, the distribution and Python wheels put them.

    bench/cuda/twins.py NAME [--count N] [--rounds N] [--target sm_90] [--by nvcc|nvrtc]

prints what the CAIRN program of that name prints, and `ns N` on standard error: the best of its launches, each waited
for. A count is of elements (of a side, for transpose and product), that of the CAIRN program when it is not given."""
import argparse, ctypes, glob, os, pathlib, shutil, site, struct, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
COUNTS = {"saxpy": 134217728, "stencil": 134217728, "reduction": 134217728, "transpose": 8192, "product": 4096}
ROUNDS = {"saxpy": 20, "stencil": 20, "reduction": 20, "transpose": 20, "product": 10}


class Missing(Exception):
    pass


def toolkits():
    named = [os.environ[name] for name in ("CAIRN_CUDA", "CUDA_HOME", "CUDA_PATH") if os.environ.get(name)]
    return named + ["/usr/local/cuda", *sorted(glob.glob("/usr/local/cuda-*"), reverse=True), "/opt/cuda", "/usr/lib/cuda"]


def wheels():
    """Where Python keeps packages: of this Python, of an active environment, of the machine's."""
    folders = [*sys.path, *site.getsitepackages(), site.getusersitepackages()]
    for prefix in (os.environ.get("VIRTUAL_ENV"), os.environ.get("CONDA_PREFIX"), "/usr/local", "/usr"):
        for kind in ("site-packages", "dist-packages") if prefix else ():
            folders += glob.glob(f"{prefix}/lib/python3*/{kind}")
    return list(dict.fromkeys(folder for folder in folders if folder))


def library(names, folders, mode=ctypes.RTLD_LOCAL):
    """The first that opens: of toolkits, of the loader, of wheels (`folders` of their packages)."""
    places = []
    for name in names:
        for toolkit in toolkits():
            places += [f"{toolkit}/{folder}/{name}" for folder in ("lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib")]
    places += names
    for packages in wheels():
        places += [f"{packages}/{folder}/{name}" for folder in folders for name in names]
    said = []
    for place in places:
        if place.startswith("/") and not os.path.exists(place):
            continue
        try:
            return ctypes.CDLL(place, mode=mode)
        except OSError as error:
            said.append(str(error))
    raise Missing(f"{names[0]} is not here" + "".join(f"; {text}" for text in said if "No such file" not in text))


def driver_places():
    machine = os.uname().machine
    return ["libcuda.so.1", f"/usr/lib/{machine}-linux-gnu/libcuda.so.1", f"/usr/lib/{machine}-linux-gnu/nvidia/current/libcuda.so.1",
            "/usr/lib/wsl/lib/libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/lib64/libcuda.so.1",
            "/run/opengl-driver/lib/libcuda.so.1"]


class Gpu:
    """The first GPU's primary context, in which cuBLAS works too."""

    def __init__(self):
        for place in driver_places():
            try:
                self.driver = ctypes.CDLL(place)
                break
            except OSError:
                continue
        else:
            raise Missing("libcuda.so.1 is not here")
        self.call("cuInit", ctypes.c_uint(0))
        device, self.context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), ctypes.c_int(0))
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(major), ctypes.c_int(75), device)
        self.call("cuDeviceGetAttribute", ctypes.byref(minor), ctypes.c_int(76), device)
        self.maker = None  # nvcc or nvrtc; None: nvcc where there is one
        self.target = f"sm_{major.value}{minor.value}"
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(self.context), device)
        self.call("cuCtxPushCurrent_v2", self.context)

    def call(self, function, *arguments):
        status = getattr(self.driver, function)(*arguments)
        if status != 0:
            name = ctypes.c_char_p()
            self.driver.cuGetErrorName(status, ctypes.byref(name))
            raise Missing(f"{function} gives {(name.value or b'?').decode()} ({status})")

    def load(self, image):
        module = ctypes.c_void_p()
        self.call("cuModuleLoadDataEx", ctypes.byref(module), image, 0, None, None)
        return module

    def function(self, module, name):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def launch(self, function, blocks, threads, *arguments):
        pointers = (ctypes.c_void_p * len(arguments))(*(ctypes.addressof(each) for each in arguments))
        self.call("cuLaunchKernel", function, *map(ctypes.c_uint, (blocks, 1, 1, threads, 1, 1, 0)), None, pointers, None)

    def wait(self):
        self.call("cuStreamSynchronize", None)

    def array(self, count, size=4, contents=None):
        memory = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(count * size))
        if contents is None:
            self.call("cuMemsetD8Async", memory, ctypes.c_ubyte(0), ctypes.c_size_t(count * size), None)
        else:
            self.call("cuMemcpyHtoDAsync_v2", memory, contents, ctypes.c_size_t(count * size), None)
        self.wait()
        return memory

    def element(self, memory, index):
        value = ctypes.c_float()
        self.call("cuMemcpyDtoHAsync_v2", ctypes.byref(value), ctypes.c_uint64(memory.value + 4 * index), ctypes.c_size_t(4), None)
        self.wait()
        return value.value

    def best(self, rounds, launch):
        best = 1 << 62
        for _ in range(rounds):
            start = time.perf_counter_ns()
            launch()
            self.wait()
            best = min(best, time.perf_counter_ns() - start)
        return best


def nvcc():
    return shutil.which("nvcc") or next((p for p in (f"{t}/bin/nvcc" for t in toolkits()) if os.access(p, os.X_OK)), None)


def by_nvcc(source, target):
    with tempfile.TemporaryDirectory() as scratch:
        cubin = os.path.join(scratch, "twin.cubin")
        done = subprocess.run([nvcc(), "-O3", "-arch", target, "-cubin", str(source), "-o", cubin], capture_output=True, text=True)
        if done.returncode != 0:
            raise Missing("nvcc: " + done.stderr.strip()[:600])
        return pathlib.Path(cubin).read_bytes()


def by_nvrtc(source, target):
    nvrtc = library(["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"], ["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"])
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.read_bytes(), source.name.encode(), 0, None, None)
    options = [f"--gpu-architecture={target}".encode()]
    status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    if status != 0:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(max(size.value, 1))
        nvrtc.nvrtcGetProgramLog(program, log)
        raise Missing(f"NVRTC gives {status}: {log.value.decode(errors='replace').strip()[:600]}")
    nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
    image = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetCUBIN(program, image)
    return image.raw


def code_of(gpu, name):
    """The kernels, and who made them."""
    source = HERE / f"{name}.cu"
    maker = gpu.maker or ("nvcc" if nvcc() else "nvrtc")
    return (by_nvcc if maker == "nvcc" else by_nvrtc)(source, gpu.target), maker


def f32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


U64, U32 = ctypes.c_ulonglong, ctypes.c_uint


def streamed(gpu, name, n, rounds):
    """saxpy, stencil, reduction: a thread an element, in blocks of 256."""
    code, maker = code_of(gpu, name)
    module = gpu.load(code)
    blocks = (n + 255) // 256
    x, y = gpu.array(n), gpu.array(n if name != "reduction" else blocks)
    gpu.launch(gpu.function(module, "fill"), min(blocks, 65535), 256, U64(n), x)
    gpu.wait()
    if name == "reduction":
        sums = gpu.function(module, "sums")
        best = gpu.best(rounds, lambda: gpu.launch(sums, blocks, 256, y, x))
        shown = [int(gpu.element(y, k)) for k in (0, blocks // 2, blocks - 1)]
    elif name == "saxpy":
        saxpy = gpu.function(module, "saxpy")
        best = gpu.best(rounds, lambda: gpu.launch(saxpy, blocks, 256, U64(n), y, x))
        shown = [int(gpu.element(y, k)) for k in (1, n // 2 + 7, n - 1)]
    else:
        smooth, pair = gpu.function(module, "smooth"), [y, x]

        def launch():
            gpu.launch(smooth, blocks, 256, U64(n), pair[0], pair[1])
            pair.reverse()
        best = gpu.best(rounds, launch)
        shown = [int(f32(gpu.element(pair[1], k) * 1000.0)) for k in (0, n // 2, n - 2)]
    return best, shown, maker


def transposed(gpu, name, side, rounds):
    code, maker = code_of(gpu, name)
    module = gpu.load(code)
    n = side * side
    x, y = gpu.array(n), gpu.array(n)
    gpu.launch(gpu.function(module, "fill"), min((n + 255) // 256, 65535), 256, U64(n), x)
    gpu.wait()
    transpose = gpu.function(module, "transpose")
    best = gpu.best(rounds, lambda: gpu.launch(transpose, (side // 32) ** 2, 256, U32(side), U32(side), y, x))
    return best, [int(gpu.element(y, k)) for k in (1, 632018 % n, n - 2)], maker


def multiplied(gpu, name, side, rounds):
    """cuBLAS reads columns: b times a in its eyes is a times b, row by row, in ours."""
    folders = ["nvidia/cu13/lib", "nvidia/cublas/lib"]
    try:  # what cuBLAS needs itself, where the loader would not find it
        library(["libcublasLt.so", "libcublasLt.so.13", "libcublasLt.so.12"], folders, ctypes.RTLD_GLOBAL)
    except Missing:
        pass
    cublas = library(["libcublas.so", "libcublas.so.13", "libcublas.so.12", "libcublas.so.11"], folders)
    n = side * side

    def halves(step, modulus, off, scale):
        period = b"".join(struct.pack("<e", (e * step % modulus - off) * scale) for e in range(modulus))
        return (period * (n // modulus + 1))[:2 * n]
    a, b = gpu.array(n, 2, halves(7, 23, 11, 0.25)), gpu.array(n, 2, halves(5, 19, 9, 0.125))
    c = gpu.array(n)
    handle = ctypes.c_void_p()
    if (status := cublas.cublasCreate_v2(ctypes.byref(handle))) != 0:
        raise Missing(f"cublasCreate gives {status}")
    one = ctypes.c_float(1)
    half, single, in_f32, no = 2, 0, 68, 0  # CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUBLAS_OP_N

    def launch():
        status = cublas.cublasGemmEx(handle, no, no, side, side, side, ctypes.byref(one), ctypes.c_void_p(b.value), half, side,
                                     ctypes.c_void_p(a.value), half, side, ctypes.byref(one), ctypes.c_void_p(c.value), single, side,
                                     in_f32, -1)
        if status != 0:
            raise Missing(f"cublasGemmEx gives {status}")
    best = gpu.best(rounds, launch)
    return best, [f"{gpu.element(c, k):.9g}" for k in (0, n // 2 + 77, n - 1)], "cuBLAS"


def run(gpu, name, count=None, rounds=None):
    """Nanoseconds of the best launch, what the CAIRN program prints, and who made the kernels."""
    work = multiplied if name == "product" else transposed if name == "transpose" else streamed
    best, shown, maker = work(gpu, name, count or COUNTS[name], rounds or ROUNDS[name])
    return best, " ".join(map(str, shown)), maker


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("name", choices=sorted(COUNTS))
    options.add_argument("--count", type=int)
    options.add_argument("--rounds", type=int)
    options.add_argument("--target", help="of the kernels; else the GPU's")
    options.add_argument("--by", choices=("nvcc", "nvrtc"))
    given = options.parse_args()
    try:
        gpu = Gpu()
        gpu.target, gpu.maker = given.target or gpu.target, given.by
        best, shown, maker = run(gpu, given.name, given.count, given.rounds)
    except Missing as missing:
        sys.exit(f"{given.name}: {missing}")
    print(shown)
    print(f"ns {best}\nby {maker}", file=sys.stderr)
