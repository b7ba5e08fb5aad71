# SPDX-License-Identifier: MIT
"""A PyTorch program for packaging/verify-cuda: training steps, a second stream, a captured graph with its private pool, and a
pool of its own. Everything runs once before the first checkpoint, so that all kernels and libraries are loaded.

Prints one JSON line per checkpoint: the time on the monotonic and on the real-time clock, the allocated and reserved bytes of
PyTorch's allocator, and the used bytes of the device. With `--time N`, prints only the mean time of N training steps, in
milliseconds.
"""
import json
import sys
import time

import torch


def checkpoint(name):
    torch.cuda.synchronize()
    stats = torch.cuda.memory_stats()
    available, total = torch.cuda.mem_get_info()
    print(json.dumps({"name": name, "time": time.monotonic_ns(), "day_time": time.time_ns(), "allocated": stats["allocated_bytes.all.current"],
                      "reserved": stats["reserved_bytes.all.current"], "used": total - available}), flush=True)


def phases(model, optimizer, x, report):
    def step():
        optimizer.zero_grad(set_to_none=True)
        model(x).square().mean().backward()
        optimizer.step()

    for _ in range(2):
        step()
    report("two training steps")
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        y = torch.randn(8192, 8192, device="cuda")
        z = y @ y
    side.synchronize()
    report("a matmul on a second stream")
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        out = model(x)
    for _ in range(3):
        graph.replay()
    report("a captured graph, replayed")
    pool = torch.cuda.MemPool() if hasattr(torch.cuda, "MemPool") else None
    if pool is not None:
        with torch.cuda.use_mem_pool(pool):
            own = torch.empty(1 << 28, dtype=torch.uint8, device="cuda")
        report("a pool of its own")
        del own
    del y, z, out, graph, pool
    optimizer.zero_grad(set_to_none=True)
    torch.cuda.empty_cache()
    report("unused memory released")


def main():
    layers = [torch.nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True, dropout=0.0) for _ in range(4)]
    model = torch.nn.Sequential(*layers).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    x = torch.randn(16, 512, 1024, device="cuda")
    if sys.argv[1:2] == ["--time"]:
        rounds = int(sys.argv[2])
        for warm in (3, rounds):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            for _ in range(warm):
                optimizer.zero_grad(set_to_none=True)
                model(x).square().mean().backward()
                optimizer.step()
            torch.cuda.synchronize()
            seconds = time.perf_counter() - begin
        print(f"{seconds / rounds * 1e3:.4f}")
        return
    phases(model, optimizer, x, lambda name: None)
    checkpoint("start")
    phases(model, optimizer, x, checkpoint)


main()
