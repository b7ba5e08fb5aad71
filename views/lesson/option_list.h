// SPDX-License-Identifier: GPL-3.0-or-later
// A list of exclusive options, chosen by clicking anywhere on a row or by keyboard. The texts are Markdown and wrap.
#pragma once
#include <QButtonGroup>
#include <QWidget>

namespace arenascope::views {

class OptionList : public QWidget {
  Q_OBJECT
 public:
  explicit OptionList(QWidget* parent = nullptr);
  void set_options(const QStringList& markdown);
  int chosen() const { return group_->checkedId(); }  // -1: none
  QAbstractButton* button(int i) const { return group_->button(i); }

 private:
  QButtonGroup* group_;
};

}  // namespace arenascope::views
