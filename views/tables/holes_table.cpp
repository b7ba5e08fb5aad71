// SPDX-License-Identifier: GPL-3.0-or-later
// The holes of a plan: bytes that nobody uses although somebody lies above them, and who that is.
#include <views/common/format.h>
#include <views/common/sweep.h>
#include <views/tables/table.h>
#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace arenascope::views {
namespace {

struct Texts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

constexpr size_t kMostHoles = 2000;    // the largest
constexpr size_t kMostSlices = 20000;  // beyond, looking for who causes each would take too long

struct Hole {
  Stay stay;
  int32_t above = -1, cause = -1;  // slices
  double byte_steps() const { return static_cast<double>(stay.hi - stay.lo) * (stay.x1 - stay.x0); }
};

// Whether a slice is alive at some step of [x0, x1).
bool meets(const trace::SliceInfo& s, double x0, double x1) { return s.first.value < x1 && s.last.value > x0; }

// Who lies lowest above the hole, and whom it would have met there: alive with it, though not while the hole is open.
void explain(Hole& hole, const std::vector<trace::SliceInfo>& slices) {
  for (size_t i = 0; i < slices.size(); ++i) {
    if (slices[i].offset < hole.stay.hi || !meets(slices[i], hole.stay.x0, hole.stay.x1)) continue;
    if (hole.above < 0 || slices[i].offset < slices[static_cast<size_t>(hole.above)].offset)
      hole.above = static_cast<int32_t>(i);
  }
  if (hole.above < 0) return;
  const trace::SliceInfo& above = slices[static_cast<size_t>(hole.above)];
  for (size_t i = 0; i < slices.size(); ++i) {
    const trace::SliceInfo& s = slices[i];
    if (static_cast<int32_t>(i) == hole.above || s.offset >= hole.stay.hi || s.offset + s.size <= hole.stay.lo)
      continue;
    if (!meets(s, above.first.value, above.last.value)) continue;
    if (hole.cause < 0 || s.size > slices[static_cast<size_t>(hole.cause)].size) hole.cause = static_cast<int32_t>(i);
  }
}

}  // namespace

TablePtr holes_table(const TableInput& input) {
  auto table = std::make_shared<Table>();
  table->empty_text = input.plan ? Texts::tr("The plan has no holes.") : Texts::tr("No memory plan is open.");
  const auto plan = input.plan;
  const auto graph = input.graph;
  if (!plan || plan->slices.size() > kMostSlices) {
    if (plan) table->empty_text = Texts::tr("The plan has too many tensors for this table.");
    return table;
  }
  AxisFrame steps;
  auto holes = std::make_shared<std::vector<Hole>>();
  for (const Stay& stay : sweep(plan_stays(*plan, steps), true).holes)
    if (stay.hi > stay.lo && stay.x1 > stay.x0) holes->push_back({stay});
  std::stable_sort(holes->begin(), holes->end(),
                   [](const Hole& a, const Hole& b) { return a.byte_steps() > b.byte_steps(); });
  holes->resize(std::min(holes->size(), kMostHoles));
  for (Hole& hole : *holes) explain(hole, plan->slices);
  const auto name = [plan, graph](int32_t slice) {
    if (slice < 0) return QString();
    const trace::TensorRef ref = plan->slices[static_cast<size_t>(slice)].tensor;
    if (graph) {
      const auto& list = ref.is_leaf() ? graph->leafs : graph->nodes;
      if (ref.index() < list.size() && !list[ref.index()].name.empty())
        return QString::fromStdString(list[ref.index()].name);
    }
    return Words::node(ref);
  };
  const auto bytes = [holes](size_t r) { return static_cast<double>((*holes)[r].stay.hi - (*holes)[r].stay.lo); };
  table->rows = holes->size();
  table->columns = {
      {Texts::tr("Bytes"), Texts::tr("In nobody's use although somebody lies above"),
       [bytes](size_t r) { return format_bytes(static_cast<Bytes>(bytes(r))); }, bytes},
      {Texts::tr("Steps"), Texts::tr("While it is open"),
       [holes](size_t r) { return QStringLiteral("%1 – %2").arg((*holes)[r].stay.x0).arg((*holes)[r].stay.x1); },
       [holes](size_t r) { return (*holes)[r].stay.x0; }},
      {Texts::tr("Offset"), Texts::tr("First byte in the arena"),
       [holes](size_t r) { return format_address((*holes)[r].stay.lo); },
       [holes](size_t r) { return static_cast<double>((*holes)[r].stay.lo); }},
      {Texts::tr("Byte steps"), Texts::tr("Bytes × steps: how much room it is"),
       [holes](size_t r) { return format_bytes(static_cast<Bytes>((*holes)[r].byte_steps())); },
       [holes](size_t r) { return (*holes)[r].byte_steps(); }},
      {Texts::tr("Above it"), Texts::tr("The tensor that could not sink into it"),
       [=](size_t r) { return name((*holes)[r].above); }},
      {Texts::tr("Because of"), Texts::tr("What lies there at another time of that tensor's life"),
       [=](size_t r) { return name((*holes)[r].cause); }},
  };
  const trace::GraphId id = plan->graph;
  table->selection = [=](size_t r) {
    const Hole& hole = (*holes)[r];
    return hole.above < 0 ? Selection(AddressRangeSelection{hole.stay.lo, hole.stay.hi})
                          : Selection(NodeSelection{id, plan->slices[static_cast<size_t>(hole.above)].tensor});
  };
  table->inside = [holes](size_t r, const RangeFilter& f) {
    const Stay& s = (*holes)[r].stay;
    return f.has_step(static_cast<int32_t>(s.x0), static_cast<int32_t>(std::ceil(s.x1))) && f.has_address(s.lo, s.hi);
  };
  return table;
}

}  // namespace arenascope::views
