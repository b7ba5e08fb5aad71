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
    // The declared shape of x4 is the last node's; x3 has none, x1 and x2 are inferred.
    CHECK(Json::parse(json.out).value("unknown_sizes", Json::array()) ==
          (unknown == 2 ? Json::array({"x3"}) : Json::array()));
    CHECK((text.out.find("size unknown: x3\n") != std::string::npos) == (unknown == 2));
    CHECK(Json::parse(json.out)["report"]["incomplete"].get<std::string>().find("1 of 4 nodes") != std::string::npos);
    const Ended accepted = cli({"plan", part, "--allow-unknown"});
    CHECK(accepted.status == 0);
    CHECK(accepted.err.empty());
  }
}

TEST_CASE("every answer about an incomplete model has status 1 unless this is allowed") {
  const TempFolder folder;
  const std::string part = folder / "part.onnx", trace = folder / "cut.pftrace";
  write_chain(part, 2);
  REQUIRE(cli({"run", "zoo:squeezenet", "--record", trace}).status == 0);
  const std::string whole = read_file(trace);
  write_file(trace, whole.substr(0, whole.size() - 20));
  const std::vector<std::vector<std::string>> commands{{"info", part},
                                                       {"info", part, "--json"},
                                                       {"plan", part, "--no-fusion"},
                                                       {"plan", part, "--streams", "2"},
                                                       {"plan", part, "--banks", "a=1M"},
                                                       {"plan", part, "--moves", "depth-first"},
                                                       {"plan", part, "--no-rewrite", "--why", "n0", "n3"},
                                                       {"plan", part, "--export", folder / "plan.csv"},
                                                       {"info", trace},
                                                       {"plan", trace},
                                                       {"audit", trace},
                                                       {"audit", trace, "--json"},
                                                       {"convert", trace, folder / "cut.json"}};
  for (std::vector<std::string> arguments : commands) {
    CAPTURE(joined(arguments));
    const Ended ended = cli(arguments);
    CHECK(ended.status == 1);
    CHECK(ended.says_one_line("--allow-unknown accepts it"));
    CHECK(ended.says_one_line(arguments[1]));
    CHECK_FALSE(ended.out.empty());
    arguments.emplace_back("--allow-unknown");
    const Ended allowed = cli(arguments);
    CHECK(allowed.status == 0);
    CHECK(allowed.err.empty());
  }
  // Commands that compute refuse it.
  for (const char* command : {"run", "verify"}) CHECK(cli({command, part}).status != 0);
}

TEST_CASE("a model whose weights are missing is inspected and planned; a run is refused in one line") {
  const TempFolder folder;
  const std::string model = folder / "model.onnx";
  OnnxMaker m;
  m.input("x", {2, 4}).output("y");
  m.external_weight("w", {4, 3}, {{"location", "model.onnx.data"}});
  m.external_weight("b", {3}, {{"location", "other.data"}});
  m.node("MatMul", {"x", "w"}, {"p"}).node("Add", {"p", "b"}, {"y"});
  const auto bytes = m.bytes();
  write_file(model, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const Ended info = cli({"info", model});
  CHECK(info.status == 0);
  CHECK(info.out.find("2 weights have no data: 'model.onnx.data' was not found") != std::string::npos);
  const Json object = Json::parse(cli({"info", model, "--json"}).out);
  CHECK(object["missing_data"]["tensors"] == 2);
  CHECK(object["missing_data"]["file"] == "model.onnx.data");
  CHECK(object["parameter_bytes"] == 60);
  const Ended plan = cli({"plan", model, "--no-rewrite", "--no-fusion", "--json"});
  CHECK(plan.status == 0);
  CHECK(Json::parse(plan.out)["lower_bound_bytes"] == 88);  // x at an alignment of 64, and p
  for (const auto& arguments : {std::vector<std::string>{"run", model}, {"verify", model}}) {
    CAPTURE(joined(arguments));
    const Ended refused = cli(arguments);
    CHECK(refused.status != 0);
    CHECK(refused.says_one_line("2 of its weights have no data: 'model.onnx.data' was not found"));
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
