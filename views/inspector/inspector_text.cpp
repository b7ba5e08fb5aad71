// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/inspector/inspector_text.h>

#include <views/common/format.h>
#include <views/common/incomplete.h>
#include <views/graph/folded_graph.h>
#include <QCoreApplication>
#include <QStringList>
#include <QTextDocumentFragment>

#include <algorithm>

#include "inspector_page.h"

namespace arenascope::views {

using namespace inspector;

namespace {

// What the tensor is in what is compared with.
void counterpart(Page& page, TensorRef ref) {
  const ComparisonPtr& c = page.in.comparison;
  if (!c || !c->other.graph) return;
  page.section(Texts::tr("In B: %1").arg(c->other.title.toHtmlEscaped()));
  const TensorRef other = c->match.to_other(ref);
  const TensorInfo* t = c->other.snapshot->tensor(c->other.graph->id, other);
  if (!t) return page.line(Texts::tr("It has no counterpart there."));
  page.row(Texts::tr("name"), safe(t->name));
  page.row(Texts::tr("shape"), format_shape(t->shape));
  page.row(Texts::tr("bytes"), format_bytes(t->bytes));
  if (other.is_node()) {
    const trace::NodeStats s = c->other.snapshot->stats(c->other.graph->id, NodeId(other.index()));
    if (s.runs > 0) page.row(Texts::tr("mean time"), format_ns(static_cast<Nanoseconds>(s.mean)));
  }
  if (!c->other.plan) return;
  for (const trace::SliceInfo& slice : c->other.plan->slices) {
    if (slice.tensor != other) continue;
    page.row(Texts::tr("place"), range_text(slice.offset, slice.size));
    page.row(Texts::tr("steps"), QStringLiteral("[%1, %2)").arg(slice.first.value).arg(slice.last.value));
    return;
  }
}

void view_chain(Page& page, TensorRef ref) {
  QStringList chain;
  const TensorInfo* tensor = page.info(ref);
  for (int guard = 0; tensor != nullptr && tensor->view_source.valid() && guard < 16; ++guard) {
    QString step = page.link(tensor->view_source);
    if (tensor->view_offset != 0) step += QStringLiteral(" +%1").arg(format_bytes(tensor->view_offset));
    chain << step;
    tensor = page.info(tensor->view_source);
  }
  if (!chain.isEmpty()) page.row(Texts::tr("looks at"), chain.join(QStringLiteral(" → ")));
}

void times(Page& page, NodeId node) {
  const trace::Snapshot& snapshot = *page.in.snapshot;
  const trace::NodeStats stats = snapshot.stats(page.in.graph->id, node);
  if (stats.runs == 0) return;
  const auto time = [](double ns) { return format_ns(static_cast<Nanoseconds>(ns)); };
  page.section(Texts::tr("Time"));
  page.row(Texts::tr("mean a run"), time(stats.mean));
  page.row(Texts::tr("median, quartiles"),
           QStringList{format_ns(stats.median), format_ns(stats.quartile1), format_ns(stats.quartile3)}.join(
               QStringLiteral(", ")));
  page.row(Texts::tr("shortest, longest"), format_ns(stats.shortest) + QStringLiteral(", ") + format_ns(stats.longest));
  QString runs = format_count(stats.runs);
  if (stats.cold) runs = Texts::tr("%1, the cold first one").arg(runs);
  if (stats.incomplete) runs = Texts::tr("%1, incomplete").arg(runs);
  if (stats.left_out > 0) runs = Texts::tr("%1; %2 left out").arg(runs, format_count(stats.left_out));
  page.row(Texts::tr("runs"), runs);
  if (stats.first && !stats.cold) page.row(Texts::tr("in the cold first run"), format_ns(*stats.first));
  page.row(Texts::tr("busy, all threads"), Texts::tr("%1 a run").arg(time(stats.busy)));
  page.row(Texts::tr("parts a run"), format_count(static_cast<int64_t>(std::lround(stats.parts))));
  if (stats.queueing > 0) page.row(Texts::tr("host, to queue it"), Texts::tr("%1 a run").arg(time(stats.queueing)));
  if (stats.barriers > 0) {
    page.row(Texts::tr("waiting behind it"), Texts::tr("%1 a run, all threads").arg(time(stats.wait)));
    auto name = [&](trace::TrackId id) {
      return id.valid() && id.index() < snapshot.tracks.size() ? safe(snapshot.tracks[id.index()].info.name)
                                                               : QString();
    };
    page.row(Texts::tr("last at the barrier"), name(stats.last_arriver));
    if (stats.usual_last.valid() && stats.usual_votes * 4 > stats.barriers)
      page.row(Texts::tr("usually last"), name(stats.usual_last));
  }
  const TensorInfo* tensor = page.info(TensorRef::node(node));
  if (tensor->flops > 0 && stats.median > 0)
    page.row(Texts::tr("speed"),
             QStringLiteral("%1 GFLOP/s")
                 .arg(static_cast<double>(tensor->flops) / static_cast<double>(stats.median), 0, 'f', 1));
}

// In bytes, outermost first, and as ggml names them.
void strides(Page& page, const TensorInfo& t) {
  QStringList words;
  for (int64_t s : t.strides) words << QString::number(s);
  page.row(Texts::tr("strides"), words.isEmpty() ? QString() : words.join(QStringLiteral(", ")) + QStringLiteral(" B"));
  // ggml's names for the same, innermost first.
  if (!t.shape.empty() && t.shape.size() <= 4 && t.strides.size() == t.shape.size()) {
    QStringList ne, nb;
    for (size_t i = 0; i < 4; ++i) {
      const bool there = i < t.shape.size();
      ne << QString::number(there ? t.shape[t.shape.size() - 1 - i] : 1);
      nb << QString::number(there ? t.strides[t.shape.size() - 1 - i]
                                  : t.strides.front() * std::max<int64_t>(t.shape.front(), 1));
    }
    page.row(QStringLiteral("ne"), QStringLiteral("{%1}").arg(ne.join(QStringLiteral(", "))));
    page.row(QStringLiteral("nb"), QStringLiteral("{%1}").arg(nb.join(QStringLiteral(", "))));
  }
}

void tensor_page(Page& page, TensorRef ref) {
  const TensorInfo* t = page.info(ref);
  if (t == nullptr) return;
  const QString role = Words::role(*t);
  const bool given = ref.is_leaf() || (t->op.empty() && (t->flags & trace::kParameter) != 0);
  const QString what = given ? role : safe(t->op);
  page.title(t->name.empty() ? Words::node(ref) : safe(t->name),
             QStringList{Words::node(ref), what}.join(QStringLiteral(" · ")));
  page.section(Texts::tr("Tensor"));
  page.row(Texts::tr("shape"), format_shape(t->shape));
  page.row(Texts::tr("type"), safe(t->dtype));
  strides(page, *t);
  page.row(Texts::tr("bytes"), format_bytes_exact(t->bytes));
  view_chain(page, ref);
  if (!given) {
    page.section(Texts::tr("Work"));
    page.row(Texts::tr("parameters"), safe(t->parameters));
    QStringList parts;
    for (const trace::PartInfo& part : t->parts) parts << safe(part.name.empty() ? part.op : part.op + " " + part.name);
    if (!parts.isEmpty()) page.row(Texts::tr("parts"), parts.join(QStringLiteral(", ")));
    if ((t->flags & trace::kChannelsLast) != 0) page.row(Texts::tr("layout"), Texts::tr("channels last"));
    page.row(Texts::tr("backend"), safe(t->backend));
    if ((t->flags & trace::kNoWork) != 0)
      page.row(Texts::tr("tasks"), Texts::tr("none, it computes nothing"));
    else
      page.row(Texts::tr("tasks"), QString::number(t->tasks));
    if (t->work_bytes > 0) page.row(Texts::tr("work buffer"), format_bytes(t->work_bytes));
    if (t->flops > 0) page.row(Texts::tr("operations"), format_count(t->flops));
    page.row(Texts::tr("layer"), safe(t->layer));
  }
  place(page, ref);
  storage_section(page, ref);
  counterpart(page, ref);
  if (ref.is_node()) times(page, NodeId(ref.index()));
  if (ref.is_node() && !given) op_histogram(page, NodeId(ref.index()));
  page.links(Texts::tr("Sources"), t->sources);
  if (t->gradient.valid()) page.links(Texts::tr("Gradient"), std::vector{t->gradient});
  if (t->accumulator.valid()) page.links(Texts::tr("Accumulator"), std::vector{t->accumulator});
  std::vector<TensorRef> users_of;
  for (size_t i = 0; i < page.in.graph->nodes.size(); ++i) {
    const auto& sources = page.in.graph->nodes[i].sources;
    const auto times = std::count(sources.begin(), sources.end(), ref);  // x·x uses x twice
    users_of.insert(users_of.end(), static_cast<size_t>(times), TensorRef::node(NodeId(i)));
  }
  page.links(Texts::tr("Users"), users_of);
}

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
             Texts::tr("%n tensor(s), one after the other", nullptr, static_cast<int>(tensors.size())));
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
  page.row(Texts::tr("lasts"), format_ns(event.end() - event.begin()));
  page.row(Texts::tr("begins"), format_ns(event.begin() - snapshot.time.begin));
  if (event.kind() == trace::EventKind::Copy) page.row(Texts::tr("bytes"), format_bytes_exact(event.b));
  const TensorRef tensor = tensor_of(Selection(selection), snapshot);
  if (event.kind() == trace::EventKind::Wait && event.run().valid()) {
    if (const auto barrier = snapshot.barrier_of(event.run(), event.node())) {
      const auto last = barrier->last_arriver;
      if (last.valid() && last.index() < snapshot.tracks.size())
        page.row(Texts::tr("last to arrive"), safe(snapshot.tracks[last.index()].info.name));
      page.row(Texts::tr("all waited"), format_ns(barrier->wait_sum));
      if (barrier->nodes > 1) page.row(Texts::tr("nodes without a barrier"), format_count(barrier->nodes));
    }
  }
  if (tensor.valid()) {
    page.section(Texts::tr("Node"));
    tensor_page(page, tensor);
  }
}

void summary_of_plan(Page& page, const trace::PlanInfo& plan) {
  page.section(Texts::tr("Memory plan"));
  page.row(Texts::tr("planner"), safe(plan.planner));
  page.row(Texts::tr("order"), safe(plan.order_name));
  page.row(Texts::tr("arena"), format_bytes_exact(plan.arena_bytes));
  page.row(Texts::tr("lower bound"), format_bytes_exact(plan.lower_bound_bytes));
  if (plan.lower_bound_bytes > 0)
    page.row(Texts::tr("above the bound"),
             format_percent(static_cast<double>(plan.arena_bytes - plan.lower_bound_bytes) /
                            static_cast<double>(plan.lower_bound_bytes)));
  Bytes sum = 0;
  for (const auto& slice : plan.slices) sum += slice.size;
  page.row(Texts::tr("without reuse"), format_bytes(sum));
}

// Whether a device's runs are queued node by node or as one.
QString replay_text(const trace::ReplayInfo& replay) {
  switch (replay.state) {
    case trace::ReplayState::Unavailable: return Texts::tr("not possible with the device, or with what runs");
    case trace::ReplayState::Direct: return Texts::tr("nothing recorded yet: only runs that nobody looks into are");
    case trace::ReplayState::Failed: return Texts::tr("was tried, and the driver refused");
    case trace::ReplayState::Recorded: break;
  }
  return Texts::tr("%1 kernels in %2 recordings, replayed %3 times")
      .arg(format_count(replay.kernels), format_count(replay.segments), format_count(replay.replays));
}

void summary(Page& page) {
  const trace::Snapshot& snapshot = *page.in.snapshot;
  if (page.in.graph == nullptr && snapshot.event_count == 0) {
    page.title(Texts::tr("Nothing is open"),
               Texts::tr("Open a model or a recording: File ▸ Open, or drop a file here."));
    return;
  }
  if (page.in.graph != nullptr) {
    const trace::GraphInfo& graph = *page.in.graph;
    page.title(graph.model.empty() ? Texts::tr("The whole graph") : safe(graph.model),
               Texts::tr("Nothing is selected"));
    page.section(Texts::tr("Graph"));
    page.row(Texts::tr("nodes"), format_count(static_cast<int64_t>(graph.nodes.size())));
    page.row(Texts::tr("leafs"), format_count(static_cast<int64_t>(graph.leafs.size())));
    Bytes weights = 0;
    for (const auto* list : {&graph.leafs, &graph.nodes})
      for (const TensorInfo& tensor : *list)
        if ((tensor.flags & (trace::kWeight | trace::kParameter)) != 0) weights += tensor.bytes;
    page.row(Texts::tr("weights"), format_bytes(weights));
  }
  if (page.in.plan != nullptr) summary_of_plan(page, *page.in.plan);
  if (const trace::Run* run = snapshot.run(page.in.run)) {
    page.section(Texts::tr("Run"));
    page.row(Texts::tr("backend"), safe(run->info.backend));
    page.row(Texts::tr("strategy"), safe(run->info.strategy));
    page.row(Texts::tr("threads"), QString::number(run->info.threads));
    if (run->info.threads_asked > run->info.threads)
      page.row(Texts::tr("threads asked for"), QString::number(run->info.threads_asked));
    page.row(Texts::tr("lasted"), format_ns(run->wall()));
    if (run->paused() > 0) page.row(Texts::tr("paused, beside that"), format_ns(run->paused()));
    if (const trace::SeriesView* resident = snapshot.resident()) {
      const auto most = resident->highest(run->info.begin,
                                          run->finished ? std::max(run->end, run->info.begin + 1) : snapshot.time.end);
      if (most) {
        const auto bytes = static_cast<Bytes>(most->value);
        page.row(Texts::tr("resident memory"), format_bytes(bytes));
        page.row(Texts::tr("outside of all spaces"), format_bytes(bytes - snapshot.host_reserved(most->time)));
      }
    }
    const QStringList notes = incomplete_notes(snapshot, page.in.run);
    if (!notes.isEmpty()) page.row(Texts::tr("incomplete"), notes.join(QStringLiteral("; ")));
    page.row(Texts::tr("runs so far"), format_count(static_cast<int64_t>(snapshot.runs.size())));
  }
  page.section(Texts::tr("Recording"));
  page.row(Texts::tr("events"), format_count(snapshot.event_count));
  page.row(Texts::tr("lost"), format_count(snapshot.lost));
  page.row(Texts::tr("threads and queues"), format_count(static_cast<int64_t>(snapshot.tracks.size())));
  for (const trace::ClockInfo& clock : snapshot.clocks)
    if (clock.device.valid() && clock.device.index() < snapshot.devices.size())
      page.row(Texts::tr("clock of %1").arg(safe(snapshot.devices[clock.device.index()].name)),
               QStringLiteral("± %1").arg(format_ns(clock.error)));
  for (const trace::ReplayInfo& replay : snapshot.replays)
    if (replay.device.valid() && replay.device.index() < snapshot.devices.size())
      page.row(Texts::tr("replay on %1").arg(safe(snapshot.devices[replay.device.index()].name)), replay_text(replay));
}

void tell(Page& page, const Selection& selection) {
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

// A node may be of another graph than that of the run that is looked at.
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
  tell(page, selection);
  return page.finish();
}

std::vector<InspectorFact> inspector_facts(const InspectorInput& given, const Selection& selection) {
  const InspectorInput input = of_its_graph(given, selection);
  const ThemeColours colours;
  Page page(input, colours);
  tell(page, selection);
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
