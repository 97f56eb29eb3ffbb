#include "vm/cli/contracts.hpp"

#include <array>
#include <csignal>

#include <sys/mman.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "frontend/project/files.hpp"
#include "frontend/support/sha256.hpp"
#include "vm/cli/child_process.hpp"
#include "vm/testing/contract.hpp"

namespace cairn::cli {

namespace {

constexpr unsigned kCpuSeconds = 3;
constexpr double kSeconds = 8;

/// Memory that this process and a child share: what the child answers must outlive it.
class SharedAnswer {
 public:
  SharedAnswer() : file_(::memfd_create("cairn-contract", MFD_CLOEXEC)) {
    void* page = ::mmap(nullptr, sizeof(std::uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) started_ = static_cast<std::uint64_t*>(page);
  }
  ~SharedAnswer() {
    if (file_ >= 0) ::close(file_);
    if (started_ != nullptr) ::munmap(started_, sizeof(std::uint64_t));
  }
  SharedAnswer(const SharedAnswer&) = delete;
  SharedAnswer& operator=(const SharedAnswer&) = delete;

  [[nodiscard]] bool ready() const { return file_ >= 0 && started_ != nullptr; }
  /// The number of the case that began last.
  [[nodiscard]] std::uint64_t* started() const { return started_; }

  /// In the child.
  [[nodiscard]] bool store(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t written = ::write(file_, text.data(), text.size());
      if (written <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

  [[nodiscard]] std::string load() const {
    std::string text;
    std::array<char, 65536> buffer;
    ::lseek(file_, 0, SEEK_SET);
    for (ssize_t got = ::read(file_, buffer.data(), buffer.size()); got > 0;
         got = ::read(file_, buffer.data(), buffer.size())) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  int file_ = -1;
  std::uint64_t* started_ = nullptr;
};

nlohmann::ordered_json run_apart(Session& session, const Contract& contract, const ExecutionOptions& options) {
  lower::Options lowering;
  lowering.entry = false;
  lowering.roots = {&contract.function()};
  auto lowered = session.lower(lowering);
  if (!lowered) return {{"status", "unknown"}, {"message", lowered.error().message}};
  const SharedAnswer answer;
  if (!answer.ready()) return {{"status", "unknown"}, {"message", "the system gives no memory to share with a child"}};
  ChildOptions limits;
  limits.timeout_seconds = kSeconds;
  limits.cpu_seconds = kCpuSeconds;
  limits.without_input = true;
  limits.folder = session.project()->root;
  limits.captured_bytes = 8000;
  const std::uint32_t code = lowered->roots.front();
  const auto body = [&] {
    Execution execution(std::move(lowered->module), options);
    return answer.store(contract.run(execution, code, answer.started()).dump()) ? 0 : 1;
  };
  const auto ended = run_child(body, limits);
  if (!ended) return {{"status", "unknown"}, {"message", "the system gives no further process"}};
  if (ended->timed_out || ended->exit_code == -SIGXCPU || ended->exit_code == -SIGKILL) {
    return {{"status", "unknown"}, {"message", "the cases took longer than their time limit"}};
  }
  if (ended->exit_code != 0) {
    return {{"status", "native-trap-or-crash"},
            {"cases", contract.size()},
            {"last_case_started", *answer.started()},
            {"exit_code", ended->exit_code},
            {"stderr", recorded_text(ended->err)}};
  }
  auto result = nlohmann::ordered_json::parse(answer.load(), nullptr, false);
  return result.is_discarded() ? nlohmann::ordered_json{{"status", "unknown"}, {"message", "the child gave no answer"}}
                               : result;
}

}  // namespace

nlohmann::ordered_json hold_to_contract(Session& session, const std::filesystem::path& file, const std::string& shown,
                                        const ExecutionOptions& options) {
  nlohmann::ordered_json record = {{"contract", shown}};
  const auto text = read_file(file, kMostContractBytes);
  if (!text) {
    record["status"] = "invalid-contract";
    record["message"] = "it cannot be read: " + text.error();
    return record;
  }
  const auto contract = Contract::bind(*text, session.compilation());
  if (contract) {
    record.update(run_apart(session, *contract, options));
  } else {
    record["status"] = "invalid-contract";
    record["message"] = contract.error();
  }
  record["source_sha256"] = session.source_digest();
  record["contract_sha256"] = sha256_hex(*text);
  record["formal_status"] = "not-verified";
  record["security_sandbox"] = false;
  return record;
}

}  // namespace cairn::cli
