// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/cli/made_models.h"

#include "tests/app/cli/made_files.h"
#include "tests/engine/models/onnx_maker.h"

namespace arenascope::test {

namespace {

using models::test::kBool;
using models::test::kInt64;
using models::test::OnnxMaker;

void write_model(const std::string& path, const OnnxMaker& model) {
  const auto bytes = model.bytes();
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

void write_loop(const std::string& path, float limit, bool in_a_branch) {
  OnnxMaker body(20), branch(20), other(20), m(20);
  body.input("i", {}, kInt64)
      .input("go", {}, kBool)
      .input("s", {1, kLoopSize})
      .output("on", {}, kBool)
      .output("next", {1, kLoopSize});
  body.node("MatMul", {"s", "same"}, {"product"})
      .node("Add", {"product", "step"}, {"next"}, {}, "count_up")
      .node("ReduceMax", {"next"}, {"max"}, {{"keepdims", int64_t{0}}});
  body.node("Less", {"max", "limit"}, {"on"});
  m.input("x", {1, kLoopSize}).weight("step", {}, std::vector<float>{1}).weight("limit", {}, std::vector<float>{limit});
  std::vector<float> same(kLoopSize * kLoopSize);  // a matmul is not constant-folded
  for (size_t i = 0; i < kLoopSize; ++i) same[i * kLoopSize + i] = 1;
  m.weight("same", {kLoopSize, kLoopSize}, same);
  m.weight("zero", {}, std::vector<float>{0}).node("Mul", {"x", "zero"}, {"start"});
  if (in_a_branch) {
    branch.output("last", {1, kLoopSize}).node("Loop", {"", "", "start"}, {"last"}, {{"body", &body}}, "count");
    other.output("minus", {1, kLoopSize}).node("Neg", {"start"}, {"minus"});
    m.node("ReduceMax", {"start"}, {"most"}, {{"keepdims", int64_t{0}}}).node("Equal", {"most", "zero"}, {"chosen"});
    m.node("If", {"chosen"}, {"result"}, {{"then_branch", &branch}, {"else_branch", &other}}, "choose");
  } else {
    m.node("Loop", {"", "", "start"}, {"result"}, {{"body", &body}}, "count");
  }
  m.node("Neg", {"result"}, {"y"}, {}, "behind").output("y", {1, kLoopSize});
  write_model(path, m);
}

std::vector<std::string> write_incomplete_models(const TempFolder& folder) {
  std::vector<std::string> paths{folder / "unknown.onnx", folder / "deferred.onnx", folder / "free.onnx",
                                 folder / "assumed.onnx"};
  OnnxMaker unknown(20), deferred(20), free(20), assumed(20), wide(20), narrow(20);
  unknown.input("x", {4}).node("Neg", {"x"}, {"n"}).node("Frobnicate", {"n"}, {"y"}).output("y", {4});
  unknown.external_weight("w", {4}, {{"location", "absent.data"}}).node("Add", {"n", "w"}, {"z"}).output("z");
  unknown.node("Frobnicate", {"n"}, {"u"});
  write_model(paths[0], unknown);
  deferred.input("x", {4}).node("Neg", {"x"}, {"n"}).node("NonZero", {"n"}, {"y"}).output("y", {}, kInt64);
  write_model(paths[1], deferred);
  free.input("x", {-1, 4}).node("Neg", {"x"}, {"y"}).output("y");
  write_model(paths[2], free);
  // The branch, and with it the smallest size of x, depends on the value of an input.
  wide.output("w").weight("k", {1, 1, 600}, std::vector<float>(600, 0.5F)).node("Conv", {"x", "k"}, {"w"});
  narrow.output("n").node("Relu", {"x"}, {"n"});
  assumed.input("x", {-1, 1, -2}).input("rate", {}, kInt64).output("y");
  assumed.weight("expected", {}, std::vector<int64_t>{16000}).node("Equal", {"rate", "expected"}, {"same"});
  assumed.node("If", {"same"}, {"y"}, {{"then_branch", &wide}, {"else_branch", &narrow}});
  write_model(paths[3], assumed);
  return paths;
}

}  // namespace arenascope::test
