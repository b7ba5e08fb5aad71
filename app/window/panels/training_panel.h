// SPDX-License-Identifier: GPL-3.0-or-later
// Training of the document's model: what it learns from, with the options that the command line has, how it gets on, and how
// many bytes its arena may take.
#pragma once
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QSlider>
#include <QToolButton>

#include "app/window/document/document.h"
#include "frontier_plot.h"
#include "learning_plot.h"

namespace arenascope::app {

template <class Of>
struct OptionOf;
struct TrainChoices;

class TrainingPanel : public QWidget {
  Q_OBJECT
 public:
  TrainingPanel(Document& document, QWidget* parent);
  void set_document(Document& document);

  void train();
  void find_frontier();
  QString to_csv() const;
  Bytes capacity() const;  // that the slider stands at; 0: nothing is spared

  QLineEdit* data() const { return data_; }
  QWidget* editor(const char* id) const;  // of an option
  QToolButton* more_button() const { return more_; }
  QSlider* slider() const { return slider_; }
  QLabel* status() const { return status_; }
  LearningPlot* plot() const { return plot_; }
  FrontierPlot* frontier_plot() const { return frontier_; }
  QToolButton* train_button() const { return train_; }
  QToolButton* stop_button() const { return stop_; }
  QToolButton* frontier_button() const { return find_; }

 protected:
  void changeEvent(QEvent* event) override;

 private:
  struct Row {
    const OptionOf<TrainChoices>* option;
    QLabel* title;
    QWidget* editor;
  };
  void build();
  void build_options();
  void lay_out();
  QWidget* lay_out_options();  // those beyond the first ones
  void show_changed();         // titles of options that are not as usual
  void retranslate();
  void show_learning();
  void show_point();
  LearningWish wish() const;

  QPointer<Document> document_;
  views::ContextBond bond_;
  QLineEdit* data_;
  std::vector<Row> rows_;
  QWidget* others_;  // the options behind more_
  QToolButton *train_, *stop_, *find_, *more_;
  QSlider* slider_;
  LearningPlot* plot_;
  FrontierPlot* frontier_;
  QLabel *status_, *point_;
};

}  // namespace arenascope::app
