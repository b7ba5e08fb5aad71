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


def put_balance(out, name, changes, before, origin, pieces_before=0):
    peak, at, end = balance(changes, before)
    out[name + ".peak"], out[name + ".peak_at"], out[name + ".end"] = peak, at - origin, end
    out[name + ".changes"] = pieces_before + len(changes)  # what was there counts as handed out when it begins


MIB = 1 << 20


def block_bytes(address, asked, blocks, segments, settings):
    """Bytes of the block handed out at an address: CUDACachingAllocator's round_size and should_split."""
    rounded = max(512, -(-asked // 512) * 512)
    ends = [b + n for b, n in segments if b <= address < b + n]
    if not ends:
        return rounded
    room = min([a for a in blocks if a > address] + ends) - address
    rest = room - rounded
    most = settings.get("max_split_size", -1)
    splits = rest >= 512 if rounded <= MIB else rest > MIB and (most < 0 or rounded < most)
    return rounded if splits else room


def device_blocks(events, left, segments, settings):
    """(time, change) of a device's block bytes, and what there was before. `left`: address -> bytes at the end."""
    first, last = {}, {}
    for e in events:
        if e["action"] in ("alloc", "free_completed"):
            first.setdefault(e["addr"], e)
            last[e["addr"]] = e
    older = {a: e["size"] for a, e in first.items() if e["action"] == "free_completed"}
    kept = {a: n for a, n in left.items() if a not in first}
    blocks = dict(kept)
    for a, asked in older.items():
        blocks[a] = block_bytes(a, asked, list(older) + list(kept), segments, settings)
    before, count, changes = sum(blocks.values()), len(blocks), []
    for e in events:
        a = e["addr"]
        if e["action"] == "alloc":
            size = block_bytes(a, e["size"], blocks, segments, settings)
            if last[a] is e:
                assert left[a] == size, "the rule for blocks is wrong"
            blocks[a] = size
            changes.append((e["time_us"] * 1000, size))
        elif e["action"] == "free_completed":
            changes.append((e["time_us"] * 1000, -blocks.pop(a)))
    assert blocks == left
    return changes, before, count


def curve(changes, before):
    """[time, bytes] after all that happens at a time."""
    out, now = {}, before
    for t, b in sorted(changes, key=lambda c: c[0]):
        now += b
        out[t] = now
    return sorted(out.items())


def annotations(marks):
    """Begin and end of each stretch that has a name: the newest start of the same name and device belongs to an end."""
    begun, spans = {}, []
    for mark in marks:
        own = begun.setdefault((mark["device"], mark["name"]), [])
        if mark["stage"] == "START":
            own.append(mark["time_us"] * 1000)
        elif own:
            spans.append((own.pop(), mark["time_us"] * 1000))
    return spans


def asked(root, origin):
    """What blocks were asked for, by id: those that lie untouched at the end, and those that an entry alone tells of."""
    out = {}
    for device, events in enumerate(root["device_traces"]):
        blocks = [e for e in events if e["action"] in ("alloc", "free_completed")]
        named, met = {e["addr"] for e in blocks}, {}
        for e in blocks:
            met.setdefault((e["addr"], e["time_us"]), []).append(e)
        first = min((e["time_us"] for e in events), default=0) * 1000 - origin
        for segment in root["segments"]:
            for block in segment["blocks"] if segment["device"] == device and events else []:
                if block["state"].startswith("active") and block["address"] not in named:
                    out["block.%d.%d.asked.GPU %d" % (block["address"], first, device)] = block["requested_size"]
        for (address, time), same in met.items():
            if len(same) == 1 and same[0]["action"] == "alloc":
                out["block.%d.%d.asked.GPU %d" % (address, time * 1000 - origin, device)] = same[0]["size"]
    return out


def snapshot(path):
    with open(path, "rb") as f:
        root = pickle.load(f)
    left, reserved, segments = {}, {}, {}
    for segment in root["segments"]:
        device = segment["device"]
        segments.setdefault(device, []).append((segment["address"], segment["total_size"]))
        reserved[device] = reserved.get(device, 0) + segment["total_size"]
        for block in segment["blocks"]:
            if block["state"].startswith("active"):
                left.setdefault(device, {})[block["address"]] = block["size"]
    out, times = {}, []
    spans = annotations(root.get("external_annotations", []))
    for device, events in enumerate(root["device_traces"]):
        taken = []
        for e in events:
            sign = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}.get(e["action"])
            if sign:
                taken.append((e["time_us"] * 1000, sign * e["size"]))
        if not events:
            continue
        held, before, blocks = device_blocks(events, left.get(device, {}), segments.get(device, []), root["allocator_settings"])
        times += [t for t, _ in held + taken]
        origin = min([t for t, _ in held + taken] + [begin for begin, _ in spans])
        name = "device.GPU %d" % device
        put_balance(out, name + ".active", held, before, origin, blocks)
        if taken:
            put_balance(out, name + ".reserved", taken, reserved.get(device, 0) - sum(b for _, b in taken), origin)
        out["curve %d" % device] = curve(held, before)
    out["recording.events"] = len(times) + len(spans)
    times += [t for span in spans for t in span]
    out["recording.length"] = max(times) - min(times)
    out["asked"] = asked(root, min(times))
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


def with_totals(entries):
    """(time, change) of allocated and of reserved bytes. A total also counts what no entry is about."""
    changes, reserved, allocated, kept = [], [], 0, 0
    for time, change, total, pool in sorted(entries, key=lambda e: e[0]):  # a stable sort
        if total is not None and total - change != allocated:
            changes.append((time, total - change - allocated))
            allocated = total - change
        changes.append((time, change))
        allocated += change
        if pool is not None and pool != kept:
            reserved.append((time, pool - kept))
            kept = pool
    return changes, reserved


def row_name(key, names, processes):
    """Names of the process and the thread of a key 'process/thread'; a process may be identified by a name."""
    pid, tid = key.split("/", 1)
    own = tid if tid.strip("-0123456789") else "thread " + tid if tid else "no thread"
    return processes.get(pid, pid if pid.strip("-0123456789") else ""), names.get(key, own)


def profile(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as f:
        root = json.load(f)
    events = root if isinstance(root, list) else root["traceEvents"]
    memory, threads, names, processes, times = {}, {}, {}, {}, []
    for e in events:
        key = "%s/%s" % (e.get("pid", e.get("tid", "")), e.get("tid", e.get("pid", "")))
        if e.get("ph") == "M" and e["name"] == "thread_name":
            names[key] = e["args"]["name"]
        elif e.get("ph") == "M" and e["name"] == "process_name":
            processes[key.split("/", 1)[0]] = e["args"]["name"]
        elif e.get("ph") == "X":
            begin = ns(e["ts"])
            end = begin + ns(e["dur"])
            times += [begin, end]
            threads.setdefault(key, []).append((begin, end))
        elif e.get("ph") == "i" and e["name"] == "[memory]":
            args = e["args"]
            device = "CPU" if args["Device Type"] == 0 else "GPU %d" % max(args["Device Id"], 0)
            totals = (args.get("Total Allocated"), args.get("Total Reserved"))
            memory.setdefault(device, []).append((ns(e["ts"]), args["Bytes"], *totals))
            times.append(ns(e["ts"]))
        elif e.get("ph") in ("i", "I", "R"):
            times.append(ns(e["ts"]))
            threads.setdefault(key, []).append((times[-1], times[-1]))
    origin, length = min(times), max(times) - min(times)
    out = {"recording.length": length}
    for device, entries in memory.items():
        changes, reserved = with_totals(entries)
        put_balance(out, "device." + device + ".active", changes, 0, origin)
        if reserved:
            put_balance(out, "device." + device + ".reserved", reserved, 0, origin)
    # By name: numbers of threads are the auditor's own.
    busy, owners = {}, {}
    rows = {key: row_name(key, names, processes) for key in set(threads) | set(names)}
    for key, row in rows.items():
        owners.setdefault(row, set()).add(key.split("/", 1)[0])
    for key, intervals in threads.items():
        process, thread = rows[key]
        if len(owners[rows[key]]) > 1:
            process = (process or "process") + " " + key.split("/", 1)[0]
        busy.setdefault(process + ", " + thread if process else thread, []).append(union(intervals) / length)
    out["busy shares"] = {name: sorted(shares) for name, shares in busy.items()}
    return out


if __name__ == "__main__":
    path = sys.argv[1]
    json.dump(snapshot(path) if path.endswith((".pickle", ".pkl")) else profile(path), sys.stdout)
