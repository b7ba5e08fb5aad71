// SPDX-License-Identifier: GPL-3.0-or-later
// What the colours of the graph tell, and to choose it from: what is always there, and the columns of the nodes' table.
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
  int column() const { return column_; }  // of GraphColour::Column; otherwise -1
  void set_columns(NodeColumns columns) { reader_.columns = std::move(columns); }
  // What another document offers, and what it was coloured by; says nothing.
  void show_choices(const SessionSource& source);
  void show_choices(const SessionSource& source, GraphColour colour, int column);
  void choose(GraphColour colour, int column = -1);
  void next_column();  // the first behind the last
  void colour_scene(GraphScene& scene, const SessionSource& source, Step current, const ThemeColours& colours);

 Q_SIGNALS:
  void chosen();  // the same again, too
  void changed();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void retranslate();
  int place() const;  // of what is chosen; -1: it is not offered here

  GraphColour colour_ = GraphColour::State;
  int column_ = -1;
  ColumnReader reader_;
};

}  // namespace arenascope::views
