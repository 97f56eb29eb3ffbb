#include "runtime/pool/lane_pool.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <numeric>
#include <thread>
#include <vector>

namespace cairn::runtime {
namespace {

TEST_CASE("a region runs every index once, in chunks that do not depend on the lanes", "[runtime][pool]") {
  for (const std::size_t lanes : {1U, 2U, 3U, 16U, 40U}) {
    LanePool pool(lanes);
    for (const std::size_t count : {0U, 1U, 7U, 64U, 1000U, 100001U}) {
      for (const std::size_t chunk : {1U, 3U, 64U, 8192U}) {
        std::vector<std::uint8_t> runs(count, 0);
        std::atomic<bool> aligned{true};
        auto body = [&](std::size_t, std::size_t begin, std::size_t end) {
          if (begin % chunk != 0 || (end != count && end - begin != chunk)) aligned = false;
          for (std::size_t i = begin; i < end; ++i) ++runs[i];
          return true;
        };
        REQUIRE(pool.run({.count = count, .chunk = chunk, .max_lanes = 0}, body));
        REQUIRE(aligned);
        REQUIRE(std::ranges::count(runs, 1) == static_cast<std::ptrdiff_t>(count));
      }
    }
  }
}

TEST_CASE("a region takes at most the lanes it may", "[runtime][pool]") {
  LanePool pool(8);
  for (int round = 0; round < 200; ++round) {
    std::atomic<std::size_t> highest{0};
    auto body = [&](std::size_t lane, std::size_t, std::size_t) {
      for (std::size_t seen = highest; lane > seen && !highest.compare_exchange_weak(seen, lane);) {
      }
      return true;
    };
    REQUIRE(pool.run({.count = 1000, .chunk = 1, .max_lanes = 3}, body));
    REQUIRE(highest < 3);
  }
}

TEST_CASE("a body that fails stops the chunks nobody has claimed, and the region says so", "[runtime][pool]") {
  LanePool pool(4);
  std::atomic<std::size_t> done{0};
  auto body = [&](std::size_t, std::size_t begin, std::size_t) {
    ++done;
    return begin != 0;
  };
  REQUIRE_FALSE(pool.run({.count = std::size_t{1} << 40U, .chunk = 1, .max_lanes = 0}, body));
  REQUIRE(done > 0);
  auto fine = [](std::size_t, std::size_t, std::size_t) { return true; };
  REQUIRE(pool.run({.count = 100, .chunk = 1, .max_lanes = 0}, fine));
}

TEST_CASE("regions of many threads share the pool, also more at once than it has places for", "[runtime][pool]") {
  LanePool pool(3);
  constexpr std::size_t kThreads = 70;
  std::vector<std::uint64_t> sums(kThreads);
  {
    std::vector<std::jthread> threads;
    for (std::size_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&pool, &sums, thread] {
        for (int round = 0; round < 30; ++round) {
          std::atomic<std::uint64_t> sum{0};
          auto body = [&](std::size_t, std::size_t begin, std::size_t end) {
            std::uint64_t part = 0;
            for (std::size_t i = begin; i < end; ++i) part += i;
            sum.fetch_add(part, std::memory_order_relaxed);
            return true;
          };
          pool.run({.count = 5000, .chunk = 100, .max_lanes = 0}, body);
          sums[thread] += sum;
        }
      });
    }
  }
  for (const std::uint64_t sum : sums) REQUIRE(sum == 30U * (5000U * 4999U / 2));
}

TEST_CASE("what lanes wrote plainly is there when the region has ended", "[runtime][pool]") {
  LanePool pool(4);
  std::vector<std::uint64_t> values(4096);
  for (std::uint64_t round = 1; round <= 300; ++round) {
    auto body = [&](std::size_t, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) values[i] += round;
      return true;
    };
    pool.run({.count = values.size(), .chunk = 16, .max_lanes = 0}, body);
  }
  for (const std::uint64_t value : values) REQUIRE(value == 300U * 301U / 2);
}

TEST_CASE("the lane count is a number from 1 to 1024, and empty means the cores", "[runtime][pool]") {
  CHECK(lane_count("").value() >= 1);
  CHECK(lane_count("1").value() == 1);
  CHECK(lane_count("1024").value() == 1024);
  for (const char* bad : {"0", "1025", "-1", "two", " 2", "2 ", "99999999999999999999"}) {
    CHECK_FALSE(lane_count(bad).has_value());
  }
}

}  // namespace
}  // namespace cairn::runtime
