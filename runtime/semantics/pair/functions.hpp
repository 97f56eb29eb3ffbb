// Every function of pair floats (pair floats, 5).
#pragma once

#include "runtime/semantics/pair/errors.hpp"
#include "runtime/semantics/pair/hyperbolic.hpp"
#include "runtime/semantics/pair/trigonometry.hpp"
