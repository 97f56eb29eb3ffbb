#include "tests/jit/random_source.hpp"

#include <functional>
#include <initializer_list>
#include <random>
#include <vector>

namespace cairn::tests {

namespace {

constexpr const char* kHelpers = R"(struct Pair { k:usize; v:u64; }
struct Grid { cells:usize; heat:Buf[u64][cells]; }
enum Step { Stop; Go(usize); }
fn apply(k:usize, f:ro<fn(usize) -> u64>) -> u64 { return f(k); }
fn note(n:usize, a:rw<u64>[n], k:usize) { a[k] = add_wrap(a[k], 1); }
fn grow(k:rw<usize>, by:usize) { k = add_wrap(k, by); }
fn total(n:usize, a:ro<u64>[n]) -> u64 { let mut t:u64 = 0; for i in 0..n { t = add_wrap(mul_wrap(t, 31), a[i]); } return t; }
)";

/// Something with elements of u64.
struct Array {
  std::string name;
  std::string length;
  bool replaced = false;  // a Buf that may be assigned
};

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {}

  std::string program() {
    std::string text = kHelpers;
    const std::uint32_t leaves = 1 + below(2);
    for (std::uint32_t k = 0; k < leaves; ++k) text += leaf(k);
    return text + entry();
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  bool likely(std::uint32_t percent) { return below(100) < percent; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(static_cast<std::uint32_t>(all.size()))];
  }
  std::string one_of(std::initializer_list<const char*> all) {
    return all.begin()[below(static_cast<std::uint32_t>(all.size()))];
  }
  std::string fresh(const char* stem) { return stem + std::to_string(++names_); }

  // ---------------------------------------------------------------------------------------------------------- scopes

  struct Scope {
    std::vector<std::string> sizes;          // usize values
    std::vector<std::string> mutable_sizes;  // those that may be assigned
    std::vector<std::string> words;          // u64 values
    std::vector<std::string> mutable_words;
    std::vector<std::string> numbers;  // i64 values
    std::vector<std::string> mutable_numbers;
    std::vector<Array> arrays;
    unsigned loops = 0;
    bool in_lane = false;     // neither leaves nor assigns what is outside
    bool in_closure = false;  // may not move, and what it returns is a u64
  };

  std::string block(const std::function<std::string()>& body) {
    const Scope outside = scope_;
    ++depth_;
    std::string text = "{ " + body() + "}";
    --depth_;
    scope_ = outside;
    return text;
  }
  std::string block(std::uint32_t most) {
    return block([&] { return statements(1 + below(most)); });
  }
  std::string statements(std::uint32_t count) {
    std::string text;
    for (std::uint32_t k = 0; k < count; ++k) text += statement() + "\n";
    return text;
  }

  // ------------------------------------------------------------------------------------------------------ expressions

  std::string small() { return one_of({"0", "1", "1", "2", "3", "4", "5", "7", "8", "9", "15", "16"}); }
  std::string large() {
    return one_of({"31", "32", "63", "64", "127", "255", "256", "65535", "4294967295", "4294967296",
                   "9223372036854775807", "9223372036854775808", "18446744073709551615"});
  }

  std::string size(unsigned deep = 0) {
    const std::string& base = one_of(scope_.sizes);
    if (deep > 2 || likely(45)) return base;
    switch (below(13)) {
      case 0:
        return "(" + size(deep + 1) + " + " + small() + ")";
      case 1:
        return "(" + size(deep + 1) + " - " + small() + ")";
      case 2:
        return "(" + size(deep + 1) + " / " + one_of({"1", "2", "3"}) + ")";
      case 3:
        return "(" + size(deep + 1) + " % " + one_of({"2", "3", "4", "8"}) + ")";
      case 4:
        return "(" + size(deep + 1) + " & " + one_of({"1", "3", "7", "15", "63"}) + ")";
      case 5:
        return "min(" + size(deep + 1) + ", " + size(deep + 1) + ")";
      case 6:
        return "(" + one_of(scope_.arrays).length + " - 1 - " + base + ")";
      case 7:
        return "sub_wrap(" + size(deep + 1) + ", " + small() + ")";
      case 8:
        return "add_wrap(" + size(deep + 1) + ", " + (likely(80) ? small() : large()) + ")";
      case 9:
        return "(" + size(deep + 1) + " * " + one_of({"1", "2", "4"}) + ")";
      case 10:
        return "(" + size(deep + 1) + " + " + size(deep + 1) + ")";
      case 11:
        return "max(" + size(deep + 1) + ", " + small() + ")";
      default:
        return likely(50) ? "usize(" + small() + ")"
                          : "usize(" + word(deep + 1) + " & " + one_of({"3", "7", "15"}) + ")";
    }
  }

  /// An index that is mostly good, often only because of what stands around it.
  std::string index(const Array& array) {
    switch (below(20)) {
      case 0:
        return size();
      case 1:
        return one_of({"0", "1", "2"});
      case 2:
        return array.length + " - 1 - " + one_of(scope_.sizes) + " % " + one_of({"1", "2"});
      case 3:
        return one_of(scope_.sizes);
      case 4:
      case 5:
      case 6:
        return "0";
      case 7:
      case 8:
      case 9:
      case 10:
        return "min(" + size(1) + ", " + array.length + " - 1)";
      default:
        return one_of(scope_.sizes) + " % " + array.length;
    }
  }
  std::string element() {
    const Array& array = one_of(scope_.arrays);
    return array.name + "[" + index(array) + "]";
  }

  std::string word(unsigned deep = 0) {
    const std::string& base = one_of(scope_.words);
    if (deep > 2 || likely(30)) return base;
    switch (below(14)) {
      case 0:
      case 1:
        return element();
      case 2:
        return "add_wrap(" + word(deep + 1) + ", " + word(deep + 1) + ")";
      case 3:
        return "mul_wrap(" + word(deep + 1) + ", " + one_of({"3", "5", "31"}) + ")";
      case 4:
        return "(" + word(deep + 1) + " & " + one_of({"1", "7", "63", "255", "65535"}) + ")";
      case 5:
        return "(" + word(deep + 1) + " % " + one_of({"3", "10", "256"}) + ")";
      case 6:
        return "shr(" + word(deep + 1) + ", " + one_of(scope_.sizes) + " & " + one_of({"31", "63"}) + ")";
      case 7:
        return "shl_wrap(" + word(deep + 1) + ", " + one_of(scope_.sizes) + " % " + one_of({"8", "64"}) + ")";
      case 8:
        return "u64(" + size(deep + 1) + ")";
      case 9:
        return "u64(u8(" + word(deep + 1) + " & 255))";
      case 10:
        return "((" + word(deep + 1) + " & 65535) * (" + word(deep + 1) + " % 1000))";
      case 11:
        return "(" + word(deep + 1) + " / " + one_of({"1", "2", "7", "10"}) + ")";
      case 12:
        return "u64(u32(" + word(deep + 1) + " % 70000) * " + one_of({"2", "3", "61356"}) + ")";
      default:
        return one_of({"0", "1", "2", "9", "255", "1000"});
    }
  }

  std::string number(unsigned deep = 0) {
    const std::string& base = one_of(scope_.numbers);
    if (deep > 2 || likely(40)) return base;
    switch (below(6)) {
      case 0:
        return "(" + number(deep + 1) + " % " + one_of({"7", "100", "-5"}) + ")";
      case 1:
        return "(" + number(deep + 1) + " / " + one_of({"3", "-2", "-1", "1000"}) + ")";
      case 2:
        return "i64(" + word(deep + 1) + " & 1023)";
      case 3:
        return "(" + number(deep + 1) + " % 1000 - " + number(deep + 1) + " % 1000)";
      case 4:
        return "min(" + number(deep + 1) + ", max(" + number(deep + 1) + ", -100))";
      default:
        return "i64(i8(" + number(deep + 1) + " % 128))";
    }
  }

  std::string condition(unsigned deep = 0) {
    if (deep < 2 && likely(30)) {
      return "(" + condition(deep + 1) + one_of({" && ", " || "}) + condition(deep + 1) + ")";
    }
    if (likely(10)) return "!(" + condition(deep + 1) + ")";
    const std::string compared = one_of({" < ", " <= ", " > ", " >= ", " == ", " != "});
    switch (below(5)) {
      case 0:
        return number(1) + compared + "i64(" + small() + ")";
      case 1:
        return word(1) + compared + word(1);
      case 2:
        return size(1) + compared + one_of(scope_.arrays).length;
      default:
        return size(1) + compared + size(1);
    }
  }

  /// A value that may trap, and the condition under which it does not.
  struct Guarded {
    std::string condition;
    std::string value;
  };
  Guarded guarded() {
    const std::string& a = one_of(scope_.sizes);
    const std::string& b = one_of(scope_.sizes);
    const std::string& w = one_of(scope_.words);
    const std::string& v = one_of(scope_.numbers);
    const Array& array = one_of(scope_.arrays);
    switch (below(14)) {
      case 0:
        return {a + " < " + array.length, array.name + "[" + a + "]"};
      case 1:
        return {a + " + 1 < " + array.length,
                "add_wrap(" + array.name + "[" + a + "], " + array.name + "[" + a + " + 1])"};
      case 2:
        return {a + " > 0 && " + a + " <= " + array.length, array.name + "[" + a + " - 1]"};
      case 3:
        return {a + " >= " + b, "u64(" + a + " - " + b + ")"};
      case 4:
        return {a + " < " + b + " && " + b + " <= " + array.length, array.name + "[" + a + "]"};
      case 5:
        return {a + " < 1000 && " + b + " < 1000", "u64(" + a + " + " + b + ")"};
      case 6:
        return {a + " < 64", "shr(" + w + ", " + a + ")"};
      case 7:
        return {w + " != 0", "1000 / " + w};
      case 8:
        return {w + " < 256", "u64(u8(" + w + "))"};
      case 9:
        return {v + " > -1000 && " + v + " < 1000", "u64(i32(" + v + ") * i32(" + v + "))"};
      case 10:
        return {v + " >= 0", "u64(" + v + ")"};
      case 11:
        return {a + " != 0", array.name + "[(" + a + " - 1) % " + array.length + "]"};
      case 12:
        return {w + " < 4294967296", "(" + w + " * " + w + ")"};
      default:
        return {a + " * 2 + 1 < " + array.length, array.name + "[" + a + " * 2 + 1]"};
    }
  }

  // ------------------------------------------------------------------------------------------------------- statements

  std::string into_sum(const std::string& value) {
    if (scope_.in_lane) {
      const std::string name = fresh("w");
      scope_.words.push_back(name);
      return "let " + name + ":u64 = " + value + ";";
    }
    return "acc = add_wrap(mul_wrap(acc, 31), " + value + ");";
  }
  std::string leave() {
    if (scope_.loops != 0 && likely(70)) return likely(60) ? "continue;" : "break;";
    return scope_.in_lane ? "" : "return acc;";
  }
  /// Sometimes a statement that comes between a proof and what it proves.
  std::string between() {
    if (!likely(45)) return "";
    return (likely(70) ? disturbance() : statement()) + " ";
  }

  std::string proof() {
    const Guarded g = guarded();
    const auto use = [&] { return block([&] { return between() + into_sum(g.value) + " "; }); };
    switch (below(7)) {
      case 0:
        return "if " + g.condition + " " + use();
      case 1:
        return "if !(" + g.condition + ") " + block(2) + " else " + use();
      case 2: {
        const std::string leaving = leave();
        if (leaving.empty()) return "if " + g.condition + " " + use();
        return "if !(" + g.condition + ") { " + leaving + " } " + between() + into_sum(g.value);
      }
      case 3:
        return "if (" + g.condition + ") && " + g.value + one_of({" > 3 ", " % 2 == 0 "}) + block(2);
      case 4:
        return "if !(" + g.condition + ") || " + g.value + " != 2 " + block(2);
      case 5: {
        const std::string holds = fresh("c");
        return "let " + holds + " = " + g.condition + "; " + between() + "if " + holds + " " + use();
      }
      default:
        return "if " + g.condition + " { if " + condition() + " " + use() + " }";
    }
  }

  /// Changes what a proof may rest on.
  std::string disturbance() {
    const bool writes = !scope_.in_lane;
    switch (below(8)) {
      case 0:
      case 1:
        if (scope_.mutable_sizes.empty()) break;
        return one_of(scope_.mutable_sizes) + " = " + size() + ";";
      case 2: {
        if (scope_.mutable_sizes.empty()) break;
        return one_of(scope_.mutable_sizes) + one_of({" += ", " -= ", " /= ", " &= "}) + one_of({"1", "2", "3"}) + ";";
      }
      case 3:
        if (scope_.mutable_words.empty()) break;
        return one_of(scope_.mutable_words) + " = " + word() + ";";
      case 4:
        if (scope_.mutable_numbers.empty()) break;
        return one_of(scope_.mutable_numbers) + " = " + number() + ";";
      case 5: {
        const std::string& target = scope_.mutable_sizes.empty() ? "" : one_of(scope_.mutable_sizes);
        if (target.empty() || target.find('.') != std::string::npos) break;
        return "grow(" + target + ", " + (likely(70) ? small() : large()) + ");";
      }
      case 6: {
        if (!writes || scope_.in_closure) break;
        for (const Array& array : scope_.arrays) {
          if (array.replaced && likely(60)) {
            return array.name + " = Buf[u64](" + size() + " % 9);";
          }
        }
        break;
      }
      default:
        break;
    }
    return store();
  }

  std::string store() {
    const Array array = one_of(scope_.arrays);
    if (scope_.in_lane) return into_sum(word());
    if (likely(30)) return array.name + "[" + index(array) + "] ^= " + word() + ";";
    return array.name + "[" + index(array) + "] = " + word() + ";";
  }

  std::string declaration() {
    const bool is_mutable = likely(50);
    const std::string head = is_mutable ? "let mut " : "let ";
    switch (below(6)) {
      case 0: {
        const std::string text = word();
        const std::string name = fresh("w");
        scope_.words.push_back(name);
        if (is_mutable) scope_.mutable_words.push_back(name);
        return head + name + ":u64 = " + text + ";";
      }
      case 1: {
        const std::string text = number();
        const std::string name = fresh("s");
        scope_.numbers.push_back(name);
        if (is_mutable) scope_.mutable_numbers.push_back(name);
        return head + name + ":i64 = " + text + ";";
      }
      case 2: {
        const std::string fields = size() + ", " + word();
        const std::string name = fresh("r");
        scope_.sizes.push_back(name + ".k");
        scope_.words.push_back(name + ".v");
        if (is_mutable) {
          scope_.mutable_sizes.push_back(name + ".k");
          scope_.mutable_words.push_back(name + ".v");
        }
        return head + name + " = Pair(" + fields + ");";
      }
      default: {
        const std::string text = size();
        const std::string name = fresh("k");
        scope_.sizes.push_back(name);
        if (is_mutable) scope_.mutable_sizes.push_back(name);
        return head + name + ":usize = " + text + ";";
      }
    }
  }

  std::string array_declaration() {
    const std::string count = size(1) + " % 12";
    if (scope_.in_lane || likely(30)) {
      const std::string name = fresh("t");
      scope_.arrays.push_back({name, "len(" + name + ")"});
      return "stack " + name + ":u64[" + one_of({"1", "4", "8", "9"}) + "] = zeroed;";
    }
    if (likely(30)) {
      const std::string name = fresh("g");
      const std::string cells = fresh("n");
      scope_.arrays.push_back({name + ".heat", name + ".cells"});
      scope_.sizes.push_back(name + ".cells");
      return "let " + cells + ":usize = " + count + "; let mut " + name + " = Grid(" + cells + ", Buf[u64](" + cells +
             "));";
    }
    const bool replaced = likely(60);
    const std::string name = fresh("b");
    scope_.arrays.push_back({name, "len(" + name + ")", replaced});
    return std::string("let mut ") + name + " = Buf[u64](" + count + ");";
  }

  std::string for_loop() {
    const Array array = one_of(scope_.arrays);
    const std::string binder = fresh("i");
    std::string lo = likely(60) ? "0" : small();
    std::string hi = array.length;
    switch (below(6)) {
      case 0:
        hi = size();
        break;
      case 1:
        hi = hi + " - " + one_of({"1", "2"});
        break;
      case 2:
        hi = hi + " / 2";
        break;
      case 3:
        lo = size(1);
        break;
      default:
        break;
    }
    if (likely(60)) hi = "min(" + hi + ", 20)";
    return "for " + binder + " in " + lo + ".." + hi + " " + block([&] {
             scope_.sizes.push_back(binder);
             scope_.sizes.push_back(binder);
             ++scope_.loops;
             const Array walked = array;
             const std::string at = one_of({"", "", " + 1", " - 1", " / 2"});
             std::string text = likely(40) ? between() : "";
             text += into_sum(walked.name + "[" + binder + at + "]") + "\n";
             return text + statements(1 + below(3));
           });
  }

  std::string element_loop() {
    const Array array = one_of(scope_.arrays);
    const std::string at = fresh("i");
    const std::string value = fresh("w");
    return "for " + at + ", " + value + " in " + array.name + " " + block([&] {
             scope_.sizes.push_back(at);
             scope_.words.push_back(value);
             ++scope_.loops;
             return statements(1 + below(3));
           });
  }

  std::string while_loop() {
    const Array array = one_of(scope_.arrays);
    const std::string at = fresh("j");
    const std::string from = likely(70) ? "0" : size(1);
    const bool down = likely(25);
    const std::string bound = likely(60) || scope_.mutable_sizes.empty() ? array.length : one_of(scope_.mutable_sizes);
    const std::string step = one_of({"1", "1", "1", "2", "3"});
    const std::string start = down ? bound : from;
    const std::string test = down ? at + " > " + (likely(70) ? "0" : "1") : at + (likely(90) ? " < " : " <= ") + bound;
    const std::string turn = down ? at + " -= " + (likely(80) ? "1" : step) + ";" : at + " += " + step + ";";
    return "let mut " + at + ":usize = " + start + "; while " + test + (likely(15) ? " && " + condition(1) : "") + " " +
           block([&] {
             scope_.sizes.push_back(at);
             scope_.sizes.push_back(at);
             if (likely(15)) scope_.mutable_sizes.push_back(at);
             const bool before = likely(30);
             std::string text = before ? turn + " " : "";
             if (before) ++scope_.loops;  // a `continue` then turns the loop all the same
             text += into_sum(array.name + "[" + at + (down && !before ? " - 1" : "") + "]") + " ";
             text += statements(1 + below(3));
             return text + (before ? "" : turn + " ");
           });
  }

  std::string region() {
    const Array array = one_of(scope_.arrays);
    const std::string binder = fresh("i");
    const std::string extent = likely(70) ? array.length : size(1) + " % 20";
    const auto lane = [&](const std::function<std::string()>& body) {
      return block([&] {
        Scope inside = scope_;
        inside.in_lane = true;
        inside.loops = 0;
        inside.mutable_sizes.clear();
        inside.mutable_words.clear();
        inside.mutable_numbers.clear();
        scope_ = inside;
        scope_.sizes.push_back(binder);
        scope_.sizes.push_back(binder);
        return body();
      });
    };
    switch (below(3)) {
      case 0:
        return "parallel " + binder + " in " + extent + " " + lane([&] {
                 // Other elements of the array may not be touched here.
                 std::erase_if(scope_.arrays, [&](const Array& other) {
                   return other.name.starts_with(array.name.substr(0, array.name.find('.')));
                 });
                 std::string text;
                 if (!scope_.arrays.empty()) text = proof() + "\n";
                 return text + array.name + "[" + binder + "] = u64(" + binder + ");";
               });
      case 1: {
        const std::string sum = fresh("w");
        std::string yield;
        lane([&] { return yield = word(1); });
        scope_.words.push_back(sum);
        return "let " + sum + ":u64 = reduce " + one_of({"add_wrap", "^", "max"}) + one_of({" for ", " parallel "}) +
               binder + " in " + extent + " yield " + yield + ";";
      }
      default: {
        const std::string kept = fresh("k");
        const std::string out = fresh("t");
        std::string where;
        std::string yield;
        lane([&] {
          where = condition();
          yield = word(1);
          return std::string();
        });
        scope_.sizes.push_back(kept);
        scope_.arrays.push_back({out, "8"});
        return "stack " + out + ":u64[8] = zeroed; let " + kept + " = compact " + out + " for " + binder +
               " in 8 where " + where + " yield " + yield + ";";
      }
    }
  }

  std::string closure() {
    const std::string got = fresh("w");
    const std::string with = fresh("z");
    const std::string passed = size();
    const std::string body = block([&] {
      scope_.in_closure = true;
      scope_.loops = 0;
      scope_.sizes.push_back(with);
      return statements(1 + below(3)) + "return " + word(1) + "; ";
    });
    scope_.words.push_back(got);
    return "let " + got + ":u64 = apply(" + passed + ", |" + with + ":usize| -> u64 " + body + ");";
  }

  std::string match_step() {
    const std::string step = fresh("m");
    const std::string payload = fresh("k");
    const std::string value = likely(80) ? "Step.Go(" + size() + ")" : "Step.Stop";
    std::string text = "let mut " + step + " = " + value + "; match " + step +
                       " { Stop => { acc = add_wrap(acc, 1); } Go(" + payload + ") => " + block([&] {
                         scope_.sizes.push_back(payload);
                         scope_.sizes.push_back(payload);
                         const Guarded g = guarded();
                         const std::string again = likely(60) ? step + " = Step.Go(" + size() + "); " : "";
                         return "if " + g.condition + " { " + again + into_sum(g.value) + " } ";
                       }) +
                       " }";
    return text;
  }

  std::string call() {
    if (leaves_ == 0 || scope_.in_lane) return declaration();
    const Array array = one_of(scope_.arrays);
    const std::string got = fresh("w");
    const std::string callee = "leaf" + std::to_string(below(leaves_));
    std::string views = array.length + ", " + array.name;
    if (likely(50)) {
      const std::string lo = one_of({"0", "1", "2"});
      views = array.length + " - " + lo + ", " + array.name + "[" + lo + ".." + array.length + "]";
    } else if (array.name.starts_with("t")) {
      views = "len(" + array.name + "), " + array.name;
    }
    const std::string text = "let " + got + ":u64 = " + callee + "(" + views + ", " + size() + ", " + size() + ", " +
                             word() + ", " + number() + ");";
    scope_.words.push_back(got);
    return text;
  }

  std::string statement() {
    if (depth_ > 4) return likely(50) ? store() : into_sum(word());
    const std::uint32_t kind = below(100);
    if (kind < 28) return proof();
    if (kind < 38) return declaration();
    if (kind < 48) return disturbance();
    if (kind < 56) return store();
    if (kind < 66) return for_loop();
    if (kind < 73) return while_loop();
    if (kind < 76) return scope_.in_lane ? into_sum(word()) : region();
    if (kind < 79) return scope_.in_lane || scope_.in_closure ? store() : closure();
    if (kind < 82) return scope_.in_lane ? store() : match_step();
    if (kind < 85) return scope_.in_lane || scope_.in_closure ? declaration() : call();
    if (kind < 88) return array_declaration();
    if (kind < 90) return element_loop();
    if (kind < 93) {
      const Array array = one_of(scope_.arrays);
      if (scope_.in_lane) return into_sum(word());
      return "defer note(" + array.length + ", " + array.name + ", " + size() + ");";
    }
    if (kind < 97) return "if " + condition() + " " + block(3) + (likely(50) ? " else " + block(2) : "");
    return into_sum(word());
  }

  // -------------------------------------------------------------------------------------------------------- functions

  void begin() {
    scope_ = {};
    scope_.sizes = {"p", "q"};
    scope_.words = {"x", "acc"};
    scope_.mutable_words = {"acc"};
    scope_.numbers = {"y"};
    depth_ = 0;
  }

  std::string leaf(std::uint32_t number) {
    begin();
    scope_.arrays = {{"a", "n"}};
    scope_.sizes.push_back("n");
    std::string text = "fn leaf" + std::to_string(number) +
                       "(n:usize, a:rw<u64>[n], p:usize, q:usize, x:u64, y:i64) -> u64 {\nlet mut acc:u64 = x;\n";
    text += "let mut h:usize = n; let mut l:usize = 0;\n";
    scope_.sizes.insert(scope_.sizes.end(), {"h", "l"});
    scope_.mutable_sizes = {"h", "l"};
    text += statements(3 + below(6)) + "return acc;\n}\n";
    ++leaves_;
    return text;
  }

  std::string entry() {
    begin();
    std::string text =
        "fn entry(p:usize, q:usize, x:u64, y:i64) -> u64 {\nlet mut acc:u64 = 1; let mut h:usize = p; let mut l:usize "
        "= q;\n";
    text +=
        "let n:usize = p % 11 + 1; let mut a = Buf[u64](n); let b = Buf[u64](q % 7 + 1); let mut e = Buf[u64](8);\n";
    text += "for i in 0..n { a[i] = add_wrap(x, u64(i)); }\n";
    scope_.sizes.insert(scope_.sizes.end(), {"h", "l", "n"});
    scope_.mutable_sizes = {"h", "l"};
    scope_.arrays = {{"a", "len(a)", true}, {"e", "len(e)", true}};
    text += "acc = add_wrap(acc, total(len(b), b));\n";
    text += statements(4 + below(7));
    return text + "acc = add_wrap(acc, total(len(a), a)); acc = add_wrap(acc, total(len(e), e));\nreturn acc;\n}\n";
  }

  std::mt19937_64 random_;
  Scope scope_;
  unsigned depth_ = 0;
  std::uint32_t names_ = 0;
  std::uint32_t leaves_ = 0;
};

}  // namespace

std::string random_source(std::uint64_t seed) { return Writer(seed).program(); }

}  // namespace cairn::tests
