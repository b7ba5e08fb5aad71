// SPDX-License-Identifier: GPL-3.0-or-later
// A tensor: shape, times, location, producer and users.
#include <arenascope/trace/recorded.h>
#include <arenascope/trace/unknown_size.h>
#include <views/common/format.h>
#include <views/common/rates.h>
#include <views/common/steps_text.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "facts_builder.h"

namespace arenascope::views::inspector {

namespace {

// The counterpart of the tensor on the other side of the comparison.
void counterpart(FactsBuilder& facts, TensorRef ref) {
  const ComparisonPtr& c = facts.in.comparison;
  if (!c || !c->other.graph) return;
  facts.section(Texts::tr("In B: %1").arg(c->other.title));
  const TensorRef other = c->match.to_other(ref);
  const TensorInfo* t = c->other.snapshot->tensor(c->other.graph->id, other);
  if (!t) return facts.line(Texts::tr("It has no counterpart in B."));
  facts.row(Texts::tr("name"), to_text(t->name));
  facts.row(Texts::tr("shape"), format_shape(t->shape));
  const auto row = [&](const QString& key, const std::string& id, double value, FigureUnit unit) {
    facts.row(key, figure(other_figure(id), value, unit));
  };
  if (has_size(*t))
    row(Texts::tr("bytes"), tensor_figure(c->other.graph->id, other, "bytes"), static_cast<double>(t->bytes),
        FigureUnit::Bytes);
  if (other.is_node()) {
    const NodeId node(other.index());
    const trace::NodeStats s = c->other.snapshot->stats(c->other.graph->id, node);
    if (s.runs > 0)
      row(Texts::tr("mean time"), node_figure(c->other.graph->id, node, "mean_wall"), s.mean, FigureUnit::Time);
  }
  if (!c->other.plan) return;
  for (const trace::SliceInfo& slice : c->other.plan->slices) {
    if (slice.tensor != other) continue;
    const auto of = [&](const char* what, int64_t value, FigureUnit unit) {
      return figure(other_figure(slice_figure(c->other.plan->id, other, what)), static_cast<double>(value), unit);
    };
    facts.row(Texts::tr("location"),
              with_figures(QStringLiteral("[%1, +%2)"), {of("offset", slice.offset, FigureUnit::Address),
                                                         of("bytes", slice.size, FigureUnit::Bytes)}));
    facts.row(Texts::tr("steps"), steps_text(of("first", slice.first.value, FigureUnit::Step),
                                             of("last", slice.last.value, FigureUnit::EndStep)));
    return;
  }
}

// A row for each tensor up to the one that owns the bytes.
void view_chain(FactsBuilder& facts, TensorRef ref) {
  QString key = Texts::tr("view of");
  const TensorInfo* tensor = facts.info(ref);
  for (int guard = 0; tensor != nullptr && tensor->view_source.valid() && guard < 16; ++guard) {
    FactValue step = facts.link(tensor->view_source);
    if (tensor->view_offset != 0) step.note = QStringLiteral("+%1").arg(format_bytes(tensor->view_offset));
    facts.row(std::exchange(key, QStringLiteral("→")), step);
    tensor = facts.info(tensor->view_source);
  }
}

void times(FactsBuilder& facts, NodeId node) {
  const trace::Snapshot& snapshot = *facts.in.snapshot;
  const trace::NodeStats stats = snapshot.stats(facts.in.graph->id, node);
  if (stats.runs == 0) return;
  const auto of = [&](const char* what, double value, FigureUnit unit) {
    return figure(node_figure(facts.in.graph->id, node, what), value, unit);
  };
  const auto time = [&](const char* what, auto ns) { return of(what, static_cast<double>(ns), FigureUnit::Time); };
  facts.section(Texts::tr("Time"));
  facts.row(Texts::tr("mean per run"), time("mean_wall", stats.mean));
  facts.row(Texts::tr("median, quartiles"),
            with_figures(QStringLiteral("%1, %2, %3"),
                         {time("median_wall", stats.median), time("lower_quartile_wall", stats.quartile1),
                          time("upper_quartile_wall", stats.quartile3)}));
  facts.row(Texts::tr("shortest, longest"),
            with_figures(QStringLiteral("%1, %2"),
                         {time("shortest_wall", stats.shortest), time("longest_wall", stats.longest)}));
  const Figure counted = of("counted_runs", static_cast<double>(stats.runs), FigureUnit::Count);
  QString runs = counted.text;
  if (stats.cold) runs = Texts::tr("%1 (cold first run)").arg(runs);
  if (stats.incomplete) runs = Texts::tr("%1, incomplete").arg(runs);
  std::vector<Figure> counts{counted};
  if (stats.left_out > 0) {
    counts.push_back(of("left_out", static_cast<double>(stats.left_out), FigureUnit::Count));
    runs = Texts::tr("%1; %2 excluded").arg(runs, counts.back().text);
  }
  facts.row(Texts::tr("runs"), FigureText{runs, std::move(counts)});
  if (stats.first && !stats.cold) facts.row(Texts::tr("in the cold first run"), time("cold_wall", *stats.first));
  facts.row(Texts::tr("busy, all threads"), with_figures(Texts::tr("%1 per run"), {time("busy", stats.busy)}));
  Figure parts = of("parts_a_run", stats.parts, FigureUnit::Count);
  parts.text = format_count(static_cast<int64_t>(std::lround(stats.parts)));
  facts.row(Texts::tr("chunks per run"), parts);
  if (stats.queueing > 0)
    facts.row(Texts::tr("host enqueue time"),
              with_figures(Texts::tr("%1 per run"), {time("queueing", stats.queueing)}));
  if (stats.barriers > 0) {
    facts.row(Texts::tr("barrier wait after it"),
              with_figures(Texts::tr("%1 per run, all threads"), {time("wait", stats.wait)}));
    auto name = [&](trace::TrackId id) {
      return id.valid() && id.index() < snapshot.tracks.size() ? to_text(snapshot.tracks[id.index()].info.name)
                                                               : QString();
    };
    facts.row(Texts::tr("last at the barrier"), name(stats.last_arriver));
    if (stats.most_frequent_last.valid() && stats.most_frequent_votes * 4 > stats.barriers)
      facts.row(Texts::tr("usually last"), name(stats.most_frequent_last));
  }
  const trace::NodeRates rates = rates_of(*facts.in.graph, node, stats);
  const auto rate = [&](const QString& title, const char* what, const QString& form,
                        const std::optional<double>& value) {
    if (!value) return;
    Figure number = of(what, *value, FigureUnit::Ratio);
    number.text = format_rate(*value);
    facts.row(title, with_figures(form, {number}));
  };
  rate(Texts::tr("speed"), "speed", QStringLiteral("%1 GFLOP/s"), rates.gflops);
  rate(Texts::tr("bandwidth"), "bandwidth", QStringLiteral("%1 GB/s"), rates.bandwidth);
  rate(Texts::tr("arithmetic intensity"), "intensity", QStringLiteral("%1 FLOP/B"), rates.intensity);
}

// The device kernels of the node in the run, and their times.
void kernels(FactsBuilder& facts, NodeId node) {
  const trace::Snapshot& snapshot = *facts.in.snapshot;
  std::map<std::string, std::pair<int64_t, Nanoseconds>> sums;
  for (const trace::SpanRef& ref : snapshot.spans_of(facts.in.run, node)) {
    const trace::Event& e = snapshot.event(ref);
    const std::string_view kernel = snapshot.kernel(e);
    if (kernel.empty()) continue;
    auto& sum = sums[std::string(kernel)];
    ++sum.first;
    sum.second += e.end() - e.begin();
  }
  if (sums.empty()) return;
  facts.section(Texts::tr("Kernels in this run"));
  for (const auto& [name, sum] : sums) {
    const auto id = [&, &own = name](const char* what) {
      return figure_id("run", facts.in.run.value, "node", node.value, "kernel", what, own);
    };
    facts.row(to_text(name), with_figures(QStringLiteral("%1×  %2"),
                                          {figure(id("spans"), static_cast<double>(sum.first), FigureUnit::Number),
                                           figure(id("busy"), static_cast<double>(sum.second), FigureUnit::Time)}));
  }
}

// Strides in bytes, outermost first, and with ggml's names.
void strides(FactsBuilder& facts, const TensorInfo& t) {
  QStringList texts;
  for (int64_t s : t.strides) texts << QString::number(s);
  facts.row(Texts::tr("strides"),
            texts.isEmpty() ? QString() : texts.join(QStringLiteral(", ")) + QStringLiteral(" B"));
  // ggml's names for the same values, innermost first.
  if (!t.shape.empty() && t.shape.size() <= 4 && t.strides.size() == t.shape.size()) {
    QStringList ne, nb;
    for (size_t i = 0; i < 4; ++i) {
      const bool there = i < t.shape.size();
      ne << QString::number(there ? t.shape[t.shape.size() - 1 - i] : 1);
      nb << QString::number(there ? t.strides[t.shape.size() - 1 - i]
                                  : t.strides.front() * std::max<int64_t>(t.shape.front(), 1));
    }
    facts.row(QStringLiteral("ne"), QStringLiteral("{%1}").arg(ne.join(QStringLiteral(", "))));
    facts.row(QStringLiteral("nb"), QStringLiteral("{%1}").arg(nb.join(QStringLiteral(", "))));
  }
}

// The parameter whose gradient, accumulator or optimiser state the tensor is; invalid if it is none of these.
TensorRef parameter_of(const trace::GraphInfo& graph, TensorRef ref) {
  const auto is_of = [&](const TensorInfo& t) {
    return t.gradient == ref || t.accumulator == ref ||
           std::find(t.states.begin(), t.states.end(), ref) != t.states.end();
  };
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (is_of(graph.nodes[i])) return TensorRef::node(NodeId(i));
  for (size_t i = 0; i < graph.leafs.size(); ++i)
    if (is_of(graph.leafs[i])) return TensorRef::leaf(LeafId(i));
  return {};
}

}  // namespace

void tensor_facts(FactsBuilder& facts, TensorRef ref) {
  const TensorInfo* t = facts.info(ref);
  if (t == nullptr) return;
  const QString role = DisplayNames::role(*t);
  const bool given = ref.is_leaf() || (t->op.empty() && (t->flags & trace::kParameter) != 0);
  const QString what = given ? role : to_text(t->op);
  facts.title(t->name.empty() ? DisplayNames::node(ref) : to_text(t->name),
              QStringList{DisplayNames::node(ref), what}.join(QStringLiteral(" · ")));
  facts.section(Texts::tr("Tensor"));
  if (trace::has_unknown_size(*t)) facts.row(Texts::tr("shape"), DisplayNames::tr("size unknown"));
  if (!t->shape.empty() || !t->dtype.empty()) {
    facts.row(Texts::tr("shape"), format_shape(t->shape));
    facts.row(Texts::tr("type"), to_text(t->dtype));
  }
  strides(facts, *t);
  if (!trace::has_unknown_size(*t))
    facts.row(Texts::tr("bytes"), trace::has_size(*t) ? format_bytes_exact(t->bytes) : Texts::tr("not recorded"));
  if ((t->flags & trace::kSavedForBackward) != 0) facts.row(Texts::tr("kept"), Texts::tr("for the backward pass"));
  view_chain(facts, ref);
  if (!given) {
    facts.section(Texts::tr("Work"));
    facts.row(Texts::tr("parameters"), to_text(t->parameters));
    QStringList parts;
    for (const trace::PartInfo& part : t->parts)
      parts << to_text(part.name.empty() ? part.op : part.op + " " + part.name);
    if (!parts.isEmpty()) facts.row(Texts::tr("parts"), parts.join(QStringLiteral(", ")));
    QStringList in_file;
    for (const trace::FileNodeInfo& node : t->file_nodes)
      in_file << to_text(node.name.empty() ? node.op : node.op + " " + node.name);
    if (!in_file.isEmpty()) facts.row(Texts::tr("in the file"), in_file.join(QStringLiteral(", ")));
    if ((t->flags & trace::kChannelsLast) != 0) facts.row(Texts::tr("layout"), Texts::tr("channels last"));
    facts.row(Texts::tr("backend"), to_text(t->backend));
    if ((t->flags & trace::kNoWork) != 0)
      facts.row(Texts::tr("tasks"), Texts::tr("none, it computes nothing"));
    else if (has_tasks(*t))
      facts.row(Texts::tr("tasks"), QString::number(t->tasks));
    if (t->work_bytes > 0) facts.row(Texts::tr("work buffer"), format_bytes(t->work_bytes));
    if (t->flops > 0) facts.row(Texts::tr("operations"), format_count(t->flops));
    facts.row(Texts::tr("layer"), to_text(t->layer));
  }
  location(facts, ref);
  storage_section(facts, ref);
  counterpart(facts, ref);
  if (ref.is_node()) times(facts, NodeId(ref.index()));
  if (ref.is_node()) kernels(facts, NodeId(ref.index()));
  if (ref.is_node() && !given) op_histogram(facts, NodeId(ref.index()));
  facts.links(Texts::tr("Inputs"), t->sources);
  if (t->gradient.valid()) facts.links(Texts::tr("Gradient"), std::vector{t->gradient});
  if (t->accumulator.valid()) facts.links(Texts::tr("Accumulator"), std::vector{t->accumulator});
  if (!t->states.empty()) facts.links(Texts::tr("Optimiser state"), t->states);
  if (const TensorRef parameter = parameter_of(*facts.in.graph, ref); parameter.valid())
    facts.links(Texts::tr("Parameter"), std::vector{parameter});
  std::vector<TensorRef> users_of;
  for (size_t i = 0; i < facts.in.graph->nodes.size(); ++i) {
    const auto& sources = facts.in.graph->nodes[i].sources;
    const auto times = std::count(sources.begin(), sources.end(), ref);  // x·x uses x twice
    users_of.insert(users_of.end(), static_cast<size_t>(times), TensorRef::node(NodeId(i)));
  }
  facts.links(Texts::tr("Users"), users_of);
}

}  // namespace arenascope::views::inspector
