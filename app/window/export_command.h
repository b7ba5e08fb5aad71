// SPDX-License-Identifier: GPL-3.0-or-later
// `arenascope --export VIEW -o FILE`: a picture of one view, with no window and no display.
#pragma once
#include <views/common/theme.h>
#include <QSize>
#include <QString>
#include <QStringList>

namespace arenascope::app {

struct ExportOptions {
  QString view;    // one of export_views()
  QString output;  // .png, .svg or .pdf
  QString spec;    // a model, zoo:NAME or a recording; a model is planned and run first
  QSize size{1600, 900};
  bool size_given = false;  // otherwise the graph is drawn as large as it is
  double scale = 1;         // pixels of a PNG per logical pixel
  views::ThemeMode theme = views::ThemeMode::Light;
  QString colour;          // of the graph: "state", "op", …; empty: state
  bool expand = false;     // all layers of the graph
  int runs = 3;            // of a model, before the picture
  QString layout;          // of the window
  QString select;          // name of a node to select
  bool time = false;       // on the x axis, instead of steps
  QString planner, order;  // another plan, shown over the one in use
  QString compare;         // a second model or recording, drawn with the first
};

QStringList export_views();
// The exit status; errors are one sentence on standard error.
int run_export(const ExportOptions& options);

}  // namespace arenascope::app
