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
    own.reused = Polynomial::larger(own.reused, bytes.reused);
  }
  strides = strides || other.strides;
  allocations += other.allocations * times;
  zeroed_bytes += other.zeroed_bytes * times;
}

Work substituted(const Work& work, const std::map<std::string, Polynomial>& sizes) {
  Work made;
  for (const auto& [kind, count] : work.ops) made.ops[kind] = count.substitute(sizes);
  for (const auto& [array, bytes] : work.traffic) {
    made.traffic[array] = {bytes.read.substitute(sizes), bytes.written.substitute(sizes),
                           bytes.irregular.substitute(sizes), bytes.size.substitute(sizes),
                           bytes.reused.substitute(sizes)};
  }
  made.strides = work.strides;
  made.allocations = work.allocations.substitute(sizes);
  made.zeroed_bytes = work.zeroed_bytes.substitute(sizes);
  return made;
}

Work Code::total() const {
  Work sum;
  for (const auto& [loop, work] : bodies) sum.add(work, Polynomial(1.0));
  return sum;
}

void Code::add(const Code& other, const std::map<std::string, Polynomial>& sizes, const Polynomial& times,
               std::size_t at) {
  for (const auto& [loop, work] : other.bodies) bodies[loop == 0 ? at : loop].add(substituted(work, sizes), times);
}

namespace {

Region substituted(const Region& region, const std::map<std::string, Polynomial>& sizes) {
  Region made = region;
  made.count = region.count.substitute(sizes);
  made.runs = region.runs.substitute(sizes);
  made.per_index = {};
  made.per_index.add(region.per_index, sizes, Polynomial(1.0), 0);
  made.multiply_adds = region.multiply_adds.substitute(sizes);
  if (made.cooperation) {
    for (Polynomial Cooperation::* each :
         {&Cooperation::wavefronts, &Cooperation::copied_bytes, &Cooperation::barriers, &Cooperation::multiply_adds}) {
      *made.cooperation.*each = (*made.cooperation.*each).substitute(sizes);
    }
  }
  return made;
}

}  // namespace

void Cost::add_call(const Cost& callee, const std::map<std::string, Polynomial>& sizes, const Polynomial& times,
                    std::size_t at) {
  sequential.add(callee.sequential, sizes, times, at);
  for (const Region& region : callee.regions) {
    regions.push_back(substituted(region, sizes));
    regions.back().runs = regions.back().runs * times;
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
