// SPDX-License-Identifier: GPL-3.0-or-later
#include "lesson_handout.h"

#include <views/common/output_device.h>
#include <views/common/plot_view.h>
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_panel.h>
#include <views/lesson/verdict_text.h>

#include <QBuffer>
#include <QCoreApplication>
#include <QDockWidget>
#include <QPageSize>
#include <QPdfWriter>
#include <QTextDocument>

#include "app/window/events/wait_until.h"
#include "app/window/shell.h"
#include "lesson_player.h"

namespace arenascope::app {

using namespace views;

namespace {

constexpr int kHandoutPatience = 120'000, kSettle = 300;  // ms
constexpr int kPictureWidth = 1400;
constexpr QSize kSheet{642, 800};   // usable size of an A4 page at 96 dpi
constexpr int kPrintedWidth = 540;  // printed width of images that are 640 wide in the document

struct Handout {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::Handout)
};

QImage picture_of(const Shell& shell) {
  prepare_plots(*shell.panels);
  wait_until([] { return false; }, kSettle);
  return shell.window->grab().toImage();
}

// The panels that the lesson shows, without the lesson itself and without those that would reveal the answer; may be empty.
QImage stage_of(const Shell& shell) {
  QRect stage;
  for (const PanelDescriptor& kind : panel_kinds())
    if (const QDockWidget* dock = shell.panels->dock(kind.id);
        dock->isVisible() && kind.id != PanelId::Lesson && !shell.panels->is_hidden_by_lesson(kind.id))
      stage |= dock->geometry();
  if (stage.isEmpty()) return {};
  const QImage picture = picture_of(shell);
  const double scale = picture.devicePixelRatio();
  return picture.copy(QRect(stage.topLeft() * scale, stage.size() * scale));
}

// Plays without the answers of the person at the window, and leaves their progress as it was.
class UnansweredLesson {
 public:
  explicit UnansweredLesson(LessonPanel* panel)
      : panel_(panel), kept_(panel->exchange_progress(LessonProgress(false))) {}
  ~UnansweredLesson() { panel_->exchange_progress(std::move(kept_)); }
  UnansweredLesson(const UnansweredLesson&) = delete;
  UnansweredLesson& operator=(const UnansweredLesson&) = delete;

 private:
  LessonPanel* panel_;
  LessonProgress kept_;
};

Result<LessonPanel*> panel_with_lesson(const Shell& shell) {
  auto* panel = shell.panels->widgets().lesson;
  if (panel->open_lesson() == nullptr) return Error{Handout::tr("No lesson is open.").toStdString()};
  return panel;
}

Status play_step(const Shell& shell, LessonPanel* panel, int step) {
  bool done = false;
  const auto connection = QObject::connect(shell.guide, &LessonPlayer::done, panel, [&done] { done = true; });
  panel->go_to(step);
  wait_until([&done] { return done; }, kHandoutPatience);
  QObject::disconnect(connection);
  if (done && panel->widgets().problem->text().isEmpty()) return {};
  return lesson::error_at(*panel->open_lesson(), panel->open_lesson()->steps[static_cast<size_t>(step)].line,
                          panel->widgets().problem->text().toStdString());
}

QString markdown_as_html(const QString& markdown) {
  QTextDocument document;
  document.setMarkdown(markdown);
  const QString html = document.toHtml();
  const auto begin = html.indexOf(QStringLiteral("<body")), end = html.lastIndexOf(QStringLiteral("</body>"));
  const auto inside = html.indexOf(u'>', begin) + 1;
  return begin < 0 || end < inside ? html : html.mid(inside, end - inside);
}

struct Page {
  QStringList parts;  // with <img src="pictureN">; not split across pages if it fits on one
  std::vector<QImage> pictures;
  QString answers;
};

QString page_image(Page& page, const QImage& picture) {
  if (picture.isNull()) return {};
  page.pictures.push_back(
      picture.width() > kPictureWidth ? picture.scaledToWidth(kPictureWidth, Qt::SmoothTransformation) : picture);
  return QStringLiteral("<p><img src=\"picture%1\" width=\"640\"/></p>").arg(page.pictures.size() - 1);
}

// A blank for the answer on paper.
QString blank_for(const lesson::Question& q, Page& page, QWidget* board) {
  const QString line = QStringLiteral("_").repeated(12);
  switch (q.kind) {
    case lesson::QuestionKind::Choice: return {};
    case lesson::QuestionKind::Place: return page_image(page, board->grab().toImage());
    case lesson::QuestionKind::Order: {
      QStringList names;
      for (const std::string& name : q.names) names << text_of(name);
      return QStringLiteral("<p>%1</p><p>%2</p>")
          .arg(names.join(QStringLiteral(" · ")).toHtmlEscaped(),
               QStringList(names.fill(line)).join(QStringLiteral(" → ")));
    }
    default: return QStringLiteral("<p>%1 %2</p>").arg(Handout::tr("Answer:"), line);
  }
}

QString answer_of(const lesson::Answer& solution, const lesson::Question& q, const lesson::Scene& scene) {
  if (const auto known = scene.known.find(q.fact); q.kind == lesson::QuestionKind::Number && known != scene.known.end())
    return text_of(lesson::shown(known->second));
  return with_figures(sentence_of(solution, q), scene, false);
}

void add_step(Page& page, const lesson::LessonStep& step, const lesson::Scene& scene, const QImage& picture,
              QWidget* board) {
  QString html = markdown_as_html(step_page(step, scene));
  if (step.question) {
    const lesson::Question& q = *step.question;
    for (const lesson::Option& option : q.options)
      html += markdown_as_html(QStringLiteral("◯ ") + with_figures(text_of(option.text), scene, false));
    html += blank_for(q, page, board);
    if (auto solution = lesson::solution(scene, q))
      page.answers += markdown_as_html(
          QStringLiteral("**%1** %2. %3")
              .arg(text_of(step.title), answer_of(*solution, q, scene), with_figures(text_of(q.right), scene, false)));
  }
  page.parts << html + page_image(page, picture);
}

void set_html(QTextDocument& document, const Page& page, const QString& html) {
  for (size_t i = 0; i < page.pictures.size(); ++i)
    document.addResource(QTextDocument::ImageResource, QUrl(QStringLiteral("picture%1").arg(i)), page.pictures[i]);
  document.setHtml(html);
}

// Distributes the parts to pages.
QString on_sheets(const Page& page) {
  QString html;
  double used = 0;
  for (const QString& part : page.parts) {
    QTextDocument alone;
    set_html(alone, page,
             QString(part).replace(QStringLiteral("width=\"640\""), QStringLiteral("width=\"%1\"").arg(kPrintedWidth)));
    alone.setTextWidth(kSheet.width());
    const double height = alone.size().height();
    const bool next = used > 0 && used + height > kSheet.height();
    if (next) html += QStringLiteral("<p style=\"page-break-before:always\"></p>");
    used = next ? height : used + height;
    html += part;
  }
  return html;
}

Status write_pdf(const Page& page, const QString& path) {
  QTextDocument document;
  set_html(document, page, on_sheets(page));
  views::OutputDevice file;
  if (auto ok = file.begin(path); !ok) return ok;
  {
    QPdfWriter writer(&file);
    writer.setPageSize(QPageSize(QPageSize::A4));
    writer.setResolution(150);
    document.print(&writer);
  }
  return file.commit();
}

}  // namespace

Status write_handout(const Shell& shell, const QString& path) {
  auto panel = panel_with_lesson(shell);
  if (!panel) return panel.error();
  const lesson::Lesson opened_lesson = *(*panel)->open_lesson();
  const int back_to = (*panel)->step();
  Page page;
  page.parts << QStringLiteral("<h1>%1</h1><p>%2</p>")
                    .arg(text_of(opened_lesson.title).toHtmlEscaped(), text_of(opened_lesson.summary).toHtmlEscaped());
  {
    const UnansweredLesson unanswered(*panel);
    for (size_t i = 0; i < opened_lesson.steps.size(); ++i) {
      if (auto ok = play_step(shell, *panel, static_cast<int>(i)); !ok) return ok;
      add_step(page, opened_lesson.steps[i], (*panel)->scene(), stage_of(shell), (*panel)->widgets().question->board());
    }
  }
  if (!page.answers.isEmpty()) page.parts << QStringLiteral("<h2>%1</h2>%2").arg(Handout::tr("Answers"), page.answers);
  (*panel)->go_to(back_to);
  return write_pdf(page, path);
}

Status write_lesson_picture(const Shell& shell, int step, const QString& path) {
  auto panel = panel_with_lesson(shell);
  if (!panel) return panel.error();
  const auto steps = static_cast<int>((*panel)->open_lesson()->steps.size());
  if (step < 1 || step > steps)
    return Error{Handout::tr("No step %1: the lesson has %2 steps.").arg(step).arg(steps).toStdString()};
  const UnansweredLesson unanswered(*panel);
  if (auto played = play_step(shell, *panel, step - 1); !played) return played;
  QByteArray png;
  QBuffer buffer(&png);
  buffer.open(QIODevice::WriteOnly);
  if (!picture_of(shell).save(&buffer, "PNG"))
    return Error{Handout::tr("%1 cannot be written.").arg(path).toStdString()};
  return write_bytes(png, path);
}

}  // namespace arenascope::app
