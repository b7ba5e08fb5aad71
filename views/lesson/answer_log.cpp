// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/lesson/answer_log.h>

#include <views/common/csv_line.h>

#include <QDateTime>
#include <QFile>
#include <QLockFile>

namespace arenascope::views {
namespace {

constexpr int kLockPatience = 5000;  // milliseconds

}  // namespace

Status append_answer(const QString& path, const QString& learner, const lesson::Lesson& lesson, int step,
                     const Answered& answered) {
  QLockFile lock(path + QStringLiteral(".lock"));
  QFile file(path);
  if (!lock.tryLock(kLockPatience) || !file.open(QIODevice::Append))
    return Error{
        "cannot append the answer to " + path.toStdString() + ": " +
        (file.error() == QFile::NoError ? "another program holds its lock" : file.errorString().toStdString())};
  QString rows;
  if (file.size() == 0)
    rows = csv_line({QStringLiteral("time"), QStringLiteral("learner"), QStringLiteral("lesson"),
                     QStringLiteral("step"), QStringLiteral("title"), QStringLiteral("result"),
                     QStringLiteral("wrong answers"), QStringLiteral("hints")});
  rows += csv_line({QDateTime::currentDateTime().toString(Qt::ISODate), learner, QString::fromStdString(lesson.id),
                    QString::number(step + 1), QString::fromStdString(lesson.steps[static_cast<size_t>(step)].title),
                    answered.right ? QStringLiteral("right") : QStringLiteral("revealed"),
                    QString::number(answered.wrong), QString::number(answered.hints)});
  const QByteArray bytes = rows.toUtf8();
  if (file.write(bytes) != bytes.size() || !file.flush())
    return Error{"cannot append the answer to " + path.toStdString() + ": " + file.errorString().toStdString()};
  return {};
}

QString learner_name() {
  for (const char* variable : {"USER", "USERNAME"})
    if (const QString name = qEnvironmentVariable(variable); !name.isEmpty()) return name;
  return QStringLiteral("unknown");
}

}  // namespace arenascope::views
