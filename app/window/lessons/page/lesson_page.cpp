// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson_page.h"

#include <arenascope/run/backends.h>
#include <views/common/output_device.h>
#include <views/lesson/lesson.h>
#include <views/lesson/verdict_text.h>

#include <QDir>
#include <QThreadPool>
#include <atomic>

#include "app/window/events/wait_until.h"
#include "app/window/language/language.h"
#include "page_texts.h"
#include "question_texts.h"

namespace arenascope::app {
namespace {

constexpr int kPlayingPatience = 60'000;  // milliseconds

// Restores the language at the end.
class EachLanguage {
 public:
  EachLanguage() : back_(current_language()) {}
  ~EachLanguage() { use(back_); }
  EachLanguage(const EachLanguage&) = delete;
  EachLanguage& operator=(const EachLanguage&) = delete;
  static void use(const QString& language) {
    if (language != current_language()) set_language(language);
  }

 private:
  QString back_;
};

Json templates_json() {
  const views::VerdictTemplates t = views::verdict_templates();
  return {{"no_number", t.no_number.toStdString()},
          {"too_many", t.too_many.toStdString()},
          {"too_many_bytes", t.too_many_bytes.toStdString()},
          {"too_few", t.too_few.toStdString()},
          {"fits", t.fits.toStdString()},
          {"collides_at_step", t.collides_at_step.toStdString()},
          {"collides", t.collides.toStdString()},
          {"misaligned", t.misaligned.toStdString()},
          {"arena", t.arena.toStdString()},
          {"missing", t.missing.toStdString()},
          {"not_before", t.not_before.toStdString()}};
}

// "zh-CN": as in HTML.
std::string tag_of(const QString& language) { return QString(language).replace(u'_', u'-').toStdString(); }

Json lesson_head(const lesson::Lesson& lesson) { return {{"title", lesson.title}, {"summary", lesson.summary}}; }

Result<Json> texts_in(const LessonText& text, const std::vector<PlayedStep>& played) {
  EachLanguage::use(text.language);
  Json out = lesson_head(text.lesson);
  out["language"] = tag_of(text.language);
  out["panels"] = panel_titles();
  out["templates"] = templates_json();
  out["steps"] = Json::array();
  for (size_t i = 0; i < played.size(); ++i) {
    const lesson::LessonStep& step = text.lesson.steps[i];
    auto texts = step_texts(step, played[i]);
    if (!texts) return error_at(text.lesson, step.line, texts.error().message);
    out["steps"].push_back(std::move(*texts));
  }
  return out;
}

Json state_json(PictureStore& pictures, const PlayedState& state) {
  return {{"panels", panels_json(pictures, state)}, {"selected", state.selected}, {"playhead", state.playhead}};
}

Result<Json> step_json(PictureStore& pictures, const lesson::Lesson& lesson, size_t i, const PlayedStep& played) {
  const lesson::LessonStep& step = lesson.steps[i];
  Json out{{"before", state_json(pictures, played.before)}};
  if (played.after) out["after"] = state_json(pictures, *played.after);
  if (!step.question) return out;
  auto question = question_data(*step.question, played.before.scene);
  if (!question) return error_at(lesson, step.question->line, question.error().message);
  for (const std::string& panel : lesson.hidden_panels) (*question)["hidden"].push_back(panel);
  out["question"] = std::move(*question);
  return out;
}

Result<std::vector<LessonText>> lesson_texts(const QString& name) {
  std::vector<LessonText> texts;
  const QStringList all = views::lessons().contains(name) ? languages() : QStringList{current_language()};
  for (const QString& language : all) {
    auto lesson = views::load_lesson(name, language);
    if (!lesson) return lesson.error();
    texts.push_back({language, std::move(*lesson)});
  }
  return texts;
}

// Plays on another thread, so that a window stays responsive.
Result<std::string> page_of(const std::vector<LessonText>& texts) {
  std::optional<Result<std::vector<PlayedStep>>> played;
  std::atomic<bool> done = false;
  QThreadPool pool;
  pool.start([&] {
    played = play_lesson(texts.front().lesson);
    done = true;
  });
  while (!done) wait_until([&] { return done.load(); }, kPlayingPatience);
  pool.waitForDone();
  if (!*played) return played->error();
  return lesson_page(texts, **played);
}

bool has_backend(const lesson::Lesson& lesson) {
  for (const BackendStatus& status : list_backends())
    if (status.backend == lesson.settings.backend && status.missing.empty()) return true;
  return false;
}

QString page_name(const QString& lesson) { return lesson + QStringLiteral(".html"); }

}  // namespace

Result<std::string> lesson_page(const std::vector<LessonText>& lessons, const std::vector<PlayedStep>& played) {
  const EachLanguage each;
  const lesson::Lesson& first = lessons.front().lesson;
  Json out{{"format", "arenascope-lesson"}, {"version", 1}, {"id", first.id}, {"steps", Json::array()}};
  PictureStore pictures;
  for (size_t i = 0; i < played.size(); ++i) {
    auto step = step_json(pictures, first, i, played[i]);
    if (!step) return step.error();
    out["steps"].push_back(std::move(*step));
  }
  out["pictures"] = pictures.list();
  out["texts"] = Json::array();
  for (const LessonText& text : lessons) {
    auto texts = texts_in(text, played);
    if (!texts) return texts.error();
    out["texts"].push_back(std::move(*texts));
  }
  return html_page(PageKind::Lesson, out);
}

Status write_lesson_page(const QString& name, const QString& path) {
  auto texts = lesson_texts(name);
  if (!texts) return texts.error();
  auto page = page_of(*texts);
  if (!page) return page.error();
  const std::filesystem::path source[] = {texts->front().lesson.file};
  return views::write_bytes(QByteArray::fromStdString(*page), path, source);
}

Status write_course(const QString& folder) {
  if (!QDir().mkpath(folder)) return Error{"the folder " + folder.toStdString() + " cannot be created"};
  Json lessons = Json::array();
  for (const QString& name : views::lessons()) {
    auto texts = lesson_texts(name);
    if (!texts) return texts.error();
    const lesson::Lesson& lesson = texts->front().lesson;
    Json entry{{"id", lesson.id}, {"steps", lesson.steps.size()}, {"needs", lesson.needs}, {"page", nullptr}};
    entry["texts"] = Json::array();
    for (const LessonText& text : *texts) {
      entry["texts"].push_back(lesson_head(text.lesson));
      entry["texts"].back()["language"] = tag_of(text.language);
    }
    if (has_backend(lesson)) {
      auto page = page_of(*texts);
      if (!page) return page.error();
      const QString path = QDir(folder).filePath(page_name(name));
      if (auto ok = views::write_bytes(QByteArray::fromStdString(*page), path); !ok) return ok;
      entry["page"] = page_name(name).toStdString();
    }
    lessons.push_back(std::move(entry));
  }
  const std::string index = html_page(PageKind::Course, {{"format", "arenascope-course"}, {"lessons", lessons}});
  return views::write_bytes(QByteArray::fromStdString(index), QDir(folder).filePath(QStringLiteral("index.html")));
}

}  // namespace arenascope::app
