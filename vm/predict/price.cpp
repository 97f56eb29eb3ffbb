#include "vm/predict/price.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace cairn::predict {

namespace {

constexpr double kIrregularBytes = 32;  // an irregular access on a device moves a sector
constexpr double kPage = 4096;
constexpr double kMostBlocks = 65535;
constexpr double kDefaultBlock = 256;

/// Where a working set lies at so many threads: the level that holds it, or serves its rest.
std::size_t level_of(const MachineProfile& profile, double bytes, double threads) {
  const double share = bytes / std::max(threads, 1.0);
  if (share <= profile.cache[0]) return 0;
  if (share <= profile.cache[1]) return 1;
  return bytes <= profile.cache[2] ? 2 : 3;
}

double bandwidth_at(const Bandwidth& of, double lanes, double threads) {
  if (lanes <= 1 || threads <= 1) return of.one;
  return of.one + (of.all - of.one) * (std::min(threads, lanes) - 1) / (lanes - 1);
}

/// GB/s (bytes a nanosecond) for a working set: one that overflows a level is served partly from it and the rest from
/// the next. On several threads a chunk is found in a core's own cache with the share 1/cores; the rest is shared.
double served(const MachineProfile& profile, const std::array<Bandwidth, 4>& table, double bytes, double threads) {
  const auto at = [&](std::size_t level) { return bandwidth_at(table[level], profile.lanes, threads); };
  const double share = bytes / std::max(threads, 1.0);
  const std::size_t level = level_of(profile, bytes, threads);
  double rate = at(level);
  if (level > 0) {
    const double inner = level == 1   ? profile.cache[0] / share
                         : level == 2 ? profile.cache[1] / share
                                      : profile.cache[2] / bytes;
    const double fraction = std::clamp(inner, 0.0, 1.0) * 0.5;  // half of what fits is still there at the next pass
    rate = 1 / (fraction / at(level - 1) + (1 - fraction) / at(level));
  }
  if (threads <= 1 || level >= 2) return rate;
  const double engaged = std::min(threads, profile.cores);
  return 1 / ((1 / engaged) / rate + (1 - 1 / engaged) / at(2));
}

struct HostTime {
  double ns = 0;
  std::string bound = "compute";
  double light_ns = 0;
};

/// `time` of 12.2 for so many runs of the work, on so many threads.
HostTime host_time(const Work& work, double runs, const Pricing& pricing, const Sizes& sizes, double threads) {
  const MachineProfile& profile = *pricing.profile;
  const auto table = profile.ops.find(pricing.arch);
  HostTime time;
  if (table == profile.ops.end()) return time;
  const OperationTable& costs = table->second;
  const double irregular = work.irregular().value(sizes) * runs;
  bool vector = irregular == 0;
  double counted = 0;
  for (const auto& [kind, count] : work.ops) {
    const double n = count.value(sizes) * runs;
    if (n == 0) continue;
    counted += n;
    if (costs.keeps_scalar.contains(kind) || !costs.vector.contains(kind)) vector = false;
  }
  if (work.ops.empty()) vector = false;
  double chain = 0;
  double rest = 0;
  double light = 0;
  for (const auto& [kind, count] : work.ops) {
    const double n = count.value(sizes) * runs;
    const auto& form = vector ? costs.vector : costs.scalar;
    const auto cost = form.find(kind);
    const double ns = cost == form.end() ? 1.0 : cost->second;
    (kind.ends_with("_fold") ? chain : rest) += n * ns;
    const auto best = costs.vector.find(kind);
    light += n * (best == costs.vector.end() ? ns : best->second);
  }
  const double floor = 1 / ((vector ? 64 : 8) * profile.ghz);
  rest = std::max(rest, counted * floor);
  const double engaged = std::min(threads, profile.cores);
  const double compute = std::max(chain, rest) / (vector && chain < rest ? engaged : threads);

  const double read = work.bytes_read().value(sizes) * runs;
  const double written = work.bytes_written().value(sizes) * runs;
  double set = 0;  // distinct bytes
  for (const auto& [array, bytes] : work.traffic) {
    const double touched = std::max(bytes.read.value(sizes), bytes.written.value(sizes)) * runs;
    const double whole = bytes.size.value(sizes);
    set += whole > 0 && touched > 0 ? std::min(whole, std::max(touched, whole)) : touched;
  }
  const double memory = (read > 0 ? read / served(profile, profile.read, set, threads) : 0) +
                        (written > 0 ? written / served(profile, profile.write, set, threads) : 0);
  const std::size_t level = level_of(profile, set, threads);
  double scattered = 0;
  for (const auto& [array, bytes] : work.traffic) {
    const double n = bytes.irregular.value(sizes) * runs;
    if (n == 0) continue;
    const double whole = bytes.size.value(sizes);
    scattered += n * profile.irregular_ns[level_of(profile, whole > 0 ? whole : set, threads)] / threads;
  }
  const auto atomic = work.ops.find("atomic");
  const double atomics =
      threads > 1 && atomic != work.ops.end() ? atomic->second.value(sizes) * runs * profile.atomic_ns : 0;
  time.ns = std::max({compute, memory, scattered, atomics});
  if (time.ns == memory && memory > 0) time.bound = "memory (" + std::string(kLevels[level]) + ")";
  if (time.ns == scattered && scattered > 0) time.bound = "irregular";
  if (time.ns == atomics && atomics > 0) time.bound = "atomics";
  const double light_memory =
      (read > 0 ? read / profile.read[level].all : 0) + (written > 0 ? written / profile.write[level].all : 0);
  time.light_ns = std::max(
      {light / std::max(profile.lanes, 1.0), light_memory, scattered * threads / std::max(profile.lanes, 1.0)});
  return time;
}

void price_host_region(const Region& region, const Pricing& pricing, const Sizes& sizes, Prediction& prediction) {
  const MachineProfile& profile = *pricing.profile;
  const double count = std::max(region.count.value(sizes), 0.0);
  const double runs = region.runs.value(sizes);
  // A region's weight is how much one of its indices does, in the units the pool's cutoff was set for.
  double weight = 0;
  for (const auto& [kind, times] : region.per_index.ops) weight += times.value(sizes);
  weight = std::max(1.0, weight / 8);
  const double grain_given = static_cast<double>(region.plan.item("grain", 0));
  const double lanes_given = static_cast<double>(region.plan.item("lanes", 0));
  const bool is_wide = lanes_given != 1 && (grain_given > 0 ? count >= 2 : count * weight >= profile.cutoff);
  double used = 1;
  if (is_wide) {
    const double grain = grain_given > 0 ? grain_given : std::max(1.0, profile.grain / weight);
    used = std::min(profile.lanes, std::max(1.0, std::floor(count / grain)));
    if (lanes_given > 0) used = std::min(used, lanes_given);
  }
  const std::string where = "region at line " + std::to_string(region.line);
  if (used > 1) {
    prediction.parts.push_back(
        {"pool start", (profile.fork_ns + profile.per_lane_ns * (used - 1)) * runs, "pool start", 0, false});
  }
  const HostTime time = host_time(region.per_index, count * runs, pricing, sizes, used);
  prediction.parts.push_back({where, time.ns, time.bound, time.light_ns, false});
}

void price_device_region(const Region& region, const Pricing& pricing, const Sizes& sizes, Prediction& prediction) {
  const Card& card = *pricing.card;
  const double count = std::max(region.count.value(sizes), 0.0);
  const double runs = region.runs.value(sizes);
  const double block = static_cast<double>(region.plan.item("block", static_cast<std::uint64_t>(kDefaultBlock)));
  const double per_lane = static_cast<double>(region.plan.item("per_lane", 1));
  const double threads = std::min(count / per_lane, kMostBlocks * block);
  const double capacity = card.sms * card.threads_per_sm() * kOccupancyToSaturate;
  const double busy = std::clamp(threads / capacity, 1e-12, 1.0);
  const Work& work = region.per_index;
  const double bytes = (work.bytes_read().value(sizes) + work.bytes_written().value(sizes) +
                        work.irregular().value(sizes) * kIrregularBytes) *
                       count;
  double issued = 0;
  for (const auto& [kind, times] : work.ops) issued += times.value(sizes) * count;
  const double peak_ops = card.i32 * 1000;  // operations a nanosecond
  const double memory = bytes / (card.dram_gbps * kMemoryEfficiency * busy);
  const double issue = issued / (peak_ops * busy);
  PricedPart part;
  part.what = "device region at line " + std::to_string(region.line);
  part.is_device = true;
  part.ns = (kLaunchNs + std::max(memory, issue)) * runs;
  part.bound = kLaunchNs >= std::max(memory, issue) ? "launch" : memory >= issue ? "device memory" : "device issue";
  part.light_ns = std::max(bytes / card.dram_gbps, issued / peak_ops) * runs;
  prediction.parts.push_back(std::move(part));
}

}  // namespace

double rounded_ns(double ns) {
  if (ns == 0 || !std::isfinite(ns)) return 0;
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.3e", ns);
  return std::strtod(buffer.data(), nullptr);
}

std::string time_text(double ns) {
  constexpr std::array<std::string_view, 4> kUnits = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  while (ns >= 1000 && unit + 1 < kUnits.size()) {
    ns /= 1000;
    ++unit;
  }
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), ns >= 100 ? "%.0f" : "%.2g", ns);
  return std::string(buffer.data()) + " " + std::string(kUnits[unit]);
}

Prediction price(const Cost& cost, const Pricing& pricing, const Sizes& sizes) {
  const MachineProfile& profile = *pricing.profile;
  Prediction prediction;
  prediction.sizes = sizes;
  bool has_device = false;
  bool has_wide = false;
  const HostTime sequential = host_time(cost.sequential, 1, pricing, sizes, 1);
  if (sequential.ns > 0)
    prediction.parts.push_back({"sequential", sequential.ns, sequential.bound, sequential.light_ns, false});
  for (const Region& region : cost.regions) {
    if (region.kind == RegionKind::Host || region.kind == RegionKind::Pooled) {
      price_host_region(region, pricing, sizes, prediction);
      has_wide = true;
    } else {
      has_device = true;
      price_device_region(region, pricing, sizes, prediction);
    }
  }
  for (const Transfer& transfer : cost.transfers) {
    const double bytes = transfer.bytes.value(sizes);
    const double runs = transfer.runs.value(sizes);
    PricedPart part{"transfer " + transfer.direction, 0, "transfer", 0, transfer.direction != "h2h"};
    if (transfer.direction == "h2h") {
      part.ns = runs * (bytes / profile.read[3].one + bytes / profile.write[3].one);
      part.light_ns = runs * bytes / profile.write[3].all;
    } else {
      const double rate = transfer.direction == "d2d" ? pricing.card->dram_gbps / 2 : pricing.card->link_gbps;
      part.ns = runs * (kLinkNs + bytes / rate);
      part.light_ns = runs * bytes / rate;
      has_device = true;
    }
    prediction.parts.push_back(std::move(part));
  }
  if (const double started = cost.tasks.value(sizes); started > 0) {
    prediction.parts.push_back({"task start", started * profile.spawn_ns, "task start", 0, false});
  }
  if (const double made = cost.sequential.allocations.value(sizes); made > 0) {
    const double bytes = cost.sequential.zeroed_bytes.value(sizes);
    double ns = made * profile.alloc_ns + bytes / served(profile, profile.write, bytes, 1);
    if (bytes / made >= profile.mapped_bytes) ns += bytes / kPage * profile.page_ns;
    prediction.parts.push_back({"allocation", ns, "allocation", bytes / profile.write[3].all, false});
  }
  double light = 0;
  const PricedPart* largest = nullptr;
  for (const PricedPart& part : prediction.parts) {
    prediction.ns += part.ns;
    light += part.light_ns;
    if (largest == nullptr || part.ns > largest->ns) largest = &part;
  }
  prediction.bound = largest == nullptr ? "nothing" : largest->bound;
  prediction.speed_of_light = prediction.ns > 0 ? std::min(1.0, light / prediction.ns) : 1;

  std::set<std::string> medium = cost.approximate;
  std::set<std::string> low = cost.guessed;
  if (has_device) low.insert("device work is priced by a model");
  if (has_wide) medium.insert("a region runs on the lanes of the pool");
  bool is_irregular = !cost.sequential.irregular().is_zero();
  for (const Region& region : cost.regions) is_irregular = is_irregular || !region.per_index.irregular().is_zero();
  if (is_irregular) (prediction.bound == "irregular" ? low : medium).insert("an index rests on data");
  if (!cost.extents.empty() && sizes.empty()) low.insert("no size was given");
  for (const std::string& extent : cost.extents) {
    if (!sizes.empty() && !sizes.contains(extent)) low.insert("no size was given for " + extent);
  }
  if (profile.origin != "measured") medium.insert("the profile was not measured on this machine");
  if (pricing.other_arch) medium.insert("the costs are those of another architecture, " + pricing.arch);
  prediction.confidence = !low.empty() ? "low" : !medium.empty() ? "medium" : "high";
  prediction.why.assign(low.begin(), low.end());
  prediction.why.insert(prediction.why.end(), medium.begin(), medium.end());
  return prediction;
}

}  // namespace cairn::predict
