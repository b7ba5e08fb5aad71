// SPDX-License-Identifier: GPL-3.0-or-later
// Copies and saves what a panel shows, as a picture and as the table that tells the same.
#pragma once
#include "panels.h"

namespace arenascope::app {

class PanelOutput {
 public:
  explicit PanelOutput(Panels* panels) : panels_(panels) {}
  Status save_picture(const QString& id, const QString& path) const;
  void copy_picture(const QString& id) const;
  QString csv(const QString& id) const;  // empty: it is no table (a lesson)
  Status save_csv(const QString& id, const QString& path) const;
  void copy_csv(const QString& id) const;

 private:
  QSize size_of(const QString& id) const;
  Panels* panels_;
};

}  // namespace arenascope::app
