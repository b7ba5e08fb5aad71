// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the desktop wants things to move by themselves: Qt's switch, which follows the desktop's ("reduced motion",
// GTK's enable-animations).
#pragma once
#include <QApplication>

namespace arenascope::app {

inline bool wants_motion() { return QApplication::isEffectEnabled(Qt::UI_General); }

}  // namespace arenascope::app
