// The kernel of mma_unordered on whole matrices, which no function of the module stands for.
#pragma once

#include <cstdint>

#include "cuda/compiler.hpp"

namespace cairn::cuda::writer {

/// `scalar`: a ScalarKind, of the factors; a storage float. The environment is a Context::Product.
[[nodiscard]] KernelText product_text(std::uint32_t scalar);

}  // namespace cairn::cuda::writer
