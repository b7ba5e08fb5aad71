// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/durations/durations_data.h>

#include <views/common/format.h>
#include <QStringList>

#include <algorithm>

namespace arenascope::views {

namespace {

void take_node(const trace::Snapshot& snapshot, trace::GraphId graph, NodeId node, DurationsData& data) {
  const trace::TensorInfo* info = snapshot.tensor(graph, trace::TensorRef::node(node));
  if (info == nullptr) return;
  data.of = DurationsOf::Node;
  data.title = tensor_title(*info, trace::TensorRef::node(node));
  data.durations.values = snapshot.durations(graph, node);
  const trace::NodeStats stats = snapshot.stats(graph, node);
  data.cold = stats.cold;
  data.incomplete = stats.incomplete;
}

// Complete runs of the graph, without cold ones if there are others.
void take_runs(const trace::Snapshot& snapshot, trace::GraphId graph, DurationsData& data) {
  std::vector<Nanoseconds> warm, cold;
  for (size_t i = snapshot.forgotten_runs; i < snapshot.runs.size(); ++i) {
    const trace::Run& run = snapshot.runs[i];
    if (run.info.graph == graph && run.whole()) (run.cold ? cold : warm).push_back(run.wall());
  }
  if (warm.empty() && cold.empty()) return;
  data.of = DurationsOf::Runs;
  data.cold = warm.empty();
  data.durations.values = warm.empty() ? std::move(cold) : std::move(warm);
  std::ranges::sort(data.durations.values);
}

void take_span(const trace::Snapshot& snapshot, const trace::SpanRef& span, const std::stop_token& stop,
               DurationsData& data) {
  const trace::Event& event = snapshot.event(span);
  data.marked = event.end() - event.begin();
  const trace::GraphInfo* graph = event.kind() == trace::EventKind::Work ? snapshot.graph_of(event.run()) : nullptr;
  if (graph != nullptr && event.node().valid()) {
    data.marked = -1;  // of a chunk, whereas the values are of the whole node
    return take_node(snapshot, graph->id, event.node(), data);
  }
  data.of = DurationsOf::Spans;
  data.title = QString::fromStdString(snapshot.label(event));
  data.durations = trace::durations_of_label(snapshot, span, stop);
}

}  // namespace

DurationsDataPtr durations_of(const trace::Snapshot& snapshot, trace::GraphId graph, const Selection& selection,
                              const std::stop_token& stop) {
  auto data = std::make_shared<DurationsData>();
  const auto* node = selection.get<NodeSelection>();
  const auto* event = selection.get<EventSelection>();
  if (node != nullptr && node->tensor.is_node())
    take_node(snapshot, node->graph, NodeId(node->tensor.index()), *data);
  else if (event != nullptr)
    take_span(snapshot, event->span, stop, *data);
  else
    take_runs(snapshot, graph, *data);
  if (stop.stop_requested()) return nullptr;
  data->histogram = trace::histogram_of(data->durations.values);
  return data;
}

QString DurationsText::heading(const DurationsData& data) {
  const auto count = static_cast<int>(std::min<size_t>(data.durations.values.size(), INT32_MAX));
  QString text = data.of == DurationsOf::Spans ? tr("%n span(s)", nullptr, count) : tr("%n run(s)", nullptr, count);
  if (data.incomplete) text += tr(", incomplete");
  if (data.cold) text += tr(", cold");
  return data.title.isEmpty() ? text : data.title + QStringLiteral(" · ") + text;
}

QString DurationsText::summary(const DurationsData& data) {
  const std::vector<Nanoseconds>& values = data.durations.values;
  if (values.empty()) return {};
  const trace::DurationHistogram& histogram = data.histogram;
  return tr("min %1 · p50 %2 · p90 %3 · p99 %4 · max %5")
      .arg(format_ns(values.front()), format_ns(histogram.p50), format_ns(histogram.p90), format_ns(histogram.p99),
           format_ns(values.back()));
}

QString DurationsText::bin(const DurationsData& data, size_t bin) {
  const trace::DurationBin& of = data.histogram.bins[bin];
  const auto count = static_cast<int>(std::min<size_t>(of.count, INT32_MAX));
  const QString number =
      data.of == DurationsOf::Spans ? tr("%n span(s)", nullptr, count) : tr("%n run(s)", nullptr, count);
  return QStringLiteral("%1 – %2\n%3 (%4)")
      .arg(format_ns(static_cast<Nanoseconds>(of.begin)), format_ns(static_cast<Nanoseconds>(of.end)), number,
           format_percent(static_cast<double>(of.count) / static_cast<double>(data.durations.values.size())));
}

QString DurationsText::to_csv(const DurationsData& data) {
  QString out = QStringLiteral("begin (ns),end (ns),count\n");
  for (const trace::DurationBin& bin : data.histogram.bins)
    out += QStringLiteral("%1,%2,%3\n").arg(bin.begin, 0, 'g', 17).arg(bin.end, 0, 'g', 17).arg(bin.count);
  return out;
}

}  // namespace arenascope::views
