// SPDX-License-Identifier: MIT
// minimalloc's CSV, read and written, and a plan as JSON for other runtimes.
#pragma once
#include <arenascope/planner/interval.h>
#include <arenascope/planner/plan.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace arenascope::planner {

// Columns in any order: id (buffer, buffer_id), lower (begin, start), upper (exclusive) or end (inclusive), size; and
// optionally alignment (default: 1), offset (fixed, if not empty), gaps ("8-10 14-16@0:64", in the convention of upper or
// end) and hint, which is ignored. Errors name the line and the reason.
Result<Problem> read_csv(std::string_view text);
Result<Problem> read_csv_file(const std::filesystem::path& path);

// The number of buffers that are pinned to an offset, and the problem without these offsets.
size_t pinned(const Problem& problem);
Problem unpinned(Problem problem);

// The problem, with the plan's offsets where there is one; read_csv reads it again.
std::string write_csv(const Problem& problem, const Plan* plan = nullptr);

// One object: {"format": "arenascope-plan", "version": 1, "planner", "arena_bytes", "lower_bound_bytes", "optimal",
// "buffers": [{"id", "lower", "upper", "size", "alignment", "offset", "block"?, "reuse_level"?}]}.
std::string plan_to_json(const Problem& problem, const Plan& plan);

}  // namespace arenascope::planner
