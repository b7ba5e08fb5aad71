// SPDX-License-Identifier: GPL-3.0-or-later
// Laboratory for a recorded caching allocator: replays its requests with other settings and device sizes and shows
// the reserved memory.
#pragma once
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTreeView>

#include "app/window/document/document.h"

namespace arenascope::app {

class LaboratoryPanel : public QWidget {
  Q_OBJECT
 public:
  LaboratoryPanel(Document& document, QWidget* parent);
  void set_document(Document& document);

  void replay();
  QString to_csv() const;

  QLineEdit* settings() const { return settings_; }
  QLineEdit* memory() const { return memory_; }
  QPushButton* replay_button() const { return replay_; }
  QLabel* status() const { return status_; }
  const QStandardItemModel* model() const { return model_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void retranslate();
  void show_replays();
  bool can_replay() const;  // the document is a memory snapshot

  QPointer<Document> document_;
  views::ConnectionScope bond_;
  QLineEdit *settings_, *memory_;
  QPushButton* replay_;
  QTreeView* list_;
  QStandardItemModel* model_;
  QLabel* status_;
};

}  // namespace arenascope::app
