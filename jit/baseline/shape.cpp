#include "jit/baseline/shape.hpp"

namespace cairn::jit {
namespace {

using std::string_view;

struct KindName {
  string_view text;
  Kind kind;
};
constexpr KindName kKinds[] = {{"bool", Kind::Bool}, {"u8", Kind::U8},   {"u16", Kind::U16}, {"u32", Kind::U32},
                               {"u64", Kind::U64},   {"i8", Kind::I8},   {"i16", Kind::I16}, {"i32", Kind::I32},
                               {"i64", Kind::I64},   {"f32", Kind::F32}, {"f64", Kind::F64}, {"u", Kind::U64},
                               {"s", Kind::I64}};

constexpr Kind kind_named(string_view text) {
  for (const KindName& entry : kKinds) {
    if (entry.text == text) return entry.kind;
  }
  return Kind::None;
}

struct VerbName {
  string_view text;
  Verb verb;
};
constexpr VerbName kVerbs[] = {
    {"add", Verb::Add},
    {"sub", Verb::Sub},
    {"mul", Verb::Mul},
    {"div", Verb::Div},
    {"rem", Verb::Rem},
    {"neg", Verb::Neg},
    {"abs", Verb::Abs},
    {"add.wrap", Verb::AddWrap},
    {"sub.wrap", Verb::SubWrap},
    {"mul.wrap", Verb::MulWrap},
    {"shl.wrap", Verb::ShlWrap},
    {"shr", Verb::Shr},
    {"fma", Verb::Fma},
    {"sqrt", Verb::Sqrt},
    {"floor", Verb::Floor},
    {"ceil", Verb::Ceil},
    {"trunc", Verb::Trunc},
    {"load", Verb::Load},
    {"store", Verb::Store},
    {"frame.load", Verb::FrameLoad},
    {"frame.store", Verb::FrameStore},
    {"load.at", Verb::LoadAt},
    {"store.at", Verb::StoreAt},
};
constexpr VerbName kSlotVerbs[] = {{"and", Verb::And}, {"or", Verb::Or}, {"xor", Verb::Xor}};

struct RelationName {
  string_view text;
  Relation relation;
};
constexpr RelationName kRelations[] = {{"eq", Relation::Eq},        {"ne", Relation::Ne},       {"lt", Relation::Lt},
                                       {"le", Relation::Le},        {"gt", Relation::Gt},       {"ge", Relation::Ge},
                                       {"not.lt", Relation::NotLt}, {"not.le", Relation::NotLe}};

constexpr bool find_relation(string_view text, Relation& relation) {
  for (const RelationName& entry : kRelations) {
    if (entry.text != text) continue;
    relation = entry.relation;
    return true;
  }
  return false;
}

/// "eq", "lt.u", "not.le": with no type, of whole slots.
constexpr bool find_comparison(string_view text, Shape& shape) {
  if (shape.type == Kind::None) {
    const bool is_signed = text.ends_with(".s");
    shape.type = is_signed ? Kind::I64 : Kind::U64;
    if (is_signed || text.ends_with(".u")) text.remove_suffix(2);
  }
  return find_relation(text, shape.relation);
}

consteval Shape parsed(string_view text) {
  Shape shape;
  if (text.starts_with("to.") || text.starts_with("bits.") || text.starts_with("from.bits.")) {
    if (!text.starts_with("to.")) return shape;
    const std::size_t dot = text.rfind('.');
    shape.type = kind_named(text.substr(3, dot - 3));
    shape.source = kind_named(text.substr(dot + 1));
    if (shape.type != Kind::None && shape.source != Kind::None) shape.verb = Verb::Convert;
    return shape;
  }
  const bytecode::OpName name = bytecode::split_name(text);
  shape.immediate = name.immediate;
  shape.type = kind_named(name.type);
  if (name.verb.starts_with("jump.")) {
    Shape jump = shape;
    if (find_comparison(name.verb.substr(5), jump)) {
      jump.verb = Verb::JumpOn;
      return jump;
    }
  }
  Shape comparison = shape;
  if (find_comparison(name.verb, comparison)) {
    comparison.verb = Verb::Compare;
    return comparison;
  }
  if (shape.type != Kind::None) {
    for (const VerbName& entry : kVerbs) {
      if (entry.text == name.verb) shape.verb = entry.verb;
    }
    return shape;
  }
  for (const VerbName& entry : kSlotVerbs) {
    if (entry.text == name.verb) shape.verb = entry.verb;
  }
  if (name.verb.starts_with("min.") || name.verb.starts_with("max.")) {
    shape.verb = name.verb.starts_with("min.") ? Verb::Min : Verb::Max;
    shape.type = kind_named(name.verb.substr(4));
  }
  for (const string_view suffix : {string_view(".word"), string_view(".pair")}) {
    if (!name.verb.ends_with(suffix)) continue;
    for (const VerbName& entry : kVerbs) {
      if (entry.verb >= Verb::Load && entry.text == name.verb.substr(0, name.verb.size() - suffix.size())) {
        shape.verb = entry.verb;
        shape.type = suffix == ".word" ? Kind::U64 : Kind::Pair;
      }
    }
  }
  return shape;
}

}  // namespace

constinit const std::array<Shape, bytecode::kOperationCount> kShapes = {
#define OPERATION(Name, text, operands, traps, meaning) parsed(text),
#include "vm/bytecode/operations.def"
#undef OPERATION
};

}  // namespace cairn::jit
