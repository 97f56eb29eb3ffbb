#include "timing.cuh"

__global__ void fill(std::size_t n, float* x) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x)
    x[i] = float(i % 64);
}
__global__ void saxpy(std::size_t n, float* y, const float* x) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i < n) y[i] = 2.5f * x[i] + y[i];
}

int main() {
  const std::size_t n = 134217728;
  float* const x = device_array<float>(n);
  float* const y = device_array<float>(n);
  fill<<<65535, 256>>>(n, x);
  check(cudaDeviceSynchronize());
  time_best(20, [&] { saxpy<<<unsigned(n / 256), 256>>>(n, y, x); });
  std::printf("%llu %llu %llu\n", (unsigned long long)element(y, 1), (unsigned long long)element(y, n / 2 + 7),
              (unsigned long long)element(y, n - 1));
}
