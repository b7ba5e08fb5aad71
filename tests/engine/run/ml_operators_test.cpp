// SPDX-License-Identifier: MIT
// Numeric operators of ai.onnx.ml, compared with results of ONNX Runtime 1.32 for the same files.
#include <cmath>

#include <doctest/doctest.h>

#include "file_runs.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::OnnxMaker;
using Numbers = std::vector<double>;
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;
using Texts = std::vector<std::string>;
using Attrs = std::vector<Attr>;

const double kNan = std::nan("");
const Numbers kRows{0.9, 0.9, 0, -0.6, -1.3, -0.3, -0.3, -1.4, -1.4};
const Numbers kRowsWithNan{kNan, 0.9, 0, -0.6, -1.3, -0.3, -0.3, -1.4, -1.4};

struct Case {
  std::string op;
  Attrs attributes;
  Numbers x, y, scores;
  Ints sizes = {3, 3};
};

// Two trees: one of two tests and three leaves, one of a test and two.
Attrs with_trees(Attrs more) {
  const Attrs trees{
      {"nodes_treeids", Ints{0, 0, 0, 0, 0, 1, 1, 1}},
      {"nodes_nodeids", Ints{0, 1, 2, 3, 4, 0, 1, 2}},
      {"nodes_featureids", Ints{0, 0, 2, 0, 0, 1, 0, 0}},
      {"nodes_modes", Texts{"BRANCH_LEQ", "LEAF", "BRANCH_GT", "LEAF", "LEAF", "BRANCH_LT", "LEAF", "LEAF"}},
      {"nodes_values", Floats{0.1f, 0.0f, -0.2f, 0.0f, 0.0f, 0.3f, 0.0f, 0.0f}},
      {"nodes_truenodeids", Ints{1, 0, 3, 0, 0, 1, 0, 0}},
      {"nodes_falsenodeids", Ints{2, 0, 4, 0, 0, 2, 0, 0}},
      {"nodes_missing_value_tracks_true", Ints{1, 0, 0, 0, 0, 0, 0, 0}},
  };
  more.insert(more.end(), trees.begin(), trees.end());
  return more;
}

std::vector<Case> cases() {
  return {
      {"Scaler",
       {{"offset", Floats{0.5f, -1.0f, 0.2f}}, {"scale", Floats{2.0f, 0.5f, -1.0f}}},
       kRows,
       {0.8, 0.95, 0.2, -2.2, -0.15, 0.5, -1.6, -0.2, 1.6},
       {}},
      {"Normalizer", {{"norm", std::string("MAX")}}, kRows, {1, 1, 0, 2, 4.33333, 1, 1, 4.66667, 4.66667}, {}},
      {"Normalizer",
       {{"norm", std::string("L1")}},
       kRows,
       {0.5, 0.5, 0, -0.272727, -0.590909, -0.136364, -0.0967742, -0.451613, -0.451613},
       {}},
      {"Normalizer",
       {{"norm", std::string("L2")}},
       kRows,
       {0.707107, 0.707107, 0, -0.410152, -0.888662, -0.205076, -0.149813, -0.699127, -0.699127},
       {}},
      {"Imputer",
       {{"imputed_value_floats", Floats{0.5f, 1.0f, 2.0f}}, {"replaced_value_float", std::nanf("")}},
       kRowsWithNan,
       {0.5, 0.9, 0, -0.6, -1.3, -0.3, -0.3, -1.4, -1.4},
       {}},
      {"LinearRegressor",
       {{"coefficients", Floats{0.5f, 1.1f, -0.8f, 1.2f, 1.1f, -1.4f}},
        {"intercepts", Floats{0.5f, -0.5f}},
        {"targets", int64_t{2}}},
       kRows,
       {1.94, 1.57, -0.99, -2.23, -0.0700001, -0.44},
       {}},
      {"LinearClassifier",
       {{"coefficients", Floats{0.6f, -1.5f, 0.0f, -0.2f, -0.9f, -0.5f, 0.9f, -0.6f, -1.1f}},
        {"intercepts", Floats{0.1f, 0.2f, -0.1f}},
        {"classlabels_ints", Ints{4, 9, 2}},
        {"post_transform", std::string("SOFTMAX")}},
       kRows,
       {2, 4, 9},
       {0.230733, 0.212993, 0.556274, 0.445145, 0.423435, 0.13142, 0.311386, 0.380327, 0.308287}},
      {"LinearClassifier",
       {{"coefficients", Floats{0.6f, -0.2f, 0.9f}},
        {"intercepts", Floats{0.2f}},
        {"classlabels_ints", Ints{4, 9}},
        {"post_transform", std::string("LOGISTIC")}},
       kRows,
       {9, 4, 4},
       {0.363547, 0.636453, 0.542398, 0.457602, 0.723122, 0.276878}},
      {"SVMRegressor",
       {{"kernel_type", std::string("RBF")},
        {"kernel_params", Floats{0.5f, 0.3f, 2.0f}},
        {"support_vectors",
         Floats{1.5f, 0.5f, -0.8f, -0.2f, 1.4f, 1.2f, 1.0f, -0.3f, -0.0f, 0.5f, -1.3f, 0.2f, -0.7f, 1.1f, -1.3f}},
        {"coefficients", Floats{-0.8f, -0.5f, 0.9f, 0.0f, 0.0f}},
        {"n_supports", int64_t{5}},
        {"rho", Floats{0.3f}}},
       kRows,
       {0.170688, 0.425778, 0.357147},
       {}},
      {"SVMRegressor",
       {{"kernel_type", std::string("POLY")},
        {"kernel_params", Floats{0.5f, 0.3f, 2.0f}},
        {"support_vectors",
         Floats{1.5f, 0.5f, -0.8f, -0.2f, 1.4f, 1.2f, 1.0f, -0.3f, -0.0f, 0.5f, -1.3f, 0.2f, -0.7f, 1.1f, -1.3f}},
        {"coefficients", Floats{-0.8f, -1.5f, 1.3f, -1.2f, 1.0f}},
        {"n_supports", int64_t{5}},
        {"rho", Floats{0.3f}},
        {"one_class", int64_t{1}}},
       kRows,
       {-1, -1, -1},
       {}},
      {"SVMClassifier",
       {{"kernel_type", std::string("SIGMOID")},
        {"kernel_params", Floats{0.5f, 0.3f, 2.0f}},
        {"classlabels_ints", Ints{7, 3}},
        {"vectors_per_class", Ints{2, 3}},
        {"support_vectors",
         Floats{1.5f, 0.5f, -0.8f, -0.2f, 1.4f, 1.2f, 1.0f, -0.3f, -0.0f, 0.5f, -1.3f, 0.2f, -0.7f, 1.1f, -1.3f}},
        {"coefficients", Floats{-0.4f, 1.4f, -0.3f, 1.3f, 0.2f}},
        {"rho", Floats{-0.8f}}},
       kRows,
       {3, 3, 3},
       {0.326278, -0.326278, 0.625292, -0.625292, 1.19254, -1.19254}},
      {"SVMClassifier",
       {{"kernel_type", std::string("RBF")},
        {"kernel_params", Floats{0.5f, 0.3f, 2.0f}},
        {"classlabels_ints", Ints{7, 3, 5}},
        {"vectors_per_class", Ints{2, 2, 1}},
        {"support_vectors",
         Floats{1.5f, 0.5f, -0.8f, -0.2f, 1.4f, 1.2f, 1.0f, -0.3f, -0.0f, 0.5f, -1.3f, 0.2f, -0.7f, 1.1f, -1.3f}},
        {"coefficients", Floats{0.7f, 0.5f, 0.6f, -0.1f, -0.8f, 0.4f, -1.2f, 0.6f, 0.4f, -0.4f}},
        {"rho", Floats{0.9f, -0.9f, -0.3f}}},
       kRows,
       {5, 5, 5},
       {1.69176, -1.05118, -0.0240487, 0.965932, -0.928794, -0.0240569, 0.9521, -0.922217, -0.182965}},
      {"SVMClassifier",
       {{"kernel_type", std::string("LINEAR")},
        {"kernel_params", Floats{0.5f, 0.3f, 2.0f}},
        {"classlabels_ints", Ints{7, 3, 5}},
        {"vectors_per_class", Ints{2, 2, 1}},
        {"support_vectors",
         Floats{1.5f, 0.5f, -0.8f, -0.2f, 1.4f, 1.2f, 1.0f, -0.3f, -0.0f, 0.5f, -1.3f, 0.2f, -0.7f, 1.1f, -1.3f}},
        {"coefficients", Floats{0.9f, -0.4f, 0.6f, 0.3f, 1.3f, 1.5f, 0.7f, 0.9f, -1.0f, 0.6f}},
        {"rho", Floats{1.0f, -0.3f, 0.2f}},
        {"prob_a", Floats{-1.2f, -0.7f, -1.0f}},
        {"prob_b", Floats{0.1f, -0.2f, 0.3f}}},
       kRows,
       {7, 5, 5},
       {0.895258, 0.0632046, 0.0415375, 0.0610541, 0.0806603, 0.858286, 0.212, 0.103356, 0.684645}},
      {"TreeEnsembleRegressor",
       with_trees({{"target_treeids", Ints{0, 0, 0, 1, 1}},
                   {"target_nodeids", Ints{1, 3, 4, 1, 2}},
                   {"target_ids", Ints{0, 0, 0, 0, 0}},
                   {"target_weights", Floats{0.5f, -1.0f, 0.7f, 0.2f, -0.4f}},
                   {"n_targets", int64_t{1}}}),
       kRowsWithNan,
       {0.1, 0.7, 0.7},
       {}},
      {"TreeEnsembleRegressor",
       with_trees({{"target_treeids", Ints{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}},
                   {"target_nodeids", Ints{1, 1, 3, 3, 4, 4, 1, 1, 2, 2}},
                   {"target_ids", Ints{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}},
                   {"target_weights", Floats{0.5f, 0.2f, 0.1f, 0.9f, 0.7f, 0.3f, 0.2f, 0.6f, 0.4f, 0.8f}},
                   {"n_targets", int64_t{2}},
                   {"aggregate_function", std::string("AVERAGE")},
                   {"base_values", Floats{0.5f, 1.0f}}}),
       kRowsWithNan,
       {0.95, 1.5, 0.85, 1.4, 0.85, 1.4},
       {}},
      {"TreeEnsembleRegressor",
       with_trees({{"target_treeids", Ints{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}},
                   {"target_nodeids", Ints{1, 1, 3, 3, 4, 4, 1, 1, 2, 2}},
                   {"target_ids", Ints{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}},
                   {"target_weights", Floats{0.5f, 0.2f, 0.1f, 0.9f, 0.7f, 0.3f, 0.2f, 0.6f, 0.4f, 0.8f}},
                   {"n_targets", int64_t{2}},
                   {"aggregate_function", std::string("MAX")}}),
       kRowsWithNan,
       {0.5, 0.8, 0.5, 0.6, 0.5, 0.6},
       {}},
      {"TreeEnsembleRegressor",
       with_trees({{"target_treeids", Ints{0, 0, 0, 0, 0, 0, 1, 1, 1, 1}},
                   {"target_nodeids", Ints{1, 1, 3, 3, 4, 4, 1, 1, 2, 2}},
                   {"target_ids", Ints{0, 1, 0, 1, 0, 1, 0, 1, 0, 1}},
                   {"target_weights", Floats{0.5f, 0.2f, 0.1f, 0.9f, 0.7f, 0.3f, 0.2f, 0.6f, 0.4f, 0.8f}},
                   {"n_targets", int64_t{2}},
                   {"aggregate_function", std::string("MIN")},
                   {"post_transform", std::string("SOFTMAX")}}),
       kRowsWithNan,
       {0.549834, 0.450166, 0.5, 0.5, 0.5, 0.5},
       {}},
      {"TreeEnsembleClassifier",
       with_trees({{"class_treeids", Ints{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}},
                   {"class_nodeids", Ints{1, 1, 1, 3, 3, 3, 4, 4, 4, 1, 1, 1, 2, 2, 2}},
                   {"class_ids", Ints{0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2}},
                   {"class_weights",
                    Floats{0.5f, 0.2f, 0.1f, 0.9f, 0.7f, 0.3f, 0.2f, 0.6f, 0.4f, 0.8f, 0.1f, 0.3f, 0.6f, 0.2f, 0.5f}},
                   {"classlabels_int64s", Ints{4, 9, 2}},
                   {"post_transform", std::string("SOFTMAX_ZERO")}}),
       kRowsWithNan,
       {4, 4, 4},
       {0.475485, 0.236119, 0.288396, 0.563555, 0.20732, 0.229124, 0.563555, 0.20732, 0.229124}},
      {"TreeEnsembleClassifier",
       with_trees({{"class_treeids", Ints{0, 0, 0, 1, 1}},
                   {"class_nodeids", Ints{1, 3, 4, 1, 2}},
                   {"class_ids", Ints{0, 0, 0, 0, 0}},
                   {"class_weights", Floats{0.5f, -1.0f, 0.7f, 0.2f, -0.4f}},
                   {"classlabels_int64s", Ints{4, 9}},
                   {"post_transform", std::string("LOGISTIC")}}),
       kRowsWithNan,
       {9, 9, 9},
       {0.475021, 0.524979, 0.331812, 0.668188, 0.331812, 0.668188}},
      {"TreeEnsembleClassifier",
       with_trees({{"class_treeids", Ints{0, 0, 0, 1, 1}},
                   {"class_nodeids", Ints{1, 3, 4, 1, 2}},
                   {"class_ids", Ints{1, 1, 1, 1, 1}},
                   {"class_weights", Floats{0.5f, -1.0f, 0.7f, 0.2f, -0.4f}},
                   {"classlabels_int64s", Ints{4, 9}},
                   {"post_transform", std::string("NONE")}}),
       kRowsWithNan,
       {9, 9, 9},
       {0, 0.1, 0, 0.7, 0, 0.7}},
      {"LabelEncoder",
       {{"keys_floats", Floats{0.5f, 1.0f, -2.0f}},
        {"values_int64s", Ints{10, 20, 30}},
        {"default_int64", int64_t{-7}}},
       {1, 0.5, 3, -2, 0, 1},
       {20, 10, -7, 30, -7, 20},
       {},
       {2, 3}},
      {"OneHotEncoder",
       {{"cats_int64s", Ints{3, 0, 2}}},
       {0, 3, 1, 2},
       {0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1},
       {},
       {2, 2}},
  };
}

Results run_case(const Case& c, int64_t opset = 4) {
  OnnxMaker m(15);
  m.opset("ai.onnx.ml", opset).input("x", c.sizes).output("y");
  std::vector<std::string> outputs{"y"};
  if (!c.scores.empty()) outputs.emplace_back("s"), m.output("s");
  m.node(c.op, {"x"}, outputs, c.attributes, "", "ai.onnx.ml");
  return run_file(m, {{"x", c.x}});
}

Attrs without(Attrs attributes, const std::string& name) {
  std::erase_if(attributes, [&](const Attr& a) { return a.name == name; });
  return attributes;
}

}  // namespace

TEST_CASE("models and encoders of ai.onnx.ml") {
  for (const Case& c : cases()) {
    CAPTURE(c.op);
    const Results made = run_case(c);
    CHECK(made.refused == "");
    if (!made.refused.empty()) continue;
    check_near(made.numbers.at("y"), c.y, 1e-4);
    if (!c.scores.empty()) check_near(made.numbers.at("s"), c.scores, 1e-4);
  }
}

TEST_CASE("incomplete operators of ai.onnx.ml are errors") {
  for (const Case& c : cases()) {
    for (const char* name :
         {"coefficients", "support_vectors", "class_ids", "target_nodeids", "nodes_modes", "nodes_truenodeids",
          "keys_floats", "cats_int64s", "classlabels_ints", "classlabels_int64s", "imputed_value_floats"}) {
      Case less = c;
      less.attributes = without(c.attributes, name);
      if (less.attributes.size() == c.attributes.size()) continue;
      CAPTURE(c.op);
      CAPTURE(name);
      const std::string refused = run_case(less).refused;
      CHECK_FALSE(refused.empty());
      CHECK(refused.find('\n') == std::string::npos);
    }
    if (c.op.starts_with("TreeEnsemble")) {  // cycles, missing nodes, and a missing column
      for (const auto& [name, numbers] : {std::pair{"nodes_truenodeids", Ints{1, 0, 0, 0, 0, 1, 0, 0}},
                                          {"nodes_truenodeids", Ints{1, 0, 9, 0, 0, 1, 0, 0}},
                                          {"nodes_featureids", Ints{0, 0, 3, 0, 0, 1, 0, 0}},
                                          {"nodes_nodeids", Ints{0, 1, 1, 3, 4, 0, 1, 2}}}) {
        Case odd = c;
        odd.attributes = without(c.attributes, name);
        odd.attributes.push_back({name, numbers});
        CHECK_FALSE(run_case(odd).refused.empty());
      }
    }
    Case wide = c;
    wide.sizes = {1, 1, 1, 9};
    if (c.op != "LabelEncoder" && c.op != "OneHotEncoder" && c.op != "Scaler" && c.op != "Imputer" && c.x.size() == 9)
      CHECK_FALSE(run_case(wide).refused.empty());
  }
  OnnxMaker m(15);
  m.opset("ai.onnx.ml", 1).input("x", {2, 2}).input("z", {2, 3}).output("y");
  m.node("FeatureVectorizer", {"x", "z"}, {"y"}, {{"inputdimensions", Ints{2, 4}}}, "", "ai.onnx.ml");
  const Results made = run_file(m, {{"x", {1, 2, 3, 4}}, {"z", {5, 6, 7, 8, 9, 10}}});
  CHECK(made.numbers.at("y") == Numbers{1, 2, 5, 6, 7, 0, 3, 4, 8, 9, 10, 0});
  // An input of more dimensions, such as OneHotEncoder's result, has the elements of a row as columns.
  OnnxMaker deep(15);
  deep.opset("ai.onnx.ml", 1).input("x", {2, 2, 1}).input("z", {2, 1, 3}).output("y");
  deep.node("FeatureVectorizer", {"x", "z"}, {"y"}, {{"inputdimensions", Ints{2, 3}}}, "", "ai.onnx.ml");
  const Results rows = run_file(deep, {{"x", {1, 2, 3, 4}}, {"z", {5, 6, 7, 8, 9, 10}}});
  CHECK(rows.numbers.at("y") == Numbers{1, 2, 5, 6, 7, 3, 4, 8, 9, 10});
}

// Numbers of ONNX Runtime 1.32 for the same files.
TEST_CASE("a linear model reads as many coefficients as its results and the input's columns need") {
  const Floats coefficients{0.5f, 1, -2, -1, 0.25f, -1.5f, 0.5f, -1.25f, -1.75f, -1, 2, 2.25f};
  const Numbers x{1, 2, 3, 4}, three{2.75, -3.5, -3.75, 5.75, -9.5, -6.25};
  const auto linear = [&](int64_t count, const Floats& intercepts, int64_t results, bool classifier = true) {
    const Floats used(coefficients.begin(), coefficients.begin() + count);
    Case c{classifier ? "LinearClassifier" : "LinearRegressor",
           {{"coefficients", used}, {"intercepts", intercepts}},
           x,
           {},
           classifier ? x : Numbers(),
           {2, 2}};
    Ints labels;
    for (int64_t i = 0; i < results; ++i) labels.push_back(i);
    c.attributes.push_back(classifier ? Attr{"classlabels_ints", labels} : Attr{"targets", results});
    return run_case(c, 1);
  };
  for (const Results& made : {linear(6, {0.25f, 0.5f, -1}, 3), linear(12, {0.25f, 0.5f, -1}, 3),
                              linear(12, {0.25f, 0.5f, -1}, 4), linear(9, {0.25f, 0.5f, -1}, 3)}) {
    REQUIRE(made.refused == "");
    check_near(made.numbers.at("y"), {0, 0});
    check_near(made.numbers.at("s"), three);
  }
  const Results two = linear(12, {0.25f, 0.5f}, 3), second = linear(4, {0.25f}, 2);
  REQUIRE(two.refused == "");
  check_near(two.numbers.at("s"), {2.75, -3.5, 5.75, -9.5});
  REQUIRE(second.refused == "");
  check_near(second.numbers.at("y"), {1, 1});
  check_near(second.numbers.at("s"), {-1.75, 2.75, -4.75, 5.75});
  const Results regressed = linear(12, {0.25f, 0.5f, -1}, 3, false), shifted = linear(6, {0.25f}, 3, false);
  REQUIRE(regressed.refused == "");
  check_near(regressed.numbers.at("y"), three);
  REQUIRE(shifted.refused == "");  // other numbers of intercepts than of targets are not read
  check_near(shifted.numbers.at("y"), {2.5, -4, -2.75, 5.5, -10, -5.25});
  CHECK(linear(7, {0.25f, 0.5f, -1}, 3).refused.find("expected 3 × 2 coefficients") != std::string::npos);
  CHECK(linear(5, {0.25f, 0.5f, -1}, 3, false).refused.find("found 5") != std::string::npos);
  CHECK(linear(12, {1, 2, 3, 4, 5, 6}, 3).refused.find("expected 6 labels") != std::string::npos);
  CHECK(linear(6, {0.25f}, 3).refused.find("expected 2 labels") != std::string::npos);
}

TEST_CASE("class labels may be strings") {
  int seen = 0;
  for (Case c : cases()) {
    for (Attr& attribute : c.attributes) {
      if (attribute.name != "classlabels_ints" && attribute.name != "classlabels_int64s") continue;
      Texts texts;
      for (const int64_t label : std::get<Ints>(attribute.value)) texts.push_back("class " + std::to_string(label));
      attribute = {"classlabels_strings", texts};
    }
    if (c.scores.empty()) continue;
    CAPTURE(c.op);
    const Results made = run_case(c);
    CHECK(made.refused == "");
    if (!made.refused.empty()) continue;
    Texts expected;
    for (const double label : c.y) expected.push_back("class " + std::to_string(static_cast<int64_t>(label)));
    CHECK(made.strings.at("y") == expected);
    ++seen;
  }
  CHECK(seen == 8);
}

TEST_CASE("a ZipMap output is the tensor of its probabilities") {
  OnnxMaker m(15);
  m.opset("ai.onnx.ml", 1)
      .input("x", {2, 2})
      .output("y")
      .node("ZipMap", {"x"}, {"y"}, {{"classlabels_int64s", Ints{0, 1}}}, "", "ai.onnx.ml");
  CHECK(run_file(m, {{"x", {0.25, 0.75, 0.5, 0.5}}}).numbers.at("y") == Numbers{0.25, 0.75, 0.5, 0.5});
}

TEST_CASE("a large tree ensemble becomes a few operators") {
  // A tree of 511 nodes that finds the index of x among 256: the leaf's number is that index.
  Ints trees, numbers, features, yes, no, weight_trees, weight_nodes, ids;
  Texts modes;
  Floats values, weights;
  const auto add = [&](int64_t low, int64_t high, const auto& self) -> int64_t {
    const auto own = static_cast<int64_t>(numbers.size());
    numbers.push_back(own), trees.push_back(0), features.push_back(0), yes.push_back(0), no.push_back(0);
    const bool leaf = high - low == 1;
    modes.emplace_back(leaf ? "LEAF" : "BRANCH_LT");
    values.push_back(leaf ? 0.0f : static_cast<float>((low + high) / 2));
    if (leaf) {
      weight_trees.push_back(0), weight_nodes.push_back(own), ids.push_back(0),
          weights.push_back(static_cast<float>(low));
      return own;
    }
    const int64_t below = self(low, (low + high) / 2, self), above = self((low + high) / 2, high, self);
    yes[static_cast<size_t>(own)] = below, no[static_cast<size_t>(own)] = above;
    return own;
  };
  add(0, 256, add);
  REQUIRE(numbers.size() == 511);
  Case c{"TreeEnsembleRegressor",
         {{"nodes_treeids", trees},
          {"nodes_nodeids", numbers},
          {"nodes_featureids", features},
          {"nodes_modes", modes},
          {"nodes_values", values},
          {"nodes_truenodeids", yes},
          {"nodes_falsenodeids", no},
          {"target_treeids", weight_trees},
          {"target_nodeids", weight_nodes},
          {"target_ids", ids},
          {"target_weights", weights}},
         {0.5, 17, 255.9, -3},
         {0, 17, 255, 0},
         {},
         {4, 1}};
  CHECK(run_case(c).numbers.at("y") == c.y);
}

}  // namespace arenascope::test
