// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/inspector/inspector_facts.h>

#include <views/common/format.h>

#include <algorithm>

#include "facts_builder.h"

namespace arenascope::views {

using namespace inspector;

namespace {

void block_facts(FactsBuilder& facts, const BlockSelection& selection) {
  const trace::PlanInfo* plan = facts.in.snapshot->plan(selection.plan);
  if (plan == nullptr) return;
  Bytes low = INT64_MAX, high = 0, largest = 0;
  std::vector<std::pair<Step, TensorRef>> tensors;
  for (const trace::SliceInfo& slice : plan->slices) {
    if (slice.block != selection.block) continue;
    low = std::min(low, slice.offset);
    high = std::max(high, slice.offset + slice.size);
    largest = std::max(largest, slice.size);
    tensors.push_back({slice.first, slice.tensor});
  }
  if (tensors.empty()) return;
  std::sort(tensors.begin(), tensors.end());
  facts.title(Texts::tr("Block %1").arg(selection.block.value),
              Texts::tr("%n tensor(s) in sequence", nullptr, static_cast<int>(tensors.size())));
  facts.row(Texts::tr("bytes"), range_text(low, high - low));
  facts.row(Texts::tr("largest tensor"), format_bytes(largest));
  std::vector<TensorRef> refs;
  for (const auto& [step, ref] : tensors) refs.push_back(ref);
  facts.links(Texts::tr("Tensors"), refs);
}

void span_facts(FactsBuilder& facts, const EventSelection& selection) {
  const trace::Snapshot& snapshot = *facts.in.snapshot;
  const trace::SpanRef ref = selection.span;
  if (!ref.track.valid() || ref.track.index() >= snapshot.tracks.size()) return;
  const trace::TrackView& track = snapshot.tracks[ref.track.index()];
  if (ref.lane >= track.lanes.size() || ref.row >= track.lanes[ref.lane].rows.size()) return;
  const trace::Event& event = snapshot.event(ref);
  facts.title(QString::fromStdString(snapshot.label(event)), to_text(track.info.name));
  facts.row(Texts::tr("duration"), format_ns(event.end() - event.begin()));
  facts.row(Texts::tr("begin"), format_ns(event.begin() - snapshot.time.begin));
  if (event.kind() == trace::EventKind::Copy) facts.row(Texts::tr("bytes"), format_bytes_exact(event.b));
  const TensorRef tensor = tensor_of(Selection(selection), snapshot);
  if (event.kind() == trace::EventKind::Wait && event.run().valid()) {
    if (const auto barrier = snapshot.barrier_of(event.run(), event.node())) {
      const auto last = barrier->last_arriver;
      if (last.valid() && last.index() < snapshot.tracks.size())
        facts.row(Texts::tr("last arriver"), to_text(snapshot.tracks[last.index()].info.name));
      facts.row(Texts::tr("total wait"), format_ns(barrier->wait_sum));
      if (barrier->nodes > 1) facts.row(Texts::tr("consecutive nodes without a barrier"), format_count(barrier->nodes));
    }
  }
  if (tensor.valid()) {
    facts.section(Texts::tr("Node"));
    tensor_facts(facts, tensor);
  }
}

void describe_selection(FactsBuilder& facts, const Selection& selection) {
  if (const auto* node = selection.get<NodeSelection>())
    tensor_facts(facts, node->tensor);
  else if (const auto* block = selection.get<BlockSelection>())
    block_facts(facts, *block);
  else if (const auto* span = selection.get<EventSelection>())
    span_facts(facts, *span);
  else if (const auto* steps = selection.get<StepRangeSelection>())
    steps_facts(facts, *steps);
  else if (const auto* addresses = selection.get<AddressRangeSelection>())
    addresses_facts(facts, *addresses);
  else if (const auto* allocation = selection.get<AllocationSelection>())
    allocation_facts(facts, *allocation);
  else if (const auto* time = selection.get<TimeRangeSelection>())
    time_facts(facts, *time);
  else if (const auto* layer = selection.get<LayerSelection>())
    layer_facts(facts, *layer);
  else
    summary(facts);
}

// The selected node may belong to another graph than the current run.
InspectorInput of_its_graph(const InspectorInput& input, const Selection& selection) {
  InspectorInput own = input;
  const auto* node = selection.get<NodeSelection>();
  const trace::GraphInfo* graph = node && input.snapshot ? input.snapshot->graph(node->graph) : nullptr;
  if (graph == nullptr || (input.graph != nullptr && input.graph->id == graph->id)) return own;
  own.graph = graph;
  own.plan = nullptr;
  own.run = trace::RunId();
  own.comparison = nullptr;
  return own;
}

}  // namespace

InspectorInput inspector_input(const SessionSource& source) {
  return {source.snapshot(), source.run(),        source.graph(),     source.plan(),
          source.live(),     source.comparison(), source.shown_plan()};
}

std::vector<InspectorFact> inspector_facts(const InspectorInput& given, const Selection& selection) {
  const InspectorInput input = of_its_graph(given, selection);
  FactsBuilder facts(input);
  describe_selection(facts, selection);
  return facts.take_facts();
}

}  // namespace arenascope::views
