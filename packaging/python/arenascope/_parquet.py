# SPDX-License-Identifier: MIT
"""Recordings as Parquet files for DuckDB, Spark and others."""
from __future__ import annotations

import os
from typing import Iterable

from . import _engine
from ._error import Error
from ._recording import read


def _names(files):
    """The names of the partitions: paths below the common folder, without their extension."""
    paths = [os.path.abspath(file) for file in files]
    common = os.path.commonpath([os.path.dirname(path) for path in paths])
    names = [os.path.splitext(os.path.relpath(path, common))[0].replace(os.sep, "_") for path in paths]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise Error(f"{files[i]}: the partition '{name}' is that of {files[names.index(name)]} as well")
    return names


def to_parquet(files: Iterable[str | os.PathLike], folder: str | os.PathLike) -> list[str]:
    """Writes every table of every recording to FOLDER/TABLE/recording=NAME/part-0.parquet and returns the names.

    A table has the same columns and types in all files, even if it has no rows; see the reference of tables. NAME is the path
    of the recording below the folder that all have in common, with _ for /. Files of an earlier conversion are replaced. Needs
    pyarrow. Raises Error: a recording cannot be read; two have the same name."""
    parquet = _engine.package("pyarrow.parquet", "writes Parquet")
    files = [os.fspath(file) for file in files]
    if not files:
        return []
    names = _names(files)
    for file, name in zip(files, names):
        recording = read(file)
        for table in recording.tables:
            partition = os.path.join(folder, table, f"recording={name}")
            os.makedirs(partition, exist_ok=True)
            target = os.path.join(partition, "part-0.parquet")
            parquet.write_table(recording.table(table).to_arrow(), target + ".tmp", compression="zstd")
            os.replace(target + ".tmp", target)
    return names
