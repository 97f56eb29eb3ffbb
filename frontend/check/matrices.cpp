// mma_unordered on whole matrices (numerics, 4).
#include "frontend/check/body_checker.hpp"
#include "frontend/check/concurrent_ops.hpp"

namespace cairn {

using checked::ConcurrentOp;

namespace {

constexpr std::size_t kOfMatrices = 6;
constexpr std::size_t kOfFragments = 3;

Placement placement_of(Node view) { return view->type->is(TypeKind::View) ? view->type->placement : Placement::Host; }

}  // namespace

Node BodyChecker::mma_unordered(BuiltinCall& call) {
  if (call.arguments.size() == kOfMatrices) return matrix_multiply(call);
  if (call.arguments.size() == kOfFragments) return fragment_multiply(call);
  refuse(Code::Arity, call.position,
         "mma_unordered takes the three extents and three matrices, mma_unordered(m, n, k, c, a, b), or three "
         "fragments, mma_unordered(acc, a, b); this call gives " +
             std::to_string(call.arguments.size()) + (call.arguments.size() == 1 ? " argument." : " arguments."));
}

Node BodyChecker::matrix_multiply(BuiltinCall& call) {
  const Position at = call.position;
  if (in_lane() || on_device()) {
    refuse(Code::ParallelNest, at,
           "mma_unordered multiplies whole matrices, so a lane does not call it. Call it outside the region, or "
           "multiply fragments in a cooperative region.");
  }
  Node extents[kOfFragments];
  for (std::size_t k = 0; k < kOfFragments; ++k) extents[k] = value_of(call.arguments[k], types().usize());
  Node c = walk_lent_view(call.arguments[3]);
  const Type* accumulated = element_type(c->type);
  if (accumulated == nullptr || !accumulated->is(TypeKind::F32) || root_local(c) == nullptr ||
      !lends_mode(c, BorrowMode::Rw)) {
    refuse(Code::Mma, c->position,
           "mma_unordered adds into an rw view of f32, and this is " + shown_view(c) + ". Lend it an f32 buffer.");
  }
  Node a = walk_lent_view(call.arguments[4]);
  Node b = walk_lent_view(call.arguments[5]);
  const Type* factors[] = {element_type(a->type), element_type(b->type)};
  const bool are_factors = factors[0] != nullptr && factors[0] == factors[1] && factors[0]->is_storage_float() &&
                           root_local(a) != nullptr && root_local(b) != nullptr;
  if (!are_factors) {
    refuse(Code::Mma, at,
           "mma_unordered multiplies views of one storage float, f16, bf16, f8e4m3 or f8e5m2, and these are " +
               shown_view(a) + " and " + shown_view(b) + ". Round both with one format first.");
  }
  const bool on_the_device = placement_of(c) == Placement::Device;
  if ((placement_of(a) == Placement::Device) != on_the_device ||
      (placement_of(b) == Placement::Device) != on_the_device) {
    refuse(Code::Placement, at,
           "The matrices of mma_unordered are all @device, or all where the host reaches them: transfer the others.");
  }
  const LentPlace lent[] = {place_path(c, true), place_path(a, false), place_path(b, false)};
  require_disjoint(lent, at);
  note_lent(c, true, at, true);
  note_lent(a, false, at, true);
  note_lent(b, false, at, true);
  return concurrent_node(ConcurrentOp::MatrixMultiply, types().void_type(), nullptr,
                         {extents[0], extents[1], extents[2], lent_view(c, BorrowMode::Rw),
                          lent_view(a, BorrowMode::Ro), lent_view(b, BorrowMode::Ro)},
                         at);
}

}  // namespace cairn
