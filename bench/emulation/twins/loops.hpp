// Timing of the plain loops that emulated kernels are measured beside: the least of some rounds, told on stderr.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

template <class Loop>
void least_time(int rounds, Loop loop) {
  std::uint64_t best = ~std::uint64_t{0};
  for (int round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    loop();
    const auto taken = std::chrono::steady_clock::now() - start;
    best = std::min<std::uint64_t>(best, std::chrono::nanoseconds(taken).count());
  }
  std::fprintf(stderr, "ns %llu\n", static_cast<unsigned long long>(best));
}

inline unsigned long long whole(float value) { return static_cast<unsigned long long>(value); }
