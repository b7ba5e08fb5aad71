// SPDX-License-Identifier: GPL-3.0-or-later
// The open documents: at least one, of which one is current. A newly opened document replaces an empty one or is
// added, once it has been loaded; a failed open changes nothing.
#pragma once
#include <QObject>
#include <QStringList>

#include <deque>
#include <memory>
#include <vector>

#include "document.h"
#include "message_log.h"

namespace arenascope::app {

struct OpenRequest {
  QString spec;
  RunSettings settings;
  bool in_background = false;  // in a new tab that does not become current
};

class Documents : public QObject {
  Q_OBJECT
 public:
  explicit Documents(views::Theme* theme, QObject* parent = nullptr);
  ~Documents() override;

  size_t size() const { return all_.size(); }
  size_t index() const { return at_; }
  Document& operator[](size_t i) { return *all_[i]; }
  Document& current() { return *all_[at_]; }
  MessageLog* log() { return &log_; }
  // The document that is being opened in a new tab; null: none.
  Document* opening() { return opening_.get(); }

  void open(const QString& spec, const RunSettings& settings);  // reopens a spec that is already open
  void open_all(const std::vector<OpenRequest>& requests);      // sequentially, after the earlier ones
  void cancel_opening();
  // Running tasks of the document being opened and of the current one; the one the user waits for comes first.
  std::vector<views::Task*> tasks();
  // Running tasks of all documents.
  std::vector<std::pair<Document*, views::Task*>> all_tasks();
  void show(size_t index);
  void show_next(int direction);
  void close(size_t index);  // closing the last one leaves an empty document

 Q_SIGNALS:
  void opening_begun(const QString& spec);   // before the file is read
  void opening_failed(const QString& spec);  // or was cancelled
  void leaving();                            // before another document becomes current
  void switched();                           // the current document changed
  void changed();                            // the list or a title changed
  void opened(arenascope::app::Document* document);
  void closing(size_t index);  // before it is removed
  void tasks_changed();

 private:
  std::unique_ptr<Document> make();
  void on_opened(Document* document);
  void on_failed(Document* document, const QString& message);
  void begin(const OpenRequest& request);
  void open_first();  // of to_open_, unless a document is being opened
  void open_next();   // the same, once the current signal has been handled
  bool is_opening() const;

  views::Theme* theme_;
  MessageLog log_;
  std::vector<std::unique_ptr<Document>> all_;
  std::unique_ptr<Document> opening_;  // not in all_ yet
  OpenRequest request_;                // of opening_
  bool from_queue_ = false;            // request_ was one of to_open_
  std::deque<OpenRequest> to_open_;    // by open_all()
  size_t at_ = 0;
};

}  // namespace arenascope::app
