// Statements but loops and those about owners.
#include <algorithm>

#include "tests/random/writer.hpp"

namespace cairn::tests::random {

namespace {
using Kind = Type::Kind;
}  // namespace

// -----------------------------------------------------------------------------------------------------------------
// lines

void Writer::line(const std::string& text) {
  text_.append(2 * indent_, ' ');
  text_ += text + "\n";
  cost_ += weight_;
}

void Writer::block(const std::string& head, const std::function<void()>& body, const std::string& tail) {
  line(head);
  ++indent_;
  ++depth_;
  const std::size_t known = scope_.size();
  const std::vector<std::string> hidden = hidden_;
  body();
  scope_.resize(known);
  hidden_ = hidden;
  --depth_;
  --indent_;
  if (!tail.empty()) line(tail);
}

void Writer::statements(std::uint32_t count) {
  for (std::uint32_t k = 0; k < count; ++k) statement();
}

void Writer::statement() {
  const bool small = depth_ > 4 || cost_ > 4000 || weight_ > 400;
  if (small) return likely(60) ? assignment() : likely(50) ? compound() : let();
  struct Way {
    std::uint32_t chance;
    void (Writer::*make)();
    bool in_pure, in_lane;
  };
  static constexpr Way kWays[] = {
      {14, &Writer::let, true, true},
      {12, &Writer::assignment, true, true},
      {8, &Writer::compound, true, true},
      {10, &Writer::branch, true, true},
      {5, &Writer::leave, true, true},
      {6, &Writer::match, true, true},
      {8, &Writer::for_loop, true, true},
      {6, &Writer::while_loop, true, true},
      {4, &Writer::element_loop, true, true},
      {8, &Writer::array_loop, true, false},
      {2, &Writer::nest, false, false},
      {3, &Writer::region, false, false},
      {9, &Writer::call, true, false},
      {2, &Writer::print, false, false},
      {3, &Writer::check, true, true},
      {5, &Writer::closure, false, false},
      {3, &Writer::function_value, false, false},
      {4, &Writer::dispatch, false, false},
      {2, &Writer::deferred, false, false},
      {4, &Writer::outcome, false, false},
      {3, &Writer::owner, false, false},
      {3, &Writer::vector_step, false, false},
      {1, &Writer::tree, false, false},
      {1, &Writer::linear, false, false},
      {4, &Writer::storage, true, false},
      {1, &Writer::text, false, false},
      {2, &Writer::pairs, true, true},
      {2, &Writer::rounding, true, true},
      {1, &Writer::task, false, false},
      {2, &Writer::generic, true, true},
  };
  std::uint32_t total = 0;
  for (const Way& way : kWays) total += (pure_ && !way.in_pure) || (in_lane_ && !way.in_lane) ? 0 : way.chance;
  std::uint32_t chosen = below(total);
  for (const Way& way : kWays) {
    const std::uint32_t chance = (pure_ && !way.in_pure) || (in_lane_ && !way.in_lane) ? 0 : way.chance;
    if (chosen < chance) return (this->*way.make)();
    chosen -= chance;
  }
}

// -------------------------------------------------------------------------------------------------------- plain
// statements

void Writer::let() { let(likely(70) ? scalar() : copyable()); }

void Writer::let(const Type& type) {
  const bool is_mutable = likely(60);
  Name name{.text = fresh("v"), .type = &type, .is_mutable = is_mutable};
  std::string of = value(type);
  if (&type == types_.usize && likely(40)) {
    // One that is known to be small.
    name.below = 1 + below(9);
    name.is_mutable = false;
    of = small_usize() + " % " + std::to_string(name.below);
  }
  line(std::string(name.is_mutable ? "let mut " : "let ") + name.text + ":" + type.text + " = " + of + ";");
  declare(std::move(name));
}

void Writer::assignment() {
  if (const auto at = place([](const Place& p) { return p.is_mutable && p.type->is_copy; })) {
    return line(at->text + " = " + value(*at->type) + ";");
  }
  let(scalar());
}

void Writer::compound() {
  const auto at = place([](const Place& p) { return p.is_mutable && p.type->is_number(); });
  if (!at) return let(scalar());
  const Type& type = *at->type;
  const std::string safe = type.is(Kind::Float) ? value(type, 1) : "(" + typed(type, 1) + " % 7)";
  if (type.is_unsigned() && likely(60)) {
    if (likely(40)) return line(at->text + one_of({" &= ", " |= ", " ^= "}) + value(type, 1) + ";");
    return line(at->text + " = " + one_of({"add_wrap(", "sub_wrap(", "mul_wrap("}) + at->text + ", " + value(type, 1) +
                ");");
  }
  if (likely(20)) {
    return line(at->text + (type.is(Kind::Float) ? " /= " : one_of({" /= ", " %= "})) +
                (type.is(Kind::Float) ? value(type, 1) : one_of({"1", "2", "3", "10"})) + ";");
  }
  line(at->text + one_of({" += ", " -= ", " += ", " *= "}) + safe + ";");
}

void Writer::fold_in(const std::string& name, const Type& type) {
  if (accumulator_.empty()) return;
  line(accumulator_ + " = " + types_.folded(type, accumulator_, name) + ";");
}

void Writer::branch() {
  const bool more = likely(50);
  block("if " + condition() + " {", [&] { statements(1 + below(3)); }, more ? "" : "}");
  if (!more) return;
  const bool chained = likely(25);
  block(chained ? "} else if " + condition() + " {" : "} else {", [&] { statements(1 + below(3)); });
}

void Writer::leave() {
  std::string leaving;
  if (loops_ != 0 && likely(65)) {
    leaving = likely(50) ? "break;" : "continue;";
  } else if (leaves_allowed_ && !in_lane_ && result_ != nullptr && result_->is_copy) {
    leaving = "return " + value(*result_) + ";";
  }
  if (leaving.empty()) return branch();
  if (likely(70)) return line("if " + condition() + " { " + leaving + " }");
  block("if " + condition() + " {", [&] {
    statements(1 + below(2));
    line(leaving);
  });
}

void Writer::match_on(const std::string& subject, const Type& type) {
  block("match " + subject + " {", [&] {
    std::vector<Part> arms = type.parts;
    std::ranges::shuffle(arms, random_);
    for (const Part& arm : arms) {
      if (arm.type == nullptr) {
        block(arm.name + " => {", [&] { statements(1 + below(2)); });
        continue;
      }
      if (likely(10)) {
        block(arm.name + "(_) => {", [&] { statements(1); });
        continue;
      }
      const Name payload{.text = fresh("p"), .type = arm.type};
      block(arm.name + "(" + payload.text + ") => {", [&] {
        declare(payload);
        statements(1 + below(2));
        if (likely(60)) fold_in(payload.text, *payload.type);
      });
    }
  });
}

void Writer::match() {
  std::vector<const Type*> all;
  for (const auto* kinds : {&types_.enums, &types_.sums}) {
    for (const Type* type : *kinds) {
      if (type->is_copy || !(pure_ || in_lane_)) all.push_back(type);
    }
  }
  if (all.empty()) return branch();
  const Type& type = *one_of(all);
  if (type.is_copy) {
    if (const auto at = readable(type); at && likely(70)) return match_on(at->text, type);
  }
  const std::string subject = fresh("m");
  line("let " + subject + ":" + type.text + " = " + made(type, 0) + ";");
  match_on(subject, type);
}

// ------------------------------------------------------------------------------------------------------------------
// calls

void Writer::call() {
  std::vector<const Callee*> found;
  for (const Callee& callee : callees_) {
    if ((callee.is_pure || !pure_) && callee.cost * weight_ < 5000) found.push_back(&callee);
  }
  if (found.empty()) return array_loop();
  call(*one_of(found));
}

void Writer::call(const Callee& callee, bool itself) {
  const std::vector<std::string> hidden = hidden_;
  std::vector<std::string> arguments(callee.parameters.size());
  using How = Parameter::How;
  // What is written first: nothing else of the call may name it.
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Parameter& parameter = callee.parameters[k];
    if (parameter.how == How::Rw) {
      auto at = writable(*parameter.type);
      if (!at) {
        const std::string made_here = fresh("v");
        line("let mut " + made_here + ":" + parameter.type->text + " = " + made(*parameter.type, 0) + ";");
        declare({.text = made_here, .type = parameter.type, .is_mutable = true});
        at = Place{made_here, made_here, parameter.type, true};
      }
      arguments[k] = at->text;
      hidden_.push_back(at->root);
    }
    const bool writes = parameter.how == How::RwView;
    if (!writes && parameter.how != How::View) continue;
    const auto chosen = view_or_owner([&](const Type& element) { return &element == parameter.type; }, writes);
    Name name;
    if (chosen) {
      name = scope_[*chosen];
    } else {
      name = {.text = fresh("b"), .is_mutable = true, .count = 4 + below(30)};
      name.type = pure_ ? types_.array(parameter.type, name.count) : types_.buf(parameter.type);
      line("let mut " + name.text + " = " + name.type->text + "(" + (pure_ ? ");" : std::to_string(name.count) + ");"));
      declare(name);
    }
    hidden_.push_back(name.text);
    const std::string length = name.is_view ? name.length : "len(" + name.text + ")";
    std::string& extent = arguments[k - 1];
    const bool second = callee.parameters[k - 1].how != How::Extent;
    if (second) {
      arguments[k] = name.text + "[0.." + arguments[k - 2] + "]";
    } else if (name.count > 2 && likely(45)) {
      const std::uint64_t from = below(name.count / 2);
      const std::uint64_t size = 1 + below(name.count - from - (risky_ ? 0 : 1));
      extent = std::to_string(size);
      arguments[k] = name.text + "[" + std::to_string(from) + ".." + std::to_string(from + size) + "]";
    } else {
      extent = length;
      arguments[k] = name.text;
    }
  }
  std::string all;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const Parameter& parameter = callee.parameters[k];
    if (parameter.how == How::Value || parameter.how == How::Ro) {
      if (callee.recurses && k == 0) {
        arguments[k] = itself ? "left - 1" : std::to_string(below(callee.cost * weight_ > 500 ? 3 : 6));
      } else if (parameter.type->is_copy) {
        arguments[k] = value(*parameter.type, 1);
      } else {
        arguments[k] = made(*parameter.type, 1);
      }
    }
    all += (k == 0 ? "" : ", ") + arguments[k];
  }
  hidden_ = hidden;
  cost_ += itself ? 0 : callee.cost * weight_;
  const std::string text = callee.name + "(" + all + ")";
  const Type& result = *callee.result;
  const bool carries = result_ != nullptr && result_->text.starts_with("Result[") && leaves_allowed_ && !in_closure_;
  if (result.text.starts_with("Result[") && carries && result.parts[1].type == result_->parts[1].type && likely(70)) {
    const std::string got = fresh("v");
    line("let " + got + ":" + result.parts[0].type->text + " = try " + text + ";");
    declare({.text = got, .type = result.parts[0].type});
    return;
  }
  const std::string got = fresh("v");
  const bool is_mutable = likely(40);
  line(std::string(is_mutable ? "let mut " : "let ") + got + ":" + result.text + " = " + text + ";");
  if (result.is(Kind::Sum) && (!result.is_copy || likely(70))) return match_on(got, result);
  declare({.text = got, .type = &result, .is_mutable = is_mutable});
}

void Writer::closure() {
  const Type& given = scalar();
  const Type& gives = likely(50) ? given : scalar();
  const bool many = likely(70);
  const std::string turns = std::to_string(1 + below(weight_ > 50 ? 3 : 8));
  const std::string z = fresh("z");
  const std::string got = fresh("v");
  const std::string head = "let " + got + ":" + gives.text + " = " + (many ? "apply[" : "once[") + given.text + ", " +
                           gives.text + (many ? "](" + turns + ", " : "](") + value(given, 1) + ", |" + z + ":" +
                           given.text + "| -> " + gives.text + " {";
  const Type* const result = result_;
  const bool in_closure = in_closure_;
  const unsigned loops = loops_;
  const bool leaves = leaves_allowed_;
  result_ = &gives;
  in_closure_ = leaves_allowed_ = true;
  loops_ = 0;
  const std::uint64_t weight = weight_;
  if (many) weight_ *= 6;
  block(
      head,
      [&] {
        declare({.text = z, .type = &given});
        statements(1 + below(3));
        line("return " + value(gives) + ";");
      },
      "});");
  weight_ = weight;
  result_ = result;
  in_closure_ = in_closure;
  leaves_allowed_ = leaves;
  loops_ = loops;
  declare({.text = got, .type = &gives});
}

void Writer::function_value() {
  std::vector<const Callee*> found;
  for (const Callee& callee : callees_) {
    const bool plain = std::ranges::all_of(callee.parameters, [](const Parameter& parameter) {
      return parameter.how == Parameter::How::Value && parameter.type->is_copy;
    });
    if (plain && !callee.recurses && callee.is_pure && callee.cost * weight_ < 2000) found.push_back(&callee);
  }
  if (found.empty()) return closure();
  const Callee& callee = *one_of(found);
  std::vector<const Type*> parameters;
  std::string arguments;
  for (const Parameter& parameter : callee.parameters) {
    parameters.push_back(parameter.type);
    arguments += (arguments.empty() ? "" : ", ") + value(*parameter.type, 1);
  }
  const Type& type = *types_.function(parameters, callee.result);
  const std::string f = fresh("g");
  const std::string got = fresh("v");
  line("let mut " + f + ":" + type.text + " = " + callee.name + ";");
  for (const Callee* other : found) {
    const bool alike = other != &callee && other->result == callee.result &&
                       std::ranges::equal(other->parameters, callee.parameters, {}, &Parameter::type, &Parameter::type);
    if (alike) line("if " + condition() + " { " + f + " = " + other->name + "; }");
  }
  if (risky_ && likely(10)) line("if " + condition() + " { let _ = take(" + f + "); }");
  line("let " + got + ":" + callee.result->text + " = " + f + "(" + arguments + ");");
  cost_ += callee.cost * weight_;
  declare({.text = got, .type = callee.result});
}

void Writer::dispatch() {
  std::vector<const Type*> all;
  for (const Type* record : types_.records) {
    if (record->is_copy) all.push_back(record);
  }
  const std::string got = fresh("v");
  if (likely(50)) {
    const Type& type = *one_of(all);
    auto at = place([&](const Place& p) { return p.is_mutable && p.type == &type; });
    if (!at) {
      const std::string name = fresh("v");
      line("let mut " + name + ":" + type.text + " = " + made(type, 0) + ";");
      declare({.text = name, .type = &type, .is_mutable = true});
      at = Place{name, name, &type, true};
    }
    hidden_.push_back(at->root);
    const std::string by = value(*types_.named("u64"), 1);
    hidden_.pop_back();
    if (likely(30)) {
      line("let " + got + ":u64 = turned(" + at->text + ", " + by + ");");
    } else if (likely(50)) {
      line("turn(" + at->text + ", " + by + ");");
      line("let " + got + ":u64 = weigh(" + at->text + ");");
    } else {
      line("let " + got + ":u64 = heavy(" + at->text + ");");
    }
  } else {
    const Type& type = *types_.dyns[0];
    std::string owner;
    if (const auto at = writable(type); at && likely(60)) {
      owner = at->text;
    } else {
      owner = fresh("d");
      line("let mut " + owner + ":" + type.text + " = " + made(type, 0) + ";");
      declare({.text = owner, .type = &type, .is_mutable = true});
    }
    line("let " + got + ":u64 = turned(" + owner + ", " + literal(*types_.named("u64")) + ");");
  }
  declare({.text = got, .type = types_.named("u64")});
}

// ---------------------------------------------------------------------------------------------------- what ends
// otherwise

void Writer::outcome() {
  // An Option or a Result, taken apart here.
  const Type& some = likely(70) ? scalar() : copyable();
  const Type& type =
      likely(50) ? *types_.option(&some) : *types_.result(&some, likely(50) ? types_.named("u32") : types_.boolean);
  const std::string got = fresh("o");
  line("let mut " + got + ":" + type.text + " = " + made(type, 2) + ";");
  if (likely(60)) line("if " + condition() + " { " + got + " = " + made(type, 1) + "; }");
  match_on(got, type);
}

void Writer::print() {
  std::string items;
  for (std::uint32_t k = 1 + below(4); k-- > 0;) {
    items += items.empty() ? "" : ", \" \", ";
    const Type& type = scalar();
    items += type.is(Kind::Float) ? "shown(" + (type.bits == 32 ? "f64(" + typed(type, 1) + ")" : typed(type, 1)) + ")"
                                  : typed(type, 1);
  }
  line(std::string(likely(80) ? "println(" : "eprint(") + items + ");");
}

void Writer::deferred() {
  const Type& u64 = *types_.named("u64");
  std::vector<std::string> found;
  for (std::size_t k = 0; k < scope_.size(); ++k) {
    if (!scope_[k].is_view && scope_[k].type == &u64 && may_write(k)) found.push_back(scope_[k].text);
  }
  if (found.empty()) return let(u64);
  line(likely(40) && weight_ < 20 ? "defer println(\"left \", " + one_of(found) + ");"
                                  : "defer bump(" + one_of(found) + ");");
}

void Writer::check() {
  if (likely(60)) {
    // One that mostly holds.
    const Type& type = *one_of(types_.integers);
    const std::string x = typed(type, 2);
    const std::string holds = "(" + x + " % 8 < " + (risky_ ? "7" : "9") + ")";
    return line("assert(" + holds + (likely(50) ? ", \"a remainder\");" : ");"));
  }
  const Type& type = scalar();
  const std::string x = typed(type, 2);
  if (type.is(Kind::Float)) return line("assert(" + x + " != " + x + " || " + x + " == " + x + ");");
  if (risky_ && likely(10)) return line("assert_eq(" + x + ", " + typed(type, 2) + ");");
  line("assert_eq(" + x + ", " + x + ");");
}

void Writer::rounding() {
  const Type& to = *one_of(types_.storage);
  const std::string name = fresh("h");
  line("let mut " + name + ":" + to.text + " = " + made(to, 1) + ";");
  declare({.text = name, .type = &to, .is_mutable = true});
}

void Writer::pairs() {
  if (!uses_pairs_) return let(*one_of(types_.floats));
  const Type& limb = *one_of(types_.floats);
  const std::string name = fresh("q");
  const std::string other = fresh("q");
  const auto pair = [&] { return "Pair[" + limb.text + "](" + typed(limb, 1) + ", 0.0)"; };
  const auto operation = [&] {
    return "." + one_of({"add", "sub", "mul", "div"}) + one_of({"", "_low", "_high"}) + "(";
  };
  line("let mut " + name + " = " + pair() + ";");
  line("let " + other + " = " + name + operation() + pair() + ");");
  if (likely(50)) line(name + " = " + other + operation() + name + ");");
  for (const char* const part : {".hi", ".lo"}) {
    const std::string got = fresh("v");
    line("let " + got + ":" + limb.text + " = " + (likely(50) ? name : other) + part + ";");
    declare({.text = got, .type = &limb});
  }
}

void Writer::generic() {
  const Type& type = *one_of(types_.integers);
  const auto k = view_or_owner([&](const Type& element) { return element.is(Kind::Integer); }, false);
  const std::string got = fresh("v");
  if (k && likely(60)) {
    const Name& name = scope_[*k];
    const Type& element = name.is_view ? *name.type : *name.type->element();
    cost_ += 20 * weight_;
    line("let " + got + ":usize = " + one_of({"count_below(", "first_at(", "rising("}) + name.text + ", " +
         typed(element, 2) + ");");
    declare({.text = got, .type = types_.usize});
    return;
  }
  line("let " + got + ":" + type.text + " = clamped(" + typed(type, 1) + ", " + value(type, 2) + ", " + value(type, 2) +
       ");");
  declare({.text = got, .type = &type});
}

void Writer::task() {
  std::vector<const Callee*> found;
  for (const Callee& callee : callees_) {
    const bool plain = std::ranges::all_of(callee.parameters, [](const Parameter& parameter) {
      return parameter.how == Parameter::How::Value && parameter.type->is_copy;
    });
    if (plain && callee.is_pure && callee.cost < 2000) found.push_back(&callee);
  }
  if (found.empty() || weight_ > 1 || in_closure_ || uses_tasks_ || !in_entry_) return call();
  uses_tasks_ = true;
  const Callee& callee = *one_of(found);
  std::string arguments;
  for (const Parameter& parameter : callee.parameters) {
    const bool left = callee.recurses && arguments.empty();
    arguments += (arguments.empty() ? "" : ", ") + (left ? "2" : value(*parameter.type, 1));
  }
  const std::string t = fresh("t");
  line("let " + t + " = spawn " + callee.name + "(" + arguments + ");");
  const std::string got = fresh("v");
  line("let " + got + ":" + callee.result->text + " = wait(" + t + ");");
  declare({.text = got, .type = callee.result});
}

}  // namespace cairn::tests::random
