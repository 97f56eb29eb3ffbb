#include "vm/predict/cost.hpp"

#include <algorithm>
#include <array>

namespace cairn::predict {

std::string_view text(RegionKind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"host", "pooled", "device", "cooperative", "tensor"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::uint64_t size_of(const Type& type) {
  const auto laid_out = [](std::span<const Type* const> parts) {
    std::uint64_t size = 0;
    std::uint64_t align = 1;
    for (const Type* part : parts) {
      const std::uint64_t own = size_of(*part);
      const std::uint64_t to = std::min<std::uint64_t>(std::max<std::uint64_t>(own & (~own + 1), 1), 8);
      size = (size + to - 1) / to * to + own;
      align = std::max(align, to);
    }
    return (size + align - 1) / align * align;
  };
  switch (type.kind) {
    case TypeKind::Record: {
      std::vector<const Type*> parts;
      for (const RecordField& field : type.record->fields) parts.push_back(field.type);
      return laid_out(parts);
    }
    case TypeKind::Sum: {
      std::uint64_t payload = 0;
      for (const SumVariant& variant : type.sum->variants) {
        if (variant.payload != nullptr) payload = std::max(payload, size_of(*variant.payload));
      }
      return payload == 0 ? 4 : (payload > 4 ? 8 + (payload + 7) / 8 * 8 : 8);
    }
    case TypeKind::Array:
      return type.count * size_of(*type.element);
    case TypeKind::Buf:
    case TypeKind::Dyn:
    case TypeKind::View:
      return 16;
    case TypeKind::Void:
      return 0;
    default:
      return type.is_scalar() || type.is_storage_float() ? bit_width(type.kind) / 8 : 8;
  }
}

Polynomial Work::bytes_read() const {
  Polynomial sum;
  for (const auto& [array, bytes] : traffic) sum += bytes.read;
  return sum;
}
Polynomial Work::bytes_written() const {
  Polynomial sum;
  for (const auto& [array, bytes] : traffic) sum += bytes.written;
  return sum;
}
Polynomial Work::irregular() const {
  Polynomial sum;
  for (const auto& [array, bytes] : traffic) sum += bytes.irregular;
  return sum;
}

void Work::add(const Work& other, const Polynomial& times) {
  for (const auto& [kind, count] : other.ops) ops[kind] += count * times;
  for (const auto& [array, bytes] : other.traffic) {
    Traffic& own = traffic[array];
    own.read += bytes.read * times;
    own.written += bytes.written * times;
    own.irregular += bytes.irregular * times;
    if (own.size.is_zero()) own.size = bytes.size;
  }
  allocations += other.allocations * times;
  zeroed_bytes += other.zeroed_bytes * times;
}

Work substituted(const Work& work, const std::map<std::string, Polynomial>& sizes) {
  Work made;
  for (const auto& [kind, count] : work.ops) made.ops[kind] = count.substitute(sizes);
  for (const auto& [array, bytes] : work.traffic) {
    made.traffic[array] = {bytes.read.substitute(sizes), bytes.written.substitute(sizes),
                           bytes.irregular.substitute(sizes), bytes.size.substitute(sizes)};
  }
  made.allocations = work.allocations.substitute(sizes);
  made.zeroed_bytes = work.zeroed_bytes.substitute(sizes);
  return made;
}

void Cost::add_call(const Cost& callee, const std::map<std::string, Polynomial>& sizes, const Polynomial& times) {
  sequential.add(substituted(callee.sequential, sizes), times);
  for (const Region& region : callee.regions) {
    Region copy = region;
    copy.count = region.count.substitute(sizes);
    copy.runs = region.runs.substitute(sizes) * times;
    copy.per_index = substituted(region.per_index, sizes);
    regions.push_back(std::move(copy));
  }
  for (const Transfer& transfer : callee.transfers) {
    transfers.push_back(
        {transfer.direction, transfer.bytes.substitute(sizes), transfer.runs.substitute(sizes) * times});
  }
  tasks += callee.tasks.substitute(sizes) * times;
  for (const auto& [name, count] : callee.task_work) task_work.emplace_back(name, count.substitute(sizes) * times);
  approximate.insert(callee.approximate.begin(), callee.approximate.end());
  guessed.insert(callee.guessed.begin(), callee.guessed.end());
}

}  // namespace cairn::predict
