// SPDX-License-Identifier: GPL-3.0-or-later
// Where one is, from the whole to the part that is selected: model › layer › node › span. Each is a way back out to it.
#pragma once
#include <views/common/view_context.h>

#include <QLabel>
#include <QTimer>

namespace arenascope::views {

struct Crumb {
  QString text;
  Selection selection;  // what a click selects; nothing: all is shown
  Step first, last;     // and the steps that it frames, half-open
  bool operator==(const Crumb&) const = default;
};

class Breadcrumbs : public QLabel {
  Q_OBJECT
 public:
  Breadcrumbs(SessionSource* source, SelectionModel* selection, SharedAxis* axis, Theme* theme,
              QWidget* parent = nullptr);
  void set_context(const ViewContext& context);  // of another document; the theme stays
  const std::vector<Crumb>& crumbs() const { return crumbs_; }
  void follow(size_t crumb);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void listen();
  void show_path();
  std::vector<Crumb> path() const;
  // The steps around one that are of the same layer.
  Crumb layer_around(int32_t step) const;

  ContextBond bond_;
  SessionSource* source_;
  SelectionModel* selection_;
  SharedAxis* axis_;
  Theme* theme_;
  std::vector<Crumb> crumbs_;
  QTimer timer_;  // while the range is dragged about
};

}  // namespace arenascope::views
