// SPDX-License-Identifier: GPL-3.0-or-later
// A number on its way to the screen. Views print numbers through figure(), so that what was drawn is known as text with
// an id, under which `arenascope-cli audit` recomputes the number from the raw events: tests hold one against the
// other.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <QString>
#include <string>
#include <vector>

namespace arenascope::views {

enum class FigureUnit : uint8_t { Bytes, Time, Share, Count, Step, Ratio };

struct Figure {
  std::string id;  // "run.0.wall"; empty: of something that the audit has no line for
  double value = 0;
  FigureUnit unit = FigureUnit::Count;
  QString text;  // as it is drawn: "1.25 ms"
};

Figure figure(std::string id, double value, FigureUnit unit);

// Ids, as the audit has them.
std::string node_figure(trace::GraphId graph, NodeId node, const char* what);         // "node.0.12.median_wall"
std::string plan_figure(trace::PlanId plan, const char* what);                        // "plan.1.arena"
std::string block_figure(trace::PlanId plan, BlockId block, const char* what);        // "plan.1.block.3.filled"
std::string run_figure(trace::RunId run, const char* what);                           // "run.0.wall"
std::string thread_figure(trace::RunId run, trace::TrackId track, const char* what);  // "run.0.thread.2.busy_share"
std::string barrier_figure(const trace::Barrier& barrier, const char* what);          // "run.0.barrier.7.waited"
std::string kind_figure(trace::MemoryKind kind, const char* what);                    // "kind.Workspace.active.peak"

// A sentence of figures: %1, %2, … of a pattern are their texts.
struct FigureText {
  QString text;
  std::vector<Figure> figures;
};
FigureText with_figures(QString pattern, std::vector<Figure> figures);
// A count that tr() has put in already, for the sake of the plural.
FigureText with_count(QString text, std::string id, int64_t count);

}  // namespace arenascope::views
