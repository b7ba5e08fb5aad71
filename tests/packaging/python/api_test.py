# SPDX-License-Identifier: MIT
"""Tests the Python package as a reader: plans, recordings, differences, runs and reports. Arguments: arenascope-cli, an output
folder and a notebook, which is executed. The parts that need pyarrow are left out, with a message, where it is not installed."""
import dataclasses
import gc
import json
import os
import subprocess
import sys
import threading
import time
import types
import unittest.mock

try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)
try:
    import pyarrow
except ImportError:
    pyarrow = None
try:
    import pandas
except ImportError:
    pandas = None

import onnx_file


def raises(error, part, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except error as found:
        assert part in str(found), (part, str(found))
        return
    raise AssertionError(f"expected {error.__name__}: {part}")


def check_plan(arenascope):
    random = numpy.random.default_rng(1)
    first = random.integers(0, 50, 200)
    last = first + random.integers(1, 10, 200)
    sizes = random.integers(1, 5000, 200)
    plan = arenascope.plan(sizes, first, last, alignment=16, budget_seconds=0.2)
    assert plan.offsets.dtype == numpy.int64 and plan.offsets.shape == (200,) and (plan.offsets % 16 == 0).all()
    assert (plan.offsets + sizes).max() <= plan.arena_bytes and plan.lower_bound_bytes <= plan.arena_bytes
    live = (first[:, None] < last) & (first < last[:, None]) & ~numpy.eye(200, dtype=bool)
    shares = (plan.offsets[:, None] < plan.offsets + sizes) & (plan.offsets < (plan.offsets + sizes)[:, None])
    assert not (live & shares).any()
    assert plan.ratio >= 1 and not plan.interrupted and "search" in arenascope.planners()
    fixed = arenascope.plan([64, 64], [0, 0], [1, 1], fixed_offsets=[128, -1])
    assert fixed.offsets[0] == 128 and fixed.offsets[1] != 128
    in_place = arenascope.plan([64, 64], [0, 1], [2, 3], in_place=[(0, 1)])
    assert in_place.arena_bytes == 64 and (in_place.offsets == 0).all()
    assert arenascope.plan([], [], []).arena_bytes == 0
    for part, arguments in (("shape [2]", ([1, 2, 3], [0, 0], [1, 1, 1])), ("empty lifetime", ([1], [3], [3])),
                            ("expected integers, found float64", ([1.5], [0], [1])), ("shape [1, 1]", ([[1]], [0], [1]))):
        raises(arenascope.Error, part, arenascope.plan, *arguments)
    raises(arenascope.Error, "no_such", arenascope.plan, [1], [0], [1], planner="no_such")

    def fails():
        raise ValueError("of the caller")

    arguments = (random.integers(1, 10**6, 3000), numpy.arange(3000), numpy.arange(3000) + random.integers(1, 900, 3000))
    raises(ValueError, "of the caller", arenascope.plan, *arguments, budget_seconds=60, cancelled=fails)


def check_interrupted_plan(arenascope):
    random = numpy.random.default_rng(2)
    first = random.integers(0, 3000, 6000)
    arguments = (random.integers(1, 10**6, 6000), first, first + random.integers(1, 900, 6000))
    start, ticks = time.monotonic(), []
    ticker = threading.Thread(target=lambda: [ticks.append(time.sleep(0.005)) for _ in range(40)])
    ticker.start()
    plan = arenascope.plan(*arguments, budget_seconds=60, cancelled=lambda: time.monotonic() > start + 0.5)
    assert time.monotonic() - start < 30 and len(ticks) > 5  # another thread ran meanwhile
    assert plan.interrupted or plan.optimal
    script = ("import os, signal, sys, threading, numpy, arenascope\n"
              "threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
              "random = numpy.random.default_rng(2)\n"
              "first = random.integers(0, 3000, 6000)\n"
              "plan = arenascope.plan(random.integers(1, 10**6, 6000), first, first + random.integers(1, 900, 6000),"
              " budget_seconds=60)\n"
              "print(plan.interrupted or plan.optimal, plan.arena_bytes >= plan.lower_bound_bytes > 0)\n")
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50)
    assert ended.stdout == "True True\n", ended


def check_recording(arenascope, cli, file):
    run = arenascope.read(file)
    assert "nodes" in run.tables and run.problem == ""
    names = run.query("SELECT name, median_ns, bytes FROM nodes ORDER BY id")
    assert names.columns == ["name", "median_ns", "bytes"] and len(names) == len(run.table("nodes")) > 20
    assert names.to_numpy("bytes").dtype == numpy.int64 and names.to_numpy("bytes").base is not None
    assert all(isinstance(name, str) for name in names.values("name"))
    printed = json.loads(subprocess.check_output([cli, "query", file, "SELECT name, median_ns, bytes FROM nodes ORDER BY id",
                                                  "--json"]))
    assert [list(row) for row in names.rows()] == printed["rows"]
    view = run.query("SELECT bytes FROM nodes")["bytes"]
    gc.collect()
    assert view.sum() == names["bytes"].sum()  # the memory lives as long as its array
    mixed = run.query("SELECT 1 AS a, NULL AS b, 'x' AS c UNION ALL SELECT NULL, NULL, NULL UNION ALL SELECT 2.5, NULL, 7")
    assert mixed.rows() == [(1.0, None, "x"), (None, None, None), (2.5, None, "7")], mixed.rows()
    assert numpy.isnan(mixed.to_numpy("a")[1]) and mixed.to_numpy("c")[1] is None
    assert run.query("SELECT * FROM nodes WHERE 0").rows() == [] and "<td>" in names._repr_html_()
    assert run.figures["peak_bytes"] == run.query("SELECT max(allocated_bytes) AS peak FROM memory")["peak"][0]
    raises(arenascope.Error, "no such column: nme", run.query, "SELECT nme FROM nodes")
    raises(arenascope.Error, "not authorized", run.query, "ATTACH 'a.db' AS a")
    raises(arenascope.Error, "absent.pftrace", arenascope.read, "absent.pftrace")
    raises(KeyError, "no column", names.to_numpy, "absent")
    for module, call in (("pandas", names.to_pandas), ("pyarrow", names.to_arrow)):
        kept = {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == module}
        sys.modules[module] = None  # as if it were not installed
        raises(arenascope.Error, f"{module}, which holds the table, is not installed", call)
        del sys.modules[module]
        sys.modules.update(kept)
    if pandas is not None:
        frame = run.query("SELECT id AS a, name AS a FROM nodes").to_pandas()
        assert list(frame.columns) == ["a", "a"] and frame.shape == (len(names), 2)


def check_stopped_query(file):
    script = ("import os, signal, sys, threading, arenascope\n"
              f"run = arenascope.read({file!r})\n"
              "threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
              "try:\n"
              "    run.query('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n')\n"
              "except KeyboardInterrupt:\n"
              "    print(len(run.query('SELECT 1')))\n")
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50)
    assert ended.stdout == "1\n", ended


def check_early_interrupt():
    """Ctrl-C before the function on the other thread can be stopped."""
    script = ("import os, signal, threading, time\n"
              "from arenascope import _engine\n"
              "begun, stop = threading.Event(), threading.Event()\n"
              "def work():\n"
              "    os.kill(os.getpid(), signal.SIGINT)\n"
              "    time.sleep(0.3)\n"
              "    begun.set()\n"
              "    return stop.wait(20)\n"
              "print(_engine.call(work, interrupt=lambda: begun.is_set() and stop.set()))\n"
              "try:\n"
              "    os.kill(os.getpid(), signal.SIGINT)\n"
              "    time.sleep(1)\n"
              "except KeyboardInterrupt:\n"
              "    print('as before')\n")
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50)
    assert ended.stdout == "(True, True)\nas before\n", ended


def check_arrow(arenascope, file, other, folder):
    run = arenascope.read(file)
    for name in run.tables:
        table = run.table(name)
        arrow = table.to_arrow()
        assert arrow.num_rows == len(table) and arrow.column_names == table.columns
        arrow.validate(full=True)
        assert [tuple(row.values()) for row in arrow.to_pylist()] == table.rows()
    nodes = run.table("nodes")
    batch = pyarrow.record_batch(nodes) if hasattr(pyarrow.RecordBatch, "_import_from_c_capsule") else None
    kept = nodes.to_arrow()
    rows = nodes.rows()
    del nodes, run
    gc.collect()
    assert [tuple(row.values()) for row in kept.to_pylist()] == rows  # the consumer keeps the memory
    assert batch is None or batch.num_rows == kept.num_rows
    # The same columns in every file.
    from pyarrow import parquet
    out = os.path.join(folder, "parquet")
    names = arenascope.to_parquet([file, other], out)
    schemas = [parquet.read_schema(os.path.join(out, "spans", f"recording={name}", "part-0.parquet")) for name in names]
    assert len(names) == 2 and schemas[0].equals(schemas[1])
    converted = subprocess.run([sys.executable, "-m", "arenascope", "convert", file, other, os.path.join(folder, "again") + "/"],
                               capture_output=True, text=True)
    assert converted.stdout.startswith("2 recordings in "), converted
    assert os.path.exists(os.path.join(folder, "again", "nodes", f"recording={names[0]}", "part-0.parquet"))
    raises(arenascope.Error, "as well", arenascope.to_parquet, [file, file], out)
    spans = parquet.read_table(os.path.join(out, "spans"))
    assert set(spans.column("recording").to_pylist()) == set(names)


def check_diff(arenascope, file, other):
    same = arenascope.diff(file, file)
    assert not same.changed and not same.exceeded and same.metric("peak")["a"] == same.metric("peak")["b"]
    changed = arenascope.diff(other, file, fail_on="peak+0")
    assert changed.changed and changed.exceeded and changed.metric("peak")["b"] > changed.metric("peak")["a"]
    raises(arenascope.Error, "absent.pftrace", arenascope.diff, file, "absent.pftrace")


def check_model(arenascope, cli, folder):
    model = arenascope.open("zoo:mnist_cnn", threads=2)
    value = model.inputs[0]
    assert value.dtype == "f32" and len(model.outputs) == 1
    array = numpy.random.default_rng(3).random(value.shape, dtype=numpy.float32)
    outputs = model.run({value.name: array})
    output = outputs[model.outputs[0].name]
    assert output.shape == model.outputs[0].shape and numpy.isfinite(output).all()
    assert model.nanoseconds > 0 and model.arena_bytes > 0
    numpy.save(os.path.join(folder, "input.npy"), array)
    subprocess.check_output([cli, "run", "zoo:mnist_cnn", "--threads", "2", "--input",
                             f"{value.name}={os.path.join(folder, 'input.npy')}", "--output", os.path.join(folder, "outputs")])
    saved = [name for name in os.listdir(os.path.join(folder, "outputs")) if name.endswith(".npy")]
    assert (numpy.load(os.path.join(folder, "outputs", saved[0])) == output).all()

    class Exporter:  # any library's array
        def __dlpack__(self, **options):
            return array.__dlpack__(**options)

        def __dlpack_device__(self):
            return array.__dlpack_device__()

    assert (model.run({value.name: Exporter()})[model.outputs[0].name] == output).all()
    assert (model.run()[model.outputs[0].name] == output).all()  # the input keeps its value
    assert (model.run({value.name: array[..., ::-1]})[model.outputs[0].name] != output).any()
    assert (model.run({value.name: array})[model.outputs[0].name] == output).all()
    assert model.plan()["results"][0]["arena_bytes"] > 0
    raises(arenascope.Error, "has no input 'absent'", model.run, {"absent": array})
    raises(arenascope.Error, "must be f32 [1, 1, 28, 28]", model.run, {value.name: array.astype(numpy.int64)})
    raises(arenascope.Error, "not supported", model.run, {value.name: array.astype(complex)})
    assert (model.run({value.name: array})[model.outputs[0].name] == output).all()  # after errors
    raises(arenascope.Error, "zoo has no 'absent'", arenascope.open, "zoo:absent")


def check_shapes_by_values(arenascope, folder):
    path = os.path.join(folder, "range.onnx")
    branches = [onnx_file.graph([onnx_file.node("Range", [start, "n", "one"], ["r"])], [],
                                [onnx_file.value("r", onnx_file.INT64, ["count"])]) for start in ("zero", "one")]
    onnx_file.write(path, [onnx_file.node("If", ["c"], ["y"], then_branch=branches[0], else_branch=branches[1])],
                    [onnx_file.value("c", onnx_file.BOOL, []), onnx_file.value("n", onnx_file.INT64, [])],
                    [onnx_file.value("y", onnx_file.INT64, ["count"])],
                    [onnx_file.scalar("zero", 0), onnx_file.scalar("one", 1)])
    model = arenascope.open(path)  # values are assumed
    for start, count in ((0, 5), (0, 3), (1, 4), (0, 5)):
        outputs = model.run({"c": numpy.bool_(start == 0), "n": numpy.int64(count)})
        assert outputs["y"].tolist() == list(range(start, count)), (start, count, outputs)
    assert model.run({"n": numpy.int64(2)})["y"].tolist() == [0, 1]  # c keeps its value
    assert arenascope.open(path, {"c": True, "n": 4}).run()["y"].tolist() == [0, 1, 2, 3]
    path = os.path.join(folder, "reshape.onnx")
    onnx_file.write(path, [onnx_file.node("Reshape", ["x", "shape"], ["y"])],
                    [onnx_file.value("x", onnx_file.FLOAT, [6]), onnx_file.value("shape", onnx_file.INT64, [2])],
                    [onnx_file.value("y", onnx_file.FLOAT, ["rows", "columns"])])
    raises(arenascope.Error, "shape", arenascope.open, path)
    model = arenascope.open(path, {"shape": numpy.array([3, 2])})
    x = numpy.arange(6, dtype=numpy.float32)
    assert (model.run({"x": x})["y"] == x.reshape(3, 2)).all()
    assert (model.run({"shape": numpy.array([2, 3])})["y"] == x.reshape(2, 3)).all()  # x keeps its value


def check_deferred_outputs(arenascope, folder):
    path = os.path.join(folder, "nonzero.onnx")
    onnx_file.write(path, [onnx_file.node("Relu", ["x"], ["r"]), onnx_file.node("NonZero", ["r"], ["n"]),
                           onnx_file.node("Transpose", ["n"], ["t"])], [onnx_file.value("x", onnx_file.FLOAT, [2, 3])],
                    [onnx_file.value("r", onnx_file.FLOAT, [2, 3]), onnx_file.value("t", onnx_file.INT64, ["count", 2])])
    model = arenascope.open(path)
    for x in ([[0, 1, -1], [2, 0, 0]], [[1, 1, 1], [0, 0, -5]]):
        outputs = model.run({"x": numpy.array(x, numpy.float32)})
        assert (outputs["r"] == numpy.maximum(x, 0)).all()
        assert (outputs["t"] == numpy.argwhere(numpy.maximum(x, 0))).all(), outputs
    assert [value.name for value in model.outputs] == ["r", "t"]


def check_kept_inputs(arenascope, folder):
    path = os.path.join(folder, "add.onnx")
    onnx_file.write(path, [onnx_file.node("Add", ["x", "b"], ["y"])],
                    [onnx_file.value("x", onnx_file.FLOAT, ["n"]), onnx_file.value("b", onnx_file.FLOAT, [1])],
                    [onnx_file.value("y", onnx_file.FLOAT, ["n"])])
    model = arenascope.open(path)
    bias = numpy.array([5], numpy.float32)
    assert model.run({"x": numpy.ones(2, numpy.float32), "b": bias})["y"].tolist() == [6, 6]
    bias[0] = 7  # the model has a copy
    assert model.run({"x": numpy.ones(3, numpy.float32)})["y"].tolist() == [6, 6, 6]
    swapped = numpy.array([1, 2, 3], ">f4")
    assert model.run({"x": swapped})["y"].tolist() == [6, 7, 8]


def check_end(file):
    """Memory of results is not freed at exit before the arrays are collected."""
    script = ("import arenascope, weakref\n"
              f"table = arenascope.read({file!r}).query('SELECT id FROM nodes')\n"
              "model = arenascope.open('zoo:mnist_cnn')\n"
              "arrays = [table['id'], *model.run().values()]\n"
              "print(any(entry.atexit for entry in weakref.finalize._registry.values()))\n")
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=50)
    assert ended.stdout == "False\n" and ended.returncode == 0, ended


def check_page(arenascope, file):
    page = arenascope.show(arenascope.read(file))
    assert page.html.startswith("<!DOCTYPE html>") and page._repr_html_().startswith("<iframe srcdoc=")
    raises(arenascope.Error, "absent.pftrace", arenascope.show, "absent.pftrace")


def check_notebook(notebook):
    names = {}
    with open(notebook, encoding="utf-8") as file:
        for cell in json.load(file)["cells"]:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), notebook, "exec"), names)


class Spec:
    """As ExecuTorch describes a tensor."""

    def __init__(self, size, lifetime, mem_id=None, storage_base=None, storage_base_offset=0):
        self.size, self.lifetime, self.mem_id, self.alignment = size, lifetime, mem_id, 1
        self.storage_base, self.storage_base_offset = storage_base, storage_base_offset

    def realign(self, alignment):
        self.alignment = alignment

    @property
    def allocated_memory(self):
        return -(-self.size // self.alignment) * self.alignment


def executorch_modules():
    """The types of executorch.exir.memory_planning that a planner returns, unless ExecuTorch is installed."""
    planning = types.ModuleType("executorch.exir.memory_planning")
    planning.MemoryAlgoResult = dataclasses.make_dataclass("MemoryAlgoResult", ["spec_dict", "bufsizes"])
    planning.SpecAllocResult = dataclasses.make_dataclass("SpecAllocResult", ["mem_id", "mem_obj_id", "mem_offset"])
    return {name: planning if name == planning.__name__ else types.ModuleType(name)
            for name in ("executorch", "executorch.exir", planning.__name__)}


def check_executorch(arenascope):
    from arenascope.executorch import planner

    algorithm = planner()
    first, second, third = Spec(100, [0, 2]), Spec(60, [2, 4]), Spec(100, [3, 5])
    other, view = Spec(50, [0, 9], mem_id=3), Spec(16, [2, 3], storage_base=second, storage_base_offset=32)
    specs = [view, first, second, third, other]
    graph = types.SimpleNamespace(input_mem_buffer_sizes=[0, 10])
    with unittest.mock.patch.dict(sys.modules, executorch_modules()):
        result = algorithm(16, specs, graph, None, 8)
        raises(arenascope.Error, "lifetime", algorithm, 16, [Spec(1, [None, None])], graph)
        raises(arenascope.Error, "storage", algorithm, 16, [Spec(1, [0, 1], storage_base=Spec(2, [0, 1]))], graph)
        assert algorithm(16, [], graph).bufsizes == [0, 0]
    offset = {spec: found.mem_offset for spec, found in result.spec_dict.items()}
    # The first and the third tensor share their bytes; a lifetime includes its last step. 10 bytes of inputs precede them.
    assert offset[first] == offset[third] and abs(offset[first] - offset[second]) >= 64
    assert all(value % 16 == 0 for value in offset.values()) and offset[view] == offset[second] + 32
    assert result.bufsizes == [0, 16 + 112 + 64 + 8, 0, 64 + 8]
    assert min(offset[first], offset[second]) == 16 and offset[other] == 0
    assert {found.mem_id for spec, found in result.spec_dict.items() if spec is not other} == {1}
    assert result.spec_dict[view].mem_obj_id == result.spec_dict[second].mem_obj_id


def main():
    cli, folder, notebook = (os.path.abspath(argument) for argument in sys.argv[1:])
    package = os.path.join(os.path.dirname(cli), "..", "..", "lib", "arenascope", "python")
    os.environ["PATH"] = os.path.dirname(cli) + os.pathsep + os.environ["PATH"]
    os.environ["PYTHONPATH"] = package
    sys.path.insert(0, package)
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    import arenascope
    assert not any(name.startswith("arenascope._plan") for name in sys.modules)  # a recorded program loads the recorder only
    everything = {}
    exec("from arenascope import *", everything)
    assert "open" not in everything and everything["plan"] is arenascope.plan  # the built-in open() stays
    for name in [*arenascope.__all__, "open"]:
        assert getattr(arenascope, name).__doc__, name
    file, other = os.path.join(folder, "run.pftrace"), os.path.join(folder, "other.pftrace")
    subprocess.check_output([cli, "run", "zoo:squeezenet", "--threads", "2", "--repeat", "2", "--record", file])
    subprocess.check_output([cli, "run", "zoo:mnist_cnn", "--threads", "2", "--record", other])
    check_plan(arenascope)
    check_interrupted_plan(arenascope)
    check_executorch(arenascope)
    check_recording(arenascope, cli, file)
    check_stopped_query(file)
    check_early_interrupt()
    check_diff(arenascope, file, other)
    check_model(arenascope, cli, folder)
    check_shapes_by_values(arenascope, folder)
    check_deferred_outputs(arenascope, folder)
    check_kept_inputs(arenascope, folder)
    check_end(file)
    check_page(arenascope, file)
    check_notebook(notebook)
    if pyarrow is None:
        print("pyarrow is not installed: Arrow and Parquet are not tested")
    else:
        check_arrow(arenascope, file, other, folder)


main()
