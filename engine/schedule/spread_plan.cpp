// SPDX-License-Identifier: MIT
#include <arenascope/schedule/spread_plan.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include <fmt/format.h>

#include <arenascope/base/checked.h>
#include <arenascope/planner/check.h>
#include <arenascope/planner/lower_bound.h>
#include "engine/schedule/filled_plan.h"

namespace arenascope {
namespace {

// The assignment of nodes to streams, and their steps there.
struct Streams {
  std::vector<int32_t> of;      // by NodeId
  std::vector<int64_t> place;   // by NodeId: its step on its stream
  std::vector<int64_t> length;  // per stream
  std::vector<planner::StreamEdge> edges;
};

Streams share_out(const Graph& graph, std::span<const NodeId> order, int32_t count) {
  const auto n = static_cast<size_t>(count);
  Streams out{
      std::vector<int32_t>(order.size(), -1), std::vector<int64_t>(order.size(), 0), std::vector<int64_t>(n, 0), {}};
  std::vector<NodeId> newest(n);
  // By stream: the step of each other stream that it has waited for.
  std::vector<std::vector<int64_t>> waited(n, std::vector<int64_t>(n, 0));
  for (const NodeId id : order) {
    const TensorImpl& node = graph.node(id);
    size_t stream = static_cast<size_t>(std::min_element(out.length.begin(), out.length.end()) - out.length.begin());
    for (const TensorImpl* source : node.sources)
      if (const NodeId from = graph.find_node(*source);
          from.valid() && from == newest[static_cast<size_t>(out.of[from.index()])])
        stream = static_cast<size_t>(out.of[from.index()]);
    const int64_t place = out.length[stream]++;
    out.of[id.index()] = static_cast<int32_t>(stream);
    out.place[id.index()] = place;
    newest[stream] = id;
    for (const TensorImpl* source : node.sources) {
      const NodeId from = graph.find_node(*source);
      if (!from.valid()) continue;
      const auto other = static_cast<size_t>(out.of[from.index()]);
      const int64_t needed = out.place[from.index()] + 1;
      if (other == stream || waited[stream][other] >= needed) continue;
      waited[stream][other] = needed;
      out.edges.push_back({static_cast<int32_t>(other), needed, static_cast<int32_t>(stream), place});
    }
  }
  return out;
}

// The uses of each interval by each stream.
planner::StreamProblem stream_problem(const Graph& graph, std::span<const NodeId> order,
                                      const GraphIntervals& intervals, const Streams& streams,
                                      const MemoryPlanOptions& options) {
  planner::StreamProblem out;
  out.streams = static_cast<int32_t>(streams.length.size());
  out.alignment = options.alignment;
  out.edges = streams.edges;
  std::vector<int32_t> interval_of(order.size(), -1);
  for (size_t i = 0; i < intervals.owners.size(); ++i) {
    interval_of[intervals.owners[i].index()] = static_cast<int32_t>(i);
    out.buffers.push_back({intervals.problem.intervals[i].size, 0, {}});
  }
  const auto use = [&](planner::StreamBuffer& buffer, int32_t stream, int64_t place) {
    for (planner::StreamUse& known : buffer.uses)
      if (known.stream == stream) {
        known.upper = std::max(known.upper, place + 1);
        return;
      }
    buffer.uses.push_back({stream, place, place + 1});
  };
  const auto lives = find_owners(graph, options.keep_outputs);
  for_each_use(graph, order, lives, [&](NodeId owner, Step step) {
    if (interval_of[owner.index()] < 0) return;
    const NodeId node = order[step.index()];
    use(out.buffers[static_cast<size_t>(interval_of[owner.index()])], streams.of[node.index()],
        streams.place[node.index()]);
  });
  // Kept intervals are in use until all streams have ended.
  for (size_t i = 0; i < out.buffers.size(); ++i)
    if (lives[intervals.owners[i].index()].kept)
      for (int32_t s = 0; s < out.streams; ++s) use(out.buffers[i], s, streams.length[static_cast<size_t>(s)]);
  return out;
}

MemoryPlanOptions apart(const MemoryPlanOptions& options) {
  MemoryPlanOptions out = options;
  out.join = out.in_place = false;
  return out;
}

}  // namespace

Result<StreamedPlan> plan_over_streams(const Graph& graph, std::vector<NodeId> order, std::string_view order_name,
                                       int32_t streams, const MemoryPlanOptions& given) {
  constexpr int32_t kMaxStreams = 64;
  if (streams < 1 || streams > kMaxStreams)
    return Error{fmt::format("cannot plan {} streams: expected 1 to {}", streams, kMaxStreams)};
  if (auto ok = check_order(graph, order); !ok) return ok.error();
  const MemoryPlanOptions options = apart(given);
  const GraphIntervals intervals = graph_intervals(graph, order, options);
  Streams shared = share_out(graph, order, streams);
  planner::StreamProblem problem = stream_problem(graph, order, intervals, shared, options);
  auto answer = planner::plan_streams(problem, options.planner);
  if (!answer) return answer.error();
  if (auto ok = planner::check(problem, *answer); !ok) return ok.error();
  StreamedPlan out;
  out.streams = streams;
  out.events = shared.edges.size();
  // A single stream runs the nodes in the given order.
  Streams one = share_out(graph, order, 1);
  const auto alone = planner::plan_streams(stream_problem(graph, order, intervals, one, options), options.planner);
  if (!alone) return alone.error();
  out.one_stream = alone->arena_bytes;
  answer->planner = fmt::format("{} streams", streams);
  out.plan = fill_plan(intervals, *answer, std::move(order), order_name, options);
  out.stream_of = std::move(shared.of);
  return out;
}

Result<BankedPlan> plan_over_banks(const Graph& graph, std::vector<NodeId> order, std::string_view order_name,
                                   const planner::Planner& planner, const std::vector<planner::Arena>& banks,
                                   const MemoryPlanOptions& given) {
  if (auto ok = check_order(graph, order); !ok) return ok.error();
  MemoryPlanOptions options = apart(given);
  options.capacity.reset();
  const GraphIntervals intervals = graph_intervals(graph, order, options);
  const planner::Problem& problem = intervals.problem;
  std::vector<int32_t> interval_of(order.size(), -1);
  for (size_t i = 0; i < intervals.owners.size(); ++i)
    interval_of[intervals.owners[i].index()] = static_cast<int32_t>(i);
  std::vector<double> traffic(problem.size(), 0);
  for_each_use(graph, order, find_owners(graph, options.keep_outputs), [&](NodeId owner, Step) {
    if (const int32_t i = interval_of[owner.index()]; i >= 0)
      traffic[static_cast<size_t>(i)] += static_cast<double>(problem.intervals[static_cast<size_t>(i)].size);
  });
  auto answer = planner::plan_arenas(problem, banks, traffic, planner, options.planner);
  if (!answer) return answer.error();
  if (auto ok = planner::check(problem, banks, *answer); !ok) return ok.error();

  BankedPlan out;
  planner::Plan all;
  all.planner = fmt::format("{}, banks", planner.name());
  std::vector<Bytes> base;
  for (size_t k = 0; k < banks.size(); ++k) {
    all.arena_bytes = (all.arena_bytes + options.alignment - 1) / options.alignment * options.alignment;
    base.push_back(all.arena_bytes);
    all.arena_bytes += answer->arena_bytes[k];
    out.banks.push_back({banks[k].name, banks[k].capacity, answer->arena_bytes[k], 0, 0, 0});
    all.planner += fmt::format(" {}", banks[k].name);
  }
  for (size_t i = 0; i < problem.size(); ++i) {
    const auto k = static_cast<size_t>(answer->arena[i]);
    all.offsets.push_back(base[k] + answer->offsets[i]);
    out.banks[k].tensor_bytes += problem.intervals[i].size;
    out.banks[k].traffic += traffic[i];
    ++out.banks[k].tensors;
  }
  all.lower_bound = planner::lower_bound(problem);
  out.bank_of = std::move(answer->arena);
  out.plan = fill_plan(intervals, all, std::move(order), order_name, options);
  return out;
}

Result<std::vector<planner::Arena>> parse_banks(std::string_view text) {
  std::vector<planner::Arena> out;
  const auto refuse = [&](std::string_view part) {
    return Error{fmt::format(
        "invalid bank '{}': expected NAME=BYTES with an optional suffix K, M or G, or NAME for the last bank", part)};
  };
  std::istringstream list{std::string(text)};
  for (std::string part; std::getline(list, part, ',');) {
    const size_t equals = std::min(part.find('='), part.size());
    if (equals == 0) return refuse(part);
    planner::Arena& bank = out.emplace_back();
    bank.name = part.substr(0, equals);
    if (equals == part.size()) continue;
    std::string number = part.substr(equals + 1);
    Bytes unit = 1;
    if (!number.empty())
      unit = number.back() == 'K'   ? Bytes{1} << 10
             : number.back() == 'M' ? Bytes{1} << 20
             : number.back() == 'G' ? Bytes{1} << 30
                                    : 1;
    if (unit > 1) number.pop_back();
    Bytes count = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), count);
    const auto bytes = checked_mul(count, unit);
    if (number.empty() || read.ec != std::errc() || read.ptr != number.data() + number.size() || count < 0 || !bytes)
      return refuse(part);
    bank.capacity = *bytes;
  }
  if (out.empty()) return refuse(text);
  return out;
}

}  // namespace arenascope
