#include "cuda/compiler.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <span>

#include "cuda/cache/code_cache.hpp"
#include "cuda/nvrtc/nvrtc.hpp"
#include "cuda/nvrtc/places.hpp"
#include "cuda/tools.hpp"
#include "cuda/writer/vendored_text.hpp"
#include "runtime/embedded_file.hpp"

namespace cairn {
std::span<const EmbeddedFile> semantics_headers();
std::span<const EmbeddedFile> kernel_headers();
}  // namespace cairn

namespace cairn::cuda {

namespace {

/// Every header that texts include, under the names they include it by.
struct Headers {
  std::vector<std::string> names;
  std::vector<Nvrtc::Header> headers;  // into the names, and the binary's own texts
  CacheKey digest{};

  Headers() {
    std::vector<std::string_view> parts;
    std::vector<const char*> texts;
    const auto add = [&](std::string_view folder, std::span<const EmbeddedFile> files) {
      for (const EmbeddedFile& file : files) {
        names.push_back(std::string(folder) + std::string(file.path));
        texts.push_back(file.text.data());  // a literal, so a zero follows
        parts.push_back(file.text);
      }
    };
    add("runtime/semantics/", semantics_headers());
    add("cuda/kernel/", kernel_headers());
    for (std::size_t k = 0; k < names.size(); ++k) {
      parts.push_back(names[k]);
      headers.push_back({names[k].c_str(), texts[k]});
    }
    digest = cache_key(parts);
  }
  [[nodiscard]] const char* text_of(std::string_view name) const {
    const auto found = std::ranges::find(names, name);
    return found == names.end() ? "" : headers[static_cast<std::size_t>(found - names.begin())].text;
  }
};

const Headers& headers() {
  static const Headers all;
  return all;
}

/// The capability a target names: 90 of "sm_90a"; 0 when it is misspelled.
int capability_of(std::string_view target) {
  if (!target.starts_with("sm_")) return 0;
  target.remove_prefix(3);
  int capability = 0;
  const auto [end, error] = std::from_chars(target.data(), target.data() + target.size(), capability);
  const std::string_view suffix(end, static_cast<std::size_t>(target.data() + target.size() - end));
  const bool is_known = error == std::errc() && (suffix.empty() || suffix == "a" || suffix == "f");
  return is_known ? capability : 0;
}

std::string why_not_built(const Nvrtc& nvrtc, std::string_view target) {
  const int capability = capability_of(target);
  if (capability == 0) return std::string(target) + " is no device target: one is written sm_90, sm_90a or sm_120f";
  for (const int known : nvrtc.architectures()) {
    if (known == capability) return {};
  }
  std::string all;
  for (const int known : nvrtc.architectures()) all += (all.empty() ? "sm_" : ", sm_") + std::to_string(known);
  return "NVRTC " + nvrtc.version() + " (" + nvrtc.path() + ") makes no code for " + std::string(target) +
         "; it knows " + all;
}

/// Vendored code means what nvcc makes of it; NVRTC has no host code, so that a function of no side is the device's.
std::vector<std::string> vendored_options(int major, const std::string& target) {
  return {"--gpu-architecture=" + target, major >= 12 ? "--std=c++20" : "--std=c++17",
          "--device-as-default-execution-space", "--disable-warnings"};
}

std::vector<std::string> options_for(int major, const std::string& target) {
  return {"--gpu-architecture=" + target,
          major >= 12 ? "--std=c++20" : "--std=c++17",
          "--device-as-default-execution-space",
          "--fmad=false",
          "--ftz=false",
          "--prec-div=true",
          "--prec-sqrt=true",
          "--disable-warnings"};
}

/// An entry of the cache: PTX, image, log and names, each after its size.
std::vector<std::uint8_t> packed(const Compiled& compiled) {
  std::vector<std::uint8_t> bytes;
  const auto add = [&](const auto& part) {
    const std::uint64_t size = part.size();
    const auto* const start = reinterpret_cast<const std::uint8_t*>(&size);
    bytes.insert(bytes.end(), start, start + sizeof(size));
    bytes.insert(bytes.end(), part.begin(), part.end());
  };
  add(compiled.ptx);
  add(compiled.cubin);
  add(compiled.log);
  for (const std::string& name : compiled.names) add(name);
  return bytes;
}

std::optional<Compiled> unpacked(std::span<const std::uint8_t> bytes) {
  const auto take = [&](auto& part) {
    std::uint64_t size = 0;
    if (bytes.size() < sizeof(size)) return false;
    std::memcpy(&size, bytes.data(), sizeof(size));
    bytes = bytes.subspan(sizeof(size));
    if (size > bytes.size()) return false;
    part.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    bytes = bytes.subspan(size);
    return true;
  };
  Compiled compiled;
  if (!take(compiled.ptx) || !take(compiled.cubin) || !take(compiled.log)) return std::nullopt;
  while (!bytes.empty()) {
    if (!take(compiled.names.emplace_back())) return std::nullopt;
  }
  compiled.worked = true;
  return compiled;
}

/// What a device loads: the cubin, or PTX with its zero.
std::vector<std::uint8_t> image_of(Compiled& compiled) {
  if (!compiled.cubin.empty()) return std::move(compiled.cubin);
  std::vector<std::uint8_t> image(compiled.ptx.begin(), compiled.ptx.end());
  image.push_back(0);
  return image;
}

/// What the cache on disk could not keep is kept for the process, so that a program is compiled once where nothing can
/// be written: it is judged, then loaded, and its tests load it in children.
class ProcessMemory {
 public:
  std::optional<Compiled> find(const CacheKey& key) {
    const std::lock_guard guard(mutex_);
    const auto found = kept_.find(key);
    return found == kept_.end() ? std::nullopt : std::optional(found->second);
  }
  void store(const CacheKey& key, const Compiled& compiled) {
    const std::lock_guard guard(mutex_);
    const std::size_t bytes = compiled.ptx.size() + compiled.cubin.size() + compiled.log.size();
    if (bytes <= kMostBytes - bytes_ && kept_.emplace(key, compiled).second) bytes_ += bytes;
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  std::mutex mutex_;
  std::map<CacheKey, Compiled> kept_;
  std::size_t bytes_ = 0;
};

ProcessMemory& process_memory() {
  static ProcessMemory one;
  return one;
}

/// Headers that vendored sources include and nothing but a host's C library has. The types are those that the toolkit's
/// own headers give under NVRTC.
constexpr const char* kIntegerTypes =
    "#pragma once\n"
    "typedef signed char int8_t;\ntypedef short int16_t;\ntypedef int int32_t;\ntypedef long long int64_t;\n"
    "typedef unsigned char uint8_t;\ntypedef unsigned short uint16_t;\ntypedef unsigned int uint32_t;\n"
    "typedef unsigned long long uint64_t;\ntypedef int64_t intptr_t;\ntypedef uint64_t uintptr_t;\n"
    "namespace std {\nusing ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;\n"
    "using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t; using ::intptr_t; using ::uintptr_t;\n}\n";
constexpr const char* kSizeTypes =
    "#pragma once\nnamespace std { typedef decltype(sizeof(0)) size_t; typedef decltype((char*)0 - (char*)0) "
    "ptrdiff_t; }\n"
    "using std::ptrdiff_t;\nusing std::size_t;\n";

/// NVRTC looks for what is included by "name" beside the source first, wherever the process stands. Of the project
/// there is what the module carries, and nothing else; the text says its own path.
const std::string kNoFolder = "/vendored/";

/// NVRTC is opened by the first kernel that the cache lacks: opening it takes longer than loading a kernel.
class NvrtcCompiler final : public Compiler {
 public:
  NvrtcCompiler(std::unique_ptr<Nvrtc> nvrtc, std::string library, int major, std::string version, std::string target,
                CodeCache cache)
      : nvrtc_(std::move(nvrtc)),
        library_(std::move(library)),
        major_(major),
        version_(std::move(version)),
        target_(std::move(target)),
        cache_(std::move(cache)) {}

  std::expected<Code, std::string> compile(const bytecode::Module& module, const KernelUse& use) override {
    auto text = write_kernel(module, use);
    if (!text) return std::unexpected(text.error());
    auto compiled = made(text->text, text->name + ".cu", headers().headers, options_for(major_, target_),
                         as_text(headers().digest), {});
    if (!compiled) return std::unexpected(std::move(compiled.error()));
    if (!compiled->worked) {
      return std::unexpected("the kernel of " + text->name + " does not compile:\n" + compiled->log);
    }
    Code code;
    static_cast<KernelText&>(code) = std::move(*text);
    code.ptx = std::move(compiled->ptx);
    code.log = std::move(compiled->log);
    code.image = image_of(*compiled);
    return code;
  }

  std::expected<VendoredCode, std::string> compile_vendored(const bytecode::Module& module,
                                                            const bytecode::VendoredSource& vendored) override {
    const writer::VendoredText text = writer::vendored_text(module, vendored);
    std::vector<std::string> options = vendored_options(major_, target_);
    std::vector<Nvrtc::Header> given{{writer::kDeclarations, headers().text_of(writer::kDeclarations)}};
    std::string all = text.text;  // the project's own sources and headers: what they include of the toolkit counts
    for (const auto& [name, contents] : vendored.headers) {
      given.push_back({name.c_str(), contents.c_str()});
      all += "\n" + contents;
    }
    for (const auto& [name, contents] : {std::pair("stdint.h", kIntegerTypes), std::pair("cstdint", kIntegerTypes),
                                         std::pair("stddef.h", kSizeTypes), std::pair("cstddef", kSizeTypes)}) {
      given.push_back({name, contents});
    }
    const std::vector<std::string> folders = header_folders(library_);
    for (const std::string& folder : folders) options.push_back("--include-path=" + folder);
    std::vector<std::string> functions;
    for (const std::string& kernel : text.kernels) functions.push_back("::" + kernel);
    std::string digests;
    for (const Nvrtc::Header& header : given) digests += std::string(header.name) + "\n" + header.text + "\n";
    auto compiled =
        made(text.text, kNoFolder + vendored.path, given, options, digests + included_texts(all, folders), functions);
    if (!compiled) return std::unexpected(std::move(compiled.error()));
    if (!compiled->worked) {
      return std::unexpected(writer::why_not_compiled(vendored.path, compiled->log) + ":\n" + compiled->log);
    }
    VendoredCode code;
    for (std::size_t k = 0; k < text.kernels.size(); ++k) {
      const std::string entry = k < compiled->names.size() ? compiled->names[k] : std::string();
      if (entry.empty() || !has_entry(compiled->ptx, entry)) {
        return std::unexpected(vendored.path + " is said to define " + text.kernels[k] +
                               ", which is no __global__ function there.");
      }
      code.kernels.push_back({text.kernels[k], entry});
    }
    code.ptx = std::move(compiled->ptx);
    code.log = std::move(compiled->log);
    code.image = image_of(*compiled);
    return code;
  }

  [[nodiscard]] std::string made_by() const override { return "NVRTC " + version_ + " (" + library_ + ")"; }

 private:
  /// What NVRTC gives, or gave before, of a text; an error when there is no NVRTC. `more`: what counts besides the
  /// text, the options and NVRTC's version.
  std::expected<Compiled, std::string> made(const std::string& text, const std::string& name,
                                            const std::vector<Nvrtc::Header>& given,
                                            const std::vector<std::string>& options, const std::string& more,
                                            const std::vector<std::string>& functions) {
    std::string settings = name + "\n";
    for (const std::string& option : options) settings += option + "\n";
    for (const std::string& function : functions) settings += function + "\n";
    const std::array<std::string_view, 4> parts{text, settings, version_, more};
    const CacheKey key = cache_key(parts);
    if (const auto kept = cache_.find(key)) {
      if (auto compiled = unpacked(*kept)) return std::move(*compiled);
    }
    if (auto compiled = process_memory().find(key)) return std::move(*compiled);
    {
      const std::lock_guard guard(mutex_);
      if (nvrtc_ == nullptr) {
        auto opened = Nvrtc::open();
        if (!opened) return std::unexpected(opened.error());
        nvrtc_ = std::move(*opened);
      }
    }
    Compiled compiled = nvrtc_->compile(text, name, given, options, functions);
    const bool is_lost = compiled.worked && !cache_.store(key, packed(compiled));
    if (is_lost) process_memory().store(key, compiled);
    return compiled;
  }

  static std::string as_text(const CacheKey& key) { return {reinterpret_cast<const char*>(key.data()), key.size()}; }
  /// ".entry NAME(": of NVRTC's PTX. The stand-in for NVRTC gives none.
  static bool has_entry(const std::string& ptx, const std::string& entry) {
    return ptx.find(".entry") == std::string::npos || ptx.find(".entry " + entry + "(") != std::string::npos ||
           ptx.find(".entry " + entry + "\n") != std::string::npos;
  }

  std::mutex mutex_;
  std::unique_ptr<Nvrtc> nvrtc_;
  std::string library_;  // where it lies
  int major_;
  std::string version_;
  std::string target_;
  CodeCache cache_;
};

/// That the library builds for the target, and its version: an entry of the cache, "13.0".
CacheKey toolkit_key(const Nvrtc::Identity& library, std::string_view target) {
  const std::array<std::string_view, 4> parts{"toolkit", library.path, library.stamp, target};
  return cache_key(parts);
}

}  // namespace

std::expected<std::unique_ptr<Compiler>, std::string> Compiler::open(std::string_view target) {
  const CodeCache cache(CodeCache::default_folder());
  const std::optional<Nvrtc::Identity> library = Nvrtc::identity();
  if (library) {
    if (const auto kept = cache.find(toolkit_key(*library, target))) {
      std::string version(kept->begin(), kept->end());
      const int major = std::atoi(version.c_str());
      return std::make_unique<NvrtcCompiler>(nullptr, library->path, major, std::move(version), std::string(target),
                                             cache);
    }
  }
  auto nvrtc = Nvrtc::open();
  if (!nvrtc) return std::unexpected(nvrtc.error());
  if (std::string why = why_not_built(**nvrtc, target); !why.empty()) return std::unexpected(std::move(why));
  const std::string version = (*nvrtc)->version();
  std::string path = (*nvrtc)->path();
  // The first library that lies there may be one that does not open: another's version is not its.
  if (library && library->path == path) {
    cache.store(toolkit_key(*library, target), std::vector<std::uint8_t>(version.begin(), version.end()));
  }
  const int major = (*nvrtc)->major();
  return std::make_unique<NvrtcCompiler>(std::move(*nvrtc), std::move(path), major, version, std::string(target),
                                         cache);
}

std::optional<std::string> toolkit_refusal(std::string_view target) {
  const auto nvrtc = Nvrtc::open();
  if (!nvrtc) return std::nullopt;
  std::string why = why_not_built(**nvrtc, target);
  return why.empty() ? std::nullopt : std::optional(std::move(why));
}

}  // namespace cairn::cuda
