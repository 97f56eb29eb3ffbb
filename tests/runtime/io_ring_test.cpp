// Rings of kernel operations: what comes back, where the kernel has rings and where it refuses one.
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <string>

#include <catch2/catch.hpp>

#include "runtime/rings/io_ring.hpp"

using cairn::runtime::IoRing;

namespace {

IoRing::Request timeout(std::uint64_t nanoseconds, std::uint64_t tag) {
  IoRing::Request request;
  request.operation = IoRing::Operation::Timeout;
  request.nanoseconds = nanoseconds;
  request.tag = tag;
  return request;
}

/// As few descriptors as are open: the kernel has none for a ring.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &usual_);
    rlimit none = usual_;
    none.rlim_cur = 0;
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &usual_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit usual_{};
};

}  // namespace

TEST_CASE("a ring that is up reads, writes and times out, each submission coming back once", "[rings]") {
  IoRing ring(4);
  if (ring.status() < 0) {
    WARN("the kernel gives no ring here: " << std::strerror(static_cast<int>(-ring.status())));
    return;
  }
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  char out[] = "through a pipe";
  char in[32] = {};
  IoRing::Request request;
  request.operation = IoRing::Operation::Write;
  request.descriptor = ends[1];
  request.data = out;
  request.length = request.count = sizeof(out);
  request.offset = ~std::uint64_t{0};
  request.tag = 1;
  ring.submit(request);
  request.operation = IoRing::Operation::Read;
  request.descriptor = ends[0];
  request.data = in;
  request.length = request.count = sizeof(in);
  request.tag = 2;
  ring.submit(request);
  ring.submit(timeout(1'000'000, 3));
  CHECK(ring.room() == 1);
  std::set<std::uint64_t> tags;
  for (int k = 0; k < 3; ++k) {
    const IoRing::Completion ended = ring.next();
    CHECK(tags.insert(ended.tag).second);
    CHECK(ended.result == (ended.tag == 3 ? -ETIME : static_cast<std::int64_t>(sizeof(out))));
    CHECK(ended.data == (ended.tag == 1 ? out : ended.tag == 2 ? in : nullptr));
  }
  CHECK(tags == std::set<std::uint64_t>{1, 2, 3});
  CHECK(std::string(in) == "through a pipe");
  CHECK(ring.pending() == 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("a cancelled operation comes back as cancelled, and waiting may be given up", "[rings]") {
  IoRing ring(2);
  if (ring.status() < 0) return;
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  ring.submit(timeout(kHour, 7));
  const auto now = [](const void*) { return true; };
  CHECK_FALSE(ring.next(now, nullptr));
  CHECK(ring.pending() == 1);
  ring.cancel(7);
  const IoRing::Completion ended = ring.next();
  CHECK(ended.tag == 7);
  CHECK(ended.result == -ECANCELED);
}

TEST_CASE("a ring the kernel refuses hands every submission straight back with the errno", "[rings]") {
  const NoDescriptors none;
  IoRing ring(3);
  REQUIRE(ring.status() == -EMFILE);
  char data[8] = {};
  IoRing::Request request;
  request.operation = IoRing::Operation::Read;
  request.descriptor = 0;
  request.data = data;
  request.length = request.count = sizeof(data);
  request.tag = 5;
  ring.submit(request);
  ring.submit(timeout(1, 6));
  CHECK(ring.room() == 1);
  CHECK(ring.pending() == 2);
  ring.cancel(5);
  const IoRing::Completion first = ring.next();
  CHECK(first.tag == 5);
  CHECK(first.result == -EMFILE);
  CHECK(first.data == data);
  const IoRing::Completion second = ring.next();
  CHECK(second.tag == 6);
  CHECK(second.result == -EMFILE);
  CHECK(ring.room() == 3);
}
