// SPDX-License-Identifier: MIT
// ONNX operators that carry a state along a sequence, step by step.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace arenascope::models {
namespace {

// A sequence is written out step by step; longer ones would make a graph too large to read.
constexpr int64_t kMostSteps = 8192;
constexpr int64_t kMostScanned = 1 << 16;  // of a scan, all turns together

Tensor filled(OpCall& c, const Dims& sizes, DType dtype, double value, const char* suffix) {
  OpParams bytes;
  bytes.set(FillParams{sizes, dtype, value, 0});
  return c.apply(Op::Fill, std::span<const Tensor>{}, bytes, suffix);
}

// A causal convolution along the last dimension; the state is what lies before the first element.
void causal_conv(OpCall& c) {
  const Tensor x = c.in(0), w = c.in(1);
  if (!x || !w) return;
  if (x->rank() != 3 || w->rank() != 3 || w.sizes()[0] != x.sizes()[1] || w.sizes()[1] != 1 || w.sizes()[2] < 1)
    return c.refuse(fmt::format("its weight {} does not fit {}", to_string(w.sizes()), to_string(x.sizes())));
  const int64_t before = w.sizes()[2] - 1, channels = x.sizes()[1];
  const Dims state{x.sizes()[0], channels, before};
  const Tensor past = c.has(3) ? c.in(3) : filled(c, state, x.dtype(), 0, ":past");
  if (!past) return;
  if (!(past.sizes() == state))
    return c.refuse(fmt::format("its state {} is not {}", to_string(past.sizes()), to_string(state)));
  const Tensor all = before == 0 ? x : c.op_with(Op::Concat, {past, x}, AxisParams{2}, ":all");
  ConvParams p{1, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, static_cast<int32_t>(channels)};
  const std::string activation = c.attr_string("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return c.refuse(fmt::format("activation '{}'", activation));
  Tensor y = c.has(2) ? c.op_with(Op::Conv, {all, w, c.in(2)}, p, ":conv") : c.op_with(Op::Conv, {all, w}, p, ":conv");
  if (y && y.dtype() != x.dtype()) y = c.cast(y, x.dtype(), ":rounded");
  c.out(0, activation == "none" ? c.op(Op::Copy, {y}) : c.op(Op::Silu, {y}));
  if (c.wants(1) && all) {
    const int64_t length = all.sizes()[2];
    c.out(1, c.op(Op::Cont, {c.slice(all, 2, length - before, length, 1, ":last")}, ":present"));
  }
}

// [B, T, H·D] as [B, H, T, D] in f32.
Tensor heads_of(OpCall& c, const Tensor& x, int64_t heads, const char* suffix) {
  constexpr int kStateHeadsSecond[] = {0, 2, 1, 3};
  const std::string at = suffix;
  if (!x || x->rank() != 3 || heads < 1 || x.sizes()[2] % heads != 0) {
    c.refuse(fmt::format("{} are not {} heads", x ? to_string(x.sizes()) : "", heads));
    return {};
  }
  const Tensor wide = c.cast(x, DType::F32, (at + "_f32").c_str());
  return c.permute(c.reshape(wide, {x.sizes()[0], x.sizes()[1], heads, x.sizes()[2] / heads}, (at + "_split").c_str()),
                   kStateHeadsSecond, suffix);
}

struct LinearCall {
  Tensor q, k, v, decay, beta, state;
  int64_t groups = 1;
  float scale = 1;
};

bool read_linear(OpCall& c, LinearCall& a) {
  const std::string rule = c.attr_string("update_rule", "gated_delta");
  const bool gated = rule == "gated" || rule == "gated_delta", corrected = rule == "delta" || rule == "gated_delta";
  if (!gated && !corrected && rule != "linear") c.refuse(fmt::format("update rule '{}'", rule));
  if (gated != c.has(4) || corrected != c.has(5)) c.refuse(fmt::format("its sources are not those of '{}'", rule));
  const int64_t heads = c.attr_int("q_num_heads", 0), kv_heads = c.attr_int("kv_num_heads", 0);
  if (heads < 1 || kv_heads < 1 || heads % kv_heads != 0) c.refuse(fmt::format("{} heads over {}", heads, kv_heads));
  if (!c.ok()) return false;
  a.groups = heads / kv_heads;
  a.q = heads_of(c, c.in(0), heads, ":q"), a.k = heads_of(c, c.in(1), kv_heads, ":k");
  a.v = heads_of(c, c.in(2), kv_heads, ":v");
  if (!a.q || !a.k || !a.v) return false;
  if (gated) a.decay = heads_of(c, c.in(4), kv_heads, ":decay");
  if (corrected) a.beta = heads_of(c, c.in(5), c.sizes(5).rank() == 3 && c.sizes(5)[2] == 1 ? 1 : kv_heads, ":beta");
  const int64_t steps = a.q.sizes()[2], width = a.k.sizes()[3];
  if (steps < 1 || steps > kMostSteps) c.refuse(fmt::format("{} steps, of at most {}", steps, kMostSteps));
  if (a.q.sizes()[3] != width || a.k.sizes()[2] != steps || a.v.sizes()[2] != steps)
    c.refuse("its keys do not fit its queries");
  const Dims sizes{a.q.sizes()[0], kv_heads, width, a.v.sizes()[3]};
  a.state = c.has(3) ? c.cast(c.in(3), DType::F32, ":state_f32") : filled(c, sizes, DType::F32, 0, ":state");
  if (!c.ok() || !a.state) return false;
  if (!(a.state.sizes() == sizes))
    c.refuse(fmt::format("its state {} is not {}", to_string(a.state.sizes()), to_string(sizes)));
  const float given = c.attr_float("scale", 0);
  a.scale = given == 0.0f ? 1 / std::sqrt(static_cast<float>(width)) : given;
  return c.ok();
}

// Step t: the state fades, takes up k ⊗ v, and the queries read it.
Tensor linear_step(OpCall& c, LinearCall& a, int64_t t) {
  const std::string at = fmt::format(":step_{}", t);
  const auto name = [&](const char* what) { return at + what; };
  const auto at_step = [&](const Tensor& x, const char* what) {
    return c.slice(x, 2, t, t + 1, 1, name(what).c_str());
  };
  const Tensor k = at_step(a.k, "_k");
  Tensor v = at_step(a.v, "_v");
  if (!k || !v) return {};
  if (a.decay) {
    const Tensor fade = c.op(Op::Transpose, {c.op(Op::Exp, {at_step(a.decay, "_decay")}, name("_fade").c_str())},
                             name("_fade_t").c_str());
    a.state = c.op(Op::Mul, {a.state, fade}, name("_faded").c_str());
  }
  if (a.beta) {
    const Tensor known =
        c.mul_mat(c.op(Op::Transpose, {a.state}, name("_known_t").c_str()), k, {}, 1, name("_known").c_str());
    v = c.op(Op::Mul, {at_step(a.beta, "_beta"), c.op(Op::Sub, {v, known}, name("_new").c_str())},
             name("_written").c_str());
  }
  const Tensor product = c.op(Op::Mul, {c.op(Op::Transpose, {k}, name("_k_t").c_str()), v}, name("_product").c_str());
  a.state = c.op(Op::Add, {a.state, product}, name("_state").c_str());
  const Dims& q = a.q.sizes();
  const Tensor reading =
      c.reshape(at_step(a.q, "_q"), {q[0], q[1] / a.groups, a.groups, q[3]}, name("_reading").c_str());
  if (!a.state || !reading) return {};
  const Tensor read =
      c.mul_mat(c.op(Op::Transpose, {a.state}, name("_state_t").c_str()), reading, {}, a.scale, name("_read").c_str());
  return read ? c.reshape(read, {q[0], 1, q[1] * read.sizes()[3]}, name("_out").c_str()) : Tensor();
}

void linear_attention(OpCall& c) {
  LinearCall a;
  if (!read_linear(c, a)) return;
  std::vector<Tensor> steps;
  for (int64_t t = 0; t < a.q.sizes()[2] && c.ok(); ++t) steps.push_back(linear_step(c, a, t));
  if (!c.ok()) return;
  const Tensor all = c.op_list(Op::Concat, std::span<const Tensor>(steps), AxisParams{1}, ":all");
  c.out(0, c.cast(all, c.value(0).dtype));
  if (c.wants(1)) c.out(1, c.op_with(Op::Cast, {a.state}, CastParams{c.value(c.has(3) ? 3 : 0).dtype}, ":present"));
}

// One slice of a sequence, without its axis.
ValuePtr element(OpCall& c, const ValuePtr& from, int axis, int64_t i, const std::string& at) {
  const Tensor slice = c.slice(c.tensor_of(from), axis, i, i + 1, 1, (at + "_slice").c_str());
  if (!slice) return nullptr;
  Dims sizes;
  for (int d = 0; d < slice->rank(); ++d)
    if (d != axis) sizes.push_back(slice.sizes()[d]);
  const Tensor made = c.reshape(slice, sizes, at.c_str());
  return made ? value_like(*from, c.name_of(at.c_str()), made) : nullptr;
}

int64_t number_at(const std::vector<int64_t>& numbers, size_t i) { return i < numbers.size() ? numbers[i] : 0; }

// A loop whose number of turns is known: its body as often as it goes round.
struct Scanned {
  std::vector<ValuePtr> states;
  std::vector<std::vector<ValuePtr>> outputs;  // by output, each turn's
};

bool scan_turn(OpCall& c, const ir::Graph& body, const std::vector<ValuePtr>& inputs, int64_t turn, int64_t turns,
               const std::vector<int64_t>& axes, const std::vector<int64_t>& directions, Scanned& s) {
  const Lowering::Within this_turn(c.lowering(), fmt::format("turn {}", turn));
  std::vector<ValuePtr> given = s.states;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int axis = c.axis(number_at(axes, i), inputs[i]->sizes.rank());
    const int64_t at = number_at(directions, i) != 0 ? turns - 1 - turn : turn;
    given.push_back(c.ok() ? element(c, inputs[i], axis, at, fmt::format(":turn_{}_{}", turn, i)) : nullptr);
    if (!given.back()) return false;
  }
  auto made = c.lowering().lower_subgraph(body, given);
  if (!made) {
    c.refuse(made.error().message);
    return false;
  }
  for (size_t i = 0; i < made->size(); ++i) {
    if (i < s.states.size()) {
      s.states[i] = (*made)[i];
      continue;
    }
    if ((*made)[i]->kind == Value::Kind::Sequence) c.refuse("its turns leave sequences");
    s.outputs[i - s.states.size()].push_back((*made)[i]);
  }
  return c.ok();
}

// The results of all turns side by side.
ValuePtr scan_output(OpCall& c, std::vector<ValuePtr> turns, int64_t axis, bool backwards, const std::string& at) {
  const int place = c.axis(axis, turns[0]->sizes.rank() + 1);
  if (!c.ok()) return nullptr;
  if (backwards) std::reverse(turns.begin(), turns.end());
  for (size_t i = 0; i < turns.size() && c.ok(); ++i)
    turns[i] = c.with_axis(turns[i], place, fmt::format("{}_{}", at, i));
  return c.ok() ? c.concat(turns, place, at.c_str()) : nullptr;
}

// Of one batch: `parts` are its states and sequences, and become its results.
bool scan_sequence(OpCall& c, const ir::Graph& graph, std::vector<ValuePtr>& parts, size_t states, int64_t batch) {
  const bool batched = c.opset() < 9;
  const auto axes = batched ? std::vector<int64_t>() : c.attr_ints("scan_input_axes");
  const auto directions = c.attr_ints(batched ? "directions" : "scan_input_directions");
  const std::vector<ValuePtr> sequences(parts.begin() + static_cast<std::ptrdiff_t>(states), parts.end());
  Scanned s;
  s.states.assign(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(states));
  s.outputs.resize(c.output_count() - states);
  const int axis = c.axis(number_at(axes, 0), sequences[0]->sizes.rank());
  if (!c.ok()) return false;
  const int64_t turns = sequences[0]->sizes[axis];
  if (turns < 1 || turns * static_cast<int64_t>(graph.nodes.size() + 1) * batch > kMostScanned)
    c.refuse(fmt::format("{} turns of {} nodes", turns, graph.nodes.size()));
  for (size_t i = 1; i < sequences.size() && c.ok(); ++i)
    if (sequences[i]->sizes[c.axis(number_at(axes, i), sequences[i]->sizes.rank())] != turns)
      c.refuse("its sequences differ in length");
  for (int64_t t = 0; t < turns && c.ok(); ++t)
    if (!scan_turn(c, graph, sequences, t, turns, axes, directions, s)) return false;
  if (!c.ok()) return false;
  parts.assign(c.output_count(), nullptr);
  for (size_t i = 0; i < parts.size() && c.ok(); ++i)
    parts[i] = i < states
                   ? s.states[i]
                   : scan_output(c, s.outputs[i - states], number_at(c.attr_ints("scan_output_axes"), i - states),
                                 number_at(c.attr_ints("scan_output_directions"), i - states) != 0,
                                 fmt::format(":result_{}", i));
  return c.ok();
}

void scan(OpCall& c) {
  const auto* body = c.attr("body");
  const int64_t count = c.attr_int("num_scan_inputs", 0);
  const bool batched = c.opset() < 9;  // sequence_lens come first, and every tensor has a batch in front
  const size_t first = batched ? 1 : 0;
  if (!body || !body->graph || count < 1 || c.input_count() < first + static_cast<size_t>(count))
    return c.refuse("it lacks a body or a sequence");
  const size_t states = c.input_count() - first - static_cast<size_t>(count);
  const ir::Graph& graph = *body->graph;
  if (graph.inputs.size() != states + static_cast<size_t>(count) || graph.outputs.size() != c.output_count() ||
      graph.outputs.size() < states)
    return c.refuse("its body has another number of sources or results");
  if (batched && c.has(0)) return c.refuse("its sequences differ in length");
  std::vector<ValuePtr> given;
  for (size_t i = first; i < c.input_count(); ++i) {
    if (!c.has(i) || c.inputs()[i]->kind == Value::Kind::Sequence)
      return c.refuse(fmt::format("its source {} is no tensor", i));
    given.push_back(c.inputs()[i]);
  }
  const Lowering::Within all_turns(c.lowering(), c.title());
  const int64_t batch = batched ? given[0]->sizes.rank() > 0 ? given[0]->sizes[0] : 0 : 1;
  std::vector<std::vector<ValuePtr>> results(c.output_count());
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<ValuePtr> parts = given;
    if (batched)
      for (size_t i = 0; i < parts.size() && c.ok(); ++i)
        parts[i] = element(c, parts[i], 0, b, fmt::format(":batch_{}_{}", b, i));
    if (!c.ok() || !scan_sequence(c, graph, parts, states, batch)) return;
    for (size_t i = 0; i < results.size(); ++i) {
      if (batched) parts[i] = c.with_axis(parts[i], 0, fmt::format(":one_{}_{}", b, i));
      if (!c.ok()) return;
      results[i].push_back(parts[i]);
    }
  }
  for (size_t i = 0; i < results.size() && c.ok(); ++i)
    if (c.wants(i) && !results[i].empty()) c.out(i, c.concat(results[i], 0, fmt::format(":{}", i).c_str()));
}

constexpr HandlerEntry kStateHandlers[] = {
    {"CausalConvWithState", causal_conv},
    {"LinearAttention", linear_attention},
    {"Scan", scan},
};

}  // namespace

std::span<const HandlerEntry> state_handlers() { return kStateHandlers; }

}  // namespace arenascope::models
