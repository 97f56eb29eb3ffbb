// Judging one function body and building its checked tree: expressions, calls, statements, ownership, borrows,
// aliasing.
//
// What it is given. `function` has its complete signature: kind, declaration, module, arguments, result, symbol,
// position, and one Local per parameter (kind Parameter, `owner`, `index` and `position` set), which `locals` holds
// first, in order. `scope` says what the generic parameters stand for. The body is that of `function.declaration` (a
// function or a test). What it gives. `function.body`, further locals, captures; closures and lane bodies are appended
// to Program::functions with `parent` set. Instances the body needs are asked of Checker::function, which judges them
// before it returns. A refusal is thrown. Nothing of `function` may be used after one.
//
// Who owns which rule. The body checker finds the callee and types and lends its arguments; what a template's
// parameters stand for (abstractions, 3.3), which impl serves a type, bounds and instances are the Checker's: see
// checker.hpp.
#pragma once

#include "frontend/check/checker.hpp"

namespace cairn {

class BodyChecker;

/// Judges the body of a concrete function, instance or test. Throws Refusal.
void check_body(Checker& checker, checked::Function& function, const Scope& scope);

}  // namespace cairn
