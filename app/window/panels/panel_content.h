// SPDX-License-Identifier: GPL-3.0-or-later
// Which panels a document has content for, and the kind of its layout. No widgets.
#pragma once
#include "app/window/document/document_content.h"
#include "panel_id.h"

namespace arenascope::app {

// Documents of one kind share a layout, which is remembered with the user's changes.
enum class LayoutKind : uint8_t {
  Model,   // a graph: a model, a recording of one, or another program while it is recorded
  Memory,  // allocations of another program
  Trace,   // spans of another program
  Plan,    // buffers and their offsets
};
inline constexpr int kLayoutKinds = 4;

LayoutKind layout_kind_of(const DocumentContent& content);
const char* name_of(LayoutKind kind);            // stable: used in the settings
const char* default_layout_of(LayoutKind kind);  // one of Layouts::names()

// An empty document or one of a lesson has content for every panel.
bool has_content(PanelId panel, const DocumentContent& content);

}  // namespace arenascope::app
