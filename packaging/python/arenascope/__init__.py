# SPDX-License-Identifier: MIT
"""Arenascope for Python: plans memory, reads recordings, runs models, and records programs.

    plan = arenascope.plan(sizes, first, last)               # offsets of buffers in one arena, on NumPy arrays
    run = arenascope.read("run.pftrace")                     # run.query("SELECT …"), run.figures
    arenascope.diff("before.pftrace", "after.pftrace")       # what grew, and why
    arenascope.open("model.onnx").run({"input": array})      # outputs as NumPy arrays
    arenascope.show("run.pftrace")                           # the report, in a notebook

A program records itself, while ``arenascope-cli attach --record run.pftrace -- python train.py`` runs it, with
``arenascope.connect()``, ``with arenascope.span("load"):``, ``arenascope.count("loss", 0.3)``, and for PyTorch
``with arenascope.watch(model):`` around a step. Recording is disabled, at negligible cost, unless the environment variable
ARENASCOPE_ATTACH is set.
"""
import importlib

from ._client import connect, connected, count, disconnect, mark, span
from ._error import Error

# Modules that are imported at their first use, so that a program that only records loads nothing else.
_LATER = {"Plan": "_plan", "plan": "_plan", "planners": "_plan", "Recording": "_recording", "Difference": "_recording",
          "read": "_recording", "diff": "_recording", "Table": "_table", "Model": "_model", "open": "_model",
          "Page": "_page", "show": "_page", "to_parquet": "_parquet"}
__all__ = ["Error", "connect", "connected", "count", "disconnect", "mark", "span", "watch",
           *(name for name in _LATER if name != "open")]  # `import *` keeps the built-in open()
__version__ = "0.1.0"


def __getattr__(name):
    if name not in _LATER:
        raise AttributeError(f"module 'arenascope' has no attribute '{name}'")
    value = getattr(importlib.import_module(f".{_LATER[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted([*globals(), *_LATER])


def watch(model=None, name=None, temporaries=False):
    """Context manager that records PyTorch's ops, layers and storages as one run of one graph. With `temporaries`, PyTorch's
    profiler also records memory that kernels allocate and free internally; memory events are then written at the end."""
    from ._torch import Watch

    return Watch(model, name, temporaries)
