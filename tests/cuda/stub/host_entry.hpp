// What an image for the stub driver has of each entry: CAIRN_STUB_ENTRY(name) after the entry's definition.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "tests/cuda/host_grid.hpp"
#include "tests/cuda/stub/cuda_stub.hpp"

template <auto Function>
struct HostEntry;
template <class... Parameters, void (*Function)(Parameters...)>
struct HostEntry<Function> {
  using Copied = std::tuple<std::remove_cv_t<std::remove_reference_t<Parameters>>...>;
  static void* copy(void** parameters) {
    return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
      return static_cast<void*>(new Copied(*static_cast<std::tuple_element_t<Index, Copied>*>(parameters[Index])...));
    }(std::index_sequence_for<Parameters...>());
  }
  static bool run(void* copied, unsigned blocks, unsigned threads) {
    return host_grid_launch(blocks, threads, [&] { std::apply(Function, *static_cast<Copied*>(copied)); });
  }
  static void drop(void* copied) { delete static_cast<Copied*>(copied); }
};

#define CAIRN_STUB_ENTRY(name)                      \
  extern "C" __attribute__((visibility("default"))) \
  const StubEntry name##__entry = {HostEntry<&::name>::copy, HostEntry<&::name>::run, HostEntry<&::name>::drop};
