// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli diff: silent for two runs of one build, exit status 1 beyond a limit of growth, and the cause by name.
#include <doctest/doctest.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

std::string buffers(int64_t second) {
  return fmt::format("id,lower,upper,size\nfirst,0,2,6400\nsecond,1,3,{}\nthird,2,4,640\n", second);
}

struct Files : TempFolder {
  std::string base = *this / "base.csv", same = *this / "same.csv", larger = *this / "larger.csv";
  Files() {
    write_file(base, buffers(3200));
    write_file(same, buffers(3200));
    write_file(larger, buffers(3488));  // 3 % more in the fullest step
  }
};

Json json_of(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  return Json::parse(cli(arguments).out);
}

const Json& metric_of(const Json& diff, const std::string& name) {
  for (const Json& metric : diff["metrics"])
    if (metric["name"] == name) return metric;
  FAIL("no metric " << name);
  return diff;
}

}  // namespace

TEST_CASE("two runs of one build have no difference") {
  const TempFolder folder;
  const std::string a = folder / "a.pftrace", b = folder / "b.pftrace";
  for (const std::string& file : {a, b}) REQUIRE(cli({"run", "zoo:squeezenet", "--record", file}).status == 0);
  for (const char* form : {"", "--markdown"}) {
    std::vector<std::string> command{"diff", a, b};
    if (*form != '\0') command.emplace_back(form);
    const Ended ended = cli(command);
    CHECK(ended.status == 0);
    CHECK(ended.out.empty());
    CHECK(ended.err.empty());
  }
  const Ended all = cli({"diff", a, b, "--all"});
  CHECK(all.status == 0);
  for (const char* metric : {"peak", "reserved", "arena", "node-time", "run-time"})
    CHECK(all.out.find(metric) != std::string::npos);
}

TEST_CASE("a larger peak is exit status 1 and names the tensor") {
  const Files files;
  CHECK(cli({"diff", files.base, files.same}).out.empty());
  const Ended ended = cli({"diff", files.base, files.larger});
  CHECK(ended.status == 1);
  CHECK(ended.out.find("arena ") != std::string::npos);
  CHECK(ended.out.find("exceeds arena+0") != std::string::npos);
  CHECK(ended.out.find("  second ") != std::string::npos);
  CHECK(ended.out.find("  first ") == std::string::npos);
  const Ended markdown = cli({"diff", files.base, files.larger, "--markdown"});
  CHECK(markdown.status == 1);
  CHECK(markdown.out.find("| `second` |") != std::string::npos);

  const Json json = json_of({"diff", files.base, files.larger});
  CHECK(json["changed"] == true);
  CHECK(json["exceeded"] == true);
  const Json& arena = metric_of(json, "arena");
  CHECK(arena["b"].get<int64_t>() - arena["a"].get<int64_t>() == 3488 - 3200);
  CHECK(arena["exceeds"] == "arena+0");
  REQUIRE(arena["contributions"].size() >= 1);
  CHECK(arena["contributions"][0]["name"] == "second");
  CHECK(metric_of(json, "peak")["a"].is_null());
}

TEST_CASE("growth within a limit is exit status 0") {
  const Files files;
  CHECK(cli({"diff", files.base, files.larger, "--fail-on", "arena+5%"}).status == 0);
  CHECK(cli({"diff", files.base, files.larger, "--fail-on", "arena+1KiB"}).status == 0);
  CHECK(cli({"diff", files.base, files.larger, "--fail-on", "arena+2%"}).status == 1);
  CHECK(cli({"diff", files.base, files.larger, "--fail-on", "arena+100B"}).status == 1);
  CHECK(cli({"diff", files.larger, files.base}).status == 0);  // smaller
}

TEST_CASE("a limit that cannot be checked is not met") {
  const Files files;
  const Ended ended = cli({"diff", files.base, files.same, "--fail-on", "node-time+10%"});
  CHECK(ended.status == 1);
  CHECK(ended.says_one_line("the limit node-time+10% cannot be checked: node-time is not recorded"));
}

TEST_CASE("a malformed limit is one error that lists what is available") {
  const Files files;
  const std::pair<const char*, const char*> cases[] = {{"arena", "a limit has the form METRIC+AMOUNT"},
                                                       {"arena+", "a limit has the form METRIC+AMOUNT"},
                                                       {"arena+-1", "a limit has the form"},
                                                       {"speed+1%", "unknown metric 'speed'; available: peak"},
                                                       {"arena+1x", "unknown unit 'x'; available: %"},
                                                       {"node-time+1KiB", "unknown unit 'KiB'"},
                                                       {"arena+0,", "a limit has the form"}};
  for (const auto& [limit, message] : cases) {
    CAPTURE(limit);
    const Ended ended = cli({"diff", files.base, files.same, "--fail-on", limit});
    CHECK(ended.status == 2);
    CHECK(ended.says_one_line(message));
  }
  CHECK(cli({"diff", files.base, "absent.pftrace"}).status == 2);
}

TEST_CASE("a model is compared by its plan") {
  const Ended same = cli({"diff", "zoo:mnist_cnn", "zoo:mnist_cnn", "--budget", "0.1"});
  CHECK(same.status == 0);
  CHECK(same.out.empty());
  const Ended other = cli({"diff", "zoo:mnist_cnn", "zoo:squeezenet", "--budget", "0.1"});
  CHECK(other.status == 1);
  CHECK(other.out.find("only in B: ") != std::string::npos);
}
