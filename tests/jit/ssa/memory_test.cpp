// Memory that is followed as values, beside what the instructions the engine does read and write of it.
#include "jit/ssa/build.hpp"
#include "jit/ssa/passes.hpp"
#include "tests/jit/ssa/evaluator.hpp"

namespace cairn::tests {

TEST_CASE("an object whose place in the frame a step names holds what the step left there", "[jit]") {
  for (const bool part : {false, true}) {
    INFO((part ? "a field" : "the whole object"));
    constexpr RegisterType kLength{RegisterKind::U64};
    ModuleBuilder builder("owner");
    const std::uint32_t byte = builder.scalar(ScalarKind::U8);
    const std::uint32_t buffer = builder.buf(byte);
    const std::uint32_t holder = builder.declare_record("Holder");
    builder.define_record(holder, {{"before", builder.scalar(ScalarKind::U64), 0}, {"owner", buffer, 0}});
    const std::uint64_t owner = builder.type(holder).fields[1].offset;
    FunctionBuilder f(builder, builder.declare("f", builder.signature({{}, kLength, false})));
    const std::uint64_t object = f.add_object(holder);
    const Register n = f.add_register(kLength);
    const Register fresh = f.add_register({RegisterKind::Buf, false, byte});
    f.emit(Op::Const, n, 5);
    f.emit(Op::BufNew, fresh, n, byte);
    f.emit(Op::FrameStorePair, fresh, object + owner);
    f.emit(Op::FrameDrop, part ? object + owner : object, part ? buffer : holder);
    f.emit(Op::FrameLoadPair, fresh, object + owner);
    f.emit(Op::ReturnValue, fresh.second());
    f.finish();
    const Image image(verified(builder.take()), {});
    std::vector<std::optional<jit::ssa::Function>> functions{jit::ssa::build(image.module(), 0, {})};
    REQUIRE(functions[0]);
    jit::ssa::optimize(*functions[0], {image.module()});
    Limits limits;
    limits.stack_bytes = 1 << 16;
    SsaEvaluator evaluator(image, functions, limits);
    const Ending ending = evaluator.call(0, {});
    CHECK(ending.trap.empty());
    CHECK(ending.value == 0);
  }
}

}  // namespace cairn::tests
