# SPDX-License-Identifier: MIT
"""Checks `attach --with cuda` over programs on a GPU: verify-cuda-attach.py ARENASCOPE_CLI PROGRAM FOLDER [--quick]

PROGRAM is packaging/verify-cuda-program.cu, compiled. PyTorch is recorded too if it is installed, and llama.cpp if the
environment variables LLAMA_BENCH and LLAMA_MODEL name its llama-bench and a model. At each checkpoint of a program, the live
bytes of the recording are compared with the program's own count and with the used bytes of the device. The time of the same
work is measured with and without the recording in alternating rounds. Recordings are written to FOLDER. Exit status 1: a
figure differs by more than 1 %, or something is missing.
"""
import glob
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CLI, PROGRAM, FOLDER = sys.argv[1:4]
QUICK = "--quick" in sys.argv
failed = False


def check(good, text):
    global failed
    failed = failed or not good
    print(f"  {'agrees' if good else 'DIFFERS'}: {text}", flush=True)


def query(recording, sql):
    done = subprocess.run([CLI, "query", "--json", recording, sql], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["rows"]


def attach(recording, command):
    """Runs a program under the adapter. Returns its standard output and the report of attach."""
    for stale in glob.glob(recording + ".pytorch-*"):
        os.remove(stale)
    done = subprocess.run([CLI, "attach", "--json", "--with", "cuda", "--record", recording, "--", *command],
                          capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout, done.stderr)
        raise SystemExit(f"{command[0]} could not be attached")
    return done.stderr, json.loads(done.stdout)


def checkpoints(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def live(recording, time):
    """Live bytes by allocator."""
    return dict(query(recording, "SELECT allocator, sum(bytes) FROM allocations WHERE begin_ns <= "
                                 f"{time} AND (end_ns IS NULL OR end_ns > {time}) GROUP BY allocator"))


def close_to(a, b, whole):
    return abs(a - b) <= 0.01 * max(whole, 1)


def is_on_device(allocator):
    return allocator.startswith("memory of") or allocator.startswith("memory pool")


def cost(name, command, rounds):
    """Prints the time without and with a recording. `command` prints its own time in milliseconds."""
    def number(text):
        return float([line for line in text.splitlines() if line.replace(".", "").strip().isdigit()][-1])

    plain, recorded = [], []
    for _ in range(rounds):
        plain.append(number(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        recorded.append(number(attach(os.path.join(FOLDER, "cost.pftrace"), command)[0]))
    os.remove(os.path.join(FOLDER, "cost.pftrace"))
    for history in glob.glob(os.path.join(FOLDER, "cost.pftrace.pytorch-*")):
        os.remove(history)
    a, b = statistics.median(plain), statistics.median(recorded)
    print(f"  {name}: {a:.3f} ms, {b:.3f} ms recorded, {(b / a - 1) * 100:+.1f} % (target: at most 2 %)", flush=True)


def plain_program():
    print("a plain CUDA program:")
    recording = os.path.join(FOLDER, "plain.pftrace")
    text, report = attach(recording, [PROGRAM])
    points = checkpoints(text)
    check(not report["problems"] and report["lost_events"] == 0, "no problems, no lost events")
    pools = [row[0] for row in query(recording, "SELECT DISTINCT name FROM counters WHERE name LIKE 'reserved by%' ORDER BY 1")]
    for p in points:
        seen = live(recording, p["time"])
        expected = {"memory of CUDA device 0": p["device"], "pinned memory for CUDA device 0": p["pinned"],
                    "managed memory of CUDA device 0": p["managed"], "memory pool 1 of CUDA device 0": p["default_pool"],
                    "memory pool 2 of CUDA device 0": p["own_pool"]}
        check(seen == {k: v for k, v in expected.items() if v}, f"{p['name']}: live bytes {seen}")
        reserved = sum(p[k] for k in ("default_pool_reserved", "own_pool_reserved"))
        used = p["used"] - points[0]["used"]
        check(close_to(used, p["device"] + reserved, used), f"{p['name']}: {used} bytes in use by the device's count, "
              f"{p['device'] + reserved} by allocations and pools")
    last = [query(recording, f"SELECT value FROM counters WHERE name = '{name}' ORDER BY time_ns DESC LIMIT 1") for name in pools]
    check(len(pools) == 2, f"reserved bytes of two pools are counted: {pools}, last {last}")
    spans = query(recording, "SELECT t.name, s.name, count(*) FROM spans s JOIN tracks t ON t.id = s.track GROUP BY 1, 2")
    check(sorted(n for _, name, n in spans if name == "scale") == [32, 92], f"kernels by stream: {spans}")
    cost("40 kernels of 15 us per round, half of them in a graph", [PROGRAM, "--time", "300" if QUICK else "2000"], 3)


def pytorch():
    program = os.path.join(HERE, "verify-cuda-pytorch-program.py")
    print("PyTorch:")
    recording = os.path.join(FOLDER, "pytorch.pftrace")
    text, report = attach(recording, [sys.executable, program])
    points = checkpoints(text)
    check(not report["problems"] and report["lost_events"] == 0, "no problems, no lost events")
    first = points[0]
    at_first = sum(v for k, v in live(recording, first["time"]).items() if is_on_device(k))
    # Libraries such as cuBLAS allocate memory of their own, which is live at the first checkpoint.
    for p in points[1:]:
        now = sum(v for k, v in live(recording, p["time"]).items() if is_on_device(k))
        grown, reserved, used = now - at_first, p["reserved"] - first["reserved"], p["used"] - first["used"]
        check(close_to(grown, reserved, now) and close_to(grown, used, now),
              f"{p['name']}: {now} live bytes, {grown:+} since the start; PyTorch's reserved {reserved:+}, the device's {used:+}")
    histories = report.get("pytorch_histories", [])
    check(len(histories) == 1, f"history of the allocator: {[os.path.basename(h) for h in histories]}")
    for history in histories:
        for p in points:
            held = query(history, f"SELECT sum(bytes) FROM allocations WHERE begin_ns <= {p['day_time']} AND "
                                  f"(end_ns IS NULL OR end_ns > {p['day_time']})")[0][0]
            check(close_to(held, p["allocated"], held), f"{p['name']}: {held} live bytes in the history, PyTorch's allocated "
                  f"{p['allocated']}")
        print("  its allocators:", query(history, "SELECT allocator, count(*), max(bytes) FROM allocations GROUP BY 1"))
    streams = query(recording, "SELECT t.name, count(*) FROM spans s JOIN tracks t ON t.id = s.track GROUP BY 1")
    check(len(streams) >= 3, f"kernels and copies by stream: {streams}")
    cost("training step", [sys.executable, program, "--time", "5" if QUICK else "20"], 1 if QUICK else 3)


def llama():
    bench, model = os.environ.get("LLAMA_BENCH"), os.environ.get("LLAMA_MODEL")
    if not bench or not model:
        print("llama.cpp: not checked: LLAMA_BENCH and LLAMA_MODEL are not set")
        return
    print("llama.cpp:")
    command = [bench, "-m", model, "-ngl", "99", "-p", "512", "-n", "64", "-r", "3", "-o", "json"]

    def speeds(text):
        return [row["avg_ts"] for row in json.loads(text[text.index("["):text.rindex("]") + 1])]

    recording = os.path.join(FOLDER, "llama.pftrace")
    plain, recorded = [], []
    for _ in range(1 if QUICK else 3):
        plain.append(speeds(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
        text, report = attach(recording, command)
        recorded.append(speeds(text))
    check(not report["problems"] and report["lost_events"] == 0, "no problems, no lost events")
    for i, name in enumerate(("prompt of 512 tokens", "64 tokens one by one")):
        a, b = (statistics.median(row[i] for row in rows) for rows in (plain, recorded))
        print(f"  {name}: {a:.1f} tokens/s, {b:.1f} recorded, {(a / b - 1) * 100:+.1f} % (target: at most 2 %)", flush=True)
    peak = query(recording, "SELECT max(allocated_bytes) FROM memory")[0][0]
    size = os.path.getsize(model)
    check(peak >= size, f"peak of live bytes {peak}, model file {size}")
    kernels = query(recording, "SELECT s.name, count(*) FROM spans s GROUP BY 1 ORDER BY 2 DESC LIMIT 6")
    check(len(kernels) == 6, f"kernels: {kernels}")


def main():
    os.makedirs(FOLDER, exist_ok=True)
    plain_program()
    if subprocess.run([sys.executable, "-c", "import torch; assert torch.cuda.is_available()"], capture_output=True).returncode:
        print("PyTorch: not checked: it is not installed")
    else:
        pytorch()
    llama()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
