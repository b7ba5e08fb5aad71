// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope --course and --lesson … -o FILE.html: self-contained pages, on which a browser answers every question wrongly
// and then correctly, by mouse and keyboard.
#include <doctest/doctest.h>

#include <filesystem>

#include <nlohmann/json.hpp>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"

#ifdef ARENASCOPE_WINDOW

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

constexpr uintmax_t kMaxPage = 2'000'000;  // bytes

Json data_of_lesson(const std::string& page) {
  const std::string begin = R"(<script id="data" type="application/json">)";
  const size_t from = page.find(begin) + begin.size();
  return Json::parse(page.substr(from, page.find("</script>", from) - from));
}

// Answers each question of the page, and stores what is wrong in the attribute data-faults of the body.
constexpr const char* kLearner = R"js(<script>
const faults = [], fault = text => faults.push(`step ${state.step + 1}: ${text}`);
const press = (e, key) => e.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));
const click = id => document.getElementById(id).click();
const sign = () => document.querySelector('#question .reply .sign')?.textContent[0];
function sortInto(names) {
  names.forEach((name, to) => {
    for (let at = order.indexOf(name); at > to; --at) document.querySelector(`#question [data-item="${CSS.escape(name)}"] .up`).click();
  });
}
function placeAt(name, offset) {
  const piece = () => document.querySelector(`#pictures [data-piece="${CSS.escape(name)}"]`);
  press(piece(), 'Delete');
  press(piece(), 'ArrowUp');
  for (let n = 0; placed[name] < offset && n < 10000; n++) press(piece(), 'ArrowUp');
}
function give(q, isRight) {
  const replies = stepTexts().question.replies;
  if (q.kind === 'choice') document.querySelectorAll('#question input')[replies.findIndex(r => r.right === isRight)].click();
  if (q.kind === 'number') document.querySelector('#question input').value = isRight ? replies.truth : replies.truth + 1;
  if (q.kind === 'order') sortInto(isRight ? q.solution : [...q.solution].reverse());
  if (q.kind === 'place') for (const [name] of q.pieces) placeAt(name, isRight ? q.solution[name] : 0);
  if (q.kind === 'tensor') {
    const e = [...document.querySelectorAll('#pictures [data-name]')].find(x => replies[x.dataset.name]?.right === isRight && x.dataset.name !== picked);
    if (e) e.dispatchEvent(new MouseEvent('click', {bubbles: true})); else fault('no tensor to click for ' + isRight);
  }
}
let questions = 0;
for (let i = 0; i < D.steps.length; i++) {
  if (i > 0) press(document.body, 'PageDown');
  if (state.step !== i) fault('Page Down did not lead to step ' + (i + 1));
  if (document.getElementById('words').textContent.includes('…')) fault('a value is missing');
  if (!document.querySelector('#pictures svg, #pictures table, #pictures .veil')) fault('no picture');
  const q = step().question;
  if (!q) continue;
  ++questions;
  for (const panel of q.hidden) if (document.querySelector(`#pictures [data-panel="${panel}"]`)) fault('the answer is in sight in ' + panel);
  if (document.getElementById('question').textContent.includes(stepTexts().question.right)) fault('the answer is in sight');
  const isArranged = q.kind === 'order' || q.kind === 'place';  // an arrangement is always an answer
  if (!isArranged) click('answer');
  if (answered(i).wrong !== 0) fault('no answer counts as wrong');
  give(q, false);
  click('answer');
  if (answered(i).wrong !== 1 || answered(i).right || sign() !== '✗') fault('a wrong answer is not refused: ' + document.getElementById('question').textContent);
  if (q.kind === 'number' && stepTexts().question.replies.truth >= 0) {
    document.querySelector('#question input').value = -1;
    click('answer');
    const reply = document.querySelector('#question .reply')?.textContent ?? '';
    if (answered(i).wrong !== 2 || sign() !== '✗' || reply.length < 4 || reply.includes('undefined')) fault('a negative number: ' + reply);
  }
  while (document.getElementById('hint')) click('hint');
  if (answered(i).hints !== stepTexts().question.hints.length) fault('hints are missing');
  give(q, true);
  click('answer');
  if (!answered(i).right || sign() !== '✓') fault('the right answer is refused: ' + document.getElementById('question').textContent);
}
if (!document.getElementById('summary')) fault('no summary at the end');
click('language');
if (D.texts.length > 1 && !/[\u4e00-\u9fff]/.test(document.getElementById('words').textContent)) fault('not in Chinese');
document.body.dataset.questions = questions;
document.body.dataset.stored = JSON.parse(localStorage.getItem(KEY)).finished;
document.body.dataset.faults = faults.join('; ');
</script></body>)js";

// Plays pages {name: HTML} one after another in frames, and stores the data of each body in the attribute data-results.
constexpr const char* kStage = R"js(<script>
(async () => {
  const results = {};
  for (const [name, page] of Object.entries(JSON.parse(document.getElementById('pages').textContent))) {
    const frame = document.createElement('iframe');
    frame.width = 1400, frame.height = 900, frame.srcdoc = page;
    const loaded = new Promise(resolve => { frame.onload = resolve; });
    document.body.append(frame);
    await loaded;
    results[name] = {...frame.contentDocument.body.dataset};
    frame.remove();
  }
  document.body.replaceChildren(JSON.stringify(results));
})();
</script>)js";

Json played_in_browser(const TempFolder& folder, const Json& pages) {
  std::string data;
  for (const char c : pages.dump()) c == '<' ? data += "\\u003c" : data += c;
  const std::string file = folder / "stage.html";
  write_file(file, "<!DOCTYPE html><meta charset=\"utf-8\"><body><script type=\"application/json\" id=\"pages\">" +
                       data + "</script>" + kStage + "</body>");
  // The time that scripts wait does not pass.
  const Ended dom = run_program("/usr/bin/env", {"chromium", "--headless", "--no-sandbox", "--disable-gpu", "--lang=en",
                                                 "--user-data-dir=" + (folder / "profile"),
                                                 "--virtual-time-budget=120000", "--dump-dom", "file://" + file});
  const size_t from = dom.out.find("<body>"), to = dom.out.rfind("</body>");
  REQUIRE(from < to);
  return Json::parse(dom.out.substr(from + 6, to - from - 6));
}

}  // namespace

TEST_CASE("the course becomes pages on which every question is answered, wrongly and then correctly") {
  const TempFolder folder;
  const std::string course = folder / "course";
  const Ended written = run_program(ARENASCOPE_WINDOW, {"--course", course});
  REQUIRE_MESSAGE(written.status == 0, written.err);
  const std::string overview = read_file(course + "/index.html");
  const Json index = data_of_lesson(overview);
  REQUIRE(index["lessons"].size() == 16);
  Json pages = Json::object();
  for (const Json& entry : index["lessons"]) {
    if (entry["page"].is_null()) continue;  // its device is missing
    const std::string file = course + "/" + entry["page"].get<std::string>();
    CAPTURE(file);
    CHECK(std::filesystem::file_size(file) <= kMaxPage);
    std::string page = read_file(file);
    for (const char* reference : {"https:", "src=\"", "href=\"", "@import"}) CHECK(page.find(reference) == page.npos);
    CHECK(data_of_lesson(page)["steps"].size() == entry["steps"]);
    page.replace(page.rfind("</body>"), 7, kLearner);
    pages[entry["id"].get<std::string>()] = page;
  }
  CHECK(pages.size() >= 14);
  if (run_program("/bin/sh", {"-c", "command -v chromium"}).status != 0) {
    MESSAGE("skipped in part: chromium is not installed");
    return;
  }
  const size_t lessons = pages.size();
  pages["~index"] = overview;  // the last one: with the progress that the learner has made
  const Json results = played_in_browser(folder, pages);
  REQUIRE(results.size() == lessons + 1);
  for (const auto& [name, result] : results.items()) {
    CAPTURE(name);
    CHECK(result["built"] == "true");
    if (name == "~index") {
      CHECK(result["finished"] == std::to_string(lessons));
      continue;
    }
    CHECK(result["faults"] == "");
    CHECK(result["stored"] == "true");
    CHECK(result["questions"] != "0");
  }
}

TEST_CASE("a lesson file that fails is one error, and leaves no page") {
  const TempFolder folder;
  const std::string file = folder / "bad.md", page = folder / "bad.html";
  write_file(file, "title: T\nsummary: S\n## A\n! open nothing.onnx\n! show graph\n! expect nodes 1\nText.\n");
  const Ended failed = run_program(ARENASCOPE_WINDOW, {"--lesson", file, "-o", page});
  CHECK(failed.status == 1);
  CHECK(failed.err.find("bad.md:4: ") != failed.err.npos);
  CHECK(failed.error_lines() == 1);
  CHECK_FALSE(std::filesystem::exists(page));
}

#endif
