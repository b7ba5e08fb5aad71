// SPDX-License-Identifier: MIT
// Gradients against central differences of the loss, computed by the reference backend. With steps of 1/256 and results
// rounded to 32 bits, a difference of two losses is right to about 1e-4 of the loss; 2e-3 of the largest gradient is
// asked for.
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
  std::vector<Dims> shapes;  // of what is differentiated
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

const std::vector<Case>& cases() {
  using G = GraphBuilder;
  using T = std::span<const Tensor>;
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
           // Far enough apart that no difference changes which one is the largest.
           const Tensor apart = g.op_with(Op::Arange, {}, FillParams{{2, 2, 6, 5}, DType::F32, 60, -3});
           return g.op(Op::Sub, {g.pool2d(Op::MaxPool, g.add(g.mul(t[0], t[0]), apart), 3, 2, 1),
                                 g.pool2d(Op::MaxPool, apart, 3, 2, 1)});
         }},
        {"attention",
         {{2, 5, 4}, {2, 6, 4}, {2, 6, 4}},
         [](G& g, T t) { return g.mul_mat(g.transpose(t[2]), g.soft_max(g.mul_mat(t[1], t[0]), 2, 0.5f)); }},
    };
    for (Op op : {Op::Neg, Op::Abs, Op::Exp, Op::Sin, Op::Cos, Op::Tanh, Op::Sigmoid, Op::Relu, Op::Silu, Op::Gelu,
                  Op::GeluTanh, Op::Cont, Op::Atan, Op::Sinh, Op::Cosh, Op::Asinh})
      c.push_back({name(op), {{19}}, [op](G& g, T t) { return g.op(op, {t[0]}); }, -2.03, 1.97});
    for (Op op : {Op::Sqrt, Op::Log, Op::Reciprocal})
      c.push_back({name(op), {{19}}, [op](G& g, T t) { return g.op(op, {t[0]}); }, 0.5, 3});
    for (Op op : {Op::Tan, Op::Asin, Op::Acos, Op::Atanh})
      c.push_back({name(op), {{19}}, [op](G& g, T t) { return g.op(op, {t[0]}); }, -0.8, 0.8});
    c.push_back({name(Op::Acosh), {{19}}, [](G& g, T t) { return g.op(Op::Acosh, {t[0]}); }, 1.4, 4});
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

TEST_CASE("each op with a gradient is differentiated by a case") {
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

TEST_CASE("each rule's gradients are those of central differences") {
  auto reference = reference::make_reference_backend();
  for (const Case& c : cases()) {
    CAPTURE(std::string(c.name));
    GraphBuilder g = make_builder();
    BuiltCase given;
    std::vector<Tensor> wanted;
    for (const Dims& sizes : c.shapes) {
      wanted.push_back(g.input("x" + std::to_string(wanted.size()), sizes));
      given.inputs.push_back({wanted.back(), c.low, c.high});
    }
    fill_inputs(given, 11);
    const Tensor loss = loss_of(g, c.build(g, wanted));
    REQUIRE_MESSAGE(g.ok(), g.status().error().message);
    Graph graph = *g.context().new_graph(512, true);
    auto gradients = build_gradients(g, graph, loss, wanted);
    REQUIRE_MESSAGE(gradients.ok(), (gradients ? "" : gradients.error().message));
    for (size_t i = 0; i < wanted.size(); ++i) {
      REQUIRE((*gradients)[i].defined());
      REQUIRE((*gradients)[i].sizes() == wanted[i].sizes());
      CHECK(graph.grad(*wanted[i]) == (*gradients)[i].impl());
      REQUIRE(compute(*reference, graph).ok());
      const Tensor flat = g.cont((*gradients)[i]);
      REQUIRE(compute_in_parts(*reference, *flat, 1).ok());
      const auto count = wanted[i]->element_count();
      std::vector<double> expected, got(flat.data_as<float>(), flat.data_as<float>() + count);
      const float step = 1.0f / 256;
      for (int64_t e = 0; e < count; ++e) {
        float& x = wanted[i].data_as<float>()[e];
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

TEST_CASE("accumulators take up the gradients of several batches") {
  auto reference = reference::make_reference_backend();
  GraphBuilder g = make_builder();
  const Tensor x = g.input("x", {3}), unused = g.input("unused", {2});
  for (int i = 0; i < 3; ++i) x.data_as<float>()[i] = static_cast<float>(i + 1);
  const Tensor loss = g.reduce(Op::ReduceSum, g.mul(x, x), {0}, false);
  Graph graph = *g.context().new_graph(64, true);
  const Tensor wanted[] = {x, unused};
  auto gradients = build_gradients(g, graph, loss, wanted, {.accumulate = true});
  REQUIRE(gradients.ok());
  CHECK(!(*gradients)[1].defined());
  TensorImpl* sum = graph.grad_accumulator(*x);
  REQUIRE(sum != nullptr);
  CHECK(sum->name == "x (sum)");
  for (int i = 0; i < 3; ++i) sum->data_as<float>()[i] = 10;
  REQUIRE(compute(*reference, graph).ok());
  for (int i = 0; i < 3; ++i) CHECK((*gradients)[0].data_as<float>()[i] == 10 + 2 * static_cast<float>(i + 1));
}

TEST_CASE("what cannot be differentiated is said in one sentence") {
  const auto message = [](auto build, bool grads = true) {
    GraphBuilder g = make_builder();
    const Tensor x = g.input("x", {1, 4, 6, 6});
    const Tensor loss = build(g, x);
    REQUIRE(g.ok());
    Graph graph = *g.context().new_graph(64, grads);
    const Tensor wanted[] = {x};
    auto result = build_gradients(g, graph, loss, wanted);
    REQUIRE(!result.ok());
    return result.error().message;
  };
  CHECK(message([](GraphBuilder& g, const Tensor& x) {
          return loss_of(g, g.pool2d(Op::AvgPool, x, 2, 2, 0, "pooled"));
        }) == "AVG_POOL 'pooled' has no backward rule");
  CHECK(message([](GraphBuilder& g, const Tensor& x) { return g.mul(x, x, "much"); }) ==
        "the loss 'much' is [1, 4, 6, 6], not one number");
  CHECK(message([](GraphBuilder& g, const Tensor& x) { return loss_of(g, x); }, false) ==
        "gradients need a graph that keeps them");
  CHECK(message([](GraphBuilder& g, const Tensor& x) {
          return loss_of(g, g.slice(x, 3, 0, 6, 2, "every other"));
        }).find("'every other' has no backward rule") != std::string::npos);
  CHECK(has_gradient(Op::MulMat));
  CHECK(!has_gradient(Op::TopKValues));
}
