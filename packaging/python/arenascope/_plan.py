# SPDX-License-Identifier: MIT
"""Memory plans of buffers with known lifetimes."""
from __future__ import annotations

import ctypes
import dataclasses
import threading
from typing import Any, Callable, Iterable

from . import _engine

_FIELDS = ("lower", "upper", "size", "alignment", "fixed_offset")


@dataclasses.dataclass(frozen=True)
class Plan:
    """Offsets of buffers in one arena.

    offsets: int64 array of shape [buffers], in bytes. arena_bytes, lower_bound_bytes: size of the arena, and the largest sum of
    live bytes. optimal: no smaller plan exists. seconds: duration of planning. interrupted: planning ended before its budget, by
    Ctrl-C or `cancelled`; the plan is the best one found until then."""
    offsets: Any
    arena_bytes: int
    lower_bound_bytes: int
    optimal: bool
    seconds: float
    interrupted: bool = False

    @property
    def ratio(self) -> float:
        """arena_bytes / lower_bound_bytes; 1 for an empty plan."""
        return self.arena_bytes / self.lower_bound_bytes if self.lower_bound_bytes else 1.0


def planners() -> list[str]:
    """Names of the planners."""
    names: list[str] = []
    while (name := _engine.library().arenascope_planner_name(len(names))) is not None:
        names.append(name.decode())
    return names


def _buffers(numpy, sizes, first, last, alignment, fixed_offsets):
    sizes = numpy.asarray(sizes)
    buffers = numpy.empty(sizes.shape, numpy.dtype([(name, numpy.int64) for name in _FIELDS]))
    given = {"lower": first, "upper": last, "size": sizes, "alignment": 0 if alignment is None else alignment,
             "fixed_offset": -1 if fixed_offsets is None else fixed_offsets}
    if sizes.ndim != 1:
        raise _engine.Error(f"sizes: expected an array of shape [buffers], found shape {list(sizes.shape)}")
    for name, values in given.items():
        values = numpy.asarray(values)
        if values.ndim > 0 and values.shape != sizes.shape:
            raise _engine.Error(f"{name}: expected {len(sizes)} values as in sizes, found shape {list(values.shape)}")
        if values.size and values.dtype.kind not in "iu":
            raise _engine.Error(f"{name}: expected integers, found {values.dtype}")
        buffers[name] = values
    return buffers


class _Options:
    """The options of a call, and the memory to which they point."""

    def __init__(self, planner, budget_seconds, alignment, capacity, threads, in_place, cancelled):
        pairs = [_engine.InPlace(source, target) for source, target in in_place]
        self.pairs = (_engine.InPlace * len(pairs))(*pairs)
        self.cancelled = _engine.CANCELLED(cancelled)
        self.options = _engine.PlannerOptions(planner.encode(), budget_seconds, alignment, capacity, threads, self.pairs,
                                              len(pairs), self.cancelled, None)


def plan(sizes, first, last, *, planner: str = "search", budget_seconds: float = 1.0, alignment: int = 64, alignments=None,
         fixed_offsets=None, in_place: Iterable[tuple[int, int]] = (), capacity: int = 0, threads: int = 1,
         cancelled: Callable[[], bool] | None = None) -> Plan:
    """Places buffers with known lifetimes in one arena, so that no two that are live at the same step share a byte.

    sizes, first, last: integer arrays of shape [buffers]. A buffer has sizes[i] bytes during the steps [first[i], last[i]).
    planner: one of planners(). budget_seconds: time limit of a planner that searches. alignment: of all offsets, in bytes;
    alignments: the same for each buffer, 0 for `alignment`. fixed_offsets: offsets of buffers that must not move, -1 for the
    others. in_place: pairs (source, target) of indices; `target` may reuse the bytes of `source` at the same offset. capacity: the
    search stops when the plan fits into so many bytes; 0: none. threads: of the search. cancelled: called every few milliseconds
    from another thread; True ends the search, and an exception ends it and is raised here.

    The GIL is released. Ctrl-C ends the search and returns the best plan so far, with `interrupted` set. Needs NumPy.
    Raises Error for arrays of different shapes, an empty lifetime, a negative size or an unknown planner."""
    numpy = _engine.numpy()
    library = _engine.library()
    buffers = _buffers(numpy, sizes, first, last, alignments, fixed_offsets)
    stop, problems = threading.Event(), []

    def is_cancelled(_):
        try:
            if cancelled is not None and not stop.is_set() and cancelled():
                stop.set()
        except BaseException as problem:  # raised again below
            problems.append(problem)
            stop.set()
        return int(stop.is_set())

    options = _Options(planner, budget_seconds, alignment, capacity, threads, in_place, is_cancelled)
    offsets = numpy.empty(len(buffers), numpy.int64)
    result, message = _engine.PlannerResult(), _engine.Message()
    failed, _ = _engine.call(
        library.arenascope_plan, buffers.ctypes.data_as(ctypes.POINTER(_engine.Buffer)), len(buffers),
        ctypes.byref(options.options), offsets.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)), ctypes.byref(result),
        *message.arguments, interrupt=stop.set)
    if problems:
        raise problems[0]
    if failed:
        raise _engine.Error(str(message))
    return Plan(offsets, result.arena_bytes, result.lower_bound_bytes, bool(result.optimal), result.seconds, stop.is_set())
