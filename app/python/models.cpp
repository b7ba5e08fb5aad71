// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include <arenascope/run/runner.h>
#include <fmt/format.h>

#include "app/python/python_api.h"

namespace arenascope::python {

struct Model {
  std::unique_ptr<Runner> runner;
  // Inputs whose values determined shapes of the graph; none for a value that was assumed.
  std::map<std::string, std::optional<std::vector<std::byte>>> fixed;
};

namespace {

Bytes byte_count(const Array& array, DType type) {
  Bytes bytes = element_bytes(type);
  for (int64_t d = 0; d < array.rank; ++d) bytes *= array.shape[d];
  return bytes;
}

std::span<const std::byte> bytes_of(const Array& array) {
  const auto type = parse_dtype(array.dtype);
  return {static_cast<const std::byte*>(array.data), type ? static_cast<size_t>(byte_count(array, *type)) : 0};
}

// A copy, because the runner may read the values of inputs until it is destroyed.
Result<Tensor> tensor_of(const Array& array) {
  const auto type = parse_dtype(array.dtype);
  if (!type || info(*type).quantised)
    return Error{fmt::format("input '{}': the type {} is not supported", array.name, array.dtype)};
  constexpr size_t kAlignment = 64;
  const std::span<const std::byte> bytes = bytes_of(array);
  const std::shared_ptr<void> copy(std::aligned_alloc(kAlignment, (bytes.size() / kAlignment + 1) * kAlignment),
                                   std::free);
  if (!copy) return Error{fmt::format("input '{}': out of memory for {} bytes", array.name, bytes.size())};
  if (!bytes.empty()) std::memcpy(copy.get(), bytes.data(), bytes.size());
  auto storage = Storage::borrow(copy.get(), static_cast<Bytes>(bytes.size()), {}, MemoryKind::Default, copy);
  if (!storage) return storage.error();
  return Tensor::wrap(std::move(*storage), Dims(std::span(array.shape, static_cast<size_t>(array.rank))), *type);
}

Result<std::unique_ptr<Model>> open_model(const std::string& spec, std::span<const Array> inputs,
                                          const python::RunOptions& given) {
  RunnerOptions options;
  options.rewrite = options.fuse = true;
  options.threads = given.threads;
  if (given.planner != nullptr) options.planner = given.planner;
  if (given.order != nullptr) options.order = given.order;
  if (given.budget_seconds > 0) options.budget_seconds = given.budget_seconds;
  for (const Array& input : inputs) {
    auto tensor = tensor_of(input);
    if (!tensor) return tensor.error();
    options.open.inputs[input.name] = std::move(*tensor);
  }
  auto runner = Runner::open(spec, options);
  if (!runner) return runner.error();
  auto model = std::make_unique<Model>();
  model->runner = std::move(*runner);
  for (const std::string& name : model->runner->model().fixed_inputs) {
    auto& value = model->fixed[name];
    for (const Array& input : inputs)
      if (input.name == name) value.emplace(bytes_of(input).begin(), bytes_of(input).end());
  }
  return model;
}

bool describe(const models::ValueInfo& value, Array& out) {
  const Dims sizes = value.tensor.defined() ? Dims(value.tensor.sizes()) : value.sizes;
  if (sizes.rank() > Array::kMaxRank) return false;
  out = {.name = value.name.c_str(),
         .dtype = value.type_name(),
         .rank = sizes.rank(),
         .shape = {},
         .data = nullptr,
         .owner = nullptr};
  for (int d = 0; d < sizes.rank(); ++d) out.shape[d] = sizes[d];
  return true;
}

int run_model(Model& model, std::span<const Array> inputs, RunTimes& times, char* message, size_t size) {
  const auto fail = [&](const Error& error) {
    write_message(error.message, message, size);
    return 1;
  };
  for (const Array& input : inputs) {
    const std::span<const std::byte> bytes = bytes_of(input);
    const auto fixed = model.fixed.find(input.name);
    if (fixed != model.fixed.end()) {
      if (!fixed->second || !std::ranges::equal(bytes, *fixed->second)) return 2;
      continue;
    }
    if (const Status set = model.runner->set_input(input.name, bytes); !set) return fail(set.error());
  }
  const auto report = model.runner->run();
  if (!report) return fail(report.error());
  times = {report->nanoseconds, model.runner->plan().memory.arena_bytes};
  return 0;
}

int read_output(Model& model, size_t index, Array& value, char* message, size_t size) {
  const std::vector<RunResult> results = model.runner->results();
  if (index >= results.size()) return 2;
  const models::ValueInfo& info = *results[index].value;
  if (!describe(info, value)) {
    write_message(fmt::format("output '{}': expected at most {} dimensions", info.name, Array::kMaxRank), message,
                  size);
    return 1;
  }
  auto bytes = results[index].read();
  if (!bytes) {
    write_message(fmt::format("output '{}': {}", info.name, bytes.error().message), message, size);
    return 1;
  }
  auto owner = std::make_unique<std::vector<std::byte>>(std::move(*bytes));
  value.data = owner->data();
  value.owner = owner.release();
  return 0;
}

}  // namespace
}  // namespace arenascope::python

using namespace arenascope;

python::Model* arenascope_model_open(const char* spec, const python::Array* inputs, size_t count,
                                     const python::RunOptions* options, char* message, size_t size) {
  return python::guarded<python::Model*>(message, size, nullptr, [&]() -> python::Model* {
    auto model = python::open_model(spec, {inputs, count}, *options);
    if (model) return model->release();
    python::write_message(model.error().message, message, size);
    return nullptr;
  });
}

void arenascope_model_close(python::Model* model) { delete model; }

int arenascope_model_value(const python::Model* model, int is_output, size_t index, python::Array* value) {
  return python::guarded(nullptr, 0, 1, [&] {
    const auto& inputs = model->runner->model().inputs;
    if (is_output == 0) return index < inputs.size() && python::describe(inputs[index], *value) ? 0 : 1;
    const std::vector<RunResult> results = model->runner->results();
    return index < results.size() && python::describe(*results[index].value, *value) ? 0 : 1;
  });
}

int arenascope_model_run(python::Model* model, const python::Array* inputs, size_t count, python::RunTimes* times,
                         char* message, size_t size) {
  return python::guarded(message, size, 1, [&] {
    return python::run_model(*model, {inputs, count}, *times, message, size);
  });
}

int arenascope_model_output(python::Model* model, size_t index, python::Array* value, char* message, size_t size) {
  return python::guarded(message, size, 1, [&] { return python::read_output(*model, index, *value, message, size); });
}

void arenascope_bytes_free(void* owner) { delete static_cast<std::vector<std::byte>*>(owner); }
