// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a tensor's values in the inspector: statistics, histogram, heat map and table.
#pragma once
#include <views/common/background.h>
#include <views/common/export.h>
#include <views/tensor/tensor_table.h>

#include <QWidget>

class QLabel;
class QSpinBox;
class QTabWidget;
class QTableView;

namespace arenascope::views {

class TensorView : public QWidget, public Paintable {
  Q_OBJECT
 public:
  explicit TensorView(Theme* theme, QWidget* parent = nullptr);

  // Sets the values of a tensor; statistics are computed in the background. Null clears the view.
  void set_values(std::shared_ptr<const TensorValues> values, const QString& title);
  void clear(const QString& reason);
  const TensorStats& stats() const { return stats_; }
  const Histogram& histogram() const { return histogram_; }
  bool busy() const { return background_.busy(); }
  TensorTable* table() const { return table_; }
  QStringList figures() const;  // the lines of statistics

  void paint(QPainter* painter, QSize size) override;  // title, statistics, histogram and heat map

 public Q_SLOTS:
  void set_slice(int slice);

 Q_SIGNALS:
  void ready();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  class HistogramPicture;
  class HeatMapPicture;
  struct Measured;
  static std::shared_ptr<const Measured> measure(const TensorValues& values, const std::stop_token& stop);
  void take(const std::shared_ptr<const Measured>& measured);
  void update_texts();
  void update_heat_map();

  Theme* theme_;
  QLabel *title_, *figures_, *slice_name_;
  QTabWidget* tabs_;
  HistogramPicture* histogram_picture_;
  HeatMapPicture* heat_map_picture_;
  QTableView* table_view_;
  QSpinBox* slice_box_;
  TensorTable* table_;
  Background background_;
  std::shared_ptr<const TensorValues> values_;
  QString name_;
  TensorStats stats_;
  Histogram histogram_;
  int64_t slice_ = 0;
};

}  // namespace arenascope::views
