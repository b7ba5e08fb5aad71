# SPDX-License-Identifier: MIT
"""The figures of another tool's trace, read with Python's own json and pickle: one JSON object {id: value}.

The ids are those of arenascope-cli audit. Usage: truth.py FILE
"""
import gzip
import json
import pickle
import sys


def balance(changes, before):
    """Peak, when it is first reached, and end of a list of (time, bytes)."""
    peak, now, at = before, before, min((t for t, _ in changes), default=0)
    for t, b in sorted(changes, key=lambda c: c[0]):  # a stable sort
        now += b
        if now > peak:
            peak, at = now, t
    return peak, at, now


def put_balance(out, name, changes, before, origin):
    peak, at, end = balance(changes, before)
    out[name + ".peak"], out[name + ".peak_at"], out[name + ".end"] = peak, at - origin, end
    out[name + ".changes"] = len(changes)


def snapshot(path):
    with open(path, "rb") as f:
        root = pickle.load(f)
    active, reserved = {}, {}
    for segment in root["segments"]:
        device = segment["device"]
        reserved[device] = reserved.get(device, 0) + segment["total_size"]
        for block in segment["blocks"]:
            if block["state"].startswith("active"):
                active[device] = active.get(device, 0) + block["size"]
    out, times = {}, []
    for device, events in enumerate(root["device_traces"]):
        held, taken = [], []
        for e in events:
            sign = {"alloc": 1, "free_completed": -1}.get(e["action"])
            if sign:
                held.append((e["time_us"] * 1000, sign * e["size"]))
            sign = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}.get(e["action"])
            if sign:
                taken.append((e["time_us"] * 1000, sign * e["size"]))
        if not events:
            continue
        times += [t for t, _ in held + taken]
        origin = min(t for t, _ in held + taken)
        name = "device.GPU %d" % device
        put_balance(out, name + ".active", held, active.get(device, 0) - sum(b for _, b in held), origin)
        if taken:
            put_balance(out, name + ".reserved", taken, reserved.get(device, 0) - sum(b for _, b in taken), origin)
    out["recording.events"] = len(times)
    out["recording.length"] = max(times) - min(times)
    return out


def ns(us):
    if isinstance(us, int):
        return us * 1000
    whole = int(us // 1)
    return whole * 1000 + round((us - whole) * 1000)


def union(intervals):
    length, reached = 0, None
    for begin, end in sorted(intervals):
        if reached is None or begin > reached:
            length, reached = length + end - begin, end
        elif end > reached:
            length, reached = length + end - reached, end
    return length


def profile(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as f:
        root = json.load(f)
    events = root if isinstance(root, list) else root["traceEvents"]
    memory, threads, names, times = {}, {}, {}, []
    for e in events:
        key = "%s/%s" % (e.get("pid", ""), e.get("tid", ""))
        if e.get("ph") == "M" and e["name"] == "thread_name":
            names[key] = e["args"]["name"]
        elif e.get("ph") == "X":
            begin = ns(e["ts"])
            end = begin + ns(e["dur"])
            times += [begin, end]
            threads.setdefault(key, []).append((begin, end))
        elif e.get("ph") == "i" and e["name"] == "[memory]":
            args = e["args"]
            device = "CPU" if args["Device Type"] == 0 else "GPU %d" % max(args["Device Id"], 0)
            memory.setdefault(device, []).append((ns(e["ts"]), args["Bytes"]))
            times.append(ns(e["ts"]))
    origin, length = min(times), max(times) - min(times)
    out = {"recording.length": length}
    for device, changes in memory.items():
        put_balance(out, "device." + device + ".active", changes, 0, origin)
    # By name: numbers of threads are the auditor's own.
    busy = {}
    for key, intervals in threads.items():
        name = names.get(key, "thread " + key.split("/", 1)[1])
        busy.setdefault(name, []).append(union(intervals) / length)
    out["busy shares"] = {name: sorted(shares) for name, shares in busy.items()}
    return out


if __name__ == "__main__":
    path = sys.argv[1]
    json.dump(snapshot(path) if path.endswith((".pickle", ".pkl")) else profile(path), sys.stdout)
