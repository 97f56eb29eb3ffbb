#include <algorithm>
#include <charconv>
#include <map>

#include "vm/bytecode/text.hpp"
#include "vm/bytecode/text_names.hpp"

namespace cairn::bytecode {
namespace {

/// A word, number, mark or quoted text; `text` is unquoted.
struct Token {
  std::string text;
  bool quoted = false;
  bool ends_line = false;  // nothing follows on its line
};

class Tokens {
 public:
  explicit Tokens(std::string_view text) { split(text); }

  [[nodiscard]] bool done() const { return next_ == tokens_.size(); }
  [[nodiscard]] std::size_t line() const {
    return next_ < lines_.size() ? lines_[next_] : lines_.empty() ? 1 : lines_.back();
  }
  [[nodiscard]] const Token& peek() const { return done() ? end_ : tokens_[next_]; }
  Token take() { return done() ? end_ : tokens_[next_++]; }
  /// True when a token of the current line is left: the last one taken did not end it.
  [[nodiscard]] bool more_on_line() const { return next_ != 0 && !done() && !tokens_[next_ - 1].ends_line; }
  [[nodiscard]] const std::string& broken() const { return broken_; }

 private:
  static bool is_mark(char c) {
    return c == '(' || c == ')' || c == '[' || c == ']' || c == ',' || c == ':' || c == '@';
  }

  void split(std::string_view text) {
    std::size_t line = 1;
    for (std::size_t at = 0; at < text.size();) {
      const char c = text[at];
      if (c == '\n') {
        if (!tokens_.empty()) tokens_.back().ends_line = true;
        ++line;
        ++at;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at;
      } else if (c == '#') {
        while (at < text.size() && text[at] != '\n') ++at;
      } else if (c == '"') {
        add({unquote(text, at), true, false}, line);
      } else if (is_mark(c)) {
        add({std::string(1, c), false, false}, line);
        ++at;
      } else {
        const std::size_t begin = at;
        while (at < text.size() && !is_mark(text[at]) && text[at] > ' ' && text[at] != '#' && text[at] != '"') ++at;
        if (at == begin) ++at;
        add({std::string(text.substr(begin, at - begin)), false, false}, line);
      }
    }
    if (!tokens_.empty()) tokens_.back().ends_line = true;
  }

  void add(Token token, std::size_t line) {
    tokens_.push_back(std::move(token));
    lines_.push_back(line);
  }

  /// The text from the quote at `at`; leaves `at` past its end.
  std::string unquote(std::string_view text, std::size_t& at) {
    std::string out;
    for (++at; at < text.size() && text[at] != '"'; ++at) {
      if (text[at] != '\\') {
        out += text[at];
      } else if (at + 1 < text.size() && text[at + 1] == 'n') {
        out += '\n';
        ++at;
      } else if (at + 3 < text.size() && text[at + 1] == 'x') {
        unsigned value = 0;
        std::from_chars(text.data() + at + 2, text.data() + at + 4, value, 16);
        out += static_cast<char>(value);
        at += 3;
      } else if (at + 1 < text.size()) {
        out += text[++at];
      }
    }
    if (at >= text.size()) broken_ = "a quoted text that does not end";
    ++at;
    return out;
  }

  std::vector<Token> tokens_;
  std::vector<std::size_t> lines_;
  std::size_t next_ = 0;
  Token end_{"", false, true};
  std::string broken_;
};

template <std::size_t n>
std::size_t index_in(const std::string_view (&names)[n], std::string_view name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - std::begin(names));
}

class Reader {
 public:
  explicit Reader(std::string_view text) : tokens_(text) {}

  std::expected<Module, std::string> run() {
    if (!tokens_.broken().empty()) fail(tokens_.broken());
    while (!tokens_.done() && error_.empty()) row();
    if (!error_.empty()) return std::unexpected(error_);
    return std::move(module_);
  }

 private:
  void fail(const std::string& why) {
    if (error_.empty()) error_ = "line " + std::to_string(tokens_.line()) + ": " + why;
  }

  std::string word() { return tokens_.take().text; }
  bool at(std::string_view text) const { return !tokens_.peek().quoted && tokens_.peek().text == text; }
  bool eat(std::string_view text) {
    if (!at(text)) return false;
    tokens_.take();
    return true;
  }
  void expect(std::string_view text) {
    if (!eat(text)) fail("expected '" + std::string(text) + "', got '" + tokens_.peek().text + "'");
  }
  std::string quoted() {
    if (!tokens_.peek().quoted) fail("expected a quoted text, got '" + tokens_.peek().text + "'");
    return word();
  }

  /// Decimal (signed or not) or 0x hexadecimal.
  std::uint64_t number() {
    const std::string text = word();
    std::uint64_t value = 0;
    const bool negative = text.starts_with('-');
    const bool hex = text.starts_with("0x");
    const char* begin = text.data() + (negative ? 1 : hex ? 2 : 0);
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(begin, end, value, hex ? 16 : 10);
    if (problem != std::errc{} || stop != end) fail("expected a number, got '" + text + "'");
    return negative ? 0 - value : value;
  }
  std::uint32_t small() {
    const std::uint64_t value = number();
    if (value > 0xffffffff) fail("a number past 32 bits");
    return static_cast<std::uint32_t>(value);
  }
  std::uint32_t index() {
    if (eat("none")) return kNone;
    return small();
  }
  template <std::size_t n>
  std::size_t one_of(const std::string_view (&names)[n]) {
    const std::string name = word();
    const std::size_t found = index_in(names, name);
    if (found == n) fail("unknown word '" + name + "'");
    return found == n ? 0 : found;
  }
  ScalarKind scalar() { return static_cast<ScalarKind>(one_of(kScalarNames)); }

  SourcePosition position() {
    SourcePosition result;
    if (eat("none")) return result;
    result.file = small();
    expect(":");
    result.line = small();
    expect(":");
    result.column = small();
    return result;
  }

  RegisterType register_type() {
    RegisterType type;
    type.kind = static_cast<RegisterKind>(one_of(kRegisterNames));
    type.writable = eat("mut");
    if (!type.is_scalar() && type.kind != RegisterKind::None) type.type = index();
    return type;
  }

  /// The items of ( ... ), separated by commas.
  template <class Item>
  void items(Item item) {
    expect("(");
    while (!at(")") && error_.empty() && !tokens_.done()) {
      item();
      if (!eat(",")) break;
    }
    expect(")");
  }

  void row() {
    const std::string kind = word();
    if (kind == "module") {
      module_.name = quoted();
    } else if (kind == "file") {
      numbered(module_.files, [&] { return quoted(); });
    } else if (kind == "text") {
      numbered(module_.texts, [&] { return quoted(); });
    } else if (kind == "type") {
      numbered(module_.types, [&] { return type(); });
    } else if (kind == "signature") {
      numbered(module_.signatures, [&] { return signature(); });
    } else if (kind == "trait") {
      numbered(module_.traits, [&] { return trait(); });
    } else if (kind == "table") {
      numbered(module_.tables, [&] { return table(); });
    } else if (kind == "native") {
      numbered(module_.natives, [&] {
        Native native;
        native.name = quoted();
        native.signature = small();
        return native;
      });
    } else if (kind == "foreign") {
      numbered(module_.foreigns, [&] { return foreign(); });
    } else if (kind == "entry") {
      module_.entry = small();
    } else if (kind == "test") {
      module_.tests.push_back(small());
    } else if (kind == "emulated") {
      module_.emulated_for = quoted();
    } else if (kind == "device") {
      module_.built_for = quoted();
    } else if (kind == "function") {
      function();
    } else {
      fail("unknown row '" + kind + "'");
    }
  }

  template <class Rows, class Read>
  void numbered(Rows& rows, Read read) {
    if (number() != rows.size()) fail("rows out of order");
    rows.push_back(read());
  }

  void sized(Type& type) {
    expect("size");
    type.size = number();
    expect("align");
    type.align = small();
  }

  Type type() {
    Type type;
    const std::string kind = word();
    if (const std::size_t scalar = index_in(kScalarNames, kind); scalar != std::size(kScalarNames)) {
      type.kind = TypeKind::Scalar;
      type.scalar = static_cast<ScalarKind>(scalar);
      type.size = type.align = scalar_size(type.scalar);
    } else if (kind == "record" || kind == "environment") {
      type.kind = TypeKind::Record;
      type.environment = kind == "environment";
      type.name = quoted();
      sized(type);
      items([&] {
        Field field;
        field.name = quoted();
        field.type = small();
        expect("@");
        field.offset = number();
        type.fields.push_back(std::move(field));
      });
    } else if (kind == "sum") {
      type.kind = TypeKind::Sum;
      type.name = quoted();
      type.overlapping = eat("overlapping");
      sized(type);
      items([&] {
        Variant variant;
        variant.name = quoted();
        if (!at(",") && !at(")")) {
          variant.payload = small();
          expect("@");
          variant.offset = number();
        }
        type.variants.push_back(std::move(variant));
      });
    } else if (kind == "array") {
      type.kind = TypeKind::Array;
      type.element = small();
      expect("x");
      type.count = number();
    } else if (kind == "mutex") {
      type.kind = TypeKind::Mutex;
      type.element = small();
      sized(type);
    } else if (kind == "ticket" || kind == "group" || kind == "ring") {
      type.kind = TypeKind::Handle;
      type.count = index_in(kRegisterNames, kind);
      type.element = index();
      type.size = type.align = 8;
    } else {
      const std::size_t word = index_in(kWordTypeNames, kind);
      if (word == std::size(kWordTypeNames)) fail("unknown type '" + kind + "'");
      type.kind = static_cast<TypeKind>(static_cast<std::size_t>(TypeKind::Buf) + word);
      type.writable = eat("mut");
      type.element = small();
      type.align = 8;
      type.size = type.kind == TypeKind::Function || type.kind == TypeKind::Reference ? 8 : 16;
    }
    return type;
  }

  Signature signature() {
    Signature signature;
    items([&] { signature.parameters.push_back(register_type()); });
    signature.result_reference = eat("through");
    if (eat("->")) signature.result = register_type();
    return signature;
  }

  Trait trait() {
    Trait trait;
    trait.name = quoted();
    items([&] {
      TraitMember member;
      member.name = quoted();
      member.signature = small();
      expect("receiver");
      member.receiver = small();
      trait.members.push_back(std::move(member));
    });
    return trait;
  }

  DispatchTable table() {
    DispatchTable table;
    expect("trait");
    table.trait = small();
    expect("type");
    table.type = small();
    items([&] { table.functions.push_back(small()); });
    return table;
  }

  Foreign foreign() {
    Foreign foreign;
    foreign.name = quoted();
    expect("symbol");
    foreign.symbol = quoted();
    foreign.signature = small();
    expect("passing");
    foreign.passing = quoted();
    foreign.launched = eat("launched");
    expect("at");
    foreign.position = position();
    return foreign;
  }

  // ------------------------------------------------------------------------------------------------ functions

  void function() {
    if (number() != module_.functions.size()) fail("rows out of order");
    Function self;
    self.name = quoted();
    expect("signature");
    self.signature = small();
    expect("kind");
    self.kind = static_cast<FunctionKind>(one_of(kFunctionKindNames));
    expect("environment");
    self.environment = index();
    expect("parent");
    self.parent = index();
    expect("at");
    self.position = position();
    expect("slots");
    self.slots = small();
    expect("memory");
    self.memory_bytes = number();
    expect("align");
    self.memory_align = small();
    labels_.clear();
    uses_.clear();
    while (error_.empty() && !eat("end")) {
      if (tokens_.done()) return fail("a function that does not end");
      line(self);
    }
    for (const Use& use : uses_) {
      const auto label = labels_.find(use.label);
      if (label == labels_.end()) return fail("no label " + use.label);
      self.code[use.word] |= static_cast<Word>(label->second - use.instruction) << (use.high ? 32 : 0);
    }
    module_.functions.push_back(std::move(self));
  }

  void line(Function& self) {
    if (eat(":")) return instruction(self);
    if (eat("@")) {
      MemoryObject object;
      object.offset = number();
      object.type = small();
      if (tokens_.peek().quoted) object.name = word();
      self.objects.push_back(std::move(object));
    } else if (eat("kernel")) {
      expect("threads");
      self.kernel.threads = small();
      expect("shared");
      self.kernel.shared_bytes = small();
      expect("finish");
      self.kernel.finish = index();
    } else if (eat("shared")) {
      SharedArray array;
      expect("@");
      array.offset = small();
      array.element = scalar();
      expect("x");
      array.count = small();
      array.zeroed = eat("zeroed");
      array.name = quoted();
      self.kernel.arrays.push_back(std::move(array));
    } else if (eat("pipeline")) {
      Pipeline pipeline;
      expect("@");
      pipeline.offset = small();
      pipeline.element = scalar();
      expect("x");
      pipeline.size = small();
      expect("depth");
      pipeline.depth = small();
      self.kernel.pipelines.push_back(pipeline);
    } else {
      const std::string name = word();
      if (eat(":")) {
        labels_[name] = static_cast<std::uint32_t>(self.code.size());
      } else if (name == "r" + std::to_string(self.registers.size())) {
        RegisterInfo reg;
        reg.type = register_type();
        if (tokens_.peek().quoted) reg.name = word();
        const bool pair = reg.type.is_pair();
        self.registers.push_back(std::move(reg));
        if (pair) self.registers.push_back({{RegisterKind::Second, false, kNone}, {}});
      } else {
        fail("unknown line '" + name + "'");
      }
    }
  }

  /// The slot a name such as r3 or o0 stands for.
  std::uint64_t slot(const Function& self) {
    const std::string name = word();
    std::uint64_t value = 0;
    const char* end = name.data() + name.size();
    const bool known = name.size() > 1 && (name[0] == 'r' || name[0] == 'o');
    if (!known || std::from_chars(name.data() + 1, end, value).ptr != end)
      fail("expected a register, got '" + name + "'");
    if (name[0] == 'o') value += self.registers.size() + kLinkSlots;
    if (value > 0xffff) fail("a register past 65535");
    return value & 0xffff;
  }

  void target(std::uint32_t instruction, std::size_t word_index, bool high) {
    uses_.push_back({instruction, static_cast<std::uint32_t>(word_index), high, word()});
  }

  void instruction(Function& self) {
    const std::string name = word();
    const Op op = find_operation(name);
    if (op == Op::Count) return fail("no operation '" + name + "'");
    const OperationInfo& row = info(op);
    const auto start = static_cast<std::uint32_t>(self.code.size());
    self.code.push_back(static_cast<Word>(op));
    if (row.words == 2) self.code.push_back(0);
    for (const Operand& operand : row.all()) {
      if (!error_.empty()) return;
      if (operand.type == Class::List) {
        list(self, op, start);
        continue;
      }
      if (!tokens_.more_on_line()) return fail(name + ": operands are missing");
      const bool second_word = operand.place >= Place::D && operand.place != Place::N;
      const std::size_t at = start + (second_word ? 1 : 0);
      if (operand.type == Class::Target) {
        target(start, at, operand.place == Place::N);
        continue;
      }
      put(self.code[at], operand.place, operand.is_register() ? slot(self) : immediate(operand.type));
    }
    if (tokens_.more_on_line() && eat("at")) {
      self.positions.push_back({start, position()});
    }
    if (tokens_.more_on_line()) fail(name + ": more than its operands");
  }

  std::uint64_t immediate(Class type) {
    if (type == Class::TextIndex) return index();
    if (type != Class::TrapKindIndex) return number();
    const std::string name = word();
    for (unsigned kind = 0; kind <= static_cast<unsigned>(TrapKind::Interrupt); ++kind) {
      if (trap_kind_name(static_cast<TrapKind>(kind)) == name) return kind;
    }
    fail("no trap '" + name + "'");
    return 0;
  }

  void put(Word& word, Place place, std::uint64_t bits) {
    const auto field = [&](unsigned shift, std::uint64_t limit) {
      const bool fits = bits <= limit || (limit == 0xffffffff && bits >= 0xffffffff80000000);
      if (!fits) fail("an immediate that does not fit");
      word |= (bits & limit) << shift;
    };
    switch (place) {
      case Place::A:
        return field(16, 0xffff);
      case Place::B:
        return field(32, 0xffff);
      case Place::C:
        return field(48, 0xffff);
      case Place::D:
        return field(0, 0xffff);
      case Place::E:
        return field(16, 0xffff);
      case Place::N:
      case Place::M:
        return field(32, 0xffffffff);
      case Place::I:
        word = bits;
        return;
      case Place::T:
      case Place::List:
        return;
    }
  }

  /// [ ... ], and the count of its items in the instruction: whatever was written there must agree.
  void list(Function& self, Op op, std::uint32_t start) {
    expect("[");
    std::uint32_t count = 0;
    while (!at("]") && error_.empty() && !tokens_.done()) {
      if (count % 2 == 0) self.code.push_back(0);
      const unsigned shift = count % 2 * 32;
      ++count;
      if (op == Op::Switch) {
        target(start, self.code.size() - 1, shift != 0);
      } else if (op == Op::Print || op == Op::Format) {
        const auto as = static_cast<Word>(one_of(kPrintNames));
        self.code.back() |= (as | slot(self) << 16) << shift;
      } else {
        self.code.back() |= static_cast<Word>(small()) << shift;
      }
    }
    expect("]");
    if (count != list_items(self.code.data() + start)) fail("a list of another length");
  }

  struct Use {
    std::uint32_t instruction = 0;
    std::uint32_t word = 0;
    bool high = false;
    std::string label;
  };

  Tokens tokens_;
  Module module_;
  std::string error_;
  std::map<std::string, std::uint32_t> labels_;
  std::vector<Use> uses_;
};

}  // namespace

std::expected<Module, std::string> read_text(std::string_view text) {
  auto module = Reader(text).run();
  if (module) complete_types(module->types);
  return module;
}

}  // namespace cairn::bytecode
