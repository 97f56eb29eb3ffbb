// The inputs of a function as variables of the solver, shared by the versions that are compared; and back from a model
// to values: for people, and as what the interpreter is given.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "frontend/frontend.hpp"
#include "vm/verify/encoder.hpp"
#include "vm/verify/solver.hpp"

namespace cairn::verify {

inline constexpr std::uint64_t kMostReplayed = 16;  // elements of a view or Buf in a counterexample

/// One version of a function: as checked, and as lowered.
struct Subject {
  const Compilation* compilation = nullptr;
  const checked::Function* function = nullptr;
  const bytecode::Module* module = nullptr;
  std::uint32_t code = 0;
};

struct Parameter {
  enum class Kind : std::uint8_t { Scalar, Value, Borrow, View, Owner };  // Value: behind a reference to a copy
  std::string name;
  const Type* type = nullptr;
  Kind kind = Kind::Scalar;
  bool written = false;       // its final contents are observed
  std::uint32_t element = 0;  // bytecode type of what it refers to
  Term scalar = kFalse;
  Term length = kFalse;  // View, Owner
  Target place;          // Value, Borrow, View, Owner: the object
};

struct Number {
  Term term = kFalse;
  bool is_signed = false;
};

/// A function about to run on the shared inputs.
struct Start {
  State state;
  std::vector<Parameter> parameters;
  std::vector<Term> domain;      // what the entry guards and declared tags admit
  Target result;                 // when the result goes through a reference
  std::vector<Number> numbers;   // every integer of the input that has a name: scalars and lengths
  std::vector<Number> elements;  // and the first kMostReplayed elements of views
};

/// Sets a subject's inputs up. Variables of parameters at the same position are the same in every call.
Start start_of(Encoder& encoder, Terms& terms, const Subject& subject);

/// A scalar that is observed, where `guard` holds.
struct Observed {
  Term guard = kTrue;
  Term value = kFalse;
};
/// The result, what a returned owner holds, and the final contents of whatever is lent rw; equal signatures give lists
/// of one length. An element of unknown index stands for all of them.
std::vector<Observed> observed(Encoder& encoder, Terms& terms, const Subject& subject, const Start& start,
                               const Outcome& outcome);

/// An input: what the interpreter is called with.
struct ConcreteParameter {
  nlohmann::ordered_json shown;
  std::uint64_t slot = 0;        // Scalar
  std::vector<std::byte> bytes;  // the others
  std::uint64_t count = 0;       // View, Owner
};
/// The model's values of the inputs; the error says why they cannot be replayed.
std::expected<std::vector<ConcreteParameter>, std::string> concrete_inputs(Encoder& encoder, Terms& terms,
                                                                           const Subject& subject, const Start& start,
                                                                           Solver& solver);

/// Runs the function on them in the interpreter: `{"defined":true,"return":V,"written":{P:[..]}}` or
/// `{"defined":false,"trap":...}`.
nlohmann::ordered_json replay(const Subject& subject, const Start& start, const std::vector<ConcreteParameter>& inputs);

/// Bytes of a type as a value for people.
nlohmann::ordered_json shown_value(const bytecode::Module& module, std::uint32_t type, const std::byte* bytes);

}  // namespace cairn::verify
