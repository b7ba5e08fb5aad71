// SPDX-License-Identifier: GPL-3.0-or-later
// What to plan with: planner, order, work in place, bytes to fit under, seconds to search, alignment, streams and banks;
// and how the search gets on. It asks by signals and plans nothing itself.
#pragma once
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

struct ReplanWish {
  QString planner = QStringLiteral("search"), order = QStringLiteral("depth-first");
  bool in_place = false;
  Bytes fit_under = 0;  // 0: as small as possible
  double budget_seconds = 2;
  Bytes alignment = 0;  // 0: as of the plan at hand
  int streams = 1;      // above 1: results share bytes only behind an event between them
  QString banks;        // "sram=512K,host": over these memories, the fastest first; empty: one arena
  bool operator==(const ReplanWish&) const = default;
};

class ReplanPanel : public QWidget {
  Q_OBJECT
 public:
  explicit ReplanPanel(Theme* theme, QWidget* parent = nullptr);

  void set_choices(const QStringList& planners, const QStringList& orders);
  ReplanWish wish() const;
  // These say nothing.
  void set_wish(const ReplanWish& wish);
  void choose(const QString& planner, const QString& order);
  void set_fit_under(Bytes bytes);
  void set_can_plan(bool can);  // there is a graph
  void set_busy(bool busy);
  void say(const QString& text) { said_->setText(text); }
  QString said() const { return said_->text(); }
  SearchCurve* curve() { return curve_; }

 Q_SIGNALS:
  void plan_wanted();
  void all_wanted();
  void stop_wanted();
  void export_wanted();
  void wish_changed();  // by hand

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void make_layout_fields();
  void lay_out();
  void retranslate();
  void take_fit_under();

  Theme* theme_;
  QLabel *planner_label_, *order_label_, *fit_label_, *budget_label_, *alignment_label_, *streams_label_, *banks_label_,
      *said_;
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
