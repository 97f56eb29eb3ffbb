// How device targets are written, and what they provide (devices, 18).
#include "frontend/project/device_target.hpp"

#include <catch2/catch.hpp>

using cairn::device_feature;
using cairn::device_features;
using cairn::device_target;
using cairn::provides;

namespace {

std::string provided(std::string_view target) {
  std::string names;
  for (const cairn::DeviceFeature& feature : device_features()) {
    if (provides(*device_target(target), feature)) names += (names.empty() ? "" : " ") + std::string(feature.name);
  }
  return names;
}

}  // namespace

TEST_CASE("a target is sm_, a capability and perhaps a suffix that exists for it", "[targets]") {
  for (const std::string_view good : {"sm_75", "sm_90", "sm_90a", "sm_100", "sm_100f", "sm_103a", "sm_120f"}) {
    const auto target = device_target(good);
    REQUIRE(target);
    CHECK(text(*target) == good);
  }
  for (const std::string_view bad : {"", "sm_", "sm_9", "sm_090", "sm_90f", "sm_89a", "sm_1200", "sm_90b", "compute_90",
                                     "SM_90", "sm_90 ", "sm_90aa", " sm_90"}) {
    CHECK_FALSE(device_target(bad));
  }
}

TEST_CASE("code runs on devices of its major version that are no older, or with `a` on its own alone", "[targets]") {
  const auto runs = [](std::string_view target, int capability) { return device_target(target)->runs_on(capability); };
  CHECK(runs("sm_80", 80));
  CHECK(runs("sm_80", 89));
  CHECK_FALSE(runs("sm_86", 80));
  CHECK_FALSE(runs("sm_80", 90));
  CHECK(runs("sm_90a", 90));
  CHECK_FALSE(runs("sm_100a", 103));
  CHECK(runs("sm_100f", 103));
  CHECK_FALSE(runs("sm_100f", 120));
}

TEST_CASE("features come with a capability, and some with a suffix or a family", "[targets]") {
  CHECK(provided("sm_70").empty());
  CHECK(provided("sm_75") == "device_lanes wmma");
  CHECK(provided("sm_80") == "device_lanes wmma mma_sync bf16 cp_async");
  CHECK(provided("sm_90") == "device_lanes wmma mma_sync bf16 cp_async clusters tma");
  CHECK(provided("sm_90a") == "device_lanes wmma mma_sync bf16 cp_async clusters tma wgmma");
  CHECK(provided("sm_100") == "device_lanes wmma mma_sync bf16 cp_async clusters tma");
  CHECK(provided("sm_100f") == "device_lanes wmma mma_sync bf16 cp_async clusters tma tcgen05");
  CHECK(provided("sm_120a") == "device_lanes wmma mma_sync bf16 cp_async clusters tma mma_f8f6f4");
  CHECK(providers(*device_feature("cp_async")) == "sm_80 or later");
  CHECK(providers(*device_feature("wgmma")) == "sm_90a");
}

TEST_CASE("code for a target runs in what follows it, its family, or it alone", "[targets]") {
  const auto satisfies = [](std::string_view target, std::string_view wanted) {
    return device_target(target)->satisfies(*device_target(wanted));
  };
  CHECK(satisfies("sm_90", "sm_75"));
  CHECK_FALSE(satisfies("sm_75", "sm_80"));
  CHECK(satisfies("sm_90a", "sm_90a"));
  CHECK_FALSE(satisfies("sm_90", "sm_90a"));
  CHECK_FALSE(satisfies("sm_100a", "sm_90a"));
  CHECK(satisfies("sm_103f", "sm_100f"));
  CHECK_FALSE(satisfies("sm_120f", "sm_100f"));
}
