#include <catch2/catch.hpp>

#include "vm/predict/cards.hpp"
#include "vm/predict/roofline.hpp"

using namespace cairn::predict;

namespace {

/// n additions over n elements of eight bytes, read once.
Cost streaming() {
  Cost cost;
  const Polynomial n = Polynomial::variable("n");
  cost.sequential.bodies[0].ops["f64"] = n;
  cost.sequential.bodies[0].traffic["x"].read = n * Polynomial(8.0);
  cost.extents = {"n"};
  return cost;
}

Pricing on_host() { return {&built_in_profile(), "x86_64", *card_named(kDefaultCard), false}; }

}  // namespace

TEST_CASE("a point of the roofline has the operations and bytes of its sizes, regions included", "[predict]") {
  Cost cost = streaming();
  Prediction prediction;
  prediction.sizes = {{"n", 1000}};
  prediction.ns = 500;
  prediction.confidence = "high";
  CHECK(roofline_point("f", cost, prediction).operations == 1000);
  CHECK(roofline_point("f", cost, prediction).bytes == 8000);
  CHECK_FALSE(roofline_point("f", cost, prediction).on_device);
  Region region;
  region.kind = RegionKind::Device;
  region.device = true;
  region.count = Polynomial::variable("n");
  region.runs = Polynomial(2.0);
  region.per_index.bodies[0].ops["int"] = Polynomial(3.0);
  region.per_index.bodies[0].traffic["y"].written = Polynomial(4.0);
  cost.regions.push_back(region);
  CHECK(roofline_point("f", cost, prediction).operations == 7000);
  CHECK(roofline_point("f", cost, prediction).bytes == 16000);
  CHECK(roofline_point("f", cost, prediction).on_device);
}

TEST_CASE("the plot shows each point once, the card's roofs with device work alone, and escapes names", "[predict]") {
  std::vector<RooflinePoint> points{{"a<b>", 1000, 8000, 500, "high", false}, {"c", 10, 0, 5, "low", false}};
  const auto count = [](const std::string& text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  std::string svg = roofline_svg(on_host(), points, "predicted, not measured: p (specification), x86_64");
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(count(svg, "<circle ") == 2);
  CHECK(svg.contains("a&lt;b&gt;"));
  CHECK_FALSE(svg.contains("a<b>"));
  CHECK(svg.contains("c (no traffic)"));
  CHECK(svg.contains("predicted, not measured"));
  CHECK(svg.contains("dram "));
  CHECK_FALSE(svg.contains(kDefaultCard));
  CHECK_FALSE(svg.contains("\"nan"));
  CHECK_FALSE(svg.contains("inf\""));
  points.front().on_device = true;
  svg = roofline_svg(on_host(), points, "");
  CHECK(svg.contains(std::string(kDefaultCard) + " memory"));
  // Nothing to show is an empty plot, not a fault.
  CHECK(count(roofline_svg(on_host(), {}, ""), "<circle ") == 0);
}
