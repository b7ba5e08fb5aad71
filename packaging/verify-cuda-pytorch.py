# SPDX-License-Identifier: MIT
"""Networks on the CUDA backend beside PyTorch in eager mode, in turns: verify-cuda-pytorch.py ARENASCOPE_CLI [--quick]

resnet50 at batch 1 and 32 and bert_base at 128 tokens, in f32 and stored as f16, weights of any values. Times are the host's, from the
call to the end of the device's work. PyTorch's peak of reserved bytes, weights apart, stands beside the planned arena.
"""
import json
import statistics
import subprocess
import sys
import time

import torch


def ours(cli, model, times, options):
    """Seconds of one run, the median; and the bytes of the arena."""
    command = [cli, "run", model, "--backend", "cuda", "--whole", "--repeat", str(times), "--json", *options]
    said = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return statistics.median(said["seconds"][3:]), said["arena_bytes"]


def theirs(run, times):
    seconds = []
    for _ in range(times):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        run()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds[3:])


def resnet50(batch, dtype):
    import torchvision

    model = torchvision.models.resnet50().eval().to("cuda", dtype)
    image = torch.randn(batch, 3, 224, 224, device="cuda", dtype=dtype)
    return lambda: model(image)


def bert_base(_, dtype):
    import transformers

    model = transformers.BertModel(transformers.BertConfig(attn_implementation="eager")).eval().to("cuda", dtype)
    words = torch.randint(0, 30000, (1, 128), device="cuda")
    return lambda: model(words)


def compare(cli, name, make, batch, dtype, rounds, times):
    torch.cuda.empty_cache()
    run = make(batch, dtype)
    run()
    torch.cuda.synchronize()
    weights = torch.cuda.memory_allocated()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    run()
    torch.cuda.synchronize()
    reserved = torch.cuda.max_memory_reserved() - weights
    options = ["--dim", f"batch={batch}"] if batch > 1 else []
    if dtype == torch.float16:
        options += ["--backend-option", "precision=low"]
    pairs = [(ours(cli, f"zoo:{name}", times, options), theirs(run, times)) for _ in range(rounds)]
    mine = statistics.median(a[0] for a, _ in pairs)
    peer = statistics.median(b for _, b in pairs)
    arena = pairs[0][0][1]
    print(f"{name} batch {batch} {str(dtype)[6:]}: {mine * 1e3:.3f} ms, PyTorch {peer * 1e3:.3f} ms, "
          f"{peer / mine:.2f} times its speed (wanted 1.0)")
    print(f"  arena {arena} bytes, PyTorch's peak reserved {reserved}, {arena / reserved:.2f} of it (wanted 0.8 at most)")


def main():
    cli = sys.argv[1]
    quick = "--quick" in sys.argv
    rounds, times = (2, 8) if quick else (5, 33)
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    with torch.inference_mode():
        for name, make, batch in (("resnet50", resnet50, 1), ("resnet50", resnet50, 32), ("bert_base", bert_base, 1)):
            for dtype in (torch.float32, torch.float16):
                try:
                    compare(cli, name, make, batch, dtype, rounds, times)
                except ImportError as missing:
                    print(f"{name} batch {batch}: not measured, {missing.name} is not installed")


if __name__ == "__main__":
    main()
