// The GPUs `cairn predict` can price: published figures (tools, 12.6), and what every one is assumed to have.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "frontend/diagnostics/diagnostic.hpp"

namespace cairn::predict {

struct Card {
  std::string_view key;
  std::string_view name;
  int major = 0;  // compute capability
  int minor = 0;
  int sms = 0;
  int cores_per_sm = 0;
  double ghz = 0;
  double dram_gbps = 0;
  // TFLOPS, dense; 0: none. Tensor figures accumulate in f32.
  double f32 = 0;
  double i32 = 0;
  double f64 = 0;
  double tensor_tf32 = 0;
  double tensor_f16 = 0;
  double tensor_f8 = 0;
  double tensor_f4 = 0;
  double link_gbps = 0;         // each way
  std::string_view source;      // of the figures
  bool ghz_is_derived = false;  // from the peak rate and the cores

  [[nodiscard]] std::string capability() const { return std::to_string(major) + "." + std::to_string(minor); }
  /// `sm_80`; with `a` from 9.0 on: `sm_90a`.
  [[nodiscard]] std::string target() const;
  [[nodiscard]] int threads_per_sm() const { return minor == 9 || major == 12 ? 1536 : 2048; }
  [[nodiscard]] int blocks_per_sm() const { return minor == 9 || major == 12 ? 24 : 32; }
  [[nodiscard]] int shared_per_sm() const;
  [[nodiscard]] int shared_per_block() const { return shared_per_sm() - 1024; }
};

// The same everywhere.
inline constexpr int kRegistersPerSm = 65536;
inline constexpr int kThreadsPerBlock = 1024;
inline constexpr double kLaunchNs = 8000;
inline constexpr double kLinkNs = 10000;
inline constexpr double kMemoryEfficiency = 0.85;
inline constexpr double kOccupancyToSaturate = 0.5;
inline constexpr double kMemoryLatencyNs = 500;
inline constexpr std::string_view kDefaultCard = "rtx-5070-ti";

[[nodiscard]] std::span<const Card> cards();
/// The card of a key, or of the unique start of one before a hyphen; else E-DEVICE-CARD.
[[nodiscard]] std::expected<const Card*, Diagnostic> card_named(std::string_view name);
[[nodiscard]] nlohmann::ordered_json record_of(const Card& card);

/// Blocks of so many threads, registers a thread (0: not read) and shared bytes that one SM holds at once; 0: none.
[[nodiscard]] int resident_blocks(const Card& card, int threads, int registers, int shared_bytes);

}  // namespace cairn::predict
