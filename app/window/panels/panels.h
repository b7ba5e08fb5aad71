// SPDX-License-Identifier: GPL-3.0-or-later
// The docked panels of the window, created from the table of panels: the current one, showing and raising them, and
// switching their document.
#pragma once
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>

#include <map>
#include <optional>
#include <set>

#include "panel.h"
#include "panel_content.h"

namespace arenascope::app {

class Panels : public QObject {
  Q_OBJECT
 public:
  Panels(QMainWindow* window, Document& document);

  QDockWidget* dock(const QString& id) const;  // null: unknown id
  const PanelInstance& parts(const QString& id) const { return panels_.at(id).parts; }
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
  // Changes of a layout by the user.
  struct Choices {
    QStringList opened, closed;
    QString front;  // front panel of the current group
  };
  Choices choices();
  // Shows the panels of a built-in layout (a bit of PanelLayout) for which the document has content.
  void set_layout(uint8_t layout, const Choices& choices);
  bool set_content(const DocumentContent& content);  // true: panels came or went
  void set_open(const QString& id, bool open);       // by the user; it stays so whatever the document has
  // A lesson shows only these panels, plus any that are opened later, until the stage is reset. Docks stay where they are.
  void set_stage(const std::optional<QStringList>& panels);
  // After QMainWindow::restoreState(): the restored panels are the user's choices.
  void adopt_visible();
  void show(const QString& id);  // raises it and makes it the current panel
  // Shows one group of the bottom panels, with the one that was in front before, or `in_front`.
  void show_group(PanelGroup group, const QString& in_front = {});
  PanelGroup group() const { return group_; }
  QString front() const;                      // the shown panel of the group that is in front; empty: none is shown
  bool is_in_sight(const QString& id) const;  // neither hidden nor a tab that is not in front
  bool is_included(const PanelDescriptor& kind) const;  // shown when its group is
  bool has_panels(PanelGroup group) const;              // to show
  QString current() const;                              // the panel with focus, or the visible one that had it last
  void toggle_table();                                  // next to the current view
  bool focus_in_graph() const;
  void leave(Document& document);
  void set_document(Document& document);
  void show_title_bars(bool on);
  void retranslate();

 Q_SIGNALS:
  void activated(const QString& id, int row);  // by double click or Return; -1: no row
  void menu_requested(const QString& id, const QPoint& global);
  void group_changed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Panel {
    const PanelDescriptor* kind;
    PanelInstance parts;
    QDockWidget* dock;
    QLabel* placeholder = nullptr;  // replaces the widget while shown
  };
  bool update_visible();  // true: panels came or went
  void connect_panel(const QString& id, const PanelInstance& parts);
  void note_focus(const QWidget* now);
  void note_front();

  QMainWindow* window_;
  std::map<QString, Panel> panels_;
  QString last_ = QStringLiteral("graph");
  PanelGroup group_ = PanelGroup::None;
  std::map<PanelGroup, QString> front_of_group_;
  uint8_t layout_ = kEverything;
  DocumentContent content_;
  std::set<QString> opened_, closed_;       // by the user
  std::optional<std::set<QString>> stage_;  // panels of a lesson
};

}  // namespace arenascope::app
