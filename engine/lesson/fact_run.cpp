// SPDX-License-Identifier: MIT
// Facts about the selected run: threads, barriers, copies. They differ between runs and are computed from the run's
// events.
#include "engine/lesson/fact_table.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace arenascope::lesson {

Result<const trace::Run*> run_of(const Scene& scene) {
  const trace::Run* run = scene.snapshot ? scene.snapshot->run(scene.run) : nullptr;
  if (!run) return Error{"nothing has run"};
  return run;
}

namespace {

using trace::EventKind;

Result<NodeId> node_of(const Scene& s, const std::string& name) {
  auto found = tensor_of(s, name);
  if (!found) return found.error();
  if (!found->ref.is_node()) return Error{fmt::format("'{}' is a leaf tensor, no node computes it", name)};
  return NodeId(found->ref.index());
}

// Maximum deviation between the device's and the host's clock. Copies carry no run id, so runs are matched by time.
constexpr Nanoseconds kClockSlack = 1'000'000;

// Calls use(track, event) for every span of the run.
template <class Use>
void for_each_span(const Scene& s, Use&& use) {
  const Nanoseconds begin = s.snapshot->run(s.run)->info.begin - kClockSlack;
  Nanoseconds next = INT64_MAX;
  if (const size_t following = s.run.index() + 1; following < s.snapshot->runs.size())
    next = s.snapshot->runs[following].info.begin - kClockSlack;
  for (const trace::TrackView& track : s.snapshot->tracks)
    for (const trace::LaneView& lane : track.lanes)
      for (size_t i = 0; i < lane.rows.size(); ++i) {
        const trace::Event& e = lane.rows[i];
        const bool tells_run = e.kind() == EventKind::Work || e.kind() == EventKind::Wait;
        const bool is_copy = e.kind() == EventKind::Copy && e.begin() >= begin && e.begin() < next;
        if (tells_run ? e.run() == s.run : is_copy) use(track, e);
      }
}

Result<Value> threads(const Scene& s, const Arguments&) {
  auto run = run_of(s);
  if (!run) return run.error();
  return number_value((*run)->info.threads);
}

Result<Value> runs(const Scene& s, const Arguments&) {
  return number_value(s.snapshot ? static_cast<double>(s.snapshot->recorded_runs()) : 0);
}

Result<Value> barriers(const Scene& s, const Arguments&) {
  auto run = run_of(s);
  if (!run) return run.error();
  int n = 0;
  for (size_t i = 0; i < s.snapshot->barriers.size(); ++i) n += s.snapshot->barriers[i].run == s.run ? 1 : 0;
  return number_value(n);
}

Result<trace::Barrier> barrier_of(const Scene& s, const std::string& name) {
  auto node = node_of(s, name);
  if (!node) return node.error();
  auto run = run_of(s);
  if (!run) return run.error();
  const auto barrier = s.snapshot->barrier_of(s.run, *node);
  if (!barrier) return Error{fmt::format("there is no barrier after '{}'", name)};
  return *barrier;
}

Result<Value> has_barrier(const Scene& s, const Arguments& a) {
  auto node = node_of(s, a[0]);
  if (!node) return node.error();
  auto run = run_of(s);
  if (!run) return run.error();
  return text_value(s.snapshot->barrier_of(s.run, *node) ? "yes" : "no");
}

// Determined from the summary and, as a cross-check, from the waits.
Result<Value> last_arriver(const Scene& s, const Arguments& a) {
  auto barrier = barrier_of(s, a[0]);
  if (!barrier) return barrier.error();
  Nanoseconds latest = INT64_MIN;
  trace::TrackId last;
  for_each_span(s, [&](const trace::TrackView& track, const trace::Event& e) {
    if (e.kind() != EventKind::Wait || e.generation() != barrier->generation || e.begin() <= latest) return;
    latest = e.begin();
    last = track.info.id;
  });
  if (latest != barrier->last_arrival || last != barrier->last_arriver)
    return Error{fmt::format("the waits after '{}' contradict the barrier's last arriver", a[0])};
  return text_value(s.snapshot->tracks[last.index()].info.name);
}

Result<Value> spread(const Scene& s, const Arguments& a) {
  auto barrier = barrier_of(s, a[0]);
  if (!barrier) return barrier.error();
  return number_value(static_cast<double>(barrier->last_arrival - barrier->first_arrival), Unit::Nanoseconds);
}

Result<Value> wait(const Scene& s, const Arguments& a) {
  auto barrier = barrier_of(s, a[0]);
  if (!barrier) return barrier.error();
  return number_value(static_cast<double>(barrier->wait_sum), Unit::Nanoseconds);
}

// Uses the device's spans if it records its own times. The host's spans then only measure queueing, and the two kinds
// are never mixed.
std::vector<trace::Event> pieces_of(const Scene& s, NodeId node) {
  std::vector<trace::Event> host, device;
  for_each_span(s, [&](const trace::TrackView& track, const trace::Event& e) {
    if (e.kind() != EventKind::Work || e.node() != node) return;
    (track.info.kind == trace::TrackKind::DeviceQueue ? device : host).push_back(e);
  });
  return device.empty() ? host : device;
}

Result<Value> wall(const Scene& s, const Arguments& a) {
  auto node = node_of(s, a[0]);
  if (!node) return node.error();
  auto run = run_of(s);
  if (!run) return run.error();
  Nanoseconds begin = INT64_MAX, end = INT64_MIN;
  for (const trace::Event& e : pieces_of(s, *node)) {
    begin = std::min(begin, e.begin());
    end = std::max(end, e.end());
  }
  if (begin > end) return Error{fmt::format("'{}' did not run", a[0])};
  return number_value(static_cast<double>(end - begin), Unit::Nanoseconds);
}

Result<Value> pieces(const Scene& s, const Arguments& a) {
  auto node = node_of(s, a[0]);
  if (!node) return node.error();
  auto run = run_of(s);
  if (!run) return run.error();
  return number_value(static_cast<double>(pieces_of(s, *node).size()));
}

// Chunks of a node that another thread stole. Chunk `piece` is initially assigned to thread piece * threads / pieces
// (see ExecutionPlan).
Result<Value> taken_over(const Scene& s, const Arguments& a) {
  auto node = node_of(s, a[0]);
  if (!node) return node.error();
  auto run = run_of(s);
  if (!run) return run.error();
  std::set<trace::TrackId> threads;  // threads of the run, in order
  std::vector<std::pair<trace::TrackId, int64_t>> done;
  for_each_span(s, [&](const trace::TrackView& track, const trace::Event& e) {
    if (e.kind() != EventKind::Work && e.kind() != EventKind::Wait) return;
    threads.insert(track.info.id);
    if (e.kind() == EventKind::Work && e.node() == *node) done.emplace_back(track.info.id, e.chunk());
  });
  const auto pieces = static_cast<int64_t>(done.size());
  const int64_t tasks = std::min<int64_t>(s.graph->nodes[node->index()].tasks, static_cast<int64_t>(threads.size()));
  int n = 0;
  for (const auto& [thread, piece] : done) {
    const auto ith = std::distance(threads.begin(), threads.find(thread));
    n += ith * pieces / tasks <= piece && piece < (ith + 1) * pieces / tasks ? 0 : 1;
  }
  return number_value(n);
}

// The node after whose barrier the threads waited longest in total, not counting the end of the run.
Result<Value> longest_wait(const Scene& s, const Arguments&) {
  auto run = run_of(s);
  if (!run) return run.error();
  std::optional<trace::Barrier> most;
  for (size_t i = 0; i < s.snapshot->barriers.size(); ++i) {
    const trace::Barrier& b = s.snapshot->barriers[i];
    if (b.run == s.run && (!most || b.wait_sum > most->wait_sum)) most = b;
  }
  if (!most || !s.graph) return Error{"the run has no barriers"};
  return text_value(name_of(*s.graph, trace::TensorRef::node(most->node)));
}

// The last arriver at most of the run's barriers.
Result<Value> latest_thread(const Scene& s, const Arguments&) {
  auto run = run_of(s);
  if (!run) return run.error();
  std::map<int32_t, int> votes;
  for (size_t i = 0; i < s.snapshot->barriers.size(); ++i)
    if (s.snapshot->barriers[i].run == s.run) ++votes[s.snapshot->barriers[i].last_arriver.value];
  const auto most = std::ranges::max_element(votes, [](auto& a, auto& b) { return a.second < b.second; });
  if (most == votes.end() || most->first < 0) return Error{"the run has no barriers"};
  return text_value(s.snapshot->tracks[static_cast<size_t>(most->first)].info.name);
}

Result<Value> copies(const Scene& s, const Arguments&) {
  auto run = run_of(s);
  if (!run) return run.error();
  int n = 0;
  for_each_span(s, [&](const trace::TrackView&, const trace::Event& e) { n += e.kind() == EventKind::Copy ? 1 : 0; });
  return number_value(n);
}

Result<Value> copied_bytes(const Scene& s, const Arguments&) {
  auto run = run_of(s);
  if (!run) return run.error();
  Bytes n = 0;
  for_each_span(s, [&](const trace::TrackView&, const trace::Event& e) { n += e.kind() == EventKind::Copy ? e.b : 0; });
  return bytes_value(n);
}

constexpr Fact kRunFacts[] = {
    {{"runs", 0, 0, "number of recorded runs", "timeline inspector text toolbar"}, runs},
    {{"threads", 0, 0, "number of threads in the run", "timeline inspector"}, threads},
    {{"barriers", 0, 0, "number of barriers in the run", "timeline barriers inspector"}, barriers},
    {{"has_barrier", 1, 1, "yes if there is a barrier after a node, otherwise no", "timeline barriers inspector"},
     has_barrier},
    {{"last_arriver", 1, 1, "last arriver at the barrier after a node", "timeline barriers inspector"}, last_arriver},
    {{"spread", 1, 1, "time from the first to the last arrival at that barrier", "timeline barriers inspector"},
     spread},
    {{"wait", 1, 1, "total waiting time of all threads at that barrier", "timeline barriers inspector"}, wait},
    {{"wall", 1, 1, "time from the begin of the first chunk of a node to the end of its last chunk",
      "timeline inspector"},
     wall},
    {{"pieces", 1, 1, "number of chunks of a node", "timeline inspector"}, pieces},
    {{"taken_over", 1, 1, "number of these chunks that another thread stole", "timeline inspector"}, taken_over},
    {{"longest_wait", 0, 0, "node after which the threads waited longest in total", "timeline barriers inspector"},
     longest_wait},
    {{"latest_thread", 0, 0, "most frequent last arriver", "timeline barriers inspector"}, latest_thread},
    {{"copies", 0, 0, "number of copies between devices in the run", "timeline inspector"}, copies},
    {{"copied_bytes", 0, 0, "total bytes of these copies", "timeline inspector"}, copied_bytes},
};

}  // namespace

std::span<const Fact> run_facts() { return kRunFacts; }

}  // namespace arenascope::lesson
