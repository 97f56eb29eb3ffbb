#include "vm/verify/fragment.hpp"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "frontend/check/tree_walk.hpp"

namespace cairn::verify {

using namespace checked;
using checked::Function;

namespace {

/// Whether the value holds an owner in one of its parts (an owner itself is not inside anything).
bool holds_owner(const Type& type, std::vector<const Type*>& open) {
  if (std::ranges::find(open, &type) != open.end()) return false;
  open.push_back(&type);
  const auto part = [&](const Type* each) {
    return each != nullptr && (each->is(TypeKind::Buf) || each->is(TypeKind::Dyn) || holds_owner(*each, open));
  };
  bool found = false;
  if (type.is(TypeKind::Record)) found = std::ranges::any_of(type.record->fields, part, &RecordField::type);
  if (type.is(TypeKind::Sum)) found = std::ranges::any_of(type.sum->variants, part, &SumVariant::payload);
  if (type.is(TypeKind::Array) || type.is(TypeKind::Buf)) found = part(type.element);
  open.pop_back();
  return found;
}

/// Why values of a type are not modelled; empty when they are.
std::string unmodelled(const Type& type, std::vector<const Type*>& open) {
  if (type.is_storage_float()) return "it uses a storage float";
  switch (type.kind) {
    case TypeKind::Function:
      return "it uses a function value";
    case TypeKind::Dyn:
    case TypeKind::DynRef:
      return "it uses dyn";
    case TypeKind::Ticket:
    case TypeKind::Group:
      return "it starts tasks";
    case TypeKind::Atomic:
      return "it uses atomics";
    case TypeKind::Mutex:
      return "it locks";
    case TypeKind::IoRing:
      return "it does input or output";
    case TypeKind::Pipeline:
      return "it has a cooperative region";
    case TypeKind::Fragment:
      return "it uses matrix fragments";
    case TypeKind::View:
      if (type.placement != Placement::Host) return "it places data on a device";
      break;
    default:
      break;
  }
  std::vector<const Type*> path;
  if (holds_owner(type, path)) return "an owner lies inside a record, sum or array";
  if (std::ranges::find(open, &type) != open.end()) return {};
  open.push_back(&type);
  std::string why;
  const auto part = [&](const Type* each) {
    if (why.empty() && each != nullptr) why = unmodelled(*each, open);
  };
  part(type.element);
  if (type.is(TypeKind::Record)) {
    for (const RecordField& field : type.record->fields) part(field.type);
  }
  if (type.is(TypeKind::Sum)) {
    for (const SumVariant& variant : type.sum->variants) part(variant.payload);
  }
  open.pop_back();
  return why;
}

/// Walks a function and what it calls for the first construct outside the fragment.
class Fragment {
 public:
  explicit Fragment(const NameTable& names) : names_(names) {}

  [[nodiscard]] const std::string& why() const { return why_; }

  void function(const Function& function) {
    if (!why_.empty()) return;
    if (std::ranges::find(active_, &function) != active_.end()) return refuse("it recurses");
    if (!seen_.insert(&function).second) return;
    if (function.body == nullptr) return refuse("it crosses the foreign boundary");
    if (function.kind == FunctionKind::Kernel) return refuse("it is device code");
    active_.push_back(&function);
    for (const Local* local : function.locals) type(*local->type);
    type(*function.result);
    block(*function.body);
    active_.pop_back();
  }

 private:
  void refuse(std::string why) {
    if (why_.empty()) why_ = std::move(why);
  }

  void type(const Type& of) {
    std::vector<const Type*> open;
    if (why_.empty()) why_ = unmodelled(of, open);
  }

  void block(const Block& of) {
    for (const Stmt* statement : of.statements) this->statement(*statement);
  }

  void statement(const Stmt& statement) {
    if (!why_.empty()) return;
    switch (statement.kind) {
      case StmtKind::Parallel:
        return refuse("it runs lanes");
      case StmtKind::Scan:
        return refuse("it scans");
      case StmtKind::Into:
        return refuse("it starts tasks");
      case StmtKind::Cooperative:
      case StmtKind::Shared:
      case StmtKind::Pipeline:
      case StmtKind::Barrier:
        return refuse("it has a cooperative region");
      case StmtKind::Asm:
        return refuse("it has assembly");
      case StmtKind::Reduce: {
        const auto& reduce = statement.as<ReduceStmt>();
        if (reduce.device || reduce.warp) return refuse("it runs on a device");
        if (reduce.lane != nullptr && reduce.lane->result != nullptr && !reduce.lane->result->is_integer()) {
          return refuse("it reduces floats");
        }
        break;
      }
      case StmtKind::Compact:
        if (statement.as<CompactStmt>().device) return refuse("it runs on a device");
        break;
      default:
        break;
    }
    // A `try` is modelled where it is the whole right side.
    const bool admits_try = statement.kind == StmtKind::Let || statement.kind == StmtKind::Assign ||
                            statement.kind == StmtKind::Return || statement.kind == StmtKind::Expression ||
                            statement.kind == StmtKind::Unpack;
    for_each_part(
        statement, [&](const Expr& value) { expression(value, admits_try); },
        [&](const Block& nested) { block(nested); }, [&](const Function& lane) { function(lane); });
  }

  void expression(const Expr& of, bool may_try = false) {
    if (!why_.empty()) return;
    if (of.type != nullptr) type(*of.type);
    switch (of.kind) {
      case ExprKind::FunctionValue:
      case ExprKind::CallValue:
        return refuse("it uses a function value");
      case ExprKind::Closure:
        return refuse("it has a closure");
      case ExprKind::LendDyn:
      case ExprKind::CallDyn:
      case ExprKind::DynNew:
        return refuse("it uses dyn");
      case ExprKind::Print:
        return refuse("it does input or output");
      case ExprKind::Format:
        return refuse("it formats text");
      case ExprKind::Assert:
      case ExprKind::AssertEqual:
        return refuse("it asserts");
      case ExprKind::Transfer:
        return refuse("it places data on a device");
      case ExprKind::Machine:
        return refuse("it reaches the machine");
      case ExprKind::Spawn:
        return refuse("it starts tasks");
      case ExprKind::Concurrent:
        return refuse("it uses an operation of tasks, atomics or devices");
      case ExprKind::Try:
        if (!may_try) return refuse("a try is not the whole right side of its statement");
        break;
      case ExprKind::Builtin:
        builtin(of.as<BuiltinExpr>());
        break;
      case ExprKind::Call:
        call(*of.as<CallExpr>().callee);
        break;
      default:
        break;
    }
    for_each_operand(of, [&](const Expr& operand) { expression(operand); });
  }

  void builtin(const BuiltinExpr& of) {
    switch (of.builtin) {
      case Builtin::Sqrt:
        return refuse("it takes a square root");
      case Builtin::Floor:
      case Builtin::Ceil:
      case Builtin::Trunc:
        return refuse("it rounds a float to a whole number");
      case Builtin::ToBits:
      case Builtin::FromBits:
        return refuse("it reads the bits of a float");
      case Builtin::Quantize:
      case Builtin::QuantizeStochastic:
        return refuse("it quantizes");
      case Builtin::Abs:
        if (of.type->is_float()) refuse("it takes the absolute value of a float");
        return;
      case Builtin::Min:
      case Builtin::Max:
        if (of.type->is_float()) refuse("it takes the least or greatest of floats");
        return;
      default:
        return;
    }
  }

  void call(const Function& callee) {
    const std::string_view module = callee.module ? names_.text(callee.module) : std::string_view();
    if (module == "std.pair" || module == "std.pair.stat") return refuse("it calls std.pair");
    if (module.starts_with("std.reference")) return refuse("it calls std.reference");
    function(callee);
  }

  const NameTable& names_;
  std::string why_;
  std::vector<const Function*> active_;
  std::unordered_set<const Function*> seen_;
};

/// `of`: the function whose parameters extents name, or null.
void describe(std::string& out, const Type& type, const NameTable& names, const Function* of,
              std::vector<const Type*>& open) {
  if (const auto known = std::ranges::find(open, &type); known != open.end()) {
    out += "^" + std::to_string(known - open.begin());
    return;
  }
  open.push_back(&type);
  const auto inner = [&](const Type* each) {
    if (each == nullptr) {
      out += "-";
    } else {
      describe(out, *each, names, of, open);
    }
  };
  switch (type.kind) {
    case TypeKind::Record:
      out += std::string(type.name) + (type.record->packed ? " packed" : "") + " align " +
             std::to_string(type.record->align) + " {";
      for (const RecordField& field : type.record->fields) {
        out += std::string(names.text(field.name)) + ":";
        inner(field.type);
        out += ";";
      }
      out += "}";
      break;
    case TypeKind::Sum:
      out += std::string(type.name) + " {";
      for (const SumVariant& variant : type.sum->variants) {
        out += std::string(names.text(variant.name)) + "(";
        inner(variant.payload);
        out += ");";
      }
      out += "}";
      break;
    case TypeKind::Buf:
    case TypeKind::Array:
      out += type.is(TypeKind::Buf) ? "Buf[" : "Array[" + std::to_string(type.count) + ",";
      inner(type.element);
      out += "]";
      break;
    case TypeKind::Borrow:
    case TypeKind::View:
      out += type.mode == BorrowMode::Rw ? "rw<" : "ro<";
      inner(type.element);
      out += ">";
      if (type.is(TypeKind::View)) {
        out += "[";
        if (type.extent.kind == Extent::Kind::Literal) out += std::to_string(type.extent.literal);
        if (type.extent.kind == Extent::Kind::Symbol) {
          std::string symbol(names.text(type.extent.symbol));
          for (std::size_t k = 0; of != nullptr && k < of->parameters.size(); ++k) {
            if (of->parameters[k]->name == type.extent.symbol) symbol = "#" + std::to_string(k);
          }
          out += symbol;
        }
        out += "]@" + std::to_string(static_cast<int>(type.placement));
      }
      break;
    default:
      out += type.name;
      break;
  }
  open.pop_back();
}

}  // namespace

std::optional<std::string> outside_fragment(const Function& function, const NameTable& names) {
  Fragment fragment(names);
  fragment.function(function);
  if (fragment.why().empty()) return std::nullopt;
  return fragment.why();
}

std::string described(const Type& type, const NameTable& names) {
  std::string out;
  std::vector<const Type*> open;
  describe(out, type, names, nullptr, open);
  return out;
}

std::string signature_difference(const Function& left, const NameTable& left_names, const Function& right,
                                 const NameTable& right_names, bool names_count) {
  const auto of = [](const Type& type, const NameTable& names, const Function& function) {
    std::string out;
    std::vector<const Type*> open;
    describe(out, type, names, &function, open);
    return out;
  };
  if (left.parameters.size() != right.parameters.size()) return "the numbers of parameters differ";
  for (std::size_t k = 0; k < left.parameters.size(); ++k) {
    const std::string name(left_names.text(left.parameters[k]->name));
    const std::string other(right_names.text(right.parameters[k]->name));
    if (names_count && name != other) return "parameter " + name + " is called " + other + " in the candidate";
    const Type& type = *left.parameters[k]->type;
    const Type& other_type = *right.parameters[k]->type;
    if (of(type, left_names, left) != of(other_type, right_names, right)) {
      return type.name == other_type.name ? "the type of parameter " + name + " is defined differently"
                                          : "parameter " + name + " has different types";
    }
  }
  if (of(*left.result, left_names, left) != of(*right.result, right_names, right)) {
    return left.result->name == right.result->name ? "the type of the result is defined differently"
                                                   : "the results have different types";
  }
  return {};
}

std::string signature_text(const Function& function, const NameTable& names) {
  std::string text = "(";
  for (const Local* parameter : function.parameters) {
    if (text.size() > 1) text += ", ";
    text += std::string(names.text(parameter->name)) + ":" + std::string(parameter->type->name);
  }
  text += ")";
  if (!function.result->is(TypeKind::Void)) text += " -> " + std::string(function.result->name);
  return text;
}

}  // namespace cairn::verify
