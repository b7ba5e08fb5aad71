// SPDX-License-Identifier: GPL-3.0-or-later
// A number on its way to the screen. Views print numbers through figure(), so that what was drawn is known as text with
// an id, under which `arenascope-cli audit` recomputes the number from the raw events: tests hold one against the
// other.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <QString>
#include <QStringList>
#include <concepts>
#include <string>
#include <vector>

namespace arenascope::views {

enum class FigureUnit : uint8_t { Bytes, Time, Share, Count, Step, Ratio, Address, Number };

struct Figure {
  // "run.0.wall"; empty: of something that the audit has no line for. "chosen.…": of what the user points at or chose,
  // which claims nothing of a recording. "B.…": of what is compared with; "B-A:…|…" and "B/A:…|…": of one there and one
  // here, of which either may be missing.
  std::string id;
  double value = 0;
  FigureUnit unit = FigureUnit::Count;
  QString text;  // as it is drawn: "1.25 ms"
};

Figure figure(std::string id, double value, FigureUnit unit);

// An id of its words: figure_id("plan", 1, "step", 3, "live").
inline void add_word(std::string& id, const std::string& word) {
  if (!id.empty()) id += '.';
  id += word;
}
template <std::integral T>
void add_word(std::string& id, T number) {
  add_word(id, std::to_string(number));
}
template <class... Words>
std::string figure_id(const Words&... words) {
  std::string id;
  (add_word(id, words), ...);
  return id;
}

// Ids, as the audit has them.
std::string node_figure(trace::GraphId graph, NodeId node, const char* what);         // "node.0.12.median_wall"
std::string plan_figure(trace::PlanId plan, const char* what);                        // "plan.1.arena"
std::string block_figure(trace::PlanId plan, BlockId block, const char* what);        // "plan.1.block.3.filled"
std::string run_figure(trace::RunId run, const char* what);                           // "run.0.wall"
std::string thread_figure(trace::RunId run, trace::TrackId track, const char* what);  // "run.0.thread.2.busy_share"
std::string barrier_figure(const trace::Barrier& barrier, const char* what);          // "run.0.barrier.7.waited"
std::string kind_figure(trace::MemoryKind kind, const char* what);                    // "kind.Workspace.active.peak"

std::string other_figure(const std::string& id);  // "B.run.0.wall"; of none there is none

std::string tensor_figure(trace::GraphId graph, trace::TensorRef tensor, const std::string& what);
std::string slice_figure(trace::PlanId plan, trace::TensorRef tensor, const char* what);
std::string step_figure(trace::PlanId plan, int32_t step, const std::string& what);  // "plan.1.step.3.live"
// Of nodes of a graph or a plan of it: of a layer, or of those listed. "graph.0.layer.3.mean"
std::string nodes_figure(const std::string& of, const trace::GraphInfo& graph, const std::vector<NodeId>& nodes,
                         const std::string& what);

// A sentence of figures: %1, %2, … of a pattern are their texts.
struct FigureText {
  QString text;
  std::vector<Figure> figures;
  QStringList names = {};  // in the text: of tensors, threads, allocators, whose digits are no numbers

  bool empty() const { return text.isEmpty(); }
  // Goes on behind what there is, or in a line of its own.
  FigureText& add(const FigureText& more, const QString& between = {});
  FigureText& line(const FigureText& more) { return add(more, text.isEmpty() ? QString() : QStringLiteral("\n")); }
};
FigureText with_figures(QString pattern, std::vector<Figure> figures);
// Of sentences and names, each where the pattern has its number.
FigureText with_parts(const QString& pattern, const std::vector<FigureText>& parts);
FigureText plain_text(const QString& text);  // in which there is no number
FigureText name_text(const QString& name);   // what something is called
FigureText figure_text(Figure figure);
// "9.4 MiB (9,884,576 bytes)"
FigureText exact_text(const std::string& id, Bytes bytes);
FigureText shape_text(trace::GraphId graph, trace::TensorRef ref, const trace::TensorInfo& tensor);
FigureText title_text(const trace::TensorInfo& tensor, trace::TensorRef ref);  // name and op
// A count that tr() has put in already, for the sake of the plural.
FigureText with_count(QString text, std::string id, int64_t count);

}  // namespace arenascope::views
