// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/tuner.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include <fmt/format.h>

namespace arenascope::opencl {
namespace {

constexpr const char* kLevels[] = {"none", "fast", "normal", "wide", "heavy"};

}  // namespace

const char* name(TuneLevel level) { return kLevels[static_cast<int>(level)]; }

std::optional<TuneLevel> parse_tune_level(std::string_view text) {
  for (int i = 0; i < 5; ++i)
    if (text == kLevels[i]) return static_cast<TuneLevel>(i);
  return std::nullopt;
}

std::vector<std::array<size_t, 3>> Tuner::candidates(const DeviceFacts& facts, TuneLevel level, int dims,
                                                     const size_t* sizes, size_t kernel_limit) {
  const size_t limit = std::min(facts.max_work_group, kernel_limit);
  std::array<size_t, 3> usual{1, 1, 1};
  // Rows first: neighbours in memory are neighbours in a group.
  size_t left = std::min<size_t>(limit, facts.is_cpu() ? 64 : 128);
  for (int d = 0; d < dims; ++d) {
    size_t part = 1;
    while (part * 2 <= left && part < sizes[d]) part *= 2;
    usual[static_cast<size_t>(d)] = std::min(part, facts.max_work_item[d]);
    left /= part;
    if (facts.is_cpu()) break;
  }
  std::vector<std::array<size_t, 3>> out{usual};
  const size_t most[] = {1, 2, 4, 12, 64};
  // On a CPU only row shapes pay, and each candidate costs a compilation.
  const std::vector<size_t> firsts = facts.is_cpu() ? std::vector<size_t>{64, 256, 16, 1024, 32, 8}
                                                    : std::vector<size_t>{32, 64, 16, 8, 128, 4, 256, 1};
  for (size_t a : firsts)
    for (size_t b : {size_t{1}, size_t{4}, size_t{8}, size_t{2}, size_t{16}}) {
      if (out.size() >= most[static_cast<int>(level)]) return out;
      const std::array<size_t, 3> c{a, dims > 1 ? b : 1, 1};
      if (a * c[1] > limit || a > facts.max_work_item[0] || c[1] > facts.max_work_item[1]) continue;
      if (a > 2 * sizes[0] || (dims > 1 && c[1] > 2 * sizes[1])) continue;
      if (facts.is_cpu() && b > 1) break;
      if (std::find(out.begin(), out.end(), c) == out.end()) out.push_back(c);
    }
  return out;
}

std::vector<trace::TuningInfo> Tuner::drain_diagnostics() {
  std::lock_guard lock(mutex_);
  std::vector<trace::TuningInfo> out;
  out.swap(notes_);
  return out;
}

std::vector<TuningResult> Tuner::results() const {
  std::lock_guard lock(mutex_);
  std::vector<TuningResult> out;
  for (const auto& [key, r] : results_) {
    TuningResult result;
    result.kernel = key.second.kernel;
    result.sizes = key.second.sizes;
    result.choice = r.variant >= 0 ? fmt::format("way {}", r.variant + 1)
                                   : fmt::format("{} x {} x {}", r.local[0], r.local[1], r.local[2]);
    result.level = name(key.first);
    result.seconds = r.seconds;
    result.tried = r.tried;
    out.push_back(std::move(result));
  }
  return out;
}

std::optional<TuneResult> Tuner::known(const TuneKey& key) const {
  std::lock_guard lock(mutex_);
  const auto at = results_.find({level_, key});
  return at == results_.end() ? std::nullopt : std::optional(at->second);
}

namespace {

// "512x64x1" as numbers; none if it has another form.
std::optional<std::array<double, 3>> parse_sizes(const std::string& text) {
  std::array<double, 3> out{1, 1, 1};
  size_t at = 0;
  for (size_t d = 0; d < 3; ++d) {
    size_t digits = 0;
    while (at + digits < text.size() && text[at + digits] >= '0' && text[at + digits] <= '9') ++digits;
    if (digits == 0 || digits > 12) return std::nullopt;
    out[d] = std::stod(text.substr(at, digits));
    at += digits;
    if (d < 2 && (at >= text.size() || text[at++] != 'x')) return std::nullopt;
  }
  return at == text.size() ? std::optional(out) : std::nullopt;
}

}  // namespace

// A result for the same kernel with similar sizes: each within a factor of 1.5. The group must be valid for these sizes
// too.
std::optional<TuneResult> Tuner::nearest(const TuneKey& key, const size_t* sizes, int dims, size_t limit) const {
  constexpr double kFarthest = 1.5;
  std::lock_guard lock(mutex_);
  std::optional<TuneResult> best;
  double least = 1e300;
  for (auto at = results_.lower_bound({level_, {key.kernel, ""}});
       at != results_.end() && at->first.first == level_ && at->first.second.kernel == key.kernel; ++at) {
    const TuneResult& r = at->second;
    const auto other = parse_sizes(at->first.second.sizes);
    if (!other || r.variant >= 0 || r.seconds < 0 || !r.nearest.empty()) continue;
    if (r.local[0] * r.local[1] * r.local[2] > limit) continue;
    double distance = 0;
    bool near = true;
    for (size_t d = 0; d < 3; ++d) {
      const double own = static_cast<double>(sizes[d]), ratio = std::max((*other)[d], own) / std::min((*other)[d], own);
      near = near && ratio <= kFarthest && (static_cast<int>(d) < dims || r.local[d] == 1);
      distance += std::log(ratio);
    }
    if (!near || distance >= least) continue;
    least = distance;
    best = r;
    best->nearest = at->first.second.sizes;
    best->seconds = -1;
    best->tried = 0;
    best->candidates.clear();
  }
  return best;
}

void Tuner::keep(const TuneKey& key, const TuneResult& result) {
  {
    std::lock_guard lock(mutex_);
    results_[{level_, key}] = result;
  }
  tell(key, result);
}

// Reports the result once.
void Tuner::tell(const TuneKey& key, const TuneResult& result) {
  std::lock_guard lock(mutex_);
  if (!reported_.insert(key).second) return;
  trace::TuningInfo note;
  note.kernel = key.kernel;
  note.sizes = key.sizes;
  for (size_t i = 0; i < 3; ++i) note.local[i] = static_cast<uint32_t>(result.local[i]);
  if (result.variant >= 0) note.way = result.variant;
  note.level = name(level_);
  if (result.seconds >= 0) {
    note.tried = result.tried;
    note.seconds = result.seconds;
  }
  note.remembered = result.remembered;
  note.candidates = result.candidates;
  note.nearest = result.nearest;
  notes_.push_back(std::move(note));
}

void Tuner::choose(Runtime& runtime, cl_kernel kernel, const std::string& kernel_name, int dims, const size_t* sizes,
                   size_t* local) {
  const TuneKey key{kernel_name, fmt::format("{}x{}x{}", sizes[0], sizes[1], sizes[2])};
  if (const auto found = known(key)) {
    std::copy(found->local.begin(), found->local.end(), local);
    tell(key, *found);
    return;
  }
  size_t limit = runtime.facts().max_work_group;
  clGetKernelWorkGroupInfo(kernel, runtime.facts().device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, nullptr);
  if (level_ == TuneLevel::Fast) {
    if (auto near = nearest(key, sizes, dims, limit)) {
      std::copy(near->local.begin(), near->local.end(), local);
      keep(key, *near);
      return;
    }
  }
  // Tuning runs the kernel several times on its own result, which is safe: no kernel reads memory that it writes
  // elsewhere.
  const auto tried = candidates(runtime.facts(), level_, dims, sizes, limit);
  TuneResult best;
  best.local = tried.front();
  if (tried.size() > 1) {
    for (const auto& candidate : tried) {
      size_t global[3];
      for (size_t d = 0; d < 3; ++d) global[d] = (sizes[d] + candidate[d] - 1) / candidate[d] * candidate[d];
      const double seconds = runtime.measure(kernel, dims, global, candidate.data(), 2);
      ++best.tried;
      trace::TuningCandidate candidate_info;
      for (size_t d = 0; d < 3; ++d) candidate_info.local[d] = static_cast<uint32_t>(candidate[d]);
      candidate_info.seconds = seconds;
      best.candidates.push_back(candidate_info);
      if (seconds >= 0 && (best.seconds < 0 || seconds < best.seconds * 0.97)) {
        best.local = candidate;
        best.seconds = seconds;
      }
    }
  }
  std::copy(best.local.begin(), best.local.end(), local);
  keep(key, best);
}

int Tuner::choose_variant(const TuneKey& key, int count, int usual, const std::function<double(int)>& seconds) {
  if (const auto found = known(key); found && found->variant >= 0 && found->variant < count) {
    tell(key, *found);
    return found->variant;
  }
  TuneResult best;
  best.variant = usual;
  if (level_ >= TuneLevel::Normal)
    for (int v = 0; v < count; ++v) {
      const double taken = seconds(v);
      ++best.tried;
      best.candidates.push_back({{1, 1, 1}, v, taken});
      if (taken >= 0 && (best.seconds < 0 || taken < best.seconds)) {
        best.variant = v;
        best.seconds = taken;
      }
    }
  keep(key, best);
  return best.variant;
}

namespace {

// How the result was found: the sizes that it was reused from, or "-", and the candidates.
void write_candidates(std::string& text, const TuneResult& r) {
  text += fmt::format(" {} {}", r.nearest.empty() ? "-" : r.nearest, r.candidates.size());
  for (const trace::TuningCandidate& c : r.candidates)
    text += fmt::format(" {} {} {} {} {}", c.local[0], c.local[1], c.local[2], c.way.value_or(-1), c.seconds);
}

// Older files have none.
bool read_candidates(std::istringstream& in, TuneResult& r) {
  constexpr size_t kMaxCandidates = 4096;
  size_t count = 0;
  if (!(in >> r.nearest)) return true;
  if (r.nearest == "-") r.nearest.clear();
  if (!(in >> count) || count > kMaxCandidates) return false;
  for (size_t i = 0; i < count; ++i) {
    trace::TuningCandidate c;
    int32_t way = -1;
    if (!(in >> c.local[0] >> c.local[1] >> c.local[2] >> way >> c.seconds)) return false;
    if (way >= 0) c.way = way;
    r.candidates.push_back(c);
  }
  return true;
}

}  // namespace

bool Tuner::load() {
  if (path_.empty()) return true;
  bool damaged = false;
  const auto bytes = read_checked(path_, key_, damaged);
  if (!bytes) return !damaged;
  std::istringstream lines(std::string(bytes->begin(), bytes->end()));
  std::lock_guard lock(mutex_);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream columns(line);
    std::string level_name, kernel, sizes, rest;
    if (!std::getline(columns, level_name, '\t') || !std::getline(columns, kernel, '\t') ||
        !std::getline(columns, sizes, '\t'))
      return false;
    if (!std::getline(columns, rest)) continue;  // old format with kernel and sizes in one column: measured again
    const auto level = parse_tune_level(level_name);
    TuneResult r;
    std::istringstream numbers(rest);
    numbers >> r.local[0] >> r.local[1] >> r.local[2] >> r.variant >> r.seconds >> r.tried;
    constexpr size_t kMaxGroupSize = 65536;
    if (!numbers || !level) return false;
    for (size_t l : r.local)
      if (l < 1 || l > kMaxGroupSize) return false;
    if (r.local[0] * r.local[1] * r.local[2] > kMaxGroupSize) return false;
    r.remembered = true;
    if (!read_candidates(numbers, r)) return false;
    results_[{*level, {kernel, sizes}}] = r;
  }
  return true;
}

bool Tuner::save() const {
  std::lock_guard lock(mutex_);
  if (path_.empty() || results_.empty()) return true;
  std::string text;
  for (const auto& [key, r] : results_) {
    text += fmt::format("{}\t{}\t{}\t{} {} {} {} {} {}", name(key.first), key.second.kernel, key.second.sizes,
                        r.local[0], r.local[1], r.local[2], r.variant, r.seconds, r.tried);
    write_candidates(text, r);
    text += '\n';
  }
  return write_checked(path_, key_, std::vector<uint8_t>(text.begin(), text.end()));
}

}  // namespace arenascope::opencl
