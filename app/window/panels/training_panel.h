// SPDX-License-Identifier: GPL-3.0-or-later
// Training of the document's model: what it learns from, how it gets on, and how many bytes its arena may take.
#pragma once
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QSlider>
#include <QSpinBox>
#include <QToolButton>

#include "app/window/document/document.h"
#include "frontier_plot.h"
#include "learning_plot.h"

namespace arenascope::app {

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
  QSpinBox* epochs() const { return epochs_; }
  QSpinBox* batch() const { return batch_; }
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
  void build();
  void lay_out();
  void retranslate();
  void show_learning();
  void show_point();
  LearningWish wish() const;

  QPointer<Document> document_;
  views::ContextBond bond_;
  QLineEdit* data_;
  QComboBox* optimizer_;
  QDoubleSpinBox* rate_;
  QSpinBox *epochs_, *batch_;
  QToolButton *train_, *stop_, *find_;
  QSlider* slider_;
  LearningPlot* plot_;
  FrontierPlot* frontier_;
  QLabel *status_, *point_;
};

}  // namespace arenascope::app
