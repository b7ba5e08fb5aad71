// SPDX-License-Identifier: MIT
// ONNX Runtime's operators over windows: max pooling with a mask, and word embeddings from character convolutions.
#include <fmt/format.h>
#include "engine/models/onnx/operators/attention_call.h"
#include "engine/models/onnx/operators/decompose.h"
#include "engine/models/onnx/operators/packed_sequences.h"

#include <algorithm>
#include <limits>

namespace arenascope::models {
namespace {

constexpr int64_t kWidest = 256;  // innermost dimension of a window, whose elements become separate ops

// The maximum of each window, whose rows end where the mask is 0. As in ONNX Runtime, the mask of a channel starts at
// offset `channel · plane`, modulo the channels of the mask.
class MaskedPool {
 public:
  explicit MaskedPool(OpCall& c) : c_(c) {}

  void run() {
    if (!read()) return;
    const Tensor open = read_mask();
    if (!open) return;
    const Tensor rows = innermost(open);
    if (!rows) return;
    if (window_.spatial == 1) return c_.out(0, c_.op(Op::Copy, {rows}));
    PoolParams p{};
    p.spatial = window_.spatial;
    for (int i = 0; i < 3; ++i) {
      const bool outer = i < window_.spatial - 1;
      p.kernel[i] = outer ? static_cast<int32_t>(kernel_[static_cast<size_t>(i)]) : 1;
      p.strides[i] = outer ? window_.strides[i] : 1;
      p.pads_begin[i] = outer ? window_.pads_begin[i] : 0, p.pads_end[i] = outer ? window_.pads_end[i] : 0;
      p.dilations[i] = 1;
    }
    c_.out(0, c_.op_with(Op::MaxPool, {rows}, p));
  }

 private:
  bool refused(std::string why) {
    c_.fail(std::move(why));
    return false;
  }

  bool read() {
    x_ = c_.in(0);
    if (!x_) return false;
    const Dims& s = x_.sizes();
    kernel_ = c_.attr_ints("kernel_shape");
    if (x_.dtype() != DType::F32 || s.rank() < 3 || s.rank() > 5 || static_cast<int>(kernel_.size()) != s.rank() - 2)
      return refused(
          fmt::format("a kernel of {} dimensions does not match the f32 input {}", kernel_.size(), to_string(s)));
    Dims weight{1, 1};
    for (const int64_t size : kernel_) weight.push_back(size);
    if (!read_convolution(c_, s, weight, window_)) return false;
    for (int i = 0; i < window_.spatial; ++i) {
      const int64_t size = kernel_[static_cast<size_t>(i)], pads = window_.pads_begin[i] + window_.pads_end[i];
      if (window_.dilations[i] != 1 || window_.pads_begin[i] >= size || window_.pads_end[i] >= size || s[i + 2] < 1 ||
          s[i + 2] + pads < size)
        return refused(fmt::format("a kernel size of {} does not fit in {} with its pads", size, to_string(s)));
    }
    if (kernel_.back() > kWidest || s.back() > kMaxPlaces / kernel_.back())
      return refused(fmt::format("a kernel of {} elements in rows of {} is not supported", kernel_.back(), s.back()));
    return true;
  }

  // True where a row has not ended yet, in the shape of the input.
  Tensor read_mask() {
    const Tensor mask = c_.in(1);
    if (!mask) return {};
    const Dims &s = x_.sizes(), &m = mask.sizes();
    bool fits = m.rank() == s.rank() && mask.dtype() == DType::I32 && m[0] > 0 && m[1] > 0;
    int64_t plane = 1;
    for (int i = 2; fits && i < s.rank(); ++i) fits = m[i] == s[i], plane *= s[i];
    const int64_t channels = s[0] * s[1];
    if (!fits || channels > HostArray::kMaxElements) {
      c_.fail(fmt::format("the mask {} does not match {}", to_string(m), to_string(s)));
      return {};
    }
    HostArray starts = HostArray::make(DType::I64, {channels, 1});
    for (int64_t i = 0; i < channels; ++i)
      starts.ints[static_cast<size_t>(i)] = i % (m[0] * m[1]) * (plane % (m[0] * m[1])) % (m[0] * m[1]);
    const Tensor at =
        c_.op(Op::Add, {c_.constant(std::move(starts), ":starts"), counted_from(c_, {plane}, 0, ":plane")}, ":at");
    const Tensor line = c_.reshape(mask, {mask->element_count()}, ":mask_line");
    const Tensor own = c_.op_with(Op::Gather, {line, at}, AxisParams{0}, ":own_mask");
    const Tensor ends = c_.op(Op::Equal, {own, c_.scalar(0, DType::I32, ":no")}, ":ends");
    Tensor open = c_.op(Op::Not, {ends}, ":open");
    // The first element of a plane counts whatever its mask is.
    if (window_.spatial > 1)
      open = c_.op(Op::Or,
                   {open, c_.op(Op::Equal, {counted_from(c_, {plane}, 0, ":places"), c_.scalar(0, DType::I64, ":zero")},
                                ":first")},
                   ":open_or_first");
    return c_.reshape(open, s, ":open_sizes");
  }

  // Windows of the last dimension.
  Tensor innermost(const Tensor& open) {
    const Dims& s = x_.sizes();
    const int axis = s.rank() - 1, i = window_.spatial - 1;
    const int64_t size = s[axis], kernel = kernel_.back(), before = window_.pads_begin[i], step = window_.strides[i];
    const int64_t count = (size + before + window_.pads_end[i] - kernel) / step + 1;
    Dims made = s;
    made[axis] = count;
    OpParams lowest;
    lowest.set(FillParams{made, DType::F32, static_cast<double>(std::numeric_limits<float>::lowest()), 0});
    Tensor best = c_.apply(Op::Fill, std::span<const Tensor>(), lowest, ":lowest"), on;
    for (int64_t j = 0; j < kernel && c_.ok(); ++j) {
      const std::string at = fmt::format(":place_{}", j);
      const auto name = [&](const char* what) { return at + what; };
      HostArray indices = HostArray::make(DType::I64, {count}), outside = HostArray::make(DType::Bool, {count});
      for (int64_t p = 0; p < count; ++p) {
        const int64_t place = p * step - before + j;
        indices.set_integer(p, std::clamp<int64_t>(place, 0, size - 1));
        outside.set_integer(p, place < 0 || place >= size);
      }
      const Tensor taken_at = c_.constant(std::move(indices), name("_at").c_str());
      const Tensor beyond = c_.constant(std::move(outside), name("_beyond").c_str());
      const Tensor x = c_.op_with(Op::Gather, {x_, taken_at}, AxisParams{axis}, name("_x").c_str());
      const Tensor here = c_.op_with(Op::Gather, {open, taken_at}, AxisParams{axis}, name("_open").c_str());
      const Tensor goes_on = c_.op(Op::Or, {here, beyond}, name("_goes_on").c_str());
      on = on ? c_.op(Op::And, {on, goes_on}, name("_on").c_str()) : goes_on;
      const Tensor counts =
          c_.op(Op::And, {on, c_.op(Op::Not, {beyond}, name("_inside").c_str())}, name("_counts").c_str());
      const Tensor larger = c_.op(Op::Greater, {x, best}, name("_larger").c_str());
      best = c_.op(Op::Where, {c_.op(Op::And, {counts, larger}, name("_better").c_str()), x, best}, at.c_str());
    }
    return c_.ok() ? best : Tensor();
  }

  OpCall& c_;
  Tensor x_;
  std::vector<int64_t> kernel_;
  ConvParams window_{};
};

// For each word, a row of characters, the maximum of a convolution over its characters. Valid characters are above 0; a
// word whose first character is not has none.
void word_conv_embedding(OpCall& c) {
  const Tensor letters = c.in(0), weight = c.in(1), bias = c.in(2), table = c.in(3);
  if (!letters || !weight || !bias || !table) return;
  const Dims &w = weight.sizes(), &s = letters.sizes();
  if (letters.dtype() != DType::I32 || s.rank() != 2 || w.rank() != 4 || table->rank() != 2 || w[1] != 1 ||
      table.sizes()[1] != w[3] || !(bias.sizes() == Dims{w[0]}) || w[2] < 1 || w[2] > s[1] || table.sizes()[0] < 1)
    return c.fail(fmt::format("the words {}, the weight {} and the character embedding {} do not match", to_string(s),
                              to_string(w), to_string(table.sizes())));
  const auto specified = [&](const char* name, int64_t size) {
    const int64_t asked = c.attr_int(name, -1);
    if (asked != -1 && asked != size) c.fail(fmt::format("its {} is {}, not {}", name, asked, size));
  };
  specified("embedding_size", w[0]), specified("conv_window_size", w[2]), specified("char_embedding_size", w[3]);
  if (!c.ok()) return;
  const int64_t windows = s[1] - w[2] + 1;
  const Tensor none = c.scalar(0, DType::I32, ":none");
  const Tensor there = c.cast(c.op(Op::Greater, {letters, none}, ":there"), DType::I64, ":there_i64");
  const Tensor first = c.slice(there, 1, 0, 1, 1, ":first");
  const Tensor count =
      c.op(Op::Mul, {c.op_with(Op::ReduceSum, {there}, ReduceParams{2, true}, ":sum"), first}, ":length");
  const Tensor known =
      c.op_with(Op::Clamp, {letters}, ClampParams{0, static_cast<double>(table.sizes()[0] - 1)}, ":known");
  const Tensor rows = c.op_with(Op::Gather, {table, known}, AxisParams{0}, ":letters");
  const ConvParams p{2, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1};
  const Tensor y = c.op(
      Op::Tanh, {c.op_with(Op::Conv, {c.reshape(rows, {s[0], 1, s[1], w[3]}, ":image"), weight, bias}, p, ":conv")},
      ":activated");
  // A window counts if it ends within the word, and the first one does anyway.
  const Tensor length = c.op(Op::Max, {count, c.scalar(static_cast<double>(w[2]), DType::I64, ":window")}, ":read");
  const Tensor inside = c.op(Op::Less, {counted_from(c, {windows}, w[2] - 1, ":ends"), length}, ":inside");
  const Tensor valid = c.op(Op::Where,
                            {c.reshape(inside, {s[0], 1, windows}, ":inside_rows"),
                             c.reshape(y, {s[0], w[0], windows}, ":rows"), c.scalar(-1e12, DType::F32, ":never")},
                            ":valid");
  const Tensor best = c.op_with(Op::ReduceMax, {valid}, ReduceParams{4, false}, ":best");
  const Tensor is_word = c.op(Op::Greater, {count, c.scalar(0, DType::I64, ":no_letters")}, ":is_word");
  c.out(0, c.op(Op::Where, {is_word, best, c.scalar(0, DType::F32, ":zero")}));
}

constexpr HandlerEntry kContribWindows[] = {
    {"com.microsoft::MaxpoolWithMask", [](OpCall& c) { MaskedPool(c).run(); }},
    {"com.microsoft::SampleOp",
     [](OpCall& c) {
       if (c.in(0)) c.out(0, c.inputs()[0]);
     }},
    {"com.microsoft::WordConvEmbedding", word_conv_embedding},
};

}  // namespace

std::span<const HandlerEntry> contrib_maxpool_mask_word_conv_handlers() { return kContribWindows; }

}  // namespace arenascope::models
