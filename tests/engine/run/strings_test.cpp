// SPDX-License-Identifier: MIT
// Strings: known ones are folded, the others are indices into a string table, which are moved, looked up and compared in a
// run. And images, which become constants.
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <arenascope/models/npy.h>
#include <arenascope/run/runner.h>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/engine/models/onnx_maker.h"

namespace arenascope::test {
namespace {

using models::test::Attr;
using models::test::kBool;
using models::test::kFloat;
using models::test::kInt64;
using models::test::kString;
using models::test::kUint8;
using models::test::OnnxMaker;
using Strings = std::vector<std::string>;
using Ints = std::vector<int64_t>;
using Floats = std::vector<float>;

models::OpenOptions given(const std::string& name, const Dims& sizes, const Strings& strings) {
  models::OpenOptions out;
  auto tensor = models::host_tensor(sizes, DType::I64);
  REQUIRE(tensor.ok());
  models::StringInterner words;
  for (size_t i = 0; i < strings.size(); ++i) (*tensor)->data_as<int64_t>()[i] = words.place(strings[i]);
  out.inputs[name] = std::move(*tensor);
  out.strings[name] = words.take();
  return out;
}

std::unique_ptr<Runner> opened(const OnnxMaker& m, const models::OpenOptions& open = {}) {
  auto model = m.open(open);
  REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
  RunnerOptions options;
  options.threads = 1;
  options.open = open;
  auto runner = Runner::open(std::move(*model), options);
  REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
  return std::move(*runner);
}

std::string problem(const OnnxMaker& m, const models::OpenOptions& open = {}) {
  auto model = m.open(open);
  if (!model) return model.error().message;
  if (model->runnable()) return "";
  REQUIRE_FALSE(model->problems.empty());
  CHECK(model->problems[0].find('\n') == std::string::npos);
  return model->problems[0];
}

// The result of a run as text: the shape, then the strings or numbers.
std::string result_text(Runner& runner, size_t output = 0) {
  auto report = runner.run();
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  const RunResult result = runner.results()[output];
  auto bytes = result.read();
  REQUIRE(bytes.ok());
  const auto& value = *result.value;
  std::string out = to_string(value.tensor.sizes());
  for (int64_t i = 0; i < value.tensor->element_count(); ++i) {
    int64_t whole = 0;
    float number = 0;
    if (value.tensor.dtype() == DType::I64) std::memcpy(&whole, bytes->data() + i * 8, 8);
    if (value.tensor.dtype() == DType::F32) std::memcpy(&number, bytes->data() + i * 4, 4);
    const auto byte = static_cast<int>((*bytes)[static_cast<size_t>(element_bytes(value.tensor.dtype()) * i)]);
    out += value.strings                        ? fmt::format(" {}", models::string_at(value.strings, whole))
           : value.tensor.dtype() == DType::I64 ? fmt::format(" {}", whole)
           : value.tensor.dtype() == DType::F32 ? fmt::format(" {}", number)
                                                : fmt::format(" {}", byte);
  }
  return out;
}

// The result of one operator over constant strings.
std::string folded(const std::string& op, const std::vector<std::pair<Ints, Strings>>& sources,
                   const std::vector<Attr>& attributes = {}, size_t output = 0, const char* domain = "") {
  OnnxMaker m(20);
  Strings names;
  for (const auto& [sizes, strings] : sources) {
    names.push_back(fmt::format("s{}", names.size()));
    m.weight(names.back(), sizes, strings);
  }
  m.output("y", {}, kString);
  Strings results{"y"};
  if (op == "StringSplit") results.push_back("z");
  if (output == 1) m.output("z", {}, kInt64);
  if (std::any_of(attributes.begin(), attributes.end(), [](const Attr& a) { return a.name == "classes_strings"; }))
    m.opset("ai.onnx.ml", 1);
  m.node(op, names, results, attributes, "", domain);
  if (const std::string why = problem(m); !why.empty()) return "refused: " + why;
  return result_text(*opened(m), output);
}

bool refused(const std::string& result_text) { return result_text.starts_with("refused"); }

}  // namespace

TEST_CASE("constant strings are joined, cut, compared and case-converted") {
  CHECK(folded("StringConcat", {{{2, 1}, {"a", "b"}}, {{2}, {"", "ü"}}}) == "[2, 2] a aü b bü");
  CHECK(refused(folded("StringConcat", {{{2}, {"a", "b"}}, {{3}, {"", "ü", "c"}}})));
  CHECK(folded("StringSplit", {{{2}, {" a  b\tc ", ""}}}) == "[2, 3] a b c   ");
  CHECK(folded("StringSplit", {{{2}, {"a b  c d ", "x"}}}, {Attr{"maxsplit", int64_t{2}}}) == "[2, 3] a b c d  x  ");
  CHECK(folded("StringSplit", {{{2}, {"a,,b", "c"}}}, {Attr{"delimiter", ","}}, 1) == "[2] 3 1");
  CHECK(folded("Equal", {{{2, 1}, {"a", "b"}}, {{2}, {"b", "a"}}}) == "[2, 2] 0 1 1 0");
  const std::vector<Attr> upper = {Attr{"case_change_action", "UPPER"}, Attr{"stopwords", Strings{"Straße"}}};
  CHECK(folded("StringNormalizer", {{{1, 3}, {"straße", "ßé", "x"}}}, upper) == "[1, 2] SSÉ X");
  CHECK(folded("StringNormalizer", {{{1}, {"STRASSE"}}}, {Attr{"stopwords", Strings{"strasse"}}}) == "[1] ");
  CHECK(refused(folded("StringNormalizer", {{{2, 2}, {"a", "b", "c", "d"}}})));
  CHECK(refused(folded("StringNormalizer", {{{1}, {"\xFF"}}}, {Attr{"case_change_action", "LOWER"}})));
  CHECK(folded("RegexFullMatch", {{{3}, {"ab", "abb", "cab"}}}, {Attr{"pattern", "ab+"}}) == "[3] 1 1 0");
  CHECK(refused(folded("RegexFullMatch", {{{1}, {"a"}}}, {Attr{"pattern", "("}})));
}

TEST_CASE("strings are moved like numbers") {
  const std::pair<Ints, Strings> four{{2, 2}, {"a", "b", "c", "a"}};
  CHECK(folded("Identity", {four}) == "[2, 2] a b c a");
  CHECK(folded("Flatten", {four}, {Attr{"axis", int64_t{0}}}) == "[1, 4] a b c a");
  CHECK(folded("Transpose", {four}) == "[2, 2] a c b a");
  CHECK(folded("Concat", {four, {{1, 2}, {"d", "a"}}}, {Attr{"axis", int64_t{0}}}) == "[3, 2] a b c a d a");
  CHECK(refused(folded("Concat", {four, {{3}, {"d", "a", "b"}}}, {Attr{"axis", int64_t{0}}})));
  const auto picked = [](const char* op, const char* domain, const Ints& sizes, const Ints& places) {
    OnnxMaker m(20);
    m.weight("s", {2, 2}, Strings{"a", "b", "c", "d"}).weight("at", sizes, places).output("y", {}, kString);
    m.opset(domain, 1).node(op, {"s", "at"}, {"y"}, {}, "", domain);
    return result_text(*opened(m));
  };
  CHECK(picked("ArrayFeatureExtractor", "ai.onnx.ml", {3}, {1, 0, 1}) == "[2, 3] b a b d c d");
  CHECK(picked("ExpandDims", "com.microsoft", {}, {1}) == "[2, 1, 2] a b c d");
  CHECK(picked("GatherND", "com.microsoft", {2, 2}, {1, 0, 0, 1}) == "[2] c b");
  OnnxMaker m(20);
  m.weight("s", {4}, Strings{"a", "b", "c", "d"}).weight("places", {2}, Ints{-1, 1}).weight("shape", {2}, Ints{2, 2});
  m.weight("zero", {1}, Ints{0}).weight("three", {1}, Ints{3});
  m.node("Gather", {"s", "places"}, {"picked"}).node("Reshape", {"s", "shape"}, {"square"});
  m.node("Slice", {"s", "zero", "three"}, {"front"}).node("Unsqueeze", {"front", "zero"}, {"row"});
  m.node("Squeeze", {"row", "zero"}, {"back"}).node("Shape", {"square"}, {"sizes"});
  for (const char* name : {"picked", "square", "row", "back"}) m.output(name, {}, kString);
  m.output("sizes", {}, kInt64);
  auto runner = opened(m);
  CHECK(result_text(*runner, 0) == "[2] d b");
  CHECK(result_text(*runner, 1) == "[2, 2] a b c d");
  CHECK(result_text(*runner, 2) == "[1, 3] a b c");
  CHECK(result_text(*runner, 3) == "[3] a b c");
  CHECK(result_text(*runner, 4) == "[2] 2 2");
}

TEST_CASE("strings are selected and compared by computed values") {
  OnnxMaker m(20);
  m.input("x", {3}, kInt64).input("is", {3}, kBool).weight("names", {3}, Strings{"ant", "bee", "cat"});
  m.weight("others", {3}, Strings{"bee", "dog", "ant"}).weight("wanted", {1}, Strings{"bee"});
  m.node("Gather", {"names", "x"}, {"picked"}).node("Where", {"is", "picked", "others"}, {"chosen"});
  m.node("Concat", {"chosen", "wanted"}, {"all"}, {Attr{"axis", int64_t{0}}})
      .node("Equal", {"all", "wanted"}, {"same"});
  m.node("RegexFullMatch", {"picked"}, {"short"}, {Attr{"pattern", "[ab].*"}});
  m.output("all", {}, kString).output("same", {}, kBool).output("short", {}, kBool);
  auto runner = opened(m);
  const Ints x{2, 1, 0};
  const uint8_t is[] = {1, 0, 1};
  REQUIRE(runner->set_input("x", std::as_bytes(std::span(x))).ok());
  REQUIRE(runner->set_input("is", std::as_bytes(std::span(is))).ok());
  CHECK(result_text(*runner, 0) == "[4] cat dog ant bee");
  CHECK(result_text(*runner, 1) == "[4] 0 0 0 1");
  CHECK(result_text(*runner, 2) == "[3] 0 1 1");
  OnnxMaker later(20);
  later.input("x", {3}, kInt64).weight("names", {3}, Strings{"ant", "bee", "cat"}).output("y", {}, kString);
  later.node("Gather", {"names", "x"}, {"picked"}).node("StringConcat", {"picked", "picked"}, {"y"});
  auto waits = opened(later);  // its strings are there when the graph before it has run
  REQUIRE(waits->set_input("x", std::as_bytes(std::span(x))).ok());
  CHECK(result_text(*waits) == "[3] catcat beebee antant");
}

TEST_CASE("LabelEncoder maps strings and numbers both ways") {
  const Attr keys{"keys_strings", Strings{"a", "b", "a"}}, values{"values_strings", Strings{"x", "y", "z"}};
  const auto encoded = [&](const std::vector<Attr>& attributes) {
    return folded("LabelEncoder", {{{3}, {"a", "c", "b"}}}, attributes, 0, "ai.onnx.ml");
  };
  CHECK(encoded({keys, values}) == "[3] x _Unused y");
  CHECK(encoded({keys, values, Attr{"default_string", "?"}}) == "[3] x ? y");
  CHECK(encoded({keys, Attr{"values_floats", Floats{1, 2, 3}}}) == "[3] 1 -0 2");
  CHECK(encoded({keys, Attr{"values_int64s", Ints{1, 2, 3}}, Attr{"default_int64", int64_t{7}}}) == "[3] 1 7 2");
  CHECK(encoded({Attr{"classes_strings", Strings{"b", "a"}}}) == "[3] 1 -1 0");
  const auto one = [](const char* op, const std::vector<Attr>& attributes) {
    return folded(op, {{{2}, {"a", "d"}}}, attributes, 0, "ai.onnx.ml");
  };
  const Attr categories{"cats_strings", Strings{"d", "b"}};
  CHECK(one("CategoryMapper", {categories, Attr{"cats_int64s", Ints{5, 6}}}) == "[2] -1 5");
  CHECK(refused(one("CategoryMapper", {categories, Attr{"cats_int64s", Ints{5}}})));
  CHECK(one("OneHotEncoder", {categories}) == "[2, 2] 0 0 1 0");
  CHECK(refused(one("OneHotEncoder", {})));
  CHECK(refused(encoded({keys, Attr{"values_int64s", Ints{1, 2}}})));
  CHECK(refused(encoded({keys})));
  CHECK(refused(encoded({values})));
  CHECK(refused(encoded({Attr{"keys_int64s", Ints{1, 2, 3}}, values})));
  OnnxMaker m(20);
  m.input("x", {2, 2}).output("y", {}, kString).output("z", {}, kFloat);
  const Attr numbers{"keys_floats", Floats{1.5f, std::numeric_limits<float>::quiet_NaN(), -2}};
  m.node("LabelEncoder", {"x"}, {"y"}, {numbers, values}, "", "ai.onnx.ml");
  m.node("LabelEncoder", {"x"}, {"z"}, {numbers, Attr{"values_floats", Floats{10, 20, 30}}}, "", "ai.onnx.ml");
  auto runner = opened(m);
  const Floats x{-2, 9, std::numeric_limits<float>::quiet_NaN(), 1.5f};
  REQUIRE(runner->set_input("x", std::as_bytes(std::span(x))).ok());
  CHECK(result_text(*runner, 0) == "[2, 2] z _Unused y x");
  CHECK(result_text(*runner, 1) == "[2, 2] 30 -0 20 10");
}

TEST_CASE("strings are cast to and from numbers; TfIdfVectorizer counts tokens") {
  CHECK(folded("Cast", {{{3}, {"1", " -2.5e1", "+3"}}}, {Attr{"to", int64_t{kFloat}}}) == "[3] 1 -25 3");
  CHECK(folded("Cast", {{{2}, {"9007199254740993", "2.9"}}}, {Attr{"to", int64_t{kInt64}}}) ==
        "[2] 9007199254740993 2");
  CHECK(folded("Cast", {{{2}, {"INF", "NaN"}}}, {Attr{"to", int64_t{kFloat}}}) == "[2] inf nan");
  CHECK(refused(folded("Cast", {{{2}, {"1", "one"}}}, {Attr{"to", int64_t{kFloat}}})));
  CHECK(refused(folded("Add", {{{1}, {"1"}}, {{1}, {"1"}}})));
  OnnxMaker m(20);
  m.weight("x", {3}, Floats{0.1f, -2, 1e30f})
      .output("y", {}, kString)
      .node("Cast", {"x"}, {"y"}, {Attr{"to", int64_t{kString}}});
  CHECK(result_text(*opened(m)) == "[3] 0.1 -2 1e+30");
  const std::vector<Attr> grams = {Attr{"mode", "TF"},
                                   Attr{"min_gram_length", int64_t{1}},
                                   Attr{"max_gram_length", int64_t{2}},
                                   Attr{"max_skip_count", int64_t{0}},
                                   Attr{"ngram_counts", Ints{0, 2}},
                                   Attr{"ngram_indexes", Ints{0, 1, 2}},
                                   Attr{"pool_strings", Strings{"a", "b", "a", "c"}}};
  CHECK(folded("TfIdfVectorizer", {{{5}, {"a", "c", "b", "d", "a"}}}, grams) == "[3] 2 1 1");
}

TEST_CASE("a string input is provided at opening") {
  OnnxMaker m(20);
  m.input("s", {-1}, kString).output("y", {}, kString).weight("end", {1}, Strings{"!"});
  m.node("StringConcat", {"s", "end"}, {"y"});
  CHECK(problem(m) == "input 's' is a string tensor, which must be given: --input s=FILE.pb");
  OnnxMaker declared(20);
  declared.input("s", {2, 3}, kString).output("y", {2, 3}, kString).node("Identity", {"s"}, {"y"});
  const auto shown = declared.open();
  REQUIRE(shown.ok());
  CHECK(to_string(shown->inputs[0].sizes) == "[2, 3]");
  auto runner = opened(m, given("s", {2}, {"ho", "hi"}));
  CHECK(runner->model().fixed_inputs == Strings{"s"});
  CHECK(result_text(*runner) == "[2] ho! hi!");
  CHECK_FALSE(problem(m, given("s", {1, 2}, {"ho", "hi"})).empty());
  models::OpenOptions numbers = given("s", {2}, {"ho", "hi"});
  numbers.strings.clear();
  CHECK(problem(m, numbers).find("does not match") != std::string::npos);
  OnnxMaker counted(20);
  counted.input("s", {2}, kInt64).output("y", {}, kInt64).node("Neg", {"s"}, {"y"});
  CHECK(problem(counted, given("s", {2}, {"ho", "hi"})).find("does not match") != std::string::npos);
  OnnxMaker few(20);
  few.weight("s", {3}, Strings{"a"}).output("y", {}, kString).node("Identity", {"s"}, {"y"});
  CHECK(problem(few).find("has 1 strings") != std::string::npos);
}

TEST_CASE("an image input is provided at opening") {
  OnnxMaker m(20);
  m.input("data", {-1}, kUint8)
      .output("y", {}, kUint8)
      .node("ImageDecoder", {"data"}, {"y"}, {Attr{"pixel_format", "BGR"}});
  CHECK(problem(m).find("--input data=FILE") != std::string::npos);
  const auto with = [](std::string_view file) {
    models::OpenOptions out;
    auto tensor = models::host_tensor({static_cast<int64_t>(file.size())}, DType::U8);
    REQUIRE(tensor.ok());
    if (!file.empty()) std::memcpy((*tensor)->data(), file.data(), file.size());
    out.inputs["data"] = std::move(*tensor);
    return out;
  };
  CHECK(result_text(*opened(m, with("P6 # of two pixels\n2 1 255\n\1\2\3\4\5\6"))) == "[1, 2, 3] 3 2 1 6 5 4");
  CHECK(result_text(*opened(m, with("P2 1 2 4 0 2"))) == "[2, 1, 3] 0 0 0 128 128 128");
  CHECK(result_text(*opened(m, with("P1 2 1 01"))) == "[1, 2, 3] 255 255 255 0 0 0");
  for (const char* damaged :
       {"", "P", "P6", "P6 2 1 255\n\1\2", "P6 0 1 255\n", "P6 99999 99999 255\n", "P5 60000 60000 1\n", "P2 1 1 9 10",
        "P3 2 2 255 1 2", "BM", "BM0000000000000000000000000000000000000000000000000000000", "\xFF\xD8\xFF",
        "\x89PNG\r\n", "II*\0", "RIFF0000WEBPVP8 ", "\xFF\x4F\xFF\x51", "GIF89a"}) {
    CAPTURE(damaged);
    CHECK_FALSE(problem(m, with(damaged)).empty());
  }
}

}  // namespace arenascope::test
