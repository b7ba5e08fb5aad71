// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli serve --mcp, driven as a client of the Model Context Protocol does.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

struct Served : TempFolder {
  std::string folder = *this / "served";
  Served() {
    std::filesystem::create_directory(folder);
    write_file(folder + "/a.csv", "id,lower,upper,size\na,0,2,64\nb,1,3,64\n");
    write_file(folder + "/b.csv", "id,lower,upper,size\na,0,2,128\nb,1,3,64\n");
    write_file(*this / "secret.csv", "id,lower,upper,size\nsecret,0,2,64\n");
    std::filesystem::create_symlink(*this / "secret.csv", folder + "/link.csv");
    std::filesystem::create_directory(folder + "/model");
    std::filesystem::create_symlink(*this / "secret.csv", folder + "/model/model.onnx");
  }

  // The responses to the lines, in order. Each but the last must be answered by one line.
  std::vector<Json> answers(const std::string& lines, std::vector<std::string> options = {}) const {
    write_file(*this / "requests", lines);
    options.insert(options.begin(), {"serve", "--mcp", "--folder", folder});
    const Ended ended = cli(options, {.in = *this / "requests", .out = {}});
    CHECK_MESSAGE(ended.status == 0, ended.err);
    CHECK(ended.err.empty());
    std::vector<Json> all;
    std::istringstream out(ended.out);
    for (std::string line; std::getline(out, line);) all.push_back(Json::parse(line));
    return all;
  }
};

std::string request(const Json& id, const std::string& method, const Json& parameters = Json::object()) {
  return Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", parameters}}.dump() + "\n";
}
std::string call(const std::string& tool, const Json& arguments) {
  return request(1, "tools/call", {{"name", tool}, {"arguments", arguments}});
}
std::string text_of(const Json& answer) { return answer.at("result").at("content").at(0).at("text"); }
bool is_tool_error(const Json& answer) { return answer.at("result").at("isError"); }

}  // namespace

TEST_CASE("a client negotiates, lists the tools and calls each") {
  const Served served;
  const auto answers =
      served.answers(request(1, "initialize", {{"protocolVersion", "2025-03-26"}, {"capabilities", Json::object()}}) +
                     R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
                     "\n" +
                     request("two", "ping") + request(3, "tools/list") + call("info", {{"file", "zoo:mul_mat"}}) +
                     call("report", {{"file", "a.csv"}}) +
                     call("query", {{"file", "a.csv"}, {"sql", "SELECT planner, arena_bytes FROM plans"}}) +
                     call("plan", {{"file", "a.csv"}, {"capacity", 64}, {"format", "json"}}) +
                     call("diff", {{"a", "a.csv"}, {"b", "b.csv"}}));
  REQUIRE(answers.size() == 8);  // none to the notification
  CHECK(answers[0]["result"]["protocolVersion"] == "2025-03-26");
  CHECK(answers[0]["result"]["capabilities"].contains("tools"));
  CHECK(answers[1] == Json{{"jsonrpc", "2.0"}, {"id", "two"}, {"result", Json::object()}});
  const Json& tools = answers[2]["result"]["tools"];
  CHECK(tools.size() == 5);
  for (const Json& tool : tools) {
    CHECK(tool["annotations"]["readOnlyHint"] == true);
    for (const Json& name : tool["inputSchema"]["required"])
      CHECK(tool["inputSchema"]["properties"].contains(name.get<std::string>()));
  }
  CHECK(tools[2]["description"].get<std::string>().find("spans(id, track, depth, begin_ns") != std::string::npos);

  CHECK(text_of(answers[3]) == cli({"info", "zoo:mul_mat"}).out);
  CHECK(text_of(answers[4]).find("| at the peak | bytes | blocks |") != std::string::npos);
  CHECK(text_of(answers[5]) ==
        cli({"query", served.folder + "/a.csv", "--csv", "SELECT planner, arena_bytes FROM plans"}).out);
  // A plan that does not fit is an answer, not an error; its object and the message are two texts.
  CHECK_FALSE(is_tool_error(answers[6]));
  CHECK(Json::parse(text_of(answers[6]))["results"][0]["arena_bytes"] == 128);
  CHECK(answers[6]["result"]["content"][1]["text"].get<std::string>().find("capacity") != std::string::npos);
  CHECK_FALSE(is_tool_error(answers[7]));
  CHECK(text_of(answers[7]).find("| **arena** |") != std::string::npos);
}

TEST_CASE("files outside of the folder, options as arguments and wrong types are refused") {
  const Served served;
  const std::vector<std::pair<std::string, std::string>> cases{
      {call("info", {{"file", "../secret.csv"}}), "expected a file below"},
      {call("info", {{"file", served / "secret.csv"}}), "expected a file below"},
      {call("info", {{"file", "link.csv"}}), "expected a file below"},
      {call("info", {{"file", "model"}}), "expected a file, found a directory"},
      {call("info", {{"file", "/etc/passwd"}}), "expected a file below"},
      {call("info", {{"file", "../absent.csv"}}), "expected a file below"},
      {call("info", {{"file", "absent"}}), "absent: file not found below"},
      {call("info", {{"file", ""}}), "expected a path"},
      {call("info", {{"file", std::string("a\0b", 3)}}), "expected a path"},
      {call("info", {{"file", 3}}), "expected a string, found number"},
      {call("info", Json::object()), "expected the argument 'file'"},
      {call("plan", {{"file", "a.csv"}, {"export", "x"}}), "unknown argument 'export'"},
      {call("plan", {{"file", "a.csv"}, {"planner", "--export=x"}}), "--export=x"},
      {call("query", {{"file", "a.csv"}, {"sql", "--tables"}}), "query"},
      {call("query", {{"file", "a.csv"}, {"sql", "ATTACH '/etc/passwd' AS p"}}), "not authorized"},
      {call("report", {{"file", "a.csv"}, {"format", "html"}}), "expected text or json"},
  };
  std::string all;
  for (const auto& [line, message] : cases) all += line;
  const auto answers = served.answers(all);
  REQUIRE(answers.size() == cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(cases[i].first);
    CHECK(is_tool_error(answers[i]));
    CHECK_MESSAGE(text_of(answers[i]).find(cases[i].second) != std::string::npos, text_of(answers[i]));
    CHECK(text_of(answers[i]).find("secret,") == std::string::npos);
  }
  CHECK_FALSE(std::filesystem::exists("x"));
}

TEST_CASE("malformed messages are answered by their error, and the next one is answered") {
  const Served served;
  const std::string deep(100'000, '['), quote(size_t{5} << 20, 'a');
  const std::vector<std::pair<std::string, int>> cases{
      {"{\"jsonrpc\":", -32700},
      {"\x80\xff", -32700},
      {deep, -32600},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":)" + deep + std::string(100'000, ']') + "}", -32600},
      {quote, -32600},
      {"[]", -32600},
      {"42", -32600},
      {R"({"id":1,"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":1})", -32600},
      {R"({"jsonrpc":"2.0","id":{},"method":"ping"})", -32600},
      {R"({"jsonrpc":"2.0","id":1,"method":"resources/list"})", -32601},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call"})", -32602},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}})", -32602},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"info","arguments":[]}})", -32602},
  };
  std::string all = "\n  \r\n";  // empty lines are no messages
  for (const auto& [line, code] : cases) all += line + "\n" + request("next", "ping");
  all.pop_back();  // the end of the input ends the last line
  const auto answers = served.answers(all);
  REQUIRE(answers.size() == 2 * cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    CAPTURE(cases[i].first.substr(0, 80));
    CHECK(answers[2 * i]["error"]["code"] == cases[i].second);
    CHECK(answers[2 * i + 1]["id"] == "next");
  }
}

TEST_CASE("a query without end and one that is too large end alone") {
  const Served served;
  const std::string endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) ";
  const auto answers = served.answers(
      call("query", {{"file", "a.csv"}, {"sql", endless + "SELECT count(*) FROM n"}}) +
          call("query", {{"file", "a.csv"}, {"sql", endless + "SELECT printf('%.100c', 'x') FROM n LIMIT 20000"}}) +
          request(3, "ping"),
      {"--timeout", "1"});
  REQUIRE(answers.size() == 3);
  CHECK(text_of(answers[0]).find("took longer than 1 s") != std::string::npos);
  CHECK(text_of(answers[1]).find("select fewer rows") != std::string::npos);
  CHECK(answers[2]["id"] == 3);
}

TEST_CASE("each request is answered before the next one is sent") {
  const Served served;
  const Ended ended = run_program("/bin/bash", {"-c",
                                                R"(coproc "$0" serve --mcp --folder "$1"
for id in 1 2 3; do
  echo '{"jsonrpc":"2.0","id":'$id',"method":"ping"}' >&"${COPROC[1]}"
  read -t 20 -r line <&"${COPROC[0]}" || exit 1
  echo "$line"
done)",
                                                ARENASCOPE_CLI, served.folder});
  CHECK(ended.status == 0);
  CHECK(std::count(ended.out.begin(), ended.out.end(), '\n') == 3);
}

TEST_CASE("serve needs a protocol and a folder") {
  CHECK(cli({"serve"}).says_one_line("expected --mcp"));
  CHECK(cli({"serve", "--mcp", "--folder", "/absent"}).says_one_line("/absent: expected a folder"));
}
