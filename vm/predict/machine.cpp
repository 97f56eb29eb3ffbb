#include "vm/predict/machine.hpp"

#include <cmath>

namespace cairn::predict {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::string_view kSchema = "cairn.machine/1";

struct BuiltIn {
  std::string_view kind;
  double scalar = 0;
  double vector = 0;  // 0: the kind keeps a body scalar
};
/// What the tiers took on a server processor with AVX-512 at 3 GHz: an order of magnitude, until a machine is measured.
constexpr std::array<BuiltIn, kOperationKinds.size()> kBuiltIn = {{
    {"int", 0.08},
    {"int_checked", 0.15},
    {"int_fold", 0.28},
    {"mul", 0.13},
    {"mul_checked", 0.27},
    {"div", 1.5},
    {"index_checked", 0.15, 0.005},
    {"f32", 0.08, 0.008},
    {"f64", 0.08, 0.04},
    {"f32_div", 0.6, 0.19},
    {"f64_div", 0.9, 0.55},
    {"f32_fold", 0.55},
    {"f64_fold", 0.55},
    {"compare", 0.08},
    {"branch", 0.1},
    {"convert", 0.1},
    {"convert_guard", 0.1},
    {"shift_guard", 0.05},
    {"load", 0.06, 0.01},
    {"store", 0.13, 0.04},
    {"bounds_guard", 0.05, 0.005},
    {"collect", 0.4},
    {"call", 1.3},
    {"indirect", 3},
    {"atomic", 8},
    {"io", 400},
    {"wait", 5000},
    {"frame", 0.6},      // a call of itself beside what it is made of; some levels of recursion are taken in
    {"branch_miss", 5},  // some fifteen turns of the clock
}};

Json bandwidths(const std::array<Bandwidth, 4>& of) {
  Json record = Json::object();
  for (std::size_t k = 0; k < kLevels.size(); ++k)
    record[std::string(kLevels[k])] = {{"1", of[k].one}, {"all", of[k].all}};
  return record;
}

/// Reads numbers of a record; the first that is missing or out of range is remembered.
class Reader {
 public:
  std::string fault;

  const Json& member(const Json& object, const std::string& key) {
    static const Json kNothing;
    if (object.is_object() && object.contains(key)) return object[key];
    if (fault.empty()) fault = "it has no " + key;
    return kNothing;
  }

  double number(const Json& object, const std::string& key) {
    const Json& found = member(object, key);
    if (found.is_number() && std::isfinite(found.get<double>()) && found.get<double>() >= 0) return found.get<double>();
    if (fault.empty()) fault = key + " is no number from 0 up";
    return 0;
  }

  void bandwidths_of(const Json& object, const std::string& key, std::array<Bandwidth, 4>& into) {
    for (std::size_t k = 0; k < kLevels.size(); ++k) {
      const Json& level = member(member(object, key), std::string(kLevels[k]));
      into[k] = {number(level, "1"), number(level, "all")};
      if (fault.empty() && (into[k].one <= 0 || into[k].all <= 0)) fault = "a bandwidth under " + key + " is 0";
    }
  }
};

}  // namespace

const MachineProfile& built_in_profile() {
  static const MachineProfile kProfile = [] {
    MachineProfile profile;
    profile.name = "cairn-vm";
    profile.origin = "specification";
    profile.notes =
        "an order of magnitude of the machine's own tiers, not measured here; cairn doctor --calibrate FILE measures";
    profile.lanes = 8;
    profile.cores = 8;
    profile.ghz = 3;
    profile.cache = {32768, 1048576, 33554432};
    profile.read = {{{230, 1800}, {160, 1200}, {28, 160}, {14, 80}}};
    profile.write = {{{240, 1900}, {60, 480}, {28, 160}, {9, 60}}};
    OperationTable table;
    for (const BuiltIn& each : kBuiltIn) {
      table.scalar[std::string(each.kind)] = each.scalar;
      if (each.vector > 0) {
        table.vector[std::string(each.kind)] = each.vector;
      } else {
        table.keeps_scalar.emplace(each.kind);
      }
    }
    profile.ops["x86_64"] = table;
    profile.ops["aarch64"] = table;
    profile.fork_ns = 4000;
    profile.per_lane_ns = 900;
    profile.spawn_ns = 60000;
    profile.alloc_ns = 20;
    profile.page_ns = 700;
    profile.irregular_ns = {0.3, 0.5, 4, 20};
    profile.atomic_ns = 20;
    return profile;
  }();
  return kProfile;
}

std::expected<MachineProfile, std::string> profile_from(const Json& record) {
  if (!record.is_object() || !record.contains("schema") || record["schema"] != kSchema) {
    return std::unexpected("its schema is not " + std::string(kSchema));
  }
  Reader reader;
  MachineProfile profile;
  const auto word = [&](const char* key) {
    const Json& found = reader.member(record, key);
    if (found.is_string()) return found.get<std::string>();
    if (reader.fault.empty()) reader.fault = std::string(key) + " is no text";
    return std::string();
  };
  profile.name = word("name");
  profile.origin = word("origin");
  profile.notes = word("notes");
  if (reader.fault.empty() && profile.origin != "measured" && profile.origin != "specification") {
    return std::unexpected("origin is measured or specification");
  }
  const Json& host = reader.member(record, "host");
  profile.lanes = reader.number(host, "lanes");
  profile.cores = reader.number(host, "cores");
  profile.ghz = reader.number(host, "ghz");
  for (std::size_t k = 0; k < 3; ++k) {
    profile.cache[k] = reader.number(reader.member(host, "cache"), std::string(kLevels[k]));
  }
  reader.bandwidths_of(host, "read", profile.read);
  reader.bandwidths_of(host, "write", profile.write);
  const Json& ops = reader.member(host, "ops");
  const Json none = Json::object();
  const Json& tables_of = ops.is_object() ? ops : none;
  for (const auto& [arch, tables] : tables_of.items()) {
    OperationTable& table = profile.ops[arch];
    for (const char* form : {"vector", "scalar"}) {
      const Json& costs = reader.member(tables, form);
      if (!costs.is_object()) continue;
      for (const auto& [kind, cost] : costs.items()) {
        (std::string_view(form) == "vector" ? table.vector : table.scalar)[kind] = reader.number(costs, kind);
      }
    }
    const Json& keeps = reader.member(tables, "keeps_scalar");
    for (const Json& kind : keeps.is_array() ? keeps : Json::array()) {
      if (kind.is_string()) table.keeps_scalar.insert(kind.get<std::string>());
    }
  }
  const Json& pool = reader.member(host, "pool");
  profile.fork_ns = reader.number(pool, "fork_ns");
  profile.per_lane_ns = reader.number(pool, "per_lane_ns");
  profile.cutoff = reader.number(pool, "cutoff");
  profile.grain = reader.number(pool, "grain");
  profile.spawn_ns = reader.number(host, "spawn_ns");
  profile.alloc_ns = reader.number(host, "alloc_ns");
  profile.page_ns = reader.number(host, "page_ns");
  profile.mapped_bytes = reader.number(host, "mapped_bytes");
  for (std::size_t k = 0; k < kLevels.size(); ++k) {
    profile.irregular_ns[k] = reader.number(reader.member(host, "irregular_ns"), std::string(kLevels[k]));
  }
  profile.atomic_ns = reader.number(reader.member(host, "atomic_ns"), "shared");
  profile.measured_bytes = reader.number(host, "measured_bytes");
  if (reader.fault.empty() && (profile.lanes < 1 || profile.cores < 1 || profile.ghz <= 0)) {
    reader.fault = "lanes, cores and ghz are more than 0";
  }
  if (!reader.fault.empty()) return std::unexpected(reader.fault);
  return profile;
}

Json record_of(const MachineProfile& profile) {
  Json ops = Json::object();
  for (const auto& [arch, table] : profile.ops) {
    ops[arch] = {{"vector", table.vector}, {"scalar", table.scalar}, {"keeps_scalar", table.keeps_scalar}};
  }
  Json irregular = Json::object();
  for (std::size_t k = 0; k < kLevels.size(); ++k) irregular[std::string(kLevels[k])] = profile.irregular_ns[k];
  return {{"schema", kSchema},
          {"name", profile.name},
          {"origin", profile.origin},
          {"notes", profile.notes},
          {"host",
           {{"lanes", profile.lanes},
            {"cores", profile.cores},
            {"ghz", profile.ghz},
            {"cache", {{"l1", profile.cache[0]}, {"l2", profile.cache[1]}, {"l3", profile.cache[2]}}},
            {"read", bandwidths(profile.read)},
            {"write", bandwidths(profile.write)},
            {"ops", std::move(ops)},
            {"pool",
             {{"fork_ns", profile.fork_ns},
              {"per_lane_ns", profile.per_lane_ns},
              {"cutoff", profile.cutoff},
              {"grain", profile.grain}}},
            {"spawn_ns", profile.spawn_ns},
            {"alloc_ns", profile.alloc_ns},
            {"page_ns", profile.page_ns},
            {"mapped_bytes", profile.mapped_bytes},
            {"irregular_ns", std::move(irregular)},
            {"atomic_ns", {{"shared", profile.atomic_ns}}},
            {"measured_bytes", profile.measured_bytes}}},
          {"device", nullptr}};
}

}  // namespace cairn::predict
