// ZeroMQ sockets: what Jupyter's messages travel on. libzmq is opened when a kernel starts; no other command needs it.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cairn::kernel {

/// The frames of one message.
using Frames = std::vector<std::string>;

enum class SocketKind : std::uint8_t { Router, Publish, Reply };

class Sockets;

/// Used by one thread at a time.
class Socket {
 public:
  ~Socket();
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  /// The next message; nothing when none came within `milliseconds` (-1: however long), or a signal came.
  [[nodiscard]] std::optional<Frames> receive(int milliseconds);
  void send(const Frames& frames);

 private:
  friend class Sockets;
  Socket(Sockets& sockets, void* handle) : sockets_(sockets), handle_(handle) {}
  Sockets& sockets_;
  void* handle_;
};

class Sockets {
 public:
  /// Why there are none: libzmq is missing, or has not what is needed.
  static std::expected<std::unique_ptr<Sockets>, std::string> open();
  /// Every socket is gone by then.
  ~Sockets();
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  /// A socket bound to an endpoint ("tcp://127.0.0.1:5555"), or why it cannot be.
  std::expected<std::unique_ptr<Socket>, std::string> bind(SocketKind kind, const std::string& endpoint);

 private:
  friend class Socket;
  struct Library;
  explicit Sockets(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library_;
};

}  // namespace cairn::kernel
