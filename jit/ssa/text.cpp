#include "jit/ssa/text.hpp"

#include <array>
#include <charconv>
#include <vector>

#include "jit/ssa/flow.hpp"

namespace cairn::jit::ssa {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Opcode::Count)> kNames = {
    "nop",         "const",  "slot",    "frame.address", "text",       "phi",      "add",   "sub",    "mul",
    "div",         "rem",    "neg",     "abs",           "shl",        "shr",      "and",   "or",     "xor",
    "min",         "max",    "fma",     "fms",           "fnma",       "sqrt",     "floor", "ceil",   "trunc",
    "compare",     "select", "convert", "bits",          "splat",      "iota",     "lane",  "mask",   "ones",
    "compress",    "unzip",  "zip",     "address",       "load",       "store",    "copy",  "zero",   "guard",
    "stack.guard", "poll",   "point",   "call",          "call.value", "call.dyn", "step",  "result", "pair",
    "limb",        "jump",   "branch",  "switch",        "return",     "trap",     "exit"};
constexpr std::array<std::string_view, 13> kKinds = {"none", "bool", "u8",  "u16", "u32", "u64", "i8",
                                                     "i16",  "i32",  "i64", "f32", "f64", "pair"};
constexpr std::array<std::string_view, 8> kRelations = {"eq", "ne", "lt", "le", "gt", "ge", "notlt", "notle"};

template <class Names>
std::size_t find(const Names& names, std::string_view text) {
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (names[k] == text) return k;
  }
  return names.size();
}

bool has_relation(Opcode op) {
  return op == Opcode::Mask || op == Opcode::Compare || op == Opcode::Guard || op == Opcode::Branch;
}
bool has_immediate(Opcode op) {
  switch (op) {
    case Opcode::Const:
    case Opcode::Slot:
    case Opcode::FrameAddress:
    case Opcode::Text:
    case Opcode::Lane:
    case Opcode::Unzip:
    case Opcode::Zip:
    case Opcode::Copy:
    case Opcode::Zero:
    case Opcode::StackGuard:
    case Opcode::Call:
    case Opcode::CallValue:
    case Opcode::CallDyn:
    case Opcode::Result:
    case Opcode::PairFunction:
    case Opcode::Limb:
      return true;
    default:
      return false;
  }
}

class Writer {
 public:
  explicit Writer(const Function& function) : f_(function) {}

  std::string all() {
    text_ = "function " + number(f_.index) + " entry " + number(f_.entry_word) + "\n";
    for (std::size_t k = 1; k < f_.frames.size(); ++k) {
      const Frame& frame = f_.frames[k];
      text_ += "frame " + number(k) + " function " + number(frame.function) + " parent " + number(frame.parent) +
               " call " + number(frame.call_word) + " base " + number(frame.base) + "\n";
    }
    for (BlockId b = 0; b < f_.blocks.size(); ++b) block(b);
    return std::move(text_);
  }

 private:
  template <class T>
  static std::string number(T value) {
    return std::to_string(value);
  }

  void block(BlockId b) {
    const Block& block = f_.blocks[b];
    text_ += "b" + number(b) + " @" + number(block.word) + (block.is_cold ? " cold:" : ":");
    if (!block.predecessors.empty()) {
      text_ += "  ; from";
      for (const BlockId each : block.predecessors) text_ += " b" + number(each);
    }
    text_ += "\n";
    for (const Value value : block.code) instruction(value, block);
  }

  void instruction(Value value, const Block& block) {
    const Instruction& i = f_.at(value);
    text_ += "  ";
    if (has_value(i.op) || is_call(i.op) || i.op == Opcode::Step) text_ += "v" + number(value) + " = ";
    text_ += name_of(i.op);
    if (i.leaves) text_ += ".leaves";
    if (i.mode != Mode::Wrap) text_ += i.mode == Mode::Checked ? ".checked" : ".exact";
    if (has_relation(i.op)) text_ += "." + std::string(kRelations[static_cast<std::size_t>(i.relation)]);
    if (i.kind != Kind::None) text_ += "." + std::string(kKinds[static_cast<std::size_t>(i.kind)]);
    if (i.source != Kind::None) text_ += ".from." + std::string(kKinds[static_cast<std::size_t>(i.source)]);
    if (i.lanes != 1) text_ += "x" + number(i.lanes);
    const Value operands[] = {i.a, i.b, i.c};
    std::size_t last = 3;
    while (last > 0 && operands[last - 1] == kNoValue) --last;
    for (std::size_t k = 0; k < last; ++k) {
      text_ += operands[k] == kNoValue ? std::string(" _") : " v" + number(operands[k]);
    }
    if (i.scale != 1) text_ += " *" + number(i.scale);
    if (i.immediate != 0 || has_immediate(i.op)) text_ += " #" + number(i.immediate);
    if (i.trap != TrapKind::None) text_ += " !" + std::string(trap_kind_name(i.trap));
    if (i.word != 0 || i.frame != 0) {
      text_ += " @" + number(i.word);
      if (i.frame != 0) text_ += "/" + number(i.frame);
    }
    if (i.use_count != 0) {
      std::string_view before = " [";
      for (const Use& use : f_.uses_of(i)) {
        text_ += std::string(before) + (i.op == Opcode::Phi ? "b" : "r") + number(use.slot) + "=v" + number(use.value);
        before = " ";
      }
      text_ += "]";
    }
    if (is_end(i.op) && !block.successors.empty()) {
      text_ += " ->";
      for (const BlockId each : block.successors) text_ += " b" + number(each);
      if (i.likely != Likely::Unknown) text_ += i.likely == Likely::First ? " likely" : " unlikely";
    }
    text_ += "\n";
  }

  const Function& f_;
  std::string text_;
};

class Reader {
 public:
  Reader(std::string_view text, Function& function, std::string& error) : text_(text), f_(function), error_(error) {}

  bool all() {
    f_ = Function();
    while (!text_.empty()) {
      ++line_;
      const std::size_t end = text_.find('\n');
      std::string_view line = text_.substr(0, end);
      text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
      line = line.substr(0, line.find(';'));
      words_.clear();
      for (std::size_t at = 0; at < line.size();) {
        const std::size_t start = line.find_first_not_of(" \t\r", at);
        if (start == std::string_view::npos) break;
        std::size_t stop = line.find_first_of(" \t\r", start);
        if (stop == std::string_view::npos) stop = line.size();
        words_.push_back(line.substr(start, stop - start));
        at = stop;
      }
      if (words_.empty()) continue;
      if (!one()) {
        error_ = "line " + std::to_string(line_) + ": " + why_;
        return false;
      }
    }
    for (const Block& block : f_.blocks) {
      for (const BlockId next : block.successors) {
        if (next >= f_.blocks.size()) {
          error_ = "no block b" + std::to_string(next);
          return false;
        }
      }
    }
    if (f_.frames.empty()) {
      error_ = "no function";
      return false;
    }
    find_predecessors(f_);
    return true;
  }

 private:
  bool wrong(std::string why) {
    why_ = std::move(why);
    return false;
  }

  template <class T>
  bool number(std::string_view text, T& value) {
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault == std::errc() && end == text.data() + text.size()) return true;
    return wrong("'" + std::string(text) + "' is no number");
  }
  /// A number behind a letter.
  template <class T>
  bool named(std::string_view text, char letter, T& value) {
    if (text.empty() || text[0] != letter) return wrong("'" + std::string(text) + "' is not what belongs here");
    return number(text.substr(1), value);
  }

  bool one() {
    if (words_[0] == "function" && words_.size() == 4) {
      f_.frames.assign(1, {});
      return number(words_[1], f_.index) && number(words_[3], f_.entry_word) &&
             (f_.frames[0].function = f_.index, true);
    }
    if (words_[0] == "frame" && words_.size() == 10) {
      Frame frame;
      if (!number(words_[3], frame.function) || !number(words_[5], frame.parent) ||
          !number(words_[7], frame.call_word) || !number(words_[9], frame.base)) {
        return false;
      }
      f_.frames.push_back(frame);
      return true;
    }
    if (words_.back().back() == ':') return block();
    if (f_.blocks.empty()) return wrong("an instruction before any block");
    return instruction();
  }

  bool block() {
    BlockId id = 0;
    words_.back().remove_suffix(1);
    if (!named(words_[0], 'b', id)) return false;
    if (id != f_.blocks.size()) return wrong("blocks are numbered in order");
    Block block;
    if (words_.size() < 2 || !named(words_[1], '@', block.word)) return wrong("a block needs its word");
    block.is_cold = words_.size() > 2 && words_[2] == "cold";
    f_.blocks.push_back(std::move(block));
    return true;
  }

  bool operation(std::string_view text, Instruction& i) {
    if (const std::size_t x = text.rfind('x'); x != std::string_view::npos && x + 1 < text.size() &&
                                               text.find_first_not_of("0123456789", x + 1) == std::string_view::npos) {
      if (!number(text.substr(x + 1), i.lanes)) return false;
      text = text.substr(0, x);
    }
    // The longest opcode that starts it.
    std::size_t length = 0;
    for (std::size_t k = 0; k < kNames.size(); ++k) {
      const std::string_view name = kNames[k];
      if (name.size() > length && text.starts_with(name) && (text.size() == name.size() || text[name.size()] == '.')) {
        i.op = static_cast<Opcode>(k);
        length = name.size();
      }
    }
    if (length == 0) return wrong("'" + std::string(text) + "' is no operation");
    text.remove_prefix(length);
    bool from = false;
    while (!text.empty()) {
      text.remove_prefix(1);
      const std::string_view part = text.substr(0, text.find('.'));
      text.remove_prefix(part.size());
      if (part == "checked") {
        i.mode = Mode::Checked;
      } else if (part == "exact") {
        i.mode = Mode::Exact;
      } else if (part == "leaves") {
        i.leaves = true;
      } else if (part == "from") {
        from = true;
      } else if (const std::size_t relation = find(kRelations, part); relation != kRelations.size()) {
        i.relation = static_cast<Relation>(relation);
      } else if (const std::size_t kind = find(kKinds, part); kind != kKinds.size()) {
        (from ? i.source : i.kind) = static_cast<Kind>(kind);
      } else {
        return wrong("'" + std::string(part) + "' says nothing of an operation");
      }
    }
    return true;
  }

  bool instruction() {
    Instruction i;
    Value value = kNoValue;
    std::size_t at = 0;
    if (words_.size() > 2 && words_[1] == "=") {
      if (!named(words_[0], 'v', value)) return false;
      at = 2;
    }
    if (!operation(words_[at++], i)) return false;
    std::vector<Use> list;
    std::size_t operands = 0;
    bool in_list = false;
    bool in_targets = false;
    Block& block = f_.blocks.back();
    for (; at < words_.size(); ++at) {
      std::string_view word = words_[at];
      if (in_targets) {
        BlockId next = 0;
        if (word == "likely" || word == "unlikely") {
          i.likely = word == "likely" ? Likely::First : Likely::Second;
          continue;
        }
        if (!named(word, 'b', next)) return false;
        block.successors.push_back(next);
        continue;
      }
      if (word == "->") {
        in_targets = true;
        continue;
      }
      if (!in_list && word[0] == '[') {
        in_list = true;
        word.remove_prefix(1);
      }
      if (in_list) {
        const bool ends = word.back() == ']';
        if (ends) word.remove_suffix(1);
        Use use;
        const std::size_t equals = word.find('=');
        if (equals == std::string_view::npos) return wrong("a list has slots and values");
        if (!named(word.substr(0, equals), i.op == Opcode::Phi ? 'b' : 'r', use.slot)) return false;
        if (!named(word.substr(equals + 1), 'v', use.value)) return false;
        list.push_back(use);
        in_list = !ends;
        continue;
      }
      bool fine = true;
      switch (word[0]) {
        case '_':
        case 'v': {
          if (operands == 3) return wrong("more than three operands");
          Value& operand = operands == 0 ? i.a : operands == 1 ? i.b : i.c;
          ++operands;
          fine = word == "_" || named(word, 'v', operand);
          break;
        }
        case '*':
          fine = number(word.substr(1), i.scale);
          break;
        case '#':
          fine = number(word.substr(1), i.immediate);
          break;
        case '!': {
          for (std::uint32_t k = 1; k <= static_cast<std::uint32_t>(TrapKind::Interrupt); ++k) {
            if (trap_kind_name(static_cast<TrapKind>(k)) == word.substr(1)) i.trap = static_cast<TrapKind>(k);
          }
          fine = i.trap != TrapKind::None || wrong("no such trap");
          break;
        }
        case '@': {
          const std::size_t slash = word.find('/');
          fine = number(word.substr(1, slash == std::string_view::npos ? slash : slash - 1), i.word);
          if (fine && slash != std::string_view::npos) fine = number(word.substr(slash + 1), i.frame);
          break;
        }
        default:
          return wrong("'" + std::string(word) + "' is not what belongs here");
      }
      if (!fine) return false;
    }
    if (in_list) return wrong("the list does not end");
    i.block = static_cast<BlockId>(f_.blocks.size() - 1);
    f_.set_uses(i, list);
    if (has_value(i.op) && value == kNoValue) return wrong("the value has no name");
    if (value == kNoValue) {
      // Numbered past every name: names are known when the text has been read, so room is left by the largest so far.
      value = free_number();
    }
    if (value >= (1U << 24)) return wrong("the number is too large");
    if (value >= f_.code.size()) f_.code.resize(value + 1);
    if (f_.code[value].op != Opcode::Nop) return wrong("v" + std::to_string(value) + " is there already");
    f_.code[value] = i;
    f_.blocks.back().code.push_back(value);
    return true;
  }

  /// Names in the text are below this; what has no name is numbered from here on.
  Value free_number() {
    if (next_free_ == 0) {
      next_free_ = 1;
      for (std::size_t at = 0; at + 1 < whole_.size(); ++at) {
        if (whole_[at] != 'v' || whole_[at + 1] < '0' || whole_[at + 1] > '9') continue;
        Value value = 0;
        std::from_chars(whole_.data() + at + 1, whole_.data() + whole_.size(), value);
        if (value < (1U << 24) && value >= next_free_) next_free_ = value + 1;
      }
    }
    return next_free_++;
  }

  std::string_view text_;
  const std::string_view whole_ = text_;
  Function& f_;
  std::string& error_;
  std::string why_;
  std::vector<std::string_view> words_;
  Value next_free_ = 0;
  std::size_t line_ = 0;
};

}  // namespace

std::string_view name_of(Opcode op) { return kNames[static_cast<std::size_t>(op)]; }

std::string write(const Function& function) { return Writer(function).all(); }

bool read(std::string_view text, Function& function, std::string& error) { return Reader(text, function, error).all(); }

}  // namespace cairn::jit::ssa
