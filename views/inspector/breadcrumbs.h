// SPDX-License-Identifier: GPL-3.0-or-later
// The path from the whole to the selection: model › layer › node › span. Each element is a link that selects and frames
// it.
#pragma once
#include <views/common/view_context.h>

#include <QLabel>
#include <QTimer>

namespace arenascope::views {

struct Crumb {
  QString text;
  Selection selection;  // selected on click; empty: everything is shown
  Step first, last;     // the framed steps, half-open
  bool operator==(const Crumb&) const = default;
};

class Breadcrumbs : public QLabel {
  Q_OBJECT
 public:
  Breadcrumbs(SessionSource* source, SelectionModel* selection, SharedAxis* axis, Theme* theme,
              QWidget* parent = nullptr);
  void set_context(const ViewContext& context);  // switches to another document; the theme is kept
  const std::vector<Crumb>& crumbs() const { return crumbs_; }
  void follow(size_t crumb);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void listen();
  void show_path();
  std::vector<Crumb> path() const;
  // The consecutive steps of the same layer around a step.
  Crumb layer_around(int32_t step) const;

  ConnectionScope connections_;
  SessionSource* source_;
  SelectionModel* selection_;
  SharedAxis* axis_;
  Theme* theme_;
  std::vector<Crumb> crumbs_;
  QTimer timer_;  // limits updates while the range is dragged
};

}  // namespace arenascope::views
