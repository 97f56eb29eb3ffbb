// The launch of a kernel on one host thread: block after block, the threads of a block as stacks of their own that are
// taken up in turn where they wait for each other.
#pragma once

#include "tests/cuda/stub/cuda_stub.hpp"

struct HostLaunch {
  const StubEntry& entry;
  void* arguments = nullptr;
  StubThread** seen = nullptr;  // where the image looks for its thread; may be null
  bool waits = false;           // threads may wait for one another
  StubIndex grid;
  StubIndex block;
};

/// False when a thread trapped: the launch ends there.
bool run_on_host(const HostLaunch& launch);
