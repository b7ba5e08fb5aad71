// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/figure.h>
#include <views/common/format.h>

#include <initializer_list>

namespace arenascope::views {

namespace {

QString drawn(double value, FigureUnit unit) {
  switch (unit) {
    case FigureUnit::Bytes: return format_bytes(static_cast<Bytes>(value));
    case FigureUnit::Time: return format_ns(static_cast<Nanoseconds>(value));
    case FigureUnit::Share: return format_percent(value);
    case FigureUnit::Count:
    case FigureUnit::Step: return format_count(static_cast<int64_t>(value));
    case FigureUnit::Ratio: return QString::number(value, 'f', 3);
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

FigureText with_figures(QString pattern, std::vector<Figure> figures) {
  for (const Figure& f : figures) pattern = pattern.arg(f.text);
  return {std::move(pattern), std::move(figures)};
}

FigureText with_count(QString text, std::string id, int64_t count) {
  return {std::move(text), {{std::move(id), static_cast<double>(count), FigureUnit::Count, QString::number(count)}}};
}

}  // namespace arenascope::views
