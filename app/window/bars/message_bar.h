// SPDX-License-Identifier: GPL-3.0-or-later
// Shows messages at the bottom of the views without a modal dialog and without moving anything. Notes disappear after
// a while, warnings and errors when they are closed.
#pragma once
#include <views/common/theme.h>
#include <views/common/view_context.h>
#include <QFrame>
#include <QTimer>
#include <QVBoxLayout>

#include "app/window/actions/actions.h"
#include "app/window/document/messages.h"

class QMainWindow;

namespace arenascope::app {

class MessageBar : public QWidget {
  Q_OBJECT
 public:
  MessageBar(const views::Theme* theme, const ActionRegistry* actions, QMainWindow* window);
  void set_messages(Messages* messages);  // messages of the current document

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show_messages();
  void update_position();
  QFrame* line_of(const Message& message);

  const views::Theme* theme_;
  const ActionRegistry* actions_;
  QMainWindow* window_;
  Messages* messages_ = nullptr;
  views::ConnectionScope bond_;
  QVBoxLayout* column_;
  QTimer note_timer_;
  std::vector<std::pair<Message, QFrame*>> lines_;
};

}  // namespace arenascope::app
