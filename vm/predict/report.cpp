#include "vm/predict/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace cairn::predict {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::array<double, 3> kDefaultSizes = {1e3, 1e5, 1e7};
constexpr double kLargestShown = 1e9;  // a formula is looked at up to here

std::string short_number(double value) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.2g", value);
  return buffer.data();
}

/// Over one extent: the slope of each stretch between changes of what bounds it, `0.11 ns*n (memory (l1), up to
/// n=4.1e+03); ...`.
std::string formula_of(const Cost& cost, const Pricing& pricing) {
  if (cost.extents.empty()) return time_text(price(cost, pricing, {}).ns);
  if (cost.extents.size() > 1) {
    std::string names;
    for (const std::string& extent : cost.extents) names += (names.empty() ? "" : ", ") + extent;
    return "over " + names;
  }
  const std::string& extent = cost.extents.front();
  std::string text;
  double from = 16;
  while (from < kLargestShown) {
    const Prediction first = price(cost, pricing, {{extent, from}});
    double to = from;
    while (to < kLargestShown) {
      const double next = to * 1.25;
      if (price(cost, pricing, {{extent, next}}).bound != first.bound) break;
      to = next;
    }
    const Prediction last = price(cost, pricing, {{extent, std::max(to, from * 1.01)}});
    const double slope = (last.ns - first.ns) / (last.sizes.at(extent) - from);
    const double base = std::max(0.0, first.ns - slope * from);
    std::string stretch;
    if (base >= 1) stretch = time_text(base) + " + ";
    stretch += short_number(slope) + " ns*" + extent + " (" + first.bound;
    if (to < kLargestShown) stretch += ", up to " + extent + "=" + short_number(to);
    stretch += ")";
    if (!text.empty()) text += "; ";
    text += stretch;
    from = std::max(to, from) * 1.25;
  }
  return text;
}

}  // namespace

std::string sizes_text(const Sizes& sizes) {
  std::string text;
  for (const auto& [name, size] : sizes) {
    std::array<char, 32> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%g", size);
    text += (text.empty() ? "" : ", ") + name + "=" + buffer.data();
  }
  return text;
}

FunctionReport report_on(const Cost& cost, const Pricing& pricing, const std::vector<Sizes>& points) {
  FunctionReport report;
  report.cost = &cost;
  report.formula = formula_of(cost, pricing);
  for (const Sizes& point : points) {
    Sizes own;
    for (const std::string& extent : cost.extents) {
      if (const auto given = point.find(extent); given != point.end()) own.insert(*given);
    }
    const bool is_sized = cost.extents.empty() || !own.empty();
    for (const std::string& number : cost.numbers) {
      if (const auto given = point.find(number); given != point.end()) own.insert(*given);
    }
    if (is_sized) report.predictions.push_back(price(cost, pricing, own));
    if (cost.extents.empty() && cost.numbers.empty()) break;
  }
  if (!report.predictions.empty()) return report;
  if (cost.extents.empty()) report.predictions.push_back(price(cost, pricing, {}));
  if (cost.extents.size() == 1) {
    for (const double size : kDefaultSizes)
      report.predictions.push_back(price(cost, pricing, {{cost.extents.front(), size}}));
  }
  return report;
}

namespace {

Json work_record(const Code& code) {
  const Work work = code.total();
  Json ops = Json::object();
  for (const auto& [kind, count] : work.ops) {
    if (!count.is_zero()) ops[kind] = count.text();
  }
  Json record = {{"ops", std::move(ops)},
                 {"bytes_read", work.bytes_read().text()},
                 {"bytes_written", work.bytes_written().text()}};
  if (!work.irregular().is_zero()) record["irregular_accesses"] = work.irregular().text();
  return record;
}

}  // namespace

Json record_of(const FunctionReport& report) {
  const Cost& cost = *report.cost;
  Json record = {{"line", cost.line}, {"extents", cost.extents}, {"sequential", work_record(cost.sequential)}};
  record["regions"] = Json::array();
  for (const Region& region : cost.regions) {
    Json entry = {{"kind", text(region.kind)},
                  {"line", region.line},
                  {"count", region.count.text()},
                  {"runs", region.runs.text()},
                  {"per_index", work_record(region.per_index)}};
    if (!region.plan.items.empty()) entry["plan"] = region.plan.items;
    if (!region.multiply_adds.is_zero()) entry["multiply_adds"] = region.multiply_adds.text();
    if (region.cooperation) {
      const Cooperation& of = *region.cooperation;
      entry["cooperative"] = {{"threads", static_cast<std::uint64_t>(of.threads)},
                              {"shared_bytes", static_cast<std::uint64_t>(of.shared_bytes)},
                              {"barriers", of.barriers.text()},
                              {"wavefronts", of.wavefronts.text()},
                              {"copied_bytes", of.copied_bytes.text()},
                              {"bytes_in_flight", static_cast<std::uint64_t>(of.bytes_in_flight)},
                              {"multiply_adds", of.multiply_adds.text()},
                              {"finish", of.is_finish}};
    }
    record["regions"].push_back(std::move(entry));
  }
  if (!cost.tasks.is_zero()) record["tasks"] = cost.tasks.text();
  if (!cost.transfers.empty()) {
    record["transfers"] = Json::array();
    for (const Transfer& each : cost.transfers) {
      record["transfers"].push_back(
          {{"direction", each.direction}, {"bytes", each.bytes.text()}, {"runs", each.runs.text()}});
    }
  }
  if (const Polynomial bytes = cost.sequential.total().zeroed_bytes; !bytes.is_zero()) {
    record["allocated_bytes"] = bytes.text();
  }
  record["formula"] = report.formula;
  record["predictions"] = Json::array();
  for (const Prediction& each : report.predictions) {
    Json parts = Json::array();
    for (const PricedPart& part : each.parts) {
      parts.push_back({{"what", part.what}, {"ns", rounded_ns(part.ns)}, {"bound", part.bound}});
      for (const PricedDetail& detail : part.details) {
        parts.back()["figures"][detail.what] = {{"value", detail.value}, {"source", detail.source}};
      }
    }
    Json sizes = Json::object();
    for (const auto& [name, size] : each.sizes) {
      const bool is_whole = size == std::floor(size) && size < 1e15;
      sizes[name] = is_whole ? Json(static_cast<std::uint64_t>(size)) : Json(size);
    }
    record["predictions"].push_back({{"sizes", std::move(sizes)},
                                     {"ns", rounded_ns(each.ns)},
                                     {"bound", each.bound},
                                     {"speed_of_light", std::round(each.speed_of_light * 1000) / 1000},
                                     {"confidence", each.confidence},
                                     {"why", each.why},
                                     {"parts", std::move(parts)},
                                     {"measure", "cairn run --profile"}});
  }
  if (!cost.guessed.empty()) record["unknown"] = cost.guessed;
  return record;
}

std::string for_people(const std::string& name, const FunctionReport& report) {
  std::string out = name + "  " + report.formula + "\n";
  for (const Prediction& each : report.predictions) {
    std::array<char, 256> line{};
    const std::string sizes = each.sizes.empty() ? "once" : sizes_text(each.sizes);
    std::snprintf(line.data(), line.size(), "  %-15s %8s  %-18s %4.0f%% of speed of light    %s\n", sizes.c_str(),
                  time_text(each.ns).c_str(), each.bound.c_str(), 100 * each.speed_of_light, each.confidence.c_str());
    out += line.data();
    for (const PricedPart& part : each.parts) {
      if (part.details.empty()) continue;
      out += "    " + part.what + ": " + time_text(part.ns) + "  " + part.bound + "\n";
      for (const PricedDetail& detail : part.details) {
        std::snprintf(line.data(), line.size(), "      %-28s %12.6g [%.*s]\n", detail.what.c_str(), detail.value,
                      static_cast<int>(detail.source.size()), detail.source.data());
        out += line.data();
      }
    }
  }
  return out;
}

}  // namespace cairn::predict
