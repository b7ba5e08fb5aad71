// SPDX-License-Identifier: MIT
#include <arenascope/schedule/intervals_file.h>

#include <arenascope/planner/csv.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <numeric>

namespace arenascope {

using trace::TensorRef;

namespace {
constexpr std::string_view kBufferOp = "BUFFER", kTimeOp = "TIME";
}

bool is_intervals_file(const std::filesystem::path& path) {
  constexpr size_t kLongest = 4096;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string line(kLongest, '\0');
  file.read(line.data(), static_cast<std::streamsize>(kLongest));
  line.resize(static_cast<size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  line.resize(std::min(line.find('\n'), line.size()));
  std::erase_if(line, [](unsigned char c) { return std::isspace(c) != 0; });
  std::transform(line.begin(), line.end(), line.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  line = fmt::format(",{},", line);
  const auto any = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(),
                       [&](const char* name) { return line.find(fmt::format(",{},", name)) != std::string::npos; });
  };
  return any({"size"}) && any({"lower", "begin", "start"}) && any({"upper", "end"});
}

trace::GraphInfo graph_of_intervals(const planner::Problem& problem, const std::string& name) {
  constexpr size_t kSourcesOfANode = 8;
  trace::GraphInfo graph;
  graph.id = trace::GraphId(0);
  graph.model = name;
  std::vector<size_t> begins(problem.size()), ends(problem.size());
  std::iota(begins.begin(), begins.end(), size_t{0});
  ends = begins;
  std::stable_sort(begins.begin(), begins.end(),
                   [&](size_t a, size_t b) { return problem.intervals[a].lower < problem.intervals[b].lower; });
  std::stable_sort(ends.begin(), ends.end(),
                   [&](size_t a, size_t b) { return problem.intervals[a].upper < problem.intervals[b].upper; });
  std::vector<TensorRef> node_of(problem.size());
  TensorRef last;                // last tensor of the chain
  std::vector<TensorRef> begun;  // since then
  const auto add = [&](trace::TensorInfo t) {
    graph.edges += static_cast<int64_t>(t.sources.size());
    graph.nodes.push_back(std::move(t));
    return TensorRef::node(NodeId(graph.nodes.size() - 1));
  };
  // At time t: buffers begun before are kept live until here; buffers that end here have their last use.
  const auto point = [&](int64_t t, std::vector<TensorRef> sources) {
    for (size_t i = 0; i < sources.size() || !last.valid(); i += kSourcesOfANode) {
      trace::TensorInfo time;
      time.name = fmt::format("t = {}", t);
      time.op = kTimeOp;
      time.dtype = "i8";
      time.shape = {0};
      time.flags = trace::kNoWork;
      if (last.valid()) time.sources.push_back(last);
      for (size_t k = i; k < std::min(i + kSourcesOfANode, sources.size()); ++k) time.sources.push_back(sources[k]);
      last = add(std::move(time));
    }
  };
  size_t b = 0, e = 0;
  int64_t since = INT64_MIN;  // the time of the last point
  while (e < ends.size()) {
    const int64_t next_begin = b < begins.size() ? problem.intervals[begins[b]].lower : INT64_MAX;
    const int64_t t = std::min(next_begin, problem.intervals[ends[e]].upper);
    std::vector<TensorRef> sources = std::exchange(begun, {});
    for (; e < ends.size() && problem.intervals[ends[e]].upper == t; ++e)
      if (problem.intervals[ends[e]].lower < since)
        sources.push_back(node_of[ends[e]]);  // the others are sources already
    point(t, std::move(sources));
    since = t;
    for (; b < begins.size() && problem.intervals[begins[b]].lower == t; ++b) {
      const size_t i = begins[b];
      trace::TensorInfo buffer;
      buffer.name = problem.name_of(i);
      buffer.op = kBufferOp;
      buffer.dtype = "i8";
      buffer.shape = {problem.intervals[i].size};
      buffer.bytes = problem.intervals[i].size;
      buffer.sources = {last};
      begun.push_back(node_of[i] = add(std::move(buffer)));
    }
  }
  return graph;
}

bool is_buffer_list(const trace::GraphInfo& graph) {
  return std::ranges::all_of(graph.nodes, [](const trace::TensorInfo& node) {
    return node.op_number == 0 && (node.op == kBufferOp || node.op == kTimeOp);
  });
}

Result<std::shared_ptr<trace::Session>> open_intervals(const std::filesystem::path& path, const std::string& planner,
                                                       double budget_seconds) {
  auto problem = planner::read_csv_file(path);
  if (!problem) return problem.error();
  if (problem->size() == 0) return Error{fmt::format("{}: it has no buffers.", path.string())};
  auto graph = std::make_shared<trace::GraphInfo>(graph_of_intervals(*problem, path.stem().string()));
  auto restored = restore_graph(*graph);
  if (!restored) return restored.error();
  MemoryPlanOptions options;
  options.alignment = 1;
  const size_t pinned = planner::pinned(*problem);
  const bool placed = pinned == problem->size();
  bool gaps = false;
  for (size_t i = 0; i < problem->size(); ++i) {
    options.alignment = std::max(options.alignment, problem->alignment_of(i));
    gaps = gaps || !problem->intervals[i].gaps.empty();
  }
  options.planner.budget_seconds = budget_seconds;
  auto plan = plan_memory(*restored, placed ? "none" : planner, "depth-first", options);
  if (!plan) return plan.error();
  auto described = std::make_shared<trace::PlanInfo>(describe_plan(*plan));
  described->id = trace::PlanId(0);
  described->graph = graph->id;
  if (placed) {
    std::map<std::string, Bytes> offset_of;
    for (size_t i = 0; i < problem->size(); ++i) offset_of[problem->name_of(i)] = *problem->intervals[i].fixed_offset;
    described->planner = "given";
    described->arena_bytes = 0;
    for (trace::SliceInfo& slice : described->slices) {
      const auto found = offset_of.find(graph->nodes[slice.tensor.index()].name);
      if (found != offset_of.end()) slice.offset = found->second;
      slice.block = {};
      described->arena_bytes = std::max(described->arena_bytes, slice.offset + slice.size);
    }
  }
  auto session = std::make_shared<trace::Session>();
  session->describe(trace::Description(std::shared_ptr<const trace::GraphInfo>(graph)));
  session->describe(trace::Description(std::shared_ptr<const trace::PlanInfo>(described)));
  if (gaps)
    session->describe(
        trace::Problem{trace::Severity::Warning,
                       "The file's gaps are not used: each buffer needs all its bytes during its whole lifetime.",
                       0,
                       {},
                       {}});
  if (pinned > 0 && !placed)
    session->describe(trace::Problem{
        trace::Severity::Warning,
        fmt::format(
            "{} of {} buffers are pinned to an offset. The offsets are not used, because not all buffers have one.",
            pinned, problem->size()),
        0,
        {},
        {}});
  return session;
}

}  // namespace arenascope
