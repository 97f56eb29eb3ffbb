// What every twin does: the best of its launches, each waited for, in nanoseconds on stderr as the CAIRN program tells it.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>

inline void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

template <class T>
T* device_array(std::size_t count) {
  T* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)));
  check(cudaMemset(memory, 0, count * sizeof(T)));
  return memory;
}

template <class T>
T element(const T* array, std::size_t index) {
  T value;
  check(cudaMemcpy(&value, array + index, sizeof(T), cudaMemcpyDeviceToHost));
  return value;
}

template <class Launch>
void time_best(int rounds, Launch launch) {
  using Clock = std::chrono::steady_clock;
  long long best = 1000000000000;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    launch();
    check(cudaDeviceSynchronize());
    const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
    if (took < best) best = took;
  }
  std::fprintf(stderr, "ns %lld\n", best);
}
