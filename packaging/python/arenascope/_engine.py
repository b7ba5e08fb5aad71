# SPDX-License-Identifier: MIT
"""The library _arenascope_engine, loaded with ctypes, which releases the GIL during calls. Needs no other package."""
from __future__ import annotations

import ctypes
import importlib
import os
import signal
import threading
import weakref

from ._error import Error

_FOLDER = os.path.dirname(os.path.abspath(__file__))
_NAME = "_arenascope_engine.so"
# Next to the package or, in the wheel, with the other libraries of the programs.
_PATHS = [os.path.join(_FOLDER, _NAME), os.path.join(_FOLDER, "lib", "arenascope", "python", "arenascope", _NAME)]
_MESSAGE_BYTES = 2048
_POLL_SECONDS = 0.05  # between checks for Ctrl-C


class Buffer(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int64) for name in ("lower", "upper", "size", "alignment", "fixed_offset")]


class InPlace(ctypes.Structure):
    _fields_ = [("source", ctypes.c_int32), ("target", ctypes.c_int32)]


CANCELLED = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)


class PlannerOptions(ctypes.Structure):
    _fields_ = [("planner", ctypes.c_char_p), ("budget_seconds", ctypes.c_double), ("alignment", ctypes.c_int64),
                ("capacity", ctypes.c_int64), ("threads", ctypes.c_int), ("in_place", ctypes.POINTER(InPlace)),
                ("in_place_count", ctypes.c_size_t), ("cancelled", CANCELLED), ("user", ctypes.c_void_p)]


class PlannerResult(ctypes.Structure):
    _fields_ = [("arena_bytes", ctypes.c_int64), ("lower_bound_bytes", ctypes.c_int64), ("optimal", ctypes.c_int),
                ("seconds", ctypes.c_double)]


class Array(ctypes.Structure):
    MAX_RANK = 16
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_char_p), ("rank", ctypes.c_int64),
                ("shape", ctypes.c_int64 * MAX_RANK), ("data", ctypes.c_void_p), ("owner", ctypes.c_void_p)]


class RunOptions(ctypes.Structure):
    _fields_ = [("threads", ctypes.c_int), ("planner", ctypes.c_char_p), ("order", ctypes.c_char_p),
                ("budget_seconds", ctypes.c_double)]


class RunTimes(ctypes.Structure):
    _fields_ = [("nanoseconds", ctypes.c_int64), ("arena_bytes", ctypes.c_int64)]


class ArrowSchema(ctypes.Structure):
    pass


ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64), ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.c_void_p), ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowSchema))),
    ("private_data", ctypes.c_void_p)]


class ArrowArray(ctypes.Structure):
    pass


ArrowArray._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64), ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))), ("dictionary", ctypes.c_void_p),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArray))), ("private_data", ctypes.c_void_p)]


def _declare(library):
    pointer, text, size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t
    message = [ctypes.c_char_p, ctypes.c_size_t]
    arrays = [ctypes.POINTER(Array), size]
    functions = {
        "arenascope_plan": (ctypes.c_int, [ctypes.POINTER(Buffer), size, ctypes.POINTER(PlannerOptions),
                                           ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(PlannerResult), *message]),
        "arenascope_planner_name": (text, [size]),
        "arenascope_tables_open": (pointer, [text, text, size, *message]),
        "arenascope_tables_close": (None, [pointer]),
        "arenascope_tables_name": (text, [pointer, size]),
        "arenascope_tables_query": (pointer, [pointer, text, *message]),
        "arenascope_tables_stop": (None, [pointer]),
        "arenascope_batch_rows": (ctypes.c_int64, [pointer]),
        "arenascope_batch_export": (ctypes.c_int, [pointer, ctypes.POINTER(ArrowSchema), ctypes.POINTER(ArrowArray)]),
        "arenascope_batch_free": (None, [pointer]),
        "arenascope_model_open": (pointer, [text, *arrays, ctypes.POINTER(RunOptions), *message]),
        "arenascope_model_close": (None, [pointer]),
        "arenascope_model_value": (ctypes.c_int, [pointer, ctypes.c_int, size, ctypes.POINTER(Array)]),
        "arenascope_model_run": (ctypes.c_int, [pointer, *arrays, ctypes.POINTER(RunTimes), *message]),
        "arenascope_model_output": (ctypes.c_int, [pointer, size, ctypes.POINTER(Array), *message]),
        "arenascope_bytes_free": (None, [pointer]),
    }
    for name, (result, arguments) in functions.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_library = None


def library():
    """The library. Raises Error if this package was installed without it."""
    global _library
    if _library is None:
        path = next((path for path in _PATHS if os.path.exists(path)), None)
        if path is None:
            raise Error(f"{_NAME} is not installed: this package was built without the programs and only records")
        _library = _declare(ctypes.CDLL(path))
    return _library


class Message:
    """The message that a call writes when it fails."""

    def __init__(self):
        self._text = ctypes.create_string_buffer(_MESSAGE_BYTES)
        self.arguments = (self._text, ctypes.c_size_t(_MESSAGE_BYTES))

    def __str__(self):
        return self._text.value.decode("utf-8", "replace")


def call(function, *arguments, interrupt):
    """The result of a function of the library, which runs on another thread, so that this one handles Ctrl-C. interrupt() is
    then called, repeatedly, because the function may not have begun; it makes the function return. The second result is whether
    that happened. No Ctrl-C ends this function while the other thread still uses the arguments."""
    done, results, problems, interrupts = threading.Event(), [], [], []

    def work():
        try:
            results.append(function(*arguments))
        except BaseException as problem:
            problems.append(problem)
        finally:
            done.set()

    previous = signal.getsignal(signal.SIGINT)
    handles = callable(previous) and threading.current_thread() is threading.main_thread()
    if handles:
        signal.signal(signal.SIGINT, lambda *_: interrupts.append(True))
    try:
        threading.Thread(target=work).start()
        while not done.wait(_POLL_SECONDS):
            if interrupts:
                interrupt()
    finally:
        if handles:
            signal.signal(signal.SIGINT, previous)
    if problems:
        raise problems[0]
    return results[0], bool(interrupts)


def package(name, purpose):
    """The module of another package. Raises Error if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Error(f"{name}, which {purpose}, is not installed: pip install {name.partition('.')[0]}") from None


def numpy():
    """The module numpy. Raises Error if it is not installed."""
    return package("numpy", "holds the arrays")


def free_later(owner, free, *arguments):
    """Calls free(*arguments) when `owner` is collected, and not at exit, when arrays may still be read."""
    finalizer = weakref.finalize(owner, free, *arguments)
    finalizer.atexit = False
    return finalizer
