// Layout queries in code (ownership and memory, 11.5).
#include "frontend/check/body_checker.hpp"
#include "frontend/check/layouts.hpp"

namespace cairn {

using checked::ExprKind;
using checked::LayoutQueryOp;

Node BodyChecker::layout_query(const syntax::LayoutDecl& declaration, Name query, std::vector<Operand>& arguments,
                               Position at) {
  const checked::LayoutValue& layout = checker_.layout(declaration);
  const LayoutQuestion question = layout_question(layout, checker_.text(query), arguments.size(), at);
  if (is_count(question)) {
    const std::uint64_t dimension =
        arguments.empty() ? 0 : checker_.constant_natural(*arguments.front().written, scope_);
    return integer_node(layout_count(layout, question, dimension, at), types().usize(), at);
  }
  auto& node = make<checked::LayoutQueryExpr>(ExprKind::LayoutQuery, types().usize(), at);
  node.layout = &layout;
  node.op = question == LayoutQuestion::Row   ? LayoutQueryOp::Row
            : question == LayoutQuestion::Col ? LayoutQueryOp::Col
                                              : LayoutQueryOp::At;
  const std::size_t mark = made_.size();
  for (Operand& operand : arguments) {
    Node coordinate = value_of(operand, types().usize());
    made_.push_back(coordinate);
    if (layout.is_spread || coordinate->kind != ExprKind::LayoutQuery) continue;
    const auto& inner = coordinate->as<checked::LayoutQueryExpr>();
    if (inner.op != LayoutQueryOp::At) require_same_shape(layout, *inner.layout, at);
  }
  node.arguments = checker_.arena().copy(std::span<const Node>(made_).subspan(mark));
  made_.resize(mark);
  return &node;
}

}  // namespace cairn
