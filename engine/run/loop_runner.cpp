// SPDX-License-Identifier: MIT
#include "engine/run/loop_runner.h"

#include <arenascope/memory/available_memory.h>
#include <arenascope/models/npy.h>
#include <arenascope/runtime/device_transfer.h>
#include <arenascope/runtime/run_control.h>
#include <arenascope/trace/clock.h>

#include <algorithm>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "engine/run/loop_scan_outputs.h"
#include "engine/run/segment_cache.h"

namespace arenascope {
namespace {

// The tensor names of a value: its own name, or the names of the elements of a sequence.
std::vector<std::string> names_of(const std::string& name, const models::GivenInputs& values) {
  const auto length = values.sequence_lengths.find(name);
  if (length == values.sequence_lengths.end()) return {name};
  std::vector<std::string> out;
  for (int64_t i = 0; i < length->second; ++i) out.push_back(fmt::format("{}[{}]", name, i));
  return out;
}

void erase_value(const std::string& name, models::GivenInputs& values) {
  for (const std::string& one : names_of(name, values)) {
    values.tensors.erase(one);
    values.strings.erase(one);
    values.complex.erase(one);
  }
  values.sequence_lengths.erase(name);
}

void copy_value(const std::string& from, const models::GivenInputs& source, const std::string& to,
                models::GivenInputs& values) {
  erase_value(to, values);
  if (const auto length = source.sequence_lengths.find(from); length != source.sequence_lengths.end())
    values.sequence_lengths[to] = length->second;
  for (const std::string& one : names_of(from, source)) {
    const std::string name = to + one.substr(from.size());
    if (const auto found = source.tensors.find(one); found != source.tensors.end())
      values.tensors[name] = found->second;
    if (const auto found = source.strings.find(one); found != source.strings.end())
      values.strings[name] = found->second;
    if (source.complex.contains(one)) values.complex.insert(name);
  }
}

}  // namespace

// Executes the loop. While the compiled body fits its states, their bytes are copied from its outputs to its inputs.
class LoopRunner {
 public:
  LoopRunner(Runner& before, LoopState& loop, models::GivenInputs& values, SegmentOptions& own,
             const RunOptions& options, RunReport& report)
      : producer_(before),
        spec_(*before.model().deferred->loop),
        loop_(loop),
        values_(values),
        own_(own),
        options_(options),
        report_(report) {}

  Status run() {
    loop_.title = spec_.title;
    body_inputs_ = values_;
    for (size_t i = 0; i < spec_.states.size(); ++i)
      if (!spec_.sources[i].empty()) copy_value(spec_.sources[i], values_, spec_.states[i], body_inputs_);
    scan_outputs_.resize(spec_.left.size());
    for (size_t i = 0; i < scan_outputs_.size(); ++i)
      if (const auto found = values_.tensors.find(spec_.left[i]); found != values_.tensors.end())
        scan_outputs_[i].start_with(found->second, strings_of(spec_.left[i]), values_.complex.contains(spec_.left[i]));
    for (iteration_ = spec_.first; iteration_ < spec_.end && condition_ && !report_.aborted;) {
      if (auto ok = open_body(); !ok) return ok;
      if (auto ok = run_iterations(); !ok)
        return Error{fmt::format("{}, iteration {}: {}", spec_.title, iteration_, ok.error().message)};
    }
    return report_.aborted ? Status() : store_results();
  }

 private:
  // An output of the body that becomes an input of the next iteration.
  struct LoopCarriedValue {
    size_t output;
    const models::ValueInfo* input;
  };

  models::StringTable strings_of(const std::string& name) const {
    const auto found = values_.strings.find(name);
    return found == values_.strings.end() ? nullptr : found->second;
  }

  // Finds the body that was compiled for such states, or compiles it.
  Status open_body() {
    if (!spec_.number.empty()) {
      auto number = models::host_tensor({}, DType::I64);
      if (!number) return number.error();
      std::memcpy((*number)->data(), &iteration_, sizeof iteration_);
      body_inputs_.tensors[spec_.number] = std::move(*number);
    }
    loop_.body = nullptr;                                     // it may be removed from the cache
    if (loop_.graphs++ > 0) own_.planner = "greedy-by-size";  // a body that may run only once is not worth a search
    const Segment* body = producer_.loop_bodies_->find(body_inputs_, iteration_);
    if (body) {
      specialised_ = body->by_value;
      if (auto ok = body->runner->set_inputs(body_inputs_, own_); !ok) return ok;
    } else {
      auto compiled = compile_body();
      if (!compiled) return compiled.error();
      body = *compiled;
    }
    loop_.body = body->runner.get();
    own_.segment.rings = loop_.body->rings_;
    own_.segment.previous_graph = loop_.body->executor().trace_graph();
    find_loop_carried();
    return {};
  }

  Result<Segment*> compile_body() {
    auto model = specialised_ ? Result<models::Model>(Error{}) : spec_.open(body_inputs_, iteration_, false);
    if (!model || !model->runnable()) {
      specialised_ = true;
      model = spec_.open(body_inputs_, iteration_, true);
    }
    if (!model) return model.error();
    model->name = fmt::format("{} ({})", producer_.model().name, spec_.title);
    auto body = producer_.open_segment(std::move(*model), body_inputs_, own_, *producer_.loop_bodies_);
    if (!body) return body;
    (*body)->iteration = iteration_;
    (*body)->by_value = specialised_;
    ++report_.compilations;
    return body;
  }

  // Determines whether the body can be run again unchanged: its outputs have the types and shapes of its inputs.
  void find_loop_carried() {
    const models::Model& body = loop_.body->model();
    loop_carried_.clear();
    reusable_ = !specialised_ && !body.deferred;
    for (size_t i = 0; i < spec_.states.size() && reusable_; ++i) {
      const auto output = index_of(body.outputs, spec_.output(i + 1)), input = index_of(body.inputs, spec_.states[i]);
      reusable_ = output < body.outputs.size() && input < body.inputs.size();
      if (!reusable_) break;
      const models::ValueInfo &from = body.outputs[output], &to = body.inputs[input];
      reusable_ = from.dtype == to.dtype && from.tensor.sizes() == to.tensor.sizes() && from.complex == to.complex &&
                  !from.strings == !to.strings &&
                  (!from.strings || from.strings == to.strings || *from.strings == *to.strings);
      loop_carried_.push_back({output, &to});
    }
    const size_t number = index_of(body.inputs, spec_.number);
    number_ = number < body.inputs.size() ? &body.inputs[number] : nullptr;
  }

  static size_t index_of(const std::vector<models::ValueInfo>& values, const std::string& name) {
    return static_cast<size_t>(
        std::find_if(values.begin(), values.end(), [&](const models::ValueInfo& v) { return v.name == name; }) -
        values.begin());
  }

  // Executes iterations with the compiled body; only one if it cannot be reused.
  Status run_iterations() {
    while (true) {
      if (number_) {
        const auto bytes = std::as_bytes(std::span(&iteration_, 1));
        if (auto ok = write_tensor(*loop_.body->program_.backend, *number_->tensor, bytes); !ok) return ok;
      }
      RunOptions watched = options_;
      if (own_.before_part) own_.before_part(*loop_.body, watched);
      auto part = loop_.body->run_all_parts(watched);
      if (!part) return part.error();
      accumulate_report(*part, report_);
      ++loop_.iterations;
      if (options_.control && options_.control->aborted()) report_.aborted = true;
      if (report_.aborted) return {};
      if (auto ok = collect_scan_outputs(); !ok) return ok;
      ++iteration_;
      report_iteration(part->nanoseconds);
      if (!reusable_ || !condition_ || iteration_ >= spec_.end) return collect_states();
      for (const LoopCarriedValue& state : loop_carried_) {
        auto bytes = loop_.body->output(state.output);
        if (!bytes) return bytes.error();
        if (auto ok = write_tensor(*loop_.body->program_.backend, *state.input->tensor, *bytes); !ok) return ok;
      }
    }
  }

  // Reads the condition and the scan outputs of an iteration.
  Status collect_scan_outputs() {
    const std::vector<RunResult> results = loop_.body->results();
    if (spec_.conditional) {
      const RunResult* condition = find(results, spec_.output(0));
      if (!condition) return Error{"the loop body has no condition output"};
      auto bytes = condition->read();
      if (!bytes) return bytes.error();
      condition_ = !bytes->empty() && (*bytes)[0] != std::byte{0};
    }
    for (size_t i = 0; i < scan_outputs_.size(); ++i) {
      const RunResult* result = find(results, spec_.output(1 + spec_.states.size() + i));
      if (!result) return Error{"a scan output of the loop body is not a tensor"};
      auto bytes = result->read();
      if (!bytes) return bytes.error();
      if (auto ok = scan_outputs_[i].add(*result->value, *bytes); !ok) return ok;
    }
    return check_memory();
  }

  static const RunResult* find(const std::vector<RunResult>& results, const std::string& name) {
    const auto found =
        std::find_if(results.begin(), results.end(), [&](const RunResult& r) { return r.value->name == name; });
    return found == results.end() ? nullptr : &*found;
  }

  // Collects the states after this iteration, for the next compilation of the body and for the results of the loop.
  Status collect_states() {
    const std::vector<RunResult> results = loop_.body->results();
    for (size_t i = 0; i < spec_.states.size(); ++i) {
      const std::string made = spec_.output(i + 1), name = state_name(i);
      const bool one = find(results, made) != nullptr;
      erase_value(name, body_inputs_);
      int64_t elements = 0;
      for (const RunResult& result : results) {
        const std::string& own = result.value->name;
        const bool element = !one && own.starts_with(made) && own.size() > made.size() && own[made.size()] == '[';
        if (own != made && !element) continue;
        if (auto ok = add_result(result, name + own.substr(made.size()), body_inputs_); !ok) return ok;
        if (element) ++elements;
      }
      if (!one) body_inputs_.sequence_lengths[name] = elements;
    }
    return {};
  }

  // The name of a state among the values; if the body has no such input, the name of the body's output.
  std::string state_name(size_t i) const { return spec_.states[i].empty() ? spec_.output(i + 1) : spec_.states[i]; }

  // Scan outputs must not exhaust the memory of the machine. The factor 2 covers vector growth and the final copy.
  Status check_memory() {
    constexpr Bytes kStep = Bytes{32} << 20;
    Bytes held = 0;
    for (const ScanOutputs& left : scan_outputs_) held += left.allocated_bytes();
    for (const auto& [name, tensor] : body_inputs_.tensors) held += tensor->byte_count();
    if (held < memory_checked_at_ + kStep) return {};
    memory_checked_at_ = held;
    if (const Bytes free = available_memory().bytes; held > free / 2)
      return Error{fmt::format("values of the loop need {} bytes, but only {} bytes of memory are free", held, free)};
    return {};
  }

  // Short iterations read the clock only every 64 iterations.
  void report_iteration(Nanoseconds lasted) {
    constexpr Nanoseconds kReportInterval = 200'000'000;
    ran_ += lasted;
    if (!own_.on_iteration || ((loop_.iterations & 63) != 0 && reusable_ && ran_ < kReportInterval)) return;
    const Nanoseconds now = clock_.now();
    if (now - last_report_ < kReportInterval) return;
    last_report_ = now;
    ran_ = 0;
    own_.on_iteration(spec_.title, iteration_);
  }

  Status store_results() {
    const size_t states = spec_.states.size();
    for (size_t i = 0; i < spec_.results.size(); ++i) {
      const std::string& name = spec_.results[i];
      if (name.empty()) continue;
      if (i < states)
        copy_value(state_name(i), body_inputs_, name, values_);
      else if (auto ok = scan_outputs_[i - states].store(name, values_); !ok)
        return Error{fmt::format("{}: {}", spec_.title, ok.error().message)};
    }
    return {};
  }

  Runner& producer_;
  const models::LoopSpec& spec_;
  LoopState& loop_;
  models::GivenInputs& values_;
  SegmentOptions& own_;
  const RunOptions& options_;
  RunReport& report_;
  models::GivenInputs body_inputs_;  // inputs of the body by name
  std::vector<ScanOutputs> scan_outputs_;
  int64_t iteration_ = 0;
  bool condition_ = true, specialised_ = false, reusable_ = false;
  std::vector<LoopCarriedValue> loop_carried_;
  const models::ValueInfo* number_ = nullptr;
  Bytes memory_checked_at_ = 0;
  trace::Clock clock_;
  Nanoseconds last_report_ = clock_.now(), ran_ = 0;
};

Status add_result(const RunResult& result, const std::string& name, models::GivenInputs& values) {
  auto bytes = result.read();
  if (!bytes) return bytes.error();
  auto tensor = models::host_tensor(result.value->tensor.sizes(), result.value->dtype);
  if (!tensor) return tensor.error();
  std::copy(bytes->begin(), bytes->end(), (*tensor)->data());
  values.tensors[name] = std::move(*tensor);
  if (result.value->strings) values.strings[name] = result.value->strings;
  if (result.value->complex) values.complex.insert(name);
  return {};
}

void accumulate_report(const RunReport& part, RunReport& all) {
  all.nanoseconds += part.nanoseconds;
  all.barriers += part.barriers;
  all.compilations += part.compilations;
  all.aborted = all.aborted || part.aborted;
}

Status run_loop(Runner& before, LoopState& loop, models::GivenInputs& values, SegmentOptions& own,
                const RunOptions& options, RunReport& report) {
  try {
    return LoopRunner(before, loop, values, own, options, report).run();
  } catch (const std::bad_alloc&) {
    return Error{fmt::format("{}: out of memory after {} iterations", loop.title, loop.iterations)};
  }
}

}  // namespace arenascope
