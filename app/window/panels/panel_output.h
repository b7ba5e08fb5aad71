// SPDX-License-Identifier: GPL-3.0-or-later
// Copies and saves the content of a panel as a picture or table.
#pragma once
#include "panels.h"

namespace arenascope::app {

class PanelOutput {
 public:
  explicit PanelOutput(Panels* panels) : panels_(panels) {}
  // A function that writes the current content to a file on any thread.
  Result<views::PictureDraft> draft_picture(PanelId id, const QString& path) const;
  void copy_picture(PanelId id) const;  // asynchronous
  // A function that creates the CSV of the table on any thread; null: the panel has no table (such as a lesson).
  std::function<QString()> csv_maker(PanelId id) const;
  void copy_csv(PanelId id) const;
  void copy_markdown(PanelId id) const;  // nothing if the panel has no table

 private:
  QSize size_of(PanelId id) const;
  Panels* panels_;
};

// Writes the file atomically. `inputs`: files that are being read; the output must not be one of them.
Status write_text(const QString& text, const QString& path, OutputFile::Paths inputs = {});

}  // namespace arenascope::app
