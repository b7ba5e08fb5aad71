// SPDX-License-Identifier: GPL-3.0-or-later
// Training of the model: data, the options of the command line, progress, and the arena size.
#pragma once
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QSlider>
#include <QToolButton>

#include "app/window/document/document.h"
#include "frontier_plot.h"
#include "training_plot.h"

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
  Bytes capacity() const;  // selected by the slider; 0: unlimited

  QLineEdit* data() const { return data_; }
  QWidget* editor(const char* id) const;  // editor of an option
  QToolButton* more_button() const { return more_; }
  QSlider* slider() const { return slider_; }
  QLabel* status() const { return status_; }
  TrainingPlot* plot() const { return plot_; }
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
  QWidget* lay_out_options();  // options beyond the common ones
  void show_changed();         // marks options that differ from the defaults
  void retranslate();
  void show_training();
  void show_point();
  TrainingRequest request() const;

  QPointer<Document> document_;
  views::ConnectionScope bond_;
  QLineEdit* data_;
  std::vector<Row> rows_;
  QWidget* others_;  // options shown by more_
  QToolButton *train_, *stop_, *find_, *more_;
  QSlider* slider_;
  TrainingPlot* plot_;
  FrontierPlot* frontier_;
  QLabel *status_, *point_;
};

}  // namespace arenascope::app
