// SPDX-License-Identifier: MIT
#include "engine/run/segment_cache.h"

#include <algorithm>
#include <cstring>

#include <arenascope/run/runner.h>

namespace arenascope {
namespace {

constexpr size_t kMaxSegments = 64;
constexpr Bytes kMaxSegmentBytes = Bytes{256} << 20;  // of all segments

bool same_strings(const models::StringTable& a, const models::StringTable& b) { return a == b || (a && b && *a == *b); }

bool same_form(const Segment& segment, const models::GivenInputs& inputs) {
  if (segment.complex != inputs.complex || segment.sequence_lengths != inputs.sequence_lengths) return false;
  const auto same_tensor = [](const auto& form, const auto& tensor) {
    return form.first == tensor.first && form.second.dtype == tensor.second.dtype() &&
           form.second.sizes == tensor.second.sizes();
  };
  const auto same_table = [](const auto& a, const auto& b) {
    return a.first == b.first && same_strings(a.second, b.second);
  };
  const auto& forms = segment.forms;
  const auto& tensors = inputs.tensors;
  return std::equal(forms.begin(), forms.end(), tensors.begin(), tensors.end(), same_tensor) &&
         std::equal(segment.strings.begin(), segment.strings.end(), inputs.strings.begin(), inputs.strings.end(),
                    same_table);
}

// `a` and `b` have the same type and shape and are contiguous.
bool same_values(const Tensor& a, const Tensor& b) {
  return a->byte_count() == 0 || std::memcmp(a->data(), b->data(), static_cast<size_t>(a->byte_count())) == 0;
}

bool computes(const Segment& segment, const models::GivenInputs& inputs, int64_t iteration) {
  return segment.iteration == iteration && same_form(segment, inputs) &&
         std::all_of(segment.fixed.begin(), segment.fixed.end(),
                     [&](const auto& fixed) { return same_values(fixed.second, inputs.tensors.at(fixed.first)); });
}

// Arena, inputs, and persistent memory: weights that the segment does not share, and those that it has packed for its shapes.
Bytes bytes_of(Runner& runner) {
  Bytes bytes = runner.plan().memory.arena_bytes + runner.context().stats({}, MemoryKind::Persistent).active;
  if (const Device device = runner.program().backend->device(); !device.is_cpu())
    bytes += runner.context().stats(device, MemoryKind::Persistent).active;
  for (const models::ValueInfo& input : runner.model().inputs) bytes += input.tensor->byte_count();
  return bytes;
}

}  // namespace

Segment::Segment(const models::GivenInputs& inputs, std::unique_ptr<Runner> compiled)
    : strings(inputs.strings),
      sequence_lengths(inputs.sequence_lengths),
      complex(inputs.complex),
      runner(std::move(compiled)) {
  for (const auto& [name, tensor] : inputs.tensors) forms.emplace(name, Form{tensor.dtype(), Dims(tensor.sizes())});
  for (const std::string& name : runner->model().fixed_inputs)
    if (const auto given = inputs.tensors.find(name); given != inputs.tensors.end()) fixed.insert(*given);
}

Segment* SegmentCache::find(const models::GivenInputs& inputs, int64_t iteration) {
  const auto found = std::find_if(segments_.begin(), segments_.end(),
                                  [&](const Segment& segment) { return computes(segment, inputs, iteration); });
  if (found == segments_.end()) return nullptr;
  segments_.splice(segments_.begin(), segments_, found);
  return last();
}

std::unique_ptr<Runner> SegmentCache::make_space() {
  if (segments_.empty()) return nullptr;
  Bytes bytes = bytes_of(*segments_.front().runner);  // of the new one
  for (const Segment& segment : segments_) bytes += bytes_of(*segment.runner);
  while (segments_.size() >= kMaxSegments || bytes > kMaxSegmentBytes) {
    std::unique_ptr<Runner> removed = std::move(segments_.back().runner);
    segments_.pop_back();
    if (segments_.empty()) return removed;
    bytes -= bytes_of(*removed);
  }
  return nullptr;
}

Segment& SegmentCache::add(const models::GivenInputs& inputs, std::unique_ptr<Runner> compiled) {
  return segments_.emplace_front(inputs, std::move(compiled));
}

}  // namespace arenascope
