// SPDX-License-Identifier: MIT
#include <arenascope/backends/opencl/tuner.h>

#include <algorithm>
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

std::vector<std::array<size_t, 3>> Tuner::candidates(const DeviceFacts& facts, TuneLevel level, int dims, const size_t* sizes,
                                                     size_t kernel_limit) {
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
  // On a processor other shapes than rows do not pay, and each costs a compilation.
  const std::vector<size_t> firsts = facts.is_cpu() ? std::vector<size_t>{64, 256, 16, 1024, 32, 8} : std::vector<size_t>{32, 64, 16, 8, 128, 4, 256, 1};
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

std::vector<std::string> Tuner::take_notes() {
  std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  out.swap(notes_);
  return out;
}

std::vector<TuningResult> Tuner::results() const {
  std::lock_guard lock(mutex_);
  std::vector<TuningResult> out;
  for (const auto& [key, r] : results_) {
    // The sizes begin at the first number behind a space: no kernel's or option's name begins with a digit.
    size_t cut = key.second.find(' ');
    while (cut != std::string::npos && (cut + 1 >= key.second.size() || key.second[cut + 1] < '0' || key.second[cut + 1] > '9'))
      cut = key.second.find(' ', cut + 1);
    TuningResult told;
    told.kernel = key.second.substr(0, cut);
    if (cut != std::string::npos) told.sizes = key.second.substr(cut + 1);
    told.choice = r.variant >= 0 ? fmt::format("way {}", r.variant) : fmt::format("{} x {} x {}", r.local[0], r.local[1], r.local[2]);
    told.level = name(key.first);
    told.seconds = r.seconds;
    told.tried = r.tried;
    out.push_back(std::move(told));
  }
  return out;
}

std::optional<TuneResult> Tuner::known(const std::string& key) const {
  std::lock_guard lock(mutex_);
  const auto at = results_.find({level_, key});
  return at == results_.end() ? std::nullopt : std::optional(at->second);
}

void Tuner::keep(const std::string& key, const TuneResult& result, std::string note) {
  std::lock_guard lock(mutex_);
  results_[{level_, key}] = result;
  if (!note.empty()) notes_.push_back(std::move(note));
}

void Tuner::choose(Runtime& runtime, cl_kernel kernel, const std::string& kernel_name, int dims, const size_t* sizes, size_t* local) {
  const std::string key = fmt::format("{} {}x{}x{}", kernel_name, sizes[0], sizes[1], sizes[2]);
  if (const auto found = known(key)) {
    std::copy(found->local.begin(), found->local.end(), local);
    return;
  }
  size_t limit = runtime.facts().max_work_group;
  clGetKernelWorkGroupInfo(kernel, runtime.facts().device, CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit, nullptr);
  // Tuning runs the kernel several times over its result, which is fine: no kernel reads what it writes elsewhere.
  const auto tried = candidates(runtime.facts(), level_, dims, sizes, limit);
  TuneResult best{tried.front(), -1, -1, 0};
  if (tried.size() > 1) {
    for (const auto& candidate : tried) {
      size_t global[3];
      for (size_t d = 0; d < 3; ++d) global[d] = (sizes[d] + candidate[d] - 1) / candidate[d] * candidate[d];
      const double seconds = runtime.measure(kernel, dims, global, candidate.data(), 2);
      ++best.tried;
      if (seconds >= 0 && (best.seconds < 0 || seconds < best.seconds * 0.97)) {
        best.local = candidate;
        best.seconds = seconds;
      }
    }
  }
  std::copy(best.local.begin(), best.local.end(), local);
  std::string note;
  if (best.seconds >= 0)
    note = fmt::format("{}: groups of {} x {} x {} were the fastest of {}, {:.3g} ms", key, best.local[0], best.local[1],
                       best.local[2], best.tried, best.seconds * 1e3);
  keep(key, best, std::move(note));
}

int Tuner::choose_variant(const std::string& variant_name, int count, int usual, const std::function<double(int)>& seconds) {
  if (const auto found = known(variant_name); found && found->variant >= 0 && found->variant < count) return found->variant;
  TuneResult best;
  best.variant = usual;
  if (level_ >= TuneLevel::Normal)
    for (int v = 0; v < count; ++v) {
      const double taken = seconds(v);
      ++best.tried;
      if (taken >= 0 && (best.seconds < 0 || taken < best.seconds)) {
        best.variant = v;
        best.seconds = taken;
      }
    }
  std::string note;
  if (best.seconds >= 0)
    note = fmt::format("{}: way {} was the fastest of {}, {:.3g} ms", variant_name, best.variant, best.tried, best.seconds * 1e3);
  keep(variant_name, best, std::move(note));
  return best.variant;
}

bool Tuner::load() {
  if (path_.empty()) return true;
  bool damaged = false;
  const auto bytes = read_checked(path_, key_, damaged);
  if (!bytes) return !damaged;
  std::istringstream lines(std::string(bytes->begin(), bytes->end()));
  std::lock_guard lock(mutex_);
  for (std::string line; std::getline(lines, line);) {
    const size_t level_end = line.find('\t'), key_end = line.find('\t', level_end + 1);
    if (level_end == std::string::npos || key_end == std::string::npos) return false;
    const auto level = parse_tune_level(std::string_view(line).substr(0, level_end));
    TuneResult r;
    std::istringstream numbers(line.substr(key_end + 1));
    numbers >> r.local[0] >> r.local[1] >> r.local[2] >> r.variant >> r.seconds >> r.tried;
    constexpr size_t kMost = 65536;
    if (!numbers || !level) return false;
    for (size_t l : r.local)
      if (l < 1 || l > kMost) return false;
    if (r.local[0] * r.local[1] * r.local[2] > kMost) return false;
    results_[{*level, line.substr(level_end + 1, key_end - level_end - 1)}] = r;
  }
  return true;
}

bool Tuner::save() const {
  std::lock_guard lock(mutex_);
  if (path_.empty() || results_.empty()) return true;
  std::string text;
  for (const auto& [key, r] : results_)
    text += fmt::format("{}\t{}\t{} {} {} {} {} {}\n", name(key.first), key.second, r.local[0], r.local[1], r.local[2], r.variant, r.seconds, r.tried);
  return write_checked(path_, key_, std::vector<uint8_t>(text.begin(), text.end()));
}

}  // namespace arenascope::opencl
