// How long the reference takes, told on request: tests_reference "[speed]".
#include <catch2/catch.hpp>
#include <chrono>
#include <iostream>

#include "runtime/pool/lane_pool.hpp"
#include "runtime/reference/attention.hpp"
#include "runtime/reference/matmul.hpp"
#include "tests/reference/exact_model.hpp"

namespace cairn::model {
namespace {

class Timer {
 public:
  explicit Timer(std::string what) : what_(std::move(what)) {}
  ~Timer() {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    std::cout << what_ << ": " << took.count() << " s\n";
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

 private:
  std::string what_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

ref::Array uniform(Generator& random, ref::Format format, ref::Shape shape) {
  ref::Array made(format, std::move(shape));
  for (std::size_t i = 0; i < made.size(); ++i) {
    const double x = static_cast<double>(static_cast<std::int64_t>(random.word())) * 0x1p-63;
    made.set(i, ref::round(ref::Value::of(x), format, ref::Rounding::NearestEven, ref::Overflow::Saturate, false));
  }
  return made;
}

}  // namespace

TEST_CASE("speed of the reference", "[.speed]") {
  Generator random(1);
  runtime::LanePool pool(2);
  ref::Work work;
  work.pool = &pool;
  {
    const ref::Array a = uniform(random, ref::Format::F32, {512, 512});
    const ref::Array b = uniform(random, ref::Format::F32, {512, 512});
    ref::MatmulOptions options;
    options.work = &work;
    {
      const Timer timer("512 x 512 x 512 in f32, reference and tolerances of one row");
      CHECK(ref::matmul_sequential(ref::Format::F32).tolerance({&a, &b}, options).has_value());
    }
    for (const bool fma : {true, false}) {
      const Timer timer(fma ? "its fused run" : "its run");
      CHECK(ref::matmul_sequential(ref::Format::F32, fma).run({&a, &b}, options).has_value());
    }
  }
  const ref::Shape shape = {1, 4, 64, 64};
  const ref::Array q = uniform(random, ref::Format::F32, shape);
  const ref::Array k = uniform(random, ref::Format::F32, shape);
  const ref::Array v = uniform(random, ref::Format::F32, shape);
  const ref::Array g = uniform(random, ref::Format::F32, shape);
  ref::AttentionOptions options;
  options.work = &work;
  const ref::AttentionAlgorithm itself{ref::AttentionAlgorithm::Options{}};
  {
    const Timer timer("attention of 4 heads, L = S = E = 64 in f32, references and bounds");
    CHECK(itself.forward({&q, &k, &v}, options).has_value());
  }
  {
    const Timer timer("its backward");
    CHECK(itself.backward({{&q, &k, &v}, &g}, options).has_value());
  }
}

}  // namespace cairn::model
