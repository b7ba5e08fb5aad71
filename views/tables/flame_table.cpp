// SPDX-License-Identifier: GPL-3.0-or-later
// The frames of a flame graph.
#include <views/common/flame_text.h>
#include <views/common/format.h>
#include <views/tables/table.h>
#include <QCoreApplication>

#include <algorithm>
#include <numeric>

namespace arenascope::views {
namespace {

struct FlameTableTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

struct FlameRows {
  SnapshotPtr snapshot;
  trace::FlameTree tree;
  std::vector<uint32_t> frames;
};

FigureUnit figure_unit(trace::FlameUnit unit) {
  return unit == trace::FlameUnit::Bytes         ? FigureUnit::Bytes
         : unit == trace::FlameUnit::Nanoseconds ? FigureUnit::Time
                                                 : FigureUnit::Count;
}

// Without the root.
std::vector<uint32_t> frames_by_self(const trace::FlameTree& tree) {
  std::vector<uint32_t> frames(tree.frames.size() - 1);
  std::iota(frames.begin(), frames.end(), 1);
  std::ranges::stable_sort(frames, std::greater(), [&](uint32_t f) { return tree.frames[f].self; });
  return frames;
}

}  // namespace

TablePtr flame_table(const TableInput& input, trace::FlameWeight weight, std::optional<trace::TimeRange> range,
                     trace::FlameStacks stacks) {
  auto made = std::make_shared<FlameRows>(
      FlameRows{input.snapshot, trace::flame_tree(*input.snapshot, weight, range, stacks), {}});
  made->frames = frames_by_self(made->tree);
  const std::shared_ptr<const FlameRows> rows = made;
  const auto frame = [rows](size_t r) -> const trace::FlameFrame& { return rows->tree.frames[rows->frames[r]]; };
  const double all = std::max(rows->tree.root().total, 1.0);
  const auto weights = [=](const QString& title, const QString& tip, double trace::FlameFrame::*value) {
    const auto text_of = [=](size_t r) { return FlameText::value(frame(r).*value, rows->tree.unit); };
    return with_unit(figure_unit(rows->tree.unit), {title, tip, text_of, [=](size_t r) { return frame(r).*value; }});
  };
  auto table = std::make_shared<Table>();
  table->empty_text = FlameTableTexts::tr("This file contains no call stacks, spans or times of nodes.");
  table->rows = rows->frames.size();
  Column self = weights(FlameTableTexts::tr("Self"), FlameTableTexts::tr("Without the frames that it encloses"),
                        &trace::FlameFrame::self);
  self.bar = [=](size_t r) { return frame(r).self / all; };
  self.adds_up = true;
  const auto share = [=](size_t r) { return frame(r).total / all; };
  table->columns = {
      {FlameTableTexts::tr("Frame"), FlameTableTexts::tr("Function, span, layer or node"),
       [rows](size_t r) { return FlameText::name(rows->tree, rows->frames[r]); }},
      std::move(self),
      weights(FlameTableTexts::tr("Total"), FlameTableTexts::tr("With the frames that it encloses"),
              &trace::FlameFrame::total),
      number_column(FlameTableTexts::tr("Share"), FlameTableTexts::tr("Share of the total weight"), FigureUnit::Share,
                    share),
      {FlameTableTexts::tr("Count"), FlameTableTexts::tr("Allocations, spans or nodes that end in this frame"),
       [frame](size_t r) { return format_count(frame(r).count); },
       [frame](size_t r) { return static_cast<double>(frame(r).count); }},
      {FlameTableTexts::tr("Within"), FlameTableTexts::tr("The frame that encloses it"),
       [=](size_t r) { return FlameText::name(rows->tree, frame(r).parent); }},
      {FlameTableTexts::tr("Depth"), FlameTableTexts::tr("Number of frames that enclose it"),
       [frame](size_t r) { return format_count(frame(r).depth - 1); },
       [frame](size_t r) { return static_cast<double>(frame(r).depth - 1); }}};
  table->selection = [rows](size_t r) { return selection_of(*rows->snapshot, rows->tree, rows->frames[r]); };
  table->is_selected = [rows](size_t r, const Selection& other) {
    return is_selected(*rows->snapshot, rows->tree, rows->frames[r], other);
  };
  return table;
}

}  // namespace arenascope::views
