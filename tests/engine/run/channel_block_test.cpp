// SPDX-License-Identifier: MIT
// Networks that ONNX Runtime saved with weights in blocks of channels, compared with the original network.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "file_runs.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::OnnxMaker;
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

constexpr const char* kBlocked = "com.microsoft.nchwc";

float number(int64_t i, double phase) { return static_cast<float>(std::sin(phase + 0.37 * static_cast<double>(i))); }

// A weight [O, I, taps] whose results from `used` on are zeros, and the same in blocks.
struct Weight {
  int64_t o, i, side;
  Floats plain;

  Weight(int64_t results, int64_t used, int64_t sources, int64_t used_sources, int64_t taps_aside, double phase)
      : o(results),
        i(sources),
        side(taps_aside),
        plain(static_cast<size_t>(results * sources * taps_aside * taps_aside)) {
    const int64_t taps = side * side;
    for (int64_t k = 0; k < o * i * taps; ++k)
      if (k / taps / i < used && k / taps % i < used_sources) plain[static_cast<size_t>(k)] = number(k, phase) / 4;
  }
  Ints sizes() const { return {o, i, side, side}; }
  Floats in_blocks(int64_t b, bool sources_too) const {
    Floats out;
    const int64_t inner = sources_too ? b : 1, taps = side * side;
    for (int64_t results = 0; results < o; results += b)
      for (int64_t sources = 0; sources < i; sources += inner)
        for (int64_t tap = 0; tap < taps; ++tap)
          for (int64_t s = 0; s < inner; ++s)
            for (int64_t r = 0; r < b; ++r)
              out.push_back(plain[static_cast<size_t>(((results + r) * i + sources + s) * taps + tap)]);
    return out;
  }
};

struct Net {
  OnnxMaker m{13};
  bool saved;
  int64_t block;

  Net(bool as_saved, int64_t channels) : saved(as_saved), block(channels) {
    m.opset(kBlocked, 1);
    m.input("x", {2, 3, 12, 10}).output("y");
  }
  void node(const char* op, const std::vector<std::string>& from, const char* to,
            const std::vector<Attr>& attributes = {}) {
    m.node(op, from, {to}, attributes, "", saved ? kBlocked : "");
  }
  void weight(const char* name, const Weight& w, bool sources_too) {
    m.weight(name, w.sizes(), saved ? w.in_blocks(block, sources_too) : w.plain);
  }
  void bias(const char* name, int64_t count, int64_t used) {
    Floats numbers(static_cast<size_t>(count));
    for (int64_t i = 0; i < used; ++i) numbers[static_cast<size_t>(i)] = number(i, 9);
    m.weight(name, {count}, numbers);
  }
};

const Attr kPads{"pads", Ints{1, 1, 1, 1}};

// `used` channels of `wide` in the middle. One node of a blocked network is several nodes of the plain one.
void build(Net& n, int64_t wide, int64_t used) {
  n.weight("w0", {2 * n.block, 2 * n.block, 3, 3, 3, 1}, false);
  n.weight("w1", {wide, used, 2 * n.block, 2 * n.block, 3, 2}, true);
  n.weight("w2", {wide, wide, 1, 1, 3, 3}, false);
  n.weight("w3", {wide, used, wide, wide, 1, 4}, true);
  n.bias("b0", 2 * n.block, 2 * n.block), n.bias("b1", wide, used);
  if (n.saved) {
    n.node("Conv", {"x", "w0", "b0"}, "c0", {kPads, {"activation", std::string("Relu")}});
    n.node("MaxPool", {"c0"}, "p0", {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}});
    n.node("Conv", {"p0", "w1", "b1"}, "c1", {kPads});
    n.node("Conv", {"c1", "w2"}, "c2", {kPads, {"group", wide}});
    n.node("Conv", {"c2", "w3", "", "c1"}, "c3",
           {{"activation", std::string("HardSigmoid")}, {"activation_params", Floats{0.2f, 0.4f}}});
    n.node("Upsample", {"c3"}, "u", {{"scales", Ints{1, 1, 2, 2}}});
    n.node("ReorderOutput", {"u"}, "o", {{"channels", used}});
    n.node("ReorderInput", {"o"}, "i");
    n.node("AveragePool", {"i"}, "a", {{"kernel_shape", Ints{3, 3}}, kPads, {"count_include_pad", int64_t{1}}});
    n.node("GlobalMaxPool", {"a"}, "g");
    n.node("ReorderOutput", {"g"}, "y", {{"channels", used}, {"channels_last", int64_t{1}}});
    return;
  }
  n.node("Conv", {"x", "w0", "b0"}, "d0", {kPads});
  n.node("Relu", {"d0"}, "c0");
  n.node("MaxPool", {"c0"}, "p0", {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}});
  n.node("Conv", {"p0", "w1", "b1"}, "c1", {kPads});
  n.node("Conv", {"c1", "w2"}, "c2", {kPads, {"group", wide}});
  n.node("Conv", {"c2", "w3"}, "d3");
  n.node("Add", {"d3", "c1"}, "s3");
  n.node("HardSigmoid", {"s3"}, "c3", {{"alpha", 0.2f}, {"beta", 0.4f}});
  n.m.weight("roi", {0}, Floats{}).weight("scales", {4}, Floats{1, 1, 2, 2});
  n.node("Resize", {"c3", "roi", "scales"}, "u",
         {{"coordinate_transformation_mode", std::string("asymmetric")}, {"nearest_mode", std::string("floor")}});
  n.m.weight("from", {1}, Ints{0}).weight("to", {1}, Ints{used}).weight("axis", {1}, Ints{1});
  n.node("Slice", {"u", "from", "to", "axis"}, "o");
  n.node("AveragePool", {"o"}, "a", {{"kernel_shape", Ints{3, 3}}, kPads, {"count_include_pad", int64_t{1}}});
  n.node("GlobalMaxPool", {"a"}, "g");
  n.node("Transpose", {"g"}, "y", {{"perm", Ints{0, 2, 3, 1}}});
}

// The size of a block that the file leaves open, or 0.
int64_t left_open(const OnnxMaker& m) {
  auto model = m.open();
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
  for (const models::FreeDimension& free : model->free_dimensions)
    if (free.key() == "nchwc") return free.size;
  return 0;
}

}  // namespace

TEST_CASE("a network saved with blocked channels gives the original outputs") {
  std::vector<Given> given{{"x", {}}};
  for (int64_t i = 0; i < 2 * 3 * 12 * 10; ++i) given[0].numbers.push_back(static_cast<double>(number(i, 0.5)));
  struct Case {
    int64_t block, wide, used, open;  // `open`: whether the file leaves open which blocks it has
  };
  for (const Case one : {Case{8, 24, 20, 0}, {8, 32, 32, 1}, {16, 32, 32, 1}, {16, 32, 20, 0}}) {
    CAPTURE(one.block);
    CAPTURE(one.used);
    Net plain(false, one.block), saved(true, one.block);
    build(plain, one.wide, one.used), build(saved, one.wide, one.used);
    const int64_t open = left_open(saved.m);
    CHECK((open != 0) == (one.open != 0));
    std::map<std::string, int64_t> dims;
    if (one.open) dims["nchwc"] = one.block;
    const Results expected = run_file(plain.m, given), made = run_file(saved.m, given, dims);
    REQUIRE(expected.refused == "");
    REQUIRE(made.refused == "");
    CHECK(made.sizes.at("y") == Dims{2, 1, 1, one.used});
    check_near(made.numbers.at("y"), expected.numbers.at("y"), 1e-6);
    if (one.open) CHECK(run_file(saved.m, given).refused == "");  // as on this processor
  }
}

TEST_CASE("invalid channel block sizes are an error") {
  const auto refused = [](const char* op, const Ints& source, const Ints& weight, const std::vector<Attr>& attributes,
                          const std::map<std::string, int64_t>& dims = {}) {
    OnnxMaker m(13);
    m.opset(kBlocked, 1);
    m.input("x", source).output("y");
    std::vector<std::string> from{"x"};
    int64_t count = 1;
    for (const int64_t size : weight) count *= size;
    if (!weight.empty()) m.weight("w", weight, Floats(static_cast<size_t>(count), 1)), from.push_back("w");
    m.node(op, from, {"y"}, attributes, "", kBlocked);
    const Results made = run_file(m, {}, dims);
    CAPTURE(op);
    CHECK(made.refused != "");
    CHECK(made.refused.find('\n') == std::string::npos);
  };
  refused("Conv", {1, 16, 4, 4}, {20, 16, 1, 1}, {});                   // results end within a block
  refused("Conv", {1, 40, 4, 4}, {16, 40, 1, 1}, {}, {{"nchwc", 16}});  // the shapes imply that it has 8
  refused("Conv", {1, 36, 4, 4}, {16, 36, 1, 1}, {});                   // inputs end within one
  refused("Conv", {1, 16, 4, 4}, {16, 16, 1, 1}, {}, {{"nchwc", 0}});
  refused("Conv", {1, 16, 4, 4}, {16, 16, 1, 1}, {}, {{"nchwc", 1 << 20}});
  refused("Conv", {1, 16, 4, 4}, {}, {});
  refused("Conv", {1, 16, 4}, {16, 16, 1}, {});
  refused("Conv", {1, 16, 4, 4}, {16, 16, 1, 1}, {{"group", int64_t{0}}});
  refused("Conv", {1, 16, 4, 4}, {16, 16, 1, 1}, {{"activation", std::string("Cosine")}});
  refused("ReorderOutput", {1, 16, 4, 4}, {}, {{"channels", int64_t{17}}});
  refused("ReorderOutput", {1, 16, 4, 4}, {}, {{"channels", int64_t{-1}}});
  refused("ReorderOutput", {1, 16, 4}, {}, {{"channels", int64_t{3}}});
  refused("ReorderInput", {16}, {}, {});
  refused("Upsample", {1, 16, 4, 4}, {}, {{"scales", Ints{2, 2}}});
  refused("Upsample", {1, 16, 4, 4}, {}, {{"scales", Ints{1, 1, -2, 2}}});
  refused("MaxPool", {1, 16, 4, 4}, {}, {});
  refused("Nothing", {1, 16, 4, 4}, {}, {});
}

}  // namespace arenascope::test
