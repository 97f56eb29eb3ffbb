// Tiles of 32 by 32 in shared memory, blocks of 32 by 8 threads; blocks are numbered along the columns first.
extern "C" __global__ void fill(unsigned long long n, float* x) {
  const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < n; i += stride)
    x[i] = float(i % 1000003);
}
extern "C" __global__ void transpose(unsigned rows, unsigned cols, float* out, const float* x) {
  __shared__ float tile[32][33];
  const unsigned tx = threadIdx.x % 32, ty = threadIdx.x / 32;
  const unsigned bx = blockIdx.x % (cols / 32), by = blockIdx.x / (cols / 32);
  for (unsigned k = 0; k < 32; k += 8) {
    tile[k + ty][tx] = x[(by * 32 + k + ty) * (unsigned long long)cols + bx * 32 + tx];
  }
  __syncthreads();
  for (unsigned k = 0; k < 32; k += 8) {
    out[(bx * 32 + k + ty) * (unsigned long long)rows + by * 32 + tx] = tile[tx][k + ty];
  }
}
