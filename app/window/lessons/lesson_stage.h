// SPDX-License-Identifier: GPL-3.0-or-later
// The window during a lesson: next to the lesson only the panels that its step shows, as large as they can be. All other
// panels are hidden; one that the user opens becomes a tab of the last one shown. The user's panels come back afterwards.
#pragma once
#include <vector>

#include "app/window/panels/panel_id.h"

namespace arenascope::app {

struct Shell;

class LessonStage {
 public:
  explicit LessonStage(Shell& shell) : shell_(shell) {}

  static int lesson_width(int window);  // width of the lesson panel in a window of that width

  bool open() const { return open_; }
  void begin();                                   // keeps the user's layout until end()
  void show(const std::vector<PanelId>& panels);  // from top to bottom; empty: the lesson alone
  // Leaves out these panels, which a note replaces; the first panel stays if all of them are left out.
  void leave_out(const std::vector<PanelId>& panels);
  const std::vector<PanelId>& shown() const { return shown_; }
  void end();

 private:
  void update();
  void arrange();
  void resize();
  void show_titles(bool on);

  Shell& shell_;
  bool open_ = false;
  std::vector<PanelId> requested_, left_out_, shown_;
};

}  // namespace arenascope::app
