// SPDX-License-Identifier: GPL-3.0-or-later
// Texts of the byte lens: experiments, parameters, operations, strips and kinds of cells.
#pragma once
#include <arenascope/lesson/byte_lens.h>

#include <QCoreApplication>
#include <QString>

namespace arenascope::views {

struct LensText {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::LensText)
 public:
  static QString experiment(const char* name);
  static QString parameter(const char* name);
  // The operation of a frame as a sentence; empty for the start.
  static QString operation(const lesson::LensFrame& frame);
  // Why the input is refused; the engine's own message if it has no translation.
  static QString problem(const lesson::LensProblem& problem);
  static QString strip(const lesson::LensStrip& strip);
  static QString kind(lesson::CellKind kind);
};

}  // namespace arenascope::views
