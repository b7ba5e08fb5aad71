// SPDX-License-Identifier: GPL-3.0-or-later
// True unless the desktop requests reduced motion (Qt follows GTK's enable-animations and similar settings).
#pragma once
#include <QApplication>

namespace arenascope::app {

inline bool wants_motion() { return QApplication::isEffectEnabled(Qt::UI_General); }

}  // namespace arenascope::app
