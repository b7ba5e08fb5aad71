// SPDX-License-Identifier: MIT
#include <arenascope/allocator_sim/experiment.h>

#include <algorithm>
#include <unordered_map>

namespace arenascope::allocator_sim {
namespace {

class Bench {
 public:
  Bench(const AllocatorProgram& program, const CachingSettings& settings, Start start)
      : program_(program), model_(settings) {
    out_.start = start;
    out_.settings = settings;
  }

  Experiment run() {
    if (out_.start == Start::Recorded)
      adopt();
    else
      allocate_again();
    for (const AllocatorStep& step : program_.steps) {
      if (out_.failure) break;
      if (step.allocates)
        allocate(step);
      else
        free(step.address);
    }
    out_.segments_taken = model_.segments_taken();
    out_.segments_released = model_.segments_released();
    out_.retries = model_.retries();
    return out_;
  }

 private:
  void adopt() {
    auto next = program_.blocks.begin();
    for (const CachedSegment& s : program_.segments) {
      const auto begin = next;
      while (next != program_.blocks.end() && next->address < s.address + static_cast<uint64_t>(s.bytes)) ++next;
      model_.adopt(s, {begin, next});
    }
    for (const UsedBlock& b : program_.blocks) lies_at_[b.address] = b.address;
    model_.expect_segments(program_.segments_taken);
    note(0, 0);
  }
  // Queries the stream and pool of each segment again.
  void allocate_again() {
    auto segment = program_.segments.begin();
    for (const UsedBlock& b : program_.blocks) {
      while (segment->address + static_cast<uint64_t>(segment->bytes) <= b.address) ++segment;
      if (!place(-1, b.address, b.asked, segment->stream, segment->pool)) return;
    }
  }
  void allocate(const AllocatorStep& step) {
    const auto at = place(out_.allocations, step.address, step.asked, step.stream, step.pool);
    if (!at) return;
    ++out_.allocations;
    if (*at == step.address) ++out_.same_address;
  }
  std::optional<uint64_t> place(int64_t number, uint64_t recorded, Bytes asked, uint32_t stream, uint32_t pool) {
    const auto at = model_.allocate(asked, stream, pool);
    if (at)
      lies_at_[recorded] = *at;
    else
      out_.failure = {number, asked, model_.reserved(), model_.allocated()};
    note(stream, pool);
    return at;
  }
  void free(uint64_t recorded) {
    const auto at = lies_at_.find(recorded);
    if (at == lies_at_.end()) return;
    model_.free(at->second);
    lies_at_.erase(at);
  }
  void note(uint32_t stream, uint32_t pool) {
    out_.allocated_peak = std::max(out_.allocated_peak, model_.allocated());
    if (model_.reserved() <= out_.reserved_peak) return;
    out_.reserved_peak = model_.reserved();
    out_.at_peak = model_.bytes(stream, pool);
  }

  const AllocatorProgram& program_;
  CachingModel model_;
  Experiment out_;
  std::unordered_map<uint64_t, uint64_t> lies_at_;  // actual address by recorded address
};

}  // namespace

Result<Experiment> run_experiment(const AllocatorProgram& program, const CachingSettings& settings, Start start) {
  if (start == Start::Recorded && program.grows)
    return Error{"the initial state of expandable segments is not recorded: start with an empty allocator"};
  return Bench(program, settings, start).run();
}

}  // namespace arenascope::allocator_sim
