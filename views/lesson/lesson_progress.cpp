// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/lesson/lesson_progress.h>

#include <views/common/settings.h>

namespace arenascope::views {
namespace {

// The path of a user's lesson contains slashes, which separate groups of settings keys.
QString safe(const QString& lesson) { return QString(lesson).replace(u'/', u'|').replace(u'\\', u'|'); }

}  // namespace

void LessonProgress::load() {
  for (const QString& entry : Settings::below(QStringLiteral("lessons"))) {
    const QString lesson = entry.section(u'/', 0, 0).replace(u'|', u'/'), name = entry.section(u'/', 1);
    const QVariant value = Settings::value(QStringLiteral("lessons/") + entry);
    if (name == u"step") steps_[lesson] = value.toInt();
    if (name == u"finished") finished_[lesson] = value.toBool();
    const QStringList parts = value.toString().split(u' ');
    if (!name.startsWith(u'q') || parts.size() != 4) continue;
    answers_[key(lesson, name.mid(1).toInt())] = {parts[0].toInt(), parts[1].toInt(), parts[2] == u"1",
                                                  parts[3] == u"1"};
  }
}

void LessonProgress::store(const QString& name, const QVariant& value) const {
  if (stored_) Settings::set(QStringLiteral("lessons/") + name, value);
}

void LessonProgress::set_step(const QString& lesson, int step) {
  steps_[lesson] = step;
  store(safe(lesson) + QStringLiteral("/step"), step);
}

void LessonProgress::finish(const QString& lesson) {
  finished_[lesson] = true;
  store(safe(lesson) + QStringLiteral("/finished"), true);
}

void LessonProgress::answer(const QString& lesson, int step, const Answered& a) {
  answers_[key(lesson, step)] = a;
  store(QStringLiteral("%1/q%2").arg(safe(lesson)).arg(step),
        QStringLiteral("%1 %2 %3 %4").arg(a.wrong).arg(a.hints).arg(a.right ? 1 : 0).arg(a.revealed ? 1 : 0));
}

void LessonProgress::forget(const QString& lesson) {
  for (auto at = answers_.begin(); at != answers_.end();)
    at = at.key().startsWith(lesson + u'/') ? answers_.erase(at) : std::next(at);
  steps_.remove(lesson);
  if (stored_) Settings::remove(QStringLiteral("lessons/%1").arg(safe(lesson)));
}

}  // namespace arenascope::views
