// Loops of a random program, and regions.
#include <algorithm>

#include "tests/random/writer.hpp"

namespace cairn::tests::random {

namespace {
using Kind = Type::Kind;
}  // namespace

void Writer::body(std::uint64_t turns, const std::function<void()>& inside) {
  const std::uint64_t weight = weight_;
  weight_ *= std::max<std::uint64_t>(turns, 1);
  ++loops_;
  inside();
  --loops_;
  weight_ = weight;
}

void Writer::for_loop() {
  Name counter{.text = fresh("i"), .type = types_.usize};
  std::string from = likely(70) ? "0" : std::to_string(below(4));
  std::string to;
  std::uint64_t turns = 1 + below(weight_ > 20 ? 4 : 12);
  const auto walked = view_or_owner([](const Type&) { return true; }, false);
  if (walked && likely(50)) {
    const Name& name = scope_[*walked];
    to = name.is_view ? name.length : "len(" + name.text + ")";
    turns = name.count != 0 ? name.count : 20;
    counter.below_name = to;
    counter.below = name.count;
    if (likely(15)) to += " / 2";
    if (likely(10)) to += " - 1";  // a length of none traps
    if (weight_ * turns > 600) {
      to = "min(" + to + ", 4)";
      turns = 4;
    }
  } else if (likely(60)) {
    to = std::to_string(turns);
    counter.below = turns;
  } else {
    to = small_usize() + " % " + std::to_string(turns + 1);
    counter.below = turns;
  }
  block("for " + counter.text + " in " + from + ".." + to + " {", [&] {
    declare(counter);
    body(turns, [&] { statements(1 + below(4)); });
  });
}

void Writer::while_loop() {
  Name counter{.text = fresh("w"), .type = types_.usize};
  const std::uint64_t most = 1 + below(weight_ > 20 ? 4 : 14);
  const bool down = likely(25);
  const std::string step = one_of({"1", "1", "1", "2", "3"});
  const std::string extra = likely(30) ? " && " + condition(1) : "";
  if (down) {
    line("let mut " + counter.text + ":usize = " + std::to_string(most) + ";");
    counter.below = most + 1;
    block("while " + counter.text + " > 0" + extra + " {", [&] {
      line(counter.text + " -= 1;");
      declare(counter);
      body(most, [&] { statements(1 + below(3)); });
    });
    return;
  }
  line("let mut " + counter.text + ":usize = 0;");
  const bool endless = likely(20);
  const bool first = endless || likely(50);
  const std::string test = counter.text + one_of({" < ", " < ", " != "}) + std::to_string(most);
  const std::string head =
      endless ? "true" : (step == "1" ? test : counter.text + " < " + std::to_string(most)) + extra;
  block("while " + head + " {", [&] {
    if (endless) line("if " + counter.text + " >= " + std::to_string(most) + " { break; }");
    if (first) line(counter.text + " += " + step + ";");
    counter.below = most + (first ? 3 : 0);
    declare(counter);
    body(most, [&] {
      const unsigned loops = loops_;
      if (!first) loops_ = 0;  // `continue` would go past the step
      statements(1 + below(3));
      loops_ = loops;
    });
    if (!first) line(counter.text + " += " + step + ";");
  });
}

void Writer::element_loop() {
  const auto walked = view_or_owner([](const Type& element) { return element.is_copy; }, false);
  if (!walked) return for_loop();
  const Name name = scope_[*walked];
  const std::uint64_t turns = name.count != 0 ? name.count : 20;
  if (weight_ * turns > 600) return for_loop();
  const Type& type = name.is_view ? *name.type : *name.type->element();
  const Name element{.text = fresh("e"), .type = &type};
  std::string binders = element.text;
  Name counter{.text = fresh("i"), .type = types_.usize, .below = name.count};
  counter.below_name = name.is_view ? name.length : "len(" + name.text + ")";
  const bool counted = likely(50);
  if (counted) binders = counter.text + ", " + binders;
  block("for " + binders + " in " + name.text + " {", [&] {
    if (counted) declare(counter);
    declare(element);
    body(turns, [&] {
      statements(1 + below(3));
      if (likely(40) && !in_lane_) fold_in(element.text, type);
    });
  });
}

/// Loops over elements as programs have them most: what makes vectors, moves guards out and keeps places in registers.
void Writer::array_loop() {
  const auto scalars = [](const Type& element) { return element.is_number(); };
  const auto to = view_or_owner(scalars, true);
  const auto of = view_or_owner(scalars, false);
  if (!to || !of || weight_ > 60) return for_loop();
  const Name out = scope_[*to];
  const Name in = scope_[*of];
  const auto length = [](const Name& name) { return name.is_view ? name.length : "len(" + name.text + ")"; };
  const auto element = [](const Name& name) { return name.is_view ? name.type : name.type->element(); };
  const Type& type = *element(out);
  const Type& from = *element(in);
  Name i{.text = fresh("i"), .type = types_.usize};
  std::string lo = "0";
  std::string hi = "min(" + length(out) + ", " + length(in) + ")";
  switch (below(6)) {
    case 0:
      hi = length(out);
      break;
    case 1:
      hi = length(in);
      break;
    case 2:
      lo = "1";
      break;
    case 3:
      if (risky_) hi = small_usize();
      break;
    default:
      break;
  }
  const auto read = [&](const char* offset = "") {
    const std::string at = in.text + "[" + i.text + offset + "]";
    if (&from == &type) return at;
    if (type.is(Kind::Float)) return type.text + "(" + at + ")";
    if (from.is(Kind::Float)) return type.text + "(tame(" + (from.bits == 32 ? "f64(" + at + ")" : at) + "))";
    if (from.is_signed) return type.text + "(" + (type.is_signed ? at : "abs(" + at + " % 100)") + " % 100)";
    return type.text + "(" + at + one_of({" & 127", " % 100", " / 2 % 64"}) + ")";
  };
  const std::string own = out.text + "[" + i.text + "]";
  const std::string constant = typed(type, 3);
  const auto term = [&]() -> std::string {
    const std::string x = likely(lo == "1" ? 40 : 5) ? read(" - 1") : read();
    if (type.is(Kind::Float)) {
      switch (below(5)) {
        case 0:
          return own + " * " + constant + " + " + x;
        case 1:
          return "sqrt(abs(" + x + "))";
        case 2:
          return x + one_of({" / ", " - ", " * ", " + "}) + own;
        case 3:
          return "pick(" + x + " < " + constant + ", " + x + ", " + own + ")";
        default:
          return "(" + x + " + " + own + ") * " + constant;
      }
    }
    switch (below(type.is_signed ? 5 : 9)) {
      case 0:
        return one_of({"min(", "max("}) + own + ", " + x + ")";
      case 1:
        return own + " % 50 + " + x + " % 50";
      case 2:
        return "pick(" + x + one_of({" < ", " == ", " > "}) + constant + ", " + own + ", " + x + ")";
      case 3:
        return x;
      case 4:
        return likely(risky_ ? 60 : 15) ? x + one_of({" + ", " - ", " * "}) + constant : x + " / 3";
      case 5:
        return one_of({"add_wrap(", "sub_wrap(", "mul_wrap("}) + own + ", " + x + ")";
      case 6:
        return x + one_of({" & ", " | ", " ^ "}) + own;
      case 7:
        return one_of({"shr(", "shl_wrap("}) + x + ", " +
               (likely(70) ? std::to_string(below(type.bits)) : i.text + " % " + std::to_string(type.bits)) + ")";
      default:
        return "add_wrap(mul_wrap(" + x + ", 5), " + constant + ")";
    }
  };
  const std::uint64_t turns = out.count != 0 ? out.count : 20;
  const std::string head = "for " + i.text + " in " + lo + ".." + hi + " {";
  const auto loop = [&](const std::vector<std::string>& lines) {
    block(head, [&] {
      body(turns, [&] {
        for (const std::string& each : lines) line(each);
      });
    });
  };
  switch (below(9)) {
    case 0:
      return loop({"if " + read() + one_of({" < ", " > ", " != "}) + constant + " { " + own + " = " + term() + "; }"});
    case 1: {
      const std::string sum = fresh("s");
      line("let mut " + sum + ":" + type.text + " = " + value(type, 2) + ";");
      const std::string x = read();
      loop({sum + " = " +
            (type.is(Kind::Float) ? sum + " + " + x
             : type.is_unsigned() ? "add_wrap(" + sum + ", " + x + ")"
             : likely(50)         ? "max(" + sum + ", " + x + ")"
                                  : sum + " % 100 + " + x + " % 100") +
            ";"});
      return declare({.text = sum, .type = &type, .is_mutable = true});
    }
    case 2: {
      // One place of the array is worked on.
      const std::string at = out.text + "[" + (out.count != 0 ? std::to_string(below(out.count)) : "0") + "]";
      return loop({at + " = " + (type.is_unsigned() ? "add_wrap(" + at + ", " + read() + ")" : read()) + ";"});
    }
    case 3: {
      const std::string j = fresh("j");
      line("let mut " + j + ":usize = 0;");
      loop({"if " + read() + one_of({" < ", " > ", " != "}) + constant + " { " + out.text + "[" + j + "] = " + read() +
            "; " + j + " += 1; }"});
      return declare({.text = j, .type = types_.usize});
    }
    case 4:
      return loop({"if " + read() + " == " + constant + " { " + one_of({"break;", "continue;"}) + " }",
                   own + " = " + term() + ";"});
    case 5:
      if (const auto at = writable(type)) return loop({at->text + " = " + read() + ";", own + " = " + term() + ";"});
      [[fallthrough]];
    default:
      return loop({own + " = " + term() + ";"});
  }
}

/// Two or three loops over rows and columns of buffers.
void Writer::nest() {
  if (weight_ > 4) return array_loop();
  const Type& type = likely(60) ? *one_of(types_.floats) : *one_of(types_.integers);
  const std::uint64_t rows = 1 + below(6);
  const std::uint64_t columns = 1 + below(likely(30) ? 20 : 6);
  const std::string size = std::to_string(rows * columns);
  const std::string wide = std::to_string(columns);
  std::string arrays[3];
  for (std::string& name : arrays) {
    name = fresh("b");
    line("let mut " + name + " = Buf[" + type.text + "](" + size + ");");
    declare({.text = name, .type = types_.buf(&type), .is_mutable = true, .count = rows * columns});
  }
  const std::string i = fresh("i");
  const std::string j = fresh("i");
  const bool is_float = type.is(Kind::Float);
  const std::string number = is_float ? type.text + "(" + i + ") * 0.5" : type.text + "(" + i + " % 100)";
  block("for " + i + " in 0.." + size + " {", [&] {
    body(rows * columns, [&] {
      line(arrays[0] + "[" + i + "] = " + number + ";");
      line(arrays[1] + "[" + size + " - 1 - " + i + "] = " + number + ";");
    });
  });
  const std::string r = fresh("i");
  const std::string at = arrays[2] + "[" + r + " * " + wide + " + " + j + "]";
  const auto sum = [&](const std::string& a, const std::string& b) {
    if (is_float) return a + " + " + b;
    return type.is_unsigned() ? "add_wrap(" + a + ", " + b + ")" : "(" + a + " % 50 + " + b + " % 50)";
  };
  block("for " + r + " in 0.." + std::to_string(rows) + " {", [&] {
    body(rows, [&] {
      if (likely(50)) {
        // Rows of a product, the inner loop over columns.
        const std::string k = fresh("i");
        const std::string a = fresh("v");
        block("for " + k + " in 0.." + std::to_string(std::min(rows, columns)) + " {", [&] {
          line("let " + a + " = " + arrays[0] + "[" + r + " * " + wide + " + " + k + "];");
          block("for " + j + " in 0.." + wide + " {", [&] {
            body(columns * rows, [&] {
              const std::string b = arrays[1] + "[" + k + " * " + wide + " + " + j + "]";
              line(at + " = " + sum(at, is_float ? a + " * " + b : "(" + a + " % 10 * (" + b + " % 10))") + ";");
            });
          });
        });
      } else {
        const std::string s = fresh("s");
        line("let mut " + s + ":" + type.text + " = " + literal(type) + ";");
        block("for " + j + " in 0.." + wide + " {", [&] {
          body(columns, [&] {
            line(s + " = " + sum(s, arrays[likely(50) ? 0 : 1] + "[" + r + " * " + wide + " + " + j + "]") + ";");
            if (likely(60)) line(at + " = " + s + ";");
            if (likely(30)) line("if " + s + " > " + literal(type) + " { " + one_of({"break;", "continue;"}) + " }");
          });
        });
      }
    });
  });
}

/// A parallel region, or a collector.
void Writer::region() {
  if (weight_ > 20 || in_closure_) return for_loop();
  Name binder{.text = fresh("i"), .type = types_.usize};
  const auto lane = [&](const std::function<void()>& inside) {
    const std::size_t known = scope_.size();
    const std::vector<std::string> hidden = hidden_;
    const std::size_t writable_from = writable_from_;
    const bool leaves = leaves_allowed_;
    const unsigned loops = loops_;
    const std::string accumulator = accumulator_;
    accumulator_.clear();
    writable_from_ = known;
    in_lane_ = true;
    leaves_allowed_ = false;
    loops_ = 0;
    declare(binder);
    inside();
    scope_.resize(known);
    hidden_ = hidden;
    writable_from_ = writable_from;
    leaves_allowed_ = leaves;
    in_lane_ = false;
    loops_ = loops;
    accumulator_ = accumulator;
  };
  const auto target = view_or_owner([](const Type& element) { return element.is_number(); }, true);
  if (!target) return for_loop();
  const Name out = scope_[*target];
  const Type& type = out.is_view ? *out.type : *out.type->element();
  const std::string length = out.is_view ? out.length : "len(" + out.text + ")";
  const std::uint64_t turns = out.count != 0 ? out.count : 20;
  binder.below = out.count;
  binder.below_name = length;
  const bool is_float = type.is(Kind::Float);
  const char* const operation =
      is_float         ? (likely(70) ? "+" : "*")
      : type.is_signed ? (likely(50) ? "min" : "max")
                       : std::initializer_list<const char*>{"+", "&", "|", "^", "add_wrap", "mul_wrap", "min", "max"}
                             .begin()[below(8)];
  const bool pooled = std::string(operation) != "*" && likely(50);
  const std::uint64_t weight = weight_;
  weight_ *= turns;
  switch (out.is_view ? below(4) : below(2)) {
    case 0:
      weight_ = weight;
      block("parallel " + binder.text + " in " + length + " {", [&] {
        lane([&] {
          hidden_.push_back(out.text);
          weight_ *= turns;
          if (likely(50)) statements(1 + below(2));
          line(out.text + "[" + binder.text + "] = " + value(type) + ";");
        });
      });
      break;
    case 1: {
      const std::string sum = fresh("r");
      std::string yield;
      lane([&] { yield = typed(type, 1); });
      weight_ = weight;
      line("let " + sum + ":" + type.text + " = reduce " + operation + (pooled ? " parallel " : " for ") + binder.text +
           " in " + length + " yield " + yield + ";");
      declare({.text = sum, .type = &type});
      break;
    }
    case 2: {
      std::string yield;
      lane([&] {
        hidden_.push_back(out.text);
        yield = typed(type, 1);
      });
      weight_ = weight;
      line(std::string("scan ") + operation + (likely(30) ? " exclusive " : " ") + out.text +
           (pooled && !is_float ? " parallel " : " for ") + binder.text + " in " + length + " yield " + yield + ";");
      break;
    }
    default: {
      const std::string kept = fresh("k");
      std::string where;
      std::string yield;
      lane([&] {
        hidden_.push_back(out.text);
        where = condition(1);
        yield = typed(type, 1);
      });
      weight_ = weight;
      line("let " + kept + " = compact " + out.text + " for " + binder.text + " in " + length + " where " + where +
           " yield " + yield + ";");
      declare({.text = kept, .type = types_.usize});
      break;
    }
  }
  weight_ = weight;
  cost_ += weight * turns;
}

}  // namespace cairn::tests::random
