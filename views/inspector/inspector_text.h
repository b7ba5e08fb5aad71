// SPDX-License-Identifier: GPL-3.0-or-later
// What the inspector says about a selection, as rich text with links ("node:12", "leaf:3", "block:5"). A pure function.
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
  ComparisonPtr comparison = nullptr;  // null: nothing is compared with
};

// One thing that the text tells, for tables: in which section, what of it, and the text, all plain. A list's lines have
// no key.
struct InspectorFact {
  QString section, key, value;
  std::vector<Figure> figures = {};  // the measured numbers in it
  QStringList names = {};            // in it, whose digits are no numbers
};
std::vector<InspectorFact> inspector_facts(const InspectorInput& input, const Selection& selection);

QString inspector_html(const InspectorInput& input, const Selection& selection, const ThemeColours& colours);

// What a link of the text selects; none for one that is not ours.
std::optional<Selection> selection_of_link(const QString& link, const InspectorInput& input);

}  // namespace arenascope::views
