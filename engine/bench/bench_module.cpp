// SPDX-License-Identifier: MIT
#include "engine/bench/bench_module.h"

#include <arenascope/runtime/backend_module.h>

namespace arenascope {
namespace {

BenchRow row_of(const arenascope_measurement& figure) {
  BenchRow row{figure.name, figure.value, figure.unit, figure.peer, figure.peer_value};
  row.ratio = figure.peer_value > 0 ? figure.value / figure.peer_value : 0;
  row.target = figure.target;
  const double judged = row.peer.empty() ? row.value : row.ratio;
  row.passed = figure.at_least ? judged >= row.target : judged <= row.target;
  return row;
}

}  // namespace

Result<std::vector<BenchRow>> bench_module(std::string_view backend, bool quick) {
  auto module = load_backend_module(backend);
  if (!module) return module.error();
  std::vector<BenchRow> rows;
  const Status done =
      module->measure({}, quick, [&](const arenascope_measurement& figure) { rows.push_back(row_of(figure)); });
  if (!done) return done.error();
  return rows;
}

}  // namespace arenascope
