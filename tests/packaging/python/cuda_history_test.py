# SPDX-License-Identifier: MIT
"""`attach --with cuda --record` over a stand-in for PyTorch: the allocator's history is kept from the initialisation of CUDA on
and written next to the recording; a sitecustomize module of the user still runs. cuda_history_test.py CLI FOLDER"""
import json
import os
import pickle
import shutil
import subprocess
import sys

TORCH = '''
from . import cuda
'''
CUDA = '''
from . import memory
_calls, _ready = [], False
def _lazy_call(call):
    call() if _ready else _calls.append(call)
def is_initialized():
    return _ready
def init():
    global _ready
    _ready = True
    for call in _calls:
        call()
'''
MEMORY = '''
history = None
def _record_memory_history(enabled="all", context="all", stacks="all", max_entries=0):
    global history
    history = [enabled, context, stacks, max_entries > 1000]
def _snapshot():
    return {"segments": [], "device_traces": [[]], "history": history}
'''
OLD_MEMORY = '''
def _record_memory_history(enabled):
    pass
'''


def attach(cli, folder, program, package="torch_package"):
    path = os.pathsep.join([os.path.join(folder, package), os.path.join(folder, "user")])
    done = subprocess.run([cli, "attach", "--json", "--with", "cuda", "--record", os.path.join(folder, "run.pftrace"), "--",
                           sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": path}, capture_output=True,
                          text=True)
    assert "user's startup" in done.stderr, done
    return json.loads(done.stdout).get("pytorch_histories", []), done.stderr


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def main():
    cli, folder = sys.argv[1], sys.argv[2]
    if "'cuda' not found" in subprocess.run([cli, "attach", "--with", "cuda", "--", "true"], capture_output=True,
                                            text=True).stderr:
        print("skipped: the CUDA adapter is not built")
        sys.exit(77)
    shutil.rmtree(folder, ignore_errors=True)
    write(folder, "torch_package/torch/__init__.py", TORCH)
    write(folder, "torch_package/torch/cuda/__init__.py", CUDA)
    write(folder, "torch_package/torch/cuda/memory.py", MEMORY)
    shutil.copytree(os.path.join(folder, "torch_package"), os.path.join(folder, "old_package"))
    write(folder, "old_package/torch/cuda/memory.py", OLD_MEMORY)
    write(folder, "user/sitecustomize.py", 'import sys\nprint("user\'s startup", file=sys.stderr)\n')

    none, _ = attach(cli, folder, "print('no PyTorch')")
    assert none == [], none
    idle, _ = attach(cli, folder, "import torch")
    assert idle == [], idle  # CUDA was not used
    used, _ = attach(cli, folder, "import torch; torch.cuda.init()")
    assert len(used) == 1 and used[0].startswith(os.path.join(folder, "run.pftrace.pytorch-")), used
    with open(used[0], "rb") as file:
        assert pickle.load(file)["history"] == ["all", "alloc", "python", True]
    probed, _ = attach(cli, folder, "import importlib.util as u; u.find_spec('torch'); import torch; torch.cuda.init()")
    assert len(probed) == 1, probed  # the search for the module is no import
    old, said = attach(cli, folder, "import torch; torch.cuda.init()", "old_package")
    assert old == [] and "PyTorch's CUDA allocator is not recorded" in said, (old, said)


main()
