// SPDX-License-Identifier: MIT
#include "engine/run/turn_loop.h"

#include <arenascope/memory/cpu_allocator.h>
#include <arenascope/models/npy.h>
#include <arenascope/runtime/device_transfer.h>
#include <arenascope/runtime/run_control.h>
#include <arenascope/trace/clock.h>

#include <algorithm>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "engine/run/leavings.h"

namespace arenascope {
namespace {

// Of a value under one name: its own, or those of the tensors in it.
std::vector<std::string> names_of(const std::string& name, const models::GivenInputs& values) {
  const auto length = values.sequence_lengths.find(name);
  if (length == values.sequence_lengths.end()) return {name};
  std::vector<std::string> out;
  for (int64_t i = 0; i < length->second; ++i) out.push_back(fmt::format("{}[{}]", name, i));
  return out;
}

void forget(const std::string& name, models::GivenInputs& values) {
  for (const std::string& one : names_of(name, values)) {
    values.tensors.erase(one);
    values.words.erase(one);
    values.complex.erase(one);
  }
  values.sequence_lengths.erase(name);
}

void copy_value(const std::string& from, const models::GivenInputs& source, const std::string& to,
                models::GivenInputs& values) {
  forget(to, values);
  if (const auto length = source.sequence_lengths.find(from); length != source.sequence_lengths.end())
    values.sequence_lengths[to] = length->second;
  for (const std::string& one : names_of(from, source)) {
    const std::string name = to + one.substr(from.size());
    if (const auto found = source.tensors.find(one); found != source.tensors.end())
      values.tensors[name] = found->second;
    if (const auto found = source.words.find(one); found != source.words.end()) values.words[name] = found->second;
    if (source.complex.contains(one)) values.complex.insert(name);
  }
}

}  // namespace

// The loop as it goes round. The body's states are its inputs' bytes from turn to turn, as long as its graph fits them.
class TurnLoop {
 public:
  TurnLoop(Runner& before, LoopRun& loop, models::GivenInputs& values, RunnerOptions& own, const RunOptions& options,
           RunReport& report)
      : before_(before),
        turns_(*before.model().rest->turns),
        loop_(loop),
        values_(values),
        own_(own),
        options_(options),
        report_(report) {}

  Status run() {
    loop_.title = turns_.title;
    given_ = values_;
    for (size_t i = 0; i < turns_.states.size(); ++i)
      if (!turns_.sources[i].empty()) copy_value(turns_.sources[i], values_, turns_.states[i], given_);
    left_.resize(turns_.left.size());
    for (size_t i = 0; i < left_.size(); ++i)
      if (const auto found = values_.tensors.find(turns_.left[i]); found != values_.tensors.end())
        left_[i].begin_with(found->second, word_of(turns_.left[i]), values_.complex.contains(turns_.left[i]));
    for (turn_ = turns_.first; turn_ < turns_.end && goes_on_ && !report_.aborted;) {
      if (auto ok = open(); !ok) return ok;
      if (auto ok = go_round(); !ok)
        return Error{fmt::format("{}, turn {}: {}", turns_.title, turn_, ok.error().message)};
    }
    return report_.aborted ? Status() : give_results();
  }

 private:
  // Which of the body's outputs is which of its inputs in the next turn.
  struct Carried {
    size_t output;
    const models::ValueInfo* input;
  };

  models::Words word_of(const std::string& name) const {
    const auto found = values_.words.find(name);
    return found == values_.words.end() ? nullptr : found->second;
  }

  Status open() {
    if (!turns_.number.empty()) {
      auto number = models::host_tensor({}, DType::I64);
      if (!number) return number.error();
      std::memcpy((*number)->data(), &turn_, sizeof turn_);
      given_.tensors[turns_.number] = std::move(*number);
    }
    auto model = by_value_ ? Result<models::Model>(Error{}) : turns_.open(given_, turn_, false);
    if (!model || !model->runnable()) {
      by_value_ = true;
      model = turns_.open(given_, turn_, true);
    }
    if (!model) return model.error();
    model->name = fmt::format("{} ({})", before_.model().name, turns_.title);
    model->path = before_.model().path;
    own_.open.inputs = given_.tensors;
    if (loop_.openings++ > 0) own_.planner = "greedy-by-size";  // what is used once is not worth a search
    auto body = Runner::open(std::move(*model), own_, std::move(loop_.body));
    if (!body) return body.error();
    loop_.body = std::move(*body);
    own_.rings = loop_.body->rings_;
    own_.behind = loop_.body->executor().trace_graph();
    find_carried();
    return {};
  }

  // Whether the graph fits what it makes itself: then it runs again as it is.
  void find_carried() {
    const models::Model& body = loop_.body->model();
    carried_.clear();
    repeats_ = !by_value_ && !body.rest;
    for (size_t i = 0; i < turns_.states.size() && repeats_; ++i) {
      const auto output = place_of(body.outputs, turns_.output(i + 1)), input = place_of(body.inputs, turns_.states[i]);
      repeats_ = output < body.outputs.size() && input < body.inputs.size();
      if (!repeats_) break;
      const models::ValueInfo &from = body.outputs[output], &to = body.inputs[input];
      repeats_ = from.dtype == to.dtype && from.tensor.sizes() == to.tensor.sizes() && from.complex == to.complex &&
                 !from.words == !to.words && (!from.words || from.words == to.words || *from.words == *to.words);
      carried_.push_back({output, &to});
    }
    const size_t number = place_of(body.inputs, turns_.number);
    number_ = number < body.inputs.size() ? &body.inputs[number] : nullptr;
  }

  static size_t place_of(const std::vector<models::ValueInfo>& values, const std::string& name) {
    return static_cast<size_t>(
        std::find_if(values.begin(), values.end(), [&](const models::ValueInfo& v) { return v.name == name; }) -
        values.begin());
  }

  // Turns by the graph that is open; one, where it does not fit another one.
  Status go_round() {
    while (true) {
      if (number_) {
        const auto bytes = std::as_bytes(std::span(&turn_, 1));
        if (auto ok = write_tensor(*loop_.body->program_.backend, *number_->tensor, bytes); !ok) return ok;
      }
      RunOptions watched = options_;
      if (own_.watch) own_.watch(*loop_.body, watched);
      auto part = loop_.body->run_parts(watched);
      if (!part) return part.error();
      add_part(*part, report_);
      ++loop_.turns;
      if (options_.control && options_.control->aborted()) report_.aborted = true;
      if (report_.aborted) return {};
      if (auto ok = take_left(); !ok) return ok;
      ++turn_;
      tell_turn(part->nanoseconds);
      if (!repeats_ || !goes_on_ || turn_ >= turns_.end) return take_states();
      for (const Carried& state : carried_) {
        auto bytes = loop_.body->output(state.output);
        if (!bytes) return bytes.error();
        if (auto ok = write_tensor(*loop_.body->program_.backend, *state.input->tensor, *bytes); !ok) return ok;
      }
    }
  }

  // The condition, and what the turn left.
  Status take_left() {
    const std::vector<RunResult> results = loop_.body->results();
    if (turns_.conditional) {
      const RunResult* condition = find(results, turns_.output(0));
      if (!condition) return Error{"whether it goes on is not told"};
      auto bytes = condition->read();
      if (!bytes) return bytes.error();
      goes_on_ = !bytes->empty() && (*bytes)[0] != std::byte{0};
    }
    for (size_t i = 0; i < left_.size(); ++i) {
      const RunResult* result = find(results, turns_.output(1 + turns_.states.size() + i));
      if (!result) return Error{"what a turn leaves is no tensor"};
      auto bytes = result->read();
      if (!bytes) return bytes.error();
      if (auto ok = left_[i].add(*result->value, *bytes); !ok) return ok;
    }
    return check_memory();
  }

  static const RunResult* find(const std::vector<RunResult>& results, const std::string& name) {
    const auto found =
        std::find_if(results.begin(), results.end(), [&](const RunResult& r) { return r.value->name == name; });
    return found == results.end() ? nullptr : &*found;
  }

  // The states behind this turn, for a body that is opened anew, and for who reads the loop's results.
  Status take_states() {
    const std::vector<RunResult> results = loop_.body->results();
    for (size_t i = 0; i < turns_.states.size(); ++i) {
      const std::string made = turns_.output(i + 1), name = state_name(i);
      const bool one = find(results, made) != nullptr;
      forget(name, given_);
      int64_t elements = 0;
      for (const RunResult& result : results) {
        const std::string& own = result.value->name;
        const bool element = !one && own.starts_with(made) && own.size() > made.size() && own[made.size()] == '[';
        if (own != made && !element) continue;
        if (auto ok = take_value(result, name + own.substr(made.size()), given_); !ok) return ok;
        if (element) ++elements;
      }
      if (!one) given_.sequence_lengths[name] = elements;
    }
    return {};
  }

  // Among the values: of what the body does not ask for, the name of what it makes.
  std::string state_name(size_t i) const { return turns_.states[i].empty() ? turns_.output(i + 1) : turns_.states[i]; }

  // What the turns left may not take the machine's memory from all others; twice, since it grows and is copied in the end.
  Status check_memory() {
    constexpr Bytes kStep = Bytes{32} << 20;
    Bytes held = 0;
    for (const Leavings& left : left_) held += left.held_bytes();
    for (const auto& [name, tensor] : given_.tensors) held += tensor->byte_count();
    if (held < checked_ + kStep) return {};
    checked_ = held;
    if (const Bytes free = available_memory(); 2 * held > free)
      return Error{fmt::format("what its turns hold takes {} bytes, and {} are free", held, free)};
    return {};
  }

  // The clock is not read behind each turn of microseconds.
  void tell_turn(Nanoseconds lasted) {
    constexpr Nanoseconds kOften = 200'000'000;
    ran_ += lasted;
    if (!own_.turn || ((loop_.turns & 63) != 0 && repeats_ && ran_ < kOften)) return;
    const Nanoseconds now = clock_.now();
    if (now - told_ < kOften) return;
    told_ = now;
    ran_ = 0;
    own_.turn(turns_.title, turn_);
  }

  Status give_results() {
    const size_t states = turns_.states.size();
    for (size_t i = 0; i < turns_.results.size(); ++i) {
      const std::string& name = turns_.results[i];
      if (name.empty()) continue;
      if (i < states)
        copy_value(state_name(i), given_, name, values_);
      else if (auto ok = left_[i - states].give(name, values_); !ok)
        return Error{fmt::format("{}: {}", turns_.title, ok.error().message)};
    }
    return {};
  }

  Runner& before_;
  const models::Turns& turns_;
  LoopRun& loop_;
  models::GivenInputs& values_;
  RunnerOptions& own_;
  const RunOptions& options_;
  RunReport& report_;
  models::GivenInputs given_;  // what the body is given, by the names of its inputs
  std::vector<Leavings> left_;
  int64_t turn_ = 0;
  bool goes_on_ = true, by_value_ = false, repeats_ = false;
  std::vector<Carried> carried_;
  const models::ValueInfo* number_ = nullptr;
  Bytes checked_ = 0;
  trace::Clock clock_;
  Nanoseconds told_ = clock_.now(), ran_ = 0;
};

Status take_value(const RunResult& result, const std::string& name, models::GivenInputs& values) {
  auto bytes = result.read();
  if (!bytes) return bytes.error();
  auto tensor = models::host_tensor(result.value->tensor.sizes(), result.value->dtype);
  if (!tensor) return tensor.error();
  std::copy(bytes->begin(), bytes->end(), (*tensor)->data());
  values.tensors[name] = std::move(*tensor);
  if (result.value->words) values.words[name] = result.value->words;
  if (result.value->complex) values.complex.insert(name);
  return {};
}

void add_part(const RunReport& part, RunReport& all) {
  all.nanoseconds += part.nanoseconds;
  all.barriers += part.barriers;
  all.aborted = all.aborted || part.aborted;
}

Status go_round(Runner& before, LoopRun& loop, models::GivenInputs& values, RunnerOptions& own,
                const RunOptions& options, RunReport& report) {
  try {
    return TurnLoop(before, loop, values, own, options, report).run();
  } catch (const std::bad_alloc&) {
    return Error{fmt::format("{}: no memory is left behind {} turns", loop.title, loop.turns)};
  }
}

}  // namespace arenascope
