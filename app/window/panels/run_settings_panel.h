// SPDX-License-Identifier: GPL-3.0-or-later
// How the document at hand is run: a row for each option of the command line, with what is usual and a sentence. What
// is chosen is remembered by the file, which is opened with it. What the preferences say is what is usual.
#pragma once
#include <views/common/view_context.h>

#include <QGridLayout>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <map>
#include <string>
#include <vector>

namespace arenascope {
struct RunnerOptions;  // not included here: the engine's headers do not know of Qt's keywords
}  // namespace arenascope

namespace arenascope::app {
template <class Of>
struct OptionOf;
}  // namespace arenascope::app

namespace arenascope::app {

class Document;

class RunSettingsPanel : public QWidget {
  Q_OBJECT
 public:
  explicit RunSettingsPanel(Document& document, QWidget* parent = nullptr);
  void set_document(Document& document);
  QString to_csv() const;

  // Of tests: the editor of an option, the sentence about what was wrong, and the button.
  QWidget* editor(const char* id) const;
  QString said() const { return said_->text(); }
  QPushButton* apply_button() const { return apply_; }
  QPushButton* reset_button() const { return reset_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  struct Row {
    const OptionOf<RunnerOptions>* option;
    QLabel* title;
    QWidget* editor;
    QLabel* usual;
    QLabel* sentence;
  };
  void build();
  void retranslate();
  void take();          // what is remembered of the document
  void show_changed();  // titles and buttons
  void apply();
  void reset();
  RunnerOptions usual() const;
  std::map<std::string, std::string> chosen() const;  // those that differ from what is usual

  QPointer<Document> document_;
  views::ContextBond bond_;
  std::vector<Row> rows_;
  bool model_ = false;  // whether the document is of what can be run
  QScrollArea* scroll_;
  QLabel *said_, *none_;
  QPushButton *apply_, *reset_;
};

}  // namespace arenascope::app
