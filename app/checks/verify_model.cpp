// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checks/verify_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <vector>

#include <arenascope/backends/op_cases/op_cases.h>
#include <arenascope/backends/reference/reference_backend.h>
#include <arenascope/models/host_array.h>
#include <fmt/format.h>

#include <arenascope/run/backends.h>

namespace arenascope::app {
namespace {

// Default tolerance for networks stored as float16: each value is rounded to 11 bits.
constexpr double kLowPrecision = 2e-2;

bool low_precision(const VerifyOptions& options) { return options.runner.precision == Precision::Low; }

// For CPUs that may round both inputs of matmuls with float16 weights to bf16: 2^-9 of each number.
constexpr double kRoundedHalves = 1e-2;

bool rounds_halves(const VerifyOptions& options, const models::Model& model) {
  return options.runner.backend == "cpu" && options.runner.precision == Precision::Normal &&
         std::any_of(model.weights.begin(), model.weights.end(),
                     [](const models::Weight& weight) { return weight.tensor.dtype() == DType::F16; });
}

// Default tolerance for networks with quantised weights. Matmuls quantise activations to 8 bits in blocks of 32
// elements (q4_0 to q8_0) or 256 (K types), and errors add up over the layers. Measured against the reference, which
// does not quantise: 2.2e-2 in the five layers of stories260K, at most 4.0e-2 (blocks of 32) and 4.5e-2 (blocks of
// 256) over six layers of random weights in each type, as in tests/app/cli/test_verify.cpp. The expected maximum of
// 256 normal samples, and with it the quantisation step, is 1.37 times that of 32.
double quantised_tolerance(DType type) {
  switch (type) {
    case DType::Q8_0:
    case DType::Q4_0:
    case DType::Q4_1:
    case DType::Q5_0:
    case DType::Q5_1: return 5e-2;
    case DType::Q2_K:
    case DType::Q3_K:
    case DType::Q4_K:
    case DType::Q5_K:
    case DType::Q6_K: return 7e-2;
    default: return 0;
  }
}

// Estimated relative rounding error of the outputs of an f32 network: a sum of n terms is off by about √n half units
// in the last place, and errors of consecutive sums add up along the longest path through the graph.
double rounding_of(const Graph& graph) {
  constexpr double kHalfUnit = 0x1p-24;
  const auto nodes = graph.nodes();
  std::vector<double> way(nodes.size(), 0);
  double longest = 0;
  for (size_t i = 0; i < nodes.size(); ++i) {
    const TensorImpl& node = *nodes[i];
    for (const TensorImpl* source : node.sources)
      if (const NodeId from = graph.find_node(*source); from.valid()) way[i] = std::max(way[i], way[from.index()]);
    const bool sums = info(node.op).family == OpFamily::Contraction || info(node.op).family == OpFamily::Reduction;
    if (sums && node.element_count() > 0)
      way[i] +=
          std::sqrt(std::max(1.0, static_cast<double>(flops(node)) / 2 / static_cast<double>(node.element_count())));
    longest = std::max(longest, way[i]);
  }
  return longest * kHalfUnit;
}

// Sigmoid and softmax outputs are between 0 and 1; near 0 their relative error is dominated by rounding at 1.
constexpr double kNearZero = 1e-6;

bool is_share(const TensorImpl& tensor) {
  const TensorImpl* node = &tensor;
  while (node->is_view() || node->op == Op::Cont) node = node->is_view() ? node->view_source : node->sources[0];
  return node->op == Op::Sigmoid || node->op == Op::SoftMax;
}

// The tolerance applied to a model and its reason.
struct Measure {
  Tolerance tolerance;
  std::string reason;
  bool given = false;  // specified on the command line; used unchanged
};

Measure measure_of(const VerifyOptions& options, const models::Model& model) {
  Measure out{options.tolerance, {}, false};
  const Tolerance usual;
  Tolerance& t = out.tolerance;
  out.given = t.relative_to_max > 0 || t.rtol != usual.rtol || t.atol != usual.atol;
  DType widest = DType::F32;
  for (const models::Weight& weight : model.weights)
    if (quantised_tolerance(weight.tensor.dtype()) > quantised_tolerance(widest)) widest = weight.tensor.dtype();
  if (!out.given && low_precision(options)) t.relative_to_max = kLowPrecision;
  if (!out.given && quantised_tolerance(widest) > t.relative_to_max) t.relative_to_max = quantised_tolerance(widest);
  const bool rounded = rounds_halves(options, model);
  if (!out.given && rounded) t.relative_to_max = std::max(t.relative_to_max, kRoundedHalves);
  if (low_precision(options)) out.reason = "stored as float16";
  if (rounded) out.reason = "matmul inputs with float16 weights rounded to bf16";
  if (widest != DType::F32)
    out.reason += fmt::format("{}weights in {}, whose matmuls quantise activations to 8 bits",
                              out.reason.empty() ? "" : ", ", name(widest));
  if (!out.reason.empty() && t.relative_to_max > 0)
    out.reason += fmt::format(": allowed {:.3g} of the largest value", t.relative_to_max);
  return out;
}

VerifiedCase judge(std::string name, const TensorImpl& tensor, std::span<const std::byte> got,
                   std::span<const std::byte> expected, Measure measure, bool low) {
  if (!measure.given && is_share(tensor)) measure.tolerance.absolute = kNearZero;
  const Comparison c = compare(tensor.dtype, got, expected, measure.tolerance);
  std::string note = measure.reason;
  // One intermediate value too large for float16 makes many outputs infinite or NaN.
  if (low && !std::isfinite(c.max_abs_error))
    note += "; some results are infinite or NaN: values beyond 65504 do not fit into float16";
  Tolerance strict = measure.tolerance;
  strict.absolute = 0;
  if (c.passed && measure.tolerance.absolute > 0 && !compare(tensor.dtype, got, expected, strict).passed)
    note += fmt::format("{}within 1e-6 absolute: sigmoid or softmax values near zero", note.empty() ? "" : "; ");
  return {std::move(name), c.passed, c.max_abs_error, c.max_rel_error, std::move(note)};
}

Result<std::vector<VerifiedCase>> against_backend(VerifyTask task) {
  const VerifyOptions& options = task.options;
  auto tested = Runner::open(std::move(*task.model), options.runner);
  if (!tested) return tested.error();
  if (auto report = (*tested)->run(); !report) return report.error();
  std::vector<std::vector<std::byte>> results;
  for (const RunResult& result : (*tested)->results()) {
    auto bytes = result.read();
    if (!bytes) return bytes.error();
    results.push_back(std::move(*bytes));
  }
  tested->reset();
  RunnerOptions reference_options = options.runner;
  reference_options.backend = options.against;
  reference_options.backend_options.clear();
  reference_options.precision.reset();
  reference_options.threads = options.against == "reference" ? 1 : 0;
  if (options.against != "reference") reference_options.precision = Precision::High;
  auto reference = Runner::open(task.spec, reference_options);
  if (!reference) return reference.error();
  if (auto report = (*reference)->run(); !report) return report.error();
  Measure measure = measure_of(options, (*reference)->model());
  if (measure.tolerance.relative_to_max == 0) {
    constexpr double kDefaultTolerance = 1e-5, kMaxTolerance = 4e-5;
    const double rounding = std::min(rounding_of((*reference)->model().graph), kMaxTolerance);
    measure.tolerance.relative_to_max = std::max(kDefaultTolerance, rounding);
    if (rounding > kDefaultTolerance)
      measure.reason += fmt::format("rounding of consecutive long sums: allowed {:.3g} of the largest value", rounding);
  }
  std::vector<VerifiedCase> cases;
  const std::vector<RunResult> references = (*reference)->results();
  if (results.size() != references.size())
    return Error{fmt::format("{}: expected {} outputs, as {} computes, found {}", task.spec, references.size(),
                             options.against, results.size())};
  for (size_t i = 0; i < results.size(); ++i) {
    auto expected = references[i].read();
    if (!expected) return expected.error();
    const auto& value = *references[i].value;
    if (results[i].size() != expected->size()) {
      cases.push_back({fmt::format("{}/{}", options.against, value.name), false, 0, 0,
                       fmt::format("{} bytes, expected {}", results[i].size(), expected->size())});
      continue;
    }
    cases.push_back(judge(fmt::format("{}/{}", options.against, value.name), *value.tensor, results[i], *expected,
                          measure, low_precision(options)));
  }
  return cases;
}

std::span<const std::byte> bytes_of(const Tensor& tensor) {
  return {tensor->data(), static_cast<size_t>(tensor->byte_count())};
}

bool is_element(const std::string& name) { return name.ends_with(']'); }  // element of a sequence: NAME[0]

// Index of a test case's tensor among the model's tensors: by name, or by position if it has none.
size_t index_of(const std::vector<models::ValueInfo>& values, const models::NamedTensor& tensor, size_t number) {
  for (size_t i = 0; i < values.size(); ++i)
    if (!tensor.name.empty() && values[i].name == tensor.name) return i;
  return is_element(tensor.name) ? values.size() : number;
}

// Random outputs: mean and spread must be as close as those of two samples of that size.
VerifiedCase judge_distribution(std::string name, const TensorImpl& tensor, std::span<const std::byte> got,
                                std::span<const std::byte> expected) {
  struct Moments {
    double mean = 0, spread = 0;
  };
  const auto count = static_cast<double>(tensor.element_count());
  const auto moments = [&](std::span<const std::byte> bytes) {
    const auto array = models::HostArray::from_bytes(tensor.dtype, tensor.sizes, bytes.data());
    Moments out;
    for (int64_t i = 0; i < array.count(); ++i) out.mean += array.number(i) / count;
    for (int64_t i = 0; i < array.count(); ++i)
      out.spread += (array.number(i) - out.mean) * (array.number(i) - out.mean) / count;
    out.spread = std::sqrt(out.spread);
    return out;
  };
  const Moments a = moments(got), b = moments(expected);
  const double spread = std::max({a.spread, b.spread, 1e-9}), apart = std::fabs(a.mean - b.mean);
  // Five times the expected difference between two means, and between two spreads.
  const bool passed =
      apart <= 5 * spread * std::sqrt(2 / count) && std::fabs(a.spread - b.spread) <= 5 * spread / std::sqrt(count);
  return {std::move(name), passed, apart, apart / spread,
          fmt::format(
              "random numbers compared by distribution: mean {:.4g}, expected {:.4g}; spread {:.4g}, expected {:.4g}",
              a.mean, b.mean, a.spread, b.spread)};
}

bool same_strings(const models::StringTable& a, const models::StringTable& b) { return !a == !b && (!a || *a == *b); }

VerifiedCase judge_strings(std::string name, const models::StringTable& strings, std::span<const std::byte> got,
                           const models::NamedTensor& expected) {
  VerifiedCase out{std::move(name), true, 0, 0, ""};
  if (!strings != !expected.strings) {
    out.passed = false;
    out.note = strings ? "got strings, expected numbers" : "got numbers, expected strings";
    return out;
  }
  const auto* indices = reinterpret_cast<const int64_t*>(got.data());
  for (int64_t i = 0; i < expected.tensor->element_count() && out.passed; ++i) {
    const auto is = models::string_at(strings, indices[i]);
    const auto should = models::string_at(expected.strings, expected.tensor->data_as<int64_t>()[i]);
    out.passed = is == should;
    if (!out.passed) out.note = fmt::format("string {} is '{}', expected '{}'", i, is, should);
  }
  return out;
}

Result<std::vector<VerifiedCase>> against_files(VerifyTask task) {
  const VerifyOptions& options = task.options;
  auto runner = Runner::open(std::move(*task.model), options.runner);
  if (!runner) return runner.error();
  const models::Model& model = (*runner)->model();
  std::vector<VerifiedCase> cases;
  for (const models::TestCase& test : task.tests) {
    for (size_t i = 0; i < test.inputs.size(); ++i) {
      const size_t at = index_of(model.inputs, test.inputs[i], i);
      if (at >= model.inputs.size()) continue;  // a weight that the file also lists as an input
      if (!same_strings(model.inputs[at].strings, test.inputs[i].strings))
        return Error{fmt::format("{}: input '{}' of {} has strings that differ from those the model was opened with",
                                 task.spec, model.inputs[at].name, test.name)};
      const Tensor& given = test.inputs[i].tensor;
      const Tensor& expected = model.inputs[at].tensor;
      if (given.dtype() != expected.dtype() || !(given.sizes() == expected.sizes()))
        return Error{fmt::format("{}: input '{}' of {} is {} {}, but the model expects {} {}", task.spec,
                                 model.inputs[at].name, test.name, name(given.dtype()), to_string(given.sizes()),
                                 name(expected.dtype()), to_string(expected.sizes()))};
      if (auto ok = (*runner)->set_input(model.inputs[at].name, bytes_of(given)); !ok) return ok.error();
    }
    if (auto report = (*runner)->run(); !report) return report.error();
    const std::vector<RunResult> made = (*runner)->results();
    std::vector<models::ValueInfo> outputs;
    for (const RunResult& result : made) outputs.push_back(*result.value);
    for (size_t i = test.outputs.size(); i < outputs.size(); ++i)
      if (is_element(outputs[i].name))
        cases.push_back({fmt::format("{}/{}", test.name, outputs[i].name), false, 0, 0, "unexpected output"});
    for (size_t i = 0; i < test.outputs.size(); ++i) {
      const size_t at = index_of(outputs, test.outputs[i], i);
      if (at >= outputs.size() && is_element(test.outputs[i].name))
        cases.push_back({fmt::format("{}/{}", test.name, test.outputs[i].name), false, 0, 0, "missing output"});
      if (at >= outputs.size()) continue;
      const Tensor& expected = test.outputs[i].tensor;
      const Tensor& got = outputs[at].tensor;
      const std::string case_name = fmt::format("{}/{}", test.name, outputs[at].name);
      if (got.dtype() != expected.dtype() || !(got.sizes() == expected.sizes())) {
        cases.push_back({case_name, false, 0, 0,
                         fmt::format("got {} {}, expected {} {}", name(got.dtype()), to_string(got.sizes()),
                                     name(expected.dtype()), to_string(expected.sizes()))});
        continue;
      }
      auto bytes = made[at].read();
      if (!bytes) return bytes.error();
      if (outputs[at].strings || test.outputs[i].strings) {
        cases.push_back(judge_strings(case_name, outputs[at].strings, *bytes, test.outputs[i]));
        continue;
      }
      const auto& drawn = made[at].runner->model().random_outputs;
      if (std::find(drawn.begin(), drawn.end(), outputs[at].name) != drawn.end() && got->element_count() > 0) {
        cases.push_back(judge_distribution(case_name, *got, *bytes, bytes_of(expected)));
        continue;
      }
      cases.push_back(
          judge(case_name, *got, *bytes, bytes_of(expected), measure_of(options, model), low_precision(options)));
    }
  }
  return cases;
}

// One op case on the backend and on the reference with the same inputs.
VerifiedCase run_op_case(const OpCase& op_case, Backend& backend, ExecutionContext& memory, Backend& reference) {
  VerifiedCase out{op_case.name, false, 0, 0, ""};
  const auto failed = [&](const Error& error) {
    out.note = error.message;
    return out;
  };
  auto context = Context::create({.grow = true});
  if (!context) return failed(context.error());
  auto built = op_case.build(*context);
  if (!built) return failed(built.error());
  fill_inputs(*built, 1);
  const TensorImpl& node = *built->output;
  if (auto ok = backend.supports(node); !ok) return failed(ok.error());
  if (auto ok = compute_in_parts(reference, node, 1); !ok) return failed(ok.error());
  const std::vector<std::byte> expected(node.data(), node.data() + node.byte_count());
  if (!expected.empty()) std::memset(node.data(), 0xA5, expected.size());
  fill_inputs(*built, 1);  // an in-place op may have changed them
  std::vector<std::byte> got;
  if (backend.runs_on_host_threads()) {
    if (auto ok = compute_in_parts(backend, node, backend.tasks(node, 2)); !ok) return failed(ok.error());
    got.assign(node.data(), node.data() + node.byte_count());
  } else {
    auto computed = compute_on_device(backend, memory, *built);
    if (!computed) return failed(computed.error());
    got = std::move(*computed);
  }
  const Difference d = compare_elements(node.dtype, got.data(), expected.data(), node.element_count());
  out.max_abs_error = d.largest_error;
  out.max_rel_error = d.relative();
  out.passed = d.relative() <= op_case.tolerance;
  return out;
}

// An op, or an LSTM with a quantised state, that a device may lack; the partitioner then assigns it to the host.
bool left_to_host(const OpCase& op_case, const Backend& backend) {
  if (info(op_case.op).family != OpFamily::Host && op_case.op != Op::Lstm) return false;
  auto context = Context::create({.grow = true});
  if (!context) return false;
  auto built = op_case.build(*context);
  return built && !backend.supports(*built->output).ok();
}

Result<std::vector<VerifiedCase>> all_op_cases(const VerifyOptions& options) {
  auto devices = open_devices(options.runner.backend, options.runner.backend_options, options.runner.precision);
  if (!devices) return devices.error();
  Backend& backend = *devices->main;
  const auto memory = make_cpu_context();
  if (auto ok = backend.register_memory(*memory); !ok) return ok.error();
  auto reference = reference::make_reference_backend();
  std::vector<VerifiedCase> cases;
  for (const OpCase& op_case : op_cases()) {
    if (!options.only.empty() && op_case.name.find(options.only) == std::string::npos) continue;
    if (left_to_host(op_case, backend)) continue;
    cases.push_back(run_op_case(op_case, backend, *memory, *reference));
  }
  return cases;
}

}  // namespace

Result<VerifyTask> read_task(const std::string& spec, const VerifyOptions& options) {
  VerifyTask task{spec, options, std::nullopt, {}};
  if (spec.empty()) return task;
  auto model = open_for_run(spec, task.options.runner);
  if (!model) return model.error();
  task.model = std::move(*model);
  if (spec.starts_with("zoo:")) return task;
  std::error_code error;
  std::filesystem::path folder(spec);
  if (!std::filesystem::is_directory(folder, error)) folder = folder.parent_path();
  if (folder.empty()) folder = ".";
  bool has_data_sets = false;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    has_data_sets = has_data_sets || at->path().filename().string().starts_with("test_data_set_");
  if (!has_data_sets) return task;
  auto tests = models::read_test_cases(folder);
  if (!tests) return tests.error();
  task.tests = std::move(*tests);
  return task;
}

Result<std::vector<VerifiedCase>> verify_model(VerifyTask task) {
  if (!task.model) return all_op_cases(task.options);
  return task.tests.empty() ? against_backend(std::move(task)) : against_files(std::move(task));
}

}  // namespace arenascope::app
