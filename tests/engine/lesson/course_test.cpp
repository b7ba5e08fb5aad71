// SPDX-License-Identifier: MIT
// The lessons that are shipped: each in both languages with the same deeds and claims, and every claim holds.
#include <arenascope/lesson/byte_lens.h>
#include <arenascope/lesson/programs.h>
#include <arenascope/lesson/stage.h>
#include <arenascope/run/backends.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <doctest/doctest.h>

#include "test_data.h"

namespace arenascope::lesson {
namespace {

std::vector<std::filesystem::path> files(const std::string& ending) {
  std::vector<std::filesystem::path> out;
  for (const auto& entry : std::filesystem::directory_iterator(ARENASCOPE_LESSONS))
    if (entry.path().string().ends_with(ending)) out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

Result<Lesson> read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return parse(path.string(), std::string(std::istreambuf_iterator<char>(file), {}));
}

bool has_device(const Lesson& lesson) {
  for (const BackendStatus& status : list_backends())
    if (status.backend == lesson.settings.backend && status.missing.empty()) return true;
  return false;
}

TEST_CASE("all expectations of all lessons hold") {
  int lessons = 0;
  for (const auto& path : files(".en.md")) {
    const auto lesson = read(path);
    CHECK_MESSAGE(lesson.ok(), (lesson.ok() ? "" : lesson.error().message));
    if (!lesson) continue;
    if (!has_device(*lesson)) {
      MESSAGE("skipped: " << lesson->id << " requires the backend " << lesson->settings.backend);
      continue;
    }
    for (const Error& error : check(*lesson)) FAIL_CHECK(error.message);
    ++lessons;
  }
  CHECK(lessons >= 15);  // one of sixteen requires a device
}

TEST_CASE("every step is independent of the previous step") {
  for (const auto& path : files(".en.md")) {
    const auto lesson = read(path);
    if (!lesson || !has_device(*lesson)) continue;  // reported above
    CAPTURE(lesson->id);
    Stage stage(*lesson);
    for (size_t i = lesson->steps.size(); i-- > 0;) {
      CAPTURE(lesson->steps[i].title);
      for (const Action& action : entering(*lesson, i)) {
        const Status done = stage.act(action);
        CHECK_MESSAGE(done.ok(), (done.ok() ? "" : done.error().message));
      }
      const auto scene = stage.scene(tensors_read_by(lesson->steps[i]));
      REQUIRE_MESSAGE(scene.ok(), (scene.ok() ? "" : scene.error().message));
      for (const Expectation& e : lesson->steps[i].expects) {
        const auto value = evaluate(*scene, e.fact);
        CHECK_MESSAGE((value.ok() && matches(*value, e.value)), e.fact);
      }
    }
  }
}

TEST_CASE("both languages have the same actions and expectations") {
  for (const auto& path : files(".en.md")) {
    const std::string name = path.string();
    const auto en = read(path), zh = read(name.substr(0, name.size() - 5) + "zh_CN.md");
    CHECK_MESSAGE(zh.ok(), (zh.ok() ? "" : zh.error().message));
    if (!en || !zh) continue;
    CAPTURE(en->id);
    CHECK(en->title != zh->title);
    CHECK(en->needs == zh->needs);
    CHECK(en->see_also == zh->see_also);
    CHECK(en->settings == zh->settings);
    CHECK(en->hidden_panels == zh->hidden_panels);
    CHECK(en->graph.size() == zh->graph.size());
    REQUIRE(en->steps.size() == zh->steps.size());
    for (size_t i = 0; i < en->steps.size(); ++i) {
      const LessonStep &a = en->steps[i], &b = zh->steps[i];
      CAPTURE(a.title);
      CHECK(a.actions == b.actions);
      CHECK(a.expects == b.expects);
      CHECK(a.text.empty() == b.text.empty());
      REQUIRE(a.question.has_value() == b.question.has_value());
      if (!a.question) continue;
      const Question &p = *a.question, &q = *b.question;
      CHECK(p.kind == q.kind);
      CHECK(p.fact == q.fact);
      CHECK(p.names == q.names);
      CHECK(p.read == q.read);
      CHECK(p.then == q.then);
      CHECK(p.hints.size() == q.hints.size());
      REQUIRE(p.options.size() == q.options.size());
      for (size_t k = 0; k < p.options.size(); ++k) CHECK(p.options[k].value == q.options[k].value);
      REQUIRE(p.wrong.size() == q.wrong.size());
      for (size_t k = 0; k < p.wrong.size(); ++k) CHECK(p.wrong[k].fact == q.wrong[k].fact);
    }
  }
}

TEST_CASE("the recordings of the last lesson are explained only after an answer") {
  const auto lesson = read(std::filesystem::path(ARENASCOPE_LESSONS) / "faults.en.md");
  REQUIRE(lesson.ok());
  CHECK(lesson->hidden_panels == std::vector<std::string>{"findings"});
  CHECK(lesson->steps.size() == 5);
  for (const LessonStep& step : lesson->steps) {
    CHECK(step.question.has_value());
    for (const Action& action : step.actions) CHECK_FALSE((action.verb == "show" && action.arguments[0] == "findings"));
  }
}

TEST_CASE("prerequisites and references of lessons exist") {
  for (const auto& path : files(".md")) {
    const auto lesson = read(path);
    if (!lesson) continue;  // reported above
    CAPTURE(path.string());
    CHECK(lesson->steps.back().question.has_value());  // it ends with a question
    CHECK_FALSE(lesson->see_also.empty());
    for (const std::string& id : lesson->needs)
      CHECK_MESSAGE(std::filesystem::exists(std::filesystem::path(ARENASCOPE_LESSONS) / (id + ".en.md")), id);
    for (const std::string& file : lesson->see_also)
      CHECK_MESSAGE(std::filesystem::exists(std::filesystem::path(ARENASCOPE_LESSONS) / "../.." / file), file);
  }
}

TEST_CASE("the example of the authoring guide holds, with a model file") {
  ARENASCOPE_NEEDS_DATA("models/mnist/mnist-8_cntk.onnx");
  const auto model = test::data_folder() / "models/mnist/mnist-8_cntk.onnx";
  const auto folder = std::filesystem::temp_directory_path() / "arenascope_lesson_example";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::filesystem::copy_file(std::filesystem::path(ARENASCOPE_LESSONS) / "../../docs/examples/digits.md",
                             folder / "digits.md");
  std::filesystem::copy_file(model, folder / "digits.onnx");
  const auto lesson = read(folder / "digits.md");
  REQUIRE_MESSAGE(lesson.ok(), (lesson.ok() ? "" : lesson.error().message));
  for (const Error& error : check(*lesson)) FAIL_CHECK(error.message);
  std::filesystem::remove_all(folder);
}

TEST_CASE("the example with its own graph holds") {
  const auto lesson = read(std::filesystem::path(ARENASCOPE_LESSONS) / "../../docs/examples/residual.md");
  REQUIRE_MESSAGE(lesson.ok(), (lesson.ok() ? "" : lesson.error().message));
  for (const Error& error : check(*lesson)) FAIL_CHECK(error.message);
}

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  size_t at = row.find('|');
  for (size_t next = row.find('|', at + 1); next != row.npos; at = next, next = row.find('|', at + 1)) {
    std::string cell = row.substr(at + 1, next - at - 1);
    cell.erase(0, cell.find_first_not_of(" `"));
    cell.erase(cell.find_last_not_of(" `") + 1);
    cells.push_back(cell);
  }
  return cells;
}

// A step that shows the panel, or the experiment "lens NAME", when it is entered or after its question is answered.
bool shows(const Lesson& lesson, size_t step, const std::string& seen_in) {
  std::vector<Action> actions = entering(lesson, step);
  const auto& question = lesson.steps[step].question;
  if (question) actions.insert(actions.end(), question->then.begin(), question->then.end());
  return std::ranges::any_of(actions, [&](const Action& action) {
    if (seen_in.starts_with("lens "))
      return action.verb == "lens" && action.arguments[0] == seen_in.substr(std::string_view("lens ").size());
    return action.verb == "show" && std::ranges::find(action.arguments, seen_in) != action.arguments.end();
  });
}

TEST_CASE("every mechanism of the articles is seen in the step that the page names") {
  std::ifstream file(std::filesystem::path(ARENASCOPE_LESSONS) / "../../docs/explanation/mechanisms.md");
  int rows = 0;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.size() != 4 || cells[0] == "mechanism" || cells[0].starts_with("---")) continue;
    CAPTURE(line);
    ++rows;
    const auto lesson = read(std::filesystem::path(ARENASCOPE_LESSONS) / (cells[1] + ".en.md"));
    REQUIRE_MESSAGE(lesson.ok(), (lesson.ok() ? "" : lesson.error().message));
    const auto step = std::ranges::find(lesson->steps, cells[2], &LessonStep::title);
    REQUIRE(step != lesson->steps.end());
    CHECK(shows(*lesson, static_cast<size_t>(step - lesson->steps.begin()), cells[3]));
  }
  CHECK(rows >= 55);
}

TEST_CASE("every experiment of the byte lens is described and used by a lesson") {
  std::ifstream file(std::filesystem::path(ARENASCOPE_LESSONS) / "../../docs/how-to/write-a-lesson.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  std::set<std::string> used;
  for (const auto& path : files(".en.md"))
    if (const auto lesson = read(path); lesson)
      for (const LessonStep& step : lesson->steps)
        for (const Action& action : step.actions)
          if (action.verb == "lens") used.insert(action.arguments[0]);
  used.insert("strides");  // shows the selected tensor
  for (const LensExperiment& lens : lens_experiments()) {
    CHECK_MESSAGE(page.find(std::string("| `") + lens.name + "`: ") != page.npos, lens.name);
    CHECK_MESSAGE(used.contains(lens.name), lens.name);
  }
}

TEST_CASE("the authoring guide names every fact, verb and program") {
  std::ifstream file(std::filesystem::path(ARENASCOPE_LESSONS) / "../../docs/how-to/write-a-lesson.md",
                     std::ios::binary);
  const std::string page(std::istreambuf_iterator<char>(file), {});
  for (const FactInfo& fact : facts()) CHECK_MESSAGE(page.find(std::string("| `") + fact.name) != page.npos, fact.name);
  for (const Verb& verb : verbs()) CHECK_MESSAGE(page.find(std::string("| `") + verb.name) != page.npos, verb.name);
  for (const Program& program : programs())
    CHECK_MESSAGE(page.find(std::string("`") + program.name + "`") != page.npos, program.name);
}

}  // namespace
}  // namespace arenascope::lesson
