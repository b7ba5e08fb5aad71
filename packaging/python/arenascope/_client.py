# SPDX-License-Identifier: MIT
"""ctypes bindings of the client library."""
import contextlib
import ctypes
import glob
import os
import sys

from ._error import Error

NONE = 0xFFFFFFFF
DEFAULT, PERSISTENT, WORKSPACE = 0, 1, 2
WORKER, DEVICE_QUEUE, COPY_ENGINE, OTHER = 0, 1, 2, 3
WORK, ALLOC, FREE, STEP, SPAN, SLICE_LIVE, SLICE_DEAD, OWNER = 1, 3, 4, 11, 16, 17, 18, 22


class Tensor(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p), ("op", ctypes.c_char_p), ("layer", ctypes.c_char_p), ("dtype", ctypes.c_char_p),
        ("backend", ctypes.c_char_p), ("parameters", ctypes.c_char_p), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("dimensions", ctypes.c_uint32), ("sources", ctypes.c_uint32), ("source", ctypes.POINTER(ctypes.c_uint32)),
        ("bytes", ctypes.c_int64), ("flops", ctypes.c_int64), ("is_view", ctypes.c_int),
        ("view_source", ctypes.c_uint32), ("view_offset", ctypes.c_int64), ("flags", ctypes.c_uint32),
    ]


def _load():
    told = os.environ.get("ARENASCOPE_PYTHON_CLIENT")
    here = os.path.dirname(os.path.abspath(__file__))
    found = [told] if told else sorted(glob.glob(os.path.join(here, "_arenascope_client*.so")))
    if not found:
        raise ImportError(f"client library not found: _arenascope_client*.so in {here}")
    library = ctypes.CDLL(found[0])
    text, u32, i64, size = ctypes.c_char_p, ctypes.c_uint32, ctypes.c_int64, ctypes.c_size_t
    integer, pointer, tensors = ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Tensor)
    forms = {
        "connect": (integer, [text]), "disconnect": (None, []), "connected": (integer, []), "error": (text, []),
        "now": (i64, []), "name": (u32, [text]), "device": (u32, [text, text, i64, integer]),
        "space": (u32, [text, integer, u32]), "counter": (u32, [text, text]),
        "graph": (u32, [text, tensors, size, tensors, size]), "run_begin": (u32, [u32, integer, text, i64]),
        "run_end": (None, [u32, integer, i64]), "problem": (None, [text]), "count": (None, [u32, ctypes.c_double]),
        "track": (pointer, [text, integer, u32]), "write": (None, [pointer, i64, i64, i64, u32, u32, u32]),
        "write_all": (None, [pointer, size]),
    }
    for name, (result, arguments) in forms.items():
        function = getattr(library, "py_" + name)
        function.restype, function.argtypes = result, arguments
        setattr(library, name, function)
    return library


library = _load()
_counters = {}
_depth = 0


def connect(program=None):
    """Connects to the address in ARENASCOPE_ATTACH. Returns False if it is not set; raises Error if connecting fails."""
    if program is None:
        program = os.path.basename(sys.argv[0]) or "python"
    result = library.connect(program.encode())
    if result < 0:
        raise Error(library.error().decode(errors="replace"))
    return result == 0


def connected():
    """True while events are recorded."""
    return library.connected() != 0


def disconnect():
    """Sends the remaining events and disconnects; also done at exit."""
    library.disconnect()


def write_all(events):
    """Writes events of the calling thread: an array of four integers per event, the last one holding id and kind."""
    address, count = events.buffer_info()
    library.write_all(address, count // 4)


@contextlib.contextmanager
def span(name):
    """Context manager: a span of the calling thread around the block."""
    global _depth
    if not connected():
        yield
        return
    begin, depth = library.now(), _depth
    _depth += 1
    try:
        yield
    finally:
        _depth = depth
        library.write(None, begin, library.now(), depth, library.name(name.encode()), SPAN, 0)


def mark(name):
    """Records a named instant."""
    if connected():
        now = library.now()
        library.write(None, now, now, 0, library.name(name.encode()), SPAN, 0)


def count(name, value, unit=""):
    """Sets the value of a counter."""
    if not connected():
        return
    if name not in _counters:
        _counters[name] = library.counter(name.encode(), unit.encode())
    library.count(_counters[name], float(value))
