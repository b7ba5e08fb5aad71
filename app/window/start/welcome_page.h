// SPDX-License-Identifier: GPL-3.0-or-later
// Shown over the panels while no document is open: actions to open something, recent files, examples and lessons.
#pragma once
#include <views/common/background.h>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <QWidget>

namespace arenascope::app {

struct Shell;

class WelcomePage : public QWidget {
  Q_OBJECT
 public:
  explicit WelcomePage(Shell& shell);
  void update_page();  // shows or hides the page and updates its content

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void fill();
  void update_position();
  void stand_over();
  void show_progress();
  QLayout* ways();
  void add_next_lesson(QVBoxLayout* lines);
  QVBoxLayout* list(const QString& heading);
  QString progress_of(const QString& lesson) const;  // by id
  QPushButton* add_spec(QVBoxLayout* lines, const QString& spec, const QString& name, const QString& tip);
  QPixmap frame_of(const QString& spec) const;
  void add_recent(QVBoxLayout* lines, const QStringList& files);

  Shell& shell_;
  QWidget* inside_ = nullptr;
  QLabel* doing_ = nullptr;  // what is being opened
  std::vector<QPushButton*> recent_;
  views::Background reading_;  // loads thumbnails
};

}  // namespace arenascope::app
