// By hand: a thread an element, or a grid that strides over them.
extern "C" __global__ void fill(unsigned long long n, float* x) {
  const unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x; i < n; i += stride)
    x[i] = float(i % 64);
}
extern "C" __global__ void saxpy(unsigned long long n, float* y, const float* x) {
  const unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.5f * x[i] + y[i];
}
