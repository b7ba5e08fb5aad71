// SPDX-License-Identifier: GPL-3.0-or-later
// Says what went wrong without being in the way: a bar above the views, never a modal box. What was open stays open.
#pragma once
#include <views/common/theme.h>
#include <QFrame>
#include <QLabel>
#include <QVBoxLayout>

namespace arenascope::app {

enum class MessageKind : uint8_t { Note, Warning, Error };

class MessageBar : public QWidget {
  Q_OBJECT
 public:
  explicit MessageBar(const views::Theme* theme, QWidget* parent = nullptr);
  // At most three stand at once; the oldest goes. The same sentence is not said twice.
  void say(MessageKind kind, const QString& sentence);
  void clear();
  void drop_notes();
  QStringList sentences() const;

 Q_SIGNALS:
  void shown(bool any);

 private:
  void remove(QFrame* line);
  const views::Theme* theme_;
  QVBoxLayout* column_;
  QList<QFrame*> lines_;
};

}  // namespace arenascope::app
