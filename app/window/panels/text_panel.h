// SPDX-License-Identifier: GPL-3.0-or-later
// The text that the document's language model writes: each token can be chosen, and shows what it was chosen by, where
// its keys and values lie and which run computed them; every view then shows that run.
#pragma once
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QSpinBox>
#include <QTableWidget>
#include <QTextEdit>
#include <QToolButton>

#include "app/window/document/document.h"

namespace arenascope::app {

class TextPanel : public QWidget {
  Q_OBJECT
 public:
  TextPanel(Document& document, QWidget* parent);
  void set_document(Document& document);

  void write();
  void choose(int token);  // by its place in the text; -1: none
  int chosen() const { return chosen_; }
  QString to_csv() const;

  QLineEdit* prompt() const { return prompt_; }
  QSpinBox* number() const { return number_; }
  QTextEdit* text() const { return text_; }
  QTableWidget* candidates() const { return candidates_; }
  QLabel* status() const { return status_; }
  QToolButton* write_button() const { return write_; }
  QToolButton* stop_button() const { return stop_; }
  QToolButton* go_on_button() const { return go_on_; }

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void build();
  void retranslate();
  void show_text();
  void show_token();
  void mark();
  int token_at(int place) const;

  QPointer<Document> document_;
  views::ContextBond bond_;
  QLineEdit* prompt_;
  QCheckBox* chat_;
  QSpinBox* number_;
  QToolButton *write_, *stop_, *go_on_;
  QTextEdit* text_;
  QTableWidget* candidates_;
  QLabel *status_, *token_;
  std::vector<int> ends_;  // of each token's letters in the text
  int chosen_ = -1;
};

}  // namespace arenascope::app
