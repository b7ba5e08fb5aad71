// SPDX-License-Identifier: GPL-3.0-or-later
// The panels of the window in their docks, made from the table of kinds: which one is at hand, showing and raising
// them, and handing them another document.
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

  QDockWidget* dock(const QString& id) const;  // null: there is none of that name
  const PanelParts& parts(const QString& id) const { return panels_.at(id).parts; }
  QString title(const QString& id) const { return dock(id)->windowTitle(); }
  // The table that tells what a panel shows; null where it keeps its own.
  views::TablePanel* table(const QString& id) const;
  // The widget of that class in a panel.
  template <class Widget>
  Widget* find(const char* id) const {
    QWidget* widget = parts(QString::fromLatin1(id)).widget;
    auto* it = qobject_cast<Widget*>(widget);
    return it != nullptr ? it : widget->findChild<Widget*>();
  }

  void raise(const QString& id);  // shown, with its group, and in front
  // A sentence stands in place of what the panel shows, until an empty one is given.
  void shut(const QString& id, const QString& sentence);
  bool is_shut(const QString& id) const { return panels_.at(id).sign != nullptr; }
  void forget_closed() { closed_.clear(); }     // another arrangement shows all of them again
  void set_open(const QString& id, bool open);  // by the user: closed, it stays so when its group is seen again
  void show(const QString& id);                 // that too; what is copied or saved next is it
  // Of the panels at the bottom those of one group are seen at a time, the one that was in front before, or
  // `in_front`.
  void show_group(PanelGroup group, const QString& in_front = {});
  void take_group();  // the docks were put somewhere else: it is that of those that are seen now
  PanelGroup group() const { return group_; }
  QString at_hand() const;  // the panel that has the focus, or had it last and is still seen
  void toggle_table();      // beside the drawn view that is at hand
  bool focus_in_graph() const;
  void leave(Document& document);
  void set_document(Document& document);
  void show_title_bars(bool on);
  void retranslate();

 Q_SIGNALS:
  void activated(const QString& id, int row);  // a double click or Return; -1: on no row
  void menu_wanted(const QString& id, const QPoint& global);
  void group_changed();

 private:
  struct Panel {
    const PanelKind* kind;
    PanelParts parts;
    QDockWidget* dock;
    QLabel* sign = nullptr;  // in place of the widget
  };
  void connect_panel(const QString& id, const PanelParts& parts);
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
