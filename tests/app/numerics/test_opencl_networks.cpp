// SPDX-License-Identifier: GPL-3.0-or-later
// Networks on an OpenCL device compared with the CPU backend: small ones of the zoo, or those listed in
// ARENASCOPE_OPENCL_NETWORKS, separated by spaces (each kernel is compiled first). In low precision the tensors of
// the device are float16.
#include <doctest/doctest.h>
#include <test_data.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <arenascope/graph/builder.h>
#include <arenascope/trace/session.h>

#include <arenascope/generate/generator.h>
#include <arenascope/run/runner.h>
#include "app/checks/compare.h"
#include "app/checks/verify_model.h"

using namespace arenascope;
using namespace arenascope::app;

namespace {

struct Outputs {
  std::vector<DType> types;
  std::vector<std::vector<std::byte>> bytes;
};

Result<Outputs> outputs_of(const std::string& spec, const std::string& backend, const std::string& precision,
                           bool images) {
  RunnerOptions options;
  options.backend = backend;
  options.planner = "two-level";
  options.threads = 2;
  if (backend != "cpu") {
    options.backend_options = {{"cache", "none"}};
    options.precision = parse_precision(precision);
    if (images) options.backend_options["memory"] = "image";
  }
  auto runner = Runner::open(spec, options);
  if (!runner) return runner.error();
  if (auto ran = (*runner)->run(); !ran) return ran.error();
  Outputs out;
  for (size_t i = 0; i < (*runner)->model().outputs.size(); ++i) {
    auto bytes = (*runner)->output(i);
    if (!bytes) return bytes.error();
    out.types.push_back((*runner)->model().outputs[i].tensor.dtype());
    out.bytes.push_back(std::move(*bytes));
  }
  return out;
}

// Skipped without a driver; the message contains the reason.
bool has_device() {
  auto runner = outputs_of("zoo:mul_mat", "opencl", "high", false);
  if (!runner) MESSAGE("skipped: " << runner.error().message);
  return runner.ok();
}

void agrees(const std::string& spec, const std::string& precision, bool images, double tolerance) {
  CAPTURE(spec);
  CAPTURE(precision);
  const auto expected = outputs_of(spec, "cpu", "", false);
  REQUIRE_MESSAGE(expected.ok(), (expected.ok() ? "" : expected.error().message));
  const auto got = outputs_of(spec, "opencl", precision, images);
  REQUIRE_MESSAGE(got.ok(), (got.ok() ? "" : got.error().message));
  REQUIRE(got->bytes.size() == expected->bytes.size());
  for (size_t i = 0; i < got->bytes.size(); ++i) {
    REQUIRE(got->types[i] == expected->types[i]);
    Tolerance t;
    t.relative_to_max = tolerance;
    const Comparison c = compare(got->types[i], got->bytes[i], expected->bytes[i], t);
    MESSAGE(spec << ", " << precision << std::string(images ? ", images" : "") << ": output " << i << " differs by "
                 << c.max_rel_error << " of the largest");
    CHECK(c.passed);
  }
}

// x -> RELU -> SOFT_MAX -> SIGMOID, so small that copies dominate.
Result<models::Model> small_model() {
  models::Model model;
  auto context = Context::create({.mem_size = size_t{1} << 20, .no_alloc = true});
  if (!context) return context.error();
  GraphBuilder b(*context);
  const Tensor x = b.input("x", {8, 16});
  const Tensor out = b.op(Op::Sigmoid, {b.soft_max(b.op(Op::Relu, {x}), 1)});
  b.output(out);
  auto graph = context->new_graph(16);
  if (!b.ok() || !graph) return Error{"the graph could not be made"};
  if (auto ok = graph->expand(out); !ok) return ok.error();
  model.name = "small";
  model.graph = *graph;
  const auto value = [](const char* name, const Tensor& t) {
    models::ValueInfo v;
    v.name = name;
    v.tensor = t;
    v.dtype = DType::F32;
    v.sizes = t->sizes;
    return v;
  };
  model.inputs.push_back(value("x", x));
  model.outputs.push_back(value("out", out));
  return model;
}

// Kernels on the device track of a recording.
int device_spans(const trace::Snapshot& seen) {
  int spans = 0;
  for (const trace::TrackView& track : seen.tracks)
    if (track.info.kind == trace::TrackKind::DeviceQueue)
      for (const trace::LaneView& lane : track.lanes)
        for (size_t i = 0; i < lane.rows.size(); ++i) spans += lane.rows[i].kind() == trace::EventKind::Work;
  return spans;
}

}  // namespace

TEST_CASE("a device keeps its ops of a small graph if one op is assigned to the host") {
  if (!has_device()) return;
  std::vector<std::byte> results[2];
  for (const bool shared : {false, true}) {
    auto model = small_model();
    REQUIRE_MESSAGE(model.ok(), (model.ok() ? "" : model.error().message));
    trace::Recorder recorder;
    auto session = std::make_shared<trace::Session>();
    recorder.add_sink(session);
    RunnerOptions options;
    options.backend = "opencl";
    options.backend_options = {{"cache", "none"}};
    options.planner = "two-level";
    options.recorder = &recorder;
    if (shared) options.host_ops = {Op::SoftMax};
    auto runner = Runner::open(std::move(*model), options);
    REQUIRE_MESSAGE(runner.ok(), (runner.ok() ? "" : runner.error().message));
    REQUIRE((*runner)->run().ok());
    auto bytes = (*runner)->output(0);
    REQUIRE(bytes.ok());
    results[shared] = std::move(*bytes);
    recorder.drain();
    const auto seen = session->snapshot();
    CHECK(device_spans(*seen) >= (shared ? 2 : 3));
    CHECK(seen->copies.size() == (shared ? 2 : 0));
  }
  Tolerance t;
  t.relative_to_max = 1e-5;
  CHECK(compare(DType::F32, results[1], results[0], t).passed);
}

TEST_CASE("networks of the zoo agree with the CPU backend to 1e-5 of the largest output") {
  if (!has_device()) return;
  const char* listed = std::getenv("ARENASCOPE_OPENCL_NETWORKS");
  std::istringstream names(listed ? listed : "zoo:mul_mat zoo:lstm zoo:squeezenet");
  for (std::string spec; names >> spec;) agrees(spec, "high", false, 1e-5);
}

TEST_CASE("networks stored as float16 agree to 2e-2 of the largest output, in buffers and on images") {
  if (!has_device()) return;
  const char* listed = std::getenv("ARENASCOPE_OPENCL_NETWORKS");
  std::istringstream names(listed ? listed : "zoo:lstm");
  for (std::string spec; names >> spec;) agrees(spec, "low", false, 2e-2);
  if (!listed) agrees("zoo:squeezenet", "low", true, 2e-2);
}

TEST_CASE("a network with values beyond float16 keeps finite results, and verify reports its criterion") {
  ARENASCOPE_NEEDS_DATA("onnx/light/squeezenet");
  if (!has_device()) return;
  VerifyOptions options;
  options.runner.backend = "opencl";
  options.runner.backend_options = {{"cache", "none"}};
  options.runner.precision = Precision::Low;
  auto task = read_task((test::data_folder() / "onnx" / "light" / "squeezenet").string(), options);
  REQUIRE(task.ok());
  const auto report = verify_model(std::move(*task));
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  for (const VerifiedCase& c : *report) {
    CHECK(c.passed);
    CHECK(c.note.find("stored as float16") != std::string::npos);
    CHECK(c.note.find("0.02") != std::string::npos);
  }
}

// The KV cache is written on the host, since the device has no kernel for it, and read on the device.
TEST_CASE("generated tokens match the CPU backend") {
  if (!has_device()) return;
  const auto folder = test::data_folder();
  const std::string path = (folder / "models/llm_stories260K/stories260K-F32.gguf").string();
  if (folder.empty() || !std::filesystem::exists(path)) return;
  const auto tokens = [&](const std::string& backend) {
    GeneratorOptions options;
    options.run.backend = backend;
    options.run.planner = "two-level";
    options.run.threads = 2;
    if (backend != "cpu") options.run.backend_options = {{"cache", "none"}}, options.run.precision = Precision::High;
    auto generator = Generator::open(path, options);
    REQUIRE_MESSAGE(generator.ok(), (generator.ok() ? "" : generator.error().message));
    REQUIRE((*generator)->set_capacity(32).ok());
    std::vector<int32_t> out{1, 403, 407};
    auto logits = (*generator)->feed(out);
    for (int i = 0; i < 8; ++i) {
      REQUIRE_MESSAGE(logits.ok(), (logits.ok() ? "" : logits.error().message));
      out.push_back(static_cast<int32_t>(std::max_element(logits->begin(), logits->end()) - logits->begin()));
      logits = (*generator)->feed({&out.back(), 1});
    }
    return out;
  };
  CHECK(tokens("opencl") == tokens("cpu"));
}
