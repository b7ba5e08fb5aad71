// SPDX-License-Identifier: GPL-3.0-or-later
// A thumbnail of each recent file, of its arena, timeline or graph, stored in the cache directory of the user for as
// many files as are remembered; read and written in the background.
#pragma once
#include <QImage>
#include <QObject>
#include <QStringList>
#include <QTimer>

namespace arenascope::app {

class Document;
struct Shell;

class RecentThumbnails : public QObject {
  Q_OBJECT
 public:
  explicit RecentThumbnails(Shell& shell);
  void keep();  // stores a thumbnail of the current document if it is a recent file with content

  static constexpr QSize kSize{120, 72};  // pixels
  static QString path_of(const QString& spec);
  // Thread-safe. Null: none.
  static QImage read(const QString& spec);

 private:
  QImage seen() const;

  Shell& shell_;
  QTimer soon_;  // delay after opening, until the views are drawn
};

}  // namespace arenascope::app
