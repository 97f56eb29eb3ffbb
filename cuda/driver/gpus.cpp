#include <array>

#include "cuda/driver/driver.hpp"
#include "cuda/gpus.hpp"

namespace cairn::cuda {

Gpus list_gpus() {
  Gpus gpus;
  const auto driver = open_driver();
  if (!driver) {
    gpus.missing = driver.error();
    return gpus;
  }
  gpus.driver = version_text((*driver)->version);
  gpus.library = (*driver)->library;
  const Functions& call = (*driver)->call;
  int count = 0;
  Status status = call.device_count(&count);
  for (int ordinal = 0; ordinal < count && status == Status::Success; ++ordinal) {
    DeviceHandle device = 0;
    std::array<char, 256> name{};
    std::size_t bytes = 0;
    Gpu gpu;
    gpu.ordinal = ordinal;
    const auto ask = [&](Status answer) {
      status = answer;
      return answer == Status::Success;
    };
    const bool known = ask(call.device_get(&device, ordinal)) &&
                       ask(call.device_name(name.data(), static_cast<int>(name.size()) - 1, device)) &&
                       ask(call.device_attribute(&gpu.major, kMajor, device)) &&
                       ask(call.device_attribute(&gpu.minor, kMinor, device)) &&
                       ask(call.device_memory(&bytes, device));
    if (!known) break;
    gpu.name = name.data();
    gpu.memory_bytes = bytes;
    gpus.found.push_back(std::move(gpu));
  }
  if (gpus.found.empty()) {
    gpus.missing = status == Status::Success
                       ? "the CUDA driver finds no device"
                       : "the CUDA driver does not tell its devices: " + (*driver)->describe(status);
  }
  return gpus;
}

}  // namespace cairn::cuda
