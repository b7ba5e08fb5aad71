// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/left_out.h"

#include <fmt/format.h>

#include "app/common/format.h"

namespace arenascope::app {

std::string left_out(const trace::Snapshot& snapshot) {
  for (size_t i = 0; i < snapshot.problems.size(); ++i) {
    const trace::Problem& problem = snapshot.problems[i];
    if (problem.kind != trace::ProblemKind::LeftOut || problem.severity == trace::Severity::Note) continue;
    std::string text = problem.sentence;
    if (text.ends_with('.')) text.pop_back();
    return text;
  }
  return snapshot.lost > 0 ? counted(snapshot.lost, "event") + " were lost while they were recorded" : std::string();
}

std::string left_out(const trace::Snapshot& snapshot, const std::string& file) {
  const std::string text = left_out(snapshot);  // that of a reader begins with the file
  return text.empty() || text.starts_with(file + ": ") ? text : fmt::format("{}: {}", file, text);
}

std::string left_out(const models::Model& model) {
  if (model.complete()) return {};
  int64_t unsupported = 0;
  for (const auto& [op, count] : model.unsupported) unsupported += count;
  std::string text = unsupported > 0 || model.problems.empty()
                         ? fmt::format("{} of {} nodes cannot be computed", unsupported, model.node_count)
                         : model.problems.front();
  if (const size_t count = model.unknown_sizes.size(); count > 0)
    text += fmt::format(", {} of unknown size", counted(static_cast<int64_t>(count), "tensor"));
  return text;
}

}  // namespace arenascope::app
