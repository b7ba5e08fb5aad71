// SPDX-License-Identifier: GPL-3.0-or-later
#include "flame_view.h"

#include <views/common/flame_text.h>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QHBoxLayout>
#include <QMenu>
#include <QPainter>
#include <QVBoxLayout>

#include <algorithm>

namespace arenascope::views {

using trace::FlameKind;
using trace::FlameWeight;

namespace {

constexpr int kRefreshMs = 300;  // during a run
constexpr size_t kMaxLinks = 6;  // links at the end of the path

FlameDataPtr make_data(SnapshotPtr snapshot, const ComparisonPtr& comparison, FlameWeight weight,
                       std::optional<trace::TimeRange> range, trace::FlameStacks stacks) {
  auto data = std::make_shared<FlameData>();
  data->weight = weight;
  data->tree = trace::flame_tree(*snapshot, weight, range, stacks);
  // The times of a range have no counterpart in the other document.
  if (comparison && !range && !data->tree.empty())
    data->in_other = trace::totals_in(trace::flame_tree(*comparison->other.snapshot, weight, {}, stacks), data->tree);
  data->snapshot = std::move(snapshot);
  return data;
}

}  // namespace

FlameView::FlameView(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  setObjectName(QStringLiteral("flame_view"));
  build();
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &FlameView::prepare);
  connect(&preparing_, &Background::done, this,
          [this](const Background::Result& shown) { take(std::static_pointer_cast<const FlameData>(shown)); });
  connect(&matching_, &Background::done, this, [this](const Background::Result& result) {
    const auto found = std::static_pointer_cast<const FlameMatch>(result);
    const bool fits =
        canvas_->data() && (found->matched.empty() || found->matched.size() == canvas_->data()->tree.frames.size());
    if (!fits) return;
    canvas_->set_match(*found);
    found_->setText(search_->text().trimmed().isEmpty() ? QString()
                    : found->frames == 0                ? tr("no match")
                                         : tr("%n frame(s), %1", nullptr, static_cast<int>(found->frames))
                                               .arg(QStringLiteral("%1 %").arg(found->share * 100, 0, 'f', 1)));
  });
  connect(weights_, &QComboBox::activated, this, [this] {
    chosen_weight_ = weight();
    canvas_->zoom_to(0);
    prepare();
    Q_EMIT choice_changed();
  });
  connect(libraries_, &QToolButton::toggled, this, [this] {
    prepare_soon();
    Q_EMIT choice_changed();
  });
  connect(clear_range_, &QToolButton::clicked, this, [this] {
    context_.selection->clear();
    follow_range();
  });
  connect(icicle_, &QToolButton::toggled, canvas_, &FlameCanvas::set_icicle);
  connect(search_, &QLineEdit::textChanged, this, &FlameView::match);
  connect(path_, &QLabel::linkActivated, this, [this](const QString& link) { canvas_->zoom_to(link.toUInt()); });
  connect(canvas_, &FlameCanvas::zoom_changed, this, &FlameView::show_path);
  connect(canvas_, &FlameCanvas::chosen, this, &FlameView::choose);
  connect(context_.theme, &Theme::changed, this, &FlameView::show_legend);
  listen();
  retranslate();
  fill_weights();
}

void FlameView::build() {
  weights_ = new QComboBox(this);
  weights_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  icicle_ = new QToolButton(this);
  icicle_->setCheckable(true);
  icicle_->setChecked(true);
  libraries_ = new QToolButton(this);
  libraries_->setCheckable(true);
  clear_range_ = new QToolButton(this);
  clear_range_->setAutoRaise(true);
  clear_range_->hide();
  search_ = new QLineEdit(this);
  search_->setClearButtonEnabled(true);
  search_->setMaximumWidth(220);
  found_ = new QLabel(this);
  path_ = new QLabel(this);
  path_->setTextFormat(Qt::RichText);
  path_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  path_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  legend_ = new QLabel(this);
  canvas_ = new FlameCanvas(context_.theme, this);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 3, 6, 3);
  bar->setSpacing(6);
  bar->addWidget(weights_);
  bar->addWidget(icicle_);
  bar->addWidget(libraries_);
  bar->addWidget(clear_range_);
  bar->addWidget(path_, 1);
  for (QWidget* widget : std::initializer_list<QWidget*>{legend_, found_, search_}) bar->addWidget(widget);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(canvas_, 1);
  setFocusProxy(canvas_);
}

void FlameView::retranslate() {
  weights_->setAccessibleName(tr("Weight of the flame graph"));
  weights_->setToolTip(tr("The width of a frame"));
  icicle_->setText(tr("Icicle"));
  icicle_->setToolTip(tr("Callers above their callees; a flame graph has them below"));
  clear_range_->setText(tr("Selected range only  ✕"));
  clear_range_->setToolTip(tr("Show all frames again"));
  libraries_->setText(tr("Library Frames"));
  libraries_->setToolTip(tr("Frames of PyTorch, the interpreter and the C and C++ libraries"));
  search_->setPlaceholderText(tr("Highlight frames"));
  search_->setAccessibleName(tr("Highlight frames whose name contains this text"));
  path_->setAccessibleName(tr("Path of the zoomed frame"));
  canvas_->setAccessibleName(tr("Flame Graph"));
  canvas_->setAccessibleDescription(tr("Frames as boxes as wide as their weight. The table has the same content."));
  canvas_->set_empty_text(tr("This file contains no call stacks, spans or times of nodes."));
  show_legend();
  for (int i = 0; i < weights_->count(); ++i)
    weights_->setItemText(i, FlameText::weight(static_cast<FlameWeight>(weights_->itemData(i).toInt())));
  show_path();
}

void FlameView::show_legend() {
  const ThemeColours& colours = context_.theme->colours();
  const auto chip = [&](Role role, const QString& text) {
    return QStringLiteral("<span style=\"color:%1\">■</span> %2").arg(colours[role].name(), text.toHtmlEscaped());
  };
  legend_->setText(chip(Role::Wait, tr("more than in B")) + QStringLiteral("&nbsp; ") +
                   chip(Role::Work, tr("less than in B")));
}

void FlameView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QWidget::changeEvent(event);
}

void FlameView::listen() {
  QObject* connections = connections_.reset();
  connect(context_.source, &SessionSource::session_replaced, connections, [this] {
    chosen_weight_.reset();
    preparing_.cancel();
    canvas_->set_data(nullptr);
  });
  connect(context_.source, &SessionSource::changed, connections, [this] { prepare_soon(); });
  connect(context_.source, &SessionSource::comparison_changed, connections, [this] { prepare_soon(); });
  connect(context_.selection, &SelectionModel::current_changed, connections, [this] {
    follow_range();
    show_selection();
  });
}

FlameView::ViewState FlameView::view_state() const {
  if (saved_) return *saved_;
  const FlameDataPtr& shown = canvas_->data();
  return {chosen_weight_, canvas_->icicle(), libraries_->isChecked(),
          shown ? path_of(shown->tree, canvas_->zoomed()) : QStringList(), search_->text()};
}

void FlameView::set_context(const ViewContext& context, const ViewState& state) {
  Theme* theme = context_.theme;
  context_ = context;
  context_.theme = theme;
  listen();
  preparing_.cancel();
  canvas_->set_data(nullptr);
  saved_ = state;
  chosen_weight_ = state.weight;
  icicle_->setChecked(state.icicle);
  libraries_->setChecked(state.libraries);
  search_->setText(state.search);
  fill_weights();
  follow_range();
  prepare_soon();
  Q_EMIT choice_changed();
}

std::optional<FlameWeight> FlameView::weight() const {
  if (weights_->currentIndex() < 0) return std::nullopt;
  return static_cast<FlameWeight>(weights_->currentData().toInt());
}

trace::FlameStacks FlameView::stacks() const {
  return libraries_->isChecked() ? trace::FlameStacks::All : trace::FlameStacks::User;
}

// The weights that the document has; the chosen one stays.
void FlameView::fill_weights() {
  const std::optional<FlameWeight> before = weight();
  const std::vector<FlameWeight> all = trace::flame_weights(*context_.source->snapshot());
  const auto is_listed = [&](size_t i) {
    return weights_->itemData(static_cast<int>(i)).toInt() == static_cast<int>(all[i]);
  };
  bool same = static_cast<size_t>(weights_->count()) == all.size();
  for (size_t i = 0; same && i < all.size(); ++i) same = is_listed(i);
  if (!same) {  // an open list stays as it is during a run
    weights_->clear();
    for (const FlameWeight w : all) weights_->addItem(FlameText::weight(w), static_cast<int>(w));
  }
  const bool has_chosen = chosen_weight_ && std::ranges::find(all, *chosen_weight_) != all.end();
  const std::optional<FlameWeight> now = has_chosen ? chosen_weight_ : preferred_weight(*context_.source->snapshot());
  weights_->setCurrentIndex(now ? weights_->findData(static_cast<int>(*now)) : -1);
  weights_->setEnabled(!all.empty());
  libraries_->setVisible(now && trace::unit_of(*now) == trace::FlameUnit::Bytes);
  if (now != before) Q_EMIT choice_changed();
}

void FlameView::prepare_soon() {
  stale_ = true;
  if (isVisible() && !timer_.isActive()) timer_.start(context_.source->live() ? kRefreshMs : 0);
}

void FlameView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) prepare_soon();
}

void FlameView::prepare() {
  stale_ = false;
  fill_weights();
  const std::optional<FlameWeight> now = weight();
  if (!now) return take(nullptr);
  preparing_.request([snapshot = context_.source->snapshot(), comparison = context_.source->comparison(), now,
                      range = range_, stacks = stacks()](std::stop_token) -> Background::Result {
    return make_data(snapshot, comparison, *now, range, stacks);
  });
}

void FlameView::prepare_now() {
  preparing_.cancel();
  timer_.stop();
  stale_ = false;
  fill_weights();
  const std::optional<FlameWeight> now = weight();
  take(now ? make_data(context_.source->snapshot(), context_.source->comparison(), *now, range_, stacks()) : nullptr);
}

void FlameView::take(FlameDataPtr shown) {
  canvas_->set_data(std::move(shown));
  if (saved_ && canvas_->data()) canvas_->zoom_to(frame_on_path(canvas_->data()->tree, saved_->zoomed));
  if (canvas_->data()) saved_.reset();
  legend_->setVisible(canvas_->data() && !canvas_->data()->in_other.empty());
  match();
  show_selection();
}

void FlameView::match() {
  if (!canvas_->data()) return found_->clear();
  matching_.request([shown = canvas_->data(), text = search_->text()](std::stop_token) -> Background::Result {
    return std::make_shared<FlameMatch>(match_frames(shown->tree, text));
  });
}

void FlameView::follow_range() {
  const auto* time = context_.selection->current().get<TimeRangeSelection>();
  const auto range = time == nullptr ? std::nullopt : std::optional(trace::TimeRange{time->begin, time->end});
  if (choosing_ || range == range_) return;
  range_ = range;
  clear_range_->setVisible(range_.has_value());
  prepare_soon();
  Q_EMIT choice_changed();
}

void FlameView::show_path() {
  const FlameDataPtr& shown = canvas_->data();
  QStringList links;
  for (uint32_t frame = canvas_->zoomed(); shown && !shown->tree.empty(); frame = shown->tree.frames[frame].parent) {
    const QString name = fontMetrics().elidedText(FlameText::name(shown->tree, frame), Qt::ElideMiddle, 220);
    const bool here = links.isEmpty(), cut = frame != 0 && links.size() + 1 >= static_cast<qsizetype>(kMaxLinks);
    if (!cut) {
      links.prepend(here ? name.toHtmlEscaped()
                         : QStringLiteral("<a href=\"%1\">%2</a>").arg(frame).arg(name.toHtmlEscaped()));
    } else if (links.front() != u"…") {
      links.prepend(QStringLiteral("…"));
    }
    if (frame == 0) break;
  }
  path_->setText(links.join(QStringLiteral(" › ")));
}

// The frame of a node or layer that was selected in another view is the current one.
void FlameView::show_selection() {
  const FlameDataPtr& shown = canvas_->data();
  if (!shown || choosing_) return;
  const Selection& selection = context_.selection->current();
  const auto* node = selection.get<NodeSelection>();
  const auto* layer = selection.get<LayerSelection>();
  const auto is_selected = [&](const trace::FlameFrame& frame) {
    const auto* of = std::get_if<trace::FlameOfGraph>(&frame.origin);
    if (of == nullptr) return false;
    if (node != nullptr)
      return of->node.valid() && of->graph == node->graph && node->tensor == trace::TensorRef::node(of->node);
    return frame.kind == FlameKind::Layer && of->graph == layer->graph && shown->tree.layer(frame) == layer->name;
  };
  const auto& frames = shown->tree.frames;
  const auto found = node == nullptr && layer == nullptr ? frames.end() : std::ranges::find_if(frames, is_selected);
  canvas_->set_current(found == frames.end() ? 0 : static_cast<uint32_t>(found - frames.begin()));
}

void FlameView::choose(uint32_t frame) {
  const Selection selection = selection_of(*canvas_->data()->snapshot, canvas_->data()->tree, frame);
  if (selection.empty()) return;
  choosing_ = true;
  context_.selection->select(selection);
  choosing_ = false;
}

void FlameView::add_context_menu_actions(QMenu& menu) {
  const FlameDataPtr shown = canvas_->data();
  if (!shown || shown->tree.empty()) return;
  const uint32_t frame = canvas_->current();
  const auto copy = [](const QString& text) { QApplication::clipboard()->setText(text); };
  menu.addSeparator();
  QAction* zoom = menu.addAction(tr("Zoom to Frame"), canvas_, [this, frame] { canvas_->zoom_to(frame); });
  zoom->setEnabled(frame != canvas_->zoomed());
  QAction* reset = menu.addAction(tr("Reset Zoom"), canvas_, [this] { canvas_->zoom_to(0); });
  reset->setEnabled(canvas_->zoomed() != 0);
  menu.addAction(tr("Copy Folded Stacks"), this,
                 [shown, copy, from = canvas_->zoomed()] { copy(folded_stacks(shown->tree, from)); });
  menu.addAction(tr("Copy Frames as CSV"), this,
                 [shown, copy, from = canvas_->zoomed()] { copy(flame_csv(shown->tree, from)); });
  menu.addSeparator();
}

void FlameView::paint(QPainter* painter, QSize size) {
  prepare_now();
  painter->save();
  painter->setClipRect(QRect({0, 0}, size));
  canvas_->draw(*painter, size);
  painter->restore();
}

}  // namespace arenascope::views
