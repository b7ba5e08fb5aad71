// SPDX-License-Identifier: GPL-3.0-or-later
// What is open: at least one document, of which one is at hand. What is opened takes the empty one or a new one, and
// only once it is there; what cannot be opened leaves everything as it was.
#pragma once
#include <QObject>
#include <QStringList>

#include <memory>
#include <vector>

#include "document.h"

namespace arenascope::app {

class Documents : public QObject {
  Q_OBJECT
 public:
  explicit Documents(views::Theme* theme, QObject* parent = nullptr);
  ~Documents() override;

  size_t size() const { return all_.size(); }
  size_t index() const { return at_; }
  Document& operator[](size_t i) { return *all_[i]; }
  Document& at_hand() { return *all_[at_]; }
  // Null: nothing that will have a tab of its own is being opened.
  Document* opening() { return opening_.get(); }

  void open(const QString& spec, const RunSettings& settings);           // where it is open already: anew
  void open_all(const QStringList& specs, const RunSettings& settings);  // one after the other
  void cancel_opening();
  void show(size_t index);
  void show_next(int direction);
  void close(size_t index);  // the last one leaves an empty one

 Q_SIGNALS:
  void leaving();   // the one at hand: another one will be
  void switched();  // another one is at hand
  void changed();   // what there is, or a title
  void opened(arenascope::app::Document* document);
  void closing(size_t index);  // it is still there
  void progress_changed();

 private:
  std::unique_ptr<Document> make();
  void take_opened(Document* document);
  void take_failed(Document* document, const QString& sentence);
  void open_next();

  views::Theme* theme_;
  std::vector<std::unique_ptr<Document>> all_;
  std::unique_ptr<Document> opening_;  // not there yet
  QStringList to_open_;                // behind that one
  RunSettings settings_;               // for those
  size_t at_ = 0;
};

}  // namespace arenascope::app
