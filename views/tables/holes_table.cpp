// SPDX-License-Identifier: GPL-3.0-or-later
// Holes of a plan: bytes that nobody uses although somebody lies above them, and who that is.
#include <views/common/format.h>
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

constexpr size_t kMostHoles = 2000;    // the largest
constexpr size_t kMostSlices = 20000;  // beyond, looking for who causes each would take too long

// Somebody's stay; x are steps.
struct Placed {
  Stay stay;
  trace::TensorRef tensor;
};

struct Hole {
  Stay stay;
  int32_t above = -1, cause = -1;  // stays
  double byte_steps() const { return static_cast<double>(stay.hi - stay.lo) * (stay.x1 - stay.x0); }
};

bool meets(const Stay& s, double x0, double x1) { return s.x0 < x1 && s.x1 > x0; }

// Who lies lowest above the hole, and whom it would have met there: alive with it, though not while the hole is open.
void explain(Hole& hole, const std::vector<Placed>& all) {
  const auto at = [&](int32_t i) -> const Stay& { return all[static_cast<size_t>(i)].stay; };
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].stay.lo < hole.stay.hi || !meets(all[i].stay, hole.stay.x0, hole.stay.x1)) continue;
    if (hole.above < 0 || all[i].stay.lo < at(hole.above).lo) hole.above = static_cast<int32_t>(i);
  }
  if (hole.above < 0) return;
  const Stay above = at(hole.above);
  for (size_t i = 0; i < all.size(); ++i) {
    const Stay& s = all[i].stay;
    if (static_cast<int32_t>(i) == hole.above || s.lo >= hole.stay.hi || s.hi <= hole.stay.lo) continue;
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

// The largest, each with who causes it.
std::vector<Hole> holes_between(const std::vector<Placed>& all) {
  std::vector<Stay> stays;
  for (const Placed& p : all) stays.push_back(p.stay);
  std::vector<Hole> holes;
  for (const Stay& stay : sweep(std::move(stays), true).holes)
    if (stay.hi > stay.lo && stay.x1 > stay.x0) holes.push_back({stay});
  std::stable_sort(holes.begin(), holes.end(),
                   [](const Hole& a, const Hole& b) { return a.byte_steps() > b.byte_steps(); });
  holes.resize(std::min(holes.size(), kMostHoles));
  for (Hole& hole : holes) explain(hole, all);
  return holes;
}

}  // namespace

TablePtr holes_table(const TableInput& input) {
  if (lies_in_spaces(input)) return space_holes_table(input);
  auto table = std::make_shared<Table>();
  const auto plan = input.plan;
  table->empty_text =
      plan ? HolesTableTexts::tr("The plan has no holes.") : HolesTableTexts::tr("No memory plan is open.");
  if (!plan) return table;
  const auto all = std::make_shared<const std::vector<Placed>>(planned(*plan));
  if (all->size() > kMostSlices) {
    table->empty_text = HolesTableTexts::tr("There are too many tensors for this table.");
    return table;
  }
  const auto holes = std::make_shared<const std::vector<Hole>>(holes_between(*all));
  const auto stay = [holes](size_t r) -> const Stay& { return (*holes)[r].stay; };
  const auto bytes = [stay](size_t r) { return static_cast<double>(stay(r).hi - stay(r).lo); };
  const auto room = [holes](size_t r) { return (*holes)[r].byte_steps(); };
  const auto name = [all, graph = input.graph](int32_t i) {
    return i < 0 ? QString() : tensor_text((*all)[static_cast<size_t>(i)].tensor, graph.get());
  };
  table->rows = holes->size();
  table->columns = {
      {HolesTableTexts::tr("Bytes"), HolesTableTexts::tr("In nobody's use although somebody lies above"),
       [bytes](size_t r) { return format_bytes(static_cast<Bytes>(bytes(r))); }, bytes},
      {HolesTableTexts::tr("Steps"), HolesTableTexts::tr("While it is open"),
       [stay](size_t r) { return QStringLiteral("%1 – %2").arg(stay(r).x0).arg(stay(r).x1); },
       [stay](size_t r) { return stay(r).x0; }},
      {HolesTableTexts::tr("Offset"), HolesTableTexts::tr("First byte in the arena"),
       [stay](size_t r) { return format_address(stay(r).lo); },
       [stay](size_t r) { return static_cast<double>(stay(r).lo); }},
      {HolesTableTexts::tr("Byte steps"), HolesTableTexts::tr("Bytes × steps: how much room it is"),
       [room](size_t r) { return format_bytes(static_cast<Bytes>(room(r))); }, room},
      {HolesTableTexts::tr("Above it"), HolesTableTexts::tr("The tensor that could not sink into it"),
       [=](size_t r) { return name((*holes)[r].above); }},
      {HolesTableTexts::tr("Because of"), HolesTableTexts::tr("What lies there at another time of that tensor's life"),
       [=](size_t r) { return name((*holes)[r].cause); }},
  };
  table->selection = [=, id = plan->graph](size_t r) {
    const Hole& hole = (*holes)[r];
    return hole.above < 0 || !id.valid() ? Selection(AddressRangeSelection{hole.stay.lo, hole.stay.hi})
                                         : Selection(NodeSelection{id, (*all)[static_cast<size_t>(hole.above)].tensor});
  };
  table->inside = [stay](size_t r, const RangeFilter& f) {
    const Stay& s = stay(r);
    return f.has_step(static_cast<int32_t>(s.x0), static_cast<int32_t>(std::ceil(s.x1))) && f.has_address(s.lo, s.hi);
  };
  return table;
}

}  // namespace arenascope::views
