#!/usr/bin/env python3
"""A program over NumPy arrays without a copy, through ctypes: arrays.py LIBCAIRN. Needs NumPy."""
import ctypes, sys

import numpy

PROGRAM = b"""
fn saxpy(n:usize, y:rw<f32>[n], x:ro<f32>[n], a:f32) { parallel i in n { y[i] = a * x[i] + y[i]; } }
fn total(n:usize, x:ro<f64>[n]) -> f64 { let t = reduce + parallel i in n yield x[i]; return t; }
"""
U64, F32, F64, VIEW = 5, 10, 11, 18


class Memory(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("count", ctypes.c_size_t)]


class As(ctypes.Union):
    _fields_ = [("u64", ctypes.c_uint64), ("i64", ctypes.c_int64), ("f32", ctypes.c_float), ("f64", ctypes.c_double), ("memory", Memory)]


class Value(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("element", ctypes.c_int), ("of", As)]


def view(array):
    assert array.flags.c_contiguous
    return Value(VIEW, {"f4": F32, "f8": F64}[array.dtype.str[1:]], As(memory=Memory(array.ctypes.data, array.size)))


def number(value):
    return Value(F32, 0, As(f32=value))


cairn = ctypes.CDLL(sys.argv[1])
for name in ("cairn_vm_new", "cairn_load_source", "cairn_find"):
    getattr(cairn, name).restype = ctypes.c_void_p
machine = ctypes.c_void_p(cairn.cairn_vm_new(None))
module = ctypes.c_void_p(cairn.cairn_load_source(machine, b"arrays.cairn", PROGRAM, ctypes.c_size_t(len(PROGRAM)), None))


def call(name, *arguments):
    result = Value()
    values = (Value * len(arguments))(*arguments)
    status = cairn.cairn_call(ctypes.c_void_p(cairn.cairn_find(module, name)), values, ctypes.c_size_t(len(arguments)), ctypes.byref(result), None)
    assert status == 0, status
    return result.of


x = numpy.arange(100_000, dtype=numpy.float32)
y = numpy.ones_like(x)
call(b"saxpy", view(y), view(x), number(0.5))
print("saxpy agrees:", bool((y == 0.5 * x + 1).all()))
tenths = numpy.full(1_000_000, 0.1)
print("exact total of a million tenths:", repr(call(b"total", view(tenths)).f64))
cairn.cairn_vm_free(machine)
