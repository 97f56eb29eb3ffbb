// Which copies of a function move fragments. A fragment's object has the bytes of the whole matrix, for that is what it
// is on the host, and in a kernel only those of a lane's registers hold anything: a copy of the rest would keep the
// compiler from holding fragments in registers.
//
// An object is a fragment when fragment operations use it, or copies tie it to one that they use, and nothing else
// touches any of those.
#include <algorithm>
#include <numeric>

#include "cuda/writer/function_writer.hpp"

namespace cairn::cuda::writer {

using bytecode::Role;

namespace {

class Objects {
 public:
  explicit Objects(const bytecode::Function& function)
      : function_(function), group_(function.objects.size()), used_(group_.size()), spoiled_(group_.size()) {
    std::iota(group_.begin(), group_.end(), std::size_t{0});
  }

  static constexpr std::size_t kNoObject = ~std::size_t{0};
  [[nodiscard]] std::size_t at(std::uint64_t offset) const {
    const auto after = std::ranges::upper_bound(function_.objects, offset, {}, &bytecode::MemoryObject::offset);
    return after == function_.objects.begin() ? kNoObject
                                              : static_cast<std::size_t>(after - function_.objects.begin()) - 1;
  }
  [[nodiscard]] bool is_start(std::uint64_t offset) const {
    const std::size_t object = at(offset);
    return object != kNoObject && function_.objects[object].offset == offset;
  }

  void use(std::size_t object) { used_[root(object)] = true; }
  void spoil(std::size_t object) {
    if (object != kNoObject) spoiled_[root(object)] = true;
  }
  void spoil_type(std::uint32_t type) {
    for (std::size_t k = 0; k < group_.size(); ++k) {
      if (function_.objects[k].type == type) spoil(k);
    }
  }
  void tie(std::size_t a, std::size_t b) {
    a = root(a);
    b = root(b);
    if (a == b) return;
    group_[a] = b;
    used_[b] = used_[a] || used_[b];
    spoiled_[b] = spoiled_[a] || spoiled_[b];
  }
  [[nodiscard]] bool is_fragment(std::size_t object) { return used_[root(object)] && !spoiled_[root(object)]; }

 private:
  std::size_t root(std::size_t object) {
    while (group_[object] != object) object = group_[object];
    return object;
  }

  const bytecode::Function& function_;
  std::vector<std::size_t> group_;
  std::vector<bool> used_, spoiled_;
};

bool is_fragment_native(std::string_view name) { return name.starts_with("mma.") || name.starts_with("wmma."); }

}  // namespace

void FunctionWriter::find_fragment_copies() {
  Objects objects(function_);
  std::map<std::uint32_t, std::size_t> held;  // slot -> the object it refers to the start of
  std::vector<std::pair<std::uint32_t, std::size_t>> copies;
  const auto object_in = [&](std::uint32_t slot) {
    const auto found = held.find(slot);
    return found == held.end() ? Objects::kNoObject : found->second;
  };
  /// An instruction touches what a slot refers to. Where that is not known it may be any object of the type.
  const auto touch = [&](std::uint32_t slot) {
    if (object_in(slot) != Objects::kNoObject) return objects.spoil(object_in(slot));
    if (is_declared(slot) && function_.registers[slot].type.kind == RegisterKind::Ref) {
      objects.spoil_type(function_.registers[slot].type.type);
    }
  };
  const auto forget = [&](std::uint32_t from) { held.erase(held.lower_bound(from), held.end()); };
  const Word* const start = function_.code.data();
  for (std::uint32_t at = 0; at < function_.code.size(); at += bytecode::instruction_words(start + at)) {
    const Word* const pc = start + at;
    const Op op = bytecode::op_of(pc[0]);
    if (is_target_[at]) held.clear();  // what another way here may have put there is not known
    if (op == Op::FrameRef && objects.is_start(bytecode::n_of(pc[0]))) {
      held[bytecode::a_of(pc[0])] = objects.at(bytecode::n_of(pc[0]));
      continue;
    }
    if (op == Op::Move && object_in(bytecode::b_of(pc[0])) != Objects::kNoObject) {
      held[bytecode::a_of(pc[0])] = object_in(bytecode::b_of(pc[0]));
      continue;
    }
    if (op == Op::Copy) {
      const std::size_t to = object_in(bytecode::a_of(pc[0]));
      const std::size_t from = object_in(bytecode::b_of(pc[0]));
      if (to != Objects::kNoObject && from != Objects::kNoObject) {
        objects.tie(to, from);
        copies.emplace_back(at, to);
      } else {
        touch(bytecode::a_of(pc[0]));
        touch(bytecode::b_of(pc[0]));
      }
      continue;
    }
    if (op == Op::CallNative || op == Op::Call) {
      const std::uint32_t window = bytecode::a_of(pc[0]);
      const bool is_fragment = op == Op::CallNative && is_fragment_native(module_.natives[bytecode::n_of(pc[0])].name);
      for (auto each = held.lower_bound(window); each != held.end(); ++each) {
        if (is_fragment) {
          objects.use(each->second);
        } else {
          objects.spoil(each->second);
        }
      }
      forget(window);
      continue;
    }
    for (const bytecode::Operand& operand : bytecode::info(op).all()) {
      const auto bits = static_cast<std::uint32_t>(bytecode::operand_bits(pc, operand.place));
      if (operand.type == bytecode::Class::Frame) objects.spoil(objects.at(bits));
      if (!operand.is_register()) continue;
      if (operand.role != Role::Write) touch(bits);
      if (operand.role != Role::Read) held.erase(bits);
    }
  }
  for (const auto& [at, object] : copies) {
    if (objects.is_fragment(object)) fragment_copies_.insert(at);
  }
}

}  // namespace cairn::cuda::writer
