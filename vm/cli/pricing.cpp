#include "vm/cli/pricing.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "frontend/project/files.hpp"
#include "frontend/project/manifest.hpp"
#include "vm/cli/machine.hpp"

namespace cairn::cli {

namespace {

constexpr std::size_t kMostProfileBytes = 1U << 20U;

HostPricing priced_for(predict::MachineProfile profile, std::string_view arch) {
  HostPricing pricing;
  pricing.arch = arch.empty() ? describe_host().architecture : std::string(arch);
  pricing.profile = std::move(profile);
  if (!pricing.profile.ops.contains(pricing.arch) && !pricing.profile.ops.empty()) {
    pricing.arch = pricing.profile.ops.begin()->first;
    pricing.other_arch = true;
  }
  return pricing;
}

}  // namespace

HostPricing default_pricing() { return priced_for(predict::built_in_profile(), ""); }

std::expected<HostPricing, Diagnostic> host_pricing(const Invocation& invocation, std::string_view arch) {
  const char* variable = std::getenv("CAIRN_PROFILE");
  const std::string file(invocation.text(Option::HostProfile, variable == nullptr ? "" : variable));
  if (file.empty()) return priced_for(predict::built_in_profile(), arch);
  const auto text = read_file(file, kMostProfileBytes);
  if (!text) return std::unexpected(no_verdict(file + " cannot be read: " + text.error() + "."));
  const auto record = nlohmann::ordered_json::parse(*text, nullptr, false);
  if (record.is_discarded()) return std::unexpected(no_verdict(file + " is no JSON."));
  auto profile = predict::profile_from(record);
  if (!profile) return std::unexpected(no_verdict(file + " is no host profile: " + profile.error() + "."));
  return priced_for(std::move(*profile), arch);
}

std::expected<std::vector<predict::Sizes>, Diagnostic> sizes_given(const Invocation& invocation) {
  std::vector<predict::Sizes> points;
  for (const std::string_view given : invocation.texts(Option::At)) {
    predict::Sizes sizes;
    std::string_view rest = given;
    while (true) {
      const std::size_t comma = rest.find(',');
      const std::string one(rest.substr(0, comma));
      const std::size_t equals = one.find('=');
      double size = -1;
      if (equals != std::string::npos) {
        const char* const end = one.data() + one.size();
        const auto [read, error] = std::from_chars(one.data() + equals + 1, end, size);
        if (error != std::errc() || read != end) size = -1;
      }
      const bool is_repeated = equals != std::string::npos && sizes.contains(one.substr(0, equals));
      if (equals == 0 || is_repeated || !std::isfinite(size) || size < 0 || size != std::floor(size)) {
        return std::unexpected(
            no_verdict("--at takes whole sizes as NAME=SIZE[,NAME=SIZE], each name once, and was given " +
                       std::string(given) + "."));
      }
      sizes[one.substr(0, equals)] = size;
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
    points.push_back(std::move(sizes));
  }
  return points;
}

}  // namespace cairn::cli
