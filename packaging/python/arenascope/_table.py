# SPDX-License-Identifier: MIT
"""The result of a query as Arrow columns."""
from __future__ import annotations

import ctypes
import html
from typing import Any

from . import _engine

_SHOWN_ROWS = 20
_python = ctypes.pythonapi
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_python.PyCapsule_GetPointer.restype = ctypes.c_void_p
_python.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
_exported: dict[int, Any] = {}  # structures in capsules, by address


def _destructor(name, structure):
    @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    def destroy(capsule):
        address = _python.PyCapsule_GetPointer(capsule, name)
        exported = structure.from_address(address)
        if exported.release:
            exported.release(ctypes.byref(exported))
        _exported.pop(address, None)

    return destroy


_DESTROY = {b"arrow_schema": _destructor(b"arrow_schema", _engine.ArrowSchema),
            b"arrow_array": _destructor(b"arrow_array", _engine.ArrowArray)}


def _capsule(structure, name):
    address = ctypes.addressof(structure)
    _exported[address] = structure
    return _python.PyCapsule_New(address, name, ctypes.cast(_DESTROY[name], ctypes.c_void_p))


class Table:
    """Rows of a query. Integers are int64, reals float64, texts strings; a missing value is None.

    Implements the Arrow PyCapsule interface, so that ``pyarrow.record_batch(table)`` and ``polars.DataFrame(table)`` read the
    columns without a copy. DuckDB reads to_arrow()."""

    def __init__(self, batch: int):
        self._library = _engine.library()
        self._batch = batch
        self._schema, self._array = self._export()
        finish = [self._library.arenascope_batch_free, batch, self._schema, self._array]
        _engine.free_later(self, _release, *finish)

    def _export(self):
        schema, array = _engine.ArrowSchema(), _engine.ArrowArray()
        if self._library.arenascope_batch_export(self._batch, ctypes.byref(schema), ctypes.byref(array)) != 0:
            raise _engine.Error("table: out of memory for the descriptions of its columns")
        return schema, array

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        children = range(self._schema.n_children)
        return [self._schema.children[i].contents.name.decode("utf-8", "replace") for i in children]

    def __len__(self) -> int:
        return self._array.length

    def _index(self, column: str | int) -> int:
        if isinstance(column, int):
            return range(self._schema.n_children)[column]
        names = self.columns
        if column not in names:
            raise KeyError(f"no column '{column}'; the columns are {', '.join(names)}")
        return names.index(column)

    def _parts(self, column: str | int):
        """Format, array and validity bitmap (None: no missing values) of a column."""
        index = self._index(column)
        array = self._array.children[index].contents
        valid = None
        if array.null_count:
            valid = (ctypes.c_uint8 * ((array.length + 7) // 8)).from_address(array.buffers[0])
        return self._schema.children[index].contents.format, array, valid

    def values(self, column: str | int) -> list:
        """The values of a column, by name or index. Raises KeyError: no such column."""
        return self._values(column, len(self))

    def _values(self, column, rows):
        """The first values of a column."""
        form, array, valid = self._parts(column)
        if form == b"U":
            ends = (ctypes.c_int64 * (rows + 1)).from_address(array.buffers[1])
            data = ctypes.string_at(array.buffers[2], ends[rows]) if ends[rows] else b""
            out = [data[ends[i]:ends[i + 1]].decode("utf-8", "replace") for i in range(rows)]
        else:
            kind = ctypes.c_int64 if form == b"l" else ctypes.c_double
            out = list((kind * rows).from_address(array.buffers[1])) if rows else []
        if valid is not None:
            return [value if valid[i >> 3] >> (i & 7) & 1 else None for i, value in enumerate(out)]
        return out

    def __getitem__(self, column: str):
        return self.to_numpy(column)

    def to_numpy(self, column: str | int):
        """A column as an array of shape [rows]. Numbers without missing values are not copied, and the array is read-only;
        otherwise missing numbers are NaN, in float64. Texts are objects. Needs NumPy. Raises KeyError: no such column."""
        numpy = _engine.numpy()
        form, array, valid = self._parts(column)
        if form == b"U":
            return numpy.array(self.values(column), dtype=object)
        if not array.length:
            return numpy.empty(0, numpy.int64 if form == b"l" else numpy.float64)
        kind = ctypes.c_int64 if form == b"l" else ctypes.c_double
        numbers = (kind * array.length).from_address(array.buffers[1])
        numbers._table = self  # keeps the memory
        view = numpy.ctypeslib.as_array(numbers)
        if valid is None:
            view.flags.writeable = False
            return view
        there = numpy.unpackbits(numpy.ctypeslib.as_array(valid), bitorder="little")[:array.length].astype(bool)
        return numpy.where(there, view, numpy.nan)

    def rows(self) -> list[tuple]:
        """All rows as tuples."""
        columns = [self.values(i) for i in range(self._schema.n_children)]
        return list(zip(*columns)) if columns else []

    def to_arrow(self):
        """A pyarrow.Table, without a copy. Needs pyarrow."""
        pyarrow = _engine.package("pyarrow", "holds the table")
        schema, array = self._export()
        batch = pyarrow.RecordBatch._import_from_c(ctypes.addressof(array), ctypes.addressof(schema))
        return pyarrow.Table.from_batches([batch])

    def to_pandas(self):
        """A pandas.DataFrame. Needs pandas and NumPy."""
        pandas = _engine.package("pandas", "holds the table")
        frame = pandas.DataFrame({i: self.to_numpy(i) for i in range(self._schema.n_children)})
        frame.columns = self.columns  # two may have one name
        return frame

    def __arrow_c_schema__(self):
        return _capsule(self._export_kept()[0], b"arrow_schema")

    def __arrow_c_array__(self, requested_schema=None):
        schema, array = self._export()
        return _capsule(schema, b"arrow_schema"), _capsule(array, b"arrow_array")

    def _export_kept(self):
        schema, array = self._export()
        array.release(ctypes.byref(array))
        return schema, array

    def __repr__(self) -> str:
        return f"<arenascope.Table: {len(self)} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        def cells(values, tag):
            return "".join(f"<{tag}>{html.escape('' if v is None else str(v))}</{tag}>" for v in values)

        columns = [self._values(i, min(len(self), _SHOWN_ROWS)) for i in range(self._schema.n_children)]
        body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in zip(*columns))
        more = f"<p>{len(self)} rows</p>" if len(self) > _SHOWN_ROWS else ""
        return f"<table><thead><tr>{cells(self.columns, 'th')}</tr></thead><tbody>{body}</tbody></table>{more}"


def _release(free, batch, schema, array):
    for exported in (array, schema):
        if exported.release:
            exported.release(ctypes.byref(exported))
    free(batch)
