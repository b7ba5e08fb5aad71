// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/lesson/lesson.h>

#include <QFile>
#include <QRegularExpression>
#include <algorithm>

namespace arenascope::views {

const QMap<QString, int>& lesson_verbs() {
  static const QMap<QString, int> verbs{
      {QStringLiteral("open"), 1},      // a model
      {QStringLiteral("graph"), 0},     // the lesson's own
      {QStringLiteral("layout"), 1},    // of the panels
      {QStringLiteral("show"), 1},      // a panel
      {QStringLiteral("select"), 1},    // a tensor by name
      {QStringLiteral("clear"), 0},     // the selection
      {QStringLiteral("step"), 1},      // the playhead's: a number, or "peak"
      {QStringLiteral("axis"), 1},      // "step" or "time"
      {QStringLiteral("all"), 0},       // show the whole axis
      {QStringLiteral("plan"), 2},      // planner, order
      {QStringLiteral("plan_all"), 0},  // every one
      {QStringLiteral("run"), 0},       // once
      {QStringLiteral("node"), 0},      // step a node
      {QStringLiteral("expand"), 0},    // all layers of the graph
  };
  return verbs;
}

QStringList lessons() {
  return {QStringLiteral("mul_mat"),  QStringLiteral("objects"),  QStringLiteral("graph"),
          QStringLiteral("barriers"), QStringLiteral("arena"),    QStringLiteral("two_level"),
          QStringLiteral("orders"),   QStringLiteral("recompute")};
}

Result<Lesson> parse_lesson(const QString& id, const QString& text) {
  Lesson lesson;
  lesson.id = id;
  const QStringList lines = text.split(u'\n');
  const auto error = [&](qsizetype line, const QString& what) {
    return Error{QStringLiteral("lesson %1, line %2: %3").arg(id).arg(line + 1).arg(what).toStdString()};
  };
  static const QRegularExpression buffer(QStringLiteral("^\\s+(\\S+)\\s+(\\d{1,18})(?:\\s*<-\\s*(.+))?$"));
  bool in_graph = false;
  for (qsizetype i = 0; i < lines.size(); ++i) {
    const QString line = lines[i];
    if (in_graph && (line.startsWith(u' ') || line.startsWith(u'\t'))) {
      const auto match = buffer.match(line);
      if (!match.hasMatch()) return error(i, QStringLiteral("a buffer is a name, bytes and what it reads"));
      LessonBuffer b{match.captured(1), match.captured(2).toLongLong(), {}};
      static const QRegularExpression gap(QStringLiteral("[,\\s]+"));
      b.sources = match.captured(3).split(gap, Qt::SkipEmptyParts);
      for (const QString& source : b.sources)
        if (std::none_of(lesson.graph.begin(), lesson.graph.end(),
                         [&](const LessonBuffer& o) { return o.name == source; }))
          return error(i, QStringLiteral("there is no '%1' before it").arg(source));
      lesson.graph.push_back(std::move(b));
      continue;
    }
    in_graph = false;
    if (line.startsWith(QStringLiteral("## "))) {
      lesson.steps.push_back({line.mid(3).trimmed(), {}, {}});
    } else if (lesson.steps.empty()) {
      if (line.startsWith(QStringLiteral("title:")))
        lesson.title = line.mid(6).trimmed();
      else if (line.startsWith(QStringLiteral("summary:")))
        lesson.summary = line.mid(8).trimmed();
      else if (line.trimmed() == QStringLiteral("graph:"))
        in_graph = true;
      else if (!line.trimmed().isEmpty())
        return error(i, QStringLiteral("text before the first step"));
    } else if (line.startsWith(QStringLiteral("! "))) {
      QStringList words = line.mid(2).split(u' ', Qt::SkipEmptyParts);
      if (words.isEmpty()) return error(i, QStringLiteral("an action without a verb"));
      const QString verb = words.takeFirst();
      if (!lesson_verbs().contains(verb)) return error(i, QStringLiteral("there is no action '%1'").arg(verb));
      if (words.size() != lesson_verbs()[verb])
        return error(i, QStringLiteral("'%1' wants %2 words behind it").arg(verb).arg(lesson_verbs()[verb]));
      if (verb == u"graph" && lesson.graph.empty())
        return error(i, QStringLiteral("the lesson has no graph of its own"));
      lesson.steps.back().actions.push_back({verb, words});
    } else {
      lesson.steps.back().text += line + u'\n';
    }
  }
  if (lesson.title.isEmpty()) return error(0, QStringLiteral("a lesson needs a title"));
  if (lesson.steps.empty()) return error(0, QStringLiteral("a lesson needs a step"));
  for (LessonStep& step : lesson.steps) step.text = step.text.trimmed();
  return lesson;
}

Result<Lesson> load_lesson(const QString& id, const QString& language) {
  for (const QString& name : {language, QStringLiteral("en")}) {
    QFile file(QStringLiteral(":/lessons/%1.%2.md").arg(id, name));
    if (!file.open(QIODevice::ReadOnly)) continue;
    return parse_lesson(id, QString::fromUtf8(file.readAll()));
  }
  return Error{QStringLiteral("there is no lesson '%1'").arg(id).toStdString()};
}

}  // namespace arenascope::views
