#include "vm/audit/operands.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <nlohmann/json.hpp>

#include "frontend/project/files.hpp"
#include "runtime/reference/rounding.hpp"
#include "vm/audit/npy.hpp"
#include "vm/testing/contract.hpp"

namespace cairn::audit {

namespace {

using Json = nlohmann::ordered_json;
using reference::Array;
using reference::Format;

constexpr std::string_view kSchema = "cairn.audit-arrays/1";
constexpr std::size_t kMostJson = std::size_t{1} << 20U;
constexpr std::size_t kMostBytes = std::size_t{1} << 32U;

class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

double drawn(Inputs inputs, std::uint64_t x) {
  const double u = std::ldexp(static_cast<double>(x >> 11), -53);
  switch (inputs) {
    case Inputs::Positive:
      return u;
    case Inputs::Ones:
      return 1;
    case Inputs::Wide: {
      const double magnitude = std::ldexp(1 + u, static_cast<int>((x >> 1) % 21) - 10);
      return (x & 1U) != 0 ? -magnitude : magnitude;
    }
    case Inputs::Uniform:
    case Inputs::Cancelling:
      break;
  }
  return 2 * u - 1;
}

/// Every odd product of a sum is the one before it with the sign turned.
void cancel(const Problem& problem, Array& a, Array& b) {
  const std::size_t k = problem.size("k");
  const std::size_t n = problem.size("n");
  for (std::size_t p = 1; p < k; p += 2) {
    for (std::size_t i = 0; i < problem.size("m"); ++i) a.set(i * k + p, a.at(i * k + p - 1).negated());
    for (std::size_t j = 0; j < n; ++j) b.set(p * n + j, b.at((p - 1) * n + j));
  }
}

}  // namespace

std::optional<Inputs> inputs_named(std::string_view name) {
  static constexpr std::string_view kNames[] = {"uniform", "positive", "ones", "wide", "cancelling"};
  const auto* const found = std::ranges::find(kNames, name);
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<Inputs>(found - std::begin(kNames));
}

Case generated(const Problem& problem, const std::map<std::string, Format, std::less<>>& formats, Inputs inputs,
               std::uint64_t seed) {
  SplitMix64 stream(seed);
  Case made;
  const auto fill = [&](std::string_view role, Format format) {
    Array array(format, problem.shape(role));
    for (std::size_t i = 0; i < array.size(); ++i) {
      const reference::Value value = reference::Value::of(drawn(inputs, stream.next()));
      array.set(i, round(value, format, reference::Rounding::NearestEven, reference::Overflow::Saturate, false));
    }
    made.arrays.insert_or_assign(std::string(role), std::move(array));
  };
  static constexpr std::string_view kGenerated[] = {"a", "b", "query", "key", "value", "grad"};
  for (const Role& role : row_of(problem.form).views) {
    const auto format = formats.find(role.name);
    if (format == formats.end()) continue;
    if (role.name == "c" && problem.onto) fill("old", format->second);
    if (std::ranges::find(kGenerated, role.name) != std::end(kGenerated)) fill(role.name, format->second);
  }
  if (problem.form == Form::Matmul && inputs == Inputs::Cancelling) {
    cancel(problem, made.arrays.at("a"), made.arrays.at("b"));
  }
  return made;
}

// ------------------------------------------------------------------------------------------------------------- folders

namespace {

/// What is wrong with a folder: thrown while it is read and caught in read_folder.
struct Malformed {
  std::string why;
};
[[noreturn]] void malformed(std::string why) { throw Malformed{std::move(why)}; }

const Json& member(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) malformed("audit.json has no " + std::string(key));
  return object[key];
}

Problem problem_of(const Json& file) {
  if (member(file, "schema") != kSchema) malformed("the schema of audit.json is not " + std::string(kSchema));
  Problem made;
  const Json& form = member(file, "form");
  const auto known = std::ranges::find_if(forms(), [&](const FormRow& row) { return form == row.name; });
  if (known == forms().end()) malformed("audit.json names no form");
  made.form = known->form;
  const Json& sizes = member(file, "sizes");
  for (const std::string_view name : known->sizes) {
    const Json& size = member(sizes, std::string(name).c_str());
    if (!size.is_number_unsigned()) malformed("the size " + std::string(name) + " is a whole number");
    made.sizes.emplace(name, size.get<std::size_t>());
  }
  const auto truth = [&](const char* key) {
    if (!file.contains(key)) return false;
    if (!file[key].is_boolean()) malformed(std::string(key) + " is true or false");
    return file[key].get<bool>();
  };
  made.onto = truth("onto");
  made.causal = truth("causal");
  if (file.contains("scale") && !file["scale"].is_null()) {
    if (!file["scale"].is_number()) malformed("scale is a number or null");
    made.scale = file["scale"].get<double>();
  }
  return made;
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

Case arrays_of(const std::filesystem::path& folder, const Json& file, const Problem& problem) {
  Case made;
  const Json& arrays = member(file, "arrays");
  if (!arrays.is_object()) malformed("arrays is an object");
  for (const auto& [role, array] : arrays.items()) {
    const bool known = role == "old" || std::ranges::any_of(row_of(problem.form).views,
                                                            [&](const Role& each) { return each.name == role; });
    if (!known) malformed("the form has no array " + role);
    const Json& written = member(array, "format");
    const Json& name = member(array, "file");
    if (!written.is_string() || !name.is_string()) malformed("an array has a format and a file");
    const bool boolean = role == "mask" && written == "bool";
    const auto format = boolean ? Format::F32 : reference::format_named(written.get_ref<const std::string&>());
    if (!format) malformed("there is no format " + written.get<std::string>());
    if (!is_plain_name(name.get_ref<const std::string&>())) malformed("a file is a name in the folder");
    const reference::Shape shape = problem.shape(role);
    const std::size_t count = reference::element_count(shape);
    const std::size_t width = boolean ? 1 : static_cast<std::size_t>(reference::info(*format).bits / 8);
    if (count > kMostBytes / 8) malformed(role + " has too many elements");
    const auto bytes = read_file(folder / name.get<std::string>(), kMostBytes);
    if (!bytes) malformed(name.get<std::string>() + " cannot be read: " + bytes.error());
    std::string_view elements = *bytes;
    if (name.get_ref<const std::string&>().ends_with(".npy")) {
      const auto read = npy_elements(*bytes, *format, boolean, shape);
      if (!read) malformed(name.get<std::string>() + " " + read.error());
      elements = *read;
    } else if (elements.size() != count * width) {
      malformed(name.get<std::string>() + " has " + std::to_string(elements.size()) + " bytes, and " + role + " " +
                std::to_string(count * width));
    }
    Array into(*format, shape);
    if (boolean) {
      made.boolean_mask = true;
      for (std::size_t i = 0; i < count; ++i) into.set(i, elements[i] != 0 ? 1.0 : 0.0);
    } else {
      std::ranges::copy(std::as_bytes(std::span(elements)), into.storage().begin());
    }
    made.arrays.emplace(role, std::move(into));
  }
  for (const Role& role : row_of(problem.form).views) {
    if (role.required && !made.arrays.contains(role.name))
      malformed("the array " + std::string(role.name) + " is missing");
  }
  if (problem.onto && !made.arrays.contains("old")) malformed("onto needs the array old");
  return made;
}

}  // namespace

std::expected<Folder, std::string> read_folder(const std::filesystem::path& folder) {
  const auto text = read_file(folder / "audit.json", kMostJson);
  if (!text) return std::unexpected("audit.json cannot be read: " + text.error());
  const auto file = parse_strict_json(*text);
  if (!file) return std::unexpected("audit.json: " + file.error());
  try {
    Folder made{problem_of(*file), {}};
    made.arrays = arrays_of(folder, *file, made.problem);
    return made;
  } catch (const Malformed& fault) {
    return std::unexpected(fault.why);
  }
}

std::optional<std::string> write_folder(const std::filesystem::path& folder, const Problem& problem,
                                        const Case& arrays) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return error.message();
  const FormRow& row = row_of(problem.form);
  Json file = {{"schema", kSchema}, {"form", row.name}};
  for (const std::string_view name : row.sizes) file["sizes"][std::string(name)] = problem.size(name);
  file["onto"] = problem.onto;
  file["scale"] = problem.scale ? Json(*problem.scale) : Json();
  file["causal"] = problem.causal;
  const auto write = [&](const std::string& name, std::span<const std::byte> bytes) {
    std::ofstream stream(folder / name, std::ios::binary);
    stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return stream.good();
  };
  for (const auto& [role, array] : arrays.arrays) {
    const bool boolean = role == "mask" && arrays.boolean_mask;
    std::vector<std::byte> truths;
    for (std::size_t i = 0; boolean && i < array.size(); ++i)
      truths.push_back(std::byte{array.at(i).is_zero() ? std::uint8_t{0} : std::uint8_t{1}});
    file["arrays"][role] = {{"format", boolean ? "bool" : reference::info(array.format()).name},
                            {"file", role + ".bin"}};
    if (!write(role + ".bin", boolean ? std::span<const std::byte>(truths) : array.storage())) {
      return role + ".bin cannot be written";
    }
  }
  const std::string text = file.dump(1) + "\n";
  if (!write("audit.json", std::as_bytes(std::span(text)))) return "audit.json cannot be written";
  return std::nullopt;
}

}  // namespace cairn::audit
