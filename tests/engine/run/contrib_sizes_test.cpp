// SPDX-License-Identifier: MIT
// Operators of ONNX Runtime's domain with large sizes in a small file: opening it builds no table of that size.
#include <doctest/doctest.h>

#include "own_operators.h"

namespace arenascope::test {
namespace {

struct Declared {
  Ints sizes;
  int type = kFloat;
  Ints fixed = {};  // its constant value, if the file has it
};

Result<models::Model> opened(const char* op, const std::vector<Declared>& sources, const std::vector<Attr>& attributes,
                             size_t results = 1) {
  OnnxMaker m(21);
  m.opset(kOwn, 1);
  std::vector<std::string> names, outputs;
  for (size_t i = 0; i < sources.size(); ++i) {
    const Declared& s = sources[i];
    names.push_back(s.type == 0 ? "" : fmt::format("x{}", i));
    if (s.type == 0) continue;
    if (s.fixed.empty()) {
      m.input(names[i], s.sizes, s.type);
    } else {
      m.weight(names[i] + "_64", s.sizes, s.fixed);
      m.node("Cast", {names[i] + "_64"}, {names[i]}, {{"to", int64_t{s.type}}});
    }
  }
  for (size_t i = 0; i < results; ++i) outputs.push_back(fmt::format("y{}", i)), m.output(outputs.back());
  m.node(op, names, outputs, attributes, "", kOwn);
  return m.open();
}

constexpr Bytes kFew = 1 << 16;
constexpr int64_t kMany = int64_t{1} << 22;

void check_refused(const Result<models::Model>& model) {
  REQUIRE(model.ok());
  CHECK_FALSE(model->runnable());
  CHECK(model->weight_bytes() < kFew);
}

void check_small(const Result<models::Model>& model, Bytes most = kFew) {
  REQUIRE(model.ok());
  REQUIRE_MESSAGE(model->runnable(), model->problems[0]);
  CHECK(model->weight_bytes() < most);
}

}  // namespace

TEST_CASE("shape-dependent constants allocate nothing at opening, or are an error") {
  const Declared none{{}, 0};
  check_refused(opened("VarlenCausalConvWithState",
                       {{{kMany, 1}}, {{1, 1, 64}}, {{2}, kInt32, {0, kMany}}, none, {{1, 1, 63}}}, {}));
  Ints starts(9001, 0);
  starts.back() = 1;
  check_small(opened("GatedDeltaNet",
                     {{{1, 1, 1}}, {{1, 1, 1}}, {{1, 1, 1}}, {{9001}, kInt32, starts}, none, none, {{9000, 1, 1, 1}}},
                     {{"update_rule", std::string("linear")}}, 2),
              4 * kFew);  // three elements per sequence
  check_small(opened("MultiHeadAttention",
                     {{{kMany, 1, 8}},
                      {{kMany, 1, 8}},
                      {{kMany, 1, 8}},
                      none,
                      none,
                      none,
                      {{kMany, 1, 2, 8}},
                      {{kMany, 1, 2, 8}},
                      none,
                      {{kMany / 4, 4, 2}, kInt32}},
                     {whole("num_heads", 1)}, 3));
}

}  // namespace arenascope::test
