# SPDX-License-Identifier: MIT
"""Models that are run on NumPy arrays."""
from __future__ import annotations

import ctypes
import dataclasses
import os
from typing import Any, Mapping

from . import _engine, _program

_DTYPES = {"float32": "f32", "float16": "f16", "bfloat16": "bf16", "float64": "f64", "int8": "i8", "uint8": "u8",
           "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32", "int64": "i64", "uint64": "u64", "bool": "bool"}
_NUMPY_NAMES = {**{name: numpy_name for numpy_name, name in _DTYPES.items()}, "bf16": "uint16"}


@dataclasses.dataclass(frozen=True)
class Value:
    """An input or output of a model. dtype: "f32", "i64" and so on. shape: as compiled, outermost dimension first."""
    name: str
    dtype: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.name} {self.dtype} {list(self.shape)}"


class Model:
    """A model that is compiled for the CPU and runs on NumPy arrays. Only one thread at a time may use it."""

    def __init__(self, path: str | os.PathLike, inputs: Mapping[str, Any] | None = None, *, threads: int = 0,
                 planner: str = "search", order: str = "depth-first", budget_seconds: float = 1.0):
        self.path = os.fspath(path)
        self._library = _engine.library()
        self._options = _engine.RunOptions(threads, planner.encode(), order.encode(), budget_seconds)
        self._close = lambda: None
        self.nanoseconds = None
        """Duration of the last run; None: there was none."""
        self.arena_bytes = None
        """Size of the arena of the last run, in bytes; None: there was none."""
        self._given: dict[str, Any] = {}
        arrays = _host_arrays(inputs)
        self._compile(arrays)
        self._keep(arrays)

    def _keep(self, arrays):
        """Keeps copies of given inputs for later compilations: a value that is not given again stays as it was."""
        self._given.update((name, array.copy()) for name, array in arrays.items())

    def _compile(self, arrays):
        arrays = {**self._given, **arrays}
        message = _engine.Message()
        model = self._library.arenascope_model_open(os.fsencode(self.path), _arrays_of(arrays), len(arrays),
                                                    ctypes.byref(self._options), *message.arguments)
        if not model:  # the previous one can still be run
            text = str(message)
            raise _engine.Error(text if self.path in text else f"{self.path}: {text}")
        self._close()
        self._model = model
        self._close = _engine.free_later(self, self._library.arenascope_model_close, self._model)

    def _values(self, is_output) -> list[Value]:
        values: list[Value] = []
        value = _engine.Array()
        while self._library.arenascope_model_value(self._model, is_output, len(values), ctypes.byref(value)) == 0:
            values.append(Value(value.name.decode(), value.dtype.decode(), tuple(value.shape[:value.rank])))
        return values

    @property
    def inputs(self) -> list[Value]:
        """The inputs, with the shapes that the model is compiled for."""
        return self._values(0)

    @property
    def outputs(self) -> list[Value]:
        """The outputs. Before the first run, those whose shapes depend on computed values are missing."""
        return self._values(1)

    def plan(self) -> dict[str, Any]:
        """The memory plan, as `arenascope-cli plan --json` prints it; sizes in bytes."""
        return _program.json_of(["plan", self.path])

    def run(self, inputs: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Runs the model and returns its outputs by name, as arrays that own their memory.

        inputs: NumPy arrays, or objects with __dlpack__ on the CPU, by name; other inputs keep their values, or have default
        values. An input of another shape, or another value that shapes depend on, compiles the model again. The GIL is released.
        Outputs of type bf16 are uint16. Raises Error: an unknown input; another type; the run fails."""
        numpy = _engine.numpy()
        arrays = _host_arrays(inputs)
        if not self._fits(arrays):
            self._compile(arrays)
            self._check(arrays)
        message, times = _engine.Message(), _engine.RunTimes()
        for _ in range(2):
            status = self._library.arenascope_model_run(self._model, _arrays_of(arrays), len(arrays), ctypes.byref(times),
                                                        *message.arguments)
            if status != 2:
                break
            self._compile(arrays)  # shapes of the graph depend on a value that changed
        if status != 0:
            raise _engine.Error(f"{self.path}: {message}")
        self._keep(arrays)
        self.nanoseconds, self.arena_bytes = times.nanoseconds, times.arena_bytes
        return self._read_outputs(numpy)

    def _fits(self, arrays):
        values = {value.name: value for value in self.inputs}
        return all(name in values and (values[name].dtype, values[name].shape) == (_dtype_of(name, array), array.shape)
                   for name, array in arrays.items())

    def _check(self, arrays):
        values = {value.name: value for value in self.inputs}
        for name, array in arrays.items():
            if name not in values:
                raise _engine.Error(f"{self.path} has no input '{name}'; it has {', '.join(map(repr, values)) or 'none'}")
            found = Value(name, _dtype_of(name, array), array.shape)
            if found != values[name]:
                raise _engine.Error(f"{self.path}: expected input {values[name]}, found {found}")

    def _read_outputs(self, numpy):
        outputs: dict[str, Any] = {}
        while True:
            array, message = _engine.Array(), _engine.Message()
            status = self._library.arenascope_model_output(self._model, len(outputs), ctypes.byref(array), *message.arguments)
            if status == 2:  # there are no more
                return outputs
            if status != 0:
                raise _engine.Error(f"{self.path}: {message}")
            outputs[array.name.decode()] = _owned_array(numpy, self._library, array)

    def __repr__(self) -> str:
        return f"<arenascope.Model: {self.path}>"


def open(path: str | os.PathLike, inputs: Mapping[str, Any] | None = None, **options) -> Model:
    """Opens a model file (.onnx, .gguf), a folder with one, or "zoo:NAME", and compiles it for the CPU.
    inputs: arrays by name that the model is compiled for; needed by a model whose shapes depend on a value that cannot be assumed.
    threads: 0 for all cores. planner, order, budget_seconds: as of `arenascope-cli run`. Raises Error: it cannot be run."""
    return Model(path, inputs, **options)


def _dtype_of(name, array):
    dtype = _DTYPES.get(array.dtype.name)
    if dtype is None:
        raise _engine.Error(f"input '{name}': the type {array.dtype} is not supported; supported: {', '.join(_DTYPES)}")
    return dtype


def _host_arrays(inputs):
    return {name: _host_array(_engine.numpy(), name, value) for name, value in (inputs or {}).items()}


def _host_array(numpy, name, value):
    if not isinstance(value, numpy.ndarray) and hasattr(value, "__dlpack__"):
        value = numpy.from_dlpack(value)
    array = numpy.asarray(value, order="C")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.ndim > _engine.Array.MAX_RANK:
        raise _engine.Error(f"input '{name}': expected at most {_engine.Array.MAX_RANK} dimensions, found {array.ndim}")
    return array


def _arrays_of(arrays):
    out = (_engine.Array * len(arrays))()
    for described, (name, array) in zip(out, arrays.items()):
        described.name, described.dtype = name.encode(), _dtype_of(name, array).encode()
        described.rank, described.data = array.ndim, array.ctypes.data
        described.shape[:array.ndim] = array.shape
    return out


def _owned_array(numpy, library, array):
    name = array.dtype.decode()
    if name not in _NUMPY_NAMES:
        library.arenascope_bytes_free(array.owner)
        raise _engine.Error(f"output '{array.name.decode()}': NumPy has no type for {name}")
    dtype = numpy.dtype(_NUMPY_NAMES[name])
    shape = tuple(array.shape[:array.rank])
    count = 1
    for size in shape:
        count *= size
    memory = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(array.data or 0) if count else (ctypes.c_uint8 * 0)()
    _engine.free_later(memory, library.arenascope_bytes_free, array.owner)
    return numpy.frombuffer(memory, dtype, count).reshape(shape) if count else numpy.empty(shape, dtype)
