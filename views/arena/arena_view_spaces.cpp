// SPDX-License-Identifier: GPL-3.0-or-later
// Texts and options of the arena map for allocator spaces.
#include <views/arena/arena_regions.h>
#include <views/arena/arena_view.h>
#include <views/common/format.h>
#include <views/common/slice_styles.h>
#include <views/common/space_menu.h>

#include <QMenu>

namespace arenascope::views {

void ArenaView::set_shown(ArenaMode show, SpaceChoice choice) {
  ViewState state = state_;
  state.mode = show;
  state.spaces = choice;
  set_view_state(state);
}

void ArenaView::set_show_plan_outline(bool shown) {
  ViewState state = state_;
  state.plan_outline = shown;
  set_view_state(state);
}

void ArenaView::add_context_menu_actions(QMenu& menu) {
  add_colours(menu);
  add_space_choices(menu, tr("Address Space"), *context().source, state_.mode, state_.spaces,
                    [this](ArenaMode show, const SpaceChoice& choice) { set_shown(show, choice); });
  if (context().source->plan() == nullptr || !picture_ || !picture_->in_spaces) return;
  QAction* plan = menu.addAction(tr("Show Plan Requirement"));
  plan->setCheckable(true);
  plan->setChecked(state_.plan_outline);
  connect(plan, &QAction::toggled, this, &ArenaView::set_show_plan_outline);
}

void ArenaView::update_space_header() {
  const ArenaPicture& a = *picture_;
  const ThemeColours& c = colours();
  const trace::RunId run = context().source->run();
  HeaderContent h;
  h.title = view_name();
  h.facts << (a.derived ? tr("addresses observed, times derived") : tr("observed"));
  const auto id = [&](const char* what) { return space_figure(run, a.choice, what); };
  const auto bytes = [&](const char* what, Bytes b) {
    return figure(id(what), static_cast<double>(b), FigureUnit::Bytes);
  };
  const bool moment = shows_moment();
  h.add(with_figures(moment ? tr("in use %1") : tr("peak %1"), {bytes("peak", a.totals.peak)}));
  if (a.totals.reserved_known) {
    h.add(with_figures(moment ? tr("reserved %1") : tr("reserved up to %1"), {bytes("reserved", a.totals.reserved)}));
    h.add(with_figures(moment ? tr("%1 free in spaces") : tr("up to %1 free in spaces"),
                       {bytes("unused", a.totals.unused)}));
  } else if (context().source->snapshot()->all_reserved.samples.empty()) {  // else only its addresses are unknown
    h.facts << tr("reserved memory not recorded");
  }
  if (a.totals.unplaced > 0)
    h.add(with_figures(tr("up to %1 at unknown addresses, not drawn"), {bytes("unplaced", a.totals.unplaced)}));
  h.add(with_count(tr("%n block(s)", nullptr, static_cast<int>(a.totals.slices)), id("slices"),
                   static_cast<int64_t>(a.totals.slices)));
  add_regions(h, context().source->graph());
  if (a.needed > 0)
    h.add(with_figures(tr("plan would need %1"), {figure(plan_figure(context().source->plan_id(), "arena"),
                                                         static_cast<double>(a.needed), FigureUnit::Bytes)}));
  const auto styles = slice_styles(c);
  RectStyle free, waste;
  free.hatch = Hatch::Dots;
  free.hatch_colour = c[Role::Hole];
  waste.hatch = Hatch::Diagonal;
  waste.hatch_colour = c.dim_text;
  std::vector<bool> met(kSliceStyles, false);  // only styles that occur get a legend entry
  for (size_t i = 0; a.bodies && i < a.bodies->size(); ++i) met[(*a.bodies)[i].style % kSliceStyles] = true;
  const auto add = [&](bool there, const QString& text, const RectStyle& style) {
    if (there) h.legend.push_back({text, style});
  };
  add(met[kSliceWork0] || met[kSliceWork1] || met[kSliceWork2], tr("observed"), styles[kSliceWork0]);
  add(a.totals.unused > 0, tr("free"), free);
  add(std::any_of(a.space_slices.begin(), a.space_slices.end(), [](const auto& s) { return s.asked < s.bytes; }),
      tr("waste"), waste);
  add(met[kSliceInput], tr("input"), styles[kSliceInput]);
  add(met[kSliceOutput], tr("output"), styles[kSliceOutput]);
  add(met[kSliceWeight], tr("weight"), styles[kSliceWeight]);
  if (a.other.bytes > 0) {
    RectStyle other;
    other.outline = c.category(1);
    other.dashed = true;
    h.legend.insert(h.legend.begin(), {tr("B: compared with"), other});
    h.add(peak_text(a.other));
  }
  set_header(std::move(h));
}

// Frames and names the bands if there are several and they are large enough.
void ArenaView::draw_bands(QCPPainter* painter) const {
  const trace::Snapshot& s = *context().source->snapshot();
  const QRect area = plot()->axisRect()->rect();
  const int line = painter->fontMetrics().height();
  painter->setBrush(Qt::NoBrush);
  for (const ArenaPicture::Band& band : picture_->bands) {
    const QRect r = pixel_rect(x_axis(), y_axis(),
                               {band.x0, band.x1, static_cast<double>(band.lo), static_cast<double>(band.hi), 0, 0})
                        .intersected(area);
    if (r.height() < 6 || r.width() < 6) continue;
    painter->setPen(QPen(colours().axis, 1));
    painter->drawRect(r.adjusted(0, 0, -1, -1));
    if (r.height() < 2 * line || r.width() < 8 * line) continue;
    const QString text = tr("%1, %2").arg(allocator_name(s, band.allocator), format_bytes(band.hi - band.lo));
    const int width = painter->fontMetrics().horizontalAdvance(text) + 6;
    // Blocks have their names at the top left.
    const int shown = std::min(width, r.width() - 8);
    const QRect place(r.right() - shown - 3, r.bottom() - line - 1, shown, line);
    QColor halo = colours().background;
    halo.setAlpha(215);
    painter->fillRect(place, halo);
    painter->setPen(colours().dim_text);
    painter->drawText(place.adjusted(3, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, text);
  }
}

FigureText ArenaView::tip_of_space(const ArenaItem& item) const {
  const trace::Snapshot& s = *context().source->snapshot();
  const trace::SpaceAllocation& slice = picture_->space_slices[static_cast<size_t>(item.space)];
  FigureText text = SliceText::describe(s, slice);
  if (const trace::Space* space = space_of(picture_->spaces, slice); space != nullptr && space->image.valid())
    text.line(with_parts(tr("image of %1"), {image_text(s, *space)}));
  return text.line(SliceText::lifetime_text(s, slice));
}

FigureText ArenaView::tip_of_free(const trace::Space& space) const {
  const trace::Snapshot& s = *context().source->snapshot();
  FigureText text = with_parts(
      tr("free in a space of %1\n%2 · address %3"),
      {exact_text(piece_figure(s, space, "bytes"), space.bytes), name_text(allocator_name(s, space.allocator)),
       figure_text(figure("chosen.address", static_cast<double>(space.address), FigureUnit::Address))});
  return space.image.valid() ? text.line(with_parts(tr("image of %1"), {image_text(s, space)})) : text;
}

}  // namespace arenascope::views
