#include "timing.cuh"

__global__ void fill(std::size_t n, float* x) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += std::size_t{gridDim.x} * blockDim.x)
    x[i] = float(i % 1000003);
}
__global__ void transpose(unsigned rows, unsigned cols, float* out, const float* x) {
  __shared__ float tile[32][33];
  for (unsigned k = 0; k < 32; k += 8) {
    tile[k + threadIdx.y][threadIdx.x] =
        x[(blockIdx.y * 32 + k + threadIdx.y) * std::size_t{cols} + blockIdx.x * 32 + threadIdx.x];
  }
  __syncthreads();
  for (unsigned k = 0; k < 32; k += 8) {
    out[(blockIdx.x * 32 + k + threadIdx.y) * std::size_t{rows} + blockIdx.y * 32 + threadIdx.x] =
        tile[threadIdx.x][k + threadIdx.y];
  }
}

int main() {
  const unsigned rows = 8192;
  const std::size_t n = std::size_t{rows} * rows;
  float* const x = device_array<float>(n);
  float* const y = device_array<float>(n);
  fill<<<65535, 256>>>(n, x);
  check(cudaDeviceSynchronize());
  time_best(20, [&] { transpose<<<dim3(rows / 32, rows / 32), dim3(32, 8)>>>(rows, rows, y, x); });
  std::printf("%llu %llu %llu\n", (unsigned long long)element(y, 1), (unsigned long long)element(y, 632018),
              (unsigned long long)element(y, n - 2));
}
