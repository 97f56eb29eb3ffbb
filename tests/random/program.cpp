// The parts of a random program in their order: types, traits, functions, the entry.
#include "tests/random/program.hpp"

#include <algorithm>

#include "tests/random/writer.hpp"

namespace cairn::tests::random {

namespace {

using Kind = Type::Kind;

constexpr const char* kHelpers = R"(fn tame(x:f64) -> f64 {
  if x >= 0.0 && x < 100.0 { return x; }
  return 7.25;
}
fn shown(x:f64) -> f64 {
  if x != x { return 9221.0; }
  return x;
}
fn bump(x:rw<u64>) { x = add_wrap(mul_wrap(x, 31), 7); }
fn pick[T:copy](first:bool, a:T, b:T) -> T {
  if first { return a; }
  return b;
}
fn once[A:copy, B:copy](x:A, f:ro<fn(A) -> B>) -> B { return f(x); }
fn apply[A:copy, B:copy](n:usize, x:A, f:ro<fn(A) -> B>) -> B {
  let mut r = f(x);
  for i in 1..n { r = f(x); }
  return r;
}
fn clamped[T:integer](x:T, a:T, b:T) -> T = max(min(x, max(a, b)), min(a, b));
fn count_below[T:integer](n:usize, xs:ro<T>[n], x:T) -> usize {
  let mut c:usize = 0;
  for v in xs { if v < x { c += 1; } }
  return c;
}
fn first_at[T:integer](n:usize, xs:ro<T>[n], x:T) -> usize {
  for i, v in xs { if v == x { return i; } }
  return n;
}
fn rising[T:integer](n:usize, xs:ro<T>[n], x:T) -> usize {
  let mut top = x;
  let mut at:usize = 0;
  for i in 0..n {
    if xs[i] > top { top = xs[i]; at = i; }
  }
  return at;
}
fn spent(t:Token) -> u64 {
  let Token(id) = t;
  return add_wrap(id, 1);
}
fn dropped(t:Token) { }
fn heavy(x:ro<dyn Weigh>) -> u64 {
  let w = weigh(x);
  if w > 1000 { return 1; }
  return w;
}
fn turned(x:rw<dyn Weigh>, by:u64) -> u64 {
  turn(x, by);
  return weigh(x);
}
)";

}  // namespace

void Writer::make_types() {
  const std::uint32_t enums = below(2);
  for (std::uint32_t k = 0; k < enums; ++k) {
    const std::string name = fresh("E");
    types_.enums.push_back(types_.enumeration(name, 1 + below(5)));
  }
  const std::uint32_t records = 1 + below(3);
  for (std::uint32_t k = 0; k < records; ++k) {
    std::vector<Part> fields;
    for (std::uint32_t f = 1 + below(5); f-- > 0;) {
      const Type* type = likely(75) ? &scalar() : &copyable();
      fields.push_back({"f" + std::to_string(f), type});
    }
    const std::string form = likely(12) ? "packed" : likely(10) ? "align(32)" : "";
    types_.records.push_back(types_.record(fresh("R"), fields, form));
  }
  const std::uint32_t sums = below(3);
  for (std::uint32_t k = 0; k < sums; ++k) {
    const std::string name = fresh("S");
    std::vector<Part> variants;
    const std::uint32_t count = 2 + below(4);
    for (std::uint32_t v = 0; v < count; ++v) {
      const Type* type = v != 0 && likely(25) ? nullptr : likely(60) ? &scalar() : &copyable();
      variants.push_back({name + "v" + std::to_string(v), type});
    }
    types_.sums.push_back(types_.sum(name, variants));
  }
  // What owns.
  types_.dyns.push_back(types_.dyn("Weigh"));
  types_.owners.push_back(types_.buf(&copyable()));
  if (likely(40)) types_.owners.push_back(types_.vec(&scalar()));
  if (likely(50)) types_.owners.push_back(types_.buf(one_of(types_.owners)));
  if (likely(60)) {
    types_.records.push_back(types_.record(
        fresh("R"),
        {{"a", &scalar()}, {"held", one_of(types_.owners)}, {"b", likely(50) ? &scalar() : types_.dyns[0]}}));
    types_.owners.push_back(types_.records.back());
  }
  if (likely(50)) {
    const std::string name = fresh("S");
    types_.sums.push_back(
        types_.sum(name, {{name + "v0", &scalar()}, {name + "v1", one_of(types_.owners)}, {name + "v2", nullptr}}));
    types_.owners.push_back(types_.sums.back());
  }
  if (likely(40)) types_.owners.push_back(types_.array(one_of(types_.owners), 1 + below(4)));
  if (likely(30)) types_.owners.push_back(types_.option(one_of(types_.owners)));
  types_.owners.push_back(types_.dyns[0]);
  types_.tree("Tree", &scalar());
  types_.record("Token", {{"id", types_.named("u64")}}, "linear");
}

/// `Weigh` for every record that is a copy.
void Writer::make_traits() {
  text_ += "trait Weigh { fn weigh(self:ro<Self>) -> u64; fn turn(self:rw<Self>, by:u64); }\n";
  for (const Type* record : types_.records) {
    if (!record->is_copy) continue;
    const std::string folded = types_.folded(*record, "17", "self");
    std::string turn = "let by_now = by;";
    for (const Part& field : record->parts) {
      if (field.type->is_unsigned()) {
        turn = "self." + field.name + " = " + one_of({"add_wrap(", "sub_wrap(", "mul_wrap("}) + "self." + field.name +
               ", " + field.type->text + "(by & 127));";
      } else if (field.type->is(Kind::Bool)) {
        turn = "self." + field.name + " = by > 9;";
      }
    }
    text_ += "impl Weigh for " + record->text + " {\n  fn weigh(self:ro<" + record->text + ">) -> u64 { return " +
             folded + "; }\n  fn turn(self:rw<" + record->text + ">, by:u64) { " + turn + " }\n}\n";
  }
}

void Writer::fold_scope(std::size_t from) {
  for (std::size_t k = from; k < scope_.size(); ++k) {
    const Name name = scope_[k];
    if (name.text == accumulator_) continue;
    if (!name.is_view) {
      fold_in(name.text, *name.type);
    } else if (name.type->is_copy) {
      const std::string e = fresh("e");
      line("for " + e + " in " + name.text + " { " + accumulator_ + " = " + types_.folded(*name.type, accumulator_, e) +
           "; }");
    }
  }
}

void Writer::function(std::uint32_t number) {
  scope_.clear();
  hidden_.clear();
  writable_from_ = 0;
  depth_ = loops_ = 0;
  weight_ = 1;
  cost_ = 0;
  pure_ = likely(40);
  Callee made{.name = "f" + std::to_string(number), .is_pure = pure_};
  using How = Parameter::How;
  made.recurses = likely(25);
  if (made.recurses) made.parameters.push_back({How::Value, types_.usize, "left"});
  const std::uint32_t count = below(4);
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::string name = fresh("x");
    const Type& type = likely(60) ? scalar() : copyable();
    switch (below(7)) {
      case 0:
      case 1: {
        const bool writes = !pure_ && likely(50);
        const std::string extent = fresh("n");
        const Type& element = likely(85) ? scalar() : copyable();
        made.parameters.push_back({How::Extent, types_.usize, extent});
        made.parameters.push_back({writes ? How::RwView : How::View, &element, name});
        if (!pure_ && likely(50)) {
          const Type& other = likely(50) ? element : scalar();
          made.parameters.push_back({How::View, &other, fresh("x")});
        }
        break;
      }
      case 2:
        made.parameters.push_back({pure_ ? How::Ro : How::Rw, &type, name});
        break;
      case 3:
        made.parameters.push_back({How::Ro, &type, name});
        break;
      case 4:
        if (!pure_) {
          const Type& owner = *one_of(types_.owners);
          made.parameters.push_back({likely(50) ? How::Value : How::Rw, &owner, name});
          break;
        }
        [[fallthrough]];
      default:
        made.parameters.push_back({How::Value, &type, name});
        break;
    }
  }
  if (pure_) {
    made.result = likely(80) ? &scalar() : &copyable();
  } else {
    const std::uint32_t kind = below(10);
    made.result = kind < 4   ? &scalar()
                  : kind < 6 ? &copyable()
                  : kind < 8 ? types_.result(&copyable(), types_.named("u32"))
                             : one_of(types_.owners);
  }
  std::string head = "fn " + made.name + "(";
  std::string extent;
  for (const Parameter& parameter : made.parameters) {
    if (&parameter != &made.parameters[0]) head += ", ";
    head += parameter.name + ":";
    Name name{.text = parameter.name, .type = parameter.type};
    switch (parameter.how) {
      case How::Value:
        head += parameter.type->text;
        break;
      case How::Extent:
        head += "usize";
        extent = parameter.name;
        break;
      case How::Ro:
        head += "ro<" + parameter.type->text + ">";
        break;
      case How::Rw:
        head += "rw<" + parameter.type->text + ">";
        name.is_mutable = true;
        break;
      case How::View:
      case How::RwView:
        name.is_view = true;
        name.is_mutable = parameter.how == How::RwView;
        name.length = extent;
        head += (name.is_mutable ? "rw<" : "ro<") + parameter.type->text + ">[" + extent + "]";
        break;
    }
    declare(name);
  }
  result_ = made.result;
  accumulator_ = "acc";
  block(head + ") -> " + made.result->text + " {", [&] {
    line("let mut acc:u64 = " + std::to_string(below(1000)) + ";");
    declare({.text = "acc", .type = types_.named("u64"), .is_mutable = true});
    const std::size_t own = scope_.size();
    statements(1 + below(5));
    if (made.recurses) {
      block("if left > 0 {", [&] { call(made, true); });
    }
    statements(below(3));
    for (std::size_t k = own; k < scope_.size(); ++k) {
      if (scope_[k].type->is_copy && !scope_[k].is_view && likely(40)) fold_in(scope_[k].text, *scope_[k].type);
    }
    const Type& result = *made.result;
    if (&result == types_.named("u64")) {
      line("return acc;");
    } else if (result.is_unsigned() && likely(60)) {
      line("return " + result.text + "(acc & 127);");
    } else {
      line("return " + (result.is_copy ? value(result) : this->made(result, 0)) + ";");
    }
  });
  made.cost = (cost_ + 3) * (made.recurses ? 5 : 1);
  callees_.push_back(std::move(made));
}

void Writer::entry() {
  scope_.clear();
  hidden_.clear();
  writable_from_ = 0;
  depth_ = loops_ = 0;
  weight_ = 1;
  cost_ = 0;
  pure_ = false;
  in_entry_ = true;
  result_ = types_.named("u64");
  accumulator_ = "acc";
  leaves_allowed_ = false;
  block("fn entry(k:usize) -> u64 {", [&] {
    line("let mut acc:u64 = u64(k);");
    declare({.text = "k", .type = types_.usize});
    declare({.text = "acc", .type = result_, .is_mutable = true});
    storage();
    let(scalar());
    statements(4 + below(9));
    if (likely(70)) call();
    fold_scope(1);
    line("return acc;");
  });
}

std::string Writer::program() {
  risky_ = likely(45);
  uses_pairs_ = likely(8);
  if (uses_pairs_) types_.use("pair", {"Pair"});
  make_types();
  make_traits();
  const std::uint32_t functions = 1 + below(5);
  for (std::uint32_t k = 0; k < functions; ++k) function(k);
  entry();
  return types_.imports() + types_.declarations() + types_.folding() + kHelpers + text_;
}

std::string program(std::uint64_t seed) { return Writer(seed).program(); }

}  // namespace cairn::tests::random
