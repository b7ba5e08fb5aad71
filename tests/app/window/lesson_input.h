// SPDX-License-Identifier: GPL-3.0-or-later
// Answers a lesson's question in the real window like a learner: with the mouse, or with the keyboard only.
#pragma once
#include <arenascope/lesson/question.h>
#include <views/common/plot_view.h>
#include <views/graph/graph_view.h>
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_panel.h>
#include <views/tables/table_panel.h>

#include <QAbstractButton>
#include <QTest>

#include "app/window/main_window.h"

namespace arenascope::app {

class LessonHands {
 public:
  LessonHands(MainWindow& window, views::LessonPanel& panel, bool mouse)
      : window_(window), panel_(panel), mouse_(mouse) {}

  void press(QWidget* button) const {
    if (mouse_)
      QTest::mouseClick(button, Qt::LeftButton);
    else
      QTest::keyClick(button, Qt::Key_Space);
  }

  // False if the target is not visible.
  bool give(const lesson::Question& q, const lesson::Answer& answer) const {
    switch (q.kind) {
      case lesson::QuestionKind::Choice: return choose(q, answer.text);
      case lesson::QuestionKind::Number:
      case lesson::QuestionKind::Rule: return type(answer.text);
      case lesson::QuestionKind::Order: return put_in_order(answer.names);
      case lesson::QuestionKind::Place: return place(answer.placed);
      default: break;
    }
    const std::string name = answer.names.empty() ? answer.text : answer.names.front();
    window_.document().selection()->clear();
    const PanelId table = q.kind == lesson::QuestionKind::Barrier ? PanelId::Barriers : PanelId::Nodes;
    if (!mouse_) return find_in_table(table, name);  // and presses Enter
    if (!click(q.kind, table, name)) return false;
    press(box().answer_button());
    return true;
  }

 private:
  bool click(lesson::QuestionKind kind, PanelId table, const std::string& name) const {
    if (kind == lesson::QuestionKind::Barrier)
      return click_in_plot(PanelId::Timeline, name) || click_in_table(table, name);
    if (kind == lesson::QuestionKind::Block)
      return click_in_plot(PanelId::Arena, name) || click_in_plot(PanelId::Lifetimes, name);
    return click_in_graph(name) || click_in_table(table, name);
  }

  views::QuestionBox& box() const { return *panel_.widgets().question; }
  Panels& panels() const { return *window_.shell().panels; }

  bool choose(const lesson::Question& q, const std::string& value) const {
    for (size_t i = 0; i < q.options.size(); ++i) {
      if (q.options[i].value != value) continue;
      QAbstractButton* button = box().option(i);
      if (mouse_) {  // anywhere on its row
        QWidget* line = button->parentWidget();
        QTest::mouseClick(line, Qt::LeftButton, {}, QPoint(line->width() / 2, line->height() / 2));
      } else {
        QTest::keyClick(button, Qt::Key_Space);
      }
    }
    press(box().answer_button());
    return true;
  }

  bool type(const std::string& text) const {
    box().number()->clear();
    QTest::keyClicks(box().number(), views::text_of(text));
    if (mouse_)
      press(box().answer_button());
    else
      QTest::keyClick(box().number(), Qt::Key_Return);
    return true;
  }

  bool put_in_order(const std::vector<std::string>& names) const {
    views::OrderList* list = box().order();
    QTest::qWait(1);  // it was just shown
    for (int i = 0; i < static_cast<int>(names.size()); ++i) {
      int from = i;
      while (from < list->count() && list->item(from)->text() != views::text_of(names[static_cast<size_t>(i)])) ++from;
      if (from == list->count()) return false;
      for (; mouse_ && from > i; --from) {  // row by row, since not all need to be visible
        list->scrollToItem(list->item(from - 1));
        list->scrollToItem(list->item(from));
        drag(list->viewport(), list->visualItemRect(list->item(from)).center(),
             list->visualItemRect(list->item(from - 1)).center());
      }
      list->setCurrentRow(from);
      for (; from > i; --from) QTest::keyClick(list, Qt::Key_Up, Qt::ControlModifier);
    }
    press(box().answer_button());
    return true;
  }

  bool place(const std::vector<lesson::Placed>& placed) const {
    views::PlacementBoard* board = box().board();
    for (const lesson::Placed& p : placed)
      for (size_t i = 0; i < board->pieces().size(); ++i)
        if (board->pieces()[i].name == p.name) mouse_ ? drag_piece(i, p.offset) : move_piece(i, p.offset);
    press(box().answer_button());
    return true;
  }

  void drag_piece(size_t piece, Bytes offset) const {
    views::PlacementBoard* board = box().board();
    drag(board, board->rect_of(piece).center(), board->point_of(piece, offset));
  }

  void move_piece(size_t piece, Bytes offset) const {
    views::PlacementBoard* board = box().board();
    while (board->chosen() > piece) QTest::keyClick(board, Qt::Key_Backtab);
    while (board->chosen() < piece) QTest::keyClick(board, Qt::Key_Tab);
    QTest::keyClick(board, Qt::Key_Home);
    for (int most = 100; most > 0 && offset_of(piece) < offset; --most) QTest::keyClick(board, Qt::Key_Up);
  }

  Bytes offset_of(size_t piece) const {
    for (const lesson::Placed& p : box().board()->placed())
      if (p.name == box().board()->pieces()[piece].name) return p.offset;
    return -1;
  }

  static void drag(QWidget* widget, QPoint from, QPoint to) {
    QTest::mousePress(widget, Qt::LeftButton, {}, from);
    QTest::mouseMove(widget, (from + to) / 2);
    QTest::mouseMove(widget, to);
    QTest::mouseRelease(widget, Qt::LeftButton, {}, to);
  }

  NodeId node_of(const std::string& name) const {
    const trace::GraphInfo* graph = window_.document().source()->graph();
    for (size_t i = 0; graph && i < graph->nodes.size(); ++i)
      if (graph->nodes[i].name == name) return NodeId(i);
    return NodeId();
  }

  bool names(const views::Selection& selection, const std::string& name) const {
    const NodeId node = node_of(name);
    return node.valid() &&
           views::tensor_of(selection, *window_.document().source()->snapshot()) == trace::TensorRef::node(node);
  }

  bool click_in_graph(const std::string& name) const {
    auto* view = panels().widgets().graph;
    views::GraphCanvas* canvas = view->canvas();
    const NodeId node = node_of(name);
    if (!node.valid() || !QTest::qWaitFor([&] { return canvas->scene().ready(); })) return false;
    const auto vertex = [&] { return canvas->scene().folded->vertex_of_node[node.index()]; };
    if (vertex() >= 0 && canvas->scene().folded->vertices[static_cast<size_t>(vertex())].folded) {
      view->expand_all();
      (void)QTest::qWaitFor([&] { return !canvas->scene().folded->vertices[static_cast<size_t>(vertex())].folded; });
    }
    if (vertex() < 0) return false;
    canvas->show_vertex(vertex(), true);
    const QPoint at = canvas->to_widget(canvas->scene().rect_of(vertex()).center()).toPoint();
    if (!canvas->isVisible() || !canvas->rect().contains(at)) return false;
    QTest::mouseClick(canvas, Qt::LeftButton, {}, at);
    return true;
  }

  bool click_in_plot(PanelId id, const std::string& name) const {
    auto* view = panels().parts(id).plot;
    panels().raise(id);
    if (!QTest::qWaitFor([&] { return view->isVisible(); })) return false;
    view->prepare_now();
    for (int y = 2; y < view->plot()->height(); y += 4)
      for (int x = 2; x < view->plot()->width(); x += 3)
        if (names(view->pick(QPointF(x, y)), name)) {
          QTest::mouseClick(view->plot(), Qt::LeftButton, {}, QPoint(x, y));
          return true;
        }
    return false;
  }

  int row_of(const views::TablePanel& table, const std::string& name) const {
    for (int row = 0; row < table.model()->rowCount(); ++row)
      if (names(table.model()->selection_of(row), name)) return row;
    return -1;
  }

  views::TablePanel* shown_table(PanelId id) const {
    panels().raise(id);
    views::TablePanel* table = panels().table(id);
    table->refresh();
    return table;
  }

  bool click_in_table(PanelId id, const std::string& name) const {
    views::TablePanel* table = shown_table(id);
    const int row = row_of(*table, name);
    if (row < 0) return false;
    QTableView* rows = table->table_view();
    const QModelIndex index = table->model()->index(row, 0);
    rows->scrollTo(index);
    QTest::mouseClick(rows->viewport(), Qt::LeftButton, {}, rows->visualRect(index).center());
    return true;
  }

  // Filters by name, then selects with the arrow keys.
  bool find_in_table(PanelId id, const std::string& name) const {
    views::TablePanel* table = shown_table(id);
    auto* filter = table->findChild<QLineEdit*>();
    filter->setFocus();
    QTest::keyClicks(filter, views::text_of(name));
    if (!QTest::qWaitFor([&] { return !table->model()->pending() && row_of(*table, name) >= 0; })) return false;
    QTableView* rows = table->table_view();
    rows->setFocus();
    rows->setCurrentIndex({});
    const int row = row_of(*table, name);
    for (int i = 0; i <= row; ++i) QTest::keyClick(rows, Qt::Key_Down);
    QTest::keyClick(rows, Qt::Key_Return);
    if (box().has_offer()) QTest::keyClick(rows, Qt::Key_Return);  // the first one selected the row
    filter->clear();
    return true;
  }

  MainWindow& window_;
  views::LessonPanel& panel_;
  bool mouse_;
};

}  // namespace arenascope::app
