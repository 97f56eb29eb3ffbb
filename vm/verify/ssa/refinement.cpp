#include "vm/verify/ssa/refinement.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jit/ssa/build.hpp"
#include "jit/ssa/host.hpp"
#include "jit/ssa/passes.hpp"
#include "jit/ssa/text.hpp"
#include "vm/verify/processor_clock.hpp"
#include "vm/verify/solver.hpp"
#include "vm/verify/ssa/encoder.hpp"
#include "vm/verify/ssa/evaluator.hpp"

namespace cairn::verify {

using bytecode::RegisterKind;
using bytecode::RegisterType;
using bytecode::TypeKind;
using jit::ssa::Function;
using jit::ssa::Opcode;

namespace {

constexpr std::uint64_t kMostElements = 16;  // of a view in an input
constexpr std::uint64_t kMostBytes = 1 << 14;
constexpr unsigned kMostSeconds = 5;                       // of the processor, that a form is run for
constexpr std::size_t kStackBytes = std::size_t{1} << 20;  // of a form that is run
constexpr unsigned kQuestionTimes = 4;  // of a query's time: questions that a pass took out, together
constexpr unsigned kQuestionParts = 4;  // of it: one of them

using Clock = ProcessorClock;

void sizes_of(const Function& function, std::set<std::uint32_t>& sizes) {
  for (const jit::ssa::Block& block : function.blocks) {
    for (const jit::ssa::Value value : block.code) {
      const jit::ssa::Instruction& i = function.at(value);
      if (i.op == Opcode::Load || i.op == Opcode::Store) sizes.insert(jit::size_of(i.kind));
    }
  }
}

/// Z3's own words of why it does not say.
std::string in_words(const std::string& reason) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"timeout", "its time ended"},   {"interrupt", "its time ended"},
      {"memory", "its memory ended"},  {"incomplete", "its procedures do not decide it"},
      {"resource", "its steps ended"},
  };
  for (const auto& [word, words] : kWords) {
    if (reason.contains(word)) return std::string(words);
  }
  return reason;
}

// ------------------------------------------------------------------------------------------- where they differ

/// Both forms on shared inputs, and the conditions under which they differ.
class Difference {
 public:
  Difference(Terms& terms, SsaEncoder& encoder) : terms_(terms), encoder_(encoder) {}

  Term between(const SsaOutcome& before, const SsaOutcome& after) {
    conditions_ = {after.broken};
    for (const auto& [world, made] : before.calls) calls(made, reached(after.calls, world));
    for (const auto& [world, made] : after.calls) {
      if (!before.calls.contains(world)) calls(kFalse, made);
    }
    for (const auto& [key, end] : before.ends) {
      const auto other = after.ends.find(key);
      if (other == after.ends.end()) {
        conditions_.push_back(end.reached);
      } else {
        ends(end, other->second);
      }
    }
    for (const auto& [key, end] : after.ends) {
      if (!before.ends.contains(key)) conditions_.push_back(end.reached);
    }
    return terms_.any(conditions_);
  }

 private:
  static Term reached(const std::map<Term, Term>& calls, Term world) {
    const auto found = calls.find(world);
    return found == calls.end() ? kFalse : found->second;
  }
  void calls(Term before, Term after) { conditions_.push_back(terms_.differ(before, after)); }

  void ends(const SsaEnd& before, const SsaEnd& after) {
    conditions_.push_back(terms_.differ(before.reached, after.reached));
    std::vector<Term> parts;
    for (const auto& [slot, value] : before.told) {
      const auto other = after.told.find(slot);
      parts.push_back(other == after.told.end() ? kTrue : terms_.differ(value, other->second));
    }
    parts.push_back(terms_.differ(before.world, after.world));
    SsaMemory all = before.memory;
    all.insert(after.memory.begin(), after.memory.end());
    for (const auto& [key, unused] : all) {
      const auto& [place, size] = key;
      if (place.kind == Place::Kind::Object || place.kind == Place::Kind::Text) continue;  // the frame is gone
      const Term left = array(before, place, size);
      const Term right = array(after, place, size);
      if (left == right) continue;
      const Term at = terms_.variable("at" + std::to_string(next_++), kIndex);
      parts.push_back(terms_.differ(terms_.select(left, at), terms_.select(right, at)));
    }
    conditions_.push_back(terms_.both(before.reached, terms_.any(parts)));
  }
  Term array(const SsaEnd& end, const Place& place, std::uint32_t size) {
    const auto found = end.memory.find({place, size});
    return found != end.memory.end() ? found->second : encoder_.initial(place, size, end.world);
  }

  Terms& terms_;
  SsaEncoder& encoder_;
  std::vector<Term> conditions_;
  std::uint32_t next_ = 0;
};

// ------------------------------------------------------------------------------------------- an input, evaluated

/// A parameter as both forms are given it.
struct Given {
  std::string name;
  const RegisterType* type = nullptr;
  std::uint32_t slot = 0;
  std::uint64_t bits = 0;
  std::vector<std::byte> bytes;  // behind it
  std::uint64_t count = 0;       // of a view
};

/// Whether memory of the type holds numbers alone, so that any bytes may be put there.
bool is_plain(const bytecode::Module& module, std::uint32_t index) {
  const bytecode::Type& type = module.types[index];
  switch (type.kind) {
    case TypeKind::Scalar:
      return true;
    case TypeKind::Record:
      return !type.environment &&
             std::ranges::all_of(type.fields, [&](const auto& field) { return is_plain(module, field.type); });
    case TypeKind::Array:
      return is_plain(module, type.element);
    default:
      return false;
  }
}

class Input {
 public:
  Input(const Image& image, const Terms& terms, Solver& solver, std::uint32_t function)
      : image_(image), terms_(terms), solver_(solver), function_(function) {}

  /// False, with why, when the model's input cannot be made.
  bool take(SsaEncoder& encoder, Terms& terms, std::string& why) {
    const bytecode::Module& module = image_.module();
    const bytecode::Function& source = module.functions[function_];
    std::uint32_t slot = 0;
    for (const RegisterType& type : module.signatures[source.signature].parameters) {
      Given given;
      given.type = &type;
      given.slot = slot;
      given.name = source.registers[slot].name.empty() ? "r" + std::to_string(slot) : source.registers[slot].name;
      const bool leads = type.kind == RegisterKind::Ref || type.kind == RegisterKind::View;
      if (leads) {
        if (type.type == bytecode::kNone || !is_plain(module, type.type)) {
          why = "what " + given.name + " leads to holds more than numbers";
          return false;
        }
        if (type.kind == RegisterKind::View) given.count = bits(encoder, terms, slot + 1, jit::Kind::U64);
        const std::uint64_t each = module.types[type.type].size;
        const std::uint64_t count = type.kind == RegisterKind::View ? given.count : 1;
        if (count > kMostBytes || count * each > kMostBytes) {
          why = "the solver's input is too large";
          return false;
        }
        given.bytes.resize(count * each);
      } else if (type.is_scalar()) {
        const auto kind = static_cast<jit::Kind>(static_cast<int>(type.kind) - static_cast<int>(RegisterKind::Bool) +
                                                 static_cast<int>(jit::Kind::Bool));
        given.bits = bits(encoder, terms, slot, kind);
      } else {
        why = given.name + " is no number and leads to none";
        return false;
      }
      slot += type.slots();
      given_.push_back(std::move(given));
    }
    if (source.environment != bytecode::kNone) {
      why = "it has an environment";
      return false;
    }
    contents();
    return true;
  }

  [[nodiscard]] std::string shown() const {
    std::string text;
    for (const Given& each : given_) {
      text += (text.empty() ? "" : ", ") + each.name + " = ";
      const bool leads = each.type->kind == RegisterKind::Ref || each.type->kind == RegisterKind::View;
      if (!leads) {
        text += number(each.bits, each.type->kind);
        continue;
      }
      std::string list;
      const std::uint64_t size = image_.module().types[each.type->type].size;
      for (std::size_t at = 0; at < each.bytes.size(); at += size) {
        std::uint64_t word = 0;
        std::memcpy(&word, each.bytes.data() + at, std::min<std::uint64_t>(8, size));
        list += (list.empty() ? "" : ", ") + std::to_string(word) + (size > 8 ? ".." : "");
      }
      text += "[" + list + "]";
    }
    return text;
  }

  /// What a form does on the input, in a process of its own: a wrong form may do anything.
  [[nodiscard]] std::string run(const Function& form) const {
    constexpr std::size_t kShared = 1 << 16;
    void* const shared = ::mmap(nullptr, kShared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return "is not run";
    const pid_t child = ::fork();
    if (child == 0) {
      const rlimit limit{kMostSeconds, kMostSeconds};
      ::setrlimit(RLIMIT_CPU, &limit);
      const std::string said = evaluate(form).substr(0, kShared - 1);
      std::memcpy(shared, said.c_str(), said.size() + 1);
      ::_exit(0);
    }
    int status = 0;
    const bool ended = child > 0 && ::waitpid(child, &status, 0) == child;
    std::string said = ended && WIFEXITED(status) ? std::string(static_cast<const char*>(shared)) : "does not end";
    ::munmap(shared, kShared);
    return said;
  }

 private:
  class Collected final : public OutputSink {
   public:
    bool write(bool, std::span<const char> bytes) override {
      text.append(bytes.data(), bytes.size());
      return true;
    }
    std::string text;
  };

  std::uint64_t bits(SsaEncoder& encoder, Terms& terms, std::uint32_t slot, jit::Kind kind) {
    return solver_.value(terms, encoder.parameter(function_, slot, kind).bits).bits;
  }

  /// Cells that the model says something of.
  void contents() {
    for (Term term = 0; term < terms_.size(); ++term) {
      if (terms_.node(term).op != TermOp::Select) continue;
      const Term array = terms_.operand(term, 0);
      if (terms_.node(array).op != TermOp::Variable) continue;
      for (Given& given : given_) {
        const std::string begin = "memory.parameter" + std::to_string(given.slot) + ".";
        const std::string& name = terms_.name(array);
        if (given.bytes.empty() || !name.starts_with(begin)) continue;
        const std::uint64_t size = std::stoull(name.substr(begin.size()));
        const std::uint64_t at = solver_.value(terms_, terms_.operand(term, 1)).bits;
        if (at > given.bytes.size() || given.bytes.size() - at < size) continue;
        const std::uint64_t value = solver_.value(terms_, term).bits;
        std::memcpy(given.bytes.data() + at, &value, size);
      }
    }
  }

  static std::string number(std::uint64_t bits, RegisterKind kind) {
    if (kind == RegisterKind::Bool) return bits != 0 ? "true" : "false";
    if (kind == RegisterKind::F64) return std::to_string(std::bit_cast<double>(bits));
    if (kind == RegisterKind::F32) return std::to_string(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    const bool is_signed = kind >= RegisterKind::I8 && kind <= RegisterKind::I64;
    return is_signed ? std::to_string(static_cast<std::int64_t>(bits)) : std::to_string(bits);
  }

  [[nodiscard]] std::string evaluate(const Function& form) const {
    const bytecode::Module& module = image_.module();
    std::vector<std::uint64_t> arguments;
    std::vector<std::vector<std::byte>> memory;
    constexpr std::size_t kAround = 4096;  // what a form that goes astray may read
    for (const Given& each : given_) {
      if (!each.bytes.empty() || each.type->kind == RegisterKind::View || each.type->kind == RegisterKind::Ref) {
        memory.emplace_back(each.bytes.size() + 2 * kAround + 64);
        auto at = reinterpret_cast<std::uintptr_t>(memory.back().data()) + kAround;
        at = (at + 63) / 64 * 64;
        std::ranges::copy(each.bytes, reinterpret_cast<std::byte*>(at));
        arguments.push_back(at);
        if (each.type->kind == RegisterKind::View) arguments.push_back(each.count);
      } else {
        arguments.push_back(each.bits);
      }
    }
    std::vector<std::optional<Function>> functions(module.functions.size());
    functions[function_] = form;
    Collected output;
    Limits limits;
    limits.stack_bytes = kStackBytes;
    SsaEvaluator evaluator(image_, functions, output, limits);
    const SsaEvaluator::Ending ending = evaluator.call(function_, arguments);
    std::string said;
    if (!evaluator.fault().empty()) {
      said = "breaks its word: " + std::string(evaluator.fault());
    } else if (!ending.trap.empty()) {
      said = "traps: " + ending.trap;
    } else {
      said = "returns";
      const std::uint32_t slots = module.signatures[module.functions[function_].signature].result.slots();
      if (slots > 0) said += " " + std::to_string(ending.value);
      if (slots > 1) said += ", " + std::to_string(ending.second);
    }
    if (!output.text.empty()) said += ", printing " + output.text;
    std::size_t next = 0;
    for (std::size_t k = 0; k < given_.size(); ++k) {
      const Given& each = given_[k];
      if (each.type->kind != RegisterKind::View && each.type->kind != RegisterKind::Ref) continue;
      const auto* const now = reinterpret_cast<const std::byte*>(
          (reinterpret_cast<std::uintptr_t>(memory[next].data()) + kAround + 63) / 64 * 64);
      ++next;
      if (std::equal(each.bytes.begin(), each.bytes.end(), now)) continue;
      said += ", leaves " + each.name + " =";
      const std::uint64_t size = module.types[each.type->type].size;
      for (std::size_t at = 0; at < each.bytes.size(); at += std::min<std::uint64_t>(8, size)) {
        std::uint64_t word = 0;
        std::memcpy(&word, now + at, std::min<std::uint64_t>({8, size, each.bytes.size() - at}));
        said += " " + std::to_string(word);
      }
    }
    return said;
  }

  const Image& image_;
  const Terms& terms_;
  Solver& solver_;
  const std::uint32_t function_;
  std::vector<Given> given_;
};

/// Lengths of views that an input for people has.
Term short_views(Terms& terms, SsaEncoder& encoder, const bytecode::Module& module, std::uint32_t function) {
  std::vector<Term> bounds;
  std::uint32_t slot = 0;
  for (const RegisterType& type : module.signatures[module.functions[function].signature].parameters) {
    if (type.kind == RegisterKind::View) {
      const Term length = encoder.parameter(function, slot + 1, jit::Kind::U64).bits;
      bounds.push_back(terms.binary(TermOp::LessEqualU, length, terms.bits(64, kMostElements)));
    }
    slot += type.slots();
  }
  return terms.all(bounds);
}

}  // namespace

Refinement refine(const Image& image, const Function& before, const Function& after, const RefinementOptions& options) {
  Refinement answer;
  Terms terms;
  std::set<std::uint32_t> sizes;
  sizes_of(before, sizes);
  sizes_of(after, sizes);
  // And of what is run with them: functions that were taken in, and the rest that control leaves for.
  for (const jit::ssa::Frame& frame : after.frames) {
    if (const auto form = jit::ssa::build(image.module(), frame.function, {})) sizes_of(*form, sizes);
  }
  if (sizes.empty()) sizes.insert(8);  // copies, calls and steps meet memory too
  SsaEncoder encoder(terms, image.module(), sizes, after.frames, options.turns);
  std::vector<Term> conditions;
  std::unique_ptr<Solver> opened;  // of these terms alone
  std::string missing;
  const auto solver_of = [&]() -> Solver* {
    if (opened == nullptr && missing.empty()) {
      auto found = Solver::open();
      if (found) {
        opened = std::move(*found);
        opened->count_processor_time();
      } else {
        missing = found.error();
      }
    }
    return opened.get();
  };
  const auto questions_end = Clock::now() + std::chrono::milliseconds(options.timeout_ms * kQuestionTimes);
  encoder.compare_with(after, [&](Term condition) {
    Solver* const asked = Clock::now() < questions_end ? solver_of() : nullptr;
    if (asked == nullptr) return false;
    const unsigned limit = std::max(1U, options.timeout_ms / kQuestionParts);
    const std::vector<Term> all{encoder.assumed(), condition};
    if (asked->ask(terms, all, limit, Solver::Detail::Free) == SolverAnswer::Unsat) return true;
    return Solver::needed(terms, all) != Solver::Detail::Free &&
           asked->ask(terms, all, limit, Solver::Detail::Exact) == SolverAnswer::Unsat;
  });
  try {
    const SsaOutcome left = encoder.run(before);
    const SsaOutcome right = encoder.run(after);
    const Term differ = Difference(terms, encoder).between(left, right);
    // Where the later form alone goes on past the bound it does not end as the earlier one does.
    answer.bounded = left.exceeded != kFalse;
    conditions = {encoder.assumed(), terms.negate(left.broken), terms.negate(left.exceeded), differ};
  } catch (const Unsupported& end) {
    answer.reason = end.why;
    return answer;
  }
  if (terms.all(conditions) == kFalse) {
    answer.status = Refinement::Status::Refines;
    return answer;
  }
  Solver* const found = solver_of();
  if (found == nullptr) {
    answer.reason = missing;
    return answer;
  }
  Solver& solver = *found;
  const Solver::Detail needed = Solver::needed(terms, conditions);
  std::vector<std::string> undecided;
  const auto keep_reason = [&](SolverAnswer said, std::string_view told) {
    if (said == SolverAnswer::Unknown) undecided.push_back(std::string(told) + " " + in_words(solver.reason()));
  };
  for (const Solver::Detail detail : {Solver::Detail::Free, Solver::Detail::Functions}) {
    if (detail >= needed) break;
    const SolverAnswer said = solver.ask(terms, conditions, options.timeout_ms, detail);
    if (said == SolverAnswer::Unsat) {
      answer.status = Refinement::Status::Refines;
      return answer;
    }
    keep_reason(said, detail == Solver::Detail::Free ? "with what is unknown free" : "with functions");
  }
  std::vector<Term> small = conditions;
  small.push_back(short_views(terms, encoder, image.module(), before.index));
  SolverAnswer said = solver.ask(terms, small, options.timeout_ms);
  if (said == SolverAnswer::Unsat && small.back() != kTrue) said = solver.ask(terms, conditions, options.timeout_ms);
  if (said == SolverAnswer::Unsat) {
    answer.status = Refinement::Status::Refines;
    return answer;
  }
  if (said == SolverAnswer::Unknown) {
    keep_reason(said, "with all that is known");
    answer.reason = "the solver does not say: ";
    for (const std::string& each : undecided) answer.reason += (&each == undecided.data() ? "" : ", ") + each;
    return answer;
  }
  if (before.entry_word != 0) {
    answer.reason = "a frame that runs already tells them apart in the model, and none is made to evaluate them";
    return answer;
  }
  Input input(image, terms, solver, before.index);
  if (!input.take(encoder, terms, answer.reason)) return answer;
  answer.expected = input.run(before);
  answer.actual = input.run(after);
  if (answer.expected == answer.actual) {
    answer.reason = "the input that tells them apart in the model does not when it is evaluated";
    return answer;
  }
  answer.status = Refinement::Status::Refuted;
  answer.input = input.shown();
  return answer;
}

namespace {

/// The starts of loops at which the tier takes a frame up.
std::set<std::uint32_t> loop_starts(const Function& form) {
  std::set<std::uint32_t> words;
  for (const jit::ssa::Block& block : form.blocks) {
    for (const jit::ssa::Value value : block.code) {
      if (form.at(value).op == Opcode::Point) words.insert(form.at(value).word);
    }
  }
  return words;
}

}  // namespace

std::optional<std::vector<PassRefinement>> refine_passes(const Image& image, std::uint32_t function,
                                                         const RefinementOptions& options) {
  const auto end = Clock::now() + std::chrono::milliseconds(options.budget_ms);
  std::vector<PassRefinement> answers;
  const auto whole = jit::ssa::build(image.module(), function, {});
  if (!whole) return std::nullopt;
  const std::uint32_t vector_bytes = options.vector_bytes != 0 ? options.vector_bytes : jit::ssa::host_vector_bytes();
  const jit::ssa::Context context{image.module(), false, vector_bytes};
  std::set<std::uint32_t> entries = options.from_loops ? loop_starts(*whole) : std::set<std::uint32_t>{};
  entries.insert(0);
  for (const std::uint32_t entry : entries) {
    auto form = jit::ssa::build(image.module(), function, {entry, false});
    if (!form) continue;
    const std::uint32_t line = entry == 0 ? 0 : image.module().functions[function].position_at(entry).line;
    std::string before = jit::ssa::write(*form);
    for (const jit::ssa::Pass& pass : jit::ssa::passes()) {
      const Function old = *form;
      pass.run(*form, context);
      std::string after = jit::ssa::write(*form);
      if (after == before) continue;
      Refinement answer;
      if (options.budget_ms != 0 && Clock::now() >= end) {
        answer.reason = "no time was left for it";
      } else {
        answer = refine(image, old, *form, options);
      }
      answers.push_back({std::string(pass.name), line, std::move(answer), before, after});
      before = std::move(after);
    }
  }
  return answers;
}

}  // namespace cairn::verify
