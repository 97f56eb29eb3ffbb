// Steps of moves, constants, loads, stores, references, views and owners.
#pragma once

#include "vm/interpreter/machine.hpp"
#include "vm/interpreter/owners.hpp"

namespace cairn::interpreter {

using bytecode::a_of;
using bytecode::b_of;
using bytecode::c_of;
using bytecode::d_of;
using bytecode::e_of;
using bytecode::m_of;
using bytecode::n_of;

[[gnu::always_inline]] inline std::uint8_t* address(const Machine& m, std::uint32_t slot) {
  return reinterpret_cast<std::uint8_t*>(m.base[slot]);
}
[[gnu::always_inline]] inline void put_address(const Machine& m, std::uint32_t slot, const std::uint8_t* at) {
  m.base[slot] = reinterpret_cast<std::uint64_t>(at);
}

/// What a slot or two hold in memory. Scalar: converted to and from its width. Word: one slot. Pair: two.
template <class T>
struct ScalarCell {
  using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
  static constexpr std::uint64_t kSize = sizeof(Stored);
  [[gnu::always_inline]] static void get(const Machine& m, std::uint32_t slot, const std::uint8_t* at) {
    write<Stored>(m.base, slot, load<Stored>(at));
  }
  [[gnu::always_inline]] static void put(const Machine& m, std::uint32_t slot, std::uint8_t* at) {
    store<Stored>(at, read<Stored>(m.base, slot));
  }
};
struct PairCell {
  static constexpr std::uint64_t kSize = 16;
  [[gnu::always_inline]] static void get(const Machine& m, std::uint32_t slot, const std::uint8_t* at) {
    const std::uint64_t first = load<std::uint64_t>(at);
    const std::uint64_t second = load<std::uint64_t>(at + 8);
    m.base[slot] = first;
    m.base[slot + 1] = second;
  }
  [[gnu::always_inline]] static void put(const Machine& m, std::uint32_t slot, std::uint8_t* at) {
    const std::uint64_t first = m.base[slot];
    const std::uint64_t second = m.base[slot + 1];
    store(at, first);
    store(at + 8, second);
  }
};

/// load, store, frame.load, frame.store, load.at, store.at of one kind of cell.
template <Op op, class Cell>
[[gnu::always_inline]] inline const Word* cell_step(Machine& m, const Word* pc, std::string_view verb) {
  const Word w = pc[0];
  if (verb == "load") {
    Cell::get(m, a_of(w), address(m, b_of(w)) + c_of(w));
  } else if (verb == "store") {
    Cell::put(m, b_of(w), address(m, a_of(w)) + c_of(w));
  } else if (verb == "frame.load") {
    Cell::get(m, a_of(w), m.memory + n_of(w));
  } else if (verb == "frame.store") {
    Cell::put(m, a_of(w), m.memory + n_of(w));
  } else if (verb == "load.at") {
    const std::uint64_t index = m.base[c_of(w)];
    if (index >= m.base[b_of(w) + 1U]) [[unlikely]]
      return fail(TrapKind::Bounds, pc, m);
    Cell::get(m, a_of(w), address(m, b_of(w)) + index * Cell::kSize);
  } else {  // store.at
    const std::uint64_t index = m.base[b_of(w)];
    if (index >= m.base[a_of(w) + 1U]) [[unlikely]]
      return fail(TrapKind::Bounds, pc, m);
    Cell::put(m, c_of(w), address(m, a_of(w)) + index * Cell::kSize);
  }
  return pc + 1;
}

constexpr bool is_cell_verb(std::string_view verb) {
  return verb == "load" || verb == "store" || verb == "frame.load" || verb == "frame.store" || verb == "load.at" ||
         verb == "store.at";
}

/// part and part.exact: pointer and length of elements c .. d of view b.
template <Op op>
[[gnu::always_inline]] inline const Word* part_step(Machine& m, const Word* pc) {
  const Word w = pc[0];
  const std::uint64_t lo = m.base[c_of(w)];
  const std::uint64_t hi = m.base[d_of(pc[1])];
  const std::uint64_t length = m.base[b_of(w) + 1U];
  if (lo > hi || hi > length) [[unlikely]]
    return fail(TrapKind::Bounds, pc, m);
  if constexpr (op == Op::PartExact) {
    if (hi - lo != m.base[e_of(pc[1])]) [[unlikely]]
      return fail(TrapKind::Bounds, pc, m);
  }
  put_address(m, a_of(w), address(m, b_of(w)) + lo * m_of(pc[1]));
  m.base[a_of(w) + 1U] = hi - lo;
  return pc + 2;
}

/// Exchanges byte ranges, which may be the same one.
inline void swap_bytes(std::uint8_t* left, std::uint8_t* right, std::size_t bytes) {
  if (left != right) std::swap_ranges(left, left + bytes, right);
}

template <Op op>
[[gnu::always_inline]] inline const Word* move_step(Machine& m, const Word* pc) {
  const Word w = pc[0];
  if constexpr (op == Op::Move) {
    m.base[a_of(w)] = m.base[b_of(w)];
  } else if constexpr (op == Op::MovePair) {
    const std::uint64_t second = m.base[b_of(w) + 1U];
    m.base[a_of(w)] = m.base[b_of(w)];
    m.base[a_of(w) + 1U] = second;
  } else if constexpr (op == Op::Const) {
    m.base[a_of(w)] = pc[1];
  } else if constexpr (op == Op::ZeroPair) {
    m.base[a_of(w)] = 0;
    m.base[a_of(w) + 1U] = 0;
  } else if constexpr (op == Op::Text) {
    const std::string& text = m.thread->image().module().texts[n_of(w)];
    m.base[a_of(w)] = reinterpret_cast<std::uint64_t>(text.data());
    m.base[a_of(w) + 1U] = text.size();
  } else if constexpr (op == Op::FunctionOf) {
    m.base[a_of(w)] = std::uint64_t{n_of(w)} + 1;
  } else {
    static_assert(op == Op::Select);
    m.base[a_of(w)] = m.base[b_of(w)] != 0 ? m.base[c_of(w)] : m.base[d_of(pc[1])];
  }
  return pc + kWords<op>;
}

template <Op op>
[[gnu::always_inline]] inline const Word* reference_step(Machine& m, const Word* pc) {
  const Word w = pc[0];
  if constexpr (op == Op::FrameRef) {
    put_address(m, a_of(w), m.memory + n_of(w));
  } else if constexpr (op == Op::RefOffset) {
    m.base[a_of(w)] = m.base[b_of(w)] + m_of(pc[1]);
  } else if constexpr (op == Op::RefAt) {
    const std::uint64_t index = m.base[c_of(w)];
    if (index >= m.base[b_of(w) + 1U]) [[unlikely]]
      return fail(TrapKind::Bounds, pc, m);
    m.base[a_of(w)] = m.base[b_of(w)] + index * m_of(pc[1]);
  } else if constexpr (op == Op::RefWide) {
    const std::uint64_t index = m.base[c_of(w)];
    const std::uint64_t length = m.base[b_of(w) + 1U];
    const std::uint64_t count = d_of(pc[1]);
    const std::uint64_t at = m.base[b_of(w)] + index * m_of(pc[1]);
    if (index > length || count > length - index) [[unlikely]]
      return fail(TrapKind::Wide, pc, m);
    if (at % (count * m_of(pc[1])) != 0) [[unlikely]]
      return fail(TrapKind::Wide, pc, m);
    m.base[a_of(w)] = at;
  } else if constexpr (op == Op::ViewArray) {
    m.base[a_of(w)] = m.base[b_of(w)];
    m.base[a_of(w) + 1U] = m_of(pc[1]);
  } else if constexpr (op == Op::ViewOne) {
    m.base[a_of(w)] = m.base[b_of(w)];
    m.base[a_of(w) + 1U] = 1;
  } else if constexpr (op == Op::FrameView) {
    put_address(m, a_of(w), m.memory + n_of(w));
    m.base[a_of(w) + 1U] = m_of(pc[1]);
  } else if constexpr (op == Op::GuardIndex) {
    if (m.base[b_of(w)] >= m.base[a_of(w) + 1U]) [[unlikely]]
      return fail(TrapKind::Bounds, pc, m);
  } else {
    static_assert(op == Op::GuardEqual);
    if (m.base[a_of(w)] != m.base[b_of(w)]) [[unlikely]]
      return fail(TrapKind::Bounds, pc, m);
  }
  return pc + kWords<op>;
}

/// memmove; records of one or two words, the common ones, without a call.
[[gnu::always_inline]] inline void copy_bytes(std::uint8_t* to, const std::uint8_t* from, std::uint64_t bytes) {
  if (bytes < 8 || bytes > 16) {
    std::memmove(to, from, bytes);
    return;
  }
  std::uint64_t first;
  std::uint64_t last;
  std::memcpy(&first, from, 8);
  std::memcpy(&last, from + bytes - 8, 8);
  std::memcpy(to, &first, 8);
  std::memcpy(to + bytes - 8, &last, 8);
}

template <Op op>
[[gnu::always_inline]] inline const Word* bytes_step(Machine& m, const Word* pc) {
  const Word w = pc[0];
  if constexpr (op == Op::Copy) {
    copy_bytes(address(m, a_of(w)), address(m, b_of(w)), m_of(pc[1]));
  } else if constexpr (op == Op::Zero) {
    std::memset(address(m, a_of(w)), 0, m_of(pc[1]));
  } else if constexpr (op == Op::FrameZero) {
    std::memset(m.memory + n_of(w), 0, m_of(pc[1]));
  } else if constexpr (op == Op::Swap) {
    swap_bytes(address(m, a_of(w)), address(m, b_of(w)), m_of(pc[1]));
  } else {
    static_assert(op == Op::ViewCopy);
    const std::uint64_t count = m.base[a_of(w) + 1U];
    if (count != m.base[b_of(w) + 1U]) [[unlikely]]
      return fail(TrapKind::Bounds, pc, m);
    if (count != 0) std::memmove(address(m, a_of(w)), address(m, b_of(w)), count * m_of(pc[1]));
  }
  return pc + kWords<op>;
}

/// convert.each.
void run_convert_each(Machine& m, const Word* pc);

template <Op op>
[[gnu::always_inline]] inline const Word* owner_step(Machine& m, const Word* pc) {
  const Word w = pc[0];
  if constexpr (op == Op::BufNew) {
    if (!new_buffer(*m.thread, m.base + a_of(w), m.base[b_of(w)], m_of(pc[1]))) [[unlikely]] {
      return fail(TrapKind::Allocation, pc, m);
    }
  } else if constexpr (op == Op::DropBuf) {
    drop_buffer(*m.thread, m.base + a_of(w), m_of(pc[1]));
  } else if constexpr (op == Op::DropDyn) {
    drop_dyn(*m.thread, m.base + a_of(w));
  } else if constexpr (op == Op::Drop) {
    drop_value(*m.thread, address(m, a_of(w)), m_of(pc[1]));
  } else if constexpr (op == Op::FrameDrop) {
    drop_value(*m.thread, m.memory + n_of(w), m_of(pc[1]));
  } else if constexpr (op == Op::DynNew) {
    if (!new_dyn(*m.thread, m.base + a_of(w), address(m, b_of(w)), m_of(pc[1]))) [[unlikely]] {
      return fail(TrapKind::Allocation, pc, m);
    }
  } else if constexpr (op == Op::DynLend) {
    m.base[a_of(w)] = m.base[b_of(w)];
    m.base[a_of(w) + 1U] = m_of(pc[1]);
  } else {
    static_assert(op == Op::DynOf);
    if (m.base[b_of(w)] == 0) [[unlikely]]
      return fail(TrapKind::Callable, pc, m);
    const std::uint64_t second = m.base[b_of(w) + 1U];
    m.base[a_of(w)] = m.base[b_of(w)];
    m.base[a_of(w) + 1U] = second;
  }
  return pc + kWords<op>;
}

}  // namespace cairn::interpreter
