// Fragment operations (numerics, 9.2 and 9.3): fills, loads, stores, steps and the elements of an accumulator.
#include "frontend/check/fragments.hpp"

#include <algorithm>

#include "frontend/check/body_blocks.hpp"
#include "frontend/check/body_checker.hpp"
#include "frontend/check/concurrent_ops.hpp"

namespace cairn {

using checked::ConcurrentOp;
using checked::ExprKind;
using checked::FragmentExpr;
using checked::LayoutValue;

namespace {

constexpr std::string_view kFormLoad = "mma_load[F](tile, LAYOUT, i, j)";

std::uint64_t bytes_of(const Type& element) { return bit_width(element.kind) / 8; }

[[noreturn]] void refuse_tensor_memory(Position at) {
  refuse(Code::TargetFeature, at,
         "TmemAcc lives in tensor memory, which needs tcgen05 (families 100, 103 and 110 with suffix f or a). Use "
         "WmmaAcc or MmaAcc.");
}

}  // namespace

// --------------------------------------------------------------------------------------------------------- their place

/// E-FRAGMENT outside a cooperative region; E-COOP-WARP where a warp does not come whole.
void BodyChecker::require_warp_here(const BuiltinCall& call) {
  require_threads_here(call);
  require_warp_reaches(threads_->reach.of_call(call.position), call.position, checker_.text(call.name));
}

void BodyChecker::require_threads_here(const BuiltinCall& call) {
  if (threads_ != nullptr && frame_->is_lane) return;
  refuse(Code::Fragment, call.position,
         std::string(checker_.text(call.name)) +
             " works on fragments, which the threads of a warp hold: write it in the body of a cooperative region.");
}

/// E-COOP-WARP at an operand that may differ between the threads of a warp.
void BodyChecker::require_same_in_warp(const Operand& operand, std::string_view what) {
  if (threads_->reach.value_of(*operand.written) != Reach::Thread) return;
  refuse(Code::CoopWarp, operand.written->position,
         std::string(what) +
             " is the same in all 32 threads of a warp, and this may differ between them. Compute it "
             "from t / 32, block names and constants.");
}

FragmentExpr& BodyChecker::fragment_node(ConcurrentOp op, const Type* type, Node receiver,
                                         std::initializer_list<Node> arguments, Position at) {
  auto& node = make<FragmentExpr>(ExprKind::Concurrent, type, at);
  node.op = op;
  node.receiver = receiver;
  node.arguments = checker_.arena().copy(std::span<const Node>(arguments.begin(), arguments.size()));
  node.on_device = threads_ != nullptr && threads_->device;
  return node;
}

// --------------------------------------------------------------------------------------------------------------- fills

/// WmmaAcc[f32, M, N, K](v), MmaAcc[f32, M, N, K](v).
Node BodyChecker::fragment_fill(BuiltinCall& call) {
  const std::string_view name = checker_.text(call.name);
  const FragmentFamily* family = fragment_family(name);
  if (family == nullptr) refuse_tensor_memory(call.position);
  if (family->role != FragmentRole::Accumulator) {
    refuse(Code::Fragment, call.position,
           std::string(name) + " is an operand, which is loaded: write mma_load[" + std::string(name) +
               "[..]](tile, LAYOUT, i, j).");
  }
  const bool fits = call.expected != nullptr && call.expected->is(TypeKind::Fragment) &&
                    checker_.text(call.expected->full_name) == name;
  if (!call.has_brackets && !fits) {
    refuse(Code::Infer, call.position,
           "Nothing here tells the shape: write " + std::string(name) + "[f32, M, N, K](value).");
  }
  const Type* type = call.has_brackets ? constructed(call, TypeKind::Fragment, "") : call.expected;
  require_threads_here(call);
  require_arguments(call, 1, 1);
  Node value = value_of(call.arguments.front(), types().scalar(TypeKind::F32));
  require_warp_here(call);
  require_same_in_warp(call.arguments.front(), "The value an accumulator is filled with");
  return &fragment_node(ConcurrentOp::FragmentFill, type, nullptr, {value}, call.position);
}

// ----------------------------------------------------------------------------------------------------- loads and
// stores

/// The fragment type of a load: in brackets, else the one expected. E-INFER, E-ARITY, E-TARGET-FEATURE, E-FRAGMENT.
const Type* BodyChecker::loaded_fragment(const BuiltinCall& call) {
  const auto refuse_untold = [&] {
    refuse(Code::Infer, call.position,
           "mma_load makes a fragment whose type is written: " + std::string(kFormLoad) +
               ", F such as WmmaA[f16, 16, 16, 16].");
  };
  if (!call.has_brackets) {
    if (call.expected == nullptr || !call.expected->is(TypeKind::Fragment)) refuse_untold();
    require_arguments(call, 4, 4);
    return call.expected;
  }
  const syntax::Expr* written = call.statics.size() == 1 ? call.statics.front() : nullptr;
  if (written != nullptr && written->kind == syntax::ExprKind::Bracket) {
    const syntax::Expr& base = *written->as<syntax::BracketExpr>().base;
    const std::string_view name =
        base.kind == syntax::ExprKind::Name ? checker_.text(base.as<syntax::NameExpr>().name) : std::string_view();
    if (fragment_family(name) != nullptr || name == "TmemAcc") {
      require_arguments(call, 4, 4);
      if (name == "TmemAcc") refuse_tensor_memory(call.position);
      return checker_.resolve_static(*written, scope_, call.position).type;
    }
  }
  // A type parameter may stand for a fragment.
  const Type* type = written != nullptr ? checker_.resolve_static(*written, scope_, call.position).type : nullptr;
  if (type == nullptr || !type->is(TypeKind::Fragment)) refuse_untold();
  require_arguments(call, 4, 4);
  return type;
}

/// E-LAYOUT-CONSUMER unless the argument names a 2-D storage layout of whole fragments.
const LayoutValue& BodyChecker::fragment_layout(const Operand& operand, const FragmentShape& shape) {
  const syntax::Expr& written = *operand.written;
  const auto refuse_layout = [&](std::string message) {
    refuse(Code::LayoutConsumer, written.position, std::move(message));
  };
  const WrittenPath path = written_path(written);
  Symbol symbol;
  if (!path.empty() && find_local(path.front()) == nullptr) {
    symbol = checker_.peek(path.names(), scope_.module, kWantLayout);
  }
  if (!symbol) refuse_layout("A fragment is addressed through a declared layout: name one here.");
  symbol = checker_.resolve(path.names(), scope_.module, kWantLayout, written.position);
  const auto& declaration = symbol.declaration->as<syntax::LayoutDecl>();
  const LayoutValue& layout = checker_.layout(declaration);
  const std::string name = quoted(declaration.name.name);
  if (layout.is_spread || layout.rank() != 2) {
    refuse_layout(name + " is no 2-D storage layout, and a fragment's tile has rows and columns.");
  }
  if (layout.extent(0) % shape.rows != 0 || layout.extent(1) % shape.columns != 0) {
    refuse_layout(name + " is " + std::to_string(layout.extent(0)) + " x " + std::to_string(layout.extent(1)) +
                  ", which is not whole fragments of " + std::to_string(shape.rows) + " x " +
                  std::to_string(shape.columns) + ".");
  }
  return layout;
}

/// The tile of a load or store: a shared array of the block, or for loads an ro view of device memory. E-TYPE-MISMATCH,
/// E-FRAGMENT, E-LAYOUT-CONSUMER, each at the tile, then E-LAYOUT-CONSUMER at the layout.
Node BodyChecker::fragment_tile(const BuiltinCall& call, Operand& operand, const Type& fragment,
                                const LayoutValue& layout, bool stores) {
  const FragmentShape shape = fragment_shape(fragment, checker_.names());
  Node tile = walk_lent_view(operand);
  const Position at = tile->position;
  const Type* element = element_type(tile->type);
  if (element != fragment.element) {
    refuse_mismatch("a tile of " + std::string(fragment.element->name), shown_view(tile), at);
  }
  if (stores && !lends_mode(tile, BorrowMode::Rw)) refuse_mismatch("a writable tile", shown_view(tile), at);
  const checked::Local* root = root_local(tile);
  const bool is_shared = root != nullptr && root->kind == checked::LocalKind::Shared;
  const Placement placement = tile->type->is(TypeKind::View) ? tile->type->placement : Placement::Host;
  const bool is_device_view =
      tile->type->is(TypeKind::View) && (placement == Placement::Device || placement == Placement::Unified);
  if (!is_shared && !is_device_view) {
    refuse(Code::Fragment, at,
           "A fragment moves through a shared array of its block or a @device view, and this is neither. Copy the tile "
           "into a shared array first.");
  }
  if (!is_shared && (stores || tile->type->mode == BorrowMode::Rw)) {
    refuse(Code::Fragment, at,
           stores ? std::string("A fragment is stored into a shared array of its block; copy it out from there.")
                  : "A fragment is loaded from a shared array or an ro view, and this view is rw. Lend it ro.");
  }
  const bool is_whole = tile->kind != ExprKind::Part && tile->type->is(TypeKind::View);
  if (is_whole && tile->type->extent.kind == Extent::Kind::Literal && tile->type->extent.literal < layout.cosize()) {
    refuse(Code::LayoutConsumer, at,
           "This tile has " + std::to_string(tile->type->extent.literal) + " elements, and the layout " +
               quoted(layout.declaration->name.name) + " reaches " + std::to_string(layout.cosize()) + ".");
  }
  if (const std::string why = why_unreadable(shape, layout, bytes_of(*fragment.element), is_shared); !why.empty()) {
    refuse(
        Code::LayoutConsumer, call.arguments[1].written->position,
        quoted(layout.declaration->name.name) + " cannot be read as " + std::string(fragment.name) + ": " + why + ".");
  }
  return tile;
}

/// The coordinates of a load or store: usize, the same in a warp.
std::pair<Node, Node> BodyChecker::fragment_coordinates(BuiltinCall& call) {
  Node row = value_of(call.arguments[2], types().usize());
  Node column = value_of(call.arguments[3], types().usize());
  require_warp_here(call);
  require_same_in_warp(call.arguments[2], "A fragment's row");
  require_same_in_warp(call.arguments[3], "A fragment's column");
  return {row, column};
}

Node BodyChecker::fragment_load(BuiltinCall& call) {
  const Type* type = loaded_fragment(call);
  const LayoutValue& layout = fragment_layout(call.arguments[1], fragment_shape(*type, checker_.names()));
  Node tile = fragment_tile(call, call.arguments[0], *type, layout, false);
  const auto [row, column] = fragment_coordinates(call);
  require_side(tile->type, tile, tile->position);
  note_lent(tile, false, call.position, true);
  FragmentExpr& node =
      fragment_node(ConcurrentOp::FragmentLoad, type, lent_view(tile, BorrowMode::Ro), {row, column}, call.position);
  node.layout = &layout;
  return &node;
}

Node BodyChecker::fragment_store(BuiltinCall& call) {
  require_arguments(call, 5, 5);
  Node accumulator = walk_operand(call.arguments[4], nullptr);
  const bool is_accumulator = accumulator->type->is(TypeKind::Fragment) &&
                              fragment_shape(*accumulator->type, checker_.names()).is_accumulator();
  if (!is_accumulator) {
    refuse_mismatch("an accumulator, WmmaAcc or MmaAcc", accumulator->type->name, accumulator->position);
  }
  const FragmentShape shape = fragment_shape(*accumulator->type, checker_.names());
  const LayoutValue& layout = fragment_layout(call.arguments[1], shape);
  Node tile = fragment_tile(call, call.arguments[0], *accumulator->type, layout, true);
  const auto [row, column] = fragment_coordinates(call);
  if (shape.family->is_wmma) require_same_in_warp(call.arguments[4], "A WMMA accumulator");
  note_lent(tile, true, call.position, true);
  FragmentExpr& node = fragment_node(ConcurrentOp::FragmentStore, types().void_type(), lent_view(tile, BorrowMode::Rw),
                                     {row, column, as_value(accumulator)}, call.position);
  node.layout = &layout;
  return &node;
}

// --------------------------------------------------------------------------------------------------------------- steps

/// mma_unordered(acc, a, b).
Node BodyChecker::fragment_multiply(BuiltinCall& call) {
  constexpr FragmentRole kRoles[] = {FragmentRole::Accumulator, FragmentRole::A, FragmentRole::B};
  const auto refuse_fragments = [&](std::string message) { refuse(Code::Mma, call.position, std::move(message)); };
  Node operands[3];
  for (std::size_t k = 0; k < 3; ++k) {
    operands[k] = walk_operand(call.arguments[k], nullptr);
    if (!operands[k]->type->is(TypeKind::Fragment)) {
      refuse_fragments("mma_unordered(acc, a, b) multiplies fragments, and " + std::string(operands[k]->type->name) +
                       " is none.");
    }
  }
  const Type& sum = *operands[0]->type;
  const FragmentFamily& family = *fragment_shape(sum, checker_.names()).family;
  for (std::size_t k = 0; k < 3; ++k) {
    const Type& type = *operands[k]->type;
    const FragmentFamily& own = *fragment_shape(type, checker_.names()).family;
    if (own.role != kRoles[k]) {
      refuse_fragments("mma_unordered takes the accumulator, then A, then B, and " + std::string(type.name) +
                       " stands in another place.");
    }
    const bool same_shape = std::ranges::equal(type.arguments.subspan(1), sum.arguments.subspan(1));
    if (own.is_wmma != family.is_wmma || !same_shape) {
      refuse_fragments("The three fragments are of one family and shape, and these are " + std::string(sum.name) +
                       " and " + std::string(type.name) + ".");
    }
  }
  if (operands[1]->type->element != operands[2]->type->element) {
    refuse_fragments("A and B hold one format, and these are " + std::string(operands[1]->type->name) + " and " +
                     std::string(operands[2]->type->name) + ".");
  }
  require_warp_here(call);
  require_same_in_warp(call.arguments[1], "Operand A");
  require_same_in_warp(call.arguments[2], "Operand B");
  if (family.is_wmma) require_same_in_warp(call.arguments[0], "A WMMA accumulator");
  return &fragment_node(ConcurrentOp::FragmentMultiply, &sum, nullptr,
                        {as_value(operands[0]), as_value(operands[1]), as_value(operands[2])}, call.position);
}

/// mma_get(acc, v), mma_set(acc, v, x): the lane's own values. No warp operations.
Node BodyChecker::fragment_value(BuiltinCall& call) {
  const bool sets = checker_.text(call.name) == "mma_set";
  require_arguments(call, sets ? 3 : 2, sets ? 3 : 2);
  Node accumulator = walk_operand(call.arguments[0], sets ? call.expected : nullptr);
  const Type* type = accumulator->type;
  const bool is_accumulator = type->is(TypeKind::Fragment) && fragment_shape(*type, checker_.names()).is_accumulator();
  if (!is_accumulator) refuse_mismatch("an accumulator, MmaAcc", type->name, accumulator->position);
  if (fragment_shape(*type, checker_.names()).family->is_wmma) {
    refuse(Code::Fragment, accumulator->position,
           "WMMA does not say which lane holds which element of an accumulator. Use MmaAcc, or store it and read the "
           "shared array.");
  }
  Node index = value_of(call.arguments[1], types().usize());
  const Type* f32 = types().scalar(TypeKind::F32);
  Node value = sets ? value_of(call.arguments[2], f32) : nullptr;
  require_threads_here(call);
  if (!sets) {
    return &fragment_node(ConcurrentOp::FragmentGet, f32, nullptr, {as_value(accumulator), index}, call.position);
  }
  return &fragment_node(ConcurrentOp::FragmentSet, type, nullptr, {as_value(accumulator), index, value}, call.position);
}

}  // namespace cairn
