// SPDX-License-Identifier: GPL-3.0-or-later
#include "colour_box.h"

#include <QEvent>

namespace arenascope::views {

ColourBox::ColourBox(QWidget* parent) : QComboBox(parent) {
  retranslate();
  connect(this, &QComboBox::activated, this, [this](int i) { Q_EMIT chosen(static_cast<GraphColour>(i)); });
}

void ColourBox::retranslate() {
  const QStringList colours{tr("State"), tr("Op"),    tr("Backend"),        tr("Mean time"),
                            tr("Bytes"), tr("Block"), tr("Difference of B")};
  for (int i = 0; i < colours.size(); ++i)
    if (i < count())
      setItemText(i, colours[i]);
    else
      addItem(colours[i]);
  setToolTip(tr("What the colours of the graph tell"));
  setAccessibleName(tr("Colour by"));
}

void ColourBox::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QComboBox::changeEvent(event);
}

}  // namespace arenascope::views
