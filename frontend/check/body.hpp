// Judging one function body and building its checked tree: expressions, calls, statements, ownership, borrows, aliasing.
//
// What it is given. `function` has its complete signature: kind, declaration, module, arguments, result, symbol, position,
// and one Local per parameter (kind Parameter, `owner`, `index` and `position` set), which `locals` holds first, in order.
// `scope` says what the generic parameters stand for. The body is that of `function.declaration` (a function or a test).
// What it gives. `function.body`, further locals, captures; closures and lane bodies are appended to Program::functions
// with `parent` set. Instances the body needs are asked of Checker::function, which judges them before it returns.
// A refusal is thrown. Nothing of `function` may be used after one.
//
// Who owns which rule. Generic inference (abstractions, 3.3) is done here, by unifying the written types of a template
// with the types of the arguments; Checker::function and Checker::record_instance hold bounds and judge the instance.
// Trait members are found with what traits.hpp tells of each trait: the members by name, each with its written signature,
// its receiver's position and mode, and whether the trait is dyn-compatible (and which member is in the way).
#pragma once

#include "frontend/check/checker.hpp"

namespace cairn {

class BodyChecker;

/// Judges the body of a concrete function, instance or test. Throws Refusal.
void check_body(Checker& checker, checked::Function& function, const Scope& scope);

}  // namespace cairn
