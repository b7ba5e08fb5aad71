// SPDX-License-Identifier: GPL-3.0-or-later
// Describes a selection as rich text with links ("node:12", "leaf:3", "block:5"). A pure function.
#pragma once
#include <views/common/figure.h>
#include <views/common/selection.h>
#include <views/common/session_source.h>
#include <views/common/theme.h>

#include <QString>
#include <optional>
#include <vector>

namespace arenascope::views {

struct InspectorInput {
  SnapshotPtr snapshot;
  trace::RunId run;
  const trace::GraphInfo* graph = nullptr;
  const trace::PlanInfo* plan = nullptr;
  bool live = false;
  ComparisonPtr comparison = nullptr;  // null: no comparison
};

// One fact of the page as plain text, for tables: section, key and value. List items have no key.
struct InspectorFact {
  QString section, key, value;
  std::vector<Figure> figures = {};  // the measured numbers in `value`
  QStringList names = {};            // names in `value` whose digits are not numbers
};
std::vector<InspectorFact> inspector_facts(const InspectorInput& input, const Selection& selection);

QString inspector_html(const InspectorInput& input, const Selection& selection, const ThemeColours& colours);

// The selection that a link refers to; nullopt for external links.
std::optional<Selection> selection_of_link(const QString& link, const InspectorInput& input);

}  // namespace arenascope::views
