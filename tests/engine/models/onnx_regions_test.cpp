// SPDX-License-Identifier: MIT
// Operators of detectors, signals, caches, trees, loops and sequences: valid ones have the shapes of ONNX's specification,
// invalid ones are rejected with an error message.
#include <arenascope/models/npy.h>
#include <doctest/doctest.h>

#include <cstring>

#include <string>
#include <vector>

#include "onnx_maker.h"

using namespace arenascope;
using namespace arenascope::models;
using namespace arenascope::models::test;

namespace {

using Ints = std::vector<int64_t>;

struct Input {
  Ints sizes;
  int type = kFloat;
};
struct Numbers {
  std::string name;
  Ints sizes, values;
  int type = kInt64;
};

Attr text(const std::string& name, const std::string& value) { return {name, value}; }
Attr number(const std::string& name, int64_t value) { return {name, value}; }
Attr list(const std::string& name, Ints values) { return {name, std::move(values)}; }

struct Node {
  std::string op;
  std::vector<Input> inputs;
  std::vector<Attr> attributes;
  std::vector<Numbers> weights;  // after the inputs
  int64_t opset = 24;
  std::string domain;
  size_t outputs = 1;
};

// The results' shapes, or "refused".
std::string made(const Node& node) {
  OnnxMaker m(node.opset);
  std::vector<std::string> names, results;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    names.push_back(node.inputs[i].type == 0 ? "" : "x" + std::to_string(i));
    if (node.inputs[i].type != 0) m.input(names.back(), node.inputs[i].sizes, node.inputs[i].type);
  }
  for (const Numbers& weight : node.weights) {
    if (weight.type == kFloat)
      m.weight(weight.name, weight.sizes, std::vector<float>(weight.values.begin(), weight.values.end()));
    else
      m.weight(weight.name, weight.sizes, weight.values);
    names.push_back(weight.name);
  }
  for (size_t i = 0; i < node.outputs; ++i) {
    results.push_back("y" + std::to_string(i));
    m.output(results.back());
  }
  m.node(node.op, names, results, node.attributes, "", node.domain);
  auto model = m.open();
  REQUIRE(model.ok());
  if (!model->runnable()) {
    REQUIRE_FALSE(model->problems.empty());
    CHECK(model->problems[0].find('\n') == std::string::npos);
    return "refused";
  }
  std::string out;
  for (const ValueInfo& output : model->outputs) out += (out.empty() ? "" : " ") + to_string(output.tensor.sizes());
  return out;
}

constexpr int64_t kHuge = int64_t{1} << 40;

}  // namespace

TEST_CASE("region operators") {
  const std::vector<Input> inputs{{{2, 3, 10, 12}}, {{5, 4}}, {{5}, kInt64}};
  const auto roi = [&](std::vector<Attr> attributes, std::vector<Input> given) {
    return made({"RoiAlign", std::move(given), std::move(attributes), {}, 16});
  };
  CHECK(roi({number("output_height", 4), number("output_width", 5), number("sampling_ratio", 2)}, inputs) ==
        "[5, 3, 4, 5]");
  CHECK(roi({number("sampling_ratio", 3), text("mode", "max")}, inputs) == "[5, 3, 1, 1]");
  CHECK(roi({}, inputs) ==
        "[2, 3, 10, 12] [5, 4] [5]");  // samples by each region's size: it waits, and hands its inputs on
  for (const int64_t odd : {int64_t{-1}, kHuge}) {
    CHECK(roi({number("sampling_ratio", odd)}, inputs) == "refused");
    CHECK(roi({number("sampling_ratio", 2), number("output_height", odd)}, inputs) == "refused");
  }
  CHECK(roi({number("sampling_ratio", 2), text("mode", "odd")}, inputs) == "refused");
  CHECK(roi({number("sampling_ratio", 2)}, {{{2, 3, 10, 12}}, {{5, 3}}, {{5}, kInt64}}) == "refused");
  CHECK(roi({number("sampling_ratio", 2)}, {{{2, 3, 10, 12}}, {{5, 4}}, {{4}, kInt64}}) == "refused");
  CHECK(roi({number("sampling_ratio", 2)}, {{{2, 3, 0, 12}}, {{5, 4}}, {{5}, kInt64}}) == "refused");
}

TEST_CASE("deformable convolutions") {
  const auto deform = [](std::vector<Input> inputs, std::vector<Attr> attributes) {
    return made({"DeformConv", std::move(inputs), std::move(attributes), {}, 22});
  };
  const Input x{{1, 4, 6, 7}}, w{{2, 4, 2, 2}};
  CHECK(deform({x, w, {{1, 8, 5, 6}}}, {}) == "[1, 2, 5, 6]");
  CHECK(deform({x, w, {{1, 16, 5, 6}}, {{2}}, {{1, 8, 5, 6}}}, {number("offset_group", 2)}) == "[1, 2, 5, 6]");
  CHECK(deform({x, {{2, 2, 2, 2}}, {{1, 8, 5, 6}}}, {number("group", 2)}) == "[1, 2, 5, 6]");
  CHECK(deform({x, w, {{1, 8, 5, 5}}}, {}) == "refused");
  CHECK(deform({x, w, {{1, 8, 5, 6}}}, {number("offset_group", 0)}) == "refused");
  CHECK(deform({x, w, {{1, 8, 5, 6}}}, {number("offset_group", 3)}) == "refused");
  CHECK(deform({x, w, {{1, 8, 5, 6}}, {{3}}}, {}) == "refused");
  CHECK(deform({x, w, {{1, 8, 5, 6}}, {{2}}, {{1, 5, 5, 6}}}, {}) == "refused");
  CHECK(deform({{{1, 4, 6}}, w, {{1, 8, 5, 6}}}, {}) == "refused");
  CHECK(deform({x, w, {{1, 8, 5, 6}}}, {list("pads", {kHuge, 0, 0, 0})}) == "refused");
}

TEST_CASE("NonMaxSuppression needs known values") {
  // Within the graph before it, which forwards its inputs.
  CHECK(made({"NonMaxSuppression", {{{1, 6, 4}}, {{1, 1, 6}}}, {}, {{"most", {1}, {3}}}, 11}) == "[1, 6, 4] [1, 1, 6]");
  Node known{"NonMaxSuppression", {}, {}, {}, 11};
  // Two boxes with an overlap of nine tenths, and a separate one; best first.
  known.weights = {{"boxes", {1, 3, 4}, {0, 0, 10, 10, 0, 1, 10, 10, 20, 20, 30, 30}, kFloat},
                   {"scores", {1, 1, 3}, {1, 3, 2}, kFloat},
                   {"most", {1}, {9}}};
  CHECK(made(known) == "[2, 3]");
  known.weights[2].values = {1};
  CHECK(made(known) == "[1, 3]");
  known.weights[2].values = {-5};
  CHECK(made(known) == "[0, 3]");
  known.weights[1].sizes = {1, 3, 1};
  CHECK(made(known) == "refused");
}

TEST_CASE("resize with constant weights") {
  const auto resize = [](std::vector<Attr> attributes, Numbers last, int64_t rank_of_roi = 0) {
    Node node{"Resize", {{{1, 2, 4, 6}}}, std::move(attributes), {}, 19};
    node.weights = {{"roi", {2 * rank_of_roi}, Ints(static_cast<size_t>(2 * rank_of_roi), 0), kFloat},
                    {"", {0}, {}, kFloat},
                    std::move(last)};
    for (int64_t i = rank_of_roi; i < 2 * rank_of_roi; ++i) node.weights[0].values[static_cast<size_t>(i)] = 1;
    return made(node);
  };
  const Numbers sizes{"sizes", {4}, {1, 2, 3, 9}};
  CHECK(resize({number("antialias", 1), text("mode", "linear")}, sizes) == "[1, 2, 3, 9]");
  CHECK(resize({number("antialias", 1), text("mode", "cubic")}, sizes) == "[1, 2, 3, 9]");
  CHECK(resize({number("exclude_outside", 1), text("mode", "cubic")}, sizes) == "[1, 2, 3, 9]");
  const Attr crop = text("coordinate_transformation_mode", "tf_crop_and_resize");
  CHECK(resize({crop, text("mode", "linear")}, sizes, 4) == "[1, 2, 3, 9]");
  CHECK(resize({crop}, sizes, 4) == "[1, 2, 3, 9]");
  CHECK(resize({crop, text("mode", "linear")}, sizes) == "refused");  // no region
  CHECK(resize({crop, text("mode", "linear")}, sizes, 3) == "refused");
  CHECK(resize({number("antialias", 1), text("mode", "odd")}, sizes) == "refused");
  CHECK(resize({number("antialias", 1), text("mode", "linear")}, {"sizes", {4}, {1, 2, kHuge, 9}}) == "refused");
  CHECK(resize({number("antialias", 1), text("mode", "linear")}, {"sizes", {4}, {1, 2, 0, 9}}) == "refused");
  CHECK(resize({number("antialias", 1), text("mode", "linear")}, {"sizes", {3}, {1, 2, 3}}) == "refused");
}

TEST_CASE("signals") {
  const auto stft = [](const Input& x, int64_t step, int64_t length, std::vector<Attr> attributes = {}) {
    Node node{"STFT", {x}, std::move(attributes), {{"step", {1}, {step}}}, 17};
    node.weights.push_back({"none", {1}, {0}});
    OnnxMaker m(17);
    m.input("x", x.sizes).weight("step", {1}, Ints{step}).weight("length", {1}, Ints{length}).output("y");
    m.node("STFT", {"x", "step", "", "length"}, {"y"}, node.attributes);
    auto model = m.open();
    REQUIRE(model.ok());
    return model->runnable() ? to_string(model->outputs[0].tensor.sizes()) : std::string("refused");
  };
  CHECK(stft({{2, 128, 1}}, 8, 16) == "[2, 15, 9, 2]");
  CHECK(stft({{2, 128, 2}}, 8, 16, {number("onesided", 0)}) == "[2, 15, 16, 2]");
  CHECK(stft({{2, 128, 2}}, 8, 16) == "refused");
  for (const int64_t odd : {int64_t{0}, int64_t{-1}, kHuge}) CHECK(stft({{2, 128, 1}}, 8, odd) == "refused");
  CHECK(stft({{2, 128, 1}}, 0, 16) == "refused");
  CHECK(stft({{2, 1 << 20, 1}}, 1, 512) == "refused");
  CHECK(stft({{128}}, 8, 16) == "refused");
  const auto mel = [](Ints specified) {
    Node node{"MelWeightMatrix", {}, {}, {}, 17};
    for (size_t i = 0; i < specified.size(); ++i)
      node.weights.push_back({"w" + std::to_string(i), {1}, {specified[i]}, i < 3 ? kInt64 : kFloat});
    return made(node);
  };
  CHECK(mel({8, 16, 8192, 0, 4096}) == "[9, 8]");
  for (const Ints& odd : {Ints{0, 16, 8192, 0, 4096}, Ints{8, 0, 8192, 0, 4096}, Ints{8, 16, 0, 0, 4096},
                          Ints{8, 16, 8192, 10, 5}, Ints{kHuge, 16, 8192, 0, 4096}, Ints{8, kHuge, 8192, 0, 4096}})
    CHECK(mel(odd) == "refused");
}

TEST_CASE("caches, and pools with indices") {
  const Input cache{{2, 3, 8, 4}}, update{{2, 3, 2, 4}}, at{{2}, kInt64};
  CHECK(made({"TensorScatter", {cache, update, at}}) == "[2, 3, 8, 4]");
  CHECK(made({"TensorScatter", {cache, update}, {text("mode", "circular")}}) == "[2, 3, 8, 4]");
  CHECK(made({"TensorScatter", {cache, update, at}, {text("mode", "odd")}}) == "refused");
  CHECK(made({"TensorScatter", {cache, update, {{3}, kInt64}}}) == "refused");
  CHECK(made({"TensorScatter", {cache, {{2, 3, 9, 4}}, at}}) == "refused");
  CHECK(made({"TensorScatter", {cache, update, at}, {number("axis", 0)}}) == "refused");
  CHECK(made({"TensorScatter", {cache, update, at}, {number("axis", 7)}}) == "refused");
  const Attr kernel = list("kernel_shape", {2, 2});
  const Attr strides = list("strides", {2, 2});
  CHECK(made({"MaxPool", {{{1, 2, 5, 6}}}, {kernel, strides}, {}, 12, "", 2}) == "[1, 2, 2, 3] [1, 2, 2, 3]");
  CHECK(made({"MaxPool", {{{1, 2, 5, 6}}}, {kernel, number("storage_order", 1)}, {}, 12, "", 2}) ==
        "[1, 2, 4, 5] [1, 2, 4, 5]");
  CHECK(made({"MaxPool", {{{1, 2, 0, 6}}}, {kernel}, {}, 12, "", 2}) == "refused");
  CHECK(made({"MaxUnpool", {{{1, 2, 2, 3}}, {{1, 2, 2, 3}, kInt64}}, {kernel, strides}, {}, 11}) == "[1, 2, 4, 6]");
  CHECK(made({"MaxUnpool", {{{1, 2, 2, 3}}, {{1, 2, 2, 2}, kInt64}}, {kernel, strides}, {}, 11}) == "refused");
  CHECK(made({"MaxUnpool", {{{1, 2, 2, 3}}, {{1, 2, 2, 3}, kInt64}}, {kernel, list("strides", {kHuge, 2})}, {}, 11}) ==
        "refused");
  CHECK(made({"MaxUnpool", {{{1, 64, 64, 64}}, {{1, 64, 64, 64}, kInt64}}, {kernel, strides}, {}, 11}) == "refused");
}

TEST_CASE("TfIdfVectorizer and Col2Im") {
  const auto counts = [](Ints pool, Ints starts, Ints columns, Ints lengths, int64_t skips = 0) {
    return made({"TfIdfVectorizer",
                 {{{2, 12}, kInt32}},
                 {list("pool_int64s", std::move(pool)), list("ngram_counts", std::move(starts)),
                  list("ngram_indexes", std::move(columns)), number("min_gram_length", lengths[0]),
                  number("max_gram_length", lengths[1]), number("max_skip_count", skips), text("mode", "TF")},
                 {},
                 9});
  };
  CHECK(counts({2, 3, 5, 4, 5, 6}, {0, 2}, {0, 1, 2, 3}, {1, 2}, 5) == "[2, 4]");
  CHECK(counts({2, 3, 5, 4, 5}, {0, 2}, {0, 1, 2, 3}, {1, 2}) == "refused");
  CHECK(counts({2, 3, 5, 4}, {0, 9}, {0, 1, 2}, {1, 2}) == "refused");
  CHECK(counts({2, 3, 5, 4}, {0, 2}, {0, 1}, {1, 2}) == "refused");
  CHECK(counts({2, 3, 5, 4}, {0, 2}, {0, 1, kHuge}, {1, 2}) == "refused");
  CHECK(counts({2, 3, 5, 4}, {0, 2}, {0, 1, 2, kHuge}, {1, 2}) == "refused");  // none has the last column
  CHECK(counts({2, 3, 5, 4}, {0, 2}, {0, 1, 2}, {2, 1}) == "refused");
  CHECK(counts({2, 3, 5, 4}, {0, 2}, {0, 1, 2}, {1, 2}, kHuge) == "refused");
  const std::string ml = "ai.onnx.ml";
  CHECK(made({"ArrayFeatureExtractor", {{{3, 4}}, {{2}, kInt64}}, {}, {}, 24, ml}) == "[3, 2]");
  CHECK(made({"Binarizer", {{{3, 4}}}, {}, {}, 24, ml}) == "[3, 4]");
  CHECK(made({"TreeEnsemble", {{{3, 4}}}, {}, {}, 24, ml}) == "refused");
}

TEST_CASE("random operators are deterministic for a seed and reported") {
  OnnxMaker m(22);
  m.input("x", {4, 5}).output("y").output("z").node("RandomUniformLike", {"x"}, {"u"}).node("Add", {"u", "x"}, {"y"});
  m.node("Relu", {"x"}, {"z"});
  auto model = m.open();
  REQUIRE(model.ok());
  REQUIRE(model->runnable());
  CHECK(model->random_outputs == std::vector<std::string>{"y"});
  CHECK(made({"RandomNormal", {}, {list("shape", {3, kHuge})}, {}, 22}) == "refused");
  CHECK(made({"RandomNormal", {}, {list("shape", {3, 2})}, {}, 22}) == "[3, 2]");
  CHECK(made({"Multinomial", {{{2, 5}}}, {number("sample_size", 7)}, {}, 22}) == "[2, 7]");
  CHECK(made({"Multinomial", {{{2, 5}}}, {number("sample_size", -1)}, {}, 22}) == "refused");
  CHECK(made({"Bernoulli", {{{2, 5}}}, {}, {}, 22}) == "[2, 5]");
}

TEST_CASE("loops with a known trip count are unrolled") {
  const auto loop = [](int64_t iterations, bool known, bool stacked) {
    OnnxMaker body(16);
    body.input("i", {}, kInt64).input("go", {}, kBool).input("s", {2});
    body.output("go_out", {}, kBool)
        .output("s_out", {2})
        .node("Identity", {"go"}, {"go_out"})
        .node("Relu", {"s"}, {"s_out"});
    if (stacked) body.output("each", {2}).node("Neg", {"s"}, {"each"});
    OnnxMaker m(16);
    m.input("x", {2}).output("y");
    if (known)
      m.weight("count", {}, Ints{iterations});
    else
      m.input("count", {}, kInt64);
    std::vector<std::string> results{"y"};
    if (stacked) results.push_back("all"), m.output("all");
    m.node("Loop", {"count", "", "x"}, results, {{"body", &body}});
    auto model = m.open();
    REQUIRE(model.ok());
    return model->runnable() ? to_string(model->outputs.back().tensor.sizes()) : std::string("refused");
  };
  CHECK(loop(3, true, false) == "[2]");
  CHECK(loop(3, true, true) == "[3, 2]");
  CHECK(loop(0, true, false) == "[2]");
  CHECK(loop(0, true, true) == "[0, 2]");
  CHECK(loop(kHuge, true, false) == "[2]");  // the shape after the unrolled iterations
  CHECK(loop(3, false, false) == "[2]");     // assumed to iterate once
}

TEST_CASE("a weight is stored once for all iterations of a loop, also transposed") {
  const std::string raw(size_t{64} * 64 * 4, '\1');
  const auto bytes = [&](const char* op, bool inside) {
    OnnxMaker body(16), m(16);
    body.input("i", {}, kInt64).input("go", {}, kBool).input("s", {64, 64});
    body.output("go_out", {}, kBool).output("s_out", {64, 64}).node("Identity", {"go"}, {"go_out"});
    body.node(op, {"s", "w"}, {"s_out"});
    (inside ? body : m).raw_weight("w", {64, 64}, raw);
    m.input("x", {64, 64}).output("y").weight("count", {}, Ints{6});
    auto model = m.node("Loop", {"count", "", "x"}, {"y"}, {{"body", &body}}).open();
    REQUIRE(model.ok());
    REQUIRE(model->runnable());
    return model->weight_bytes();
  };
  for (const bool inside : {false, true})
    for (const char* op : {"Add", "MatMul"}) CHECK(bytes(op, inside) == Bytes{64} * 64 * 4);
}

TEST_CASE("a body that was lowered only to infer types leaves no weight and no input in the model") {
  for (const bool inside : {false, true})
    for (const bool drops : {false, true}) {
      CAPTURE(inside);
      CAPTURE(drops);
      OnnxMaker body(16), m(16);
      body.input("i", {}, kInt64).input("go", {}, kBool).input("s", {4, 4});
      body.output("go_out", {}, kBool).output("s_out", {4, 4}).output("one").node("Identity", {"go"}, {"go_out"});
      body.node("Identity", {"s"}, {"s_out"}).node("Add", {"s", "w"}, {"sum"});
      (inside ? body : m).raw_weight("w", {4, 4}, std::string(64, '\1'));
      body.raw_weight("half", {}, std::string("\0\0\0\x3f", 4)).raw_weight("trains", {}, std::string(1, 1), kBool);
      if (drops)
        body.node("Dropout", {"sum", "half", "trains"}, {"one"});
      else
        body.node("Neg", {"sum"}, {"one"});
      m.input("x", {4, 4}).output("y").output("all").weight("turns", {}, Ints{0});
      OpenOptions options;
      options.learning = true;
      auto model = m.node("Loop", {"turns", "", "x"}, {"y", "all"}, {{"body", &body}}).open(options);
      REQUIRE(model.ok());
      REQUIRE_MESSAGE(model->runnable(), model->why_not_runnable());
      CHECK(to_string(model->outputs[1].tensor.sizes()) == "[0, 4, 4]");
      for (const Weight& weight : model->weights) CHECK((weight.tensor->name.view() != "w"));
      CHECK(model->inputs.size() == 1);
    }
}

TEST_CASE("loop iterations, branches and scan steps are layers inside their operator's layer") {
  const auto layers = [](OnnxMaker& m) {
    auto model = m.open();
    REQUIRE(model.ok());
    const auto names = model->graph.context().layer_names();
    std::vector<std::string> out;
    for (const TensorImpl* node : model->graph.nodes()) {
      const std::string layer = node->layer < 0 ? "" : names[static_cast<size_t>(node->layer)];
      if (out.empty() || out.back() != layer) out.push_back(layer);
    }
    return out;
  };
  OnnxMaker branch(16), body(16), m(16);
  branch.output("b", {2}).node("Relu", {"s"}, {"b"});
  body.input("i", {}, kInt64).input("go", {}, kBool).input("s", {2});
  body.output("go_out", {}, kBool).output("s_out", {2}).node("Identity", {"go"}, {"go_out"});
  body.raw_weight("yes", {}, std::string(1, 1), kBool);
  body.node("If", {"yes"}, {"r"}, {{"then_branch", &branch}, {"else_branch", &branch}});
  body.node("Neg", {"r"}, {"s_out"});
  m.input("x", {2}).output("y").weight("count", {}, Ints{2}).node("Loop", {"count", "", "x"}, {"y"}, {{"body", &body}});
  CHECK(layers(m) == std::vector<std::string>{"Loop y / iteration 0 / If r / then", "Loop y / iteration 0",
                                              "Loop y / iteration 1 / If r / then", "Loop y / iteration 1"});
  OnnxMaker step(16), scan(16);
  step.input("sum", {2}).input("one", {2}).output("next", {2}).node("Add", {"sum", "one"}, {"next"});
  scan.input("zero", {2}).input("all", {3, 2}).output("y", {2});
  scan.node("Scan", {"zero", "all"}, {"y"}, {{"body", &step}, number("num_scan_inputs", 1)});
  CHECK(layers(scan) ==
        std::vector<std::string>{"Scan y / iteration 0", "Scan y / iteration 1", "Scan y / iteration 2"});
}

TEST_CASE("sequences are lists of tensors at opening") {
  const auto sequence = [](const std::vector<std::string>& place, int64_t at, const std::string& op) {
    OnnxMaker m(17);
    m.input("a", {2, 3}).input("b", {4}).weight("at", {}, Ints{at}).output("y");
    m.node("SequenceConstruct", {"a", "b"}, {"s"});
    if (op == "SequenceErase") {
      m.node("SequenceErase", {"s", "at"}, {"t"}).node("SequenceAt", {"t", "zero"}, {"y"}).weight("zero", {}, Ints{0});
    } else {
      std::vector<std::string> inputs{"s"};
      inputs.insert(inputs.end(), place.begin(), place.end());
      m.node(op, inputs, {"y"});
    }
    auto model = m.open();
    REQUIRE(model.ok());
    return model->runnable() ? to_string(model->outputs[0].tensor.sizes()) : std::string("refused");
  };
  CHECK(sequence({"at"}, 0, "SequenceAt") == "[2, 3]");
  CHECK(sequence({"at"}, -1, "SequenceAt") == "[4]");
  CHECK(sequence({"at"}, 2, "SequenceAt") == "refused");
  CHECK(sequence({"at"}, -3, "SequenceAt") == "refused");
  CHECK(sequence({"at"}, kHuge, "SequenceAt") == "refused");
  CHECK(sequence({}, 0, "SequenceLength") == "[]");
  CHECK(sequence({}, 0, "SequenceErase") == "[4]");
  CHECK(sequence({}, 0, "Relu") == "refused");
  CHECK(sequence({}, 0, "Shape") == "refused");
  OnnxMaker m(17);
  m.input("x", {2, 7})
      .output("y")
      .node("SplitToSequence", {"x"}, {"y"}, {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}});
  auto model = m.open();
  REQUIRE(model.ok());
  REQUIRE(model->runnable());
  REQUIRE(model->outputs.size() == 7);
  CHECK(model->outputs[6].name == "y[6]");
  CHECK(to_string(model->outputs[6].tensor.sizes()) == "[2]");
}

TEST_CASE("a too new opset is an error with its number, an untyped weight an error with its name") {
  for (const int64_t opset : {int64_t{28}, int64_t{29}, int64_t{9999}}) {
    OnnxMaker m(opset);
    m.input("x", {2}).output("y").node("Relu", {"x"}, {"y"});
    auto model = m.open();
    REQUIRE(model.ok());
    CHECK(model->runnable() == (opset == 28));
    if (opset > 28) CHECK(model->problems[0].find("opset " + std::to_string(opset)) != std::string::npos);
  }
  for (const auto& [domain, newest] :
       {std::pair<std::string, int64_t>{"ai.onnx.ml", 5}, {"ai.onnx.preview", 1}, {"ai.onnx.preview.training", 1}})
    for (const int64_t more : {0, 1}) {
      OnnxMaker m(20);
      m.input("x", {2}).output("y").node("Relu", {"x"}, {"y"}).opset(domain, newest + more);
      auto model = m.open();
      REQUIRE(model.ok());
      CHECK(model->runnable() == (more == 0));
      if (more != 0) CHECK(model->problems[0].find(domain) != std::string::npos);
    }
  for (const int type : {0, 27, 99, -1}) {
    OnnxMaker m;
    m.input("x", {2}).output("y").raw_weight("w", {2}, std::string(8, '\0'), type).node("Add", {"x", "w"}, {"y"});
    auto model = m.open();
    REQUIRE_FALSE(model.ok());
    CHECK(model.error().message.find("'w'") != std::string::npos);
  }
}

TEST_CASE("an unspecified size is reported as assumed") {
  OnnxMaker m;
  m.input("x", {-1, 3, -2}).input("z", {-1}).output("y").node("Relu", {"x"}, {"y"});
  auto model = m.open();
  REQUIRE(model.ok());
  REQUIRE(model->free_dimensions.size() == 3);
  CHECK(to_string(model->outputs[0].tensor.sizes()) == "[1, 3, 128]");
  for (const FreeDimension& free : model->free_dimensions) CHECK_FALSE(free.specified);
  OpenOptions specified;
  specified.dims = {{"n1", 4}, {"n2", 5}};
  model = m.open(specified);
  REQUIRE(model.ok());
  for (const FreeDimension& free : model->free_dimensions) CHECK(free.specified);
  CHECK(to_string(model->outputs[0].tensor.sizes()) == "[4, 3, 5]");
}

TEST_CASE("sizes are found for which the model can run") {
  // A window of 600 numbers over a row: 128 and 512 are too short.
  OnnxMaker audio;
  audio.input("x", {-1, 1, -2}).output("y").weight("w", {2, 1, 600}, std::vector<float>(1200, 0.5F));
  audio.node("Conv", {"x", "w"}, {"y"});
  auto model = audio.open();
  REQUIRE(model.ok());
  CHECK(model->problems.empty());
  CHECK(to_string(model->inputs[0].sizes) == "[1, 1, 1024]");
  // An image with one channel, which only the weights show.
  OnnxMaker picture;
  picture.input("x", {-1, -2, -3, -4}).output("y").weight("w", {2, 1, 3, 3}, std::vector<float>(18, 0.5F));
  picture.node("Conv", {"x", "w"}, {"y"});
  model = picture.open();
  REQUIRE(model.ok());
  CHECK(model->problems.empty());
  CHECK(to_string(model->inputs[0].sizes) == "[1, 1, 224, 224]");
  // A specified dimension is kept while candidates for the others are tried.
  OpenOptions specified;
  specified.dims = {{"n4", 20}};
  model = picture.open(specified);
  REQUIRE(model.ok());
  CHECK(to_string(model->inputs[0].sizes) == "[1, 1, 224, 20]");
  CHECK(model->free_dimensions[3].specified);
  CHECK_FALSE(model->free_dimensions[2].specified);
}

TEST_CASE("an unspecified condition of an If is assumed") {
  OnnxMaker wide, narrow, m;
  wide.output("w").weight("k", {1, 1, 600}, std::vector<float>(600, 0.5F)).node("Conv", {"x", "k"}, {"w"});
  narrow.output("n").node("Relu", {"x"}, {"n"});
  m.input("x", {-1, 1, -2}).input("h", {2, -3, 8}).input("sr", {}, kInt64).output("y").output("z");
  m.weight("rate", {}, std::vector<int64_t>{16000}).node("Equal", {"sr", "rate"}, {"is"});
  m.node("If", {"is"}, {"y"}, {{"then_branch", &wide}, {"else_branch", &narrow}}).node("Relu", {"h"}, {"z"});
  auto model = m.open();
  REQUIRE(model.ok());
  for (const std::string& problem : model->problems) FAIL_CHECK(problem);
  CHECK(model->assumed_values == std::map<std::string, int64_t>{{"sr", 16000}});
  CHECK(to_string(model->inputs[0].sizes) == "[1, 1, 1024]");  // the branch's window is taken into account
  CHECK(to_string(model->inputs[1].sizes) == "[2, 1, 8]");
  int64_t written = 0;
  REQUIRE(model->inputs[2].write_default(reinterpret_cast<std::byte*>(&written)).ok());
  CHECK(written == 16000);
  // A given value is not replaced by an assumed one.
  auto rate = host_tensor({}, DType::I64);
  REQUIRE(rate.ok());
  const int64_t eight = 8000;
  std::memcpy((*rate)->data(), &eight, sizeof eight);
  OpenOptions specified;
  specified.inputs["sr"] = *rate;
  model = m.open(specified);
  REQUIRE(model.ok());
  CHECK(model->assumed_values.empty());
  CHECK(to_string(model->outputs[0].tensor.sizes()) == "[1, 1, 128]");
}

TEST_CASE("all dimensions of an input may be specified as one shape") {
  OnnxMaker m;
  m.input("x", {-1, 3, -2}).input("z", {-1, 3, -2}).output("y").node("Add", {"x", "z"}, {"y"});
  OpenOptions specified;
  specified.shapes = {{"x", {2, 3, 7}}};
  auto model = m.open(specified);
  REQUIRE(model.ok());
  CHECK(model->problems.empty());
  CHECK(to_string(model->outputs[0].tensor.sizes()) == "[2, 3, 7]");  // its names hold for the other input, too
  for (const FreeDimension& free : model->free_dimensions) CHECK(free.specified);
  const std::pair<OpenOptions, const char*> bad[] = {
      {{.shapes = {{"q", {2}}}}, "no input 'q'"},
      {{.shapes = {{"x", {2, 4, 7}}}}, "'x' is ?x3x?"},
      {{.shapes = {{"x", {2, 3}}}}, "'x' is ?x3x?"},
      {{.dims = {{"n1", 5}}, .shapes = {{"x", {2, 3, 7}}}}, "dimension n1 is specified as 5 and 2"},
      {{.dims = {{"nosuch", 3}}}, "there is no size 'nosuch'; there are n1, n2"}};
  for (const auto& [options, what] : bad) {
    auto refused = m.open(options);
    REQUIRE_FALSE(refused.ok());
    CHECK_MESSAGE(refused.error().message.find(what) != std::string::npos, refused.error().message);
  }
}
