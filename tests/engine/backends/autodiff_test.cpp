// SPDX-License-Identifier: MIT
// Gradients compared with central differences of the loss, computed by the reference backend. With steps of 1/256 and
// results rounded to 32 bits, a difference of two losses is accurate to about 1e-4 of the loss; the tolerance is 2e-3 of
// the largest gradient.
#include <arenascope/backends/op_cases/op_cases.h>
#include <arenascope/backends/reference/reference_backend.h>
#include <arenascope/graph/autodiff.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

using namespace arenascope;

namespace {

struct Case {
  const char* name;
  std::vector<Dims> shapes;  // shapes of the differentiated tensors
  std::function<Tensor(GraphBuilder&, std::span<const Tensor>)> build;
  double low = -1, high = 1;
};

Status compute(Backend& backend, const Graph& graph) {
  for (const TensorImpl* node : graph.nodes())
    if (auto done = compute_in_parts(backend, *node, 1); !done) return done;
  return {};
}

// The result weighed by numbers that differ, and summed: so that no gradient is the same everywhere.
Tensor loss_of(GraphBuilder& g, const Tensor& y) {
  if (!y) return {};
  const Tensor weights =
      g.op_with(Op::Arange, {}, FillParams{y.sizes(), DType::F32, -0.4, 0.83 / double(y->element_count())});
  ReduceParams all{0, false};
  for (int i = 0; i < y->rank(); ++i) all.axes |= 1u << i;
  return g.op_with(Op::ReduceSum, {g.mul(y, weights)}, all);
}

ConvParams conv(int stride, int dilation, int pad) {
  return {2, {stride, stride, 1}, {dilation, dilation, 1}, {pad, pad, 0}, {pad, pad, 0}, {0, 0, 0}, 1};
}

using G = GraphBuilder;
using T = std::span<const Tensor>;

Tensor whole_numbers(G& g, const Dims& sizes, double start, double step) {
  return g.op_with(Op::Arange, {}, FillParams{sizes, DType::I64, start, step});
}

Tensor pooled(G& g, const Tensor& x, PoolParams p) { return g.op_with(Op::AvgPool, {x}, p); }

Tensor resized(G& g, const Tensor& x, ResizeMode mode, ResizeCoordinates coordinates) {
  ResizeParams p{{1, 2, 7, 3}, {}, mode, coordinates, ResizeNearest::Floor, -0.75f};
  return g.op_with(Op::Resize, {x}, p);
}

Tensor recurrent(G& g, T t, int32_t direction, int32_t present) {
  OpParams params;
  params.set(LstmParams{2, direction, present});
  return g.op(Op::Lstm, t, params);
}

Tensor gated(G& g, T t, Op op, RecurrentParams p) {
  OpParams params;
  params.set(p);
  return g.op(op, t, params);
}

std::vector<Case> movement_cases() {
  return {
      {"slice by two", {{3, 7}}, [](G& g, T t) { return g.slice(t[0], 1, 1, 7, 2); }},
      {"slice backwards", {{7, 2}}, [](G& g, T t) { return g.slice(t[0], 0, 6, 0, -3); }},
      {"gather along an inner axis",
       {{2, 5, 3}},
       [](G& g, T t) {
         return g.op_with(Op::Gather, {t[0], whole_numbers(g, {2, 2}, -2, 1)}, AxisParams{1});
       }},
      {"gather of a line",
       {{5}},
       [](G& g, T t) {
         return g.op_with(Op::Gather, {t[0], whole_numbers(g, {3}, 1, 1)}, AxisParams{0});
       }},
      {"gather_elements",
       {{3, 5, 2}},
       [](G& g, T t) {
         const Tensor at = g.op(
             Op::Mod, {whole_numbers(g, {2, 4, 2}, 0, 3), g.op_with(Op::Fill, {}, FillParams{{}, DType::I64, 5, 0})});
         return g.op_with(Op::GatherElements, {t[0], at}, AxisParams{1});
       }},
      {"rows written into a table",
       {{2, 5, 3}, {2, 3, 3}},
       [](G& g, T t) {  // rows -1, 1 and 3: the first is written nowhere
         return g.op_with(Op::SetRows, {g.op(Op::Cont, {t[0]}), t[1], whole_numbers(g, {3}, -1, 2)},
                          SetRowsParams{1, true});
       }},
      {"elements written, some to one place",
       {{3, 5, 2}, {2, 4, 2}},
       [](G& g, T t) {
         const Tensor at = g.op(
             Op::Mod, {whole_numbers(g, {2, 4, 2}, 0, 3), g.op_with(Op::Fill, {}, FillParams{{}, DType::I64, 5, 0})});
         return g.op_with(Op::SetRows, {g.op(Op::Cont, {t[0]}), t[1], at}, SetRowsParams{1, true});
       }},
      {"all rows written",
       {{2, 3}, {2, 3}},
       [](G& g, T t) {
         return g.op_with(Op::SetRows, {g.op(Op::Cont, {t[0]}), t[1]}, SetRowsParams{0, false});
       }},
      {"pad and crop",
       {{3, 5}},
       [](G& g, T t) {
         return g.op_with(Op::Pad, {t[0]}, PadParams{{1, -1}, {2, 3}, PadMode::Constant, 7});
       }},
      {"pad by reflection",
       {{3, 5}},
       [](G& g, T t) {
         return g.op_with(Op::Pad, {t[0]}, PadParams{{2, 1}, {1, 3}, PadMode::Reflect, 0});
       }},
      {"pad by the edge",
       {{2, 4}},
       [](G& g, T t) {
         return g.op_with(Op::Pad, {t[0]}, PadParams{{0, 2}, {1, 3}, PadMode::Edge, 0});
       }},
      {"resize to the nearest",
       {{1, 2, 4, 5}},
       [](G& g, T t) { return resized(g, t[0], ResizeMode::Nearest, ResizeCoordinates::Asymmetric); }},
      {"resize linearly",
       {{1, 2, 4, 5}},
       [](G& g, T t) { return resized(g, t[0], ResizeMode::Linear, ResizeCoordinates::HalfPixel); }},
      {"resize by cubes",
       {{1, 2, 4, 5}},
       [](G& g, T t) { return resized(g, t[0], ResizeMode::Cubic, ResizeCoordinates::AlignCorners); }},
      {"depth_to_space",
       {{2, 8, 2, 3}},
       [](G& g, T t) {
         return g.op_with(Op::DepthToSpace, {t[0]}, DepthToSpaceParams{2, false});
       }},
      {"depth_to_space, columns first",
       {{1, 8, 2, 3}},
       [](G& g, T t) {
         return g.op_with(Op::DepthToSpace, {t[0]}, DepthToSpaceParams{2, true});
       }},
      {"dropout, its seed fixed",
       {{3, 17}},
       [](G& g, T t) {
         return g.op_with(Op::Dropout, {g.mul(t[0], t[0]), whole_numbers(g, {2}, 5, 3)}, DropoutParams{0.4f, 7});
       }},
      {"tril",
       {{2, 4, 5}},
       [](G& g, T t) {
         return g.op_with(Op::Tril, {t[0]}, TrilParams{-1, false});
       }},
      {"triu",
       {{4, 5}},
       [](G& g, T t) {
         return g.op_with(Op::Tril, {t[0]}, TrilParams{1, true});
       }},
  };
}

std::vector<Case> product_cases() {
  return {
      {"conv in groups",
       {{2, 6, 5, 4}, {4, 3, 3, 3}, {4}},
       [](G& g, T t) { return g.conv2d(t[0], t[1], t[2], 2, 1, 2); }},
      {"conv, each channel alone",
       {{1, 3, 5, 6}, {3, 1, 3, 3}},
       [](G& g, T t) { return g.conv2d(t[0], t[1], {}, 1, 1, 3); }},
      {"conv_transpose",
       {{2, 3, 4, 3}, {3, 2, 3, 3}, {2}},
       [](G& g, T t) {
         ConvParams p = conv(2, 1, 1);
         p.output_padding[1] = 1;
         return g.op_with(Op::ConvTranspose, {t[0], t[1], t[2]}, p);
       }},
      {"conv_transpose in groups",
       {{1, 4, 3, 3}, {4, 3, 2, 3}},
       [](G& g, T t) {
         ConvParams p = conv(1, 2, 0);
         p.groups = 2;
         return g.op_with(Op::ConvTranspose, {t[0], t[1]}, p);
       }},
      {"attention op, masked",
       {{2, 3, 4, 5}, {2, 3, 6, 5}, {2, 3, 6, 2}, {3, 4, 6}},
       [](G& g, T t) {
         return g.op_with(Op::Attention, {t[0], t[1], t[2], t[3]}, AttentionParams{0.6f, false});
       }},
      {"attention op, shared keys, causal",
       {{4, 3, 5}, {2, 5, 5}, {2, 5, 3}},
       [](G& g, T t) {
         return g.op_with(Op::Attention, {t[0], t[1], t[2]}, AttentionParams{0.4f, true});
       }},
      {"lstm", {{3, 2, 3}, {1, 8, 3}, {1, 8, 2}}, [](G& g, T t) { return recurrent(g, t, 0, 0); }},
      {"lstm, both ways, with all sources",
       {{3, 2, 3}, {2, 8, 3}, {2, 8, 2}, {2, 16}, {2, 2, 2}, {2, 2, 2}},
       [](G& g, T t) { return recurrent(g, t, 2, 7); }},
      {"gru",
       {{3, 2, 3}, {1, 6, 3}, {1, 6, 2}},
       [](G& g, T t) {
         return gated(g, t, Op::Gru, {2, 1, 0});
       }},
      {"gru, both ways, with all sources",
       {{3, 2, 3}, {2, 6, 3}, {2, 6, 2}, {2, 12}, {2, 2, 2}},
       [](G& g, T t) {
         return gated(g, t, Op::Gru, {2, 2, 3});
       }},
      {"gru, linear before reset",
       {{3, 2, 3}, {2, 6, 3}, {2, 6, 2}, {2, 12}, {2, 2, 2}},
       [](G& g, T t) {
         return gated(g, t, Op::Gru, {2, 2, 3, true});
       }},
      {"rnn, both ways, with all sources",
       {{3, 2, 3}, {2, 2, 3}, {2, 2, 2}, {2, 4}, {2, 2, 2}},
       [](G& g, T t) {
         return gated(g, t, Op::Rnn, {2, 2, 3});
       }},
      {"avg_pool",
       {{2, 2, 6, 5}},
       [](G& g, T t) {
         return pooled(g, t[0], {2, {3, 2, 1}, {2, 1, 1}, {1, 1, 1}, {1, 0, 0}, {1, 1, 0}, false, false});
       }},
      {"avg_pool, counting what is padded, upwards",
       {{1, 2, 7, 6}},
       [](G& g, T t) {
         return pooled(g, t[0], {2, {3, 3, 1}, {2, 3, 1}, {1, 1, 1}, {1, 1, 0}, {1, 1, 0}, true, true});
       }},
      {"avg_pool, apart",
       {{1, 3, 8}},
       [](G& g, T t) {
         return pooled(g, t[0], {1, {3, 1, 1}, {2, 1, 1}, {2, 1, 1}, {1, 0, 0}, {1, 0, 0}, false, false});
       }},
      {"lrn",
       {{2, 5, 3}},
       [](G& g, T t) {
         return g.op_with(Op::Lrn, {t[0]}, LrnParams{3, 0.5f, 0.75f, 1.2f});
       }},
      {"lrn, even",
       {{1, 6, 2, 2}},
       [](G& g, T t) {
         return g.op_with(Op::Lrn, {t[0]}, LrnParams{4, 0.5f, 0.75f, 1.2f});
       }},
  };
}

std::vector<Case> line_cases() {
  return {
      {"group_norm",
       {{2, 6, 3, 2}, {6}, {6}},
       [](G& g, T t) {
         return g.op_with(Op::GroupNorm, {t[0], t[1], t[2]}, GroupNormParams{3, 1e-3f});
       }},
      {"batch_norm by the batch's own statistics",
       {{3, 2, 4}, {2}, {2}},
       [](G& g, T t) {
         const Tensor mean = g.reduce(Op::ReduceMean, t[0], {0, 2}, false);
         const Tensor middle = g.op(Op::Sub, {t[0], g.reshape(mean, {1, 2, 1})});
         const Tensor variance = g.reduce(Op::ReduceMean, g.mul(middle, middle), {0, 2}, false);
         return g.op_with(Op::BatchNorm, {t[0], t[1], t[2], mean, variance}, BatchNormParams{1e-3f});
       }},
      {"reduce_max", {{3, 5, 2}}, [](G& g, T t) { return g.reduce(Op::ReduceMax, t[0], {1}, false); }},
      {"reduce_min",
       {{3, 5, 2}},
       [](G& g, T t) {
         return g.reduce(Op::ReduceMin, t[0], {0, 2}, true);
       }},
      {"reduce_prod",
       {{2, 3, 3}},
       [](G& g, T t) {
         // One of the factors is 0.
         const Tensor some = g.op(Op::Sub, {t[0], g.slice(g.slice(g.slice(t[0], 0, 0, 1), 1, 1, 2), 2, 2, 3)});
         return g.reduce(Op::ReduceProd, some, {0, 2}, false);
       }},
      {"reduce_l2",
       {{2, 3, 4}},
       [](G& g, T t) {
         return g.reduce(Op::ReduceL2, t[0], {0, 2}, false);
       }},
      {"top_k",
       {{3, 6, 2}},
       [](G& g, T t) {
         return g.op_with(Op::TopKValues, {t[0]}, TopKParams{1, 2, true, true});
       }},
      {"cum_sum",
       {{2, 5}},
       [](G& g, T t) {
         return g.op_with(Op::CumSum, {t[0]}, CumSumParams{1, true, false});
       }},
      {"cum_sum, from the end",
       {{4, 3}},
       [](G& g, T t) {
         return g.op_with(Op::CumSum, {t[0]}, CumSumParams{0, false, true});
       }},
      {"cum_prod",
       {{2, 5}},
       [](G& g, T t) {
         return g.op_with(Op::CumProd, {g.op(Op::Sub, {t[0], g.slice(t[0], 1, 2, 3)})}, CumSumParams{1, false, false});
       }},
      {"cum_prod, from the end, without itself",
       {{4, 3}},
       [](G& g, T t) {
         return g.op_with(Op::CumProd, {t[0]}, CumSumParams{0, true, true});
       }},
      {"pow",
       {{3, 4}, {4}},
       [](G& g, T t) {
         return g.op(Op::Pow, {t[0], t[1]});
       },
       0.5,
       2},
      {"min",
       {{3, 4}, {4}},
       [](G& g, T t) {
         return g.op(Op::Min, {t[0], t[1]});
       }},
      {"max",
       {{3, 4}, {3, 1}},
       [](G& g, T t) {
         return g.op(Op::Max, {t[0], t[1]});
       }},
      {"leaky_relu",
       {{19}},
       [](G& g, T t) {
         return g.op_with(Op::LeakyRelu, {t[0]}, AlphaParams{0.1f, 0});
       },
       -2.03,
       1.97},
      {"elu",
       {{19}},
       [](G& g, T t) {
         return g.op_with(Op::Elu, {t[0]}, AlphaParams{1.3f, 0});
       },
       -2.03,
       1.97},
      {"hard_sigmoid",
       {{29}},
       [](G& g, T t) {
         return g.op_with(Op::HardSigmoid, {t[0]}, AlphaParams{0.2f, 0.5f});
       },
       -4.03,
       3.97},
      {"hard_swish",
       {{29}},
       [](G& g, T t) {
         return g.op_with(Op::HardSwish, {t[0]}, AlphaParams{1 / 6.0f, 0.5f});
       },
       -4.03,
       3.97},
  };
}

const std::vector<Case>& cases() {
  static const std::vector<Case> list = [] {
    std::vector<Case> c{
        {"add, broadcast", {{3, 4}, {4}}, [](G& g, T t) { return g.add(t[0], t[1]); }},
        {"sub, broadcast",
         {{3, 1}, {2, 1, 4}},
         [](G& g, T t) {
           return g.op(Op::Sub, {t[0], t[1]});
         }},
        {"mul, broadcast", {{3, 4}, {3, 1}}, [](G& g, T t) { return g.mul(t[0], t[1]); }},
        {"div",
         {{3, 4}, {4}},
         [](G& g, T t) {
           return g.op(Op::Div, {t[0], t[1]});
         },
         0.5,
         2},
        {"a tensor used twice", {{5}}, [](G& g, T t) { return g.mul(t[0], g.add(t[0], g.mul(t[0], t[0]))); }},
        {"where",
         {{3, 4}, {3, 4}},
         [](G& g, T t) {
           return g.op(Op::Where, {g.op(Op::Less, {t[0], t[1]}), t[0], g.mul(t[1], t[1])});
         }},
        {"clamp",
         {{23}},
         [](G& g, T t) {
           return g.op_with(Op::Clamp, {t[0]}, ClampParams{-0.41, 0.53});
         }},
        {"scale", {{7}}, [](G& g, T t) { return g.scale(t[0], -1.5f, 2); }},
        {"mul_mat", {{4, 5}, {3, 5}, {4}}, [](G& g, T t) { return g.mul_mat(t[0], t[1], t[2]); }},
        {"mul_mat, batches", {{2, 1, 4, 5}, {2, 3, 6, 5}}, [](G& g, T t) { return g.mul_mat(t[0], t[1]); }},
        {"mul_mat, scale",
         {{4, 5}, {3, 5}},
         [](G& g, T t) {
           return g.op_with(Op::MulMat, {t[0], t[1]}, MulMatParams{0.5f});
         }},
        {"permute",
         {{2, 3, 4}},
         [](G& g, T t) {
           return g.mul(g.permute(t[0], {1, 2, 0}), g.permute(t[0], {1, 2, 0}));
         }},
        {"transpose and reshape",
         {{3, 4}},
         [](G& g, T t) {
           return g.reshape(g.transpose(t[0]), {2, 6});
         }},
        {"slice", {{4, 6}}, [](G& g, T t) { return g.slice(g.slice(t[0], 1, 2, 5), 0, 1, 3); }},
        {"concat",
         {{2, 3}, {2, 2}},
         [](G& g, T t) {
           const Tensor p[] = {t[0], t[1], t[0]};
           return g.concat(p, 1);
         }},
        {"expand",
         {{3, 1}},
         [](G& g, T t) {
           return g.op_with(Op::Expand, {t[0]}, ReshapeParams{{2, 3, 4}});
         }},
        {"rows looked up",
         {{5, 3}},
         [](G& g, T t) {
           const Tensor rows = g.op_with(Op::Arange, {}, FillParams{{4}, DType::I64, 0, 1});
           const Tensor odd =
               g.op(Op::Mod, {g.mul(rows, rows), g.op_with(Op::Fill, {}, FillParams{{1}, DType::I64, 5, 0})});
           return g.op_with(Op::Gather, {t[0], odd}, AxisParams{0});
         }},
        {"rope",
         {{2, 3, 8}},
         [](G& g, T t) {
           return g.op_with(Op::Rope, {t[0]}, RopeParams{6, 100, 0.7f, 2, false});
         }},
        {"rope, halves",
         {{2, 3, 8}},
         [](G& g, T t) {
           return g.op_with(Op::Rope, {t[0]}, RopeParams{8, 100, 1, 1, true});
         }},
        {"soft_max", {{3, 5}, {5}}, [](G& g, T t) { return g.soft_max(t[0], 1, 1.7f, t[1]); }},
        {"log_soft_max",
         {{3, 5}},
         [](G& g, T t) {
           return g.op_with(Op::LogSoftMax, {t[0]}, SoftMaxParams{1, 1});
         }},
        {"norm", {{3, 7}, {7}, {7}}, [](G& g, T t) { return g.norm(t[0], 1, 1e-3f, t[1], t[2]); }},
        {"norm, two dimensions", {{2, 3, 4}}, [](G& g, T t) { return g.norm(t[0], 1, 1e-3f, {}, {}); }},
        {"rms_norm", {{3, 7}, {7}}, [](G& g, T t) { return g.rms_norm(t[0], 1e-3f, t[1]); }},
        {"reduce_mean",
         {{2, 3, 4}},
         [](G& g, T t) {
           return g.reduce(Op::ReduceMean, g.mul(t[0], t[0]), {0, 2}, false);
         }},
        {"reduce_sum", {{2, 3}}, [](G& g, T t) { return g.reduce(Op::ReduceSum, g.mul(t[0], t[0]), {1}, true); }},
        {"batch_norm",
         {{2, 3, 4}, {3}, {3}},
         [](G& g, T t) {
           const Tensor mean = g.op_with(Op::Fill, {}, FillParams{{3}, DType::F32, 0.2, 0});
           const Tensor variance = g.op_with(Op::Fill, {}, FillParams{{3}, DType::F32, 0.7, 0});
           return g.op_with(Op::BatchNorm, {t[0], t[1], t[2], mean, variance}, BatchNormParams{1e-3f});
         }},
        {"conv",
         {{2, 3, 7, 6}, {4, 3, 3, 3}, {4}},
         [](G& g, T t) {
           return g.op_with(Op::Conv, {t[0], t[1], t[2]}, conv(1, 1, 1));
         }},
        {"conv, stride",
         {{1, 2, 8, 7}, {3, 2, 3, 3}},
         [](G& g, T t) {
           return g.op_with(Op::Conv, {t[0], t[1]}, conv(2, 1, 1));
         }},
        {"conv, dilation",
         {{1, 2, 9, 8}, {3, 2, 2, 3}},
         [](G& g, T t) {
           return g.op_with(Op::Conv, {t[0], t[1]}, conv(2, 2, 0));
         }},
        {"max_pool",
         {{2, 2, 6, 5}},
         [](G& g, T t) {
           // Far enough apart that no difference changes the maximum.
           const Tensor apart = g.op_with(Op::Arange, {}, FillParams{{2, 2, 6, 5}, DType::F32, 60, -3});
           return g.op(Op::Sub, {g.pool2d(Op::MaxPool, g.add(g.mul(t[0], t[0]), apart), 3, 2, 1),
                                 g.pool2d(Op::MaxPool, apart, 3, 2, 1)});
         }},
        {"attention",
         {{2, 5, 4}, {2, 6, 4}, {2, 6, 4}},
         [](G& g, T t) { return g.mul_mat(g.transpose(t[2]), g.soft_max(g.mul_mat(t[1], t[0]), 2, 0.5f)); }},
    };
    for (Op op : {Op::Neg,  Op::Abs,   Op::Exp,  Op::Sin,      Op::Cos,      Op::Tanh, Op::Sigmoid,
                  Op::Relu, Op::Silu,  Op::Gelu, Op::GeluTanh, Op::Cont,     Op::Atan, Op::Sinh,
                  Op::Cosh, Op::Asinh, Op::Erf,  Op::Softplus, Op::Softsign, Op::Mish})
      c.push_back({name(op), {{19}}, [op](G& g, T t) { return g.op(op, {t[0]}); }, -2.03, 1.97});
    for (Op op : {Op::Sqrt, Op::Log, Op::Reciprocal})
      c.push_back({name(op), {{19}}, [op](G& g, T t) { return g.op(op, {t[0]}); }, 0.5, 3});
    for (Op op : {Op::Tan, Op::Asin, Op::Acos, Op::Atanh})
      c.push_back({name(op), {{19}}, [op](G& g, T t) { return g.op(op, {t[0]}); }, -0.8, 0.8});
    c.push_back({name(Op::Acosh), {{19}}, [](G& g, T t) { return g.op(Op::Acosh, {t[0]}); }, 1.4, 4});
    for (const auto& more : {movement_cases(), product_cases(), line_cases()})
      c.insert(c.end(), more.begin(), more.end());
    return c;
  }();
  return list;
}

GraphBuilder make_builder() {
  auto context = Context::create({.mem_size = size_t{1} << 24});
  REQUIRE(context);
  return GraphBuilder(*context);
}

}  // namespace

TEST_CASE("each op with a gradient has a case") {
  std::set<Op> seen;
  for (const Case& c : cases()) {
    GraphBuilder g = make_builder();
    std::vector<Tensor> given;
    for (const Dims& sizes : c.shapes) given.push_back(g.input("x", sizes));
    Graph graph = *g.context().new_graph(512);
    REQUIRE(graph.expand(c.build(g, given)).ok());
    for (const TensorImpl* node : graph.nodes()) seen.insert(node->op);
  }
  for (int i = 0; i < kOpCount; ++i) {
    const auto op = static_cast<Op>(i);
    if (op == Op::Cast || op == Op::Copy) continue;  // a cast's rounding hides differences; a copy is a CONT
    CHECK_MESSAGE((!has_gradient(op) || seen.contains(op)), "no case for " << std::string(name(op)));
  }
}

TEST_CASE("gradients of each rule equal central differences") {
  auto reference = reference::make_reference_backend();
  for (const Case& c : cases()) {
    CAPTURE(std::string(c.name));
    GraphBuilder g = make_builder();
    BuiltCase given;
    std::vector<Tensor> variables;
    for (const Dims& sizes : c.shapes) {
      variables.push_back(g.input("x" + std::to_string(variables.size()), sizes));
      given.inputs.push_back({variables.back(), c.low, c.high});
    }
    fill_inputs(given, 11);
    const Tensor loss = loss_of(g, c.build(g, variables));
    REQUIRE_MESSAGE(g.ok(), g.status().error().message);
    Graph graph = *g.context().new_graph(512, true);
    auto gradients = build_gradients(g, graph, loss, variables);
    REQUIRE_MESSAGE(gradients.ok(), (gradients ? "" : gradients.error().message));
    for (size_t i = 0; i < variables.size(); ++i) {
      REQUIRE((*gradients)[i].defined());
      REQUIRE((*gradients)[i].sizes() == variables[i].sizes());
      CHECK(graph.grad(*variables[i]) == (*gradients)[i].impl());
      REQUIRE(compute(*reference, graph).ok());
      const Tensor flat = g.cont((*gradients)[i]);
      REQUIRE(compute_in_parts(*reference, *flat, 1).ok());
      const auto count = variables[i]->element_count();
      std::vector<double> expected, got(flat.data_as<float>(), flat.data_as<float>() + count);
      const float step = 1.0f / 256;
      for (int64_t e = 0; e < count; ++e) {
        float& x = variables[i].data_as<float>()[e];
        const float before = x;
        double ends[2];
        for (int side : {0, 1}) {
          x = before + (side == 1 ? step : -step);
          REQUIRE(compute(*reference, graph).ok());
          ends[side] = static_cast<double>(*loss.data_as<float>());
        }
        x = before;
        expected.push_back((ends[1] - ends[0]) / (2 * static_cast<double>(step)));
      }
      double largest = 0.05, worst = 0;
      for (int64_t e = 0; e < count; ++e) {
        const auto at = static_cast<size_t>(e);
        largest = std::max(largest, std::abs(expected[at]));
        worst = std::max(worst, std::abs(expected[at] - got[at]));
      }
      CAPTURE(i);
      CHECK(worst <= 2e-3 * largest);
    }
  }
}

TEST_CASE("accumulators sum the gradients of several batches") {
  auto reference = reference::make_reference_backend();
  GraphBuilder g = make_builder();
  const Tensor x = g.input("x", {3}), unused = g.input("unused", {2});
  for (int i = 0; i < 3; ++i) x.data_as<float>()[i] = static_cast<float>(i + 1);
  const Tensor loss = g.reduce(Op::ReduceSum, g.mul(x, x), {0}, false);
  Graph graph = *g.context().new_graph(64, true);
  const Tensor variables[] = {x, unused};
  auto gradients = build_gradients(g, graph, loss, variables, {.accumulate = true});
  REQUIRE(gradients.ok());
  CHECK(!(*gradients)[1].defined());
  TensorImpl* sum = graph.grad_accumulator(*x);
  REQUIRE(sum != nullptr);
  CHECK(sum->name == "x (sum)");
  for (int i = 0; i < 3; ++i) sum->data_as<float>()[i] = 10;
  REQUIRE(compute(*reference, graph).ok());
  for (int i = 0; i < 3; ++i) CHECK((*gradients)[0].data_as<float>()[i] == 10 + 2 * static_cast<float>(i + 1));
}

TEST_CASE("non-differentiable ops are errors") {
  const auto message = [](auto build, bool grads = true) {
    GraphBuilder g = make_builder();
    const Tensor x = g.input("x", {1, 4, 6, 6});
    const Tensor loss = build(g, x);
    REQUIRE(g.ok());
    Graph graph = *g.context().new_graph(64, grads);
    const Tensor variables[] = {x};
    auto result = build_gradients(g, graph, loss, variables);
    REQUIRE(!result.ok());
    return result.error().message;
  };
  CHECK(message([](GraphBuilder& g, const Tensor& x) { return loss_of(g, g.op(Op::Floor, {x}, {}, "whole")); }) ==
        "FLOOR 'whole' has no backward rule");
  CHECK(message([](GraphBuilder& g, const Tensor& x) { return g.mul(x, x, "much"); }) ==
        "the loss 'much' has shape [1, 4, 6, 6], expected a scalar");
  CHECK(message([](GraphBuilder& g, const Tensor& x) { return loss_of(g, x); }, false) ==
        "gradients require a graph that stores them (new_graph with grads)");
  CHECK(message([](GraphBuilder& g, const Tensor& x) {
          return loss_of(g, g.op_with(Op::View, {x}, ViewParams{{3, 3}, {1, 1}, 0}, "overlapping"));
        }).find("'overlapping' has no backward rule") != std::string::npos);
  CHECK(has_gradient(Op::MulMat));
  CHECK(!has_gradient(Op::TopKIndices));
}
