// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <views/common/rect_plottable.h>
#include <views/common/tickers.h>
#include <views/occupancy/occupancy_view.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace arenascope::views {

namespace {

// Draws text that stays readable on any background.
void draw_text(QCPPainter* p, const QRectF& box, const QString& text, const QColor& colour, const QColor& ground) {
  QColor halo = ground;
  halo.setAlpha(215);
  p->fillRect(box.adjusted(-3, 0, 3, 0), halo);
  p->setPen(colour);
  p->drawText(box, Qt::AlignLeft | Qt::AlignVCenter, text);
}

// Room for its label above the curve.
bool has_room_for_peak(const QRect& area, const QFontMetrics& metrics) { return area.height() >= 4 * metrics.height(); }

QColor layer_colour(const ThemeColours& colours, OccupancyScope scope, const OccupancyPicture::Kind& layer) {
  if (layer.unfilled) {
    QColor light = colours.kind(trace::MemoryKind::KVCache);
    light.setAlpha(90);
    return light;
  }
  if (scope == OccupancyScope::Allocators) return colours.category(layer.allocator);
  if (scope == OccupancyScope::CallSites)
    return layer.is_remainder || layer.call_site.empty() ? colours[Role::Other] : colours.category(layer.allocator - 1);
  if (scope == OccupancyScope::Devices) return colours.category(static_cast<size_t>(layer.device.value + 1));
  if (scope == OccupancyScope::Kinds) return colours.kind(layer.kind);
  switch (layer.memory_class) {
    case MemoryClass::Weights: return colours[Role::Weight];
    case MemoryClass::Cache: return colours.kind(trace::MemoryKind::KVCache);
    case MemoryClass::Gradients: return colours.category(5);
    case MemoryClass::Optimizer: return colours.category(6);
    case MemoryClass::Activations: return colours[Role::Work];
    case MemoryClass::Workspace: return colours.kind(trace::MemoryKind::Workspace);
    case MemoryClass::Other: break;
  }
  return colours[Role::Other];
}

}  // namespace

// Draws an OccupancyPicture; owned by the plot.
class OccupancyView::Curves : public PlotLayer {
 public:
  Curves(QCPAxis* x, QCPAxis* y) : PlotLayer(x, y) {}
  std::shared_ptr<const OccupancyPicture> picture;
  ThemeColours colours;

 protected:
  double px(double x) const { return mKeyAxis->coordToPixel(x); }
  double py(double y) const { return mValueAxis->coordToPixel(y); }

  // From `min` (stacked) or from zero to the top, in whole pixels.
  void fill(QCPPainter* p, const std::vector<CurveSegment>& levels, const QColor& colour, bool stacked) {
    const QRect area = clipRect();
    QColor light = colour;
    light.setAlpha(colour.alpha() / 2);
    const int floor_y = static_cast<int>(std::lround(py(0)));
    for (const CurveSegment& l : levels) {
      const int a = std::max(static_cast<int>(std::lround(px(l.x0))), area.left());
      const int b = std::min(std::max(static_cast<int>(std::lround(px(l.x1))), a + 1), area.right() + 1);
      if (b <= a) continue;
      const int top = static_cast<int>(std::lround(py(l.max)));
      const int low = static_cast<int>(std::lround(py(l.min)));
      if (stacked) {
        fill_at_once(p, QRect(a, top, b - a, std::max(low - top, 1)), colour);
      } else {
        if (low > top) fill_at_once(p, QRect(a, top, b - a, low - top), light);
        fill_at_once(p, QRect(a, low, b - a, floor_y - low), colour);
      }
    }
  }

  void outline(QCPPainter* p, const std::vector<CurveSegment>& levels, const QColor& colour, int width) {
    const QRect area = clipRect();
    int before_x = INT_MIN, before_y = 0;
    for (const CurveSegment& l : levels) {
      const int a = static_cast<int>(std::lround(std::clamp<double>(px(l.x0), area.left() - 2, area.right() + 2)));
      const int b = static_cast<int>(std::lround(std::clamp<double>(px(l.x1), area.left() - 2, area.right() + 2)));
      const int y = static_cast<int>(std::lround(py(l.max)));
      const bool joined = before_x != INT_MIN && a - before_x <= 1;
      const int from = joined ? before_y : static_cast<int>(std::lround(py(0)));
      if (a >= area.left() && a <= area.right()) {
        p->fillRect(a, std::min(from, y), width, std::abs(from - y) + width, colour);
      }
      if (b >= area.left() && a <= area.right()) {
        const int x0 = std::max(a, area.left());
        p->fillRect(x0, y, std::max(std::min(b, area.right()) - x0, 1), width, colour);
      }
      before_x = b;
      before_y = y;
    }
    if (before_x != INT_MIN && before_x >= area.left() && before_x <= area.right()) {
      const int floor_y = static_cast<int>(std::lround(py(0)));
      p->fillRect(before_x - 1, before_y, width, std::max(floor_y - before_y, 1), colour);
    }
  }

  void line(QCPPainter* p, double value, const QColor& colour, Qt::PenStyle style, double width) {
    const QRect area = clipRect();
    const double y = std::floor(py(value)) + 0.5;
    if (y < area.top() - 1 || y > area.bottom() + 1) return;
    QPen pen(colour, width, style);
    if (style == Qt::DashLine) pen.setDashPattern({6, 4});
    p->setPen(pen);
    p->drawLine(QLineF(area.left(), y, area.right(), y));
  }

  void draw(QCPPainter* p) override {
    if (!picture) return;
    p->setAntialiasing(false);
    const OccupancyPicture& o = *picture;
    if (o.scope == OccupancyScope::Arena) {
      QColor body = colours[Role::Work];
      body.setAlpha(colours.dark ? 215 : 200);
      if (o.live.empty()) {
        body.setAlpha(70);
        fill(p, o.planned, body, false);
      } else {
        fill(p, o.live, body, false);
      }
      outline(p, o.planned, o.live.empty() ? colours[Role::Work] : colours.dim_text, 1);
    } else {
      for (const auto& k : o.kinds) {
        QColor body = layer_colour(colours, o.scope, k);
        body.setAlpha(220);
        fill(p, k.stacked, body, true);
      }
      outline(p, o.reserved, colours.reserved, 2);
    }
    if (o.needed > 0) outline(p, o.planned, colours.dim_text, 1);
    if (!o.ghost.empty()) outline(p, o.ghost, colours.dim_text, 1);
    if (!o.other.empty()) outline(p, o.other, colours.category(1), 2);
    draw_lines(p, o);
    draw_peak(p, o);
  }

  void draw_lines(QCPPainter* p, const OccupancyPicture& o) {
    const QRect area = clipRect();
    if (o.bound > 0 && o.arena > 0) {  // the gap between the lower bound and the arena
      const double top = py(static_cast<double>(o.arena)), low = py(static_cast<double>(o.bound));
      if (low - top >= 1) {
        QColor shade = colours.bound;
        shade.setAlpha(26);
        fill_at_once(p, QRectF(area.left(), top, area.width(), low - top).toRect(), shade);
      }
    }
    if (o.arena > 0) line(p, static_cast<double>(o.arena), colours.reserved, Qt::SolidLine, 2);
    if (o.bound > 0) line(p, static_cast<double>(o.bound), colours.bound, Qt::DashLine, 2);
    const bool capacity_seen = o.capacity > 0 && mValueAxis->range().upper > static_cast<double>(o.capacity);
    if (capacity_seen) line(p, static_cast<double>(o.capacity), colours.capacity, Qt::DashDotLine, 2);
    if (o.ghost_arena > 0 && o.ghost_arena != o.arena)
      line(p, static_cast<double>(o.ghost_arena), colours.dim_text, Qt::DotLine, 2);
    if (o.other_arena > 0 && !o.other.empty())
      line(p, static_cast<double>(o.other_arena), colours.category(1), Qt::DotLine, 2);
  }

  void draw_peak(QCPPainter* p, const OccupancyPicture& o) {
    if (o.peak <= 0) return;
    const QRect area = clipRect();
    const double x = px(o.peak_x);
    if (x < area.left() || x > area.right()) return;
    const QFontMetrics metrics = p->fontMetrics();
    const double base = area.top() + 2;
    p->fillRect(QRectF(std::floor(x) - 2, base, 1, area.bottom() - base), colours.peak);  // the double line
    p->fillRect(QRectF(std::floor(x) + 1, base, 1, area.bottom() - base), colours.peak);
    p->setAntialiasing(true);
    p->setPen(QPen(colours.background, 1));
    p->setBrush(colours.peak);
    p->drawPolygon(QPolygonF({{x - 6, base}, {x + 6, base}, {x, base + 9}}));
    p->setAntialiasing(false);
    QString text = OccupancyView::tr("peak %1").arg(format_bytes(o.peak));
    if (!o.peak_name.empty()) text += QStringLiteral(" · ") + QString::fromStdString(o.peak_name);
    const int width = metrics.horizontalAdvance(text), h = metrics.height();
    if (!has_room_for_peak(area, metrics) || width + 24 > area.width()) return;
    double left = x + 12;
    if (left + width + 6 > area.right()) left = x - 14 - width;
    draw_text(p, QRectF(left, area.top(), width + 2, h), text, colours.text, colours.background);
  }
};

namespace {

// Used to label only the largest layer if there is room for one label.
std::vector<OccupancyPicture::Kind> largest_first(std::vector<OccupancyPicture::Kind> kinds) {
  std::stable_sort(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) { return a.at_peak > b.at_peak; });
  return kinds;
}

}  // namespace

OccupancyView::OccupancyView(const ViewContext& context, QWidget* parent)
    : PlotViewWith(context, parent),
      curves_(new Curves(x_axis(), y_axis())),
      names_(new LineLabels(x_axis(), y_axis(), [this] { return line_labels(); })) {
  y_axis()->setTicker(QSharedPointer<QCPAxisTicker>(new BytesTicker));
  start();
}

PlotView::PrepareFunction OccupancyView::prepare_function() const {
  return [state = state_, curves = plan_curves_](const PrepareInput& in, std::stop_token stop) -> PreparedPtr {
    return prepare_occupancy(in, state.scope, stop, state.plan_outline, curves.get());
  };
}

void OccupancyView::set_scope(OccupancyScope scope) {
  ViewState state = state_;
  state.scope = scope;
  set_view_state(state);
}

void OccupancyView::show_prepared(const PreparedPtr& prepared) {
  picture_ = std::static_pointer_cast<const OccupancyPicture>(prepared);
  curves_->picture = picture_;
  fit_y();
  update_header();
}

std::vector<LineLabel> OccupancyView::line_labels() const {
  std::vector<LineLabel> names;
  if (!picture_) return names;
  const ThemeColours& c = colours();
  const auto add = [&](Bytes bytes, const QString& text, const QColor& colour) {
    if (bytes > 0)
      names.push_back({static_cast<double>(bytes), text.arg(format_bytes(bytes)), format_bytes(bytes), colour});
  };
  add(picture_->capacity, tr("capacity %1"), c.capacity);
  add(picture_->arena, tr("arena %1"), c.text);
  add(picture_->bound, tr("bound %1"), c.bound);
  add(fit_under_, tr("fit %1"), c.capacity);
  return names;
}

void OccupancyView::fit_y() {
  double top =
      std::max({picture_->top, static_cast<double>(picture_->ghost_arena), static_cast<double>(picture_->other_arena)});
  for (const Bytes capacity : {picture_->capacity, dragging_ ? Bytes{0} : fit_under_})
    if (static_cast<double>(capacity) < top * 1.5) top = std::max(top, static_cast<double>(capacity));
  // Leaves room above all curves for the peak's label.
  const QRect area = plot()->axisRect()->rect();
  const QFontMetrics metrics(plot()->font());
  double air = 1.16;
  if (picture_->peak > 0 && has_room_for_peak(area, metrics))
    air = std::max(air, area.height() / static_cast<double>(area.height() - metrics.height() - 2));
  y_axis()->setRange(0, top > 0 ? top * air : 1 << 20);
  y_axis()->ticker()->setTickCount(std::clamp(plot()->axisRect()->height() / 36, 2, 8));
}

void OccupancyView::resizeEvent(QResizeEvent* event) {
  PlotView::resizeEvent(event);
  QMetaObject::invokeMethod(
      this,
      [this] {
        if (picture_) fit_y();
      },
      Qt::QueuedConnection);
}

void OccupancyView::set_fit_under(Bytes bytes) {
  if (bytes == fit_under_) return;
  fit_under_ = bytes;
  if (picture_) fit_y();
  redraw();
}

double OccupancyView::fit_line_y() const { return y_axis()->coordToPixel(static_cast<double>(fit_under_)); }

bool OccupancyView::can_drag(const QPointF& pixel, Qt::KeyboardModifiers) const {
  const QRect area = plot()->axisRect()->rect();
  return fit_under_ > 0 && area.adjusted(0, -4, 0, 4).contains(pixel.toPoint()) &&
         std::abs(pixel.y() - fit_line_y()) <= 5;
}

void OccupancyView::drag_move(const QPointF&, const QPointF& pixel) {
  dragging_ = true;
  const QRect area = plot()->axisRect()->rect();
  const double y = std::clamp<double>(pixel.y(), area.top(), area.bottom());
  fit_under_ = std::max<Bytes>(static_cast<Bytes>(y_axis()->pixelToCoord(y)), 1);
  redraw_overlay();
  Q_EMIT fit_under_dragged(fit_under_);
}

void OccupancyView::drag_end(const QPointF&) {
  if (!std::exchange(dragging_, false)) return;
  if (picture_) fit_y();
  redraw();
  Q_EMIT fit_under_set(fit_under_);
}

void OccupancyView::add_legend(HeaderContent& h) const {
  const OccupancyPicture& o = *picture_;
  const ThemeColours& c = colours();
  if (o.scope == OccupancyScope::Arena) {
    if (!o.live.empty()) h.legend.push_back({tr("live"), {c[Role::Work]}, LegendChip::Shape::Box});
    h.legend.push_back({tr("planned"), {QColor(), c.dim_text}, LegendChip::Shape::Box});
    h.legend.push_back({tr("arena"), {QColor(), c.reserved}, LegendChip::Shape::Line});
    h.legend.push_back({tr("lower bound"), {QColor(), c.bound}, LegendChip::Shape::DashedLine});
  } else {
    for (const auto& k : largest_first(o.kinds)) {
      if (k.stacked.empty()) continue;
      const QString name =
          k.at_peak > 0 ? tr("%1, %2 at the peak").arg(layer_name(k), format_bytes(k.at_peak)) : layer_name(k);
      h.legend.push_back({name, {layer_colour(c, o.scope, k)}, LegendChip::Shape::Box});
    }
    if (!o.reserved.empty())
      h.legend.push_back({tr("reserved"), {QColor(), c.reserved}, LegendChip::Shape::Line});
    else if (!o.kinds.empty())
      h.facts << tr("reserved memory not recorded");
  }
  if (!o.ghost.empty())
    h.legend.push_back({tr("previous plan"), {QColor(), c.dim_text}, LegendChip::Shape::DashedLine});
  if (!o.other.empty())
    h.legend.push_back({tr("B: compared with"), {QColor(), c.category(1)}, LegendChip::Shape::Line});
}

void OccupancyView::update_header() {
  const OccupancyPicture& o = *picture_;
  HeaderContent h;
  h.title = view_name();
  const auto bytes = [](std::string id, Bytes b) {
    return figure(std::move(id), static_cast<double>(b), FigureUnit::Bytes);
  };
  const trace::PlanId plan = context().source->plan_id();
  const bool planned = o.scope == OccupancyScope::Arena && o.live.empty();
  h.facts << (planned ? tr("planned") : o.derived ? tr("addresses observed, times derived") : tr("observed"));
  if (o.peak > 0) {
    const Figure peak = bytes(o.peak_id, o.peak);
    const Figure step = figure(o.peak_step_id, o.peak_step.value, FigureUnit::Step);
    h.add(o.peak_step.valid() ? with_figures(tr("peak %1 at step %2"), {peak, step})
                              : with_figures(tr("peak %1"), {peak}));
  }
  // Live bytes are not aligned, so the lower bound may exceed their peak.
  const bool padded = o.scope == OccupancyScope::Arena && o.peak > 0 && o.bound > o.peak;
  if (o.bound > 0)
    h.add(with_figures(padded ? tr("lower bound %1 with alignment") : tr("lower bound %1"),
                       {bytes(plan_figure(plan, "lower_bound"), o.bound)}));
  if (o.bound > 0 && o.arena > 0) {
    const double share = static_cast<double>(o.gap()) / static_cast<double>(o.bound);
    if (o.gap() == 0)
      h.facts << tr("equals lower bound");
    else
      h.add(with_figures(tr("gap %1, %2"), {bytes(plan_figure(plan, "gap"), o.gap()),
                                            figure(plan_figure(plan, "gap_share"), share, FigureUnit::Share)}));
  }
  if (o.resident > 0) {
    const trace::RunId run = context().source->run();
    const std::string of = run.valid() ? run_figure(run, "") : "recording.";
    const Figure resident = bytes(of + "resident", o.resident);
    if (!o.outside)
      h.add(with_figures(tr("resident %1"), {resident}));
    else if (*o.outside >= 0)
      h.add(with_figures(tr("resident %1, outside all allocators %2"), {resident, bytes(of + "outside", *o.outside)}));
    else
      h.add(
          with_figures(tr("resident %1, reserved but untouched %2"), {resident, bytes(of + "untouched", -*o.outside)}));
  }
  if (o.filled > 0) h.add(with_figures(tr("KV cache filled up to %1"), {bytes(o.filled_id, o.filled)}));
  if (o.needed > 0) h.add(with_figures(tr("plan would need %1"), {bytes(plan_figure(plan, "arena"), o.needed)}));
  if (o.capacity > 0) h.add(with_figures(tr("capacity %1"), {bytes(plan_figure(plan, "capacity"), o.capacity)}));
  if (!o.other.empty()) h.add(with_figures(tr("B: peak %1"), {bytes(o.other_peak_id, o.other_peak)}));
  if (!o.ghost.empty()) h.add(with_figures(tr("previous arena %1"), {bytes(o.ghost_id, o.ghost_arena)}));
  add_legend(h);
  set_header(std::move(h));
}

void OccupancyView::restyle() {
  curves_->colours = colours();
  names_->set_ground(colours().background);
  if (picture_) update_header();
}

CursorReadout OccupancyView::readout_at(const QPointF& pixel) const {
  const SessionSource& source = *context().source;
  return CursorReadout(*source.snapshot(), source.run(), source.plan(), source.shown_plan() != nullptr,
                       context().axis->frame(), x_axis()->pixelToCoord(pixel.x()));
}

std::optional<Step> OccupancyView::step_under(const QPointF& pixel) const {
  const SharedAxis& axis = *context().axis;
  if (!plot()->axisRect()->rect().contains(pixel.toPoint()) || axis.steps() == 0) return std::nullopt;
  return readout_at(pixel).step();
}

Selection OccupancyView::pick(const QPointF& pixel) const {
  const auto step = step_under(pixel);
  const trace::GraphInfo* graph = context().source->graph();
  if (!step || !graph) return {};
  const trace::PlanInfo* plan = context().source->plan();
  const NodeId node = plan && step->index() < plan->order.size() ? plan->order[step->index()] : NodeId(step->value);
  if (!node.valid() || node.index() >= graph->nodes.size()) return {};
  return Selection::node(graph->id, node);
}

// "step 12 · conv1  CONV_2D"
FigureText OccupancyView::tip_of_step(const CursorReadout& readout, const Selection& node) const {
  FigureText text = with_figures(tr("step %1"), {readout.step_figure()});
  const auto* selected = node.get<NodeSelection>();
  const auto* t = selected ? context().source->snapshot()->tensor(selected->graph, selected->tensor) : nullptr;
  return t ? text.add(title_text(*t, selected->tensor), QStringLiteral(" · ")) : text;
}

// The value of the other side of the comparison at the same x.
FigureText OccupancyView::tip_of_other(double x) const {
  const ComparisonPtr& comparison = context().source->comparison();
  if (!comparison) return {};
  const ComparisonSide& other = comparison->other;
  const AxisFrame frame =
      comparison->frame(context().axis->frame(), context().source->snapshot()->run(context().source->run()));
  const CursorReadout readout(*other.snapshot, other.run, other.plan.get(), false, frame, x);
  Figure live = readout.live();
  if (other.snapshot->run(other.run) == nullptr) live = readout.planned();
  live.id = other_figure(live.id);
  return with_parts(tr("B: %1"), {exact_text(live.id, static_cast<Bytes>(live.value))});
}

FigureText OccupancyView::tip_of_layer(const CursorReadout& readout, const OccupancyPicture::Kind& layer) const {
  const auto layer_bytes = [&](bool rest) {
    const trace::SeriesView* filled = context().source->snapshot()->series_of(trace::CounterRole::CacheFilled);
    const bool classes = picture_->scope == OccupancyScope::Classes;
    const bool kinds = picture_->scope == OccupancyScope::Kinds;
    if (filled != nullptr &&
        ((classes && layer.memory_class == MemoryClass::Cache) || (kinds && layer.kind == trace::MemoryKind::KVCache)))
      return readout.filled(trace::MemoryKind::KVCache, rest);
    switch (picture_->scope) {
      case OccupancyScope::Allocators: return readout.of_allocator(layer.allocator);
      case OccupancyScope::Devices: return readout.of_device(layer.device);
      case OccupancyScope::Classes: return readout.of_class(layer.memory_class);
      default: return readout.active(layer.kind);
    }
  };
  const Figure bytes = layer_bytes(layer.unfilled);
  return with_parts(tr("%1: %2"),
                    {name_text(layer_name(layer)), exact_text(bytes.id, static_cast<Bytes>(bytes.value))});
}

FigureText OccupancyView::tip(const QPointF& pixel) const {
  if (!picture_ || !plot()->axisRect()->rect().contains(pixel.toPoint())) return {};
  const OccupancyPicture& o = *picture_;
  const CursorReadout readout = readout_at(pixel);
  FigureText text;
  if (step_under(pixel)) text = tip_of_step(readout, pick(pixel));
  const auto add = [&](const QString& pattern, const Figure& f) {
    if (!f.text.isEmpty()) text.line(with_parts(pattern, {exact_text(f.id, static_cast<Bytes>(f.value))}));
  };
  if (o.scope == OccupancyScope::Arena) {
    if (!o.live.empty()) add(tr("live: %1"), readout.live());
    add(tr("planned: %1"), readout.planned());
    if (!o.other.empty()) text.line(tip_of_other(x_axis()->pixelToCoord(pixel.x())));
    const Figure planned = readout.planned();
    if (o.arena > 0 && !o.live.empty()) add(tr("unused in the arena: %1"), readout.unused());
    if (o.arena > 0 && o.live.empty() && !planned.text.isEmpty())
      add(tr("unused in the arena: %1"),
          figure(step_figure(context().source->plan_id(), readout.step()->value, "unused"),
                 std::max(0.0, static_cast<double>(o.arena) - planned.value), FigureUnit::Bytes));
    return text;
  }
  if (o.scope == OccupancyScope::CallSites) {
    // Names the layer under the pointer; the auditor has no bytes by call site at a time.
    const double x = x_axis()->pixelToCoord(pixel.x()), y = y_axis()->pixelToCoord(pixel.y());
    const auto under = std::ranges::find_if(o.kinds, [&](const auto& k) { return y <= value_at(k.stacked, x); });
    if (under != o.kinds.end()) text.line(name_text(layer_name(*under)));
  } else {
    for (const auto& k : o.kinds) text.line(tip_of_layer(readout, k));
  }
  if (o.needed > 0) add(tr("planned: %1"), readout.planned());
  if (!o.reserved.empty()) add(tr("reserved: %1"), readout.reserved());
  return text;
}

void OccupancyView::draw_overlay(QCPPainter* painter) {
  draw_selected_ranges(painter);
  if (fit_under_ <= 0) return;
  // The memory limit, with a handle at its left end.
  const QRect area = plot()->axisRect()->rect();
  const double y = std::floor(fit_line_y()) + 0.5;
  if (y < area.top() - 1 || y > area.bottom() + 1) return;
  painter->setAntialiasing(false);
  QPen pen(colours().capacity, 2);
  pen.setDashPattern({7, 3, 2, 3});
  painter->setPen(pen);
  painter->drawLine(QLineF(area.left(), y, area.right(), y));
  painter->setAntialiasing(true);
  painter->setPen(QPen(colours().background, 1));
  painter->setBrush(colours().capacity);
  painter->drawPolygon(QPolygonF({{area.left() + 2.0, y - 6}, {area.left() + 12.0, y}, {area.left() + 2.0, y + 6}}));
  painter->setAntialiasing(false);
}

QString OccupancyView::nothing_to_show() const {
  const trace::Snapshot& s = *context().source->snapshot();
  return context().source->plan() == nullptr && s.memory_events.empty() ? tr("Memory was not recorded.") : QString();
}

}  // namespace arenascope::views
