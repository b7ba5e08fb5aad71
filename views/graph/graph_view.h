// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of the current run. Layers are collapsed until expanded; vertices are coloured by state, op, backend, time,
// bytes, block or a column of the nodes table. Supports search, and navigation along producers and users. Shares the
// selection with the other views. The picture is prepared on a worker (layout_job.h).
#pragma once
#include <views/common/export.h>
#include <views/common/view_context.h>

#include <QToolButton>
#include <QWidget>

#include "colour_box.h"
#include "graph_canvas.h"
#include "graph_search.h"
#include "graph_walk.h"
#include "layout_job.h"

namespace arenascope::views {

class GraphView : public QWidget, public Paintable {
  Q_OBJECT
 public:
  GraphView(SessionSource* source, SelectionModel* selection, SharedAxis* axis, Theme* theme,
            QWidget* parent = nullptr);

  // The view state of a document, saved while another document is shown.
  struct ViewState {
    std::set<int32_t> expanded;
    GraphColour colour = GraphColour::State;
    int column = -1;  // for GraphColour::Column
    QString search;
    double scale = 0;  // 0: default
    QPointF offset;
    LayoutEngine engine = LayoutEngine::BuiltIn;
    bool operator==(const ViewState&) const = default;
  };
  ViewState view_state() const;
  void set_context(const ViewContext& context, const ViewState& state);

  ColourBox* colours() const { return colour_box_; }
  GraphCanvas* canvas() const { return canvas_; }
  const std::set<int32_t>& expanded() const { return expanded_; }
  int matches() const { return static_cast<int>(search_->matches().size()); }
  LayoutJob* layout_job() { return &job_; }
  void set_breakpoints(const std::set<NodeId>& nodes);
  void set_open_layers(const std::set<int32_t>& layers);

  void paint(QPainter* painter, QSize size) override;

 public Q_SLOTS:
  void set_colour(arenascope::views::GraphColour colour) { colour_box_->choose(colour); }
  void set_engine(arenascope::views::LayoutEngine engine);
  void set_shapes(bool on);  // on all edges with enough space
  void focus_search() { search_->focus(); }
  void find_next(int direction = 1);
  void go_to_producer();
  void go_to_user();  // repeated calls cycle through several users
  void expand_all();
  void collapse_all();
  void toggle_layer();                   // expands or folds the layer of the selection
  void reveal(arenascope::NodeId node);  // expands its layer and scrolls to it at a readable scale
  void show_selected();                  // scrolls to the selection; a layer stays collapsed

 Q_SIGNALS:
  void folding_changed();  // layers were expanded or collapsed
  void context_menu_requested(arenascope::views::Selection selection, const QPoint& global);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void build();
  void connect_canvas();
  void listen();
  void take_graph();  // another graph, or more of it
  void relayout(NodeId keep);
  void show_picture(const std::shared_ptr<const GraphPicture>& picture);
  void update_marks();
  void recolour();
  void walk(NodeId (GraphWalk::*to)(const trace::GraphInfo&, NodeId));
  void set_expanded(int32_t layer, bool open);

  ConnectionScope connections_;
  SessionSource* source_;
  SelectionModel* selection_;
  SharedAxis* axis_;
  Theme* theme_;
  GraphCanvas* canvas_ = nullptr;
  ColourBox* colour_box_ = nullptr;
  GraphSearch* search_ = nullptr;
  QToolButton* of_file_ = nullptr;  // shows the nodes of the model's file
  LayoutJob job_;
  QTimer recolour_timer_;
  GraphWalk walk_;

  bool shapes_ = false;
  LayoutEngine engine_ = LayoutEngine::BuiltIn;
  std::set<int32_t> expanded_;
  std::set<NodeId> breakpoints_;
  NodeId reveal_;  // scroll to it when the layout is ready
  NodeId keep_;    // keep it at its screen position when the layout is ready
  bool first_ = true;
  std::optional<ViewState> saved_state_;  // restored when the layout is ready
  bool by_range_ = false;                 // a range of steps is selected
  SnapshotPtr summed_;                    // snapshot of the layer sums
};

}  // namespace arenascope::views
