// SPDX-License-Identifier: MIT
// LSTM (ONNX's gates i, o, f, c without peepholes). Every direction of every sequence of the batch is a chunk, because
// each step needs the previous one. Constant weights are packed by prepare(). Several sequences of a chunk are processed
// together with panels of three vectors of gates, so that each panel is read once for all of them.
#include <algorithm>
#include <cmath>

#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/gemm.h"
#include "engine/backends/cpu/packed.h"

namespace arenascope::cpu {
namespace {

struct Layout {
  int64_t steps, batch, input, hidden, directions;
  explicit Layout(const TensorImpl& node)
      : steps(node.sources[0]->sizes[0]),
        batch(node.sources[0]->sizes[1]),
        input(node.sources[0]->sizes[2]),
        hidden(node.params.get<LstmParams>().hidden),
        directions(node.params.get<LstmParams>().direction == 2 ? 2 : 1) {}
  int64_t block() const { return std::min<int64_t>(steps, 32); }  // steps whose inputs are multiplied together
  // Gates of a block of steps, states h and c, the rounded state, a row of weights.
  Bytes share() const {
    return gemm_bytes() + round_to_line(4 * (block() * 4 * hidden + 3 * hidden + std::max(hidden, input)));
  }
  Bytes gemm_bytes() const {
    return round_to_line(
        std::max(gemm_scratch(kRowBlock, kColumnBlock, kDepthBlock), packed_gemm_scratch(block(), input)));
  }
};

constexpr int64_t kFewSteps = 8;  // for fewer steps most of a GEMM tile would be empty

bool in_rows(const TensorImpl& weights) { return weights.dtype == DType::F32 && weights.strides[2] == 1; }

// gates += weights · inputs, for a few steps, with unpacked weights.
void add_products(const TensorImpl& weights, int64_t direction, const float* inputs, int64_t input_stride,
                  int64_t steps, int64_t depth, float* gates) {
  const int64_t rows = weights.sizes[1];
  simd().dots[0](weights.data_as<float>() + direction * weights.strides[0], weights.strides[1], rows, inputs,
                 input_stride, steps, depth, gates, rows);
}

// Updates cell and state from the gates, which are overwritten.
void step(float* gates, int64_t h, float* cell, float* state) {
  const ElementLoops& e = simd().elements;
  e.sigmoid(gates, gates, 3 * h, 0, 0);
  e.tanh(gates + 3 * h, gates + 3 * h, h, 0, 0);
  e.mul(cell, cell, gates + 2 * h, h);
  e.mul(gates, gates, gates + 3 * h, h);
  e.add(cell, cell, gates, h);
  e.tanh(state, cell, h, 0, 0);
  e.mul(state, state, gates + h, h);
}

// Rounds a state as ONNX's DynamicQuantizeLinear does: to u8 between its smallest and largest element, 0 included.
void round_to_bytes(const float* state, int64_t count, float* to) {
  float low = 0, high = 0;
  for (int64_t i = 0; i < count; ++i) low = std::min(low, state[i]), high = std::max(high, state[i]);
  const float scale = high > low ? (high - low) / 255 : 1;
  const float zero = std::clamp(std::nearbyint(-low / scale), 0.0f, 255.0f);
  for (int64_t i = 0; i < count; ++i)
    to[i] = (std::clamp(std::nearbyint(state[i] / scale) + zero, 0.0f, 255.0f) - zero) * scale;
}

// Initial states, and the biases of all steps.
struct Beginning {
  const TensorImpl *bias = nullptr, *state = nullptr, *cell = nullptr;
  explicit Beginning(const KernelArgs& args) {
    const int present = args.node.params.get<LstmParams>().present;
    size_t next = 3;
    if (present & 1) bias = &args.source(next++);
    if (present & 2) state = &args.source(next++);
    if (present & 4) cell = &args.source(next++);
  }
  static void load(const TensorImpl* from, int64_t first, int64_t count, float* to) {
    if (from)
      load_elements(*from, first, count, to);
    else
      std::fill_n(to, count, 0.0f);
  }
  // The sum of both biases, padded with zeros; `other` is scratch for one of them.
  void load_bias(const Layout& l, int64_t direction, int64_t gates, float* to, float* other) const {
    std::fill_n(to, gates, 0.0f);
    if (!bias) return;
    load_elements(*bias, direction * 8 * l.hidden, 4 * l.hidden, to);
    load_elements(*bias, (direction * 8 + 4) * l.hidden, 4 * l.hidden, other);
    simd().elements.add(to, to, other, 4 * l.hidden);
  }
};

// Packed weights of single sequences, per direction: panels of the input weights for gemm(), rows of the recurrent ones.
struct Alone {
  const Layout l;
  const int64_t input_floats, floats;
  explicit Alone(const Layout& layout)
      : l(layout),
        input_floats((4 * l.hidden + simd().tile_columns - 1) / simd().tile_columns * simd().tile_columns * l.input),
        floats(input_floats + 4 * l.hidden * l.hidden) {}
  Bytes packed_bytes() const { return 4 * l.directions * floats; }
};

void sequence(const KernelArgs& args, const Layout& l, int64_t direction, int64_t b) {
  const TensorImpl &node = args.node, &x = args.source(0), &w = args.source(1), &r = args.source(2);
  const auto p = node.params.get<LstmParams>();
  const int64_t h = l.hidden;
  float* const scratch = args.scratch<float>(l.share());
  float* const gates = scratch + l.gemm_bytes() / 4;
  float *const state = gates + l.block() * 4 * h, *const cell = state + h, *const rounded = cell + h,
               *const row = rounded + h;
  const float* const read = p.quantised_state ? rounded : state;  // by the recurrent weights
  const Beginning beginning(args);
  const TensorImpl* const bias = beginning.bias;
  const int64_t place = (direction * l.batch + b) * h;
  Beginning::load(beginning.state, place, h, state);
  Beginning::load(beginning.cell, place, h, cell);

  const bool reverse = p.direction == 1 || direction == 1;
  float* const out = node.data_as<float>();
  const Lines weights{w.data() + direction * w.strides[0] * 4, DType::F32, w.strides[1], w.strides[2]};
  const float* const packed = args.packed ? args.packed->data() + direction * Alone(l).floats : nullptr;
  for (int64_t begin = 0; begin < l.steps; begin += l.block()) {
    const int64_t count = std::min(l.block(), l.steps - begin);
    const int64_t t0 = reverse ? l.steps - 1 - begin : begin;
    const Lines inputs{x.data() + (t0 * x.strides[0] + b * x.strides[1]) * 4, DType::F32,
                       reverse ? -x.strides[0] : x.strides[0], x.strides[2]};
    if (packed) {
      gemm({0, count}, {0, 4 * h}, l.input, scratch, LeftLines{inputs, gemm_row(scratch)}, PackedRight{packed, l.input},
           gates, 4 * h);
    } else if (count <= kFewSteps && in_rows(w) && x.strides[2] == 1) {
      std::fill_n(gates, count * 4 * h, 0.0f);
      add_products(w, direction, reinterpret_cast<const float*>(inputs.data), inputs.line_stride, count, l.input,
                   gates);
    } else {
      gemm({0, count}, {0, 4 * h}, l.input, scratch, LeftLines{inputs, gemm_row(scratch)},
           RightLines{weights, gemm_row(scratch)}, gates, 4 * h);
    }
    for (int64_t s = 0; s < count; ++s) {
      float* g = gates + s * 4 * h;
      if (p.quantised_state) round_to_bytes(state, h, rounded);
      if (packed)
        simd().dots[0](packed + Alone(l).input_floats, h, 4 * h, read, h, 1, h, g, 4 * h);
      else if (in_rows(r))
        add_products(r, direction, read, h, 1, h, g);
      else
        for (int64_t i = 0; i < 4 * h; ++i)
          g[i] += simd().lines.dot(elements(r, (direction * 4 * h + i) * h, h, row), read, h);
      for (int part = 0; bias && part < 2; ++part)
        for (int64_t gate = 0; gate < 4; ++gate)
          simd().elements.add(g + gate * h, g + gate * h,
                              elements(*bias, direction * 8 * h + part * 4 * h + gate * h, h, row), h);
      step(g, h, cell, state);
      const int64_t t = reverse ? l.steps - 1 - (begin + s) : begin + s;
      std::copy(state, state + h, out + ((t * l.directions + direction) * l.batch + b) * h);
    }
  }
  float* const last = out + l.steps * l.directions * l.batch * h;
  std::copy(state, state + h, last + place);
  std::copy(cell, cell + h, last + l.directions * l.batch * h + place);
}

// Sequences processed together, and their packed weights: per direction, panel by panel, the rows of the input weights
// and then of the recurrent weights, with as many columns as the panel has gates (the last one rounded up to whole
// vectors).
struct Together {
  static constexpr int64_t kMinSequences = 4;  // fewer use dot products with unpacked weights
  static constexpr int64_t kRows = 64;         // inputs multiplied together

  const Layout l;
  const int64_t lanes = simd().lanes, wide = 3 * lanes;
  const int64_t gates = (4 * l.hidden + lanes - 1) / lanes * lanes, depth = l.input + l.hidden;

  explicit Together(const TensorImpl& node) : l(node) {}
  Bytes packed_bytes() const { return 4 * l.directions * gates * depth; }
  int64_t steps(int64_t sequences) const {
    return std::clamp<int64_t>(kRows / std::max<int64_t>(sequences, 1), 1, l.steps);
  }
  // Gates of some steps, a row of biases, states, cells and rounded states. The end of a direction may cut a chunk into
  // fewer sequences, with more steps: rows is the largest steps(n) · n for n up to `sequences`.
  Bytes share(int64_t sequences) const {
    const int64_t rows = std::max(sequences, std::min(kRows, l.steps * sequences));
    return round_to_line(4 * ((rows + 1) * gates + 3 * sequences * l.hidden));
  }
  int64_t max_per_chunk(int parts) const { return (l.directions * l.batch + parts - 1) / parts; }
  // fn(first gate, columns, the panel's first row)
  template <class Fn>
  void each_panel(const float* packed, int64_t direction, Fn fn) const {
    for (int64_t first = 0; first < gates; first += wide)
      fn(first, std::min(wide, gates - first), packed + (direction * gates + first) * depth);
  }
};

bool has_constant_floats(const TensorImpl& node) {
  const TensorImpl &w = *node.sources[1], &r = *node.sources[2];
  return node.dtype == DType::F32 && w.dtype == DType::F32 && r.dtype == DType::F32 && w.has(kFlagWeight) &&
         r.has(kFlagWeight);
}

bool goes_together(const TensorImpl& node) {
  return has_constant_floats(node) && Layout(node).batch >= Together::kMinSequences;
}

bool packs_alone(const TensorImpl& node) {
  return has_constant_floats(node) && !goes_together(node) && Layout(node).steps > kFewSteps;
}

// Sequences [first, first + count) of a direction.
void together(const KernelArgs& args, const Together& t, int64_t direction, int64_t first, int64_t count,
              float* scratch) {
  const Layout& l = t.l;
  const TensorImpl& x = args.source(0);
  const Simd& s = simd();
  const int64_t h = l.hidden, block = t.steps(count), place = (direction * l.batch + first) * h;
  float *const gates = scratch, *const bias = gates + block * count * t.gates;
  float *const states = bias + t.gates, *const cells = states + count * h, *const rounded = cells + count * h;
  float* const out = args.node.data_as<float>();
  const Beginning beginning(args);
  beginning.load_bias(l, direction, t.gates, bias, gates);
  Beginning::load(beginning.state, place, count * h, states);
  Beginning::load(beginning.cell, place, count * h, cells);
  const auto p = args.node.params.get<LstmParams>();
  const float* const read = p.quantised_state ? rounded : states;  // by the recurrent weights
  const bool reverse = p.direction == 1 || direction == 1;
  const auto time = [&](int64_t step) { return reverse ? l.steps - 1 - step : step; };
  for (int64_t begin = 0; begin < l.steps; begin += block) {
    const int64_t steps = std::min(block, l.steps - begin);
    for (int64_t row = 0; row < steps * count; ++row) std::copy(bias, bias + t.gates, gates + row * t.gates);
    t.each_panel(args.packed->data(), direction, [&](int64_t gate, int64_t columns, const float* panel) {
      for (int64_t i = 0; i < steps; ++i)
        s.strip(l.input, x.data_as<float>() + time(begin + i) * x.strides[0] + first * x.strides[1], x.strides[1],
                x.strides[2], count, panel, columns, static_cast<int>(columns / t.lanes),
                gates + i * count * t.gates + gate, t.gates, true);
    });
    for (int64_t i = 0; i < steps; ++i) {
      float* const now = gates + i * count * t.gates;
      for (int64_t b = 0; p.quantised_state && b < count; ++b) round_to_bytes(states + b * h, h, rounded + b * h);
      t.each_panel(args.packed->data(), direction, [&](int64_t gate, int64_t columns, const float* panel) {
        s.strip(h, read, h, 1, count, panel + l.input * columns, columns, static_cast<int>(columns / t.lanes),
                now + gate, t.gates, true);
      });
      for (int64_t b = 0; b < count; ++b) step(now + b * t.gates, h, cells + b * h, states + b * h);
      std::copy(states, states + count * h, out + ((time(begin + i) * l.directions + direction) * l.batch + first) * h);
    }
  }
  float* const last = out + l.steps * l.directions * l.batch * h;
  std::copy(states, states + count * h, last + place);
  std::copy(cells, cells + count * h, last + l.directions * l.batch * h + place);
}

void pack_alone(const TensorImpl& node, float* to) {
  const Alone a{Layout(node)};
  const TensorImpl &w = *node.sources[1], &r = *node.sources[2];
  const int64_t h = a.l.hidden;
  for (int64_t direction = 0; direction < a.l.directions; ++direction, to += a.floats) {
    pack_all({w.data() + direction * w.strides[0] * 4, DType::F32, w.strides[1], w.strides[2]}, 4 * h,
             simd().tile_columns, a.l.input, to);
    load_elements(r, direction * 4 * h * h, 4 * h * h, to + a.input_floats);
  }
}

}  // namespace

Bytes packed_lstm_bytes(const TensorImpl& node) {
  if (packs_alone(node)) return Alone(Layout(node)).packed_bytes();
  return goes_together(node) ? Together(node).packed_bytes() : 0;
}

void pack_lstm(const TensorImpl& node, float* to) {
  if (packs_alone(node)) return pack_alone(node, to);
  const Together t(node);
  for (int64_t direction = 0; direction < t.l.directions; ++direction)
    t.each_panel(nullptr, direction, [&](int64_t gate, int64_t columns, const float*) {
      float* panel = to + (direction * t.gates + gate) * t.depth;
      for (const TensorImpl* w : {node.sources[1], node.sources[2]}) {
        const Lines lines{w->data() + direction * w->strides[0] * 4, DType::F32, w->strides[1], w->strides[2]};
        pack_panel(lines, gate, std::min(columns, 4 * t.l.hidden - gate), columns, 0, w->sizes[2], panel, nullptr);
        panel += w->sizes[2] * columns;
      }
    });
}

Bytes lstm_work(const TensorImpl& node, int tasks) {
  const Together t(node);
  return tasks * std::max(t.l.share(), goes_together(node) ? t.share(t.max_per_chunk(tasks)) : 0);
}

Status lstm(const KernelArgs& args) {
  const Layout l(args.node);
  const Range range = args.part(l.directions * l.batch);
  if (args.packed && goes_together(args.node)) {
    const Together t(args.node);
    float* const scratch = args.scratch<float>(lstm_work(args.node, args.nth) / args.nth);
    for (int64_t i = range.begin; i < range.end;) {
      const int64_t direction = i / l.batch, first = i % l.batch, count = std::min(l.batch - first, range.end - i);
      together(args, t, direction, first, count, scratch);
      i += count;
    }
    return {};
  }
  for (int64_t i = range.begin; i < range.end; ++i) sequence(args, l, i / l.batch, i % l.batch);
  return {};
}

}  // namespace arenascope::cpu
