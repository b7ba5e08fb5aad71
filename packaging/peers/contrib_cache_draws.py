# SPDX-License-Identifier: MIT
"""Randomly generated com.microsoft operators with a cache or with a data-dependent result shape; see contrib_draws.py.

The sixth entry of a draw contains masks of the elements that the operator specifies; padding is unspecified.
"""
import numpy as np

F32, U8, I8, I32, I64 = np.float32, np.uint8, np.int8, np.int32, np.int64


class CacheDraws:
    """Mix-in for a class with whole, one_of, f32, sizes, rng and fixed."""

    def one_cache(self, bits, batch, heads, room, head):
        if bits == 0:
            return self.f32(batch, heads, room, head)
        low, high, kind = (-128, 128, I8) if bits == 8 else (0, 256, U8)
        return self.rng.integers(low, high, (batch, heads, room, head * bits // 8)).astype(kind)

    def cache_scales(self, bits, kv, head):
        """Attributes and both scales of a quantised KV cache."""
        kind = self.one_of("PER_TENSOR", "PER_CHANNEL")
        shape = [1] if kind == "PER_TENSOR" else [1, kv, 1, head]
        low, high = (0.01, 0.03) if bits == 8 else (0.2, 0.5)
        return ({"k_quant_type": kind, "v_quant_type": kind, "kv_cache_bit_width": bits},
                [self.fixed(self.rng.uniform(low, high, shape).astype(F32)) for _ in "kv"])

    def contrib_draw_told_cache(self):
        """KV caches that are sliding, quantised, or filled with padded chunks."""
        kv, head, batch, bits = self.whole(1, 4), 16 * self.whole(1, 3), self.one_of(1, 1, 2, 3), self.one_of(0, 4, 8)
        heads, slides, padded = kv * self.whole(1, 4), self.whole(0, 2), self.whole(0, 2)
        steps = self.whole(1, 6) if batch == 1 or padded else 1
        at = {"num_heads": heads, "kv_num_heads": kv}
        if slides:
            window = self.whole(1, 6)
            room = window + self.whole(0, 5)
            at |= {"sliding_window_cache": 1, "local_window_size": window}
            ends = self.whole(steps, 3 * room + steps + 1, batch)
        else:
            room = self.whole(steps + 1, 12 + steps)
            ends = self.whole(steps, room + 1, batch)
            if self.whole(0, 3) == 0:
                at["local_window_size"] = self.whole(1, room)
        fresh = np.array([self.whole(0 if end > steps else 1, steps + 1) for end in ends]) if padded else np.full(batch, steps)
        if padded and not slides:  # the entire padded chunk fits
            ends = np.minimum(ends, room - steps + fresh)
        total = int(ends.max()) if slides or not padded else room
        scales = []
        if bits:
            more, scales = self.cache_scales(bits, kv, head)
            at |= more
        rotary = self.whole(0, 2)
        inputs = [self.f32(batch, steps, heads * head), self.f32(batch, steps, kv * head), self.f32(batch, steps, kv * head),
                  self.one_cache(bits, batch, kv, room, head), self.one_cache(bits, batch, kv, room, head), (ends - 1).astype(I32),
                  self.fixed(np.array([max(total, steps)], I32))]
        if rotary:
            at |= {"do_rotary": 1, "rotary_interleaved": self.whole(0, 2)}
            angles = self.f32(int(ends.max()) + steps + 4, head // 2)
            inputs += [np.cos(angles), np.sin(angles)]
        else:
            inputs += [None, None]
        inputs += [None, self.f32(1, 1, steps, max(total, steps)) if self.whole(0, 4) == 0 else None, self.f32(heads) if self.whole(0, 4) == 0 else None]
        inputs += [*(scales or [None, None]), None, None, fresh.astype(I32) if padded else None]
        while inputs[-1] is None:
            inputs.pop()
        step = room - at.get("local_window_size", 0) + 1
        length = room if slides else max(room, total)
        held = [end if not slides or end <= room else end - step * -(-(end - room) // step) for end in ends]
        rows = np.array([[s < count for s in range(steps)] for count in fresh])[:, :, None]
        kept = np.array([[i < count for i in range(length)] for count in held])[:, None, :, None]
        return "GroupQueryAttention", at, inputs, ["y0", "y1", "y2"], 1e-3, {"y0": rows, "y1": kept, "y2": kept}

    def contrib_draw_beams(self):
        """Beams with a bias are excluded because ONNX Runtime reads the bias of the wrong head."""
        beams, groups, heads, head = self.whole(1, 4), self.whole(1, 3), self.whole(1, 4), 8 * self.whole(1, 3)
        batch, room = beams * groups, self.whole(2, 9)
        past, width = self.whole(1, room), heads * head
        inputs = [self.f32(batch, 1, width), self.f32(batch, 1, width), self.f32(batch, 1, width)]
        mask = np.maximum(self.whole(0, 2, (batch, past + 1)), np.arange(past + 1) == past).astype(I32) if self.whole(0, 2) else None
        bias = self.f32(3 * width) if self.whole(0, 2) else None
        caches = [self.f32(batch, heads, room, head), self.f32(batch, heads, room, head)]
        # Keys up to and including the new one are used.
        told, of = self.fixed(np.array([past], I32)), self.whole(0, beams, (groups, beams, room)).astype(I32)
        if self.whole(0, 2):
            inputs += [bias, mask, None, *caches, told, of]
            return "MultiHeadAttention", {"num_heads": heads}, inputs, 3, 1e-3
        inputs += [mask, None, *caches, told, self.fixed(np.array([beams], I32)), of, bias]
        return "DecoderMaskedMultiHeadAttention", {"num_heads": heads, "past_present_share_buffer": 1}, inputs, 3, 1e-3

    def contrib_draw_attending_lstm(self):
        steps, batch, width, hidden, memory, depth, inner = self.sizes(1, 6, (7, 8))
        direction = self.one_of("forward", "reverse", "bidirectional")
        ways = 2 if direction == "bidirectional" else 1
        last = self.one_of(0, 3)
        seen = last or depth
        at = {"hidden_size": hidden, "direction": direction}
        if self.whole(0, 3) == 0:
            at |= {"activations": ["Sigmoid", "Relu", "Softsign"] * ways, "clip": 2.0}
        if self.whole(0, 3) == 0:
            at["input_forget"] = 1

        def perhaps(array, otherwise=None):
            return array if self.whole(0, 2) else otherwise

        inputs = [self.f32(steps, batch, width), self.f32(ways, 4 * hidden, width + seen), self.f32(ways, 4 * hidden, hidden),
                  perhaps(self.f32(ways, 8 * hidden)), perhaps(self.whole(1, steps + 1, batch).astype(I32)), perhaps(self.f32(ways, batch, hidden)),
                  perhaps(self.f32(ways, batch, hidden)), perhaps(self.f32(ways, 3 * hidden)), self.f32(ways, hidden, inner), self.f32(ways, depth, inner),
                  self.f32(ways, inner), self.f32(batch, memory, depth), perhaps(self.whole(1, memory + 1, batch).astype(I32))]
        if last:
            inputs += [self.f32(ways, depth + hidden, last)]
        return "AttnLSTM", at, inputs, 3, 1e-3

    # --- data-dependent shapes
