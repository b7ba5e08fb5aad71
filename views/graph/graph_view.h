// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of the run at hand: layers collapsed until they are opened, coloured by state, op, backend, time, bytes,
// block or a column of what is told of the nodes, searched, and walked along producers and users. Shares the selection with the other views. What it draws is
// prepared elsewhere (layout_job.h).
#pragma once
#include <views/common/export.h>
#include <views/common/view_context.h>

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

  // How a document's graph is looked at: what is kept of it while another document is shown.
  struct Look {
    std::set<int32_t> expanded;
    GraphColour colour = GraphColour::State;
    int column = -1;  // of GraphColour::Column
    QString search;
    double scale = 0;  // 0: as it comes
    QPointF offset;
    bool operator==(const Look&) const = default;
  };
  Look look() const;
  void set_context(const ViewContext& context, const Look& look);

  ColourBox* colours() const { return colour_box_; }
  GraphCanvas* canvas() const { return canvas_; }
  const std::set<int32_t>& expanded() const { return expanded_; }
  int matches() const { return static_cast<int>(search_->matches().size()); }
  LayoutJob* layout_job() { return &job_; }
  void set_breakpoints(const std::set<NodeId>& nodes);
  void set_open_layers(const std::set<int32_t>& layers);
  bool save_dot(const QString& path) const;

  void paint(QPainter* painter, QSize size) override;

 public Q_SLOTS:
  void set_colour(arenascope::views::GraphColour colour) { colour_box_->choose(colour); }
  void set_shapes(bool on);  // on all edges where there is room
  void focus_search() { search_->focus(); }
  void find_next(int direction = 1);
  void go_to_producer();
  void go_to_user();  // again: the next of several
  void expand_all();
  void collapse_all();
  void toggle_layer();                   // of what is selected
  void reveal(arenascope::NodeId node);  // opens its layer and scrolls to it, large enough to be read
  void show_selected();                  // the same of what is selected; a layer stays closed

 Q_SIGNALS:
  void folding_changed();  // layers were opened or closed
  void context_menu_wanted(arenascope::views::Selection selection, const QPoint& global);

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

  ContextBond bond_;
  SessionSource* source_;
  SelectionModel* selection_;
  SharedAxis* axis_;
  Theme* theme_;
  GraphCanvas* canvas_ = nullptr;
  ColourBox* colour_box_ = nullptr;
  GraphSearch* search_ = nullptr;
  LayoutJob job_;
  QTimer recolour_timer_;
  GraphWalk walk_;

  bool shapes_ = false;
  std::set<int32_t> expanded_;
  std::set<NodeId> breakpoints_;
  NodeId reveal_;  // to be scrolled to when the layout is there
  NodeId keep_;    // to stay where it is when the layout is there
  bool first_ = true;
  std::optional<Look> look_;  // to come back to when the layout is there
  bool by_range_ = false;     // a range of steps is selected
  SnapshotPtr summed_;        // what the layers' sums are of
};

}  // namespace arenascope::views
