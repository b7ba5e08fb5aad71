// SPDX-License-Identifier: GPL-3.0-or-later
// The graph of the run at hand: layers collapsed until they are opened, coloured by state, op, backend, time, bytes or
// block, searched, and walked along producers and users. Shares the selection with the other views.
#pragma once
#include <views/common/export.h>
#include <views/common/view_context.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QWidget>

#include "graph_canvas.h"
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
    QString search;
    double scale = 0;  // 0: as it comes
    QPointF offset;
    bool operator==(const Look&) const = default;
  };
  Look look() const;
  void set_context(const ViewContext& context, const Look& look);

  GraphColour colour() const { return colour_; }
  GraphCanvas* canvas() const { return canvas_; }
  const std::set<int32_t>& expanded() const { return expanded_; }
  int matches() const { return static_cast<int>(matches_.size()); }
  LayoutJob* layout_job() { return &job_; }
  void set_breakpoints(const std::set<NodeId>& nodes);
  void set_open_layers(const std::set<int32_t>& layers);
  bool save_dot(const QString& path) const;

  void paint(QPainter* painter, QSize size) override;

 public Q_SLOTS:
  void set_colour(arenascope::views::GraphColour colour);
  void focus_search();
  void find_next(int direction = 1);
  void go_to_producer();  // again: the next of several
  void go_to_user();
  void zoom_in() { canvas_->zoom(1.25, QRectF(canvas_->rect()).center()); }
  void zoom_out() { canvas_->zoom(0.8, QRectF(canvas_->rect()).center()); }
  void fit() { canvas_->fit(); }
  void expand_all();
  void collapse_all();
  void toggle_layer();                   // of what is selected
  void reveal(arenascope::NodeId node);  // opens its layer and scrolls to it

 Q_SIGNALS:
  void folding_changed();  // layers were opened or closed
  void colour_changed();
  void note(const QString& sentence);  // something the user should know; empty: no longer
  void context_menu_wanted(arenascope::views::Selection selection, const QPoint& global);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void listen();
  void build();
  void retranslate();
  void take_graph();  // another graph, or more of it
  void relayout(NodeId keep = NodeId::none());
  void hold_next(NodeId node);
  // The steps in which a closed layer runs in the plan at hand; empty where there is none.
  std::optional<StepRangeSelection> steps_of(const Vertex& vertex) const;
  void show_layout(std::shared_ptr<const FoldedGraph> folded, std::shared_ptr<const GraphLayout> layout,
                   const QString& why);
  void update_marks();
  void recolour();
  void search(const QString& text);
  void walk(const std::vector<NodeId>& targets);
  void set_expanded(int32_t layer, bool open);
  NodeId selected_node() const;
  Step shown_step() const;

  ContextBond bond_;
  SessionSource* source_;
  SelectionModel* selection_;
  SharedAxis* axis_;
  Theme* theme_;
  GraphCanvas* canvas_ = nullptr;
  QComboBox* colour_box_ = nullptr;
  QLineEdit* search_ = nullptr;
  QLabel* found_ = nullptr;
  QLabel* note_ = nullptr;
  LayoutJob job_;
  QTimer recolour_timer_;

  GraphColour colour_ = GraphColour::State;
  std::set<int32_t> expanded_;
  std::set<NodeId> breakpoints_;
  std::vector<trace::TensorRef> matches_;
  int match_ = -1;
  NodeId walk_from_;  // where the walk along producers or users began
  std::vector<NodeId> walk_targets_;
  size_t walk_at_ = 0;
  NodeId reveal_;  // to be scrolled to when the layout is there
  NodeId keep_;    // to stay where it is when the layout is there
  QPointF keep_at_;
  bool first_ = true;
  std::optional<Look> look_;  // to come back to when the layout is there
  bool by_range_ = false;     // a range of steps is selected
};

}  // namespace arenascope::views
