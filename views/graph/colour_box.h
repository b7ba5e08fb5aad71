// SPDX-License-Identifier: GPL-3.0-or-later
// Combo box that selects the colouring of the graph: fixed properties, and the columns of the nodes table.
#pragma once
#include <QComboBox>

#include "graph_scene.h"
#include "node_columns.h"

namespace arenascope::views {

class ColourBox : public QComboBox {
  Q_OBJECT
 public:
  explicit ColourBox(QWidget* parent);
  GraphColour colour() const { return colour_; }
  int column() const { return column_; }  // for GraphColour::Column; otherwise -1
  void set_columns(NodeColumns columns) { reader_.columns = std::move(columns); }
  // Offers the choices of another document and selects its colouring; emits no signal.
  void show_choices(const SessionSource& source);
  void show_choices(const SessionSource& source, GraphColour colour, int column);
  void choose(GraphColour colour, int column = -1);
  void next_column();  // after the last one, the first
  void colour_scene(GraphScene& scene, const SessionSource& source, Step current, const ThemeColours& colours);

 Q_SIGNALS:
  void chosen();  // also if the same choice was selected again
  void changed();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void retranslate();
  int place() const;  // index of the current choice; -1: not offered

  GraphColour colour_ = GraphColour::State;
  int column_ = -1;
  ColumnReader reader_;
};

}  // namespace arenascope::views
