// SPDX-License-Identifier: GPL-3.0-or-later
// Copies and saves what a panel shows, as a picture and as the table that tells the same.
#pragma once
#include "panels.h"

namespace arenascope::app {

class PanelOutput {
 public:
  explicit PanelOutput(Panels* panels) : panels_(panels) {}
  // What it shows now, to be written to the path on any thread.
  Result<views::PictureDraft> draft_picture(const QString& id, const QString& path) const;
  void copy_picture(const QString& id) const;  // it is there a moment later
  // What makes the text of the table as it is now, on any thread; null: it is no table (a lesson).
  std::function<QString()> csv_maker(const QString& id) const;
  void copy_csv(const QString& id) const;

 private:
  QSize size_of(const QString& id) const;
  Panels* panels_;
};

// The path and what is wrong with it, where it cannot be written.
Status write_text(const QString& text, const QString& path);

}  // namespace arenascope::app
