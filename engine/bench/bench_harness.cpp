// SPDX-License-Identifier: MIT
#include "engine/bench/bench_harness.h"

#include <time.h>

#include <algorithm>
#include <cmath>

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/backends/op_cases/op_cases.h>
#include <arenascope/graph/builder.h>

#include "engine/bench/measure.h"

namespace arenascope::cpu_bench {

double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

void Table::progress(const std::string& name) const {
  if (options_.progress) options_.progress(name);
}

std::vector<std::vector<double>> Table::in_turn(const std::vector<std::function<void()>>& runs) const {
  const double least = options_.quick ? 1e-3 : 6e-3;
  const int repetitions = options_.quick ? 5 : 25;
  std::vector<int> calls;
  for (const auto& run : runs) {
    run();  // one-time initialisation
    const double begin = thread_seconds();
    run();
    calls.push_back(std::max(1, static_cast<int>(std::ceil(least / std::max(thread_seconds() - begin, 1e-8)))));
  }
  std::vector<std::vector<double>> seconds(runs.size());
  for (int repetition = 0; repetition < repetitions; ++repetition)
    for (size_t r = 0; r < runs.size(); ++r) {
      const double begin = thread_seconds();
      for (int i = 0; i < calls[r]; ++i) runs[r]();
      seconds[r].push_back((thread_seconds() - begin) / calls[r]);
    }
  return seconds;
}

void Table::against(const std::string& name, const Measure& measure, const std::function<void()>& ours,
                    const std::vector<Peer>& peers) {
  if (!wants(name)) return;
  progress(name);
  std::vector<std::function<void()>> runs{ours};
  std::vector<std::string> names{""};
  for (const Peer& peer : peers)
    if (peer.run) {
      runs.push_back(peer.run);
      names.push_back(peer.name);
    }
  const auto seconds = in_turn(runs);
  BenchRow row;
  row.name = name;
  row.unit = measure.unit;
  row.value = measure.amount / median(seconds[0]);
  size_t best = 0;
  for (size_t r = 1; r < runs.size(); ++r)
    if (best == 0 || median(seconds[r]) < median(seconds[best])) best = r;
  if (best > 0) {
    row.peer = names[best];
    row.peer_value = measure.amount / median(seconds[best]);
    std::vector<double> ratios;
    for (size_t t = 0; t < seconds[0].size(); ++t) ratios.push_back(seconds[best][t] / seconds[0][t]);
    row.ratio = median(ratios);
    row.target = measure.target;
    row.passed = row.ratio >= row.target;
  }
  rows_.push_back(row);
}

void Table::scaling(const std::string& name, int threads, double target, const std::function<void(int, int)>& part) {
  if (!wants(name) || usable_processors() < threads) return;
  auto pool = ThreadPool::create(threads);
  if (!pool) return;
  progress(name);
  std::vector<double> ones, manies, ratios;
  std::vector<double> each(static_cast<size_t>(threads));
  part(0, 1);
  for (int repetition = 0; repetition < (options_.quick ? 3 : 11); ++repetition) {
    double begin = thread_seconds();
    part(0, 1);
    ones.push_back(thread_seconds() - begin);
    (*pool)->run([&](int i) {
      const double start = thread_seconds();
      part(i, threads);
      each[static_cast<size_t>(i)] = thread_seconds() - start;
    });
    manies.push_back(*std::max_element(each.begin(), each.end()));
    ratios.push_back(ones.back() / manies.back());
  }
  BenchRow row{name, median(manies) * 1e3, "ms", "one thread", median(ones) * 1e3, median(ratios), target, false};
  row.passed = row.ratio >= target;
  rows_.push_back(row);
}

struct Node::State {
  std::unique_ptr<Backend> backend = cpu::make_cpu_backend();
  std::shared_ptr<ExecutionContext> memory = make_cpu_context();
  BlockPtr pool;
  Context context;
  Tensor node;
  std::unique_ptr<PreparedGraph> prepared;
  std::vector<std::byte> work;
};

Node::Node(std::unique_ptr<State> state) : state_(std::move(state)) {}
Node::~Node() = default;

std::unique_ptr<Node> Node::make(Bytes pool_bytes, const std::function<Tensor(GraphBuilder&)>& describe) {
  auto state = std::make_unique<State>();
  // Memory as for weights and arenas in a run.
  const Bytes bytes = pool_bytes + (Bytes{1} << 20);
  auto pool = state->memory->allocate({}, MemoryKind::Persistent, bytes);
  if (!pool) return nullptr;
  state->pool = *pool;
  auto context = Context::create({.mem_size = static_cast<size_t>(bytes), .mem_buffer = state->pool->data()});
  if (!context) return nullptr;
  state->context = *context;
  GraphBuilder builder(*context);
  state->node = describe(builder);
  if (!builder.ok()) return nullptr;
  BuiltCase built;
  for (TensorImpl* source : state->node->sources) built.inputs.push_back({Tensor(source), -1, 1});
  fill_inputs(built, 1);
  const TensorImpl* const nodes[] = {state->node.impl()};
  auto prepared = state->backend->prepare(nodes, *state->memory);
  if (!prepared) return nullptr;
  state->prepared = std::move(*prepared);
  Bytes most = 0;
  for (int n : {1, 2, 4}) most = std::max(most, state->backend->work_bytes(*state->node, n));
  state->work.resize(static_cast<size_t>(most) + 64);
  return std::unique_ptr<Node>(new Node(std::move(state)));
}

void Node::part(int ith, int nth) {
  std::byte* work = state_->work.data() + (64 - reinterpret_cast<uintptr_t>(state_->work.data()) % 64) % 64;
  (void)(*state_->prepared)[0].compute({ith, nth, work, static_cast<Bytes>(state_->work.size()) - 64});
}

const TensorImpl& Node::impl() const { return *state_->node; }

}  // namespace arenascope::cpu_bench
