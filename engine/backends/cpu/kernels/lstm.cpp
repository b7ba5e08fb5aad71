// SPDX-License-Identifier: MIT
// LSTM (ONNX's gates i, o, f, c without peepholes). Every direction of every sequence of the batch is a part of its
// own, since each step needs the one before. Constant weights of several sequences are packed into panels of three vectors
// of gates, by which the sequences of a part go together: each panel is read once for all of them.
#include <algorithm>

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
  int64_t block() const { return std::min<int64_t>(steps, 32); }  // steps whose inputs are multiplied at once
  // Gates of a block of steps, state h and c, a row of weights.
  Bytes share() const {
    return round_to_line(gemm_scratch(kRowBlock, kColumnBlock, kDepthBlock)) +
           round_to_line(4 * (block() * 4 * hidden + 2 * hidden + std::max(hidden, input)));
  }
};

constexpr int64_t kFewSteps = 8;  // whose products with the weights would leave most of a tile empty

bool in_rows(const TensorImpl& weights) { return weights.dtype == DType::F32 && weights.strides[2] == 1; }

// gates += weights · inputs, for a few steps, and the weights as they lie.
void add_products(const TensorImpl& weights, int64_t direction, const float* inputs, int64_t input_stride,
                  int64_t steps, int64_t depth, float* gates) {
  const int64_t rows = weights.sizes[1];
  simd().dots[0](weights.data_as<float>() + direction * weights.strides[0], weights.strides[1], rows, inputs,
                 input_stride, steps, depth, gates, rows);
}

// What the gates make of the cell and the state. The gates are spoilt.
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

// What sequences begin with, and what all steps add.
struct Beginning {
  const TensorImpl *bias = nullptr, *state = nullptr, *cell = nullptr;
  explicit Beginning(const Job& job) {
    const int present = job.node.params.get<LstmParams>().present;
    size_t next = 3;
    if (present & 1) bias = &job.source(next++);
    if (present & 2) state = &job.source(next++);
    if (present & 4) cell = &job.source(next++);
  }
  static void load(const TensorImpl* from, int64_t first, int64_t count, float* to) {
    if (from)
      load_elements(*from, first, count, to);
    else
      std::fill_n(to, count, 0.0f);
  }
  // Both biases' sum, zeros behind it; `other` is room for one of them.
  void load_bias(const Layout& l, int64_t direction, int64_t gates, float* to, float* other) const {
    std::fill_n(to, gates, 0.0f);
    if (!bias) return;
    load_elements(*bias, direction * 8 * l.hidden, 4 * l.hidden, to);
    load_elements(*bias, (direction * 8 + 4) * l.hidden, 4 * l.hidden, other);
    simd().elements.add(to, to, other, 4 * l.hidden);
  }
};

void sequence(const Job& job, const Layout& l, int64_t direction, int64_t b) {
  const TensorImpl &node = job.node, &x = job.source(0), &w = job.source(1), &r = job.source(2);
  const auto p = node.params.get<LstmParams>();
  const int64_t h = l.hidden;
  float* const scratch = job.scratch<float>(l.share());
  float* const gates = scratch + round_to_line(gemm_scratch(kRowBlock, kColumnBlock, kDepthBlock)) / 4;
  float *const state = gates + l.block() * 4 * h, *const cell = state + h, *const row = cell + h;
  const Beginning beginning(job);
  const TensorImpl* const bias = beginning.bias;
  const int64_t place = (direction * l.batch + b) * h;
  Beginning::load(beginning.state, place, h, state);
  Beginning::load(beginning.cell, place, h, cell);

  const bool reverse = p.direction == 1 || direction == 1;
  float* const out = node.data_as<float>();
  const Lines weights{w.data() + direction * w.strides[0] * 4, DType::F32, w.strides[1], w.strides[2]};
  for (int64_t begin = 0; begin < l.steps; begin += l.block()) {
    const int64_t count = std::min(l.block(), l.steps - begin);
    const int64_t t0 = reverse ? l.steps - 1 - begin : begin;
    const Lines inputs{x.data() + (t0 * x.strides[0] + b * x.strides[1]) * 4, DType::F32,
                       reverse ? -x.strides[0] : x.strides[0], x.strides[2]};
    if (count <= kFewSteps && in_rows(w) && x.strides[2] == 1) {
      std::fill_n(gates, count * 4 * h, 0.0f);
      add_products(w, direction, reinterpret_cast<const float*>(inputs.data), inputs.line_stride, count, l.input,
                   gates);
    } else {
      gemm({0, count}, {0, 4 * h}, l.input, scratch, LeftLines{inputs, gemm_row(scratch)},
           RightLines{weights, gemm_row(scratch)}, gates, 4 * h);
    }
    for (int64_t s = 0; s < count; ++s) {
      float* g = gates + s * 4 * h;
      if (in_rows(r))
        add_products(r, direction, state, h, 1, h, g);
      else
        for (int64_t i = 0; i < 4 * h; ++i)
          g[i] += simd().lines.dot(elements(r, (direction * 4 * h + i) * h, h, row), state, h);
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

// Sequences that go together, and how their weights are packed: of each direction, panel behind panel, rows of the input's
// weights and then of the state's, as many columns as the panel has gates (the last one: rounded up to whole vectors).
struct Together {
  static constexpr int64_t kLeastSequences = 4;  // fewer are dot products with the weights as they lie
  static constexpr int64_t kRows = 64;           // of inputs that are multiplied at once

  const Layout l;
  const int64_t lanes = simd().lanes, wide = 3 * lanes;
  const int64_t gates = (4 * l.hidden + lanes - 1) / lanes * lanes, depth = l.input + l.hidden;

  explicit Together(const TensorImpl& node) : l(node) {}
  Bytes packed_bytes() const { return 4 * l.directions * gates * depth; }
  int64_t steps(int64_t sequences) const {
    return std::clamp<int64_t>(kRows / std::max<int64_t>(sequences, 1), 1, l.steps);
  }
  // Gates of some steps, a row of biases, states and cells.
  Bytes share(int64_t sequences) const {
    return round_to_line(4 * ((steps(sequences) * sequences + 1) * gates + 2 * sequences * l.hidden));
  }
  int64_t most_in_a_part(int parts) const { return (l.directions * l.batch + parts - 1) / parts; }
  // fn(first gate, columns, the panel's first row)
  template <class Fn>
  void each_panel(const float* packed, int64_t direction, Fn fn) const {
    for (int64_t first = 0; first < gates; first += wide)
      fn(first, std::min(wide, gates - first), packed + (direction * gates + first) * depth);
  }
};

bool goes_together(const TensorImpl& node) {
  const TensorImpl &w = *node.sources[1], &r = *node.sources[2];
  return node.dtype == DType::F32 && w.dtype == DType::F32 && r.dtype == DType::F32 && w.has(kFlagWeight) &&
         r.has(kFlagWeight) && Layout(node).batch >= Together::kLeastSequences;
}

// Sequences [first, first + count) of a direction.
void together(const Job& job, const Together& t, int64_t direction, int64_t first, int64_t count, float* scratch) {
  const Layout& l = t.l;
  const TensorImpl& x = job.source(0);
  const Simd& s = simd();
  const int64_t h = l.hidden, block = t.steps(count), place = (direction * l.batch + first) * h;
  float *const gates = scratch, *const bias = gates + block * count * t.gates;
  float *const states = bias + t.gates, *const cells = states + count * h;
  float* const out = job.node.data_as<float>();
  const Beginning beginning(job);
  beginning.load_bias(l, direction, t.gates, bias, gates);
  Beginning::load(beginning.state, place, count * h, states);
  Beginning::load(beginning.cell, place, count * h, cells);
  const bool reverse = job.node.params.get<LstmParams>().direction == 1 || direction == 1;
  const auto time = [&](int64_t step) { return reverse ? l.steps - 1 - step : step; };
  for (int64_t begin = 0; begin < l.steps; begin += block) {
    const int64_t steps = std::min(block, l.steps - begin);
    for (int64_t row = 0; row < steps * count; ++row) std::copy(bias, bias + t.gates, gates + row * t.gates);
    t.each_panel(job.packed->data(), direction, [&](int64_t gate, int64_t columns, const float* panel) {
      for (int64_t i = 0; i < steps; ++i)
        s.strip(l.input, x.data_as<float>() + time(begin + i) * x.strides[0] + first * x.strides[1], x.strides[1],
                x.strides[2], count, panel, columns, static_cast<int>(columns / t.lanes),
                gates + i * count * t.gates + gate, t.gates, true);
    });
    for (int64_t i = 0; i < steps; ++i) {
      float* const now = gates + i * count * t.gates;
      t.each_panel(job.packed->data(), direction, [&](int64_t gate, int64_t columns, const float* panel) {
        s.strip(h, states, h, 1, count, panel + l.input * columns, columns, static_cast<int>(columns / t.lanes),
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

}  // namespace

Bytes packed_lstm_bytes(const TensorImpl& node) { return goes_together(node) ? Together(node).packed_bytes() : 0; }

void pack_lstm(const TensorImpl& node, float* to) {
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
  return tasks * std::max(t.l.share(), goes_together(node) ? t.share(t.most_in_a_part(tasks)) : 0);
}

Status lstm(const Job& job) {
  const Layout l(job.node);
  const Range range = job.part(l.directions * l.batch);
  if (job.packed) {
    const Together t(job.node);
    float* const scratch = job.scratch<float>(lstm_work(job.node, job.nth) / job.nth);
    for (int64_t i = range.begin; i < range.end;) {
      const int64_t direction = i / l.batch, first = i % l.batch, count = std::min(l.batch - first, range.end - i);
      together(job, t, direction, first, count, scratch);
      i += count;
    }
    return {};
  }
  for (int64_t i = range.begin; i < range.end; ++i) sequence(job, l, i / l.batch, i % l.batch);
  return {};
}

}  // namespace arenascope::cpu
