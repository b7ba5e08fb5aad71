// SPDX-License-Identifier: GPL-3.0-or-later
// The docked panels of the window, created from the table of panels: the current one, showing and raising them, and
// switching their document.
#pragma once
#include <QDockWidget>
#include <QLabel>
#include <QMainWindow>

#include <array>
#include <optional>
#include <set>

#include "panel_arrangement.h"

namespace arenascope::app {

class Panels : public QObject {
  Q_OBJECT
 public:
  Panels(QMainWindow* window, Document& document);

  QDockWidget* dock(PanelId id) const { return panel(id).dock; }
  const PanelInstance& parts(PanelId id) const { return panel(id).parts; }
  const PanelWidgets& widgets() const { return widgets_; }
  // Table with the data of a panel; null: none.
  views::TablePanel* table(PanelId id) const;

  void raise(PanelId id);  // shows the panel and its group and brings it to the front
  // Shows a text in place of the panel until called with an empty text.
  void hide_with_placeholder(PanelId id, const QString& text);
  bool is_hidden_by_lesson(PanelId id) const { return panel(id).placeholder != nullptr; }
  using Choices = PanelArrangement::Choices;
  Choices choices();
  // Shows the panels of a built-in layout (a bit of PanelLayout) for which the document has content.
  void set_layout(uint8_t layout, const Choices& choices);
  bool set_content(const DocumentContent& content);  // true: panels came or went
  void set_open(PanelId id, bool open);              // by the user; it stays so whatever the document has
  // A lesson shows only these panels, plus any that are opened later, until the stage is reset. Docks stay where they are.
  void set_stage(std::optional<std::set<PanelId>> panels) { arrangement_.set_stage(std::move(panels)); }
  // After QMainWindow::restoreState(): the restored panels are the user's choices.
  void adopt_visible();
  void show(PanelId id);  // raises it and makes it the current panel
  // Shows one group of the bottom panels, with the one that was in front before, or `in_front`.
  void show_group(PanelGroup group, std::optional<PanelId> in_front = {});
  const PanelArrangement& arrangement() const { return arrangement_; }
  std::optional<PanelId> front() const;  // the shown panel of the group that is in front; nullopt: none is shown
  bool is_in_sight(PanelId id) const;    // neither hidden nor a tab that is not in front
  PanelId current() const;               // the panel with focus, or the visible one that had it last
  void toggle_table();                   // next to the current view
  void leave(Document& document);
  void set_document(Document& document);
  void show_title_bars(bool on);
  void retranslate();

 Q_SIGNALS:
  void activated(PanelId id, int row);  // by double click or Return; -1: no row
  void menu_requested(PanelId id, const QPoint& global);
  void group_changed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Panel {
    PanelInstance parts;
    QDockWidget* dock = nullptr;
    QLabel* placeholder = nullptr;  // replaces the widget while shown
  };
  Panel& panel(PanelId id) { return panels_[index_of(id)]; }
  const Panel& panel(PanelId id) const { return panels_[index_of(id)]; }
  bool update_visible();  // true: panels came or went
  void connect_panel(PanelId id, const PanelInstance& parts);
  void note_focus(const QWidget* now);
  void note_front();

  QMainWindow* window_;
  std::array<Panel, kPanelCount> panels_;
  PanelWidgets widgets_;
  PanelId last_ = PanelId::Graph;
  PanelArrangement arrangement_;
};

// Prepares the visible plots at once.
void prepare_plots(const Panels& panels);

}  // namespace arenascope::app
