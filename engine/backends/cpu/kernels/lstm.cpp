// SPDX-License-Identifier: MIT
// LSTM (ONNX's gates i, o, f, c without peepholes). Every direction of every sequence of the batch is a part of its
// own, since each step needs the one before.
#include <algorithm>

#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/gemm.h"

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

void sequence(const Job& job, const Layout& l, int64_t direction, int64_t b) {
  const TensorImpl &node = job.node, &x = job.source(0), &w = job.source(1), &r = job.source(2);
  const auto p = node.params.get<LstmParams>();
  const int64_t h = l.hidden;
  float* const scratch = job.scratch<float>(l.share());
  float* const gates = scratch + round_to_line(gemm_scratch(kRowBlock, kColumnBlock, kDepthBlock)) / 4;
  float *const state = gates + l.block() * 4 * h, *const cell = state + h, *const row = cell + h;
  size_t next = 3;
  const TensorImpl* bias = p.present & 1 ? &job.source(next++) : nullptr;
  const TensorImpl* first_state = p.present & 2 ? &job.source(next++) : nullptr;
  const TensorImpl* first_cell = p.present & 4 ? &job.source(next++) : nullptr;
  const int64_t place = (direction * l.batch + b) * h;
  if (first_state)
    load_elements(*first_state, place, h, state);
  else
    std::fill(state, state + h, 0.0f);
  if (first_cell)
    load_elements(*first_cell, place, h, cell);
  else
    std::fill(cell, cell + h, 0.0f);

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

}  // namespace

Bytes lstm_work(const TensorImpl& node, int tasks) { return tasks * Layout(node).share(); }

Status lstm(const Job& job) {
  const Layout l(job.node);
  const Range range = job.part(l.directions * l.batch);
  for (int64_t i = range.begin; i < range.end; ++i) sequence(job, l, i / l.batch, i % l.batch);
  return {};
}

}  // namespace arenascope::cpu
