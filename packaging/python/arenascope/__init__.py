# SPDX-License-Identifier: MIT
"""Arenascope's client for Python: records spans, counters and memory of a program while it runs.

    arenascope-cli attach --record run.pftrace -- python train.py

In the program: ``arenascope.connect()``, ``with arenascope.span("load"):``, ``arenascope.count("loss", 0.3)``, and for
PyTorch ``with arenascope.watch(model):`` around a step. Recording is disabled, at negligible cost, unless the environment
variable ARENASCOPE_ATTACH is set.
"""
from ._client import Error, connect, connected, count, disconnect, mark, span

__all__ = ["Error", "connect", "connected", "count", "disconnect", "mark", "span", "watch"]
__version__ = "0.1.0"


def watch(model=None, name=None, temporaries=False):
    """Context manager that records PyTorch's ops, layers and storages as one run of one graph. With `temporaries`, PyTorch's
    profiler also records memory that kernels allocate and free internally; memory events are then written at the end."""
    from ._torch import Watch

    return Watch(model, name, temporaries)
