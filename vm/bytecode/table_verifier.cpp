#include "vm/bytecode/table_verifier.hpp"

#include <algorithm>
#include <bit>

namespace cairn::bytecode {
namespace {

bool is_alignment(std::uint64_t align) { return std::has_single_bit(align) && align <= kMaxAlign; }

class TypeVerifier {
 public:
  explicit TypeVerifier(const Module& module) : module_(module), depth_(module.types.size(), kUnknown) {}

  std::optional<Fault> run() {
    for (std::uint32_t i = 0; i < module_.types.size(); ++i) {
      std::string why = own_shape(module_.types[i]);
      if (why.empty() && depth_of(i) > kMaxTypeDepth) why = "it contains itself, or is nested too deep";
      if (!why.empty()) return Fault{kNone, kNone, "type " + std::to_string(i) + ": " + why};
    }
    // Layouts are judged last: they need the sizes of parts, whose nesting is now known to end.
    for (std::uint32_t i = 0; i < module_.types.size(); ++i) {
      const std::string why = layout(module_.types[i]);
      if (!why.empty()) return Fault{kNone, kNone, "type " + std::to_string(i) + ": " + why};
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint32_t kUnknown = 0xffffffff;
  static constexpr std::uint32_t kOpen = 0xfffffffe;

  bool is_type(std::uint32_t index) const { return index < module_.types.size(); }
  bool is_environment_only(std::uint32_t index) const {
    const Type& type = module_.types[index];
    return type.environment || (type.kind >= TypeKind::Reference && type.kind <= TypeKind::DynReference) ||
           type.kind == TypeKind::Handle;
  }

  /// What can be said without looking at parts' layouts.
  std::string own_shape(const Type& type) const {
    if (type.kind > TypeKind::Handle) return "unknown kind";
    if (!is_alignment(type.align)) return "its alignment is no power of two up to 65536";
    if (type.size > kMaxTypeBytes || type.size % type.align != 0) return "its size is out of range or not aligned";
    switch (type.kind) {
      case TypeKind::Scalar:
        if (type.scalar > ScalarKind::F8E5M2) return "unknown scalar";
        return type.size == scalar_size(type.scalar) && type.align == type.size ? "" : "a scalar of another size";
      case TypeKind::Record:
        for (const Field& field : type.fields) {
          if (!is_type(field.type)) return "a field of no type";
          if (is_environment_only(field.type) && !type.environment) return "a pointer outside environments";
        }
        return "";
      case TypeKind::Sum:
        if (type.variants.empty()) return "a sum without variants";
        for (const Variant& variant : type.variants) {
          if (variant.payload == kNone) continue;
          if (!is_type(variant.payload)) return "a payload of no type";
          if (is_environment_only(variant.payload)) return "a pointer outside environments";
        }
        return "";
      case TypeKind::Array:
      case TypeKind::Mutex:
        if (!is_type(type.element)) return "an element of no type";
        return is_environment_only(type.element) ? "a pointer outside environments" : "";
      case TypeKind::Buf:
        if (!is_type(type.element)) return "an element of no type";
        return is_environment_only(type.element) ? "a pointer outside environments" : two_words(type);
      case TypeKind::View:
        if (!is_type(type.element)) return "an element of no type";
        return two_words(type);
      case TypeKind::Dyn:
      case TypeKind::DynReference:
        return type.element < module_.traits.size() ? two_words(type) : "of no trait";
      case TypeKind::Callable:
        return type.element < module_.signatures.size() ? two_words(type) : "of no signature";
      case TypeKind::Function:
        return type.element < module_.signatures.size() ? one_word(type) : "of no signature";
      case TypeKind::Reference:
        return is_type(type.element) ? one_word(type) : "to no type";
      case TypeKind::Handle: {
        const auto kind = static_cast<RegisterKind>(type.count);
        if (type.count > 255 || kind < RegisterKind::Ticket || kind > RegisterKind::Ring) return "no handle";
        if (kind != RegisterKind::Ring && type.element >= module_.signatures.size()) return "of no signature";
        return one_word(type);
      }
    }
    return "unknown kind";
  }
  static std::string one_word(const Type& type) { return type.size == 8 && type.align == 8 ? "" : "not one word"; }
  static std::string two_words(const Type& type) { return type.size == 16 && type.align == 8 ? "" : "not two words"; }

  /// Depth of nesting by value; past the bound when a type contains itself.
  std::uint32_t depth_of(std::uint32_t index) {
    if (depth_[index] == kOpen) return kMaxTypeDepth + 1;
    if (depth_[index] != kUnknown) return depth_[index];
    depth_[index] = kOpen;
    ++open_;
    std::uint32_t deepest = 0;
    const auto part = [&](std::uint32_t type) {
      if (type != kNone && open_ <= kMaxTypeDepth) deepest = std::max(deepest, depth_of(type) + 1);
      if (open_ > kMaxTypeDepth) deepest = kMaxTypeDepth + 1;
    };
    const Type& type = module_.types[index];
    if (type.kind == TypeKind::Record) {
      for (const Field& field : type.fields) part(field.type);
    } else if (type.kind == TypeKind::Sum) {
      for (const Variant& variant : type.variants) part(variant.payload);
    } else if (type.kind == TypeKind::Array || type.kind == TypeKind::Mutex) {
      part(type.element);
    }
    --open_;
    return depth_[index] = std::min(deepest, kMaxTypeDepth + 1);
  }

  /// Parts inside, disjoint (but the payloads of an overlapping sum, which hold no pointers), flags as the parts say.
  std::string layout(const Type& type) const {
    bool owns = type.kind == TypeKind::Buf || type.kind == TypeKind::Dyn;
    bool pointers = owns || (type.kind >= TypeKind::Reference && type.kind <= TypeKind::DynReference) ||
                    type.kind == TypeKind::Handle;
    std::uint64_t end = 0;
    std::string why;
    const auto part = [&](std::uint32_t index, std::uint64_t offset, bool disjoint) {
      const Type& of = module_.types[index];
      owns |= of.owns;
      pointers |= of.pointers;
      if (offset > type.size || of.size > type.size - offset) why = "a part past its end";
      if (disjoint && offset < end) why = "parts that overlap";
      end = std::max(end, offset + of.size);
    };
    switch (type.kind) {
      case TypeKind::Record:
        for (const Field& field : type.fields) part(field.type, field.offset, true);
        break;
      case TypeKind::Sum:
        end = 4;
        if (type.size < 4 || type.align < 4) return "no room for its tag";
        for (const Variant& variant : type.variants) {
          if (variant.payload == kNone) continue;
          if (variant.offset < 4) return "a payload over its tag";
          part(variant.payload, variant.offset, !type.overlapping);
        }
        if (type.overlapping && pointers) why = "owners or pointers that overlap";
        break;
      case TypeKind::Array: {
        const Type& of = module_.types[type.element];
        owns = of.owns;
        pointers = of.pointers;
        if (of.size != 0 && type.count > kMaxTypeBytes / of.size) return "too large";
        if (of.size * type.count != type.size) return "a size that is not its elements'";
        break;
      }
      case TypeKind::Mutex:
        part(type.element, std::max<std::uint64_t>(8, type.align), true);
        break;
      default:
        break;
    }
    if (!why.empty()) return why;
    if (type.owns != owns || type.pointers != pointers) return "flags that do not fit its parts";
    return "";
  }

  const Module& module_;
  std::vector<std::uint32_t> depth_;
  std::uint32_t open_ = 0;
};

/// The verifier of every other table, and of functions but for their code.
class TableVerifier {
 public:
  explicit TableVerifier(const Module& module) : module_(module) {}

  std::optional<Fault> run() {
    check_signatures();
    check_traits();
    check_tables();
    for (const Native& native : module_.natives) require(is_signature(native.signature), "a native of no signature");
    for (const Foreign& foreign : module_.foreigns) {
      require(is_signature(foreign.signature), "a foreign function of no signature");
      require(is_position(foreign.position), "a foreign function in no file");
      if (!fault_) check_passing(foreign);
    }
    for (std::uint32_t i = 0; i < module_.functions.size() && !fault_; ++i) {
      function_ = i;
      check_function(module_.functions[i]);
    }
    function_ = kNone;
    if (!fault_) check_entries();
    return fault_;
  }

 private:
  void require(bool holds, const char* otherwise) {
    if (!holds && !fault_) fault_ = Fault{function_, kNone, otherwise};
  }
  bool is_signature(std::uint32_t index) const { return index < module_.signatures.size(); }
  bool is_position(const SourcePosition& position) const {
    return position.file == kNone || position.file < module_.files.size();
  }

  /// A pointer parameter is a view, a reference or a scalar lent by value; a result through memory is no parameter of
  /// C's.
  void check_passing(const Foreign& foreign) {
    const Signature& signature = module_.signatures[foreign.signature];
    const std::size_t first = signature.result_reference ? 1 : 0;
    require(signature.parameters.size() == foreign.passing.size() + first, "a foreign function's parameters disagree");
    if (fault_) return;
    for (std::size_t i = 0; i < foreign.passing.size(); ++i) {
      const RegisterType& parameter = signature.parameters[i + first];
      const bool pointer = foreign.passing[i] == 'p';
      require(pointer || foreign.passing[i] == 'v', "a foreign parameter passed in no known way");
      const bool view = parameter.kind == RegisterKind::View;
      const bool memory = parameter.kind == RegisterKind::Ref && parameter.type != kNone;
      require(view ? pointer : memory || parameter.is_scalar() || parameter.kind == RegisterKind::Buf,
              "a foreign parameter C cannot take");
    }
  }

  void check_signatures() {
    for (const Signature& signature : module_.signatures) {
      std::uint64_t slots = 0;
      for (const RegisterType& parameter : signature.parameters) {
        // A trait member's receiver refers to no one type.
        const bool receiver = parameter.kind == RegisterKind::Ref && parameter.type == kNone;
        require(receiver || is_register_type(module_, parameter), "a parameter of no type");
        slots += parameter.slots();
      }
      require(slots < kMaxSlots / 2, "too many parameters");
      const RegisterKind kind = signature.result.kind;
      // A ring is the result of the native that makes it.
      const bool travels = kind <= RegisterKind::Function || kind == RegisterKind::Ring || kind == RegisterKind::Buf ||
                           kind == RegisterKind::Dyn;
      require(travels && (kind == RegisterKind::None || is_register_type(module_, signature.result)),
              "a result that is no value");
      if (!signature.result_reference) continue;
      require(kind == RegisterKind::None && !signature.parameters.empty() &&
                  signature.parameters[0].kind == RegisterKind::Ref && signature.parameters[0].writable &&
                  signature.parameters[0].type != kNone,
              "no reference for the result");
    }
  }

  void check_traits() {
    for (const Trait& trait : module_.traits) {
      for (const TraitMember& member : trait.members) {
        require(is_signature(member.signature), "a member of no signature");
        if (fault_) return;
        const Signature& signature = module_.signatures[member.signature];
        for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
          const bool is_receiver =
              signature.parameters[i] == RegisterType{RegisterKind::Ref, signature.parameters[i].writable, kNone};
          require(is_receiver == (i == member.receiver), "a member without its receiver");
        }
        require(member.receiver < signature.parameters.size(), "a member without its receiver");
      }
    }
  }

  void check_tables() {
    for (const DispatchTable& table : module_.tables) {
      require(table.trait < module_.traits.size() && table.type < module_.types.size(), "a table of nothing");
      if (fault_) return;
      const std::vector<TraitMember>& members = module_.traits[table.trait].members;
      require(table.functions.size() == members.size(), "a table without all members");
      for (std::size_t i = 0; i < members.size() && !fault_; ++i) check_member(table, members[i], table.functions[i]);
    }
  }
  void check_member(const DispatchTable& table, const TraitMember& member, std::uint32_t index) {
    require(index < module_.functions.size() && is_signature(module_.functions[index].signature),
            "a table that names no function");
    if (fault_) return;
    const Function& function = module_.functions[index];
    Signature wanted = module_.signatures[member.signature];
    wanted.parameters[member.receiver].type = table.type;
    require(module_.signatures[function.signature] == wanted && function.environment == kNone &&
                function.kind == FunctionKind::Plain,
            "a table's function that is not its member");
  }

  void check_function(const Function& function) {
    require(is_signature(function.signature), "no signature");
    require(function.kind <= FunctionKind::Test, "unknown kind");
    require(is_position(function.position), "in no file");
    require(function.environment == kNone ||
                (function.environment < module_.types.size() && module_.types[function.environment].environment),
            "an environment of no type");
    require(function.parent == kNone || function.parent < module_.functions.size(), "a parent that is no function");
    if (fault_) return;
    check_registers(function);
    check_memory(function);
    require(!function.code.empty() && function.code.size() < 0x7fffffff, "no code, or too much");
    std::uint32_t last = 0;
    for (const PositionEntry& entry : function.positions) {
      require(is_position(entry.position), "an instruction in no file");
      require(&entry == function.positions.data() || entry.word > last, "positions out of order");
      last = entry.word;
    }
    require(function.positions.empty() || last < function.code.size(), "a position past the code");
    if (function.kind == FunctionKind::Kernel) check_kernel(function);
    if (function.kind == FunctionKind::DeviceLane) check_device_lane(function);
  }

  void check_registers(const Function& function) {
    const Signature& signature = module_.signatures[function.signature];
    std::vector<RegisterType> first = signature.parameters;
    if (function.environment != kNone) first.push_back({RegisterKind::Ref, true, function.environment});
    const std::vector<RegisterInfo>& registers = function.registers;
    require(function.slots <= kMaxSlots && registers.size() + kLinkSlots <= function.slots, "too many slots");
    for (std::size_t i = 0; i < registers.size(); ++i) {
      const RegisterType& type = registers[i].type;
      require(is_register_type(module_, type), "a register of no type");
      if (fault_) return;
      if (!type.is_pair()) continue;
      ++i;
      require(i < registers.size() && registers[i].type == RegisterType{RegisterKind::Second, false, kNone},
              "half a pair of registers");
    }
    std::size_t slot = 0;
    for (const RegisterType& parameter : first) {
      require(slot < registers.size() && registers[slot].type == parameter, "registers that are not the parameters");
      slot += parameter.slots();
    }
  }

  void check_memory(const Function& function) {
    require(function.memory_bytes <= kMaxTypeBytes && is_alignment(function.memory_align) && function.memory_align >= 8,
            "too much memory, or memory unaligned");
    std::uint64_t end = 0;
    for (const MemoryObject& object : function.objects) {
      require(object.type < module_.types.size(), "an object of no type");
      if (fault_) return;
      const Type& type = module_.types[object.type];
      require(object.offset >= end && object.offset % type.align == 0 && type.align <= function.memory_align,
              "objects that overlap or are not aligned");
      require(object.offset < function.memory_bytes && type.size <= function.memory_bytes - object.offset,
              "an object past the memory");
      end = object.offset + std::max<std::uint64_t>(type.size, 1);
    }
  }

  /// Nothing of the host's frames or objects reaches a device.
  void check_device_lane(const Function& function) {
    require(function.environment != kNone, "a device lane without an environment");
    if (fault_) return;
    for (const Field& field : module_.types[function.environment].fields) {
      const TypeKind kind = module_.types[field.type].kind;
      require(kind != TypeKind::Reference && kind != TypeKind::Callable && kind != TypeKind::DynReference &&
                  kind != TypeKind::Handle && !module_.types[field.type].owns,
              "a device lane that refers to the host");
    }
  }

  void check_kernel(const Function& function) {
    const KernelInfo& kernel = function.kernel;
    const Signature& signature = module_.signatures[function.signature];
    const RegisterType word{RegisterKind::U64, false, kNone};
    require(signature == Signature{{word, word}, {}, false} && function.environment != kNone,
            "a kernel of another signature");
    require(kernel.threads >= 32 && kernel.threads <= 1024 && kernel.threads % 32 == 0, "a kernel of odd threads");
    require(kernel.shared_bytes <= 65536, "too much shared memory");
    const auto lies_inside = [&](std::uint64_t offset, std::uint64_t bytes) {
      return offset % 16 == 0 && offset <= kernel.shared_bytes && bytes <= kernel.shared_bytes - offset;
    };
    for (const SharedArray& array : kernel.arrays) {
      require(array.element <= ScalarKind::F8E5M2, "a shared array of no scalar");
      require(lies_inside(array.offset, std::uint64_t{array.count} * scalar_size(array.element)),
              "a shared array outside shared memory");
    }
    for (const Pipeline& pipeline : kernel.pipelines) {
      require(pipeline.element <= ScalarKind::F8E5M2 && pipeline.depth >= 1 && pipeline.depth <= 8, "no pipeline");
      const std::uint64_t stage = (std::uint64_t{pipeline.size} * scalar_size(pipeline.element) + 15) / 16 * 16;
      require(lies_inside(pipeline.offset, stage * pipeline.depth), "a pipeline outside shared memory");
    }
    if (kernel.finish == kNone) return;
    require(kernel.finish < module_.functions.size(), "a finish that is no function");
    if (fault_) return;
    const Function& finish = module_.functions[kernel.finish];
    require(finish.kind == FunctionKind::Kernel && finish.environment == function.environment &&
                finish.kernel.threads == kernel.threads && finish.kernel.finish == kNone,
            "a finish of another kind");
  }

  void check_entries() {
    const auto callable = [&](std::uint32_t index, const Signature& signature) {
      return index < module_.functions.size() && module_.functions[index].environment == kNone &&
             module_.functions[index].kind != FunctionKind::Kernel &&
             module_.signatures[module_.functions[index].signature] == signature;
    };
    require(module_.entry == kNone || callable(module_.entry, {{}, {RegisterKind::I32, false, kNone}, false}),
            "an entry that is not fn() -> i32");
    for (const std::uint32_t test : module_.tests) require(callable(test, {}), "a test that is not fn()");
  }

  const Module& module_;
  std::uint32_t function_ = kNone;
  std::optional<Fault> fault_;
};

}  // namespace

bool is_register_type(const Module& module, const RegisterType& type) {
  const bool no_index = type.type == kNone;
  switch (type.kind) {
    case RegisterKind::None:
    case RegisterKind::Second:
      return false;
    case RegisterKind::Ref:
    case RegisterKind::View:
      return type.type < module.types.size();
    case RegisterKind::Buf: {
      if (type.writable || type.type >= module.types.size()) return false;
      const Type& element = module.types[type.type];
      return !element.environment && (element.kind < TypeKind::Reference || element.kind == TypeKind::Mutex);
    }
    case RegisterKind::Function:
    case RegisterKind::Callable:
    case RegisterKind::Ticket:
    case RegisterKind::Group:
      return !type.writable && type.type < module.signatures.size();
    case RegisterKind::Dyn:
      return !type.writable && type.type < module.traits.size();
    case RegisterKind::DynRef:
      return type.type < module.traits.size();
    case RegisterKind::Ring:
      return !type.writable && no_index;
    default:
      return type.is_scalar() && !type.writable && no_index;
  }
}

std::optional<Fault> verify_tables(const Module& module) {
  if (auto fault = TypeVerifier(module).run()) return fault;
  return TableVerifier(module).run();
}

}  // namespace cairn::bytecode
