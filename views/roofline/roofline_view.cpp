// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/roofline/roofline_view.h>

#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace arenascope::views {

namespace {

constexpr int kRooflineRefreshMs = 500;  // during a run

RooflineDataPtr roofline_data(SnapshotPtr snapshot, trace::GraphId graph) {
  auto data = std::make_shared<RooflineData>();
  data->roofline = trace::roofline_of(*snapshot, graph);
  data->snapshot = std::move(snapshot);
  return data;
}

QLabel* text_label(QWidget* parent) {
  auto* label = new QLabel(parent);
  label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  return label;
}

}  // namespace

RooflineView::RooflineView(const ViewContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  setObjectName(QStringLiteral("roofline_view"));
  build();
  timer_.setSingleShot(true);
  connect(&timer_, &QTimer::timeout, this, &RooflineView::prepare);
  connect(&preparing_, &Background::done, this,
          [this](const Background::Result& result) { take(std::static_pointer_cast<const RooflineData>(result)); });
  connect(measure_, &QPushButton::clicked, this, &RooflineView::measure_requested);
  connect(missing_, &QLabel::linkActivated, this, &RooflineView::missing_requested);
  connect(canvas_, &RooflineCanvas::chosen, this,
          [this](NodeId node) { context_.selection->select(Selection::node(canvas_->data()->roofline.graph, node)); });
  connect(canvas_, &RooflineCanvas::hovered, this, [this](NodeId node) {
    context_.selection->hover(node.valid() ? Selection::node(canvas_->data()->roofline.graph, node) : Selection());
  });
  listen();
  retranslate();
}

void RooflineView::build() {
  canvas_ = new RooflineCanvas(context_.theme, this);
  sources_ = text_label(this);
  missing_ = text_label(this);
  missing_->setTextFormat(Qt::RichText);
  missing_->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
  peaks_text_ = text_label(this);
  peaks_text_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  measure_ = new QPushButton(this);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 3, 6, 3);
  bar->setSpacing(8);
  bar->addWidget(sources_, 3);
  bar->addWidget(peaks_text_, 3);
  bar->addWidget(measure_);
  auto* below = new QHBoxLayout;
  below->setContentsMargins(8, 0, 8, 4);
  below->addWidget(missing_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(canvas_, 1);
  column->addLayout(below);
  setFocusProxy(canvas_);
}

void RooflineView::retranslate() {
  canvas_->setAccessibleName(tr("Roofline"));
  canvas_->set_empty_text(
      tr("No node has known operations, sizes and an observed time. Run the model, or open a recording of a run."));
  measure_->setToolTip(
      tr("Measures multiply-adds and memory reads of this machine for two seconds. Close other programs "
         "before: their load lowers the result."));
  show_texts();
}

void RooflineView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::LanguageChange) retranslate();
  QWidget::changeEvent(event);
}

void RooflineView::listen() {
  QObject* connections = connections_.reset();
  connect(context_.source, &SessionSource::session_replaced, connections, [this] {
    preparing_.cancel();
    take(nullptr);
  });
  connect(context_.source, &SessionSource::changed, connections, [this] { prepare_soon(); });
  connect(context_.selection, &SelectionModel::current_changed, connections, [this] { show_selection(); });
}

void RooflineView::set_context(const ViewContext& context) {
  Theme* theme = context_.theme;
  context_ = context;
  context_.theme = theme;
  listen();
  preparing_.cancel();
  take(nullptr);
  prepare_soon();
}

void RooflineView::set_peaks(const std::optional<ShownPeaks>& peaks) {
  peaks_ = peaks;
  canvas_->set_roofs(peaks ? peaks->roofs : trace::Roofs(), peaks ? peaks->processor : QString());
  show_texts();
}

void RooflineView::set_measuring(bool measuring) {
  measuring_ = measuring;
  show_texts();
}

void RooflineView::prepare_soon() {
  stale_ = true;
  if (isVisible() && !timer_.isActive()) timer_.start(context_.source->live() ? kRooflineRefreshMs : 0);
}

void RooflineView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) prepare_soon();
}

void RooflineView::prepare() {
  stale_ = false;
  preparing_.request([snapshot = context_.source->snapshot(), graph = context_.source->graph_id()](
                         std::stop_token) -> Background::Result { return roofline_data(snapshot, graph); });
}

void RooflineView::prepare_now() {
  preparing_.cancel();
  timer_.stop();
  stale_ = false;
  take(roofline_data(context_.source->snapshot(), context_.source->graph_id()));
}

void RooflineView::take(RooflineDataPtr prepared) {
  canvas_->set_data(std::move(prepared));
  show_texts();
  show_selection();
}

void RooflineView::show_texts() {
  const RooflineDataPtr& shown = canvas_->data();
  measure_->setText(peaks_ ? tr("Measure Again") : tr("Measure Peaks"));
  measure_->setEnabled(!measuring_);
  QString peaks = measuring_ ? tr("measuring…") : peaks_ ? RooflineText::peaks(*peaks_) : tr("peaks not measured");
  const QString mismatch = shown && peaks_ ? RooflineText::mismatch(shown->roofline, *peaks_) : QString();
  if (!mismatch.isEmpty()) peaks += QStringLiteral(" · ") + mismatch;
  const QString sources = shown ? RooflineText::sources(shown->roofline) : QString();
  const QString missing = shown ? RooflineText::missing(shown->roofline) : QString();
  sources_->setText(sources);
  sources_->setToolTip(sources);
  peaks_text_->setText(peaks);
  peaks_text_->setToolTip(peaks_ ? QStringLiteral("%1\n%2").arg(peaks_->processor, peaks) : peaks);
  missing_->setText(QStringLiteral("<a href=\"missing\">%1</a>").arg(missing.toHtmlEscaped()));
  missing_->setVisible(!missing.isEmpty());
}

void RooflineView::show_selection() {
  const RooflineDataPtr& shown = canvas_->data();
  const trace::TensorRef tensor = tensor_of(context_.selection->current(), *context_.source->snapshot());
  const auto* node = context_.selection->current().get<NodeSelection>();
  const bool in_graph = shown && (node == nullptr || node->graph == shown->roofline.graph);
  canvas_->set_selected(in_graph && tensor.is_node() ? NodeId(tensor.index()) : NodeId());
}

void RooflineView::paint(QPainter* painter, QSize size) {
  prepare_now();
  painter->save();
  painter->setClipRect(QRect({0, 0}, size));
  canvas_->draw(*painter, size);
  painter->restore();
}

}  // namespace arenascope::views
