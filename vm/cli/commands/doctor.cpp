// cairn doctor: what this machine has (tools, 3.8).
#include <fstream>

#include <nlohmann/json.hpp>

#include "frontend/project/manifest.hpp"
#include "vm/cli/calibration.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/help.hpp"
#include "vm/cli/machine.hpp"

namespace cairn::cli {

namespace {

nlohmann::ordered_json or_null(const std::optional<std::string>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json device_record(const cuda::Gpu& gpu) {
  return {{"name", gpu.name},
          {"compute_capability", std::to_string(gpu.major) + "." + std::to_string(gpu.minor)},
          {"memory_bytes", gpu.memory_bytes}};
}

/// Measures the machine and writes its profile: the one thing doctor runs.
int write_profile(const std::string& file, const Output& output) {
  const auto profile = calibrate();
  if (!profile) return output.refuse(profile.error());
  const nlohmann::ordered_json record = predict::record_of(*profile);
  std::ofstream stream(file, std::ios::binary);
  stream << record.dump(2) << "\n";
  stream.close();
  if (!stream) return output.refuse(no_verdict(file + " cannot be written."));
  if (output.json()) {
    output.record(record);
  } else {
    output.say("measured: " + file + "\n");
  }
  return kGood;
}

}  // namespace

int doctor_command(const Invocation& invocation) {
  const Output output(invocation);
  if (invocation.has(Option::Calibrate)) return write_profile(std::string(invocation.text(Option::Calibrate)), output);
  const Machine machine = examine_machine();
  const std::string& problem = machine.gpus.missing;
  const std::optional<std::string> driver =
      machine.gpus.driver.empty() ? std::nullopt : std::optional(machine.gpus.driver);
  if (output.json()) {
    nlohmann::ordered_json record;
    record["version"] = kVersion;
    record["platform"] = machine.platform;
    record["engine"] = "cairn-vm";
    record["jit"] = {{"arch", machine.architecture}, {"features", machine.processor_features}};
    record["z3"] = or_null(machine.solver);
    record["cuda_driver"] = or_null(driver);
    record["nvrtc"] = or_null(machine.nvrtc);
    record["ptxas"] = or_null(machine.ptxas);
    record["devices"] = nlohmann::ordered_json::array();
    for (const cuda::Gpu& gpu : machine.gpus.found) record["devices"].push_back(device_record(gpu));
    record["formal_status"] = "not-verified";
    record["network_access"] = false;
    record["device_problem"] = or_null(problem.empty() ? std::nullopt : std::optional(problem));
    output.record(record);
    return kGood;
  }
  std::string text;
  const auto line = [&](std::string_view key, const std::string& value) {
    text += std::string(key) + " " + (value.empty() ? "missing" : value) + "\n";
  };
  line("version", std::string(kVersion));
  line("platform", machine.platform);
  line("engine", "cairn-vm");
  line("jit", machine.architecture + " " + machine.processor_features);
  line("z3", machine.solver.value_or(""));
  line("cuda_driver", machine.gpus.driver);
  line("nvrtc", machine.nvrtc.value_or(""));
  line("ptxas", machine.ptxas.value_or(""));
  std::string devices;
  for (const cuda::Gpu& gpu : machine.gpus.found) {
    devices += (devices.empty() ? "" : ", ") + gpu.name + " (" + gpu.target() + ")";
  }
  line("devices", devices);
  if (!problem.empty()) line("device_problem", problem);
  line("formal_status", "not-verified");
  line("network_access", "false");
  output.say(text);
  return kGood;
}

}  // namespace cairn::cli
