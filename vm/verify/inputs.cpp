#include "vm/verify/inputs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "vm/bytecode/builder.hpp"
#include "vm/execution.hpp"
#include "vm/lower/types.hpp"

namespace cairn::verify {

using bytecode::RegisterKind;
using bytecode::ScalarKind;
using BytecodeKind = bytecode::TypeKind;
using Json = nlohmann::ordered_json;

namespace {

constexpr std::uint64_t kMostListed = 16;  // elements of an array compared one by one

std::uint8_t kind_of(ScalarKind scalar) { return static_cast<std::uint8_t>(bytecode::register_kind(scalar)); }
constexpr auto kTag = static_cast<std::uint8_t>(RegisterKind::U32);

Json shown_number(double value) {
  if (std::isnan(value)) return {{"nonfinite", "nan"}};
  if (std::isinf(value)) return {{"nonfinite", value > 0 ? "+infinity" : "-infinity"}};
  return value;
}

Json shown_scalar(ScalarKind kind, std::uint64_t bits) {
  const unsigned width = bytecode::scalar_size(kind) * 8;
  switch (kind) {
    case ScalarKind::Bool:
      return (bits & 1U) != 0;
    case ScalarKind::F32:
      return shown_number(static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
    case ScalarKind::F64:
      return shown_number(std::bit_cast<double>(bits));
    case ScalarKind::I8:
    case ScalarKind::I16:
    case ScalarKind::I32:
    case ScalarKind::I64:
      return signed_of(bits, width);
    default:
      return bits & mask_of(width);
  }
}

/// A value of a register: a scalar, or a plain enum by its variant's name.
Json shown_register(const Type& type, const NameTable& names, std::uint64_t bits) {
  if (type.is_plain_enum()) {
    const auto tag = static_cast<std::uint32_t>(bits);
    if (tag < type.sum->variants.size()) return std::string(names.text(type.sum->variants[tag].name));
    return tag;
  }
  return shown_scalar(lower::scalar_kind(type), bits);
}

Value reference(const Target& target) { return Value::pointer(target); }

}  // namespace

// ----------------------------------------------------------------------------------------------------------------
// inputs

Start start_of(Encoder& encoder, Terms& terms, const Subject& subject) {
  Start start;
  Memory& memory = encoder.memory();
  const bytecode::Module& module = *subject.module;
  const NameTable& names = subject.compilation->names;
  const bytecode::Signature& signature = module.signatures[module.functions[subject.code].signature];
  std::size_t at = 0;
  if (signature.result_reference) {
    start.result = memory.whole(memory.add(signature.parameters[at++].type, false));
    start.state.slots.push_back(reference(start.result));
  }
  const auto declared_tag = [&](const Type& type, Term tag) {
    if (!type.is(TypeKind::Sum)) return;
    start.domain.push_back(terms.binary(TermOp::LessU, tag, terms.bits(32, type.sum->variants.size())));
  };
  for (std::size_t position = 0; position < subject.function->parameters.size(); ++position) {
    const checked::Local* local = subject.function->parameters[position];
    const bytecode::RegisterType& taken = signature.parameters[at++];
    Parameter parameter;
    parameter.name = std::string(names.text(local->name));
    parameter.type = local->type;
    const std::string variable = "in." + std::to_string(position);
    const Type& type = *value_type(local->type);
    if (taken.is_scalar()) {
      const Sort sort = Memory::sort_of(static_cast<std::uint8_t>(taken.kind));
      parameter.scalar = terms.variable(variable, sort);
      if (sort.kind == SortKind::Bits) start.numbers.push_back({parameter.scalar, taken.is_signed()});
      if (!local->type->is(TypeKind::Borrow)) declared_tag(type, parameter.scalar);
      start.state.slots.push_back(Value::scalar(parameter.scalar));
    } else if (taken.kind == RegisterKind::Ref) {
      const bool is_borrow = local->type->is(TypeKind::Borrow);
      parameter.kind = is_borrow ? Parameter::Kind::Borrow : Parameter::Kind::Value;
      parameter.written = is_borrow && local->type->mode == BorrowMode::Rw;
      parameter.element = taken.type;
      if (module.types[taken.type].kind == BytecodeKind::Buf) throw Unsupported{"it borrows an owner"};
      parameter.place = memory.whole(memory.add_input(taken.type, false, variable));
      start.state.slots.push_back(reference(parameter.place));
      if (!is_borrow && type.is(TypeKind::Sum)) {
        declared_tag(type, memory.load({}, reference(parameter.place), 0, kTag).term);
      }
    } else if (taken.kind == RegisterKind::View || taken.kind == RegisterKind::Buf) {
      const bool is_view = taken.kind == RegisterKind::View;
      parameter.kind = is_view ? Parameter::Kind::View : Parameter::Kind::Owner;
      parameter.written = is_view && local->type->mode == BorrowMode::Rw;
      parameter.element = taken.type;
      parameter.place = memory.whole(memory.add_input(taken.type, true, variable));
      const Extent extent = is_view ? local->type->extent : Extent{};
      if (extent.kind == Extent::Kind::Literal) {
        parameter.length = terms.bits(64, extent.literal);
      } else if (extent.kind == Extent::Kind::Symbol) {
        const auto& parameters = subject.function->parameters;
        for (std::size_t other = 0; other < parameters.size(); ++other) {
          if (parameters[other]->name == extent.symbol && parameters[other]->type->is(TypeKind::Usize)) {
            parameter.length = terms.variable("in." + std::to_string(other), kIndex);
          }
        }
      }
      if (parameter.length == kFalse) {
        parameter.length = terms.variable(variable + ".length", kIndex);
        start.numbers.push_back({parameter.length, false});
      }
      // n * sizeof(T) is an address range.
      const std::uint64_t size = std::max<std::uint64_t>(module.types[taken.type].size, 1);
      start.domain.push_back(
          terms.negate(terms.binary(TermOp::LessU, terms.bits(64, mask_of(64) / size), parameter.length)));
      start.state.slots.push_back(reference(parameter.place));
      start.state.slots.push_back(Value::scalar(parameter.length));
      const bytecode::Type& element = module.types[taken.type];
      if (element.kind == BytecodeKind::Scalar && Memory::sort_of(kind_of(element.scalar)).kind == SortKind::Bits) {
        for (std::uint64_t k = 0; k < kMostReplayed; ++k) {
          Target place = parameter.place;
          place.steps.back().index = terms.bits(64, k);
          start.elements.push_back({memory.load({}, reference(place), 0, kind_of(element.scalar)).term,
                                    element.scalar >= ScalarKind::I8 && element.scalar <= ScalarKind::I64});
        }
      }
    } else {
      throw Unsupported{"a parameter's type is not modelled"};
    }
    start.parameters.push_back(std::move(parameter));
  }
  return start;
}

// --------------------------------------------------------------------------------------------------------------
// observing

namespace {

class Observer {
 public:
  Observer(Encoder& encoder, Terms& terms, const Contents& contents)
      : encoder_(encoder), terms_(terms), contents_(contents) {}

  std::vector<Observed> found;

  void scalar(Term guard, Term value) { found.push_back({guard, value}); }

  void place(Term guard, const Target& at, std::uint32_t type, const std::string& name) {
    const bytecode::Type& here = encoder_.module().types[type];
    const auto part = [&](std::uint32_t inner, std::uint64_t offset, Term where, const std::string& suffix) {
      Target inside = at;
      inside.type = inner;
      inside.offset += offset;
      place(where, inside, inner, name + suffix);
    };
    switch (here.kind) {
      case BytecodeKind::Scalar:
        return scalar(guard, load(at, kind_of(here.scalar)));
      case BytecodeKind::Record:
        for (const auto& field : here.fields) part(field.type, field.offset, guard, "." + field.name);
        return;
      case BytecodeKind::Sum: {
        const Term tag = load(at, kTag);
        scalar(guard, tag);
        for (std::size_t k = 0; k < here.variants.size(); ++k) {
          if (here.variants[k].payload == bytecode::kNone) continue;
          const Term is_active = terms_.equal(tag, terms_.bits(32, k));
          part(here.variants[k].payload, here.variants[k].offset, terms_.both(guard, is_active),
               "." + here.variants[k].name);
        }
        return;
      }
      case BytecodeKind::Array: {
        Target inside = at;
        inside.type = here.element;
        inside.steps.push_back({terms_.bits(64, 0), here.count});
        return elements(guard, inside, here.element, terms_.bits(64, here.count), name);
      }
      default:
        throw Unsupported{"an owner lies inside a value"};
    }
  }

  /// Every element below a length: each where there are few, else one whose index is a variable, so that what holds of
  /// it holds of all.
  void elements(Term guard, Target at, std::uint32_t element, Term length, const std::string& name) {
    if (const std::uint64_t most = terms_.most_of(length); most <= kMostListed) {
      for (std::uint64_t k = 0; k < most; ++k) {
        at.steps.back().index = terms_.bits(64, k);
        const Term is_there = terms_.binary(TermOp::LessU, at.steps.back().index, length);
        place(terms_.both(guard, is_there), at, element, name + "[]");
      }
      return;
    }
    const Term index = terms_.variable("at." + name, kIndex);
    at.steps.back().index = index;
    place(terms_.both(guard, terms_.binary(TermOp::LessU, index, length)), at, element, name + "[]");
  }

 private:
  Term load(const Target& at, std::uint8_t kind) {
    return encoder_.memory().load(contents_, Value::pointer(at), 0, kind).term;
  }

  Encoder& encoder_;
  Terms& terms_;
  const Contents& contents_;
};

}  // namespace

std::vector<Observed> observed(Encoder& encoder, Terms& terms, const Subject& subject, const Start& start,
                               const Outcome& outcome) {
  Observer observer(encoder, terms, outcome.after.memory);
  const bytecode::Module& module = *subject.module;
  const bytecode::Signature& signature = module.signatures[module.functions[subject.code].signature];
  if (signature.result_reference) {
    observer.place(kTrue, start.result, signature.parameters[0].type, "result");
  } else if (signature.result.is_scalar()) {
    const Sort sort = Memory::sort_of(static_cast<std::uint8_t>(signature.result.kind));
    const Value& value = outcome.after.slots.empty() ? Value{} : outcome.after.slots[0];
    observer.scalar(kTrue, value.kind == Value::Kind::Scalar ? value.term : terms.constant(sort, 0));
  } else if (signature.result.kind == RegisterKind::Buf) {
    const Term length = outcome.after.slots.size() < 2 ? terms.bits(64, 0) : outcome.after.slots[1].term;
    observer.scalar(kTrue, length);
    // The owner may be one of several Bufs: its elements are read through all of them.
    const std::uint32_t type = signature.result.type;
    const bytecode::Type& element = module.types[type];
    const Term index = terms.variable("at.result", kIndex);
    const Term within = terms.binary(TermOp::LessU, index, length);
    const Value& owner = outcome.after.slots.empty() ? Value{} : outcome.after.slots[0];
    if (element.kind == BytecodeKind::Scalar) {
      Value place = Value::null();
      if (owner.kind == Value::Kind::Pointer) {
        auto targets = std::make_shared<std::vector<GuardedTarget>>(*owner.targets);
        for (GuardedTarget& each : *targets) {
          Step& last = each.target.steps.back();
          last.index = terms.binary(TermOp::Add, last.index, index);
        }
        place.targets = std::move(targets);
      }
      observer.scalar(within, encoder.memory().load(outcome.after.memory, place, 0, kind_of(element.scalar)).term);
    } else if (owner.kind == Value::Kind::Pointer && owner.targets->size() == 1) {
      observer.elements(kTrue, owner.targets->front().target, type, length, "result");
    } else {
      throw Unsupported{"it returns one of several owners of records"};
    }
  } else if (signature.result.kind != RegisterKind::None) {
    throw Unsupported{"its result's type is not modelled"};
  }
  for (std::size_t position = 0; position < start.parameters.size(); ++position) {
    const Parameter& parameter = start.parameters[position];
    if (!parameter.written) continue;
    if (parameter.kind == Parameter::Kind::View) {
      observer.elements(kTrue, parameter.place, parameter.element, parameter.length, std::to_string(position));
    } else {
      observer.place(kTrue, parameter.place, parameter.element, std::to_string(position));
    }
  }
  return std::move(observer.found);
}

// --------------------------------------------------------------------------------------------------- from a model to
// values

namespace {

/// Writes the model's value of a place into bytes laid out as the type says.
class Materializer {
 public:
  Materializer(Encoder& encoder, Terms& terms, Solver& solver) : encoder_(encoder), terms_(terms), solver_(solver) {}

  void write(const Target& at, std::uint32_t type, std::byte* bytes) {
    const bytecode::Type& here = encoder_.module().types[type];
    const auto part = [&](std::uint32_t inner, std::uint64_t offset) {
      Target inside = at;
      inside.type = inner;
      inside.offset += offset;
      write(inside, inner, bytes + offset);
    };
    switch (here.kind) {
      case BytecodeKind::Scalar: {
        const std::uint64_t value = number(at, kind_of(here.scalar));
        std::memcpy(bytes, &value, here.size);  // the low bytes come first
        return;
      }
      case BytecodeKind::Record:
        for (const auto& field : here.fields) part(field.type, field.offset);
        return;
      case BytecodeKind::Sum: {
        const std::uint64_t tag = number(at, kTag);
        std::memcpy(bytes, &tag, 4);
        if (tag < here.variants.size() && here.variants[tag].payload != bytecode::kNone) {
          part(here.variants[tag].payload, here.variants[tag].offset);
        }
        return;
      }
      case BytecodeKind::Array:
        for (std::uint64_t k = 0; k < here.count; ++k) {
          Target inside = at;
          inside.type = here.element;
          inside.steps.push_back({terms_.bits(64, k), here.count});
          write(inside, here.element, bytes + k * encoder_.module().types[here.element].size);
        }
        return;
      default:
        return;
    }
  }

  std::uint64_t number(const Target& at, std::uint8_t kind) {
    return solver_.value(terms_, encoder_.memory().load({}, Value::pointer(at), 0, kind).term).bits;
  }

 private:
  Encoder& encoder_;
  Terms& terms_;
  Solver& solver_;
};

}  // namespace

nlohmann::ordered_json shown_value(const bytecode::Module& module, std::uint32_t type, const std::byte* bytes) {
  const bytecode::Type& here = module.types[type];
  switch (here.kind) {
    case BytecodeKind::Scalar: {
      std::uint64_t bits = 0;
      std::memcpy(&bits, bytes, here.size);
      return shown_scalar(here.scalar, bits);
    }
    case BytecodeKind::Record: {
      Json shown = Json::object();
      for (const auto& field : here.fields) shown[field.name] = shown_value(module, field.type, bytes + field.offset);
      return shown;
    }
    case BytecodeKind::Sum: {
      std::uint32_t tag = 0;
      std::memcpy(&tag, bytes, 4);
      if (tag >= here.variants.size()) return tag;
      const bytecode::Variant& variant = here.variants[tag];
      if (variant.payload == bytecode::kNone) return variant.name;
      return {{variant.name, shown_value(module, variant.payload, bytes + variant.offset)}};
    }
    case BytecodeKind::Array: {
      Json shown = Json::array();
      for (std::uint64_t k = 0; k < here.count; ++k) {
        shown.push_back(shown_value(module, here.element, bytes + k * module.types[here.element].size));
      }
      return shown;
    }
    default:
      return nullptr;
  }
}

std::expected<std::vector<ConcreteParameter>, std::string> concrete_inputs(Encoder& encoder, Terms& terms,
                                                                           const Subject& subject, const Start& start,
                                                                           Solver& solver) {
  std::vector<ConcreteParameter> inputs;
  Materializer materializer(encoder, terms, solver);
  const bytecode::Module& module = *subject.module;
  for (const Parameter& parameter : start.parameters) {
    ConcreteParameter input;
    const std::uint64_t size = parameter.kind == Parameter::Kind::Scalar ? 0 : module.types[parameter.element].size;
    switch (parameter.kind) {
      case Parameter::Kind::Scalar: {
        const Type& type = *value_type(parameter.type);
        const std::uint64_t bits = solver.value(terms, parameter.scalar).bits;
        input.slot = type.is_signed() ? static_cast<std::uint64_t>(signed_of(bits, bit_width(type.kind))) : bits;
        input.shown = shown_register(type, subject.compilation->names, bits);
        break;
      }
      case Parameter::Kind::Value:
      case Parameter::Kind::Borrow:
        input.bytes.resize(size);
        materializer.write(parameter.place, parameter.element, input.bytes.data());
        input.shown = shown_value(module, parameter.element, input.bytes.data());
        break;
      default:
        input.count = solver.value(terms, parameter.length).bits;
        if (input.count > kMostReplayed) {
          return std::unexpected("the solver's input has more than " + std::to_string(kMostReplayed) + " elements in " +
                                 parameter.name);
        }
        input.bytes.resize(input.count * size);
        input.shown = Json::array();
        for (std::uint64_t k = 0; k < input.count; ++k) {
          Target place = parameter.place;
          place.steps.back().index = terms.bits(64, k);
          materializer.write(place, parameter.element, input.bytes.data() + k * size);
          input.shown.push_back(shown_value(module, parameter.element, input.bytes.data() + k * size));
        }
        break;
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

// ------------------------------------------------------------------------------------------------------------------
// replay

namespace {

/// The module with a function for each element type that makes a Buf of its argument's length.
std::vector<std::uint32_t> add_makers(bytecode::Module& module, const std::vector<std::uint32_t>& elements) {
  std::vector<std::uint32_t> makers;
  for (const std::uint32_t element : elements) {
    bytecode::Signature signature;
    signature.parameters = {{RegisterKind::U64, false, bytecode::kNone}};
    signature.result = {RegisterKind::Buf, true, element};
    bytecode::ModuleBuilder scratch("replay");
    bytecode::FunctionBuilder code(scratch, scratch.declare("replay", scratch.signature(signature)));
    const bytecode::Register made = code.add_register(signature.result);
    code.emit(bytecode::Op::BufNew, made, code.parameter(0), element);
    code.emit(bytecode::Op::ReturnPair, made);
    code.finish();
    bytecode::Function maker = std::move(scratch.module().functions.front());
    maker.signature = static_cast<std::uint32_t>(module.signatures.size());
    module.signatures.push_back(signature);
    makers.push_back(static_cast<std::uint32_t>(module.functions.size()));
    module.functions.push_back(std::move(maker));
  }
  return makers;
}

}  // namespace

nlohmann::ordered_json replay(const Subject& subject, const Start& start,
                              const std::vector<ConcreteParameter>& inputs) {
  bytecode::Module module = *subject.module;
  std::vector<std::uint32_t> owned;
  for (const Parameter& parameter : start.parameters) {
    if (parameter.kind == Parameter::Kind::Owner) owned.push_back(parameter.element);
  }
  const std::vector<std::uint32_t> makers = add_makers(module, owned);
  const bytecode::Signature signature = module.signatures[module.functions[subject.code].signature];
  ExecutionOptions options;
  options.tier = Tier::Interpreter;
  Execution execution(std::move(module), options);

  // A copy of every argument that lies in memory, on the 16 bytes that `new` aligns to.
  std::vector<std::unique_ptr<std::byte[]>> storage;
  const auto stored = [&](const std::vector<std::byte>& bytes) {
    storage.emplace_back(new std::byte[bytes.size() + 1]());
    std::ranges::copy(bytes, storage.back().get());
    return storage.back().get();
  };
  const auto address = [](const std::byte* at) { return reinterpret_cast<std::uint64_t>(at); };
  std::vector<std::uint64_t> slots;
  std::byte* result_place = nullptr;
  if (signature.result_reference) {
    result_place = stored(std::vector<std::byte>(subject.module->types[signature.parameters[0].type].size));
    slots.push_back(address(result_place));
  }
  std::vector<std::byte*> places(inputs.size(), nullptr);
  std::size_t next_maker = 0;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const ConcreteParameter& input = inputs[k];
    if (start.parameters[k].kind == Parameter::Kind::Scalar) {
      slots.push_back(input.slot);
      continue;
    }
    if (start.parameters[k].kind == Parameter::Kind::Owner) {
      std::uint64_t pair[2] = {0, 0};
      const std::uint64_t count = input.count;
      if (execution.call(makers[next_maker++], std::span(&count, 1), pair)) return {{"defined", false}};
      if (!input.bytes.empty()) std::memcpy(reinterpret_cast<void*>(pair[0]), input.bytes.data(), input.bytes.size());
      slots.insert(slots.end(), {pair[0], pair[1]});
      continue;
    }
    places[k] = stored(input.bytes);
    slots.push_back(address(places[k]));
    if (start.parameters[k].kind == Parameter::Kind::View) slots.push_back(input.count);
  }
  std::uint64_t result[2] = {0, 0};
  if (const auto trap = execution.call(subject.code, slots, std::span(result, signature.result.slots()))) {
    return {{"defined", false}, {"trap", trap->message}};
  }
  Json outcome = {{"defined", true}};
  const Type& type = *subject.function->result;
  const auto list = [&](std::uint32_t element, const std::byte* bytes, std::uint64_t count) {
    Json shown = Json::array();
    for (std::uint64_t k = 0; k < count; ++k) {
      shown.push_back(shown_value(*subject.module, element, bytes + k * subject.module->types[element].size));
    }
    return shown;
  };
  if (signature.result_reference) {
    outcome["return"] = shown_value(*subject.module, signature.parameters[0].type, result_place);
  } else if (signature.result.is_scalar()) {
    outcome["return"] = shown_register(type, subject.compilation->names, result[0]);
  } else if (signature.result.kind == RegisterKind::Buf) {
    outcome["return"] = list(signature.result.type, reinterpret_cast<const std::byte*>(result[0]), result[1]);
  } else {
    outcome["return"] = nullptr;
  }
  outcome["written"] = Json::object();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const Parameter& parameter = start.parameters[k];
    if (!parameter.written) continue;
    outcome["written"][parameter.name] = parameter.kind == Parameter::Kind::View
                                             ? list(parameter.element, places[k], inputs[k].count)
                                             : shown_value(*subject.module, parameter.element, places[k]);
  }
  return outcome;
}

}  // namespace cairn::verify
