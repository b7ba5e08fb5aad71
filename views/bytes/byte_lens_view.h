// SPDX-License-Identifier: GPL-3.0-or-later
// The panel of the byte lens: an experiment, fields for its parameters, and its frames, stepped forwards and backwards.
// Changed parameters run the experiment again, in the background. The selected tensor is shown by the experiment
// "strides" with the sizes and strides of the tensor.
#pragma once
#include <arenascope/lesson/byte_lens.h>
#include <views/bytes/lens_canvas.h>
#include <views/common/background.h>
#include <views/common/view_context.h>

#include <QComboBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMap>
#include <QPushButton>
#include <QSlider>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>

namespace arenascope::views {

class ByteLensView : public QWidget, public Paintable {
  Q_OBJECT
 public:
  ByteLensView(const ViewContext& context, QWidget* parent = nullptr);
  void set_context(const ViewContext& context);

  void show_experiment(const QString& name, const lesson::LensInput& input = {});
  void show_frame(int frame);
  // The current frame, or the last one if no operation is shown; of a panel that was never opened, the first experiment.
  void paint(QPainter* painter, QSize size) override;
  int frame() const { return slider_->value(); }
  const std::vector<lesson::LensFrame>& frames() const { return frames_; }
  bool busy() const { return run_.busy(); }

  LensCanvas* canvas() const { return canvas_; }
  QComboBox* chooser() const { return chooser_; }
  QLineEdit* field(const char* parameter) const;  // null: the experiment has no such parameter
  QToolButton* back_button() const { return back_; }
  QToolButton* forward_button() const { return forward_; }
  QToolButton* play_button() const { return play_; }
  QComboBox* pace() const { return pace_; }
  QPushButton* selected_button() const { return selected_; }
  QLabel* problem() const { return problem_; }
  QString to_csv() const;  // of the current frame

 Q_SIGNALS:
  void frames_changed();

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void connect_controls();
  void make_fields(const lesson::LensInput& input);
  void run();
  void take(const std::shared_ptr<const void>& result);
  void set_frames(std::vector<lesson::LensFrame> frames);
  void show_selected();
  void update_selected();
  trace::GraphId selected_graph() const;
  const trace::TensorInfo* selected_tensor() const;
  void update_pace();
  void play_next();
  void update_buttons();
  void retranslate();

  ConnectionScope connections_;
  SessionSource* source_;
  SelectionModel* selection_;
  QComboBox* chooser_;
  QPushButton* selected_;
  QWidget* fields_ = nullptr;
  QVBoxLayout* controls_;
  QToolButton *back_, *forward_, *play_;
  QComboBox* pace_;
  QTimer player_;
  QSlider* slider_;
  QLabel *position_, *problem_;
  LensCanvas* canvas_;
  QMap<QString, QString> field_text_;  // by parameter, as of the last run
  std::string shown_;                  // experiment of the frames
  std::vector<lesson::LensFrame> frames_;
  std::set<lesson::CellKind> kinds_;  // of all frames, for the legend
  Background run_;
};

}  // namespace arenascope::views
