// SPDX-License-Identifier: MIT
// Rewrite rules: each matches several spellings that exporters emit, builds the equivalent op, reports how many nodes
// it replaced, and computes the same within a bound. Graphs that only look similar are not changed.
#include <arenascope/transform/rewrite.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/backends/reference/reference_backend.h>
#include <arenascope/graph/builder.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/schedule/describe.h>
#include <doctest/doctest.h>

#include "tests/engine/transform/built_net.h"

using namespace arenascope;

namespace {

using test::Build;

// Leafs are seeded by their names: "=0.5" is that number, "0.." counts up, "cos" and "sin" are tables of angles,
// "positive…" is above 0, "halves of 255" are those of odd numbers, all others are between -2 and 2; indices (i64) are
// between -1 and 7, and bytes are arbitrary.
void fill(TensorImpl& leaf, uint32_t& state) {
  const std::string name(leaf.name);
  const int64_t width = leaf.rank() > 0 ? leaf.sizes.back() : 1;
  for (int64_t i = 0; i < leaf.element_count(); ++i) {
    state = state * 1664525u + 1013904223u;
    const float part = static_cast<float>(state >> 8) / static_cast<float>(1 << 24);
    if (info(leaf.dtype).block_bytes == 1) {
      leaf.data()[i] = static_cast<std::byte>(state >> 24);
      continue;
    }
    if (leaf.dtype == DType::I64) {
      leaf.data_as<int64_t>()[i] = name == "0.." ? i : static_cast<int64_t>(part * 9) - 1;
      continue;
    }
    float value = 4 * part - 2;
    if (name.starts_with("=")) value = std::stof(name.substr(1));
    if (name == "halves of 255") value = 255 * (static_cast<float>(i) + 0.5f);
    if (name.starts_with("positive")) value = part + 0.5f;
    if (name == "cos" || name == "sin") {
      const double angle = static_cast<double>(i / width) *
                           std::pow(10000.0, -2.0 * static_cast<double>(i % (width / 2)) / static_cast<double>(width));
      value = static_cast<float>(name == "cos" ? std::cos(angle) : std::sin(angle));
    }
    leaf.data_as<float>()[i] = value;
  }
}

struct Net : test::BuiltNet {
  explicit Net(const Build& build) : BuiltNet(build, size_t{1} << 26) {
    uint32_t state = 7;
    for (TensorImpl* leaf : graph.leafs()) fill(*leaf, state);
  }
};

std::vector<double> numbers(const TensorImpl& leaf) {
  std::vector<double> out;
  for (int64_t i = 0; i < leaf.element_count(); ++i)
    out.push_back(leaf.dtype == DType::F32   ? static_cast<double>(leaf.data_as<float>()[i])
                  : leaf.dtype == DType::I64 ? static_cast<double>(leaf.data_as<int64_t>()[i])
                                             : std::nan(""));
  return out;
}

std::vector<std::byte> run_bytes(Backend& backend, const Graph& graph, const Tensor& output) {
  auto memory = plan_memory(graph, "two-level", "depth-first");
  REQUIRE_MESSAGE(memory.ok(), (memory.ok() ? "" : memory.error().message));
  auto plan = ExecutionPlan::make(graph, std::move(*memory), backend, 1);
  REQUIRE_MESSAGE(plan.ok(), (plan.ok() ? "" : plan.error().message));
  auto executor = Executor::create(backend, make_cpu_context(), {});
  REQUIRE(executor.ok());
  const auto prepared = (*executor)->prepare(std::move(*plan));
  REQUIRE_MESSAGE(prepared.ok(), (prepared.ok() ? "" : prepared.error().message));
  const auto report = (*executor)->run();
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  return {output->data(), output->data() + output->byte_count()};
}

std::vector<float> run(Backend& backend, const Graph& graph, const Tensor& output) {
  const std::vector<std::byte> bytes = run_bytes(backend, graph, output);
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), out.size() * sizeof(float));
  return out;
}

struct Rewritten {
  RewrittenGraph made;
  Tensor output;
  std::set<Op> ops;  // that have work

  explicit Rewritten(const Net& net, RewriteOptions options = {}) {
    options.numbers = numbers;
    auto done = rewrite_graph(net.graph, options);
    REQUIRE_MESSAGE(done.ok(), (done.ok() ? "" : done.error().message));
    made = std::move(*done);
    output = made.node_map[net.graph.find_node(*net.output).index()];
    REQUIRE(output);
    for (const TensorImpl* node : made.graph.nodes())
      if (has_work(*node)) ops.insert(node->op);
    auto reference = reference::make_reference_backend();
    for (const ConstantBranch& branch : made.constants) {
      const std::vector<std::byte> made_now = run_bytes(*reference, branch.graph, branch.result);
      branch.leaf->storage = *Storage::allocate(*context, {}, MemoryKind::Persistent, branch.leaf->byte_count());
      std::memcpy(branch.leaf->data(), made_now.data(), static_cast<size_t>(branch.leaf->byte_count()));
    }
  }

  const RuleUse* use(const std::string& rule) const {
    for (const RuleUse& one : made.uses)
      if (one.rule->name == rule) return &one;
    return nullptr;
  }

  std::shared_ptr<ExecutionContext> context = make_cpu_context();
};

struct Case {
  const char* name;
  const char* rule;
  std::set<Op> left;  // ops with work that the rewritten graph consists of
  size_t from;        // nodes as written that the result's origin names
  Build build;
};

Tensor number(GraphBuilder& b, const char* value) { return b.weight(value, {1}); }
Tensor op(GraphBuilder& b, Op o, const Tensor& x) { return b.op(o, {x}); }
Tensor sub(GraphBuilder& b, const Tensor& x, const Tensor& y) { return b.op(Op::Sub, {x, y}); }
Tensor div(GraphBuilder& b, const Tensor& x, const Tensor& y) { return b.op(Op::Div, {x, y}); }

// (codes - zero) · scale; null: no zero point.
Tensor opened(GraphBuilder& b, const Tensor& codes, const char* zero, const Tensor& scale) {
  const Tensor wide = b.op_with(Op::Cast, {codes}, CastParams{DType::F32});
  return b.mul(zero ? sub(b, wide, number(b, zero)) : wide, scale);
}

Tensor tanh_of_gelu(GraphBuilder& b, const Tensor& x, bool cubed) {
  const Tensor cube = cubed ? b.op(Op::Pow, {x, number(b, "=3")}) : b.mul(x, b.mul(x, x));
  const Tensor inner = b.add(x, b.mul(number(b, "=0.044715"), cube));
  return op(b, Op::Tanh, b.mul(inner, number(b, "=0.7978845608")));
}

Tensor decomposed_norm(GraphBuilder& b, const Tensor& x, bool by_product) {
  const Tensor d = sub(b, x, b.reduce(Op::ReduceMean, x, {2}, true));
  const Tensor squares = by_product ? b.mul(d, d) : b.op(Op::Pow, {d, number(b, "=2")});
  const Tensor root = op(b, Op::Sqrt, b.add(b.reduce(Op::ReduceMean, squares, {2}, true), number(b, "=1e-5")));
  return by_product ? b.mul(d, op(b, Op::Reciprocal, root)) : div(b, d, root);
}

// As jax2tf writes it: the mean of squares less the square of the mean, over an axis in between.
Tensor jax_norm(GraphBuilder& b, const Tensor& x) {
  const auto mean_of = [&](const Tensor& t) {
    return b.mul(b.reduce(Op::ReduceSum, t, {1}, false), number(b, "=0.125"));
  };
  const auto widened = [&](const Tensor& t) {
    return b.op_with(Op::Expand, {b.reshape(t, {2, 1, 6})}, ReshapeParams{{2, 1, 6}});
  };
  const Tensor mean = mean_of(x);
  const Tensor variance = b.op(Op::Max, {number(b, "=0"), sub(b, mean_of(b.mul(x, x)), b.mul(mean, mean))});
  const Tensor inverse = op(b, Op::Reciprocal, op(b, Op::Sqrt, b.add(widened(variance), number(b, "=1e-6"))));
  const Tensor scaled = b.mul(sub(b, x, widened(mean)), b.mul(inverse, b.weight("gain", {1, 8, 1})));
  return b.add(scaled, b.weight("bias", {1, 8, 1}));
}

Tensor decomposed_soft_max(GraphBuilder& b, const Tensor& x, int axis) {
  const Tensor e = op(b, Op::Exp, sub(b, x, b.reduce(Op::ReduceMax, x, {axis}, true)));
  return div(b, e, b.reduce(Op::ReduceSum, e, {axis}, true));
}

// [B, T, H·D] of three matmuls as heads [B, H, T, D].
Tensor heads(GraphBuilder& b, const char* name) {
  return b.permute(b.reshape(b.input(name, {2, 5, 12}), {2, 5, 3, 4}), {0, 2, 1, 3});
}

Tensor rotated(GraphBuilder& b, const char* cosines, const char* sines) {
  const Tensor x = op(b, Op::Relu, b.input("x", {2, 3, 5, 8}));
  const Tensor halves[] = {op(b, Op::Neg, b.slice(x, 3, 4, 8)), b.slice(x, 3, 0, 4)};
  return b.add(b.mul(x, b.weight(cosines, {5, 8})), b.mul(b.concat(halves, 3), b.weight(sines, {5, 8})));
}

Tensor one_hot(GraphBuilder& b, int64_t rows) {
  const Tensor indices =
      b.op_with(Op::Expand, {b.input("indices", {2, 5, 1}, DType::I64)}, ReshapeParams{{2, 5, rows}});
  const Tensor ones = b.op_with(Op::Cast, {b.op(Op::Equal, {indices, b.weight("0..", {1, 1, rows}, DType::I64)})},
                                CastParams{DType::F32});
  return b.mul_mat(b.weight("table", {6, rows}), ones);
}

Tensor batch_norm(GraphBuilder& b, const Tensor& x, int64_t c) {
  return b.op_with(
      Op::BatchNorm,
      {x, b.weight("scale", {c}), b.weight("shift", {c}), b.weight("mean", {c}), b.weight("positive variance", {c})},
      BatchNormParams{1e-5f});
}

const std::vector<Case>& cases() {
  static const std::vector<Case> list = {
      {"gelu, halves in front",
       "gelu",
       {Op::Gelu},
       5,
       [](GraphBuilder& b) {
         const Tensor x = b.input("x", {3, 40});
         const Tensor e = b.add(op(b, Op::Erf, div(b, x, number(b, "=1.4142135"))), number(b, "=1"));
         return b.mul(b.mul(x, number(b, "=0.5")), e);
       }},
      {"gelu of a product, halved after it",
       "gelu",
       {Op::Mul, Op::Gelu},
       5,
       [](GraphBuilder& b) {
         const Tensor x = b.mul(b.input("x", {3, 40}), b.input("y", {3, 40}));
         const Tensor e = b.add(number(b, "=1"), op(b, Op::Erf, b.mul(number(b, "=0.70710678"), x)));
         return b.mul(b.mul(e, x), number(b, "=0.5"));
       }},
      {"gelu by tanh, with products",
       "gelu (tanh)",
       {Op::GeluTanh},
       9,
       [](GraphBuilder& b) {
         const Tensor x = b.input("x", {3, 40});
         return b.mul(x, b.mul(number(b, "=0.5"), b.add(number(b, "=1"), tanh_of_gelu(b, x, false))));
       }},
      {"gelu by tanh, with a power",
       "gelu (tanh)",
       {Op::GeluTanh},
       8,
       [](GraphBuilder& b) {
         const Tensor x = b.input("x", {3, 40});
         return b.mul(b.scale(x, 0.5f), b.scale(tanh_of_gelu(b, x, true), 1, 1));
       }},
      {"silu",
       "silu",
       {Op::Silu},
       2,
       [](GraphBuilder& b) {
         const Tensor x = b.input("x", {3, 40});
         return b.mul(op(b, Op::Sigmoid, x), x);
       }},
      {"mish",
       "mish",
       {Op::Mish},
       5,
       [](GraphBuilder& b) {
         const Tensor x = b.input("x", {3, 40});
         const Tensor softplus = op(b, Op::Log, b.add(op(b, Op::Exp, x), number(b, "=1")));
         return b.mul(x, op(b, Op::Tanh, softplus));
       }},
      {"softplus",
       "softplus",
       {Op::Softplus},
       3,
       [](GraphBuilder& b) {
         return op(b, Op::Log, b.add(op(b, Op::Exp, b.input("x", {3, 40})), number(b, "=1")));
       }},
      {"hard swish, divided after it",
       "hard swish",
       {Op::Scale, Op::HardSwish},
       4,
       [](GraphBuilder& b) {
         const Tensor x = b.scale(b.input("x", {3, 40}), 4);
         const Tensor gate = b.op_with(Op::Clamp, {b.add(x, number(b, "=3"))}, ClampParams{0, 6});
         return div(b, b.mul(x, gate), number(b, "=6"));
       }},
      {"hard swish over a hard sigmoid",
       "hard swish",
       {Op::HardSwish},
       2,
       [](GraphBuilder& b) {
         const Tensor x = b.input("x", {3, 40});
         return b.mul(x, b.op_with(Op::HardSigmoid, {x}, AlphaParams{1.0f / 6, 0.5f}));
       }},
      {"hard sigmoid",
       "hard sigmoid",
       {Op::HardSigmoid},
       3,
       [](GraphBuilder& b) {
         const Tensor x = b.input("x", {3, 40});
         return div(b, b.op_with(Op::Clamp, {b.add(x, number(b, "=3"))}, ClampParams{0, 6}), number(b, "=6"));
       }},
      {"layer norm with a power and a quotient",
       "layer norm",
       {Op::Norm},
       9,
       [](GraphBuilder& b) {
         const Tensor y = decomposed_norm(b, b.input("x", {2, 5, 24}), false);
         return b.add(b.mul(y, b.weight("gain", {24})), b.weight("bias", {24}));
       }},
      {"layer norm with products, alone",
       "layer norm",
       {Op::Norm},
       8,
       [](GraphBuilder& b) {
         return decomposed_norm(b, b.input("x", {2, 5, 24}), true);
       }},
      {"layer norm over an axis in between",
       "layer norm",
       {Op::Relu, Op::Norm, Op::Add, Op::Cont},
       0,
       [](GraphBuilder& b) {
         return jax_norm(b, op(b, Op::Relu, b.input("x", {2, 8, 6})));
       }},
      {"rms norm",
       "rms norm",
       {Op::RmsNorm},
       7,
       [](GraphBuilder& b) {
         const Tensor x = b.input("x", {2, 5, 24});
         const Tensor mean = b.reduce(Op::ReduceMean, b.mul(x, x), {2}, true);
         const Tensor inverse = op(b, Op::Reciprocal, op(b, Op::Sqrt, b.add(mean, number(b, "=1e-5"))));
         return b.mul(b.weight("gain", {24}), b.mul(x, inverse));
       }},
      {"softmax",
       "softmax",
       {Op::SoftMax},
       5,
       [](GraphBuilder& b) {
         return decomposed_soft_max(b, b.input("x", {2, 5, 24}), 2);
       }},
      {"log softmax",
       "log softmax",
       {Op::LogSoftMax},
       6,
       [](GraphBuilder& b) {
         const Tensor x = b.input("x", {2, 5, 24});
         const Tensor less = sub(b, x, b.reduce(Op::ReduceMax, x, {2}, true));
         return sub(b, less, op(b, Op::Log, b.reduce(Op::ReduceSum, op(b, Op::Exp, less), {2}, true)));
       }},
      {"attention",
       "attention",
       {Op::Attention},
       5,
       [](GraphBuilder& b) {
         const Tensor scores = div(b, b.mul_mat(heads(b, "k"), heads(b, "q")), number(b, "=2"));
         return b.mul_mat(b.transpose(heads(b, "v")), b.soft_max(b.add(scores, b.input("mask", {2, 1, 5, 5})), 3));
       }},
      {"attention over a softmax spelled out",
       "attention",
       {Op::Attention},
       8,
       [](GraphBuilder& b) {
         const Tensor scores = b.mul_mat(heads(b, "k"), b.scale(heads(b, "q"), 0.5f));
         return b.mul_mat(b.transpose(heads(b, "v")), decomposed_soft_max(b, scores, 3));
       }},
      {"rotary embedding",
       "rotary embedding",
       {Op::Relu, Op::Rope},
       7,
       [](GraphBuilder& b) { return rotated(b, "cos", "sin"); }},
      {"a matmul with a one-hot matrix",
       "gather",
       {Op::Clamp, Op::Gather},
       4,
       [](GraphBuilder& b) { return one_hot(b, 7); }},
      {"sink gather",
       "sink gather",
       {Op::Clamp, Op::Gather},
       0,
       [](GraphBuilder& b) {
         return op(b, Op::Relu, b.add(one_hot(b, 7), b.weight("bias", {1, 1, 6})));
       }},
      {"scale chain",
       "scale chain",
       {Op::Scale},
       3,
       [](GraphBuilder& b) {
         return sub(b, div(b, b.add(b.input("x", {3, 40}), number(b, "=3")), number(b, "=4")), number(b, "=1.5"));
       }},
      {"power",
       "power",
       {Op::Mul},
       1,
       [](GraphBuilder& b) {
         return b.op(Op::Pow, {b.input("x", {3, 40}), number(b, "=2")});
       }},
      {"clamp",
       "clamp",
       {Op::Clamp},
       2,
       [](GraphBuilder& b) {
         return b.op(Op::Min, {b.op(Op::Max, {b.input("x", {3, 40}), number(b, "=-1")}), number(b, "=0.5")});
       }},
      {"fold batch norm",
       "fold batch norm",
       {Op::Conv},
       2,
       [](GraphBuilder& b) {
         const Tensor x = b.conv2d(b.input("x", {1, 5, 9, 8}), b.weight("w", {7, 5, 3, 3}), b.weight("b", {7}), 1, 1);
         return batch_norm(b, x, 7);
       }},
      {"batch norm in weights of a depthwise convolution",
       "fold batch norm",
       {Op::Conv},
       2,
       [](GraphBuilder& b) {
         const Tensor x = b.conv2d(b.input("x", {1, 6, 9, 8}), b.weight("w", {6, 1, 3, 3}), Tensor(), 1, 1, 6);
         return batch_norm(b, x, 6);
       }},
      {"fold scale and bias",
       "fold scale and bias",
       {Op::Conv},
       4,
       [](GraphBuilder& b) {
         const Tensor x = b.conv2d(b.input("x", {1, 5, 9, 8}), b.weight("w", {7, 5, 3, 3}), Tensor(), 1, 1);
         return b.scale(b.add(b.mul(x, b.weight("factor", {7, 1, 1})), b.weight("shift", {1, 7, 1, 1})), -0.5f, 1);
       }},
      {"a bias after a reshape, then a function",
       "fold scale and bias",
       {Op::Conv, Op::Relu, Op::Exp},
       0,
       [](GraphBuilder& b) {
         const Tensor x = b.conv2d(b.input("x", {1, 5, 9, 1}), b.weight("w", {7, 5, 3, 1}), Tensor(), 1, 0);
         const Tensor y = b.add(b.reshape(x, {1, 7, 7}), b.weight("bias", {7, 1}));
         return op(b, Op::Exp, op(b, Op::Relu, y));
       }},
      {"a convolution of large images that are joined",
       "split concat",
       {Op::Conv, Op::Add, Op::Relu},
       0,
       [](GraphBuilder& b) {
         const Tensor parts[] = {b.input("x", {1, 3, 1024, 700}), b.input("y", {1, 3, 1024, 700})};
         const Tensor w = b.weight("w", {1, 6, 1, 2});
         return op(b, Op::Relu, b.conv2d(b.concat(parts, 1), w, b.weight("bias", {1}), 2, 0));
       }},
      {"common subexpression",
       "common subexpression",
       {Op::Relu, Op::Mul},
       0,
       [](GraphBuilder& b) {
         const Tensor x = b.input("x", {3, 40});
         return b.mul(op(b, Op::Relu, x), op(b, Op::Relu, x));
       }},
      {"a split that is joined again",
       "concat of slices",
       {Op::Relu, Op::Exp, Op::Concat},
       0,
       [](GraphBuilder& b) {
         const Tensor x = op(b, Op::Relu, b.input("x", {2, 7, 4, 5}));
         const Tensor end = b.slice(x, 1, 3, 7);
         const Tensor parts[] = {b.slice(x, 1, 0, 3), end, op(b, Op::Exp, end)};
         return op(b, Op::Relu, b.concat(parts, 1));
       }},
      {"transposes that cancel out",
       "transpose chain",
       {Op::Relu, Op::Add, Op::Exp},
       0,
       [](GraphBuilder& b) {
         const Tensor x = op(b, Op::Relu, b.input("x", {2, 3, 4, 5}));
         const Tensor transposed = b.cont(b.permute(x, {0, 2, 3, 1}));
         return op(b, Op::Exp, b.cont(b.permute(b.add(transposed, b.weight("bias", {3})), {0, 3, 1, 2})));
       }},
      {"transposes that combine to one",
       "transpose chain",
       {Op::Relu, Op::Cont, Op::Exp},
       0,
       [](GraphBuilder& b) {
         const Tensor x = op(b, Op::Relu, b.input("x", {2, 3, 4, 5}));
         const Tensor transposed = b.cont(b.permute(x, {0, 2, 3, 1}));
         return op(b, Op::Exp, b.cont(b.permute(b.reshape(transposed, {2, 1, 4, 5, 3}), {4, 1, 0, 2, 3})));
       }},
      {"a product of what was opened from bytes",
       "int8 matmul",
       {Op::Conv, Op::Cont, Op::Mul, Op::Add},
       0,
       [](GraphBuilder& b) {
         const Tensor x = opened(b, b.input("x", {3, 5, 24}, DType::U8), "=119", number(b, "=0.02"));
         const Tensor w = opened(b, b.weight("w", {24, 7}, DType::I8), nullptr, b.weight("positive scale", {1, 7}));
         return b.mul_mat(b.transpose(w), x, b.weight("bias", {7}));
       }},
      {"a convolution of what was opened from bytes",
       "int8 matmul",
       {Op::Pad, Op::Conv, Op::Mul, Op::Add},
       0,
       [](GraphBuilder& b) {
         const Tensor x = opened(b, b.input("x", {2, 3, 9, 8}, DType::U8), "=28", number(b, "=0.02"));
         const Tensor w =
             opened(b, b.weight("w", {6, 3, 3, 3}, DType::I8), nullptr, b.weight("positive scale", {6, 1, 1, 1}));
         return b.conv2d(x, w, b.weight("bias", {6}), 2, 1);
       }},
      {"an expand before a broadcasting op",
       "broadcast",
       {Op::Add},
       2,
       [](GraphBuilder& b) {
         const Tensor rows = b.op_with(Op::Expand, {b.input("y", {1, 40})}, ReshapeParams{{3, 40}});
         return b.add(b.input("x", {3, 40}), rows);
       }},
      {"a function after a reshape",
       "sink reshape",
       {Op::Exp, Op::Relu, Op::Abs},
       0,
       [](GraphBuilder& b) {
         const Tensor x = b.reshape(op(b, Op::Exp, b.input("x", {3, 40})), {4, 30});
         return op(b, Op::Abs, op(b, Op::Relu, x));
       }},
      {"a function after a transpose",
       "sink transpose",
       {Op::Exp, Op::Add, Op::Cont, Op::Abs},
       0,
       [](GraphBuilder& b) {
         const Tensor x = b.cont(b.permute(op(b, Op::Exp, b.input("x", {2, 3, 4, 5})), {0, 2, 3, 1}));
         return op(b, Op::Abs, b.add(x, b.weight("bias", {3})));
       }},
      {"a softmax between transposes",
       "sink transpose",
       {Op::Exp, Op::SoftMax, Op::Cont, Op::Relu},
       0,
       [](GraphBuilder& b) {
         const Tensor x = b.permute(op(b, Op::Exp, b.input("x", {1, 4, 6, 35})), {0, 3, 1, 2});
         return op(b, Op::Relu, b.cont(b.permute(b.soft_max(x, 3, 1), {0, 3, 2, 1})));
       }},
      {"identity",
       "identity",
       {Op::Relu},
       0,
       [](GraphBuilder& b) {
         const Tensor x = b.cont(b.input("x", {3, 40}));
         return op(b, Op::Relu, b.scale(b.op_with(Op::Cast, {x}, CastParams{DType::F32}), 1, 0));
       }},
      {"constant folding",
       "constant folding",
       {Op::Add},
       0,
       [](GraphBuilder& b) {
         const Tensor c = op(b, Op::Exp, b.mul(b.weight("c", {40}), b.weight("d", {40})));
         return b.add(b.input("x", {3, 40}), b.cont(c));
       }},
  };
  return list;
}

// The largest difference as a part of the largest number.
double error_of(const std::vector<float>& got, const std::vector<float>& exact) {
  REQUIRE(got.size() == exact.size());
  double largest = 0, error = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(exact[i])));
    error = std::max(error, std::abs(static_cast<double>(got[i]) - static_cast<double>(exact[i])));
  }
  return error / largest;
}

bool to_the_bit(const Rewritten& rewritten, const Case& c) {
  const RuleUse* use = rewritten.use(c.rule);
  return use && std::string(use->rule->bound) == "bit-exact";
}

}  // namespace

TEST_CASE("patterns of exporters become one op with a provenance and equal results") {
  auto cpu = cpu::make_cpu_backend();
  auto reference = reference::make_reference_backend();
  for (const Case& c : cases()) {
    CAPTURE(std::string(c.name));
    Net net(c.build);
    const Rewritten rewritten(net);
    CHECK_MESSAGE(rewritten.use(c.rule) != nullptr, "the rule was not used");
    std::string ops;
    for (const Op o : rewritten.ops) ops += std::string(name(o)) + " ";
    CHECK_MESSAGE(rewritten.ops == c.left, ops);
    const auto exact = run(*reference, net.graph, net.output);
    CHECK(error_of(run(*cpu, rewritten.made.graph, rewritten.output), exact) <= 2e-5);
    if (to_the_bit(rewritten, c)) CHECK(run(*reference, rewritten.made.graph, rewritten.output) == exact);
    if (c.from == 0) continue;
    CHECK(origin_text(*rewritten.output).find(c.rule) == 0);
    CHECK(origin_parts(*rewritten.output).size() == c.from);
  }
}

TEST_CASE("similar but different patterns are unchanged") {
  const std::map<const char*, Build> nets = {
      {"gelu with another number",
       [](GraphBuilder& b) {
         const Tensor x = b.input("x", {3, 40});
         return b.mul(b.mul(x, number(b, "=0.5")), b.scale(op(b, Op::Erf, b.scale(x, 0.8f)), 1, 1));
       }},
      {"the norm of one with the mean of another",
       [](GraphBuilder& b) {
         const Tensor x = b.input("x", {2, 5, 24}), y = b.input("y", {2, 5, 24});
         const Tensor d = sub(b, x, b.reduce(Op::ReduceMean, y, {2}, true));
         const Tensor variance = b.reduce(Op::ReduceMean, b.mul(d, d), {2}, true);
         return div(b, d, op(b, Op::Sqrt, b.add(variance, number(b, "=1e-5"))));
       }},
      {"a mean that is laid along another axis",
       [](GraphBuilder& b) {
         const Tensor x = b.input("x", {6, 6});
         const Tensor d = sub(b, x, b.reduce(Op::ReduceMean, x, {1}, false));
         const Tensor variance = b.reduce(Op::ReduceMean, b.mul(d, d), {1}, true);
         return div(b, d, op(b, Op::Sqrt, b.add(variance, number(b, "=1e-5"))));
       }},
      {"the sum of other exponentials",
       [](GraphBuilder& b) {
         const Tensor x = b.input("x", {2, 24}), y = b.input("y", {2, 24});
         return div(b, op(b, Op::Exp, x), b.reduce(Op::ReduceSum, op(b, Op::Exp, y), {1}, true));
       }},
      {"tables that are no angles", [](GraphBuilder& b) { return rotated(b, "cos", "cos"); }},
      {"ones and zeros of numbers that do not count up",
       [](GraphBuilder& b) {
         const Tensor indices = b.input("indices", {2, 5, 1}, DType::I64);
         const Tensor ones = b.op_with(Op::Cast, {b.op(Op::Equal, {indices, b.weight("some", {1, 1, 7}, DType::I64)})},
                                       CastParams{DType::F32});
         return b.mul_mat(b.weight("table", {6, 7}), ones);
       }},
  };
  for (const auto& [name, build] : nets) {
    CAPTURE(std::string(name));
    Net net(build);
    const Rewritten rewritten(net);
    for (const char* rule : {"gelu", "layer norm", "softmax", "rotary embedding", "gather"})
      CHECK_MESSAGE(rewritten.use(rule) == nullptr, rule);
    auto reference = reference::make_reference_backend();
    const auto exact = run(*reference, net.graph, net.output);
    const auto got = run(*reference, rewritten.made.graph, rewritten.output);
    CHECK(error_of(got, exact) <= 1e-6);
  }
}

TEST_CASE("values that are rounded or compared later keep their bits") {
  const std::map<const char*, Build> nets = {
      {"a quotient that is rounded",
       [](GraphBuilder& b) {
         const Tensor x = div(b, b.input("halves of 255", {4, 64}), number(b, "=255"));
         return op(b, Op::Round, b.cont(b.transpose(x)));
       }},
      {"a quotient that is cut off",
       [](GraphBuilder& b) {
         const Tensor x = div(b, b.input("halves of 255", {4, 64}), number(b, "=127.5"));
         return b.op_with(Op::Cast, {b.op_with(Op::Cast, {x}, CastParams{DType::I64})}, CastParams{DType::F32});
       }},
      {"a product and a sum that are rounded",
       [](GraphBuilder& b) {
         const Tensor x = b.add(b.mul(b.input("halves of 255", {4, 64}), number(b, "=0.1")), number(b, "=0.25"));
         return op(b, Op::Abs, op(b, Op::Floor, x));
       }},
      {"numbers that are the same to the bit",
       [](GraphBuilder& b) {
         const Tensor x = div(b, b.add(b.input("halves of 255", {4, 64}), number(b, "=0.1")), number(b, "=-128"));
         return op(b, Op::Floor, x);
       }},
  };
  auto reference = reference::make_reference_backend();
  auto cpu = cpu::make_cpu_backend();
  for (const auto& [name, build] : nets) {
    CAPTURE(std::string(name));
    Net net(build);
    const Rewritten rewritten(net);
    const bool same = std::string(name).starts_with("numbers");
    CHECK(rewritten.ops.contains(Op::Scale) == (same || std::string(name).starts_with("a product")));
    CHECK(rewritten.ops.contains(Op::Div) == !(same || std::string(name).starts_with("a product")));
    const auto exact = run(*reference, net.graph, net.output);
    CHECK(run(*reference, rewritten.made.graph, rewritten.output) == exact);
    CHECK(run(*cpu, rewritten.made.graph, rewritten.output) == exact);
  }
}

TEST_CASE("requested tensors are computed, and outputs stay outputs") {
  Tensor inner;
  Net net([&](GraphBuilder& b) {
    const Tensor x = b.input("x", {3, 40});
    inner = op(b, Op::Sigmoid, x);
    return b.mul(inner, x);
  });
  RewriteOptions options;
  options.keep = [&](const TensorImpl& node) { return &node == inner.impl(); };
  const Rewritten rewritten(net, options);
  CHECK(rewritten.ops == std::set<Op>{Op::Sigmoid, Op::Silu});
  CHECK(rewritten.output->has(kFlagOutput));
  CHECK(rewritten.made.node_map[net.graph.find_node(*inner).index()]);
}

TEST_CASE("the trace has the provenance of a node") {
  Net net([](GraphBuilder& b) {
    const Tensor x = b.input("x", {3, 40});
    return b.op(Op::Mul, {b.op(Op::Sigmoid, {x}, {}, "gate"), x}, {}, "gated");
  });
  const Rewritten rewritten(net);
  const trace::GraphInfo described = describe_graph(rewritten.made.graph);
  REQUIRE(described.nodes.size() == 1);
  CHECK(described.nodes[0].name == "gated");
  CHECK(described.nodes[0].parameters == "silu, from 2 nodes: SIGMOID gate, MUL gated");
  CHECK(origin_text(*rewritten.output) == "silu, from 2 nodes");
}

TEST_CASE("each rule has a name, a description, an exactness and a test case") {
  std::set<const RewriteRule*> with_case;
  for (const Case& c : cases()) {
    const Net net(c.build);
    const Rewritten rewritten(net);
    if (const RuleUse* use = rewritten.use(c.rule)) with_case.insert(use->rule);
  }
  for (const RewriteRule& rule : rewrite_rules()) {
    CAPTURE(rule.name);
    CHECK(std::string(rule.does).size() > 4);
    CHECK(std::string(rule.bound).size() > 4);
    const bool has_one = std::any_of(with_case.begin(), with_case.end(), [&](const RewriteRule* one) {
      return std::string(one->does) == rule.does && std::string(one->name) == rule.name;
    });
    CHECK(has_one);
  }
}
