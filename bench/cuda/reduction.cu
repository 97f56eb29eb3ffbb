#include "timing.cuh"

__global__ void fill(std::size_t n, float* x) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x)
    x[i] = float(i % 257);
}
__global__ void sums(float* out, const float* x) {
  __shared__ float warps[8];
  float sum = x[blockIdx.x * std::size_t{256} + threadIdx.x];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float all = 0;
  for (int w = 0; w < 8; ++w) all += warps[w];
  out[blockIdx.x] = all;
}

int main() {
  const std::size_t n = 134217728;
  const std::size_t g = n / 256;
  float* const x = device_array<float>(n);
  float* const out = device_array<float>(g);
  fill<<<65535, 256>>>(n, x);
  check(cudaDeviceSynchronize());
  time_best(20, [&] { sums<<<unsigned(g), 256>>>(out, x); });
  std::printf("%llu %llu %llu\n", (unsigned long long)element(out, 0), (unsigned long long)element(out, g / 2),
              (unsigned long long)element(out, g - 1));
}
