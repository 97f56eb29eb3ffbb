#include "vm/kernel/kernel.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include "frontend/project/files.hpp"
#include "vm/kernel/captured_frames.hpp"
#include "vm/kernel/captured_output.hpp"
#include "vm/kernel/message.hpp"
#include "vm/repl/entry.hpp"
#include "vm/repl/shell.hpp"
#include "vm/version.hpp"

namespace cairn::kernel {

namespace {

constexpr int kTick = 250;  // milliseconds between two looks at whether to end
constexpr std::size_t kMostConnectionBytes = 1 << 16;

repl::ReplSession* interrupted = nullptr;  // what an interrupt stops

/// Bytes of a text before its code point `at`, and code points before a byte.
std::size_t byte_of(std::string_view text, std::size_t at) {
  std::size_t byte = 0;
  while (byte < text.size() && at-- > 0) {
    ++byte;
    while (byte < text.size() && (static_cast<unsigned char>(text[byte]) & 0xc0U) == 0x80U) ++byte;
  }
  return byte;
}
std::size_t code_points(std::string_view text, std::size_t bytes) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text.substr(0, bytes), [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; }));
}

Json bundle_of(const repl::Shown& shown) {
  Json data = {{"text/plain", shown.text + " : " + shown.type}};
  if (!shown.png.empty()) {
    data["image/png"] = base64({reinterpret_cast<const char*>(shown.png.data()), shown.png.size()});
  }
  return data;
}

Json error_of(const repl::Failure& failure) {
  Json lines = Json::array();
  for (std::size_t at = 0; at < failure.text.size();) lines.push_back(repl::next_line(failure.text, at));
  return {{"ename", failure.name.empty() ? "error" : failure.name}, {"evalue", failure.text}, {"traceback", lines}};
}

Json kernel_info() {
  return {{"status", "ok"},
          {"protocol_version", "5.3"},
          {"implementation", "cairn"},
          {"implementation_version", std::string(kVersion)},
          {"language_info",
           {{"name", "cairn"},
            {"version", std::string(kVersion)},
            {"mimetype", "text/x-cairn"},
            {"file_extension", ".cairn"},
            {"codemirror_mode", "rust"},
            {"pygments_lexer", "rust"}}},
          {"banner", "CAIRN " + std::string(kVersion) + "; :help lists the commands"},
          {"help_links", Json::array()}};
}

/// What a connection file says.
struct Connection {
  std::string key;
  std::string endpoint_of(const char* port) const {
    return transport + "://" + address + (transport == "tcp" ? ":" : "-") + std::to_string(ports.at(port).get<int>());
  }
  std::string transport;
  std::string address;
  Json ports;
};

std::expected<Connection, std::string> connection_of(const std::string& path) {
  const auto text = read_file(path, kMostConnectionBytes);
  if (!text) return std::unexpected(path + " cannot be read: " + text.error());
  const Json file = Json::parse(*text, nullptr, false);
  if (!file.is_object()) return std::unexpected(path + " is no connection file: it holds no JSON object");
  for (const char* port : {"shell_port", "iopub_port", "stdin_port", "control_port", "hb_port"}) {
    const auto found = file.find(port);
    if (found == file.end() || !found->is_number_unsigned() || found->get<std::uint64_t>() > 65535) {
      return std::unexpected(path + " is no connection file: " + port + " is no port");
    }
  }
  const auto word = [&](const char* name, const char* usual) {
    const auto found = file.find(name);
    return found != file.end() && found->is_string() ? found->get<std::string>() : std::string(usual);
  };
  Connection connection{word("key", ""), word("transport", "tcp"), word("ip", "127.0.0.1"), file};
  if (connection.transport != "tcp" && connection.transport != "ipc") {
    return std::unexpected(path + ": the transport " + connection.transport + " is none; tcp and ipc are");
  }
  if (const std::string scheme = word("signature_scheme", "hmac-sha256"); scheme != "hmac-sha256") {
    return std::unexpected(path + ": messages are signed with hmac-sha256, and not with " + scheme);
  }
  return connection;
}

class Kernel {
 public:
  Kernel(const Connection& connection, Sockets& sockets, repl::ReplOptions options)
      : connection_(connection),
        wire_(connection.key),
        sockets_(sockets),
        frames_(shot_folder(), [this](const std::string& png) { display({{"image/png", base64(png)}}); }),
        shell_(with_outputs(std::move(options))) {}

  /// Why the sockets could not be bound; else nothing, when all is over.
  std::string run() {
    if (std::string why = bind(); !why.empty()) return why;
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);  // nobody can be asked
    ::dup2(nothing, STDIN_FILENO);
    ::close(nothing);
    main_thread_ = ::pthread_self();
    interrupted = &shell_.session();
    struct sigaction action{};
    action.sa_handler = [](int) { interrupted->interrupt(); };
    ::sigaction(SIGINT, &action, nullptr);
    // An interrupt is the business of the thread that runs programs.
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    CapturedOutput output([this](bool to_error, const std::string& text) { stream(to_error, text); });
    output_ = &output;
    std::thread control([this] { serve_control(); });
    std::thread heart([this] { beat(); });
    ::pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
    publish("status", {{"execution_state", "starting"}}, Json::object());
    const pid_t parent = ::getppid();
    const bool has_parent = std::getenv("JPY_PARENT_PID") != nullptr;
    while (!ended_) {
      if (has_parent && ::getppid() != parent) ended_ = true;  // the front end is gone
      if (const auto frames = shell_socket_->receive(kTick)) take(*shell_socket_, wire_.read(*frames));
    }
    control.join();
    heart.join();
    return {};
  }

 private:
  static std::string shot_folder() {
    const char* folder = std::getenv("CAIRN_SHOT");
    std::error_code fault;
    const std::filesystem::path whole = std::filesystem::weakly_canonical(folder == nullptr ? "" : folder, fault);
    return whole.string();
  }

  repl::ReplOptions with_outputs(repl::ReplOptions options) {
    options.pictures = true;
    options.execution.natives = &frames_.natives();
    options.value = [this](const repl::Shown& shown) { result_ = shown; };
    options.fail = [this](const repl::Failure& failure) { failure_ = failure; };
    options.out = [this](const std::string& text) { stream(false, text); };
    options.note = [this](const std::string& text) { stream(true, text); };
    return options;
  }

  std::string bind() {
    struct Wanted {
      std::unique_ptr<Socket>* socket;
      SocketKind kind;
      const char* port;
    };
    const Wanted all[] = {{&shell_socket_, SocketKind::Router, "shell_port"},
                          {&publish_socket_, SocketKind::Publish, "iopub_port"},
                          {&stdin_socket_, SocketKind::Router, "stdin_port"},
                          {&control_socket_, SocketKind::Router, "control_port"},
                          {&heart_socket_, SocketKind::Reply, "hb_port"}};
    for (const Wanted& each : all) {
      auto socket = sockets_.bind(each.kind, connection_.endpoint_of(each.port));
      if (!socket) return socket.error();
      *each.socket = std::move(*socket);
    }
    return {};
  }

  // --------------------------------------------------------------------------------------------- publishing

  void publish(std::string_view type, const Json& content, const Json& parent) {
    const std::lock_guard guard(publish_mutex_);
    publish_socket_->send(wire_.write({std::string(type)}, type, content, parent));
  }

  /// Of the cell that runs, from any thread.
  void publish_of_cell(std::string_view type, const Json& content) {
    const std::lock_guard guard(publish_mutex_);
    if (silent_) return;
    publish_socket_->send(wire_.write({std::string(type)}, type, content, cell_));
  }
  void stream(bool to_error, const std::string& text) {
    publish_of_cell("stream", {{"name", to_error ? "stderr" : "stdout"}, {"text", text}});
  }
  void display(const Json& data) {
    publish_of_cell("display_data", {{"data", data}, {"metadata", Json::object()}, {"transient", Json::object()}});
  }

  static void reply(Socket& socket, const Wire& wire, const Message& asked, const Json& content) {
    std::string type = asked.type();
    type.replace(type.size() - std::string_view("request").size(), std::string::npos, "reply");
    socket.send(wire.write(asked.identities, type, content, asked.header));
  }

  // --------------------------------------------------------------------------------------------- requests

  void take(Socket& socket, const std::optional<Message>& message) {
    if (!message || !message->type().ends_with("_request")) return;  // forged, or no business of ours (comm_open, ..)
    publish("status", {{"execution_state", "busy"}}, message->header);
    bool stop = false;
    std::vector<Frames> waiting;  // what a cell that failed finds queued behind it; what comes after its reply is run
    try {
      const Json content = answer(*message, stop);
      while (stop) {
        auto next = socket.receive(0);
        if (!next) break;
        waiting.push_back(std::move(*next));
      }
      if (!content.is_null()) reply(socket, wire_, *message, content);
    } catch (const std::exception& fault) {  // content of another shape than the protocol's
      reply(socket, wire_, *message,
            {{"status", "error"}, {"ename", "request"}, {"evalue", fault.what()}, {"traceback", Json::array()}});
    }
    publish("status", {{"execution_state", "idle"}}, message->header);
    abort(socket, waiting);
  }

  /// Cells that were queued behind one that failed are not run.
  void abort(Socket& socket, const std::vector<Frames>& waiting) {
    for (const Frames& frames : waiting) {
      const auto message = wire_.read(frames);
      if (!message || message->type() != "execute_request") {
        take(socket, message);
        continue;
      }
      publish("status", {{"execution_state", "busy"}}, message->header);
      reply(socket, wire_, *message, {{"status", "aborted"}, {"execution_count", count_}});
      publish("status", {{"execution_state", "idle"}}, message->header);
    }
  }

  Json answer(const Message& message, bool& stop) {
    const std::string type = message.type();
    const Json& content = message.content;
    if (type == "execute_request") return execute(message, stop);
    if (type == "kernel_info_request") return kernel_info();
    if (type == "complete_request") return complete(content.at("code"), content.at("cursor_pos"));
    if (type == "inspect_request") return inspect(content.at("code"), content.at("cursor_pos"));
    if (type == "is_complete_request") return is_complete(content.at("code"));
    if (type == "history_request") return history(content);
    if (type == "comm_info_request") return {{"status", "ok"}, {"comms", Json::object()}};
    if (type == "interrupt_request") {
      if (::pthread_equal(main_thread_, ::pthread_self()) == 0) ::pthread_kill(main_thread_, SIGINT);
      return {{"status", "ok"}};
    }
    if (type == "shutdown_request") {
      ended_ = true;
      if (::pthread_equal(main_thread_, ::pthread_self()) == 0) ::pthread_kill(main_thread_, SIGINT);
      return {{"status", "ok"}, {"restart", content.value("restart", false)}};
    }
    return nullptr;
  }

  Json execute(const Message& message, bool& stop) {
    const Json& content = message.content;
    const std::string code = content.at("code");
    const bool silent = content.value("silent", false);
    if (!silent && content.value("store_history", true)) {
      ++count_;
      inputs_.push_back(code);
    }
    {
      const std::lock_guard guard(publish_mutex_);
      cell_ = message.header;
      silent_ = silent;
    }
    publish_of_cell("execute_input", {{"code", code}, {"execution_count", count_}});
    shell_.session().calm();
    failure_ = {};
    const repl::Outcome outcome = shell_.run(code, true, [this] { result_.reset(); });
    output_->flush();
    if (outcome == repl::Outcome::Failed) {
      Json error = error_of(failure_);
      publish_of_cell("error", error);
      error.update({{"status", "error"}, {"execution_count", count_}});
      stop = content.value("stop_on_error", true);
      return error;
    }
    if (result_) {
      publish_of_cell("execute_result",
                      {{"execution_count", count_}, {"data", bundle_of(*result_)}, {"metadata", Json::object()}});
    }
    Json payload = Json::array();
    if (outcome == repl::Outcome::Quit) {
      ended_ = true;
      payload.push_back({{"source", "ask_exit"}, {"keepkernel", false}});
    }
    return {{"status", "ok"},
            {"execution_count", count_},
            {"payload", payload},
            {"user_expressions", user_expressions(content.value("user_expressions", Json::object()))}};
  }

  Json user_expressions(const Json& asked) {
    Json all = Json::object();
    for (const auto& [name, code] : asked.items()) {
      result_.reset();
      failure_ = {};
      if (code.is_string() && shell_.submit(code) == repl::Outcome::Good && result_) {
        all[name] = {{"status", "ok"}, {"data", bundle_of(*result_)}, {"metadata", Json::object()}};
      } else {
        all[name] = error_of(failure_);
        all[name]["status"] = "error";
      }
    }
    return all;
  }

  [[nodiscard]] Json complete(const std::string& code, std::size_t cursor) const {
    const std::size_t at = byte_of(code, cursor);
    std::size_t begin = at;
    Json matches = Json::array();
    Json kinds = Json::array();
    const auto all = shell_.completions(code, at, begin);
    const std::size_t from = code_points(code, begin);
    for (const repl::Completion& each : all) {
      matches.push_back(each.text);
      kinds.push_back(
          {{"start", from}, {"end", cursor}, {"text", each.text}, {"type", each.kind}, {"signature", each.detail}});
    }
    return {{"status", "ok"},
            {"matches", matches},
            {"cursor_start", from},
            {"cursor_end", cursor},
            {"metadata", {{"_jupyter_types_experimental", kinds}}}};
  }

  Json inspect(const std::string& code, std::size_t cursor) {
    const std::string shown = shell_.session().description(code, byte_of(code, cursor));
    Json data = Json::object();
    if (!shown.empty()) {
      std::string plain = shown;
      for (const std::string_view fence : {"```cairn\n", "\n```"}) {
        if (const std::size_t found = plain.find(fence); found != std::string::npos) plain.erase(found, fence.size());
      }
      data = {{"text/plain", plain}, {"text/markdown", shown}};
    }
    return {{"status", "ok"}, {"found", !shown.empty()}, {"data", data}, {"metadata", Json::object()}};
  }

  static Json is_complete(const std::string& code) {
    repl::EntryReader pending;
    for (std::size_t at = 0; at < code.size();) {
      const std::string_view line = repl::next_line(code, at);
      if (pending.is_empty() && repl::Shell::is_command(line)) continue;
      pending.add(line);
      if (!pending.is_complete()) continue;
      if (repl::closes_too_much(pending.take())) return {{"status", "invalid"}};
    }
    if (pending.is_empty()) return {{"status", "complete"}};
    return {{"status", "incomplete"},
            {"indent", std::string(2 * static_cast<std::size_t>(std::max(pending.open_brackets(), 0)), ' ')}};
  }

  [[nodiscard]] Json history(const Json& content) const {
    std::size_t from = 0;
    std::size_t to = inputs_.size();
    const std::string access = content.value("hist_access_type", std::string("tail"));
    if (access == "tail") from = to - std::min(to, content.value("n", std::size_t{10}));
    if (access == "range") {
      from = std::min(to, content.value("start", std::size_t{1}) - 1);
      if (const auto stop = content.find("stop"); stop != content.end() && stop->is_number_unsigned()) {
        to = std::clamp(stop->get<std::size_t>() - 1, from, to);
      }
    }
    if (access == "search") from = to;  // nothing is kept from one session to the next
    Json lines = Json::array();
    for (std::size_t k = from; k < to; ++k) lines.push_back({0, k + 1, inputs_[k]});
    return {{"status", "ok"}, {"history", lines}};
  }

  // --------------------------------------------------------------------------------------------- the other channels

  void serve_control() {
    while (!ended_) {
      const auto frames = control_socket_->receive(kTick);
      if (!frames) continue;
      const auto message = wire_.read(*frames);
      if (!message) continue;
      const std::string type = message->type();
      if (type != "interrupt_request" && type != "shutdown_request" && type != "kernel_info_request") continue;
      take(*control_socket_, message);
    }
  }

  void beat() {
    while (!ended_) {
      if (const auto frames = heart_socket_->receive(kTick)) heart_socket_->send(*frames);
    }
  }

  Connection connection_;
  Wire wire_;
  Sockets& sockets_;
  std::unique_ptr<Socket> shell_socket_;
  std::unique_ptr<Socket> publish_socket_;
  std::unique_ptr<Socket> stdin_socket_;
  std::unique_ptr<Socket> control_socket_;
  std::unique_ptr<Socket> heart_socket_;
  std::atomic<bool> ended_{false};
  pthread_t main_thread_{};

  std::mutex publish_mutex_;  // of publish_socket_ and the two below
  Json cell_ = Json::object();
  bool silent_ = false;

  CapturedFrames frames_;
  CapturedOutput* output_ = nullptr;
  std::optional<repl::Shown> result_;
  repl::Failure failure_;
  repl::Shell shell_;
  std::uint64_t count_ = 0;
  std::vector<std::string> inputs_;
};

}  // namespace

std::string serve(const std::string& connection_file, repl::ReplOptions options) {
  const auto connection = connection_of(connection_file);
  if (!connection) return connection.error();
  auto sockets = Sockets::open();
  if (!sockets) return sockets.error();
  return Kernel(*connection, **sockets, std::move(options)).run();
}

}  // namespace cairn::kernel
