// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/arena/arena_colours.h>
#include <views/arena/arena_regions.h>
#include <views/arena/arena_styles.h>
#include <views/arena/arena_view.h>
#include <views/common/choice_names.h>
#include <views/common/format.h>
#include <views/common/tickers.h>

#include <QActionGroup>
#include <QMenu>
#include <algorithm>
#include <cmath>
#include <utility>

namespace arenascope::views {

ArenaView::ArenaView(const ViewContext& context, QWidget* parent) : PlotViewWith(context, parent) {
  y_axis()->setTicker(QSharedPointer<QCPAxisTicker>(new BytesTicker));
  auto* peak = new OverlayPlottable(x_axis(), y_axis(), [this](QCPPainter* p) { draw_peak(p); });
  peak->setLayer(QStringLiteral("grid"));  // painted before the bodies
  holes_ = new RectPlottable(x_axis(), y_axis());
  ghosts_ = new RectPlottable(x_axis(), y_axis());
  bodies_ = new RectPlottable(x_axis(), y_axis());
  outlines_ = new RectPlottable(x_axis(), y_axis());
  over_ = new RectPlottable(x_axis(), y_axis());
  bodies_->set_labels([this](uint32_t tag, int lines) { return label(tag, lines); });
  start();
}

PlotView::PrepareFunction ArenaView::prepare_function() const {
  return [state = state_](const PrepareInput& in, std::stop_token stop) -> PreparedPtr {
    return prepare_arena_map(in, stop, state.mode, state.spaces, state.plan_outline, state.colour);
  };
}

void ArenaView::set_colour(ArenaColour colour) {
  ViewState state = state_;
  state.colour = colour;
  set_view_state(state);
}

void ArenaView::add_colours(QMenu& menu) {
  QMenu* colours = menu.addMenu(tr("Colour by"));
  auto* group = new QActionGroup(colours);
  for (int i = 0; i < kArenaColours; ++i) {
    const auto colour = static_cast<ArenaColour>(i);
    QAction* action = colours->addAction(ArenaColourNames::of(colour));
    action->setCheckable(true);
    action->setChecked(colour == state_.colour);
    group->addAction(action);
    connect(action, &QAction::triggered, this, [this, colour] { set_colour(colour); });
  }
}

QCPRange ArenaView::y_limits() const {
  return {0, std::max(shown_top_ > 0 ? static_cast<double>(shown_top_) : 1 << 20, 1.0) * 1.04};
}

void ArenaView::show_prepared(const PreparedPtr& prepared) {
  picture_ = std::static_pointer_cast<const ArenaPicture>(prepared);
  const auto nothing = std::make_shared<const RectSet>();
  holes_->set_data(picture_->holes);
  // Spaces fill the map from the bottom and would hide ghosts drawn under them.
  ghosts_->set_data(picture_->in_spaces ? nothing : picture_->ghosts);
  over_->set_data(picture_->in_spaces ? picture_->ghosts : nothing);
  bodies_->set_data(picture_->bodies);
  outlines_->set_data(picture_->outlines);
  if (picture_->top != shown_top_) {
    shown_top_ = picture_->top;
    y_axis()->setRange(y_limits());
  }
  y_axis()->ticker()->setTickCount(std::clamp(plot()->axisRect()->height() / 40, 2, 10));
  update_header();
}

void ArenaView::restyle() {
  const ThemeColours& c = colours();
  bodies_->set_styles(arena_styles(c));
  bodies_->set_text_colour(c.text);
  RectStyle hole;
  hole.hatch = Hatch::Dots;
  hole.hatch_colour = c[Role::Hole];
  hole.label = false;
  holes_->set_styles({hole});
  const auto outlined = [](const QColor& colour) {
    RectStyle s;
    s.outline = colour;
    s.label = false;
    s.needs_room = true;
    return s;
  };
  const QColor line = c.dark ? QColor(0xcf, 0xd6, 0xde, 170) : QColor(0x22, 0x2b, 0x36, 220);
  std::vector<RectStyle> styles(kOutlineStyles, outlined(line));
  styles[kOutlineNew].edge = c[Role::Allocation];
  styles[kOutlineChainPart].separator = true;
  styles[kOutlineChainPart].outline = QColor(255, 255, 255, 190);
  styles[kOutlineDiffers].outline = c.capacity;
  styles[kOutlineDiffers].needs_room = false;
  styles[kOutlineDiffers].hatch = Hatch::Diagonal;
  styles[kOutlineDiffers].hatch_colour = c.capacity;
  styles[kOutlineGhost].outline = c.dim_text;
  styles[kOutlineGhost].dashed = true;
  styles[kOutlineOther].outline = c.category(1);
  styles[kOutlineOther].dashed = true;
  styles[kOutlineWaste].outline = QColor();
  styles[kOutlineWaste].hatch = Hatch::Diagonal;
  styles[kOutlineWaste].hatch_colour = c.dim_text;
  outlines_->set_styles(styles);
  ghosts_->set_styles(styles);
  over_->set_styles(styles);
  if (picture_) update_header();
}

void ArenaView::update_header() {
  const ArenaPicture& a = *picture_;
  if (a.in_spaces) return update_space_header();
  const ThemeColours& c = colours();
  HeaderContent h;
  h.title = view_name();
  const trace::PlanId plan_id = context().source->plan_id();
  const auto bytes = [](std::string id, Bytes b) {
    return figure(std::move(id), static_cast<double>(b), FigureUnit::Bytes);
  };
  if (context().source->plan() != nullptr || !a.seen.empty())
    h.facts << (a.seen.empty() ? tr("planned") : a.derived ? tr("addresses observed, times derived") : tr("observed"));
  if (a.arena > 0) h.add(with_figures(tr("arena %1"), {bytes(plan_figure(plan_id, "arena"), a.arena)}));
  if (const trace::PlanInfo* plan = context().source->plan()) {
    if (a.blocks > 0) {
      h.add(with_count(tr("%n tensor(s)", nullptr, static_cast<int>(plan->slices.size())),
                       plan_figure(plan_id, "slices"), static_cast<int64_t>(plan->slices.size())));
      h.add(with_count(tr("%n block(s)", nullptr, static_cast<int>(a.blocks)), plan_figure(plan_id, "blocks"),
                       static_cast<int64_t>(a.blocks)));
    }
    if (!plan->planner.empty()) h.facts << tr("planner %1").arg(planner_text(plan->planner));
  }
  add_regions(h, context().source->graph());
  if (a.max_hole_bytes > 0) h.add(with_figures(tr("holes up to %1"), {bytes(a.hole_id, a.max_hole_bytes)}));
  if (a.differing > 0)
    h.add(with_count(tr("%n tensor(s) outside the plan", nullptr, static_cast<int>(a.differing)),
                     run_figure(context().source->run(), "off_plan"), static_cast<int64_t>(a.differing)));
  add_legend(h);
  if (a.other.bytes > 0) {
    RectStyle other;
    other.outline = c.category(1);
    other.dashed = true;
    h.legend.insert(h.legend.begin(), {tr("B: compared with"), other});
    h.add(peak_text(a.other));
  }
  if (context().source->ghost_plan() != nullptr) {
    RectStyle ghost;
    ghost.outline = c.dim_text;
    ghost.dashed = true;
    h.legend.insert(h.legend.begin(), {tr("previous plan"), ghost});
  }
  set_header(std::move(h));
}

FigureText peak_text(const ComparisonPeak& most) {
  return with_figures(most.of_spaces ? ArenaView::tr("B: reserved up to %1") : ArenaView::tr("B: up to %1"),
                      {figure(other_figure(most.id), static_cast<double>(most.bytes), FigureUnit::Bytes)});
}

// Legend of what occurs: colours of the rectangles, then outlines and holes.
void ArenaView::add_legend(HeaderContent& h) const {
  const ThemeColours& c = colours();
  const ArenaPicture& a = *picture_;
  h.legend = body_legend(a, arena_styles(c));
  RectStyle planned, fresh, hole;
  planned.outline = c.dim_text;
  fresh.outline = c.axis;
  fresh.edge = c[Role::Allocation];
  hole.hatch = Hatch::Dots;
  hole.hatch_colour = c[Role::Hole];
  std::vector<bool> met(kOutlineStyles, false);
  for (size_t i = 0; i < a.outlines->size(); ++i) met[(*a.outlines)[i].style] = true;
  if (!a.outlines->empty()) h.legend.push_back({tr("planned"), planned});
  if (met[kOutlineNew]) h.legend.push_back({tr("new block"), fresh});
  if (!a.holes->empty()) h.legend.push_back({tr("hole"), hole});
}

const trace::SliceInfo* ArenaView::slice_of(const ArenaItem& item) const {
  const trace::PlanInfo* plan = context().source->plan();
  if (!plan || plan->id != picture_->plan || item.slice < 0) return nullptr;
  const auto i = static_cast<size_t>(item.slice);
  return i < plan->slices.size() ? &plan->slices[i] : nullptr;
}

// Runs of several graphs may be visible at once.
const trace::GraphInfo* ArenaView::graph_of(const ArenaItem& item) const {
  const SessionSource& source = *context().source;
  const trace::RunId run = item.seen >= 0 ? picture_->seen[static_cast<size_t>(item.seen)].run : source.run();
  return run == source.run() ? source.graph() : source.snapshot()->graph_of(run);
}

QString ArenaView::label(uint32_t tag, int lines) const {
  if (!picture_ || tag >= picture_->items.size()) return {};
  const ArenaItem& item = picture_->items[tag];
  if (item.space >= 0) {
    const trace::SpaceAllocation& slice = picture_->space_slices[static_cast<size_t>(item.space)];
    const QString text = slice_name(*context().source->snapshot(), slice, *picture_->call_sites);
    return lines < 2 ? text : text + QLatin1Char('\n') + format_bytes(slice.bytes);
  }
  const trace::TensorInfo* t = SliceText::tensor(graph_of(item), item.tensor);
  QString text = t && !t->name.empty() ? QString::fromStdString(t->name) : DisplayNames::node(item.tensor);
  if (lines < 2) return text;
  if (t && lines >= 3 && !t->op.empty()) text += QLatin1Char('\n') + QString::fromStdString(t->op);
  const trace::SliceInfo* slice = slice_of(item);
  const Bytes bytes = slice ? slice->size : item.seen >= 0 ? picture_->seen[static_cast<size_t>(item.seen)].bytes : 0;
  return text + QLatin1Char('\n') + format_bytes(bytes);
}

const ArenaItem* ArenaView::item_at(const QPointF& pixel) const {
  if (!picture_ || !plot()->axisRect()->rect().contains(pixel.toPoint())) return nullptr;
  for (const RectPlottable* p : {bodies_, outlines_}) {
    if (const auto i = p->hit(pixel)) {
      const uint32_t tag = (*p->data())[*i].tag;
      if (tag < picture_->items.size()) return &picture_->items[tag];
    }
  }
  return nullptr;
}

Selection ArenaView::pick(const QPointF& pixel) const {
  const ArenaItem* item = item_at(pixel);
  if (item && item->space >= 0) return slice_selection(picture_->space_slices[static_cast<size_t>(item->space)]);
  if (!item || !item->tensor.valid()) return {};
  const trace::GraphInfo* graph = graph_of(*item);
  return graph ? Selection(NodeSelection{graph->id, item->tensor}) : Selection();
}

CursorReadout ArenaView::readout_at(const QPointF& pixel) const {
  const SessionSource& source = *context().source;
  return CursorReadout(*source.snapshot(), source.run(), source.plan(), source.shown_plan() != nullptr,
                       context().axis->frame(), x_axis()->pixelToCoord(pixel.x()));
}

// For empty areas: a hole between used ranges, or free memory.
FigureText ArenaView::tip_of_empty(const QPointF& pixel) const {
  const auto address = static_cast<Bytes>(y_axis()->pixelToCoord(pixel.y()));
  const auto hit = holes_->hit(pixel);
  if (hit && picture_->in_spaces) return tip_of_free(picture_->spaces[(*holes_->data())[*hit].tag]);
  const CursorReadout readout = readout_at(pixel);
  if (const auto hole = picture_->in_spaces ? std::nullopt : readout.hole(address)) {
    const Figure bytes = readout.of_hole(*hole, false);
    return with_parts(tr("hole of %1\naddress %2 to %3"),
                      {exact_text(bytes.id, static_cast<Bytes>(bytes.value)),
                       figure_text(figure("chosen.address", static_cast<double>(hole->low), FigureUnit::Address)),
                       figure_text(readout.of_hole(*hole, true))});
  }
  if (address < 0 || address >= picture_->top) return {};
  return with_figures(tr("free\naddress %1"),
                      {figure("chosen.address", static_cast<double>(address), FigureUnit::Address)});
}

FigureText ArenaView::tip(const QPointF& pixel) const {
  const ArenaItem* item = item_at(pixel);
  if (!item)
    return picture_ && plot()->axisRect()->rect().contains(pixel.toPoint()) ? tip_of_empty(pixel) : FigureText{};
  if (item->space >= 0) return tip_of_space(*item);
  const trace::ArenaAllocation* seen = item->seen >= 0 ? &picture_->seen[static_cast<size_t>(item->seen)] : nullptr;
  FigureText text = SliceText::describe(
      item->tensor, {graph_of(*item), context().source->plan(), slice_of(*item), seen,
                     context().source->snapshot()->time.begin, context().source->plan() != nullptr});
  if (seen && seen->derived)
    text.line(plain_text(tr("address observed; begin and end derived from the spans and the plan")));
  if (item->differs) text.line(plain_text(tr("accessed bytes outside its planned range")));
  return text;
}

bool ArenaView::can_drag(const QPointF& pixel, Qt::KeyboardModifiers keys) const {
  return (keys & Qt::ControlModifier) != 0 && picture_ && !picture_->in_spaces && picture_->top > 0 &&
         plot()->axisRect()->rect().contains(pixel.toPoint());
}

void ArenaView::drag_move(const QPointF& from, const QPointF& to) {
  const double a = y_axis()->pixelToCoord(from.y()), b = y_axis()->pixelToCoord(to.y());
  const auto within = [this](double at) {
    return static_cast<Bytes>(std::clamp(at, 0.0, static_cast<double>(picture_->top)));
  };
  addresses_ = AddressRangeSelection{within(std::floor(std::min(a, b))), within(std::ceil(std::max(a, b)))};
  context().selection->hover(*addresses_);
}

void ArenaView::drag_end(const QPointF& from) {
  const auto chosen = std::exchange(addresses_, std::nullopt);
  context().selection->hover({});
  if (!chosen)
    context().selection->select(pick(from));
  else if (chosen->first < chosen->last)
    context().selection->select(*chosen);
}

void ArenaView::outline(QCPPainter* painter, const Selection& selection, bool selected) const {
  const trace::Snapshot& snapshot = *context().source->snapshot();
  if (const auto* a = selection.get<AddressRangeSelection>()) {
    const Rect band{x_axis()->range().lower,
                    x_axis()->range().upper,
                    static_cast<double>(a->first),
                    static_cast<double>(a->last),
                    0,
                    0};
    draw_double_outline(painter, pixel_rect(x_axis(), y_axis(), band), colours());
    return;
  }
  if (selection.get<StepRangeSelection>() || selection.get<TimeRangeSelection>()) {
    if (const auto r = range_of(selection)) draw_range(painter, *r, selected);
    return;
  }
  const auto* block = selection.get<BlockSelection>();
  if (selection.empty()) return;
  const RectSet& set = *picture_->bodies;
  const RectSet::Span span = set.candidates(x_axis()->range().lower, x_axis()->range().upper);
  for (size_t i = span.first; i < span.last; ++i) {
    const ArenaItem& item = picture_->items[set[i].tag];
    bool meant = item.space >= 0
                     ? means(selection, picture_->space_slices[static_cast<size_t>(item.space)], snapshot)
                     : means(selection, item.tensor, snapshot) && graph_of(item) == context().source->graph();
    if (block) {
      const trace::SliceInfo* slice = slice_of(item);
      meant = slice && slice->block == block->block;
    }
    if (!meant) continue;
    const QRect r = pixel_rect(x_axis(), y_axis(), set[i]);
    draw_mark(painter, r, selected, colours());
  }
}

// Marks the peak of live bytes with a double line.
void ArenaView::draw_peak(QCPPainter* painter) const {
  if (!picture_ || picture_->peak <= 0 || shows_moment()) return;
  const QRect area = plot()->axisRect()->rect();
  const double x = x_axis()->coordToPixel(picture_->peak_x);
  if (x < area.left() + 2 || x > area.right() - 2) return;
  painter->setAntialiasing(false);
  for (const int side : {-2, 1}) {
    painter->fillRect(QRect(static_cast<int>(x) + side, area.top(), 1, area.height()), colours().peak);
  }
}

void ArenaView::draw_overlay(QCPPainter* painter) {
  if (!picture_ || !picture_->bodies) return;
  painter->setAntialiasing(false);
  const QRect area = plot()->axisRect()->rect();
  if (picture_->peak > 0 && !shows_moment()) {
    const double x = x_axis()->coordToPixel(picture_->peak_x);
    if (x > area.left() + 2 && x < area.right() - 2) {
      painter->setAntialiasing(true);
      painter->setPen(QPen(colours().background, 1));
      painter->setBrush(colours().peak);
      painter->drawPolygon(QPolygonF({{x - 6, area.top() + 0.5}, {x + 6, area.top() + 0.5}, {x, area.top() + 9.5}}));
      painter->setAntialiasing(false);
    }
  }
  if (picture_->in_spaces && picture_->bands.size() > 1) draw_bands(painter);
  const SelectionModel& model = *context().selection;
  if (!(model.hovered() == model.current())) outline(painter, model.hovered(), false);
  outline(painter, model.current(), true);
}

// Counters report amounts of memory, not addresses.
QString ArenaView::nothing_to_show() const {
  const trace::Snapshot& s = *context().source->snapshot();
  const bool has_allocations = !s.memory_events.empty() || !s.slices.empty() || !s.open_slices.empty();
  const bool drawn = !picture_ || !picture_->bodies || !picture_->bodies->empty() || !picture_->outlines->empty();
  return context().source->plan() == nullptr && !(has_allocations && drawn)
             ? tr("No memory plan and no allocations at known addresses.")
             : QString();
}

}  // namespace arenascope::views
