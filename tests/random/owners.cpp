// Statements about values that own storage, and about storage itself.
#include <algorithm>

#include "tests/random/writer.hpp"

namespace cairn::tests::random {

namespace {
using Kind = Type::Kind;
}  // namespace

/// An array on the stack or on the heap, filled.
void Writer::storage() {
  const Type& type = likely(85) ? scalar() : copyable();
  const std::uint64_t count = likely(25) && weight_ == 1 && !pure_ ? 20 + below(150) : 1 + below(12);
  Name name{.text = fresh("a"), .type = &type, .is_view = true, .is_mutable = true, .count = count};
  switch (pure_ ? 0 : below(5)) {
    case 0:
      if (type.is_scalar()) {
        line("stack " + name.text + ":" + type.text + "[" + std::to_string(count) + "] = zeroed;");
        name.length = std::to_string(count);
        break;
      }
      [[fallthrough]];
    case 1:
      name.is_view = false;
      name.type = types_.array(&type, count);
      line("let mut " + name.text + " = " + name.type->text + "();");
      break;
    case 2:
      if (!pure_) {
        const std::string n = fresh("n");
        line("let " + n + ":usize = " + std::to_string(count) + ";");
        line("buffer " + name.text + ":" + type.text + "[" + n + "] = zeroed;");
        name.length = n;
        declare({.text = n, .type = types_.usize});
        break;
      }
      [[fallthrough]];
    default:
      name.is_view = false;
      name.type = types_.buf(&type);
      line("let mut " + name.text + " = " + name.type->text + "(" + std::to_string(count) + ");");
      break;
  }
  if (type.is_number() && likely(75)) {
    const std::string i = fresh("i");
    const std::string number = type.is(Kind::Float)
                                   ? type.text + "(" + i + ") * " + one_of({"0.5", "1.5", "-0.75"})
                                   : type.text + "(" + i + " * " + one_of({"3", "7", "11"}) + " % 100)";
    block("for " + i + " in 0.." + std::to_string(count) + " {",
          [&] { body(count, [&] { line(name.text + "[" + i + "] = " + number + ";"); }); });
  }
  declare(std::move(name));
}

/// A new owner, or one taken, swapped, replaced or moved.
void Writer::owner() {
  const auto owns = [](const Place& at) { return at.is_mutable && !at.type->is_copy && !at.type->is_linear; };
  const auto at = likely(75) ? place(owns) : std::nullopt;
  if (!at) {
    const Type& type = likely(25) || types_.owners.empty() ? *types_.buf(&scalar()) : *one_of(types_.owners);
    const std::string name = fresh("o");
    line("let mut " + name + ":" + type.text + " = " + made(type, 0) + ";");
    return declare({.text = name, .type = &type, .is_mutable = true});
  }
  const Type& type = *at->type;
  switch (below(5)) {
    case 0: {
      const std::string name = fresh("o");
      line("let mut " + name + ":" + type.text + " = take(" + at->text + ");");
      return declare({.text = name, .type = &type, .is_mutable = true});
    }
    case 1: {
      hidden_.push_back(at->root);
      const auto other = writable(type);
      hidden_.pop_back();
      if (other) return line("swap(" + at->text + ", " + other->text + ");");
      [[fallthrough]];
    }
    case 2:
      return line(at->text + " = " + made(type, 1) + ";");
    case 3:
      return line("let _ = take(" + at->text + ");");
    default: {
      // Folded and gone; what is left is its zero.
      const std::string name = fresh("o");
      line("let " + name + ":" + type.text + " = take(" + at->text + ");");
      return fold_in(name, type);
    }
  }
}

void Writer::vector_step() {
  const auto grows = [](const Place& at) { return at.is_mutable && at.type->is(Kind::Vec); };
  auto at = place(grows, 20);
  if (!at) {
    const Type& type = *types_.vec(likely(80) || types_.owners.empty() ? &copyable() : one_of(types_.owners));
    const std::string name = fresh("o");
    line("let mut " + name + ":" + type.text + " = " +
         (likely(50) ? "vec.new[" + type.element()->text + "]()" : made(type, 0)) + ";");
    declare({.text = name, .type = &type, .is_mutable = true});
    at = Place{name, name, &type, true};
  }
  hidden_.push_back(at->root);
  const Type& element = *at->type->element();
  const auto item = [&] { return element.is_copy ? value(element, 1) : made(element, 1); };
  const std::string got = fresh("o");
  cost_ += 10 * weight_;
  switch (below(7)) {
    case 0:
    case 1:
    case 2:
      line("vec.push(" + at->text + ", " + item() + ");");
      if (likely(50)) line("vec.push(" + at->text + ", " + item() + ");");
      break;
    case 3: {
      const Type& type = *types_.option(&element);
      const std::string how = one_of({"vec.pop(", "vec.remove(", "vec.swap_remove("});
      line("let " + got + ":" + type.text + " = " + how + at->text +
           (how == "vec.pop(" ? ");" : ", " + small_usize() + " % 4);"));
      hidden_.pop_back();
      return match_on(got, type);
    }
    case 4:
      line("vec.insert(" + at->text + ", " + (risky_ && likely(20) ? small_usize() : "0") + ", " + item() + ");");
      break;
    case 5:
      line("vec.truncate(" + at->text + ", " + small_usize() + ");");
      break;
    default:
      if (element.is_copy) {
        block("if " + at->text + ".len > " + (risky_ && likely(10) ? "0 || true" : "1") + " {", [&] {
          line("let " + got + ":" + element.text + " = vec.get(" + at->text + ", 1);");
          fold_in(got, element);
        });
      } else {
        line("vec.clear(" + at->text + ");");
      }
      break;
  }
  hidden_.pop_back();
}

/// A tree that owns its kids, grown at random places.
void Writer::tree() {
  const Type& type = *types_.named("Tree");
  const std::string name = fresh("o");
  const Type& held = *type.parts[0].type;
  const auto leaf = [&](std::uint64_t kids) {
    return "Tree(" + value(held, 2) + ", Buf[Tree](" + std::to_string(kids) + "))";
  };
  line("let mut " + name + " = " + leaf(3) + ";");
  for (std::uint32_t k = 0; k < 3; ++k) {
    if (likely(70)) line(name + ".kids[" + std::to_string(k) + "] = " + leaf(below(3)) + ";");
  }
  if (likely(50)) line("swap(" + name + ".kids[0], " + name + ".kids[2]);");
  if (likely(40)) {
    const std::string kid = fresh("o");
    line("let mut " + kid + " = take(" + name + ".kids[1]);");
    declare({.text = kid, .type = &type, .is_mutable = true});
  }
  declare({.text = name, .type = &type, .is_mutable = true});
}

/// A value that is used exactly once.
void Writer::linear() {
  const std::string name = fresh("l");
  line("let " + name + " = Token(" + value(*types_.named("u64"), 1) + ");");
  const std::string got = fresh("v");
  if (likely(50)) {
    line("let " + got + ":u64 = spent(" + name + ");");
  } else if (likely(50)) {
    line("let Token(" + got + ") = " + name + ";");
  } else {
    line("defer dropped(" + name + ");");
    return;
  }
  declare({.text = got, .type = types_.named("u64")});
}

/// Text that grows, is parsed and printed.
void Writer::text() {
  types_.use("text");
  const std::string out = fresh("o");
  const Type& bytes = *types_.vec(types_.named("u8"));
  line("let mut " + out + ":Vec[u8] = Vec[u8](Buf[u8](0), 0);");
  const Type& number = *one_of(types_.integers);
  line("format(" + out + ", " + typed(number, 1) + (likely(50) ? ", \"x\");" : ");"));
  cost_ += 60 * weight_;
  if (likely(60)) {
    const std::string got = fresh("o");
    line("let " + got + " = text.parse_u64(" + out + ");");
    block("match " + got + " {", [&] {
      const std::string p = fresh("p");
      block("Ok(" + p + ") => {", [&] { fold_in(p, *types_.named("u64")); });
      const std::string e = fresh("p");
      block("Err(" + e + ") => {", [&] {
        block("match " + e + " {", [&] {
          line("Empty => { }");
          for (const char* const variant : {"Invalid", "Overflow"}) {
            const std::string at = fresh("p");
            block(std::string(variant) + "(" + at + ") => {", [&] { fold_in(at, *types_.usize); });
          }
        });
      });
    });
  }
  if (likely(40)) line("println(\"text \", " + out + ");");
  declare({.text = out, .type = &bytes, .is_mutable = true});
}

}  // namespace cairn::tests::random
