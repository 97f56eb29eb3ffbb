// A CUDA driver without a GPU: memory, streams, events and launches of kernels compiled for the host, with faults on
// demand. It is a library of its own, libcuda.so.1, which the program under test opens as it opens the real one.
//
// What it is strict about, so that a missing wait or transfer shows:
// - work on a stream happens when somebody waits for it, and no earlier;
// - device memory cannot be read or written by host code, and holds 0xcd bytes until something is stored there;
// - pageable memory is read when a copy is queued, page-locked memory when it happens.
//
// An image is a shared library of the host (ELF): host_entry.hpp says what it has of each entry.
//
// What it does is told by the functions below, which a test finds in the library; a program that opens the library
// without knowing it is told by the environment:
//   CAIRN_STUB_DEVICES   compute capabilities, "9.0,12.0"; empty: there is no device
//   CAIRN_STUB_FAIL      a fault, "function:after:status", as stub_fail takes it
#pragma once

#include <cstdint>

extern "C" {

/// `NAME__entry` of an image, for each entry NAME.
struct StubEntry {
  void* (*copy)(void** parameters);  // as cuLaunchKernel takes them
  /// Every thread of a grid, on this host thread. False when one trapped: nothing ran after that.
  bool (*run)(void* copied, unsigned blocks, unsigned threads);
  void (*drop)(void* copied);
};

/// Call number `after` (from 0) of that function from now on gives `status` in place of doing anything. "kernel" is the
/// run of a launched kernel: its stream's work ends with that status, as does everything later.
void stub_fail(const char* function, int after, int status);
/// How often the function was called since the last reset.
int stub_calls(const char* function);
/// Allocations, streams, events, modules, pools and contexts that are there.
int stub_live(void);
/// Nothing failed, no calls, no faults to come, an API of that version; what is live stays.
void stub_reset(int version);
/// How many bytes of device memory there are.
void stub_memory(std::uint64_t bytes);
/// Sets an attribute of the device; the rest have their usual values.
void stub_attribute(int attribute, int value);
}
