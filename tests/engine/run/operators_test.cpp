// SPDX-License-Identifier: MIT
// Results of operators, compared with formulas and with ONNX Runtime: attributes of early opsets, loops with zero and many
// iterations, regions of different sizes, and many updates of one index.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <tuple>

#include <doctest/doctest.h>

#include "file_runs.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::OnnxMaker;
using Numbers = std::vector<double>;
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

Numbers of_one(const std::string& op, const Ints& sizes, const Numbers& x, const std::vector<Attr>& attributes,
               int64_t opset) {
  OnnxMaker m(opset);
  m.input("x", sizes).output("y").node(op, {"x"}, {"y"}, attributes);
  const Results made = run_file(m, {{"x", x}});
  CHECK(made.refused == "");
  return made.refused.empty() ? made.numbers.at("y") : Numbers();
}

constexpr Ints::value_type kIterations = 3000;

// A loop that doubles s in each iteration and stacks its previous values. `trip_count`: how the trip count is given.
Results run_loop(const std::string& trip_count, int64_t given, const Numbers& x) {
  OnnxMaker body(16);
  body.input("i", {}, models::test::kInt64).input("go", {}, models::test::kBool).input("s", {2});
  body.output("go_out", {}, models::test::kBool).output("s_out", {2}).output("each", {2});
  body.node("Identity", {"go"}, {"go_out"}).node("Add", {"s", "s"}, {"s_out"}).node("Identity", {"s"}, {"each"});
  OnnxMaker m(16);
  m.input("x", {2}).output("y").output("all");
  std::vector<Given> inputs{{"x", x}};
  if (trip_count == "known") m.weight("n", {}, Ints{given});
  if (trip_count == "input" || trip_count == "assumed") m.input("n", {}, models::test::kInt64);
  if (trip_count == "made") {  // how many of x are not zero
    m.node("NonZero", {"x"}, {"places"}).node("Shape", {"places"}, {"sizes"}).weight("one", {}, Ints{1});
    m.node("Gather", {"sizes", "one"}, {"n"});
  }
  m.node("Loop", {"n", "", "x"}, {"y", "all"}, {{"body", &body}});
  return run_file(m, inputs);
}

}  // namespace

TEST_CASE("attributes of early opsets keep their meaning") {
  const Numbers x{-2, -0.5, 0.25, 3};
  check_near(of_one("Affine", {4}, x, {{"alpha", 2.0f}, {"beta", 0.5f}}, 6), {-3.5, -0.5, 1, 6.5});
  Numbers tanh, softplus;
  for (const double v : x)
    tanh.push_back(1.5 * std::tanh(0.5 * v)), softplus.push_back(2 * std::log1p(std::exp(0.5 * v)));
  check_near(of_one("ScaledTanh", {4}, x, {{"alpha", 1.5f}, {"beta", 0.5f}}, 6), tanh);
  check_near(of_one("ParametricSoftplus", {4}, x, {{"alpha", 2.0f}, {"beta", 0.5f}}, 6), softplus);
  check_near(of_one("ImageScaler", {1, 2, 1, 2}, x, {{"scale", 2.0f}, {"bias", Floats{1, -1}}}, 6), {-3, 0, -0.5, 5});
  Numbers image(12);
  std::iota(image.begin(), image.end(), 0.0);
  check_near(of_one("Crop", {1, 1, 3, 4}, image, {{"border", Ints{1, 1, 0, 1}}}, 6), {5, 6, 7});
  check_near(of_one("Crop", {1, 1, 3, 4}, image, {{"border", Ints{1, 0, 0, 0}}, {"scale", Ints{2, 2}}}, 6),
             {1, 2, 5, 6});
  check_near(of_one("Scale", {4}, x, {{"scale", 2.0f}}, 6), {-4, -1, 0.5, 6});
  for (const char* between : {"MemcpyToHost", "MemcpyFromHost"}) check_near(of_one(between, {4}, x, {}, 6), x);
  check_near(of_one("Cast", {4}, x, {{"to", std::string("INT32")}}, 5), {-2, 0, 0, 3});
  check_near(of_one("Upsample", {1, 1, 1, 2}, {1, 2},
                    {{"height_scale", 2.0f}, {"width_scale", 2.0f}, {"mode", std::string("nearest")}}, 1),
             {1, 1, 2, 2, 1, 1, 2, 2});
  OnnxMaker slice(9);
  slice.input("x", {2, 3})
      .output("y")
      .weight("from", {1}, Ints{1})
      .weight("to", {1}, Ints{3})
      .weight("axis", {1}, Ints{1});
  slice.node("DynamicSlice", {"x", "from", "to", "axis"}, {"y"});
  check_near(run_file(slice, {{"x", {1, 2, 3, 4, 5, 6}}}).numbers.at("y"), {2, 3, 5, 6});
  OnnxMaker m(6);
  m.input("x", {1, 2, 1, 2}).output("y").weight("slope", {2}, Floats{0.5f, 2}).node("PRelu", {"x", "slope"}, {"y"});
  check_near(run_file(m, {{"x", {-2, 1, -3, -4}}}).numbers.at("y"), {-1, 1, -6, -8});
  OnnxMaker crop(6);
  crop.input("x", {1, 1, 3, 4}).output("y").node("Crop", {"x"}, {"y"}, {{"border", Ints{3, 0, 2, 0}}});
  CHECK_FALSE(run_file(crop, {}).refused.empty());
}

TEST_CASE("loops run zero, many and input-defined numbers of iterations") {
  const Results none = run_loop("known", 0, {1, 2});
  CHECK(none.numbers.at("y") == Numbers{1, 2});
  CHECK(none.sizes.at("all") == Dims{0, 2});
  const Results made = run_loop("made", 0, {0, 0});
  CHECK(made.refused == "");
  CHECK(made.numbers.at("y") == Numbers{0, 0});
  CHECK(made.sizes.at("all") == Dims{0, 2});
  CHECK(run_loop("made", 0, {3, 5}).numbers.at("all") == Numbers{3, 5, 6, 10});
  const Results once = run_loop("assumed", 0, {3, 5});
  CHECK(once.numbers.at("y") == Numbers{6, 10});
  const Results often = run_loop("known", kIterations, {0, 0});
  CHECK(often.refused == "");
  CHECK(often.sizes.at("all") == Dims{kIterations, 2});
}

TEST_CASE("index inputs select elements once they are known") {
  OnnxMaker m(18);
  m.input("x", {4}).input("i", {2, 1}, models::test::kInt64).input("u", {2}).output("y");
  m.node("ScatterND", {"x", "i", "u"}, {"y"});
  const Results made = run_file(m, {{"x", {1, 2, 3, 4}}, {"i", {3, 0}}, {"u", {7, 8}}});
  CHECK(made.refused == "");
  CHECK(made.numbers.at("y") == Numbers{8, 2, 3, 7});
  const Results odd = run_file(m, {{"x", {1, 2, 3, 4}}, {"i", {3, 9}}, {"u", {7, 8}}});
  CHECK(odd.refused.find("index 9 is out of range for an axis of size 4") != std::string::npos);
}

TEST_CASE("QuantizeLinear with and without a zero point") {
  const double nan = std::nan(""), far = INFINITY;
  const Numbers x{0.25, 0.75, -0.25, -0.75, 1.25, 1e9, -1e9, far, -far, nan, 63.5, 64, -63.75, -64.25, 0.26, -0.0, 5};
  const Numbers rounded{0, 2, 0, -2, 2, 2e9, -2e9, far, -far, nan, 127, 128, -128, -128, 1, 0, 10};
  struct Kind {
    int64_t type;
    double zero, low, high;
  };
  for (const Kind& k : {Kind{2, 3, 0, 255}, {2, 0, 0, 255}, {3, -5, -128, 127}, {3, 0, -128, 127}}) {
    OnnxMaker m(21);
    m.input("x", {17}).output("y", {17}, static_cast<int>(k.type)).weight("s", {}, Floats{0.5f});
    std::vector<std::string> sources{"x", "s"};
    std::vector<Attr> attributes;
    if (k.zero != 0) {
      m.weight("number", {}, Floats{static_cast<float>(k.zero)}).node("Cast", {"number"}, {"z"}, {{"to", k.type}});
      sources.emplace_back("z");
    } else {
      attributes.push_back({"output_dtype", k.type});
    }
    m.node("QuantizeLinear", sources, {"y"}, attributes);
    const Results made = run_file(m, {{"x", x}});
    CHECK(made.refused == "");
    if (!made.refused.empty()) continue;
    Numbers expected;
    for (const double r : rounded) expected.push_back(std::isnan(r) ? 0 : std::clamp(r + k.zero, k.low, k.high));
    CHECK(made.numbers.at("y") == expected);
  }
}

TEST_CASE("many updates of one element are reduced, in groups beyond a limit") {
  constexpr int64_t kUpdates = 300;
  for (const char* reduction : {"add", "mul", "max", "min"}) {
    CAPTURE(reduction);
    Floats updates;
    Ints places;
    Numbers expected{0.5, -2, 1.5};
    for (int64_t i = 0; i < kUpdates; ++i) {
      const double update = 1 + 0.01 * std::sin(static_cast<double>(i));
      updates.push_back(static_cast<float>(update)), places.push_back(i % 7 == 0 ? 2 : 1);
      double& at = expected[static_cast<size_t>(places.back())];
      const std::string by = reduction;
      at = by == "add"   ? at + update
           : by == "mul" ? at * update
           : by == "max" ? std::max(at, update)
                         : std::min(at, update);
    }
    OnnxMaker m(18);
    m.input("x", {3}).weight("i", {kUpdates}, places).weight("u", {kUpdates}, updates).output("y");
    m.node("ScatterElements", {"x", "i", "u"}, {"y"}, {{"reduction", std::string(reduction)}});
    check_near(run_file(m, {{"x", {0.5, -2, 1.5}}}).numbers.at("y"), expected);
  }
}

TEST_CASE("RoiAlign adapts its samples to the region size, MaxRoiPool its elements") {
  Floats image;
  for (int64_t i = 0; i < 2 * 6 * 7; ++i) image.push_back(static_cast<float>(i * 37 % 101) / 10);
  const auto roi = [&](const std::string& op, const Numbers& regions, const std::vector<Attr>& attributes, bool known) {
    const auto count = static_cast<int64_t>(regions.size()) / (op == "RoiAlign" ? 4 : 5);
    OnnxMaker m(16);
    m.input("x", {1, 2, 6, 7}).output("y");
    const Ints sizes{count, op == "RoiAlign" ? 4 : 5};
    std::vector<Given> given{{"x", {image.begin(), image.end()}}};
    if (known)
      m.weight("r", sizes, Floats(regions.begin(), regions.end()));
    else
      m.input("r", sizes), given.push_back({"r", regions});
    std::vector<std::string> inputs{"x", "r"};
    if (op == "RoiAlign") m.weight("b", {count}, Ints(static_cast<size_t>(count), 0)), inputs.emplace_back("b");
    m.node(op, inputs, {"y"}, attributes);
    const Results made = run_file(m, given);
    CHECK(made.refused == "");
    return made.refused.empty() ? made.numbers.at("y") : Numbers();
  };
  const Numbers mean{5.55556, 4.14444, 4.89167, 4.95347, 5.3875,  4.95833, 4.72361, 5.27639,
                     3.14141, 5.25359, 4.26594, 6.44125, 6.34703, 5.79219, 2.92656, 5.03875};
  const Numbers most{3.9875,  3.07083, 4.58333, 3.66667, 3.3375,  3.7125,  3.75833, 3.7125,
                     4.26562, 5.30156, 4.82344, 5.46875, 7.59281, 4.74063, 4.18688, 4.89844};
  const Attr height{"output_height", int64_t{2}}, width{"output_width", int64_t{2}};
  const Numbers regions{0.5, 0.5, 5.5, 4.5, 1, 2, 2.5, 5.8};
  for (const bool known : {true, false}) {
    check_near(roi("RoiAlign", regions, {height, width, {"mode", std::string("avg")}}, known), mean);
    check_near(roi("RoiAlign", regions, {height, width, {"mode", std::string("max")}}, known), most);
  }
  const Numbers pooled{9.4, 7.4, 8.7, 8.7, 9.6, 8.6, 8.9, 9.9, 8.7, 9.7, 10, 7.3, 8.9, 9.9, 9.5, 8.5,
                       8,   8,   8,   8,   1.8, 1.8, 1.8, 1.8, 0,   0,   0,  0,   0,   0,   0,   0};
  for (const bool known : {true, false})
    check_near(roi("MaxRoiPool", {0, 0, 0, 4, 3, 0, 1, 2, 6, 5, 0, 3, 3, 3, 3, 0, 7, 7, 9, 9},
                   {{"pooled_shape", Ints{2, 2}}}, known),
               pooled);
}

namespace {

const Ints kNine(9, 2);

Numbers counted(size_t count) {
  Numbers out(count);
  std::iota(out.begin(), out.end(), 0.0);
  return out;
}

// The index in dimension d of element i of nine dimensions of size two.
size_t place(size_t i, size_t d) { return i >> (8 - d) & 1; }

Results of_nine(const std::vector<std::pair<std::string, std::vector<Attr>>>& nodes, const Ints& sizes = kNine) {
  OnnxMaker m(13);
  m.input("x", sizes).output("y");
  m.weight("w", {2, 1, 2}, Floats{1000, 2000, 3000, 4000}).weight("axes", {2}, Ints{0, 4}).weight("nine", {9}, kNine);
  m.weight("flat", {2}, Ints{4, -1}).weight("zero", {}, Ints{0});
  for (size_t i = 0; i < nodes.size(); ++i) {
    const std::string& op = nodes[i].first;
    std::vector<std::string> inputs{i == 0 ? "x" : "t" + std::to_string(i)};
    if (op == "Add") inputs.emplace_back("w");
    if (op == "ReduceSum") inputs.emplace_back("axes");
    if (op == "Reshape") inputs.emplace_back(i == 0 ? "nine" : "flat");
    if (op == "Concat") inputs.push_back(inputs[0]);
    if (op == "CumSum") inputs.emplace_back("zero");
    m.node(op, inputs, {i + 1 == nodes.size() ? "y" : "t" + std::to_string(i + 1)}, nodes[i].second);
  }
  return run_file(m, {{"x", counted(512)}});
}

}  // namespace

TEST_CASE("limits of types: shifts of negative integers, fractional limits, maximum of an empty set") {
  constexpr int kInt8 = 3;
  const auto of_bytes = [](int type, int64_t opset, const std::string& op, const Numbers& x, const Numbers& by,
                           const std::vector<Attr>& attributes) {
    OnnxMaker m(opset);
    m.input("x", {static_cast<int64_t>(x.size())}, type).output("y");
    if (!by.empty()) m.input("by", {static_cast<int64_t>(by.size())}, type);
    m.node(op, by.empty() ? std::vector<std::string>{"x"} : std::vector<std::string>{"x", "by"}, {"y"}, attributes);
    std::vector<Given> given{{"x", x}};
    if (!by.empty()) given.push_back({"by", by});
    const Results made = run_file(m, given);
    CHECK(made.refused == "");
    return made.refused.empty() ? made.numbers.at("y") : Numbers();
  };
  const auto shifted = [&](const char* direction, const Numbers& x, const Numbers& by) {
    return of_bytes(kInt8, 28, "BitShift", x, by, {{"direction", std::string(direction)}});
  };
  CHECK(shifted("RIGHT", {-16, -5, 5, -1, 5, -5}, {2, 1, 1, 8, 9, -1}) == Numbers{-4, -3, 2, -1, 0, -1});
  CHECK(shifted("LEFT", {-16, -5, 64, 5, -5}, {2, 1, 1, 8, -1}) == Numbers{-64, -10, -128, 0, 0});
  const auto shrunk = [&](int type, const Numbers& x, float bias, float limit) {
    return of_bytes(type, 9, "Shrink", x, {}, {{"bias", bias}, {"lambd", limit}});
  };
  CHECK(shrunk(models::test::kUint8, {0, 1, 2, 9}, 0, 1.5F) == Numbers{0, 0, 2, 9});
  CHECK(shrunk(kInt8, {-9, -1, 1, 9}, 1.5F, 1.5F) == Numbers{-7, 0, 0, 7});
  for (const auto& [type, least, most] :
       {std::tuple{kInt8, -128.0, 127.0}, {int{models::test::kUint8}, 0.0, 255.0}, {6, -2147483648.0, 2147483647.0}}) {
    OnnxMaker m(20);
    m.input("x", {2, 0}, type).weight("axes", {1}, Ints{1}).output("most").output("least");
    m.node("ReduceMax", {"x", "axes"}, {"most"}).node("ReduceMin", {"x", "axes"}, {"least"});
    const Results made = run_file(m, {{"x", {}}});
    REQUIRE(made.refused == "");
    CHECK(made.sizes.at("most") == Dims{2, 1});
    CHECK(made.numbers.at("most") == Numbers{least, least});
    CHECK(made.numbers.at("least") == Numbers{most, most});
  }
}

TEST_CASE("more than eight dimensions are merged where adjacent ones stay adjacent") {
  const Results negative = of_nine({{"Neg", {}}});
  CHECK(negative.refused == "");
  CHECK(negative.sizes.at("y") == Dims{4, 2, 2, 2, 2, 2, 2, 2});
  Numbers added, turned(512), summed(128, 0), doubled;
  for (size_t i = 0; i < 512; ++i) {
    const auto x = static_cast<double>(i);
    CHECK(negative.numbers.at("y")[i] == -x);
    added.push_back(x + static_cast<double>(1000 * (1 + 2 * place(i, 6) + place(i, 8))));
    turned[(i & 63) * 8 + i / 64] = x;
    size_t stays = 0;
    for (size_t d = 0; d < 9; ++d)
      if (d != 0 && d != 4) stays = stays * 2 + place(i, d);
    summed[stays] += x;
  }
  CHECK(of_nine({{"Add", {}}}).numbers.at("y") == added);
  const Attr perm{"perm", Ints{3, 4, 5, 6, 7, 8, 0, 1, 2}};
  CHECK(of_nine({{"Transpose", {perm}}}).numbers.at("y") == turned);
  const Results shaped = of_nine({{"Reshape", {}}, {"Transpose", {perm}}, {"Reshape", {}}}, {4, 128});
  CHECK(shaped.refused == "");
  CHECK(shaped.numbers.at("y") == turned);
  CHECK(shaped.sizes.at("y") == Dims{4, 128});
  const Results sums = of_nine({{"ReduceSum", {{"keepdims", int64_t{0}}}}});
  CHECK(sums.refused == "");
  CHECK(sums.numbers.at("y") == summed);
  CHECK(sums.sizes.at("y") == Dims{2, 2, 2, 2, 2, 2, 2});
  const Results shape = of_nine({{"Shape", {}}});
  CHECK(shape.numbers.at("y") == Numbers(9, 2));
  const Results twice = of_nine({{"Concat", {{"axis", int64_t{1}}}}});
  CHECK(twice.sizes.at("y") == Dims{8, 2, 2, 2, 2, 2, 2, 2});
  for (size_t i = 0; i < 1024; ++i) CHECK(twice.numbers.at("y")[i] == static_cast<double>(i / 512 * 256 + i % 256));
  CHECK(of_nine({{"Transpose", {}}}).refused.find("it has 9 dimensions after folding: at most 8") != std::string::npos);
  CHECK(of_nine({{"CumSum", {}}}).refused.find("'x' has 9 dimensions; this operator supports at most 8") !=
        std::string::npos);
}

// d = (a + b)·a + relu(b), by a: 2a + b, by b: a + [b > 0]; by what it does not hang on: 0.
TEST_CASE("Gradient differentiates the preceding graph") {
  using Names = std::vector<std::string>;
  const auto graph = [](const Names& sources, const Names& xs) {
    auto m = std::make_unique<OnnxMaker>(16);
    m->input("a", {3}).input("b", {3}).input("other", {2});
    m->opset("ai.onnx.preview.training", 1);
    m->node("Add", {"a", "b"}, {"c"})
        .node("Mul", {"c", "a"}, {"e"})
        .node("Relu", {"b"}, {"r"})
        .node("Add", {"e", "r"}, {"d"});
    Names results;
    for (const std::string& x : xs) results.push_back("by_" + x), m->output(results.back());
    m->node("Gradient", sources, results, {{"xs", xs}, {"y", std::string("d")}}, "", "ai.onnx.preview.training");
    return m;
  };
  const std::vector<Given> inputs{{"a", {1, -2, 3}}, {"b", {0.5, 4, -1}}, {"other", {7, 8}}};
  const Results made = run_file(*graph({"a", "b", "other"}, {"a", "b", "other"}), inputs);
  CHECK(made.refused == "");
  REQUIRE(made.refused.empty());
  check_near(made.numbers.at("by_a"), {2.5, 0, 5});
  check_near(made.numbers.at("by_b"), {2, -1, 3});
  check_near(made.numbers.at("by_other"), {0, 0});
  // Other values than the graph's, more tensors than results, values computed after it.
  CHECK(run_file(*graph({"b", "a"}, {"a", "b"}), inputs).refused.find("another value than 'a'") != std::string::npos);
  CHECK(run_file(*graph({"a"}, {"a", "b"}), inputs).refused.find("expected 1, as inputs") != std::string::npos);
  CHECK(run_file(*graph({"a"}, {"nothing"}), inputs).refused.find("another value than 'nothing'") != std::string::npos);
}

// A matrix of which each row but one asks for a swap, one of two equal rows, and nothing but zeros.
TEST_CASE("axes of a scalar are an error") {
  OnnxMaker m(19);
  m.input("x", {}).output("y").weight("sizes", {2}, Ints{2, 2});
  m.node("Resize", {"x", "", "", "sizes"}, {"y"},
         {Attr{"axes", Ints{1, 2}}, Attr{"keep_aspect_ratio_policy", std::string("not_larger")}});
  CHECK(run_file(m, {}).refused.find("axis 1 is out of range for 0 dimensions") != std::string::npos);
  OnnxMaker loss(19);
  loss.input("x", {1}).input("t", {}, models::test::kInt64).output("y");
  loss.node("NegativeLogLikelihoodLoss", {"x", "t"}, {"y"});
  CHECK(run_file(loss, {}).refused.find("one dimension less") != std::string::npos);
  OnnxMaker body(19), scan(19);
  body.input("a", {}).input("b", {}).node("Add", {"a", "b"}, {"sum"}).output("sum", {});
  scan.input("x", {2}).input("z", {}).output("y");
  scan.node("Scan", {"x", "z"}, {"y"}, {Attr{"body", &body}, Attr{"num_scan_inputs", int64_t{2}}});
  CHECK(run_file(scan, {}).refused.find("axis 0 is out of range for 0 dimensions") != std::string::npos);
}

TEST_CASE("determinants and inverses of matrices of all sizes") {
  constexpr int64_t kRows = 6;
  Numbers x(3 * kRows * kRows);
  double determinant = 1;
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t c = 0; c < kRows; ++c) {
      const int64_t row = (r + 2) % kRows;  // an even number of swaps; below the diagonal of the unswapped one all is 0
      x[static_cast<size_t>(row * kRows + c)] = c < r ? 0 : c == r ? double(r % 3 + 1) : double((r + 2 * c) % 5 - 2);
      x[static_cast<size_t>((kRows + r) * kRows + c)] = double((r / 2 * 7 + c * 3) % 11);
    }
  for (int64_t r = 0; r < kRows; ++r) determinant *= double(r % 3 + 1);
  check_near(of_one("Det", {3, kRows, kRows}, x, {}, 11), {determinant, 0, 0});
  const Numbers matrix(x.begin(), x.begin() + kRows * kRows);
  OnnxMaker m(16);
  m.opset("com.microsoft", 1).input("x", {1, kRows, kRows}).output("y");
  m.node("Inverse", {"x"}, {"y"}, {}, "", "com.microsoft");
  const Results made = run_file(m, {{"x", matrix}});
  CHECK(made.refused == "");
  REQUIRE(made.refused.empty());
  const Numbers& inverse = made.numbers.at("y");
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t c = 0; c < kRows; ++c) {
      double sum = 0;
      for (int64_t k = 0; k < kRows; ++k)
        sum += matrix[static_cast<size_t>(r * kRows + k)] * inverse[static_cast<size_t>(k * kRows + c)];
      CHECK(sum == doctest::Approx(r == c ? 1 : 0).epsilon(1e-5));
    }
}

}  // namespace arenascope::test
