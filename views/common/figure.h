// SPDX-License-Identifier: GPL-3.0-or-later
// A number shown on the screen. Views format numbers with figure(), which keeps the displayed text together with an id.
// `arenascope-cli audit` recomputes the number for the same id from the raw events, and tests compare the two.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <QString>
#include <QStringList>
#include <concepts>
#include <string>
#include <vector>

namespace arenascope::views {

// Step: the index of a step, whose text is its number from 1. EndStep: the exclusive end of a range of steps, whose text is
// the number of the last step in it.
enum class FigureUnit : uint8_t { Bytes, Time, Share, Count, Step, EndStep, Ratio, Address, Number };

struct Figure {
  // "run.0.wall"; empty if the audit has no such value. "chosen.…": depends on a selection by the user and states
  // nothing about a recording. "B.…": of the other side of a comparison. "B-A:…|…" and "B/A:…|…": difference and ratio
  // of a value there and one here, either of which may be missing.
  std::string id;
  double value = 0;
  FigureUnit unit = FigureUnit::Count;
  QString text;  // as displayed: "1.25 ms"
};

Figure figure(std::string id, double value, FigureUnit unit);

// Joins the parts of an id: figure_id("plan", 1, "step", 3, "live").
inline void add_key_part(std::string& id, const std::string& part) {
  if (!id.empty()) id += '.';
  id += part;
}
template <std::integral T>
void add_key_part(std::string& id, T number) {
  add_key_part(id, std::to_string(number));
}
template <class... Parts>
std::string figure_id(const Parts&... parts) {
  std::string id;
  (add_key_part(id, parts), ...);
  return id;
}

// Ids as used by the audit.
std::string node_figure(trace::GraphId graph, NodeId node, const char* what);         // "node.0.12.median_wall"
std::string plan_figure(trace::PlanId plan, const char* what);                        // "plan.1.arena"
std::string block_figure(trace::PlanId plan, BlockId block, const char* what);        // "plan.1.block.3.filled"
std::string run_figure(trace::RunId run, const char* what);                           // "run.0.wall"
std::string thread_figure(trace::RunId run, trace::TrackId track, const char* what);  // "run.0.thread.2.busy_share"
std::string barrier_figure(const trace::Barrier& barrier, const char* what);          // "run.0.barrier.7.waited"
std::string kind_figure(trace::MemoryKind kind, const char* what);                    // "kind.Workspace.active.peak"

std::string other_figure(const std::string& id);  // "B.run.0.wall"; an empty id stays empty

std::string tensor_figure(trace::GraphId graph, trace::TensorRef tensor, const std::string& what);
std::string slice_figure(trace::PlanId plan, trace::TensorRef tensor, const char* what);
std::string step_figure(trace::PlanId plan, int32_t step, const std::string& what);  // "plan.1.step.3.live"
// Id of a sum over nodes of a graph or plan: a layer, or the listed nodes. "graph.0.layer.3.mean"
std::string nodes_figure(const std::string& of, const trace::GraphInfo& graph, const std::vector<NodeId>& nodes,
                         const std::string& what);

// Text that contains figures: the placeholders %1, %2, … of a pattern are replaced by their texts.
struct FigureText {
  QString text;
  std::vector<Figure> figures;
  QStringList names = {};  // names of tensors, threads and allocators in the text, whose digits are not numbers

  bool empty() const { return text.isEmpty(); }
  // Appends to the text, after `between` or on a new line.
  FigureText& add(const FigureText& more, const QString& between = {});
  FigureText& line(const FigureText& more) { return add(more, text.isEmpty() ? QString() : QStringLiteral("\n")); }
};
FigureText with_figures(QString pattern, std::vector<Figure> figures);
// Fills the placeholders of a pattern with texts and names.
FigureText with_parts(const QString& pattern, const std::vector<FigureText>& parts);
FigureText plain_text(const QString& text);  // text without numbers
FigureText name_text(const QString& name);   // a name
FigureText figure_text(Figure figure);
// "9.4 MiB (9,884,576 bytes)"
FigureText exact_text(const std::string& id, Bytes bytes);
FigureText shape_text(trace::GraphId graph, trace::TensorRef ref, const trace::TensorInfo& tensor);
FigureText title_text(const trace::TensorInfo& tensor, trace::TensorRef ref);  // name and op
// Text into which tr() has already inserted the count, because of the plural forms.
FigureText with_count(QString text, std::string id, int64_t count);

}  // namespace arenascope::views
