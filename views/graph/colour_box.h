// SPDX-License-Identifier: GPL-3.0-or-later
// What the colours of the graph tell, to be chosen from.
#pragma once
#include <QComboBox>

#include "graph_scene.h"

namespace arenascope::views {

class ColourBox : public QComboBox {
  Q_OBJECT
 public:
  explicit ColourBox(QWidget* parent);
  void show_colour(GraphColour colour) { setCurrentIndex(static_cast<int>(colour)); }  // says nothing

 Q_SIGNALS:
  void chosen(arenascope::views::GraphColour colour);  // by hand

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void retranslate();
};

}  // namespace arenascope::views
