// SPDX-License-Identifier: GPL-3.0-or-later
// Planning options: planner, execution order, in-place ops, memory limit, time limit, alignment, streams and banks; and
// the progress of the search. The panel emits requests and does not plan itself.
#pragma once
#include <views/planners/plan_request.h>
#include <views/planners/search_curve.h>

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QToolButton>
#include <optional>

namespace arenascope::views {

class ReplanPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ReplanPanel(Theme* theme, QWidget* parent = nullptr);

  void set_choices(const QStringList& planners, const QStringList& orders);
  PlanRequest request() const;
  // These do not emit signals.
  void set_request(const PlanRequest& request);
  void choose(const QString& planner, const QString& order);
  void set_fit_under(Bytes bytes);
  void set_can_plan(bool can);  // a graph is open
  void set_busy(bool busy);
  void focus_limit() { fit_under_->setFocus(); }
  void show_message(const QString& text) { message_->setText(text); }
  QString message() const { return message_->text(); }
  SearchCurve* curve() { return curve_; }

 Q_SIGNALS:
  void plan_requested();
  void all_requested();
  void stop_requested();
  void export_requested();
  void request_changed();  // by the user

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void make_layout_fields();
  void lay_out();
  void retranslate();
  void take_fit_under();

  Theme* theme_;
  QLabel *planner_label_, *order_label_, *fit_label_, *budget_label_, *alignment_label_, *streams_label_, *banks_label_,
      *message_;
  QComboBox *planner_, *order_, *alignment_;
  QCheckBox* in_place_;
  QLineEdit *fit_under_, *banks_;
  QSpinBox* streams_;
  QDoubleSpinBox* budget_;
  QToolButton *plan_, *all_, *stop_, *export_;
  SearchCurve* curve_;
  Bytes bytes_ = 0;
  bool can_ = false, busy_ = false;
};

}  // namespace arenascope::views
