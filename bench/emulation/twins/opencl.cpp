// The kernels of bench/emulation/programs in OpenCL, on whatever CPU device there is: opencl NAME.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstring>
#include <map>
#include <string>

#include "loops.hpp"

namespace {

const char* const kSource = R"(
#pragma OPENCL FP_CONTRACT OFF
kernel void fill(global float* x, ulong period) { size_t i = get_global_id(0); x[i] = (float)(i % period); }
kernel void saxpy(global float* y, global const float* x) {
  size_t i = get_global_id(0);
  y[i] = 2.5f * x[i] + y[i];
}
kernel void smooth(global float* out, global const float* x) {
  size_t i = get_global_id(0), n = get_global_size(0);
  if (i > 0 && i + 1 < n) out[i] = (x[i - 1] + x[i] + x[i + 1]) * 0.25f; else out[i] = x[i];
}
kernel void transpose(global float* out, global const float* x, ulong rows) {
  local float tile[1056];
  size_t tx = get_local_id(0), ty = get_local_id(1), bx = get_group_id(0), by = get_group_id(1);
  for (size_t k = 0; k < 4; ++k) tile[(k * 8 + ty) * 33 + tx] = x[(by * 32 + k * 8 + ty) * rows + bx * 32 + tx];
  barrier(CLK_LOCAL_MEM_FENCE);
  size_t r = by * 32 + tx;
  for (size_t k = 0; k < 4; ++k) {
    size_t to = bx * 32 + k * 8 + ty;
    if (to < rows && r < rows) out[to * rows + r] = tile[tx * 33 + k * 8 + ty];
  }
}
kernel void sums(global float* out, global const float* x) {
  local float part[256];
  size_t t = get_local_id(0), b = get_group_id(0);
  part[t] = x[b * 256 + t];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (size_t width = 128; width > 0; width /= 2) {
    if (t < width) part[t] = part[t] + part[t + width];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) out[b] = part[0];
}
kernel void multiply(global float* c, global const float* a, global const float* b, ulong n) {
  local float rows[4096], cols[4096];
  size_t tx = get_local_id(0), ty = get_local_id(1), bx = get_group_id(0), by = get_group_id(1);
  float sums[16];
  for (int e = 0; e < 16; ++e) sums[e] = 0;
  for (size_t step = 0; step < n / 64; ++step) {
    for (size_t i = 0; i < 4; ++i) {
      for (size_t j = 0; j < 4; ++j) {
        size_t r = i * 16 + ty, s = j * 16 + tx;
        rows[r * 64 + s] = a[(by * 64 + r) * n + step * 64 + s];
        cols[r * 64 + s] = b[(step * 64 + r) * n + bx * 64 + s];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (size_t q = 0; q < 64; ++q) {
      for (size_t i = 0; i < 4; ++i) {
        for (size_t j = 0; j < 4; ++j) sums[i * 4 + j] += rows[(i * 16 + ty) * 64 + q] * cols[q * 64 + j * 16 + tx];
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 4; ++j) c[(by * 64 + i * 16 + ty) * n + bx * 64 + j * 16 + tx] = sums[i * 4 + j];
  }
}
)";

void must(cl_int status, const char* what) {
  if (status == CL_SUCCESS) return;
  std::fprintf(stderr, "%s: OpenCL says %d\n", what, status);
  std::exit(3);
}

class Machine {
 public:
  Machine() {
    cl_platform_id platform;
    must(clGetPlatformIDs(1, &platform, nullptr), "no OpenCL platform");
    must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device_, nullptr), "no OpenCL CPU device");
    cl_int status = 0;
    context_ = clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status);
    must(status, "context");
    queue_ = clCreateCommandQueue(context_, device_, 0, &status);
    must(status, "queue");
    const char* source = kSource;
    program_ = clCreateProgramWithSource(context_, 1, &source, nullptr, &status);
    must(status, "program");
    must(clBuildProgram(program_, 1, &device_, "", nullptr, nullptr), "build");
  }
  cl_mem floats(std::size_t n) {
    cl_int status = 0;
    cl_mem made = clCreateBuffer(context_, CL_MEM_READ_WRITE, 4 * n, nullptr, &status);
    must(status, "buffer");
    const float zero = 0;
    must(clEnqueueFillBuffer(queue_, made, &zero, 4, 0, 4 * n, 0, nullptr, nullptr), "zero");
    return made;
  }
  /// Runs a kernel over `global` threads in blocks of `local`; a null `local` leaves the block to the device.
  template <class... A>
  void run(const char* name, std::vector<std::size_t> global, std::vector<std::size_t> local, A... arguments) {
    cl_kernel& kernel = kernels_[name];
    cl_int status = 0;
    if (kernel == nullptr) kernel = clCreateKernel(program_, name, &status);
    must(status, name);
    cl_uint k = 0;
    (must(clSetKernelArg(kernel, k++, sizeof(A), &arguments), "argument"), ...);
    must(clEnqueueNDRangeKernel(queue_, kernel, static_cast<cl_uint>(global.size()), nullptr, global.data(),
                                local.empty() ? nullptr : local.data(), 0, nullptr, nullptr),
         name);
    must(clFinish(queue_), name);
  }
  std::vector<float> read(cl_mem from, std::size_t n) {
    std::vector<float> values(n);
    must(clEnqueueReadBuffer(queue_, from, CL_TRUE, 0, 4 * n, values.data(), 0, nullptr, nullptr), "read");
    return values;
  }

 private:
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  cl_program program_ = nullptr;
  std::map<std::string, cl_kernel> kernels_;
};

void show(float a, float b, float c) { std::printf("%llu %llu %llu\n", whole(a), whole(b), whole(c)); }

}  // namespace

int main(int count, char** arguments) {
  const std::string name = count > 1 ? arguments[1] : "";
  const std::size_t n = 16777216;
  Machine machine;
  const auto fill = [&](cl_mem x, std::size_t elements, cl_ulong period) {
    machine.run("fill", {elements}, {}, x, period);
  };
  if (name == "saxpy") {
    const cl_mem x = machine.floats(n), y = machine.floats(n);
    fill(x, n, 64);
    least_time(10, [&] { machine.run("saxpy", {n}, {}, y, x); });
    const auto got = machine.read(y, n);
    show(got[1], got[n / 2 + 7], got[n - 1]);
  } else if (name == "stencil") {
    cl_mem a = machine.floats(n), b = machine.floats(n);
    fill(a, n, 64);
    least_time(10, [&] {
      machine.run("smooth", {n}, {}, b, a);
      std::swap(a, b);
    });
    const auto got = machine.read(a, n);
    show(got[0] * 1000.0f, got[n / 2] * 1000.0f, got[n - 2] * 1000.0f);
  } else if (name == "transpose") {
    const cl_mem x = machine.floats(n), y = machine.floats(n);
    fill(x, n, 1000003);
    least_time(5, [&] { machine.run("transpose", {4096, 1024}, {32, 8}, y, x, cl_ulong{4096}); });
    const auto got = machine.read(y, n);
    show(got[1], got[4096 * 77 + 1234], got[n - 2]);
  } else if (name == "sums") {
    const std::size_t g = n / 256;
    const cl_mem x = machine.floats(n), out = machine.floats(g);
    fill(x, n, 257);
    least_time(5, [&] { machine.run("sums", {n}, {256}, out, x); });
    const auto got = machine.read(out, g);
    show(got[0], got[g / 2], got[g - 1]);
  } else if (name == "matmul") {
    const std::size_t l = 1048576;
    const cl_mem a = machine.floats(l), b = machine.floats(l), c = machine.floats(l);
    fill(a, l, 13);
    fill(b, l, 11);
    least_time(3, [&] { machine.run("multiply", {256, 256}, {16, 16}, c, a, b, cl_ulong{1024}); });
    const auto got = machine.read(c, l);
    show(got[0], got[l / 2 + 77], got[l - 1]);
  } else {
    std::fprintf(stderr, "no kernel is called %s\n", name.c_str());
    return 2;
  }
}
