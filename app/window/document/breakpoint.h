// SPDX-License-Identifier: GPL-3.0-or-later
// A condition that pauses a run: a node, an op, a name pattern, a result size, or NaN or infinity in a result.
#pragma once
#include <arenascope/trace/info.h>
#include <arenascope/trace/snapshot.h>

#include <QString>
#include <QStringList>

#include <optional>
#include <set>
#include <vector>

namespace arenascope::app {

struct Breakpoint {
  enum class Kind : uint8_t { Node, Op, Name, Bytes, NaN };
  Kind kind = Kind::Node;
  QString text;     // name of the node or op; a pattern with * and ?
  Bytes bytes = 0;  // minimum result size
  bool on = true;
  bool operator==(const Breakpoint&) const = default;
  QString describe() const;
  // "op=CONV", "name=blk.1.*", "bytes>=1048576", "nan", "node=conv1": the format in the settings.
  QString to_setting() const;
  static std::optional<Breakpoint> from_setting(const QString& text);
};

// Nodes before which a run of this graph pauses. NaN breakpoints are not included; they are checked on results.
std::set<NodeId> nodes_to_break(const trace::GraphInfo& graph, const std::vector<Breakpoint>& breakpoints);
bool wants_nan(const std::vector<Breakpoint>& breakpoints);

// The problem that a run records for a result with NaN or infinity, and the nodes for which a recording contains one.
trace::Problem not_finite(NodeId node, trace::RunId run, const std::string& name);
std::set<NodeId> nodes_not_finite(const trace::Snapshot& snapshot);

}  // namespace arenascope::app
