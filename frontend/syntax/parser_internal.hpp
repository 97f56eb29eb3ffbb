// The recursive-descent parser, shared by the files that implement it: one file a topic of the grammar (1.3.1
// to 1.3.6).
//
// Invariants. `at_` is the next token not yet consumed, and several End tokens follow the last one, so that looking a
// few tokens ahead is always safe. A function `thing()` begins at the thing's first token and returns with `at_` behind
// its last. The first token that fits nothing ends the parse by `fail_expected` or a sibling; those judge the token
// itself first, because a bad escape or a stray `$` is a refusal as soon as the parser reaches it.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/diagnostics/diagnostic.hpp"
#include "frontend/source/source_map.hpp"
#include "frontend/support/arena.hpp"
#include "frontend/support/names.hpp"
#include "frontend/syntax/ast.hpp"
#include "frontend/syntax/name_pair_map.hpp"
#include "frontend/syntax/token.hpp"

namespace cairn::syntax {

inline constexpr std::uint32_t kMaxExpressionDepth = 100;  // 1.3.5
inline constexpr std::uint32_t kMaxTypeDepth = 100;
inline constexpr std::uint32_t kMaxBlockDepth = 256;
inline constexpr std::uint32_t kMaxElseDepth = 1024;  // `else if` links above a statement
inline constexpr std::uint32_t kLookahead = 4;

/// A list being collected on a stack that all lists of its type share; nested lists stand above it.
template <class T>
class ListBuilder {
 public:
  explicit ListBuilder(std::vector<T>& stack) : stack_(stack), mark_(stack.size()) {}
  ListBuilder(const ListBuilder&) = delete;
  ListBuilder& operator=(const ListBuilder&) = delete;
  ~ListBuilder() { stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(mark_), stack_.end()); }

  void add(const T& item) { stack_.push_back(item); }
  [[nodiscard]] std::size_t size() const { return stack_.size() - mark_; }
  [[nodiscard]] List<const T> finish(Arena& arena) const {
    return arena.copy(std::span<const T>(stack_).subspan(mark_));
  }

 private:
  std::vector<T>& stack_;
  std::size_t mark_;
};

/// The binary operator a token is, if any.
[[nodiscard]] std::optional<BinaryOp> binary_operator(TokenKind kind);

class Parser {
 public:
  /// `tokens` must end with 1 + kLookahead End tokens.
  Parser(const SourceMap& sources, std::uint32_t first_file, NameTable& names, Arena& arena, const Words& words,
         const std::vector<Token>& tokens, bool packaged);

  [[nodiscard]] Program program();
  [[nodiscard]] const Expr* lone_expression();
  [[nodiscard]] const Block* lone_statements();
  [[nodiscard]] const TypeExpr* lone_type();

 private:
  // ------------------------------------------------------------------------------------------- the token at hand
  [[nodiscard]] TokenKind kind() const { return at_->kind(); }
  [[nodiscard]] bool is(TokenKind kind) const { return at_->kind() == kind; }
  [[nodiscard]] bool next_is(TokenKind kind) const { return at_[1].kind() == kind; }
  [[nodiscard]] bool is_the_word(Name word) const { return at_->name == word; }
  [[nodiscard]] bool next_is_word() const { return is_word(at_[1].kind()); }
  [[nodiscard]] Position here() const { return at_->position; }
  [[nodiscard]] Position previous_end() const { return at_[-1].end(); }
  void advance() { ++at_; }
  bool accept(TokenKind kind) {
    if (!is(kind)) return false;
    ++at_;
    return true;
  }
  bool accept_word(Name word) {
    if (!is_the_word(word)) return false;
    ++at_;
    return true;
  }
  /// `purpose` continues "expected `;` ".
  void expect(TokenKind kind, std::string_view purpose) {
    if (!is(kind)) [[unlikely]]
      fail_expected_token(kind, purpose);
    ++at_;
  }
  [[nodiscard]] std::string_view text_of(const Token& token) const;

  // ------------------------------------------------------------------------------------------- refusals
  // (parser_errors.cpp)
  /// Refuses a token that is wrong whatever stands around it: a bad escape, a `$` outside a recipe.
  void judge(const Token& token) const;
  [[nodiscard]] std::string describe(const Token& token) const;
  [[noreturn]] void fail(Code code, const Token& token, std::string message) const;
  /// E-PARSE at the token at hand: "Expected WHAT, found ...", and what CAIRN writes instead where that is known.
  [[noreturn]] void fail_expected(std::string_view what) const;
  [[noreturn]] void fail_expected_token(TokenKind kind, std::string_view purpose) const;
  [[noreturn]] void fail_name(std::string_view what) const;
  [[noreturn]] void fail_expression() const;
  [[noreturn]] void fail_static() const;
  [[noreturn]] void fail_depth(std::string_view what, std::uint32_t limit) const;
  [[noreturn]] void fail_open_block(Position opened) const;
  [[noreturn]] void fail_shift() const;

  // ------------------------------------------------------------------------------------------- nodes and lists
  template <std::derived_from<Expr> T>
  T* make(ExprKind kind, Position position) {
    return make_node<T>(kind, position);
  }
  template <std::derived_from<Stmt> T>
  T* make(StmtKind kind) {
    return make_node<T>(kind, here());
  }
  template <class T, class Kind>
  T* make_node(Kind kind, Position position) {
    T* node = arena_.make<T>();
    node->kind = kind;
    node->position = position;
    ++nodes_;
    return node;
  }
  /// Ends a node that began at `begin` behind the token consumed last.
  template <class T>
  T* end(T* node, Position begin) const {
    node->span = {begin, previous_end()};
    return node;
  }
  template <class T>
  T* end(T* node) const {
    return end(node, node->position);
  }

  // ------------------------------------------------------------------------------------------- names and literals
  // (parser.cpp)
  Identifier identifier(std::string_view what = "a name") {
    if (is(TokenKind::Word) || (in_recipe_ && is(TokenKind::SpliceWord))) [[likely]] {
      const Identifier found{at_->name, at_->position};
      advance();
      return found;
    }
    fail_name(what);
  }
  [[nodiscard]] bool is_identifier() const { return is(TokenKind::Word) || (in_recipe_ && is(TokenKind::SpliceWord)); }
  List<const Identifier> identifiers(TokenKind close, std::string_view what, bool may_trail = false);
  Path path(std::string_view what = "a name");
  Natural natural();  // a decimal token, else E-STATIC
  Natural natural_of(const Token& token) const;
  List<const Natural> naturals(TokenKind close);
  std::string_view string_bytes(const Token& token) const;
  EffectLabel effect_label();
  List<const EffectLabel> effect_labels(bool may_trail = false);  // behind `(`, through `)`
  Placement placement();                                          // the word behind `@`

  // ------------------------------------------------------------------------------------------- declarations
  void item();
  void enter_file();
  const Decl* import_declaration(Position begin);
  const Decl* module_declaration(Position begin);
  const Decl* const_declaration(Position begin);
  const Decl* alias_declaration(Position begin);
  const Decl* record_declaration(Position begin);
  Field field();
  void lends_clause(RecordDecl& record);
  const Decl* sum_declaration(Position begin);
  const Decl* trait_declaration(Position begin);
  const ImplDecl* impl_declaration(Position begin, bool templated);
  const Decl* extern_declaration(Position begin);
  void launch_clause(ExternDecl& made);
  FunctionDecl* function_declaration(Position begin, bool may_implement);
  const Decl* test_declaration(Position begin);
  const Decl* layout_declaration(Position begin);
  const Decl* plan_declaration(Position begin);
  const Decl* derive_declaration(Position begin);
  const Decl* family_declaration(Position begin);
  const Decl* recipe_declaration(Position begin);
  template <class T>
  T* declare(DeclKind kind, Position begin) {
    T* made = make_node<T>(kind, begin);
    made->is_public = begin != here();  // only `pub` can stand before the declaration's own word
    made->module = module_;
    return made;
  }
  Signature signature();
  List<const GenericParameter> generics();
  List<const Parameter> parameters(TokenKind close);
  Ceiling ceiling();
  Implements implements();
  const Block* function_body(FunctionDecl& function);
  /// Refuses a second declaration of the name in this module.
  void enter_name(Identifier name, Position declaration);
  void enter_test(Identifier name);
  void enter_impl_member(const ImplDecl& impl, const FunctionDecl& member);
  void append_spelling(const TypeExpr& type, std::string& out) const;
  void append_spelling(const Path& path, std::string& out) const;

  // ------------------------------------------------------------------------------------------- types
  const TypeExpr* type();
  const TypeExpr* borrow_type();
  const TypeExpr* function_type();
  const TypeExpr* path_type();
  const TypeExpr* type_argument();
  const TypeExpr* element_type();

  // ------------------------------------------------------------------------------------------- statements
  const Block* block(std::string_view purpose = "to open the block");
  const Stmt* statement();
  const Stmt* let_statement();
  const Stmt* unpack_statement(Position begin, bool is_mutable);
  const Stmt* if_statement();
  const Stmt* while_statement();
  const Stmt* for_statement();
  const Stmt* each_statement();
  const Stmt* match_statement();
  MatchArm match_arm();
  const Stmt* return_statement();
  const Stmt* plain_statement(StmtKind kind);
  const Stmt* defer_statement();
  const Stmt* storage_statement();
  const Stmt* parallel_statement();
  const Stmt* expression_statement(bool may_queue);
  List<const Identifier> after_clause();

  // ------------------------------------------------------------------------------------------- contracted,
  // cooperative, assembly
  [[nodiscard]] bool begins_scan() const;
  /// The contracted statement at hand when one is; `binds` tells whether a `let` binds its result.
  const Stmt* contracted(Position statement, bool binds);
  const Stmt* compact_statement();
  const Stmt* reduce_statement(Position statement, bool binds);
  const Stmt* scan_statement();
  Reducer reducer();
  /// A statement that begins with a contextual word, or null when the words at hand begin none.
  const Stmt* contextual_statement();
  [[nodiscard]] StmtKind contextual_statement_kind() const;  // Expression: none
  const Stmt* blocks_statement();
  const Stmt* shared_statement();
  const Stmt* pipeline_statement();
  const Stmt* asm_statement();
  AsmOperand asm_operand();
  List<const Expr* const> extents(std::size_t count, std::string_view before);

  // ------------------------------------------------------------------------------------------- expressions
  Expr* expression() { return binary(0); }
  Expr* binary(int above);
  Expr* prefix();
  Expr* prefix_operand();
  Expr* postfix();
  Expr* primary();
  Expr* call(Expr* callee);
  Expr* bracket(Expr* base);
  Expr* parenthesized();
  Expr* closure();
  Expr* spawn();
  Expr* character();
  List<const Expr* const> expressions(TokenKind close);
  void judge_callee(const Expr& callee) const;

  // ------------------------------------------------------------------------------------------- recipes
  /// `each NAME in`: elsewhere the word is a name.
  [[nodiscard]] bool begins_each() const {
    return is_the_word(words_.each) && next_is_word() && at_[2].kind() == TokenKind::In;
  }
  EachHead each_head();
  List<const StaticBinding> static_bindings();
  EachExpr* each_expression();
  Expr* fold_expression();
  const RequireStmt* require_statement();
  List<const RecipeItem> recipe_items();
  RecipeItem recipe_item();
  List<const RecipeField> recipe_shape();

  /// Counts one level of nesting while it lives.
  class Nested {
   public:
    explicit Nested(std::uint32_t& depth) : depth_(depth) { ++depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;
    ~Nested() { --depth_; }

   private:
    std::uint32_t& depth_;
  };

  const SourceMap& sources_;
  NameTable& names_;
  Arena& arena_;
  const Words& words_;
  const Token* at_;

  std::uint32_t file_index_;
  const SourceFile* file_;
  bool packaged_option_;
  bool packaged_ = false;
  bool in_recipe_ = false;
  Name module_;
  NamePairMap<Position> declared_;
  NamePairMap<Position> tests_;

  std::uint32_t expression_depth_ = 0;
  std::uint32_t type_depth_ = 0;
  std::uint32_t block_depth_ = 0;
  std::uint32_t else_depth_ = 0;
  std::uint32_t nodes_ = 0;

  std::vector<const Decl*> declarations_;
  std::vector<const Stmt*> statement_stack_;
  std::vector<const Expr*> expression_stack_;
  std::vector<const TypeExpr*> type_stack_;
  std::vector<Identifier> identifier_stack_;
  std::vector<Parameter> parameter_stack_;
  std::vector<MatchArm> arm_stack_;
  std::vector<EffectLabel> label_stack_;
};

}  // namespace cairn::syntax
