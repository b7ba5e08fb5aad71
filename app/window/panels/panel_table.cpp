// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/arena/arena_view.h>
#include <views/bytes/byte_lens_view.h>
#include <views/common/flame_text.h>
#include <views/durations/durations_view.h>
#include <views/findings/findings_view.h>
#include <views/flame/flame_view.h>
#include <views/lesson/lesson_panel.h>
#include <views/lifetimes/lifetimes_view.h>
#include <views/occupancy/occupancy_view.h>
#include <views/planners/replan_panel.h>
#include <views/roofline/roofline_view.h>
#include <views/tables/objects_view.h>
#include <views/tables/pools_view.h>
#include <views/timeline/timeline_view.h>
#include <QSplitter>

#include "breakpoint_panel.h"
#include "graph_columns.h"
#include "inspector_panel.h"
#include "laboratory_panel.h"
#include "panel.h"
#include "query_panel.h"
#include "roofline_panel.h"
#include "run_settings_panel.h"
#include "search_panel.h"
#include "text_panel.h"
#include "training_panel.h"

namespace arenascope::app {

using namespace views;

namespace {

TablePanel* make_table(const PanelDescriptor& kind, Document& document, QWidget* parent) {
  const ViewContext c = document.context();
  return new TablePanel(QString::fromLatin1(name_of(kind.id)) + QStringLiteral("_table"), kind.table, c.source,
                        c.selection, c.axis, parent);
}

// For a short text, which the panel creates on the UI thread.
template <class Text>
auto maker_of(Text text) {
  return [text] {
    const QString csv = text();
    return csv.isEmpty() ? std::function<QString()>() : [csv] { return csv; };
  };
}

// The view state of a table belongs to the document.
void save_view_state(PanelInstance& parts, const PanelDescriptor& kind) {
  const PanelId id = kind.id;
  TablePanel* table = parts.table;
  parts.leave = [table, id](Document& d) { d.view_state().tables[id] = table->view_state(); };
  parts.show = [table, id, before = parts.show](Document& d) {
    if (before) before(d);
    table->set_context(d.context(), d.view_state().tables.value(id));
  };
}

QSplitter* side_by_side(QWidget* left, QWidget* right, QWidget* parent) {
  auto* both = new QSplitter(Qt::Horizontal, parent);
  both->addWidget(left);
  both->addWidget(right);
  both->setStretchFactor(0, 3);
  both->setStretchFactor(1, 2);
  both->setChildrenCollapsible(false);
  return both;
}

PanelInstance table_alone(const PanelDescriptor& kind, Document& document, QWidget* parent, PanelWidgets&) {
  PanelInstance parts;
  parts.table = make_table(kind, document, parent);
  parts.widget = parts.table;
  save_view_state(parts, kind);
  return parts;
}

// A view with a table next to it.
template <class View>
PanelInstance drawn_with_table(View* view, const PanelDescriptor& kind, Document& document, QWidget* parent) {
  PanelInstance parts;
  parts.picture = view;
  parts.drawn = view;
  parts.table = make_table(kind, document, parent);
  parts.widget = side_by_side(view, parts.table, parent);
  parts.show = [view](Document& d) { view->set_context(d.context()); };
  save_view_state(parts, kind);
  return parts;
}

// A plot with an optional table. `state`: its choices in the state of the document; `widget`: its member of PanelWidgets.
template <class View, auto state, auto widget>
PanelInstance plot(const PanelDescriptor& kind, Document& document, QWidget* parent, PanelWidgets& widgets) {
  auto* view = widgets.*widget = new View(document.context(), parent);
  PanelInstance parts = drawn_with_table(view, kind, document, parent);
  parts.plot = view;
  parts.show = [view, before = parts.show](Document& d) {
    view->set_view_state(d.view_state().*state);
    before(d);
  };
  parts.leave = [view, of_table = parts.leave](Document& d) {
    of_table(d);
    d.view_state().*state = view->view_state();
  };
  parts.table->hide();
  parts.table_on_request = true;
  return parts;
}

PanelInstance graph(const PanelDescriptor&, Document& document, QWidget* parent, PanelWidgets& widgets) {
  const ViewContext c = document.context();
  auto* view = widgets.graph = new GraphView(c.source, c.selection, c.axis, c.theme, parent);
  view->layout_job()->list_in(c.tasks);
  view->colours()->set_columns(graph_columns());
  PanelInstance parts;
  parts.widget = parts.drawn = view;
  parts.picture = view;
  parts.leave = [view](Document& d) { d.view_state().graph = view->view_state(); };
  parts.show = [view](Document& d) { view->set_context(d.context(), d.view_state().graph); };
  return parts;
}

PanelInstance inspector(const PanelDescriptor&, Document& document, QWidget* parent, PanelWidgets& widgets) {
  auto* panel = new InspectorPanel(document, parent);
  widgets.inspector = panel->inspector();
  widgets.breadcrumbs = panel->breadcrumbs();
  PanelInstance parts;
  parts.widget = panel;
  parts.csv_maker = [panel] { return panel->inspector()->csv_maker(); };
  parts.show = [panel](Document& d) { panel->set_document(d); };
  return parts;
}

PanelInstance objects(const PanelDescriptor& kind, Document& document, QWidget* parent, PanelWidgets&) {
  const ViewContext c = document.context();
  auto* view = new ObjectsView(c.source, c.selection, c.theme, parent);
  return drawn_with_table(view, kind, document, parent);
}

PanelInstance bytes(const PanelDescriptor&, Document& document, QWidget* parent, PanelWidgets& widgets) {
  auto* view = widgets.bytes = new ByteLensView(document.context(), parent);
  PanelInstance parts;
  parts.widget = view;
  parts.picture = view;
  parts.csv_maker = maker_of([view] { return view->to_csv(); });
  parts.show = [view](Document& d) { view->set_context(d.context()); };
  return parts;
}

PanelInstance pools(const PanelDescriptor& kind, Document& document, QWidget* parent, PanelWidgets&) {
  const ViewContext c = document.context();
  auto* view = new PoolsView(c.source, c.theme, parent);
  return drawn_with_table(view, kind, document, parent);
}

TablePanel::TableFactory table_of_frames(const FlameView& view) {
  return [chosen = view.weight(), range = view.range(), stacks = view.stacks()](const TableInput& input) {
    const auto weight = chosen ? chosen : preferred_weight(*input.snapshot);
    return weight ? flame_table(input, *weight, range, stacks) : std::make_shared<const Table>();
  };
}

PanelInstance flame(const PanelDescriptor& kind, Document& document, QWidget* parent, PanelWidgets& widgets) {
  const ViewContext c = document.context();
  auto* view = widgets.flame = new FlameView(c, parent);
  auto* table =
      new TablePanel(QStringLiteral("flame_table"), table_of_frames(*view), c.source, c.selection, c.axis, parent);
  QObject::connect(view, &FlameView::choice_changed, table, [=] { table->set_factory(table_of_frames(*view)); });
  PanelInstance parts;
  parts.picture = view;
  parts.drawn = view;
  parts.table = table;
  parts.widget = side_by_side(view, table, parent);
  parts.show = [view](Document& d) { view->set_context(d.context(), d.view_state().flame); };
  save_view_state(parts, kind);
  parts.leave = [view, of_table = parts.leave](Document& d) {
    of_table(d);
    d.view_state().flame = view->view_state();
  };
  table->hide();
  parts.table_on_request = true;
  return parts;
}

PanelInstance durations(const PanelDescriptor&, Document& document, QWidget* parent, PanelWidgets&) {
  auto* view = new DurationsView(document.context(), parent);
  PanelInstance parts;
  parts.widget = parts.drawn = view;
  parts.picture = view;
  parts.csv_maker = maker_of([view] { return view->to_csv(); });
  parts.show = [view](Document& d) { view->set_context(d.context()); };
  return parts;
}

PanelInstance roofline(const PanelDescriptor& kind, Document& document, QWidget* parent, PanelWidgets&) {
  auto* view = new RooflineView(document.context(), parent);
  auto* panel = new RooflinePanel(document, view);
  PanelInstance parts = drawn_with_table(view, kind, document, parent);
  parts.show = [panel, before = parts.show](Document& d) {
    before(d);
    panel->set_document(d);
  };
  TablePanel* table = parts.table;
  table->hide();
  QObject::connect(view, &RooflineView::missing_requested, table, [table] { table->setVisible(!table->isVisible()); });
  return parts;
}

PanelInstance search(const PanelDescriptor& kind, Document& document, QWidget* parent, PanelWidgets& widgets) {
  auto* panel = widgets.search = new SearchPanel(document.context(), parent);
  PanelInstance parts;
  parts.widget = panel;
  parts.table = panel->table();
  save_view_state(parts, kind);
  const auto text = [panel] { return panel->field()->text(); };
  parts.leave = [text, of_table = parts.leave](Document& d) {
    of_table(d);
    d.view_state().search = text();
  };
  parts.show = [panel, of_table = parts.show](Document& d) {
    panel->set_tasks(&d.jobs().tasks);
    of_table(d);
    panel->field()->setText(d.view_state().search);
    panel->search();
  };
  return parts;
}

PanelInstance query(const PanelDescriptor& kind, Document& document, QWidget* parent, PanelWidgets& widgets) {
  auto* panel = widgets.query = new QueryPanel(document, parent);
  PanelInstance parts;
  parts.widget = panel;
  parts.table = panel->table();
  parts.csv_maker = [panel] { return panel->csv_maker(); };
  parts.show = [panel](Document& d) {
    panel->set_document(d);
    panel->show_draft(d.view_state().query);
  };
  save_view_state(parts, kind);
  parts.leave = [panel, of_table = parts.leave](Document& d) {
    of_table(d);
    d.view_state().query = panel->editor()->toPlainText();
  };
  return parts;
}

TablePanel::TableFactory table_of_spans(const std::optional<TimeRangeSelection>& range) {
  return [range](const TableInput& input) {
    return spans_table(input, range ? std::optional(trace::TimeRange{range->begin, range->end}) : std::nullopt);
  };
}

// Spans of the last selected time range, until something other than a span is selected.
PanelInstance spans(const PanelDescriptor& kind, Document& document, QWidget* parent, PanelWidgets& widgets) {
  PanelInstance parts = table_alone(kind, document, parent, widgets);
  const auto follow = [table = parts.table, bond = std::make_shared<ConnectionScope>(),
                       shown = std::make_shared<std::optional<TimeRangeSelection>>()](Document& d) {
    const auto update = [table, shown, selection = d.selection(), of_document = &d.view_state().spans] {
      if (selection->current().get<EventSelection>() == nullptr) {
        const auto* time = selection->current().get<TimeRangeSelection>();
        *of_document = time == nullptr ? std::nullopt : std::optional(*time);
      }
      if (std::exchange(*shown, *of_document) != *of_document) table->set_factory(table_of_spans(*of_document));
    };
    QObject::connect(d.selection(), &SelectionModel::current_changed, bond->reset(), update);
    update();
  };
  follow(document);
  parts.show = [follow, of_table = parts.show](Document& d) {
    of_table(d);
    follow(d);
  };
  return parts;
}

// Pinned notes of the document, with the ranges that they are about.
PanelInstance notes(const PanelDescriptor& kind, Document& document, QWidget* parent, PanelWidgets&) {
  const ViewContext c = document.context();
  const auto factory_of = [](Document& d) -> TablePanel::TableFactory {
    return [notes = d.context().notes->all(), origin = d.axis()->frame().origin](const TableInput&) {
      return notes_table(notes, origin);
    };
  };
  PanelInstance parts;
  parts.table =
      new TablePanel(QStringLiteral("notes_table"), factory_of(document), c.source, c.selection, c.axis, parent);
  parts.widget = parts.table;
  save_view_state(parts, kind);
  const auto follow = [table = parts.table, factory_of, bond = std::make_shared<ConnectionScope>()](Document& d) {
    const auto update = [table, factory_of, shown = &d] { table->set_factory(factory_of(*shown)); };
    QObject::connect(d.context().notes, &PinnedNotes::changed, bond->reset(), update);
    update();
  };
  follow(document);
  parts.show = [follow, of_table = parts.show](Document& d) {
    of_table(d);
    follow(d);
  };
  return parts;
}

// Re-planning request and all plans.
PanelInstance planners(const PanelDescriptor& kind, Document& document, QWidget* parent, PanelWidgets& widgets) {
  PanelInstance parts;
  parts.table = make_table(kind, document, parent);
  widgets.replan = new ReplanPanel(document.context().theme, parent);
  QSplitter* both = side_by_side(widgets.replan, parts.table, parent);
  both->setStretchFactor(0, 0);  // the table has more columns than space
  both->setStretchFactor(1, 1);
  both->setSizes({520, 900});
  parts.widget = both;
  save_view_state(parts, kind);
  return parts;
}

PanelInstance findings(const PanelDescriptor&, Document& document, QWidget* parent, PanelWidgets& widgets) {
  auto* view = widgets.findings = new FindingsView(&document.jobs().findings, document.context(), parent);
  PanelInstance parts;
  parts.widget = view;
  parts.csv_maker = maker_of([view] { return view->model()->to_csv(); });
  parts.show = [view](Document& d) { view->set_context(&d.jobs().findings, d.context()); };
  return parts;
}

PanelInstance lesson(const PanelDescriptor&, Document&, QWidget* parent, PanelWidgets& widgets) {
  PanelInstance parts;
  parts.widget = widgets.lesson = new LessonPanel(parent);
  return parts;
}

PanelInstance breakpoints(const PanelDescriptor&, Document& document, QWidget* parent, PanelWidgets& widgets) {
  auto* panel = widgets.breakpoints = new BreakpointPanel(document.debugger(), parent);
  PanelInstance parts;
  parts.widget = panel;
  parts.csv_maker = maker_of([panel] { return panel->model()->to_csv(); });
  parts.show = [panel](Document& d) { panel->set_debugger(d.debugger()); };
  return parts;
}

template <class Panel, auto widget>
PanelInstance with_document(const PanelDescriptor&, Document& document, QWidget* parent, PanelWidgets& widgets) {
  auto* panel = widgets.*widget = new Panel(document, parent);
  PanelInstance parts;
  parts.widget = panel;
  parts.csv_maker = maker_of([panel] { return panel->to_csv(); });
  parts.show = [panel](Document& d) { panel->set_document(d); };
  return parts;
}

using G = PanelGroup;
using P = DockArea;
constexpr uint8_t kTables = kAllLayouts & ~kGraphLayout;

constexpr PanelDescriptor kPanels[] = {
    {PanelId::Graph, QT_TRANSLATE_NOOP("Docks", "Graph"), G::None, P::Left, kEverything | kGraphLayout | kLessonLayout,
     0, nullptr, graph, PanelId::Nodes},
    {PanelId::Occupancy, QT_TRANSLATE_NOOP("Docks", "Occupancy"), G::None, P::Row1, kTables, kTimeLayout,
     occupancy_table, plot<OccupancyView, &ViewState::occupancy, &PanelWidgets::occupancy>},
    {PanelId::Arena, QT_TRANSLATE_NOOP("Docks", "Arena Map"), G::None, P::Row2, kTables, kAllLayouts & ~kTimeLayout,
     arena_table, plot<ArenaView, &ViewState::arena, &PanelWidgets::arena>},
    {PanelId::Lifetimes, QT_TRANSLATE_NOOP("Docks", "Lifetimes"), G::None, P::Row2, kTables, 0, lifetimes_table,
     plot<LifetimesView, &ViewState::lifetimes, &PanelWidgets::lifetimes>},
    {PanelId::Timeline, QT_TRANSLATE_NOOP("Docks", "Timeline"), G::None, P::Row3,
     kEverything | kTimeLayout | kLessonLayout, 0, timeline_table,
     plot<TimelineView, &ViewState::timeline, &PanelWidgets::timeline>},
    {PanelId::Inspector, QT_TRANSLATE_NOOP("Docks", "Inspector"), G::None, P::Right, kAllLayouts, 0, nullptr,
     inspector},
    {PanelId::Lesson, QT_TRANSLATE_NOOP("Docks", "Lesson"), G::None, P::LeftBelow, kLessonLayout, 0, nullptr, lesson},
    {PanelId::Nodes, QT_TRANSLATE_NOOP("Docks", "Nodes"), G::Model, P::Bottom, kAllLayouts,
     kEverything | kGraphLayout | kLessonLayout, nodes_table, table_alone},
    {PanelId::Ops, QT_TRANSLATE_NOOP("Docks", "Ops"), G::Model, P::Bottom, kTables | kGraphLayout, 0, ops_table,
     table_alone},
    {PanelId::Layers, QT_TRANSLATE_NOOP("Docks", "Layers"), G::Model, P::Bottom, kTables | kGraphLayout, 0,
     layers_table, table_alone},
    {PanelId::Objects, QT_TRANSLATE_NOOP("Docks", "Objects"), G::Model, P::Bottom, kTables, 0, objects_table, objects},
    {PanelId::Bytes, QT_TRANSLATE_NOOP("Docks", "Byte Lens"), G::Model, P::Bottom, kTables, 0, nullptr, bytes},
    {PanelId::Settings, QT_TRANSLATE_NOOP("Docks", "Run Settings"), G::Model, P::Bottom, kTables, 0, nullptr,
     with_document<RunSettingsPanel, &PanelWidgets::settings>},
    {PanelId::Compare, QT_TRANSLATE_NOOP("Docks", "Compare"), G::Model, P::Bottom, kTables, 0, compare_table,
     table_alone},
    {PanelId::Text, QT_TRANSLATE_NOOP("Docks", "Text"), G::Model, P::Bottom, kTables, 0, nullptr,
     with_document<TextPanel, &PanelWidgets::text>},
    {PanelId::Training, QT_TRANSLATE_NOOP("Docks", "Training"), G::Model, P::Bottom, kTables, 0, nullptr,
     with_document<TrainingPanel, &PanelWidgets::training>},
    {PanelId::CallSites, QT_TRANSLATE_NOOP("Docks", "Call Sites"), G::Memory, P::Bottom, kTables, kMemoryLayout,
     call_sites_table, table_alone},
    {PanelId::Flame, QT_TRANSLATE_NOOP("Docks", "Flame Graph"), G::Memory, P::Bottom, kTables, kTimeLayout, nullptr,
     flame},
    {PanelId::Blocks, QT_TRANSLATE_NOOP("Docks", "Blocks"), G::Memory, P::Bottom, kTables, 0, blocks_table,
     table_alone},
    {PanelId::Allocators, QT_TRANSLATE_NOOP("Docks", "Allocators"), G::Memory, P::Bottom, kTables, 0, allocators_table,
     table_alone},
    {PanelId::Laboratory, QT_TRANSLATE_NOOP("Docks", "Allocator Laboratory"), G::Memory, P::Bottom, kTables, 0, nullptr,
     with_document<LaboratoryPanel, &PanelWidgets::laboratory>},
    {PanelId::Pools, QT_TRANSLATE_NOOP("Docks", "Pools"), G::Memory, P::Bottom, kTables, 0, pools_table, pools},
    {PanelId::Planners, QT_TRANSLATE_NOOP("Docks", "Planners"), G::Memory, P::Bottom, kTables, kPlanLayout,
     planners_table, planners},
    {PanelId::Reuse, QT_TRANSLATE_NOOP("Docks", "Reuse Steps"), G::Memory, P::Bottom, kTables, 0, reuse_table,
     table_alone},
    {PanelId::Moves, QT_TRANSLATE_NOOP("Docks", "Order Moves"), G::Memory, P::Bottom, kTables, 0, moves_table,
     table_alone},
    {PanelId::Holes, QT_TRANSLATE_NOOP("Docks", "Holes"), G::Memory, P::Bottom, kTables, 0, holes_table, table_alone},
    {PanelId::Findings, QT_TRANSLATE_NOOP("Docks", "Findings"), G::Memory, P::Bottom, kTables, 0, nullptr, findings},
    {PanelId::Barriers, QT_TRANSLATE_NOOP("Docks", "Barriers"), G::Time, P::Bottom, kTables, kTimeLayout,
     barriers_table, table_alone},
    {PanelId::Roofline, QT_TRANSLATE_NOOP("Docks", "Roofline"), G::Time, P::Bottom, kTables, 0, roofline_table,
     roofline},
    {PanelId::Durations, QT_TRANSLATE_NOOP("Docks", "Durations"), G::Time, P::Bottom, kTables, 0, nullptr, durations},
    {PanelId::Spans, QT_TRANSLATE_NOOP("Docks", "Spans"), G::Time, P::Bottom, kTables, 0, spans_table, spans},
    {PanelId::Counters, QT_TRANSLATE_NOOP("Docks", "Counters"), G::Time, P::Bottom, kTables, 0, counters_table,
     table_alone},
    {PanelId::Tuning, QT_TRANSLATE_NOOP("Docks", "Tuning"), G::Time, P::Bottom, kTables, 0, tuning_table, table_alone},
    {PanelId::Breakpoints, QT_TRANSLATE_NOOP("Docks", "Breakpoints"), G::Debug, P::Bottom, kTables, 0, nullptr,
     breakpoints},
    {PanelId::Problems, QT_TRANSLATE_NOOP("Docks", "Problems"), G::Debug, P::Bottom, kTables, 0, problems_table,
     table_alone},
    {PanelId::Notes, QT_TRANSLATE_NOOP("Docks", "Notes"), G::None, P::Bottom, 0, 0, nullptr, notes},
    {PanelId::Query, QT_TRANSLATE_NOOP("Docks", "Query"), G::None, P::Bottom, 0, 0, nullptr, query},
    {PanelId::Search, QT_TRANSLATE_NOOP("Docks", "Search"), G::None, P::Bottom, 0, 0, nullptr, search},
};
static_assert(has_row_per_panel(kPanels));

}  // namespace

std::span<const PanelDescriptor> panel_kinds() { return kPanels; }

const PanelDescriptor& panel_kind(PanelId id) { return kPanels[index_of(id)]; }

}  // namespace arenascope::app
