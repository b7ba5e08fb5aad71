// SPDX-License-Identifier: GPL-3.0-or-later
// The inspector panel: all details of the selection. Links change the selection; Alt+← goes back.
#pragma once
#include <views/common/view_context.h>
#include <views/inspector/inspector_text.h>

#include <QTextBrowser>
#include <QTimer>
#include <QWidget>

namespace arenascope::views {

class InspectorView : public QWidget {
  Q_OBJECT
 public:
  InspectorView(SessionSource* source, SelectionModel* selection, Theme* theme, QWidget* parent = nullptr);
  void set_context(const ViewContext& context);  // switches to another document; the theme is kept
  QString text() const { return browser_->toPlainText(); }
  QString to_csv() const;  // the facts of the selection as a table: section, key and value
  void add_above(QWidget* widget);
  // Adds a widget below the text, such as the values of the selected tensor.
  void add_below(QWidget* widget);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void listen();
  InspectorInput input() const;
  void show_selection();

  ConnectionScope connections_;
  SessionSource* source_;
  SelectionModel* selection_;
  Theme* theme_;
  QTextBrowser* browser_;
  QTimer timer_;
  QString shown_;
};

}  // namespace arenascope::views
