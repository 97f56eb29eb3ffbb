// Pair floats in kernels (pair floats, 7): the one set of templates, called with records where they lie.
#pragma once

#include "cuda/kernel/guards.hpp"
#include "runtime/semantics/pair/arrays.hpp"
#include "runtime/semantics/pair/constants.hpp"
#include "runtime/semantics/pair/conversions.hpp"
#include "runtime/semantics/pair/functions.hpp"
#include "runtime/semantics/pair/remainders.hpp"

namespace cairn::kernel {

namespace pair = semantics::pair;

template <class Record>
__forceinline__ Record record(const unsigned char* at) {
  return *reinterpret_cast<const Record*>(at);
}
/// Every operand has been read: the result may lie where one of them does.
template <class Record>
__forceinline__ void keep_record(unsigned char* at, const Record& value) {
  *reinterpret_cast<Record*>(at) = value;
}
template <class Element>
__forceinline__ const Element* elements(const unsigned char* at) {
  return reinterpret_cast<const Element*>(at);
}

}  // namespace cairn::kernel
