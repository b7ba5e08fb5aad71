// SPDX-License-Identifier: GPL-3.0-or-later
// Tool bar icons, drawn in the text colour of the palette, for any theme and scale.
#pragma once
#include <QIcon>

namespace arenascope::app {

enum class Glyph : uint8_t { Run, Pause, StepNode, Stop, First, Back, Play, Forward, NextPeak, Open };
QIcon glyph_icon(Glyph glyph, const QColor& colour);

}  // namespace arenascope::app
