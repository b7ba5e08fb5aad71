// SPDX-License-Identifier: GPL-3.0-or-later
// The inspector panel: all details of the selection, which are collected on a worker. Links change the selection;
// Alt+← goes back. A click on a heading folds its section.
#pragma once
#include <views/common/background.h>
#include <views/common/view_context.h>
#include <views/inspector/inspector_model.h>

#include <QTimer>
#include <QTreeView>
#include <QWidget>

#include <set>

namespace arenascope::views {

class InspectorView : public QWidget {
  Q_OBJECT
 public:
  InspectorView(SessionSource* source, SelectionModel* selection, Theme* theme, QWidget* parent = nullptr);
  void set_context(const ViewContext& context);  // switches to another document; the theme is kept
  void show_now();                               // blocks until the facts are shown; for tests and exports
  QString text();                                // the facts as lines, after show_now()
  QTreeView* tree() const { return tree_; }
  // Returns a function that creates the facts of the selection as a table, on any thread.
  std::function<QString()> csv_maker() const;
  void add_above(QWidget* widget);
  // Adds a widget below the facts, such as the values of the selected tensor.
  void add_below(QWidget* widget);

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  using Facts = std::vector<InspectorFact>;

  void build();
  void listen();
  void request();
  void show_facts(const Facts& facts);
  void arrange();
  void follow(const QModelIndex& index);
  void copy_rows() const;

  ConnectionScope connections_;
  SessionSource* source_;
  SelectionModel* selection_;
  Theme* theme_;
  InspectorModel model_;
  QTreeView* tree_;
  Background worker_;
  QTimer timer_;
  std::set<QString> folded_;  // titles of sections
};

}  // namespace arenascope::views
