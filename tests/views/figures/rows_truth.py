# SPDX-License-Identifier: GPL-3.0-or-later
"""What a trace of Chrome's kind has to show, read with Python's own json: spans by thread, the longest of them, the nodes of a
graph. Written from the format's description, not from the importer. Usage: rows_truth.py FILE
"""
import collections
import gzip
import json
import sys
from decimal import Decimal


def nanoseconds(micros):
    return int(Decimal(str(micros)) * 1000)


def main(path):
    raw = open(path, "rb").read()
    if raw[:2] == b"\x1f\x8b":
        raw = gzip.decompress(raw)
    trace = json.loads(raw)
    events = trace if isinstance(trace, list) else trace["traceEvents"]
    onnxruntime = any(e.get("cat") == "Node" and "op_name" in e.get("args", {}) for e in events)
    spans, moments, every = collections.Counter(), collections.Counter(), []
    open_spans, nodes = collections.defaultdict(list), {}

    def add(row, begin, end, name):
        (spans if end > begin else moments)[row] += 1
        every.append((end - begin, begin, name))

    for e in events:
        row, phase = f'{e.get("pid", e.get("tid"))}/{e.get("tid", e.get("pid"))}', e.get("ph")
        if phase == "X":
            begin = nanoseconds(e["ts"])
            name, args = e["name"], e.get("args", {})
            if onnxruntime and e.get("cat") == "Node" and name.endswith("_kernel_time"):
                name = name[: -len("_kernel_time")]
                nodes.setdefault(name, args["op_name"])
                row, name = "kernels " + row, f'{args["op_name"]} {name}'
            add(row, begin, begin + nanoseconds(e.get("dur", 0)), name)
        elif phase == "B":
            open_spans[row].append(e)
        elif phase == "E" and open_spans[row]:
            first = open_spans[row].pop()
            add(row, nanoseconds(first["ts"]), nanoseconds(e["ts"]), first["name"])
        elif phase == "b":
            open_spans[(e["pid"], e["cat"], e["id"], e["name"])].append(e)
        elif phase == "e" and open_spans[(e["pid"], e["cat"], e["id"], e["name"])]:
            first = open_spans[(e["pid"], e["cat"], e["id"], e["name"])].pop()
            add(f'async {e["pid"]} {e["name"]}', nanoseconds(first["ts"]), nanoseconds(e["ts"]), first["name"])
        elif phase in ("i", "I") and e.get("name") != "[memory]":
            moments[row] += 1
    every.sort(key=lambda s: (-s[0], s[1], s[2]))
    rows = sorted([spans[row], moments[row]] for row in set(spans) | set(moments))
    longest = [{"begin": str(b), "end": str(b + n), "name": name} for n, b, name in every[:40]]
    print(json.dumps({"rows": rows, "longest": longest, "nodes": [{"name": n, "op": op} for n, op in nodes.items()]}))


main(sys.argv[1])
