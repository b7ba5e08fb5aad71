// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_view.h"

#include <QEvent>
#include <QFile>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QShortcut>
#include <QVBoxLayout>

#include <algorithm>

namespace arenascope::views {

using trace::TensorRef;

GraphView::GraphView(SessionSource* source, SelectionModel* selection, SharedAxis* axis, Theme* theme, QWidget* parent)
    : QWidget(parent), source_(source), selection_(selection), axis_(axis), theme_(theme) {
  build();
  retranslate();
  recolour_timer_.setSingleShot(true);
  recolour_timer_.setInterval(60);
  connect(&recolour_timer_, &QTimer::timeout, this, &GraphView::recolour);
  listen();
  connect(theme_, &Theme::changed, this, &GraphView::recolour);
  connect(&job_, &LayoutJob::finished, this, &GraphView::show_layout);
  connect(canvas_, &GraphCanvas::vertex_clicked, this, [this](int v) {
    const Vertex& vertex = canvas_->scene().folded->vertices[static_cast<size_t>(v)];
    const auto steps = vertex.folded ? steps_of(vertex) : std::nullopt;
    if (steps)  // a layer is a thing of its own: the steps in which it runs
      selection_->select(*steps);
    else
      selection_->select(
          Selection::node(canvas_->scene().info->id, vertex.folded ? vertex.nodes.front() : vertex.node));
  });
  connect(canvas_, &GraphCanvas::vertex_activated, this, [this](int v) {
    const Vertex& vertex = canvas_->scene().folded->vertices[static_cast<size_t>(v)];
    if (vertex.folded) set_expanded(vertex.layer, true);
  });
  connect(canvas_, &GraphCanvas::frame_activated, this, [this](int layer) { set_expanded(layer, false); });
  connect(canvas_, &GraphCanvas::leaf_clicked, this, [this](int leaf) {
    selection_->select(NodeSelection{canvas_->scene().info->id, TensorRef::leaf(LeafId(leaf))});
  });
  connect(canvas_, &GraphCanvas::background_clicked, this, [this] { selection_->clear(); });
  connect(canvas_, &GraphCanvas::vertex_hovered, this, [this](int v) {
    const GraphScene& scene = canvas_->scene();
    if (v < 0 || !scene.ready() || scene.folded->vertices[static_cast<size_t>(v)].folded)
      selection_->hover({});
    else
      selection_->hover(Selection::node(scene.info->id, scene.folded->vertices[static_cast<size_t>(v)].node));
  });
  connect(canvas_, &GraphCanvas::context_menu_wanted, this, [this](int v, const QPoint& global) {
    const GraphScene& scene = canvas_->scene();
    Selection what;
    if (v >= 0) what = Selection::node(scene.info->id, scene.folded->vertices[static_cast<size_t>(v)].nodes.front());
    Q_EMIT context_menu_wanted(what, global);
  });
  take_graph();
}

void GraphView::listen() {
  QObject* bond = bond_.renew();
  connect(source_, &SessionSource::session_replaced, bond, [this] {
    expanded_.clear();
    first_ = true;
    take_graph();
  });
  connect(source_, &SessionSource::changed, bond, [this] { take_graph(); });
  connect(axis_, &SharedAxis::current_changed, bond, [this] {
    if (!recolour_timer_.isActive()) recolour_timer_.start();
  });
  connect(selection_, &SelectionModel::current_changed, bond, [this] { update_marks(); });
  connect(selection_, &SelectionModel::hovered_changed, bond, [this] {
    const TensorRef ref = tensor_of(selection_->hovered(), *source_->snapshot());
    const GraphScene& scene = canvas_->scene();
    canvas_->marks().hovered =
        ref.is_node() && scene.ready() ? vertex_showing(*scene.info, *scene.folded, NodeId(ref.index())) : -1;
    canvas_->update();
  });
}

GraphView::Look GraphView::look() const {
  Look look{expanded_, colour_, search_->text(), 0, {}};
  if (look_) {  // not there again yet
    look.scale = look_->scale;
    look.offset = look_->offset;
  } else if (canvas_->scene().ready() && !first_) {
    look.scale = canvas_->scale();
    look.offset = canvas_->to_widget({0, 0});
  }
  return look;
}

void GraphView::set_context(const ViewContext& context, const Look& look) {
  source_ = context.source;
  selection_ = context.selection;
  axis_ = context.axis;
  listen();
  job_.cancel();
  canvas_->scene() = GraphScene{};
  canvas_->marks() = {};
  canvas_->set_busy({});
  reveal_ = keep_ = walk_from_ = NodeId::none();
  walk_targets_.clear();
  matches_.clear();
  note_->hide();
  breakpoints_.clear();
  expanded_ = look.expanded;
  colour_ = look.colour;
  colour_box_->setCurrentIndex(static_cast<int>(colour_));
  first_ = true;
  look_ = look.scale > 0 ? std::optional(look) : std::nullopt;
  const QSignalBlocker quiet(search_);
  search_->setText(look.search);
  found_->clear();
  take_graph();
}

void GraphView::build() {
  canvas_ = new GraphCanvas(theme_, this);
  colour_box_ = new QComboBox(this);
  search_ = new QLineEdit(this);
  search_->setClearButtonEnabled(true);
  found_ = new QLabel(this);
  note_ = new QLabel(this);
  note_->setWordWrap(true);
  note_->setMargin(4);
  note_->hide();
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(4, 4, 4, 4);
  bar->setSpacing(4);
  bar->addWidget(search_, 1);
  bar->addWidget(found_);
  bar->addWidget(colour_box_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(note_);
  column->addWidget(canvas_, 1);
  for (int i = 0; i < 6; ++i) colour_box_->addItem(QString());
  connect(colour_box_, &QComboBox::activated, this, [this](int i) { set_colour(static_cast<GraphColour>(i)); });
  connect(search_, &QLineEdit::textChanged, this, &GraphView::search);
  connect(search_, &QLineEdit::returnPressed, this, [this] { find_next(1); });
  auto* back = new QShortcut(QKeySequence(Qt::SHIFT | Qt::Key_Return), search_, nullptr, nullptr, Qt::WidgetShortcut);
  connect(back, &QShortcut::activated, this, [this] { find_next(-1); });
  auto* escape = new QShortcut(QKeySequence(Qt::Key_Escape), search_, nullptr, nullptr, Qt::WidgetShortcut);
  connect(escape, &QShortcut::activated, this, [this] {
    search_->clear();
    canvas_->setFocus();
  });
}

void GraphView::retranslate() {
  const QStringList colours{tr("State"), tr("Op"), tr("Backend"), tr("Mean time"), tr("Bytes"), tr("Block")};
  for (int i = 0; i < colours.size(); ++i) colour_box_->setItemText(i, colours[i]);
  colour_box_->setToolTip(tr("What the colours of the graph tell"));
  colour_box_->setAccessibleName(tr("Colour by"));
  search_->setPlaceholderText(tr("Search names and ops"));
  search_->setAccessibleName(tr("Search the graph"));
  search_->setToolTip(tr("Return: next match, Shift+Return: the one before (Ctrl+F)"));
}

void GraphView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) {
    retranslate();
    GraphScene& scene = canvas_->scene();
    if (scene.ready()) scene.texts = vertex_texts(*scene.info, scene.layers, *scene.folded);
    recolour();
  }
  QWidget::changeEvent(event);
}

NodeId GraphView::selected_node() const {
  const TensorRef ref = tensor_of(selection_->current(), *source_->snapshot());
  return ref.is_node() ? NodeId(ref.index()) : NodeId::none();
}

Step GraphView::shown_step() const { return source_->live_step().valid() ? source_->live_step() : axis_->current(); }

void GraphView::take_graph() {
  GraphScene& scene = canvas_->scene();
  const trace::GraphId id = source_->graph_id();
  std::shared_ptr<const trace::GraphInfo> info;
  if (id.valid() && id.index() < source_->snapshot()->graphs.size()) info = source_->snapshot()->graphs[id.index()];
  if (info == scene.info) {
    if (!recolour_timer_.isActive()) recolour_timer_.start();
    return;
  }
  scene = GraphScene{};
  scene.info = info;
  matches_.clear();
  first_ = true;
  if (!info) {
    job_.cancel();
    canvas_->set_busy({});
    return;
  }
  scene.layers = layers_of(*info);
  std::erase_if(expanded_, [&](int32_t layer) { return static_cast<size_t>(layer) >= scene.layers.names.size(); });
  relayout();
  search(search_->text());
}

void GraphView::relayout(NodeId keep) {
  const GraphScene& scene = canvas_->scene();
  if (!scene.info) return;
  hold_next(keep);
  Q_EMIT folding_changed();
  auto folded = std::make_shared<const FoldedGraph>(fold(*scene.info, scene.layers, expanded_));
  std::vector<QSizeF> sizes = vertex_sizes(*folded, vertex_texts(*scene.info, scene.layers, *folded));
  canvas_->set_busy(tr("Laying out the graph…"));
  job_.start(folded, sizes);
  if (!job_.running() || !scene.ready() || first_) return;
  // A layer that opens is shown where it lay until the better layout comes.
  if (auto quick = place_changes(*scene.folded, *scene.layout, *folded, sizes)) {
    const NodeId revealed = reveal_;
    const QString note = note_->text();
    show_layout(std::move(folded), std::make_shared<const GraphLayout>(std::move(*quick)), note);
    hold_next(revealed.valid() ? revealed : keep);
  }
}

std::optional<StepRangeSelection> GraphView::steps_of(const Vertex& vertex) const {
  if (source_->plan() == nullptr) return std::nullopt;
  const auto& order = source_->plan()->order;
  const auto& layer_of = canvas_->scene().layers.of_node;
  int32_t first = -1, last = -1;
  for (size_t s = 0; s < order.size(); ++s) {
    if (order[s].index() >= layer_of.size() || layer_of[order[s].index()] != vertex.layer) continue;
    if (first < 0) first = static_cast<int32_t>(s);
    last = static_cast<int32_t>(s) + 1;
  }
  if (first < 0) return std::nullopt;
  return StepRangeSelection{Step(first), Step(last)};
}

// What is at the node stays where it is on the screen when the next layout comes.
void GraphView::hold_next(NodeId node) {
  const GraphScene& scene = canvas_->scene();
  keep_ = NodeId::none();
  if (!node.valid() || !scene.ready()) return;
  if (const int32_t v = vertex_showing(*scene.info, *scene.folded, node); v >= 0) {
    keep_ = node;
    keep_at_ = scene.layout->centres[static_cast<size_t>(v)];
  }
}

void GraphView::show_layout(std::shared_ptr<const FoldedGraph> folded, std::shared_ptr<const GraphLayout> layout,
                            const QString& why) {
  GraphScene& scene = canvas_->scene();
  if (!scene.info) return;
  scene.folded = std::move(folded);
  scene.layout = std::move(layout);
  scene.texts = vertex_texts(*scene.info, scene.layers, *scene.folded);
  scene.looks.assign(scene.folded->vertices.size(), {});
  canvas_->set_busy({});
  canvas_->marks() = {};
  note_->setText(why);
  note_->setVisible(!why.isEmpty());
  Q_EMIT note(why);
  if (first_) {
    canvas_->fit_width();
    if (look_) canvas_->set_place(look_->scale, look_->offset);
    look_.reset();
    first_ = false;
  } else if (keep_.valid()) {
    if (const int32_t v = vertex_showing(*scene.info, *scene.folded, keep_); v >= 0)
      canvas_->hold(keep_at_, scene.layout->centres[static_cast<size_t>(v)]);
  }
  if (!canvas_->shows_something()) canvas_->fit_width();  // what was looked at lies elsewhere now
  recolour();
  update_marks();
  if (reveal_.valid()) canvas_->show_vertex(vertex_showing(*scene.info, *scene.folded, reveal_), true);
  keep_ = reveal_ = NodeId::none();
}

void GraphView::set_breakpoints(const std::set<NodeId>& nodes) {
  breakpoints_ = nodes;
  update_marks();
}

void GraphView::set_open_layers(const std::set<int32_t>& layers) {
  if (layers == expanded_) return;
  std::vector<int32_t> changed;
  std::set_symmetric_difference(expanded_.begin(), expanded_.end(), layers.begin(), layers.end(),
                                std::back_inserter(changed));
  expanded_ = layers;
  const auto& nodes = canvas_->scene().layers.nodes;
  std::erase_if(expanded_, [&](int32_t layer) { return layer < 0 || static_cast<size_t>(layer) >= nodes.size(); });
  NodeId keep = selected_node();
  if (!keep.valid() && changed.front() >= 0 && static_cast<size_t>(changed.front()) < nodes.size())
    keep = nodes[static_cast<size_t>(changed.front())].front();
  relayout(keep);
}

void GraphView::update_marks() {
  const GraphScene& scene = canvas_->scene();
  if (!scene.ready()) return;
  SceneMarks& marks = canvas_->marks();
  marks.selected.clear();
  marks.breakpoints.clear();
  marks.leaf = LeafId::none();
  auto add = [&](std::vector<int32_t>& to, NodeId node) {
    const int32_t v = vertex_showing(*scene.info, *scene.folded, node);
    if (v >= 0 && std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
  };
  for (NodeId node : breakpoints_) add(marks.breakpoints, node);
  const Selection& selection = selection_->current();
  const TensorRef ref = tensor_of(selection, *source_->snapshot());
  if (ref.is_node()) {
    add(marks.selected, NodeId(ref.index()));
    if (!marks.selected.empty()) canvas_->show_vertex(marks.selected.front(), false);
  } else if (ref.is_leaf()) {
    marks.leaf = LeafId(ref.index());
  } else if (const auto* block = selection.get<BlockSelection>()) {
    if (const trace::PlanInfo* plan = source_->snapshot()->plan(block->plan))
      for (const trace::SliceInfo& slice : plan->slices)
        if (slice.block == block->block && slice.tensor.is_node()) add(marks.selected, NodeId(slice.tensor.index()));
  }
  // Only a range of steps changes how vertices look: what is outside of it is dimmed. That of a layer selects its box.
  const bool range = selection.get<StepRangeSelection>() != nullptr;
  if (range && source_->plan() != nullptr) {
    const StepRangeSelection& steps = *selection.get<StepRangeSelection>();
    const auto& order = source_->plan()->order;
    const auto first = static_cast<size_t>(std::max(steps.first.value, 0));
    const int32_t v = first < order.size() ? vertex_showing(*scene.info, *scene.folded, order[first]) : -1;
    if (v >= 0 && scene.folded->vertices[static_cast<size_t>(v)].folded &&
        steps_of(scene.folded->vertices[static_cast<size_t>(v)]) == steps)
      marks.selected.push_back(v);
  }
  if (range || by_range_)
    recolour();
  else
    canvas_->update();
  by_range_ = range;
}

void GraphView::recolour() {
  GraphScene& scene = canvas_->scene();
  if (!scene.ready()) return;
  colour_scene(scene, colour_, *source_->snapshot(), source_->plan(), shown_step(), theme_->colours());
  for (size_t v = 0; v < scene.looks.size(); ++v) scene.looks[v].dimmed = scene.looks[v].match = false;
  const std::vector<trace::NodeStats> stats = source_->snapshot()->stats(scene.info->id);
  for (size_t v = 0; v < scene.folded->vertices.size(); ++v)
    if (scene.folded->vertices[v].folded)
      scene.texts[v].second = layer_summary(stats, *scene.info, scene.folded->vertices[v]);

  if (const auto* range = selection_->current().get<StepRangeSelection>();
      range != nullptr && source_->plan() != nullptr) {
    std::vector<bool> inside(scene.info->nodes.size(), false);
    const auto& order = source_->plan()->order;
    for (int32_t s = std::max(range->first.value, 0); s < range->last.value && static_cast<size_t>(s) < order.size();
         ++s)
      if (order[static_cast<size_t>(s)].index() < inside.size()) inside[order[static_cast<size_t>(s)].index()] = true;
    for (size_t v = 0; v < scene.looks.size(); ++v) {
      const auto& nodes = scene.folded->vertices[v].nodes;
      scene.looks[v].dimmed = std::none_of(nodes.begin(), nodes.end(), [&](NodeId id) { return inside[id.index()]; });
    }
  }
  for (TensorRef ref : matches_) {
    if (!ref.is_node()) continue;
    const int32_t v = vertex_showing(*scene.info, *scene.folded, NodeId(ref.index()));
    if (v >= 0) scene.looks[static_cast<size_t>(v)].match = true;
  }
  canvas_->update();
}

void GraphView::set_colour(GraphColour colour) {
  const bool other = colour != colour_;
  colour_ = colour;
  colour_box_->setCurrentIndex(static_cast<int>(colour));
  recolour();
  if (other) Q_EMIT colour_changed();
}

void GraphView::focus_search() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

void GraphView::search(const QString& text) {
  matches_.clear();
  match_ = -1;
  const GraphScene& scene = canvas_->scene();
  const std::string wanted = text.trimmed().toLower().toStdString();
  if (!wanted.empty() && scene.info) {
    auto holds = [&](const std::string& in) {
      return std::search(in.begin(), in.end(), wanted.begin(), wanted.end(),
                         [](unsigned char a, unsigned char b) { return std::tolower(a) == b; }) != in.end();
    };
    for (size_t i = 0; i < scene.info->nodes.size(); ++i)
      if (holds(scene.info->nodes[i].name) || holds(scene.info->nodes[i].op))
        matches_.push_back(TensorRef::node(NodeId(i)));
    for (size_t i = 0; i < scene.info->leafs.size(); ++i)
      if (holds(scene.info->leafs[i].name)) matches_.push_back(TensorRef::leaf(LeafId(i)));
  }
  found_->setText(wanted.empty() ? QString() : matches_.empty() ? tr("none") : QString::number(matches_.size()));
  recolour();
}

void GraphView::find_next(int direction) {
  if (matches_.empty()) return;
  const int count = static_cast<int>(matches_.size());
  match_ = match_ < 0 ? (direction > 0 ? 0 : count - 1) : (match_ + direction + count) % count;
  found_->setText(QStringLiteral("%1/%2").arg(match_ + 1).arg(count));
  const TensorRef ref = matches_[static_cast<size_t>(match_)];
  const GraphScene& scene = canvas_->scene();
  selection_->select(NodeSelection{scene.info->id, ref});
  if (ref.is_node()) {
    reveal(NodeId(ref.index()));
    return;
  }
  for (size_t i = 0; i < scene.info->nodes.size(); ++i) {  // a leaf shows on its first user
    const auto& sources = scene.info->nodes[i].sources;
    if (std::find(sources.begin(), sources.end(), ref) != sources.end()) return reveal(NodeId(i));
  }
}

void GraphView::reveal(NodeId node) {
  const GraphScene& scene = canvas_->scene();
  if (!scene.info || !node.valid() || node.index() >= scene.info->nodes.size()) return;
  const int32_t layer = scene.layers.of_node[node.index()];
  if (layer >= 0 && !expanded_.contains(layer)) {
    expanded_.insert(layer);
    reveal_ = node;
    relayout();
  } else if (scene.ready()) {
    canvas_->show_vertex(vertex_showing(*scene.info, *scene.folded, node), true);
  }
}

void GraphView::walk(const std::vector<NodeId>& targets) {
  if (targets.empty()) return;
  const NodeId target = targets[walk_at_ % targets.size()];
  selection_->select(Selection::node(canvas_->scene().info->id, target));
  reveal(target);
}

void GraphView::go_to_producer() {
  const NodeId node = selected_node();
  if (!node.valid() || !canvas_->scene().info) return;
  walk_at_ = 0;
  walk(producers(*canvas_->scene().info, node));
  walk_from_ = NodeId::none();
}

void GraphView::go_to_user() {
  const NodeId node = selected_node();
  if (!node.valid() || !canvas_->scene().info) return;
  // Pressed again on the user it led to, it goes to the next user of the same node where there are several.
  const bool again =
      walk_from_.valid() && walk_targets_.size() > 1 && node == walk_targets_[walk_at_ % walk_targets_.size()];
  if (again) {
    ++walk_at_;
  } else {
    walk_from_ = node;
    walk_targets_ = users(*canvas_->scene().info, node);
    walk_at_ = 0;
  }
  walk(walk_targets_);
}

void GraphView::set_expanded(int32_t layer, bool open) {
  const GraphScene& scene = canvas_->scene();
  if (layer < 0 || static_cast<size_t>(layer) >= scene.layers.nodes.size()) return;
  if (open)
    expanded_.insert(layer);
  else
    expanded_.erase(layer);
  relayout(scene.layers.nodes[static_cast<size_t>(layer)].front());
}

void GraphView::expand_all() {
  for (size_t i = 0; i < canvas_->scene().layers.names.size(); ++i) expanded_.insert(static_cast<int32_t>(i));
  relayout(selected_node());
}

void GraphView::collapse_all() {
  expanded_.clear();
  first_ = true;
  relayout(selected_node());
}

void GraphView::toggle_layer() {
  const NodeId node = selected_node();
  const GraphScene& scene = canvas_->scene();
  if (!node.valid() || !scene.info || node.index() >= scene.layers.of_node.size()) return;
  const int32_t layer = scene.layers.of_node[node.index()];
  if (layer >= 0) set_expanded(layer, !expanded_.contains(layer));
}

bool GraphView::save_dot(const QString& path) const {
  const GraphScene& scene = canvas_->scene();
  QFile file(path);
  if (!scene.ready() || !file.open(QIODevice::WriteOnly)) return false;
  const std::string text = dot_file(*scene.info, scene.layers, *scene.folded);
  return file.write(text.data(), static_cast<qint64>(text.size())) == static_cast<qint64>(text.size());
}

void GraphView::paint(QPainter* painter, QSize size) {
  if (job_.running()) job_.wait(30'000);
  recolour();
  const GraphScene& scene = canvas_->scene();
  const ThemeColours& colours = theme_->colours();
  painter->fillRect(QRect({0, 0}, size), colours.background);
  if (!scene.ready() || scene.layout->bounds.isEmpty()) return;
  const QRectF bounds = scene.layout->bounds.adjusted(-12, -12, 12, 12);
  const double scale = std::min({size.width() / bounds.width(), size.height() / bounds.height(), 2.0});
  painter->save();
  painter->translate(QPointF(size.width(), size.height()) / 2 - bounds.center() * scale);
  painter->scale(scale, scale);
  paint_scene(*painter, scene, canvas_->marks(), colours, bounds, std::max(scale, 0.5));
  painter->restore();
}

}  // namespace arenascope::views
