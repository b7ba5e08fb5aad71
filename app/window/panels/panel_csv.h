// SPDX-License-Identifier: GPL-3.0-or-later
// The table of a panel as CSV, made from the document without widgets.
#pragma once
#include <functional>

#include "panel_id.h"

class QString;

namespace arenascope::app {

class Document;

// A function that creates the CSV on any thread; null: the panel has no table of the document.
std::function<QString()> csv_of_panel(PanelId panel, Document& document);

}  // namespace arenascope::app
