// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/lesson/lesson.h>

#include <QDir>
#include <QFile>
#include <QStandardPaths>

namespace arenascope::views {
namespace {

constexpr qint64 kLargest = 1 << 20;

}  // namespace

QStringList lessons() {
  return {
      QStringLiteral("tensor"),   QStringLiteral("quantised"),  QStringLiteral("objects"), QStringLiteral("graph"),
      QStringLiteral("mul_mat"),  QStringLiteral("barriers"),   QStringLiteral("arena"),   QStringLiteral("two_level"),
      QStringLiteral("orders"),   QStringLiteral("allocators"), QStringLiteral("pools"),   QStringLiteral("devices"),
      QStringLiteral("training"), QStringLiteral("recompute"),  QStringLiteral("cache"),   QStringLiteral("faults")};
}

Result<lesson::Lesson> load_lesson(const QString& id, const QString& language) {
  const bool is_path = id.contains(u'/') || id.endsWith(QStringLiteral(".md"));
  QStringList paths{id};
  if (!is_path)
    paths = {QStringLiteral(":/lessons/%1.%2.md").arg(id, language), QStringLiteral(":/lessons/%1.en.md").arg(id)};
  for (const QString& path : paths) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) continue;
    if (file.size() > kLargest) return Error{path.toStdString() + ": too large for a lesson"};
    return lesson::parse(path.toStdString(), file.readAll().toStdString());
  }
  return Error{"there is no lesson '" + id.toStdString() + "'"};
}

QString load_name(const lesson::Lesson& lesson) {
  return QString::fromStdString(lesson.file.starts_with(":/lessons/") ? lesson.id : lesson.file);
}

QString own_lessons_folder() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/arenascope/lessons");
}

QStringList own_lessons() {
  const QDir folder(own_lessons_folder());
  QStringList paths;
  for (const QString& name : folder.entryList({QStringLiteral("*.md")}, QDir::Files, QDir::Name))
    paths << folder.filePath(name);
  return paths;
}

}  // namespace arenascope::views
