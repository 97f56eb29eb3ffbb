#include "vm/predict/cards.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <nlohmann/json.hpp>

namespace cairn::predict {

namespace {

constexpr std::array kCards = {
    Card{"a100-sxm4-80gb", "NVIDIA A100 SXM4 80GB", 8, 0, 108, 64, 1.41, 2039, 19.5, 19.5, 9.7, 156, 312, 0, 0, 32,
         "NVIDIA A100 Tensor Core GPU data sheet", false},
    Card{"b200-hgx", "NVIDIA B200 (HGX)", 10, 0, 148, 128, 1.979, 7700, 75, 37.5, 37, 1125, 2250, 4500, 9000, 64,
         "NVIDIA HGX B200 data sheet", true},
    Card{"h100-sxm5", "NVIDIA H100 SXM5", 9, 0, 132, 128, 1.98, 3352, 66.9, 33.5, 33.5, 494.7, 989.4, 1978.9, 0, 64,
         "NVIDIA H100 Tensor Core GPU architecture", false},
    Card{"h200-sxm", "NVIDIA H200 SXM", 9, 0, 132, 128, 1.98, 4800, 67, 33.5, 34, 494.5, 989.5, 1979, 0, 64,
         "NVIDIA H200 Tensor Core GPU data sheet", true},
    Card{"l40s", "NVIDIA L40S", 8, 9, 142, 128, 2.52, 864, 91.6, 45.8, 1.431, 183, 362.05, 733, 0, 32,
         "NVIDIA L40S data sheet", true},
    Card{"rtx-4090", "NVIDIA GeForce RTX 4090", 8, 9, 128, 128, 2.52, 1008, 82.6, 41.3, 1.290, 82.6, 165.2, 330.3, 0,
         32, "NVIDIA Ada GPU architecture", false},
    Card{"rtx-5070-ti", "NVIDIA GeForce RTX 5070 Ti", 12, 0, 70, 128, 2.452, 896, 43.94, 43.94, 0.6866, 0, 87.9, 175.8,
         0, 64, "NVIDIA RTX Blackwell GPU architecture", false},
    Card{"rtx-5090", "NVIDIA GeForce RTX 5090", 12, 0, 170, 128, 2.407, 1792, 104.8, 104.8, 1.638, 104.8, 209.5, 419,
         1676, 64, "NVIDIA RTX Blackwell GPU architecture", false},
};

nlohmann::ordered_json or_null(double figure) {
  return figure == 0 ? nlohmann::ordered_json() : nlohmann::ordered_json(figure);
}

}  // namespace

std::string Card::target() const {
  return "sm_" + std::to_string(major) + std::to_string(minor) + (major >= 9 ? "a" : "");
}

int Card::shared_per_sm() const {
  if (major == 8 && minor == 0) return 167'936;
  return major == 9 || major == 10 ? 233'472 : 102'400;
}

std::span<const Card> cards() { return kCards; }

std::expected<const Card*, Diagnostic> card_named(std::string_view name) {
  std::vector<const Card*> found;
  for (const Card& card : kCards) {
    if (card.key == name) return &card;
    if (card.key.starts_with(name) && card.key.size() > name.size() && card.key[name.size()] == '-')
      found.push_back(&card);
  }
  if (found.size() == 1 && !name.empty()) return found.front();
  std::string keys;
  for (const Card& card : kCards) keys += (keys.empty() ? "" : ", ") + std::string(card.key);
  Diagnostic refusal;
  refusal.code = Code::DeviceCard;
  refusal.message = std::string(name) + (found.empty() ? " is no card" : " is the start of several cards") +
                    "; the cards are " + keys + ".";
  return std::unexpected(std::move(refusal));
}

nlohmann::ordered_json record_of(const Card& card) {
  nlohmann::ordered_json derived = nlohmann::ordered_json::array();
  if (card.ghz_is_derived) derived.push_back("ghz");
  return {{"key", card.key},
          {"name", card.name},
          {"compute_capability", card.capability()},
          {"target", card.target()},
          {"sms", card.sms},
          {"cores_per_sm", card.cores_per_sm},
          {"ghz", card.ghz},
          {"dram_gbps", card.dram_gbps},
          {"link_gbps", card.link_gbps},
          {"flops",
           {{"f32", card.f32},
            {"i32", card.i32},
            {"f64", card.f64},
            {"tensor_tf32", or_null(card.tensor_tf32)},
            {"tensor_f16", or_null(card.tensor_f16)},
            {"tensor_f8", or_null(card.tensor_f8)},
            {"tensor_f4", or_null(card.tensor_f4)}}},
          {"threads_per_sm", card.threads_per_sm()},
          {"blocks_per_sm", card.blocks_per_sm()},
          {"shared_per_sm", card.shared_per_sm()},
          {"shared_per_block", card.shared_per_block()},
          {"registers_per_sm", kRegistersPerSm},
          {"threads_per_block", kThreadsPerBlock},
          {"assumed",
           {{"launch_ns", kLaunchNs},
            {"link_ns", kLinkNs},
            {"memory_efficiency", kMemoryEfficiency},
            {"occupancy_to_saturate", kOccupancyToSaturate},
            {"memory_latency_ns", kMemoryLatencyNs}}},
          {"derived", std::move(derived)},
          {"source", card.source}};
}

int resident_blocks(const Card& card, int threads, int registers, int shared_bytes) {
  if (threads > kThreadsPerBlock || shared_bytes > card.shared_per_block() || registers > 255) return 0;
  const int warps = std::max(1, (threads + 31) / 32);
  int blocks = std::min(card.blocks_per_sm(), card.threads_per_sm() / (32 * warps));
  if (registers > 0) {
    const int per_warp = (32 * registers + 255) / 256 * 256;
    if (per_warp * warps > kRegistersPerSm) return 0;
    blocks = std::min(blocks, kRegistersPerSm / 4 / per_warp * 4 / warps);
  }
  if (shared_bytes > 0) blocks = std::min(blocks, card.shared_per_sm() / ((shared_bytes + 1024 + 127) / 128 * 128));
  return blocks;
}

}  // namespace cairn::predict
