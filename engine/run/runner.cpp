// SPDX-License-Identifier: MIT
#include <arenascope/run/runner.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <fmt/format.h>

#include <arenascope/models/npy.h>
#include <arenascope/runtime/device_transfer.h>
#include <arenascope/schedule/describe.h>

#include "engine/run/input_data.h"
#include "engine/run/turn_loop.h"

namespace arenascope {

Runner::Runner(models::Model model, Program program, RunnerOptions options)
    : model_(std::move(model)), options_(std::move(options)), program_(std::move(program)), rings_(options_.rings) {}

// The executor lets go of the graph's memory before the graph goes.
Runner::~Runner() { executor_.reset(); }

Result<Devices> devices_of(const RunnerOptions& options) {
  if (options.devices) return *options.devices;
  BackendOptions told = options.backend_options;
  if (options.prefer == Prefer::Memory && options.backend == "cpu" && !told.contains("weights"))
    told.try_emplace("cpu.weights", "as-given");
  return open_devices(options.backend, std::move(told), options.precision);
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
  auto devices = devices_of(options);
  if (!devices) return devices.error();
  auto program = compile(model, *devices, options);
  if (!program) return program.error();
  std::unique_ptr<Runner> runner(new Runner(std::move(model), std::move(*program), options));
  if (auto ok = runner->set_up(std::move(previous)); !ok) return ok.error();
  return runner;
}

Result<std::unique_ptr<Runner>> Runner::create(models::Model model, Program program, const RunnerOptions& options) {
  std::unique_ptr<Runner> runner(new Runner(std::move(model), std::move(program), options));
  if (auto ok = runner->set_up(nullptr); !ok) return ok.error();
  return runner;
}

void Runner::report(const char* phase) const {
  if (options_.progress) options_.progress(phase);
}

// Those that lie where they were opened, in the same file: its own, and those of the parts behind it.
Status Runner::take_weights(const Runner& other) {
  if (auto same = other.model_.weights_unchanged(); !same) return same;
  if (model_.path.empty() || model_.path != other.model_.path) return {};
  std::unordered_map<std::string_view, const TensorImpl*> known;
  for (const models::Weight& weight : other.model_.weights)
    if (weight.tensor->storage.kind() == MemoryKind::Mapped) known.emplace(weight.tensor.name(), weight.tensor.impl());
  for (models::Weight& weight : model_.weights) {
    const auto found = known.find(weight.tensor.name());
    if (found == known.end() || weight.tensor->storage.allocated()) continue;
    const TensorImpl& theirs = *found->second;
    if (weight.source.can_borrow() && theirs.dtype == weight.tensor.dtype() && theirs.sizes == weight.tensor->sizes &&
        theirs.strides == weight.tensor->strides)
      weight.tensor->storage = theirs.storage;
  }
  for (const Runner* part : {other.rest_.get(), other.loop_ ? other.loop_->body.get() : nullptr})
    if (part)
      if (auto ok = take_weights(*part); !ok) return ok;
  return {};
}

Status Runner::set_up(std::unique_ptr<Runner> previous) {
  context_ = make_cpu_context(options_.allocator);
  if (options_.recorder) {
    const Backend& backend = *program_.backend;
    allocations_ = make_allocation_recorder(*options_.recorder, backend.in_main_memory() ? backend.device() : Device());
    context_->set_observer(allocations_);
  }
  if (auto ok = program_.backend->register_memory(*context_); !ok) return ok;
  PreparedSteps packed;
  if (previous) {
    if (auto ok = take_weights(*previous); !ok) return ok;
    packed = previous->executor_->release_prepared();
    previous->executor_.reset();  // lets go of its arena
    previous->context_->release_cached({});
  }
  if (options_.first)
    if (auto ok = take_weights(*options_.first); !ok) return ok;
  report("loading weights");
  for (const models::Weight& weight : model_.weights)
    if (weight.source.file() && std::none_of(files_.begin(), files_.end(), [&](const models::WeightSource& known) {
          return known.file() == weight.source.file();
        }))
      files_.push_back(weight.source);
  use_constants();
  if (auto ok = model_.load_weights(*context_, previous || options_.first, program_.backend->device().is_cpu()); !ok)
    return ok;
  if (program_.precision)
    if (auto ok = convert_weights(*program_.precision, *context_); !ok) return ok;
  if (auto ok = bind_inputs(); !ok) return ok;
  if (auto ok = bind_states(); !ok) return ok;
  if (auto ok = move_leafs(); !ok) return ok;
  if (auto ok = prepare(std::move(packed)); !ok) return ok;
  return model_.weights_unchanged();
}

// What branches over weights became, instead of those that nothing else reads.
void Runner::use_constants() {
  if (program_.constants.empty()) return;
  if (!program_.precision)
    std::erase_if(model_.weights, [&](const models::Weight& weight) {
      return !program_.transformed.find_leaf(*weight.tensor).valid();
    });
  model_.weights.insert(model_.weights.end(), program_.constants.begin(), program_.constants.end());
}

// Binds the program's memory and makes its backend ready.
Status Runner::prepare(PreparedSteps previous) {
  report("preparing");
  model_.graph = program_.plan.graph;
  for (size_t i = 0; i < program_.outputs.size(); ++i) model_.outputs[i].tensor = program_.outputs[i];
  ExecutorOptions executor_options;
  executor_options.threads = program_.threads;
  executor_options.strategy = program_.strategy;
  executor_options.recorder = options_.recorder;
  executor_options.owners = allocations_;
  executor_options.model = model_.name;
  executor_options.behind = options_.behind;
  executor_options.waits = model_.rest ? model_.rest->node_count : 0;
  executor_options.rings = rings_;
  executor_options.pool = options_.pool;
  executor_options.shared_pool = options_.shared_pool;
  executor_options.polling = options_.polling;
  executor_options.hold_threads = options_.hold_threads;
  executor_options.host = program_.host.get();
  auto executor = Executor::create(*program_.backend, context_, std::move(executor_options));
  if (!executor) return executor.error();
  executor_ = std::move(*executor);
  if (executor_->rings().size() > rings_.size()) rings_ = executor_->rings();
  if (auto ok = executor_->prepare(program_.plan, std::move(previous)); !ok) return ok;
  give_files_back();
  return {};
}

// What opening and packing read stays in memory with what lies around it, though the run reads little of it again. Parts behind
// another graph leave that graph's weights alone.
void Runner::give_files_back() const {
  if (options_.first) return;
  for (const models::WeightSource& source : files_) source.drop_file();
}

Status Runner::replan(const std::string& planner, const std::string& order, MemoryStrategy strategy, int threads,
                      double budget_seconds, std::stop_token stop) {
  RunnerOptions options = options_;
  if (threads > 0) options.threads = threads;
  if (budget_seconds > 0) options.budget_seconds = budget_seconds;
  options.stop = std::move(stop);
  options.planner = planner;
  options.order = order;
  options.strategy = strategy;
  if (auto ok = arenascope::replan(program_, options); !ok) return ok;
  options_ = std::move(options);
  PreparedSteps previous = executor_ ? executor_->release_prepared() : PreparedSteps();
  executor_.reset();  // lets go of the graph's memory before it is bound anew
  return prepare(std::move(previous));
}

Result<RunReport> Runner::run(const RunOptions& options) {
  if (auto same = model_.weights_unchanged(); !same) return same.error();
  auto report = run_parts(options);
  if (auto same = model_.weights_unchanged(); !same) return same.error();  // it computed with who knows what
  return report;
}

Result<RunReport> Runner::run_parts(const RunOptions& options) {
  loop_.reset();
  rest_.reset();
  if (auto ok = draw(); !ok) return ok.error();
  auto report = executor_->run(options);
  if (report && !report->aborted && model_.rest)
    if (auto ok = run_rest(options, *report); !ok) return ok.error();
  return report;
}

// Numbers that are others in each turn of the loop whose body this is.
Status Runner::draw() {
  for (const models::DrawnInput& drawn : model_.drawn_inputs) {
    for (const models::ValueInfo& input : model_.inputs) {
      if (input.name != drawn.name) continue;
      std::vector<std::byte> bytes(static_cast<size_t>(input.tensor->byte_count()));
      if (auto ok = drawn.write(++*options_.draws, bytes.data()); !ok) return ok;
      if (auto ok = write_tensor(*program_.backend, *input.tensor, bytes); !ok) return ok;
    }
  }
  return {};
}

// What the parts behind this one want of it.
Result<models::GivenInputs> Runner::needs() {
  models::GivenInputs values;
  values.sequence_lengths = model_.rest->sequence_lengths;
  for (size_t i = model_.rest->first_need; i < model_.outputs.size(); ++i)
    if (auto ok = take_value({&model_.outputs[i], this, i}, model_.outputs[i].name, values); !ok) return ok.error();
  return values;
}

RunnerOptions Runner::options_behind() const {
  RunnerOptions own = options_;
  own.devices = Devices{program_.backend, program_.host};
  own.inputs.clear();
  own.states.clear();
  own.capacity.reset();  // it is of the graph before
  own.progress = nullptr;
  own.rings = rings_;
  own.behind = executor_->trace_graph();
  if (!own.first) own.first = this;
  own.shared_pool = executor_->pool();
  own.threads = program_.threads;
  if (!own.draws) own.draws = std::make_shared<uint64_t>(0);
  return own;
}

Status Runner::run_rest(const RunOptions& options, RunReport& report) {
  auto values = needs();
  if (!values) return values.error();
  RunOptions watched;  // nodes that somebody looks at by their numbers are the other graph's
  watched.control = options.control;
  RunnerOptions own = options_behind();
  if (model_.rest->turns) {
    loop_ = std::make_unique<LoopRun>();
    if (auto ok = go_round(*this, *loop_, *values, own, watched, report); !ok) return ok;
    if (report.aborted) return {};
  }
  auto model = model_.rest->open(*values);
  if (!model) return model.error();
  model->name = model_.name + " (rest)";
  model->path = model_.path;
  own.open.inputs = std::move(values->tensors);
  auto rest = Runner::open(std::move(*model), own);
  if (!rest) return rest.error();
  rest_ = std::move(*rest);
  if (own.watch) own.watch(*rest_, watched);
  auto behind = rest_->run_parts(watched);
  if (behind)
    add_part(*behind, report);
  else
    rest_.reset();
  return behind ? Status() : behind.error();
}

Runner& Runner::at_work() {
  Runner* part = this;
  while (Runner* inner = part->rest_ ? part->rest_.get() : part->loop_ ? part->loop_->body.get() : nullptr)
    part = inner;
  return *part;
}

std::vector<RunResult> Runner::results() {
  std::vector<RunResult> out;
  for (size_t i = 0; i < model_.own_outputs().size(); ++i) out.push_back({&model_.outputs[i], this, i});
  if (rest_)
    for (const RunResult& result : rest_->results()) out.push_back(result);
  return out;
}

Result<std::vector<std::byte>> RunResult::read() const { return runner->output(index); }

Status Runner::bind_inputs() {
  if (auto ok = check_given_inputs(model_, options_.inputs, options_.open); !ok) return ok;
  for (const auto& input : model_.inputs) {
    TensorImpl& tensor = *input.tensor;
    if (!model_.context.defined() || model_.context.no_alloc()) {  // else its data lie in the pool already
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
        return Error{fmt::format("state '{}' has {} bytes, {} were given", state.name, tensor.byte_count(),
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
          fmt::format("input '{}' has {} bytes, {} were given", name, input.tensor->byte_count(), bytes.size())};
    return write_tensor(*program_.backend, *input.tensor, bytes);
  }
  return Error{fmt::format("{} has no input '{}'", model_.name, name)};
}

Result<std::vector<std::byte>> Runner::output(size_t index) {
  if (index >= model_.outputs.size())
    return Error{fmt::format("{} has {} outputs, no output {}", model_.name, model_.outputs.size(), index)};
  return read(*model_.outputs[index].tensor);
}

Result<std::vector<std::byte>> Runner::read(const TensorImpl& tensor) { return read_tensor(*program_.backend, tensor); }

// Weights and inputs, which were filled in host memory, go to where the backend computes.
Status Runner::move_leafs() {
  Backend& backend = *program_.backend;
  if (backend.device().is_cpu()) return {};
  report("moving weights");
  const auto& device_leafs = program_.device_leafs;
  const auto wanted = [&](const TensorImpl* leaf) {
    return !program_.host || std::find(device_leafs.begin(), device_leafs.end(), leaf) != device_leafs.end();
  };
  std::vector<TensorImpl*> weights, inputs;
  for (const auto& weight : model_.weights)
    if (wanted(weight.tensor.impl())) weights.push_back(weight.tensor.impl());
  if (program_.precision)
    for (const auto& weight : program_.precision->weights)
      if (wanted(weight.half.impl())) weights.push_back(weight.half.impl());
  for (const auto& input : model_.inputs)
    if (wanted(input.tensor.impl())) inputs.push_back(input.tensor.impl());
  // A state that the device writes lies there from now on, also for a runner that goes on with it.
  std::map<MemoryKind, std::vector<TensorImpl*>> states;
  for (const auto& state : model_.states)
    if (wanted(state.tensor.impl())) states[state.kind].push_back(state.tensor.impl());
  for (const auto& [kind, tensors] : states)
    if (auto ok = move_to_device(backend, *context_, tensors, kind); !ok) return ok;
  if (auto ok = move_to_device(backend, *context_, weights, MemoryKind::Persistent); !ok) return ok;
  if (auto ok = move_to_device(backend, *context_, inputs, MemoryKind::Default); !ok) return ok;
  context_->release_cached({});
  return {};
}

}  // namespace arenascope
