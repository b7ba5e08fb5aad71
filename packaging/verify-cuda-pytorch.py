# SPDX-License-Identifier: MIT
"""Compares the CUDA backend with PyTorch in alternating rounds: verify-cuda-pytorch.py ARENASCOPE_CLI [--quick] [--compile]

Networks: resnet50 with batch 1 and 32, and bert_base with 128 tokens, in f32 and stored as f16, with random weights. Times
are measured on the host, from the call to the end of the device's work, with inputs on the device; the first third of each
round is warm-up. Neither side rounds f32 to tf32, and both accumulate f16 matmuls in f32. Memory: PyTorch's peak of reserved
bytes, without weights and inputs, compared with the planned arena plus the work buffer. Both sides compute activations
in place where possible. PyTorch runs in eager mode, and with --compile also by torch.compile(mode="reduce-overhead"), whose
compilation takes up to a minute per network.
"""
import json
import statistics
import subprocess
import sys
import time

import torch


def ours(cli, model, times, options):
    """Median seconds of one run; bytes of the arena plus the work buffer."""
    command = [cli, "run", model, "--backend", "cuda", "--no-node-times", "--in-place", "--repeat", str(times), "--json",
               *options]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return statistics.median(report["seconds"][times // 3:]), report["arena_bytes"] + report["work_bytes"]


def theirs(run, times):
    seconds = []
    for _ in range(times):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        run()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds[times // 3:])


def held(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def resnet50(batch, dtype):
    import torchvision

    model = torchvision.models.resnet50().eval().to("cuda", dtype)
    image = torch.randn(batch, 3, 224, 224, device="cuda", dtype=dtype)
    return model, image, held([image, *model.parameters(), *model.buffers()])


def bert_base(_, dtype):
    import transformers

    model = transformers.BertModel(transformers.BertConfig()).eval().to("cuda", dtype)
    tokens = torch.randint(0, 30000, (1, 128), device="cuda")
    return model, tokens, held([tokens, *model.parameters(), *model.buffers()])


def compare(cli, name, make, batch, dtype, rounds, times, with_compiled):
    torch.cuda.empty_cache()
    model, given_input, given = make(batch, dtype)

    def run():
        return model(given_input)

    run()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    run()
    torch.cuda.synchronize()
    reserved = torch.cuda.max_memory_reserved() - given
    options = ["--dim", f"batch={batch}"] if batch > 1 else []
    if dtype == torch.float16:
        options += ["--backend-option", "precision=low"]
    runs = [("PyTorch", run)]
    if with_compiled:
        compiled = torch.compile(model, mode="reduce-overhead")
        for _ in range(3):
            compiled(given_input)
        runs.append(("torch.compile", lambda: compiled(given_input)))
    samples = [(ours(cli, f"zoo:{name}", times, options), [theirs(peer, times) for _, peer in runs]) for _ in range(rounds)]
    mine = statistics.median(own[0] for own, _ in samples)
    arena = samples[0][0][1]
    for i, (title, _) in enumerate(runs):
        peer = statistics.median(peers[i] for _, peers in samples)
        print(f"{name} batch {batch} {str(dtype)[6:]}: {mine * 1e3:.3f} ms, {title} {peer * 1e3:.3f} ms, "
              f"{peer / mine:.2f} times as fast (target: at least 1.0)")
    print(f"  arena and work buffer {arena} bytes, PyTorch's peak reserved {reserved} bytes, ratio {arena / reserved:.2f} "
          f"(target: at most 0.8)", flush=True)


def main():
    cli = sys.argv[1]
    quick = "--quick" in sys.argv
    rounds, times = (2, 9) if quick else (3, 90)
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    with torch.inference_mode():
        for name, make, batch in (("resnet50", resnet50, 1), ("resnet50", resnet50, 32), ("bert_base", bert_base, 1)):
            for dtype in (torch.float32, torch.float16):
                try:
                    compare(cli, name, make, batch, dtype, rounds, times, "--compile" in sys.argv)
                except ImportError as missing:
                    print(f"{name} batch {batch}: not measured: {missing.name} is not installed")


if __name__ == "__main__":
    main()
