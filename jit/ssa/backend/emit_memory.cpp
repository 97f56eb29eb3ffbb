// Loads, stores, addresses, copies.
#include <cstring>

#include "jit/ssa/backend/emitter.hpp"

namespace cairn::jit::ssa {

/// The address of a load or store; `next` is the input behind its registers.
x86::Mem Emitter::address(const Instruction& i, std::uint32_t& next) {
  std::int64_t offset = i.immediate;
  Gp base = kMemory;
  next = 1;
  if (!frame_offset(f_, i, offset)) base = whole(0);
  const auto at = static_cast<std::int32_t>(offset);
  if (i.b == kNoValue) return x86::ptr(base, at);
  const Gp index = whole(next++);
  return x86::ptr(base, index, static_cast<std::uint32_t>(std::countr_zero(i.scale)), at);
}

void Emitter::load(const Instruction& i) {
  std::uint32_t next = 0;
  x86::Mem at = address(i, next);
  at.setSize(size_of(i.kind));
  const bool avx = target_.cpu.avx;
  switch (i.kind) {
    case Kind::F64:
      avx ? a_.vmovsd(out_vec(), at) : a_.movsd(out_vec(), at);
      break;
    case Kind::F32:
      avx ? a_.vmovss(out_vec(), at) : a_.movss(out_vec(), at);
      break;
    case Kind::Bool:
    case Kind::U8:
    case Kind::U16:
      a_.movzx(out().r32(), at);
      break;
    case Kind::U32:
      a_.mov(out().r32(), at);
      break;
    case Kind::I8:
    case Kind::I16:
      a_.movsx(out(), at);
      break;
    case Kind::I32:
      a_.movsxd(out(), at);
      break;
    default:
      a_.mov(out(), at);
      break;
  }
}

void Emitter::store(const Instruction& i) {
  std::uint32_t next = 0;
  x86::Mem at = address(i, next);
  at.setSize(size_of(i.kind));
  const bool avx = target_.cpu.avx;
  if (is_float(i.kind)) {
    const Vec value = vec(next);
    if (i.kind == Kind::F64) {
      avx ? a_.vmovsd(at, value) : a_.movsd(at, value);
    } else {
      avx ? a_.vmovss(at, value) : a_.movss(at, value);
    }
    return;
  }
  if (is_number(next)) {
    const std::int64_t value = number(next);
    switch (size_of(i.kind)) {
      case 1:
        a_.mov(at, static_cast<std::int8_t>(value));
        break;
      case 2:
        a_.mov(at, static_cast<std::int16_t>(value));
        break;
      case 4:
        a_.mov(at, static_cast<std::int32_t>(value));
        break;
      default:
        a_.mov(at, value);
        break;
    }
    return;
  }
  const Gp value = gp(next);
  switch (size_of(i.kind)) {
    case 1:
      a_.mov(at, value.r8());
      break;
    case 2:
      a_.mov(at, value.r16());
      break;
    case 4:
      a_.mov(at, value.r32());
      break;
    default:
      clean(next);
      a_.mov(at, value);
      break;
  }
}

void Emitter::address_of(const Instruction& i) {
  const Gp to = out();
  const Gp base = whole(0);
  const bool is_near = i.immediate >= INT32_MIN && i.immediate <= INT32_MAX;
  const auto near = static_cast<std::int32_t>(is_near ? i.immediate : 0);
  if (i.b == kNoValue) {
    a_.lea(to, x86::ptr(base, near));
  } else {
    const Gp index = whole(1);
    if (is_power_of_two(i.scale) && i.scale <= 8) {
      a_.lea(to, x86::ptr(base, index, static_cast<std::uint32_t>(std::countr_zero(i.scale)), near));
    } else {
      if (is_power_of_two(i.scale)) {
        a_.mov(to, index);
        a_.shl(to, static_cast<std::uint32_t>(std::countr_zero(i.scale)));
      } else {
        a_.imul(to, index, static_cast<std::int64_t>(i.scale));
      }
      if (near == 0) {
        a_.add(to, base);
      } else {
        a_.lea(to, x86::ptr(base, to, 0, near));
      }
    }
  }
  if (!is_near) {  // the upper half by itself: additions of 31 bits
    std::int64_t rest = i.immediate;
    while (rest != 0) {
      const std::int64_t part = rest > INT32_MAX ? INT32_MAX : rest < INT32_MIN ? INT32_MIN : rest;
      a_.add(to, part);
      rest -= part;
    }
  }
}

void Emitter::copy(const Instruction& i) {
  const bool copies = i.op == Opcode::Copy;
  const std::int64_t bytes = i.immediate;
  if (bytes > kInlineBytes) {
    if (uses_wide_vectors_) a_.vzeroupper();
    if (!copies) a_.xor_(x86::esi, x86::esi);
    a_.mov(x86::rdx, bytes);
    using Copier = void* (*)(void*, const void*, std::size_t);
    using Filler = void* (*)(void*, int, std::size_t);
    load_address(x86::rax, copies ? reinterpret_cast<const void*>(static_cast<Copier>(std::memmove))
                                  : reinterpret_cast<const void*>(static_cast<Filler>(std::memset)));
    a_.call(x86::rax);
    return;
  }
  if (bytes == 0) return;
  const Gp to = whole(0);
  const auto at = [](const Gp& base, std::int64_t offset, std::uint32_t size) {
    x86::Mem mem = x86::ptr(base, static_cast<std::int32_t>(offset));
    mem.setSize(size);
    return mem;
  };
  if (!copies) {
    const Vec zero = x86::xmm(reg::kScratch - kFirstVector);
    std::int64_t done = 0;
    if (bytes >= 16) a_.xorps(zero, zero);
    for (; bytes - done >= 16; done += 16) a_.movups(at(to, done, 16), zero);
    for (std::uint32_t size = 8; size != 0; size /= 2) {
      for (; bytes - done >= size; done += size) a_.mov(at(to, done, size), 0);
    }
    return;
  }
  // The places may overlap: everything is read before anything is written. The last part may lie over the one before.
  const Gp from = whole(1);
  std::vector<std::pair<std::int64_t, std::uint32_t>> parts;
  if (bytes >= 16) {
    std::int64_t done = 0;
    for (; bytes - done >= 16; done += 16) parts.push_back({done, 16});
    if (done != bytes) parts.push_back({bytes - 16, 16});
  } else {
    std::int64_t done = 0;
    for (std::uint32_t size = 8; size != 0 && done < bytes; size /= 2) {
      if (bytes - done < size) continue;
      parts.push_back({done, size});
      done += size;
      if (done < bytes && bytes >= size && parts.size() == 1) {
        parts.push_back({bytes - size, size});  // over the first
        break;
      }
    }
  }
  for (std::uint32_t k = 0; k < parts.size(); ++k) {
    const auto [offset, size] = parts[k];
    const x86::Mem mem = at(from, offset, size);
    if (size == 16) {
      a_.movups(temp_vec(k), mem);
    } else if (size == 8) {
      a_.mov(temp(k), mem);
    } else if (size == 4) {
      a_.mov(temp(k).r32(), mem);
    } else {
      a_.movzx(temp(k).r32(), mem);
    }
  }
  for (std::uint32_t k = 0; k < parts.size(); ++k) {
    const auto [offset, size] = parts[k];
    const x86::Mem mem = at(to, offset, size);
    if (size == 16) {
      a_.movups(mem, temp_vec(k));
    } else if (size == 8) {
      a_.mov(mem, temp(k));
    } else if (size == 4) {
      a_.mov(mem, temp(k).r32());
    } else if (size == 2) {
      a_.mov(mem, temp(k).r16());
    } else {
      a_.mov(mem, temp(k).r8());
    }
  }
}

}  // namespace cairn::jit::ssa
