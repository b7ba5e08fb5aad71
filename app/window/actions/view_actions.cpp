// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/plot_view.h>
#include <QHeaderView>
#include <QInputDialog>
#include <QTimer>

#include "app/window/shell.h"

namespace arenascope::app {

using namespace views;
using K = QKeySequence;

namespace {

bool graph_has_focus(const Shell& shell) { return shell.panels->widgets().graph->canvas()->hasFocus(); }

void zoom(const Shell& shell, bool in) {
  if (graph_has_focus(shell)) {
    auto* graph = shell.panels->widgets().graph;
    return graph->canvas()->zoom(in ? 1.25 : 0.8, graph->canvas()->area().center());
  }
  in ? shell.document().axis()->zoom_in() : shell.document().axis()->zoom_out();
}

// The plot with focus, or the first visible one; null: none.
PlotView* current_plot(const Shell& shell) {
  PlotView* seen = nullptr;
  for (const PanelDescriptor& kind : panel_kinds()) {
    PlotView* plot = shell.panels->parts(kind.id).plot;
    if (plot == nullptr || !plot->isVisible()) continue;
    if (plot->hasFocus()) return plot;
    if (seen == nullptr) seen = plot;
  }
  return seen;
}

void show_all(const Shell& shell) {
  if (graph_has_focus(shell)) return shell.panels->widgets().graph->canvas()->fit();
  shell.document().axis()->frame_all();
  if (PlotView* plot = current_plot(shell)) plot->show_all();
}

void add_moving(Shell& shell) {
  auto& a = *shell.actions;
  a.add("view.zoom_in", Menu::View, QT_TRANSLATE_NOOP("Actions", "Zoom &In"),
        {K(Qt::Key_W), K(Qt::Key_Plus), K::ZoomIn}, [&shell] { zoom(shell, true); });
  a.add("view.zoom_out", Menu::View, QT_TRANSLATE_NOOP("Actions", "Zoom &Out"),
        {K(Qt::Key_S), K(Qt::Key_Minus), K::ZoomOut}, [&shell] { zoom(shell, false); });
  a.add("view.left", Menu::View, QT_TRANSLATE_NOOP("Actions", "Move &Left"), {K(Qt::Key_A)},
        [&shell] { shell.document().axis()->pan(-0.2); });
  a.add("view.right", Menu::View, QT_TRANSLATE_NOOP("Actions", "Move &Right"), {K(Qt::Key_D)},
        [&shell] { shell.document().axis()->pan(0.2); });
  a.add(
      "view.frame", Menu::View, QT_TRANSLATE_NOOP("Actions", "&Frame Selection"), {K(Qt::Key_F)},
      [&shell] { frame_selection(shell); }, QT_TRANSLATE_NOOP("Actions", "Zoom to the selection"));
  a.add("view.all", Menu::View, QT_TRANSLATE_NOOP("Actions", "Show &All"), {K(Qt::CTRL | Qt::Key_0), K(Qt::Key_Home)},
        [&shell] { show_all(shell); });
  a.add("view.mode", Menu::View, QT_TRANSLATE_NOOP("Actions", "Step ⇄ &Time"), {K(Qt::Key_T)},
        [&shell] { shell.document().axis()->toggle_mode(); });
  a.add(
      "view.runs", Menu::View, QT_TRANSLATE_NOOP("Actions", "Runs on the &X Axis"), {K(Qt::SHIFT | Qt::Key_T)},
      [&shell] {
        SharedAxis* axis = shell.document().axis();
        axis->set_mode(AxisMode::Time, !axis->frame().by_runs());
      },
      QT_TRANSLATE_NOOP("Actions", "The whole recording, each run, token or training step equally wide"));
  a.add(
      "view.table", Menu::View, QT_TRANSLATE_NOOP("Actions", "Table Next to the Vie&w"), {K(Qt::CTRL | Qt::Key_T)},
      [&shell] { shell.panels->toggle_table(); },
      QT_TRANSLATE_NOOP("Actions", "The data of the view as a table to sort, filter and read aloud"));
}

// Without steps the selection is the mark: the range from the first mark's start to the second's end.
void select_time(const Shell& shell, bool begin) {
  SelectionModel& selection = *shell.document().selection();
  std::optional<TimeRangeSelection> now;
  if (const auto* event = selection.current().get<EventSelection>()) {
    const trace::Event& e = shell.document().source()->snapshot()->event(event->span);
    now = TimeRangeSelection{e.begin(), std::max(e.end(), e.begin() + 1)};
  } else if (const auto* time = selection.current().get<TimeRangeSelection>()) {
    now = *time;
  }
  if (!now) return;
  auto& mark = shell.document().view_state().mark;
  if (begin) mark = *now;
  if (!begin && mark) now = TimeRangeSelection{std::min(mark->begin, now->begin), std::max(mark->end, now->end)};
  selection.select(*now);
}

// From the first marked step to the current one, in either order.
void select_range(const Shell& shell, bool begin) {
  if (!shell.document().axis()->has_steps()) return select_time(shell, begin);
  const Step now = shell.document().axis()->current();
  SelectionModel& selection = *shell.document().selection();
  if (!now.valid()) return;
  StepRangeSelection range{now, Step(now.value + 1)};
  if (const auto* marked = selection.current().get<StepRangeSelection>(); marked != nullptr && !begin)
    range = {std::min(marked->first, range.first), std::max(Step(marked->first.value + 1), range.last)};
  selection.select(range);
}

// Position of a note: the playhead, or the middle of the view.
double note_position(const Shell& shell) {
  const SharedAxis& axis = *shell.document().axis();
  return axis.current().valid() ? axis.current_x() : axis.range().middle();
}

// The selected range on the axis; nullopt: none is selected.
std::optional<AxisRange> note_range(const Shell& shell) {
  const AxisFrame& frame = shell.document().axis()->frame();
  const Selection& selection = shell.document().selection()->current();
  if (const auto* time = selection.get<TimeRangeSelection>())
    return AxisRange{frame.x_of_time(time->begin), frame.x_of_time(time->end)};
  if (const auto* steps = selection.get<StepRangeSelection>())
    return AxisRange{frame.x_of_step(steps->first.value), frame.x_of_step(steps->last.value)};
  return std::nullopt;
}

void ask_note(const Shell& shell) {
  PinnedNotes* notes = shell.document().context().notes;
  const std::optional<AxisRange> range = note_range(shell);
  const double x = range ? range->lo : note_position(shell), slack = shell.document().axis()->range().length() / 200;
  auto* dialog = new QInputDialog(shell.window);
  dialog->setObjectName(QStringLiteral("note"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(Shell::tr("Pin a Note"));
  dialog->setLabelText(range ? Shell::tr("Note for the selected range (leave empty to delete it):")
                             : Shell::tr("Note at this point (leave empty to delete it):"));
  const PinnedNote* there = range ? notes->of_range(*range) : notes->at(x, slack);
  const auto shown = there ? std::optional(*there) : std::nullopt;
  if (shown) dialog->setTextValue(shown->text);
  QObject::connect(dialog, &QInputDialog::textValueSelected, notes, [notes, x, range, shown](const QString& text) {
    if (shown) return notes->edit(*shown, text);
    range ? notes->pin_range(*range, text) : notes->pin(x, text, 0);
  });
  dialog->show();
}

// Sorts the current table by the column of its cursor; repeating reverses the order.
void sort_table(const Shell& shell) {
  TablePanel* panel = shell.panels->table(shell.panels->current());
  if (panel == nullptr || !panel->table_view()->currentIndex().isValid()) return;
  QTableView* table = panel->table_view();
  const QHeaderView* header = table->horizontalHeader();
  const int column = table->currentIndex().column();
  const bool down = header->sortIndicatorSection() == column && header->sortIndicatorOrder() == Qt::AscendingOrder;
  table->sortByColumn(column, down ? Qt::DescendingOrder : Qt::AscendingOrder);
}

void add_marking(Shell& shell) {
  auto& a = *shell.actions;
  a.add(
      "view.range_begin", Menu::View, QT_TRANSLATE_NOOP("Actions", "Select from &Here"), {K(Qt::Key_BracketLeft)},
      [&shell] { select_range(shell, true); },
      QT_TRANSLATE_NOOP("Actions",
                        "Start the range at the playhead, or at the selected span in a trace without steps; the "
                        "inspector summarises the range"));
  a.add(
      "view.range_end", Menu::View, QT_TRANSLATE_NOOP("Actions", "Sele&ct up to Here"), {K(Qt::Key_BracketRight)},
      [&shell] { select_range(shell, false); },
      QT_TRANSLATE_NOOP("Actions", "Second mark at the playhead or the selected span"));
  a.add(
      "view.note", Menu::View, QT_TRANSLATE_NOOP("Actions", "Pin a Note Here…"), {K(Qt::Key_N)},
      [&shell] { ask_note(shell); },
      QT_TRANSLATE_NOOP("Actions",
                        "At the playhead or for the selected range; saved for this file and in its recording"));
  a.add(
      "view.sort", Menu::View, QT_TRANSLATE_NOOP("Actions", "Sort Table by Column"),
      {K(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}, [&shell] { sort_table(shell); },
      QT_TRANSLATE_NOOP("Actions", "Sort by the current column; repeat to reverse"));
}

void add_panels(Shell& shell) {
  auto& a = *shell.actions;
  QMenu* go = a.submenu(Menu::View, QT_TRANSLATE_NOOP("Actions", "Go to Panel"));
  QMenu* panels = a.submenu(Menu::View, QT_TRANSLATE_NOOP("Actions", "&Panels"));
  PanelGroup group = PanelGroup::None;
  for (const PanelDescriptor& kind : panel_kinds()) {
    if (std::exchange(group, kind.group) != kind.group) {
      panels->addSeparator();
      go->addSeparator();
    }
    const PanelId id = kind.id;
    QAction* action = shell.panels->dock(id)->toggleViewAction();
    panels->addAction(action);
    QObject::connect(action, &QAction::triggered, shell.panels,
                     [&shell, id](bool on) { shell.panels->set_open(id, on); });
    a.add_to(go, Menu::View, name_of(kind.id), "Docks", kind.title, [&shell, id] { shell.panels->show(id); });
  }
}

void ask_layout_name(const Shell& shell) {
  auto* dialog = new QInputDialog(shell.window);
  dialog->setObjectName(QStringLiteral("layout_name"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(Shell::tr("Save the Layout"));
  dialog->setLabelText(Shell::tr("Name of the layout:"));
  dialog->setTextValue(Shell::tr("My layout"));
  QObject::connect(dialog, &QInputDialog::textValueSelected, shell.layouts, &Layouts::save);
  dialog->show();
}

void fill_own_layouts(const Shell& shell, QMenu* menu) {
  menu->clear();
  const QStringList names = shell.layouts->own();
  const auto add = [&](QMenu* to, const QString& name, std::function<void()> run) {
    QObject::connect(to->addAction(QString(name).replace(u'&', QStringLiteral("&&"))), &QAction::triggered, menu,
                     std::move(run));
  };
  for (const QString& name : names)
    add(menu, name, [&shell, name] {
      if (!shell.layouts->restore(name))
        shell.messages().fail(
            Shell::tr("The layout “%1” was saved by another version and cannot be restored.").arg(name));
    });
  menu->menuAction()->setEnabled(!names.isEmpty());
  if (names.isEmpty()) return;
  menu->addSeparator();
  QMenu* forget = menu->addMenu(Shell::tr("Delete"));
  for (const QString& name : names)
    add(forget, name, [&shell, name] {
      // not while its menu is open
      QTimer::singleShot(0, shell.layouts, [&shell, name] { shell.layouts->forget(name); });
    });
}

void add_layouts(Shell& shell) {
  auto& a = *shell.actions;
  static constexpr std::pair<const char*, const char*> kLayouts[] = {
      {"view.layout_default", QT_TRANSLATE_NOOP("Actions", "Layout: E&verything")},
      {"view.layout_graph", QT_TRANSLATE_NOOP("Actions", "Layout: &Graph")},
      {"view.layout_memory", QT_TRANSLATE_NOOP("Actions", "Layout: &Memory")},
      {"view.layout_time", QT_TRANSLATE_NOOP("Actions", "Layout: Tim&e")},
      {"view.layout_lesson", QT_TRANSLATE_NOOP("Actions", "Layout: Lesso&n")},
      {"view.layout_plan", QT_TRANSLATE_NOOP("Actions", "Layout: Plan")}};
  int key = Qt::Key_1;
  for (const auto& [id, text] : kLayouts)
    a.add(id, Menu::View, text, {K(Qt::CTRL | static_cast<Qt::Key>(key++))},
          [&shell, name = QString::fromLatin1(id).mid(12)] { shell.layouts->apply(name); });
  a.add("view.layout_reset", Menu::View, QT_TRANSLATE_NOOP("Actions", "Reset Layo&ut"), {},
        [&shell] { shell.layouts->reset(); });
  a.add("view.layout_save", Menu::View, QT_TRANSLATE_NOOP("Actions", "&Save Layout As…"), {},
        [&shell] { ask_layout_name(shell); });
  QMenu* own = a.submenu(Menu::View, QT_TRANSLATE_NOOP("Actions", "M&y Layouts"));
  QObject::connect(shell.layouts, &Layouts::own_changed, own, [&shell, own] { fill_own_layouts(shell, own); });
  QObject::connect(shell.layouts, &Layouts::saved, own, [&shell](const QString& name) {
    shell.messages().note(Shell::tr("The layout “%1” was saved. It is listed in View ▸ My Layouts.").arg(name));
  });
  fill_own_layouts(shell, own);
}

}  // namespace

void frame_selection(const Shell& shell) {
  shell.panels->widgets().graph->show_selected();
  if (PlotView* plot = current_plot(shell)) plot->frame_selection();
}

void add_view_actions(Shell& shell) {
  auto& a = *shell.actions;
  add_moving(shell);
  a.separator(Menu::View);
  add_marking(shell);
  a.separator(Menu::View);
  add_panels(shell);
  add_layouts(shell);
  QAction* titles = a.add(
      "view.titles", Menu::View, QT_TRANSLATE_NOOP("Actions", "Title &Bars of Panels"), {},
      [&shell] { shell.panels->show_title_bars(shell.actions->find(QStringLiteral("view.titles"))->isChecked()); },
      QT_TRANSLATE_NOOP("Actions", "Drag a title bar to move its panel"));
  titles->setCheckable(true);
  a.separator(Menu::View);
  a.add("view.theme", Menu::View, QT_TRANSLATE_NOOP("Actions", "Light ⇄ &Dark"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_D)},
        [&shell] {
          Preferences p = shell.preferences;
          p.theme = shell.theme->dark() ? ThemeMode::Light : ThemeMode::Dark;
          shell.apply_preferences(p);
        });
}

}  // namespace arenascope::app
