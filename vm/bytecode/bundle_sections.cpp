#include "vm/bytecode/bundle_sections.hpp"

namespace cairn::bytecode {
namespace {

/// Const for a writer, not for a reader.
template <class Stream, class T>
using On = std::conditional_t<Stream::kReads, T, const T>;

template <class Stream, class T>
void integer(Stream& stream, T& value) {
  if constexpr (Stream::kReads) {
    const std::uint64_t raw = stream.integer();
    value = static_cast<T>(raw);
    if (static_cast<std::uint64_t>(value) != raw) stream.fail();
  } else {
    stream.integer(static_cast<std::uint64_t>(value));
  }
}

template <class Stream, class T>
void text(Stream& stream, T& value) {
  if constexpr (Stream::kReads) {
    value = stream.text();
  } else {
    stream.text(value);
  }
}

/// An index that may be none: 0 for none.
template <class Stream, class T>
void index(Stream& stream, T& value) {
  if constexpr (Stream::kReads) {
    const std::uint64_t raw = stream.integer();
    if (raw > kNone) stream.fail();
    value = static_cast<std::uint32_t>(raw) - 1;
  } else {
    stream.integer((std::uint64_t{value} + 1) & 0xffffffff);
  }
}

/// `least`: bytes a row takes at least.
template <class Stream, class Rows, class Exchange>
void rows(Stream& stream, Rows& list, std::uint64_t least, Exchange exchange) {
  if constexpr (Stream::kReads) {
    list.resize(stream.count(least));
  } else {
    stream.integer(list.size());
  }
  for (auto& row : list) {
    if (stream.failed()) return;
    exchange(row);
  }
}

template <class Stream>
void position(Stream& stream, On<Stream, SourcePosition>& value) {
  index(stream, value.file);
  integer(stream, value.line);
  integer(stream, value.column);
}

template <class Stream>
void register_type(Stream& stream, On<Stream, RegisterType>& type) {
  integer(stream, type.kind);
  integer(stream, type.writable);
  index(stream, type.type);
}

template <class Stream>
void names(Stream& stream, On<Stream, Module>& module) {
  text(stream, module.name);
  rows(stream, module.files, 1, [&](auto& path) { text(stream, path); });
  rows(stream, module.texts, 1, [&](auto& bytes) { text(stream, bytes); });
}

template <class Stream>
void types(Stream& stream, On<Stream, Module>& module) {
  rows(stream, module.types, 9, [&](On<Stream, Type>& type) {
    integer(stream, type.kind);
    integer(stream, type.scalar);
    integer(stream, type.writable);
    integer(stream, type.overlapping);
    integer(stream, type.environment);
    integer(stream, type.owns);
    integer(stream, type.pointers);
    integer(stream, type.align);
    integer(stream, type.size);
    index(stream, type.element);
    integer(stream, type.count);
    text(stream, type.name);
    rows(stream, type.fields, 3, [&](On<Stream, Field>& field) {
      text(stream, field.name);
      index(stream, field.type);
      integer(stream, field.offset);
    });
    rows(stream, type.variants, 3, [&](On<Stream, Variant>& variant) {
      text(stream, variant.name);
      index(stream, variant.payload);
      integer(stream, variant.offset);
    });
  });
}

template <class Stream>
void signatures(Stream& stream, On<Stream, Module>& module) {
  rows(stream, module.signatures, 5, [&](On<Stream, Signature>& signature) {
    rows(stream, signature.parameters, 3, [&](On<Stream, RegisterType>& type) { register_type<Stream>(stream, type); });
    register_type<Stream>(stream, signature.result);
    integer(stream, signature.result_reference);
  });
}

template <class Stream>
void traits(Stream& stream, On<Stream, Module>& module) {
  rows(stream, module.traits, 2, [&](On<Stream, Trait>& trait) {
    text(stream, trait.name);
    rows(stream, trait.members, 3, [&](On<Stream, TraitMember>& member) {
      text(stream, member.name);
      index(stream, member.signature);
      integer(stream, member.receiver);
    });
  });
  rows(stream, module.tables, 3, [&](On<Stream, DispatchTable>& table) {
    index(stream, table.trait);
    index(stream, table.type);
    rows(stream, table.functions, 1, [&](auto& function) { index(stream, function); });
  });
}

template <class Stream>
void imports(Stream& stream, On<Stream, Module>& module) {
  rows(stream, module.natives, 2, [&](On<Stream, Native>& native) {
    text(stream, native.name);
    index(stream, native.signature);
  });
  rows(stream, module.foreigns, 7, [&](On<Stream, Foreign>& foreign) {
    text(stream, foreign.name);
    text(stream, foreign.symbol);
    index(stream, foreign.signature);
    text(stream, foreign.passing);
    position<Stream>(stream, foreign.position);
    integer(stream, foreign.launched);
  });
}

template <class Stream>
void kernel(Stream& stream, On<Stream, KernelInfo>& info) {
  integer(stream, info.threads);
  integer(stream, info.shared_bytes);
  index(stream, info.finish);
  rows(stream, info.arrays, 5, [&](On<Stream, SharedArray>& array) {
    integer(stream, array.offset);
    integer(stream, array.element);
    integer(stream, array.count);
    integer(stream, array.zeroed);
    text(stream, array.name);
  });
  rows(stream, info.pipelines, 4, [&](On<Stream, Pipeline>& pipeline) {
    integer(stream, pipeline.element);
    integer(stream, pipeline.size);
    integer(stream, pipeline.depth);
    integer(stream, pipeline.offset);
  });
}

template <class Stream>
void functions(Stream& stream, On<Stream, Module>& module) {
  rows(stream, module.functions, 20, [&](On<Stream, Function>& self) {
    text(stream, self.name);
    integer(stream, self.kind);
    index(stream, self.signature);
    index(stream, self.environment);
    index(stream, self.parent);
    rows(stream, self.registers, 4, [&](On<Stream, RegisterInfo>& reg) {
      register_type<Stream>(stream, reg.type);
      text(stream, reg.name);
    });
    integer(stream, self.slots);
    integer(stream, self.memory_bytes);
    integer(stream, self.memory_align);
    rows(stream, self.objects, 3, [&](On<Stream, MemoryObject>& object) {
      integer(stream, object.offset);
      index(stream, object.type);
      text(stream, object.name);
    });
    kernel<Stream>(stream, self.kernel);
    rows(stream, self.code, 8, [&](On<Stream, Word>& word) {
      if constexpr (Stream::kReads) {
        word = stream.word();
      } else {
        stream.word(word);
      }
    });
  });
}

/// Positions go as differences: most instructions stand a little after the one before.
template <class Stream>
void positions(Stream& stream, On<Stream, Module>& module) {
  const auto step = [&](auto& value, std::uint32_t& before) {
    if constexpr (Stream::kReads) {
      const std::uint64_t raw = stream.integer();  // zigzag
      const auto difference = static_cast<std::uint32_t>(raw >> 1) ^ (0 - static_cast<std::uint32_t>(raw & 1));
      if (raw > 0xffffffff) stream.fail();
      value = before + difference;
    } else {
      const auto difference = static_cast<std::int32_t>(value - before);
      const std::uint32_t sign = difference < 0 ? 0xffffffff : 0;
      stream.integer((static_cast<std::uint32_t>(difference) << 1) ^ sign);
    }
    before = value;
  };
  for (auto& self : module.functions) {
    position<Stream>(stream, self.position);
    PositionEntry before;
    rows(stream, self.positions, 4, [&](On<Stream, PositionEntry>& entry) {
      step(entry.word, before.word);
      step(entry.position.file, before.position.file);
      step(entry.position.line, before.position.line);
      step(entry.position.column, before.position.column);
    });
    if (stream.failed()) return;
  }
}

template <class Stream>
void entries(Stream& stream, On<Stream, Module>& module) {
  index(stream, module.entry);
  rows(stream, module.tests, 1, [&](auto& test) { index(stream, test); });
  text(stream, module.emulated_for);
  text(stream, module.built_for);
}

template <class Stream>
void exchange(Section section, On<Stream, Module>& module, On<Stream, std::string>& interface, Stream& stream) {
  switch (section) {
    case Section::Names:
      return names<Stream>(stream, module);
    case Section::Types:
      return types<Stream>(stream, module);
    case Section::Signatures:
      return signatures<Stream>(stream, module);
    case Section::Traits:
      return traits<Stream>(stream, module);
    case Section::Imports:
      return imports<Stream>(stream, module);
    case Section::Functions:
      return functions<Stream>(stream, module);
    case Section::Positions:
      return positions<Stream>(stream, module);
    case Section::Entries:
      return entries<Stream>(stream, module);
    case Section::Interface:
      return text(stream, interface);
  }
}

}  // namespace

void write_section(Section section, const Module& module, const std::string& interface, SectionWriter& writer) {
  exchange(section, module, interface, writer);
}

void read_section(Section section, Module& module, std::string& interface, SectionReader& reader) {
  exchange(section, module, interface, reader);
}

}  // namespace cairn::bytecode
