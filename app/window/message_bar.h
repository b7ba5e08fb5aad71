// SPDX-License-Identifier: GPL-3.0-or-later
// Says what went wrong without being in the way: over the foot of the views, never a modal box, and it moves nothing. A
// note goes by itself after a while; what went wrong stays until it is closed.
#pragma once
#include <views/common/theme.h>
#include <views/common/view_context.h>
#include <QFrame>
#include <QTimer>
#include <QVBoxLayout>

#include "actions/actions.h"
#include "document/messages.h"

class QMainWindow;

namespace arenascope::app {

class MessageBar : public QWidget {
  Q_OBJECT
 public:
  MessageBar(const views::Theme* theme, const ActionRegistry* actions, QMainWindow* window);
  void set_messages(Messages* messages);  // of the document at hand

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show_messages();
  void place();
  QFrame* line_of(const Message& message);

  const views::Theme* theme_;
  const ActionRegistry* actions_;
  QMainWindow* window_;
  Messages* messages_ = nullptr;
  views::ContextBond bond_;
  QVBoxLayout* column_;
  QTimer note_timer_;
  std::vector<std::pair<Message, QFrame*>> lines_;
};

}  // namespace arenascope::app
