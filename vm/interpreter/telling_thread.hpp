// A host thread that asks a device with memory and code of its own for something no instruction stands for.
#pragma once

#include <string>
#include <utility>

#include "cuda/device.hpp"

namespace cairn::interpreter {

/// Lends nothing, and keeps why the device did not do it.
class TellingThread final : public cuda::HostThread {
 public:
  void* allocate(std::uint64_t, std::uint64_t, std::uint32_t) override { return nullptr; }
  void release(void*, std::uint64_t) override {}
  bool run(const cuda::Kernel&, std::uint64_t, std::uint64_t, std::span<const std::uint64_t>, std::uint64_t*) override {
    return false;
  }
  bool run_all(const cuda::Kernel&, std::uint64_t) override { return false; }
  bool run_blocks(const cuda::Kernel&, std::uint64_t) override { return false; }
  void trapped(const cuda::DeviceTrap&) override {}  // of earlier work, which told it
  void refused(std::string reason) override { why = std::move(reason); }

  std::string why = "an earlier failure ended the device's work";
};

}  // namespace cairn::interpreter
