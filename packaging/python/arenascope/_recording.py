# SPDX-License-Identifier: MIT
"""Recordings, traces and plans as tables, metrics and differences."""
from __future__ import annotations

import os
import threading
from typing import Any

from . import _engine, _program
from ._table import Table


class Recording:
    """The tables of a recording, trace, snapshot, model (graph and plan) or CSV of buffers."""

    def __init__(self, path: str | os.PathLike):
        self.path = os.fspath(path)
        self._library = _engine.library()
        problem, message = _engine.Message(), _engine.Message()
        self._tables = self._library.arenascope_tables_open(os.fsencode(self.path), *problem.arguments, *message.arguments)
        if not self._tables:
            raise _engine.Error(str(message))
        _engine.free_later(self, self._library.arenascope_tables_close, self._tables)
        self._lock = threading.Lock()
        self._figures: dict[str, Any] | None = None
        self.problem = str(problem)
        """The reason for rows that are missing from the tables; empty: none are."""

    @property
    def tables(self) -> list[str]:
        """Names of the tables."""
        names: list[str] = []
        while (name := self._library.arenascope_tables_name(self._tables, len(names))) is not None:
            names.append(name.decode())
        return names

    def query(self, sql: str) -> Table:
        """The rows of one SELECT statement in the dialect of SQLite. Times are nanoseconds, sizes bytes. Ctrl-C stops the query.
        Raises Error if the statement is wrong, or if it would change or attach something."""
        message = _engine.Message()
        with self._lock:
            batch, interrupted = _engine.call(
                self._library.arenascope_tables_query, self._tables, sql.encode(), *message.arguments,
                interrupt=lambda: self._library.arenascope_tables_stop(self._tables))
        if interrupted:
            if batch:
                self._library.arenascope_batch_free(batch)
            raise KeyboardInterrupt
        if not batch:
            raise _engine.Error(f"query: {message}")
        return Table(batch)

    def table(self, name: str) -> Table:
        """All rows of one of `tables`."""
        if name not in self.tables:
            raise _engine.Error(f"no table '{name}'; the tables are {', '.join(self.tables)}")
        return self.query(f"SELECT * FROM {name}")

    @property
    def figures(self) -> dict[str, Any]:
        """Metrics that are recomputed from the recorded events, as `arenascope-cli audit --json` prints them: runs, nodes,
        peak_bytes and others, in bytes and nanoseconds. Raises Error if the file is not a recording."""
        if self._figures is None:
            self._figures = _program.json_of(["audit", self.path])
        return self._figures

    def __repr__(self) -> str:
        return f"<arenascope.Recording: {self.path}>"


class Difference(dict):
    """The growth between two files, as `arenascope-cli diff --json` prints it: "metrics", each with "a", "b", its unit and the
    contributions of tensors, call sites and nodes."""

    @property
    def changed(self) -> bool:
        return self["changed"]

    @property
    def exceeded(self) -> bool:
        """A limit of `fail_on` is exceeded."""
        return self["exceeded"]

    def metric(self, name: str) -> dict[str, Any]:
        """One metric: "peak", "reserved", "arena", "node-time" or "run-time". Raises KeyError if neither file has it."""
        for metric in self["metrics"]:
            if metric["name"] == name:
                return metric
        raise KeyError(name)


def read(path: str | os.PathLike) -> Recording:
    """Opens a recording, trace, snapshot, model or CSV of buffers as tables. Raises Error if it cannot be read."""
    return Recording(path)


def diff(a, b, fail_on: str | None = None) -> Difference:
    """Compares two files or recordings; `a` is the baseline. fail_on: limits of growth, such as "peak+2%,arena+0".
    Raises Error if a file cannot be read or a limit is malformed."""
    limits = [] if fail_on is None else ["--fail-on", fail_on]
    return Difference(_program.json_of(["diff", "--all", *limits, path_of(a), path_of(b)]))


def path_of(file) -> str:
    return os.fspath(getattr(file, "path", file))
