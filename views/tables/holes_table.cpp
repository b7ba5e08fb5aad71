// SPDX-License-Identifier: GPL-3.0-or-later
// Holes of a plan: free bytes below a live tensor, and the tensors that cause them.
#include <views/common/format.h>
#include <views/common/steps_text.h>
#include <views/common/sweep.h>
#include <views/tables/object_parts.h>
#include <views/tables/space_tables.h>
#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace arenascope::views {
namespace {

struct HolesTableTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

constexpr size_t kMaxHoles = 2000;    // the largest
constexpr size_t kMaxSlices = 20000;  // limit for the quadratic search for causes

// A placed tensor; x in steps.
struct Placed {
  LiveRect rect;
  trace::TensorRef tensor;
};

struct Hole {
  LiveRect rect;
  int32_t above = -1, cause = -1;  // indices of placed tensors
  double byte_steps() const { return static_cast<double>(rect.hi - rect.lo) * (rect.x1 - rect.x0); }
};

bool meets(const LiveRect& s, double x0, double x1) { return s.x0 < x1 && s.x1 > x0; }

// Finds the lowest tensor above the hole, and the tensor that it would overlap in the hole: live at the same time, but
// not while the hole exists.
void explain(Hole& hole, const std::vector<Placed>& all) {
  const auto at = [&](int32_t i) -> const LiveRect& { return all[static_cast<size_t>(i)].rect; };
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].rect.lo < hole.rect.hi || !meets(all[i].rect, hole.rect.x0, hole.rect.x1)) continue;
    if (hole.above < 0 || all[i].rect.lo < at(hole.above).lo) hole.above = static_cast<int32_t>(i);
  }
  if (hole.above < 0) return;
  const LiveRect above = at(hole.above);
  for (size_t i = 0; i < all.size(); ++i) {
    const LiveRect& s = all[i].rect;
    if (static_cast<int32_t>(i) == hole.above || s.lo >= hole.rect.hi || s.hi <= hole.rect.lo) continue;
    if (!meets(s, above.x0, above.x1)) continue;
    if (hole.cause < 0 || s.hi - s.lo > at(hole.cause).hi - at(hole.cause).lo) hole.cause = static_cast<int32_t>(i);
  }
}

std::vector<Placed> planned(const trace::PlanInfo& plan) {
  std::vector<Placed> all;
  for (const trace::SliceInfo& s : plan.slices)
    all.push_back({{static_cast<double>(s.first.value), static_cast<double>(s.last.value), s.offset, s.offset + s.size},
                   s.tensor});
  return all;
}

// The largest holes, each with its cause.
std::vector<Hole> holes_between(const std::vector<Placed>& all) {
  std::vector<LiveRect> rects;
  for (const Placed& p : all) rects.push_back(p.rect);
  std::vector<Hole> holes;
  for (const LiveRect& rect : sweep(std::move(rects), true).holes)
    if (rect.hi > rect.lo && rect.x1 > rect.x0) holes.push_back({rect});
  std::stable_sort(holes.begin(), holes.end(),
                   [](const Hole& a, const Hole& b) { return a.byte_steps() > b.byte_steps(); });
  holes.resize(std::min(holes.size(), kMaxHoles));
  for (Hole& hole : holes) explain(hole, all);
  return holes;
}

}  // namespace

TablePtr holes_table(const TableInput& input) {
  if (is_in_spaces(input)) return space_holes_table(input);
  auto table = std::make_shared<Table>();
  const auto plan = input.plan;
  table->empty_text =
      plan ? HolesTableTexts::tr("The plan has no holes.") : HolesTableTexts::tr("This file contains no memory plan.");
  if (!plan) return table;
  const auto all = std::make_shared<const std::vector<Placed>>(planned(*plan));
  if (all->size() > kMaxSlices) {
    table->empty_text = HolesTableTexts::tr("Too many tensors for this table.");
    return table;
  }
  const auto holes = std::make_shared<const std::vector<Hole>>(holes_between(*all));
  const auto rect = [holes](size_t r) -> const LiveRect& { return (*holes)[r].rect; };
  const auto bytes = [rect](size_t r) { return static_cast<double>(rect(r).hi - rect(r).lo); };
  const auto room = [holes](size_t r) { return (*holes)[r].byte_steps(); };
  const auto name = [all, graph = input.graph](int32_t i) {
    return i < 0 ? QString() : tensor_text((*all)[static_cast<size_t>(i)].tensor, graph.get());
  };
  table->rows = holes->size();
  table->columns = {
      number_column(HolesTableTexts::tr("Bytes"), HolesTableTexts::tr("Unused bytes below a live tensor"),
                    FigureUnit::Bytes, bytes),
      {HolesTableTexts::tr("Steps"), HolesTableTexts::tr("While the hole exists"),
       [rect](size_t r) { return format_steps(static_cast<int64_t>(rect(r).x0), static_cast<int64_t>(rect(r).x1)); },
       [rect](size_t r) { return rect(r).x0; }},
      number_column(HolesTableTexts::tr("Offset"), HolesTableTexts::tr("First byte in the arena"), FigureUnit::Address,
                    [rect](size_t r) { return static_cast<double>(rect(r).lo); }),
      number_column(HolesTableTexts::tr("Byte steps"), HolesTableTexts::tr("Bytes × steps: total waste of the hole"),
                    FigureUnit::Bytes, room),
      {HolesTableTexts::tr("Above it"), HolesTableTexts::tr("Tensor that could not be placed into it"),
       [=](size_t r) { return name((*holes)[r].above); }},
      {HolesTableTexts::tr("Blocked by"),
       HolesTableTexts::tr("Tensor at this address at another time of that tensor's lifetime"),
       [=](size_t r) { return name((*holes)[r].cause); }},
  };
  table->selection = [=, id = plan->graph](size_t r) {
    const Hole& hole = (*holes)[r];
    return hole.above < 0 || !id.valid() ? Selection(AddressRangeSelection{hole.rect.lo, hole.rect.hi})
                                         : Selection(NodeSelection{id, (*all)[static_cast<size_t>(hole.above)].tensor});
  };
  table->inside = [rect](size_t r, const RangeFilter& f) {
    const LiveRect& s = rect(r);
    return f.has_step(static_cast<int32_t>(s.x0), static_cast<int32_t>(std::ceil(s.x1))) && f.has_address(s.lo, s.hi);
  };
  return table;
}

}  // namespace arenascope::views
