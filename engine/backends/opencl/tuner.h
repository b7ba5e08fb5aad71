// SPDX-License-Identifier: MIT
// Chooses work group sizes, and which of several kernels serves a shape, by measuring on the device. Results are kept
// by level, kernel and global size, saved on disk and loaded again. How many candidates are tried is the level's
// choice: a device that compiles a kernel anew for each group size makes every candidate cost a compilation.
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
  int variant = -1;     // which way of several; -1: a group size was chosen
  double seconds = -1;  // of the best; negative: chosen without measuring
  int tried = 0;
  bool remembered = false;  // read from the file
  std::vector<trace::TuningCandidate> candidates;
  std::string nearest;  // taken over from what was found for these sizes
};

// What a result holds for.
struct TuneKey {
  std::string kernel;  // with its options
  std::string sizes;   // the work items, or the shape
  auto operator<=>(const TuneKey&) const = default;
};

class Tuner {
 public:
  // `path` "": nothing is kept on disk.
  Tuner(TuneLevel level, std::string path, std::string device_key)
      : level_(level), path_(std::move(path)), key_(std::move(device_key)) {}

  // Reads what was saved; false when there is a file that cannot be used.
  bool load();
  bool save() const;
  TuneLevel level() const { return level_; }

  // Group size for a kernel whose arguments are set, over `sizes` work items.
  void choose(Runtime& runtime, cl_kernel kernel, const std::string& name, int dims, const size_t* sizes,
              size_t* local);

  // Which of `count` variants is fastest for the key; `seconds(v)` measures one (negative: it cannot run). Without
  // measuring it is `usual`.
  int choose_variant(const TuneKey& key, int count, int usual, const std::function<double(int)>& seconds);

  // Each result that was first used since the last call.
  std::vector<trace::TuningInfo> take_notes();
  // All that is known, of other levels too. May be called by any thread.
  std::vector<TuningResult> results() const;
  // Group sizes that are tried at a level, the usual one first.
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
