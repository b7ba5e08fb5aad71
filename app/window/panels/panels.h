// SPDX-License-Identifier: GPL-3.0-or-later
// The docked panels of the window, created from the table of panels: the current one, showing and raising them, and
// switching their document.
#pragma once
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>

#include <map>
#include <set>

#include "panel.h"

namespace arenascope::app {

class Panels : public QObject {
  Q_OBJECT
 public:
  Panels(QMainWindow* window, Document& document);

  QDockWidget* dock(const QString& id) const;  // null: unknown id
  const PanelInstance& parts(const QString& id) const { return panels_.at(id).parts; }
  QString title(const QString& id) const { return dock(id)->windowTitle(); }
  // Table with the data of a panel; null: none.
  views::TablePanel* table(const QString& id) const;
  // The widget of that class in a panel.
  template <class Widget>
  Widget* find(const char* id) const {
    QWidget* widget = parts(QString::fromLatin1(id)).widget;
    auto* it = qobject_cast<Widget*>(widget);
    return it != nullptr ? it : widget->findChild<Widget*>();
  }

  void raise(const QString& id);  // shows the panel and its group and brings it to the front
  // Shows a text in place of the panel until called with an empty text.
  void hide_with_placeholder(const QString& id, const QString& text);
  bool is_hidden_by_lesson(const QString& id) const { return panels_.at(id).placeholder != nullptr; }
  void forget_closed() { closed_.clear(); }     // a new layout shows all panels again
  void set_open(const QString& id, bool open);  // by the user; a closed panel stays closed when its group is shown
  void show(const QString& id);                 // raises it and makes it the current panel
  // Shows one group of the bottom panels, with the one that was in front before, or `in_front`.
  void show_group(PanelGroup group, const QString& in_front = {});
  void update_group();  // updates the group after docks were moved
  PanelGroup group() const { return group_; }
  QString current() const;  // the panel with focus, or the visible one that had it last
  void toggle_table();      // next to the current view
  bool focus_in_graph() const;
  void leave(Document& document);
  void set_document(Document& document);
  void show_title_bars(bool on);
  void retranslate();

 Q_SIGNALS:
  void activated(const QString& id, int row);  // by double click or Return; -1: no row
  void menu_requested(const QString& id, const QPoint& global);
  void group_changed();

 private:
  struct Panel {
    const PanelDescriptor* kind;
    PanelInstance parts;
    QDockWidget* dock;
    QLabel* placeholder = nullptr;  // replaces the widget while shown
  };
  void connect_panel(const QString& id, const PanelInstance& parts);
  void note_focus(const QWidget* now);
  void note_front();

  QMainWindow* window_;
  std::map<QString, Panel> panels_;
  QString last_ = QStringLiteral("graph");
  PanelGroup group_ = PanelGroup::None;
  std::map<PanelGroup, QString> front_of_group_;
  std::set<QString> closed_;
};

}  // namespace arenascope::app
