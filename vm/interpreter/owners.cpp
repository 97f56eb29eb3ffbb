#include "vm/interpreter/owners.hpp"

#include <cstring>
#include <vector>

namespace cairn::interpreter {
namespace {

using bytecode::kNone;

/// A Buf's or box's block whose elements are still to be searched for owners; then it is freed.
struct Pending {
  std::uint8_t* data = nullptr;
  std::uint64_t count = 0;
  std::uint32_t type = kNone;
};

class Release {
 public:
  Release(Thread& thread, const Image& image) : thread_(thread), image_(image) {}

  /// A value whose storage stays.
  void value(std::uint8_t* at, std::uint32_t type) {
    search(at, type);
    finish();
  }
  void block(std::uint8_t* data, std::uint64_t count, std::uint32_t type) {
    add(data, count, type);
    finish();
  }

 private:
  void finish() {
    while (!pending_.empty()) {
      const Pending next = pending_.back();
      pending_.pop_back();
      const std::uint64_t size = image_.module().types[next.type].size;
      for (std::uint64_t i = 0; i < next.count; ++i) search(next.data + i * size, next.type);
      thread_.heap().release(next.data, next.count * size);
    }
  }

  void add(std::uint8_t* data, std::uint64_t count, std::uint32_t type) {
    if (data == nullptr) return;
    const bytecode::Type& element = image_.module().types[type];
    if (element.owns) {
      pending_.push_back({data, count, type});
    } else {
      thread_.heap().release(data, count * element.size);
    }
  }

  /// Finds the owners inside a value. Recursion follows the nesting of types by value, which the verifier bounds.
  void search(std::uint8_t* at, std::uint32_t type) {
    const OwnerMap& map = image_.owners(type);
    for (const OwnerPart& part : map.parts) search(at + part.offset, part);
    if (map.variants.empty()) return;
    std::uint32_t tag;
    std::memcpy(&tag, at, sizeof(tag));
    if (tag >= map.variants.size()) return;
    for (const OwnerPart& part : map.variants[tag]) search(at + part.offset, part);
  }

  void search(std::uint8_t* at, const OwnerPart& part) {
    std::uint64_t words[2];
    switch (part.kind) {
      case OwnerPart::Kind::Buf:
        std::memcpy(words, at, sizeof(words));
        std::memset(at, 0, sizeof(words));
        add(reinterpret_cast<std::uint8_t*>(words[0]), words[1], part.type);
        break;
      case OwnerPart::Kind::Dyn:
        std::memcpy(words, at, sizeof(words));
        std::memset(at, 0, sizeof(words));
        if (words[0] != 0) {
          add(reinterpret_cast<std::uint8_t*>(words[0]), 1, image_.module().tables[words[1]].type);
        }
        break;
      case OwnerPart::Kind::Nested:
        search(at, part.type);
        break;
      case OwnerPart::Kind::Array: {
        const std::uint64_t size = image_.module().types[part.type].size;
        for (std::uint64_t i = 0; i < part.count; ++i) search(at + i * size, part.type);
        break;
      }
    }
  }

  Thread& thread_;
  const Image& image_;
  std::vector<Pending> pending_;
};

}  // namespace

bool new_buffer(Thread& thread, std::uint64_t* pair, std::uint64_t count, std::uint32_t element) {
  const bytecode::Type& type = thread.image().module().types[element];
  void* data = thread.heap().allocate(count, type.size, type.align);
  if (count != 0 && data == nullptr) return false;
  pair[0] = reinterpret_cast<std::uint64_t>(data);
  pair[1] = count;
  return true;
}

void drop_buffer(Thread& thread, const Image& image, std::uint64_t* pair, std::uint32_t element) {
  auto* data = reinterpret_cast<std::uint8_t*>(pair[0]);
  const std::uint64_t count = pair[1];
  pair[0] = pair[1] = 0;
  if (data == nullptr) return;
  const bytecode::Type& type = image.module().types[element];
  if (type.owns) {
    Release(thread, image).block(data, count, element);
  } else {
    thread.heap().release(data, count * type.size);
  }
}

void drop_dyn(Thread& thread, const Image& image, std::uint64_t* pair) {
  auto* object = reinterpret_cast<std::uint8_t*>(pair[0]);
  const std::uint64_t table = pair[1];
  pair[0] = pair[1] = 0;
  if (object != nullptr) Release(thread, image).block(object, 1, image.module().tables[table].type);
}

void drop_value(Thread& thread, const Image& image, std::uint8_t* value, std::uint32_t type) {
  Release(thread, image).value(value, type);
}

void drop_buffer(Thread& thread, std::uint64_t* pair, std::uint32_t element) {
  drop_buffer(thread, thread.image(), pair, element);
}
void drop_dyn(Thread& thread, std::uint64_t* pair) { drop_dyn(thread, thread.image(), pair); }
void drop_value(Thread& thread, std::uint8_t* value, std::uint32_t type) {
  drop_value(thread, thread.image(), value, type);
}

bool new_dyn(Thread& thread, std::uint64_t* pair, std::uint8_t* value, std::uint32_t table) {
  const bytecode::Type& type = thread.image().module().types[thread.image().module().tables[table].type];
  void* box = thread.heap().allocate(1, type.size, type.align);
  if (box == nullptr) return false;
  std::memcpy(box, value, type.size);
  std::memset(value, 0, type.size);
  pair[0] = reinterpret_cast<std::uint64_t>(box);
  pair[1] = table;
  return true;
}

}  // namespace cairn::interpreter
