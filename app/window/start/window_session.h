// SPDX-License-Identifier: GPL-3.0-or-later
// The open documents of the window with the state of their views. Stored in the settings every few seconds, so that they
// are restored after a quit and after a crash. A document whose opening ended the program is not opened again.
#pragma once
#include <QLockFile>
#include <QTimer>

#include <vector>

#include "app/window/shell.h"

namespace arenascope::app {

class WindowSession : public QObject {
  Q_OBJECT
 public:
  explicit WindowSession(Shell& shell);

  // Stores the session from now on, unless another running program does.
  void begin();
  void restore();  // opens the documents of the last session; after begin()
  void save();     // at once
  void end();      // saves; the program ends normally

  static QString lock_path();  // of the file locked by the program that stores its session

 private:
  // As stored, of a document that is not open yet or has no content yet.
  struct Entry {
    QString spec;
    QJsonObject json;
  };
  static QJsonObject entry_of(Document& document);
  OpenRequest request_of(const Entry& entry) const;
  std::vector<Entry>::iterator find(const QString& spec, bool plan_only);
  void on_opening_begun(const QString& spec);
  void on_opening_failed(const QString& spec);
  void on_opened(Document* document);
  void on_complete(Document* document);
  void set_finished(const QString& spec);
  void store_unfinished();
  void report_skipped();
  void apply(Document& document, const ViewState& stored);

  Shell& shell_;
  QTimer timer_;
  QLockFile lock_;
  bool stores_ = false, shows_ = false;
  std::vector<Entry> waiting_;
  QStringList unfinished_;  // specs whose content is not complete yet; any of them may end the program
  QStringList skipped_;     // unfinished when the last program ended, not reported yet
  QString current_;         // spec of the document to show; empty: none, or the user has shown another one
};

}  // namespace arenascope::app
