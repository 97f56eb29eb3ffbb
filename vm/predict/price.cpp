#include "vm/predict/price.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "vm/predict/turns.hpp"

namespace cairn::predict {

namespace {

constexpr double kIrregularBytes = 32;  // an irregular access on a device moves a sector
constexpr double kPage = 4096;
constexpr double kMostBlocks = 65535;
constexpr double kDefaultBlock = 256;
constexpr double kWavefrontBytes = 128;  // of shared memory, a clock

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

struct HostMemory {
  double ns = 0;
  double set = 0;         // bytes that all arrays take
  std::size_t level = 0;  // of the array that takes longest
  double light_ns = 0;
};

/// What a body's streams take. An array lies in the level that holds what is touched before one of its elements is
/// needed again: as much of every other array as of itself.
HostMemory memory_time(const Work& work, double runs, const MachineProfile& profile, const Sizes& sizes,
                       double threads) {
  std::vector<double> kept;
  for (const auto& [array, bytes] : work.traffic) {
    double most = std::max(bytes.read.value(sizes), bytes.written.value(sizes)) * runs;
    for (const Polynomial* bound : {&bytes.size, &bytes.reused}) {
      if (const double given = bound->value(sizes); given > 0) most = std::min(most, given);
    }
    kept.push_back(most);
  }
  HostMemory memory;
  double longest = 0;
  std::size_t at = 0;
  for (const auto& [array, bytes] : work.traffic) {
    const double own = kept[at++];
    memory.set += own;
    const double set = std::accumulate(kept.begin(), kept.end(), 0.0,
                                       [&](double sum, double other) { return sum + std::min(own, other); });
    const double read = bytes.read.value(sizes) * runs;
    const double written = bytes.written.value(sizes) * runs;
    const double ns = (read > 0 ? read / served(profile, profile.read, set, threads) : 0) +
                      (written > 0 ? written / served(profile, profile.write, set, threads) : 0);
    const std::size_t level = level_of(profile, set, threads);
    memory.ns += ns;
    memory.light_ns +=
        (read > 0 ? read / profile.read[level].all : 0) + (written > 0 ? written / profile.write[level].all : 0);
    if (ns <= longest) continue;
    longest = ns;
    memory.level = level;
  }
  return memory;
}

/// `time` of 12.2 for so many runs of one body, on so many threads.
HostTime body_time(const Work& work, double runs, const Pricing& pricing, const Sizes& sizes, double threads) {
  const MachineProfile& profile = *pricing.profile;
  const auto table = profile.ops.find(pricing.arch);
  HostTime time;
  if (table == profile.ops.end()) return time;
  const OperationTable& costs = table->second;
  const double irregular = work.irregular().value(sizes) * runs;
  bool vector = irregular == 0 && !work.strides;
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

  const HostMemory memory_of = memory_time(work, runs, profile, sizes, threads);
  const double memory = memory_of.ns;
  double scattered = 0;
  for (const auto& [array, bytes] : work.traffic) {
    const double n = bytes.irregular.value(sizes) * runs;
    if (n == 0) continue;
    const double whole = bytes.size.value(sizes);
    scattered += n * profile.irregular_ns[level_of(profile, whole > 0 ? whole : memory_of.set, threads)] / threads;
  }
  const auto atomic = work.ops.find("atomic");
  const double atomics =
      threads > 1 && atomic != work.ops.end() ? atomic->second.value(sizes) * runs * profile.atomic_ns : 0;
  time.ns = std::max({compute, memory, scattered, atomics});
  if (time.ns == memory && memory > 0) time.bound = "memory (" + std::string(kLevels[memory_of.level]) + ")";
  if (time.ns == scattered && scattered > 0) time.bound = "irregular";
  if (time.ns == atomics && atomics > 0) time.bound = "atomics";
  time.light_ns = std::max(
      {light / std::max(profile.lanes, 1.0), memory_of.light_ns, scattered * threads / std::max(profile.lanes, 1.0)});
  return time;
}

/// Of all bodies, one after the other; the one that takes longest says what bounds them.
HostTime host_time(const Code& code, double runs, const Pricing& pricing, const Sizes& sizes, double threads) {
  HostTime sum;
  double longest = 0;
  for (const auto& [loop, work] : code.bodies) {
    const HostTime one = body_time(work, runs, pricing, sizes, threads);
    sum.ns += one.ns;
    sum.light_ns += one.light_ns;
    if (one.ns <= longest) continue;
    longest = one.ns;
    sum.bound = one.bound;
  }
  return sum;
}

void price_host_region(const Region& region, const Pricing& pricing, const Sizes& sizes, Prediction& prediction) {
  const MachineProfile& profile = *pricing.profile;
  const double threads = region.cooperation ? region.cooperation->threads : 1;  // one lane runs a block's
  const double count = std::max(region.count.value(sizes), 0.0);
  const double runs = region.runs.value(sizes);
  // A region's weight is how much one of its indices does, in the units the pool's cutoff was set for.
  double weight = 0;
  for (const auto& [kind, times] : region.per_index.total().ops) weight += times.value(sizes) * threads;
  weight = std::max(1.0, weight / 8);
  const double grain_given = static_cast<double>(region.plan.item("grain", 0));
  const double lanes_given = static_cast<double>(region.plan.item("lanes", 0));
  const bool is_wide = region.kind != RegionKind::Tensor && lanes_given != 1 &&
                       (grain_given > 0 ? count >= 2 : count * weight >= profile.cutoff);
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
  const HostTime time = host_time(region.per_index, count * threads * runs, pricing, sizes, used);
  prediction.parts.push_back({where, time.ns, time.bound, time.light_ns, false});
}

/// What moves through a device's memory for each index.
double device_bytes(const Work& work, const Sizes& sizes) {
  return work.bytes_read().value(sizes) + work.bytes_written().value(sizes) +
         work.irregular().value(sizes) * kIrregularBytes;
}

double issued(const Work& work, const Sizes& sizes) {
  double sum = 0;
  for (const auto& [kind, times] : work.ops) sum += times.value(sizes);
  return sum;
}

/// The part of a launch that takes as long as the largest of its limits, the launch itself added.
PricedPart launched(const Region& region, double launch, const std::vector<std::pair<const char*, double>>& limits,
                    double runs) {
  PricedPart part;
  part.what = std::string(region.cooperation && region.cooperation->is_finish ? "finish of the region"
                          : region.kind == RegionKind::Device                 ? "device region"
                          : region.kind == RegionKind::Tensor                 ? "tensor multiply"
                                                                              : "cooperative region") +
              " at line " + std::to_string(region.line);
  part.is_device = true;
  const auto most = std::ranges::max_element(limits, {}, &std::pair<const char*, double>::second);
  part.ns = (launch + most->second) * runs;
  part.bound = launch >= most->second ? "launch" : most->first;
  return part;
}

void price_device_region(const Region& region, const Pricing& pricing, const Sizes& sizes, Prediction& prediction) {
  const Card& card = *pricing.card;
  const double count = std::max(region.count.value(sizes), 0.0);
  const double runs = region.runs.value(sizes);
  const double block = static_cast<double>(region.plan.item("block", static_cast<std::uint64_t>(kDefaultBlock)));
  const double per_lane = static_cast<double>(region.plan.item("per_lane", 1));
  const double threads = std::min(count / per_lane, kMostBlocks * block);
  const double capacity = card.sms * card.threads_per_sm() * kOccupancyToSaturate;
  double most_busy = 1;
  if (region.registers > 0) {
    const int resident = resident_blocks(card, static_cast<int>(block), region.registers, 0);
    most_busy = std::min(1.0, resident * block / card.threads_per_sm() / kOccupancyToSaturate);
  }
  const double busy = std::clamp(threads / capacity, 1e-12, std::max(most_busy, 1e-12));
  const Work work = region.per_index.total();
  const double bytes = device_bytes(work, sizes) * count;
  const double operations = issued(work, sizes) * count;
  const double peak_ops = card.i32 * 1000;  // operations a nanosecond
  PricedPart part = launched(region, kLaunchNs,
                             {{"device memory", bytes / (card.dram_gbps * kMemoryEfficiency * busy)},
                              {"device issue", operations / (peak_ops * busy)}},
                             runs);
  part.light_ns = std::max(bytes / card.dram_gbps, operations / peak_ops) * runs;
  if (region.registers > 0) {
    part.details.push_back({"registers a thread", static_cast<double>(region.registers), "ptxas"});
    part.details.push_back({"most of the device busy", most_busy, "model"});
  }
  prediction.parts.push_back(std::move(part));
}

void price_tensor(const Region& region, const Pricing& pricing, const Sizes& sizes, Prediction& prediction) {
  const Card& card = *pricing.card;
  const double runs = region.runs.value(sizes);
  const double bytes = device_bytes(region.per_index.total(), sizes);
  const double operations = 2 * region.multiply_adds.value(sizes) / (card.tensor_f16 * 1000);
  PricedPart part =
      launched(region, kLaunchNs,
               {{"device memory", bytes / (card.dram_gbps * kMemoryEfficiency)}, {"device tensor", operations}}, runs);
  part.light_ns = std::max(bytes / card.dram_gbps, operations) * runs;
  prediction.parts.push_back(std::move(part));
}

void price_cooperative(const Region& region, const Pricing& pricing, const Sizes& sizes, Prediction& prediction) {
  const Card& card = *pricing.card;
  const Cooperation& of = *region.cooperation;
  const double runs = region.runs.value(sizes);
  const double blocks = std::max(region.count.value(sizes), 0.0);
  const double launch = of.is_finish ? 0 : kLaunchNs;
  const int resident =
      resident_blocks(card, static_cast<int>(of.threads), region.registers, static_cast<int>(of.shared_bytes));
  if (resident == 0) {
    prediction.guessed.insert("no SM of " + std::string(card.key) + " holds a block: the time is no prediction");
    return prediction.parts.push_back(launched(region, launch, {{"no block fits", 0}}, runs));
  }
  const double sms = card.sms;
  const double concurrent = std::min(blocks, sms * resident);
  const double capacity = sms * card.threads_per_sm() * kOccupancyToSaturate;
  const double busy = std::clamp(concurrent * of.threads / capacity, 1e-12, 1.0);
  const double reached = std::clamp(blocks, 1.0, sms);
  const double rate = card.dram_gbps * kMemoryEfficiency;
  const Work work = region.per_index.total();
  const double plain = device_bytes(work, sizes) * of.threads * blocks;
  const double copied = of.copied_bytes.value(sizes) * blocks;
  const double copy_rate = std::min(rate, std::max(concurrent, 1.0) * of.bytes_in_flight / kMemoryLatencyNs);
  const double memory = plain / (rate * busy) + (copied > 0 ? copied / copy_rate : 0);
  const double operations = issued(work, sizes) * of.threads * blocks;
  const double peak_ops = card.i32 * 1000;
  const double wavefronts = of.wavefronts.value(sizes) * blocks;
  const double tensor = 2 * of.multiply_adds.value(sizes) * blocks / (card.tensor_f16 * 1000);
  PricedPart part = launched(region, launch,
                             {{"device memory", memory},
                              {"device issue", operations / (peak_ops * busy)},
                              {"shared memory", wavefronts * kWavefrontBytes / (reached * kWavefrontBytes * card.ghz)},
                              {"device tensor", tensor * sms / reached}},
                             runs);
  part.light_ns = std::max({(plain + copied) / card.dram_gbps, operations / peak_ops, tensor}) * runs;
  part.details = {{"threads a block", of.threads, "checked"},
                  {"shared bytes a block", of.shared_bytes, "checked"},
                  {"barriers a block", of.barriers.value(sizes), "checked"},
                  {"blocks an SM", static_cast<double>(resident), "specification limits"},
                  {"bytes moved", plain + copied, "model"},
                  {"wavefronts of shared memory", wavefronts, "model"},
                  {"operations issued", operations, "model"}};
  if (region.registers > 0) {
    part.details.push_back({"registers a thread", static_cast<double>(region.registers), "ptxas"});
  }
  if (copied > 0) part.details.push_back({"bytes in flight", concurrent * of.bytes_in_flight, "model"});
  if (tensor > 0) part.details.push_back({"multiply-adds", of.multiply_adds.value(sizes) * blocks, "checked"});
  part.details.push_back({"memory efficiency", kMemoryEfficiency, "assumed"});
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

Sizes counted_sizes(const Cost& cost, Sizes given) {
  for (const std::string& number : cost.numbers) given.emplace(number, kGuessedTurns);
  return given;
}

Prediction price(const Cost& cost, const Pricing& pricing, const Sizes& given) {
  const MachineProfile& profile = *pricing.profile;
  Prediction prediction;
  prediction.sizes = given;
  const Sizes sizes = counted_sizes(cost, given);
  bool has_device = false;
  bool has_wide = false;
  const HostTime sequential = host_time(cost.sequential, 1, pricing, sizes, 1);
  if (sequential.ns > 0)
    prediction.parts.push_back({"sequential", sequential.ns, sequential.bound, sequential.light_ns, false});
  for (const Region& region : cost.regions) {
    (region.device ? has_device : has_wide) = true;
    if (!region.device) {
      price_host_region(region, pricing, sizes, prediction);
    } else if (region.kind == RegionKind::Device) {
      price_device_region(region, pricing, sizes, prediction);
    } else if (region.kind == RegionKind::Tensor) {
      price_tensor(region, pricing, sizes, prediction);
    } else {
      price_cooperative(region, pricing, sizes, prediction);
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
  const Work straight = cost.sequential.total();
  if (const double made = straight.allocations.value(sizes); made > 0) {
    const double bytes = straight.zeroed_bytes.value(sizes);
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
  low.insert(prediction.guessed.begin(), prediction.guessed.end());
  if (has_device) low.insert("device work is priced by a model");
  if (has_wide) medium.insert("a region runs on the lanes of the pool");
  const auto is_scattered = [](const Code& code) {
    return std::ranges::any_of(code.bodies, [](const auto& body) { return !body.second.irregular().is_zero(); });
  };
  const bool is_irregular =
      is_scattered(cost.sequential) ||
      std::ranges::any_of(cost.regions, [&](const Region& region) { return is_scattered(region.per_index); });
  if (is_irregular) (prediction.bound == "irregular" ? low : medium).insert("an index rests on data");
  if (!cost.extents.empty() && given.empty()) low.insert("no size was given");
  for (const std::string& number : cost.numbers) {
    if (!given.contains(number))
      low.insert("no " + number + " was given, it is taken for " + number_text(kGuessedTurns));
  }
  for (const std::string& extent : cost.extents) {
    if (!given.empty() && !given.contains(extent)) low.insert("no size was given for " + extent);
  }
  if (profile.origin != "measured") medium.insert("the profile was not measured on this machine");
  if (pricing.other_arch) medium.insert("the costs are those of another architecture, " + pricing.arch);
  prediction.confidence = !low.empty() ? "low" : !medium.empty() ? "medium" : "high";
  prediction.why.assign(low.begin(), low.end());
  prediction.why.insert(prediction.why.end(), medium.begin(), medium.end());
  return prediction;
}

}  // namespace cairn::predict
