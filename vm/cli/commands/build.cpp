// cairn build: a bytecode bundle and its receipt, in a fresh folder (tools, 3.3 and 7).
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>

#include <sys/stat.h>
#include <nlohmann/json.hpp>

#include "cuda/tools.hpp"
#include "frontend/check/device_needs.hpp"
#include "frontend/diagnostics/render.hpp"
#include "frontend/project/files.hpp"
#include "frontend/report/receipt.hpp"
#include "frontend/support/sha256.hpp"
#include "vm/bytecode/bundle.hpp"
#include "vm/c_entries/c_entries.hpp"
#include "vm/cli/commands/commands.hpp"
#include "vm/cli/help.hpp"
#include "vm/cli/machine.hpp"
#include "vm/cli/running.hpp"
#include "vm/lower_for_use.hpp"

namespace cairn::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostNameCharacters = 64;

std::string folder_name(const std::string& project) {
  std::string name;
  for (const char c : project.substr(0, kMostNameCharacters)) {
    const bool kept =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    name += kept ? c : '_';
  }
  return name;
}

/// A new folder OUT/NAME-XXXXXXXX; never one that was there.
std::expected<fs::path, Diagnostic> fresh_folder(const fs::path& out, const std::string& project) {
  std::error_code error;
  if (fs::is_symlink(fs::symlink_status(out, error))) {
    return std::unexpected(no_verdict(out.generic_string() + " is a symbolic link; a build folder is none."));
  }
  fs::create_directories(out, error);
  if (error) return std::unexpected(no_verdict(out.generic_string() + " cannot be made: " + error.message() + "."));
  std::random_device random;
  constexpr std::string_view digits = "0123456789abcdef";
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string suffix;
    for (int digit = 0; digit < 8; ++digit) suffix += digits[random() % digits.size()];
    const fs::path folder = out / (folder_name(project) + "-" + suffix);
    if (::mkdir(folder.c_str(), 0777) == 0) return fs::absolute(folder).lexically_normal();
  }
  return std::unexpected(no_verdict("No folder can be made in " + out.generic_string() + "."));
}

bool write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  file.close();
  return !file.fail();
}

class Build {
 public:
  Build(const Invocation& invocation, Session& session, ProjectKind kind)
      : invocation_(invocation), session_(session), kind_(kind), start_(std::chrono::steady_clock::now()) {}

  /// Writes everything and gives the record as it is printed.
  std::expected<nlohmann::ordered_json, Diagnostic> run() {
    lower::Options lowering;
    lowering.entry = kind_ == ProjectKind::Executable;
    lowering.keep_guards = invocation_.has(Option::KeepGuards);
    if (kind_ == ProjectKind::Library) lowering.roots = session_.exported_functions();
    auto lowered = lower_for_use(session_, lowering);
    if (!lowered) return std::unexpected(std::move(lowered.error()));
    const Project& project = *session_.project();
    const fs::path out =
        invocation_.has(Option::Out) ? fs::path(invocation_.text(Option::Out)) : project.root / "build";
    const auto folder = fresh_folder(out, project.manifest.name);
    if (!folder) return std::unexpected(folder.error());
    const std::string source = session_.source_text();
    const std::string bundle =
        bytecode::write_bundle(lowered->module, bytecode::digest_of(std::as_bytes(std::span(source))));
    const fs::path artifact = *folder / "program.cbc";
    const fs::path receipt = *folder / "receipt.json";
    nlohmann::ordered_json record = build_record(artifact, bundle);
    nlohmann::ordered_json full = record;
    full["frontend"] = frontend_receipt(session_.compilation(), context(bundle));
    if (!write_file(artifact, bundle) || !write_file(receipt, text_of(full, true) + "\n")) {
      return std::unexpected(no_verdict(folder->generic_string() + " cannot be written."));
    }
    if (invocation_.has(Option::Header)) {
      const CLibrary library = c_library(session_.compilation(), project.manifest.name, session_.exported_functions());
      const fs::path header = *folder / (library.name + ".h");
      const fs::path entries = *folder / (library.name + ".c");
      if (!write_file(header, c_header(library)) || !write_file(entries, c_source(library, bundle))) {
        return std::unexpected(no_verdict(folder->generic_string() + " cannot be written."));
      }
      record["header"] = header.string();
      record["entries"] = entries.string();
    }
    record["receipt"] = receipt.string();
    return record;
  }

 private:
  [[nodiscard]] ReceiptContext context(const std::string& bundle) const {
    const auto self = read_file("/proc/self/exe", SIZE_MAX);
    return {std::string(kVersion), session_.source_digest(), sha256_hex(bundle), self ? sha256_hex(*self) : ""};
  }

  [[nodiscard]] nlohmann::ordered_json build_record(const fs::path& artifact, const std::string& bundle) const {
    const Machine machine = describe_host();
    nlohmann::ordered_json record;
    record["schema"] = "cairn.build/1";
    record["status"] = "built";
    record["formal_status"] = "not-verified";
    record["project"] = session_.project_record();
    record["kind"] = text(kind_);
    record["target"] = session_.project()->manifest.target;
    record["artifact"] = artifact.string();
    record["artifact_sha256"] = sha256_hex(bundle);
    record["directory"] = artifact.parent_path().string();
    record["elapsed_seconds"] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    if (checked::has_device_work(session_.program())) record["device_target"] = device_target_record();
    const bool is_emulated = session_.is_emulated();
    if (is_emulated) record["emulation"] = emulation_record(session_.device_target());
    nlohmann::ordered_json backend;  // what compiles the kernels of a device run: NVRTC, where it is
    if (is_emulated) {
      backend = "emulated";
    } else if (checked::has_device_work(session_.program()) && cuda::find_toolchain().nvrtc) {
      backend = "nvrtc";
    }
    record["vm"] = {{"bytecode_version", bytecode::kBundleVersion},
                    {"bytecode_sha256", sha256_hex(bundle)},
                    {"tiers", {"interpreter", "baseline", "optimizing"}},
                    {"host", {{"arch", machine.architecture}, {"features", machine.processor_features}}},
                    {"device", {{"backend", backend}}}};
    return record;
  }

  /// What the device target is, provides and is asked for, and its published limits (devices, 18).
  [[nodiscard]] nlohmann::ordered_json device_target_record() const {
    const auto target = device_target(session_.device_target());
    nlohmann::ordered_json provided = nlohmann::ordered_json::array();
    for (const DeviceFeature& feature : device_features()) {
      if (target && provides(*target, feature)) provided.push_back(feature.name);
    }
    nlohmann::ordered_json needed = nlohmann::ordered_json::array();
    for (const DeviceFeature* feature : checked::device_needs(session_.program(), session_.compilation().names))
      needed.push_back(feature->name);
    const DeviceLimits limits = target ? limits_of(*target) : DeviceLimits{};
    const auto known = [](int value) {
      return value == 0 ? nlohmann::ordered_json("unknown") : nlohmann::ordered_json(value);
    };
    nlohmann::ordered_json record;
    record["name"] = session_.device_target();
    const bool is_manifest = !session_.project()->manifest.device_target.empty();
    record["origin"] = invocation_.has(Option::DeviceTarget) ? "flag" : is_manifest ? "manifest" : "detected";
    record["provides"] = std::move(provided);
    record["needs"] = std::move(needed);
    record["limits"] = {{"registers_per_thread", limits.registers_per_thread},
                        {"registers_per_sm", limits.registers_per_sm},
                        {"threads_per_block", limits.threads_per_block},
                        {"shared_bytes_per_block", limits.shared_bytes_per_block},
                        {"warps_per_sm", known(limits.warps_per_sm)},
                        {"shared_bytes_per_sm", known(limits.shared_bytes_per_sm)}};
    record["toolkit"] = nullptr;
    return record;
  }

  const Invocation& invocation_;
  Session& session_;
  ProjectKind kind_;
  std::chrono::steady_clock::time_point start_;
};

/// The kind is known before the program is checked: an executable's entry is judged right after parsing.
std::expected<ProjectKind, Diagnostic> kind_of_build(const Invocation& invocation) {
  if (invocation.has(Option::Kind)) {
    return invocation.text(Option::Kind) == "exe" ? ProjectKind::Executable : ProjectKind::Library;
  }
  SourceMap sources;
  auto project = load_project(invocation.path(), sources);
  if (!project) return std::unexpected(std::move(project.error()));
  return project->manifest.kind;
}

}  // namespace

int build_command(const Invocation& invocation) {
  const Output output(invocation);
  if (const auto timeout = invocation.number(Option::Timeout)) end_after(*timeout);
  auto kind = kind_of_build(invocation);
  if (!kind) return output.refuse(std::move(kind.error()));
  SessionOptions options = session_options(invocation);
  options.gpus = gpus_of_machine;
  options.wants_main = *kind == ProjectKind::Executable;
  if (invocation.has(Option::Header) && *kind == ProjectKind::Executable) {
    return output.refuse(no_verdict("--header is of a library, whose entries C calls; this builds an executable."));
  }
  const auto session = Session::open(invocation.path(), options);
  if (!session->accepted()) return output.refuse(session->verdict(), session->sources());
  if (auto refusal = session->judge_board()) return output.refuse(std::move(*refusal), session->sources());
  if (auto refusal = session->judge_device_target()) return output.refuse(std::move(*refusal), session->sources());
  auto record = Build(invocation, *session, *kind).run();
  if (!record) return output.refuse(std::move(record.error()), session->sources());
  if (output.json()) {
    output.record(*record);
  } else {
    output.say("built: " + (*record)["artifact"].get<std::string>() + "\n");
  }
  return kGood;
}

}  // namespace cairn::cli
