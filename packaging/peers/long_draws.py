# SPDX-License-Identifier: MIT
"""Randomly generated recurrences with more steps than Arenascope unrolls, for packaging/peers/operators.

Each draw returns (operator, opset or 0 for com.microsoft, attributes, inputs, number of outputs). States decay, so that rounding
errors do not accumulate over thousands of steps.
"""
import numpy as np

F32, I32 = np.float32, np.int32


class LongDraws:
    """Mixed into what draws shapes (whole, one_of, f32, sizes, rng, fixed)."""

    def long_next(self):
        kinds = [getattr(self, name) for name in dir(type(self)) if name.startswith("long_draw_")]
        return kinds[self.whole(0, len(kinds))]()

    def steps(self):
        return self.one_of(8193, 8448, self.whole(8193, 9000))

    def perhaps(self, array):
        return array if self.whole(0, 2) else None

    def weights(self, ways, rows, columns):
        return self.fixed(self.f32(ways, rows, columns) * F32(0.3 / np.sqrt(columns)))

    def lengths(self, steps, batch):
        return np.array([self.one_of(steps, self.whole(1, steps + 1), self.whole(1, 600)) for _ in range(batch)], I32)

    def long_draw_recurrent(self):
        op, direction = self.one_of("LSTM", "GRU", "RNN"), self.one_of("forward", "reverse", "bidirectional")
        gates, ways = {"LSTM": 4, "GRU": 3, "RNN": 1}[op], 2 if direction == "bidirectional" else 1
        hidden, width, batch = self.sizes(1, 5, (3, 4))
        steps = self.steps()
        at = {"hidden_size": hidden, "direction": direction}
        if op == "GRU":
            at["linear_before_reset"] = self.whole(0, 2)
        if self.whole(0, 3) == 0:
            at["clip"] = 2.0
        if self.whole(0, 3) == 0:
            names, alpha, beta = {"LSTM": (["HardSigmoid", "Tanh", "Softsign"], [0.3], [0.4]), "GRU": (["Sigmoid", "ScaledTanh"], [0.8], [0.9]),
                                  "RNN": (["LeakyRelu"], [0.1], [])}[op]
            at |= {"activations": names * ways, "activation_alpha": alpha * ways} | ({"activation_beta": beta * ways} if beta else {})
        states = [self.perhaps(self.f32(ways, batch, hidden)) for _ in range(2 if op == "LSTM" else 1)]
        inputs = [self.f32(steps, batch, width), self.weights(ways, gates * hidden, width), self.weights(ways, gates * hidden, hidden),
                  self.perhaps(self.fixed(self.f32(ways, 2 * gates * hidden))), self.perhaps(self.one_of(lambda x: x, self.fixed)(self.lengths(steps, batch))),
                  *states]
        if op == "LSTM":  # a plain one is one op
            inputs += [self.fixed(self.f32(ways, 3 * hidden) * F32(0.3))]
        return op, 18, at, inputs, 3 if op == "LSTM" else 2

    def long_draw_attending_lstm(self):
        batch, width, hidden, memory, depth, inner = self.sizes(1, 5, (6, 7))
        steps, direction = self.steps(), self.one_of("forward", "reverse", "bidirectional")
        ways, last = 2 if direction == "bidirectional" else 1, self.one_of(0, 3)
        inputs = [self.f32(steps, batch, width), self.weights(ways, 4 * hidden, width + (last or depth)), self.weights(ways, 4 * hidden, hidden),
                  self.perhaps(self.f32(ways, 8 * hidden)), self.perhaps(self.lengths(steps, batch)), self.perhaps(self.f32(ways, batch, hidden)),
                  self.perhaps(self.f32(ways, batch, hidden)), self.perhaps(self.f32(ways, 3 * hidden) * F32(0.3)), self.weights(ways, hidden, inner),
                  self.weights(ways, depth, inner), self.f32(ways, inner), self.f32(batch, memory, depth),
                  self.perhaps(self.whole(1, memory + 1, batch).astype(I32))]
        if last:
            inputs += [self.weights(ways, depth + hidden, last)]
        return "AttnLSTM", 0, {"hidden_size": hidden, "direction": direction}, inputs, 3

    def unit(self, *sizes):
        x = self.f32(*sizes)
        return x / np.linalg.norm(x, axis=-1, keepdims=True).astype(F32)

    def long_draw_linear(self):
        batch, heads, groups, width, values = self.sizes(1, 4, (5, 6))
        rule, steps = self.one_of("linear", "gated", "delta", "gated_delta"), self.steps()
        rows = lambda x: x.reshape(batch, steps, -1)
        decay = -np.abs(self.f32(batch, steps, heads * self.one_of(1, width)))
        inputs = [rows(self.f32(batch, steps, heads * groups, width)), rows(self.unit(batch, steps, heads, width)), rows(self.f32(batch, steps, heads, values)),
                  self.perhaps(self.f32(batch, heads, width, values)), decay if "gated" in rule else None,
                  self.rng.uniform(0, 1, (batch, steps, heads)).astype(F32) if "delta" in rule else None]
        return "LinearAttention", 0, {"q_num_heads": heads * groups, "kv_num_heads": heads, "update_rule": rule}, inputs, 2

    def long_draw_delta(self):
        heads, groups, width, values = self.sizes(1, 4, (4, 5))
        rule, form, every = self.one_of("linear", "gated", "delta", "gated_delta"), self.one_of("ragged", "even", "batch"), heads * groups
        if form == "ragged":
            lengths = [self.steps(), *(self.one_of(0, self.whole(0, 600), self.steps()) for _ in range(self.whole(0, 3)))]
            self.rng.shuffle(lengths)
            count, lead = len(lengths), (int(sum(lengths)),)
            cu = np.cumsum([0, *lengths]).astype(I32)
        else:
            count, steps = self.whole(1, 4), self.steps()
            lead, cu = (count, steps) if form == "batch" else (count * steps,), None
        gated, at = "gated" in rule, {"update_rule": rule, "qk_l2_norm": 1}
        decay = self.f32(*lead, every, *self.one_of((), (width,)))
        gate = self.one_of("none", "softplus", "kda")
        inputs = [self.f32(*lead, heads, width), self.f32(*lead, heads, width), self.f32(*lead, every, values), cu,
                  (-np.abs(decay) if gate == "none" else decay) if gated else None,
                  self.rng.uniform(0, 1, (*lead, every)).astype(F32) if "delta" in rule else None,
                  self.f32(count, every, values, width) if form == "even" or self.whole(0, 2) else None]
        if gated and gate != "none":
            at["gate_activation"] = gate
            inputs += [self.f32(every) / 2, self.f32(every)]
        if self.whole(0, 3) == 0:
            at["state_update_capacity"] = self.whole(1, 4)
            inputs += [None] * (9 - len(inputs)) + [self.whole(-1, 5, count).astype(I32)]
            return "GatedDeltaNet", 0, at, inputs, 3
        return "GatedDeltaNet", 0, at, inputs, 2
