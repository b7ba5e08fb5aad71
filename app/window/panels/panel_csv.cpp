// SPDX-License-Identifier: GPL-3.0-or-later
#include "panel_csv.h"

#include <views/common/flame_text.h>
#include <views/findings/findings_model.h>
#include <views/inspector/inspector_model.h>

#include "panel.h"

namespace arenascope::app {

using namespace views;

namespace {

std::function<QString()> csv_of_table(TablePtr table) {
  TableModel model;
  const int sorted_by = table ? table->sorted_by : -1;
  model.set_table(std::move(table));
  if (sorted_by >= 0) model.sort(sorted_by);
  return model.csv_maker();
}

std::function<QString()> csv_of_findings(const FindingsSearch& search) {
  FindingsModel model;
  model.set_findings(search.findings(), search.about());
  return [csv = model.to_csv()] { return csv; };
}

}  // namespace

std::function<QString()> csv_of_panel(PanelId panel, Document& document) {
  const SessionSource& source = *document.source();
  const TableInput input = TableInput::of(source);
  if (panel == PanelId::Inspector)
    return [input = inspector_input(source), selection = document.selection()->current()] {
      return facts_csv(inspector_facts(input, selection));
    };
  if (panel == PanelId::Findings) return csv_of_findings(document.jobs().findings);
  if (panel == PanelId::Flame) {
    const auto weight = preferred_weight(*input.snapshot);
    return weight ? csv_of_table(flame_table(input, *weight)) : nullptr;
  }
  const PanelDescriptor& kind = panel_kind(panel_kind(panel).table_of.value_or(panel));
  return kind.table != nullptr ? csv_of_table(kind.table(input)) : nullptr;
}

}  // namespace arenascope::app
