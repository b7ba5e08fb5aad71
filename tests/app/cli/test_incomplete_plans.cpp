// SPDX-License-Identifier: GPL-3.0-or-later
// `plan` does not answer for a model of which it leaves out nodes, unless that is accepted.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/engine/models/onnx_maker.h"

using namespace arenascope::test;

namespace {

using arenascope::models::test::OnnxMaker;
using Json = nlohmann::json;

// A chain of four nodes; the one at `unknown` has an operator that does not exist (-1: none has).
void write_chain(const std::string& path, int unknown, int64_t size = 64) {
  OnnxMaker m(20);
  m.input("x0", {1, size});
  for (int i = 0; i < 4; ++i)
    m.node(i == unknown ? "Frobnicate" : "Neg", {"x" + std::to_string(i)}, {"x" + std::to_string(i + 1)}, {},
           "n" + std::to_string(i));
  m.output("x4", {1, size});
  const auto bytes = m.bytes();
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

TEST_CASE("a plan without nodes that are not supported is a failure, in text and JSON") {
  const TempFolder folder;
  const std::string whole = folder / "whole.onnx", part = folder / "part.onnx";
  write_chain(whole, -1);
  CHECK(cli({"plan", whole}).status == 0);
  for (const int unknown : {2, 3}) {
    write_chain(part, unknown);
    const Ended text = cli({"plan", part});
    CHECK(text.status == 1);
    CHECK(text.says_one_line("the plan is incomplete"));
    CHECK(text.out.find("not planned: 1 × Frobnicate") != std::string::npos);
    const Ended json = cli({"plan", part, "--json"});
    CHECK(json.status == 1);
    CHECK(Json::parse(json.out)["unsupported"]["Frobnicate"] == 1);
    const Ended accepted = cli({"plan", part, "--allow-unknown"});
    CHECK(accepted.status == 0);
    CHECK(accepted.err.empty());
  }
}

TEST_CASE("a plan reports the sizes that it assumed") {
  const TempFolder folder;
  const std::string model = folder / "open.onnx";
  write_file(model, add_model(-1));
  const Ended text = cli({"plan", model});
  CHECK(text.status == 0);
  CHECK(text.out.find("N = ") != std::string::npos);
  CHECK(Json::parse(cli({"plan", model, "--json"}).out)["assumed_dimensions"].contains("N"));
  CHECK(!Json::parse(cli({"plan", model, "--dim", "N=4", "--json"}).out).contains("assumed_dimensions"));
}
