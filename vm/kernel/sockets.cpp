#include "vm/kernel/sockets.hpp"

#include <cstdint>

#include <dlfcn.h>
#include <zmq.h>

namespace cairn::kernel {

namespace {

// clang-format off
#define CAIRN_ZMQ_FUNCTIONS(X) \
  X(zmq_ctx_new) X(zmq_ctx_term) X(zmq_socket) X(zmq_close) X(zmq_bind) X(zmq_setsockopt) X(zmq_getsockopt) \
  X(zmq_poll) X(zmq_msg_init) X(zmq_msg_recv) X(zmq_msg_data) X(zmq_msg_size) X(zmq_msg_close) X(zmq_send) \
  X(zmq_errno) X(zmq_strerror)
// clang-format on

constexpr int kLingerMilliseconds = 1000;

int type_of(SocketKind kind) {
  switch (kind) {
    case SocketKind::Router:
      return ZMQ_ROUTER;
    case SocketKind::Publish:
      return ZMQ_PUB;
    case SocketKind::Reply:
      return ZMQ_REP;
  }
  return ZMQ_ROUTER;
}

}  // namespace

struct Sockets::Library {
#define CAIRN_ZMQ_MEMBER(name) decltype(&::name) name = nullptr;
  CAIRN_ZMQ_FUNCTIONS(CAIRN_ZMQ_MEMBER)
#undef CAIRN_ZMQ_MEMBER
  void* context = nullptr;

  [[nodiscard]] std::string error() const { return zmq_strerror(zmq_errno()); }

  std::string load() {
    void* library = nullptr;
    for (const char* name : {"libzmq.so.5", "libzmq.so"}) {
      library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
      if (library != nullptr) break;
    }
    if (library == nullptr) return "libzmq.so.5 is not installed here (Debian's package libzmq5 holds it)";
    std::string missing;
#define CAIRN_ZMQ_LOAD(name)                                           \
  name = reinterpret_cast<decltype(&::name)>(::dlsym(library, #name)); \
  if (name == nullptr) missing = #name;
    CAIRN_ZMQ_FUNCTIONS(CAIRN_ZMQ_LOAD)
#undef CAIRN_ZMQ_LOAD
    if (!missing.empty()) return "libzmq has no " + missing;
    context = zmq_ctx_new();
    return context == nullptr ? "libzmq gives no context: " + error() : "";
  }
};

std::expected<std::unique_ptr<Sockets>, std::string> Sockets::open() {
  auto library = std::make_unique<Library>();
  if (std::string why = library->load(); !why.empty()) return std::unexpected(std::move(why));
  return std::unique_ptr<Sockets>(new Sockets(std::move(library)));
}

Sockets::Sockets(std::unique_ptr<Library> library) : library_(std::move(library)) {}

Sockets::~Sockets() { library_->zmq_ctx_term(library_->context); }

std::expected<std::unique_ptr<Socket>, std::string> Sockets::bind(SocketKind kind, const std::string& endpoint) {
  Library& zmq = *library_;
  void* handle = zmq.zmq_socket(zmq.context, type_of(kind));
  if (handle == nullptr) return std::unexpected(zmq.error());
  std::unique_ptr<Socket> socket(new Socket(*this, handle));
  zmq.zmq_setsockopt(handle, ZMQ_LINGER, &kLingerMilliseconds, sizeof(kLingerMilliseconds));
  // A client that comes back under its old identity takes the place of the connection it lost.
  const int on = 1;
  if (kind == SocketKind::Router) zmq.zmq_setsockopt(handle, ZMQ_ROUTER_HANDOVER, &on, sizeof(on));
  if (zmq.zmq_bind(handle, endpoint.c_str()) != 0) return std::unexpected(endpoint + ": " + zmq.error());
  return socket;
}

Socket::~Socket() { sockets_.library_->zmq_close(handle_); }

std::optional<Frames> Socket::receive(int milliseconds) {
  Sockets::Library& zmq = *sockets_.library_;
  zmq_pollitem_t item{handle_, 0, ZMQ_POLLIN, 0};
  if (zmq.zmq_poll(&item, 1, milliseconds) <= 0) return std::nullopt;
  Frames frames;
  int more = 1;
  while (more != 0) {
    zmq_msg_t part;
    zmq.zmq_msg_init(&part);
    if (zmq.zmq_msg_recv(&part, handle_, 0) < 0) {
      zmq.zmq_msg_close(&part);
      return std::nullopt;
    }
    frames.emplace_back(static_cast<const char*>(zmq.zmq_msg_data(&part)), zmq.zmq_msg_size(&part));
    zmq.zmq_msg_close(&part);
    std::size_t size = sizeof(more);
    zmq.zmq_getsockopt(handle_, ZMQ_RCVMORE, &more, &size);
  }
  return frames;
}

void Socket::send(const Frames& frames) {
  Sockets::Library& zmq = *sockets_.library_;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const int flags = k + 1 < frames.size() ? ZMQ_SNDMORE : 0;
    while (zmq.zmq_send(handle_, frames[k].data(), frames[k].size(), flags) < 0) {
      if (zmq.zmq_errno() != EINTR) return;  // whoever asked is gone
    }
  }
}

}  // namespace cairn::kernel
