#include "tests/cuda/host_device.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

#include "vm/bytecode/types.hpp"

namespace cairn::test {

namespace fs = std::filesystem;
using namespace cuda;  // NOLINT: the device speaks of little else

namespace {

using Launch_ = bool (*)(unsigned blocks, unsigned threads, const unsigned char* arguments);

/// How the host's launcher takes an argument out of 8 bytes.
std::string argument_text(Argument argument, std::size_t k) {
  const std::string at = "arguments + " + std::to_string(k * 8);
  switch (argument) {
    case Argument::Environment:
      return "**reinterpret_cast<const Environment* const*>(" + at + ")";
    case Argument::Count:
    case Argument::Tiles:
      return "*reinterpret_cast<const U64*>(" + at + ")";
    case Argument::Counter:
      return "*reinterpret_cast<U32* const*>(" + at + ")";
    case Argument::Trap:
      return "*reinterpret_cast<kernel::TrapRecord* const*>(" + at + ")";
    default:
      return "*reinterpret_cast<const Bytes*>(" + at + ")";
  }
}

std::string launcher_text(const Entry& entry) {
  std::string text = "extern \"C\" bool launch_" + entry.name +
                     "(unsigned blocks, unsigned threads, const unsigned char* arguments) {\n"
                     "  return host_grid_launch(blocks, threads, [&] { ::" +
                     entry.name + "(";
  for (std::size_t k = 0; k < entry.arguments.size(); ++k) {
    text += (k == 0 ? "" : ", ") + argument_text(entry.arguments[k], k);
  }
  return text + "); });\n}\n";
}

/// Compiled kernels stay for the process: their folder goes with it.
class Workshop {
 public:
  Workshop() {
    std::string name = (fs::temp_directory_path() / "cairn-kernels-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Workshop() {
    std::error_code error;
    fs::remove_all(folder_, error);
  }

  void* build(const std::string& text, std::string& said) {
    const std::string source = "#include \"tests/cuda/host_grid.hpp\"\n" + text;
    if (const auto known = built_.find(source); known != built_.end()) return known->second;
    const fs::path base = folder_ / ("kernel" + std::to_string(built_.size()));
    std::ofstream(base.string() + ".cpp") << source;
    const std::string command =
        host_compiler() + " -std=c++20 -O0 -w -fPIC -shared -ffp-contract=off -fno-strict-aliasing -I" +
        CAIRN_SOURCE_DIR + " " + base.string() + ".cpp -o " + base.string() + ".so 2>" + base.string() + ".log";
    void* library = nullptr;
    if (std::system(command.c_str()) == 0) {  // NOLINT: a fixed command of a test
      library = ::dlopen((base.string() + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) said = ::dlerror();
    } else {
      std::ifstream log(base.string() + ".log");
      said.assign(std::istreambuf_iterator<char>(log), {});
    }
    built_[source] = library;
    return library;
  }

 private:
  fs::path folder_;
  std::map<std::string, void*> built_;
};

Workshop& workshop() {
  static Workshop one;
  return one;
}

/// The library of a kernel's text and its launchers.
void* kernel_library(const KernelText& kernel, std::string& said) {
  std::string text = kernel.text + "\n";
  for (const Entry& entry : kernel.entries) text += launcher_text(entry);
  return host_library(text, said);
}

class HostContext final : public Context {
 public:
  HostContext(const bytecode::Module& module, HostDeviceEnd& end)
      : module_(module), end_(end), memory_(emulated_device()), emulated_(memory_->context()) {}

  Allocation allocate(HostThread& host, Space space, std::uint64_t count, std::uint64_t size,
                      std::uint32_t align) override {
    return emulated_->allocate(host, space, count, size, align);
  }
  void release(HostThread& host, Space space, void* memory, std::uint64_t bytes) override {
    emulated_->release(host, space, memory, bytes);
  }
  Failure copy(HostThread& host, Region to, Region from, std::uint64_t bytes) override {
    return emulated_->copy(host, to, from, bytes);
  }
  Failure launch(HostThread&, const Launch&) override { return Failure::Missing; }

  Failure parallel(HostThread&, const Kernel& kernel, std::uint64_t count) override {
    return count == 0 ? Failure::None : run({kernel.function, Use::Region, 0}, kernel, count, nullptr, nullptr);
  }
  Failure cooperative(HostThread&, const Kernel& kernel, std::uint64_t blocks) override {
    const bool finishes = module_.functions[kernel.function].kernel.finish != bytecode::kNone;
    if (blocks == 0 && !finishes) return Failure::None;
    return run({kernel.function, Use::Cooperative, 0}, kernel, blocks, nullptr, nullptr);
  }
  Failure reduce(HostThread&, const Kernel& kernel, std::uint64_t count, std::uint64_t fold, std::uint64_t identity,
                 std::uint64_t& total) override {
    return collected(kernel, Use::Reduce, count, fold, identity, nullptr, total);
  }
  Failure reduce_to(HostThread&, const Kernel& kernel, std::uint64_t count, std::uint64_t fold, std::uint64_t identity,
                    void* element) override {
    std::uint64_t total = 0;
    const Failure failure = collected(kernel, Use::Reduce, count, fold, identity, nullptr, total);
    if (failure == Failure::None)
      std::memcpy(element, &total, bytecode::scalar_size(static_cast<bytecode::ScalarKind>(fold >> 8)));
    return failure;
  }
  Failure scan(HostThread&, const Kernel& kernel, std::uint64_t count, std::uint64_t fold, std::uint64_t identity,
               void* output, std::uint64_t* total) override {
    std::uint64_t unwanted = 0;
    return collected(kernel, Use::Scan, count, fold, identity, output, total == nullptr ? unwanted : *total);
  }
  Failure compact(HostThread&, const Kernel& kernel, std::uint64_t count, void* output, std::uint64_t& kept) override {
    kept = 0;
    return count == 0 ? Failure::None : run({kernel.function, Use::Compact, 0}, kernel, count, output, &kept);
  }

  void after(std::uint64_t) override {}
  Queued queue_parallel(HostThread& host, const Kernel& kernel, std::uint64_t count) override {
    return {parallel(host, kernel, count), 0};
  }
  Queued queue_copy(HostThread& host, Region to, Region from, std::uint64_t bytes) override {
    return {copy(host, to, from, bytes), 0};
  }
  Failure wait(HostThread&, std::uint64_t) override { return Failure::None; }
  void use_stream(void*, bool) override {}

 private:
  /// The total as a slot holds it.
  Failure collected(const Kernel& kernel, Use use, std::uint64_t count, std::uint64_t fold, std::uint64_t identity,
                    void* output, std::uint64_t& total) {
    total = identity;
    if (count == 0) return Failure::None;
    std::uint64_t bits = 0;
    const Failure failure = run({kernel.function, use, static_cast<std::uint32_t>(fold)}, kernel, count, output, &bits);
    const auto scalar = static_cast<bytecode::ScalarKind>(fold >> 8);
    const unsigned unused = 64 - 8 * bytecode::scalar_size(scalar);
    const bool is_signed = scalar >= bytecode::ScalarKind::I8 && scalar <= bytecode::ScalarKind::I64;
    total = is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused) : bits;
    return failure;
  }

  Failure run(const KernelUse& use, const Kernel& kernel, std::uint64_t count, void* output, std::uint64_t* total) {
    constexpr std::uint64_t kMostHere = 3;  // blocks of a grid that strides
    auto text = write_kernel(module_, use);
    std::string said = text ? std::string() : text.error();
    void* const library = text ? kernel_library(*text, said) : nullptr;
    if (library == nullptr) {
      end_.unsupported = said;
      return Failure::Missing;
    }
    alignas(16) std::uint8_t environment[4096] = {};
    std::memcpy(environment, kernel.environment.data(), kernel.environment.size());
    const auto blocks_of = [&](const Entry& entry) -> std::uint64_t {
      switch (entry.grid) {
        case Grid::Stride:
        case Grid::Partials:
          return std::min<std::uint64_t>(
              (count + entry.threads * entry.per_thread - 1) / (entry.threads * entry.per_thread), kMostHere);
        case Grid::Tiles:
          return (count + text->tile - 1) / text->tile;
        case Grid::One:
          return 1;
        case Grid::Blocks:
          return std::clamp<std::uint64_t>(count, 1, kMostHere);
      }
      return 1;
    };
    const std::uint64_t tiles = blocks_of(text->entries.front());
    std::vector<std::uint64_t> scratch(tiles, 0xa5a5a5a5a5a5a5a5);
    std::vector<std::uint8_t> staging(count * (std::uint64_t{text->element_bytes} + 1), 0xa5);
    std::uint32_t counter = 0;
    TrapRecord record;
    for (const Entry& entry : text->entries) {
      std::vector<std::uint64_t> arguments;
      for (const Argument argument : entry.arguments) {
        switch (argument) {
          case Argument::Environment:
            arguments.push_back(reinterpret_cast<std::uint64_t>(&environment[0]));
            break;
          case Argument::Count:
            arguments.push_back(count);
            break;
          case Argument::Output:
            arguments.push_back(reinterpret_cast<std::uint64_t>(output));
            break;
          case Argument::Staging:
            arguments.push_back(reinterpret_cast<std::uint64_t>(staging.data()));
            break;
          case Argument::Scratch:
            arguments.push_back(reinterpret_cast<std::uint64_t>(scratch.data()));
            break;
          case Argument::Tiles:
            arguments.push_back(tiles);
            break;
          case Argument::Total:
            arguments.push_back(reinterpret_cast<std::uint64_t>(total));
            break;
          case Argument::Counter:
            arguments.push_back(reinterpret_cast<std::uint64_t>(&counter));
            break;
          case Argument::Trap:
            arguments.push_back(reinterpret_cast<std::uint64_t>(&record));
            break;
        }
      }
      const auto launch = reinterpret_cast<Launch_>(::dlsym(library, ("launch_" + entry.name).c_str()));
      if (!launch(static_cast<unsigned>(blocks_of(entry)), entry.threads,
                  reinterpret_cast<const unsigned char*>(arguments.data()))) {
        end_.trap = read_trap(record, *text, module_);
        return Failure::Missing;
      }
    }
    return Failure::None;
  }

  const bytecode::Module& module_;
  HostDeviceEnd& end_;
  std::unique_ptr<Device> memory_;
  std::unique_ptr<Context> emulated_;
};

class HostDevice final : public Device {
 public:
  HostDevice(const bytecode::Module& module, HostDeviceEnd& end) : module_(module), end_(end) {}
  std::unique_ptr<Context> context() override { return std::make_unique<HostContext>(module_, end_); }

 private:
  const bytecode::Module& module_;
  HostDeviceEnd& end_;
};

}  // namespace

std::string host_compiler() {
  for (const char* name : {"clang++-19", "clang++", "g++", "c++"}) {
    const std::string command = std::string("command -v ") + name + " >/dev/null 2>&1";
    if (std::system(command.c_str()) == 0) return name;  // NOLINT: a fixed command of a test
  }
  return {};
}

void* host_library(const std::string& text, std::string& said) { return workshop().build(text, said); }

std::unique_ptr<Device> host_device(const bytecode::Module& module, HostDeviceEnd& end) {
  return std::make_unique<HostDevice>(module, end);
}

}  // namespace cairn::test
