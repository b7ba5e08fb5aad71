# SPDX-License-Identifier: MIT
"""Python imports this module at startup in a program that `arenascope-cli attach --with cuda --record FILE` starts.

Once PyTorch has initialised CUDA, it keeps the history of its caching allocator: blocks, segments, private pools and call
stacks. At exit, the history is written to FILE.pytorch-PROCESS.pickle, in the format of torch.cuda.memory._snapshot().
"""
import atexit
import importlib.abc
import importlib.machinery
import importlib.util
import os
import pickle
import sys

ENTRIES = 1000000  # latest events that PyTorch keeps per device
_HERE = os.path.dirname(os.path.abspath(__file__))


def _warn(text):
    print(f"arenascope: PyTorch's CUDA allocator is not recorded: {text}", file=sys.stderr)


def _write(torch, path):
    """Writes the history if CUDA was used. A file that exists is complete."""
    try:
        if not torch.cuda.is_initialized():
            return
        with open(path + ".tmp", "wb") as file:
            pickle.dump(torch.cuda.memory._snapshot(), file)
        os.replace(path + ".tmp", path)
    except Exception as error:
        _warn(error)


def _begin(torch, prefix):
    def record():
        try:
            torch.cuda.memory._record_memory_history(context="alloc", stacks="python", max_entries=ENTRIES)
        except Exception as error:  # before PyTorch 2.1, or another allocator
            _warn(error)
            return
        atexit.register(_write, torch, f"{prefix}.pytorch-{os.getpid()}.pickle")

    try:
        torch.cuda._lazy_call(record)  # the history begins when CUDA is initialised
    except Exception as error:
        _warn(error)


class _AfterTorch(importlib.abc.MetaPathFinder):
    """Calls _begin() after the first `import torch`, and not when a program only searches for the module."""

    def __init__(self, prefix):
        self.prefix = prefix
        self.is_searching = False

    def find_spec(self, name, path=None, target=None):
        if name != "torch" or self.is_searching:
            return None
        self.is_searching = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.is_searching = False
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)
                    _begin(module, self.prefix)

            spec.loader.exec_module = exec_module
        return spec


def _run_following():
    """Runs the sitecustomize module that this one hides, if there is one."""
    sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


if os.environ.get("ARENASCOPE_PYTORCH_HISTORY"):
    sys.meta_path.insert(0, _AfterTorch(os.environ["ARENASCOPE_PYTORCH_HISTORY"]))
_run_following()
