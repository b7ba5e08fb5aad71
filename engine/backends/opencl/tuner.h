// SPDX-License-Identifier: MIT
// Selects work group sizes and kernel variants by measuring on the device. Results are keyed by level, kernel and
// global size, saved on disk and loaded again. The level determines the number of candidates: on a device that compiles
// a kernel for each group size, every candidate costs a compilation.
#pragma once
#include <array>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <arenascope/runtime/backend.h>
#include "engine/backends/opencl/runtime.h"

namespace arenascope::opencl {

const char* name(TuneLevel level);
std::optional<TuneLevel> parse_tune_level(std::string_view text);

struct TuneResult {
  std::array<size_t, 3> local{1, 1, 1};
  int variant = -1;     // index of the selected variant; -1: a group size was selected
  double seconds = -1;  // time of the best; negative: selected without measuring
  int tried = 0;
  bool remembered = false;  // loaded from the file
  std::vector<trace::TuningCandidate> candidates;
  std::string nearest;  // reused from the result for these sizes
};

// Key of a result.
struct TuneKey {
  std::string kernel;  // with its options
  std::string sizes;   // work items, or the shape
  auto operator<=>(const TuneKey&) const = default;
};

class Tuner {
 public:
  // `path` "": nothing is stored on disk.
  Tuner(TuneLevel level, std::string path, std::string device_key)
      : level_(level), path_(std::move(path)), key_(std::move(device_key)) {}

  // Loads saved results; false if the file is unusable.
  bool load();
  bool save() const;
  TuneLevel level() const { return level_; }

  // Group size for a kernel whose arguments are set, over `sizes` work items.
  void choose(Runtime& runtime, cl_kernel kernel, const std::string& name, int dims, const size_t* sizes,
              size_t* local);

  // The fastest of `count` variants for the key; `seconds(v)` measures one (negative: it failed). Without measuring it
  // is `usual`.
  int choose_variant(const TuneKey& key, int count, int usual, const std::function<double(int)>& seconds);

  // Results that were first used since the last call.
  std::vector<trace::TuningInfo> drain_diagnostics();
  // All known results, also of other levels. Thread-safe.
  std::vector<TuningResult> results() const;
  // Group sizes to try at a level, the default first.
  static std::vector<std::array<size_t, 3>> candidates(const DeviceFacts& facts, TuneLevel level, int dims,
                                                       const size_t* sizes, size_t kernel_limit);

 private:
  using Key = std::pair<TuneLevel, TuneKey>;
  std::optional<TuneResult> known(const TuneKey& key) const;
  std::optional<TuneResult> nearest(const TuneKey& key, const size_t* sizes, int dims, size_t limit) const;
  void keep(const TuneKey& key, const TuneResult& result);
  void tell(const TuneKey& key, const TuneResult& result);

  TuneLevel level_;
  std::string path_, key_;
  mutable std::mutex mutex_;
  std::map<Key, TuneResult> results_;
  std::vector<trace::TuningInfo> notes_;
  std::set<TuneKey> reported_;  // of this level
};

}  // namespace arenascope::opencl
