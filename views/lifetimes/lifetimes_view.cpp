// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/format.h>
#include <views/common/slice_styles.h>
#include <views/common/space_menu.h>
#include <views/lifetimes/lifetimes_view.h>

#include <QMenu>
#include <cmath>

namespace arenascope::views {

namespace {
constexpr double kTallest = 34, kLowest = 17;  // row height in pixels
}

// Draws block names in the left margin, and a line under each row.
class LifetimesView::Rows : public PlotLayer {
 public:
  Rows(QCPAxis* x, QCPAxis* y, const LifetimesView* view) : PlotLayer(x, y), view_(view) {
    setLayer(QStringLiteral("grid"));
  }

 protected:
  QRect clipRect() const override {
    const QRect area = mKeyAxis->axisRect()->rect();
    return area.adjusted(-area.left(), 0, 0, 0);
  }
  void draw(QCPPainter* p) override {
    if (!view_->picture_) return;
    const QRect area = mKeyAxis->axisRect()->rect();
    const ThemeColours& c = view_->colours();
    p->setAntialiasing(false);
    p->setFont(mParentPlot->font());
    const QFontMetrics metrics = p->fontMetrics();
    const auto& rows = view_->picture_->rows;
    for (size_t i = 0; i < rows.size(); ++i) {
      const double top = mValueAxis->coordToPixel(-static_cast<double>(i)),
                   bottom = mValueAxis->coordToPixel(-static_cast<double>(i) - 1);
      if (bottom < area.top() || top > area.bottom()) continue;
      if (bottom <= area.bottom())
        p->fillRect(QRect(6, static_cast<int>(std::lround(bottom)), area.right() - 6, 1), c.grid);
      if (bottom - top < metrics.height() * 0.85) continue;
      const QRectF box(6, (top + bottom) / 2 - metrics.height() / 2.0, area.left() - 14, metrics.height());
      if (box.bottom() > area.bottom() + 2 || box.top() < area.top() - 2) continue;
      const QString bytes = format_bytes(rows[i].size);
      const QString name =
          rows[i].block.valid() ? QStringLiteral("#%1").arg(rows[i].block.value) : format_address(rows[i].offset);
      // The end of an address distinguishes it from its neighbours.
      const int room = static_cast<int>(box.width()) - metrics.horizontalAdvance(bytes) - 8;
      p->setPen(c.dim_text);
      p->drawText(box, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(name, Qt::ElideLeft, room));
      p->setPen(c.text);
      p->drawText(box, Qt::AlignRight | Qt::AlignVCenter, bytes);
    }
  }

 private:
  const LifetimesView* view_;
};

// Marks the reuse level in the upper left corner with one or two bars.
class LifetimesView::LevelMarks : public PlotLayer {
 public:
  LevelMarks(QCPAxis* x, QCPAxis* y, const LifetimesView* view) : PlotLayer(x, y), view_(view) {}

 protected:
  void draw(QCPPainter* p) override {
    if (!view_->picture_) return;
    const RectSet& set = *view_->picture_->levels;
    const RectSet::Span span = set.candidates(mKeyAxis->range().lower, mKeyAxis->range().upper);
    if (span.count() > 4000) return;
    p->setAntialiasing(false);
    const QRect area = mKeyAxis->axisRect()->rect();
    for (size_t i = span.first; i < span.last; ++i) {
      const QRect r = pixel_rect(mKeyAxis.data(), mValueAxis.data(), set[i]);
      if (r.width() < 9 || r.height() < 6 || r.left() < area.left() || r.bottom() > area.bottom()) continue;
      for (uint32_t bar = 0; bar <= set[i].style; ++bar) {
        p->fillRect(QRect(r.left() + 2 + static_cast<int>(bar) * 3, r.top() + 2, 2, r.height() - 4),
                    view_->colours()[Role::Allocation]);
        p->fillRect(QRect(r.left() + 2 + static_cast<int>(bar) * 3, r.top() + 2, 1, r.height() - 4), Qt::white);
      }
    }
  }

 private:
  const LifetimesView* view_;
};

LifetimesView::LifetimesView(const ViewContext& context, QWidget* parent) : PlotViewWith(context, parent) {
  y_axis()->setTicks(false);
  y_axis()->setTickLabels(false);
  y_axis()->grid()->setVisible(false);
  rows_ = new Rows(x_axis(), y_axis(), this);
  spans_ = new RectPlottable(x_axis(), y_axis());
  shares_ = new RectPlottable(x_axis(), y_axis());
  captions_ = new RectPlottable(x_axis(), y_axis());
  captions_->set_labels([this](uint32_t tag, int lines) { return label(tag, lines); });
  ghosts_ = new RectPlottable(x_axis(), y_axis());
  marks_ = new LevelMarks(x_axis(), y_axis(), this);
  start();
}

PlotView::PrepareFunction LifetimesView::prepare_function() const {
  return [state = state_](const PrepareInput& in, std::stop_token stop) -> PreparedPtr {
    return prepare_lifetimes(in, stop, state.plan_outline, state.mode, state.spaces);
  };
}

void LifetimesView::set_shown(ArenaMode show, const SpaceChoice& choice) {
  ViewState state = state_;
  state.mode = show;
  state.spaces = choice;
  set_view_state(state);
}

void LifetimesView::set_show_plan_outline(bool shown) {
  ViewState state = state_;
  state.plan_outline = shown;
  set_view_state(state);
}

void LifetimesView::add_context_menu_actions(QMenu& menu) {
  add_space_choices(menu, tr("Address Space"), *context().source, state_.mode, state_.spaces,
                    [this](ArenaMode show, const SpaceChoice& choice) { set_shown(show, choice); });
  if (context().source->plan() == nullptr || !picture_ || !picture_->in_spaces) return;
  QAction* plan = menu.addAction(tr("Show Plan Requirement"));
  plan->setCheckable(true);
  plan->setChecked(state_.plan_outline);
  connect(plan, &QAction::toggled, this, &LifetimesView::set_show_plan_outline);
}

bool LifetimesView::y_moves() const {
  return picture_ && static_cast<double>(picture_->rows.size()) * kLowest > plot()->axisRect()->height();
}

QCPRange LifetimesView::y_limits() const {
  return {-static_cast<double>(picture_ ? std::max<size_t>(picture_->rows.size(), 1) : 1) - 0.1, 0};
}

const trace::PlanInfo* LifetimesView::plan() const {
  const trace::PlanInfo* plan = context().source->plan();
  return plan && picture_ && plan->id == picture_->plan && plan->slices.size() == picture_->slices ? plan : nullptr;
}

void LifetimesView::show_prepared(const PreparedPtr& prepared) {
  picture_ = std::static_pointer_cast<const LifetimesPicture>(prepared);
  spans_->set_data(picture_->spans);
  shares_->set_data(picture_->shares);
  captions_->set_data(picture_->captions);
  ghosts_->set_data(picture_->ghosts);
  fit_rows();
  update_header();
}

void LifetimesView::fit_rows() {
  if (!picture_) return;
  const int pixels = std::max(plot()->axisRect()->height(), 10);
  if (picture_->rows.size() == shown_rows_ && pixels == shown_pixels_) return;
  shown_rows_ = picture_->rows.size();
  shown_pixels_ = pixels;
  const double rows = static_cast<double>(std::max<size_t>(picture_->rows.size(), 1));
  y_axis()->setRange(-pixels / std::clamp(pixels / rows, kLowest, kTallest), 0);
}

void LifetimesView::resizeEvent(QResizeEvent* event) {
  PlotView::resizeEvent(event);
  QMetaObject::invokeMethod(
      this, [this] { fit_rows(); }, Qt::QueuedConnection);
}

void LifetimesView::restyle() {
  auto styles = slice_styles(colours());
  for (RectStyle& s : styles) s.outline = s.fill.isValid() ? colours().background : s.outline;
  spans_->set_styles(styles);
  shares_->set_styles(styles);
  RectStyle on_share, above, on_light;
  on_share.text = Qt::white;
  above.text = colours().text;
  on_light.text = Qt::black;
  std::vector<RectStyle> captions;
  for (int level = 0; level < 3; ++level) {  // right of the bars
    for (RectStyle s : {on_share, above, on_light}) {
      s.indent = level == 0 ? 0 : 3 * level + 1;
      captions.push_back(s);
    }
  }
  captions_->set_styles(captions);
  RectStyle before, compared;
  before.outline = colours().dim_text;
  compared.outline = colours().category(1);
  before.dashed = compared.dashed = true;
  before.label = compared.label = false;
  ghosts_->set_styles({before, compared, before});
  if (picture_) update_header();
}

void LifetimesView::update_header() {
  const LifetimesPicture& l = *picture_;
  const ThemeColours& c = colours();
  HeaderContent h;
  h.title = view_name();
  size_t tensors = 0;
  for (const LifetimesRow& r : l.rows) tensors += r.tensors;
  if (l.in_spaces) {
    h.facts << (l.derived ? tr("addresses observed, times derived") : tr("observed"));
    h.add(with_count(tr("%n block(s)", nullptr, static_cast<int>(l.space_slices.size())),
                     space_figure(context().source->run(), l.choice, "slices"),
                     static_cast<int64_t>(l.space_slices.size())));
    if (l.needed > 0)
      h.add(with_figures(tr("plan would need %1"), {figure(plan_figure(context().source->plan_id(), "arena"),
                                                           static_cast<double>(l.needed), FigureUnit::Bytes)}));
  } else if (!l.rows.empty()) {
    h.facts << (l.seen == 0 ? tr("planned") : l.derived ? tr("addresses observed, times derived") : tr("observed"));
    if (l.seen > 0 && l.seen < l.slices) h.facts << tr("unobserved tensors as planned");
    h.add(with_count(tr("%n tensor(s)", nullptr, static_cast<int>(tensors)), plan_figure(l.plan, "slices"),
                     static_cast<int64_t>(tensors)));
    h.add(with_count(tr("%n block(s)", nullptr, static_cast<int>(l.rows.size())), plan_figure(l.plan, "blocks"),
                     static_cast<int64_t>(l.rows.size())));
    if (l.saved > 0)
      h.add(with_figures(tr("reuse saves %1"), {figure(plan_figure(l.plan, "saved_by_reuse"),
                                                       static_cast<double>(l.saved), FigureUnit::Bytes)}));
  } else {
    h.facts << tr("no plan");
  }
  const auto styles = slice_styles(c);
  RectStyle mark;
  mark.edge = c[Role::Allocation];
  mark.fill = styles[kSliceWork0].fill;
  h.legend = {{tr("share of the block"), styles[kSliceWork0]},
              {tr("input"), styles[kSliceInput]},
              {tr("output"), styles[kSliceOutput]},
              {tr("bars: level of reuse"), mark}};
  const auto add_dashed = [&h](const QString& text, const QColor& colour) {
    RectStyle style;
    style.outline = colour;
    style.dashed = true;
    h.legend.insert(h.legend.begin(), {text, style});
  };
  if (context().source->ghost_plan() != nullptr) add_dashed(tr("previous plan"), c.dim_text);
  if (l.needed > 0) add_dashed(tr("as planned"), c.dim_text);
  if (l.compared) add_dashed(tr("B: compared with"), c.category(1));
  set_header(std::move(h));
}

const trace::SpaceAllocation* LifetimesView::space_slice(uint32_t tag) const {
  return picture_ && picture_->in_spaces && tag < picture_->space_slices.size() ? &picture_->space_slices[tag]
                                                                                : nullptr;
}

const trace::SliceInfo* LifetimesView::plan_slice(uint32_t tag) const {
  const trace::PlanInfo* p = plan();
  if (p == nullptr || tag < picture_->first_of_plan) return nullptr;
  const size_t i = tag - picture_->first_of_plan;
  return i < p->slices.size() ? &p->slices[i] : nullptr;
}

QString LifetimesView::label(uint32_t tag, int lines) const {
  if (const trace::SpaceAllocation* s = space_slice(tag)) {
    const QString text = slice_name(*context().source->snapshot(), *s, *picture_->call_sites);
    return lines < 2 ? text : text + QLatin1Char('\n') + format_bytes(s->bytes);
  }
  const trace::SliceInfo* s = plan_slice(tag);
  if (s == nullptr) return {};
  const trace::TensorInfo* t = SliceText::tensor(context().source->graph(), s->tensor);
  const QString text = t && !t->name.empty() ? QString::fromStdString(t->name) : DisplayNames::node(s->tensor);
  return lines < 2 ? text : text + QLatin1Char('\n') + format_bytes(s->size);
}

std::optional<size_t> LifetimesView::row_at(const QPointF& pixel) const {
  const double row = std::floor(-y_axis()->pixelToCoord(pixel.y()));
  if (!picture_ || row < 0 || row >= static_cast<double>(picture_->rows.size())) return std::nullopt;
  return static_cast<size_t>(row);
}

Selection LifetimesView::pick(const QPointF& pixel) const {
  const QRect area = plot()->axisRect()->rect();
  if (!picture_ || pixel.y() < area.top() || pixel.y() > area.bottom()) return {};
  const trace::PlanInfo* p = plan();
  if (pixel.x() >= area.left()) {
    if (const auto i = spans_->hit(pixel)) {
      const uint32_t tag = (*picture_->spans)[*i].tag;
      if (const trace::SpaceAllocation* s = space_slice(tag)) return slice_selection(*s);
      if (const trace::SliceInfo* s = plan_slice(tag)) return NodeSelection{p->graph, s->tensor};
    }
  }
  const auto row = row_at(pixel);
  if (!p || !row || !picture_->rows[*row].block.valid()) return {};
  return BlockSelection{p->id, picture_->rows[*row].block};
}

FigureText LifetimesView::tip(const QPointF& pixel) const {
  if (!picture_) return {};
  const trace::Snapshot& snapshot = *context().source->snapshot();
  if (plot()->axisRect()->rect().contains(pixel.toPoint())) {
    if (const auto i = spans_->hit(pixel)) {
      const uint32_t tag = (*picture_->spans)[*i].tag;
      if (const trace::SpaceAllocation* s = space_slice(tag))
        return SliceText::describe(snapshot, *s).line(SliceText::lifetime_text(snapshot, *s));
      if (const trace::SliceInfo* s = plan_slice(tag))
        return SliceText::describe(s->tensor,
                                   {context().source->graph(), plan(), s, nullptr, snapshot.time.begin, false});
    }
  }
  const auto row = plan() ? row_at(pixel) : std::nullopt;
  if (!row || (picture_->in_spaces && !picture_->rows[*row].block.valid())) return {};
  const LifetimesRow& r = picture_->rows[*row];
  const auto of = [&](const char* what, auto value, FigureUnit unit) {
    return figure(block_figure(picture_->plan, r.block, what), static_cast<double>(value), unit);
  };
  const Figure place = figure("chosen.address", static_cast<double>(r.offset), FigureUnit::Address);
  FigureText text = r.block.valid()
                        ? with_figures(tr("block %1"), {figure("chosen.block", r.block.value, FigureUnit::Number)})
                        : with_figures(tr("address %1"), {place});
  text.line(exact_text(of("bytes", 0, FigureUnit::Bytes).id, r.size));
  text.line(with_figures(tr("address %1 to %2"), {of("offset", r.offset, FigureUnit::Address),
                                                  of("end", r.offset + r.size, FigureUnit::Address)}));
  const QString users = tr("%n tensor(s), in use during %1 of the steps", nullptr, static_cast<int>(r.tensors));
  FigureText use = with_figures(users, {of("used", r.used, FigureUnit::Share)});
  use.figures.push_back(of("tensors", r.tensors, FigureUnit::Number));
  return text.line(use);
}

void LifetimesView::outline(QCPPainter* painter, const Selection& selection, bool selected) const {
  if ((!plan() && !picture_->in_spaces) || selection.empty()) return;
  if (selection.get<StepRangeSelection>() || selection.get<TimeRangeSelection>()) {
    if (const auto r = range_of(selection)) draw_range(painter, *r, selected);
    return;
  }
  const trace::Snapshot& snapshot = *context().source->snapshot();
  const auto* block = selection.get<BlockSelection>();
  const RectSet& set = *picture_->spans;
  const RectSet::Span span = set.candidates(x_axis()->range().lower, x_axis()->range().upper);
  const QRect area = plot()->axisRect()->rect();
  for (size_t i = span.first; i < span.last; ++i) {
    const trace::SliceInfo* s = plan_slice(set[i].tag);
    const trace::SpaceAllocation* own = space_slice(set[i].tag);
    const bool meant = (s && (means(selection, s->tensor, snapshot) || (block && s->block == block->block))) ||
                       (own && means(selection, *own, snapshot));
    if (!meant) continue;
    const QRect r = pixel_rect(x_axis(), y_axis(), set[i]);
    if (!r.intersects(area)) continue;
    draw_mark(painter, r, selected, colours());
  }
}

void LifetimesView::draw_overlay(QCPPainter* painter) {
  if (!picture_) return;
  painter->setAntialiasing(false);
  const SelectionModel& model = *context().selection;
  if (!(model.hovered() == model.current())) outline(painter, model.hovered(), false);
  outline(painter, model.current(), true);
}

QString LifetimesView::nothing_to_show() const {
  const trace::Snapshot& s = *context().source->snapshot();
  return context().source->plan() == nullptr && s.memory_events.empty() && s.slices.empty()
             ? tr("No memory plan and no allocations at known addresses.")
             : QString();
}

}  // namespace arenascope::views
