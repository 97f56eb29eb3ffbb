// What was seen of one thread: the stacks it was found with, as a tree of calls, and in which order. A signal handler
// writes it, so memory is reserved beforehand and nothing is ever moved or locked.
#pragma once

#include <sys/mman.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace cairn::profile {

/// Where code ran. Emulated is device work on host threads, native a function of the host.
enum class Engine : std::uint8_t { Interpreter, Baseline, Optimizing, Native, Emulated };
inline constexpr std::size_t kEngines = 5;

/// What stands on a stack: a function of the module (the one it stands in, for closures and lanes), a native, a foreign
/// function, callers that were too deep to follow, or what makes machine code in the background.
struct FrameKey {
  enum class Kind : std::uint32_t { Function, Native, Foreign, Deeper, Compiler };
  Kind kind = Kind::Function;
  std::uint32_t index = 0;
  friend bool operator==(const FrameKey&, const FrameKey&) = default;
};

/// So many elements of address space, of which the system gives memory when they are first written.
template <typename T>
class Reserved {
 public:
  explicit Reserved(std::size_t most) : most_(most) {
    void* made =
        ::mmap(nullptr, most * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (made == MAP_FAILED) {
      most_ = 0;
    } else {
      first_ = static_cast<T*>(made);
    }
  }
  ~Reserved() {
    if (first_ != nullptr) ::munmap(first_, most_ * sizeof(T));
  }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;

  /// Null when all are taken.
  T* add() { return size_ == most_ ? nullptr : &first_[size_++]; }
  [[nodiscard]] std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return first_[i]; }
  const T& operator[](std::size_t i) const { return first_[i]; }

 private:
  T* first_ = nullptr;
  std::size_t most_ = 0;
  std::size_t size_ = 0;
};

class Samples {
 public:
  static constexpr std::uint32_t kRoot = 0;  // the node of no frame

  /// A stack: its innermost frame, and the node of the rest. Zero bytes are a node without children.
  struct Node {
    std::uint32_t parent = 0;
    std::uint32_t first_child = 0;
    std::uint32_t next_sibling = 0;
    std::uint32_t count = 0;  // samples that end here
    FrameKey frame;
    std::array<std::uint64_t, kEngines> nanoseconds{};  // of those samples
  };
  struct Event {
    std::uint32_t node = 0;
    std::uint32_t microseconds = 0;
  };

  Samples() : nodes_(kMostNodes), events_(kMostEvents) { nodes_.add(); }

  /// Whether there is memory to write to.
  [[nodiscard]] bool usable() const { return nodes_.size() != 0; }

  /// `frames` from the innermost out. Safe in a signal handler of the thread that owns this.
  void add(std::span<const FrameKey> frames, Engine engine, std::uint64_t nanoseconds) {
    if (!usable()) return;
    std::uint32_t node = kRoot;
    for (std::size_t i = frames.size(); i-- > 0;) node = child(node, frames[i]);
    ++nodes_[node].count;
    nodes_[node].nanoseconds[static_cast<std::size_t>(engine)] += nanoseconds;
    const std::uint64_t microseconds = nanoseconds / 1000;
    if (Event* event = events_.add()) {
      *event = {node, microseconds > UINT32_MAX ? UINT32_MAX : static_cast<std::uint32_t>(microseconds)};
    }
  }

  [[nodiscard]] const Reserved<Node>& nodes() const { return nodes_; }
  /// In the order they were seen; a very long run's later ones are only counted in their nodes.
  [[nodiscard]] const Reserved<Event>& events() const { return events_; }

 private:
  static constexpr std::size_t kMostNodes = std::size_t{1} << 18;
  static constexpr std::size_t kMostEvents = std::size_t{1} << 21;

  /// The node of `frame` called from `parent`; the parent itself when there is room for no more.
  std::uint32_t child(std::uint32_t parent, FrameKey frame) {
    std::uint32_t* link = &nodes_[parent].first_child;
    while (*link != 0) {
      Node& node = nodes_[*link];
      if (node.frame == frame) return *link;
      link = &node.next_sibling;
    }
    Node* made = nodes_.add();
    if (made == nullptr) return parent;
    made->parent = parent;
    made->frame = frame;
    return *link = static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  Reserved<Node> nodes_;
  Reserved<Event> events_;
};

}  // namespace cairn::profile
