#include "cuda/compiler.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <span>

#include "cuda/cache/code_cache.hpp"
#include "cuda/nvrtc/nvrtc.hpp"
#include "cuda/tools.hpp"
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

/// An entry of the cache: sizes, then PTX, image and log.
std::vector<std::uint8_t> packed(const Compiled& compiled) {
  const std::array<std::uint64_t, 3> sizes{compiled.ptx.size(), compiled.cubin.size(), compiled.log.size()};
  std::vector<std::uint8_t> bytes(sizeof(sizes));
  std::memcpy(bytes.data(), sizes.data(), sizeof(sizes));
  bytes.insert(bytes.end(), compiled.ptx.begin(), compiled.ptx.end());
  bytes.insert(bytes.end(), compiled.cubin.begin(), compiled.cubin.end());
  bytes.insert(bytes.end(), compiled.log.begin(), compiled.log.end());
  return bytes;
}

std::optional<Compiled> unpacked(std::span<const std::uint8_t> bytes) {
  std::array<std::uint64_t, 3> sizes{};
  if (bytes.size() < sizeof(sizes)) return std::nullopt;
  std::memcpy(sizes.data(), bytes.data(), sizeof(sizes));
  bytes = bytes.subspan(sizeof(sizes));
  const auto take = [&](std::uint64_t size) -> std::optional<std::span<const std::uint8_t>> {
    if (size > bytes.size()) return std::nullopt;
    const auto part = bytes.first(size);
    bytes = bytes.subspan(size);
    return part;
  };
  Compiled compiled;
  const auto ptx = take(sizes[0]);
  if (!ptx) return std::nullopt;
  const auto cubin = take(sizes[1]);
  if (!cubin) return std::nullopt;
  const auto log = take(sizes[2]);
  if (!log || !bytes.empty()) return std::nullopt;
  compiled.worked = true;
  compiled.ptx.assign(ptx->begin(), ptx->end());
  compiled.cubin.assign(cubin->begin(), cubin->end());
  compiled.log.assign(log->begin(), log->end());
  return compiled;
}

/// NVRTC is opened by the first kernel that the cache lacks: opening it takes longer than loading a kernel.
class NvrtcCompiler final : public Compiler {
 public:
  NvrtcCompiler(std::unique_ptr<Nvrtc> nvrtc, int major, std::string version, std::string target, CodeCache cache)
      : nvrtc_(std::move(nvrtc)),
        major_(major),
        version_(std::move(version)),
        target_(std::move(target)),
        cache_(std::move(cache)) {}

  std::expected<Code, std::string> compile(const bytecode::Module& module, const KernelUse& use) override {
    auto text = write_kernel(module, use);
    if (!text) return std::unexpected(text.error());
    const std::vector<std::string> options = options_for(major_, target_);
    std::string settings;
    for (const std::string& option : options) settings += option + "\n";
    const CacheKey& headers_digest = headers().digest;
    const std::array<std::string_view, 4> parts{
        text->text, settings, version_,
        std::string_view(reinterpret_cast<const char*>(headers_digest.data()), headers_digest.size())};
    const CacheKey key = cache_key(parts);
    std::optional<Compiled> compiled;
    if (const auto kept = cache_.find(key)) compiled = unpacked(*kept);
    if (!compiled) {
      {
        const std::lock_guard guard(mutex_);
        if (nvrtc_ == nullptr) {
          auto opened = Nvrtc::open();
          if (!opened) return std::unexpected(opened.error());
          nvrtc_ = std::move(*opened);
        }
      }
      compiled = nvrtc_->compile(text->text, text->name + ".cu", headers().headers, options);
      if (!compiled->worked) {
        return std::unexpected("the kernel of " + text->name + " does not compile:\n" + compiled->log);
      }
      cache_.store(key, packed(*compiled));
    }
    Code code;
    static_cast<KernelText&>(code) = std::move(*text);
    code.ptx = std::move(compiled->ptx);
    code.log = std::move(compiled->log);
    code.image = std::move(compiled->cubin);
    if (code.image.empty()) {
      code.image.assign(code.ptx.begin(), code.ptx.end());
      code.image.push_back(0);
    }
    return code;
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<Nvrtc> nvrtc_;
  int major_;
  std::string version_;
  std::string target_;
  CodeCache cache_;
};

/// That the library of this identity builds for the target, and its version: an entry of the cache, "13.0".
CacheKey toolkit_key(const std::string& identity, std::string_view target) {
  const std::array<std::string_view, 3> parts{"toolkit", identity, target};
  return cache_key(parts);
}

}  // namespace

std::expected<std::unique_ptr<Compiler>, std::string> Compiler::open(std::string_view target) {
  const CodeCache cache(CodeCache::default_folder());
  const std::string identity = Nvrtc::identity();
  const CacheKey key = toolkit_key(identity, target);
  if (!identity.empty()) {
    if (const auto kept = cache.find(key)) {
      std::string version(kept->begin(), kept->end());
      const int major = std::atoi(version.c_str());
      return std::make_unique<NvrtcCompiler>(nullptr, major, std::move(version), std::string(target), cache);
    }
  }
  auto nvrtc = Nvrtc::open();
  if (!nvrtc) return std::unexpected(nvrtc.error());
  if (std::string why = why_not_built(**nvrtc, target); !why.empty()) return std::unexpected(std::move(why));
  const std::string version = (*nvrtc)->version();
  // The first library that lies there may be one that does not open: another's version is not its.
  const bool is_identified = identity.starts_with((*nvrtc)->path() + " ");
  if (is_identified) cache.store(key, std::vector<std::uint8_t>(version.begin(), version.end()));
  const int major = (*nvrtc)->major();
  return std::make_unique<NvrtcCompiler>(std::move(*nvrtc), major, version, std::string(target), cache);
}

std::optional<std::string> toolkit_refusal(std::string_view target) {
  const auto nvrtc = Nvrtc::open();
  if (!nvrtc) return std::nullopt;
  std::string why = why_not_built(**nvrtc, target);
  return why.empty() ? std::nullopt : std::optional(std::move(why));
}

}  // namespace cairn::cuda
