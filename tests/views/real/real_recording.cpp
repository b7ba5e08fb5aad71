// SPDX-License-Identifier: GPL-3.0-or-later
#include "real_recording.h"

#include <arenascope/graph/builder.h>
#include <arenascope/trace/recorder.h>
#include <arenascope/trace/recording.h>
#include <unistd.h>

#include <filesystem>

#include <arenascope/run/runner.h>
#include "tests/test_data.h"

namespace arenascope::test {
namespace {

// Fails with the step that failed.
Result<std::shared_ptr<trace::Session>> record(Result<models::Model> model, RunnerOptions options,
                                               const std::string& name) {
  if (!model) return model.error();
  namespace fs = std::filesystem;
  const fs::path file =
      fs::temp_directory_path() / ("arenascope-" + name + "-" + std::to_string(getpid()) + ".arenascope");
  struct Remove {
    const fs::path& path;
    ~Remove() {
      std::error_code ignored;
      fs::remove(path, ignored);
    }
  } remove{file};
  {
    trace::Recorder recorder;
    auto writer = trace::RecordingWriter::create(file);
    if (!writer) return writer.error();
    recorder.add_sink(*writer);
    recorder.start();
    options.recorder = &recorder;
    auto runner = Runner::open(std::move(*model), options);
    if (!runner) return runner.error();
    for (int i = 0; i < 2; ++i) {
      if (auto report = (*runner)->run(); !report) return report.error();
      if (auto output = (*runner)->output(0); !output) return output.error();  // a copy, on a device
    }
    recorder.stop();
    if (auto ok = (*writer)->close(); !ok) return ok.error();
  }
  auto session = std::make_shared<trace::Session>();
  auto report = trace::read_recording(file, *session);
  if (!report) return report.error();
  if (!report->problem.empty()) return Error{report->problem};
  return session;
}

// A matmul, an elementwise op, a softmax, and a sum.
Result<models::Model> small_model() {
  auto context = Context::create({.mem_size = 1 << 20, .no_alloc = true});
  if (!context) return context.error();
  GraphBuilder g(*context);
  const Tensor a = g.input("a", {96, 64}), b = g.input("b", {80, 64});
  const Tensor product = g.mul_mat(a, b, {}, "product");
  const Tensor positive = g.op(Op::Relu, {product}, {}, "positive");
  const Tensor shares = g.soft_max(positive, 1, 1, {}, "shares");
  const Tensor sum = g.add(g.scale(shares, 2, 1, "twice"), positive, "sum");
  g.output(sum);
  if (!g.ok()) return g.status().error();
  auto graph = context->new_graph(16);
  if (!graph) return graph.error();
  if (auto ok = graph->expand(sum); !ok) return ok.error();
  models::Model model;
  model.name = "product and softmax";
  model.format = "zoo";
  model.context = *context;
  model.graph = *graph;
  for (const Tensor& input : {a, b})
    model.inputs.push_back({std::string(input->name), DType::F32, input->sizes, input,
                            [n = input->element_count()](std::byte* out) -> Status {
                              for (int64_t i = 0; i < n; ++i)
                                reinterpret_cast<float*>(out)[i] = static_cast<float>(i % 17) / 17;
                              return {};
                            }});
  model.outputs.push_back({"sum", DType::F32, sum->sizes, sum, nullptr});
  return model;
}

RealRecording made(Result<std::shared_ptr<trace::Session>> recorded) {
  if (recorded) return {std::move(*recorded), {}};
  return {nullptr, "skipped: " + recorded.error().message};
}

}  // namespace

const RealRecording& real_recording() {
  static const RealRecording recording = [] {
    const std::filesystem::path model = data_folder() / "onnx" / "light" / "squeezenet";
    if (data_folder().empty() || !std::filesystem::exists(model))
      return RealRecording{nullptr, "skipped: no onnx/light/squeezenet in ARENASCOPE_DATA or ../shared/data"};
    RunnerOptions options;
    options.threads = 2;
    options.force_multithreaded = true;  // barrier waits are needed
    return made(record(models::open_model(model.string()), options, "squeezenet"));
  }();
  return recording;
}

const RealRecording& device_recording() {
  static const RealRecording recording = [] {
    RunnerOptions options;
    options.backend = "opencl";
    options.backend_options["cache"] = "none";
    options.strategy = MemoryStrategy::Eager;
    return made(record(small_model(), options, "opencl"));
  }();
  return recording;
}

}  // namespace arenascope::test
