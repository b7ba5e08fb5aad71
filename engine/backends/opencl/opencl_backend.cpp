// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/opencl_backend.h"

#include <algorithm>

#include <arenascope/graph/op_params.h>
#include <fmt/format.h>

#include "engine/backends/opencl/layout.h"
#include "engine/backends/opencl/op_images.h"
#include "engine/backends/opencl/prepared.h"
#include "engine/backends/opencl/settings.h"
#include "engine/backends/opencl/spans.h"

namespace arenascope::opencl {
namespace {

// Errors: an option that the device does not support.
Status check_device(const Settings& settings, const DeviceFacts& facts) {
  if (settings.memory == MemoryObjects::Image && facts.image_width == 0)
    return Error{fmt::format("{} does not support images; use memory=buffer", facts.name)};
  if (settings.sizes == BufferSizes::Subgroups && !facts.intel_subgroups)
    return Error{
        fmt::format("{} does not support Intel's subgroups, which sizes=subgroups requires; use exact "
                    "or packed",
                    facts.name)};
  if (settings.runtime.svm && !(facts.svm & CL_DEVICE_SVM_COARSE_GRAIN_BUFFER))
    return Error{fmt::format("{} has no shared virtual memory; use svm=off", facts.name)};
  return {};
}

IntegerDot integer_dot(DotChoice choice, const DeviceFacts& facts) {
  if (choice == DotChoice::Off || (choice == DotChoice::Auto && !facts.fast_dot8_packed)) return IntegerDot::None;
  return facts.integer_dot ? IntegerDot::Device : IntegerDot::Emulated;
}

class OpenClBackend final : public Backend {
 public:
  OpenClBackend(std::shared_ptr<Runtime> runtime, Settings settings, std::unique_ptr<Tuner> tuner)
      : runtime_(std::move(runtime)),
        settings_(std::move(settings)),
        tuner_(std::move(tuner)),
        queueing_{{*runtime_, *tuner_, runtime_->facts().base_alignment, nullptr, settings_.fast,
                   integer_dot(settings_.dot, runtime_->facts()), settings_.mode == MemoryMode::High}} {}
  ~OpenClBackend() override {
    if (!tuner_->save()) runtime_->log("cannot save the tuning results");
  }

  std::string_view name() const override { return "opencl"; }
  Device device() const override { return {DeviceType::OpenCl, static_cast<int16_t>(settings_.runtime.device)}; }
  std::string description() const override {
    return fmt::format("{}, {} compute units, {}", runtime_->facts().name, runtime_->facts().compute_units,
                       runtime_->facts().platform_name);
  }
  bool runs_on_host_threads() const override { return false; }
  bool in_main_memory() const override { return runtime_->facts().is_cpu(); }
  Bytes alignment() const override { return queueing_.ctx.alignment; }

  Status make_problem() {
    cl_int code = CL_SUCCESS;
    cl_long zero[2] = {0, 0};
    problem_ = MemHandle(
        clCreateBuffer(runtime_->context(), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, zero, &code));
    queueing_.ctx.problem = problem_.get();
    return code == CL_SUCCESS ? Status() : runtime_->lost("the first allocation", code);
  }

  Status register_memory(ExecutionContext& context) override {
    const auto pool = std::make_shared<DevicePool>(runtime_, device(), settings_.pool);
    pool_ = pool;
    others_.clear();
    if (auto ok = context.register_allocator(MemoryKind::Workspace, pool); !ok) return ok;
    // Static memory is never reused, and neither is that of inputs, which the caller writes.
    PoolOptions separate{1, 0, true}, weights = separate;
    weights.stays = true;
    const auto static_pool = std::make_shared<DevicePool>(runtime_, device(), weights);
    static_pool_ = static_pool;
    if (auto ok = context.register_allocator(MemoryKind::Persistent, static_pool); !ok) return ok;
    for (const auto& [kind, options] :
         {std::pair(MemoryKind::Default, separate), {MemoryKind::KVCache, settings_.pool}}) {
      const auto other = std::make_shared<BufferPool>(runtime_, device(), options);
      others_.push_back(other);
      if (auto ok = context.register_allocator(kind, other); !ok) return ok;
    }
    return {};
  }

  Status supports(const TensorImpl& node) const override {
    const OpFamily family = info(node.op).family;
    if (family == OpFamily::Unknown)
      return Error{fmt::format("{} '{}' on opencl: unknown op {}", arenascope::name(node.op), node.name,
                               static_cast<int>(node.op))};
    if (!has_kernel(node.op)) return Error{fmt::format("{} has no OpenCL kernel", arenascope::name(node.op))};
    if (info(node.dtype).quantised && has_work(node))
      return Error{fmt::format("OpenCL kernels do not support results of type {}", arenascope::name(node.dtype))};
    const bool quantised = std::any_of(node.sources.begin(), node.sources.end(),
                                       [](const TensorImpl* s) { return info(s->dtype).quantised; });
    const bool takes_blocks = node.op == Op::MulMat || node.op == Op::MulMatId || node.op == Op::Gather ||
                              node.op == Op::Cast || node.op == Op::Attention;
    if (quantised && !takes_blocks && has_work(node))
      return Error{fmt::format("no OpenCL kernel for {} with input type {}", arenascope::name(node.op),
                               arenascope::name(node.sources[0]->dtype))};
    if (node.op == Op::Lstm && node.params.get<LstmParams>().quantised_state)
      return Error{"no OpenCL kernel for LSTM with a quantised state"};
    if (node.op == Op::MaxPoolBack && !info(node.dtype).floating)
      return Error{fmt::format("no OpenCL kernel for MAX_POOL_BACK of type {}", arenascope::name(node.dtype))};
    if (node.op == Op::GatherBack && node.sources.size() > 2 && !node.sources[2]->contiguous())
      return Error{"GATHER_BACK requires a contiguous base"};
    bool doubles = node.dtype == DType::F64;
    for (const TensorImpl* s : node.sources) doubles = doubles || s->dtype == DType::F64;
    if (doubles && !runtime_->facts().fp64 && has_work(node))
      return Error{fmt::format("{} does not support float64, which {} '{}' requires", runtime_->facts().name,
                               arenascope::name(node.op), node.name)};
    return {};
  }
  int tasks(const TensorImpl&, int) const override { return 1; }
  Bytes work_bytes(const TensorImpl& node, int) const override {
    return info(node.op).family == OpFamily::Contraction ? matmul_work_bytes(queueing_.ctx, node) : 0;
  }

  Status synchronize() override {
    if (queueing_.running)
      if (auto ok = queueing_.running->end(); !ok) return ok;
    if (auto ok = runtime_->finish(); !ok) return ok;
    if (!queueing_.checks) return {};
    queueing_.checks = false;
    cl_long noted[2] = {0, 0};
    cl_int code =
        clEnqueueReadBuffer(runtime_->queue(), problem_.get(), CL_TRUE, 0, sizeof noted, noted, 0, nullptr, nullptr);
    if (code != CL_SUCCESS) return runtime_->lost("reading the index error flag", code);
    if (noted[0] == 0) return {};
    const cl_long none[2] = {0, 0};
    code = clEnqueueWriteBuffer(runtime_->queue(), problem_.get(), CL_TRUE, 0, sizeof none, none, 0, nullptr, nullptr);
    if (code != CL_SUCCESS) return runtime_->lost("clearing the index error flag", code);
    return Error{fmt::format("index {} is out of range", noted[1])};
  }

  PartitionSide packing(const TensorImpl& node, int source) const override {
    return settings_.memory == MemoryObjects::Image ? image_packing(runtime_->facts(), node, source)
                                                    : PartitionSide::Main;
  }
  Bytes padded_size(const TensorImpl& tensor, Bytes bytes) const override {
    if (settings_.sizes == BufferSizes::Exact) return bytes;
    const Bytes element = info(tensor.dtype).block_bytes;
    const int pack = runtime_->facts().intel_subgroups ? 4 : 0;
    return std::max(bytes, padded_bytes(tensor.sizes, element, pack));
  }
  Result<Storage> allocate_image(const TensorImpl& tensor, ExecutionContext& context) override {
    const std::shared_ptr<DevicePool> pool = pool_.lock();
    if (!pool)
      return Error{fmt::format("cannot allocate '{}' as an image: no image memory is registered", tensor.name)};
    const ImageShape shape = image_shape(tensor);
    pool->request_image(shape);
    return Storage::allocate(context, device(), MemoryKind::Workspace, shape.bytes());
  }
  Result<Storage> reacquire_image(const std::byte* place, ExecutionContext& context) override {
    const std::shared_ptr<DevicePool> pool = pool_.lock();
    const Bytes bytes = pool ? pool->request_image_at(const_cast<std::byte*>(place)) : 0;
    if (bytes == 0) return Error{"the image was released or reused"};
    return Storage::allocate(context, device(), MemoryKind::Workspace, bytes);
  }
  using Backend::prepare;
  Result<std::unique_ptr<PreparedGraph>> prepare(std::span<const TensorImpl* const> nodes, ExecutionContext& context,
                                                 const PreparedGraph*) override {
    auto run = std::make_unique<QueuedRun>(queueing_, settings_.replay);
    WeightPacking packing(queueing_.ctx, {settings_.filters == MemoryObjects::Image, settings_.mode != MemoryMode::Low},
                          static_pool_.lock(), device(), context);
    for (const TensorImpl* node : nodes) {
      auto weights = packing.weights_of(*node);
      if (!weights) return weights.error();
      run->add(*node, std::move(*weights));
    }
    return std::unique_ptr<PreparedGraph>(std::move(run));
  }

  void enable_profiling(bool keep) override { runtime_->keep_launches(keep); }
  std::vector<DeviceSpan> drain_spans(const std::function<Nanoseconds()>& now) override {
    return spans_of(*runtime_, now, clock_error_);
  }
  void attribute_copies(const TensorImpl* node) override { runtime_->set_node(node); }
  BackendDiagnostics drain_diagnostics() override {
    BackendDiagnostics out{tuner_->drain_diagnostics(), queueing_.replay_state(), {}, clock_error_};
    if (!untimed_reported_ && out.replay && out.replay->replays > 0) {
      untimed_reported_ = true;
      trace::Problem& note = out.problems.emplace_back();
      note.severity = trace::Severity::Note;
      note.sentence =
          "runs are replayed as command buffers, whose kernels the device does not time one by one: the times of their "
          "nodes are unknown; the backend option replay=off queues and times each kernel";
    }
    return out;
  }
  std::vector<TuningResult> tuning_results() const override { return tuner_->results(); }
  std::vector<PoolBlock> pool_blocks() const override {
    std::vector<PoolBlock> all;
    const auto add = [&all](const auto& pool) {
      const auto held = pool.lock();
      const auto more = held ? held->blocks() : std::vector<PoolBlock>{};
      all.insert(all.end(), more.begin(), more.end());
    };
    add(pool_);
    add(static_pool_);
    for (const std::weak_ptr<BufferPool>& other : others_) add(other);
    std::sort(all.begin(), all.end(), [](const PoolBlock& a, const PoolBlock& b) { return a.address < b.address; });
    return all;
  }

  Status upload(const Storage& to, const std::byte* from, Bytes bytes) override {
    if (bytes > to.bytes())
      return Error{fmt::format("cannot upload {} bytes to a storage of {} bytes", bytes, to.bytes())};
    if (bytes == 0) return {};
    auto place = runtime_->buffers().find(to.data());
    return place ? runtime_->write(*place, from, bytes) : Status(place.error());
  }
  Status download(std::byte* to, const Storage& from, Bytes bytes) override {
    if (bytes > from.bytes())
      return Error{fmt::format("cannot download {} bytes from a storage of {} bytes", bytes, from.bytes())};
    if (bytes == 0) return {};
    auto place = runtime_->buffers().find(from.data());
    return place ? runtime_->read(to, *place, bytes) : Status(place.error());
  }

 private:
  std::shared_ptr<Runtime> runtime_;
  Settings settings_;
  std::unique_ptr<Tuner> tuner_;
  Queueing queueing_;
  MemHandle problem_;
  // Pools of the last context that registered memory: activations, weights, and special kinds.
  std::weak_ptr<DevicePool> pool_, static_pool_;
  std::vector<std::weak_ptr<BufferPool>> others_;
  std::optional<Nanoseconds> clock_error_;  // clock error of the spans returned last
  bool untimed_reported_ = false;           // the note on replayed runs
};

}  // namespace

std::vector<DeviceStatus> list_devices() {
  auto devices = find_devices();
  if (!devices) return {{"", "", devices.error().message, {}}};
  std::vector<DeviceStatus> out;
  for (size_t i = 0; i < devices->size(); ++i)
    out.push_back({fmt::format("opencl:{}", i), (*devices)[i].name, "", describe((*devices)[i])});
  return out;
}

Result<std::unique_ptr<Backend>> open_opencl(const BackendOptions& options) { return open_opencl(options, nullptr); }

Result<std::unique_ptr<Backend>> open_opencl(const BackendOptions& options, std::shared_ptr<Faults> faults) {
  auto settings = read_settings(options);
  if (!settings) return settings.error();
  settings->runtime.faults = std::move(faults);
  settings->runtime.log = [](const std::string& sentence) { fmt::print(stderr, "arenascope: {}\n", sentence); };
  auto created = Runtime::create(settings->runtime);
  if (!created) return created.error();
  std::shared_ptr<Runtime> runtime = std::move(*created);
  const ProgramCache cache(settings->runtime.cache_folder, runtime->facts());
  auto tuner = std::make_unique<Tuner>(
      settings->runtime.tuning, cache.folder().empty() ? "" : cache.folder() + "/tuning-results.bin", "tuning results");
  if (!tuner->load()) runtime->log("the saved tuning results are not usable; tuning again");
  // As in MNN: Adreno's texture cache favours images, other devices are faster with buffers.
  if (settings->memory == MemoryObjects::Auto)
    settings->memory =
        runtime->images() && runtime->facts().vendor == Vendor::Qualcomm ? MemoryObjects::Image : MemoryObjects::Buffer;
  if (settings->filters == MemoryObjects::Auto)
    settings->filters =
        runtime->images() && runtime->facts().vendor == Vendor::Qualcomm ? MemoryObjects::Image : MemoryObjects::Buffer;
  if (auto ok = check_device(*settings, runtime->facts()); !ok) return ok.error();
  auto backend = std::make_unique<OpenClBackend>(std::move(runtime), std::move(*settings), std::move(tuner));
  if (auto ok = backend->make_problem(); !ok) return ok.error();
  return std::unique_ptr<Backend>(std::move(backend));
}

}  // namespace arenascope::opencl
