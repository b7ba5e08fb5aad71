// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON objects in docs/reference/plan-format.md have exactly the keys that the commands print.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/engine/models/onnx_maker.h"
#include "tests/engine/trace/sample_traces.h"

using namespace arenascope::test;

namespace {

using arenascope::models::test::kInt64;
using arenascope::models::test::OnnxMaker;
using Json = nlohmann::json;

// Keys with the keys of the enclosing objects: "results.planner".
struct Keys {
  std::set<std::string> all;
  std::set<std::string> open;  // objects with arbitrary keys and lists of unspecified content
};

// The keys of an object as the documents write it: {"key", "key"?: [{"key"}], "key": {name: n}, "key": [..]}.
Keys documented_keys(const std::string& text) {
  Keys keys;
  std::vector<std::string> prefixes;
  std::string last;
  bool is_value = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      const size_t end = text.find('"', i + 1);
      REQUIRE(end != std::string::npos);
      REQUIRE_FALSE(prefixes.empty());
      if (!is_value) keys.all.insert(last = prefixes.back() + text.substr(i + 1, end - i - 1));
      i = end;
    } else if (c == '{') {
      if (std::isalpha(static_cast<unsigned char>(text[i + 1])) != 0) keys.open.insert(last);
      prefixes.push_back(last.empty() ? "" : last + ".");
    } else if (c == '}') {
      REQUIRE_FALSE(prefixes.empty());
      prefixes.pop_back();
    } else if (c == '[' && text[i + 1] == '.') {
      keys.open.insert(last);
    }
    if (c == ':')
      is_value = true;
    else if (c != ' ' && c != '"')
      is_value = false;
  }
  CHECK(prefixes.empty());
  return keys;
}

void collect_keys(const Json& json, const std::string& prefix, const std::set<std::string>& open,
                  std::set<std::string>& keys) {
  if (json.is_array())
    for (const Json& element : json) collect_keys(element, prefix, open, keys);
  if (!json.is_object()) return;
  for (const auto& [key, value] : json.items()) {
    keys.insert(prefix + key);
    if (open.count(prefix + key) == 0) collect_keys(value, prefix + key + ".", open, keys);
  }
}

// The block that follows `marker` in a page.
std::string block_after(const std::string& page, const std::string& marker) {
  const std::string text = read_file(std::filesystem::path(ARENASCOPE_SOURCE_DIR) / page);
  const size_t at = text.find(marker);
  REQUIRE_MESSAGE(at != std::string::npos, page << " lacks " << marker);
  const size_t begin = text.find("\n    {", at);
  REQUIRE(begin != std::string::npos);
  return text.substr(begin, text.find("\n\n", begin) - begin);
}

const char* const kPage = "docs/reference/plan-format.md";

// The report is described once, for all commands.
void check_report(const Json& report) {
  const Keys documented = documented_keys(block_after(kPage, "\n`report`"));
  std::set<std::string> printed;
  collect_keys(report, "", documented.open, printed);
  for (const std::string& key : printed)
    CHECK_MESSAGE(documented.all.count(key) == 1, kPage << " lacks '" << key << "' of the report");
}

void check_keys(const std::string& page, const std::string& marker, const std::vector<std::string>& outputs) {
  CAPTURE(marker);
  const Keys documented = documented_keys(block_after(page, marker));
  std::set<std::string> printed;
  for (const std::string& output : outputs) {
    Json json = Json::parse(output, nullptr, false);
    REQUIRE_MESSAGE(json.is_object(), output);
    if (json.contains("report")) check_report(json["report"]);
    json.erase("report");
    collect_keys(json, "", documented.open, printed);
  }
  for (const std::string& key : documented.all)
    CHECK_MESSAGE(printed.count(key) == 1, page << " describes '" << key << "', which is not printed");
  for (const std::string& key : printed)
    CHECK_MESSAGE(documented.all.count(key) == 1, page << " lacks '" << key << "', which is printed");
}

void write_model(const std::string& path, const OnnxMaker& model) {
  const auto bytes = model.bytes();
  write_file(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

// One model per reason why a plan omits or assumes something; returns their paths.
std::vector<std::string> write_open_models(const TempFolder& folder) {
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

}  // namespace

TEST_CASE("keys of documented objects are found with their nesting") {
  const Keys keys = documented_keys(R"({"a": "value", "b"?: [{"c", "d": 1}], "e": {name: n}, "f": [..], "g" | "h"})");
  CHECK(keys.all == std::set<std::string>{"a", "b", "b.c", "b.d", "e", "f", "g", "h"});
  CHECK(keys.open == std::set<std::string>{"e", "f"});
}

TEST_CASE("the documented keys of plan and its JSON files are those that are written") {
  const TempFolder folder;
  const std::string plan = folder / "plan.json", recording = folder / "a.pftrace";
  std::vector<std::string> files;
  for (const char* planner : {"search", "two-level"}) {
    REQUIRE(cli({"plan", "zoo:squeezenet", "--planner", planner, "--export", plan}).status == 0);
    files.push_back(read_file(plan));
  }
  check_keys(kPage, "\n`plan --export plan.json`", files);

  REQUIRE(cli({"run", "zoo:squeezenet", "--record", recording}).status == 0);
  std::vector<std::string> outputs{cli({"plan", recording, "--json"}).out};
  for (const std::string& model : write_open_models(folder))
    outputs.push_back(cli({"plan", model, "--allow-unknown", "--json"}).out);
  write_file(folder / "pinned.csv", "id,lower,upper,size,offset\na,0,2,64,0\nb,1,3,64,64\n");
  outputs.push_back(cli({"plan", folder / "pinned.csv", "--json"}).out);
  check_keys(kPage, "\n`plan --json`", outputs);
}

TEST_CASE("the documented keys of devices, info and audit are those that are printed") {
  const TempFolder folder;
  check_keys(kPage, "\n`devices --json`",
             {cli({"devices", "--json"}).out, cli({"devices", "--tuning", "--cache", folder / "cache", "--json"}).out});

  const std::string header = R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  write_file(folder / "w.safetensors",
             std::string{static_cast<char>(header.size())} + std::string(7, '\0') + header + std::string(8, '\0'));
  std::vector<std::string> outputs{cli({"info", "zoo:squeezenet", "--fuse", "--json"}).out,
                                   cli({"info", folder / "w.safetensors", "--json"}).out};
  for (const std::string& model : write_open_models(folder)) outputs.push_back(cli({"info", model, "--json"}).out);
  check_keys(kPage, "\n`info --json`", outputs);

  const std::string recording = folder / "a.pftrace";
  REQUIRE(cli({"run", "zoo:mul_mat", "--record", recording}).status == 0);
  check_keys(kPage, "\n`info --json` of a recording or trace", {cli({"info", recording, "--json"}).out});
  check_keys(kPage, "\n`audit --json`", {cli({"audit", recording, "--json"}).out});
}

TEST_CASE("the documented keys of diff are those that are printed") {
  const TempFolder folder;
  write_file(folder / "a.csv", "id,lower,upper,size\na,0,2,64\nb,1,3,64\n");
  write_file(folder / "b.csv", "id,lower,upper,size\na,0,2,128\nb,1,3,64\n");
  check_keys(kPage, "\n`diff --json`", {cli({"diff", folder / "a.csv", folder / "b.csv", "--json"}).out});
}

TEST_CASE("the documented keys of query are those that are printed") {
  check_keys(kPage, "\n`query --json`", {cli({"query", "zoo:mul_mat", "SELECT * FROM nodes", "--json"}).out});
}

TEST_CASE("the documented keys of report are those that are printed") {
  const TempFolder folder;
  const std::string recording = folder / "a.pftrace";
  REQUIRE(cli({"run", "zoo:mul_mat", "--record", recording}).status == 0);
  check_keys(kPage, "\n`report --json`", {cli({"report", recording, "--json"}).out});
}

TEST_CASE("the documented keys of attach and replay are those that are printed") {
  const TempFolder folder;
  check_keys(kPage, "\n`attach --json`",
             {cli({"attach", "--json", "--record", folder / "a.pftrace", "--", ARENASCOPE_TARGET, "all"}).out,
              cli({"attach", "--json", "--", "sh", "-c", ARENASCOPE_TARGET " all; kill -9 $$"}).out});
  write_file(folder / "a.pickle", snapshot_pickle());
  check_keys(kPage, "\n`replay --json`",
             {cli({"replay", folder / "a.pickle", "--json"}).out,
              cli({"replay", folder / "a.pickle", "--memory", "4096", "--json"}).out});
}
