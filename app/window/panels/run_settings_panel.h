// SPDX-License-Identifier: GPL-3.0-or-later
// Run options of the current document: one row per option with its default and description. Changed values are saved
// for the file, which is reopened with them. Defaults come from the preferences.
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
struct RunnerOptions;  // not included: the engine's headers conflict with Qt keywords
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

  // For tests: editor of an option, error text, button.
  QWidget* editor(const char* id) const;
  QString problem() const { return problem_->text(); }
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
    QLabel* description;
  };
  void build();
  void retranslate();
  void load();          // the saved values of the document
  void show_changed();  // updates titles and buttons
  void apply();
  void reset();
  RunnerOptions usual() const;
  std::map<std::string, std::string> chosen() const;  // values that differ from the defaults

  QPointer<Document> document_;
  views::ConnectionScope bond_;
  std::vector<Row> rows_;
  bool model_ = false;  // the document is a model that can be run
  QScrollArea* scroll_;
  QLabel *problem_, *none_;
  QPushButton *apply_, *reset_;
};

}  // namespace arenascope::app
