# SPDX-License-Identifier: MIT
"""Tests the Python package, with PyTorch if it is installed. Arguments: arenascope-cli and an output folder. Exit status 77:
PyTorch is not installed."""
import json
import os
import subprocess
import sys

STEP = """
import arenascope, torch, gc
torch.manual_seed(0)
torch.set_num_threads(1)
assert arenascope.connect()
model = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(16, 32, 3, padding=1),
                            torch.nn.ReLU(), torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(8192, 10))
optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
for i in range(2):
    with arenascope.watch(model, "cnn"):
        x, y = torch.randn(32, 3, 32, 32), torch.randint(0, 10, (32,))
        loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    arenascope.count("loss", loss.item())
"""
# Storages of a step are freed in the next one and their addresses reused at once; two storages share one memory.
REUSED = """
import arenascope, torch
assert arenascope.connect()
again = 0
for i in range(200):
    with arenascope.watch(None, "left behind"):
        kept = torch.ones(16384)
    with arenascope.watch(None, "reused"):
        torch.zeros(2)
        place = kept.data_ptr()
        del kept
        taken = torch.ones(16384)
        again += taken.data_ptr() == place
        shared = torch.from_numpy(taken.numpy()) + 1
    del taken, shared
    if again:
        break
assert again, "no address was reused: nothing was tested"
"""
PLAIN = """
import arenascope
assert arenascope.connect("plain")
with arenascope.span("outer"):
    with arenascope.span("inner"):
        arenascope.count("tokens", 3)
arenascope.mark("end")
"""
ALONE = """
import arenascope
assert not arenascope.connect() and not arenascope.connected()
with arenascope.span("not recorded"):
    arenascope.count("nothing", 1)
"""


def attach(cli, *words, with_=None, recording=None, variables=None):
    command = [cli, "attach", "--json"] + (["--with", with_] if with_ else [])
    command += ["--record", recording] if recording else []
    done = subprocess.run(command + ["--", *words], env={**os.environ, **(variables or {})}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_plain(cli, folder):
    seen = attach(cli, sys.executable, "-c", PLAIN, recording=f"{folder}/plain.pftrace")
    assert [p["name"] for p in seen["programs"]] == ["plain"], seen
    assert seen["events"] == 4 and seen["lost_events"] == 0, seen
    # The package works without attach as well.
    package = subprocess.run([cli, "attach", "--json", "--", sys.executable, "-c", "import arenascope, sys; "
                              "arenascope.connect(); print(arenascope.__file__, file=sys.stderr)"],
                             capture_output=True, text=True).stderr.strip()
    alone = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True,
                           env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(package))})
    assert alone.returncode == 0, alone.stderr


def check_marks(cli, recording, text):
    """Checks flags: autograd saves the input of a convolution and the result of a ReLU; momentum is optimizer state."""
    assert subprocess.run([cli, "convert", recording, text]).returncode == 0
    with open(text) as lines:
        tensors = [(line, int(line.split(" flags ")[1].split(",")[0])) for line in lines if " flags " in line]
    kept = [line for line, flags in tensors if flags & 1024]
    assert sum(" relu " in line for line in kept) == 4, kept  # two in each step
    assert not any(" _log_softmax_backward_data " in line for line in kept), kept
    state = [line for line, flags in tensors if flags & 128]
    assert any("momentum_buffer of 0.weight" in line for line in state), state
    # Hooks on saved tensors add no ops to the graph.
    ops = {}
    for line, _ in tensors:
        words = line.split()
        if words[0] == "node":
            ops[words[1].rstrip(":")] = words[2]
            assert words[2] != "detach" or ops[words[-1]] not in ("relu", "_log_softmax"), line


def check_temporaries(cli, folder):
    import torch
    if not torch.profiler.kineto_available():  # as Debian's
        done = subprocess.run([cli, "attach", "--", sys.executable, f"{folder}/inside.py"], capture_output=True, text=True)
        assert done.returncode == 1 and "temporaries=True needs a PyTorch that was built with Kineto" in done.stderr, done
        return
    inside = attach(cli, sys.executable, f"{folder}/inside.py", recording=f"{folder}/inside.pftrace")
    assert any(s["name"] == "PyTorch, inside ops on cpu" and s["end_bytes"] == 0 for s in inside["spaces"]), inside
    audit = subprocess.run([cli, "audit", "--json", f"{folder}/inside.pftrace"], capture_output=True, text=True)
    assert audit.returncode == 0, audit.stderr


def check_torch(cli, folder):
    script, recording = f"{folder}/step.py", f"{folder}/step.pftrace"
    with open(script, "w") as out:
        out.write(STEP)
    seen = attach(cli, sys.executable, script, recording=recording)
    assert seen["runs"] == 2 and [g["model"] for g in seen["graphs"]] == ["cnn", "cnn"], seen
    assert seen["lost_events"] == 0 and seen["problems"] == [], seen
    assert seen["graphs"][0]["nodes"] > 30, seen
    audit = subprocess.run([cli, "audit", "--json", recording], capture_output=True, text=True)
    assert audit.returncode == 0, audit.stderr  # the audit found no contradictions
    check_marks(cli, recording, f"{folder}/step.txt")
    with open(f"{folder}/reused.py", "w") as out:
        out.write(REUSED)
    attach(cli, sys.executable, f"{folder}/reused.py", recording=f"{folder}/reused.pftrace")
    audit = subprocess.run([cli, "audit", "--json", f"{folder}/reused.pftrace"], capture_output=True, text=True)
    assert audit.returncode == 0, audit.stderr
    # With PyTorch's profiler: includes memory that kernels allocate internally.
    with open(f"{folder}/inside.py", "w") as out:
        out.write(STEP.replace('watch(model, "cnn")', 'watch(model, "cnn", temporaries=True)'))
    check_temporaries(cli, folder)
    # Compares the heap adapter's peak of PyTorch's allocator with the package's peak.
    both = attach(cli, sys.executable, script, with_="malloc", variables={"ARENASCOPE_MALLOC_BYTES": "4096"})
    peaks = {s["name"]: s["peak_bytes"] for s in both["spaces"]}
    heap = max(peak for name, peak in peaks.items() if "alloc_cpu" in name)
    storages = next(peak for name, peak in peaks.items() if name.endswith("PyTorch storages on cpu"))
    print(f"peak: {storages} bytes in storages, {heap} by the heap")
    assert abs(storages - heap) <= 0.01 * heap, peaks
    unchanged = attach(cli, sys.executable, "-m", "arenascope", script.replace("step.py", "plain.py"))
    assert unchanged["runs"] == 1 and unchanged["graphs"][0]["nodes"] == 2, unchanged


def main():
    cli, folder = map(os.path.abspath, sys.argv[1:3])
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/plain.py", "w") as out:
        out.write("import torch\ntorch.ones(64, 64) + 1\n")
    check_plain(cli, folder)
    try:
        import torch  # noqa: F401
    except ImportError:
        print("skipped: PyTorch is not installed (Debian's python3-torch)")
        return 77
    check_torch(cli, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
