// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QClipboard>

#include "app/window/dialogs/dialogs.h"
#include "app/window/panels/query_panel.h"
#include "app/window/panels/search_panel.h"
#include "app/window/shell.h"

namespace arenascope::app {

using namespace views;
using K = QKeySequence;

namespace {

void copy_name(const Shell& shell) {
  SessionSource& source = *shell.document().source();
  const trace::TensorRef ref = tensor_of(shell.document().selection()->current(), *source.snapshot());
  if (const auto* t = source.snapshot()->tensor(source.graph_id(), ref))
    QApplication::clipboard()->setText(QString::fromStdString(t->name));
}

SearchPanel* search_panel(const Shell& shell) { return shell.panels->widgets().search; }

void search_everything(const Shell& shell) {
  shell.show_panel(PanelId::Search);
  search_panel(shell)->focus();
}

// The panel that the search covered is in front again.
void leave_search(const Shell& shell) {
  shell.panels->set_open(PanelId::Search, false);
  if (const auto front = shell.panels->front()) shell.panels->show(*front);
}

// Searches the timeline if it is current or if there is no graph, otherwise the graph.
bool in_timeline(const Shell& shell) {
  return shell.document().source()->graph() == nullptr || shell.panels->current() == PanelId::Timeline;
}

void search_view(const Shell& shell) {
  if (!in_timeline(shell)) {
    shell.show_panel(PanelId::Graph);
    return shell.panels->widgets().graph->focus_search();
  }
  shell.show_panel(PanelId::Timeline);
  TablePanel* table = shell.panels->table(PanelId::Timeline);
  if (table->isHidden()) shell.panels->toggle_table();
  table->focus_filter();
}

void find_next(const Shell& shell, int direction) {
  if (shell.panels->is_in_sight(PanelId::Search) && !search_panel(shell)->field()->text().isEmpty())
    search_panel(shell)->table()->step(direction);
  else if (in_timeline(shell))
    shell.panels->table(PanelId::Timeline)->step(direction);
  else
    shell.panels->widgets().graph->find_next(direction);
}

void add_going_back(Shell& shell) {
  auto& a = *shell.actions;
  a.add(
      "edit.undo", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Undo View"), {K(Qt::CTRL | Qt::Key_Z)},
      [&shell] { shell.undo->go(-1); },
      QT_TRANSLATE_NOOP("Actions", "Restore the previous range, layers, colours, plan and panels"));
  a.add("edit.redo", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Redo View"),
        {K(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), K(Qt::CTRL | Qt::Key_Y)}, [&shell] { shell.undo->go(1); });
  a.separator(Menu::Edit);
  a.add("edit.back", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Selection &Back"), {K(Qt::ALT | Qt::Key_Left)},
        [&shell] { shell.document().selection()->back(); });
  a.add("edit.forward", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Selection &Forward"), {K(Qt::ALT | Qt::Key_Right)},
        [&shell] { shell.document().selection()->forward(); });
  a.add("edit.clear", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Clear Selection"), {K(Qt::Key_Escape)},
        [&shell] { shell.document().selection()->clear(); });
}

}  // namespace

void add_edit_actions(Shell& shell) {
  auto& a = *shell.actions;
  add_going_back(shell);
  a.separator(Menu::Edit);
  a.add(
      "edit.find", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Search Everything"), {K::Find},
      [&shell] { search_everything(shell); },
      QT_TRANSLATE_NOOP(
          "Actions",
          "Search nodes, tensors, spans, allocations, stack frames and messages by name, regular expression, "
          "size or time"));
  QObject::connect(search_panel(shell), &SearchPanel::left, shell.window, [&shell] { leave_search(shell); });
  a.add(
      "edit.find_view", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Search &View"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_F)},
      [&shell] { search_view(shell); },
      QT_TRANSLATE_NOOP(
          "Actions", "Search nodes by op and name; if the timeline is active or there is no graph, search its spans"));
  a.add("edit.find_next", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Next Match"), {K(Qt::Key_F3)},
        [&shell] { find_next(shell, 1); });
  a.add("edit.find_previous", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Previous Match"), {K(Qt::SHIFT | Qt::Key_F3)},
        [&shell] { find_next(shell, -1); });
  a.add(
      "edit.query", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "&Query with SQL"), {K(Qt::CTRL | Qt::ALT | Qt::Key_Q)},
      [&shell] {
        shell.show_panel(PanelId::Query);
        shell.panels->widgets().query->editor()->setFocus(Qt::ShortcutFocusReason);
      },
      QT_TRANSLATE_NOOP("Actions",
                        "Query the tables of the document with SQL; a result row selects its item in all views"));
  a.separator(Menu::Edit);
  a.add("edit.copy_name", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Copy N&ame"), {K(Qt::CTRL | Qt::SHIFT | Qt::Key_C)},
        [&shell] { copy_name(shell); });
  a.add("edit.copy_picture", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Copy P&icture of View"),
        {K(Qt::CTRL | Qt::ALT | Qt::Key_C)}, [&shell] { shell.output->copy_picture(shell.panels->current()); });
  a.add("edit.copy_table", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Copy &Table of View"),
        {K(Qt::CTRL | Qt::ALT | Qt::Key_T)}, [&shell] { shell.output->copy_csv(shell.panels->current()); });
  a.add("edit.copy_markdown", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Copy Table as &Markdown"), {},
        [&shell] { shell.output->copy_markdown(shell.panels->current()); });
  a.separator(Menu::Edit);
  a.add("edit.preferences", Menu::Edit, QT_TRANSLATE_NOOP("Actions", "Pr&eferences…"), {K(Qt::CTRL | Qt::Key_Comma)},
        [&shell] { show_preferences(shell); });
}

}  // namespace arenascope::app
