// Layout queries in code (ownership and memory, 11.5).
#include "frontend/check/body_checker.hpp"
#include "frontend/check/layout_facts.hpp"
#include "frontend/diagnostics/fixes.hpp"

namespace cairn {

using checked::ExprKind;
using checked::LayoutQueryOp;
using checked::LayoutValue;

namespace {

void require_exactly(std::size_t wanted, std::size_t given, std::string_view query, Position at) {
  if (wanted == given) return;
  refuse(Code::Arity, at,
         std::string(query) + " takes " + std::to_string(wanted) + (wanted == 1 ? " argument" : " arguments") +
             ", and this call gives " + std::to_string(given) + ".");
}

void require_spread(const LayoutValue& layout, std::string_view query, Position at) {
  if (layout.is_spread) return;
  refuse(Code::Layout, at, "A storage layout has no " + std::string(query) + ": only a spread does.");
}

}  // namespace

std::optional<std::uint64_t> layout_fact(const LayoutValue& layout, std::string_view query, std::size_t arguments,
                                         std::optional<std::uint64_t> argument, Position at) {
  if (query == "size" || query == "cosize") {
    require_exactly(0, arguments, query, at);
    return query == "size" ? layout.size() : layout.cosize();
  }
  if (query == "extent") {
    require_exactly(1, arguments, query, at);
    if (argument && *argument >= layout.rank()) {
      refuse(Code::Layout, at, "This layout has " + std::to_string(layout.rank()) + " dimensions, counted from 0.");
    }
    if (!argument) return std::nullopt;
    return layout.extent(static_cast<std::size_t>(*argument));
  }
  if (query == "participants" || query == "values") {
    require_spread(layout, query, at);
    require_exactly(0, arguments, query, at);
    return query == "participants" ? layout.participants() : layout.values();
  }
  return std::nullopt;
}

Node BodyChecker::layout_query(const syntax::LayoutDecl& declaration, Name query, std::vector<Operand>& arguments,
                               Position at) {
  const LayoutValue& layout = checker_.layout(declaration);
  const std::string_view name = checker_.text(query);
  std::optional<std::uint64_t> dimension;
  if (name == "extent" && arguments.size() == 1) {
    dimension = checker_.constant_natural(*arguments.front().written, scope_);
  }
  if (const auto count = layout_fact(layout, name, arguments.size(), dimension, at)) {
    return integer_node(*count, types().usize(), at);
  }
  LayoutQueryOp op = LayoutQueryOp::At;
  if (name == "row" || name == "col") {
    require_spread(layout, name, at);
    op = name == "row" ? LayoutQueryOp::Row : LayoutQueryOp::Col;
  } else if (name != "at") {
    static constexpr std::string_view kQueries[] = {"at",     "row",    "col",          "size",
                                                    "cosize", "extent", "participants", "values"};
    refuse(Diagnostic{
        Code::Callee,
        "A layout answers at, row, col, size, cosize, extent, participants and values, not " + quoted(query) + ".",
        at,
        did_you_mean(name, kQueries),
        {},
        {},
        {}});
  }
  require_exactly(layout.is_spread ? 2 : layout.rank(), arguments.size(), name, at);
  auto& node = make<checked::LayoutQueryExpr>(ExprKind::LayoutQuery, types().usize(), at);
  node.op = op;
  node.layout = &layout;
  std::vector<Node> coordinates;
  for (Operand& operand : arguments) coordinates.push_back(value_of(operand, types().usize()));
  node.arguments = checker_.arena().copy(std::span<const Node>(coordinates));
  require_consumer(node, at);
  return &node;
}

/// L.at(D.row(..), D.col(..)), either written directly: D's tile has L's shape.
void BodyChecker::require_consumer(const checked::LayoutQueryExpr& query, Position at) {
  if (query.layout->is_spread || query.arguments.size() != 2) return;
  for (Node argument : query.arguments) {
    if (argument->kind != ExprKind::LayoutQuery) continue;
    const auto& inner = argument->as<checked::LayoutQueryExpr>();
    if (inner.op == LayoutQueryOp::At) continue;
    const LayoutValue& tile = *inner.layout;
    if (tile.extent(0) == query.layout->extent(0) && tile.extent(1) == query.layout->extent(1)) continue;
    const auto shape = [](const LayoutValue& layout) {
      return std::to_string(layout.extent(0)) + " x " + std::to_string(layout.extent(1));
    };
    refuse(
        Code::LayoutConsumer, at,
        "This layout is " + shape(*query.layout) + " and is read with coordinates of a tile of " + shape(tile) + ".");
  }
}

}  // namespace cairn
