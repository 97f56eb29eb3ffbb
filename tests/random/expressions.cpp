// What an expression may name, and expressions of every type.
#include <algorithm>

#include "tests/random/writer.hpp"

namespace cairn::tests::random {

namespace {
using Kind = Type::Kind;

/// The largest k such that two numbers below it have a product of the type.
std::string factor(const Type& type) { return type.bits == 8 ? "11" : type.bits == 16 ? "181" : "1000"; }
std::string summand(const Type& type) { return type.bits == 8 ? "60" : "10000"; }
}  // namespace

// ----------------------------------------------------------------------------------------------------------------
// places

std::string Writer::small_usize() {
  if (likely(70)) {
    std::vector<const Name*> found;
    for (const Name& name : scope_) {
      if (!name.is_view && name.type == types_.usize && std::ranges::find(hidden_, name.text) == hidden_.end()) {
        found.push_back(&name);
      }
    }
    if (!found.empty()) return one_of(found)->text;
  }
  return std::to_string(below(12));
}

std::string Writer::index_in(const std::string& length, std::uint64_t count) {
  std::vector<const Name*> counters;
  for (const Name& name : scope_) {
    if (name.is_view || name.type != types_.usize) continue;
    if ((name.below != 0 && count != 0 && name.below <= count) || (!length.empty() && name.below_name == length)) {
      counters.push_back(&name);
    }
  }
  const std::string bound = count != 0 && (length.empty() || likely(60)) ? std::to_string(count) : length;
  if (!counters.empty() && likely(70)) {
    const std::string& counter = one_of(counters)->text;
    switch (below(risky_ ? 9 : 16)) {
      case 0:
        return likely(risky_ ? 50 : 10) ? counter + " + 1" : "min(" + counter + " + 1, " + bound + " - 1)";
      case 1:
        return likely(risky_ ? 50 : 10) ? counter + " - 1" : "max(" + counter + ", 1) - 1";
      case 2:
        return bound + " - 1 - " + counter;
      default:
        return counter;
    }
  }
  if (likely(risky_ ? 6 : 1)) return small_usize();
  if (count != 0 && likely(40)) return std::to_string(below(count));
  return small_usize() + " % " + bound;
}

Place Writer::descend(std::size_t index) {
  const Name& name = scope_[index];
  Place at{name.text, name.text, name.type, may_write(index)};
  if (name.is_view) at.text += "[" + index_in(name.length, name.count) + "]";
  for (unsigned deep = 0; deep < 4 && !at.type->is_scalar() && likely(80); ++deep) {
    if (at.type->is(Kind::Record) && !at.type->is_linear) {
      const Part& field = one_of(at.type->parts);
      at.text += "." + field.name;
      at.type = field.type;
    } else if (at.type->is(Kind::Array)) {
      at.text += "[" + index_in("", at.type->count) + "]";
      at.type = at.type->element();
    } else if (at.type->is(Kind::Buf)) {
      at.text += "[" + index_in("len(" + at.text + ")", deep == 0 ? name.count : 0) + "]";
      at.type = at.type->element();
    } else if (at.type->is(Kind::Vec) && likely(50)) {
      at.text += ".data[" + small_usize() + " % max(" + at.text + ".len, 1)]";
      at.type = at.type->element();
    } else {
      break;
    }
  }
  return at;
}

std::optional<Place> Writer::place(const std::function<bool(const Place&)>& wanted, unsigned tries) {
  if (scope_.empty()) return std::nullopt;
  for (; tries != 0; --tries) {
    const std::size_t index = below(scope_.size());
    if (std::ranges::find(hidden_, scope_[index].text) != hidden_.end()) continue;
    Place at = descend(index);
    if (wanted(at)) return at;
  }
  return std::nullopt;
}

std::optional<Place> Writer::readable(const Type& type) {
  return place([&](const Place& at) { return at.type == &type; });
}

std::optional<Place> Writer::writable(const Type& type) {
  return place([&](const Place& at) { return at.is_mutable && at.type == &type; });
}

std::optional<std::size_t> Writer::view_or_owner(const std::function<bool(const Type&)>& element, bool writable) {
  std::vector<std::size_t> found;
  for (std::size_t k = 0; k < scope_.size(); ++k) {
    const Name& name = scope_[k];
    if (std::ranges::find(hidden_, name.text) != hidden_.end() || (writable && !may_write(k))) continue;
    const bool holds = name.is_view || name.type->is(Kind::Buf) || name.type->is(Kind::Array);
    if (holds && element(name.is_view ? *name.type : *name.type->element())) found.push_back(k);
  }
  if (found.empty()) return std::nullopt;
  return one_of(found);
}

const Type& Writer::scalar() { return *one_of(types_.scalars); }

const Type& Writer::copyable() {
  if (likely(60)) return scalar();
  std::vector<const Type*> all;
  for (const auto* kinds : {&types_.enums, &types_.records, &types_.sums}) {
    for (const Type* type : *kinds) {
      if (type->is_copy) all.push_back(type);
    }
  }
  if (all.empty() || likely(25)) {
    return likely(30) ? *one_of(types_.storage) : *types_.array(&scalar(), 1 + below(9));
  }
  return *one_of(all);
}

// ---------------------------------------------------------------------------------------------------------------
// numbers

std::string Writer::literal(const Type& type) {
  if (type.is(Kind::Bool)) return one_of({"true", "false"});
  if (type.is(Kind::Float)) {
    return one_of({"0.0", "1.0", "0.5", "2.25", "3.0", "0.1", "100.0", "1e-3", "65520.0", "1e30", "7.75"});
  }
  if (likely(65)) return std::to_string(below(12));
  const std::uint64_t most = (~std::uint64_t{0} >> (64 - type.bits)) >> (type.is_signed ? 1 : 0);
  if (type.is_signed && likely(50)) {
    if (likely(25)) return "-" + std::to_string(most + 1);
    return "-" + std::to_string(1 + random_() % (likely(60) ? 12 : most));
  }
  if (likely(30)) return std::to_string(most - below(2));
  return std::to_string(random_() % most >> (likely(50) ? below(type.bits - 1) : 0));
}

std::string Writer::value(const Type& type, unsigned depth) {
  if (type.is_scalar() && likely(depth == 0 ? 12 : 25)) return literal(type);
  return typed(type, depth);
}

std::string Writer::typed(const Type& type, unsigned depth) {
  if (type.is(Kind::Bool)) return condition(depth);
  if (!type.is_number()) return made(type, depth);
  if (depth > 2 || likely(35)) {
    if (const auto at = readable(type)) return at->text;
    return type.text + "(" + literal(type) + ")";
  }
  return type.is(Kind::Float) ? floating(type, depth) : integer(type, depth);
}

std::string Writer::integer(const Type& type, unsigned depth) {
  const std::string a = typed(type, depth + 1);
  const auto b = [&] { return value(type, depth + 1); };
  const bool raw = likely(risky_ ? 12 : 2);
  const bool is_unsigned = !type.is_signed;
  switch (below(17)) {
    case 0:
    case 1:
      if (raw) return "(" + a + one_of({" + ", " - ", " * "}) + b() + ")";
      return "(" + a + " % " + summand(type) + " + " + b() + " % " + summand(type) + ")";
    case 2: {
      if (!is_unsigned) return "(" + a + " % " + summand(type) + " - " + b() + " % " + summand(type) + ")";
      const std::string other = typed(type, 3);
      return "(max(" + a + ", " + other + ") - min(" + a + ", " + other + "))";
    }
    case 3:
      return "(" + a + " % " + factor(type) + " * (" + b() + " % " + factor(type) + "))";
    case 4:
    case 5: {
      const std::string op = one_of({" / ", " % "});
      if (raw) return "(" + a + op + typed(type, 3) + ")";
      if (is_unsigned && likely(40)) return "(" + a + op + "(" + typed(type, 3) + " | 1))";
      return "(" + a + op +
             (type.is_signed ? one_of({"1", "2", "3", "7", "10", "-3", "-2", "64"})
                             : one_of({"1", "2", "3", "7", "10", "16", "100", "64"})) +
             ")";
    }
    case 6:
      if (is_unsigned) return one_of({"add_wrap(", "sub_wrap(", "mul_wrap("}) + a + ", " + b() + ")";
      return raw ? "(-" + a + ")" : "(-(" + a + " % 100))";
    case 7:
      if (is_unsigned) return "(" + a + one_of({" & ", " | ", " ^ "}) + b() + ")";
      return raw ? "abs(" + a + ")" : "abs(" + a + " % 100)";
    case 8:
      if (is_unsigned) {
        const std::string by = likely(40) ? std::to_string(below(type.bits + (risky_ && likely(5) ? 2 : 0)))
                                          : small_usize() + (raw ? "" : " % " + std::to_string(type.bits));
        return one_of({"shr(", "shl_wrap("}) + a + ", " + by + ")";
      }
      [[fallthrough]];
    case 9:
      return one_of({"min(", "max("}) + a + ", " + b() + ")";
    case 10:
    case 11: {
      const Type& from = *one_of(types_.integers);
      const std::string x = typed(from, depth + 1);
      if (raw) return type.text + "(" + x + ")";
      if (from.is_signed) return type.text + "(" + (is_unsigned ? "abs(" + x + " % 100)" : x + " % 100") + ")";
      return type.text + "(" + x + one_of({" & 127", " % 100", " & 63", " / 2 % 64"}) + ")";
    }
    case 12: {
      const Type& from = *one_of(types_.floats);
      const std::string x = typed(from, depth + 1);
      if (raw) return type.text + "(" + x + ")";
      return type.text + "(tame(" + (from.bits == 32 ? "f64(" + x + ")" : x) + "))";
    }
    case 13:
      if (const auto call = pure_call(type, depth)) return *call;
      [[fallthrough]];
    case 14:
      if (type.text == "usize") {
        if (const auto k = view_or_owner([](const Type&) { return true; }, false)) {
          return "len(" + scope_[*k].text + ")";
        }
      }
      if (is_unsigned) return "(~" + a + ")";
      [[fallthrough]];
    case 15:
      return "pick(" + condition(depth + 1) + ", " + a + ", " + typed(type, depth + 1) + ")";
    default:
      if (const auto at = readable(type)) return at->text;
      return a;
  }
}

std::string Writer::floating(const Type& type, unsigned depth) {
  const std::string a = typed(type, depth + 1);
  switch (below(10)) {
    case 0:
    case 1:
    case 2:
      return "(" + a + one_of({" + ", " - ", " * ", " * ", " / "}) + value(type, depth + 1) + ")";
    case 3:
      return one_of({"sqrt(", "floor(", "ceil(", "trunc(", "abs("}) + a + ")";
    case 4:
      return "(-" + a + ")";
    case 5:
      return type.text + "(" + typed(*one_of(types_.integers), depth + 1) + ")";
    case 6: {
      const Type& from = likely(50) ? *one_of(types_.storage) : *types_.floats[type.bits == 32 ? 1 : 0];
      return type.text + "(" + typed(from, depth + 1) + ")";
    }
    case 7:
      return "from_bits[" + type.text + "](" + typed(*types_.named("u" + std::to_string(type.bits)), depth + 1) + ")";
    case 8:
      if (const auto call = pure_call(type, depth)) return *call;
      return "pick(" + condition(depth + 1) + ", " + a + ", " + typed(type, depth + 1) + ")";
    default:
      if (const auto at = readable(type)) return at->text;
      return a;
  }
}

std::string Writer::condition(unsigned depth) {
  if (depth < 2 && likely(20)) {
    return "(" + condition(depth + 1) + one_of({" && ", " || "}) + condition(depth + 1) + ")";
  }
  if (likely(8)) return "(!" + condition(depth + 1) + ")";
  if (likely(12)) {
    if (const auto at = readable(*types_.boolean)) return at->text;
  }
  if (likely(8)) {
    if (const auto call = pure_call(*types_.boolean, depth)) return *call;
  }
  if (!types_.enums.empty() && likely(8)) {
    const Type& type = *one_of(types_.enums);
    if (const auto at = readable(type)) {
      return "(" + at->text + one_of({" == ", " != "}) + type.text + "." + one_of(type.parts).name + ")";
    }
  }
  const Type& type = likely(8) ? *types_.boolean : scalar();
  return "(" + typed(type, depth + 1) + one_of({" < ", " <= ", " > ", " >= ", " == ", " != "}) +
         value(type, depth + 1) + ")";
}

// ------------------------------------------------------------------------------------------------------ everything
// else

std::string Writer::made(const Type& type, unsigned depth) {
  if (type.is_copy && likely(depth > 1 ? 80 : 45)) {
    if (const auto at = readable(type)) return at->text;
  }
  switch (type.kind) {
    case Kind::Storage: {
      const Type& from = *one_of(types_.floats);
      const std::string x = typed(from, depth + 1);
      if (likely(30)) {
        return "quantize[" + type.text + "](" + typed(*types_.floats[0], depth + 1) + ", " +
               one_of({"1.0", "0.25", "3.0"}) + ")";
      }
      if (type.text != "f8e4m3" || likely(risky_ ? 20 : 3)) return type.text + "(" + x + ")";
      return type.text + "(tame(" + (from.bits == 32 ? "f64(" + x + ")" : x) + "))";
    }
    case Kind::Enum:
      return type.text + "." + one_of(type.parts).name;
    case Kind::Record: {
      std::string fields;
      for (const Part& field : type.parts) {
        fields += (fields.empty() ? "" : ", ") +
                  (field.type->is_copy ? value(*field.type, depth + 1) : made(*field.type, depth + 1));
      }
      return type.text + "(" + fields + ")";
    }
    case Kind::Sum: {
      const Part& variant = one_of(type.parts);
      const std::string sum = type.text.substr(0, type.text.find('['));
      if (variant.type == nullptr) return sum + "." + variant.name;
      return sum + "." + variant.name + "(" +
             (variant.type->is_copy ? value(*variant.type, depth + 1) : made(*variant.type, depth + 1)) + ")";
    }
    case Kind::Array:
      return type.text + "()";
    case Kind::Buf:
      return type.text + "(" + std::to_string(below(depth > 0 ? 4 : 9)) + ")";
    case Kind::Vec:
      return type.text + "(Buf[" + type.element()->text + "](" + std::to_string(below(4)) + "), 0)";
    case Kind::Dyn: {
      std::vector<const Type*> all;
      for (const Type* record : types_.records) {
        if (record->is_copy) all.push_back(record);
      }
      return type.text + "(" + made(*one_of(all), 2) + ")";
    }
    default:
      return typed(type, depth + 1);
  }
}

std::optional<std::string> Writer::pure_call(const Type& type, unsigned depth) {
  std::vector<const Callee*> found;
  for (const Callee& callee : callees_) {
    if (callee.is_pure && callee.result == &type && callee.cost * weight_ < 3000) found.push_back(&callee);
  }
  if (found.empty() || depth > 1) return std::nullopt;
  const Callee& callee = *one_of(found);
  std::string arguments;
  for (const Parameter& parameter : callee.parameters) {
    if (!arguments.empty()) arguments += ", ";
    if (parameter.how == Parameter::How::Extent) {
      arguments += "0";  // the view behind it says
      continue;
    }
    if (parameter.how == Parameter::How::View) {
      const auto k = view_or_owner([&](const Type& element) { return &element == parameter.type; }, false);
      if (!k) return std::nullopt;
      arguments.replace(arguments.size() - 3, 1, "len(" + scope_[*k].text + ")");
      arguments += scope_[*k].text;
      continue;
    }
    if (callee.recurses && &parameter == &callee.parameters[0]) {
      arguments += std::to_string(below(5));
      continue;
    }
    arguments += value(*parameter.type, depth + 1);
  }
  cost_ += callee.cost * weight_;
  return callee.name + "(" + arguments + ")";
}

}  // namespace cairn::tests::random
