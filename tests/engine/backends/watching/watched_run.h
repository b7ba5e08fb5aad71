// SPDX-License-Identifier: MIT
// Watching changes nothing: a graph is run several times without a recorder, a control or a clock, and again with some of
// them. Both must launch the same kernels in the same order at the same offsets, with the same barriers and results.
#pragma once
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <arenascope/graph/builder.h>
#include <arenascope/models/zoo.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/trace/session.h>

namespace arenascope::test {

// A backend whose launches are observed from outside of it.
class ObservedBackend {
 public:
  virtual ~ObservedBackend() = default;
  virtual Backend& backend() = 0;
  // Everything launched since the last call, in order: kernel, sizes, and the memory it uses. Addresses are relative to
  // `arena`, or to the allocation that contains them.
  virtual std::vector<std::string> take_launches(const std::byte* arena) = 0;
};

// A graph to run, with the memory of its leaf tensors on the host.
struct Subject {
  virtual ~Subject() = default;
  Graph graph;
  std::vector<Tensor> outputs;
  std::vector<TensorImpl*> device_leafs;  // to be moved to the device; the host reads the others
  Backend* host = nullptr;                // computes nodes with Placement::Host
};
using MakeSubject = std::function<std::unique_ptr<Subject>(const Backend& backend)>;

// Fills the leaf tensors with random values on the host.
void give_memory(Subject& subject, uint32_t seed);
// An executor of the subject's graph with its leaf tensors on the device.
std::unique_ptr<Executor> prepare(Backend& backend, const std::shared_ptr<ExecutionContext>& context, Subject& subject,
                                  ExecutorOptions options);

// A network of operators that every backend has, with 4 to 20 nodes: matrices, or images of rank 4.
std::unique_ptr<Subject> random_network(uint32_t seed);
// The same network with its SIGMOID nodes on the host, or with images where the backend packs them.
std::unique_ptr<Subject> partly_on_host(std::unique_ptr<Subject> network, Backend& host);
std::unique_ptr<Subject> packed_in_images(std::unique_ptr<Subject> network, const Backend& backend);
// A model of the zoo with its weights and default inputs; null if one run takes more than `max_flops`.
std::unique_ptr<Subject> zoo_model(const models::ZooEntry& entry, int64_t max_flops);

struct Watch {
  bool recorded = false, controlled = false, timed = false;
  MemoryStrategy strategy = MemoryStrategy::Planned;
};

struct ObservedRun {
  std::vector<std::string> launches;
  int64_t barriers = 0;
  int threads = 0;
  bool stepped = false;
  std::vector<std::vector<std::byte>> results;
  std::vector<NodeTime> times;  // timed runs only
};

struct Observation {
  std::vector<std::string> placement;  // per node and leaf tensor
  std::vector<ObservedRun> runs;
  std::shared_ptr<const trace::Snapshot> recording;  // recorded runs only
  ExecutionPlan plan;
};

// Prepares the subject on the backend and runs it `runs` times.
Observation observe(ObservedBackend& on, Subject& subject, const Watch& watch, int runs = 4);

// Observes the subject unwatched and in each of the ways of watching it, each time on a new backend, and checks that all
// observations are equal. Returns the last one.
Observation check_watching(const std::function<std::unique_ptr<ObservedBackend>()>& open, const MakeSubject& make,
                           const std::vector<Watch>& watches);

// Every combination, and the two that are most likely to differ.
std::vector<Watch> all_watches(MemoryStrategy strategy = MemoryStrategy::Planned);
std::vector<Watch> two_watches();

// Number of random graphs for a backend: 1,000 under ARENASCOPE_LONG_TESTS.
uint32_t random_graphs(uint32_t in_suite);

}  // namespace arenascope::test
