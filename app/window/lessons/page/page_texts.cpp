// SPDX-License-Identifier: GPL-3.0-or-later
#include "page_texts.h"

#include <views/bytes/lens_text.h>
#include <views/findings/finding_text.h>
#include <views/inspector/inspector_facts.h>
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_pages.h>

#include <algorithm>

#include "app/window/panels/panel.h"
#include "question_texts.h"

namespace arenascope::app {
namespace {

constexpr size_t kMaxRows = 200, kMaxValues = 64;

struct LessonPageTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::app::LessonPage)
};

std::string utf8(const QString& text) { return text.toStdString(); }

views::TableInput table_input(const lesson::Scene& scene) {
  views::TableInput input;
  input.snapshot = scene.snapshot;
  input.run = scene.run;
  input.graph = scene.graph;
  input.plan = scene.plan;
  return input;
}

// Rows are [tensor to select or "", cell, cell, …].
Json table_json(const views::Table& table, const lesson::Scene& scene) {
  Json columns = Json::array(), rows = Json::array();
  for (const views::Column& column : table.columns)
    columns.push_back({{"title", utf8(column.title)}, {"number", static_cast<bool>(column.number)}});
  for (size_t row = 0; row < std::min(table.rows, kMaxRows); ++row) {
    Json cells = Json::array();
    const trace::TensorRef tensor = table.selection && scene.graph
                                        ? views::tensor_of(table.selection(row), *scene.snapshot)
                                        : trace::TensorRef::none();
    cells.push_back(tensor.valid() ? tensor_name(*scene.graph, tensor) : std::string());
    for (const views::Column& column : table.columns) cells.push_back(utf8(column.text(row)));
    rows.push_back(std::move(cells));
  }
  return {{"columns", columns}, {"rows", rows}, {"all", table.rows}, {"empty", utf8(table.empty_text)}};
}

Json columns_json(const QStringList& titles) {
  Json columns = Json::array();
  for (const QString& title : titles) columns.push_back({{"title", utf8(title)}, {"number", false}});
  return columns;
}

Json findings_json(const PlayedState& state) {
  const lesson::Scene& s = state.scene;
  const FindingsInput about{s.snapshot, s.graph, s.plan, s.run};
  Json rows = Json::array();
  for (const Finding& finding : state.findings)
    rows.push_back({"", utf8(views::finding_text(finding, about)), utf8(views::finding_saving(finding))});
  return {{"columns", columns_json({LessonPageTexts::tr("Finding"), LessonPageTexts::tr("Saving")})},
          {"rows", rows},
          {"all", rows.size()},
          {"empty", ""}};
}

QString values_text(const std::vector<float>& values) {
  QStringList out;
  for (size_t i = 0; i < std::min(values.size(), kMaxValues); ++i)
    out << QString::number(static_cast<double>(values[i]), 'g', 5);
  return out.join(QStringLiteral(", ")) + (values.size() > kMaxValues ? QStringLiteral(", …") : QString());
}

views::Selection selection_of(const PlayedState& state) {
  const std::shared_ptr<const trace::GraphInfo>& graph = state.scene.graph;
  if (!graph || state.selected.empty()) return {};
  for (size_t i = 0; i < graph->nodes.size(); ++i)
    if (graph->nodes[i].name == state.selected)
      return views::NodeSelection{graph->id, trace::TensorRef::node(NodeId(i))};
  for (size_t i = 0; i < graph->leafs.size(); ++i)
    if (graph->leafs[i].name == state.selected)
      return views::NodeSelection{graph->id, trace::TensorRef::leaf(LeafId(i))};
  return {};
}

Json inspector_json(const PlayedState& state) {
  const lesson::Scene& s = state.scene;
  Json rows = Json::array();
  views::InspectorInput input;
  input.snapshot = s.snapshot;
  input.run = s.run;
  input.graph = s.graph.get();
  input.plan = s.plan.get();
  for (const views::InspectorFact& fact : views::inspector_facts(input, selection_of(state)))
    rows.push_back({"", utf8(fact.key.isEmpty() ? fact.section : fact.key), utf8(fact.text())});
  if (const auto values = s.values.find(state.selected); values != s.values.end())
    rows.push_back({"", utf8(LessonPageTexts::tr("values")), utf8(values_text(values->second))});
  return {{"columns", columns_json({LessonPageTexts::tr("Fact"), LessonPageTexts::tr("Value")})},
          {"rows", rows},
          {"all", rows.size()},
          {"empty", ""}};
}

// The operations of the experiment, with their values.
Json lens_json(const lesson::Scene& scene) {
  Json rows = Json::array();
  for (size_t i = 1; scene.lens && i < scene.lens->size(); ++i) {
    const lesson::LensFrame& frame = (*scene.lens)[i];
    QStringList values;
    for (const auto& [name, value] : frame.values)
      values << QStringLiteral("%1 %2").arg(QString::fromStdString(name)).arg(value, 0, 'g', 6);
    rows.push_back({"", std::to_string(i), utf8(views::LensText::operation(frame)), utf8(values.join(u','))});
  }
  return {{"columns", columns_json({LessonPageTexts::tr("Number"), LessonPageTexts::tr("Operation"),
                                    LessonPageTexts::tr("Values")})},
          {"rows", rows},
          {"all", rows.size()},
          {"empty", ""}};
}

Json table_of(PanelId panel, const PlayedState& state) {
  if (panel == PanelId::Inspector) return inspector_json(state);
  if (panel == PanelId::Findings) return findings_json(state);
  if (panel == PanelId::Bytes) return lens_json(state.scene);
  const PanelDescriptor& shown = panel_kind(panel_kind(panel).table_of.value_or(panel));
  if (shown.table != nullptr) return table_json(*shown.table(table_input(state.scene)), state.scene);
  return {{"columns", Json::array()},
          {"rows", Json::array()},
          {"all", 0},
          {"empty", utf8(LessonPageTexts::tr("This panel is available in the program only."))}};
}

// The script shows the table of a panel without a picture.
Json tables_json(const PlayedState& state) {
  Json out = Json::object();
  for (const PanelId panel : state.panels) {
    const bool both = panel == PanelId::Objects || panel == PanelId::Pools;  // as in the window
    if (both || picture_of_panel(panel, state).is_null()) out[name_of(panel)] = table_of(panel, state);
  }
  return out;
}

}  // namespace

Result<Json> step_texts(const lesson::LessonStep& step, const PlayedStep& played) {
  const lesson::Scene& scene = played.before.scene;
  Json out{{"title", step.title},
           {"text", utf8(views::with_figures(views::text_of(step.text), scene, true))},
           {"tables", tables_json(played.before)}};
  if (played.after) out["tables_after"] = tables_json(*played.after);
  if (step.question) {
    auto question = question_texts(*step.question, scene);
    if (!question) return question.error();
    out["question"] = std::move(*question);
  }
  return out;
}

Json panel_titles() {
  Json out = Json::object();
  for (const PanelDescriptor& kind : panel_kinds())
    out[name_of(kind.id)] = utf8(QCoreApplication::translate("Docks", kind.title).remove(u'&'));
  return out;
}

}  // namespace arenascope::app
