#include "vm/predict/roofline.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace cairn::predict {
namespace {

constexpr double kWidth = 860, kHeight = 520, kLeft = 70, kRight = 190, kTop = 50, kBottom = 60;

struct Roof {
  std::string name;
  double rate = 0;  // GB/s of a slope, Gop/s of a ceiling
  bool is_slope = false;
  bool of_card = false;
};

double work_operations(const Work& work, const Sizes& sizes) {
  double sum = 0;
  for (const auto& [kind, count] : work.ops) sum += count.value(sizes);
  return sum;
}

double work_bytes(const Work& work, const Sizes& sizes) {
  return work.bytes_read().value(sizes) + work.bytes_written().value(sizes);
}

std::vector<Roof> roofs_of(const Pricing& pricing, bool with_card) {
  const MachineProfile& profile = *pricing.profile;
  std::vector<Roof> roofs;
  for (std::size_t level = 0; level < kLevels.size(); ++level) {
    roofs.push_back({std::string(kLevels[level]), profile.read[level].all, true, false});
  }
  // The floors of 12.2: an operation takes at least 1/(8 ghz) ns, 1/(64 ghz) where it is a part of a vector.
  roofs.push_back({"scalar", 8 * profile.ghz * profile.lanes, false, false});
  roofs.push_back({"vector", 64 * profile.ghz * profile.lanes, false, false});
  if (with_card && pricing.card != nullptr) {
    roofs.push_back({std::string(pricing.card->key) + " memory", pricing.card->dram_gbps, true, true});
    roofs.push_back({std::string(pricing.card->key) + " i32", pricing.card->i32 * 1000, false, true});
  }
  std::erase_if(roofs, [](const Roof& roof) { return !(roof.rate > 0) || !std::isfinite(roof.rate); });
  return roofs;
}

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

std::string escaped(std::string_view words) {
  std::string text;
  for (const char c : words) {
    if (c == '<')
      text += "&lt;";
    else if (c == '>')
      text += "&gt;";
    else if (c == '&')
      text += "&amp;";
    else if (c == '"')
      text += "&quot;";
    else
      text += c;
  }
  return text;
}

/// Whole powers of ten that hold all values.
struct Axis {
  int least = 0, most = 0;
  double from = 0, to = 0;  // on the picture
  void hold(double value) {
    least = std::min(least, static_cast<int>(std::floor(std::log10(value))));
    most = std::max(most, static_cast<int>(std::ceil(std::log10(value))));
  }
  [[nodiscard]] double at(double value) const {
    const double part = (std::log10(value) - least) / (most - least);
    return from + (to - from) * std::clamp(part, 0.0, 1.0);
  }
};

std::string line(double x1, double y1, double x2, double y2, std::string_view style) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) + "\" y2=\"" + number(y2) +
         "\" " + std::string(style) + "/>\n";
}

std::string label(double x, double y, std::string_view words, std::string_view style = "") {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" " + std::string(style) + ">" + escaped(words) +
         "</text>\n";
}

}  // namespace

RooflinePoint roofline_point(std::string name, const Cost& cost, const Prediction& prediction) {
  RooflinePoint point;
  point.name = std::move(name);
  const Work straight = cost.sequential.total();
  const Sizes sizes = counted_sizes(cost, prediction.sizes);
  point.operations = work_operations(straight, sizes);
  point.bytes = work_bytes(straight, sizes);
  for (const Region& region : cost.regions) {
    const double times = region.count.value(sizes) * region.runs.value(sizes);
    const double threads = region.cooperation ? region.cooperation->threads : 1;
    const Work work = region.per_index.total();
    point.operations += times * (threads * work_operations(work, sizes) + 2 * region.multiply_adds.value(sizes));
    point.bytes += times * threads * work_bytes(work, sizes);
    if (region.cooperation) {
      point.operations += 2 * times * region.cooperation->multiply_adds.value(sizes);
      point.bytes += times * region.cooperation->copied_bytes.value(sizes);
    }
    point.on_device = point.on_device || region.device;
  }
  point.ns = prediction.ns;
  point.confidence = prediction.confidence;
  return point;
}

std::string roofline_svg(const Pricing& pricing, const std::vector<RooflinePoint>& points, std::string_view headline) {
  const bool with_card = std::ranges::any_of(points, &RooflinePoint::on_device);
  const std::vector<Roof> roofs = roofs_of(pricing, with_card);
  Axis x{-2, 2, kLeft, kWidth - kRight};
  Axis y{0, 2, kHeight - kBottom, kTop};
  for (const Roof& roof : roofs) {
    if (!roof.is_slope) y.hold(roof.rate);
  }
  for (const RooflinePoint& point : points) {
    if (point.operations > 0 && point.ns > 0) y.hold(point.operations / point.ns);
    if (point.operations > 0 && point.bytes > 0) x.hold(point.operations / point.bytes);
  }
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(kWidth) + "\" height=\"" + number(kHeight) +
      "\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  svg += label(kLeft, 24, headline, "font-size=\"14\"");
  for (int power = x.least; power <= x.most; ++power) {
    const double at = x.at(std::pow(10.0, power));
    svg += line(at, y.from, at, y.to, "stroke=\"#ddd\"");
    svg += label(at, y.from + 18, "1e" + std::to_string(power), "text-anchor=\"middle\"");
  }
  for (int power = y.least; power <= y.most; ++power) {
    const double at = y.at(std::pow(10.0, power));
    svg += line(x.from, at, x.to, at, "stroke=\"#ddd\"");
    svg += label(x.from - 6, at + 4, "1e" + std::to_string(power), "text-anchor=\"end\"");
  }
  svg += label((x.from + x.to) / 2, kHeight - 14, "operations for each byte moved", "text-anchor=\"middle\"");
  svg += "<text transform=\"translate(18," + number((y.from + y.to) / 2) +
         ") rotate(-90)\" text-anchor=\"middle\">operations a nanosecond</text>\n";

  const double first_x = std::pow(10.0, x.least), last_x = std::pow(10.0, x.most);
  const double first_y = std::pow(10.0, y.least);
  for (const bool of_card : {false, true}) {
    double ceiling = 0;
    for (const Roof& roof : roofs) {
      if (!roof.is_slope && roof.of_card == of_card) ceiling = std::max(ceiling, roof.rate);
    }
    const std::string stroke = of_card ? "stroke=\"#393\" stroke-dasharray=\"6 3\"" : "stroke=\"#36c\"";
    for (const Roof& roof : roofs) {
      if (roof.of_card != of_card) continue;
      if (roof.is_slope) {
        const double begin = std::max(first_x, first_y / roof.rate);
        const double end = std::min(last_x, ceiling / roof.rate);
        if (begin >= end) continue;
        svg += line(x.at(begin), y.at(begin * roof.rate), x.at(end), y.at(end * roof.rate), stroke);
        svg += label(x.at(begin) + 4, y.at(begin * roof.rate) - 4, roof.name + " " + number(roof.rate) + " GB/s",
                     "fill=\"#555\"");
      } else {
        svg += line(x.from, y.at(roof.rate), x.to, y.at(roof.rate), stroke);
        svg += label(x.to + 4, y.at(roof.rate) + 4, roof.name + " " + number(roof.rate) + " Gop/s", "fill=\"#555\"");
      }
    }
  }
  for (const RooflinePoint& point : points) {
    if (point.operations <= 0 || point.ns <= 0) continue;
    const double rate = point.operations / point.ns;
    // What moves no bytes is bound by arithmetic alone: it stands at the right edge.
    const double at_x = point.bytes > 0 ? x.at(point.operations / point.bytes) : x.to;
    const std::string fill = point.confidence == "high" ? "#080" : point.confidence == "medium" ? "#c70" : "#c00";
    svg += "<circle cx=\"" + number(at_x) + "\" cy=\"" + number(y.at(rate)) + "\" r=\"4\" fill=\"" + fill +
           "\"><title>" + escaped(point.name + ": " + time_text(point.ns) + ", confidence " + point.confidence) +
           "</title></circle>\n";
    svg += label(at_x + 7, y.at(rate) + 4, point.name + (point.bytes > 0 ? "" : " (no traffic)"));
  }
  return svg + label(kLeft, 42, "green: high confidence, orange: medium, red: low", "fill=\"#555\"") + "</svg>\n";
}

}  // namespace cairn::predict
