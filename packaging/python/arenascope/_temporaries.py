# SPDX-License-Identifier: MIT
"""Memory that kernels allocate and free internally, from the memory events of PyTorch's profiler."""
import json
import os
import tempfile
import time

import torch


class Temporaries:
    def __init__(self):
        if not torch.profiler.kineto_available():
            raise RuntimeError(f"temporaries=True needs a PyTorch that was built with Kineto; PyTorch {torch.__version__} was not")

    def begin(self):
        activities = [torch.profiler.ProfilerActivity.CPU]
        if torch.cuda.is_available():
            activities.append(torch.profiler.ProfilerActivity.CUDA)
        self.profile = torch.profiler.profile(activities=activities, profile_memory=True)
        self.profile.__enter__()

    def end(self):
        self.profile.__exit__(None, None, None)
        # The profiler uses the system clock, the client the monotonic clock.
        self.apart = time.time_ns() - time.monotonic_ns()
        handle, path = tempfile.mkstemp(suffix=".json")
        os.close(handle)
        try:
            self.profile.export_chrome_trace(path)
            with open(path) as trace:
                self.trace = json.load(trace)
        finally:
            os.unlink(path)

    def events(self):
        """(time, address, bytes, device), sorted by time; bytes are negative for frees."""
        base = int(self.trace.get("baseTimeNanoseconds", 0)) - self.apart
        out = []
        for event in self.trace["traceEvents"]:
            if event.get("name") != "[memory]":
                continue
            args = event["args"]
            device = "cpu" if args["Device Type"] == 0 else f"cuda:{args['Device Id']}"
            out.append((base + round(float(event["ts"]) * 1000), args["Addr"], args["Bytes"], device))
        return sorted(out, key=lambda e: e[0])

    def found(self, storages):
        """Returns (address, bytes, begin, end, device) of freed allocations that are not the storage of an op's result, and
        the exact (begin, end) of storages by their number; end is None if the storage was not freed."""
        known = {}
        for s in storages:
            known.setdefault(s.address, {})[s.number] = s.begin
        live, out, exact = {}, [], {}

        def owner(address, begin, end):  # a storage is recorded after its op, i.e. between these two times
            return next((n for n, told in known.get(address, {}).items() if begin <= told and (end is None or told <= end)), None)

        for when, address, size, device in self.events():
            if size > 0:
                live[address] = (size, when)
            elif address in live:
                taken, begin = live.pop(address)
                number = owner(address, begin, when)
                if number is None:
                    out.append((address, taken, begin, when, device))
                else:
                    exact[number] = begin, when
        for address, (_, begin) in live.items():
            number = owner(address, begin, None)
            if number is not None:
                exact.setdefault(number, (begin, None))
        return out, exact
