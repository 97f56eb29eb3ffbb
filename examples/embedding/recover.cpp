// A host that gives its programs functions, and goes on after traps, limits and an interrupt from another thread.
#include <cairn.hpp>

#include <chrono>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

constexpr const char* kProgram = R"(
import host;

fn worth(symbol:u32, pieces:u64) -> f64 {
  let mut each:f64 = 0.0;
  unsafe { each = host.price(symbol); }
  return each * f64(pieces);
}

fn report(n:usize, amounts:ro<f64>[n]) {
  let total = reduce + for i in n yield amounts[i];
  println("total ", total);
  unsafe { host.note(amounts, n); }
}

fn deep(n:u64) -> u64 {
  if n == 0 { return 0; }
  return deep(n - 1) + 1;
}

fn forever() -> u64 {
  let mut k:u64 = 0;
  while true { k = add_wrap(k, 1); }
  return k;
}

fn index(n:usize, xs:ro<u64>[n], k:usize) -> u64 = xs[k];
)";

}  // namespace

int main() {
  cairn_options options = cairn_default_options();
  options.memory_bytes = 32 << 20;
  options.stack_bytes = 1 << 20;
  options.steps = 2'000'000'000;
  options.output = [](void*, bool, const char* bytes, size_t count) {
    std::printf("program says: %.*s", static_cast<int>(count), bytes);
  };
  cairn::embed::Machine machine(options);
  const std::map<std::uint32_t, double> prices = {{1, 2.5}, {2, 40.0}};
  machine.add<double(std::uint32_t)>("fn price(symbol:u32) -> f64 effects(io)", [&](std::uint32_t symbol) {
    const auto found = prices.find(symbol);
    if (found == prices.end()) throw std::runtime_error("no price of symbol " + std::to_string(symbol));
    return found->second;
  });
  machine.add<void(std::span<const double>, std::uint64_t)>(
      "fn note(amounts:ro<f64>[n], n:usize) effects(io)",
      [](std::span<const double> amounts, std::uint64_t) { std::printf("host sees %zu amounts\n", amounts.size()); });

  auto program = machine.load_source("portfolio.cairn", kProgram);
  const auto attempt = [&](const char* what, auto call) {
    try {
      call();
    } catch (const cairn::embed::Trapped& trapped) {
      std::printf("%s: %s\n", what, trapped.what());
      program.restart();
    }
  };
  std::printf("worth %g\n", program.find("worth").call<double>(2u, std::uint64_t{3}));
  const double amounts[] = {1.5, 2.25, 4.0};
  program.find("report").call(std::span<const double>(amounts));
  attempt("unknown symbol", [&] { program.find("worth").call<double>(9u, std::uint64_t{1}); });
  attempt("too deep", [&] { program.find("deep").call<std::uint64_t>(std::uint64_t{100'000'000}); });
  const std::uint64_t xs[] = {1, 2, 3};
  attempt("past the end",
          [&] { program.find("index").call<std::uint64_t>(std::span<const std::uint64_t>(xs), std::uint64_t{3}); });
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    program.interrupt();
  });
  attempt("interrupted", [&] { program.find("forever").call<std::uint64_t>(); });
  other.join();
  std::printf("still here: %g\n", program.find("worth").call<double>(1u, std::uint64_t{4}));
  return 0;
}
