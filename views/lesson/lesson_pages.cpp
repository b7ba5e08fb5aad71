// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_pages.h>

#include <QCoreApplication>
#include <QRegularExpression>
#include <QSet>
#include <QTextBlock>
#include <QUrl>

#include <algorithm>

namespace arenascope::views {
namespace {

struct LessonPagesTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Lessons)
};

QString title_of(const std::string& id, const std::vector<lesson::Lesson>& all) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const lesson::Lesson& l) { return l.id == id; });
  return at == all.end() ? text_of(id) : text_of(at->title);
}

QString how(const Answered& a) {
  if (a.revealed) return LessonPagesTexts::tr("shown");
  if (!a.right) return LessonPagesTexts::tr("not answered");
  if (a.wrong == 0)
    return a.hints == 0 ? LessonPagesTexts::tr("correct at the first attempt")
                        : LessonPagesTexts::tr("correct after a hint");
  return LessonPagesTexts::tr("correct at attempt %1").arg(a.wrong + 1);
}

// Marked names of tensors, as in "**A**" or "`conv1`", become links.
QString linked_names(const QString& markdown, const lesson::Scene& scene) {
  if (!scene.graph) return markdown;
  QSet<QString> names;
  for (const auto* list : {&scene.graph->nodes, &scene.graph->leafs})
    for (const trace::TensorInfo& tensor : *list) names.insert(text_of(tensor.name));
  static const QRegularExpression kMarked(QStringLiteral(R"(\*\*([^*`\n]+)\*\*|`([^`\n]+)`)"));
  QString out;
  qsizetype end = 0;
  for (auto match = kMarked.globalMatch(markdown); match.hasNext();) {
    const QRegularExpressionMatch at = match.next();
    const QString name = at.captured(1) + at.captured(2);
    out += markdown.mid(end, at.capturedStart() - end);
    out +=
        names.contains(name)
            ? QStringLiteral("[%1](tensor:%2)").arg(at.captured(), QString::fromLatin1(QUrl::toPercentEncoding(name)))
            : at.captured();
    end = at.capturedEnd();
  }
  return out + markdown.mid(end);
}

}  // namespace

QString with_figures(const QString& text, const lesson::Scene& scene, bool marked) {
  QString out;
  for (const lesson::TextPart& part : lesson::parts_of(text.toStdString())) {
    if (!part.figure) {
      out += text_of(part.text);
      continue;
    }
    const auto known = scene.known.find(part.text);
    const QString figure =
        known == scene.known.end() ? QStringLiteral("…") : text_of(lesson::shown(known->second, part.bare));
    out += marked && !out.endsWith(QStringLiteral("**")) ? QStringLiteral("**%1**").arg(figure) : figure;
  }
  return out;
}

QString step_page(const lesson::LessonStep& step, const lesson::Scene& scene, bool linked) {
  const QString text = with_figures(text_of(step.text), scene, true);
  return QStringLiteral("### %1\n\n%2").arg(text_of(step.title), linked ? linked_names(text, scene) : text);
}

QString progress_mark(const lesson::Lesson& lesson, const LessonProgress& progress) {
  const QString id = text_of(lesson.id);
  if (progress.finished(id)) return QStringLiteral(" ✓");
  if (progress.step(id) <= 0) return {};
  const auto steps = static_cast<int>(lesson.steps.size());
  return QStringLiteral(" · ") +
         LessonPagesTexts::tr("step %1 of %2").arg(std::min(progress.step(id) + 1, steps)).arg(steps);
}

const lesson::Lesson* next_lesson(const std::vector<lesson::Lesson>& lessons, const LessonProgress& progress) {
  const lesson::Lesson* unfinished = nullptr;
  for (const lesson::Lesson& l : lessons) {
    const QString id = text_of(l.id);
    if (progress.finished(id)) continue;
    if (progress.step(id) > 0) return &l;
    if (unfinished == nullptr) unfinished = &l;
  }
  return unfinished;
}

QString next_lesson_title(const std::vector<lesson::Lesson>& lessons, const LessonProgress& progress) {
  const lesson::Lesson* next = next_lesson(lessons, progress);
  if (next == nullptr) return {};
  const bool begun = std::ranges::any_of(lessons, [&](const lesson::Lesson& l) {
    return progress.finished(text_of(l.id)) || progress.step(text_of(l.id)) > 0;
  });
  return (begun ? LessonPagesTexts::tr("Continue: %1") : LessonPagesTexts::tr("Start: %1")).arg(text_of(next->title));
}

QString list_page(const std::vector<lesson::Lesson>& lessons, const LessonProgress& progress) {
  QString html;
  const auto finished =
      std::ranges::count_if(lessons, [&](const lesson::Lesson& l) { return progress.finished(text_of(l.id)); });
  html += QStringLiteral("<p>%1</p>")
              .arg(LessonPagesTexts::tr("%1 of %2 lessons finished").arg(finished).arg(lessons.size()));
  if (const lesson::Lesson* next = next_lesson(lessons, progress))
    html += QStringLiteral("<p><a href='lesson:%1'><b>%2 →</b></a></p>")
                .arg(text_of(next->id), next_lesson_title(lessons, progress).toHtmlEscaped());
  for (size_t i = 0; i < lessons.size(); ++i) {
    const lesson::Lesson& l = lessons[i];
    const QString id = text_of(l.id);
    const QString tail = progress_mark(l, progress);
    QStringList needs;
    for (const std::string& need : l.needs) needs << title_of(need, lessons).toHtmlEscaped();
    html += QStringLiteral("<p><a href='lesson:%1'><b>%2. %3</b></a>%4<br/>%5%6</p>")
                .arg(id)
                .arg(i + 1)
                .arg(text_of(l.title).toHtmlEscaped(), tail, text_of(l.summary).toHtmlEscaped(),
                     needs.isEmpty()
                         ? QString()
                         : QStringLiteral("<br/><small>") +
                               LessonPagesTexts::tr("Prerequisites: %1").arg(needs.join(QStringLiteral(" · "))) +
                               QStringLiteral("</small>"));
  }
  return html;
}

QString summary_page(const lesson::Lesson& l, const std::vector<lesson::Lesson>& all, const LessonProgress& progress) {
  const QString id = text_of(l.id);
  QString html =
      QStringLiteral("<h3>%1</h3><p>%2</p><ul>").arg(LessonPagesTexts::tr("Answers"), text_of(l.title).toHtmlEscaped());
  for (size_t i = 0; i < l.steps.size(); ++i)
    if (l.steps[i].question)
      html += QStringLiteral("<li>%1: %2</li>")
                  .arg(text_of(l.steps[i].title).toHtmlEscaped(), how(progress.answered(id, static_cast<int>(i))));
  html += QStringLiteral("</ul>");
  QStringList links;
  for (const std::string& file : l.see_also)
    links << QStringLiteral("<code>%1</code>").arg(text_of(file).toHtmlEscaped());
  if (!links.isEmpty())
    html += QStringLiteral("<p>") + LessonPagesTexts::tr("Further reading: %1").arg(links.join(QStringLiteral(", "))) +
            QStringLiteral("</p>");
  QStringList next;
  for (const lesson::Lesson& other : all)
    if (std::find(other.needs.begin(), other.needs.end(), l.id) != other.needs.end())
      next << QStringLiteral("<a href='lesson:%1'>%2</a>").arg(text_of(other.id), text_of(other.title).toHtmlEscaped());
  if (!next.isEmpty())
    html += QStringLiteral("<p>") + LessonPagesTexts::tr("Continue with: %1").arg(next.join(QStringLiteral(" · "))) +
            QStringLiteral("</p>");
  return html;
}

void light_up(QTextBrowser& text, const QStringList& tensors) {
  QList<QTextEdit::ExtraSelection> lit;
  for (QTextBlock block = text.document()->begin(); block.isValid(); block = block.next())
    for (auto at = block.begin(); !at.atEnd(); ++at) {
      const QTextFragment word = at.fragment();
      const QUrl url(word.charFormat().anchorHref());
      if (url.scheme() != u"tensor" || !tensors.contains(url.path(QUrl::FullyDecoded))) continue;
      QTextEdit::ExtraSelection& selection = lit.emplaceBack();
      selection.cursor = QTextCursor(text.document());
      selection.cursor.setPosition(word.position());
      selection.cursor.setPosition(word.position() + word.length(), QTextCursor::KeepAnchor);
      selection.format.setBackground(text.palette().highlight());
      selection.format.setForeground(text.palette().highlightedText());
    }
  text.setExtraSelections(lit);
}

}  // namespace arenascope::views
