// SPDX-License-Identifier: MIT
// Validation of ONNX files before any operator is lowered.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include <arenascope/graph/fused.h>
#include <arenascope/graph/opaque.h>
#include <arenascope/models/weight_store.h>

#include "onnx_maker.h"
#include "tests/support/temp_folder.h"

using namespace arenascope;
using namespace arenascope::models;
using namespace arenascope::models::test;
using arenascope::test::TempFolder;

namespace {

using Ints = std::vector<int64_t>;

std::string unsupported_reason(const OnnxMaker& maker, const std::filesystem::path& folder = {}) {
  auto model = maker.open({}, folder);
  return model ? "" : model.error().message;
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("free dimensions are listed, and set by name or by index") {
  OnnxMaker m;
  m.input("x", {-1, 3})
      .output("y")
      .weight("w", {3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6})
      .node("MatMul", {"x", "w"}, {"y"});
  auto model = m.open({});
  REQUIRE(model.ok());
  REQUIRE(model->free_dimensions.size() == 1);
  const FreeDimension& free = model->free_dimensions.front();
  CHECK(free.input == "x");
  CHECK(free.axis == 0);
  CHECK(free.size == 1);
  CHECK_FALSE(free.specified);
  OpenOptions options;
  options.dims[free.key()] = 7;
  model = m.open(options);
  REQUIRE(model.ok());
  CHECK(model->free_dimensions.front().specified);
  CHECK(to_string(model->inputs[0].sizes) == "[7, 3]");
}

TEST_CASE("a small network opens with its inputs, outputs and weights") {
  OnnxMaker m;
  m.input("x", {-1, 3})
      .output("y")
      .weight("w", {3, 2}, std::vector<float>{1, 2, 3, 4, 5, 6})
      .node("MatMul", {"x", "w"}, {"y"});
  OpenOptions options;
  options.dims["n1"] = 5;
  auto model = m.open(options);
  REQUIRE(model.ok());
  CHECK(model->runnable());
  CHECK(model->format == "onnx");
  REQUIRE(model->inputs.size() == 1);
  CHECK(model->inputs[0].name == "x");
  CHECK(to_string(model->inputs[0].sizes) == "[5, 3]");
  CHECK(model->inputs[0].tensor->has(kFlagInput));
  REQUIRE(model->outputs.size() == 1);
  CHECK(to_string(model->outputs[0].sizes) == "[5, 2]");
  CHECK(model->outputs[0].tensor->has(kFlagOutput));
  CHECK(model->ops == std::map<std::string, int64_t>{{"MatMul", 1}});
  CHECK(model->parameter_bytes == 24);
  auto context = make_cpu_context();
  REQUIRE(WeightStore().load(*model, *context).ok());
  REQUIRE(model->weights.size() == 1);
  const Tensor& w = model->weights[0].tensor;  // transposed while it is loaded, as MUL_MAT needs it
  CHECK(to_string(w.sizes()) == "[2, 3]");
  CHECK(std::vector<float>(w.data_as<float>(), w.data_as<float>() + 6) == std::vector<float>{1, 3, 5, 2, 4, 6});
}

TEST_CASE("an unspecified dimension is 1, and weights listed as inputs by old files are not inputs") {
  OnnxMaker m;
  m.input("x", {-1, 3})
      .input("b", {3})
      .output("y")
      .weight("b", {3}, std::vector<float>{1, 2, 3})
      .node("Add", {"x", "b"}, {"y"});
  auto model = m.open();
  REQUIRE(model.ok());
  REQUIRE(model->inputs.size() == 1);
  CHECK(to_string(model->outputs[0].sizes) == "[1, 3]");
}

TEST_CASE("empty, text and truncated files are errors") {
  CHECK(!open_onnx(std::span<const std::byte>(), "").ok());
  const std::string text = "this is no network at all, but a sentence";
  CHECK(!open_onnx(std::as_bytes(std::span(text.data(), text.size())), "").ok());
  OnnxMaker m;
  m.input("x", {2}).output("y").node("Relu", {"x"}, {"y"});
  const auto whole = m.bytes();
  REQUIRE(open_onnx(whole, "").ok());
  for (size_t cut = 0; cut + 1 < whole.size(); ++cut) {
    auto model = open_onnx(std::span(whole).first(cut), "");
    if (!model) CHECK(!model.error().message.empty());
  }
}

TEST_CASE("invalid graphs are errors that name the node") {
  OnnxMaker cycle, twice, unused, missing;
  cycle.input("x", {2})
      .output("y")
      .node("Add", {"x", "b"}, {"a"})
      .node("Relu", {"a"}, {"b"})
      .node("Relu", {"b"}, {"y"});
  CHECK(says(unsupported_reason(cycle), "cycle"));
  twice.input("x", {2}).output("y").node("Relu", {"x"}, {"y"}).node("Neg", {"x"}, {"y"});
  CHECK(says(unsupported_reason(twice), "'y' is written twice"));
  unused.input("x", {2}).output("y").node("Add", {"x", "ghost"}, {"y"});
  CHECK(says(unsupported_reason(unused), "ghost"));
  missing.input("x", {2}).output("z").node("Relu", {"x"}, {"y"});
  CHECK(says(unsupported_reason(missing), "'z'"));
}

TEST_CASE("nodes are sorted topologically") {
  OnnxMaker m;
  m.input("x", {2}).output("y").node("Relu", {"b"}, {"y"}).node("Neg", {"a"}, {"b"}).node("Abs", {"x"}, {"a"});
  auto model = m.open();
  REQUIRE(model.ok());
  REQUIRE(model->graph.nodes().size() == 3);
  CHECK(model->graph.nodes()[0]->op == Op::Abs);
  CHECK(model->graph.nodes()[2]->op == Op::Relu);
}

TEST_CASE("the bytes of a weight match its shape") {
  OnnxMaker longer, shorter, wrapped, negative, many;
  longer.output("y").raw_weight("w", {1}, std::string(64, 'a')).node("Relu", {"w"}, {"y"});
  CHECK(says(unsupported_reason(longer), "64 bytes"));
  shorter.output("y").raw_weight("w", {1000}, "abcd").node("Relu", {"w"}, {"y"});
  CHECK(says(unsupported_reason(shorter), "'w'"));
  wrapped.output("y").raw_weight("w", {int64_t{1} << 32, int64_t{1} << 32}, "").node("Relu", {"w"}, {"y"});
  CHECK(says(unsupported_reason(wrapped), "'w'"));
  negative.output("y").raw_weight("w", {-4}, "").node("Relu", {"w"}, {"y"});
  CHECK(says(unsupported_reason(negative), "'w'"));
  many.output("y").raw_weight("w", {1, 1, 1, 1, 1, 1, 1, 1, 1}, "abcd").node("Relu", {"w"}, {"y"});
  auto folded = many.open();
  REQUIRE(folded.ok());
  CHECK(to_string(folded->outputs[0].tensor.sizes()) == "[1, 1, 1, 1, 1, 1, 1, 1]");
}

TEST_CASE("segments of a weight are joined in any order") {
  const auto opened = [](const std::vector<std::pair<int64_t, std::vector<float>>>& segments) {
    OnnxMaker m;
    m.input("x", {2}).output("y").node("MatMul", {"w", "x"}, {"y"});
    for (const auto& [begin, numbers] : segments) m.segment("w", {3, 2}, begin, numbers);
    return m.open();
  };
  auto model = opened({{4, {5, 6}}, {0, {1, 2, 3, 4}}});
  REQUIRE(model.ok());
  REQUIRE(model->weights.size() == 1);
  float numbers[6] = {};
  REQUIRE(model->weights[0].source.write(reinterpret_cast<std::byte*>(numbers)).ok());
  for (int i = 0; i < 6; ++i) CHECK(numbers[i] == static_cast<float>(i + 1));
  CHECK(opened({{0, {1, 2, 3, 4, 5, 6}}}).ok());
  CHECK(says(opened({{0, {1, 2, 3, 4}}}).error().message, "its segments end at 4"));
  CHECK_FALSE(opened({{0, {1, 2, 3, 4}}, {3, {4, 5, 6}}}).ok());
  CHECK_FALSE(opened({{0, {1, 2}}, {4, {5, 6}}}).ok());
  CHECK_FALSE(opened({{int64_t{1} << 40, {5, 6}}}).ok());
  CHECK_FALSE(opened({{-2, {1, 2, 3, 4, 5, 6}}}).ok());
}

TEST_CASE("external data stays in the model's folder and within its file") {
  TempFolder outside, folder;
  const float numbers[] = {1, 2, 3, 4};
  std::ofstream(folder.path() / "w.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers), sizeof numbers);
  std::ofstream(outside.path() / "secret.bin", std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers), sizeof numbers);
  std::filesystem::create_symlink(outside.path() / "secret.bin", folder.path() / "link.bin");
  const auto with = [&](std::vector<std::pair<std::string, std::string>> entries) {
    OnnxMaker m;
    m.input("x", {2}).output("y").external_weight("w", {2}, entries).node("Add", {"x", "w"}, {"y"});
    return m.open({}, folder.path());
  };
  auto good = with({{"location", "w.bin"}, {"offset", "4"}, {"length", "8"}});
  REQUIRE(good.ok());
  auto context = make_cpu_context();
  REQUIRE(WeightStore().load(*good, *context).ok());
  CHECK(good->weights[0].tensor.data_as<float>()[0] == 2);
  CHECK(good->weights[0].tensor.data_as<float>()[1] == 3);
  CHECK(with({{"location", "w.bin"}}).ok());
  CHECK(with({{"location", "./w.bin"}, {"unknown", "key"}}).ok());
  const std::vector<std::vector<std::pair<std::string, std::string>>> bad{
      {},
      {{"location", ""}},
      {{"location", "."}},
      {{"location", "link.bin"}},
      {{"location", "../" + outside.path().filename().string() + "/secret.bin"}},
      {{"location", (outside.path() / "secret.bin").string()}},
      {{"location", "w.bin"}, {"offset", "-4"}},
      {{"location", "w.bin"}, {"offset", "9223372036854775807"}},
      {{"location", "w.bin"}, {"offset", "18446744073709551600"}},
      {{"location", "w.bin"}, {"offset", "4x"}},
      {{"location", "w.bin"}, {"length", "4"}},
      {{"location", "w.bin"}, {"length", "-1000"}}};
  for (const auto& entries : bad) {
    auto model = with(entries);
    CHECK(!model.ok());
    if (!model) CHECK(says(model.error().message, "'w'"));
  }
  for (const auto& entries : std::vector<std::vector<std::pair<std::string, std::string>>>{
           {{"location", "nofile.bin"}}, {{"location", "nofolder/w.bin"}}, {{"location", "w.bin"}, {"offset", "12"}}}) {
    auto model = with(entries);
    REQUIRE(model.ok());
    CHECK(model->complete());
    CHECK_FALSE(model->runnable());
    CHECK(model->missing.tensors == 1);
    CHECK(model->missing.file == entries[0].second);
    CHECK(says(model->why_not_runnable(), "'" + entries[0].second + "'"));
    CHECK(says(WeightStore().load(*model, *context).error().message, "the weight 'w' has no data"));
  }
  std::filesystem::resize_file(folder.path() / "w.bin", 2);  // cut after it was checked
  CHECK(!WeightStore().load(*good, *context).ok());
}

TEST_CASE("a model is planned although the data of its weights is missing") {
  const TempFolder folder;
  OnnxMaker m(21);
  m.opset("com.microsoft", 1).input("x", {1, 32}).output("y").output("z");
  m.external_weight("w", {32, 8}, {{"location", "model.onnx.data"}});
  m.external_weight("b", {8}, {{"location", "model.onnx.data"}, {"offset", "1024"}});
  m.external_weight("codes", {4, 1, 16}, {{"location", "codes.data"}}, kUint8);
  m.external_weight("scales", {4}, {{"location", "codes.data"}, {"offset", "64"}});
  m.external_weight("int4", {4}, {{"location", "codes.data"}, {"offset", "80"}}, kInt4);
  m.node("MatMul", {"x", "w"}, {"p"}).node("Add", {"p", "b"}, {"y"});
  m.node("MatMulNBits", {"x", "codes", "scales"}, {"q"},
         {{"K", int64_t{32}}, {"N", int64_t{4}}, {"bits", int64_t{4}}, {"block_size", int64_t{32}}}, "",
         "com.microsoft");
  m.node("Cast", {"int4"}, {"i"}, {{"to", int64_t{kFloat}}}).node("Add", {"q", "i"}, {"z"});
  auto model = m.open({}, folder.path());
  REQUIRE(model.ok());
  CHECK(model->problems.empty());
  CHECK(model->complete());
  CHECK_FALSE(model->runnable());
  CHECK(model->missing.tensors == 5);
  CHECK(model->missing.file == "model.onnx.data");
  CHECK(model->why_not_runnable() == "5 of its weights have no data: 'model.onnx.data' was not found");
  CHECK(to_string(model->outputs[0].sizes) == "[1, 8]");
  CHECK(to_string(model->outputs[1].sizes) == "[1, 4]");
  // With the files in their folder the same model runs: 4-bit weights are read from them too.
  std::ofstream(folder.path() / "model.onnx.data", std::ios::binary) << std::string(1056, '\0');
  std::ofstream(folder.path() / "codes.data", std::ios::binary) << std::string(80, '\0') << "\x21\xf3";
  model = m.open({}, folder.path());
  REQUIRE(model.ok());
  CHECK(model->runnable());
  CHECK(model->missing.tensors == 0);
}

TEST_CASE("unsupported operators are listed, and the model can be inspected") {
  OnnxMaker m;
  m.input("x", {2, 2}).output("y", {2, 2}).value("b", {2, 2});
  m.node("Relu", {"x"}, {"a"}, {}, "first")
      .node("Mystery", {"a"}, {"b"}, {}, "second")
      .node("Neg", {"b"}, {"c"})
      .node("Foo", {"c"}, {"y"}, {}, "", "com.acme");
  auto model = m.open();
  REQUIRE(model.ok());
  CHECK(!model->runnable());
  CHECK(model->unsupported == std::map<std::string, int64_t>{{"Mystery", 1}, {"com.acme::Foo", 1}});
  REQUIRE(model->problems.size() == 2);
  CHECK(says(model->problems[0], "'second'"));
  REQUIRE(model->graph.defined());
  CHECK(model->graph.nodes().size() == 4);  // declared shapes let the neighbours be lowered
  CHECK(model->graph.nodes()[1]->op == Op::Opaque);
  CHECK(to_string(model->outputs[0].sizes) == "[2, 2]");
}

TEST_CASE("operators that are not supported are nodes with their name, and their size if the file declares it") {
  OnnxMaker m(17);
  m.input("x", {2, 2}).input("s", {3}, kString).output("z", {2, 2}).output("s2", {}, kString).output("u", {-9, 4});
  m.input("n", {-1});
  m.value("v", {-1, 4}).value("free", {-9, 4});  // n1 is the size of an input, n9 is not
  m.node("Relu", {"x"}, {"y"})
      .node("FlashThing", {"y"}, {"z"}, {}, "custom", "com.acme")
      .node("StringNormalizer", {"s"}, {"s2"}, {}, "sn")
      .node("FlashThing", {"n"}, {"v"}, {}, "", "com.acme")
      .node("FlashThing", {"n"}, {"free"}, {}, "", "com.acme")
      .node("Neg", {"free"}, {"u"});
  OpenOptions options;
  options.dims = {{"n1", 5}};
  auto model = m.open(options);
  REQUIRE(model.ok());
  CHECK_FALSE(model->complete());
  CHECK(model->node_count == 6);
  CHECK(model->unknown_sizes == std::vector<std::string>{"s2", "free", "u"});
  REQUIRE(model->graph.defined());
  std::map<std::string, std::string> seen;
  for (const TensorImpl* node : model->graph.nodes())
    seen[node->name.str()] = ops_text(*node) + (has_unknown_size(*node) ? " ?" : " " + to_string(node->sizes));
  CHECK(seen == std::map<std::string, std::string>{{"y", "RELU [2, 2]"},
                                                   {"z", "com.acme::FlashThing [2, 2]"},
                                                   {"s2", "StringNormalizer ?"},
                                                   {"v", "com.acme::FlashThing [5, 4]"},
                                                   {"free", "com.acme::FlashThing ?"},
                                                   {"u", "Neg ?"}});
  for (const TensorImpl* node : model->graph.nodes()) CHECK(node->sources.size() == 1);
  CHECK(model->graph.leafs().size() == 3);
}

TEST_CASE("nodes that would be deferred are shown if another node is not supported") {
  OnnxMaker m(17);
  m.input("x", {4}).output("t", {-8, 1}, kInt64);
  m.node("NonZero", {"x"}, {"places"}).node("Transpose", {"places"}, {"t"});
  auto supported = m.open();
  REQUIRE(supported.ok());
  CHECK(supported->deferred != nullptr);
  m.output("z", {4}).node("FlashThing", {"x"}, {"z"}, {}, "", "com.acme");
  auto model = m.open();
  REQUIRE(model.ok());
  CHECK(model->deferred == nullptr);
  std::map<std::string, std::string> seen;
  for (const TensorImpl* node : model->graph.nodes()) seen[node->name.str()] = ops_text(*node);
  CHECK(seen.at("places") == "NonZero");
  CHECK(seen.at("t") == "Transpose");
  CHECK(seen.at("z") == "com.acme::FlashThing");
  CHECK(model->unknown_sizes == std::vector<std::string>{"places", "t"});
}

TEST_CASE("a shape error names the node, and its inputs and their shapes in the file's order") {
  const auto problem = [](OnnxMaker& m) {
    auto model = m.output("y").open();
    REQUIRE(model.ok());
    REQUIRE(model->problems.size() == 1);
    return model->problems[0];
  };
  const auto made = [&](const char* op, const Ints& x, const Ints& w, const std::vector<Attr>& attributes = {}) {
    OnnxMaker m(17);
    m.input("x", x).weight("w", w, std::vector<float>(static_cast<size_t>(element_count(Dims(w)))));
    m.node(op, {"x", "w"}, {"y"}, attributes, "n");
    return problem(m);
  };
  CHECK(made("MatMul", {2, 3}, {4, 5}) == "MatMul 'n': inner dimensions differ: x is 2×3, w is 4×5");
  CHECK(made("MatMul", {3}, {4, 5}) == "MatMul 'n': inner dimensions differ: x is [3], w is 4×5");
  CHECK(made("Gemm", {2, 3}, {5, 4}, {{"transB", int64_t{1}}}) ==
        "Gemm 'n': inner dimensions differ: x is 2×3, w is 5×4");
  CHECK(made("Add", {2, 3}, {4, 5}) == "Add 'n': shapes do not broadcast: x is 2×3, w is 4×5");
  CHECK(made("Max", {2, 3}, {4, 5}) == "Max 'n': shapes do not broadcast: x is 2×3, w is 4×5");
  CHECK(made("Concat", {2, 3}, {4, 5}, {{"axis", int64_t{0}}}) ==
        "Concat 'n': sizes differ in a dimension other than axis 0: x is 2×3, w is 4×5");
  CHECK(made("Conv", {1, 3, 8, 8}, {2, 4, 3, 3}) ==
        "Conv 'n': the weight reads 4 channels in each of 1 groups, the input has 3: x is 1×3×8×8, w is 2×4×3×3");
  CHECK(says(made("PRelu", {2, 3}, {4}), "x is 2×3, w is [4]"));
  OnnxMaker m(17);
  m.input("x", {2, 3}).weight("shape", {2}, Ints{4, 5}).node("Reshape", {"x", "shape"}, {"y"});
  CHECK(problem(m) == "Reshape that makes 'y': 6 elements do not fit in the shape [4, 5]: x is 2×3, shape is [2]");
}

TEST_CASE("inputs of other kinds than numeric tensors are problems, not errors") {
  OnnxMaker text;
  text.input("x", {2}, kString).output("y").node("Identity", {"x"}, {"y"});
  auto model = text.open();
  REQUIRE(model.ok());
  CHECK(!model->runnable());
  CHECK(says(model->problems.at(0), "--input x=FILE.pb"));
}

TEST_CASE("impossibly large tensors are errors without an allocation") {
  OnnxMaker fill, expand;
  fill.output("y").weight("s", {2}, std::vector<int64_t>{1 << 20, 1 << 20}).node("ConstantOfShape", {"s"}, {"y"});
  auto model = fill.open();
  REQUIRE(model.ok());
  CHECK(!model->runnable());
  expand.input("x", {1}).output("y").weight("s", {3}, std::vector<int64_t>{int64_t{1} << 31, int64_t{1} << 31, 4});
  expand.node("Expand", {"x", "s"}, {"y"});
  model = expand.open();
  REQUIRE(model.ok());
  CHECK(!model->runnable());
}

TEST_CASE("an output that is an input, constant or duplicate is copied, so that each output owns its bytes") {
  OnnxMaker m;
  m.input("x", {2}).output("a").output("b").output("c").output("d").weight("w", {2}, std::vector<float>{1, 2});
  m.node("Identity", {"x"}, {"a"})
      .node("Identity", {"w"}, {"b"})
      .node("Relu", {"x"}, {"c"})
      .node("Identity", {"c"}, {"d"});
  auto model = m.open();
  REQUIRE(model.ok());
  CHECK(model->runnable());
  for (const ValueInfo& output : model->outputs) CHECK(output.tensor->op != Op::None);
  CHECK(!(model->outputs[2].tensor == model->outputs[3].tensor));
}
