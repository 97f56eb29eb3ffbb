#include "tests/random/types.hpp"

namespace cairn::tests::random {

Types::Types() {
  boolean = add({.kind = Type::Kind::Bool, .text = "bool"});
  scalars.push_back(boolean);
  for (const unsigned bits : {8U, 16U, 32U, 64U}) {
    for (const bool is_signed : {false, true}) {
      integers.push_back(add({.kind = Type::Kind::Integer,
                              .text = (is_signed ? "i" : "u") + std::to_string(bits),
                              .bits = bits,
                              .is_signed = is_signed}));
    }
  }
  usize = add({.kind = Type::Kind::Integer, .text = "usize", .bits = 64});
  integers.push_back(usize);
  for (const unsigned bits : {32U, 64U}) {
    floats.push_back(add({.kind = Type::Kind::Float, .text = "f" + std::to_string(bits), .bits = bits}));
  }
  for (const char* const name : {"f16", "bf16"}) {
    storage.push_back(add({.kind = Type::Kind::Storage, .text = name, .bits = 16}));
  }
  for (const char* const name : {"f8e4m3", "f8e5m2"}) {
    storage.push_back(add({.kind = Type::Kind::Storage, .text = name, .bits = 8}));
  }
  scalars.insert(scalars.end(), integers.begin(), integers.end());
  scalars.insert(scalars.end(), floats.begin(), floats.end());
}

const Type* Types::add(Type type) {
  if (const auto known = known_.find(type.text); known != known_.end()) return known->second;
  all_.push_back(std::make_unique<Type>(std::move(type)));
  return known_[all_.back()->text] = all_.back().get();
}

bool Types::all_copy(const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    if (part.type != nullptr && !part.type->is_copy) return false;
  }
  return true;
}

const Type* Types::array(const Type* element, std::uint64_t count) {
  return add({.kind = Type::Kind::Array,
              .text = "Array[" + element->text + ", " + std::to_string(count) + "]",
              .is_copy = element->is_copy,
              .parts = {{"", element}},
              .count = count});
}

const Type* Types::buf(const Type* element) {
  return add(
      {.kind = Type::Kind::Buf, .text = "Buf[" + element->text + "]", .is_copy = false, .parts = {{"", element}}});
}

const Type* Types::vec(const Type* element) {
  used_["vec"] = {"Vec"};
  return add(
      {.kind = Type::Kind::Vec, .text = "Vec[" + element->text + "]", .is_copy = false, .parts = {{"", element}}});
}

const Type* Types::option(const Type* some) {
  used_["core"] = {"Option", "Result"};
  return add({.kind = Type::Kind::Sum,
              .text = "Option[" + some->text + "]",
              .is_copy = some->is_copy,
              .parts = {{"Some", some}, {"None", nullptr}}});
}

const Type* Types::result(const Type* good, const Type* bad) {
  used_["core"] = {"Option", "Result"};
  return add({.kind = Type::Kind::Sum,
              .text = "Result[" + good->text + ", " + bad->text + "]",
              .is_copy = good->is_copy && bad->is_copy,
              .parts = {{"Ok", good}, {"Err", bad}}});
}

const Type* Types::function(const std::vector<const Type*>& parameters, const Type* result) {
  Type made{.kind = Type::Kind::Function, .text = "fn("};
  for (const Type* parameter : parameters) {
    made.text += (made.parts.empty() ? "" : ", ") + parameter->text;
    made.parts.push_back({"", parameter});
  }
  made.text += ") -> " + result->text;
  made.parts.push_back({"", result});
  return add(std::move(made));
}

const Type* Types::dyn(const std::string& trait) {
  return add({.kind = Type::Kind::Dyn, .text = "Dyn[" + trait + "]", .is_copy = false});
}

const Type* Types::enumeration(const std::string& name, unsigned variants) {
  Type made{.kind = Type::Kind::Enum, .text = name};
  declarations_ += "enum " + name + " {";
  for (unsigned k = 0; k < variants; ++k) {
    made.parts.push_back({name + "v" + std::to_string(k), nullptr});
    declarations_ += " " + made.parts.back().name + ";";
  }
  declarations_ += " }\n";
  return add(std::move(made));
}

const Type* Types::record(const std::string& name, std::vector<Part> fields, const std::string& form) {
  const bool is_linear = form == "linear";
  declarations_ += (is_linear ? "linear struct " : "struct ") + name + (is_linear || form.empty() ? "" : " " + form);
  declarations_ += " {";
  for (const Part& field : fields) declarations_ += " " + field.name + ":" + field.type->text + ";";
  declarations_ += " }\n";
  const bool is_copy = !is_linear && all_copy(fields);
  return add({.kind = Type::Kind::Record,
              .text = name,
              .is_copy = is_copy,
              .is_linear = is_linear,
              .parts = std::move(fields)});
}

const Type* Types::sum(const std::string& name, std::vector<Part> variants) {
  declarations_ += "enum " + name + " {";
  for (const Part& variant : variants) {
    declarations_ += " " + variant.name + (variant.type == nullptr ? "" : "(" + variant.type->text + ")") + ";";
  }
  declarations_ += " }\n";
  const bool is_copy = all_copy(variants);
  return add({.kind = Type::Kind::Sum, .text = name, .is_copy = is_copy, .parts = std::move(variants)});
}

const Type* Types::tree(const std::string& name, const Type* value) {
  Type made{.kind = Type::Kind::Record, .text = name, .is_copy = false};
  made.parts.push_back({"value", value});
  const Type* const record = add(std::move(made));
  Type* const tree = all_.back().get();
  const Type* const kids = buf(record);
  tree->parts.push_back({"kids", kids});
  declarations_ += "struct " + name + " { value:" + value->text + "; kids:Buf[" + name + "]; }\n";
  return record;
}

std::string Types::folded(const Type& type, const std::string& h, const std::string& x) {
  return fold_function(type) + "(" + h + ", " + x + ")";
}

std::string Types::fold_function(const Type& type) {
  if (const auto known = fold_names_.find(type.text); known != fold_names_.end()) return known->second;
  const std::string name = "fold" + std::to_string(fold_names_.size());
  fold_names_[type.text] = name;  // before its parts: a tree holds itself
  const auto mix = [](const std::string& word) { return "add_wrap(mul_wrap(h, 1099511628211), " + word + ")"; };
  std::string body;
  const std::string by_value = "(h:u64, x:" + type.text + ") -> u64";
  const std::string lent = "(h:u64, x:ro<" + type.text + ">) -> u64";
  std::string head = by_value;
  switch (type.kind) {
    case Type::Kind::Bool:
      body = "  if x { return " + mix("77") + "; }\n  return " + mix("13") + ";\n";
      break;
    case Type::Kind::Integer:
      if (type.is_signed) {
        body = "  if x < 0 { return " + mix("~u64(-(i64(x) + 1))") + "; }\n";
      }
      body += "  return " + mix("u64(x)") + ";\n";
      break;
    case Type::Kind::Float:
      // Which NaN arithmetic gives is not fixed.
      body = "  if x != x { return " + mix("9221") + "; }\n  return " + mix("u64(to_bits(x))") + ";\n";
      break;
    case Type::Kind::Storage:
      body =
          "  let w = f32(x);\n  if w != w { return " + mix("9221") + "; }\n  return " + mix("u64(to_bits(x))") + ";\n";
      break;
    case Type::Kind::Enum:
    case Type::Kind::Sum:
      body = "  match x {\n";
      for (std::size_t k = 0; k < type.parts.size(); ++k) {
        const Part& part = type.parts[k];
        const std::string next = mix(std::to_string(k + 2));
        body += "    " + part.name;
        if (part.type == nullptr) {
          body += " => { return " + next + "; }\n";
        } else {
          body += "(p) => { return " + folded(*part.type, next, "p") + "; }\n";
        }
      }
      body += "  }\n";
      break;
    case Type::Kind::Record: {
      if (type.is_copy) head = lent;
      std::string unpacked;
      std::string folds = "  let mut d = h;\n";
      for (const Part& field : type.parts) {
        unpacked += (unpacked.empty() ? "" : ", ") + field.name;
        folds += "  d = " + folded(*field.type, "d", (type.is_copy ? "x." : "") + field.name) + ";\n";
      }
      if (!type.is_copy) body = "  let " + type.text + "(" + unpacked + ") = x;\n";
      body += folds + "  return d;\n";
      break;
    }
    case Type::Kind::Array:
    case Type::Kind::Buf: {
      const Type& element = *type.element();
      if (element.is_copy) head = lent;
      body = "  let mut d = " + mix("u64(len(x))") + ";\n";
      if (element.is_copy) {
        body += "  for e in x { d = " + folded(element, "d", "e") + "; }\n";
      } else {
        body += "  let mut all = x;\n  for i in 0..len(all) {\n    let e = take(all[i]);\n    d = " +
                folded(element, "d", "e") + ";\n  }\n";
      }
      body += "  return d;\n";
      break;
    }
    case Type::Kind::Vec: {
      const Type& element = *type.element();
      if (element.is_copy) head = lent;
      body = "  let mut d = " + mix("u64(x.len)") + ";\n";
      if (element.is_copy) {
        body += "  for i in 0..x.len { d = " + folded(element, "d", "x.data[i]") + "; }\n";
      } else {
        body += "  let mut all = x;\n  for i in 0..all.len {\n    let e = take(all.data[i]);\n    d = " +
                folded(element, "d", "e") + ";\n  }\n";
      }
      body += "  return d;\n";
      break;
    }
    case Type::Kind::Dyn:
      head = lent;
      body = "  return " + mix("weigh(x)") + ";\n";
      break;
    case Type::Kind::Function:
      body = "  return " + mix("5") + ";\n";
      break;
  }
  folding_ += "fn " + name + head + " {\n" + body + "}\n";
  return name;
}

std::string Types::imports() const {
  std::string text;
  for (const auto& [module, names] : used_) {
    text += "import std." + module;
    for (std::size_t k = 0; k < names.size(); ++k) text += (k == 0 ? " (" : ", ") + names[k];
    text += names.empty() ? ";\n" : ");\n";
  }
  return text;
}

}  // namespace cairn::tests::random
