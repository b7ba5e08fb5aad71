# SPDX-License-Identifier: MIT
"""Arenascope's client for Python: spans, counters and memory of a program, seen while it runs.

    arenascope-cli attach --record run.pftrace -- python train.py

In the program: ``arenascope.connect()``, ``with arenascope.span("load"):``, ``arenascope.count("loss", 0.3)``, and for
PyTorch ``with arenascope.watch(model):`` around a step. Nothing is recorded, and next to nothing spent, unless
ARENASCOPE_ATTACH says where to.
"""
from ._client import Error, connect, connected, count, disconnect, mark, span

__all__ = ["Error", "connect", "connected", "count", "disconnect", "mark", "span", "watch"]
__version__ = "0.1.0"


def watch(model=None, name=None, temporaries=False):
    """A context in which PyTorch's ops, layers and storages are recorded as one run of one graph. With `temporaries` its
    profiler runs too, and tells what kernels take and give back within themselves; memory is then told when the block ends."""
    from ._torch import Watch

    return Watch(model, name, temporaries)
