// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/base/step_number.h>
#include <views/common/format.h>
#include <views/common/layer_nodes.h>
#include <views/inspector/breadcrumbs.h>

#include <QEvent>
#include <algorithm>

namespace arenascope::views {

Breadcrumbs::Breadcrumbs(SessionSource* source, SelectionModel* selection, SharedAxis* axis, Theme* theme,
                         QWidget* parent)
    : QLabel(parent), source_(source), selection_(selection), axis_(axis), theme_(theme) {
  setTextFormat(Qt::RichText);
  setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  setWordWrap(true);
  setContentsMargins(8, 3, 8, 3);
  timer_.setSingleShot(true);
  timer_.setInterval(80);
  connect(&timer_, &QTimer::timeout, this, &Breadcrumbs::show_path);
  listen();
  connect(theme_, &Theme::changed, this, [this] {
    crumbs_.clear();
    show_path();
  });
  connect(this, &QLabel::linkActivated, this, [this](const QString& link) { follow(link.toUInt()); });
  show_path();
}

void Breadcrumbs::listen() {
  QObject* connections = connections_.reset();
  connect(source_, &SessionSource::changed, connections, [this] { show_path(); });
  connect(selection_, &SelectionModel::current_changed, connections, [this] { show_path(); });
  connect(axis_, &SharedAxis::range_changed, connections, [this] {
    if (!timer_.isActive()) timer_.start();
  });
}

void Breadcrumbs::set_context(const ViewContext& context) {
  source_ = context.source;
  selection_ = context.selection;
  axis_ = context.axis;
  listen();
  crumbs_.clear();
  show_path();
}

Crumb Breadcrumbs::layer_around(int32_t step) const {
  const trace::PlanInfo* plan = source_->plan();
  const trace::GraphInfo* graph = source_->graph();
  if (plan == nullptr || graph == nullptr || step < 0 || static_cast<size_t>(step) >= plan->order.size()) return {};
  const auto layer_of = [&](int32_t s) -> const std::string& {
    static const std::string none;
    const NodeId node = plan->order[static_cast<size_t>(s)];
    return node.index() < graph->nodes.size() ? graph->nodes[node.index()].layer : none;
  };
  const std::string& layer = layer_of(step);
  if (layer.empty()) return {};
  int32_t first = step, last = step + 1;
  while (first > 0 && layer_of(first - 1) == layer) --first;
  while (static_cast<size_t>(last) < plan->order.size() && layer_of(last) == layer) ++last;
  LayerSelection all{source_->graph_id(), layer, nodes_in_layer(*graph, layer)};
  return {QString::fromStdString(layer), std::move(all), Step(first), Step(last)};
}

std::vector<Crumb> Breadcrumbs::path() const {
  const trace::GraphInfo* graph = source_->graph();
  const trace::Snapshot& s = *source_->snapshot();
  if (graph == nullptr && s.event_count == 0) return {};
  std::vector<Crumb> path{
      {graph != nullptr && !graph->model.empty() ? QString::fromStdString(graph->model) : tr("All"), {}, {}, {}}};
  const Selection& now = selection_->current();
  const trace::TensorRef ref = tensor_of(now, s);
  if (ref.is_node() && graph != nullptr && ref.index() < graph->nodes.size()) {
    int32_t step = -1;
    if (const trace::PlanInfo* plan = source_->plan()) {
      const auto it = std::find(plan->order.begin(), plan->order.end(), NodeId(ref.index()));
      if (it != plan->order.end()) step = static_cast<int32_t>(it - plan->order.begin());
    }
    if (Crumb layer = layer_around(step); !layer.text.isEmpty()) path.push_back(std::move(layer));
    Crumb node{tensor_title(graph->nodes[ref.index()], ref),
               Selection::node(source_->graph_id(), NodeId(ref.index())),
               {},
               {}};
    if (step >= 0) node.first = Step(step), node.last = Step(step + 1);
    path.push_back(std::move(node));
  } else if (ref.is_leaf() && graph != nullptr && ref.index() < graph->leafs.size()) {
    path.push_back({tensor_title(graph->leafs[ref.index()], ref), now, {}, {}});
  }
  if (const auto* event = now.get<EventSelection>()) {
    if (event->span.track.index() < s.tracks.size())
      path.push_back({QString::fromStdString(s.tracks[event->span.track.index()].info.name), now, {}, {}});
  } else if (const auto* block = now.get<BlockSelection>()) {
    path.push_back({tr("block %1").arg(block->block.index()), now, {}, {}});
  } else if (const auto* steps = now.get<StepRangeSelection>()) {
    path.push_back({tr("steps %1 to %2").arg(step_number(steps->first)).arg(last_step_number(steps->last)), now,
                    steps->first, steps->last});
  } else if (const auto* layer = now.get<LayerSelection>()) {
    const auto of_layer = steps_of(*layer, source_->plan());
    path.push_back({QString::fromStdString(layer->name), now, of_layer ? of_layer->first : Step(),
                    of_layer ? of_layer->last : Step()});
  } else if (const auto* time = now.get<TimeRangeSelection>()) {
    path.push_back({tr("%1 of time").arg(format_ns(time->end - time->begin)), now, {}, {}});
  } else if (const auto* bytes = now.get<AddressRangeSelection>()) {
    path.push_back({tr("bytes %1 to %2").arg(format_address(bytes->first), format_address(bytes->last)), now, {}, {}});
  } else if (const auto* allocation = now.get<AllocationSelection>()) {
    path.push_back({tr("allocation at %1").arg(format_address(static_cast<Bytes>(allocation->address))), now, {}, {}});
  } else if (path.size() == 1 && axis_->range() != axis_->limits() && axis_->steps() > 0) {
    const auto [first, last] = axis_->visible_steps();
    path.push_back(
        {tr("steps %1 to %2").arg(step_number(first)).arg(std::max(last_step_number(last), step_number(first))),
         {},
         first,
         last});
  }
  return path;
}

void Breadcrumbs::show_path() {
  std::vector<Crumb> now = path();
  if (now == crumbs_ && !now.empty()) return;
  crumbs_ = std::move(now);
  setVisible(crumbs_.size() > 1);  // hidden if only the whole model is in the path
  const ThemeColours& colours = theme_->colours();
  QString html;
  for (size_t i = 0; i < crumbs_.size(); ++i) {
    const QString text = crumbs_[i].text.toHtmlEscaped();
    if (i > 0) html += QStringLiteral("<span style='color:%1'> › </span>").arg(colours.dim_text.name());
    html += i + 1 < crumbs_.size() ? QStringLiteral("<a href='%1' style='color:%2;text-decoration:none'>%3</a>")
                                         .arg(i)
                                         .arg((colours.dark ? colours.category(4) : colours.category(0)).name(), text)
                                   : QStringLiteral("<b>%1</b>").arg(text);
  }
  setText(html);
  setAccessibleName(tr("Selection path"));
  setToolTip(tr("Click a level to select and frame it"));
}

void Breadcrumbs::follow(size_t crumb) {
  if (crumb >= crumbs_.size()) return;
  const Crumb to = crumbs_[crumb];
  selection_->select(to.selection);
  if (to.first.valid() && to.last.valid())
    axis_->frame_steps(to.first, to.last);
  else if (to.selection.empty())
    axis_->frame_all();
}

void Breadcrumbs::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) {
    crumbs_.clear();
    show_path();
  }
  QLabel::changeEvent(event);
}

}  // namespace arenascope::views
