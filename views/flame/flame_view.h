// SPDX-License-Identifier: GPL-3.0-or-later
// A flame graph of the document's call stacks, nested spans or layers, with the choice of its weight, a search, and the path
// of the frame that is zoomed to. If another document is compared, colours show the difference A − B.
#pragma once
#include <views/common/background.h>
#include <views/common/export.h>
#include <views/common/view_context.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QTimer>
#include <QToolButton>
#include <QWidget>

#include "flame_canvas.h"

class QMenu;

namespace arenascope::views {

class FlameView : public QWidget, public Paintable {
  Q_OBJECT
 public:
  explicit FlameView(const ViewContext& context, QWidget* parent = nullptr);

  // The view state of a document, saved while another document is shown.
  struct ViewState {
    std::optional<trace::FlameWeight> weight;  // none: the default of the document
    bool icicle = true;
    bool libraries = false;  // frames of libraries are shown
    QStringList zoomed;      // path of the frame
    QString search;
    bool operator==(const ViewState&) const = default;
  };
  ViewState view_state() const;
  void set_context(const ViewContext& context, const ViewState& state);

  FlameCanvas* canvas() const { return canvas_; }
  QComboBox* weights() const { return weights_; }
  QToolButton* icicle_button() const { return icicle_; }
  QToolButton* libraries_button() const { return libraries_; }
  QLineEdit* search_field() const { return search_; }
  QLabel* breadcrumb() const { return path_; }
  QLabel* match_label() const { return found_; }
  std::optional<trace::FlameWeight> weight() const;  // none: the document has no data for any
  trace::FlameStacks stacks() const;
  // The selected range of time, until something is selected outside of this view; none: everything is shown.
  const std::optional<trace::TimeRange>& range() const { return range_; }
  void add_context_menu_actions(QMenu& menu);

  void paint(QPainter* painter, QSize size) override;
  void prepare_now();  // blocks until the view is up to date; for tests and exports

 Q_SIGNALS:
  void choice_changed();  // the weight, the range, or the frames of stacks changed

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void listen();
  void retranslate();
  void show_legend();
  void fill_weights();
  void prepare_soon();
  void prepare();
  void take(FlameDataPtr data);
  void match();
  void show_path();
  void show_selection();
  void choose(uint32_t frame);
  void follow_range();

  ViewContext context_;
  ConnectionScope connections_;
  QComboBox* weights_;
  QToolButton *icicle_, *libraries_, *clear_range_;
  QLineEdit* search_;
  QLabel *found_, *legend_, *path_;
  FlameCanvas* canvas_;
  QTimer timer_;
  Background preparing_, matching_;
  std::optional<ViewState> saved_;                   // applied when its tree is ready
  std::optional<trace::FlameWeight> chosen_weight_;  // by the user
  std::optional<trace::TimeRange> range_;
  bool stale_ = true, choosing_ = false;
};

}  // namespace arenascope::views
