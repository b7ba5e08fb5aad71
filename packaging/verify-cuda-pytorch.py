# SPDX-License-Identifier: MIT
"""Networks on the CUDA backend beside PyTorch in eager mode, in turns: verify-cuda-pytorch.py ARENASCOPE_CLI

resnet50 with seeded weights, at batch 1 and 32. PyTorch's peak of reserved bytes stands beside the planned arena.
"""
import json
import statistics
import subprocess
import sys

import torch
import torchvision

ROUNDS, TIMES = 5, 30


def ours(cli, batch):
    """Seconds of one run, the median of a round's; and the bytes of the arena."""
    command = [cli, "run", "zoo:resnet50", "--backend", "cuda", "--repeat", str(TIMES), "--json"]
    if batch > 1:
        command += ["--dim", f"batch={batch}"]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return statistics.median(said["seconds"][2:]), said["peak_bytes"]


def theirs(model, image):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    seconds = []
    for _ in range(TIMES):
        begin.record()
        model(image)
        end.record()
        end.synchronize()
        seconds.append(begin.elapsed_time(end) / 1000)
    return statistics.median(seconds[2:])


def main():
    cli = sys.argv[1]
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    with torch.inference_mode():
        model = torchvision.models.resnet50().eval().cuda()
        for batch in (1, 32):
            image = torch.randn(batch, 3, 224, 224, device="cuda")
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            weights = torch.cuda.memory_reserved()
            pairs = [(ours(cli, batch), theirs(model, image)) for _ in range(ROUNDS)]
            mine = statistics.median(a[0] for a, _ in pairs)
            peer = statistics.median(b for _, b in pairs)
            reserved = torch.cuda.max_memory_reserved() - weights
            print(f"resnet50 batch {batch} f32: {mine * 1e3:.3f} ms, PyTorch {peer * 1e3:.3f} ms, {peer / mine:.2f} times its speed (wanted 1.0)")
            print(f"  peak bytes {pairs[0][0][1]}, PyTorch's peak reserved for activations {reserved}")


if __name__ == "__main__":
    main()
