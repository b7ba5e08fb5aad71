# SPDX-License-Identifier: MIT
"""Randomly generated operators of ONNX Runtime's domain com.microsoft, for packaging/peers/operators.

Each draw returns (operator, attributes, inputs, outputs, tolerance). `outputs` is a count or a list of names; outputs named
"unchecked" may differ. The tolerance is relative to the largest value. Quantised integers may differ by one: if a sum of
floats is halfway between two integers, its last digit decides.
"""
import numpy as np

F32, U8, I8, I32, I64 = np.float32, np.uint8, np.int8, np.int32, np.int64


class ContribDraws:
    """Mix-in for a class with whole, one_of, f32, sizes and rng."""

    def contrib_next(self):
        kinds = [getattr(self, name) for name in dir(type(self)) if name.startswith("contrib_draw_")]
        return kinds[self.whole(0, len(kinds))]()

    def bytes_of(self, kind, *sizes):
        info = np.iinfo(kind)
        return self.rng.integers(info.min, info.max + 1, sizes).astype(kind)

    def scale(self, low=0.01, high=0.1):
        return self.fixed(np.array(self.rng.uniform(low, high), F32))

    def zero(self, kind):
        return self.fixed(np.array(self.whole(100, 150) if kind is U8 else self.whole(-20, 20), kind))

    # --- attention

    def contrib_draw_group_query(self):
        kv, times, head = self.whole(1, 4), self.whole(1, 4), 16 * self.whole(1, 4)
        heads, batch, past = kv * times, self.one_of(1, 1, 2, 3), self.one_of(0, 0, 3, 9)
        steps = self.whole(1, 7) if past == 0 or batch == 1 else 1
        room = past + self.one_of(0, 0, 12) if past else 0
        total = past + steps
        shared = room > past
        lengths = np.array([total - 1 if b == 0 or past == 0 else self.whole(max(steps, 1), total) - 0 for b in range(batch)])
        lengths = np.minimum(lengths, total - 1).astype(I32)
        if not shared and batch > 1 and past:
            room = past
        at = {"num_heads": heads, "kv_num_heads": kv}
        if self.whole(0, 3) == 0:
            at["local_window_size"] = self.whole(1, total + 3)
        if self.whole(0, 3) == 0:
            at["softcap"] = float(self.rng.uniform(1, 20))
        if self.whole(0, 3) == 0:
            at["scale"] = float(self.rng.uniform(0.05, 0.5))
        rotary = self.whole(0, 2)
        if rotary:
            at["do_rotary"], at["rotary_interleaved"] = 1, self.whole(0, 2)
        packed = self.whole(0, 2)
        q = self.f32(batch, steps, heads * head)
        k, v = self.f32(batch, steps, kv * head), self.f32(batch, steps, kv * head)
        inputs = [np.concatenate([q, k, v], -1), None, None] if packed else [q, k, v]
        inputs += [self.f32(batch, kv, room, head), self.f32(batch, kv, room, head)] if past else [None, None]
        inputs += [lengths, self.fixed(np.array(total, I32))]
        angles = self.f32(total + 4, head // 2)
        inputs += [np.cos(angles), np.sin(angles)] if rotary else [None, None]
        inputs += [None]
        inputs += [self.f32(1, heads, steps, total)] if self.whole(0, 4) == 0 else [None]
        if self.whole(0, 4) == 0:
            inputs += [self.f32(heads)]
        elif self.whole(0, 5) == 0:
            at["smooth_softmax"] = 1
        # Values beyond the keys of a sequence are unspecified.
        ragged = batch > 1 and (lengths != total - 1).any()
        rest = ["unchecked1", "unchecked2"] if ragged or shared else ["y1", "y2"]
        return "GroupQueryAttention", at, inputs, ["y0", *rest], 1e-3

    def contrib_draw_multi_head(self):
        heads, head, batch, steps, past = self.whole(1, 5), 8 * self.whole(1, 4), self.whole(1, 3), self.whole(1, 6), self.one_of(0, 0, 4)
        keys = steps if past else self.one_of(steps, self.whole(1, 8))
        width, values = heads * head, heads * 8 * self.whole(1, 3)
        form = self.one_of("plain", "plain", "plain", "cross")
        at = {"num_heads": heads}
        if form == "cross":
            inputs = [self.f32(batch, steps, width), self.f32(batch, heads, keys, head), self.f32(batch, heads, keys, values // heads)]
        else:
            inputs = [self.f32(batch, steps, width), self.f32(batch, keys, width), self.f32(batch, keys, values)]
        if form != "plain" or values != width:
            past = 0
        elif self.whole(0, 2):
            at["unidirectional"] = int(steps == keys)
        total = past + keys
        inputs += [self.f32(2 * width + values)] if form == "plain" and self.whole(0, 2) else [None]
        mask = self.one_of(None, None, "ends", "rows", "all")
        if mask == "ends":
            inputs += [self.whole(1, total + 1, batch).astype(I32)]
        elif mask == "rows":
            inputs += [np.maximum(self.whole(0, 2, (batch, total)), np.arange(total) == 0).astype(I32)]
        elif mask == "all":
            inputs += [np.maximum(self.whole(0, 2, (batch, steps, total)), np.arange(total) == 0).astype(I32)]
        else:
            inputs += [None]
        inputs += [self.f32(self.one_of(1, batch), self.one_of(1, heads), steps, total)] if self.whole(0, 3) == 0 else [None]
        if past:
            inputs += [self.f32(batch, heads, past, head), self.f32(batch, heads, past, head)]
        return "MultiHeadAttention", at, inputs, 3 if past else 1, 1e-3

    def contrib_draw_attention(self):
        heads, head, batch, steps, past = self.whole(1, 4), 8 * self.whole(1, 4), self.whole(1, 3), self.whole(1, 6), self.one_of(0, 0, 3)
        width, own, total = heads * head, 4 * self.whole(1, 6), past + steps
        at = {"num_heads": heads, "unidirectional": self.whole(0, 2)}
        values = width
        if not past and self.whole(0, 3) == 0:
            values = heads * 8 * self.whole(1, 4)
            at["qkv_hidden_sizes"] = [width, width, values]
        inputs = [self.f32(batch, steps, own), self.fixed(self.f32(own, 2 * width + values)), self.fixed(self.f32(2 * width + values))]
        mask = self.one_of(None, "ends", "both", "rows", "all")
        if mask == "ends":
            inputs += [self.whole(1, total + 1, batch).astype(I32)]
        elif mask == "both":
            ends = self.whole(1, total + 1, batch)
            inputs += [np.concatenate([ends, (self.rng.random(batch) * ends).astype(I64)]).astype(I32)]
        elif mask == "rows":
            inputs += [np.maximum(self.whole(0, 2, (batch, total)), np.arange(total) == 0).astype(I32)]
        elif mask == "all":
            inputs += [np.maximum(self.whole(0, 2, (batch, steps, total)), np.arange(total) == 0).astype(I32)]
        else:
            inputs += [None]
        inputs += [self.f32(2, batch, heads, past, head)] if past else [None]
        inputs += [self.f32(1, heads, steps, total)] if self.whole(0, 3) == 0 and not past else [None]
        return "Attention", at, inputs, 2 if past else 1, 1e-3

    def contrib_draw_q_attention(self):
        heads, head, batch, steps = self.whole(1, 4), 8, self.whole(1, 3), self.whole(1, 6)
        width, own = heads * head, 4 * self.whole(1, 6)
        mask = self.whole(1, steps + 1, batch).astype(I32) if self.whole(0, 2) else None
        return ("QAttention", {"num_heads": heads, "unidirectional": self.whole(0, 2)},
                [self.bytes_of(U8, batch, steps, own), self.fixed(self.bytes_of(I8, own, 3 * width)), self.fixed(self.f32(3 * width)), self.scale(0.005, 0.01),
                 self.scale(0.005, 0.01), mask, self.zero(U8), self.fixed(np.array(0, I8))], 1, 1e-3)

    def contrib_draw_decoder(self):
        heads, head, batch, past = self.whole(1, 4), 8 * self.whole(1, 4), self.whole(1, 3), self.whole(1, 6)
        width, room = heads * head, past + self.whole(1, 4)
        inputs = [self.f32(batch, 1, width) for _ in range(3)]
        inputs += [np.maximum(self.whole(0, 2, (batch, past + 1)), np.arange(past + 1) == 0).astype(I32) if self.whole(0, 2) else None, None]
        inputs += [self.f32(batch, heads, room, head), self.f32(batch, heads, room, head), self.fixed(np.array([past], I32))]
        return "DecoderMaskedMultiHeadAttention", {"num_heads": heads, "past_present_share_buffer": 1}, inputs, ["y0", "unchecked1", "unchecked2"], 1e-3

    def contrib_draw_rotary_of_images(self):
        sections = [self.whole(0, 5), self.whole(0, 5), self.whole(1, 5)]
        pairs, batch, steps, heads, most = sum(sections), self.whole(1, 3), self.whole(1, 6), self.whole(1, 4), 20
        layout = self.whole(0, 2)
        width = 2 * pairs + 2 * self.whole(0, 3)
        x = self.f32(batch, heads, steps, width) if self.whole(0, 2) else self.f32(batch, steps, heads * width)
        angles = self.f32(most, pairs)
        return ("MRotaryEmbedding", {"mrope_section": sections, "mrope_layout": layout, "interleaved": self.whole(0, 2), "num_heads": heads, "rotary_embedding_dim": 2 * pairs, "scale": float(self.one_of(1, 0.5))},
                [x, self.rng.integers(0, most, (3, batch, steps)), np.cos(angles), np.sin(angles)], 1, 1e-5)

    def contrib_draw_inverse(self):
        rows = self.whole(1, 9)
        return "Inverse", {}, [self.f32(self.whole(1, 4), rows, rows) + 3 * np.eye(rows, dtype=F32)[self.rng.permutation(rows)]], 1, 1e-4

    def contrib_draw_rotary(self):
        batch, steps, heads, head = self.whole(1, 3), self.whole(1, 6), self.whole(1, 4), 4 * self.whole(1, 5)
        at, angles = {"interleaved": self.whole(0, 2)}, self.f32(steps + 5, head // 2)
        if self.whole(0, 3) == 0:
            angles = self.f32(steps + 5, head // 4)
            at["rotary_embedding_dim"], at["num_heads"] = head // 2, heads
        places = self.whole(0, 5, (1,)) if self.whole(0, 2) else self.whole(0, steps + 5, (batch, steps))
        x = self.f32(batch, steps, heads * head) if self.whole(0, 2) else self.f32(batch, heads, steps, head)
        return "RotaryEmbedding", at, [x, places.astype(I64), np.cos(angles), np.sin(angles)], 1, 1e-4

    # --- normalisations and activations

    def contrib_draw_skip_norm(self):
        batch, steps, width = self.whole(1, 3), self.whole(1, 5), 4 * self.whole(1, 9)
        x, skip = self.f32(batch, steps, width), self.f32(*self.one_of((batch, steps, width), (1, steps, width), (steps, width)))
        bias = self.f32(width) if self.whole(0, 2) else None
        at = {"epsilon": float(self.one_of(1e-5, 1e-12))}
        if self.whole(0, 2):
            return "SkipSimplifiedLayerNormalization", at, [x, self.f32(*x.shape), self.f32(width), bias], ["y0", "", "", "y3"], 1e-4
        return "SkipLayerNormalization", at, [x, skip, self.f32(width), self.f32(width), bias], ["y0", "", "", "y3"], 1e-4

    def contrib_draw_embed(self):
        batch, steps, width = self.whole(1, 3), self.whole(1, 6), 4 * self.whole(1, 9)
        kinds = self.whole(0, 2)
        ids = self.whole(0, 20, (batch, steps)).astype(I32)
        return ("EmbedLayerNormalization", {},
                [ids, self.whole(0, 2, (batch, steps)).astype(I32) if kinds else None, self.fixed(self.f32(20, width)), self.fixed(self.f32(9, width)),
                 self.fixed(self.f32(2, width)) if kinds else None, self.fixed(self.f32(width)), self.fixed(self.f32(width)),
                 (np.arange(steps) < self.whole(1, steps + 1, (batch, 1))).astype(I32)], 2, 1e-4)

    def contrib_draw_activation(self):
        sizes = self.sizes(1, 6)
        op = self.one_of("BiasGelu", "FastGelu", "FastGelu+", "Gelu", "QuickGelu", "ScaledSiLU")
        x, bias = self.f32(*sizes), self.f32(sizes[-1])
        if op == "QuickGelu":
            return op, {"alpha": float(self.rng.uniform(0.5, 3))}, [x], 1, 1e-4
        if op == "ScaledSiLU":
            return op, {"alpha": float(self.rng.uniform(0.5, 3))}, [x], 1, 1e-4
        return op.rstrip("+"), {}, [x, bias] if op in ("BiasGelu", "FastGelu+") else [x], 1, 1e-4

    def contrib_draw_gated(self):
        batch, steps, width = self.whole(1, 3), self.whole(1, 4), 4 * self.whole(1, 5)
        if self.whole(0, 2):
            return "GatedAdd", {}, [self.f32(batch, width), self.f32(batch, width), self.f32(batch, 1)], 1, 1e-4
        return ("GatedRMSNorm", {"activation": self.one_of("silu", "sigmoid")},
                [self.f32(batch, steps, 2 * width), self.f32(width), self.f32(batch, steps, 2 * width)], 1, 1e-4)

    # --- weights of 8 bits or fewer

    def codes(self, bits, block, rows, depth):
        return self.bytes_of(U8, rows, -(-depth // block), block * bits // 8)

    def contrib_draw_n_bits(self):
        bits, block = self.one_of(2, 4, 4, 4, 8), self.one_of(16, 32, 32, 64, 128, 256)
        depth = self.one_of(block * self.whole(1, 5), self.whole(1, 300))
        rows, lead = self.whole(1, 40), self.sizes(1, 5, (1, 3))
        blocks = -(-depth // block)
        at = {"K": depth, "N": rows, "bits": bits, "block_size": block, "accuracy_level": self.one_of(0, 1, 4)}
        inputs = [self.f32(*lead, depth), self.fixed(self.codes(bits, block, rows, depth)),
                  self.fixed(self.rng.uniform(0.01, 0.2, (rows, blocks)).astype(F32))]
        zero = self.one_of(None, "packed", "floats") if bits == 4 else self.one_of(None, "packed")
        if zero == "packed":
            inputs += [self.fixed(self.bytes_of(U8, rows, -(-blocks * bits // 8)))]
        elif zero == "floats":
            inputs += [self.fixed(self.rng.uniform(0, 15, (rows, blocks)).astype(F32))]
        else:
            inputs += [None]
        # With group indices ONNX Runtime supports only 4-bit weights without packed zero points.
        grouped = bits == 4 and zero != "packed" and depth == blocks * block and self.whole(0, 2)
        groups = self.whole(0, blocks, depth).astype(I32) if grouped else None
        if groups is not None and self.whole(0, 2):  # a run-time input
            inputs = [x if x is None or not i else x.array for i, x in enumerate(inputs)]
        elif groups is not None:
            groups = self.fixed(groups)
        inputs += [groups]
        if self.whole(0, 2):
            inputs += [self.fixed(self.f32(rows))]
        return "MatMulNBits", at, inputs, 1, 1e-4 if at["accuracy_level"] == 1 else 0.03

    def contrib_draw_gather_blocks(self):
        bits, block, rows = self.one_of(2, 4, 8), self.one_of(16, 32, 64), self.whole(1, 12)
        depth = block * self.whole(1, 4)
        blocks = depth // block
        inputs = [self.fixed(self.bytes_of(U8, rows, depth * bits // 8)), self.whole(0, rows, self.sizes(1, 4, (1, 3))).astype(I64),
                  self.fixed(self.f32(rows, blocks))]
        if self.whole(0, 2):
            inputs += [self.fixed(self.bytes_of(U8, rows, -(-blocks * bits // 8)))]
        return "GatherBlockQuantized", {"bits": bits, "block_size": block, "gather_axis": 0, "quantize_axis": 1}, inputs, 1, 1e-4

    def contrib_draw_bnb4(self):
        block, rows, depth = self.one_of(16, 32, 64), self.whole(1, 12), 2 * self.whole(4, 40)
        count = rows * depth
        return ("MatMulBnb4", {"K": depth, "N": rows, "block_size": block, "quant_type": self.whole(0, 2)},
                [self.f32(self.whole(1, 4), depth), self.fixed(self.bytes_of(U8, (count + 1) // 2)), self.fixed(np.abs(self.f32(-(-count // block))))], 1, 1e-3)

    def contrib_draw_experts(self):
        experts, rows, width, inner = self.whole(2, 6), self.whole(1, 6), 8 * self.whole(1, 4), 8 * self.whole(1, 4)
        kind = self.one_of("relu", "gelu", "silu", "identity", "swiglu")
        at = {"activation_type": kind, "k": self.whole(1, 3), "normalize_routing_weights": self.whole(0, 2)}
        if kind == "swiglu":
            at |= {"swiglu_fusion": 1, "activation_alpha": 1.702, "activation_beta": 1.0, "swiglu_limit": 7.0}
        first = 2 * inner if kind == "swiglu" else inner
        return ("MoE", at, [self.f32(rows, width), self.f32(rows, experts), self.fixed(self.f32(experts, first, width)), self.fixed(self.f32(experts, first)),
                            self.fixed(self.f32(experts, width, inner)), self.fixed(self.f32(experts, width))], 1, 1e-3)

    def contrib_draw_q_experts(self):
        experts, rows, width, inner, bits = self.whole(2, 6), self.whole(1, 6), 32 * self.whole(1, 3), 32 * self.whole(1, 3), self.one_of(4, 8)
        kind = self.one_of("silu", "swiglu")
        at = {"activation_type": kind, "k": self.whole(1, 3), "normalize_routing_weights": 1, "expert_weight_bits": bits}
        if kind == "swiglu":
            at |= {"swiglu_fusion": 1, "activation_alpha": 1.702, "activation_beta": 1.0, "swiglu_limit": 7.0}
        first = 2 * inner if kind == "swiglu" else inner

        def layer(rows_of, depth):
            return [self.fixed(self.bytes_of(U8, experts, rows_of, depth * bits // 8)),
                    self.fixed(self.rng.uniform(0.001, 0.01, (experts, rows_of)).astype(F32)), self.fixed(self.f32(experts, rows_of))]

        return "QMoE", at, [self.f32(rows, width), self.f32(rows, experts), *layer(first, width), *layer(width, inner)], 1, 0.03

    # --- quantised

    def contrib_draw_q_binary(self):
        kind, (a, b) = self.one_of(U8, I8), self.broadcast(2)
        return (self.one_of("QLinearAdd", "QLinearMul"), {},
                [self.bytes_of(kind, *a), self.scale(), self.zero(kind), self.bytes_of(kind, *b), self.scale(), self.zero(kind), self.scale(), self.zero(kind)], 1, 0)

    def contrib_draw_q_unary(self):
        kind, sizes = self.one_of(U8, I8), self.sizes(1, 6)
        op = self.one_of("QLinearSigmoid", "QLinearLeakyRelu", "QLinearSoftmax")
        at = {"alpha": 0.1} if op == "QLinearLeakyRelu" else {"axis": self.whole(0, len(sizes)), "opset": self.one_of(11, 13)} if op == "QLinearSoftmax" else {}
        out = self.fixed(np.array(1 / 256, F32)) if op != "QLinearLeakyRelu" else self.scale()
        return op, at, [self.bytes_of(kind, *sizes), self.scale(), self.zero(kind), out, self.fixed(np.array(0, kind))], 1, 0

    def contrib_draw_q_pool(self):
        last, channels = self.whole(0, 2), self.whole(1, 5)
        space = self.sizes(4, 8, (2, 3))
        x = self.bytes_of(U8, 2, *space, channels) if last else self.bytes_of(U8, 2, channels, *space)
        inputs = [x, self.scale(), self.zero(U8), self.scale(), self.zero(U8)]
        if self.whole(0, 2):
            return "QLinearGlobalAveragePool", {"channels_last": last}, inputs, 1, 0
        kernel = self.sizes(1, 4, (2, 3))
        return ("QLinearAveragePool", {"channels_last": last, "kernel_shape": kernel, "strides": self.sizes(1, 3, (2, 3)), "count_include_pad": self.whole(0, 2),
                                       "pads": [self.whole(0, k) for k in kernel + kernel]}, inputs, 1, 0)

    def contrib_draw_q_conv(self):
        last, channels, made = self.whole(0, 2), self.whole(1, 5), self.whole(1, 6)
        x = self.bytes_of(U8, 1, 7, 6, channels) if last else self.bytes_of(U8, 1, channels, 7, 6)
        return ("QLinearConv", {"channels_last": last, "pads": [self.whole(0, 2) for _ in range(4)], "strides": self.sizes(1, 3, (2, 3))},
                [x, self.scale(), self.zero(U8), self.fixed(self.bytes_of(I8, made, channels, 3, 2)), self.scale(), self.fixed(np.array(0, I8)),
                 self.scale(0.5, 2), self.zero(U8), self.fixed(self.whole(-1000, 1000, made).astype(I32))], 1, 0)

    def contrib_draw_q_concat(self):
        sizes, axis = self.sizes(1, 5, (2, 4)), self.whole(0, 2)
        parts = []
        for _ in range(self.whole(1, 4)):
            sizes[axis] = self.whole(1, 5)
            parts += [self.bytes_of(U8, *sizes), self.scale(), self.zero(U8)]
        return "QLinearConcat", {"axis": axis}, [self.scale(), self.zero(U8), *parts], 1, 0

    def contrib_draw_q_where(self):
        condition, a, b = self.broadcast(3)
        return ("QLinearWhere", {}, [self.rng.random(condition) > 0.5, self.bytes_of(U8, *a), self.scale(), self.zero(U8), self.bytes_of(U8, *b), self.scale(),
                                     self.zero(U8), self.scale(), self.zero(U8)], 1, 0)

    def contrib_draw_q_gemm(self):
        rows, depth, columns = self.sizes(1, 20, (3, 4))
        turn, closed = self.whole(0, 2), self.whole(0, 2)
        b = self.bytes_of(I8, columns, depth) if turn else self.bytes_of(I8, depth, columns)
        inputs = [self.bytes_of(U8, rows, depth), self.scale(), self.zero(U8), self.fixed(b), self.scale(), self.fixed(np.array(0, I8)),
                  self.fixed(self.whole(-1000, 1000, columns).astype(I32))]
        inputs += [self.scale(1, 4), self.zero(U8)] if closed else []
        return "QGemm", {"transB": turn, "alpha": float(self.one_of(1, 0.5))}, inputs, 1, 0 if closed else 1e-4

    def contrib_draw_integer_product(self):
        rows, depth, columns = self.sizes(1, 20, (3, 4))
        each = self.whole(0, 2)
        scale = self.fixed(self.rng.uniform(0.01, 0.1, columns).astype(F32)) if each else self.scale()
        zero = self.fixed(np.zeros(columns if each else (), I8))
        b = self.fixed(self.bytes_of(I8, depth, columns))
        bias = [self.fixed(self.f32(columns))] if self.whole(0, 2) else []
        if self.whole(0, 2):
            return "DynamicQuantizeMatMul", {}, [self.f32(rows, depth), b, scale, zero, *bias], 1, 2e-3
        return "MatMulIntegerToFloat", {}, [self.bytes_of(U8, rows, depth), b, self.scale(), scale, self.zero(U8), zero, *bias], 1, 1e-4

    # --- branches, n-gram tables, packed sequences

    def narrow(self, *arrays):
        """Sometimes converts all inputs to 16 bits. Returns them with the tolerance of the results."""
        if self.whole(0, 4):
            return arrays, 1e-4
        return [None if x is None else x.astype(np.float16) if x.dtype == F32 else x for x in arrays], 3e-3

    def packed(self, least=1):
        """Cumulative sequence lengths."""
        lengths = self.whole(least, 5, self.whole(1, 4))
        lengths = lengths if lengths.sum() else lengths + 1
        return np.concatenate([[0], np.cumsum(lengths)]).astype(I32), int(lengths.sum()), len(lengths)

    def contrib_draw_packed_conv(self):
        cu, total, count = self.packed()
        channels, taps, dilation = self.whole(1, 6), self.whole(1, 5), self.whole(1, 4)
        at = {"dilation": dilation, "activation": self.one_of("none", "silu", "swish")}
        inputs, loose = self.narrow(self.f32(total, channels), self.f32(channels, 1, taps), cu, self.f32(channels) if self.whole(0, 2) else None,
                                    self.f32(count, channels, (taps - 1) * dilation))
        if self.whole(0, 2):
            at["state_update_capacity"] = self.whole(1, 5)
            return "VarlenCausalConvWithState", at, [*inputs, self.whole(-1, 6, count).astype(I32)], 3, loose
        return "VarlenCausalConvWithState", at, inputs, 2, loose

    def contrib_draw_delta(self):
        cu, total, count = self.packed(0)
        heads, groups, width, values = self.whole(1, 4), self.whole(1, 4), self.whole(1, 6), self.whole(1, 6)
        every = heads * groups
        form = self.one_of("ragged", "ragged", "even", "batch")
        lead = (total,)
        if form != "ragged":
            count, steps = self.sizes(1, 5, (2, 3))
            lead = (count, steps) if form == "batch" else (count * steps,)
        rule = self.one_of("linear", "gated", "delta", "gated_delta")
        at = {"update_rule": rule} if rule != "gated_delta" else {}
        at |= {"scale": 0.3} if self.whole(0, 2) else {}
        unit = rule in ("delta", "gated_delta") or self.whole(0, 2)
        at |= {"qk_l2_norm": 1} if unit else {}
        short = F32(self.one_of(1, 1, 1e-3) if unit else 1)
        q, k, v = short * self.f32(*lead, heads, width), short * self.f32(*lead, heads, width), self.f32(*lead, every, values)
        state = self.f32(count, every, values, width)
        packed = self.whole(0, 3) == 0
        if packed:
            q = np.concatenate([x.reshape(*lead, -1) for x in (q, k, v)], -1)
        inputs = [q, None if packed else k, None if packed else v, cu if form == "ragged" else None]
        by_key = self.whole(0, 2)
        gate = self.one_of("none", "softplus", "qwen", "sigmoid", "kda")
        decay = self.f32(*lead, every, width) if by_key else self.f32(*lead, every)
        gated = "gated" in rule
        inputs += [(-np.abs(decay) if gate == "none" else decay) if gated else None]
        inputs += [self.rng.uniform(0, 1, (*lead, every)).astype(F32) if "delta" in rule else None]
        inputs += [state if packed or form == "even" or self.whole(0, 3) else None]
        if gated and gate != "none":
            at["gate_activation"] = gate
            inputs += [self.f32(every) / 2, self.f32(*(self.one_of((every,), (every, width), (every * width,)) if by_key else (every,)))]
        if "delta" in rule and self.whole(0, 2):
            at["beta_activation"] = "sigmoid"
        if self.whole(0, 3) == 0:
            at["state_update_capacity"] = self.whole(1, 4)
            inputs += [None] * (9 - len(inputs)) + [self.whole(-1, 5, count).astype(I32)]
            inputs += [np.array([self.whole(0, 2)], I32)] if self.whole(0, 2) else []
            return "GatedDeltaNet", at, inputs, 3, 1e-3
        return "GatedDeltaNet", at, inputs, 2, 1e-3

    # --- operators created by graph optimisers

    def contrib_draw_fused_product(self):
        batch, (m, n, k) = self.sizes(1, 3, (0, 3)), self.sizes(1, 6, (3, 4))
        at = {"alpha": float(self.rng.uniform(0.1, 2)), "transA": self.whole(0, 2), "transB": self.whole(0, 2)}
        if self.whole(0, 3) == 0:
            at = {"alpha": at["alpha"], "transA": at["transA"], "transB": at["transB"], "activation": self.one_of("Relu", "Tanh", "LeakyRelu"), "activation_alpha": 0.1}
            if at["activation"] != "LeakyRelu":
                del at["activation_alpha"]
            return ("FusedGemm", at, [self.f32(*((n, m) if at["transA"] else (m, n))), self.f32(*((k, n) if at["transB"] else (n, k))), self.f32(k)], 1, 1e-4)
        a, b = (n, m) if at["transA"] else (m, n), (k, n) if at["transB"] else (n, k)
        if batch and self.whole(0, 2):
            at["transBatchA"] = at["transBatchB"] = 1
            return "FusedMatMul", at, [self.f32(a[0], *batch, a[1]), self.f32(b[0], *batch, b[1])], 1, 1e-4
        return "FusedMatMul", at, [self.f32(*batch, *a), self.f32(*batch, *b)], 1, 1e-4

    def contrib_draw_fused_conv(self):
        channels, made = self.whole(1, 5), self.whole(1, 5)
        at = {"activation": self.one_of("Relu", "LeakyRelu", "Clip", "Sigmoid", "HardSigmoid")}
        numbers = {"LeakyRelu": [0.2], "Clip": [-0.5, 0.8], "HardSigmoid": [0.3, 0.4]}.get(at["activation"])
        if numbers:
            at["activation_params"] = numbers
        inputs = [self.f32(1, channels, 6, 6), self.fixed(self.f32(made, channels, 3, 3)), self.fixed(self.f32(made))]
        if self.whole(0, 2):
            inputs += [self.f32(1, made, 4, 4)]
        return "FusedConv", at, inputs, 1, 1e-4

    def contrib_draw_nhwc_pool(self):
        return "NhwcMaxPool", {"kernel_shape": [2, 3], "strides": self.sizes(1, 3, (2, 3))}, [self.bytes_of(U8, 1, 7, 6, self.whole(1, 5))], 1, 0

    def contrib_draw_rest(self):
        op = self.one_of("NGramRepeatBlock", "ExpandDims", "Unique", "Trilu")
        if op == "NGramRepeatBlock":
            batch = self.whole(1, 3)
            return op, {"ngram_size": self.whole(1, 4)}, [self.whole(0, 4, (batch, self.whole(2, 9))).astype(I64), self.f32(batch, 6)], 1, 0
        if op == "ExpandDims":
            return op, {}, [self.f32(2, 3), self.fixed(np.array(self.whole(-3, 3), I32))], 1, 0
        if op == "Unique":
            return op, {}, [self.whole(0, 6, self.whole(1, 12)).astype(F32)], 3, 0
        return op, {"upper": self.whole(0, 2)}, [self.f32(3, 4, 4), self.fixed(np.array(self.whole(-3, 4)))], 1, 0
