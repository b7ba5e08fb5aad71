// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the names of the rows of a timeline apart where they are too long for its margin.
#pragma once
#include <QFontMetrics>
#include <QStringList>

#include <map>

namespace arenascope::views {

class RowNames {
 public:
  RowNames(QStringList names, const QFontMetrics& metrics, int width);

  // "thread 12" of "python, thread 12", if the name is too long and other rows are of the same program.
  QString without_program(const QString& name) const;
  // Elided where it stays different from the others, if there is such a position.
  QString elided(const QString& name);

 private:
  const QStringList& all_elided(Qt::TextElideMode mode);

  QStringList names_;
  QFontMetrics metrics_;
  int width_;
  std::map<Qt::TextElideMode, QStringList> elided_;
};

}  // namespace arenascope::views
