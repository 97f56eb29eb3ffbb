// Records and sums: constructors and variants (syntax and values, 1.9.1 and 1.9.2).
#include "frontend/check/body_checker.hpp"
#include "frontend/check/call_arguments.hpp"
#include "frontend/diagnostics/fixes.hpp"

namespace cairn {

using checked::ExprKind;

bool BodyChecker::denotes_something(Name name, std::string* what) {
  const auto is = [&](const char* kind) {
    if (what != nullptr) *what = kind;
    return true;
  };
  if (find_local(name) != nullptr) return is("a local");
  if (scope_.find(name) != nullptr) return is("a generic parameter");
  if (checker_.builtins().class_of(name) != BuiltinClass::None) return is("a builtin");
  const Symbol symbol = checker_.peek({&name, 1}, scope_.module, kWantConst | kWantFunction | kWantType);
  if (!symbol) return false;
  return is(symbol.is_function() ? "a function" : symbol.is_type() ? "a type" : "a constant");
}

std::optional<std::uint32_t> BodyChecker::bare_variant(Name name, const Type* expected, Position at) {
  const auto variants = expected->sum->variants;
  for (std::uint32_t i = 0; i < variants.size(); ++i) {
    if (variants[i].name != name) continue;
    std::string what;
    if (denotes_something(name, &what)) {
      refuse(Code::VariantAmbiguous, at,
             quoted(name) + " is a variant of " + std::string(expected->name) + " and also " + what + ": write " +
                 std::string(checker_.text(expected->sum->declaration->name.name)) + "." +
                 std::string(checker_.text(name)) + ".");
    }
    if (!checker_.accessible(*expected->sum->declaration, scope_.module)) {
      checker_.refuse_private(*expected->sum->declaration, at, "; so are its variants");
    }
    return i;
  }
  return std::nullopt;
}

Node BodyChecker::build_variant(const Type* sum, std::uint32_t index, std::vector<Operand>& arguments, Position at) {
  const SumVariant& variant = sum->sum->variants[index];
  const std::size_t wanted = variant.payload == nullptr ? 0 : 1;
  if (arguments.size() != wanted) {
    refuse(Code::SumArity, at,
           std::string(sum->name) + "." + std::string(checker_.text(variant.name)) +
               (wanted == 1 ? " carries one value of type " + std::string(variant.payload->name) + "."
                            : " carries no value."));
  }
  if (sum->sum->plain) return integer_node(index, sum, at);
  auto& node = make<checked::VariantExpr>(ExprKind::Variant, sum, at);
  node.variant = index;
  if (wanted == 1) node.payload = value_of(arguments.front(), variant.payload);
  return &node;
}

Node BodyChecker::variant(const syntax::SumDecl& sum, Name name, std::span<const StaticArgument> leading, bool called,
                          std::vector<Operand>& arguments, const Type* expected, Position at) {
  if (!checker_.accessible(sum, scope_.module)) checker_.refuse_private(sum, at, "; so are its variants");
  std::uint32_t index = 0;
  while (index < sum.variants.size() && sum.variants[index].name.name != name) ++index;
  if (index == sum.variants.size()) {
    std::string message = checker_.full_name(sum) + " has no variant " + quoted(name) + ".";
    if (!checker_.may_be_listed(at)) refuse(Code::EnumVariant, at, std::move(message));
    std::vector<std::string> available;
    for (const syntax::Variant& each : sum.variants) available.emplace_back(checker_.text(each.name.name));
    const std::vector<std::string_view> candidates(available.begin(), available.end());
    refuse(
        Diagnostic{Code::EnumVariant, std::move(message), at, did_you_mean(checker_.text(name), candidates), {}, {}, {}}
            .detail("available_variants", std::move(available)));
  }
  const bool has_payload = sum.variants[index].payload != nullptr;
  const Type* type = nullptr;
  if (expected != nullptr && expected->is(TypeKind::Sum) && expected->sum->declaration == &sum && leading.empty()) {
    type = expected;
  } else if (sum.generics.empty()) {
    type = checker_.sum_instance(sum, leading, at);
  } else if (leading.size() == sum.generics.size()) {
    type = checker_.sum_instance(sum, leading, at);
  } else if (has_payload == (arguments.size() == 1)) {
    BodyArguments seen(*this, arguments);
    type = checker_.infer_variant(sum, index, leading, expected, seen, at);
  } else {
    refuse(Code::SumArity, at,
           checker_.full_name(sum) + "." + std::string(checker_.text(name)) +
               (has_payload ? " carries one value." : " carries no value."));
  }
  if (called && type->sum->plain) {
    refuse(Code::Callee, at,
           std::string(type->name) + "." + std::string(checker_.text(name)) + " is a value; write it without ().");
  }
  return build_variant(type, index, arguments, at);
}

Node BodyChecker::build_record(const Type* type, std::vector<Operand>& arguments, Position at) {
  const auto fields = type->record->fields;
  require_count(fields.size(), arguments.size(), type->name, at);
  const std::size_t mark = made_.size();
  made_.resize(mark + fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Node value = value_of(arguments[i], fields[i].type);
    made_[mark + i] = value;
    const std::int32_t extent = fields[i].extent_field;
    if (extent < 0) continue;
    Node given = made_[mark + static_cast<std::size_t>(extent)];
    const bool fits = value->kind == ExprKind::BufNew &&
                      same(identity_of_value(value->as<checked::BufNewExpr>().count), identity_of_value(given));
    if (!fits) {
      refuse(Code::ExtentField, value->position,
             "Field " + quoted(fields[i].name) + " holds as many elements as " +
                 quoted(fields[static_cast<std::size_t>(extent)].name) +
                 " says: build Buf[T](n) right here, on the same n.");
    }
  }
  auto& node = make<checked::RecordExpr>(ExprKind::Record, type, at);
  node.fields = checker_.arena().copy(std::span<const Node>(made_).subspan(mark));
  made_.resize(mark);
  return &node;
}

Node BodyChecker::construct(const syntax::RecordDecl& record, std::span<const StaticArgument> leading,
                            std::vector<Operand>& arguments, const Type* expected, Position at) {
  if (record.generics.empty() || leading.size() >= record.generics.size()) {
    return build_record(checker_.record_instance(record, leading, at), arguments, at);
  }
  if (leading.empty() && expected != nullptr && expected->is(TypeKind::Record) &&
      expected->record->declaration == &record) {
    return build_record(expected, arguments, at);
  }
  require_count(record.fields.size(), arguments.size(), checker_.full_name(record), at);
  BodyArguments seen(*this, arguments);
  return build_record(checker_.infer_record(record, leading, expected, seen, at), arguments, at);
}

Node BodyChecker::construct_type(const Type* type, std::vector<Operand>& arguments, Position at) {
  if (type->is_numeric() || type->is_storage_float()) return convert(type, arguments, at);
  if (type->is(TypeKind::Record)) return build_record(type, arguments, at);
  if (type->is(TypeKind::Buf)) return build_buf(type, arguments, at);
  if (type->is(TypeKind::Array)) return build_array(type, arguments, at);
  refuse(Code::Callee, at, "A " + std::string(type->name) + " is not made by calling its type.");
}

}  // namespace cairn
