// SPDX-License-Identifier: GPL-3.0-or-later
// Facts about a selection as data: label, value, the numbers in it, and the selection that a click leads to. Pure
// functions, which may run on any thread.
#pragma once
#include <views/common/figure.h>
#include <views/common/selection.h>
#include <views/common/session_source.h>

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
  ComparisonPtr comparison = nullptr;                           // null: no comparison
  std::shared_ptr<const trace::PlanInfo> shown_plan = nullptr;  // keeps `plan` alive if it is not in the snapshot
};

InspectorInput inspector_input(const SessionSource& source);

// A part of a whole, drawn as a bar from `begin` to `end`, which are shares of its length.
struct FactBar {
  double begin = 0, end = 0;
  bool operator==(const FactBar&) const = default;
};

struct InspectorFact {
  enum class Kind : uint8_t { Title, Subtitle, Row, Line };

  QString section, key, value;       // plain text; titles and lines have no key
  std::vector<Figure> figures = {};  // the measured numbers in `value`
  QStringList names = {};            // names in `value` whose digits are not numbers
  Kind kind = Kind::Row;
  QString note = {};    // a description after the value
  Selection link = {};  // selected by a click; empty: none
  std::optional<FactBar> bar = std::nullopt;

  // Value and note.
  QString text() const { return note.isEmpty() ? value : value + QStringLiteral("  ") + note; }
};
std::vector<InspectorFact> inspector_facts(const InspectorInput& input, const Selection& selection);

}  // namespace arenascope::views
