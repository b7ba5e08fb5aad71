// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/inspector/inspector_text.h>

#include <views/common/format.h>
#include <QTextDocumentFragment>

#include <algorithm>

#include "inspector_page.h"

namespace arenascope::views {

using namespace inspector;

namespace {

void block_page(Page& page, const BlockSelection& selection) {
  const trace::PlanInfo* plan = page.in.snapshot->plan(selection.plan);
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
  page.title(Texts::tr("Block %1").arg(selection.block.value),
             Texts::tr("%n tensor(s) in sequence", nullptr, static_cast<int>(tensors.size())));
  page.row(Texts::tr("bytes"), range_text(low, high - low));
  page.row(Texts::tr("largest tensor"), format_bytes(largest));
  std::vector<TensorRef> refs;
  for (const auto& [step, ref] : tensors) refs.push_back(ref);
  page.links(Texts::tr("Tensors"), refs);
}

void span_page(Page& page, const EventSelection& selection) {
  const trace::Snapshot& snapshot = *page.in.snapshot;
  const trace::SpanRef ref = selection.span;
  if (!ref.track.valid() || ref.track.index() >= snapshot.tracks.size()) return;
  const trace::TrackView& track = snapshot.tracks[ref.track.index()];
  if (ref.lane >= track.lanes.size() || ref.row >= track.lanes[ref.lane].rows.size()) return;
  const trace::Event& event = snapshot.event(ref);
  page.title(QString::fromStdString(snapshot.label(event)).toHtmlEscaped(), safe(track.info.name));
  page.row(Texts::tr("duration"), format_ns(event.end() - event.begin()));
  page.row(Texts::tr("begin"), format_ns(event.begin() - snapshot.time.begin));
  if (event.kind() == trace::EventKind::Copy) page.row(Texts::tr("bytes"), format_bytes_exact(event.b));
  const TensorRef tensor = tensor_of(Selection(selection), snapshot);
  if (event.kind() == trace::EventKind::Wait && event.run().valid()) {
    if (const auto barrier = snapshot.barrier_of(event.run(), event.node())) {
      const auto last = barrier->last_arriver;
      if (last.valid() && last.index() < snapshot.tracks.size())
        page.row(Texts::tr("last arriver"), safe(snapshot.tracks[last.index()].info.name));
      page.row(Texts::tr("total wait"), format_ns(barrier->wait_sum));
      if (barrier->nodes > 1) page.row(Texts::tr("consecutive nodes without a barrier"), format_count(barrier->nodes));
    }
  }
  if (tensor.valid()) {
    page.section(Texts::tr("Node"));
    tensor_page(page, tensor);
  }
}

void describe_selection(Page& page, const Selection& selection) {
  if (const auto* node = selection.get<NodeSelection>())
    tensor_page(page, node->tensor);
  else if (const auto* block = selection.get<BlockSelection>())
    block_page(page, *block);
  else if (const auto* span = selection.get<EventSelection>())
    span_page(page, *span);
  else if (const auto* steps = selection.get<StepRangeSelection>())
    steps_page(page, *steps);
  else if (const auto* addresses = selection.get<AddressRangeSelection>())
    addresses_page(page, *addresses);
  else if (const auto* allocation = selection.get<AllocationSelection>())
    allocation_page(page, *allocation);
  else if (const auto* time = selection.get<TimeRangeSelection>())
    time_page(page, *time);
  else if (const auto* layer = selection.get<LayerSelection>())
    layer_page(page, *layer);
  else
    summary(page);
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

QString inspector_html(const InspectorInput& given, const Selection& selection, const ThemeColours& colours) {
  const InspectorInput input = of_its_graph(given, selection);
  Page page(input, colours);
  describe_selection(page, selection);
  return page.finish();
}

std::vector<InspectorFact> inspector_facts(const InspectorInput& given, const Selection& selection) {
  const InspectorInput input = of_its_graph(given, selection);
  const ThemeColours colours;
  Page page(input, colours);
  describe_selection(page, selection);
  std::vector<InspectorFact> facts = page.take_facts();
  for (InspectorFact& fact : facts)
    for (QString* s : {&fact.section, &fact.key, &fact.value}) *s = QTextDocumentFragment::fromHtml(*s).toPlainText();
  return facts;
}

std::optional<Selection> selection_of_link(const QString& link, const InspectorInput& input) {
  const qsizetype colon = link.indexOf(u':');
  bool ok = false;
  const int number = colon < 0 ? -1 : link.mid(colon + 1).toInt(&ok);
  if (!ok || number < 0) return std::nullopt;
  if (link.startsWith(u"node:") && input.graph != nullptr) return Selection::node(input.graph->id, NodeId(number));
  if (link.startsWith(u"leaf:") && input.graph != nullptr)
    return Selection(NodeSelection{input.graph->id, TensorRef::leaf(LeafId(number))});
  if (link.startsWith(u"block:") && input.plan != nullptr)
    return Selection(BlockSelection{input.plan->id, BlockId(number)});
  return std::nullopt;
}

}  // namespace arenascope::views
