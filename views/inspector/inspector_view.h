// SPDX-License-Identifier: GPL-3.0-or-later
// The panel that tells all there is to know about what is selected. Links lead on; Alt+← leads back.
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
  void set_context(const ViewContext& context);  // of another document; the theme stays
  QString text() const { return browser_->toPlainText(); }
  QString to_csv() const;  // what is told of the selection, as a table: section, key and value
  void add_above(QWidget* widget);
  // A widget below the text: the values of the selected tensor, say.
  void add_below(QWidget* widget);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void listen();
  InspectorInput input() const;
  void show_selection();

  ContextBond bond_;
  SessionSource* source_;
  SelectionModel* selection_;
  Theme* theme_;
  QTextBrowser* browser_;
  QTimer timer_;
  QString shown_;
};

}  // namespace arenascope::views
