// SPDX-License-Identifier: GPL-3.0-or-later
// List of breakpoints of the current document: enable, disable, remove, and add by op, name pattern, size or NaN.
#pragma once
#include <QAbstractTableModel>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QTreeView>

#include "app/window/document/debugger.h"

namespace arenascope::app {

class BreakpointModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  explicit BreakpointModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
  // `nodes`: number of matching nodes per breakpoint; -1 if unknown in advance.
  void set(std::vector<Breakpoint> breakpoints, std::vector<int> nodes);
  // True if results can be checked for NaN: possible in a live run; a recording contains no values.
  void set_values_known(bool known);
  const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }
  QString to_csv() const;
  void retranslate() { Q_EMIT headerDataChanged(Qt::Horizontal, 0, 1); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 Q_SIGNALS:
  void switched(int row, bool on);

 private:
  std::vector<Breakpoint> breakpoints_;
  std::vector<int> nodes_;
  bool values_known_ = true;
};

class BreakpointPanel : public QWidget {
  Q_OBJECT
 public:
  explicit BreakpointPanel(Debugger* debugger, QWidget* parent = nullptr);
  void set_debugger(Debugger* debugger);  // debugger of the new document
  BreakpointModel* model() const { return model_; }
  QTreeView* list() const { return list_; }
  void focus_new();  // focuses the input for a new breakpoint

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void show_breakpoints();
  void build();
  void connect_parts();
  void retranslate();
  void add_now();
  void remove(bool all);
  void update_hint();

  QPointer<Debugger> debugger_;
  views::ConnectionScope bond_;
  BreakpointModel* model_;
  QTreeView* list_;
  QComboBox* kind_;
  QLineEdit* text_;
  QPushButton *add_, *remove_, *remove_all_;
  QLabel *empty_, *problem_;
};

}  // namespace arenascope::app
