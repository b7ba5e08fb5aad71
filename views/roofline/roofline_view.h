// SPDX-License-Identifier: GPL-3.0-or-later
// Roofline plot of the shown graph: its nodes by arithmetic intensity and speed, below the measured peaks of this machine.
#pragma once
#include <views/common/background.h>
#include <views/common/export.h>
#include <views/common/view_context.h>
#include <views/roofline/roofline_canvas.h>

#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QWidget>

namespace arenascope::views {

class RooflineView : public QWidget, public Paintable {
  Q_OBJECT
 public:
  explicit RooflineView(const ViewContext& context, QWidget* parent = nullptr);
  void set_context(const ViewContext& context);
  void set_peaks(const std::optional<ShownPeaks>& peaks);  // nullopt: not measured
  void set_measuring(bool measuring);

  RooflineCanvas* canvas() const { return canvas_; }
  QPushButton* measure_button() const { return measure_; }
  QLabel* sources_label() const { return sources_; }
  QLabel* missing_label() const { return missing_; }
  QLabel* peaks_label() const { return peaks_text_; }

  void paint(QPainter* painter, QSize size) override;
  void prepare_now();  // blocks until the view is up to date; for tests and exports

 Q_SIGNALS:
  void measure_requested();
  void missing_requested();  // the nodes without a point are to be listed

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void listen();
  void retranslate();
  void prepare_soon();
  void prepare();
  void take(RooflineDataPtr prepared);
  void show_texts();
  void show_selection();

  ViewContext context_;
  ConnectionScope connections_;
  RooflineCanvas* canvas_;
  QLabel *sources_, *missing_, *peaks_text_;
  QPushButton* measure_;
  std::optional<ShownPeaks> peaks_;
  bool measuring_ = false;
  QTimer timer_;
  Background preparing_;
  bool stale_ = true;
};

}  // namespace arenascope::views
