// A program's arithmetic does not depend on what its host set the processor to.
#include <xmmintrin.h>

#include "tests/interpreter/program.hpp"

namespace cairn::tests {
namespace {

const char* const kHalf = R"(
module "half"
file 0 "half.cairn"
signature 0 (f32, f32) -> f32

function 0 "product" signature 0 kind plain environment none parent none at 0:1:1 slots 6 memory 0 align 16
  r0 f32 "x"
  r1 f32 "y"
  r2 f32
  : mul.f32 r2 r0 r1 at 0:1:9
  : return.value r2
end
)";

}  // namespace

TEST_CASE("rounding and subnormals are the language's whatever the host had set, and the host's come back",
          "[interpreter]") {
  Running running(from_text(kHalf));
  const unsigned host = _mm_getcsr();
  const unsigned strange = 0x1f80U | 0x8000U | 0x0040U | 0x4000U;  // flush to zero, denormals are zero, rounding upward
  _mm_setcsr(strange);
  const Outcome tiny = running.call("product", {bits(0x1p-126F), bits(0.5F)});
  const Outcome rounded = running.call("product", {bits(0x1.000002p0F), bits(0x1.000002p0F)});
  const unsigned after = _mm_getcsr();
  _mm_setcsr(host);
  CHECK(tiny.value == bits(0x1p-127F));
  CHECK(rounded.value == bits(0x1.000004p0F));
  CHECK((after & ~0x3fU) == strange);
}

}  // namespace cairn::tests
