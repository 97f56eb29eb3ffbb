#include "vm/predict/price.hpp"

#include <catch2/catch.hpp>

#include "vm/predict/cards.hpp"
#include "vm/predict/fit.hpp"

using namespace cairn::predict;

namespace {

/// A machine whose vector code is ten times as fast as its scalar code, and whose memory never decides.
MachineProfile quick_vectors() {
  MachineProfile profile = built_in_profile();
  profile.read.fill({1e6, 1e6});
  profile.write.fill({1e6, 1e6});
  OperationTable table;
  table.scalar = {{"f32", 1.0}, {"load", 1.0}, {"div", 5.0}};
  table.vector = {{"f32", 0.1}, {"load", 0.1}};
  table.keeps_scalar = {"div"};
  profile.ops = {{"x86_64", table}};
  return profile;
}

Pricing on(const MachineProfile& profile) { return {&profile, "x86_64", *card_named("h100"), false}; }

Work products(double count) {
  Work work;
  work.ops["f32"] = Polynomial(count);
  return work;
}

Cost with(Region region) {
  Cost cost;
  cost.regions.push_back(std::move(region));
  return cost;
}

}  // namespace

TEST_CASE("costs are what loops of several kinds have in common, and none is below zero", "[predict]") {
  const auto costs = fitted_costs({{{{"load", 1}, {"store", 1}}, 0.5},
                                   {{{"load", 1}, {"store", 1}, {"f32", 4}}, 2.5},
                                   {{{"load", 3}, {"store", 1}, {"f32", 2}}, 2.1}});
  CHECK(costs.at("f32") == Approx(0.5).epsilon(1e-3));
  CHECK(costs.at("load") == Approx(0.3).epsilon(1e-3));
  CHECK(costs.at("store") == Approx(0.2).epsilon(1e-3));
  const auto bounded = fitted_costs({{{{"load", 1}}, 1.0}, {{{"load", 1}, {"f32", 1}}, 0.9}});
  CHECK(bounded.at("f32") == 0);
  CHECK(bounded.at("load") > 0.9);
}

TEST_CASE("each loop is vector or scalar code for itself", "[predict]") {
  const MachineProfile profile = quick_vectors();
  Cost cost;
  cost.sequential.bodies[1] = products(1000);
  CHECK(price(cost, on(profile), {}).ns == Approx(100));
  cost.sequential.bodies[2] = products(1000);
  cost.sequential.bodies[2].ops["div"] = Polynomial(100.0);  // keeps its loop scalar, not the other
  CHECK(price(cost, on(profile), {}).ns == Approx(100 + 1500));
}

TEST_CASE("a loop whose accesses stride is no vector code", "[predict]") {
  const MachineProfile profile = quick_vectors();
  Cost cost;
  cost.sequential.bodies[1] = products(1000);
  cost.sequential.bodies[1].strides = true;
  CHECK(price(cost, on(profile), {}).ns == Approx(1000));
}

TEST_CASE("a multiply of whole matrices takes the card's tensor peak or its memory", "[predict]") {
  Region region;
  region.kind = RegionKind::Tensor;
  region.device = true;
  region.count = Polynomial(1.0);
  region.runs = Polynomial(1.0);
  region.multiply_adds = Polynomial(1e12);
  region.per_index.bodies[0].traffic["a"].read = Polynomial(1e6);
  const MachineProfile& profile = built_in_profile();
  Prediction prediction = price(with(region), on(profile), {});
  CHECK(prediction.ns == Approx(8000 + 2e12 / 989.4e3));
  CHECK(prediction.bound == "device tensor");
  region.multiply_adds = Polynomial(1.0);
  region.per_index.bodies[0].traffic["a"].read = Polynomial(1e9);
  prediction = price(with(region), on(profile), {});
  CHECK(prediction.ns == Approx(8000 + 1e9 / (3352 * 0.85)));
  CHECK(prediction.bound == "device memory");
}

TEST_CASE("a cooperative region takes the largest of memory, issue, shared memory and tensor cores", "[predict]") {
  Region region;
  region.kind = RegionKind::Cooperative;
  region.device = true;
  region.count = Polynomial(1000.0);
  region.runs = Polynomial(1.0);
  Cooperation& of = region.cooperation.emplace();
  of.threads = 128;
  of.shared_bytes = 12'000;
  const MachineProfile& profile = built_in_profile();
  const double busy = 1000 * 128 / (132 * 2048 * 0.5);  // 16 blocks fit an SM, so all 1000 run at once
  CHECK(price(with(region), on(profile), {}).ns == Approx(8000));

  region.per_index.bodies[0].traffic["x"].read = Polynomial(1000.0);
  CHECK(price(with(region), on(profile), {}).ns == Approx(8000 + 1000.0 * 128 * 1000 / (3352 * 0.85 * busy)));

  region.per_index.bodies[0].ops["int"] = Polynomial(1e5);
  CHECK(price(with(region), on(profile), {}).ns == Approx(8000 + 1e5 * 128 * 1000 / (33'500 * busy)));

  region.cooperation->wavefronts = Polynomial(1e7);
  CHECK(price(with(region), on(profile), {}).ns == Approx(8000 + 1e7 * 1000 / (132 * 1.98)));
  CHECK(price(with(region), on(profile), {}).bound == "shared memory");

  region.cooperation->multiply_adds = Polynomial(1e11);
  CHECK(price(with(region), on(profile), {}).ns == Approx(8000 + 2e14 / 989.4e3));
  CHECK(price(with(region), on(profile), {}).bound == "device tensor");
}

TEST_CASE("copies into stages go no faster than what is in flight allows, and a finish has no launch", "[predict]") {
  Region region;
  region.kind = RegionKind::Cooperative;
  region.device = true;
  region.count = Polynomial(10.0);
  region.runs = Polynomial(1.0);
  Cooperation& of = region.cooperation.emplace();
  of.threads = 32;
  of.copied_bytes = Polynomial(1e6);
  of.bytes_in_flight = 2048;
  const MachineProfile& profile = built_in_profile();
  CHECK(price(with(region), on(profile), {}).ns == Approx(8000 + 1e7 / (10 * 2048 / 500.0)));
  of.bytes_in_flight = 1e6;  // more than memory gives
  CHECK(price(with(region), on(profile), {}).ns == Approx(8000 + 1e7 / (3352 * 0.85)));
  of.is_finish = true;
  CHECK(price(with(region), on(profile), {}).ns == Approx(1e7 / (3352 * 0.85)));
}

TEST_CASE("a block that no SM holds has no prediction, and the answer says so", "[predict]") {
  Region region;
  region.kind = RegionKind::Cooperative;
  region.device = true;
  region.count = Polynomial(1.0);
  region.runs = Polynomial(1.0);
  region.cooperation.emplace().threads = 2048;
  const Prediction prediction = price(with(region), on(built_in_profile()), {});
  CHECK(prediction.confidence == "low");
  CHECK(std::ranges::any_of(prediction.why, [](const std::string& why) { return why.contains("no prediction"); }));
}

TEST_CASE("an array lies in the cache that holds what is touched before it is needed again", "[predict]") {
  MachineProfile profile = quick_vectors();
  profile.cache = {32768, 1048576, 33554432};
  profile.read = {{{100, 100}, {10, 10}, {1, 1}, {0.1, 0.1}}};
  Cost cost;
  Work& work = cost.sequential.bodies[1];
  work.traffic["row"] = {Polynomial(1e9), {}, {}, Polynomial(8e6), Polynomial(8000)};
  CHECK(price(cost, on(profile), {}).ns == Approx(1e9 / 100));
  CHECK(price(cost, on(profile), {}).bound == "memory (l1)");
  work.traffic["whole"] = {Polynomial(1e9), {}, {}, Polynomial(8e6), Polynomial(8e6)};
  const Prediction both = price(cost, on(profile), {});
  CHECK(both.bound == "memory (l3)");
  CHECK(both.ns < 1e9 / 100 + 1e9);  // the row is where it was, and some of the whole is nearer
  CHECK(both.ns > 1e9 / 100 + 0.8e9);
}
