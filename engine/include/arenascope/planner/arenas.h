// SPDX-License-Identifier: MIT
// Several arenas with capacities, the fastest first: buffers with the most traffic per byte are in the fast one, the rest
// goes to the next one.
#pragma once
#include <arenascope/planner/planner.h>

namespace arenascope::planner {

struct Arena {
  std::string name;
  std::optional<Bytes> capacity;  // none: as large as needed; allowed only for the last arena
};

struct ArenaPlan {
  std::vector<int32_t> arena;        // of each interval
  std::vector<Bytes> offsets;        // in its arena
  std::vector<Bytes> arena_bytes;    // used of each arena
  std::vector<Bytes> spilled_bytes;  // sum of the sizes of the buffers in each arena but the first; [0] is 0
};

// `traffic` is the number of bytes read and written of each interval during its lifetime (empty: its size). A
// buffer with a fixed offset is placed there in the first arena that is large enough. Attached buffers stay together; an
// in-place pair may be separated. Errors: those of validate(), arenas out of order, a buffer that fits in no arena.
Result<ArenaPlan> plan_arenas(const Problem& problem, const std::vector<Arena>& arenas,
                              const std::vector<double>& traffic, const Planner& planner, const Options& options);

// Proves an ArenaPlan right, arena by arena.
[[nodiscard]] Status check(const Problem& problem, const std::vector<Arena>& arenas, const ArenaPlan& plan);

}  // namespace arenascope::planner
