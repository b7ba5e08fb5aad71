// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli report: the same figures in all forms, and a page that needs no other file.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

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

TEST_CASE("the report lists findings with their savings in all forms") {
  const TempFolder folder;
  const std::vector<std::string> wasteful{"report", "zoo:squeezenet", "--planner", "none"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), wasteful.begin(), wasteful.end());
    return cli(more);
  };
  const Json report = Json::parse(with({"--json"}).out);
  const Json& findings = report.at("findings");
  REQUIRE(findings.size() >= 2);
  CHECK(findings[0].at("saved_bytes").get<int64_t>() > 0);
  for (size_t i = 1; i < findings.size(); ++i) {
    const auto saved = [&](size_t at) {
      return findings[at]["saved_bytes"].is_null() ? 0 : findings[at]["saved_bytes"].get<int64_t>();
    };
    CHECK(saved(i) <= saved(i - 1));
  }
  const auto planner = std::ranges::find(findings, Json("planner"), [](const Json& f) { return f["kind"]; });
  REQUIRE(planner != findings.end());
  // A planner that reaches the lower bound saves all that the plan without reuse has above it.
  CHECK((*planner)["saved_bytes"] ==
        report["totals"]["arena_bytes"].get<int64_t>() - report["totals"]["lower_bound_bytes"].get<int64_t>());
  const std::string text = with({}).out, markdown = with({"--markdown"}).out;
  const auto sentence = (*planner)["sentence"].get<std::string>();
  CHECK(sentence.find("reduces the arena by") != std::string::npos);
  CHECK(text.find(sentence) != std::string::npos);
  CHECK(markdown.find(sentence) != std::string::npos);
  CHECK(markdown.find("| saving | finding |") != std::string::npos);
  CHECK(Json::parse(with({"--findings", "0", "--json"}).out)["findings"].empty());
}

#ifdef ARENASCOPE_WINDOW
namespace {

// Letters only: the window rounds numbers in another way.
std::string letters(const std::string& text) {
  std::string out;
  for (const char c : text)
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) out += c;
  return out;
}

}  // namespace

TEST_CASE("the report's findings of a recording are those of the window") {
  if (!std::filesystem::exists(ARENASCOPE_WINDOW)) {
    MESSAGE("skipped: " << ARENASCOPE_WINDOW << " is not built");
    return;
  }
  const Recorded recorded;
  const std::string csv = recorded / "findings.csv";
  const Ended exported = run_program("/usr/bin/env", {"QT_QPA_PLATFORM=offscreen", "LC_ALL=C.UTF-8", ARENASCOPE_WINDOW,
                                                      "--export", "findings", "-o", csv, recorded.file});
  REQUIRE_MESSAGE(exported.status == 0, exported.err);
  std::vector<std::string> of_window, of_report;
  std::istringstream lines(read_file(csv));
  std::string line;
  std::getline(lines, line);  // the column titles
  while (std::getline(lines, line)) of_window.push_back(letters(line.substr(line.find(',') + 1)));
  const Json report = Json::parse(cli({"report", recorded.file, "--json"}).out);
  for (const Json& finding : report["findings"]) of_report.push_back(letters(finding["sentence"].get<std::string>()));
  CHECK(!of_report.empty());
  CHECK(of_report == of_window);
}
#endif

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

namespace {

bool has_browser() {
  if (run_program("/bin/sh", {"-c", "command -v chromium"}).status == 0) return true;
  MESSAGE("skipped: chromium is not installed");
  return false;
}

// The document after the page's script and then `script` have run.
std::string document_of(const TempFolder& folder, const std::string& page, const std::string& script = "") {
  const std::string tried = folder / "tried.html";
  std::string html = read_file(page);
  html.insert(html.rfind("</body>"), "<script>" + script + "</script>" + R"(<script>
    const text = typeof tried === 'undefined' ? '{}' : JSON.stringify(tried);
    document.body.append(Object.assign(document.createElement('pre'), {id: 'tried', textContent: text}));</script>)");
  write_file(tried, html);
  const Ended dom =
      run_program("/usr/bin/env", {"chromium", "--headless", "--no-sandbox", "--disable-gpu", "--lang=en",
                                   "--user-data-dir=" + (folder / "profile"), "--dump-dom", "file://" + tried});
  CHECK(dom.status == 0);
  return dom.out;
}

// The object `tried` that the script has left in the document.
Json tried_of(const std::string& document) {
  const std::string begin = R"(<pre id="tried">)";
  const size_t from = document.find(begin);
  REQUIRE(from != std::string::npos);
  std::string text = document.substr(from + begin.size(), document.find("</pre>", from) - from - begin.size());
  for (const auto& [entity, character] : {std::pair{"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}})
    for (size_t at = 0; (at = text.find(entity, at)) != std::string::npos; ++at)
      text.replace(at, std::string_view(entity).size(), character);
  return Json::parse(text);
}

}  // namespace

TEST_CASE("a browser sorts the findings and translates them") {
  if (!has_browser()) return;
  const TempFolder folder;
  const std::string page = folder / "page.html";
  REQUIRE(cli({"report", "zoo:squeezenet", "--planner", "none", "-o", page}).status == 0);
  // The saved bytes after one and after two clicks on the title of the column, and the sentences in Chinese.
  const Json tried = tried_of(document_of(folder, page, R"(
    const cells = n => [...document.querySelectorAll('#findings tbody tr')].map(r => r.children[n].textContent);
    const title = () => document.querySelectorAll('#findings th')[1];
    const tried = {};
    title().click(); tried.down = cells(1); tried.sort = title().getAttribute('aria-sort');
    title().dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'})); tried.up = cells(1);
    document.getElementById('language').click(); tried.chinese = cells(0);)"));
  std::vector<std::string> down = tried["down"], up = tried["up"];
  CHECK(tried["sort"] == "descending");
  REQUIRE(down.size() >= 3);
  CHECK(down.front().find("iB") != std::string::npos);
  CHECK(down.back() == "—");
  CHECK(up.front() == "—");
  CHECK(up.back() == down.front());
  REQUIRE(tried["chinese"].size() == down.size());
  for (const Json& sentence : tried["chinese"]) {
    CHECK(sentence.get<std::string>().ends_with("。"));
    CHECK(!std::regex_search(sentence.get<std::string>(), std::regex("%[0-9n]")));
  }
}

TEST_CASE("a browser draws flame graphs that zoom, search and describe their frames") {
  if (!has_browser()) return;
  const Recorded recorded;
  REQUIRE(cli({"report", recorded.file, "-o", recorded.page}).status == 0);
  const Json flames = data_of(read_file(recorded.page))["flames"];
  REQUIRE(flames.size() >= 3);
  const Json tried = tried_of(document_of(recorded, recorded.page, R"(
    const canvas = () => document.querySelector('#flame canvas');
    const choice = document.querySelector('#flame select');
    choice.value = [...choice.options].findIndex(o => o.textContent.startsWith('Time of spans'));
    choice.dispatchEvent(new Event('change'));
    const status = () => document.getElementById('flame-current').textContent;
    const key = k => canvas().dispatchEvent(new KeyboardEvent('keydown', {key: k}));
    const at = (type, x, row) => {
      const box = canvas().getBoundingClientRect();
      canvas().dispatchEvent(new PointerEvent(type, {clientX: box.left + x, clientY: box.top + FLAME_ROW * (row + 0.5)}));
    };
    const focus = () => plots.find(p => p instanceof FlamePlot).focus.name;
    const tried = {choices: choice.options.length, root: status()};
    key('ArrowDown'); tried.track = status();
    key('ArrowRight'); tried.second = status();
    key('ArrowLeft'); key('ArrowDown'); tried.span = status();
    key('Enter'); tried.entered = focus();
    key('Escape'); tried.all = status();
    at('click', 3, 1); tried.clicked = status();
    at('pointermove', 3, 2); tried.tip = tip.textContent;
    at('dblclick', 3, 1); tried.again = status();
    const search = document.getElementById('search');
    search.value = 'features.0'; search.dispatchEvent(new Event('input')); tried.search = status();
    tried.rows = [...document.querySelectorAll('#flame tbody tr')].map(r => r.children[0].textContent);
    document.getElementById('language').click(); tried.chinese = status();)"));
  const auto text = [&](const char* key) { return tried.at(key).get<std::string>(); };
  const auto has = [&](const char* key, const std::string& part) {
    CHECK_MESSAGE(text(key).find(part) != std::string::npos, key << ": " << text(key));
  };
  CHECK(tried["choices"] == flames.size());
  has("root", "all, Total");
  has("root", "(100.0 %)");
  for (const char* key : {"track", "second", "span", "clicked"}) CHECK(text(key) != text("root"));
  CHECK(text("second") != text("track"));
  CHECK(text("span").starts_with(text("entered") + ", Total"));
  CHECK(text("all") == text("root"));
  CHECK(text("clicked") == text("track"));
  has("tip", "\nSelf ");
  has("tip", text("entered"));
  CHECK(text("again") == text("root"));
  has("search", "matching the search:");
  for (const Json& row : tried["rows"]) CHECK(row.get<std::string>().find("features.0") != std::string::npos);
  CHECK(!tried["rows"].empty());
  has("chinese", "合计");
}

TEST_CASE("a browser scrolls to the selected frame of a deep flame graph") {
  if (!has_browser()) return;
  const TempFolder folder;
  const std::string trace = folder / "trace.json", page = folder / "page.html";
  std::string events = R"([{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1000,"name":"level 0"})";
  for (int i = 1; i < 60; ++i)
    events += R"(,{"ph":"X","pid":1,"tid":1,"ts":)" + std::to_string(i) + R"(,"dur":)" + std::to_string(1000 - 2 * i) +
              R"(,"name":"level )" + std::to_string(i) + "\"}";
  write_file(trace, events + "]");
  REQUIRE(cli({"report", trace, "-o", page}).status == 0);
  const Json tried = tried_of(document_of(folder, page, R"(
    const canvas = document.querySelector('#flame canvas'), view = canvas.closest('.scroll');
    const key = k => canvas.dispatchEvent(new KeyboardEvent('keydown', {key: k}));
    for (let i = 0; i < 52; ++i) key('ArrowDown');
    const tried = {frame: document.getElementById('flame-current').textContent, below: view.scrollTop};
    key('Home'); tried.above = view.scrollTop;)"));
  CHECK(tried["frame"].get<std::string>().starts_with("level 50, "));
  CHECK(tried["below"] > 400);
  CHECK(tried["above"] == 0);
}

TEST_CASE("frames of a flame graph are a tree whose totals add up") {
  const TempFolder folder;
  const std::string snapshot = folder / "snapshot.pickle";
  write_file(snapshot, snapshot_pickle());
  const Json report = Json::parse(cli({"report", snapshot, "--json"}).out);
  REQUIRE(!report["flames"].empty());
  for (const Json& flame : report["flames"]) {
    CHECK(flame["unit"] == "bytes");
    std::vector<int64_t> open;
    for (const Json& frame : flame["frames"]) {
      REQUIRE(frame[0].get<size_t>() < report["names"].size());
      if (!open.empty()) open.at(frame[1].get<size_t>()) -= frame[2].get<int64_t>();
      open.push_back(frame[2].get<int64_t>() - frame[3].get<int64_t>());
    }
    CHECK(std::ranges::all_of(open, [](int64_t bytes) { return bytes == 0; }));
  }
  CHECK(report["flames"][0]["frames"][0][2] == report["totals"]["peak_bytes"]);
}

TEST_CASE("a flame graph keeps its largest frames") {
  const TempFolder folder;
  const std::string trace = folder / "trace.json";
  std::string events = "[";
  for (int i = 0; i < 6000; ++i)
    events += (i > 0 ? "," : "") + std::string(R"({"ph":"X","pid":1,"tid":1,"ts":)") + std::to_string(20000 * i) +
              R"(,"dur":)" + std::to_string(1 + i) + R"(,"name":"span )" + std::to_string(i) + "\"}";
  write_file(trace, events + "]");
  const Json report = Json::parse(cli({"report", trace, "--json"}).out);
  REQUIRE(report["flames"].size() == 1);
  const Json& flame = report["flames"][0];
  CHECK(flame["weight"] == "span-time");
  CHECK(flame["frames"].size() == 5000);
  CHECK(flame["omitted"] == 1002);  // omitted from 6,000 spans, their track and the root
  int64_t least = INT64_MAX;
  for (const Json& frame : flame["frames"]) least = std::min(least, frame[2].get<int64_t>());
  CHECK(least == 1'003'000);  // the 1,002 shortest are omitted
}

TEST_CASE("a browser builds the page of a run, a trace and a snapshot") {
  if (!has_browser()) return;
  const Recorded recorded;
  const std::string snapshot = recorded / "snapshot.pickle";
  write_file(snapshot, snapshot_pickle());
  for (const std::string& file : {recorded.file, snapshot, std::string("zoo:mnist_cnn")}) {
    CAPTURE(file);
    REQUIRE(cli({"report", file, "-o", recorded.page}).status == 0);
    const std::string dom = document_of(recorded, recorded.page);
    CHECK(dom.find("data-built=\"true\"") != std::string::npos);  // set after all sections are built
    CHECK(dom.find("<canvas") != std::string::npos);
  }
}
