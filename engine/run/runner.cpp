// SPDX-License-Identifier: MIT
#include <arenascope/run/runner.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <arenascope/base/checked.h>
#include <arenascope/base/format_bytes.h>
#include <arenascope/base/refused_memory.h>
#include <arenascope/memory/available_memory.h>
#include <arenascope/models/npy.h>
#include <arenascope/runtime/device_transfer.h>
#include <arenascope/schedule/describe.h>

#include "engine/run/input_data.h"
#include "engine/run/loop_runner.h"
#include "engine/run/segment_cache.h"
#include "engine/run/segment_options.h"

namespace arenascope {
namespace {

// The types of the file that a run stores in another type, "iq2_xs, iq4_nl".
std::string dequantised_types(const models::Model& model) {
  std::set<std::string_view> types;
  for (const models::FileTensor& tensor : model.file_tensors)
    if (tensor.loaded_as && tensor.type != name(*tensor.loaded_as)) types.insert(tensor.type);
  return fmt::format("{}", fmt::join(types, ", "));
}

}  // namespace

Runner::Runner(models::Model model, Program program, RunnerOptions options, const SegmentContext& segment)
    : model_(std::move(model)),
      options_(std::move(options)),
      segment_(std::make_unique<SegmentContext>(segment)),
      program_(std::move(program)),
      rings_(segment.rings),
      continuations_(std::make_unique<SegmentCache>()),
      loop_bodies_(std::make_unique<SegmentCache>()) {}

// The executor must release the graph's memory before the graph is destroyed.
Runner::~Runner() { executor_.reset(); }

Result<Devices> devices_of(const RunnerOptions& options) {
  if (options.devices) return *options.devices;
  BackendOptions backend_options = options.backend_options;
  if (options.prefer == Prefer::Memory && options.backend == "cpu" && !backend_options.contains("weights"))
    backend_options.try_emplace("cpu.weights", "as-given");
  return open_devices(options.backend, std::move(backend_options), options.precision);
}

Result<models::Model> open_for_run(const std::string& spec, RunnerOptions& options) {
  if (options.progress) options.progress("opening");
  return open_with_inputs(spec, options.inputs, options.open);
}

Result<std::unique_ptr<Runner>> Runner::open(const std::string& spec, const RunnerOptions& options,
                                             std::unique_ptr<Runner> previous) {
  RunnerOptions resolved = options;
  auto model = open_for_run(spec, resolved);
  if (!model) return model.error();
  return open(std::move(*model), resolved, std::move(previous));
}

Result<std::unique_ptr<Runner>> Runner::open(models::Model model, const RunnerOptions& options,
                                             std::unique_ptr<Runner> previous) {
  return open(std::move(model), options, std::move(previous), nullptr, {});
}

Result<std::unique_ptr<Runner>> Runner::open(models::Model model, const RunnerOptions& options,
                                             std::unique_ptr<Runner> previous, const Runner* similar,
                                             const SegmentContext& segment) {
  return exceptions_as_errors(
      fmt::format("{} could not be opened", model.name), [&]() -> Result<std::unique_ptr<Runner>> {
        auto devices = devices_of(options);
        if (!devices) return devices.error();
        auto program = compile(model, *devices, options);
        if (!program) return program.error();
        std::unique_ptr<Runner> runner(new Runner(std::move(model), std::move(*program), options, segment));
        if (auto ok = runner->set_up(std::move(previous), similar); !ok) return ok.error();
        return runner;
      });
}

Result<std::unique_ptr<Runner>> Runner::create(models::Model model, Program program, const RunnerOptions& options) {
  return exceptions_as_errors(
      fmt::format("{} could not be opened", model.name), [&]() -> Result<std::unique_ptr<Runner>> {
        std::unique_ptr<Runner> runner(new Runner(std::move(model), std::move(program), options, {}));
        if (auto ok = runner->set_up(nullptr); !ok) return ok.error();
        return runner;
      });
}

void Runner::report(const char* phase) const {
  if (options_.progress) options_.progress(phase);
}

// Shares weights that depend on the same file alone with `other` and its deferred subgraphs.
Status Runner::share_file_weights(const Runner& other) {
  if (auto same = other.model_.weights_unchanged(); !same) return same;
  if (model_.path.empty() || model_.path != other.model_.path) return {};
  std::unordered_map<std::string, const TensorImpl*> known;  // by origin; names may differ or be used twice
  for (const models::Weight& weight : other.model_.weights)
    if (std::string origin = weight.source.origin(); !origin.empty() && weight.tensor->storage.allocated())
      known.emplace(std::move(origin), weight.tensor.impl());
  for (models::Weight& weight : model_.weights) {
    if (known.empty() || weight.tensor->storage.allocated()) continue;
    const auto found = known.find(weight.source.origin());
    if (found == known.end()) continue;
    const TensorImpl& shared = *found->second;
    if (shared.dtype == weight.tensor.dtype() && shared.sizes == weight.tensor->sizes &&
        shared.strides == weight.tensor->strides)
      weight.tensor->storage = shared.storage;
  }
  for (SegmentCache* segments : {other.continuations_.get(), other.loop_bodies_.get()})
    if (const Segment* part = segments->last())
      if (auto ok = share_file_weights(*part->runner); !ok) return ok;
  return {};
}

// `previous` is destroyed before memory is bound, `similar` stays; both share their weights and packed weights.
Status Runner::set_up(std::unique_ptr<Runner> previous, const Runner* similar) {
  context_ = make_cpu_context(options_.allocator);
  context_->set_stop(options_.stop);
  if (options_.recorder) {
    const Backend& backend = *program_.backend;
    allocations_ = make_allocation_recorder(*options_.recorder, backend.in_main_memory() ? backend.device() : Device());
    context_->set_observer(allocations_);
  }
  if (auto ok = program_.backend->register_memory(*context_); !ok) return ok;
  PreparedSteps packed;
  if (previous) {
    if (auto ok = share_file_weights(*previous); !ok) return ok;
    previous->forget_segments();
    packed = previous->executor_->release_prepared();
    previous->executor_.reset();  // releases its arena
    previous->context_->release_cached({});
  }
  if (segment_->weight_source)
    if (auto ok = share_file_weights(*segment_->weight_source); !ok) return ok;
  if (auto ok = check_memory(previous != nullptr || segment_->weight_source != nullptr); !ok) return ok;
  report("loading weights");
  weights_.add_files(model_.weights);
  adopt_folded_constants();
  const models::WeightStore::LoadOptions load{.keep = previous || segment_->weight_source,
                                              .release = program_.backend->device().is_cpu()};
  if (auto ok = weights_.load(model_.weights, model_.name, *context_, load); !ok) return ok;
  if (program_.precision)
    if (auto ok = convert_weights(*program_.precision, *context_); !ok) return ok;
  if (auto ok = bind_inputs(); !ok) return ok;
  if (auto ok = bind_states(); !ok) return ok;
  if (auto ok = upload_leafs(); !ok) return ok;
  if (auto ok = prepare(std::move(packed), similar); !ok) return ok;
  if (options_.recorder && model_.file_graph) options_.recorder->describe(trace::GraphInfo(*model_.file_graph));
  options_.stop = {};  // it is of the opening
  context_->set_stop({});
  return model_.weights_unchanged();
}

// Checks that the memory which is certainly filled is available: weights that are not mapped, states, inputs, and the arena if
// the backend uses main memory. `shares`: some weights have memory already.
Status Runner::check_memory(bool shares) const {
  Bytes weights = 0, states = 0, inputs = 0;
  const auto add = [](Bytes& sum, const TensorImpl& tensor) { sum = saturating_add(sum, tensor.byte_count()); };
  for (const models::Weight& weight : model_.weights)
    if (!weight.source.can_borrow() && !(shares && weight.tensor->storage.allocated())) add(weights, *weight.tensor);
  for (const models::State& state : model_.states)
    if (!options_.states.contains(state.name)) add(states, *state.tensor);
  for (const models::ValueInfo& input : model_.inputs) add(inputs, *input.tensor);
  Bytes arena = program_.strategy == MemoryStrategy::Planned && program_.backend->in_main_memory()
                    ? program_.plan.memory.arena_bytes
                    : 0;
  const Bytes needed = saturating_add(saturating_add(weights, states), saturating_add(inputs, arena));
  auto ok = check_available(model_.name, needed);
  if (ok) return {};
  const std::string dequantised = dequantised_types(model_);
  const std::string loaded = dequantised.empty() ? "weights" : fmt::format("weights (dequantised: {})", dequantised);
  std::string what;
  for (const auto& [name, bytes] : {std::pair{loaded.c_str(), weights},
                                    {"states (KV cache, optimiser)", states},
                                    {"inputs", inputs},
                                    {"arena", arena}})
    if (bytes > 0) what += fmt::format("{}{} {}", what.empty() ? "" : ", ", name, format_bytes(bytes));
  const bool large_weights = weights >= states && weights >= arena;
  const char* smaller = large_weights && !dequantised.empty()
                            ? "a file with weights of a type with kernels (q4_0, q4_k)"
                        : large_weights   ? "a file with weights of a smaller type (f16, q8_0)"
                        : model_.language ? "fewer tokens"
                                          : "smaller input sizes";
  return Error{fmt::format("{}: {}. It can be planned without being run (plan only); {} would need less.",
                           ok.error().message, what, smaller)};
}

// Adds the weights of folded branches and removes weights that are no longer read.
void Runner::adopt_folded_constants() {
  if (program_.constants.empty()) return;
  if (!program_.precision)
    std::erase_if(model_.weights, [&](const models::Weight& weight) {
      return !program_.transformed.find_leaf(*weight.tensor).valid();
    });
  model_.weights.insert(model_.weights.end(), program_.constants.begin(), program_.constants.end());
}

// Binds the program's memory and prepares its nodes.
Status Runner::prepare(PreparedSteps previous, const Runner* similar) {
  report("preparing");
  model_.graph = program_.plan.graph;
  for (size_t i = 0; i < program_.outputs.size(); ++i) model_.outputs[i].tensor = program_.outputs[i];
  ExecutorOptions executor_options;
  executor_options.threads = program_.threads;
  executor_options.strategy = program_.strategy;
  executor_options.recorder = options_.recorder;
  executor_options.binding_observer = allocations_;
  executor_options.model = model_.name;
  executor_options.previous_graph = segment_->previous_graph;
  executor_options.deferred_nodes = model_.deferred ? model_.deferred->node_count : 0;
  executor_options.rings = rings_;
  executor_options.pool = options_.pool;
  executor_options.shared_pool = segment_->shared_pool;
  executor_options.spin_percent = options_.spin_percent;
  executor_options.force_multithreaded = options_.force_multithreaded;
  executor_options.host = program_.host.get();
  executor_options.settle_weights = [this](const Graph& graph, std::span<TensorImpl* const> unpacked) {
    return weights_.settle(graph, unpacked, *context_);
  };
  auto executor = Executor::create(*program_.backend, context_, std::move(executor_options));
  if (!executor) return executor.error();
  executor_ = std::move(*executor);
  if (executor_->rings().size() > rings_.size()) rings_ = executor_->rings();
  if (auto ok = similar ? executor_->prepare(program_.plan, *similar->executor_)
                        : executor_->prepare(program_.plan, std::move(previous));
      !ok)
    return ok;
  // Opening and packing leave pages of the weight files resident that runs rarely read. Deferred subgraphs do not drop pages,
  // as the first graph still uses its weights.
  if (!segment_->weight_source) weights_.drop_file_pages();
  return {};
}

Status Runner::replan(const std::string& planner, const std::string& order, MemoryStrategy strategy, int threads,
                      double budget_seconds, std::stop_token stop) {
  RunnerOptions options = options_;
  if (threads > 0) options.threads = threads;
  if (budget_seconds > 0) options.budget_seconds = budget_seconds, options.budget_steps = 0;
  options.stop = std::move(stop);
  options.planner = planner;
  options.order = order;
  options.strategy = strategy;
  if (auto ok = arenascope::replan(program_, options); !ok) return ok;
  options_ = std::move(options);
  PreparedSteps previous = executor_ ? executor_->release_prepared() : PreparedSteps();
  forget_segments();  // they use the thread pool
  executor_.reset();  // releases the graph's memory before it is bound again
  return prepare(std::move(previous));
}

Result<RunReport> Runner::run(const RunOptions& options) {
  if (auto same = model_.weights_unchanged(); !same) return same.error();
  auto report =
      exceptions_as_errors(fmt::format("the run of {} failed", model_.name), [&] { return run_all_parts(options); });
  if (auto same = model_.weights_unchanged(); !same) return same.error();  // the results may be wrong
  return report;
}

Result<RunReport> Runner::run_all_parts(const RunOptions& options) {
  loop_.reset();
  continuation_ = nullptr;
  if (auto ok = resample_random_inputs(); !ok) return ok.error();
  auto report = executor_->run(options);
  if (report && !report->aborted && model_.deferred)
    if (auto ok = run_continuation(options, *report); !ok) return ok.error();
  return report;
}

// Generates new values for random inputs, which differ in each iteration of a loop body.
Status Runner::resample_random_inputs() {
  for (const models::RandomInput& drawn : model_.random_inputs) {
    for (const models::ValueInfo& input : model_.inputs) {
      if (input.name != drawn.name) continue;
      std::vector<std::byte> bytes(static_cast<size_t>(input.tensor->byte_count()));
      if (auto ok = drawn.write(++*segment_->random_calls, bytes.data()); !ok) return ok;
      if (auto ok = write_tensor(*program_.backend, *input.tensor, bytes); !ok) return ok;
    }
  }
  return {};
}

// Reads the values that the deferred subgraph needs.
Result<models::GivenInputs> Runner::read_deferred_inputs() {
  models::GivenInputs values;
  values.sequence_lengths = model_.deferred->sequence_lengths;
  for (size_t i = model_.deferred->first_need; i < model_.outputs.size(); ++i)
    if (auto ok = add_result({&model_.outputs[i], this, i}, model_.outputs[i].name, values); !ok) return ok.error();
  return values;
}

SegmentOptions Runner::continuation_options() const {
  SegmentOptions own{options_, *segment_};
  own.devices = Devices{program_.backend, program_.host};
  own.inputs.clear();
  own.states.clear();
  own.capacity.reset();  // applies to the first graph only
  own.progress = nullptr;
  own.segment.rings = rings_;
  own.segment.previous_graph = executor_->trace_graph();
  if (!own.segment.weight_source) own.segment.weight_source = this;
  own.segment.shared_pool = executor_->pool();
  own.threads = program_.threads;
  if (!own.segment.random_calls) own.segment.random_calls = std::make_shared<uint64_t>(0);
  return own;
}

Status Runner::run_continuation(const RunOptions& options, RunReport& report) {
  auto values = read_deferred_inputs();
  if (!values) return values.error();
  RunOptions watched;  // callbacks by NodeId apply to the first graph only
  watched.control = options.control;
  SegmentOptions own = continuation_options();
  if (model_.deferred->loop) {
    loop_ = std::make_unique<LoopState>();
    if (auto ok = run_loop(*this, *loop_, *values, own, watched, report); !ok) return ok;
    if (report.aborted) return {};
  }
  if (auto ok = open_continuation(*values, own, report); !ok) return ok;
  if (own.before_part) own.before_part(*continuation_, watched);
  auto deferred = continuation_->run_all_parts(watched);
  if (deferred)
    accumulate_report(*deferred, report);
  else
    continuation_ = nullptr;
  return deferred ? Status() : deferred.error();
}

// Finds the deferred subgraph that was compiled for such values, or compiles it.
Status Runner::open_continuation(const models::GivenInputs& values, SegmentOptions& own, RunReport& report) {
  if (const Segment* known = continuations_->find(values, 0)) {
    if (auto ok = known->runner->set_inputs(values, own); !ok) return ok;
    continuation_ = known->runner.get();
    return {};
  }
  auto model = model_.deferred->open(values);
  if (!model) return model.error();
  model->name = model_.name + " (deferred)";
  auto made = open_segment(std::move(*model), values, own, *continuations_);
  if (!made) return made.error();
  ++report.compilations;
  continuation_ = (*made)->runner.get();
  return {};
}

// Compiles a segment of this runner and keeps it in `segments`, for further runs.
Result<Segment*> Runner::open_segment(models::Model model, const models::GivenInputs& inputs, SegmentOptions& own,
                                      SegmentCache& segments) {
  model.path = model_.path;
  own.open.inputs = inputs.tensors;
  auto previous = segments.make_space();
  const Runner* similar = segments.last() ? segments.last()->runner.get() : nullptr;
  auto runner = open(std::move(model), own, std::move(previous), similar, own.segment);
  if (!runner) return runner.error();
  (*runner)->options_.open.inputs.clear();  // they are bound
  return &segments.add(inputs, std::move(*runner));
}

// For another run of a segment: its inputs, and the random numbers of this run.
Status Runner::set_inputs(const models::GivenInputs& values, const SegmentOptions& own) {
  segment_->random_calls = own.segment.random_calls;
  for (const models::ValueInfo& input : model_.inputs)
    if (const auto given = values.tensors.find(input.name); given != values.tensors.end()) {
      const std::byte* const bytes = given->second->data();
      if (auto ok = set_input(input.name, {bytes, static_cast<size_t>(given->second->byte_count())}); !ok) return ok;
    }
  return {};
}

void Runner::forget_segments() {
  loop_.reset();
  continuation_ = nullptr;
  continuations_->clear();
  loop_bodies_->clear();
}

Runner& Runner::active_runner() {
  Runner* part = this;
  while (Runner* inner = part->continuation_ ? part->continuation_ : part->loop_ ? part->loop_->body : nullptr)
    part = inner;
  return *part;
}

std::vector<RunResult> Runner::results() {
  std::vector<RunResult> out;
  for (size_t i = 0; i < model_.own_outputs().size(); ++i) out.push_back({&model_.outputs[i], this, i});
  if (continuation_)
    for (const RunResult& result : continuation_->results()) out.push_back(result);
  return out;
}

Result<std::vector<std::byte>> RunResult::read() const { return runner->output(index); }

Status Runner::bind_inputs() {
  if (auto ok = check_given_inputs(model_, options_.inputs, options_.open); !ok) return ok;
  for (const auto& input : model_.inputs) {
    TensorImpl& tensor = *input.tensor;
    if (!model_.context.defined() || model_.context.no_alloc()) {  // otherwise its data is already in the pool
      auto storage = Storage::allocate(*context_, {}, MemoryKind::Default, tensor.byte_count());
      if (!storage) return storage.error();
      tensor.storage = std::move(*storage);
    }
    if (tensor.byte_count() == 0) continue;
    const auto given = options_.open.inputs.find(input.name);
    auto filled = given != options_.open.inputs.end() ? copy_input(given->second, tensor)
                  : input.write_default               ? input.write_default(tensor.data())
                                                      : fill_seeded(tensor);
    if (!filled) return filled;
  }
  return {};
}

Status Runner::bind_states() {
  for (const models::State& state : model_.states) {
    TensorImpl& tensor = *state.tensor;
    if (const auto given = options_.states.find(state.name); given != options_.states.end()) {
      if (given->second.bytes() != tensor.byte_count())
        return Error{fmt::format("state '{}' has {} bytes, but {} were given", state.name, tensor.byte_count(),
                                 given->second.bytes())};
      tensor.storage = given->second;
      continue;
    }
    auto storage = Storage::allocate(*context_, {}, state.kind, tensor.byte_count());
    if (!storage) return storage.error();
    tensor.storage = std::move(*storage);
    if (tensor.byte_count() == 0) continue;
    std::memset(tensor.data(), 0, static_cast<size_t>(tensor.byte_count()));
    if (state.write)
      if (auto ok = state.write(tensor.data()); !ok) return ok;
  }
  return {};
}

Status Runner::set_input(const std::string& name, std::span<const std::byte> bytes) {
  for (const auto& input : model_.inputs) {
    if (input.name != name) continue;
    if (static_cast<Bytes>(bytes.size()) != input.tensor->byte_count())
      return Error{
          fmt::format("input '{}' has {} bytes, but {} were given", name, input.tensor->byte_count(), bytes.size())};
    return write_tensor(*program_.backend, *input.tensor, bytes);
  }
  return Error{fmt::format("{} has no input '{}'", model_.name, name)};
}

Result<std::vector<std::byte>> Runner::output(size_t index) {
  if (index >= model_.outputs.size())
    return Error{fmt::format("{} has {} outputs; there is no output {}", model_.name, model_.outputs.size(), index)};
  return read(*model_.outputs[index].tensor);
}

Result<std::vector<std::byte>> Runner::read(const TensorImpl& tensor) { return read_tensor(*program_.backend, tensor); }

// Moves weights and inputs from host memory to the device.
Status Runner::upload_leafs() {
  Backend& backend = *program_.backend;
  if (backend.device().is_cpu()) return {};
  report("moving weights");
  const auto& device_leafs = program_.device_leafs;
  const auto is_on_device = [&](const TensorImpl* leaf) {
    return !program_.host || std::find(device_leafs.begin(), device_leafs.end(), leaf) != device_leafs.end();
  };
  std::vector<TensorImpl*> weights, inputs;
  for (const auto& weight : model_.weights)
    if (is_on_device(weight.tensor.impl())) weights.push_back(weight.tensor.impl());
  if (program_.precision)
    for (const auto& weight : program_.precision->weights)
      if (is_on_device(weight.half.impl())) weights.push_back(weight.half.impl());
  for (const auto& input : model_.inputs)
    if (is_on_device(input.tensor.impl())) inputs.push_back(input.tensor.impl());
  // States stay on the device, also for a runner that continues with them.
  std::map<MemoryKind, std::vector<TensorImpl*>> states;
  for (const auto& state : model_.states)
    if (is_on_device(state.tensor.impl())) states[state.kind].push_back(state.tensor.impl());
  for (const auto& [kind, tensors] : states)
    if (auto ok = move_to_device(backend, *context_, tensors, kind); !ok) return ok;
  if (auto ok = move_to_device(backend, *context_, weights, MemoryKind::Persistent); !ok) return ok;
  if (auto ok = move_to_device(backend, *context_, inputs, MemoryKind::Default); !ok) return ok;
  context_->release_cached({});
  return {};
}

}  // namespace arenascope
