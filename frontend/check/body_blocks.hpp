// What is known of the body of a cooperative region, or of its finish, while it is judged.
#pragma once

#include "frontend/check/body_checker.hpp"
#include "frontend/check/concurrent_ops.hpp"
#include "frontend/check/reach.hpp"
#include "frontend/check/syntax_paths.hpp"

namespace cairn {

/// Shared arrays begin on it.
inline constexpr std::uint64_t kSharedAlign = 128;

struct BodyChecker::ThreadScope {
  Position region;  // the region, or the finish's `then`
  const syntax::Block* written = nullptr;
  std::span<const syntax::Identifier> block_names;  // none of a finish
  std::span<const syntax::Identifier> thread_names;
  std::span<const syntax::Expr* const> thread_extents;
  std::vector<const checked::LetStmt*> grid;  // one a block name
  std::vector<std::uint64_t> extents;         // one a thread name
  std::uint32_t threads = 0;
  bool device = false;
  ReachMap reach;
  std::vector<checked::SharedStmt*> arrays;  // declared so far, as are the pipelines
  std::vector<checked::PipelineStmt*> pipelines;
  std::uint64_t bytes = 0;  // of shared memory taken so far
};

struct BodyChecker::WrittenCallee {
  const checked::Local* local = nullptr;  // a function value
  Symbol symbol;
  std::string_view builtin;  // a name that nothing else has
};

}  // namespace cairn
