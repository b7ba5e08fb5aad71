// SPDX-License-Identifier: GPL-3.0-or-later
// `arenascope --export VIEW -o FILE`: exports one view without a window or display.
#pragma once
#include <views/common/theme.h>
#include <QSize>
#include <QString>
#include <QStringList>

namespace arenascope::app {

struct ExportOptions {
  QString view;    // one of export_views()
  QString output;  // .png, .svg or .pdf
  QString spec;    // model, zoo:NAME or recording; a model is planned and run first
  QSize size{1600, 900};
  bool size_given = false;  // otherwise the graph is drawn at its natural size
  double scale = 1;         // pixels of a PNG per logical pixel
  views::ThemeMode theme = views::ThemeMode::Light;
  QString colour;          // colouring of the graph: "state", "op", …; empty: state
  bool expand = false;     // expand all layers of the graph
  int runs = 3;            // runs of a model before exporting
  QString layout;          // layout of the window
  int graph = -1;          // number of the graph to show; -1: the default
  QString select;          // name of a node to select
  bool time = false;       // time instead of steps on the x axis
  QString planner, order;  // planner and order of the plan to overlay
  QString compare;         // model or recording to compare with
};

QStringList export_views();
// Returns the exit status; errors are one line on standard error.
int run_export(const ExportOptions& options);

}  // namespace arenascope::app
