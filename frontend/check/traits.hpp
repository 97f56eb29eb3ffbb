// Traits as the checker sees them (abstractions, 5 and 7): each trait's members with their receivers, which impl serves
// a type, and the tables a dynamic reference dispatches through.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "frontend/check/declarations.hpp"
#include "frontend/check/types.hpp"
#include "frontend/syntax/ast.hpp"

namespace cairn {

struct TraitMember {
  const syntax::Signature* signature = nullptr;
  std::int32_t receiver = -1;  // position of the first parameter whose type is Self, by value or borrowed
  bool receiver_is_borrow = false;
  BorrowMode receiver_mode{};   // of a borrowed receiver
  bool dyn_compatible = false;  // it has a borrowed receiver and nothing else borrows or mentions Self
  bool result_mentions_self = false;
  std::uint32_t implied_count = 0;  // parameters a call may leave out
  std::span<const bool> implied;    // one per parameter
  /// Of a dyn-compatible trait: types of the parameters (null at the receiver) and the result.
  std::span<const Type* const> dyn_parameters;
  const Type* dyn_result = nullptr;
};

struct TraitInfo {
  const syntax::TraitDecl* declaration = nullptr;
  Name module;
  std::string_view full_name;
  std::uint32_t index = 0;  // position among the program's traits
  std::span<TraitMember> members;
  bool described = false;     // dyn_parameters and dyn_result of its members are filled
  std::int32_t not_dyn = -1;  // the first member that is not dyn-compatible, or -1: the trait is
  [[nodiscard]] bool dyn_compatible() const { return not_dyn < 0; }
  [[nodiscard]] std::int32_t member_of(Name name) const {
    for (std::size_t i = 0; i < members.size(); ++i)
      if (members[i].signature->name.name == name) return static_cast<std::int32_t>(i);
    return -1;
  }
};

/// The functions of one impl at one type, in the order of the trait's members: a dynamic reference's table.
struct DispatchTable {
  const TraitInfo* trait = nullptr;
  const Type* self = nullptr;
  std::span<checked::Function* const> members;
};

/// The impl's function for a member at a type, and what the impl block's own parameters stand for there.
struct MemberFunction {
  FunctionInfo* function = nullptr;  // null: the type does not implement the trait
  std::span<const StaticArgument> impl_arguments;
  explicit operator bool() const { return function != nullptr; }
};

/// What a call of a trait member was found to mean (5.4).
struct MemberChoice {
  const TraitInfo* trait = nullptr;  // null: no trait declares such a member
  std::uint32_t member = 0;
  std::uint32_t receiver = 0;  // index of the receiver among the arguments as written
  const Type* self = nullptr;  // the receiver's type
  bool dynamic = false;        // the receiver is a dyn reference to, or a Dyn of, the trait
  explicit operator bool() const { return trait != nullptr; }
};

}  // namespace cairn
