# SPDX-License-Identifier: MIT
"""Small text generation models for packaging/peers/searches: a decoder (like GPT-2) and encoder-decoder models (T5, Whisper)."""
import numpy as np
from onnx import TensorProto, helper, numpy_helper

WORDS, WIDTH, HEADS, LAYERS, PLACES, SOUNDS = 90, 16, 2, 2, 32, 6
HEAD = WIDTH // HEADS


def whole(name, sizes):
    return helper.make_tensor_value_info(name, TensorProto.INT32, sizes)


def real(name, sizes):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes)


def array(name, values):
    return numpy_helper.from_array(np.asarray(values), name)


class Maker:
    """Builder for the nodes and weights of a graph."""

    def __init__(self, numbers):
        self.numbers, self.nodes, self.weights = numbers, [], {}

    def weight(self, name, *sizes, scale=0.6):
        self.weights[name] = array(name, (self.numbers.standard_normal(sizes) * scale).astype(np.float32))
        return name

    def constant(self, name, values):
        self.weights[name] = array(name, values)
        return name

    def node(self, op, given, made=None, domain="", **attributes):
        made = made or f"value_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, given, [made] if isinstance(made, str) else made, domain=domain, **attributes))
        return made

    def graph(self, name, inputs, outputs):
        return helper.make_graph(self.nodes, name, inputs, outputs, list(self.weights.values()))

    def score(self, x, more):
        """Logits of all tokens; `more` controls how much their probabilities differ."""
        self.weight("head", WIDTH, WORDS, scale=1.0)
        self.constant("more", more.astype(np.float32))
        return self.node("Add", [self.node("MatMul", [x, "head"]), "more"], "logits")

    def heads(self, x, made=None):
        return self.node("Transpose", [self.node("Reshape", [x, "split"])], made, perm=[0, 2, 1, 3])

    def attend(self, query, key, value, bias=None):
        x = self.node("MatMul", [query, self.node("Transpose", [key], perm=[0, 1, 3, 2])])
        x = self.node("Div", [x, self.constant("root", np.array(HEAD**0.5, np.float32))])
        if bias:
            x = self.node("Add", [x, bias])
        x = self.node("MatMul", [self.node("Softmax", [x], axis=-1), value])
        return self.node("Reshape", [self.node("Transpose", [x], perm=[0, 2, 1, 3]), "join"])


def decoder(numbers, more):
    """Embeddings, attention layers with KV caches, and logits."""
    m = Maker(numbers)
    m.weight("words", WORDS, WIDTH)
    m.weight("places", PLACES, WIDTH)
    x = m.node("Add", [m.node("Gather", ["words", "input_ids"]), m.node("Gather", ["places", "position_ids"])])
    for i in range(LAYERS):
        for name, sizes in (("qkv", (WIDTH, 3 * WIDTH)), ("bias", (3 * WIDTH,)), ("out", (WIDTH, WIDTH)), ("gain", (WIDTH,)), ("shift", (WIDTH,))):
            m.weight(f"{name}{i}", *sizes)
        norm = m.node("LayerNormalization", [x, f"gain{i}", f"shift{i}"], axis=-1)
        m.node("Attention", [norm, f"qkv{i}", f"bias{i}", "attention_mask", f"past_{i}"], [f"seen{i}", f"present_{i}"], "com.microsoft",
               num_heads=HEADS, unidirectional=1)
        x = m.node("Add", [x, m.node("MatMul", [f"seen{i}", f"out{i}"])])
    m.score(x, more)
    cache = [2, "batch", HEADS, "past", HEAD]
    given = [whole(name, ["batch", "length"]) for name in ("input_ids", "position_ids")] + [whole("attention_mask", ["batch", "total"])]
    made = [real("logits", ["batch", "length", WORDS])] + [real(f"present_{i}", cache[:3] + ["total"] + cache[4:]) for i in range(LAYERS)]
    return m.graph("decoder", given + [real(f"past_{i}", cache) for i in range(LAYERS)], made)


class Pair:
    """An encoder and its decoder. `begins`: the encoder computes the first iteration; `one`: the decoder reads one token per iteration."""

    def __init__(self, numbers, more, begins=True, hears=False, hidden=False, one=True):
        self.more, self.begins, self.hears, self.hidden, self.one = more, begins, hears, hidden, one
        shared = Maker(numbers)  # shared weights
        shared.weight("words", WORDS, WIDTH, scale=0.8)
        for i in range(LAYERS):
            for name in ("query", "key", "value", "cross_query", "cross_key", "cross_value"):
                shared.weight(f"{name}{i}", WIDTH, WIDTH, scale=0.3)
        shared.weight("head", WIDTH, WORDS, scale=0.7)
        self.shared, self.numbers = shared.weights, numbers

    def maker(self):
        m = Maker(self.numbers)
        m.weights.update(self.shared)
        m.constant("split", np.array([0, 0, HEADS, HEAD]))
        m.constant("join", np.array([0, 0, WIDTH]))
        m.constant("axes", np.array([1, 2]))
        m.constant("one", np.array(1, np.float32))
        m.constant("far", np.array(1e4, np.float32))
        return m

    def bias(self, m):
        """Large negative values where the mask is 0."""
        if self.hears:
            return None
        mask = m.node("Cast", ["encoder_attention_mask"], to=TensorProto.FLOAT)
        return m.node("Unsqueeze", [m.node("Mul", [m.node("Sub", [mask, "one"]), "far"]), "axes"])

    def write(self, m, ids, past, cross, bias):
        x = m.node("Gather", ["words", ids])
        for i in range(LAYERS):
            query, key, value = (m.node("MatMul", [x, f"{name}{i}"]) for name in ("query", "key", "value"))
            made = [f"present_{name}_self_{i}" for name in ("key", "value")]
            key, value = m.heads(key, None if past else made[0]), m.heads(value, None if past else made[1])
            if past:
                key, value = (m.node("Concat", [past[2 * i + j], now], made[j], axis=2) for j, now in enumerate((key, value)))
            x = m.node("Add", [x, m.attend(m.heads(query), key, value)])
            query = m.heads(m.node("MatMul", [x, f"cross_query{i}"]))
            x = m.node("Add", [x, m.attend(query, cross[2 * i], cross[2 * i + 1], bias)])
        m.constant("more", self.more.astype(np.float32))
        m.node("Add", [m.node("MatMul", [x, "head"]), "more"], "logits")

    @staticmethod
    def caches(name, length):
        sizes = ["batch", HEADS, length, HEAD]
        return [real(name.format(kind, i), sizes) for i in range(LAYERS) for kind in ("key", "value")]

    def encoder(self):
        m = self.maker()
        if self.hears:
            x = m.node("MatMul", [m.node("Transpose", ["encoder_input_ids"], perm=[0, 2, 1]), m.weight("heard", SOUNDS, WIDTH)])
            given = [real("encoder_input_ids", ["batch", SOUNDS, "read"])]
        else:
            x = m.node("Gather", [m.weight("read_words", WORDS, WIDTH), "encoder_input_ids"])
            given = [whole(name, ["batch", "read"]) for name in ("encoder_input_ids", "encoder_attention_mask")]
        bias = self.bias(m)
        for name in ("query", "key", "value"):
            m.weight(f"encoder_{name}", WIDTH, WIDTH, scale=0.3)
        query, key, value = (m.heads(m.node("MatMul", [x, f"encoder_{name}"])) for name in ("query", "key", "value"))
        m.node("Add", [x, m.attend(query, key, value, bias)], "encoder_hidden_states")
        made = self.caches("present_{}_cross_{}", "read")
        for i in range(LAYERS):
            for kind in ("key", "value"):
                m.heads(m.node("MatMul", ["encoder_hidden_states", f"cross_{kind}{i}"]), f"present_{kind}_cross_{i}")
        if self.begins:
            self.write(m, "decoder_input_ids", None, [cache.name for cache in made], bias)
            given.append(whole("decoder_input_ids", ["batch", "length"]))
            first = [real("logits", ["batch", "length", WORDS]), real("encoder_hidden_states", ["batch", "read", WIDTH])]
            made = first + self.caches("present_{}_self_{}", "length") + made
        return m.graph("encoder", given, made)

    def decoder(self):
        m = self.maker()
        past, cross = self.caches("past_{}_self_{}", "past"), self.caches("past_{}_cross_{}", "read")
        ids = "input_ids"
        if not self.one:  # all tokens are given; only the last one is new
            ids = m.node("Gather", ["input_ids", m.constant("last", np.array([-1]))], axis=1)
        self.write(m, ids, [cache.name for cache in past], [cache.name for cache in cross], self.bias(m))
        given = [whole("input_ids", ["batch", 1 if self.one else "length"])]
        if not self.hears:
            given.append(whole("encoder_attention_mask", ["batch", "read"]))
        if self.hidden:
            given.append(real("encoder_hidden_states", ["batch", "read", WIDTH]))
        made = [real("logits", ["batch", 1, WORDS])] + self.caches("present_{}_self_{}", "total")
        return m.graph("decoder", given + past + cross, made)
