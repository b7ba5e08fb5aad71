// SPDX-License-Identifier: GPL-3.0-or-later
#include <arenascope/base/step_number.h>
#include <views/common/figure.h>

#include <arenascope/trace/unknown_size.h>
#include <views/common/format.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>

namespace arenascope::views {

namespace {

QString drawn(double value, FigureUnit unit) {
  switch (unit) {
    case FigureUnit::Bytes: return format_bytes(static_cast<Bytes>(value));
    case FigureUnit::Time: return format_ns(static_cast<Nanoseconds>(value));
    case FigureUnit::Share: return format_percent(value);
    case FigureUnit::Count: return format_count(static_cast<int64_t>(value));
    case FigureUnit::Step: return format_count(step_number(static_cast<int64_t>(value)));
    case FigureUnit::EndStep: return format_count(last_step_number(static_cast<int64_t>(value)));
    case FigureUnit::Ratio: return QString::number(value, 'f', 3);
    case FigureUnit::Address: return format_address(static_cast<Bytes>(value));
    case FigureUnit::Number: return QString::number(static_cast<int64_t>(value));
  }
  return {};
}

}  // namespace

Figure figure(std::string id, double value, FigureUnit unit) {
  return {std::move(id), value, unit, drawn(value, unit)};
}

namespace {

std::string dotted(std::initializer_list<std::string> parts) {
  std::string id;
  for (const std::string& part : parts) id += (id.empty() ? "" : ".") + part;
  return id;
}

std::string number(int64_t n) { return std::to_string(n); }

}  // namespace

std::string node_figure(trace::GraphId graph, NodeId node, const char* what) {
  return dotted({"node", number(graph.value), number(node.value), what});
}
std::string plan_figure(trace::PlanId plan, const char* what) { return dotted({"plan", number(plan.value), what}); }
std::string block_figure(trace::PlanId plan, BlockId block, const char* what) {
  return dotted({"plan", number(plan.value), "block", number(block.value), what});
}
std::string run_figure(trace::RunId run, const char* what) { return dotted({"run", number(run.value), what}); }
std::string thread_figure(trace::RunId run, trace::TrackId track, const char* what) {
  return dotted({"run", number(run.value), "thread", number(track.value), what});
}
std::string barrier_figure(const trace::Barrier& barrier, const char* what) {
  return dotted({"run", number(barrier.run.value), "barrier", number(barrier.generation), what});
}
std::string kind_figure(trace::MemoryKind kind, const char* what) {
  return dotted({"kind", std::string(trace::kMemoryKindNames[static_cast<size_t>(kind)]), what});
}

std::string other_figure(const std::string& id) { return id.empty() ? id : "B." + id; }

namespace {
std::string tensor_key(trace::TensorRef tensor) {
  return (tensor.is_leaf() ? "leaf." : "node.") + number(static_cast<int64_t>(tensor.index()));
}
}  // namespace

std::string tensor_figure(trace::GraphId graph, trace::TensorRef tensor, const std::string& what) {
  return dotted({"tensor", number(graph.value), tensor_key(tensor), what});
}
std::string slice_figure(trace::PlanId plan, trace::TensorRef tensor, const char* what) {
  return dotted({"plan", number(plan.value), "slice", tensor_key(tensor), what});
}
std::string step_figure(trace::PlanId plan, int32_t step, const std::string& what) {
  return dotted({"plan", number(plan.value), "step", number(step), what});
}

std::string nodes_figure(const std::string& of, const trace::GraphInfo& graph, const std::vector<NodeId>& nodes,
                         const std::string& what) {
  if (nodes.empty() || nodes.front().index() >= graph.nodes.size()) return {};
  const std::string& layer = graph.nodes[nodes.front().index()].layer;
  const auto in_layer =
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](auto& n) { return n.layer == layer; });
  if (!layer.empty() && static_cast<size_t>(in_layer) == nodes.size())
    return dotted({of, "layer", number(nodes.front().value), what});
  std::string list;
  for (size_t i = 0; i < nodes.size();) {
    size_t next = i + 1;
    while (next < nodes.size() && nodes[next].value == nodes[next - 1].value + 1) ++next;
    if (i > 0) list += '+';
    list += std::to_string(nodes[i].value);
    list += '-';
    list += std::to_string(nodes[next - 1].value);
    i = next;
  }
  return dotted({of, "nodes", list, what});
}

FigureText& FigureText::add(const FigureText& more, const QString& between) {
  if (more.text.isEmpty()) return *this;
  text += between + more.text;
  figures.insert(figures.end(), more.figures.begin(), more.figures.end());
  names += more.names;
  return *this;
}

FigureText with_parts(const QString& pattern, const std::vector<FigureText>& parts) {
  FigureText out;
  for (qsizetype i = 0; i < pattern.size(); ++i) {
    const auto part = static_cast<size_t>(i + 1 < pattern.size() ? pattern[i + 1].digitValue() - 1 : -1);
    if (pattern[i] != u'%' || part >= parts.size()) {
      out.text += pattern[i];
      continue;
    }
    out.add(parts[part]);
    ++i;
  }
  return out;
}

FigureText plain_text(const QString& text) { return {text, {}, {}}; }
FigureText name_text(const QString& name) { return {name, {}, {name}}; }
FigureText figure_text(Figure figure) {
  QString text = figure.text;
  return {std::move(text), {std::move(figure)}, {}};
}

FigureText exact_text(const std::string& id, Bytes bytes) {
  const Figure rounded = figure(id, static_cast<double>(bytes), FigureUnit::Bytes);
  if (std::abs(bytes) < 1024) return figure_text(rounded);
  return with_figures(DisplayNames::tr("%1 (%2 bytes)"),
                      {rounded, figure(id, static_cast<double>(bytes), FigureUnit::Count)});
}

FigureText shape_text(trace::GraphId graph, trace::TensorRef ref, const trace::TensorInfo& tensor) {
  if (trace::has_unknown_size(tensor)) return plain_text(DisplayNames::tr("size unknown"));
  if (tensor.shape.empty()) return plain_text(DisplayNames::tr("scalar"));
  FigureText out;
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    out.add(figure_text(figure(tensor_figure(graph, ref, "dim." + std::to_string(i)),
                               static_cast<double>(tensor.shape[i]), FigureUnit::Number)),
            i > 0 ? QStringLiteral(" × ") : QString());
  return out;
}

FigureText title_text(const trace::TensorInfo& tensor, trace::TensorRef ref) {
  FigureText out = name_text(tensor.name.empty() ? DisplayNames::node(ref) : QString::fromStdString(tensor.name));
  return tensor.op.empty() ? out : out.add(name_text(QString::fromStdString(tensor.op)), QStringLiteral("  "));
}

FigureText with_figures(QString pattern, std::vector<Figure> figures) {
  for (const Figure& f : figures) pattern = pattern.arg(f.text);
  return {std::move(pattern), std::move(figures), {}};
}

FigureText with_count(QString text, std::string id, int64_t count) {
  return {
      std::move(text), {{std::move(id), static_cast<double>(count), FigureUnit::Count, QString::number(count)}}, {}};
}

}  // namespace arenascope::views
