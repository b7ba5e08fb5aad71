// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checks/bench_reserved.h"

#include <algorithm>

#include <arenascope/models/model.h>
#include <arenascope/schedule/quick_plan.h>
#include <fmt/format.h>
#include "engine/bench/bench_allocators.h"

namespace arenascope::app {

std::vector<BenchRow> bench_reserved(const std::filesystem::path& data,
                                     const std::function<void(const std::string&)>& progress) {
  std::error_code error;
  std::vector<std::filesystem::path> folders;
  const auto networks = data / "onnx" / "light";
  for (std::filesystem::directory_iterator at(networks, error), end; !error && at != end; at.increment(error))
    if (at->is_directory()) folders.push_back(at->path());
  std::sort(folders.begin(), folders.end());
  std::vector<BenchRow> rows;
  for (const auto& folder : folders) {
    if (progress) progress(folder.string());
    const auto model = models::open_model(folder.string(), {});
    if (!model || !model->graph.defined()) continue;
    const auto plan = quick_plan(model->graph);
    if (!plan) continue;
    std::vector<BufferLifetime> lifetimes;
    for (const PlannedTensor& tensor : plan->tensors)
      lifetimes.push_back({tensor.first.value, tensor.last.value, tensor.size});
    rows.push_back(reserved_row(trace_of_lifetimes(folder.filename().string(), lifetimes)));
  }
  if (rows.empty())
    rows.push_back({fmt::format("reserved over live peak: no networks in {}", networks.string()), 0, "ratio", "", 0, 0,
                    1.2, false});
  return rows;
}

}  // namespace arenascope::app
