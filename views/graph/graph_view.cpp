// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_view.h"

#include <views/common/shown_graph.h>
#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>

#include "graph_marks.h"

namespace arenascope::views {

using trace::TensorRef;

namespace {

void name_file_button(QToolButton* button) {
  button->setText(GraphView::tr("File"));
  button->setToolTip(
      GraphView::tr("Show the nodes of the model file, with If, Loop and Scan bodies and local functions"));
}

// Computes the sums of all layers; repeated only if the events changed.
void sum_up_layers(GraphScene& scene, const trace::Snapshot& snapshot) {
  const auto& vertices = scene.folded->vertices;
  if (std::none_of(vertices.begin(), vertices.end(), [](const Vertex& v) { return v.folded; })) return;
  const std::vector<trace::NodeStats> stats = snapshot.stats(scene.info->id);
  for (size_t v = 0; v < vertices.size(); ++v)
    if (vertices[v].folded) scene.texts[v].second = layer_summary(stats, *scene.info, vertices[v]);
}

}  // namespace

GraphView::GraphView(SessionSource* source, SelectionModel* selection, SharedAxis* axis, Theme* theme, QWidget* parent)
    : QWidget(parent), source_(source), selection_(selection), axis_(axis), theme_(theme) {
  build();
  recolour_timer_.setSingleShot(true);
  recolour_timer_.setInterval(60);
  connect(&recolour_timer_, &QTimer::timeout, this, &GraphView::recolour);
  connect(theme_, &Theme::changed, this, &GraphView::recolour);
  connect(&job_, &LayoutJob::ready, this, &GraphView::show_picture);
  connect(&job_, &LayoutJob::cancelled, this,
          [this] { canvas_->set_busy(canvas_->scene().ready() ? QString() : tr("The layout was cancelled.")); });
  connect_canvas();
  connect(search_, &GraphSearch::found, this, &GraphView::recolour);
  connect(search_, &GraphSearch::step_requested, this, &GraphView::find_next);
  connect(search_, &GraphSearch::left, canvas_, [this] { canvas_->setFocus(); });
  listen();
  take_graph();
}

void GraphView::connect_canvas() {
  connect(canvas_, &GraphCanvas::vertex_clicked, this,
          [this](int v) { selection_->select(selection_of(canvas_->scene(), v)); });
  connect(canvas_, &GraphCanvas::vertex_activated, this, [this](int v) {
    const Vertex& vertex = canvas_->scene().folded->vertices[static_cast<size_t>(v)];
    if (vertex.folded) set_expanded(vertex.layer, true);
  });
  connect(canvas_, &GraphCanvas::frame_clicked, this,
          [this](int layer) { selection_->select(layer_selection(canvas_->scene(), layer)); });
  connect(canvas_, &GraphCanvas::frame_activated, this, [this](int layer) { set_expanded(layer, false); });
  connect(canvas_, &GraphCanvas::leaf_clicked, this, [this](int leaf) {
    selection_->select(NodeSelection{canvas_->scene().info->id, TensorRef::leaf(LeafId(leaf))});
  });
  connect(canvas_, &GraphCanvas::background_clicked, this, [this] { selection_->clear(); });
  connect(canvas_, &GraphCanvas::vertex_hovered, this,
          [this](int v) { selection_->hover(selection_of(canvas_->scene(), v)); });
  connect(canvas_, &GraphCanvas::context_menu_requested, this, [this](int v, const QPoint& global) {
    const Selection what = selection_of(canvas_->scene(), v);
    if (!what.empty()) selection_->select(what);
    Q_EMIT context_menu_requested(what, global);
  });
}

void GraphView::listen() {
  QObject* connections = connections_.reset();
  connect(source_, &SessionSource::session_replaced, connections, [this] {
    expanded_.clear();
    first_ = true;
    take_graph();
  });
  connect(source_, &SessionSource::changed, connections, [this] { take_graph(); });
  connect(source_, &SessionSource::comparison_changed, connections, [this] {
    colour_box_->show_choices(*source_);
    recolour();
  });
  connect(axis_, &SharedAxis::current_changed, connections, [this] {
    if (!recolour_timer_.isActive()) recolour_timer_.start();
  });
  connect(selection_, &SelectionModel::current_changed, connections, [this] { update_marks(); });
  connect(selection_, &SelectionModel::hovered_changed, connections, [this] {
    const GraphScene& scene = canvas_->scene();
    if (!scene.ready()) return;
    const auto hovered = scene_marks(scene, selection_->hovered(), {}, *source_->snapshot(), source_->plan()).selected;
    canvas_->set_hovered(hovered.size() == 1 ? hovered.front() : -1);
  });
}

GraphView::ViewState GraphView::view_state() const {
  ViewState state{expanded_, colour_box_->colour(), colour_box_->column(), search_->text(), 0, {}, engine_};
  if (saved_state_) {  // the layout is not ready yet
    state.scale = saved_state_->scale;
    state.offset = saved_state_->offset;
  } else if (canvas_->scene().ready() && !first_) {
    state.scale = canvas_->scale();
    state.offset = canvas_->to_widget({0, 0});
  }
  return state;
}

void GraphView::set_context(const ViewContext& context, const ViewState& state) {
  source_ = context.source;
  selection_ = context.selection;
  axis_ = context.axis;
  listen();
  job_.list_in(context.tasks);
  canvas_->set_scene({});
  canvas_->set_marks({});
  canvas_->set_busy({});
  reveal_ = keep_ = NodeId::none();
  walk_.forget();
  breakpoints_.clear();
  expanded_ = state.expanded;
  engine_ = state.engine;
  colour_box_->show_choices(*source_, state.colour, state.column);
  first_ = true;
  saved_state_ = state.scale > 0 ? std::optional(state) : std::nullopt;
  search_->set_graph(nullptr);
  search_->set_text(state.search);
  take_graph();
}

void GraphView::build() {
  canvas_ = new GraphCanvas(theme_, this);
  colour_box_ = new ColourBox(this);
  search_ = new GraphSearch(this);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(4, 4, 4, 4);
  bar->setSpacing(4);
  of_file_ = new QToolButton(this);
  of_file_->setCheckable(true);
  of_file_->hide();
  connect(of_file_, &QToolButton::clicked, this, [this](bool on) { source_->show_file_graph(on); });
  bar->addWidget(search_, 1);
  bar->addWidget(of_file_);
  bar->addWidget(colour_box_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(canvas_, 1);
  connect(colour_box_, &ColourBox::chosen, this, &GraphView::recolour);
  name_file_button(of_file_);
}

void GraphView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) {
    name_file_button(of_file_);
    GraphScene& scene = canvas_->scene();
    if (scene.ready()) scene.texts = vertex_texts(*scene.info, *scene.layers, *scene.folded);
    summed_ = nullptr;
    colour_box_->show_choices(*source_);
    recolour();
  }
  QWidget::changeEvent(event);
}

void GraphView::take_graph() {
  of_file_->setVisible(file_graph(*source_->snapshot()) != nullptr);
  of_file_->setChecked(source_->shows_file_graph());
  const trace::GraphId id = source_->graph_id();
  std::shared_ptr<const trace::GraphInfo> info;
  if (id.valid() && id.index() < source_->snapshot()->graphs.size()) info = source_->snapshot()->graphs[id.index()];
  if (info == canvas_->scene().info) {
    if (!recolour_timer_.isActive()) recolour_timer_.start();
    return;
  }
  GraphScene scene;
  scene.info = info;
  if (info) scene.layers = std::make_shared<const Layers>(layers_of(*info));
  canvas_->set_scene(std::move(scene));
  first_ = true;
  search_->set_graph(info.get());
  colour_box_->show_choices(*source_);
  if (!info) {
    job_.cancel();
    canvas_->set_busy({});
    return;
  }
  std::erase_if(expanded_,
                [&](int32_t layer) { return static_cast<size_t>(layer) >= canvas_->scene().layers->names.size(); });
  relayout(NodeId::none());
}

// Keeps `keep` at its screen position when the new layout is shown.
void GraphView::relayout(NodeId keep) {
  const GraphScene& scene = canvas_->scene();
  if (!scene.info) return;
  keep_ = keep;
  Q_EMIT folding_changed();
  canvas_->set_busy(tr("Laying out the graph…"));
  job_.start({scene.info, scene.layers, expanded_, shapes_, engine_});
}

void GraphView::show_picture(const std::shared_ptr<const GraphPicture>& picture) {
  if (picture->info != canvas_->scene().info) return;
  GraphScene scene = canvas_->scene();
  const auto centre_of = [&](NodeId node) -> std::optional<QPointF> {
    if (!scene.ready() || !node.valid()) return std::nullopt;
    const int32_t v = vertex_showing(*scene.info, *scene.folded, node);
    return v < 0 ? std::nullopt : std::optional(scene.rect_of(v).center());
  };
  if (!keep_.valid()) keep_ = canvas_->central_node();
  const std::optional<QPointF> before = centre_of(keep_);
  scene.folded = picture->folded;
  scene.layout = picture->layout;
  scene.texts = picture->texts;
  scene.badges = picture->badges;
  scene.vertex_styles.assign(scene.folded->vertices.size(), {});
  summed_ = nullptr;
  const std::optional<QPointF> now = centre_of(keep_);
  canvas_->set_scene(std::move(scene));
  canvas_->set_busy({});
  recolour();
  if (first_) {
    canvas_->show_overview();
    if (saved_state_) canvas_->set_view(saved_state_->scale, saved_state_->offset);
    saved_state_.reset();
  } else if (before && now) {
    canvas_->keep_position(*before, *now);
  }
  first_ = false;
  if (!canvas_->any_vertex_visible()) canvas_->show_overview();  // the previously visible part has moved
  update_marks();
  if (reveal_.valid()) {
    const GraphScene& shown = canvas_->scene();
    canvas_->show_vertex(vertex_showing(*shown.info, *shown.folded, reveal_), true);
  }
  keep_ = reveal_ = NodeId::none();
}

void GraphView::set_breakpoints(const std::set<NodeId>& nodes) {
  breakpoints_ = nodes;
  update_marks();
}

void GraphView::set_open_layers(const std::set<int32_t>& layers) {
  if (layers == expanded_ || !canvas_->scene().layers) return;
  std::vector<int32_t> changed;
  std::set_symmetric_difference(expanded_.begin(), expanded_.end(), layers.begin(), layers.end(),
                                std::back_inserter(changed));
  expanded_ = layers;
  const auto& nodes = canvas_->scene().layers->nodes;
  std::erase_if(expanded_, [&](int32_t layer) { return layer < 0 || static_cast<size_t>(layer) >= nodes.size(); });
  NodeId keep = node_of(selection_->current(), *source_->snapshot());
  if (!keep.valid() && changed.front() >= 0 && static_cast<size_t>(changed.front()) < nodes.size())
    keep = nodes[static_cast<size_t>(changed.front())].front();
  relayout(keep);
}

void GraphView::update_marks() {
  const GraphScene& scene = canvas_->scene();
  if (!scene.ready()) return;
  const Selection& selection = selection_->current();
  SceneMarks marks = scene_marks(scene, selection, breakpoints_, *source_->snapshot(), source_->plan());
  marks.hovered = canvas_->marks().hovered;
  canvas_->set_marks(std::move(marks));
  if (selection.get<LayerSelection>() == nullptr && tensor_of(selection, *source_->snapshot()).is_node() &&
      !canvas_->marks().selected.empty())
    canvas_->show_vertex(canvas_->marks().selected.front(), false);
  // Only a range of steps changes the style of vertices: nodes outside of it are dimmed.
  const bool range = selection.get<StepRangeSelection>() != nullptr;
  if (range || by_range_) recolour();
  by_range_ = range;
}

void GraphView::recolour() {
  GraphScene& scene = canvas_->scene();
  if (!scene.ready()) return canvas_->refresh();
  const Step shown = source_->live_step().valid() ? source_->live_step() : axis_->current();
  colour_box_->colour_scene(scene, *source_, shown, theme_->colours());
  apply_emphasis(scene, selection_->current(), source_->plan(), search_->matches());
  if (std::exchange(summed_, source_->snapshot()) != source_->snapshot()) sum_up_layers(scene, *summed_);
  canvas_->refresh();
}

void GraphView::set_engine(LayoutEngine engine) {
  if (std::exchange(engine_, engine) != engine) relayout(NodeId::none());
}

void GraphView::set_shapes(bool on) {
  if (std::exchange(shapes_, on) != on) relayout(NodeId::none());
}

void GraphView::find_next(int direction) {
  const TensorRef ref = search_->step(direction);
  if (!ref.valid()) return;
  const GraphScene& scene = canvas_->scene();
  selection_->select(NodeSelection{scene.info->id, ref});
  if (ref.is_node()) return reveal(NodeId(ref.index()));
  for (size_t i = 0; i < scene.info->nodes.size(); ++i) {  // a leaf tensor is shown on its first user
    const auto& sources = scene.info->nodes[i].sources;
    if (std::find(sources.begin(), sources.end(), ref) != sources.end()) return reveal(NodeId(i));
  }
}

void GraphView::reveal(NodeId node) {
  const GraphScene& scene = canvas_->scene();
  if (!scene.info || !node.valid() || node.index() >= scene.info->nodes.size()) return;
  const auto opened = expanded_.size();
  for (int32_t l = scene.layers->of_node[node.index()]; l >= 0; l = scene.layers->parents[static_cast<size_t>(l)])
    expanded_.insert(l);
  if (expanded_.size() > opened) {
    reveal_ = node;
    relayout(node);
  } else {
    if (job_.running()) reveal_ = node;
    if (scene.ready()) canvas_->show_vertex(vertex_showing(*scene.info, *scene.folded, node), true);
  }
}

void GraphView::show_selected() {
  const GraphScene& scene = canvas_->scene();
  if (selection_->current().get<LayerSelection>() == nullptr)
    return reveal(node_of(selection_->current(), *source_->snapshot()));
  if (scene.ready())
    canvas_->show_vertex(
        vertex_showing(*scene.info, *scene.folded, node_of(selection_->current(), *source_->snapshot())), true);
}

void GraphView::go_to_producer() { walk(&GraphWalk::producer); }

void GraphView::go_to_user() { walk(&GraphWalk::user); }

void GraphView::walk(NodeId (GraphWalk::*to)(const trace::GraphInfo&, NodeId)) {
  const auto& info = canvas_->scene().info;
  const NodeId from = node_of(selection_->current(), *source_->snapshot());
  const NodeId node = info && from.valid() ? (walk_.*to)(*info, from) : NodeId::none();
  if (!node.valid()) return;
  selection_->select(Selection::node(info->id, node));
  reveal(node);
}

void GraphView::set_expanded(int32_t layer, bool open) {
  const auto& layers = canvas_->scene().layers;
  if (layer < 0 || !layers || static_cast<size_t>(layer) >= layers->nodes.size()) return;
  if (open)
    expanded_.insert(layer);
  else
    expanded_.erase(layer);
  relayout(layers->nodes[static_cast<size_t>(layer)].front());
}

void GraphView::expand_all() {
  if (!canvas_->scene().layers) return;
  for (size_t i = 0; i < canvas_->scene().layers->names.size(); ++i) expanded_.insert(static_cast<int32_t>(i));
  relayout(node_of(selection_->current(), *source_->snapshot()));
}

void GraphView::collapse_all() {
  expanded_.clear();
  first_ = true;
  relayout(node_of(selection_->current(), *source_->snapshot()));
}

void GraphView::toggle_layer() {
  const NodeId node = node_of(selection_->current(), *source_->snapshot());
  const auto& layers = canvas_->scene().layers;
  if (!node.valid() || !layers || node.index() >= layers->of_node.size()) return;
  int32_t layer = layers->of_node[node.index()];
  if (const auto* chosen = selection_->current().get<LayerSelection>())
    if (const auto at = std::find(layers->names.begin(), layers->names.end(), chosen->name); at != layers->names.end())
      layer = static_cast<int32_t>(at - layers->names.begin());
  const int32_t closed = closed_layer(*layers, expanded_, layer);
  if (layer >= 0) set_expanded(closed >= 0 ? closed : layer, closed >= 0);
}

void GraphView::paint(QPainter* painter, QSize size) {
  const GraphScene& scene = canvas_->scene();
  const ThemeColours& colours = theme_->colours();
  painter->fillRect(QRect({0, 0}, size), colours.background);
  if (!scene.ready() || scene.layout->bounds.isEmpty()) return;
  recolour();  // with the theme of the exported image
  const QRectF bounds = scene.layout->bounds.adjusted(-12, -12, 12, 12);
  const double scale = std::min({size.width() / bounds.width(), size.height() / bounds.height(), 2.0});
  painter->save();
  painter->translate(QPointF(size.width(), size.height()) / 2 - bounds.center() * scale);
  painter->scale(scale, scale);
  paint_scene(*painter, scene, canvas_->marks(), colours, bounds, std::max(scale, 0.5));
  painter->restore();
}

}  // namespace arenascope::views
