// SPDX-License-Identifier: MIT
// GRU and RNN of ONNX with their default activations. As in an LSTM, the inputs of a block of steps are multiplied
// together, and a chunk processes several sequences of a direction. If the batch has enough of them, constant weights
// are packed into panels by prepare(). Other recurrent weights are packed in each run by each chunk that has enough
// sequences. Each panel is read once per step for all sequences of the chunk.
#include <algorithm>
#include <array>

#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/gemm.h"
#include "engine/backends/cpu/packed.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kMinPanelSequences = 4, kMinPanelSteps = 4;
constexpr int64_t kFewInputs = 8;       // for fewer most of a GEMM tile would be empty
constexpr int64_t kInputsAtOnce = 256;  // rows multiplied together: the weights are packed for each such block

// Gates that are computed before others: z and r of a GRU, then h.
struct GateGroup {
  int64_t first, count;  // rows of the weights
  int64_t column;        // in a row of gates
};

struct RecurrentSizes {
  const RecurrentParams p;
  const int64_t gates, steps, batch, input, hidden, directions, lanes = simd().lanes;

  explicit RecurrentSizes(const TensorImpl& node)
      : p(node.params.get<RecurrentParams>()),
        gates(node.op == Op::Gru ? 3 : 1),
        steps(node.sources[0]->sizes[0]),
        batch(node.sources[0]->sizes[1]),
        input(node.sources[0]->sizes[2]),
        hidden(p.hidden),
        directions(p.direction == 2 ? 2 : 1) {}

  int64_t vectors(int64_t n) const { return (n + lanes - 1) / lanes * lanes; }
  int64_t group_count() const { return gates == 3 ? 2 : 1; }
  GateGroup group(int64_t i) const {
    if (gates == 1) return {0, hidden, 0};
    return i == 0 ? GateGroup{0, 2 * hidden, 0} : GateGroup{2 * hidden, hidden, vectors(2 * hidden)};
  }
  int64_t pitch() const { return gates == 1 ? vectors(hidden) : vectors(2 * hidden) + vectors(hidden); }
  // Floats of the panels of a direction that prepare() packs: of the input weights, then of the recurrent weights.
  int64_t packed_length() const { return pitch() * (input + hidden); }
  int64_t block(int64_t sequences) const {
    return std::clamp<int64_t>(kInputsAtOnce / std::max<int64_t>(sequences, 1), 1, std::max<int64_t>(steps, 1));
  }
  // The largest block(n) · n for n up to `sequences`: the end of a direction may cut a chunk into fewer ones.
  int64_t max_rows(int64_t sequences) const { return std::max(sequences, std::min(kInputsAtOnce, steps * sequences)); }
  int64_t max_sequences(int tasks) const { return std::min(batch, (directions * batch + tasks - 1) / tasks); }
};

// True if prepare() may pack the weights.
bool has_constant_weights(const TensorImpl& node) {
  return node.sources[1]->has(kFlagWeight) && node.sources[2]->has(kFlagWeight);
}

// True if a chunk packs its recurrent weights in each run.
bool packs_in_run(const TensorImpl& node, const RecurrentSizes& s, int64_t sequences) {
  return !has_constant_weights(node) && sequences >= kMinPanelSequences && s.steps >= kMinPanelSteps;
}

// Scratch of a chunk of so many sequences.
struct RecurrentScratch {
  float *gemm, *inputs, *gates, *states, *reset, *bias, *weights;

  static std::array<int64_t, 7> lengths(const TensorImpl& node, const RecurrentSizes& s, int64_t sequences) {
    const int64_t rows = s.max_rows(sequences);
    const bool copies_weights = packs_in_run(node, s, sequences) || node.sources[2]->strides[2] != 1;
    return {gemm_scratch(kRowBlock, kColumnBlock, kDepthBlock) / 4,
            rows * s.input,
            rows * s.pitch(),
            sequences * s.hidden,
            sequences * s.vectors(s.hidden),
            2 * s.gates * s.hidden,
            copies_weights ? s.pitch() * s.hidden : 0};
  }
  static Bytes bytes(const TensorImpl& node, const RecurrentSizes& s, int64_t sequences) {
    Bytes all = 0;
    for (int64_t length : lengths(node, s, sequences)) all += round_to_line(4 * length);
    return all;
  }
  RecurrentScratch(const TensorImpl& node, const RecurrentSizes& s, int64_t sequences, float* at) {
    const auto length = lengths(node, s, sequences);
    size_t next = 0;
    for (float** part : {&gemm, &inputs, &gates, &states, &reset, &bias, &weights})
      *part = at, at += round_to_line(4 * length[next++]) / 4;
  }
};

Lines weight_rows(const TensorImpl& w, int64_t direction) {
  return {w.data() + direction * w.strides[0] * 4, DType::F32, w.strides[1], w.strides[2]};
}

// Panels of a direction's weights, group by group: each has up to three vectors of columns and `depth` rows.
// fn(first column in the group, columns, panel)
template <class Float, class Fn>
void each_panel(const RecurrentSizes& s, const GateGroup& g, Float* panels, int64_t depth, Fn fn) {
  const int64_t all = s.vectors(g.count), wide = 3 * s.lanes;
  for (int64_t column = 0; column < all; column += wide)
    fn(column, std::min(wide, all - column), panels + (g.column + column) * depth);
}

void pack_direction(const RecurrentSizes& s, const TensorImpl& weights, int64_t direction, float* to) {
  const int64_t depth = weights.sizes[2];
  for (int64_t i = 0; i < s.group_count(); ++i) {
    const GateGroup g = s.group(i);
    each_panel(s, g, to, depth, [&](int64_t column, int64_t columns, float* panel) {
      pack_panel(weight_rows(weights, direction), g.first + column, std::min(columns, g.count - column), columns, 0,
                 depth, panel, nullptr);
    });
  }
}

// Sequences [first, first + count) of a direction.
class RecurrentChunk {
 public:
  RecurrentChunk(const KernelArgs& args, const RecurrentSizes& sizes, const RecurrentScratch& scratch,
                 int64_t direction, int64_t first, int64_t count)
      : args_(args), s_(sizes), w_(scratch), direction_(direction), first_(first), count_(count) {
    const TensorImpl& r = args.source(2);
    rows_ = r.data_as<float>() + direction * r.strides[0], row_stride_ = r.strides[1];
    if (args.packed) {
      input_panels_ = args.packed->data() + direction * s_.packed_length();
      panels_ = input_panels_ + s_.pitch() * s_.input;
    } else if (packs_in_run(args.node, s_, count)) {
      pack_direction(s_, r, direction, w_.weights);
      panels_ = w_.weights;
    } else if (r.strides[2] != 1) {
      copy_rows(r);
    }
    size_t next = 3;
    std::fill_n(w_.bias, 2 * s_.gates * s_.hidden, 0.0f);
    std::fill_n(w_.states, count * s_.hidden, 0.0f);
    if (s_.p.present & 1)
      load_elements(args.source(next++), direction * 2 * s_.gates * s_.hidden, 2 * s_.gates * s_.hidden, w_.bias);
    if (s_.p.present & 2)
      load_elements(args.source(next), (direction * s_.batch + first) * s_.hidden, count * s_.hidden, w_.states);
    join_biases();
  }

  void run() {
    const bool reverse = s_.p.direction == 1 || direction_ == 1;
    const int64_t block = s_.block(count_);
    const auto time = [&](int64_t step) { return reverse ? s_.steps - 1 - step : step; };
    for (int64_t begin = 0; begin < s_.steps; begin += block) {
      const int64_t steps = std::min(block, s_.steps - begin);
      for (int64_t i = 0; i < steps; ++i) load_inputs(time(begin + i), w_.inputs + i * count_ * s_.input);
      multiply_inputs(steps * count_);
      for (int64_t i = 0; i < steps; ++i) {
        step(w_.gates + i * count_ * s_.pitch());
        store(time(begin + i) * s_.directions + direction_);
      }
    }
    store(s_.steps * s_.directions + direction_);
  }

 private:
  void copy_rows(const TensorImpl& r) {
    for (int64_t i = 0; i < s_.gates * s_.hidden; ++i)
      load_elements(r, (direction_ * s_.gates * s_.hidden + i) * s_.hidden, s_.hidden, w_.weights + i * s_.hidden);
    rows_ = w_.weights, row_stride_ = s_.hidden;
  }
  // The biases of both weights become one where both are added to the same sum.
  void join_biases() {
    const bool apart = s_.gates == 3 && s_.p.linear_before_reset;
    const int64_t joined = apart ? 2 * s_.hidden : s_.gates * s_.hidden;
    simd().elements.add(w_.bias, w_.bias, w_.bias + s_.gates * s_.hidden, joined);
  }

  void load_inputs(int64_t t, float* to) const {
    const TensorImpl& x = args_.source(0);
    static const LoadRow<float> load = loader<float>(DType::F32);
    for (int64_t b = 0; b < count_; ++b, to += s_.input)
      load(to, x.data() + (t * x.strides[0] + (first_ + b) * x.strides[1]) * 4, x.strides[2], s_.input);
  }

  // gates = inputs · weights + biases
  void multiply_inputs(int64_t rows) {
    for (int64_t i = 0; i < s_.group_count(); ++i) {
      const GateGroup g = s_.group(i);
      float* const to = w_.gates + g.column;
      if (input_panels_)
        multiply_panels(g, input_panels_, s_.input, w_.inputs, s_.input, rows, to, s_.pitch(), false);
      else
        multiply_unpacked_inputs(g, rows, to);
      for (int64_t row = 0; row < rows; ++row)
        simd().elements.add(to + row * s_.pitch(), to + row * s_.pitch(), w_.bias + g.first, g.count);
    }
  }

  void multiply_unpacked_inputs(const GateGroup& g, int64_t rows, float* to) {
    const Lines weights = weight_rows(args_.source(1), direction_);
    if (s_.steps * s_.batch > kFewInputs || weights.stride != 1) {
      const Lines inputs{reinterpret_cast<const std::byte*>(w_.inputs), DType::F32, s_.input, 1};
      gemm({0, rows}, {g.first, g.first + g.count}, s_.input, w_.gemm, LeftLines{inputs, gemm_row(w_.gemm)},
           RightLines{weights, gemm_row(w_.gemm)}, to - g.first, s_.pitch());
      return;
    }
    const float* const direct = reinterpret_cast<const float*>(weights.data) + g.first * weights.line_stride;
    for (int64_t row = 0; row < rows; ++row) {
      std::fill_n(to + row * s_.pitch(), g.count, 0.0f);
      simd().dots[0](direct, weights.line_stride, g.count, w_.inputs + row * s_.input, s_.input, 1, s_.input,
                     to + row * s_.pitch(), g.count);
    }
  }

  // to (+)= `rows` rows of `from` times the group's panels.
  void multiply_panels(const GateGroup& g, const float* panels, int64_t depth, const float* from, int64_t stride,
                       int64_t rows, float* to, int64_t to_stride, bool accumulate) const {
    each_panel(s_, g, panels, depth, [&](int64_t column, int64_t columns, const float* panel) {
      simd().strip(depth, from, stride, 1, rows, panel, columns, static_cast<int>(columns / s_.lanes), to + column,
                   to_stride, accumulate);
    });
  }

  // to += the group's recurrent weights times `states`, for all sequences.
  void multiply_states(int64_t group, const float* states, int64_t stride, float* to, int64_t to_stride) const {
    const GateGroup g = s_.group(group);
    if (panels_) return multiply_panels(g, panels_, s_.hidden, states, stride, count_, to, to_stride, true);
    for (int64_t b = 0; b < count_; ++b)
      simd().dots[0](rows_ + g.first * row_stride_, row_stride_, g.count, states + b * stride, stride, 1, s_.hidden,
                     to + b * to_stride, g.count);
  }

  // Advances the states; `gates` has the contributions of the inputs.
  void step(float* gates) {
    const ElementLoops& e = simd().elements;
    const int64_t h = s_.hidden, pitch = s_.pitch(), wide = s_.vectors(h);
    multiply_states(0, w_.states, h, gates, pitch);
    if (s_.gates == 1) {
      for (int64_t b = 0; b < count_; ++b) e.tanh(w_.states + b * h, gates + b * pitch, h, 0, 0);
      return;
    }
    const int64_t fresh = s_.group(1).column;
    for (int64_t b = 0; b < count_; ++b) {
      float *const zr = gates + b * pitch, *const reset = w_.reset + b * wide;
      e.sigmoid(zr, zr, 2 * h, 0, 0);
      if (s_.p.linear_before_reset)
        std::copy_n(w_.bias + 5 * h, h, reset);
      else
        e.mul(reset, zr + h, w_.states + b * h, h);
    }
    if (s_.p.linear_before_reset)
      multiply_states(1, w_.states, h, w_.reset, wide);
    else
      multiply_states(1, w_.reset, wide, gates + fresh, pitch);
    for (int64_t b = 0; b < count_; ++b) {
      float *const z = gates + b * pitch, *const n = z + fresh, *const reset = w_.reset + b * wide,
                   *const state = w_.states + b * h;
      if (s_.p.linear_before_reset) {
        e.mul(reset, reset, z + h, h);
        e.add(n, n, reset, h);
      }
      e.tanh(n, n, h, 0, 0);
      e.mul(state, state, z, h);  // exact where z is 1, so that the state is kept
      e.affine(z, z, h, -1, 1);
      e.mul(n, n, z, h);
      e.add(state, state, n, h);
    }
  }

  void store(int64_t row) const {
    std::copy_n(w_.states, count_ * s_.hidden, args_.node.data_as<float>() + (row * s_.batch + first_) * s_.hidden);
  }

  const KernelArgs& args_;
  const RecurrentSizes& s_;
  const RecurrentScratch& w_;
  const int64_t direction_, first_, count_;
  const float* rows_;
  int64_t row_stride_;
  // Panels of the direction's weights; null: the weights are read as they are.
  const float *input_panels_ = nullptr, *panels_ = nullptr;
};

}  // namespace

Bytes packed_recurrent_bytes(const TensorImpl& node) {
  const RecurrentSizes s(node);
  return has_constant_weights(node) && s.batch >= kMinPanelSequences ? 4 * s.directions * s.packed_length() : 0;
}

void pack_recurrent(const TensorImpl& node, float* to) {
  const RecurrentSizes s(node);
  for (int64_t direction = 0; direction < s.directions; ++direction, to += s.packed_length()) {
    pack_direction(s, *node.sources[1], direction, to);
    pack_direction(s, *node.sources[2], direction, to + s.pitch() * s.input);
  }
}

Bytes recurrent_work(const TensorImpl& node, int tasks) {
  const RecurrentSizes s(node);
  return tasks * RecurrentScratch::bytes(node, s, s.max_sequences(tasks));
}

Status recurrent(const KernelArgs& args) {
  const RecurrentSizes s(args.node);
  const int64_t most = s.max_sequences(args.nth);
  const RecurrentScratch scratch(args.node, s, most, args.scratch<float>(RecurrentScratch::bytes(args.node, s, most)));
  const Range range = args.part(s.directions * s.batch);
  for (int64_t i = range.begin; i < range.end;) {
    const int64_t first = i % s.batch, count = std::min(s.batch - first, range.end - i);
    RecurrentChunk(args, s, scratch, i / s.batch, first, count).run();
    i += count;
  }
  return {};
}

}  // namespace arenascope::cpu
