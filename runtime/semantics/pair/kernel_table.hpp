// The kernels' rows as data: for counts, for the printed listing, and for whatever writes machine or device code.
#pragma once

#include "runtime/semantics/base.hpp"

namespace cairn::semantics::pair {

enum class RowOperation : U8 { Add, Sub, Mul, Div, Fma, Sqrt };

/// One rounded operation. An operand is a parameter's name, an earlier row's, "1", "1/2" or "3/4", each perhaps after a
/// "-"; null where the operation has fewer.
struct KernelRow {
  const char* result;
  RowOperation operation;
  const char* operands[3];
};

struct KernelInfo {
  const char* name;
  const char* parameters;  // "xh xl", "xh xl c", "xh xl yh yl" or "xh xl yh yl zh zl"
  const char* high;
  const char* low;
  const char* lead;
  const KernelRow* rows;
  unsigned count;
};

namespace kernel_rows {

#define NEG(a) -a
#define ONE 1
#define HALF 1 / 2
#define THREE_QUARTERS 3 / 4
#define CAIRN_ROW_TEXT(a) #a
#define ADD(r, a, b) {#r, RowOperation::Add, {CAIRN_ROW_TEXT(a), CAIRN_ROW_TEXT(b), nullptr}},
#define SUB(r, a, b) {#r, RowOperation::Sub, {CAIRN_ROW_TEXT(a), CAIRN_ROW_TEXT(b), nullptr}},
#define MUL(r, a, b) {#r, RowOperation::Mul, {CAIRN_ROW_TEXT(a), CAIRN_ROW_TEXT(b), nullptr}},
#define DIV(r, a, b) {#r, RowOperation::Div, {CAIRN_ROW_TEXT(a), CAIRN_ROW_TEXT(b), nullptr}},
#define FMA(r, a, b, c) {#r, RowOperation::Fma, {CAIRN_ROW_TEXT(a), CAIRN_ROW_TEXT(b), CAIRN_ROW_TEXT(c)}},
#define SQRT(r, a) {#r, RowOperation::Sqrt, {CAIRN_ROW_TEXT(a), nullptr, nullptr}},
#define KERNEL(name, parameters, high, low, lead, ...) inline constexpr KernelRow name[] = {__VA_ARGS__};
#include "runtime/semantics/pair/pair_kernels.def"

}  // namespace kernel_rows

#define PAIR "xh xl"
#define PAIR_LIMB "xh xl c"
#define PAIR_PAIR "xh xl yh yl"
#define PAIR_PAIR_PAIR "xh xl yh yl zh zl"
#define KERNEL(name, parameters, high, low, lead, ...) \
  {#name, parameters, #high, #low, #lead, kernel_rows::name, sizeof(kernel_rows::name) / sizeof(KernelRow)},
/// Every kernel, in the chapter's order.
inline constexpr KernelInfo kKernels[] = {
#include "runtime/semantics/pair/pair_kernels.def"
};
#undef PAIR
#undef PAIR_LIMB
#undef PAIR_PAIR
#undef PAIR_PAIR_PAIR
#undef NEG
#undef ONE
#undef HALF
#undef THREE_QUARTERS
#undef CAIRN_ROW_TEXT
#undef ADD
#undef SUB
#undef MUL
#undef DIV
#undef FMA
#undef SQRT

}  // namespace cairn::semantics::pair
