// SPDX-License-Identifier: GPL-3.0-or-later
// A small picture of each file that was opened last, as it was seen: of its arena, its timeline or its graph. Kept in the
// cache folder of the user, no more of them than files are remembered, read and written beside the window.
#pragma once
#include <QImage>
#include <QObject>
#include <QStringList>
#include <QTimer>

namespace arenascope::app {

class Document;
struct Shell;

class RecentPictures : public QObject {
  Q_OBJECT
 public:
  explicit RecentPictures(Shell& shell);
  void keep();  // of the document at hand, if it is remembered and has something to show

  static constexpr QSize kSize{120, 72};  // pixels
  static QString path_of(const QString& spec);
  // On any thread. Null: there is none.
  static QImage read(const QString& spec);

 private:
  QImage seen() const;

  Shell& shell_;
  QTimer soon_;  // behind what was opened, when it was drawn
};

}  // namespace arenascope::app
