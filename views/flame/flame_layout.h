// SPDX-License-Identifier: GPL-3.0-or-later
// The boxes of a flame graph, its search and its text forms. Pure functions without widgets.
#pragma once
#include <arenascope/trace/flame_tree.h>

#include <QRectF>
#include <QString>
#include <QStringList>
#include <vector>

namespace arenascope::views {

struct FlameShape {
  double width = 0;       // pixels of the frame that is zoomed to
  double row_height = 1;  // pixels
  bool icicle = true;     // callers above their callees; a flame graph has them below
};

struct FlameBox {
  uint32_t frame = 0;   // the largest of several
  uint32_t frames = 1;  // adjacent siblings that are too narrow to be drawn one by one
  QRectF rect;
  bool contains(uint32_t other) const { return frame <= other && other < frame + frames; }
};

struct FlameLayout {
  std::vector<FlameBox> boxes;  // by depth; the ancestors of the frame that is zoomed to have its width
  int rows = 0;
};
FlameLayout lay_out_flame(const trace::FlameTree& tree, uint32_t zoomed, const FlameShape& shape);

// Frames whose name contains the text, without regard to case.
struct FlameMatch {
  std::vector<bool> matched;  // by frame; empty for an empty text
  size_t frames = 0;
  double share = 0;  // share of the outermost matched frames in the total weight
};
FlameMatch match_frames(const trace::FlameTree& tree, const QString& text);

// Names of the frames from the root's child to the frame; empty for the root.
QStringList path_of(const trace::FlameTree& tree, uint32_t frame);
// The deepest frame on that path; the root if the first name does not exist.
uint32_t frame_on_path(const trace::FlameTree& tree, const QStringList& path);

// One line per frame with weight of its own, "main;run;step 1234", as other tools for flame graphs read it.
QString folded_stacks(const trace::FlameTree& tree, uint32_t from);
// Path, self and total weight of the frame and its descendants.
QString flame_csv(const trace::FlameTree& tree, uint32_t from);

}  // namespace arenascope::views
