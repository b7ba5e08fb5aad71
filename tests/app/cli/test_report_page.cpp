// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli report: the same figures in all forms, and a page that needs no other file.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/engine/trace/sample_traces.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

Json data_of(const std::string& page) {
  const std::string begin = R"(<script id="data" type="application/json">)";
  const size_t from = page.find(begin);
  REQUIRE(from != std::string::npos);
  const size_t to = page.find("</script>", from);
  return Json::parse(page.substr(from + begin.size(), to - from - begin.size()));
}

struct Recorded : TempFolder {
  std::string file = *this / "run.pftrace", page = *this / "run.html";
  Recorded() { REQUIRE(cli({"run", "zoo:squeezenet", "--repeat", "3", "--record", file}).status == 0); }
};

}  // namespace

TEST_CASE("the report of a run has the recorded totals in all forms") {
  const Recorded recorded;
  const Ended json = cli({"report", recorded.file, "--json"});
  REQUIRE(json.status == 0);
  Json report = Json::parse(json.out);
  CHECK(report.at("report").at("command") == "report");
  report.erase("report");
  const Json info = Json::parse(cli({"info", recorded.file, "--json"}).out);
  CHECK(report["totals"]["peak_bytes"] == info["peak_bytes"]);
  CHECK(report["totals"]["reserved_bytes"] == info["peak_reserved_bytes"]);
  CHECK(report["totals"]["arena_bytes"] == info["graphs"][0]["plan"]["arena_bytes"]);
  CHECK(report["totals"]["runs"] == 3);
  int64_t parts = 0;
  for (const Json& part : report["peak"]["parts"]) parts += part["bytes"].get<int64_t>();
  CHECK(parts == report["totals"]["peak_bytes"].get<int64_t>());

  REQUIRE(cli({"report", recorded.file, "-o", recorded.page}).status == 0);
  CHECK(data_of(read_file(recorded.page)) == report);
  const Ended text = cli({"report", recorded.file}), markdown = cli({"report", recorded.file, "--markdown"});
  for (const Ended* ended : {&text, &markdown}) {
    CHECK(ended->status == 0);
    CHECK(ended->out.find("squeezenet") != std::string::npos);
    CHECK(ended->out.find("slowest nodes") != std::string::npos);
  }
}

TEST_CASE("rectangles of the planned map do not overlap and lie inside the arena") {
  const Json report = Json::parse(cli({"report", "zoo:mobilenet_v2", "--budget", "0.1", "--json"}).out);
  REQUIRE(report["maps"].size() == 1);
  const Json& map = report["maps"][0];
  CHECK(map["source"] == "planned");
  const auto& rectangles = map["rectangles"];
  REQUIRE(rectangles.size() > 20);
  for (size_t i = 0; i < rectangles.size(); ++i) {
    const Json& a = rectangles[i];
    CHECK(a[2].get<int64_t>() + a[3].get<int64_t>() <= map["bytes"].get<int64_t>());
    for (size_t j = 0; j < i; ++j) {
      const Json& b = rectangles[j];
      const bool apart = a[0] >= b[1] || b[0] >= a[1] ||
                         a[2].get<int64_t>() >= b[2].get<int64_t>() + b[3].get<int64_t>() ||
                         b[2].get<int64_t>() >= a[2].get<int64_t>() + a[3].get<int64_t>();
      CHECK(apart);
    }
  }
  CHECK(report["totals"]["peak_bytes"].is_null());  // nothing was run
}

TEST_CASE("the page refers to no other file, and names in it end no script") {
  const TempFolder folder;
  const std::string trace = folder / "trace.json", page = folder / "page.html";
  write_file(trace, R"([{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"</script><img src=x onerror=alert(1)>"}])");
  REQUIRE(cli({"report", trace, "-o", page}).status == 0);
  const std::string html = read_file(page);
  CHECK(html.find("<img") == std::string::npos);
  for (const char* reference : {"http:", "https:", "src=\"", "href=", "@import", "url("})
    CHECK(html.find(reference) == std::string::npos);
  CHECK(data_of(html)["names"][0] == "</script><img src=x onerror=alert(1)>");
}

TEST_CASE("an output that the extension does not determine is one error") {
  const TempFolder folder;
  write_file(folder / "a.csv", "id,lower,upper,size\na,0,2,64\n");
  CHECK(cli({"report", folder / "a.csv", "-o", folder / "a.pdf"}).says_one_line("expected .html, .md, .txt or .json"));
  CHECK(cli({"report", folder / "a.csv", "-o", folder / "a.csv"}).status == 1);
  CHECK(cli({"report", folder / "absent"}).status == 2);
}

TEST_CASE("a browser builds the page of a run, a trace and a snapshot") {
  if (run_program("/bin/sh", {"-c", "command -v chromium"}).status != 0) {
    MESSAGE("skipped: chromium is not installed");
    return;
  }
  const Recorded recorded;
  const std::string snapshot = recorded / "snapshot.pickle";
  write_file(snapshot, snapshot_pickle());
  for (const std::string& file : {recorded.file, snapshot, std::string("zoo:mnist_cnn")}) {
    CAPTURE(file);
    REQUIRE(cli({"report", file, "-o", recorded.page}).status == 0);
    // The script marks the page only after all sections are built.
    const Ended dom = run_program(
        "/usr/bin/env", {"chromium", "--headless", "--no-sandbox", "--disable-gpu", "--lang=en",
                         "--user-data-dir=" + (recorded / "profile"), "--dump-dom", "file://" + recorded.page});
    CHECK(dom.status == 0);
    CHECK(dom.out.find("data-built=\"true\"") != std::string::npos);
    CHECK(dom.out.find("<canvas") != std::string::npos);
  }
}
